//! A producer, a buffer and a consumer that may be slower: what happens to the difference.
//!
//! Four ways: a buffer without bound; one with a bound that drops; a high-water mark at which the producer stops; a consumer that
//! asks for what it can take. The buffer is what is inside: waiting, and being worked on.

use crate::arrivals::{Arrivals, Profile};
use crate::draw::Draws;
use crate::law::Law;
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::pool::{Offer, Pool};
use crate::queue::EventQueue;
use crate::record::{Bins, Level, Samples};
use crate::time::{Span, Time};

/// A high-water mark: who writes is told when to stop, and when to go on.
///
/// As Node's `stream.Writable` in object mode (executed): `write()` takes the item in any case and returns false once the mark is
/// reached, and `drain` comes when all is gone. There `low` is 0; others go on sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighWater {
    mark: u32,
    low: u32,
    held: u32,
    needs_drain: bool,
}

impl HighWater {
    /// Nothing inside. Full from `mark` items on (0 counts as 1); after that, `drain` at `low` or fewer.
    pub fn new(mark: u32, low: u32) -> HighWater {
        HighWater { mark: mark.max(1), low, held: 0, needs_drain: false }
    }

    /// An item comes in; whether more may follow at once.
    pub fn write(&mut self) -> bool {
        self.held += 1;
        let more = self.held < self.mark;
        self.needs_drain |= !more;
        more
    }

    /// An item is done; whether that is the `drain` for which somebody waits.
    pub fn done(&mut self) -> bool {
        self.held = self.held.saturating_sub(1);
        let drain = self.needs_drain && self.held <= self.low;
        self.needs_drain &= !drain;
        drain
    }

    /// Items inside.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// Whether who writes should wait.
    pub fn full(&self) -> bool {
        self.needs_drain
    }
}

/// What limits the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Nothing.
    Unbounded,
    /// At most so many inside; what does not fit is dropped.
    Drop {
        /// Most items inside.
        limit: u32,
        /// The one that has waited longest goes, not the one that comes.
        oldest: bool,
    },
    /// The producer waits for `drain`.
    Signal {
        /// From how many items on.
        mark: u32,
        /// At how many it goes on.
        low: u32,
    },
    /// The producer gives what it was asked for: nothing is sent without being asked.
    Pull {
        /// How many items the consumer asks for at a time.
        batch: u32,
        /// It asks when so many are left, or fewer.
        low: u32,
        /// How long the question takes.
        trip: Span,
    },
}

/// Producer, buffer, consumer.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// When the producer would make its items, if nobody stopped it,
    pub arrivals: Arrivals,
    /// with a burst, if there is one,
    pub profile: Option<Profile>,
    /// for so long. It makes as many items as lie within that, however long it takes.
    pub length: Span,
    /// Items worked on at a time.
    pub workers: u32,
    /// How long one takes.
    pub work: Law,
    /// What limits the buffer.
    pub flow: Flow,
    /// The producer can wait: stopped, it makes the next item later. One that cannot loses it.
    pub can_wait: bool,
    /// After this an item is late.
    pub deadline: Span,
    /// Items that the memory holds; one more, and the process dies with all of them.
    pub memory: u32,
    /// How long it is gone then.
    pub restart: Span,
}

const KIND: u32 = 30;
const WORKED: u32 = 0;
const ASKED: u32 = 1;
const BACK: u32 = 2;
/// The stream of the items' work; the caller's draws are those of the arrivals.
const WORK: u32 = 1;

/// A run.
pub struct Stream {
    setup: Setup,
    draws: Draws,
    queue: EventQueue,
    pool: Pool,
    mark: HighWater,
    /// Items that the producer may still send where it is asked.
    credit: u32,
    asked: bool,
    /// The process is gone until it is back.
    down: bool,
    lives: u32,
    /// When the next item is made, when that was planned, and how much later than planned all are.
    due: Option<Time>,
    planned: Time,
    shift: Span,
    pending: Option<Time>,
    /// When each item was made, and in which life of the process.
    made: Vec<(Time, u32)>,
    next: u64,
    /// Events so far.
    pub done: u64,
    /// When the last one was.
    pub now: Time,
    /// When the last item was done.
    pub finished: Time,
    /// Items wanted, made and taken in, dropped, refused at the source, lost with the process.
    pub wanted: u64,
    /// See `wanted`.
    pub dropped: u64,
    /// See `wanted`.
    pub turned_away: u64,
    /// See `wanted`.
    pub crashed: u64,
    /// How often the process died.
    pub crashes: u32,
    /// Done in time, and late.
    pub in_time: u64,
    /// See `in_time`.
    pub late: u64,
    /// Ages of items when they were done: of those in time, and of all.
    pub fresh: Samples,
    /// See `fresh`.
    pub ages: Samples,
    /// When an item was done, and how old it was.
    pub log: Vec<(Time, Span)>,
    /// Items inside after each change.
    pub rows: Vec<(Time, u32)>,
    /// Items inside.
    pub level: Level,
    /// Items being worked on.
    pub busy: Level,
    /// When the producer stood still; the last may still be open, up to [`Time::MAX`].
    pub stops: Vec<(Time, Time)>,
    /// When items were dropped or turned away.
    pub losses: Vec<Time>,
    /// When the process was gone.
    pub outages: Vec<(Time, Time)>,
    /// Items sent, by tenths of a second.
    pub sent: Bins,
    /// The producer's ledger.
    pub caller: CallerLedger,
    /// The consumer's.
    pub server: ServerLedger,
}

