//! The knobs of this card.

use overload_chart::{Unit, same, text, units};
use overload_sim::budget::Ratio;
use overload_sim::budget::bucket::Bucket;
use overload_sim::layers::{Dependency, Layer, Setup};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// Most layers.
pub const MOST_LAYERS: usize = 6;
/// Most hops: a call of each layer, and that of a hidden SDK.
pub const MOST_HOPS: usize = MOST_LAYERS + 1;
/// How long a call to the DB takes that is not slow.
const QUICK: Span = Span::ms(50);
/// The users' requests come evenly over this time, as in the article's second run.
const OVER: Span = Span::s(2);

/// The chain, its last dependency, its users and what limits retries.
#[derive(Clone, Debug, PartialEq)]
pub struct Amplification {
    /// How many layers call one another, the last one the DB.
    pub layers: u64,
    /// Which of them retry.
    pub who: Who,
    /// Retries of each layer that retries.
    pub retries: u64,
    /// Retries layer by layer, from the client down; always [`MOST_LAYERS`] of them.
    pub retries_of: Vec<u64>,
    /// What is wrong with the DB.
    pub trouble: Trouble,
    /// How many calls in a thousand meet the fault.
    pub fault: u64,
    /// Users, each with one request.
    pub users: u64,
    /// How many users in a thousand have one fate for all of their calls.
    pub together: u64,
    /// Retries of a driver or SDK under the last layer, of which that layer knows nothing.
    pub sdk: u64,
    /// Whether each layer has a retry budget.
    pub budget: bool,
    /// What a request brings into it, in ten-thousandths of a retry.
    pub ratio: u64,
    /// Most retries saved up in it.
    pub bucket: u64,
    /// How long a slow call to the DB takes.
    pub slow: Span,
    /// How long a layer waits; of nested timeouts the innermost.
    pub timeout: Span,
    /// How the layers' timeouts lie.
    pub patience: Patience,
    /// Whether a layer stops when its caller stops waiting.
    pub cancel: bool,
}

/// Which layers retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Every one.
    All,
    /// The one nearest the DB, as article 1 advises.
    Dependency,
    /// The one nearest the client, as article 4 advises.
    Client,
    /// As listed.
    Each,
}

/// What is wrong with the DB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It refuses at once.
    Refuses,
    /// It answers, but late.
    Slow,
}

/// How the layers' timeouts lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// All alike.
    Alike,
    /// Each outer one outlasts all attempts of the layer below.
    Nested,
}

impl Default for Amplification {
    /// Article 1, card 036, first line.
    fn default() -> Self {
        Amplification {
            layers: 3,
            who: Who::All,
            retries: 3,
            retries_of: vec![3; MOST_LAYERS],
            trouble: Trouble::Refuses,
            fault: 1_000,
            users: 1,
            together: 0,
            sdk: 0,
            budget: false,
            ratio: 1_000,
            bucket: 10,
            slow: Span::s(2),
            timeout: Span::s(1),
            patience: Patience::Alike,
            cancel: false,
        }
    }
}

impl Amplification {
    /// Retries by hop, from the client down, the hidden SDK's last.
    pub fn by_hop(&self) -> Vec<u32> {
        self.of(self.who, self.layers as usize)
    }

    /// The same with other layers retrying, or more of them. What is listed layer by layer is padded by its last entry.
    pub fn of(&self, who: Who, layers: usize) -> Vec<u32> {
        let at = |i: usize| match who {
            Who::All => self.retries,
            Who::Dependency => self.retries * u64::from(i + 1 == layers),
            Who::Client => self.retries * u64::from(i == 0),
            Who::Each => self.retries_of.get(i.min(self.layers as usize - 1)).copied().unwrap_or(0),
        };
        let mut all: Vec<u32> = (0..layers).map(|i| at(i) as u32).collect();
        if self.sdk > 0 {
            all.push(self.sdk as u32);
        }
        all
    }

    /// How many hops there are.
    pub fn hops(&self) -> usize {
        self.layers as usize + usize::from(self.sdk > 0)
    }

    /// Whether calls take time.
    pub fn slow(&self) -> bool {
        self.trouble == Trouble::Slow
    }

