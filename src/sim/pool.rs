//! A pool of workers with one queue in front: first come, first served.
//!
//! It knows neither time nor how long a call takes. Whoever runs it schedules the end of each call that starts, and
//! reports it with [`Pool::finish`].

use std::collections::VecDeque;

/// What becomes of an offered call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A worker was free: it starts now.
    Start,
    /// It waits; [`Pool::finish`] will return it.
    Wait,
    /// No worker was free and the queue was full: it is refused.
    Refuse,
}

/// c workers and a queue with room for so many waiting calls.
///
/// Kendall's K (as in M/M/c/K) counts the calls in service too: K = workers + room. Room 0 is Erlang's loss system.
/// Each operation is O(1); memory grows with the longest queue so far.
#[derive(Clone, Debug)]
pub struct Pool {
    workers: u32,
    room: u32,
    busy: u32,
    queue: VecDeque<u32>,
}

impl Pool {
    /// An idle pool of `workers` (at least 1; 0 counts as 1) with room for `room` waiting calls; [`u32::MAX`] is unbounded.
    pub fn new(workers: u32, room: u32) -> Self {
        Self {
            workers: workers.max(1),
            room,
            busy: 0,
            // A bounded queue never grows later, unless it is so long that most of it may never be used.
            queue: VecDeque::with_capacity(room.min(1024) as usize),
        }
    }

    /// `call` wants to be served.
    #[inline]
    pub fn offer(&mut self, call: u32) -> Offer {
        if self.busy < self.workers {
            self.busy += 1;
            Offer::Start
        } else if self.room == u32::MAX || self.queue.len() < self.room as usize {
            self.queue.push_back(call);
            Offer::Wait
        } else {
            Offer::Refuse
        }
    }

    /// A call has been served, so a worker is free again: the waiting call that starts now, if there is one.
    ///
    /// Nothing happens where no call is being served.
    #[inline]
    pub fn finish(&mut self) -> Option<u32> {
        let next = self.queue.pop_front();
        if next.is_none() {
            self.busy = self.busy.saturating_sub(1);
        }
        next
    }

    /// Takes out the call that has waited longest; `None` where nobody waits.
    pub fn drop_oldest(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Everything inside is lost, waiting and being served: gives the waiting calls, in their order. Those being served
    /// are known to whoever scheduled their ends.
    pub fn clear(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.busy = 0;
        self.queue.drain(..)
    }

    /// Calls being served, 0 to the number of workers.
    pub fn in_service(&self) -> u32 {
        self.busy
    }

    /// Calls waiting.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Calls inside: waiting or being served.
    pub fn in_flight(&self) -> usize {
        self.queue.len() + self.busy as usize
    }
}
