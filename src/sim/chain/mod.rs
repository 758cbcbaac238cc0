//! A chain of services above one server: users → layer 0 → layer 1 → … → server, request by request.
//!
//! Each layer calls the next one, waits only so long for each call, and retries; the last layer calls the server, which
//! has slots and one queue. A caller that stops waiting does not stop the work below it, unless deadlines or
//! cancellation tell it to: the call goes on, and retries, for nobody.
//!
//! Everything that guards a call is a part of its own: [`crate::backoff`], [`crate::budget`], [`crate::breaker`],
//! [`crate::admission`], [`crate::pool`], [`crate::scaler`].
//!
//! | module | what it is |
//! |---|---|
//! | [`setup`] | what there is: layers, server, load, fault, guards |
//! | [`book`] | what is written down: both ledgers a hop, seconds, moments |
//!
//! A *call* is a request at one place: level 0 is a user's request at layer 0, level k is an attempt of layer k − 1 at
//! layer k, and the last level is an attempt at the server. Hop k is the way from level k − 1's place to level k's; hop 0
//! comes from the users. A call waits for at most one call below it, its child, so a user's calls are a path, plus the
//! paths that were left behind.

pub mod book;
pub mod setup;

use crate::backoff::Memory;
use crate::breaker::textbook::Textbook;
use crate::breaker::{Admission as Pass, Breaker, Permit, Verdict};
use crate::budget::{Budget, Fault as Reason, Hold};
use crate::draw::Draws;
use crate::ledger::{Ending, Fate};
use crate::pool::{Offer, Pool};
use crate::queue::Agenda;
use crate::scaler::Scaler;
use crate::time::{Span, Time};

use book::{Book, What};
use setup::{Door, Setup};

/// The streams of the draws: when users come, how long the server works, how long a retry waits, who is throttled.
const ARRIVALS: u64 = 1;
const SERVICE: u64 = 2;
const WAITS: u64 = 3;
const THROTTLE: u64 = 4;

/// No call, no event.
const NONE: u32 = u32::MAX;

/// Bits of a call's path that one attempt takes: the path of an attempt is its parent's, and its number within that.
pub const PATH_BITS: u32 = 4;

// Kinds of event, in the top bits of `Event::what`; the rest is the call's place.
const KIND_SHIFT: u32 = 29;
const PLACE: u32 = (1 << KIND_SHIFT) - 1;
/// The next user comes.
const COME: u32 = 0;
/// Whoever waits for this call has waited long enough.
const TIMEOUT: u32 = 1;
/// A call starts its next attempt.
const RETRY: u32 = 2;
/// The server has done with a call.
const END: u32 = 3;
/// A call's error has reached whoever waits for it.
const ERROR: u32 = 4;
/// The fault begins or ends.
const FAULT: u32 = 5;
/// The autoscaler looks.
const LOOK: u32 = 6;

/// The lane of errors on their way; lane 1 + k is that of the timeouts of what waits for level k.
const ERRORS: usize = 0;

/// A call: a request at one place.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// The call that waits for this one; [`NONE`]: nobody does, or at level 0 the user may.
    parent: u32,
    /// The call that this one waits for.
    child: u32,
    user: u32,
    path: u32,
    /// The order of the timeout that counts; [`NONE`]: none.
    timer: u32,
    /// The order of its own event that counts: its retry, its end, its error.
    due: u32,
    level: u8,
    /// Attempts that it has made.
    made: u8,
    /// Whoever sent it has gone: at level 0 the user, elsewhere its parent was told to stop.
    gone: bool,
    /// It is to be dropped when its turn comes.
    dropped: bool,
    /// How it ended badly.
    ending: Ending,
    /// When its user came.
    came: Time,
    /// When it began.
    began: Time,
    /// Of the breaker of the layer that made it.
    permit: Permit,
    /// Of its layer's budget.
    hold: Hold,
    /// Of its layer's backoff.
    memory: Memory,
}

