//! The knobs of this card.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::budget::concurrent::Limit;
use overload_sim::budget::quota::Sdk;
use overload_sim::budget::window::Library;
use overload_sim::budget::{Fault, Ratio, Rule};
use overload_sim::time::{Span, Time};

use crate::knobs::{Choice, Kind as Quantity, Knobs, Number, Opt, Visitor, pick, span};

/// The users, the outage that they meet, and the budgets that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryBudget {
    /// Requests of users, one call each if nothing fails.
    pub users: u64,
    /// How they come.
    pub arrivals: Arrivals,
    /// The time over which they come if evenly; zero: all at once.
    pub over: Span,
    /// Client processes, each with a budget of its own; users go to them in turn.
    pub pods: u64,
    /// Most retries of one request.
    pub retries: u64,
    /// What a request or a success brings, in tenths of a percent of a retry.
    pub ratio: u64,
    /// Tokens of a full bucket.
    pub bucket: u64,
    /// Share of the calls that fail in the outage, in tenths of a percent.
    pub failure: u64,
    /// When the outage begins.
    pub from: Span,
    /// How long it lasts; zero: to the end.
    pub lasts: Span,
    /// Share of the calls that fail before and after it, in tenths of a percent.
    pub background: u64,
    /// What failing calls come back with.
    pub fault: Fault,
    /// How long a call that succeeds takes.
    pub ok_takes: Span,
    /// How long a call that fails takes.
    pub failure_takes: Span,
    /// The wait before the first retry, before jitter.
    pub base: Span,
    /// The longest wait.
    pub cap: Span,
    /// How the waits are spread.
    pub jitter: Strategy,
    /// When a bucket's token is taken.
    pub spend: Spend,
    /// For how long Finagle and tower count.
    pub ttl: Span,
    /// Retries a second that Finagle and tower always grant.
    pub min_per_s: u64,
    /// Retries under way that Envoy's budget always grants.
    pub at_least: u64,
    /// Retries under way that Envoy's `max_retries` grants.
    pub max_retries: u64,
    /// Tokens of a full AWS quota.
    pub capacity: u64,
    /// Adaptive throttling's multiplier in thousandths.
    pub k: u64,
    /// How far back adaptive throttling counts.
    pub window: Span,
    /// The budgets compared, from top to bottom.
    pub rows: [Kind; 4],
}

/// The budgets that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The article's bucket.
    Bucket,
    /// The same, its tokens in floats.
    Doubles,
    /// None at all.
    Off,
    /// gRPC `retryThrottling`.
    Grpc,
    /// Finagle `RetryBudget`.
    Finagle,
    /// tower `TpsBudget`.
    Tower,
    /// Envoy `retry_budget`.
    Envoy,
    /// Envoy `max_retries`.
    EnvoyMax,
    /// AWS standard mode, current SDKs.
    Aws,
    /// The same, botocore before the change.
    AwsClassic,
    /// The same, the classic JavaScript SDK with its bug.
    AwsClassicJs,
    /// Google SRE's adaptive throttling.
    Sre,
}

/// How users come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly over a time: an open population.
    Even,
    /// Each when the one before it is done, its waits included: a loop that awaits every call.
    InTurn,
}

/// When a bucket's token is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spend {
    /// As soon as the call has failed.
    Before,
    /// When the wait is over.
    After,
}

impl Default for RetryBudget {
    /// Article 1, card 036: its run over two seconds. The other numbers are those of the libraries unless changed.
    fn default() -> Self {
        RetryBudget {
            users: 1_000,
            arrivals: Arrivals::Even,
            over: Span::s(2),
            pods: 1,
            retries: 3,
            ratio: 100,
            bucket: 10,
            failure: 1_000,
            from: Span::ZERO,
            lasts: Span::ZERO,
            background: 0,
            fault: Fault::Transient,
            ok_takes: Span::ms(5),
            failure_takes: Span::ZERO,
            base: Span::ms(100),
            cap: Span::s(10),
            jitter: Strategy::NoJitter,
            spend: Spend::Before,
            ttl: Span::s(10),
            min_per_s: 10,
            at_least: 3,
            max_retries: 3,
            capacity: 500,
            k: 2_000,
            window: Span::s(120),
            rows: [Kind::Bucket, Kind::Off, Kind::Grpc, Kind::Finagle],
        }
    }
}

