//! Retry budgets: may this failed call be tried once more, given what all the others have tried?
//!
//! All counting is in whole numbers of the smallest unit that a mechanism knows, so no remainder is ever lost. (The one
//! exception is [`bucket::Doubles`], which is there to show what a lost remainder does.)
//!
//! | module | mechanism | how it is known |
//! |---|---|---|
//! | [`bucket`] | the article's token bucket, exactly and in its own doubles; closed form | article 1, card 036 |
//! | [`grpc`] | gRPC `retryThrottling` | ported from its source |
//! | [`window`] | Finagle `RetryBudget`, tower `TpsBudget` | ported from their sources; tower's numbers run |
//! | [`concurrent`] | Envoy `retry_budget` and `max_retries`, failsafe-go `Budget` | ported from their sources |
//! | [`quota`] | retry quota of the AWS SDKs, current and classic | run |
//! | [`throttle`] | adaptive throttling: Google SRE, failsafe-go, Envoy admission control | documented formulas |
//!
//! [`Rule`] names one with its parameters, [`Budget`] is one at work in one client process.

pub mod bucket;
pub mod concurrent;
pub mod grpc;
pub mod quota;
pub mod throttle;
pub mod window;

use crate::draw::Draw;
use crate::time::{Span, Time};

use bucket::{Bucket, Doubles};
use concurrent::{Concurrent, Limit};
use grpc::RetryThrottle;
use quota::{Quota, Sdk};
use throttle::Adaptive;
use window::{Library, Window};

/// Millionths of one token: [`bucket`] and [`grpc`] count in these.
pub const TOKEN: u64 = 1_000_000;

/// A share in millionths: 100,000 is 10 %. More than one is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(u64);

impl Ratio {
    /// `n` millionths.
    pub const fn ppm(n: u64) -> Ratio {
        Ratio(n)
    }
    /// `n` hundredths.
    pub const fn percent(n: u64) -> Ratio {
        Ratio(n.saturating_mul(10_000))
    }
    /// Millionths.
    pub const fn as_ppm(self) -> u64 {
        self.0
    }
    /// This share of `n`, rounded down.
    pub const fn of(self, n: u64) -> u64 {
        (n as u128 * self.0 as u128 / 1_000_000) as u64
    }
}

/// What went wrong with a call, for mechanisms that charge by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error that may pass: refused, reset, 500, 502, 503, 504.
    Transient,
    /// The server said that it is too much: 429 or a throttling code.
    Throttled,
    /// No answer in time.
    Timeout,
}

/// A mechanism with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Whoever wants to retries.
    Unlimited,
    /// The article's bucket.
    Bucket {
        /// Tokens that an original call brings.
        ratio: Ratio,
        /// Most tokens, and how many there are at the start.
        max_tokens: u64,
    },
    /// The same with its tokens in floats, as the article's program has them.
    Doubles {
        /// As in [`Rule::Bucket`].
        ratio: Ratio,
        /// As in [`Rule::Bucket`].
        max_tokens: u64,
    },
    /// gRPC's `retryThrottling`.
    Grpc {
        /// `tokenRatio`: tokens that a success brings.
        ratio: Ratio,
        /// `maxTokens`.
        max_tokens: u64,
    },
    /// Finagle's or tower's window.
    Window {
        /// Whose.
        library: Library,
        /// How long a deposit counts, 1 s to 60 s.
        ttl: Span,
        /// Retries a second that are always granted.
        min_per_s: u64,
        /// Retries per request.
        ratio: Ratio,
    },
    /// So many retries under way at a time.
    Concurrent(Limit),
    /// The retry quota of an AWS SDK.
    Quota {
        /// Which.
        sdk: Sdk,
        /// Tokens, 500 unless changed.
        capacity: u64,
    },
    /// Google SRE's adaptive throttling: refuses any call, first ones too, by chance.
    Adaptive {
        /// The multiplier K in thousandths: 2000 is K = 2.
        k_milli: u64,
        /// How far back requests and accepts are counted.
        window: Span,
    },
}

/// What one request holds of its budget from one of its calls to the next. Fresh for each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// What its last retry cost ([`quota`]); 0 before the first.
    pub cost: u32,
    /// One of the places for retries is its own ([`concurrent`]).
    pub place: bool,
}

