//! What this card draws.

use overload_chart::{Axis, Bar, Chart, Dot, Lang, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, text, units};
use overload_sim::breaker::State;

use super::calls::End;
use super::knobs::BreakerGranularity;
use super::{CALLS, INSTANCES, figure};
use crate::card::Seen;
use crate::say::told;
use crate::spread::guessed;

type See<'a> = Seen<'a, BreakerGranularity>;

/// Points of a line at most.
const MOST_POINTS: usize = 500;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![timeline(seen), blocked(seen), reached(seen), fleet(seen)]
}

fn clock(seen: &See) -> Axis {
    Axis::from_zero(text("time, ms", "thời gian, ms").get(seen.lang), units::MS, seen.knobs.length.as_ms())
}

/// The outage, and the time of the export job.
fn faults(seen: &See, named: bool) -> Vec<Mark> {
    let knobs = seen.knobs;
    let end = knobs.length.as_ms();
    let spans = [
        (knobs.export_at, knobs.export_for, text("export", "export")),
        (knobs.down_at, knobs.down_for, text("outage", "sự cố")),
    ];
    let of = |(at, length, label): (_, _, Text)| {
        let (x0, x1) = (overload_sim::time::Span::as_ms(at), overload_sim::time::Span::as_ms(at + length));
        (x0 < x1 && x0 < end).then(|| Mark::Span {
            x0,
            x1: x1.min(end),
            label: if named { label.get(seen.lang).into() } else { String::new() },
            paint: Paint::Fault,
        })
    };
    spans.into_iter().filter_map(of).collect()
}

/// Stretches of a state.
fn stretches(seen: &See, key: &str, wanted: State) -> Vec<(f64, f64)> {
    let changes: Vec<&[f64]> = seen.rows(key).collect();
    let end = |i: usize| changes.get(i + 1).map_or(seen.knobs.length.as_ms(), |next| next[0]);
    let mine = changes.iter().enumerate().filter(|(_, row)| row[1] == f64::from(wanted as u8));
    mine.map(|(i, row)| (row[0], end(i).max(row[0]))).collect()
}

/// Calls that ended so, neighbours joined. `side` 0: one breaker, 1: one each.
fn joined(seen: &See, side: usize, wanted: &[End]) -> Vec<(f64, f64)> {
    let every = seen.knobs.every.as_ms();
    let mut out: Vec<(f64, f64)> = Vec::new();
    for row in seen.rows("ends").filter(|row| wanted.iter().any(|&end| row[2 + side] == f64::from(end as u8))) {
        match out.last_mut() {
            Some(last) if row[0] <= last.1 + every * 1.01 => last.1 = row[0],
            _ => out.push((row[0], row[0])),
        }
    }
    out
}

