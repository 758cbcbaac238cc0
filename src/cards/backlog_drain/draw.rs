//! What this card draws.

use overload_chart::{Chart, Mark, Paint, Text, Unit, YAxis, nice_ceil, text};
use overload_sim::backlog::Setup;

use super::knobs::{BacklogDrain, PER_MINUTE};
use super::{End, end, figure};
use crate::card::Seen;
use crate::human::{self, Human};
use crate::say::told;
use crate::spread::{THIS_RUN, guess, guessed};

/// Most points of a line.
const MOST_POINTS: usize = 420;

/// All charts.
pub fn charts(seen: &Seen<BacklogDrain>) -> Vec<Chart> {
    vec![flows(seen), depth(seen), age(seen), drain(seen)]
}

/// Messages a minute, for an axis.
fn rate(value: f64) -> Human {
    const ONE: Unit =
        Unit::counted("per_minute", text("messages per minute", "message mỗi phút"), "message per minute", 0);
    const K: Unit = Unit::new("thousand_per_minute", text("thousand messages per minute", "nghìn message mỗi phút"), 1);
    if value < 10_000.0 { Human { by: 1.0, unit: ONE } } else { Human { by: 1e3, unit: K } }
}

/// The run minute by minute, thinned.
fn minutes<'a>(seen: &'a Seen<BacklogDrain>) -> Vec<&'a [f64]> {
    let all: Vec<&[f64]> = seen.rows("minutes").collect();
    let every = all.len().div_ceil(MOST_POINTS).max(1);
    let last = all.len().saturating_sub(1);
    all.into_iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, row)| row).collect()
}

/// The time axis, and its unit.
fn time(seen: &Seen<BacklogDrain>) -> (overload_chart::Axis, Human) {
    let end = seen.rows("minutes").last().map_or(1.0, |row| row[0]).max(1.0);
    let unit = human::minutes(end);
    let title = text("time since the peak began, {unit}", "thời gian từ lúc bắt đầu cao điểm, {unit}");
    // A little room, so that the lines' names fit behind what happens last.
    (unit.axis(title, 1.03 * end, seen.lang), unit)
}

fn peak(seen: &Seen<BacklogDrain>, t: Human) -> Mark {
    let label = text("the peak", "cao điểm").get(seen.lang).to_string();
    Mark::Span { x0: 0.0, x1: seen.knobs.peak as f64 / t.by, label, paint: Paint::Fault }
}

/// The reader's guess of any of these figures, each at its place.
fn guesses(seen: &Seen<BacklogDrain>, at: &[(&str, f64, f64)]) -> Vec<Mark> {
    let one = |&(key, x, by): &(&str, f64, f64)| Some(guess(&guessed(seen.lang, ""), (x, seen.guess_for(key)? / by)));
    at.iter().filter_map(one).collect()
}

/// The card's figure: what comes, what is worked off, and between them what piles up.
fn flows(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let rows = minutes(seen);
    let (x, t) = time(seen);
    let top = rows.iter().map(|r| r[1].max(r[3])).fold(1.0, f64::max).max(seen.knobs.setup().effective() as f64);
    let per = rate(top);
    let line = |name: Text, paint: Paint, column: usize| {
        let starts = rows.iter().map(|r| ((r[0] - 1.0) / t.by, r[column] / per.by));
        let end = rows.last().map(|r| (r[0] / t.by, r[column] / per.by));
        Mark::Line { name: name.get(lang).into(), paint, points: starts.chain(end).collect(), step: true }
    };
    let mut over: Vec<(f64, f64, f64)> = Vec::new();
    for r in &rows {
        let (low, high) = (r[3].min(r[1]) / per.by, r[1] / per.by);
        over.push(((r[0] - 1.0) / t.by, low, high));
        over.push((r[0] / t.by, low, high));
    }
    let piles_up = text("piles up", "dồn lại").get(lang).to_string();
    let marks = vec![
        Mark::Area { name: piles_up.clone(), paint: Paint::Attempts, points: over },
        line(text("capacity", "năng lực"), Paint::Baseline, 2),
        line(text("worked off", "xử lý được"), Paint::Goodput, 3),
        line(text("inflow", "inflow"), Paint::Offered, 1),
    ];
    let title = match end(seen) {
        End::NothingLeft => text("Nothing is left when the peak ends", "Hết cao điểm là hết việc"),
        End::Dropped => text(
            "{backlog} {backlog|waits|wait} when the peak ends; {dropped} {dropped|is|are} never worked off",
            "{backlog} còn chờ khi hết cao điểm; {dropped} không bao giờ được xử lý",
        ),
        End::Never => text(
            "{backlog} {backlog|waits|wait} when the peak ends, and never {backlog|drains|drain}",
            "{backlog} còn chờ khi hết cao điểm, và không bao giờ drain xong",
        ),
        End::NotYet => text(
            "{backlog} {backlog|waits|wait} when the peak ends; not drained after {shown}",
            "{backlog} còn chờ khi hết cao điểm; sau {shown} vẫn chưa drain xong",
        ),
        End::Drains => text(
            "{backlog} {backlog|waits|wait} when the peak ends; draining takes {drain}",
            "{backlog} còn chờ khi hết cao điểm; drain mất {drain}",
        ),
    };
    let shown = rows.last().map_or(0.0, |r| r[0]);
    let title = told(
        title,
        lang,
        &[
            ("backlog", &super::messages(seen, figure::BACKLOG)),
            ("dropped", &super::messages(seen, figure::EXPIRED)),
            ("drain", &super::time(seen, figure::DRAIN)),
            ("shown", &human::minutes(shown).write(shown, lang)),
        ],
    );
    let note = text("Messages a minute that come, and that are worked off.", "Số message mỗi phút đến, và được xử lý.");
    let y = YAxis::Number(per.axis(text("{unit}", "{unit}"), top * 1.1, lang));
    let mut chart = Chart::single("flows", (title, note.get(lang)), (x, y), marks, 220);
    chart.legend = vec![(Paint::Attempts, piles_up)];
    chart
}

