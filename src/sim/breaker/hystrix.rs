//! Hystrix 1.5 (Java).
//!
//! Ported from the source (`HystrixCircuitBreaker`, `HealthCountsStream`, `AbstractCommand`), not run. What surprises:
//!
//! - It opens only at a health snapshot, every 500 ms: until the next one all calls go through, however many fail.
//! - The error percentage is cut to a whole number; reaching the threshold is enough.
//! - Half-open lets one call through. An error that does not count opens the circuit again, too.
//! - A full thread pool counts as an error.
//! - Late results are not told apart: in half-open they close or open the circuit as the trial would.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// Hystrix's properties, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// `circuitBreaker.errorThresholdPercentage`.
    pub threshold: Percent,
    /// `circuitBreaker.requestVolumeThreshold`: with fewer results in the window it stays closed.
    pub volume: u64,
    /// `circuitBreaker.sleepWindowInMilliseconds`: how long it stays open; a call strictly after it is the trial.
    pub sleep: Span,
    /// `metrics.rollingStats.timeInMilliseconds`: the window's length.
    pub window: Span,
    /// `metrics.healthSnapshot.intervalInMilliseconds`: how often it is looked at, and the length of the window's pieces.
    pub snapshot: Span,
    /// `coreSize` of the thread pool, which has no queue: calls under way at most.
    pub pool: u64,
}

impl Properties {
    /// The library's defaults. Its timeout of 1 s is the driver's.
    pub const DEFAULT: Properties = Properties {
        threshold: Percent::whole(50),
        volume: 20,
        sleep: Span::s(5),
        window: Span::s(10),
        snapshot: Span::ms(500),
        pool: 10,
    };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Health {
    calls: u64,
    errors: u64,
}

/// The breaker. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Hystrix {
    properties: Properties,
    state: State,
    opened: Time,
    /// When the stream of snapshots began: with the breaker, and anew when the circuit closes.
    began: Time,
    /// How many snapshots there were since.
    taken: u64,
    /// The window's full pieces; piece n is at n mod length.
    pieces: Vec<Health>,
    /// Their sum.
    full: Health,
    /// The piece that is being written.
    filling: Health,
    under_way: u64,
    changes: u32,
}

impl Hystrix {
    /// A closed circuit.
    pub fn new(properties: Properties) -> Hystrix {
        let pieces = (properties.window.as_us() / properties.snapshot.as_us().max(1)).max(1);
        Hystrix {
            properties,
            state: State::Closed,
            opened: Time::ZERO,
            began: Time::ZERO,
            taken: 0,
            pieces: vec![Health::default(); pieces as usize],
            full: Health::default(),
            filling: Health::default(),
            under_way: 0,
            changes: 0,
        }
    }

    /// The error percentage of the last snapshot, as the library says it.
    pub fn error_percentage(&self) -> u64 {
        percentage(self.full)
    }

    fn place(&self, snapshot: u64) -> usize {
        (snapshot % self.pieces.len() as u64) as usize
    }

    fn trips(&self, health: Health) -> bool {
        health.calls >= self.properties.volume
            && percentage(health) * 100 >= u64::from(self.properties.threshold.as_hundredths())
    }

    /// Takes the snapshots that are due up to `until`.
    fn snapshots(&mut self, until: Time) {
        let due = (until - self.began).as_us() / self.properties.snapshot.as_us().max(1);
        while self.taken < due {
            let place = self.place(self.taken);
            let old = core::mem::replace(&mut self.pieces[place], self.filling);
            self.full.calls = self.full.calls + self.filling.calls - old.calls;
            self.full.errors = self.full.errors + self.filling.errors - old.errors;
            self.filling = Health::default();
            self.taken += 1;
            if self.state == State::Closed && self.trips(self.full) {
                self.open(self.began + self.properties.snapshot * self.taken);
            }
            // An empty window stays as it is.
            if self.full.calls == 0 {
                self.taken = due;
            }
        }
    }

    /// The snapshots before `now`: one that is due this very moment comes by the timer.
    fn catch_up(&mut self, now: Time) {
        self.snapshots(Time::us(now.as_us().saturating_sub(1)).max(self.began));
    }

    fn open(&mut self, now: Time) {
        self.state = State::Open;
        self.changes += 1;
        self.opened = now;
    }

    /// In half-open every end of a call decides, whenever it began.
    fn decide(&mut self, now: Time, well: bool) {
        if self.state != State::HalfOpen {
            return;
        }
        if !well {
            self.open(now);
            return;
        }
        self.state = State::Closed;
        self.changes += 1;
        self.began = now;
        self.taken = 0;
        self.pieces.fill(Health::default());
        self.full = Health::default();
        self.filling = Health::default();
    }

    fn count(&mut self, error: bool) {
        self.filling.calls += 1;
        self.filling.errors += u64::from(error);
    }
}

/// `(int) ((double) errors / total * 100)`; 0 of nothing.
fn percentage(health: Health) -> u64 {
    if health.calls == 0 { 0 } else { (health.errors as f64 / health.calls as f64 * 100.0) as u64 }
}

impl Breaker for Hystrix {
    fn acquire(&mut self, now: Time) -> Admission {
        self.catch_up(now);
        let probe = self.state == State::Open && now > self.opened + self.properties.sleep;
        if probe {
            self.state = State::HalfOpen;
            self.changes += 1;
        } else if self.state != State::Closed {
            // Short-circuited: counted nowhere.
            return Admission::Rejected;
        }
        if self.under_way >= self.properties.pool {
            self.decide(now, false);
            self.count(true);
            return Admission::Full;
        }
        self.under_way += 1;
        Admission::Go(Permit { generation: self.changes, probe })
    }

    fn report(&mut self, now: Time, _permit: Permit, verdict: Verdict, _took: Span) {
        self.catch_up(now);
        self.under_way = self.under_way.saturating_sub(1);
        self.decide(now, verdict == Verdict::Ok);
        match verdict {
            Verdict::Ok => self.count(false),
            Verdict::Failed | Verdict::TimedOut => self.count(true),
            Verdict::Ignored => {}
        }
    }

    /// The first snapshot that would open it if nothing more came.
    fn timer(&self) -> Option<Time> {
        if self.state != State::Closed {
            return None;
        }
        let mut health =
            Health { calls: self.full.calls + self.filling.calls, errors: self.full.errors + self.filling.errors };
        for later in 0..self.pieces.len() as u64 {
            let left = self.pieces[self.place(self.taken + later)];
            health.calls -= left.calls;
            health.errors -= left.errors;
            if self.trips(health) {
                return Some(self.began + self.properties.snapshot * (self.taken + later + 1));
            }
            if health.calls < self.properties.volume {
                break;
            }
        }
        None
    }

    fn ring(&mut self, now: Time) {
        self.snapshots(now);
    }

    fn state(&self) -> State {
        self.state
    }

    /// What the next snapshot would see.
    fn gauge(&mut self, now: Time) -> Gauge {
        self.catch_up(now);
        let left = self.pieces[self.place(self.taken)];
        // At an opening the piece that was just closed is part of it.
        let (calls, failures) = if self.filling == Health::default() {
            (self.full.calls, self.full.errors)
        } else {
            let Health { calls, errors } = self.filling;
            (self.full.calls + calls - left.calls, self.full.errors + errors - left.errors)
        };
        Gauge { calls, failures, slow: 0, minimum: self.properties.volume }
    }
}
