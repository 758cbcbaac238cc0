//! A service that takes orders and does what follows from them, by one of several ways; processes that crash in between.
//!
//! An order is a row in a database, and a few steps that follow it (mail, push, CRM, audit). A way says which of that happens before
//! the client has its answer, and where the rest is kept until it is done. Whatever is kept in memory dies with its process; what
//! is committed, or stored by the broker, stays. Two writes to two places are two moments, and a process can die between them.

pub mod broker;
pub mod crash;

use std::collections::VecDeque;

use crate::arrivals::{Arrivals, Rate};
use crate::draw::Draws;
use crate::law::Law;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::queue::EventQueue;
use crate::time::{Span, Time};
use broker::{Broker, Receipt};
use crash::Crashes;

/// Steps after the order at most.
pub const MOST_STEPS: usize = 8;
/// How long a client waits before it tries again, and an answer, an acknowledgement or a mark takes.
const BACKOFF: Span = Span::ms(500);
const MARK: Span = Span::ms(5);
/// How long validation takes on average.
const VALIDATE: Span = Span::ms(1);

/// Ways to take an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All in the request.
    Sync,
    /// The order is written, the client answered, the rest goes on in the process.
    Forget,
    /// The order is written, then a message sent.
    Written,
    /// A message is sent, then the order written.
    Published,
    /// The order is written, and in the same transaction a row that a relay sends later.
    Outbox,
    /// The client is answered, the order is in memory.
    Memory,
    /// The order is stored in the broker, the client answered.
    Queue,
}

/// What a handler does, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Validate,
    Write,
    Publish,
    Step(u8),
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 7] =
        [Way::Sync, Way::Forget, Way::Written, Way::Published, Way::Outbox, Way::Memory, Way::Queue];

    /// What the handler does at place `n`; `None`: it answers.
    fn stage(self, n: u8, steps: u8) -> Option<Stage> {
        use Stage::*;
        let (first, rest) = match self {
            Way::Sync | Way::Forget | Way::Outbox => (&[Validate, Write][..], self == Way::Sync),
            Way::Written => (&[Validate, Write, Publish][..], false),
            Way::Published => (&[Validate, Publish, Write][..], false),
            Way::Memory => (&[Validate][..], false),
            Way::Queue => (&[Validate, Publish][..], false),
        };
        let after = n.checked_sub(first.len() as u8);
        match after {
            None => first.get(usize::from(n)).copied(),
            Some(step) => (rest && step < steps).then_some(Step(step)),
        }
    }

    /// Whether the order itself is written by who works it off.
    const fn writes_later(self) -> bool {
        matches!(self, Way::Memory | Way::Queue)
    }
}

/// Orders, processes, clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Orders come at random at this rate,
    pub rate: Rate,
    /// for so long.
    pub length: Span,
    /// How many steps follow an order: 1 to [`MOST_STEPS`].
    pub steps: u8,
    /// How long each takes on average, and its squared coefficient of variation in thousandths; so vary all durations.
    pub step: Span,
    /// See `step`.
    pub scv_milli: u32,
    /// A transaction, on average.
    pub write: Span,
    /// Sending a message, on average.
    pub publish: Span,
    /// Requests that the service handles at a time; others wait.
    pub threads: u64,
    /// The share of transactions that roll back, in millionths.
    pub rollback_ppm: u64,
    /// How often each process crashes: on average so far apart; zero: never.
    pub crash_every: Span,
    /// How long it takes to come back.
    pub restart: Span,
    /// How long a client waits for its answer, how often it tries at most,
    pub timeout: Span,
    /// see `timeout`,
    pub attempts: u32,
    /// whether with the same idempotency key, and whether it waits for the result rather than for the answer.
    pub keyed: bool,
    /// See `keyed`.
    pub waits: bool,
    /// Messages worked at a time.
    pub workers: u64,
    /// Whether a consumer remembers what it has done.
    pub idempotent: bool,
    /// How long a message that is taken is hidden.
    pub visible: Span,
    /// The relay looks so often, and sends so many rows at a time.
    pub poll: Span,
    /// See `poll`.
    pub batch: usize,
    /// When the broker is down.
    pub down_at: Time,
    /// For how long.
    pub down_for: Span,
}

