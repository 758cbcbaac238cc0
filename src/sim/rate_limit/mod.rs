//! Rate limiters: how many requests of one key pass, by five rules, and a fleet of instances that share a limit.
//!
//! | rule | what it is | evidence |
//! |---|---|---|
//! | [`Rule::Bucket`] | article 3's token bucket, a Lua script in Redis, in its own doubles | run on Redis 7.0.15 |
//! | [`Rule::Gcra`] | the generic cell rate algorithm as governor 0.10.4 has it | run, and read in its source |
//! | [`Rule::Sliding`] | sliding window counter: the window before counts by the share of it still in sight | definition |
//! | [`Rule::Fixed`] | a count for each window of the clock | definition |
//! | [`Rule::Cycles`] | resilience4j's `AtomicRateLimiter`: permissions for each cycle, callers that wait for theirs | read in its source |
//!
//! All but the bucket count in whole numbers. The bucket is in doubles because the script is: whether the sum of many small
//! refills reaches a whole token is decided in the last bit.

pub mod fleet;

use crate::time::{Span, Time};

/// Windows that are kept: a clock behind the others counts into an earlier one.
const WINDOWS: usize = 32;

/// A rule with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Tokens at most and at the start, and how many come back a second; above 0.
    Bucket {
        /// Tokens at most.
        cap: f64,
        /// Tokens a second.
        per_s: f64,
    },
    /// Cells at once, and the nanoseconds after which another one comes back; at least 1 each.
    Gcra {
        /// Cells at once.
        burst: u64,
        /// Nanoseconds a cell.
        cell: u64,
    },
    /// So many within a window, estimated from its part in the window before.
    Sliding {
        /// How many.
        limit: u64,
        /// The window; at least 1 µs.
        window: Span,
    },
    /// So many in each window of the clock.
    Fixed {
        /// How many.
        limit: u64,
        /// The window; at least 1 µs.
        window: Span,
    },
    /// So many in each cycle; who comes when they are gone waits for a later cycle's, if that is soon enough.
    Cycles {
        /// `limitForPeriod`, at least 1.
        limit: u64,
        /// `limitRefreshPeriod` in nanoseconds, at least 1.
        period: u64,
        /// `timeoutDuration`: the longest wait.
        patience: Span,
    },
}

/// What a clock says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// In milliseconds, as a program's number: may be finer than a microsecond.
    pub ms: f64,
    /// In whole microseconds.
    pub at: Time,
}

impl Reading {
    /// The clock of a moment.
    pub fn of(at: Time) -> Reading {
        Reading { ms: at.as_ms(), at }
    }
}

/// What a limiter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request passes, after a wait. Only [`Rule::Cycles`] has one wait.
    Pass(Span),
    /// It does not; `after` such a wait this is known, and `again` after as long it could pass. `None`: never.
    Deny {
        /// The wait.
        after: Span,
        /// For `Retry-After`.
        again: Option<Span>,
    },
}

