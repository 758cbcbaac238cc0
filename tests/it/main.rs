//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `backoff` | waits before retries: vectors of the libraries, bounds, distributions, the textbook's formulas |
//! | `draws` | keyed draws: values for all time, uniformity, independence of neighbouring keys |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |

mod backoff;
mod draws;
mod jitter;
mod support;
