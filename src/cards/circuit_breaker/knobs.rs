//! The knobs of this card.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::breaker::cockatiel::{self, Cockatiel};
use overload_sim::breaker::envoy::{self, Envoy};
use overload_sim::breaker::gobreaker::{self, Gobreaker, Trip};
use overload_sim::breaker::hystrix::{self, Hystrix};
use overload_sim::breaker::opossum::{self, Opossum};
use overload_sim::breaker::polly::{self, Polly};
use overload_sim::breaker::resilience4j::{self, Resilience4j};
use overload_sim::breaker::textbook::{self, Textbook};
use overload_sim::breaker::{Breaker, Percent};
use overload_sim::time::{Span, Time};

use super::HOSTS as HOST_COUNT;
use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// The breaker, the calls, the dependency, the fallback.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitBreaker {
    /// Whose rules.
    pub library: Library,
    /// How long a call may take before its caller gives up; zero: for ever.
    pub timeout: Span,
    /// cockatiel: which of its rules.
    pub rule: Rule,
    /// gobreaker: its own rule, or a failure rate.
    pub ready: Ready,
    /// Rules that count failures in a row: how many.
    pub consecutive: u64,
    /// The failure rate at which it opens, in hundredths of a percent.
    pub threshold: u64,
    /// With fewer calls in the window it stays closed.
    pub volume: u64,
    /// How long it stays open.
    pub reset: Span,

    /// What resilience4j takes its rates over.
    pub window_kind: WindowKind,
    /// Length of a window of time.
    pub window: Span,
    /// Length of a window of calls.
    pub window_calls: u64,
    /// In how many pieces opossum forgets its window.
    pub buckets: u64,
    /// cockatiel: results a second below which a rate over time does not count, in thousandths; zero: its own guess.
    pub min_rate: u64,
    /// Calls let through while half-open: resilience4j.
    pub probes: u64,
    /// The same for gobreaker and cockatiel, which begin with one.
    pub trials: u64,
    /// cockatiel: more than this share of the trials failed opens it again, in hundredths of a percent.
    pub trial_threshold: u64,
    /// gobreaker: how often a closed circuit forgets its counts; zero: never.
    pub clear_every: Span,
    /// gobreaker: in how many pieces; one: all at once.
    pub pieces: u64,
    /// Hystrix: how often it looks at its window.
    pub snapshot: Span,
    /// Hystrix: threads; zero: as many as calls come.
    pub pool: u64,
    /// resilience4j: a call is slow if it took longer than this.
    pub slow_over: Span,
    /// resilience4j: the slow-call rate at which it opens, in hundredths of a percent.
    pub slow_threshold: u64,
    /// resilience4j: how long it may stay half-open; zero: for ever.
    pub half_open_wait: Span,
    /// opossum: calls under way at most; zero: as many as come.
    pub capacity: u64,
    /// opossum: does not open during its first window.
    pub warm_up: bool,
    /// Which errors do not count.
    pub filter: Filter,

    /// Envoy: hosts of the cluster, which answer in turn.
    pub hosts: u64,
    /// Envoy: how many of them the fault is in.
    pub bad_hosts: u64,
    /// Envoy: how long a host's first ejection lasts.
    pub ejection_time: Span,
    /// Envoy: how often hosts are put back.
    pub interval: Span,
    /// Envoy: of the hosts, how many may be out, in percent.
    pub max_ejection: u64,
    /// Envoy: with a smaller percentage in rotation calls go to all hosts.
    pub panic: u64,
    /// Envoy: the first ejection is always allowed.
    pub always_one: bool,

    /// How calls come.
    pub traffic: Traffic,
    /// One after the other: calls before the fault.
    pub before: u64,
    /// One after the other: calls during the fault.
    pub calls: u64,
    /// One after the other: pause between the fault and the trial.
    pub rest: Span,
    /// One after the other: calls after the pause.
    pub after: u64,
    /// By the clock: requests a second, in thousandths.
    pub rate: u64,
    /// By the clock: for how long requests come.
    pub length: Span,
    /// By the clock: when the fault begins.
    pub fault_at: Span,
    /// By the clock: how long it lasts.
    pub fault_for: Span,

    /// How long a call takes, good or bad.
    pub call: Span,
    /// What is wrong with the dependency during the fault.
    pub fault: Fault,
    /// How long a slow call takes.
    pub slow: Span,
    /// The share of calls that the fault hits, in hundredths of a percent.
    pub share: u64,

    /// What a caller gets instead.
    pub fallback: Fallback,
    /// How old a stale price may be.
    pub ttl: Span,
    /// Whether there is a last good price at the start.
    pub warm_cache: bool,
    /// Calls a second that the remote fallback can answer.
    pub remote_rate: u64,

    /// Attempts a request may make, the first one included.
    pub attempts: u64,
    /// Where the retry sits.
    pub retry: Retry,
    /// The wait before a retry.
    pub retry_wait: Span,
    /// Whether a call that the breaker rejected is tried again.
    pub retry_rejected: bool,
}

