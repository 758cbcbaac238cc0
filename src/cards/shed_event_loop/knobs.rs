//! The knobs of this card, and the loop that they stand for.

use core::cmp::Ordering;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::event_loop::{Door, Probe, Setup};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Visitor, pick, span};

/// The load, the thread, its door, and what counts as an answer in time.
#[derive(Clone, Debug, PartialEq)]
pub struct ShedLoop {
    /// Requests that users want to send, a second.
    pub rate: u64,
    /// CPU of one request's own work.
    pub cpu: Span,
    /// What the door looks at.
    pub signal: Signal,
    /// Requests that may be in flight.
    pub limit: u64,
    /// CPU of one 503.
    pub refusal: Span,
    /// From when a latency counts.
    pub clock: Clock,
    /// An answer within this is in time.
    pub deadline: Span,
    /// The most lag.
    pub lag_limit: Span,
    /// The most CPU, in percent.
    pub cpu_limit: u64,
    /// Cores of the machine.
    pub cores: u64,
    /// From one firing of the probe to the next.
    pub probe: Span,
    /// How often the percentile of the lag begins anew.
    pub forget: Span,
    /// What the CPU's load is measured over.
    pub window: Span,
    /// With phases, or ideal.
    pub server: Server,
    /// What a request waits for before its work.
    pub wait: Span,
    /// CPU of reading a request and writing its answer.
    pub overhead: Span,
    /// Keep-alive connections.
    pub connections: u64,
    /// How long requests keep coming.
    pub duration: Span,
    /// How they come.
    pub pattern: Pattern,
}

/// What the door looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Nothing: no shedding.
    Off,
    /// Requests in flight.
    InFlight,
    /// The lag of the loop, as last measured.
    Lag,
    /// Its 99th percentile since it was last forgotten.
    LagP99,
    /// The CPU's load.
    Cpu,
}

/// From when a latency counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// When the user wanted to send.
    Intended,
    /// When the request got a connection.
    Actual,
}

/// How the thread gets at its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// In phases.
    Loop,
    /// One after the other, with reading and refusing for nothing.
    Ideal,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// At even distances.
    Even,
    /// At random.
    Poisson,
}

impl Default for ShedLoop {
    /// Article 4, card 015, with the two costs that were fitted to its figures.
    fn default() -> Self {
        ShedLoop {
            rate: 400,
            cpu: Span::ms(4),
            signal: Signal::InFlight,
            limit: 20,
            refusal: Span::us(300),
            clock: Clock::Intended,
            deadline: Span::s(1),
            lag_limit: Span::ms(200),
            cpu_limit: 80,
            cores: 4,
            probe: Span::ms(20),
            forget: Span::s(5),
            window: Span::s(1),
            server: Server::Loop,
            wait: Span::ms(5),
            overhead: Span::us(250),
            connections: 200,
            duration: Span::s(20),
            pattern: Pattern::Even,
        }
    }
}

impl ShedLoop {
    /// CPU of one request that is answered.
    pub fn work(&self) -> Span {
        self.cpu + self.overhead
    }

    /// What the thread can answer in a second, in thousandths, to the nearest.
    pub fn capacity(&self) -> Rate {
        let work = self.work().as_us().max(1);
        Rate::milli_per_s((1_000_000_000 + work / 2) / work)
    }

    /// How the offered load stands against the capacity, exactly.
    pub fn against_capacity(&self) -> Ordering {
        (u128::from(self.rate) * u128::from(self.work().as_us())).cmp(&1_000_000)
    }

    /// The door with another signal. With [`Signal::Off`] it is open.
    pub fn door(&self, signal: Signal) -> Door {
        match signal {
            Signal::Off => Door::Open,
            Signal::InFlight => Door::InFlight(self.limit as u32),
            Signal::Lag => Door::Lag(self.lag_limit),
            Signal::LagP99 => Door::LagP99(self.lag_limit),
            Signal::Cpu => Door::Cpu(10 * self.cpu_limit as u32),
        }
    }

    /// The signal by which curves shed: where the knobs shed by none, requests in flight.
    pub fn shedding(&self) -> Signal {
        if self.signal == Signal::Off { Signal::InFlight } else { self.signal }
    }

    /// How many come in `duration` at `rate`, to the nearest; at least one.
    pub fn requests(&self, rate: Rate, duration: Span) -> u32 {
        let n = (u128::from(rate.as_milli_per_s()) * u128::from(duration.as_us()) + 500_000_000) / 1_000_000_000;
        n.clamp(1, u128::from(u32::MAX)) as u32
    }

