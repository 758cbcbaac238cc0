//! cockatiel 4 (Node).
//!
//! Checked against the library (`tests/vectors/libraries/cockatiel.json` and `cockatiel_scripts.json`). What surprises:
//!
//! - It has three rules to choose from and no default; rates must be strictly greater than the threshold.
//! - Half-open lets one call through, and who comes meanwhile **waits** for its outcome: then runs, or is rejected.
//! - A late result of a trial is ignored once its half-open is over; one of a call that began while the circuit was closed
//!   still counts, and a failure can open a half-open circuit.
//! - Failures in a row go on counting while it is open; only a success ends the row.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// What opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `ConsecutiveBreaker`: so many failures in a row.
    Consecutive(u32),
    /// `CountBreaker`: more than this share of the last so many results, of at least so many.
    Count {
        /// `threshold`.
        threshold: Percent,
        /// `size`.
        size: u32,
        /// `minimumNumberOfCalls`; `size` unless told otherwise.
        minimum: u64,
    },
    /// `SamplingBreaker`: more than this share of the results of so much time, if there are enough of them.
    Sampling {
        /// `threshold`.
        threshold: Percent,
        /// `duration`.
        duration: Span,
        /// `minimumRps` in thousandths of a result a second; `None`: five failures a second at the threshold.
        minimum_rate: Option<u64>,
    },
}

/// cockatiel's options, under our names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `breaker`.
    pub rule: Rule,
    /// `halfOpenAfter`: how long it stays open.
    pub open: Span,
    /// By how much each opening in a row is longer than the one before, in hundredths: 200 doubles. 100: all alike.
    pub growth: u32,
    /// The longest opening, where they grow.
    pub longest: Span,
    /// `halfOpenSampling.calls`: trials before it decides. At least 1.
    pub probes: u32,
    /// `halfOpenSampling.threshold`: more than this share of the trials failed opens it again.
    pub probe_threshold: Percent,
}

impl Options {
    /// What the library's README begins with; `rule` and `open` have no default.
    pub const README: Options = Options {
        rule: Rule::Consecutive(5),
        open: Span::s(10),
        growth: 100,
        longest: Span::MAX,
        probes: 1,
        probe_threshold: Percent::whole(0),
    };

    fn open(&self, attempt: u32) -> Span {
        let grown = |span: Span| Span::us((u128::from(span.as_us()) * u128::from(self.growth) / 100) as u64);
        let more = if self.growth == 100 { 0 } else { attempt.saturating_sub(1).min(64) };
        (0..more).fold(self.open, |span, _| grown(span).min(self.longest)).min(self.longest)
    }
}

/// A piece of a [`Rule::Sampling`] window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Piece {
    began_ms: u64,
    calls: u64,
    failures: u64,
}

/// What the rule has counted.
#[derive(Clone, Debug)]
struct Samples {
    rule: Rule,
    row: u64,
    /// Ring of single results: empty, well, failed.
    results: Vec<Option<bool>>,
    pieces: Vec<Piece>,
    piece_ms: u64,
    /// The ring's next place, or the piece that is being written.
    at: usize,
    calls: u64,
    failures: u64,
}

impl Samples {
    fn new(rule: Rule) -> Samples {
        let (mut results, mut pieces, mut piece_ms) = (Vec::new(), Vec::new(), 0);
        match rule {
            Rule::Consecutive(_) => {}
            Rule::Count { size, .. } => results = vec![None; size.max(1) as usize],
            Rule::Sampling { duration, .. } => {
                // At least five, of a second at most; their length is rounded.
                let ms = duration.as_us() / 1_000;
                let count = ms.div_ceil(1_000).max(5);
                pieces = vec![Piece::default(); count as usize];
                piece_ms = (2 * ms + count) / (2 * count);
            }
        }
        Samples { rule, row: 0, results, pieces, piece_ms, at: 0, calls: 0, failures: 0 }
    }

    fn sample(&mut self, now: Time, failed: bool) {
        match self.rule {
            Rule::Consecutive(_) => {
                self.row = if failed { self.row + 1 } else { 0 };
                return;
            }
            Rule::Count { .. } => {
                if let Some(old) = self.results[self.at].replace(failed) {
                    self.calls -= 1;
                    self.failures -= u64::from(old);
                }
                self.at = (self.at + 1) % self.results.len();
            }
            Rule::Sampling { .. } => {
                let now_ms = now.as_us() / 1_000;
                // However long nobody came: one piece is forgotten at a time.
                if now_ms - self.pieces[self.at].began_ms >= self.piece_ms {
                    self.at = (self.at + 1) % self.pieces.len();
                    let old =
                        core::mem::replace(&mut self.pieces[self.at], Piece { began_ms: now_ms, ..Piece::default() });
                    self.calls -= old.calls;
                    self.failures -= old.failures;
                }
                let piece = &mut self.pieces[self.at];
                piece.calls += 1;
                piece.failures += u64::from(failed);
            }
        }
        self.calls += 1;
        self.failures += u64::from(failed);
    }

