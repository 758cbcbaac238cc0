//! The open queueing station: requests come, wait, are served, and nobody asks the station before sending the next one.
//!
//! With the parts' laws it is M/M/1, M/M/c, M/M/c/K, Erlang's loss system, M/D/c, M/G/1 … A caller may stop waiting
//! after a timeout; the station does not hear of it, so the call is served all the same: zombie work.

use crate::arrivals::Arrivals;
use crate::draw::Draws;
use crate::law::Law;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::pool::{Offer, Pool};
use crate::queue::EventQueue;
use crate::record::{Level, Samples};
use crate::time::{Span, Time};

/// The stream of [`Arrivals`]' draws.
const ARRIVALS: u64 = 1;
/// The stream of the service times' draws.
const SERVICE: u64 = 2;

/// What an event is, in its two top bits; the rest is the call's place in the slab.
const KIND_SHIFT: u32 = 30;
const PLACE: u32 = (1 << KIND_SHIFT) - 1;
/// The next request comes; without a place.
const ARRIVAL: u32 = 0;
/// A call has been served.
const END: u32 = 1;
/// A caller's timeout has passed, whether or not its answer has come.
const TIMEOUT: u32 = 2;

/// A station and how long to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// When requests come.
    pub arrivals: Arrivals,
    /// How long serving one takes.
    pub service: Law,
    /// Workers, at least 1.
    pub workers: u32,
    /// Room for waiting calls; [`u32::MAX`] is unbounded. M/M/c/K has room K − c.
    pub room: u32,
    /// How long a caller waits for its answer; one that comes at that very microsecond still counts.
    /// [`Span::MAX`]: for ever.
    pub timeout: Span,
    /// Requests in all. The run ends when the last of them has been served, and its caller has been answered or has gone.
    pub requests: u32,
    /// How many of the first requests are left out of the [`Measures`].
    pub warm_up: u32,
    /// Whether to keep what the [`Measures`] need. The ledgers are always kept.
    pub record: bool,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The callers' book, warm-up included.
    pub caller: CallerLedger,
    /// The station's book, warm-up included.
    pub server: ServerLedger,
    /// Time of the last event.
    pub end: Time,
    /// What was measured after the warm-up; `None` where recording was off.
    pub measures: Option<Measures>,
}

/// What was measured over the requests after the warm-up.
///
/// Means over requests follow each of them to its end. Means over time are those from the first such request's arrival
/// to the last one's, so that neither the empty start nor the emptying at the end shifts them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// From the first measured request to the last.
    pub window: Span,
    /// Requests.
    pub offered: u64,
    /// Those refused at the door.
    pub refused: u64,
    /// Those that had to wait for a worker.
    pub waited: u64,
    /// Those served, whether or not the caller was still there.
    pub served: u64,
    /// Those served while the caller was still there.
    pub useful: u64,
    /// Mean wait of those served, from arrival to start of service; microseconds, 0 where there were none.
    pub mean_wait_us: f64,
    /// Mean time in the station of those served, from arrival to end of service; microseconds, 0 where there were none.
    pub mean_time_us: f64,
    /// Percentiles (by [`crate::record::percentile`]) of the time in the station of those served.
    pub p50: Span,
    /// See [`Measures::p50`].
    pub p90: Span,
    /// See [`Measures::p50`].
    pub p99: Span,
    /// See [`Measures::p50`].
    pub p999: Span,
    /// Mean number of calls in the station over time (L).
    pub mean_in_flight: f64,
    /// Mean number of calls waiting over time (L_q).
    pub mean_waiting: f64,
    /// Most calls in the station at once.
    pub peak_in_flight: u64,
}

impl Measures {
    /// Answers within the callers' timeouts, a second; 0 where there was no time.
    pub fn goodput_per_s(&self) -> f64 {
        if self.window == Span::ZERO { 0.0 } else { self.useful as f64 / self.window.as_s() }
    }
}

