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

/// The full rate, in the millionths of [`Profile`].
const WHOLE: u32 = 1_000_000;

/// How a load changes over time: shares of its full rate at given moments, straight lines between them.
///
/// Before the first moment the share is the first one's, after the last it is the last one's. Two entries of one moment
/// are a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile(Vec<(Time, u32)>);

impl Profile {
    /// Always the full rate.
    pub fn steady() -> Profile {
        Profile(vec![(Time::ZERO, WHOLE)])
    }

    /// Shares in millionths at these moments, which must not go back; none is the full rate.
    pub fn through(points: Vec<(Time, u32)>) -> Profile {
        if points.is_empty() { Profile::steady() } else { Profile(points) }
    }

    /// From `at` on, `share` millionths of what it was.
    pub fn scaled_from(mut self, at: Time, share: u32) -> Profile {
        let here = (self.share(at) + 0.5) as u32;
        let scale = |s: u32| (u64::from(s) * u64::from(share) / u64::from(WHOLE)) as u32;
        let split = self.0.partition_point(|p| p.0 <= at);
        self.0[split..].iter_mut().for_each(|p| p.1 = scale(p.1));
        self.0.splice(split..split, [(at, here), (at, scale(here))]);
        self
    }

    /// The share at `at`, in millionths; at a step, the one after it.
    pub fn share(&self, at: Time) -> f64 {
        let next = self.0.partition_point(|p| p.0 <= at);
        match (next.checked_sub(1).and_then(|i| self.0.get(i)), self.0.get(next)) {
            (Some(a), Some(b)) => {
                let along = (at - a.0).as_us() as f64 / (b.0 - a.0).as_us() as f64;
                f64::from(a.1) + along * (f64::from(b.1) - f64::from(a.1))
            }
            (Some(one), None) | (None, Some(one)) => f64::from(one.1),
            (None, None) => f64::from(WHOLE),
        }
    }

    /// When as much has come since `from` as comes in `gap_us` microseconds at the full rate; `None`: never.
    ///
    /// Within a straight piece the area under it is a quadratic in time, solved without a difference of near numbers.
    pub fn after(&self, from: Time, gap_us: f64) -> Option<Time> {
        let (mut at, mut left) = (from, gap_us);
        loop {
            let share = self.share(at) / f64::from(WHOLE);
            let next = self.0.get(self.0.partition_point(|p| p.0 <= at)).map(|p| p.0);
            let Some(end) = next else {
                // The last share holds for ever.
                return (share > 0.0).then(|| at + Span::from_us_f64(left / share + 0.5));
            };
            let length = (end - at).as_us() as f64;
            // Just before the end, since there may be a step at it.
            let split = self.0.partition_point(|p| p.0 < end);
            let then = f64::from(self.0[split].1) / f64::from(WHOLE);
            let area = (share + then) / 2.0 * length;
            if left <= area && area > 0.0 {
                let slope = (then - share) / length;
                let root = libm::sqrt((share * share + 2.0 * slope * left).max(0.0));
                return Some(at + Span::from_us_f64((2.0 * left / (share + root)).min(length) + 0.5));
            }
            left -= area;
            at = end;
        }
    }
}

impl Arrivals {
    /// When request number `request` comes of a load with this `profile`; otherwise as [`Arrivals::at`].
    ///
    /// The draws are those of the steady load, so up to the profile's first change the same requests come.
    pub fn at_within(&self, profile: &Profile, request: u64, previous: Time, draws: Draws) -> Option<Time> {
        match *self {
            Arrivals::AtOnce | Arrivals::Bursts { .. } => self.at(request, previous, draws),
            Arrivals::Even { rate } if rate == Rate::ZERO => None,
            Arrivals::Even { rate } => profile.after(Time::ZERO, request as f64 * 1e9 / rate.0 as f64),
            Arrivals::Poisson { rate } if rate == Rate::ZERO => None,
            Arrivals::Poisson { rate } => {
                let gap = draws.at(request, 0, 0).exponential_units() * (1e9 / rate.0 as f64);
                profile.after(previous, gap)
            }
        }
    }
}
