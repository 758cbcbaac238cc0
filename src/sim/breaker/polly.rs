//! Polly 8 (.NET): the circuit breaker of `Polly.Core`.
//!
//! Ported from the source of 8.7 (`CircuitStateController`, `AdvancedCircuitBehavior`, `RollingHealthMetrics`), not run.
//! What surprises:
//!
//! - It is looked at only when a call fails; reaching the ratio is enough.
//! - The window's ten pieces begin with calls, not with the clock.
//! - Half-open lets exactly one call through. While that one hangs, nobody else is let through, however long it takes.
//! - Late results are not told apart: in half-open they close or open the circuit as the trial would.

use std::collections::VecDeque;

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// Pieces of a window.
const PIECES: u64 = 10;
/// Below this length a window has one piece.
const LEAST: Span = Span::ms(200);

/// `CircuitBreakerStrategyOptions`, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `FailureRatio`.
    pub threshold: Percent,
    /// `MinimumThroughput`: with fewer results in the window it stays closed. The library wants 2 at least.
    pub minimum: u64,
    /// `SamplingDuration`: the window's length. The library wants 0.5 s at least.
    pub window: Span,
    /// `BreakDuration`: how long it stays open. The library wants 0.5 s at least.
    pub open: Span,
}

impl Options {
    /// The library's defaults.
    pub const DEFAULT: Options =
        Options { threshold: Percent::whole(10), minimum: 100, window: Span::s(30), open: Span::s(5) };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Piece {
    began: Time,
    calls: u64,
    failures: u64,
}

/// The breaker. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Polly {
    options: Options,
    state: State,
    blocked_until: Time,
    /// Oldest first.
    pieces: VecDeque<Piece>,
    /// Sums over the pieces.
    calls: u64,
    failures: u64,
    changes: u32,
}

impl Polly {
    /// A closed circuit.
    pub fn new(options: Options) -> Polly {
        let mut polly = Polly {
            options,
            state: State::Closed,
            blocked_until: Time::ZERO,
            pieces: VecDeque::new(),
            calls: 0,
            failures: 0,
            changes: 0,
        };
        polly.forget_all(Time::ZERO);
        polly
    }

    fn single(&self) -> bool {
        self.options.window < LEAST
    }

    fn forget_all(&mut self, now: Time) {
        self.pieces.clear();
        self.calls = 0;
        self.failures = 0;
        // A single piece begins with the clock, ten of them with the next result.
        if self.single() {
            self.pieces.push_back(Piece { began: now, ..Piece::default() });
        }
    }

    fn count(&mut self, now: Time, failed: bool) {
        if self.single() {
            if self.pieces.back().is_some_and(|piece| now - piece.began >= self.options.window) {
                self.forget_all(now);
            }
        } else {
            let length = self.options.window / PIECES;
            if self.pieces.back().is_none_or(|piece| now - piece.began >= length) {
                self.pieces.push_back(Piece { began: now, ..Piece::default() });
            }
            while let Some(old) = self.pieces.front().copied().filter(|old| now - old.began >= self.options.window) {
                self.pieces.pop_front();
                self.calls -= old.calls;
                self.failures -= old.failures;
            }
        }
        if let Some(piece) = self.pieces.back_mut() {
            piece.calls += 1;
            piece.failures += u64::from(failed);
        }
        self.calls += 1;
        self.failures += u64::from(failed);
    }

    fn go_to(&mut self, state: State, now: Time) {
        self.state = state;
        self.changes += 1;
        match state {
            State::Open => self.blocked_until = now + self.options.open,
            State::Closed => self.forget_all(now),
            State::HalfOpen => {}
        }
    }

    /// As the library calculates it, in doubles.
    fn trips(&self) -> bool {
        let ratio = self.failures as f64 / self.calls.max(1) as f64;
        self.calls >= self.options.minimum && ratio >= f64::from(self.options.threshold.as_hundredths()) / 10_000.0
    }
}

impl Breaker for Polly {
    fn acquire(&mut self, now: Time) -> Admission {
        let probe = self.state == State::Open && now >= self.blocked_until;
        if probe {
            self.go_to(State::HalfOpen, now);
        }
        if probe || self.state == State::Closed {
            Admission::Go(Permit { generation: self.changes, probe })
        } else {
            Admission::Rejected
        }
    }

    fn report(&mut self, now: Time, _permit: Permit, verdict: Verdict, _took: Span) {
        match (verdict, self.state) {
            // An outcome that is not handled is a success.
            (Verdict::Ok | Verdict::Ignored, state) => {
                self.count(now, false);
                if state == State::HalfOpen {
                    self.go_to(State::Closed, now);
                }
            }
            (Verdict::Failed | Verdict::TimedOut, State::HalfOpen) => self.go_to(State::Open, now),
            (Verdict::Failed | Verdict::TimedOut, state) => {
                self.count(now, true);
                if state == State::Closed && self.trips() {
                    self.go_to(State::Open, now);
                }
            }
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, now: Time) -> Gauge {
        // Only looks: the library's pieces begin with results.
        let live = self.pieces.iter().filter(|piece| now - piece.began < self.options.window);
        let (calls, failures) = live.fold((0, 0), |sum, piece| (sum.0 + piece.calls, sum.1 + piece.failures));
        Gauge { calls, failures, slow: 0, minimum: self.options.minimum }
    }
}
