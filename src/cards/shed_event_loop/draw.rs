//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};
use overload_sim::arrivals::Rate;
use overload_sim::time::Span;

use super::curves::{self, load_span, own_span};
use super::knobs::{Clock, REQUESTS, Server, ShedLoop, Signal};
use super::{BY_SIGNAL, RATE, Side, bin_width, closely, figure, system};
use crate::card::Seen;
use crate::say::told;
use crate::spread;

type See<'a> = Seen<'a, ShedLoop>;

/// All charts: what became of the requests, what the thread did, latency by both clocks, goodput against the load and
/// against the cost of a 503, and one signal beside the other.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![outcomes(seen), thread(seen), clocks(seen), by_load(seen), by_cost(seen), by_signal(seen)]
}

const GOOD: (Paint, Text) = (Paint::Goodput, text("answered in time", "trả lời kịp"));
const LATE: (Paint, Text) = (Paint::Late, text("answered late", "trả lời muộn"));
const SHED: (Paint, Text) = (Paint::Shed, text("refused with 503", "bị từ chối 503"));

fn count(seen: &See, value: f64) -> String {
    seen.lang.number(value, 0)
}

fn legend(lang: Lang, entries: &[(Paint, Text)]) -> Vec<(Paint, String)> {
    entries.iter().map(|&(paint, name)| (paint, name.get(lang).into())).collect()
}

fn line(seen: &See, name: Text, paint: Paint, points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { name: name.get(seen.lang).into(), paint, points, step: false }
}

/// What the knobs shed by, as a heading: "Shedding at 20 in flight".
pub fn shed_by(seen: &See, signal: Signal) -> String {
    let knobs = seen.knobs;
    let template = match signal {
        Signal::Off => Side::Open.name(),
        Signal::InFlight => text("Shedding at {n} in flight", "Shed khi in-flight tới {n}"),
        Signal::Lag => text("Shedding at a lag over {lag}", "Shed khi lag quá {lag}"),
        Signal::LagP99 => text("Shedding at a p99 of the lag over {lag}", "Shed khi p99 của lag quá {lag}"),
        Signal::Cpu => text("Shedding from {cpu} CPU on", "Shed khi CPU từ {cpu}"),
    };
    let n = count(seen, knobs.limit as f64);
    let lag = units::MS.trimmed(knobs.lag_limit.as_ms(), seen.lang);
    let cpu = units::PERCENT.write(knobs.cpu_limit as f64, seen.lang);
    told(template, seen.lang, &[("n", &n), ("lag", &lag), ("cpu", &cpu)])
}

fn side_name(seen: &See, side: Side) -> String {
    shed_by(seen, if side == Side::Open { Signal::Off } else { seen.knobs.signal })
}

/// When users wanted to send.
fn came_axis(seen: &See) -> Axis {
    let title = text("when the user wanted to send, s", "lúc người dùng muốn gửi, s");
    Axis::from_zero(title.get(seen.lang), units::S, nice_ceil(seen.knobs.duration.as_s()))
}

/// "capacity 235.3/s".
fn capacity_label(seen: &See) -> String {
    let n = RATE.trimmed(seen.number("capacity"), seen.lang);
    told(text("capacity {n}", "năng lực {n}"), seen.lang, &[("n", &n)])
}

