//! opossum 10 (Node): the breaker of article 1, card 019.
//!
//! Ported from its behaviour and checked against the library (`tests/vectors/libraries/breaker_opossum.json`; 9.0 does
//! the same). What surprises:
//!
//! - The rate is failures / fires, and **every** call fires: rejected ones and ones still under way too.
//! - It is looked at only when a call fails, and must be strictly greater than the threshold.
//! - Closing forgets nothing: the failures from before are still in the window.
//! - In half-open any success closes and any failure opens, also of a call that began long before.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// opossum's options, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `errorThresholdPercentage`.
    pub threshold: Percent,
    /// `volumeThreshold`: with fewer fires in the window the circuit stays closed.
    pub volume: u64,
    /// `rollingCountTimeout`: the window's length.
    pub window: Span,
    /// `rollingCountBuckets`: in how many pieces it is forgotten. At least 1.
    pub buckets: u32,
    /// `resetTimeout`: how long it stays open.
    pub reset: Span,
    /// `capacity`: calls under way at most.
    pub capacity: u64,
    /// `allowWarmUp`: does not open during the first window.
    pub warm_up: bool,
    /// `timeout`: kept for the driver, who ends the call and reports [`Verdict::TimedOut`]; `None`: never.
    pub timeout: Option<Span>,
}

impl Options {
    /// The library's defaults.
    pub const DEFAULT: Options = Options {
        threshold: Percent::whole(50),
        volume: 0,
        window: Span::s(10),
        buckets: 10,
        reset: Span::s(30),
        capacity: u64::MAX,
        warm_up: false,
        timeout: Some(Span::s(10)),
    };
}

/// What opossum counts in its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls of `fire`, whatever became of them.
    pub fires: u64,
    /// Errors and timeouts that were not filtered, and calls for which there was no room.
    pub failures: u64,
    /// Successes and filtered errors.
    pub successes: u64,
    /// Rejected by the open circuit.
    pub rejects: u64,
    /// Of the failures and filtered errors, those that were timeouts.
    pub timeouts: u64,
    /// Of the failures, those for which there was no room.
    pub semaphore_rejections: u64,
}

impl Stats {
    fn add(&mut self, other: &Stats) {
        self.fires += other.fires;
        self.failures += other.failures;
        self.successes += other.successes;
        self.rejects += other.rejects;
        self.timeouts += other.timeouts;
        self.semaphore_rejections += other.semaphore_rejections;
    }
}

/// The breaker. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Opossum {
    options: Options,
    state: State,
    /// Half-open, and nobody has taken the probe's place yet.
    probe_free: bool,
    half_open_at: Option<Time>,
    /// A ring; the bucket of time slot n is at n mod length.
    buckets: Vec<Stats>,
    /// The time slot of the newest bucket.
    slot: u64,
    under_way: u64,
    changes: u32,
}

impl Opossum {
    /// A closed circuit.
    pub fn new(options: Options) -> Opossum {
        let buckets = vec![Stats::default(); options.buckets.max(1) as usize];
        Opossum {
            options,
            state: State::Closed,
            probe_free: false,
            half_open_at: None,
            buckets,
            slot: 0,
            under_way: 0,
            changes: 0,
        }
    }

    /// The sums over the window.
    pub fn stats(&mut self, now: Time) -> Stats {
        self.rotate(now);
        let mut sum = Stats::default();
        self.buckets.iter().for_each(|bucket| sum.add(bucket));
        sum
    }

    /// Whether it is half-open and waits for its probe.
    pub fn pending_close(&self) -> bool {
        self.probe_free
    }

    /// The library's timer fires every ⌊window / buckets⌋ ms and drops the oldest bucket.
    fn rotate(&mut self, now: Time) {
        let count = self.buckets.len() as u64;
        let every_ms = (self.options.window.as_us() / 1_000 / count).max(1);
        let slot = now.slot(Span::ms(every_ms));
        let passed = slot.saturating_sub(self.slot).min(count);
        for back in 0..passed {
            self.buckets[((slot - back) % count) as usize] = Stats::default();
        }
        self.slot = self.slot.max(slot);
    }

    fn newest(&mut self, now: Time) -> &mut Stats {
        self.rotate(now);
        let at = self.slot % self.buckets.len() as u64;
        &mut self.buckets[at as usize]
    }

    fn go_to(&mut self, state: State, now: Time) {
        if self.state == state {
            return;
        }
        self.state = state;
        self.changes += 1;
        self.probe_free = state == State::HalfOpen;
        self.half_open_at = (state == State::Open).then(|| now + self.options.reset);
    }

    fn failed(&mut self, now: Time) {
        self.newest(now).failures += 1;
        if self.options.warm_up && now < Time::ZERO + self.options.window {
            return;
        }
        let stats = self.stats(now);
        let half_open = self.state == State::HalfOpen;
        if stats.fires < self.options.volume && !half_open {
            return;
        }
        // As the library calculates it: 7 of 25 is 28.000000000000004 %, more than 28. Divisions and products of
        // doubles are the same on every platform.
        let rate = stats.failures as f64 / stats.fires as f64 * 100.0;
        if rate > self.options.threshold.as_percent() || half_open {
            self.go_to(State::Open, now);
        }
    }

    fn succeeded(&mut self, now: Time) {
        self.newest(now).successes += 1;
        if self.state == State::HalfOpen {
            self.go_to(State::Closed, now);
        }
    }
}

impl Breaker for Opossum {
    fn acquire(&mut self, now: Time) -> Admission {
        self.newest(now).fires += 1;
        let probe = self.probe_free;
        if self.state != State::Closed && !probe {
            self.newest(now).rejects += 1;
            return Admission::Rejected;
        }
        self.probe_free = false;
        if self.under_way >= self.options.capacity {
            self.newest(now).semaphore_rejections += 1;
            self.failed(now);
            return Admission::Full;
        }
        self.under_way += 1;
        Admission::Go(Permit { generation: self.changes, probe })
    }

    fn report(&mut self, now: Time, _permit: Permit, verdict: Verdict, _took: Span) {
        self.under_way = self.under_way.saturating_sub(1);
        match verdict {
            // A filtered error is a success to the library, and closes a half-open circuit.
            Verdict::Ok | Verdict::Ignored => self.succeeded(now),
            Verdict::Failed => self.failed(now),
            Verdict::TimedOut => {
                self.newest(now).timeouts += 1;
                self.failed(now);
            }
        }
    }

    fn timer(&self) -> Option<Time> {
        self.half_open_at
    }

    fn ring(&mut self, now: Time) {
        if self.half_open_at.is_some_and(|at| at <= now) {
            self.go_to(State::HalfOpen, now);
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, now: Time) -> Gauge {
        let stats = self.stats(now);
        Gauge { calls: stats.fires, failures: stats.failures, slow: 0, minimum: self.options.volume }
    }
}
