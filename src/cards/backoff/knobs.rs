//! The knobs of this card.

use overload_chart::{Unit, same, text, units};
use overload_sim::backoff::library::{Library, LibraryCurve};
use overload_sim::backoff::{Backoff as Rule, Strategy};
use overload_sim::retry::RetryPolicy;
use overload_sim::time::Span;

use crate::jitter::opt;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// An operation that fails a few times, and a herd of clients that have it fail together.
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    /// How many times the operation fails before it is answered.
    pub failures: u64,
    /// How the wait before each retry is drawn, where there is jitter.
    pub jitter: Strategy,
    /// Of a library's curve: with the library's own base, cap, growth and attempts.
    pub own: bool,
    /// The wait before the first retry, before jitter.
    pub base: Span,
    /// What it grows by from one retry to the next, in hundredths.
    pub multiplier: u64,
    /// The longest wait, before jitter; zero: none.
    pub cap: Span,
    /// Width of the random part of additive jitter.
    pub added: Span,
    /// Most attempts, the first included.
    pub attempts: u64,
    /// No attempt starts later than this after the first; zero: no such limit.
    pub deadline: Span,
    /// How long a call takes.
    pub call: Span,
    /// How many clients fail together.
    pub clients: u64,
    /// How the herd comes back.
    pub herd: Herd,
    /// The first retry: the wait without jitter; jitter draws from 0 to the width.
    pub wait: Span,
    pub width: Span,
    /// The window in which retries are counted, and how many the service takes in one.
    pub window: Span,
    pub capacity: u64,
}

/// How the herd comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Herd {
    /// Once, as in the article: all after the same wait, or evenly over a width.
    Once,
    /// By the operation's own rule, at every retry.
    Rule,
}

impl Default for Backoff {
    /// Article 2: three failures, 100, 200 and 400 ms; 50 clients, 200 ms or 0 to 400 ms, windows of 20 ms. The article's code
    /// has no cap; it advises three to five attempts. It names no capacity: ten in a window are ours.
    fn default() -> Self {
        Backoff {
            failures: 3,
            jitter: Strategy::Full,
            own: false,
            base: Span::ms(100),
            multiplier: 200,
            cap: Span::ZERO,
            added: Span::ms(100),
            attempts: 5,
            deadline: Span::ZERO,
            call: Span::ZERO,
            clients: 50,
            herd: Herd::Once,
            wait: Span::ms(200),
            width: Span::ms(400),
            window: Span::ms(20),
            capacity: 10,
        }
    }
}

impl Backoff {
    /// The library whose own parameters count.
    pub fn library(&self) -> Option<LibraryCurve> {
        match self.jitter {
            Strategy::Library(library) if self.own => Some(library.defaults()),
            _ => None,
        }
    }

    /// The rule with jitter, or the same without.
    pub fn rule(&self, jitter: bool) -> Rule {
        let none = |span: Span| if span == Span::ZERO { Span::MAX } else { span };
        let strategy = if jitter { self.jitter } else { Strategy::NoJitter };
        let (base, cap, growth) = match self.library() {
            Some(curve) => (curve.base, curve.cap, (curve.multiplier * 100.0) as u32),
            None => (self.base, none(self.cap), self.multiplier as u32),
        };
        Rule { strategy, base, cap, spread: self.added, growth }
    }

    /// Most attempts; [`u32::MAX`] where nobody counts them.
    pub fn most(&self) -> u32 {
        self.library().map_or(self.attempts as u32, |curve| curve.calls)
    }

    /// The time within which attempts may start.
    pub fn within(&self) -> Span {
        let own = self.library().map_or(Span::MAX, |curve| curve.deadline);
        if self.deadline == Span::ZERO { own } else { own.min(self.deadline) }
    }

    /// The whole policy.
    pub fn policy(&self, jitter: bool) -> RetryPolicy {
        RetryPolicy { max_attempts: self.most(), backoff: self.rule(jitter), deadline: self.within() }
    }

    /// From one to the next of the widths that the curve of peaks has points for, `n` of them.
    pub fn step_of_widths(&self, n: u64) -> Span {
        let asked = if self.herd == Herd::Once { self.width * 2 } else { Span::ZERO };
        (asked / n).max(self.window)
    }

    /// Attempts of one operation, where no deadline ends it.
    pub fn calls(&self) -> u64 {
        (self.failures + 1).min(u64::from(self.most()))
    }
}

