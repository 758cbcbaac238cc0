//! Card 2, `retry-budget`: article 1, card 036 and its follow-up.
//!
//! A dependency fails, and every caller would like to retry. A budget ties retries to the calls that bring it tokens. Its
//! promise is a ratio, but what reaches the dependency is the ratio plus whatever each process had in hand; and which
//! retries it lets through depends on what the library counts.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `fleet.rs` | one kind's run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod fleet;
mod knobs;
mod words;

use overload_chart::{Lang, Text, Unit, same, text, units};
use overload_sim::budget::bucket::saturated_over_pods;

use crate::card::{About, Lesson, Progress, Run, Seen, Theme, Truth, in_turn, words_and_charts};
use crate::outcome::{Outcome, Plan};
use crate::say::lowered;
use fleet::Fleet;
use knobs::{Kind, RetryBudget};

/// The card.
pub struct Card;

/// Keys of the figures that every kind has; in the outcome they follow the kind's key: `bucket_total_calls`.
/// The first row has them under their plain names too.
mod figure {
    pub const TOTAL_CALLS: &str = "total_calls";
    pub const AMPLIFICATION: &str = "amplification";
    pub const RETRIES: &str = "retries";
    /// Retries per user, in percent.
    pub const RETRY_RATIO: &str = "retry_ratio";
    pub const REFUSED: &str = "refused_retries";
    pub const ANSWERED: &str = "answered";
    pub const UNANSWERED: &str = "unanswered";
    /// Calls that adaptive throttling refused before they were sent.
    pub const THROTTLED: &str = "throttled";
    /// Calls per second in the busiest bin.
    pub const PEAK: &str = "peak_rate";
    /// The same against the users per second.
    pub const PEAK_LOAD: &str = "peak_load";
    /// Retries that all budgets would grant in a row.
    pub const IN_HAND: &str = "in_hand";
    pub const IN_HAND_LEAST: &str = "in_hand_least";
}

/// Figures that belong to the setting, not to a kind.
mod setting {
    /// Calls that the ratio promises at most: users × (1 + ratio).
    pub const PROMISE: &str = "promise";
    /// Calls per second while nothing fails.
    pub const HEALTHY_RATE: &str = "healthy_rate";
    /// Users of one pod, rounded down.
    pub const USERS_PER_POD: &str = "users_per_pod";
    /// Tokens of all full buckets.
    pub const STARTING_TOKENS: &str = "starting_tokens";
    /// The closed form of the bucket where every call fails.
    pub const CLOSED_FORM: &str = "closed_form";
    /// What a failing request costs without any budget: 1 + retries.
    pub const WORST: &str = "worst_amplification";
}

/// The key of a kind's figure.
fn key(kind: Kind, figure: &str) -> String {
    format!("{}_{figure}", kind.opt().key)
}

const USERS: Unit = Unit::counted("users", text("users", "user"), "user", 0);
const PER_USER: Unit = Unit::counted("calls_per_user", text("calls per user", "call mỗi user"), "call per user", 2);
const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);
const PERCENT: Unit = Unit::new("percent", same("%"), 1);
const TIMES: Unit = Unit::new("times", same("×"), 2);
const TOKENS: Unit = Unit::counted("tokens", text("tokens", "token"), "token", 0);

impl Lesson for Card {
    type Knobs = RetryBudget;

    const ABOUT: About = About {
        slug: "retry-budget",
        number: 2,
        theme: Theme::AskingAgain,
        title: text("Retry budget: retries are paid for, not free", "Retry budget: muốn retry phải trả bằng token"),
        promise: text(
            "Everything fails and everybody retries. See how a budget caps that, and what each library really counts.",
            "Mọi call đều lỗi và ai cũng muốn retry. Xem budget chặn lại ra sao, và mỗi thư viện thật ra đếm cái gì.",
        ),
        lead: text(
            "Retries help against a fault that passes. When the dependency itself is down, they are extra load on something already on its knees. A retry budget ties them to the calls that were asked for: each original call earns a fraction of a retry, and when the purse is empty, nobody retries.",
            "Retry giúp vượt qua lỗi thoáng qua. Khi chính dependency đã chết, retry chỉ là tải thêm lên một chỗ đang quỵ. Retry budget buộc số retry vào số call gốc: mỗi call gốc nạp được một phần của một retry, hết tiền thì không ai được retry nữa.",
        ),
        sources: &[(1, "036 follow-up")],
    };

    words_and_charts!(RetryBudget);

