//! The knobs of this card.

use overload_chart::{Text, same, text, units};
use overload_sim::arrivals::Rate;
use overload_sim::cache::fresh::Lifetime;
use overload_sim::cache::hot::Hot;
use overload_sim::cache::stack::{Coalesce, Setup};
use overload_sim::time::Span;

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// An endpoint that is mostly read: its traffic, caches, database, an incident and the answer to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCache {
    /// Requests a second before the peak and in it.
    pub base: u64,
    pub peak: u64,
    /// Who brings the difference.
    pub source: Source,
    /// Requests that nobody else makes, in percent.
    pub once: u64,
    /// What a deploy in the peak does to the cache.
    pub change: Change,
    /// With [`Change::OwnKeys`]: requests without a copy from then on, in percent.
    pub own: u64,
    /// Who may rebuild the same page at once.
    pub coalesce: Coalesce,
    /// Whether stale copies are served, copies rebuilt early, times to live spread.
    pub stale: bool,
    pub early: bool,
    pub spread: bool,
    /// Whether pods hold every page before they take traffic.
    pub warm: bool,
    /// First aid: a limit at the door, and how many a second it lets in;
    pub limited: bool,
    pub limit: u64,
    /// what a smaller page leaves of a query, in percent;
    pub page: u64,
    /// an old copy at once where no connection is free; what nobody else asks for answered with the plain page; twice the pods; the
    /// deploy undone.
    pub old_copy: bool,
    pub flag: bool,
    pub more_pods: bool,
    pub undo: bool,
    /// The database's connections, how long a query takes, how many may wait and how long, and the caller's patience.
    pub connections: u64,
    pub query: Span,
    pub room: u64,
    pub acquire: Span,
    pub timeout: Span,
    /// Layers.
    pub cdn: bool,
    pub local: bool,
    pub shared: bool,
    pub edge_ttl: Span,
    pub edge_stale: Span,
    pub local_ttl: Span,
    pub ttl: Span,
    pub stale_for: Span,
    pub error_for: Span,
    pub shorter: u64,
    pub beta: u64,
    pub pods: u64,
    pub pages: u64,
    pub zipf: u64,
    /// How long each of the four phases lasts, and whether requests come at random.
    pub phase: Span,
    pub random: bool,
    /// Hot keys that were filled at the same moment: how many, requests for each in thousandths a second, what a rebuild takes, how
    /// many expiries are watched.
    pub keys: u64,
    pub key_rate: u64,
    pub rebuild: Span,
    pub expiries: u64,
}

/// Who brings the traffic of the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Users, for the same pages.
    Campaign,
    /// A crawler, for pages nobody else asks for.
    Bot,
    /// A client that polls one page.
    Polling,
}

/// What the deploy does to the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// A parameter joins the key: many requests have a key of their own.
    OwnKeys,
    /// A new prefix or serializer, or a flush: nothing is found at first.
    Cold,
    /// The time to live becomes zero.
    ZeroTtl,
    /// All pods start anew.
    Restart,
    /// As many pods again.
    Scale,
}

impl Default for ReadCache {
    /// Article 4, card 028: from 500 to 8,000 rps, and after a deploy the hit ratio falls from 95 % to 20 %. Connections and query
    /// are ours: 20 × 20 ms do 1,000 queries a second.
    fn default() -> Self {
        ReadCache {
            base: 500,
            peak: 8_000,
            source: Source::Campaign,
            once: 5,
            change: Change::OwnKeys,
            own: 80,
            coalesce: Coalesce::Off,
            stale: false,
            early: false,
            spread: false,
            warm: false,
            limited: false,
            limit: 1_200,
            page: 100,
            old_copy: false,
            flag: false,
            more_pods: false,
            undo: false,
            connections: 20,
            query: Span::ms(20),
            room: 20_000,
            acquire: Span::ms(500),
            timeout: Span::ms(500),
            cdn: false,
            local: false,
            shared: true,
            edge_ttl: Span::s(30),
            edge_stale: Span::s(30),
            local_ttl: Span::s(10),
            ttl: Span::s(30),
            stale_for: Span::s(30),
            error_for: Span::s(30),
            shorter: 20,
            beta: 100,
            pods: 20,
            pages: 200,
            zipf: 100,
            phase: Span::s(1),
            random: false,
            keys: 10,
            key_rate: 50_000,
            rebuild: Span::ms(200),
            expiries: 1,
        }
    }
}