/// A layer at work.
#[derive(Clone, Debug)]
struct Layer {
    budget: Budget,
    breaker: Option<Textbook>,
    /// Requests at a time, where there is a limit.
    pool: Option<Pool>,
}

/// A run of a [`Setup`], to be advanced bit by bit.
#[derive(Clone, Debug)]
pub struct Chain {
    setup: Setup,
    arrivals: Draws,
    service: Draws,
    waits: Draws,
    throttle: Draws,
    agenda: Agenda,
    now: Time,
    calls: Vec<Call>,
    free: Vec<u32>,
    layers: Vec<Layer>,
    server: Pool,
    /// Calls that the server works on.
    working: Vec<u32>,
    down: bool,
    scaler: Option<Scaler>,
    /// Calls that their layer has taken on in this event and not begun yet.
    ready: Vec<u32>,
    /// Work that refusals have cost and no slot has paid yet.
    debt: Span,
    users: u32,
    /// Whether the door does close, once it is time to know.
    closes: Option<bool>,
    over: bool,
    book: Book,
}

impl Chain {
    /// The chain at rest. The same setup and seed give the same run to the bit.
    pub fn new(setup: Setup, seed: u64) -> Chain {
        let layer = |l: &setup::Layer| Layer {
            budget: Budget::new(l.budget),
            breaker: l.breaker.map(Textbook::new),
            pool: (l.slots != u32::MAX).then(|| Pool::new(l.slots, l.room)),
        };
        let hops = setup.layers.len() + 1;
        let mut chain = Chain {
            arrivals: Draws::new(seed, ARRIVALS),
            service: Draws::new(seed, SERVICE),
            waits: Draws::new(seed, WAITS),
            throttle: Draws::new(seed, THROTTLE),
            agenda: Agenda::new(1 + hops),
            now: Time::ZERO,
            calls: Vec::with_capacity(1024),
            free: Vec::with_capacity(1024),
            layers: setup.layers.iter().map(layer).collect(),
            server: Pool::new(setup.server.slots, u32::MAX),
            working: Vec::with_capacity(setup.server.slots.min(1024) as usize),
            down: false,
            scaler: setup.scaler.map(|rule| Scaler::new(rule, setup.server.pods)),
            ready: Vec::new(),
            debt: Span::ZERO,
            users: 0,
            closes: None,
            over: false,
            book: Book::new(hops, setup.horizon),
            setup,
        };
        chain.schedule_user();
        if let Some(fault) = chain.setup.fault {
            chain.agenda.push(fault.from, FAULT << KIND_SHIFT);
            chain.agenda.push(fault.from + fault.length, FAULT << KIND_SHIFT | 1);
        }
        if let Some(scaler) = &chain.scaler {
            let first = Time::ZERO + scaler.every();
            chain.agenda.push(first, LOOK << KIND_SHIFT);
        }
        chain
    }

    /// Keeps what happens to single calls between two moments, the first `most` of it: see [`Book::moments`].
    pub fn watch(&mut self, from: Time, to: Time, most: usize) {
        self.book.watch(from, to, most);
    }

    /// Counts those answered in time up to this moment apart: see [`Book::good_until`].
    pub fn count_until(&mut self, until: Time) {
        self.book.count_until(until);
    }

    /// Takes up to `events` events; whether the run is over. It ends at [`Setup::horizon`]: whatever is still under way
    /// then is written off.
    pub fn advance(&mut self, events: u64) -> bool {
        let end = Time::ZERO + self.setup.horizon;
        for _ in 0..events {
            if self.over {
                break;
            }
            let Some(event) = self.agenda.pop_before(end) else {
                self.finish(end);
                break;
            };
            if event.at >= self.book.next_second() {
                self.sample(event.at);
            }
            self.now = event.at;
            self.book.events += 1;
            let place = event.what & PLACE;
            match event.what >> KIND_SHIFT {
                COME => self.come(),
                TIMEOUT => {
                    if self.calls[place as usize].timer == event.order {
                        self.time_out(place);
                    }
                }
                RETRY => {
                    if self.calls[place as usize].due == event.order {
                        self.attempt(place);
                    }
                }
                END => {
                    if self.calls[place as usize].due == event.order {
                        self.end(place);
                    }
                }
                ERROR => self.error(place),
                FAULT => self.fault(place == 0),
                _ => self.look(),
            }
            while let Some(call) = self.ready.pop() {
                self.begin(call);
            }
        }
        self.over
    }

