//! One thread that runs an event loop, as Node's does, and clients that reach it over keep-alive connections.
//!
//! The loop has two phases. In the timers phase it runs every timer that is due, one after the other, those included that
//! become due meanwhile. Then it polls: it reads the requests that stand in the sockets at that moment, and starts a timer
//! for each that it takes on (the wait for a database, say), or refuses it. With nothing to do it sleeps until the next
//! timer or the next request; where both come at once the timer is first.
//!
//! So a request waits in its socket while a whole batch of timers runs, and what the door knows is what the thread has got
//! round to measuring.
//!
//! Source: libuv's and Node's documentation of the loop's phases; the measured figures of article 4, card 015.

use std::collections::VecDeque;

use crate::arrivals::Arrivals;
use crate::draw::Draws;
use crate::record::percentile;
use crate::time::{Span, Time};

/// What the server looks at when it decides whether to take a request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Nothing: everybody comes in.
    Open,
    /// Nobody comes in while so many requests are inside: read, and not yet answered.
    InFlight(u32),
    /// Nobody comes in while the probe's last timer fired later than this.
    Lag(Span),
    /// Nobody comes in while the 99th percentile of the probe's lateness, since it was last [forgotten](Probe::forget), is
    /// greater than this.
    LagP99(Span),
    /// Nobody comes in while the share of the last whole [`Setup::window`] in which the thread was busy, in thousandths and
    /// divided by [`Setup::cores`], is at least this.
    Cpu(u32),
}

/// A timer that does nothing but measure how late it fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// From one firing to when the next one is due; [`Span::MAX`]: it never fires.
    pub every: Span,
    /// How often what was measured is forgotten.
    pub forget: Span,
}

/// A server and its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// When users want to send.
    pub arrivals: Arrivals,
    /// Requests in all.
    pub requests: u32,
    /// Connections, at least 1; each carries one request at a time. Who finds none free waits in line at the client.
    pub connections: u32,
    /// What a request waits for before its work: no CPU.
    pub wait: Span,
    /// CPU of one request's own work.
    pub cpu: Span,
    /// CPU of reading one request and writing its answer: the first half when it is read, the rest when it is answered.
    pub overhead: Span,
    /// CPU of refusing one request.
    pub refusal: Span,
    /// With the loop's phases. Without: an ideal server that reads and refuses beside the thread at no cost, and gives the
    /// thread one piece of work after the other, each as soon as it is ready.
    pub phases: bool,
    /// Who is let in.
    pub door: Door,
    /// What measures the lag.
    pub probe: Probe,
    /// What the CPU's load is measured over, from time 0 on; more than zero.
    pub window: Span,
    /// Cores that the CPU's load is divided by, though one thread can only use one; at least 1.
    pub cores: u32,
}

/// A request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its number, from 0.
    pub request: u32,
    /// When its user wanted to send it.
    pub intended: Time,
    /// When it got a connection and was sent.
    pub sent: Time,
}

/// What the loop has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A request was read and taken on.
    Read,
    /// A request was answered.
    Answered(Call),
    /// A request was refused.
    Refused(Call),
    /// Nothing was to be done.
    Slept,
    /// The next phase began, or the probe fired.
    Turned,
}

/// A stretch of the thread's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// From when.
    pub from: Time,
    /// To when.
    pub to: Time,
    /// What it was.
    pub what: What,
}

/// How busy the thread was in whole windows.
#[derive(Clone, Copy, Debug)]
struct Meter {
    window: Span,
    /// When the present window began.
    since: Time,
    /// Busy in the present window, without `last`.
    busy: Span,
    /// The latest stretch of work.
    last: (Time, Time),
    /// Of the last whole window, in thousandths.
    share: u64,
}

impl Meter {
    fn overlap(&self) -> Span {
        self.last.1.min(self.since + self.window).since(self.last.0.max(self.since))
    }

    /// Windows that have ended by `now` are closed.
    fn roll(&mut self, now: Time) {
        while self.since + self.window <= now {
            let busy = self.busy + self.overlap();
            self.share = busy.as_us() * 1_000 / self.window.as_us();
            self.busy = Span::ZERO;
            self.since += self.window;
        }
    }