/// The phases: as always, the peak, after the deploy, with first aid.
pub const PHASES: usize = 4;

impl ReadCache {
    /// Requests a second in a phase.
    pub fn rate(&self, phase: usize) -> u64 {
        if phase == 0 { self.base } else { self.peak }
    }

    /// Whether one source brings what the peak has more, and can be told by its key.
    pub fn one_source(&self) -> bool {
        self.source != Source::Campaign && self.peak > self.base
    }

    /// How long a query takes with first aid.
    pub fn smaller_query(&self) -> Span {
        Span::us((self.query.as_us() * self.page / 100).max(1))
    }

    /// Whether there is any first aid.
    pub fn aided(&self) -> bool {
        let undone = self.undo && self.can_undo();
        self.limited || self.page < 100 || self.old_copy || self.flag || self.more_pods || undone
    }

    /// Whether there is something that a rollback takes back.
    pub fn can_undo(&self) -> bool {
        matches!(self.change, Change::OwnKeys | Change::Cold | Change::ZeroTtl)
    }

    /// What the database does in a second, before first aid and with it.
    pub fn capacity(&self, phase: usize) -> f64 {
        let query = if phase + 1 == PHASES { self.smaller_query() } else { self.query };
        self.connections as f64 / query.as_s()
    }

    /// The shared cache's copies.
    fn life(&self) -> Lifetime {
        let of = |span: Span| if self.stale { span } else { Span::ZERO };
        Lifetime { max_age: self.ttl, stale_while_revalidate: of(self.stale_for), stale_if_error: of(self.error_for) }
    }

    /// The parts of the run.
    pub fn setup(&self) -> Setup {
        let edge = Lifetime {
            max_age: self.edge_ttl,
            stale_while_revalidate: self.edge_stale,
            stale_if_error: self.edge_stale,
        };
        Setup {
            connections: self.connections as u32,
            room: self.room as u32,
            query: self.query,
            acquire: self.acquire,
            timeout: self.timeout,
            pages: self.pages as u32,
            pods: self.pods as u32,
            edge: self.cdn.then_some(edge),
            local: self.local.then_some(self.local_ttl),
            shared: self.shared.then_some(self.life()),
            spread: if self.spread { self.shorter } else { 0 },
            beta_milli: if self.early { self.beta * 10 } else { 0 },
            coalesce: self.coalesce,
        }
    }

    /// The hot keys.
    pub fn hot(&self) -> Hot {
        Hot {
            rate: Rate::milli_per_s(self.key_rate),
            cost: self.rebuild,
            life: Lifetime { max_age: self.ttl, stale_while_revalidate: self.stale_for, stale_if_error: Span::ZERO },
            beta_milli: self.beta * 10,
            spread: self.shorter,
        }
    }

    /// About how many requests the hot keys see around one expiry.
    fn hot_requests_at_once(&self) -> u64 {
        let hot = self.hot();
        let lead = overload_sim::cache::fresh::farthest(hot.cost, hot.beta_milli).min(hot.life.max_age);
        let seconds = lead.as_s() + 4.0 * hot.cost.as_s();
        self.keys * (hot.rate.as_per_s() * seconds + 6.0) as u64
    }

    /// Expiries watched: as many as asked for, but fewer where that would be more than two million requests.
    pub fn watched(&self) -> u64 {
        self.expiries.min(2_000_000 / self.hot_requests_at_once().max(1)).max(1)
    }

