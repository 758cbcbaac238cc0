//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};
use overload_sim::time::Span;

use super::curves::{limit_span, load_span};
use super::knobs::{REQUESTS, Shed};
use super::words::{Stance, stance, truth};
use super::{Side, bin_width, figure};
use crate::card::{Seen, Truth};
use crate::say::told;
use crate::spread;

/// All charts: what became of the requests, what was in flight, how long answers took, goodput against the limit and
/// against the load, and the spread over seeds.
pub fn charts(seen: &Seen<Shed>) -> Vec<Chart> {
    vec![outcomes(seen), inside(seen), time(seen), by_limit(seen), by_load(seen), over_seeds(seen)]
}

fn get(seen: &Seen<Shed>, side: Side, name: &str) -> f64 {
    seen.number(&side.key(name))
}

fn say(seen: &Seen<Shed>, side: Side, name: &str) -> String {
    seen.say(&side.key(name))
}

fn count(seen: &Seen<Shed>, value: f64) -> String {
    seen.lang.number(value, 0)
}

/// Fills a template with the numbers of this run.
fn tell(seen: &Seen<Shed>, template: Text, parts: &[(&str, &str)]) -> String {
    told(template, seen.lang, parts)
}

/// A side's name on its panel: the limit with its number.
fn side_name(seen: &Seen<Shed>, side: Side) -> String {
    let template = match side {
        Side::Open => side.name(),
        Side::Limited => text("With a limit of {limit} in flight", "Có giới hạn {limit} call in-flight"),
    };
    tell(seen, template, &[("limit", &count(seen, seen.knobs.limit as f64))])
}

/// A line with its name.
fn line(seen: &Seen<Shed>, name: Text, paint: Paint, points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { name: name.get(seen.lang).into(), paint, points, step: false }
}

/// A legend's entries.
fn legend(lang: Lang, entries: &[(Paint, Text)]) -> Vec<(Paint, String)> {
    entries.iter().map(|&(paint, name)| (paint, name.get(lang).into())).collect()
}

/// When users first tried: the horizontal axis of what became of them.
fn came_axis(seen: &Seen<Shed>) -> Axis {
    let title = text("when the request came, s", "lúc request đến, s");
    Axis::from_zero(title.get(seen.lang), units::S2, nice_ceil(seen.knobs.duration.as_s()))
}

