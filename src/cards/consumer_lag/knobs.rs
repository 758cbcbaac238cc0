//! The knobs of this card, and the consumer group that they stand for.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::partitions::{Setup, Signal};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// A topic, its consumers, what scales them.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerLag {
    /// Messages that wait at the start.
    pub backlog: u64,
    /// Messages that come a second.
    pub inflow: u64,
    /// What a batch waits for I/O.
    pub io: Span,
    /// CPU of a message.
    pub cpu: Span,
    /// What the number of pods follows, beside the CPU.
    pub scaler: Scaler,
    /// Lag per pod.
    pub threshold: u64,
    /// More pods than partitions.
    pub allow_idle: bool,
    /// Age of the oldest message.
    pub age: Span,
    /// Percent of the pods' requests.
    pub target: u64,
    /// Most pods.
    pub most: u64,
    /// Partitions.
    pub partitions: u64,
    /// Keys that a pod works on at once.
    pub parallel: u64,
    /// Messages that share one I/O.
    pub batch: u64,
    /// Messages a second that the downstream takes; 0: no limit.
    pub downstream: u64,
    /// Percent of the messages with one and the same key.
    pub hot: u64,
    /// So many other keys; 0: spread evenly.
    pub keys: u64,
    /// Pods at the start, and the fewest.
    pub least: u64,
    /// Thousandths of a core that a pod asks for.
    pub request: u64,
    /// From the wish for a pod until it consumes.
    pub start: Span,
    /// For how long a change of members stops everybody.
    pub rebalance: Span,
    /// How long it is watched.
    pub watch: Span,
}

/// What the number of pods follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaler {
    /// Lag per pod.
    Lag,
    /// The age of the oldest message.
    Age,
    /// Nothing: the most pods from the start.
    Fixed,
}

impl Default for ConsumerLag {
    /// Article 4, card 014: the lag, the partitions; the rest is ours, since the article has no more numbers.
    fn default() -> Self {
        ConsumerLag {
            backlog: 2_000_000,
            inflow: 1_000,
            io: Span::us(1_900),
            cpu: Span::us(100),
            scaler: Scaler::Lag,
            threshold: 300_000,
            allow_idle: false,
            age: Span::s(600),
            target: 70,
            most: 24,
            partitions: 12,
            parallel: 1,
            batch: 1,
            downstream: 0,
            hot: 0,
            keys: 0,
            least: 2,
            request: 200,
            start: Span::s(60),
            rebalance: Span::s(10),
            watch: Span::s(3_600),
        }
    }
}

impl ConsumerLag {
    /// Messages a second of one key, one batch after the other.
    pub fn lane(&self) -> f64 {
        self.batch as f64 / (self.io.as_s() + self.cpu.as_s() * self.batch as f64)
    }

    /// Messages a second of one pod: as many lanes as keys at once, as far as its one core goes.
    pub fn pod(&self) -> f64 {
        let by_core = if self.cpu == Span::ZERO { f64::INFINITY } else { 1.0 / self.cpu.as_s() };
        f64::min(self.lane() * self.parallel as f64, by_core)
    }

    /// Messages a second of so many pods on so many partitions, keys spread evenly.
    pub fn together(&self, pods: u64) -> f64 {
        let all = self.pod() * pods.min(self.partitions) as f64;
        if self.downstream > 0 { all.min(self.downstream as f64) } else { all }
    }

    /// The group with another signal.
    pub fn setup(&self, signal: Signal) -> Setup {
        Setup {
            partitions: self.partitions as u32,
            inflow: self.inflow,
            backlog: self.backlog,
            hot: self.hot,
            keys: self.keys as u32,
            io: self.io,
            cpu: self.cpu,
            batch: self.batch,
            parallel: self.parallel,
            request: self.request,
            cores: 1_000,
            behind: self.downstream,
            pods: self.least,
            least: self.least,
            most: self.most.max(self.least),
            start: self.start,
            rebalance: self.rebalance,
            signal,
            in_time: self.age,
            watch: self.watch,
        }
    }

    /// The group that follows the CPU.
    pub fn by_cpu(&self) -> Setup {
        self.setup(Signal::Cpu(self.target))
    }

    /// The group of the knobs.
    pub fn own(&self) -> Setup {
        match self.scaler {
            Scaler::Lag => self.setup(Signal::Lag(self.threshold, self.allow_idle)),
            Scaler::Age => self.setup(Signal::Age(self.age.as_us() / 1_000_000)),
            Scaler::Fixed => self.fixed(self.most.max(self.least)),
        }
    }