/// One order, as its client means it.
#[derive(Clone, Debug)]
pub struct Order {
    /// When the client began.
    pub at: Time,
    /// Attempts so far.
    pub attempts: u32,
    /// When the client was told that it is well; [`Time::MAX`]: not.
    pub told: Time,
    /// When all of it was done for the first time; [`Time::MAX`]: not.
    pub done: Time,
    /// Rows in the database.
    pub rows: u32,
    /// How often each step was done.
    pub steps: [u32; MOST_STEPS],
    /// It was rolled back.
    pub rolled: bool,
    /// The client has ended.
    ended: bool,
    /// Its job, where one key is one job.
    job: Option<u32>,
    /// The attempt that waits for the result.
    waiter: Option<u32>,
}

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fared {
    /// One row, each step once.
    Once,
    /// Nothing at all was done, and nobody was told that it would be.
    Nothing,
    /// Written or promised, and a step was never done.
    Lost,
    /// A step was done for an order that does not exist.
    Ghost,
    /// Two rows, or a step done twice.
    Twice,
}

/// A piece of work: an order to be worked off, in memory or in a message.
#[derive(Clone, Copy, Debug)]
struct Job {
    order: u32,
    written: bool,
    done: [bool; MOST_STEPS],
}

#[derive(Clone, Copy, Debug)]
struct Attempt {
    order: u32,
    n: u32,
    /// When the client stopped looking; what the server has made of it is settled.
    ended: bool,
    settled: bool,
    /// The life of the service in which it is handled, and how far it is.
    life: u32,
    stage: u8,
    /// It has a thread.
    holds: bool,
}

/// Work under way: in the service's memory, or by a worker with a receipt.
#[derive(Clone, Copy, Debug)]
struct Work {
    job: u32,
    receipt: Option<Receipt>,
    life: u32,
    at: u8,
    /// For draws: the how-manieth time.
    turn: u32,
}

const KIND: u32 = 27;
const COMES: u32 = 0;
const AGAIN: u32 = 1;
const STAGE: u32 = 2;
const TIMEOUT: u32 = 3;
const WORKED: u32 = 4;
const ACK: u32 = 5;
const EXPIRE: u32 = 6;
const LOOK: u32 = 7;
const SENT: u32 = 8;
const MARKED: u32 = 9;
const DIES: u32 = 10;
const BACK: u32 = 11;
const BROKER: u32 = 12;
const ANSWERED: u32 = 13;

/// The processes.
const API: usize = 0;
const WORKER: usize = 1;
const RELAY: usize = 2;

/// Hops of the draws.
const OF_ORDER: u32 = 1;
const PUBLISH: u32 = 2;
const WRITE: u32 = 3;
const CHECK: u32 = 4;
const STEP: u32 = 16;
const DEATH: u32 = 64;

/// A service that takes orders in one way.
pub struct Shop {
    way: Way,
    setup: Setup,
    draws: Draws,
    queue: EventQueue,
    /// Service, worker, relay.
    processes: [Crashes; 3],
    /// All orders so far.
    pub orders: Vec<Order>,
    attempts: Vec<Attempt>,
    /// Those that have come in the service's present life.
    inside: Vec<u32>,
    jobs: Vec<Job>,
    works: Vec<Work>,
    busy: u64,
    line: VecDeque<u32>,
    /// Jobs in memory that wait, and work under way there or at the workers.
    memory: VecDeque<u32>,
    working: u64,
    /// The broker.
    pub broker: Broker,
    /// Rows of the outbox that are not marked, and how many of them are on their way.
    rows: VecDeque<u32>,
    sending: usize,
    looks: bool,
    /// Orders told and not done.
    pub open: u64,
    /// Events so far.
    pub events: u64,
    /// When the last one was.
    pub now: Time,
    /// The clients' ledger.
    pub caller: CallerLedger,
    /// The service's.
    pub server: ServerLedger,
}