    /// Time of the last event taken.
    pub fn now(&self) -> Time {
        self.now
    }

    /// What there is.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What was written down so far.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// Calls under way, wanted or not.
    pub fn under_way(&self) -> usize {
        self.calls.len() - self.free.len()
    }

    fn depth(&self) -> u8 {
        self.setup.layers.len() as u8
    }

    // The users.

    fn schedule_user(&mut self) {
        if self.users >= self.setup.users {
            return;
        }
        let at = self.setup.arrivals.at_within(&self.setup.profile, self.users.into(), self.now, self.arrivals);
        if let Some(at) = at {
            self.agenda.push(at, COME << KIND_SHIFT);
        }
    }

    fn come(&mut self) {
        let user = self.users;
        self.users += 1;
        self.schedule_user();
        self.book.user();
        self.book.moment(self.now, user, 0, 0, What::Sent);
        if self.door_is_closed() {
            self.book.hops[0].caller.end(Ending::Rejected);
            self.book.moment(self.now, user, 0, 0, What::Ended(Ending::Rejected));
            return;
        }
        let call = self.put(Call {
            parent: NONE,
            child: NONE,
            user,
            path: 0,
            timer: NONE,
            due: NONE,
            level: 0,
            made: 0,
            gone: false,
            dropped: false,
            ending: Ending::Ok,
            came: self.now,
            began: self.now,
            permit: Permit { generation: 0, probe: false },
            hold: Hold::default(),
            memory: Memory::default(),
        });
        self.patience(call, self.setup.slo);
        self.enter(call);
    }

    fn door_is_closed(&mut self) -> bool {
        let Some(door) = self.setup.door else { return false };
        if self.now < door.from || self.now >= door.from + door.length {
            return false;
        }
        let (book, second) = (&self.book, door.from.slot(Span::s(1)));
        let needed = || {
            let (from, to) = Door::LOOK_BACK;
            let seen = second.saturating_sub(from) as usize..second.saturating_sub(to) as usize;
            let seconds = book.seconds.get(seen).unwrap_or_default();
            let (users, good) = seconds.iter().fold((0, 0), |(u, g), s| (u + s.users, g + s.good));
            good * 100 < users * 95
        };
        *self.closes.get_or_insert_with(|| !door.if_needed || needed())
    }

    /// Whoever waits for `call` does so for this long; an answer at that very microsecond still counts.
    #[inline]
    fn patience(&mut self, call: u32, timeout: Span) {
        if timeout == Span::MAX {
            return;
        }
        let level = self.calls[call as usize].level;
        let at = self.now + timeout + Span::us(1);
        self.calls[call as usize].timer = self.agenda.push_lane(1 + level as usize, at, TIMEOUT << KIND_SHIFT | call);
    }

    // A call at a layer.

    /// A call comes to its layer.
    #[inline]
    fn enter(&mut self, call: u32) {
        let level = self.calls[call as usize].level;
        self.book.hops[level as usize].server.arrive();
        match self.layers[level as usize].pool.as_mut().map_or(Offer::Start, |pool| pool.offer(call)) {
            Offer::Start => self.begin(call),
            Offer::Wait => {}
            Offer::Refuse => {
                self.book.hops[level as usize].server.settle(Fate::Refused);
                self.send_error(call, Ending::Shed);
            }
        }
    }