/// The card's figure: requests by when they were wanted and how they ended.
fn outcomes(seen: &See) -> Chart {
    let lang = seen.lang;
    let width = bin_width(seen.knobs.duration).as_s();
    let mut highest = seen.number("capacity").min(4.0 * seen.knobs.rate as f64);
    let mut panels = Vec::new();
    for (i, &side) in Side::of(seen.knobs).iter().enumerate() {
        let kinds = [GOOD, LATE, SHED];
        let mut bars: [Vec<Bar>; 3] = Default::default();
        for row in seen.rows(&side.key("requests")) {
            let &[at, ref parts @ ..] = row else { continue };
            let (x0, mut top) = (at / 1e3, 0.0);
            // The last bin may be cut short by the end of the load.
            let wide = width.min(seen.knobs.duration.as_s() - x0).max(width / 100.0);
            for (list, &n) in bars.iter_mut().zip(parts) {
                if n > 0.0 {
                    list.push(Bar { x0, x1: x0 + wide, y0: top, y1: top + n / wide });
                    top += n / wide;
                }
            }
            highest = highest.max(top);
        }
        let filled = kinds.into_iter().zip(bars).filter(|(_, bars)| !bars.is_empty());
        let mut marks: Vec<Mark> =
            filled.map(|((paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars }).collect();
        let label = if i == 0 { capacity_label(seen) } else { String::new() };
        marks.push(Mark::Threshold { y: seen.number("capacity"), label });
        let cell = |key: &str| Cell { value: seen.say(&side.key(key)), note: String::new() };
        let good = seen.number(&side.key(figure::GOOD));
        let share = units::PERCENT.write(100.0 * good / seen.number("offered").max(1.0), lang);
        let cells = vec![Cell { note: share, ..cell(figure::GOODPUT) }, cell(figure::P99)];
        panels.push(Panel { name: side_name(seen, side), cells, ..Panel::plain(marks) });
    }
    let note = match seen.knobs.clock {
        Clock::Intended => text(
            "Every request stands at the moment its user wanted to send it. The height is the offered load.",
            "Mỗi request nằm ở lúc người dùng muốn gửi nó. Chiều cao là tải đến.",
        ),
        Clock::Actual => text(
            "In time is counted from the actual send here: the wait for a connection is left out.",
            "Ở đây, kịp hay không tính từ lúc thực gửi: thời gian chờ connection bị bỏ ra ngoài.",
        ),
    };
    let y = Axis::from_zero(
        text("requests a second", "số request mỗi giây").get(lang),
        units::PER_SECOND,
        nice_ceil(highest * 1.02),
    );
    let head = text("Requests over time by how they ended.", "Request theo thời gian, chia theo kết cục.");
    let mut summary = String::from(head.get(lang));
    for &side in Side::of(seen.knobs) {
        let [good, late, shed, p99] =
            [figure::GOOD, figure::LATE, figure::SHED, figure::P99].map(|key| seen.say(&side.key(key)));
        let template = text(
            " {name}: {good} in time, {late} late, {shed} refused; p99 {p99}.",
            " {name}: {good} kịp, {late} muộn, {shed} bị từ chối; p99 {p99}.",
        );
        let name = side_name(seen, side);
        let parts = [("name", &*name), ("good", &good), ("late", &late), ("shed", &shed), ("p99", &p99)];
        summary.push_str(&told(template, lang, &parts));
    }
    Chart {
        id: "outcomes",
        title: outcomes_title(seen),
        note: note.get(lang).into(),
        summary,
        layout: Layout::Rows,
        x: came_axis(seen),
        y: YAxis::Number(y),
        panels,
        columns: [same("goodput"), same("p99")].map(|c| c.get(lang).into()).to_vec(),
        legend: legend(lang, &[GOOD, LATE, SHED]),
        panel_height: 150,
    }
}

fn outcomes_title(seen: &See) -> String {
    let [with, none, good, none_good, offered] =
        ["goodput", "none_goodput", "good", "none_good", "offered"].map(|key| seen.number(key));
    let off = seen.knobs.signal == Signal::Off;
    let template = if good == offered && none_good == offered {
        text("Everybody is answered in time: goodput {with}", "Ai cũng được trả lời kịp: goodput {with}")
    } else if off {
        text("Without shedding the goodput is {none}", "Không shedding thì goodput là {none}")
    } else if with > none {
        text("Goodput {with} with shedding, {none} without", "Goodput {with} khi có shedding, {none} khi không")
    } else if with < none {
        text(
            "Shedding costs goodput: {with} with it, {none} without",
            "Shedding làm mất goodput: {with} khi có, {none} khi không",
        )
    } else {
        text("Shedding changes nothing: goodput {with}", "Shedding không đổi được gì: goodput {with}")
    };
    let [with, none] = ["goodput", "none_goodput"].map(|key| seen.say(key));
    told(template, seen.lang, &[("with", &with), ("none", &none)])
}

/// What the thread does, stretch by stretch, in the middle of the load.
fn thread(seen: &See) -> Chart {
    let lang = seen.lang;
    let (from, to) = closely(seen.knobs);
    // From the stretch's own beginning, in milliseconds.
    let start = from.as_ms();
    let rows = [text("timers", "timer"), text("reading", "đọc"), text("503", "503"), text("asleep", "ngủ")];
    let kinds: [(Paint, Text); 5] = [
        (Paint::Goodput, text("work for an answer in time", "làm câu trả lời kịp")),
        (Paint::Zombie, text("work for a late answer", "làm câu trả lời muộn")),
        (Paint::Offered, text("reading", "đọc request")),
        (Paint::Shed, text("refusing", "từ chối")),
        (Paint::Baseline, text("nothing to do", "không có việc")),
    ];
    let panels = Side::of(seen.knobs).iter().map(|&side| {
        let mut bars: [Vec<Bar>; 5] = Default::default();
        for stretch in seen.rows(&side.key("loop")) {
            let &[did, from, to] = stretch else { continue };
            // Late work lies in the same row as work in time.
            let row = f64::max(did - 1.0, 0.0);
            let bar = Bar { x0: from - start, x1: to - start, y0: row - 0.36, y1: row + 0.36 };
            if let Some(list) = bars.get_mut(did as usize) {
                list.push(bar);
            }
        }
        let filled = kinds.into_iter().zip(bars).filter(|(_, bars)| !bars.is_empty());
        let marks = filled.map(|((paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars });
        Panel::new(side_name(seen, side), marks.collect())
    });
    let panels = panels.collect();
    let key = Side::of(seen.knobs)[0].key("loop");
    let [busy, sleeping] = [system::REFUSE, system::SLEEP]
        .map(|kind| seen.rows(&key).filter(|row| row[0] == f64::from(kind)).map(|row| row[2] - row[1]).sum::<f64>());
    let long = (to - from).as_ms();
    let share = |part: f64| units::PERCENT.write(100.0 * part / long, lang);
    let template = match seen.knobs.server {
        Server::Loop => text(
            "Of {long} in the middle of the load the thread spends {refusing} on 503s and {idle} asleep",
            "Trong {long} giữa lúc có tải, thread tốn {refusing} cho 503 và ngủ {idle}",
        ),
        Server::Ideal => text(
            "Of {long} in the middle of the load the ideal thread is idle {idle}",
            "Trong {long} giữa lúc có tải, thread lý tưởng rảnh {idle}",
        ),
    };
    let length = units::MS.write(long, lang);
    let title = told(template, lang, &[("long", &length), ("refusing", &share(busy)), ("idle", &share(sleeping))]);
    let note = match seen.knobs.server {
        Server::Loop => text(
            "All timers that are due run one after the other; only then are the sockets read, and full ones refused.",
            "Mọi timer đến hạn chạy hết lượt; sau đó mới đọc socket, và từ chối nếu đã đầy.",
        ),
        Server::Ideal => text(
            "The ideal server reads and refuses beside the thread; the thread only works.",
            "Server lý tưởng đọc và từ chối ngoài thread; thread chỉ làm việc chính.",
        ),
    };
    let x_title = text("time, ms", "thời gian, ms").get(lang);
    let x = Axis::from_zero(x_title, units::MS, long);
    Chart {
        id: "thread",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Names(rows.map(|row| row.get(lang).into()).to_vec()),
        panels,
        columns: vec![],
        legend: legend(lang, &kinds),
        panel_height: 96,
    }
}

/// Latency by both clocks, by when users wanted to send.
fn clocks(seen: &See) -> Chart {
    let lang = seen.lang;
    let of = |side: Side, nth: usize| -> Vec<(f64, f64)> {
        // A millisecond is the least that the logarithmic axis has.
        let key = side.key("time");
        let rows = seen.rows(&key).filter_map(|row| Some((row.first()? / 1e3, row.get(nth)?.max(1.0))));
        rows.collect()
    };
    let [intended, actual] = [of(Side::Open, 1), of(Side::Open, 2)];
    let last = [&intended, &actual].map(|points| points.last().map_or(0.0, |p| p.1));
    let mut marks = vec![
        line(seen, text("from the intended send", "từ lúc lẽ ra gửi"), Paint::Baseline, intended),
        line(seen, text("from the actual send", "từ lúc thực gửi"), Paint::Ink(1), actual),
    ];
    if Side::of(seen.knobs).len() > 1 {
        marks.push(line(seen, text("with shedding", "có shedding"), Paint::Goodput, of(Side::Shedding, 1)));
    }
    let deadline = seen.knobs.deadline.as_ms();
    let (mut low, mut high) = (deadline, deadline);
    for mark in &marks {
        if let Mark::Line { points, .. } = mark {
            points.iter().for_each(|p| (low, high) = (low.min(p.1), high.max(p.1)));
        }
    }
    marks.push(Mark::Threshold { y: deadline, label: "deadline".into() });
    let template = if last[0] > 1.02 * last[1] {
        text(
            "At the end of the load users wait {intended} without shedding; a stopwatch at the send shows {actual}",
            "Cuối đợt tải, khi không shedding người dùng chờ {intended}; bấm giờ lúc gửi chỉ thấy {actual}",
        )
    } else {
        text(
            "Without shedding both clocks agree: hardly a request waits for a connection",
            "Không shedding thì hai cách bấm giờ như nhau: hầu như không request nào chờ connection",
        )
    };
    let [intended, actual] = last.map(|ms| units::S2.write(ms / 1e3, lang));
    let title = told(template, lang, &[("intended", &intended), ("actual", &actual)]);
    let note = text(
        "Mean latency of all answered, in time or late. Between the two lines without shedding: the wait for a free connection.",
        "Latency trung bình của mọi request được trả lời, kịp hay muộn. Giữa hai đường không shedding: thời gian chờ connection rảnh.",
    );
    let (mut min, mut max) = (1.0, 10.0);
    while min * 10.0 <= low {
        min *= 10.0;
    }
    while max <= high {
        max *= 10.0;
    }
    let title_y = text("latency, ms", "latency, ms").get(lang).into();
    let y = Axis { title: title_y, unit: units::MS, min, max, log: true };
    Chart::single("clocks", (title, note.get(lang)), (came_axis(seen), YAxis::Number(y)), marks, 220)
}

/// A chart's own words on how long its short runs last, where that is not the page's own duration.
fn cut_short(seen: &See, span: Span) -> String {
    if span == seen.knobs.duration {
        return String::new();
    }
    let template = text(" Here the load lasts {length}.", " Ở đây tải chỉ kéo dài {length}.");
    told(template, seen.lang, &[("length", &units::S2.trimmed(span.as_s(), seen.lang))])
}

/// A point on a curve.
fn point(paint: Paint, at: (f64, f64)) -> Mark {
    Mark::Line { name: String::new(), paint, points: vec![at], step: false }
}

/// Goodput against the offered load.
fn by_load(seen: &See) -> Chart {
    let lang = seen.lang;
    let span = load_span(seen.knobs);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for row in seen.rows("by_load") {
        let &[offered, good, none] = row else { continue };
        with.push((offered, good / span.as_s()));
        without.push((offered, none / span.as_s()));
    }
    let capacity = seen.number("capacity");
    let now = Rate::per_s(seen.knobs.rate).as_per_s();
    let last = with.last().map_or(1.0, |p| p.0);
    let highest = with.iter().chain(&without).map(|p| p.1).fold(capacity, f64::max);
    let y_max = nice_ceil(highest * 1.15);
    let at = |points: &[(f64, f64)]| points.iter().copied().find(|p| (p.0 - now).abs() < 1e-9);
    let dots = [(at(&without), Paint::Baseline), (at(&with), Paint::Goodput)];
    let ends = [&with, &without].map(|points| points.last().map_or(0.0, |p| p.1));
    let all = vec![(0.0, 0.0), (y_max.min(last), y_max.min(last))];
    let mut marks = vec![
        line(seen, text("if all were in time", "nếu trả lời kịp tất cả"), Paint::Offered, all),
        line(seen, text("without shedding", "không shedding"), Paint::Baseline, without),
        line(seen, text("with shedding", "có shedding"), Paint::Goodput, with),
    ];
    marks.extend(dots.into_iter().filter_map(|(at, paint)| Some(point(paint, at?))));
    marks.push(Mark::Threshold { y: capacity, label: capacity_label(seen) });
    let template = if (ends[0] - ends[1]).abs() > 0.05 * ends[0].max(ends[1]) {
        text(
            "At three times the capacity: {with} with shedding, {without} without",
            "Tải gấp ba năng lực: {with} khi có shedding, {without} khi không",
        )
    } else {
        text(
            "At three times the capacity shedding changes little: {with} with it, {without} without",
            "Tải gấp ba năng lực, shedding chẳng đổi được mấy: {with} khi có, {without} khi không",
        )
    };
    let [with, without] = ends.map(|rate| RATE.write(rate, lang));
    let title = told(template, lang, &[("with", &with), ("without", &without)]);
    let name = shed_by(seen, seen.knobs.shedding());
    let template = text(
        "{name}, and without. Answers in time per second of load; what is inside at its end is still answered.",
        "{name}, và không shedding. Số câu trả lời kịp trên mỗi giây có tải; những gì còn bên trong lúc hết tải vẫn được trả lời.",
    );
    let note = told(template, lang, &[("name", &name)]) + &cut_short(seen, span);
    let x =
        Axis::from_zero(text("offered load, requests a second", "tải đến, số request mỗi giây").get(lang), RATE, last);
    let y = Axis::from_zero(text("goodput, a second", "goodput, mỗi giây").get(lang), RATE, y_max);
    Chart::single("by_load", (title, &note), (x, YAxis::Number(y)), marks, 200)
}

/// Goodput against the cost of a 503.
fn by_cost(seen: &See) -> Chart {
    let lang = seen.lang;
    let span = own_span(seen.knobs);
    let rows = seen.rows("by_cost");
    let points: Vec<(f64, f64)> =
        rows.filter_map(|row| if let &[cost, good] = row { Some((cost, good / span.as_s())) } else { None }).collect();
    let ideal = seen.knobs.server == Server::Ideal;
    let capacity = seen.number("capacity");
    let highest = points.iter().map(|p| p.1).fold(capacity.min(seen.knobs.rate as f64), f64::max);
    let work = seen.knobs.work().as_ms();
    let none = seen.number(BY_SIGNAL[0]) / span.as_s();
    let [first, last] = [points.first(), points.last()].map(|p| p.copied().unwrap_or_default());
    let here = points.iter().copied().find(|p| p.0 == seen.knobs.refusal.as_ms());
    let y_max = nice_ceil(highest.max(none) * 1.15);
    let mut marks = vec![
        line(seen, text("with shedding", "có shedding"), Paint::Goodput, points),
        line(seen, text("without", "không shedding"), Paint::Baseline, vec![(0.0, none), (work, none)]),
    ];
    if let Some(here) = here {
        marks.push(point(Paint::Goodput, here));
        let label =
            told(text("{n} at the cost set", "{n} với chi phí đang đặt"), lang, &[("n", &RATE.write(here.1, lang))]);
        marks.push(Mark::Note { x: here.0, y: here.1, label, paint: Paint::Goodput });
    }
    marks.push(Mark::Threshold { y: capacity, label: capacity_label(seen) });
    let template = if ideal {
        text("The ideal server refuses for nothing", "Server lý tưởng từ chối không tốn gì")
    } else if first.1 > 1.05 * last.1 {
        text(
            "Refusing for free leaves {first}; a 503 as dear as an answer leaves {last}",
            "503 không tốn gì thì goodput {first}; 503 tốn như một câu trả lời thì còn {last}",
        )
    } else {
        text(
            "Here the cost of a 503 matters little: {first} where it is free, {last} where it is as dear as an answer",
            "Ở đây chi phí của 503 ít quan trọng: {first} khi không tốn gì, {last} khi tốn như một câu trả lời",
        )
    };
    let [first, last] = [first, last].map(|p| RATE.write(p.1, lang));
    let title = told(template, lang, &[("first", &first), ("last", &last)]);
    let template = text(
        "{name}. Each point is a run, its answers in time per second of load; what is inside at its end is still answered.",
        "{name}. Mỗi điểm là một lần chạy, số câu trả lời kịp trên mỗi giây có tải; những gì còn bên trong lúc hết tải vẫn được trả lời.",
    );
    let note = told(template, lang, &[("name", &shed_by(seen, seen.knobs.shedding()))]) + &cut_short(seen, span);
    let cost = Unit::new("ms", same("ms"), 2);
    let x = Axis::from_zero(text("CPU per 503, ms", "CPU mỗi 503, ms").get(lang), cost, work);
    let y = Axis::from_zero(text("goodput, a second", "goodput, mỗi giây").get(lang), RATE, y_max);
    Chart::single("by_cost", (title, &note), (x, YAxis::Number(y)), marks, 170)
}

/// The same requests, with one signal after the other at the door.
fn by_signal(seen: &See) -> Chart {
    let lang = seen.lang;
    let came: Vec<&[f64]> = seen.rows("by_signal").collect();
    let kinds = [(0, GOOD), (1, LATE), (2, SHED)].map(|(nth, (paint, name))| (nth, paint, name));
    let of = |nth: &usize, row: usize| came.get(row).map_or(0.0, |row| row[*nth]);
    let (mut marks, longest) = spread::stacked(lang, kinds, curves::ROWS.len(), 0.32, of);
    let cores = count(seen, seen.knobs.cores as f64);
    let names = curves::ROWS.map(|(signal, one_core)| {
        let template = match signal {
            Signal::Off => text("no shedding", "không shed"),
            Signal::InFlight => text("requests in flight", "số in-flight"),
            Signal::Lag => text("latest lag", "lag mới nhất"),
            Signal::LagP99 => text("p99 of the lag", "p99 của lag"),
            Signal::Cpu if one_core => text("CPU of one core", "CPU một core"),
            Signal::Cpu => text("CPU of {n} {n|core|cores}", "CPU {n} core"),
        };
        told(template, lang, &[("n", &cores)])
    });
    for (row, key) in BY_SIGNAL.iter().enumerate() {
        marks.extend(spread::known(seen, key, row));
    }
    let goods: Vec<f64> = (0..curves::ROWS.len()).map(|row| of(&0, row)).collect();
    let best = (1..goods.len()).fold(1, |best, row| if goods[row] > goods[best] { row } else { best });
    let worst = (1..goods.len()).fold(1, |worst, row| if goods[row] < goods[worst] { row } else { worst });
    let template = if goods[best] == goods[worst] {
        text("All signals give the same: {most} in time", "Tín hiệu nào cũng như nhau: kịp {most}")
    } else {
        text(
            "By {best} {most} {most|is|are} in time, by {worst} {least}",
            "Shed theo {best} thì kịp {most}, theo {worst} thì {least}",
        )
    };
    let [most, least] = [best, worst].map(|row| count(seen, goods[row]));
    let parts = [("best", &*names[best]), ("worst", &names[worst]), ("most", &most), ("least", &least)];
    let title = told(template, lang, &parts);
    let template = text(
        "The same requests, one rule after the other: in flight {n}, lag {lag}, CPU {cpu}.",
        "Cùng các request, lần lượt từng luật: in-flight {n}, lag {lag}, CPU {cpu}.",
    );
    let n = count(seen, seen.knobs.limit as f64);
    let lag = units::MS.trimmed(seen.knobs.lag_limit.as_ms(), lang);
    let cpu = units::PERCENT.write(seen.knobs.cpu_limit as f64, lang);
    let note =
        told(template, lang, &[("n", &n), ("lag", &lag), ("cpu", &cpu)]) + &cut_short(seen, own_span(seen.knobs));
    let reach = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(longest);
    let x = Axis::from_zero(text("requests", "số request").get(lang), REQUESTS, nice_ceil(reach));
    Chart {
        legend: legend(lang, &[GOOD, LATE, SHED]),
        ..Chart::single("by_signal", (title, &note), (x, YAxis::Names(names.to_vec())), marks, 170)
    }
}
