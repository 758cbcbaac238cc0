//! A hot key at its expiry: who rebuilds it, how often, and who waits.
//!
//! Times are microseconds relative to the moment at which the key would expire without any guard; before it they are negative.
//! A rebuild always takes equally long: the database behind is not the limit here ([`super::stack`] has one that is).

use super::fresh::{Lifetime, State, chance, early, farthest, spread};
use crate::arrivals::Rate;
use crate::draw::Draws;
use crate::time::Span;

/// What keeps a stampede away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing: whoever misses rebuilds.
    Nothing,
    /// One rebuild at a time; who comes meanwhile waits for its result.
    Singleflight,
    /// The stale copy is served, one rebuild goes on in the background. Past its time it is as without a guard.
    Stale,
    /// XFetch: who reads may rebuild before the expiry, the likelier the nearer it is; that reader waits for its own rebuild.
    Early,
    /// Each time to live shortened by a random part: many keys filled at once do not expire at once.
    Spread,
}

impl Guard {
    /// All of them.
    pub const ALL: [Guard; 5] = [Guard::Nothing, Guard::Singleflight, Guard::Stale, Guard::Early, Guard::Spread];
}

/// Hot keys, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hot {
    /// Requests for each of them; Poisson.
    pub rate: Rate,
    /// What a rebuild takes.
    pub cost: Span,
    /// How long a copy counts.
    pub life: Lifetime,
    /// β of [`early`], in thousandths.
    pub beta_milli: u64,
    /// How much of the time to live [`spread`] may take, in percent.
    pub spread: u64,
}

/// What came of one expiry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expiry {
    /// When each rebuild began.
    pub rebuilds: Vec<i64>,
    /// How long before the key's own expiry the first of them began; negative: after it.
    pub gap: i64,
    /// Callers that waited for a rebuild.
    pub waited: u64,
    /// Requests looked at.
    pub seen: u64,
}

/// The requests for one key around one expiry: the same under every guard.
#[derive(Clone, Debug)]
pub struct Requests {
    key: u64,
    expiry: u32,
    draws: Draws,
    mean_us: f64,
    /// When each came, and its chance.
    come: Vec<(i64, f64)>,
    last: f64,
}

impl Hot {
    /// The requests for key `key` around its expiry number `expiry`. They begin where an early rebuild is possible at all
    /// ([`farthest`]); those before are hits whatever the guard.
    pub fn requests(&self, key: u64, expiry: u32, draws: Draws) -> Requests {
        let lead = farthest(self.cost, self.beta_milli).min(self.life.max_age);
        let mean_us = 1e9 / (self.rate.as_milli_per_s().max(1)) as f64;
        Requests { key, expiry, draws, mean_us, come: Vec::new(), last: -(lead.as_us() as f64) }
    }

    /// One expiry under a guard.
    pub fn expire(&self, guard: Guard, requests: &mut Requests) -> Expiry {
        let mut out = Expiry::default();
        let cost = self.cost.as_us() as i64;
        // The key expires at 0, and of one with a shortened life everything happens so much earlier.
        let shift = if guard == Guard::Spread {
            let mut draw = requests.draws.at(requests.key, requests.expiry, u32::MAX);
            (self.life.max_age.as_us() - spread(self.life.max_age, self.spread, &mut draw).as_us()) as i64
        } else {
            0
        };
        let mut nth = if guard == Guard::Early { 0 } else { requests.first_after_expiry() };
        let mut renewed = i64::MAX;
        loop {
            let (at, chance) = requests.nth(nth);
            if at >= renewed {
                break;
            }
            nth += 1;
            out.seen += 1;
            let in_flight = !out.rebuilds.is_empty();
            let begin = if at < 0 {
                guard == Guard::Early && early(Span::us(at.unsigned_abs()), self.cost, self.beta_milli, chance)
            } else {
                let age = self.life.max_age + Span::us(at as u64);
                match guard {
                    Guard::Singleflight => !in_flight,
                    Guard::Stale if self.life.state(age) == State::Stale => !in_flight,
                    _ => true,
                }
            };
            let stale = guard == Guard::Stale
                && at >= 0
                && self.life.state(self.life.max_age + Span::us(at as u64)) == State::Stale;
            out.waited += u64::from((begin || at >= 0) && !stale);
            if begin {
                if !in_flight {
                    out.gap = -at;
                    renewed = at + cost;
                }
                out.rebuilds.push(at - shift);
            }
        }
        out
    }

    /// Rebuilds without a guard, by formula: the first request after the expiry, and whoever comes while it rebuilds: 1 + r·δ.
    pub fn unguarded(&self) -> f64 {
        1.0 + self.rate.as_per_s() * self.cost.as_s()
    }

    /// Rebuilds with [`Guard::Early`], by formula: e^(1/β), whatever the rate, where r·δ·β is not small. `None` where β is 0.
    pub fn with_early(&self) -> Option<f64> {
        (self.beta_milli > 0).then(|| libm::exp(1e3 / self.beta_milli as f64))
    }
}

impl Requests {
    fn nth(&mut self, n: usize) -> (i64, f64) {
        while self.come.len() <= n {
            let mut draw = self.draws.at(self.key, self.expiry, self.come.len() as u32);
            self.last += draw.exponential_units() * self.mean_us;
            self.come.push((libm::floor(self.last + 0.5) as i64, chance(&mut draw)));
        }
        self.come[n]
    }

    fn first_after_expiry(&mut self) -> usize {
        let mut n = self.come.partition_point(|c| c.0 < 0);
        while self.nth(n).0 < 0 {
            n += 1;
        }
        n
    }

    /// How many have been drawn.
    pub fn drawn(&self) -> usize {
        self.come.len()
    }
}
