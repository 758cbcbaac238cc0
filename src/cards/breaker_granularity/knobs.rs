//! The knobs of this card.

use overload_chart::{Text, same, text, units};
use overload_sim::breaker::Percent;
use overload_sim::breaker::textbook::{Rule as Breaker, Window};
use overload_sim::time::{Span, Time};

use super::{CALLS, INSTANCES};
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// Two endpoints of one dependency, their breakers, the instances that call them.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakerGranularity {
    /// What opens the breaker that both endpoints share.
    pub shared_rule: Rule,
    /// What opens the breakers of the single endpoints.
    pub own_rule: Rule,
    /// Failures in a row, where that is the rule.
    pub row: u64,
    /// The failure rate, where that is the rule, in hundredths of a percent.
    pub threshold: u64,
    /// Over how many of the last results.
    pub window: u64,
    /// With fewer results it stays closed.
    pub minimum: u64,
    /// How long a breaker stays open.
    pub open: Span,
    /// Good probes that close it; a bad one opens it again.
    pub probes: u64,
    /// Time between two calls.
    pub every: Span,
    /// For how long calls are made.
    pub length: Span,
    /// When the whole dependency goes down, and for how long.
    pub down_at: Span,
    pub down_for: Span,
    /// When the broken endpoint is called, and for how long.
    pub export_at: Span,
    pub export_for: Span,
    /// After an outage calls do not count as healthy for so long.
    pub margin: Span,
    /// Instances of the caller, each with a breaker of its own.
    pub instances: u64,
    /// Whether they share the calls out, or make as many each.
    pub split: bool,
}

/// What opens a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// So many failures in a row.
    Row,
    /// A failure rate over the last results.
    Rate,
}

impl Default for BreakerGranularity {
    /// Article 3: the breaker for the whole client opens at five failures in a row, those of the endpoints at half of the
    /// last twenty results. It prints the first rule only; its log fits no single rule.
    fn default() -> Self {
        BreakerGranularity {
            shared_rule: Rule::Row,
            own_rule: Rule::Rate,
            row: 5,
            threshold: 5_000,
            window: 20,
            minimum: 5,
            open: Span::s(1),
            probes: 3,
            every: Span::ms(10),
            length: Span::s(5),
            down_at: Span::s(1),
            down_for: Span::s(2),
            export_at: Span::ms(500),
            export_for: Span::ms(60),
            margin: Span::ms(200),
            instances: 50,
            split: false,
        }
    }
}

impl BreakerGranularity {
    /// The rule as the breaker has it. So many in a row are all of the last so many.
    pub fn breaker(&self, rule: Rule) -> Breaker {
        let (threshold, window, minimum) = match rule {
            Rule::Row => (Percent::whole(100), self.row, self.row),
            Rule::Rate => (Percent::hundredths(self.threshold as u32), self.window, self.minimum),
        };
        Breaker {
            threshold,
            strict: false,
            minimum,
            window: Window::Calls(window as u32),
            open: self.open,
            probes: self.probes as u32,
            successes: self.probes as u32,
        }
    }

    /// Calls of one instance.
    pub fn calls(&self) -> u64 {
        self.length.as_us().div_ceil(self.every.as_us().max(1))
    }

    /// Whether the whole dependency is down.
    pub fn down(&self, now: Time) -> bool {
        within(now, self.down_at, self.down_for)
    }

    /// Whether the broken endpoint is called now.
    pub fn export(&self, now: Time) -> bool {
        within(now, self.export_at, self.export_for)
    }

    /// Whether a call to the good endpoint counts as one in healthy times, with the margin.
    pub fn well_with_margin(&self, now: Time) -> bool {
        self.down_for == Span::ZERO || !within(now, self.down_at, self.down_for + self.margin)
    }

    /// Whether both kinds of breaker follow the same rule.
    pub fn same_rule(&self) -> bool {
        self.shared_rule == self.own_rule
    }
}

fn within(now: Time, from: Span, length: Span) -> bool {
    let from = Time::ZERO + from;
    now >= from && now < from + length
}

