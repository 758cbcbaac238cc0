//! The knobs of this card.

use overload_chart::{Text, same, text, units};
use overload_sim::deadline::tree::Carry;
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// A request, the hosts that work on it, and who of them knows how long it is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadline {
    /// Who calls whom.
    pub shape: Shape,
    /// The deadline of the request, counted from its arrival.
    pub total: Span,
    /// How long A, B and C take.
    pub takes: [Span; 3],
    /// How long each of them is waited for.
    pub limits: [Span; 3],
    /// Whether the timeout of a call is cut to what is left.
    pub within: bool,
    /// A call is not made with so little left for it.
    pub least: Span,
    /// Whether the answer may lack B's part, C's part.
    pub optional_b: bool,
    pub optional_c: bool,
    /// Whether B's failure ends the request while C is still under way.
    pub fail_fast: bool,

    /// The chain: how long its query takes, how long the BFF and the service wait.
    pub query: Span,
    pub bff: Span,
    pub service: Span,

    /// The gateway: timeout over all tries (zero: none), for each (zero: none), tries after the first, whether they are made.
    pub route: Span,
    pub per_try: Span,
    pub retries: u64,
    pub retried: bool,
    /// The longest first wait between tries.
    pub base: Span,
    /// How long the service behind it takes, and whether it then answers.
    pub answer: Span,
    pub broken: bool,

    /// What goes with a call.
    pub carry: Carry,
    /// Whether hosts notice that their caller has hung up.
    pub hears: bool,
    /// Whether A, B and C do their work in a database.
    pub db: bool,
    /// What stops a query there.
    pub db_stop: DbStop,
    /// `statement_timeout`.
    pub statement: Span,

    /// Whether the client leaves before the answer, and when.
    pub leaves: bool,
    pub leave_at: Span,
    /// By how much the clocks of the hosts called are off, and which way.
    pub skew: Span,
    pub skew_way: Way,
    /// One way between two hosts.
    pub away: Span,
    /// What the first connection of all takes.
    pub connect: Span,

    /// Under load: requests a second, for how long, retries, calls worked on at once, mean time of one.
    pub load_rate: u64,
    pub load_for: Span,
    pub load_retries: u64,
    pub load_slots: u64,
    pub load_work: Span,

    /// The cache: how long C is slow, how long it takes when well, time to live of an answer, of one marked as partial, readers
    /// a second.
    pub slow_for: Span,
    pub c_well: Span,
    pub ttl: Span,
    pub partial_ttl: Span,
    pub readers: u64,
}

/// Who calls whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The article's API: A, then B and C at once.
    Fan,
    /// A BFF, a service, a database.
    Chain,
    /// A gateway that retries, and a service.
    Route,
}

/// What stops a query whose caller has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbStop {
    /// Nothing.
    Nothing,
    /// `statement_timeout`, always the same.
    Fixed,
    /// `statement_timeout`, set to what is left.
    Left,
    /// The caller cancels it.
    Cancel,
}

/// Which way a clock is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It shows a later time than the API's.
    Ahead,
    /// An earlier one.
    Behind,
}

impl Default for Deadline {
    /// Article 1, card 037.
    fn default() -> Self {
        Deadline {
            shape: Shape::Fan,
            total: Span::ms(1_900),
            takes: [700, 600, 3_000].map(Span::ms),
            limits: [800, 900, 900].map(Span::ms),
            within: true,
            least: Span::ms(50),
            optional_b: false,
            optional_c: true,
            fail_fast: false,
            query: Span::s(20),
            bff: Span::s(2),
            service: Span::s(5),
            route: Span::s(15),
            per_try: Span::ZERO,
            retries: 3,
            retried: true,
            base: Span::ms(25),
            answer: Span::s(60),
            broken: false,
            carry: Carry::Absolute,
            hears: true,
            db: false,
            db_stop: DbStop::Fixed,
            statement: Span::s(30),
            leaves: false,
            leave_at: Span::ms(300),
            skew: Span::ZERO,
            skew_way: Way::Ahead,
            away: Span::ZERO,
            connect: Span::ZERO,
            load_rate: 150,
            load_for: Span::s(12),
            load_retries: 0,
            load_slots: 5,
            load_work: Span::ms(50),
            slow_for: Span::s(30),
            c_well: Span::ms(200),
            ttl: Span::s(60),
            partial_ttl: Span::s(1),
            readers: 30,
        }
    }
}

