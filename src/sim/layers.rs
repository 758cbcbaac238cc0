//! Nested layers that retry: what one request of a user becomes on its way down to the last dependency.
//!
//! Layer 0 is the one nearest the users, the last one calls the dependency. Hop k holds the calls that layer k makes.
//! Each layer answers its caller as soon as its own call does, and makes up to 1 + r calls for each request.
//!
//! [`Chain`] follows every call; [`Setup::expected`] calculates the same where a closed form is known.

use crate::budget::bucket::Bucket;
use crate::draw::Draws;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::queue::EventQueue;
use crate::time::{Span, Time};

/// The stream of the dependency's draws.
const FAULTS: u64 = 1;
/// Most calls of the first user that are kept one by one.
pub const TRACED: usize = 3_000;

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Retries for each request, after the first call.
    pub retries: u32,
    /// Its retry budget as it stands at the start, full; `None`: retries are free.
    pub budget: Option<Bucket>,
    /// How long it waits for each call. Counts for a slow dependency only.
    pub timeout: Span,
}

/// What a call to the dependency meets when it meets the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// An error, at once. Nothing takes time then, and users come one after another.
    Refuses,
    /// An answer, but late. It has room for everybody: how slow it is does not depend on the load.
    Slow {
        /// How long a call takes that does not meet the fault.
        quick: Span,
        /// How long one takes that does.
        slow: Span,
        /// Whether a layer stops, and everything below it, when its caller stops waiting.
        cancel: bool,
    },
}

/// The chain, its dependency and its users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// From the users down. At least one.
    pub layers: Vec<Layer>,
    /// The last dependency.
    pub dependency: Dependency,
    /// How many calls in a thousand meet the fault.
    pub fault: u32,
    /// How many users in a thousand share one fate for all of their calls, instead of one draw a call: an outage.
    pub together: u32,
    /// How many users, each with one request.
    pub users: u64,
    /// They come evenly over this time.
    pub over: Span,
}

/// What a closed form says.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Mean calls a user on each hop.
    pub hops: Vec<f64>,
    /// The share of users who get an error.
    pub failed: f64,
}

impl Expected {
    /// Mean calls a user that reach the dependency.
    pub fn calls(&self) -> f64 {
        self.hops.last().copied().unwrap_or(1.0)
    }

    fn mixed(parts: [(f64, Expected); 3]) -> Expected {
        let hops = parts[0].1.hops.len();
        let hop = |k: usize| parts.iter().map(|(share, e)| share * e.hops[k]).sum();
        Expected { hops: (0..hops).map(hop).collect(), failed: parts.iter().map(|(share, e)| share * e.failed).sum() }
    }
}

/// xⁿ by multiplication: the same bits on every machine.
fn power(x: f64, n: u32) -> f64 {
    (0..n).fold(1.0, |y, _| y * x)
}

/// Mean calls for one request whose calls fail independently with probability `f`: 1 + f + … + fʳ.
fn calls(f: f64, retries: u32) -> f64 {
    (0..=retries).map(|k| power(f, k)).sum()
}

/// Calls that fail fast and independently with probability `f`, through layers with these retries: each layer makes
/// (1 − fʳ⁺¹)/(1 − f) calls a request and fails with fʳ⁺¹ itself.
pub fn independent(f: f64, retries: &[u32]) -> Expected {
    let mut failed = f;
    let mut each: Vec<f64> = Vec::with_capacity(retries.len());
    for &r in retries.iter().rev() {
        each.push(calls(failed, r));
        failed = power(failed, r + 1);
    }
    let mut all = 1.0;
    let hops = each.iter().rev().map(|c| {
        all *= c;
        all
    });
    Expected { hops: hops.collect(), failed }
}

/// The most calls one request can become: ∏(1 + r).
pub fn worst(retries: &[u32]) -> u64 {
    retries.iter().map(|&r| u64::from(r) + 1).product()
}

/// How the layers' timeouts lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Timeouts {
    /// Nothing is slow enough to reach one.
    Unreached,
    /// All alike: a slow call ends the patience of all layers at the same moment.
    Alike,
    /// Each outer one is longer than all attempts below together: a slow call is an error to the last layer only.
    Nested,
}

impl Setup {
    /// Retries by layer.
    pub fn retries(&self) -> Vec<u32> {
        self.layers.iter().map(|l| l.retries).collect()
    }

