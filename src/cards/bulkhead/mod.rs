//! Card 8, `bulkhead`: article 3, the shared pool.
//!
//! An API whose endpoints share a pool of connections, and a dependency that turns slow. The same calls go through one
//! shared pool, and through a bulkhead for each dependency: an own pool, a short queue, 503 beyond.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `calls.rs` | the run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod calls;
mod draw;
mod knobs;
mod words;

use overload_chart::{MOST_LANES, Text, Unit, sort_by_numbers, text, units};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Outcome, Plan};
use calls::{Calls, STOCK, Side};
use knobs::Bulkhead;

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    /// One pool for all endpoints.
    pub mod shared {
        pub const P50: &str = "shared_p50";
        pub const MAX: &str = "shared_max";
        pub const OK: &str = "shared_ok";
        pub const SHED: &str = "shared_shed";
        pub const FAILED: &str = "shared_failed";
        pub const LONGEST: &str = "shared_longest";
        pub const HELD: &str = "shared_held";
        pub const QUEUED: &str = "shared_queued";
        /// All that both sides have, in the plan's order.
        pub const ALL: [&str; 8] = [P50, MAX, OK, SHED, FAILED, LONGEST, HELD, QUEUED];
    }
    /// A bulkhead for each dependency.
    pub mod own {
        pub const P50: &str = "own_p50";
        pub const MAX: &str = "own_max";
        pub const OK: &str = "own_ok";
        pub const SHED: &str = "own_shed";
        pub const FAILED: &str = "own_failed";
        pub const LONGEST: &str = "own_longest";
        pub const HELD: &str = "own_held";
        pub const QUEUED: &str = "own_queued";
        pub const SHED_WELL: &str = "own_shed_well";
        pub const OTHERS_SHED: &str = "own_others_shed";
        /// All that both sides have, in the plan's order.
        pub const ALL: [&str; 8] = [P50, MAX, OK, SHED, FAILED, LONGEST, HELD, QUEUED];
    }
    /// When each alarm fires first, with one pool.
    pub mod alarm {
        pub const FLIGHT: &str = "alarm_flight";
        pub const WAIT: &str = "alarm_wait";
        pub const USERS: &str = "alarm_users";
        pub const TAIL: &str = "alarm_tail";
        pub const CPU: &str = "cpu_peak";
        /// With bulkheads: the first 503.
        pub const REFUSED: &str = "alarm_refused";
    }
    pub const CALLS: &str = "dep_calls";
    pub const STOCK_CALLS: &str = "stock_n";
    pub const FORMULA: &str = "formula_max";
    pub const WANTED_WELL: &str = "wanted_well";
    pub const WANTED_ILL: &str = "wanted_ill";
    pub const TOTAL: &str = "own_connections";
}

const CALLS: Unit = Unit::counted("calls", text("calls", "call"), "call", 0);
const CONNECTIONS: Unit = Unit::counted("connections", text("connections", "connection"), "connection", 0);

/// Rows of a series that is drawn at most, about.
const MOST_ROWS: f64 = 500.0;

/// The alarms, in the order of the chart's rows.
const ALARMS: [Text; 7] = [
    text("in flight to it", "in-flight tới nó"),
    text("503s", "503"),
    text("pool wait", "chờ pool"),
    text("users of /stock", "người dùng /stock"),
    text("its p99", "p99 của nó"),
    text("CPU", "CPU"),
    text("health check", "health check"),
];

impl Lesson for Card {
    type Knobs = Bulkhead;

