//! The knobs of this card, and the load that they stand for.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::admission::Admission;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::budget::Ratio;
use overload_sim::budget::bucket::Bucket;
use overload_sim::law::Law;
use overload_sim::retry::RetryPolicy;
use overload_sim::time::Span;

use super::system::{Load, Retries};
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// The load, the server, its limit, and what callers do.
#[derive(Clone, Debug, PartialEq)]
pub struct Shed {
    /// User requests a second, on average; bursts have their own.
    pub rate: u64,
    /// How long a caller waits for each attempt's answer; zero: for ever.
    pub timeout: Span,
    /// Calls that may be in flight, waiting or being served; 0: no limit.
    pub limit: u64,
    /// Calls served at once.
    pub slots: u64,
    /// How long serving one takes, on average.
    pub service: Span,
    /// How service times are distributed.
    pub law: ServiceLaw,
    /// How long requests keep coming.
    pub duration: Span,
    /// How they come.
    pub pattern: Pattern,
    /// Requests a burst.
    pub burst: u64,
    /// From one burst to the next.
    pub tick: Span,
    /// An answer counts only within this long after the user's first attempt; zero: whenever it comes.
    pub deadline: Span,
    /// A call whose caller has left is dropped when its turn comes, instead of being served.
    pub drop_left: bool,
    /// Callers try again.
    pub retries: bool,
    /// Most attempts for one request, the first included.
    pub attempts: u64,
    /// Backoff before the first retry, before jitter.
    pub base: Span,
    /// Longest backoff, before jitter.
    pub cap: Span,
    /// What a 503 asks for; zero: it says nothing.
    pub retry_after: Span,
    /// Callers do as a 503 asks.
    pub honour: bool,
    /// A retry takes a token from a bucket that all callers share.
    pub budget: bool,
    /// Hundredths of a token that each first attempt brings.
    pub budget_ratio: u64,
    /// Most tokens, and how many there are at the start.
    pub budget_tokens: u64,
}

/// How service times are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceLaw {
    /// All the same.
    Fixed,
    /// Exponential.
    Exponential,
    /// Log-normal with a squared coefficient of variation of 4.
    HeavyTail,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// At even distances.
    Even,
    /// At random.
    Poisson,
    /// So many at each tick.
    Bursts,
}

impl Default for Shed {
    /// Article 1, card 053.
    fn default() -> Self {
        Shed {
            rate: 600,
            timeout: Span::s(1),
            limit: 30,
            slots: 10,
            service: Span::ms(50),
            law: ServiceLaw::Fixed,
            duration: Span::s(3),
            pattern: Pattern::Even,
            burst: 6,
            tick: Span::ms(10),
            deadline: Span::ZERO,
            drop_left: false,
            retries: false,
            attempts: 3,
            base: Span::ms(100),
            cap: Span::s(10),
            retry_after: Span::s(1),
            honour: true,
            budget: false,
            budget_ratio: 10,
            budget_tokens: 10,
        }
    }
}

impl Shed {
    /// The offered rate in thousandths a second, to the nearest.
    pub fn offered(&self) -> Rate {
        match self.pattern {
            Pattern::Even | Pattern::Poisson => Rate::per_s(self.rate),
            Pattern::Bursts => {
                let tick = u128::from(self.tick.as_us().max(1));
                Rate::milli_per_s(((u128::from(self.burst) * 1_000_000_000 + tick / 2) / tick) as u64)
            }
        }
    }

    /// What the slots can serve, in thousandths a second, to the nearest.
    pub fn capacity(&self) -> Rate {
        let service = u128::from(self.service.as_us().max(1));
        Rate::milli_per_s(((u128::from(self.slots) * 1_000_000_000 + service / 2) / service) as u64)
    }

    /// How the offered load stands against the capacity, exactly.
    pub fn against_capacity(&self) -> core::cmp::Ordering {
        let (slots, service) = (u128::from(self.slots), u128::from(self.service.as_us()));
        match self.pattern {
            Pattern::Even | Pattern::Poisson => (u128::from(self.rate) * service).cmp(&(slots * 1_000_000)),
            Pattern::Bursts => (u128::from(self.burst) * service).cmp(&(slots * u128::from(self.tick.as_us()))),
        }
    }

    /// The timeout, where there is one.
    pub fn patience(&self) -> Option<Span> {
        Some(self.timeout).filter(|&t| t > Span::ZERO)
    }

