//! Card 10, `shed-queue`: article 3, load shedding against an unbounded queue.
//!
//! Twice the load that a server can carry. What is done with the line: how long it may grow, who is next, how long one may wait in
//! it, and whether a limit that moves by itself finds what one would have set by hand.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, and the station that they stand for |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::shedding::{Gate, Setup, Tally, Trace};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use crate::shed_in_flight::bin_width;
use crate::shed_in_flight::knobs::REQUESTS;
use knobs::{Door, Queue};

/// The card.
pub struct Card;

/// The ways compared on the same requests: the knobs' own, then everybody waits, in three orders. Key and name.
const WAYS: [(&str, Text); 4] = [
    ("", text("As set", "Như đã đặt")),
    ("none_", text("No bound, FIFO", "Không giới hạn, FIFO")),
    ("lifo_", text("No bound, LIFO", "Không giới hạn, LIFO")),
    ("codel_", text("LIFO and CoDel", "LIFO và CoDel")),
];
/// Loads tried, as thousandths of the capacity.
const LOADS: [u64; 5] = [500, 1_000, 1_500, 2_000, 4_000];
/// Queue bounds tried, besides the knobs' own and those that matter.
const BOUNDS: [u64; 7] = [1, 5, 10, 20, 50, 100, 500];
/// Most requests that one short run may see come, about: longer loads are cut short.
const MOST_REQUESTS: u64 = 2_400;

/// How long the load of short runs at this rate lasts.
fn short_span(knobs: &Queue, rate: Rate) -> Span {
    let most = u128::from(MOST_REQUESTS) * 1_000_000_000 / u128::from(rate.as_milli_per_s().max(1));
    knobs.load.duration.min(Span::us(most.min(u128::from(u64::MAX)) as u64))
}

fn times(rate: Rate, milli: u64) -> Rate {
    Rate::milli_per_s((rate.as_milli_per_s().saturating_mul(milli) / 1_000).max(1))
}

/// How long the load of the runs against the load lasts.
fn load_span(knobs: &Queue) -> Span {
    short_span(knobs, times(knobs.load.capacity(), LOADS[LOADS.len() - 1]))
}

