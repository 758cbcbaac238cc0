//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `draws` | keyed draws: values for all time, uniformity, independence of neighbouring keys |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |

mod draws;
mod jitter;
mod support;