impl Answer {
    /// Whether the request passes.
    pub const fn passes(self) -> bool {
        matches!(self, Answer::Pass(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few of them, and read-then-write copies them whole")]
enum State {
    /// Tokens and when they were counted.
    Bucket(f64, f64),
    /// The theoretical arrival time, in nanoseconds.
    Gcra(u64),
    /// Which window, and its count; at the place of its number.
    Windows([(u64, u64); WINDOWS]),
    /// The cycle and its permissions; below 0 where those of later cycles are given away.
    Cycles(u64, i64),
}

/// The limiter of one key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limiter {
    rule: Rule,
    /// `None`: the key is not there.
    state: Option<State>,
    /// When the store forgets the key.
    expires: Time,
}

impl Limiter {
    /// Of a key that nobody has used.
    pub const fn new(rule: Rule) -> Limiter {
        Limiter { rule, state: None, expires: Time::MAX }
    }

    /// A request that costs `cost` comes; the clock reads `now`, and it is `real` (for what expires).
    pub fn check(&mut self, now: Reading, real: Time, cost: u64) -> Answer {
        if real >= self.expires {
            self.state = None;
        }
        let (state, answer) = self.decide(now, cost);
        self.state = Some(state);
        self.expires = match self.rule {
            Rule::Bucket { cap, per_s } => real + Span::us(ttl_ms(cap, per_s).saturating_mul(1_000)),
            _ => Time::MAX,
        };
        answer
    }

    fn decide(&self, now: Reading, cost: u64) -> (State, Answer) {
        let state = self.state.unwrap_or(match self.rule {
            Rule::Bucket { cap, .. } => State::Bucket(cap, now.ms),
            Rule::Gcra { .. } => State::Gcra(now.at.as_us() * 1_000),
            Rule::Cycles { limit, .. } => State::Cycles(0, limit as i64),
            _ => State::Windows([(u64::MAX, 0); WINDOWS]),
        });
        match (self.rule, state) {
            (Rule::Bucket { cap, per_s }, State::Bucket(tokens, ts)) => bucket(cap, per_s, (tokens, ts), now.ms, cost),
            (Rule::Gcra { burst, cell }, State::Gcra(tat)) => gcra(burst, cell, tat, now.at.as_us() * 1_000, cost),
            (Rule::Cycles { limit, period, patience }, State::Cycles(cycle, left)) => {
                cycles(limit as i64, period, patience, (cycle, left), now.at.as_us() * 1_000, cost as i64)
            }
            (Rule::Fixed { limit, window } | Rule::Sliding { limit, window }, State::Windows(all)) => {
                let sliding = matches!(self.rule, Rule::Sliding { .. });
                windows(limit, window.as_us().max(1), sliding, all, now.at.as_us(), cost)
            }
            // No other pair is ever made.
            _ => (state, Answer::Pass(Span::ZERO)),
        }
    }

    /// How much would pass if the clock read `now`: tokens, cells, what is left of a window, permissions.
    pub fn left(&self, now: Reading, real: Time) -> f64 {
        let state = self.state.filter(|_| real < self.expires);
        match (self.rule, state) {
            (Rule::Bucket { cap, per_s }, Some(State::Bucket(tokens, ts))) => {
                refilled(cap, per_s, (tokens, ts), now.ms)
            }
            (Rule::Bucket { cap, .. }, _) => cap,
            (Rule::Gcra { burst, cell }, Some(State::Gcra(tat))) => {
                let owed = tat.saturating_sub(now.at.as_us() * 1_000);
                burst as f64 - owed as f64 / cell.max(1) as f64
            }
            (Rule::Gcra { burst, .. }, _) => burst as f64,
            (Rule::Cycles { limit, period, .. }, Some(State::Cycles(cycle, left))) => {
                turned(limit as i64, (cycle, left), now.at.as_us() * 1_000 / period.max(1)) as f64
            }
            (Rule::Fixed { limit, window } | Rule::Sliding { limit, window }, Some(State::Windows(all))) => {
                let sliding = matches!(self.rule, Rule::Sliding { .. });
                let window = window.as_us().max(1);
                let now = now.at.as_us();
                limit as f64 - used(counts(&all, now / window, sliding), window, now % window) as f64 / window as f64
            }
            (Rule::Cycles { limit, .. } | Rule::Fixed { limit, .. } | Rule::Sliding { limit, .. }, _) => limit as f64,
        }
    }
}

/// How long after its last use the script has Redis keep a bucket: twice the time in which it fills, in milliseconds.
pub fn ttl_ms(cap: f64, per_s: f64) -> u64 {
    // `as` saturates.
    (libm::ceil(cap / per_s * 1000.0) * 2.0) as u64
}

/// As the script has it, operation by operation. A clock that goes back takes tokens.
fn refilled(cap: f64, per_s: f64, (tokens, ts): (f64, f64), now: f64) -> f64 {
    cap.min(tokens + (now - ts) / 1000.0 * per_s)
}

fn bucket(cap: f64, per_s: f64, before: (f64, f64), now: f64, cost: u64) -> (State, Answer) {
    let cost = cost as f64;
    let tokens = refilled(cap, per_s, before, now);
    if tokens >= cost {
        return (State::Bucket(tokens - cost, now), Answer::Pass(Span::ZERO));
    }
    let again = Span::from_us_f64(libm::ceil((cost - tokens) / per_s * 1e6));
    (State::Bucket(tokens, now), Answer::Deny { after: Span::ZERO, again: (cost <= cap).then_some(again) })
}

/// governor's `test_n_all_and_update`; of one cell it is `test_and_update`.
fn gcra(burst: u64, cell: u64, tat: u64, now: u64, cost: u64) -> (State, Answer) {
    let deny = |again| (State::Gcra(tat), Answer::Deny { after: Span::ZERO, again });
    let (tolerance, more) = (cell.saturating_mul(burst.max(1) - 1), cell.saturating_mul(cost.max(1) - 1));
    if more > tolerance {
        return deny(None);
    }
    let earliest = (tat + more).saturating_sub(tolerance);
    if now < earliest {
        return deny(Some(Span::us((earliest - now).div_ceil(1_000))));
    }
    (State::Gcra(tat.max(now) + cell + more), Answer::Pass(Span::ZERO))
}

/// The counts of the window before (0 unless `sliding`) and of that of `now`.
fn counts(all: &[(u64, u64); WINDOWS], index: u64, sliding: bool) -> (u64, u64) {
    let count = |index: u64| {
        let (of, count) = all[index as usize % WINDOWS];
        if of == index { count } else { 0 }
    };
    (if sliding && index > 0 { count(index - 1) } else { 0 }, count(index))
}

/// What is used up so far into a window, in parts of which a request has `window`.
fn used((before, own): (u64, u64), window: u64, into: u64) -> u128 {
    u128::from(before) * u128::from(window - into) + u128::from(own) * u128::from(window)
}

fn windows(
    limit: u64,
    window: u64,
    sliding: bool,
    mut all: [(u64, u64); WINDOWS],
    now: u64,
    cost: u64,
) -> (State, Answer) {
    let (index, into) = (now / window, now % window);
    let (before, own) = counts(&all, index, sliding);
    if used((before, own + cost), window, into) <= u128::from(limit) * u128::from(window) {
        all[index as usize % WINDOWS] = (index, own + cost);
        return (State::Windows(all), Answer::Pass(Span::ZERO));
    }
    // How far into a window the one before, with that count, has faded enough.
    let faded = |count: u64, room: u64| {
        let kept = (u128::from(room) * u128::from(window)).checked_div(u128::from(count));
        window.saturating_sub(kept.map_or(window, |kept| kept.min(u128::from(window)) as u64))
    };
    let again = if cost > limit {
        None
    } else if sliding && own + cost <= limit {
        Some(faded(before, limit - own - cost) - into)
    } else {
        Some(window - into + if sliding { faded(own, limit - cost) } else { 0 })
    };
    (State::Windows(all), Answer::Deny { after: Span::ZERO, again: again.map(Span::us) })
}

/// Permissions once the cycle is `now`: what was not used is lost, what was given away in advance is not.
fn turned(limit: i64, (cycle, left): (u64, i64), now: u64) -> i64 {
    if now == cycle {
        return left;
    }
    let elapsed = i128::from(now) - i128::from(cycle);
    (i128::from(left) + elapsed * i128::from(limit)).min(i128::from(limit)) as i64
}

/// resilience4j's `calculateNextState`, and how long `acquirePermission` takes: who cannot have a permission in time waits for
/// the whole of `timeoutDuration` before it is told so.
fn cycles(limit: i64, period: u64, patience: Span, state: (u64, i64), now: u64, permits: i64) -> (State, Answer) {
    let (period, limit) = (period.max(1), limit.max(1));
    let cycle = now / period;
    let left = turned(limit, state, cycle);
    if left >= permits {
        return (State::Cycles(cycle, left - permits), Answer::Pass(Span::ZERO));
    }
    let to_next = (cycle + 1) * period - now;
    // Never below 0: one cycle brings what is missing at least once.
    let full = (permits - left - 1) / limit;
    let wait = u128::from(full as u64) * u128::from(period) + u128::from(to_next);
    if wait <= u128::from(patience.as_us()) * 1_000 {
        return (State::Cycles(cycle, left - permits), Answer::Pass(Span::us(wait.div_ceil(1_000) as u64)));
    }
    // Nothing is saved up, so who wants more than a cycle's waits for others at the best of times.
    let least = u128::from(((permits - limit - 1).max(0) / limit) as u64) * u128::from(period);
    let never = permits > limit && least >= u128::from(patience.as_us()) * 1_000;
    let again = Span::us(u64::try_from(wait.div_ceil(1_000)).unwrap_or(u64::MAX)).saturating_sub(patience);
    (State::Cycles(cycle, left), Answer::Deny { after: patience, again: (!never).then_some(again) })
}
