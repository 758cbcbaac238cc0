//! Card 13, `rate-limiter`: article 3, the distributed rate limiter.
//!
//! Instances that share a limit through a store, the store's failure and what the instances do then; the rules by which a limit is
//! counted, beside each other on the same requests.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Unit, same, text, units};
use overload_sim::draw::Draws;
use overload_sim::rate_limit::fleet::{By, Fleet};
use overload_sim::rate_limit::{Limiter, Reading};
use overload_sim::record::{Samples, busiest};
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::{Limits, Which};

/// The card.
pub struct Card;

/// Keys of the figures; the phases have one each for passed and refused.
mod figure {
    pub const PHASES: [[&str; 2]; 3] = [["healthy_ok", "healthy_no"], ["away_ok", "away_no"], ["back_ok", "back_no"]];
    pub const PASSED: &str = "passed";
    pub const REFUSED: &str = "refused";
    pub const ATTEMPTS: &str = "attempts";
    pub const TOLD: &str = "told";
    pub const WASTED: &str = "wasted";
    pub const MEDIAN: &str = "decide_p50";
    pub const LONGEST: &str = "decide_max";
    pub const WORST: &str = "worst";
    pub const PROMISED: &str = "promised";
    pub const WIDTH: &str = "width";
    pub const BOUND: &str = "bound";
    pub const LOCAL: &str = "local_cap";
    pub const TENANTS: [[&str; 2]; 2] = [["first_ok", "first_no"], ["others_ok", "others_no"]];
    /// The most within the limit's window, by each rule.
    pub const RULES: [&str; 4] = ["rule_bucket", "rule_gcra", "rule_sliding", "rule_fixed"];
}

const REQUESTS: Unit = Unit::counted("requests", text("requests", "request"), "request", 0);
const INSTANCES: Unit = Unit::counted("instances", text("instances", "instance"), "instance", 0);
const TOKENS: Unit = Unit::counted("tokens", text("tokens", "token"), "token", 2);
const WIDTH: Unit = Unit::new("s", same("s"), 3);
/// Milliseconds, to a tenth.
const MS: Unit = Unit::new("ms", same("ms"), 1);

/// The stream of arrivals and tenants.
const STREAM: u64 = 0x11317;
/// Moments at which what is left is looked at, of a run that ends when it is planned to; and at most.
const LOOKS: u64 = 240;
const MOST_LOOKS: usize = 960;
/// Bars of an instance's timeline.
const BARS: u64 = 80;
/// Instances that are drawn.
const DRAWN: u32 = 5;
/// Widths of windows in which is counted.
const WIDTHS: u64 = 40;
/// The rules that run beside each other.
const BESIDE: [Which; 4] = [Which::Bucket, Which::Gcra, Which::Sliding, Which::Fixed];

impl Lesson for Card {
    type Knobs = Limits;

    const ABOUT: About = About {
        slug: "rate-limiter",
        number: 13,
        theme: Theme::SayingNo,
        title: text("Rate limiter: one limit, many instances", "Rate limiter: một giới hạn, nhiều instance"),
        promise: text(
            "Sixty requests over three instances, and ten pass: exactly. Then the store that counts goes away.",
            "Sáu mươi request qua ba instance, và đúng mười request lọt qua. Rồi store giữ số đếm ngừng trả lời.",
        ),
        lead: text(
            "A limit for each client, counted in one place for all instances. It is exact as long as reading and writing are one step and the store answers. Here the store can stop, the step can fall apart, clocks can differ, and the rule itself can let twice the limit pass at the edge of a window. What gets through in any window is counted against what the limit promises.",
            "Một giới hạn cho mỗi client, đếm ở một chỗ cho mọi instance. Nó chính xác chừng nào đọc và ghi là một bước và store còn trả lời. Ở đây store có thể ngừng, bước ấy có thể bị tách đôi, đồng hồ có thể lệch, và chính thuật toán có thể cho qua gấp đôi ở biên cửa sổ. Số request lọt qua trong mỗi khoảng thời gian được so với lời hứa của giới hạn.",
        ),
        sources: &[(3, "rate limiter")],
    };

    const SEEDS: bool = false;

    words_and_charts!(Limits);

