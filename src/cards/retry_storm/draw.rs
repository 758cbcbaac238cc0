//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Dot, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, text, units,
};
use overload_sim::time::Span;

use super::knobs::{Guard, PODS, SECONDS, Storm};
use super::{TIMES, words};
use crate::card::Seen;

/// All charts: users served, calls by layer, the DB's work, what is inside it, amplification, retry ratio, breakers and
/// pods, and the spread over seeds.
pub fn charts(seen: &Seen<Storm>) -> Vec<Chart> {
    let bins = Bins::of(seen);
    vec![
        served(seen, &bins),
        calls(seen, &bins),
        work(seen, &bins),
        inside(seen, &bins),
        amplification(seen, &bins),
        ratio(seen, &bins),
        breakers(seen, &bins),
        pods(seen, &bins),
        spread(seen),
    ]
}

/// The series, several seconds at a time: a chart has no room for more.
struct Bins {
    /// Seconds of each.
    width: f64,
    /// One row each: sums, but the levels at the end.
    rows: Vec<Bin>,
    /// The axis.
    x: Axis,
}

#[derive(Clone, Default)]
struct Bin {
    at: f64,
    seconds: f64,
    users: f64,
    good: f64,
    calls: Vec<f64>,
    retries: f64,
    useful: f64,
    wasted: f64,
    inside: f64,
    pods: f64,
    breakers: Vec<f64>,
}

impl Bins {
    fn of(seen: &Seen<Storm>) -> Bins {
        let watch = seen.knobs.watch.as_s();
        let steps = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0];
        let width = steps.into_iter().find(|w| watch / w <= 200.0).unwrap_or(60.0);
        let layers = seen.knobs.layers as usize;
        let mut rows: Vec<Bin> = Vec::new();
        for row in seen.outcome.rows(seen.plan, "seconds") {
            let (&[at, users, good], rest) = row.split_at(3) else { continue };
            let (calls, rest) = rest.split_at(layers);
            let (&[retries, _, useful, wasted, inside, pods], breakers) = rest.split_at(6) else { continue };
            if at % width == 0.0 || rows.is_empty() {
                rows.push(Bin { at, calls: vec![0.0; layers], ..Bin::default() });
            }
            let Some(bin) = rows.last_mut() else { continue };
            bin.seconds += 1.0;
            bin.users += users;
            bin.good += good;
            bin.calls.iter_mut().zip(calls).for_each(|(sum, n)| *sum += n);
            bin.retries += retries;
            bin.useful += useful;
            bin.wasted += wasted;
            (bin.inside, bin.pods) = (inside, pods);
            // A breaker that was open at any second of the bin was open.
            bin.breakers.resize(layers, 0.0);
            bin.breakers.iter_mut().zip(breakers).for_each(|(state, &now)| {
                if now > 0.0 {
                    *state = now;
                }
            });
        }
        let title = text("time, s", "thời gian, s");
        Bins { width, rows, x: Axis::from_zero(title.get(seen.lang), SECONDS, watch) }
    }

    /// A line of one value a second, in the middle of each bin.
    fn line(&self, name: impl Into<String>, paint: Paint, value: impl Fn(&Bin) -> Option<f64>) -> Mark {
        let at = |bin: &Bin| value(bin).map(|v| (bin.at + bin.seconds / 2.0, v));
        Mark::Line { name: name.into(), paint, points: self.rows.iter().filter_map(at).collect(), step: false }
    }

    fn per_second(&self, name: impl Into<String>, paint: Paint, value: impl Fn(&Bin) -> f64) -> Mark {
        self.line(name, paint, |bin| Some(value(bin) / bin.seconds))
    }

    fn highest(&self, value: impl Fn(&Bin) -> f64) -> f64 {
        self.rows.iter().map(value).fold(0.0, f64::max)
    }
}

/// The fault, and when users are served again.
fn events(seen: &Seen<Storm>, top: f64) -> Vec<Mark> {
    let knobs = seen.knobs;
    let watch = knobs.watch.as_s();
    let mut marks = Vec::new();
    let from = knobs.fault_at.as_s();
    if knobs.fails() && from < watch {
        let label = text("DB down", "DB chết").get(seen.lang).into();
        marks.push(Mark::Span { x0: from, x1: (from + knobs.fault_for.as_s()).min(watch), label, paint: Paint::Fault });
    }
    if let Some(after) = seen.get("recovery") {
        let label = match seen.lang {
            Lang::En => format!("served again after {}", minutes(after, seen.lang)),
            Lang::Vi => format!("phục vụ lại sau {}", minutes(after, seen.lang)),
        };
        marks.push(Mark::Note { x: from + after, y: 0.86 * top, label, paint: Paint::Goodput });
    }
    marks
}