    /// About how many requests the hot keys see.
    pub fn hot_requests(&self) -> u64 {
        self.watched() * self.hot_requests_at_once()
    }
}

const BASE: Number = Number {
    key: "base",
    label: text("Before the peak", "Trước cao điểm"),
    hint: text("requests a second", "request mỗi giây"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 10,
    max: 30_000,
    step: 10,
    log: true,
};
const PEAK: Number = Number { key: "peak", label: text("At the peak", "Lúc cao điểm"), ..BASE };
const SOURCE: Choice =
    Choice { key: "source", label: text("The peak comes from", "Cao điểm đến từ"), hint: same("") };
const ONCE: Number = Number {
    key: "once",
    label: text("Requests nobody else makes", "Request không ai khác hỏi"),
    hint: text("deep pages, rare filters: never in the cache", "trang sâu, filter hiếm: không bao giờ có trong cache"),
    unit: units::PERCENT,
    kind: Kind::Ratio,
    min: 0,
    max: 100,
    step: 1,
    log: false,
    ..BASE
};
const CHANGE: Choice = Choice {
    key: "change",
    label: text("The deploy", "Lần deploy"),
    hint: text("one phase after the peak has begun", "một giai đoạn sau khi cao điểm bắt đầu"),
};
const OWN: Number = Number {
    key: "own",
    label: text("Without a copy after it", "Không có bản cache sau đó"),
    hint: text("requests whose key nobody else has, in all", "request có key riêng, tính tất cả"),
    ..ONCE
};
const COALESCE: Choice =
    Choice { key: "coalesce", label: text("Rebuilds of one page", "Rebuild cùng một trang"), hint: same("") };
const STALE: Switch = Switch {
    key: "stale",
    label: text("Serve stale copies", "Trả bản stale"),
    hint: text(
        "stale-while-revalidate and stale-if-error, shared cache",
        "stale-while-revalidate và stale-if-error, ở shared cache",
    ),
};
const EARLY: Switch = Switch {
    key: "early",
    label: text("Rebuild early", "Rebuild sớm"),
    hint: text("XFetch, in the shared cache", "XFetch, ở shared cache"),
};
const SPREAD: Switch = Switch { key: "spread", label: text("Jitter the TTL", "Jitter cho TTL"), hint: same("") };
const WARM: Switch = Switch {
    key: "warm",
    label: text("Pre-warm pods", "Pre-warm pod"),
    hint: text("before they take traffic", "trước khi nhận traffic"),
};
const LIMITED: Switch = Switch {
    key: "limited",
    label: text("Rate limit", "Rate limit"),
    hint: text(
        "429 beyond; by client where one source can be told",
        "quá thì 429; theo client nếu nhận ra được một nguồn",
    ),
};
const LIMIT: Number = Number {
    key: "limit",
    label: text("Let in", "Cho vào"),
    hint: text("of all; of the one source where there is one", "của tất cả; của riêng nguồn đó nếu có"),
    ..BASE
};
const PAGE: Number = Number {
    key: "page",
    label: text("Smaller page: a query takes", "Page nhỏ hơn: query còn"),
    hint: text("of what it took", "so với lúc trước"),
    min: 10,
    max: 100,
    step: 5,
    ..ONCE
};
const OLD_COPY: Switch = Switch {
    key: "old_copy",
    label: text("Old copy at once", "Trả ngay bản cũ"),
    hint: text("where no connection is free", "khi không còn connection rảnh"),
};
const FLAG: Switch = Switch {
    key: "flag",
    label: text("Flag: no rare filters", "Flag: tắt filter hiếm"),
    hint: text("such a request gets the plain page", "request đó nhận trang thường"),
};
const MORE_PODS: Switch = Switch {
    key: "more_pods",
    label: text("Twice the pods", "Gấp đôi số pod"),
    hint: text("new ones start empty", "pod mới có cache rỗng"),
};
const UNDO: Switch = Switch {
    key: "undo",
    label: text("Roll the deploy back", "Rollback lần deploy"),
    hint: text("key, prefix or TTL as before", "key, prefix hoặc TTL như cũ"),
};
const CONNECTIONS: Number = Number {
    key: "connections",
    label: text("Connections", "Số connection"),
    hint: text("of the database", "của database"),
    unit: units::PLAIN,
    kind: Kind::Whole,
    min: 1,
    max: 500,
    step: 1,
    ..BASE
};
const QUERY: Number = Number {
    key: "query",
    label: text("A query takes", "Một query mất"),
    hint: same(""),
    unit: units::MS,
    per_unit: 1_000,
    kind: Kind::Duration,
    min: 1_000,
    max: 2_000_000,
    step: 1_000,
    log: true,
};
const ROOM: Number = Number {
    key: "room",
    label: text("May wait for a connection", "Được chờ connection"),
    hint: text("queries; beyond: 503", "số query; quá thì 503"),
    min: 0,
    max: 20_000,
    step: 10,
    ..CONNECTIONS
};
const ACQUIRE: Number = Number {
    key: "acquire",
    label: text("So long at most", "Chờ lâu nhất"),
    hint: text("then 503", "rồi 503"),
    min: 10_000,
    max: 10_000_000,
    step: 10_000,
    ..QUERY
};
const TIMEOUT: Number =
    Number { key: "timeout", label: text("A caller waits", "Caller chờ"), hint: same(""), ..ACQUIRE };
const CDN: Switch = Switch {
    key: "cdn",
    label: text("CDN", "CDN"),
    hint: text("only if an answer is the same for all users", "chỉ khi câu trả lời giống nhau cho mọi user"),
};
const EDGE_TTL: Number = Number {
    key: "edge_ttl",
    label: text("CDN: s-maxage", "CDN: s-maxage"),
    hint: same(""),
    unit: units::S,
    per_unit: 1_000_000,
    kind: Kind::Duration,
    min: 100_000,
    max: 7_200_000_000,
    step: 1_000_000,
    log: true,
};
const EDGE_STALE: Number = Number {
    key: "edge_stale",
    label: text("CDN: stale on top", "CDN: cộng thêm stale"),
    hint: text("while-revalidate and if-error", "while-revalidate và if-error"),
    min: 0,
    max: 600_000_000,
    ..EDGE_TTL
};
const LOCAL: Switch =
    Switch { key: "local", label: text("Cache in each pod", "Cache trong từng pod"), hint: same("") };
const LOCAL_TTL: Number = Number { key: "local_ttl", label: text("In a pod: TTL", "Trong pod: TTL"), ..EDGE_TTL };
const SHARED: Switch = Switch { key: "shared", label: text("Shared cache", "Shared cache"), hint: same("Redis") };
const TTL: Number = Number {
    key: "ttl",
    label: text("TTL", "TTL"),
    hint: text("shared cache, hot keys", "shared cache, hot key"),
    ..EDGE_TTL
};
const STALE_FOR: Number = Number {
    key: "stale_for",
    label: text("stale-while-revalidate", "stale-while-revalidate"),
    hint: text("shared cache, hot keys", "shared cache, hot key"),
    ..EDGE_STALE
};
const ERROR_FOR: Number = Number {
    key: "error_for",
    label: text("stale-if-error", "stale-if-error"),
    hint: text("also the old copy of first aid", "cả bản cũ khi cầm máu"),
    ..EDGE_STALE
};
const SHORTER: Number = Number {
    key: "shorter",
    label: text("TTL jitter", "TTL jitter"),
    hint: text("shortens a TTL by up to", "rút ngắn TTL tới"),
    min: 0,
    ..ONCE
};
const BETA: Number = Number {
    key: "beta",
    label: text("XFetch β", "XFetch β"),
    hint: text("greater: earlier", "lớn hơn: sớm hơn"),
    unit: units::PLAIN,
    per_unit: 100,
    kind: Kind::Whole,
    min: 0,
    max: 500,
    step: 10,
    log: false,
};
const PODS: Number = Number { key: "pods", label: text("Pods", "Số pod"), hint: same(""), max: 100, ..CONNECTIONS };
const PAGES: Number = Number {
    key: "pages",
    label: text("Pages", "Số trang"),
    hint: text("that may be cached", "có thể cache"),
    max: 2_000,
    ..CONNECTIONS
};
const ZIPF: Number = Number {
    key: "zipf",
    label: text("Zipf exponent", "Số mũ Zipf"),
    hint: text("0: all pages alike", "0: mọi trang như nhau"),
    max: 200,
    ..BETA
};
const PHASE: Number = Number {
    key: "phase",
    label: text("Each phase lasts", "Mỗi giai đoạn dài"),
    hint: same(""),
    min: 100_000,
    max: 60_000_000,
    step: 100_000,
    ..EDGE_TTL
};
const RANDOM: Switch = Switch {
    key: "random",
    label: text("At random", "Ngẫu nhiên"),
    hint: text("Poisson; off: evenly, shares kept exactly", "Poisson; tắt: đều đặn, giữ đúng tỉ lệ"),
};
const KEYS: Number = Number {
    key: "keys",
    label: text("Hot keys", "Số hot key"),
    hint: text("filled at the same moment", "được nạp cùng một lúc"),
    max: 50,
    ..CONNECTIONS
};
const KEY_RATE: Number = Number {
    key: "key_rate",
    label: text("Requests for each", "Request cho mỗi key"),
    hint: same(""),
    per_unit: 1_000,
    min: 100,
    max: 200_000,
    step: 100,
    ..BASE
};
const REBUILD: Number =
    Number { key: "rebuild", label: text("A rebuild takes", "Một lần rebuild mất"), max: 10_000_000, ..QUERY };
const EXPIRIES: Number = Number {
    key: "expiries",
    label: text("Expiries watched", "Số lần hết hạn"),
    hint: text("of each key; fewer beyond two million requests", "của mỗi key; ít hơn nếu quá hai triệu request"),
    max: 1_000,
    ..CONNECTIONS
};

impl Source {
    const ALL: [Source; 3] = [Source::Campaign, Source::Bot, Source::Polling];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Source::Campaign => ("campaign", text("Users: a campaign", "Người dùng: campaign")),
            Source::Bot => ("bot", text("A bot on pages nobody reads", "Bot quét trang không ai đọc")),
            Source::Polling => ("polling", text("A client bug: polls one page", "Bug client: poll một trang")),
        };
        Opt { key, label, hint: same("") }
    }
}

