//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `draws` | keyed draws: values for all time, uniformity, independence of neighbouring keys |

mod draws;
mod support;
