//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `draws` | keyed draws: values for all time, uniformity, independence of neighbouring keys |
//! | `queueing` | the station against queueing theory, both ledgers, the pool and the recorders |

mod draws;
mod queueing;
mod support;
