//! The run: the same calls through one shared pool, and with a bulkhead for each dependency.

use overload_sim::arrivals::Arrivals;
use overload_sim::bulkhead::{Bulkhead as Part, Entry};
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::queue::EventQueue;
use overload_sim::record::{Bins, Level, Samples};
use overload_sim::time::{Span, Time};

use super::knobs::{Bulkhead, Fault};
use crate::outcome::Book;

/// The stream of the dependency's arrivals.
const STREAM: u64 = 0xb01c;
/// What a request costs the CPU, served or refused.
const CPU: Span = Span::ms(1);
/// Over how long the CPU is averaged.
const CPU_BIN: Span = Span::s(1);
/// Answers over which the dependency's p99 is taken. Of so many, `sorted[floor(n·0.99)]` is the worst.
const TAIL: u64 = 100;

/// /stock, as who calls. The dependency that falls ill is 1, those that stay well follow.
pub const STOCK: usize = 0;
/// The dependency that falls ill.
pub const ILL: usize = 1;

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Who calls: [`STOCK`], [`ILL`], …
    pub who: u8,
    /// Refused at the door.
    pub shed: bool,
    /// It failed.
    pub failed: bool,
    /// The connection that it holds or held, within its part.
    pub connection: u32,
    /// When it came, got its connection, and was done; [`Time::MAX`]: not yet, or never.
    pub at: Time,
    pub start: Time,
    pub end: Time,
}

/// What comes next, and how many have come.
struct Source {
    next: Option<Time>,
    n: u64,
}

/// One side: the API with one way to share its connections out.
pub struct Side {
    /// Its pools.
    parts: Vec<Part>,
    /// Which of them who calls uses.
    of: Vec<usize>,
    sources: Vec<Source>,
    ends: EventQueue,
    /// All calls, in the order in which they came.
    pub calls: Vec<Call>,
    /// Events so far.
    pub done: u64,
    /// When the last one was.
    pub now: Time,
    /// The callers' and the API's ledgers.
    pub book: Book,
    /// Calls of the ill dependency answered, failed, refused; and refused while it was well.
    pub ok: u64,
    pub failed: u64,
    pub shed: u64,
    pub shed_well: u64,
    /// Calls of the other dependencies refused.
    pub others_shed: u64,
    /// Latencies of /stock.
    pub stock: Samples,
    /// The longest answer of the ill dependency, its wait included.
    pub longest: Span,
    /// Its calls that wait.
    pub queued: Level,
    /// Connections that its calls hold.
    pub held: Level,
    /// Calls that wait, whoever's.
    waiting: u64,
    /// After each change: when, calls that wait, its calls in flight.
    pub rows: Vec<(Time, u64, u64)>,
    /// When its p99 was above the alarm.
    pub tail: Vec<(Time, Time)>,
    since_slow: u64,
    cpu: Bins,
}

impl Side {
    /// At its start.
    pub fn new(knobs: &Bulkhead, apart: bool, draws: Draws) -> Side {
        let people = knobs.deps as usize + 1;
        let main = Part::new(if apart { knobs.rest() } else { knobs.pool } as u32, u32::MAX);
        let own = (1..people).filter(|_| apart).map(|_| Part::new(knobs.own as u32, knobs.queue as u32));
        let mut side = Side {
            parts: std::iter::once(main).chain(own).collect(),
            of: (0..people).map(|who| if apart { who } else { 0 }).collect(),
            sources: (0..people).map(|_| Source { next: None, n: 0 }).collect(),
            ends: EventQueue::default(),
            calls: Vec::new(),
            done: 0,
            now: Time::ZERO,
            book: Book::default(),
            ok: 0,
            failed: 0,
            shed: 0,
            shed_well: 0,
            others_shed: 0,
            stock: Samples::default(),
            longest: Span::ZERO,
            queued: Level::default(),
            held: Level::default(),
            waiting: 0,
            rows: Vec::new(),
            tail: Vec::new(),
            since_slow: TAIL,
            cpu: Bins::new(CPU_BIN, 60_000),
        };
        (0..people).for_each(|who| side.aim(knobs, who, Time::ZERO, draws));
        side
    }

