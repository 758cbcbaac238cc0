//! The knobs of this card.

use overload_chart::{Unit, same, text, units};
use overload_sim::backoff::library::Library;
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::retry_after::{Header, Heed};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// A herd that has been shed, and a partner that does not take no for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryAfter {
    /// How many clients are shed at t = 0.
    pub clients: u64,
    /// The header's shortest value, in seconds.
    pub after: u64,
    /// How many different whole seconds it draws from.
    pub values: u64,
    /// Width of what a client adds at random to what it is told.
    pub jitter: Span,
    /// How the clients heed the header, and how many of a hundred do.
    pub client: Heed,
    pub obey: u64,
    /// What the others do.
    pub others: Others,
    /// Their own backoff: full jitter.
    pub base: Span,
    pub cap: Span,
    /// Most attempts, the one shed at t = 0 included.
    pub attempts: u64,
    /// What the server answers in a slot.
    pub capacity: u64,
    pub slot: Span,
    /// The partner: requests at a time, and the time from an answer to the next request.
    pub loops: u64,
    pub rtt: Span,
    /// Whether it waits as it is told.
    pub polite: bool,
    /// Its quota, and how much at once.
    pub quota: u64,
    pub burst: u64,
    /// The penalty box: refusals within a second, the first stay, the longest.
    pub strikes: u64,
    pub first: Span,
    pub longest: Span,
    /// The app's CPU: a request answered, a request refused.
    pub answer_cost: Span,
    pub refuse_cost: Span,
    /// Requests of everybody else.
    pub rate: u64,
    /// How long the partner goes on.
    pub length: Span,
}

/// What a client does that does not heed the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Its own backoff.
    Backoff,
    /// It comes back at once.
    AtOnce,
}

impl Default for RetryAfter {
    /// Article 4: 1 + ⌊3·U⌋ seconds. It names neither a herd nor a partner: these are ours, the costs those of its event loop.
    fn default() -> Self {
        RetryAfter {
            clients: 1_000,
            after: 1,
            values: 3,
            jitter: Span::s(1),
            client: Heed::Obeys,
            obey: 100,
            others: Others::Backoff,
            base: Span::ms(100),
            cap: Span::s(10),
            attempts: 20,
            capacity: 100,
            slot: Span::ms(100),
            loops: 8,
            rtt: Span::ms(10),
            polite: false,
            quota: 10,
            burst: 10,
            strikes: 20,
            first: Span::s(1),
            longest: Span::s(60),
            answer_cost: Span::ms(4),
            refuse_cost: Span::us(300),
            rate: 150,
            length: Span::s(10),
        }
    }
}

impl RetryAfter {
    /// The server's header where it is spread.
    pub fn header(&self) -> Header {
        Header { shortest: self.after, values: self.values }
    }

    /// A client's own backoff: the library's curve where the client is one of AWS.
    pub fn backoff(&self) -> Backoff {
        let strategy = match self.client {
            Heed::Aws => Strategy::Library(Library::AwsJs),
            Heed::AwsClassic => Strategy::Library(Library::AwsJsClassic),
            Heed::Obeys | Heed::Ignores | Heed::Envoy => Strategy::Full,
        };
        Backoff { strategy, base: self.base, cap: self.cap, spread: Span::ZERO, growth: Backoff::DOUBLES }
    }

    /// From one to the next of `n` widths of client jitter that the curve of peaks has points for.
    pub fn step_of_widths(&self, n: u64) -> Span {
        (self.jitter * 2 / n).max(self.slot)
    }
}

