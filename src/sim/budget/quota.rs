//! The retry quota of the AWS SDKs' standard mode: a stock that retries draw on and successes refill. Time brings
//! nothing back.

use super::Fault;

/// Tokens of a fresh client in all SDKs.
pub const CAPACITY: u64 = 500;

/// Which SDK's prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// botocore 1.44, @smithy/core 3.41: a retry costs 14, after throttling 5.
    Current,
    /// botocore 1.35: a retry costs 5, after a timeout 10.
    Classic,
    /// @smithy/util-retry 3.0.8: a retry costs 10, after throttling 5. By a bug any success fills the quota up: it sets
    /// the tokens to the *greater* of full and what would be right, where the smaller was meant.
    ClassicJs,
}

impl Sdk {
    /// What a retry after `fault` costs.
    pub const fn cost(self, fault: Fault) -> u32 {
        match (self, fault) {
            (Sdk::Current, Fault::Throttled) => 5,
            (Sdk::Current, _) => 14,
            (Sdk::Classic, Fault::Timeout) => 10,
            (Sdk::Classic, _) => 5,
            (Sdk::ClassicJs, Fault::Throttled) => 5,
            (Sdk::ClassicJs, _) => 10,
        }
    }
}

/// The quota of one client object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    sdk: Sdk,
    full: u64,
    capacity: u64,
}

impl Quota {
    /// A full quota of `capacity` tokens ([`CAPACITY`] in the SDKs).
    pub const fn new(sdk: Sdk, capacity: u64) -> Quota {
        Quota { sdk, full: capacity, capacity }
    }

    /// A retry after `fault` is wanted: what it cost, `None` where there was not enough.
    #[inline]
    pub fn take(&mut self, fault: Fault) -> Option<u32> {
        let cost = self.sdk.cost(fault);
        self.capacity = self.capacity.checked_sub(u64::from(cost))?;
        Some(cost)
    }

    /// A request succeeded, whose last retry had cost `cost`: that comes back. 1 where it needed no retry (`cost` 0).
    #[inline]
    pub fn success(&mut self, cost: u32) {
        let more = self.capacity + u64::from(cost.max(1));
        self.capacity = match self.sdk {
            Sdk::ClassicJs => more.max(self.full),
            Sdk::Current | Sdk::Classic => more.min(self.full),
        };
    }

    /// Tokens left.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Whose prices.
    pub const fn sdk(&self) -> Sdk {
        self.sdk
    }
}
