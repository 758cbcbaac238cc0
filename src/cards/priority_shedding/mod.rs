//! Card 12, `priority-shedding`: article 1, the follow-up of card 053; articles 3 and 4 on what to shed first.
//!
//! A shop at several times its capacity. Some requests bring money, most do not, and all of them come through one door.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, and the stations that they stand for |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::shedding::{Gate, Run as Station, Setup, Tally, Trace};
use overload_sim::time::Span;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use crate::shed_in_flight::bin_width;
use crate::shed_in_flight::knobs::REQUESTS;
use knobs::{Labels, NAMES, Shop};

/// The card.
pub struct Card;

/// What an answer is worth to whoever turns the knobs.
const POINTS: Unit = Unit::counted("points", text("points", "điểm"), "point", 0);

/// The ways compared on the same requests. Key and name.
const WAYS: [(&str, Text); 3] = [
    ("", text("By priority", "Theo độ ưu tiên")),
    ("blind_", text("One limit for all", "Một giới hạn chung")),
    ("none_", text("No shedding", "Không shedding")),
];

/// Loads tried, as thousandths of the capacity.
const LOADS: [u64; 6] = [500, 1_000, 1_500, 2_000, 3_000, 5_000];
/// Most requests that one short run may see come, about: longer loads are cut short.
const MOST_REQUESTS: u64 = 3_000;

fn times(rate: Rate, milli: u64) -> Rate {
    Rate::milli_per_s((rate.as_milli_per_s().saturating_mul(milli) / 1_000).max(1))
}

/// How long the load of the runs against the load lasts.
fn load_span(knobs: &Shop) -> Span {
    let rate = times(knobs.load.capacity(), LOADS[LOADS.len() - 1]).as_milli_per_s();
    let most = u128::from(MOST_REQUESTS) * 1_000_000_000 / u128::from(rate);
    knobs.load.duration.min(Span::us(most.min(u128::from(u64::MAX)) as u64))
}

/// All runs: the ways in full, the labels of [`Labels::ALL`] in full, then for each load the ways.
fn runs(knobs: &Shop) -> Vec<Setup> {
    let ways = |own: Setup| {
        let [blind, none] = knobs.blind(own);
        [own, blind, none]
    };
    let of = |labels| knobs.station(knobs.offered(), knobs.load.duration, labels);
    let mut all = ways(of(knobs.labels)).to_vec();
    all.extend(Labels::ALL.map(of));
    let span = load_span(knobs);
    let loads = LOADS.map(|milli| times(knobs.load.capacity(), milli));
    all.extend(loads.into_iter().flat_map(|rate| ways(knobs.station(rate, span, knobs.labels))));
    all
}

/// Runs that are kept in full.
const FULL: usize = WAYS.len() + Labels::ALL.len();

/// The figures of each way, then for each class the share answered.
const FIGURES: [(&str, Text, Unit); 9] = [
    ("ok", text("answered in time", "trả lời kịp"), REQUESTS),
    ("shed", text("told 503", "nhận 503"), REQUESTS),
    ("timeout", text("timed out", "timeout"), REQUESTS),
    ("ok_share", text("share answered in time", "tỉ lệ trả lời kịp"), units::PERCENT),
    ("p99_ok", text("p99 of the answered", "p99 của request được trả lời"), units::MS),
    ("wasted", text("served for callers who had left", "làm xong cho client đã rời đi"), units::CALLS),
    ("peak_in_flight", text("most calls in flight", "in-flight nhiều nhất"), units::CALLS),
    ("value", text("value kept", "giá trị giữ được"), POINTS),
    ("value_share", text("share of the value kept", "tỉ lệ giá trị giữ được"), units::PERCENT),
];

/// Keys of what the labels come to: the share of the value, and of the checkouts.
const OF_LABELS: [(&str, &str); 3] =
    [("honest_value", "honest_checkout"), ("bots_value", "bots_checkout"), ("all_value", "all_checkout")];

impl Lesson for Card {
    type Knobs = Shop;

