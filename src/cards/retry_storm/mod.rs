//! Card 19, `retry-storm`: article 1's incident and its postmortem, card 055.
//!
//! Services that each retry, above one DB. It fails for half a minute, and the system stays down for twenty: retries keep
//! the queue full, a full queue waits longer than callers do, so what is served is already dead, so callers retry. Each
//! guardrail cuts that loop at one place.
//!
//! Everything that moves is [`overload_sim::chain`]; this folder sets its knobs and reads its book.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, the chain that they stand for, the rule of thumb |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, banner, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::chain::Chain;
use overload_sim::chain::book::Second;
use overload_sim::recovery;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::{MOST_LAYERS, PODS, SECONDS, Storm, USERS};

/// The card.
pub struct Card;

const TIMES: Unit = Unit::new("times", same("×"), 1);
const RATIO: Unit = Unit::new("times", same("×"), 2);
const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);
const RATE: Unit = Unit::new("per_second", same("/s"), 1);
const WAIT: Unit = Unit::new("s", same("s"), 1);
/// Calls a second on each hop below the users, in the series.
const CALLS: [&str; MOST_LAYERS] = ["calls_1", "calls_2", "calls_3", "calls_4"];
/// States of each layer's breaker: 0 closed, 1 open, 2 half-open.
const BREAKERS: [&str; MOST_LAYERS] = ["breaker_1", "breaker_2", "breaker_3", "breaker_4"];
const HOPS: [Text; MOST_LAYERS] = [
    text("Layer 1 and what it calls", "Tầng 1 và nơi nó gọi"),
    text("Layer 2 and what it calls", "Tầng 2 và nơi nó gọi"),
    text("Layer 3 and what it calls", "Tầng 3 và nơi nó gọi"),
    text("Layer 4 and what it calls", "Tầng 4 và nơi nó gọi"),
];

impl Lesson for Card {
    type Knobs = Storm;

    const ABOUT: About = About {
        slug: "retry-storm",
        number: 19,
        theme: Theme::Whole,
        title: text("The retry storm that outlives its cause", "Retry storm sống lâu hơn nguyên nhân"),
        promise: text(
            "The database is down for half a minute, the system for twenty. Find what keeps it down, and what to cut.",
            "Database chết nửa phút, hệ thống chết hai mươi phút. Tìm xem điều gì giữ nó nằm đó, và cắt ở đâu.",
        ),
        lead: text(
            "Three services call one another above one database, and each has the standard retry helper. The database fails over and is back after half a minute. The system is not: it feeds its own overload. Put in one guardrail at a time and see which of them end the outage with its cause.",
            "Ba service gọi lồng nhau phía trên một database, service nào cũng có helper retry chuẩn. Database failover rồi sống lại sau nửa phút. Hệ thống thì không: nó tự nuôi tình trạng quá tải của mình. Hãy lắp từng guardrail một, xem cái nào chấm dứt sự cố cùng lúc với nguyên nhân.",
        ),
        sources: &[(1, "055")],
    };

    words_and_charts!(Storm);