impl Shop {
    /// At its start.
    pub fn new(setup: Setup, way: Way, draws: Draws) -> Shop {
        let until = Time::ZERO + setup.length;
        let process = |n| Crashes::new(setup.crash_every, setup.restart, until, draws, DEATH + n);
        let mut shop = Shop {
            way,
            setup,
            draws,
            queue: EventQueue::default(),
            processes: [0, 1, 2].map(process),
            orders: Vec::new(),
            attempts: Vec::new(),
            inside: Vec::new(),
            jobs: Vec::new(),
            works: Vec::new(),
            busy: 0,
            line: VecDeque::new(),
            memory: VecDeque::new(),
            working: 0,
            broker: Broker::default(),
            rows: VecDeque::new(),
            sending: 0,
            looks: false,
            open: 0,
            events: 0,
            now: Time::ZERO,
            caller: CallerLedger::default(),
            server: ServerLedger::default(),
        };
        shop.aim(0, Time::ZERO);
        shop.fate(API);
        if matches!(way, Way::Written | Way::Published | Way::Outbox | Way::Queue) {
            shop.fate(WORKER);
        }
        if way == Way::Outbox {
            shop.fate(RELAY);
        }
        if setup.down_for > Span::ZERO {
            shop.push(setup.down_at + setup.down_for, BROKER, 0);
        }
        shop
    }

    fn push(&mut self, at: Time, kind: u32, id: u32) {
        self.queue.push(at, kind << KIND | id);
    }

    fn aim(&mut self, n: u32, previous: Time) {
        let next = Arrivals::Poisson { rate: self.setup.rate }.at(u64::from(n), previous, self.draws);
        if let Some(at) = next.filter(|&at| at < Time::ZERO + self.setup.length) {
            self.push(at, COMES, n);
        }
    }

    fn fate(&mut self, process: usize) {
        if let Some(at) = self.processes[process].next() {
            self.push(at, DIES, process as u32);
        }
    }

    /// When the next event is; `None`: there is none.
    pub fn next(&self) -> Option<Time> {
        self.queue.peek().map(|event| event.at)
    }

    /// The next event; whether there was one.
    pub fn step(&mut self) -> bool {
        let Some(event) = self.queue.pop() else { return false };
        self.now = event.at;
        self.events += 1;
        let id = event.what & ((1 << KIND) - 1);
        match event.what >> KIND {
            COMES => {
                self.comes(id);
                self.aim(id + 1, self.now);
            }
            AGAIN => self.attempt(id),
            STAGE => self.staged(id),
            TIMEOUT => self.timed_out(id),
            WORKED => self.worked(id),
            ACK => self.acknowledged(id),
            EXPIRE => {
                if let Some(receipt) = self.works[id as usize].receipt {
                    self.broker.expire(receipt);
                    self.hire();
                }
            }
            LOOK => self.look(id),
            SENT => self.sent(id),
            MARKED => self.marked(id),
            DIES => self.dies(id as usize),
            BACK => self.is_back(id as usize),
            ANSWERED => {
                if self.attempts[id as usize].life == self.processes[API].lives {
                    self.tells(id);
                }
            }
            _ => self.hire(),
        }
        true
    }

    fn down(&self) -> bool {
        self.now >= self.setup.down_at && self.now < self.setup.down_at + self.setup.down_for
    }

    /// A duration of this mean, for the `turn`-th time of an order.
    fn takes(&self, mean: Span, order: u32, hop: u32, turn: u32) -> Span {
        let law = Law::LogNormal { mean, scv_milli: self.setup.scv_milli };
        law.draw(&mut self.draws.at(u64::from(order), hop, turn))
    }