const CLIENTS: Number = Number {
    key: "clients",
    label: text("Clients", "Số client"),
    hint: text("are shed at t = 0", "bị shed ở t = 0"),
    unit: units::CLIENTS,
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 100_000,
    step: 10,
    log: true,
};
const AFTER: Number = Number {
    key: "after",
    label: same("Retry-After"),
    hint: text("at least; whole seconds", "ít nhất; số giây nguyên"),
    unit: Unit::new("s", same("s"), 0),
    min: 0,
    max: 3_600,
    step: 1,
    ..CLIENTS
};
const VALUES: Number = Number {
    key: "values",
    label: text("Different values", "Số giá trị khác nhau"),
    hint: text("the server draws from; 1: the same for all", "để server rút; 1: như nhau cho mọi client"),
    unit: units::PLAIN,
    min: 1,
    max: 60,
    step: 1,
    log: false,
    ..CLIENTS
};
const JITTER: Number = Number {
    key: "jitter",
    label: text("Client jitter", "Jitter phía client"),
    hint: text("added to what it is told: 0 to", "cộng vào thời gian được báo: 0 đến"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 0,
    max: 30_000_000,
    step: 50_000,
    log: true,
};
const CLIENT: Choice = Choice { key: "client", label: text("A client", "Client"), hint: same("") };
const OBEY: Number = Number {
    key: "obey",
    label: text("Heed the header", "Tuân theo header"),
    hint: text("share of the clients", "tỉ lệ client"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 0,
    max: 100,
    step: 5,
    log: false,
    ..CLIENTS
};
const OTHERS: Choice = Choice { key: "others", label: text("The others", "Số còn lại"), hint: same("") };
const BASE: Number = Number {
    key: "base",
    label: text("Own backoff: base", "Backoff riêng: base"),
    hint: text("full jitter", "full jitter"),
    min: 1_000,
    max: 10_000_000,
    step: 10_000,
    ..JITTER
};
const CAP: Number = Number {
    key: "cap",
    label: text("Own backoff: cap", "Backoff riêng: cap"),
    hint: same(""),
    min: 10_000,
    max: 60_000_000,
    step: 100_000,
    ..JITTER
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts", "Số lần thử"),
    hint: text("at most, the one shed first included", "tối đa, kể cả lần bị shed đầu tiên"),
    unit: Unit::new("attempts", same(""), 0),
    min: 1,
    max: 50,
    step: 1,
    log: false,
    ..CLIENTS
};
const CAPACITY: Number = Number {
    key: "capacity",
    label: text("The server answers", "Server trả lời"),
    hint: text("calls per slot; beyond: 503 again", "call mỗi slot; quá nữa: lại 503"),
    unit: units::CALLS,
    ..CLIENTS
};
const SLOT: Number = Number {
    key: "slot",
    label: text("Slot", "Độ dài slot"),
    hint: text("in which calls are counted", "để đếm số call"),
    min: 10_000,
    max: 10_000_000,
    step: 10_000,
    ..JITTER
};
const LOOPS: Number = Number {
    key: "loops",
    label: text("Requests at a time", "Số request cùng lúc"),
    hint: text("of the partner, each asked until answered", "của đối tác, hỏi tới khi được trả lời"),
    unit: units::PLAIN,
    min: 1,
    max: 200,
    step: 1,
    ..CLIENTS
};
const RTT: Number = Number {
    key: "rtt",
    label: text("It asks again after", "Hỏi lại sau"),
    hint: text("a round trip; so do clients that come back at once", "một round trip; client quay lại ngay cũng vậy"),
    min: 1_000,
    max: 10_000_000,
    step: 1_000,
    ..JITTER
};
const POLITE: Switch = Switch {
    key: "polite",
    label: text("The partner waits as told", "Đối tác chờ như được báo"),
    hint: text("off: a tight loop", "tắt: vòng lặp chặt"),
};
const QUOTA: Number = Number {
    key: "quota",
    label: text("Its quota", "Quota"),
    hint: text("beyond: 429", "quá nữa: 429"),
    unit: units::PER_SECOND,
    kind: Kind::Rate,
    min: 1,
    max: 1_000,
    step: 1,
    ..CLIENTS
};
const BURST: Number = Number {
    key: "burst",
    label: text("Burst", "Burst"),
    hint: text("tokens", "số token"),
    unit: units::PLAIN,
    min: 1,
    max: 1_000,
    step: 1,
    ..CLIENTS
};
const STRIKES: Number = Number {
    key: "strikes",
    label: text("Penalty box at", "Penalty box khi có"),
    hint: text("429s within a second", "429 trong một giây"),
    unit: units::PLAIN,
    min: 1,
    max: 1_000,
    step: 1,
    ..CLIENTS
};
const FIRST: Number = Number {
    key: "first",
    label: text("First stay", "Lần phạt đầu"),
    hint: text("then twice as long each time", "mỗi lần sau dài gấp đôi"),
    min: 10_000,
    max: 600_000_000,
    step: 100_000,
    ..JITTER
};
const LONGEST: Number =
    Number { key: "longest", label: text("Longest stay", "Phạt lâu nhất"), hint: same(""), ..FIRST };
const ANSWER_COST: Number = Number {
    key: "answer_cost",
    label: text("An answer costs", "Một câu trả lời tốn"),
    hint: text("of one CPU", "CPU, một core"),
    min: 100,
    max: 100_000,
    step: 100,
    ..JITTER
};
const REFUSE_COST: Number =
    Number { key: "refuse_cost", label: text("A 429 costs", "Một 429 tốn"), min: 0, ..ANSWER_COST };
const RATE: Number = Number {
    key: "rate",
    label: text("Everybody else", "Các client khác"),
    hint: text("requests, evenly", "request, đều đặn"),
    min: 0,
    max: 1_000,
    step: 10,
    ..QUOTA
};
const LENGTH: Number = Number {
    key: "length",
    label: text("For", "Trong"),
    hint: same(""),
    min: 1_000_000,
    max: 60_000_000,
    step: 1_000_000,
    ..JITTER
};

const HEEDS: [Heed; 5] = [Heed::Obeys, Heed::Ignores, Heed::Aws, Heed::AwsClassic, Heed::Envoy];

/// A way of heeding, as the page names it.
pub fn heed(heed: Heed) -> Opt {
    let (key, label, hint) = match heed {
        Heed::Obeys => (
            "obeys",
            text("Waits as it is told", "Chờ đúng như được báo"),
            text("and adds its jitter, where it has one", "và cộng jitter của nó, nếu có"),
        ),
        Heed::Ignores => (
            "ignores",
            text("Ignores it: resilience4j, Polly, p-retry", "Bỏ qua: resilience4j, Polly, p-retry"),
            text("by default; waits its own backoff", "theo mặc định; chờ theo backoff riêng"),
        ),
        Heed::Aws => ("aws", text("AWS SDKs now", "AWS SDK hiện nay"), same("max(own, min(told, own + 5 s))")),
        Heed::AwsClassic => (
            "aws_classic",
            text("AWS SDK for JavaScript, classic", "AWS SDK cho JavaScript, bản cũ"),
            same("max(own, told)"),
        ),
        Heed::Envoy => ("envoy", text("Envoy, where told to", "Envoy, nếu được cấu hình"), same("U[told, 1.5·told)")),
    };
    Opt { key, label, hint }
}

impl Others {
    const ALL: [Others; 2] = [Others::Backoff, Others::AtOnce];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Others::Backoff => ("backoff", text("back off by their own rule", "backoff theo cách riêng")),
            Others::AtOnce => ("at_once", text("come back at once", "quay lại ngay")),
        };
        Opt { key, label, hint: same("") }
    }
}

