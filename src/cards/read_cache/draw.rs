//! What this card draws.

use overload_chart::{Axis, Cell, Chart, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, text, units};

use super::knobs::{PHASES, ReadCache};
use super::{GUARDS, PERCENT1, PHASE_NAMES, QUERIES, QUERIES_PER_S, REBUILDS, figure};
use crate::card::Seen;
use crate::say::told;
use crate::spread::guessed;

type See<'a> = Seen<'a, ReadCache>;

/// Columns of the series of lines, as charts use them.
const OFFERED: usize = 1;
const ASKED: usize = 2;
const SERVED: usize = 3;
const HIT: usize = 4;
const STALE: usize = 5;
const ANSWERED: usize = 6;
const P50: usize = 7;
const P99: usize = 8;
const FLIGHT: usize = 9;
const WAITING: usize = 10;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![database(seen), hits(seen), latency(seen), flights(seen), rebuilding(seen), curve(seen)]
}

fn end(seen: &See) -> f64 {
    seen.knobs.phase.as_s() * PHASES as f64
}

fn clock(seen: &See) -> Axis {
    Axis::from_zero(text("time, s", "thời gian, s").get(seen.lang), units::S2, end(seen))
}

/// Where each phase but the first begins.
fn phases(seen: &See, named: bool) -> Vec<Mark> {
    let names = [PHASE_NAMES[1], text("deploy", "deploy"), PHASE_NAMES[3]];
    let mark = |(n, name): (usize, Text)| {
        let x0 = seen.knobs.phase.as_s() * (n + 1) as f64;
        let label = if named { name.get(seen.lang).into() } else { String::new() };
        Mark::Span { x0, x1: x0, label, paint: if n == 1 { Paint::Fault } else { Paint::Baseline } }
    };
    names.into_iter().enumerate().map(mark).collect()
}

/// Column `column` of the lines, in steps; where `least` is given nothing below it, for logarithmic axes.
fn line(seen: &See, column: usize, name: Text, paint: Paint, least: Option<f64>) -> Mark {
    let value = |row: &[f64]| least.map_or(row[column], |least| row[column].max(least));
    // A share of no requests is none.
    let rows = seen.rows("lines").filter(|row| !(HIT..=ANSWERED).contains(&column) || row[OFFERED] > 0.0);
    let mut points: Vec<(f64, f64)> = rows.map(|row| (row[0], value(row))).collect();
    points.extend(points.last().map(|last| (end(seen), last.1)));
    Mark::Line { name: name.get(seen.lang).into(), paint, points, step: true }
}

/// The greatest value of these columns.
fn highest(seen: &See, columns: &[usize]) -> f64 {
    seen.rows("lines").flat_map(|row| columns.iter().map(|c| row[*c])).fold(0.0, f64::max)
}

fn log_axis(title: Text, seen: &See, unit: Unit, (low, high): (f64, f64)) -> YAxis {
    let low = low.max(0.1);
    let max = nice_ceil((high * 1.3).max(low * 10.0));
    YAxis::Number(Axis { title: title.get(seen.lang).into(), unit, min: low, max, log: true })
}

/// The level of a guess.
fn guess(seen: &See, key: &str, unit: Unit, least: f64) -> Option<Mark> {
    let guess = seen.guess_for(key)?;
    Some(Mark::Threshold { y: guess.max(least), label: guessed(seen.lang, &unit.write(guess, seen.lang)) })
}