/// A budget at work: one client process's.
///
/// A request is announced with [`Budget::request`]. Each of its calls, the first too, is asked for with [`Budget::admits`],
/// reported with [`Budget::sent`], and ends with [`Budget::answered`] or [`Budget::failed`]. Each further call is asked
/// for with [`Budget::take`] first.
#[derive(Clone, Debug, PartialEq)]
pub enum Budget {
    /// See [`Rule::Unlimited`].
    Unlimited,
    /// See [`Rule::Bucket`].
    Bucket(Bucket),
    /// See [`Rule::Doubles`].
    Doubles(Doubles),
    /// See [`Rule::Grpc`].
    Grpc(RetryThrottle),
    /// See [`Rule::Window`].
    Window(Window),
    /// See [`Rule::Concurrent`].
    Concurrent(Concurrent),
    /// See [`Rule::Quota`].
    Quota(Quota),
    /// See [`Rule::Adaptive`].
    Adaptive(Adaptive),
}

impl Budget {
    /// As it is when its process starts, at [`Time::ZERO`].
    pub fn new(rule: Rule) -> Budget {
        match rule {
            Rule::Unlimited => Budget::Unlimited,
            Rule::Bucket { ratio, max_tokens } => Budget::Bucket(Bucket::new(ratio, max_tokens)),
            Rule::Doubles { ratio, max_tokens } => Budget::Doubles(Doubles::new(ratio, max_tokens)),
            Rule::Grpc { ratio, max_tokens } => Budget::Grpc(RetryThrottle::new(ratio, max_tokens)),
            Rule::Window { library, ttl, min_per_s, ratio } => {
                Budget::Window(Window::new(library, ttl, min_per_s, ratio))
            }
            Rule::Concurrent(limit) => Budget::Concurrent(Concurrent::new(limit)),
            Rule::Quota { sdk, capacity } => Budget::Quota(Quota::new(sdk, capacity)),
            Rule::Adaptive { k_milli, window } => Budget::Adaptive(Adaptive::new(k_milli, window)),
        }
    }

    /// A request begins: its deposit. Before its first call.
    #[inline]
    pub fn request(&mut self, now: Time) {
        match self {
            Budget::Bucket(bucket) => bucket.deposit(),
            Budget::Doubles(bucket) => bucket.deposit(),
            Budget::Window(window) => window.deposit(now),
            _ => {}
        }
    }

    /// May this call be sent at all? Only adaptive throttling ever says no; `draw` is its chance.
    #[inline]
    pub fn admits(&mut self, now: Time, draw: &mut Draw) -> bool {
        match self {
            Budget::Adaptive(throttle) => throttle.admits(now, draw),
            _ => true,
        }
    }

    /// A call goes out.
    #[inline]
    pub fn sent(&mut self) {
        if let Budget::Concurrent(concurrent) = self {
            concurrent.active += 1;
        }
    }

    /// A call was answered well.
    #[inline]
    pub fn answered(&mut self, now: Time, hold: &mut Hold) {
        match self {
            Budget::Grpc(throttle) => throttle.success(),
            Budget::Concurrent(concurrent) => concurrent.ended(&mut hold.place),
            Budget::Quota(quota) => quota.success(hold.cost),
            Budget::Adaptive(throttle) => throttle.accepted(now),
            _ => {}
        }
    }

    /// A call failed; said for each one, whether or not it is to be tried again.
    #[inline]
    pub fn failed(&mut self, hold: &mut Hold) {
        match self {
            Budget::Grpc(throttle) => throttle.failure(),
            Budget::Concurrent(concurrent) => concurrent.ended(&mut hold.place),
            _ => {}
        }
    }

    /// May a call that failed by `fault` be tried again? Takes what that costs.
    #[inline]
    pub fn take(&mut self, now: Time, fault: Fault, hold: &mut Hold) -> bool {
        match self {
            Budget::Unlimited | Budget::Adaptive(_) => true,
            Budget::Bucket(bucket) => bucket.withdraw(),
            Budget::Doubles(bucket) => bucket.withdraw(),
            Budget::Grpc(throttle) => throttle.allows(),
            Budget::Window(window) => window.withdraw(now),
            Budget::Concurrent(concurrent) => {
                hold.place = concurrent.take();
                hold.place
            }
            Budget::Quota(quota) => {
                let cost = quota.take(fault);
                hold.cost = cost.unwrap_or(hold.cost);
                cost.is_some()
            }
        }
    }

    /// How many retries it would grant at `now` in a row, nothing else happening. `None`: it does not count any.
    pub fn in_hand(&self, now: Time, fault: Fault) -> Option<u64> {
        match self {
            Budget::Unlimited | Budget::Adaptive(_) => None,
            Budget::Bucket(bucket) => Some(bucket.micro_tokens() / TOKEN),
            Budget::Doubles(bucket) => Some(bucket.tokens() as u64),
            Budget::Grpc(throttle) => Some(throttle.in_hand()),
            Budget::Window(window) => Some(window.balance(now)),
            Budget::Concurrent(concurrent) => Some(concurrent.free()),
            Budget::Quota(quota) => Some(quota.capacity() / u64::from(quota.sdk().cost(fault))),
        }
    }
}