    /// The chain with these retries by hop.
    pub fn setup(&self, retries: &[u32]) -> Setup {
        let budget = Bucket::new(Ratio::ppm(100 * self.ratio), self.bucket);
        let mut timeout = self.timeout;
        let mut below = None;
        let mut layers: Vec<Layer> = Vec::with_capacity(retries.len());
        for (i, &retries) in retries.iter().enumerate().rev() {
            if let (Patience::Nested, Some(below)) = (self.patience, below) {
                timeout = timeout * (u64::from(below) + 1u64) + Span::ms(1);
            }
            below = Some(retries);
            // The SDK is not asked.
            let limited = self.budget && i < self.layers as usize;
            layers.push(Layer { retries, budget: limited.then_some(budget), timeout });
        }
        layers.reverse();
        let dependency = match self.trouble {
            Trouble::Refuses => Dependency::Refuses,
            Trouble::Slow => Dependency::Slow { quick: QUICK, slow: self.slow, cancel: self.cancel },
        };
        Setup {
            layers,
            dependency,
            fault: self.fault as u32,
            together: self.together as u32,
            users: self.users,
            over: OVER,
        }
    }
}

const LAYERS: Number = Number {
    key: "layers",
    label: text("Layers", "Số tầng"),
    hint: text("that call one another, down to the DB", "gọi lồng nhau, tầng cuối gọi DB"),
    unit: Unit::new("layers", same(""), 0),
    per_unit: 1,
    kind: Kind::Whole,
    min: 1,
    max: MOST_LAYERS as u64,
    step: 1,
    log: false,
};
const RETRIES: Number = Number {
    key: "retries",
    label: text("Retries", "Số retry"),
    hint: text("of a layer, after its first call", "của một tầng, sau lần gọi đầu"),
    unit: Unit::new("retries", same(""), 0),
    min: 0,
    max: 5,
    ..LAYERS
};
const RETRIES_OF: Number = Number {
    key: "retries_of",
    label: text("Retries of layer", "Số retry của tầng"),
    hint: text("layer one is nearest the client", "tầng một gần client nhất"),
    ..RETRIES
};
const SDK: Number = Number {
    key: "sdk",
    label: text("Hidden SDK retries", "Retry ngầm của SDK"),
    hint: text("in the DB driver, under the last layer", "trong driver của DB, dưới tầng cuối"),
    ..RETRIES
};
const USERS: Number = Number {
    key: "users",
    label: text("Users", "Số user"),
    hint: text("one request each", "mỗi user một request"),
    unit: Unit::new("users", same(""), 0),
    min: 1,
    max: 10_000,
    log: true,
    ..LAYERS
};
const FAULT: Number = Number {
    key: "fault",
    label: text("Calls that meet the fault", "Tỉ lệ call gặp lỗi"),
    hint: text("of those that reach the DB", "trong số call tới DB"),
    unit: units::PERCENT,
    per_unit: 10,
    kind: Kind::Ratio,
    min: 0,
    max: 1_000,
    step: 10,
    log: false,
};
const TOGETHER: Number = Number {
    key: "together",
    label: text("Faults come together", "Lỗi đến cùng nhau"),
    hint: text("users whose calls all share one fate", "tỉ lệ user mà mọi call chung một số phận"),
    ..FAULT
};
const RATIO: Number = Number {
    key: "ratio",
    label: text("Budget", "Mức budget"),
    hint: text("retries per request", "số retry so với số request"),
    per_unit: 100,
    max: 10_000,
    step: 100,
    ..FAULT
};
const BUCKET: Number = Number {
    key: "bucket",
    label: text("Saved up", "Để dành"),
    hint: text("most retries in the bucket; it starts full", "số retry tối đa trong bucket; lúc đầu bucket đầy"),
    min: 1,
    max: 1_000,
    log: true,
    ..RETRIES
};
const TIMEOUT: Number = Number {
    key: "timeout",
    label: text("Timeout", "Timeout"),
    hint: text("how long a layer waits", "mỗi tầng chờ bao lâu"),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 100_000,
    max: 10_000_000,
    step: 100_000,
    log: false,
};
const SLOW: Number = Number {
    key: "slow",
    label: text("A slow call takes", "Call chậm mất"),
    hint: text("normally fifty", "bình thường là năm mươi"),
    min: 50_000,
    step: 50_000,
    ..TIMEOUT
};
const WHO: Choice = Choice { key: "who", label: text("Which layers retry", "Tầng nào retry"), hint: text("", "") };
const TROUBLE: Choice =
    Choice {
        key: "trouble", label: text("The DB", "DB"), hint: text("the last dependency", "dependency cuối cùng")
    };
