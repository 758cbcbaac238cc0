//! One system: callers who wait only so long, a door with a limit, slots with one queue in front.

use std::collections::VecDeque;

use overload_sim::admission::Admission;
use overload_sim::arrivals::Arrivals;
use overload_sim::backoff::Memory;
use overload_sim::budget::bucket::Bucket;
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::pool::{Offer, Pool};
use overload_sim::queue::EventQueue;
use overload_sim::record::Samples;
use overload_sim::retry::RetryPolicy;
use overload_sim::time::{Span, Time};

use crate::outcome::Book;

/// The streams of the draws: when requests come, how long they are served, how long a retry waits.
const ARRIVALS: u64 = 1;
const SERVICE: u64 = 2;
const WAITS: u64 = 3;

// Kinds of event, in the top bits of `Event::what`; the rest is the call's place.
const END: u32 = 0 << 31;
const RETRY: u32 = 1 << 31;
const PLACE: u32 = RETRY - 1;

/// What comes, and what meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// When requests come.
    pub arrivals: Arrivals,
    /// User requests in all.
    pub requests: u32,
    /// How long serving one call takes.
    pub service: Law,
    /// Calls served at once.
    pub slots: u32,
    /// The rule at the door.
    pub admission: Admission,
    /// How long a caller waits for an attempt; an answer at that very microsecond still counts. `None`: for ever.
    pub timeout: Option<Span>,
    /// How long after the user's first attempt an answer still counts. `None`: always.
    pub deadline: Option<Span>,
    /// A call whose caller has left is dropped when its turn comes.
    pub drop_left: bool,
    /// How callers retry; `None`: they do not.
    pub retries: Option<Retries>,
}

/// How callers retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Attempts and backoff.
    pub policy: RetryPolicy,
    /// What they wait after a 503 before the backoff begins.
    pub retry_after: Span,
    /// The budget that all of them share, full at the start; `None`: whoever may still retry does.
    pub budget: Option<Bucket>,
}

/// An attempt under way, or a retry to come.
#[derive(Clone, Copy)]
struct Call {
    request: u32,
    /// From 1.
    attempt: u32,
    /// When the user first tried.
    first: Time,
    /// When this attempt began.
    began: Time,
    /// Its caller has left.
    left: bool,
    /// The server has done with it, but its caller's timeout is still on the list.
    done: bool,
}

/// A run of a [`Load`], to be advanced bit by bit.
pub struct System {
    load: Load,
    arrivals: Draws,
    service: Draws,
    waits: Draws,
    /// The request that comes next, and when.
    next: u32,
    next_at: Option<Time>,
    /// Ends of service, and retries.
    events: EventQueue,
    /// When callers leave, in that order, since all of them wait equally long.
    leaving: VecDeque<(Time, u32)>,
    pool: Pool,
    calls: Vec<Call>,
    free: Vec<u32>,
    /// Calls inside whose caller has left.
    left_inside: u32,
    /// Retries to come.
    retrying: u32,
    budget: Option<Bucket>,
    over: bool,
    /// Events that cost next to nothing, not yet counted.
    light: u64,
    /// What was counted so far.
    pub tally: Tally,
    /// What was recorded over time, where that is wanted.
    pub trace: Option<Trace>,
}

/// What a run leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Both ledgers, and the user requests answered in time.
    pub book: Book,
    /// User requests answered, but after the deadline that counts.
    pub late: u64,
    /// User requests that ended with a 503.
    pub shed: u64,
    /// User requests that ended with the caller's timeout.
    pub timeout: u64,
    /// Retries that the budget did not grant.
    pub unpaid: u64,
    /// Of the requests answered in time, the time since the first attempt.
    pub times: Samples,
    /// When the last request that was answered in time had come.
    pub answered_until: Option<Time>,
    /// When the last request came.
    pub last_came: Time,
    /// When the server was done with its last call.
    pub drained: Time,
    /// Most calls inside at once.
    pub peak: usize,
}

/// What happened over time.
#[derive(Clone, Debug)]
pub struct Trace {
    width: Span,
    /// By the time in which the user first tried.
    pub bins: Vec<Bin>,
    step: Span,
    /// At multiples of a step: calls inside whose caller waits, and those whose caller has left.
    pub inside: Vec<(Time, u32, u32)>,
}

/// Requests by the time in which they came, and attempts that came then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Answered in time.
    pub ok: u32,
    /// Answered late.
    pub late: u32,
    /// Ended with a 503.
    pub shed: u32,
    /// Ended with a timeout.
    pub timeout: u32,
    /// Attempts of any request.
    pub attempts: u32,
    /// Times of those answered, summed up, in microseconds.
    pub time_us: u64,
}

