//! Card 14, `backlog-drain`: article 4, card 018.
//!
//! A queue adds no capacity: it turns falling over into waiting. How much waits after a peak, how long it takes to
//! drain, how old the oldest gets, counted second by second and calculated beside it.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs; the run is [`overload_sim::backlog`] |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Unit, same, text};
use overload_sim::backlog::{Backlog, Scaling};
use overload_sim::ledger::{CallerLedger, ServerLedger};

use crate::card::{About, Lesson, Progress, Run, Seen, Theme, Truth, words_and_charts};
use crate::human;
use crate::outcome::{Book, Outcome, Plan};
use knobs::{BacklogDrain, MIN, PER_MINUTE};

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    pub const BACKLOG: &str = "backlog";
    pub const DRAIN: &str = "drain_min";
    pub const LAST_WAIT: &str = "last_wait_min";
    pub const OLDEST_AT_END: &str = "oldest_at_end_min";
    pub const LONGEST: &str = "longest_wait_min";
    pub const DEEPEST: &str = "deepest";
    pub const LATE_SHARE: &str = "late_share";
    pub const EXPIRED: &str = "expired";
    pub const LEFT: &str = "left";
    pub const CALCULATED_BACKLOG: &str = "calculated_backlog";
    pub const CALCULATED_DRAIN: &str = "calculated_drain_min";
    pub const CALCULATED_WAIT: &str = "calculated_last_wait_min";
    pub const FOR_SLO: &str = "capacity_for_slo";
    pub const FOR_SLO_TIMES: &str = "capacity_for_slo_times";
    pub const NO_BACKLOG: &str = "no_backlog_capacity";
    pub const NO_BACKLOG_TIMES: &str = "no_backlog_times";
    /// Pods that drain what waits within the SLO: lag / (pod · time).
    pub const PODS_TO_DRAIN: &str = "pods_to_drain";
    /// Only where pods are added.
    pub const PODS: &str = "pods_added";
}

const MESSAGES: Unit = Unit::counted("messages", text("messages", "message"), "message", 0);
const TIMES: Unit = Unit::new("times", same("×"), 2);
const SHARE: Unit = Unit::new("percent", same("%"), 1);
const PODS: Unit = Unit::counted("pods", text("pods", "pod"), "pod", 0);

impl Lesson for Card {
    type Knobs = BacklogDrain;

    const ABOUT: About = About {
        slug: "backlog-drain",
        number: 14,
        theme: Theme::WaitingLines,
        title: text("Backlog and drain: a queue adds no capacity", "Backlog và drain: queue không thêm năng lực"),
        promise: text(
            "An hour of peak, and a queue that absorbs it. See how long it takes to get rid of what it absorbed.",
            "Một giờ cao điểm, và một queue hấp thụ nó. Xem mất bao lâu để trả hết những gì đã hấp thụ.",
        ),
        lead: text(
            "A queue turns falling over into waiting. What comes in above the capacity piles up, and is worked off only by what the capacity has to spare afterwards. Do the sum before you promise that the queue will absorb the peak: how much waits, how long it drains, how old the oldest message gets, and what it would take to stay within the SLO.",
            "Queue đổi sập thành chậm. Phần vượt quá năng lực dồn lại, và sau đó chỉ được xử lý bằng phần năng lực còn dư. Hãy làm toán trước khi hứa rằng queue sẽ hấp thụ cao điểm: bao nhiêu message phải chờ, drain mất bao lâu, message cũ nhất già đến đâu, và cần gì để giữ được SLO.",
        ),
        sources: &[(4, "018")],
    };

    const SEEDS: bool = false;

    words_and_charts!(BacklogDrain);

