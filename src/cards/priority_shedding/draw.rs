//! What this card draws.

use overload_chart::{
    Axis, Cell, Chart, HeatCell, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};
use overload_sim::shedding::CLASSES;

use super::knobs::{By, Labels, NAMES, Shop};
use super::{POINTS, WAYS, load_span};
use crate::card::Seen;
use crate::say::{lowered, told};
use crate::spread;

type See<'a> = Seen<'a, Shop>;

/// All charts: what became of each class, each class's goodput against the load, the value against the load, the limits in use,
/// what labels do, and the spread over seeds.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![classes(seen), by_load(seen), value(seen), inside(seen), labels(seen), over_seeds(seen)]
}

fn line(name: &str, paint: Paint, points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { name: name.into(), paint, points, step: false }
}

/// The looks of the classes, the most important in the colour of goodput.
const LOOKS: [Paint; CLASSES] = [Paint::Goodput, Paint::Ink(1), Paint::Ink(2), Paint::Ink(3), Paint::Timeout];

/// The card's figure: what became of each class, way by way.
fn classes(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds = [
        (0, Paint::Goodput, text("answered in time", "trả lời kịp")),
        (1, Paint::Shed, text("refused with 503", "bị từ chối 503")),
        (2, Paint::Timeout, text("timed out", "timeout")),
    ];
    let rows: Vec<&[f64]> = seen.rows("ends").collect();
    let panels = WAYS.iter().enumerate().map(|(way, (prefix, name))| {
        let share = |kind: &usize, class: usize| {
            let row = rows.iter().find(|row| row[0] == way as f64 && row[1] == class as f64);
            row.map_or(0.0, |row| row[2 + kind])
        };
        let (mut marks, _) = spread::stacked(lang, kinds, CLASSES, 0.32, share);
        let known = NAMES.iter().enumerate();
        marks.extend(known.flat_map(|(row, (class, _))| spread::known(seen, &format!("{prefix}{class}_share"), row)));
        let cell = |value: String| Cell { value, note: String::new() };
        let of = |key: &str| format!("{prefix}{key}");
        let ok = lang.number(seen.number(&of("ok")), 0);
        let cells = [cell(ok), cell(seen.say(&of("p99_ok"))), cell(seen.say(&of("value_share")))];
        Panel { cells: cells.to_vec(), ..Panel::new(name.get(lang), marks) }
    });
    let panels = panels.collect();
    let [own, blind] = ["value_share", "blind_value_share"].map(|key| seen.say(key));
    let [checkout, blindly] = ["checkout_share", "blind_checkout_share"].map(|key| seen.say(key));
    let template = if seen.get("checkout_share").is_none() {
        text(
            "Of the value {own} is kept by priority, {blind} with one limit for all",
            "Giữ được {own} giá trị khi theo độ ưu tiên, {blind} với một giới hạn chung",
        )
    } else {
        text(
            "Checkouts answered: {checkout} by priority, {blindly} with one limit for all; value kept {own} and {blind}",
            "Checkout được trả lời: {checkout} khi theo độ ưu tiên, {blindly} với một giới hạn chung; giá trị giữ được {own} và {blind}",
        )
    };
    let parts = [("own", &*own), ("blind", &*blind), ("checkout", &*checkout), ("blindly", &*blindly)];
    let title = told(template, lang, &parts);
    let note = text(
        "Requests of each class by how they ended, in percent of the class. The same requests three times.",
        "Request của từng lớp theo kết cục, tính phần trăm của lớp. Cùng các request, ba lần.",
    );
    let x = Axis::from_zero(text("requests of the class, %", "request của lớp, %").get(lang), units::PERCENT, 100.0);
    let y = YAxis::Names(NAMES.map(|(_, name)| name.get(lang).to_string()).to_vec());
    Chart {
        panels,
        columns: [text("answered", "trả lời kịp"), same("p99"), text("value kept", "giữ giá trị")]
            .map(|column| column.get(lang).into())
            .to_vec(),
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).into())).to_vec(),
        ..Chart::single("classes", (title, note.get(lang)), (x, y), vec![], 116)
    }
}

