//! The knobs of this card.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Visitor, pick, span};

/// The herd, its waits, the server, and which strategies are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Jitter {
    /// How many clients fail together at t = 0.
    pub clients: u64,
    /// Most attempts a client makes, the first included.
    pub attempts: u64,
    /// The wait before the first retry, before jitter.
    pub base: Span,
    /// The longest wait, before jitter.
    pub cap: Span,
    /// Width of the random part of additive jitter.
    pub spread: Span,
    /// What a slot's capacity means.
    pub server: Server,
    /// Calls answered per slot.
    pub capacity: u64,
    /// A slot's length.
    pub slot: Span,
    /// Places in the queue of the queueing server.
    pub room: u64,
    /// How long a caller of the queueing server waits for its answer; zero: for ever.
    pub timeout: Span,
    /// The strategies compared, from top to bottom. The first is what the others are measured against.
    pub rows: [Strategy; 4],
}

/// What a slot's capacity means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// A retry into the slot just worked meets fresh capacity: the article's bookkeeping.
    Rounds,
    /// So many per slot and not one more.
    Strict,
    /// Nobody is refused while there is room: calls wait in a queue for one of `capacity` workers.
    Queue,
}

impl Default for Jitter {
    /// Article 1, card 018.
    fn default() -> Self {
        Jitter {
            clients: 1_000,
            attempts: 10,
            base: Span::ms(100),
            cap: Span::s(10),
            spread: Span::ms(100),
            server: Server::Rounds,
            capacity: 100,
            slot: Span::ms(100),
            room: 100_000,
            timeout: Span::ZERO,
            rows: [Strategy::NoJitter, Strategy::Additive, Strategy::Equal, Strategy::Full],
        }
    }
}

impl Jitter {
    /// The rule of one row.
    pub fn backoff(&self, strategy: Strategy) -> Backoff {
        Backoff { strategy, base: self.base, cap: self.cap, spread: self.spread, growth: Backoff::DOUBLES }
    }

    /// The strategies compared, each once, in order.
    pub fn distinct(&self) -> Vec<Strategy> {
        let mut distinct = Vec::new();
        for row in self.rows {
            if !distinct.contains(&row) {
                distinct.push(row);
            }
        }
        distinct
    }
}