    /// The thread works from `from` to `to`, not before the end of what it did last.
    fn work(&mut self, from: Time, to: Time) {
        self.roll(from);
        self.busy += self.overlap();
        self.last = (from, to);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Timers; whether one has run since the last poll.
    Timers(bool),
    /// So many sockets are still to be read; whether anything was done since the loop last slept.
    Poll(usize, bool),
}

/// A run of a [`Setup`], to be advanced step by step.
#[derive(Clone, Debug)]
pub struct EventLoop {
    setup: Setup,
    draws: Draws,
    now: Time,
    phase: Phase,
    /// The request that users want to send next, and when.
    next: u32,
    next_at: Option<Time>,
    /// At the client, in line for a connection.
    line: VecDeque<(u32, Time)>,
    free: u32,
    /// Sent, and not yet read.
    sockets: VecDeque<Call>,
    /// Taken on: when their wait is over. In order, since all wait equally long.
    timers: VecDeque<(Time, Call)>,
    /// Without phases: the work that the thread has in hand, and when it is done.
    hand: Option<(Time, Call)>,
    probe_at: Time,
    forget_at: Time,
    lag: Span,
    most_lag: Span,
    /// Lateness since it was last forgotten, ascending; kept only where the door looks at it.
    lags: Vec<u64>,
    meter: Meter,
}

/// The stream of the arrivals' draws.
const ARRIVALS: u64 = 1;

impl EventLoop {
    /// A run from the idle server on.
    pub fn new(setup: Setup, seed: u64) -> EventLoop {
        let setup = Setup {
            connections: setup.connections.max(1),
            cores: setup.cores.max(1),
            window: setup.window.max(Span::us(1)),
            probe: Probe { every: setup.probe.every.max(Span::us(1)), ..setup.probe },
            ..setup
        };
        let mut out = EventLoop {
            setup,
            draws: Draws::new(seed, ARRIVALS),
            now: Time::ZERO,
            phase: Phase::Timers(false),
            next: 0,
            next_at: None,
            line: VecDeque::new(),
            free: setup.connections,
            sockets: VecDeque::new(),
            timers: VecDeque::new(),
            hand: None,
            probe_at: Time::ZERO + setup.probe.every,
            forget_at: Time::ZERO + setup.probe.forget,
            lag: Span::ZERO,
            most_lag: Span::ZERO,
            lags: Vec::new(),
            meter: Meter {
                window: setup.window,
                since: Time::ZERO,
                busy: Span::ZERO,
                last: (Time::ZERO, Time::ZERO),
                share: 0,
            },
        };
        out.schedule(Time::ZERO);
        out
    }

    /// Requests read and not yet answered.
    pub fn in_flight(&self) -> usize {
        self.timers.len() + usize::from(self.hand.is_some())
    }

    /// Requests that wait at the client for a connection.
    pub fn in_line(&self) -> usize {
        self.line.len()
    }

    /// When it is now.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether users have wanted to send all there is.
    pub fn all_wanted(&self) -> bool {
        self.next_at.is_none()
    }

    /// The latest a probe has fired.
    pub fn most_lag(&self) -> Span {
        self.most_lag
    }

    /// How late the probe last fired.
    pub fn lag(&self) -> Span {
        self.lag
    }

    /// Does the next thing; `None` once every request has been answered or refused.
    pub fn step(&mut self) -> Option<Step> {
        self.deliver(self.now);
        let over = self.next_at.is_none() && self.sockets.is_empty() && self.in_flight() == 0 && self.line.is_empty();
        if over {
            return None;
        }
        let from = self.now;
        let what = if self.setup.phases { self.turn() } else { self.ideal() };
        Some(Step { from, to: self.now, what })
    }

    /// One callback, or one change of phase.
    fn turn(&mut self) -> What {
        match self.phase {
            Phase::Timers(ran) => {
                let due = self.timers.front().map_or(Time::MAX, |t| t.0);
                if due.min(self.probe_at) > self.now {
                    self.phase = Phase::Poll(self.sockets.len(), ran || !self.sockets.is_empty());
                    return What::Turned;
                }
                // The runtime's own timers are one to the loop below it: once the first has run, all that are due run.
                if due > self.now || (!ran && self.probe_at < due) {
                    self.fire();
                    return What::Turned;
                }
                let Some((_, call)) = self.timers.pop_front() else { return What::Turned };
                self.work(self.setup.cpu + self.setup.overhead.saturating_sub(self.setup.overhead / 2));
                self.release();
                self.phase = Phase::Timers(true);
                What::Answered(call)
            }
            Phase::Poll(0, false) => {
                let due = self.timers.front().map_or(Time::MAX, |t| t.0).min(self.probe_at);
                self.now = due.min(self.next_at.unwrap_or(Time::MAX)).max(self.now);
                self.deliver(self.now);
                // A timer that is due at this very moment is first.
                self.phase = if due <= self.now { Phase::Timers(false) } else { Phase::Poll(self.sockets.len(), true) };
                What::Slept
            }
            Phase::Poll(0, true) => {
                self.phase = Phase::Timers(false);
                What::Turned
            }
            Phase::Poll(left, _) => {
                self.phase = Phase::Poll(left - 1, true);
                let Some(call) = self.sockets.pop_front() else { return What::Turned };
                if !self.admits() {
                    self.work(self.setup.refusal);
                    self.release();
                    return What::Refused(call);
                }
                self.work(self.setup.overhead / 2);
                self.timers.push_back((self.now + self.setup.wait, call));
                What::Read
            }
        }
    }