const FAILURES: Number = Number {
    key: "failures",
    label: text("It fails", "Số lần lỗi"),
    hint: text("times, before it is answered", "trước khi được trả lời"),
    unit: Unit::counted("times", text("times", "lần"), "time", 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 40,
    step: 1,
    log: false,
};
const JITTER: Choice = Choice { key: "jitter", label: same("Jitter"), hint: same("") };
const OWN: Switch = Switch {
    key: "own",
    label: text("With the library’s own defaults", "Với mặc định của thư viện"),
    hint: text("its base, cap, growth and attempts", "base, cap, hệ số và số lần thử của nó"),
};
const BASE: Number = Number {
    key: "base",
    label: same("Base"),
    hint: text("first backoff, before jitter", "backoff đầu tiên, chưa tính jitter"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 1_000,
    max: 60_000_000,
    step: 5_000,
    log: true,
};
const MULTIPLIER: Number = Number {
    key: "multiplier",
    label: text("Multiplier", "Hệ số nhân"),
    hint: text(
        "from retry to retry; of libraries only npm retry and p-retry follow it",
        "từ retry này sang retry sau; thư viện thì chỉ npm retry và p-retry theo nó",
    ),
    unit: Unit::new("times", same("×"), 2),
    per_unit: 100,
    kind: Kind::Whole,
    min: 100,
    max: 1_000,
    step: 10,
    log: false,
};
const CAP: Number = Number {
    key: "cap",
    label: same("Cap"),
    hint: text("longest wait before jitter; 0: none", "trần khoảng chờ, chưa tính jitter; 0: không có"),
    min: 0,
    max: 3_600_000_000,
    step: 100_000,
    ..BASE
};
const ADDED: Number = Number {
    key: "added",
    label: text("Added at random", "Phần cộng ngẫu nhiên"),
    hint: text("additive jitter only", "chỉ cho jitter cộng thêm"),
    min: 0,
    max: 5_000_000,
    step: 10_000,
    log: false,
    ..BASE
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts", "Số lần thử"),
    hint: text("at most, first call included", "tối đa, kể cả lần gọi đầu"),
    unit: Unit::new("attempts", same(""), 0),
    min: 1,
    max: 50,
    ..FAILURES
};
const DEADLINE: Number = Number {
    key: "deadline",
    label: text("Total deadline", "Deadline tổng"),
    hint: text("no attempt starts after it; 0: none", "sau đó không thử nữa; 0: không có"),
    min: 0,
    max: 86_400_000_000,
    step: 50_000,
    ..BASE
};
const CALL: Number = Number {
    key: "call",
    label: text("A call takes", "Mỗi call mất"),
    hint: same(""),
    min: 0,
    max: 10_000_000,
    step: 500,
    ..BASE
};
const CLIENTS: Number = Number {
    key: "clients",
    label: text("Clients", "Số client"),
    hint: text("fail together at t = 0", "cùng lỗi ở t = 0"),
    unit: units::CLIENTS,
    min: 1,
    max: 100_000,
    log: true,
    ..FAILURES
};
const HERD: Choice = Choice { key: "herd", label: text("They come back", "Đàn client quay lại"), hint: same("") };
const WAIT: Number = Number {
    key: "wait",
    label: text("Without jitter: after", "Không jitter: sau"),
    hint: text("all the same", "tất cả như nhau"),
    min: 0,
    max: 10_000_000,
    step: 10_000,
    ..BASE
};
const WIDTH: Number = Number {
    key: "width",
    label: text("With jitter: from 0 to", "Có jitter: từ 0 đến"),
    hint: text("evenly", "rải đều"),
    ..WAIT
};
const WINDOW: Number = Number {
    key: "window",
    label: text("Window", "Cửa sổ"),
    hint: text("in which retries are counted", "để đếm số retry"),
    min: 1_000,
    max: 10_000_000,
    step: 1_000,
    ..BASE
};
const CAPACITY: Number = Number {
    key: "capacity",
    label: text("The service takes", "Service nhận được"),
    hint: text("in a window; the article names none", "mỗi cửa sổ; bài không nêu con số"),
    unit: units::CALLS,
    ..CLIENTS
};

impl Herd {
    const ALL: [Herd; 2] = [Herd::Once, Herd::Rule];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Herd::Once => (
                "once",
                text("Once, as in the article", "Một lần, như trong bài"),
                text(
                    "after the same wait, or evenly over a width",
                    "sau cùng một khoảng chờ, hoặc rải đều trên một khoảng",
                ),
            ),
            Herd::Rule => (
                "rule",
                text("By the rule above, every retry", "Theo công thức trên, mọi retry"),
                text("each client runs the operation", "mỗi client chạy thao tác ấy"),
            ),
        };
        Opt { key, label, hint }
    }
}

/// The choices of jitter: everything but none, which is what they are compared with.
const JITTERS: [Strategy; Strategy::ALL.len() - 1] = {
    let mut all = [Strategy::Full; Strategy::ALL.len() - 1];
    let mut i = 0;
    while i < all.len() {
        all[i] = Strategy::ALL[i + 1];
        i += 1;
    }
    all
};
const _: () = assert!(matches!(Strategy::ALL[0], Strategy::NoJitter) && Library::COUNT > 0);

impl Knobs for Backoff {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let free = self.library().is_none();
        v.group(text("One operation", "Một thao tác"), false);
        v.number(&FAILURES, &mut self.failures);
        pick(v, &JITTER, &JITTERS, opt, &mut self.jitter);
        v.when(matches!(self.jitter, Strategy::Library(_)));
        v.switch(&OWN, &mut self.own);
        v.when(free);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);
        v.when(self.jitter == Strategy::Additive);
        span(v, &ADDED, &mut self.added);
        v.when(true);
        v.group(text("The herd", "Đàn client"), false);
        v.number(&CLIENTS, &mut self.clients);
        pick(v, &HERD, &Herd::ALL, Herd::opt, &mut self.herd);
        v.when(self.herd == Herd::Once);
        span(v, &WAIT, &mut self.wait);
        span(v, &WIDTH, &mut self.width);
        v.group(text("More: limits of one operation", "Thêm: giới hạn của một thao tác"), true);
        v.when(free);
        v.number(&ATTEMPTS, &mut self.attempts);
        v.number(&MULTIPLIER, &mut self.multiplier);
        v.when(true);
        span(v, &DEADLINE, &mut self.deadline);
        span(v, &CALL, &mut self.call);
        v.group(text("More: how retries are counted", "Thêm: cách đếm retry"), true);
        span(v, &WINDOW, &mut self.window);
        v.number(&CAPACITY, &mut self.capacity);
    }
}
