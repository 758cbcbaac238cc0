//! Keyed random draws.
//!
//! A value is a function of what it is for (seed, stream, request, hop, attempt), not of how many values were drawn
//! before. Turning one knob therefore leaves the other parts' luck alone, even where it changes how much is drawn:
//! two runs that differ in one guardrail differ by that guardrail only.
//!
//! The mixing function is the finaliser of SplitMix64 (Steele, Lea & Flood 2014, with Stafford's constants "mix 13"),
//! applied once a key word; from the resulting state the values follow as SplitMix64's own sequence.
//! Integers only, so the bits are the same everywhere.

use core::convert::Infallible;

use rand::TryRng;

use crate::time::Span;

/// SplitMix64's increment: 2⁶⁴ divided by the golden ratio, odd.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64: every input bit changes about half of the output bits.
#[inline]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One purpose's source of draws: the seed and a stream. Streams of one seed are independent of one another.
///
/// A part that draws for several purposes uses one stream each, named by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// The stream `stream` of the run with this `seed`.
    pub const fn new(seed: u64, stream: u64) -> Self {
        Draws(mix(mix(seed.wrapping_add(STEP)).wrapping_add(stream.wrapping_mul(STEP))))
    }

    /// The draw for `request`'s `attempt` at `hop`. Every value used for it comes from what is returned.
    #[inline]
    pub const fn at(self, request: u64, hop: u32, attempt: u32) -> Draw {
        let place = ((hop as u64) << 32) | attempt as u64;
        Draw(mix(mix(self.0 ^ request.wrapping_mul(STEP)).wrapping_add(place.wrapping_mul(STEP))))
    }
}

/// A short sequence of values for one key. Implements [`rand::Rng`], so `rand`'s methods apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw(u64);

impl Draw {
    /// 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A whole number below `n`, evenly; 0 where `n` is 0.
    ///
    /// The high half of a product: biased by less than n·2⁻⁶⁴, which nothing here can notice.
    #[inline]
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }

    /// A span in [0, `span`), evenly; zero where `span` is zero.
    #[inline]
    pub const fn span(&mut self, span: Span) -> Span {
        Span::us(self.below(span.as_us()))
    }

    /// A number from the exponential law with mean 1, by inversion: finite, at most 53·ln 2.
    #[inline]
    pub fn exponential_units(&mut self) -> f64 {
        // 1 - u is in (0, 1], so the logarithm is finite.
        -libm::log(1.0 - self.unit())
    }

    /// A span from the exponential law with this mean, by inversion, rounded to the nearest microsecond.
    #[inline]
    pub fn exponential(&mut self, mean: Span) -> Span {
        Span::from_us_f64(self.exponential_units() * mean.as_us() as f64 + 0.5)
    }
}

impl TryRng for Draw {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