/// The card's figure: requests by when they came and how they ended.
fn outcomes(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let width = bin_width(seen.knobs.duration).as_s();
    let x = came_axis(seen);
    let capacity = seen.number("capacity");
    let mut highest = capacity;
    let sides = Side::of(seen.knobs);
    let mut marks: Vec<Vec<Mark>> = Vec::new();
    for (i, &side) in sides.iter().enumerate() {
        let kinds: [(Text, Paint); 4] = [
            (text("answered in time", "trả lời kịp"), Paint::Goodput),
            (text("answered late", "trả lời muộn"), Paint::Late),
            (text("refused with 503", "bị từ chối 503"), Paint::Shed),
            (text("timed out", "timeout"), Paint::Timeout),
        ];
        let mut bars: [Vec<Bar>; 4] = Default::default();
        let mut attempts = Vec::new();
        for row in seen.rows(&side.series("requests")) {
            let &[at, ref parts @ .., tried] = row else { continue };
            let (x0, mut top) = (at / 1e3, 0.0);
            for (list, &n) in bars.iter_mut().zip(parts) {
                if n > 0.0 && x0 < x.max {
                    list.push(Bar { x0, x1: x0 + width, y0: top, y1: top + n / width });
                    top += n / width;
                }
            }
            highest = f64::max(highest, top);
            attempts.push((x0, tried / width));
        }
        let mut of_side: Vec<Mark> = kinds
            .iter()
            .zip(bars)
            .filter(|(_, bars)| !bars.is_empty())
            .map(|((name, paint), bars)| Mark::Bars { name: name.get(lang).into(), paint: *paint, bars })
            .collect();
        if seen.knobs.retries {
            attempts.retain(|&(at, _)| at < x.max);
            let peak = attempts.iter().map(|a| a.1).fold(0.0, f64::max);
            highest = highest.max(peak.min(4.0 * seen.number("offered_rate")));
            let name = text("calls, retries included", "số call, kể cả retry").get(lang).into();
            of_side.push(Mark::Line { name, paint: Paint::Attempts, points: attempts, step: true });
        }
        let label = if i == 0 { capacity_label(seen, capacity) } else { String::new() };
        of_side.push(Mark::Threshold { y: capacity, label });
        marks.push(of_side);
    }
    let y_max = nice_ceil(highest);
    // In the bars, below the line of calls.
    let bars = seen.get("offered_rate").unwrap_or(y_max).min(y_max);
    for (&side, marks) in sides.iter().zip(&mut marks) {
        if let Some(until) = seen.get(&side.key(figure::ANSWERED_UNTIL))
            && get(seen, side, figure::TIMEOUT) > 0.0
            && until < 0.8 * seen.knobs.duration.as_s()
        {
            let template = text("after {until} nobody is answered in time", "sau {until} không ai được trả lời kịp");
            let label = tell(seen, template, &[("until", &units::S2.write(until, lang))]);
            marks.push(Mark::Note { x: until, y: 0.62 * bars, label, paint: Paint::Timeout });
        }
    }
    let panels = sides
        .iter()
        .zip(marks)
        .map(|(&side, marks)| {
            let share = lang.number(get(seen, side, figure::OK_SHARE), 0);
            let wasted = get(seen, side, figure::WASTED_SHARE);
            let cells = vec![
                Cell { value: count(seen, get(seen, side, figure::OK)), note: format!("{share}\u{a0}%") },
                Cell { value: say(seen, side, figure::P99_OK), note: String::new() },
                Cell {
                    value: count(seen, get(seen, side, figure::WASTED)),
                    note: format!("{}\u{a0}%", lang.number(wasted, 0)),
                },
            ];
            Panel { name: side_name(seen, side), cells, ..Panel::new("", marks) }
        })
        .collect();
    let y_title = text("requests a second", "số request mỗi giây");
    let mut fills = vec![
        (Paint::Goodput, text("answered in time", "trả lời kịp")),
        (Paint::Shed, text("refused with 503", "bị từ chối 503")),
        (Paint::Timeout, text("timed out: its caller left", "timeout: client đã rời đi")),
    ];
    if seen.knobs.deadline > Span::ZERO {
        fills.push((Paint::Late, text("answered after the deadline", "trả lời sau deadline")));
    }
    Chart {
        id: "outcomes",
        title: outcomes_title(seen),
        note: text(
            "Every request stands at the moment it came, coloured by how it ended. The height is the offered load.",
            "Mỗi request nằm ở thời điểm nó đến, tô màu theo kết cục. Chiều cao là tải đến.",
        )
        .get(lang)
        .into(),
        summary: outcomes_summary(seen),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y_title.get(lang), units::PER_SECOND, y_max)),
        panels,
        columns: [text("answered", "trả lời kịp"), same("p99"), text("wasted", "bỏ phí")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: legend(lang, &fills),
        panel_height: 150,
    }
}

fn outcomes_title(seen: &Seen<Shed>) -> String {
    let [ok, none, offered] = ["ok", "none_ok", "offered"].map(|key| seen.number(key));
    let template = if ok == offered && none == offered {
        text("The slots keep up: everybody is answered in time", "Các slot theo kịp: ai cũng được trả lời kịp")
    } else if seen.knobs.limit == 0 {
        text(
            "Without a limit {ok} of {offered} answered in time",
            "Không giới hạn: {ok} trên {offered} được trả lời kịp",
        )
    } else if ok == none {
        text(
            "The limit helps nobody: {ok} answered in time with and without",
            "Giới hạn chẳng giúp ai: có hay không cũng {ok} được trả lời kịp",
        )
    } else if ok > none {
        text(
            "Refuse some, answer more: {ok} in time with the limit, {none} without",
            "Từ chối bớt thì trả lời được nhiều hơn: {ok} khi có giới hạn, {none} khi không",
        )
    } else {
        text(
            "The limit costs answers: {ok} in time with it, {none} without",
            "Giới hạn làm mất câu trả lời: {ok} khi có, {none} khi không",
        )
    };
    let [ok, none, offered] = [ok, none, offered].map(|n| count(seen, n));
    tell(seen, template, &[("ok", &ok), ("none", &none), ("offered", &offered)])
}

