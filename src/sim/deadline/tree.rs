//! One request through hosts that call each other.
//!
//! A caller waits only so long. What it leaves behind goes on, unless it is told: by the closed connection, by a deadline
//! that came with the call, by a limit of its own. What goes on for nobody is *orphaned work*.
//!
//! At one moment answers come first and limits strike after them, so that an answer at the limit counts; among limits the
//! one set first.

use crate::backoff::{Backoff, Memory};
use crate::draw::Draws;
use crate::queue::EventQueue;
use crate::time::{Span, Time};

use super::wire;

/// What goes with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// Nothing.
    Nothing,
    /// The request's deadline, as a moment by the sender's clock: article 1's `x-request-deadline`. It knows nothing of the
    /// call's own timeout.
    Absolute,
    /// How long this call is waited for: `grpc-timeout`, `statement_timeout`.
    Relative,
}

/// What a host does for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// It gives the request so long, for the calls it makes.
    pub budget: Option<Span>,
    /// Whom it calls, step by step.
    pub steps: Vec<Step>,
    /// Its own work, after the steps.
    pub work: Span,
    /// Whether that ends in an error.
    pub fails: bool,
    /// It stops at the deadline that came with the request, and does not begin after it.
    pub reads: bool,
    /// It stops when its caller hangs up.
    pub hears: bool,
    /// It stops a request after so long, whoever waits; [`Span::MAX`]: never.
    pub limit: Span,
    /// By how many microseconds its clock is ahead of the true time.
    pub clock: i64,
}

/// Calls made at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The calls.
    pub calls: Vec<Call>,
    /// Whether a required call that fails ends the request at once (`Promise.all`), or only once all have settled
    /// (`Promise.allSettled`).
    pub fail_fast: bool,
}

/// A call, and how long it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The host called.
    pub to: usize,
    /// Its own timeout, over all tries; [`Span::MAX`]: none.
    pub limit: Span,
    /// Whether it is cut to what is left until the deadline that its caller knows: min(limit, left).
    pub within: bool,
    /// With `within`: not made where no more than this would be left for it.
    pub least: Span,
    /// Without it the request fails.
    pub required: bool,
    /// What goes with it.
    pub carry: Carry,
    /// How long each try is waited for; [`Span::MAX`]: as long as the call.
    pub per_try: Span,
    /// Tries after the first.
    pub retries: u32,
    /// Whether a try that failed, or was waited for long enough, is made again.
    pub retried: bool,
    /// The wait before that.
    pub backoff: Backoff,
    /// What its first try takes to connect.
    pub connect: Span,
    /// How long anything is under way to the host, or back.
    pub away: Span,
}

/// How a call or a try of it ended for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Answered.
    Done,
    /// Answered by an error.
    Error,
    /// Waited for long enough.
    Timeout,
    /// Not made: too little time was left.
    Skipped,
    /// Its caller has stopped itself.
    Cancelled,
}

/// Why a host stopped working on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    Done,
    /// It failed.
    Failed,
    /// Its deadline or its limit passed.
    Expired,
    /// Its caller hung up.
    Told,
    /// It did not begin: the deadline had passed by its clock.
    Refused,
}

/// A try of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The host.
    pub host: usize,
    /// Which of the [`Trace::flights`] it is a try of.
    pub flight: usize,
    /// Which try, from 0.
    pub number: u32,
    /// When it was sent.
    pub sent: Time,
    /// When it came to the host; `None`: not yet, or never.
    pub arrived: Option<Time>,
    /// The deadline as the host knows it, in true time; [`Time::MAX`]: it knows none.
    pub deadline: Time,
    /// How long it is waited for.
    pub timeout: Span,
    /// When and how it ended for its caller.
    pub ended: Option<(Time, End)>,
    /// When and why the host stopped.
    pub stopped: Option<(Time, Stop)>,
    /// The caller was gone before the connection stood: the host never heard of it.
    pub lost: bool,
    step: usize,
}

/// A call under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The visit in which it is made; `None`: by the client.
    pub caller: Option<usize>,
    /// The call.
    pub call: Call,
    /// When it began.
    pub sent: Time,
    /// What was left until its caller's deadline; [`Span::MAX`]: no deadline known.
    pub left: Span,
    /// How long it is waited for: what came of both.
    pub timeout: Span,
    /// Tries made.
    pub tries: u32,
    /// When and how it ended for its caller.
    pub ended: Option<(Time, End)>,
    step: usize,
    memory: Memory,
}

