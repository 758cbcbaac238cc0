//! Card 5, `deadline`: article 1, card 037.
//!
//! One request through hosts that wait for each other, drawn as a waterfall: as set, and with nobody told how long it is
//! wanted. Then many of them before a service with too few slots, readers behind a cache, and clocks that disagree.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `request.rs` | one request: its hosts |
//! | `load.rs` | many requests |
//! | `cache.rs` | readers behind a cache |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod cache;
mod draw;
mod knobs;
mod load;
mod request;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::chain::Chain;
use overload_sim::deadline::tree::{Carry, Trace};
use overload_sim::ledger::{Ending, Fate};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use cache::Readers;
use knobs::{Deadline, Shape, Way};
use request::Status;

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    pub const TOOK: &str = "took";
    /// 1 with an answer, 0 without.
    pub const ANSWERED: &str = "answered";
    pub const MISSING: &str = "missing";
    /// How long A, B, C were waited for.
    pub const PARTS: [&str; 3] = ["a_took", "b_took", "c_took"];
    pub const SLACK: &str = "slack";
    pub const RESERVE: &str = "reserve";
    pub const TRIES: &str = "tries";
    pub const ORPHAN: &str = "orphan";
    pub const WORKERS: &str = "workers";
    /// The same with nobody told.
    pub const UNTOLD_ANSWERED: &str = "untold_answered";
    pub const UNTOLD_TOOK: &str = "untold_took";
    pub const UNTOLD_ORPHAN: &str = "untold_orphan";
    pub const UNTOLD_WORKERS: &str = "untold_workers";
    /// At the present skew, told by the header alone.
    pub const SKEW_ABSOLUTE: &str = "skew_absolute";
    pub const SKEW_RELATIVE: &str = "skew_relative";
    /// Under load; as set, with nobody told.
    pub const OFFERED: &str = "load_offered";
    pub const CAPACITY: &str = "load_capacity";
    pub const GOOD: [&str; 2] = ["load_good", "load_untold_good"];
    pub const WASTED: [&str; 2] = ["load_wasted", "load_untold_wasted"];
    pub const DROPPED: &str = "load_dropped";
    /// Behind the cache; with marked answers, with unmarked ones.
    pub const INCOMPLETE: [&str; 2] = ["marked_incomplete", "unmarked_incomplete"];
    pub const LASTING: [&str; 2] = ["marked_lasting", "unmarked_lasting"];
    pub const ORIGIN: [&str; 2] = ["marked_origin", "unmarked_origin"];
}

const ANSWERED: Text =
    text("it is an answer (1), or an error or nothing (0)", "đó là câu trả lời (1), hay lỗi hoặc không gì cả (0)");
const PARTS: Unit = Unit::counted("parts", text("parts", "phần"), "part", 0);
const TRIES: Unit = Unit::counted("tries", text("tries", "lần thử"), "try", 0);
const WORKERS: Unit = Unit::counted("workers", text("workers", "worker"), "worker", 0);
const READERS: Unit = Unit::counted("readers", text("readers", "người đọc"), "reader", 0);
const REQUESTS: Unit = Unit::counted("requests", text("requests", "request"), "request", 0);
const CALLS: Unit = units::CALLS;

/// Half of the skews that are tried; the other half is the other way.
const SKEWS: i64 = 20;
/// How far they reach at least.
const SKEW_REACH: Span = Span::s(2);

impl Lesson for Card {
    type Knobs = Deadline;

