//! What runs beside the page's own run, on the same draws: the same outage without guardrails, with one guardrail after
//! another, or with other loads, retries, queues and timeouts.

use overload_sim::chain::Chain;
use overload_sim::chain::book::Book;
use overload_sim::recovery;
use overload_sim::time::Span;

use super::knobs::{Beside, BreakerAt, Ending, Guard, Guards, Storm};

/// What is compared of a run.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Seconds from the fault's start until users are served again; `None`: never, or there is no fault.
    pub recovery: Option<f64>,
    /// Requests of users, and those answered in time.
    pub users: f64,
    pub good: f64,
    /// Most calls to the DB in a second, and for one user.
    pub peak: f64,
    pub most_per_user: f64,
    /// Calls that the DB worked on to the end, and those of them that were for nobody.
    pub served: f64,
    pub wasted: f64,
    /// Percent of the users since the fault's end who were not answered in time.
    pub failed_after: f64,
}

/// A share in percent; of nothing, none.
pub fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

impl Figures {
    /// Of the run so far of `knobs`.
    pub fn of(knobs: &Storm, book: &Book) -> Figures {
        let layers = knobs.layers as usize;
        let seconds = &book.seconds[..book.ended_seconds()];
        let from = (knobs.fault_at.as_us() / 1_000_000) as f64;
        let recovery = book.recovery(recovery::Rule::MINUTE, knobs.fault_from()).filter(|_| knobs.fails());
        let end = (knobs.fault_from() + knobs.fault_for).slot(Span::s(1)) as usize + 1;
        let after = seconds.get(end..).unwrap_or_default();
        let (came, good) = after.iter().fold((0, 0), |(users, good), s| (users + s.users, good + s.good));
        // The users' own ledger, since a run may end within a second.
        let caller = book.hops[0].caller;
        let server = book.hops[layers].server;
        Figures {
            recovery: recovery.map(|second| second as f64 - from),
            users: caller.attempts as f64,
            good: caller.ok as f64,
            peak: seconds.iter().map(|s| s.attempts[layers]).max().unwrap_or(0).into(),
            most_per_user: book.most_per_user.into(),
            served: (server.useful + server.wasted) as f64,
            wasted: server.wasted as f64,
            failed_after: share(f64::from(came - good), came.into()),
        }
    }
}

/// Whole seconds of each of about `most` bins over `watch` seconds.
pub fn bin_width(watch: f64, most: f64) -> f64 {
    let steps = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0];
    steps.into_iter().find(|width| watch / width <= most).unwrap_or(60.0)
}

/// Bins of the series of one run beside.
pub const BINS: f64 = 100.0;

/// The guardrails of the strip, one at a time, then cumulated.
pub fn strip() -> Vec<Guards> {
    let alone = Guard::ALL.map(Guard::guards).into_iter().flatten();
    let both = Guards { jitter: true, breaker: Some(BreakerAt::Last), ..Guards::default() };
    let mut all: Vec<Guards> = alone.collect();
    let last = all.len() - 1;
    let budget = Guards { budget: true, ..both };
    all.splice(last..last, [both, budget, Guards { deadline: true, ..budget }]);
    all
}

/// Other values of two knobs: a map of neighbours.
pub struct Map {
    trial: Storm,
    /// Whether it varies queue room and timeout rather than load and retries.
    pub room: bool,
    /// Loads, or timeouts of the layer next to the users in seconds.
    pub columns: Vec<u64>,
    /// Retries of every layer, most first; or calls that each pod may have inside the DB.
    pub rows: Vec<u64>,
}

