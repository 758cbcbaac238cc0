//! The knobs of this card.

use overload_chart::{same, text, units};
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::rate_limit::Rule;
use overload_sim::rate_limit::fleet::{Again, Away, Clock, Load, OnError, Setup};
use overload_sim::time::{Span, Time};

use super::REQUESTS;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// Instances that share a limit, a store that keeps it, and requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The rule.
    pub rule: Which,
    /// The burst, or the limit of a window or cycle.
    pub cap: u64,
    /// Tokens a second, in thousandths.
    pub rate: u64,
    /// The window.
    pub window: Span,
    /// resilience4j's cycle in nanoseconds, and how long a caller waits.
    pub period: u64,
    pub patience: Span,
    /// What a request costs.
    pub cost: u64,
    /// How requests come: in each burst so many,
    pub pattern: Pattern,
    pub requests: u64,
    /// from first to last,
    pub spread: Span,
    /// bursts, the first of them at, and one every.
    pub bursts: u64,
    pub first: Span,
    pub every: Span,
    /// Steadily: so many thousandths a second, for so long.
    pub offered: u64,
    pub length: Span,
    /// Instances.
    pub instances: u64,
    /// Where the state is; if in the instances, whether each has a share of the limit or all of it.
    pub place: Place,
    pub share: bool,
    /// Whether reading and writing are one command; if not, requests under way in an instance.
    pub atomic: bool,
    pub lanes: u64,
    /// Whose clock, and how far the instances' are apart.
    pub clock: Clock,
    pub skew: Span,
    /// The store: round trip, how it goes away, when, for how long.
    pub rtt: Span,
    pub away: Away,
    pub away_at: Span,
    pub away_for: Span,
    /// How long an instance waits for it, and what it does then.
    pub timeout: Span,
    pub on_error: OnError,
    /// What a refused client does.
    pub again: Comes,
    pub loops: Span,
    pub attempts: u64,
    /// Tenants, each with a limit of its own or not; the first one's share in percent, and how many times the limit it has.
    pub tenants: u64,
    pub keyed: bool,
    pub first_share: u64,
    pub times: u64,
}

/// A rule, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Bucket,
    Gcra,
    Sliding,
    Fixed,
    Cycles,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    Bursts,
    Even,
    Poisson,
}

/// Where the state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Store,
    Instances,
}

/// What a refused client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comes {
    Never,
    Told,
    Loops,
}

impl Default for Limits {
    /// Article 3: a bucket of 10 that gets 10 a second, three instances, 60 requests; the store answers, is paused, answers again.
    /// When the three rounds were is not told.
    fn default() -> Self {
        Limits {
            rule: Which::Bucket,
            cap: 10,
            rate: 10_000,
            window: Span::s(1),
            period: 1_000_000_000,
            patience: Span::s(5),
            cost: 1,
            pattern: Pattern::Bursts,
            requests: 60,
            spread: Span::ZERO,
            bursts: 3,
            first: Span::ZERO,
            every: Span::s(2),
            offered: 30_000,
            length: Span::s(10),
            instances: 3,
            place: Place::Store,
            share: false,
            atomic: true,
            lanes: 1,
            clock: Clock::Own,
            skew: Span::ZERO,
            rtt: Span::ms(1),
            away: Away::Paused,
            away_at: Span::s(1),
            away_for: Span::s(2),
            timeout: Span::ms(50),
            on_error: OnError::Local,
            again: Comes::Never,
            loops: Span::ms(100),
            attempts: 4,
            tenants: 1,
            keyed: true,
            first_share: 80,
            times: 1,
        }
    }
}

impl Limits {
    /// Whether there is a store.
    pub fn shared(&self) -> bool {
        self.place == Place::Store && self.rule != Which::Cycles
    }

    /// Whether the store goes away.
    pub fn fails(&self) -> bool {
        self.shared() && self.away_for > Span::ZERO
    }

    /// Whether the rule fills evenly, rather than by windows.
    pub fn fills(&self) -> bool {
        matches!(self.rule, Which::Bucket | Which::Gcra)
    }

    /// The first tenant's limit, where each has one, is so many times the others'.
    pub fn times(&self) -> u64 {
        if self.tenants > 1 && self.keyed { self.times } else { 1 }
    }

    /// The window that the limit speaks of; of a bucket the time in which all of it comes back. At least 1 µs.
    pub fn per(&self) -> Span {
        match self.rule {
            Which::Bucket | Which::Gcra => Span::us(self.cap * 1_000_000_000 / self.rate),
            Which::Sliding | Which::Fixed => self.window,
            Which::Cycles => Span::us(self.period.div_ceil(1_000)),
        }
    }

