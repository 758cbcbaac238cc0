//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};

use super::knobs::{Door, Queue, Waits, Who};
use super::words::truth;
use super::{WAYS, load_span, short_span};
use crate::card::{Seen, Truth};
use crate::say::{lowered, raised, told};
use crate::shed_in_flight::bin_width;
use crate::shed_in_flight::knobs::REQUESTS;
use crate::spread;

type See<'a> = Seen<'a, Queue>;

/// All charts: what became of the requests, goodput against the load, how long answers took, the line and the limit over
/// time, goodput against the bound, and the spread over seeds.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![outcomes(seen), by_load(seen), times(seen), inside(seen), by_bound(seen), over_seeds(seen)]
}

fn count(seen: &See, value: f64) -> String {
    seen.lang.number(value, 0)
}

fn line(name: &str, paint: Paint, points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { name: name.into(), paint, points, step: false }
}

/// The knobs' own way in a few words: "Queue of 20, FIFO, 300 ms at most".
fn own_name(seen: &See) -> String {
    let Seen { knobs, lang, .. } = *seen;
    let door = match knobs.door {
        Door::Queue => text("queue of {queue}", "hàng đợi {queue}"),
        door => door.label(),
    };
    let order = match knobs.order {
        Who::Fifo => same("FIFO"),
        Who::Lifo => same("LIFO"),
        Who::Adaptive => text("adaptive LIFO", "LIFO thích nghi"),
    };
    let mut out = told(door, lang, &[("queue", &count(seen, knobs.queue as f64))]);
    for part in [", ", order.get(lang)] {
        out.push_str(part);
    }
    let wait = match knobs.wait {
        Waits::Any => same(""),
        Waits::Fixed => text(", {wait} at most", ", chờ tối đa {wait}"),
        Waits::CoDel => same(", CoDel"),
    };
    out.push_str(&told(wait, lang, &[("wait", &units::MS.trimmed(knobs.max_wait.as_ms(), lang))]));
    raised(&out)
}

/// The two ways that are shown over time.
const SIDES: [&str; 2] = ["", "none_"];

fn side_name(seen: &See, side: usize) -> String {
    if side == 0 { own_name(seen) } else { WAYS[side].1.get(seen.lang).into() }
}

const KINDS: [(Paint, Text); 4] = [
    (Paint::Goodput, text("answered in time", "trả lời kịp")),
    (Paint::Shed, text("503 at the door", "503 ở cửa")),
    (Paint::Late, text("503 at its turn, after waiting", "503 khi tới lượt, sau khi đã chờ")),
    (Paint::Timeout, text("timed out: its caller left", "timeout: client đã rời đi")),
];

