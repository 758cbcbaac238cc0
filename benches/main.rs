//! Benchmarks: peers side by side in one run.
//!
//! Each group's contestants take turns (A B C A B C …), so that whatever else the machine does hits all of them; the
//! median of the rounds counts. Run with `cargo run --release -p overload-benches`; an argument picks the groups whose
//! name contains it, and `--check` runs each contestant once, on a small load.
//!
//! | module | group |
//! |---|---|
//! | [`mm1`] | the queue M/M/1: our station, a bare heap, and general simulation engines |
//! | [`jitter`] | card `jitter`: its run, one contestant a strategy |

mod jitter;
mod mm1;

use std::time::{Duration, Instant};

/// Something to be timed.
pub struct Contestant {
    /// Its row's name.
    pub name: &'static str,
    /// Does the whole work once.
    pub run: Box<dyn FnMut()>,
}

/// Contestants that do the same work.
pub struct Group {
    /// Its heading.
    pub name: &'static str,
    /// How many of `unit` one run works through.
    pub amount: u64,
    /// What is counted.
    pub unit: &'static str,
    /// Each gets a row; ratios are to the one numbered `baseline`.
    pub contestants: Vec<Contestant>,
    /// See `contestants`.
    pub baseline: usize,
}

/// Builds a group, on a small load where only a check is wanted.
type Build = fn(bool) -> Group;

/// Rounds of a group; odd, so that the median is one of them.
const ROUNDS: usize = 9;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.iter().any(|a| a == "--check");
    let wanted = arguments.iter().find(|a| !a.starts_with("--"));

    // One line a group. Each is built when its turn comes, in a module of its own.
    let groups: [(&str, Build); 3] =
        [("mm1", mm1::group), ("jitter-1k", jitter::thousand), ("jitter-100k", jitter::hundred_thousand)];

    for (key, group) in groups {
        if wanted.is_none_or(|wanted| key.contains(wanted.as_str())) {
            compete(group(check), if check { 1 } else { ROUNDS });
        }
    }
}

/// Runs a group's contestants in turns and prints its table.
fn compete(mut group: Group, rounds: usize) {
    let mut times = vec![Vec::with_capacity(rounds); group.contestants.len()];
    // The first round warms caches and the allocator up, and is not counted.
    for round in 0..=rounds {
        for (contestant, times) in group.contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (contestant.run)();
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    let medians: Vec<Duration> = times.iter_mut().map(|times| median(times)).collect();
    let base = medians[group.baseline].as_secs_f64();
    println!("{} ({} {}, median of {rounds})", group.name, group.amount, group.unit);
    println!("{:<44} {:>10} {:>14} {:>10}", "", "ms", format!("M {}/s", group.unit), "time ratio");
    for (contestant, time) in group.contestants.iter().zip(&medians) {
        let seconds = time.as_secs_f64();
        println!(
            "{:<44} {:>10.1} {:>14.2} {:>10.2}",
            contestant.name,
            seconds * 1e3,
            group.amount as f64 / seconds / 1e6,
            seconds / base
        );
    }
    println!();
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
