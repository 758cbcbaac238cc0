//! Card 11, `shed-event-loop`: article 4, card 015.
//!
//! One thread with an event loop gets more requests than it has CPU for. Without shedding nearly every answer comes too
//! late; with a limit on what is in flight most of the capacity becomes goodput, as long as refusing is cheap and the door
//! looks at something that tells. And who starts the stopwatch at the actual send sees none of it.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, and the loop that they stand for |
//! | `system.rs` | one run of the loop, with what became of each request |
//! | `curves.rs` | many short runs: against the load, the cost of a 503, the signal |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod curves;
mod draw;
mod knobs;
mod system;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, in_turn, words_and_charts};
use crate::outcome::{Outcome, Plan};
use curves::Curves;
use knobs::{Clock, REQUESTS, ShedLoop, Signal};
use system::{Rule, System, Trace};

/// The card.
pub struct Card;

/// Keys of the figures that each system has. The system of the knobs has them under their plain names, the one without
/// shedding after `none_`. In the order of the plan.
mod figure {
    pub const GOOD: &str = "good";
    pub const GOODPUT: &str = "goodput";
    pub const LATE: &str = "late";
    pub const SHED: &str = "shed";
    pub const P50: &str = "p50";
    pub const P99: &str = "p99";
    pub const WASTED: &str = "wasted_share";
    pub const REFUSING: &str = "refusing_share";
    pub const LAG: &str = "most_lag";
    pub const PEAK: &str = "peak_in_flight";
    pub const LINE: &str = "most_in_line";
    pub const DRAINED: &str = "drained";
}

/// Keys of the figures of the short runs by signal, in the order of [`curves::ROWS`].
const BY_SIGNAL: [&str; 6] = ["by_off", "by_in_flight", "by_lag", "by_lag_p99", "by_cpu_one", "by_cpu"];

/// One of the two systems that a run compares, on the same draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// With the signal of the knobs.
    Shedding,
    /// Without shedding.
    Open,
}

impl Side {
    /// The systems of these knobs: the knobs' own first.
    fn of(knobs: &ShedLoop) -> &'static [Side] {
        if knobs.signal == Signal::Off { &[Side::Open] } else { &[Side::Shedding, Side::Open] }
    }

    /// The key of one of its figures or series.
    fn key(self, name: &str) -> String {
        let prefix = if self == Side::Open { "none_" } else { "" };
        [prefix, name].concat()
    }

    const fn name(self) -> Text {
        match self {
            Side::Shedding => text("With shedding", "Có shedding"),
            Side::Open => text("Without shedding", "Không shedding"),
        }
    }
}

const SHARE: Unit = Unit::new("percent", same("%"), 1);
const RATE: Unit = Unit::new("per_second", same("/s"), 1);

impl Lesson for Card {
    type Knobs = ShedLoop;

    const ABOUT: About = About {
        slug: "shed-event-loop",
        number: 11,
        theme: Theme::SayingNo,
        title: text("Load shedding on one thread: the event loop", "Load shedding trên một thread: event loop"),
        promise: text(
            "One busy thread, and a 503 costs CPU too. See the loop’s phases, and which signal to shed by.",
            "Một thread bận, và 503 cũng tốn CPU. Xem các pha của event loop, và nên shed theo tín hiệu nào.",
        ),
        lead: text(
            "Each request takes 4 ms of the only thread, and more come than it has time for. Every answer, every read and every 503 is paid from the same thread. So refusing has to be cheap, the door has to look at something that rises before it is too late, and the stopwatch has to start when the user wanted to send.",
            "Mỗi request chiếm 4 ms của thread duy nhất, và request đến nhiều hơn mức thread kịp làm. Trả lời, đọc hay 503 đều lấy từ cùng một thread. Vì thế từ chối phải rẻ, cửa phải nhìn vào thứ tăng lên trước khi quá muộn, và đồng hồ phải bấm từ lúc người dùng muốn gửi.",
        ),
        sources: &[(4, "015")],
    };

    const SEEDS: bool = false;

    words_and_charts!(ShedLoop);