    fn comes(&mut self, n: u32) {
        let rolled = self.draws.at(u64::from(n), OF_ORDER, 0).below(1_000_000) < self.setup.rollback_ppm;
        self.orders.push(Order {
            at: self.now,
            attempts: 0,
            told: Time::MAX,
            done: Time::MAX,
            rows: 0,
            steps: [0; MOST_STEPS],
            rolled,
            ended: false,
            job: None,
            waiter: None,
        });
        self.attempt(n);
    }

    fn attempt(&mut self, order: u32) {
        let of = &mut self.orders[order as usize];
        let n = of.attempts;
        of.attempts += 1;
        let id = self.attempts.len() as u32;
        let life = self.processes[API].lives;
        self.attempts.push(Attempt { order, n, ended: false, settled: false, life, stage: 0, holds: false });
        self.caller.start();
        self.server.arrive();
        if !self.processes[API].runs {
            self.settle(id, Fate::Lost);
            self.fails(id, Ending::Error);
            return;
        }
        self.inside.push(id);
        self.push(self.now + self.setup.timeout, TIMEOUT, id);
        if self.busy < self.setup.threads {
            self.begin(id);
        } else {
            self.line.push_back(id);
        }
    }

    fn begin(&mut self, id: u32) {
        self.busy += 1;
        self.attempts[id as usize].holds = true;
        self.go_on(id);
    }

    /// The handler's next stage, or its answer.
    fn go_on(&mut self, id: u32) {
        let Attempt { order, n, stage, .. } = self.attempts[id as usize];
        let takes = match self.way.stage(stage, self.setup.steps) {
            None => return self.answers(id),
            Some(Stage::Validate) => self.takes(VALIDATE, order, CHECK, n),
            Some(Stage::Write) => self.takes(self.setup.write, order, WRITE, n),
            Some(Stage::Publish) => self.takes(self.setup.publish, order, PUBLISH, n),
            Some(Stage::Step(step)) => self.takes(self.setup.step, order, STEP + u32::from(step), n),
        };
        self.push(self.now + takes, STAGE, id);
    }

    /// A stage of a handler has ended.
    fn staged(&mut self, id: u32) {
        let Attempt { order, stage, life, .. } = self.attempts[id as usize];
        if life != self.processes[API].lives {
            return;
        }
        self.attempts[id as usize].stage += 1;
        match self.way.stage(stage, self.setup.steps) {
            Some(Stage::Write) => {
                let of = &mut self.orders[order as usize];
                if self.setup.keyed && of.rows > 0 {
                    // The key is taken: what is stored is the answer.
                    return self.answers(id);
                }
                if of.rolled {
                    return self.refuses(id, false);
                }
                of.rows += 1;
                if self.way == Way::Outbox {
                    let job = self.job(order, true);
                    self.rows.push_back(job);
                    self.wake();
                }
            }
            Some(Stage::Publish) => {
                if self.down() {
                    return self.refuses(id, true);
                }
                let job = self.job(order, !self.way.writes_later());
                self.broker.publish(job);
                self.hire();
            }
            Some(Stage::Step(step)) => self.does(order, usize::from(step)),
            _ => {}
        }
        self.go_on(id);
    }

    /// The job of an order: one for one key, else a new one.
    fn job(&mut self, order: u32, written: bool) -> u32 {
        if let Some(job) = self.orders[order as usize].job.filter(|_| self.setup.keyed) {
            return job;
        }
        let job = self.jobs.len() as u32;
        self.jobs.push(Job { order, written, done: [false; MOST_STEPS] });
        self.orders[order as usize].job = Some(job);
        job
    }

