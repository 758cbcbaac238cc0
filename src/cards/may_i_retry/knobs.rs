//! The knobs of this card.

use overload_chart::{Text, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::budget::Ratio;
use overload_sim::payments::{Fault, Key, Policy, Setup};
use overload_sim::retryable::library::Library;
use overload_sim::retryable::{Answer, Judgement, Method, Passes, Question, judge};
use overload_sim::time::{Span, Time};

use super::RETRIES;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// A call that failed, what is known of it, and the payments around it.
#[derive(Clone, Debug, PartialEq)]
pub struct MayIRetry {
    /// How it ended.
    pub answer: Answer,
    /// Its method.
    pub method: Method,
    /// What the service does with an idempotency key.
    pub key: Key,
    /// Whether the provider honours it too.
    pub provider: bool,
    /// Retry-After; zero: none.
    pub told: Span,
    /// What is left of the deadline after the first failure.
    pub left: Span,
    /// Tokens in the retry budget, and what a call brings.
    pub budget: u64,
    pub ratio: u64,
    /// The library looked at.
    pub library: Library,
    /// Attempts at most, and the first wait: of the rule and of the helper.
    pub attempts: u64,
    pub base: Span,
    /// How long the rule waits before it asks.
    pub ask_after: Span,
    /// Attempts that meet the fault, and those after which the work is done all the same; millionths.
    pub share: u64,
    pub ran: u64,
    /// When it begins and for how long.
    pub from: Span,
    pub length: Span,
    /// Payments a second, for how long.
    pub rate: u64,
    pub run: Span,
    /// How long the work takes, and when it is slow.
    pub normal: Span,
    pub slow: Span,
    /// How soon an error is there.
    pub quick: Span,
    /// When the client stops waiting.
    pub timeout: Span,
}

impl Default for MayIRetry {
    /// Articles 1 and 2: POST /payments without a key, no answer in time; a helper of four attempts that waits 100, 200,
    /// 400 ms and up to 100 ms more. The rest is ours.
    fn default() -> Self {
        MayIRetry {
            answer: Answer::Timeout,
            method: Method::Post,
            key: Key::None,
            provider: true,
            told: Span::ZERO,
            left: Span::s(10),
            budget: 500,
            ratio: 100_000,
            library: Library::PRetry,
            attempts: 4,
            base: Span::ms(100),
            ask_after: Span::s(5),
            share: 1_000_000,
            ran: 1_000_000,
            from: Span::s(5),
            length: Span::s(10),
            rate: 20,
            run: Span::s(30),
            normal: Span::ms(200),
            slow: Span::s(3),
            quick: Span::ms(10),
            timeout: Span::s(1),
        }
    }
}

impl MayIRetry {
    /// What Retry-After says of this answer.
    pub fn header(&self, answer: Answer) -> Option<Span> {
        (answer.may_tell_when() && self.told > Span::ZERO).then_some(self.told)
    }

    /// Whether the work may have been done, and doing it again would be once too often.
    pub fn unsafe_after(&self, answer: Answer) -> bool {
        answer.may_have_run() && !self.method.idempotent() && !self.key.honoured()
    }

    /// The longest first wait of the rule: a backoff with full jitter, what Retry-After wants, or the wait before it asks.
    pub fn wait(&self, answer: Answer) -> Span {
        let wait = self.header(answer).map_or(self.base, |told| told + self.base);
        if self.unsafe_after(answer) { wait.max(self.ask_after) } else { wait }
    }

    /// The rule's answer to a first failure that ended so.
    pub fn judged(&self, answer: Answer) -> Judgement {
        judge(&Question {
            answer,
            method: self.method,
            keyed: self.key.honoured(),
            wait: self.wait(answer),
            usual: self.normal,
            left: self.left,
            budget: self.budget > 0,
            told: self.header(answer).is_some(),
        })
    }

    /// The payments.
    pub fn setup(&self) -> Setup {
        Setup {
            rate: Rate::per_s(self.rate),
            length: self.run,
            method: self.method,
            key: self.key,
            provider: self.provider,
            fault: Fault {
                answer: self.answer,
                from: Time::ZERO + self.from,
                length: self.length,
                share: Ratio::ppm(self.share),
                ran: Ratio::ppm(self.ran),
            },
            normal: self.normal,
            slow: self.slow,
            quick: self.quick,
            timeout: self.timeout,
            left: self.left,
            told: (self.told > Span::ZERO).then_some(self.told),
        }
    }

    /// What the lanes do, in the order of the charts' rows.
    pub fn policies(&self) -> [Policy; 4] {
        let attempts = self.attempts as u32;
        let backoff = |strategy| Backoff {
            strategy,
            base: self.base,
            cap: Span::s(10),
            spread: Span::ms(100),
            growth: Backoff::DOUBLES,
        };
        [
            Policy::Once,
            Policy::Everything { attempts, backoff: backoff(Strategy::Additive) },
            Policy::Rule {
                attempts,
                backoff: backoff(Strategy::Full),
                tokens: self.budget,
                ratio: Ratio::ppm(self.ratio),
                ask_after: self.ask_after,
            },
            Policy::Library(self.library),
        ]
    }

    /// Payments whose first attempt fails, and about how many attempts each of them makes under each policy.
    pub fn hits(&self) -> (u64, [u64; 4]) {
        let us = |span: Span| span.as_us();
        // Work that takes longer than anybody waits always ends in a timeout, whatever the fault is.
        let always = self.normal >= self.timeout;
        let answer = if always { Answer::Timeout } else { self.answer };
        let passes = !always && answer.passes() == Passes::ByItself;
        let (hits, each) = if always {
            (self.rate * us(self.run) / 1_000_000, us(self.timeout))
        } else {
            let within = us(self.run).min(us(self.from) + us(self.length)).saturating_sub(us(self.from));
            let late = matches!(answer, Answer::Timeout | Answer::GatewayTimeout);
            let each = if late { us(self.timeout) } else { us(self.quick) };
            ((self.rate * within).div_ceil(1_000_000) * self.share / 1_000_000, each)
        };
        // What passes fails again only while the fault lasts, and seldom often in a row.
        let rounds = if passes { us(self.left).min(us(self.length) / 2 + each) } else { us(self.left) };
        let row = if passes { 1_000_000 / (1_000_001 - self.share) } else { u64::MAX };
        let again = (1 + rounds / each).min(row.saturating_add(1));
        let library = self.library.retries(answer, self.method, self.header(answer).is_some());
        let library = if library { u64::from(self.library.calls()) } else { 1 };
        let most = self.attempts.min(again);
        (hits, [1, most, most, library.min(again)])
    }
}

const ANSWER: Choice = Choice {
    key: "answer",
    label: text("The call ended with", "Lời gọi kết thúc bằng"),
    hint: text("status or error", "status hoặc lỗi"),
};
const METHOD: Choice = Choice { key: "method", label: text("Method", "Method"), hint: same("") };
const KEY: Choice = Choice {
    key: "key",
    label: text("Idempotency key", "Idempotency key"),
    hint: text("what the service does with it", "service làm gì với nó"),
};
const PROVIDER: Switch = Switch {
    key: "provider",
    label: text("The provider honours it too", "Provider cũng tôn trọng key"),
    hint: text("who moves the money", "bên chuyển tiền"),
};
const TOLD: Number = Number {
    key: "retry_after",
    label: same("Retry-After"),
    hint: text("0: no header; counts with 429 and 503", "0: không có header; tính với 429 và 503"),
    unit: units::S,
    per_unit: 1_000_000,
    kind: Kind::Duration,
    min: 0,
    max: 60_000_000,
    step: 1_000_000,
    log: false,
};
const LEFT: Number = Number {
    key: "left",
    label: text("Deadline left", "Deadline còn lại"),
    hint: text("after the first failure", "sau lần lỗi đầu tiên"),
    unit: units::MS,
    per_unit: 1_000,
    max: 30_000_000,
    step: 100_000,
    ..TOLD
};
const BUDGET: Number = Number {
    key: "budget",
    label: text("Retry budget left", "Retry budget còn lại"),
    hint: text("of the rule, in retries", "của quy tắc, tính bằng retry"),
    unit: RETRIES,
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 1_000,
    step: 10,
    log: false,
};
const RATIO: Number = Number {
    key: "ratio",
    label: text("A call brings the budget", "Mỗi call nạp vào budget"),
    hint: text("of a retry", "của một retry"),
    unit: units::PERCENT,
    per_unit: 10_000,
    kind: Kind::Ratio,
    max: 1_000_000,
    step: 10_000,
    ..BUDGET
};
const LIBRARY: Choice =
    Choice { key: "library", label: text("Library, as it comes", "Thư viện, để mặc định"), hint: same("") };
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts at most", "Số lần thử tối đa"),
    hint: text("the first included; not of the library", "tính cả lần đầu; không áp cho thư viện"),
    unit: units::ATTEMPTS,
    min: 1,
    max: 10,
    step: 1,
    ..BUDGET
};
const BASE: Number = Number {
    key: "base",
    label: text("First wait", "Lần chờ đầu"),
    hint: text("doubled each time", "mỗi lần gấp đôi"),
    min: 1_000,
    max: 5_000_000,
    step: 10_000,
    log: true,
    ..LEFT
};
const ASK_AFTER: Number = Number {
    key: "ask_after",
    label: text("Ask for the state after", "Hỏi trạng thái sau"),
    hint: text("where the work may have been done", "khi việc có thể đã chạy"),
    max: 20_000_000,
    ..LEFT
};
const SHARE: Number = Number {
    key: "share",
    label: text("Meets the fault", "Gặp lỗi"),
    hint: text("of the attempts meanwhile", "trong số lần thử lúc đó"),
    ..RATIO
};
const RAN: Number = Number {
    key: "ran",
    label: text("Work done all the same", "Việc vẫn chạy xong"),
    hint: text("of those", "trong số đó"),
    ..RATIO
};
const FROM: Number = Number {
    key: "from",
    label: text("The fault begins at", "Lỗi bắt đầu lúc"),
    hint: same(""),
    max: 60_000_000,
    step: 500_000,
    ..LEFT
};
const LENGTH: Number = Number { key: "length", label: text("Lasts", "Kéo dài"), ..FROM };
const RATE: Number = Number {
    key: "rate",
    label: text("Payments a second", "Thanh toán mỗi giây"),
    hint: text("evenly", "đều đặn"),
    unit: units::PER_SECOND,
    kind: Kind::Rate,
    min: 1,
    max: 200,
    step: 1,
    log: true,
    ..BUDGET
};
const RUN: Number = Number { key: "run", label: text("For", "Trong"), min: 1_000_000, ..FROM };
const NORMAL: Number = Number {
    key: "normal",
    label: text("The work takes", "Việc mất"),
    hint: same(""),
    min: 1_000,
    max: 5_000_000,
    ..BASE
};
const SLOW: Number =
    Number { key: "slow", label: text("When it is slow", "Lúc chậm mất"), max: 20_000_000, ..NORMAL };