    /// Its layer takes it on.
    #[inline]
    fn begin(&mut self, call: u32) {
        let Call { level, dropped, .. } = self.calls[call as usize];
        if dropped {
            self.leave_layer(level);
            self.book.hops[level as usize].server.settle(Fate::DroppedExpired);
            self.remove(call);
            return;
        }
        self.layers[level as usize].budget.request(self.now);
        self.attempt(call);
    }

    /// A place at its layer becomes free.
    #[inline]
    fn leave_layer(&mut self, level: u8) {
        if let Some(pool) = &mut self.layers[level as usize].pool
            && let Some(next) = pool.finish()
        {
            self.ready.push(next);
        }
    }

    /// How long is left until `call`'s deadline; [`Span::MAX`] without one.
    #[inline]
    fn left(&self, came: Time) -> Span {
        match self.setup.deadline {
            Some(deadline) => (came + deadline).since(self.now),
            None => Span::MAX,
        }
    }

    /// A call of a layer makes its next attempt.
    fn attempt(&mut self, call: u32) {
        let Call { level, user, path, made, came, .. } = self.calls[call as usize];
        self.calls[call as usize].due = NONE;
        let (hop, now) = (level as usize + 1, self.now);
        let left = self.left(came);
        if self.setup.deadline.is_some() && left < self.setup.server.typical {
            // Nothing that starts now can be done in time.
            self.give_up(call, Ending::Timeout);
            return;
        }
        let (path, number) = (path << PATH_BITS | u32::from(made), u32::from(made));
        self.book.hops[hop].caller.start();
        self.book.moment(now, user, path, hop as u8, What::Sent);
        self.calls[call as usize].made = made + 1;
        let layer = &mut self.layers[level as usize];
        let admitted = layer.budget.admits(now, &mut self.throttle.at(user.into(), hop as u32, path));
        let pass = match &mut layer.breaker {
            _ if !admitted => Pass::Rejected,
            Some(breaker) => breaker.acquire(now),
            None => Pass::Go(Permit { generation: 0, probe: false }),
        };
        let Pass::Go(permit) = pass else {
            self.book.rejected(hop);
            self.book.moment(now, user, path, hop as u8, What::Ended(Ending::Rejected));
            self.failed(call, Ending::Rejected, number);
            return;
        };
        layer.budget.sent();
        self.book.sent(hop, made > 0);
        let child = self.put(Call {
            parent: call,
            child: NONE,
            user,
            path,
            timer: NONE,
            due: NONE,
            level: hop as u8,
            made: 0,
            gone: false,
            dropped: false,
            ending: Ending::Ok,
            came,
            began: now,
            permit,
            hold: Hold::default(),
            memory: Memory::default(),
        });
        self.calls[call as usize].child = child;
        let timeout = self.setup.layers[level as usize].timeout.min(left);
        if hop == self.depth() as usize {
            self.arrive(child, timeout);
        } else {
            self.patience(child, timeout);
            self.enter(child);
        }
    }

    /// An attempt of `call` has failed, so it is made again, or the call fails.
    fn failed(&mut self, call: u32, ending: Ending, number: u32) {
        let Call { level, user, path, came, mut hold, mut memory, .. } = self.calls[call as usize];
        let rule = &self.setup.layers[level as usize];
        let rejected = ending == Ending::Rejected;
        if number >= rule.retries || (rejected && !rule.retries_rejected) {
            self.give_up(call, ending);
            return;
        }
        let key = (path << PATH_BITS) | number;
        let wait = rule.backoff.wait(number, &mut memory, &mut self.waits.at(user.into(), u32::from(level), key));
        let left = self.left(came);
        let reason = match ending {
            Ending::Timeout => Reason::Timeout,
            Ending::Shed => Reason::Throttled,
            _ => Reason::Transient,
        };
        if (self.setup.deadline.is_some() && wait + self.setup.server.typical > left)
            || !self.layers[level as usize].budget.take(self.now, reason, &mut hold)
        {
            self.book.denied += 1;
            self.calls[call as usize].hold = hold;
            self.give_up(call, ending);
            return;
        }
        let due = self.agenda.push(self.now + wait, RETRY << KIND_SHIFT | call);
        let call = &mut self.calls[call as usize];
        (call.hold, call.memory, call.due) = (hold, memory, due);
    }

