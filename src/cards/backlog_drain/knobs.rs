//! The knobs of this card.

use overload_chart::{Unit, same, text};
use overload_sim::backlog::{Scaling, Setup, Shape};

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Visitor, pick};

/// A peak, a queue, its workers.
#[derive(Clone, Debug, PartialEq)]
pub struct BacklogDrain {
    /// Messages a minute during the peak.
    pub inflow: u64,
    /// How the peak is shaped.
    pub shape: Shape,
    /// Minutes.
    pub peak: u64,
    /// Messages a minute afterwards.
    pub after: u64,
    /// Messages a minute worked off.
    pub capacity: u64,
    /// Work of a message against today's, in percent.
    pub work: u64,
    /// What lies behind takes no more a minute; 0: no limit.
    pub limit: u64,
    /// Minutes until a message is late.
    pub slo: u64,
    /// Days until the queue drops a message; 0: never.
    pub retention: u64,
    /// Whether pods are added.
    pub scaling: Scaling,
    /// Messages a minute of one pod.
    pub pod: u64,
    /// Most pods.
    pub most: u64,
    /// Minutes until a pod works.
    pub start: u64,
    /// Minutes that scaling aims at.
    pub target: u64,
}

impl Default for BacklogDrain {
    /// Article 4, card 018.
    fn default() -> Self {
        BacklogDrain {
            inflow: 100_000,
            shape: Shape::Block,
            peak: 60,
            after: 0,
            capacity: 20_000,
            work: 100,
            limit: 0,
            slo: 10,
            // SQS keeps a message four days unless told otherwise.
            retention: 4,
            scaling: Scaling::Off,
            pod: 1_000,
            most: 100,
            start: 4,
            target: 5,
        }
    }
}

impl BacklogDrain {
    /// What is worked off a minute, given the work of a message.
    pub fn worked(&self) -> u64 {
        self.capacity * 100 / self.work
    }

    /// For the run.
    pub fn setup(&self) -> Setup {
        Setup {
            inflow: self.inflow,
            shape: self.shape,
            peak: self.peak,
            after: self.after,
            capacity: self.worked(),
            limit: self.limit,
            slo: self.slo,
            retention: self.retention * 24 * 60,
            scaling: self.scaling,
            pod: self.pod * 100 / self.work,
            most: self.most,
            start: self.start,
            target: self.target,
        }
    }

    /// Whether closed forms hold: an even peak, constant capacity, and nothing is dropped.
    pub fn calculable(&self) -> bool {
        self.shape == Shape::Block && self.scaling == Scaling::Off
    }
}

/// Messages a minute.
pub const PER_MINUTE: Unit = Unit::new("per_minute", text("/min", "/phút"), 0);
/// Minutes.
pub const MIN: Unit = Unit::new("min", text("min", "phút"), 0);

