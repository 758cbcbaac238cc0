//! resilience4j 2.3 (Java).
//!
//! Checked against the library (`tests/vectors/libraries/resilience4j.json`). What surprises:
//!
//! - Results count, not calls; at each result both rates are looked at, and reaching the threshold is enough. So a
//!   **success** can open the circuit, when it completes the minimum.
//! - Half-open waits for all its permitted calls (10 unless told otherwise), or for the minimum if that is less, before
//!   it decides. One failed probe does not open it again.
//! - Nothing happens without calls: open turns into half-open when somebody asks, strictly after the wait.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// Over what the rates are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// `COUNT_BASED`: the last so many results.
    Calls(u32),
    /// `TIME_BASED`: the last so many whole seconds, the current one included. Seconds begin with the clock's.
    Seconds(u32),
}

/// resilience4j's configuration, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `failureRateThreshold`.
    pub threshold: Percent,
    /// `slowCallRateThreshold`.
    pub slow_threshold: Percent,
    /// `slowCallDurationThreshold`: a call is slow if it took longer than this.
    pub slow_over: Span,
    /// `slidingWindowType` and `slidingWindowSize`.
    pub window: Window,
    /// `minimumNumberOfCalls`: with fewer results there are no rates.
    pub minimum: u64,
    /// `permittedNumberOfCallsInHalfOpenState`.
    pub permitted: u32,
    /// `waitDurationInOpenState`.
    pub wait: Span,
    /// By how much each opening in a row is longer than the one before, in hundredths: 200 doubles. 100: all alike.
    pub growth: u32,
    /// `maxWaitDurationInHalfOpenState`; zero: for ever.
    pub half_open_wait: Span,
    /// `automaticTransitionFromOpenToHalfOpenEnabled`.
    pub automatic: bool,
}

impl Config {
    /// The library's defaults.
    pub const DEFAULT: Config = Config {
        threshold: Percent::whole(50),
        slow_threshold: Percent::whole(100),
        slow_over: Span::s(60),
        window: Window::Calls(100),
        minimum: 100,
        permitted: 10,
        wait: Span::s(60),
        growth: 100,
        half_open_wait: Span::ZERO,
        automatic: false,
    };

    /// How long opening number `attempt` in a row lasts, counted from 1. The library cuts to milliseconds at each step.
    fn wait(&self, attempt: u32) -> Span {
        if self.growth == 100 {
            return self.wait;
        }
        let mut ms = self.wait.as_us() / 1_000;
        for _ in 1..attempt.min(64) {
            ms = ms.saturating_mul(u64::from(self.growth)) / 100;
        }
        Span::ms(ms)
    }
}

/// What a window has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    calls: u64,
    failed: u64,
    slow: u64,
}

impl Tally {
    fn one(failed: bool, slow: bool) -> Tally {
        Tally { calls: 1, failed: failed.into(), slow: slow.into() }
    }
    fn add(&mut self, other: Tally) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.slow += other.slow;
    }
    fn sub(&mut self, other: Tally) {
        self.calls -= other.calls;
        self.failed -= other.failed;
        self.slow -= other.slow;
    }
}

/// One state's window. A ring of single results, or of seconds.
#[derive(Clone, Debug)]
struct Metrics {
    ring: Vec<Tally>,
    by_seconds: bool,
    /// The next place (calls), or the newest second.
    at: u64,
    total: Tally,
    minimum: u64,
    not_permitted: u64,
}

/// What the thresholds say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    TooFew,
    Below,
    Reached,
}

impl Metrics {
    fn new(window: Window, minimum: u64, now: Time) -> Metrics {
        let (size, by_seconds) = match window {
            Window::Calls(n) => (n.max(1), false),
            Window::Seconds(n) => (n.max(1), true),
        };
        Metrics {
            ring: vec![Tally::default(); size as usize],
            by_seconds,
            at: if by_seconds { now.slot(Span::s(1)) } else { 0 },
            total: Tally::default(),
            // The library clamps the minimum to a window of calls, but not to one of seconds.
            minimum: if by_seconds { minimum } else { minimum.min(u64::from(size)) },
            not_permitted: 0,
        }
    }

    /// Forgets the seconds that have left the window.
    fn rotate(&mut self, now: Time) {
        if !self.by_seconds {
            return;
        }
        let (second, size) = (now.slot(Span::s(1)), self.ring.len() as u64);
        for back in 0..second.saturating_sub(self.at).min(size) {
            let old = core::mem::take(&mut self.ring[((second - back) % size) as usize]);
            self.total.sub(old);
        }
        self.at = self.at.max(second);
    }

    fn record(&mut self, now: Time, one: Tally) {
        self.rotate(now);
        let place = (self.at % self.ring.len() as u64) as usize;
        if self.by_seconds {
            self.ring[place].add(one);
        } else {
            let old = core::mem::replace(&mut self.ring[place], one);
            self.total.sub(old);
            self.at += 1;
        }
        self.total.add(one);
    }