const CLIENTS: Number = Number {
    key: "clients",
    label: text("Clients", "Số client"),
    hint: text("fail together at t = 0", "cùng lỗi ở t = 0"),
    unit: units::CLIENTS,
    per_unit: 1,
    kind: Kind::Whole,
    min: 10,
    max: 100_000,
    step: 10,
    log: true,
};
const ATTEMPTS: Number = Number {
    key: "attempts",
    label: text("Attempts", "Số lần thử"),
    hint: text("at most, first call included", "tối đa, kể cả lần gọi đầu"),
    unit: Unit::new("attempts", same(""), 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: 50,
    step: 1,
    log: false,
};
const BASE: Number = Number {
    key: "base",
    label: same("Base"),
    hint: text("first backoff, before jitter", "backoff đầu tiên, chưa tính jitter"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 1_000,
    max: 10_000_000,
    step: 5_000,
    log: true,
};
const CAP: Number = Number {
    key: "cap",
    label: same("Cap"),
    hint: text("longest wait before jitter", "trần của khoảng chờ, chưa tính jitter"),
    min: 10_000,
    max: 60_000_000,
    step: 100_000,
    ..BASE
};
const SPREAD: Number = Number {
    key: "spread",
    label: text("Added at random", "Phần cộng ngẫu nhiên"),
    hint: text("additive jitter only", "chỉ cho jitter cộng thêm"),
    min: 0,
    max: 5_000_000,
    step: 10_000,
    log: false,
    ..BASE
};
const CAPACITY: Number = Number {
    key: "capacity",
    label: text("Capacity", "Năng lực"),
    hint: text("calls per slot; in a queue, workers", "số call mỗi slot; với hàng đợi: số worker"),
    unit: Unit::new("calls_per_slot", text("per slot", "mỗi slot"), 0),
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 100_000,
    step: 10,
    log: true,
};
const SLOT: Number = Number {
    key: "slot",
    label: text("Slot", "Độ dài slot"),
    hint: text("the time over which capacity is counted", "khoảng thời gian để đếm năng lực"),
    min: 1_000,
    max: 10_000_000,
    ..BASE
};
const ROOM: Number = Number {
    key: "room",
    label: text("Queue limit", "Giới hạn hàng đợi"),
    hint: text("calls that may wait", "số call được xếp hàng"),
    unit: units::CALLS,
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 100_000,
    step: 10,
    log: false,
};
const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("Client timeout", "Timeout của client"),
    hint: text("0: no timeout", "0: không timeout"),
    min: 0,
    max: 60_000_000,
    step: 50_000,
    log: false,
    ..BASE
};
const SERVER: Choice = Choice { key: "server", label: text("Server model", "Mô hình server"), hint: text("", "") };
const fn row(key: &'static str, label: Text) -> Choice {
    Choice { key, label, hint: text("", "") }
}
const ROWS: [Choice; 4] = [
    row("strategy", text("First row", "Hàng thứ nhất")),
    row("strategy_2", text("Second row", "Hàng thứ hai")),
    row("strategy_3", text("Third row", "Hàng thứ ba")),
    row("strategy_4", text("Fourth row", "Hàng thứ tư")),
];

impl Server {
    const ALL: [Server; 3] = [Server::Rounds, Server::Strict, Server::Queue];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Server::Rounds => (
                "rounds",
                text("Rounds, as in the article", "Theo vòng, như trong bài"),
                text(
                    "a retry in the slot just worked meets fresh capacity",
                    "retry vào slot vừa xử lý xong lại gặp năng lực mới",
                ),
            ),
            Server::Strict => (
                "strict",
                text("Strict slot", "Slot nghiêm ngặt"),
                text("so many per slot and not one more", "mỗi slot đúng chừng ấy call, không hơn"),
            ),
            Server::Queue => (
                "queue",
                text("A real queue", "Hàng đợi thật"),
                text(
                    "calls wait for a worker; refused only when the queue is full",
                    "call chờ worker rảnh; chỉ bị từ chối khi hàng đợi đầy",
                ),
            ),
        };
        Opt { key, label, hint }
    }
}

/// A strategy's key, name and formula.
pub fn opt(strategy: Strategy) -> Opt {
    let label = match strategy {
        Strategy::NoJitter => text("No jitter", "Không jitter"),
        Strategy::Additive => text("Additive jitter", "Jitter cộng thêm"),
        Strategy::Equal => same("Equal jitter"),
        Strategy::Full => same("Full jitter"),
        Strategy::Decorrelated => same("Decorrelated jitter"),
        Strategy::Library(library) => same(library.name()),
    };
    Opt { key: strategy.key(), label, hint: same(formula(strategy)) }
}

/// A strategy's formula, short enough for a panel: t is min(cap, base·2ⁱ).
pub fn formula(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::NoJitter => "t = min(cap, base·2ⁱ)",
        Strategy::Additive => "t + U(0, added)",
        Strategy::Equal => "t/2 + U(0, t/2)",
        Strategy::Full => "U(0, t)",
        Strategy::Decorrelated => "min(cap, U(base, 3·previous))",
        Strategy::Library(library) => library.formula(),
    }
}

impl Knobs for Jitter {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The herd", "Đàn client"), false);
        v.number(&CLIENTS, &mut self.clients);
        v.number(&ATTEMPTS, &mut self.attempts);
        v.group(text("The wait", "Khoảng chờ"), false);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);
        v.when(self.rows.contains(&Strategy::Additive));
        span(v, &SPREAD, &mut self.spread);
        v.group(text("The server", "Server"), false);
        pick(v, &SERVER, &Server::ALL, Server::opt, &mut self.server);
        v.when(self.server == Server::Queue);
        v.number(&ROOM, &mut self.room);
        span(v, &TIMEOUT, &mut self.timeout);
        v.group(text("More: the server’s size", "Thêm: kích thước server"), true);
        v.number(&CAPACITY, &mut self.capacity);
        span(v, &SLOT, &mut self.slot);
        v.group(text("More: strategies compared", "Thêm: các chiến lược được so sánh"), true);
        for (row, strategy) in ROWS.iter().zip(&mut self.rows) {
            pick(v, row, &Strategy::ALL, opt, strategy);
        }
    }
}
