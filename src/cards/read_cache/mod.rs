//! Card 17, `read-cache`: article 4, cards 010 and 028.
//!
//! An endpoint that is mostly read, behind caches: a peak comes, a deploy makes the hit ratio fall, first aid is given. And hot
//! keys at their expiry, under each guard by itself.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `traffic.rs` | the run: traffic, deploy, first aid |
//! | `hot.rs` | the run: hot keys expire |
//! | `measure.rs` | phases and stretches of time, read off the logs |
//! | `draw.rs` | the charts |
//! | `words.rs`, `lessons.rs` | setups, banner, insights; experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod hot;
mod knobs;
mod lessons;
mod measure;
mod traffic;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::cache::hot::Guard;
use overload_sim::time::Span;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Outcome, Plan};
use hot::Keys;
use knobs::{PHASES, ReadCache};
use measure::{STRETCHES, Stretch};
use traffic::Traffic;

/// The card.
pub struct Card;

/// Keys of the figures; of those in fours one a phase, of those in fives one a guard.
mod figure {
    pub const OFFERED: [&str; 4] = ["normal_offered", "peak_offered", "deploy_offered", "aid_offered"];
    pub const HIT: [&str; 4] = ["normal_hit", "peak_hit", "deploy_hit", "aid_hit"];
    pub const DB: [&str; 4] = ["normal_db", "peak_db", "deploy_db", "aid_db"];
    pub const USERS: [&str; 4] = ["normal_users", "peak_users", "deploy_users", "aid_users"];
    pub const P50: [&str; 4] = ["normal_p50", "peak_p50", "deploy_p50", "aid_p50"];
    pub const P99: [&str; 4] = ["normal_p99", "peak_p99", "deploy_p99", "aid_p99"];
    pub const CAPACITY: &str = "capacity";
    pub const AID_CAPACITY: &str = "aid_capacity";
    pub const TIMES: &str = "deploy_times";
    pub const ORIGIN: &str = "peak_origin";
    pub const FLIGHT: &str = "flight_most";
    pub const WAITING: &str = "waiting_most";
    pub const LIMITED: &str = "aid_limited";
    pub const STALE: &str = "stale_served";
    pub const OLDEST: &str = "oldest_copy";
    pub const REBUILDS: [&str; 5] =
        ["none_rebuilds", "single_rebuilds", "stale_rebuilds", "early_rebuilds", "spread_rebuilds"];
    pub const AT_ONCE: [&str; 5] =
        ["none_at_once", "single_at_once", "stale_at_once", "early_at_once", "spread_at_once"];
    pub const WAITED: [&str; 5] = ["none_waited", "single_waited", "stale_waited", "early_waited", "spread_waited"];
    pub const GAP: &str = "early_gap";
    pub const MISSED: &str = "early_missed";
    pub const UNGUARDED: &str = "none_formula";
    pub const WITH_EARLY: &str = "early_formula";
}

const QUERIES_PER_S: Unit = Unit::counted("queries_per_second", text("queries/s", "query/s"), "query/s", 0);
const REQUESTS_PER_S: Unit = Unit::counted("requests_per_second", text("requests/s", "request/s"), "request/s", 0);
const QUERIES: Unit = Unit::counted("queries", text("queries", "query"), "query", 0);
const REBUILDS: Unit = Unit::counted("rebuilds", text("rebuilds", "lần rebuild"), "rebuild", 0);
const REBUILDS2: Unit = Unit { decimals: 2, ..REBUILDS };
const CALLERS1: Unit = Unit::counted("callers", text("callers", "caller"), "caller", 1);
const TIMES: Unit = Unit::new("times", same("×"), 1);
const PERCENT1: Unit = Unit { decimals: 1, ..units::PERCENT };

/// The phases.
const PHASE_NAMES: [Text; PHASES] = [
    text("as always", "như thường"),
    text("peak", "cao điểm"),
    text("after the deploy", "sau deploy"),
    text("first aid", "cầm máu"),
];
/// The guards of hot keys.
const GUARDS: [Text; 5] = [
    text("no guard", "không bảo vệ"),
    text("singleflight", "singleflight"),
    text("stale-while-revalidate", "stale-while-revalidate"),
    text("early rebuild (XFetch)", "rebuild sớm (XFetch)"),
    text("TTL jitter", "TTL jitter"),
];

impl Lesson for Card {
    type Knobs = ReadCache;