    const ABOUT: About = About {
        slug: "bulkhead",
        number: 8,
        theme: Theme::LateAnswers,
        title: text("Bulkhead: one slow dependency, everybody waits", "Bulkhead: một dependency chậm, tất cả cùng chờ"),
        promise: text(
            "Forty slow queries take a pool of ten, and a query of 1 ms waits eight seconds. See who holds each connection.",
            "Bốn mươi query chậm chiếm pool mười connection, và một query 1 ms phải chờ tám giây. Xem ai giữ từng connection.",
        ),
        lead: text(
            "A slow dependency fails nothing. It holds what it was given, a little longer each time, until nobody else gets any. Here the same calls go through one shared pool and through a bulkhead: an own pool, a short queue, 503 beyond. Each connection is a lane; one sees who holds it, who waits, and which alarm would have told.",
            "Dependency chậm không làm gì lỗi cả. Nó chỉ giữ thứ được cấp lâu hơn, cho tới khi không ai khác còn gì. Ở đây cùng các call ấy đi qua một pool chung, và qua bulkhead: pool riêng, hàng chờ ngắn, quá nữa thì 503. Mỗi connection là một làn; nhìn thấy ai giữ, ai chờ, và cảnh báo nào lẽ ra đã lên tiếng.",
        ),
        sources: &[(3, "bulkhead")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Bulkhead);

    fn plan(_knobs: &Bulkhead) -> Plan {
        let mut plan = Plan::default();
        let sides = [
            (text("One shared pool", "Một pool chung"), figure::shared::ALL),
            (text("With bulkheads", "Có bulkhead"), figure::own::ALL),
        ];
        for (group, keys) in sides {
            let labels = [
                (text("/stock, p50", "/stock, p50"), units::MS),
                (text("/stock, longest", "/stock, lâu nhất"), units::MS),
                (text("dependency: answered", "dependency: có trả lời"), CALLS),
                (text("dependency: 503", "dependency: 503"), CALLS),
                (text("dependency: failed", "dependency: lỗi"), CALLS),
                (text("dependency: longest answer", "dependency: trả lời lâu nhất"), units::MS),
                (text("connections it holds at most", "connection nó giữ, nhiều nhất"), CONNECTIONS),
                (text("its calls waiting at most", "call của nó phải chờ, nhiều nhất"), CALLS),
            ];
            keys.into_iter().zip(labels).for_each(|(key, (label, unit))| plan.figure(key, group, label, unit));
        }
        let own = sides[1].0;
        plan.figure(figure::own::SHED_WELL, own, text("503 while it was well", "503 lúc nó khoẻ"), CALLS);
        plan.figure(figure::own::OTHERS_SHED, own, text("503 of other dependencies", "503 của dependency khác"), CALLS);
        plan.figure(figure::TOTAL, own, text("connections in all", "tổng số connection"), CONNECTIONS);
        let alarms = text("Alarms, with one pool", "Cảnh báo, với một pool chung");
        let mut add = |key, label, unit| plan.figure(key, alarms, label, unit);
        add(
            figure::alarm::FLIGHT,
            text("calls in flight to the dependency", "call in-flight tới dependency"),
            units::MS,
        );
        add(figure::alarm::WAIT, text("wait for a connection", "chờ connection"), units::MS);
        add(figure::alarm::USERS, text("users of /stock notice", "người dùng /stock nhận ra"), units::MS);
        add(figure::alarm::TAIL, text("p99 of the dependency", "p99 của dependency"), units::MS);
        add(figure::alarm::CPU, text("CPU, at most", "CPU, cao nhất"), units::PERCENT);
        add(figure::alarm::REFUSED, text("first 503 of a bulkhead", "503 đầu tiên của bulkhead"), units::MS);
        let load = text("Load", "Tải");
        let mut add = |key, label, unit| plan.figure(key, load, label, unit);
        add(figure::CALLS, text("calls to the dependency", "call tới dependency"), CALLS);
        add(figure::STOCK_CALLS, text("calls to /stock", "call tới /stock"), CALLS);
        let wanted = Unit { decimals: 1, ..CONNECTIONS };
        add(figure::WANTED_WELL, text("connections wanted when well", "connection cần lúc khoẻ"), wanted);
        add(figure::WANTED_ILL, text("connections wanted when ill", "connection cần lúc có vấn đề"), wanted);
        add(figure::FORMULA, text("/stock, longest, by formula", "/stock, lâu nhất, theo công thức"), units::MS);

        for key in ["shared_stock", "own_stock"] {
            plan.series(key, &[("at", units::MS), ("latency", units::MS)]);
        }
        for key in ["shared_line", "own_line"] {
            plan.series(key, &[("at", units::MS), ("waiting", CALLS), ("flight", CALLS)]);
        }
        let holds = [
            ("side", units::PLAIN),
            ("lane", units::PLAIN),
            ("who", units::PLAIN),
            ("from", units::MS),
            ("to", units::MS),
        ];
        plan.series("holds", &holds);
        let fired = [("side", units::PLAIN), ("alarm", units::PLAIN), ("from", units::MS), ("to", units::MS)];
        plan.series("alarms", &fired);
        plan.series("end", &[("at", units::MS)]);
        plan.books = sides.map(|(name, _)| name).to_vec();
        plan
    }

    fn cost(knobs: &Bulkhead) -> u64 {
        4 * knobs.total().max(1)
    }

    fn start(knobs: &Bulkhead, seed: u64) -> Box<dyn Run> {
        Box::new(Both { knobs: knobs.clone(), calls: Calls::new(knobs, seed) })
    }
}

/// How many connections of each pool are drawn. /stock's own pool gives way first, down to two: few of its connections are
/// ever used; then those of the dependencies that stay well.
fn lanes(knobs: &Bulkhead, apart: bool) -> Vec<usize> {
    if !apart {
        return vec![(knobs.pool as usize).min(MOST_LANES)];
    }
    let others = knobs.deps as usize - 1;
    let ill = (knobs.own as usize).min(MOST_LANES - 2 - others);
    let main = (knobs.rest() as usize).min(MOST_LANES - ill - others);
    let mut out = vec![main, ill];
    out.resize(2 + others, 1);
    out
}

/// The lane of a connection, the dependencies' own pools above /stock's; `None`: not drawn.
fn lane(lanes: &[usize], part: usize, connection: usize) -> Option<usize> {
    let before: usize = if part == 0 { lanes[1..].iter().sum() } else { lanes[1..part].iter().sum() };
    (connection < lanes[part]).then_some(before + connection)
}

struct Both {
    knobs: Bulkhead,
    calls: Calls,
}

impl Both {
    /// The longest wait of /stock by formula: the first call waits until a connection is free after floor(n ÷ pool) rounds of
    /// slow calls. Where the last round is full that is ceil(n ÷ pool)·slow − t; where it is not, its free connections serve
    /// /stock a round earlier. Only for calls at once, with nobody else in the pool.
    fn formula(&self) -> Option<f64> {
        let k = &self.knobs;
        let alone = !k.steady() && k.deps == 1;
        let wait = (k.ill_for() * (k.calls / k.pool)).saturating_sub(k.stock_first);
        alone.then(|| (wait + k.stock).as_ms())
    }

