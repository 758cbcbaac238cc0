//! Card 24, `hedging`: article 1, its trade-offs.
//!
//! Requests to a fleet of replicas with a heavy tail, hedged and not, on the same draws: at the load set, over all loads,
//! over delays. And one call by itself, attempt by attempt.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Unit, same, text, units};
use overload_sim::hedge::fleet::{self, Delay, Fleet, NO_HEDGE, Setup};
use overload_sim::hedge::policy::{Answer, Kind, Policy, Verdict};
use overload_sim::record::Samples;
use overload_sim::time::Span;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::{Hedging, OF_CAPACITY, When};

/// The card.
pub struct Card;

/// Keys of the figures; without hedging, with it.
mod figure {
    pub const P50: [&str; 2] = ["plain_p50", "hedged_p50"];
    pub const P99: [&str; 2] = ["plain_p99", "hedged_p99"];
    pub const P999: [&str; 2] = ["plain_p999", "hedged_p999"];
    pub const GOOD: [&str; 2] = ["plain_good", "hedged_good"];
    pub const EXTRA: &str = "extra";
    pub const TOTAL: &str = "total_load";
    pub const WON: &str = "won";
    pub const DENIED: &str = "denied";
    pub const WASTED: &str = "wasted";
    pub const TURNING: &str = "turning";
    /// Of the one call.
    pub const SENT: &str = "sent";
    pub const ENDED: &str = "ended";
}

const PERCENT1: Unit = Unit::new("percent", same("%"), 1);
const MS1: Unit = Unit::new("ms", same("ms"), 1);
const HEDGES: Unit = Unit::counted("hedges", text("hedges", "hedge"), "hedge", 0);

/// Loads tried, in percent of the capacity.
const LOADS: [u64; 12] = [10, 30, 50, 60, 65, 70, 75, 80, 85, 90, 100, 110];
/// Delays tried, as percentiles of what is measured without hedging, in thousandths.
const QUANTILES: [u64; 7] = [500, 750, 900, 950, 980, 990, 995];
/// How much longer a p99 must be to count as harm, as a share: less is chance.
const HARM: f64 = 0.05;
/// Shares of requests that are slower, in thousandths of a percent: where the tail is drawn.
const SHARES: [u64; 16] =
    [50_000, 40_000, 30_000, 20_000, 15_000, 10_000, 7_000, 5_000, 3_000, 2_000, 1_000, 700, 500, 300, 200, 100];

impl Lesson for Card {
    type Knobs = Hedging;

    const ABOUT: About = About {
        slug: "hedging",
        number: 24,
        theme: Theme::AskingAgain,
        title: text(
            "Hedging: ask twice, until asking twice is the problem",
            "Hedging: hỏi hai lần, tới khi chính việc đó là vấn đề",
        ),
        promise: text(
            "A second copy of slow requests cuts the tail at light load, and tips a busy fleet over. Drag the load past the turning point.",
            "Gửi thêm một bản cho request chậm giúp cắt đuôi latency khi tải nhẹ, và làm đổ fleet đang bận. Hãy kéo tải qua điểm lật.",
        ),
        lead: text(
            "A hedged request goes out a second time when the first takes long, and whichever answer comes first counts. It costs little while few requests are slow. Under load all of them are slow, and then every one is sent twice.",
            "Hedged request được gửi thêm lần nữa khi lần đầu lâu, và câu trả lời nào tới trước thì tính. Nó rẻ khi ít request chậm. Khi tải cao thì request nào cũng chậm, và request nào cũng được gửi hai lần.",
        ),
        sources: &[(1, "hedging")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Hedging);

    fn plan(_knobs: &Hedging) -> Plan {
        let mut plan = Plan::default();
        let groups = [text("Without hedging", "Không hedge"), text("Hedged", "Có hedge")];
        for (side, group) in groups.into_iter().enumerate() {
            let mut add = |key, label, unit| plan.figure(key, group, label, unit);
            add(figure::P50[side], same("p50"), MS1);
            add(figure::P99[side], same("p99"), units::MS);
            add(figure::P999[side], same("p99.9"), units::MS);
            add(figure::GOOD[side], text("answered in time", "có trả lời kịp giờ"), PERCENT1);
        }
        let mut add = |key, label, unit| plan.figure(key, groups[1], label, unit);
        add(figure::EXTRA, text("hedges per request", "hedge mỗi request"), PERCENT1);
        add(figure::TOTAL, text("work done, hedges included", "việc đã làm, tính cả hedge"), OF_CAPACITY);
        add(figure::WON, text("hedges that brought the answer", "hedge mang về câu trả lời"), PERCENT1);
        add(figure::DENIED, text("hedges that the budget refused", "hedge bị budget từ chối"), HEDGES);
        add(figure::WASTED, text("of the work, for nothing", "phần việc làm cho không"), PERCENT1);
        add(figure::TURNING, text("from this load on hedging harms", "từ tải này trở đi hedging có hại"), OF_CAPACITY);
        let group = text("One call by itself", "Một call riêng lẻ");
        plan.figure(figure::SENT, group, text("attempts sent", "số attempt đã gửi"), units::ATTEMPTS);
        plan.figure(figure::ENDED, group, text("it is over after", "kết thúc sau"), units::MS);
        let (n, ms) = (units::PLAIN, units::MS);
        plan.series(
            "curve",
            &[
                ("load", OF_CAPACITY),
                ("plain", ms),
                ("hedged", ms),
                ("total", OF_CAPACITY),
                ("plain_good", PERCENT1),
                ("hedged_good", PERCENT1),
            ],
        );
        plan.series("tail", &[("side", n), ("latency", MS1), ("slower", PERCENT1)]);
        plan.series("delays", &[("percentile", PERCENT1), ("delay", ms), ("extra", PERCENT1), ("latency", ms)]);
        plan.series("call", &[("attempt", n), ("sent", ms), ("ended", ms), ("how", n)]);
        plan.books = groups.to_vec();
        plan
    }

    fn cost(knobs: &Hedging) -> u64 {
        let all = (DELAYS + QUANTILES.len()) as u64 * knobs.requests;
        all * if knobs.when == When::Never { 2 } else { 3 }
    }

    fn start(knobs: &Hedging, seed: u64) -> Box<dyn Run> {
        Box::new(All { knobs: knobs.clone(), seed, done: Vec::new(), current: None, tail: Vec::new(), events: 0 })
    }
}

/// What is kept of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    p50: Option<Span>,
    p99: Option<Span>,
    p999: Option<Span>,
    requests: u64,
    good: u64,
    hedges: u64,
    won: u64,
    denied: u64,
    busy: Span,
    wasted: Span,
    book: Book,
}

