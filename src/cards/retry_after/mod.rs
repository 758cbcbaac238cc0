//! Card 23, `retry-after`: article 4, the edge cases.
//!
//! Clients that were shed together are told when to come back, and come back together. And a partner that is told to wait and
//! does not.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `crowd.rs` | the herd's run |
//! | `partner.rs` | the partner's run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod crowd;
mod draw;
mod knobs;
mod partner;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::time::Time;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::herd;
use crate::outcome::{Outcome, Plan};
use crowd::{Crowd, Row, WIDTHS, Widths, peak};
use knobs::RetryAfter;
use partner::Partner;

/// The card.
pub struct Card;

/// Keys of the rows, in the order of [`Row::ALL`].
const ROWS: [&str; 4] = ["same", "spread", "both", "none"];
/// Their names.
const NAMES: [Text; 4] = [
    text("The same for all", "Như nhau cho mọi client"),
    text("Spread in whole seconds", "Rải theo giây nguyên"),
    text("With client jitter too", "Thêm jitter phía client"),
    text("No header", "Không có header"),
];
/// Keys of the partner's sides: without the box, with it.
const SIDES: [&str; 2] = ["open", "boxed"];

/// What every row has; in the outcome it follows the row's key: `same_herd`.
mod figure {
    pub const HERD: &str = "herd";
    pub const MOMENTS: &str = "moments";
    pub const FIRST: &str = "first";
    pub const LAST: &str = "last";
    pub const PEAK: &str = "peak";
    pub const REFUSED: &str = "refused";
    pub const CALLS: &str = "calls";
    pub const DONE: &str = "done";
    pub const ANSWERED: &str = "answered";
    pub const GAVE_UP: &str = "gave_up";
    /// What every side of the partner has.
    pub const TOLD_OFF: &str = "told_off";
    pub const BLOCKED: &str = "blocked";
    pub const SERVED: &str = "served";
    pub const CPU: &str = "cpu";
    pub const MEDIAN: &str = "median";
    pub const LATE: &str = "late";
}

/// Milliseconds, to a tenth.
const MS: Unit = Unit::new("ms", same("ms"), 1);

/// The key of a row's or a side's figure.
fn key(of: &str, figure: &str) -> String {
    format!("{of}_{figure}")
}

impl Lesson for Card {
    type Knobs = RetryAfter;

    const ABOUT: About = About {
        slug: "retry-after",
        number: 23,
        theme: Theme::AskingAgain,
        title: text("Retry-After: told to come back, all at once", "Retry-After: được hẹn quay lại, và cùng quay lại"),
        promise: text(
            "A thousand clients are shed and told to come back in a second. They do. See how jitter in the header and at the client breaks the herd.",
            "Một nghìn client bị shed và được hẹn quay lại sau một giây. Chúng quay lại thật. Xem jitter trong header và ở client phá cả đàn ra sao.",
        ),
        lead: text(
            "Whoever sheds load says when to come back. Told the same, a thousand clients return in one instant, and most are shed again. The header knows whole seconds only, so a server that draws it at random makes a few herds of one; the rest is up to the clients. And then there is the partner who does not wait at all.",
            "Server shed tải thì báo khi nào nên quay lại. Báo như nhau thì một nghìn client quay lại trong một tích tắc, và phần lớn lại bị shed. Header chỉ biết giây nguyên, nên server có rút ngẫu nhiên thì một đàn cũng chỉ thành vài đàn; phần còn lại là việc của client. Rồi còn đối tác không chịu chờ gì cả.",
        ),
        sources: &[(4, "Retry-After")],
    };

    words_and_charts!(RetryAfter);

