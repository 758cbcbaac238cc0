//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Layout, MOST_LANES, Mark, Paint, Panel, Text, YAxis, nice_ceil, same, sort_by_number, text, units,
};

use super::calls::STOCK;
use super::figure::{self, alarm, own, shared};
use super::knobs::{Bulkhead, Fault};
use super::{ALARMS, CALLS, lane, lanes};
use crate::card::Seen;
use crate::say::told;
use crate::spread::{self, guessed};

type See<'a> = Seen<'a, Bulkhead>;

/// The two sides, as lines and bars name them.
const SIDES: [Text; 2] = [text("one shared pool", "một pool chung"), text("with bulkheads", "có bulkhead")];
/// What a lane's colour means.
const WHO: [(Paint, Text); 3] = [
    (Paint::Goodput, same("/stock")),
    (Paint::Late, text("ill dependency", "dependency có vấn đề")),
    (Paint::Baseline, text("other dependencies", "dependency khác")),
];

/// Rows of the alarms that are not like the others.
const USERS_ROW: usize = 3;
const CPU_ROW: usize = 5;
/// The CPU's alarm, in percent.
const CPU_ALARM: f64 = 80.0;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![connections(seen), stock(seen), alarms(seen), flight(seen), answers(seen)]
}

fn clock(seen: &See) -> Axis {
    let end = seen.rows("end").next().map_or(1.0, |row| row[0]);
    Axis::from_zero(text("time, ms", "thời gian, ms").get(seen.lang), units::MS, end)
}

/// When the dependency is ill, where that is not always.
fn illness(seen: &See, named: bool) -> Option<Mark> {
    let k = seen.knobs;
    let end = clock(seen).max;
    let (x0, x1) = (k.fault_at.as_ms(), (k.fault_at + k.fault_for).as_ms().min(end));
    (k.steady() && x0 < x1).then(|| {
        let word = if k.fault == Fault::Slow { text("slow", "chậm") } else { text("dead", "chết") };
        let label = if named { word.get(seen.lang).into() } else { String::new() };
        Mark::Span { x0, x1, label, paint: Paint::Fault }
    })
}

/// Who holds each connection, and above it how many wait, on either side.
fn connections(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let holds: Vec<&[f64]> = seen.rows("holds").collect();
    let mut highest = 4.0f64;
    let mut panels = Vec::new();
    for (side, line) in [(0, "shared_line"), (1, "own_line")] {
        let mut marks: Vec<Mark> = illness(seen, side == 0).into_iter().collect();
        let mut points = vec![(0.0, 0.0)];
        points.extend(seen.rows(line).map(|row| (row[0], row[1])));
        points.push((clock(seen).max, points.last().map_or(0.0, |p| p.1)));
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        let name = text("waiting", "đang chờ").get(lang);
        marks.push(Mark::Line { name: name.into(), paint: Paint::Offered, points, step: true });
        let shown = lanes(knobs, side == 1);
        let names = [text("main {n}", "chính {n}"), text("own {n}", "riêng {n}"), text("other {n}", "khác {n}")];
        for (part, &count) in shown.iter().enumerate() {
            for connection in 0..count {
                let Some(lane) = lane(&shown, part, connection) else { continue };
                // Of each other dependency one connection is drawn: they are numbered through.
                let n = if part < 2 { connection + 1 } else { part - 1 };
                let label = told(names[part.min(2)], lang, &[("n", &lang.number(n as f64, 0))]);
                for who in STOCK..=knobs.deps as usize {
                    let mine = holds
                        .iter()
                        .filter(|row| (row[0] as usize, row[1] as usize, row[2] as usize) == (side, lane, who));
                    let at: Vec<(f64, f64)> = mine.map(|row| (row[3], row[4])).collect();
                    // The lane has its name once, also where nobody ever holds it.
                    if who > STOCK && at.is_empty() {
                        continue;
                    }
                    let (paint, name) = WHO[who.min(2)];
                    let label = if who == STOCK { label.clone() } else { String::new() };
                    marks.push(Mark::Lane { lane, label, name: name.get(lang).into(), paint, at });
                }
            }
        }
        panels.push(Panel::new(SIDES[side].get(lang), marks));
    }
    let title = told(
        text(
            "/stock takes up to {shared} in one shared pool, up to {own} with bulkheads",
            "/stock mất tới {shared} khi chung một pool, tới {own} khi có bulkhead",
        ),
        lang,
        &[("shared", &seen.say(shared::MAX)), ("own", &seen.say(own::MAX))],
    );
    let summary = told(
        text(
            "{title}. The dependency holds up to {a} and {b}. Answered of its {all}: {c} and {d}.",
            "{title}. Dependency giữ nhiều nhất {a} và {b}. Trong {all} tới nó có trả lời: {c} và {d}.",
        ),
        lang,
        &[
            ("title", &title),
            ("a", &seen.say(shared::HELD)),
            ("b", &seen.say(own::HELD)),
            ("all", &seen.say(figure::CALLS)),
            ("c", &seen.say(shared::OK)),
            ("d", &seen.say(own::OK)),
        ],
    );
    let cut = knobs.pool as usize > MOST_LANES || (knobs.rest() + knobs.own * knobs.deps) as usize > MOST_LANES;
    let note = if cut {
        text(
            "Line: calls that wait. Below: a lane a connection, and who holds it: green /stock, striped the ill dependency, grey another. Not all connections are drawn.",
            "Đường: số call đang chờ. Bên dưới: mỗi connection một làn, và ai đang giữ: xanh là /stock, sọc là dependency có vấn đề, xám là dependency khác. Không vẽ hết mọi connection.",
        )
    } else {
        text(
            "Line: calls that wait. Below: a lane a connection, and who holds it: green /stock, striped the ill dependency, grey another.",
            "Đường: số call đang chờ. Bên dưới: mỗi connection một làn, và ai đang giữ: xanh là /stock, sọc là dependency có vấn đề, xám là dependency khác.",
        )
    };
    let y = Axis::from_zero(text("calls waiting", "call đang chờ").get(lang), CALLS, nice_ceil(highest * 1.1));
    let who = if knobs.deps > 1 { &WHO[..] } else { &WHO[..2] };
    Chart {
        id: "connections",
        title,
        note: note.get(lang).into(),
        summary,
        layout: Layout::Rows,
        x: clock(seen),
        y: YAxis::Number(y),
        panels,
        columns: vec![],
        legend: who.iter().map(|(paint, name)| (*paint, name.get(lang).to_string())).collect(),
        panel_height: 80,
    }
}

