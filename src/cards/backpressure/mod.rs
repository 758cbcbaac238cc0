//! Card 21, `backpressure`: article 3, what becomes of the difference of two rates.
//!
//! The same producer and the same consumer, four ways between them: a buffer without bound, one that drops, a high-water mark at which
//! the producer stops, a consumer that asks. Then the same for slower and faster producers: where it turns.
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

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::draw::Draws;
use overload_sim::stream::{SENT, Setup, Stream};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::Backpressure;

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    /// What one way gives: keys with its name before them, in the plan's order.
    pub const IN_TIME: usize = 0;
    pub const LATE: usize = 1;
    pub const DROPPED: usize = 2;
    pub const CRASHED: usize = 3;
    pub const P50: usize = 4;
    pub const OLDEST: usize = 5;
    pub const PEAK: usize = 6;
    pub const MEMORY: usize = 7;
    pub const FINISHED: usize = 8;
    pub const STOPPED: usize = 9;
    pub const IDLE: usize = 10;
    pub const OF: [[&str; 11]; 4] = [
        [
            "plain_in_time",
            "plain_late",
            "plain_dropped",
            "plain_crashed",
            "plain_p50",
            "plain_oldest",
            "plain_peak",
            "plain_memory",
            "plain_finished",
            "plain_stopped",
            "plain_idle",
        ],
        [
            "drop_in_time",
            "drop_late",
            "drop_dropped",
            "drop_crashed",
            "drop_p50",
            "drop_oldest",
            "drop_peak",
            "drop_memory",
            "drop_finished",
            "drop_stopped",
            "drop_idle",
        ],
        [
            "press_in_time",
            "press_late",
            "press_dropped",
            "press_crashed",
            "press_p50",
            "press_oldest",
            "press_peak",
            "press_memory",
            "press_finished",
            "press_stopped",
            "press_idle",
        ],
        [
            "pull_in_time",
            "pull_late",
            "pull_dropped",
            "pull_crashed",
            "pull_p50",
            "pull_oldest",
            "pull_peak",
            "pull_memory",
            "pull_finished",
            "pull_stopped",
            "pull_idle",
        ],
    ];
    pub const PLAIN: [&str; 11] = OF[0];
    pub const DROP: [&str; 11] = OF[1];
    pub const PRESS: [&str; 11] = OF[2];
    pub const PULL: [&str; 11] = OF[3];
    pub const ITEMS: &str = "items";
    pub const CAPACITY: &str = "capacity";
    pub const LOAD: &str = "load";
    pub const GROWTH: &str = "growth";
    pub const FULL_AT: &str = "full_at";
}

const ITEMS: Unit = Unit::counted("items", text("items", "item"), "item", 0);
const KB: Unit = Unit::new("kb", same("KB"), 0);
const MB: Unit = Unit::new("mb", same("MB"), 1);

/// The four ways, as panels, rows and lines name them.
const WAYS: [Text; 4] = [
    text("no bound", "không giới hạn"),
    text("drops", "bỏ bớt"),
    text("backpressure", "backpressure"),
    text("pull", "pull"),
];

/// Loads tried, in percent of the capacity.
const LOADS: [u64; 7] = [50, 90, 100, 110, 125, 150, 200];
/// Most items of one such run: longer ones are cut short.
const MOST_ITEMS: u64 = 2_500;
/// Rows of a series that is drawn at most, about.
const MOST_ROWS: u64 = 300;
/// The stream of arrivals and work.
const STREAM: u64 = 0xbac0;

impl Lesson for Card {
    type Knobs = Backpressure;

