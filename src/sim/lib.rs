//! The physics of overload, in virtual time.
//!
//! Everything here is deterministic: the same seed and the same parameters give the same bytes,
//! natively and in WASM. So: time in whole microseconds, ties broken by insertion, random draws keyed by
//! what they are for, `libm` instead of the platform's float functions, no wall clock, no hash maps.
//! `clippy.toml` beside this file has clippy refuse the last three.
//!
//! | module | what it is |
//! |---|---|
//! | [`time`] | [`Time`](time::Time) and [`Span`](time::Span), whole microseconds |
//! | [`queue`] | the event queue |
//! | [`draw`] | keyed random draws |
//! | [`law`] | laws of a duration: fixed, exponential, … |
//! | [`arrivals`] | when requests come: at once, even, Poisson, in bursts |
//! | [`backoff`] | the wait before a retry: the textbook's strategies and the libraries' own |
//! | [`breaker`] | circuit breakers: opossum, resilience4j, the textbook's |
//! | [`retry`] | whether there is a next attempt, and when |
//! | [`slots`] | servers that count calls per time slot: in rounds, or strictly |
//! | [`pool`] | worker pool with a FIFO queue |
//! | [`station`] | the open queueing station: arrivals, pool, service law, callers that may give up |
//! | [`ledger`] | how attempts end: the caller's book and the server's |
//! | [`record`] | counts per time bin, samples with percentiles, time-weighted means |

pub mod arrivals;
pub mod backoff;
pub mod breaker;
pub mod draw;
pub mod law;
pub mod ledger;
pub mod pool;
pub mod queue;
pub mod record;
pub mod retry;
pub mod slots;
pub mod station;
pub mod time;