    fn plan(knobs: &Storm) -> Plan {
        let mut plan = Plan::default();
        let group = text("The outage", "Sự cố");
        plan.figure("recovery", group, text("users are served again after", "user được phục vụ lại sau"), SECONDS);
        plan.figure(
            "outlives",
            group,
            text("that is, after the fault’s end", "tức là sau khi nguyên nhân hết"),
            SECONDS,
        );
        plan.figure("users", group, text("requests of users", "số request của user"), USERS);
        plan.figure("good", group, text("answered in time", "trả lời kịp"), USERS);
        plan.figure("failed", group, text("not answered in time", "không được trả lời kịp"), USERS);
        plan.figure(
            "failed_share",
            group,
            text("share not answered in time", "tỉ lệ không được trả lời kịp"),
            units::PERCENT,
        );
        plan.figure("turned_away", group, text("turned away at the closed door", "bị mời về lúc đóng cửa"), USERS);

        let group = text("The load on the DB", "Tải lên DB");
        plan.figure(
            "most_per_user",
            group,
            text("calls to the DB for one request, at most", "số call xuống DB của một request, nhiều nhất"),
            units::CALLS,
        );
        plan.figure("peak", group, text("calls a second, at most", "số call mỗi giây, nhiều nhất"), units::PER_SECOND);
        plan.figure(
            "peak_times",
            group,
            text("that is, against the load in peace", "tức là so với tải lúc bình thường"),
            TIMES,
        );
        plan.figure("calls", group, text("calls to the DB", "số call xuống DB"), units::CALLS);
        plan.figure("refused", group, text("of these, refused", "trong đó bị từ chối"), units::CALLS);
        plan.figure("served", group, text("worked on to the end", "được chạy đến cùng"), units::CALLS);
        plan.figure("wasted", group, text("of these, for nobody", "trong đó không còn ai chờ"), units::CALLS);
        plan.figure(
            "wasted_share",
            group,
            text("share of the DB’s work wasted", "tỉ lệ công việc DB bỏ phí"),
            units::PERCENT,
        );
        plan.figure("dropped", group, text("dropped from its queue", "bị bỏ khỏi hàng đợi"), units::CALLS);
        plan.figure("peak_inside", group, text("inside it, at most", "trong DB nhiều nhất"), units::CALLS);

        let group = text("The callers", "Phía gọi");
        plan.figure("attempts", group, text("calls of all layers", "số call của mọi tầng"), units::CALLS);
        plan.figure("retry_share", group, text("of these, retries", "trong đó là retry"), units::PERCENT);
        plan.figure("denied", group, text("not made: budget or deadline", "bị chặn bởi budget hay deadline"), RETRIES);
        plan.figure(
            "rejected",
            group,
            text("calls not sent: an open breaker", "call không gửi vì breaker mở"),
            units::CALLS,
        );
        plan.figure("most_pods", group, text("pods, at most", "số pod nhiều nhất"), PODS);

        let group = text("The law, calculated", "Định luật, tính ra");
        plan.figure("capacity", group, text("capacity of the DB", "năng lực của DB"), RATE);
        plan.figure(
            "push",
            group,
            text(
                "calls of those who give up before their turn, λ·∏(1 + r)",
                "số call của những ai bỏ cuộc trước lượt, λ·∏(1 + r)",
            ),
            RATE,
        );
        plan.figure("full_wait", group, text("a full queue waits", "hàng đợi đầy phải chờ"), WAIT);
        plan.figure("patience", group, text("the first caller to give up waits", "caller bỏ cuộc sớm nhất chờ"), WAIT);
        plan.figure(
            "backlog",
            group,
            text(
                "calls that want an answer when the fault ends, about",
                "số call đang cần trả lời khi sự cố hết, khoảng",
            ),
            units::CALLS,
        );
        plan.figure(
            "tips",
            group,
            text(
                "calls that make the queue wait as long as that caller",
                "số call đủ làm hàng đợi chờ lâu bằng caller đó",
            ),
            units::CALLS,
        );
        plan.figure(
            "worst",
            group,
            text(
                "most calls that a request can become, ∏(1 + r)",
                "một request thành nhiều nhất bao nhiêu call, ∏(1 + r)",
            ),
            units::CALLS,
        );
        plan.figure(
            "safe_load",
            group,
            text("load that always recovers, capacity ÷ ∏(1 + r)", "tải chắc chắn hồi phục, năng lực ÷ ∏(1 + r)"),
            RATE,
        );

        let layers = knobs.layers as usize;
        let mut columns = vec![("at", SECONDS), ("users", USERS), ("good", USERS)];
        columns.extend(CALLS[..layers].iter().map(|&name| (name, units::CALLS)));
        columns.extend(["retries", "refused", "useful", "wasted", "inside"].map(|name| (name, units::CALLS)));
        columns.push(("pods", PODS));
        columns.extend(BREAKERS[..layers].iter().map(|&name| (name, units::PLAIN)));
        plan.series("seconds", &columns);
        plan.books.push(text("The users and layer 1", "User và tầng 1"));
        plan.books.extend(&HOPS[..layers]);
        plan
    }

    fn cost(knobs: &Storm) -> u64 {
        knobs.cost()
    }

