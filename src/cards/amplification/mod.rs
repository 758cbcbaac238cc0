//! Card 1, `amplification`: article 1, card 036, and article 4, card 022.
//!
//! Layers that call one another, each with the standard retry helper. What they make of one request multiplies, and the
//! last dependency bears it just when it is weakest. The run follows every call; where a closed form is known it stands
//! beside it.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, and the chain that they make ([`overload_sim::layers`]) |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, text, units};
use overload_sim::layers::{Chain, Expected, worst};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::{Amplification, MOST_HOPS, Who};

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    pub const DB_CALLS: &str = "db_calls";
    pub const PER_USER: &str = "per_user";
    pub const RETRIES: &str = "retries";
    pub const ALL_CALLS: &str = "all_calls";
    pub const FAILED_USERS: &str = "failed_users";
    pub const FAILED_SHARE: &str = "failed_share";
    /// Only with a budget.
    pub const REFUSED_RETRIES: &str = "refused_retries";
    pub const CALCULATED: &str = "calculated_per_user";
    pub const CALCULATED_FAILED: &str = "calculated_failed_share";
    pub const WORST: &str = "worst_case";
    /// The same chain if only the layer nearest the DB retried.
    pub const ONE_LAYER: &str = "one_layer_per_user";
    /// The same faults, each call drawing its own; only without a budget.
    pub const APART: &str = "apart_per_user";
    /// The same faults, each user's calls sharing one fate; only without a budget.
    pub const TOGETHER: &str = "together_per_user";
    /// Only where calls take time.
    pub const ZOMBIES: &str = "zombie_calls";
    pub const AT_ONCE: &str = "at_once";
    pub const LONGEST_WAIT: &str = "longest_wait";
    pub const AFTER: &str = "after_user";
}

/// Calls a user; the articles print two decimals.
const PER_USER: Unit = Unit::new("calls_per_user", text("per user", "mỗi user"), 2);
const USERS: Unit = Unit::counted("users", text("users", "user"), "user", 0);
const SHARE: Unit = Unit::new("percent", units::PERCENT.text, 2);

/// Keys of the calls on each hop, and what they are called.
const HOPS: [(&str, Text); MOST_HOPS] = [
    ("hop_1", text("calls by layer 1", "call của tầng 1")),
    ("hop_2", text("calls by layer 2", "call của tầng 2")),
    ("hop_3", text("calls by layer 3", "call của tầng 3")),
    ("hop_4", text("calls by layer 4", "call của tầng 4")),
    ("hop_5", text("calls by layer 5", "call của tầng 5")),
    ("hop_6", text("calls by layer 6", "call của tầng 6")),
    SDK_HOP,
];
const SDK_HOP: (&str, Text) = ("hop_sdk", text("calls by the SDK", "call của SDK"));

/// Key and name of hop `i`.
fn hop(knobs: &Amplification, i: usize) -> (&'static str, Text) {
    if i as u64 == knobs.layers { SDK_HOP } else { HOPS[i.min(MOST_HOPS - 1)] }
}

/// What a closed form says of these knobs with other layers retrying, without chance where nothing is random.
fn expected(knobs: &Amplification, who: Who, layers: usize) -> Option<Expected> {
    knobs.setup(&knobs.of(who, layers)).expected()
}

impl Lesson for Card {
    type Knobs = Amplification;

