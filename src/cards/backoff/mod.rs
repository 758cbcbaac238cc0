//! Card 4, `backoff`: article 2.
//!
//! One operation that fails a few times: how long its waits grow, and what limits them. And a herd that has it fail together:
//! when its retries come, as dots in time, with jitter and without.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `run.rs` | the run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod run;
mod words;

use overload_chart::{Unit, same, text, units};

use overload_sim::backoff::Backoff as Rule;
use overload_sim::time::Span;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::herd;
use crate::outcome::{Outcome, Plan};
use knobs::Backoff;
use run::{Both, Side, WIDTHS};

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    /// Without jitter.
    pub mod plain {
        pub const ATTEMPTS: &str = "plain_attempts";
        pub const TOTAL: &str = "plain_total";
        pub const WAIT: &str = "plain_wait";
        pub const LONGEST: &str = "plain_longest";
        pub const MEAN: &str = "plain_mean";
        pub const EXPECTED: &str = "plain_expected";
        pub const ANSWERED: &str = "plain_answered";
        pub const PEAK: &str = "plain_peak";
        pub const ANY: &str = "plain_any";
        pub const BEYOND: &str = "plain_beyond";
        /// All that both sides have, in the plan's order.
        pub const ALL: [&str; 10] = [ATTEMPTS, TOTAL, WAIT, LONGEST, MEAN, EXPECTED, ANSWERED, PEAK, ANY, BEYOND];
    }
    /// With jitter.
    pub mod jitter {
        pub const ATTEMPTS: &str = "jitter_attempts";
        pub const TOTAL: &str = "jitter_total";
        pub const WAIT: &str = "jitter_wait";
        pub const LONGEST: &str = "jitter_longest";
        pub const MEAN: &str = "jitter_mean";
        pub const EXPECTED: &str = "jitter_expected";
        pub const ANSWERED: &str = "jitter_answered";
        pub const PEAK: &str = "jitter_peak";
        pub const ANY: &str = "jitter_any";
        pub const BEYOND: &str = "jitter_beyond";
        /// All that both sides have, in the plan's order.
        pub const ALL: [&str; 10] = [ATTEMPTS, TOTAL, WAIT, LONGEST, MEAN, EXPECTED, ANSWERED, PEAK, ANY, BEYOND];
    }
    /// How many times lower the peak is with jitter.
    pub const CUT: &str = "cut";
    /// Retries of the herd, without jitter.
    pub const RETRIES: &str = "retries";
    /// The longest wait and all waiting without jitter, in hours.
    pub const LONGEST_H: &str = "longest_h";
    pub const WAIT_H: &str = "wait_h";
}

const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);
const TENTHS: Unit = Unit::new("ms", same("ms"), 1);
const HOURS: Unit = Unit::new("h", text("h", "giờ"), 1);
const TIMES: Unit = Unit::new("times", same("×"), 1);

/// The retries whose waits are drawn: so many at least.
const DRAWN: u64 = 20;

impl Lesson for Card {
    type Knobs = Backoff;

    const ABOUT: About = About {
        slug: "backoff",
        number: 4,
        theme: Theme::AskingAgain,
        title: text(
            "Backoff: longer waits, and why they are not enough",
            "Backoff: chờ lâu dần, và vì sao vẫn chưa đủ",
        ),
        promise: text(
            "One operation waits longer each time; fifty of them still come back in one instant. See each retry as a dot.",
            "Một thao tác chờ lâu dần; năm mươi thao tác vẫn quay lại trong một tích tắc. Mỗi retry là một chấm.",
        ),
        lead: text(
            "Exponential backoff gives a service that is getting up longer and longer pauses. It needs an end: a cap, a limit on attempts, a deadline, or one wait is measured in hours. And it does nothing against a herd: clients that failed together wait equally long and come back together. Each dot is a retry, at its moment, as high as it is among those of the same window.",
            "Exponential backoff cho service đang gượng dậy những quãng nghỉ ngày càng dài. Nó cần điểm dừng: cap, giới hạn số lần thử, deadline, nếu không một khoảng chờ sẽ tính bằng giờ. Và nó không làm gì được với cả đàn: client lỗi cùng lúc thì chờ như nhau và quay lại cùng lúc. Mỗi chấm là một retry, đặt đúng thời điểm của nó, cao bằng thứ tự của nó trong cùng cửa sổ.",
        ),
        sources: &[(2, "backoff")],
    };

    words_and_charts!(Backoff);

