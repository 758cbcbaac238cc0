//! Card 20, `may-i-retry`: articles 1, 2 and 4, which calls may be made again.
//!
//! A decision explorer: how a call ended, its method and key, what is left of deadline and budget; the three conditions,
//! what follows, and what libraries would do. Beside it the same payments under four policies: who is charged twice.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::draw::Draws;
use overload_sim::payments::{Belief, Lane};
use overload_sim::record::Bins;
use overload_sim::retryable::{Answer, Lit, Verdict};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::MayIRetry;

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    /// What one policy makes of the payments: keys with the policy's name before them, in the plan's order.
    pub const PAID: usize = 0;
    pub const TWICE: usize = 1;
    pub const UNAWARE: usize = 2;
    pub const UNKNOWN: usize = 3;
    pub const FAILED: usize = 4;
    pub const MOST_CHARGES: usize = 5;
    pub const CHARGES: usize = 6;
    pub const ATTEMPTS: usize = 7;
    pub const MOST_ATTEMPTS: usize = 8;
    pub const OF: [[&str; 9]; 4] = [
        [
            "once_paid",
            "once_twice",
            "once_unaware",
            "once_unknown",
            "once_failed",
            "once_most_charges",
            "once_charges",
            "once_attempts",
            "once_most_attempts",
        ],
        [
            "all_paid",
            "all_twice",
            "all_unaware",
            "all_unknown",
            "all_failed",
            "all_most_charges",
            "all_charges",
            "all_attempts",
            "all_most_attempts",
        ],
        [
            "rule_paid",
            "rule_twice",
            "rule_unaware",
            "rule_unknown",
            "rule_failed",
            "rule_most_charges",
            "rule_charges",
            "rule_attempts",
            "rule_most_attempts",
        ],
        [
            "library_paid",
            "library_twice",
            "library_unaware",
            "library_unknown",
            "library_failed",
            "library_most_charges",
            "library_charges",
            "library_attempts",
            "library_most_attempts",
        ],
    ];
    pub const ONCE: [&str; 9] = OF[0];
    pub const ALL: [&str; 9] = OF[1];
    pub const RULE: [&str; 9] = OF[2];
    pub const LIBRARY: [&str; 9] = OF[3];
    pub const ASKS: &str = "rule_asks";
    pub const HOLD: &str = "conditions";
    pub const WAIT: &str = "first_wait";
    pub const MAY: &str = "answers_retried";
    pub const MAY_ASK: &str = "answers_asked";
    pub const MAY_NOT: &str = "answers_not";
    pub const LIBRARY_MAY: &str = "answers_library";
    pub const PAYMENTS: &str = "payments";
    pub const HIT: &str = "hit";
}

const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);
const PAYMENTS: Unit = Unit::counted("payments", text("payments", "thanh toán"), "payment", 0);
const CHARGES: Unit = Unit::counted("charges", text("charges", "lần trừ tiền"), "charge", 0);
const ANSWERS: Unit = Unit::counted("answers", text("kinds of answer", "loại câu trả lời"), "kind of answer", 0);
const CONDITIONS: Unit = Unit::counted("conditions", text("conditions", "điều kiện"), "condition", 0);

/// The policies, as rows and panels name them.
const POLICIES: [Text; 4] = [
    text("never again", "không thử lại"),
    text("everything again", "gì cũng thử lại"),
    text("by the rule", "theo quy tắc"),
    text("the library", "thư viện"),
];

/// Attempts of the payment that is drawn in full.
const ROWS: usize = 4;
/// The lanes that are drawn so.
const STORIES: [usize; 3] = [1, 2, 3];

impl Lesson for Card {
    type Knobs = MayIRetry;

    const ABOUT: About = About {
        slug: "may-i-retry",
        number: 20,
        theme: Theme::AskingAgain,
        title: text("May I retry? Three conditions", "Có được retry không? Ba điều kiện"),
        promise: text(
            "A payment without an answer in time: charged or not? See who charges it twice, and what your library would do.",
            "Một khoản thanh toán không có câu trả lời kịp giờ: đã trừ tiền chưa? Xem ai trừ hai lần, và thư viện của bạn làm gì.",
        ),
        lead: text(
            "A call may be made again if the error passes by itself, if doing the work twice does no harm, and if there is time and budget left. Choose how the call ended, its method and its key; the map lights what holds. Below it, the same payments under four policies: a timeout is a third outcome, and whoever takes it for a failure charges again.",
            "Một lời gọi được gọi lại nếu lỗi tự hết, nếu làm việc đó hai lần vẫn vô hại, và nếu còn thời gian lẫn budget. Chọn lời gọi kết thúc bằng gì, method và key; bản đồ sáng lên những gì thoả. Bên dưới, cùng các khoản thanh toán ấy dưới bốn cách xử lý: timeout là kết quả thứ ba, ai coi nó là thất bại sẽ trừ tiền lần nữa.",
        ),
        sources: &[(1, "004"), (2, "idempotent"), (4, "429-503")],
    };

    const SEEDS: bool = false;

    words_and_charts!(MayIRetry);