impl RetryBudget {
    /// The ratio as a share.
    pub const fn share(&self) -> Ratio {
        Ratio::ppm(self.ratio * 1_000)
    }

    /// The rule of one row.
    pub fn rule(&self, kind: Kind) -> Rule {
        let (ratio, max_tokens) = (self.share(), self.bucket);
        let window = |library| Rule::Window { library, ttl: self.ttl, min_per_s: self.min_per_s, ratio };
        let quota = |sdk| Rule::Quota { sdk, capacity: self.capacity };
        match kind {
            Kind::Bucket => Rule::Bucket { ratio, max_tokens },
            Kind::Doubles => Rule::Doubles { ratio, max_tokens },
            Kind::Off => Rule::Unlimited,
            Kind::Grpc => Rule::Grpc { ratio, max_tokens },
            Kind::Finagle => window(Library::Finagle),
            Kind::Tower => window(Library::Tower),
            Kind::Envoy => Rule::Concurrent(Limit::Share { percent: ratio, at_least: self.at_least }),
            Kind::EnvoyMax => Rule::Concurrent(Limit::Fixed(self.max_retries)),
            Kind::Aws => quota(Sdk::Current),
            Kind::AwsClassic => quota(Sdk::Classic),
            Kind::AwsClassicJs => quota(Sdk::ClassicJs),
            Kind::Sre => Rule::Adaptive { k_milli: self.k, window: self.window },
        }
    }

    /// The wait between attempts.
    pub fn backoff(&self) -> Backoff {
        Backoff { strategy: self.jitter, base: self.base, cap: self.cap, spread: ADDED, growth: Backoff::DOUBLES }
    }

    /// Calls a second while nothing fails; `None` where time does not set it.
    pub fn healthy_rate(&self) -> Option<f64> {
        let spread = self.arrivals == Arrivals::Even && self.over > Span::ZERO;
        spread.then(|| self.users as f64 / self.over.as_s())
    }

    /// When user number `user` (from 0) comes, if evenly.
    pub fn comes(&self, user: u64) -> Time {
        Time::us((u128::from(self.over.as_us()) * u128::from(user) / u128::from(self.users.max(1))) as u64)
    }

    /// When the outage ends.
    pub fn until(&self) -> Time {
        if self.lasts == Span::ZERO { Time::MAX } else { Time::ZERO + self.from + self.lasts }
    }

    /// After that long nothing can happen any more.
    pub fn horizon(&self) -> Span {
        let mut each = self.ok_takes.max(self.failure_takes) * (self.retries + 1);
        for i in 0..self.retries {
            let wait = match self.jitter {
                Strategy::Decorrelated => self.cap,
                _ => (self.base * (1 << i.min(40))).min(self.cap),
            };
            each += wait + if self.jitter == Strategy::Additive { ADDED } else { Span::ZERO };
        }
        match self.arrivals {
            Arrivals::Even => self.over + each,
            Arrivals::InTurn => each * self.users,
        }
    }

    /// The budgets compared, each once, in order.
    pub fn distinct(&self) -> Vec<Kind> {
        let mut distinct = Vec::new();
        for row in self.rows {
            if !distinct.contains(&row) {
                distinct.push(row);
            }
        }
        distinct
    }
}

/// The width of the random part that the article's helper adds to a wait.
const ADDED: Span = Span::ms(100);

/// Tenths of a percent.
const SHARE: Unit = Unit::new("percent", same("%"), 1);

