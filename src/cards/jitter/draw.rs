//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Layout, Mark, Paint, Panel, Unit, YAxis, nice_ceil, same, sort_by_number, sort_by_numbers,
    text, units,
};
use overload_sim::backoff::Strategy;

use super::knobs::{Jitter, Server, formula, opt};
use super::words::impatient;
use super::{figure, key, within};
use crate::card::Seen;
use crate::say::told;
use crate::spread;

/// Most bars that a panel shows side by side; shorter slots are added up.
const MOST_BARS: f64 = 400.0;

/// All charts: the calls per slot, who is served when, and the spread over seeds.
pub fn charts(seen: &Seen<Jitter>) -> Vec<Chart> {
    vec![calls(seen), spreads(seen), done(seen)]
}

/// The figure of a strategy.
fn get(seen: &Seen<Jitter>, strategy: Strategy, name: &str) -> Option<f64> {
    seen.get(&key(strategy, name))
}

/// Strategies with their number of calls, fewest first.
pub fn by_work(seen: &Seen<Jitter>) -> Vec<(Strategy, f64)> {
    let mut all: Vec<_> =
        seen.knobs.distinct().into_iter().filter_map(|s| Some((s, get(seen, s, figure::TOTAL_CALLS)?))).collect();
    // Among those level in calls the one that is done sooner; where nobody was answered, that never.
    let end = |s: Strategy| last_ms(seen, s).unwrap_or(f64::INFINITY);
    sort_by_numbers(&mut all, |&(strategy, calls)| [calls, end(strategy)]);
    all
}

/// When the last answer came, in ms and not rounded; `None` where there was none.
pub fn last_ms(seen: &Seen<Jitter>, strategy: Strategy) -> Option<f64> {
    seen.rows(&key(strategy, "done")).last()?.first().copied()
}

/// The end of the shared time axis in seconds: where the last client is done, leaving out a strategy that takes more
/// than three times as long as the middle one. It runs out of the picture, and says so.
fn horizon(seen: &Seen<Jitter>) -> f64 {
    let mut ends: Vec<f64> = seen.knobs.distinct().iter().filter_map(|&s| get(seen, s, figure::ALL_DONE)).collect();
    sort_by_number(&mut ends, |&end| end);
    let middle = ends.get(ends.len() / 2).copied().unwrap_or(0.0);
    let last = ends.iter().copied().filter(|&end| end <= 3.0 * middle).fold(0.0, f64::max);
    nice_ceil((last + seen.knobs.slot.as_s()).max(2.0 * seen.knobs.slot.as_s()))
}

fn time_axis(seen: &Seen<Jitter>, title: &str) -> Axis {
    const S: Unit = Unit::new("s", same("s"), 2);
    Axis::from_zero(title, S, horizon(seen))
}

/// The card's figure: calls per slot, one panel a strategy.
fn calls(seen: &Seen<Jitter>) -> Chart {
    let lang = seen.lang;
    let Jitter { server, slot, capacity, .. } = *seen.knobs;
    let x = time_axis(seen, text("time since the common failure, s", "thời gian từ lúc cùng lỗi, s").get(lang));
    // As many slots to a bar as keep the bars apart.
    let per_bar = (x.max / slot.as_s() / MOST_BARS).ceil().max(1.0);
    let bar_s = slot.as_s() * per_bar;

    let rows = seen.knobs.distinct();
    let stacks: Vec<Stacks> = rows.iter().map(|&s| Stacks::of(seen, s, per_bar, x.max / bar_s)).collect();
    let first = seen.knobs.clients as f64;
    let highest = stacks.iter().map(|s| s.fullest).fold(first, f64::max);
    // Rounds pile up in slot 0 to more than the herd; the axis shows single rounds, what is higher is cut.
    let y_max = nice_ceil(if server == Server::Rounds { first.max(highest.min(first)) } else { highest });

    let width = lang.trimmed(bar_s * 1e3, 3) + "\u{a0}ms";
    let y = told(text("calls per {width}", "số call mỗi {width}"), lang, &[("width", &width)]);
    let y = Axis::from_zero(y, units::CALLS, y_max);
    let panels = rows
        .iter()
        .zip(&stacks)
        .map(|(&s, stacks)| panel(seen, s, stacks, (&x, y_max), capacity as f64 * per_bar))
        .collect();

    let mut legend = vec![
        (Paint::Goodput, text("answered", "được phục vụ").get(lang).to_string()),
        (Paint::Shed, text("refused with 503", "bị từ chối (503)").get(lang).to_string()),
    ];
    if server == Server::Queue {
        legend.push((Paint::Timeout, text("timed out at its client", "client timeout").get(lang).to_string()));
    }
    let note = match server {
        Server::Rounds => text(
            "Bars count calls by slot. Where green starts again inside a bar, a new round of that slot begins, with fresh capacity.",
            "Mỗi cột đếm số call của một slot. Trong cột, chỗ màu xanh bắt đầu lại là một vòng mới của slot đó, với năng lực mới.",
        ),
        Server::Strict => text(
            "Bars count calls by slot. What is above the capacity line is refused.",
            "Mỗi cột đếm số call của một slot. Phần nằm trên vạch năng lực bị từ chối.",
        ),
        Server::Queue => text(
            "Bars count calls by the slot in which they arrive, coloured by how they end.",
            "Mỗi cột đếm số call đến trong một slot, tô màu theo kết cục.",
        ),
    };
    Chart {
        id: "calls",
        title: calls_title(seen),
        note: note.get(lang).into(),
        summary: calls_summary(seen),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(y),
        panels,
        columns: [text("calls", "call"), text("retry peak", "đỉnh retry"), text("all done", "xong hết")]
            .map(|c| c.get(lang).to_string())
            .to_vec(),
        legend,
        panel_height: 100,
    }
}

