//! Instances that ask one limiter before they serve: in a shared store, or each its own.
//!
//! A request comes to an instance, which reads its clock and asks. With a store that is a command on the way there and an answer
//! on the way back; an instance that has waited too long decides by itself. Read-then-write is two commands, between
//! which others read the same.

use super::{Answer, Limiter, Reading, Rule};
use crate::arrivals::Arrivals;
use crate::draw::Draws;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::queue::EventQueue;
use crate::time::{Span, Time};

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Bursts: in each, request `i` of `size` at i·spread/(size − 1) after its beginning.
    Bursts {
        /// Requests in each.
        size: u64,
        /// From the first of a burst to its last.
        spread: Span,
        /// When the first burst begins, and from one to the next.
        first: Span,
        /// See `first`.
        every: Span,
        /// How many; at most 4,095.
        bursts: u64,
    },
    /// A stream.
    Steady {
        /// How it comes.
        arrivals: Arrivals,
        /// For how long.
        length: Span,
    },
}

/// Where an instance's time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The instance's own, as fine as it goes.
    Own,
    /// The instance's own in whole milliseconds: JavaScript's `Date.now()`.
    OwnMs,
    /// The store's, when it does the command.
    Store,
}

/// What becomes of commands to the store while it is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// They lie in its socket and are done once it is back, whoever still waits for them.
    Paused,
    /// They are lost.
    Dead,
}

/// What an instance does without an answer from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It asks a limiter of its own.
    Local,
    /// It lets everything through.
    Open,
    /// It lets nothing through, and says to come back in a second.
    Closed,
}

/// What a refused client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It goes.
    Never,
    /// It comes back after as many whole seconds as `Retry-After` says.
    Told,
    /// It comes back after this long, whatever it was told.
    After(Span),
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum By {
    /// The store.
    Store,
    /// The instance's own limiter.
    Local,
    /// Nobody: [`OnError::Open`], [`OnError::Closed`].
    Nobody,
}

/// Instances, limits, store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// When requests come.
    pub load: Load,
    /// How many instances; at least 1. They take turns.
    pub instances: u64,
    /// How many tenants; at least 1.
    pub tenants: u64,
    /// The first tenant's share of the requests in millionths, where there are others.
    pub first_ppm: u64,
    /// Whether each tenant has its own limit.
    pub keyed: bool,
    /// The rule of the shared limit: of the first tenant (or of all), of any other.
    pub rules: [Rule; 2],
    /// The same of an instance's own limiter.
    pub locals: [Rule; 2],
    /// Whether there is a store.
    pub shared: bool,
    /// What a request costs.
    pub cost: u64,
    /// Whether reading and writing are one command.
    pub atomic: bool,
    /// Where they are two: how many requests an instance has under way at a time; at least 1.
    pub lanes: u64,
    /// There and back.
    pub rtt: Span,
    /// How long an instance waits for the store.
    pub timeout: Span,
    /// What it does then.
    pub on_error: OnError,
    /// Where its time comes from.
    pub clock: Clock,
    /// By how much the last instance's clock is ahead of the first one's; the others lie evenly between.
    pub skew: Span,
    /// When the store goes away, for how long, and how.
    pub away_at: Time,
    /// See `away_at`.
    pub away_for: Span,
    /// See `away_at`.
    pub away: Away,
    /// What a refused client does,
    pub again: Again,
    /// how often it comes at most; at least 1.
    pub attempts: u64,
}

/// One request of a client.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// When it came first.
    pub at: Time,
    /// Whose, from 0.
    pub tenant: u32,
    /// How often it has come, and which coming was the last.
    pub attempts: u32,
    /// See `attempts`.
    pub last: u32,
    /// When it passed; [`Time::MAX`]: not so far.
    pub passed: Time,
    /// To which instance it comes first.
    turn: u32,
}

/// One coming of a request.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Of which request.
    pub request: u32,
    /// To which instance.
    pub instance: u32,
    /// When it came, and when it was decided; [`Time::MAX`]: not so far.
    pub at: Time,
    /// See `at`.
    pub ended: Time,
    /// Whether it passed, and who said so.
    pub passed: bool,
    /// See `passed`.
    pub by: By,
    /// What the instance's clock said when it came.
    now: Reading,
    /// What the shared limiter said, and what was acted on.
    said: Option<Answer>,
    answer: Option<Answer>,
    /// The instance's copy of the limiter, between reading and writing.
    copy: Option<Box<Limiter>>,
}