    fn plan(knobs: &ShedLoop) -> Plan {
        use figure::*;
        let mut plan = Plan::default();
        let labels = [
            (GOOD, text("answered in time", "trả lời kịp"), REQUESTS),
            (GOODPUT, text("goodput: the same, a second of load", "goodput: như trên, mỗi giây có tải"), RATE),
            (LATE, text("answered late", "trả lời muộn"), REQUESTS),
            (SHED, text("refused with 503", "bị từ chối 503"), REQUESTS),
            (P50, text("p50 of those in time", "p50 của request kịp"), units::MS),
            (P99, text("p99 of those in time", "p99 của request kịp"), units::MS),
            (WASTED, text("share of the work done for late answers", "tỉ lệ công làm cho câu trả lời muộn"), SHARE),
            (
                REFUSING,
                text("share of the thread’s time spent on 503s", "tỉ lệ thời gian của thread tốn cho 503"),
                SHARE,
            ),
            (LAG, text("greatest loop lag", "loop lag lớn nhất"), units::MS),
            (PEAK, text("most in flight", "in-flight nhiều nhất"), REQUESTS),
            (LINE, text("most in line for a connection", "chờ connection nhiều nhất"), REQUESTS),
            (DRAINED, text("last answer at", "câu trả lời cuối cùng lúc"), units::S2),
        ];
        let own = Side::of(knobs)[0].name();
        for (prefix, group) in [("", own), ("none_", Side::Open.name())] {
            for (key, label, unit) in labels {
                plan.figure([prefix, key].concat(), group, label, unit);
            }
        }
        let group = text("Load and capacity", "Tải và năng lực");
        plan.figure("offered", group, text("requests offered", "số request đến"), REQUESTS);
        plan.figure("capacity", group, text("capacity of the thread", "năng lực của thread"), RATE);
        plan.figure("load", group, text("offered against capacity", "tải đến so với năng lực"), units::PERCENT);
        plan.figure(
            "gain",
            group,
            text("goodput, with shedding against without", "goodput, có shedding so với không"),
            TIMES,
        );
        let group = text("Answered in time by signal, short runs", "Trả lời kịp theo tín hiệu, lần chạy ngắn");
        for (key, (signal, one_core)) in BY_SIGNAL.into_iter().zip(curves::ROWS) {
            let label = if one_core { text("CPU, one core", "CPU, một core") } else { signal.label() };
            plan.figure(key, group, label, REQUESTS);
        }
        for side in Side::of(knobs) {
            let count = |name| (name, REQUESTS);
            let ms = |name| (name, units::MS);
            plan.series(side.key("requests"), &[ms("at"), count("good"), count("late"), count("shed")]);
            plan.series(side.key("time"), &[ms("at"), ms("intended"), ms("actual")]);
            plan.series(side.key("loop"), &[("did", units::PLAIN), ms("from"), ms("to")]);
            plan.books.push(side.name());
        }
        plan.series("by_load", &[("offered", RATE), ("good", REQUESTS), ("none_good", REQUESTS)]);
        plan.series("by_cost", &[("cost", units::MS), ("good", REQUESTS)]);
        plan.series("by_signal", &[("good", REQUESTS), ("late", REQUESTS), ("shed", REQUESTS)]);
        plan
    }

    fn cost(knobs: &ShedLoop) -> u64 {
        let each = curves::run_cost(knobs, Rate::per_s(knobs.rate), knobs.duration, true);
        Side::of(knobs).len() as u64 * each + curves::cost(knobs)
    }

    fn start(knobs: &ShedLoop, seed: u64) -> Box<dyn Run> {
        let rule = Rule { clock: knobs.clock, deadline: knobs.deadline };
        let system = |side: &Side| {
            let signal = if *side == Side::Open { Signal::Off } else { knobs.signal };
            let setup = knobs.setup(Rate::per_s(knobs.rate), knobs.duration, knobs.door(signal));
            let (from, to) = closely(knobs);
            let trace = Trace { width: bin_width(knobs.duration), bins: vec![], close: (from, to), did: vec![] };
            System::new(setup, rule, seed, Some(trace))
        };
        let systems = Side::of(knobs).iter().map(system).collect();
        Box::new(Systems { knobs: knobs.clone(), systems, at: 0, curves: Curves::new(knobs, seed) })
    }
}

const TIMES: Unit = Unit::new("times", same("×"), 1);

/// The width of the bins over time: round, about forty of them.
fn bin_width(duration: Span) -> Span {
    let least = duration.as_us() / 50;
    let mut decade = 1;
    while decade * 10 <= least {
        decade *= 10;
    }
    let width = [decade, 2 * decade, 5 * decade].into_iter().find(|&w| w >= least);
    Span::us(width.unwrap_or(10 * decade))
}

