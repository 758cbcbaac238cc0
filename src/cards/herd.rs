//! A herd as dots in time: who comes when, and how many within the same window.

use overload_sim::time::{Span, Time};

/// Most dots that a panel shows, about: more are one dot for several.
const MOST: u64 = 250;

/// How many of `n` one dot stands for.
pub fn each(n: usize) -> u64 {
    (n as u64).div_ceil(MOST).max(1)
}

/// The moments `sorted`, ascending, as dots: each with its number among those of its window of `width`, counted from 1, in
/// time's order. Of many, every [`each`]-th and the last of a window; of very many windows the fullest in each stretch.
pub fn dots(sorted: &[Time], width: Span) -> Vec<(Time, u64)> {
    let each = each(sorted.len());
    let mut out: Vec<(Time, u64)> = Vec::new();
    for window in sorted.chunk_by(|a, b| a.slot(width) == b.slot(width)) {
        let last = window.len() as u64;
        let ranked = window.iter().zip(1u64..);
        out.extend(ranked.filter(|(_, rank)| rank.is_multiple_of(each) || *rank == last).map(|(at, rank)| (*at, rank)));
    }
    if out.len() as u64 <= 3 * MOST {
        return out;
    }
    let end = out.last().map_or(0, |dot| dot.0.as_us());
    let stretch = Span::us(end / MOST + 1);
    let fullest = |dots: &[(Time, u64)]| dots.iter().copied().max_by_key(|dot| dot.1);
    out.chunk_by(|a, b| a.0.slot(stretch) == b.0.slot(stretch)).filter_map(fullest).collect()
}