    /// Requests of the first key that the limit promises to let pass at most within any `width`: burst and rate, or the limit
    /// for each window begun.
    pub fn promised(&self, width: Span) -> f64 {
        let (cap, us) = (u128::from(self.cap), u128::from(width.as_us()));
        let nano = if self.fills() {
            cap * 1_000_000_000 + u128::from(self.rate) * us
        } else {
            cap * us.div_ceil(u128::from(self.per().as_us())).max(1) * 1_000_000_000
        };
        (nano * u128::from(self.times()) / (1_000_000_000 * u128::from(self.cost))) as f64
    }

    /// A rule of this kind with `times` times the limit, or where `parts` is more than 1 such a part of it.
    pub fn rule_of(&self, which: Which, times: u64, parts: u64) -> Rule {
        let of = |n: u64| n * times / parts;
        // A library takes no limit of 0.
        let least = |n: u64| of(n).max(1);
        // Who runs beside another rule has its limit: as many a window.
        let (per, whole) = (self.per(), self.cap as f64);
        match which {
            Which::Bucket => {
                let per_s = if self.fills() { self.rate as f64 / 1e3 } else { whole * 1e6 / per.as_us() as f64 };
                let (times, parts) = (times as f64, parts as f64);
                Rule::Bucket { cap: whole * times / parts, per_s: per_s * times / parts }
            }
            Which::Gcra => {
                let (ns, cells) =
                    if self.fills() { (1_000_000_000_000, self.rate) } else { (per.as_us() * 1_000, self.cap) };
                Rule::Gcra { burst: least(self.cap), cell: (ns * parts / (cells * times)).max(1) }
            }
            Which::Sliding => Rule::Sliding { limit: of(self.cap), window: per },
            Which::Fixed => Rule::Fixed { limit: of(self.cap), window: per },
            Which::Cycles => Rule::Cycles { limit: least(self.cap), period: self.period, patience: self.patience },
        }
    }

    /// The simulation's own words.
    pub fn setup(&self) -> Setup {
        let rule = |parts| [self.times(), 1].map(|times| self.rule_of(self.rule, times, parts));
        let parts = if self.shared() || self.share { self.instances } else { 1 };
        let rate = Rate::milli_per_s(self.offered);
        let steady = |arrivals| Load::Steady { arrivals, length: self.length };
        Setup {
            load: match self.pattern {
                Pattern::Bursts => Load::Bursts {
                    size: self.requests,
                    spread: self.spread,
                    first: self.first,
                    every: self.every,
                    bursts: self.bursts,
                },
                Pattern::Even => steady(Arrivals::Even { rate }),
                Pattern::Poisson => steady(Arrivals::Poisson { rate }),
            },
            instances: self.instances,
            tenants: self.tenants,
            first_ppm: self.first_share * 10_000,
            keyed: self.tenants > 1 && self.keyed,
            rules: rule(1),
            locals: rule(parts),
            shared: self.shared(),
            cost: self.cost,
            atomic: self.atomic,
            lanes: self.lanes,
            rtt: self.rtt,
            timeout: self.timeout,
            on_error: self.on_error,
            clock: if self.shared() { self.clock } else { Clock::Own },
            // Cycles are counted from the start of each process, by a clock that is nobody else's.
            skew: if self.instances > 1 && self.rule != Which::Cycles { self.skew } else { Span::ZERO },
            away_at: Time::ZERO + self.away_at,
            away_for: self.away_for,
            away: self.away,
            again: match self.again {
                Comes::Never => Again::Never,
                Comes::Told => Again::Told,
                Comes::Loops => Again::After(self.loops),
            },
            attempts: self.attempts,
        }
    }

    /// When the last request comes for the first time, at most.
    pub fn last(&self) -> Span {
        match self.pattern {
            Pattern::Bursts => self.first + self.every * (self.bursts - 1) + self.spread,
            _ => self.length,
        }
    }

    /// Requests in all, about.
    pub fn total(&self) -> u64 {
        match self.pattern {
            Pattern::Bursts => self.requests * self.bursts,
            _ => self.offered * self.length.as_us() / 1_000_000_000 + 1,
        }
    }
}