const QUICK: Number = Number {
    key: "quick",
    label: text("An error is there after", "Lỗi trả về sau"),
    min: 5_000,
    max: 1_000_000,
    step: 5_000,
    ..NORMAL
};
const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("Timeout of an attempt", "Timeout của một lần thử"),
    min: 50_000,
    max: 20_000_000,
    ..NORMAL
};

/// The answer, with its name.
pub const fn named(answer: Answer) -> Text {
    match answer {
        Answer::BadRequest => same("400 Bad Request"),
        Answer::Unauthorized => same("401 Unauthorized"),
        Answer::NotFound => same("404 Not Found"),
        Answer::Conflict => same("409 Conflict"),
        Answer::Unprocessable => same("422 Unprocessable Content"),
        Answer::TooMany => same("429 Too Many Requests"),
        Answer::Internal => same("500 Internal Server Error"),
        Answer::BadGateway => same("502 Bad Gateway"),
        Answer::Unavailable => same("503 Service Unavailable"),
        Answer::GatewayTimeout => same("504 Gateway Timeout"),
        Answer::Reset => same("ECONNRESET"),
        Answer::Refused => same("ECONNREFUSED"),
        Answer::Timeout => same("timeout"),
    }
}

/// The answer's key in links.
pub const fn answer_key(answer: Answer) -> &'static str {
    match answer {
        Answer::BadRequest => "s400",
        Answer::Unauthorized => "s401",
        Answer::NotFound => "s404",
        Answer::Conflict => "s409",
        Answer::Unprocessable => "s422",
        Answer::TooMany => "s429",
        Answer::Internal => "s500",
        Answer::BadGateway => "s502",
        Answer::Unavailable => "s503",
        Answer::GatewayTimeout => "s504",
        other => other.key(),
    }
}