    /// Whether every user meets the same: no chance, and nothing shared.
    fn alike(&self) -> bool {
        (self.fault == 0 || self.fault >= 1000) && self.layers.iter().all(|l| l.budget.is_none())
    }

    fn timeouts(&self, slow: Span) -> Option<Timeouts> {
        let last = self.layers.last()?.timeout;
        if self.layers.iter().all(|l| slow < l.timeout) {
            return Some(Timeouts::Unreached);
        }
        if self.layers.iter().all(|l| l.timeout == last) {
            return Some(Timeouts::Alike);
        }
        let below = |pair: &[Layer]| pair[1].timeout * (u64::from(pair[1].retries) + 1);
        self.layers.windows(2).all(|pair| pair[0].timeout > below(pair)).then_some(Timeouts::Nested)
    }

    /// The chain without budgets, each call meeting the fault with probability `f`.
    fn free(&self, f: f64) -> Option<Expected> {
        let retries = self.retries();
        let Dependency::Slow { slow, cancel, .. } = self.dependency else { return Some(independent(f, &retries)) };
        Some(match (self.timeouts(slow)?, cancel) {
            (Timeouts::Unreached, _) => independent(0.0, &retries),
            (Timeouts::Nested, _) => independent(f, &retries),
            (Timeouts::Alike, _) if retries.is_empty() => return None,
            // The first slow call ends all layers' attempts at once: each layer retries on its own, whatever becomes
            // of the others, and the attempts of every layer fail with f.
            (Timeouts::Alike, false) => {
                let mut all = 1.0;
                let hop = |&r: &u32| {
                    all *= calls(f, r);
                    all
                };
                Expected { hops: retries.iter().map(hop).collect(), failed: power(f, retries[0] + 1) }
            }
            // Layer 0 stops waiting, and all below stops with it: only its own retries are left.
            (Timeouts::Alike, true) => {
                Expected { hops: vec![calls(f, retries[0]); retries.len()], failed: power(f, retries[0] + 1) }
            }
        })
    }

    /// What a closed form says of this setup; `None` where none is known (budgets, unless every call is refused;
    /// timeouts of no order).
    pub fn expected(&self) -> Option<Expected> {
        if self.layers.iter().any(|l| l.budget.is_some()) {
            let saturated = self.dependency == Dependency::Refuses && self.fault >= 1000;
            return saturated.then(|| self.saturated());
        }
        let (f, together) = (f64::from(self.fault.min(1000)) / 1e3, f64::from(self.together.min(1000)) / 1e3);
        let parts =
            [(together * f, self.free(1.0)?), (together * (1.0 - f), self.free(0.0)?), (1.0 - together, self.free(f)?)];
        Some(Expected::mixed(parts))
    }

    /// Budgets when every call fails: what a layer makes of its requests is what comes to the next one.
    fn saturated(&self) -> Expected {
        let mut n = self.users;
        let hop = |l: &Layer| {
            let retries = u64::from(l.retries);
            n = l.budget.map_or(n.saturating_mul(retries + 1), |bucket| bucket.saturated(n, retries));
            n as f64 / self.users.max(1) as f64
        };
        Expected { hops: self.layers.iter().map(hop).collect(), failed: 1.0 }
    }

    /// About how many events a run has.
    pub fn cost(&self) -> u64 {
        let bare = Setup { layers: self.layers.iter().map(|l| Layer { budget: None, ..*l }).collect(), ..self.clone() };
        let free = bare.expected().unwrap_or_else(|| bare.saturated());
        let capped = self.saturated();
        let slow = self.dependency != Dependency::Refuses;
        let least = |(a, b): (&f64, &f64)| a.min(*b);
        let hops: Vec<f64> = free.hops.iter().zip(&capped.hops).map(least).collect();
        // Failing fast, an event is a call to the dependency; otherwise every call has its timeout.
        let each = hops.last().copied().unwrap_or(1.0) + if slow { 1.0 + hops.iter().sum::<f64>() } else { 0.0 };
        (each * if self.alike() { 1.0 } else { self.users as f64 }) as u64 + 1
    }
}

/// One hop's two books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Of the layer that calls.
    pub caller: CallerLedger,
    /// Of what is called. An error answer counts as refused, an answer or an effort for nobody as wasted.
    pub server: ServerLedger,
}