const CAP: Number = Number {
    key: "cap",
    label: text("Limit", "Giới hạn"),
    hint: text("the burst, or what a window holds", "burst, hoặc sức chứa của một cửa sổ"),
    unit: units::PLAIN,
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 1_000,
    step: 1,
    log: true,
};
const RULE: Choice = Choice { key: "rule", label: text("Algorithm", "Thuật toán"), hint: same("") };
const RATE: Number = Number {
    key: "rate",
    label: text("Refill", "Nạp lại"),
    hint: text("tokens a second", "token mỗi giây"),
    unit: units::PER_SECOND,
    per_unit: 1_000,
    kind: Kind::Rate,
    min: 100,
    max: 1_000_000,
    step: 1_000,
    ..CAP
};
const WINDOW: Number = Number {
    key: "window",
    label: text("Window", "Cửa sổ"),
    hint: same(""),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100_000,
    max: 60_000_000,
    step: 100_000,
    ..CAP
};
const PERIOD: Number = Number {
    key: "period",
    label: text("Refresh period", "Chu kỳ làm mới"),
    hint: text("by default 500 ns", "mặc định 500 ns"),
    per_unit: 1_000_000,
    min: 500,
    max: 60_000_000_000,
    step: 1,
    ..WINDOW
};
const PATIENCE: Number = Number {
    key: "patience",
    label: text("A caller waits up to", "Caller chờ tối đa"),
    hint: same("timeoutDuration"),
    min: 0,
    max: 60_000_000,
    ..WINDOW
};
const COST: Number = Number {
    key: "cost",
    label: text("A request costs", "Mỗi request tốn"),
    hint: text("tokens", "token"),
    max: 100,
    ..CAP
};
const PATTERN: Choice = Choice { key: "pattern", label: text("Requests come", "Request đến"), hint: same("") };
const COUNT: Number = Number {
    key: "requests",
    label: text("Requests in a burst", "Số request mỗi đợt"),
    hint: same(""),
    unit: REQUESTS,
    max: 2_000,
    ..CAP
};
const SPREAD: Number = Number {
    key: "spread",
    label: text("Spread over", "Rải trong"),
    hint: text("from the first to the last", "từ request đầu tới request cuối"),
    min: 0,
    step: 10_000,
    ..WINDOW
};
const BURSTS: Number =
    Number { key: "bursts", label: text("Bursts", "Số đợt"), hint: same(""), max: 10, log: false, ..CAP };
const FIRST: Number =
    Number {
        key: "first", label: text("The first at", "Đợt đầu lúc"), hint: same(""), min: 0, step: 10_000, ..WINDOW
    };
const EVERY: Number = Number {
    key: "every",
    label: text("From one to the next", "Đợt này cách đợt sau"),
    min: 1_000,
    step: 10_000,
    ..WINDOW
};
const OFFERED: Number = Number { key: "offered", label: text("Offered", "Offered load"), hint: same(""), ..RATE };
const LENGTH: Number = Number { key: "length", label: text("For", "Trong"), min: 1_000_000, step: 1_000_000, ..WINDOW };
const INSTANCES: Number = Number {
    key: "instances",
    label: text("Instances", "Số instance"),
    hint: text("they take turns", "lần lượt nhận request"),
    max: 50,
    ..CAP
};
const PLACE: Choice =
    Choice { key: "place", label: text("The count is kept", "Số đếm nằm ở"), hint: same("") };
const SHARE: Switch = Switch {
    key: "share",
    label: text("Each has only its share", "Mỗi instance chỉ có phần của mình"),
    hint: text("off: each has the whole limit", "tắt: mỗi instance dùng cả giới hạn"),
};
const ATOMIC: Switch = Switch {
    key: "atomic",
    label: text("Atomic", "Atomic"),
    hint: text("one script; off: read, then write", "một script; tắt: đọc rồi ghi"),
};
const LANES: Number = Number {
    key: "lanes",
    label: text("Under way in an instance", "Đang xử lý trong một instance"),
    hint: text("requests at a time", "số request cùng lúc"),
    max: 64,
    ..CAP
};
const CLOCK: Choice = Choice { key: "clock", label: text("Time is", "Giờ lấy từ"), hint: same("") };
const SKEW: Number = Number {
    key: "skew",
    label: text("Clocks differ by", "Đồng hồ lệch nhau"),
    hint: text("first to last instance", "instance đầu so với cuối"),
    min: 0,
    max: 2_000_000,
    step: 50_000,
    log: false,
    ..WINDOW
};
const RTT: Number = Number {
    key: "rtt",
    label: text("Store: round trip", "Store: round trip"),
    min: 100,
    max: 200_000,
    step: 1_000,
    ..WINDOW
};
const AWAY: Choice =
    Choice { key: "away", label: text("While away, commands", "Khi store không trả lời, lệnh"), hint: same("") };
