//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, sort_by_number, text, units,
};

use super::figure;
use super::knobs::{Hedging, OF_CAPACITY};
use super::{MS1, PERCENT1};
use crate::card::Seen;
use crate::say::told;
use crate::spread::{THIS_RUN, guessed};

type See<'a> = Seen<'a, Hedging>;

/// Both sides, as lines name them.
const SIDES: [Text; 2] = [text("without", "không hedge"), text("hedged", "có hedge")];
const PAINTS: [Paint; 2] = [Paint::Baseline, Paint::Retries];

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![turning(seen), tail(seen), load(seen), delays(seen), call(seen)]
}

fn load_axis(seen: &See) -> Axis {
    let title = text("offered load, % of capacity", "tải đưa vào, % năng lực").get(seen.lang);
    Axis { title: title.into(), unit: OF_CAPACITY, min: 0.0, max: 130.0, log: false }
}

/// Where the reader is, and where hedging turns from help to harm.
fn places(seen: &See) -> Vec<Mark> {
    let lang = seen.lang;
    let mut marks = Vec::new();
    if let Some(turning) = seen.get(figure::TURNING) {
        let label = told(text("turning point {at}", "điểm lật {at}"), lang, &[("at", &seen.say(figure::TURNING))]);
        marks.push(Mark::Span { x0: turning, x1: 130.0, label, paint: Paint::Fault });
    }
    let here = seen.knobs.load as f64;
    marks.push(Mark::Span { x0: here, x1: here, label: THIS_RUN.get(lang).into(), paint: Paint::Baseline });
    marks
}

/// A logarithmic axis about these values.
fn log_axis(title: Text, seen: &See, unit: overload_chart::Unit, values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = values.filter(|v| *v > 0.0).fold((f64::MAX, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 10.0) };
    Axis { title: title.get(seen.lang).into(), unit, min: low * 0.7, max: (high * 1.5).max(low * 2.0), log: true }
}

/// p99 over the load, with and without.
fn turning(seen: &See) -> Chart {
    let lang = seen.lang;
    let curve: Vec<&[f64]> = seen.rows("curve").collect();
    let mut marks = places(seen);
    for side in 0..2 {
        let points = curve.iter().map(|c| (c[0], c[1 + side])).collect();
        let name = SIDES[side].get(lang).into();
        marks.push(Mark::Line { name, paint: PAINTS[side], points, step: false });
    }
    if let Some(guess) = seen.guess_for(figure::TURNING) {
        let y = curve.first().map_or(1.0, |c| c[2]);
        let label = guessed(lang, &OF_CAPACITY.write(guess, lang));
        marks.push(Mark::Note { x: guess, y, label, paint: Paint::Baseline });
    }
    let title = match seen.get(figure::TURNING) {
        Some(_) => told(
            text(
                "Hedging helps up to {at} of the capacity, and harms from there on",
                "Hedging có ích tới {at} năng lực, từ đó trở đi có hại",
            ),
            lang,
            &[("at", &seen.say(figure::TURNING))],
        ),
        None => text("Hedging does not turn to harm at any load tried", "Hedging không gây hại ở mức tải nào đã thử")
            .get(lang)
            .into(),
    };
    let note = text(
        "p99 of the answered at each load, logarithmic; each point a run of its own on the same draws. Shaded: harm.",
        "p99 của các câu trả lời ở từng mức tải, thang log; mỗi điểm một lần chạy riêng, cùng số ngẫu nhiên. Vùng tô: có hại.",
    );
    let y = log_axis(text("p99, ms", "p99, ms"), seen, units::MS, curve.iter().flat_map(|c| [c[1], c[2]]));
    let summary = told(
        text(
            "{title}. Here, at {load}: p99 {a} without, {b} hedged.",
            "{title}. Ở đây, {load}: p99 {a} không hedge, {b} có hedge.",
        ),
        lang,
        &[
            ("title", &title),
            ("load", &OF_CAPACITY.write(seen.knobs.load as f64, lang)),
            ("a", &seen.say(figure::P99[0])),
            ("b", &seen.say(figure::P99[1])),
        ],
    );
    Chart {
        summary,
        ..Chart::single("turning", (title, note.get(lang)), (load_axis(seen), YAxis::Number(y)), marks, 220)
    }
}