impl Deadline {
    /// By how many microseconds the clocks of the hosts called are ahead of the first host's.
    pub fn clock(&self) -> i64 {
        let off = self.skew.as_us().cast_signed();
        if self.skew_way == Way::Ahead { off } else { -off }
    }

    /// The deadline of the whole request; [`Span::MAX`]: none.
    pub fn deadline(&self) -> Span {
        match self.shape {
            Shape::Route if self.route == Span::ZERO => Span::MAX,
            Shape::Route => self.route,
            _ => self.total,
        }
    }

    /// The same request with nobody told anything: timeouts of their own, no deadline, no hang-up noticed.
    pub fn untold(&self) -> Deadline {
        Deadline {
            within: false,
            carry: Carry::Nothing,
            hears: false,
            db_stop: if self.db_stop == DbStop::Fixed { DbStop::Fixed } else { DbStop::Nothing },
            ..self.clone()
        }
    }

    /// Whether anything but the own timeouts ends work.
    pub fn told(&self) -> bool {
        self.carry != Carry::Nothing || self.hears
    }
}

const TIME: Number = Number {
    key: "total",
    label: text("Deadline of the request", "Deadline của request"),
    hint: text("counted from its arrival", "tính từ lúc nó tới"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100_000,
    max: 60_000_000,
    step: 50_000,
    log: true,
};
const fn takes(key: &'static str, label: Text) -> Number {
    Number { key, label, hint: same(""), min: 0, max: 10_000_000, log: false, ..TIME }
}
const TAKES: [Number; 3] = [
    takes("a_takes", text("A takes", "A mất")),
    takes("b_takes", text("B takes", "B mất")),
    takes("c_takes", text("C takes", "C mất")),
];
const fn limit(key: &'static str, label: Text) -> Number {
    Number { key, label, hint: same(""), min: 10_000, step: 10_000, ..TIME }
}
const LIMITS: [Number; 3] = [
    limit("limit_a", text("Timeout for A", "Timeout cho A")),
    limit("limit_b", text("Timeout for B", "Timeout cho B")),
    limit("limit_c", text("Timeout for C", "Timeout cho C")),
];
const SHAPE: Choice = Choice { key: "shape", label: text("Who calls whom", "Ai gọi ai"), hint: same("") };
const WITHIN: Switch = Switch {
    key: "within",
    label: text("Timeout = min(own, left)", "Timeout = min(riêng, còn lại)"),
    hint: text("off: always its own", "tắt: luôn là timeout riêng"),
};
const LEAST: Number = Number {
    key: "least",
    label: text("Do not call with less than", "Không gọi khi chỉ còn"),
    hint: same(""),
    min: 0,
    max: 1_000_000,
    step: 10_000,
    log: false,
    ..TIME
};
const OPTIONAL_B: Switch =
    Switch { key: "optional_b", label: text("B is optional", "B không bắt buộc"), hint: same("") };
const OPTIONAL_C: Switch =
    Switch { key: "optional_c", label: text("C is optional", "C không bắt buộc"), hint: same("") };
const FAIL_FAST: Switch = Switch {
    key: "fail_fast",
    label: text("Fail at the first required error", "Lỗi ngay khi phần bắt buộc lỗi"),
    hint: text("off: waits for both, Promise.allSettled", "tắt: chờ cả hai, Promise.allSettled"),
};
const QUERY: Number = Number {
    key: "query",
    label: text("The query takes", "Query mất"),
    hint: same(""),
    min: 10_000,
    max: 120_000_000,
    ..TIME
};
const BFF: Number = limit("bff", text("Timeout of the BFF", "Timeout của BFF"));
const SERVICE: Number = limit("service", text("Timeout of the service", "Timeout của service"));
const ROUTE: Number = Number {
    key: "route",
    label: text("Timeout of the route", "Timeout của route"),
    hint: text("over all tries; 0: none", "cho mọi lần thử; 0: không có"),
    min: 0,
    step: 500_000,
    log: false,
    ..TIME
};
const PER_TRY: Number = Number {
    key: "per_try",
    label: text("Timeout of each try", "Timeout mỗi lần thử"),
    hint: text("0: none", "0: không có"),
    ..ROUTE
};
const RETRIES: Number = Number {
    key: "retries",
    label: text("Retries", "Số lần retry"),
    hint: text("after the first try", "sau lần đầu"),
    unit: units::PLAIN,
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 6,
    step: 1,
    log: false,
};
const RETRIED: Switch = Switch {
    key: "retried",
    label: text("Retry on 5xx and timeouts", "Retry khi 5xx và timeout"),
    hint: text("Envoy: retry_on 5xx or gateway-error", "Envoy: retry_on 5xx hoặc gateway-error"),
};
const BASE: Number = Number {
    key: "base",
    label: text("Backoff, at most at first", "Backoff, lần đầu tối đa"),
    hint: text("Envoy’s, with full jitter; 0: none", "kiểu Envoy, full jitter; 0: không"),
    min: 0,
    max: 1_000_000,
    step: 5_000,
    log: false,
    ..TIME
};
const ANSWER: Number = Number {
    key: "answer",
    label: text("The service takes", "Service mất"),
    hint: same(""),
    min: 0,
    max: 120_000_000,
    step: 100_000,
    log: false,
    ..TIME
};
const BROKEN: Switch =
    Switch { key: "broken", label: text("It then answers 503", "Rồi nó trả 503"), hint: same("") };
const CARRY: Choice =
    Choice { key: "carry", label: text("Deadline sent along", "Deadline gửi kèm"), hint: same("") };
const HEARS: Switch = Switch {
    key: "hears",
    label: text("Stop when the caller hangs up", "Dừng khi caller ngắt"),
    hint: text("a closed connection is noticed", "có nhận biết kết nối đóng"),
};
const DB: Switch = Switch {
    key: "db",
    label: text("The work is a query", "Việc là một query"),
    hint: text("each service waits for a database", "mỗi service chờ một database"),
};
const DB_STOP: Choice =
    Choice { key: "db_stop", label: text("What stops a query", "Thứ gì dừng query"), hint: same("") };
const STATEMENT: Number = Number {
    key: "statement",
    label: same("statement_timeout"),
    hint: same(""),
    min: 10_000,
    max: 120_000_000,
    ..TIME
};
const LEAVES: Switch =
    Switch { key: "leaves", label: text("The client leaves early", "Client ngắt sớm"), hint: same("") };
const LEAVE_AT: Number = Number {
    key: "leave_at",
    label: text("It leaves at", "Ngắt lúc"),
    hint: same(""),
    min: 0,
    step: 50_000,
    log: false,
    ..TIME
};
const SKEW: Number = Number {
    key: "skew",
    label: text("Clocks below are off by", "Đồng hồ bên dưới lệch"),
    hint: text("against the first host’s; not under load", "so với host đầu; không tính khi có tải"),
    min: 0,
    max: 10_000_000,
    step: 50_000,
    log: false,
    ..TIME
};
const SKEW_WAY: Choice = Choice { key: "skew_way", label: text("They are", "Chúng chạy"), hint: same("") };
const AWAY: Number = Number {
    key: "away",
    label: text("Network, one way", "Mạng, một chiều"),
    hint: text("of the one request; the load takes none", "của một request; phần tải không tính"),
    min: 0,
    max: 500_000,
    step: 1_000,
    log: false,
    ..TIME
};
const CONNECT: Number = Number {
    key: "connect",
    label: text("First connection takes", "Kết nối đầu tiên mất"),
    hint: text("of the first call", "của call đầu"),
    ..AWAY
};
const LOAD_RATE: Number = Number {
    key: "load_rate",
    label: text("Requests a second", "Request mỗi giây"),
    hint: same(""),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 2_000,
    step: 10,
    log: true,
};
const LOAD_FOR: Number = Number {
    key: "load_for",
    label: text("For", "Trong"),
    hint: same(""),
    min: 1_000_000,
    step: 1_000_000,
    log: false,
    ..TIME
};
const LOAD_RETRIES: Number = Number {
    key: "load_retries",
    label: text("Retries of each caller", "Retry của mỗi caller"),
    hint: text("of a try that ends before the deadline", "khi lần thử hết giờ trước deadline"),
    max: 3,
    ..RETRIES
};
const LOAD_SLOTS: Number = Number {
    key: "load_slots",
    label: text("Calls worked on at once", "Số call làm cùng lúc"),
    hint: text("by the service below", "ở service bên dưới"),
    min: 1,
    max: 100,
    ..RETRIES
};
const LOAD_WORK: Number = Number {
    key: "load_work",
    label: text("Work of one, on average", "Mỗi call, trung bình"),
    hint: same(""),
    min: 1_000,
    max: 1_000_000,
    step: 5_000,
    ..TIME
};
const SLOW_FOR: Number = Number { key: "slow_for", label: text("C is slow for", "C chậm trong"), ..LOAD_FOR };
const C_WELL: Number = Number { key: "c_well", label: text("C takes when well", "Lúc khoẻ C mất"), ..TAKES[2] };
const TTL: Number = Number {
    key: "ttl",
    label: text("Cached for", "Cache trong"),
    hint: text("an answer that is not marked", "câu trả lời không đánh dấu"),
    min: 0,
    max: 300_000_000,
    ..LOAD_FOR
};
const PARTIAL_TTL: Number = Number {
    key: "partial_ttl",
    label: text("Cached for, if marked partial", "Cache trong, nếu có cờ partial"),
    hint: text("0: not at all", "0: không cache"),
    ..TTL
};
const READERS: Number =
    Number {
        key: "readers", label: text("Readers a second", "Người đọc mỗi giây"), max: 200, step: 1, ..LOAD_RATE
    };

fn shape(shape: Shape) -> Opt {
    let (key, label) = match shape {
        Shape::Fan => ("fan", text("API: A, then B and C", "API: A, rồi B và C")),
        Shape::Chain => ("chain", text("BFF, service, database", "BFF, service, database")),
        Shape::Route => ("route", text("A gateway that retries (Envoy)", "Gateway có retry (Envoy)")),
    };
    Opt { key, label, hint: same("") }
}

/// The option of what goes with a call.
pub fn carry(carry: Carry) -> Opt {
    let (key, label) = match carry {
        Carry::Nothing => ("none", text("Nothing", "Không gửi")),
        Carry::Absolute => ("absolute", text("A moment (x-request-deadline)", "Thời điểm (x-request-deadline)")),
        Carry::Relative => ("relative", text("Time left (grpc-timeout)", "Thời gian còn lại (grpc-timeout)")),
    };
    Opt { key, label, hint: same("") }
}

fn db_stop(stop: DbStop) -> Opt {
    let (key, label) = match stop {
        DbStop::Nothing => ("nothing", text("Nothing", "Không gì cả")),
        DbStop::Fixed => ("fixed", text("A fixed statement_timeout", "statement_timeout cố định")),
        DbStop::Left => ("left", text("statement_timeout = time left", "statement_timeout = thời gian còn lại")),
        DbStop::Cancel => ("cancel", text("The caller cancels it", "Caller huỷ query")),
    };
    Opt { key, label, hint: same("") }
}

fn way(way: Way) -> Opt {
    let (key, label) = match way {
        Way::Ahead => ("ahead", text("Ahead", "Nhanh")),
        Way::Behind => ("behind", text("Behind", "Chậm")),
    };
    Opt { key, label, hint: same("") }
}

/// All that can go with a call.
pub const CARRIES: [Carry; 3] = [Carry::Nothing, Carry::Absolute, Carry::Relative];

impl Knobs for Deadline {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let (fan, chain, route) = (self.shape == Shape::Fan, self.shape == Shape::Chain, self.shape == Shape::Route);
        v.group(text("The request", "Request"), false);
        pick(v, &SHAPE, &[Shape::Fan, Shape::Chain, Shape::Route], shape, &mut self.shape);
        v.when(!route);
        span(v, &TIME, &mut self.total);
        v.when(fan);
        TAKES.iter().zip(&mut self.takes).for_each(|(spec, value)| span(v, spec, value));
        v.when(chain);
        span(v, &QUERY, &mut self.query);
        v.when(route);
        span(v, &ROUTE, &mut self.route);
        span(v, &PER_TRY, &mut self.per_try);
        v.number(&RETRIES, &mut self.retries);
        span(v, &ANSWER, &mut self.answer);
        v.when(true);
        v.group(text("Who is told", "Ai được báo"), false);
        pick(v, &CARRY, &CARRIES, carry, &mut self.carry);
        v.switch(&HEARS, &mut self.hears);
        v.when(fan);
        v.switch(&DB, &mut self.db);
        v.when(chain || fan && self.db);
        let stops = [DbStop::Nothing, DbStop::Fixed, DbStop::Left, DbStop::Cancel];
        pick(v, &DB_STOP, &stops, db_stop, &mut self.db_stop);
        v.when((chain || fan && self.db) && self.db_stop == DbStop::Fixed);
        span(v, &STATEMENT, &mut self.statement);
        v.when(true);
        v.group(text("More: timeouts", "Thêm: timeout"), true);
        v.when(fan);
        LIMITS.iter().zip(&mut self.limits).for_each(|(spec, value)| span(v, spec, value));
        v.when(chain);
        span(v, &BFF, &mut self.bff);
        span(v, &SERVICE, &mut self.service);
        v.when(!route);
        v.switch(&WITHIN, &mut self.within);
        v.when(!route && self.within);
        span(v, &LEAST, &mut self.least);
        v.when(fan);
        v.switch(&OPTIONAL_B, &mut self.optional_b);
        v.switch(&OPTIONAL_C, &mut self.optional_c);
        v.switch(&FAIL_FAST, &mut self.fail_fast);
        v.when(route);
        v.switch(&RETRIED, &mut self.retried);
        v.when(route && self.retried);
        span(v, &BASE, &mut self.base);
        v.when(route);
        v.switch(&BROKEN, &mut self.broken);
        v.when(true);
        v.group(text("More: client, clocks, network", "Thêm: client, đồng hồ, mạng"), true);
        v.switch(&LEAVES, &mut self.leaves);
        v.when(self.leaves);
        span(v, &LEAVE_AT, &mut self.leave_at);
        v.when(true);
        span(v, &SKEW, &mut self.skew);
        pick(v, &SKEW_WAY, &[Way::Ahead, Way::Behind], way, &mut self.skew_way);
        span(v, &AWAY, &mut self.away);
        span(v, &CONNECT, &mut self.connect);
        v.group(text("More: many requests", "Thêm: nhiều request"), true);
        v.number(&LOAD_RATE, &mut self.load_rate);
        span(v, &LOAD_FOR, &mut self.load_for);
        v.when(self.load_retried());
        v.number(&LOAD_RETRIES, &mut self.load_retries);
        v.when(true);
        v.number(&LOAD_SLOTS, &mut self.load_slots);
        span(v, &LOAD_WORK, &mut self.load_work);
        v.group(text("More: the cache in front", "Thêm: cache phía trước"), true);
        v.when(fan);
        span(v, &SLOW_FOR, &mut self.slow_for);
        span(v, &C_WELL, &mut self.c_well);
        span(v, &TTL, &mut self.ttl);
        span(v, &PARTIAL_TTL, &mut self.partial_ttl);
        v.number(&READERS, &mut self.readers);
    }
}
