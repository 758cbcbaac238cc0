//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};

use super::knobs::{Arrivals, Kind, RetryBudget};
use super::{PER_USER, USERS, figure, key, setting, within};
use crate::card::Seen;
use crate::say::told;
use crate::spread;

/// All charts: the calls through the outage, what they cost and brought, what the budgets had in hand, the ratio over
/// time, and where there is a bucket what pods add.
pub fn charts(seen: &Seen<RetryBudget>) -> Vec<Chart> {
    // Always all of them, in this order: a page makes room for its charts once.
    vec![calls(seen), totals(seen), in_hand(seen), ratio(seen), by_pods(seen)]
}

/// The figure of a kind.
fn get(seen: &Seen<RetryBudget>, kind: Kind, name: &str) -> Option<f64> {
    seen.get(&key(kind, name))
}

fn name(kind: Kind, lang: Lang) -> String {
    kind.opt().label.get(lang).to_string()
}

/// One stretch of time of one kind.
#[derive(Clone, Copy)]
struct Row {
    at: f64,
    users: f64,
    first: f64,
    retries: f64,
}

fn rows(seen: &Seen<RetryBudget>, kind: Kind) -> Vec<Row> {
    let row = |row: &[f64]| match *row {
        [at, users, first, retries, _] => Some(Row { at, users, first, retries }),
        _ => None,
    };
    seen.rows(&key(kind, "bins")).filter_map(row).collect()
}

/// The width of a bin in seconds: the end of the first one, as the budgets were looked at, or all of a run of one bin.
fn width(seen: &Seen<RetryBudget>) -> f64 {
    let second = |kind: &Kind| rows(seen, *kind).get(1).map(|row| row.at);
    seen.knobs.distinct().iter().find_map(second).unwrap_or(0.001)
}

/// The shared time axis, from the first user to the last call of any kind.
fn time_axis(seen: &Seen<RetryBudget>) -> Axis {
    const S: Unit = Unit::new("s", same("s"), 2);
    let width = width(seen);
    let kinds = seen.knobs.distinct();
    let end = kinds.iter().filter_map(|&kind| rows(seen, kind).last().map(|row| row.at + width)).fold(width, f64::max);
    let title = text("time since the first user, s", "thời gian từ user đầu tiên, s");
    Axis::from_zero(title.get(seen.lang), S, nice_ceil(end))
}

/// The outage as a band, named in one panel only.
fn outage(seen: &Seen<RetryBudget>, x: &Axis, named: bool) -> Option<Mark> {
    let from = seen.knobs.from.as_s();
    let to = seen.knobs.until().as_s().min(x.max);
    if seen.knobs.failure == 0 || from >= x.max {
        return None;
    }
    let share = seen.lang.trimmed(seen.knobs.failure as f64 / 10.0, 1);
    let label = match (named, seen.knobs.failure) {
        (false, _) => text("", ""),
        (_, 1_000) => text("outage: every call fails", "sự cố: mọi call đều lỗi"),
        _ => text("{share}\u{a0}% of the calls fail", "{share}\u{a0}% số call lỗi"),
    };
    let label = told(label, seen.lang, &[("share", &share)]);
    Some(Mark::Span { x0: from, x1: to, label, paint: Paint::Fault })
}

