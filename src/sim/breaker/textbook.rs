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
    /// The results of so much time, in so many pieces of equal length (at least 1): the piece that is being written and
    /// the full ones before it. Forgets a piece at a time, as libraries do, and takes no room for single results.
    Pieces(Span, u32),
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
    /// Calls and failures of each piece, where the window has pieces; piece n is at n mod length.
    pieces: Vec<(u64, u64)>,
    /// The piece that is being written.
    piece: u64,
    calls: u64,
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
            Window::Pieces(..) => 0,
        };
        let pieces = if let Window::Pieces(_, n) = rule.window { n.max(1) as usize } else { 0 };
        Textbook {
            rule,
            state: State::Closed,
            results: VecDeque::with_capacity(room.min(4096)),
            pieces: vec![(0, 0); pieces],
            piece: 0,
            calls: 0,
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
                self.pieces.fill((0, 0));
                self.calls = 0;
                self.failures = 0;
            }
            State::HalfOpen => {}
        }
    }

    fn add(&mut self, now: Time, failed: bool) {
        self.forget(now);
        if self.pieces.is_empty() {
            self.results.push_back((now, failed));
        } else {
            let at = (self.piece % self.pieces.len() as u64) as usize;
            self.pieces[at].0 += 1;
            self.pieces[at].1 += u64::from(failed);
        }
        self.calls += 1;
        self.failures += u64::from(failed);
        self.forget(now);
    }

    fn forget(&mut self, now: Time) {
        if let Window::Pieces(span, n) = self.rule.window {
            let n = u64::from(n.max(1));
            let piece = now.slot(span / n);
            for back in 0..piece.saturating_sub(self.piece).min(n) {
                let old = core::mem::take(&mut self.pieces[((piece - back) % n) as usize]);
                self.calls -= old.0;
                self.failures -= old.1;
            }
            self.piece = self.piece.max(piece);
            return;
        }
        let too_old = |&(at, _): &(Time, bool), len: usize| match self.rule.window {
            Window::Last(span) => at + span <= now,
            Window::Calls(n) => len > n as usize,
            Window::Pieces(..) => false,
        };
        while self.results.front().is_some_and(|first| too_old(first, self.results.len())) {
            self.calls -= 1;
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
        self.add(now, failed);
        let (calls, failures) = (self.calls, self.failures);
        let Rule { threshold, strict, minimum, .. } = self.rule;
        let over = if strict { threshold.exceeded_by(failures, calls) } else { threshold.reached_by(failures, calls) };
        if failed && calls >= minimum && over {
            self.go_to(State::Open, now);
        }
    }

    fn state(&self) -> State {
        self.state
    }

    fn gauge(&mut self, now: Time) -> Gauge {
        self.forget(now);
        Gauge { calls: self.calls, failures: self.failures, slow: 0, minimum: self.rule.minimum }
    }
}