/// When the thread is looked at closely: in the middle of the load, for as long as about four full rounds take.
fn closely(knobs: &ShedLoop) -> (Time, Time) {
    let round = knobs.wait + knobs.work() * knobs.limit.min(knobs.connections);
    let long = (round * 4).max(Span::ms(20)).min(Span::ms(400)).min(knobs.duration / 2);
    let from = Time::ZERO + knobs.duration / 2;
    (from, from + long)
}

/// The run: with shedding and without, then the curves.
struct Systems {
    knobs: ShedLoop,
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
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        let mut goodputs = [0.0; 2];
        for (i, (side, system)) in Side::of(knobs).iter().zip(&self.systems).enumerate() {
            let values = figures(system, knobs);
            goodputs[i] = values[1].1.unwrap_or_default();
            for (name, value) in values {
                set(&side.key(name), value);
                // Without shedding both names mean the same system.
                if knobs.signal == Signal::Off {
                    set(name, value);
                }
            }
        }
        let offered = knobs.requests(Rate::per_s(knobs.rate), knobs.duration);
        set("offered", Some(f64::from(offered)));
        set("capacity", Some(knobs.capacity().as_per_s()));
        set("load", Some(100.0 * knobs.rate as f64 / knobs.capacity().as_per_s()));
        let [with, without] = goodputs;
        set("gain", (knobs.signal != Signal::Off && without > 0.0).then(|| with / without));
        for (key, came) in BY_SIGNAL.into_iter().zip(self.curves.by_signal()) {
            set(key, Some(came.counts[0] as f64));
        }
        for (side, system) in Side::of(knobs).iter().zip(&self.systems) {
            out.books.push(system.tally.book);
            let Some(trace) = &system.trace else { continue };
            let width = trace.width.as_ms();
            let bins = || trace.bins.iter().enumerate().map(|(i, bin)| (i as f64 * width, bin));
            let rows = bins().flat_map(|(at, b)| [at, f64::from(b.good), f64::from(b.late), f64::from(b.shed)]);
            out.fill(&plan, &side.key("requests"), rows.collect());
            let mean = |us: u64, n: u32| Span::us(us / u64::from(n)).as_ms();
            let answered = bins().filter(|(_, b)| b.good + b.late > 0);
            let rows = answered.flat_map(|(at, b)| {
                let n = b.good + b.late;
                [at + width / 2.0, mean(b.time_us[0], n), mean(b.time_us[1], n)]
            });
            out.fill(&plan, &side.key("time"), rows.collect());
            let rows = trace.did.iter().flat_map(|&(did, from, to)| [f64::from(did), from.as_ms(), to.as_ms()]);
            out.fill(&plan, &side.key("loop"), rows.collect());
        }
        out.fill(&plan, "by_load", self.curves.by_load().flatten().collect());
        out.fill(&plan, "by_cost", self.curves.by_cost().flatten().collect());
        let rows = self.curves.by_signal().iter().flat_map(|came| came.counts.map(|n| n as f64));
        out.fill(&plan, "by_signal", rows.collect());
        out
    }
}

/// The figures of one system.
fn figures(system: &System, knobs: &ShedLoop) -> [(&'static str, Option<f64>); 12] {
    let tally = &system.tally;
    let book = &tally.book;
    let mut times = tally.times.clone();
    let mut percentile = |q| times.percentile(q).map(Span::as_ms);
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| 100.0 * part / whole);
    let [good, late, shed] = [book.good, book.caller.late, book.caller.shed].map(|n| n as f64);
    // By the clock of the actual send the load lasts as long as something is sent.
    let seconds = match knobs.clock {
        Clock::Intended => knobs.duration.as_s(),
        Clock::Actual => knobs.duration.as_s().max(tally.last_sent.as_s()),
    };
    let thread = system.thread();
    [
        (figure::GOOD, Some(good)),
        (figure::GOODPUT, Some(good / seconds)),
        (figure::LATE, Some(late)),
        (figure::SHED, Some(shed)),
        (figure::P50, percentile(0.50)),
        (figure::P99, percentile(0.99)),
        (figure::WASTED, share(late, good + late)),
        (figure::REFUSING, share(tally.refusing.as_s(), tally.drained.as_s())),
        (figure::LAG, Some(thread.most_lag().as_ms())),
        (figure::PEAK, Some(tally.peak as f64)),
        (figure::LINE, Some(tally.line as f64)),
        (figure::DRAINED, Some(tally.drained.as_s())),
    ]
}