/// What the database is asked, and what it can do.
fn database(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows = || seen.rows("lines").flat_map(|row| [row[ASKED], row[SERVED]]).filter(|v| *v > 0.0);
    let least = rows().fold(seen.number(figure::CAPACITY), f64::min).max(1.0) * 0.6;
    let mut marks = phases(seen, true);
    marks.push(line(seen, OFFERED, text("offered load", "offered load"), Paint::Offered, Some(least)));
    marks.push(line(seen, ASKED, text("database load", "tải database"), Paint::Attempts, Some(least)));
    marks.push(line(seen, SERVED, text("queries done", "query xong"), Paint::Goodput, Some(least)));
    let [can, with_aid] = [figure::CAPACITY, figure::AID_CAPACITY].map(|key| seen.number(key));
    if can == with_aid {
        let label = told(text("can do {n}", "làm được {n}"), lang, &[("n", &seen.say(figure::CAPACITY))]);
        marks.push(Mark::Threshold { y: can, label });
    } else {
        // Smaller pages: it can do more from then on.
        let points = vec![(0.0, can), (end(seen) - seen.knobs.phase.as_s(), with_aid), (end(seen), with_aid)];
        let name = text("can do", "làm được").get(lang).into();
        marks.push(Mark::Line { name, paint: Paint::Baseline, points, step: true });
    }
    marks.extend(guess(seen, figure::DB[2], QUERIES_PER_S, least));
    let title = told(
        text(
            "Database load: {peak} at the peak, {deploy} after the deploy; it can do {can}",
            "Tải database: {peak} lúc cao điểm, {deploy} sau deploy; nó làm được {can}",
        ),
        lang,
        &[
            ("peak", &seen.say(figure::DB[1])),
            ("deploy", &seen.say(figure::DB[2])),
            ("can", &seen.say(figure::CAPACITY)),
        ],
    );
    let summary = told(
        text(
            "{title}. As always: {normal}. Last phase: {aid}, users answered in time {users}.",
            "{title}. Như thường: {normal}. Giai đoạn cuối: {aid}, người dùng có trả lời kịp {users}.",
        ),
        lang,
        &[
            ("title", &title),
            ("normal", &seen.say(figure::DB[0])),
            ("aid", &seen.say(figure::DB[3])),
            ("users", &seen.say(figure::USERS[3])),
        ],
    );
    let note = text(
        "A second; logarithmic: equal steps are equal factors. Database load: queries that want a connection.",
        "Mỗi giây; thang log: bước bằng nhau là hệ số bằng nhau. Tải database: số query cần connection.",
    );
    let high = highest(seen, &[OFFERED, ASKED, SERVED]).max(with_aid);
    let y = log_axis(text("a second", "mỗi giây"), seen, units::PER_SECOND, (least, high));
    Chart { summary, ..Chart::single("database", (title, note.get(lang)), (clock(seen), y), marks, 220) }
}

/// The hit ratio, and who is answered.
fn hits(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut marks = phases(seen, false);
    marks.push(line(seen, ANSWERED, text("answered in time", "trả lời kịp"), Paint::Ink(1), None));
    marks.push(line(seen, HIT, text("hit ratio", "hit ratio"), Paint::Goodput, None));
    if highest(seen, &[STALE]) > 0.0 {
        marks.push(line(seen, STALE, text("old copies", "bản cũ"), Paint::Late, None));
    }
    let guessed_at = figure::USERS.iter().chain(&figure::HIT).find_map(|key| guess(seen, key, PERCENT1, 0.0));
    marks.extend(guessed_at);
    let title = told(
        text(
            "Hit ratio {peak} at the peak, {deploy} after the deploy; users answered in time: {a}, then {b}",
            "Hit ratio {peak} lúc cao điểm, {deploy} sau deploy; người dùng có trả lời kịp: {a}, rồi {b}",
        ),
        lang,
        &[
            ("peak", &seen.say(figure::HIT[1])),
            ("deploy", &seen.say(figure::HIT[2])),
            ("a", &seen.say(figure::USERS[1])),
            ("b", &seen.say(figure::USERS[2])),
        ],
    );
    let note = text(
        "Hit ratio: requests answered from a cache, of those let in. Answered in time: of all requests.",
        "Hit ratio: request được cache trả lời, trên số được cho vào. Trả lời kịp: trên mọi request.",
    );
    let y = Axis::from_zero(text("requests, %", "request, %").get(lang), units::PERCENT, 105.0);
    Chart::single("hits", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 140)
}

