//! The knobs of this card.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::budget::concurrent::Limit;
use overload_sim::budget::{Ratio, Rule};
use overload_sim::hedge::fleet::{Cancel, Delay, NO_HEDGE, Scene, Setup, failure};
use overload_sim::hedge::policy::{Answer, Kind, Policy, Pushback};
use overload_sim::law::Law;
use overload_sim::time::{Span, Time};

use crate::knobs::{Choice, Kind as Quantity, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// Requests to a fleet of replicas, and how they are hedged.
#[derive(Clone, Debug, PartialEq)]
pub struct Hedging {
    /// Offered load without hedges, in percent of the fleet's capacity.
    pub load: u64,
    /// When the next attempt goes.
    pub when: When,
    /// After how long: the fixed delay, `hedgingDelay`, and what a measured one starts with.
    pub delay: Span,
    /// Which percentile is measured, in thousandths.
    pub quantile: u64,
    /// Attempts in all; gRPC clips to five.
    pub attempts: u64,
    /// What becomes of the attempts that are not needed.
    pub cancel: Cancel,
    /// What hedges may cost.
    pub budget: Budget,
    /// The bucket: hedges for each request, in percent.
    pub ratio: u64,
    /// gRPC's throttle: tokens, and thousandths of one that a success brings.
    pub tokens: u64,
    pub token_ratio: u64,
    /// Hedges and retries in flight, as a share of all attempts in flight, in percent.
    pub share: u64,

    /// The law of serving an attempt: mean, shape, squared coefficient of variation in thousandths.
    pub mean: Span,
    pub law: Shape,
    pub scv: u64,
    /// What is slow.
    pub slow: Slow,
    /// Replicas, and attempts that each serves at once.
    pub replicas: u64,
    pub slots: u64,
    /// Attempts that fail, in thousandths of all; how; what the server says beside.
    pub fails: u64,
    pub fatal: bool,
    pub push: Push,
    pub push_for: Span,
    /// An answer within this is a good one.
    pub slo: Span,
    /// Requests of the main run.
    pub requests: u64,

    /// The one call: what its first attempt does, when, what the others do, when, and whether hedges are let out.
    pub first: Fate,
    pub first_at: Span,
    pub others: Fate,
    pub others_at: Span,
    pub drained: bool,
}

/// When the next attempt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Never.
    Never,
    /// After a fixed delay.
    Fixed,
    /// After a percentile of what was measured lately.
    Measured,
    /// As gRPC's `hedgingPolicy`.
    Grpc,
}

/// What hedges may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Anything.
    None,
    /// A token each; every request brings a fraction of one.
    Bucket,
    /// gRPC's `retryThrottling`.
    Grpc,
    /// A share of the attempts in flight, three at least.
    Share,
}

/// The shape of the service law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Heavy tail.
    LogNormal,
    /// Two exponential laws mixed.
    Hyper,
    /// Light tail.
    Exponential,
    /// None.
    Fixed,
}

/// What is slow when an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// Bad luck: another attempt is as likely to be quick as any.
    Luck,
    /// The request: every attempt takes as long.
    Request,
}

/// What a server says beside its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Nothing.
    None,
    /// Wait.
    After,
    /// No more.
    Stop,
}

/// What an attempt of the one call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is never answered.
    Hangs,
    /// It is answered.
    Ok,
    /// It fails in a way that may pass.
    NonFatal,
    /// It fails for good.
    Fatal,
}

impl Default for Hedging {
    /// A healthy fleet with a heavy tail, hedged once after what is its p95 then. The article gives no numbers.
    fn default() -> Self {
        Hedging {
            load: 30,
            when: When::Fixed,
            delay: Span::ms(40),
            quantile: 950,
            attempts: 2,
            cancel: Cancel::Nothing,
            budget: Budget::None,
            ratio: 5,
            tokens: 10,
            token_ratio: 100,
            share: 20,
            mean: Span::ms(10),
            law: Shape::LogNormal,
            scv: 10_000,
            slow: Slow::Luck,
            replicas: 10,
            slots: 4,
            fails: 0,
            fatal: false,
            push: Push::None,
            push_for: Span::ms(100),
            slo: Span::ms(200),
            requests: 6_000,
            first: Fate::Ok,
            first_at: Span::ms(110),
            others: Fate::Ok,
            others_at: Span::ms(30),
            drained: false,
        }
    }
}