impl Kept {
    fn extra(&self) -> f64 {
        self.hedges as f64 / self.requests.max(1) as f64 * 100.0
    }

    /// How many times the work of a run without hedging this one did: cancelled attempts count as far as they got.
    fn more_than(&self, plain: &Kept) -> f64 {
        let work = plain.busy.as_us();
        if work == 0 { 1.0 } else { self.busy.as_us() as f64 / work as f64 }
    }

    fn good(&self) -> f64 {
        self.good as f64 / self.requests.max(1) as f64 * 100.0
    }
}

/// The runs one after the other: the main two, without hedging and hedged; two for each load; one for each delay.
struct All {
    knobs: Hedging,
    seed: u64,
    done: Vec<Kept>,
    current: Option<Fleet>,
    /// Side, latency and share slower in thousandths of a percent.
    tail: Vec<(usize, Span, u64)>,
    events: u64,
}

/// The first of the runs for each delay.
const DELAYS: usize = 2 + 2 * LOADS.len();

impl All {
    /// The run number `n`.
    fn setup(&self, n: usize) -> Option<Setup> {
        let (knobs, policy) = (&self.knobs, self.knobs.policy());
        let sides = [NO_HEDGE, policy];
        if n < 2 {
            return Some(knobs.setup(sides[n], knobs.load, knobs.requests));
        }
        if n < DELAYS {
            return Some(knobs.setup(sides[n % 2], LOADS[n / 2 - 1], knobs.requests));
        }
        if n >= DELAYS + QUANTILES.len() {
            return None;
        }
        let delay = self.delays()[n - DELAYS];
        // Where nothing is hedged, the curve shows what one hedge would do.
        let policy = if knobs.when == When::Never { Policy { kind: Kind::Race, attempts: 2, delay } } else { policy };
        let setup = knobs.setup(Policy { delay, ..policy }, knobs.load, knobs.requests);
        Some(Setup { delay: Delay::Fixed, ..setup })
    }

    /// The delays tried: percentiles of the main run without hedging.
    fn delays(&self) -> [Span; QUANTILES.len()] {
        QUANTILES.map(|q| {
            let slower = (1_000 - q) * 100;
            let found = self.tail.iter().find(|t| t.0 == 0 && t.2 <= slower);
            found.map_or(Span::ZERO, |t| t.1)
        })
    }

    fn keep(&mut self, fleet: &Fleet) {
        let n = self.done.len();
        let tally = fleet.tally();
        let mut times: Samples = tally.times.clone();
        if n < 2 {
            for slower in SHARES {
                if let Some(at) = times.percentile(1.0 - slower as f64 / 1e5) {
                    self.tail.push((n, at, slower));
                }
            }
        }
        self.done.push(Kept {
            p50: times.percentile(0.5),
            p99: times.percentile(0.99),
            p999: times.percentile(0.999),
            requests: tally.requests,
            good: tally.good,
            hedges: tally.hedges,
            won: tally.won,
            denied: tally.denied,
            busy: tally.busy,
            wasted: tally.wasted,
            book: Book { offered: tally.requests, good: tally.good, caller: tally.caller, server: tally.server },
        });
    }

