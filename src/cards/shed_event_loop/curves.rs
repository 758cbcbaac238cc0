//! Many short runs on the same draws: goodput against the load and against the cost of a 503, and one run for each signal.

use overload_sim::arrivals::Rate;
use overload_sim::event_loop::{Door, Probe, Setup};
use overload_sim::time::Span;

use super::knobs::{Server, ShedLoop, Signal};
use super::system::{Rule, STEPS, System};

/// Most requests that one short run may see come, about: longer loads are cut short.
const MOST_REQUESTS: u64 = 3_000;
/// Loads tried, as thousandths of the capacity.
const LOADS: [u64; 7] = [250, 750, 1_000, 1_250, 1_500, 2_000, 3_000];
/// Costs of a 503 tried, as thousandths of the CPU that answering takes.
const COSTS: [u64; 6] = [0, 100, 250, 500, 750, 1_000];

/// What is compared by signal: the signal, and where it is the CPU whether on a machine of one core.
pub const ROWS: [(Signal, bool); 6] = [
    (Signal::Off, false),
    (Signal::InFlight, false),
    (Signal::Lag, false),
    (Signal::LagP99, false),
    (Signal::Cpu, true),
    (Signal::Cpu, false),
];

/// How long the load of the runs at the knobs' own rate lasts.
pub fn own_span(knobs: &ShedLoop) -> Span {
    span(knobs, Rate::per_s(knobs.rate))
}

/// How long the load of the runs against the load lasts.
pub fn load_span(knobs: &ShedLoop) -> Span {
    span(knobs, scaled(knobs.capacity(), LOADS[LOADS.len() - 1]))
}

fn span(knobs: &ShedLoop, rate: Rate) -> Span {
    let milli = u128::from(rate.as_milli_per_s().max(1));
    let most = u128::from(MOST_REQUESTS) * 1_000_000_000 / milli;
    // Cut short to half seconds, where there are any; but four deadlines at least: until the first has passed everything is in time.
    let most = most.min(u128::from(u64::MAX)) as u64;
    let most = Span::us(if most > 500_000 { most / 500_000 * 500_000 } else { most });
    knobs.duration.min(most.max(knobs.deadline * 4))
}

fn scaled(rate: Rate, milli: u64) -> Rate {
    Rate::milli_per_s(rate.as_milli_per_s().saturating_mul(milli) / 1_000)
}

/// The loads tried, ascending, with the knobs' own where it lies among them.
fn loads(knobs: &ShedLoop) -> Vec<Rate> {
    let mut all: Vec<Rate> = LOADS.iter().map(|&milli| scaled(knobs.capacity(), milli)).collect();
    let own = Rate::per_s(knobs.rate);
    if all.last().is_some_and(|&last| own < last) {
        all.push(own);
    }
    all.retain(|&rate| rate > Rate::ZERO);
    all.sort_unstable();
    all.dedup();
    all
}