/// Width of [`Stream::sent`]'s bins.
pub const SENT: Span = Span::ms(100);

impl Stream {
    /// At its start.
    pub fn new(setup: Setup, draws: Draws) -> Stream {
        let mark = match setup.flow {
            Flow::Signal { mark, low } => HighWater::new(mark, low),
            _ => HighWater::new(u32::MAX, 0),
        };
        let mut stream = Stream {
            pool: Pool::new(setup.workers, u32::MAX),
            mark,
            draws,
            queue: EventQueue::default(),
            credit: 0,
            asked: false,
            down: false,
            lives: 0,
            due: None,
            planned: Time::ZERO,
            shift: Span::ZERO,
            pending: None,
            made: Vec::new(),
            next: 0,
            done: 0,
            now: Time::ZERO,
            finished: Time::ZERO,
            wanted: 0,
            dropped: 0,
            turned_away: 0,
            crashed: 0,
            crashes: 0,
            in_time: 0,
            late: 0,
            fresh: Samples::default(),
            ages: Samples::default(),
            log: Vec::new(),
            rows: Vec::new(),
            level: Level::default(),
            busy: Level::default(),
            stops: Vec::new(),
            losses: Vec::new(),
            outages: Vec::new(),
            sent: Bins::new(SENT, 3_000),
            caller: CallerLedger::default(),
            server: ServerLedger::default(),
            setup,
        };
        stream.ask();
        stream.plan();
        stream
    }

    /// The next event; whether there was one. What comes meets what is done at the same moment still inside.
    pub fn step(&mut self) -> bool {
        let ending = self.queue.peek().map(|event| event.at);
        match (ending, self.due) {
            (Some(end), due) if due.is_none_or(|due| end < due) => {
                let Some(event) = self.queue.pop() else { return false };
                self.now = event.at;
                let id = event.what & ((1 << KIND) - 1);
                match event.what >> KIND {
                    WORKED => self.worked(id),
                    ASKED => self.given(id),
                    _ => self.back(),
                }
            }
            (_, Some(due)) => {
                self.due = None;
                self.now = due;
                self.make();
            }
            _ => return false,
        }
        self.done += 1;
        true
    }

    /// What the consumer asked for is granted; a question of an earlier life is not.
    fn given(&mut self, life: u32) {
        if let Flow::Pull { batch, .. } = self.setup.flow
            && life == self.lives
        {
            self.credit += batch;
            self.asked = false;
            self.go_on();
        }
    }

    /// When the last item was taken in.
    pub fn last_sent(&self) -> Time {
        self.made.last().map_or(Time::ZERO, |made| made.0)
    }

    fn push(&mut self, at: Time, kind: u32, id: u32) {
        self.queue.push(at, kind << KIND | id);
    }

    /// When the producer makes its next item.
    fn plan(&mut self) {
        let Setup { arrivals, profile, length, .. } = &self.setup;
        let at = match profile {
            Some(profile) => arrivals.at_within(profile, self.next, self.planned, self.draws),
            None => arrivals.at(self.next, self.planned, self.draws),
        };
        let Some(at) = at.filter(|&at| at < Time::ZERO + *length) else { return };
        self.planned = at;
        self.next += 1;
        self.wanted += 1;
        self.due = Some(at + self.shift);
    }

    /// Whether the producer may not send.
    fn stopped(&self) -> bool {
        match self.setup.flow {
            Flow::Unbounded | Flow::Drop { .. } => false,
            Flow::Signal { .. } => self.down || self.mark.full(),
            Flow::Pull { .. } => self.down || self.credit == 0,
        }
    }

