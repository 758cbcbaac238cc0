//! How long a cached copy counts.

use crate::draw::Draw;
use crate::time::Span;

/// How old a copy may be: `max-age` and the two extensions of RFC 5861.
///
/// Each bound is exclusive: a copy as old as `max_age` is stale, one as old as `max_age + stale_while_revalidate` is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// So long it is fresh.
    pub max_age: Span,
    /// So long after that it may be served, while it is fetched anew in the background.
    pub stale_while_revalidate: Span,
    /// So long after `max_age` it may stand in for an error.
    pub stale_if_error: Span,
}

/// What a copy is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is served.
    Fresh,
    /// It is served, and fetched anew in the background.
    Stale,
    /// It must be fetched first.
    Gone,
}

impl Lifetime {
    /// What a copy of this age is good for.
    pub fn state(&self, age: Span) -> State {
        if age < self.max_age {
            State::Fresh
        } else if age < self.max_age + self.stale_while_revalidate {
            State::Stale
        } else {
            State::Gone
        }
    }

    /// Whether a copy of this age may be served in place of an error.
    pub fn on_error(&self, age: Span) -> bool {
        age < self.max_age + self.stale_if_error
    }
}

/// A time to live shortened by up to `percent` of it, evenly: never longer than `ttl`, so that nothing gets older than allowed.
pub fn spread(ttl: Span, percent: u64, draw: &mut Draw) -> Span {
    let most = u128::from(ttl.as_us()) * u128::from(percent.min(100)) / 100;
    ttl.saturating_sub(draw.span(Span::us(most as u64)))
}

/// XFetch: whether who reads a copy with `left` to live rebuilds it now.
///
/// It does where −δ·β·ln U ≥ left: δ is what the last rebuild took, β (here in thousandths) how early one wants it, U a number in
/// (0, 1]. Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", VLDB 2015.
pub fn early(left: Span, cost: Span, beta_milli: u64, u: f64) -> bool {
    let ahead = -libm::log(u) * cost.as_us() as f64 * (beta_milli as f64 / 1e3);
    beta_milli > 0 && ahead >= left.as_us() as f64
}

/// The number in (0, 1] that [`early`] wants.
pub fn chance(draw: &mut Draw) -> f64 {
    1.0 - draw.unit()
}

/// With more than this to live [`early`] never says yes: [`chance`] is a multiple of 2⁻⁵³, so −ln U is 53·ln 2 at most.
pub fn farthest(cost: Span, beta_milli: u64) -> Span {
    let most = 53.0 * core::f64::consts::LN_2 * cost.as_us() as f64 * (beta_milli as f64 / 1e3);
    Span::from_us_f64(most + 1.0)
}