    /// From where on the p99 with hedging is longer than without by more than [`HARM`], for good; straight lines between
    /// the loads, of how much longer it is. In percent of the capacity.
    fn turning(&self) -> Option<f64> {
        let worse = |i: usize| {
            let pair = self.done.get(2 + 2 * i..4 + 2 * i)?;
            let [plain, hedged] = [pair[0].p99?, pair[1].p99?].map(|s| s.as_us().max(1) as f64);
            Some(hedged / plain - 1.0 - HARM)
        };
        let ratios: Vec<f64> = (0..LOADS.len()).map_while(worse).collect();
        if ratios.len() < LOADS.len() || ratios.last().is_none_or(|r| *r <= 0.0) {
            return None;
        }
        let Some(last) = ratios.iter().rposition(|r| *r <= 0.0) else { return Some(LOADS[0] as f64) };
        let (a, b) = (ratios[last], ratios[last + 1]);
        Some(LOADS[last] as f64 + (LOADS[last + 1] - LOADS[last]) as f64 * (-a / (b - a)))
    }
}

impl Run for All {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        let mut done = false;
        while left > 0 && !done {
            if self.current.is_none() {
                match self.setup(self.done.len()) {
                    Some(setup) => self.current = Some(Fleet::new(setup, self.seed)),
                    None => done = true,
                }
            }
            if let Some(mut fleet) = self.current.take() {
                let before = fleet.tally().events;
                let over = fleet.advance(left);
                let used = fleet.tally().events - before;
                self.events += used;
                left = left.saturating_sub(used.max(1));
                if over {
                    self.keep(&fleet);
                } else {
                    self.current = Some(fleet);
                }
            }
        }
        let share = self.events as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        out.books = vec![Book::default(); 2];
        for (side, kept) in self.done.iter().take(2).enumerate() {
            let mut set = |key, value: Option<Span>| {
                if let Some(value) = value {
                    out.set(&plan, key, value.as_ms());
                }
            };
            set(figure::P50[side], kept.p50);
            set(figure::P99[side], kept.p99);
            set(figure::P999[side], kept.p999);
            out.set(&plan, figure::GOOD[side], kept.good());
            out.books[side] = kept.book;
        }
        if let Some(hedged) = self.done.get(1) {
            out.set(&plan, figure::EXTRA, hedged.extra());
            out.set(&plan, figure::TOTAL, knobs.load as f64 * hedged.more_than(&self.done[0]));
            if hedged.hedges > 0 {
                out.set(&plan, figure::WON, hedged.won as f64 / hedged.hedges as f64 * 100.0);
            }
            out.set(&plan, figure::DENIED, hedged.denied as f64);
            let busy = hedged.busy.as_us();
            if busy > 0 {
                out.set(&plan, figure::WASTED, hedged.wasted.as_us() as f64 / busy as f64 * 100.0);
            }
        }
        if let Some(turning) = self.turning() {
            out.set(&plan, figure::TURNING, turning);
        }
        let mut curve = Vec::new();
        for (i, pair) in self.done.get(2..DELAYS.min(self.done.len())).unwrap_or_default().chunks_exact(2).enumerate() {
            let (plain, hedged) = (pair[0], pair[1]);
            if let (Some(a), Some(b)) = (plain.p99, hedged.p99) {
                let total = LOADS[i] as f64 * hedged.more_than(&plain);
                curve.extend([LOADS[i] as f64, a.as_ms(), b.as_ms(), total, plain.good(), hedged.good()]);
            }
        }
        out.fill(&plan, "curve", curve);
        let tail = self.tail.iter().flat_map(|(side, at, slower)| [*side as f64, at.as_ms(), *slower as f64 / 1e3]);
        out.fill(&plan, "tail", tail.collect());
        let mut delays = Vec::new();
        for ((kept, delay), q) in self.done.iter().skip(DELAYS).zip(self.delays()).zip(QUANTILES) {
            if let Some(p99) = kept.p99 {
                delays.extend([q as f64 / 10.0, delay.as_ms(), kept.extra(), p99.as_ms()]);
            }
        }
        out.fill(&plan, "delays", delays);
        self.call(&plan, &mut out);
        out
    }
}

/// How an attempt of the one call ended, as a number: still open, given up, answered, failed, failed fatally.
const HOW: [usize; 5] = [0, 1, 2, 3, 4];

impl All {
    /// The one call.
    fn call(&self, plan: &Plan, out: &mut Outcome) {
        let until = self.knobs.watched();
        let (attempts, end) = fleet::alone(self.knobs.scene());
        out.set(plan, figure::SENT, attempts.len() as f64);
        if let Some((at, _)) = end {
            out.set(plan, figure::ENDED, at.as_ms());
        }
        let [open, left, ok, failed, fatal] = HOW;
        let mut rows = Vec::new();
        for (i, one) in attempts.iter().enumerate() {
            let (ended, how) = match (one.answered, end) {
                (Some((at, Answer::Ok)), _) => (at, ok),
                (Some((at, Answer::NonFatal(_))), _) => (at, failed),
                (Some((at, Answer::Fatal)), _) => (at, fatal),
                (None, Some((at, Verdict::Answered | Verdict::Failed))) => (at, left),
                (None, _) => (until, open),
            };
            rows.extend([i as f64, one.sent.as_ms(), ended.as_ms(), how as f64]);
        }
        out.fill(plan, "call", rows);
    }
}