    /// A call of a layer fails for good.
    fn give_up(&mut self, call: u32, ending: Ending) {
        let level = self.calls[call as usize].level;
        self.leave_layer(level);
        let wanted = self.wanted(call);
        self.book.hops[level as usize].server.settle(if wanted { Fate::Refused } else { Fate::Wasted });
        self.send_error(call, if ending == Ending::Rejected { Ending::Error } else { ending });
    }

    // Ways back.

    /// Whether anybody still waits for what this call is part of: every caller above it, and the user.
    fn wanted(&self, mut call: u32) -> bool {
        loop {
            let Call { parent, level, gone, .. } = self.calls[call as usize];
            if gone {
                return false;
            }
            if level == 0 {
                return true;
            }
            call = parent;
        }
    }

    /// A call's error goes on its way to whoever waits for it.
    #[inline]
    fn send_error(&mut self, call: u32, ending: Ending) {
        self.calls[call as usize].ending = match ending {
            // What timed out below is an error to the one above.
            Ending::Timeout => Ending::Error,
            ending => ending,
        };
        let at = self.now + self.setup.network;
        self.agenda.push_lane(ERRORS, at, ERROR << KIND_SHIFT | call);
    }

    /// A call's error has arrived.
    fn error(&mut self, call: u32) {
        let Call { parent, level, user, path, gone, came, ending, .. } = self.calls[call as usize];
        self.remove(call);
        if level == 0 {
            self.answered_user(came);
            if !gone {
                self.book.hops[0].caller.end(ending);
                self.book.moment(self.now, user, path, 0, What::Ended(ending));
            }
        } else if !gone {
            self.attempt_failed(parent, call, ending);
        }
    }

    /// The attempt `child` of `call` has failed, or was waited for long enough.
    fn attempt_failed(&mut self, call: u32, child: u32, ending: Ending) {
        let Call { level, path, user, permit, began, .. } = self.calls[child as usize];
        self.book.hops[level as usize].caller.end(ending);
        self.book.moment(self.now, user, path, level, What::Ended(ending));
        let layer = &mut self.layers[level as usize - 1];
        if let Some(breaker) = &mut layer.breaker {
            let verdict = if ending == Ending::Timeout { Verdict::TimedOut } else { Verdict::Failed };
            breaker.report(self.now, permit, verdict, self.now - began);
        }
        let above = &mut self.calls[call as usize];
        above.child = NONE;
        layer.budget.failed(&mut above.hold);
        let number = u32::from(above.made) - 1;
        self.failed(call, ending, number);
    }

    /// A call is answered well, and with it all that waited for it.
    fn answer(&mut self, mut call: u32) {
        loop {
            let Call { parent, level, user, path, gone, came, began, permit, .. } = self.calls[call as usize];
            self.remove(call);
            if level == 0 {
                self.answered_user(came);
                if !gone {
                    self.book.hops[0].caller.end(Ending::Ok);
                    self.book.good(came, self.now);
                    self.book.moment(self.now, user, path, 0, What::Ended(Ending::Ok));
                }
                return;
            }
            if gone {
                return;
            }
            self.book.hops[level as usize].caller.end(Ending::Ok);
            self.book.moment(self.now, user, path, level, What::Ended(Ending::Ok));
            let layer = &mut self.layers[level as usize - 1];
            if let Some(breaker) = &mut layer.breaker {
                breaker.report(self.now, permit, Verdict::Ok, self.now - began);
            }
            let above = &mut self.calls[parent as usize];
            above.child = NONE;
            layer.budget.answered(self.now, &mut above.hold);
            self.leave_layer(level - 1);
            let wanted = self.wanted(parent);
            self.book.hops[level as usize - 1].server.settle(if wanted { Fate::Useful } else { Fate::Wasted });
            call = parent;
        }
    }

