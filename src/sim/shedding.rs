//! An open station that sheds: a door, a waiting line with a discipline, slots, callers who leave, classes of requests.
//!
//! Nobody asks the station before sending the next request. A caller leaves after its timeout, and the station does not
//! hear of it: what was let in is served all the same, unless it is dropped at its turn.

use std::collections::VecDeque;

use crate::arrivals::Arrivals;
use crate::draw::Draws;
use crate::law::Law;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::limit::{Limiter, Rule, Sample};
use crate::line::{Line, Order, Wait};
use crate::queue::EventQueue;
use crate::record::Samples;
use crate::time::{Span, Time};

/// The streams of the draws: when requests come, how long they are served, of which class they are.
const ARRIVALS: u64 = 1;
const SERVICE: u64 = 2;
const CLASS: u64 = 3;

/// Classes of requests at most.
pub const CLASSES: usize = 5;
/// One value a class. (A literal length: as a field of a captured struct, a named one trips the compiler.)
pub type Each<T> = [T; 5];

/// Who comes in. Asked before the call counts as inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Everybody.
    Open,
    /// Nobody while so many wait: `if (queue.length >= limit) return 503`. With 0 nobody at all, as the code says.
    Queue(u32),
    /// Nobody while so many are inside, waiting or being served.
    InFlight(u32),
    /// The same with a limit that moves; the span is the window of [`Limiter::new`].
    Adaptive(Rule, Span),
    /// A class comes in while fewer than so many calls of any class are inside.
    Thresholds(Each<u32>),
    /// Everybody comes in while fewer than `total` are inside; beyond that a class comes in while fewer of its own than its
    /// share are inside (Netflix's partitioned limiter).
    Shares {
        /// Calls inside from which on shares count.
        total: u32,
        /// Calls of each class.
        own: Each<u32>,
    },
}

/// Thresholds along a cube: at a share x of the way from `from` percent of the limit to the whole, x³ of the ranks are shed, the
/// last first. So the last class is refused from `from` on, the first at the limit, and between them it goes slowly, then fast.
///
/// The shape that Netflix describes for prioritised shedding in its gateway; its parameters are not published.
pub fn along_a_cube(limit: u32, from: u32) -> Each<u32> {
    let from = f64::from(from.min(100)) / 100.0;
    let at = |rank: f64| from + (1.0 - from) * libm::cbrt(1.0 - rank / (CLASSES - 1) as f64);
    [0.0, 1.0, 2.0, 3.0, 4.0].map(|rank| libm::round(at(rank) * f64::from(limit)) as u32)
}

/// A station and what comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// When requests come.
    pub arrivals: Arrivals,
    /// Requests in all.
    pub requests: u32,
    /// How many of each class come, as parts of their sum; all of class 0 where that is 0.
    pub mix: Each<u32>,
    /// The class that a request of each class says it is.
    pub says: Each<u8>,
    /// How long serving one takes.
    pub service: Law,
    /// Calls served at once, at least 1.
    pub slots: u32,
    /// How long a caller waits; an answer at that very microsecond still counts. `None`: for ever.
    pub timeout: Option<Span>,
    /// The door.
    pub gate: Gate,
    /// Who is next.
    pub order: Order,
    /// How long one may wait.
    pub wait: Wait,
    /// A call whose caller has left is dropped when its turn comes.
    pub drop_left: bool,
}

/// A call inside, or one whose caller's timeout is still on the list.
#[derive(Clone, Copy, Debug)]
struct Call {
    request: u32,
    began: Time,
    /// In flight once it was let in, itself included.
    in_flight: u32,
    class: u8,
    says: u8,
    /// Its caller has left.
    left: bool,
    /// The station is done with it.
    done: bool,
}

/// What became of the requests of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Requests.
    pub offered: u64,
    /// Answered in time.
    pub ok: u64,
    /// Refused at the door.
    pub refused: u64,
    /// Let in, and told 503 at their turn.
    pub dropped: u64,
    /// Timed out.
    pub timeout: u64,
}

/// What a run leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Requests by class.
    pub ends: Each<Ends>,
    /// The callers' book.
    pub caller: CallerLedger,
    /// The station's book.
    pub server: ServerLedger,
    /// Of those answered in time, the time to the answer.
    pub times: Samples,
    /// When the last request that was answered in time had come.
    pub answered_until: Option<Time>,
    /// When the station was done with its last call.
    pub drained: Time,
    /// Most calls waiting at once, and inside.
    pub peak_waiting: usize,
    /// See [`Tally::peak_waiting`].
    pub peak_inside: usize,
    /// The longest that anybody let in waited for its turn.
    pub longest_wait: Span,
    /// The moving limit as arrivals found it; without one nobody did.
    pub limit: Found,
}