    /// The most calls in flight whose last one is still answered in time at the pace of the capacity: ⌊μ·d⌋, d being the
    /// timeout, or the deadline where that is shorter. `None` where neither is set.
    pub fn edge(&self) -> Option<u64> {
        let in_time = [self.timeout, self.deadline].into_iter().filter(|&d| d > Span::ZERO).min()?.as_us();
        let edge = u128::from(self.slots) * u128::from(in_time) / u128::from(self.service.as_us().max(1));
        Some(edge.min(u128::from(u64::MAX)) as u64)
    }

    /// The most calls that so many requests can become.
    pub fn calls(&self, requests: u64) -> u64 {
        let all = requests * if self.retries { self.attempts } else { 1 };
        if !self.budget {
            return all;
        }
        all.min(requests + self.budget_tokens + requests * self.budget_ratio / 100)
    }

    /// The load of these knobs under another limit.
    pub fn load(&self, limit: u64) -> Load {
        let (arrivals, requests) = match self.pattern {
            Pattern::Even => (Arrivals::Even { rate: self.offered() }, count(self.offered(), self.duration)),
            Pattern::Poisson => (Arrivals::Poisson { rate: self.offered() }, count(self.offered(), self.duration)),
            Pattern::Bursts => {
                let tick = self.tick.as_us().max(1);
                let ticks = ((self.duration.as_us() + tick / 2) / tick).max(1);
                (Arrivals::Bursts { size: self.burst as u32, every: self.tick }, self.burst * ticks)
            }
        };
        let policy = RetryPolicy {
            max_attempts: self.attempts as u32,
            backoff: Backoff {
                strategy: Strategy::Full,
                base: self.base,
                cap: self.cap,
                spread: Span::ZERO,
                growth: Backoff::DOUBLES,
            },
            deadline: if self.deadline > Span::ZERO { self.deadline } else { Span::MAX },
        };
        Load {
            arrivals,
            requests: requests.min(u64::from(u32::MAX)) as u32,
            service: match self.law {
                ServiceLaw::Fixed => Law::Fixed(self.service),
                ServiceLaw::Exponential => Law::Exponential(self.service),
                ServiceLaw::HeavyTail => Law::LogNormal { mean: self.service, scv_milli: 4_000 },
            },
            slots: self.slots as u32,
            admission: Admission::in_flight(limit as u32),
            timeout: self.patience(),
            deadline: Some(self.deadline).filter(|&d| d > Span::ZERO),
            drop_left: self.drop_left,
            retries: self.retries.then_some(Retries {
                policy,
                retry_after: if self.honour { self.retry_after } else { Span::ZERO },
                budget: self.budget.then(|| Bucket::new(Ratio::percent(self.budget_ratio), self.budget_tokens)),
            }),
        }
    }

    /// The load of these knobs at another rate, for another time, under another limit.
    pub fn load_at(&self, rate: Rate, duration: Span, limit: u64) -> Load {
        let milli = rate.as_milli_per_s().max(1);
        let requests = count(rate, duration);
        let (arrivals, requests) = match self.pattern {
            Pattern::Even => (Arrivals::Even { rate }, requests),
            Pattern::Poisson => (Arrivals::Poisson { rate }, requests),
            Pattern::Bursts => {
                let every = u128::from(self.burst) * 1_000_000_000 / u128::from(milli);
                let every = Span::us(every.min(u128::from(u64::MAX)) as u64);
                (Arrivals::Bursts { size: self.burst as u32, every }, requests.div_ceil(self.burst) * self.burst)
            }
        };
        Load { arrivals, requests: requests.min(u64::from(u32::MAX)) as u32, ..self.load(limit) }
    }
}

/// How many come in `duration` at `rate`, to the nearest; at least one.
fn count(rate: Rate, duration: Span) -> u64 {
    let n = (u128::from(rate.as_milli_per_s()) * u128::from(duration.as_us()) + 500_000_000) / 1_000_000_000;
    (n.min(u128::from(u32::MAX)) as u64).max(1)
}

/// Requests: what users ask for.
pub const REQUESTS: Unit = Unit::counted("requests", text("requests", "request"), "request", 0);

