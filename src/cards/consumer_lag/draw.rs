//! What this card draws.

use overload_chart::{Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, text, units};

use super::knobs::{ConsumerLag, PODS, Scaler};
use super::runs::LEVERS;
use super::{GROUPS, MIN, figure};
use crate::card::Seen;
use crate::human;
use crate::say::told;
use crate::spread;

type See<'a> = Seen<'a, ConsumerLag>;

/// All charts: lag and pods under both scalers, what the CPU shows, partitions as lanes, the rate against the pods, levers.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![lag(seen), pods(seen), cpu(seen), lanes(seen), by_pods(seen), levers(seen)]
}

/// A time in minutes as people say it, or "never".
pub fn when(seen: &See, key: &str) -> String {
    match seen.get(key) {
        Some(value) => human::minutes(value).write(value, seen.lang),
        None => text("never", "không lúc nào").get(seen.lang).into(),
    }
}

fn legend(lang: Lang, entries: &[(Paint, Text)]) -> Vec<(Paint, String)> {
    entries.iter().map(|&(paint, name)| (paint, name.get(lang).into())).collect()
}

fn group_name(seen: &See, prefix: &str) -> String {
    let name = if prefix.is_empty() { seen.knobs.scaler.label() } else { GROUPS[1].1 };
    name.get(seen.lang).into()
}

fn time_axis(seen: &See) -> Axis {
    let title = text("time, min", "thời gian, phút");
    Axis::from_zero(title.get(seen.lang), MIN, seen.knobs.watch.as_s() / 60.0)
}

/// A column of a group's moments against time.
fn points(seen: &See, prefix: &str, column: usize) -> Vec<(f64, f64)> {
    let key = [prefix, "moments"].concat();
    let rows = seen.rows(&key).filter_map(|row| Some((*row.first()?, *row.get(column)?)));
    rows.collect()
}

/// A group's panel with numbers beside it.
fn panel(seen: &See, prefix: &str, marks: Vec<Mark>, keys: [&str; 2]) -> Panel {
    let cell = |key: &str| {
        let key = [prefix, key].concat();
        let value = if key.ends_with(figure::CAUGHT_UP) { when(seen, &key) } else { seen.say(&key) };
        Cell { value, note: String::new() }
    };
    Panel { cells: keys.map(cell).to_vec(), ..Panel::new(group_name(seen, prefix), marks) }
}

/// The card's figure: what waits, under both scalers.
fn lag(seen: &See) -> Chart {
    let lang = seen.lang;
    let all = GROUPS.map(|(prefix, _)| points(seen, prefix, 1));
    let highest = all.iter().flatten().map(|p| p.1).fold(1.0, f64::max);
    let unit = human::messages(highest);
    let y = unit.axis(text("waiting, {unit}", "đang chờ, {unit}"), nice_ceil(highest / unit.by * 1.05) * unit.by, lang);
    let panels = GROUPS.iter().zip(all).map(|((prefix, _), points)| {
        let points = points.into_iter().map(|(at, lag)| (at, 0.0, lag / unit.by)).collect();
        let name = text("waiting", "đang chờ").get(lang).into();
        let area = Mark::Area { name, paint: Paint::Late, points };
        panel(seen, prefix, vec![area], [figure::CAUGHT_UP, figure::OLDEST])
    });
    let panels = panels.collect();
    let caught = [figure::CAUGHT_UP, "hpa_caught_up"].map(|key| seen.get(key).is_some());
    let template = match caught {
        [true, false] => text(
            "By {name} within the SLO after {own}; by CPU never, and {left} {left|is|are} left",
            "Theo {name}, sau {own} là trong SLO; theo CPU thì không, và còn {left}",
        ),
        [true, true] => text(
            "Within the SLO after {own} by {name}, after {cpu} by CPU",
            "Trong SLO sau {own} theo {name}, sau {cpu} theo CPU",
        ),
        [false, true] => text(
            "Within the SLO after {cpu} by CPU, never by {name}",
            "Theo CPU, sau {cpu} là trong SLO; theo {name} thì không",
        ),
        [false, false] => text(
            "Neither is within the SLO at the end: {rest} left by {name}, {left} by CPU",
            "Cuối cùng không bên nào trong SLO: còn {rest} theo {name}, {left} theo CPU",
        ),
    };
    let say = |key: &str| human::messages(seen.number(key)).write(seen.number(key), lang);
    let (left, rest) = (say("hpa_left"), say(figure::LEFT));
    let (own, cpu) = (when(seen, figure::CAUGHT_UP), when(seen, "hpa_caught_up"));
    let name = short(seen);
    let parts = [("own", &*own), ("cpu", &cpu), ("left", &left), ("rest", &rest), ("name", name)];
    let title = told(template, lang, &parts);
    let note = text(
        "Messages waiting in all partitions, on the same messages.",
        "Số message chờ trong mọi partition, với cùng các message.",
    );
    Chart {
        panels,
        columns: [text("within the SLO", "trong SLO"), text("oldest", "cũ nhất")].map(|c| c.get(lang).into()).to_vec(),
        panel_height: 130,
        ..Chart::single("lag", (title, note.get(lang)), (time_axis(seen), YAxis::Number(y)), vec![], 130)
    }
}