const INFLOW: Number = Number {
    key: "inflow",
    label: text("Inflow in the peak", "Inflow giờ cao điểm"),
    hint: text("messages, on average; 6M/h or 1.7k/s will do", "số message, trung bình; gõ 6M/h hay 1.7k/s cũng được"),
    unit: PER_MINUTE,
    per_unit: 1,
    kind: Kind::Rate,
    min: 100,
    max: 1_000_000,
    step: 100,
    log: true,
};
const AFTER: Number = Number {
    key: "after",
    label: text("Inflow afterwards", "Inflow sau đó"),
    hint: text("", ""),
    min: 0,
    step: 1_000,
    max: 500_000,
    log: false,
    ..INFLOW
};
const CAPACITY: Number = Number {
    key: "capacity",
    label: text("Capacity", "Năng lực"),
    hint: text("messages worked off today", "số message xử lý được hiện nay"),
    ..INFLOW
};
const LIMIT: Number = Number {
    key: "limit",
    label: text("Downstream takes", "Tầng dưới chịu được"),
    hint: text("0: as much as comes", "0: bao nhiêu cũng được"),
    ..AFTER
};
const PEAK: Number = Number {
    key: "peak",
    label: text("The peak lasts", "Cao điểm kéo dài"),
    hint: text("1.5h will do", "gõ 1.5h cũng được"),
    unit: MIN,
    kind: Kind::Duration,
    min: 5,
    max: 720,
    step: 5,
    log: false,
    ..INFLOW
};
const SLO: Number = Number {
    key: "slo",
    label: text("Late after", "Trễ sau"),
    hint: text("the SLO of one message", "SLO của một message"),
    min: 1,
    max: 1_440,
    step: 1,
    log: true,
    ..PEAK
};
const WORK: Number = Number {
    key: "work",
    label: text("Work per message", "Việc mỗi message"),
    hint: text("batching, leaving steps for later", "ghi theo lô, để lại phần chưa gấp"),
    unit: overload_chart::units::PERCENT,
    kind: Kind::Ratio,
    min: 10,
    max: 200,
    step: 5,
    ..PEAK
};
const RETENTION: Number = Number {
    key: "retention",
    label: text("The queue keeps", "Queue giữ message"),
    hint: text("0: for ever", "0: mãi mãi"),
    unit: Unit::counted("days", text("days", "ngày"), "day", 0),
    min: 0,
    max: 14,
    step: 1,
    ..PEAK
};
const POD: Number = Number {
    key: "pod",
    label: text("One pod works off", "Một pod xử lý"),
    hint: text("", ""),
    min: 10,
    max: 100_000,
    step: 10,
    ..INFLOW
};
const MOST: Number = Number {
    key: "most",
    label: text("Most pods", "Số pod tối đa"),
    hint: text("by what lies behind, not by the lag", "đặt theo tầng dưới, không theo lag"),
    unit: Unit::new("pods", same(""), 0),
    kind: Kind::Whole,
    min: 1,
    max: 1_000,
    step: 1,
    log: true,
    ..PEAK
};
const START: Number = Number {
    key: "start",
    label: text("A pod works after", "Pod làm việc sau"),
    hint: text("node, image, boot, warm-up", "node, image, boot, làm nóng"),
    min: 0,
    max: 30,
    step: 1,
    ..PEAK
};
const TARGET: Number = Number {
    key: "target",
    label: text("Scaling aims at", "Scale nhắm tới"),
    hint: text("drain time, or age of the oldest", "thời gian drain, hoặc tuổi message cũ nhất"),
    min: 1,
    max: 240,
    step: 1,
    ..PEAK
};
const SHAPE: Choice =
    Choice { key: "shape", label: text("Shape of the peak", "Hình dạng cao điểm"), hint: text("", "") };
const SCALING: Choice = Choice { key: "scaling", label: text("Add pods by", "Thêm pod theo"), hint: text("", "") };

fn shape(shape: Shape) -> Opt {
    let (key, label) = match shape {
        Shape::Block => ("block", text("Even", "Đều")),
        Shape::Triangle => ("triangle", text("Rising and falling", "Tăng rồi giảm")),
    };
    Opt { key, label, hint: text("", "") }
}

fn scaling(scaling: Scaling) -> Opt {
    let (key, label, hint) = match scaling {
        Scaling::Off => ("off", text("Not at all", "Không thêm"), text("", "")),
        Scaling::Depth => ("depth", text("Depth", "Depth"), text("depth / (pod · target)", "depth / (pod · mục tiêu)")),
        Scaling::Age => (
            "age",
            text("Age of the oldest", "Tuổi message cũ nhất"),
            text("pods · age / target", "pod · tuổi / mục tiêu"),
        ),
    };
    Opt { key, label, hint }
}

impl Knobs for BacklogDrain {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The peak", "Cao điểm"), false);
        v.number(&INFLOW, &mut self.inflow);
        v.number(&PEAK, &mut self.peak);
        v.number(&AFTER, &mut self.after);
        v.group(text("The workers", "Worker"), false);
        v.number(&CAPACITY, &mut self.capacity);
        v.number(&SLO, &mut self.slo);
        pick(v, &SCALING, &[Scaling::Off, Scaling::Depth, Scaling::Age], scaling, &mut self.scaling);
        v.when(self.scaling != Scaling::Off);
        v.number(&TARGET, &mut self.target);
        v.number(&START, &mut self.start);
        v.number(&MOST, &mut self.most);
        v.group(text("More: other levers and limits", "Thêm: đòn bẩy và giới hạn khác"), true);
        v.number(&WORK, &mut self.work);
        v.number(&POD, &mut self.pod);
        v.number(&LIMIT, &mut self.limit);
        v.number(&RETENTION, &mut self.retention);
        pick(v, &SHAPE, &[Shape::Block, Shape::Triangle], shape, &mut self.shape);
    }
}