    fn plan(knobs: &BacklogDrain) -> Plan {
        let mut plan = Plan::default();
        let counted = text("Counted", "Đếm được");
        let mut add = |key, label, unit| plan.figure(key, counted, label, unit);
        add(figure::BACKLOG, text("waiting when the peak ends", "đang chờ khi hết cao điểm"), MESSAGES);
        add(figure::DRAIN, text("drained after the peak", "drain xong sau cao điểm"), MIN);
        add(figure::LAST_WAIT, text("wait of the peak’s last message", "message cuối cao điểm chờ"), MIN);
        add(
            figure::OLDEST_AT_END,
            text("age of the oldest when the peak ends", "tuổi message cũ nhất khi hết cao điểm"),
            MIN,
        );
        add(figure::LONGEST, text("longest wait", "chờ lâu nhất"), MIN);
        add(figure::DEEPEST, text("most waiting at once", "chờ nhiều nhất cùng lúc"), MESSAGES);
        add(figure::LATE_SHARE, text("late, dropped or still waiting", "trễ, bị bỏ hoặc còn chờ"), SHARE);
        add(figure::EXPIRED, text("dropped by retention", "bị bỏ vì quá hạn giữ"), MESSAGES);
        add(figure::LEFT, text("still waiting when the run ends", "còn chờ khi kết thúc"), MESSAGES);
        if knobs.scaling != Scaling::Off {
            add(figure::PODS, text("pods added, at most", "số pod thêm vào, nhiều nhất"), PODS);
        }
        let calculated = text("Calculated", "Tính ra");
        let mut add = |key, label, unit| plan.figure(key, calculated, label, unit);
        add(figure::CALCULATED_BACKLOG, text("waiting when the peak ends", "đang chờ khi hết cao điểm"), MESSAGES);
        add(figure::CALCULATED_DRAIN, text("drained after the peak", "drain xong sau cao điểm"), MIN);
        add(figure::CALCULATED_WAIT, text("wait of the peak’s last message", "message cuối cao điểm chờ"), MIN);
        add(
            figure::FOR_SLO,
            text("capacity that keeps every wait within the SLO", "năng lực để không message nào quá SLO"),
            PER_MINUTE,
        );
        add(figure::FOR_SLO_TIMES, text("the same, against today", "như trên, so với hiện nay"), TIMES);
        add(figure::NO_BACKLOG, text("capacity that leaves no backlog", "năng lực để không có backlog"), PER_MINUTE);
        add(figure::NO_BACKLOG_TIMES, text("the same, against today", "như trên, so với hiện nay"), TIMES);
        add(
            figure::PODS_TO_DRAIN,
            text("pods that drain the backlog within the SLO", "số pod để drain backlog trong SLO"),
            PODS,
        );
        let minutes = [
            ("minute", MIN),
            ("came", MESSAGES),
            ("capacity", MESSAGES),
            ("served", MESSAGES),
            ("depth", MESSAGES),
            ("oldest", MIN),
        ];
        plan.series("minutes", &minutes);
        plan.books.push(text("The queue", "Queue"));
        plan
    }

    fn cost(knobs: &BacklogDrain) -> u64 {
        knobs.setup().most_minutes()
    }

    fn start(knobs: &BacklogDrain, _seed: u64) -> Box<dyn Run> {
        Box::new(Peak { knobs: knobs.clone(), backlog: Backlog::new(knobs.setup()) })
    }
}

/// The run.
struct Peak {
    knobs: BacklogDrain,
    backlog: Backlog,
}

