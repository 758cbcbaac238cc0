//! Card 9, `shed-in-flight`: article 1, card 053.
//!
//! Three times the load that a server can carry, with callers who wait a second. Without a limit everybody queues, the
//! wait outgrows the callers' patience, and from then on the server works for people who have left. A limit on the
//! calls in flight refuses most of them at once and serves the rest in time.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, and the load that they stand for |
//! | `system.rs` | one system: callers, door, slots |
//! | `curves.rs` | many short runs: against the limit, against the load |
//! | `formulas.rs` | what can be calculated without a run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod curves;
mod draw;
mod formulas;
pub mod knobs;
pub mod system;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, in_turn, words_and_charts};
use crate::outcome::{Outcome, Plan};
use curves::Curves;
use knobs::{REQUESTS, Shed};
use system::{System, Tally, Trace};

/// The card.
pub struct Card;

/// Keys of the figures that each system has. The system of the knobs has them under their plain names, the one without
/// a limit after `none_`.
mod figure {
    pub const OK: &str = "ok";
    pub const SHED: &str = "shed";
    pub const TIMEOUT: &str = "timeout";
    pub const LATE: &str = "late";
    pub const OK_SHARE: &str = "ok_share";
    pub const SHED_SHARE: &str = "shed_share";
    pub const TIMEOUT_SHARE: &str = "timeout_share";
    pub const P50_OK: &str = "p50_ok";
    pub const P99_OK: &str = "p99_ok";
    pub const ATTEMPTS: &str = "attempts";
    pub const RETRIES: &str = "retries";
    pub const UNPAID: &str = "retries_refused";
    pub const REFUSED: &str = "refused";
    pub const WASTED: &str = "wasted";
    pub const WASTED_SHARE: &str = "wasted_share";
    pub const DROPPED: &str = "dropped";
    pub const PEAK: &str = "peak_in_flight";
    pub const ANSWERED_UNTIL: &str = "answered_until";
    pub const DRAINED: &str = "drained";
}

/// One of the two systems that a run compares, on the same draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// With the limit of the knobs.
    Limited,
    /// Without a limit.
    Open,
}

impl Side {
    /// The systems of these knobs: the knobs' own first.
    fn of(knobs: &Shed) -> &'static [Side] {
        if knobs.limit > 0 { &[Side::Limited, Side::Open] } else { &[Side::Open] }
    }

    /// The key of one of its figures.
    fn key(self, figure: &str) -> String {
        match self {
            Side::Limited => figure.into(),
            Side::Open => format!("none_{figure}"),
        }
    }

    /// The key of one of its series.
    fn series(self, name: &str) -> String {
        match self {
            Side::Limited => format!("limit_{name}"),
            Side::Open => format!("none_{name}"),
        }
    }

    const fn name(self) -> Text {
        match self {
            Side::Limited => text("With the limit", "Có giới hạn"),
            Side::Open => text("Without a limit", "Không giới hạn"),
        }
    }
}

const TIMES: Unit = Unit::new("times", same("×"), 1);

impl Lesson for Card {
    type Knobs = Shed;

    const ABOUT: About = About {
        slug: "shed-in-flight",
        number: 9,
        theme: Theme::SayingNo,
        title: text("Load shedding: refuse some, or fail all", "Load shedding: từ chối bớt, hay hỏng tất cả"),
        promise: text(
            "Three times the load a server can carry. Watch goodput collapse, then set one limit.",
            "Tải gấp ba sức server. Xem goodput sụp đổ, rồi đặt một giới hạn.",
        ),
        lead: text(
            "More requests arrive than the slots can serve. If all of them may wait, the line soon takes longer than callers are willing to wait, and the server spends itself on answers nobody reads. One comparison at the door, calls in flight against a limit, turns that around.",
            "Request đến nhiều hơn mức các slot xử lý kịp. Nếu ai cũng được xếp hàng, chẳng mấy chốc hàng đợi dài hơn thời gian client chịu chờ, và server dốc sức làm những câu trả lời không ai đọc. Chỉ một phép so sánh ở cửa, số call đang in-flight với một giới hạn, là đủ lật ngược tình thế.",
        ),
        sources: &[(1, "053")],
    };

    words_and_charts!(Shed);

