//! What this card draws.

use overload_chart::{Axis, Bar, Chart, Lang, Mark, Paint, Text, Unit, YAxis, nice_ceil, same, text, units};

use super::knobs::{Guard, SECONDS, Storm};
use super::{RATIO, words};
use crate::card::Seen;
use crate::say::told;
use crate::spread;

/// All charts: users served, calls by layer with the breakers, the DB's work, what is inside it with the pods,
/// amplification and retry ratio, and the spread over seeds.
pub fn charts(seen: &Seen<Storm>) -> Vec<Chart> {
    let view = View::of(seen);
    vec![view.served(), view.calls(), view.work(), view.inside(), view.ratios(), over_seeds(seen)]
}

/// A time as people say it: seconds up to two minutes, then minutes.
pub fn minutes(seconds: f64, lang: Lang) -> String {
    const MINUTES: Unit = Unit::new("min", text("min", "phút"), 0);
    if seconds < 120.0 { SECONDS.write(seconds, lang) } else { MINUTES.write(seconds / 60.0, lang) }
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
        let steps = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0];
        let width = steps.into_iter().find(|w| watch / w <= 200.0).unwrap_or(60.0);
        let layers = seen.knobs.layers as usize;
        let mut bins: Vec<Bin> = Vec::new();
        for row in seen.outcome.rows(seen.plan, "seconds") {
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
        View { seen, width, bins, watch, capacity: seen.get("capacity").unwrap_or(0.0) }
    }

    /// A line with a value for each bin, in its middle.
    fn line(&self, name: &str, paint: Paint, value: &dyn Fn(&Bin) -> f64) -> Mark {
        let points = self.bins.iter().map(|bin| (bin.at + bin.seconds / 2.0, value(bin))).collect();
        Mark::Line { name: name.into(), paint, points, step: false }
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
        const IN_TIME: Text = text("answered in time", "trả lời kịp");
        const NOT: Text = text("not answered in time", "không trả lời kịp");
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
        let note = text(
            "Users by the time in which they came. The DB refuses everything in the shaded time; before and after, it is as fast as ever.",
            "User theo lúc họ đến. Trong khoảng nền đậm DB từ chối tất cả; trước và sau đó nó nhanh như thường.",
        );
        let legend = self.legend(&[(Paint::Goodput, IN_TIME), (Paint::Timeout, NOT)]);
        Chart { legend, ..self.chart("served", (words::headline(self.seen), note), y, marks, 190) }
    }

    /// A layer's or the DB's name as a hop's end.
    fn hop_name(&self, k: usize) -> String {
        let template = if k as u64 == self.seen.knobs.layers { same("DB") } else { text("layer {k}", "tầng {k}") };
        told(template, self.seen.lang, &[("k", &self.seen.lang.number(k as f64 + 1.0, 0))])
    }

    /// Calls a second on every hop, and the breakers' states.
    fn calls(&self) -> Chart {
        let Seen { lang, .. } = *self.seen;
        const OPEN: Text = text("breaker open", "breaker mở");
        const HALF: Text = text("half-open", "nửa mở");
        let layers = self.seen.knobs.layers as usize;
        let mut marks = vec![self.line(text("users", "user").get(lang), Paint::Offered, &|b| b.users / b.seconds)];
        for k in 1..=layers {
            let paint = if k == layers { Paint::Attempts } else { Paint::Ink((k - 1) as u8) };
            marks.push(self.line(&self.hop_name(k), paint, &|b| b.calls[k - 1] / b.seconds));
        }
        marks.push(self.capacity());
        for k in 0..layers {
            // Whether there is a breaker or not: the box must not move.
            marks.push(self.lane((k, &self.hop_name(k)), OPEN.get(lang), Paint::Breaker, &|b| b.breakers[k] == 1.0));
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
            "Calls that arrive at each layer and at the DB, the refused ones too. Below: when the breaker of each layer was open.",
            "Số call đến từng tầng và đến DB, kể cả call bị từ chối. Bên dưới: lúc breaker của từng tầng mở.",
        );
        let y = self.axis(text("calls a second", "call mỗi giây"), units::PER_SECOND, highest.max(self.capacity));
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
        // Each number of pods that there was, ascending, in one lane.
        let mut levels: Vec<f64> = self.bins.iter().map(|b| b.pods).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        for (i, &level) in levels.iter().enumerate() {
            let label = if i == 0 { "pods" } else { "" };
            let name = super::knobs::PODS.write(level, lang);
            marks.push(self.lane((0, label), &name, Paint::Ink(i.min(3) as u8), &|b| b.pods == level));
        }
        let grew = self.seen.get("most_pods").is_some_and(|most| most > knobs.pods as f64);
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
        let amplification = |b: &Bin| b.calls[last] / b.users.max(1.0);
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
            "One request became up to {most_per_user}, of {worst} possible; {retry_share} of all calls are retries",
            "Một request thành tới {most_per_user}, trên tối đa {worst}; {retry_share} số call là retry",
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
    let name = match seen.knobs.guard {
        Guard::None => text("No guardrail", "Không guardrail"),
        guard => guard.name(),
    };
    Chart::single("spread", (title, &note), (x, YAxis::Names(vec![name.get(lang).into()])), marks, 60)
}