    /// When who calls next.
    fn aim(&mut self, knobs: &Bulkhead, who: usize, previous: Time, draws: Draws) {
        let source = &mut self.sources[who];
        source.next = if who == ILL {
            let pattern = knobs.pattern();
            let more = if pattern == Arrivals::AtOnce { source.n < knobs.calls } else { true };
            let next = pattern.at(source.n, previous, draws).filter(|_| more);
            next.filter(|&at| !knobs.steady() || at < Time::ZERO + knobs.length)
        } else {
            knobs.stock_at(source.n)
        };
        source.n += 1;
    }

    /// The next event; whether there was one. What ends frees its connection before what comes at the same moment.
    pub fn step(&mut self, knobs: &Bulkhead, draws: Draws) -> bool {
        let coming = self.sources.iter().enumerate().filter_map(|(who, s)| Some((s.next?, who)));
        let coming = coming.min_by_key(|&(at, _)| at);
        let ending = self.ends.peek().map(|e| e.at);
        let at = match (ending, coming) {
            (Some(end), next) if next.is_none_or(|(at, _)| end <= at) => {
                let id = self.ends.pop().map_or(0, |e| e.what);
                self.end(knobs, end, id);
                end
            }
            (_, Some((at, who))) => {
                self.come(knobs, at, who);
                self.aim(knobs, who, at, draws);
                at
            }
            _ => return false,
        };
        self.now = at;
        self.done += 1;
        let flight = self.queued.value() + self.held.value();
        // At one moment only the last state counts.
        match self.rows.last_mut() {
            Some(last) if last.0 == at => *last = (at, self.waiting, flight),
            Some(last) if (last.1, last.2) == (self.waiting, flight) => {}
            _ => self.rows.push((at, self.waiting, flight)),
        }
        true
    }

    fn come(&mut self, knobs: &Bulkhead, at: Time, who: usize) {
        let id = self.calls.len() as u32;
        self.calls.push(Call {
            who: who as u8,
            shed: false,
            failed: false,
            connection: 0,
            at,
            start: Time::MAX,
            end: Time::MAX,
        });
        self.book.offered += 1;
        self.book.caller.start();
        self.book.server.arrive();
        self.cpu.add(at);
        match self.parts[self.of[who]].enter(id) {
            Entry::Holds(connection) => self.begin(knobs, at, id, connection),
            Entry::Waits => {
                self.waiting += 1;
                if who == ILL {
                    self.queued.set(at, self.queued.value() + 1);
                }
            }
            Entry::Refused => {
                self.calls[id as usize].shed = true;
                self.book.caller.end(Ending::Shed);
                self.book.server.settle(Fate::Refused);
                if who == ILL {
                    self.shed += 1;
                    self.shed_well += u64::from(!knobs.ill(at));
                } else {
                    self.others_shed += 1;
                }
            }
        }
    }

    fn begin(&mut self, knobs: &Bulkhead, now: Time, id: u32, connection: u32) {
        let call = &mut self.calls[id as usize];
        (call.start, call.connection) = (now, connection);
        let who = usize::from(call.who);
        let ill = who == ILL && knobs.ill(now);
        call.failed = ill && knobs.fault == Fault::Dead;
        let takes = match who {
            STOCK => knobs.stock,
            _ if ill => knobs.ill_for(),
            _ => knobs.normal,
        };
        self.ends.push(now + takes, id);
        if who == ILL {
            self.held.set(now, self.held.value() + 1);
        }
    }

    fn end(&mut self, knobs: &Bulkhead, now: Time, id: u32) {
        let call = &mut self.calls[id as usize];
        call.end = now;
        let call = *call;
        let who = usize::from(call.who);
        self.book.caller.end(if call.failed { Ending::Error } else { Ending::Ok });
        self.book.server.settle(if call.failed { Fate::Lost } else { Fate::Useful });
        self.book.good += u64::from(!call.failed);
        if who == STOCK {
            self.stock.add(now - call.at);
        }
        if who == ILL {
            self.ok += u64::from(!call.failed);
            self.failed += u64::from(call.failed);
            self.longest = self.longest.max(now - call.at);
            self.held.set(now, self.held.value() - 1);
            self.tail(knobs, now, now - call.start);
        }
        if let Some(next) = self.parts[self.of[who]].leave(call.connection) {
            self.waiting -= 1;
            if usize::from(self.calls[next as usize].who) == ILL {
                self.queued.set(now, self.queued.value() - 1);
            }
            self.begin(knobs, now, next, call.connection);
        }
    }

