//! The fleet: pods with a budget each, whose users meet an outage of one dependency.

use overload_sim::backoff::Memory;
use overload_sim::budget::{Budget, Hold};
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};

use super::knobs::{Arrivals, Kind, RetryBudget, Spend};
use crate::outcome::Book;

/// The streams of the draws: whether a call fails, how long a wait is, whether adaptive throttling refuses.
const FAILS: u64 = 1;
const WAITS: u64 = 2;
const REFUSES: u64 = 3;

/// About how many bins a run has at most.
const MOST_BINS: u64 = 70;

// Kinds of event, in the top bit of `Event::what`; the rest is the user.
const END: u32 = 0 << 31;
const RETRY: u32 = 1 << 31;
const USER: u32 = (1 << 31) - 1;

/// One kind's run.
pub struct Fleet {
    knobs: RetryBudget,
    budgets: Vec<Budget>,
    users: Vec<User>,
    /// How many users have come.
    come: u64,
    /// When the next one comes; `None` while it waits for the one before, and after the last.
    next: Option<Time>,
    events: EventQueue,
    fails: Draws,
    waits: Draws,
    refuses: Draws,
    /// What was counted so far.
    pub seen: Seen,
}

/// What the run leaves behind.
pub struct Seen {
    /// Calls that reached the dependency.
    pub calls: u64,
    /// Of these, calls that were not their user's first.
    pub retries: u64,
    /// Retries that the budget refused.
    pub refused: u64,
    /// Calls that adaptive throttling refused before they were sent.
    pub throttled: u64,
    /// Users answered.
    pub answered: u64,
    /// A bin's width.
    pub width: Span,
    /// Counts by bin, from time 0 on.
    pub bins: Vec<Bin>,
    /// Retries that all budgets together would grant, at the start and at the end of each bin; empty for kinds that do
    /// not count any.
    pub in_hand: Vec<u64>,
    /// Both ledgers.
    pub book: Book,
}

/// What fell into a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Users that came.
    pub users: u64,
    /// First calls sent.
    pub first: u64,
    /// Retries sent.
    pub retries: u64,
    /// Retries refused by the budget.
    pub refused: u64,
}

#[derive(Clone, Copy, Default)]
struct User {
    /// Calls so far, the one under way included.
    attempt: u32,
    /// Whether the call under way will succeed.
    ok: bool,
    hold: Hold,
    memory: Memory,
}

impl Fleet {
    /// The fleet of these knobs under budgets of `kind`. Every kind meets the same failures and the same waits.
    pub fn new(knobs: &RetryBudget, kind: Kind, seed: u64) -> Fleet {
        let users = knobs.users as usize;
        // A pod without users would only bring tokens that nobody can spend.
        let pods = knobs.pods.min(knobs.users).max(1) as usize;
        let budgets = vec![Budget::new(knobs.rule(kind)); pods];
        let mut fleet = Fleet {
            budgets,
            users: vec![User::default(); users],
            come: 0,
            next: Some(Time::ZERO),
            events: EventQueue::with_capacity(64),
            fails: Draws::new(seed, FAILS),
            waits: Draws::new(seed, WAITS),
            refuses: Draws::new(seed, REFUSES),
            seen: Seen {
                calls: 0,
                retries: 0,
                refused: 0,
                throttled: 0,
                answered: 0,
                width: bin_width(knobs.horizon()),
                bins: Vec::new(),
                in_hand: Vec::new(),
                book: Book { offered: knobs.users, ..Book::default() },
            },
            knobs: knobs.clone(),
        };
        fleet.look(Time::ZERO);
        fleet
    }

    /// Goes on for at most `events` events. Returns how many it did not need: more than 0 once the run has ended.
    pub fn advance(&mut self, events: u64) -> u64 {
        for done in 0..events {
            // Of two things at the same moment the new user is first: a program's first calls are all put in before any
            // retry is.
            if let Some(now) = self.next.filter(|&at| self.events.peek().is_none_or(|event| at <= event.at)) {
                self.bins_until(now);
                self.come(now);
                continue;
            }
            let Some(event) = self.events.pop() else { return events - done };
            let (now, user) = (event.at, event.what & USER);
            self.bins_until(now);
            if event.what & !USER == END { self.end(user, now) } else { self.retry(user, now) }
        }
        0
    }

    /// The next user comes, and calls.
    fn come(&mut self, now: Time) {
        let user = self.come as u32;
        self.come += 1;
        let even = self.knobs.arrivals == Arrivals::Even && self.come < self.knobs.users;
        self.next = even.then(|| self.knobs.comes(self.come));
        self.bin().users += 1;
        self.budget(user).request(now);
        self.call(user, now);
    }

    /// A user is done, answered or not.
    fn done(&mut self, now: Time) {
        if self.knobs.arrivals == Arrivals::InTurn && self.come < self.knobs.users {
            self.next = Some(now);
        }
    }

