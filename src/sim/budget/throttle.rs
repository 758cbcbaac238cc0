//! Throttling at the client by the success rate it sees: calls are refused locally by chance, first calls too.

use super::Ratio;
use crate::draw::Draw;
use crate::time::{Span, Time};

/// A probability as a fraction of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// Zero to `of`.
    pub times: u64,
    /// At least 1.
    pub of: u64,
}

impl Chance {
    /// As a number from 0 to 1.
    pub fn value(self) -> f64 {
        self.times as f64 / self.of as f64
    }
    /// Whether it comes true this time.
    pub const fn strikes(self, draw: &mut Draw) -> bool {
        draw.below(self.of) < self.times
    }
}

/// Google SRE book, chapter 21: max(0, (requests − K·accepts)/(requests + 1)), K in thousandths.
///
/// `requests` counts what was asked for, locally refused or not, `accepts` what the server took.
pub const fn google_sre(requests: u64, accepts: u64, k_milli: u64) -> Chance {
    let excess = (1_000 * requests).saturating_sub(k_milli.saturating_mul(accepts));
    Chance { times: excess, of: 1_000 * (requests + 1) }
}

/// failsafe-go 0.9 `AdaptiveThrottler`: min(most, max(0, n − successes/threshold)/(n + 1)).
pub fn failsafe_go(executions: u64, successes: u64, threshold: Ratio, most: Ratio) -> f64 {
    let wanted = successes as f64 * 1e6 / threshold.as_ppm().max(1) as f64;
    let p = (executions as f64 - wanted).max(0.0) / (executions + 1) as f64;
    p.min(most.as_ppm() as f64 / 1e6)
}

/// Envoy's admission control (2026): min(most, max(0, (n − successes/threshold)/(n + 1))^(1/aggression)).
pub fn envoy_admission(requests: u64, successes: u64, threshold: Ratio, aggression: f64, most: Ratio) -> f64 {
    let p = failsafe_go(requests, successes, threshold, Ratio::percent(100));
    libm::pow(p, 1.0 / aggression).min(most.as_ppm() as f64 / 1e6)
}

/// Parts that the window is counted in. The book says "the last two minutes" and leaves open how; so many make each
/// count at most a sixtieth of the window too old.
const SLICES: usize = 60;

/// [`google_sre`] at work in one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adaptive {
    k_milli: u64,
    slice: Span,
    /// The number of the slice being written.
    now: u64,
    slices: Box<[(u32, u32); SLICES]>,
    requests: u64,
    accepts: u64,
}

impl Adaptive {
    /// Nothing seen yet. K in thousandths (the book: 2000), counted over `window` (the book: two minutes).
    pub fn new(k_milli: u64, window: Span) -> Adaptive {
        let slice = (window / SLICES as u64).max(Span::us(1));
        Adaptive { k_milli, slice, now: 0, slices: Box::new([(0, 0); SLICES]), requests: 0, accepts: 0 }
    }

    /// A call is wanted: whether it may be sent. It counts as a request either way.
    #[inline]
    pub fn admits(&mut self, now: Time, draw: &mut Draw) -> bool {
        self.expire(now);
        let refused = self.refusal().strikes(draw);
        self.requests += 1;
        self.slices[self.now as usize % SLICES].0 += 1;
        !refused
    }

    /// The server took a call.
    #[inline]
    pub fn accepted(&mut self, now: Time) {
        self.expire(now);
        self.accepts += 1;
        self.slices[self.now as usize % SLICES].1 += 1;
    }

    /// The present chance of being refused.
    pub const fn refusal(&self) -> Chance {
        google_sre(self.requests, self.accepts, self.k_milli)
    }

    fn expire(&mut self, now: Time) {
        let slice = now.slot(self.slice);
        let passed = slice.saturating_sub(self.now);
        for i in 1..=passed.min(SLICES as u64) {
            let (requests, accepts) = std::mem::take(&mut self.slices[(self.now + i) as usize % SLICES]);
            self.requests -= u64::from(requests);
            self.accepts -= u64::from(accepts);
        }
        self.now = self.now.max(slice);
    }
}
