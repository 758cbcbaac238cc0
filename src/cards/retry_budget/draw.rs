//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Dot, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units, agree,
};

use super::knobs::{Arrivals, Kind, RetryBudget};
use super::{PER_USER, RETRIES, USERS, figure, key, setting, within};
use crate::card::Seen;

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
    seen.outcome.rows(seen.plan, &key(kind, "bins")).filter_map(row).collect()
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
    let label = match (named, seen.knobs.failure, seen.lang) {
        (false, ..) => String::new(),
        (_, 1_000, lang) => text("outage: every call fails", "sự cố: mọi call đều lỗi").get(lang).into(),
        (.., Lang::En) => format!("outage: {share}\u{a0}% of the calls fail"),
        (.., Lang::Vi) => format!("sự cố: {share}\u{a0}% số call lỗi"),
    };
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
    let y_max = nice_ceil(highest.fold(healthy.unwrap_or(1.0), f64::max) * 1.05);
    let ms = lang.trimmed(width * 1e3, 0) + "\u{a0}ms";
    let y_title = match (healthy, lang) {
        (Some(_), lang) => text("calls per second", "số call mỗi giây").get(lang).to_string(),
        (None, Lang::En) => format!("calls per {ms}"),
        (None, Lang::Vi) => format!("số call mỗi {ms}"),
    };
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
            let label = match (i, lang) {
                (0, Lang::En) => format!("healthy load: {rate}"),
                (0, Lang::Vi) => format!("tải lúc khoẻ: {rate}"),
                _ => String::new(),
            };
            marks.push(Mark::Threshold { y: healthy, label });
        }
        let value = |figure: &str| get(seen, kind, figure).unwrap_or(f64::NAN);
        let count = |figure: &str| lang.number(value(figure), 0);
        let factor = format!("×\u{a0}{}", lang.number(value(figure::AMPLIFICATION), 2));
        let refused = match lang {
            _ if value(figure::REFUSED) == 0.0 => String::new(),
            Lang::En => format!("{} refused", count(figure::REFUSED)),
            Lang::Vi => format!("{} bị chặn", count(figure::REFUSED)),
        };
        let throttled = match lang {
            _ if value(figure::THROTTLED) == 0.0 => String::new(),
            Lang::En => format!("{} not sent", count(figure::THROTTLED)),
            Lang::Vi => format!("{} không gửi", count(figure::THROTTLED)),
        };
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
    let most = kinds.iter().max_by(by_amplification).copied().unwrap_or(first);
    let least = kinds.iter().min_by(by_amplification).copied().unwrap_or(first);
    let other = if value(most) > value(first) { most } else { least };
    let [here, there] = [first, other].map(|kind| lang.number(value(kind), 2));
    if value(other) == value(first) {
        return match lang {
            Lang::En => format!("All of them let {here} calls per user through"),
            Lang::Vi => format!("Loại nào cũng để lọt {here} call mỗi user"),
        };
    }
    match lang {
        Lang::En => format!("{}: {here} calls per user; {}: {there}", name(first, lang), within(other, lang)),
        Lang::Vi => format!("{}: {here} call mỗi user; {}: {there}", name(first, lang), within(other, lang)),
    }
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
        out.push_str(&match lang {
            Lang::En => format!(" {name}: {calls}, of which {retries}; {answered} answered."),
            Lang::Vi => format!(" {name}: {calls}, trong đó {retries}; {answered} được phục vụ."),
        });
    }
    out
}