    /// The same without phases: the next thing that happens, wherever it happens.
    fn ideal(&mut self) -> What {
        if let Some(call) = self.sockets.pop_front() {
            if !self.admits() {
                self.release();
                return What::Refused(call);
            }
            self.timers.push_back((self.now + self.setup.wait, call));
            return What::Read;
        }
        // The thread takes on the first that is ready.
        if self.hand.is_none()
            && let Some(&(due, call)) = self.timers.front()
            && due <= self.now
        {
            self.timers.pop_front();
            let until = self.now + self.setup.cpu + self.setup.overhead;
            self.meter.work(self.now, until);
            self.hand = Some((until, call));
        }
        if self.probe_at <= self.now {
            // It would fire once all that is ready before it has been done.
            let ready = self.timers.iter().take_while(|t| t.0 <= self.now).count() as u64;
            let rest = self.hand.map_or(Span::ZERO, |hand| hand.0.since(self.now));
            let lag = rest + (self.setup.cpu + self.setup.overhead) * ready;
            self.measured(lag);
            self.probe_at = self.now + lag + self.setup.probe.every;
            return What::Turned;
        }
        let end = self.hand.map_or(Time::MAX, |hand| hand.0);
        let due = if self.hand.is_some() { end } else { self.timers.front().map_or(Time::MAX, |t| t.0) };
        let sent = self.next_at.unwrap_or(Time::MAX);
        self.now = due.min(sent).min(self.probe_at).max(self.now);
        if end <= self.now
            && let Some((_, call)) = self.hand.take()
        {
            self.release();
            return What::Answered(call);
        }
        What::Slept
    }

    /// The thread works on something for so long.
    fn work(&mut self, span: Span) {
        let from = self.now;
        self.now += span;
        self.meter.work(from, self.now);
    }

    /// The probe's timer fires.
    fn fire(&mut self) {
        self.measured(self.now - self.probe_at);
        self.probe_at = self.now + self.setup.probe.every;
    }

    fn measured(&mut self, lag: Span) {
        self.lag = lag;
        self.most_lag = self.most_lag.max(lag);
        if self.now >= self.forget_at {
            self.lags.clear();
            self.forget_at = self.now + self.setup.probe.forget;
        }
        if let Door::LagP99(_) = self.setup.door {
            let lag = lag.as_us();
            let place = self.lags.partition_point(|&other| other <= lag);
            self.lags.insert(place, lag);
        }
    }

    fn admits(&mut self) -> bool {
        match self.setup.door {
            Door::Open => true,
            Door::InFlight(limit) => self.in_flight() < limit as usize,
            Door::Lag(most) => self.lag <= most,
            Door::LagP99(most) => percentile(&self.lags, 0.99).is_none_or(|lag| lag <= most.as_us()),
            Door::Cpu(most) => {
                self.meter.roll(self.now);
                self.meter.share < u64::from(most) * u64::from(self.setup.cores)
            }
        }
    }

    /// Finds out when the next request is wanted.
    fn schedule(&mut self, previous: Time) {
        let more = self.next < self.setup.requests;
        self.next_at = more.then(|| self.setup.arrivals.at(u64::from(self.next), previous, self.draws)).flatten();
    }

    /// What users wanted to send by `now` is sent, or stands in line.
    fn deliver(&mut self, now: Time) {
        while let Some(at) = self.next_at
            && at <= now
        {
            if self.free > 0 {
                self.free -= 1;
                self.sockets.push_back(Call { request: self.next, intended: at, sent: at });
            } else {
                self.line.push_back((self.next, at));
            }
            self.next += 1;
            self.schedule(at);
        }
    }

    /// A connection is free again: for the first in line, where there is one.
    fn release(&mut self) {
        self.deliver(self.now);
        match self.line.pop_front() {
            Some((request, intended)) => self.sockets.push_back(Call { request, intended, sent: self.now }),
            None => self.free += 1,
        }
    }
}