    fn plan(knobs: &RetryBudget) -> Plan {
        let mut plan = Plan::default();
        let mut kind = |prefix: &str, group: Text| {
            let mut add = |name, label, unit| plan.figure(format!("{prefix}{name}"), group, label, unit);
            add(figure::TOTAL_CALLS, text("total calls", "tổng số call"), units::CALLS);
            add(figure::AMPLIFICATION, text("amplification", "hệ số nhân"), PER_USER);
            add(figure::RETRIES, text("retries", "số retry"), RETRIES);
            add(figure::RETRY_RATIO, text("retries per user", "retry trên mỗi user"), PERCENT);
            add(figure::REFUSED, text("retries refused", "retry bị từ chối"), RETRIES);
            add(figure::ANSWERED, text("answered", "được phục vụ"), USERS);
            add(figure::UNANSWERED, text("left without an answer", "không được phục vụ"), USERS);
            add(
                figure::THROTTLED,
                text("calls refused by their own client", "call bị chính client từ chối"),
                units::CALLS,
            );
            add(figure::PEAK, text("busiest moment", "lúc đông nhất"), units::PER_SECOND);
            add(
                figure::PEAK_LOAD,
                text("busiest moment against healthy load", "lúc đông nhất so với tải lúc khoẻ"),
                TIMES,
            );
            add(figure::IN_HAND, text("retries in hand at the start", "retry có sẵn lúc đầu"), RETRIES);
            add(figure::IN_HAND_LEAST, text("fewest retries in hand", "retry có sẵn lúc thấp nhất"), RETRIES);
        };
        kind("", knobs.rows[0].opt().label);
        for one in knobs.distinct() {
            kind(&format!("{}_", one.opt().key), one.opt().label);
        }
        const SETTING: Text = text("The setting", "Bối cảnh");
        let mut add = |name, label, unit| plan.figure(name, SETTING, label, unit);
        add(
            setting::PROMISE,
            text("calls that the ratio promises at most", "số call tối đa theo tỉ lệ đã hứa"),
            units::CALLS,
        );
        add(setting::HEALTHY_RATE, text("healthy load", "tải lúc khoẻ"), units::PER_SECOND);
        add(
            setting::WORST,
            text("a failing request without a budget", "một request lỗi khi không có budget"),
            PER_USER,
        );
        add(setting::USERS_PER_POD, text("users per pod", "user mỗi pod"), USERS);
        add(setting::STARTING_TOKENS, text("tokens at the start, all pods", "token lúc đầu, mọi pod"), TOKENS);
        add(
            setting::CLOSED_FORM,
            text("closed form, if every call fails", "công thức, nếu mọi call đều lỗi"),
            units::CALLS,
        );
        const S: Unit = Unit::new("s", same("s"), 2);
        for one in knobs.distinct() {
            let name = one.opt().key;
            let columns = [
                ("at", S),
                ("users", USERS),
                ("first_calls", units::CALLS),
                ("retries", RETRIES),
                ("refused", RETRIES),
            ];
            plan.series(format!("{name}_bins"), &columns);
            plan.series(format!("{name}_budget"), &[("at", S), ("retries", RETRIES)]);
            plan.books.push(one.opt().label);
        }
        plan.series("by_pods", &[("pods", units::PLAIN), ("amplification", PER_USER)]);
        plan
    }

    fn cost(knobs: &RetryBudget) -> u64 {
        // A user's coming, the end of each call that takes time, and a retry; with no budget all of them.
        let ends = u64::from(knobs.failure_takes.as_us() > 0);
        let retries = if knobs.rows.contains(&Kind::Off) { knobs.retries } else { 1 };
        let failing = 1 + retries * knobs.failure / 1_000;
        knobs.users * (1 + failing * (1 + ends) / 2) * knobs.distinct().len() as u64
    }

    fn start(knobs: &RetryBudget, seed: u64) -> Box<dyn Run> {
        let fleets = knobs.distinct().into_iter().map(|kind| (kind, Fleet::new(knobs, kind, seed))).collect();
        Box::new(Fleets { knobs: knobs.clone(), fleets, at: 0 })
    }
}

/// The run: one fleet a kind, one after the other.
struct Fleets {
    knobs: RetryBudget,
    fleets: Vec<(Kind, Fleet)>,
    at: usize,
}