pub const RATE: Number = Number {
    key: "rate",
    label: text("Offered", "Tải đến"),
    hint: text("new user requests a second", "request mới của người dùng mỗi giây"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 20_000,
    step: 10,
    log: true,
};
pub const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("Client timeout", "Timeout của client"),
    hint: text("0: waits for ever", "0: chờ mãi"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 0,
    max: 60_000_000,
    step: 50_000,
    log: true,
};
pub const LIMIT: Number = Number {
    key: "limit",
    label: text("In-flight limit", "Giới hạn in-flight"),
    hint: text("above it 503 at once; 0: no limit", "vượt quá thì trả 503 ngay; 0: không giới hạn"),
    unit: Unit::counted("in_flight", text("calls", "call"), "call", 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 10_000,
    step: 1,
    log: true,
};
pub const SLOTS: Number = Number {
    key: "slots",
    label: text("Slots", "Số slot"),
    hint: text("calls served at once, such as DB connections", "số call phục vụ cùng lúc, như connection tới DB"),
    unit: Unit::new("slots", same(""), 0),
    min: 1,
    max: 1_000,
    step: 1,
    ..LIMIT
};
pub const SERVICE: Number = Number {
    key: "service",
    label: text("Service time", "Thời gian xử lý"),
    hint: text("of one call, on average", "của một call, trung bình"),
    min: 1_000,
    max: 10_000_000,
    step: 1_000,
    ..TIMEOUT
};
pub const LAW: Choice = Choice {
    key: "law",
    label: text("Service times", "Phân bố thời gian xử lý"),
    hint: text("around their average", "quanh giá trị trung bình"),
};
pub const DURATION: Number = Number {
    key: "duration",
    label: text("Load lasts", "Tải kéo dài"),
    hint: text("then no new requests come", "sau đó không còn request mới"),
    min: 100_000,
    max: 60_000_000,
    step: 100_000,
    ..TIMEOUT
};
pub const PATTERN: Choice =
    Choice { key: "arrivals", label: text("Requests come", "Request đến"), hint: text("", "") };
pub const BURST: Number = Number {
    key: "burst",
    label: text("Requests a tick", "Số request mỗi nhịp"),
    hint: text("together, as a timer sends them", "cùng lúc, như một timer gửi đi"),
    unit: Unit::new("requests", same(""), 0),
    min: 1,
    max: 1_000,
    ..LIMIT
};
pub const TICK: Number = Number {
    key: "tick",
    label: text("Tick", "Nhịp"),
    hint: text("from one burst to the next", "từ đợt này đến đợt sau"),
    min: 1_000,
    max: 10_000_000,
    step: 1_000,
    ..TIMEOUT
};
const DEADLINE: Number = Number {
    key: "deadline",
    label: text("An answer counts within", "Câu trả lời chỉ tính trong"),
    hint: text("since the user’s first attempt; 0: always", "kể từ lần thử đầu của người dùng; 0: luôn tính"),
    ..TIMEOUT
};
pub const DROP_LEFT: Switch = Switch {
    key: "drop_left",
    label: text("Drop calls whose caller has left", "Bỏ call mà client đã rời đi"),
    hint: text("when their turn comes; calls being served go on", "khi tới lượt; call đang chạy vẫn chạy tiếp"),
};
const RETRIES: Switch = Switch {
    key: "retries",
    label: text("Callers retry", "Client có retry"),
    hint: text("after a 503 and after a timeout", "sau 503 và sau timeout"),
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts", "Số lần thử"),
    hint: text("at most, first call included", "tối đa, kể cả lần gọi đầu"),
    unit: Unit::new("attempts", same(""), 0),
    min: 2,
    max: 10,
    log: false,
    ..LIMIT
};
const BASE: Number = Number {
    key: "base",
    label: same("Backoff base"),
    hint: text("full jitter: from 0 to base·2ⁱ", "full jitter: từ 0 đến base·2ⁱ"),
    min: 1_000,
    max: 10_000_000,
    step: 5_000,
    ..TIMEOUT
};
const CAP: Number = Number {
    key: "cap",
    label: same("Backoff cap"),
    hint: text("longest wait before jitter", "chờ lâu nhất, chưa tính jitter"),
    min: 10_000,
    max: 60_000_000,
    step: 100_000,
    ..TIMEOUT
};
const RETRY_AFTER: Number = Number {
    key: "retry_after",
    label: same("Retry-After"),
    hint: text("sent with the 503; 0: not sent", "gửi kèm 503; 0: không gửi"),
    max: 30_000_000,
    step: 100_000,
    ..TIMEOUT
};
const HONOUR: Switch = Switch {
    key: "honour",
    label: text("Callers honour it", "Client tôn trọng nó"),
    hint: text("wait that long, then the jittered backoff", "chờ đủ chừng đó, rồi mới tới backoff có jitter"),
};

const BUDGET: Switch = Switch {
    key: "budget",
    label: text("Retry budget", "Retry budget"),
    hint: text("a retry takes a token; without one it is given up", "mỗi retry lấy một token; hết token thì thôi"),
};
const BUDGET_RATIO: Number = Number {
    key: "budget_ratio",
    label: text("Tokens per request", "Token mỗi request"),
    hint: text("each first call brings so much of a token", "mỗi lần gọi đầu góp chừng đó token"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    max: 100,
    log: false,
    ..LIMIT
};
const BUDGET_TOKENS: Number = Number {
    key: "budget_tokens",
    label: text("Bucket size", "Cỡ bucket"),
    hint: text("full at the start", "đầy lúc bắt đầu"),
    unit: Unit::counted("tokens", text("tokens", "token"), "token", 0),
    min: 1,
    max: 1_000,
    ..LIMIT
};

impl ServiceLaw {
    pub const ALL: [ServiceLaw; 3] = [ServiceLaw::Fixed, ServiceLaw::Exponential, ServiceLaw::HeavyTail];

    pub fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            ServiceLaw::Fixed => ("fixed", text("All the same", "Luôn bằng nhau"), text("", "")),
            ServiceLaw::Exponential => (
                "exponential",
                text("Exponential", "Phân bố mũ"),
                text("as long as the average is deviation", "độ lệch chuẩn bằng trung bình"),
            ),
            ServiceLaw::HeavyTail => (
                "heavy_tail",
                text("Heavy tail", "Đuôi dài"),
                text("log-normal, deviation twice the average", "log-normal, độ lệch chuẩn gấp đôi trung bình"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Pattern {
    pub const ALL: [Pattern; 3] = [Pattern::Even, Pattern::Poisson, Pattern::Bursts];

    pub fn opt(self) -> Opt {
        let (key, label): (_, Text) = match self {
            Pattern::Even => ("even", text("Evenly", "Cách đều")),
            Pattern::Poisson => ("poisson", text("At random (Poisson)", "Ngẫu nhiên (Poisson)")),
            Pattern::Bursts => ("bursts", text("In bursts", "Từng đợt")),
        };
        Opt { key, label, hint: text("", "") }
    }
}

impl Knobs for Shed {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let bursts = self.pattern == Pattern::Bursts;
        v.group(text("The callers", "Phía gọi"), false);
        v.when(!bursts);
        v.number(&RATE, &mut self.rate);
        v.when(bursts);
        v.number(&BURST, &mut self.burst);
        span(v, &TICK, &mut self.tick);
        v.when(true);
        span(v, &TIMEOUT, &mut self.timeout);
        v.group(text("The server", "Server"), false);
        v.number(&LIMIT, &mut self.limit);
        v.number(&SLOTS, &mut self.slots);
        span(v, &SERVICE, &mut self.service);
        v.group(text("More: the load", "Thêm: tải"), true);
        pick(v, &PATTERN, &Pattern::ALL, Pattern::opt, &mut self.pattern);
        span(v, &DURATION, &mut self.duration);
        v.group(text("More: the server", "Thêm: server"), true);
        pick(v, &LAW, &ServiceLaw::ALL, ServiceLaw::opt, &mut self.law);
        v.switch(&DROP_LEFT, &mut self.drop_left);
        v.group(text("More: the callers", "Thêm: phía gọi"), true);
        span(v, &DEADLINE, &mut self.deadline);
        v.switch(&RETRIES, &mut self.retries);
        v.when(self.retries);
        v.number(&ATTEMPTS, &mut self.attempts);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);
        span(v, &RETRY_AFTER, &mut self.retry_after);
        v.when(self.retries && self.retry_after > Span::ZERO);
        v.switch(&HONOUR, &mut self.honour);
        v.when(self.retries);
        v.switch(&BUDGET, &mut self.budget);
        v.when(self.retries && self.budget);
        v.number(&BUDGET_RATIO, &mut self.budget_ratio);
        v.number(&BUDGET_TOKENS, &mut self.budget_tokens);
    }
}
