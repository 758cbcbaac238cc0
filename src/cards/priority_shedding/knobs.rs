//! The knobs of this card, and the stations that they stand for.

use overload_chart::{Text, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::line::{Order, Wait};
use overload_sim::shedding::{CLASSES, Each, Gate, Setup, along_a_cube};
use overload_sim::time::Span;

use super::POINTS;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Visitor, pick, span};
use crate::shed_in_flight::knobs::{self as shed, Pattern, ServiceLaw, Shed};

/// The classes, the most important first: key and name.
pub const NAMES: [(&str, Text); CLASSES] = [
    ("checkout", same("Checkout")),
    ("cart", text("Cart", "Giỏ hàng")),
    ("browse", text("Browse", "Xem hàng")),
    ("reco", text("Recommendations", "Gợi ý")),
    ("bots", text("Analytics, bots", "Analytics, bot")),
];

/// A shop under load, and how it sheds.
#[derive(Clone, Debug, PartialEq)]
pub struct Shop {
    /// Callers and slots, as in the card on in-flight limits; the rate is that of the classes.
    pub load: Shed,
    /// Requests of each class a second.
    pub rates: Each<u64>,
    /// All of these times so many percent.
    pub times: u64,
    /// How it is decided who comes in.
    pub rule: By,
    /// Calls in flight.
    pub limit: u64,
    /// Who says what it is.
    pub labels: Labels,
    /// Up to which percentage of the limit each class comes in.
    pub thresholds: Each<u64>,
    /// Which percentage of the limit is each class's own.
    pub shares: Each<u64>,
    /// From which percentage of the limit on the curve sheds.
    pub from: u64,
    /// What one answer of each class is worth.
    pub values: Each<u64>,
}

/// How it is decided who comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Each class up to its own limit.
    Threshold,
    /// Each class has its own share.
    Share,
    /// Thresholds along a cubic curve.
    Curve,
    /// One limit, which does not hold for checkout.
    Exempt,
}

/// Who says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Everybody says the truth.
    Honest,
    /// Bots say that they check out.
    Bots,
    /// Everybody says that it checks out.
    All,
}

impl Default for Shop {
    /// Three times the capacity, most of it what nobody pays for. No article prints figures.
    fn default() -> Self {
        Shop {
            load: Shed { duration: Span::s(5), pattern: Pattern::Poisson, ..Shed::default() },
            rates: [20, 40, 160, 200, 180],
            times: 100,
            rule: By::Threshold,
            limit: 30,
            labels: Labels::Honest,
            thresholds: [100, 90, 75, 55, 40],
            shares: [30, 25, 25, 15, 5],
            from: 50,
            values: [100, 20, 5, 1, 0],
        }
    }
}

impl By {
    const ALL: [By; 4] = [By::Threshold, By::Share, By::Curve, By::Exempt];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            By::Threshold => (
                "threshold",
                text("A threshold per class", "Ngưỡng cho từng lớp"),
                text("each class up to its own limit", "mỗi lớp vào đến giới hạn riêng"),
            ),
            By::Share => (
                "share",
                text("Reserved shares", "Phần dành riêng"),
                text("counted once the limit is reached", "chỉ tính khi đã chạm giới hạn"),
            ),
            By::Curve => (
                "curve",
                text("A cubic curve", "Đường cong bậc ba"),
                text("slowly at first, then fast", "ban đầu chậm, rồi nhanh"),
            ),
            By::Exempt => (
                "exempt",
                text("All but checkout", "Trừ checkout"),
                text("checkout is never refused", "checkout không bao giờ bị từ chối"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Labels {
    /// All of them.
    pub const ALL: [Labels; 3] = [Labels::Honest, Labels::Bots, Labels::All];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Labels::Honest => ("honest", text("Honest", "Đúng lớp")),
            Labels::Bots => ("bots", text("Bots say checkout", "Bot tự xưng checkout")),
            Labels::All => ("all", text("All say checkout", "Tất cả tự xưng checkout")),
        };
        Opt { key, label, hint: same("") }
    }

    /// Its name.
    pub fn label(self) -> Text {
        self.opt().label
    }

    fn says(self) -> Each<u8> {
        match self {
            Labels::Honest => [0, 1, 2, 3, 4],
            Labels::Bots => [0, 1, 2, 3, 0],
            Labels::All => [0; CLASSES],
        }
    }
}

impl Shop {
    /// All classes together, in thousandths a second.
    pub fn offered(&self) -> Rate {
        Rate::milli_per_s(self.rates.iter().sum::<u64>() * 10 * self.times)
    }