    const ABOUT: About = About {
        slug: "deadline",
        number: 5,
        theme: Theme::LateAnswers,
        title: text("Deadline: who still works for nobody", "Deadline: ai vẫn đang làm cho không ai cả"),
        promise: text(
            "A timeout frees the caller, not those it called. See who works on after everybody has left, and what telling them saves.",
            "Timeout giải phóng phía gọi, không giải phóng phía được gọi. Xem ai vẫn làm khi mọi người đã bỏ đi, và báo cho họ thì được gì.",
        ),
        lead: text(
            "A timeout is how long one call is waited for. A deadline is the moment after which nobody needs the result, and it is worth something only if everybody below knows it. Here one request goes through three services, twice: with the deadline sent along, and with nobody told.",
            "Timeout là thời gian chờ một call. Deadline là thời điểm mà sau đó không ai còn cần kết quả, và nó chỉ có ích khi mọi service bên dưới đều biết. Ở đây một request đi qua ba service, hai lần: có gửi deadline đi cùng, và không ai được báo gì.",
        ),
        sources: &[(1, "037")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Deadline);

    fn plan(_knobs: &Deadline) -> Plan {
        let mut plan = Plan::default();
        let group = text("This request", "Request này");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add(
            figure::TOOK,
            text("the client is answered, or leaves, after", "client có trả lời, hoặc bỏ đi, sau"),
            units::MS,
        );
        add(figure::ANSWERED, ANSWERED, units::PLAIN);
        add(figure::MISSING, text("parts that the answer lacks", "phần thiếu trong câu trả lời"), PARTS);
        let parts = [
            text("A is waited for", "thời gian chờ A"),
            text("B is waited for", "thời gian chờ B"),
            text("C is waited for", "thời gian chờ C"),
        ];
        figure::PARTS.into_iter().zip(parts).for_each(|(key, label)| add(key, label, units::MS));
        add(figure::SLACK, text("left of the deadline at the answer", "còn lại của deadline lúc trả lời"), units::MS);
        add(
            figure::RESERVE,
            text(
                "deadline less the timeouts of A and the longer of B and C",
                "deadline trừ timeout của A và timeout dài hơn của B, C",
            ),
            units::MS,
        );
        add(figure::TRIES, text("tries of the first call", "số lần thử của call đầu"), TRIES);
        add(figure::ORPHAN, text("orphaned work", "công việc mồ côi"), units::MS);
        add(
            figure::WORKERS,
            text("workers busy with it at the rate below", "worker bận vì nó, ở tốc độ bên dưới"),
            WORKERS,
        );
        let group = text("The same, nobody told", "Vẫn vậy, không ai được báo");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add(
            figure::UNTOLD_TOOK,
            text("the client is answered, or leaves, after", "client có trả lời, hoặc bỏ đi, sau"),
            units::MS,
        );
        add(figure::UNTOLD_ANSWERED, ANSWERED, units::PLAIN);
        add(figure::UNTOLD_ORPHAN, text("orphaned work", "công việc mồ côi"), units::MS);
        add(
            figure::UNTOLD_WORKERS,
            text("workers busy with it at the rate below", "worker bận vì nó, ở tốc độ bên dưới"),
            WORKERS,
        );
        let group = text("Told by the header alone", "Chỉ báo bằng header");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add(figure::SKEW_ABSOLUTE, text("orphaned work, a moment sent", "công việc mồ côi, gửi thời điểm"), units::MS);
        add(
            figure::SKEW_RELATIVE,
            text("orphaned work, time left sent", "công việc mồ côi, gửi thời gian còn lại"),
            units::MS,
        );
        let group = text("Many requests", "Nhiều request");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add(figure::OFFERED, text("offered load", "tải đưa vào"), units::PER_SECOND);
        add(figure::CAPACITY, text("capacity of the service", "năng lực của service"), units::PER_SECOND);
        add(
            figure::GOOD[0],
            text("goodput while it lasts, as set", "goodput trong lúc đó, theo thiết lập"),
            units::PER_SECOND,
        );
        add(
            figure::GOOD[1],
            text("goodput while it lasts, nobody told", "goodput trong lúc đó, không ai được báo"),
            units::PER_SECOND,
        );
        add(figure::WASTED[0], text("work wasted, as set", "công bị phí, theo thiết lập"), units::PERCENT);
        add(figure::WASTED[1], text("work wasted, nobody told", "công bị phí, không ai được báo"), units::PERCENT);
        add(figure::DROPPED, text("calls dropped unserved, as set", "call bị bỏ trước khi làm, theo thiết lập"), CALLS);
        let group = text("Behind the cache", "Phía sau cache");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        let sides = [
            (
                text("incomplete pages, marked partial", "trang thiếu, có cờ partial"),
                text("incomplete pages after C is well, marked", "còn trang thiếu sau khi C khoẻ, có cờ"),
                text("requests to the origin, marked", "request tới origin, có cờ"),
            ),
            (
                text("incomplete pages, not marked", "trang thiếu, không có cờ"),
                text("incomplete pages after C is well, not marked", "còn trang thiếu sau khi C khoẻ, không cờ"),
                text("requests to the origin, not marked", "request tới origin, không cờ"),
            ),
        ];
        for (i, (incomplete, lasting, origin)) in sides.into_iter().enumerate() {
            add(figure::INCOMPLETE[i], incomplete, READERS);
            add(figure::LASTING[i], lasting, units::S);
            add(figure::ORIGIN[i], origin, REQUESTS);
        }

        let (n, ms) = (units::PLAIN, units::MS);
        plan.series(
            "visits",
            &[
                ("panel", n),
                ("row", n),
                ("arrived", ms),
                ("wanted_until", ms),
                ("stopped", ms),
                ("stop", n),
                ("ended", ms),
                ("end", n),
            ],
        );
        plan.series(
            "calls",
            &[
                ("panel", n),
                ("row", n),
                ("sent", ms),
                ("own", ms),
                ("left", ms),
                ("timeout", ms),
                ("ended", ms),
                ("end", n),
            ],
        );
        plan.series("end", &[("last", ms), ("status", n), ("untold_status", n)]);
        plan.series(
            "skews",
            &[("skew", ms), ("absolute", ms), ("status", n), ("relative", ms), ("status_relative", n)],
        );
        plan.series(
            "seconds",
            &[
                ("at", units::S),
                ("offered", REQUESTS),
                ("good", REQUESTS),
                ("untold_good", REQUESTS),
                ("wasted", CALLS),
                ("untold_wasted", CALLS),
                ("useful", CALLS),
                ("untold_useful", CALLS),
            ],
        );
        plan.series("pages", &[("at", units::S), ("readers", READERS), ("marked", READERS), ("unmarked", READERS)]);
        plan.books = SIDES.map(|(name, _)| name).to_vec();
        plan
    }

    fn cost(knobs: &Deadline) -> u64 {
        let each = if knobs.shape == Shape::Fan && knobs.db { 30 } else { 14 };
        (2 + 2 * (2 * SKEWS as u64 + 1)) * each + 2 * knobs.load_cost() + 2 * knobs.reader_count()
    }

    fn start(knobs: &Deadline, seed: u64) -> Box<dyn Run> {
        let chain = |knobs: &Deadline| {
            let mut chain = Chain::new(knobs.load(), seed);
            chain.count_until(Time::ZERO + knobs.load_for);
            chain
        };
        Box::new(All {
            knobs: knobs.clone(),
            seed,
            traces: Vec::new(),
            skews: Vec::new(),
            loads: [chain(knobs), chain(&knobs.untold())],
            readers: None,
            events: 0,
            debt: 0,
        })
    }
}

/// The books, and whether each is that of many requests.
const SIDES: [(Text, bool); 4] = [
    (text("This request, as set", "Request này, theo thiết lập"), false),
    (text("This request, nobody told", "Request này, không ai được báo"), false),
    (text("Many requests, as set", "Nhiều request, theo thiết lập"), true),
    (text("Many requests, nobody told", "Nhiều request, không ai được báo"), true),
];

/// What both panels are called.
const PANELS: [Text; 2] = [text("as set", "theo thiết lập"), text("nobody told", "không ai được báo")];

/// The rows of the picture.
fn rows(knobs: &Deadline) -> Vec<Text> {
    let client = same("client");
    match knobs.shape {
        Shape::Fan if knobs.db => vec![
            client,
            same("API"),
            same("A"),
            text("query A", "query A"),
            same("B"),
            text("query B", "query B"),
            same("C"),
            text("query C", "query C"),
        ],
        Shape::Fan => vec![client, same("API"), same("A"), same("B"), same("C")],
        Shape::Chain => vec![client, same("BFF"), same("service"), same("database")],
        Shape::Route => {
            let tries = [
                text("try 1", "lần 1"),
                text("try 2", "lần 2"),
                text("try 3", "lần 3"),
                text("try 4", "lần 4"),
                text("try 5", "lần 5"),
                text("try 6", "lần 6"),
                text("try 7", "lần 7"),
            ];
            [client, same("gateway")].into_iter().chain(tries.into_iter().take(1 + knobs.retries as usize)).collect()
        }
    }
}

struct All {
    knobs: Deadline,
    seed: u64,
    /// The request as set, and with nobody told.
    traces: Vec<Trace>,
    /// Skew in microseconds, and what came of it with a moment sent and with the time left sent.
    skews: Vec<(i64, [(Span, Status); 2])>,
    loads: [Chain; 2],
    readers: Option<Readers>,
    events: u64,
    /// Events done beyond those asked for.
    debt: u64,
}

impl All {
    /// The knobs with the header alone to tell, and clocks off by so many microseconds.
    fn skewed(&self, skew: i64, carry: Carry) -> Deadline {
        Deadline {
            carry,
            hears: false,
            skew: Span::us(skew.unsigned_abs()),
            skew_way: if skew < 0 { Way::Behind } else { Way::Ahead },
            ..self.knobs.clone()
        }
    }

