//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Dot, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, agree, nice_ceil, same, text, units,
};
use overload_sim::time::Span;

use super::curves::{limit_span, load_span};
use super::knobs::{REQUESTS, Shed};
use super::words::{Stance, stance, truth};
use super::{SECONDS, Side, bin_width, figure};
use crate::card::{Seen, Truth};

/// All charts: what became of the requests, what was in flight, how long answers took, goodput against the limit and
/// against the load, and the spread over seeds.
pub fn charts(seen: &Seen<Shed>) -> Vec<Chart> {
    vec![outcomes(seen), inside(seen), time(seen), by_limit(seen), by_load(seen), spread(seen)]
}

fn panel(name: impl Into<String>, marks: Vec<Mark>) -> Panel {
    Panel { name: name.into(), formula: String::new(), x: None, marks, cells: vec![] }
}

fn get(seen: &Seen<Shed>, side: Side, name: &str) -> f64 {
    seen.get(&side.key(name)).unwrap_or(0.0)
}

fn say(seen: &Seen<Shed>, side: Side, name: &str) -> String {
    seen.say(&side.key(name))
}

fn count(seen: &Seen<Shed>, value: f64) -> String {
    seen.lang.number(value, 0)
}

/// A side's name on its panel: the limit with its number.
fn side_name(seen: &Seen<Shed>, side: Side) -> String {
    let limit = count(seen, seen.knobs.limit as f64);
    match (side, seen.lang) {
        (Side::Open, lang) => side.name().get(lang).into(),
        (Side::Limited, Lang::En) => format!("With a limit of {limit} in flight"),
        (Side::Limited, Lang::Vi) => format!("Có giới hạn {limit} call in-flight"),
    }
}

/// When users first tried: the horizontal axis of what became of them.
fn came_axis(seen: &Seen<Shed>) -> Axis {
    let title = text("when the request came, s", "lúc request đến, s");
    Axis::from_zero(title.get(seen.lang), SECONDS, nice_ceil(seen.knobs.duration.as_s()))
}

/// The card's figure: requests by when they came and how they ended.
fn outcomes(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let width = bin_width(seen.knobs.duration).as_s();
    let x = came_axis(seen);
    let capacity = seen.get("capacity").unwrap_or(0.0);
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
        for row in seen.outcome.rows(seen.plan, &side.series("requests")) {
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
            highest = highest.max(peak.min(3.0 * seen.get("offered_rate").unwrap_or(0.0)));
            let name = text("calls, retries included", "số call, kể cả retry").get(lang).into();
            of_side.push(Mark::Line { name, paint: Paint::Attempts, points: attempts, step: true });
        }
        let label = match (i, lang) {
            (0, Lang::En) => format!("capacity {}", units::PER_SECOND.write(capacity, lang)),
            (0, Lang::Vi) => format!("năng lực {}", units::PER_SECOND.write(capacity, lang)),
            _ => String::new(),
        };
        of_side.push(Mark::Threshold { y: capacity, label });
        marks.push(of_side);
    }
    let y_max = nice_ceil(highest);
    for (&side, marks) in sides.iter().zip(&mut marks) {
        if let Some(until) = seen.get(&side.key(figure::ANSWERED_UNTIL))
            && get(seen, side, figure::TIMEOUT) > 0.0
            && until < 0.8 * seen.knobs.duration.as_s()
        {
            let label = match lang {
                Lang::En => format!("who comes after {} waits in vain", SECONDS.write(until, lang)),
                Lang::Vi => format!("ai đến sau {} đều chờ vô ích", SECONDS.write(until, lang)),
            };
            marks.push(Mark::Note { x: until, y: 0.62 * y_max, label, paint: Paint::Timeout });
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
            Panel { cells, ..panel(side_name(seen, side), marks) }
        })
        .collect();
    let y_title = text("requests a second", "số request mỗi giây");
    let mut legend = vec![
        (Paint::Goodput, text("answered in time", "trả lời kịp").get(lang).to_string()),
        (Paint::Shed, text("refused with 503", "bị từ chối 503").get(lang).to_string()),
        (Paint::Timeout, text("timed out: its caller left", "timeout: client đã rời đi").get(lang).to_string()),
    ];
    if seen.knobs.deadline > Span::ZERO {
        legend.push((Paint::Late, text("answered after the deadline", "trả lời sau deadline").get(lang).to_string()));
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
        columns: [
            text("answered", "trả lời kịp"),
            same("p99"),
            text("wasted", "bỏ phí"),
        ]
        .map(|c| c.get(lang).to_string())
        .to_vec(),
        legend,
        panel_height: 150,
    }
}

