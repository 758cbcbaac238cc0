//! The knobs of this card, and the station that they stand for.

use overload_chart::{Text, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::limit::{Rule, envoy, netflix};
use overload_sim::line::{Order, Wait};
use overload_sim::shedding::{CLASSES, Gate, Setup};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};
use crate::shed_in_flight::knobs::{self as shed, Pattern, ServiceLaw, Shed};

/// A station with a queue in front.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Callers and slots, as in the card on in-flight limits.
    pub load: Shed,
    /// Who comes in.
    pub door: Door,
    /// How many may wait.
    pub queue: u64,
    /// Who is next.
    pub order: Who,
    /// Adaptive LIFO: above so many waiting the last is next.
    pub above: u64,
    /// How long one may wait.
    pub wait: Waits,
    pub max_wait: Span,
    pub interval: Span,
    pub target: Span,
    /// The moving limit: where it starts, its bounds; 0: the library's own.
    pub initial: u64,
    pub least: u64,
    pub most: u64,
    /// Netflix: the window in which samples are gathered; zero: each counts.
    pub window: Span,
    /// AIMD: an answer that takes longer counts as a drop.
    pub slow: Span,
    /// Envoy: how often the limit is set, how often and with how many samples the least time is measured, its buffer.
    pub update: Span,
    pub measure: Span,
    pub samples: u64,
    pub buffer: u64,
}

/// Who comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Everybody.
    Open,
    /// While the queue has room.
    Queue,
    /// While a moving limit has room.
    Vegas,
    Gradient2,
    Aimd,
    Envoy,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Fifo,
    Lifo,
    Adaptive,
}

/// How long one may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    Any,
    Fixed,
    CoDel,
}

impl Default for Queue {
    /// Article 3: 400/s for three seconds against 200/s, a queue of 20, whoever has waited 300 ms is dropped at its turn.
    fn default() -> Self {
        Queue {
            load: Shed { rate: 400, ..Shed::default() },
            door: Door::Queue,
            queue: 20,
            order: Who::Fifo,
            above: 0,
            wait: Waits::Fixed,
            max_wait: Span::ms(300),
            interval: Span::ms(100),
            target: Span::ms(5),
            initial: 0,
            least: 0,
            most: 0,
            window: Span::ZERO,
            slow: Span::s(5),
            update: Span::ms(100),
            measure: Span::s(60),
            samples: 50,
            buffer: 25,
        }
    }
}

impl Door {
    const ALL: [Door; 6] = [Door::Queue, Door::Open, Door::Vegas, Door::Gradient2, Door::Aimd, Door::Envoy];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Door::Queue => ("queue", text("A bounded queue", "Hàng đợi có giới hạn"), text("", "")),
            Door::Open => ("open", text("No bound", "Không giới hạn"), text("", "")),
            Door::Vegas => ("vegas", same("Vegas"), text("Netflix, adaptive", "Netflix, tự thích nghi")),
            Door::Gradient2 => ("gradient2", same("Gradient2"), text("Netflix, adaptive", "Netflix, tự thích nghi")),
            Door::Aimd => ("aimd", same("AIMD"), text("Netflix, adaptive", "Netflix, tự thích nghi")),
            Door::Envoy => ("envoy", same("Envoy"), text("gradient, adaptive", "gradient, tự thích nghi")),
        };
        Opt { key, label, hint }
    }

    /// Whether its limit moves.
    pub fn adapts(self) -> bool {
        !matches!(self, Door::Queue | Door::Open)
    }

    /// Its name on a chart.
    pub fn label(self) -> Text {
        self.opt().label
    }
}

impl Who {
    const ALL: [Who; 3] = [Who::Fifo, Who::Lifo, Who::Adaptive];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Who::Fifo => ("fifo", same("FIFO"), text("who came first", "ai đến trước")),
            Who::Lifo => ("lifo", same("LIFO"), text("who came last", "ai đến sau cùng")),
            Who::Adaptive => (
                "adaptive",
                text("Adaptive LIFO", "LIFO thích nghi"),
                text("FIFO, and LIFO in a long queue", "FIFO, hàng dài thì LIFO"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Waits {
    const ALL: [Waits; 3] = [Waits::Any, Waits::Fixed, Waits::CoDel];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Waits::Any => ("any", text("As long as it takes", "Bao lâu cũng được")),
            Waits::Fixed => ("fixed", text("So long", "Tới một mức")),
            Waits::CoDel => ("codel", same("CoDel")),
        };
        Opt { key, label, hint: same("") }
    }
}

/// LIFO and CoDel as in "Fail at Scale": 100 ms, and 5 ms in a standing queue.
const FAIL_AT_SCALE: Wait = Wait::CoDel { interval: Span::ms(100), target: Span::ms(5) };

impl Queue {
    /// The station of these knobs with its full load.
    pub fn own(&self) -> Setup {
        self.station(self.load.offered(), self.load.duration)
    }

