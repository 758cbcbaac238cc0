//! The knobs of this card.

use overload_chart::{same, text, units};
use overload_sim::arrivals::{Arrivals, Profile, Rate};
use overload_sim::law::Law;
use overload_sim::stream::{Flow, Setup};
use overload_sim::time::{Span, Time};

use super::ITEMS;
use crate::knobs::{Kind, Knobs, Number, Switch, Visitor, span};

/// The whole, in the millionths of a [`Profile`].
const WHOLE: u64 = 1_000_000;

/// A producer, a buffer, a consumer.
#[derive(Clone, Debug, PartialEq)]
pub struct Backpressure {
    /// Items the producer makes a second, if nobody stops it; how they come; for how long.
    pub rate: u64,
    pub poisson: bool,
    pub length: Span,
    /// A burst: how many times the rate (millionths), from when, for how long.
    pub burst: u64,
    pub burst_at: Span,
    pub burst_for: Span,
    /// Whether the producer can wait.
    pub can_wait: bool,
    /// Items that the consumer works on at a time, how long one takes, whether that varies.
    pub workers: u64,
    pub work: Span,
    pub varies: bool,
    /// The buffer's bound and the high-water mark: items inside.
    pub buffer: u64,
    /// At how many the producer goes on, and the consumer asks for more.
    pub low: u64,
    /// Which item a full buffer drops.
    pub oldest: bool,
    /// How many items the consumer asks for at a time, and how long asking takes.
    pub batch: u64,
    pub trip: Span,
    /// After this an item is late.
    pub deadline: Span,
    /// An item's size in KB, the memory for them in MB, and how long the process is gone when that is full.
    pub size: u64,
    pub memory: u64,
    pub restart: Span,
}

impl Default for Backpressure {
    /// Article 3's server: 10 slots of 50 ms, 1,200 requests at 400/s, 20 of them waiting at most, a client that waits 1 s.
    /// The rest is ours.
    fn default() -> Self {
        Backpressure {
            rate: 400,
            poisson: false,
            length: Span::s(3),
            burst: WHOLE,
            burst_at: Span::s(1),
            burst_for: Span::s(1),
            can_wait: true,
            workers: 10,
            work: Span::ms(50),
            varies: false,
            buffer: 30,
            low: 15,
            oldest: false,
            batch: 15,
            trip: Span::ms(5),
            deadline: Span::s(1),
            size: 100,
            memory: 512,
            restart: Span::s(2),
        }
    }
}

impl Backpressure {
    /// Items a second that the consumer can do, on average.
    pub fn capacity(&self) -> f64 {
        self.workers as f64 * 1e6 / self.work.as_us() as f64
    }

    /// Whether there is a burst.
    pub fn bursts(&self) -> bool {
        self.burst != WHOLE && self.burst_for > Span::ZERO && self.burst_at < self.length
    }

    /// The greatest rate, items a second.
    pub fn peak_rate(&self) -> f64 {
        let most = if self.bursts() { self.burst.max(WHOLE) } else { WHOLE };
        self.rate as f64 * most as f64 / WHOLE as f64
    }

    /// About how many items the producer makes.
    pub fn items(&self) -> u64 {
        let us = self.length.as_us();
        let within = if self.bursts() {
            us.min(self.burst_at.as_us() + self.burst_for.as_us()) - self.burst_at.as_us()
        } else {
            0
        };
        let scaled = u128::from(us - within) * u128::from(WHOLE) + u128::from(within) * u128::from(self.burst);
        (u128::from(self.rate) * scaled / 1_000_000_000_000) as u64 + 1
    }

    /// Items that the memory holds.
    pub fn holds(&self) -> u32 {
        (self.memory * 1_000 / self.size).min(u64::from(u32::MAX)) as u32
    }

    /// The four ways, in the order of the charts.
    pub fn flows(&self) -> [Flow; 4] {
        let (limit, low) = (self.buffer as u32, self.low as u32);
        [
            Flow::Unbounded,
            Flow::Drop { limit, oldest: self.oldest },
            Flow::Signal { mark: limit, low },
            Flow::Pull { batch: self.batch as u32, low, trip: self.trip },
        ]
    }

    /// One of them, with the producer at its rate.
    pub fn setup(&self, flow: Flow) -> Setup {
        let profile = self.bursts().then(|| {
            let (from, to) = (Time::ZERO + self.burst_at, Time::ZERO + self.burst_at + self.burst_for);
            let (whole, burst) = (WHOLE as u32, self.burst as u32);
            Profile::through(vec![(from, whole), (from, burst), (to, burst), (to, whole)])
        });
        self.steady(flow, Rate::per_s(self.rate), self.length, profile)
    }

    /// The same without the burst, at another rate, for another length.
    pub fn steady(&self, flow: Flow, rate: Rate, length: Span, profile: Option<Profile>) -> Setup {
        Setup {
            arrivals: if self.poisson { Arrivals::Poisson { rate } } else { Arrivals::Even { rate } },
            profile,
            length,
            workers: self.workers as u32,
            work: if self.varies { Law::Exponential(self.work) } else { Law::Fixed(self.work) },
            flow,
            can_wait: self.can_wait,
            deadline: self.deadline,
            memory: self.holds(),
            restart: self.restart,
        }
    }
}

