//! The knobs of this card.

use overload_chart::{same, text, units};
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::time::{Span, Time};

use super::CALLS;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// An API with one pool of connections, a dependency that turns slow, and bystanders.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulkhead {
    /// Connections of the pool that all endpoints share.
    pub pool: u64,
    /// Connections of a dependency's own pool.
    pub own: u64,
    /// Calls that may wait for one of those; beyond: 503.
    pub queue: u64,
    /// Whether the own pools are taken out of the shared one, or come on top.
    pub carve: bool,
    /// What is wrong with the dependency.
    pub fault: Fault,
    /// How long its calls take while it is slow, and how soon they fail while it is dead.
    pub slow: Span,
    pub fail: Span,
    /// How its calls come.
    pub arrivals: Pattern,
    /// How many at once.
    pub calls: u64,
    /// How many a second, for how long.
    pub rate: u64,
    pub length: Span,
    /// How long a call takes while the dependency is well.
    pub normal: Span,
    /// When it stops being well, and for how long.
    pub fault_at: Span,
    pub fault_for: Span,
    /// Dependencies with a bulkhead; the second and further ones are well, and come as /stock does.
    pub deps: u64,
    /// /stock: how long its query takes, from when on, how often, how many.
    pub stock: Span,
    pub stock_first: Span,
    pub stock_every: Span,
    pub stock_calls: u64,
    /// Alarms: a call waits for a connection longer than this,
    pub wait_alarm: Span,
    /// more calls than these to the dependency are in flight,
    pub flight_alarm: u64,
    /// the p99 of its answers is above this,
    pub tail_alarm: Span,
    /// a user of /stock has waited this long.
    pub users_alarm: Span,
}

/// What is wrong with the dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It answers, late.
    Slow,
    /// It fails at once.
    Dead,
}

/// How the dependency's calls come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All at time 0.
    AtOnce,
    /// Evenly.
    Even,
    /// At random.
    Poisson,
}

impl Default for Bulkhead {
    /// Article 3: a pool of 10, 40 queries of 2 s at once, /stock every 50 ms; with the bulkhead an own pool of 3 and at most
    /// 6 calls inside. That there were 20 /stock calls follows from its p50 and maximum.
    fn default() -> Self {
        Bulkhead {
            pool: 10,
            own: 3,
            queue: 3,
            carve: false,
            fault: Fault::Slow,
            slow: Span::s(2),
            fail: Span::ms(5),
            arrivals: Pattern::AtOnce,
            calls: 40,
            rate: 20,
            length: Span::s(10),
            normal: Span::ms(50),
            fault_at: Span::s(2),
            fault_for: Span::s(6),
            deps: 1,
            stock: Span::ms(1),
            stock_first: Span::ms(50),
            stock_every: Span::ms(50),
            stock_calls: 20,
            wait_alarm: Span::ms(100),
            flight_alarm: 10,
            tail_alarm: Span::ms(500),
            users_alarm: Span::s(1),
        }
    }
}

impl Bulkhead {
    /// Whether calls keep coming.
    pub fn steady(&self) -> bool {
        self.arrivals != Pattern::AtOnce
    }

    /// Connections left to /stock where there are bulkheads; one at least.
    pub fn rest(&self) -> u64 {
        if self.carve { self.pool.saturating_sub(self.own * self.deps).max(1) } else { self.pool }
    }

    /// When the dependency's calls come.
    pub fn pattern(&self) -> Arrivals {
        let rate = Rate::per_s(self.rate);
        match self.arrivals {
            Pattern::AtOnce => Arrivals::AtOnce,
            Pattern::Even => Arrivals::Even { rate },
            Pattern::Poisson => Arrivals::Poisson { rate },
        }
    }

    /// Whether the dependency is ill. Where its calls come at once it always is.
    pub fn ill(&self, now: Time) -> bool {
        let from = Time::ZERO + self.fault_at;
        !self.steady() || now >= from && now < from + self.fault_for
    }

    /// Whether it is ever ill while calls come.
    pub fn ever_ill(&self) -> bool {
        !self.steady() || self.fault_for > Span::ZERO && self.fault_at < self.length
    }

    /// How long one of its calls takes while it is ill.
    pub fn ill_for(&self) -> Span {
        match self.fault {
            Fault::Slow => self.slow,
            Fault::Dead => self.fail,
        }
    }