/// The share of requests that take longer.
fn tail(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("tail").collect();
    let mut marks = Vec::new();
    for side in 0..2 {
        let points: Vec<(f64, f64)> =
            rows.iter().filter(|r| r[0] as usize == side).map(|r| (r[1].max(0.001), r[2])).collect();
        let name = SIDES[side].get(lang).into();
        marks.push(Mark::Line { name, paint: PAINTS[side], points, step: false });
    }
    for (y, label) in [(1.0, text("p99", "p99")), (0.1, text("p99.9", "p99,9"))] {
        marks.push(Mark::Threshold { y, label: label.get(lang).into() });
    }
    let x = log_axis(text("latency, ms", "latency, ms"), seen, MS1, rows.iter().map(|r| r[1].max(0.001)));
    if let Some(guess) = seen.guess_for(figure::P999[1]) {
        let label = guessed(lang, &units::MS.write(guess, lang));
        marks.push(Mark::Note { x: guess.clamp(x.min, x.max), y: 0.1, label, paint: Paint::Baseline });
    }
    let title = told(
        text("p99.9 {a} without, {b} hedged", "p99,9 {a} không hedge, {b} có hedge"),
        lang,
        &[("a", &seen.say(figure::P999[0])), ("b", &seen.say(figure::P999[1]))],
    );
    let note = text(
        "How many requests take longer than that; both axes logarithmic.",
        "Bao nhiêu request lâu hơn mức đó; cả hai trục thang log.",
    );
    let title_y = text("slower, % of requests", "chậm hơn, % request").get(lang);
    let y = Axis { title: title_y.into(), unit: PERCENT1, min: 0.08, max: 60.0, log: true };
    Chart::single("tail", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 160)
}

/// What the fleet does, hedges included, over the load.
fn load(seen: &See) -> Chart {
    let lang = seen.lang;
    let curve: Vec<&[f64]> = seen.rows("curve").collect();
    let mut marks = places(seen);
    let mut highest = 130.0f64;
    for (side, paint) in PAINTS.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = curve.iter().map(|c| (c[0], if side == 0 { c[0] } else { c[3] })).collect();
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        let name = if side == 0 { text("requests alone", "chỉ request") } else { text("with hedges", "cả hedge") };
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: false });
    }
    marks.push(Mark::Threshold { y: 100.0, label: text("capacity", "năng lực").get(lang).into() });
    let title = told(
        if seen.get(figure::WON).is_some() {
            text(
                "At {load} offered, hedges make it {total}; {won} of them bring the answer",
                "Tải {load}, thêm hedge thành {total}; {won} số hedge mang về câu trả lời",
            )
        } else {
            text("At {load} offered nothing is hedged", "Ở tải {load} không có hedge nào")
        },
        lang,
        &[
            ("load", &*OF_CAPACITY.write(seen.knobs.load as f64, lang)),
            ("total", &seen.say(figure::TOTAL)),
            ("won", &seen.say(figure::WON)),
        ],
    );
    let note = text(
        "Work done, as a share of what the fleet can do; a cancelled attempt counts as far as it got.",
        "Việc đã làm, so với khả năng của fleet; attempt bị huỷ chỉ tính phần đã làm.",
    );
    let y = Axis::from_zero(text("work, % of capacity", "việc, % năng lực").get(lang), OF_CAPACITY, nice_ceil(highest));
    Chart::single("load", (title, note.get(lang)), (load_axis(seen), YAxis::Number(y)), marks, 150)
}