fn load_axis(seen: &See, last: f64) -> Axis {
    let title = text("offered, requests a second", "tải đến, số request mỗi giây");
    Axis::from_zero(title.get(seen.lang), units::PER_SECOND, last)
}

/// What the notes under the curves say of their runs.
fn curve_note(seen: &See, note: Text) -> String {
    let length = units::S2.write(load_span(seen.knobs).as_s(), seen.lang);
    told(note, seen.lang, &[("length", &length)])
}

/// Goodput of each class against the load.
fn by_load(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("by_load").collect();
    let last = rows.last().map_or(1.0, |row| row[0]);
    let column = |i: usize| -> Vec<(f64, f64)> { rows.iter().map(|row| (row[0], row[i])).collect() };
    let blind = text("any class, one limit for all", "mọi lớp, một giới hạn chung").get(lang);
    let mut marks = vec![line(blind, Paint::Baseline, column(1 + CLASSES))];
    // The least important first, so that what matters lies on top.
    for class in (0..CLASSES).rev().filter(|&class| seen.knobs.rates[class] > 0) {
        marks.push(line(&lowered(NAMES[class].1.get(lang)), LOOKS[class], column(1 + class)));
    }
    let at = |i: usize| units::PERCENT.write(rows.last().map_or(0.0, |row| row[i]), lang);
    let template = if seen.knobs.rates[0] > 0 {
        text(
            "At five times the capacity {checkout} of the checkouts {checkout|is|are} answered, and with one limit {blind} of everything",
            "Tải gấp năm năng lực: {checkout} checkout được trả lời, với một giới hạn chung thì {blind} mọi thứ",
        )
    } else {
        text(
            "At five times the capacity one limit for all answers {blind} of everything",
            "Tải gấp năm năng lực, một giới hạn chung trả lời {blind} mọi thứ",
        )
    };
    let title = told(template, lang, &[("checkout", &at(1)), ("blind", &at(1 + CLASSES))]);
    let note = text(
        "Share of each class answered in time, of a load of {length} from an empty start; the mix stays the same.",
        "Tỉ lệ từng lớp được trả lời kịp, với tải kéo dài {length} tính từ lúc còn trống; tỉ lệ các lớp giữ nguyên.",
    );
    let note = curve_note(seen, note);
    let y = Axis::from_zero(text("answered in time, %", "trả lời kịp, %").get(lang), units::PERCENT, 110.0);
    Chart::single("by_load", (title, &note), (load_axis(seen, last), YAxis::Number(y)), marks, 220)
}

/// The value kept against the load.
fn value(seen: &See) -> Chart {
    const WORTH: Unit = Unit { decimals: 0, ..POINTS };
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("value_by_load").collect();
    let last = rows.last().map_or(1.0, |row| row[0]);
    let column = |i: usize| -> Vec<(f64, f64)> { rows.iter().map(|row| (row[0], row[i])).collect() };
    let lines = [
        (1, Paint::Offered, text("if all were answered", "nếu trả lời được tất cả")),
        (4, Paint::Timeout, text("no shedding", "không shedding")),
        (3, Paint::Baseline, text("one limit for all", "một giới hạn chung")),
        (2, Paint::Goodput, text("by priority", "theo độ ưu tiên")),
    ];
    let marks = lines.map(|(i, paint, name)| line(name.get(lang), paint, column(i))).to_vec();
    let top = rows.iter().map(|row| row[1]).fold(1.0, f64::max);
    let now = seen.number("value_offered");
    let [own, blind, none] = ["value", "blind_value", "none_value"].map(|key| lang.number(seen.number(key), 0));
    let title = told(
        text(
            "Of {all} this run keeps {own} by priority, {blind} with one limit, {none} without shedding",
            "Trong {all}, lần chạy này giữ được {own} khi theo độ ưu tiên, {blind} với một giới hạn, {none} khi không shedding",
        ),
        lang,
        &[("all", &WORTH.write(now, lang)), ("own", &own), ("blind", &blind), ("none", &none)],
    );
    let note = text(
        "What the answers in time are worth a second, by the values among the knobs: yours, not a price of anybody’s. Load of {length}.",
        "Giá trị mỗi giây của các câu trả lời kịp, theo các giá trị trong phần chỉnh: của bạn, không phải giá thật của ai. Tải {length}.",
    );
    let note = curve_note(seen, note);
    let y_title = text("value kept, points a second", "giá trị giữ được, điểm mỗi giây").get(lang);
    let y = Axis::from_zero(y_title, WORTH, nice_ceil(top * 1.05));
    Chart::single("value", (title, &note), (load_axis(seen, last), YAxis::Number(y)), marks, 200)
}