/// Whose rules the breaker follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// opossum 10.
    Opossum,
    /// resilience4j 2.3.
    Resilience4j,
    /// Polly 8.
    Polly,
    /// Hystrix 1.5.
    Hystrix,
    /// gobreaker 2.
    Gobreaker,
    /// cockatiel 4.
    Cockatiel,
    /// Envoy's outlier detection.
    Envoy,
    /// The breaker as the article's text describes it.
    Textbook,
}

/// What opens cockatiel's circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `ConsecutiveBreaker`.
    Consecutive,
    /// `CountBreaker`.
    Count,
    /// `SamplingBreaker`.
    Sampling,
}

/// gobreaker's `ReadyToTrip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// Its own: failures in a row.
    Consecutive,
    /// The README's: a failure rate, from so many requests on.
    Ratio,
}

/// What resilience4j takes its rates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    /// The last so many results.
    Calls,
    /// The last so many seconds.
    Time,
}

/// Which errors do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All count.
    Nothing,
    /// 400 to 499 do not, as in the article's program.
    All4xx,
    /// 400 to 499 do not, except 429, as the article's text recommends.
    Keep429,
}

/// How calls come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Each when the one before has been answered: the article's program.
    Sequential,
    /// Evenly, whether or not the last one has been answered.
    Even,
    /// At random moments.
    Poisson,
}

/// What is wrong with the dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It answers 503, or refuses the connection.
    Errors,
    /// It answers well, but slowly.
    Slow,
    /// It answers 404: the callers ask for what is not there.
    NotFound,
    /// It answers 429: too many requests.
    TooMany,
}

/// What a caller gets instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The last good price, marked as stale, while it is not too old.
    Stale,
    /// Nothing: the feature is hidden.
    Hide,
    /// A clear error.
    Error,
    /// Another service's answer, if that one keeps up.
    Remote,
}

/// Where the retry sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Around the breaker: each attempt asks it.
    Outside,
    /// Within: the breaker sees one call and its last result.
    Inside,
}

impl Default for CircuitBreaker {
    /// Article 1, card 019: the outage, under the reading that gives its figures (one success before, volume 5).
    fn default() -> Self {
        CircuitBreaker {
            library: Library::Opossum,
            timeout: Span::ms(1_200),
            rule: Rule::Consecutive,
            ready: Ready::Consecutive,
            consecutive: 5,
            threshold: 5_000,
            volume: 5,
            reset: Span::s(1),
            window_kind: WindowKind::Calls,
            window: Span::s(10),
            window_calls: 100,
            buckets: 10,
            min_rate: 0,
            probes: 10,
            trials: 1,
            trial_threshold: 0,
            clear_every: Span::ZERO,
            pieces: 1,
            snapshot: Span::ms(500),
            pool: 10,
            slow_over: Span::s(60),
            slow_threshold: 10_000,
            half_open_wait: Span::ZERO,
            capacity: 0,
            warm_up: false,
            filter: Filter::All4xx,
            hosts: 10,
            bad_hosts: 1,
            ejection_time: Span::s(30),
            interval: Span::s(10),
            max_ejection: 10,
            panic: 50,
            always_one: false,
            traffic: Traffic::Sequential,
            before: 1,
            calls: 30,
            rest: Span::ms(1_100),
            after: 1,
            rate: 20_000,
            length: Span::s(30),
            fault_at: Span::s(5),
            fault_for: Span::s(10),
            call: Span::ms(20),
            fault: Fault::Errors,
            slow: Span::s(5),
            share: 10_000,
            fallback: Fallback::Stale,
            ttl: Span::s(300),
            warm_cache: true,
            remote_rate: 10,
            attempts: 1,
            retry: Retry::Outside,
            retry_wait: Span::ms(100),
            retry_rejected: false,
        }
    }
}