/// What a shorter delay buys, and costs.
fn delays(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut rows: Vec<&[f64]> = seen.rows("delays").collect();
    sort_by_number(&mut rows, |row| row[2]);
    let mut marks = Vec::new();
    let points = rows.iter().map(|r| (r[2], r[3])).collect();
    marks.push(Mark::Line { name: String::new(), paint: PAINTS[1], points, step: false });
    for r in &rows {
        if [50.0, 95.0, 99.0].contains(&r[0]) {
            let label = told(
                text("after p{q}: {d}", "sau p{q}: {d}"),
                lang,
                &[("q", &*lang.number(r[0], 0)), ("d", &units::MS.write(r[1], lang))],
            );
            marks.push(Mark::Note { x: r[2], y: r[3], label, paint: PAINTS[1] });
        }
    }
    if let Some(plain) = seen.get(figure::P99[0]) {
        marks.push(Mark::Threshold { y: plain, label: text("without hedging", "không hedge").get(lang).into() });
    }
    let title = told(
        text("What an earlier hedge costs at {load} of the capacity", "Hedge sớm hơn tốn gì ở tải {load} năng lực"),
        lang,
        &[("load", &OF_CAPACITY.write(seen.knobs.load as f64, lang))],
    );
    let note = text(
        "Fixed delays, named by the percentile without hedging: hedges sent, and the p99 they give.",
        "Các delay cố định, gọi theo phân vị khi không hedge: số hedge gửi, và p99 có được.",
    );
    let most = rows.iter().fold(5.0f64, |most, r| most.max(r[2]));
    let x = Axis::from_zero(
        text("hedges, % of requests", "hedge, % số request").get(lang),
        PERCENT1,
        nice_ceil(most * 1.05),
    );
    let values = rows.iter().map(|r| r[3]).chain(seen.get(figure::P99[0]));
    let y = log_axis(text("p99, ms", "p99, ms"), seen, units::MS, values);
    Chart::single("delays", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 150)
}

/// One call, attempt by attempt.
fn call(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("call").collect();
    let kinds = [
        (Paint::Offered, text("not answered yet", "chưa có trả lời")),
        (Paint::Baseline, text("given up", "bị bỏ")),
        (Paint::Goodput, text("answered", "có trả lời")),
        (Paint::Shed, text("failed, not fatally", "lỗi, không fatal")),
        (Paint::Timeout, text("failed fatally", "lỗi fatal")),
    ];
    let end = seen.knobs.watched().as_ms();
    let mut marks = Vec::new();
    for (how, (paint, name)) in kinds.into_iter().enumerate() {
        let mut bars: Vec<Bar> = Vec::new();
        for r in rows.iter().filter(|r| r[3] as usize == how) {
            // An attempt that is over as soon as it is sent is seen, too.
            let (x0, x1) = (r[1].min(end * 0.995), r[2].max(r[1] + end * 0.005));
            bars.push(Bar { x0, x1, y0: r[0] - 0.28, y1: r[0] + 0.28 });
        }
        sort_by_number(&mut bars, |bar| bar.x0);
        marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
    }
    for r in &rows {
        let at = units::MS.write(r[1], lang);
        let label = told(text("sent at {at}", "gửi lúc {at}"), lang, &[("at", &at)]);
        marks.push(Mark::Note { x: r[2].min(end), y: r[0], label, paint: kinds[(r[3] as usize).min(4)].0 });
    }
    let title = if seen.get(figure::ENDED).is_some() {
        text("One call: {sent}, over after {ended}", "Một call: {sent}, kết thúc sau {ended}")
    } else {
        text("One call: {sent}, and no answer", "Một call: {sent}, và không có câu trả lời")
    };
    let title = told(title, lang, &[("sent", &seen.say(figure::SENT)), ("ended", &seen.say(figure::ENDED))]);
    let note = text(
        "When each attempt of one call goes out and how it ends, under the policy set and whatever its attempts meet.",
        "Từng attempt của một call được gửi lúc nào và kết thúc ra sao, theo chính sách đã đặt và những gì attempt gặp phải.",
    );
    let names = [
        text("attempt 1", "lần 1"),
        text("attempt 2", "lần 2"),
        text("attempt 3", "lần 3"),
        text("attempt 4", "lần 4"),
        text("attempt 5", "lần 5"),
    ];
    let present = kinds.into_iter().enumerate().filter(|(how, _)| rows.iter().any(|r| r[3] as usize == *how));
    Chart {
        id: "call",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(
            text("time since the call, ms", "thời gian từ lúc gọi, ms").get(lang),
            units::MS,
            nice_ceil(end),
        ),
        y: YAxis::Names(names.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: present.map(|(_, (paint, name))| (paint, name.get(lang).to_string())).collect(),
        panel_height: 130,
    }
}
