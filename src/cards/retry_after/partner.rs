//! The partner: loops that ask until they are answered, a quota, an app with one CPU that everybody shares, and on one side
//! a penalty box in front of it.

use overload_sim::arrivals::Rate;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::penalty::{PenaltyBox, Quota};
use overload_sim::pool::{Offer, Pool};
use overload_sim::queue::EventQueue;
use overload_sim::record::{Bins, Samples};
use overload_sim::time::{Span, Time};

use super::knobs::RetryAfter;
use crate::outcome::Book;

/// A refusal is a strike within this time.
const STRIKES_WITHIN: Span = Span::s(1);
/// Everybody else's deadline.
pub const DEADLINE: Span = Span::s(1);
/// Bars of the picture.
pub const BARS: u64 = 50;

// Kinds of event, in the top bits; the rest is an index.
const OTHER: u32 = 0 << 30;
const ASK: u32 = 1 << 30;
const END: u32 = 2 << 30;
const INDEX: u32 = (1 << 30) - 1;

/// A request inside the app.
#[derive(Clone, Copy)]
struct Job {
    /// The loop that asks; `None`: somebody else.
    by: Option<u32>,
    arrived: Time,
    /// What it will be told, once it is looked at; `None`: it is answered.
    told: Option<Span>,
}

/// One side.
pub struct Partner {
    guard: Option<PenaltyBox>,
    quota: Quota,
    app: Pool,
    events: EventQueue,
    jobs: Vec<Job>,
    next_other: u64,
    /// The partner's requests by fate, in bars of a [`BARS`]th of the time: answered, 429 by the app, 429 at the gateway.
    pub bars: [Bins; 3],
    /// Latencies of everybody else.
    pub others: Samples,
    /// CPU spent on refusing, within the window.
    pub refusing: Span,
    /// Both ledgers: everybody's.
    pub book: Book,
    /// Events so far.
    pub done: u64,
}

impl Partner {
    /// At its start, with a penalty box or without.
    pub fn new(knobs: &RetryAfter, guarded: bool) -> Partner {
        let width = knobs.length / BARS;
        let bins = || Bins::new(width, BARS as usize + 1);
        let mut partner = Partner {
            guard: guarded.then(|| PenaltyBox::new(knobs.strikes, STRIKES_WITHIN, knobs.first, knobs.longest)),
            quota: Quota::new(knobs.quota, knobs.burst),
            app: Pool::new(1, u32::MAX),
            events: EventQueue::default(),
            jobs: Vec::new(),
            next_other: 0,
            bars: [bins(), bins(), bins()],
            others: Samples::default(),
            refusing: Span::ZERO,
            book: Book::default(),
            done: 0,
        };
        partner.schedule_other(knobs);
        // The loops begin one after the other within a round trip.
        for i in 0..knobs.loops {
            partner.book.offered += 1;
            partner.events.push(Time::ZERO + knobs.rtt * i / knobs.loops, ASK | i as u32);
        }
        partner
    }

    fn schedule_other(&mut self, knobs: &RetryAfter) {
        let at = Rate::per_s(knobs.rate).nth(self.next_other).filter(|at| *at < Time::ZERO + knobs.length);
        if let Some(at) = at {
            self.next_other += 1;
            self.events.push(at, OTHER);
        }
    }

    /// One event; whether there was one.
    pub fn step(&mut self, knobs: &RetryAfter) -> bool {
        let Some(event) = self.events.pop() else { return false };
        self.done += 1;
        let now = event.at;
        match event.what & !INDEX {
            OTHER => {
                self.book.offered += 1;
                self.enter(knobs, None, now);
                self.schedule_other(knobs);
            }
            ASK => self.ask(knobs, event.what & INDEX, now),
            _ => self.end(knobs, event.what & INDEX, now),
        }
        true
    }

    /// A loop asks. Once the time is over it does not.
    fn ask(&mut self, knobs: &RetryAfter, by: u32, now: Time) {
        if now >= Time::ZERO + knobs.length {
            return;
        }
        let shut = self.guard.and_then(|guard| guard.shut(now));
        let Some(left) = shut else { return self.enter(knobs, Some(by), now) };
        self.book.caller.start();
        self.book.server.arrive();
        self.refused(knobs, by, now, left, 2);
    }

    /// A request goes into the app.
    fn enter(&mut self, knobs: &RetryAfter, by: Option<u32>, now: Time) {
        self.book.caller.start();
        self.book.server.arrive();
        let job = self.jobs.len() as u32;
        self.jobs.push(Job { by, arrived: now, told: None });
        if self.app.offer(job) == Offer::Start {
            self.start(knobs, job, now);
        }
    }

    /// The app looks at a request: that is when the quota counts.
    fn start(&mut self, knobs: &RetryAfter, job: u32, now: Time) {
        let of_partner = self.jobs[job as usize].by.is_some();
        let refused = if of_partner { self.quota.take(now).err() } else { None };
        self.jobs[job as usize].told = refused;
        let cost = if refused.is_some() { knobs.refuse_cost } else { knobs.answer_cost };
        if let Some(guard) = self.guard.as_mut().filter(|_| refused.is_some()) {
            guard.strike(now);
        }
        self.events.push(now + cost, END | job);
    }

    fn end(&mut self, knobs: &RetryAfter, job: u32, now: Time) {
        if let Some(next) = self.app.finish() {
            self.start(knobs, next, now);
        }
        let Job { by, arrived, told } = self.jobs[job as usize];
        match (by, told) {
            (Some(by), Some(wait)) => {
                // Only what lies within the window: a share of one CPU is at most all of it.
                let over = now.since(Time::ZERO + knobs.length);
                self.refusing += knobs.refuse_cost.saturating_sub(over);
                self.refused(knobs, by, now, wait, 1);
            }
            (Some(by), None) => {
                self.answered(true);
                self.bars[0].add(now);
                let next = now + knobs.rtt;
                if next < Time::ZERO + knobs.length {
                    self.book.offered += 1;
                    self.events.push(next, ASK | by);
                }
            }
            (None, _) => {
                self.others.add(now - arrived);
                self.answered(now - arrived <= DEADLINE);
            }
        }
    }

    fn answered(&mut self, in_time: bool) {
        self.book.caller.end(if in_time { Ending::Ok } else { Ending::Late });
        self.book.server.settle(Fate::Useful);
        self.book.good += u64::from(in_time);
    }

    /// A request of a loop got 429, and is told how long to wait, in whole seconds.
    fn refused(&mut self, knobs: &RetryAfter, by: u32, now: Time, wait: Span, bar: usize) {
        self.book.caller.end(Ending::Shed);
        self.book.server.settle(Fate::Refused);
        self.bars[bar].add(now);
        let told = Span::s(wait.as_us().div_ceil(1_000_000));
        self.events.push(now + if knobs.polite { told.max(knobs.rtt) } else { knobs.rtt }, ASK | by);
    }
}