    fn plan(_knobs: &MayIRetry) -> Plan {
        let mut plan = Plan::default();
        let question = text("The call that failed", "Lời gọi bị lỗi");
        let mut add = |key, label, unit| plan.figure(key, question, label, unit);
        add(figure::HOLD, text("conditions that hold, of three", "điều kiện thoả, trên ba"), CONDITIONS);
        add(figure::WAIT, text("first wait, at most", "lần chờ đầu, nhiều nhất"), units::MS);
        add(figure::MAY, text("answers after which one retries", "câu trả lời được retry"), ANSWERS);
        add(figure::MAY_ASK, text("answers after which one asks first", "câu trả lời phải hỏi trước"), ANSWERS);
        add(figure::MAY_NOT, text("answers after which one does not", "câu trả lời không retry"), ANSWERS);
        add(figure::LIBRARY_MAY, text("answers that the library retries", "câu trả lời mà thư viện retry"), ANSWERS);
        for (group, keys) in POLICIES.into_iter().zip(figure::OF) {
            let labels = [
                (text("charged once, and known", "trừ một lần, client biết"), PAYMENTS),
                (text("charged more than once", "trừ hơn một lần"), PAYMENTS),
                (text("charged once, client does not know", "trừ một lần, client không biết"), PAYMENTS),
                (text("not charged, client does not know", "chưa trừ, client không biết"), PAYMENTS),
                (text("not charged, and known", "chưa trừ, client biết"), PAYMENTS),
                (text("charges for one payment, at most", "lần trừ cho một khoản, nhiều nhất"), CHARGES),
                (text("charges in all", "tổng số lần trừ"), CHARGES),
                (text("attempts in all", "tổng số lần thử"), units::ATTEMPTS),
                (text("attempts for one payment, at most", "lần thử cho một khoản, nhiều nhất"), units::ATTEMPTS),
            ];
            keys.into_iter().zip(labels).for_each(|(key, (label, unit))| plan.figure(key, group, label, unit));
        }
        plan.figure(
            figure::ASKS,
            POLICIES[2],
            text("questions whether it was done", "lần hỏi đã trừ chưa"),
            Unit::counted("questions", text("questions", "lần hỏi"), "question", 0),
        );
        let load = text("Load", "Tải");
        plan.figure(figure::PAYMENTS, load, text("payments", "khoản thanh toán"), PAYMENTS);
        plan.figure(figure::HIT, load, text("whose first attempt failed", "có lần thử đầu bị lỗi"), PAYMENTS);

        // Of the payment that is drawn: which lane, which attempt, what (0 the client waits, 1 the service works,
        // 2 charged, 3 charged again, 4 asked), from when to when.
        let of = [("lane", units::PLAIN), ("attempt", units::PLAIN), ("what", units::PLAIN), ("from", units::MS)];
        plan.series("story", &[of[0], of[1], of[2], of[3], ("to", units::MS)]);
        let flow = [
            ("second", units::S),
            ("begun", PAYMENTS),
            ("once", CHARGES),
            ("all", CHARGES),
            ("rule", CHARGES),
            ("library", CHARGES),
        ];
        plan.series("flow", &flow);
        plan.books = POLICIES.to_vec();
        plan
    }

    fn cost(knobs: &MayIRetry) -> u64 {
        let payments = (knobs.rate * knobs.run.as_us()).div_ceil(1_000_000);
        let (hits, attempts) = knobs.hits();
        // An attempt is sent, worked on, answered and timed out.
        let more: u64 = attempts.iter().map(|&n| hits.saturating_mul(n - 1)).fold(0, u64::saturating_add);
        (4 * payments + more).saturating_mul(3).max(1)
    }

    fn start(knobs: &MayIRetry, seed: u64) -> Box<dyn Run> {
        let draws = Draws::new(seed, STREAM);
        let lanes = knobs.policies().map(|policy| Lane::new(knobs.setup(), policy, draws));
        Box::new(Lanes { knobs: knobs.clone(), lanes })
    }
}

/// The stream of the payments' luck: the same for all policies.
const STREAM: u64 = 0x3ef2;

struct Lanes {
    knobs: MayIRetry,
    lanes: [Lane; 4],
}

impl Lanes {
    /// The payment that is drawn: the first whose first attempt failed, if there is one.
    fn drawn(&self) -> u32 {
        let first = self.lanes[0].tries.iter().find(|t| t.n == 0 && t.answer.is_some());
        first.map_or(0, |t| t.payment)
    }

    /// Its rows of the series.
    fn story(&self) -> Vec<f64> {
        let id = self.drawn();
        let mut out = Vec::new();
        for lane in STORIES {
            let from = &self.lanes[lane];
            let Some(payment) = from.payments.get(id as usize) else { continue };
            let began = payment.began;
            let mut row = |attempt: u32, what: u8, a: Time, b: Time| {
                let [a, b] = [a, b].map(|at| at.min(from.now).since(began).as_ms());
                out.extend([lane as f64, f64::from(attempt), f64::from(what), a, b]);
            };
            let mine = || from.tries.iter().filter(|t| t.payment == id);
            let first = mine().filter(|t| t.charged).map(|t| t.to).min();
            for t in mine() {
                row(t.n, 0, t.sent, t.ended);
                if t.from < Time::MAX {
                    row(t.n, 1, t.from, t.to);
                }
                if t.charged {
                    row(t.n, if Some(t.to) == first { 2 } else { 3 }, t.to, t.to);
                }
            }
            for &(at, _) in from.asks.iter().filter(|ask| ask.1 == id) {
                let before = mine().filter(|t| t.sent <= at).count() as u32;
                row(before.saturating_sub(1), 4, at, at);
            }
        }
        out
    }