/// A time as people say it: seconds up to two minutes, then minutes.
pub fn minutes(seconds: f64, lang: Lang) -> String {
    if seconds < 120.0 {
        return SECONDS.write(seconds, lang);
    }
    format!("{} {}", lang.number(seconds / 60.0, 0), text("min", "phút").get(lang))
}

struct Draft {
    id: &'static str,
    title: String,
    note: Text,
    y: Axis,
    marks: Vec<Mark>,
    legend: Vec<(Paint, Text)>,
    height: u16,
}

fn chart(seen: &Seen<Storm>, bins: &Bins, draft: Draft) -> Chart {
    let Draft { id, title, note, y, mut marks, legend, height } = draft;
    let over = events(seen, y.max);
    // The fault lies under the marks, the note over them.
    let (spans, notes): (Vec<Mark>, Vec<Mark>) = over.into_iter().partition(|m| matches!(m, Mark::Span { .. }));
    let note_too = id == "served";
    marks.splice(0..0, spans);
    marks.extend(notes.into_iter().filter(|_| note_too));
    Chart {
        id,
        summary: title.clone(),
        title,
        note: note.get(seen.lang).into(),
        layout: Layout::Rows,
        x: bins.x.clone(),
        y: YAxis::Number(y),
        panels: vec![Panel { name: String::new(), formula: String::new(), x: None, marks, cells: vec![] }],
        columns: vec![],
        legend: legend.into_iter().map(|(paint, name)| (paint, name.get(seen.lang).to_string())).collect(),
        panel_height: height,
    }
}

/// An axis up to a round number above what is drawn.
fn axis(title: &str, unit: Unit, highest: f64) -> Axis {
    Axis::from_zero(title, unit, nice_ceil(1.05 * highest))
}

/// The card's figure: users who came, and those of them who were answered in time.
fn served(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let bars = |f: &dyn Fn(&Bin) -> (f64, f64)| -> Vec<Bar> {
        let bar = |b: &Bin| {
            let (y0, y1) = f(b);
            Bar { x0: b.at, x1: (b.at + bins.width).min(bins.x.max).max(b.at + 0.5), y0: y0 / b.seconds, y1: y1 / b.seconds }
        };
        bins.rows.iter().map(bar).filter(|b| b.y1 > b.y0).collect()
    };
    let named = |name: Text, paint, bars| Mark::Bars { name: name.get(lang).into(), paint, bars };
    let marks = vec![
        named(text("answered in time", "trả lời kịp"), Paint::Goodput, bars(&|b| (0.0, b.good))),
        named(text("not answered in time", "không trả lời kịp"), Paint::Timeout, bars(&|b| (b.good, b.users))),
    ];
    let highest = bins.highest(|b| b.users / b.seconds).max(1.0);
    chart(seen, bins, Draft {
        id: "served",
        title: words::headline(seen),
        note: text(
            "Users by the time in which they came. The DB refuses everything in the shaded time; before and after, it is as fast as ever.",
            "User theo lúc họ đến. Trong khoảng nền đậm DB từ chối tất cả; trước và sau đó nó nhanh như thường.",
        ),
        y: axis(text("users a second", "user mỗi giây").get(lang), units::PER_SECOND, 1.15 * highest),
        marks,
        legend: vec![
            (Paint::Goodput, text("answered in time", "trả lời kịp")),
            (Paint::Timeout, text("not answered in time", "không trả lời kịp")),
        ],
        height: 190,
    })
}

/// A layer's or the DB's name as a hop's end.
fn hop_name(k: usize, layers: usize, lang: Lang) -> String {
    match (k == layers, lang) {
        (true, _) => "DB".into(),
        (false, Lang::En) => format!("layer {}", k + 1),
        (false, Lang::Vi) => format!("tầng {}", k + 1),
    }
}