    /// How the offered load stands against the capacity, exactly.
    pub fn against_capacity(&self) -> core::cmp::Ordering {
        let offered = u128::from(self.offered().as_milli_per_s()) * u128::from(self.load.service.as_us());
        offered.cmp(&(u128::from(self.load.slots) * 1_000_000_000))
    }

    /// The shop at this rate, for this time, with these labels.
    pub fn station(&self, rate: Rate, duration: Span, labels: Labels) -> Setup {
        let load = self.load.load_at(rate, duration, 0);
        Setup {
            arrivals: load.arrivals,
            requests: load.requests,
            mix: self.rates.map(|rate| rate as u32),
            says: labels.says(),
            service: load.service,
            slots: load.slots,
            timeout: load.timeout,
            gate: self.gate(),
            order: Order::Fifo,
            wait: Wait::Any,
            drop_left: false,
        }
    }

    /// The same with one limit for all classes, and with none.
    pub fn blind(&self, setup: Setup) -> [Setup; 2] {
        [Setup { gate: Gate::InFlight(self.limit as u32), ..setup }, Setup { gate: Gate::Open, ..setup }]
    }

    fn gate(&self) -> Gate {
        match self.rule {
            By::Share => {
                // At least one each, and rounded up, as in the library.
                let own = self.shares.map(|share| (self.limit * share).div_ceil(100).max(1) as u32);
                Gate::Shares { total: self.limit as u32, own }
            }
            _ => Gate::Thresholds(self.limits()),
        }
    }