/// What happened to one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// All calls in the order in which they began; the first is the client's.
    pub flights: Vec<Flight>,
    /// All tries in the order in which they were sent.
    pub visits: Vec<Visit>,
    /// Events taken.
    pub events: u64,
}

// Kinds of event, in the top bits; the rest is a visit's place or a flight's.
const KIND_SHIFT: u32 = 28;
const PLACE: u32 = (1 << KIND_SHIFT) - 1;
const ARRIVE: u32 = 0;
const DONE: u32 = 1;
const REPLY: u32 = 2;
const HANG_UP: u32 = 3;
const TRY: u32 = 4;
const LIMIT: u32 = 5;
const PER_TRY: u32 = 6;
const OWN: u32 = 7;

/// The client's call of host 0.
const CLIENT: Call = Call {
    to: 0,
    limit: Span::MAX,
    within: false,
    least: Span::ZERO,
    required: true,
    carry: Carry::Nothing,
    per_try: Span::MAX,
    retries: 0,
    retried: false,
    backoff: Backoff {
        strategy: crate::backoff::Strategy::NoJitter,
        base: Span::ZERO,
        cap: Span::ZERO,
        spread: Span::ZERO,
        growth: crate::backoff::Backoff::DOUBLES,
    },
    connect: Span::ZERO,
    away: Span::ZERO,
};

impl Call {
    /// A call of `to` without limits, retries and delays, on which the request depends.
    pub const fn plain(to: usize) -> Call {
        Call { to, ..CLIENT }
    }
}

struct Request<'a> {
    hosts: &'a [Host],
    waits: Draws,
    now: Time,
    /// What has happened, and what strikes if nothing does.
    soon: EventQueue,
    limits: EventQueue,
    trace: Trace,
}

/// One request to host 0, whose client waits for `patience` ([`Span::MAX`]: as long as it takes), until the last host has
/// stopped. `waits` is where the backoffs' draws come from.
///
/// A host that calls itself, directly or not, never ends.
pub fn run(hosts: &[Host], patience: Span, waits: Draws) -> Trace {
    let mut request = Request {
        hosts,
        waits,
        now: Time::ZERO,
        soon: EventQueue::default(),
        limits: EventQueue::default(),
        trace: Trace::default(),
    };
    request.call(None, 0, Call { limit: patience, ..CLIENT });
    while request.step() {}
    request.trace
}

