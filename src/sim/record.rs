//! Recorders: counts per time bin, samples with percentiles, time-weighted means.

use crate::time::{Span, Time};

/// The one definition of a percentile in this house: `sorted[floor(n·q)]`, clamped to the last.
///
/// `q` in 0..=1. `None` where there is no value. `sorted` ascends.
pub fn percentile<T: Copy>(sorted: &[T], q: f64) -> Option<T> {
    let last = sorted.len().checked_sub(1)?;
    let index = (sorted.len() as f64 * q) as usize; // `as` rounds down and turns NaN into 0
    sorted.get(index.min(last)).copied()
}

/// The most of `sorted`, ascending moments, that fall into one window [t, t + `width`), wherever it begins: where the first such
/// window begins, and how many. `None` without any.
pub fn busiest(sorted: &[Time], width: Span) -> Option<(Time, usize)> {
    let mut best: Option<(Time, usize)> = None;
    let mut end = 0;
    for (from, &at) in sorted.iter().enumerate() {
        while sorted.get(end).is_some_and(|&next| next < at + width.max(Span::us(1))) {
            end += 1;
        }
        let n = end - from;
        if best.is_none_or(|b| n > b.1) {
            best = Some((at, n));
        }
    }
    best
}

/// How many of something fell into each bin of equal width, from time 0 on. Grows as needed, up to a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bins {
    width: Span,
    limit: usize,
    counts: Vec<u32>,
    beyond: u64,
}

impl Bins {
    /// Bins of `width` (at least 1 µs), at most `limit` of them; what falls behind the last is only counted.
    pub fn new(width: Span, limit: usize) -> Self {
        Self { width: width.max(Span::us(1)), limit, counts: Vec::new(), beyond: 0 }
    }

    /// One more at `at`.
    #[inline]
    pub fn add(&mut self, at: Time) {
        let bin = at.slot(self.width);
        if bin >= self.limit as u64 {
            self.beyond += 1;
            return;
        }
        let bin = bin as usize;
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    /// A bin's width.
    pub fn width(&self) -> Span {
        self.width
    }
    /// Counts from time 0 on, up to the last bin that is not empty.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }
    /// How many fell behind the last bin.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }
    /// How many in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).sum::<u64>() + self.beyond
    }
}

/// Durations collected one by one, for percentiles and the mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    us: Vec<u64>,
    sorted: bool,
}

impl Samples {
    /// No samples, with room for `n`.
    pub fn with_capacity(n: usize) -> Self {
        Self { us: Vec::with_capacity(n), sorted: true }
    }

    /// One more.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.us.push(span.as_us());
        self.sorted = false;
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.us.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.us.is_empty()
    }
    /// The mean in microseconds; `None` without samples.
    pub fn mean_us(&self) -> Option<f64> {
        let sum: u128 = self.us.iter().map(|&us| u128::from(us)).sum();
        (!self.us.is_empty()).then(|| sum as f64 / self.us.len() as f64)
    }
    /// The [`percentile`] at `q`; `None` without samples. Sorts on first use.
    pub fn percentile(&mut self, q: f64) -> Option<Span> {
        percentile(self.sort(), q).map(Span::us)
    }
    /// How many are `limit` or shorter. Sorts on first use.
    pub fn within(&mut self, limit: Span) -> usize {
        self.sort().partition_point(|&us| us <= limit.as_us())
    }

    fn sort(&mut self) -> &[u64] {
        if !self.sorted {
            self.us.sort_unstable();
            self.sorted = true;
        }
        &self.us
    }
}

/// A quantity that holds its value between changes (queue length, in-flight): its mean over time and its peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    value: u64,
    peak: u64,
    since: Time,
    area: u128,
    from: Time,
}

impl Level {
    /// From `now` on the value is `value`. Times must not go back.
    #[inline]
    pub fn set(&mut self, now: Time, value: u64) {
        self.area += u128::from(self.value) * u128::from((now - self.since).as_us());
        self.since = now;
        self.value = value;
        self.peak = self.peak.max(value);
    }
    /// The value now.
    pub fn value(&self) -> u64 {
        self.value
    }
    /// The greatest value so far.
    pub fn peak(&self) -> u64 {
        self.peak
    }
    /// Forgets what was before `now`, except the value: mean and peak are those from now on. Ends a warm-up.
    pub fn restart(&mut self, now: Time) {
        *self = Level { value: self.value, peak: self.value, since: now, area: 0, from: now };
    }
    /// The mean from time 0, or the last [restart](Level::restart), to `end`; 0 where that is no time at all.
    pub fn mean(mut self, end: Time) -> f64 {
        self.set(end, self.value);
        let over = end - self.from;
        if over == Span::ZERO { 0.0 } else { self.area as f64 / over.as_us() as f64 }
    }
}
