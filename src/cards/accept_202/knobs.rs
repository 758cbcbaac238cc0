//! The knobs of this card.

use overload_chart::{Unit, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::orders::{MOST_STEPS, Setup};
use overload_sim::time::{Span, Time};

use super::ORDERS;
use crate::knobs::{Kind, Knobs, Number, Switch, Visitor, span};

/// Orders, the processes that take them and work them off, and clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Orders {
    /// Orders a second, for how long.
    pub rate: u64,
    pub length: Span,
    /// Steps after the order; how long one takes, and how unevenly (squared coefficient of variation, in percent).
    pub steps: u64,
    pub step: Span,
    pub tail: u64,
    /// A transaction, and sending a message.
    pub write: Span,
    pub publish: Span,
    /// Requests handled at a time.
    pub threads: u64,
    /// Crashes of each process a minute, and how long it takes to come back.
    pub crashes: u64,
    pub restart: Span,
    /// Transactions rolled back, in thousandths.
    pub rollback: u64,
    /// The client: with one key for all attempts, how long it waits, how often it tries, whether it waits for the result.
    pub keyed: bool,
    pub timeout: Span,
    pub attempts: u64,
    pub waits: bool,
    /// Consumers, whether they remember what they did, how long a message is hidden.
    pub workers: u64,
    pub idempotent: bool,
    pub visible: Span,
    /// The relay.
    pub poll: Span,
    pub batch: u64,
    /// The broker is down.
    pub down_at: Span,
    pub down_for: Span,
}

impl Default for Orders {
    /// Article 4: six things in a row, of which two stay in the request. How long they take, and how often a process crashes, is
    /// ours: far more often than in life, so that there is something to count.
    fn default() -> Self {
        Orders {
            rate: 30,
            length: Span::s(20),
            steps: 4,
            step: Span::ms(30),
            tail: 300,
            write: Span::ms(10),
            publish: Span::ms(20),
            threads: 16,
            crashes: 60,
            restart: Span::ms(200),
            rollback: 20,
            keyed: true,
            timeout: Span::s(2),
            attempts: 4,
            waits: false,
            workers: 12,
            idempotent: true,
            visible: Span::s(5),
            poll: Span::ms(100),
            batch: 20,
            down_at: Span::s(5),
            down_for: Span::ZERO,
        }
    }
}

impl Orders {
    /// The simulation's own words.
    pub fn setup(&self) -> Setup {
        Setup {
            rate: Rate::per_s(self.rate),
            length: self.length,
            steps: self.steps as u8,
            step: self.step,
            scv_milli: self.tail as u32 * 10,
            write: self.write,
            publish: self.publish,
            threads: self.threads,
            rollback_ppm: self.rollback * 1_000,
            crash_every: Span::s(60 * self.crashes.min(1)) / self.crashes.max(1),
            restart: self.restart,
            timeout: self.timeout,
            attempts: self.attempts as u32,
            keyed: self.keyed,
            waits: self.waits,
            workers: self.workers,
            idempotent: self.idempotent,
            visible: self.visible,
            poll: self.poll,
            batch: self.batch as usize,
            down_at: Time::ZERO + self.down_at,
            down_for: self.down_for,
        }
    }
}

const RATE: Number = Number {
    key: "rate",
    label: text("Orders", "Đơn hàng"),
    hint: same(""),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 500,
    step: 1,
    log: true,
};
const LENGTH: Number = Number {
    key: "length",
    label: text("For", "Trong"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 1_000_000,
    max: 60_000_000,
    step: 1_000_000,
    ..RATE
};
const STEPS: Number = Number {
    key: "steps",
    label: text("Steps after the order", "Số bước sau khi ghi đơn"),
    hint: text("mail, push, CRM, audit …", "email, push, CRM, audit …"),
    unit: units::PLAIN,
    kind: Kind::Whole,
    max: MOST_STEPS as u64,
    log: false,
    ..RATE
};
const STEP: Number = Number {
    key: "step",
    label: text("A step takes", "Một bước mất"),
    hint: text("on average", "trung bình"),
    max: 2_000_000,
    min: 1_000,
    step: 1_000,
    ..LENGTH
};
const TAIL: Number = Number {
    key: "tail",
    label: text("How unevenly", "Dao động"),
    hint: text(
        "squared variation: 0 always the same, 100 like an exponential law",
        "bình phương hệ số biến thiên: 0 luôn như nhau, 100 như phân phối mũ",
    ),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 0,
    max: 2_000,
    step: 50,
    log: false,
    ..RATE
};
const WRITE: Number = Number { key: "write", label: text("A transaction takes", "Một transaction mất"), ..STEP };
const PUBLISH: Number =
    Number { key: "publish", label: text("Sending a message takes", "Gửi một message mất"), ..STEP };
const THREADS: Number = Number {
    key: "threads",
    label: text("Requests handled at a time", "Số request xử lý cùng lúc"),
    hint: same(""),
    max: 200,
    log: true,
    ..STEPS
};
const CRASHES: Number = Number {
    key: "crashes",
    label: text("A process crashes", "Mỗi process crash"),
    hint: text("on average; 0: never", "trung bình; 0: không bao giờ"),
    unit: Unit::new("per_minute", text("/min", "/phút"), 0),
    min: 0,
    max: 600,
    step: 5,
    log: false,
    ..RATE
};
const RESTART: Number =
    Number {
        key: "restart", label: text("It is back after", "Chạy lại sau"), hint: same(""), max: 10_000_000, ..STEP
    };
const ROLLBACK: Number = Number {
    key: "rollback",
    label: text("Transactions rolled back", "Transaction bị rollback"),
    hint: same(""),
    per_unit: 10,
    max: 500,
    step: 5,
    ..TAIL
};
const KEYED: Switch = Switch {
    key: "keyed",
    label: text("Idempotency key", "Idempotency key"),
    hint: text("one for all attempts of an order", "một key cho mọi lần thử của một đơn"),
};
const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("A client waits up to", "Client chờ tối đa"),
    hint: same(""),
    min: 50_000,
    max: 60_000_000,
    step: 50_000,
    ..STEP
};
const ATTEMPTS: Number =
    Number {
        key: "attempts", label: text("Attempts at most", "Số lần thử tối đa"), hint: same(""), max: 10, ..STEPS
    };