fn outcomes_summary(seen: &Seen<Shed>) -> String {
    let head = text("Requests over time by how they ended.", "Request theo thời gian, chia theo kết cục.");
    let mut out = String::from(head.get(seen.lang));
    for &side in Side::of(seen.knobs) {
        let name = side_name(seen, side);
        let [ok, shed, timeout, late] =
            [figure::OK, figure::SHED, figure::TIMEOUT, figure::LATE].map(|f| count(seen, get(seen, side, f)));
        let p99 = say(seen, side, figure::P99_OK);
        let template = text(
            " {name}: {ok} answered in time, {shed} refused, {timeout} timed out, {late} late; p99 of the answered {p99}.",
            " {name}: {ok} trả lời kịp, {shed} bị từ chối, {timeout} timeout, {late} muộn; p99 của request được trả lời {p99}.",
        );
        let parts =
            [("name", &name), ("ok", &ok), ("shed", &shed), ("timeout", &timeout), ("late", &late), ("p99", &p99)];
        out.push_str(&tell(seen, template, &parts.map(|(key, part)| (key, part.as_str()))));
    }
    out
}

/// "capacity 200/s".
fn capacity_label(seen: &Seen<Shed>, capacity: f64) -> String {
    tell(seen, text("capacity {n}", "năng lực {n}"), &[("n", &units::PER_SECOND.write(capacity, seen.lang))])
}

/// Calls in flight over time, by whether their caller is still there.
fn inside(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let sides = Side::of(seen.knobs);
    let drained = sides.iter().map(|&side| get(seen, side, figure::DRAINED)).fold(0.0, f64::max);
    // What takes much longer than the load itself runs out of the picture.
    let most = 4.0 * seen.knobs.duration.as_s();
    let end = nice_ceil(drained.max(seen.knobs.duration.as_s())).min(most);
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), units::S2, end);
    let edge = seen.get("edge_limit");
    let highest = sides.iter().map(|&side| get(seen, side, figure::PEAK)).fold(1.0, f64::max);
    let y_max = nice_ceil(highest);
    let panels = sides.iter().enumerate().map(|(i, &side)| {
        let (mut waiting, mut left) = (Vec::new(), Vec::new());
        let key = side.series("inside");
        let rows: Vec<&[f64]> = seen.rows(&key).collect();
        for pair in rows.windows(2) {
            let (&[from, ..], &[to, here, gone]) = (pair[0], pair[1]) else { continue };
            let (x0, x1) = (from / 1e3, to / 1e3);
            if x0 >= x1 || x0 >= x.max {
                continue;
            }
            if gone > 0.0 {
                left.push(Bar { x0, x1, y0: 0.0, y1: gone });
            }
            if here > 0.0 {
                waiting.push(Bar { x0, x1, y0: gone, y1: gone + here });
            }
        }
        let bars = |name: Text, paint, bars| Mark::Bars { name: name.get(lang).into(), paint, bars };
        let mut marks = vec![
            bars(text("its caller has left", "client đã rời đi"), Paint::Zombie, left),
            bars(text("its caller waits", "client còn chờ"), Paint::Attempts, waiting),
        ];
        if let Some(edge) = edge.filter(|&edge| edge <= 1.5 * y_max) {
            let template = text("{n}: from here on too late", "{n}: từ đây trở lên là quá muộn");
            let label = if i == 0 { tell(seen, template, &[("n", &count(seen, edge))]) } else { String::new() };
            marks.push(Mark::Threshold { y: edge, label });
        }
        let peak = get(seen, side, figure::PEAK);
        let cells = vec![
            Cell { value: count(seen, peak), note: String::new() },
            Cell { value: say(seen, side, figure::DRAINED), note: String::new() },
        ];
        Panel { name: side_name(seen, side), cells, ..Panel::new("", marks) }
    });
    let panels = panels.collect();
    let peak = count(seen, get(seen, Side::Open, figure::PEAK));
    let busy = say(seen, Side::Open, figure::DRAINED);
    let template = match truth(seen.knobs) {
        Truth::Bad => text(
            "Without a limit {peak} {peak|piles|pile} up, and the server is busy until {busy}",
            "Không giới hạn thì dồn lại {peak} call, server bận đến {busy}",
        ),
        _ => text(
            "Without a limit {peak} {peak|is|are} in flight at most",
            "Không giới hạn thì in-flight nhiều nhất {peak} call",
        ),
    };
    let title = tell(seen, template, &[("peak", &peak), ("busy", &busy)]);
    Chart {
        id: "inside",
        summary: title.clone(),
        title,
        note: text(
            "Calls waiting or being served. Brown: the caller has already left, but the call is still there.",
            "Số call đang chờ hoặc đang chạy. Màu nâu: client đã rời đi nhưng call vẫn nằm đó.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(text("calls in flight", "số call in-flight").get(lang), units::CALLS, y_max)),
        panels,
        columns: [text("most", "nhiều nhất"), text("server done", "server xong")].map(|c| c.get(lang).into()).to_vec(),
        legend: legend(
            lang,
            &[
                (Paint::Attempts, text("its caller waits", "client còn chờ")),
                (Paint::Zombie, text("its caller has left", "client đã rời đi")),
            ],
        ),
        panel_height: 110,
    }
}

