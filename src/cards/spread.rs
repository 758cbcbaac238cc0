//! What a figure comes to, drawn: in this run, over many seeds, in the article, in the reader's guess.

use overload_chart::{Axis, Dot, Lang, Mark, Paint, Text, Unit, nice_ceil, text};

use crate::card::Seen;
use crate::say::told;

const GUESS: Text = text("your guess", "bạn đoán");

/// The note under a chart of spreads: what its marks mean.
pub const NOTE: Text = text(
    "Light: 1st to 99th percentile over seeds; dark: 10th to 90th; stroke: median. ◇ the article, ▲ this run.",
    "Nhạt: phân vị 1 đến 99 qua các seed; đậm: 10 đến 90; vạch: trung vị. ◇ trong bài, ▲ lần chạy này.",
);

/// The figure `key` in row `row`: the article’s, this run’s, the guess, each where it is known.
fn dots<K: ?Sized>(seen: &Seen<K>, key: &str, row: usize) -> Vec<Mark> {
    let printed = seen.printed.iter().find(|p| p.figure == key).map(|p| p.value);
    let dots = [
        (printed, Dot::Article, text("the article", "trong bài")),
        (seen.get(key), Dot::ThisRun, text("this run", "lần chạy này")),
        (seen.guess_for(key), Dot::Guess, GUESS),
    ];
    let dot = |(x, kind, name): (Option<f64>, Dot, Text)| {
        Some(Mark::Dot { row, x: x?, kind, name: name.get(seen.lang).into() })
    };
    dots.into_iter().filter_map(dot).collect()
}

/// The figure `key` in row `row`: its spread over many seeds, once they have run, under its dots: the article’s, this run’s, the guess.
pub fn row<K: ?Sized>(seen: &Seen<K>, key: &str, row: usize) -> Vec<Mark> {
    // What is the same for every seed has no spread to draw.
    let spread = seen.many.and_then(|many| many.spread(seen.plan, key)).filter(|s| s.p1 < s.p99);
    let spread = spread.map(|s| {
        let n = seen.lang.number(s.n as f64, 0);
        let name = told(text("{n} {n|seed|seeds}", "{n} seed"), seen.lang, &[("n", &n)]);
        Mark::Spread { row, name, at: [s.p1, s.p10, s.median, s.p90, s.p99] }
    });
    spread.into_iter().chain(dots(seen, key, row)).collect()
}

/// The least and the greatest value that `marks` of named rows reach; `None` where there are none.
fn reach(marks: &[Mark]) -> Option<(f64, f64)> {
    let ends = marks.iter().filter_map(|mark| match mark {
        Mark::Spread { at, .. } => Some((at[0], at[4])),
        Mark::Dot { x, .. } => Some((*x, *x)),
        _ => None,
    });
    ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The axis of `marks` about them, or where `from_zero` says so from zero to at least that.
pub fn axis(marks: &[Mark], unit: Unit, lang: Lang, from_zero: Option<f64>) -> Axis {
    let (low, high) = reach(marks).unwrap_or((0.0, 1.0));
    let title = unit.text.get(lang);
    if let Some(least) = from_zero {
        return Axis::from_zero(title, unit, nice_ceil(high.max(least) * 1.02));
    }
    let pad = ((high - low) * 0.06).max(high.abs() * 0.01).max(1.0);
    Axis { title: title.into(), unit, min: (low - pad).max(0.0), max: high + pad, log: false }
}

/// The reader's guess for a figure, at its place in a plot.
pub fn guess(label: &str, (x, y): (f64, f64)) -> Mark {
    Mark::Note { x, y, label: label.into(), paint: Paint::Baseline }
}

/// The words of a guess: "your guess 64"; alone where `said` is empty.
pub fn guessed(lang: Lang, said: &str) -> String {
    let words = GUESS.get(lang);
    if said.is_empty() { words.into() } else { format!("{words} {said}") }
}