impl Hedging {
    /// The rate that is so many percent of what the fleet can serve.
    pub fn rate(&self, percent: u64) -> Rate {
        let milli = u128::from(self.replicas * self.slots * percent) * 10_000_000 / u128::from(self.mean.as_us());
        Rate::milli_per_s(milli.max(1) as u64)
    }

    /// When attempts go.
    pub fn policy(&self) -> Policy {
        match self.when {
            When::Never => NO_HEDGE,
            When::Grpc => Policy { kind: Kind::Grpc, attempts: self.attempts as u32, delay: self.delay },
            _ => Policy { kind: Kind::Race, attempts: self.attempts as u32, delay: self.delay },
        }
    }

    fn pushback(&self) -> Pushback {
        match self.push {
            Push::None => Pushback::None,
            Push::After => Pushback::After(self.push_for),
            Push::Stop => Pushback::Stop,
        }
    }

    /// The fleet with this policy under a load of so many percent of its capacity.
    pub fn setup(&self, policy: Policy, percent: u64, requests: u64) -> Setup {
        let service = match self.law {
            Shape::LogNormal => Law::LogNormal { mean: self.mean, scv_milli: self.scv as u32 },
            Shape::Hyper => Law::Hyperexponential { mean: self.mean, scv_milli: self.scv as u32 },
            Shape::Exponential => Law::Exponential(self.mean),
            Shape::Fixed => Law::Fixed(self.mean),
        };
        // Where nothing is hedged, what one hedge would do is shown without a budget and without cancelling.
        let hedged = self.when != When::Never;
        Setup {
            arrivals: Arrivals::Poisson { rate: self.rate(percent) },
            requests: requests as u32,
            warm_up: (requests / 10) as u32,
            replicas: self.replicas as u32,
            slots: self.slots as u32,
            service,
            own: self.slow == Slow::Request,
            policy,
            delay: if self.when == When::Measured { Delay::Measured(self.quantile as u32) } else { Delay::Fixed },
            cancel: if hedged { self.cancel } else { Cancel::Nothing },
            budget: match self.budget {
                _ if !hedged => Rule::Unlimited,
                Budget::None => Rule::Unlimited,
                Budget::Bucket => Rule::Bucket { ratio: Ratio::percent(self.ratio), max_tokens: 10 },
                Budget::Grpc => Rule::Grpc { ratio: Ratio::ppm(self.token_ratio * 1_000), max_tokens: self.tokens },
                Budget::Share => Rule::Concurrent(Limit::Share { percent: Ratio::percent(self.share), at_least: 3 }),
            },
            fails: self.fails as u32 * 1_000,
            failure: failure(self.fatal, self.pushback()),
            slo: self.slo,
        }
    }

    /// What the other attempts of the one call do; where there are none it does not matter.
    fn others(&self) -> Fate {
        if self.when == When::Never { Fate::Hangs } else { self.others }
    }

    /// Until when the one call is looked at.
    pub fn watched(&self) -> Time {
        let pushed = self.push == Push::After && [self.first, self.others()].contains(&Fate::NonFatal);
        let longest = [
            (self.first != Fate::Hangs, self.first_at),
            (self.others() != Fate::Hangs, self.others_at),
            (pushed, self.push_for),
        ];
        let longest = longest.into_iter().filter(|l| l.0).map(|l| l.1).max().unwrap_or_default();
        Time::ZERO + self.policy().delay * 5 + longest.max(Span::ms(20)) * 2
    }

    /// The one call.
    pub fn scene(&self) -> Scene {
        let fate = |fate: Fate, at: Span| match fate {
            Fate::Hangs => None,
            Fate::Ok => Some((at, Answer::Ok)),
            Fate::NonFatal => Some((at, Answer::NonFatal(self.pushback()))),
            Fate::Fatal => Some((at, Answer::Fatal)),
        };
        Scene {
            policy: self.policy(),
            first: fate(self.first, self.first_at),
            others: fate(self.others(), self.others_at),
            allowed: !self.drained,
            until: self.watched(),
        }
    }
}

/// Percent of the fleet's capacity.
pub const OF_CAPACITY: Unit = Unit::new("percent", same("%"), 0);

