//! Sliding-window budgets: Finagle's `RetryBudget` and tower's `TpsBudget`, which descends from it.
//!
//! Deposits and withdrawals are booked into a window of ten slices and expire with their slice, withdrawals as well. The
//! reserve (so many retries a second, times the window's length) is no stock that is used up but a constant added to the
//! window's sum. So in a long outage whatever was spent in a burst comes back when that burst leaves the window.

use super::Ratio;
use crate::time::{Span, Time};

/// Whose arithmetic and whose window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// twitter/finagle `RetryBudget` over twitter/util `WindowedAdder`: a deposit is 1000, a clock of milliseconds, nine
    /// slices and the one being written.
    Finagle,
    /// tower 0.5 `TpsBudget`: a deposit is 1 up to 100 % (so the share is rounded to one in a whole number), ten slices
    /// and the one being written.
    Tower,
}

/// Slices that a window is divided into.
const SLICES: u64 = 10;

/// The budget of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    library: Library,
    deposit: i64,
    withdrawal: i64,
    reserve: i64,
    /// A slice's length in microseconds.
    slice: u64,
    /// Slices written in full.
    slots: [i64; SLICES as usize],
    /// The one written when the present slice is over.
    at: usize,
    /// When the present slice began, in microseconds.
    since: u64,
    /// What was booked since.
    writer: i64,
}

impl Window {
    /// Deposits count for `ttl` (clamped to 1 s to 60 s, as both libraries demand), `ratio` (0 to 1000) retries are
    /// granted per deposit, and `min_per_s` a second on top.
    pub fn new(library: Library, ttl: Span, min_per_s: u64, ratio: Ratio) -> Window {
        let ttl = ttl.clamp(Span::s(1), Span::s(60));
        let (deposit, withdrawal) = amounts(library, ratio);
        let ttl_s = (ttl.as_us() / 1_000_000) as i64;
        let reserve = (min_per_s.min(i32::MAX as u64) as i64).saturating_mul(ttl_s).saturating_mul(withdrawal);
        let slice = match library {
            Library::Finagle => ttl.as_us() / 1_000 / SLICES * 1_000,
            Library::Tower => ttl.as_us() / SLICES,
        };
        Window { library, deposit, withdrawal, reserve, slice, slots: [0; 10], at: 0, since: 0, writer: 0 }
    }

    /// A request.
    #[inline]
    pub fn deposit(&mut self, now: Time) {
        self.expire(now);
        self.writer += self.deposit;
    }

    /// A retry is wanted; whether it is granted.
    #[inline]
    pub fn withdraw(&mut self, now: Time) -> bool {
        self.expire(now);
        let enough = self.sum() >= self.withdrawal;
        if enough {
            self.writer -= self.withdrawal;
        }
        enough
    }

    /// Retries that would be granted at `now`. Looking leaves the window as it is, while a call would move it on.
    pub fn balance(&self, now: Time) -> u64 {
        let mut then = *self;
        then.expire(now);
        (then.sum() / then.withdrawal).max(0) as u64
    }

    fn sum(&self) -> i64 {
        (self.slots.iter().sum::<i64>() + self.writer).saturating_add(self.reserve)
    }

    /// Ends the present slice where its time is over. Its whole content goes into one slot, however late this is noticed:
    /// the window slides with the calls, not with the clock.
    fn expire(&mut self, now: Time) {
        let now = match self.library {
            Library::Finagle => now.as_us() / 1_000 * 1_000,
            Library::Tower => now.as_us(),
        };
        let passed = now.saturating_sub(self.since);
        if passed < self.slice {
            return;
        }
        let (slots, skipped) = match self.library {
            Library::Finagle => (9, passed / self.slice - 1),
            // `while passed > slice`: an exact multiple skips one less than Finagle's division would.
            Library::Tower => (10, passed.div_ceil(self.slice) - 1),
        };
        self.slots[self.at] = std::mem::take(&mut self.writer);
        self.at = (self.at + 1) % slots;
        for _ in 0..skipped.min(slots as u64) {
            self.slots[self.at] = 0;
            self.at = (self.at + 1) % slots;
        }
        self.since = now;
    }
}

/// What a deposit brings and what a withdrawal takes.
fn amounts(library: Library, ratio: Ratio) -> (i64, i64) {
    // Millionths, so that the division is exact; the libraries' floats agree for all ratios of three decimals.
    let per = |deposit: u64| (deposit as i64, (deposit * 1_000_000 / ratio.as_ppm()).max(1) as i64);
    match library {
        _ if ratio.as_ppm() == 0 => (0, 1),
        Library::Tower if ratio.as_ppm() <= 1_000_000 => per(1),
        Library::Finagle | Library::Tower => per(1_000),
    }
}