/// The costs tried, ascending, with the knobs' own where it lies among them; none where refusing costs nothing anyway.
fn costs(knobs: &ShedLoop) -> Vec<Span> {
    if knobs.server == Server::Ideal {
        return Vec::new();
    }
    let work = knobs.work().as_us();
    let mut all: Vec<Span> = COSTS.iter().map(|milli| Span::us(work * milli / 1_000)).collect();
    if knobs.refusal.as_us() < work {
        all.push(knobs.refusal);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// About how many events a run takes: each request is read and answered or refused; while the thread is idle the probe,
/// where there is one, fires again and again.
pub fn run_cost(knobs: &ShedLoop, rate: Rate, span: Span, probed: bool) -> u64 {
    let requests = u64::from(knobs.requests(rate, span));
    let busy = requests.saturating_mul(knobs.work().as_us());
    let idle = (span + knobs.wait).as_us().saturating_sub(busy);
    let probes = if probed { idle / knobs.probe.as_us().max(1) } else { 0 };
    requests * 2 / STEPS + probes + 10
}

/// About how many events all of them take.
pub fn cost(knobs: &ShedLoop) -> u64 {
    let by_lag = |signal: Signal| matches!(signal, Signal::Lag | Signal::LagP99);
    let probed = by_lag(knobs.shedding());
    let of = |rate, probed| run_cost(knobs, rate, load_span(knobs), probed);
    let by_load: u64 = loads(knobs).iter().map(|&rate| of(rate, probed) + of(rate, false)).sum();
    let own = |probed| run_cost(knobs, Rate::per_s(knobs.rate), own_span(knobs), probed);
    let by_signal: u64 = ROWS.iter().map(|row| own(by_lag(row.0))).sum();
    by_load + own(probed) * costs(knobs).len() as u64 + by_signal
}

/// What one short run gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Came {
    /// Requests answered in time, late, and refused.
    pub counts: [u64; 3],
}

/// The short runs, one after the other: two a load, with shedding and without; one a cost; one a signal.
pub struct Curves {
    knobs: ShedLoop,
    seed: u64,
    loads: Vec<Rate>,
    costs: Vec<Span>,
    came: Vec<Came>,
    current: Option<System>,
}

impl Curves {
    /// All of them still to be run.
    pub fn new(knobs: &ShedLoop, seed: u64) -> Curves {
        let (loads, costs) = (loads(knobs), costs(knobs));
        Curves { knobs: knobs.clone(), seed, loads, costs, came: Vec::new(), current: None }
    }

    /// Run number `n`; `None` where there are no more.
    fn run(&self, n: usize) -> Option<System> {
        let knobs = &self.knobs;
        let rule = Rule { clock: knobs.clock, deadline: knobs.deadline };
        let own = Rate::per_s(knobs.rate);
        let (loads, costs) = (2 * self.loads.len(), self.costs.len());
        let setup = if n < loads {
            let signal = if n.is_multiple_of(2) { knobs.shedding() } else { Signal::Off };
            knobs.setup(self.loads[n / 2], load_span(knobs), knobs.door(signal))
        } else if n < loads + costs {
            let refusal = self.costs[n - loads];
            let setup = knobs.setup(own, own_span(knobs), knobs.door(knobs.shedding()));
            Setup { refusal, ..setup }
        } else {
            let &(signal, one_core) = ROWS.get(n - loads - costs)?;
            let setup = knobs.setup(own, own_span(knobs), knobs.door(signal));
            Setup { cores: if one_core { 1 } else { setup.cores }, ..setup }
        };
        // Nobody asks how late the probe is, unless the door does.
        let looked_at = matches!(setup.door, Door::Lag(_) | Door::LagP99(_));
        let every = if looked_at { setup.probe.every } else { Span::MAX };
        let setup = Setup { probe: Probe { every, ..setup.probe }, ..setup };
        Some(System::new(setup, rule, self.seed, None))
    }

    /// Goes on for at most `events` events.
    pub fn advance(&mut self, events: u64) {
        let mut left = events;
        loop {
            let mut system = match self.current.take() {
                Some(system) => system,
                None => match self.run(self.came.len()) {
                    Some(system) => system,
                    None => return,
                },
            };
            left = system.advance(left);
            if left == 0 {
                self.current = Some(system);
                return;
            }
            let caller = &system.tally.book.caller;
            self.came.push(Came { counts: [caller.ok, caller.late, caller.shed] });
        }
    }

    /// How many runs have ended, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.came.len(), 2 * self.loads.len() + self.costs.len() + ROWS.len())
    }

    fn good(&self, n: usize) -> Option<f64> {
        self.came.get(n).map(|came| came.counts[0] as f64)
    }

    /// Offered a second, then how many were answered in time with shedding, and without.
    pub fn by_load(&self) -> impl Iterator<Item = [f64; 3]> {
        let rows = self.loads.iter().enumerate();
        rows.filter_map(|(i, rate)| Some([rate.as_per_s(), self.good(2 * i)?, self.good(2 * i + 1)?]))
    }

    /// The cost of a 503 in milliseconds, then how many were answered in time.
    pub fn by_cost(&self) -> impl Iterator<Item = [f64; 2]> {
        let from = 2 * self.loads.len();
        self.costs.iter().enumerate().filter_map(move |(i, cost)| Some([cost.as_ms(), self.good(from + i)?]))
    }

    /// What came of the requests under each signal, in the order of [`ROWS`].
    pub fn by_signal(&self) -> &[Came] {
        self.came.get(2 * self.loads.len() + self.costs.len()..).unwrap_or_default()
    }
}
