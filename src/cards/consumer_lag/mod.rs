//! Card 16, `consumer-lag`: article 4, card 014.
//!
//! Two million messages wait, and the consumers' CPU is low: they wait for I/O. An autoscaler that looks at the CPU sees
//! nothing to do; one that looks at the lag or at the oldest message does. Then partitions, keys and the downstream decide.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs; the run is [`overload_sim::partitions`] |
//! | `runs.rs` | the runs, one after the other |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod runs;
mod words;

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::ledger::{CallerLedger, ServerLedger};
use overload_sim::partitions::Group;
use overload_sim::time::Time;

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::{ConsumerLag, MESSAGES, PODS};
use runs::{LEVERS, Runs};

/// The card.
pub struct Card;

/// Keys of the figures that each group has, in the plan's order. The group of the knobs has them under their plain names,
/// the one that follows the CPU after `hpa_`.
mod figure {
    pub const CAUGHT_UP: &str = "caught_up";
    pub const LEFT: &str = "left";
    pub const MOST_PODS: &str = "most_pods";
    pub const IDLE: &str = "most_idle";
    pub const CPU: &str = "most_cpu";
    pub const OLDEST: &str = "oldest";
    pub const LATE: &str = "late_share";
    pub const AT_LIMIT: &str = "at_limit_share";
}

/// The two groups: prefix of their keys, name.
const GROUPS: [(&str, Text); 2] =
    [("", text("The scaler chosen", "Scaler đã chọn")), ("hpa_", text("HPA on CPU", "HPA theo CPU"))];

const MIN: Unit = Unit::new("min", text("min", "phút"), 1);
const SHARE: Unit = Unit::new("percent", same("%"), 1);

impl Lesson for Card {
    type Knobs = ConsumerLag;

    const ABOUT: About = About {
        slug: "consumer-lag",
        number: 16,
        theme: Theme::WaitingLines,
        title: text(
            "Consumer lag: the CPU sleeps while two million wait",
            "Consumer lag: CPU ngủ trong khi hai triệu message chờ",
        ),
        promise: text(
            "I/O-bound consumers fall behind at five percent CPU. See what scales them, and where partitions end it.",
            "Consumer I/O-bound tụt lại khi CPU mới năm phần trăm. Xem cái gì scale được, và partition chặn lại ở đâu.",
        ),
        lead: text(
            "Consumers that wait for I/O use little CPU however far behind they are, so an autoscaler on CPU takes pods away. Lag, or the age of the oldest message, tells what is left to do. But a partition belongs to one pod, a key to one batch after the other, and the downstream takes only so much: more pods help up to there.",
            "Consumer chờ I/O thì dùng ít CPU dù tụt xa đến đâu, nên autoscaler theo CPU còn bớt pod đi. Lag, hay tuổi của message cũ nhất, mới cho biết còn bao nhiêu việc. Nhưng một partition thuộc về một pod, một key phải đi lần lượt từng batch, và downstream chỉ chịu được chừng ấy: thêm pod chỉ có ích tới đó.",
        ),
        sources: &[(4, "014")],
    };

    const SEEDS: bool = false;

    words_and_charts!(ConsumerLag);

    fn plan(_knobs: &ConsumerLag) -> Plan {
        use figure::*;
        let mut plan = Plan::default();
        let labels = [
            (CAUGHT_UP, text("the oldest within the SLO since", "message cũ nhất trong SLO từ lúc"), MIN),
            (LEFT, text("waiting at the end", "còn chờ lúc kết thúc"), MESSAGES),
            (MOST_PODS, text("most pods", "nhiều pod nhất"), PODS),
            (IDLE, text("of these at most without a partition", "trong đó nhiều nhất không có partition"), PODS),
            (CPU, text("highest CPU against the request", "CPU cao nhất so với request"), units::PERCENT),
            (OLDEST, text("greatest age of the oldest", "tuổi lớn nhất của message cũ nhất"), MIN),
            (LATE, text("late or still waiting", "trễ hoặc còn chờ"), SHARE),
            (
                AT_LIMIT,
                text("time behind, at the downstream’s limit", "thời gian tụt lại, chạm giới hạn downstream"),
                SHARE,
            ),
        ];
        for (prefix, group) in GROUPS {
            labels.iter().for_each(|&(key, label, unit)| plan.figure([prefix, key].concat(), group, label, unit));
        }
        let group = text("Calculated", "Tính ra");
        let mut add = |key, label, unit| plan.figure(key, group, label, unit);
        add("backlog", text("lag at the start", "lag lúc đầu"), MESSAGES);
        add("pod_rate", text("one pod works off", "một pod xử lý"), units::PER_SECOND);
        add(
            "all_rate",
            text("all pods allowed work off, keys spread evenly", "mọi pod cho phép xử lý, key trải đều"),
            units::PER_SECOND,
        );
        add("start_rate", text("the pods at the start work off", "số pod lúc đầu xử lý"), units::PER_SECOND);
        add("pods_to_drain", text("pods that drain the lag within the SLO", "số pod để drain lag trong SLO"), PODS);
        let group = text(
            "Within the SLO with each lever, all pods from the start",
            "Về trong SLO với từng đòn bẩy, đủ pod từ đầu",
        );
        for (key, label) in LEVERS {
            plan.figure(key, group, label, MIN);
        }
        for (prefix, name) in GROUPS {
            let columns = [
                ("at", MIN),
                ("lag", MESSAGES),
                ("oldest", MIN),
                ("owning", PODS),
                ("idle", PODS),
                ("starting", PODS),
                ("cpu", units::PERCENT),
                ("served", units::PER_SECOND),
            ];
            plan.series([prefix, "moments"].concat(), &columns);
            plan.books.push(name);
        }
        plan.series("lanes", &[("partition", units::PLAIN), ("clear", MIN), ("lag", MESSAGES)]);
        plan.series("by_pods", &[("pods", PODS), ("rate", units::PER_SECOND)]);
        plan
    }