impl Run for Peak {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.backlog.advance(events);
        Progress { done, share: if done { 1.0 } else { self.backlog.share().min(1.0) } }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let setup = knobs.setup();
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let seen = self.backlog.outcome();
        let minutes = |s: u64| s as f64 / 60.0;
        let mut set = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                out.set(&plan, key, value);
            }
        };
        set(figure::BACKLOG, Some(seen.backlog as f64));
        set(figure::DRAIN, seen.drained_s.map(minutes));
        set(figure::LAST_WAIT, seen.last_wait_s.map(minutes));
        set(figure::OLDEST_AT_END, Some(minutes(seen.oldest_at_end_s)));
        set(figure::LONGEST, (seen.in_time + seen.late > 0).then(|| minutes(seen.longest_s)));
        set(figure::DEEPEST, Some(seen.deepest as f64));
        set(figure::EXPIRED, Some(seen.expired as f64));
        set(figure::LEFT, Some(seen.left as f64));
        let late = seen.came - seen.in_time;
        set(figure::LATE_SHARE, (seen.came > 0).then(|| 100.0 * late as f64 / seen.came as f64));
        if knobs.scaling != Scaling::Off {
            set(figure::PODS, Some(seen.pods as f64));
        }
        let highest = match setup.shape {
            overload_sim::backlog::Shape::Block => setup.inflow,
            overload_sim::backlog::Shape::Triangle => 2 * setup.inflow,
        } as f64;
        // What lies behind may take less; what it takes with more workers is for the page to say.
        let today = setup.effective() as f64;
        set(figure::NO_BACKLOG, Some(highest));
        set(figure::NO_BACKLOG_TIMES, Some(highest / today));
        if knobs.calculable() {
            set(figure::CALCULATED_BACKLOG, Some(setup.backlog() as f64));
            set(figure::CALCULATED_DRAIN, setup.drain());
            set(figure::CALCULATED_WAIT, setup.last_wait());
            set(figure::FOR_SLO, Some(setup.capacity_for_slo()));
            set(figure::FOR_SLO_TIMES, Some(setup.capacity_for_slo() / today));
        }
        set(figure::PODS_TO_DRAIN, Some(seen.backlog.div_ceil((setup.pod * setup.slo).max(1)) as f64));
        let rows = seen.minutes.iter().enumerate().flat_map(|(i, m)| {
            let [came, capacity, served, depth] = [m.came, m.capacity, m.served, m.depth].map(|n| n as f64);
            [(i + 1) as f64, came, capacity, served, depth, minutes(m.oldest_s)]
        });
        out.fill(&plan, "minutes", rows.collect());
        out.books.push(Book {
            offered: seen.came,
            good: seen.in_time,
            caller: CallerLedger {
                attempts: seen.came,
                ok: seen.in_time,
                late: seen.late,
                timeout: seen.expired,
                cancelled: seen.left,
                ..CallerLedger::default()
            },
            server: ServerLedger {
                arrivals: seen.came,
                useful: seen.in_time + seen.late,
                dropped_expired: seen.expired,
                lost: seen.left,
                ..ServerLedger::default()
            },
        });
        out
    }
}

/// A figure of messages, as people say it.
fn messages(seen: &Seen<BacklogDrain>, key: &str) -> String {
    seen.get(key).map_or("–".into(), |n| human::messages(n).write(n, seen.lang))
}

/// A figure of minutes, as people say it.
fn time(seen: &Seen<BacklogDrain>, key: &str) -> String {
    seen.get(key).map_or("–".into(), |n| human::minutes(n).write(n, seen.lang))
}

/// How the run ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing waits when the peak ends.
    NothingLeft,
    /// The queue drops messages.
    Dropped,
    /// What comes afterwards takes all of the capacity, or more.
    Never,
    /// It may drain, but has not when the run ends.
    NotYet,
    /// It drains.
    Drains,
}

fn end(seen: &Seen<BacklogDrain>) -> End {
    let setup = seen.knobs.setup();
    let all = if setup.scaling == Scaling::Off { setup.effective() } else { setup.with_all_pods() };
    if seen.get(figure::EXPIRED) > Some(0.0) {
        End::Dropped
    } else if seen.get(figure::BACKLOG) <= Some(0.0) {
        End::NothingLeft
    } else if seen.get(figure::DRAIN).is_some() {
        End::Drains
    } else if all <= setup.after {
        End::Never
    } else {
        End::NotYet
    }
}

/// How the governing inequality stands: by what waits, and for how long.
fn truth(seen: &Seen<BacklogDrain>) -> Truth {
    let slo = seen.knobs.slo as f64;
    let get = |key: &str| seen.get(key);
    let waits = get(figure::DEEPEST).unwrap_or(0.0) > 0.0;
    let never = get(figure::DRAIN).is_none() || get(figure::EXPIRED).unwrap_or(0.0) > 0.0;
    if never || get(figure::LONGEST).unwrap_or(0.0) > slo {
        Truth::Bad
    } else if waits && get(figure::LONGEST).unwrap_or(0.0) >= 1.0 {
        Truth::Edge
    } else {
        Truth::Ok
    }
}