    const ABOUT: About = About {
        slug: "priority-shedding",
        number: 12,
        theme: Theme::SayingNo,
        title: text("Priority shedding: who is refused first", "Shed theo độ ưu tiên: từ chối ai trước"),
        promise: text(
            "At three times the capacity two thirds must go. Choose which, and see what the choice is worth.",
            "Tải gấp ba năng lực thì hai phần ba phải bị bỏ. Chọn bỏ ai, và xem lựa chọn đó đáng bao nhiêu.",
        ),
        lead: text(
            "A limit at the door refuses whoever comes next: a checkout as readily as a crawler. With the class of a request known, the same slots can serve what matters first. Four ways to do so, compared on the same requests with one limit for all; then what happens when the label cannot be trusted.",
            "Giới hạn ở cửa từ chối bất kỳ ai đến kế tiếp: checkout cũng như crawler. Biết request thuộc lớp nào thì vẫn các slot ấy có thể phục vụ việc quan trọng trước. Bốn cách làm, so trên cùng các request với một giới hạn chung; rồi xem chuyện gì xảy ra khi nhãn không đáng tin.",
        ),
        sources: &[(1, "053 follow-up"), (3, "priority"), (4, "priority")],
    };

    words_and_charts!(Shop);

    fn plan(_: &Shop) -> Plan {
        let mut plan = Plan::default();
        for (prefix, name) in WAYS {
            for (key, label, unit) in FIGURES {
                plan.figure(format!("{prefix}{key}"), name, label, unit);
            }
            for (class, label) in NAMES {
                plan.figure(format!("{prefix}{class}_share"), name, label, units::PERCENT);
            }
            plan.books.push(name);
        }
        let group = text("Load", "Tải");
        plan.figure("offered", group, text("requests offered", "số request đến"), REQUESTS);
        plan.figure("offered_rate", group, text("offered", "tải đến"), units::PER_SECOND);
        plan.figure("capacity", group, text("capacity", "năng lực"), units::PER_SECOND);
        plan.figure("value_offered", group, text("value of all requests", "giá trị của mọi request"), POINTS);
        plan.figure("checkout_rate", group, text("checkouts offered", "checkout đến"), units::PER_SECOND);
        let group =
            text("Labels, value kept and checkouts answered", "Nhãn, giá trị giữ được và checkout được trả lời");
        for ((value, checkout), labels) in OF_LABELS.into_iter().zip(Labels::ALL) {
            plan.figure(value, group, labels.label(), units::PERCENT);
            plan.figure(checkout, group, labels.label(), units::PERCENT);
        }
        let percent = |name| (name, units::PERCENT);
        let classes = ["checkout", "cart", "browse", "reco", "bots"].map(percent);
        let [a, b, c, d, e] = classes;
        let way = ("way", units::PLAIN);
        let ends = [way, ("class", units::PLAIN), percent("ok"), percent("shed"), percent("timeout")];
        plan.series("ends", &ends);
        plan.series("by_load", &[("offered", units::PER_SECOND), a, b, c, d, e, percent("blind")]);
        let value = |name| (name, POINTS);
        plan.series(
            "value_by_load",
            &[("offered", units::PER_SECOND), value("all"), value("own"), value("blind"), value("none")],
        );
        plan.series("by_label", &[a, b, c, d, e]);
        plan.series("inside", &[("at", units::MS), ("inside", units::CALLS)]);
        plan
    }

    fn cost(knobs: &Shop) -> u64 {
        let capacity = knobs.load.capacity().as_per_s();
        let work = |(i, setup): (usize, Setup)| {
            let n = f64::from(setup.requests);
            let length = if i < FULL { knobs.load.duration } else { load_span(knobs) };
            // Without a limit every request is let in; with one, most that come cost next to nothing.
            let open = setup.gate == Gate::Open;
            let more = if open { knobs.load.patience().map_or(f64::MAX, Span::as_s) } else { 0.1 };
            let served = (capacity * (length.as_s() + more)).min(n);
            (served + if open { n } else { served + (n - served) / 4.0 }) as u64
        };
        runs(knobs).into_iter().enumerate().map(work).sum::<u64>().max(1)
    }

    fn start(knobs: &Shop, seed: u64) -> Box<dyn Run> {
        Box::new(All { knobs: knobs.clone(), seed, runs: runs(knobs), done: Vec::new(), current: None })
    }
}

/// The runs, one after the other.
struct All {
    knobs: Shop,
    seed: u64,
    runs: Vec<Setup>,
    /// What each came to; the first with what was inside over time.
    done: Vec<(Tally, Option<Trace>)>,
    current: Option<Station>,
}

