//! What this card draws.

use super::knobs::RetryAfter;
use super::{NAMES, ROWS, SIDES, figure, key, partner};
use crate::card::Seen;
use crate::say::{lowered, told};
use crate::{herd, spread};
use overload_chart::{
    Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, sort_by_number, text,
    units,
};

type See<'a> = Seen<'a, RetryAfter>;

const S: Unit = Unit::new("s", same("s"), 2);
const SHARE: Unit = Unit::new("percent", same("%"), 0);

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![dots(seen), served(seen), spreads(seen), widths(seen), partners(seen)]
}

/// The end of the shared time axis in seconds: where the last call comes, leaving out a row that takes more than three times
/// as long as the row before it.
fn horizon(seen: &See) -> f64 {
    let end = |row: &&'static str| seen.rows(&key(row, "dots")).last().map_or(0.0, |dot| dot[0]);
    let mut ends: Vec<f64> = ROWS.iter().map(end).collect();
    sort_by_number(&mut ends, |&end| end);
    let mut last = ends[1];
    for end in &ends[2..] {
        if *end <= 3.0 * last.max(0.1) {
            last = last.max(*end);
        }
    }
    (last * 1.03).max(seen.knobs.slot.as_s())
}

fn clock(seen: &See) -> Axis {
    let title = text("time since they were shed, s", "thời gian từ lúc bị shed, s");
    Axis::from_zero(title.get(seen.lang), S, horizon(seen))
}

fn slot(seen: &See) -> String {
    units::MS.trimmed(seen.knobs.slot.as_ms(), seen.lang)
}

/// How a row's header reads.
fn formula(knobs: &RetryAfter, row: usize, lang: Lang) -> String {
    let template = match row {
        0 => same("{a} s"),
        1 => same("{a} + ⌊{k}·U⌋ s"),
        2 => same("{a} + ⌊{k}·U⌋ s + U(0, {j} ms)"),
        _ => same(""),
    };
    let [a, k] = [knobs.after, knobs.values].map(|n| lang.number(n as f64, 0));
    told(template, lang, &[("a", &a), ("k", &k), ("j", &lang.trimmed(knobs.jitter.as_ms(), 3))])
}