impl Run for Fleets {
    fn advance(&mut self, events: u64) -> Progress {
        in_turn(&mut self.fleets, &mut self.at, events, |(_, fleet), events| {
            let left = fleet.advance(events);
            if left > 0 {
                fleet.close();
            }
            left
        });
        Progress { done: self.at == self.fleets.len(), share: self.at as f64 / self.fleets.len().max(1) as f64 }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let users = knobs.users as f64;
        let healthy = knobs.healthy_rate();
        for (i, (kind, fleet)) in self.fleets.iter().enumerate() {
            let seen = &fleet.seen;
            let per_s = 1.0 / seen.width.as_s();
            let busiest = seen.bins.iter().map(|bin| bin.first + bin.retries).max().unwrap_or(0) as f64;
            let values = [
                (figure::TOTAL_CALLS, Some(seen.calls as f64)),
                (figure::AMPLIFICATION, Some(seen.calls as f64 / users)),
                (figure::RETRIES, Some(seen.retries as f64)),
                (figure::RETRY_RATIO, Some(100.0 * seen.retries as f64 / users)),
                (figure::REFUSED, Some(seen.refused as f64)),
                (figure::ANSWERED, Some(seen.answered as f64)),
                (figure::UNANSWERED, Some((knobs.users - seen.answered) as f64)),
                (figure::THROTTLED, Some(seen.throttled as f64)),
                (figure::PEAK, Some(busiest * per_s)),
                (figure::PEAK_LOAD, healthy.map(|healthy| busiest * per_s / healthy)),
                (figure::IN_HAND, seen.in_hand.first().map(|&n| n as f64)),
                (figure::IN_HAND_LEAST, seen.in_hand.iter().min().map(|&n| n as f64)),
            ];
            for (name, value) in values {
                if let Some(value) = value {
                    out.set(&plan, &key(*kind, name), value);
                    // The first row has its figures under their plain names too.
                    if i == 0 {
                        out.set(&plan, name, value);
                    }
                }
            }
            let at = |bin: usize| (seen.width * bin as u64).as_s();
            let bins = seen.bins.iter().enumerate();
            let bins = bins.flat_map(|(n, b)| {
                let counts = [b.users, b.first, b.retries, b.refused].map(|n| n as f64);
                [&[at(n)][..], &counts[..]].concat()
            });
            out.fill(&plan, &key(*kind, "bins"), bins.collect());
            let in_hand = seen.in_hand.iter().enumerate().flat_map(|(n, &retries)| [at(n), retries as f64]);
            out.fill(&plan, &key(*kind, "budget"), in_hand.collect());
            out.books.push(seen.book);
        }
        out.set(&plan, setting::PROMISE, (knobs.users + knobs.share().of(knobs.users)) as f64);
        if let Some(healthy) = healthy {
            out.set(&plan, setting::HEALTHY_RATE, healthy);
        }
        out.set(&plan, setting::WORST, (1 + knobs.retries) as f64);
        out.set(&plan, setting::USERS_PER_POD, (knobs.users / knobs.pods) as f64);
        out.set(&plan, setting::STARTING_TOKENS, (knobs.pods.min(knobs.users) * knobs.bucket) as f64);
        out.set(&plan, setting::CLOSED_FORM, closed_form(knobs, knobs.pods) as f64);
        let points = pods_shown(knobs).into_iter();
        out.fill(
            &plan,
            "by_pods",
            points.flat_map(|pods| [pods as f64, closed_form(knobs, pods) as f64 / users]).collect(),
        );
        out
    }
}

/// Calls over so many pods with the article's bucket, where every call fails.
fn closed_form(knobs: &RetryBudget, pods: u64) -> u64 {
    saturated_over_pods(knobs.users, pods, knobs.retries, knobs.share(), knobs.bucket)
}

/// The numbers of pods that the chart over pods has points for: ascending, the present one among them.
fn pods_shown(knobs: &RetryBudget) -> Vec<u64> {
    const STEPS: [u64; 7] = [10, 12, 15, 20, 30, 50, 70];
    let mut pods: Vec<u64> = (0..3u32).flat_map(|decade| STEPS.map(|step| step * 10u64.pow(decade) / 10)).collect();
    pods.extend([1_000, knobs.pods]);
    pods.sort_unstable();
    pods.dedup();
    pods
}

/// How the calls of the first row stand against what the ratio promises. The edge: beyond it by less than the ratio
/// itself, or within it in total but not at the busiest moment (with the ratio once more as slack: bins are short).
fn truth(seen: &Seen<RetryBudget>) -> Truth {
    let calls = seen.number(figure::TOTAL_CALLS);
    let promise = seen.number(setting::PROMISE);
    let users = seen.knobs.users as f64;
    let slack = 1.0 + 2.0 * seen.knobs.ratio as f64 / 1e3;
    // A handful of retries makes no burst, however short the bin that they fall into.
    let bursts = seen.get(figure::PEAK_LOAD) > Some(slack) && seen.get(figure::RETRIES) >= Some(20.0);
    if calls <= promise {
        if bursts { Truth::Edge } else { Truth::Ok }
    } else if calls <= promise + (promise - users) {
        Truth::Edge
    } else {
        Truth::Bad
    }
}

/// A kind's name as it stands within a sentence.
fn within(kind: Kind, lang: Lang) -> String {
    let name = kind.opt().label.get(lang);
    match kind {
        Kind::Bucket | Kind::Doubles | Kind::Off => lowered(name),
        // Names of libraries keep their capitals.
        _ => name.to_string(),
    }
}