    /// The n-th call of /stock, counted from 0.
    pub fn stock_at(&self, n: u64) -> Option<Time> {
        let at = Time::ZERO + self.stock_first + self.stock_every * n;
        let more = if self.steady() { at < Time::ZERO + self.length } else { n < self.stock_calls };
        more.then_some(at)
    }

    /// About how many calls a side has.
    pub fn total(&self) -> u64 {
        let (calls, stock) = if self.steady() {
            let us = self.length.as_us();
            (self.rate * us / 1_000_000, us.saturating_sub(self.stock_first.as_us()).div_ceil(self.stock_every.as_us()))
        } else {
            (self.calls, self.stock_calls)
        };
        calls + stock * self.deps
    }

    /// Connections that the dependency's calls want at a time, while it is well and while it is ill: Little's law,
    /// L = λ·W; where they come at once, all of them.
    pub fn wanted(&self) -> [f64; 2] {
        let of = |each: Span| if self.steady() { self.rate as f64 * each.as_s() } else { self.calls as f64 };
        [self.normal, self.ill_for()].map(of)
    }
}

const POOL: Number = Number {
    key: "pool",
    label: text("Shared pool", "Pool dùng chung"),
    hint: text("connections, for all endpoints", "số connection, cho mọi endpoint"),
    unit: units::PLAIN,
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 100,
    step: 1,
    log: false,
};
const OWN: Number = Number {
    key: "own",
    label: text("Bulkhead: own pool", "Bulkhead: pool riêng"),
    hint: text("connections of each dependency", "số connection của mỗi dependency"),
    max: 50,
    ..POOL
};
const QUEUE: Number = Number {
    key: "queue",
    label: text("Bulkhead: queue", "Bulkhead: hàng chờ"),
    hint: text("beyond: 503 at once", "quá nữa: 503 ngay"),
    unit: CALLS,
    min: 0,
    max: 200,
    ..POOL
};
const CARVE: Switch = Switch {
    key: "carve",
    label: text("Taken from the shared pool", "Lấy từ pool dùng chung"),
    hint: text("off: on top of it, as in the article", "tắt: thêm vào, như trong bài"),
};
const FAULT: Choice = Choice { key: "fault", label: text("The dependency is", "Dependency bị"), hint: same("") };
const SLOW: Number = Number {
    key: "slow",
    label: text("A slow call takes", "Một call chậm mất"),
    hint: same(""),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 10_000,
    max: 10_000_000,
    step: 50_000,
    log: true,
};
const FAIL: Number = Number {
    key: "fail",
    label: text("A call fails after", "Call lỗi sau"),
    min: 1_000,
    max: 1_000_000,
    step: 1_000,
    ..SLOW
};
const ARRIVALS: Choice = Choice { key: "arrivals", label: text("Its calls come", "Call tới nó"), hint: same("") };
const COUNT: Number = Number {
    key: "calls",
    label: text("Calls at once", "Số call cùng lúc"),
    hint: text("to the dependency", "tới dependency"),
    unit: CALLS,
    max: 2_000,
    log: true,
    ..POOL
};
const RATE: Number = Number {
    key: "rate",
    label: text("Calls a second", "Số call mỗi giây"),
    hint: text("to the dependency", "tới dependency"),
    unit: units::PER_SECOND,
    kind: Kind::Rate,
    max: 500,
    log: true,
    ..POOL
};
const LENGTH: Number =
    Number { key: "length", label: text("For", "Trong"), min: 1_000_000, max: 60_000_000, step: 1_000_000, ..SLOW };
const NORMAL: Number = Number {
    key: "normal",
    label: text("A call takes when well", "Lúc khoẻ một call mất"),
    min: 1_000,
    max: 1_000_000,
    step: 5_000,
    ..SLOW
};
const FAULT_AT: Number = Number {
    key: "fault_at",
    label: text("It falls ill at", "Bắt đầu có vấn đề lúc"),
    min: 0,
    max: 60_000_000,
    step: 500_000,
    log: false,
    ..SLOW
};
const FAULT_FOR: Number = Number { key: "fault_for", label: text("Stays ill for", "Kéo dài"), ..FAULT_AT };
const DEPS: Number = Number {
    key: "deps",
    label: text("Dependencies", "Số dependency"),
    hint: text("with a bulkhead each; one falls ill", "mỗi cái một bulkhead; một cái có vấn đề"),
    max: 4,
    ..POOL
};
const STOCK: Number = Number {
    key: "stock",
    label: text("A /stock query takes", "Query /stock mất"),
    min: 1_000,
    max: 500_000,
    step: 1_000,
    ..SLOW
};
const STOCK_FIRST: Number = Number {
    key: "stock_first",
    label: text("First /stock at", "/stock đầu tiên lúc"),
    max: 10_000_000,
    step: 50_000,
    ..FAULT_AT
};
const STOCK_EVERY: Number = Number {
    key: "stock_every",
    label: text("A /stock call every", "Mỗi call /stock cách"),
    min: 5_000,
    max: 1_000_000,
    step: 5_000,
    ..SLOW
};
const STOCK_CALLS: Number =
    Number { key: "stock_calls", label: text("/stock calls", "Số call /stock"), hint: same(""), max: 500, ..COUNT };
