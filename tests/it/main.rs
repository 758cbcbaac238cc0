//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `amplification` | card `amplification` against its vectors and closed forms, with and without time |
//! | `backoff` | the textbook's strategies by their laws, the libraries' curves by their vectors |
//! | `backlog_drain` | card `backlog-drain` against its vectors, counted and calculated |
//! | `chart` | table, CSV and SVG of charts, hostile values included |
//! | `draws` | keyed draws: values for all time, evenness, independence of neighbouring keys |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |
//! | `queueing` | the station against queueing theory, its ledgers, its recorders |

mod amplification;
mod backlog_drain;
mod backoff;
mod chart;
mod draws;
mod jitter;
mod queueing;
mod support;
