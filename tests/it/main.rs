//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `backoff` | the textbook's strategies by their laws, the libraries' curves by their vectors |
//! | `chart` | table, CSV and SVG of charts, hostile values included |
//! | `circuit_breaker` | the breakers against the libraries' vectors; card `circuit-breaker` against its own |
//! | `draws` | keyed draws: values for all time, evenness, independence of neighbouring keys |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |
//! | `queueing` | the station against queueing theory, its ledgers, its recorders |

mod backoff;
mod chart;
mod circuit_breaker;
mod draws;
mod jitter;
mod queueing;
mod support;