/// The card's figure: requests by when they came and how they ended.
fn outcomes(seen: &See) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let width = bin_width(knobs.load.duration).as_s();
    let end = nice_ceil(knobs.load.duration.as_s());
    let capacity = seen.number("capacity");
    let mut highest = capacity;
    let mut panels = Vec::new();
    for (i, side) in SIDES.into_iter().enumerate() {
        let mut bars: [Vec<Bar>; 4] = Default::default();
        for row in seen.rows(["requests", "none_requests"][i]) {
            let (x0, mut top) = (row[0] / 1e3, 0.0);
            for (list, &n) in bars.iter_mut().zip(&row[1..]) {
                if n > 0.0 && x0 < end {
                    list.push(Bar { x0, x1: x0 + width, y0: top, y1: top + n / width });
                    top += n / width;
                }
            }
            highest = f64::max(highest, top);
        }
        let bars = KINDS.iter().zip(bars).filter(|(_, bars)| !bars.is_empty());
        let mut marks: Vec<Mark> =
            bars.map(|(&(paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars }).collect();
        let label = if i == 0 { capacity_label(seen) } else { String::new() };
        marks.push(Mark::Threshold { y: capacity, label });
        let of = |name: &str| format!("{side}{name}");
        let percent = |name: &str| seen.get(&of(name)).map_or(String::new(), |share| units::PERCENT.write(share, lang));
        let cells = vec![
            Cell { value: count(seen, seen.number(&of("ok"))), note: percent("ok_share") },
            Cell { value: seen.say(&of("p99_ok")), note: String::new() },
            Cell { value: count(seen, seen.number(&of("wasted"))), note: percent("wasted_share") },
        ];
        panels.push(Panel { cells, ..Panel::new(side_name(seen, i), marks) });
    }
    let y_title = text("requests a second", "số request mỗi giây").get(lang);
    let note = text(
        "Every request stands at the moment it came, coloured by how it ended. The height is the offered load.",
        "Mỗi request nằm ở thời điểm nó đến, tô màu theo kết cục. Chiều cao là tải đến.",
    );
    let title = outcomes_title(seen);
    let mut summary = title.clone() + ".";
    for (i, side) in SIDES.into_iter().enumerate() {
        let numbers = ["ok", "shed", "timeout"].map(|name| count(seen, seen.number(&format!("{side}{name}"))));
        let template = text(
            " {name}: {ok} answered in time, {shed} told 503, {timeout} timed out.",
            " {name}: {ok} trả lời kịp, {shed} nhận 503, {timeout} timeout.",
        );
        let [ok, shed, timeout] = &numbers;
        let parts = [("name", &side_name(seen, i)), ("ok", ok), ("shed", shed), ("timeout", timeout)];
        summary.push_str(&told(template, lang, &parts.map(|(key, part)| (key, part.as_str()))));
    }
    let x = Axis::from_zero(text("when the request came, s", "lúc request đến, s").get(lang), units::S2, end);
    Chart {
        id: "outcomes",
        title,
        note: note.get(lang).into(),
        summary,
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y_title, units::PER_SECOND, nice_ceil(highest))),
        panels,
        columns: [text("answered", "trả lời kịp"), same("p99"), text("wasted", "bỏ phí")]
            .map(|column| column.get(lang).into())
            .to_vec(),
        legend: KINDS.map(|(paint, name)| (paint, name.get(lang).into())).to_vec(),
        panel_height: 150,
    }
}

fn outcomes_title(seen: &See) -> String {
    let [ok, none, offered] = ["ok", "none_ok", "offered"].map(|key| seen.number(key));
    let template = if ok == offered && none == offered {
        text(
            "Everybody is answered in time, with a bound and without",
            "Có giới hạn hay không, ai cũng được trả lời kịp",
        )
    } else if ok == none {
        text(
            "As set or with no bound at all: {ok} of {offered} in time",
            "Như đã đặt hay không giới hạn gì: {ok} trên {offered} trả lời kịp",
        )
    } else if ok > none {
        text(
            "{ok} of {offered} answered in time; with everybody in one queue, {none}",
            "{ok} trên {offered} được trả lời kịp; cho tất cả vào một hàng thì {none}",
        )
    } else {
        text(
            "As set it costs answers: {ok} in time, with everybody in one queue {none}",
            "Đặt thế này làm mất câu trả lời: {ok} kịp, cho tất cả vào một hàng thì {none}",
        )
    };
    let [ok, none, offered] = [ok, none, offered].map(|n| count(seen, n));
    told(template, seen.lang, &[("ok", &ok), ("none", &none), ("offered", &offered)])
}

fn capacity_label(seen: &See) -> String {
    told(text("capacity {n}", "năng lực {n}"), seen.lang, &[("n", &seen.say("capacity"))])
}

/// The ways' looks on a chart: the knobs' own last, so that it lies on top.
const LOOKS: [(usize, Paint); 4] = [(1, Paint::Baseline), (2, Paint::Ink(1)), (3, Paint::Ink(2)), (0, Paint::Goodput)];

