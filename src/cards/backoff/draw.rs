//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Dot, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, sort_by_number, text,
    units,
};

use overload_sim::time::Span;

use super::figure::{self, jitter, plain};
use super::knobs::{Backoff, Herd};
use super::{RETRIES, words};
use crate::card::Seen;
use crate::jitter::{formula, opt};
use crate::say::told;
use crate::{herd, spread};

type See<'a> = Seen<'a, Backoff>;

/// The two sides.
const SIDES: [Text; 2] = [text("No jitter", "Không jitter"), text("With jitter", "Có jitter")];
const S: Unit = Unit::new("s", same("s"), 1);
/// From here on times are told in seconds.
const LONG_MS: f64 = 10_000.0;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![dots(seen), operation(seen), waits(seen), spreads(seen), widths(seen)]
}

/// The name of the side with jitter: the article's draws evenly from zero, the rule's has a name.
fn with_jitter(seen: &See) -> String {
    match seen.knobs.herd {
        Herd::Once => SIDES[1].get(seen.lang).into(),
        Herd::Rule => opt(seen.knobs.jitter).label.get(seen.lang).into(),
    }
}

/// The card's figure: each retry of the herd at its moment.
fn dots(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let rows = ["plain_dots", "jitter_dots"].map(|key| seen.rows(key).collect::<Vec<_>>());
    let all = rows.iter().flatten();
    let (end, highest) = all.fold((0.0f64, 1.0f64), |(x, y), row| (x.max(row[0]), y.max(row[1])));
    let capacity = knobs.capacity as f64;
    let retries = seen.number(figure::RETRIES) as usize;
    let each = herd::each(retries) as f64;
    // A capacity far above everything would press the dots flat.
    // Above waves up to the right edge there is room for the name.
    let air = if knobs.herd == Herd::Once { 1.12 } else { 1.4 };
    let top = nice_ceil(highest.max(capacity.min(2.0 * highest)) * air);
    let window = units::MS.trimmed(knobs.window.as_ms(), lang);
    let guesses = [(plain::PEAK, 0), (jitter::PEAK, 1)];
    let formulas = match knobs.herd {
        Herd::Once => {
            let ms = |span: Span| lang.trimmed(span.as_ms(), 3);
            let [wait, width] = [ms(knobs.wait), ms(knobs.width)];
            [told(same("t = {t} ms"), lang, &[("t", &wait)]), told(same("t = U(0, {t} ms)"), lang, &[("t", &width)])]
        }
        Herd::Rule => {
            let plain = if knobs.multiplier == 200 { "t = min(cap, base·2ⁱ)" } else { "t = min(cap, base·mⁱ)" };
            [plain.into(), formula(knobs.jitter).into()]
        }
    };
    let mut panels = Vec::new();
    for (i, (rows, formula)) in rows.iter().zip(formulas).enumerate() {
        let keys = [plain::ALL, jitter::ALL][i];
        let [peak, any] = [keys[7], keys[8]];
        let parts = [
            (text("within what the service takes", "trong mức service nhận được"), Paint::Goodput, false),
            (text("beyond it", "vượt mức"), Paint::Shed, true),
        ];
        let mut marks: Vec<Mark> = Vec::new();
        for (name, paint, beyond) in parts {
            let mine = rows.iter().filter(|row| (row[1] > capacity) == beyond);
            let points = mine.map(|row| (row[0], row[1])).collect();
            marks.push(Mark::Dots { name: name.get(lang).into(), paint, each, points });
        }
        let label = text("the service takes {n}", "service nhận {n}");
        let label = if i == 0 { told(label, lang, &[("n", &lang.number(capacity, 0))]) } else { String::new() };
        marks.push(Mark::Threshold { y: capacity, label });
        let highest = rows.iter().fold(None::<&&[f64]>, |best, row| match best {
            Some(best) if best[1] >= row[1] => Some(best),
            _ => Some(row),
        });
        if let Some(row) = highest {
            let label = told(text("peak {n}", "đỉnh {n}"), lang, &[("n", &lang.number(seen.number(peak), 0))]);
            marks.push(Mark::Note { x: row[0], y: row[1], label, paint: Paint::Retries });
        }
        if let Some(guess) = seen.guess_for(guesses[i].0) {
            let said = RETRIES.write(guess, lang);
            marks.push(spread::guess(&spread::guessed(lang, &said), (end * 0.5, guess)));
        }
        let count = |key: &str| Cell { value: lang.number(seen.number(key), 0), note: String::new() };
        let name = if i == 0 { SIDES[0].get(lang).into() } else { with_jitter(seen) };
        panels.push(Panel { name, formula, x: None, marks, cells: vec![count(peak), count(any), count(keys[9])] });
    }
    let note = match (knobs.herd, each > 1.0) {
        (Herd::Once, false) => text(
            "A dot is a client’s first retry, at its moment, as high as it is among those of its {window} window.",
            "Mỗi chấm là retry đầu tiên của một client, đúng thời điểm, cao bằng thứ tự trong cửa sổ {window} của nó.",
        ),
        (Herd::Rule, false) => text(
            "A dot is a retry, at its moment, as high as it is among those of its {window} window.",
            "Mỗi chấm là một retry, đúng thời điểm, cao bằng thứ tự trong cửa sổ {window} của nó.",
        ),
        (_, true) => text(
            "A dot stands for up to {each} retries, at the moment of the last, as high as that is among those of its {window} window.",
            "Mỗi chấm là tối đa {each} retry, đặt ở thời điểm của retry cuối, cao bằng thứ tự của nó trong cửa sổ {window}.",
        ),
    };
    let note = told(note, lang, &[("window", &window), ("each", &lang.number(each, 0))]);
    let (peak, spread_peak) = (seen.say(plain::PEAK), lang.number(seen.number(jitter::PEAK), 0));
    let title = if retries == 0 {
        text("Nobody retries", "Không ai retry")
    } else if seen.number(plain::PEAK) > seen.number(jitter::PEAK) {
        text(
            "{peak} within {window} without jitter, {low} with it",
            "{peak} trong {window} khi không jitter, còn {low} khi có jitter",
        )
    } else {
        text(
            "Jitter does not lower the peak: {peak} within {window}",
            "Jitter không hạ được đỉnh: {peak} trong {window}",
        )
    };
    let title = told(title, lang, &[("peak", &peak), ("low", &spread_peak), ("window", &window)]);
    let y = told(text("retries within {window}", "số retry trong {window}"), lang, &[("window", &window)]);
    Chart {
        id: "herd",
        summary: title.clone(),
        title,
        note,
        layout: Layout::Rows,
        x: Axis::from_zero(
            text("time since the common failure, ms", "thời gian từ lúc cùng lỗi, ms").get(lang),
            units::MS,
            end * 1.04,
        ),
        y: YAxis::Number(Axis::from_zero(y, RETRIES, top)),
        panels,
        columns: [text("peak", "đỉnh"), text("any window", "cửa sổ bất kỳ"), text("beyond", "vượt mức")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: vec![
            (Paint::Goodput, text("within what the service takes", "trong mức service nhận được").get(lang).into()),
            (Paint::Shed, text("beyond it", "vượt mức").get(lang).into()),
        ],
        panel_height: 150,
    }
}

/// The first client's operation: attempts, and the waits between them.
fn operation(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let totals = [plain::TOTAL, jitter::TOTAL];
    let over = totals.iter().fold(1.0f64, |end, key| end.max(seen.number(key)));
    // Long operations are told in seconds.
    let (unit, by) = if over < LONG_MS { (units::MS, 1.0) } else { (S, 1e3) };
    let times = |row: &[f64]| (row[0] / by, row[1] / by, row[2] > 0.0);
    let rows = ["plain_operation", "jitter_operation"].map(|key| seen.rows(key).map(times).collect::<Vec<_>>());
    let (over, deadline) = (over / by, knobs.within().as_ms() / by);
    let shown = deadline <= 2.0 * over;
    let mut end = if shown { over.max(deadline) } else { over };
    let guess = |(row, key): (usize, &&str)| Some((row, seen.guess_for(key)? / by));
    let guesses: Vec<(usize, f64)> = totals.iter().enumerate().filter_map(guess).collect();
    end = guesses.iter().fold(end, |end, (_, guess)| end.max(*guess));
    let least = end / 110.0;
    let (mut waits, mut failed, mut answered) = (Vec::new(), Vec::new(), Vec::new());
    for (i, rows) in rows.iter().enumerate() {
        let y = i as f64;
        for pair in rows.windows(2) {
            if pair[1].0 > pair[0].1 {
                waits.push(Bar { x0: pair[0].1, x1: pair[1].0, y0: y - 0.08, y1: y + 0.08 });
            }
        }
        for &(from, to, good) in rows {
            // An attempt of an instant is drawn too.
            let from = from.min(end * 1.02 - least);
            let bar = Bar { x0: from, x1: to.max(from + least), y0: y - 0.3, y1: y + 0.3 };
            if good { &mut answered } else { &mut failed }.push(bar);
        }
    }
    let mut marks = Vec::new();
    if shown {
        let at = deadline;
        let label = text("deadline", "deadline").get(lang).into();
        marks.push(Mark::Span { x0: at, x1: end * 1.02, label, paint: Paint::Fault });
    }
    let kinds = [
        (text("waits", "chờ"), Paint::Baseline, waits),
        (text("failed attempt", "lần thử lỗi"), Paint::Shed, failed),
        (text("answered", "được trả lời"), Paint::Goodput, answered),
    ];
    let legend = kinds.each_ref().map(|(name, paint, _)| (*paint, name.get(lang).to_string())).to_vec();
    for (name, paint, mut bars) in kinds {
        sort_by_number(&mut bars, |bar| bar.x0);
        marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
    }
    for (row, key) in totals.into_iter().enumerate() {
        let printed = seen.printed.iter().find(|p| p.figure == key).map(|p| p.value / by);
        if let Some(x) = printed {
            end = end.max(x);
            marks.push(Mark::Dot {
                row,
                x,
                kind: Dot::Article,
                name: text("the article", "trong bài").get(lang).into(),
            });
        }
    }
    for (row, x) in guesses {
        let name = text("your guess", "bạn đoán").get(lang).into();
        marks.push(Mark::Dot { row, x, kind: Dot::Guess, name });
    }
    let template = match words::ended(seen, 0) {
        0 => text(
            "{attempts}, {total}: of these {wait} {wait|is|are} waiting",
            "{attempts}, {total}: trong đó {wait} là chờ",
        ),
        1 => text(
            "Gives up after {attempts} and {total}: no attempt is left",
            "Bỏ cuộc sau {attempts} và {total}: hết số lần thử",
        ),
        _ => text(
            "Gives up after {attempts} and {total}: the next one would start after the deadline",
            "Bỏ cuộc sau {attempts} và {total}: lần tiếp theo sẽ vượt deadline",
        ),
    };
    let said = |key: &str| unit.write(seen.number(key) / by, lang);
    let parts =
        [("attempts", &*seen.say(plain::ATTEMPTS)), ("total", &said(plain::TOTAL)), ("wait", &said(plain::WAIT))];
    let title = told(template, lang, &parts);
    let note = text(
        "One client’s operation. Thick: a call; thin: the wait before the next one.",
        "Thao tác của một client. Dày: một call; mảnh: khoảng chờ trước lần tiếp theo.",
    );
    Chart {
        id: "operation",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(
            told(
                text("time since the first call, {unit}", "thời gian từ call đầu tiên, {unit}"),
                lang,
                &[("unit", unit.text.get(lang))],
            ),
            unit,
            end * 1.02,
        ),
        y: YAxis::Names(vec![SIDES[0].get(lang).into(), opt(knobs.jitter).label.get(lang).into()]),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend,
        panel_height: 84,
    }
}

/// The wait before each retry: doubling, its cap, the range of jitter, and where the attempts end.
fn waits(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let rows: Vec<&[f64]> = seen.rows("waits").collect();
    let retries = rows.len() as f64;
    let positive = rows.iter().flat_map(|row| &row[1..4]).copied().filter(|v| *v > 0.0);
    // Jitter may draw next to nothing; a hundredth of the smallest backoff is the end of the picture.
    let base = rows.first().map_or(1.0, |row| row[2].max(0.01)) / 1e3;
    let low = (positive.fold(f64::INFINITY, f64::min) / 1e3).clamp(base / 30.0, base) * 0.7;
    let seconds = |column: usize| move |row: &&[f64]| (row[0], (row[column] / 1e3).max(low));
    let line = |column, name: Text, paint| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(seconds(column)).collect(),
        step: false,
    };
    let cap = knobs.rule(false).cap;
    let capped = cap < Span::MAX;
    let most = u64::from(knobs.most());
    let mut marks = Vec::new();
    // Attempt n is followed by retry n.
    if (most as f64) <= retries {
        let label = told(
            text("{n} {n|attempt|attempts}: no further", "{n} lần thử: không đi tiếp"),
            lang,
            &[("n", &lang.number(most as f64, 0))],
        );
        let at = most as f64 - 0.5;
        marks.push(Mark::Span { x0: at, x1: at, label, paint: Paint::Fault });
    }
    marks.push(Mark::Area {
        name: opt(knobs.jitter).label.get(lang).into(),
        paint: Paint::Attempts,
        points: rows.iter().map(|row| (row[0], (row[3] / 1e3).max(low), (row[4] / 1e3).max(low))).collect(),
    });
    if capped {
        marks.push(line(1, text("no cap", "không có cap"), Paint::Baseline));
    }
    marks.push(line(2, text("no jitter", "không jitter"), Paint::Ink(0)));
    if capped {
        let label = told(same("cap {t}"), lang, &[("t", &S.trimmed(cap.as_s(), lang))]);
        marks.push(Mark::Threshold { y: cap.as_s().max(low), label });
    }
    let last = rows.last().map_or(0.0, |row| row[1] / 1e3);
    let high = rows.iter().map(|row| row[1].max(row[2]).max(row[4]) / 1e3).fold(low * 10.0, f64::max);
    let title = if capped {
        text(
            "The cap holds every wait at {cap}; without it retry {n} would wait {last}",
            "Cap giữ mọi khoảng chờ ở {cap}; không có nó, retry thứ {n} sẽ chờ {last}",
        )
    } else {
        text("Without a cap retry {n} waits {last}", "Không có cap, retry thứ {n} chờ {last}")
    };
    let parts =
        [("cap", &*human(cap.as_s().min(1e12), lang)), ("n", &lang.number(retries, 0)), ("last", &human(last, lang))];
    let title = told(title, lang, &parts);
    let note = text(
        "The wait before each retry, logarithmic. Band: with jitter, from the 10th to the 90th percentile.",
        "Khoảng chờ trước mỗi retry, thang log. Dải: có jitter, từ phân vị 10 đến 90.",
    );
    let x = Axis {
        title: text("retry", "retry thứ").get(lang).into(),
        unit: units::PLAIN,
        min: 0.5,
        max: retries + 0.5,
        log: false,
    };
    let y = Axis {
        title: text("wait, s", "khoảng chờ, s").get(lang).into(),
        unit: Unit { decimals: 3, ..S },
        min: low,
        max: high * 1.6,
        log: true,
    };
    Chart::single("waits", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 190)
}