    fn forget_all(&mut self) {
        self.results.fill(None);
        self.pieces.fill(Piece::default());
        self.calls = 0;
        self.failures = 0;
    }

    /// Results below which it stays closed; of time as the library calculates it, in doubles.
    fn enough(&self) -> f64 {
        match self.rule {
            Rule::Consecutive(_) => 0.0,
            Rule::Count { minimum, .. } => minimum as f64,
            Rule::Sampling { threshold, minimum_rate, .. } => {
                let per_ms = match minimum_rate {
                    Some(rate) => rate as f64 / 1_000.0 / 1_000.0,
                    None => 5.0 / (share(threshold) * 1_000.0),
                };
                (self.piece_ms * self.pieces.len() as u64) as f64 * per_ms
            }
        }
    }

    /// Whether a failure that was just counted opens a closed circuit.
    fn trips(&self) -> bool {
        match self.rule {
            Rule::Consecutive(n) => self.row >= u64::from(n),
            Rule::Count { threshold, .. } | Rule::Sampling { threshold, .. } => {
                let calls = self.calls as f64;
                calls >= self.enough() && self.failures as f64 > share(threshold) * calls
            }
        }
    }
}

/// A percentage as the fraction that a program has.
fn share(percent: Percent) -> f64 {
    f64::from(percent.as_hundredths()) / 10_000.0
}

/// The breaker. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Cockatiel {
    options: Options,
    state: State,
    samples: Samples,
    opened: Time,
    /// Openings in a row.
    attempt: u32,
    in_flight: u64,
    successes: u64,
    failures: u64,
    changes: u32,
}

impl Cockatiel {
    /// A closed circuit.
    pub fn new(options: Options) -> Cockatiel {
        Cockatiel {
            options,
            state: State::Closed,
            samples: Samples::new(options.rule),
            opened: Time::ZERO,
            attempt: 1,
            in_flight: 0,
            successes: 0,
            failures: 0,
            changes: 0,
        }
    }

    fn go_to(&mut self, state: State) {
        self.state = state;
        self.changes += 1;
    }

    /// Nothing where it is open already: the open time is not prolonged.
    fn open(&mut self, now: Time) {
        match self.state {
            State::Open => return,
            State::Closed => self.attempt = 1,
            State::HalfOpen => self.attempt += 1,
        }
        self.opened = now;
        self.go_to(State::Open);
    }

    fn probes(&self) -> u64 {
        u64::from(self.options.probes.max(1))
    }
}

impl Breaker for Cockatiel {
    fn acquire(&mut self, now: Time) -> Admission {
        match self.state {
            State::Closed => return Admission::Go(Permit { generation: self.changes, probe: false }),
            State::Open if now - self.opened < self.options.open(self.attempt) => return Admission::Rejected,
            State::Open => {
                self.in_flight = 0;
                self.successes = 0;
                self.failures = 0;
                self.go_to(State::HalfOpen);
            }
            State::HalfOpen => {}
        }
        if self.successes + self.failures + self.in_flight >= self.probes() {
            return Admission::Wait;
        }
        self.in_flight += 1;
        Admission::Go(Permit { generation: self.changes, probe: true })
    }

    fn report(&mut self, now: Time, permit: Permit, verdict: Verdict, _took: Span) {
        let failed = matches!(verdict, Verdict::Failed | Verdict::TimedOut);
        if !permit.probe {
            // What is not to be counted is not counted here, but ends a trial well.
            if verdict != Verdict::Ignored {
                self.samples.sample(now, failed);
                if failed && self.samples.trips() {
                    self.open(now);
                }
            }
            return;
        }
        if permit.generation != self.changes {
            return;
        }
        self.in_flight -= 1;
        if failed {
            self.failures += 1;
            if self.failures as f64 > share(self.options.probe_threshold) * self.probes() as f64 {
                self.samples.sample(now, true);
                self.open(now);
                return;
            }
        } else {
            self.successes += 1;
        }
        if self.successes + self.failures >= self.probes() && self.in_flight == 0 {
            self.samples.forget_all();
            self.samples.sample(now, false);
            self.go_to(State::Closed);
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, _now: Time) -> Gauge {
        let Samples { rule, row, calls, failures, .. } = self.samples;
        match rule {
            Rule::Consecutive(n) => Gauge::in_a_row(row, u64::from(n)),
            Rule::Count { minimum, .. } => Gauge { calls, failures, slow: 0, minimum },
            Rule::Sampling { .. } => {
                let enough = self.samples.enough();
                let whole = enough as u64;
                Gauge { calls, failures, slow: 0, minimum: whole.saturating_add(u64::from((whole as f64) < enough)) }
            }
        }
    }
}
