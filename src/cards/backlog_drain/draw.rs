//! What this card draws.

use overload_chart::{Axis, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, text, agree};
use overload_sim::backlog::Setup;

use super::knobs::{BacklogDrain, MIN, PER_MINUTE};
use super::{MESSAGES, figure};
use crate::card::Seen;

/// Most points of a line.
const MOST_POINTS: usize = 420;

/// All charts.
pub fn charts(seen: &Seen<BacklogDrain>) -> Vec<Chart> {
    vec![flows(seen), depth(seen), age(seen), drain(seen)]
}

/// The run minute by minute, thinned.
fn minutes<'a>(seen: &'a Seen<BacklogDrain>) -> Vec<&'a [f64]> {
    let all: Vec<&[f64]> = seen.outcome.rows(seen.plan, "minutes").collect();
    let every = all.len().div_ceil(MOST_POINTS).max(1);
    let last = all.len().saturating_sub(1);
    all.into_iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, row)| row).collect()
}

fn time_axis(seen: &Seen<BacklogDrain>) -> Axis {
    let end = seen.outcome.rows(seen.plan, "minutes").last().map_or(1.0, |row| row[0]);
    Axis::from_zero(text("minutes since the peak began", "số phút từ lúc bắt đầu cao điểm").get(seen.lang), MIN, end.max(1.0))
}

fn peak(seen: &Seen<BacklogDrain>) -> Mark {
    let label = text("the peak", "cao điểm").get(seen.lang).to_string();
    Mark::Span { x0: 0.0, x1: seen.knobs.peak as f64, label, paint: Paint::Fault }
}

struct Plain {
    id: &'static str,
    title: String,
    note: Text,
    y: Axis,
    marks: Vec<Mark>,
    legend: Vec<(Paint, String)>,
    height: u16,
}

fn chart(lang: Lang, x: Axis, plain: Plain) -> Chart {
    let Plain { id, title, note, y, marks, legend, height } = plain;
    Chart {
        id,
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(y),
        panels: vec![Panel { name: String::new(), formula: String::new(), x: None, marks, cells: vec![] }],
        columns: vec![],
        legend,
        panel_height: height,
    }
}

/// The card's figure: what comes, what is worked off, and between them what piles up.
fn flows(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let rows = minutes(seen);
    let line = |name: Text, paint: Paint, column: usize| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(|r| (r[0] - 1.0, r[column])).chain(rows.last().map(|r| (r[0], r[column]))).collect(),
        step: true,
    };
    let mut over: Vec<(f64, f64, f64)> = Vec::new();
    for r in &rows {
        let (low, high) = (r[3].min(r[1]), r[1].max(r[3]));
        let high = if r[1] > r[3] { high } else { low };
        over.push((r[0] - 1.0, low, high));
        over.push((r[0], low, high));
    }
    let over_name = text("piles up", "dồn lại").get(lang).to_string();
    let marks = vec![
        Mark::Area { name: over_name.clone(), paint: Paint::Attempts, points: over },
        line(text("capacity", "năng lực"), Paint::Baseline, 2),
        line(text("worked off", "xử lý được"), Paint::Goodput, 3),
        line(text("inflow", "inflow"), Paint::Offered, 1),
    ];
    let top = rows.iter().map(|r| r[1].max(r[3])).fold(1.0, f64::max).max(seen.knobs.setup().effective() as f64);
    let (backlog, drain) = (seen.say(figure::BACKLOG), seen.say(figure::DRAIN));
    let title = match (seen.get(figure::BACKLOG), seen.get(figure::DRAIN), lang) {
        (Some(n), ..) if n <= 0.0 => text("Nothing is left when the peak ends", "Hết cao điểm là hết việc").get(lang).into(),
        (_, None, Lang::En) => format!("{backlog} {} when the peak ends, and never {}", agree(&backlog, "waits", "wait"), agree(&backlog, "drains", "drain")),
        (_, None, Lang::Vi) => format!("{backlog} còn chờ khi hết cao điểm, và không bao giờ drain xong"),
        (_, _, Lang::En) => format!("{backlog} {} when the peak ends; draining takes {drain}", agree(&backlog, "waits", "wait")),
        (_, _, Lang::Vi) => format!("{backlog} còn chờ khi hết cao điểm; drain mất {drain}"),
    };
    let plain = Plain {
        id: "flows",
        title,
        note: text("Messages a minute that come, and that are worked off.", "Số message mỗi phút đến, và được xử lý."),
        y: Axis::from_zero(text("messages per minute", "message mỗi phút").get(lang), PER_MINUTE, top * 1.1),
        marks,
        legend: vec![(Paint::Attempts, over_name)],
        height: 220,
    };
    chart(lang, time_axis(seen), plain)
}