    fn make(&mut self) {
        if !self.stopped() {
            self.send();
            self.plan();
        } else if self.setup.can_wait {
            self.pending = Some(self.now);
            self.stops.push((self.now, Time::MAX));
        } else {
            self.refuse();
            self.turned_away += 1;
            self.plan();
        }
    }

    /// The producer may send again.
    fn go_on(&mut self) {
        if self.stopped() {
            return;
        }
        if let Some(since) = self.pending.take() {
            self.shift += self.now - since;
            if let Some(last) = self.stops.last_mut() {
                last.1 = self.now;
            }
            self.send();
            self.plan();
        }
    }

    /// An item that nobody takes in.
    fn refuse(&mut self) {
        self.losses.push(self.now);
        self.caller.start();
        self.caller.end(Ending::Shed);
        self.server.arrive();
        self.server.settle(Fate::Refused);
    }

    fn send(&mut self) {
        self.sent.add(self.now);
        if self.down {
            self.dropped += 1;
            return self.refuse();
        }
        if let Flow::Drop { limit, oldest } = self.setup.flow
            && self.pool.in_flight() >= limit as usize
        {
            self.dropped += 1;
            match if oldest { self.pool.drop_oldest() } else { None } {
                None => return self.refuse(),
                Some(_) => {
                    self.losses.push(self.now);
                    self.caller.end(Ending::Shed);
                    self.server.settle(Fate::Refused);
                }
            }
        }
        let id = self.made.len() as u32;
        self.made.push((self.now, self.lives));
        self.caller.start();
        self.server.arrive();
        if self.pool.offer(id) == Offer::Start {
            self.begin(id);
        }
        self.mark.write();
        self.credit = self.credit.saturating_sub(1);
        self.note();
        if self.pool.in_flight() > self.setup.memory as usize {
            self.crash();
        }
        self.ask();
    }

    /// An item is taken up.
    fn begin(&mut self, id: u32) {
        let takes = self.setup.work.draw(&mut self.draws.at(u64::from(id), WORK, 0));
        self.push(self.now + takes, WORKED, id);
        self.busy.set(self.now, u64::from(self.pool.in_service()));
    }

    fn worked(&mut self, id: u32) {
        let (made, life) = self.made[id as usize];
        if life != self.lives {
            return;
        }
        let age = self.now - made;
        let good = age <= self.setup.deadline;
        self.in_time += u64::from(good);
        self.late += u64::from(!good);
        self.caller.end(if good { Ending::Ok } else { Ending::Late });
        self.server.settle(if good { Fate::Useful } else { Fate::Wasted });
        self.ages.add(age);
        if good {
            self.fresh.add(age);
        }
        self.log.push((self.now, age));
        self.finished = self.now;
        if let Some(next) = self.pool.finish() {
            self.begin(next);
        }
        self.busy.set(self.now, u64::from(self.pool.in_service()));
        self.note();
        let drain = self.mark.done();
        self.ask();
        if drain {
            self.go_on();
        }
    }

    /// The consumer asks for more, where it is the one to ask.
    fn ask(&mut self) {
        let Flow::Pull { low, trip, .. } = self.setup.flow else { return };
        let few = self.pool.in_flight() + self.credit as usize <= low as usize;
        if few && !self.asked && !self.down {
            self.asked = true;
            self.push(self.now + trip, ASKED, self.lives);
        }
    }

    /// Items inside have changed.
    fn note(&mut self) {
        let inside = self.pool.in_flight() as u32;
        self.level.set(self.now, u64::from(inside));
        match self.rows.last_mut() {
            Some(last) if last.0 == self.now => last.1 = inside,
            _ => self.rows.push((self.now, inside)),
        }
    }

    /// The memory is full: the process dies, and what was inside with it.
    fn crash(&mut self) {
        let lost = self.pool.in_flight() as u64;
        self.pool.clear().for_each(drop);
        for _ in 0..lost {
            self.caller.end(Ending::Error);
            self.server.settle(Fate::Lost);
        }
        self.crashed += lost;
        self.crashes += 1;
        self.lives += 1;
        self.down = true;
        self.credit = 0;
        self.asked = false;
        if let Flow::Signal { mark, low } = self.setup.flow {
            self.mark = HighWater::new(mark, low);
        }
        self.busy.set(self.now, 0);
        self.note();
        self.outages.push((self.now, self.now + self.setup.restart));
        self.push(self.now + self.setup.restart, BACK, 0);
    }

    fn back(&mut self) {
        self.down = false;
        self.ask();
        self.go_on();
    }
}
