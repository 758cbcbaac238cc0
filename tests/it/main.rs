//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `accept_202` | crash injection, a broker and an outbox by themselves; card `accept-202` by its ledger and its claims |
//! | `amplification` | card `amplification` against its vectors and closed forms, with and without time |
//! | `autoscaling` | the horizontal pod autoscaler and KEDA against their vectors and sources |
//! | `backlog_drain` | card `backlog-drain` against its vectors, counted and calculated |
//! | `backoff` | the textbook's strategies by their laws, the libraries' curves by their vectors |
//! | `backoff_card` | card `backoff` against its vectors: waits, and how the herd's peaks are distributed |
//! | `backpressure` | high-water marks against Node’s stream; card `backpressure` against the article’s vectors and an independent model |
//! | `breaker_granularity` | card `breaker-granularity` against its vectors and the article's log |
//! | `breaker_libraries` | the other breakers against their vectors and sources |
//! | `bulkhead` | bulkheads against the libraries' vectors; card `bulkhead` against its vectors, closed forms and findings |
//! | `chart` | table, CSV and SVG of charts, hostile values included |
//! | `circuit_breaker` | breakers against the libraries' vectors; card `circuit-breaker` against the article |
//! | `consumer_lag` | card `consumer-lag` and the consumer group against the vectors' formulas and its claims |
//! | `deadline` | one request through hosts, `grpc-timeout` and card `deadline` against their vectors, a model and its claims |
//! | `draws` | keyed draws: values for all time, evenness, independence of neighbouring keys |
//! | `hedging` | gRPC's hedging against its vectors, a fleet against theory, card `hedging` by its claims |
//! | `jitter` | card `jitter` against its vectors, closed forms and findings |
//! | `links` | links: there and back, hostile ones, old ones |
//! | `moments` | scenes under the time cursor, runs as documents |
//! | `may_i_retry` | the rule by the articles' list, libraries as they ran, double charges with and without keys; card `may-i-retry` |
//! | `pages` | the static pages: complete, linked, without inline code; prose without numbers of its own |
//! | `priority_shedding` | who comes in, class by class, against its rules and a model in steps; card `priority-shedding` by its claims |
//! | `program` | the program `overload`: what it prints, what it refuses |
//! | `properties` | every card under random knobs: books, bytes, charts, sentences |
//! | `queueing` | the station against queueing theory, its ledgers, its recorders |
//! | `rate_limiter` | rate limiters against the libraries' vectors and their definitions; card `rate-limiter` against the article's, and its claims |
//! | `read_cache` | staleness, XFetch and layers of caches by their vectors and an independent model; card `read-cache` |
//! | `retry_after` | what clients make of `Retry-After` against the libraries' vectors; quota and penalty box; card `retry-after` |
//! | `retry_budget` | retry budgets against the libraries' and the article's vectors and the closed form; card `retry-budget` |
//! | `retry_storm` | the chain of services against an independent model's runs and its own books; card `retry-storm` |
//! | `rooms` | what each room of the house may know |
//! | `setups` | starting points: the articles' figures, experiments, walkthroughs |
//! | `shed_event_loop` | the event loop against its vectors and a second model; card `shed-event-loop` by its claims |
//! | `shed_in_flight` | card `shed-in-flight` against its vectors, closed forms and findings |
//! | `shed_queue` | its card and the parts below it against vectors, a model in steps, theory; its findings |

mod accept_202;
mod amplification;
mod autoscaling;
mod backlog_drain;
mod backoff;
mod backoff_card;
mod backpressure;
mod breaker_granularity;
mod breaker_libraries;
mod bulkhead;
mod chart;
mod circuit_breaker;
mod consumer_lag;
mod deadline;
mod draws;
mod hedging;
mod jitter;
mod links;
mod may_i_retry;
mod moments;
mod pages;
mod priority_shedding;
mod program;
mod properties;
mod queueing;
mod rate_limiter;
mod read_cache;
mod retry_after;
mod retry_budget;
mod retry_storm;
mod rooms;
mod setups;
mod shed_event_loop;
mod shed_in_flight;
mod shed_queue;
mod support;