/// The scaler's name within a sentence.
pub fn short(seen: &See) -> &'static str {
    let name = match seen.knobs.scaler {
        Scaler::Lag => text("lag", "lag"),
        Scaler::Age => text("age", "tuổi"),
        Scaler::Fixed => text("a fixed number of pods", "số pod cố định"),
    };
    name.get(seen.lang)
}

/// Pods with a partition and without.
fn pods(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds = [
        (Paint::Goodput, text("owns partitions", "có partition")),
        (Paint::Baseline, text("without a partition", "không có partition")),
        (Paint::Offered, text("starting", "đang khởi động")),
    ];
    let end = seen.knobs.watch.as_s() / 60.0;
    let partitions = seen.knobs.partitions as f64;
    let mut highest: f64 = partitions;
    let mut panels = Vec::new();
    for (prefix, _) in GROUPS {
        let mut bars: [Vec<Bar>; 3] = Default::default();
        let key = [prefix, "moments"].concat();
        let rows: Vec<&[f64]> = seen.rows(&key).collect();
        for (i, row) in rows.iter().enumerate() {
            let &[x0, _, _, ref counts @ .., _, _] = *row else { continue };
            let x1 = rows.get(i + 1).map_or(end, |next| next[0]);
            let mut top = 0.0;
            for (list, &n) in bars.iter_mut().zip(counts) {
                if n > 0.0 && x1 > x0 {
                    match list.last_mut() {
                        Some(last) if last.x1 == x0 && last.y0 == top && last.y1 == top + n => last.x1 = x1,
                        _ => list.push(Bar { x0, x1, y0: top, y1: top + n }),
                    }
                    top += n;
                }
            }
            highest = highest.max(top);
        }
        let filled = kinds.into_iter().zip(bars).filter(|(_, bars)| !bars.is_empty());
        let mut marks: Vec<Mark> =
            filled.map(|((paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars }).collect();
        let n = lang.number(partitions, 0);
        let label = told(text("{n} {n|partition|partitions}", "{n} partition"), lang, &[("n", &n)]);
        marks.push(Mark::Threshold { y: partitions, label: if prefix.is_empty() { label } else { String::new() } });
        panels.push(panel(seen, prefix, marks, [figure::MOST_PODS, figure::IDLE]));
    }
    let idle = seen.number(figure::IDLE);
    let template = if idle > 0.0 {
        text("{idle} {idle|has|have} no partition and nothing to do", "{idle} không có partition và không có việc")
    } else {
        text("Up to {own} by {name}, up to {cpu} by CPU", "Nhiều nhất {own} theo {name}, {cpu} theo CPU")
    };
    let [own, cpu, idle] = [figure::MOST_PODS, "hpa_most_pods", figure::IDLE].map(|key| seen.say(key));
    let title = told(template, lang, &[("own", &own), ("cpu", &cpu), ("idle", &idle), ("name", short(seen))]);
    let note = text(
        "A partition belongs to one pod. Pods beyond the partitions wait for one of the others to go.",
        "Một partition thuộc về một pod. Pod vượt quá số partition chỉ chờ pod khác rời đi.",
    );
    let y = Axis::from_zero(text("pods", "số pod").get(lang), PODS, nice_ceil(highest * 1.1));
    Chart {
        panels,
        columns: [text("most", "nhiều nhất"), text("idle", "ngồi không")].map(|c| c.get(lang).into()).to_vec(),
        legend: legend(lang, &kinds),
        ..Chart::single("pods", (title, note.get(lang)), (time_axis(seen), YAxis::Number(y)), vec![], 110)
    }
}

/// What an autoscaler on CPU sees.
fn cpu(seen: &See) -> Chart {
    let lang = seen.lang;
    let target = seen.knobs.target as f64;
    let names = [(Paint::Goodput, seen.knobs.scaler.label()), (Paint::Baseline, GROUPS[1].1)];
    let mut highest = target;
    let mut marks: Vec<Mark> = Vec::new();
    for ((prefix, _), (paint, name)) in GROUPS.iter().zip(names) {
        let points = points(seen, prefix, 6);
        highest = points.iter().map(|p| p.1).fold(highest, f64::max);
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: true });
    }
    let label = told(text("target {n}", "mục tiêu {n}"), lang, &[("n", &units::PERCENT.write(target, lang))]);
    marks.push(Mark::Threshold { y: target, label });
    let peak = seen.number("hpa_most_cpu");
    let template = if peak < 0.9 * target {
        text(
            "The HPA on CPU sees {cpu} at most and has no reason to add a pod",
            "HPA theo CPU thấy cao nhất {cpu}, không có lý do gì để thêm pod",
        )
    } else {
        text("The HPA on CPU sees up to {cpu}", "HPA theo CPU thấy tới {cpu}")
    };
    let title = told(template, lang, &[("cpu", &seen.say("hpa_most_cpu"))]);
    let note = text("Mean CPU of the pods against what they ask for.", "CPU trung bình của các pod so với request.");
    let y = Axis::from_zero(text("CPU, %", "CPU, %").get(lang), units::PERCENT, nice_ceil(highest * 1.1));
    Chart::single("cpu", (title, note.get(lang)), (time_axis(seen), YAxis::Number(y)), marks, 150)
}