    fn start(knobs: &Storm, seed: u64) -> Box<dyn Run> {
        Box::new(Outage { knobs: knobs.clone(), chain: Chain::new(knobs.chain(), seed), done: false })
    }
}

/// The run.
struct Outage {
    knobs: Storm,
    chain: Chain,
    done: bool,
}

impl Run for Outage {
    fn advance(&mut self, events: u64) -> Progress {
        self.done = self.chain.advance(events);
        let share = self.chain.now().as_us() as f64 / self.knobs.watch.as_us().max(1) as f64;
        Progress { done: self.done, share: if self.done { 1.0 } else { share.min(1.0) } }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let book = self.chain.book();
        let layers = knobs.layers as usize;
        let seconds = &book.seconds[..book.ended_seconds()];
        let sum = |f: &dyn Fn(&Second) -> u32| seconds.iter().map(|s| f64::from(f(s))).sum::<f64>();
        let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        let mut set = |key: &str, value: f64| out.set(&plan, key, value);

        let recovery = book.recovery(recovery::Rule::MINUTE, knobs.fault_from());
        if let Some(second) = recovery.filter(|_| self.done && knobs.fails()) {
            let after = second as f64 - (knobs.fault_at.as_us() / 1_000_000) as f64;
            set("recovery", after);
            set("outlives", (after - knobs.fault_for.as_s()).max(0.0));
        }
        // The users' own ledger, since a run may end within a second.
        let caller = book.hops[0].caller;
        let (users, good) = (caller.attempts as f64, caller.ok as f64);
        set("users", users);
        set("good", good);
        set("failed", users - good);
        set("failed_share", share(users - good, users));
        set("turned_away", caller.rejected as f64);

        let server = book.hops[layers].server;
        let peak = seconds.iter().map(|s| s.attempts[layers]).max().unwrap_or(0);
        set("most_per_user", f64::from(book.most_per_user));
        set("peak", f64::from(peak));
        set("peak_times", f64::from(peak) / knobs.load as f64);
        set("calls", server.arrivals as f64);
        set("refused", server.refused as f64);
        let (wasted, served) = (server.wasted as f64, (server.useful + server.wasted) as f64);
        set("served", served);
        set("wasted", wasted);
        set("wasted_share", share(wasted, served));
        set("dropped", server.dropped_expired as f64);
        set("peak_inside", f64::from(book.peak_inside));

        let attempts: u64 = book.hops[1..].iter().map(|h| h.caller.attempts - h.caller.rejected).sum();
        let retries = |s: &Second| s.retries[1..=layers].iter().sum::<u32>();
        let sent = |s: &Second| s.attempts[1..=layers].iter().sum::<u32>();
        set("attempts", attempts as f64);
        set("retry_share", share(sum(&retries), sum(&sent)));
        set("denied", book.denied as f64);
        let rejected: u64 = book.hops[1..].iter().map(|h| h.caller.rejected).sum();
        set("rejected", rejected as f64);
        set("most_pods", seconds.iter().map(|s| f64::from(s.pods)).fold(knobs.pods as f64, f64::max));

        set("capacity", knobs.capacity());
        set("push", knobs.push());
        set("full_wait", knobs.full_wait());
        set("patience", knobs.patience());
        set("backlog", knobs.backlog().round());
        set("tips", (knobs.capacity() * knobs.patience()).round());
        set("worst", knobs.worst() as f64);
        set("safe_load", knobs.capacity() / knobs.worst() as f64);

        let row = |(i, s): (usize, &Second)| {
            let mut row = vec![i as f64, s.users.into(), s.good.into()];
            row.extend(s.attempts[1..=layers].iter().map(|&n| f64::from(n)));
            row.extend([retries(s), s.refused, s.useful, s.wasted, s.inside, s.pods].map(f64::from));
            row.extend((0..layers).map(|k| f64::from(s.breaker(k))));
            row
        };
        out.fill(&plan, "seconds", seconds.iter().enumerate().flat_map(row).collect());
        let of_users = Book { offered: caller.attempts, good: caller.ok, ..Book::default() };
        out.books = book.hops.iter().map(|h| Book { caller: h.caller, server: h.server, ..of_users }).collect();
        out
    }
}
