//! Card 3, `jitter`: article 1, card 018.
//!
//! A herd of clients fails at the same instant and comes back by the same rule. How much of the wave survives depends
//! on where the random part of the wait falls, and, more than the article lets on, on what a full server does with a
//! retry that comes back at once.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `herd.rs` | one strategy's run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod herd;
mod knobs;
mod words;

use overload_chart::{Lang, Text, Unit, text, units};
use overload_sim::backoff::Strategy;
use overload_sim::record::percentile;
use overload_sim::time::Time;

use crate::card::{About, Lesson, Progress, Run, Theme, Truth, in_turn, words_and_charts};
use crate::outcome::{Outcome, Plan};
use crate::say::lowered;
use herd::Herd;
use knobs::{Jitter, Server};
pub(crate) use knobs::{formula, opt};

/// The card.
pub struct Card;

/// Keys of the figures that every strategy has; in the outcome they follow the strategy's key: `full_total_calls`.
/// The first row has them under their plain names too.
mod figure {
    pub const TOTAL_CALLS: &str = "total_calls";
    pub const RETRY_PEAK: &str = "retry_peak";
    pub const GAVE_UP: &str = "gave_up";
    pub const ALL_DONE: &str = "all_done";
    pub const ANSWERED: &str = "answered";
    pub const MEDIAN_DONE: &str = "median_done";
    pub const P99_DONE: &str = "p99_done";
    pub const WASTED: &str = "wasted";
    /// How many fewer calls than the first row; negative where there are more.
    pub const SAVED: &str = "saved";
}

/// The key of a strategy's figure.
fn key(strategy: Strategy, figure: &str) -> String {
    format!("{}_{figure}", opt(strategy).key)
}

/// Seconds as the article prints them: to a tenth, half up.
fn tenths(at: Time) -> f64 {
    ((at.as_us() + 50_000) / 100_000) as f64 / 10.0
}

impl Lesson for Card {
    type Knobs = Jitter;

    const ABOUT: About = About {
        slug: "jitter",
        number: 3,
        theme: Theme::AskingAgain,
        title: text("Jitter: the same waits make the same wave", "Jitter: chờ giống nhau thì sóng dội cùng lúc"),
        promise: text(
            "A herd fails together. See which kind of jitter breaks the wave, and what it costs.",
            "Một đàn client lỗi cùng lúc. Xem kiểu jitter nào phá được đợt sóng, và phải trả giá gì.",
        ),
        lead: text(
            "A herd of clients fails at the same instant and backs off by the same rule. Backoff alone moves the wave later; only randomness breaks it up. How much depends on where the random part falls, and on what the server does with those who come back at once.",
            "Một đàn client lỗi cùng một lúc và backoff theo cùng một công thức. Chỉ có backoff thì đợt sóng chỉ dời ra sau; phải có ngẫu nhiên mới phá được nó. Phá được bao nhiêu còn tuỳ phần ngẫu nhiên rơi vào đâu, và server làm gì với những client quay lại ngay.",
        ),
        sources: &[(1, "018")],
    };

    words_and_charts!(Jitter);

    fn plan(knobs: &Jitter) -> Plan {
        let mut plan = Plan::default();
        let peak = match knobs.server {
            Server::Rounds => text("retry peak in a round", "đỉnh retry trong một vòng"),
            Server::Strict | Server::Queue => text("retry peak in a slot", "đỉnh retry trong một slot"),
        };
        let mut strategy = |prefix: &str, group: Text| {
            let mut add = |name, label, unit| plan.figure(format!("{prefix}{name}"), group, label, unit);
            add(figure::TOTAL_CALLS, text("total calls", "tổng số call"), units::CALLS);
            add(figure::RETRY_PEAK, peak, units::CALLS);
            add(figure::GAVE_UP, text("gave up", "bỏ cuộc"), units::CLIENTS);
            add(figure::ALL_DONE, text("last client done", "client cuối xong lúc"), units::S);
            add(figure::ANSWERED, text("answered", "được phục vụ"), units::CLIENTS);
            add(
                figure::MEDIAN_DONE,
                text("median time to answer", "trung vị thời gian đến khi được phục vụ"),
                units::MS,
            );
            add(figure::P99_DONE, text("p99 time to answer", "p99 thời gian đến khi được phục vụ"), units::MS);
            add(
                figure::WASTED,
                text("wasted work: answers nobody waited for", "việc phí công: câu trả lời không còn ai chờ"),
                units::CALLS,
            );
            add(figure::SAVED, text("fewer calls than the first row", "ít call hơn hàng thứ nhất"), units::PERCENT);
        };
        let first = knobs.rows[0];
        strategy("", opt(first).label);
        for one in knobs.distinct() {
            strategy(&format!("{}_", opt(one).key), opt(one).label);
        }
        const SLOTS: Unit = Unit::counted("slot", text("slots", "slot"), "slot", 0);
        for one in knobs.distinct() {
            let name = opt(one).key;
            let calls = ["answered", "refused", "timed_out", "retries"].map(|column| (column, units::CALLS));
            let columns = [&[("slot", SLOTS), ("round", units::PLAIN)][..], &calls[..]].concat();
            plan.series(format!("{name}_batches"), &columns);
            plan.series(format!("{name}_done"), &[("at", units::MS), ("clients", units::CLIENTS)]);
            plan.books.push(opt(one).label);
        }
        plan
    }