    const ABOUT: About = About {
        slug: "backpressure",
        number: 21,
        theme: Theme::WaitingLines,
        title: text("Backpressure: who waits for the slow consumer?", "Backpressure: ai chờ consumer chậm?"),
        promise: text(
            "A producer twice as fast as its consumer. Something has to give: memory, items, or the producer’s pace.",
            "Producer nhanh gấp đôi consumer. Phải có thứ nhượng bộ: bộ nhớ, item, hay nhịp của producer.",
        ),
        lead: text(
            "A buffer between a fast producer and a slow consumer settles nothing; it only decides where the difference goes. Here the same two meet four times: with a buffer without bound, with one that drops, with a high-water mark at which the producer stops, and with a consumer that asks for what it can take. Drag the producer’s rate across the consumer’s capacity and watch which of the four turns first.",
            "Một buffer giữa producer nhanh và consumer chậm không giải quyết được gì; nó chỉ quyết định phần chênh lệch đi đâu. Ở đây cùng một cặp gặp nhau bốn lần: buffer không giới hạn, buffer bỏ bớt, high-water mark buộc producer dừng, và consumer tự xin phần nó làm được. Kéo tốc độ producer vượt qua năng lực của consumer và xem cách nào hỏng trước.",
        ),
        sources: &[(3, "backpressure")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Backpressure);

    fn plan(_knobs: &Backpressure) -> Plan {
        let mut plan = Plan::default();
        for (group, keys) in WAYS.into_iter().zip(figure::OF) {
            let labels = [
                (text("done in time", "xong kịp giờ"), ITEMS),
                (text("done too late", "xong trễ"), ITEMS),
                (text("dropped", "bị bỏ"), ITEMS),
                (text("lost with the process", "mất theo process"), ITEMS),
                (text("age of those in time, p50", "tuổi của item kịp giờ, p50"), units::MS),
                (text("oldest item when it was done", "item cũ nhất lúc xong"), units::MS),
                (text("buffer, at most", "buffer, nhiều nhất"), ITEMS),
                (text("memory, at most", "bộ nhớ, nhiều nhất"), MB),
                (text("last item done at", "item cuối xong lúc"), units::MS),
                (text("the producer stood still", "producer đứng chờ"), units::PERCENT),
                (text("the consumer stood idle", "consumer ngồi không"), units::PERCENT),
            ];
            keys.into_iter().zip(labels).for_each(|(key, (label, unit))| plan.figure(key, group, label, unit));
        }
        let load = text("Load", "Tải");
        let mut add = |key, label, unit| plan.figure(key, load, label, unit);
        add(figure::ITEMS, text("items to be made", "item cần tạo"), ITEMS);
        add(figure::CAPACITY, text("the consumer can do", "consumer làm được"), units::PER_SECOND);
        add(figure::LOAD, text("the producer’s share of that", "producer so với mức đó"), units::PERCENT);
        add(figure::GROWTH, text("a buffer without bound grows by", "buffer không giới hạn tăng"), units::PER_SECOND);
        let full = text("memory full by then, by formula", "bộ nhớ đầy lúc, theo công thức");
        add(figure::FULL_AT, full, units::MS);
        let level = [("way", units::PLAIN), ("at", units::MS), ("items", ITEMS)];
        plan.series("inside", &level);
        plan.series("age", &[level[0], level[1], ("age", units::MS)]);
        plan.series("sent", &[level[0], level[1], ("rate", units::PER_SECOND)]);
        plan.series("stops", &[level[0], ("what", units::PLAIN), ("from", units::MS), ("to", units::MS)]);
        plan.series("turn", &[level[0], ("load", units::PERCENT), ("missed", units::PERCENT), ("age", units::MS)]);
        plan.series("end", &[("at", units::MS)]);
        plan.books = WAYS.to_vec();
        plan
    }

    fn cost(knobs: &Backpressure) -> u64 {
        // An item is made and done; where it is dropped, only made.
        let turns: u64 = LOADS.iter().map(|&load| turn_items(knobs, load)).sum();
        8 * (knobs.items() + turns)
    }

    fn start(knobs: &Backpressure, seed: u64) -> Box<dyn Run> {
        let draws = Draws::new(seed, STREAM);
        let streams = knobs.flows().map(|flow| Stream::new(knobs.setup(flow), draws));
        Box::new(Ways { knobs: knobs.clone(), draws, streams, turns: Vec::new(), current: None })
    }
}

/// The producer's rate at a load, in thousandths of an item a second.
fn turn_rate(knobs: &Backpressure, load: u64) -> u64 {
    ((knobs.workers * load * 10_000_000) / knobs.work.as_us()).max(1)
}

/// How long it produces in those runs: as in the main one, or until it has made [`MOST_ITEMS`].
fn turn_length(knobs: &Backpressure, load: u64) -> Span {
    knobs.length.min(Span::us(MOST_ITEMS * 1_000_000_000 / turn_rate(knobs, load)))
}

fn turn_items(knobs: &Backpressure, load: u64) -> u64 {
    (u128::from(turn_rate(knobs, load)) * u128::from(turn_length(knobs, load).as_us()) / 1_000_000_000) as u64 + 1
}

/// One of the runs at other loads: way and load by its number.
fn turn(knobs: &Backpressure, n: usize) -> Option<(usize, u64, Setup)> {
    let (way, load) = (n % 4, *LOADS.get(n / 4)?);
    let rate = Rate::milli_per_s(turn_rate(knobs, load));
    Some((way, load, knobs.steady(knobs.flows()[way], rate, turn_length(knobs, load), None)))
}

struct Ways {
    knobs: Backpressure,
    draws: Draws,
    streams: [Stream; 4],
    /// Way, load, share that was not done in time in percent, age of the oldest in milliseconds.
    turns: Vec<[f64; 4]>,
    current: Option<Stream>,
}

/// The share of what was wanted that was not done in time, in percent.
fn missed(stream: &Stream) -> f64 {
    if stream.wanted == 0 { 0.0 } else { 100.0 - stream.in_time as f64 * 100.0 / stream.wanted as f64 }
}

impl Run for Ways {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        for stream in &mut self.streams {
            while left > 0 && stream.step() {
                left -= 1;
            }
        }
        while left > 0 {
            let Some((way, load, setup)) = turn(&self.knobs, self.turns.len()) else { break };
            let stream = self.current.get_or_insert_with(|| Stream::new(setup, self.draws));
            while left > 0 && stream.step() {
                left -= 1;
            }
            if left > 0 {
                let oldest = stream.ages.percentile(1.0).map_or(0.0, Span::as_ms);
                self.turns.push([way as f64, load as f64, missed(stream), oldest]);
                self.current = None;
            }
        }
        let done = left > 0;
        let main: u64 = self.streams.iter().map(|stream| stream.done).sum();
        let main = main as f64 / (8 * self.knobs.items()) as f64;
        let share = (main.min(1.0) + self.turns.len() as f64 * 0.25) / (1.0 + LOADS.len() as f64);
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let end = self.streams.iter().map(|s| s.now).max().unwrap_or(Time::ZERO).max(Time::ZERO + Span::ms(100));
        let [mut inside, mut ages, mut sent, mut stops] = [const { Vec::new() }; 4];
        for (way, (stream, keys)) in self.streams.iter().zip(figure::OF).enumerate() {
            let (mut fresh, mut all) = (stream.fresh.clone(), stream.ages.clone());
            let until = stream.finished;
            let stood: u64 = stream.stops.iter().map(|s| (s.1.min(stream.now) - s.0).as_us()).sum();
            let share = |part: f64, whole: f64| if whole > 0.0 { Some(part * 100.0 / whole) } else { None };
            let made = stream.last_sent();
            let busy = stream.busy.mean(until) / knobs.workers as f64;
            let values = [
                Some(stream.in_time as f64),
                Some(stream.late as f64),
                Some((stream.dropped + stream.turned_away) as f64),
                Some(stream.crashed as f64),
                fresh.percentile(0.5).map(Span::as_ms),
                all.percentile(1.0).map(Span::as_ms),
                Some(stream.level.peak() as f64),
                Some(stream.level.peak() as f64 * knobs.size as f64 / 1_000.0),
                (until > Time::ZERO).then(|| until.as_ms()),
                share(stood as f64, made.as_us() as f64),
                (until > Time::ZERO).then(|| ((1.0 - busy) * 100.0).max(0.0)),
            ];
            for (key, value) in keys.into_iter().zip(values) {
                if let Some(value) = value {
                    out.set(&plan, key, value);
                }
            }
            let row = way as f64;
            let width = Span::us(end.as_us() / MOST_ROWS);
            for stretch in stream.rows.chunk_by(|a, b| a.0.slot(width) == b.0.slot(width)) {
                let (highest, last) = (stretch.iter().max_by_key(|r| r.1), stretch.last());
                let both = highest.filter(|h| Some(*h) != last).into_iter().chain(last);
                inside.extend(both.flat_map(|r| [row, r.0.as_ms(), f64::from(r.1)]));
            }
            // Ages swing with the buffer: of wider stretches the oldest.
            let wide = Span::us(end.as_us() / 60);
            for stretch in stream.log.chunk_by(|a, b| a.0.slot(wide) == b.0.slot(wide)) {
                let oldest = stretch.iter().max_by_key(|r| r.1);
                ages.extend(oldest.into_iter().flat_map(|r| [row, r.0.as_ms(), r.1.as_ms()]));
            }
            // Tenths of a second, or more where that would be too many.
            let bins = stream.sent.counts();
            let each = (end.slot(SENT) as usize / 24 + 1).max(2);
            for (k, some) in bins.chunks(each).enumerate() {
                let rate = f64::from(some.iter().sum::<u32>()) * 10.0 / each as f64;
                sent.extend([row, (SENT * (k * each) as u64).as_ms(), rate]);
            }
            let near = Span::us(end.as_us() / 400);
            let mut add = |what: u8, spans: &mut dyn Iterator<Item = (Time, Time)>| {
                let mut joined: Vec<(Time, Time)> = Vec::new();
                for (from, to) in spans {
                    match joined.last_mut() {
                        Some(last) if from.since(last.1) < near => last.1 = last.1.max(to),
                        _ => joined.push((from, to)),
                    }
                }
                let of = |s: (Time, Time)| [row, f64::from(what), s.0.as_ms(), s.1.min(end).as_ms()];
                stops.extend(joined.into_iter().flat_map(of));
            };
            add(0, &mut stream.stops.iter().copied());
            add(1, &mut stream.losses.iter().map(|&at| (at, at)));
            add(2, &mut stream.outages.iter().copied());
            out.books.push(Book {
                offered: stream.wanted,
                good: stream.in_time,
                caller: stream.caller,
                server: stream.server,
            });
        }
        out.set(&plan, figure::ITEMS, self.streams[0].wanted as f64);
        let (capacity, rate) = (knobs.capacity(), knobs.rate as f64);
        out.set(&plan, figure::CAPACITY, capacity);
        out.set(&plan, figure::LOAD, rate * 100.0 / capacity);
        if rate > capacity {
            out.set(&plan, figure::GROWTH, rate - capacity);
            if !knobs.bursts() {
                out.set(&plan, figure::FULL_AT, f64::from(knobs.holds()) * 1e3 / (rate - capacity));
            }
        }
        out.fill(&plan, "inside", inside);
        out.fill(&plan, "age", ages);
        out.fill(&plan, "sent", sent);
        out.fill(&plan, "stops", stops);
        out.fill(&plan, "turn", self.turns.iter().flatten().copied().collect());
        out.fill(&plan, "end", vec![end.as_ms()]);
        out
    }
}