/// Calls in flight over time, and where each class stops coming in.
fn inside(seen: &See) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let end = knobs.load.duration.as_s();
    let points: Vec<(f64, f64)> =
        seen.rows("inside").map(|row| (row[0] / 1e3, row[1])).filter(|point| point.0 <= end).collect();
    let top = points.iter().map(|point| point.1).fold(knobs.limit as f64, f64::max);
    let limits = knobs.limits();
    // An area: the classes' lines stand before it.
    let mut area: Vec<(f64, f64, f64)> = Vec::new();
    for (at, calls) in points {
        let before = area.last().map_or(0.0, |point| point.2);
        area.extend([(at, 0.0, before), (at, 0.0, calls)]);
    }
    let name = text("in flight", "in-flight").get(lang).into();
    let edge = area.iter().map(|&(at, _, calls)| (at, calls)).collect();
    let mut marks = vec![
        Mark::Area { name, paint: Paint::Attempts, points: area },
        Mark::Line { name: String::new(), paint: Paint::Attempts, points: edge, step: false },
    ];
    if knobs.rule == By::Share {
        let label = text("the limit: from here on shares count", "giới hạn: từ đây tính phần riêng").get(lang).into();
        marks.push(Mark::Threshold { y: knobs.limit as f64, label });
    } else {
        // Classes with one limit share a line.
        for (class, &limit) in limits.iter().enumerate() {
            if limits[..class].contains(&limit) || limit == u32::MAX {
                continue;
            }
            let same: Vec<String> = (0..CLASSES)
                .filter(|&other| limits[other] == limit)
                .map(|other| lowered(NAMES[other].1.get(lang)))
                .collect();
            let y = f64::from(limit);
            marks.push(line(&same.join(", "), LOOKS[class], vec![(0.0, y), (end, y)]));
        }
    }
    let template = match knobs.rule {
        By::Share => text(
            "Beyond {limit} in flight a class comes in only within its own share; {peak} at most",
            "Quá {limit} call in-flight, mỗi lớp chỉ vào trong phần riêng; nhiều nhất {peak}",
        ),
        By::Exempt => text(
            "Checkout has no limit, the others one of {limit}: {peak} in flight at most",
            "Checkout không có giới hạn, các lớp khác là {limit}: in-flight nhiều nhất {peak}",
        ),
        _ => text(
            "Each class stops coming in at its own line: {peak} in flight at most",
            "Mỗi lớp có mức in-flight riêng để dừng nhận: nhiều nhất {peak}",
        ),
    };
    let parts =
        [("limit", &*lang.number(knobs.limit as f64, 0)), ("peak", &*lang.number(seen.number("peak_in_flight"), 0))];
    let title = told(template, lang, &parts);
    let note = text(
        "Calls in flight by priority, and the number of them from which on a class is refused.",
        "Số call in-flight khi theo độ ưu tiên, và mức mà từ đó mỗi lớp bị từ chối.",
    );
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), units::S2, end);
    let y_title = text("calls in flight", "số call in-flight").get(lang);
    let y = Axis::from_zero(y_title, units::CALLS, nice_ceil(top * 1.05));
    Chart::single("inside", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 200)
}