/// Partitions as lanes: since when each is within the SLO.
fn lanes(seen: &See) -> Chart {
    const MOST: usize = 12;
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("lanes").take(MOST).collect();
    let end = seen.knobs.watch.as_s() / 60.0;
    let idle = seen.number(figure::IDLE);
    let kinds =
        [(Paint::Late, text("older than the SLO", "quá SLO")), (Paint::Goodput, text("within the SLO", "trong SLO"))];
    let mut bars: [Vec<Bar>; 2] = Default::default();
    for (i, row) in rows.iter().enumerate() {
        let &[_, clear, _] = *row else { continue };
        let (y0, y1) = (i as f64 - 0.36, i as f64 + 0.36);
        let until = clear.min(end);
        if until > 0.0 {
            bars[0].push(Bar { x0: 0.0, x1: until, y0, y1 });
        }
        if until < end {
            bars[1].push(Bar { x0: until, x1: end, y0, y1 });
        }
    }
    overload_chart::sort_by_number(&mut bars[1], |bar| bar.x0);
    let marks = kinds.into_iter().zip(bars).filter(|(_, bars)| !bars.is_empty());
    let marks = marks.map(|((paint, name), bars)| Mark::Bars { name: name.get(lang).into(), paint, bars }).collect();
    let names = rows.iter().map(|row| {
        let n = lang.number(row[0], 0);
        told(text("partition {n}", "partition {n}"), lang, &[("n", &n)])
    });
    let names = names.collect();
    let first = rows.iter().map(|row| row[1]).fold(f64::MAX, f64::min).min(end);
    let last = rows.iter().map(|row| row[1]).fold(0.0, f64::max);
    let minutes = |value: f64| human::minutes(value).write(value, lang);
    let template = if last >= end {
        text(
            "Not all partitions get within the SLO; the first does after {first}",
            "Không phải partition nào cũng về trong SLO; cái đầu tiên sau {first}",
        )
    } else if last > 1.2 * first {
        text(
            "The last partition needs {last}, the first {first}",
            "Partition cuối cùng cần {last}, cái đầu tiên {first}",
        )
    } else {
        text("All partitions shown are within the SLO after {last}", "Mọi partition ở đây về trong SLO sau {last}")
    };
    let template = if first >= end {
        text("No partition gets within the SLO", "Không partition nào về trong SLO")
    } else {
        template
    };
    let title = told(template, lang, &[("first", &minutes(first)), ("last", &minutes(last))]);
    let template = text(
        "One lane a partition, twelve at most, under the scaler chosen. Pods without a lane: {idle}.",
        "Mỗi partition một làn, nhiều nhất mười hai, với scaler đã chọn. Pod không có làn: {idle}.",
    );
    let note = told(template, lang, &[("idle", &lang.number(idle, 0))]);
    let height = 40 + 16 * rows.len().max(1) as u16;
    Chart {
        legend: legend(lang, &kinds),
        ..Chart::single("lanes", (title, &note), (time_axis(seen), YAxis::Names(names)), marks, height)
    }
}