/// One strategy's bars, ready to be drawn.
struct Stacks {
    answered: Vec<Bar>,
    refused: Vec<Bar>,
    timed_out: Vec<Bar>,
    /// Most calls in one round.
    fullest: f64,
    /// Where the retry peak stands: middle of its bar, its top.
    peak: Option<(f64, f64)>,
    /// How many batches lie beyond the axis.
    beyond: usize,
}

impl Stacks {
    fn of(seen: &Seen<Jitter>, strategy: Strategy, per_bar: f64, bars: f64) -> Stacks {
        // One division, so that 3 slots of 100 ms end at 0.3 and not beside it.
        let bar_us = seen.knobs.slot.as_us() as f64 * per_bar;
        let edge = |bar: f64| bar * bar_us / 1e6;
        let mut out =
            Stacks { answered: vec![], refused: vec![], timed_out: vec![], fullest: 0.0, peak: None, beyond: 0 };
        let (mut at, mut top, mut most_retries) = (f64::NAN, 0.0, 0.0);
        for row in seen.rows(&key(strategy, "batches")) {
            let &[slot, _round, answered, refused, timed_out, retries] = row else { continue };
            let bar = (slot / per_bar).floor();
            if bar >= bars {
                out.beyond += 1;
                continue;
            }
            if bar != at {
                (at, top) = (bar, 0.0);
            }
            let mut stack = |list: &mut Vec<Bar>, n: f64| {
                if n > 0.0 {
                    list.push(Bar { x0: edge(bar), x1: edge(bar + 1.0), y0: top, y1: top + n });
                    top += n;
                }
            };
            stack(&mut out.answered, answered);
            stack(&mut out.refused, refused);
            stack(&mut out.timed_out, timed_out);
            out.fullest = out.fullest.max(answered + refused + timed_out);
            let counts = seen.knobs.server != Server::Rounds || slot > 0.0;
            if counts && retries > most_retries {
                most_retries = retries;
                // At the height of the retries: first calls may share the bar.
                let height = if seen.knobs.server == Server::Rounds { top } else { retries };
                out.peak = Some((edge(bar + 1.0), height));
            }
        }
        out
    }
}