impl Change {
    const ALL: [Change; 6] =
        [Change::Nothing, Change::OwnKeys, Change::Cold, Change::ZeroTtl, Change::Restart, Change::Scale];

    fn opt(self) -> Opt {
        let (key, label) = match self {
            Change::Nothing => ("nothing", text("Leaves the cache alone", "Không đụng tới cache")),
            Change::OwnKeys => ("own_keys", text("Adds a parameter to the key", "Thêm tham số vào key")),
            Change::Cold => ("cold", text("New prefix, or a flush", "Prefix mới, hoặc flush")),
            Change::ZeroTtl => ("zero_ttl", text("Sets the TTL to zero", "TTL bị đặt thành không")),
            Change::Restart => ("restart", text("Restarts all pods", "Khởi động lại mọi pod")),
            Change::Scale => ("scale", text("Doubles the pods", "Gấp đôi số pod")),
        };
        Opt { key, label, hint: same("") }
    }
}

fn coalesce(how: Coalesce) -> Opt {
    let (key, label): (_, Text) = match how {
        Coalesce::Off => ("off", text("Each miss is a query", "Mỗi miss một query")),
        Coalesce::PerPod => ("per_pod", text("Singleflight: one in each pod", "Singleflight: mỗi pod một lần")),
        Coalesce::Everywhere => ("everywhere", text("One in all pods, by a lock", "Một lần cho mọi pod, nhờ lock")),
    };
    Opt { key, label, hint: same("") }
}