/// Calls a second on every hop.
fn calls(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let layers = seen.knobs.layers as usize;
    let mut marks = vec![bins.per_second(text("users", "user").get(lang), Paint::Offered, |b| b.users)];
    for k in 1..=layers {
        let paint = if k == layers { Paint::Attempts } else { Paint::Ink((k - 1) as u8) };
        marks.push(bins.per_second(hop_name(k, layers, lang), paint, |b| b.calls[k - 1]));
    }
    let capacity = seen.get("capacity").unwrap_or(0.0);
    marks.push(Mark::Threshold { y: capacity, label: text("the DB’s capacity", "năng lực DB").get(lang).into() });
    let highest = bins.highest(|b| b.calls.iter().copied().fold(b.users, f64::max) / b.seconds).max(capacity);
    let (peak, times) = (seen.say("peak"), seen.say("peak_times"));
    chart(seen, bins, Draft {
        id: "calls",
        title: match lang {
            Lang::En => format!("At most {peak} reach the DB, {times} the load in peace"),
            Lang::Vi => format!("Nhiều nhất {peak} call tới DB, gấp {times} lúc bình thường"),
        },
        note: text(
            "Calls that arrive at each layer and at the DB, the refused ones too.",
            "Số call đến từng tầng và đến DB, kể cả call bị từ chối.",
        ),
        y: axis(text("calls a second", "call mỗi giây").get(lang), units::PER_SECOND, highest),
        marks,
        legend: vec![],
        height: 190,
    })
}

/// What the DB works on, and for whom.
fn work(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let bars = |f: &dyn Fn(&Bin) -> (f64, f64)| -> Vec<Bar> {
        let bar = |b: &Bin| {
            let (y0, y1) = f(b);
            Bar { x0: b.at, x1: (b.at + bins.width).min(bins.x.max).max(b.at + 0.5), y0: y0 / b.seconds, y1: y1 / b.seconds }
        };
        bins.rows.iter().map(bar).filter(|b| b.y1 > b.y0).collect()
    };
    let capacity = seen.get("capacity").unwrap_or(0.0);
    let highest = bins.highest(|b| (b.useful + b.wasted) / b.seconds).max(capacity);
    let (still, gone) =
        (text("somebody still waits", "còn người chờ"), text("for nobody: zombie work", "không ai chờ: zombie work"));
    let marks = vec![
        Mark::Bars { name: still.get(lang).into(), paint: Paint::Goodput, bars: bars(&|b| (0.0, b.useful)) },
        Mark::Bars {
            name: gone.get(lang).into(),
            paint: Paint::Zombie,
            bars: bars(&|b| (b.useful, b.useful + b.wasted)),
        },
        Mark::Threshold { y: capacity, label: text("capacity", "năng lực").get(lang).into() },
    ];
    let share = seen.say("wasted_share");
    chart(seen, bins, Draft {
        id: "work",
        title: match lang {
            Lang::En => format!("{share} of the DB’s work is for callers who have gone"),
            Lang::Vi => format!("{share} công việc của DB là cho những caller đã bỏ đi"),
        },
        note: text(
            "Calls that the DB finishes, by whether anybody up to the user still waits for them.",
            "Số call DB chạy xong, chia theo việc còn ai chờ hay không, tính đến tận user.",
        ),
        y: axis(text("calls a second", "call mỗi giây").get(lang), units::PER_SECOND, highest),
        marks,
        legend: vec![(Paint::Goodput, still), (Paint::Zombie, gone)],
        height: 150,
    })
}

/// Calls inside the DB against the room for them.
fn inside(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let knobs = seen.knobs;
    let room = |b: &Bin| {
        let room = b.pods * knobs.room as f64;
        if knobs.guards().shedding { room.min(knobs.shed_at as f64) } else { room }
    };
    let dead = knobs.capacity() * knobs.patience();
    let highest = bins.highest(|b| b.inside.max(room(b)));
    let mut marks = vec![
        bins.line(text("room", "chỗ chờ").get(lang), Paint::Baseline, |b| Some(room(b))),
        bins.line(text("inside", "trong DB").get(lang), Paint::Attempts, |b| Some(b.inside)),
    ];
    if dead < 1.2 * highest {
        let label = text("from here on, its caller will have left", "từ đây trở lên, caller sẽ bỏ đi trước").get(lang);
        marks.push(Mark::Threshold { y: dead, label: label.into() });
    }
    let peak = seen.say("peak_inside");
    chart(seen, bins, Draft {
        id: "inside",
        title: match lang {
            Lang::En => format!("At most {peak} are inside the DB, waiting or running"),
            Lang::Vi => format!("Nhiều nhất {peak} nằm trong DB, chờ hoặc đang chạy"),
        },
        note: text(
            "Calls in the DB’s queue and slots. A call that joins above the line is served after the first timeout.",
            "Số call trong hàng đợi và slot của DB. Call vào khi đã vượt vạch thì được phục vụ sau timeout đầu tiên.",
        ),
        y: axis(text("calls inside", "call trong DB").get(lang), units::CALLS, highest.max(1.0)),
        marks,
        legend: vec![],
        height: 150,
    })
}