    /// A step of an order is done.
    fn does(&mut self, order: u32, step: usize) {
        let steps = usize::from(self.setup.steps);
        let of = &mut self.orders[order as usize];
        of.steps[step] += 1;
        if of.done == Time::MAX && of.steps[..steps].iter().all(|&n| n > 0) {
            of.done = self.now;
            if of.told < Time::MAX {
                self.open -= 1;
            }
            if let Some(waiter) = of.waiter.take() {
                self.push(self.now + MARK, ANSWERED, waiter);
            }
        }
    }

    /// The handler is through, all well.
    fn answers(&mut self, id: u32) {
        let Attempt { order, n, .. } = self.attempts[id as usize];
        match self.way {
            Way::Forget if self.attempts[id as usize].stage >= 2 && !self.known(order) => {
                let job = self.job(order, true);
                self.work(job, None, n);
            }
            Way::Memory => {
                let job = self.job(order, false);
                self.memory.push_back(job);
                self.hire();
            }
            _ => {}
        }
        let of = &mut self.orders[order as usize];
        if self.setup.waits && of.done == Time::MAX && !self.attempts[id as usize].ended {
            of.waiter = Some(id);
            return;
        }
        // All is done, and the answer can still be lost.
        self.push(self.now + MARK, ANSWERED, id);
    }

    /// Whether the steps of an order were begun in the process, under its key.
    fn known(&self, order: u32) -> bool {
        self.setup.keyed && self.orders[order as usize].job.is_some()
    }

    /// The client has its 2xx, if it still looks.
    fn tells(&mut self, id: u32) {
        let Attempt { order, ended, .. } = self.attempts[id as usize];
        self.settle(id, if ended { Fate::Wasted } else { Fate::Useful });
        self.frees(id);
        if ended {
            return;
        }
        self.attempts[id as usize].ended = true;
        self.caller.end(Ending::Ok);
        let of = &mut self.orders[order as usize];
        of.ended = true;
        if of.told == Time::MAX {
            of.told = self.now;
            self.open += u64::from(of.done == Time::MAX);
        }
    }

    /// The handler says no: 503 where the broker is down, which the client tries again, or that the transaction failed.
    fn refuses(&mut self, id: u32, again: bool) {
        self.settle(id, Fate::Refused);
        self.frees(id);
        if again {
            return self.fails(id, Ending::Shed);
        }
        if !std::mem::replace(&mut self.attempts[id as usize].ended, true) {
            self.caller.end(Ending::Error);
            self.orders[self.attempts[id as usize].order as usize].ended = true;
        }
    }

    /// What the server made of an attempt, once.
    fn settle(&mut self, id: u32, fate: Fate) {
        if !std::mem::replace(&mut self.attempts[id as usize].settled, true) {
            self.server.settle(fate);
        }
    }

    /// An attempt's thread takes the next in line.
    fn frees(&mut self, id: u32) {
        if std::mem::replace(&mut self.attempts[id as usize].holds, false) {
            self.busy -= 1;
            if let Some(next) = self.line.pop_front() {
                self.begin(next);
            }
        }
    }

    /// The client's attempt has failed; it may try again.
    fn fails(&mut self, id: u32, ending: Ending) {
        let attempt = &mut self.attempts[id as usize];
        if std::mem::replace(&mut attempt.ended, true) {
            return;
        }
        self.caller.end(ending);
        let order = attempt.order;
        let of = &mut self.orders[order as usize];
        if of.attempts < self.setup.attempts {
            // After a 503 as long as its Retry-After says.
            self.push(self.now + if ending == Ending::Shed { Span::s(1) } else { BACKOFF }, AGAIN, order);
        } else {
            of.ended = true;
        }
    }

    fn timed_out(&mut self, id: u32) {
        let Attempt { order, ended, .. } = self.attempts[id as usize];
        if ended {
            return;
        }
        let of = &mut self.orders[order as usize];
        if of.waiter == Some(id) {
            // Who only waited for the result has nothing left to do here.
            of.waiter = None;
            self.settle(id, Fate::Wasted);
            self.frees(id);
        }
        self.fails(id, Ending::Timeout);
    }

