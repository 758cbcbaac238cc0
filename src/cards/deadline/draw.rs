//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, same, sort_by_number, text, units,
};

use super::figure;
use super::knobs::Deadline;
use super::request::Status;
use super::{CALLS, PANELS, REQUESTS, rows};
use crate::card::Seen;
use crate::say::told;
use crate::spread::{THIS_RUN, guessed};

type See<'a> = Seen<'a, Deadline>;

/// What a stretch of a host's time is.
const KINDS: [(Paint, Text); 3] = [
    (Paint::Goodput, text("work that is used", "việc được dùng")),
    (Paint::Baseline, text("work cut short", "việc bị cắt")),
    (Paint::Zombie, text("orphaned: nobody waits", "mồ côi: không ai chờ")),
];
/// [`overload_sim::deadline::tree::End`] by number.
const DONE: u8 = 0;
const TIMEOUT: u8 = 2;
const SKIPPED: u8 = 3;
const CANCELLED: u8 = 4;

/// How a request ended, in words.
pub const STATUS: [Text; 4] = [
    text("full answer", "trả lời đủ"),
    text("partial answer", "trả lời thiếu"),
    text("error", "lỗi"),
    text("client gone", "client đã bỏ đi"),
];

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![request(seen), goodput(seen), work(seen), pages(seen), skews(seen)]
}

fn clock(seen: &See) -> Axis {
    let end = seen.rows("end").next().map_or(1_000.0, |row| row[0]);
    Axis::from_zero(
        text("time since the request came, ms", "thời gian từ lúc request tới, ms").get(seen.lang),
        units::MS,
        nice_ceil(end * 1.02),
    )
}

/// How the request ended, as set (0) or with nobody told (1).
pub fn status(seen: &See, side: usize) -> Text {
    let number = seen.rows("end").next().map_or(0, |row| row[1 + side] as usize);
    STATUS[number.min(STATUS.len() - 1)]
}

