//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Dot, HeatCell, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same,
    sort_by_number, sort_by_numbers, text, units,
};
use overload_sim::layers::{TRACED, worst};

use super::knobs::{Amplification, MOST_LAYERS, Who};
use super::{PER_USER, expected, figure, hop};
use crate::card::Seen;
use crate::say::told;
use crate::spread;

const LAYERS: Unit = Unit::counted("layers", text("layers", "tầng"), "layer", 0);
const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);

/// Most cells of a row of the tree; a row with more is one block.
const MOST_CELLS: usize = 260;

/// All charts.
pub fn charts(seen: &Seen<Amplification>) -> Vec<Chart> {
    vec![hops(seen), one_user(seen), by_layers(seen), by_fault(seen), worst_case(seen)]
}

/// "Layer 1 → 2", "Layer 3 → DB".
fn hop_name(knobs: &Amplification, i: usize, lang: Lang) -> String {
    let layers = knobs.layers as usize;
    let layer = text("Layer", "Tầng").get(lang);
    match i {
        _ if i == layers => "SDK → DB".into(),
        _ if i + 1 == layers && knobs.sdk == 0 => format!("{layer} {} → DB", i + 1),
        _ if i + 1 == layers => format!("{layer} {} → SDK", i + 1),
        _ => format!("{layer} {} → {}", i + 1, i + 2),
    }
}

/// Calls that arrive on a hop.
fn calls_on(seen: &Seen<Amplification>, i: usize) -> f64 {
    seen.number(hop(seen.knobs, i).0)
}

