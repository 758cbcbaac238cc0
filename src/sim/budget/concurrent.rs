//! Budgets that count retries under way instead of retries per time: Envoy's circuit breaker for retries.
//!
//! A retry holds its place from the moment when it is decided on, through its backoff, until its call has ended. So how
//! many retries a second a limit allows depends on how long waits and calls take.

use super::Ratio;

/// How many retries may be under way at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Envoy `max_retries`, 3 unless set (Istio sets 2³² − 1).
    Fixed(u64),
    /// Envoy `retry_budget`: a share of the requests active and pending, but no less than a minimum (20 % and 3).
    Share {
        /// `budget_percent`.
        percent: Ratio,
        /// `min_retry_concurrency`.
        at_least: u64,
    },
}

impl Limit {
    /// The limit while `active` requests are in flight, pending ones included.
    pub const fn at(self, active: u64) -> u64 {
        match self {
            Limit::Fixed(most) => most,
            Limit::Share { percent, at_least } => {
                let share = percent.of(active);
                if share > at_least { share } else { at_least }
            }
        }
    }
}

/// The gauges of one Envoy (one upstream cluster and priority).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concurrent {
    limit: Limit,
    retries: u64,
    /// Calls in flight; retries that are still waiting are not.
    pub active: u64,
}

impl Concurrent {
    /// Nothing under way.
    pub const fn new(limit: Limit) -> Concurrent {
        Concurrent { limit, retries: 0, active: 0 }
    }

    /// A retry wants a place; whether it got one.
    #[inline]
    pub fn take(&mut self) -> bool {
        let free = self.retries < self.limit.at(self.active);
        self.retries += u64::from(free);
        free
    }

    /// A call has ended, and with it the `place` it held, if any.
    #[inline]
    pub fn ended(&mut self, place: &mut bool) {
        self.active = self.active.saturating_sub(1);
        self.retries -= u64::from(std::mem::take(place)).min(self.retries);
    }

    /// Free places.
    pub const fn free(&self) -> u64 {
        self.limit.at(self.active).saturating_sub(self.retries)
    }
}

/// failsafe-go 0.9 `Budget`: refuses only where `retries` under way have reached `at_least` **and** are more than
/// `max_rate` of the `executions` under way (3 and 20 % unless set).
pub const fn failsafe_go_permits(retries: u64, executions: u64, max_rate: Ratio, at_least: u64) -> bool {
    retries < at_least || retries as u128 * 1_000_000 <= max_rate.as_ppm() as u128 * executions as u128
}
