//! Runs that do not fit into a frame, done in slices: in the worker, or on the page where a frame forbids workers.
//!
//! There is one lane for each use of a run. A new job replaces the one in its lane: the newest wins, and what comes
//! back carries the job's number, so that a late answer to an old question is recognised.

use overload_cards::card::{Card, Run};
use overload_cards::link::{self, State};

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Lane {
    /// The run on the page, too big for a frame.
    Run = 0,
    /// Many seeds of the run on the page.
    Seeds = 1,
    /// Many seeds of the article's setup, for its table.
    Article = 2,
}

impl Lane {
    /// All, the most urgent first.
    pub const ALL: [Lane; 3] = [Lane::Run, Lane::Seeds, Lane::Article];
}

/// A job: a card's state, run once or for many seeds from the state's own on.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Its lane.
    pub lane: Lane,
    /// Its number: greater than those before.
    pub number: u32,
    /// The card.
    pub slug: String,
    /// The state as a link writes it: knobs and first seed.
    pub pairs: String,
    /// How many seeds; 0 for one run whose whole outcome is wanted.
    pub seeds: u32,
}

/// What comes back of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The job's lane.
    pub lane: Lane,
    /// The job's number.
    pub number: u32,
    /// The share done, 0 to 1; 1 only with the last report.
    pub share: f64,
    /// For one run: its packed outcome, with the last report. For many seeds: the figures of those that ended since the
    /// last report, one run after the other.
    pub values: Vec<f64>,
}

struct Job {
    order: Order,
    card: &'static dyn Card,
    state: State,
    run: Box<dyn Run>,
    ended: u32,
}

/// The jobs under way, at most one a lane.
#[derive(Default)]
pub struct Jobs {
    lanes: [Option<Job>; 3],
}

/// Events between two looks at the clock.
const BITE: u64 = 20_000;

impl Jobs {
    /// Takes a job on, in place of the one in its lane. Unknown cards are ignored.
    pub fn submit(&mut self, order: Order) {
        let lane = order.lane as usize;
        self.lanes[lane] = overload_cards::find(&order.slug).map(|card| {
            let (state, _) = link::read(card, &order.pairs);
            let run = card.start(&*state.knobs, state.seed);
            Job { order, card, state, run, ended: 0 }
        });
    }

    /// Drops the job of a lane.
    pub fn cancel(&mut self, lane: Lane) {
        self.lanes[lane as usize] = None;
    }

    /// Whether nothing is under way.
    pub fn idle(&self) -> bool {
        self.lanes.iter().all(Option::is_none)
    }

    /// Works on the most urgent job for as long as `go_on` says so, and reports. `None` where there is nothing to do.
    pub fn slice(&mut self, mut go_on: impl FnMut() -> bool) -> Option<Report> {
        let lane = Lane::ALL.into_iter().find(|&lane| self.lanes[lane as usize].is_some())?;
        let job = self.lanes[lane as usize].as_mut()?;
        let many = job.order.seeds > 0;
        let wanted = job.order.seeds.max(1);
        let mut values = Vec::new();
        let mut share = 0.0;
        while job.ended < wanted {
            let progress = job.run.advance(BITE);
            share = (f64::from(job.ended) + progress.share) / f64::from(wanted);
            if progress.done {
                let outcome = job.run.outcome();
                job.ended += 1;
                if many {
                    values.extend_from_slice(outcome.values());
                } else {
                    values = outcome.pack();
                }
                if job.ended < wanted {
                    let seed = job.state.seed.wrapping_add(u64::from(job.ended));
                    job.run = job.card.start(&*job.state.knobs, seed);
                }
            }
            if !go_on() {
                break;
            }
        }
        let done = job.ended == wanted;
        let report = Report {
            lane,
            number: job.order.number,
            // Rounding must not claim the end before it is there.
            share: if done { 1.0 } else { share.min(0.999) },
            values,
        };
        if done {
            self.lanes[lane as usize] = None;
        }
        Some(report)
    }
}
