//! Card 7, `breaker-granularity`: article 3, the circuit breaker's granularity.
//!
//! One dependency with two endpoints: a good one, called all the time, and a broken one, called by a job for a moment. The
//! same calls go through one breaker for both and through one breaker each; and through the breakers of many instances,
//! each of which learns alone.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `calls.rs` | the run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod calls;
mod draw;
mod knobs;
mod words;

use overload_chart::{Unit, text, units};
use overload_sim::breaker::State;
use overload_sim::time::Time;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Outcome, Plan};
use calls::Calls;
use knobs::BreakerGranularity;

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    /// One breaker for all endpoints.
    pub mod shared {
        pub const REACHED: &str = "shared_reached";
        pub const REJECTED: &str = "shared_rejected";
        pub const BLOCKED: &str = "shared_blocked";
        pub const BLOCKED_MARGIN: &str = "shared_blocked_margin";
        pub const OPENED: &str = "shared_opened";
        pub const FIRST_OPEN: &str = "shared_first_open";
        pub const CLOSED: &str = "shared_closed";
        /// All of them, in the plan's order.
        pub const ALL: [&str; 7] = [REACHED, REJECTED, BLOCKED, BLOCKED_MARGIN, OPENED, FIRST_OPEN, CLOSED];
    }
    /// One breaker for each.
    pub mod own {
        pub const REACHED: &str = "own_reached";
        pub const REJECTED: &str = "own_rejected";
        pub const BLOCKED: &str = "own_blocked";
        pub const BLOCKED_MARGIN: &str = "own_blocked_margin";
        pub const OPENED: &str = "own_opened";
        pub const FIRST_OPEN: &str = "own_first_open";
        pub const CLOSED: &str = "own_closed";
        pub const EXPORT_OPEN: &str = "export_first_open";
        /// All that both sides have, in the plan's order.
        pub const ALL: [&str; 7] = [REACHED, REJECTED, BLOCKED, BLOCKED_MARGIN, OPENED, FIRST_OPEN, CLOSED];
    }
    pub const CALLS: &str = "calls";
    pub const ALL_OPEN: &str = "all_open";
    pub const UNTIL_ALL_OPEN: &str = "until_all_open";
    pub const NEVER_OPEN: &str = "never_open";
    pub const FLEET_DOWN: &str = "fleet_reached_down";
    pub const FLEET_PROBES: &str = "fleet_probes_down";
    pub const ONE_PROBES: &str = "one_probes_down";
}

const CALLS: Unit = Unit::counted("calls", text("calls", "call"), "call", 0);
const INSTANCES: Unit = Unit::counted("instances", text("instances", "instance"), "instance", 0);
const TIMES: Unit = Unit::counted("times", text("times", "lần"), "time", 0);

impl Lesson for Card {
    type Knobs = BreakerGranularity;

    const ABOUT: About = About {
        slug: "breaker-granularity",
        number: 7,
        theme: Theme::LateAnswers,
        title: text(
            "Breaker granularity: one for all, or one each",
            "Granularity của breaker: một cho tất cả, hay mỗi cái một",
        ),
        promise: text(
            "A rare endpoint fails six times, and customers cannot pay. See which breaker blocks whom, and count it twice.",
            "Một endpoint hiếm dùng lỗi sáu lần, và khách không trả tiền được. Xem breaker nào chặn ai, và đếm theo hai cách.",
        ),
        lead: text(
            "A breaker decides for everything that goes through it. Put a whole dependency behind one, and the failures of an endpoint that hardly anybody calls close the door to those that everybody needs. The same calls go here through one breaker for both endpoints and through one for each, on one time axis; and through the breakers of many instances, each of which has to learn alone.",
            "Breaker quyết định thay cho mọi thứ đi qua nó. Đặt cả một dependency sau một breaker thì lỗi của một endpoint hầu như không ai gọi sẽ đóng cửa luôn các endpoint ai cũng cần. Ở đây cùng các call ấy đi qua một breaker chung cho hai endpoint, và qua mỗi endpoint một breaker, trên cùng một trục thời gian; rồi qua breaker của nhiều instance, mỗi cái phải tự học.",
        ),
        sources: &[(3, "granularity")],
    };

    const SEEDS: bool = false;

    words_and_charts!(BreakerGranularity);