const fn method_key(method: Method) -> &'static str {
    match method {
        Method::Get => "get",
        Method::Put => "put",
        Method::Delete => "delete",
        Method::Post => "post",
        Method::Patch => "patch",
    }
}

fn answer(answer: Answer) -> Opt {
    Opt { key: answer_key(answer), label: named(answer), hint: same("") }
}

fn method(method: Method) -> Opt {
    Opt { key: method_key(method), label: same(method.name()), hint: same("") }
}

const KEYS: [Key; 4] = [Key::None, Key::Fresh, Key::Remembered, Key::Claimed];

fn key(key: Key) -> Opt {
    let (key, label) = match key {
        Key::None => ("none", text("None", "Không có")),
        Key::Fresh => ("fresh", text("A new one for each attempt", "Mỗi lần thử một key mới")),
        Key::Remembered => ("remembered", text("Remembered once done", "Ghi nhớ khi xong việc")),
        Key::Claimed => {
            ("claimed", text("Claimed first, by a unique constraint", "Giữ chỗ trước, bằng unique constraint"))
        }
    };
    Opt { key, label, hint: same("") }
}

/// The library's name; as an option, so that sentences may name it.
pub const fn titled(library: Library) -> Text {
    match library {
        Library::Envoy5xx => same("Envoy, retry_on 5xx"),
        Library::EnvoyGateway => same("Envoy, retry_on gateway-error"),
        Library::Istio => same("Istio"),
        Library::Aws => same("AWS SDK for JavaScript"),
        Library::Grpc => same("gRPC"),
        Library::Urllib3 => same("urllib3"),
        Library::PRetry => same("p-retry"),
        Library::Cockatiel => same("cockatiel"),
        Library::Polly => same("Polly"),
        Library::Resilience4j => same("resilience4j"),
        Library::SpringRetry => same("Spring Retry"),
    }
}