const WAIT_ALARM: Number = Number {
    key: "wait_alarm",
    label: text("Pool wait above", "Chờ pool quá"),
    min: 1_000,
    max: 5_000_000,
    step: 10_000,
    ..SLOW
};
const FLIGHT_ALARM: Number = Number {
    key: "flight_alarm",
    label: text("In flight to it above", "In-flight tới nó quá"),
    hint: same(""),
    unit: CALLS,
    max: 500,
    ..POOL
};
const TAIL_ALARM: Number =
    Number { key: "tail_alarm", label: text("Its p99 above", "p99 của nó quá"), ..WAIT_ALARM };
const USERS_ALARM: Number = Number {
    key: "users_alarm",
    label: text("Users of /stock notice after", "Người dùng /stock nhận ra sau"),
    ..WAIT_ALARM
};

impl Fault {
    const ALL: [Fault; 2] = [Fault::Slow, Fault::Dead];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Fault::Slow => ("slow", text("Slow", "Chậm")),
            Fault::Dead => ("dead", text("Dead: it fails at once", "Chết: lỗi ngay")),
        };
        Opt { key, label, hint: same("") }
    }
}

impl Pattern {
    const ALL: [Pattern; 3] = [Pattern::AtOnce, Pattern::Even, Pattern::Poisson];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Pattern::AtOnce => ("at_once", text("All at once", "Cùng một lúc")),
            Pattern::Even => ("even", text("Evenly", "Đều đặn")),
            Pattern::Poisson => ("poisson", text("At random (Poisson)", "Ngẫu nhiên (Poisson)")),
        };
        Opt { key, label, hint: same("") }
    }
}

impl Knobs for Bulkhead {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let steady = self.steady();
        v.group(text("Pool and bulkhead", "Pool và bulkhead"), false);
        v.number(&POOL, &mut self.pool);
        v.number(&OWN, &mut self.own);
        v.number(&QUEUE, &mut self.queue);
        v.switch(&CARVE, &mut self.carve);
        v.group(text("The dependency", "Dependency"), false);
        pick(v, &FAULT, &Fault::ALL, Fault::opt, &mut self.fault);
        v.when(self.fault == Fault::Slow);
        span(v, &SLOW, &mut self.slow);
        v.when(self.fault == Fault::Dead);
        span(v, &FAIL, &mut self.fail);
        v.when(true);
        pick(v, &ARRIVALS, &Pattern::ALL, Pattern::opt, &mut self.arrivals);
        v.when(!steady);
        v.number(&COUNT, &mut self.calls);
        v.when(steady);
        v.number(&RATE, &mut self.rate);
        v.group(text("More: when it is ill, who else calls", "Thêm: khi nào có vấn đề, ai gọi nữa"), true);
        span(v, &LENGTH, &mut self.length);
        span(v, &FAULT_AT, &mut self.fault_at);
        span(v, &FAULT_FOR, &mut self.fault_for);
        v.when(steady || self.deps > 1);
        span(v, &NORMAL, &mut self.normal);
        v.when(true);
        v.number(&DEPS, &mut self.deps);
        v.group(text("More: /stock", "Thêm: /stock"), true);
        span(v, &STOCK, &mut self.stock);
        span(v, &STOCK_FIRST, &mut self.stock_first);
        span(v, &STOCK_EVERY, &mut self.stock_every);
        v.when(!steady);
        v.number(&STOCK_CALLS, &mut self.stock_calls);
        v.when(true);
        v.group(text("More: alarms", "Thêm: cảnh báo"), true);
        span(v, &WAIT_ALARM, &mut self.wait_alarm);
        v.number(&FLIGHT_ALARM, &mut self.flight_alarm);
        span(v, &TAIL_ALARM, &mut self.tail_alarm);
        span(v, &USERS_ALARM, &mut self.users_alarm);
    }
}