/// Goodput against the offered load.
fn by_load(seen: &See) -> Chart {
    const RATE: Unit = units::PER_SECOND;
    let lang = seen.lang;
    let seconds = load_span(seen.knobs).as_s();
    let rows: Vec<&[f64]> = seen.rows("by_load").collect();
    let last = rows.last().map_or(1.0, |row| row[0]);
    let capacity = seen.number("capacity");
    let top = rows.iter().flat_map(|row| &row[1..]).fold(0.0, |a, &b| f64::max(a, b)) / seconds;
    let y_max = nice_ceil(capacity.max(top) * 1.1);
    let end = y_max.min(last);
    let all = text("if all were answered", "nếu trả lời được tất cả").get(lang);
    let mut marks = vec![line(all, Paint::Offered, vec![(0.0, 0.0), (end, end)])];
    for (way, paint) in LOOKS {
        let points = rows.iter().map(|row| (row[0], row[1 + way] / seconds)).collect();
        marks.push(line(&lowered_way(seen, way), paint, points));
    }
    let now = rows.iter().find(|row| row[0] == seen.number("offered_rate"));
    for (way, paint) in LOOKS {
        marks.extend(now.map(|row| line("", paint, vec![(row[0], row[1 + way] / seconds)])));
    }
    marks.push(Mark::Threshold { y: capacity, label: capacity_label(seen) });
    let at = |way: usize| RATE.write(rows.last().map_or(0.0, |row| row[1 + way] / seconds), lang);
    let template = text(
        "At four times the capacity: {own} as set, {none} from an unbounded FIFO queue, {lifo} from LIFO",
        "Tải gấp bốn năng lực: như đã đặt {own}, hàng FIFO không giới hạn {none}, LIFO {lifo}",
    );
    let title = told(template, lang, &[("own", &at(0)), ("none", &at(1)), ("lifo", &at(2))]);
    let note = text(
        "Answers in time while the load lasts, {length} from an empty start; the longer it lasts, the lower the FIFO queue falls. Dots: the load of this page.",
        "Số câu trả lời kịp trong lúc có tải, {length} tính từ lúc còn trống; tải càng lâu thì hàng FIFO càng xuống thấp. Chấm: tải của trang này.",
    );
    let note = told(note, lang, &[("length", &units::S2.write(seconds, lang))]);
    let x = Axis::from_zero(text("offered, requests a second", "tải đến, số request mỗi giây").get(lang), RATE, last);
    let y = Axis::from_zero(text("answered in time, a second", "trả lời kịp, mỗi giây").get(lang), RATE, y_max);
    Chart::single("by_load", (title, &note), (x, YAxis::Number(y)), marks, 220)
}

/// A way's name beside its line.
fn lowered_way(seen: &See, way: usize) -> String {
    let name = WAYS[way].1.get(seen.lang);
    if way == 3 { name.into() } else { lowered(name) }
}

/// How long the answered had waited, way by way.
fn times(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut marks = Vec::new();
    let mut highest = 1.0;
    for row in seen.rows("times") {
        let &[way, p1, p10, p50, p90, p99] = row else { continue };
        let name = text("time to the answer", "thời gian đến câu trả lời").get(lang).into();
        marks.push(Mark::Spread { row: way as usize, name, at: [p1, p10, p50, p90, p99] });
        highest = f64::max(highest, p99);
    }
    for (row, (prefix, _)) in WAYS.iter().enumerate() {
        let known = spread::known(seen, &format!("{prefix}p50_ok"), row);
        highest = spread::reach(&known).map_or(highest, |(_, high)| high.max(highest));
        marks.extend(known);
    }
    let parts = ["p99_ok", "none_p99_ok", "lifo_p50_ok", "lifo_p99_ok"].map(|key| seen.say(key));
    let [own, none, lifo, late] = &parts;
    let template = text(
        "The slowest in a hundred of the answered: {own} as set, {none} unbounded; LIFO answers half within {lifo}, and the slowest after {late}",
        "Người chậm nhất trong một trăm được trả lời: như đã đặt {own}, không giới hạn {none}; LIFO trả lời một nửa trong {lifo}, người chậm nhất sau {late}",
    );
    let title = told(template, lang, &[("own", own), ("none", none), ("lifo", lifo), ("late", late)]);
    let note = text(
        "Light: 1st to 99th percentile of the requests answered in time; dark: 10th to 90th; stroke: median. ◇ the article’s median.",
        "Nhạt: phân vị 1 đến 99 của các request được trả lời kịp; đậm: 10 đến 90; vạch: trung vị. ◇ trung vị trong bài.",
    );
    let x_title = text("time to the answer, ms", "thời gian đến câu trả lời, ms").get(lang);
    let x = Axis::from_zero(x_title, units::MS, nice_ceil(highest * 1.02));
    let rows = YAxis::Names(WAYS.map(|(_, name)| name.get(lang).to_string()).to_vec());
    Chart::single("times", (title, note.get(lang)), (x, rows), marks, 150)
}