/// The card's figure: calls per second, one panel a kind.
fn calls(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let kinds = seen.knobs.distinct();
    let x = time_axis(seen);
    let width = width(seen);
    let healthy = seen.knobs.healthy_rate();
    // Where all come at once there is no load per second to compare with: plain counts then.
    let scale = if healthy.is_some() { 1.0 / width } else { 1.0 };
    let highest = kinds.iter().flat_map(|&kind| rows(seen, kind)).map(|row| (row.first + row.retries) * scale);
    // Room above the bars for the panels' names and rules.
    let y_max = nice_ceil(highest.fold(healthy.unwrap_or(1.0), f64::max) * 1.45);
    let ms = lang.trimmed(width * 1e3, 0) + "\u{a0}ms";
    let y_title = match healthy {
        Some(_) => text("calls per second", "số call mỗi giây"),
        None => text("calls per {ms}", "số call mỗi {ms}"),
    };
    let y_title = told(y_title, lang, &[("ms", &ms)]);
    let panel = |(i, &kind): (usize, &Kind)| {
        let bars = |of: fn(&Row) -> (f64, f64)| -> Vec<Bar> {
            let bar = |row: &Row| {
                let (y0, y1) = of(row);
                (y1 > y0).then_some(Bar { x0: row.at, x1: row.at + width, y0: y0 * scale, y1: y1 * scale })
            };
            rows(seen, kind).iter().filter_map(bar).collect()
        };
        let mut marks: Vec<Mark> = outage(seen, &x, i == 0).into_iter().collect();
        marks.push(Mark::Bars {
            name: text("first calls", "call đầu").get(lang).into(),
            paint: Paint::Attempts,
            bars: bars(|row| (0.0, row.first)),
        });
        marks.push(Mark::Bars {
            name: same("retries").get(lang).into(),
            paint: Paint::Retries,
            bars: bars(|row| (row.first, row.first + row.retries)),
        });
        if let Some(healthy) = healthy {
            let rate = units::PER_SECOND.write(healthy, lang);
            let label = if i == 0 { text("healthy load: {rate}", "tải lúc khoẻ: {rate}") } else { text("", "") };
            let label = told(label, lang, &[("rate", &rate)]);
            marks.push(Mark::Threshold { y: healthy, label });
        }
        let value = |figure: &str| get(seen, kind, figure).unwrap_or(f64::NAN);
        let count = |figure: &str| lang.number(value(figure), 0);
        let factor = format!("×\u{a0}{}", lang.number(value(figure::AMPLIFICATION), 2));
        let unless_none = |figure: &str, words: Text| match value(figure) {
            0.0 => String::new(),
            _ => told(words, lang, &[("n", &count(figure))]),
        };
        let refused = unless_none(figure::REFUSED, text("{n} refused", "{n} bị chặn"));
        let throttled = unless_none(figure::THROTTLED, text("{n} not sent", "{n} không gửi"));
        let cells = vec![
            Cell { value: count(figure::TOTAL_CALLS), note: factor },
            Cell { value: count(figure::RETRIES), note: refused },
            Cell { value: count(figure::ANSWERED), note: throttled },
        ];
        Panel { name: name(kind, lang), formula: kind.formula().into(), x: None, marks, cells }
    };
    let panels = kinds.iter().enumerate().map(panel).collect();
    Chart {
        id: "calls",
        title: calls_title(seen),
        note: text(
            "Calls that reach the dependency: first calls, and retries on top of them.",
            "Số call tới dependency: call đầu ở dưới, retry chồng lên trên.",
        )
        .get(lang)
        .into(),
        summary: calls_summary(seen),
        layout: Layout::Rows,
        x: x.clone(),
        y: YAxis::Number(Axis::from_zero(y_title, units::CALLS, y_max)),
        panels,
        columns: [text("calls", "call"), text("retries", "retry"), text("answered", "được phục vụ")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: vec![
            (Paint::Attempts, text("first calls", "call đầu").get(lang).into()),
            (Paint::Retries, text("retries", "retry").get(lang).into()),
        ],
        panel_height: 90,
    }
}

fn calls_title(seen: &Seen<RetryBudget>) -> String {
    let lang = seen.lang;
    let kinds = seen.knobs.distinct();
    let first = seen.knobs.rows[0];
    let value = |kind| get(seen, kind, figure::AMPLIFICATION).unwrap_or(0.0);
    let retries: f64 = kinds.iter().filter_map(|&kind| get(seen, kind, figure::RETRIES)).sum();
    if retries == 0.0 {
        let wanted: f64 = kinds.iter().filter_map(|&kind| get(seen, kind, figure::REFUSED)).sum();
        let title = if wanted == 0.0 {
            text("Nobody retries: no budget has anything to do", "Không ai retry: budget nào cũng rảnh rỗi")
        } else {
            text("Not one retry gets through", "Không một retry nào lọt qua")
        };
        return title.get(lang).into();
    }
    let by_amplification = |a: &&Kind, b: &&Kind| value(**a).total_cmp(&value(**b));
    // Of several alike the first.
    let most = kinds.iter().rev().max_by(by_amplification).copied().unwrap_or(first);
    let least = kinds.iter().min_by(by_amplification).copied().unwrap_or(first);
    let other = if value(most) > value(first) { most } else { least };
    let [here, there] = [first, other].map(|kind| lang.number(value(kind), 2));
    let title = if value(other) == value(first) {
        text("All of them let {here} {here|call|calls} per user through", "Loại nào cũng để lọt {here} call mỗi user")
    } else {
        text(
            "{first}: {here} {here|call|calls} per user; {other}: {there}",
            "{first}: {here} call mỗi user; {other}: {there}",
        )
    };
    let (first, other) = (name(first, lang), within(other, lang));
    told(title, lang, &[("first", &first), ("here", &here), ("other", &other), ("there", &there)])
}

fn calls_summary(seen: &Seen<RetryBudget>) -> String {
    let lang = seen.lang;
    let head = text(
        "Calls that reach the dependency over time, one panel a kind of budget.",
        "Số call tới dependency theo thời gian, mỗi loại budget một khung.",
    );
    let mut out = String::from(head.get(lang));
    for kind in seen.knobs.distinct() {
        let name = name(kind, lang);
        let [calls, retries, answered] =
            [figure::TOTAL_CALLS, figure::RETRIES, figure::ANSWERED].map(|f| seen.say(&key(kind, f)));
        let row = text(
            " {name}: {calls}, of which {retries}; {answered} answered.",
            " {name}: {calls}, trong đó {retries}; {answered} được phục vụ.",
        );
        let values = [("name", &*name), ("calls", &calls), ("retries", &retries), ("answered", &answered)];
        out.push_str(&told(row, lang, &values));
    }
    out
}

/// What the calls cost and what they brought: calls in all and users answered, with the article's figures and the guess.
fn totals(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let kinds = seen.knobs.distinct();
    let names = kinds.iter().map(|&kind| name(kind, lang)).collect();
    let panel = |title: Text, unit: Unit, fig: &str, least: f64| {
        let rows = kinds.iter().enumerate();
        let marks: Vec<Mark> = rows.flat_map(|(row, &kind)| spread::row(seen, &key(kind, fig), row)).collect();
        let x = spread::axis(&marks, unit, lang, Some(least));
        Panel { x: Some(x), ..Panel::new(title.get(lang), marks) }
    };
    let title = totals_title(seen);
    Chart {
        id: "totals",
        summary: title.clone(),
        title,
        note: text(
            "Left what the dependency has to bear, right what the users get. ◇ the article, ▲ this run.",
            "Bên trái là thứ dependency phải chịu, bên phải là thứ user nhận được. ◇ trong bài, ▲ lần chạy này.",
        )
        .get(lang)
        .into(),
        layout: Layout::Columns,
        x: Axis::from_zero("", units::CALLS, 1.0),
        y: YAxis::Names(names),
        panels: vec![
            panel(text("calls in all", "tổng số call"), units::CALLS, figure::TOTAL_CALLS, 0.0),
            panel(text("users answered", "user được phục vụ"), USERS, figure::ANSWERED, seen.knobs.users as f64),
        ],
        columns: vec![],
        legend: vec![],
        panel_height: 132,
    }
}

fn totals_title(seen: &Seen<RetryBudget>) -> String {
    let lang = seen.lang;
    let kinds = seen.knobs.distinct();
    let with: Vec<(Kind, f64, f64)> = kinds
        .iter()
        .filter_map(|&kind| Some((kind, get(seen, kind, figure::ANSWERED)?, get(seen, kind, figure::TOTAL_CALLS)?)))
        .collect();
    let Some(&(_, first, _)) = with.first() else { return String::new() };
    let users = lang.number(seen.knobs.users as f64, 0);
    let [low, high] = [f64::min, f64::max].map(|pick| with.iter().map(|w| w.1).fold(first, pick));
    if high - low < 0.01 * seen.knobs.users as f64 {
        let template = if high > low {
            text(
                "{low} to {high} of {users} {users|user|users} answered, whatever the budget",
                "{low} đến {high} trên {users} user được phục vụ, dù chọn budget nào",
            )
        } else {
            text(
                "{low} of {users} {users|user|users} answered, whatever the budget",
                "{low} trên {users} user được phục vụ, dù chọn budget nào",
            )
        };
        let [low, high] = [low, high].map(|n| lang.number(n, 0));
        return told(template, lang, &[("low", &low), ("high", &high), ("users", &users)]);
    }
    // Of equally many answers, the cheapest.
    let best = with.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.total_cmp(&a.2)));
    let Some(&(best, answered, calls)) = best else { return String::new() };
    let (name, answered, calls) = (name(best, lang), lang.number(answered, 0), lang.number(calls, 0));
    let template = text(
        "{name} gets most users answered: {answered} of {users}, for {calls} {calls|call|calls}",
        "{name} phục vụ được nhiều user nhất: {answered} trên {users}, tốn {calls} call",
    );
    told(template, lang, &[("name", &name), ("answered", &answered), ("users", &users), ("calls", &calls)])
}