const RATE: Number = Number {
    key: "rate",
    label: text("The producer makes", "Producer tạo ra"),
    hint: text("items a second, if nobody stops it", "item mỗi giây, nếu không ai chặn"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 5_000,
    step: 10,
    log: true,
};
const POISSON: Switch = Switch {
    key: "poisson",
    label: text("At random (Poisson)", "Ngẫu nhiên (Poisson)"),
    hint: text("off: evenly", "tắt: đều đặn"),
};
const LENGTH: Number = Number {
    key: "length",
    label: text("For", "Trong"),
    hint: text("as many items as lie within it", "số item bằng lượng nằm trong đó"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100_000,
    max: 60_000_000,
    step: 100_000,
    log: false,
};
const BURST: Number = Number {
    key: "burst",
    label: text("In a burst", "Khi bùng lên"),
    hint: text("of that rate; 100: no burst", "của tốc độ đó; 100: không bùng"),
    unit: units::PERCENT,
    per_unit: 10_000,
    kind: Kind::Ratio,
    min: 0,
    max: 10_000_000,
    step: 100_000,
    log: false,
};
const BURST_AT: Number =
    Number { key: "burst_at", label: text("It begins at", "Bắt đầu lúc"), hint: same(""), min: 0, ..LENGTH };
const BURST_FOR: Number = Number { key: "burst_for", label: text("Lasts", "Kéo dài"), ..BURST_AT };
const CAN_WAIT: Switch = Switch {
    key: "can_wait",
    label: text("The producer can wait", "Producer chờ được"),
    hint: text("a file, a log; off: users", "một file, một log; tắt: người dùng"),
};
const WORKERS: Number = Number {
    key: "workers",
    label: text("The consumer works on", "Consumer xử lý cùng lúc"),
    hint: text("at a time", "một lúc"),
    unit: ITEMS,
    kind: Kind::Whole,
    max: 100,
    step: 1,
    ..RATE
};
const WORK: Number = Number {
    key: "work",
    label: text("An item takes", "Một item mất"),
    hint: same(""),
    min: 1_000,
    max: 5_000_000,
    step: 1_000,
    log: true,
    ..LENGTH
};
const VARIES: Switch = Switch {
    key: "varies",
    label: text("That varies", "Thời gian đó thay đổi"),
    hint: text("exponentially; off: always the same", "theo phân phối mũ; tắt: luôn như nhau"),
};
const BUFFER: Number = Number {
    key: "buffer",
    label: text("Bound, high-water mark", "Giới hạn, high-water mark"),
    hint: text("items inside, those being worked on too", "item bên trong, tính cả đang xử lý"),
    max: 5_000,
    ..WORKERS
};
const LOW: Number = Number {
    key: "low",
    label: text("Go on at", "Chạy tiếp khi còn"),
    hint: text("items left; Node’s drain: 0", "item bên trong; drain của Node: 0"),
    min: 0,
    max: 5_000,
    ..WORKERS
};
const OLDEST: Switch = Switch {
    key: "oldest",
    label: text("Full: drop the oldest", "Đầy: bỏ item cũ nhất"),
    hint: text("off: the one that comes", "tắt: bỏ item mới tới"),
};
const BATCH: Number = Number {
    key: "batch",
    label: text("Pull: asks for", "Pull: mỗi lần xin"),
    hint: text("at a time", "một lúc"),
    max: 2_000,
    ..WORKERS
};
const TRIP: Number = Number {
    key: "trip",
    label: text("Pull: asking takes", "Pull: xin mất"),
    min: 0,
    max: 1_000_000,
    step: 1_000,
    log: false,
    ..WORK
};
const DEADLINE: Number = Number {
    key: "deadline",
    label: text("An item is late after", "Item bị trễ sau"),
    min: 10_000,
    max: 60_000_000,
    step: 50_000,
    ..WORK
};
const SIZE: Number = Number {
    key: "size",
    label: text("An item’s size", "Kích thước một item"),
    hint: same(""),
    unit: super::KB,
    max: 10_000,
    step: 10,
    ..BUFFER
};
const MEMORY: Number = Number {
    key: "memory",
    label: text("Memory for the buffer", "Bộ nhớ cho buffer"),
    hint: text("one item more, and the process dies", "thêm một item là process chết"),
    unit: super::MB,
    max: 8_192,
    step: 16,
    ..BUFFER
};
const RESTART: Number = Number {
    key: "restart",
    label: text("It is gone for", "Mất bao lâu để lên lại"),
    min: 100_000,
    max: 30_000_000,
    ..WORK
};

impl Knobs for Backpressure {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("Producer", "Producer"), false);
        v.number(&RATE, &mut self.rate);
        v.switch(&CAN_WAIT, &mut self.can_wait);
        v.group(text("Consumer", "Consumer"), false);
        v.number(&WORKERS, &mut self.workers);
        span(v, &WORK, &mut self.work);
        v.group(text("Buffer", "Buffer"), false);
        v.number(&BUFFER, &mut self.buffer);
        v.number(&LOW, &mut self.low);
        v.group(text("More: when items come", "Thêm: item tới lúc nào"), true);
        span(v, &LENGTH, &mut self.length);
        v.switch(&POISSON, &mut self.poisson);
        v.number(&BURST, &mut self.burst);
        span(v, &BURST_AT, &mut self.burst_at);
        span(v, &BURST_FOR, &mut self.burst_for);
        v.group(text("More: dropping, pulling, deadline", "Thêm: bỏ item, pull, deadline"), true);
        v.switch(&OLDEST, &mut self.oldest);
        v.number(&BATCH, &mut self.batch);
        span(v, &TRIP, &mut self.trip);
        span(v, &DEADLINE, &mut self.deadline);
        v.switch(&VARIES, &mut self.varies);
        v.group(text("More: memory", "Thêm: bộ nhớ"), true);
        v.number(&SIZE, &mut self.size);
        v.number(&MEMORY, &mut self.memory);
        span(v, &RESTART, &mut self.restart);
    }
}
