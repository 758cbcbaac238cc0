//! Hedging: asking again before the first answer, and taking whichever comes first.
//!
//! | module | what it is |
//! |---|---|
//! | [`policy`] | when one call sends its next attempt: after a delay, or as gRPC's `hedgingPolicy` |
//! | [`fleet`] | an open load on replicas with queues, hedged |

pub mod fleet;
pub mod policy;
