//! Which page is asked for.

use crate::draw::Draw;

/// Pages by popularity, as Zipf's law has it: the n-th is asked for n^−s as often as the first. With s = 0 all alike.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// Weights summed up to each page.
    sums: Vec<u64>,
}

impl Zipf {
    /// So many pages (0 counts as 1), and the exponent in hundredths.
    pub fn new(pages: u32, hundredths: u64) -> Zipf {
        const FIRST: f64 = (1u64 << 40) as f64;
        let mut sum = 0;
        let weight = |n: u32| libm::pow(f64::from(n), -(hundredths as f64 / 100.0)) * FIRST;
        let sums = (1..=pages.max(1)).map(|n| {
            sum += (weight(n) as u64).max(1);
            sum
        });
        Zipf { sums: sums.collect() }
    }

    /// A page, counted from 0, the most popular first.
    pub fn pick(&self, draw: &mut Draw) -> u32 {
        let at = draw.below(self.sums.last().copied().unwrap_or(1));
        self.sums.partition_point(|&sum| sum <= at) as u32
    }

    /// The share of the requests that ask for this page.
    pub fn share(&self, page: u32) -> f64 {
        let of = |n: usize| self.sums.get(n).copied().unwrap_or(0);
        let before = (page as usize).checked_sub(1).map_or(0, of);
        (of(page as usize).saturating_sub(before)) as f64 / of(self.sums.len() - 1) as f64
    }
}