/// What the calls cost and what they brought: calls in all and users answered, with the article's figures and the guess.
fn totals(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let kinds = seen.knobs.distinct();
    let names = kinds.iter().map(|&kind| name(kind, lang)).collect();
    let panel = |title: Text, unit: Unit, fig: &str, least: f64| {
        let (mut marks, mut high) = (Vec::new(), least);
        for (row, &kind) in kinds.iter().enumerate() {
            let key = key(kind, fig);
            // What is the same for every seed has no spread to draw.
            let spread = seen.many.and_then(|many| many.spread(seen.plan, &key)).filter(|s| s.p1 < s.p99);
            if let Some(s) = spread {
                let seeds = match lang {
                    Lang::En => format!("{} {}", lang.number(s.n as f64, 0), if s.n == 1 { "seed" } else { "seeds" }),
                    Lang::Vi => format!("{} hạt giống", lang.number(s.n as f64, 0)),
                };
                high = high.max(s.p99);
                marks.push(Mark::Spread { row, name: seeds, at: [s.p1, s.p10, s.median, s.p90, s.p99] });
            }
            let printed = seen.printed.iter().find(|p| p.figure == key).map(|p| p.value);
            let dots = [
                (printed, Dot::Article, text("the article", "trong bài")),
                (seen.get(&key), Dot::ThisRun, text("this run", "lần chạy này")),
                (seen.guess_for(&key), Dot::Guess, text("your guess", "bạn đoán")),
            ];
            for (value, dot, name) in dots {
                if let Some(x) = value {
                    high = high.max(x);
                    marks.push(Mark::Dot { row, x, kind: dot, name: name.get(lang).into() });
                }
            }
        }
        let x = Axis::from_zero(unit.text.get(lang), unit, nice_ceil(high * 1.02));
        Panel { name: title.get(lang).into(), formula: String::new(), x: Some(x), marks, cells: vec![] }
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
        let mut answered = lang.number(low, 0);
        if high > low {
            answered.push_str(match lang {
                Lang::En => " to ",
                Lang::Vi => " đến ",
            });
            answered.push_str(&lang.number(high, 0));
        }
        return match lang {
            Lang::En => format!("{answered} of {users} {} answered, whatever the budget", agree(&users, "user is", "users are")),
            Lang::Vi => format!("{answered} trên {users} user được phục vụ, dù chọn budget nào"),
        };
    }
    // Of equally many answers, the cheapest.
    let best = with.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.total_cmp(&a.2)));
    let Some(&(best, answered, calls)) = best else { return String::new() };
    let (name, answered, calls) = (name(best, lang), lang.number(answered, 0), lang.number(calls, 0));
    match lang {
        Lang::En => format!("{name} gets most users answered: {answered} of {users}, for {calls} {}", agree(&calls, "call", "calls")),
        Lang::Vi => format!("{name} phục vụ được nhiều user nhất: {answered} trên {users}, tốn {calls} call"),
    }
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
        seen.outcome.rows(seen.plan, &key(kind, "budget")).filter_map(point).collect()
    };
    let high = kinds.iter().flat_map(|&kind| series(kind)).map(|p| p.1).fold(1.0, f64::max);
    // Room above the lines for the panels' names.
    let y_max = nice_ceil(1.3 * high);
    let panels = kinds.iter().enumerate().map(|(i, &kind)| {
        let points = series(kind);
        let mut marks: Vec<Mark> = outage(seen, &x, i == 0).into_iter().collect();
        marks.push(if points.is_empty() {
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
        let cells = vec![cell(figure::IN_HAND), cell(figure::IN_HAND_LEAST), cell(figure::REFUSED)];
        Panel { name: name(kind, lang), formula: String::new(), x: None, marks, cells }
    });
    let least: Vec<f64> = kinds.iter().filter_map(|&kind| get(seen, kind, figure::IN_HAND_LEAST)).collect();
    let dry = least.iter().filter(|&&least| least == 0.0).count();
    let [dry_text, all] = [dry, least.len()].map(|n| lang.number(n as f64, 0));
    let title = match (dry, least.len(), lang) {
        (_, 0, lang) => text("None of them counts retries", "Không loại nào đếm retry").get(lang).to_string(),
        (0, _, Lang::En) => "No budget runs dry".to_string(),
        (0, _, Lang::Vi) => "Không budget nào cạn".to_string(),
        (1, 1, Lang::En) => "The only budget here runs dry".to_string(),
        (1, 1, Lang::Vi) => "Budget duy nhất ở đây bị cạn".to_string(),
        (dry, len, Lang::En) if dry == len => format!("All {all} budgets run dry"),
        (dry, len, Lang::Vi) if dry == len => format!("Cả {all} budget đều cạn"),
        (.., Lang::En) => format!("{dry_text} of {all} budgets run dry"),
        (.., Lang::Vi) => format!("{dry_text} trên {all} budget bị cạn"),
    };
    let y_title = text("retries in hand", "số retry có sẵn").get(lang);
    let panels: Vec<Panel> = panels.collect();
    Chart {
        id: "in_hand",
        summary: title.clone(),
        title,
        note: text(
            "Tokens, counted as the retries that all pods together would still grant in a row.",
            "Token, đổi ra số retry liên tiếp mà mọi pod cộng lại còn cho phép.",
        )
        .get(lang)
        .into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y_title, RETRIES, y_max)),
        panels,
        columns: [text("start", "lúc đầu"), text("least", "thấp nhất"), text("refused", "bị chặn")]
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
    let mut high: f64 = 0.0;
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
        marks.push(Mark::Line { name: name(kind, lang), paint: Paint::Ink(i as u8), points, step: false });
    }
    let label = match lang {
        Lang::En => format!("on paper: {}\u{a0}%", lang.trimmed(paper, 1)),
        Lang::Vi => format!("trên giấy: {}\u{a0}%", lang.trimmed(paper, 1)),
    };
    marks.push(Mark::Threshold { y: paper, label });
    // Five times the ratio is where the budgets lie; who has none leaves the axis, visibly.
    let y_max = nice_ceil(high.min((5.0 * paper).max(50.0)).max(1.2 * paper).max(1.0));
    let first = seen.knobs.rows[0];
    let retried = lang.number(get(seen, first, figure::RETRY_RATIO).unwrap_or(f64::NAN), 1);
    let title = match lang {
        Lang::En => format!("{}: {retried}\u{a0}% retries in all, {}\u{a0}% on paper", name(first, lang), lang.trimmed(paper, 1)),
        Lang::Vi => format!("{}: cả thảy {retried}\u{a0}% retry, trên giấy {}\u{a0}%", name(first, lang), lang.trimmed(paper, 1)),
    };
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
        y: YAxis::Number(Axis::from_zero(text("retries per user, %", "retry trên mỗi user, %").get(lang), SHARE, y_max)),
        panels: vec![Panel { name: String::new(), formula: String::new(), x: None, marks, cells: vec![] }],
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