/// How long the answered took.
fn latency(seen: &See) -> Chart {
    let lang = seen.lang;
    let timeout = seen.knobs.timeout.as_ms();
    let mut marks = phases(seen, false);
    for (column, name, paint) in [(P50, text("p50", "p50"), Paint::Goodput), (P99, text("p99", "p99"), Paint::Late)] {
        // Where nobody was answered there is nothing to draw.
        let rows = seen.rows("lines").filter(|row| row[column] > 0.0);
        let points = rows.map(|row| (row[0], row[column])).collect();
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: false });
    }
    let label =
        told(text("callers leave after {t}", "caller bỏ đi sau {t}"), lang, &[("t", &units::MS.write(timeout, lang))]);
    marks.push(Mark::Threshold { y: timeout, label });
    let title = told(
        text(
            "p99 of the answered: {a} at the peak, {b} after the deploy, {c} in the last phase",
            "p99 của các câu trả lời: {a} lúc cao điểm, {b} sau deploy, {c} ở giai đoạn cuối",
        ),
        lang,
        &[("a", &seen.say(figure::P99[1])), ("b", &seen.say(figure::P99[2])), ("c", &seen.say(figure::P99[3]))],
    );
    let note = text(
        "Of requests that came in that stretch and were answered in time; logarithmic. Who left is not in it.",
        "Của request đến trong khoảng đó và được trả lời kịp; thang log. Không tính ai đã bỏ đi.",
    );
    let y = log_axis(text("latency, ms", "latency, ms"), seen, units::MS, (0.8, timeout.max(highest(seen, &[P99]))));
    Chart::single("latency", (title, note.get(lang)), (clock(seen), y), marks, 140)
}

/// Queries in flight: the rebuilds under way.
fn flights(seen: &See) -> Chart {
    let lang = seen.lang;
    let connections = seen.knobs.connections as f64;
    let mut marks = phases(seen, false);
    marks.push(line(seen, FLIGHT, text("in flight", "in-flight"), Paint::Attempts, Some(0.5)));
    marks.push(line(seen, WAITING, text("of them waiting", "trong đó đang chờ"), Paint::Late, Some(0.5)));
    let label =
        told(text("{n} {n|connection|connections}", "{n} connection"), lang, &[("n", &lang.number(connections, 0))]);
    marks.push(Mark::Threshold { y: connections, label });
    let title = told(
        text(
            "Up to {flight} in flight, {waiting} of them waiting for a connection",
            "Có lúc {flight} in-flight, trong đó {waiting} chờ connection",
        ),
        lang,
        &[("flight", &seen.say(figure::FLIGHT)), ("waiting", &lang.number(seen.number(figure::WAITING), 0))],
    );
    let note = text(
        "Queries for pages and for what nobody else asks; the most in each stretch; logarithmic, none is drawn at the lower edge.",
        "Query cho trang và cho thứ không ai khác hỏi; nhiều nhất trong mỗi khoảng; thang log, không có query nào thì vẽ ở mép dưới.",
    );
    let high = highest(seen, &[FLIGHT]).max(connections);
    let y = log_axis(text("queries", "query"), seen, QUERIES, (0.5, high));
    Chart::single("flights", (title, note.get(lang)), (clock(seen), y), marks, 140)
}

/// Hot keys expire: rebuilds in flight under each guard.
fn rebuilding(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("rebuilding").collect();
    let (mut low, mut high, mut most) = (0.0f64, 0.1f64, 1.0f64);
    for row in rows.iter().filter(|row| row[2] > 0.0) {
        (low, high, most) = (low.min(row[1]), high.max(row[1]), most.max(row[2]));
    }
    let panel = |guard: usize| {
        let mine = rows.iter().filter(|row| row[0] as usize == guard);
        let points: Vec<(f64, f64)> = mine.map(|row| (row[1], row[2])).collect();
        let mut marks = vec![
            Mark::Span { x0: 0.0, x1: 0.0, label: String::new(), paint: Paint::Fault },
            Mark::Line { name: String::new(), paint: Paint::Attempts, points, step: true },
        ];
        marks.extend(guess(seen, figure::AT_ONCE[guard], REBUILDS, 0.0));
        let cell = |value: String| Cell { value, note: String::new() };
        // The columns' headings say what is counted.
        let [rebuilds, waited] = [(figure::REBUILDS, 2), (figure::WAITED, 1)]
            .map(|(keys, decimals)| lang.number(seen.number(keys[guard]), decimals));
        Panel { cells: vec![cell(rebuilds), cell(waited)], ..Panel::new(GUARDS[guard].get(lang), marks) }
    };
    let title = told(
        text(
            "A hot key expires: {none} without a guard, {single} with singleflight, {early} with early rebuilds",
            "Một hot key hết hạn: {none} khi không bảo vệ, {single} với singleflight, {early} khi rebuild sớm",
        ),
        lang,
        &[
            ("none", &seen.say(figure::REBUILDS[0])),
            ("single", &seen.say(figure::REBUILDS[1])),
            ("early", &seen.say(figure::REBUILDS[3])),
        ],
    );
    let note = told(
        text(
            "Rebuilds in flight around the first expiry, {keys} {keys|hot key|hot keys} filled at once; each guard by itself, on the same requests. Beside: per expiry of a key.",
            "Số rebuild in-flight quanh lần hết hạn đầu, {keys} hot key được nạp cùng lúc; từng cách bảo vệ riêng, trên cùng các request. Bên cạnh: mỗi lần một key hết hạn.",
        ),
        lang,
        &[("keys", &lang.number(seen.knobs.keys as f64, 0))],
    );
    let summary = told(
        text(
            "{title}. At once, all keys: {a}, {b}, {c}, {d}, and with jitter {e}.",
            "{title}. Cùng lúc, mọi key: {a}, {b}, {c}, {d}, và với jitter {e}.",
        ),
        lang,
        &[
            ("title", &title),
            ("a", &seen.say(figure::AT_ONCE[0])),
            ("b", &seen.say(figure::AT_ONCE[1])),
            ("c", &seen.say(figure::AT_ONCE[2])),
            ("d", &seen.say(figure::AT_ONCE[3])),
            ("e", &seen.say(figure::AT_ONCE[4])),
        ],
    );
    let pad = (high - low) * 0.03;
    let x_title = text("time since the expiry, s", "thời gian từ lúc hết hạn, s").get(lang);
    let columns = [text("rebuilds", "số rebuild"), text("callers that wait", "caller phải chờ")];
    Chart {
        id: "rebuilding",
        title,
        note,
        summary,
        layout: Layout::Rows,
        x: Axis { title: x_title.into(), unit: units::S2, min: low - pad, max: high + pad, log: false },
        y: YAxis::Number(Axis::from_zero(text("rebuilds", "rebuild").get(lang), REBUILDS, nice_ceil(most * 1.05))),
        panels: (0..GUARDS.len()).map(panel).collect(),
        columns: columns.map(|name| name.get(lang).to_string()).to_vec(),
        legend: vec![],
        panel_height: 64,
    }
}