/// What becomes of each class under each way of labelling.
fn labels(seen: &See) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let rows: Vec<&[f64]> = seen.rows("by_label").collect();
    let names = [
        text("checkout", "checkout"),
        text("cart", "giỏ"),
        text("browse", "xem"),
        text("recomm.", "gợi ý"),
        text("bots", "bot"),
    ];
    let mark = |(row, values): (usize, &&[f64])| {
        let cell = |(class, &value): (usize, &f64)| HeatCell {
            name: names[class].get(lang).into(),
            x0: class as f64 - 0.5,
            x1: class as f64 + 0.5,
            value,
            said: units::PERCENT.write(value, lang),
            read: String::new(),
            shade: (value / 100.0).clamp(0.0, 1.0),
            here: Labels::ALL[row] == knobs.labels,
            link: String::new(),
        };
        let cells = values.iter().enumerate().map(cell).collect();
        Mark::Cells { row, paint: Paint::Goodput, unit: units::PERCENT, cells }
    };
    let marks = rows.iter().enumerate().map(mark).collect();
    let keys = ["honest_value", "bots_value", "all_value"].map(|key| seen.say(key));
    let [honest, bots, all] = &keys;
    let title = told(
        text(
            "Value kept: {honest} with honest labels, {bots} when bots say checkout, {all} when everybody does",
            "Giá trị giữ được: {honest} khi nhãn đúng, {bots} khi bot tự xưng checkout, {all} khi ai cũng vậy",
        ),
        lang,
        &[("honest", honest), ("bots", bots), ("all", all)],
    );
    let note = text(
        "Share of each class answered in time, by what it really is, under the rule as set. Framed: the labels as set.",
        "Tỉ lệ từng lớp được trả lời kịp, theo lớp thật, với luật như đã đặt. Có khung: cách gắn nhãn như đã đặt.",
    );
    let x = Axis {
        title: text("class", "lớp").get(lang).into(),
        unit: units::PLAIN,
        min: -0.5,
        max: CLASSES as f64 - 0.5,
        log: false,
    };
    let y = YAxis::Names(Labels::ALL.map(|labels| labels.label().get(lang).to_string()).to_vec());
    Chart::single("labels", (title, note.get(lang)), (x, y), marks, 120)
}

/// Checkouts answered and the value kept over seeds.
fn over_seeds(seen: &See) -> Chart {
    let lang = seen.lang;
    let columns: [(Text, &str); 2] = [
        (text("checkouts answered, %", "checkout được trả lời, %"), "checkout_share"),
        (text("value kept, %", "giá trị giữ được, %"), "value_share"),
    ];
    let panels = columns.map(|(name, figure)| {
        let rows = WAYS.iter().enumerate();
        let marks: Vec<Mark> =
            rows.flat_map(|(row, (prefix, _))| spread::row(seen, &format!("{prefix}{figure}"), row)).collect();
        Panel { x: Some(Axis::from_zero(name.get(lang), units::PERCENT, 105.0)), ..Panel::new("", marks) }
    });
    let of = |key: &str| seen.many.filter(|many| many.len() > 1).and_then(|many| many.spread(seen.plan, key));
    let title = match of("value_share").zip(of("blind_value_share")) {
        None => text(
            "One run: run many seeds to see what is luck",
            "Một lần chạy: hãy chạy nhiều seed để biết đâu là may rủi",
        )
        .get(lang)
        .into(),
        Some((own, blind)) => {
            let parts = [own.p1, own.p99, blind.p1, blind.p99].map(|share| units::PERCENT.write(share, lang));
            let [low, high, from, to] = &parts;
            told(
                text(
                    "Value kept over the seeds: {low} to {high} by priority, {from} to {to} with one limit for all",
                    "Giá trị giữ được qua các seed: {low} đến {high} khi theo độ ưu tiên, {from} đến {to} với một giới hạn chung",
                ),
                lang,
                &[("low", low), ("high", high), ("from", from), ("to", to)],
            )
        }
    };
    let rows = YAxis::Names(WAYS.map(|(_, name)| name.get(lang).to_string()).to_vec());
    let axes = (Axis::from_zero("", units::PERCENT, 1.0), rows);
    let chart = Chart::single("spread", (title, spread::NOTE.get(lang)), axes, vec![], 120);
    Chart { layout: Layout::Columns, panels: panels.into(), ..chart }
}
