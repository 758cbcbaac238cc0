//! A bulkhead: a fixed number of connections, a short queue, and fail fast beyond (Nygard, "Release It!").
//!
//! The same part with an unbounded queue is a plain connection pool. As cockatiel's `bulkhead(limit, queue)` and p-limit
//! with a bound on active + pending: first come, first served. Unlike [`Pool`] it knows who holds which connection; of the
//! free ones the lowest is taken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::pool::{Offer, Pool};

/// What becomes of a call that wants a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It holds this connection now, counted from 0.
    Holds(u32),
    /// It waits; [`Bulkhead::leave`] will return it.
    Waits,
    /// All connections held and the queue full: refused at once.
    Refused,
}

/// Connections and who waits for one.
#[derive(Clone, Debug)]
pub struct Bulkhead {
    pool: Pool,
    free: BinaryHeap<Reverse<u32>>,
}

impl Bulkhead {
    /// `connections` free ones (0 counts as 1) and room for `queue` waiting calls; [`u32::MAX`]: unbounded, a plain pool.
    pub fn new(connections: u32, queue: u32) -> Bulkhead {
        Bulkhead { pool: Pool::new(connections, queue), free: (0..connections.max(1)).map(Reverse).collect() }
    }

    /// `call` wants a connection. O(log n) in the connections.
    pub fn enter(&mut self, call: u32) -> Entry {
        match self.pool.offer(call) {
            Offer::Start => Entry::Holds(self.free.pop().map_or(0, |Reverse(lowest)| lowest)),
            Offer::Wait => Entry::Waits,
            Offer::Refuse => Entry::Refused,
        }
    }

    /// The call on `connection` is done: the waiting call that holds it from now on, if there is one.
    pub fn leave(&mut self, connection: u32) -> Option<u32> {
        let next = self.pool.finish();
        if next.is_none() {
            self.free.push(Reverse(connection));
        }
        next
    }

    /// Calls waiting.
    pub fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    /// Connections held.
    pub fn held(&self) -> u32 {
        self.pool.in_service()
    }
}