/// Most samples of [`Trace::inside`]: what comes later is not recorded.
const MOST_SAMPLES: usize = 400;
/// Most bins: attempts that come long after the load has ended are only counted.
const MOST_BINS: usize = 400;

impl Trace {
    /// An empty trace of a load of this duration, with bins of this width. In-flight calls are sampled for four times
    /// the duration.
    pub fn new(duration: Span, width: Span) -> Trace {
        Trace { width, bins: Vec::new(), step: (duration / 100).max(Span::us(1)), inside: vec![(Time::ZERO, 0, 0)] }
    }

    fn bin(&mut self, at: Time) -> Option<&mut Bin> {
        let i = at.slot(self.width) as usize;
        if i >= self.bins.len() && i < MOST_BINS {
            self.bins.resize(i + 1, Bin::default());
        }
        self.bins.get_mut(i)
    }

    /// Up to `now`, so many were inside.
    fn level(&mut self, now: Time, waiting: u32, left: u32) {
        while let Some(&(at, ..)) = self.inside.last()
            && at + self.step <= now
            && self.inside.len() <= MOST_SAMPLES
        {
            self.inside.push((at + self.step, waiting, left));
        }
    }
}

impl System {
    /// A run from the empty server on.
    pub fn new(load: Load, seed: u64, trace: Option<Trace>) -> System {
        let mut system = System {
            load,
            arrivals: Draws::new(seed, ARRIVALS),
            service: Draws::new(seed, SERVICE),
            waits: Draws::new(seed, WAITS),
            next: 0,
            next_at: None,
            events: EventQueue::with_capacity(64),
            leaving: VecDeque::with_capacity(64),
            pool: Pool::new(load.slots, u32::MAX),
            calls: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            left_inside: 0,
            retrying: 0,
            budget: load.retries.and_then(|retries| retries.budget),
            over: false,
            light: 0,
            tally: Tally { book: Book { offered: u64::from(load.requests), ..Book::default() }, ..Tally::default() },
            trace,
        };
        system.schedule(Time::ZERO);
        system
    }

    /// Goes on for at most `events` events. Returns how many it did not need: more than 0 once the run has ended.
    ///
    /// Refusals and callers leaving are a comparison and a count each: four of them count as one event.
    ///
    /// A run without a trace ends when the last caller has been answered or has left: what the server then still does
    /// is of no account to callers, and a curve asks for nothing else.
    pub fn advance(&mut self, events: u64) -> u64 {
        let mut left = events;
        while left > 0 {
            if self.over || !self.step() {
                self.over = true;
                return left;
            }
            left -= 1;
            if self.light >= 4 {
                self.light -= 4;
                left = left.saturating_add(3).min(events);
            }
        }
        0
    }

    /// Takes the next event; whether there was one.
    ///
    /// At one moment, callers leave first, then new requests come, then calls end and retries come. So the limit still
    /// counts a call that ends at the very moment of an arrival, which is how the article's figures come about.
    fn step(&mut self) -> bool {
        // Answered long ago: its timeout means nothing any more.
        while let Some(&(_, place)) = self.leaving.front()
            && self.calls[place as usize].done
        {
            self.leaving.pop_front();
            self.free.push(place);
        }
        let leaves = self.leaving.front().map_or(Time::MAX, |l| l.0);
        let comes = self.next_at.unwrap_or(Time::MAX);
        let event = self.events.peek().map_or(Time::MAX, |e| e.at);
        let now = leaves.min(comes).min(event);
        if now == Time::MAX {
            return false;
        }
        match &mut self.trace {
            Some(trace) => {
                trace.level(now, self.pool.in_flight() as u32 - self.left_inside, self.left_inside);
            }
            None => {
                if comes == Time::MAX && self.retrying == 0 && self.tally.book.caller.open() == 0 {
                    return false;
                }
            }
        }
        if leaves == now {
            if let Some((_, place)) = self.leaving.pop_front() {
                self.leave(now, place);
            }
        } else if comes == now {
            self.come(now);
        } else if let Some(event) = self.events.pop() {
            let place = event.what & PLACE;
            if event.what & RETRY == 0 {
                self.end(now, place);
            } else {
                self.retrying -= 1;
                self.attempt(now, place);
            }
        }
        true
    }

    /// Finds out when request `next` comes.
    fn schedule(&mut self, previous: Time) {
        self.next_at = if self.next < self.load.requests {
            self.load.arrivals.at(u64::from(self.next), previous, self.arrivals)
        } else {
            None
        };
    }

    /// A user asks for the first time.
    fn come(&mut self, now: Time) {
        let request = self.next;
        self.next += 1;
        self.schedule(now);
        self.tally.last_came = now;
        if let Some(budget) = &mut self.budget {
            budget.deposit();
        }
        let call = Call { request, attempt: 1, first: now, began: now, left: false, done: false };
        let place = self.put(call);
        self.attempt(now, place);
    }