/// The card's figure: each call that comes back, at its moment.
fn dots(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let x = clock(seen);
    let capacity = knobs.capacity as f64;
    let rows = ROWS.map(|row| seen.rows(&key(row, "dots")).collect::<Vec<_>>());
    let highest = rows.iter().flatten().fold(1.0f64, |most, dot| most.max(dot[1]));
    let top = nice_ceil(highest.max(capacity.min(2.0 * highest)) * 1.12);
    let mut each = 1.0f64;
    let mut panels = Vec::new();
    for (i, (row, dots)) in ROWS.into_iter().zip(&rows).enumerate() {
        let number = |figure: &str| seen.number(&key(row, figure));
        let calls = number(figure::CALLS) - knobs.clients as f64;
        let one = herd::each(calls.max(0.0) as usize) as f64;
        each = each.max(one);
        let part = |refused: bool| {
            dots.iter().filter(|dot| (dot[1] > capacity) == refused).map(|dot| (dot[0], dot[1])).collect::<Vec<_>>()
        };
        let mut marks = vec![
            Mark::Dots {
                name: text("answered", "được trả lời").get(lang).into(),
                paint: Paint::Goodput,
                each: one,
                points: part(false),
            },
            Mark::Dots {
                name: text("shed again", "lại bị shed").get(lang).into(),
                paint: Paint::Shed,
                each: one,
                points: part(true),
            },
        ];
        let label = text("the server answers {n}", "server trả lời {n}");
        let label = if i == 0 { told(label, lang, &[("n", &lang.number(capacity, 0))]) } else { String::new() };
        marks.push(Mark::Threshold { y: capacity, label });
        // The largest herd of the first return, unless the picture ends before.
        let peak = number(figure::PEAK);
        if let Some(dot) =
            dots.iter().filter(|dot| dot[0] <= x.max).max_by(|a, b| a[1].total_cmp(&b[1]).then(b[0].total_cmp(&a[0])))
        {
            let label = told(text("peak {n}", "đỉnh {n}"), lang, &[("n", &lang.number(peak, 0))]);
            marks.push(Mark::Note { x: dot[0], y: dot[1], label, paint: Paint::Retries });
        }
        if let Some(end) = dots.last().map(|dot| dot[0]).filter(|end| *end > x.max) {
            let label =
                told(text("goes on until {end}", "kéo dài tới {end}"), lang, &[("end", &units::S.write(end, lang))]);
            marks.push(Mark::Note { x: x.max, y: 0.6 * top, label, paint: Paint::Ink(0) });
        }
        if let Some(guess) = seen.guess_for(&key(row, figure::HERD)) {
            let said = units::CLIENTS.write(guess, lang);
            marks.push(spread::guess(&spread::guessed(lang, &said), (x.max * 0.5, guess)));
        }
        let gave_up = number(figure::GAVE_UP);
        let note = if gave_up > 0.0 {
            told(text("{n} gave up", "{n} bỏ cuộc"), lang, &[("n", &lang.number(gave_up, 0))])
        } else {
            String::new()
        };
        let done = seen.get(&key(row, figure::DONE));
        let cells = vec![
            Cell { value: lang.number(number(figure::HERD), 0), note: String::new() },
            Cell { value: lang.number(number(figure::REFUSED), 0), note: String::new() },
            Cell { value: done.map_or("–".into(), |done| units::S.write(done, lang)), note },
        ];
        panels.push(Panel { name: NAMES[i].get(lang).into(), formula: formula(knobs, i, lang), x: None, marks, cells });
    }
    let note = if each > 1.0 {
        text(
            "A dot stands for up to {each} calls, at the moment of the last, as high as that is among those of its {slot} slot. Green is answered.",
            "Mỗi chấm là tối đa {each} call, đặt ở thời điểm của call cuối, cao bằng thứ tự của nó trong slot {slot}. Xanh là được trả lời.",
        )
    } else {
        text(
            "A dot is a call that comes back, at its moment, as high as it is among those of its {slot} slot. Green is answered.",
            "Mỗi chấm là một call quay lại, đúng thời điểm, cao bằng thứ tự trong slot {slot} của nó. Xanh là được trả lời.",
        )
    };
    let note = told(note, lang, &[("each", &lang.number(each, 0)), ("slot", &slot(seen))]);
    let [same_herd, spread_herd, both_herd] =
        [0, 1, 2].map(|row| lang.number(seen.number(&key(ROWS[row], figure::HERD)), 0));
    let parts = [("all", &*same_herd), ("spread", &spread_herd), ("both", &both_herd), ("slot", &slot(seen))];
    let title = if seen.number("same_herd") == 0.0 {
        text("Nobody comes back", "Không ai quay lại")
    } else {
        text(
            "{all} {all|comes|come} back within {slot}; {spread} if told different seconds, {both} with jitter of their own",
            "{all} quay lại trong {slot}; {spread} nếu được báo số giây khác nhau, {both} khi có thêm jitter riêng",
        )
    };
    let title = told(title, lang, &parts);
    let y = told(text("calls within {slot}", "số call trong {slot}"), lang, &[("slot", &slot(seen))]);
    Chart {
        id: "herd",
        summary: title.clone(),
        title,
        note,
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y, units::CALLS, top)),
        panels,
        columns: [text("herd", "đàn"), text("shed again", "lại bị shed"), text("done", "xong")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: vec![
            (Paint::Goodput, text("answered", "được trả lời").get(lang).into()),
            (Paint::Shed, text("shed again", "lại bị shed").get(lang).into()),
        ],
        panel_height: 96,
    }
}

/// The share of clients answered over time.
fn served(seen: &See) -> Chart {
    let lang = seen.lang;
    let x = clock(seen);
    let mut marks = Vec::new();
    let mut soonest: Option<(f64, usize)> = None;
    for (i, row) in ROWS.into_iter().enumerate() {
        let mut points = vec![(0.0, 0.0)];
        points.extend(seen.rows(&key(row, "share")).map(|row| (row[0], row[1])));
        let last = points.last().copied().unwrap_or_default();
        points.push((x.max.max(last.0), last.1));
        let name = lowered(NAMES[i].get(lang));
        marks.push(Mark::Line { name, paint: Paint::Ink(i as u8), points, step: true });
        let done = seen.get(&key(row, figure::DONE)).filter(|_| seen.number(&key(row, figure::GAVE_UP)) == 0.0);
        if let Some(done) = done.filter(|done| soonest.is_none_or(|s| *done < s.0)) {
            soonest = Some((done, i));
        }
        if let Some(guess) = seen.guess_for(&key(row, figure::DONE)) {
            let said = units::S.write(guess, lang);
            marks.push(spread::guess(&spread::guessed(lang, &said), (guess.min(x.max), 50.0)));
        }
    }
    let title = match soonest {
        Some((done, row)) => told(
            text("{row}: all are answered soonest, by {done}", "{row}: mọi client được trả lời sớm nhất, lúc {done}"),
            lang,
            &[("row", NAMES[row].get(lang)), ("done", &units::S.write(done, lang))],
        ),
        None => text("In every row some clients give up", "Hàng nào cũng có client bỏ cuộc").get(lang).into(),
    };
    let note = text("Share of the shed clients that have their answer.", "Tỉ lệ client bị shed đã có câu trả lời.");
    let y = text("clients answered, %", "client đã được trả lời, %");
    let y = YAxis::Number(Axis::from_zero(y.get(lang), SHARE, 100.0));
    Chart::single("served", (title, note.get(lang)), (x, y), marks, 180)
}