/// How long the answered had waited, by when they came.
fn time(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let sides = Side::of(seen.knobs);
    let mut highest: f64 = 1.0;
    let mut marks: Vec<Mark> = Vec::new();
    for &side in sides.iter().rev() {
        let key = side.series("time");
        let rows = seen.rows(&key);
        let points: Vec<(f64, f64)> =
            rows.filter_map(|row| if let &[at, mean] = row { Some((at / 1e3, mean)) } else { None }).collect();
        highest = points.iter().map(|p| p.1).fold(highest, f64::max);
        let (name, paint) = match side {
            Side::Limited => (text("with the limit", "có giới hạn"), Paint::Goodput),
            Side::Open => (text("without", "không giới hạn"), Paint::Baseline),
        };
        marks.push(line(seen, name, paint, points));
    }
    let timeout = seen.knobs.timeout.as_ms();
    let shows_timeout = seen.knobs.timeout > Span::ZERO && timeout <= 4.0 * highest;
    if shows_timeout {
        let label = text("timeout", "timeout").get(lang).into();
        marks.push(Mark::Threshold { y: timeout, label });
        highest = highest.max(timeout);
    }
    // A threshold at the very top would be hard to see.
    let top = if nice_ceil(highest) > 1.05 * highest { nice_ceil(highest) } else { 1.1 * highest };
    let [with, without] = [Side::Limited, Side::Open].map(|side| say(seen, side, figure::P99_OK));
    let template = match (seen.knobs.limit > 0, with == without) {
        (true, false) => text(
            "p99 of the answered: {with} with the limit, {without} without",
            "p99 của request được trả lời: {with} khi có giới hạn, {without} khi không",
        ),
        (true, true) => text(
            "p99 of the answered: {with}, with the limit and without",
            "p99 của request được trả lời: {with}, có hay không có giới hạn",
        ),
        (false, _) => text(
            "p99 of the answered: {without} without a limit",
            "p99 của request được trả lời: {without} khi không giới hạn",
        ),
    };
    let title = tell(seen, template, &[("with", &with), ("without", &without)]);
    let note = text(
        "Lines: mean time of those answered, by when they came; a line ends where nobody is answered any more.",
        "Đường: thời gian trung bình của request được trả lời, theo lúc đến; đường dừng ở chỗ không còn ai được trả lời.",
    );
    let y = Axis::from_zero(text("time to the answer, ms", "thời gian đến câu trả lời, ms").get(lang), units::MS, top);
    Chart::single("time", (title, note.get(lang)), (came_axis(seen), YAxis::Number(y)), marks, 170)
}

