//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, HeatCell, Lang, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, sort_by_number,
    text, units,
};

use super::beside::{BINS, Map, bin_width, strip};
use super::knobs::{Beside, Guard, Guards, PODS, SECONDS, Storm};
use super::words;
use crate::card::Seen;
use crate::link;
use crate::say::{filled, raised, told};
use crate::spread;

const IN_TIME: Text = text("answered in time", "trả lời kịp");
const NOT: Text = text("not answered in time", "không trả lời kịp");

/// All charts: users served, calls by layer with the breakers, the DB's work, what is inside it with the pods,
/// amplification and retry ratio, and last what lies beside this run: the spread over seeds, or the other runs.
pub fn charts(seen: &Seen<Storm>) -> Vec<Chart> {
    let view = View::of(seen);
    let last = match seen.knobs.beside {
        Beside::Nothing | Beside::Bare => over_seeds(seen),
        Beside::Strip => view.strip(),
        Beside::Load | Beside::Room => neighbours(seen),
    };
    vec![view.served(), view.calls(), view.work(), view.inside(), view.ratios(), last]
}

const RATIO: Unit = Unit::new("times", same("×"), 2);

/// A time as people say it: seconds up to two minutes, then minutes.
pub fn minutes(seconds: f64, lang: Lang) -> String {
    const MINUTES: Unit = Unit::new("min", text("min", "phút"), 0);
    if seconds < 120.0 { SECONDS.write(seconds, lang) } else { MINUTES.write(seconds / 60.0, lang) }
}

/// The name of layer `k`, counted from 0, or of the DB below the last.
pub fn place(seen: &Seen<Storm>, k: usize) -> String {
    let template = if k as u64 == seen.knobs.layers { same("DB") } else { text("layer {k}", "tầng {k}") };
    told(template, seen.lang, &[("k", &seen.lang.number(k as f64 + 1.0, 0))])
}

/// Several seconds of the series: a chart has no room for each.
#[derive(Clone, Default)]
struct Bin {
    at: f64,
    seconds: f64,
    // Sums.
    users: f64,
    good: f64,
    calls: Vec<f64>,
    retries: f64,
    useful: f64,
    wasted: f64,
    // At the end.
    inside: f64,
    pods: f64,
    breakers: Vec<f64>,
}

/// A run to be drawn over time.
struct View<'a> {
    seen: &'a Seen<'a, Storm>,
    /// Seconds of each bin.
    width: f64,
    bins: Vec<Bin>,
    watch: f64,
    /// Calls a second that the DB can do.
    capacity: f64,
}

