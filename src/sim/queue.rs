//! The event queue: what happens next, ties in the order in which they were put in.

use std::collections::{BinaryHeap, VecDeque};

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

/// An [`EventQueue`] with lanes for what always takes equally long: timeouts of one length, a network's delay.
///
/// What is put into a lane comes in order of time by itself, so a lane is a plain FIFO: an event costs a few
/// comparisons instead of a heap's O(log n), and timeouts that will mean nothing any more do not make the heap larger.
/// The order of events is that of one queue. Each event's `order` is unique in a run: who remembers it can tell whether
/// an event that comes is still the one that counts.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    queue: EventQueue,
    lanes: Vec<VecDeque<Event>>,
    /// When each lane's first event comes, and its order: side by side, since all of them are looked at for every event.
    heads: Vec<(Time, u32)>,
}

/// The head of a lane without events.
const NOTHING: (Time, u32) = (Time::MAX, u32::MAX);

impl Agenda {
    /// An empty agenda with so many lanes.
    pub fn new(lanes: usize) -> Self {
        Self { queue: EventQueue::with_capacity(256), lanes: vec![VecDeque::new(); lanes], heads: vec![NOTHING; lanes] }
    }

    /// Puts `what` in for the moment `at`; the event's `order`. O(log n).
    #[inline]
    pub fn push(&mut self, at: Time, what: u32) -> u32 {
        let order = self.queue.order;
        self.queue.push(at, what);
        order
    }

    /// The same through a lane; O(1) where `at` is not before the lane's last event.
    ///
    /// # Panics
    /// Where there is no such lane.
    #[inline]
    pub fn push_lane(&mut self, lane: usize, at: Time, what: u32) -> u32 {
        if self.lanes[lane].back().is_some_and(|last| last.at > at) {
            return self.push(at, what);
        }
        let order = self.queue.order;
        self.queue.order += 1;
        if self.lanes[lane].is_empty() {
            self.heads[lane] = (at, order);
        }
        self.lanes[lane].push_back(Event { at, order, what });
        order
    }

    /// Takes the next event out, if it is before `until`.
    #[inline]
    pub fn pop_before(&mut self, until: Time) -> Option<Event> {
        let mut first = self.queue.peek().map_or(NOTHING, |e| (e.at, e.order));
        let mut from = None;
        for (lane, &head) in self.heads.iter().enumerate() {
            if head < first {
                (first, from) = (head, Some(lane));
            }
        }
        if first.0 >= until {
            return None;
        }
        let Some(lane) = from else { return self.queue.pop() };
        let event = self.lanes[lane].pop_front();
        self.heads[lane] = self.lanes[lane].front().map_or(NOTHING, |e| (e.at, e.order));
        event
    }
}