    fn plan(_knobs: &Limits) -> Plan {
        let mut plan = Plan::default();
        let groups = [
            text("While the store answers", "Khi store trả lời"),
            text("While it is away", "Khi store không trả lời"),
            text("Once it is back", "Khi store trở lại"),
        ];
        let ends = [text("let through", "được cho qua"), text("refused", "bị từ chối")];
        for (keys, group) in figure::PHASES.into_iter().zip(groups) {
            keys.into_iter().zip(ends).for_each(|(key, label)| plan.figure(key, group, label, REQUESTS));
        }
        let limit = text("The promise", "Lời hứa");
        let all = text("All requests", "Mọi request");
        let tenants = [text("First tenant", "Tenant đầu"), text("Other tenants", "Tenant khác")];
        let beside = text("Most within the limit’s window, by rule", "Nhiều nhất trong một cửa sổ, theo thuật toán");
        let figures = [
            (
                figure::WORST,
                limit,
                text("most let through within the window below", "nhiều nhất được qua trong cửa sổ dưới đây"),
                REQUESTS,
            ),
            (figure::PROMISED, limit, text("promised at most", "hứa nhiều nhất"), REQUESTS),
            (
                figure::WIDTH,
                limit,
                text(
                    "the window: the limit’s own, or where most is beyond it",
                    "cửa sổ: của giới hạn, hoặc nơi vượt nhiều nhất",
                ),
                WIDTH,
            ),
            (
                figure::BOUND,
                limit,
                text("let through while the store answers, by formula", "được qua khi store trả lời, theo công thức"),
                REQUESTS,
            ),
            (figure::LOCAL, limit, text("an instance’s share of the limit", "phần của mỗi instance"), TOKENS),
            (figure::PASSED, all, ends[0], REQUESTS),
            (figure::REFUSED, all, text("refused for good", "bị từ chối hẳn"), REQUESTS),
            (figure::ATTEMPTS, all, text("attempts", "lần thử"), units::ATTEMPTS),
            (figure::TOLD, all, text("longest Retry-After", "Retry-After dài nhất"), units::S),
            (figure::WASTED, all, text("taken by the store for nobody", "store trừ mà không ai dùng"), TOKENS),
            (figure::MEDIAN, all, text("a decision takes, median", "một quyết định mất, trung vị"), MS),
            (figure::LONGEST, all, text("a decision takes, at most", "một quyết định mất, lâu nhất"), MS),
            (figure::TENANTS[0][0], tenants[0], ends[0], REQUESTS),
            (figure::TENANTS[0][1], tenants[0], ends[1], REQUESTS),
            (figure::TENANTS[1][0], tenants[1], ends[0], REQUESTS),
            (figure::TENANTS[1][1], tenants[1], ends[1], REQUESTS),
            (figure::RULES[0], beside, same("token bucket"), REQUESTS),
            (figure::RULES[1], beside, same("GCRA"), REQUESTS),
            (figure::RULES[2], beside, same("sliding window counter"), REQUESTS),
            (figure::RULES[3], beside, same("fixed window"), REQUESTS),
        ];
        figures.into_iter().for_each(|(key, group, label, unit)| plan.figure(key, group, label, unit));

        let counts = |names: [&'static str; 3]| names.map(|name| (name, REQUESTS));
        let bars = [&[("instance", units::PLAIN), ("at", units::S2)][..], &counts(["passed", "refused", "unasked"])];
        plan.series("bars", &bars.concat());
        plan.series("left", &[("at", units::S2), ("store", TOKENS), ("local", TOKENS)]);
        plan.series("widths", &[("width", units::S2), ("passed", REQUESTS), ("promised", REQUESTS)]);
        let ends = [
            counts(["store_passed", "local_passed", "unasked_passed"]),
            counts(["store_refused", "local_refused", "unasked_refused"]),
        ];
        plan.series("ends", &[&[("row", units::PLAIN)][..], &ends.concat()].concat());
        plan.series("end", &[("at", units::S2)]);
        plan.books = vec![text("Requests at the limiter", "Request tới rate limiter")];
        plan
    }

    fn cost(knobs: &Limits) -> u64 {
        let each = if !knobs.shared() {
            1
        } else if knobs.atomic {
            4
        } else {
            6
        };
        let again = if knobs.again == knobs::Comes::Never { 1 } else { knobs.attempts.div_ceil(2) };
        knobs.total().max(1) * each * again
    }

    fn start(knobs: &Limits, seed: u64) -> Box<dyn Run> {
        let draws = Draws::new(seed, STREAM);
        let beside = |which| (Limiter::new(knobs.rule_of(which, knobs.times(), 1)), Vec::new());
        Box::new(Requests {
            knobs: knobs.clone(),
            fleet: Fleet::new(knobs.setup(), draws),
            beside: BESIDE.map(beside),
            left: Vec::new(),
            done: 0,
        })
    }
}

struct Requests {
    knobs: Limits,
    fleet: Fleet,
    /// Other rules on the same requests of the first key, each in one place and by one clock: what they let pass.
    beside: [(Limiter, Vec<Time>); 4],
    /// What was left of the first key's limit, at regular moments.
    left: Vec<[f64; 2]>,
    done: u64,
}

impl Requests {
    /// How long the run is as planned: a little beyond the last request.
    fn planned(&self) -> Span {
        let last = self.knobs.last();
        last + (last / 20).max(Span::ms(200))
    }