    /// Payments begun and charges made in each second.
    fn flow(&self) -> Vec<f64> {
        let second = Span::s(1);
        let mut columns = vec![Bins::new(second, 200)];
        self.lanes[0].payments.iter().for_each(|p| columns[0].add(p.began));
        for lane in &self.lanes {
            let mut bins = Bins::new(second, 200);
            lane.charges.iter().for_each(|charge| bins.add(charge.0));
            columns.push(bins);
        }
        let length = columns.iter().map(|bins| bins.counts().len()).max().unwrap_or(0);
        let row = |k: usize| {
            let counts = columns.iter().map(move |bins| bins.counts().get(k).copied().map_or(0.0, f64::from));
            std::iter::once(k as f64).chain(counts)
        };
        (0..length).flat_map(row).collect()
    }
}

impl Run for Lanes {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        for lane in &mut self.lanes {
            while left > 0 && lane.step() {
                left -= 1;
            }
        }
        let done = left > 0;
        let share = self.lanes.iter().map(|lane| lane.done).sum::<u64>() as f64 / Card::cost(&self.knobs) as f64;
        Progress::guessed(done, share)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let here = knobs.judged(knobs.answer);
        let room = here.time == Lit::Yes && here.budget == Lit::Yes;
        let hold = [here.transient == Lit::Yes, here.repeatable == Lit::Yes, room];
        out.set(&plan, figure::HOLD, hold.iter().filter(|holds| **holds).count() as f64);
        if here.verdict != Verdict::Permanent {
            let wait = if here.verdict == Verdict::NewToken { knobs.quick } else { knobs.wait(knobs.answer) };
            out.set(&plan, figure::WAIT, wait.as_ms());
        }
        let of = |which: fn(Verdict) -> bool| {
            Answer::ALL.into_iter().filter(|&answer| which(knobs.judged(answer).verdict)).count() as f64
        };
        out.set(&plan, figure::MAY, of(|v| matches!(v, Verdict::Retry | Verdict::WhenTold | Verdict::NewToken)));
        out.set(&plan, figure::MAY_ASK, of(|v| v == Verdict::AskFirst));
        out.set(&plan, figure::MAY_NOT, of(|v| matches!(v, Verdict::Permanent | Verdict::NoTime | Verdict::NoBudget)));
        let library = |answer: &Answer| knobs.library.retries(*answer, knobs.method, knobs.told > Span::ZERO);
        out.set(&plan, figure::LIBRARY_MAY, Answer::ALL.iter().filter(|answer| library(answer)).count() as f64);
        for (lane, keys) in self.lanes.iter().zip(figure::OF) {
            let t = lane.tally();
            let values = [t.paid, t.twice, t.unaware, t.unknown, t.failed];
            let most = u64::from(t.most_attempts);
            let more = [u64::from(t.most_charges), t.charges, t.attempts, most];
            keys.into_iter().zip(values.into_iter().chain(more)).for_each(|(key, n)| out.set(&plan, key, n as f64));
            out.books.push(Book {
                offered: t.payments,
                good: lane.payments.iter().filter(|p| p.belief == Belief::Paid).count() as u64,
                caller: lane.caller,
                server: lane.server,
            });
        }
        out.set(&plan, figure::ASKS, self.lanes[2].asks.len() as f64);
        out.set(&plan, figure::PAYMENTS, self.lanes[0].payments.len() as f64);
        let hit = self.lanes[0].tries.iter().filter(|t| t.answer.is_some()).count();
        out.set(&plan, figure::HIT, hit as f64);
        out.fill(&plan, "story", self.story());
        out.fill(&plan, "flow", self.flow());
        out
    }
}

/// What one does after an answer, in a word or two.
const fn in_words(verdict: Verdict) -> Text {
    match verdict {
        Verdict::Retry => text("try again", "gọi lại"),
        Verdict::WhenTold => text("when told", "khi được phép"),
        Verdict::NewToken => text("new token first", "token mới trước"),
        Verdict::AskFirst => text("ask first", "hỏi trước"),
        Verdict::Permanent | Verdict::NoTime | Verdict::NoBudget => text("stop", "dừng"),
    }
}

/// The sign of it.
const fn sign(verdict: Verdict) -> Text {
    match verdict {
        Verdict::Retry => same("✓"),
        Verdict::WhenTold => same("R"),
        Verdict::NewToken => same("T"),
        Verdict::AskFirst => same("?"),
        Verdict::Permanent | Verdict::NoTime | Verdict::NoBudget => same("–"),
    }
}