impl View<'_> {
    fn of<'a>(seen: &'a Seen<'a, Storm>) -> View<'a> {
        let watch = seen.knobs.watch.as_s();
        let width = bin_width(watch, 200.0);
        let layers = seen.knobs.layers as usize;
        let mut bins: Vec<Bin> = Vec::new();
        for row in seen.rows("seconds") {
            let (&[at, users, good], rest) = row.split_at(3) else { continue };
            let (calls, rest) = rest.split_at(layers);
            let (&[retries, _, useful, wasted, inside, pods], breakers) = rest.split_at(6) else { continue };
            if at % width == 0.0 || bins.is_empty() {
                bins.push(Bin { at, calls: vec![0.0; layers], breakers: vec![0.0; layers], ..Bin::default() });
            }
            let Some(bin) = bins.last_mut() else { continue };
            bin.seconds += 1.0;
            bin.users += users;
            bin.good += good;
            bin.calls.iter_mut().zip(calls).for_each(|(sum, n)| *sum += n);
            bin.retries += retries;
            bin.useful += useful;
            bin.wasted += wasted;
            (bin.inside, bin.pods) = (inside, pods);
            // A breaker that was open at any second of the bin was open.
            bin.breakers.iter_mut().zip(breakers).filter(|(_, now)| **now > 0.0).for_each(|(state, now)| *state = *now);
        }
        View { seen, width, bins, watch, capacity: seen.number("capacity") }
    }

    /// A line with a value for each bin that has one, in its middle.
    fn line(&self, name: &str, paint: Paint, value: &dyn Fn(&Bin) -> f64) -> Mark {
        let points = self.bins.iter().map(|bin| (bin.at + bin.seconds / 2.0, value(bin)));
        Mark::Line { name: name.into(), paint, points: points.filter(|p| p.1.is_finite()).collect(), step: false }
    }

    /// Bars a second, from the first value to the second.
    fn bars(&self, name: Text, paint: Paint, ends: fn(&Bin) -> (f64, f64)) -> Mark {
        let bar = |b: &Bin| {
            let (y0, y1) = ends(b);
            let x1 = (b.at + self.width).min(self.watch).max(b.at + 0.5);
            Bar { x0: b.at, x1, y0: y0 / b.seconds, y1: y1 / b.seconds }
        };
        let bars = self.bins.iter().map(bar).filter(|b| b.y1 > b.y0).collect();
        Mark::Bars { name: name.get(self.seen.lang).into(), paint, bars }
    }

    /// When `holds` says so of a bin, in a lane.
    fn lane(&self, (lane, label): (usize, &str), name: &str, paint: Paint, holds: &dyn Fn(&Bin) -> bool) -> Mark {
        let mut at: Vec<(f64, f64)> = Vec::new();
        for bin in self.bins.iter().filter(|b| holds(b)) {
            let end = bin.at + bin.seconds;
            match at.last_mut() {
                Some(last) if last.1 >= bin.at => last.1 = end,
                _ => at.push((bin.at, end)),
            }
        }
        Mark::Lane { lane, label: label.into(), name: name.into(), paint, at }
    }

    fn capacity(&self) -> Mark {
        Mark::Threshold {
            y: self.capacity, label: text("the DB’s capacity", "năng lực DB").get(self.seen.lang).into()
        }
    }

    fn highest(&self, value: &dyn Fn(&Bin) -> f64) -> f64 {
        self.bins.iter().map(value).fold(0.0, f64::max)
    }

    /// A chart over time, over the fault. `title` names figures.
    fn chart(
        &self,
        id: &'static str,
        (title, note): (String, Text),
        y: Axis,
        mut marks: Vec<Mark>,
        height: u16,
    ) -> Chart {
        let Seen { knobs, lang, .. } = *self.seen;
        let from = knobs.fault_at.as_s();
        if knobs.fails() && from < self.watch {
            let label = text("DB down", "DB chết").get(lang).into();
            let x1 = (from + knobs.fault_for.as_s()).min(self.watch);
            marks.insert(0, Mark::Span { x0: from, x1, label, paint: Paint::Fault });
        }
        let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), SECONDS, self.watch);
        Chart::single(id, (title, note.get(lang)), (x, YAxis::Number(y)), marks, height)
    }

    /// An axis up to a round number above what is drawn.
    fn axis(&self, title: Text, unit: Unit, highest: f64) -> Axis {
        Axis::from_zero(title.get(self.seen.lang), unit, nice_ceil(1.05 * highest))
    }

    fn legend(&self, entries: &[(Paint, Text)]) -> Vec<(Paint, String)> {
        entries.iter().map(|&(paint, name)| (paint, name.get(self.seen.lang).into())).collect()
    }

    /// The card's figure: users who came, and those of them who were answered in time.
    fn served(&self) -> Chart {
        let Seen { knobs, lang, .. } = *self.seen;
        let mut marks = vec![
            self.bars(IN_TIME, Paint::Goodput, |b| (0.0, b.good)),
            self.bars(NOT, Paint::Timeout, |b| (b.good, b.users)),
        ];
        let y = self.axis(
            text("users a second", "user mỗi giây"),
            units::PER_SECOND,
            1.15 * self.highest(&|b| b.users / b.seconds).max(1.0),
        );
        if let Some(after) = self.seen.get("recovery") {
            let template = text("served again after {time}", "phục vụ lại sau {time}");
            let label = told(template, lang, &[("time", &minutes(after, lang))]);
            marks.push(Mark::Note { x: knobs.fault_at.as_s() + after, y: 0.86 * y.max, label, paint: Paint::Goodput });
        }
        if knobs.bare() {
            let points =
                self.beside_bins(0).map(|[at, seconds, _, good]| (at + seconds / 2.0, good / seconds)).collect();
            let name = text("in time without guardrails", "kịp, khi không có guardrail").get(lang).into();
            marks.push(Mark::Line { name, paint: Paint::Baseline, points, step: false });
        }
        let note = text(
            "Users by the time in which they came. The DB refuses everything in the shaded time; before and after, it is as fast as ever.",
            "User theo lúc họ đến. Trong khoảng nền đậm DB từ chối tất cả; trước và sau đó nó nhanh như thường.",
        );
        let legend = self.legend(&[(Paint::Goodput, IN_TIME), (Paint::Timeout, NOT)]);
        Chart { legend, ..self.chart("served", (words::headline(self.seen), note), y, marks, 190) }
    }

    /// When, for how long, users who came then, those of them who were answered in time: of the run beside number `run`.
    fn beside_bins(&self, run: usize) -> impl Iterator<Item = [f64; 4]> {
        let Seen { outcome, plan, .. } = *self.seen;
        let width = bin_width(self.watch, BINS);
        let rows = outcome.rows(plan, "run_bins").filter(move |row| row[0] == run as f64);
        rows.map(move |row| [row[1], width.min(self.watch - row[1]).max(0.5), row[2], row[3]])
    }

    /// The same outage with one guardrail at a time, then cumulated.
    fn strip(&self) -> Chart {
        let Seen { knobs, lang, .. } = *self.seen;
        let runs: Vec<&[f64]> = self.seen.rows("runs").collect();
        let mut summary = Vec::new();
        let panels = strip().into_iter().enumerate().map(|(i, guards)| {
            let (mut good, mut not) = (Vec::new(), Vec::new());
            for [x0, seconds, users, ok] in self.beside_bins(i) {
                let bar = |from: f64, to: f64| Bar { x0, x1: x0 + seconds, y0: from / seconds, y1: to / seconds };
                good.extend((ok > 0.0).then(|| bar(0.0, ok)));
                not.extend((users > ok).then(|| bar(ok, users)));
            }
            let bars = |name: Text, paint, bars| Mark::Bars { name: name.get(lang).into(), paint, bars };
            let marks = vec![bars(IN_TIME, Paint::Goodput, good), bars(NOT, Paint::Timeout, not)];
            let &[back, lasts, _, wasted, peak] = runs.get(i).copied().unwrap_or_default() else {
                let cell = || Cell { value: "–".into(), note: String::new() };
                return Panel { cells: vec![cell(), cell(), cell()], ..Panel::new(name_of(guards, lang), marks) };
            };
            let never = text("never", "không bao giờ").get(lang);
            let lasts = if back > 0.0 { minutes(lasts, lang) } else { never.into() };
            let name = name_of(guards, lang);
            summary.push(told(same("{name}: {lasts}"), lang, &[("name", &name), ("lasts", &lasts)]));
            let here = if guards == knobs.guards() { spread::THIS_RUN.get(lang) } else { "" };
            let cell = |value: String, note: &str| Cell { value, note: note.into() };
            let cells = vec![
                cell(lasts, here),
                cell(units::PER_SECOND.write(peak, lang), ""),
                cell(units::PERCENT.write(wasted, lang), ""),
            ];
            Panel { cells, ..Panel::new(name, marks) }
        });
        let title = text(
            "The same outage, one guardrail at a time: over within half a minute after the cause in {soon} of {runs}",
            "Cùng sự cố, từng guardrail một: {soon} trên {runs} hết trong nửa phút sau nguyên nhân",
        );
        let note = text(
            "Users over time on the same draws, answered in time or not. Beside: served again after the fault’s start, most calls a second to the DB, share of its work for nobody.",
            "User theo thời gian trên cùng các số ngẫu nhiên, được trả lời kịp hay không. Bên cạnh: phục vụ lại sau khi sự cố bắt đầu bao lâu, số call mỗi giây nhiều nhất xuống DB, tỉ lệ công việc không dành cho ai.",
        );
        let highest = self.highest(&|b| b.users / b.seconds).max(1.0);
        let y = self.axis(text("users a second", "user mỗi giây"), units::PER_SECOND, highest);
        let title = told_beside(self.seen, title);
        let mut panels: Vec<Panel> = panels.collect();
        let chart = self.chart("strip", (title, note), y, vec![], 44);
        for (i, panel) in panels.iter_mut().enumerate() {
            // The fault, named once.
            let fault = chart.panels.iter().flat_map(|panel| panel.marks.iter().cloned());
            let named = fault.map(|mark| match mark {
                Mark::Span { x0, x1, paint, .. } if i > 0 => Mark::Span { x0, x1, label: String::new(), paint },
                mark => mark,
            });
            panel.marks.splice(0..0, named.collect::<Vec<_>>());
        }
        Chart {
            summary: format!("{}. {}", chart.title, summary.join(" · ")),
            panels,
            columns: [text("served again", "phục vụ lại"), text("peak", "đỉnh"), text("wasted", "bỏ phí")]
                .map(|column| column.get(lang).into())
                .to_vec(),
            legend: self.legend(&[(Paint::Goodput, IN_TIME), (Paint::Timeout, NOT)]),
            ..chart
        }
    }

    /// Calls a second on every hop, and the breakers' states.
    fn calls(&self) -> Chart {
        let Seen { lang, .. } = *self.seen;
        const OPEN: Text = text("breaker open", "breaker mở");
        const HALF: Text = text("half-open", "nửa mở");
        let layers = self.seen.knobs.layers as usize;
        let mut marks = vec![self.line(text("users", "user").get(lang), Paint::Offered, &|b| b.users / b.seconds)];
        for k in 1..=layers {
            let paint = if k == layers { Paint::Attempts } else { Paint::Ink(k as u8) };
            marks.push(self.line(&place(self.seen, k), paint, &|b| b.calls[k - 1] / b.seconds));
        }
        marks.push(self.capacity());
        for k in 0..layers {
            // Whether there is a breaker or not: the box must not move.
            marks.push(self.lane((k, &place(self.seen, k)), OPEN.get(lang), Paint::Breaker, &|b| b.breakers[k] == 1.0));
            marks.push(self.lane((k, ""), HALF.get(lang), Paint::Late, &|b| b.breakers[k] == 2.0));
        }
        let highest = self.highest(&|b| b.calls.iter().fold(b.users, |most, &n| most.max(n)) / b.seconds);
        let title = if self.seen.get("rejected").is_some_and(|n| n > 0.0) {
            text(
                "At most {peak} reach the DB, {peak_times} the load in peace; breakers keep back {rejected}",
                "Nhiều nhất {peak} call tới DB, gấp {peak_times} lúc bình thường; breaker chặn lại {rejected}",
            )
        } else {
            text(
                "At most {peak} reach the DB, {peak_times} the load in peace",
                "Nhiều nhất {peak} call tới DB, gấp {peak_times} lúc bình thường",
            )
        };
        let note = text(
            "Calls that arrive at each layer and at the DB, the refused ones too; logarithmic. Below: when the breaker of each layer was open.",
            "Số call đến từng tầng và đến DB, kể cả call bị từ chối; thang log. Bên dưới: lúc breaker của từng tầng mở.",
        );
        // Logarithmic: each layer multiplies, and the users' line is not lost at the bottom.
        let y = self.axis(text("calls a second", "call mỗi giây"), units::PER_SECOND, highest.max(self.capacity));
        let y = Axis { min: 0.1, max: y.max.max(10.0), log: true, ..y };
        let legend = self.legend(&[(Paint::Breaker, OPEN), (Paint::Late, HALF)]);
        Chart { legend, ..self.chart("calls", (words::told_of(self.seen, title), note), y, marks, 190) }
    }

    /// What the DB works on, and for whom.
    fn work(&self) -> Chart {
        const STILL: Text = text("somebody still waits", "còn người chờ");
        const GONE: Text = text("for nobody: zombie work", "không ai chờ: zombie work");
        let marks = vec![
            self.bars(STILL, Paint::Goodput, |b| (0.0, b.useful)),
            self.bars(GONE, Paint::Zombie, |b| (b.useful, b.useful + b.wasted)),
            self.capacity(),
        ];
        let title = text(
            "{wasted_share} of the DB’s work is for callers who have gone",
            "{wasted_share} công việc của DB là cho những caller đã bỏ đi",
        );
        let note = text(
            "Calls that the DB finishes, by whether anybody up to the user still waits for them.",
            "Số call DB chạy xong, chia theo việc còn ai chờ hay không, tính đến tận user.",
        );
        let highest = self.highest(&|b| (b.useful + b.wasted) / b.seconds).max(self.capacity);
        let y = self.axis(text("calls a second", "call mỗi giây"), units::PER_SECOND, highest);
        let legend = self.legend(&[(Paint::Goodput, STILL), (Paint::Zombie, GONE)]);
        Chart { legend, ..self.chart("work", (words::told_of(self.seen, title), note), y, marks, 150) }
    }

    /// Calls inside the DB against the room for them, and the pods that bring it.
    fn inside(&self) -> Chart {
        let Seen { knobs, lang, .. } = *self.seen;
        let limit = if knobs.guards().shedding { knobs.shed_at as f64 } else { f64::INFINITY };
        let room = |b: &Bin| (b.pods * knobs.room as f64).min(limit);
        let dead = self.capacity * knobs.patience();
        let highest = self.highest(&|b| b.inside.max(room(b)));
        let mut marks = vec![
            self.line(text("room", "chỗ chờ").get(lang), Paint::Baseline, &room),
            self.line(text("inside", "trong DB").get(lang), Paint::Attempts, &|b| b.inside),
        ];
        if dead < 1.2 * highest {
            let label = text("from here on, its caller will have left", "từ đây trở lên, caller sẽ bỏ đi trước");
            marks.push(Mark::Threshold { y: dead, label: label.get(lang).into() });
        }
        // What is more than at the start, each number by itself for the table.
        let start = knobs.pods as f64;
        let mut levels: Vec<f64> = self.bins.iter().map(|b| b.pods).filter(|&pods| pods > start).collect();
        sort_by_number(&mut levels, |&pods| pods);
        levels.dedup();
        let label = text("more pods", "thêm pod").get(lang);
        for &level in if levels.is_empty() { &[f64::MAX][..] } else { &levels } {
            let name = PODS.write(level, lang);
            marks.push(self.lane((0, label), &name, Paint::Baseline, &|b| b.pods == level));
        }
        let grew = self.seen.get("most_pods").is_some_and(|most| most > start);
        let title = if grew {
            text(
                "At most {peak_inside} inside the DB: the autoscaler makes it {most_pods}, which is room, not capacity",
                "Nhiều nhất {peak_inside} trong DB: autoscaler nâng lên {most_pods}, thêm chỗ chờ chứ không thêm năng lực",
            )
        } else {
            text(
                "At most {peak_inside} inside the DB, waiting or running",
                "Nhiều nhất {peak_inside} trong DB, chờ hoặc đang chạy",
            )
        };
        let note = text(
            "Calls in the DB’s queue and slots. One that joins above the threshold is served after the first timeout. Each pod brings a connection pool, so each lets more calls wait.",
            "Số call trong hàng đợi và slot của DB. Call vào khi đã vượt vạch thì được phục vụ sau timeout đầu tiên. Mỗi pod mang theo một connection pool, nên thêm call được chờ.",
        );
        let y = self.axis(text("calls inside", "call trong DB"), units::CALLS, highest.max(1.0));
        self.chart("inside", (words::told_of(self.seen, title), note), y, marks, 150)
    }

    /// What the retries make of the load: calls to the DB for each user, and retries for each first call.
    fn ratios(&self) -> Chart {
        let Seen { knobs, lang, .. } = *self.seen;
        let last = knobs.layers as usize - 1;
        let amplification = |b: &Bin| b.calls[last] / b.users;
        let retries = |b: &Bin| b.retries / (b.calls.iter().sum::<f64>() - b.retries).max(1.0);
        let worst = knobs.worst() as f64;
        let mut marks = vec![
            self.line(
                text("calls to the DB per user", "call tới DB trên mỗi user").get(lang),
                Paint::Attempts,
                &amplification,
            ),
            self.line(text("retries per first call", "retry trên mỗi call đầu").get(lang), Paint::Retries, &retries),
            Mark::Threshold {
                y: worst,
                label: text("all retries of all layers", "mọi retry của mọi tầng").get(lang).into(),
            },
        ];
        if knobs.guards().budget {
            let label = text("budget", "budget").get(lang).into();
            marks.push(Mark::Threshold { y: knobs.budget_ratio as f64 / 1e3, label });
        }
        let title = text(
            "One request became up to {most_per_user} to the DB; {retry_share} of all calls are retries",
            "Một request thành tới {most_per_user} xuống DB; {retry_share} số call là retry",
        );
        let note = text(
            "Logarithmic. Retries per first call, over all layers, is what a retry budget bounds: put it on the dashboard and alert on it. Earlier users’ retries count too.",
            "Thang log. Số retry trên mỗi call đầu, tính mọi tầng, là thứ retry budget giới hạn: hãy đưa lên dashboard và đặt alert. Retry của user đến trước cũng tính.",
        );
        let max = nice_ceil(1.5 * self.highest(&amplification).max(worst));
        let y = Axis { min: 0.01, log: true, ..self.axis(text("times", "lần"), RATIO, max) };
        self.chart("ratios", (words::told_of(self.seen, title), note), y, marks, 150)
    }
}