    fn dies(&mut self, process: usize) {
        let back = self.processes[process].dies(self.now);
        self.push(back, BACK, process as u32);
        match process {
            API => {
                self.line.clear();
                self.memory.clear();
                self.busy = 0;
                if self.in_process() {
                    self.working = 0;
                }
                for id in std::mem::take(&mut self.inside) {
                    let attempt = &mut self.attempts[id as usize];
                    if attempt.settled {
                        continue;
                    }
                    attempt.holds = false;
                    let order = attempt.order;
                    self.orders[order as usize].waiter = None;
                    self.settle(id, Fate::Lost);
                    self.fails(id, Ending::Error);
                }
            }
            WORKER => self.working = 0,
            _ => (self.sending, self.looks) = (0, false),
        }
    }

    fn is_back(&mut self, process: usize) {
        self.processes[process].is_back(self.now);
        self.fate(process);
        match process {
            RELAY => self.wake(),
            _ => self.hire(),
        }
    }

    /// Whether the rest is worked off in the service's own process.
    fn in_process(&self) -> bool {
        matches!(self.way, Way::Forget | Way::Memory)
    }

    fn worker(&self) -> usize {
        if self.in_process() { API } else { WORKER }
    }

    /// Free workers take what there is.
    fn hire(&mut self) {
        if !self.processes[self.worker()].runs {
            return;
        }
        while self.working < self.setup.workers {
            let next = if self.way == Way::Memory {
                self.memory.pop_front().map(|job| (None, job))
            } else if self.down() {
                None
            } else {
                self.broker.take().map(|(receipt, job)| (Some(receipt), job))
            };
            let Some((receipt, job)) = next else { return };
            self.working += 1;
            self.work(job, receipt, receipt.map_or(0, |r| r.taken));
        }
    }

    fn work(&mut self, job: u32, receipt: Option<Receipt>, turn: u32) {
        let id = self.works.len() as u32;
        let life = self.processes[self.worker()].lives;
        self.works.push(Work { job, receipt, life, at: 0, turn });
        if receipt.is_some() {
            self.push(self.now + self.setup.visible, EXPIRE, id);
        }
        self.continue_work(id);
    }

    /// The next thing to do of some work. An idempotent consumer leaves out what it has done.
    fn continue_work(&mut self, id: u32) {
        let steps = self.setup.steps;
        let Work { job, mut at, turn, receipt, .. } = self.works[id as usize];
        let Job { order, written, done } = self.jobs[job as usize];
        let skips = |at: u8| match at {
            0 => written && (self.setup.idempotent || !self.way.writes_later()),
            step => self.setup.idempotent && done[usize::from(step) - 1],
        };
        while at <= steps && skips(at) {
            at += 1;
        }
        self.works[id as usize].at = at;
        if at > steps {
            match receipt {
                Some(_) => self.push(self.now + MARK, ACK, id),
                None => self.retire(),
            }
            return;
        }
        let takes = if at == 0 {
            self.takes(self.setup.write, order, WRITE, turn)
        } else {
            self.takes(self.setup.step, order, STEP + u32::from(at) - 1, turn)
        };
        self.push(self.now + takes, WORKED, id);
    }

    /// A worker is free again.
    fn retire(&mut self) {
        if self.way != Way::Forget {
            self.working -= 1;
            self.hire();
        }
    }