/// The largest herd of the first return, over many seeds.
fn spreads(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows = ROWS.iter().enumerate();
    let marks: Vec<Mark> = rows.flat_map(|(i, row)| spread::row(seen, &key(row, figure::HERD), i)).collect();
    let x = spread::axis(&marks, units::CLIENTS, lang, Some(4.0));
    let of = |row: usize| seen.many.and_then(|many| many.spread(seen.plan, &key(ROWS[row], figure::HERD)));
    let title = match (of(1), of(2)) {
        (Some(spread), Some(both)) if spread.n > 1 => told(
            text(
                "Over {n} {n|seed|seeds} the largest herd has {spread} {spread|client|clients} at the median, {both} with client jitter",
                "Qua {n} seed, đàn đông nhất có trung vị {spread} client, và {both} khi có jitter phía client",
            ),
            lang,
            &[
                ("n", &*lang.number(spread.n as f64, 0)),
                ("spread", &lang.number(spread.median, 0)),
                ("both", &lang.number(both.median, 0)),
            ],
        ),
        _ => text(
            "One run is one draw: many seeds show how far it varies",
            "Một lần chạy chỉ là một lần rút: nhiều seed mới cho thấy nó dao động ra sao",
        )
        .get(lang)
        .into(),
    };
    Chart {
        id: "spread",
        summary: title.clone(),
        title,
        note: spread::NOTE.get(lang).into(),
        layout: Layout::Rows,
        x: Axis {
            title: text("first return: most clients in a slot", "lần quay lại đầu: nhiều client nhất trong một slot")
                .get(lang)
                .into(),
            ..x
        },
        y: YAxis::Names(NAMES.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 120,
    }
}

/// The largest herd against the width of client jitter.
fn widths(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let rows: Vec<&[f64]> = seen.rows("widths").collect();
    let end = rows.last().map_or(1.0, |row| row[0]);
    let clients = knobs.clients as f64;
    let line = |column: usize, name: Text, paint| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(|row| (row[0], row[column])).collect(),
        step: false,
    };
    let capacity = knobs.capacity as f64;
    let here = knobs.jitter.as_ms();
    let at = rows.iter().min_by(|a, b| (a[0] - here).abs().total_cmp(&(b[0] - here).abs())).map_or(0.0, |row| row[2]);
    let marks = vec![
        line(1, text("told the same", "được báo như nhau"), Paint::Ink(0)),
        line(2, text("told different seconds", "được báo khác nhau"), Paint::Ink(1)),
        Mark::Threshold {
            y: capacity,
            label: told(
                text("the server answers {n}", "server trả lời {n}"),
                lang,
                &[("n", &lang.number(capacity, 0))],
            ),
        },
        Mark::Note { x: here.min(end), y: at, label: crate::spread::THIS_RUN.get(lang).into(), paint: Paint::Retries },
    ];
    let enough = rows.iter().rposition(|row| row[2] > capacity).map_or(rows.first(), |i| rows.get(i + 1));
    let title = match enough {
        Some(row) if row[0] == 0.0 => {
            text("The server takes them without any client jitter", "Không cần jitter phía client, server vẫn nhận nổi")
                .get(lang)
                .into()
        }
        Some(row) => told(
            text(
                "From {width} of client jitter on nobody is shed again",
                "Jitter phía client từ {width} trở lên thì không ai bị shed lại",
            ),
            lang,
            &[("width", &units::MS.trimmed(row[0], lang))],
        ),
        None => {
            text("No client jitter drawn here is wide enough", "Không mức jitter nào ở đây là đủ rộng").get(lang).into()
        }
    };
    let note = text(
        "The largest herd of the first return, if all wait as they are told and add jitter of that width.",
        "Đàn đông nhất ở lần quay lại đầu, nếu mọi client chờ đúng như được báo và cộng jitter rộng chừng ấy.",
    );
    let x = Axis::from_zero(text("client jitter, ms", "jitter phía client, ms").get(lang), units::MS, end);
    let y = told(text("most clients in {slot}", "nhiều client nhất trong {slot}"), lang, &[("slot", &slot(seen))]);
    let y = Axis::from_zero(y, units::CLIENTS, nice_ceil(clients.max(1.0) * 1.05));
    Chart::single("width", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 170)
}