    /// So many pods, from the start and for ever.
    pub fn fixed(&self, pods: u64) -> Setup {
        Setup { pods, ..self.setup(Signal::Fixed) }
    }
}

pub const MESSAGES: Unit = Unit::counted("messages", text("messages", "message"), "message", 0);
pub const PODS: Unit = Unit::counted("pods", text("pods", "pod"), "pod", 0);

const BACKLOG: Number = Number {
    key: "backlog",
    label: text("Lag at the start", "Lag lúc đầu"),
    hint: text("messages that wait already", "message đang chờ sẵn"),
    unit: Unit::new("messages", same(""), 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 0,
    max: 50_000_000,
    step: 1_000,
    log: true,
};
const INFLOW: Number = Number {
    key: "inflow",
    label: text("Messages come", "Message đến"),
    hint: text("all the time", "suốt thời gian"),
    unit: units::PER_SECOND,
    kind: Kind::Rate,
    max: 100_000,
    step: 100,
    ..BACKLOG
};
const IO: Number = Number {
    key: "io",
    label: text("I/O of a message", "I/O của một message"),
    hint: text(
        "waiting for the downstream, no CPU; once per batch",
        "chờ downstream, không tốn CPU; một lần mỗi batch",
    ),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100,
    max: 10_000_000,
    step: 100,
    log: true,
};
const CPU: Number = Number {
    key: "cpu",
    label: text("CPU of a message", "CPU của một message"),
    hint: text("", ""),
    min: 0,
    max: 1_000_000,
    ..IO
};
const SCALER: Choice = Choice {
    key: "scaler",
    label: text("Scale by", "Scale theo"),
    hint: text("beside an HPA on CPU", "đặt cạnh một HPA theo CPU"),
};
const THRESHOLD: Number = Number {
    key: "threshold",
    label: text("Lag per pod", "Lag mỗi pod"),
    hint: text(
        "KEDA’s lagThreshold: pod’s rate × time to drain",
        "lagThreshold của KEDA: tốc độ một pod × thời gian drain",
    ),
    min: 1,
    max: 100_000_000,
    ..BACKLOG
};
const ALLOW_IDLE: Switch = Switch {
    key: "allow_idle",
    label: same("allowIdleConsumers"),
    hint: text("more pods than partitions", "nhiều pod hơn partition"),
};
const AGE: Number = Number {
    key: "age",
    label: text("Oldest message at most", "Message cũ nhất tối đa"),
    hint: text("the SLO; scaling by age aims at it, too", "SLO; scale theo tuổi cũng nhắm vào đây"),
    unit: units::S,
    per_unit: 1_000_000,
    min: 1_000_000,
    max: 86_400_000_000,
    step: 10_000_000,
    ..IO
};
const TARGET: Number = Number {
    key: "target",
    label: text("CPU target of the HPA", "Mục tiêu CPU của HPA"),
    hint: text("of what pods ask for", "so với request của pod"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 1,
    max: 100,
    step: 1,
    log: false,
    ..BACKLOG
};
const MOST: Number = Number {
    key: "most",
    label: same("maxReplicas"),
    hint: text("set by the downstream, not by the lag", "đặt theo downstream, không theo lag"),
    unit: PODS,
    min: 1,
    max: 100,
    step: 1,
    ..BACKLOG
};
const PARTITIONS: Number = Number {
    key: "partitions",
    label: text("Partitions", "Số partition"),
    hint: text("each belongs to one pod", "mỗi partition thuộc về một pod"),
    unit: Unit::new("partitions", same(""), 0),
    ..MOST
};
const PARALLEL: Number = Number {
    key: "parallel",
    label: text("Keys at once per pod", "Số key cùng lúc mỗi pod"),
    hint: text("order is kept within a key", "giữ thứ tự trong từng key"),
    unit: Unit::new("keys", same(""), 0),
    ..MOST
};
const BATCH: Number = Number {
    key: "batch",
    label: text("Messages per batch", "Message mỗi batch"),
    hint: text("share one I/O", "chung một lần I/O"),
    unit: Unit::new("messages", same(""), 0),
    max: 1_000,
    ..MOST
};
const DOWNSTREAM: Number = Number {
    key: "downstream",
    label: text("Downstream takes", "Downstream chịu được"),
    hint: text("messages a second; 0: no limit", "message mỗi giây; 0: không giới hạn"),
    ..INFLOW
};
const HOT: Number = Number {
    key: "hot",
    label: text("One hot key has", "Một key nóng chiếm"),
    hint: text("of all messages", "trong mọi message"),
    max: 100,
    min: 0,
    ..TARGET
};
const KEYS: Number = Number {
    key: "keys",
    label: text("Other keys", "Số key khác"),
    hint: text("hashed to partitions; 0: spread evenly", "hash vào partition; 0: trải đều"),
    unit: Unit::new("keys", same(""), 0),
    max: 10_000,
    step: 1,
    ..BACKLOG
};
const LEAST: Number = Number {
    key: "least",
    label: same("minReplicas"),
    hint: text("and the pods at the start", "và số pod lúc đầu"),
    ..MOST
};
const REQUEST: Number = Number {
    key: "request",
    label: text("CPU request of a pod", "CPU request của pod"),
    hint: text("thousandths of a core; it may use a whole one", "phần nghìn core; pod được dùng tới một core"),
    unit: Unit::new("millicores", same("m"), 0),
    min: 10,
    max: 1_000,
    step: 10,
    ..BACKLOG
};
const START: Number = Number {
    key: "start",
    label: text("A new pod takes", "Pod mới cần"),
    hint: text("until it consumes", "tới khi consume được"),
    min: 0,
    max: 600_000_000,
    step: 5_000_000,
    ..AGE
};
const REBALANCE: Number = Number {
    key: "rebalance",
    label: text("A rebalance stops all for", "Rebalance dừng tất cả"),
    hint: text("at each change of members", "mỗi khi thành viên thay đổi"),
    ..START
};
const WATCH: Number = Number {
    key: "watch",
    label: text("Watch for", "Theo dõi trong"),
    hint: text("", ""),
    min: 300_000_000,
    max: 14_400_000_000,
    step: 300_000_000,
    ..AGE
};

impl Scaler {
    const ALL: [Scaler; 3] = [Scaler::Lag, Scaler::Age, Scaler::Fixed];

    pub fn label(self) -> Text {
        match self {
            Scaler::Lag => text("Lag per pod (KEDA)", "Lag mỗi pod (KEDA)"),
            Scaler::Age => text("Age of the oldest", "Tuổi message cũ nhất"),
            Scaler::Fixed => text("Nothing: maxReplicas", "Không: maxReplicas"),
        }
    }

    fn opt(self) -> Opt {
        let key = match self {
            Scaler::Lag => "lag",
            Scaler::Age => "age",
            Scaler::Fixed => "fixed",
        };
        Opt { key, label: self.label(), hint: text("", "") }
    }
}

impl Knobs for ConsumerLag {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The topic", "Topic"), false);
        v.number(&BACKLOG, &mut self.backlog);
        v.number(&INFLOW, &mut self.inflow);
        v.group(text("Scaling", "Scaling"), false);
        pick(v, &SCALER, &Scaler::ALL, Scaler::opt, &mut self.scaler);
        v.when(self.scaler == Scaler::Lag);
        v.number(&THRESHOLD, &mut self.threshold);
        v.switch(&ALLOW_IDLE, &mut self.allow_idle);
        v.when(true);
        span(v, &AGE, &mut self.age);
        v.number(&MOST, &mut self.most);
        v.group(text("Where pods end", "Thêm pod tới đâu"), false);
        v.number(&PARTITIONS, &mut self.partitions);
        v.number(&DOWNSTREAM, &mut self.downstream);
        v.number(&HOT, &mut self.hot);
        v.group(text("More: the work, and levers", "Thêm: phần việc, và đòn bẩy"), true);
        span(v, &IO, &mut self.io);
        span(v, &CPU, &mut self.cpu);
        v.number(&PARALLEL, &mut self.parallel);
        v.number(&BATCH, &mut self.batch);
        v.group(text("More: the group", "Thêm: group"), true);
        v.when(self.hot < 100);
        v.number(&KEYS, &mut self.keys);
        v.when(true);
        v.number(&TARGET, &mut self.target);
        v.number(&LEAST, &mut self.least);
        v.number(&REQUEST, &mut self.request);
        span(v, &START, &mut self.start);
        span(v, &REBALANCE, &mut self.rebalance);
        span(v, &WATCH, &mut self.watch);
    }
}
