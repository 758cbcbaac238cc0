//! An open load on replicas, each with slots and one queue, whose callers hedge.
//!
//! An attempt goes to a replica by chance, each further one of a call to another. Draws are keyed by request and attempt:
//! with and without hedging the same requests come, and their first attempts meet the same luck.

use crate::arrivals::Arrivals;
use crate::budget::{Budget, Fault, Hold, Rule};
use crate::draw::Draws;
use crate::law::Law;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::pool::{Offer, Pool};
use crate::queue::EventQueue;
use crate::record::{Samples, percentile};
use crate::time::{Span, Time};

use super::policy::{Answer, Hedge, Kind, MOST, Policy, Pushback, Verdict};

/// The streams of the draws.
const ARRIVALS: u64 = 1;
const SERVICE: u64 = 2;
const PLACES: u64 = 3;
const FAILURES: u64 = 4;

/// From where the delay of a hedge comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// The policy's own.
    Fixed,
    /// A percentile of the latest answers, in thousandths; the policy's own until there are enough of them.
    Measured(u32),
}

/// What becomes of attempts that are not needed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// They are served all the same.
    Nothing,
    /// Those that wait are dropped at their turn.
    Waiting,
    /// Those being served stop at once, too.
    Served,
}

/// A fleet, its load, and how it is hedged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// When requests come.
    pub arrivals: Arrivals,
    /// How many.
    pub requests: u32,
    /// How many of the first are not measured.
    pub warm_up: u32,
    /// Replicas, at least 1.
    pub replicas: u32,
    /// Attempts that each serves at once.
    pub slots: u32,
    /// How long serving one takes.
    pub service: Law,
    /// Whether all attempts of a request take equally long: what is slow is the request, not the replica.
    pub own: bool,
    /// When attempts go out; one attempt is no hedging.
    pub policy: Policy,
    /// From where its delay comes.
    pub delay: Delay,
    /// What becomes of the others.
    pub cancel: Cancel,
    /// What hedges may cost.
    pub budget: Rule,
    /// Attempts that fail, in millionths.
    pub fails: u32,
    /// How.
    pub failure: Answer,
    /// An answer within this is a good one.
    pub slo: Span,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Times of the measured requests that were answered well.
    pub times: Samples,
    /// Requests; those answered well, in time; those that failed.
    pub requests: u64,
    /// See [`Tally::requests`].
    pub good: u64,
    /// See [`Tally::requests`].
    pub failed: u64,
    /// Attempts after a request's first, and those of them that brought the answer.
    pub hedges: u64,
    /// See [`Tally::hedges`].
    pub won: u64,
    /// Hedges that the budget did not grant.
    pub denied: u64,
    /// Time that slots worked, and the part of it that brought no answer.
    pub busy: Span,
    /// See [`Tally::busy`].
    pub wasted: Span,
    /// The callers' book of attempts, and the replicas'.
    pub caller: CallerLedger,
    /// See [`Tally::caller`].
    pub server: ServerLedger,
    /// When the last request came.
    pub came: Time,
    /// Events taken.
    pub events: u64,
}

#[derive(Clone, Copy, Debug)]
struct Attempt {
    request: u32,
    number: u8,
    replica: u16,
    /// When a slot took it on; [`Time::MAX`]: it waits.
    began: Time,
    /// Its caller does not need it any more.
    left: bool,
    /// The replica is done with it.
    done: bool,
    /// Its place in the budget.
    hold: Hold,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    came: Time,
    hedge: Hedge,
    attempts: [u32; MOST as usize],
    over: bool,
}

// Kinds of event, in the top bits; the rest is a request's place or an attempt's.
const KIND_SHIFT: u32 = 30;
const PLACE: u32 = (1 << KIND_SHIFT) - 1;
const ARRIVAL: u32 = 0;
const HEDGE: u32 = 1;
const END: u32 = 2;

/// Answers over which a percentile is measured, how many there must be, and after how many it is measured again.
const LATEST: usize = 512;
const ENOUGH: usize = 128;
const AGAIN: usize = 64;