/// Database load against hit ratio.
fn curve(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let mut marks = Vec::new();
    let rates = [knobs.base as f64, knobs.peak as f64];
    for (rate, paint) in rates.into_iter().zip([Paint::Baseline, Paint::Offered]) {
        let points = (0..100).map(|h| (f64::from(h), rate * f64::from(100 - h) / 100.0)).collect();
        marks.push(Mark::Line { name: units::PER_SECOND.write(rate, lang), paint, points, step: false });
    }
    let (least, most) = (rates[0].min(rates[1]) / 100.0, rates[0].max(rates[1]));
    for (phase, name) in PHASE_NAMES.into_iter().enumerate() {
        if let Some(hit) = seen.get(figure::HIT[phase]) {
            let y = seen.number(figure::DB[phase]).max(least);
            marks.push(Mark::Note { x: hit, y, label: name.get(lang).into(), paint: Paint::Attempts });
        }
    }
    let label = told(text("can do {n}", "làm được {n}"), lang, &[("n", &seen.say(figure::CAPACITY))]);
    marks.push(Mark::Threshold { y: seen.number(figure::CAPACITY), label });
    let title = told(
        text(
            "From {a} to {b} hits: the database gets {x}, then {y}",
            "Từ {a} xuống {b} hit: database nhận {x}, rồi {y}",
        ),
        lang,
        &[
            ("a", &seen.say(figure::HIT[1])),
            ("b", &seen.say(figure::HIT[2])),
            ("x", &seen.say(figure::DB[1])),
            ("y", &seen.say(figure::DB[2])),
        ],
    );
    let note = text(
        "Lines: requests times misses, by arithmetic; logarithmic. Arrows: the run’s phases. They lie below where misses share a query, above where a stale copy is renewed in the background.",
        "Đường: số request nhân tỉ lệ miss, theo phép tính; thang log. Mũi tên: các giai đoạn của lần chạy. Thấp hơn đường khi nhiều miss chung một query, cao hơn khi bản stale được làm mới ở nền.",
    );
    let x = Axis::from_zero(text("hit ratio, %", "hit ratio, %").get(lang), units::PERCENT, 100.0);
    let low = least.min(seen.number(figure::CAPACITY));
    let y = log_axis(text("queries/s", "query/s"), seen, QUERIES_PER_S, (low, most.max(seen.number(figure::CAPACITY))));
    Chart::single("curve", (title, note.get(lang)), (x, y), marks, 180)
}