    fn plan(_knobs: &BreakerGranularity) -> Plan {
        let mut plan = Plan::default();
        let sides = [
            (text("One breaker for both endpoints", "Một breaker cho cả hai endpoint"), figure::shared::ALL),
            (text("A breaker for each", "Mỗi endpoint một breaker"), figure::own::ALL),
        ];
        let both = text("Both", "Cả hai");
        plan.figure(figure::CALLS, both, text("calls", "call"), CALLS);
        for (group, keys) in sides {
            let own = keys[0] == figure::own::REACHED;
            let labels = [
                (text("calls that reach the dependency", "call tới dependency"), CALLS),
                (text("calls that fail fast", "call fail fast"), CALLS),
                (text("healthy /charge calls blocked", "call /charge khoẻ bị chặn"), CALLS),
                (text("healthy calls blocked, with the margin", "call khoẻ bị chặn, có khoảng lề"), CALLS),
                (if own { text("/charge opened", "/charge mở") } else { text("opened", "số lần mở") }, TIMES),
                (
                    if own {
                        text("/charge first open at", "/charge mở lần đầu lúc")
                    } else {
                        text("first open at", "mở lần đầu lúc")
                    },
                    units::MS,
                ),
                (
                    if own {
                        text("/charge last closed at", "/charge đóng lần cuối lúc")
                    } else {
                        text("last closed at", "đóng lần cuối lúc")
                    },
                    units::MS,
                ),
            ];
            keys.into_iter().zip(labels).for_each(|(key, (label, unit))| plan.figure(key, group, label, unit));
            if own {
                let label = text("/dispute-export first open at", "/dispute-export mở lần đầu lúc");
                plan.figure(figure::own::EXPORT_OPEN, group, label, units::MS);
            }
        }
        let fleet = text("Many instances, a breaker each", "Nhiều instance, mỗi cái một breaker");
        let mut add = |key, label, unit| plan.figure(key, fleet, label, unit);
        add(figure::ALL_OPEN, text("all open at", "tất cả đã mở lúc"), units::MS);
        add(
            figure::UNTIL_ALL_OPEN,
            text("failed calls until all have opened", "call lỗi cho tới khi tất cả đã mở"),
            CALLS,
        );
        add(figure::NEVER_OPEN, text("that never open", "không bao giờ mở"), INSTANCES);
        add(figure::FLEET_DOWN, text("calls that meet the outage", "call gặp sự cố"), CALLS);
        add(figure::FLEET_PROBES, text("of these, probes", "trong đó, probe"), CALLS);
        add(figure::ONE_PROBES, text("probes of a single instance", "probe của một instance duy nhất"), CALLS);

        for key in ["shared_states", "charge_states", "export_states"] {
            plan.series(key, &[("at", units::MS), ("state", units::PLAIN)]);
        }
        let ends = [("at", units::MS), ("endpoint", units::PLAIN), ("shared", units::PLAIN), ("own", units::PLAIN)];
        plan.series("ends", &ends);
        plan.series("fleet", &[("at", units::MS), ("open", INSTANCES), ("met", CALLS)]);
        plan.books.push(text("One breaker", "Một breaker"));
        plan.books.push(text("A breaker each", "Mỗi endpoint một breaker"));
        plan.books.push(text("All instances", "Mọi instance"));
        plan
    }

    fn cost(knobs: &BreakerGranularity) -> u64 {
        1 + knobs.calls() * calls::per_tick(knobs)
    }

    fn start(knobs: &BreakerGranularity, _seed: u64) -> Box<dyn Run> {
        Box::new(Both { knobs: knobs.clone(), calls: Calls::new(knobs) })
    }
}

struct Both {
    knobs: BreakerGranularity,
    calls: Calls,
}

impl Run for Both {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.calls.advance(events);
        Progress { done, share: self.calls.share() }
    }

    fn outcome(&self) -> Outcome {
        let plan = Card::plan(&self.knobs);
        let mut out = Outcome::new(&plan);
        let seen = &self.calls;
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        let first = |states: &[(Time, State)], state| states.iter().find(|s| s.1 == state).map(|s| s.0.as_ms());
        let last = |states: &[(Time, State)], state| states.iter().rfind(|s| s.1 == state).map(|s| s.0.as_ms());
        let opened = |states: &[(Time, State)]| states.iter().filter(|s| s.1 == State::Open).count() as f64;
        set(figure::CALLS, Some(seen.done() as f64));
        let sides = [
            (&seen.shared, &seen.shared_states, figure::shared::ALL),
            (&seen.own, &seen.own_states[0], figure::own::ALL),
        ];
        for (side, states, [reached, rejected, blocked, margin, times, open, closed]) in sides {
            set(reached, Some(side.book.server.arrivals as f64));
            set(rejected, Some(side.book.caller.rejected as f64));
            set(blocked, Some(side.blocked as f64));
            set(margin, Some(side.blocked_margin as f64));
            set(times, Some(opened(states)));
            set(open, first(states, State::Open));
            set(closed, last(states, State::Closed));
        }
        set(figure::own::EXPORT_OPEN, first(&seen.own_states[1], State::Open));
        let fleet = &seen.fleet;
        set(figure::ALL_OPEN, fleet.all_open.map(|(at, _)| at.as_ms()));
        set(figure::UNTIL_ALL_OPEN, fleet.all_open.map(|(_, met)| met as f64));
        set(figure::NEVER_OPEN, Some(fleet.opened.iter().filter(|&&opened| !opened).count() as f64));
        set(figure::FLEET_DOWN, Some(fleet.met as f64));
        set(figure::FLEET_PROBES, Some(fleet.probes as f64));
        set(figure::ONE_PROBES, Some(seen.own.probes as f64));

        let states = [
            ("shared_states", &seen.shared_states),
            ("charge_states", &seen.own_states[0]),
            ("export_states", &seen.own_states[1]),
        ];
        for (key, states) in states {
            out.fill(&plan, key, states.iter().flat_map(|(at, state)| [at.as_ms(), f64::from(*state as u8)]).collect());
        }
        let ends = seen.ends.iter().flat_map(|&(at, export, ends)| {
            [at.as_ms(), f64::from(u8::from(export)), f64::from(ends[0] as u8), f64::from(ends[1] as u8)]
        });
        out.fill(&plan, "ends", ends.collect());
        let rows = fleet.rows.iter().flat_map(|&(at, open, met)| [at.as_ms(), open as f64, met as f64]);
        out.fill(&plan, "fleet", rows.collect());
        out.books = vec![seen.shared.book, seen.own.book, fleet.book];
        out
    }
}