    /// Up to how many calls in flight each class comes in; with shares, up to how many all do.
    pub fn limits(&self) -> Each<u32> {
        let limit = self.limit as u32;
        let part = |percent: u64| (self.limit * percent).div_ceil(100) as u32;
        match self.rule {
            By::Threshold => self.thresholds.map(part),
            By::Share => [limit; CLASSES],
            // The article refuses while more than the limit are in flight, so one more comes in.
            By::Exempt => [u32::MAX, limit + 1, limit + 1, limit + 1, limit + 1],
            By::Curve => along_a_cube(limit, self.from as u32),
        }
    }
}

const TIMES: Number = Number {
    key: "times",
    label: text("All rates", "Mọi tốc độ"),
    hint: text("times the rates of the classes", "nhân với tốc độ của các lớp"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 10,
    max: 1_000,
    step: 10,
    ..shed::LIMIT
};
const RULE: Choice = Choice { key: "rule", label: text("Shed by", "Shed theo"), hint: same("") };
const LIMIT: Number =
    Number { min: 1, hint: text("for all classes together", "cho mọi lớp cộng lại"), ..shed::LIMIT };
const LABELS: Choice = Choice {
    key: "labels",
    label: text("The label is", "Nhãn lớp"),
    hint: text("what a request says of itself", "request tự nói mình thuộc lớp nào"),
};
const RATE: Number = Number { hint: same(""), min: 0, max: 2_000, ..shed::RATE };
const THRESHOLD: Number = Number {
    hint: text("of the limit", "của giới hạn"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    max: 100,
    step: 5,
    log: false,
    ..shed::LIMIT
};
const FROM: Number = Number { key: "from", label: text("Sheds from", "Shed từ"), ..THRESHOLD };
const VALUE: Number = Number { hint: same(""), unit: POINTS, max: 10_000, ..shed::LIMIT };

/// Keys and labels of the numbers that each class has.
const RATES: [(&str, Text); CLASSES] = [
    ("rate_checkout", text("Checkout, rate", "Checkout, tốc độ")),
    ("rate_cart", text("Cart, rate", "Giỏ hàng, tốc độ")),
    ("rate_browse", text("Browse, rate", "Xem hàng, tốc độ")),
    ("rate_reco", text("Recommendations, rate", "Gợi ý, tốc độ")),
    ("rate_bots", text("Analytics and bots, rate", "Analytics và bot, tốc độ")),
];
const THRESHOLDS: [(&str, Text); CLASSES] = [
    ("upto_checkout", text("Checkout up to", "Checkout đến")),
    ("upto_cart", text("Cart up to", "Giỏ hàng đến")),
    ("upto_browse", text("Browse up to", "Xem hàng đến")),
    ("upto_reco", text("Recommendations up to", "Gợi ý đến")),
    ("upto_bots", text("Analytics and bots up to", "Analytics và bot đến")),
];
const SHARES: [(&str, Text); CLASSES] = [
    ("own_checkout", text("Checkout, own share", "Checkout, phần riêng")),
    ("own_cart", text("Cart, own share", "Giỏ hàng, phần riêng")),
    ("own_browse", text("Browse, own share", "Xem hàng, phần riêng")),
    ("own_reco", text("Recommendations, own share", "Gợi ý, phần riêng")),
    ("own_bots", text("Analytics and bots, own share", "Analytics và bot, phần riêng")),
];
const VALUES: [(&str, Text); CLASSES] = [
    ("worth_checkout", text("Checkout is worth", "Checkout đáng giá")),
    ("worth_cart", text("Cart is worth", "Giỏ hàng đáng giá")),
    ("worth_browse", text("Browse is worth", "Xem hàng đáng giá")),
    ("worth_reco", text("Recommendations are worth", "Gợi ý đáng giá")),
    ("worth_bots", text("Analytics and bots are worth", "Analytics và bot đáng giá")),
];

fn each(v: &mut dyn Visitor, spec: &Number, names: &[(&'static str, Text); CLASSES], values: &mut Each<u64>) {
    for (&(key, label), value) in names.iter().zip(values) {
        v.number(&Number { key, label, ..*spec }, value);
    }
}

impl Knobs for Shop {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("Load and shedding", "Tải và shedding"), false);
        v.number(&TIMES, &mut self.times);
        pick(v, &RULE, &By::ALL, By::opt, &mut self.rule);
        v.number(&LIMIT, &mut self.limit);
        pick(v, &LABELS, &Labels::ALL, Labels::opt, &mut self.labels);
        v.group(text("More: how much is kept for whom", "Thêm: giữ bao nhiêu cho ai"), true);
        v.when(self.rule == By::Threshold);
        each(v, &THRESHOLD, &THRESHOLDS, &mut self.thresholds);
        v.when(self.rule == By::Share);
        each(v, &THRESHOLD, &SHARES, &mut self.shares);
        v.when(self.rule == By::Curve);
        v.number(&FROM, &mut self.from);
        v.when(true);
        v.group(text("More: the classes’ rates", "Thêm: tốc độ của các lớp"), true);
        each(v, &RATE, &RATES, &mut self.rates);
        v.group(text("More: your value of one answer", "Thêm: giá trị một câu trả lời, do bạn đặt"), true);
        each(v, &VALUE, &VALUES, &mut self.values);
        let load = &mut self.load;
        v.group(text("More: server and callers", "Thêm: server và phía gọi"), true);
        v.number(&shed::SLOTS, &mut load.slots);
        span(v, &shed::SERVICE, &mut load.service);
        pick(v, &shed::LAW, &ServiceLaw::ALL, ServiceLaw::opt, &mut load.law);
        span(v, &shed::TIMEOUT, &mut load.timeout);
        pick(v, &shed::PATTERN, &[Pattern::Even, Pattern::Poisson], Pattern::opt, &mut load.pattern);
        span(v, &shed::DURATION, &mut load.duration);
    }
}