/// A moving limit, as arrivals found it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// By how many.
    pub arrivals: u64,
    /// Added up over these.
    pub sum: u64,
    /// The least.
    pub least: u32,
    /// The greatest.
    pub most: u32,
    /// The last.
    pub last: u32,
}

impl Found {
    fn add(&mut self, limit: u32) {
        self.least = if self.arrivals == 0 { limit } else { self.least.min(limit) };
        self.most = self.most.max(limit);
        self.last = limit;
        self.sum += u64::from(limit);
        self.arrivals += 1;
    }
}

impl Tally {
    /// All classes together.
    pub fn all(&self) -> Ends {
        let add = |a: Ends, b: &Ends| Ends {
            offered: a.offered + b.offered,
            ok: a.ok + b.ok,
            refused: a.refused + b.refused,
            dropped: a.dropped + b.dropped,
            timeout: a.timeout + b.timeout,
        };
        self.ends.iter().fold(Ends::default(), add)
    }
}

/// What happened over time.
#[derive(Clone, Debug)]
pub struct Trace {
    width: Span,
    step: Span,
    /// By when requests came.
    pub bins: Vec<Bin>,
    /// At multiples of a step, what was inside then.
    pub levels: Vec<Level>,
}

/// Requests that came within some time, by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Answered in time, by class.
    pub ok: Each<u32>,
    /// Refused at the door.
    pub refused: u32,
    /// Told 503 at their turn.
    pub dropped: u32,
    /// Timed out.
    pub timeout: u32,
    /// Times to the answer of those answered in time, summed up, in microseconds.
    pub time_us: u64,
}

/// What was inside at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The moment.
    pub at: Time,
    /// Calls inside whose caller waits.
    pub here: u32,
    /// Calls inside whose caller has left.
    pub left: u32,
    /// The moving limit; 0 where there is none.
    pub limit: u32,
}

/// Most levels and bins: what comes later is not recorded.
const MOST: usize = 400;

impl Trace {
    /// Nothing yet: bins of `width`, levels each `step`.
    pub fn new(width: Span, step: Span) -> Trace {
        Trace { width, step: step.max(Span::us(1)), bins: Vec::new(), levels: Vec::new() }
    }

    fn bin(&mut self, at: Time) -> Option<&mut Bin> {
        let i = at.slot(self.width) as usize;
        if i >= self.bins.len() && i < MOST {
            self.bins.resize(i + 1, Bin::default());
        }
        self.bins.get_mut(i)
    }

    /// Up to `now` it was so.
    fn level(&mut self, now: Time, here: u32, left: u32, limit: u32) {
        loop {
            let at = Time::ZERO + self.step * self.levels.len() as u64;
            if at > now || self.levels.len() > MOST {
                return;
            }
            self.levels.push(Level { at, here, left, limit });
        }
    }
}

/// A run of a [`Setup`], to be advanced bit by bit.
pub struct Run {
    setup: Setup,
    arrivals: Draws,
    service: Draws,
    classes: Draws,
    next: u32,
    next_at: Option<Time>,
    /// Ends of service.
    ends: EventQueue,
    /// When callers leave, in that order, since all of them wait equally long.
    leaving: VecDeque<(Time, u32)>,
    line: Line,
    busy: u32,
    inside: [u32; CLASSES],
    left_inside: u32,
    calls: Vec<Call>,
    free: Vec<u32>,
    limiter: Option<Limiter>,
    /// What happens later is left out.
    until: Time,
    over: bool,
    /// Events that cost next to nothing, not yet counted.
    light: u32,
    /// What was counted so far.
    pub tally: Tally,
    /// What was recorded over time, where that is wanted.
    pub trace: Option<Trace>,
}