/// How many wait.
fn depth(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let (x, t) = time(seen);
    let rows = minutes(seen);
    let top = rows.iter().map(|r| r[4]).fold(1.0, f64::max);
    let per = human::messages(top);
    let mut points = vec![(0.0, 0.0)];
    points.extend(rows.iter().map(|r| (r[0] / t.by, r[4] / per.by)));
    let area = points.iter().map(|p| (p.0, 0.0, p.1)).collect();
    let name = text("waiting", "đang chờ").get(lang).to_string();
    let at_end = seen.knobs.peak as f64 / t.by;
    let mut marks = vec![
        peak(seen, t),
        Mark::Area { name, paint: Paint::Attempts, points: area },
        Mark::Line { name: String::new(), paint: Paint::Attempts, points, step: false },
    ];
    marks.extend(guesses(seen, &[(figure::BACKLOG, at_end, per.by), (figure::DEEPEST, at_end, per.by)]));
    let title = if seen.number(figure::DEEPEST) > 0.0 {
        text("At most {deepest} {deepest|waits|wait} at once", "Nhiều nhất có {deepest} cùng chờ")
    } else {
        text("Nothing ever waits", "Không message nào phải chờ")
    };
    let title = told(title, lang, &[("deepest", &super::messages(seen, figure::DEEPEST))]);
    let note = text("Messages in the queue.", "Số message trong queue.");
    let y = YAxis::Number(per.axis(text("{unit} waiting", "{unit} đang chờ"), per.by * nice_ceil(top / per.by), lang));
    Chart::single("depth", (title, note.get(lang)), (x, y), marks, 150)
}

/// How old the oldest is: what users feel.
fn age(seen: &Seen<BacklogDrain>) -> Chart {
    let lang = seen.lang;
    let (x, t) = time(seen);
    let slo = seen.knobs.slo as f64;
    let rows = minutes(seen);
    let top = rows.iter().map(|r| r[5]).fold(slo, f64::max);
    let per = human::minutes(top);
    let mut points = vec![(0.0, 0.0)];
    points.extend(rows.iter().map(|r| (r[0] / t.by, r[5] / per.by)));
    let said = human::minutes(slo).write(slo, lang);
    let name = text("age of the oldest", "tuổi message cũ nhất").get(lang).to_string();
    let mut marks = vec![
        peak(seen, t),
        Mark::Line { name, paint: Paint::Late, points, step: false },
        Mark::Threshold { y: slo / per.by, label: format!("SLO {said}") },
    ];
    let peak = seen.knobs.peak as f64;
    let gone = peak + seen.number(figure::LAST_WAIT);
    marks.extend(guesses(
        seen,
        &[(figure::OLDEST_AT_END, peak / t.by, per.by), (figure::LAST_WAIT, gone / t.by, per.by)],
    ));
    let longest = seen.number(figure::LONGEST);
    let title = if longest > slo {
        text("Some wait {longest}; the SLO allows {slo}", "Có message chờ {longest}; SLO chỉ cho {slo}")
    } else if longest > 0.0 {
        text("Nobody waits longer than {longest}", "Không message nào chờ quá {longest}")
    } else {
        text("Nobody waits", "Không ai phải chờ")
    };
    let title = told(title, lang, &[("longest", &super::time(seen, figure::LONGEST)), ("slo", &said)]);
    let note = text(
        "Time since the oldest message that waits came. It goes on rising after the peak: that is what to alert on.",
        "Thời gian từ lúc message cũ nhất đang chờ đến. Nó còn tăng sau cao điểm: hãy đặt cảnh báo ở đây.",
    );
    let title_y = text("age of the oldest, {unit}", "tuổi message cũ nhất, {unit}");
    let y = YAxis::Number(per.axis(title_y, per.by * nice_ceil(top / per.by), lang));
    Chart::single("age", (title, note.get(lang)), (x, y), marks, 150)
}

