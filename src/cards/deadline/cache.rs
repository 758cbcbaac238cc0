//! Readers of some pages behind a cache, while C is slow: with a partial answer marked as such, and unmarked.

use overload_sim::page_cache::PageCache;
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};

use super::knobs::{Deadline, Shape};
use super::request::Status;

/// Pages; what the cache holds of them at the start ends one after the other within a time to live.
const PAGES: u64 = 60;
/// From one reader's page to the next one's: about the golden ratio of all, so that any few readers see an even sample.
const STRIDE: u64 = 37;
/// When C turns slow.
const FAULT_AT: Span = Span::s(10);
/// How long is watched after everything unmarked must be gone from the cache.
const AFTER: Span = Span::s(10);

/// What the origin answers, and after how long: while C is slow, and while it is well.
pub type Origin = [(Status, Span); 2];

/// One second of readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Who came.
    pub readers: u32,
    /// Who of them got an incomplete page, with marked answers and unmarked ones.
    pub incomplete: [u32; 2],
}

/// What became of the readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers {
    /// Second by second.
    pub seconds: Vec<Second>,
    /// Incomplete pages; with marked answers, unmarked.
    pub incomplete: [u64; 2],
    /// Error pages.
    pub failed: [u64; 2],
    /// Requests that reach the origin.
    pub origin: [u64; 2],
    /// Until how long after C was well the last incomplete page was read.
    pub lasting: [Span; 2],
    /// Events taken.
    pub events: u64,
}

impl Deadline {
    /// When C is well again.
    pub fn fault_end(&self) -> Time {
        Time::ZERO + FAULT_AT + self.slow_for
    }

    /// When C turns slow.
    pub fn fault_start(&self) -> Time {
        Time::ZERO + FAULT_AT
    }

    /// How long readers are watched.
    pub fn watched(&self) -> Span {
        FAULT_AT + self.slow_for + self.ttl.max(self.partial_ttl) + AFTER
    }

    /// How many there are; none where no C is called.
    pub fn reader_count(&self) -> u64 {
        if self.shape == Shape::Fan { self.readers * self.watched().as_us() / 1_000_000 } else { 0 }
    }
}

/// Runs all readers, who come evenly.
pub fn run(knobs: &Deadline, origin: Origin) -> Readers {
    let mut out = Readers::default();
    for (side, ttl) in [knobs.partial_ttl, knobs.ttl].into_iter().enumerate() {
        one(knobs, origin, side, ttl, &mut out);
    }
    out
}

fn one(knobs: &Deadline, origin: Origin, side: usize, partial_ttl: Span, out: &mut Readers) {
    let slow = |at: Time| at >= knobs.fault_start() && at < knobs.fault_end();
    let mut caches = vec![PageCache::new(); PAGES as usize];
    for (cache, nth) in caches.iter_mut().zip(1..) {
        cache.put(Time::ZERO, Status::Full, knobs.ttl * nth / PAGES);
    }
    // Answers on their way to the cache: twice the page, and 1 more where they are from a time when C is well.
    let mut answers = EventQueue::default();
    for n in 0..knobs.reader_count() {
        let now = Time::us(n * 1_000_000 / knobs.readers);
        while let Some(answer) = answers.peek().copied()
            && answer.at <= now
        {
            answers.pop();
            out.events += 1;
            let (status, _) = origin[(answer.what & 1) as usize];
            let cache = &mut caches[answer.what as usize / 2];
            match status {
                Status::Full => cache.put(answer.at, status, knobs.ttl),
                Status::Partial => cache.put(answer.at, status, partial_ttl),
                // Errors are not cached.
                Status::Failed | Status::Left => {}
            }
        }
        out.events += 1;
        let page = n * STRIDE % PAGES;
        let got = caches[page as usize].get(now).unwrap_or_else(|| {
            let which = usize::from(!slow(now));
            let (status, took) = origin[which];
            answers.push(now + took, 2 * page as u32 + which as u32);
            out.origin[side] += 1;
            status
        });
        let second = now.slot(Span::s(1)) as usize;
        if out.seconds.len() <= second {
            out.seconds.resize(second + 1, Second::default());
        }
        let row = &mut out.seconds[second];
        row.readers += u32::from(side == 0);
        match got {
            Status::Full => {}
            Status::Partial => {
                row.incomplete[side] += 1;
                out.incomplete[side] += 1;
                out.lasting[side] = now.since(knobs.fault_end());
            }
            Status::Failed | Status::Left => out.failed[side] += 1,
        }
    }
}