/// What so many pods work off a second.
fn by_pods(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows = seen.rows("by_pods").filter_map(|row| Some((*row.first()?, *row.get(1)?)));
    let points: Vec<(f64, f64)> = rows.collect();
    let highest = points.iter().map(|p| p.1).fold(seen.knobs.inflow as f64, f64::max);
    let last = points.last().map_or(1.0, |p| p.0).max(1.0);
    let partitions = seen.knobs.partitions as f64;
    let mut marks = vec![Mark::Line {
        name: text("worked off", "xử lý được").get(lang).into(),
        paint: Paint::Goodput,
        points,
        step: false,
    }];
    if partitions < last {
        let label = text("no partition", "hết partition").get(lang).into();
        marks.insert(0, Mark::Span { x0: partitions, x1: last, label, paint: Paint::Fault });
    }
    let label = text("comes in", "đến").get(lang).into();
    marks.push(Mark::Threshold { y: seen.knobs.inflow as f64, label });
    let at = |n: f64| units::PER_SECOND.write(n, lang);
    let n = PODS.write(partitions, lang);
    let template =
        text("More than {n} work off no more: {most} is the end", "Quá {n} thì không xử lý thêm được: {most} là hết");
    let title = told(template, lang, &[("n", &n), ("most", &at(highest_of(&marks)))]);
    let note = text(
        "With enough waiting for everybody, one run a point.",
        "Khi luôn có đủ việc cho mọi pod, mỗi điểm một lần chạy.",
    );
    let x = Axis::from_zero(text("pods", "số pod").get(lang), PODS, last);
    let y_title = text("messages a second", "message mỗi giây").get(lang);
    let y = Axis::from_zero(y_title, units::PER_SECOND, nice_ceil(highest * 1.15));
    Chart::single("by_pods", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 170)
}

fn highest_of(marks: &[Mark]) -> f64 {
    let lines = marks.iter().filter_map(|mark| if let Mark::Line { points, .. } = mark { Some(points) } else { None });
    lines.flatten().map(|p| p.1).fold(0.0, f64::max)
}

/// How soon all is within the SLO, with each lever.
fn levers(seen: &See) -> Chart {
    let lang = seen.lang;
    let end = seen.knobs.watch.as_s() / 60.0;
    let of = |row: usize| seen.get(LEVERS[row].0);
    let kinds = [
        (true, Paint::Goodput, text("until within the SLO", "tới khi trong SLO")),
        (false, Paint::Late, text("never while watched", "không, trong lúc theo dõi")),
    ];
    let value = |done: &bool, row: usize| match (of(row), done) {
        (Some(at), true) => at,
        (None, false) => end,
        _ => 0.0,
    };
    let (mut marks, longest) = spread::stacked(lang, kinds, LEVERS.len(), 0.32, value);
    for (row, (key, _)) in LEVERS.iter().enumerate() {
        marks.extend(spread::known(seen, key, row));
    }
    let best = (1..LEVERS.len())
        .fold(0, |best, row| if of(row).unwrap_or(f64::MAX) < of(best).unwrap_or(f64::MAX) { row } else { best });
    let template = match (of(0), of(best)) {
        (_, None) => text("No lever gets it within the SLO", "Không đòn bẩy nào đưa về trong SLO"),
        (_, Some(_)) if best == 0 => text("No lever is faster than {now}", "Không đòn bẩy nào nhanh hơn {now}"),
        (Some(_), Some(_)) => {
            text("With all pods: {now} as it is, {best} with {lever}", "Đủ pod: {now} như hiện tại, {best} với {lever}")
        }
        (None, Some(_)) => text("It takes a lever: {best} with {lever}", "Phải có đòn bẩy: {best} với {lever}"),
    };
    let [now, least] = [LEVERS[0].0, LEVERS[best].0].map(|key| when(seen, key));
    let lever = LEVERS[best].1.get(lang);
    let title = told(template, lang, &[("now", &now), ("best", &least), ("lever", lever)]);
    let note = text(
        "As many pods as are allowed from the start, and one thing changed; three times the pods with three times the partitions.",
        "Đủ số pod cho phép ngay từ đầu, và đổi một thứ; gấp ba partition thì cũng gấp ba pod.",
    );
    let names = LEVERS.map(|(_, name)| name.get(lang).into()).to_vec();
    let reach = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(longest);
    let x = Axis::from_zero(text("minutes", "phút").get(lang), MIN, nice_ceil(reach * 1.02));
    Chart {
        layout: Layout::Rows,
        legend: legend(lang, &kinds.map(|(_, paint, name)| (paint, name))),
        ..Chart::single("levers", (title, note.get(lang)), (x, YAxis::Names(names)), marks, 140)
    }
}