/// Calls in flight over time, by whether their caller is still there, and the limit.
fn inside(seen: &See) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let length = knobs.load.duration.as_s();
    // A moving limit would be lost beside an unbounded line.
    let sides = if knobs.door.adapts() { &SIDES[..1] } else { &SIDES[..] };
    let drained = sides.iter().map(|side| seen.number(&format!("{side}drained"))).fold(length, f64::max);
    // What takes much longer than the load itself runs out of the picture.
    let end = nice_ceil(drained).min(4.0 * length);
    let kinds = [
        (Paint::Zombie, text("its caller has left", "client đã rời đi")),
        (Paint::Attempts, text("its caller waits", "client còn chờ")),
    ];
    let peak = |side: &str| seen.number(&format!("{side}peak_in_flight"));
    let mut panels = Vec::new();
    for (i, side) in sides.iter().enumerate() {
        let mut bars: [Vec<Bar>; 2] = Default::default();
        let mut limit = Vec::new();
        let rows: Vec<&[f64]> = seen.rows(["inside", "none_inside"][i]).collect();
        for pair in rows.windows(2) {
            let (&[from, here, left, at], to) = (pair[0], pair[1][0]) else { continue };
            let (x0, x1) = (from / 1e3, to / 1e3);
            if x0 >= x1 || x0 >= end {
                continue;
            }
            bars[0].extend((left > 0.0).then_some(Bar { x0, x1, y0: 0.0, y1: left }));
            bars[1].extend((here > 0.0).then_some(Bar { x0, x1, y0: left, y1: left + here }));
            if at > 0.0 && x0 <= length {
                limit.push((x0, at));
            }
        }
        let mut marks: Vec<Mark> = kinds
            .into_iter()
            .zip(bars)
            .map(|((paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars })
            .collect();
        if i == 0 && !limit.is_empty() {
            let name = text("the limit", "giới hạn").get(lang).into();
            marks.push(Mark::Line { name, paint: Paint::Ink(0), points: limit, step: true });
        }
        if let Some(edge) = seen.knobs.load.edge().map(|edge| edge as f64)
            && edge <= 1.5 * peak(side).max(seen.number("limit_most"))
        {
            let template = text("{n}: from here on too late", "{n}: từ đây trở lên là quá muộn");
            marks.push(Mark::Threshold { y: edge, label: told(template, lang, &[("n", &count(seen, edge))]) });
        }
        let cells = vec![
            Cell { value: count(seen, seen.number(&format!("{side}peak_waiting"))), note: String::new() },
            Cell { value: seen.say(&format!("{side}longest_wait")), note: String::new() },
            Cell { value: seen.say(&format!("{side}drained")), note: String::new() },
        ];
        panels.push(Panel { cells, ..Panel::new(side_name(seen, i), marks) });
    }
    let parts = ["limit_least", "limit_most", "limit_last"].map(|key| count(seen, seen.number(key)));
    let [least, most, last] = &parts;
    let own = count(seen, seen.number("peak_waiting"));
    let none = count(seen, seen.number("none_peak_waiting"));
    let template = if knobs.door.adapts() {
        text(
            "{door} moves its limit between {least} and {most}, at the end {last}",
            "{door} đổi giới hạn trong khoảng {least} đến {most}, lúc cuối là {last}",
        )
    } else {
        text(
            "At most {own} {own|waits|wait} as set, {none} with no bound",
            "Nhiều nhất {own} call chờ như đã đặt, {none} khi không giới hạn",
        )
    };
    let door = knobs.door.label().get(lang);
    let parts = [("door", door), ("least", least), ("most", most), ("last", last), ("own", &own), ("none", &none)];
    let title = told(template, lang, &parts);
    let highest = sides.iter().map(|side| peak(side)).fold(seen.number("limit_most").max(1.0), f64::max);
    let y_title = text("calls in flight", "số call in-flight").get(lang);
    let note = text(
        "Calls waiting or being served. Brown: the caller has already left. Line: the limit, where it moves.",
        "Số call đang chờ hoặc đang chạy. Màu nâu: client đã rời đi. Đường: giới hạn, nếu nó tự đổi.",
    );
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), units::S2, end);
    let y = YAxis::Number(Axis::from_zero(y_title, units::CALLS, nice_ceil(highest * 1.02)));
    Chart {
        panels,
        columns: [
            text("waiting", "đang chờ"),
            text("longest wait", "chờ lâu nhất"),
            text("server done", "server xong"),
        ]
        .map(|column| column.get(lang).into())
        .to_vec(),
        legend: kinds.map(|(paint, name)| (paint, name.get(lang).into())).to_vec(),
        ..Chart::single("inside", (title, note.get(lang)), (x, y), vec![], 120)
    }
}

