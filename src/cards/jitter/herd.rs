//! The herd: clients that fail together at t = 0 and come back by one backoff rule to a server that is too small.

use overload_sim::backoff::{Backoff, Memory};
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::pool::{Offer, Pool};
use overload_sim::queue::EventQueue;
use overload_sim::retry::RetryPolicy;
use overload_sim::slots::{Bookkeeping, SlotServer};
use overload_sim::time::{Span, Time};

use crate::outcome::Book;

use super::knobs::{Jitter, Server};

/// The stream of the waits' draws.
const WAITS: u64 = 1;

/// One strategy's run: the herd, its server, and what is recorded of both.
pub struct Herd {
    policy: RetryPolicy,
    slot: Span,
    draws: Draws,
    clients: Vec<Client>,
    server: Side,
    /// What was counted so far.
    pub seen: Seen,
}

/// What the run leaves behind.
pub struct Seen {
    /// Calls made.
    pub calls: u64,
    /// Most retries in one round after slot 0 (in rounds), or in one slot (otherwise).
    pub retry_peak: u64,
    /// Most calls in one round or slot, first calls included.
    pub fullest: u64,
    /// Clients that used up their attempts.
    pub gave_up: u64,
    /// When each answered client was answered, in the order in which it happened.
    pub answered_at: Vec<Time>,
    /// Calls by round or slot, ascending.
    pub batches: Vec<Batch>,
    /// Both ledgers.
    pub book: Book,
}

/// The calls that fell into one round (or slot), by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The slot, from 0.
    pub slot: u64,
    /// The round within it, from 0.
    pub round: u32,
    /// Answered.
    pub answered: u64,
    /// Refused with 503.
    pub refused: u64,
    /// Given up by the caller after its timeout.
    pub timed_out: u64,
    /// Of all these, calls that were not their client's first.
    pub retries: u64,
}

impl Batch {
    /// All calls of the batch.
    pub fn calls(&self) -> u64 {
        self.answered + self.refused + self.timed_out
    }
}

#[derive(Clone, Copy, Default)]
struct Client {
    /// Attempts so far, the one under way included.
    attempt: u32,
    /// When the one under way starts.
    at: Time,
    memory: Memory,
}

/// The server, in one of its three readings.
enum Side {
    Slots(SlotServer),
    Queue(QueueSide),
}

/// A real queue: `capacity` workers, each holding a call for one slot.
struct QueueSide {
    pool: Pool,
    events: EventQueue,
    timeout: Option<Span>,
    calls: Vec<QueuedCall>,
}

/// A call at the queueing server.
#[derive(Clone, Copy)]
struct QueuedCall {
    client: u32,
    arrived: Time,
    /// Its caller is still waiting for it.
    wanted: bool,
    first: bool,
}

// Kinds of event, in the top bits of `Event::what`; the rest is an index.
const ARRIVE: u32 = 0 << 30;
const FINISH: u32 = 1 << 30;
const TIMEOUT: u32 = 2 << 30;
const INDEX: u32 = (1 << 30) - 1;

impl Herd {
    /// The herd of these knobs under `backoff`. Every strategy meets the same draws, so that only the rule differs.
    pub fn new(knobs: &Jitter, backoff: Backoff, seed: u64) -> Herd {
        let clients = knobs.clients as usize;
        let slots = |bookkeeping| Side::Slots(SlotServer::new(bookkeeping, knobs.slot, knobs.capacity, clients));
        let mut server = match knobs.server {
            Server::Rounds => slots(Bookkeeping::Rounds),
            Server::Strict => slots(Bookkeeping::Strict),
            Server::Queue => Side::Queue(QueueSide {
                pool: Pool::new(knobs.capacity as u32, knobs.room as u32),
                events: EventQueue::with_capacity(2 * clients),
                timeout: Some(knobs.timeout).filter(|&t| t > Span::ZERO),
                calls: Vec::with_capacity(clients),
            }),
        };
        for client in 0..clients as u32 {
            match &mut server {
                Side::Slots(slots) => slots.put(Time::ZERO, client),
                Side::Queue(queue) => queue.events.push(Time::ZERO, ARRIVE | client),
            }
        }
        Herd {
            policy: RetryPolicy { max_attempts: knobs.attempts as u32, backoff, deadline: Span::MAX },
            slot: knobs.slot,
            draws: Draws::new(seed, WAITS),
            clients: vec![Client { attempt: 1, ..Client::default() }; clients],
            server,
            seen: Seen {
                calls: 0,
                retry_peak: 0,
                fullest: 0,
                gave_up: 0,
                answered_at: Vec::with_capacity(clients),
                batches: Vec::new(),
                book: Book { offered: knobs.clients, ..Book::default() },
            },
        }
    }

    /// Goes on for at most `events` events. Returns how many it did not need: more than 0 once the run has ended.
    pub fn advance(&mut self, events: u64) -> u64 {
        let mut left = events;
        while left > 0 {
            let more = match self.server {
                Side::Slots(_) => self.slot_call(),
                Side::Queue(_) => self.queue_event(),
            };
            if !more {
                return left;
            }
            left -= 1;
        }
        0
    }