/// How long each call to /stock takes.
fn stock(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut marks: Vec<Mark> = illness(seen, true).into_iter().collect();
    let (mut highest, mut lowest, mut last) = (10.0f64, 1.0f64, 1.0f64);
    for (side, key) in ["shared_stock", "own_stock"].into_iter().enumerate() {
        let points: Vec<(f64, f64)> = seen.rows(key).map(|row| (row[0], row[1].max(1.0))).collect();
        for point in &points {
            (highest, lowest, last) = (highest.max(point.1), lowest.min(point.1), last.max(point.0));
        }
        marks.push(Mark::Line {
            name: SIDES[side].get(lang).into(),
            paint: Paint::Ink(side as u8),
            points,
            step: false,
        });
    }
    if let Some(guess) = [shared::P50, shared::MAX, own::P50, own::MAX].iter().find_map(|key| seen.guess_for(key)) {
        highest = highest.max(guess);
        marks.push(Mark::Threshold { y: guess.max(1.0), label: guessed(lang, &units::MS.write(guess, lang)) });
    }
    let title = told(
        text(
            "/stock takes {shared} at the median in one pool, {own} with bulkheads",
            "/stock mất {shared} ở trung vị khi chung pool, {own} khi có bulkhead",
        ),
        lang,
        &[("shared", &seen.say(shared::P50)), ("own", &seen.say(own::P50))],
    );
    let note = text(
        "Each call to /stock at the moment when it was sent; logarithmic.",
        "Từng call /stock, đặt ở thời điểm gửi; thang log.",
    );
    let x = Axis::from_zero(text("sent at, ms", "gửi lúc, ms").get(lang), units::MS, last);
    let y = Axis {
        title: text("/stock takes, ms", "/stock mất, ms").get(lang).into(),
        unit: units::MS,
        min: lowest * 0.7,
        max: highest * 1.5,
        log: true,
    };
    Chart::single("stock", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 150)
}