fn outcomes_title(seen: &Seen<Shed>) -> String {
    let lang = seen.lang;
    let (ok, none, offered) =
        (seen.get("ok").unwrap_or(0.0), seen.get("none_ok").unwrap_or(0.0), seen.get("offered").unwrap_or(0.0));
    let n = |value: f64| count(seen, value);
    match lang {
        _ if ok == offered && none == offered => {
            text("The slots keep up: everybody is answered in time", "Các slot theo kịp: ai cũng được trả lời kịp")
                .get(lang)
                .into()
        }
        Lang::En if seen.knobs.limit == 0 => format!("Without a limit {} of {} are answered in time", n(ok), n(offered)),
        Lang::Vi if seen.knobs.limit == 0 => format!("Không giới hạn: {} trên {} được trả lời kịp", n(ok), n(offered)),
        Lang::En if ok == none => format!("The limit helps nobody: {} answered in time with and without", n(ok)),
        Lang::Vi if ok == none => format!("Giới hạn chẳng giúp ai: có hay không cũng {} được trả lời kịp", n(ok)),
        Lang::En if ok > none => format!("Refuse some, answer more: {} in time with the limit, {} without", n(ok), n(none)),
        Lang::Vi if ok > none => format!("Từ chối bớt thì trả lời được nhiều hơn: {} khi có giới hạn, {} khi không", n(ok), n(none)),
        Lang::En => format!("The limit costs answers: {} in time with it, {} without", n(ok), n(none)),
        Lang::Vi => format!("Giới hạn làm mất câu trả lời: {} khi có, {} khi không", n(ok), n(none)),
    }
}

fn outcomes_summary(seen: &Seen<Shed>) -> String {
    let lang = seen.lang;
    let head = text("Requests over time by how they ended.", "Request theo thời gian, chia theo kết cục.");
    let mut out = String::from(head.get(lang));
    for &side in Side::of(seen.knobs) {
        let name = side_name(seen, side);
        let [ok, shed, timeout, late] =
            [figure::OK, figure::SHED, figure::TIMEOUT, figure::LATE].map(|f| count(seen, get(seen, side, f)));
        let p99 = say(seen, side, figure::P99_OK);
        out.push_str(&match lang {
            Lang::En => format!(
                " {name}: {ok} answered in time, {shed} refused, {timeout} timed out, {late} late; p99 of the answered {p99}."
            ),
            Lang::Vi => format!(
                " {name}: {ok} trả lời kịp, {shed} bị từ chối, {timeout} timeout, {late} muộn; p99 của request được trả lời {p99}."
            ),
        });
    }
    out
}