    fn plan(knobs: &Shed) -> Plan {
        let mut plan = Plan::default();
        let mut system = |prefix: &str, group: Text| {
            let mut add = |name, label, unit| plan.figure(format!("{prefix}{name}"), group, label, unit);
            add(figure::OK, text("answered in time", "trả lời kịp"), REQUESTS);
            add(figure::SHED, text("refused with 503", "bị từ chối 503"), REQUESTS);
            add(figure::TIMEOUT, text("timed out", "timeout"), REQUESTS);
            add(figure::LATE, text("answered after the deadline", "trả lời sau deadline"), REQUESTS);
            add(figure::OK_SHARE, text("share answered in time", "tỉ lệ trả lời kịp"), units::PERCENT);
            add(figure::SHED_SHARE, text("share refused", "tỉ lệ bị từ chối"), units::PERCENT);
            add(figure::TIMEOUT_SHARE, text("share timed out", "tỉ lệ timeout"), units::PERCENT);
            add(figure::P50_OK, text("p50 of the answered", "p50 của request được trả lời"), units::MS);
            add(figure::P99_OK, text("p99 of the answered", "p99 của request được trả lời"), units::MS);
            add(figure::ATTEMPTS, text("calls made", "số call đã gọi"), units::CALLS);
            add(figure::RETRIES, text("of these, retries", "trong đó là retry"), units::CALLS);
            if knobs.retries && knobs.budget {
                add(figure::UNPAID, text("retries that the budget refused", "retry bị budget từ chối"), units::CALLS);
            }
            add(figure::REFUSED, text("calls refused with 503", "call bị trả 503"), units::CALLS);
            add(figure::WASTED, text("served for callers who had left", "làm xong cho client đã rời đi"), units::CALLS);
            add(figure::WASTED_SHARE, text("share of the work wasted", "tỉ lệ công việc bỏ phí"), units::PERCENT);
            add(figure::DROPPED, text("dropped, their callers had left", "bị bỏ vì client đã rời đi"), units::CALLS);
            add(figure::PEAK, text("most calls in flight", "in-flight nhiều nhất"), units::CALLS);
            add(
                figure::ANSWERED_UNTIL,
                text("the last request answered in time came at", "request cuối được trả lời kịp đến lúc"),
                units::S2,
            );
            add(figure::DRAINED, text("server done", "server xong việc lúc"), units::S2);
        };
        let own = if knobs.limit > 0 { Side::Limited } else { Side::Open };
        system("", own.name());
        system("none_", Side::Open.name());

        let group = text("Load and capacity", "Tải và năng lực");
        plan.figure("offered", group, text("requests offered", "số request đến"), REQUESTS);
        plan.figure("offered_rate", group, text("offered", "tải đến"), units::PER_SECOND);
        plan.figure("capacity", group, text("capacity", "năng lực"), units::PER_SECOND);
        plan.figure("load", group, text("offered against capacity", "tải đến so với năng lực"), units::PERCENT);
        plan.figure(
            "gain",
            group,
            text("answered, with the limit against without", "số được trả lời, có giới hạn so với không"),
            TIMES,
        );
        plan.figure(
            "edge_limit",
            group,
            text(
                "the greatest limit that timeout and capacity allow",
                "giới hạn lớn nhất mà timeout và năng lực cho phép",
            ),
            units::CALLS,
        );
        plan.figure(
            "best_limit",
            group,
            text("the best limit of those tried", "giới hạn tốt nhất trong các mức đã thử"),
            units::CALLS,
        );
        plan.figure(
            "best_ok",
            group,
            text("answered with that, in its short run", "số được trả lời với mức đó, trong lần chạy ngắn của nó"),
            REQUESTS,
        );

        let group = text("Calculated, not run", "Tính bằng công thức, không chạy");
        plan.figure(
            "fluid_ok",
            group,
            text("fluid: answered with the limit, μT + K", "mô hình dòng chảy: trả lời kịp khi có giới hạn, μT + K"),
            REQUESTS,
        );
        plan.figure(
            "exact_ok",
            group,
            text("exact for even arrivals, K + c·⌊(T − 1/λ)/s⌋", "chính xác khi request đến đều, K + c·⌊(T − 1/λ)/s⌋"),
            REQUESTS,
        );
        plan.figure(
            "fluid_wait",
            group,
            text(
                "fluid: time of the answered with the limit, K/μ",
                "mô hình dòng chảy: thời gian trả lời khi có giới hạn, K/μ",
            ),
            units::MS,
        );
        plan.figure(
            "none_fluid_ok",
            group,
            text(
                "fluid: answered without, λ(d − s)/(λ/μ − 1)",
                "mô hình dòng chảy: trả lời kịp khi không giới hạn, λ(d − s)/(λ/μ − 1)",
            ),
            REQUESTS,
        );
        plan.figure(
            "none_fluid_p50",
            group,
            text("fluid: p50 without, s + (d − s)/2", "mô hình dòng chảy: p50 khi không giới hạn, s + (d − s)/2"),
            units::MS,
        );

        for side in Side::of(knobs) {
            let count = |name| (name, REQUESTS);
            plan.series(
                side.series("requests"),
                &[
                    ("at", units::MS),
                    count("ok"),
                    count("late"),
                    count("shed"),
                    count("timeout"),
                    ("attempts", units::CALLS),
                ],
            );
            plan.series(side.series("time"), &[("at", units::MS), ("mean", units::MS)]);
            plan.series(side.series("inside"), &[("at", units::MS), ("waiting", units::CALLS), ("left", units::CALLS)]);
            plan.books.push(side.name());
        }
        plan.series("by_limit", &[("limit", units::CALLS), ("ok", REQUESTS)]);
        plan.series("by_load", &[("offered", units::PER_SECOND), ("ok", REQUESTS), ("none_ok", REQUESTS)]);
        plan
    }