/// The partner's requests by fate, without the box and with it.
fn partners(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let kinds = [
        (text("answered", "được trả lời"), Paint::Goodput),
        (text("429 from the app", "429 từ app"), Paint::Shed),
        (text("429 at the gateway", "429 tại gateway"), Paint::Breaker),
    ];
    let width = (knobs.length / partner::BARS).as_s();
    let end = knobs.length.as_s();
    let names = [text("No penalty box", "Không penalty box"), text("Penalty box", "Có penalty box")];
    let mut highest = 4.0f64;
    let mut panels = Vec::new();
    for (side, name) in SIDES.into_iter().zip(names) {
        let mut bars: [Vec<Bar>; 3] = Default::default();
        for row in seen.rows(&key(side, "bars")) {
            let mut top = 0.0;
            for (bars, n) in bars.iter_mut().zip(&row[1..]) {
                if *n > 0.0 {
                    bars.push(Bar { x0: row[0], x1: row[0] + width, y0: top, y1: top + n });
                    top += n;
                }
            }
            highest = highest.max(top);
        }
        let marks = kinds.iter().zip(bars);
        let marks = marks.map(|((name, paint), bars)| Mark::Bars { name: name.get(lang).into(), paint: *paint, bars });
        let value = |figure: &str| seen.say(&key(side, figure));
        let cells = vec![
            Cell { value: lang.number(seen.number(&key(side, figure::TOLD_OFF)), 0), note: String::new() },
            Cell { value: value(figure::CPU), note: String::new() },
            Cell { value: value(figure::MEDIAN), note: String::new() },
        ];
        panels.push(Panel { cells, ..Panel::new(name.get(lang), marks.collect()) });
    }
    for (i, side) in SIDES.into_iter().enumerate() {
        if let Some(guess) = seen.guess_for(&key(side, figure::CPU)) {
            let label = spread::guessed(lang, &units::PERCENT.write(guess, lang));
            panels[i].marks.push(spread::guess(&label, (0.5 * end, 0.6 * highest)));
        }
    }
    let [open, boxed] = SIDES.map(|side| seen.number(&key(side, figure::TOLD_OFF)));
    let template = if boxed < open {
        text(
            "The app refuses one partner {open} {open|time|times}; behind a penalty box {boxed} {boxed|time|times}",
            "App phải từ chối một đối tác {open} lần; có penalty box thì {boxed} lần",
        )
    } else {
        text(
            "The box has nothing to do: {open} of the partner’s requests {open|gets|get} 429",
            "Penalty box không có việc gì: {open} request của đối tác bị 429",
        )
    };
    let title = told(template, lang, &[("open", &lang.number(open, 0)), ("boxed", &lang.number(boxed, 0))]);
    let note = text(
        "The partner’s requests by how they ended; at the gateway a 429 costs the app nothing. Numbers: 429s of the app, CPU for them, everybody else’s median.",
        "Request của đối tác theo cách kết thúc; 429 tại gateway không tốn gì của app. Các con số: 429 từ app, CPU cho chúng, trung vị của client khác.",
    );
    let per = units::MS.trimmed((knobs.length / partner::BARS).as_ms(), lang);
    let y = told(text("requests per {per}", "số request mỗi {per}"), lang, &[("per", &per)]);
    Chart {
        id: "partner",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("time, s", "thời gian, s").get(lang), S, end),
        y: YAxis::Number(Axis::from_zero(y, units::CALLS, nice_ceil(highest * 1.15))),
        panels,
        columns: [text("429s", "số 429"), same("CPU"), text("others", "client khác")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: kinds.map(|(name, paint)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 90,
    }
}