/// The latest answers' times, and the percentile asked for.
#[derive(Clone, Debug, Default)]
struct Latest {
    us: Vec<u64>,
    next: usize,
    since: usize,
    delay: Option<Span>,
}

/// A run of a [`Setup`], to be advanced bit by bit.
#[derive(Clone, Debug)]
pub struct Fleet {
    setup: Setup,
    draws: [Draws; 4],
    events: EventQueue,
    now: Time,
    pools: Vec<Pool>,
    requests: Vec<Request>,
    attempts: Vec<Attempt>,
    budget: Budget,
    latest: Latest,
    tally: Tally,
}

impl Fleet {
    /// The idle fleet. The same setup and seed give the same run to the bit.
    pub fn new(setup: Setup, seed: u64) -> Fleet {
        let mut fleet = Fleet {
            setup,
            draws: [ARRIVALS, SERVICE, PLACES, FAILURES].map(|stream| Draws::new(seed, stream)),
            events: EventQueue::with_capacity(64),
            now: Time::ZERO,
            pools: vec![Pool::new(setup.slots, u32::MAX); setup.replicas.clamp(1, u32::from(u16::MAX)) as usize],
            requests: Vec::new(),
            attempts: Vec::new(),
            budget: Budget::new(setup.budget),
            latest: Latest::default(),
            tally: Tally::default(),
        };
        fleet.schedule();
        fleet
    }