/// Goodput against the queue's bound, and whom the wait limit drops.
fn by_bound(seen: &See) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let rows: Vec<&[f64]> = seen.rows("by_bound").collect();
    let column = |i: usize| -> Vec<(f64, f64)> { rows.iter().map(|row| (row[0], row[i])).collect() };
    let last = rows.last().map_or(10.0, |row| row[0]).max(10.0);
    let highest = rows.iter().flat_map(|row| &row[1..]).fold(1.0, |a, &b| f64::max(a, b));
    let mut marks = vec![
        line(text("timed out", "timeout").get(lang), Paint::Timeout, column(3)),
        line(text("503 at its turn", "503 khi tới lượt").get(lang), Paint::Late, column(2)),
        line(text("answered in time", "trả lời kịp").get(lang), Paint::Goodput, column(1)),
    ];
    let here = rows.iter().find(|row| knobs.door == Door::Queue && row[0] == knobs.queue as f64);
    marks.extend(here.map(|row| {
        let template = text("this run: {ok} at {bound}", "lần chạy này: {ok} ở mức {bound}");
        let label = told(template, lang, &[("ok", &count(seen, row[1])), ("bound", &count(seen, row[0]))]);
        Mark::Note { x: row[0], y: row[1], label, paint: Paint::Attempts }
    }));
    let fires = rows.iter().find(|row| row[2] > 0.0).map(|row| count(seen, row[0]));
    let template = match (&fires, knobs.wait, truth(seen)) {
        (_, Waits::Any, _) => text(
            "With a bound of {best} the most are answered: {ok}",
            "Giới hạn hàng đợi {best} trả lời được nhiều nhất: {ok}",
        ),
        (Some(_), ..) => text(
            "Of the bounds tried, {fires} is the least at which anybody is dropped at its turn; {best} answers the most, {ok}",
            "Trong các mức đã thử, {fires} là mức nhỏ nhất có call bị bỏ khi tới lượt; {best} trả lời được nhiều nhất, {ok}",
        ),
        (None, _, Truth::Bad) => text(
            "Under no bound tried is anybody dropped at its turn; {best} answers the most, {ok}",
            "Không mức nào đã thử có call bị bỏ khi tới lượt; {best} trả lời được nhiều nhất, {ok}",
        ),
        _ => text(
            "While the slots keep up the bound hardly matters: {ok} at {best}",
            "Khi các slot theo kịp, giới hạn hầu như không quan trọng: {ok} ở mức {best}",
        ),
    };
    let parts = ["best_bound", "best_ok"].map(|key| count(seen, seen.number(key)));
    let [best, ok] = &parts;
    let fires = fires.unwrap_or_default();
    let title = told(template, lang, &[("best", best), ("ok", ok), ("fires", &fires)]);
    let note = text(
        "Requests under each bound on the queue, one run a point, with the order and the wait limit as set. The load lasts {length}.",
        "Số request với từng giới hạn hàng đợi, mỗi điểm một lần chạy, thứ tự và giới hạn chờ như đã đặt. Tải kéo dài {length}.",
    );
    let length = short_span(knobs, knobs.load.offered()).as_s();
    let note = told(note, lang, &[("length", &units::S2.write(length, lang))]);
    let x_title = text("calls that may wait", "số call được chờ").get(lang).into();
    let x = Axis { title: x_title, unit: units::CALLS, min: 1.0, max: last, log: true };
    let y = Axis::from_zero(text("requests", "số request").get(lang), REQUESTS, nice_ceil(highest * 1.15));
    Chart::single("by_bound", (title, &note), (x, YAxis::Number(y)), marks, 200)
}

