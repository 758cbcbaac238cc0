//! The physics of overload, in virtual time.
//!
//! Everything here is deterministic: the same seed and the same parameters give the same bytes,
//! natively and in WASM. So: time in whole microseconds, ties broken by insertion, random draws keyed by
//! what they are for, `libm` instead of the platform's float functions, no wall clock, no hash maps.
//! `clippy.toml` beside this file has clippy refuse the last three.
//!
//! | module | what it is |
//! |---|---|
//! | [`time`] | [`Time`](time::Time) and [`Span`](time::Span), whole microseconds |
//! | [`queue`] | the event queue |
//! | [`draw`] | keyed random draws |
//! | [`law`] | laws of a duration: fixed, exponential, … |
//! | [`admission`] | whether an arrival is let in: a limit on the calls in flight |
//! | [`arrivals`] | when requests come: at once, even, Poisson, in bursts |
//! | [`backoff`] | the wait before a retry: the textbook's strategies and the libraries' own |
//! | [`budget`] | retry budgets: the article's bucket, the libraries' own, adaptive throttling |
//! | [`breaker`] | circuit breakers: opossum, resilience4j, the textbook's |
//! | [`bulkhead`] | connections with a short queue: who holds each, who waits, who is refused |
//! | [`rate_limit`] | rate limiters: article 3's bucket, GCRA, windows, resilience4j's; instances that share a limit through a store |
//! | [`orders`] | orders and what follows from them: crash injection, an outbox with its relay, a broker that delivers at least once |
//! | [`payments`] | what must happen once: attempts, timeouts, idempotency keys, double charges |
//! | [`retryable`] | may this call be made again: the rule, and what libraries do by themselves |
//! | [`retry_after`] | what a refused client is told to wait, and how it heeds that |
//! | [`penalty`] | a quota for each key, and a penalty box for who keeps asking |
//! | [`retry`] | whether there is a next attempt, and when |
//! | [`backlog`] | a queue through a peak: backlog, drain, ages, pods added |
//! | [`cache`] | caches before a database: staleness, singleflight, early expiry, layers |
//! | [`chain`] | services that call each other above one server: retries, timeouts, zombie work, all guards |
//! | [`deadline`] | one request with a deadline: who is told, who stops, what goes on for nobody; `grpc-timeout` |
//! | [`event_loop`] | one thread with an event loop: timers, then sockets; keep-alive clients |
//! | [`hedge`] | hedged calls: gRPC's policy, and a fleet of replicas under it |
//! | [`limit`] | adaptive concurrency limits: Netflix's Vegas, Gradient2, AIMD, and Envoy's gradient |
//! | [`mod@line`] | a waiting line with a discipline: FIFO, LIFO, adaptive; how long one may wait, CoDel |
//! | [`hpa`] | Kubernetes' horizontal pod autoscaler: proposals, stabilization, policies |
//! | [`keda`] | KEDA's scalers for Kafka and SQS, and its way to nothing and back |
//! | [`partitions`] | a consumer group: partitions, pods that own them, lag |
//! | [`layers`] | nested layers that retry, and what they make of one request |
//! | [`slots`] | servers that count calls per time slot: in rounds, or strictly |
//! | [`recovery`] | when a system has come back, as its users see it |
//! | [`scaler`] | an autoscaler that looks at latency |
//! | [`pool`] | worker pool with a FIFO queue |
//! | [`page_cache`] | a cache of one page with a time to live |
//! | [`station`] | the open queueing station: arrivals, pool, service law, callers that may give up |
//! | [`shedding`] | an open station that sheds: a door, a line with a discipline, slots, callers who leave, classes |
//! | [`stream`] | a producer and a slower consumer: no bound, drops, a high-water mark, pull |
//! | [`ledger`] | how attempts end: the caller's book and the server's |
//! | [`record`] | counts per time bin, samples with percentiles, time-weighted means |

pub mod admission;
pub mod arrivals;
pub mod backlog;
pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod bulkhead;
pub mod cache;
pub mod chain;
pub mod deadline;
pub mod draw;
pub mod event_loop;
pub mod hedge;
pub mod hpa;
pub mod keda;
pub mod law;
pub mod layers;
pub mod ledger;
pub mod limit;
pub mod line;
pub mod orders;
pub mod page_cache;
pub mod partitions;
pub mod payments;
pub mod penalty;
pub mod pool;
pub mod queue;
pub mod rate_limit;
pub mod record;
pub mod recovery;
pub mod retry;
pub mod retry_after;
pub mod retryable;
pub mod scaler;
pub mod shedding;
pub mod slots;
pub mod station;
pub mod stream;
pub mod time;
