//! One run of the loop, with what became of each request.

use overload_sim::event_loop::{Call, Door, EventLoop, Setup, What};
use overload_sim::ledger::{Ending, Fate};
use overload_sim::record::Samples;
use overload_sim::time::{Span, Time};

use super::knobs::Clock;
use crate::outcome::Book;

/// What counts as an answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// From when its latency counts.
    pub clock: Clock,
    /// How long it may be; exactly so long is in time.
    pub deadline: Span,
}

/// What a run leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Both ledgers, and the requests answered in time.
    pub book: Book,
    /// Of the requests answered in time, the latency by the rule's clock.
    pub times: Samples,
    /// When the last request was sent.
    pub last_sent: Time,
    /// When the last request was answered or refused.
    pub drained: Time,
    /// What the thread spent on refusing.
    pub refusing: Span,
    /// Most requests read and not yet answered.
    pub peak: usize,
    /// Most requests in line for a connection.
    pub line: usize,
}

/// Requests by when users wanted to send them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Answered in time.
    pub good: u32,
    /// Answered late.
    pub late: u32,
    /// Refused.
    pub shed: u32,
    /// Latencies of all answered, summed up in microseconds: from the intended send, and from the actual one.
    pub time_us: [u64; 2],
}

/// What the thread did, by row of the chart.
pub const WORK: u8 = 0;
pub const ZOMBIE: u8 = 1;
pub const READ: u8 = 2;
pub const REFUSE: u8 = 3;
pub const SLEEP: u8 = 4;

/// What happened over time.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Width of the bins.
    pub width: Span,
    /// From time 0 on.
    pub bins: Vec<Bin>,
    /// The stretch in which the thread is looked at closely.
    pub close: (Time, Time),
    /// What it did then: one of the constants, from when, to when.
    pub did: Vec<(u8, Time, Time)>,
}

impl Trace {
    fn bin(&mut self, call: Call) -> &mut Bin {
        let at = call.intended.slot(self.width) as usize;
        if at >= self.bins.len() {
            self.bins.resize(at + 1, Bin::default());
        }
        &mut self.bins[at]
    }

    fn did(&mut self, kind: u8, from: Time, to: Time) {
        let (from, to) = (from.max(self.close.0), to.min(self.close.1));
        if from >= to {
            return;
        }
        match self.did.last_mut() {
            Some(last) if last.0 == kind && last.2 == from => last.2 = to,
            _ => self.did.push((kind, from, to)),
        }
    }
}

/// A run, to be advanced bit by bit.
pub struct System {
    rule: Rule,
    thread: EventLoop,
    over: bool,
    /// Whether a run may end early: see [`System::step`].
    open: bool,
    /// When the last request was wanted, at the latest; [`Time::MAX`]: not yet.
    wanted: Time,
    /// What was counted so far.
    pub tally: Tally,
    /// What was recorded over time, where that is wanted.
    pub trace: Option<Trace>,
}

/// Steps of the loop that count as one event: each is a few comparisons, without a heap.
pub const STEPS: u64 = 4;

impl System {
    /// A run from the idle server on.
    pub fn new(setup: Setup, rule: Rule, seed: u64, trace: Option<Trace>) -> System {
        let book = Book { offered: u64::from(setup.requests), ..Book::default() };
        let tally = Tally { book, ..Tally::default() };
        let open = setup.door == Door::Open && rule.clock == Clock::Intended && trace.is_none();
        System { rule, thread: EventLoop::new(setup, seed), over: false, open, wanted: Time::MAX, tally, trace }
    }

    /// The loop itself.
    pub fn thread(&self) -> &EventLoop {
        &self.thread
    }

    /// Goes on for at most `events` events. Returns how many it did not need: more than 0 once the run has ended.
    pub fn advance(&mut self, events: u64) -> u64 {
        let mut left = events.saturating_mul(STEPS);
        while left > 0 {
            if self.over || !self.step() {
                self.over = true;
                return left.div_ceil(STEPS);
            }
            left -= 1;
        }
        0
    }

    /// Does the next thing; whether there was one.
    ///
    /// Where nobody is refused and nothing is traced, a run ends once the last deadline has passed: whoever is not answered
    /// by then will be, late.
    fn step(&mut self) -> bool {
        if self.open {
            if !self.thread.all_wanted() {
                self.wanted = Time::MAX;
            } else if self.wanted == Time::MAX {
                // No earlier than the last request was wanted.
                self.wanted = self.thread.now();
            } else if self.thread.now() > self.wanted + self.rule.deadline {
                while self.tally.book.caller.attempts < self.tally.book.offered {
                    self.tally.book.caller.start();
                    self.tally.book.caller.end(Ending::Late);
                }
                return false;
            }
        }
        let Some(step) = self.thread.step() else { return false };
        let tally = &mut self.tally;
        let kind = match step.what {
            What::Turned => return true,
            What::Slept => SLEEP,
            What::Read => {
                tally.peak = tally.peak.max(self.thread.in_flight());
                READ
            }
            What::Refused(call) => {
                tally.ended(call, step.to, Ending::Shed, Fate::Refused);
                tally.refusing += step.to - step.from;
                if let Some(trace) = &mut self.trace {
                    trace.bin(call).shed += 1;
                }
                REFUSE
            }
            What::Answered(call) => {
                let times = [call.intended, call.sent].map(|from| step.to - from);
                let time = times[usize::from(self.rule.clock == Clock::Actual)];
                let good = time <= self.rule.deadline;
                if good {
                    tally.ended(call, step.to, Ending::Ok, Fate::Useful);
                    tally.book.good += 1;
                    tally.times.add(time);
                } else {
                    tally.ended(call, step.to, Ending::Late, Fate::Wasted);
                }
                if let Some(trace) = &mut self.trace {
                    let bin = trace.bin(call);
                    *(if good { &mut bin.good } else { &mut bin.late }) += 1;
                    bin.time_us[0] += times[0].as_us();
                    bin.time_us[1] += times[1].as_us();
                }
                if good { WORK } else { ZOMBIE }
            }
        };
        if let Some(trace) = &mut self.trace {
            tally.line = tally.line.max(self.thread.in_line());
            trace.did(kind, step.from, step.to);
        }
        true
    }
}

impl Tally {
    fn ended(&mut self, call: Call, at: Time, ending: Ending, fate: Fate) {
        self.book.caller.start();
        self.book.server.arrive();
        self.book.caller.end(ending);
        self.book.server.settle(fate);
        self.last_sent = self.last_sent.max(call.sent);
        self.drained = at;
    }
}