const KIND: u32 = 28;
const COMES: u32 = 0;
const BACK: u32 = 1;
const DONE: u32 = 2;
const READ: u32 = 3;
const THINK: u32 = 4;
const WRITE: u32 = 5;
const REPLY: u32 = 6;
const TIMEOUT: u32 = 7;
const DECIDED: u32 = 8;

/// The fleet.
pub struct Fleet {
    setup: Setup,
    draws: Draws,
    queue: EventQueue,
    store: Vec<Limiter>,
    /// Of each instance those of each key.
    local: Vec<Limiter>,
    /// Requests of each instance that wait for a lane, and lanes in use.
    waiting: Vec<std::collections::VecDeque<u32>>,
    busy: Vec<u64>,
    /// The requests; those of bursts are numbered burst by burst, and may not have come yet.
    pub requests: Vec<Request>,
    /// Their comings, in order.
    pub attempts: Vec<Attempt>,
    /// Which attempts passed, in the order in which that was decided.
    pub passed: Vec<u32>,
    /// Tokens that the store took for requests whose instance had given up.
    pub wasted: u64,
    /// The longest wait that a refused client was told.
    pub told: Option<Span>,
    /// When the last event was.
    pub now: Time,
    /// The clients' ledger of attempts, and the limiter's.
    pub caller: CallerLedger,
    /// See `caller`.
    pub server: ServerLedger,
}

impl Fleet {
    /// At its start.
    pub fn new(setup: Setup, draws: Draws) -> Fleet {
        let keys = if setup.keyed { setup.tenants } else { 1 };
        let instances = setup.instances.max(1);
        let of = |rules: [Rule; 2], key: u64| Limiter::new(rules[usize::from(!key.is_multiple_of(keys))]);
        let mut fleet = Fleet {
            setup,
            draws,
            queue: EventQueue::default(),
            store: (0..keys).map(|key| of(setup.rules, key)).collect(),
            local: (0..keys * instances).map(|key| of(setup.locals, key)).collect(),
            waiting: vec![Default::default(); instances as usize],
            busy: vec![0; instances as usize],
            requests: Vec::new(),
            attempts: Vec::new(),
            passed: Vec::new(),
            wasted: 0,
            told: None,
            now: Time::ZERO,
            caller: CallerLedger::default(),
            server: ServerLedger::default(),
        };
        match setup.load {
            Load::Bursts { size, bursts, .. } => (0..bursts).for_each(|burst| fleet.aim(burst * size)),
            Load::Steady { .. } => fleet.aim(0),
        }
        fleet
    }

    /// When request `n` comes, to the microsecond and as its instance's program has it.
    fn nth(&self, n: u64) -> Option<Reading> {
        match self.setup.load {
            Load::Bursts { size, spread, first, every, .. } => {
                let (burst, i) = (n / size.max(1), n % size.max(1));
                let from = Time::ZERO + first + every * burst;
                let of = u128::from(size.saturating_sub(1).max(1));
                let at = from + Span::us((u128::from(i) * u128::from(spread.as_us()) / of) as u64);
                Some(Reading { ms: from.as_ms() + i as f64 * spread.as_ms() / of as f64, at })
            }
            Load::Steady { arrivals, length } => {
                let at = arrivals.at(n, self.now, self.draws)?;
                (at < Time::ZERO + length).then_some(Reading::of(at))
            }
        }
    }

    fn aim(&mut self, n: u64) {
        if let Some(Reading { at, .. }) = self.nth(n) {
            self.push(at, COMES, n as u32);
        }
    }

    fn push(&mut self, at: Time, kind: u32, id: u32) {
        self.queue.push(at, kind << KIND | id);
    }

    /// When the next event is; `None`: there is none.
    pub fn next(&self) -> Option<Time> {
        self.queue.peek().map(|event| event.at)
    }

    /// The next event; the request that came with it for the first time.
    pub fn step(&mut self) -> Option<u32> {
        let event = self.queue.pop()?;
        self.now = event.at;
        let id = event.what & ((1 << KIND) - 1);
        match event.what >> KIND {
            COMES => return Some(self.comes(id)),
            BACK => self.attempt(id, Reading::of(self.now)),
            TIMEOUT => self.timed_out(id),
            THINK => self.think(id),
            REPLY => self.reply(id),
            DECIDED => {
                let attempt = &self.attempts[id as usize];
                self.decide(id, attempt.answer.is_some_and(Answer::passes), attempt.by);
            }
            kind => self.command(id, kind),
        }
        None
    }

