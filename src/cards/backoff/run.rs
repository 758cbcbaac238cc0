//! The run: every client's operation, with jitter and without, and when its retries come.

use overload_sim::backoff::Memory;
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::record::{Samples, busiest};
use overload_sim::retry::RetryPolicy;
use overload_sim::time::{Span, Time};

use super::knobs::{Backoff, Herd};
use crate::outcome::Book;

/// The stream of the waits' draws.
const WAITS: u64 = 1;
/// The stream of the picture of the waits: operations that nobody runs.
const PICTURE: u64 = 2;

/// Widths of jitter that the curve of peaks has points for.
pub const WIDTHS: u64 = 40;

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Answered.
    Answered,
    /// Its attempts are used up.
    Attempts,
    /// The next attempt would start after the deadline.
    Deadline,
}

/// One attempt of the first client's operation.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// When it started.
    pub from: Time,
    /// When its call ended.
    pub to: Time,
    /// Whether it was answered.
    pub answered: bool,
}

/// One side: without jitter, or with it.
pub struct Side {
    policy: RetryPolicy,
    /// The first client's attempts.
    pub first: Vec<Attempt>,
    /// How its operation ended.
    pub end: End,
    /// When the herd's retries come; ascending once the run has ended.
    pub retries: Vec<Time>,
    /// What each client has waited in all.
    pub waits: Samples,
    /// Both ledgers, over all operations.
    pub book: Book,
}

/// A client's operation under way.
#[derive(Clone, Copy, Default)]
struct Operation {
    attempt: u32,
    at: Time,
    waited: Span,
    memory: Memory,
}

/// Both sides.
pub struct Both {
    knobs: Backoff,
    draws: Draws,
    /// Without jitter; with it.
    pub sides: [Side; 2],
    /// How many come in each window if the first retry is spread evenly over each of [`WIDTHS`] widths.
    pub widths: Vec<Vec<u32>>,
    client: u64,
    side: usize,
    now: Operation,
    /// Events so far.
    pub done: u64,
}

impl Both {
    /// At its start.
    pub fn new(knobs: &Backoff, seed: u64) -> Both {
        let side = |jitter| Side {
            policy: knobs.policy(jitter),
            first: Vec::new(),
            end: End::Answered,
            retries: Vec::new(),
            waits: Samples::default(),
            book: Book { offered: knobs.clients, ..Book::default() },
        };
        Both {
            knobs: knobs.clone(),
            draws: Draws::new(seed, WAITS),
            sides: [side(false), side(true)],
            widths: vec![Vec::new(); WIDTHS as usize],
            client: 0,
            side: 0,
            now: Operation::default(),
            done: 0,
        }
    }

    /// Goes on for at most `events` attempts; whether all has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        let mut left = events;
        while self.client < self.knobs.clients {
            if left == 0 {
                return false;
            }
            left -= 1;
            self.done += 1;
            if self.step() {
                self.operation_ends();
            }
        }
        true
    }

    /// One attempt; whether the operation has ended with it.
    fn step(&mut self) -> bool {
        let (knobs, side, now) = (&self.knobs, &mut self.sides[self.side], &mut self.now);
        now.attempt += 1;
        if now.attempt > 1 && knobs.herd == Herd::Rule {
            side.retries.push(now.at);
        }
        let to = now.at + knobs.call;
        let answered = u64::from(now.attempt) > knobs.failures;
        if self.client == 0 {
            side.first.push(Attempt { from: now.at, to, answered });
        }
        side.book.caller.start();
        side.book.server.arrive();
        let next = if answered {
            side.book.caller.end(Ending::Ok);
            side.book.server.settle(Fate::Useful);
            side.book.good += 1;
            None
        } else {
            side.book.caller.end(Ending::Error);
            side.book.server.settle(Fate::Refused);
            let mut draw = self.draws.at(self.client, 0, now.attempt);
            side.policy.next_attempt(now.attempt, Time::ZERO, to, &mut now.memory, &mut draw)
        };
        match next {
            Some(at) => {
                now.waited += at - to;
                now.at = at;
                false
            }
            None => {
                side.waits.add(now.waited);
                if self.client == 0 {
                    let used_up = now.attempt >= side.policy.max_attempts;
                    side.end = match (answered, used_up) {
                        (true, _) => End::Answered,
                        (false, true) => End::Attempts,
                        (false, false) => End::Deadline,
                    };
                }
                true
            }
        }
    }

    fn operation_ends(&mut self) {
        self.now = Operation::default();
        self.side += 1;
        if self.side < self.sides.len() {
            return;
        }
        self.side = 0;
        // The same luck as full jitter's first wait, whatever the width.
        let share = || self.draws.at(self.client, 0, 1);
        for (step, counts) in (1..).zip(&mut self.widths) {
            let slot =
                (Time::ZERO + share().span(self.knobs.step_of_widths(WIDTHS) * step)).slot(self.knobs.window) as usize;
            if counts.len() <= slot {
                counts.resize(slot + 1, 0);
            }
            counts[slot] += 1;
        }
        if self.knobs.herd == Herd::Once {
            let came = [self.knobs.wait, share().span(self.knobs.width)];
            self.sides.iter_mut().zip(came).for_each(|(side, wait)| side.retries.push(Time::ZERO + wait));
        }
        self.client += 1;
        if self.client == self.knobs.clients {
            self.sides.iter_mut().for_each(|side| side.retries.sort_unstable());
        }
    }

    /// The waits with jitter before retry 0, 1, …: 10th and 90th percentile of each, in ms, over operations that nobody runs.
    pub fn range(&self, retries: u32) -> Vec<(f64, f64)> {
        const OPERATIONS: usize = 100;
        let draws = Draws::new(0, PICTURE);
        let rule = self.sides[1].policy.backoff;
        let mut waits = vec![[Span::ZERO; OPERATIONS]; retries as usize];
        for operation in 0..OPERATIONS {
            let mut memory = Memory::default();
            for (retry, waits) in (0..).zip(&mut waits) {
                waits[operation] = rule.wait(retry, &mut memory, &mut draws.at(operation as u64, 0, retry));
            }
        }
        let ends = |mut waits: [Span; OPERATIONS]| {
            waits.sort_unstable();
            (waits[OPERATIONS / 10].as_ms(), waits[OPERATIONS * 9 / 10].as_ms())
        };
        waits.into_iter().map(ends).collect()
    }
}

impl Side {
    /// The most retries in one window from a multiple of `width` on, and how many in all come beyond `capacity` a window.
    pub fn crowd(&self, width: Span, capacity: u64) -> (u64, u64) {
        let windows = self.retries.chunk_by(|a, b| a.slot(width) == b.slot(width)).map(|window| window.len() as u64);
        windows.fold((0, 0), |(most, beyond), n| (most.max(n), beyond + n.saturating_sub(capacity)))
    }

    /// The most retries in any window of `width`, wherever it begins.
    pub fn crowd_anywhere(&self, width: Span) -> u64 {
        busiest(&self.retries, width).map_or(0, |(_, n)| n as u64)
    }

    /// When the first client's operation ended.
    pub fn over(&self) -> Time {
        self.first.last().map_or(Time::ZERO, |attempt| attempt.to)
    }

    /// What the first client has waited.
    pub fn waited(&self) -> Span {
        let pairs = self.first.windows(2).map(|pair| pair[1].from - pair[0].to);
        pairs.fold(Span::ZERO, |sum, wait| sum + wait)
    }

    /// Its longest wait.
    pub fn longest(&self) -> Span {
        self.first.windows(2).map(|pair| pair[1].from - pair[0].to).max().unwrap_or(Span::ZERO)
    }
}