impl Request<'_> {
    fn step(&mut self) -> bool {
        let soon = self.soon.peek().map(|e| e.at);
        let limit = self.limits.peek().map(|e| e.at);
        let first = if limit.is_none_or(|limit| soon.is_some_and(|soon| soon <= limit)) {
            self.soon.pop()
        } else {
            self.limits.pop()
        };
        let Some(event) = first else { return false };
        self.now = event.at;
        self.trace.events += 1;
        let place = (event.what & PLACE) as usize;
        match event.what >> KIND_SHIFT {
            ARRIVE => self.arrive(place),
            DONE => self.finish(place),
            REPLY => self.reply(place),
            HANG_UP => {
                let visit = &self.trace.visits[place];
                if visit.arrived.is_some() && visit.stopped.is_none() && self.hosts[visit.host].hears {
                    self.stop(place, Stop::Told);
                }
            }
            TRY => {
                if self.trace.flights[place].ended.is_none() {
                    self.send(place);
                }
            }
            LIMIT => {
                if self.trace.flights[place].ended.is_none() {
                    // The client does not time out: it leaves.
                    let end = if place == 0 { End::Cancelled } else { End::Timeout };
                    self.end(place, end);
                }
            }
            PER_TRY => self.try_limit(place),
            _ => {
                if self.trace.visits[place].stopped.is_none() {
                    self.stop(place, Stop::Expired);
                }
            }
        }
        true
    }

    fn soon(&mut self, after: Span, kind: u32, place: usize) {
        self.soon.push(self.now + after, kind << KIND_SHIFT | place as u32);
    }

    fn limit(&mut self, at: Time, kind: u32, place: usize) {
        if at < Time::MAX {
            self.limits.push(at, kind << KIND_SHIFT | place as u32);
        }
    }

    /// A call begins, or is skipped.
    fn call(&mut self, caller: Option<usize>, step: usize, call: Call) {
        let known = caller.map_or(Time::MAX, |v| self.trace.visits[v].deadline);
        let left = if known == Time::MAX { Span::MAX } else { known - self.now };
        let timeout = if call.within { call.limit.min(left) } else { call.limit };
        let flight = self.trace.flights.len();
        let skipped = call.within && timeout <= call.least;
        self.trace.flights.push(Flight {
            caller,
            call,
            sent: self.now,
            left,
            timeout,
            tries: 0,
            ended: skipped.then_some((self.now, End::Skipped)),
            step,
            memory: Memory::default(),
        });
        if !skipped {
            self.limit(self.now + timeout, LIMIT, flight);
            self.send(flight);
        }
    }

    /// A call's next try.
    fn send(&mut self, flight: usize) {
        let Flight { call, sent, timeout, tries, .. } = self.trace.flights[flight];
        self.trace.flights[flight].tries += 1;
        let visit = self.trace.visits.len();
        let left = if timeout == Span::MAX { Span::MAX } else { (sent + timeout) - self.now };
        self.trace.visits.push(Visit {
            host: call.to,
            flight,
            number: tries,
            sent: self.now,
            arrived: None,
            deadline: Time::MAX,
            timeout: call.per_try.min(left),
            ended: None,
            stopped: None,
            lost: false,
            step: 0,
        });
        self.limit(self.now + call.per_try, PER_TRY, visit);
        let connect = if tries == 0 { call.connect } else { Span::ZERO };
        self.soon(connect + call.away, ARRIVE, visit);
    }

    fn arrive(&mut self, place: usize) {
        let Visit { host, flight, timeout, lost, .. } = self.trace.visits[place];
        if lost {
            return;
        }
        let here = &self.hosts[host];
        let (now, Flight { caller, call, .. }) = (self.now, &self.trace.flights[flight]);
        let sender = caller.map(|v| &self.trace.visits[v]);
        let carried = match (call.carry, sender) {
            (Carry::Relative, _) if timeout < Span::MAX => now + wire::received(timeout),
            (Carry::Absolute, Some(sender)) if sender.deadline < Time::MAX => {
                wire::by_clock(wire::epoch_ms(sender.deadline, self.hosts[sender.host].clock), here.clock)
            }
            _ => Time::MAX,
        };
        let own = here.budget.map_or(Time::MAX, |budget| now + budget);
        let ends = if here.reads { carried } else { Time::MAX };
        let visit = &mut self.trace.visits[place];
        visit.arrived = Some(now);
        // Who does not read it hands nothing on.
        visit.deadline = ends.min(own);
        if ends <= now {
            self.stop(place, Stop::Refused);
            return;
        }
        let ends = ends.min(now + here.limit);
        self.limit(ends, OWN, place);
        self.next(place);
    }

    /// A host makes the calls of its next step, or does its work.
    fn next(&mut self, place: usize) {
        let hosts = self.hosts;
        let Visit { host, step, .. } = self.trace.visits[place];
        let Some(calls) = hosts[host].steps.get(step) else {
            self.soon(hosts[host].work, DONE, place);
            return;
        };
        for &call in &calls.calls {
            self.call(Some(place), step, call);
        }
        self.settle(place);
    }

    /// Whether the calls of a host's step have ended, and what follows.
    fn settle(&mut self, place: usize) {
        let Visit { host, step, stopped, .. } = self.trace.visits[place];
        let Some(rule) = self.hosts[host].steps.get(step) else { return };
        if stopped.is_some() {
            return;
        }
        let mine = self.trace.flights.iter().filter(|f| f.caller == Some(place) && f.step == step);
        let (mut open, mut failed) = (false, false);
        for flight in mine {
            match flight.ended {
                None => open = true,
                Some((_, end)) => failed |= flight.call.required && end != End::Done,
            }
        }
        if failed && (rule.fail_fast || !open) {
            self.stop(place, Stop::Failed);
        } else if !open {
            self.trace.visits[place].step += 1;
            self.next(place);
        }
    }

    /// A host has done its work.
    fn finish(&mut self, place: usize) {
        let Visit { host, stopped, .. } = self.trace.visits[place];
        if stopped.is_none() {
            self.stop(place, if self.hosts[host].fails { Stop::Failed } else { Stop::Done });
        }
    }

    /// A host stops: it leaves the calls that it still waits for, and answers whoever has not hung up.
    fn stop(&mut self, place: usize, why: Stop) {
        self.trace.visits[place].stopped = Some((self.now, why));
        for flight in 0..self.trace.flights.len() {
            let Flight { caller, ended, .. } = self.trace.flights[flight];
            if caller == Some(place) && ended.is_none() {
                self.end(flight, End::Cancelled);
            }
        }
        if why != Stop::Told {
            let away = self.trace.flights[self.trace.visits[place].flight].call.away;
            self.soon(away, REPLY, place);
        }
    }

    fn reply(&mut self, place: usize) {
        let Visit { flight, ended, stopped, .. } = self.trace.visits[place];
        if ended.is_some() {
            return;
        }
        let done = stopped.is_some_and(|(_, why)| why == Stop::Done);
        let end = if done { End::Done } else { End::Error };
        self.trace.visits[place].ended = Some((self.now, end));
        if done || !self.again(flight) {
            self.end(flight, end);
        }
    }

    fn try_limit(&mut self, place: usize) {
        let Visit { flight, ended, .. } = self.trace.visits[place];
        if ended.is_none() {
            self.leave(place, End::Timeout);
            if !self.again(flight) {
                self.end(flight, End::Timeout);
            }
        }
    }

    /// Whether a call is tried again.
    fn again(&mut self, flight: usize) -> bool {
        let Flight { call, tries, ref mut memory, .. } = self.trace.flights[flight];
        let again = call.retried && tries <= call.retries;
        if again {
            let mut draw = self.waits.at(flight as u64, 0, tries);
            let wait = call.backoff.wait(tries - 1, memory, &mut draw);
            self.soon(wait, TRY, flight);
        }
        again
    }

    /// A call ends for its caller, and with it whatever try of it is under way.
    fn end(&mut self, flight: usize, end: End) {
        self.trace.flights[flight].ended = Some((self.now, end));
        for place in 0..self.trace.visits.len() {
            let Visit { flight: of, ended, .. } = self.trace.visits[place];
            if of == flight && ended.is_none() {
                self.leave(place, end);
            }
        }
        if let Some(caller) = self.trace.flights[flight].caller {
            self.settle(caller);
        }
    }

    /// Nobody waits for a try any more: its caller hangs up.
    fn leave(&mut self, place: usize, end: End) {
        let Visit { flight, number, sent, .. } = self.trace.visits[place];
        let call = self.trace.flights[flight].call;
        let visit = &mut self.trace.visits[place];
        visit.ended = Some((self.now, end));
        if number == 0 && self.now < sent + call.connect {
            visit.lost = true;
        } else {
            self.soon(call.away, HANG_UP, place);
        }
    }
}