    /// A rate in percent, as the library calculates it, in single precision; `None` below the minimum.
    fn rate(&self, part: u64) -> Option<f32> {
        let calls = self.total.calls;
        (calls > 0 && calls >= self.minimum).then(|| part as f32 * 100.0 / calls as f32)
    }

    fn check(&self, config: &Config) -> Check {
        let (Some(failed), Some(slow)) = (self.rate(self.total.failed), self.rate(self.total.slow)) else {
            return Check::TooFew;
        };
        let reached = |rate: f32, threshold: Percent| rate >= threshold.as_percent() as f32;
        if reached(failed, config.threshold) || reached(slow, config.slow_threshold) {
            Check::Reached
        } else {
            Check::Below
        }
    }
}

/// The breaker.
#[derive(Clone, Debug)]
pub struct Resilience4j {
    config: Config,
    state: State,
    /// The window of the present state; an open circuit keeps the one that opened it.
    metrics: Metrics,
    /// Openings in a row.
    attempts: u32,
    /// Open: until when calls are rejected. Half-open: until when it may stay so.
    until: Option<Time>,
    /// Half-open: calls that may still pass.
    permits: u64,
    changes: u32,
}

impl Resilience4j {
    /// A closed circuit.
    pub fn new(config: Config) -> Resilience4j {
        Resilience4j {
            config,
            state: State::Closed,
            metrics: Metrics::new(config.window, config.minimum, Time::ZERO),
            attempts: 0,
            until: None,
            permits: 0,
            changes: 0,
        }
    }

    /// The failure rate in percent; `None` below the minimum (the library says −1).
    pub fn failure_rate(&mut self, now: Time) -> Option<f32> {
        self.metrics.rotate(now);
        self.metrics.rate(self.metrics.total.failed)
    }

    /// The slow-call rate in percent; `None` below the minimum.
    pub fn slow_rate(&mut self, now: Time) -> Option<f32> {
        self.metrics.rotate(now);
        self.metrics.rate(self.metrics.total.slow)
    }

    /// Calls rejected in the present window.
    pub fn not_permitted(&self) -> u64 {
        self.metrics.not_permitted
    }

    fn go_to(&mut self, state: State, now: Time) {
        self.state = state;
        self.changes += 1;
        self.until = None;
        match state {
            State::Closed => {
                self.attempts = 0;
                self.metrics = Metrics::new(self.config.window, self.config.minimum, now);
            }
            State::Open => {
                self.attempts += 1;
                self.until = Some(now + self.config.wait(self.attempts));
            }
            State::HalfOpen => {
                let permitted = self.config.permitted;
                self.permits = u64::from(permitted);
                self.metrics = Metrics::new(Window::Calls(permitted), self.config.minimum, now);
                let wait = self.config.half_open_wait;
                self.until = (wait >= Span::ms(1)).then(|| now + wait);
            }
        }
    }
}

impl Breaker for Resilience4j {
    fn acquire(&mut self, now: Time) -> Admission {
        if self.state == State::Open && self.until.is_some_and(|until| now > until) {
            self.go_to(State::HalfOpen, now);
        }
        let probe = match self.state {
            State::Closed => false,
            State::HalfOpen if self.permits > 0 => {
                self.permits -= 1;
                true
            }
            State::Open | State::HalfOpen => {
                self.metrics.not_permitted += 1;
                return Admission::Rejected;
            }
        };
        Admission::Go(Permit { generation: self.changes, probe })
    }

    /// Counts into the window of the present state, whenever the call began.
    fn report(&mut self, now: Time, _permit: Permit, verdict: Verdict, took: Span) {
        let failed = match verdict {
            Verdict::Ok => false,
            Verdict::Failed | Verdict::TimedOut => true,
            Verdict::Ignored => {
                if self.state == State::HalfOpen {
                    self.permits += 1;
                }
                return;
            }
        };
        self.metrics.record(now, Tally::one(failed, took > self.config.slow_over));
        match (self.state, self.metrics.check(&self.config)) {
            (State::Open, _) | (_, Check::TooFew) | (State::Closed, Check::Below) => {}
            (State::Closed | State::HalfOpen, Check::Reached) => self.go_to(State::Open, now),
            (State::HalfOpen, Check::Below) => self.go_to(State::Closed, now),
        }
    }

    fn timer(&self) -> Option<Time> {
        match self.state {
            State::Closed => None,
            State::Open => self.until.filter(|_| self.config.automatic),
            State::HalfOpen => self.until,
        }
    }

    fn ring(&mut self, now: Time) {
        if self.timer().is_some_and(|at| at <= now) {
            self.go_to(if self.state == State::Open { State::HalfOpen } else { State::Open }, now);
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, now: Time) -> Gauge {
        self.metrics.rotate(now);
        let Tally { calls, failed, slow } = self.metrics.total;
        Gauge { calls, failures: failed, slow, minimum: self.metrics.minimum }
    }
}