const USERS: Number = Number {
    key: "users",
    label: text("Users", "Số user"),
    hint: text("one request each", "mỗi user một request"),
    unit: Unit::counted("users", text("users", "user"), "user", 0),
    per_unit: 1,
    kind: Quantity::Whole,
    min: 1,
    max: 100_000,
    step: 10,
    log: true,
};
const PODS: Number = Number {
    key: "pods",
    label: text("Pods", "Số pod"),
    hint: text("client processes, a budget each", "tiến trình client, mỗi pod một budget"),
    unit: Unit::counted("pods", text("pods", "pod"), "pod", 0),
    max: 1_000,
    step: 1,
    ..USERS
};
const RETRIES: Number = Number {
    key: "retries",
    label: text("Retries", "Số retry"),
    hint: text("at most, per request", "tối đa, mỗi request"),
    unit: Unit::new("retries", same("retry"), 0),
    min: 0,
    max: 10,
    step: 1,
    log: false,
    ..USERS
};
const RATIO: Number = Number {
    key: "ratio",
    label: text("Ratio", "Tỉ lệ"),
    hint: text("retries earned per request", "số retry được nạp cho mỗi request"),
    unit: SHARE,
    per_unit: 10,
    kind: Quantity::Ratio,
    min: 0,
    max: 3_000,
    step: 10,
    log: true,
};
const BUCKET: Number = Number {
    key: "bucket",
    label: text("Bucket size", "Cỡ bucket"),
    hint: text("tokens, full at the start", "số token, lúc đầu đầy"),
    unit: Unit::counted("tokens", text("tokens", "token"), "token", 0),
    max: 1_000,
    step: 1,
    ..USERS
};
const OVER: Number = Number {
    key: "over",
    label: text("Users come over", "User đến trong"),
    hint: text("evenly; 0: all at once", "rải đều; 0: cùng lúc"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Quantity::Duration,
    min: 0,
    max: 600_000_000,
    step: 100_000,
    log: true,
};
const FAILURE: Number = Number {
    key: "failure",
    label: text("Calls that fail", "Tỉ lệ call lỗi"),
    hint: text("while the outage lasts", "trong lúc sự cố"),
    max: 1_000,
    log: false,
    ..RATIO
};
const FROM: Number = Number {
    key: "outage_from",
    label: text("Outage from", "Sự cố từ"),
    hint: text("time since the first user", "tính từ user đầu tiên"),
    ..OVER
};
const LASTS: Number = Number {
    key: "outage_for",
    label: text("Outage lasts", "Sự cố kéo dài"),
    hint: text("0: to the end", "0: đến hết"),
    ..OVER
};
const BACKGROUND: Number = Number {
    key: "background",
    label: text("Otherwise fail", "Ngoài sự cố lỗi"),
    hint: text("calls before and after the outage", "call trước và sau sự cố"),
    step: 1,
    ..FAILURE
};
const OK_TAKES: Number = Number {
    key: "ok_takes",
    label: text("A success takes", "Call thành công mất"),
    hint: text("", ""),
    max: 30_000_000,
    step: 1_000,
    ..OVER
};
const FAILURE_TAKES: Number = Number {
    key: "failure_takes",
    label: text("A failure takes", "Call lỗi mất"),
    hint: text("0: refused at once; a timeout is slow", "0: từ chối ngay; timeout thì lâu"),
    ..OK_TAKES
};
const BASE: Number = Number {
    key: "base",
    label: same("Base"),
    hint: text("wait before the first retry", "chờ trước lần retry đầu"),
    min: 1_000,
    max: 10_000_000,
    step: 5_000,
    ..OVER
};
const CAP: Number = Number {
    key: "cap",
    label: text("Cap", "Trần"),
    hint: text("longest wait before jitter", "chờ lâu nhất, chưa tính jitter"),
    min: 10_000,
    max: 60_000_000,
    ..OVER
};
const TTL: Number = Number {
    key: "ttl",
    label: text("Window", "Cửa sổ"),
    hint: text("Finagle and tower", "Finagle và tower"),
    min: 1_000_000,
    max: 60_000_000,
    step: 1_000_000,
    log: false,
    ..OVER
};
const MIN_PER_S: Number = Number {
    key: "min_per_s",
    label: text("Always granted", "Luôn được phép"),
    hint: text("Finagle and tower, per pod", "Finagle và tower, mỗi pod"),
    unit: Unit::counted("retries_per_second", text("retries/s", "retry/s"), "retry/s", 0),
    kind: Quantity::Rate,
    min: 0,
    max: 100,
    step: 1,
    log: false,
    ..USERS
};
const AT_LEAST: Number = Number {
    key: "min_concurrency",
    label: text("Always at a time", "Luôn được cùng lúc"),
    hint: text("Envoy retry_budget, per pod", "Envoy retry_budget, mỗi pod"),
    max: 100,
    ..RETRIES
};
const MAX_RETRIES: Number = Number {
    key: "max_retries",
    label: text("Most at a time", "Nhiều nhất cùng lúc"),
    hint: text("Envoy max_retries, per pod", "Envoy max_retries, mỗi pod"),
    max: 1_000,
    log: true,
    ..RETRIES
};
const CAPACITY: Number = Number {
    key: "quota",
    label: text("AWS quota", "Quota AWS"),
    hint: text("tokens per pod", "số token mỗi pod"),
    unit: BUCKET.unit,
    min: 0,
    max: 5_000,
    ..USERS
};
const K: Number = Number {
    key: "k",
    label: same("K"),
    hint: text("adaptive throttling", "adaptive throttling"),
    unit: Unit::new("factor", same(""), 1),
    per_unit: 1_000,
    min: 1_000,
    max: 10_000,
    step: 100,
    log: false,
    ..USERS
};
const WINDOW: Number = Number {
    key: "throttle_window",
    label: text("Throttle counts back", "Throttle đếm lùi"),
    hint: text("adaptive throttling", "adaptive throttling"),
    max: 600_000_000,
    log: true,
    ..TTL
};
const fn choice(key: &'static str, label: Text) -> Choice {
    Choice { key, label, hint: text("", "") }
}
const ARRIVALS: Choice = choice("arrivals", text("Users come", "User đến"));
const FAULT: Choice = Choice {
    key: "fault",
    label: text("Failures are", "Lỗi thuộc loại"),
    hint: text("AWS charges by it", "AWS tính giá theo loại"),
};
const JITTER: Choice = choice("jitter", same("Jitter"));
const SPEND: Choice = choice("spend", text("A token is taken", "Lấy token lúc"));
const ROWS: [Choice; 4] = [
    choice("kind", text("Kind of budget", "Loại budget")),
    choice("kind_2", text("Second row", "Hàng thứ hai")),
    choice("kind_3", text("Third row", "Hàng thứ ba")),
    choice("kind_4", text("Fourth row", "Hàng thứ tư")),
];

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 12] = [
        Kind::Bucket,
        Kind::Off,
        Kind::Grpc,
        Kind::Finagle,
        Kind::Tower,
        Kind::Envoy,
        Kind::EnvoyMax,
        Kind::Aws,
        Kind::AwsClassic,
        Kind::AwsClassicJs,
        Kind::Sre,
        Kind::Doubles,
    ];

    /// Its key, name and what it goes by.
    pub fn opt(self) -> Opt {
        let (key, label) = match self {
            Kind::Bucket => ("bucket", text("The article’s bucket", "Bucket của bài")),
            Kind::Doubles => ("doubles", text("The bucket in floats", "Bucket tính bằng float")),
            Kind::Off => ("none", text("No budget", "Không có budget")),
            Kind::Grpc => ("grpc", same("gRPC retryThrottling")),
            Kind::Finagle => ("finagle", same("Finagle RetryBudget")),
            Kind::Tower => ("tower", same("tower TpsBudget")),
            Kind::Envoy => ("envoy", same("Envoy retry_budget")),
            Kind::EnvoyMax => ("envoy_max", same("Envoy max_retries")),
            Kind::Aws => ("aws", text("AWS standard, current", "AWS standard, hiện tại")),
            Kind::AwsClassic => ("aws_classic", text("AWS standard, classic", "AWS standard, bản cũ")),
            Kind::AwsClassicJs => ("aws_classic_js", text("AWS JavaScript, classic", "AWS JavaScript, bản cũ")),
            Kind::Sre => ("sre", text("SRE adaptive throttling", "Adaptive throttling (SRE)")),
        };
        Opt { key, label, hint: same(self.formula()) }
    }

    /// When it grants a retry, short enough for a panel.
    pub fn formula(self) -> &'static str {
        match self {
            Kind::Bucket => "tokens ≥ 1; +ratio/request, −1/retry",
            Kind::Doubles => "0.1 + 0.1 + … < 1",
            Kind::Off => "tokens = ∞",
            Kind::Grpc => "tokens > max/2; +ratio/success, −1/failure",
            Kind::Finagle | Kind::Tower => "Σ window + reserve ≥ 1 retry",
            Kind::Envoy => "under way < max(ratio·active, min)",
            Kind::EnvoyMax => "under way < max_retries",
            Kind::Aws => "quota ≥ 14 (throttled: 5)",
            Kind::AwsClassic => "quota ≥ 5 (timeout: 10)",
            Kind::AwsClassicJs => "quota ≥ 10 (throttled: 5)",
            Kind::Sre => "refuse by (req − K·acc)/(req + 1)",
        }
    }
}