    fn every(&self) -> Span {
        Span::us(self.planned().as_us().div_ceil(LOOKS))
    }

    /// Looks at what is left, up to `until`.
    fn look(&self, left: &mut Vec<[f64; 2]>, until: Time) {
        let every = self.every();
        while left.len() < MOST_LOOKS {
            let at = Time::ZERO + every * left.len() as u64;
            if at >= until {
                return;
            }
            left.push(self.fleet.left(at));
        }
    }

    /// One event; whether there was one.
    fn step(&mut self) -> bool {
        let Some(next) = self.fleet.next() else { return false };
        let mut left = std::mem::take(&mut self.left);
        self.look(&mut left, next);
        self.left = left;
        if let Some(request) = self.fleet.step() {
            let request = self.fleet.requests[request as usize];
            if !self.knobs.keyed || request.tenant == 0 || self.knobs.tenants == 1 {
                for (limiter, passed) in &mut self.beside {
                    if limiter.check(Reading::of(request.at), request.at, self.knobs.cost).passes() {
                        passed.push(request.at);
                    }
                }
            }
        }
        true
    }

    /// In which phase a request came: before the store goes away, while it is away, afterwards.
    fn phase(&self, at: Time) -> usize {
        let from = Time::ZERO + self.knobs.away_at;
        if !self.knobs.fails() || at < from {
            0
        } else if at < from + self.knobs.away_for {
            1
        } else {
            2
        }
    }

    /// By row (the phases, the first tenant, the others): how many were let through, and refused, and by whom.
    fn ends(&self) -> [[[u64; 3]; 2]; 5] {
        let mut ends = [[[0; 3]; 2]; 5];
        for request in &self.fleet.requests {
            // It counts with its last attempt.
            let attempt = &self.fleet.attempts[request.last as usize];
            if attempt.ended < Time::MAX {
                for row in [self.phase(request.at), 3 + usize::from(request.tenant > 0)] {
                    ends[row][usize::from(!attempt.passed)][attempt.by as usize] += 1;
                }
            }
        }
        ends
    }

    /// When a timeline ends.
    fn end(&self) -> Time {
        (Time::ZERO + self.planned()).max(self.fleet.now)
    }

    /// Of each drawn instance and each stretch of time in which something was decided: let through, refused, refused unasked.
    fn bars(&self) -> Vec<f64> {
        let width = Span::us(self.end().as_us().div_ceil(BARS));
        let drawn = self.knobs.instances.min(u64::from(DRAWN)) as usize;
        let mut counts = vec![[0u32; 3]; drawn * BARS as usize];
        for attempt in self.fleet.attempts.iter().filter(|a| a.ended < Time::MAX && a.instance < drawn as u32) {
            let bar = attempt.at.slot(width).min(BARS - 1) as usize;
            let kind = if attempt.passed { 0 } else { 1 + usize::from(attempt.by == By::Nobody) };
            counts[attempt.instance as usize * BARS as usize + bar][kind] += 1;
        }
        let rows = counts.iter().enumerate().filter(|(_, n)| **n != [0; 3]);
        let rows = rows.flat_map(|(i, n)| {
            let (instance, bar) = (i as u64 / BARS, i as u64 % BARS);
            [instance as f64, (width * bar).as_s(), f64::from(n[0]), f64::from(n[1]), f64::from(n[2])]
        });
        rows.collect()
    }
}

/// The most of `passed` within a window of `width`.
fn most(passed: &[Time], width: Span) -> f64 {
    busiest(passed, width).map_or(0.0, |found| found.1 as f64)
}

impl Run for Requests {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        while left > 0 && self.step() {
            left -= 1;
        }
        self.done += events - left;
        Progress::guessed(left > 0, self.done as f64 / Card::cost(&self.knobs) as f64)
    }