impl Run {
    /// From the empty station on. The same setup and seed give the same run to the bit.
    pub fn new(setup: Setup, seed: u64, trace: Option<Trace>) -> Run {
        let limiter = match setup.gate {
            Gate::Adaptive(rule, window) => Some(Limiter::new(rule, window, seed)),
            _ => None,
        };
        let mut run = Run {
            setup,
            arrivals: Draws::new(seed, ARRIVALS),
            service: Draws::new(seed, SERVICE),
            classes: Draws::new(seed, CLASS),
            next: 0,
            next_at: None,
            ends: EventQueue::with_capacity(64),
            leaving: VecDeque::with_capacity(64),
            line: Line::new(setup.order, setup.wait),
            busy: 0,
            inside: [0; CLASSES],
            left_inside: 0,
            calls: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            limiter,
            until: Time::MAX,
            over: false,
            light: 0,
            tally: Tally::default(),
            trace,
        };
        run.schedule(Time::ZERO);
        run
    }

    /// The same, ending with the moment `at`: who is inside then stays without an end.
    pub fn until(mut self, at: Time) -> Run {
        self.until = at;
        self
    }

    /// Goes on for at most `events` events. Returns how many it did not need: more than 0 once the run has ended.
    ///
    /// Refusals and callers leaving are a comparison and a count each: four of them count as one event. A run without a
    /// trace ends when the last caller has been answered or has left; one with it, when the station is done.
    pub fn advance(&mut self, events: u64) -> u64 {
        let mut left = events;
        while left > 0 {
            if self.over || !self.step() {
                self.over = true;
                return left;
            }
            left -= 1;
            if self.light >= 4 {
                self.light -= 4;
                left = left.saturating_add(3).min(events);
            }
        }
        0
    }

    /// The next event; whether there was one. At one moment callers leave first, then requests come, then calls end: the
    /// door still counts a call that ends at the very moment of an arrival, which is how the articles' figures come about.
    fn step(&mut self) -> bool {
        while let Some(&(_, place)) = self.leaving.front()
            && self.calls[place as usize].done
        {
            self.leaving.pop_front();
            self.free.push(place);
        }
        let leaves = self.leaving.front().map_or(Time::MAX, |l| l.0);
        let comes = self.next_at.unwrap_or(Time::MAX);
        let ends = self.ends.peek().map_or(Time::MAX, |e| e.at);
        let now = leaves.min(comes).min(ends);
        if now == Time::MAX || now > self.until {
            return false;
        }
        let limit = if comes == now || self.trace.is_some() {
            self.limiter.as_mut().map_or(0, |limiter| limiter.limit(now))
        } else {
            0
        };
        match &mut self.trace {
            Some(trace) => {
                let inside = self.busy + self.line.len() as u32;
                trace.level(now, inside - self.left_inside, self.left_inside, limit);
            }
            None if comes == Time::MAX && self.tally.caller.open() == 0 => return false,
            None => {}
        }
        if leaves == now {
            if let Some((_, place)) = self.leaving.pop_front() {
                self.leave(place);
            }
        } else if comes == now {
            self.come(now, limit);
        } else if let Some(end) = self.ends.pop() {
            self.end(now, end.what);
        }
        true
    }

    fn schedule(&mut self, previous: Time) {
        let (next, setup) = (u64::from(self.next), &self.setup);
        self.next_at = if self.next < setup.requests { setup.arrivals.at(next, previous, self.arrivals) } else { None };
    }

    /// Which class a request is of.
    fn class(&self, request: u32) -> u8 {
        let mix = &self.setup.mix;
        let all: u64 = mix.iter().map(|&part| u64::from(part)).sum();
        if all <= u64::from(mix[0]) {
            return 0;
        }
        let mut at = self.classes.at(u64::from(request), 0, 0).below(all);
        for (class, &part) in mix.iter().enumerate() {
            match at.checked_sub(u64::from(part)) {
                Some(rest) => at = rest,
                None => return class as u8,
            }
        }
        0
    }

    fn admits(&self, says: usize, limit: u32) -> bool {
        let inside = self.busy + self.line.len() as u32;
        match &self.setup.gate {
            Gate::Open => true,
            Gate::Queue(limit) => self.line.len() < *limit as usize,
            Gate::InFlight(limit) => inside < *limit,
            Gate::Adaptive(..) => inside < limit,
            Gate::Thresholds(limits) => inside < limits[says],
            Gate::Shares { total, own } => inside < *total || self.inside[says] < own[says],
        }
    }

