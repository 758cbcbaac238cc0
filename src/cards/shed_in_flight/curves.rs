//! Many short runs on the same draws: goodput against the limit, and against the load.

use overload_sim::arrivals::Rate;
use overload_sim::time::Span;

use super::knobs::Shed;
use super::system::{Load, System};

/// Most requests that one short run may see come, about: longer loads are cut short.
const MOST_REQUESTS: u64 = 3_000;
/// Loads tried, as thousandths of the capacity.
const LOADS: [u64; 9] = [250, 500, 750, 1_000, 1_250, 1_500, 2_000, 3_000, 4_000];
/// Limits tried, besides those that matter for these knobs.
const LIMITS: [u64; 16] = [1, 2, 5, 10, 20, 30, 50, 100, 150, 200, 300, 500, 1_000, 2_000, 3_000, 5_000];
/// The greatest limit.
const TOP: u64 = 10_000;

/// How long the load of the runs against the limit lasts.
pub fn limit_span(knobs: &Shed) -> Span {
    span(knobs, knobs.offered())
}

/// How long the load of the runs against the load lasts.
pub fn load_span(knobs: &Shed) -> Span {
    span(knobs, scaled(knobs.capacity(), LOADS[LOADS.len() - 1]))
}

fn span(knobs: &Shed, rate: Rate) -> Span {
    let milli = u128::from(rate.as_milli_per_s().max(1));
    let most = u128::from(MOST_REQUESTS) * 1_000_000_000 / milli;
    knobs.duration.min(Span::us(most.min(u128::from(u64::MAX)) as u64))
}

fn scaled(rate: Rate, milli: u64) -> Rate {
    Rate::milli_per_s(rate.as_milli_per_s().saturating_mul(milli) / 1_000)
}

/// The limits tried, ascending: round ones up to far beyond the edge, the knobs' own, and those at the edge.
pub fn limits(knobs: &Shed) -> Vec<u64> {
    let edge = knobs.edge();
    let top = edge.unwrap_or(10 * knobs.slots).max(knobs.slots).saturating_mul(4).min(TOP);
    let round = LIMITS.into_iter().filter(|&limit| limit <= top);
    let at_edge = edge.into_iter().flat_map(|edge| [edge, edge + 1, edge + 2]);
    let mut all: Vec<u64> = round.chain(at_edge).chain([knobs.slots, knobs.limit, top]).collect();
    all.retain(|&limit| (1..=TOP).contains(&limit));
    all.sort_unstable();
    all.dedup();
    all
}

/// The loads tried, ascending, with the knobs' own where it lies among them.
fn loads(knobs: &Shed) -> Vec<Rate> {
    let mut all: Vec<Rate> = LOADS.iter().map(|&milli| scaled(knobs.capacity(), milli)).collect();
    all.retain(|&rate| rate > Rate::ZERO);
    if all.last().is_some_and(|&last| knobs.offered() < last) {
        all.push(knobs.offered());
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// About how many events all of them take.
pub fn cost(knobs: &Shed) -> u64 {
    let attempts = |rate: Rate, span: Span| knobs.calls((rate.as_per_s() * span.as_s()) as u64) + 10;
    let by_limit = limits(knobs).len() as u64 * attempts(knobs.offered(), limit_span(knobs));
    let by_load: u64 = loads(knobs).iter().map(|&rate| 3 * attempts(rate, load_span(knobs))).sum();
    by_limit + by_load
}

/// The short runs, one after the other.
pub struct Curves {
    seed: u64,
    limits: Vec<u64>,
    loads: Vec<Rate>,
    /// All runs: one a limit, then two a load, with the limit and without.
    runs: Vec<Load>,
    /// What those that have ended gave.
    ok: Vec<u64>,
    current: Option<System>,
}

impl Curves {
    /// All of them still to be run.
    pub fn new(knobs: &Shed, seed: u64) -> Curves {
        let (limits, loads) = (limits(knobs), loads(knobs));
        let (for_limits, load_span) = (limit_span(knobs), load_span(knobs));
        // Where nothing has to be cut short, a run is the page's own to the last draw.
        let by_limit = limits.iter().map(|&limit| {
            if for_limits == knobs.duration {
                knobs.load(limit)
            } else {
                knobs.load_at(knobs.offered(), for_limits, limit)
            }
        });
        let by_load = loads.iter().flat_map(|&rate| {
            [knobs.limit, 0].map(|limit| {
                let own = rate == knobs.offered() && load_span == knobs.duration;
                if own { knobs.load(limit) } else { knobs.load_at(rate, load_span, limit) }
            })
        });
        let runs = by_limit.chain(by_load).collect();
        Curves { seed, limits, loads, runs, ok: Vec::new(), current: None }
    }

    /// Goes on for at most `events` events.
    pub fn advance(&mut self, events: u64) {
        let mut left = events;
        while let Some(&load) = self.runs.get(self.ok.len()) {
            let system = self.current.get_or_insert_with(|| System::new(load, self.seed, None));
            left = system.advance(left);
            if left == 0 {
                return;
            }
            self.ok.push(system.tally.book.good);
            self.current = None;
        }
    }

    /// How many runs have ended, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.ok.len(), self.runs.len())
    }

    /// Limits, with how many requests were answered in time.
    pub fn by_limit(&self) -> impl Iterator<Item = (u64, u64)> {
        self.limits.iter().copied().zip(self.ok.iter().copied())
    }

    /// The limit under which most were answered; of equals the least, since its answers come soonest.
    pub fn best(&self) -> Option<(u64, u64)> {
        self.by_limit().reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// Offered a second, then the requests answered in time with the limit, and without.
    pub fn by_load(&self) -> impl Iterator<Item = [f64; 3]> {
        let pairs = self.ok.get(self.limits.len()..).unwrap_or_default().chunks_exact(2);
        self.loads.iter().zip(pairs).map(|(rate, pair)| [rate.as_per_s(), pair[0] as f64, pair[1] as f64])
    }
}