    fn plan(_knobs: &Backoff) -> Plan {
        let mut plan = Plan::default();
        let sides = [text("Without jitter", "Không jitter"), text("With jitter", "Có jitter")];
        for (group, keys) in sides.into_iter().zip([figure::plain::ALL, figure::jitter::ALL]) {
            let labels = [
                (text("attempts of one operation", "số lần thử của một thao tác"), units::ATTEMPTS),
                (text("the operation takes", "thao tác mất"), units::MS),
                (text("of which it waits", "trong đó thời gian chờ"), units::MS),
                (text("its longest wait", "khoảng chờ dài nhất"), units::MS),
                (
                    text("waiting of a client, mean of the run", "thời gian chờ mỗi client, trung bình của lần chạy"),
                    TENTHS,
                ),
                (text("waiting of a client, by formula", "thời gian chờ mỗi client, theo công thức"), TENTHS),
                (text("operations answered", "thao tác được trả lời"), units::CLIENTS),
                (text("most retries in a window", "nhiều retry nhất trong một cửa sổ"), RETRIES),
                (
                    text(
                        "most in any window, wherever it begins",
                        "nhiều nhất trong một cửa sổ bất kỳ, bắt đầu ở đâu cũng được",
                    ),
                    RETRIES,
                ),
                (text("retries beyond what the service takes", "retry vượt mức service nhận được"), RETRIES),
            ];
            keys.into_iter().zip(labels).for_each(|(key, (label, unit))| plan.figure(key, group, label, unit));
        }
        let both = text("Side by side", "Đặt cạnh nhau");
        plan.figure(figure::CUT, both, text("jitter lowers the peak", "jitter hạ đỉnh"), TIMES);
        plan.figure(figure::RETRIES, both, text("retries of the herd", "số retry của cả đàn"), RETRIES);
        plan.figure(figure::LONGEST_H, both, text("longest wait, no jitter", "chờ lâu nhất, không jitter"), HOURS);
        plan.figure(figure::WAIT_H, both, text("all waiting, no jitter", "tổng thời gian chờ, không jitter"), HOURS);
        for key in ["plain_dots", "jitter_dots"] {
            plan.series(key, &[("at", units::MS), ("nth", RETRIES)]);
        }
        for key in ["plain_operation", "jitter_operation"] {
            plan.series(key, &[("from", units::MS), ("to", units::MS), ("answered", units::PLAIN)]);
        }
        let ms = ["uncapped", "capped", "p10", "p90"].map(|column| (column, units::MS));
        plan.series("waits", &[&[("retry", units::PLAIN)][..], &ms[..]].concat());
        plan.series("widths", &[("width", units::MS), ("peak", RETRIES)]);
        plan.series("ended", &[("plain", units::PLAIN), ("jitter", units::PLAIN)]);
        plan.books = sides.to_vec();
        plan
    }

    fn cost(knobs: &Backoff) -> u64 {
        2 * knobs.clients * knobs.calls()
    }

    fn start(knobs: &Backoff, seed: u64) -> Box<dyn Run> {
        Box::new(Herds { knobs: knobs.clone(), both: Both::new(knobs, seed) })
    }
}

struct Herds {
    knobs: Backoff,
    both: Both,
}

impl Herds {
    /// What a side's figures are, in the plan's order.
    fn figures(&self, side: &Side, jitter: bool) -> [Option<f64>; 10] {
        let knobs = &self.knobs;
        let (peak, beyond) = side.crowd(knobs.window, knobs.capacity);
        let rule = knobs.rule(jitter);
        // Only where no deadline cuts some of the operations short.
        let waits = (0..side.first.len() as u32 - 1).map(|retry| rule.mean_us(retry));
        let free = knobs.within() == Span::MAX;
        let expected = waits.sum::<Option<f64>>().filter(|_| free).map(|us| us / 1e3 + 0.0);
        [
            Some(side.first.len() as f64),
            Some(side.over().as_ms()),
            Some(side.waited().as_ms()),
            Some(side.longest().as_ms()),
            side.waits.mean_us().map(|us| us / 1e3),
            expected,
            Some(side.book.good as f64),
            Some(peak as f64),
            Some(side.crowd_anywhere(knobs.window) as f64),
            Some(beyond as f64),
        ]
    }
}

impl Run for Herds {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.both.advance(events);
        let share = self.both.done as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let both = &self.both;
        if both.sides.iter().any(|side| side.first.is_empty()) {
            out.books = both.sides.iter().map(|side| side.book).collect();
            return out;
        }
        let keys = [figure::plain::ALL, figure::jitter::ALL];
        for (i, (side, keys)) in both.sides.iter().zip(keys).enumerate() {
            for (key, value) in keys.into_iter().zip(self.figures(side, i == 1)) {
                if let Some(value) = value {
                    out.set(&plan, key, value);
                }
            }
            let dots = herd::dots(&side.retries, knobs.window);
            let dots = dots.iter().flat_map(|(at, nth)| [at.as_ms(), *nth as f64]);
            out.fill(&plan, ["plain_dots", "jitter_dots"][i], dots.collect());
            let attempts = side.first.iter();
            let attempts = attempts.flat_map(|a| [a.from.as_ms(), a.to.as_ms(), f64::from(u8::from(a.answered))]);
            out.fill(&plan, ["plain_operation", "jitter_operation"][i], attempts.collect());
        }
        let [plain, jitter] = &both.sides;
        let peaks = [plain, jitter].map(|side| side.crowd(knobs.window, knobs.capacity).0 as f64);
        if peaks[1] > 0.0 {
            out.set(&plan, figure::CUT, peaks[0] / peaks[1]);
        }
        out.set(&plan, figure::RETRIES, plain.retries.len() as f64);
        out.set(&plan, figure::LONGEST_H, plain.longest().as_s() / 3_600.0);
        out.set(&plan, figure::WAIT_H, plain.waited().as_s() / 3_600.0);

        let retries = DRAWN.max(knobs.failures) as u32;
        let rule = knobs.rule(false);
        let uncapped = Rule { cap: Span::MAX, ..rule };
        let ranges = both.range(retries);
        let waits = (0..retries).zip(ranges).flat_map(|(retry, (low, high))| {
            let [free, capped] = [&uncapped, &rule].map(|rule| rule.before_jitter(retry).as_ms());
            [f64::from(retry) + 1.0, free, capped, low, high]
        });
        out.fill(&plan, "waits", waits.collect());
        let step = knobs.step_of_widths(WIDTHS).as_ms();
        let peak = |counts: &Vec<u32>| f64::from(counts.iter().copied().max().unwrap_or(0));
        let widths = (1..).zip(&both.widths).flat_map(|(n, counts)| [step * f64::from(n), peak(counts)]);
        out.fill(&plan, "widths", widths.collect());
        out.fill(&plan, "ended", both.sides.iter().map(|side| f64::from(side.end as u8)).collect());
        out.books = both.sides.iter().map(|side| side.book).collect();
        out
    }
}
