//! The run: a stream of requests through one breaker to one dependency.

use overload_sim::arrivals::Arrivals;
use overload_sim::breaker::{Admission, Breaker, Gauge, Permit, State, Verdict};
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};

use crate::outcome::Book;

use super::knobs::{CircuitBreaker, Fallback, Fault, Filter, Retry, Traffic};

/// The stream of the draws that say which calls the fault hits.
const HITS: u64 = 1;
/// The stream of the gaps between requests.
const GAPS: u64 = 2;

/// How one attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// Answered well.
    Ok,
    /// With an error that counts in the breaker.
    Error,
    /// With an error that does not count.
    Uncounted,
    /// The caller gave up.
    Timeout,
    /// The breaker let it not through.
    Rejected,
}

/// What a caller got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Answer {
    /// The dependency's answer.
    Fresh,
    /// The last good price.
    Stale,
    /// The other service's answer.
    Remote,
    /// Nothing; the page hides it.
    Hidden,
    /// An error.
    Error,
    /// The dependency's own 4xx.
    PassedOn,
}

/// Kinds of [`Answer`].
pub const ANSWERS: usize = 6;

/// What the run leaves behind.
#[derive(Default)]
pub struct Seen {
    /// When the circuit changed, and to what.
    pub transitions: Vec<(Time, State)>,
    /// Each attempt: from when to when, how it ended. In the order of their ends.
    pub attempts: Vec<(Time, Time, End)>,
    /// Each request: when it came, how long its caller waited, what it got. In the order of their ends.
    pub answers: Vec<(Time, Span, Answer)>,
    /// The window when a call had ended or been rejected, where it changed: its rates in percent, failures and slow calls,
    /// and its counts, calls and failures.
    pub windows: Vec<(Time, [f64; 4])>,
    /// Most calls that the window held.
    pub most_calls: u64,
    /// What the window held when the circuit first opened.
    pub at_open: Option<Gauge>,
    /// Calls that reached the dependency, or its ailing hosts, during the fault.
    pub reached_in_fault: u64,
    /// Calls that the breaker counted as failures.
    pub failures: u64,
    /// Calls let through half-open.
    pub probes: u64,
    /// Attempts that had to wait for the outcome of a trial.
    pub waited: u64,
    /// Most failures in a row, where the rule counts these.
    pub most_in_a_row: u64,
    /// Hosts taken out of rotation, and most of them at once.
    pub ejections: u64,
    pub most_ejected: u32,
    /// Attempts rejected while the dependency was well.
    pub rejected_healthy: u64,
    /// The oldest stale price that was given.
    pub oldest_stale: Option<Span>,
    /// When the fault began and ended; `None` where none was met.
    pub fault: Option<(Time, Time)>,
    /// When the last caller was answered.
    pub last_answer: Time,
    /// The callers' and the dependency's ledgers.
    pub book: Book,
    /// The same for the remote fallback.
    pub remote: Book,
}

#[derive(Clone, Copy)]
struct Request {
    began: Time,
    attempts: u64,
    /// What it will get, once decided.
    answer: Answer,
}

/// One way through the breaker: a permit, and with retries inside several calls.
#[derive(Clone, Copy)]
struct Pass {
    request: u32,
    permit: Permit,
    began: Time,
    calls: u64,
    /// When the call under way began; `None` between two calls.
    calling: Option<Time>,
    over: bool,
}

/// A call at the dependency.
#[derive(Clone, Copy)]
struct Call {
    pass: u32,
    /// The fault that hits it.
    fault: Option<Fault>,
}

// Kinds of event, in the top bits of `Event::what`; the rest is an index.
const ARRIVE: u32 = 0;
const DONE: u32 = 1 << 29;
const TIMEOUT: u32 = 2 << 29;
const RETRY: u32 = 3 << 29;
const RETRY_INSIDE: u32 = 4 << 29;
const RING: u32 = 5 << 29;
const ANSWER: u32 = 6 << 29;
const INDEX: u32 = (1 << 29) - 1;

/// The run of one setting.
pub struct Stream {
    knobs: CircuitBreaker,
    breaker: Box<dyn Breaker>,
    state: State,
    rung: Option<Time>,
    ejected: u32,
    /// Requests that wait for the outcome of a trial.
    parked: Vec<u32>,
    hits: Draws,
    gaps: Draws,
    events: EventQueue,
    requests: Vec<Request>,
    passes: Vec<Pass>,
    calls: Vec<Call>,
    /// Requests still to come.
    coming: bool,
    waiting: u64,
    under_way: u64,
    last_good: Option<Time>,
    remote_free: Time,
    /// What was seen so far.
    pub seen: Seen,
}