/// Answered requests and the rest over seeds, with the article's figures and this run.
fn over_seeds(seen: &See) -> Chart {
    let lang = seen.lang;
    let columns: [(Text, &str, Unit); 2] = [
        (text("answered in time, requests", "trả lời kịp, số request"), "ok", REQUESTS),
        (text("p99 of the answered, ms", "p99 của request được trả lời, ms"), "p99_ok", units::MS),
    ];
    let panels = columns.map(|(name, figure, unit)| {
        let rows = WAYS.iter().enumerate();
        let marks: Vec<Mark> =
            rows.flat_map(|(row, (prefix, _))| spread::row(seen, &format!("{prefix}{figure}"), row)).collect();
        let x = Axis { title: name.get(lang).into(), ..spread::axis(&marks, unit, lang, Some(0.0)) };
        Panel { x: Some(x), ..Panel::new("", marks) }
    });
    let rows = YAxis::Names(WAYS.map(|(_, name)| name.get(lang).to_string()).to_vec());
    let of = |key: &str| seen.many.filter(|many| many.len() > 1).and_then(|many| many.spread(seen.plan, key));
    let title = match of("ok") {
        None => text(
            "One run: run many seeds to see what is luck",
            "Một lần chạy: hãy chạy nhiều seed để biết đâu là may rủi",
        )
        .get(lang)
        .into(),
        Some(s) => {
            let template = if s.min == s.max {
                text(
                    "Nothing is left to chance: every seed answers {low}",
                    "Không có gì ngẫu nhiên: seed nào cũng trả lời {low}",
                )
            } else {
                text(
                    "As set, between {low} and {high} are answered, over {n} {n|seed|seeds}",
                    "Như đã đặt, từ {low} đến {high} được trả lời, qua {n} seed",
                )
            };
            let [low, high, n] = [s.p1, s.p99, s.n as f64].map(|n| count(seen, n));
            told(template, lang, &[("low", &low), ("high", &high), ("n", &n)])
        }
    };
    let axes = (Axis::from_zero("", units::CALLS, 1.0), rows);
    let chart = Chart::single("spread", (title, spread::NOTE.get(lang)), axes, vec![], 150);
    Chart { layout: Layout::Columns, panels: panels.into(), ..chart }
}