/// What pods add: the closed form of the bucket over their number.
fn by_pods(seen: &Seen<RetryBudget>) -> Chart {
    let lang = seen.lang;
    let point = |row: &[f64]| match *row {
        [pods, amplification] => Some((pods, amplification)),
        _ => None,
    };
    let points: Vec<(f64, f64)> = seen.outcome.rows(seen.plan, "by_pods").filter_map(point).collect();
    let high = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let here = points.iter().find(|p| p.0 == seen.knobs.pods as f64).copied().unwrap_or((1.0, 1.0));
    let paper = 1.0 + seen.knobs.ratio as f64 / 1e3;
    let [pods, tokens, amplification] = [
        lang.number(here.0, 0),
        lang.number(seen.get(setting::STARTING_TOKENS).unwrap_or(f64::NAN), 0),
        lang.number(here.1, 2),
    ];
    let title = match (seen.knobs.pods, lang) {
        (1, Lang::En) => format!("One pod starts with {tokens} {}: {amplification} calls per user if all fail", agree(&tokens, "token", "tokens")),
        (_, Lang::En) => format!("{pods} pods start with {tokens} {}: {amplification} calls per user if all fail", agree(&tokens, "token", "tokens")),
        (_, Lang::Vi) => format!("{pods} pod khởi đầu với {tokens} token: {amplification} call mỗi user nếu tất cả lỗi"),
    };
    let on_paper = match lang {
        Lang::En => format!("on paper: {}", lang.number(paper, 2)),
        Lang::Vi => format!("trên giấy: {}", lang.number(paper, 2)),
    };
    let users = lang.number(seen.knobs.users as f64, 0);
    let (line, note) = match lang {
        Lang::En if seen.knobs.pods == 1 => (format!("{users} {}", agree(&users, "user", "users")), format!("1 pod: {amplification}")),
        Lang::En => (format!("{users} {}", agree(&users, "user", "users")), format!("{pods} pods: {amplification}")),
        Lang::Vi => (format!("{users} user"), format!("{pods} pod: {amplification}")),
    };
    const PODS: Unit = Unit::counted("pods", text("pods", "pod"), "pod", 0);
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
        x: Axis { title: text("pods, each with its own bucket", "số pod, mỗi pod một bucket").get(lang).into(), unit: PODS, min: 1.0, max: 1_000.0, log: true },
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
