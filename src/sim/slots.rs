//! Servers that answer at once, but only so many calls per slot of time: article 1's model of an overloaded server,
//! in the two readings that matter.
//!
//! - **In rounds** (the article's bookkeeping). The earliest slot that has calls is worked in rounds, in the order in
//!   which the calls were put in. A retry that falls into the slot just worked forms a new round of that slot, and that
//!   round meets a fresh capacity. This is what a map from slot to list of clients does when the loop takes its smallest key.
//! - **Strict**. Calls are taken in order of time; a slot answers `capacity` of them and not one more.

use crate::queue::EventQueue;
use crate::time::{Span, Time};

/// Which of the two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bookkeeping {
    /// A retry into the slot just worked forms a new round with fresh capacity.
    Rounds,
    /// So many calls per slot and not one more.
    Strict,
}

/// A server of `capacity` calls per slot. Also keeps the order in which calls are looked at, since in rounds that is
/// not the order of time.
#[derive(Clone, Debug)]
pub struct SlotServer {
    bookkeeping: Bookkeeping,
    slot: Span,
    capacity: u64,
    queue: EventQueue,
    now: Batch,
    /// Events put in before this mark belong to the round under way.
    mark: u32,
}

/// The round (or slot) being worked, and how full it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The slot's number, from 0.
    pub slot: u64,
    /// The round's number within its slot, from 0; always 0 where the bookkeeping is strict.
    pub round: u32,
    /// Calls so far.
    pub calls: u64,
}

/// One call looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who calls: what was given to [`SlotServer::put`].
    pub caller: u32,
    /// Whether it was answered; otherwise it was refused.
    pub answered: bool,
    /// Where it fell, itself counted in.
    pub batch: Batch,
}

impl SlotServer {
    /// A server that answers `capacity` calls per `slot`, with room for `callers` pending calls.
    pub fn new(bookkeeping: Bookkeeping, slot: Span, capacity: u64, callers: usize) -> Self {
        Self {
            bookkeeping,
            slot: slot.max(Span::us(1)),
            capacity,
            queue: EventQueue::with_capacity(callers),
            now: Batch { slot: 0, round: 0, calls: 0 },
            mark: u32::MAX,
        }
    }

    /// `caller` will call at `at`.
    #[inline]
    pub fn put(&mut self, at: Time, caller: u32) {
        let key = match self.bookkeeping {
            // Within a slot only the order of insertion counts.
            Bookkeeping::Rounds => Time::us(at.slot(self.slot)),
            Bookkeeping::Strict => at,
        };
        self.queue.push(key, caller);
    }

    /// Looks at the next call; `None` when none is pending.
    #[inline]
    pub fn next_call(&mut self) -> Option<Call> {
        let event = self.queue.pop()?;
        let slot = match self.bookkeeping {
            Bookkeeping::Rounds => event.at.as_us(),
            Bookkeeping::Strict => event.at.slot(self.slot),
        };
        if self.mark == u32::MAX || slot != self.now.slot {
            self.now = Batch { slot, round: 0, calls: 0 };
            self.mark = self.queue.next_order();
        } else if self.bookkeeping == Bookkeeping::Rounds && event.order >= self.mark {
            self.now = Batch { slot, round: self.now.round + 1, calls: 0 };
            self.mark = self.queue.next_order();
        }
        self.now.calls += 1;
        Some(Call { caller: event.what, answered: self.now.calls <= self.capacity, batch: self.now })
    }

    /// Calls pending.
    pub fn pending(&self) -> usize {
        self.queue.len()
    }
}