const LOAD: Number = Number {
    key: "load",
    label: text("Offered load", "Tải đưa vào"),
    hint: text("of the capacity, hedges not counted", "so với năng lực, chưa tính hedge"),
    unit: OF_CAPACITY,
    per_unit: 1,
    kind: Quantity::Ratio,
    min: 5,
    max: 130,
    step: 1,
    log: false,
};
const WHEN: Choice = Choice { key: "when", label: text("Ask again", "Gọi lần nữa"), hint: same("") };
const DELAY: Number = Number {
    key: "delay",
    label: text("Hedge after", "Hedge sau"),
    hint: text("a measured delay starts with it", "delay đo được bắt đầu bằng giá trị này"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Quantity::Duration,
    min: 0,
    max: 10_000_000,
    step: 1_000,
    log: true,
};
const QUANTILE: Number = Number {
    key: "quantile",
    label: text("Percentile of recent answers", "Phân vị các câu trả lời gần đây"),
    unit: Unit::new("percent", same("%"), 1),
    hint: text("the latest 512", "512 câu gần nhất"),
    per_unit: 10,
    min: 500,
    max: 999,
    step: 5,
    ..LOAD
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts in all", "Tổng số attempt"),
    hint: text("five are made at most, as in gRPC", "tối đa năm, như gRPC"),
    unit: units::PLAIN,
    kind: Quantity::Whole,
    min: 2,
    max: 10,
    ..LOAD
};
const CANCEL: Choice =
    Choice { key: "cancel", label: text("Attempts not needed", "Attempt không cần nữa"), hint: same("") };
const BUDGET: Choice = Choice { key: "budget", label: text("Budget", "Budget"), hint: same("") };
const RATIO: Number = Number {
    key: "ratio",
    label: text("Hedges per request", "Hedge mỗi request"),
    hint: text("a bucket of 10 tokens", "bucket 10 token"),
    min: 0,
    max: 100,
    ..LOAD
};
const TOKENS: Number = Number {
    key: "tokens",
    label: same("maxTokens"),
    hint: same(""),
    unit: units::PLAIN,
    kind: Quantity::Whole,
    min: 1,
    max: 1_000,
    log: true,
    ..LOAD
};
const TOKEN_RATIO: Number = Number {
    key: "token_ratio",
    label: same("tokenRatio"),
    hint: text("of a token, for each success", "của một token, cho mỗi lần thành công"),
    unit: Unit::new("percent", same("%"), 1),
    per_unit: 10,
    min: 1,
    max: 1_000,
    step: 10,
    ..LOAD
};
const SHARE: Number = Number {
    key: "share",
    label: text("Hedges in flight", "Hedge in-flight"),
    hint: text("of all attempts in flight, 3 at least", "trên mọi attempt in-flight, ít nhất 3"),
    min: 0,
    max: 100,
    ..LOAD
};
const MEAN: Number = Number {
    key: "mean",
    label: text("Serving one takes, on average", "Phục vụ một lần, trung bình"),
    hint: same(""),
    min: 1_000,
    max: 1_000_000,
    ..DELAY
};
const LAW: Choice = Choice { key: "law", label: text("Service law", "Phân phối phục vụ"), hint: same("") };
const SCV: Number = Number {
    key: "scv",
    label: text("Squared coefficient of variation", "Bình phương hệ số biến thiên"),
    hint: text("the heavier the tail", "đuôi càng nặng"),
    unit: Unit::new("scv", same(""), 3),
    per_unit: 1_000,
    kind: Quantity::Whole,
    min: 1_000,
    max: 50_000,
    step: 500,
    log: false,
};
const SLOW: Choice = Choice { key: "slow", label: text("What is slow", "Cái gì chậm"), hint: same("") };
const REPLICAS: Number = Number {
    key: "replicas",
    label: text("Replicas", "Số replica"),
    hint: text("chosen at random", "chọn ngẫu nhiên"),
    unit: units::PLAIN,
    kind: Quantity::Whole,
    min: 1,
    max: 50,
    ..LOAD
};
const SLOTS: Number = Number {
    key: "slots",
    label: text("Each serves at once", "Mỗi replica phục vụ cùng lúc"),
    hint: same(""),
    max: 32,
    ..REPLICAS
};
const FAILS: Number = Number {
    key: "fails",
    label: text("Attempts that fail", "Attempt bị lỗi"),
    hint: same(""),
    unit: Unit::new("percent", same("%"), 1),
    per_unit: 10,
    min: 0,
    max: 1_000,
    step: 5,
    ..LOAD
};
const FATAL: Switch = Switch {
    key: "fatal",
    label: text("Their status is fatal", "Status là fatal"),
    hint: text("off: one of nonFatalStatusCodes", "tắt: thuộc nonFatalStatusCodes"),
};
const PUSH: Choice = Choice {
    key: "push",
    label: text("Pushback with a non-fatal status", "Pushback kèm status không fatal"),
    hint: same(""),
};
const PUSH_FOR: Number = Number { key: "push_for", label: text("Wait", "Chờ"), hint: same(""), ..DELAY };
const SLO: Number =
    Number { key: "slo", label: text("Good within", "Tốt nếu trong"), hint: same(""), min: 1_000, ..DELAY };
const REQUESTS: Number = Number {
    key: "requests",
    label: text("Requests", "Số request"),
    hint: text("of each run", "mỗi lần chạy"),
    unit: Unit::counted("requests", text("requests", "request"), "request", 0),
    kind: Quantity::Whole,
    min: 100,
    max: 60_000,
    step: 100,
    log: true,
    ..LOAD
};
const FIRST: Choice = Choice { key: "first", label: text("The first attempt", "Attempt đầu"), hint: same("") };
const FIRST_AT: Number = Number { key: "first_at", label: text("After", "Sau"), hint: same(""), ..DELAY };
const OTHERS: Choice =
    Choice { key: "others", label: text("The other attempts", "Các attempt khác"), hint: same("") };
const OTHERS_AT: Number =
    Number { key: "others_at", label: text("After", "Sau"), hint: text("each", "mỗi attempt"), ..DELAY };
const DRAINED: Switch = Switch {
    key: "drained",
    label: text("The throttle is at half its tokens", "Throttle còn nửa số token"),
    hint: text("or less: it lets no hedge out", "hoặc ít hơn: không cho hedge nào"),
};

const fn opt(key: &'static str, label: Text) -> Opt {
    Opt { key, label, hint: same("") }
}

/// The option of when the next attempt goes.
pub fn when(when: When) -> Opt {
    match when {
        When::Never => opt("never", text("Never", "Không bao giờ")),
        When::Fixed => opt("fixed", text("After a fixed delay", "Sau một delay cố định")),
        When::Measured => opt("measured", text("After a measured percentile", "Sau phân vị đo được")),
        When::Grpc => opt("grpc", text("As gRPC’s hedgingPolicy", "Theo hedgingPolicy của gRPC")),
    }
}

fn cancel(cancel: Cancel) -> Opt {
    match cancel {
        Cancel::Nothing => opt("off", text("Are served all the same", "Vẫn được phục vụ")),
        Cancel::Waiting => opt("waiting", text("Leave the queue", "Rời hàng đợi")),
        Cancel::Served => opt("served", text("Stop at once", "Dừng ngay")),
    }
}

fn budget(budget: Budget) -> Opt {
    match budget {
        Budget::None => opt("off", text("None", "Không có")),
        Budget::Bucket => opt("bucket", text("A share of the requests", "Tỉ lệ trên số request")),
        Budget::Grpc => opt("grpc", text("gRPC’s retryThrottling", "retryThrottling của gRPC")),
        Budget::Share => opt("share", text("A share of what is in flight", "Tỉ lệ trên số in-flight")),
    }
}

fn law(law: Shape) -> Opt {
    match law {
        Shape::LogNormal => opt("log_normal", text("Log-normal", "Log-normal")),
        Shape::Hyper => opt("hyper", text("Hyperexponential", "Siêu mũ")),
        Shape::Exponential => opt("exponential", text("Exponential", "Mũ")),
        Shape::Fixed => opt("fixed", text("Always the same", "Luôn như nhau")),
    }
}

fn slow(slow: Slow) -> Opt {
    match slow {
        Slow::Luck => opt("luck", text("The attempt, by bad luck", "Attempt, do xui")),
        Slow::Request => opt("request", text("The request, every time", "Chính request, lần nào cũng vậy")),
    }
}

fn push(push: Push) -> Opt {
    match push {
        Push::None => opt("none", text("None", "Không có")),
        Push::After => opt("after", text("Wait so long", "Chờ thêm")),
        Push::Stop => opt("stop", text("No more attempts", "Không gọi nữa")),
    }
}

fn fate(fate: Fate) -> Opt {
    match fate {
        Fate::Hangs => opt("hangs", text("Is never answered", "Không bao giờ có trả lời")),
        Fate::Ok => opt("ok", text("Is answered", "Có trả lời")),
        Fate::NonFatal => opt("non_fatal", text("Fails, not fatally", "Lỗi, không fatal")),
        Fate::Fatal => opt("fatal", text("Fails fatally", "Lỗi fatal")),
    }
}

const FATES: [Fate; 4] = [Fate::Hangs, Fate::Ok, Fate::NonFatal, Fate::Fatal];

impl Knobs for Hedging {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let hedged = self.when != When::Never;
        v.group(text("Load and hedge", "Tải và hedge"), false);
        v.number(&LOAD, &mut self.load);
        pick(v, &WHEN, &[When::Never, When::Fixed, When::Measured, When::Grpc], when, &mut self.when);
        v.when(hedged);
        span(v, &DELAY, &mut self.delay);
        v.when(self.when == When::Measured);
        v.number(&QUANTILE, &mut self.quantile);
        v.when(hedged);
        pick(v, &CANCEL, &[Cancel::Nothing, Cancel::Waiting, Cancel::Served], cancel, &mut self.cancel);
        let budgets = [Budget::None, Budget::Bucket, Budget::Grpc, Budget::Share];
        pick(v, &BUDGET, &budgets, budget, &mut self.budget);
        v.group(text("More: how often, for how much", "Thêm: bao nhiêu lần, tốn bao nhiêu"), true);
        v.number(&ATTEMPTS, &mut self.attempts);
        v.when(hedged && self.budget == Budget::Bucket);
        v.number(&RATIO, &mut self.ratio);
        v.when(hedged && self.budget == Budget::Grpc);
        v.number(&TOKENS, &mut self.tokens);
        v.number(&TOKEN_RATIO, &mut self.token_ratio);
        v.when(hedged && self.budget == Budget::Share);
        v.number(&SHARE, &mut self.share);
        v.when(true);
        v.group(text("More: the fleet", "Thêm: fleet"), true);
        pick(v, &SLOW, &[Slow::Luck, Slow::Request], slow, &mut self.slow);
        pick(v, &LAW, &[Shape::LogNormal, Shape::Hyper, Shape::Exponential, Shape::Fixed], law, &mut self.law);
        v.when(matches!(self.law, Shape::LogNormal | Shape::Hyper));
        v.number(&SCV, &mut self.scv);
        v.when(true);
        span(v, &MEAN, &mut self.mean);
        v.number(&REPLICAS, &mut self.replicas);
        v.number(&SLOTS, &mut self.slots);
        span(v, &SLO, &mut self.slo);
        v.number(&REQUESTS, &mut self.requests);
        v.group(text("More: errors", "Thêm: lỗi"), true);
        v.number(&FAILS, &mut self.fails);
        v.when(self.fails > 0);
        v.switch(&FATAL, &mut self.fatal);
        v.when(self.fails > 0 && !self.fatal || [self.first, self.others].contains(&Fate::NonFatal));
        pick(v, &PUSH, &[Push::None, Push::After, Push::Stop], push, &mut self.push);
        v.when(
            self.push == Push::After
                && (self.fails > 0 && !self.fatal || [self.first, self.others].contains(&Fate::NonFatal)),
        );
        span(v, &PUSH_FOR, &mut self.push_for);
        v.when(true);
        v.group(text("More: one call by itself", "Thêm: một call riêng lẻ"), true);
        pick(v, &FIRST, &FATES, fate, &mut self.first);
        v.when(self.first != Fate::Hangs);
        span(v, &FIRST_AT, &mut self.first_at);
        v.when(hedged);
        pick(v, &OTHERS, &FATES, fate, &mut self.others);
        v.when(hedged && self.others != Fate::Hangs);
        span(v, &OTHERS_AT, &mut self.others_at);
        v.when(hedged);
        v.switch(&DRAINED, &mut self.drained);
        v.when(true);
    }
}
