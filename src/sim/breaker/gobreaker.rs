//! sony/gobreaker 2 (Go).
//!
//! Checked against the library, 2.4 (`tests/vectors/libraries/breaker_gobreaker.json`). What surprises:
//!
//! - Unless told otherwise it opens on the sixth failure in a row ("more than 5"), and looks at nothing else.
//! - Half-open lets `MaxRequests` calls through **in all**, and wants that many successes in a row; the first failure opens
//!   it again. Open turns into half-open strictly after the timeout.
//! - A result counts only in the generation that its call began in: every change of state begins one, and so does every
//!   end of a fixed interval.
//! - An interval ends when somebody comes after it, and the next begins then.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// `ReadyToTrip`: looked at whenever a call fails in a closed circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// More than so many failures in a row: what the library does by itself.
    Consecutive(u32),
    /// At least this share of the requests failed, of at least so many: the function in the library's README.
    Ratio(Percent, u64),
}

/// gobreaker's settings, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `MaxRequests`: calls let through half-open, in all. 0 is 1.
    pub probes: u32,
    /// `Interval`: how often a closed circuit forgets its counts; zero: never.
    pub interval: Span,
    /// `BucketPeriod`: forgets in such pieces; zero: all at once.
    pub bucket: Span,
    /// `Timeout`: how long it stays open.
    pub open: Span,
    /// `ReadyToTrip`.
    pub trip: Trip,
}

impl Settings {
    /// The library's defaults.
    pub const DEFAULT: Settings =
        Settings { probes: 1, interval: Span::ZERO, bucket: Span::ZERO, open: Span::s(60), trip: Trip::Consecutive(5) };
}

/// What it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls let through.
    pub requests: u64,
    /// Of these, ended well.
    pub successes: u64,
    /// Of these, failed.
    pub failures: u64,
    /// Of these, not to be counted (`IsExcluded`).
    pub exclusions: u64,
    /// Successes since the last failure.
    pub successes_in_a_row: u64,
    /// Failures since the last success.
    pub failures_in_a_row: u64,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Ok => {
                self.successes += 1;
                self.successes_in_a_row += 1;
                self.failures_in_a_row = 0;
            }
            Verdict::Failed | Verdict::TimedOut => {
                self.failures += 1;
                self.failures_in_a_row += 1;
                self.successes_in_a_row = 0;
            }
            Verdict::Ignored => self.exclusions += 1,
        }
    }
}

/// The breaker. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Gobreaker {
    settings: Settings,
    /// The interval, made a multiple of the bucket's length; with several buckets counts leave bucket by bucket.
    interval: Span,
    state: State,
    /// When the generation began, and when it ends; `None`: not by itself.
    start: Time,
    expiry: Option<Time>,
    /// Permits carry generation and bucket in one number: this generation's first one, and its buckets so far.
    first: u32,
    age: u64,
    counts: Counts,
    buckets: Vec<Counts>,
    /// The counts that opened it: the library clears them at that moment.
    opened_with: Counts,
}

impl Gobreaker {
    /// A closed circuit.
    pub fn new(settings: Settings) -> Gobreaker {
        let bucket = if settings.bucket > Span::ZERO { settings.bucket } else { settings.interval };
        let many = settings.interval.as_us().div_ceil(bucket.as_us().max(1)).max(1);
        let mut breaker = Gobreaker {
            settings: Settings { bucket, ..settings },
            interval: bucket * many,
            state: State::Closed,
            start: Time::ZERO,
            expiry: None,
            first: 0,
            age: 0,
            counts: Counts::default(),
            buckets: vec![Counts::default(); many as usize],
            opened_with: Counts::default(),
        };
        breaker.generation(Time::ZERO);
        breaker
    }

    /// `Counts()`: what it has counted, without looking at the clock.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// `State()`: looks at the clock, and may change.
    pub fn look(&mut self, now: Time) -> State {
        match (self.state, self.expiry) {
            (State::Closed, Some(expiry)) if expiry < now => self.generation(now),
            (State::Closed, _) if self.buckets.len() > 1 => {
                self.grow((now - self.start).as_us() / self.settings.bucket.as_us().max(1));
            }
            (State::Open, Some(expiry)) if expiry < now => self.go_to(State::HalfOpen, now),
            _ => {}
        }
        self.state
    }

    fn go_to(&mut self, state: State, now: Time) {
        if state == State::Open {
            self.opened_with = self.counts;
        }
        self.state = state;
        self.generation(now);
    }