    /// An answer of the dependency: its p99 is above the alarm while one of the last [`TAIL`] was.
    fn tail(&mut self, knobs: &Bulkhead, now: Time, took: Span) {
        let above = self.since_slow < TAIL;
        if above && let Some(last) = self.tail.last_mut() {
            last.1 = now;
        }
        if took <= knobs.tail_alarm {
            self.since_slow = (self.since_slow + 1).min(TAIL);
        } else {
            self.since_slow = 0;
            if !above {
                self.tail.push((now, now));
            }
        }
    }

    /// When a call waited longer for a connection than the alarm wants.
    pub fn long_waits(&self, alarm: Span) -> Vec<(Time, Time)> {
        self.merged(alarm, |call| call.start, |_| true)
    }

    /// When a user of /stock waited longer than the alarm wants.
    pub fn users_wait(&self, alarm: Span) -> Vec<(Time, Time)> {
        self.merged(alarm, |call| call.end, |call| usize::from(call.who) == STOCK)
    }

    fn merged(&self, alarm: Span, until: fn(&Call) -> Time, which: fn(&Call) -> bool) -> Vec<(Time, Time)> {
        let mut out: Vec<(Time, Time)> = Vec::new();
        for call in self.calls.iter().filter(|call| !call.shed && which(call)) {
            // What has not ended yet lasts until now.
            let (from, to) = (call.at + alarm, until(call).min(self.now));
            if to > from {
                match out.last_mut() {
                    Some(last) if from <= last.1 => last.1 = last.1.max(to),
                    _ => out.push((from, to)),
                }
            }
        }
        out
    }

    /// When more calls than the alarm allows were in flight to the dependency.
    pub fn crowded(&self, alarm: u64) -> Vec<(Time, Time)> {
        let mut out: Vec<(Time, Time)> = Vec::new();
        let mut above = false;
        for &(at, _, flight) in &self.rows {
            if above && let Some(last) = out.last_mut() {
                last.1 = at;
            }
            if flight > alarm && !above {
                out.push((at, at));
            }
            above = flight > alarm;
        }
        out
    }

    /// When calls were refused; each an instant.
    pub fn refusals(&self) -> Vec<(Time, Time)> {
        self.calls.iter().filter(|call| call.shed).map(|call| (call.at, call.at)).collect()
    }

    /// The greatest share of the CPU in any second, in percent of one core.
    pub fn cpu_peak(&self) -> f64 {
        let most = self.cpu.counts().iter().copied().max().unwrap_or(0);
        f64::from(most) * CPU.as_ms() / CPU_BIN.as_ms() * 100.0
    }

    /// Of each call that has held a connection: which pool, which connection, who, from when to when.
    pub fn holds(&self) -> impl Iterator<Item = (usize, &Call, Time)> {
        let held = self.calls.iter().filter(|call| call.start < Time::MAX);
        held.map(|call| (self.of[usize::from(call.who)], call, call.end.min(self.now)))
    }
}

/// Both sides.
pub struct Calls {
    knobs: Bulkhead,
    draws: Draws,
    /// One shared pool; a bulkhead for each dependency.
    pub sides: [Side; 2],
}

impl Calls {
    /// At its start.
    pub fn new(knobs: &Bulkhead, seed: u64) -> Calls {
        let draws = Draws::new(seed, STREAM);
        Calls { knobs: knobs.clone(), draws, sides: [false, true].map(|apart| Side::new(knobs, apart, draws)) }
    }

    /// Events so far.
    pub fn done(&self) -> u64 {
        self.sides.iter().map(|side| side.done).sum()
    }

    /// Goes on for so many events; whether it has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        let mut left = events;
        for side in &mut self.sides {
            while left > 0 {
                if !side.step(&self.knobs, self.draws) {
                    break;
                }
                left -= 1;
            }
        }
        left > 0
    }
}