    fn cost(knobs: &ConsumerLag) -> u64 {
        runs::cost(knobs)
    }

    fn start(knobs: &ConsumerLag, seed: u64) -> Box<dyn Run> {
        Box::new(Both { knobs: knobs.clone(), runs: Runs::new(knobs, seed) })
    }
}

struct Both {
    knobs: ConsumerLag,
    runs: Runs,
}

fn minutes(at: Time) -> f64 {
    at.as_s() / 60.0
}

impl Run for Both {
    fn advance(&mut self, events: u64) -> Progress {
        self.runs.advance(events);
        let (done, all) = self.runs.progress();
        Progress { done: done == all, share: done as f64 / all as f64 }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        set("backlog", Some(knobs.backlog as f64));
        set("pod_rate", Some(knobs.pod()));
        set("all_rate", Some(knobs.together(knobs.most.max(knobs.least))));
        set("start_rate", Some(knobs.together(knobs.least)));
        let slo = knobs.age.as_s() * knobs.pod();
        // Rounded up.
        let whole = (knobs.backlog as f64 / slo) as u64;
        let more = whole as f64 * slo < knobs.backlog as f64;
        set("pods_to_drain", Some((whole + u64::from(more)) as f64));
        for ((key, _), at) in LEVERS.iter().zip(self.runs.levers()) {
            set(key, at.map(minutes));
        }
        for ((prefix, _), group) in GROUPS.iter().zip(self.runs.groups()) {
            for (key, value) in figures(group, knobs) {
                set(&[*prefix, key].concat(), value);
            }
        }
        for ((prefix, _), group) in GROUPS.iter().zip(self.runs.groups()) {
            // About a hundred and fifty rows are enough for the eye.
            let every = (group.moments.len() / 150).max(1);
            let last = group.moments.len() - 1;
            let rows = group.moments.iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last);
            let rows = rows.flat_map(|(_, m)| {
                let [lag, owning, idle, starting, cpu, served] =
                    [m.lag, m.ready - m.idle, m.idle, m.starting, m.cpu, m.served].map(|n| n as f64);
                [minutes(m.at), lag, m.age_s as f64 / 60.0, owning, idle, starting, cpu, served]
            });
            out.fill(&plan, &[*prefix, "moments"].concat(), rows.collect());
            out.books.push(book(group, knobs));
        }
        if let Some(group) = self.runs.groups().next() {
            let lags = group.lags();
            let lanes = group.clear.iter().zip(lags).enumerate();
            let end = minutes(Time::ZERO + knobs.watch);
            let rows = lanes.flat_map(|(i, (&clear, lag))| {
                [(i + 1) as f64, if clear == Time::MAX { end } else { minutes(clear) }, lag as f64]
            });
            out.fill(&plan, "lanes", rows.collect());
        }
        out.fill(&plan, "by_pods", self.runs.by_pods().flatten().collect());
        out
    }
}

/// The figures of one group.
fn figures(group: &Group, knobs: &ConsumerLag) -> [(&'static str, Option<f64>); 8] {
    let most =
        |of: fn(&overload_sim::partitions::Moment) -> u64| group.moments.iter().map(of).max().unwrap_or(0) as f64;
    let clear = group.clear.iter().copied().max().filter(|&at| at < Time::MAX);
    let book = book(group, knobs);
    let late = (book.offered > 0).then(|| 100.0 * (book.offered - book.good) as f64 / book.offered as f64);
    let at_limit = 100.0 * group.at_limit.as_s() / group.behind.as_s();
    [
        (figure::CAUGHT_UP, clear.map(minutes)),
        (figure::LEFT, group.moments.last().map(|m| m.lag as f64)),
        (figure::MOST_PODS, Some(most(|m| m.ready + m.starting))),
        (figure::IDLE, Some(most(|m| m.idle))),
        (figure::CPU, Some(most(|m| m.cpu))),
        (figure::OLDEST, Some(most(|m| m.age_s) / 60.0)),
        (figure::LATE, late),
        (figure::AT_LIMIT, (group.behind.as_us() > 0).then_some(at_limit)),
    ]
}

/// Whole messages: in time, late, waiting at the end.
fn book(group: &Group, knobs: &ConsumerLag) -> Book {
    let came = knobs.backlog + knobs.inflow * group.moments.last().map_or(0, |m| m.at.as_us() / 1_000_000);
    let waiting = group.moments.last().map_or(0, |m| m.lag).min(came);
    // What is left of a message counts with those in time.
    let late = (group.served[1] / 1_000).min(came - waiting);
    let good = came - waiting - late;
    Book {
        offered: came,
        good,
        caller: CallerLedger { attempts: came, ok: good, late, cancelled: waiting, ..CallerLedger::default() },
        server: ServerLedger { arrivals: came, useful: good + late, lost: waiting, ..ServerLedger::default() },
    }
}