/// Calls to the DB for each user who came.
fn amplification(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let last = seen.knobs.layers as usize - 1;
    let of = |b: &Bin| (b.users > 0.0).then(|| b.calls[last] / b.users);
    let worst = seen.knobs.worst() as f64;
    let mut marks = vec![bins.line("", Paint::Attempts, of)];
    let highest = bins.highest(|b| of(b).unwrap_or(0.0)).max(1.0);
    if worst <= 2.0 * highest {
        marks.push(Mark::Threshold { y: worst, label: text("all retries of all layers", "mọi retry của mọi tầng").get(lang).into() });
    }
    let (most, all) = (seen.say("most_per_user"), seen.say("worst"));
    chart(seen, bins, Draft {
        id: "amplification",
        title: match lang {
            Lang::En => format!("One request became up to {most}, of {all} possible"),
            Lang::Vi => format!("Một request thành tới {most}, trên tối đa {all}"),
        },
        note: text(
            "Calls that reach the DB for each user who comes at that time: the retries of earlier users count too.",
            "Số call tới DB trên mỗi user đến lúc đó: retry của user đến trước cũng tính.",
        ),
        y: axis(text("calls per user", "call trên mỗi user").get(lang), TIMES, highest.max(if worst <= 2.0 * highest { worst } else { 0.0 })),
        marks,
        legend: vec![],
        height: 130,
    })
}

/// The share of calls that are retries: what a dashboard should show.
fn ratio(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let of = |b: &Bin| {
        let all: f64 = b.calls.iter().sum();
        (all > 0.0).then(|| 100.0 * b.retries / all)
    };
    let share = seen.say("retry_share");
    chart(seen, bins, Draft {
        id: "ratio",
        title: match lang {
            Lang::En => format!("{share} of all calls are retries"),
            Lang::Vi => format!("{share} số call là retry"),
        },
        note: text(
            "The retry ratio, over all layers: the number to put on a dashboard and to alert on.",
            "Tỉ lệ retry trên mọi tầng: con số nên đưa lên dashboard và đặt alert.",
        ),
        y: Axis::from_zero(text("retries, % of calls", "retry, % số call").get(lang), units::PERCENT, 100.0),
        marks: vec![bins.line("", Paint::Retries, of)],
        legend: vec![],
        height: 110,
    })
}

/// The breakers' states, under the users who were not answered.
fn breakers(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let layers = seen.knobs.layers as usize;
    let mut marks =
        vec![bins.per_second(text("not answered", "không trả lời kịp").get(lang), Paint::Timeout, |b| b.users - b.good)];
    let states: [(f64, Text, Paint); 2] = [
        (1.0, text("open", "mở"), Paint::Breaker),
        (2.0, text("half-open", "nửa mở"), Paint::Late),
    ];
    for k in 0..layers {
        for (i, (state, name, paint)) in states.iter().enumerate() {
            let mut at: Vec<(f64, f64)> = Vec::new();
            for bin in bins.rows.iter().filter(|b| b.breakers.get(k) == Some(state)) {
                let end = bin.at + bins.width;
                match at.last_mut() {
                    Some(last) if last.1 >= bin.at => last.1 = end,
                    _ => at.push((bin.at, end)),
                }
            }
            let label = if i == 0 { hop_name(k, layers, lang) } else { String::new() };
            marks.push(Mark::Lane { lane: k, label, name: name.get(lang).into(), paint: *paint, at });
        }
    }
    let opened = seen.get("rejected").unwrap_or(0.0) > 0.0;
    let rejected = seen.say("rejected");
    chart(seen, bins, Draft {
        id: "breakers",
        title: match (seen.knobs.guards().breaker.is_some(), opened, lang) {
            (false, _, Lang::En) => "There is no breaker".into(),
            (false, _, Lang::Vi) => "Không có breaker nào".into(),
            (true, false, Lang::En) => "No breaker opens".into(),
            (true, false, Lang::Vi) => "Không breaker nào mở".into(),
            (true, true, Lang::En) => format!("Open breakers keep back {rejected}"),
            (true, true, Lang::Vi) => format!("Breaker mở chặn lại {rejected}"),
        },
        note: text(
            "Users not answered in time, and when each layer’s breaker was open.",
            "Số user không được trả lời kịp, và lúc breaker của từng tầng mở.",
        ),
        y: axis(
            text("users a second", "user mỗi giây").get(lang),
            units::PER_SECOND,
            bins.highest(|b| (b.users - b.good) / b.seconds).max(1.0),
        ),
        marks,
        legend: vec![(Paint::Breaker, states[0].1), (Paint::Late, states[1].1)],
        height: 90,
    })
}