impl Trace {
    /// Until when somebody waited for what comes of a visit: its caller, and everybody above.
    pub fn wanted_until(&self, mut visit: usize) -> Time {
        let mut until = Time::MAX;
        loop {
            let Visit { flight, ended, .. } = self.visits[visit];
            until = until.min(ended.map_or(Time::MAX, |e| e.0));
            match self.flights[flight].caller {
                Some(caller) => visit = caller,
                None => return until,
            }
        }
    }

    /// The time in which a visit's host went on for nobody: from when to when.
    pub fn orphaned(&self, visit: usize) -> Option<(Time, Time)> {
        let Visit { arrived, stopped, .. } = self.visits[visit];
        let (arrived, stopped) = (arrived?, stopped?.0);
        let from = self.wanted_until(visit).max(arrived);
        (stopped > from).then_some((from, stopped))
    }

    /// Orphaned work of all hosts together.
    pub fn orphaned_work(&self) -> Span {
        let each = (0..self.visits.len()).filter_map(|v| self.orphaned(v));
        each.fold(Span::ZERO, |sum, (from, to)| sum + (to - from))
    }

    /// When the client was answered or left, and how: [`End::Cancelled`] where it left.
    pub fn answered(&self) -> (Time, End) {
        self.flights.first().and_then(|f| f.ended).unwrap_or((Time::ZERO, End::Cancelled))
    }

    /// Calls that the first host makes, as far as it came.
    pub fn top(&self) -> impl Iterator<Item = &Flight> {
        self.flights.iter().filter(|f| f.caller == Some(0))
    }
}