    fn plan(_knobs: &RetryAfter) -> Plan {
        let mut plan = Plan::default();
        for (row, name) in ROWS.into_iter().zip(NAMES) {
            let mut add = |figure, label, unit| plan.figure(key(row, figure), name, label, unit);
            add(
                figure::HERD,
                text("first return: most in a slot", "lần quay lại đầu: đông nhất trong một slot"),
                units::CLIENTS,
            );
            add(
                figure::MOMENTS,
                text("first return: different moments", "lần quay lại đầu: số thời điểm khác nhau"),
                units::PLAIN,
            );
            add(figure::FIRST, text("first return: the soonest", "lần quay lại đầu: sớm nhất"), units::S);
            add(figure::LAST, text("first return: the latest", "lần quay lại đầu: muộn nhất"), units::S);
            add(
                figure::PEAK,
                text("most calls in a slot, over all", "nhiều call nhất trong một slot, suốt lần chạy"),
                units::CALLS,
            );
            add(figure::REFUSED, text("refused again", "lại bị từ chối"), units::CALLS);
            add(figure::CALLS, text("calls, the first included", "số call, kể cả lần đầu"), units::CALLS);
            add(figure::DONE, text("last answer", "câu trả lời cuối"), units::S);
            add(figure::ANSWERED, text("answered", "được trả lời"), units::CLIENTS);
            add(figure::GAVE_UP, text("gave up", "bỏ cuộc"), units::CLIENTS);
        }
        let sides = [
            text("Partner, no box", "Đối tác, không penalty box"),
            text("Partner, penalty box", "Đối tác, có penalty box"),
        ];
        for (side, name) in SIDES.into_iter().zip(sides) {
            let mut add = |figure, label, unit| plan.figure(key(side, figure), name, label, unit);
            add(figure::SERVED, text("answered", "được trả lời"), units::CALLS);
            add(figure::TOLD_OFF, text("429 from the app", "429 từ app"), units::CALLS);
            add(figure::BLOCKED, text("429 at the gateway", "429 tại gateway"), units::CALLS);
            add(figure::CPU, text("CPU spent on refusing", "CPU tốn cho việc từ chối"), units::PERCENT);
            add(figure::MEDIAN, text("everybody else, median", "client khác, trung vị"), MS);
            add(figure::LATE, text("everybody else, later than 1 s", "client khác, trễ hơn 1 s"), units::CALLS);
        }
        for row in ROWS {
            plan.series(key(row, "dots"), &[("at", units::S), ("nth", units::CALLS)]);
            plan.series(key(row, "share"), &[("at", units::S), ("answered", units::PERCENT)]);
        }
        for side in SIDES {
            let calls = ["answered", "from_app", "at_gateway"].map(|column| (column, units::CALLS));
            plan.series(key(side, "bars"), &[&[("at", units::S)][..], &calls[..]].concat());
        }
        let peaks = [("jitter", units::MS), ("same", units::CLIENTS), ("spread", units::CLIENTS)];
        plan.series("widths", &peaks);
        plan.books = NAMES.into_iter().chain(sides).collect();
        plan
    }

    fn cost(knobs: &RetryAfter) -> u64 {
        // Told the same, each wave loses one slot's worth; the other rows need a few calls a client.
        let waves = knobs.clients.div_ceil(knobs.capacity);
        let calls = waves.min(knobs.attempts - 1).div_ceil(2) + 3 * waves.min(4).min(knobs.attempts - 1);
        let us = knobs.length.as_us();
        let others = knobs.rate * us / 1_000_000;
        let most = (us / knobs.answer_cost.as_us()).min(knobs.loops * us / (knobs.rtt + knobs.answer_cost).as_us());
        let quota = (knobs.quota * us / 1_000_000 + knobs.burst).min(most);
        // A loop turns as fast as it may, and as the CPU allows that is left by answers.
        let left = us.saturating_sub((quota + others) * knobs.answer_cost.as_us());
        let (cycle, refuse) = ((knobs.rtt + knobs.refuse_cost).as_us(), knobs.refuse_cost.as_us().max(1));
        let refused = (knobs.loops * us / cycle).min(left / refuse) + knobs.loops;
        let boxed = refused / knobs.strikes > us / 1_000_000;
        let [open, blocked] = if knobs.polite {
            [quota + knobs.loops * (us / 1_000_000 + 1); 2]
        } else {
            [refused, if boxed { knobs.loops * us / knobs.rtt.as_us() } else { refused }]
        };
        knobs.clients * (1 + calls) + 2 * open + blocked + 4 * others
    }

    fn start(knobs: &RetryAfter, seed: u64) -> Box<dyn Run> {
        Box::new(Herds {
            knobs: knobs.clone(),
            seed,
            crowds: Row::ALL.map(|row| Crowd::new(knobs, row, seed)),
            widths: Widths::new(),
            counted: 0,
            partners: [false, true].map(|guarded| Partner::new(knobs, guarded)),
            done: 0,
        })
    }
}