    const ABOUT: About = About {
        slug: "read-cache",
        number: 17,
        theme: Theme::Whole,
        title: text("Read cache: what the database gets is the misses", "Read cache: database chỉ nhận phần miss"),
        promise: text(
            "A deploy changes the cache key, the hit ratio falls from 95% to 20%, and the database gets sixteen times its load. Stop the bleeding.",
            "Một lần deploy đổi cache key, hit ratio tụt từ 95% xuống 20%, và database nhận tải gấp mười sáu lần. Hãy cầm máu.",
        ),
        lead: text(
            "A cache hides a database that could never take the traffic. Nobody notices, until the copies are gone: by a new key, a flush, an expiry that many callers meet at once. Here traffic goes through a peak, a deploy and first aid; below it, hot keys expire under each guard, on the same requests.",
            "Cache che một database vốn không gánh nổi traffic đó. Không ai để ý, cho tới khi mất các bản cache: vì key mới, vì flush, vì nhiều caller gặp cùng một lần hết hạn. Ở đây traffic đi qua cao điểm, deploy rồi cầm máu; bên dưới, hot key hết hạn dưới từng cách bảo vệ, trên cùng các request.",
        ),
        sources: &[(4, "010"), (4, "028")],
    };

    const SEEDS: bool = false;

    words_and_charts!(ReadCache);

    fn plan(_knobs: &ReadCache) -> Plan {
        let mut plan = Plan::default();
        for (phase, group) in PHASE_NAMES.into_iter().enumerate() {
            let mut add = |keys: [&str; 4], label, unit| plan.figure(keys[phase], group, label, unit);
            add(figure::OFFERED, text("offered load", "offered load"), REQUESTS_PER_S);
            add(figure::HIT, text("hit ratio", "hit ratio"), units::PERCENT);
            add(figure::DB, text("database load", "tải database"), QUERIES_PER_S);
            add(figure::USERS, text("users answered in time", "người dùng có trả lời kịp"), PERCENT1);
            add(figure::P50, text("p50 of the answered", "p50 của các câu trả lời"), units::MS);
            add(figure::P99, text("p99 of the answered", "p99 của các câu trả lời"), units::MS);
        }
        let group = text("The whole run", "Cả lần chạy");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add(figure::CAPACITY, text("the database can do", "database làm được"), QUERIES_PER_S);
        add(figure::AID_CAPACITY, text("the same in first aid", "khi cầm máu"), QUERIES_PER_S);
        add(
            figure::TIMES,
            text("database load, after the deploy against before", "tải database, sau deploy so với trước"),
            TIMES,
        );
        add(figure::ORIGIN, text("past the CDN at the peak", "lọt qua CDN lúc cao điểm"), REQUESTS_PER_S);
        add(figure::FLIGHT, text("queries in flight at most", "query in-flight, nhiều nhất"), QUERIES);
        add(figure::WAITING, text("of them waiting for a connection", "trong đó chờ connection"), QUERIES);
        add(figure::LIMITED, text("429 in first aid, of all", "429 khi cầm máu, trên tất cả"), PERCENT1);
        add(figure::STALE, text("old copies in place of a wait or an error", "bản cũ thay cho chờ hoặc lỗi"), PERCENT1);
        add(figure::OLDEST, text("oldest copy served", "bản cũ nhất đã trả"), units::S);
        for (guard, group) in GUARDS.into_iter().enumerate() {
            let mut add = |keys: [&str; 5], label, unit| plan.figure(keys[guard], group, label, unit);
            add(
                figure::REBUILDS,
                text("rebuilds each time a key expires", "số lần rebuild mỗi khi một key hết hạn"),
                REBUILDS2,
            );
            add(figure::AT_ONCE, text("at once, all keys", "cùng lúc, mọi key"), REBUILDS);
            add(figure::WAITED, text("callers that wait", "caller phải chờ"), CALLERS1);
        }
        plan.figure(
            figure::UNGUARDED,
            GUARDS[0],
            text("rebuilds, by formula", "số lần rebuild, theo công thức"),
            REBUILDS2,
        );
        plan.figure(
            figure::GAP,
            GUARDS[3],
            text("first rebuild before the expiry", "rebuild đầu tiên trước lúc hết hạn"),
            units::S2,
        );
        plan.figure(
            figure::MISSED,
            GUARDS[3],
            text("expiries nobody was early for", "số lần hết hạn không ai rebuild sớm"),
            PERCENT1,
        );
        plan.figure(
            figure::WITH_EARLY,
            GUARDS[3],
            text("rebuilds, by formula", "số lần rebuild, theo công thức"),
            REBUILDS2,
        );
        let per_s = units::PER_SECOND;
        plan.series(
            "lines",
            &[
                ("at", units::S2),
                ("offered", per_s),
                ("asked", per_s),
                ("served", per_s),
                ("hit", PERCENT1),
                ("stale", PERCENT1),
                ("answered", PERCENT1),
                ("p50", units::MS),
                ("p99", units::MS),
                ("flight", QUERIES),
                ("waiting", QUERIES),
            ],
        );
        plan.series("rebuilding", &[("guard", units::PLAIN), ("at", units::S2), ("rebuilds", REBUILDS)]);
        plan.books = vec![text("The endpoint", "Endpoint")];
        plan
    }

