//! The event queue: what happens next, ties in the order in which they were put in.

use std::collections::BinaryHeap;

use crate::time::Time;

/// One thing that will happen: when, and which. 16 bytes, no payload.
///
/// `what` belongs to whoever runs the queue: usually an index into its own slabs, with a kind in the top bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it happens.
    pub at: Time,
    /// The how-manieth event of this queue it is: breaks ties.
    pub order: u32,
    /// What happens.
    pub what: u32,
}

impl Ord for Event {
    /// Reversed, since the standard heap gives the greatest first.
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}
impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A queue of [`Event`]s, earliest first; among equals, first in, first out.
///
/// Deterministic for up to 2³² − 1 events a run, which no card comes near.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: BinaryHeap<Event>,
    order: u32,
}

impl EventQueue {
    /// An empty queue with room for `pending` events.
    pub fn with_capacity(pending: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(pending), order: 0 }
    }

    /// Puts `what` in for the moment `at`. O(log n).
    #[inline]
    pub fn push(&mut self, at: Time, what: u32) {
        self.heap.push(Event { at, order: self.order, what });
        self.order += 1;
    }

    /// Takes the next event out. O(log n).
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.heap.pop()
    }

    /// The next event, left in. O(1).
    #[inline]
    pub fn peek(&self) -> Option<&Event> {
        self.heap.peek()
    }

    /// The `order` that the next pushed event will have: events with a smaller one are already in, or gone.
    pub fn next_order(&self) -> u32 {
        self.order
    }

    /// How many events are waiting.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether none is waiting.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}
