//! Adaptive concurrency limits: how many calls may be in flight is found from how long they take.
//!
//! | part | what it is | evidence |
//! |---|---|---|
//! | [`netflix`] | Netflix concurrency-limits 0.5: Vegas, Gradient2, AIMD | run against the library |
//! | [`envoy`] | Envoy's gradient controller | ported from the source |
//!
//! Whoever guards a server asks [`Limiter::limit`] before each call, counts what is in flight, and tells the limiter of
//! each call that came to its end. The libraries calculate in doubles, and so does this: sums, products, quotients and
//! square roots alone, which are the same on every machine.

pub mod envoy;
pub mod netflix;

use crate::draw::Draws;
use crate::time::{Span, Time};

/// The stream of what the libraries draw: when they measure anew.
const STREAM: u64 = 77;

/// Which limit, and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Netflix's `VegasLimit`.
    Vegas(netflix::Bounds),
    /// Netflix's `Gradient2Limit`.
    Gradient2(netflix::Bounds),
    /// Netflix's `AIMDLimit`, with the time from which on an answer counts as a drop: 5 s in the library.
    Aimd(netflix::Bounds, Span),
    /// Envoy's gradient controller.
    Envoy(envoy::Config),
}

/// A call that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was let in.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// How many calls were in flight once it had been let in, itself included.
    pub in_flight: u32,
    /// It was dropped without an answer.
    pub dropped: bool,
}

/// A limit that moves.
#[derive(Clone, Debug)]
pub enum Limiter {
    /// One of Netflix's.
    Netflix(netflix::Limit),
    /// Envoy's.
    Envoy(Box<envoy::Controller>),
}

impl Limiter {
    /// A limiter at its start. `window`: Netflix's `WindowedLimit` around it, so long at least ([`Span::ZERO`]: none, each
    /// sample counts). Envoy has a window of its own.
    pub fn new(rule: Rule, window: Span, seed: u64) -> Limiter {
        let draws = Draws::new(seed, STREAM);
        match rule {
            Rule::Envoy(config) => Limiter::Envoy(Box::new(envoy::Controller::new(config, draws))),
            _ => Limiter::Netflix(netflix::Limit::new(rule, window, draws)),
        }
    }

    /// How many calls may be in flight at `now`, which must not go back. A call is let in while fewer are.
    #[inline]
    pub fn limit(&mut self, now: Time) -> u32 {
        match self {
            Limiter::Netflix(limit) => limit.limit(),
            Limiter::Envoy(controller) => {
                controller.advance(now);
                controller.limit()
            }
        }
    }

    /// A call ended.
    pub fn sample(&mut self, sample: Sample) {
        match self {
            Limiter::Netflix(limit) => limit.sample(sample),
            Limiter::Envoy(controller) => {
                controller.advance(sample.ended);
                controller.sample(sample);
            }
        }
    }
}
