//! All runs of the card, one after the other: the group of the knobs, the one that follows the CPU, then short ones.

use overload_chart::{Text, text};
use overload_sim::partitions::{Group, STEP, Setup};
use overload_sim::time::{Span, Time};

use super::knobs::ConsumerLag;

/// Keys and names of the levers.
pub const LEVERS: [(&str, Text); 5] = [
    ("lever_none", text("as it is", "như hiện tại")),
    ("lever_partitions", text("three times the partitions", "gấp ba partition")),
    ("lever_keys", text("three times the keys at once", "gấp ba số key cùng lúc")),
    ("lever_batch", text("batches ten times as big", "batch to gấp mười")),
    ("lever_work", text("a third of the I/O", "I/O còn một phần ba")),
];

/// Numbers of pods tried, in sixths of the partitions.
const SIXTHS: [u64; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 12];
/// How long each of these is run.
const SHORT: Span = Span::s(60);

/// A lever pulled: as many pods as are allowed from the start, more of them where there are more partitions.
fn lever(knobs: &ConsumerLag, nth: usize) -> Setup {
    let most = knobs.most.max(knobs.least);
    let setup = knobs.fixed(most);
    match nth {
        0 => setup,
        1 => Setup { partitions: 3 * setup.partitions, pods: 3 * most, ..setup },
        2 => Setup { parallel: 3 * setup.parallel, ..setup },
        3 => Setup { batch: 10 * setup.batch, ..setup },
        _ => Setup { io: setup.io / 3, ..setup },
    }
}

/// The numbers of pods tried, ascending.
fn pods(knobs: &ConsumerLag) -> Vec<u64> {
    let mut all: Vec<u64> = SIXTHS.iter().map(|n| (n * knobs.partitions).div_ceil(6)).chain([knobs.least]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Steps that a run may take.
fn steps(watch: Span) -> u64 {
    watch.as_us() / STEP.as_us()
}

/// About how many events all runs take: one for eight queues gone through in a step.
pub fn cost(knobs: &ConsumerLag) -> u64 {
    let each = |partitions: u64| 1 + (partitions + 1) / 8;
    let all = knobs.together(knobs.most.max(knobs.least)) - knobs.inflow as f64;
    // Levers end once all is within the SLO.
    let drain = if all > 0.0 { Span::from_us_f64(knobs.backlog as f64 / all * 1e6) } else { Span::MAX };
    let lever = steps(drain.min(knobs.watch)) / 2 + 1;
    let short = pods(knobs).len() as u64 * steps(SHORT);
    each(knobs.partitions) * (2 * steps(knobs.watch) + short + 4 * lever) + each(3 * knobs.partitions) * lever + 10
}

/// The runs.
pub struct Runs {
    knobs: ConsumerLag,
    seed: u64,
    pods: Vec<u64>,
    /// Those that have ended: the first two in whole.
    groups: Vec<Group>,
    rates: Vec<f64>,
    levers: Vec<Option<Time>>,
    current: Option<Group>,
}

impl Runs {
    /// All of them still to be run.
    pub fn new(knobs: &ConsumerLag, seed: u64) -> Runs {
        let mut runs = Runs {
            knobs: knobs.clone(),
            seed,
            pods: pods(knobs),
            groups: Vec::new(),
            rates: Vec::new(),
            levers: Vec::new(),
            current: None,
        };
        runs.current = runs.next();
        runs
    }

    /// The run that follows those that have ended; `None`: there is no more.
    fn next(&self) -> Option<Group> {
        let knobs = &self.knobs;
        let setup = match (self.groups.len(), self.rates.len()) {
            (0, _) => knobs.own(),
            (1, _) => knobs.by_cpu(),
            // Enough waits for everybody all the time.
            (_, nth) if nth < self.pods.len() => {
                Setup { backlog: 1_000_000_000_000, inflow: 0, watch: SHORT, ..knobs.fixed(self.pods[nth]) }
            }
            _ if self.levers.len() < LEVERS.len() => lever(knobs, self.levers.len()),
            _ => return None,
        };
        Some(Group::new(setup, self.seed))
    }

    /// Goes on for at most about `events` events.
    pub fn advance(&mut self, events: u64) {
        let mut left = events;
        while let Some(group) = &mut self.current {
            let lever = self.groups.len() == 2 && self.rates.len() == self.pods.len();
            let each = 1 + group.queues() / 8;
            loop {
                if left == 0 {
                    return;
                }
                left = left.saturating_sub(each);
                let over = lever && group.clear.iter().all(|&at| at < Time::MAX);
                if over || !group.step() {
                    break;
                }
            }
            let Some(group) = self.current.take() else { return };
            if self.groups.len() < 2 {
                self.groups.push(group);
            } else if lever {
                self.levers.push(group.clear.iter().copied().max().filter(|&at| at < Time::MAX));
            } else {
                let served: u64 = group.served.iter().sum();
                self.rates.push(served as f64 / 1e3 / SHORT.as_s());
            }
            self.current = self.next();
        }
    }

    /// How many runs have ended, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.groups.len() + self.rates.len() + self.levers.len(), 2 + self.pods.len() + LEVERS.len())
    }

    /// The two groups, as far as they have come.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        let current = self.current.iter().filter(|_| self.groups.len() < 2);
        self.groups.iter().chain(current)
    }

    /// Pods, and what they work off a second.
    pub fn by_pods(&self) -> impl Iterator<Item = [f64; 2]> {
        self.pods.iter().zip(&self.rates).map(|(&pods, &rate)| [pods as f64, rate])
    }

    /// When all was within the SLO with each lever; `None`: not while it was watched.
    pub fn levers(&self) -> impl Iterator<Item = Option<Time>> {
        self.levers.iter().copied()
    }
}