/// The loads tried, ascending, with the knobs' own where it lies among them.
fn loads(knobs: &Queue) -> Vec<Rate> {
    let mut all = LOADS.map(|milli| times(knobs.load.capacity(), milli)).to_vec();
    if knobs.load.offered() < all[LOADS.len() - 1] {
        all.push(knobs.load.offered());
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The queue bounds tried, ascending.
fn bounds(knobs: &Queue) -> Vec<u64> {
    let fires = knobs.fires_from().unwrap_or(0.0) as u64;
    let edge = knobs.load.edge().map_or(0, |edge| edge.saturating_sub(knobs.load.slots));
    let own = if knobs.door == Door::Queue { knobs.queue } else { 0 };
    let top = [fires, edge, own, 10 * knobs.load.slots].into_iter().fold(20, u64::max).saturating_mul(2).min(10_000);
    let mut all: Vec<u64> = BOUNDS.into_iter().chain([fires, fires + 1, edge, edge + 1, own, top]).collect();
    all.retain(|&bound| (1..=top).contains(&bound));
    all.sort_unstable();
    all.dedup();
    all
}

/// All runs: the ways of [`WAYS`] in full, then for each load the same ways, then one for each bound.
fn runs(knobs: &Queue) -> Vec<Setup> {
    let ways = |own: Setup| {
        let [a, b, c] = Queue::others(own);
        [own, a, b, c]
    };
    let mut all = ways(knobs.own()).to_vec();
    let span = load_span(knobs);
    all.extend(loads(knobs).into_iter().flat_map(|rate| ways(knobs.station(rate, span))));
    let offered = knobs.load.offered();
    let own = knobs.station(offered, short_span(knobs, offered));
    all.extend(bounds(knobs).into_iter().map(|bound| Setup { gate: Gate::Queue(bound as u32), ..own }));
    all
}

/// How many of them belong to loads and ways: these end with the load, so that what is answered later makes no rate.
fn of_loads(knobs: &Queue) -> usize {
    WAYS.len() * (1 + loads(knobs).len())
}

/// The figures of each way, in the order of [`values`].
const FIGURES: [(&str, Text, Unit); 15] = [
    ("ok", text("answered in time", "trả lời kịp"), REQUESTS),
    ("shed", text("told 503", "nhận 503"), REQUESTS),
    ("refused", text("of these, at the door", "trong đó ở cửa"), REQUESTS),
    ("dropped", text("of these, at their turn", "trong đó khi tới lượt"), REQUESTS),
    ("timeout", text("timed out", "timeout"), REQUESTS),
    ("ok_share", text("share answered in time", "tỉ lệ trả lời kịp"), units::PERCENT),
    ("p50_ok", text("p50 of the answered", "p50 của request được trả lời"), units::MS),
    ("p99_ok", text("p99 of the answered", "p99 của request được trả lời"), units::MS),
    ("wasted", text("served for callers who had left", "làm xong cho client đã rời đi"), units::CALLS),
    ("wasted_share", text("share of the work wasted", "tỉ lệ công việc bỏ phí"), units::PERCENT),
    ("peak_waiting", text("most calls waiting", "số call chờ nhiều nhất"), units::CALLS),
    ("peak_in_flight", text("most calls in flight", "in-flight nhiều nhất"), units::CALLS),
    ("longest_wait", text("the longest wait for a slot", "chờ slot lâu nhất"), units::MS),
    (
        "answered_until",
        text("the last request answered in time came at", "request cuối được trả lời kịp đến lúc"),
        units::S2,
    ),
    ("drained", text("server done", "server xong việc lúc"), units::S2),
];

/// Figures of the load, the bounds and the moving limit.
const OTHERS: [(&str, Text, Unit); 12] = [
    ("offered", text("requests offered", "số request đến"), REQUESTS),
    ("offered_rate", text("offered", "tải đến"), units::PER_SECOND),
    ("capacity", text("capacity", "năng lực"), units::PER_SECOND),
    ("gain", text("more answered than without a bound", "trả lời nhiều hơn so với không giới hạn"), units::PERCENT),
    ("full_wait", text("wait in a full queue", "thời gian chờ khi hàng đầy"), units::MS),
    (
        "fires_from",
        text("queue from which the wait limit matters", "hàng đợi từ mức này thì giới hạn chờ mới có tác dụng"),
        units::CALLS,
    ),
    ("best_bound", text("the best bound of those tried", "giới hạn tốt nhất trong các mức đã thử"), units::CALLS),
    ("best_ok", text("answered with that, in its short run", "trả lời kịp với mức đó, trong lần chạy ngắn"), REQUESTS),
    ("limit_mean", text("moving limit, mean over arrivals", "giới hạn tự đổi, trung bình theo lượt đến"), units::CALLS),
    ("limit_least", text("moving limit, least", "giới hạn tự đổi, nhỏ nhất"), units::CALLS),
    ("limit_most", text("moving limit, greatest", "giới hạn tự đổi, lớn nhất"), units::CALLS),
    ("limit_last", text("moving limit, at the end", "giới hạn tự đổi, lúc cuối"), units::CALLS),
];

impl Lesson for Card {
    type Knobs = Queue;

    const ABOUT: About = About {
        slug: "shed-queue",
        number: 10,
        theme: Theme::SayingNo,
        title: text(
            "The queue: how long, who is next, when to give up",
            "Hàng đợi: dài bao nhiêu, ai kế tiếp, khi nào bỏ",
        ),
        promise: text(
            "A queue “so that nothing is lost” loses two thirds. Bound it, turn it round, or let a limit find itself.",
            "Hàng đợi “để không mất request” làm mất hai phần ba. Chặn nó, đảo thứ tự, hay để giới hạn tự tìm mức.",
        ),
        lead: text(
            "Twice as much comes as can be served. An unbounded queue serves everybody too late; a short one answers as many as the slots can do and refuses the rest at once. Behind that stand three questions: how long may the line be, who is next, and how long may one wait? Each has a knob here, and so have the limits of Netflix and Envoy that answer the first one by themselves.",
            "Tải đến gấp đôi mức phục vụ được. Hàng đợi không giới hạn phục vụ ai cũng muộn; hàng ngắn thì trả lời đúng bằng sức các slot và từ chối ngay phần còn lại. Đằng sau là ba câu hỏi: hàng được dài bao nhiêu, ai kế tiếp, và được chờ bao lâu? Ở đây mỗi câu có một núm, kể cả các giới hạn của Netflix và Envoy, vốn tự trả lời câu đầu.",
        ),
        sources: &[(3, "load shedding")],
    };

    words_and_charts!(Queue);

    fn plan(knobs: &Queue) -> Plan {
        let mut plan = Plan::default();
        for (prefix, name) in WAYS {
            for (key, label, unit) in FIGURES {
                plan.figure(format!("{prefix}{key}"), name, label, unit);
            }
            plan.books.push(name);
        }
        let group = text("Load, bound, limit", "Tải, hàng đợi, giới hạn");
        for (key, label, unit) in OTHERS {
            if knobs.door.adapts() || !key.starts_with("limit") {
                plan.figure(key, group, label, unit);
            }
        }
        let n = |name| (name, REQUESTS);
        let calls = |name| (name, units::CALLS);
        for key in ["requests", "none_requests"] {
            plan.series(key, &[("at", units::MS), n("ok"), n("refused"), n("dropped"), n("timeout")]);
        }
        for key in ["inside", "none_inside"] {
            plan.series(key, &[("at", units::MS), calls("here"), calls("left"), calls("limit")]);
        }
        plan.series(
            "times",
            &[
                ("way", units::PLAIN),
                ("p1", units::MS),
                ("p10", units::MS),
                ("p50", units::MS),
                ("p90", units::MS),
                ("p99", units::MS),
            ],
        );
        plan.series("by_load", &[("offered", units::PER_SECOND), n("own"), n("none"), n("lifo"), n("codel")]);
        plan.series("by_bound", &[calls("bound"), n("ok"), n("dropped"), n("timeout")]);
        plan
    }

    fn cost(knobs: &Queue) -> u64 {
        let capacity = knobs.load.capacity().as_per_s();
        let patience = knobs.load.patience().map_or(0.0, Span::as_s);
        let loads = WAYS.len()..of_loads(knobs);
        let work = |(i, setup): (usize, Setup)| {
            // Every request that comes, and those that are served before the last caller has gone, or the load has ended.
            let n = f64::from(setup.requests);
            let length = n / setup.arrivals.mean_per_s().max(1e-3);
            let cut = loads.contains(&i);
            let more = if cut { 0.0 } else { patience };
            let served = if patience == 0.0 && !cut { n } else { (capacity * (length + more)).min(n) };
            let comes = if setup.gate == Gate::Open { n } else { served + (n - served) / 4.0 };
            (comes + served) as u64
        };
        runs(knobs).into_iter().enumerate().map(work).sum::<u64>().max(1)
    }

    fn start(knobs: &Queue, seed: u64) -> Box<dyn Run> {
        let runs = runs(knobs);
        Box::new(All { knobs: knobs.clone(), seed, runs, done: Vec::new(), short: Vec::new(), current: None })
    }
}

/// The runs, one after the other.
struct All {
    knobs: Queue,
    seed: u64,
    runs: Vec<Setup>,
    /// What the ways came to. All are traced, since a run without a trace ends with its last caller.
    done: Vec<(Tally, Option<Trace>)>,
    /// Of each short run: answered in time, dropped at their turn, timed out.
    short: Vec<[u64; 3]>,
    current: Option<overload_sim::shedding::Run>,
}

impl Run for All {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        let of_loads = of_loads(&self.knobs);
        while let Some(&setup) = self.runs.get(self.done.len() + self.short.len()) {
            let way = self.done.len();
            let run = self.current.get_or_insert_with(|| {
                let length = self.knobs.load.duration;
                let trace = (way < WAYS.len()).then(|| Trace::new(bin_width(length), length / 100));
                let run = overload_sim::shedding::Run::new(setup, self.seed, trace);
                let short = way == WAYS.len() && way + self.short.len() < of_loads;
                if short { run.until(Time::ZERO + load_span(&self.knobs)) } else { run }
            });
            left = run.advance(left);
            if left == 0 {
                break;
            }
            if let Some(run) = self.current.take() {
                if way < WAYS.len() {
                    self.done.push((run.tally, run.trace));
                } else {
                    let all = run.tally.all();
                    self.short.push([all.ok, all.dropped, all.timeout]);
                }
            }
        }
        let (done, all) = (self.done.len() + self.short.len(), self.runs.len());
        Progress { done: done == all, share: done as f64 / all as f64 }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let mut times_of = Vec::new();
        for (way, ((prefix, _), (tally, _))) in WAYS.iter().zip(&self.done).enumerate() {
            let mut times = tally.times.clone();
            let mut percentile = |q| times.percentile(q).map(Span::as_ms);
            let shares = [0.01, 0.1, 0.5, 0.9, 0.99].map(&mut percentile);
            if let [Some(p1), Some(p10), Some(p50), Some(p90), Some(p99)] = shares {
                times_of.extend([way as f64, p1, p10, p50, p90, p99]);
            }
            for ((key, ..), value) in FIGURES.iter().zip(values(tally, shares[2], shares[4])) {
                if let Some(value) = value {
                    out.set(&plan, &format!("{prefix}{key}"), value);
                }
            }
            out.books.push(Book {
                offered: tally.all().offered,
                good: tally.all().ok,
                caller: tally.caller,
                server: tally.server,
            });
        }
        out.fill(&plan, "times", times_of);
        let (loads, bounds) = (loads(knobs), bounds(knobs));
        let (of_loads, of_bounds) = self.short.split_at((WAYS.len() * loads.len()).min(self.short.len()));
        let best = bounds.iter().zip(of_bounds).reduce(|best, next| if next.1[0] > best.1[0] { next } else { best });
        let ok = |way: usize| self.done.get(way).map_or(0, |(tally, _)| tally.all().ok) as f64;
        let limit = self.done.first().map(|(tally, _)| tally.limit).filter(|limit| limit.arrivals > 0);
        let others = [
            Some(f64::from(knobs.own().requests)),
            Some(knobs.load.offered().as_per_s()),
            Some(knobs.load.capacity().as_per_s()),
            (ok(1) > 0.0).then(|| 100.0 * (ok(0) / ok(1) - 1.0)),
            knobs.full_wait(),
            knobs.fires_from(),
            best.map(|best| *best.0 as f64),
            best.map(|best| best.1[0] as f64),
            limit.map(|limit| limit.sum as f64 / limit.arrivals as f64),
            limit.map(|limit| f64::from(limit.least)),
            limit.map(|limit| f64::from(limit.most)),
            limit.map(|limit| f64::from(limit.last)),
        ];
        for ((key, ..), value) in OTHERS.iter().zip(others) {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        }
        let keys = [["requests", "inside"], ["none_requests", "none_inside"]];
        for ([requests, inside], (tally, trace)) in keys.into_iter().zip(&self.done) {
            let Some(trace) = trace else { continue };
            let width = bin_width(knobs.load.duration).as_ms();
            let rows = trace.bins.iter().enumerate().flat_map(|(i, bin)| {
                let [ok, refused, dropped, timeout] = [bin.ok[0], bin.refused, bin.dropped, bin.timeout].map(f64::from);
                [i as f64 * width, ok, refused, dropped, timeout]
            });
            out.fill(&plan, requests, rows.collect());
            let rows = trace.levels.iter().flat_map(|level| {
                [level.at.as_ms(), f64::from(level.here), f64::from(level.left), f64::from(level.limit)]
            });
            out.fill(&plan, inside, rows.chain([tally.drained.as_ms(), 0.0, 0.0, 0.0]).collect());
        }
        let rows = loads.iter().zip(of_loads.chunks_exact(WAYS.len()));
        let rows = rows.flat_map(|(rate, ways)| {
            [rate.as_per_s(), ways[0][0] as f64, ways[1][0] as f64, ways[2][0] as f64, ways[3][0] as f64]
        });
        out.fill(&plan, "by_load", rows.collect());
        let rows = bounds
            .iter()
            .zip(of_bounds)
            .flat_map(|(&bound, &[ok, dropped, timeout])| [bound, ok, dropped, timeout].map(|n| n as f64));
        out.fill(&plan, "by_bound", rows.collect());
        out
    }
}

/// What one way came to, in the order of [`FIGURES`].
fn values(tally: &Tally, p50: Option<f64>, p99: Option<f64>) -> [Option<f64>; FIGURES.len()] {
    let all = tally.all();
    let share = |part: u64, whole: u64| (whole > 0).then(|| 100.0 * part as f64 / whole as f64);
    let n = |n: u64| Some(n as f64);
    let served = tally.server.useful + tally.server.wasted;
    [
        n(all.ok),
        n(all.refused + all.dropped),
        n(all.refused),
        n(all.dropped),
        n(all.timeout),
        share(all.ok, all.offered),
        p50,
        p99,
        n(tally.server.wasted),
        share(tally.server.wasted, served),
        n(tally.peak_waiting as u64),
        n(tally.peak_inside as u64),
        (served + tally.server.dropped_expired > 0).then(|| tally.longest_wait.as_ms()),
        tally.answered_until.map(Time::as_s),
        Some(tally.drained.as_s()),
    ]
}