/// How many wait.
fn depth(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let mut points = vec![(0.0, 0.0)];
    points.extend(minutes(seen).iter().map(|r| (r[0], r[4])));
    let top = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let area = points.iter().map(|p| (p.0, 0.0, p.1)).collect();
    let name = text("waiting", "đang chờ").get(lang).to_string();
    let mut marks = vec![
        peak(seen),
        Mark::Area { name: name.clone(), paint: Paint::Attempts, points: area },
        Mark::Line { name: String::new(), paint: Paint::Attempts, points, step: false },
    ];
    for key in [figure::BACKLOG, figure::DEEPEST] {
        if let Some(guess) = seen.guess_for(key) {
            let label = text("your guess", "bạn đoán").get(lang).to_string();
            marks.push(Mark::Note { x: seen.knobs.peak as f64, y: guess, label, paint: Paint::Baseline });
        }
    }
    let deepest = seen.say(figure::DEEPEST);
    let title = match lang {
        Lang::En => format!("At most {deepest} {} at once", agree(&deepest, "waits", "wait")),
        Lang::Vi => format!("Nhiều nhất có {deepest} cùng chờ"),
    };
    let plain = Plain {
        id: "depth",
        title,
        note: text("Messages in the queue.", "Số message trong queue."),
        y: Axis::from_zero(text("messages waiting", "message đang chờ").get(lang), MESSAGES, nice_ceil(top)),
        marks,
        legend: vec![],
        height: 150,
    };
    chart(lang, time_axis(seen), plain)
}

/// How old the oldest is: what users feel.
fn age(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let slo = seen.knobs.slo as f64;
    let mut points = vec![(0.0, 0.0)];
    points.extend(minutes(seen).iter().map(|r| (r[0], r[5])));
    let top = points.iter().map(|p| p.1).fold(slo, f64::max);
    let said = MIN.write(slo, lang);
    let line = text("age of the oldest", "tuổi message cũ nhất").get(lang).to_string();
    let mut marks = vec![
        peak(seen),
        Mark::Line { name: line, paint: Paint::Late, points, step: false },
        Mark::Threshold { y: slo, label: format!("SLO {said}") },
    ];
    for (key, x) in [
        (figure::OLDEST_AT_END, seen.knobs.peak as f64),
        (figure::LAST_WAIT, seen.knobs.peak as f64 + seen.get(figure::LAST_WAIT).unwrap_or(0.0)),
    ] {
        if let Some(guess) = seen.guess_for(key) {
            let label = text("your guess", "bạn đoán").get(lang).to_string();
            marks.push(Mark::Note { x, y: guess, label, paint: Paint::Baseline });
        }
    }
    let longest = seen.say(figure::LONGEST);
    let title = match (seen.get(figure::LONGEST).is_some_and(|l| l > slo), lang) {
        (true, Lang::En) => format!("Some wait {longest}, the SLO allows {said}"),
        (true, Lang::Vi) => format!("Có message chờ {longest}, SLO chỉ cho {said}"),
        (false, Lang::En) => format!("Nobody waits longer than {longest}"),
        (false, Lang::Vi) => format!("Không message nào chờ quá {longest}"),
    };
    let plain = Plain {
        id: "age",
        title,
        note: text(
            "Minutes since the oldest message that waits came. It goes on rising after the peak: that is what to alert on.",
            "Số phút từ lúc message cũ nhất đang chờ đến. Nó còn tăng sau cao điểm: hãy đặt cảnh báo ở đây.",
        ),
        y: Axis::from_zero(text("age of the oldest, min", "tuổi message cũ nhất, phút").get(lang), MIN, nice_ceil(top)),
        marks,
        legend: vec![],
        height: 150,
    };
    chart(lang, time_axis(seen), plain)
}