    /// Sends a call, unless it is refused before.
    fn call(&mut self, user: u32, now: Time) {
        let state = &mut self.users[user as usize];
        state.attempt += 1;
        let attempt = state.attempt;
        self.seen.book.caller.start();
        let mut draw = self.refuses.at(u64::from(user), 0, attempt);
        if !self.budget(user).admits(now, &mut draw) {
            // Refused by its own client, the user goes: to try again would be what the throttle is there to stop.
            self.seen.throttled += 1;
            self.seen.book.caller.end(Ending::Rejected);
            self.done(now);
            return;
        }
        self.budget(user).sent();
        self.seen.calls += 1;
        self.seen.book.server.arrive();
        let bin = self.bin();
        if attempt == 1 {
            bin.first += 1;
        } else {
            bin.retries += 1;
            self.seen.retries += 1;
        }

        let fault = now >= Time::ZERO + self.knobs.from && now < self.knobs.until();
        let chance = if fault { self.knobs.failure } else { self.knobs.background };
        let ok = self.fails.at(u64::from(user), 0, attempt).below(1_000) >= chance;
        self.users[user as usize].ok = ok;
        let takes = if ok { self.knobs.ok_takes } else { self.knobs.failure_takes };
        if takes == Span::ZERO {
            // Within this moment, before anybody else comes: a connection refused.
            self.end(user, now);
        } else {
            self.events.push(now + takes, END | user);
        }
    }

    /// The call under way ends.
    fn end(&mut self, user: u32, now: Time) {
        let User { attempt, ok, mut hold, .. } = self.users[user as usize];
        if ok {
            self.budget(user).answered(now, &mut hold);
            self.seen.answered += 1;
            self.seen.book.good += 1;
            self.seen.book.caller.end(Ending::Ok);
            self.seen.book.server.settle(Fate::Useful);
            self.done(now);
            return;
        }
        self.seen.book.caller.end(Ending::Error);
        let at_once = self.knobs.failure_takes == Span::ZERO;
        self.seen.book.server.settle(if at_once { Fate::Refused } else { Fate::Lost });
        self.budget(user).failed(&mut hold);
        self.users[user as usize].hold = hold;
        if u64::from(attempt) > self.knobs.retries || (self.spends_first() && !self.take(user, now)) {
            self.done(now);
            return;
        }
        let mut draw = self.waits.at(u64::from(user), 0, attempt);
        let memory = &mut self.users[user as usize].memory;
        let wait = self.knobs.backoff().wait(attempt - 1, memory, &mut draw);
        self.events.push(now + wait, RETRY | user);
    }

    /// The wait is over.
    fn retry(&mut self, user: u32, now: Time) {
        if self.spends_first() || self.take(user, now) {
            self.call(user, now);
        } else {
            self.done(now);
        }
    }

    /// Asks the budget for a retry; a refusal ends the request.
    fn take(&mut self, user: u32, now: Time) -> bool {
        let fault = self.knobs.fault;
        let mut hold = self.users[user as usize].hold;
        let granted = self.budget(user).take(now, fault, &mut hold);
        self.users[user as usize].hold = hold;
        if !granted {
            self.seen.refused += 1;
            self.bin().refused += 1;
            // An attempt that was never sent.
            self.seen.book.caller.start();
            self.seen.book.caller.end(Ending::Rejected);
        }
        granted
    }

    /// Whether the retry is paid for before the wait. The libraries all do it so; for the bucket it is a knob.
    fn spends_first(&self) -> bool {
        self.knobs.spend == Spend::Before || !matches!(self.budgets[0], Budget::Bucket(_) | Budget::Doubles(_))
    }

    /// The budget of the pod that this user goes to.
    fn budget(&mut self, user: u32) -> &mut Budget {
        let pods = self.budgets.len();
        &mut self.budgets[user as usize % pods]
    }

    /// The bin of the present moment.
    fn bin(&mut self) -> &mut Bin {
        let last = self.seen.bins.len() - 1;
        &mut self.seen.bins[last]
    }

    /// Opens bins until one holds `now`.
    fn bins_until(&mut self, now: Time) {
        let width = self.seen.width;
        while self.seen.bins.len() as u64 <= now.slot(width) {
            if !self.seen.bins.is_empty() {
                self.look(Time::ZERO + width * self.seen.bins.len() as u64);
            }
            self.seen.bins.push(Bin::default());
        }
    }

    /// Notes what the budgets would grant at `now`.
    fn look(&mut self, now: Time) {
        let fault = self.knobs.fault;
        let in_hand: Option<u64> = self.budgets.iter().map(|budget| budget.in_hand(now, fault)).sum();
        self.seen.in_hand.extend(in_hand);
    }

    /// Closes the books. Only for a run that has ended.
    pub fn close(&mut self) {
        if !self.seen.bins.is_empty() {
            self.look(Time::ZERO + self.seen.width * self.seen.bins.len() as u64);
        }
    }
}

/// The bin's width for a run of this length: 1, 2 or 5 times a power of ten, at least a millisecond.
fn bin_width(horizon: Span) -> Span {
    let least = (horizon.as_us() / MOST_BINS).max(1_000);
    let mut decade = 1_000;
    while decade * 10 <= least {
        decade *= 10;
    }
    let width = [1, 2, 5, 10].map(|n| n * decade).into_iter().find(|&width| width >= least);
    Span::us(width.unwrap_or(decade * 10))
}