/// Both sides on one time axis: calls to the good endpoint blocked so far; below, each breaker's state and what became of
/// the calls.
fn timeline(seen: &See) -> Chart {
    let lang = seen.lang;
    let number = |key: &str| seen.number(key);
    let mut marks = faults(seen, true);
    let mut highest = 4.0f64;
    for (side, name, paint) in [
        (0, text("one breaker", "một breaker"), Paint::Ink(0)),
        (1, text("one each", "mỗi endpoint một"), Paint::Ink(1)),
    ] {
        let mut points = vec![(0.0, 0.0)];
        for row in seen.rows("ends").filter(|row| row[2 + side] == f64::from(End::Blocked as u8)) {
            let n = points.len() as f64;
            points.push((row[0], n));
        }
        let last = points.last().map_or(0.0, |p| p.1);
        highest = highest.max(last);
        points.push((seen.knobs.length.as_ms(), last));
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: true });
    }
    let mut lane = |lane: usize, label: Text, name: Text, paint, at: Vec<(f64, f64)>| {
        marks.push(Mark::Lane { lane, label: label.get(lang).into(), name: name.get(lang).into(), paint, at });
    };
    let (open, half) = (text("open", "mở"), text("half-open", "half-open"));
    let unnamed = text("", "");
    for (i, (key, label)) in [
        ("shared_states", text("one for all", "chung")),
        ("charge_states", text("/charge", "/charge")),
        ("export_states", text("/dispute-export", "/dispute-export")),
    ]
    .into_iter()
    .enumerate()
    {
        let at = if i == 0 { 0 } else { 2 + i };
        lane(at, label, open, Paint::Breaker, stretches(seen, key, State::Open));
        lane(at, unnamed, half, Paint::Baseline, stretches(seen, key, State::HalfOpen));
    }
    for (side, first) in [(0, 1), (1, 5)] {
        let reached = text("reach it", "tới nơi");
        lane(first, reached, text("answered", "có trả lời"), Paint::Goodput, joined(seen, side, &[End::Ok]));
        lane(first, unnamed, text("failed", "lỗi"), Paint::Shed, joined(seen, side, &[End::Failed]));
        let blocked = text("healthy, blocked", "khoẻ mà bị chặn");
        lane(first + 1, blocked, blocked, Paint::Timeout, joined(seen, side, &[End::Blocked]));
    }
    let parts = [
        ("shared", &*lang.number(number(figure::shared::BLOCKED), 0)),
        ("own", &lang.number(number(figure::own::BLOCKED), 0)),
    ];
    let title = told(
        text(
            "One breaker for all blocks {shared} healthy {shared|call|calls}, one for each {own}",
            "Một breaker chung chặn {shared} call khoẻ, mỗi endpoint một breaker chặn {own}",
        ),
        lang,
        &parts,
    );
    let summary = told(
        text(
            "{title}. With the margin: {a} and {b}. Calls that reach the dependency: {c} and {d}.",
            "{title}. Có khoảng lề: {a} và {b}. Call tới dependency: {c} và {d}.",
        ),
        lang,
        &[
            ("title", &title),
            ("a", &seen.say(figure::shared::BLOCKED_MARGIN)),
            ("b", &seen.say(figure::own::BLOCKED_MARGIN)),
            ("c", &seen.say(figure::shared::REACHED)),
            ("d", &seen.say(figure::own::REACHED)),
        ],
    );
    let note = text(
        "Lines: calls to /charge blocked so far while it was well. Below: first the shared breaker with its calls, then those of the endpoints with theirs (orange: calls that failed).",
        "Đường: số call /charge bị chặn tới lúc đó trong khi nó khoẻ. Bên dưới: breaker chung và các call của nó, rồi breaker theo endpoint và các call của chúng (cam: call bị lỗi).",
    );
    let legend = [
        (Paint::Breaker, open),
        (Paint::Baseline, half),
        (Paint::Goodput, text("answered", "có trả lời")),
        (Paint::Shed, text("failed", "lỗi")),
        (Paint::Timeout, text("healthy, blocked", "khoẻ mà bị chặn")),
    ];
    let y =
        Axis::from_zero(text("healthy calls blocked", "call khoẻ bị chặn").get(lang), CALLS, nice_ceil(highest * 1.1));
    Chart {
        summary,
        legend: legend.map(|(paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        ..Chart::single("timeline", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 130)
    }
}

/// Blocked healthy calls, counted both ways.
fn blocked(seen: &See) -> Chart {
    let lang = seen.lang;
    let counts = [
        (figure::shared::BLOCKED, text("One: strictly", "Chung: đếm chặt")),
        (figure::shared::BLOCKED_MARGIN, text("One: with margin", "Chung: có lề")),
        (figure::own::BLOCKED, text("Each: strictly", "Mỗi cái: đếm chặt")),
        (figure::own::BLOCKED_MARGIN, text("Each: with margin", "Mỗi cái: có lề")),
    ];
    let mut marks = Vec::new();
    let mut highest = 10.0f64;
    let mut bars = Vec::new();
    for (row, (key, _)) in counts.iter().enumerate() {
        let value = seen.number(key);
        highest = highest.max(value);
        bars.push(Bar { x0: 0.0, x1: value.max(1e-6), y0: row as f64 - 0.32, y1: row as f64 + 0.32 });
    }
    let name = text("healthy calls blocked", "call khoẻ bị chặn").get(lang);
    marks.push(Mark::Bars { name: name.into(), paint: Paint::Timeout, bars });
    for (row, (key, _)) in counts.iter().enumerate() {
        let printed = seen.printed.iter().find(|p| p.figure == *key).map(|p| p.value);
        let dots = [
            (printed, Dot::Article, text("the article", "trong bài")),
            (seen.guess_for(key), Dot::Guess, text("your guess", "bạn đoán")),
        ];
        for (x, kind, name) in dots {
            if let Some(x) = x {
                highest = highest.max(x);
                marks.push(Mark::Dot { row, x, kind, name: name.get(lang).into() });
            }
        }
    }
    let end = nice_ceil(highest * 1.1);
    for (row, (key, _)) in counts.iter().enumerate() {
        let value = seen.number(key);
        let beside = seen.printed.iter().any(|p| p.figure == *key && (p.value - value).abs() < 0.02 * end);
        let x = value + if beside { 0.015 * end } else { 0.0 };
        marks.push(Mark::Note { x, y: row as f64, label: lang.number(value, 0), paint: Paint::Timeout });
    }
    let margin = units::MS.write(seen.knobs.margin.as_ms(), lang);
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| seen.number(counts[i].0));
    let template = if a == b && c == d {
        text(
            "Whichever way they are counted: {a} blocked with one breaker, {c} with one each",
            "Đếm cách nào cũng vậy: {a} call bị chặn khi chung breaker, {c} khi mỗi endpoint một cái",
        )
    } else {
        text(
            "Not counting the first {margin} after the outage changes {a} to {b}, and {c} to {d}",
            "Không đếm {margin} đầu sau sự cố thì {a} thành {b}, và {c} thành {d}",
        )
    };
    let title = told(
        template,
        lang,
        &[
            ("margin", &margin),
            ("a", &lang.number(a, 0)),
            ("b", &lang.number(b, 0)),
            ("c", &lang.number(c, 0)),
            ("d", &lang.number(d, 0)),
        ],
    );
    let note = text(
        "Calls to /charge that a breaker rejected while /charge was well.",
        "Số call /charge bị breaker chặn trong khi /charge khoẻ.",
    );
    Chart {
        id: "blocked",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(name, CALLS, end),
        y: YAxis::Names(counts.map(|(_, name)| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 130,
    }
}

/// Calls that reach the dependency, added up.
fn reached(seen: &See) -> Chart {
    let lang = seen.lang;
    let ends: Vec<&[f64]> = seen.rows("ends").collect();
    let mut marks = faults(seen, false);
    let line = |name: Text, paint, counts: &dyn Fn(&[f64]) -> bool| {
        let mut sum = 0.0;
        let mut points = vec![(0.0, 0.0)];
        let step = ends.len().div_ceil(MOST_POINTS).max(1);
        for (i, row) in ends.iter().enumerate() {
            sum += f64::from(u8::from(counts(row)));
            if i % step == 0 || i + 1 == ends.len() {
                points.push((row[0], sum));
            }
        }
        Mark::Line { name: name.get(lang).into(), paint, points, step: true }
    };
    let out = |end: f64| end <= f64::from(End::Failed as u8);
    marks.push(line(text("all calls", "mọi call"), Paint::Offered, &|_| true));
    marks.push(line(text("through one breaker", "qua một breaker"), Paint::Ink(0), &|row| out(row[2])));
    marks.push(line(text("through one each", "mỗi endpoint một"), Paint::Ink(1), &|row| out(row[3])));
    let mut highest = seen.number(figure::CALLS).max(4.0);
    let guess = [figure::shared::REACHED, figure::own::REACHED].iter().find_map(|key| seen.guess_for(key));
    if let Some(guess) = guess {
        highest = highest.max(guess);
        marks.push(Mark::Threshold { y: guess, label: guessed(lang, &CALLS.write(guess, lang)) });
    }
    let title = told(
        text(
            "Of {all} {all|call|calls}, through one breaker: {shared}; through one for each endpoint: {own}",
            "Trong {all} call, {shared} qua được một breaker chung, {own} qua được khi mỗi endpoint một breaker",
        ),
        lang,
        &[
            ("all", &lang.number(seen.number(figure::CALLS), 0)),
            ("shared", &lang.number(seen.number(figure::shared::REACHED), 0)),
            ("own", &lang.number(seen.number(figure::own::REACHED), 0)),
        ],
    );
    let note = text(
        "Calls that reach the dependency, added up. Level while a breaker is open.",
        "Số call tới dependency, cộng dồn. Nằm ngang khi breaker mở.",
    );
    let y = Axis::from_zero(text("calls so far", "số call tới lúc đó").get(lang), CALLS, nice_ceil(highest * 1.05));
    Chart::single("reached", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 150)
}

/// How many of the instances have found out.
fn fleet(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut marks = faults(seen, false);
    let points: Vec<(f64, f64)> = seen.rows("fleet").map(|row| (row[0], row[1])).collect();
    let name = text("not closed", "không đóng").get(lang);
    marks.push(Mark::Line { name: name.into(), paint: Paint::Breaker, points, step: true });
    let all = seen.knobs.instances as f64;
    let label = told(text("{all} {all|instance|instances}", "{all} instance"), lang, &[("all", &lang.number(all, 0))]);
    marks.push(Mark::Threshold { y: all, label });
    if let Some(at) = seen.get(figure::ALL_OPEN) {
        let parts = [("at", &*units::MS.write(at, lang))];
        let label = told(text("all open at {at}", "tất cả đã mở lúc {at}"), lang, &parts);
        marks.push(Mark::Note { x: at, y: all * 0.5, label, paint: Paint::Breaker });
    }
    let title =
        told(title_of_fleet(seen), lang, &fleet_parts(seen, lang).each_ref().map(|(key, said)| (*key, &**said)));
    let note = text(
        "Instances whose breaker for /charge is open or half-open.",
        "Số instance có breaker của /charge đang mở hoặc half-open.",
    );
    let y = Axis::from_zero(text("instances", "instance").get(lang), INSTANCES, nice_ceil(all * 1.15).max(2.0));
    Chart::single("fleet", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 120)
}

fn title_of_fleet(seen: &See) -> Text {
    if seen.get(figure::FLEET_DOWN) == Some(0.0) {
        text("No instance meets an outage", "Không instance nào gặp sự cố")
    } else if seen.get(figure::UNTIL_ALL_OPEN).is_some() {
        text(
            "{until} {until|fails|fail} until every instance has learnt it",
            "{until} lỗi cho tới khi mọi instance đều học được",
        )
    } else {
        text(
            "{never} of {all} never {never|finds|find} out; {down} {down|meets|meet} the outage",
            "{never} trên {all} không bao giờ biết; {down} gặp sự cố",
        )
    }
}

fn fleet_parts(seen: &See, lang: Lang) -> [(&'static str, String); 4] {
    [
        ("until", seen.say(figure::UNTIL_ALL_OPEN)),
        ("never", lang.number(seen.number(figure::NEVER_OPEN), 0)),
        ("all", INSTANCES.write(seen.knobs.instances as f64, lang)),
        ("down", seen.say(figure::FLEET_DOWN)),
    ]
}
