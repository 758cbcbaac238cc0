//! Envoy's adaptive concurrency: the gradient controller (`gradient_controller.cc`), ported from its source.
//!
//! The least time is measured with the limit forced down to its minimum, again and again; in between the limit follows
//! the ratio of that time, and a quarter more, to the present one. Percentiles are exact here; Envoy's histogram keeps
//! about two digits.

use super::Sample;
use crate::draw::Draws;
use crate::record::Samples;
use crate::time::{Span, Time};

/// Its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The least limit, which it starts with and measures with: 3.
    pub min: u32,
    /// The greatest: 1,000.
    pub max: u32,
    /// How often the limit is set: `concurrency_update_interval`.
    pub update: Span,
    /// How often the least time is measured anew, plus up to 15 % of that.
    pub measure: Span,
    /// How many samples that takes: 50.
    pub samples: u32,
    /// By how much the present time may be above the least one, in percent: 25.
    pub buffer: u32,
}

/// The jitter on [`Config::measure`], in percent.
const JITTER: u64 = 15;
/// So many updates in a row at the least limit, and the least time is doubted.
const DOUBTED: u32 = 5;

/// What a run of it knows.
#[derive(Clone, Debug)]
pub struct Controller {
    config: Config,
    limit: u32,
    /// The limit to return to after measuring; 0 where nothing is being measured.
    deferred: u32,
    least_us: u64,
    times: Samples,
    /// Calls let in before this do not count.
    epoch: Time,
    at_least: u32,
    /// When the limit is set next, and when the least time is measured.
    update_at: Time,
    measure_at: Time,
    measured: u64,
    draws: Draws,
}

impl Controller {
    /// At its start: measuring.
    pub(super) fn new(config: Config, draws: Draws) -> Controller {
        let mut new = Controller {
            config,
            limit: config.min.max(1),
            deferred: 0,
            least_us: 0,
            times: Samples::default(),
            epoch: Time::ZERO,
            at_least: 0,
            update_at: Time::MAX,
            measure_at: Time::MAX,
            measured: 0,
            draws,
        };
        new.measure(Time::ZERO);
        new
    }

    /// The limit now.
    #[inline]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether the least time is being measured, with the limit at its minimum.
    pub fn measuring(&self) -> bool {
        self.deferred > 0
    }

    /// The limit that follows one at which a call takes `present_us`, where the least time is `least_us`.
    pub fn follows(config: &Config, limit: u32, least_us: u64, present_us: u64) -> u32 {
        let least = least_us as f64;
        let buffered = least + least * (f64::from(config.buffer) / 100.0);
        let gradient = (buffered / present_us.max(1) as f64).clamp(0.5, 2.0);
        let limit = f64::from(limit) * gradient;
        let next = (limit + libm::sqrt(limit)) as u32;
        next.min(config.max).max(config.min.max(1))
    }

    /// Lets the timers up to `now` ring.
    #[inline]
    pub(super) fn advance(&mut self, now: Time) {
        while self.measure_at.min(self.update_at) <= now {
            self.ring();
        }
    }

    fn ring(&mut self) {
        if self.measure_at <= self.update_at {
            let at = self.measure_at;
            self.measure_at = Time::MAX;
            self.measure(at);
            return;
        }
        let at = self.update_at;
        if self.measuring() {
            // It rings again once the least time is known.
            self.update_at = Time::MAX;
            return;
        }
        self.update_at = at + self.config.update.max(Span::us(1));
        if let Some(present) = self.percentile() {
            let next = Self::follows(&self.config, self.limit, self.least_us, present);
            self.set(next, at);
        }
    }

    /// The median of what was gathered, which is forgotten.
    fn percentile(&mut self) -> Option<u64> {
        let median = self.times.percentile(0.5).map(Span::as_us);
        self.times = Samples::default();
        median
    }

    fn measure(&mut self, now: Time) {
        if self.measuring() {
            return;
        }
        self.deferred = self.limit;
        self.set(self.config.min.max(1), now);
        self.times = Samples::default();
        self.epoch = now;
    }

    fn set(&mut self, limit: u32, now: Time) {
        let least = self.config.min.max(1);
        let stays = !self.measuring() && self.limit == least && limit == least;
        self.at_least = if stays { self.at_least + 1 } else { 0 };
        self.limit = limit;
        if self.at_least >= DOUBTED {
            self.measure_at = now;
        }
    }

    pub(super) fn sample(&mut self, sample: Sample) {
        // A call that was dropped gives no time, and one from before the measuring began tells nothing of it.
        if sample.dropped || sample.began < self.epoch {
            return;
        }
        self.times.add(sample.ended - sample.began);
        if !self.measuring() || self.times.len() < self.config.samples.max(1) as usize {
            return;
        }
        self.least_us = self.percentile().unwrap_or(0);
        let (deferred, every) = (self.deferred, self.config.measure);
        self.set(deferred, sample.ended);
        self.deferred = 0;
        let jitter = every.as_us() / 100 * JITTER;
        let jitter = self.draws.at(self.measured, 1, 0).below(jitter.max(1));
        self.measured += 1;
        self.measure_at = sample.ended + every + Span::us(jitter);
        self.update_at = sample.ended + self.config.update.max(Span::us(1));
    }
}