impl Knobs for RetryAfter {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The header", "Header"), false);
        v.number(&CLIENTS, &mut self.clients);
        v.number(&AFTER, &mut self.after);
        v.number(&VALUES, &mut self.values);
        span(v, &JITTER, &mut self.jitter);
        v.group(text("The clients", "Client"), false);
        pick(v, &CLIENT, &HEEDS, heed, &mut self.client);
        v.number(&OBEY, &mut self.obey);
        v.when(self.obey < 100);
        pick(v, &OTHERS, &Others::ALL, Others::opt, &mut self.others);
        v.when(true);
        v.group(text("A partner in a loop", "Đối tác lặp liên tục"), false);
        v.switch(&POLITE, &mut self.polite);
        v.number(&LOOPS, &mut self.loops);
        v.group(text("More: server and clients", "Thêm: server và client"), true);
        v.number(&CAPACITY, &mut self.capacity);
        span(v, &SLOT, &mut self.slot);
        v.number(&ATTEMPTS, &mut self.attempts);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);
        v.group(text("More: the partner and its box", "Thêm: đối tác và penalty box"), true);
        span(v, &RTT, &mut self.rtt);
        v.number(&QUOTA, &mut self.quota);
        v.number(&BURST, &mut self.burst);
        v.number(&STRIKES, &mut self.strikes);
        span(v, &FIRST, &mut self.first);
        span(v, &LONGEST, &mut self.longest);
        span(v, &ANSWER_COST, &mut self.answer_cost);
        span(v, &REFUSE_COST, &mut self.refuse_cost);
        v.number(&RATE, &mut self.rate);
        span(v, &LENGTH, &mut self.length);
    }
}
