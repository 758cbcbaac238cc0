//! The herd: clients that are shed at t = 0, told something, and come back.

use overload_sim::backoff::Memory;
use overload_sim::draw::Draws;
use overload_sim::ledger::{Ending, Fate};
use overload_sim::retry_after::{Header, Heed};
use overload_sim::slots::{Bookkeeping, SlotServer};
use overload_sim::time::{Span, Time};

use super::knobs::{Others, RetryAfter};
use crate::outcome::Book;

/// The streams of draws: what clients are told, their jitter, their own backoff, and who heeds.
const TOLD: u64 = 1;
const JITTER: u64 = 2;
const OWN: u64 = 3;
const HEEDS: u64 = 4;

/// What the clients of a row are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// All the same.
    Same,
    /// One of several whole seconds.
    Spread,
    /// The same, and clients add jitter of their own.
    Both,
    /// Nothing.
    Nothing,
}

impl Row {
    /// From top to bottom.
    pub const ALL: [Row; 4] = [Row::Same, Row::Spread, Row::Both, Row::Nothing];
}

/// One row's run.
pub struct Crowd {
    row: Row,
    server: SlotServer,
    clients: Vec<Client>,
    /// Calls after t = 0, in order: when, and whether it was the client's first return.
    pub calls: Vec<(Time, bool)>,
    /// When clients were answered, in order.
    pub answered: Vec<Time>,
    /// Returns that were refused again.
    pub refused: u64,
    /// Clients that used up their attempts.
    pub gave_up: u64,
    /// Both ledgers.
    pub book: Book,
}

#[derive(Clone, Copy, Default)]
struct Client {
    attempt: u32,
    at: Time,
    memory: Memory,
}

impl Crowd {
    /// At t = 0: every client is refused.
    pub fn new(knobs: &RetryAfter, row: Row, seed: u64) -> Crowd {
        let n = knobs.clients as usize;
        let mut crowd = Crowd {
            row,
            server: SlotServer::new(Bookkeeping::Strict, knobs.slot, knobs.capacity, n),
            clients: vec![Client::default(); n],
            calls: Vec::with_capacity(2 * n),
            answered: Vec::with_capacity(n),
            refused: 0,
            gave_up: 0,
            book: Book { offered: knobs.clients, ..Book::default() },
        };
        (0..knobs.clients as u32).for_each(|client| crowd.refuse(knobs, client, seed));
        crowd
    }

    /// One call; whether there was one.
    pub fn step(&mut self, knobs: &RetryAfter, seed: u64) -> bool {
        let Some(call) = self.server.next_call() else { return false };
        let client = self.clients[call.caller as usize];
        self.calls.push((client.at, client.attempt == 1));
        if call.answered {
            self.book.caller.start();
            self.book.server.arrive();
            self.book.caller.end(Ending::Ok);
            self.book.server.settle(Fate::Useful);
            self.book.good += 1;
            self.answered.push(client.at);
        } else {
            self.refused += 1;
            self.refuse(knobs, call.caller, seed);
        }
        true
    }

    /// A call of `client` is refused, now: it will come back, or gives up.
    fn refuse(&mut self, knobs: &RetryAfter, client: u32, seed: u64) {
        self.book.caller.start();
        self.book.server.arrive();
        self.book.caller.end(Ending::Shed);
        self.book.server.settle(Fate::Refused);
        let state = &mut self.clients[client as usize];
        state.attempt += 1;
        if u64::from(state.attempt) >= knobs.attempts {
            self.gave_up += 1;
            return;
        }
        let draw = |stream| Draws::new(seed, stream).at(u64::from(client), 0, state.attempt);
        let own = knobs.backoff().wait(state.attempt - 1, &mut state.memory, &mut draw(OWN));
        let heeds = Draws::new(seed, HEEDS).at(u64::from(client), 0, 0).below(100) < knobs.obey;
        let wait = if heeds {
            let told = match self.row {
                Row::Same => Some(Header { values: 1, ..knobs.header() }),
                Row::Spread | Row::Both => Some(knobs.header()),
                Row::Nothing => None,
            };
            let told = told.map(|header| header.told(&mut draw(TOLD)));
            let mut jitter = draw(JITTER);
            // Who does not look at the header has nothing to add jitter to.
            let adds = self.row == Row::Both && knobs.client != Heed::Ignores;
            let added = if adds { jitter.span(knobs.jitter) } else { Span::ZERO };
            knobs.client.wait(told, own, &mut jitter) + added
        } else {
            match knobs.others {
                Others::Backoff => own,
                Others::AtOnce => knobs.rtt,
            }
        };
        state.at += wait;
        self.server.put(state.at, client);
    }

    /// The first returns, ascending.
    pub fn first_returns(&self) -> Vec<Time> {
        self.calls.iter().filter(|call| call.1).map(|call| call.0).collect()
    }
}

/// How many come in each slot, if clients wait as they are told and add a jitter of each of [`WIDTHS`] widths: told the same,
/// and told one of several values.
pub struct Widths {
    counts: Vec<[Vec<u32>; 2]>,
}

/// Widths of client jitter that the curves of peaks have points for, besides none.
pub const WIDTHS: u64 = 40;

impl Widths {
    /// Without clients yet.
    pub fn new() -> Widths {
        Widths { counts: (0..=WIDTHS).map(|_| [Vec::new(), Vec::new()]).collect() }
    }

    /// A client's first return.
    pub fn add(&mut self, knobs: &RetryAfter, client: u64, seed: u64) {
        let draw = |stream| Draws::new(seed, stream).at(client, 0, 1);
        // Counted from the shortest time on, which all have waited.
        let told = Header { shortest: 0, ..knobs.header() }.told(&mut draw(TOLD));
        let step = knobs.step_of_widths(WIDTHS);
        for (n, counts) in (0..).zip(&mut self.counts) {
            let added = draw(JITTER).span(step * n);
            for (told, counts) in [Span::ZERO, told].into_iter().zip(counts) {
                let slot = (Time::ZERO + told + added).slot(knobs.slot) as usize;
                if counts.len() <= slot {
                    counts.resize(slot + 1, 0);
                }
                counts[slot] += 1;
            }
        }
    }

    /// Peaks by width: told the same, told one of several.
    pub fn peaks(&self) -> impl Iterator<Item = [f64; 2]> {
        self.counts
            .iter()
            .map(|both| both.each_ref().map(|counts| f64::from(counts.iter().copied().max().unwrap_or(0))))
    }
}

/// The most of these moments, ascending, in one slot; how many moments differ.
pub fn peak(at: &[Time], slot: Span) -> (u64, u64) {
    let slots = at.chunk_by(|a, b| a.slot(slot) == b.slot(slot)).map(|slot| slot.len() as u64);
    (slots.max().unwrap_or(0), at.chunk_by(|a, b| a == b).count() as u64)
}