    fn cost(knobs: &Shed) -> u64 {
        let requests = u64::from(knobs.load(0).requests);
        // Without a limit a request comes and is served; with one, most that come cost next to nothing.
        let main: u64 = Side::of(knobs).iter().map(|s| if *s == Side::Open { 2 } else { 1 } * requests).sum();
        knobs.calls(main) + curves::cost(knobs)
    }

    fn start(knobs: &Shed, seed: u64) -> Box<dyn Run> {
        let system = |side: &Side| {
            let limit = if *side == Side::Limited { knobs.limit } else { 0 };
            System::new(knobs.load(limit), seed, Some(Trace::new(knobs.duration, bin_width(knobs.duration))))
        };
        let systems = Side::of(knobs).iter().map(system).collect();
        Box::new(Systems { knobs: knobs.clone(), systems, at: 0, curves: Curves::new(knobs, seed) })
    }
}

/// The width of the bins over time: round, about sixty of them.
pub fn bin_width(duration: Span) -> Span {
    let least = duration.as_us() / 75;
    let mut decade = 1;
    while decade * 10 <= least {
        decade *= 10;
    }
    let width = [decade, 2 * decade, 5 * decade].into_iter().find(|&w| w >= least);
    Span::us(width.unwrap_or(10 * decade))
}

/// The run: with the limit and without, then the curves.
struct Systems {
    knobs: Shed,
    systems: Vec<System>,
    at: usize,
    curves: Curves,
}