    /// The next run that is not one of many requests: how many events it had; `None` where all have been made.
    fn small(&mut self) -> Option<u64> {
        if self.traces.len() < 2 {
            let knobs = if self.traces.is_empty() { self.knobs.clone() } else { self.knobs.untold() };
            let trace = knobs.request(self.seed);
            let events = trace.events;
            self.traces.push(trace);
            return Some(events);
        }
        let tried = self.skews.len() as i64;
        // The present skew is the last one.
        if tried <= 2 * SKEWS + 1 {
            let reach = SKEW_REACH.max(self.knobs.skew).as_us().cast_signed();
            let skew = if tried > 2 * SKEWS { self.knobs.clock() } else { reach * (tried - SKEWS) / SKEWS };
            let mut events = 0;
            let both = [Carry::Absolute, Carry::Relative].map(|carry| {
                let trace = self.skewed(skew, carry).request(self.seed);
                events += trace.events;
                (trace.orphaned_work(), Status::of(&trace).0)
            });
            self.skews.push((skew, both));
            return Some(events);
        }
        if self.readers.is_none() {
            let origin = [self.knobs.takes[2], self.knobs.c_well].map(|takes| {
                let [a, b, _] = self.knobs.takes;
                let knobs = Deadline { takes: [a, b, takes], leaves: false, ..self.knobs.clone() };
                let trace = knobs.request(self.seed);
                (Status::of(&trace).0, trace.answered().0 - Time::ZERO)
            });
            let readers = cache::run(&self.knobs, origin);
            let events = readers.events;
            self.readers = Some(readers);
            return Some(events);
        }
        None
    }
}

impl Run for All {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(events);
        let mut done = false;
        while left > 0 && !done {
            let used = match self.small() {
                Some(used) => used.max(1),
                None => {
                    // As many as there are left, but not so many that a run of few is not counted.
                    let piece = left.min(1_000);
                    let over = self.loads[0].advance(piece);
                    done = over && self.loads[1].advance(piece);
                    piece
                }
            };
            self.events += used;
            self.debt += used.saturating_sub(left);
            left = left.saturating_sub(used);
        }
        let share = self.events as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        out.books = vec![Book::default(); SIDES.len()];
        let mut status = [Status::Full; 2];
        let (mut visits, mut calls) = (Vec::new(), Vec::new());
        let mut last = knobs.deadline().min(Span::s(120));
        for (panel, trace) in self.traces.iter().enumerate() {
            let (at, _) = trace.answered();
            let (how, missing) = Status::of(trace);
            status[panel] = how;
            last = last.max(at - Time::ZERO);
            let answered = f64::from(u8::from(matches!(how, Status::Full | Status::Partial)));
            let orphan = trace.orphaned_work();
            let workers = orphan.as_s() * knobs.load_rate as f64;
            if panel == 0 {
                out.set(&plan, figure::TOOK, at.as_ms());
                out.set(&plan, figure::ANSWERED, answered);
                if let Some(missing) = missing {
                    out.set(&plan, figure::MISSING, missing as f64);
                }
                let deadline = knobs.deadline();
                if deadline < Span::MAX && how != Status::Left {
                    out.set(&plan, figure::SLACK, deadline.as_ms() - at.as_ms());
                }
                if let Some(first) = trace.top().next() {
                    out.set(&plan, figure::TRIES, f64::from(first.tries));
                }
                out.set(&plan, figure::ORPHAN, orphan.as_ms());
                out.set(&plan, figure::WORKERS, workers);
                if knobs.shape == Shape::Fan {
                    let [a, b, c] = knobs.limits.map(Span::as_ms);
                    out.set(&plan, figure::RESERVE, knobs.total.as_ms() - a - b.max(c));
                    for (key, flight) in figure::PARTS.into_iter().zip(trace.top()) {
                        if let Some((ended, _)) = flight.ended {
                            out.set(&plan, key, (ended - flight.sent).as_ms());
                        }
                    }
                }
            } else {
                out.set(&plan, figure::UNTOLD_TOOK, at.as_ms());
                out.set(&plan, figure::UNTOLD_ANSWERED, answered);
                out.set(&plan, figure::UNTOLD_ORPHAN, orphan.as_ms());
                out.set(&plan, figure::UNTOLD_WORKERS, workers);
            }
            out.books[panel] = book(trace, how);
            for (i, visit) in trace.visits.iter().enumerate() {
                let (Some(arrived), Some((stopped, stop)), Some((ended, end))) =
                    (visit.arrived, visit.stopped, visit.ended)
                else {
                    continue;
                };
                last = last.max(stopped - Time::ZERO);
                let row = knobs.row(visit.host, visit.number);
                let wanted = trace.wanted_until(i).min(stopped).max(arrived);
                visits.extend([panel as f64, row as f64, arrived.as_ms(), wanted.as_ms(), stopped.as_ms()]);
                visits.extend([f64::from(stop as u8), ended.as_ms(), f64::from(end as u8)]);
            }
            for flight in trace.flights.iter().skip(1) {
                let Some((ended, end)) = flight.ended else { continue };
                // No limit is −1.
                let ms = |span: Span| if span == Span::MAX { -1.0 } else { span.as_ms() };
                let row = knobs.row(flight.call.to, flight.tries.saturating_sub(1));
                calls.extend([panel as f64, row as f64, flight.sent.as_ms()]);
                let own = if flight.call.per_try < Span::MAX { flight.call.per_try } else { flight.call.limit };
                let left = if flight.call.within { ms(flight.left) } else { -1.0 };
                calls.extend([ms(own), left, ms(flight.timeout), ended.as_ms(), f64::from(end as u8)]);
            }
        }
        out.fill(&plan, "visits", visits);
        out.fill(&plan, "calls", calls);
        let [told, untold] = status.map(|s| f64::from(s as u8));
        out.fill(&plan, "end", vec![last.as_ms(), told, untold]);