const AWAY_AT: Number = Number {
    key: "away_at",
    label: text("The store goes away at", "Store ngừng trả lời lúc"),
    min: 0,
    step: 500_000,
    log: false,
    ..WINDOW
};
const AWAY_FOR: Number = Number {
    key: "away_for",
    label: text("Stays away for", "Ngừng trong"),
    hint: text("0: it never fails", "0: không bao giờ lỗi"),
    ..AWAY_AT
};
const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("An instance waits for it", "Instance chờ store tối đa"),
    min: 1_000,
    max: 5_000_000,
    step: 5_000,
    ..WINDOW
};
const ON_ERROR: Choice =
    Choice { key: "on_error", label: text("Without an answer", "Không có trả lời thì"), hint: same("") };
const AGAIN: Choice = Choice { key: "again", label: text("A refused client", "Client bị 429"), hint: same("") };
const LOOPS: Number =
    Number {
        key: "loops", label: text("It comes again after", "Nó gọi lại sau"), min: 1_000, step: 10_000, ..WINDOW
    };
const ATTEMPTS: Number =
    Number {
        key: "attempts", label: text("Attempts at most", "Số lần thử tối đa"), hint: same(""), max: 10, ..BURSTS
    };
const TENANTS: Number = Number { key: "tenants", label: text("Tenants", "Số tenant"), max: 10, ..BURSTS };
const KEYED: Switch = Switch {
    key: "keyed",
    label: text("A limit for each tenant", "Mỗi tenant một giới hạn"),
    hint: text("off: one for all", "tắt: chung một giới hạn"),
};
const FIRST_SHARE: Number = Number {
    key: "first_share",
    label: text("The first one’s share", "Phần của tenant đầu"),
    hint: text("of all requests", "trong tổng số request"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    max: 99,
    ..BURSTS
};
const TIMES: Number = Number {
    key: "times",
    label: text("Its limit, times the others’", "Giới hạn của nó gấp"),
    hint: same(""),
    max: 20,
    ..BURSTS
};

impl Which {
    pub const ALL: [Which; 5] = [Which::Bucket, Which::Gcra, Which::Sliding, Which::Fixed, Which::Cycles];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Which::Bucket => {
                ("bucket", text("Token bucket", "Token bucket"), text("the article’s Lua script", "script Lua của bài"))
            }
            Which::Gcra => ("gcra", same("GCRA"), same("governor")),
            Which::Sliding => ("sliding", text("Sliding window counter", "Sliding window counter"), same("")),
            Which::Fixed => ("fixed", same("Fixed window"), same("")),
            Which::Cycles => (
                "resilience4j",
                text("resilience4j’s RateLimiter", "RateLimiter của resilience4j"),
                text("in each process; callers wait", "trong từng process; caller chờ"),
            ),
        };
        Opt { key, label, hint }
    }
}

fn plain(key: &'static str, label: overload_chart::Text) -> Opt {
    Opt { key, label, hint: same("") }
}

fn pattern(one: Pattern) -> Opt {
    match one {
        Pattern::Bursts => plain("bursts", text("In bursts", "Theo đợt")),
        Pattern::Even => plain("even", text("Evenly", "Đều đặn")),
        Pattern::Poisson => plain("poisson", text("At random (Poisson)", "Ngẫu nhiên (Poisson)")),
    }
}

fn place(one: Place) -> Opt {
    match one {
        Place::Store => plain("store", text("In a shared store", "Store chung")),
        Place::Instances => plain("instances", text("In each instance", "Từng instance")),
    }
}

fn clock(one: Clock) -> Opt {
    match one {
        Clock::Own => plain("own", text("Each instance’s own", "Từng instance")),
        Clock::OwnMs => plain("own_ms", text("Its own in whole ms (Date.now)", "Từng instance, ms nguyên (Date.now)")),
        Clock::Store => plain("store", text("The store’s (TIME)", "Store (TIME)")),
    }
}

fn away(one: Away) -> Opt {
    match one {
        Away::Paused => plain("paused", text("Wait, and run later", "Nằm chờ, chạy sau")),
        Away::Dead => plain("dead", text("Are lost", "Bị mất")),
    }
}