impl Run for Systems {
    fn advance(&mut self, events: u64) -> Progress {
        let left = in_turn(&mut self.systems, &mut self.at, events, System::advance);
        if left > 0 {
            self.curves.advance(left);
        }
        let (done, all) = self.curves.progress();
        let (done, all) = (self.at + done, self.systems.len() + all);
        Progress { done: done == all, share: done as f64 / all as f64 }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let set = |out: &mut Outcome, key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        for (side, system) in Side::of(knobs).iter().zip(&self.systems) {
            let own = figures(&system.tally).into_iter();
            // Only where there is a budget has the plan a place for what it refused.
            let unpaid = (knobs.retries && knobs.budget).then_some((figure::UNPAID, Some(system.tally.unpaid as f64)));
            for (name, value) in own.chain(unpaid) {
                set(&mut out, &side.key(name), value);
                // Without a limit both names mean the same system.
                if knobs.limit == 0 {
                    set(&mut out, name, value);
                }
            }
            out.books.push(system.tally.book);
        }
        let ok = |i: usize| self.systems.get(i).map(|s| s.tally.book.good as f64);
        let gain = ok(0).zip(ok(self.systems.len() - 1)).filter(|&(_, none)| none > 0.0).map(|(ok, none)| ok / none);
        set(&mut out, "offered", Some(f64::from(knobs.load(0).requests)));
        let (offered, capacity) = (knobs.offered().as_per_s(), knobs.capacity().as_per_s());
        set(&mut out, "offered_rate", Some(offered));
        set(&mut out, "capacity", Some(capacity));
        set(&mut out, "load", Some(100.0 * offered / capacity));
        set(&mut out, "gain", gain.filter(|_| knobs.limit > 0));
        set(&mut out, "edge_limit", knobs.edge().map(|edge| edge as f64));
        let best = self.curves.best();
        set(&mut out, "best_limit", best.map(|(limit, _)| limit as f64));
        set(&mut out, "best_ok", best.map(|(_, ok)| ok as f64));
        for (key, value) in formulas::all(knobs) {
            set(&mut out, key, value);
        }
        for (side, system) in Side::of(knobs).iter().zip(&self.systems) {
            if let Some(trace) = &system.trace {
                let width = bin_width(knobs.duration).as_ms();
                let at = |i: usize| i as f64 * width;
                let rows = trace.bins.iter().enumerate().flat_map(|(i, b)| {
                    let [ok, late, shed, timeout, attempts] =
                        [b.ok, b.late, b.shed, b.timeout, b.attempts].map(f64::from);
                    [at(i), ok, late, shed, timeout, attempts]
                });
                out.fill(&plan, &side.series("requests"), rows.collect());
                let answered = trace.bins.iter().enumerate().filter(|(_, b)| b.ok + b.late > 0);
                let mean = |b: &system::Bin| Span::us(b.time_us / u64::from(b.ok + b.late)).as_ms();
                let rows = answered.flat_map(|(i, b)| [at(i) + width / 2.0, mean(b)]);
                out.fill(&plan, &side.series("time"), rows.collect());
                let end = (system.tally.drained, 0, 0);
                let samples = trace.inside.iter().filter(|s| s.0 < end.0).chain([&end]);
                let rows = samples.flat_map(|&(at, waiting, left)| [at.as_ms(), f64::from(waiting), f64::from(left)]);
                out.fill(&plan, &side.series("inside"), rows.collect());
            }
        }
        out.fill(&plan, "by_limit", self.curves.by_limit().flat_map(|(limit, ok)| [limit as f64, ok as f64]).collect());
        out.fill(&plan, "by_load", self.curves.by_load().flatten().collect());
        out
    }
}

/// The figures of one system.
fn figures(tally: &Tally) -> Vec<(&'static str, Option<f64>)> {
    let book = &tally.book;
    let mut times = tally.times.clone();
    let mut percentile = |q| times.percentile(q).map(Span::as_ms);
    let share = |part: u64, whole: u64| (whole > 0).then(|| 100.0 * part as f64 / whole as f64);
    let requests = |n: u64| Some(n as f64);
    let served = book.server.useful + book.server.wasted;
    vec![
        (figure::OK, requests(book.good)),
        (figure::SHED, requests(tally.shed)),
        (figure::TIMEOUT, requests(tally.timeout)),
        (figure::LATE, requests(tally.late)),
        (figure::OK_SHARE, share(book.good, book.offered)),
        (figure::SHED_SHARE, share(tally.shed, book.offered)),
        (figure::TIMEOUT_SHARE, share(tally.timeout, book.offered)),
        (figure::P50_OK, percentile(0.50)),
        (figure::P99_OK, percentile(0.99)),
        (figure::ATTEMPTS, requests(book.caller.attempts)),
        (figure::RETRIES, requests(book.caller.attempts.saturating_sub(book.offered))),
        (figure::REFUSED, requests(book.server.refused)),
        (figure::WASTED, requests(book.server.wasted)),
        (figure::WASTED_SHARE, share(book.server.wasted, served)),
        (figure::DROPPED, requests(book.server.dropped_expired)),
        (figure::PEAK, Some(tally.peak as f64)),
        (figure::ANSWERED_UNTIL, tally.answered_until.map(Time::as_s)),
        (figure::DRAINED, Some(tally.drained.as_s())),
    ]
}