    /// The loop of these knobs at a rate, for a time, behind a door.
    pub fn setup(&self, rate: Rate, duration: Span, door: Door) -> Setup {
        Setup {
            arrivals: match self.pattern {
                Pattern::Even => Arrivals::Even { rate },
                Pattern::Poisson => Arrivals::Poisson { rate },
            },
            requests: self.requests(rate, duration),
            connections: self.connections as u32,
            wait: self.wait,
            cpu: self.cpu,
            overhead: self.overhead,
            refusal: self.refusal,
            phases: self.server == Server::Loop,
            door,
            probe: Probe { every: self.probe, forget: self.forget },
            window: self.window,
            cores: self.cores as u32,
        }
    }
}

/// Requests: what users ask for.
pub const REQUESTS: Unit = Unit::counted("requests", text("requests", "request"), "request", 0);

const RATE: Number = Number {
    key: "rate",
    label: text("Offered load", "Tải đến"),
    hint: text("requests that users want to send", "request mà người dùng muốn gửi"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 10_000,
    step: 10,
    log: true,
};
const CPU: Number = Number {
    key: "cpu",
    label: text("CPU per request", "CPU mỗi request"),
    hint: text("its own work, on the one thread", "phần việc của nó, trên thread duy nhất"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100,
    max: 1_000_000,
    step: 100,
    log: true,
};
const SIGNAL: Choice = Choice {
    key: "signal",
    label: text("Shed by", "Shed theo"),
    hint: text("what is looked at when a request is read", "thứ được xét khi đọc một request"),
};
const LIMIT: Number = Number {
    key: "limit",
    label: text("In-flight limit", "Giới hạn in-flight"),
    hint: text("requests read and not yet answered", "request đã đọc mà chưa trả lời"),
    unit: Unit::counted("in_flight", text("requests", "request"), "request", 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 10_000,
    step: 1,
    log: true,
};
const REFUSAL: Number = Number {
    key: "refusal",
    label: text("CPU per 503", "CPU mỗi 503"),
    hint: text("of reading and refusing one request", "để đọc và từ chối một request"),
    min: 0,
    max: 100_000,
    step: 50,
    ..CPU
};
const CLOCK: Choice = Choice {
    key: "clock",
    label: text("Latency counts from", "Latency tính từ"),
    hint: text("the same run, another stopwatch", "cùng một lần chạy, khác cách bấm giờ"),
};
const DEADLINE: Number = Number {
    key: "deadline",
    label: same("Deadline"),
    hint: text("an answer within it is in time", "trả lời trong khoảng này là kịp"),
    min: 1_000,
    max: 60_000_000,
    step: 50_000,
    ..CPU
};
const LAG_LIMIT: Number = Number {
    key: "lag_limit",
    label: text("Lag limit", "Giới hạn lag"),
    hint: text("how late the probe’s timer may fire", "timer đo được phép trễ bao lâu"),
    min: 0,
    max: 10_000_000,
    step: 5_000,
    ..CPU
};
const CPU_LIMIT: Number = Number {
    key: "cpu_limit",
    label: text("CPU limit", "Giới hạn CPU"),
    hint: text("of the whole machine", "của cả máy"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 1,
    max: 100,
    log: false,
    ..LIMIT
};
const CORES: Number = Number {
    key: "cores",
    label: text("Cores of the machine", "Số core của máy"),
    hint: text("one thread uses one of them", "một thread chỉ dùng được một"),
    unit: Unit::new("cores", same(""), 0),
    min: 1,
    max: 128,
    ..LIMIT
};
const PROBE: Number = Number {
    key: "probe",
    label: text("Probe every", "Chu kỳ đo lag"),
    hint: text("a timer that measures how late it is", "một timer tự đo mình trễ bao nhiêu"),
    min: 1_000,
    max: 1_000_000,
    step: 1_000,
    ..CPU
};
const FORGET: Number = Number {
    key: "forget",
    label: text("Percentile begins anew every", "Xoá phân vị sau mỗi"),
    hint: text("the article’s histogram: 5 s", "histogram trong bài: 5 s"),
    min: 100_000,
    max: 60_000_000,
    step: 100_000,
    ..CPU
};
const WINDOW: Number = Number {
    key: "window",
    label: text("CPU measured over", "CPU đo trong"),
    hint: text("the last whole window counts", "tính theo cửa sổ trọn vẹn gần nhất"),
    min: 10_000,
    max: 60_000_000,
    step: 10_000,
    ..CPU
};
const SERVER: Choice = Choice { key: "server", label: same("Server"), hint: text("", "") };
const WAIT: Number = Number {
    key: "wait",
    label: text("I/O wait before the work", "Chờ I/O trước phần việc"),
    hint: text("no CPU: a timer", "không tốn CPU: một timer"),
    min: 0,
    max: 10_000_000,
    step: 500,
    ..CPU
};
const OVERHEAD: Number = Number {
    key: "overhead",
    label: text("CPU to read and to answer", "CPU để đọc và trả lời"),
    hint: text("half when read, half when answered", "một nửa lúc đọc, một nửa lúc trả lời"),
    min: 0,
    max: 100_000,
    step: 50,
    ..CPU
};
const CONNECTIONS: Number = Number {
    key: "connections",
    label: text("Keep-alive connections", "Connection keep-alive"),
    hint: text("one request each at a time", "mỗi lúc một request"),
    unit: Unit::new("connections", same(""), 0),
    max: 10_000,
    ..LIMIT
};
const DURATION: Number = Number {
    key: "duration",
    label: text("Load lasts", "Tải kéo dài"),
    hint: text("then no new requests come", "sau đó không còn request mới"),
    min: 500_000,
    max: 60_000_000,
    step: 500_000,
    ..CPU
};
const PATTERN: Choice = Choice { key: "arrivals", label: text("Requests come", "Request đến"), hint: text("", "") };

impl Signal {
    pub const ALL: [Signal; 5] = [Signal::Off, Signal::InFlight, Signal::Lag, Signal::LagP99, Signal::Cpu];

    pub fn label(self) -> Text {
        match self {
            Signal::Off => text("Nothing", "Không shed"),
            Signal::InFlight => text("Requests in flight", "Số request in-flight"),
            Signal::Lag => text("Loop lag, latest", "Loop lag, lần đo cuối"),
            Signal::LagP99 => text("Loop lag, p99", "Loop lag, p99"),
            Signal::Cpu => text("CPU", "CPU"),
        }
    }

    fn opt(self) -> Opt {
        let (key, hint) = match self {
            Signal::Off => ("off", text("everybody comes in", "ai cũng được vào")),
            Signal::InFlight => ("in_flight", text("counted at every request", "đếm ở từng request")),
            Signal::Lag => ("lag", text("measured every few ms", "đo vài ms một lần")),
            Signal::LagP99 => ("lag_p99", text("the article’s histogram", "histogram như trong bài")),
            Signal::Cpu => ("cpu", text("of the machine", "của cả máy")),
        };
        Opt { key, label: self.label(), hint }
    }
}

impl Clock {
    const ALL: [Clock; 2] = [Clock::Intended, Clock::Actual];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Clock::Intended => (
                "intended",
                text("The intended send", "Lúc lẽ ra gửi"),
                text("what the user waits", "thời gian người dùng chờ"),
            ),
            Clock::Actual => (
                "actual",
                text("The actual send", "Lúc thực gửi"),
                text("coordinated omission", "coordinated omission"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Server {
    const ALL: [Server; 2] = [Server::Loop, Server::Ideal];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Server::Loop => {
                ("loop", text("Event loop", "Event loop"), text("timers, then sockets", "timer, rồi socket"))
            }
            Server::Ideal => {
                ("ideal", text("Ideal", "Lý tưởng"), text("no phases, free 503s", "không pha, 503 không tốn gì"))
            }
        };
        Opt { key, label, hint }
    }
}

impl Pattern {
    const ALL: [Pattern; 2] = [Pattern::Even, Pattern::Poisson];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Pattern::Even => ("even", text("Evenly", "Cách đều")),
            Pattern::Poisson => ("poisson", text("At random (Poisson)", "Ngẫu nhiên (Poisson)")),
        };
        Opt { key, label, hint: text("", "") }
    }
}

impl Knobs for ShedLoop {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The load and the thread", "Tải và thread"), false);
        v.number(&RATE, &mut self.rate);
        span(v, &CPU, &mut self.cpu);
        v.group(text("Shedding", "Shedding"), false);
        pick(v, &SIGNAL, &Signal::ALL, Signal::opt, &mut self.signal);
        v.number(&LIMIT, &mut self.limit);
        v.when(self.server == Server::Loop);
        span(v, &REFUSAL, &mut self.refusal);
        v.when(true);
        v.group(text("What counts", "Cách tính"), false);
        pick(v, &CLOCK, &Clock::ALL, Clock::opt, &mut self.clock);
        span(v, &DEADLINE, &mut self.deadline);
        v.group(text("More: the other signals", "Thêm: các tín hiệu khác"), true);
        span(v, &LAG_LIMIT, &mut self.lag_limit);
        v.number(&CPU_LIMIT, &mut self.cpu_limit);
        v.number(&CORES, &mut self.cores);
        span(v, &PROBE, &mut self.probe);
        span(v, &FORGET, &mut self.forget);
        span(v, &WINDOW, &mut self.window);
        v.group(text("More: the server", "Thêm: server"), true);
        pick(v, &SERVER, &Server::ALL, Server::opt, &mut self.server);
        span(v, &WAIT, &mut self.wait);
        span(v, &OVERHEAD, &mut self.overhead);
        v.group(text("More: the load", "Thêm: tải"), true);
        v.number(&CONNECTIONS, &mut self.connections);
        span(v, &DURATION, &mut self.duration);
        pick(v, &PATTERN, &Pattern::ALL, Pattern::opt, &mut self.pattern);
    }
}