    /// From when to when each alarm of a side was on, in the order of [`ALARMS`].
    fn alarms(&self, side: &Side) -> [Vec<(Time, Time)>; 5] {
        let k = &self.knobs;
        [
            side.crowded(k.flight_alarm),
            side.refusals(),
            side.long_waits(k.wait_alarm),
            side.users_wait(k.users_alarm),
            side.tail.clone(),
        ]
    }
}

impl Run for Both {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.calls.advance(events);
        let share = self.calls.done() as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let sides = &self.calls.sides;
        let end = sides.iter().map(|side| side.now).max().unwrap_or(Time::ZERO).max(Time::ZERO + Span::ms(100));
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        for (side, [p50, max, ok, shed, failed, longest, held, queued]) in
            sides.iter().zip([figure::shared::ALL, figure::own::ALL])
        {
            let mut stock = side.stock.clone();
            set(p50, stock.percentile(0.5).map(Span::as_ms));
            set(max, stock.percentile(1.0).map(Span::as_ms));
            set(ok, Some(side.ok as f64));
            set(shed, Some(side.shed as f64));
            set(failed, Some(side.failed as f64));
            set(longest, (side.ok + side.failed > 0).then(|| side.longest.as_ms()));
            set(held, Some(side.held.peak() as f64));
            set(queued, Some(side.queued.peak() as f64));
        }
        let [shared, own] = sides;
        set(figure::own::SHED_WELL, Some(own.shed_well as f64));
        set(figure::own::OTHERS_SHED, Some(own.others_shed as f64));
        set(figure::TOTAL, Some((knobs.rest() + knobs.own * knobs.deps) as f64));
        let alarms = sides.each_ref().map(|side| self.alarms(side));
        let first = |on: &[(Time, Time)]| on.first().map(|span| span.0.as_ms());
        let [flight, _, wait, users, tail] = &alarms[0];
        set(figure::alarm::FLIGHT, first(flight));
        set(figure::alarm::WAIT, first(wait));
        set(figure::alarm::USERS, first(users));
        set(figure::alarm::TAIL, first(tail));
        set(figure::alarm::REFUSED, first(&alarms[1][1]));
        set(figure::alarm::CPU, Some(shared.cpu_peak()));
        let of_stock = shared.calls.iter().filter(|call| usize::from(call.who) == STOCK).count();
        let of_dep = shared.calls.iter().filter(|call| usize::from(call.who) == calls::ILL).count();
        set(figure::CALLS, Some(of_dep as f64));
        set(figure::STOCK_CALLS, Some(of_stock as f64));
        let [well, ill] = knobs.wanted();
        set(figure::WANTED_WELL, knobs.steady().then_some(well));
        set(figure::WANTED_ILL, knobs.ever_ill().then_some(ill));
        set(figure::FORMULA, self.formula());