/// One call of the first user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The hop, from 0.
    pub hop: usize,
    /// Which attempt of its layer for its request, from 0.
    pub attempt: u32,
    /// Failing fast: how many calls had reached the dependency before. Otherwise microseconds.
    pub from: u64,
    /// The same when it was over for what was called.
    pub to: u64,
    /// When it began, somebody above had already stopped waiting for it.
    pub orphan: bool,
    /// It was answered well, and in time.
    pub ok: bool,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// One a layer.
    pub hops: Vec<Hop>,
    /// Users answered.
    pub ok: u64,
    /// Users who got an error.
    pub failed: u64,
    /// By hop: calls begun when somebody above had already stopped waiting.
    pub orphans: Vec<u64>,
    /// Most calls of one user in the dependency at once. 1 where failing is fast.
    pub at_once: u32,
    /// The longest that a user waited.
    pub longest: Span,
    /// The longest that the dependency went on working for a user after that user had gone.
    pub after: Span,
    /// The first user's calls, as they began; at most [`TRACED`].
    pub trace: Vec<Traced>,
}

/// A run of a [`Setup`], to be advanced bit by bit.
pub struct Chain {
    setup: Setup,
    draws: Draws,
    buckets: Vec<Option<Bucket>>,
    seen: Seen,
    /// How many users are followed; the others meet the same.
    users: u64,
    /// The user that comes next.
    next: u64,
    way: Way,
}

enum Way {
    Fast(Fast),
    Timed(Timed),
}

/// Failing fast: one call is under way on every hop, down to the dependency.
#[derive(Default)]
struct Fast {
    /// Calls that each layer has made for its present request.
    made: Vec<u32>,
    /// The present user's calls that reached the dependency.
    reached: u64,
    /// Where each hop's present call is kept.
    open: Vec<Option<usize>>,
    busy: bool,
}

const NONE: u32 = u32::MAX;

/// A request under way: at layer `level`, or, where there is no such layer, at the dependency.
#[derive(Clone, Copy)]
struct Node {
    /// The request of which this is an attempt; [`NONE`] for a user's own.
    parent: u32,
    user: u32,
    level: u8,
    /// Calls it has made.
    made: u8,
    /// Its caller still waits for it.
    wanted: bool,
    done: bool,
    /// Events still to come for it: the place must not be given away before.
    pending: u8,
    /// The attempt it waits for; [`NONE`] where it waits for none.
    child: u32,
    traced: u32,
}

#[derive(Clone, Copy, Default)]
struct User {
    came: Time,
    left: Option<Time>,
    reached: u32,
    inside: u32,
}

/// With time: calls overlap, and their callers may leave.
struct Timed {
    events: EventQueue,
    nodes: Vec<Node>,
    spare: Vec<u32>,
    users: Vec<User>,
    now: Time,
    quick: Span,
    slow: Span,
    cancel: bool,
}

// Kinds of event, in the top bits of `Event::what`; the rest is an index.
const COME: u32 = 0 << 30;
const ANSWER: u32 = 1 << 30;
const TIMEOUT: u32 = 2 << 30;
const INDEX: u32 = (1 << 30) - 1;

impl Chain {
    /// The chain at its start. The same setup and seed give the same run to the bit.
    pub fn new(setup: Setup, seed: u64) -> Chain {
        let users = if setup.alike() { setup.users.min(1) } else { setup.users };
        let n = setup.layers.len();
        let way = match setup.dependency {
            Dependency::Refuses => Way::Fast(Fast { made: vec![0; n], open: vec![None; n], ..Fast::default() }),
            Dependency::Slow { quick, slow, cancel } => {
                let mut events = EventQueue::with_capacity(256);
                if users > 0 {
                    events.push(Time::ZERO, COME);
                }
                let users = vec![User::default(); users as usize];
                Way::Timed(Timed {
                    events,
                    nodes: Vec::new(),
                    spare: Vec::new(),
                    users,
                    now: Time::ZERO,
                    quick,
                    slow,
                    cancel,
                })
            }
        };
        Chain {
            buckets: setup.layers.iter().map(|l| l.budget).collect(),
            seen: Seen { hops: vec![Hop::default(); n], orphans: vec![0; n], ..Seen::default() },
            draws: Draws::new(seed, FAULTS),
            setup,
            users,
            next: 0,
            way,
        }
    }

