//! The token bucket of article 1: starts full, every original call brings a fraction of a token, every retry takes one.

use super::{Ratio, TOKEN};

/// The bucket, counted in millionths of a token.
///
/// Counted in doubles, ten times 0.1 is a little less than 1, so that a bucket may refuse a retry which was paid for
/// ([`Doubles`]). Rounded down to whole tokens a call, it would never fill. Millionths are exact for every ratio with
/// six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    micro: u64,
    max: u64,
    deposit: u64,
}

impl Bucket {
    /// A full bucket of `max_tokens`, to which each original call brings `ratio` of a token.
    pub const fn new(ratio: Ratio, max_tokens: u64) -> Bucket {
        let max = max_tokens.saturating_mul(TOKEN);
        Bucket { micro: max, max, deposit: ratio.as_ppm() }
    }

    /// An original call: before it is sent. What does not fit under the rim is lost.
    #[inline]
    pub fn deposit(&mut self) {
        self.micro = self.micro.saturating_add(self.deposit).min(self.max);
    }

    /// A retry wants a token; whether there was one.
    #[inline]
    pub fn withdraw(&mut self) -> bool {
        let enough = self.micro >= TOKEN;
        self.micro -= TOKEN * u64::from(enough);
        enough
    }

    /// Calls that reach the dependency when every one of them fails: `users` original calls with up to `retries`
    /// retries each, over this bucket while it is full.
    ///
    /// U + min(r·U, ⌊max + ratio·(U − 1)⌋): the first deposit finds the bucket full and is lost, no later one is. Exact
    /// where users come one after the other and max ≥ 1 + ratio (or ratio > r and max ≥ r); with a smaller bucket further
    /// deposits may spill over, and it is an upper bound.
    pub const fn saturated(&self, users: u64, retries: u64) -> u64 {
        if users == 0 {
            return 0;
        }
        let micro = self.max as u128 + self.deposit as u128 * (users - 1) as u128;
        let paid = (micro / TOKEN as u128) as u64;
        let wanted = users.saturating_mul(retries);
        users + if wanted < paid { wanted } else { paid }
    }

    /// Millionths of a token in it.
    pub const fn micro_tokens(&self) -> u64 {
        self.micro
    }
}

/// The same bucket as the article's program has it: JavaScript numbers, added in the same order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubles {
    tokens: f64,
    max: f64,
    deposit: f64,
}

impl Doubles {
    /// As [`Bucket::new`].
    pub fn new(ratio: Ratio, max_tokens: u64) -> Doubles {
        let max = max_tokens as f64;
        // The nearest double to the decimal, which is what a literal gives.
        Doubles { tokens: max, max, deposit: ratio.as_ppm() as f64 / 1e6 }
    }

    /// As [`Bucket::deposit`].
    #[inline]
    pub fn deposit(&mut self) {
        self.tokens = (self.tokens + self.deposit).min(self.max);
    }

    /// As [`Bucket::withdraw`].
    #[inline]
    pub fn withdraw(&mut self) -> bool {
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }

    /// Tokens in it.
    pub const fn tokens(&self) -> f64 {
        self.tokens
    }
}

/// Calls that reach the dependency when every one of them fails: `users` original calls with up to `retries` retries
/// each, over one bucket.
pub const fn saturated(users: u64, retries: u64, ratio: Ratio, max_tokens: u64) -> u64 {
    Bucket::new(ratio, max_tokens).saturated(users, retries)
}

/// [`saturated`], the users spread evenly over `pods` processes that have a bucket each.
pub const fn saturated_over_pods(users: u64, pods: u64, retries: u64, ratio: Ratio, max_tokens: u64) -> u64 {
    let pods = if pods == 0 { 1 } else { pods };
    let (each, more) = (users / pods, users % pods);
    more * saturated(each + 1, retries, ratio, max_tokens) + (pods - more) * saturated(each, retries, ratio, max_tokens)
}