impl Stream {
    /// At its start.
    pub fn new(knobs: &CircuitBreaker, seed: u64) -> Stream {
        let mut events = EventQueue::with_capacity(64);
        let coming = knobs.requests() > 0;
        let gaps = Draws::new(seed, GAPS);
        if coming {
            let first = if knobs.traffic == Traffic::Poisson {
                Arrivals::Poisson { rate: knobs.rate() }.at(0, Time::ZERO, gaps).unwrap_or(Time::ZERO)
            } else {
                Time::ZERO
            };
            events.push(first, ARRIVE);
        }
        Stream {
            knobs: knobs.clone(),
            breaker: knobs.breaker(),
            state: State::Closed,
            rung: None,
            ejected: 0,
            parked: Vec::new(),
            hits: Draws::new(seed, HITS),
            gaps,
            events,
            requests: Vec::new(),
            passes: Vec::new(),
            calls: Vec::new(),
            coming,
            waiting: 0,
            under_way: 0,
            last_good: knobs.warm_cache.then_some(Time::ZERO),
            remote_free: Time::ZERO,
            seen: Seen::default(),
        }
    }

    /// Goes on for at most `events` events; whether it has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if !self.coming && self.waiting == 0 && self.under_way == 0 {
                return true;
            }
            let Some(event) = self.events.pop() else { return true };
            let (now, index) = (event.at, event.what & INDEX);
            match event.what & !INDEX {
                ARRIVE => self.arrive(now, index),
                DONE => self.done(now, index),
                TIMEOUT => self.timed_out(now, index),
                RETRY => self.attempt(now, index),
                RETRY_INSIDE if !self.passes[index as usize].over => self.call(now, index),
                // Once the last caller has gone the circuit is nobody's business.
                RING if self.coming || self.waiting > 0 => {
                    self.breaker.ring(now);
                    self.look(now, false);
                }
                ANSWER => self.answered(now, index),
                _ => {}
            }
        }
        !self.coming && self.waiting == 0 && self.under_way == 0
    }

    /// The share of the run that is done; a guess.
    pub fn share(&self) -> f64 {
        (self.seen.answers.len() as f64 / self.knobs.requests().max(1) as f64).min(1.0)
    }

    /// Notes what the breaker shows after something was done to it; `out`: a call has just gone out.
    fn look(&mut self, now: Time, out: bool) {
        let gauge = self.breaker.gauge(now);
        let state = self.breaker.state();
        self.seen.most_calls = self.seen.most_calls.max(gauge.calls);
        self.seen.most_in_a_row = self.seen.most_in_a_row.max(gauge.failures);
        let ejected = self.breaker.ejected();
        self.seen.ejections += u64::from(ejected.saturating_sub(self.ejected));
        self.seen.most_ejected = self.seen.most_ejected.max(ejected);
        self.ejected = ejected;
        if state != self.state {
            self.state = state;
            self.seen.transitions.push((now, state));
            if state == State::Open && self.seen.at_open.is_none() {
                self.seen.at_open = Some(gauge);
            }
        }
        // A call that goes out dilutes opossum's rate until it comes back, but nobody looks at the rate meanwhile.
        let counts = [gauge.calls, gauge.failures].map(|n| n as f64);
        let window = [gauge.failure_percent(), gauge.slow_percent(), counts[0], counts[1]];
        if !out && self.seen.windows.last().is_none_or(|last| last.1 != window) {
            self.seen.windows.push((now, window));
        }
        if self.breaker.timer() != self.rung {
            self.rung = self.breaker.timer();
            if let Some(at) = self.rung {
                self.events.push(at, RING);
            }
        }
    }

    /// Whether the fault is on for this request at this moment.
    fn faulty(&self, now: Time, request: u32) -> bool {
        match self.knobs.traffic {
            Traffic::Sequential => {
                (self.knobs.before..self.knobs.before + self.knobs.calls).contains(&u64::from(request))
            }
            Traffic::Even | Traffic::Poisson => {
                let from = Time::ZERO + self.knobs.fault_at;
                now >= from && now < from + self.knobs.fault_for
            }
        }
    }

    fn arrive(&mut self, now: Time, request: u32) {
        self.requests.push(Request { began: now, attempts: 0, answer: Answer::Error });
        self.waiting += 1;
        self.seen.book.offered += 1;
        let next = request + 1;
        match self.knobs.traffic {
            // The next one comes when this one has been answered.
            Traffic::Sequential => self.coming = u64::from(next) < self.knobs.requests(),
            Traffic::Even => self.next_by_clock(self.knobs.rate().nth(u64::from(next)), next),
            Traffic::Poisson => {
                let arrivals = Arrivals::Poisson { rate: self.knobs.rate() };
                self.next_by_clock(arrivals.at(u64::from(next), now, self.gaps), next);
            }
        }
        self.attempt(now, request);
    }

    fn next_by_clock(&mut self, at: Option<Time>, request: u32) {
        let end = Time::ZERO + self.knobs.length;
        match at.filter(|&at| at < end) {
            Some(at) => self.events.push(at, ARRIVE | request),
            None => self.coming = false,
        }
    }

    /// A request tries.
    fn attempt(&mut self, now: Time, request: u32) {
        self.requests[request as usize].attempts += 1;
        self.seen.book.caller.start();
        self.ask(now, request);
    }

    /// It asks the breaker.
    fn ask(&mut self, now: Time, request: u32) {
        let admission = self.breaker.acquire(now);
        self.look(now, matches!(admission, Admission::Go(_)));
        if admission == Admission::Wait {
            self.seen.waited += 1;
            self.parked.push(request);
            return;
        }
        let Admission::Go(permit) = admission else {
            self.seen.book.caller.end(Ending::Rejected);
            self.seen.attempts.push((now, now, End::Rejected));
            if !self.faulty(now, request) {
                self.seen.rejected_healthy += 1;
            }
            if self.knobs.retry_rejected && self.retries_outside(now, request) {
                return;
            }
            self.fall_back(now, request);
            return;
        };
        self.seen.probes += u64::from(permit.probe);
        let pass = self.passes.len() as u32;
        self.passes.push(Pass { request, permit, began: now, calls: 0, calling: None, over: false });
        // Before the call itself: at the very microsecond the caller gives up, as opossum does.
        if let Some(patience) = self.knobs.patience() {
            self.events.push(now + patience, TIMEOUT | pass);
        }
        self.call(now, pass);
    }

    /// A call goes out.
    fn call(&mut self, now: Time, pass: u32) {
        let Pass { request, calls, permit, .. } = self.passes[pass as usize];
        if calls > 0 {
            self.seen.book.caller.start();
        }
        self.passes[pass as usize].calls = calls + 1;
        self.passes[pass as usize].calling = Some(now);
        self.seen.book.server.arrive();
        self.under_way += 1;
        let faulty = self.faulty(now, request) && self.knobs.ails(self.breaker.host(permit));
        if faulty {
            self.seen.reached_in_fault += 1;
        }
        let attempt = self.requests[request as usize].attempts + calls;
        let hit = faulty && self.hits.at(u64::from(request), 0, attempt as u32).below(10_000) < self.knobs.share;
        let fault = hit.then_some(self.knobs.fault);
        let takes = if fault == Some(Fault::Slow) { self.knobs.slow } else { self.knobs.call };
        let call = self.calls.len() as u32;
        self.calls.push(Call { pass, fault });
        self.events.push(now + takes, DONE | call);
    }

    /// The dependency has answered a call.
    fn done(&mut self, now: Time, call: u32) {
        let Call { pass, fault } = self.calls[call as usize];
        self.under_way -= 1;
        let Pass { request, over, calls, calling, .. } = self.passes[pass as usize];
        if over {
            self.seen.book.server.settle(Fate::Wasted);
            return;
        }
        let (fate, ending) = match fault {
            None | Some(Fault::Slow) => (Fate::Useful, Ending::Ok),
            Some(Fault::NotFound) => (Fate::Useful, Ending::Error),
            Some(Fault::Errors) => (Fate::Lost, Ending::Error),
            Some(Fault::TooMany) => (Fate::Refused, Ending::Shed),
        };
        self.seen.book.server.settle(fate);
        self.seen.book.caller.end(ending);
        let verdict = self.verdict(fault);
        let end = match verdict {
            Verdict::Ok => End::Ok,
            Verdict::Ignored => End::Uncounted,
            Verdict::Failed | Verdict::TimedOut => End::Error,
        };
        self.seen.attempts.push((calling.unwrap_or(now), now, end));
        self.passes[pass as usize].calling = None;
        // A 404 stays a 404.
        let again = matches!(fault, Some(Fault::Errors | Fault::TooMany));
        if again && self.knobs.retry == Retry::Inside && calls < self.knobs.attempts {
            self.events.push(now + self.knobs.retry_wait, RETRY_INSIDE | pass);
            return;
        }
        self.report(now, pass, verdict);
        if verdict == Verdict::Ok {
            self.last_good = Some(now);
            self.answer(now, request, Answer::Fresh);
        } else if again && self.retries_outside(now, request) {
        } else if verdict == Verdict::Ignored {
            self.answer(now, request, Answer::PassedOn);
        } else {
            self.fall_back(now, request);
        }
    }

    /// What the breaker is told of an answer.
    fn verdict(&self, fault: Option<Fault>) -> Verdict {
        match (fault, self.knobs.filter()) {
            (None | Some(Fault::Slow), _) => Verdict::Ok,
            (Some(Fault::Errors), _) | (_, Filter::Nothing) => Verdict::Failed,
            (Some(Fault::TooMany), Filter::Keep429) => Verdict::Failed,
            (Some(Fault::NotFound | Fault::TooMany), _) => Verdict::Ignored,
        }
    }

    fn timed_out(&mut self, now: Time, pass: u32) {
        let Pass { request, over, calling, .. } = self.passes[pass as usize];
        if over {
            return;
        }
        if let Some(began) = calling {
            self.seen.book.caller.end(Ending::Timeout);
            self.seen.attempts.push((began, now, End::Timeout));
        }
        self.report(now, pass, Verdict::TimedOut);
        if !self.retries_outside(now, request) {
            self.fall_back(now, request);
        }
    }

    fn report(&mut self, now: Time, pass: u32, verdict: Verdict) {
        let Pass { permit, began, .. } = self.passes[pass as usize];
        self.passes[pass as usize].over = true;
        self.seen.failures += u64::from(matches!(verdict, Verdict::Failed | Verdict::TimedOut));
        self.breaker.report(now, permit, verdict, now - began);
        self.look(now, false);
        if self.state != State::HalfOpen {
            core::mem::take(&mut self.parked).into_iter().for_each(|request| self.ask(now, request));
        }
    }

    /// Plans another attempt around the breaker, if there is one.
    fn retries_outside(&mut self, now: Time, request: u32) -> bool {
        let left = self.requests[request as usize].attempts < self.knobs.attempts;
        let again = self.knobs.retry == Retry::Outside && left;
        if again {
            self.events.push(now + self.knobs.retry_wait, RETRY | request);
        }
        again
    }

    fn fall_back(&mut self, now: Time, request: u32) {
        match self.knobs.fallback {
            Fallback::Hide => self.answer(now, request, Answer::Hidden),
            Fallback::Error => self.answer(now, request, Answer::Error),
            Fallback::Stale => {
                let age = self.last_good.map(|at| now - at).filter(|&age| age <= self.knobs.ttl);
                if let Some(age) = age {
                    self.seen.oldest_stale = self.seen.oldest_stale.max(Some(age));
                    self.answer(now, request, Answer::Stale);
                } else {
                    self.answer(now, request, Answer::Error);
                }
            }
            Fallback::Remote => self.ask_remote(now, request),
        }
    }

    /// The other service answers one call after the other; its queue has no end.
    fn ask_remote(&mut self, now: Time, request: u32) {
        let book = &mut self.seen.remote;
        book.offered += 1;
        book.caller.start();
        book.server.arrive();
        let done = self.remote_free.max(now) + Span::s(1) / self.knobs.remote_rate.max(1);
        self.remote_free = done;
        let patience = self.knobs.patience().filter(|&patience| done - now > patience);
        let (at, answer) = match patience {
            Some(patience) => {
                book.caller.end(Ending::Timeout);
                book.server.settle(Fate::Wasted);
                (now + patience, Answer::Error)
            }
            None => {
                book.good += 1;
                book.caller.end(Ending::Ok);
                book.server.settle(Fate::Useful);
                (done, Answer::Remote)
            }
        };
        self.requests[request as usize].answer = answer;
        self.events.push(at, ANSWER | request);
    }

    fn answer(&mut self, now: Time, request: u32, answer: Answer) {
        self.requests[request as usize].answer = answer;
        self.answered(now, request);
    }

    /// A caller goes away with what it got.
    fn answered(&mut self, now: Time, request: u32) {
        let Request { began, answer, .. } = self.requests[request as usize];
        self.waiting -= 1;
        self.seen.answers.push((began, now - began, answer));
        self.seen.book.good += u64::from(answer == Answer::Fresh);
        self.seen.last_answer = self.seen.last_answer.max(now);
        if self.knobs.traffic == Traffic::Sequential {
            if self.faulty(now, request) {
                let from = self.seen.fault.map_or(began, |(from, _)| from);
                self.seen.fault = Some((from, now));
            }
            if self.coming {
                let trial = self.knobs.before + self.knobs.calls;
                let rest = if u64::from(request) + 1 == trial { self.knobs.rest } else { Span::ZERO };
                self.events.push(now + rest, ARRIVE | (request + 1));
            }
        } else if self.seen.fault.is_none() && self.knobs.fault_for > Span::ZERO {
            let from = Time::ZERO + self.knobs.fault_at;
            if self.knobs.fault_at < self.knobs.length {
                self.seen.fault = Some((from, from + self.knobs.fault_for));
            }
        }
    }
}