    /// A call at a slot server: answered or refused at once.
    fn slot_call(&mut self) -> bool {
        let Side::Slots(server) = &mut self.server else { return false };
        let Some(call) = server.next_call() else { return false };
        let client = self.clients[call.caller as usize];
        let retry = client.attempt > 1;
        let seen = &mut self.seen;
        seen.calls += 1;
        seen.book.caller.start();
        seen.book.server.arrive();

        let here = (call.batch.slot, call.batch.round);
        if seen.batches.last().is_none_or(|b| (b.slot, b.round) != here) {
            seen.batches.push(Batch { slot: here.0, round: here.1, ..Batch::default() });
        }
        if let Some(batch) = seen.batches.last_mut() {
            batch.retries += u64::from(retry);
            *(if call.answered { &mut batch.answered } else { &mut batch.refused }) += 1;
        }

        if call.answered {
            seen.book.server.settle(Fate::Useful);
            self.answered(client.at);
        } else {
            seen.book.server.settle(Fate::Refused);
            if let Some(at) = self.failed(call.caller, client.at, Ending::Shed)
                && let Side::Slots(server) = &mut self.server
            {
                server.put(at, call.caller);
            }
        }
        true
    }

    /// An event at the queueing server.
    fn queue_event(&mut self) -> bool {
        let Side::Queue(side) = &mut self.server else { return false };
        let Some(event) = side.events.pop() else { return false };
        let (now, index) = (event.at, event.what & INDEX);
        match event.what & !INDEX {
            ARRIVE => {
                let call = side.calls.len() as u32;
                let first = self.clients[index as usize].attempt == 1;
                side.calls.push(QueuedCall { client: index, arrived: now, wanted: true, first });
                self.seen.calls += 1;
                self.seen.book.caller.start();
                self.seen.book.server.arrive();
                let offer = side.pool.offer(call);
                if offer == Offer::Refuse {
                    self.seen.book.server.settle(Fate::Refused);
                    self.queue_failed(call, now, Ending::Shed);
                    return true;
                }
                // Before the end is put in: an answer at the very moment of the timeout comes too late.
                if let Some(timeout) = side.timeout {
                    side.events.push(now + timeout, TIMEOUT | call);
                }
                if offer == Offer::Start {
                    side.events.push(now + self.slot, FINISH | call);
                }
            }
            FINISH => {
                if let Some(next) = side.pool.finish() {
                    side.events.push(now + self.slot, FINISH | next);
                }
                let call = &mut side.calls[index as usize];
                let QueuedCall { arrived, wanted, first, .. } = *call;
                call.wanted = false;
                if wanted {
                    self.seen.book.server.settle(Fate::Useful);
                    self.batch_at(arrived, first).answered += 1;
                    self.answered(now);
                } else {
                    self.seen.book.server.settle(Fate::Wasted);
                }
            }
            _ => {
                if std::mem::take(&mut side.calls[index as usize].wanted) {
                    self.queue_failed(index, now, Ending::Timeout);
                }
            }
        }
        true
    }

    /// A call at the queueing server ended badly.
    fn queue_failed(&mut self, call: u32, now: Time, ending: Ending) {
        let Side::Queue(side) = &mut self.server else { return };
        let QueuedCall { client, arrived, first, .. } = side.calls[call as usize];
        let batch = self.batch_at(arrived, first);
        *(if ending == Ending::Shed { &mut batch.refused } else { &mut batch.timed_out }) += 1;
        if let Some(at) = self.failed(client, now, ending)
            && let Side::Queue(side) = &mut self.server
        {
            side.events.push(at, ARRIVE | client);
        }
    }

    /// The batch of the slot in which a call arrived, the call counted as a retry where it is one.
    fn batch_at(&mut self, arrived: Time, first: bool) -> &mut Batch {
        let slot = arrived.slot(self.slot);
        let batches = &mut self.seen.batches;
        let at = batches.binary_search_by_key(&slot, |b| b.slot).unwrap_or_else(|at| {
            batches.insert(at, Batch { slot, ..Batch::default() });
            at
        });
        batches[at].retries += u64::from(!first);
        &mut batches[at]
    }

    fn answered(&mut self, now: Time) {
        self.seen.book.good += 1;
        self.seen.book.caller.end(Ending::Ok);
        self.seen.answered_at.push(now);
    }

    /// A client's attempt failed at `now`. When its next one starts; `None` where it gives up.
    fn failed(&mut self, client: u32, now: Time, ending: Ending) -> Option<Time> {
        self.seen.book.caller.end(ending);
        let state = &mut self.clients[client as usize];
        let mut draw = self.draws.at(u64::from(client), 0, state.attempt);
        let next = self.policy.next_attempt(state.attempt, Time::ZERO, now, &mut state.memory, &mut draw);
        match next {
            Some(at) => {
                state.attempt += 1;
                state.at = at;
            }
            None => self.seen.gave_up += 1,
        }
        next
    }

    /// Closes the books: peaks, and the order of what was recorded. Only for a run that has ended.
    pub fn close(&mut self, server: Server) {
        let seen = &mut self.seen;
        seen.answered_at.sort_unstable();
        seen.fullest = seen.batches.iter().map(Batch::calls).max().unwrap_or(0);
        // The article leaves the first slot out; a strict slot's retries are counted in every slot.
        let counts = seen.batches.iter().filter(|b| server != Server::Rounds || b.slot > 0);
        seen.retry_peak = counts.map(|b| b.retries).max().unwrap_or(0);
    }
}