    fn comes(&mut self, n: u32) -> u32 {
        let mut draw = self.draws.at(u64::from(n), 1, 0);
        let others = self.setup.tenants.saturating_sub(1);
        let tenant =
            if others == 0 || draw.below(1_000_000) < self.setup.first_ppm { 0 } else { 1 + draw.below(others) };
        let (size, more) = match self.setup.load {
            Load::Bursts { size, .. } => (size.max(1), (u64::from(n) + 1) % size.max(1) > 0),
            Load::Steady { .. } => (u64::MAX, true),
        };
        // What its instance's program reads is finer than the event's time.
        let now = match self.setup.load {
            Load::Bursts { .. } => self.nth(u64::from(n)).unwrap_or(Reading::of(self.now)),
            Load::Steady { .. } => Reading::of(self.now),
        };
        let id = self.requests.len() as u32;
        let turn = (u64::from(n) % size) as u32;
        self.requests.push(Request {
            at: self.now,
            tenant: tenant as u32,
            attempts: 0,
            last: 0,
            passed: Time::MAX,
            turn,
        });
        if more {
            self.aim(u64::from(n) + 1);
        }
        self.attempt(id, now);
        id
    }

    fn key(&self, request: u32) -> usize {
        if self.setup.keyed { self.requests[request as usize].tenant as usize } else { 0 }
    }

    /// What an instance's clock says at a moment that reads `now` on a true one.
    fn read(&self, instance: u32, now: Reading) -> Reading {
        let last = self.setup.instances.saturating_sub(1).max(1);
        let ahead = Span::us((u128::from(self.setup.skew.as_us()) * u128::from(instance) / u128::from(last)) as u64);
        let Reading { ms, at } = Reading { ms: now.ms + ahead.as_ms(), at: now.at + ahead };
        match self.setup.clock {
            Clock::OwnMs => {
                let ms = libm::floor(ms);
                Reading { ms, at: Time::us((ms * 1e3) as u64) }
            }
            _ => Reading { ms, at },
        }
    }

    fn attempt(&mut self, request: u32, now: Reading) {
        let of = &mut self.requests[request as usize];
        let instance = ((u64::from(of.turn) + u64::from(of.attempts)) % self.setup.instances.max(1)) as u32;
        of.attempts += 1;
        let now = self.read(instance, now);
        let id = self.attempts.len() as u32;
        self.requests[request as usize].last = id;
        self.attempts.push(Attempt {
            request,
            instance,
            at: self.now,
            ended: Time::MAX,
            passed: false,
            by: By::Local,
            now,
            said: None,
            answer: None,
            copy: None,
        });
        self.caller.start();
        self.server.arrive();
        if !self.setup.shared {
            self.ask_local(id);
        } else if self.setup.atomic {
            self.send(id, DONE);
        } else if self.busy[instance as usize] < self.setup.lanes.max(1) {
            self.busy[instance as usize] += 1;
            self.send(id, READ);
        } else {
            self.waiting[instance as usize].push_back(id);
        }
    }

    /// The first command of a request.
    fn send(&mut self, id: u32, kind: u32) {
        self.push(self.now + self.setup.rtt / 2, kind, id);
        self.push(self.now + self.setup.timeout, TIMEOUT, id);
    }

    /// A command has reached the store.
    fn command(&mut self, id: u32, kind: u32) {
        let Setup { away_at, away_for, away, .. } = self.setup;
        let back = away_at + away_for;
        if self.now >= away_at && self.now < back {
            if away == Away::Paused {
                self.push(back, kind, id);
            }
            return;
        }
        let key = self.key(self.attempts[id as usize].request);
        let attempt = &mut self.attempts[id as usize];
        let mut next = REPLY;
        match kind {
            READ => {
                attempt.copy = Some(Box::new(self.store[key]));
                if self.setup.clock == Clock::Store {
                    attempt.now = Reading::of(self.now);
                }
                next = THINK;
            }
            WRITE => {
                if let Some(copy) = attempt.copy.take() {
                    self.store[key] = *copy;
                }
            }
            _ => {
                let now = if self.setup.clock == Clock::Store { Reading::of(self.now) } else { attempt.now };
                attempt.said = Some(self.store[key].check(now, self.now, self.setup.cost));
            }
        }
        self.push(self.now + self.setup.rtt.saturating_sub(self.setup.rtt / 2), next, id);
    }