    fn cost(knobs: &Jitter) -> u64 {
        // A herd that fits is served in one go; otherwise about log₂ of the excess in calls a client, up to its attempts.
        let excess = knobs.clients.div_ceil(knobs.capacity);
        let calls = (excess + 1).min(knobs.attempts);
        let events = if knobs.server == Server::Queue { 3 } else { 1 };
        knobs.clients * calls * events * knobs.distinct().len() as u64
    }

    fn start(knobs: &Jitter, seed: u64) -> Box<dyn Run> {
        let herds = knobs.distinct().into_iter().map(|s| (s, Herd::new(knobs, knobs.backoff(s), seed))).collect();
        Box::new(Herds { knobs: knobs.clone(), herds, at: 0 })
    }
}

/// The run: one herd a strategy, one after the other.
struct Herds {
    knobs: Jitter,
    herds: Vec<(Strategy, Herd)>,
    at: usize,
}

impl Run for Herds {
    fn advance(&mut self, events: u64) -> Progress {
        let server = self.knobs.server;
        in_turn(&mut self.herds, &mut self.at, events, |(_, herd), events| {
            let left = herd.advance(events);
            if left > 0 {
                herd.close(server);
            }
            left
        });
        Progress { done: self.at == self.herds.len(), share: self.at as f64 / self.herds.len().max(1) as f64 }
    }

    fn outcome(&self) -> Outcome {
        let plan = Card::plan(&self.knobs);
        let mut out = Outcome::new(&plan);
        let first_calls = self.herds.first().map_or(0, |(_, herd)| herd.seen.calls);
        for (i, (strategy, herd)) in self.herds.iter().enumerate() {
            let seen = &herd.seen;
            let done = |q| percentile(&seen.answered_at, q);
            let values = [
                (figure::TOTAL_CALLS, Some(seen.calls as f64)),
                (figure::RETRY_PEAK, Some(seen.retry_peak as f64)),
                (figure::GAVE_UP, Some(seen.gave_up as f64)),
                (figure::ALL_DONE, done(1.0).map(tenths)),
                (figure::ANSWERED, Some(seen.answered_at.len() as f64)),
                (figure::MEDIAN_DONE, done(0.5).map(Time::as_ms)),
                (figure::P99_DONE, done(0.99).map(Time::as_ms)),
                (figure::WASTED, Some(seen.book.server.wasted as f64)),
                (figure::SAVED, Some(100.0 * (1.0 - seen.calls as f64 / first_calls.max(1) as f64))),
            ];
            for (name, value) in values {
                if let Some(value) = value {
                    out.set(&plan, &key(*strategy, name), value);
                    // The first row has its figures under their plain names too.
                    if i == 0 {
                        out.set(&plan, name, value);
                    }
                }
            }
            let batches = seen.batches.iter().flat_map(|b| {
                [b.slot, u64::from(b.round), b.answered, b.refused, b.timed_out, b.retries].map(|n| n as f64)
            });
            out.fill(&plan, &key(*strategy, "batches"), batches.collect());
            out.fill(&plan, &key(*strategy, "done"), done_curve(&seen.answered_at));
            out.books.push(seen.book);
        }
        out
    }
}

/// When how many clients were done: time in ms and count, at most about 250 points.
fn done_curve(answered_at: &[Time]) -> Vec<f64> {
    let every = answered_at.len().div_ceil(250).max(1);
    let last = answered_at.len().saturating_sub(1);
    let kept = answered_at.iter().enumerate().filter(|(i, _)| i % every == every - 1 || *i == last);
    kept.flat_map(|(i, at)| [at.as_ms(), (i + 1) as f64]).collect()
}

/// Whether the herd fits into one slot.
fn truth(knobs: &Jitter) -> Truth {
    match knobs.clients.cmp(&knobs.capacity) {
        core::cmp::Ordering::Less => Truth::Ok,
        core::cmp::Ordering::Equal => Truth::Edge,
        core::cmp::Ordering::Greater => Truth::Bad,
    }
}

/// A strategy's name as it stands within a sentence.
fn within(strategy: Strategy, lang: Lang) -> String {
    let name = opt(strategy).label.get(lang);
    // Names of libraries keep their capitals.
    if matches!(strategy, Strategy::Library(_)) {
        return name.to_string();
    }
    lowered(name)
}