const PATIENCE: Choice = Choice { key: "patience", label: text("Timeouts", "Các timeout"), hint: text("", "") };
const BUDGET: Switch = Switch {
    key: "budget",
    label: text("Retry budget", "Retry budget"),
    hint: text("a bucket in each layer", "mỗi tầng một bucket token"),
};
const CANCEL: Switch = Switch {
    key: "cancel",
    label: text("Stop with the caller", "Dừng theo caller"),
    hint: text("cancellation travels down", "lệnh huỷ truyền xuống dưới"),
};

impl Who {
    const ALL: [Who; 4] = [Who::All, Who::Dependency, Who::Client, Who::Each];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Who::All => (
                "all",
                text("All", "Mọi tầng"),
                text("each has the standard helper", "tầng nào cũng dùng helper chuẩn"),
            ),
            Who::Dependency => {
                ("dependency", text("Nearest the DB", "Gần DB nhất"), text("as article 1 advises", "như bài 1 khuyên"))
            }
            Who::Client => (
                "client",
                text("Nearest the client", "Gần client nhất"),
                text("as article 4 advises", "như bài 4 khuyên"),
            ),
            Who::Each => ("each", text("Layer by layer", "Theo từng tầng"), text("as listed", "theo danh sách")),
        };
        Opt { key, label, hint }
    }
}

impl Trouble {
    const ALL: [Trouble; 2] = [Trouble::Refuses, Trouble::Slow];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Trouble::Refuses => ("refuses", text("Refuses", "Từ chối"), text("an error at once", "trả lỗi ngay")),
            Trouble::Slow => ("slow", text("Is slow", "Chậm"), text("an answer, but late", "có trả lời, nhưng muộn")),
        };
        Opt { key, label, hint }
    }
}

impl Patience {
    const ALL: [Patience; 2] = [Patience::Alike, Patience::Nested];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Patience::Alike => ("alike", text("The same everywhere", "Tầng nào cũng như nhau"), text("", "")),
            Patience::Nested => (
                "nested",
                text("Outer longer than inner", "Ngoài dài hơn trong"),
                text("each outlasts all attempts below it", "mỗi tầng chờ đủ lâu cho mọi lần thử bên dưới"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Knobs for Amplification {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The chain", "Chuỗi gọi"), false);
        v.number(&LAYERS, &mut self.layers);
        pick(v, &WHO, &Who::ALL, Who::opt, &mut self.who);
        v.when(self.who != Who::Each);
        v.number(&RETRIES, &mut self.retries);
        v.when(self.who == Who::Each);
        v.list(&RETRIES_OF, self.layers as usize, &mut self.retries_of);
        v.group(text("The dependency", "Dependency"), false);
        pick(v, &TROUBLE, &Trouble::ALL, Trouble::opt, &mut self.trouble);
        v.number(&FAULT, &mut self.fault);
        v.when(self.slow());
        span(v, &SLOW, &mut self.slow);
        span(v, &TIMEOUT, &mut self.timeout);
        pick(v, &PATIENCE, &Patience::ALL, Patience::opt, &mut self.patience);
        v.switch(&CANCEL, &mut self.cancel);
        v.group(text("The guardrail", "Guardrail"), false);
        v.switch(&BUDGET, &mut self.budget);
        v.when(self.budget);
        v.number(&RATIO, &mut self.ratio);
        v.group(text("More: users, and what is easily missed", "Thêm: user, và những thứ dễ bị bỏ sót"), true);
        v.number(&USERS, &mut self.users);
        v.number(&TOGETHER, &mut self.together);
        v.number(&SDK, &mut self.sdk);
        v.when(self.budget);
        v.number(&BUCKET, &mut self.bucket);
    }
}