/// How many retries each budget would still grant.
fn in_hand(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let x = time_axis(seen);
    let kinds = seen.knobs.distinct();
    let series = |kind: Kind| -> Vec<(f64, f64)> {
        let point = |row: &[f64]| match *row {
            [at, retries] => Some((at, retries)),
            _ => None,
        };
        seen.rows(&key(kind, "budget")).filter_map(point).collect()
    };
    // Ten tokens and five hundred side by side: each as a share of the most that it had. Room above for the names.
    let y_max = 150.0;
    let panels = kinds.iter().enumerate().map(|(i, &kind)| {
        let mut points = series(kind);
        let most = points.iter().map(|p| p.1).fold(0.0, f64::max);
        points.iter_mut().for_each(|p| p.1 *= 100.0 / most.max(1.0));
        let points_of_none = points.is_empty();
        let mut marks: Vec<Mark> = outage(seen, &x, i == 0).into_iter().collect();
        marks.push(if points_of_none {
            let label = match kind {
                Kind::Sre => text("counts no retries: decides by chance", "không đếm retry: quyết định theo xác suất"),
                _ => text("counts nothing: grants them all", "không đếm gì: cho retry hết"),
            };
            Mark::Note { x: 0.0, y: y_max / 2.0, label: label.get(lang).into(), paint: Paint::Ink(0) }
        } else {
            Mark::Line { name: String::new(), paint: Paint::Ink(0), points, step: false }
        });
        let cell = |figure: &str| {
            let value = get(seen, kind, figure).map_or("–".into(), |value| lang.number(value, 0));
            Cell { value, note: String::new() }
        };
        let most = if points_of_none { "–".into() } else { lang.number(most, 0) };
        let cells = vec![Cell { value: most, note: String::new() }, cell(figure::IN_HAND_LEAST), cell(figure::REFUSED)];
        Panel { cells, ..Panel::new(name(kind, lang), marks) }
    });
    let least: Vec<f64> = kinds.iter().filter_map(|&kind| get(seen, kind, figure::IN_HAND_LEAST)).collect();
    let dry = least.iter().filter(|&&least| least == 0.0).count();
    let [dry_text, all] = [dry, least.len()].map(|n| lang.number(n as f64, 0));
    let title = match (dry, least.len()) {
        (_, 0) => text("None of them counts retries", "Không loại nào đếm retry"),
        (0, _) => text("No budget runs dry", "Không budget nào cạn"),
        (1, 1) => text("The only budget here runs dry", "Budget duy nhất ở đây bị cạn"),
        (dry, all) if dry == all => text("All {all} budgets run dry", "Cả {all} budget đều cạn"),
        (1, _) => text("One of {all} budgets runs dry", "Một trên {all} budget bị cạn"),
        _ => text("{dry} of {all} budgets run dry", "{dry} trên {all} budget bị cạn"),
    };
    let title = told(title, lang, &[("dry", &dry_text), ("all", &all)]);
    let y_title = text("in hand, % of the most", "có sẵn, % mức cao nhất").get(lang);
    let panels: Vec<Panel> = panels.collect();
    Chart {
        id: "in_hand",
        summary: title.clone(),
        title,
        note: text(
            "Tokens, counted as the retries that all pods together would still grant in a row, against the most they had.",
            "Token, đổi ra số retry liên tiếp mà mọi pod cộng lại còn cho phép, so với mức cao nhất từng có.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y_title, units::PERCENT, y_max)),
        panels,
        columns: [text("most", "cao nhất"), text("least", "thấp nhất"), text("refused", "bị chặn")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend: vec![],
        panel_height: 64,
    }
}

/// Retries per user over time, all kinds in one panel.
fn ratio(seen: &Seen<RetryBudget>) -> Chart {
    const SHARE: Unit = Unit::new("percent", same("%"), 0);
    let lang = seen.lang;
    let x = time_axis(seen);
    let paper = seen.knobs.ratio as f64 / 10.0;
    // The highest point, and how high a budget is on the whole.
    let (mut high, mut usual): (f64, f64) = (0.0, 0.0);
    let width = width(seen);
    let mut marks: Vec<Mark> = outage(seen, &x, true).into_iter().collect();
    for (i, kind) in seen.knobs.distinct().into_iter().enumerate() {
        let mut with_users = rows(seen, kind);
        if seen.knobs.healthy_rate().is_some() || seen.knobs.arrivals == Arrivals::InTurn {
            with_users.retain(|row| row.users > 0.0);
        } else {
            // All at once: each wave of retries against all users.
            with_users.iter_mut().for_each(|row| row.users = seen.knobs.users as f64);
        }
        // A bin may hold two retries or three by turns: about twenty points show the ratio instead of that.
        let even = seen.knobs.healthy_rate().is_some();
        let together = if even { with_users.len().div_ceil(20).max(1) } else { 1 };
        let point = |group: &[Row]| {
            let sum = |of: fn(&Row) -> f64| group.iter().map(of).sum::<f64>();
            let middle = (group[0].at + group[group.len() - 1].at + width) / 2.0;
            (middle, 100.0 * sum(|row| row.retries) / sum(|row| row.users))
        };
        let points: Vec<(f64, f64)> = with_users.chunks(together).map(point).collect();
        high = points.iter().map(|p| p.1).fold(high, f64::max);
        if kind != Kind::Off {
            usual = usual.max(points.iter().map(|p| p.1).sum::<f64>() / points.len().max(1) as f64);
        }
        marks.push(Mark::Line { name: name(kind, lang), paint: Paint::Ink(i as u8), points, step: false });
    }
    let on_paper = lang.trimmed(paper, 1);
    let label = told(text("on paper: {paper}\u{a0}%", "trên giấy: {paper}\u{a0}%"), lang, &[("paper", &on_paper)]);
    marks.push(Mark::Threshold { y: paper, label });
    // Five times the ratio is where the budgets lie, unless they grant nearly all; who has none leaves the axis, visibly.
    let y_max = nice_ceil(high.min((5.0 * paper).max(50.0).max(1.5 * usual)).max(1.2 * paper).max(1.0));
    let first = seen.knobs.rows[0];
    let retried = lang.number(get(seen, first, figure::RETRY_RATIO).unwrap_or(f64::NAN), 1);
    let title = text(
        "{first}: {retried}\u{a0}% retries in all, {paper}\u{a0}% on paper",
        "{first}: cả thảy {retried}\u{a0}% retry, trên giấy {paper}\u{a0}%",
    );
    let title = told(title, lang, &[("first", &name(first, lang)), ("retried", &retried), ("paper", &on_paper)]);
    Chart {
        id: "ratio",
        summary: title.clone(),
        title,
        note: text(
            "Retries sent while a hundred users come. The alert worth having: it moves before anything else does.",
            "Số retry gửi đi trong lúc một trăm user đến. Đây là chỉ số đáng đặt cảnh báo: nó nhúc nhích sớm nhất.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(
            text("retries per user, %", "retry trên mỗi user, %").get(lang),
            SHARE,
            y_max,
        )),
        panels: vec![Panel { name: String::new(), formula: String::new(), x: None, marks, cells: vec![] }],
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

const PODS: Unit = Unit::counted("pods", text("pods", "pod"), "pod", 0);

/// What pods add: the closed form of the bucket over their number.
fn by_pods(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let point = |row: &[f64]| match *row {
        [pods, amplification] => Some((pods, amplification)),
        _ => None,
    };
    let points: Vec<(f64, f64)> = seen.rows("by_pods").filter_map(point).collect();
    let high = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let here = points.iter().find(|p| p.0 == seen.knobs.pods as f64).copied().unwrap_or((1.0, 1.0));
    let paper = 1.0 + seen.knobs.ratio as f64 / 1e3;
    let tokens = seen.say(setting::STARTING_TOKENS);
    let amplification = lang.number(here.1, 2);
    let pods = PODS.write(here.0, lang);
    let title = if here.0 == 1.0 {
        text(
            "One pod starts with {tokens}: {each} {each|call|calls} per user if all fail",
            "Một pod khởi đầu với {tokens}: {each} call mỗi user nếu tất cả lỗi",
        )
    } else {
        text(
            "{pods} start with {tokens}: {each} {each|call|calls} per user if all fail",
            "{pods} khởi đầu với {tokens}: {each} call mỗi user nếu tất cả lỗi",
        )
    };
    let title = told(title, lang, &[("pods", &pods), ("tokens", &tokens), ("each", &amplification)]);
    let on_paper = lang.number(paper, 2);
    let on_paper = told(text("on paper: {each}", "trên giấy: {each}"), lang, &[("each", &on_paper)]);
    let line = USERS.write(seen.knobs.users as f64, lang);
    let note = format!("{pods}: {amplification}");
    Chart {
        id: "by_pods",
        summary: title.clone(),
        title,
        note: text(
            "Closed form of the article’s bucket where every call fails, the users spread evenly over the pods.",
            "Công thức cho bucket của bài khi mọi call đều lỗi, user chia đều cho các pod.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x: Axis {
            title: text("pods, each with its own bucket", "số pod, mỗi pod một bucket").get(lang).into(),
            unit: PODS,
            min: 1.0,
            max: 1_000.0,
            log: true,
        },
        y: YAxis::Number(Axis::from_zero(PER_USER.text.get(lang), PER_USER, nice_ceil(high * 1.05))),
        panels: vec![Panel {
            name: String::new(),
            formula: String::new(),
            x: None,
            marks: vec![
                Mark::Line { name: line, paint: Paint::Attempts, points, step: false },
                Mark::Threshold { y: paper, label: on_paper },
                Mark::Note { x: here.0, y: here.1, label: note, paint: Paint::Attempts },
            ],
            cells: vec![],
        }],
        columns: vec![],
        legend: vec![],
        panel_height: 180,
    }
}
