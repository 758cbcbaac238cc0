//! Deadlines: how long is left of a request's time, who is told, and who stops.
//!
//! | module | what it is |
//! |---|---|
//! | [`wire`] | a deadline on the wire: `grpc-timeout`, and an absolute moment by the sender's clock |
//! | [`tree`] | one request through hosts that call each other: timeouts, retries, deadlines, hang-ups, orphaned work |

pub mod tree;
pub mod wire;