    const ABOUT: About = About {
        slug: "amplification",
        number: 1,
        theme: Theme::AskingAgain,
        title: text("Retry amplification: layers multiply", "Khuếch đại retry: các tầng nhân với nhau"),
        promise: text(
            "Every layer retries a little. See what the last dependency gets, and which layer should be the one to retry.",
            "Mỗi tầng retry một chút. Xem dependency cuối nhận bao nhiêu, và tầng nào mới nên được retry.",
        ),
        lead: text(
            "Each layer of a chain has the same harmless helper: one call and a few retries. Nested, they multiply, and the last dependency gets the product for every request just when it is down. Follow each call on its way, see what one retrying layer and a budget leave of it, and why a slow dependency is worse than a dead one.",
            "Mỗi tầng trong chuỗi đều có cùng một helper vô hại: một lần gọi và vài lần retry. Lồng vào nhau thì chúng nhân lên, và dependency cuối nhận trọn tích đó cho mỗi request, đúng lúc nó đang chết. Hãy theo từng call trên đường đi, xem còn lại bao nhiêu khi chỉ một tầng retry và khi có budget, và vì sao một dependency chậm còn tệ hơn một dependency chết.",
        ),
        sources: &[(1, "036"), (4, "022")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Amplification);

    fn plan(knobs: &Amplification) -> Plan {
        let mut plan = Plan::default();
        let run = text("The run", "Lần chạy");
        plan.figure(figure::DB_CALLS, run, text("calls that reach the DB", "số call tới DB"), units::CALLS);
        plan.figure(figure::PER_USER, run, text("calls at the DB", "số call tại DB"), PER_USER);
        plan.figure(figure::RETRIES, run, text("calls added by retries", "số call do retry thêm vào"), units::CALLS);
        plan.figure(figure::ALL_CALLS, run, text("calls on all hops", "số call trên mọi chặng"), units::CALLS);
        plan.figure(figure::FAILED_USERS, run, text("users with an error", "user nhận lỗi"), USERS);
        plan.figure(figure::FAILED_SHARE, run, text("share of users with an error", "tỉ lệ user nhận lỗi"), SHARE);
        if knobs.budget {
            let label = text("retries that the budget refused", "retry bị budget chặn");
            plan.figure(figure::REFUSED_RETRIES, run, label, units::CALLS);
        }
        if knobs.slow() {
            let time = text("Time", "Thời gian");
            let zombies = text("calls begun for nobody", "call bắt đầu khi không còn ai chờ");
            plan.figure(figure::ZOMBIES, time, zombies, units::CALLS);
            let at_once = text(
                "calls of one user in the DB at once, at most",
                "số call cùng lúc trong DB của một user, nhiều nhất",
            );
            plan.figure(figure::AT_ONCE, time, at_once, units::CALLS);
            plan.figure(figure::LONGEST_WAIT, time, text("longest wait of a user", "user chờ lâu nhất"), units::S);
            let after = text("DB still at work after the user has gone", "DB còn làm việc sau khi user đã đi");
            plan.figure(figure::AFTER, time, after, units::S);
        }
        let group = text("By hop", "Theo chặng");
        for i in 0..knobs.hops() {
            let (key, label) = hop(knobs, i);
            plan.figure(key, group, label, units::CALLS);
            plan.books.push(label);
        }
        let group = text("Calculated", "Tính ra");
        plan.figure(
            figure::CALCULATED,
            group,
            text("calls at the DB, closed form", "số call tại DB, theo công thức"),
            PER_USER,
        );
        let failed = text("share of users with an error, closed form", "tỉ lệ user nhận lỗi, theo công thức");
        plan.figure(figure::CALCULATED_FAILED, group, failed, SHARE);
        let worst = text("worst case, no budget", "xấu nhất, không budget");
        plan.figure(figure::WORST, group, worst, PER_USER);
        let one = text("if only the layer nearest the DB retried", "nếu chỉ tầng gần DB nhất retry");
        plan.figure(figure::ONE_LAYER, group, one, PER_USER);
        if !knobs.budget {
            let apart = text("if each call drew its own fate", "nếu mỗi call một số phận riêng");
            plan.figure(figure::APART, group, apart, PER_USER);
            let together = text("if all calls of a user shared one", "nếu mọi call của một user chung một số phận");
            plan.figure(figure::TOGETHER, group, together, PER_USER);
        }
        const AT: Unit = Unit::new("at", text("", ""), 0);
        let trace = ["hop", "attempt", "from", "to", "orphan", "ok"].map(|column| (column, AT));
        plan.series("first_user", &trace);
        plan.series("orphans", &[("calls", units::CALLS)]);
        plan
    }

    fn cost(knobs: &Amplification) -> u64 {
        knobs.setup(&knobs.by_hop()).cost()
    }

    fn start(knobs: &Amplification, seed: u64) -> Box<dyn Run> {
        Box::new(Calls { knobs: knobs.clone(), chain: Chain::new(knobs.setup(&knobs.by_hop()), seed) })
    }
}

/// The run: the chain, and what is calculated of it.
struct Calls {
    knobs: Amplification,
    chain: Chain,
}

impl Run for Calls {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.chain.advance(events);
        Progress { done, share: if done { 1.0 } else { self.chain.share() } }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let seen = self.chain.outcome();
        let users = knobs.users as f64;
        let calls = |i: usize| seen.hops.get(i).map_or(0, |h| h.server.arrivals);
        let reached = calls(knobs.hops() - 1);
        let all: u64 = seen.hops.iter().map(|h| h.server.arrivals).sum();
        out.set(&plan, figure::DB_CALLS, reached as f64);
        out.set(&plan, figure::PER_USER, reached as f64 / users);
        out.set(&plan, figure::RETRIES, reached.saturating_sub(knobs.users) as f64);
        out.set(&plan, figure::ALL_CALLS, all as f64);
        out.set(&plan, figure::FAILED_USERS, seen.failed as f64);
        out.set(&plan, figure::FAILED_SHARE, 100.0 * seen.failed as f64 / users);
        if knobs.budget {
            let refused: u64 = seen.hops.iter().map(|h| h.caller.rejected).sum();
            out.set(&plan, figure::REFUSED_RETRIES, refused as f64);
        }
        if knobs.slow() {
            out.set(&plan, figure::ZOMBIES, seen.orphans.last().copied().unwrap_or(0) as f64);
            out.set(&plan, figure::AT_ONCE, f64::from(seen.at_once));
            out.set(&plan, figure::LONGEST_WAIT, seen.longest.as_s());
            out.set(&plan, figure::AFTER, seen.after.as_s());
        }
        for i in 0..knobs.hops() {
            out.set(&plan, hop(knobs, i).0, calls(i) as f64);
        }