fn on_error(one: OnError) -> Opt {
    match one {
        OnError::Local => plain("local", text("Fail-open, with a local share", "Fail-open, có limit cục bộ")),
        OnError::Open => plain("open", text("Fail-open, unlimited", "Fail-open, không giới hạn")),
        OnError::Closed => plain("closed", text("Fail-closed", "Fail-closed")),
    }
}

fn comes(one: Comes) -> Opt {
    match one {
        Comes::Never => plain("never", text("Goes away", "Bỏ đi")),
        Comes::Told => plain("told", text("Heeds Retry-After", "Theo Retry-After")),
        Comes::Loops => plain("loops", text("Ignores Retry-After", "Không theo Retry-After")),
    }
}

impl Knobs for Limits {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let (shared, fails) = (self.shared(), self.fails());
        let (fills, cycles) = (self.fills(), self.rule == Which::Cycles);
        let bursts = self.pattern == Pattern::Bursts;
        v.group(text("The limit", "Giới hạn"), false);
        pick(v, &RULE, &Which::ALL, Which::opt, &mut self.rule);
        v.number(&CAP, &mut self.cap);
        v.when(fills);
        v.number(&RATE, &mut self.rate);
        v.when(!fills && !cycles);
        span(v, &WINDOW, &mut self.window);
        v.when(cycles);
        v.number(&PERIOD, &mut self.period);
        span(v, &PATIENCE, &mut self.patience);
        v.group(text("Requests", "Request"), false);
        pick(v, &PATTERN, &[Pattern::Bursts, Pattern::Even, Pattern::Poisson], pattern, &mut self.pattern);
        v.when(bursts);
        v.number(&COUNT, &mut self.requests);
        span(v, &SPREAD, &mut self.spread);
        v.when(!bursts);
        v.number(&OFFERED, &mut self.offered);
        v.group(text("Instances and store", "Instance và store"), false);
        v.number(&INSTANCES, &mut self.instances);
        v.when(!cycles);
        pick(v, &PLACE, &[Place::Store, Place::Instances], place, &mut self.place);
        v.when(!shared);
        v.switch(&SHARE, &mut self.share);
        v.when(shared);
        v.switch(&ATOMIC, &mut self.atomic);
        v.when(shared && !self.atomic);
        v.number(&LANES, &mut self.lanes);
        v.when(shared);
        pick(v, &ON_ERROR, &[OnError::Local, OnError::Open, OnError::Closed], on_error, &mut self.on_error);
        span(v, &AWAY_FOR, &mut self.away_for);
        v.group(text("More: the store’s fault, clocks", "Thêm: sự cố của store, đồng hồ"), true);
        v.when(fails);
        span(v, &AWAY_AT, &mut self.away_at);
        pick(v, &AWAY, &[Away::Paused, Away::Dead], away, &mut self.away);
        v.when(shared);
        span(v, &TIMEOUT, &mut self.timeout);
        span(v, &RTT, &mut self.rtt);
        pick(v, &CLOCK, &[Clock::Own, Clock::OwnMs, Clock::Store], clock, &mut self.clock);
        v.when(self.instances > 1 && !cycles);
        span(v, &SKEW, &mut self.skew);
        v.group(text("More: when requests come, what they cost", "Thêm: request đến khi nào, tốn bao nhiêu"), true);
        v.number(&COST, &mut self.cost);
        v.when(bursts);
        v.number(&BURSTS, &mut self.bursts);
        span(v, &FIRST, &mut self.first);
        v.when(bursts && self.bursts > 1);
        span(v, &EVERY, &mut self.every);
        v.when(!bursts);
        span(v, &LENGTH, &mut self.length);
        v.group(text("More: after a 429", "Thêm: sau 429"), true);
        pick(v, &AGAIN, &[Comes::Never, Comes::Told, Comes::Loops], comes, &mut self.again);
        v.when(self.again == Comes::Loops);
        span(v, &LOOPS, &mut self.loops);
        v.when(self.again != Comes::Never);
        v.number(&ATTEMPTS, &mut self.attempts);
        v.group(text("More: tenants", "Thêm: tenant"), true);
        v.number(&TENANTS, &mut self.tenants);
        v.when(self.tenants > 1);
        v.number(&FIRST_SHARE, &mut self.first_share);
        v.switch(&KEYED, &mut self.keyed);
        v.when(self.tenants > 1 && self.keyed);
        v.number(&TIMES, &mut self.times);
        v.when(true);
    }
}