    /// The instance has read the limiter, and decides by its copy.
    fn think(&mut self, id: u32) {
        let attempt = &mut self.attempts[id as usize];
        if attempt.ended < Time::MAX {
            attempt.copy = None;
            return;
        }
        if let Some(copy) = &mut attempt.copy {
            attempt.said = Some(copy.check(attempt.now, self.now, self.setup.cost));
        }
        self.push(self.now + self.setup.rtt / 2, WRITE, id);
    }

    fn reply(&mut self, id: u32) {
        let attempt = &self.attempts[id as usize];
        match attempt.said {
            Some(answer) if attempt.ended == Time::MAX => self.answered(id, answer, By::Store),
            Some(Answer::Pass(_)) => self.wasted += self.setup.cost,
            _ => {}
        }
    }

    fn timed_out(&mut self, id: u32) {
        if self.attempts[id as usize].ended < Time::MAX {
            return;
        }
        match self.setup.on_error {
            OnError::Local => self.ask_local(id),
            OnError::Open => self.decide(id, true, By::Nobody),
            OnError::Closed => {
                self.attempts[id as usize].answer = Some(Answer::Deny { after: Span::ZERO, again: Some(Span::s(1)) });
                self.decide(id, false, By::Nobody);
            }
        }
    }

    fn ask_local(&mut self, id: u32) {
        let attempt = &self.attempts[id as usize];
        let keys = self.store.len();
        let at = attempt.instance as usize * keys + self.key(attempt.request);
        let answer = self.local[at].check(attempt.now, self.now, self.setup.cost);
        self.answered(id, answer, By::Local);
    }

    /// A limiter has answered; the caller may have to wait for that to take effect.
    fn answered(&mut self, id: u32, answer: Answer, by: By) {
        let attempt = &mut self.attempts[id as usize];
        attempt.answer = Some(answer);
        attempt.by = by;
        match answer {
            Answer::Pass(after) | Answer::Deny { after, .. } if after > Span::ZERO => {
                self.push(self.now + after, DECIDED, id);
            }
            _ => self.decide(id, answer.passes(), by),
        }
    }

    fn decide(&mut self, id: u32, passes: bool, by: By) {
        let attempt = &mut self.attempts[id as usize];
        (attempt.ended, attempt.passed, attempt.by) = (self.now, passes, by);
        let (request, instance, answer) = (attempt.request, attempt.instance as usize, attempt.answer);
        self.caller.end(if passes { Ending::Ok } else { Ending::Shed });
        self.server.settle(if passes { Fate::Useful } else { Fate::Refused });
        let of = &mut self.requests[request as usize];
        if passes {
            of.passed = self.now;
            self.passed.push(id);
        } else if let Some(Answer::Deny { again: Some(wait), .. }) = answer {
            // The header knows whole seconds.
            let told = Span::s(wait.as_us().div_ceil(1_000_000).max(1));
            self.told = self.told.max(Some(told));
            let more = u64::from(of.attempts) < self.setup.attempts;
            let wait = match self.setup.again {
                Again::Never => None,
                Again::Told => Some(told),
                Again::After(wait) => Some(wait),
            };
            if let Some(wait) = wait.filter(|_| more) {
                self.push(self.now + wait, BACK, request);
            }
        }
        if self.setup.shared && !self.setup.atomic {
            match self.waiting[instance].pop_front() {
                Some(next) => self.send(next, READ),
                None => self.busy[instance] -= 1,
            }
        }
    }

    /// How much of the first key's limit is left at `now`: in the store, and in the instances' own limiters together.
    pub fn left(&self, now: Time) -> [f64; 2] {
        let keys = self.store.len();
        let read = |instance: usize| self.read(instance as u32, Reading::of(now));
        let own = self.local.iter().step_by(keys).enumerate();
        [self.store[0].left(Reading::of(now), now), own.map(|(i, limiter)| limiter.left(read(i), now)).sum()]
    }
}