/// Calls in flight over time, by whether their caller is still there.
fn inside(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let sides = Side::of(seen.knobs);
    let drained = sides.iter().map(|&side| get(seen, side, figure::DRAINED)).fold(0.0, f64::max);
    // What takes much longer than the load itself runs out of the picture.
    let most = 4.0 * seen.knobs.duration.as_s();
    let end = nice_ceil(drained.max(seen.knobs.duration.as_s())).min(most);
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), SECONDS, end);
    let edge = seen.get("edge_limit");
    let highest = sides.iter().map(|&side| get(seen, side, figure::PEAK)).fold(1.0, f64::max);
    let y_max = nice_ceil(highest);
    let panels = sides.iter().enumerate().map(|(i, &side)| {
        let (mut waiting, mut left) = (Vec::new(), Vec::new());
        let key = side.series("inside");
        let rows: Vec<&[f64]> = seen.outcome.rows(seen.plan, &key).collect();
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
            let said = count(seen, edge);
            let label = match (i, lang) {
                (0, Lang::En) => format!("{said}: from here on too late"),
                (0, Lang::Vi) => format!("{said}: từ đây trở lên là quá muộn"),
                _ => String::new(),
            };
            marks.push(Mark::Threshold { y: edge, label });
        }
        let peak = get(seen, side, figure::PEAK);
        let cells = vec![
            Cell { value: count(seen, peak), note: String::new() },
            Cell { value: say(seen, side, figure::DRAINED), note: String::new() },
        ];
        Panel { cells, ..panel(side_name(seen, side), marks) }
    });
    let panels = panels.collect();
    let peak = count(seen, get(seen, Side::Open, figure::PEAK));
    let busy = say(seen, Side::Open, figure::DRAINED);
    let title = match (truth(seen.knobs), lang) {
        (Truth::Bad, Lang::En) => format!("Without a limit {peak} {} up, and the server is busy until {busy}", agree(&peak, "piles", "pile")),
        (Truth::Bad, Lang::Vi) => format!("Không giới hạn thì dồn lại {peak} call, server bận đến {busy}"),
        (_, Lang::En) => format!("Without a limit {peak} {} in flight at most", agree(&peak, "is", "are")),
        (_, Lang::Vi) => format!("Không giới hạn thì in-flight nhiều nhất {peak} call"),
    };
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
        legend: vec![
            (Paint::Attempts, text("its caller waits", "client còn chờ").get(lang).to_string()),
            (Paint::Zombie, text("its caller has left", "client đã rời đi").get(lang).to_string()),
        ],
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
        let rows = seen.outcome.rows(seen.plan, &key);
        let points: Vec<(f64, f64)> =
            rows.filter_map(|row| if let &[at, mean] = row { Some((at / 1e3, mean)) } else { None }).collect();
        highest = points.iter().map(|p| p.1).fold(highest, f64::max);
        let (name, paint) = match side {
            Side::Limited => (text("with the limit", "có giới hạn"), Paint::Goodput),
            Side::Open => (text("without", "không giới hạn"), Paint::Baseline),
        };
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: false });
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
    let p99 = |side| say(seen, side, figure::P99_OK);
    let title = match (seen.knobs.limit > 0 && truth(seen.knobs) == Truth::Bad, lang) {
        (true, Lang::En) => format!("p99 of the answered: {} with the limit, {} without", p99(Side::Limited), p99(Side::Open)),
        (true, Lang::Vi) => {
            format!("p99 của request được trả lời: {} khi có giới hạn, {} khi không", p99(Side::Limited), p99(Side::Open))
        }
        (false, Lang::En) => format!("p99 of the answered: {} without a limit", p99(Side::Open)),
        (false, Lang::Vi) => format!("p99 của request được trả lời: {} khi không giới hạn", p99(Side::Open)),
    };
    Chart {
        id: "time",
        summary: title.clone(),
        title,
        note: text(
            "Mean time of those answered, by when they came. A line ends where nobody is answered any more.",
            "Thời gian trung bình của request được trả lời, theo lúc đến. Đường dừng ở chỗ không còn ai được trả lời.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: came_axis(seen),
        y: YAxis::Number(Axis::from_zero(text("time to the answer, ms", "thời gian đến câu trả lời, ms").get(lang), units::MS, top)),
        panels: vec![panel("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 170,
    }
}

/// A chart's own words on how long its short runs last, where that is not the page's own duration.
fn cut_short(seen: &Seen<Shed>, span: Span) -> String {
    let length = SECONDS.write(span.as_s(), seen.lang);
    match seen.lang {
        _ if span == seen.knobs.duration => String::new(),
        Lang::En => format!(" Here the load lasts {length}."),
        Lang::Vi => format!(" Ở đây tải chỉ kéo dài {length}."),
    }
}

/// A point on a curve.
fn point(name: impl Into<String>, paint: Paint, at: (f64, f64)) -> Mark {
    Mark::Line { name: name.into(), paint, points: vec![at], step: false }
}

/// Goodput against the limit.
fn by_limit(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let rows = seen.outcome.rows(seen.plan, "by_limit");
    let points: Vec<(f64, f64)> =
        rows.filter_map(|row| if let &[limit, ok] = row { Some((limit, ok)) } else { None }).collect();
    let highest = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let last = points.last().map_or(10.0, |p| p.0).max(10.0);
    let y_max = nice_ceil(highest * 1.15);
    let best = seen.get("best_limit").zip(seen.get("best_ok"));
    let here = points.iter().copied().find(|p| p.0 == seen.knobs.limit as f64);
    let far = points.clone();
    let after = |limit: f64| far.iter().find(|p| p.0 == limit).map(|p| p.1);
    let mut marks = vec![Mark::Line { name: String::new(), paint: Paint::Goodput, points, step: false }];
    let n = |value: f64| count(seen, value);
    if let Some(edge) = seen.get("edge_limit").filter(|&edge| edge >= 1.0 && edge < last) {
        let label = match lang {
            Lang::En => "too late",
            Lang::Vi => "quá muộn",
        };
        marks.insert(0, Mark::Span { x0: edge, x1: last, label: label.into(), paint: Paint::Fault });
    }
    if let Some((limit, ok)) = best.filter(|_| truth(seen.knobs) == Truth::Bad) {
        marks.push(point("", Paint::Goodput, (limit, ok)));
        let label = match lang {
            Lang::En => format!("best: {} at {}", n(ok), n(limit)),
            Lang::Vi => format!("tốt nhất: {} ở mức {}", n(ok), n(limit)),
        };
        marks.push(Mark::Note { x: limit, y: ok, label, paint: Paint::Goodput });
    }
    if let Some((limit, ok)) = here.filter(|here| best.is_none_or(|best| best.0 != here.0)) {
        marks.push(point("", Paint::Attempts, (limit, ok)));
        let label = match lang {
            Lang::En => format!("now: {} at {}", n(ok), n(limit)),
            Lang::Vi => format!("hiện tại: {} ở mức {}", n(ok), n(limit)),
        };
        marks.push(Mark::Note { x: limit, y: ok, label, paint: Paint::Attempts });
    }
    // One more a step, and then the cliff: so it is where chance plays no part.
    let fall = seen.get("edge_limit").and_then(|edge| after(edge + 2.0));
    let sharp = best.is_some_and(|(limit, ok)| {
        seen.get("edge_limit") == Some(limit) && fall.is_some_and(|fall| fall < 0.75 * ok)
    });
    let sharp = sharp && seen.get("exact_ok").is_some();
    let edge = seen.get("edge_limit").filter(|_| sharp).map(n);
    let title = match (best, edge, truth(seen.knobs), lang) {
        (_, Some(edge), Truth::Bad, Lang::En) => {
            format!("Each step up serves one more, until {edge}; two steps on, all is lost")
        }
        (_, Some(edge), Truth::Bad, Lang::Vi) => {
            format!("Mỗi bước tăng phục vụ thêm một người, đến {edge}; quá hai bước là mất hết")
        }
        (Some((limit, ok)), _, Truth::Bad, Lang::En) => {
            format!("Of the limits tried, {} answers the most: {}", n(limit), n(ok))
        }
        (Some((limit, ok)), _, Truth::Bad, Lang::Vi) => {
            format!("Trong các giới hạn đã thử, {} trả lời được nhiều nhất: {}", n(limit), n(ok))
        }
        (.., Lang::En) => "While the slots keep up, only a limit that is too small matters".into(),
        (.., Lang::Vi) => "Khi các slot còn theo kịp, chỉ giới hạn quá nhỏ mới đáng kể".into(),
    };
    let note = text(
        "Requests answered in time under each limit, one run a point. Shaded: more in flight than can be answered in time.",
        "Số request được trả lời kịp với từng giới hạn, mỗi điểm một lần chạy. Nền đậm: in-flight nhiều hơn mức có thể trả lời kịp.",
    );
    let x_title = text("limit on calls in flight", "giới hạn số call in-flight");
    Chart {
        id: "by_limit",
        summary: title.clone(),
        title,
        note: note.get(lang).to_string() + &cut_short(seen, limit_span(seen.knobs)),
        layout: Layout::Rows,
        x: Axis { title: x_title.get(lang).into(), unit: units::CALLS, min: 1.0, max: last, log: true },
        y: YAxis::Number(Axis::from_zero(
            text("requests answered in time", "số request được trả lời kịp").get(lang),
            REQUESTS,
            y_max,
        )),
        panels: vec![panel("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

/// Goodput against the offered load.
fn by_load(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let limited = seen.knobs.limit > 0;
    let seconds = load_span(seen.knobs).as_s();
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for row in seen.outcome.rows(seen.plan, "by_load") {
        let &[offered, ok, none] = row else { continue };
        with.push((offered, ok / seconds));
        without.push((offered, none / seconds));
    }
    let capacity = seen.get("capacity").unwrap_or(0.0);
    let now = seen.get("offered_rate").unwrap_or(0.0);
    let last = with.last().map_or(1.0, |p| p.0);
    let highest = with.iter().chain(&without).map(|p| p.1).fold(capacity, f64::max);
    let y_max = nice_ceil(highest * 1.15);
    let at = |points: &[(f64, f64)]| points.iter().copied().find(|p| (p.0 - now).abs() < 1e-9);
    let (here, here_without) = (at(&with), at(&without));
    let end = |points: &[(f64, f64)]| points.last().map_or(0.0, |p| p.1);
    let (end_with, end_without) = (end(&with), end(&without));
    let line = |name: Text, paint, points| Mark::Line { name: name.get(lang).into(), paint, points, step: false };
    let mut marks = vec![
        Mark::Line {
            name: text("if all were answered", "nếu trả lời được tất cả").get(lang).into(),
            paint: Paint::Offered,
            points: vec![(0.0, 0.0), (y_max.min(last), y_max.min(last))],
            step: false,
        },
        line(text("without a limit", "không giới hạn"), Paint::Baseline, without),
    ];
    if limited {
        marks.push(line(text("with the limit", "có giới hạn"), Paint::Goodput, with));
    }
    for (at, paint) in [(here_without, Paint::Baseline), (here.filter(|_| limited), Paint::Goodput)] {
        if let Some(at) = at {
            marks.push(point("", paint, at));
        }
    }
    let said = units::PER_SECOND.write(capacity, lang);
    let label = match lang {
        Lang::En => format!("capacity {said}"),
        Lang::Vi => format!("năng lực {said}"),
    };
    marks.push(Mark::Threshold { y: capacity, label });
    let rate = |value: f64| units::PER_SECOND.write(value, lang);
    let differs = (end_with - end_without).abs() > 0.05 * end_with.max(end_without);
    let title = match (limited, lang) {
        (true, Lang::En) if differs => {
            format!("At four times the capacity: {} with the limit, {} without", rate(end_with), rate(end_without))
        }
        (true, Lang::Vi) if differs => {
            format!("Tải gấp bốn năng lực: {} khi có giới hạn, {} khi không", rate(end_with), rate(end_without))
        }
        (true, Lang::En) => format!("The limit changes nothing at four times the capacity: {}", rate(end_with)),
        (true, Lang::Vi) => format!("Tải gấp bốn năng lực, giới hạn không đổi được gì: {}", rate(end_with)),
        (false, Lang::En) => format!("Without a limit, four times the capacity leaves {}", rate(end_without)),
        (false, Lang::Vi) => format!("Không giới hạn, tải gấp bốn năng lực chỉ còn {}", rate(end_without)),
    };
    let note = text(
        "Answers in time per second of load; what was queued at its end is still served. Dots: the load of this page.",
        "Số câu trả lời kịp trên mỗi giây có tải; những gì còn trong hàng lúc hết tải vẫn được phục vụ. Chấm: tải của trang này.",
    );
    const RATE: Unit = units::PER_SECOND;
    let x_title = text("offered, requests a second", "tải đến, số request mỗi giây");
    Chart {
        id: "by_load",
        summary: title.clone(),
        title,
        note: note.get(lang).to_string() + &cut_short(seen, load_span(seen.knobs)),
        layout: Layout::Rows,
        x: Axis::from_zero(x_title.get(lang), RATE, last),
        y: YAxis::Number(Axis::from_zero(
            text("answered in time, a second", "trả lời kịp, mỗi giây").get(lang),
            RATE,
            y_max,
        )),
        panels: vec![panel("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

/// Answered requests and their p99 over seeds, with the article's figures and this run.
fn spread(seen: &Seen<Shed>) -> Chart {
    let lang = seen.lang;
    let sides = Side::of(seen.knobs);
    let names = sides.iter().map(|side| match side {
        Side::Limited => text("limit", "có giới hạn"),
        Side::Open => text("no limit", "không giới hạn"),
    });
    let names = names.map(|name| name.get(lang).to_string()).collect();
    let columns: [(Text, &str, Unit); 2] = [
        (text("answered in time, requests", "trả lời kịp, số request"), figure::OK, REQUESTS),
        (text("p99 of the answered, ms", "p99 của request được trả lời, ms"), figure::P99_OK, units::MS),
    ];
    let panel = |(name, fig, unit): (Text, &str, Unit)| {
        let (mut marks, mut low, mut high) = (Vec::new(), f64::INFINITY, f64::NEG_INFINITY);
        let mut reach = |value: f64| (low, high) = (low.min(value), high.max(value));
        for (row, &side) in sides.iter().enumerate() {
            let key = side.key(fig);
            if let Some(s) = seen.many.and_then(|many| many.spread(seen.plan, &key)) {
                let n = count(seen, s.n as f64);
                reach(s.p1);
                reach(s.p99);
                let name = match lang {
                    Lang::En => format!("{n} {}", agree(&n.to_string(), "seed", "seeds")),
                    Lang::Vi => format!("{n} seed"),
                };
                marks.push(Mark::Spread { row, name, at: [s.p1, s.p10, s.median, s.p90, s.p99] });
            }
            let printed = seen.printed.iter().find(|p| p.figure == key).map(|p| p.value);
            let dots = [
                (printed, Dot::Article, text("the article", "trong bài")),
                (seen.get(&key), Dot::ThisRun, text("this run", "lần chạy này")),
                (seen.guess_for(&key), Dot::Guess, text("your guess", "bạn đoán")),
            ];
            for (value, kind, name) in dots {
                if let Some(x) = value {
                    reach(x);
                    marks.push(Mark::Dot { row, x, kind, name: name.get(lang).into() });
                }
            }
        }
        if !low.is_finite() || !high.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        let pad = ((high - low) * 0.06).max(high.abs() * 0.01).max(1.0);
        let min = (low - pad).max(0.0);
        let x = Axis { title: name.get(lang).into(), unit, min, max: high + pad, log: false };
        Panel { x: Some(x), ..self::panel("", marks) }
    };
    let title = spread_title(seen);
    Chart {
        id: "spread",
        summary: title.clone(),
        title,
        note: text(
            "Light: 1st to 99th percentile over seeds; dark: 10th to 90th; stroke: median. ◇ the article, ▲ this run.",
            "Nhạt: phân vị 1 đến 99 qua các seed; đậm: 10 đến 90; vạch: trung vị. ◇ trong bài, ▲ lần chạy này.",
        )
        .get(lang)
        .into(),
        layout: Layout::Columns,
        x: Axis::from_zero("", units::CALLS, 1.0),
        y: YAxis::Names(names),
        panels: columns.map(panel).into(),
        columns: vec![],
        legend: vec![],
        panel_height: 92,
    }
}

fn spread_title(seen: &Seen<Shed>) -> String {
    let lang = seen.lang;
    let of = |key: &str| seen.many.filter(|many| many.len() > 1).and_then(|many| many.spread(seen.plan, key));
    let (Some(ok), Some(none)) = (of("ok"), of("none_ok")) else {
        return text("One run: run many seeds to see what is luck", "Một lần chạy: hãy chạy nhiều seed để biết đâu là may rủi")
            .get(lang)
            .into();
    };
    if ok.min == ok.max && none.min == none.max {
        return text(
            "Nothing here is left to chance: every seed gives the same counts",
            "Ở đây không có gì ngẫu nhiên: seed nào cũng cho cùng số đếm",
        )
        .get(lang)
        .into();
    }
    let (low, high, n) = (count(seen, ok.p1), count(seen, ok.p99), count(seen, ok.n as f64));
    let always = seen.many.is_some_and(|many| {
        many.count(seen.plan, |get| get("ok").zip(get("none_ok")).is_some_and(|(ok, none)| ok > none)) == many.len()
    });
    match (always && stance(seen.knobs) != Stance::Off, lang) {
        (true, Lang::En) => format!("The limit wins in all {n} {}: {low} to {high} answered", agree(&n.to_string(), "seed", "seeds")),
        (true, Lang::Vi) => format!("Giới hạn thắng ở cả {n} seed: {low} đến {high} được trả lời"),
        (false, Lang::En) => format!("Between {low} and {high} are answered, over {n} {}", agree(&n.to_string(), "seed", "seeds")),
        (false, Lang::Vi) => format!("Từ {low} đến {high} được trả lời, qua {n} seed"),
    }
}
