//! KEDA: what its scalers report to the autoscaler, and when it goes to nothing and back.
//!
//! Ported from `kafka_scaler.go`, `aws_sqs_queue_scaler.go` and the scale executor of KEDA 2.20. Between 1 and the most, the
//! [autoscaler](crate::hpa) decides, by ⌈total / threshold⌉; KEDA itself only switches between nothing and something.

use crate::time::{Span, Time};

/// The Kafka scaler's lag threshold in its code; its documentation says 5.
pub const LAG_THRESHOLD: u64 = 10;
/// How often KEDA looks, unless told otherwise.
pub const POLLING: Span = Span::s(30);
/// How long after the last activity it goes to nothing, unless told otherwise.
pub const COOLDOWN: Span = Span::s(300);

/// The Kafka scaler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kafka {
    /// Lag that one pod is to have, at least 1.
    pub threshold: u64,
    /// More pods than partitions are allowed.
    pub allow_idle: bool,
    /// Only partitions that have a lag count as partitions.
    pub limit_to_lagging: bool,
    /// Pods are to divide the partitions evenly.
    pub even: bool,
}

impl Default for Kafka {
    fn default() -> Self {
        Kafka { threshold: LAG_THRESHOLD, allow_idle: false, limit_to_lagging: false, even: false }
    }
}

impl Kafka {
    /// The total lag that it reports: no more than its bound of pods can have.
    pub fn reported(&self, lags: &[u64]) -> u64 {
        let (partitions, threshold) = (lags.len() as u64, self.threshold.max(1));
        let mut total: u64 = lags.iter().sum();
        if self.allow_idle && !self.limit_to_lagging && !self.even {
            return total;
        }
        if self.even {
            let mut factors = (1..=partitions).filter(|n| partitions.is_multiple_of(*n));
            total = threshold * factors.find(|n| n * threshold >= total).unwrap_or(partitions);
        }
        let lagging = lags.iter().filter(|&&lag| lag > 0).count() as u64;
        let bound = if self.limit_to_lagging { lagging } else { partitions };
        if total / threshold > bound { bound * threshold } else { total }
    }
}

/// Messages that the SQS scaler reports: those visible and, unless it is told otherwise, those in flight.
pub const fn sqs(visible: u64, in_flight: u64, on_in_flight: bool) -> u64 {
    if on_in_flight { visible + in_flight } else { visible }
}

/// What switches between nothing and something. Times are those of its polls.
#[derive(Clone, Copy, Debug)]
pub struct Executor {
    /// Fewest replicas; above 0 it never goes to nothing.
    pub least: u64,
    /// How long after the last activity it goes to nothing.
    pub cooldown: Span,
    last_active: Time,
}

impl Executor {
    /// Active at `now`.
    pub fn new(least: u64, cooldown: Span, now: Time) -> Executor {
        Executor { least, cooldown, last_active: now }
    }

    /// A poll that finds `current` replicas, and whether there is anything to do: how many there are to be.
    pub fn poll(&mut self, now: Time, active: bool, current: u64) -> u64 {
        if active {
            self.last_active = now;
            return if current == 0 { self.least.max(1) } else { current };
        }
        // Strictly after.
        let over = now - self.last_active > self.cooldown;
        if self.least == 0 && current > 0 && over { 0 } else { current.max(self.least) }
    }
}