impl Run for All {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        while let Some(&setup) = self.runs.get(self.done.len()) {
            let at = self.done.len();
            let run = self.current.get_or_insert_with(|| {
                let length = self.knobs.load.duration;
                // A run without a trace ends with its last caller.
                let trace = (at < WAYS.len()).then(|| Trace::new(bin_width(length), length / 100));
                Station::new(setup, self.seed, trace)
            });
            left = run.advance(left);
            if left == 0 {
                break;
            }
            self.done.extend(self.current.take().map(|run| (run.tally, run.trace)));
        }
        let (done, all) = (self.done.len(), self.runs.len());
        Progress { done: done == all, share: done as f64 / all as f64 }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        let percent = |part: u64, whole: u64| (whole > 0).then(|| 100.0 * part as f64 / whole as f64);
        let worth = |tally: &Tally, of: fn(&overload_sim::shedding::Ends) -> u64| -> u64 {
            tally.ends.iter().zip(knobs.values).map(|(ends, value)| of(ends) * value).sum()
        };
        let shares = |tally: &Tally| tally.ends.map(|ends| percent(ends.ok, ends.offered));
        let mut rows: [Vec<f64>; 4] = Default::default();
        let [ends, by_load, value, labels] = &mut rows;
        for (way, ((prefix, _), (tally, _))) in WAYS.iter().zip(&self.done).enumerate() {
            let all = tally.all();
            let kept = worth(tally, |ends| ends.ok);
            let values = [
                Some(all.ok as f64),
                Some((all.refused + all.dropped) as f64),
                Some(all.timeout as f64),
                percent(all.ok, all.offered),
                tally.times.clone().percentile(0.99).map(Span::as_ms),
                Some(tally.server.wasted as f64),
                Some(tally.peak_inside as f64),
                Some(kept as f64),
                percent(kept, worth(tally, |ends| ends.offered)),
            ];
            for ((key, ..), value) in FIGURES.iter().zip(values) {
                set(&format!("{prefix}{key}"), value);
            }
            for (class, ((name, _), ends_of)) in NAMES.iter().zip(&tally.ends).enumerate() {
                let of = |n: u64| percent(n, ends_of.offered);
                set(&format!("{prefix}{name}_share"), of(ends_of.ok));
                if let (Some(ok), Some(shed), Some(timeout)) =
                    (of(ends_of.ok), of(ends_of.refused), of(ends_of.timeout))
                {
                    ends.extend([way as f64, class as f64, ok, shed, timeout]);
                }
            }
        }
        if let Some((tally, _)) = self.done.first() {
            set("offered", Some(tally.all().offered as f64));
            set("value_offered", Some(worth(tally, |ends| ends.offered) as f64));
        }
        set("offered_rate", Some(knobs.offered().as_per_s()));
        set("capacity", Some(knobs.load.capacity().as_per_s()));
        set("checkout_rate", Some(knobs.rates[0] as f64 * knobs.times as f64 / 100.0));
        for ((value, checkout), (tally, _)) in OF_LABELS.iter().zip(self.done.iter().skip(WAYS.len())) {
            set(value, percent(worth(tally, |ends| ends.ok), worth(tally, |ends| ends.offered)));
            set(checkout, shares(tally)[0]);
            labels.extend(shares(tally).map(|share| share.unwrap_or(0.0)));
        }
        let seconds = load_span(knobs).as_s();
        let short = self.done.get(FULL..).unwrap_or_default();
        for (milli, ways) in LOADS.into_iter().zip(short.chunks_exact(WAYS.len())) {
            let offered = times(knobs.load.capacity(), milli).as_per_s();
            let [own, blind, none] = [0, 1, 2].map(|way| &ways[way].0);
            // Of each class that came at all; one that did not is not drawn.
            by_load.push(offered);
            by_load.extend(shares(own).map(|share| share.unwrap_or(0.0)));
            let all = blind.all();
            by_load.push(percent(all.ok, all.offered).unwrap_or(0.0));
            let kept = [own, blind, none].map(|tally| worth(tally, |ends| ends.ok) as f64 / seconds);
            value.extend([offered, worth(own, |ends| ends.offered) as f64 / seconds, kept[0], kept[1], kept[2]]);
        }
        for (tally, _) in self.done.iter().take(WAYS.len()) {
            let all = tally.all();
            out.books.push(Book { offered: all.offered, good: all.ok, caller: tally.caller, server: tally.server });
        }
        for (key, rows) in ["ends", "by_load", "value_by_load", "by_label"].into_iter().zip(rows) {
            out.fill(&plan, key, rows);
        }
        if let Some((_, Some(trace))) = self.done.first() {
            let rows = trace.levels.iter().flat_map(|level| [level.at.as_ms(), f64::from(level.here + level.left)]);
            out.fill(&plan, "inside", rows.collect());
        }
        out
    }
}