    /// Takes up to `events` events; whether the run is over: the last attempt has been served.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some(event) = self.events.pop() else { return true };
            self.now = event.at;
            self.tally.events += 1;
            let place = event.what & PLACE;
            match event.what >> KIND_SHIFT {
                ARRIVAL => self.come(),
                HEDGE => self.hedge(place),
                _ => self.end(place),
            }
        }
        self.events.is_empty()
    }

    /// What the run has come to so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    fn schedule(&mut self) {
        let next = self.requests.len() as u32;
        if next < self.setup.requests
            && let Some(at) = self.setup.arrivals.at(next.into(), self.now, self.draws[0])
        {
            self.events.push(at, ARRIVAL << KIND_SHIFT);
        }
    }

    fn come(&mut self) {
        let place = self.requests.len() as u32;
        let delay = match self.setup.delay {
            Delay::Measured(_) => self.latest.delay.unwrap_or(self.setup.policy.delay),
            Delay::Fixed => self.setup.policy.delay,
        };
        let hedge = Hedge::new(Policy { delay, ..self.setup.policy }, self.now);
        self.requests.push(Request { came: self.now, hedge, attempts: [u32::MAX; MOST as usize], over: false });
        self.tally.requests += 1;
        self.tally.came = self.now;
        self.budget.request(self.now);
        self.schedule();
        self.send(place, Hold::default());
        self.plan(place);
    }

    /// The next attempt of a request is put in, or goes at once.
    fn plan(&mut self, place: u32) {
        while let Some(due) = self.requests[place as usize].hedge.due() {
            if due > self.now {
                self.events.push(due, HEDGE << KIND_SHIFT | place);
                return;
            }
            self.try_hedge(place);
        }
    }

    fn hedge(&mut self, place: u32) {
        let request = &self.requests[place as usize];
        // An error may have brought it forward, or put it off.
        if !request.over && request.hedge.due() == Some(self.now) {
            self.try_hedge(place);
            self.plan(place);
        }
    }

    fn try_hedge(&mut self, place: u32) {
        let mut hold = Hold::default();
        if self.budget.take(self.now, Fault::Timeout, &mut hold) {
            self.tally.hedges += 1;
            self.send(place, hold);
        } else {
            self.tally.denied += 1;
            let hedge = &mut self.requests[place as usize].hedge;
            hedge.freeze();
            if hedge.open() == 0 {
                // The last attempt has failed, and there is to be no other.
                self.tally.failed += 1;
                self.leave(place, u32::MAX);
            }
        }
    }

    /// An attempt goes out, to a replica that has none of this request yet where there is one.
    fn send(&mut self, place: u32, hold: Hold) {
        let request = &mut self.requests[place as usize];
        let number = request.hedge.sent();
        request.hedge.send(self.now);
        let id = self.attempts.len() as u32;
        request.attempts[number as usize] = id;
        let used = &request.attempts[..number as usize];
        let all = self.pools.len() as u64;
        let fresh = all.saturating_sub(u64::from(number)).max(1);
        let mut replica = self.draws[2].at(place.into(), 0, number).below(if fresh > 1 { fresh } else { all });
        if fresh > 1 {
            let mut taken: Vec<u64> = used.iter().map(|&a| self.attempts[a as usize].replica.into()).collect();
            taken.sort_unstable();
            for other in taken {
                replica += u64::from(replica >= other);
            }
        }
        let replica = replica as u16;
        self.attempts.push(Attempt {
            request: place,
            number: number as u8,
            replica,
            began: Time::MAX,
            left: false,
            done: false,
            hold,
        });
        self.budget.sent();
        self.tally.caller.start();
        self.tally.server.arrive();
        if self.pools[usize::from(replica)].offer(id) == Offer::Start {
            self.start(id);
        }
    }

    fn start(&mut self, id: u32) {
        let Attempt { request, number, .. } = self.attempts[id as usize];
        let number = if self.setup.own { 0 } else { u32::from(number) };
        let takes = self.setup.service.draw(&mut self.draws[1].at(request.into(), 0, number));
        self.attempts[id as usize].began = self.now;
        self.events.push(self.now + takes, END << KIND_SHIFT | id);
    }

    /// A slot of a replica is free.
    fn next(&mut self, replica: u16) {
        while let Some(id) = self.pools[usize::from(replica)].finish() {
            let attempt = &mut self.attempts[id as usize];
            if attempt.left && self.setup.cancel != Cancel::Nothing {
                attempt.done = true;
                self.tally.server.settle(Fate::DroppedExpired);
            } else {
                self.start(id);
                return;
            }
        }
    }

    fn end(&mut self, id: u32) {
        let Attempt { request, number, replica, began, left, done, .. } = self.attempts[id as usize];
        if done {
            return;
        }
        self.attempts[id as usize].done = true;
        self.tally.busy += self.now - began;
        self.next(replica);
        if left {
            self.tally.wasted += self.now - began;
            self.tally.server.settle(Fate::Wasted);
            return;
        }
        let failed = self.draws[3].at(request.into(), 0, number.into()).below(1_000_000) < u64::from(self.setup.fails);
        let answer = if failed { self.setup.failure } else { Answer::Ok };
        self.settle(id, answer);
        let took = self.now - self.requests[request as usize].came;
        let in_time = took <= self.setup.slo;
        if failed {
            self.tally.wasted += self.now - began;
            self.tally.caller.end(Ending::Error);
            self.tally.server.settle(Fate::Refused);
        } else {
            self.tally.caller.end(if in_time { Ending::Ok } else { Ending::Late });
            self.tally.server.settle(Fate::Useful);
        }
        let verdict = self.requests[request as usize].hedge.answer(self.now, answer);
        match verdict {
            Verdict::GoesOn => self.plan(request),
            Verdict::Answered => {
                self.tally.good += u64::from(in_time);
                self.tally.won += u64::from(number > 0);
                if request >= self.setup.warm_up {
                    self.tally.times.add(took);
                }
                if let Delay::Measured(permille) = self.setup.delay {
                    self.latest.add(took, permille);
                }
                self.leave(request, id);
            }
            Verdict::Failed => {
                self.tally.failed += 1;
                self.leave(request, id);
            }
        }
    }

    /// The budget hears of an attempt's end. gRPC's throttle hears of no fatal status, and of no attempt given up.
    fn settle(&mut self, id: u32, answer: Answer) {
        let hold = &mut self.attempts[id as usize].hold;
        let grpc = matches!(self.budget, Budget::Grpc(_));
        match answer {
            Answer::Ok => self.budget.answered(self.now, hold),
            Answer::Fatal if grpc => {}
            _ => self.budget.failed(hold),
        }
    }

    /// A request is over: its other attempts are not needed.
    fn leave(&mut self, place: u32, last: u32) {
        let request = &mut self.requests[place as usize];
        request.over = true;
        request.hedge.freeze();
        let attempts = request.attempts;
        for id in attempts.into_iter().take_while(|&id| id != u32::MAX) {
            let Attempt { began, left, done, replica, .. } = self.attempts[id as usize];
            if id == last || done || left {
                continue;
            }
            self.attempts[id as usize].left = true;
            self.tally.caller.end(Ending::Cancelled);
            if !matches!(self.budget, Budget::Grpc(_)) {
                let hold = &mut self.attempts[id as usize].hold;
                self.budget.failed(hold);
            }
            if began < Time::MAX && self.setup.cancel == Cancel::Served {
                self.attempts[id as usize].done = true;
                self.tally.busy += self.now - began;
                self.tally.wasted += self.now - began;
                self.tally.server.settle(Fate::Wasted);
                self.next(replica);
            }
        }
    }
}