    fn answered_user(&mut self, came: Time) {
        let took = self.now - came;
        if let Some(scaler) = &mut self.scaler {
            scaler.answered(took);
        }
    }

    /// Whoever waits for `call` stops.
    fn time_out(&mut self, call: u32) {
        let Call { parent, level, user, path, .. } = self.calls[call as usize];
        self.calls[call as usize].timer = NONE;
        self.calls[call as usize].gone = true;
        if level == 0 {
            self.book.hops[0].caller.end(Ending::Timeout);
            self.book.moment(self.now, user, path, 0, What::Ended(Ending::Timeout));
        } else {
            self.attempt_failed(parent, call, Ending::Timeout);
        }
        if self.setup.cancel {
            self.cancel(call);
        }
    }

    /// Stops `call`, whose caller has gone, and everything below it. What waits in a queue is dropped at its turn; what the
    /// server works on, and errors on their way, go on.
    fn cancel(&mut self, mut call: u32) {
        loop {
            let Call { level, child, made, ending, .. } = self.calls[call as usize];
            if ending != Ending::Ok {
                return;
            }
            if level == self.depth() || made == 0 {
                self.calls[call as usize].dropped = true;
                return;
            }
            if child != NONE {
                let Call { user, path, began, permit, .. } = self.calls[child as usize];
                self.book.hops[level as usize + 1].caller.end(Ending::Cancelled);
                self.book.moment(self.now, user, path, level + 1, What::Ended(Ending::Cancelled));
                let layer = &mut self.layers[level as usize];
                if let Some(breaker) = &mut layer.breaker {
                    breaker.report(self.now, permit, Verdict::Ignored, self.now - began);
                }
                layer.budget.failed(&mut self.calls[call as usize].hold);
                let below = &mut self.calls[child as usize];
                (below.timer, below.gone) = (NONE, true);
            }
            self.leave_layer(level);
            self.book.hops[level as usize].server.settle(Fate::Wasted);
            self.remove(call);
            if child == NONE {
                return;
            }
            call = child;
        }
    }

    // The server.

    /// A call comes to the server, and is waited for `timeout` long.
    #[inline]
    fn arrive(&mut self, call: u32, timeout: Span) {
        let now = self.now;
        let user = self.calls[call as usize].user;
        let level = self.depth() as usize;
        self.book.hops[level].server.arrive();
        self.book.reached(user);
        let inside = self.server.in_flight();
        let refused = if self.down || inside >= self.inside_limit() {
            Some(Ending::Error)
        } else if !self.setup.server.admission.admits(inside) {
            self.debt += self.setup.server.refusal;
            Some(Ending::Shed)
        } else {
            None
        };
        if let Some(ending) = refused {
            self.book.hops[level].server.settle(Fate::Refused);
            self.book.refused();
            // A refusal comes before any patience ends, unless the network takes longer.
            if timeout < self.setup.network {
                self.patience(call, timeout);
            }
            self.send_error(call, ending);
            return;
        }
        self.patience(call, timeout);
        if self.server.offer(call) == Offer::Start {
            self.serve(now, call);
        }
        self.book.inside(self.server.in_flight());
    }

    /// How many calls the server has room for, waiting and being served.
    #[inline]
    fn inside_limit(&mut self) -> usize {
        let pods = self.pods();
        (self.setup.server.room as usize).saturating_mul(pods as usize)
    }

    fn pods(&mut self) -> u32 {
        let now = self.now;
        self.scaler.as_mut().map_or(self.setup.server.pods, |s| s.pods(now))
    }