    /// A thing that a worker did is done.
    fn worked(&mut self, id: u32) {
        let Work { job, receipt, life, at, .. } = self.works[id as usize];
        if life != self.processes[self.worker()].lives {
            return;
        }
        let Job { order, written, done } = self.jobs[job as usize];
        if at == 0 {
            if self.orders[order as usize].rolled {
                // The job fails for good.
                match receipt {
                    Some(_) => self.push(self.now + MARK, ACK, id),
                    None => self.retire(),
                }
                let of = &mut self.orders[order as usize];
                if std::mem::replace(&mut of.done, self.now) == Time::MAX && of.told < Time::MAX {
                    self.open -= 1;
                }
                if let Some(waiter) = of.waiter.take() {
                    self.refuses(waiter, false);
                }
                return;
            }
            // Somebody else may have written it meanwhile.
            if !(written && self.setup.idempotent) {
                self.orders[order as usize].rows += 1;
            }
            self.jobs[job as usize].written = true;
        } else {
            let step = usize::from(at) - 1;
            if !(done[step] && self.setup.idempotent) {
                self.does(order, step);
            }
            self.jobs[job as usize].done[step] = true;
        }
        self.works[id as usize].at += 1;
        self.continue_work(id);
    }

    fn acknowledged(&mut self, id: u32) {
        let Work { receipt, life, .. } = self.works[id as usize];
        if life != self.processes[WORKER].lives {
            return;
        }
        if let Some(receipt) = receipt.filter(|_| !self.down()) {
            self.broker.acknowledge(receipt);
        }
        self.retire();
    }

    /// The relay has something to look for.
    fn wake(&mut self) {
        if self.processes[RELAY].runs && !self.looks && !self.rows.is_empty() {
            self.looks = true;
            self.push(self.now + self.setup.poll, LOOK, self.processes[RELAY].lives);
        }
    }

    /// The relay looks into the outbox.
    fn look(&mut self, life: u32) {
        if life != self.processes[RELAY].lives {
            return;
        }
        self.sending = self.rows.len().min(self.setup.batch);
        let first = self.rows.front().map_or(0, |&job| self.jobs[job as usize].order);
        let takes = self.takes(self.setup.publish, first, PUBLISH, 100);
        self.push(self.now + takes, SENT, life);
    }

    /// Its batch is sent, if the broker takes it.
    fn sent(&mut self, life: u32) {
        if life != self.processes[RELAY].lives {
            return;
        }
        if self.down() {
            // It does not knock at a closed door all the time.
            return self.push(self.now + self.setup.poll.max(Span::s(1)), LOOK, life);
        }
        for n in 0..self.sending {
            self.broker.publish(self.rows[n]);
        }
        self.hire();
        self.push(self.now + MARK, MARKED, life);
    }

    /// And marked, so that it is not sent again.
    fn marked(&mut self, life: u32) {
        if life != self.processes[RELAY].lives {
            return;
        }
        self.rows.drain(..self.sending);
        (self.sending, self.looks) = (0, false);
        self.wake();
    }

    /// What became of an order, as things stand.
    pub fn fared(&self, order: &Order) -> Fared {
        let steps = &order.steps[..usize::from(self.setup.steps)];
        let some = steps.iter().any(|&n| n > 0);
        let promised = order.told < Time::MAX && !order.rolled;
        if order.rows > 1 || steps.iter().any(|&n| n > 1) && order.rows > 0 {
            Fared::Twice
        } else if some && order.rows == 0 {
            Fared::Ghost
        } else if (order.rows > 0 || promised) && steps.contains(&0) {
            Fared::Lost
        } else if order.rows > 0 {
            Fared::Once
        } else {
            Fared::Nothing
        }
    }

    /// How many pieces of work there were: a message each, where they go through the broker.
    pub fn asked(&self) -> u64 {
        self.jobs.len() as u64
    }

    /// How long each stage of a handler that does everything takes for an order at the first attempt: check, write, the steps.
    pub fn stages(&self, order: u32) -> impl Iterator<Item = Span> {
        let Setup { step, write, steps, .. } = self.setup;
        let later = (0..u32::from(steps)).map(move |n| (step, STEP + n));
        let all = [(VALIDATE, CHECK), (write, WRITE)].into_iter().chain(later);
        all.map(move |(mean, hop)| self.takes(mean, order, hop, 0))
    }
}