/// Drain time over capacity, by calculation.
fn drain(seen: &Seen<BacklogDrain>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let setup = knobs.setup();
    let (slo, here) = (knobs.slo as f64, setup.effective() as f64);
    let high = nice_ceil((setup.inflow as f64).max(here) * 1.1);
    let low = (high / 50.0).min(here / 2.0).max(1.0);
    let of = |capacity: f64, what: fn(&Setup) -> Option<f64>| {
        let there = Setup { capacity: capacity as u64, limit: 0, ..setup };
        what(&there)
    };
    let top = of(here, Setup::drain).unwrap_or(0.0).max(4.0 * slo).clamp(60.0, 24.0 * 60.0);
    let (t, per) = (human::minutes(top), rate(high));
    let top = t.by * nice_ceil(top / t.by);
    let line = |name: Text, paint: Paint, what: fn(&Setup) -> Option<f64>| {
        let at = |i: u32| low + (high - low) * f64::from(i) / 400.0;
        // What leaves the axis at the top is on its way to never.
        let points = (0..=400).filter_map(|i| Some((at(i), of(at(i), what)?))).filter(|p| p.1 <= top);
        let points = points.map(|(capacity, minutes)| (capacity / per.by, minutes / t.by)).collect();
        Mark::Line { name: name.get(lang).into(), paint, points, step: false }
    };
    let mut marks = Vec::new();
    if setup.after > 0 {
        let label = text("never drains", "không bao giờ drain xong").get(lang).to_string();
        marks.push(Mark::Span { x0: 0.0, x1: (setup.after as f64).min(high) / per.by, label, paint: Paint::Fault });
        marks.push(line(text("drain", "drain"), Paint::Ink(0), Setup::drain));
        marks.push(line(
            text("wait of the peak’s last message", "message cuối cao điểm chờ"),
            Paint::Ink(1),
            Setup::last_wait,
        ));
    } else {
        // Where nothing comes afterwards both are the same.
        let both = text("drain, and the last message’s wait", "drain, cũng là message cuối chờ");
        marks.push(line(both, Paint::Ink(0), Setup::drain));
    }
    let level = format!("SLO {}", human::minutes(slo).write(slo, lang));
    marks.push(Mark::Threshold { y: slo / t.by, label: level });
    let note = |x: f64, y: f64, label: String, paint| Mark::Note { x: x / per.by, y: y / t.by, label, paint };
    // Where pods are added or messages dropped, the run is no point of this calculation.
    if let Some(y) = seen.get(figure::DRAIN).filter(|_| knobs.calculable() && end(seen) != End::Dropped) {
        marks.push(note(here, y, THIS_RUN.get(lang).into(), Paint::Retries));
    }
    let x = here / per.by;
    marks.extend(guesses(seen, &[(figure::DRAIN, x, t.by), (figure::CALCULATED_DRAIN, x, t.by)]));
    if let Some(capacity) = seen.guess_for(figure::FOR_SLO) {
        marks.push(guess(&guessed(lang, ""), (capacity / per.by, slo / t.by)));
    }
    let need = setup.capacity_for_slo();
    let said = PER_MINUTE.write(need, lang);
    marks.push(note(need, slo, said.clone(), Paint::Goodput));
    let title = text("Within the SLO from {capacity} on", "Giữ được SLO từ {capacity} trở lên");
    let title = told(title, lang, &[("capacity", &said)]);
    let about = text(
        "Calculated for an even peak and a constant capacity. Near the inflow afterwards, draining takes for ever.",
        "Tính cho cao điểm đều và năng lực không đổi. Năng lực càng sát inflow sau cao điểm, drain càng lâu, đến vô tận.",
    );
    let x = per.axis(text("capacity, {unit}", "năng lực, {unit}"), high, lang);
    let y = YAxis::Number(t.axis(text("time, {unit}", "thời gian, {unit}"), top, lang));
    Chart::single("drain", (title, about.get(lang)), (x, y), marks, 190)
}