/// A chart's own words on how long its short runs last, where that is not the page's own duration.
fn cut_short(seen: &Seen<Shed>, span: Span) -> String {
    if span == seen.knobs.duration {
        return String::new();
    }
    let template = text(" Here the load lasts {length}.", " Ở đây tải chỉ kéo dài {length}.");
    tell(seen, template, &[("length", &units::S2.write(span.as_s(), seen.lang))])
}

/// A point on a curve.
fn point(paint: Paint, at: (f64, f64)) -> Mark {
    Mark::Line { name: String::new(), paint, points: vec![at], step: false }
}

/// Goodput against the limit.
fn by_limit(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let rows = seen.rows("by_limit");
    let points: Vec<(f64, f64)> =
        rows.filter_map(|row| if let &[limit, ok] = row { Some((limit, ok)) } else { None }).collect();
    let highest = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let last = points.last().map_or(10.0, |p| p.0).max(10.0);
    let bad = truth(seen.knobs) == Truth::Bad;
    let edge = seen.get("edge_limit");
    let best = seen.get("best_limit").zip(seen.get("best_ok")).filter(|_| bad);
    let here = points.iter().copied().find(|p| p.0 == seen.knobs.limit as f64);
    // One more a step, and then as if there were no limit: so it is where chance plays no part.
    let after = edge.and_then(|edge| points.iter().find(|p| p.0 == edge + 2.0)).map(|p| p.1);
    let sharp = seen.get("exact_ok").is_some()
        && best.is_some_and(|(limit, ok)| {
            edge == Some(limit)
                && after.is_some_and(|after| after < 0.75 * ok && points.last().map(|p| p.1) == Some(after))
        });
    let mut marks = vec![line(seen, same(""), Paint::Goodput, points)];
    // Where the slots keep up nobody is late under any limit.
    let late = edge.filter(|&edge| bad && edge >= 1.0 && edge < last);
    if let Some(edge) = late {
        let label = text("too late", "quá muộn").get(lang).into();
        marks.insert(0, Mark::Span { x0: edge, x1: last, label, paint: Paint::Fault });
    }
    let places = [
        (best, Paint::Goodput, text("best: {ok} at {limit}", "tốt nhất: {ok} ở mức {limit}")),
        (
            here.filter(|here| best.is_none_or(|best| best.0 != here.0)),
            Paint::Attempts,
            text("this run: {ok} at {limit}", "lần chạy này: {ok} ở mức {limit}"),
        ),
    ];
    for (place, paint, template) in places {
        if let Some((x, y)) = place {
            marks.push(point(paint, (x, y)));
            let label = tell(seen, template, &[("ok", &count(seen, y)), ("limit", &count(seen, x))]);
            marks.push(Mark::Note { x, y, label, paint });
        }
    }
    let template = match (bad, sharp) {
        (true, true) => text(
            "Past the slots each step serves one more, until {limit}; two steps on, the limit is no use",
            "Trên số slot, mỗi bước tăng phục vụ thêm một request, đến {limit}; thêm hai bước nữa là giới hạn vô dụng",
        ),
        (true, false) => text(
            "Of the limits tried, {limit} answers the most: {ok}",
            "Trong các giới hạn đã thử, {limit} trả lời được nhiều nhất: {ok}",
        ),
        _ => text(
            "While the slots keep up, only a limit that is too small matters",
            "Khi các slot còn theo kịp, chỉ giới hạn quá nhỏ mới đáng kể",
        ),
    };
    let [limit, ok] = best.map_or([0.0; 2], |best| best.into()).map(|n| count(seen, n));
    let title = tell(seen, template, &[("limit", &limit), ("ok", &ok)]);
    let note = if late.is_some() {
        text(
            "Requests answered in time under each limit, one run a point. Shaded: more in flight than can be answered in time.",
            "Số request được trả lời kịp với từng giới hạn, mỗi điểm một lần chạy. Nền đậm: in-flight nhiều hơn mức có thể trả lời kịp.",
        )
    } else {
        text(
            "Requests answered in time under each limit, one run a point.",
            "Số request được trả lời kịp với từng giới hạn, mỗi điểm một lần chạy.",
        )
    };
    let x_title = text("limit on calls in flight", "giới hạn số call in-flight").get(lang).into();
    let x = Axis { title: x_title, unit: units::CALLS, min: 1.0, max: last, log: true };
    let y_title = text("requests answered in time", "số request được trả lời kịp").get(lang);
    let y = Axis::from_zero(y_title, REQUESTS, nice_ceil(highest * 1.15));
    let note = note.get(lang).to_string() + &cut_short(seen, limit_span(seen.knobs));
    Chart::single("by_limit", (title, &note), (x, YAxis::Number(y)), marks, 200)
}