    fn come(&mut self, now: Time, limit: u32) {
        let request = self.next;
        let class = self.class(request);
        let says = self.setup.says[class as usize];
        self.next += 1;
        self.schedule(now);
        self.tally.caller.start();
        self.tally.server.arrive();
        self.tally.ends[class as usize].offered += 1;
        if self.limiter.is_some() {
            self.tally.limit.add(limit);
        }
        if !self.admits(says as usize, limit) {
            self.light += 1;
            self.tally.server.settle(Fate::Refused);
            self.tally.caller.end(Ending::Shed);
            self.tally.ends[class as usize].refused += 1;
            if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(now)) {
                bin.refused += 1;
            }
            return;
        }
        let in_flight = self.busy + self.line.len() as u32 + 1;
        let call = Call { request, began: now, in_flight, class, says, left: false, done: false };
        let place = self.put(call);
        self.inside[says as usize] += 1;
        if let Some(timeout) = self.setup.timeout {
            // The first moment after it: an answer at the timeout itself is in time.
            self.leaving.push_back((now + timeout + Span::us(1), place));
        }
        if self.busy < self.setup.slots.max(1) {
            self.busy += 1;
            self.serve(now, place);
        } else {
            self.line.join(place, now);
            self.tally.peak_waiting = self.tally.peak_waiting.max(self.line.len());
        }
        self.tally.peak_inside = self.tally.peak_inside.max(in_flight as usize);
    }

    fn serve(&mut self, now: Time, place: u32) {
        let Call { request, began, .. } = self.calls[place as usize];
        self.tally.longest_wait = self.tally.longest_wait.max(now - began);
        let service = self.setup.service.draw(&mut self.service.at(u64::from(request), 0, 0));
        self.ends.push(now + service, place);
    }

    /// A call has been served; the slot takes the next.
    fn end(&mut self, now: Time, place: u32) {
        self.tally.drained = now;
        self.out(now, place, false);
        let call = self.calls[place as usize];
        let fate = if call.left { Fate::Wasted } else { Fate::Useful };
        self.tally.server.settle(fate);
        if !call.left {
            let time = now - call.began;
            self.tally.caller.end(Ending::Ok);
            self.tally.ends[call.class as usize].ok += 1;
            self.tally.times.add(time);
            self.tally.answered_until = self.tally.answered_until.max(Some(call.began));
            if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(call.began)) {
                bin.ok[call.class as usize] += 1;
                bin.time_us += time.as_us();
            }
        }
        self.finish(place);
        while let Some(next) = self.line.take(now) {
            let left = self.calls[next.call as usize].left;
            let too_late = next.expired(now) || self.setup.drop_left && left;
            if !too_late {
                self.serve(now, next.call);
                return;
            }
            self.light += 1;
            self.drop_at_turn(now, next.call);
        }
        self.busy -= 1;
    }

    /// A call is told 503 when its turn comes, if anybody is there to hear it.
    fn drop_at_turn(&mut self, now: Time, place: u32) {
        self.out(now, place, true);
        let call = self.calls[place as usize];
        self.tally.longest_wait = self.tally.longest_wait.max(now - call.began);
        self.tally.server.settle(Fate::DroppedExpired);
        if !call.left {
            self.tally.caller.end(Ending::Shed);
            self.tally.ends[call.class as usize].dropped += 1;
            if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(call.began)) {
                bin.dropped += 1;
            }
        }
        self.finish(place);
    }

    /// A call is no longer inside.
    fn out(&mut self, now: Time, place: u32, dropped: bool) {
        let Call { began, in_flight, says, left, .. } = self.calls[place as usize];
        self.inside[says as usize] -= 1;
        self.left_inside -= u32::from(left);
        if let Some(limiter) = &mut self.limiter {
            limiter.sample(Sample { began, ended: now, in_flight, dropped });
        }
    }

    /// The station is done with a call. Where its caller's timeout is still on the list, that frees the place.
    fn finish(&mut self, place: u32) {
        let call = &mut self.calls[place as usize];
        call.done = true;
        if call.left || self.setup.timeout.is_none() {
            self.free.push(place);
        }
    }

    /// A caller stops waiting. Its call stays where it is.
    fn leave(&mut self, place: u32) {
        self.light += 1;
        self.left_inside += 1;
        let call = &mut self.calls[place as usize];
        call.left = true;
        let Call { class, began, .. } = *call;
        self.tally.caller.end(Ending::Timeout);
        self.tally.ends[class as usize].timeout += 1;
        if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(began)) {
            bin.timeout += 1;
        }
    }

    fn put(&mut self, call: Call) -> u32 {
        if let Some(place) = self.free.pop() {
            self.calls[place as usize] = call;
            return place;
        }
        self.calls.push(call);
        self.calls.len() as u32 - 1
    }
}