/// Guardrails by name: "No guardrail", "Full jitter, breaker next to the DB".
fn name_of(guards: Guards, lang: Lang) -> String {
    if let Some(guard) = Guard::ALL.into_iter().find(|guard| guard.guards() == Some(guards)) {
        return if guard == Guard::None { text("No guardrail", "Không guardrail") } else { guard.name() }
            .get(lang)
            .into();
    }
    let names: Vec<&str> = guards.names().into_iter().map(|(name, _)| name.get(lang)).collect();
    raised(&names.join(" + "))
}

/// `template` with the counts of the runs beside.
fn told_beside(seen: &Seen<Storm>, template: Text) -> String {
    filled(template.get(seen.lang), |key| {
        let counts = ["beside_never", "beside_soon", "beside_runs", "beside_rule"];
        let count = counts.iter().find(|count| count.ends_with(key)).and_then(|count| seen.get(count));
        seen.lang.number(count.unwrap_or(0.0), 0)
    })
}

/// Other loads and retries, or other queues and timeouts: does it come back by itself?
fn neighbours(seen: &Seen<Storm>) -> Chart {
    let Seen { knobs, lang, .. } = *seen;
    let Some(map) = Map::of(knobs) else { return over_seeds(seen) };
    let runs: Vec<&[f64]> = seen.rows("runs").collect();
    let (columns, rows) = (map.columns.len(), map.rows.len());
    let half = map.columns[0] as f64 / 2.0;
    let ends = |column: usize| {
        let x = map.columns[column] as f64;
        (x - half, x + half)
    };
    let last = ends(columns - 1).1;
    let layers = knobs.layers as usize;
    let (x, unit) = if map.room {
        (text("timeout of the layer next to the users, s", "timeout của tầng cạnh user, s"), SECONDS)
    } else {
        (text("load, users a second", "tải, user mỗi giây"), units::PER_SECOND)
    };
    let (mut marks, mut names, mut edge, mut sure) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let value = map.rows[row];
        let mine = if map.room {
            knobs.room == value
        } else {
            knobs.retries[..layers].iter().all(|&retries| retries == value)
        };
        let at = if map.room { knobs.timeouts[0] as f64 / 1e6 } else { knobs.load as f64 };
        let mut cells = Vec::new();
        // Where the rule's answer changes, from the left: the room that is too large, the load that is too high.
        let mut change = None;
        for (column, &place) in map.columns.iter().enumerate() {
            let cell = map.cell(row, column);
            let (x0, x1) = ends(column);
            if change.is_none() && cell.sustains() != map.room {
                change = Some(x0);
            }
            if let Some(&[_, _, failed, ..]) = runs.get(row * columns + column).copied() {
                let here = mine && x0 <= at && at < x1;
                let name = unit.write(place as f64, lang);
                let there = map.at(knobs.clone(), row, column);
                let link = crate::find("retry-storm").map_or(String::new(), |card| {
                    link::write(card, &link::State { knobs: Box::new(there), seed: link::DEFAULT_SEED })
                });
                cells.push(HeatCell {
                    name,
                    x0,
                    x1,
                    value: failed,
                    said: String::new(),
                    read: String::new(),
                    shade: failed / 100.0,
                    here,
                    link,
                });
            }
        }
        marks.push(Mark::Cells { row, paint: Paint::Timeout, unit: units::PERCENT, cells });
        let (from, to) = (row as f64 - 0.5, row as f64 + 0.5);
        let stairs = |points: &mut Vec<(f64, f64)>, x: f64| {
            // A line goes to the right only.
            let x = points.last().map_or(x, |last| last.0.max(x)).clamp(half, last);
            points.extend([(x, from), (x, to)]);
        };
        stairs(&mut edge, change.unwrap_or(last));
        stairs(&mut sure, knobs.capacity() / map.cell(row, 0).worst() as f64);
        let count = lang.number(value as f64, 0);
        let wait = Unit { decimals: 1, ..SECONDS }.trimmed(map.cell(row, 0).full_wait(), lang);
        let template = if map.room {
            text("{n} a pod: {wait}", "{n} mỗi pod: {wait}")
        } else {
            text("{n} {n|retry|retries}", "{n} retry")
        };
        names.push(told(template, lang, &[("n", &count), ("wait", &wait)]));
    }
    // Without names, which would lie on the numbers: the note says which is which.
    let line = |paint, points| Mark::Line { name: String::new(), paint, points, step: false };
    marks.push(line(Paint::Ink(0), edge));
    if !map.room {
        marks.push(line(Paint::Ink(1), sure));
    }
    let title = text(
        "Without end: {never} of {runs}; the rule of thumb is right for {rule}",
        "Không tự hồi phục: {never} trên {runs}; quy tắc kinh nghiệm đúng với {rule}",
    );
    let note = if map.room {
        text(
            "Percent of users not answered in time in the three minutes after the fault; one run a cell, with this seed, steady traffic, all other knobs as set. Solid line: right of it the rule lets it end.",
            "Phần trăm user không được trả lời kịp trong ba phút sau sự cố; mỗi ô một lần chạy, với seed này, tải đều, các núm khác giữ nguyên. Nét liền: bên phải nó thì theo quy tắc sự cố sẽ hết.",
        )
    } else {
        text(
            "Percent of users not answered in time in the three minutes after the fault; one run a cell, with this seed, steady traffic, all other knobs as set. Solid line: right of it the rule expects no end. Dashed: capacity ÷ ∏(1 + r), left of it every fault is survived.",
            "Phần trăm user không được trả lời kịp trong ba phút sau sự cố; mỗi ô một lần chạy, với seed này, tải đều, các núm khác giữ nguyên. Nét liền: bên phải nó thì theo quy tắc sự cố không hết. Nét đứt: năng lực ÷ ∏(1 + r), bên trái nó thì sự cố nào cũng qua được.",
        )
    };
    let x = Axis { title: x.get(lang).into(), unit, min: half, max: last, log: false };
    let title = told_beside(seen, title);
    Chart::single(
        if map.room { "map_room" } else { "map_load" },
        (title, note.get(lang)),
        (x, YAxis::Names(names)),
        marks,
        28 * rows as u16,
    )
}