    /// A slot takes a call on.
    fn serve(&mut self, now: Time, call: u32) {
        let Call { user, path, level, .. } = self.calls[call as usize];
        let work = self.setup.server.service.draw(&mut self.service.at(user.into(), level.into(), path));
        let work = work + core::mem::take(&mut self.debt);
        self.calls[call as usize].due = self.agenda.push(now + work, END << KIND_SHIFT | call);
        self.book.moment(now, user, path, level, What::Served);
        self.working.push(call);
    }

    /// The server has done with a call.
    fn end(&mut self, call: u32) {
        self.working.retain(|&c| c != call);
        self.next_call();
        let wanted = self.wanted(call);
        let level = self.depth() as usize;
        self.book.hops[level].server.settle(if wanted { Fate::Useful } else { Fate::Wasted });
        self.book.served(wanted);
        self.answer(call);
    }

    /// A slot is free.
    fn next_call(&mut self) {
        while let Some(call) = self.server.finish() {
            let Call { came, dropped, gone, .. } = self.calls[call as usize];
            let late = self.setup.deadline.is_some() && self.left(came) < self.setup.server.typical / 2;
            if !dropped && !late {
                self.serve(self.now, call);
                return;
            }
            let level = self.depth() as usize;
            self.book.hops[level].server.settle(Fate::DroppedExpired);
            self.book.dropped();
            if gone {
                self.remove(call);
            } else {
                self.send_error(call, Ending::Error);
            }
        }
    }

    /// The fault begins, and everything inside the server is lost with an error; or it ends.
    fn fault(&mut self, begins: bool) {
        self.down = begins;
        if !begins {
            return;
        }
        let waiting: Vec<u32> = self.server.clear().collect();
        let working = core::mem::take(&mut self.working);
        let level = self.depth() as usize;
        for call in working.into_iter().chain(waiting) {
            self.book.hops[level].server.settle(Fate::Lost);
            self.calls[call as usize].due = NONE;
            self.send_error(call, Ending::Error);
        }
    }

    /// The autoscaler looks.
    fn look(&mut self) {
        let now = self.now;
        if let Some(scaler) = &mut self.scaler {
            scaler.look(now);
            let next = now + scaler.every();
            self.agenda.push(next, LOOK << KIND_SHIFT);
        }
    }

    // Keeping book.

    /// Writes down the seconds that end before `at`.
    fn sample(&mut self, at: Time) {
        let end = (Time::ZERO + self.setup.horizon).min(at);
        while self.book.next_second() <= end {
            let then = self.book.next_second();
            self.now = self.now.max(then);
            let pods = self.pods();
            let mut states = 0u32;
            for (i, layer) in self.layers.iter().enumerate() {
                if let Some(breaker) = &layer.breaker {
                    states |= (breaker.state() as u32) << (2 * i);
                }
            }
            self.book.close_second(self.server.in_flight() as u32, pods, states);
        }
    }

    /// The horizon: what is still under way is written off.
    fn finish(&mut self, end: Time) {
        self.over = true;
        self.sample(end);
        self.now = end;
        for hop in &mut self.book.hops {
            let open = hop.caller.open().max(0) as u64;
            hop.caller.cancelled += open;
            hop.server.lost += hop.server.open().max(0) as u64;
        }
        self.book.close();
    }

    #[inline]
    fn put(&mut self, call: Call) -> u32 {
        if let Some(place) = self.free.pop() {
            self.calls[place as usize] = call;
            return place;
        }
        debug_assert!(self.calls.len() < PLACE as usize, "more than 2²⁹ calls at once");
        self.calls.push(call);
        self.calls.len() as u32 - 1
    }

    /// A call is over. Events that are still to come for it find another order in its place.
    #[inline]
    fn remove(&mut self, call: u32) {
        let slot = &mut self.calls[call as usize];
        (slot.timer, slot.due) = (NONE, NONE);
        self.free.push(call);
    }
}