/// Goodput against the offered load.
fn by_load(seen: &Seen<Shed>) -> Chart {
    const RATE: Unit = units::PER_SECOND;
    let lang = seen.lang;
    let limited = seen.knobs.limit > 0;
    let seconds = load_span(seen.knobs).as_s();
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for row in seen.rows("by_load") {
        let &[offered, ok, none] = row else { continue };
        with.push((offered, ok / seconds));
        without.push((offered, none / seconds));
    }
    let capacity = seen.number("capacity");
    let now = seen.number("offered_rate");
    let last = with.last().map_or(1.0, |p| p.0);
    let highest = with.iter().chain(&without).map(|p| p.1).fold(capacity, f64::max);
    let y_max = nice_ceil(highest * 1.15);
    let at = |points: &[(f64, f64)]| points.iter().copied().find(|p| (p.0 - now).abs() < 1e-9);
    let (here, here_without) = (at(&with).filter(|_| limited), at(&without));
    let [end_with, end_without] = [&with, &without].map(|points| points.last().map_or(0.0, |p| p.1));
    let all = vec![(0.0, 0.0), (y_max.min(last), y_max.min(last))];
    let mut marks = vec![
        line(seen, text("if all were answered", "nếu trả lời được tất cả"), Paint::Offered, all),
        line(seen, text("without a limit", "không giới hạn"), Paint::Baseline, without),
    ];
    if limited {
        marks.push(line(seen, text("with the limit", "có giới hạn"), Paint::Goodput, with));
    }
    let dots = [(here_without, Paint::Baseline), (here, Paint::Goodput)];
    marks.extend(dots.into_iter().filter_map(|(at, paint)| Some(point(paint, at?))));
    marks.push(Mark::Threshold { y: capacity, label: capacity_label(seen, capacity) });
    let differs = (end_with - end_without).abs() > 0.05 * end_with.max(end_without);
    let template = match (limited, differs) {
        (true, true) => text(
            "At four times the capacity: {with} with the limit, {without} without",
            "Tải gấp bốn năng lực: {with} khi có giới hạn, {without} khi không",
        ),
        (true, false) => text(
            "The limit changes nothing at four times the capacity: {with}",
            "Tải gấp bốn năng lực, giới hạn không đổi được gì: {with}",
        ),
        (false, _) => text(
            "Without a limit, four times the capacity leaves {without}",
            "Không giới hạn, tải gấp bốn năng lực chỉ còn {without}",
        ),
    };
    let [with, without] = [end_with, end_without].map(|rate| RATE.write(rate, lang));
    let title = tell(seen, template, &[("with", &with), ("without", &without)]);
    let note = if here_without.is_some() {
        text(
            "Answers in time per second of load; what was queued at its end is still served. Dots: the load of this page.",
            "Số câu trả lời kịp trên mỗi giây có tải; những gì còn trong hàng lúc hết tải vẫn được phục vụ. Chấm: tải của trang này.",
        )
    } else {
        text(
            "Answers in time per second of load; what was queued at its end is still served. The load of this page lies beyond.",
            "Số câu trả lời kịp trên mỗi giây có tải; những gì còn trong hàng lúc hết tải vẫn được phục vụ. Tải của trang này nằm ngoài hình.",
        )
    };
    let x = Axis::from_zero(text("offered, requests a second", "tải đến, số request mỗi giây").get(lang), RATE, last);
    let y = Axis::from_zero(text("answered in time, a second", "trả lời kịp, mỗi giây").get(lang), RATE, y_max);
    let note = note.get(lang).to_string() + &cut_short(seen, load_span(seen.knobs));
    Chart::single("by_load", (title, &note), (x, YAxis::Number(y)), marks, 200)
}

