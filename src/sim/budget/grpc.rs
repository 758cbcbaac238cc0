//! gRPC's `retryThrottling` (gRFC A6; grpc-go's `retryThrottler`).
//!
//! Its tokens are not spent by retries but by failures, the last attempt's and those of calls that are never retried
//! too, and only a success brings any back. So it closes after a few failures and stays closed while nothing succeeds.

use super::{Ratio, TOKEN};

/// The throttle of one server name, counted in millionths of a token.
///
/// grpc-go counts in floats, grpc-java in thousandths; both take `tokenRatio` with up to three decimals, for which
/// millionths are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryThrottle {
    micro: u64,
    max: u64,
    ratio: u64,
}

impl RetryThrottle {
    /// Full, with `maxTokens` (1 to 1000) and `tokenRatio`.
    pub const fn new(ratio: Ratio, max_tokens: u64) -> RetryThrottle {
        let max = max_tokens.saturating_mul(TOKEN);
        RetryThrottle { micro: max, max, ratio: ratio.as_ppm() }
    }

    /// An attempt failed with a status that is retried: one token less, never below none.
    #[inline]
    pub fn failure(&mut self) {
        self.micro = self.micro.saturating_sub(TOKEN);
    }

    /// A call succeeded: `tokenRatio` more.
    #[inline]
    pub fn success(&mut self) {
        self.micro = self.micro.saturating_add(self.ratio).min(self.max);
    }

    /// Whether retries are allowed: only while more than half of the tokens are left.
    #[inline]
    pub const fn allows(&self) -> bool {
        self.micro > self.max - self.micro
    }

    /// Millionths of a token left.
    pub const fn micro_tokens(&self) -> u64 {
        self.micro
    }

    /// How many more failures in a row would still be retried.
    pub const fn in_hand(&self) -> u64 {
        // The greatest n with 2·(tokens − n) > max.
        let spare = self.micro.saturating_sub(self.max - self.micro);
        spare.saturating_sub(1) / (2 * TOKEN)
    }
}