    /// An attempt reaches the door.
    fn attempt(&mut self, now: Time, place: u32) {
        self.calls[place as usize].began = now;
        self.tally.book.caller.start();
        self.tally.book.server.arrive();
        if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(now)) {
            bin.attempts += 1;
        }
        if !self.load.admission.admits(self.pool.in_flight()) {
            self.light += 1;
            self.tally.book.server.settle(Fate::Refused);
            self.failed(now, place, Ending::Shed);
            self.free.push(place);
            return;
        }
        if let Some(timeout) = self.load.timeout {
            // The first moment after it: an answer at the timeout itself is in time.
            self.leaving.push_back((now + timeout + Span::us(1), place));
        }
        // The queue has no end of its own; the door is what keeps it short.
        if self.pool.offer(place) == Offer::Start {
            self.serve(now, place);
        }
        self.tally.peak = self.tally.peak.max(self.pool.in_flight());
    }

    /// A slot takes the call on.
    fn serve(&mut self, now: Time, place: u32) {
        let Call { request, attempt, .. } = self.calls[place as usize];
        let service = self.load.service.draw(&mut self.service.at(u64::from(request), 0, attempt - 1));
        self.events.push(now + service, END | place);
    }

    /// A call has been served.
    fn end(&mut self, now: Time, place: u32) {
        self.tally.drained = now;
        let call = self.calls[place as usize];
        if call.left {
            self.left_inside -= 1;
            self.tally.book.server.settle(Fate::Wasted);
            self.free.push(place);
        } else {
            self.tally.book.server.settle(Fate::Useful);
            self.answered(now, call);
            // Where the caller's timeout is still on the list, that frees the place.
            self.calls[place as usize].done = true;
            if self.load.timeout.is_none() {
                self.free.push(place);
            }
        }
        while let Some(next) = self.pool.finish() {
            if self.load.drop_left && self.calls[next as usize].left {
                self.left_inside -= 1;
                self.tally.book.server.settle(Fate::DroppedExpired);
                self.free.push(next);
            } else {
                self.serve(now, next);
                break;
            }
        }
    }

    fn answered(&mut self, now: Time, call: Call) {
        let time = now - call.first;
        let late = self.load.deadline.is_some_and(|deadline| time > deadline);
        if late {
            self.tally.book.caller.end(Ending::Late);
            self.tally.late += 1;
        } else {
            self.tally.book.caller.end(Ending::Ok);
            self.tally.book.good += 1;
            self.tally.times.add(time);
            self.tally.answered_until = self.tally.answered_until.max(Some(call.first));
        }
        if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(call.first)) {
            *(if late { &mut bin.late } else { &mut bin.ok }) += 1;
            bin.time_us += time.as_us();
        }
    }

    /// A caller stops waiting. Its call stays where it is.
    fn leave(&mut self, now: Time, place: u32) {
        self.light += 1;
        self.calls[place as usize].left = true;
        self.left_inside += 1;
        self.failed(now, place, Ending::Timeout);
    }

    /// An attempt ended badly: its caller tries again, or the request has failed.
    fn failed(&mut self, now: Time, place: u32, ending: Ending) {
        self.tally.book.caller.end(ending);
        let call = self.calls[place as usize];
        let mut again = self.load.retries.and_then(|Retries { policy, retry_after, .. }| {
            let from = if ending == Ending::Shed { now + retry_after } else { now };
            let mut draw = self.waits.at(u64::from(call.request), 0, call.attempt);
            policy.next_attempt(call.attempt, call.first, from, &mut Memory::default(), &mut draw)
        });
        // The token is taken before the wait, as in the article.
        if again.is_some() && self.budget.as_mut().is_some_and(|budget| !budget.withdraw()) {
            self.tally.unpaid += 1;
            again = None;
        }
        if let Some(at) = again {
            let place = self.put(Call { attempt: call.attempt + 1, left: false, done: false, ..call });
            self.retrying += 1;
            self.events.push(at, RETRY | place);
            return;
        }
        let shed = ending == Ending::Shed;
        *(if shed { &mut self.tally.shed } else { &mut self.tally.timeout }) += 1;
        if let Some(bin) = self.trace.as_mut().and_then(|t| t.bin(call.first)) {
            *(if shed { &mut bin.shed } else { &mut bin.timeout }) += 1;
        }
    }

    fn put(&mut self, call: Call) -> u32 {
        if let Some(place) = self.free.pop() {
            self.calls[place as usize] = call;
            return place;
        }
        self.calls.push(call);
        self.calls.len() as u32 - 1
    }
}