/// So many seconds, as one says it.
pub fn human(seconds: f64, lang: overload_chart::Lang) -> String {
    let minutes = seconds / 60.0;
    if seconds < 60.0 {
        Unit { decimals: 1, ..S }.trimmed(seconds, lang)
    } else {
        crate::human::minutes(minutes).write(minutes, lang)
    }
}

/// The peak over many seeds.
fn spreads(seen: &See) -> Chart {
    let lang = seen.lang;
    let keys = [plain::PEAK, jitter::PEAK, jitter::ANY];
    let marks: Vec<Mark> = keys.iter().enumerate().flat_map(|(row, key)| spread::row(seen, key, row)).collect();
    let x = spread::axis(&marks, RETRIES, lang, Some(4.0));
    let title = match seen.many.and_then(|many| many.spread(seen.plan, jitter::PEAK)) {
        Some(s) if s.n > 1 => told(
            text(
                "With jitter the peak is {low} to {high} in nine of ten seeds",
                "Có jitter, đỉnh nằm trong khoảng {low} đến {high} ở chín phần mười số seed",
            ),
            lang,
            &[("low", &lang.number(s.p5, 0)), ("high", &lang.number(s.p95, 0))],
        ),
        _ => text(
            "One run is one draw: many seeds show how far the peak varies",
            "Một lần chạy chỉ là một lần rút: nhiều seed mới cho thấy đỉnh dao động ra sao",
        )
        .get(lang)
        .into(),
    };
    let names = [
        text("No jitter", "Không jitter"),
        text("With jitter", "Có jitter"),
        text("With jitter, any window", "Có jitter, cửa sổ bất kỳ"),
    ];
    Chart {
        id: "spread",
        summary: title.clone(),
        title,
        note: spread::NOTE.get(lang).into(),
        layout: Layout::Rows,
        x: Axis {
            title: text("most retries in a window", "nhiều retry nhất trong một cửa sổ").get(lang).into(), ..x
        },
        y: YAxis::Names(names.map(|n| n.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 110,
    }
}

/// The peak against the width over which the first retry is spread.
fn widths(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let clients = knobs.clients as f64;
    let mut points = vec![(0.0, clients)];
    points.extend(seen.rows("widths").map(|row| (row[0], row[1])));
    let end = points.last().map_or(1.0, |p| p.0);
    let ideal: Vec<(f64, f64)> =
        points.iter().map(|p| (p.0, clients * (knobs.window.as_ms() / p.0.max(knobs.window.as_ms())))).collect();
    let capacity = knobs.capacity as f64;
    let enough = points.iter().rposition(|p| p.1 > capacity).map_or(points.first(), |at| points.get(at + 1));
    let mut marks = vec![
        Mark::Line {
            name: text("evenly shared", "chia đều").get(lang).into(),
            paint: Paint::Baseline,
            points: ideal,
            step: false,
        },
        Mark::Line {
            name: text("as drawn", "rút thật").get(lang).into(),
            paint: Paint::Attempts,
            points: points.clone(),
            step: false,
        },
        Mark::Threshold {
            y: capacity,
            label: told(text("the service takes {n}", "service nhận {n}"), lang, &[("n", &lang.number(capacity, 0))]),
        },
    ];
    if knobs.herd == Herd::Once {
        let x = knobs.width.as_ms();
        let y = seen.number(jitter::PEAK);
        marks.push(Mark::Note { x, y, label: crate::spread::THIS_RUN.get(lang).into(), paint: Paint::Retries });
    }
    let title = match enough {
        Some(&(width, _)) => told(
            text(
                "From a width of {width} on the service takes the herd",
                "Từ độ rộng {width} trở lên, service nhận nổi cả đàn",
            ),
            lang,
            &[("width", &units::MS.trimmed(width, lang))],
        ),
        None => text("No width drawn here is enough for the service", "Không độ rộng nào ở đây là đủ cho service")
            .get(lang)
            .into(),
    };
    let note = text(
        "The peak if every client’s first retry comes evenly within that width. Chance keeps it above an even share.",
        "Đỉnh nếu retry đầu của mọi client rải đều trong độ rộng ấy. Ngẫu nhiên giữ nó trên mức chia đều.",
    );
    let x = Axis::from_zero(text("width of jitter, ms", "độ rộng jitter, ms").get(lang), units::MS, end);
    let top = nice_ceil(clients.max(1.0) * 1.05);
    let y =
        Axis::from_zero(text("most retries in a window", "nhiều retry nhất trong một cửa sổ").get(lang), RETRIES, top);
    Chart::single("width", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 170)
}