    fn cost(knobs: &ReadCache) -> u64 {
        let requests = (0..PHASES).map(|phase| knobs.rate(phase) * knobs.phase.as_us() / 1_000_000);
        requests.sum::<u64>() * 3 / 2 + 2 * knobs.hot_requests() + 1
    }

    fn start(knobs: &ReadCache, seed: u64) -> Box<dyn Run> {
        Box::new(Both { knobs: knobs.clone(), traffic: Traffic::new(knobs, seed), keys: Keys::new(knobs, seed) })
    }
}

struct Both {
    knobs: ReadCache,
    traffic: Traffic,
    keys: Keys,
}

impl Run for Both {
    fn advance(&mut self, events: u64) -> Progress {
        let before = self.traffic.done;
        let mut done = self.traffic.advance(events);
        let left = events.saturating_sub(self.traffic.done - before);
        if done {
            done = self.keys.advance(left);
        }
        Progress::guessed(done, (self.traffic.done + self.keys.done) as f64 / Card::cost(&self.knobs) as f64)
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let (mut phases, mut lines) = measure::stretches(knobs, &self.traffic);
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        let per_s = |n: u64, span: Span| n as f64 / span.as_s();
        for (phase, said) in phases.iter_mut().enumerate() {
            set(figure::OFFERED[phase], Some(per_s(said.offered, knobs.phase)));
            set(figure::HIT[phase], said.hit());
            set(figure::DB[phase], Some(per_s(said.asked, knobs.phase)));
            set(figure::USERS[phase], Stretch::share(said.users_ok, said.users));
            set(figure::P50[phase], said.latency.percentile(0.5).map(Span::as_ms));
            set(figure::P99[phase], said.latency.percentile(0.99).map(Span::as_ms));
        }
        set(figure::CAPACITY, Some(knobs.capacity(0)));
        set(figure::AID_CAPACITY, Some(knobs.capacity(PHASES - 1)));
        set(figure::TIMES, (phases[1].asked > 0).then(|| phases[2].asked as f64 / phases[1].asked as f64));
        set(figure::ORIGIN, Some(per_s(phases[1].offered - phases[1].edge, knobs.phase)));
        set(figure::FLIGHT, phases.iter().map(|p| p.flight as f64).reduce(f64::max));
        set(figure::WAITING, phases.iter().map(|p| p.waiting as f64).reduce(f64::max));
        let aid = &phases[PHASES - 1];
        set(figure::LIMITED, Stretch::share(aid.offered - aid.let_in, aid.offered));
        let all: u64 = phases.iter().map(|p| p.offered).sum();
        set(figure::STALE, Stretch::share(phases.iter().map(|p| p.stale).sum(), all));
        set(figure::OLDEST, Some(self.traffic.stack.oldest.as_s()));
        let expired = self.keys.expired();
        let each = |n: f64| (expired > 0).then(|| n / expired as f64);
        for (guard, tally) in self.keys.tallies.iter().enumerate() {
            set(figure::REBUILDS[guard], each(tally.rebuilds as f64));
            set(figure::AT_ONCE[guard], Some(tally.peak as f64));
            set(figure::WAITED[guard], each(tally.waited as f64));
        }
        let early = &self.keys.tallies[Guard::Early as usize];
        set(figure::GAP, each(early.gap as f64 / 1e6));
        set(figure::MISSED, each(early.missed as f64 * 100.0));
        set(figure::UNGUARDED, Some(knobs.hot().unguarded()));
        set(figure::WITH_EARLY, knobs.hot().with_early());

        let width = knobs.phase / STRETCHES;
        let mut rows = Vec::new();
        for (n, line) in lines.iter_mut().enumerate() {
            let ms = |span: Option<Span>| span.map_or(0.0, Span::as_ms);
            let (p50, p99) = (ms(line.latency.percentile(0.5)), ms(line.latency.percentile(0.99)));
            let share = |n: u64, all: u64| Stretch::share(n, all).unwrap_or(0.0);
            rows.extend([
                (width * n as u64).as_s(),
                per_s(line.offered, width),
                per_s(line.asked, width),
                per_s(line.served, width),
                line.hit().unwrap_or(0.0),
                share(line.stale, line.let_in),
                share(line.ok, line.offered),
                p50,
                p99,
                line.flight as f64,
                line.waiting as f64,
            ]);
        }
        out.fill(&plan, "lines", rows);
        out.fill(&plan, "rebuilding", self.keys.lines());
        out.books = vec![measure::book(&self.traffic)];
        out
    }
}