/// One request under way.
#[derive(Clone, Copy, Debug)]
struct Call {
    began: Time,
    request: u32,
    /// The caller has given up.
    gone: bool,
    /// The station is done with it, but its timeout event is still to come.
    done: bool,
}

/// What the [`Measures`] are made from.
#[derive(Clone, Debug, Default)]
struct Recorder {
    from: Time,
    to: Time,
    /// No more changes of level count: the last request has come.
    closed: bool,
    offered: u64,
    refused: u64,
    waited: u64,
    useful: u64,
    started: u64,
    wait_us: u128,
    time: Samples,
    in_flight: Level,
    waiting: Level,
}

/// A run of a [`Setup`], to be advanced bit by bit.
#[derive(Clone, Debug)]
pub struct Station {
    setup: Setup,
    arrivals: Draws,
    service: Draws,
    events: EventQueue,
    pool: Pool,
    calls: Vec<Call>,
    free: Vec<u32>,
    /// The number of the request that comes next.
    next: u32,
    now: Time,
    caller: CallerLedger,
    server: ServerLedger,
    recorder: Recorder,
}

impl Station {
    /// A run from the empty station on. The same setup and seed give the same outcome to the bit.
    pub fn new(setup: Setup, seed: u64) -> Self {
        let mut station = Self {
            setup,
            arrivals: Draws::new(seed, ARRIVALS),
            service: Draws::new(seed, SERVICE),
            events: EventQueue::with_capacity(64),
            pool: Pool::new(setup.workers, setup.room),
            calls: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            next: 0,
            now: Time::ZERO,
            caller: CallerLedger::default(),
            server: ServerLedger::default(),
            recorder: Recorder::default(),
        };
        if setup.record {
            let measured = setup.requests.saturating_sub(setup.warm_up);
            // Beyond a million the samples grow as they come: a cancelled run need not have asked for gigabytes.
            station.recorder.time = Samples::with_capacity(measured.min(1 << 20) as usize);
        }
        station.schedule_arrival();
        station
    }