        let layers = knobs.layers as usize;
        if let Some(expected) = expected(knobs, knobs.who, layers) {
            out.set(&plan, figure::CALCULATED, expected.calls());
            out.set(&plan, figure::CALCULATED_FAILED, 100.0 * expected.failed);
        }
        out.set(&plan, figure::WORST, worst(&knobs.by_hop()) as f64);
        if let Some(one) = expected(&only_last(knobs), Who::Each, layers) {
            out.set(&plan, figure::ONE_LAYER, one.calls());
        }
        if !knobs.budget {
            for (key, together) in [(figure::APART, 0), (figure::TOGETHER, 1_000)] {
                let other = Amplification { together, ..knobs.clone() };
                if let Some(expected) = expected(&other, knobs.who, layers) {
                    out.set(&plan, key, expected.calls());
                }
            }
        }
        let trace = seen.trace.iter().flat_map(|t| {
            let flag = |on: bool| u64::from(on) as f64;
            [t.hop as f64, f64::from(t.attempt), t.from as f64, t.to as f64, flag(t.orphan), flag(t.ok)]
        });
        out.fill(&plan, "first_user", trace.collect());

        out.fill(&plan, "orphans", seen.orphans.iter().map(|&n| n as f64).collect());

        let (offered, good) = (knobs.users, seen.ok);
        out.books = seen.hops.iter().map(|h| Book { offered, good, caller: h.caller, server: h.server }).collect();
        out
    }
}

/// The knobs with only the layer nearest the DB retrying, as often as it does or as any layer would.
fn only_last(knobs: &Amplification) -> Amplification {
    let mut one = knobs.clone();
    one.who = Who::Each;
    let last = knobs.layers as usize - 1;
    let retries = if knobs.who == Who::Each { knobs.retries_of.get(last).copied().unwrap_or(0) } else { knobs.retries };
    for (i, r) in one.retries_of.iter_mut().enumerate() {
        *r = if i == last { retries } else { 0 };
    }
    one
}
