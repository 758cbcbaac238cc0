//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `backoff` | the textbook's strategies by their laws, the libraries' curves by their vectors |
//! | `chart` | table, CSV and SVG of charts, hostile values included |
//! | `draws` | keyed draws: values for all time, evenness, independence of neighbouring keys |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |
//! | `links` | links: there and back, hostile ones, old ones |
//! | `pages` | the static pages: complete, linked, without inline code; prose without numbers of its own |
//! | `program` | the program `overload`: what it prints, what it refuses |
//! | `properties` | every card under random knobs: books, bytes, charts, sentences |
//! | `queueing` | the station against queueing theory, its ledgers, its recorders |
//! | `rooms` | what each room of the house may know |
//! | `setups` | starting points: the articles' figures, experiments, walkthroughs |
//! | `retry_budget` | retry budgets against the libraries' and the article's vectors and the closed form; card `retry-budget` |
//! | `shed_in_flight` | card `shed-in-flight` against its vectors, closed forms and findings |

mod backoff;
mod chart;
mod draws;
mod jitter;
mod links;
mod pages;
mod program;
mod properties;
mod queueing;
mod rooms;
mod setups;
mod retry_budget;
mod shed_in_flight;
mod support;