fn panel(seen: &Seen<Jitter>, strategy: Strategy, stacks: &Stacks, (x, y_max): (&Axis, f64), capacity: f64) -> Panel {
    let lang = seen.lang;
    let bars = |name: overload_chart::Text, paint, bars: &[Bar]| Mark::Bars {
        name: name.get(lang).into(),
        paint,
        bars: bars.to_vec(),
    };
    let mut marks = vec![
        bars(text("answered", "được phục vụ"), Paint::Goodput, &stacks.answered),
        bars(text("refused", "bị từ chối"), Paint::Shed, &stacks.refused),
    ];
    if !stacks.timed_out.is_empty() {
        marks.push(bars(text("timed out", "timeout"), Paint::Timeout, &stacks.timed_out));
    }
    let first = strategy == seen.knobs.rows[0];
    let label = match (first, seen.knobs.server) {
        (false, _) => text("", ""),
        (_, Server::Rounds) => text("capacity: {n} per round", "năng lực: {n} mỗi vòng"),
        (_, Server::Strict | Server::Queue) => text("capacity: {n}", "năng lực: {n}"),
    };
    let label = told(label, lang, &[("n", &lang.number(capacity, 0))]);
    marks.push(Mark::Threshold { y: capacity, label });
    if let Some((peak_x, peak_y)) = stacks.peak {
        let peak = lang.number(get(seen, strategy, figure::RETRY_PEAK).unwrap_or(0.0), 0);
        let label = told(text("peak {n}", "đỉnh {n}"), lang, &[("n", &peak)]);
        marks.push(Mark::Note { x: peak_x, y: peak_y, label, paint: Paint::Retries });
    }
    let all_done = get(seen, strategy, figure::ALL_DONE);
    if stacks.beyond > 0 {
        let n = lang.number(stacks.beyond as f64, 0);
        let end = all_done.map_or("–".into(), |s| units::S.write(s, lang));
        let label = match seen.knobs.server {
            Server::Rounds => {
                text("{n} more {n|round|rounds}, the last answer at {end}", "còn {n} vòng, câu trả lời cuối lúc {end}")
            }
            _ => text("{n} more {n|slot|slots}, the last answer at {end}", "còn {n} slot, câu trả lời cuối lúc {end}"),
        };
        let label = told(label, lang, &[("n", &n), ("end", &end)]);
        // Above the bars of a wave that is halfway worked off.
        marks.push(Mark::Note { x: x.max, y: 0.56 * y_max, label, paint: Paint::Ink(0) });
    }

    let base = seen.knobs.rows[0];
    let against_base = |name: &str| -> String {
        let (Some(here), Some(there)) = (get(seen, strategy, name), get(seen, base, name)) else {
            return String::new();
        };
        if strategy == base || there == 0.0 {
            return String::new();
        }
        let change = 100.0 * (here / there - 1.0);
        let rounded = change.round();
        if rounded == 0.0 {
            text("same", "như nhau").get(lang).into()
        } else {
            let sign = if rounded > 0.0 { "+" } else { "" };
            format!("{sign}{}\u{a0}%", lang.number(rounded, 0))
        }
    };
    let count = |name: &str| lang.number(get(seen, strategy, name).unwrap_or(f64::NAN), 0);
    let gave_up = get(seen, strategy, figure::GAVE_UP).unwrap_or(0.0);
    let gave_up_note = match gave_up {
        0.0 => String::new(),
        n => told(text("{n} gave up", "{n} bỏ cuộc"), lang, &[("n", &lang.number(n, 0))]),
    };
    let cells = vec![
        Cell { value: count(figure::TOTAL_CALLS), note: against_base(figure::TOTAL_CALLS) },
        Cell { value: count(figure::RETRY_PEAK), note: against_base(figure::RETRY_PEAK) },
        Cell { value: all_done.map_or("–".into(), |s| units::S.write(s, lang)), note: gave_up_note },
    ];
    Panel { name: opt(strategy).label.get(lang).into(), formula: formula(strategy).into(), x: None, marks, cells }
}

fn calls_title(seen: &Seen<Jitter>) -> String {
    let lang = seen.lang;
    if impatient(seen.knobs) {
        return text("No client waits long enough for an answer", "Không client nào chờ đủ lâu để nhận câu trả lời")
            .get(lang)
            .into();
    }
    if seen.knobs.clients <= seen.knobs.capacity {
        return text("The whole herd fits: nobody has to come back", "Cả đàn vừa chỗ: không ai phải quay lại")
            .get(lang)
            .into();
    }
    let work = by_work(seen);
    let base = seen.knobs.rows[0];
    let (Some(&(least, calls)), Some(base_calls)) = (work.first(), get(seen, base, figure::TOTAL_CALLS)) else {
        return String::new();
    };
    let least_name = opt(least).label.get(lang);
    let base_name = within(base, lang);
    let nobody_lost = seen.knobs.distinct().iter().all(|&s| get(seen, s, figure::GAVE_UP) == Some(0.0));
    if seen.knobs.server == Server::Queue && nobody_lost && work.iter().all(|w| w.1 == seen.knobs.clients as f64) {
        return text(
            "In a queue everybody waits, and the strategy changes nothing",
            "Trong hàng đợi ai cũng chờ, chiến lược nào cũng như nhau",
        )
        .get(lang)
        .into();
    }
    if work.iter().all(|w| w.1 == calls) {
        return text("Every strategy makes the same number of calls", "Chiến lược nào cũng tốn cùng số call")
            .get(lang)
            .into();
    }
    if least == base || calls == base_calls {
        let title = text("Nothing here makes fewer calls than {base}", "Không chiến lược nào tốn ít call hơn {base}");
        return told(title, lang, &[("base", &base_name)]);
    }
    let share = lang.number(100.0 * (1.0 - calls / base_calls), 0);
    let level = work.iter().filter(|w| w.1 == calls).count() > 1;
    let title = if level {
        text(
            "Nothing makes fewer calls than {within}: {share}\u{a0}% fewer than {base}",
            "Không chiến lược nào tốn ít call hơn {within}: ít hơn {base} {share}\u{a0}%",
        )
    } else {
        text(
            "{least} makes the fewest calls: {share}\u{a0}% fewer than {base}",
            "{least} tốn ít call nhất: ít hơn {base} {share}\u{a0}%",
        )
    };
    let within = within(least, lang);
    told(title, lang, &[("within", &within), ("least", least_name), ("share", &share), ("base", &base_name)])
}

