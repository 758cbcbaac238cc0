//! What a figure comes to, drawn: in this run, over many seeds, in the article, in the reader's guess.

use overload_chart::{Axis, Bar, Dot, Lang, Mark, Paint, Text, Unit, nice_ceil, sort_by_number, text};

use crate::card::Seen;
use crate::say::told;

const GUESS: Text = text("your guess", "bạn đoán");
/// Where the knobs stand, on any chart.
pub const THIS_RUN: Text = text("this run", "lần chạy này");

/// The note under a chart of spreads: what its marks mean.
pub const NOTE: Text = text(
    "Light: 1st to 99th percentile over seeds; dark: 10th to 90th; stroke: median. ◇ the article, ▲ this run.",
    "Nhạt: phân vị 1 đến 99 qua các seed; đậm: 10 đến 90; vạch: trung vị. ◇ trong bài, ▲ lần chạy này.",
);

/// The figure `key` in row `row`: the article’s and the guess, each where it is known.
pub fn known<K: ?Sized>(seen: &Seen<K>, key: &str, row: usize) -> Vec<Mark> {
    dots(seen, key, row, None)
}

/// The same, and between them `here`, this run’s.
fn dots<K: ?Sized>(seen: &Seen<K>, key: &str, row: usize, here: Option<f64>) -> Vec<Mark> {
    let printed = seen.printed.iter().find(|p| p.figure == key).map(|p| p.value);
    let dots = [
        (printed, Dot::Article, text("the article", "trong bài")),
        (here, Dot::ThisRun, THIS_RUN),
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
    spread.into_iter().chain(dots(seen, key, row, seen.get(key))).collect()
}

/// What came of something, in named rows: kinds one after the other, each a bar of `value(kind, row)` from where the one before
/// ended, `half` a row up and down. Also how far the longest row goes.
pub fn stacked<T>(
    lang: Lang,
    kinds: impl IntoIterator<Item = (T, Paint, Text)>,
    rows: usize,
    half: f64,
    value: impl Fn(&T, usize) -> f64,
) -> (Vec<Mark>, f64) {
    let mut ends = vec![0.0; rows];
    let mut stack = |(kind, paint, name): (T, Paint, Text)| {
        let mut bars = Vec::new();
        for (row, end) in ends.iter_mut().enumerate() {
            let (x0, value) = (*end, value(&kind, row));
            *end += value;
            if value > 0.0 {
                bars.push(Bar { x0, x1: *end, y0: row as f64 - half, y1: row as f64 + half });
            }
        }
        sort_by_number(&mut bars, |bar| bar.x0);
        Mark::Bars { name: name.get(lang).into(), paint, bars }
    };
    let marks = kinds.into_iter().map(&mut stack).collect();
    (marks, ends.into_iter().fold(0.0, f64::max))
}

/// The least and the greatest value that `marks` of named rows reach; `None` where there are none.
pub fn reach(marks: &[Mark]) -> Option<(f64, f64)> {
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