        let mut holds = Vec::new();
        let mut fired = Vec::new();
        for (i, side) in sides.iter().enumerate() {
            let [stock, line] = [["shared_stock", "shared_line"], ["own_stock", "own_line"]][i];
            let mine = side.calls.iter().filter(|c| usize::from(c.who) == STOCK && c.end < Time::MAX);
            out.fill(&plan, stock, mine.flat_map(|c| [c.at.as_ms(), (c.end - c.at).as_ms()]).collect());
            out.fill(
                &plan,
                line,
                thinned(&side.rows, end).iter().flat_map(|r| [r.0.as_ms(), r.1 as f64, r.2 as f64]).collect(),
            );
            let shown = lanes(knobs, i == 1);
            let near = Span::us(end.as_us() / MOST_ROWS as u64);
            // Short calls that follow in a lane within less than can be seen are drawn as one.
            let mut last = [None::<usize>; MOST_LANES];
            let mut rows: Vec<(usize, u8, Time, Time)> = Vec::new();
            for (part, call, to) in side.holds() {
                let Some(lane) = lane(&shown, part, call.connection as usize) else { continue };
                match last[lane].map(|at| &mut rows[at]) {
                    Some(row) if row.1 == call.who && to.since(row.3) < near => row.3 = row.3.max(to),
                    _ => {
                        last[lane] = Some(rows.len());
                        rows.push((lane, call.who, call.start, to));
                    }
                }
            }
            sort_by_numbers(&mut rows, |row| [row.0 as f64, row.2.as_us() as f64]);
            holds.extend(
                rows.iter().flat_map(|&(lane, who, from, to)| {
                    [i as f64, lane as f64, f64::from(who), from.as_ms(), to.as_ms()]
                }),
            );
            for (alarm, spans) in alarms[i].iter().enumerate() {
                let mut joined: Vec<(Time, Time)> = Vec::new();
                for &(from, to) in spans {
                    match joined.last_mut() {
                        Some(last) if from.since(last.1) < near => last.1 = last.1.max(to),
                        _ => joined.push((from, to)),
                    }
                }
                fired.extend(joined.iter().flat_map(|s| [i as f64, alarm as f64, s.0.as_ms(), s.1.as_ms()]));
            }
        }
        out.fill(&plan, "holds", holds);
        out.fill(&plan, "alarms", fired);
        out.fill(&plan, "end", vec![end.as_ms()]);
        out.books = vec![shared.book, own.book];
        out
    }
}

/// About [`MOST_ROWS`] of the rows: of each stretch of time the last, and the one with the most calls in flight.
fn thinned(rows: &[(Time, u64, u64)], end: Time) -> Vec<(Time, u64, u64)> {
    let width = Span::us(end.as_us() / MOST_ROWS as u64);
    let mut out: Vec<(Time, u64, u64)> = Vec::new();
    for stretch in rows.chunk_by(|a, b| a.0.slot(width) == b.0.slot(width)) {
        let (highest, last) = (stretch.iter().max_by_key(|row| (row.1, row.2)), stretch.last());
        out.extend(highest.filter(|highest| Some(*highest) != last));
        out.extend(last);
    }
    out
}