    fn outcome(&self) -> Outcome {
        let (knobs, fleet) = (&self.knobs, &self.fleet);
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        let ends = self.ends();
        let rows = figure::PHASES.into_iter().chain(figure::TENANTS);
        for (row, keys) in rows.enumerate() {
            let sums = ends[row].map(|by| by.iter().sum::<u64>());
            // A phase in which nobody comes has no figures, nor have tenants that are not there.
            let there = if row < 3 { sums != [0, 0] } else { knobs.tenants > 1 };
            keys.into_iter().zip(sums).for_each(|(key, sum)| set(key, there.then_some(sum as f64)));
        }
        let passed = fleet.requests.iter().filter(|r| r.passed < Time::MAX).count();
        set(figure::PASSED, Some(passed as f64));
        set(figure::REFUSED, Some((fleet.requests.len() - passed) as f64));
        set(figure::ATTEMPTS, Some(fleet.attempts.len() as f64));
        set(figure::TOLD, fleet.told.map(Span::as_s));
        set(figure::WASTED, Some(fleet.wasted as f64));
        let mut takes = Samples::with_capacity(fleet.attempts.len());
        fleet.attempts.iter().filter(|a| a.ended < Time::MAX).for_each(|a| takes.add(a.ended - a.at));
        set(figure::MEDIAN, takes.percentile(0.5).map(Span::as_ms));
        set(figure::LONGEST, takes.percentile(1.0).map(Span::as_ms));

        // What passed of the first key, in the order in which it was decided.
        let one = |request: u32| !knobs.keyed || fleet.requests[request as usize].tenant == 0;
        let attempts = fleet.passed.iter().map(|&id| &fleet.attempts[id as usize]);
        let passes: Vec<Time> = attempts.filter(|a| one(a.request)).map(|a| a.ended).collect();
        let per = knobs.per();
        let end = self.end().since(Time::ZERO);
        let longest = end.min((per * 5).max(end / 20));
        let widths = (0..=WIDTHS).map(|n| Span::us(longest.as_us() * n / WIDTHS).max(Span::us(1)));
        let widths: Vec<(Span, f64, f64)> = std::iter::once(per)
            .chain(widths)
            .map(|width| (width, most(&passes, width), knobs.promised(width)))
            .collect();
        // The limit's own window, unless in another one more is beyond the promise.
        let beyond = |(_, passed, promised): (Span, f64, f64)| (passed - promised).max(0.0);
        let worst = widths.iter().fold(widths[0], |worst, &one| if beyond(one) > beyond(worst) { one } else { worst });
        set(figure::WIDTH, Some(worst.0.as_s()));
        set(figure::WORST, Some(worst.1));
        set(figure::PROMISED, Some(worst.2));
        for ((_, passed), key) in self.beside.iter().zip(figure::RULES) {
            set(key, Some(most(passed, per)));
        }
        let before = fleet.requests.iter().filter(|r| self.phase(r.at) == 0);
        let (n, last) = before.fold((0u64, None), |(n, last), r| (n + 1, last.max(Some(r.at))));
        // One burst; later ones find what came back meanwhile.
        let alone = knobs.pattern != knobs::Pattern::Bursts || n <= knobs.requests;
        let first = fleet.requests.iter().map(|r| r.at).min().unwrap_or_default();
        let alone = alone && knobs.shared() && knobs.again == knobs::Comes::Never;
        let formula = last.filter(|_| alone && knobs.fills() && knobs.tenants == 1);
        set(figure::BOUND, formula.map(|last| knobs.promised(last - first).min(n as f64)));
        let share = if knobs.shared() || knobs.share { knobs.instances } else { 1 };
        set(figure::LOCAL, (knobs.rule == Which::Bucket).then(|| knobs.cap as f64 / share as f64));

        out.fill(&plan, "bars", self.bars());
        let mut left = self.left.clone();
        self.look(&mut left, self.end());
        let every = self.every().as_s();
        out.fill(&plan, "left", (0..).zip(&left).flat_map(|(n, l)| [every * f64::from(n), l[0], l[1]]).collect());
        let rows = widths[1..].iter().flat_map(|(width, passed, promised)| [width.as_s(), *passed, *promised]);
        out.fill(&plan, "widths", rows.collect());
        let rows = (0..).zip(&ends).flat_map(|(row, ends)| {
            let [a, b] = ends.map(|by| by.map(|n| n as f64));
            [f64::from(row), a[0], a[1], a[2], b[0], b[1], b[2]]
        });
        out.fill(&plan, "ends", rows.collect());
        out.fill(&plan, "end", vec![self.end().as_s()]);
        let (offered, good) = (fleet.requests.len() as u64, passed as u64);
        out.books = vec![Book { offered, good, caller: fleet.caller, server: fleet.server }];
        out
    }
}