const WAITS: Switch = Switch {
    key: "waits",
    label: text("The client waits for the result", "Client chờ kết quả"),
    hint: text("off: it takes the answer and polls", "tắt: nhận trả lời rồi poll"),
};
const WORKERS: Number =
    Number { key: "workers", label: text("Messages worked at a time", "Số message xử lý cùng lúc"), ..THREADS };
const IDEMPOTENT: Switch = Switch {
    key: "idempotent",
    label: text("Idempotent consumer", "Consumer idempotent"),
    hint: text("it remembers what it has done", "nhớ những gì đã làm"),
};
const VISIBLE: Number = Number {
    key: "visible",
    label: text("A message taken is hidden for", "Message đã lấy bị ẩn trong"),
    hint: text("visibility timeout", "visibility timeout"),
    min: 100_000,
    max: 60_000_000,
    step: 500_000,
    ..STEP
};
const POLL: Number = Number {
    key: "poll",
    label: text("The relay looks every", "Relay đọc outbox mỗi"),
    hint: same(""),
    max: 5_000_000,
    ..STEP
};
const BATCH: Number =
    Number {
        key: "batch", label: text("Rows sent at a time", "Số dòng gửi mỗi lần"), unit: ORDERS, ..THREADS
    };
const DOWN_FOR: Number = Number {
    key: "down_for",
    label: text("The broker is down for", "Broker ngừng trong"),
    hint: text("0: never", "0: không bao giờ"),
    min: 0,
    max: 60_000_000,
    step: 500_000,
    log: false,
    ..STEP
};
const DOWN_AT: Number = Number { key: "down_at", label: text("From", "Từ lúc"), hint: same(""), ..DOWN_FOR };

impl Knobs for Orders {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("Orders", "Đơn hàng"), false);
        v.number(&RATE, &mut self.rate);
        v.number(&STEPS, &mut self.steps);
        span(v, &STEP, &mut self.step);
        v.group(text("What goes wrong", "Điều gì hỏng"), false);
        v.number(&CRASHES, &mut self.crashes);
        v.number(&ROLLBACK, &mut self.rollback);
        span(v, &DOWN_FOR, &mut self.down_for);
        v.group(text("Client and consumer", "Client và consumer"), false);
        v.switch(&KEYED, &mut self.keyed);
        v.switch(&IDEMPOTENT, &mut self.idempotent);
        v.switch(&WAITS, &mut self.waits);
        v.group(text("More: how long things take", "Thêm: mỗi việc mất bao lâu"), true);
        v.number(&TAIL, &mut self.tail);
        span(v, &WRITE, &mut self.write);
        span(v, &PUBLISH, &mut self.publish);
        v.number(&THREADS, &mut self.threads);
        v.number(&WORKERS, &mut self.workers);
        span(v, &LENGTH, &mut self.length);
        v.group(text("More: failures, client, relay", "Thêm: sự cố, client, relay"), true);
        v.when(self.crashes > 0);
        span(v, &RESTART, &mut self.restart);
        v.when(self.down_for > Span::ZERO);
        span(v, &DOWN_AT, &mut self.down_at);
        v.when(true);
        span(v, &TIMEOUT, &mut self.timeout);
        v.number(&ATTEMPTS, &mut self.attempts);
        span(v, &VISIBLE, &mut self.visible);
        span(v, &POLL, &mut self.poll);
        v.number(&BATCH, &mut self.batch);
    }
}