/// Which alarm is on when, on either side.
fn alarms(seen: &See) -> Chart {
    let lang = seen.lang;
    let x = clock(seen);
    let fired: Vec<&[f64]> = seen.rows("alarms").collect();
    // A firing of an instant is drawn too.
    let least = x.max / 120.0;
    let panel = |side: usize| {
        let mut marks = Vec::new();
        let (mut on, mut users): (Vec<Bar>, Vec<Bar>) = (Vec::new(), Vec::new());
        for row in 0..ALARMS.len() {
            let mine = fired.iter().filter(|f| (f[0] as usize, f[1] as usize) == (side, row));
            let mut bars: Vec<Bar> = Vec::new();
            for f in mine {
                let from = f[2].min(x.max - least);
                let to = f[3].max(from + least).min(x.max);
                match bars.last_mut() {
                    Some(last) if from <= last.x1 => last.x1 = last.x1.max(to),
                    _ => bars.push(Bar { x0: from, x1: to, y0: row as f64 - 0.3, y1: row as f64 + 0.3 }),
                }
            }
            if bars.is_empty() {
                let loud = row == CPU_ROW && seen.number(alarm::CPU) > CPU_ALARM;
                let word = match row {
                    _ if loud => text("up to {cpu}", "tới {cpu}"),
                    CPU_ROW => text("quiet, {cpu} at most", "im lặng, cao nhất {cpu}"),
                    _ => text("quiet", "im lặng"),
                };
                let label = told(word, lang, &[("cpu", &seen.say(alarm::CPU))]);
                let paint = if loud { Paint::Shed } else { Paint::Goodput };
                marks.push(Mark::Note { x: 0.0, y: row as f64, label, paint });
            }
            if row == USERS_ROW { &mut users } else { &mut on }.append(&mut bars);
        }
        for (name, paint, mut bars) in [
            (text("alarm", "cảnh báo"), Paint::Shed, on),
            (text("users notice", "người dùng nhận ra"), Paint::Timeout, users),
        ] {
            sort_by_number(&mut bars, |bar| bar.x0);
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
        Panel::new(SIDES[side].get(lang), marks)
    };
    let first = [alarm::FLIGHT, alarm::WAIT, alarm::TAIL].iter().filter_map(|key| seen.get(key)).reduce(f64::min);
    let title = match (first, seen.get(alarm::USERS)) {
        (Some(first), Some(users)) if first < users => told(
            text(
                "With one pool the first alarm comes {early} before the users notice",
                "Khi chung pool, cảnh báo đầu tiên đến sớm hơn người dùng {early}",
            ),
            lang,
            &[("early", &units::MS.write(users - first, lang))],
        ),
        (_, Some(_)) => text("With one pool the users notice first", "Khi chung pool, người dùng nhận ra trước tiên")
            .get(lang)
            .into(),
        (Some(_), None) => {
            text("Alarms, but no user of /stock notices", "Có cảnh báo, nhưng người dùng /stock không thấy gì")
                .get(lang)
                .into()
        }
        (None, None) => text("No alarm", "Không có cảnh báo").get(lang).into(),
    };
    let note = text(
        "When each alarm is on, and when users of /stock notice. The CPU’s is at 80%.",
        "Mỗi cảnh báo bật lúc nào, và người dùng /stock nhận ra lúc nào. Cảnh báo CPU ở mức 80%.",
    );
    Chart {
        id: "alarms",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: x.clone(),
        y: YAxis::Names(ALARMS.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![panel(0), panel(1)],
        columns: vec![],
        legend: vec![],
        panel_height: 150,
    }
}

/// Calls in flight to the dependency.
fn flight(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let mut marks: Vec<Mark> = illness(seen, true).into_iter().collect();
    let limit = knobs.flight_alarm as f64;
    let mut highest = limit.max(4.0);
    for (side, key) in ["shared_line", "own_line"].into_iter().enumerate() {
        let mut points = vec![(0.0, 0.0)];
        points.extend(seen.rows(key).map(|row| (row[0], row[2])));
        points.push((clock(seen).max, points.last().map_or(0.0, |p| p.1)));
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        marks.push(Mark::Line {
            name: SIDES[side].get(lang).into(),
            paint: Paint::Ink(side as u8),
            points,
            step: true,
        });
    }
    let label = told(text("alarm above {n}", "cảnh báo khi quá {n}"), lang, &[("n", &lang.number(limit, 0))]);
    marks.push(Mark::Threshold { y: limit, label });
    let inside = CALLS.write((knobs.own + knobs.queue) as f64, lang);
    let title = told(
        text(
            "A bulkhead lets {n} in; a shared pool lets in whatever comes",
            "Bulkhead cho {n} vào; pool chung cho vào bất cứ bao nhiêu",
        ),
        lang,
        &[("n", &inside)],
    );
    let note = text(
        "Calls to the dependency that are in flight: holding a connection or waiting for one.",
        "Số call in-flight tới dependency: đang giữ connection hoặc đang chờ.",
    );
    let y = Axis::from_zero(text("calls in flight", "call in-flight").get(lang), CALLS, nice_ceil(highest * 1.1));
    Chart::single("flight", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 130)
}

/// What became of the dependency's calls.
fn answers(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds = [
        ([shared::OK, own::OK], Paint::Goodput, text("answered", "có trả lời")),
        ([shared::FAILED, own::FAILED], Paint::Timeout, text("failed", "lỗi")),
        ([shared::SHED, own::SHED], Paint::Shed, text("503 at once", "503 ngay")),
    ];
    let (mut marks, longest) = spread::stacked(lang, kinds, 2, 0.3, |keys, row| seen.number(keys[row]));
    let known: Vec<Mark> =
        [shared::OK, own::OK].into_iter().enumerate().flat_map(|(row, key)| spread::known(seen, key, row)).collect();
    let highest = spread::reach(&known).map_or(0.0, |reach| reach.1).max(longest).max(4.0);
    marks.extend(known);
    let title = told(
        text(
            "One pool answers {a} of {all}, the slowest after {x}; the bulkhead {b}, the slowest after {y}",
            "Pool chung trả lời {a} trên {all}, chậm nhất sau {x}; bulkhead {b}, chậm nhất sau {y}",
        ),
        lang,
        &[
            ("a", &*lang.number(seen.number(shared::OK), 0)),
            ("all", &seen.say(figure::CALLS)),
            ("x", &seen.say(shared::LONGEST)),
            ("b", &lang.number(seen.number(own::OK), 0)),
            ("y", &seen.say(own::LONGEST)),
        ],
    );
    let note = text("Calls to the dependency, by how they ended.", "Call tới dependency, theo cách kết thúc.");
    Chart {
        id: "answers",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("calls", "call").get(lang), CALLS, nice_ceil(highest * 1.02)),
        y: YAxis::Names(SIDES.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 80,
    }
}
