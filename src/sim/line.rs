//! A waiting line with a discipline: who is next, and how long one may wait.

use std::collections::VecDeque;

use crate::time::{Span, Time};

/// Who is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Who came first.
    #[default]
    Fifo,
    /// Who came last.
    Lifo,
    /// Who came last while more than so many wait, else who came first: "adaptive LIFO" (Maurer 2015, "Fail at Scale").
    /// With 0, which is how that paper describes it, it is LIFO, since the order of one does not matter.
    Adaptive(u32),
}

/// How long one may wait. Looked at when a slot is free: who has waited longer than that is dropped then, not earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// For ever.
    #[default]
    Any,
    /// So long: `if (now - job.at > limit) drop`.
    Within(Span),
    /// Controlled delay as in "Fail at Scale": who joins a line that has not been empty for `interval` may wait `target`, anybody
    /// else `interval`. 100 ms and 5 ms there.
    CoDel {
        /// How long a line may stand.
        interval: Span,
        /// How long one may wait in a standing line.
        target: Span,
    },
}

/// Who waits: the call, when it came, how long it may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The call.
    pub call: u32,
    /// When it joined.
    pub since: Time,
    /// How long it may wait.
    pub may: Span,
}

impl Waiting {
    /// Whether it has waited longer than it may.
    pub fn expired(&self, now: Time) -> bool {
        now - self.since > self.may
    }
}

/// The line. Joining and taking are O(1).
#[derive(Clone, Debug, Default)]
pub struct Line {
    order: Order,
    wait: Wait,
    waiting: VecDeque<Waiting>,
    /// When it was last empty.
    empty: Time,
}

impl Line {
    /// Nobody waits.
    pub fn new(order: Order, wait: Wait) -> Line {
        Line { order, wait, ..Line::default() }
    }

    /// A call joins at `now`.
    pub fn join(&mut self, call: u32, now: Time) {
        if self.waiting.is_empty() {
            self.empty = now;
        }
        let may = match self.wait {
            Wait::Any => Span::MAX,
            Wait::Within(limit) => limit,
            Wait::CoDel { interval, target } if now - self.empty > interval => target,
            Wait::CoDel { interval, .. } => interval,
        };
        self.waiting.push_back(Waiting { call, since: now, may });
    }

    /// Takes out who is next.
    pub fn take(&mut self, now: Time) -> Option<Waiting> {
        let last = match self.order {
            Order::Fifo => false,
            Order::Lifo => true,
            Order::Adaptive(above) => self.waiting.len() > above as usize,
        };
        let next = if last { self.waiting.pop_back() } else { self.waiting.pop_front() };
        if self.waiting.is_empty() {
            self.empty = now;
        }
        next
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