/// Pods over time.
fn pods(seen: &Seen<Storm>, bins: &Bins) -> Chart {
    let lang = seen.lang;
    let points = bins.rows.iter().map(|b| (b.at, b.pods)).collect();
    let most = seen.get("most_pods").unwrap_or(0.0);
    let grew = most > seen.knobs.pods as f64;
    let said = seen.say("most_pods");
    chart(seen, bins, Draft {
        id: "pods",
        title: match (grew, lang) {
            (true, Lang::En) => format!("The autoscaler makes it {said}: more room in the queue, not more capacity"),
            (true, Lang::Vi) => format!("Autoscaler nâng lên {said}: thêm chỗ chờ chứ không thêm năng lực"),
            (false, Lang::En) => format!("It stays at {said}"),
            (false, Lang::Vi) => format!("Vẫn giữ {said}"),
        },
        note: text(
            "Pods that are ready. Each brings a connection pool, so each lets more calls wait inside the DB.",
            "Số pod sẵn sàng. Mỗi pod thêm một connection pool, nên thêm call được chờ trong DB.",
        ),
        y: axis(text("pods", "số pod").get(lang), PODS, most.max(1.0)),
        marks: vec![Mark::Line { name: String::new(), paint: Paint::Ink(0), points, step: true }],
        legend: vec![],
        height: 90,
    })
}

/// The recovery over many seeds.
fn spread(seen: &Seen<Storm>) -> Chart {
    let lang = seen.lang;
    let many = seen.many;
    let spread = many.and_then(|m| m.spread(seen.plan, "recovery"));
    let here = seen.get("recovery");
    let row = 0;
    let mut marks = Vec::new();
    if let Some(s) = &spread {
        let name = text("over seeds", "trên các seed").get(lang).into();
        marks.push(Mark::Spread { row, name, at: [s.p1, s.p10, s.median, s.p90, s.p99] });
    }
    if let Some(x) = here {
        let name = text("this run", "lần chạy này").get(lang).into();
        marks.push(Mark::Dot { row, x, kind: Dot::ThisRun, name });
    }
    if let Some(x) = seen.guess_for("recovery") {
        let name = text("your guess", "bạn đoán").get(lang).into();
        marks.push(Mark::Dot { row, x, kind: Dot::Guess, name });
    }
    if let Some(printed) = seen.printed.iter().find(|p| p.figure == "recovery") {
        let name = text("the article", "bài viết").get(lang).into();
        marks.push(Mark::Dot { row, x: printed.value, kind: Dot::Article, name });
    }
    let highest = spread.map_or(0.0, |s| s.max).max(here.unwrap_or(0.0)).max(seen.guess_for("recovery").unwrap_or(0.0));
    let highest = seen.printed.iter().filter(|p| p.figure == "recovery").map(|p| p.value).fold(highest, f64::max);
    let runs = many.map_or(0, crate::many::Many::len);
    let soon = many.map(|m| m.count(seen.plan, |get| get("recovery").is_some_and(|r| r <= 60.0)));
    let title = match (soon.filter(|_| runs > 0), lang) {
        (Some(soon), Lang::En) => format!("Served again within a minute in {soon} of {runs} runs"),
        (Some(soon), Lang::Vi) => format!("Phục vụ lại trong vòng một phút ở {soon} trên {runs} lần chạy"),
        (None, Lang::En) => "One run is one draw: more seeds show how much of it is luck".into(),
        (None, Lang::Vi) => "Một lần chạy là một lần rút thăm: nhiều seed cho thấy phần may rủi".into(),
    };
    Chart {
        id: "spread",
        summary: title.clone(),
        title,
        note: text(
            "Time from the fault’s start until users are served again; runs in which that never happens are left out.",
            "Thời gian từ lúc sự cố bắt đầu đến khi user được phục vụ lại; không tính các lần chạy không bao giờ hồi phục.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: axis(text("recovery, s", "hồi phục, s").get(lang), SECONDS, highest.max(Span::s(60).as_s())),
        y: YAxis::Names(vec![name(seen)]),
        panels: vec![Panel { name: String::new(), formula: String::new(), x: None, marks, cells: vec![] }],
        columns: vec![],
        legend: vec![],
        panel_height: 60,
    }
}

fn name(seen: &Seen<Storm>) -> String {
    match seen.knobs.guard {
        Guard::None => text("No guardrail", "Không guardrail").get(seen.lang).into(),
        guard => guard.name().get(seen.lang).into(),
    }
}