        let sweep = self.skews.len().min(2 * SKEWS as usize + 1);
        let row = |(skew, both): &(i64, [(Span, Status); 2])| {
            let [(a, b), (c, d)] = *both;
            [*skew as f64 / 1e3, a.as_ms(), f64::from(b as u8), c.as_ms(), f64::from(d as u8)]
        };
        out.fill(&plan, "skews", self.skews[..sweep].iter().flat_map(row).collect());
        if let Some((_, [absolute, relative])) = self.skews.get(sweep) {
            out.set(&plan, figure::SKEW_ABSOLUTE, absolute.0.as_ms());
            out.set(&plan, figure::SKEW_RELATIVE, relative.0.as_ms());
        }

        self.many(&plan, &mut out);
        self.pages(&plan, &mut out);
        out
    }
}

impl All {
    /// What came of many requests.
    fn many(&self, plan: &Plan, out: &mut Outcome) {
        let knobs = &self.knobs;
        out.set(plan, figure::CAPACITY, knobs.load_slots as f64 / knobs.load_work.as_s());
        let length = knobs.load_for.as_s();
        for (side, chain) in self.loads.iter().enumerate() {
            let book = load::book(chain);
            out.books[2 + side] = book;
            if side == 0 {
                out.set(plan, figure::OFFERED, book.offered as f64 / length);
                out.set(plan, figure::DROPPED, book.server.dropped_expired as f64);
            }
            // Answers while requests come, as requests are counted: those of the time after belong to no second of load.
            out.set(plan, figure::GOOD[side], chain.book().good_until as f64 / length);
            let done = book.server.useful + book.server.wasted;
            if done > 0 {
                out.set(plan, figure::WASTED[side], book.server.wasted as f64 / done as f64 * 100.0);
            }
        }
        let [told, untold] = [0, 1].map(|side| &self.loads[side].book().seconds[..]);
        let ended = self.loads.each_ref().map(|c| c.book().ended_seconds()).into_iter().min().unwrap_or(0);
        let mut seconds = Vec::new();
        for (i, (a, b)) in told.iter().zip(untold).take(ended).enumerate() {
            seconds.push(i as f64);
            let counts = [a.users, a.good, b.good, a.wasted, b.wasted, a.useful, b.useful];
            seconds.extend(counts.map(f64::from));
        }
        out.fill(plan, "seconds", seconds);
    }

