//! Circuit breakers: a caller's guard that stops calling a dependency which keeps failing.
//!
//! One trait, [`Breaker`], and one part a library, since the libraries differ in what counts, when it is looked at and
//! what half-open means:
//!
//! | part | what it is | evidence |
//! |---|---|---|
//! | [`opossum`] | opossum 10: every call counts, a timer opens the door for one probe | run against the library |
//! | [`resilience4j`] | resilience4j 2.3: results count, over calls or seconds, slow ones too | run against the library |
//! | [`polly`] | Polly 8: failures are looked at over ten pieces of time; one trial | ported from the source |
//! | [`hystrix`] | Hystrix 1.5: looked at every half second; one trial | ported from the source |
//! | [`gobreaker`] | gobreaker 2: failures in a row; results of an earlier state do not count | run against the library |
//! | [`cockatiel`] | cockatiel 4: three rules; who comes during the trial waits for it | run against the library |
//! | [`envoy`] | Envoy's outlier detection: takes hosts out of rotation instead | ported from the source |
//! | [`textbook`] | the breaker as the articles describe it | the articles' text and log |
//!
//! A driver asks [`Breaker::acquire`] before each call and [`Breaker::report`]s how it ended. Some breakers change on a
//! timer of their own: the driver puts [`Breaker::timer`] into its event queue whenever it has changed and calls
//! [`Breaker::ring`] when it is due, so that ties with other events are broken in the order of insertion, as in the
//! libraries' own event loops.

pub mod cockatiel;
pub mod envoy;
pub mod gobreaker;
pub mod hystrix;
pub mod opossum;
pub mod polly;
pub mod resilience4j;
pub mod textbook;

use crate::time::{Span, Time};

/// A share in hundredths of a percent: 50 % is 5,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u32);

impl Percent {
    /// `n` percent.
    pub const fn whole(n: u32) -> Percent {
        Percent(n.saturating_mul(100))
    }
    /// `n` hundredths of a percent.
    pub const fn hundredths(n: u32) -> Percent {
        Percent(n)
    }
    /// In hundredths of a percent.
    pub const fn as_hundredths(self) -> u32 {
        self.0
    }
    /// In percent, the nearest double: what a program has that reads "33.3".
    pub fn as_percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }
    /// Whether `part` of `whole` is at least this share; false of nothing.
    pub const fn reached_by(self, part: u64, whole: u64) -> bool {
        whole > 0 && part as u128 * 10_000 >= self.0 as u128 * whole as u128
    }
    /// Whether `part` of `whole` is more than this share; false of nothing.
    pub const fn exceeded_by(self, part: u64, whole: u64) -> bool {
        part as u128 * 10_000 > self.0 as u128 * whole as u128
    }
}

/// A breaker's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Calls pass and are counted.
    Closed,
    /// Calls are rejected.
    Open,
    /// A few calls may pass, to find out.
    HalfOpen,
}

impl State {
    /// As the libraries' logs write it.
    pub const fn name(self) -> &'static str {
        match self {
            State::Closed => "CLOSED",
            State::Open => "OPEN",
            State::HalfOpen => "HALF_OPEN",
        }
    }
}

/// The answer to [`Breaker::acquire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The call may be made; its end has to be reported with this permit.
    Go(Permit),
    /// Rejected: the circuit is open, or its probes are under way.
    Rejected,
    /// Neither: it waits for the trials' outcome, and asks again as soon as the circuit is no longer half-open.
    Wait,
    /// Rejected: too many calls at once. The breaker has counted that in its own way; nothing is to be reported.
    Full,
}

/// What a call that was let through hands back when it ends. Holds what a breaker needs to know of how it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// How many state changes there had been: breakers that ignore late results compare it. gobreaker counts its buckets
    /// in it as well; Envoy's is the host that the call goes to.
    pub generation: u32,
    /// Whether it was let through as a probe of a half-open circuit.
    pub probe: bool,
}

/// How a call ended, as the breaker is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Well.
    Ok,
    /// With an error that counts.
    Failed,
    /// The caller's patience ended. Counts as a failure.
    TimedOut,
    /// With an error that the breaker was told not to count: opossum's `errorFilter`, resilience4j's `ignoreExceptions`,
    /// Hystrix's `HystrixBadRequestException`, gobreaker's `IsExcluded`, what Polly and cockatiel do not handle.
    Ignored,
}

/// What a breaker's window holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// What its rates are shares of: started calls (opossum) or results (the others).
    pub calls: u64,
    /// Failures among them.
    pub failures: u64,
    /// Slow calls among them, where the breaker looks at that.
    pub slow: u64,
    /// Below this number of calls the rates do not count.
    pub minimum: u64,
}

impl Gauge {
    /// Of a rule that counts failures in a row: how many of those that open it.
    pub const fn in_a_row(failures: u64, limit: u64) -> Gauge {
        Gauge { calls: limit, failures, slow: 0, minimum: 0 }
    }
    /// The failure rate in percent; 0 of nothing.
    pub fn failure_percent(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.failures as f64 * 100.0 / self.calls as f64 }
    }
    /// The slow-call rate in percent; 0 of nothing.
    pub fn slow_percent(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.slow as f64 * 100.0 / self.calls as f64 }
    }
}

/// A circuit breaker. Times given to it never go back.
pub trait Breaker {
    /// Whether a call may be made now.
    fn acquire(&mut self, now: Time) -> Admission;

    /// A call that was let through has ended, `took` after it began. Once for each permit.
    fn report(&mut self, now: Time, permit: Permit, verdict: Verdict, took: Span);

    /// When it next changes by itself; `None`: only calls change it, as with most.
    fn timer(&self) -> Option<Time> {
        None
    }

    /// Does what is due at [`Breaker::timer`]; nothing where nothing is.
    fn ring(&mut self, _now: Time) {}

    /// Its state.
    fn state(&self) -> State;

    /// What its window holds now.
    fn gauge(&mut self, now: Time) -> Gauge;

    /// Which host a call goes to; 0 where there is only one.
    fn host(&self, _permit: Permit) -> u32 {
        0
    }

    /// Hosts out of rotation.
    fn ejected(&self) -> u32 {
        0
    }
}