/// The card's figure: calls that arrive at each hop.
fn hops(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let n = knobs.hops();
    let users = knobs.users as f64;
    let mut names = vec![text("Users → layer 1", "User → tầng 1").get(lang).to_string()];
    names.extend((0..n).map(|i| hop_name(knobs, i, lang)));
    let mut arrive = vec![users];
    arrive.extend((0..n).map(|i| calls_on(seen, i)));

    let at = |row: usize, x0: f64, x1: f64| Bar { x0, x1, y0: row as f64 - 0.32, y1: row as f64 + 0.32 };
    let (mut asked, mut first, mut retries, mut zombies) = (vec![at(0, 0.0, users)], vec![], vec![], vec![]);
    let orphans: Vec<f64> = seen.rows("orphans").map(|row| row[0]).collect();
    let any_orphan = orphans.iter().any(|&n| n > 0.0);
    for row in 1..=n {
        // Each request is one first call of the layer it came to.
        let (requests, all) = (arrive[row - 1], arrive[row]);
        let wanted = all - orphans.get(row - 1).copied().unwrap_or(0.0);
        let part = |list: &mut Vec<Bar>, from: f64, to: f64| {
            if to > from {
                list.push(at(row, from, to));
            }
        };
        if any_orphan {
            part(&mut first, 0.0, wanted);
            part(&mut zombies, wanted, all);
        } else {
            part(&mut first, 0.0, requests.min(all));
            part(&mut retries, requests.min(all), all);
        }
    }
    // Bars must ascend in x: they are one below the other, all from zero or where the first calls end.
    [&mut retries, &mut zombies].into_iter().for_each(|bars| sort_by_number(bars, |bar| bar.x0));
    let longest = arrive.iter().copied().fold(1.0, f64::max);
    let mut marks = Vec::new();
    let mut legend = Vec::new();
    let first_calls = if zombies.is_empty() {
        text("first calls", "lần gọi đầu")
    } else {
        text("calls that somebody waits for", "call còn người chờ")
    };
    for (name, paint, bars) in [
        (text("what users ask", "user yêu cầu"), Paint::Offered, asked.split_off(0)),
        (first_calls, Paint::Attempts, first),
        (text("retries of this layer", "retry của tầng này"), Paint::Retries, retries),
        (text("begun for nobody", "bắt đầu khi không còn ai chờ"), Paint::Zombie, zombies),
    ] {
        if !bars.is_empty() {
            legend.push((paint, name.get(lang).to_string()));
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
    }
    let last = n;
    let printed = seen.printed.iter().find(|p| p.figure == figure::DB_CALLS).map(|p| p.value);
    let guess = seen.guess_for(figure::DB_CALLS).or_else(|| seen.guess_for(figure::PER_USER).map(|g| g * users));
    let mut reach = longest;
    for (x, kind, name) in
        [(printed, Dot::Article, text("the article", "trong bài")), (guess, Dot::Guess, text("your guess", "bạn đoán"))]
    {
        if let Some(x) = x {
            reach = reach.max(x);
            marks.push(Mark::Dot { row: last, x, kind, name: name.get(lang).into() });
        }
    }
    let end = nice_ceil(reach * 1.06);
    for (row, &calls) in arrive.iter().enumerate() {
        let paint = if row == 0 { Paint::Offered } else { Paint::Attempts };
        // Beside the article's mark, where that stands at the bar's end.
        let beside = row == last && printed.is_some_and(|p| (p - calls).abs() < 0.02 * end);
        let x = calls + if beside { 0.015 * end } else { 0.0 };
        marks.push(Mark::Note { x, y: row as f64, label: lang.number(calls, 0), paint });
    }
    let title = hops_title(seen);
    let mut summary = title.clone();
    for (name, calls) in names.iter().zip(&arrive) {
        summary.push_str(&format!("; {name}: {}", units::CALLS.write(*calls, lang)));
    }
    Chart {
        id: "hops",
        title,
        note: if printed.is_some() {
            text(
                "Calls that arrive on each hop, from the users down to the DB. ◇ the article.",
                "Số call đến ở mỗi chặng, từ user xuống tới DB. ◇ trong bài.",
            )
        } else {
            text(
                "Calls that arrive on each hop, from the users down to the DB.",
                "Số call đến ở mỗi chặng, từ user xuống tới DB.",
            )
        }
        .get(lang)
        .into(),
        summary,
        layout: Layout::Rows,
        x: Axis::from_zero(text("calls", "số call").get(lang), units::CALLS, end),
        y: YAxis::Names(names),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend,
        // By structure alone: a row more for each layer.
        panel_height: 34 * (n as u16 + 1),
    }
}

fn hops_title(seen: &Seen<Amplification>) -> String {
    let Seen { knobs, lang, .. } = *seen;
    let per_user = seen.get(figure::PER_USER).unwrap_or(f64::NAN);
    let said = lang.trimmed(per_user, 2);
    let calls = seen.say(figure::DB_CALLS);
    let users = lang.number(knobs.users as f64, 0);
    let title = if per_user == 1.0 {
        text("Nobody retries: the DB gets what users ask", "Không ai retry: DB nhận đúng số user yêu cầu")
    } else if knobs.users == 1 {
        text("One request becomes {calls} at the DB", "Một request thành {calls} tại DB")
    } else {
        text(
            "{users} {users|request becomes|requests become} {calls} at the DB, {each} each",
            "{users} request thành {calls} tại DB, mỗi request {each}",
        )
    };
    told(title, lang, &[("calls", &calls), ("users", &users), ("each", &said)])
}

/// One user's calls, each by itself: failing fast as a tree, with time as what lies in the DB at once.
fn one_user(seen: &Seen<Amplification>) -> Chart {
    if seen.knobs.slow() { in_db(seen) } else { tree(seen) }
}

/// The tree: each row a hop, each cell a call, as wide as the calls to the DB that it led to.
fn tree(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let n = knobs.hops();
    let rows: Vec<&[f64]> = seen.rows("first_user").collect();
    let cut = rows.len() >= TRACED;
    // Calls still open where the record ends reach to its end.
    let reached = rows.iter().filter(|r| r[0] == n as f64 - 1.0);
    let end = reached.clone().map(|r| r[3].max(r[2] + 1.0)).fold(1.0, f64::max);
    let mut kinds: [(Text, Paint, Vec<Bar>); 3] = [
        (text("first call of a layer", "lần gọi đầu của một tầng"), Paint::Offered, vec![]),
        (text("retry", "retry"), Paint::Retries, vec![]),
        (text("answered", "được trả lời"), Paint::Goodput, vec![]),
    ];
    for hop in 0..n {
        let cells: Vec<(usize, f64, f64)> = rows
            .iter()
            .filter(|r| r[0] == hop as f64)
            .map(|r| {
                let kind = if r[5] == 1.0 { 2 } else { usize::from(r[1] > 0.0) };
                (kind, r[2], if r[3] > r[2] { r[3].min(end) } else { end })
            })
            .collect();
        let y = |x0: f64, x1: f64| Bar { x0, x1, y0: hop as f64 - 0.4, y1: hop as f64 + 0.4 };
        if cells.len() <= MOST_CELLS {
            cells.iter().for_each(|&(kind, x0, x1)| kinds[kind].2.push(y(x0, x1)));
        } else {
            // Narrower than can be seen: one block, mostly retries.
            kinds[1].2.push(y(0.0, end));
        }
    }
    let mut marks = Vec::new();
    let mut legend = Vec::new();
    for (name, paint, mut bars) in kinds {
        // All three, or a tree of one colour would leave it unsaid.
        legend.push((paint, name.get(lang).to_string()));
        if !bars.is_empty() {
            sort_by_number(&mut bars, |bar| bar.x0);
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
    }
    let title = if cut {
        text("One user’s first {calls} at the DB, and who made them", "{calls} đầu tiên của một user tại DB: ai gọi")
    } else {
        text("One user, {calls} at the DB: who made them", "Một user, {calls} tại DB: ai gọi")
    };
    let title = told(title, lang, &[("calls", &units::CALLS.write(reached.count() as f64, lang))]);
    Chart {
        id: "one_user",
        summary: title.clone(),
        title,
        note: text(
            "Each cell is a call, as wide as the calls to the DB that it led to. Left to right in the order of time.",
            "Mỗi ô là một call, rộng bằng số call tới DB mà nó gây ra. Từ trái sang phải theo thứ tự thời gian.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("calls that have reached the DB", "số call đã tới DB").get(lang), units::CALLS, end),
        y: YAxis::Names((0..n).map(|i| hop_name(knobs, i, lang)).collect()),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend,
        panel_height: 34 * n as u16,
    }
}

/// Calls of the first user in the DB over time, those that somebody waits for and the others.
fn in_db(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let last = knobs.hops() as f64 - 1.0;
    // Steps up and down, by who is still there when the call begins.
    let mut changes: Vec<(f64, usize, f64)> = Vec::new();
    let mut left: f64 = 0.0;
    let mut end: f64 = 0.0;
    for row in seen.rows("first_user") {
        let &[hop, _, from, to, orphan, _] = row else { continue };
        let (from, to) = (from / 1e6, to.max(from) / 1e6);
        if hop == last {
            let kind = usize::from(orphan == 1.0);
            changes.push((from, kind, 1.0));
            changes.push((to, kind, -1.0));
            end = end.max(to);
        }
        if hop == 0.0 {
            // A call that timed out ends for its caller at the timeout, whatever goes on below.
            let timeout = knobs.setup(&knobs.by_hop()).layers[0].timeout.as_s();
            left = left.max((to - from).min(timeout) + from);
        }
    }
    sort_by_numbers(&mut changes, |change| [change.0, change.2]);
    let mut now = [0.0, 0.0];
    let mut highest: f64 = 1.0;
    let (mut wanted, mut zombies) = (vec![(0.0, 0.0, 0.0)], vec![(0.0, 0.0, 0.0)]);
    for (i, &(at, kind, by)) in changes.iter().enumerate() {
        let total = |n: [f64; 2]| n[0] + n[1];
        // What changes at one moment is one step.
        if i == 0 || changes[i - 1].0 < at {
            wanted.push((at, 0.0, now[0]));
            zombies.push((at, now[0], total(now)));
        }
        now[kind] += by;
        if changes.get(i + 1).is_none_or(|next| next.0 > at) {
            wanted.push((at, 0.0, now[0]));
            zombies.push((at, now[0], total(now)));
            highest = highest.max(total(now));
        }
    }
    let mut marks = Vec::new();
    if end > left {
        let label = text("the user has gone", "user đã đi").get(lang).to_string();
        marks.push(Mark::Span { x0: left, x1: end, label, paint: Paint::Fault });
    }
    let zombies_top: Vec<(f64, f64)> = zombies.iter().map(|p| (p.0, p.2)).collect();
    let names = [
        (text("begun while all waited", "bắt đầu khi còn người chờ"), Paint::Attempts, wanted),
        (text("begun for nobody", "bắt đầu khi không còn ai chờ"), Paint::Zombie, zombies),
    ];
    let mut legend = Vec::new();
    for (name, paint, points) in names {
        if points.iter().any(|p| p.2 > p.1) {
            legend.push((paint, name.get(lang).to_string()));
            marks.push(Mark::Area { name: name.get(lang).into(), paint, points });
        }
    }
    marks.push(Mark::Line { name: String::new(), paint: Paint::Attempts, points: zombies_top, step: false });
    let peak = lang.number(highest, 0);
    let title = if highest > 1.0 {
        text(
            "One impatient user is in the DB up to {peak} {peak|time|times} at once",
            "Một user mất kiên nhẫn chiếm DB tới {peak} lần cùng lúc",
        )
    } else {
        text("One user is in the DB once at a time", "Mỗi lúc một user chỉ có một call trong DB")
    };
    let title = told(title, lang, &[("peak", &peak)]);
    Chart {
        id: "one_user",
        summary: title.clone(),
        title,
        note: text("Calls of the first user that the DB works on.", "Số call của user đầu tiên mà DB đang xử lý.")
            .get(lang)
            .into(),
        layout: Layout::Rows,
        x: Axis::from_zero(
            text("time, s", "thời gian, s").get(lang),
            Unit::new("s", same("s"), 2),
            nice_ceil(end.max(0.1)),
        ),
        y: YAxis::Number(Axis::from_zero(
            text("calls in the DB at once", "số call cùng lúc trong DB").get(lang),
            units::CALLS,
            nice_ceil(highest.max(4.0)),
        )),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend,
        panel_height: 170,
    }
}

/// An axis of calls a user: logarithmic, from one on.
fn amplification_axis(lang: Lang, most: f64) -> YAxis {
    let title = text("calls at the DB per user, logarithmic", "số call tại DB mỗi user, thang log").get(lang);
    let mut max = 10.0;
    while max < most {
        max *= 10.0;
    }
    YAxis::Number(Axis { title: title.into(), unit: PER_USER, min: 1.0, max, log: true })
}

/// This run as a word at its place.
fn this_run(seen: &Seen<Amplification>, x: f64) -> Option<Mark> {
    let per_user = seen.get(figure::PER_USER)?;
    let said = seen.lang.number(per_user, 2);
    let label = told(text("this run {calls}", "lần chạy này {calls}"), seen.lang, &[("calls", &said)]);
    Some(Mark::Note { x, y: per_user, label, paint: Paint::Retries })
}

fn guess(seen: &Seen<Amplification>, x: f64) -> Option<Mark> {
    let guess = seen.guess_for(figure::PER_USER)?;
    let label = spread::guessed(seen.lang, &seen.lang.number(guess, 2));
    Some(spread::guess(&label, (x, guess.max(1.0))))
}

/// Amplification over the number of layers, by who retries.
fn by_layers(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    // Listed layer by layer there is no "all" with one number of retries; the list itself is drawn.
    let listed = knobs.who == Who::Each;
    let free = Amplification { budget: false, ..knobs.clone() };
    let line = |name: Text, paint: Paint, knobs: &Amplification, who: Who| {
        let at = |layers: usize| Some((layers as f64, expected(knobs, who, layers)?.calls()));
        let points: Vec<(f64, f64)> = (1..=MOST_LAYERS).filter_map(at).collect();
        (!points.is_empty()).then(|| Mark::Line { name: name.get(lang).into(), paint, points, step: false })
    };
    let mut marks = Vec::new();
    if listed {
        marks.extend(line(
            text("as listed, the last one repeated", "theo danh sách, lặp lại tầng cuối"),
            Paint::Ink(0),
            &free,
            Who::Each,
        ));
    } else {
        marks.extend(line(text("every layer retries", "tầng nào cũng retry"), Paint::Ink(0), &free, Who::All));
        marks.extend(line(text("one layer retries", "chỉ một tầng retry"), Paint::Ink(1), &free, Who::Dependency));
    }
    if knobs.budget {
        let name = text("every layer, with the budget", "mọi tầng, có budget");
        marks.extend(line(name, Paint::Ink(2), knobs, if listed { Who::Each } else { Who::All }));
    }
    marks.extend(this_run(seen, knobs.layers as f64));
    marks.extend(guess(seen, knobs.layers as f64));
    let all = expected(&free, if listed { Who::Each } else { Who::All }, MOST_LAYERS).map_or(10.0, |e| e.calls());
    let most = all.max(seen.get(figure::PER_USER).unwrap_or(1.0));
    let factor = lang.number(knobs.retries as f64 + 1.0, 0);
    let one = expected(&free, Who::Dependency, MOST_LAYERS).map_or(0.0, |e| e.calls());
    let title = if knobs.retries > 0 && !listed && all < 1.05 * one {
        text("Here further retrying layers add next to nothing", "Ở đây thêm tầng retry gần như không tốn thêm gì")
    } else if knobs.fault < 1_000 || knobs.budget || listed || (knobs.slow() && knobs.cancel) {
        text("Each retrying layer multiplies", "Mỗi tầng retry là một lần nhân")
    } else if knobs.retries == 0 {
        text("Without retries, layers add nothing", "Không retry thì thêm tầng cũng không sao")
    } else {
        text("Each further retrying layer makes it {factor} times as many", "Cứ thêm một tầng retry là gấp {factor}")
    };
    let title = told(title, lang, &[("factor", &factor)]);
    Chart {
        id: "by_layers",
        summary: title.clone(),
        title,
        note: text(
            "Calculated for these knobs with one to six layers; ◂ this run. Straight lines here are exponential growth.",
            "Tính từ các núm hiện tại với một đến sáu tầng; ◂ lần chạy này. Đường thẳng ở đây là tăng theo hàm mũ.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: Axis { title: text("layers", "số tầng").get(lang).into(), unit: units::PLAIN, min: 0.5, max: MOST_LAYERS as f64 + 0.5, log: false },
        y: amplification_axis(lang, most),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 190,
    }
}

/// Amplification over how often a call meets the fault: each call by itself, and all of a user's together.
fn by_fault(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let line = |name: Text, paint: Paint, together: u64| {
        let at = |percent: u64| {
            let there = Amplification { fault: percent * 10, together, budget: false, ..knobs.clone() };
            Some((percent as f64, expected(&there, knobs.who, knobs.layers as usize)?.calls()))
        };
        Mark::Line { name: name.get(lang).into(), paint, points: (0..=100).filter_map(at).collect(), step: false }
    };
    let share = knobs.fault as f64 / 10.0;
    let mut marks = vec![
        line(
            text("an outage: a user’s calls share one fate", "sự cố: các call của một user chung số phận"),
            Paint::Ink(0),
            1_000,
        ),
        line(text("each call by itself", "mỗi call một số phận"), Paint::Ink(1), 0),
    ];
    marks.extend(this_run(seen, share));
    marks.extend(guess(seen, share));
    let most = worst(&knobs.by_hop()) as f64;
    let title = text(
        "The same share of faults costs far more when they come together",
        "Cùng một tỉ lệ lỗi, lỗi đến cùng lúc đắt hơn nhiều",
    );
    let flat = text("Nothing is multiplied here", "Ở đây không có gì để nhân");
    let title = if most > 1.0 { title } else { flat }.get(lang).to_string();
    let note = if knobs.budget {
        text(
            "Calculated for this chain without the budget; ◂ this run.",
            "Tính cho chuỗi này khi không có budget; ◂ lần chạy này.",
        )
    } else {
        text("Calculated for this chain; ◂ this run.", "Tính cho chuỗi này; ◂ lần chạy này.")
    };
    let axis = text("calls that meet the fault, %", "tỉ lệ call gặp lỗi, %").get(lang);
    Chart {
        id: "by_fault",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(axis, Unit::new("percent", same("%"), 1), 100.0),
        y: amplification_axis(lang, most.max(seen.get(figure::PER_USER).unwrap_or(1.0))),
        panels: vec![Panel::new("", marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 190,
    }
}

/// The worst case as a table: layers down, retries across.
fn worst_case(seen: &Seen<Amplification>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    const MOST_RETRIES: u32 = 5;
    let most = worst(&[MOST_RETRIES; MOST_LAYERS]);
    let row = |layers: usize| {
        let cell = |retries: u32| {
            let value = worst(&vec![retries; layers]);
            let x = f64::from(retries);
            // A step darker for each doubling.
            let shade = f64::from(value.ilog2()) / f64::from(most.ilog2());
            let here = knobs.who == Who::All && knobs.layers == layers as u64 && knobs.retries == u64::from(retries);
            let name =
                told(text("{retries} each", "mỗi tầng {retries}"), lang, &[("retries", &RETRIES.write(x, lang))]);
            let link = format!("layers={layers}&who=all&retries={retries}");
            HeatCell {
                name,
                x0: x - 0.5,
                x1: x + 0.5,
                value: value as f64,
                said: String::new(),
                read: String::new(),
                shade,
                here,
                link,
            }
        };
        Mark::Cells {
            row: layers - 1,
            paint: Paint::Retries,
            unit: units::CALLS,
            cells: (0..=MOST_RETRIES).map(cell).collect(),
        }
    };
    let names = (1..=MOST_LAYERS).map(|layers| LAYERS.write(layers as f64, lang));
    let worst_here = lang.number(seen.get(figure::WORST).unwrap_or(1.0), 0);
    let most = lang.number(most as f64, 0);
    // The table knows of no SDK.
    let title = if knobs.who == Who::All && knobs.sdk == 0 && worst_here == most {
        text(
            "At worst one request becomes {here}: the last corner",
            "Xấu nhất, một request thành {here}: góc cuối bảng",
        )
    } else if knobs.who == Who::All && knobs.sdk == 0 {
        text(
            "At worst one request becomes {here} here, {most} in the last corner",
            "Xấu nhất, một request ở đây thành {here}, ở góc cuối bảng thành {most}",
        )
    } else {
        text(
            "If every layer retried: up to {most} {most|call|calls} of one request",
            "Nếu tầng nào cũng retry: tới {most} call cho một request",
        )
    };
    let title = told(title, lang, &[("here", &worst_here), ("most", &most)]);
    Chart {
        id: "worst_case",
        summary: title.clone(),
        title,
        note: text(
            "Calls at the DB for one request when every layer retries and every call fails: (1 + retries) to the power of the layers.",
            "Số call tại DB cho một request khi tầng nào cũng retry và call nào cũng lỗi: (1 + số retry) luỹ thừa số tầng.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: Axis {
            title: text("retries of each layer", "số retry của mỗi tầng").get(lang).into(),
            unit: units::PLAIN,
            min: -0.5,
            max: f64::from(MOST_RETRIES) + 0.5,
            log: false,
        },
        y: YAxis::Names(names.collect()),
        panels: vec![Panel::new("", (1..=MOST_LAYERS).map(row).collect())],
        columns: vec![],
        legend: vec![],
        panel_height: 168,
    }
}