    /// What readers got.
    fn pages(&self, plan: &Plan, out: &mut Outcome) {
        let Some(readers) = self.readers.as_ref().filter(|_| self.knobs.shape == Shape::Fan) else { return };
        for side in 0..2 {
            out.set(plan, figure::INCOMPLETE[side], readers.incomplete[side] as f64);
            out.set(plan, figure::LASTING[side], readers.lasting[side].as_s());
            out.set(plan, figure::ORIGIN[side], readers.origin[side] as f64);
        }
        let row = |(at, s): (usize, &cache::Second)| {
            [at as f64, f64::from(s.readers), f64::from(s.incomplete[0]), f64::from(s.incomplete[1])]
        };
        out.fill(plan, "pages", readers.seconds.iter().enumerate().flat_map(row).collect());
    }
}

/// Both ledgers of one request: every try of every call, the client's too.
fn book(trace: &Trace, status: Status) -> Book {
    use overload_sim::deadline::tree::{End, Stop};
    let mut book =
        Book { offered: 1, good: u64::from(matches!(status, Status::Full | Status::Partial)), ..Book::default() };
    for (i, visit) in trace.visits.iter().enumerate() {
        book.caller.start();
        // Who was left before the connection stood was never sent anything.
        let sent = visit.arrived.is_some();
        book.caller.end(match visit.ended.map(|e| e.1) {
            _ if !sent => Ending::Rejected,
            Some(End::Done) => Ending::Ok,
            Some(End::Error) => Ending::Error,
            Some(End::Timeout) => Ending::Timeout,
            Some(End::Skipped) => Ending::Rejected,
            Some(End::Cancelled) | None => Ending::Cancelled,
        });
        if sent {
            book.server.arrive();
            book.server.settle(match visit.stopped.map(|s| s.1) {
                Some(Stop::Done) if trace.orphaned(i).is_none() => Fate::Useful,
                Some(Stop::Done | Stop::Told | Stop::Expired) => Fate::Wasted,
                Some(Stop::Failed) => Fate::Refused,
                Some(Stop::Refused) => Fate::DroppedExpired,
                None => Fate::Lost,
            });
        }
    }
    for flight in trace.flights.iter().filter(|f| f.ended.is_some_and(|e| e.1 == End::Skipped)) {
        debug_assert_eq!(flight.tries, 0, "what is skipped is not sent");
        book.caller.start();
        book.caller.end(Ending::Rejected);
    }
    book
}