fn fault_opt(fault: Fault) -> Opt {
    let (key, label) = match fault {
        Fault::Transient => ("transient", text("Errors (503, refused)", "Lỗi tạm thời (503, từ chối)")),
        Fault::Throttled => ("throttled", text("Throttling (429)", "Bị throttle (429)")),
        Fault::Timeout => ("timeout", text("Timeouts", "Timeout")),
    };
    Opt { key, label, hint: text("", "") }
}

fn jitter_opt(strategy: Strategy) -> Opt {
    let label = match strategy {
        Strategy::Additive => text("Added, the article’s helper", "Cộng thêm, như helper của bài"),
        Strategy::Equal => same("Equal jitter"),
        Strategy::Full => same("Full jitter"),
        Strategy::Decorrelated => same("Decorrelated jitter"),
        Strategy::NoJitter | Strategy::Library(_) => text("No jitter", "Không jitter"),
    };
    Opt { key: strategy.key(), label, hint: text("", "") }
}

fn arrivals_opt(arrivals: Arrivals) -> Opt {
    let (key, label) = match arrivals {
        Arrivals::Even => ("even", text("Evenly, whatever happens", "Rải đều, bất kể ra sao")),
        Arrivals::InTurn => ("in_turn", text("One after the other", "Lần lượt từng người")),
    };
    Opt { key, label, hint: text("", "") }
}