impl CircuitBreaker {
    /// A breaker with these knobs.
    pub fn breaker(&self) -> Box<dyn Breaker> {
        let threshold = Percent::hundredths(self.threshold as u32);
        match self.library {
            Library::Opossum => Box::new(Opossum::new(opossum::Options {
                threshold,
                volume: self.volume,
                window: self.window,
                buckets: self.buckets as u32,
                reset: self.reset,
                capacity: if self.capacity == 0 { u64::MAX } else { self.capacity },
                warm_up: self.warm_up,
                timeout: self.patience(),
            })),
            Library::Resilience4j => Box::new(Resilience4j::new(resilience4j::Config {
                threshold,
                slow_threshold: Percent::hundredths(self.slow_threshold as u32),
                slow_over: self.slow_over,
                window: match self.window_kind {
                    WindowKind::Calls => resilience4j::Window::Calls(self.window_calls as u32),
                    WindowKind::Time => resilience4j::Window::Seconds((self.window.as_us() / 1_000_000).max(1) as u32),
                },
                minimum: self.volume.max(1),
                permitted: self.probes as u32,
                wait: self.reset,
                half_open_wait: self.half_open_wait,
                ..resilience4j::Config::DEFAULT
            })),
            Library::Polly => Box::new(Polly::new(polly::Options {
                threshold,
                minimum: self.volume,
                window: self.window,
                open: self.reset,
            })),
            Library::Hystrix => Box::new(Hystrix::new(hystrix::Properties {
                threshold,
                volume: self.volume,
                sleep: self.reset,
                window: self.window,
                snapshot: self.snapshot,
                pool: if self.pool == 0 { u64::MAX } else { self.pool },
            })),
            Library::Gobreaker => Box::new(Gobreaker::new(gobreaker::Settings {
                probes: self.trials as u32,
                interval: self.clear_every,
                // One piece is the library's fixed interval, without a `BucketPeriod`.
                bucket: if self.pieces > 1 { (self.clear_every / self.pieces).max(Span::us(1)) } else { Span::ZERO },
                open: self.reset,
                trip: match self.ready {
                    Ready::Consecutive => Trip::Consecutive(self.consecutive as u32),
                    Ready::Ratio => Trip::Ratio(threshold, self.volume),
                },
            })),
            Library::Cockatiel => Box::new(Cockatiel::new(cockatiel::Options {
                rule: match self.rule {
                    Rule::Consecutive => cockatiel::Rule::Consecutive(self.consecutive as u32),
                    Rule::Count => {
                        let size = self.window_calls as u32;
                        cockatiel::Rule::Count { threshold, size, minimum: self.minimum() }
                    }
                    Rule::Sampling => cockatiel::Rule::Sampling {
                        // The library refuses 0, of which there would have to be infinitely many results.
                        threshold: threshold.max(Percent::hundredths(1)),
                        duration: self.window,
                        minimum_rate: Some(self.min_rate).filter(|&rate| rate > 0),
                    },
                },
                open: self.reset,
                probes: self.trials as u32,
                probe_threshold: Percent::hundredths(self.trial_threshold as u32),
                ..cockatiel::Options::README
            })),
            Library::Envoy => Box::new(Envoy::new(envoy::Config {
                hosts: self.hosts as u32,
                consecutive_5xx: self.consecutive as u32,
                interval: self.interval,
                base_ejection_time: self.ejection_time,
                max_ejection_time: envoy::Config::DEFAULT.max_ejection_time.max(self.ejection_time),
                max_ejection_percent: self.max_ejection as u32,
                always_eject_one_host: self.always_one,
                panic_threshold: self.panic as u32,
                ..envoy::Config::DEFAULT
            })),
            Library::Textbook => Box::new(Textbook::new(textbook::Rule {
                threshold,
                strict: true,
                minimum: self.volume,
                window: textbook::Window::Last(self.window),
                open: self.reset,
                probes: 1,
                successes: 1,
            })),
        }
    }

    /// Whether the rule counts failures in a row, not a rate.
    pub fn in_a_row(&self) -> bool {
        match self.library {
            Library::Gobreaker => self.ready == Ready::Consecutive,
            Library::Cockatiel => self.rule == Rule::Consecutive,
            library => library == Library::Envoy,
        }
    }

    /// How many failures in a row it takes.
    pub fn row(&self) -> u64 {
        // gobreaker wants more than the number it is given.
        self.consecutive + u64::from(self.library == Library::Gobreaker)
    }

    /// Whether the rate must be above the threshold; else reaching it is enough.
    pub fn strict(&self) -> bool {
        matches!(self.library, Library::Opossum | Library::Cockatiel | Library::Textbook)
    }

    /// With fewer results in the window the rate does not count.
    pub fn minimum(&self) -> u64 {
        match (self.library, self.rule) {
            // The library refuses more than its window holds.
            (Library::Cockatiel, Rule::Count) => self.volume.clamp(1, self.window_calls),
            (Library::Cockatiel, Rule::Sampling) => self.breaker().gauge(Time::ZERO).minimum,
            _ => self.volume,
        }
    }

    /// Whether the fault is in this host; where there is only one, it is.
    pub fn ails(&self, host: u32) -> bool {
        self.library != Library::Envoy || u64::from(host) < self.bad_hosts
    }

    /// Which errors do not count; to Envoy no 4xx does.
    pub fn filter(&self) -> Filter {
        if self.library == Library::Envoy { Filter::All4xx } else { self.filter }
    }

    /// How long a caller waits for a call; `None`: for ever.
    pub fn patience(&self) -> Option<Span> {
        Some(self.timeout).filter(|&t| t > Span::ZERO)
    }

    /// Requests a second.
    pub fn rate(&self) -> Rate {
        Rate::milli_per_s(self.rate)
    }

    /// About how many requests there are.
    pub fn requests(&self) -> u64 {
        match self.traffic {
            Traffic::Sequential => self.before + self.calls + self.after,
            Traffic::Even | Traffic::Poisson => {
                (u128::from(self.rate) * u128::from(self.length.as_us()) / 1_000_000_000) as u64
            }
        }
    }
}

