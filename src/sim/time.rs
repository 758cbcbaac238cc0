//! Virtual time: whole microseconds, so that two runs can be compared to the bit.

use core::ops::{Add, AddAssign, Div, Mul, Sub};

/// A length of time in whole microseconds, 0 to about 584,000 years.
///
/// Sums and products saturate: a wait that overflows is "for ever", not a small number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// A moment: microseconds since the run's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than any run: "never".
    pub const MAX: Span = Span(u64::MAX);

    /// A span of `us` microseconds.
    pub const fn us(us: u64) -> Span {
        Span(us)
    }
    /// A span of `ms` milliseconds.
    pub const fn ms(ms: u64) -> Span {
        Span(ms.saturating_mul(1_000))
    }
    /// A span of `s` seconds.
    pub const fn s(s: u64) -> Span {
        Span(s.saturating_mul(1_000_000))
    }
    /// The nearest span to `us` microseconds, rounded down; negative and NaN give zero, too much gives [`Span::MAX`].
    pub fn from_us_f64(us: f64) -> Span {
        Span(us as u64) // `as` saturates, and turns NaN into 0
    }
    /// Whole microseconds.
    pub const fn as_us(self) -> u64 {
        self.0
    }
    /// Milliseconds.
    pub fn as_ms(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// Seconds.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// The longer part of `self` beyond `other`; zero where there is none.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Time {
    /// The run's start.
    pub const ZERO: Time = Time(0);
    /// After the end of any run.
    pub const MAX: Time = Time(u64::MAX);

    /// The moment `us` microseconds after the start.
    pub const fn us(us: u64) -> Time {
        Time(us)
    }
    /// Whole microseconds since the start.
    pub const fn as_us(self) -> u64 {
        self.0
    }
    /// Milliseconds since the start.
    pub fn as_ms(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// Seconds since the start.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Time since `earlier`; zero where that is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
    /// Which slot of length `slot` this moment falls into, counted from 0 (a zero slot counts as 1 µs).
    pub const fn slot(self, slot: Span) -> u64 {
        self.0 / if slot.0 == 0 { 1 } else { slot.0 }
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}
impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}
impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        self.since(earlier)
    }
}
impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}
impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}
impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, times: u64) -> Span {
        Span(self.0.saturating_mul(times))
    }
}
impl Div<u64> for Span {
    type Output = Span;
    /// Rounded down; a division by zero gives [`Span::MAX`].
    fn div(self, parts: u64) -> Span {
        Span(self.0.checked_div(parts).unwrap_or(u64::MAX))
    }
}
