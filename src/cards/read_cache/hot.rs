//! Hot keys at their expiry, under each guard by itself, on the same requests.

use overload_sim::cache::hot::{Expiry, Guard, Hot};
use overload_sim::draw::Draws;

use super::knobs::ReadCache;

/// The stream of the requests.
const STREAM: u64 = 0xcad0;
/// The moment of the expiry, so that those before it are numbers too.
const ZERO: i64 = 1 << 60;
/// Points of a line.
const POINTS: u64 = 120;

/// What came of a guard.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub rebuilds: u64,
    pub waited: u64,
    /// Most rebuilds at once, of all keys.
    pub peak: usize,
    /// The sum of the gaps, and expiries without an early rebuild.
    pub gap: i64,
    pub missed: u64,
    /// When the rebuilds of the expiry at hand began, and those of the first; from [`ZERO`] on.
    now: Vec<u64>,
    first: Vec<u64>,
}

/// All of them.
pub struct Keys {
    hot: Hot,
    keys: u64,
    expiries: u64,
    draws: Draws,
    /// The next key, and its expiry.
    key: u64,
    expiry: u64,
    pub tallies: [Tally; 5],
    /// Events so far, and how many were asked for.
    pub done: u64,
    asked: u64,
}

impl Keys {
    /// Before the first expiry.
    pub fn new(knobs: &ReadCache, seed: u64) -> Keys {
        Keys {
            hot: knobs.hot(),
            keys: knobs.keys,
            expiries: knobs.watched(),
            draws: Draws::new(seed, STREAM),
            key: 0,
            expiry: 0,
            tallies: Default::default(),
            done: 0,
            asked: 0,
        }
    }

    /// How many expiries of a key are done.
    pub fn expired(&self) -> u64 {
        self.expiry * self.keys + self.key
    }

    /// Goes on for so many events; whether it has ended. An expiry is gone through as a whole; what was too much is made up for
    /// in the next calls.
    pub fn advance(&mut self, events: u64) -> bool {
        self.asked = self.asked.saturating_add(events);
        while self.expiry < self.expiries && self.done < self.asked {
            let mut requests = self.hot.requests(self.key, self.expiry as u32, self.draws);
            for (guard, tally) in Guard::ALL.into_iter().zip(&mut self.tallies) {
                let out = self.hot.expire(guard, &mut requests);
                self.done += out.seen;
                tally.add(out);
            }
            self.done += requests.drawn() as u64;
            self.key += 1;
            if self.key == self.keys {
                self.tallies.iter_mut().for_each(|tally| tally.close(self.hot.cost.as_us(), self.expiry == 0));
                (self.key, self.expiry) = (0, self.expiry + 1);
            }
        }
        self.expiry == self.expiries && self.done <= self.asked
    }

    /// For each guard rebuilds in flight over time, of the first expiry: guard, seconds since the expiry, how many.
    pub fn lines(&self) -> Vec<f64> {
        let cost = self.hot.cost.as_us();
        let zero = ZERO as u64;
        let all = self.tallies.iter().flat_map(|tally| &tally.first);
        let (low, high) = all.fold((zero, zero + cost), |(low, high), &at| (low.min(at), high.max(at + cost)));
        let step = ((high - low) / POINTS).max(1);
        let mut out = Vec::new();
        for (guard, tally) in self.tallies.iter().enumerate() {
            let mut begun = 0;
            for point in 0..=POINTS + 1 {
                let from = low + step * point - step;
                // The most within the stretch that ends here: what was in flight, and what began.
                let to = from + step;
                begun += tally.first[begun..].iter().take_while(|at| **at < to).count();
                let over = tally.first.partition_point(|at| *at + cost <= from);
                out.extend([guard as f64, (to as i64 - ZERO) as f64 / 1e6, (begun - over) as f64]);
            }
        }
        out
    }
}

impl Tally {
    fn add(&mut self, out: Expiry) {
        self.rebuilds += out.rebuilds.len() as u64;
        self.waited += out.waited;
        self.gap += out.gap;
        self.missed += u64::from(out.gap <= 0);
        self.now.extend(out.rebuilds.into_iter().map(|at| (at + ZERO) as u64));
    }

    /// An expiry of all keys is over.
    fn close(&mut self, cost: u64, first: bool) {
        self.now.sort_unstable();
        let mut over = 0;
        for (begun, at) in self.now.iter().enumerate() {
            while self.now[over] + cost <= *at {
                over += 1;
            }
            self.peak = self.peak.max(begun + 1 - over);
        }
        if first {
            self.first = core::mem::take(&mut self.now);
        }
        self.now.clear();
    }
}