/// Drain time over capacity, by calculation.
fn drain(seen: &Seen<BacklogDrain>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let setup = knobs.setup();
    let high = nice_ceil(setup.inflow.max(setup.effective()) as f64 * 1.1);
    let low = (high / 50.0).min(setup.effective() as f64 / 2.0).max(1.0);
    let of = |capacity: f64, what: fn(&Setup) -> Option<f64>| {
        let there = Setup { capacity: capacity as u64, limit: 0, ..setup };
        what(&there)
    };
    let now = of(setup.effective() as f64, Setup::drain);
    let top = nice_ceil(now.unwrap_or(0.0).max(4.0 * knobs.slo as f64).clamp(60.0, 24.0 * 60.0));
    let line = |name: Text, paint: Paint, what: fn(&Setup) -> Option<f64>| {
        let at = |i: u32| low + (high - low) * f64::from(i) / 400.0;
        // What leaves the axis at the top is on its way to never.
        let points = (0..=400).filter_map(|i| Some((at(i), of(at(i), what)?))).filter(|p| p.1 <= top).collect();
        Mark::Line { name: name.get(lang).into(), paint, points, step: false }
    };
    let mut marks = Vec::new();
    if setup.after > 0 {
        let label = text("never drains", "không bao giờ drain xong").get(lang).to_string();
        marks.push(Mark::Span { x0: 0.0, x1: (setup.after as f64).min(high), label, paint: Paint::Fault });
        marks.push(line(text("drain", "drain"), Paint::Ink(0), Setup::drain));
        marks.push(line(text("wait of the peak’s last message", "message cuối cao điểm chờ"), Paint::Ink(1), Setup::last_wait));
    } else {
        // Where nothing comes afterwards both are the same.
        let both = text("drain, and the last message’s wait", "drain, cũng là message cuối chờ");
        marks.push(line(both, Paint::Ink(0), Setup::drain));
    }
    marks.push(Mark::Threshold { y: knobs.slo as f64, label: format!("SLO {}", MIN.write(knobs.slo as f64, lang)) });
    if let Some(y) = seen.get(figure::DRAIN) {
        let label = text("this run", "lần chạy này").get(lang).to_string();
        marks.push(Mark::Note { x: setup.effective() as f64, y, label, paint: Paint::Retries });
    }
    let need = setup.capacity_for_slo();
    let said = PER_MINUTE.write(need.ceil(), lang);
    for key in [figure::DRAIN, figure::CALCULATED_DRAIN] {
        if let Some(guess) = seen.guess_for(key) {
            let label = text("your guess", "bạn đoán").get(lang).to_string();
            marks.push(Mark::Note { x: setup.effective() as f64, y: guess, label, paint: Paint::Baseline });
        }
    }
    if let Some(guess) = seen.guess_for(figure::FOR_SLO) {
        let label = text("your guess", "bạn đoán").get(lang).to_string();
        marks.push(Mark::Note { x: guess, y: knobs.slo as f64, label, paint: Paint::Baseline });
    }
    marks.push(Mark::Note { x: need, y: knobs.slo as f64, label: said.clone(), paint: Paint::Goodput });
    let title = match lang {
        Lang::En => format!("Within the SLO from {said} on"),
        Lang::Vi => format!("Giữ được SLO từ {said} trở lên"),
    };
    let plain = Plain {
        id: "drain",
        title,
        note: text(
            "Calculated for an even peak and a constant capacity. Near the inflow afterwards, draining takes for ever.",
            "Tính cho cao điểm đều và năng lực không đổi. Càng gần inflow sau cao điểm, drain càng lâu vô tận.",
        ),
        y: Axis::from_zero(text("minutes", "số phút").get(lang), MIN, top),
        marks,
        legend: vec![],
        height: 190,
    };
    const CAPACITY: Unit = PER_MINUTE;
    let title = text("capacity, messages per minute", "năng lực, message mỗi phút").get(lang);
    chart(lang, Axis::from_zero(title, CAPACITY, high), plain)
}