impl Map {
    /// The map that these knobs ask for.
    pub fn of(knobs: &Storm) -> Option<Map> {
        let room = match knobs.beside {
            Beside::Load => false,
            Beside::Room => true,
            _ => return None,
        };
        let fault_at = Span::us(knobs.fault_from().as_us()).min(Span::s(20));
        let trial = Storm {
            beside: Beside::Nothing,
            // Whether it comes back by itself.
            ending: Ending::None,
            cut_at: Span::ZERO,
            fault_at,
            watch: fault_at + knobs.fault_for + Span::s(180),
            ..knobs.clone()
        };
        let (columns, rows) = if room {
            // Queues of one second, two, …
            let of_wait = |s: u64| ((s as f64 * knobs.capacity() / knobs.pods as f64).round() as u64).clamp(1, 200);
            let mut rooms: Vec<u64> = (1..=7).map(of_wait).collect();
            rooms.dedup();
            ((1..=8).collect(), rooms)
        } else {
            let step = ((knobs.capacity() / 12.5).round() as u64).clamp(1, 10);
            ((1..=10).map(|i| i * step).collect(), (0..=4).rev().collect())
        };
        Some(Map { trial, room, columns, rows })
    }

    /// `knobs` with the two values of a cell.
    pub fn at(&self, mut knobs: Storm, row: usize, column: usize) -> Storm {
        let (row, column) = (self.rows[row], self.columns[column]);
        if self.room {
            knobs.room = row;
            knobs.timeouts[0] = Span::s(column).as_us();
        } else {
            knobs.load = column;
            // Layers that there are not keep theirs: nobody sees them.
            let layers = knobs.layers as usize;
            knobs.retries.iter_mut().take(layers).for_each(|retries| *retries = row);
        }
        knobs
    }

    /// The run of a cell.
    pub fn cell(&self, row: usize, column: usize) -> Storm {
        self.at(self.trial.clone(), row, column)
    }

    fn cells(&self) -> impl Iterator<Item = Storm> {
        let columns = self.columns.len();
        (0..self.rows.len() * columns).map(move |i| self.cell(i / columns, i % columns))
    }
}

/// The knobs of all runs beside.
fn runs(knobs: &Storm) -> Vec<Storm> {
    let with = |guards: Guards| Storm { beside: Beside::Nothing, ..knobs.with(guards) };
    match knobs.beside {
        Beside::Bare if knobs.guards() != Guards::default() => vec![with(Guards::default())],
        Beside::Nothing | Beside::Bare => vec![],
        Beside::Strip => strip().into_iter().map(with).collect(),
        Beside::Load | Beside::Room => Map::of(knobs).iter().flat_map(Map::cells).collect(),
    }
}

/// About how many events they have.
pub fn cost(knobs: &Storm) -> u64 {
    runs(knobs).iter().map(Storm::cost).sum()
}

/// A run that has ended.
pub struct Ended {
    pub knobs: Storm,
    pub figures: Figures,
    /// When, users who came then, those of them who were answered in time.
    pub bins: Vec<[f64; 3]>,
}

/// The runs beside, one after the other.
pub struct Runs {
    seed: u64,
    runs: Vec<Storm>,
    pub ended: Vec<Ended>,
    current: Option<Chain>,
}

impl Runs {
    /// All of them still to be run.
    pub fn new(knobs: &Storm, seed: u64) -> Runs {
        Runs { seed, runs: runs(knobs), ended: Vec::new(), current: None }
    }

    /// Goes on for about `events` events with the run at hand; whether all have ended.
    pub fn advance(&mut self, events: u64) -> bool {
        let mut left = events;
        while let Some(knobs) = self.runs.get(self.ended.len()) {
            let chain = self.current.get_or_insert_with(|| Chain::new(knobs.chain(), self.seed));
            let before = chain.book().events;
            if !chain.advance(left) {
                return false;
            }
            left -= (chain.book().events - before).min(left);
            let book = chain.book();
            let width = bin_width(knobs.watch.as_s(), BINS) as usize;
            let bins = book.seconds.chunks(width).enumerate().map(|(i, seconds)| {
                let sum = |f: fn(&overload_sim::chain::book::Second) -> u32| seconds.iter().map(f).sum::<u32>().into();
                [(i * width) as f64, sum(|s| s.users), sum(|s| s.good)]
            });
            let bins = bins.collect();
            self.ended.push(Ended { knobs: knobs.clone(), figures: Figures::of(knobs, book), bins });
            self.current = None;
            if left == 0 {
                break;
            }
        }
        self.ended.len() == self.runs.len()
    }

    /// How many of them have ended, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.ended.len(), self.runs.len())
    }
}