/// The waterfall, as set and with nobody told.
fn request(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let x = clock(seen);
    let names = rows(knobs);
    let visits: Vec<&[f64]> = seen.rows("visits").collect();
    let calls: Vec<&[f64]> = seen.rows("calls").collect();
    let keys = [(figure::TOOK, figure::ORPHAN), (figure::UNTOLD_TOOK, figure::UNTOLD_ORPHAN)];
    let panel = |side: usize| {
        let mut marks = Vec::new();
        let deadline = knobs.deadline().as_ms();
        if deadline < x.max {
            let label = told(text("deadline {at}", "deadline {at}"), lang, &[("at", &units::MS.write(deadline, lang))]);
            marks.push(Mark::Span { x0: deadline, x1: x.max, label, paint: Paint::Fault });
        }
        let mut bars: [Vec<Bar>; 3] = Default::default();
        let mut add = |kind: usize, row: f64, x0: f64, x1: f64| {
            if x1 > x0 {
                bars[kind].push(Bar { x0, x1, y0: row - 0.28, y1: row + 0.28 });
            }
        };
        // The client waits from the start on.
        let state = seen.rows("end").next().map_or(0, |row| row[1 + side] as usize);
        let answered = state < Status::Failed as usize;
        add(usize::from(!answered), 0.0, 0.0, seen.number(keys[side].0));
        for v in visits.iter().filter(|v| v[0] as usize == side) {
            // An answer that comes when nobody above waits is of no use.
            let used = v[7] as u8 == DONE && v[4] <= v[3];
            add(usize::from(!used), v[1], v[2], v[3]);
            add(2, v[1], v[3], v[4]);
        }
        for ((paint, name), mut bars) in KINDS.into_iter().zip(bars) {
            sort_by_number(&mut bars, |bar| bar.x0);
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
        for c in calls.iter().filter(|c| c[0] as usize == side && c[3] >= 0.0) {
            let (own, left) = (lang.number(c[3], 0), lang.number(c[4], 0));
            let (paint, word) = match c[7] as u8 {
                SKIPPED => (Paint::Breaker, text("not called: {left} ms left", "không gọi: còn {left} ms")),
                CANCELLED => (Paint::Baseline, text("left", "bị bỏ lại")),
                // What is never cut has its own timeout alone.
                TIMEOUT if c[4] < 0.0 => (Paint::Timeout, text("cut at {own}", "cắt ở {own}")),
                _ if c[4] < 0.0 => (Paint::Goodput, text("timeout {own}", "timeout {own}")),
                TIMEOUT => (Paint::Timeout, text("cut at min({own}; {left})", "cắt ở min({own}; {left})")),
                _ => (Paint::Goodput, same("min({own}; {left})")),
            };
            let label = told(word, lang, &[("own", &own), ("left", &left)]);
            let paint = if c[7] as u8 == 1 { Paint::Shed } else { paint };
            marks.push(Mark::Note { x: c[6].min(x.max), y: c[1], label, paint });
        }
        if side == 0
            && let Some(guess) = seen.guess_for(figure::TOOK)
        {
            let label = guessed(lang, &units::MS.write(guess, lang));
            marks.push(Mark::Note { x: guess.min(x.max), y: 0.0, label, paint: Paint::Baseline });
        }
        let mut panel = Panel::new(capital(PANELS[side].get(lang)), marks);
        panel.cells = vec![
            overload_chart::Cell { value: seen.say(keys[side].0), note: status(seen, side).get(lang).into() },
            overload_chart::Cell { value: seen.say(keys[side].1), note: String::new() },
        ];
        panel
    };
    let title = told(
        text(
            "As set {a} of work is orphaned; with nobody told, {b}",
            "Theo thiết lập, {a} việc mồ côi; không ai được báo thì {b}",
        ),
        lang,
        &[("a", &seen.say(figure::ORPHAN)), ("b", &seen.say(figure::UNTOLD_ORPHAN))],
    );
    let summary = told(
        text(
            "{title}. The client: {x} after {t}; with nobody told, {y} after {u}.",
            "{title}. Client: {x} sau {t}; không ai được báo: {y} sau {u}.",
        ),
        lang,
        &[
            ("title", &title),
            ("x", status(seen, 0).get(lang)),
            ("t", &seen.say(figure::TOOK)),
            ("y", status(seen, 1).get(lang)),
            ("u", &seen.say(figure::UNTOLD_TOOK)),
        ],
    );
    let note = text(
        "A row a host, a bar the time it spends. Beside a bar how long it is waited for: min(own timeout; time left), ms. Shaded: past the deadline.",
        "Mỗi hàng một host, mỗi thanh là thời gian nó bỏ ra. Cạnh thanh là thời gian chờ nó: min(timeout riêng; còn lại), ms. Vùng tô: quá deadline.",
    );
    Chart {
        id: "request",
        title,
        note: note.get(lang).into(),
        summary,
        layout: Layout::Rows,
        x: x.clone(),
        y: YAxis::Names(names.iter().map(|name| name.get(lang).to_string()).collect()),
        panels: vec![panel(0), panel(1)],
        columns: [text("client", "client"), text("orphaned", "mồ côi")].map(|t| t.get(lang).to_string()).to_vec(),
        legend: KINDS.map(|(paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 30 * names.len() as u16 + 6,
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn seconds_axis(seen: &See, last: f64) -> Axis {
    Axis::from_zero(text("time, s", "thời gian, s").get(seen.lang), units::S, last.max(1.0))
}

/// Answers in time, second by second.
fn goodput(seen: &See) -> Chart {
    let lang = seen.lang;
    let seconds: Vec<&[f64]> = seen.rows("seconds").collect();
    let mut highest = seen.number(figure::CAPACITY);
    let mut line = |column: usize, name: &str, paint: Paint| {
        // A second's count holds to its end.
        let mut points: Vec<(f64, f64)> = seconds.iter().map(|s| (s[0], s[column])).collect();
        if let Some(&(at, value)) = points.last() {
            points.push((at + 1.0, value));
        }
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        Mark::Line { name: name.into(), paint, points, step: true }
    };
    let mut marks = vec![
        line(1, text("offered", "tải").get(lang), Paint::Offered),
        line(3, PANELS[1].get(lang), Paint::Zombie),
        line(2, PANELS[0].get(lang), Paint::Goodput),
    ];
    let capacity = seen.number(figure::CAPACITY);
    let label = told(text("capacity {n}", "năng lực {n}"), lang, &[("n", &seen.say(figure::CAPACITY))]);
    marks.push(Mark::Threshold { y: capacity, label });
    if let Some((key, guess)) = figure::GOOD.iter().find_map(|key| Some((key, seen.guess_for(key)?))) {
        let _ = key;
        highest = highest.max(guess);
        marks.push(Mark::Threshold { y: guess, label: guessed(lang, &units::PER_SECOND.write(guess, lang)) });
    }
    let title = told(
        text(
            "Under load: {a} answered in time as set, {b} with nobody told, of {all}",
            "Khi có tải: {a} kịp giờ theo thiết lập, {b} khi không ai được báo, trên {all}",
        ),
        lang,
        &[("a", &*seen.say(figure::GOOD[0])), ("b", &seen.say(figure::GOOD[1])), ("all", &seen.say(figure::OFFERED))],
    );
    let note = text(
        "Requests by the second in which they came: all, and those answered in time, whenever. The title counts answers given while they come.",
        "Request theo giây mà chúng tới: tất cả, và số có trả lời kịp giờ, dù lúc nào. Tiêu đề đếm câu trả lời có trong lúc request còn tới.",
    );
    let y =
        Axis::from_zero(text("requests a second", "request mỗi giây").get(lang), REQUESTS, nice_ceil(highest * 1.08));
    let last = seconds.last().map_or(1.0, |s| s[0] + 1.0);
    Chart::single("goodput", (title, note.get(lang)), (seconds_axis(seen, last), YAxis::Number(y)), marks, 150)
}

/// What the service works on, second by second.
fn work(seen: &See) -> Chart {
    let lang = seen.lang;
    let seconds: Vec<&[f64]> = seen.rows("seconds").collect();
    let mut highest = 1.0f64;
    let mut panels = Vec::new();
    for (side, (wasted, useful)) in [(4, 6), (5, 7)].into_iter().enumerate() {
        let mut bars: [Vec<Bar>; 2] = Default::default();
        for s in &seconds {
            let (good, bad) = (s[useful], s[wasted]);
            bars[0].push(Bar { x0: s[0], x1: s[0] + 1.0, y0: 0.0, y1: good });
            bars[1].push(Bar { x0: s[0], x1: s[0] + 1.0, y0: good, y1: good + bad });
            highest = highest.max(good + bad);
        }
        let kinds = [KINDS[0], KINDS[2]];
        let marks = kinds.into_iter().zip(bars).map(|((paint, name), bars)| Mark::Bars {
            name: name.get(lang).into(),
            paint,
            bars,
        });
        panels.push(Panel::new(capital(PANELS[side].get(lang)), marks.collect()));
    }
    let title = match (seen.get(figure::WASTED[0]), seen.get(figure::WASTED[1])) {
        (Some(_), Some(_)) => told(
            text(
                "Of the service’s work {a} is for nobody as set, {b} with nobody told",
                "Trong việc service làm, {a} là cho không ai theo thiết lập, {b} khi không ai được báo",
            ),
            lang,
            &[("a", &seen.say(figure::WASTED[0])), ("b", &seen.say(figure::WASTED[1]))],
        ),
        _ => text("The service finishes nothing", "Service không làm xong việc gì").get(lang).into(),
    };
    let note = text(
        "Calls that the service finishes in each second: for somebody who still waits, or for nobody.",
        "Số call mà service làm xong trong mỗi giây: cho người còn chờ, hoặc không cho ai.",
    );
    let y = Axis::from_zero(text("calls finished", "call làm xong").get(lang), CALLS, nice_ceil(highest * 1.15));
    let last = seconds.last().map_or(1.0, |s| s[0] + 1.0);
    Chart {
        id: "work",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: seconds_axis(seen, last),
        y: YAxis::Number(y),
        panels,
        columns: vec![],
        legend: [KINDS[0], KINDS[2]].map(|(paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 90,
    }
}

/// Readers who get an incomplete page, second by second.
fn pages(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let pages: Vec<&[f64]> = seen.rows("pages").collect();
    let last = pages.last().map_or(60.0, |p| p[0] + 1.0);
    let mut marks = Vec::new();
    let (x0, x1) = (knobs.fault_start().as_s(), knobs.fault_end().as_s().min(last));
    if !pages.is_empty() && x0 < x1 {
        marks.push(Mark::Span { x0, x1, label: text("C slow", "C chậm").get(lang).into(), paint: Paint::Fault });
    }
    let names = [text("marked partial", "có cờ partial"), text("not marked", "không đánh dấu")];
    for (side, paint) in [(1, Paint::Late), (0, Paint::Goodput)] {
        let mut points: Vec<(f64, f64)> = pages.iter().map(|p| (p[0], p[2 + side] / p[1].max(1.0) * 100.0)).collect();
        if let Some(&(at, value)) = points.last() {
            points.push((at + 1.0, value));
        }
        marks.push(Mark::Line { name: names[side].get(lang).into(), paint, points, step: true });
    }
    let title = if pages.is_empty() {
        text("No partial answers here", "Ở đây không có câu trả lời thiếu").get(lang).into()
    } else {
        told(
            text(
                "Incomplete pages outlive the fault by {a} if marked partial, by {b} if not",
                "Trang thiếu còn sau sự cố {a} nếu có cờ partial, {b} nếu không",
            ),
            lang,
            &[("a", &seen.say(figure::LASTING[0])), ("b", &seen.say(figure::LASTING[1]))],
        )
    };
    let note = text(
        "Share of readers who get a page without C’s part, from a cache in front of the API.",
        "Tỉ lệ người đọc nhận trang thiếu phần của C, từ một cache trước API.",
    );
    let y = Axis::from_zero(text("incomplete pages, %", "trang thiếu, %").get(lang), units::PERCENT, 105.0);
    Chart::single("pages", (title, note.get(lang)), (seconds_axis(seen, last), YAxis::Number(y)), marks, 120)
}

/// What clocks that disagree do, where only the header tells.
fn skews(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let skews: Vec<&[f64]> = seen.rows("skews").collect();
    let ends = (skews.first().map_or(-1.0, |s| s[0]), skews.last().map_or(1.0, |s| s[0]));
    let mut highest = 100.0f64;
    let mut marks = Vec::new();
    let names = [text("a moment", "thời điểm"), text("time left", "còn lại")];
    for (side, name) in names.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = skews.iter().map(|s| (s[0], s[1 + 2 * side])).collect();
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        let paint = if side == 0 { Paint::Zombie } else { Paint::Ink(0) };
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: false });
    }
    let kinds = [
        (Status::Full, Paint::Goodput),
        (Status::Partial, Paint::Late),
        (Status::Failed, Paint::Timeout),
        (Status::Left, Paint::Baseline),
    ];
    let half = skews.get(1).zip(skews.first()).map_or(0.0, |(b, a)| (b[0] - a[0]) / 2.0);
    for (lane, name) in names.into_iter().enumerate() {
        for (nth, (status, paint)) in kinds.into_iter().enumerate() {
            let mine = skews.iter().filter(|s| s[2 + 2 * lane] as usize == status as usize);
            let mut at: Vec<(f64, f64)> = Vec::new();
            for s in mine {
                let (from, to) = ((s[0] - half).max(ends.0), (s[0] + half).min(ends.1));
                match at.last_mut() {
                    Some(last) if from <= last.1 + half / 10.0 => last.1 = to,
                    _ => at.push((from, to)),
                }
            }
            if nth == 0 || !at.is_empty() {
                let label = if nth == 0 { name.get(lang).to_string() } else { String::new() };
                let name = STATUS[status as usize].get(lang).to_string();
                marks.push(Mark::Lane { lane, label, name, paint, at });
            }
        }
    }
    let here = knobs.clock() as f64 / 1e3;
    let label = THIS_RUN.get(lang).into();
    marks.push(Mark::Span { x0: here, x1: here, label, paint: Paint::Baseline });
    let title = told(
        text(
            "With only a header to tell: {a} orphaned if it names a moment, {b} if the time left",
            "Chỉ báo bằng header: mồ côi {a} nếu gửi thời điểm, {b} nếu gửi thời gian còn lại",
        ),
        lang,
        &[("a", &seen.say(figure::SKEW_ABSOLUTE)), ("b", &seen.say(figure::SKEW_RELATIVE))],
    );
    let note = text(
        "This request with the clocks below off by so much, and no hang-up noticed. Lines: orphaned work. Lanes: what the client gets.",
        "Chính request này khi đồng hồ bên dưới lệch từng ấy, và không ai biết caller đã ngắt. Đường: việc mồ côi. Làn: client nhận được gì.",
    );
    let x = Axis {
        title: text("clocks below are ahead by, ms", "đồng hồ bên dưới nhanh hơn, ms").get(lang).into(),
        unit: units::MS,
        min: ends.0,
        max: ends.1.max(ends.0 + 1.0),
        log: false,
    };
    let y =
        Axis::from_zero(text("orphaned work, ms", "việc mồ côi, ms").get(lang), units::MS, nice_ceil(highest * 1.1));
    let present: Vec<_> = kinds
        .into_iter()
        .filter(|(status, _)| skews.iter().any(|s| [s[2], s[4]].contains(&f64::from(*status as u8))))
        .map(|(status, paint)| (paint, STATUS[status as usize].get(lang).to_string()))
        .collect();
    Chart { legend: present, ..Chart::single("skews", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 120) }
}