/// Answered requests and their p99 over seeds, with the article's figures and this run.
fn over_seeds(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let sides = Side::of(seen.knobs);
    let name = |side: &Side| match side {
        Side::Limited => text("limit", "có giới hạn"),
        Side::Open => text("no limit", "không giới hạn"),
    };
    let columns: [(Text, &str, Unit); 2] = [
        (text("answered in time, requests", "trả lời kịp, số request"), figure::OK, REQUESTS),
        (text("p99 of the answered, ms", "p99 của request được trả lời, ms"), figure::P99_OK, units::MS),
    ];
    let panels = columns.map(|(name, fig, unit)| {
        let rows = sides.iter().enumerate();
        let marks: Vec<Mark> = rows.flat_map(|(row, side)| spread::row(seen, &side.key(fig), row)).collect();
        let x = Axis { title: name.get(lang).into(), ..spread::axis(&marks, unit, lang, None) };
        Panel { x: Some(x), ..Panel::new("", marks) }
    });
    let rows = YAxis::Names(sides.iter().map(|side| name(side).get(lang).into()).collect());
    let axes = (Axis::from_zero("", units::CALLS, 1.0), rows);
    let title = spread_title(seen);
    Chart {
        layout: Layout::Columns,
        panels: panels.into(),
        ..Chart::single("spread", (title, spread::NOTE.get(lang)), axes, vec![], 92)
    }
}

fn spread_title(seen: &Seen<Shed>) -> String {
    let of = |key: &str| seen.many.filter(|many| many.len() > 1).and_then(|many| many.spread(seen.plan, key));
    let Some((ok, none)) = of("ok").zip(of("none_ok")) else {
        let template = text(
            "One run: run many seeds to see what is luck",
            "Một lần chạy: hãy chạy nhiều seed để biết đâu là may rủi",
        );
        return template.get(seen.lang).into();
    };
    let always = seen.many.is_some_and(|many| {
        many.count(seen.plan, |get| get("ok").zip(get("none_ok")).is_some_and(|(ok, none)| ok > none)) == many.len()
    });
    let template = if ok.min == ok.max && none.min == none.max {
        text(
            "Nothing here is left to chance: every seed gives the same counts",
            "Ở đây không có gì ngẫu nhiên: seed nào cũng cho cùng số đếm",
        )
    } else if always && stance(seen.knobs) != Stance::Off {
        text(
            "The limit wins in all {n} {n|seed|seeds}: {low} to {high} answered",
            "Giới hạn thắng ở cả {n} seed: {low} đến {high} được trả lời",
        )
    } else {
        text(
            "Between {low} and {high} are answered, over {n} {n|seed|seeds}",
            "Từ {low} đến {high} được trả lời, qua {n} seed",
        )
    };
    let [low, high, n] = [ok.p1, ok.p99, ok.n as f64].map(|n| count(seen, n));
    tell(seen, template, &[("low", &low), ("high", &high), ("n", &n)])
}