fn library(library: Library) -> Opt {
    Opt { key: library.key(), label: titled(library), hint: same("") }
}

impl Knobs for MayIRetry {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let (open, late) =
            (self.answer.may_have_run(), matches!(self.answer, Answer::Timeout | Answer::GatewayTimeout));
        v.group(text("The call that failed", "Lời gọi bị lỗi"), false);
        pick(v, &ANSWER, &Answer::ALL, answer, &mut self.answer);
        pick(v, &METHOD, &Method::ALL, method, &mut self.method);
        pick(v, &KEY, &KEYS, key, &mut self.key);
        v.when(self.key.honoured());
        v.switch(&PROVIDER, &mut self.provider);
        v.group(text("What is left", "Còn lại gì"), false);
        span(v, &LEFT, &mut self.left);
        v.number(&BUDGET, &mut self.budget);
        span(v, &TOLD, &mut self.told);
        pick(v, &LIBRARY, &Library::ALL, library, &mut self.library);
        v.group(text("More: who tries again, and when", "Thêm: ai thử lại, lúc nào"), true);
        v.number(&ATTEMPTS, &mut self.attempts);
        span(v, &BASE, &mut self.base);
        span(v, &ASK_AFTER, &mut self.ask_after);
        v.number(&RATIO, &mut self.ratio);
        v.group(text("More: the payments", "Thêm: các khoản thanh toán"), true);
        v.number(&RATE, &mut self.rate);
        span(v, &RUN, &mut self.run);
        span(v, &NORMAL, &mut self.normal);
        v.when(late);
        span(v, &SLOW, &mut self.slow);
        v.when(true);
        span(v, &QUICK, &mut self.quick);
        span(v, &TIMEOUT, &mut self.timeout);
        v.group(text("More: the fault", "Thêm: lỗi"), true);
        v.number(&SHARE, &mut self.share);
        v.when(open);
        v.number(&RAN, &mut self.ran);
        v.when(true);
        span(v, &FROM, &mut self.from);
        span(v, &LENGTH, &mut self.length);
    }
}
