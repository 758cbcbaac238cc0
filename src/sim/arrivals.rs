//! When requests come. An open population: nobody waits for an answer before the next one comes.

use crate::draw::Draws;
use crate::time::{Span, Time};

/// How many a second, in thousandths: 0.001/s to about 1.8·10¹⁶/s, exact where a card says 0.5/s or 1.361/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// Never.
    pub const ZERO: Rate = Rate(0);

    /// `n` a second.
    pub const fn per_s(n: u64) -> Rate {
        Rate(n.saturating_mul(1000))
    }
    /// `n` in a thousand seconds.
    pub const fn milli_per_s(n: u64) -> Rate {
        Rate(n)
    }
    /// Thousandths of one a second.
    pub const fn as_milli_per_s(self) -> u64 {
        self.0
    }
    /// How many a second.
    pub fn as_per_s(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// When number `n`, counted from 0, comes if they come evenly from time 0 on: n/rate, rounded down to a microsecond.
    ///
    /// Computed from `n` alone, so the rounding does not add up. `None` where it never comes.
    #[inline]
    pub const fn nth(self, n: u64) -> Option<Time> {
        let Some(us) = (n as u128 * 1_000_000_000).checked_div(self.0 as u128) else { return None };
        if us >= u64::MAX as u128 { None } else { Some(Time::us(us as u64)) }
    }
}

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// All at time 0.
    AtOnce,
    /// Request n at n/rate.
    Even {
        /// How many a second.
        rate: Rate,
    },
    /// With independent exponential gaps, the first one before request 0.
    Poisson {
        /// How many a second, on average.
        rate: Rate,
    },
    /// `size` at the same moment, at time 0 and then again and again.
    Bursts {
        /// How many at a time; none where 0.
        size: u32,
        /// From one burst to the next.
        every: Span,
    },
}

impl Arrivals {
    /// When request number `request`, counted from 0, comes; `None` where it never does.
    ///
    /// `previous` is what was returned for the request before, [`Time::ZERO`] for the first. The gap's draw is keyed by
    /// the request, so a pattern does not depend on what else the run draws.
    #[inline]
    pub fn at(&self, request: u64, previous: Time, draws: Draws) -> Option<Time> {
        match *self {
            Arrivals::AtOnce => Some(Time::ZERO),
            Arrivals::Even { rate } => rate.nth(request),
            Arrivals::Poisson { rate: Rate::ZERO } => None,
            Arrivals::Poisson { rate } => {
                // The mean gap stays a fraction: a whole number of microseconds would shift the rate of 600/s by 0.04 %.
                let mean_us = 1e9 / rate.0 as f64;
                Some(previous + Span::from_us_f64(draws.at(request, 0, 0).exponential_units() * mean_us + 0.5))
            }
            Arrivals::Bursts { size, every } => {
                request.checked_div(u64::from(size)).map(|burst| Time::ZERO + every * burst)
            }
        }
    }

    /// How many a second on average, in the long run; infinite where all come at once.
    pub fn mean_per_s(&self) -> f64 {
        match *self {
            Arrivals::AtOnce => f64::INFINITY,
            Arrivals::Even { rate } | Arrivals::Poisson { rate } => rate.as_per_s(),
            Arrivals::Bursts { size: 0, .. } => 0.0,
            Arrivals::Bursts { size, every } => f64::from(size) / every.as_s(),
        }
    }
}