    /// The same at another rate, for another time.
    pub fn station(&self, rate: Rate, duration: Span) -> Setup {
        let whole = rate == self.load.offered() && duration == self.load.duration;
        let load = if whole { self.load.load(0) } else { self.load.load_at(rate, duration, 0) };
        let wait = match self.wait {
            Waits::Any => Wait::Any,
            Waits::Fixed => Wait::Within(self.max_wait),
            Waits::CoDel => Wait::CoDel { interval: self.interval, target: self.target },
        };
        let order = match self.order {
            Who::Fifo => Order::Fifo,
            Who::Lifo => Order::Lifo,
            Who::Adaptive => Order::Adaptive(self.above as u32),
        };
        Setup {
            arrivals: load.arrivals,
            requests: load.requests,
            mix: [0; CLASSES],
            says: [0; CLASSES],
            service: load.service,
            slots: load.slots,
            timeout: load.timeout,
            gate: self.gate(),
            order,
            wait,
            drop_left: load.drop_left,
        }
    }

    /// What this station is compared with, on the same requests: all without a bound; FIFO, LIFO, LIFO with CoDel.
    pub fn others(setup: Setup) -> [Setup; 3] {
        let ways = [(Order::Fifo, Wait::Any), (Order::Lifo, Wait::Any), (Order::Lifo, FAIL_AT_SCALE)];
        ways.map(|(order, wait)| Setup { gate: Gate::Open, order, wait, drop_left: false, ..setup })
    }

    fn gate(&self) -> Gate {
        let or = |value: u64, own: u32| if value == 0 { own } else { value as u32 };
        let bounds = |max: u32| {
            let least = or(self.least, 20);
            let most = or(self.most, max).max(least);
            netflix::Bounds { initial: or(self.initial, 20).clamp(least, most), min: least, max: most }
        };
        let rule = match self.door {
            Door::Open => return Gate::Open,
            Door::Queue => return Gate::Queue(self.queue as u32),
            Door::Vegas => {
                let max = or(self.most, 1_000);
                Rule::Vegas(netflix::Bounds { initial: or(self.initial, 20).min(max), min: 1, max })
            }
            Door::Gradient2 => Rule::Gradient2(bounds(200)),
            Door::Aimd => Rule::Aimd(bounds(200), self.slow),
            Door::Envoy => {
                let min = or(self.least, 3);
                Rule::Envoy(envoy::Config {
                    min,
                    max: or(self.most, 1_000).max(min),
                    update: self.update,
                    measure: self.measure,
                    samples: self.samples as u32,
                    buffer: self.buffer as u32,
                })
            }
        };
        Gate::Adaptive(rule, self.window)
    }

    /// How long the last of a full queue waits at the pace of the capacity; `None` where the queue has no bound.
    pub fn full_wait(&self) -> Option<f64> {
        (self.door == Door::Queue).then(|| self.queue as f64 * self.load.service.as_ms() / self.load.slots as f64)
    }