fn spend_opt(spend: Spend) -> Opt {
    let (key, label) = match spend {
        Spend::Before => ("before", text("Before the wait, as in the article", "Trước khi chờ, như trong bài")),
        Spend::After => ("after", text("After the wait", "Sau khi chờ")),
    };
    Opt { key, label, hint: text("", "") }
}

impl Knobs for RetryBudget {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The budget", "Budget"), false);
        let [first, others @ ..] = &mut self.rows;
        pick(v, &ROWS[0], &Kind::ALL, Kind::opt, first);
        v.number(&RATIO, &mut self.ratio);
        let rows = [&[*first][..], &others[..]].concat();
        let any = |kinds: &[Kind]| rows.iter().any(|row| kinds.contains(row));
        v.number(&BUCKET, &mut self.bucket);
        v.group(text("The callers", "Phía gọi"), false);
        v.number(&USERS, &mut self.users);
        v.number(&PODS, &mut self.pods);
        v.group(text("More: load and outage", "Thêm: tải và sự cố"), true);
        v.number(&RETRIES, &mut self.retries);
        pick(v, &ARRIVALS, &[Arrivals::Even, Arrivals::InTurn], arrivals_opt, &mut self.arrivals);
        v.when(self.arrivals == Arrivals::Even);
        span(v, &OVER, &mut self.over);
        v.when(true);
        v.number(&FAILURE, &mut self.failure);
        span(v, &FROM, &mut self.from);
        span(v, &LASTS, &mut self.lasts);
        v.when(self.from > Span::ZERO || self.lasts > Span::ZERO);
        v.number(&BACKGROUND, &mut self.background);
        v.when(true);
        span(v, &OK_TAKES, &mut self.ok_takes);
        span(v, &FAILURE_TAKES, &mut self.failure_takes);
        v.group(text("More: waits and tokens", "Thêm: khoảng chờ và token"), true);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);
        pick(v, &JITTER, &Strategy::TEXTBOOK, jitter_opt, &mut self.jitter);
        v.when(any(&[Kind::Bucket, Kind::Doubles]));
        pick(v, &SPEND, &[Spend::Before, Spend::After], spend_opt, &mut self.spend);
        v.group(text("More: budgets compared", "Thêm: các budget được so sánh"), true);
        for (row, kind) in ROWS[1..].iter().zip(others) {
            pick(v, row, &Kind::ALL, Kind::opt, kind);
        }
        v.group(text("More: the libraries’ own numbers", "Thêm: tham số riêng của thư viện"), true);
        v.when(any(&[Kind::Finagle, Kind::Tower]));
        span(v, &TTL, &mut self.ttl);
        v.number(&MIN_PER_S, &mut self.min_per_s);
        v.when(any(&[Kind::Envoy]));
        v.number(&AT_LEAST, &mut self.at_least);
        v.when(any(&[Kind::EnvoyMax]));
        v.number(&MAX_RETRIES, &mut self.max_retries);
        v.when(any(&[Kind::Aws, Kind::AwsClassic, Kind::AwsClassicJs]));
        v.number(&CAPACITY, &mut self.capacity);
        pick(v, &FAULT, &[Fault::Transient, Fault::Throttled, Fault::Timeout], fault_opt, &mut self.fault);
        v.when(any(&[Kind::Sre]));
        v.number(&K, &mut self.k);
        span(v, &WINDOW, &mut self.window);
    }
}
