//! The law of a duration: service times, think times, latencies.

use crate::draw::Draw;
use crate::time::Span;

/// How a duration is distributed. Parameters are integers, so that a law can be compared and put into a link.
///
/// Draws are rounded to the nearest microsecond: a mean of 1 ms or more is kept to better than a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Always this long: the D of M/D/1.
    Fixed(Span),
    /// Exponential with this mean: the M of M/M/1. Squared coefficient of variation 1.
    Exponential(Span),
    /// Evenly from `from` to `to`, both included; always `from` where `to` is not later.
    Uniform {
        /// The shortest.
        from: Span,
        /// The longest.
        to: Span,
    },
    /// Two exponential laws mixed, each bringing half of the mean ("balanced means", Whitt 1982): mostly short, now and
    /// then a long one.
    Hyperexponential {
        /// The mean.
        mean: Span,
        /// Squared coefficient of variation in thousandths, at least 1000 (less counts as 1000: exponential).
        scv_milli: u32,
    },
    /// The logarithm is normal: what measured latencies look like, with a tail heavier than any exponential's.
    LogNormal {
        /// The mean, not the median.
        mean: Span,
        /// Squared coefficient of variation in thousandths; 0 is fixed.
        scv_milli: u32,
    },
}

impl Law {
    /// One duration; takes one or two values from `draw`, as many for each draw of one law.
    #[inline]
    pub fn draw(&self, draw: &mut Draw) -> Span {
        match *self {
            Law::Fixed(span) => span,
            Law::Exponential(mean) => draw.exponential(mean),
            Law::Uniform { from, to } => {
                let width = to.saturating_sub(from);
                from + draw.span(width + Span::us(u64::from(width > Span::ZERO)))
            }
            Law::Hyperexponential { mean, scv_milli } => hyperexponential(mean, scv_milli, draw),
            Law::LogNormal { mean, scv_milli } => log_normal(mean, scv_milli, draw),
        }
    }

    /// The mean, rounded down to a microsecond.
    pub fn mean(&self) -> Span {
        match *self {
            Law::Fixed(mean)
            | Law::Exponential(mean)
            | Law::Hyperexponential { mean, .. }
            | Law::LogNormal { mean, .. } => mean,
            Law::Uniform { from, to } => from + to.saturating_sub(from) / 2,
        }
    }
}

/// Either law has the mean m/2p, p being its probability, so that p·m/2p is half of m.
fn hyperexponential(mean: Span, scv_milli: u32, draw: &mut Draw) -> Span {
    let scv = f64::from(scv_milli.max(1000)) / 1e3;
    let often = 0.5 + 0.5 * libm::sqrt((scv - 1.0) / (scv + 1.0));
    let p = if draw.unit() < often { often } else { 1.0 - often };
    Span::from_us_f64(draw.exponential_units() * (mean.as_us() as f64 / (2.0 * p)) + 0.5)
}

/// mean·exp(σZ − σ²/2) with σ² = ln(1 + scv), Z normal by Box and Muller (1958; its second value is not used, so that a
/// draw depends on its key alone).
fn log_normal(mean: Span, scv_milli: u32, draw: &mut Draw) -> Span {
    let variance = libm::log1p(f64::from(scv_milli) / 1e3);
    let radius = libm::sqrt(2.0 * draw.exponential_units());
    let z = radius * libm::cos(core::f64::consts::TAU * draw.unit());
    Span::from_us_f64(mean.as_us() as f64 * libm::exp(libm::sqrt(variance) * z - 0.5 * variance) + 0.5)
}