    /// The queue whose last one waits just as long as one may: below that, nobody is ever dropped for waiting. `None` where there is
    /// no such limit.
    pub fn fires_from(&self) -> Option<f64> {
        let service = self.load.service.as_ms();
        (self.wait == Waits::Fixed).then(|| self.max_wait.as_ms() * self.load.slots as f64 / service)
    }
}

const DOOR: Choice = Choice {
    key: "door",
    label: text("At the door", "Ở cửa"),
    hint: text("who is let in; the others get a 503", "ai được vào; còn lại nhận 503"),
};
const QUEUE: Number = Number {
    key: "queue",
    label: text("Queue bound", "Giới hạn hàng đợi"),
    hint: text("calls that may wait; 0 refuses all", "số call được chờ; 0: từ chối tất cả"),
    ..shed::LIMIT
};
const ORDER: Choice = Choice {
    key: "order",
    label: text("Next is", "Người kế tiếp"),
    hint: text("when a slot is free", "khi có slot trống"),
};
const ABOVE: Number = Number {
    key: "above",
    label: text("LIFO above", "LIFO khi quá"),
    hint: text("so many waiting; 0: as soon as one waits", "chừng đó call chờ; 0: có hàng là LIFO"),
    max: 1_000,
    ..shed::LIMIT
};
const WAIT: Choice = Choice {
    key: "wait",
    label: text("One may wait", "Được chờ"),
    hint: text("checked at the call’s turn: too long, then 503", "xét khi tới lượt: quá lâu thì 503"),
};
const MAX_WAIT: Number = Number {
    key: "max_wait",
    label: text("Longest wait", "Chờ lâu nhất"),
    hint: text("dropped at its turn after that", "quá mức thì bị bỏ khi tới lượt"),
    min: 1_000,
    step: 10_000,
    ..shed::TIMEOUT
};
const INTERVAL: Number = Number {
    key: "interval",
    label: text("CoDel: interval", "CoDel: khoảng"),
    hint: text("a queue not empty for this long stands", "hàng không vắng suốt chừng này là ứ đọng"),
    max: 10_000_000,
    ..MAX_WAIT
};
const TARGET: Number = Number {
    key: "target",
    label: text("CoDel: target", "CoDel: mục tiêu"),
    hint: text("longest wait in a standing queue", "chờ lâu nhất khi hàng ứ đọng"),
    step: 1_000,
    ..INTERVAL
};
const INITIAL: Number = Number {
    key: "initial",
    label: text("Limit at the start", "Giới hạn lúc đầu"),
    hint: text("0: the library’s own", "0: theo thư viện"),
    max: 20_000,
    ..shed::LIMIT
};
const LEAST: Number =
    Number { key: "least", label: text("Least limit", "Giới hạn nhỏ nhất"), max: 1_000, ..INITIAL };
const MOST: Number = Number { key: "most", label: text("Greatest limit", "Giới hạn lớn nhất"), ..INITIAL };
const WINDOW: Number = Number {
    key: "window",
    label: text("Window", "Cửa sổ"),
    hint: text("gathers samples so long; 0: each counts", "gom mẫu chừng này; 0: từng mẫu một"),
    max: 10_000_000,
    step: 100_000,
    ..shed::TIMEOUT
};
const SLOW: Number = Number {
    key: "slow",
    label: text("Counts as dropped after", "Coi như bị bỏ sau"),
    hint: text("an answer that takes longer", "câu trả lời lâu hơn mức này"),
    ..MAX_WAIT
};
const UPDATE: Number = Number {
    key: "update",
    label: text("Limit set every", "Đặt lại giới hạn mỗi"),
    hint: same(""),
    min: 10_000,
    ..INTERVAL
};
const MEASURE: Number = Number {
    key: "measure",
    label: text("Least time measured every", "Đo lại thời gian nhỏ nhất mỗi"),
    hint: text("with the least limit, and up to 15 % later", "với giới hạn nhỏ nhất, trễ tới 15 %"),
    min: 100_000,
    max: 600_000_000,
    step: 1_000_000,
    ..INTERVAL
};
const SAMPLES: Number = Number {
    key: "samples",
    label: text("Samples for it", "Số mẫu mỗi lần đo"),
    hint: same(""),
    unit: units::PLAIN,
    min: 1,
    max: 1_000,
    ..shed::LIMIT
};
const BUFFER: Number = Number {
    key: "buffer",
    label: text("Buffer", "Phần dư"),
    hint: text("above the least time", "trên thời gian nhỏ nhất"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    max: 500,
    log: false,
    ..shed::LIMIT
};
const DROP_LEFT: Switch = Switch { label: text("Drop expired calls", "Bỏ call đã hết hạn"), ..shed::DROP_LEFT };

impl Knobs for Queue {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let load = &mut self.load;
        let bursts = load.pattern == Pattern::Bursts;
        v.group(text("The callers", "Phía gọi"), false);
        v.when(!bursts);
        v.number(&shed::RATE, &mut load.rate);
        v.when(bursts);
        v.number(&shed::BURST, &mut load.burst);
        span(v, &shed::TICK, &mut load.tick);
        v.when(true);
        span(v, &shed::TIMEOUT, &mut load.timeout);
        v.group(text("The queue", "Hàng đợi"), false);
        pick(v, &DOOR, &Door::ALL, Door::opt, &mut self.door);
        v.when(self.door == Door::Queue);
        v.number(&QUEUE, &mut self.queue);
        v.when(true);
        pick(v, &ORDER, &Who::ALL, Who::opt, &mut self.order);
        v.when(self.order == Who::Adaptive);
        v.number(&ABOVE, &mut self.above);
        v.when(true);
        pick(v, &WAIT, &Waits::ALL, Waits::opt, &mut self.wait);
        v.when(self.wait == Waits::Fixed);
        span(v, &MAX_WAIT, &mut self.max_wait);
        v.when(self.wait == Waits::CoDel);
        span(v, &INTERVAL, &mut self.interval);
        span(v, &TARGET, &mut self.target);
        let (netflix, envoy) = (self.door.adapts() && self.door != Door::Envoy, self.door == Door::Envoy);
        v.group(text("More: the moving limit", "Thêm: giới hạn tự đổi"), true);
        v.when(netflix);
        v.number(&INITIAL, &mut self.initial);
        v.when(self.door.adapts() && self.door != Door::Vegas);
        v.number(&LEAST, &mut self.least);
        v.when(self.door.adapts());
        v.number(&MOST, &mut self.most);
        v.when(netflix);
        span(v, &WINDOW, &mut self.window);
        v.when(self.door == Door::Aimd);
        span(v, &SLOW, &mut self.slow);
        v.when(envoy);
        span(v, &UPDATE, &mut self.update);
        span(v, &MEASURE, &mut self.measure);
        v.number(&SAMPLES, &mut self.samples);
        v.number(&BUFFER, &mut self.buffer);
        v.when(true);
        v.group(text("More: the server", "Thêm: server"), true);
        v.number(&shed::SLOTS, &mut load.slots);
        span(v, &shed::SERVICE, &mut load.service);
        pick(v, &shed::LAW, &ServiceLaw::ALL, ServiceLaw::opt, &mut load.law);
        v.switch(&DROP_LEFT, &mut load.drop_left);
        v.group(text("More: the load", "Thêm: tải"), true);
        pick(v, &shed::PATTERN, &Pattern::ALL, Pattern::opt, &mut load.pattern);
        span(v, &shed::DURATION, &mut load.duration);
    }
}
