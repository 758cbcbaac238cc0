//! What a run of a chain writes down.

use crate::ledger::{CallerLedger, Ending, ServerLedger};
use crate::recovery;
use crate::time::{Span, Time};

/// Most hops: from the users, between seven layers, and to the server.
pub const HOPS: usize = 8;

/// One hop's two books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Of whoever calls.
    pub caller: CallerLedger,
    /// Of what is called. A request that failed below counts as refused.
    pub server: ServerLedger,
}

/// One second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Users who came.
    pub users: u32,
    /// Those of them who were answered in time, whenever that was.
    pub good: u32,
    /// Attempts on each hop that were sent; hop 0 is the users'.
    pub attempts: [u32; HOPS],
    /// Those of them that were retries.
    pub retries: [u32; HOPS],
    /// Attempts that a breaker or a throttle rejected, on any hop: they were not sent.
    pub rejected: u32,
    /// Calls that the server refused.
    pub refused: u32,
    /// Calls that the server finished for somebody who still waited.
    pub useful: u32,
    /// Calls that the server finished for nobody.
    pub wasted: u32,
    /// Calls that were dropped from the server's queue.
    pub dropped: u32,
    /// Calls inside the server at the second's end.
    pub inside: u32,
    /// Pods ready at its end.
    pub pods: u32,
    /// The layers' breakers at its end, two bits each: see [`Second::breaker`].
    pub breakers: u32,
}

impl Second {
    /// The state of layer `k`'s breaker at the second's end: 0 closed, 1 open, 2 half-open.
    pub const fn breaker(&self, k: usize) -> u32 {
        self.breakers >> (2 * k) & 3
    }
}

/// Something that happened to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// Whose.
    pub user: u32,
    /// Which of the user's calls on this hop: the attempt's number on each hop, the last one lowest,
    /// [`super::PATH_BITS`] bits each. Its parent's path is this one without the lowest.
    pub path: u32,
    /// On which hop.
    pub hop: u8,
    /// What.
    pub what: What,
}

/// What can happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was sent.
    Sent,
    /// The server began to work on it.
    Served,
    /// It ended for whoever had sent it.
    Ended(Ending),
}

/// The books of a run.
#[derive(Clone, Debug)]
pub struct Book {
    /// Both ledgers of each hop.
    pub hops: Vec<Hop>,
    /// Second by second.
    pub seconds: Vec<Second>,
    /// Retries that a budget or a deadline did not allow.
    pub denied: u64,
    /// Most calls that came to the server for one user.
    pub most_per_user: u32,
    /// Most calls inside the server at once.
    pub peak_inside: u32,
    /// Users answered in time up to the moment of [`super::Chain::count_until`].
    pub good_until: u64,
    /// Events taken.
    pub events: u64,
    /// Calls that each user's request became at the server.
    reached: Vec<u16>,
    now: Second,
    done: usize,
    moments: Vec<Moment>,
    watch: (Time, Time, usize),
    until: Time,
}

impl Book {
    pub(super) fn new(hops: usize, horizon: Span) -> Book {
        let seconds = (horizon.as_us() / 1_000_000) as usize + 1;
        Book {
            hops: vec![Hop::default(); hops],
            seconds: vec![Second::default(); seconds.min(1 << 20)],
            denied: 0,
            most_per_user: 0,
            peak_inside: 0,
            good_until: 0,
            events: 0,
            reached: Vec::with_capacity(1024),
            now: Second::default(),
            done: 0,
            moments: Vec::new(),
            watch: (Time::MAX, Time::ZERO, 0),
            until: Time::MAX,
        }
    }

    /// What happened while it was watched: see [`super::Chain::watch`].
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// How many of [`Book::seconds`] have ended.
    pub fn ended_seconds(&self) -> usize {
        self.done.min(self.seconds.len())
    }

    /// Calls that came to the server for each user, in the order in which users came.
    pub fn calls_per_user(&self) -> &[u16] {
        &self.reached
    }

    /// The first second from the one of `from` on from which all is well for the users.
    pub fn recovery(&self, rule: recovery::Rule, from: Time) -> Option<usize> {
        let seconds: Vec<(u32, u32)> = self.seconds.iter().map(|s| (s.users, s.good)).collect();
        recovery::second(rule, &seconds, from.slot(Span::s(1)) as usize)
    }

    pub(super) fn watch(&mut self, from: Time, to: Time, most: usize) {
        self.watch = (from, to, most);
    }

    #[inline]
    pub(super) fn moment(&mut self, at: Time, user: u32, path: u32, hop: u8, what: What) {
        let (from, to, most) = self.watch;
        if from <= at && at < to && self.moments.len() < most {
            self.moments.push(Moment { at, user, path, hop, what });
        }
    }

    /// When the present second ends.
    #[inline]
    pub(super) fn next_second(&self) -> Time {
        Time::us((self.done as u64 + 1) * 1_000_000)
    }

    pub(super) fn user(&mut self) {
        self.hops[0].caller.start();
        self.now.users += 1;
        self.now.attempts[0] += 1;
        self.reached.push(0);
    }

    pub(super) fn count_until(&mut self, until: Time) {
        self.until = until;
    }

    pub(super) fn good(&mut self, came: Time, now: Time) {
        self.good_until += u64::from(now <= self.until);
        let second = came.slot(Span::s(1)) as usize;
        if second == self.done {
            self.now.good += 1;
        } else if let Some(second) = self.seconds.get_mut(second) {
            second.good += 1;
        }
    }

    #[inline]
    pub(super) fn rejected(&mut self, hop: usize) {
        self.hops[hop].caller.end(Ending::Rejected);
        self.now.rejected += 1;
    }

    #[inline]
    pub(super) fn sent(&mut self, hop: usize, retry: bool) {
        self.now.attempts[hop] += 1;
        self.now.retries[hop] += u32::from(retry);
    }

    #[inline]
    pub(super) fn reached(&mut self, user: u32) {
        let calls = &mut self.reached[user as usize];
        *calls = calls.saturating_add(1);
        self.most_per_user = self.most_per_user.max(u32::from(*calls));
    }

    #[inline]
    pub(super) fn refused(&mut self) {
        self.now.refused += 1;
    }

    pub(super) fn dropped(&mut self) {
        self.now.dropped += 1;
    }

    pub(super) fn served(&mut self, wanted: bool) {
        *(if wanted { &mut self.now.useful } else { &mut self.now.wasted }) += 1;
    }

    #[inline]
    pub(super) fn inside(&mut self, inside: usize) {
        self.peak_inside = self.peak_inside.max(inside as u32);
    }

    pub(super) fn close_second(&mut self, inside: u32, pods: u32, breakers: u32) {
        let now = Second { inside, pods, breakers, ..core::mem::take(&mut self.now) };
        if let Some(second) = self.seconds.get_mut(self.done) {
            *second = Second { good: second.good + now.good, ..now };
        }
        self.done += 1;
    }

    pub(super) fn close(&mut self) {
        self.seconds.truncate(self.done);
    }
}