fn calls_summary(seen: &Seen<Jitter>) -> String {
    let lang = seen.lang;
    let head = text(
        "Calls per slot over time, one panel a strategy.",
        "Số call mỗi slot theo thời gian, mỗi chiến lược một khung.",
    );
    let mut out = String::from(head.get(lang));
    for strategy in seen.knobs.distinct() {
        let name = opt(strategy).label.get(lang);
        let [calls, peak, done] =
            [figure::TOTAL_CALLS, figure::RETRY_PEAK, figure::ALL_DONE].map(|f| seen.say(&key(strategy, f)));
        let row = text(
            " {name}: {calls}, retry peak {peak}, last client done at {done}.",
            " {name}: {calls}, đỉnh retry {peak}, client cuối xong lúc {done}.",
        );
        out.push_str(&told(row, lang, &[("name", name), ("calls", &calls), ("peak", &peak), ("done", &done)]));
    }
    out
}

/// Total work and retry peak over seeds, with the article's figures and this run.
fn spreads(seen: &Seen<Jitter>) -> Chart {
    let lang = seen.lang;
    let rows = seen.knobs.distinct();
    let names = rows.iter().map(|&s| opt(s).label.get(lang).to_string()).collect();
    let panel = |name: overload_chart::Text, fig: &str| {
        let rows = rows.iter().enumerate();
        let marks: Vec<Mark> = rows.flat_map(|(row, &s)| spread::row(seen, &key(s, fig), row)).collect();
        let x = spread::axis(&marks, units::CALLS, lang, None);
        Panel { x: Some(x), ..Panel::new(name.get(lang), marks) }
    };
    let peak = match seen.knobs.server {
        Server::Rounds => text("retry peak, calls in one round", "đỉnh retry, số call trong một vòng"),
        Server::Strict | Server::Queue => text("retry peak, calls in one slot", "đỉnh retry, số call trong một slot"),
    };
    let panels = vec![panel(text("total calls", "tổng số call"), figure::TOTAL_CALLS), panel(peak, figure::RETRY_PEAK)];
    let title = spread_title(seen);
    Chart {
        id: "spread",
        summary: title.clone(),
        title,
        note: spread::NOTE.get(lang).into(),
        layout: Layout::Columns,
        x: Axis::from_zero("", units::CALLS, 1.0),
        y: YAxis::Names(names),
        panels,
        columns: vec![],
        legend: vec![],
        panel_height: 132,
    }
}