impl Latest {
    fn add(&mut self, took: Span, permille: u32) {
        if self.us.len() < LATEST {
            self.us.push(took.as_us());
        } else {
            self.us[self.next] = took.as_us();
            self.next = (self.next + 1) % LATEST;
        }
        self.since += 1;
        if self.us.len() >= ENOUGH && self.since >= AGAIN {
            self.since = 0;
            let mut sorted = self.us.clone();
            sorted.sort_unstable();
            self.delay = percentile(&sorted, f64::from(permille) / 1e3).map(Span::us);
        }
    }
}

/// One attempt of a single call, as [`alone`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Single {
    /// When it went out.
    pub sent: Time,
    /// When and how it was answered; `None`: its call was over before, or it never is.
    pub answered: Option<(Time, Answer)>,
}

/// A single call: what its attempts do, and until when it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The policy.
    pub policy: Policy,
    /// How long after it was sent the first attempt is answered, and how; `None`: never.
    pub first: Option<(Span, Answer)>,
    /// The same for every other attempt.
    pub others: Option<(Span, Answer)>,
    /// Whether the throttle lets hedges out.
    pub allowed: bool,
    /// Until when it is looked at.
    pub until: Time,
}

/// The attempts of a single call, and when and how it ended; `None`: not while it was looked at.
pub fn alone(scene: Scene) -> (Vec<Single>, Option<(Time, Verdict)>) {
    let mut hedge = Hedge::new(scene.policy, Time::ZERO);
    let mut all: Vec<Single> = Vec::new();
    let mut answers = EventQueue::default();
    loop {
        let answer = answers.peek().map(|e| e.at);
        let due = hedge.due().filter(|_| scene.allowed || all.is_empty());
        // At one moment answers come first: a status may change the schedule.
        match (answer, due) {
            (Some(at), due) if due.is_none_or(|due| at <= due) => {
                let Some(event) = answers.pop().filter(|e| e.at <= scene.until) else { return (all, None) };
                let which = event.what as usize;
                let Some((_, how)) = (if which == 0 { scene.first } else { scene.others }) else { continue };
                all[which].answered = Some((at, how));
                let verdict = hedge.answer(at, how);
                // A frozen call with nothing open is over, too.
                let over = hedge.open() == 0 && !scene.allowed;
                if verdict != Verdict::GoesOn || over {
                    let verdict = if verdict == Verdict::GoesOn { Verdict::Failed } else { verdict };
                    return (all, Some((at, verdict)));
                }
            }
            (_, Some(at)) if at <= scene.until => {
                hedge.send(at);
                let takes = if all.is_empty() { scene.first } else { scene.others };
                if let Some((takes, _)) = takes {
                    answers.push(at + takes, all.len() as u32);
                }
                all.push(Single { sent: at, answered: None });
            }
            _ => return (all, None),
        }
    }
}

/// An error as a knob names it.
pub const fn failure(fatal: bool, pushback: Pushback) -> Answer {
    if fatal { Answer::Fatal } else { Answer::NonFatal(pushback) }
}

/// No hedging.
pub const NO_HEDGE: Policy = Policy { kind: Kind::Race, attempts: 1, delay: Span::ZERO };