    /// Goes on for at most `events` events; whether the run is over.
    pub fn advance(&mut self, events: u64) -> bool {
        let mut left = events;
        loop {
            if self.over() {
                return true;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            match &self.way {
                Way::Fast(_) => self.fast_call(),
                Way::Timed(_) => self.timed_event(),
            }
        }
    }

    /// The share of users that have come, 0 to 1.
    pub fn share(&self) -> f64 {
        self.next as f64 / self.users.max(1) as f64
    }

    fn over(&self) -> bool {
        match &self.way {
            Way::Fast(fast) => self.next == self.users && !fast.busy,
            Way::Timed(timed) => timed.events.is_empty(),
        }
    }

    /// What the run has come to. Where all users meet the same, one was followed and is counted for all.
    pub fn outcome(&self) -> Seen {
        let mut seen = self.seen.clone();
        if self.users == self.setup.users {
            return seen;
        }
        let times = self.setup.users;
        for Hop { caller, server } in &mut seen.hops {
            let CallerLedger { attempts, ok, late, error, timeout, shed, rejected, cancelled } = caller;
            let ServerLedger { arrivals, useful, wasted, dropped_expired, refused, lost } = server;
            let callers = [attempts, ok, late, error, timeout, shed, rejected, cancelled];
            let servers = [arrivals, useful, wasted, dropped_expired, refused, lost];
            callers.into_iter().chain(servers).for_each(|n| *n *= times);
        }
        [&mut seen.ok, &mut seen.failed].into_iter().chain(&mut seen.orphans).for_each(|n| *n *= times);
        seen
    }

    /// Whether call number `nth` of `user` meets the fault.
    fn faulty(&self, user: u64, nth: u64) -> bool {
        let below = |unit: f64, permille: u32| unit * 1e3 < f64::from(permille);
        let mut fate = self.draws.at(user, 0, 0);
        if self.setup.together > 0 && below(fate.unit(), self.setup.together) {
            return below(fate.unit(), self.setup.fault);
        }
        // One user has fewer than 2³² calls: 6⁷ at most in any card.
        below(self.draws.at(user, 1, nth as u32).unit(), self.setup.fault)
    }

    /// Layer `level` wants to retry: whether it may.
    fn may_retry(&mut self, level: usize) -> bool {
        let may = self.buckets[level].as_mut().is_none_or(Bucket::withdraw);
        if !may {
            let caller = &mut self.seen.hops[level].caller;
            caller.start();
            caller.end(Ending::Rejected);
        }
        may
    }

    fn begin(&mut self, level: usize) {
        self.seen.hops[level].caller.start();
        self.seen.hops[level].server.arrive();
    }

    fn end(&mut self, level: usize, ending: Ending, fate: Fate) {
        self.seen.hops[level].caller.end(ending);
        self.seen.hops[level].server.settle(fate);
    }

    /// A request comes to layer `level`.
    fn request(&mut self, level: usize) {
        if let Some(Some(bucket)) = self.buckets.get_mut(level) {
            bucket.deposit();
        }
    }

    // ---- failing fast ----

    /// One call to the dependency, and what follows from it.
    fn fast_call(&mut self) {
        let Way::Fast(mut fast) = std::mem::replace(&mut self.way, Way::Fast(Fast::default())) else { return };
        let n = self.setup.layers.len();
        if !fast.busy {
            fast.busy = true;
            fast.reached = 0;
            self.next += 1;
            self.descend(&mut fast, 0);
        }
        let user = self.next - 1;
        let faulty = self.faulty(user, fast.reached);
        fast.reached += 1;
        let mut level = n;
        while level > 0 {
            level -= 1;
            let (ending, fate) = if faulty { (Ending::Error, Fate::Refused) } else { (Ending::Ok, Fate::Useful) };
            self.end(level, ending, fate);
            if let Some(at) = fast.open[level].take() {
                let traced = &mut self.seen.trace[at];
                (traced.to, traced.ok) = (fast.reached, !faulty);
            }
            if faulty && fast.made[level] <= self.setup.layers[level].retries && self.may_retry(level) {
                self.fast_begin(&mut fast, level);
                self.descend(&mut fast, level + 1);
                self.way = Way::Fast(fast);
                return;
            }
        }
        *(if faulty { &mut self.seen.failed } else { &mut self.seen.ok }) += 1;
        self.seen.at_once = 1;
        fast.busy = false;
        self.way = Way::Fast(fast);
    }

    /// New requests at the layers from `level` down, each with its first call.
    fn descend(&mut self, fast: &mut Fast, level: usize) {
        for below in level..self.setup.layers.len() {
            self.request(below);
            fast.made[below] = 0;
            self.fast_begin(fast, below);
        }
    }

    fn fast_begin(&mut self, fast: &mut Fast, level: usize) {
        self.begin(level);
        let attempt = fast.made[level];
        fast.made[level] += 1;
        let first_user = self.next == 1;
        fast.open[level] = self.trace(first_user, level, attempt, fast.reached, false);
    }

    fn trace(&mut self, first_user: bool, hop: usize, attempt: u32, from: u64, orphan: bool) -> Option<usize> {
        if !first_user || self.seen.trace.len() >= TRACED {
            return None;
        }
        self.seen.trace.push(Traced { hop, attempt, from, to: from, orphan, ok: false });
        Some(self.seen.trace.len() - 1)
    }

    // ---- with time ----

    fn timed_event(&mut self) {
        let Way::Timed(mut timed) = std::mem::replace(&mut self.way, Way::Fast(Fast::default())) else { return };
        if let Some(event) = timed.events.pop() {
            timed.now = event.at;
            let index = event.what & INDEX;
            match event.what & !INDEX {
                COME => self.come(&mut timed, index),
                ANSWER => self.answer(&mut timed, index),
                _ => self.time_out(&mut timed, index),
            }
        }
        self.way = Way::Timed(timed);
    }

    fn come(&mut self, timed: &mut Timed, user: u32) {
        timed.users[user as usize].came = timed.now;
        self.next += 1;
        if self.next < self.users {
            // Users are few enough for a u32, and `over` short enough for the product.
            let at = Time::ZERO + self.setup.over * self.next / self.setup.users;
            timed.events.push(at, COME | self.next as u32);
        }
        let root = timed.place(Node::new(NONE, user, 0));
        self.request(0);
        self.call(timed, root);
    }

    /// The request `node` makes a call, which makes one in turn, down to the dependency.
    fn call(&mut self, timed: &mut Timed, node: u32) {
        let mut node = node;
        loop {
            let Node { user, level, made, .. } = timed.nodes[node as usize];
            let hop = usize::from(level);
            let orphan = timed.orphan(node);
            self.begin(hop);
            self.seen.orphans[hop] += u64::from(orphan);
            let child = timed.place(Node::new(node, user, level + 1));
            let traced = self.trace(user == 0, hop, u32::from(made), timed.now.as_us(), orphan);
            timed.nodes[child as usize].traced = traced.map_or(NONE, |at| at as u32);
            let caller = &mut timed.nodes[node as usize];
            (caller.made, caller.child) = (made + 1, child);
            // The outer timeout is put in before the inner ones, and all before the answer: at the same moment, who has
            // waited longest leaves first, and an answer at the very moment of a timeout comes too late.
            timed.events.push(timed.now + self.setup.layers[hop].timeout, TIMEOUT | child);
            timed.nodes[child as usize].pending += 1;
            if hop + 1 < self.setup.layers.len() {
                self.request(hop + 1);
                node = child;
                continue;
            }
            let one = &mut timed.users[user as usize];
            let faulty = self.faulty(u64::from(user), u64::from(one.reached));
            one.reached += 1;
            one.inside += 1;
            self.seen.at_once = self.seen.at_once.max(one.inside);
            let takes = if faulty { timed.slow } else { timed.quick };
            timed.events.push(timed.now + takes, ANSWER | child);
            timed.nodes[child as usize].pending += 1;
            return;
        }
    }

    /// The dependency has done its work for `node`.
    fn answer(&mut self, timed: &mut Timed, node: u32) {
        timed.nodes[node as usize].pending -= 1;
        if timed.nodes[node as usize].done {
            timed.release(node);
            return;
        }
        // A good answer goes all the way up, as far as anybody waits for it.
        let mut node = node;
        loop {
            let Node { parent, user, wanted, .. } = timed.nodes[node as usize];
            self.close(timed, node, true);
            if parent == NONE {
                self.user_leaves(timed, user, true);
                timed.release(node);
                return;
            }
            timed.release(node);
            if !wanted {
                return;
            }
            timed.nodes[parent as usize].child = NONE;
            node = parent;
        }
    }

    /// `node` is over for itself: its own and its caller's book.
    fn close(&mut self, timed: &mut Timed, node: u32, ok: bool) {
        let now = timed.now;
        let n = self.setup.layers.len();
        let one = &mut timed.nodes[node as usize];
        one.done = true;
        if usize::from(one.level) == n {
            let user = &mut timed.users[one.user as usize];
            user.inside -= 1;
            if let Some(left) = user.left {
                self.seen.after = self.seen.after.max(now - left);
            }
        }
        if let Some(traced) = self.seen.trace.get_mut(one.traced as usize) {
            (traced.to, traced.ok) = (now.as_us(), ok && one.wanted);
        }
        let Some(hop) = usize::from(one.level).checked_sub(1) else { return };
        match (one.wanted, ok) {
            (true, true) => self.end(hop, Ending::Ok, Fate::Useful),
            (true, false) => self.end(hop, Ending::Error, Fate::Refused),
            // The caller's book was closed when it left.
            (false, _) => self.seen.hops[hop].server.settle(Fate::Wasted),
        }
    }

    fn user_leaves(&mut self, timed: &mut Timed, user: u32, ok: bool) {
        *(if ok { &mut self.seen.ok } else { &mut self.seen.failed }) += 1;
        let one = &mut timed.users[user as usize];
        one.left = Some(timed.now);
        self.seen.longest = self.seen.longest.max(timed.now - one.came);
    }

    /// The caller of `node` has waited long enough.
    fn time_out(&mut self, timed: &mut Timed, node: u32) {
        let one = &mut timed.nodes[node as usize];
        one.pending -= 1;
        if one.done {
            timed.release(node);
            return;
        }
        let Node { parent, level, .. } = *one;
        one.wanted = false;
        self.seen.hops[usize::from(level) - 1].caller.end(Ending::Timeout);
        timed.nodes[parent as usize].child = NONE;
        if timed.cancel {
            self.cancel(timed, node);
        }
        self.failed(timed, parent);
    }

    /// `node` and everything below it stops.
    fn cancel(&mut self, timed: &mut Timed, node: u32) {
        let mut node = node;
        loop {
            let child = timed.nodes[node as usize].child;
            self.close(timed, node, false);
            timed.release(node);
            if child == NONE {
                return;
            }
            timed.nodes[child as usize].wanted = false;
            self.seen.hops[usize::from(timed.nodes[child as usize].level) - 1].caller.end(Ending::Cancelled);
            node = child;
        }
    }

    /// A call of `node` has failed: it tries again, or gives up and tells its caller.
    fn failed(&mut self, timed: &mut Timed, node: u32) {
        let mut node = node;
        loop {
            let Node { parent, user, level, made, wanted, .. } = timed.nodes[node as usize];
            let level = usize::from(level);
            if u32::from(made) <= self.setup.layers[level].retries && self.may_retry(level) {
                self.call(timed, node);
                return;
            }
            self.close(timed, node, false);
            timed.release(node);
            if parent == NONE {
                self.user_leaves(timed, user, false);
                return;
            }
            if !wanted {
                return;
            }
            timed.nodes[parent as usize].child = NONE;
            node = parent;
        }
    }
}

impl Node {
    fn new(parent: u32, user: u32, level: u8) -> Node {
        let (made, pending, child, traced) = (0, 0, NONE, NONE);
        Node { parent, user, level, made, wanted: true, done: false, pending, child, traced }
    }
}

impl Timed {
    fn place(&mut self, node: Node) -> u32 {
        if let Some(place) = self.spare.pop() {
            self.nodes[place as usize] = node;
            return place;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// Gives a place away, if nothing can ask for it any more.
    fn release(&mut self, node: u32) {
        let one = &self.nodes[node as usize];
        if one.done && one.pending == 0 {
            self.spare.push(node);
        }
    }

    /// Whether somebody on the way from `node` up to the user has stopped waiting. All on that way are there: who waits
    /// for an attempt is not done.
    fn orphan(&self, node: u32) -> bool {
        let mut node = node;
        loop {
            let Node { parent, wanted, .. } = self.nodes[node as usize];
            if !wanted {
                return true;
            }
            if parent == NONE {
                return false;
            }
            node = parent;
        }
    }
}
