//! An autoscaler that looks at latency and multiplies: article 1's, which made its incident worse.
//!
//! It knows neither why answers are slow nor where the bottleneck is. Scaling by a target utilisation, as a HPA does, is
//! another rule.

use crate::time::{Span, Time};

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// How often it looks. At least 1 µs.
    pub every: Span,
    /// Mean latency since the last look above which it wants more.
    pub target: Span,
    /// By how much it multiplies, at least 1.
    pub factor: u32,
    /// Most pods.
    pub most: u32,
    /// From the wish for a pod until it is ready.
    pub start: Span,
    /// After so long without a mean above the target, back to the least.
    pub calm: Span,
}

/// The scaler at work.
#[derive(Clone, Debug)]
pub struct Scaler {
    rule: Rule,
    least: u32,
    wanted: u32,
    ready: u32,
    /// Wishes on their way: from when on they are ready, and how many pods there will be.
    coming: Vec<(Time, u32)>,
    calm_since: Time,
    latency_us: u128,
    answers: u64,
}

impl Scaler {
    /// With `pods` pods, which is also the least.
    pub fn new(rule: Rule, pods: u32) -> Scaler {
        Scaler {
            rule,
            least: pods,
            wanted: pods,
            ready: pods,
            coming: Vec::with_capacity(8),
            calm_since: Time::ZERO,
            latency_us: 0,
            answers: 0,
        }
    }

    /// A request was answered, well or badly, after so long.
    #[inline]
    pub fn answered(&mut self, latency: Span) {
        self.latency_us += u128::from(latency.as_us());
        self.answers += 1;
    }

    /// Looks: pods that have become ready, and what it wants now. To be called at every multiple of [`Rule::every`].
    pub fn look(&mut self, now: Time) {
        let above =
            self.answers > 0 && self.latency_us > u128::from(self.rule.target.as_us()) * u128::from(self.answers);
        (self.latency_us, self.answers) = (0, 0);
        if above {
            self.calm_since = now;
            let more = self.wanted.saturating_mul(self.rule.factor.max(1)).min(self.rule.most.max(self.least));
            if more > self.wanted {
                self.wanted = more;
                self.coming.push((now + self.rule.start, more));
            }
        } else if now - self.calm_since >= self.rule.calm && self.wanted > self.least {
            // Pods that go are gone at once.
            (self.wanted, self.ready) = (self.least, self.least);
            self.coming.clear();
        }
    }

    /// Pods ready at `now`. Times must not go back.
    #[inline]
    pub fn pods(&mut self, now: Time) -> u32 {
        while let Some(&(at, pods)) = self.coming.first()
            && at <= now
        {
            self.ready = pods;
            self.coming.remove(0);
        }
        self.ready
    }

    /// How often it looks.
    pub fn every(&self) -> Span {
        self.rule.every.max(Span::us(1))
    }
}
