//! The breaker as the articles tell it, without any library's corners.
//!
//! Results are counted over a window; when a failure brings the rate above the threshold, the circuit opens. After a
//! while some probes may pass: enough good ones close it, a bad one opens it again. Results of calls that began in an
//! earlier state are ignored, and a circuit that closes starts with an empty window.

use std::collections::VecDeque;

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Percent, Permit, State, Verdict};

/// Over what failures are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The results of the last so much time.
    Last(Span),
    /// The last so many results.
    Calls(u32),
}

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The failure rate from which on it opens, or above which: see `strict`.
    pub threshold: Percent,
    /// Opens only above the threshold, not at it.
    pub strict: bool,
    /// With fewer results it stays closed.
    pub minimum: u64,
    /// What is counted.
    pub window: Window,
    /// How long it stays open.
    pub open: Span,
    /// Probes under way at most.
    pub probes: u32,
    /// Good probes in a row that close it.
    pub successes: u32,
}

/// The breaker.
#[derive(Clone, Debug)]
pub struct Textbook {
    rule: Rule,
    state: State,
    /// When each result in the window came, and whether it was a failure.
    results: VecDeque<(Time, bool)>,
    failures: u64,
    until: Time,
    probing: u32,
    good: u32,
    changes: u32,
}

impl Textbook {
    /// A closed circuit.
    pub fn new(rule: Rule) -> Textbook {
        let room = match rule.window {
            Window::Last(_) => 64,
            Window::Calls(n) => n as usize + 1,
        };
        Textbook {
            rule,
            state: State::Closed,
            results: VecDeque::with_capacity(room.min(4096)),
            failures: 0,
            until: Time::ZERO,
            probing: 0,
            good: 0,
            changes: 0,
        }
    }

    fn go_to(&mut self, state: State, now: Time) {
        self.state = state;
        self.changes += 1;
        self.probing = 0;
        self.good = 0;
        match state {
            State::Open => self.until = now + self.rule.open,
            State::Closed => {
                self.results.clear();
                self.failures = 0;
            }
            State::HalfOpen => {}
        }
    }

    fn forget(&mut self, now: Time) {
        let too_old = |&(at, _): &(Time, bool), len: usize| match self.rule.window {
            Window::Last(span) => at + span <= now,
            Window::Calls(n) => len > n as usize,
        };
        while self.results.front().is_some_and(|first| too_old(first, self.results.len())) {
            if let Some((_, true)) = self.results.pop_front() {
                self.failures -= 1;
            }
        }
    }
}

impl Breaker for Textbook {
    fn acquire(&mut self, now: Time) -> Admission {
        if self.state == State::Open && now >= self.until {
            self.go_to(State::HalfOpen, now);
        }
        let probe = match self.state {
            State::Closed => false,
            State::HalfOpen if self.probing < self.rule.probes.max(1) => {
                self.probing += 1;
                true
            }
            State::Open | State::HalfOpen => return Admission::Rejected,
        };
        Admission::Go(Permit { generation: self.changes, probe })
    }

    fn report(&mut self, now: Time, permit: Permit, verdict: Verdict, _took: Span) {
        if permit.generation != self.changes {
            return;
        }
        let failed = match verdict {
            Verdict::Ok => false,
            Verdict::Failed | Verdict::TimedOut => true,
            Verdict::Ignored => {
                self.probing = self.probing.saturating_sub(1);
                return;
            }
        };
        if self.state == State::HalfOpen {
            self.probing = self.probing.saturating_sub(1);
            self.good += 1;
            if failed {
                self.go_to(State::Open, now);
            } else if self.good >= self.rule.successes {
                self.go_to(State::Closed, now);
            }
            return;
        }
        self.results.push_back((now, failed));
        self.failures += u64::from(failed);
        self.forget(now);
        let (calls, failures) = (self.results.len() as u64, self.failures);
        let Rule { threshold, strict, minimum, .. } = self.rule;
        let over = if strict { threshold.exceeded_by(failures, calls) } else { threshold.reached_by(failures, calls) };
        if failed && calls >= minimum && over {
            self.go_to(State::Open, now);
        }
    }

    fn timer(&self) -> Option<Time> {
        None
    }

    fn ring(&mut self, _now: Time) {}

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, now: Time) -> Gauge {
        self.forget(now);
        Gauge { calls: self.results.len() as u64, failures: self.failures, slow: 0, minimum: self.rule.minimum }
    }
}