const TIMES: Unit = Unit::counted("calls", text("calls", "call"), "call", 0);
const TIMEOUT: Number = Number {
    key: "timeout",
    label: same("Timeout"),
    hint: text("of one call; 0: none", "của một call; 0: không có"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 0,
    max: 60_000_000,
    step: 100_000,
    log: false,
};
const THRESHOLD: Number = Number {
    key: "threshold",
    label: text("Error threshold", "Ngưỡng lỗi"),
    hint: text("failure rate that opens it", "tỉ lệ lỗi làm mở mạch"),
    unit: units::PERCENT,
    per_unit: 100,
    kind: Kind::Ratio,
    min: 0,
    max: 10_000,
    step: 500,
    log: false,
};
const VOLUME: Number = Number {
    key: "volume",
    label: text("Volume threshold", "Ngưỡng số call"),
    hint: text("fewer calls in the window never open it", "ít call hơn trong cửa sổ thì không mở"),
    unit: TIMES,
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 1_000,
    step: 1,
    log: false,
};
const RESET: Number = Number {
    key: "reset",
    label: text("Open for", "Mở trong"),
    hint: text("before a trial is let through", "trước khi cho gọi thử"),
    min: 10_000,
    max: 120_000_000,
    log: true,
    ..TIMEOUT
};
const WINDOW: Number = Number {
    key: "window",
    label: text("Rolling window", "Cửa sổ trượt"),
    hint: text("in which calls are counted", "khoảng thời gian để đếm call"),
    min: 100_000,
    max: 120_000_000,
    log: true,
    ..TIMEOUT
};
const WINDOW_CALLS: Number = Number {
    key: "window_calls",
    label: text("Window size", "Cỡ cửa sổ"),
    hint: text("the last so many results", "chừng ấy kết quả gần nhất"),
    min: 1,
    max: 10_000,
    log: true,
    ..VOLUME
};
const BUCKETS: Number = Number {
    key: "buckets",
    label: text("Buckets", "Số ngăn"),
    hint: text("the window is forgotten in such pieces", "cửa sổ bị quên từng ngăn một"),
    unit: units::PLAIN,
    min: 1,
    max: 100,
    ..VOLUME
};
const PROBES: Number = Number {
    key: "probes",
    label: text("Half-open calls", "Call khi half-open"),
    hint: text("let through before it decides", "được cho qua trước khi quyết định"),
    min: 1,
    max: 10_000,
    log: true,
    ..VOLUME
};
const SLOW_OVER: Number = Number {
    key: "slow_over",
    label: text("Slow call is over", "Call chậm là trên"),
    hint: text("a call that took longer counts as slow", "call lâu hơn mức này tính là chậm"),
    min: 1_000,
    max: 60_000_000,
    log: true,
    ..TIMEOUT
};
const SLOW_THRESHOLD: Number = Number {
    key: "slow_threshold",
    label: text("Slow-call threshold", "Ngưỡng call chậm"),
    hint: text("slow-call rate that opens it", "tỉ lệ call chậm làm mở mạch"),
    min: 100,
    ..THRESHOLD
};
const CONSECUTIVE: Number = Number {
    key: "consecutive",
    label: text("Failures in a row", "Lỗi liên tiếp"),
    hint: text("open it; gobreaker wants one more", "thì mở; gobreaker cần thêm một"),
    min: 1,
    max: 1_000,
    log: true,
    ..VOLUME
};
const MIN_RATE: Number = Number {
    key: "min_rate",
    label: text("Fewest results a second", "Ít nhất mỗi giây"),
    hint: text("for the rate to count; 0: its own guess", "thì tỉ lệ mới tính; 0: nó tự đoán"),
    min: 0,
    max: 1_000_000,
    ..RATE
};
const TRIALS: Number =
    Number {
        key: "trials", hint: text("in all, before it closes", "tổng cộng, trước khi đóng"), max: 1_000, ..PROBES
    };
const TRIAL_THRESHOLD: Number = Number {
    key: "trial_threshold",
    label: text("Failed trials allowed", "Tỉ lệ thử hỏng cho phép"),
    hint: text("more open it again", "hơn thì mở lại"),
    max: 9_900,
    ..THRESHOLD
};
const CLEAR_EVERY: Number = Number {
    key: "clear_every",
    label: text("Counts are cleared every", "Xoá số đếm mỗi"),
    hint: text("while closed; 0: never", "khi đang đóng; 0: không bao giờ"),
    max: 120_000_000,
    ..TIMEOUT
};
const PIECES: Number = Number {
    key: "pieces",
    label: text("In pieces", "Chia làm mấy đoạn"),
    hint: text("forgotten one by one; 1: all at once", "quên từng đoạn; 1: quên hết một lượt"),
    ..BUCKETS
};
const SNAPSHOT: Number = Number {
    key: "snapshot",
    label: text("Health snapshot every", "Chụp tình trạng mỗi"),
    hint: text("it opens at no other moment", "chỉ mở đúng lúc đó"),
    min: 100_000,
    max: 10_000_000,
    log: true,
    ..TIMEOUT
};
const POOL: Number = Number {
    key: "pool",
    label: text("Threads", "Số thread"),
    hint: text("a full pool is an error; 0: no limit", "hết thread là một lỗi; 0: không giới hạn"),
    unit: units::PLAIN,
    ..VOLUME
};
const HOSTS: Number = Number {
    key: "hosts",
    label: text("Hosts", "Số host"),
    hint: text("of the dependency, called in turn", "của dependency, gọi lần lượt"),
    unit: HOST_COUNT,
    min: 1,
    max: 100,
    ..VOLUME
};
const BAD_HOSTS: Number = Number {
    key: "bad_hosts",
    label: text("Hosts with the fault", "Host bị sự cố"),
    hint: text("the others are well", "các host khác vẫn khoẻ"),
    min: 0,
    ..HOSTS
};
const EJECTION_TIME: Number = Number {
    key: "ejection_time",
    label: text("Base ejection time", "Thời gian loại cơ bản"),
    hint: text("times the ejections so far", "nhân với số lần đã bị loại"),
    ..RESET
};
const INTERVAL: Number = Number {
    key: "interval",
    label: text("Interval", "Chu kỳ quét"),
    hint: text("hosts come back only at its ticks", "host chỉ quay lại đúng các nhịp này"),
    ..WINDOW
};
const MAX_EJECTION: Number = Number {
    key: "max_ejection",
    label: text("Ejected at most", "Loại tối đa"),
    hint: text("of the hosts", "trong số host"),
    per_unit: 1,
    max: 100,
    step: 5,
    ..THRESHOLD
};
const PANIC: Number = Number {
    key: "panic",
    label: text("Panic threshold", "Ngưỡng panic"),
    hint: text("fewer in rotation: calls go to all hosts; 0: off", "còn ít hơn: gọi tới mọi host; 0: tắt"),
    ..MAX_EJECTION
};
const ALWAYS_ONE: Switch = Switch {
    key: "always_one",
    label: text("Always eject one host", "Luôn loại được một host"),
    hint: text("whatever the percentage says", "bất kể tỉ lệ"),
};
const HALF_OPEN_WAIT: Number = Number {
    key: "half_open_wait",
    label: text("Half-open at most", "Half-open tối đa"),
    hint: text("then it opens again; 0: no limit", "quá thì mở lại; 0: không giới hạn"),
    ..TIMEOUT
};
const CAPACITY: Number = Number {
    key: "capacity",
    label: text("Capacity", "Sức chứa"),
    hint: text("calls under way at most; 0: no limit", "số call đang chạy tối đa; 0: không giới hạn"),
    ..VOLUME
};
const BEFORE: Number = Number {
    key: "before",
    label: text("Successes before", "Thành công trước đó"),
    hint: text("calls before the fault", "số call trước sự cố"),
    max: 10_000,
    ..VOLUME
};
const CALLS: Number = Number {
    key: "calls",
    label: text("Calls in the fault", "Số call trong sự cố"),
    hint: text("one after the other", "lần lượt từng call"),
    max: 10_000,
    ..VOLUME
};
const REST: Number = Number {
    key: "rest",
    label: text("Pause before the trial", "Nghỉ trước lần thử"),
    hint: text("the fault ends meanwhile", "sự cố hết trong lúc này"),
    ..TIMEOUT
};
const AFTER: Number =
    Number {
        key: "after", label: text("Calls after it", "Số call sau đó"), hint: text("", ""), max: 10_000, ..VOLUME
    };
const RATE: Number = Number {
    key: "rate",
    label: text("Request rate", "Tốc độ request"),
    hint: text("", ""),
    unit: units::PER_SECOND,
    per_unit: 1_000,
    kind: Kind::Rate,
    min: 10,
    max: 1_000_000,
    step: 1_000,
    log: true,
};
const LENGTH: Number = Number {
    key: "length",
    label: text("Length of the run", "Độ dài lần chạy"),
    hint: text("", ""),
    unit: units::S,
    per_unit: 1_000_000,
    min: 1_000_000,
    max: 120_000_000,
    step: 1_000_000,
    ..TIMEOUT
};
const FAULT_AT: Number =
    Number { key: "fault_at", label: text("Fault begins at", "Sự cố bắt đầu lúc"), min: 0, ..LENGTH };
const FAULT_FOR: Number =
    Number { key: "fault_for", label: text("Fault lasts", "Sự cố kéo dài"), min: 0, ..LENGTH };
const CALL: Number = Number {
    key: "call",
    label: text("A call takes", "Một call mất"),
    hint: text("good or bad, unless it is slow", "dù tốt hay lỗi, trừ khi bị chậm"),
    min: 0,
    max: 10_000_000,
    step: 5_000,
    ..TIMEOUT
};
const SLOW: Number = Number {
    key: "slow",
    label: text("A slow call takes", "Một call chậm mất"),
    hint: text("", ""),
    min: 1_000,
    log: true,
    ..TIMEOUT
};
const SHARE: Number = Number {
    key: "share",
    label: text("Share of calls hit", "Tỉ lệ call bị dính"),
    hint: text("during the fault, at random", "trong sự cố, ngẫu nhiên"),
    ..THRESHOLD
};
const TTL: Number = Number {
    key: "ttl",
    label: text("Stale price is good for", "Giá cũ dùng được trong"),
    hint: text("time to live of the last good price", "TTL của giá tốt gần nhất"),
    min: 0,
    max: 3_600_000_000,
    ..LENGTH
};
const REMOTE_RATE: Number = Number {
    key: "remote_rate",
    label: text("Remote fallback can answer", "Fallback từ xa kham nổi"),
    hint: text("the rest waits there, at most the timeout", "phần dư phải chờ ở đó, tối đa bằng timeout"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 10_000,
    step: 1,
    log: true,
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts", "Số lần thử"),
    hint: text("per request, first one included", "mỗi request, kể cả lần đầu"),
    unit: units::ATTEMPTS,
    min: 1,
    max: 10,
    ..VOLUME
};
const RETRY_WAIT: Number = Number {
    key: "retry_wait",
    label: text("Wait before a retry", "Chờ trước khi retry"),
    hint: text("", ""),
    max: 10_000_000,
    step: 50_000,
    ..TIMEOUT
};
const WARM_UP: Switch = Switch {
    key: "warm_up",
    label: text("Warm-up", "Khởi động ấm"),
    hint: text("does not open during the first window", "không mở trong cửa sổ đầu tiên"),
};
const WARM_CACHE: Switch = Switch {
    key: "warm_cache",
    label: text("A last good price is there", "Đã có giá tốt gần nhất"),
    hint: text("from before the run", "từ trước lần chạy"),
};
const RETRY_REJECTED: Switch = Switch {
    key: "retry_rejected",
    label: text("Retry what the breaker rejected", "Retry cả call bị breaker chặn"),
    hint: text("resilience4j does by default", "resilience4j mặc định là có"),
};
const fn choice(key: &'static str, label: Text) -> Choice {
    Choice { key, label, hint: text("", "") }
}
const LIBRARY: Choice = choice("library", text("Breaker", "Breaker"));
const WINDOW_KIND: Choice = choice("window_kind", text("Window over", "Cửa sổ tính theo"));
const RULE: Choice = choice("rule", text("Opens by", "Mở theo"));
const READY: Choice = choice("ready", text("Ready to trip", "ReadyToTrip"));
const FILTER: Choice = choice("filter", text("Errors that do not count", "Lỗi không tính"));
const TRAFFIC: Choice = choice("traffic", text("Calls come", "Call đến"));
const FAULT: Choice = choice("fault", text("The dependency", "Dependency"));
const FALLBACK: Choice = choice("fallback", text("Instead of an answer", "Thay cho câu trả lời"));
const RETRY: Choice = choice("retry", text("The retry sits", "Retry nằm"));

const fn opt(key: &'static str, label: Text, hint: Text) -> Opt {
    Opt { key, label, hint }
}

impl Library {
    const ALL: [Library; 8] = [
        Library::Opossum,
        Library::Resilience4j,
        Library::Polly,
        Library::Hystrix,
        Library::Gobreaker,
        Library::Cockatiel,
        Library::Envoy,
        Library::Textbook,
    ];

    /// Key, name, what is special.
    pub fn opt(self) -> Opt {
        match self {
            Library::Opossum => opt(
                "opossum",
                same("opossum"),
                text("every call counts, rejected ones too", "mọi call đều tính, kể cả call bị chặn"),
            ),
            Library::Resilience4j => opt(
                "resilience4j",
                same("resilience4j"),
                text(
                    "results count, slow ones too; at the threshold is enough",
                    "đếm kết quả, cả call chậm; bằng ngưỡng là mở",
                ),
            ),
            Library::Polly => opt(
                "polly",
                same("Polly"),
                text("a tenth failed is enough; one trial", "lỗi một phần mười là mở; một lần thử"),
            ),
            Library::Hystrix => opt(
                "hystrix",
                same("Hystrix"),
                text("looks every half second, at whole percents", "nửa giây mới xét một lần, theo phần trăm tròn"),
            ),
            Library::Gobreaker => opt(
                "gobreaker",
                same("gobreaker"),
                text("failures in a row; forgets earlier states", "lỗi liên tiếp; quên các trạng thái trước"),
            ),
            Library::Cockatiel => opt(
                "cockatiel",
                same("cockatiel"),
                text("three rules; who comes in half-open waits", "ba luật; ai đến lúc half-open thì chờ"),
            ),
            Library::Envoy => opt(
                "envoy",
                text("Envoy outlier detection", "Outlier detection của Envoy"),
                text("takes hosts out of rotation", "loại host khỏi vòng gọi"),
            ),
            Library::Textbook => opt(
                "textbook",
                text("As the article tells it", "Như bài mô tả"),
                text("results of the last window; closing forgets them", "kết quả trong cửa sổ; đóng mạch là quên hết"),
            ),
        }
    }
}

impl Rule {
    const ALL: [Rule; 3] = [Rule::Consecutive, Rule::Count, Rule::Sampling];

    fn opt(self) -> Opt {
        match self {
            Rule::Consecutive => {
                opt("consecutive", text("Failures in a row", "Lỗi liên tiếp"), same("ConsecutiveBreaker"))
            }
            Rule::Count => {
                opt("count", text("A rate of the last calls", "Tỉ lệ trên số call gần nhất"), same("CountBreaker"))
            }
            Rule::Sampling => {
                opt("sampling", text("A rate over time", "Tỉ lệ trong khoảng thời gian"), same("SamplingBreaker"))
            }
        }
    }
}

impl Ready {
    const ALL: [Ready; 2] = [Ready::Consecutive, Ready::Ratio];

    fn opt(self) -> Opt {
        match self {
            Ready::Consecutive => {
                opt("consecutive", text("Failures in a row", "Lỗi liên tiếp"), text("the default", "mặc định"))
            }
            Ready::Ratio => {
                opt("ratio", text("A failure rate", "Tỉ lệ lỗi"), text("as in its README", "như trong README của nó"))
            }
        }
    }
}

impl WindowKind {
    const ALL: [WindowKind; 2] = [WindowKind::Calls, WindowKind::Time];

    fn opt(self) -> Opt {
        match self {
            WindowKind::Calls => opt("calls", text("Calls", "Số call"), text("COUNT_BASED", "COUNT_BASED")),
            WindowKind::Time => opt("time", text("Seconds", "Số giây"), text("TIME_BASED", "TIME_BASED")),
        }
    }
}

impl Filter {
    const ALL: [Filter; 3] = [Filter::Nothing, Filter::All4xx, Filter::Keep429];

    fn opt(self) -> Opt {
        match self {
            Filter::Nothing => opt("none", text("None: all count", "Không có: lỗi nào cũng tính"), same("")),
            Filter::All4xx => opt(
                "all_4xx",
                text("All 4xx", "Mọi 4xx"),
                text("as in the article’s program", "như chương trình trong bài"),
            ),
            Filter::Keep429 => opt(
                "all_4xx_but_429",
                text("4xx, but 429 counts", "4xx, riêng 429 vẫn tính"),
                text("as the article’s text says", "như lời trong bài"),
            ),
        }
    }
}

impl Traffic {
    const ALL: [Traffic; 3] = [Traffic::Sequential, Traffic::Even, Traffic::Poisson];

    fn opt(self) -> Opt {
        match self {
            Traffic::Sequential => opt(
                "sequential",
                text("One after the other", "Lần lượt"),
                text("as in the article’s program", "như chương trình trong bài"),
            ),
            Traffic::Even => opt("even", text("Evenly, by the clock", "Đều theo đồng hồ"), same("")),
            Traffic::Poisson => opt("poisson", text("At random moments", "Vào lúc ngẫu nhiên"), same("Poisson")),
        }
    }
}

impl Fault {
    const ALL: [Fault; 4] = [Fault::Errors, Fault::Slow, Fault::NotFound, Fault::TooMany];

    /// Key and name.
    pub fn opt(self) -> Opt {
        match self {
            Fault::Errors => opt("errors", text("Fails: 503", "Lỗi: 503"), same("")),
            Fault::Slow => opt("slow", text("Is slow, but answers", "Chậm nhưng vẫn trả lời"), same("")),
            Fault::NotFound => {
                opt("not_found", text("Answers 404", "Trả 404"), text("the callers’ fault", "lỗi của phía gọi"))
            }
            Fault::TooMany => {
                opt("too_many", text("Answers 429", "Trả 429"), text("too many requests", "quá nhiều request"))
            }
        }
    }
}

impl Fallback {
    const ALL: [Fallback; 4] = [Fallback::Stale, Fallback::Hide, Fallback::Error, Fallback::Remote];

    fn opt(self) -> Opt {
        match self {
            Fallback::Stale => opt(
                "stale",
                text("The last good price", "Giá tốt gần nhất"),
                text("marked as stale", "có đánh dấu là cũ"),
            ),
            Fallback::Hide => opt("hide", text("Nothing: hide it", "Không gì cả: ẩn đi"), same("")),
            Fallback::Error => opt("error", text("A clear error", "Một lỗi rõ ràng"), same("")),
            Fallback::Remote => opt(
                "remote",
                text("Another service", "Một service khác"),
                text("with its own limits", "cũng có giới hạn của nó"),
            ),
        }
    }
}

impl Retry {
    const ALL: [Retry; 2] = [Retry::Outside, Retry::Inside];

    fn opt(self) -> Opt {
        match self {
            Retry::Outside => opt("outside", text("Around the breaker", "Bọc ngoài breaker"), same("")),
            Retry::Inside => opt("inside", text("Inside the breaker", "Nằm trong breaker"), same("")),
        }
    }
}

impl Knobs for CircuitBreaker {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let is = |library: Library| self.library == library;
        let (opossum, resilience4j, hystrix) = (is(Library::Opossum), is(Library::Resilience4j), is(Library::Hystrix));
        let (gobreaker, cockatiel, envoy) = (is(Library::Gobreaker), is(Library::Cockatiel), is(Library::Envoy));
        let rate = !self.in_a_row();
        let sampling = cockatiel && self.rule == Rule::Sampling;
        let by_calls = resilience4j && self.window_kind == WindowKind::Calls || cockatiel && self.rule == Rule::Count;
        let by_time = !by_calls && !gobreaker && !envoy && (!cockatiel || sampling);

        v.group(text("The breaker", "Breaker"), false);
        pick(v, &LIBRARY, &Library::ALL, Library::opt, &mut self.library);
        v.when(cockatiel);
        pick(v, &RULE, &Rule::ALL, Rule::opt, &mut self.rule);
        v.when(gobreaker);
        pick(v, &READY, &Ready::ALL, Ready::opt, &mut self.ready);
        v.when(rate && !sampling);
        v.number(&VOLUME, &mut self.volume);
        v.when(rate);
        v.number(&THRESHOLD, &mut self.threshold);
        v.when(!rate);
        v.number(&CONSECUTIVE, &mut self.consecutive);
        v.when(!envoy);
        span(v, &RESET, &mut self.reset);
        v.when(envoy);
        v.number(&HOSTS, &mut self.hosts);
        v.number(&BAD_HOSTS, &mut self.bad_hosts);
        v.number(&MAX_EJECTION, &mut self.max_ejection);
        v.when(true);
        span(v, &TIMEOUT, &mut self.timeout);

        v.group(text("More: what it counts", "Thêm: nó đếm gì"), true);
        v.when(!envoy);
        pick(v, &FILTER, &Filter::ALL, Filter::opt, &mut self.filter);
        v.when(resilience4j);
        pick(v, &WINDOW_KIND, &WindowKind::ALL, WindowKind::opt, &mut self.window_kind);
        v.when(by_calls);
        v.number(&WINDOW_CALLS, &mut self.window_calls);
        v.when(by_time);
        span(v, &WINDOW, &mut self.window);
        v.when(opossum);
        v.number(&BUCKETS, &mut self.buckets);
        v.number(&CAPACITY, &mut self.capacity);
        v.switch(&WARM_UP, &mut self.warm_up);
        v.when(resilience4j);
        v.number(&PROBES, &mut self.probes);
        span(v, &HALF_OPEN_WAIT, &mut self.half_open_wait);
        span(v, &SLOW_OVER, &mut self.slow_over);
        v.number(&SLOW_THRESHOLD, &mut self.slow_threshold);
        v.when(hystrix);
        span(v, &SNAPSHOT, &mut self.snapshot);
        v.number(&POOL, &mut self.pool);
        v.when(sampling);
        v.number(&MIN_RATE, &mut self.min_rate);
        v.when(gobreaker || cockatiel);
        v.number(&TRIALS, &mut self.trials);
        v.when(cockatiel && self.trials > 1);
        v.number(&TRIAL_THRESHOLD, &mut self.trial_threshold);
        v.when(gobreaker);
        span(v, &CLEAR_EVERY, &mut self.clear_every);
        v.when(gobreaker && self.clear_every > Span::ZERO);
        v.number(&PIECES, &mut self.pieces);
        v.when(envoy);
        span(v, &EJECTION_TIME, &mut self.ejection_time);
        span(v, &INTERVAL, &mut self.interval);
        v.switch(&ALWAYS_ONE, &mut self.always_one);
        v.number(&PANIC, &mut self.panic);

        let sequential = self.traffic == Traffic::Sequential;
        v.group(text("More: the calls", "Thêm: các call"), true);
        pick(v, &TRAFFIC, &Traffic::ALL, Traffic::opt, &mut self.traffic);
        v.when(sequential);
        v.number(&BEFORE, &mut self.before);
        v.number(&CALLS, &mut self.calls);
        span(v, &REST, &mut self.rest);
        v.number(&AFTER, &mut self.after);
        v.when(!sequential);
        v.number(&RATE, &mut self.rate);
        span(v, &LENGTH, &mut self.length);
        span(v, &FAULT_AT, &mut self.fault_at);
        span(v, &FAULT_FOR, &mut self.fault_for);

        v.group(text("More: the dependency", "Thêm: dependency"), true);
        pick(v, &FAULT, &Fault::ALL, Fault::opt, &mut self.fault);
        v.when(self.fault == Fault::Slow);
        span(v, &SLOW, &mut self.slow);
        v.when(true);
        v.number(&SHARE, &mut self.share);
        span(v, &CALL, &mut self.call);

        v.group(text("More: the fallback", "Thêm: fallback"), true);
        pick(v, &FALLBACK, &Fallback::ALL, Fallback::opt, &mut self.fallback);
        v.when(self.fallback == Fallback::Stale);
        span(v, &TTL, &mut self.ttl);
        v.switch(&WARM_CACHE, &mut self.warm_cache);
        v.when(self.fallback == Fallback::Remote);
        v.number(&REMOTE_RATE, &mut self.remote_rate);

        v.group(text("More: retries", "Thêm: retry"), true);
        v.number(&ATTEMPTS, &mut self.attempts);
        v.when(self.attempts > 1);
        pick(v, &RETRY, &Retry::ALL, Retry::opt, &mut self.retry);
        span(v, &RETRY_WAIT, &mut self.retry_wait);
        v.when(self.attempts > 1 && self.retry == Retry::Outside);
        v.switch(&RETRY_REJECTED, &mut self.retry_rejected);
    }
}
