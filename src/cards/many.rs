//! The same run over many seeds: distributions of its figures.

use overload_sim::record::percentile;

use crate::outcome::{Outcome, Plan};

/// Every figure's values over seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Many {
    /// One list a figure, in the order of the plan, ascending. Missing values are left out.
    sorted: Vec<Vec<f64>>,
    /// One row a seed, in the order in which they came: for questions about single runs ("in how many …").
    runs: Vec<Vec<f64>>,
}

/// The distribution of one figure over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many runs gave the figure.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// The sample's standard deviation (divisor n − 1); 0 for one run.
    pub sd: f64,
    /// The smallest.
    pub min: f64,
    /// The 1st percentile; percentiles are `sorted[floor(n·q)]`.
    pub p1: f64,
    /// The 5th percentile.
    pub p5: f64,
    /// The 10th percentile.
    pub p10: f64,
    /// The 50th percentile.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
}

impl Many {
    /// Adds the figures of one run.
    pub fn add(&mut self, figures: &[f64]) {
        self.sorted.resize(self.sorted.len().max(figures.len()), Vec::new());
        for (sorted, &value) in self.sorted.iter_mut().zip(figures) {
            if value.is_finite() {
                let at = sorted.partition_point(|&v| v < value);
                sorted.insert(at, value);
            }
        }
        self.runs.push(figures.to_vec());
    }

    /// How many runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The distribution of a figure; `None` where no run gave it.
    pub fn spread(&self, plan: &Plan, key: &str) -> Option<Spread> {
        let at = plan.figures.iter().position(|f| f.key == key)?;
        Spread::of(self.sorted.get(at)?)
    }

    /// The share of runs below `value` plus half of those equal to it: where a printed figure falls, 0 to 1.
    pub fn rank(&self, plan: &Plan, key: &str, value: f64) -> Option<f64> {
        let at = plan.figures.iter().position(|f| f.key == key)?;
        let sorted = self.sorted.get(at).filter(|s| !s.is_empty())?;
        let below = sorted.partition_point(|&v| v < value);
        let up_to = sorted.partition_point(|&v| v <= value);
        Some((below + up_to) as f64 / 2.0 / sorted.len() as f64)
    }

    /// In how many runs `holds`, which is given a look-up of that run's figures.
    pub fn count(&self, plan: &Plan, holds: impl Fn(&dyn Fn(&str) -> Option<f64>) -> bool) -> usize {
        let of_run = |run: &&Vec<f64>| {
            holds(&|key| {
                let at = plan.figures.iter().position(|f| f.key == key)?;
                run.get(at).copied().filter(|v| v.is_finite())
            })
        };
        self.runs.iter().filter(of_run).count()
    }
}

impl Spread {
    /// Of ascending values; `None` of none.
    pub fn of(sorted: &[f64]) -> Option<Spread> {
        let n = sorted.len();
        let at = |q| percentile(sorted, q);
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|v| (v - mean) * (v - mean)).sum();
        Some(Spread {
            n,
            mean,
            sd: if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 },
            min: at(0.0)?,
            p1: at(0.01)?,
            p5: at(0.05)?,
            p10: at(0.10)?,
            median: at(0.50)?,
            p90: at(0.90)?,
            p95: at(0.95)?,
            p99: at(0.99)?,
            max: at(1.0)?,
        })
    }
}

/// Runs `seeds` seeds from `first` on, to the end, here and now: for programs, tests and the site generator.
pub fn run_many(first: u64, seeds: u64, mut run: impl FnMut(u64) -> Outcome) -> Many {
    let mut many = Many::default();
    for i in 0..seeds {
        many.add(run(first.wrapping_add(i)).values());
    }
    many
}