/// The recovery over many seeds.
fn over_seeds(seen: &Seen<Storm>) -> Chart {
    let lang = seen.lang;
    let marks = spread::row(seen, "recovery", 0);
    let runs = seen.many.map_or(0, crate::many::Many::len);
    let soon = seen.many.map_or(0, |m| m.count(seen.plan, |get| get("recovery").is_some_and(|r| r <= 60.0)));
    let template = if runs > 0 {
        text(
            "Served again within a minute in {soon} of {runs} {runs|run|runs}",
            "Phục vụ lại trong vòng một phút ở {soon} trên {runs} lần chạy",
        )
    } else {
        text(
            "One run is one draw: more seeds show how much of it is luck",
            "Một lần chạy là một lần rút thăm: nhiều seed cho thấy phần may rủi",
        )
    };
    let [soon, runs] = [soon, runs].map(|n| lang.number(n as f64, 0));
    let title = told(template, lang, &[("soon", &soon), ("runs", &runs)]);
    let own = text(
        "From the fault’s start until users are served again; runs in which that never happens are left out. ",
        "Từ lúc sự cố bắt đầu đến khi user được phục vụ lại; không tính các lần chạy không bao giờ hồi phục. ",
    );
    let note = String::from(own.get(lang)) + spread::NOTE.get(lang);
    let x_title = text("recovery, s", "hồi phục, s").get(lang);
    let x = Axis { title: x_title.into(), ..spread::axis(&marks, SECONDS, lang, Some(60.0)) };
    let name = name_of(seen.knobs.guards(), lang);
    Chart::single("spread", (title, &note), (x, YAxis::Names(vec![name])), marks, 60)
}