    /// Takes up to `events` events; whether the run is over.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some(event) = self.events.pop() else { return true };
            self.now = event.at;
            match event.what >> KIND_SHIFT {
                ARRIVAL => self.arrive(),
                END => self.end(event.what & PLACE),
                _ => self.time_out(event.what & PLACE),
            }
        }
        self.events.is_empty()
    }

    /// Time of the last event taken.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The pool as it is now.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The times in the station of those served so far, after the warm-up; none where recording is off.
    pub fn times(&mut self) -> &mut Samples {
        &mut self.recorder.time
    }

    /// What the run has come to so far. Sorts the samples, unless nothing was added since the last time.
    pub fn outcome(&mut self) -> Outcome {
        let record = self.setup.record;
        let measures = record.then(|| self.recorder.measures(self.now));
        Outcome { caller: self.caller, server: self.server, end: self.now, measures }
    }

    #[inline]
    fn schedule_arrival(&mut self) {
        if self.next < self.setup.requests
            && let Some(at) = self.setup.arrivals.at(u64::from(self.next), self.now, self.arrivals)
        {
            self.events.push(at, ARRIVAL << KIND_SHIFT);
        }
    }

    #[inline]
    fn arrive(&mut self) {
        let request = self.next;
        self.next += 1;
        self.schedule_arrival();
        self.caller.start();
        self.server.arrive();
        let place = self.take_place(Call { began: self.now, request, gone: false, done: false });
        let offer = self.pool.offer(place);
        if offer != Offer::Refuse && self.setup.timeout != Span::MAX {
            // The first moment after the timeout, and put in before any end: an answer at the timeout itself is in time,
            // one a microsecond later is not.
            let leaves = self.now + self.setup.timeout + Span::us(1);
            self.events.push(leaves, TIMEOUT << KIND_SHIFT | place);
        }
        match offer {
            Offer::Start => self.start(place),
            Offer::Wait => {}
            Offer::Refuse => {
                self.caller.end(Ending::Shed);
                self.server.settle(Fate::Refused);
                self.free.push(place);
            }
        }
        if self.setup.record {
            self.recorder.arrived(self.now, request, &self.setup, offer, &self.pool);
        }
    }

    /// A worker takes the call on.
    #[inline]
    fn start(&mut self, place: u32) {
        let Call { began, request, .. } = self.calls[place as usize];
        let service = self.setup.service.draw(&mut self.service.at(u64::from(request), 0, 0));
        self.events.push(self.now + service, END << KIND_SHIFT | place);
        if self.setup.record && request >= self.setup.warm_up {
            self.recorder.started += 1;
            self.recorder.wait_us += u128::from((self.now - began).as_us());
        }
    }

    #[inline]
    fn end(&mut self, place: u32) {
        let call = &mut self.calls[place as usize];
        let Call { began, request, gone, .. } = *call;
        call.done = true;
        if gone {
            self.server.settle(Fate::Wasted);
        } else {
            self.caller.end(Ending::Ok);
            self.server.settle(Fate::Useful);
        }
        // Where the timeout event is still to come, it frees the place.
        if gone || self.setup.timeout == Span::MAX {
            self.free.push(place);
        }
        if let Some(next) = self.pool.finish() {
            self.start(next);
        }
        if self.setup.record {
            if request >= self.setup.warm_up {
                self.recorder.time.add(self.now - began);
                self.recorder.useful += u64::from(!gone);
            }
            self.recorder.level(self.now, &self.pool);
        }
    }

    #[inline]
    fn time_out(&mut self, place: u32) {
        let call = &mut self.calls[place as usize];
        if call.done {
            self.free.push(place);
        } else {
            call.gone = true;
            self.caller.end(Ending::Timeout);
        }
    }

    #[inline]
    fn take_place(&mut self, call: Call) -> u32 {
        if let Some(place) = self.free.pop() {
            self.calls[place as usize] = call;
            return place;
        }
        let place = self.calls.len() as u32;
        debug_assert!(place <= PLACE, "more than 2³⁰ calls at once");
        self.calls.push(call);
        place
    }
}

impl Recorder {
    #[inline]
    fn arrived(&mut self, now: Time, request: u32, setup: &Setup, offer: Offer, pool: &Pool) {
        self.level(now, pool);
        if request < setup.warm_up {
            return;
        }
        if request == setup.warm_up {
            self.from = now;
            self.in_flight.restart(now);
            self.waiting.restart(now);
        }
        self.offered += 1;
        self.waited += u64::from(offer == Offer::Wait);
        self.refused += u64::from(offer == Offer::Refuse);
        if request + 1 == setup.requests {
            self.to = now;
            self.closed = true;
        }
    }

    #[inline]
    fn level(&mut self, now: Time, pool: &Pool) {
        if !self.closed {
            self.in_flight.set(now, pool.in_flight() as u64);
            self.waiting.set(now, pool.waiting() as u64);
        }
    }

    fn measures(&mut self, now: Time) -> Measures {
        let to = if self.closed { self.to } else { now };
        let served = self.time.len() as u64;
        let mut percentile = |q| self.time.percentile(q).unwrap_or_default();
        let [p50, p90, p99, p999] = [percentile(0.5), percentile(0.9), percentile(0.99), percentile(0.999)];
        Measures {
            window: to - self.from,
            offered: self.offered,
            refused: self.refused,
            waited: self.waited,
            served,
            useful: self.useful,
            // By those that have started, which in a finished run are those served.
            mean_wait_us: self.wait_us as f64 / self.started.max(1) as f64,
            mean_time_us: self.time.mean_us().unwrap_or_default(),
            p50,
            p90,
            p99,
            p999,
            mean_in_flight: self.in_flight.mean(to),
            mean_waiting: self.waiting.mean(to),
            peak_in_flight: self.in_flight.peak(),
        }
    }
}