struct Herds {
    knobs: RetryAfter,
    seed: u64,
    crowds: [Crowd; 4],
    widths: Widths,
    /// Clients counted in the widths.
    counted: u64,
    partners: [Partner; 2],
    done: u64,
}

impl Herds {
    /// One event; whether there was one.
    fn step(&mut self) -> bool {
        let knobs = &self.knobs;
        if self.counted < knobs.clients {
            self.widths.add(knobs, self.counted, self.seed);
            self.counted += 1;
            return true;
        }
        self.crowds.iter_mut().any(|crowd| crowd.step(knobs, self.seed))
            || self.partners.iter_mut().any(|partner| partner.step(knobs))
    }
}

impl Run for Herds {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        while left > 0 && self.step() {
            left -= 1;
        }
        self.done += events - left;
        let done = left > 0;
        let share = self.done as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        for (row, crowd) in ROWS.into_iter().zip(&self.crowds) {
            let first = crowd.first_returns();
            let all: Vec<Time> = crowd.calls.iter().map(|call| call.0).collect();
            let (herd, moments) = peak(&first, knobs.slot);
            let s = |at: Option<&Time>| at.map(|at| at.as_s());
            let values = [
                (figure::HERD, Some(herd as f64)),
                (figure::MOMENTS, Some(moments as f64)),
                (figure::FIRST, s(first.first())),
                (figure::LAST, s(first.last())),
                (figure::PEAK, Some(peak(&all, knobs.slot).0 as f64)),
                (figure::REFUSED, Some(crowd.refused as f64)),
                (figure::CALLS, Some(crowd.book.caller.attempts as f64)),
                (figure::DONE, s(crowd.answered.last())),
                (figure::ANSWERED, Some(crowd.answered.len() as f64)),
                (figure::GAVE_UP, Some(crowd.gave_up as f64)),
            ];
            for (figure, value) in values {
                if let Some(value) = value {
                    out.set(&plan, &key(row, figure), value);
                }
            }
            let dots = herd::dots(&all, knobs.slot);
            out.fill(&plan, &key(row, "dots"), dots.iter().flat_map(|(at, nth)| [at.as_s(), *nth as f64]).collect());
            out.fill(&plan, &key(row, "share"), share(&crowd.answered, knobs.clients));
            out.books.push(crowd.book);
        }
        for (side, partner) in SIDES.into_iter().zip(&self.partners) {
            let [served, told_off, blocked] = partner.bars.each_ref().map(|bins| bins.total() as f64);
            let mut others = partner.others.clone();
            let late = others.len() - others.within(partner::DEADLINE);
            let values = [
                (figure::SERVED, Some(served)),
                (figure::TOLD_OFF, Some(told_off)),
                (figure::BLOCKED, Some(blocked)),
                (figure::CPU, Some(100.0 * partner.refusing.as_s() / knobs.length.as_s())),
                (figure::MEDIAN, others.percentile(0.5).map(|span| span.as_ms())),
                (figure::LATE, Some(late as f64)),
            ];
            for (figure, value) in values {
                if let Some(value) = value {
                    out.set(&plan, &key(side, figure), value);
                }
            }
            let width = partner.bars[0].width();
            let bars = (0..partner::BARS).flat_map(|bar| {
                let counts = partner.bars.each_ref().map(|bins| bins.counts().get(bar as usize).copied().unwrap_or(0));
                let [a, b, c] = counts.map(f64::from);
                [(width * bar).as_s(), a, b, c]
            });
            out.fill(&plan, &key(side, "bars"), bars.collect());
            out.books.push(partner.book);
        }
        let step = knobs.step_of_widths(WIDTHS).as_ms();
        let widths = (0..).zip(self.widths.peaks()).flat_map(|(n, [same, spread])| [step * f64::from(n), same, spread]);
        out.fill(&plan, "widths", widths.collect());
        out
    }
}

/// When which share of the clients had been answered, at most about 250 points.
fn share(answered: &[Time], clients: u64) -> Vec<f64> {
    let every = answered.len().div_ceil(250).max(1);
    let kept = (1..).zip(answered).filter(|(n, _)| n % every == 0 || *n == answered.len());
    kept.flat_map(|(n, at)| [at.as_s(), 100.0 * n as f64 / clients as f64]).collect()
}