fn spread_title(seen: &Seen<Jitter>) -> String {
    let lang = seen.lang;
    let Some(many) = seen.many.filter(|many| many.len() > 1) else {
        return text(
            "One run is an anecdote: run many seeds to see the spread",
            "Một lần chạy chưa nói lên điều gì: hãy chạy nhiều seed",
        )
        .get(lang)
        .into();
    };
    let n = lang.number(many.len() as f64, 0);
    let order = by_work(seen);
    let keys: Vec<String> = order.iter().map(|(s, _)| key(*s, figure::TOTAL_CALLS)).collect();
    let ordered = |holds: fn(&Option<f64>, &Option<f64>) -> bool| {
        many.count(seen.plan, |get| keys.iter().map(|k| get(k)).collect::<Vec<_>>().is_sorted_by(holds))
    };
    let (same_order, all_level) = (ordered(|a, b| a < b), ordered(|a, b| a == b));
    if all_level == many.len() {
        let title = text(
            "No ranking: in all {n} {n|seed|seeds} every strategy makes as many calls as any other",
            "Không có thứ hạng: ở cả {n} seed chiến lược nào cũng tốn cùng số call",
        );
        return told(title, lang, &[("n", &n)]);
    }
    let least = order.first().map_or(String::new(), |(s, _)| opt(*s).label.get(lang).to_string());
    let first_least = many.count(seen.plan, |get| {
        let calls: Vec<f64> = keys.iter().filter_map(|k| get(k)).collect();
        calls.first().is_some_and(|first| calls.iter().all(|c| first <= c))
    });
    let title = if same_order == many.len() {
        text(
            "The ranking by total calls is the same in all {n} {n|seed|seeds}",
            "Thứ hạng theo tổng số call giống nhau ở cả {n} seed",
        )
    } else {
        text(
            "{least} makes the fewest calls in {first} of {n} {n|seed|seeds}",
            "{least} tốn ít call nhất ở {first} trên {n} seed",
        )
    };
    let first = lang.number(first_least as f64, 0);
    told(title, lang, &[("least", &least), ("first", &first), ("n", &n)])
}

/// The share of clients answered over time.
fn done(seen: &Seen<Jitter>) -> Chart {
    let lang = seen.lang;
    let x = time_axis(seen, text("time since the common failure, s", "thời gian từ lúc cùng lỗi, s").get(lang));
    let clients = seen.knobs.clients as f64;
    let line = |(i, &strategy): (usize, &Strategy)| {
        let mut points = vec![(0.0, 0.0)];
        for row in seen.rows(&key(strategy, "done")) {
            if let &[ms, count] = row {
                points.push((ms / 1e3, 100.0 * count / clients));
            }
        }
        // Level to the axis's end, so that those still waiting can be seen.
        let last = points.last().copied().unwrap_or_default();
        points.push((x.max.max(last.0), last.1));
        Mark::Line { name: within(strategy, lang), paint: Paint::Ink(i as u8), points, step: true }
    };
    let rows = seen.knobs.distinct();
    let mut marks: Vec<Mark> = rows.iter().enumerate().map(line).collect();
    for &strategy in &rows {
        if let Some(guess) = seen.guess_for(&key(strategy, figure::ALL_DONE)) {
            let said = units::S.write(guess, lang);
            let label = told(
                text("your guess for {strategy}: {said}", "bạn đoán cho {strategy}: {said}"),
                lang,
                &[("strategy", &within(strategy, lang)), ("said", &said)],
            );
            marks.push(spread::guess(&label, (guess.min(x.max), 50.0)));
        }
    }
    let quickest = rows
        .iter()
        .filter(|&&s| get(seen, s, figure::GAVE_UP) == Some(0.0))
        .filter_map(|&s| Some((s, get(seen, s, figure::ALL_DONE)?)))
        // By the exact time: the figure is rounded to a tenth.
        .min_by(|a, b| {
            last_ms(seen, a.0).unwrap_or(f64::INFINITY).total_cmp(&last_ms(seen, b.0).unwrap_or(f64::INFINITY))
        });
    let title = match quickest {
        None => text("Under every strategy some clients give up", "Chiến lược nào cũng có client bỏ cuộc"),
        Some((s, _)) if rows.iter().all(|&r| get(seen, r, figure::ALL_DONE) == get(seen, s, figure::ALL_DONE)) => {
            text("All strategies are done at the same time", "Mọi chiến lược đều xong cùng lúc")
        }
        Some(_) => text(
            "{strategy} drains the herd soonest: all done at {at}",
            "{strategy} giải toả cả đàn sớm nhất: xong hết lúc {at}",
        ),
    };
    let (strategy, at) =
        quickest.map_or(("", String::new()), |(s, at)| (opt(s).label.get(lang), units::S.write(at, lang)));
    let title = told(title, lang, &[("strategy", strategy), ("at", &at)]);
    const SHARE: Unit = Unit::new("percent", same("%"), 0);
    let y_title = text("clients answered, %", "số client đã được phục vụ, %");
    let note = text("Share of the clients that have their answer.", "Tỉ lệ client đã có câu trả lời.");
    let y = YAxis::Number(Axis::from_zero(y_title.get(lang), SHARE, 100.0));
    Chart::single("done", (title, note.get(lang)), (x, y), marks, 200)
}