const ROW: Number = Number {
    key: "row",
    label: text("Failures in a row", "Lỗi liên tiếp"),
    hint: text("open it", "thì mở"),
    unit: CALLS,
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 100,
    step: 1,
    log: false,
};
const THRESHOLD: Number = Number {
    key: "threshold",
    label: text("Failure rate", "Tỉ lệ lỗi"),
    hint: text("that opens it", "thì mở"),
    unit: units::PERCENT,
    per_unit: 100,
    kind: Kind::Ratio,
    min: 100,
    max: 10_000,
    step: 500,
    log: false,
};
const WINDOW: Number = Number {
    key: "window",
    label: text("Window", "Cửa sổ"),
    hint: text("the last so many results", "chừng ấy kết quả gần nhất"),
    ..ROW
};
const MINIMUM: Number = Number {
    key: "minimum",
    label: text("Minimum calls", "Số call tối thiểu"),
    hint: text("fewer never open it", "ít hơn thì không mở"),
    ..ROW
};
const OPEN: Number = Number {
    key: "open",
    label: text("Open for", "Mở trong"),
    hint: text("before a probe", "trước khi probe"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 10_000,
    max: 20_000_000,
    step: 100_000,
    log: true,
};
const PROBES: Number = Number {
    key: "probes",
    label: text("Good probes", "Số probe tốt"),
    hint: text("close it again", "thì đóng lại"),
    ..ROW
};
const EVERY: Number = Number {
    key: "every",
    label: text("A call every", "Mỗi call cách"),
    hint: same(""),
    min: 5_000,
    max: 1_000_000,
    step: 5_000,
    ..OPEN
};
const LENGTH: Number = Number {
    key: "length",
    label: text("Length of the run", "Độ dài lần chạy"),
    hint: same(""),
    min: 100_000,
    log: false,
    ..OPEN
};
const DOWN_AT: Number =
    Number { key: "down_at", label: text("Dependency goes down at", "Dependency sập lúc"), min: 0, ..LENGTH };
const DOWN_FOR: Number = Number { key: "down_for", label: text("For", "Trong"), ..DOWN_AT };
const EXPORT_AT: Number =
    Number { key: "export_at", label: text("Export job at", "Job export lúc"), step: 10_000, ..DOWN_AT };
const EXPORT_FOR: Number = Number {
    key: "export_for",
    label: text("It lasts", "Kéo dài"),
    hint: text("each of its calls fails", "call nào của nó cũng lỗi"),
    ..EXPORT_AT
};
const MARGIN: Number = Number {
    key: "margin",
    label: text("Margin after an outage", "Khoảng lề sau sự cố"),
    hint: text("not counted as healthy", "không tính là lúc khoẻ"),
    max: 5_000_000,
    ..DOWN_AT
};
const INSTANCE: Number = Number {
    key: "instances",
    label: text("Instances", "Số instance"),
    hint: text("each with its own breaker", "mỗi cái một breaker"),
    unit: INSTANCES,
    max: 200,
    ..ROW
};
const SPLIT: Switch = Switch {
    key: "split",
    label: text("They share the calls out", "Chia nhau số call"),
    hint: text("off: each makes as many", "tắt: cái nào cũng gọi bấy nhiêu"),
};
const SHARED_RULE: Choice =
    Choice { key: "shared_rule", label: text("One breaker opens by", "Breaker chung mở theo"), hint: same("") };
const OWN_RULE: Choice = Choice {
    key: "own_rule",
    label: text("A breaker per endpoint by", "Breaker theo endpoint mở theo"),
    hint: same(""),
};

impl Rule {
    const ALL: [Rule; 2] = [Rule::Row, Rule::Rate];

    fn opt(self) -> Opt {
        let (key, label): (_, Text) = match self {
            Rule::Row => ("row", text("Failures in a row", "Lỗi liên tiếp")),
            Rule::Rate => ("rate", text("A failure rate", "Tỉ lệ lỗi")),
        };
        Opt { key, label, hint: same("") }
    }
}

impl Knobs for BreakerGranularity {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let any = |rule: Rule| self.shared_rule == rule || self.own_rule == rule;
        let (row, rate) = (any(Rule::Row), any(Rule::Rate));
        v.group(text("The breakers", "Các breaker"), false);
        pick(v, &SHARED_RULE, &Rule::ALL, Rule::opt, &mut self.shared_rule);
        pick(v, &OWN_RULE, &Rule::ALL, Rule::opt, &mut self.own_rule);
        v.when(row);
        v.number(&ROW, &mut self.row);
        v.when(rate);
        v.number(&THRESHOLD, &mut self.threshold);
        v.when(true);
        span(v, &OPEN, &mut self.open);
        v.group(text("More: window and probes", "Thêm: cửa sổ và probe"), true);
        v.when(rate);
        v.number(&WINDOW, &mut self.window);
        v.number(&MINIMUM, &mut self.minimum);
        v.when(true);
        v.number(&PROBES, &mut self.probes);
        v.group(text("More: calls and faults", "Thêm: call và sự cố"), true);
        span(v, &EVERY, &mut self.every);
        span(v, &LENGTH, &mut self.length);
        span(v, &DOWN_AT, &mut self.down_at);
        span(v, &DOWN_FOR, &mut self.down_for);
        span(v, &EXPORT_AT, &mut self.export_at);
        span(v, &EXPORT_FOR, &mut self.export_for);
        span(v, &MARGIN, &mut self.margin);
        v.group(text("More: many instances", "Thêm: nhiều instance"), true);
        v.number(&INSTANCE, &mut self.instances);
        v.switch(&SPLIT, &mut self.split);
    }
}