impl Knobs for ReadCache {
    fn visit(&mut self, v: &mut dyn Visitor) {
        let cached = self.cdn || self.local || self.shared;
        v.group(text("Traffic and deploy", "Traffic và deploy"), false);
        v.number(&BASE, &mut self.base);
        v.number(&PEAK, &mut self.peak);
        v.when(self.peak > self.base);
        pick(v, &SOURCE, &Source::ALL, Source::opt, &mut self.source);
        v.when(true);
        v.number(&ONCE, &mut self.once);
        pick(v, &CHANGE, &Change::ALL, Change::opt, &mut self.change);
        v.when(self.change == Change::OwnKeys);
        v.number(&OWN, &mut self.own);
        v.group(text("Guards of the cache", "Bảo vệ cache"), false);
        pick(v, &COALESCE, &[Coalesce::Off, Coalesce::PerPod, Coalesce::Everywhere], coalesce, &mut self.coalesce);
        v.when(self.shared);
        v.switch(&STALE, &mut self.stale);
        v.switch(&EARLY, &mut self.early);
        v.when(self.shared || self.local);
        v.switch(&SPREAD, &mut self.spread);
        v.when(self.local && (self.more_pods || matches!(self.change, Change::Restart | Change::Scale)));
        v.switch(&WARM, &mut self.warm);
        v.group(text("First aid, last phase", "Cầm máu, giai đoạn cuối"), false);
        v.switch(&LIMITED, &mut self.limited);
        v.when(self.limited);
        v.number(&LIMIT, &mut self.limit);
        v.when(true);
        v.number(&PAGE, &mut self.page);
        v.when(cached);
        v.switch(&OLD_COPY, &mut self.old_copy);
        v.when(true);
        v.switch(&FLAG, &mut self.flag);
        v.switch(&MORE_PODS, &mut self.more_pods);
        v.when(self.can_undo());
        v.switch(&UNDO, &mut self.undo);
        v.group(text("More: database", "Thêm: database"), true);
        v.number(&CONNECTIONS, &mut self.connections);
        span(v, &QUERY, &mut self.query);
        v.number(&ROOM, &mut self.room);
        v.when(self.room > 0);
        span(v, &ACQUIRE, &mut self.acquire);
        v.when(true);
        span(v, &TIMEOUT, &mut self.timeout);
        v.group(text("More: layers", "Thêm: các tầng"), true);
        v.switch(&CDN, &mut self.cdn);
        v.when(self.cdn);
        span(v, &EDGE_TTL, &mut self.edge_ttl);
        span(v, &EDGE_STALE, &mut self.edge_stale);
        v.when(true);
        v.switch(&LOCAL, &mut self.local);
        v.when(self.local);
        span(v, &LOCAL_TTL, &mut self.local_ttl);
        v.when(true);
        v.switch(&SHARED, &mut self.shared);
        span(v, &TTL, &mut self.ttl);
        span(v, &STALE_FOR, &mut self.stale_for);
        v.when(self.shared && (self.stale || self.old_copy));
        span(v, &ERROR_FOR, &mut self.error_for);
        v.when(true);
        v.number(&SHORTER, &mut self.shorter);
        v.number(&BETA, &mut self.beta);
        v.number(&PODS, &mut self.pods);
        v.number(&PAGES, &mut self.pages);
        v.number(&ZIPF, &mut self.zipf);
        span(v, &PHASE, &mut self.phase);
        v.switch(&RANDOM, &mut self.random);
        v.group(text("More: hot keys expire", "Thêm: hot key hết hạn"), true);
        v.number(&KEYS, &mut self.keys);
        v.number(&KEY_RATE, &mut self.key_rate);
        span(v, &REBUILD, &mut self.rebuild);
        v.number(&EXPIRIES, &mut self.expiries);
    }
}
