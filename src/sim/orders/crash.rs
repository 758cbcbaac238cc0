//! Crash injection: a process that dies at random moments and is started again.

use crate::draw::Draws;
use crate::time::{Span, Time};

/// When a process dies and is back, one after the other: `every` apart on average while it runs (exponential), `restart` to
/// come back. It dies no more after `until`, so that a run ends with everybody up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crashes {
    every: Span,
    restart: Span,
    until: Time,
    draws: Draws,
    hop: u32,
    n: u64,
    /// When it began to run last.
    up: Time,
    /// How often it has died. What it had in memory belongs to one life.
    pub lives: u32,
    /// Whether it runs.
    pub runs: bool,
}

impl Crashes {
    /// A process that runs from time 0 on. `every` zero: it never dies. `hop` tells the processes of one run apart.
    pub const fn new(every: Span, restart: Span, until: Time, draws: Draws, hop: u32) -> Crashes {
        Crashes { every, restart, until, draws, hop, n: 0, up: Time::ZERO, lives: 0, runs: true }
    }

    /// When it dies next; `None`: never.
    pub fn next(&self) -> Option<Time> {
        let at = self.up + self.draws.at(self.n, self.hop, 0).exponential(self.every);
        (self.every > Span::ZERO && at < self.until).then_some(at)
    }

    /// It dies; when it will be back.
    pub fn dies(&mut self, now: Time) -> Time {
        self.runs = false;
        self.lives += 1;
        now + self.restart
    }

    /// It is back.
    pub fn is_back(&mut self, now: Time) {
        (self.runs, self.up) = (true, now);
        self.n += 1;
    }
}