    fn generation(&mut self, now: Time) {
        self.first = self.first.wrapping_add(self.age as u32).wrapping_add(1);
        self.start = now;
        self.forget_all(0);
        self.expiry = match self.state {
            State::Closed => (self.interval > Span::ZERO && self.buckets.len() == 1).then(|| now + self.interval),
            State::Open => Some(now + self.settings.open),
            State::HalfOpen => None,
        };
    }

    fn forget_all(&mut self, age: u64) {
        self.age = age;
        self.counts = Counts::default();
        self.buckets.fill(Counts::default());
    }

    /// Goes on to the bucket number `age` of this generation.
    fn grow(&mut self, age: u64) {
        if age.saturating_sub(self.age) >= self.buckets.len() as u64 {
            self.forget_all(age);
        }
        while self.age < age {
            self.age += 1;
            let at = self.at(self.age);
            let old = core::mem::take(&mut self.buckets[at]);
            self.leave(old);
        }
    }

    fn at(&self, age: u64) -> usize {
        (age % self.buckets.len() as u64) as usize
    }

    /// Takes a bucket's counts out. A row that reached back into it gets shorter, by the library's own rule.
    fn leave(&mut self, old: Counts) {
        let rest = |of: fn(&Counts) -> u64, row: u64| self.buckets.iter().map(of).sum::<u64>() + row;
        let successes = rest(|c| c.successes, old.successes_in_a_row);
        let failures = rest(|c| c.failures, old.failures_in_a_row);
        let counts = &mut self.counts;
        if counts.successes_in_a_row == successes {
            counts.successes_in_a_row -= old.successes_in_a_row;
        }
        if counts.failures_in_a_row == failures {
            counts.failures_in_a_row -= old.failures_in_a_row;
        }
        counts.requests = counts.requests.saturating_sub(old.requests);
        counts.successes = counts.successes.saturating_sub(old.successes);
        counts.failures = counts.failures.saturating_sub(old.failures);
        counts.exclusions = counts.exclusions.saturating_sub(old.exclusions);
    }

    fn trips(&self) -> bool {
        match self.settings.trip {
            Trip::Consecutive(n) => self.counts.failures_in_a_row > u64::from(n),
            Trip::Ratio(share, least) => {
                self.counts.requests >= least && share.reached_by(self.counts.failures, self.counts.requests)
            }
        }
    }

    fn probes(&self) -> u64 {
        u64::from(self.settings.probes.max(1))
    }
}

impl Breaker for Gobreaker {
    fn acquire(&mut self, now: Time) -> Admission {
        let state = self.look(now);
        let valid = self.counts.requests - self.counts.exclusions.min(self.counts.requests);
        if state == State::Open || state == State::HalfOpen && valid >= self.probes() {
            return Admission::Rejected;
        }
        self.counts.requests += 1;
        let at = self.at(self.age);
        self.buckets[at].requests += 1;
        let generation = self.first.wrapping_add(self.age as u32);
        Admission::Go(Permit { generation, probe: state == State::HalfOpen })
    }

    fn report(&mut self, now: Time, permit: Permit, verdict: Verdict, _took: Span) {
        let state = self.look(now);
        // An older generation's numbers lie before the first of this one.
        let age = u64::from(permit.generation.wrapping_sub(self.first));
        if age > self.age {
            return;
        }
        // A bucket that has left takes nothing any more, but the rule is looked at all the same.
        if self.age - age < self.buckets.len() as u64 {
            self.counts.add(verdict);
            let at = self.at(age);
            self.buckets[at].add(verdict);
        }
        match (state, verdict) {
            (State::Closed, Verdict::Failed | Verdict::TimedOut) if self.trips() => self.go_to(State::Open, now),
            (State::HalfOpen, Verdict::Failed | Verdict::TimedOut) => self.go_to(State::Open, now),
            (State::HalfOpen, Verdict::Ok) if self.counts.successes_in_a_row >= self.probes() => {
                self.go_to(State::Closed, now);
            }
            _ => {}
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, _now: Time) -> Gauge {
        let counts = if self.state == State::Open { self.opened_with } else { self.counts };
        match self.settings.trip {
            Trip::Consecutive(n) => Gauge::in_a_row(counts.failures_in_a_row, u64::from(n) + 1),
            Trip::Ratio(_, minimum) => Gauge { calls: counts.requests, failures: counts.failures, slow: 0, minimum },
        }
    }
}
