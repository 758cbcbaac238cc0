//! Card 19, `retry-storm`: article 1's incident and its postmortem, card 055.
//!
//! Services that each retry, above one DB. It fails for half a minute, and the system stays down for twenty: retries keep
//! the queue full, a full queue waits longer than callers do, so what is served is already dead, so callers retry. Each
//! guardrail cuts that loop at one place.
//!
//! Everything that moves is [`overload_sim::chain`]; this folder sets its knobs and reads its book.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs, the chain that they stand for, the rule of thumb |
//! | `figures.rs` | names and units of what a run gives |
//! | `beside.rs` | what else is run on the same draws: without guardrails, with each, the neighbours |
//! | `draw.rs` | the charts |
//! | `scene.rs` | the chain at one moment, and the loop that feeds itself |
//! | `postmortem.rs` | the run as a postmortem |
//! | `words.rs` | setups, banner, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod beside;
mod draw;
mod figures;
mod knobs;
mod postmortem;
mod scene;
mod words;

use overload_chart::{Lang, text};
use overload_sim::chain::Chain;
use overload_sim::chain::book::Second;
use overload_sim::time::Span;

use crate::card::{About, Lesson, Progress, Run, Seen, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use crate::report::Report;
use crate::say::told;
use crate::scene::Scene;
use beside::{Ended, Figures, Runs, share};
use knobs::{Beside, Ending, Storm};

/// The card.
pub struct Card;

impl Lesson for Card {
    type Knobs = Storm;

    const ABOUT: About = About {
        slug: "retry-storm",
        number: 19,
        theme: Theme::Whole,
        title: text("The retry storm that outlives its cause", "Retry storm sống lâu hơn nguyên nhân"),
        promise: text(
            "The database is down for half a minute, the system for twenty. Find what keeps it down, and what to cut.",
            "Database chết nửa phút, hệ thống chết hai mươi phút. Tìm xem điều gì giữ nó nằm đó, và cắt ở đâu.",
        ),
        lead: text(
            "Three services call one another above one database, and each has the standard retry helper. The database fails over and is back after half a minute. The system is not: it feeds its own overload. Put in one guardrail at a time and see which of them end the outage with its cause.",
            "Ba service gọi lồng nhau phía trên một database, service nào cũng có helper retry chuẩn. Database failover rồi sống lại sau nửa phút. Hệ thống thì không: nó tự nuôi tình trạng quá tải của mình. Hãy lắp từng guardrail một, xem cái nào chấm dứt sự cố cùng lúc với nguyên nhân.",
        ),
        sources: &[(1, "055")],
    };

    words_and_charts!(Storm);

    fn plan(knobs: &Storm) -> Plan {
        figures::plan(knobs)
    }

    fn scene(seen: &Seen<Storm>, at: f64) -> Option<Scene> {
        Some(scene::at(seen, at))
    }

    fn report(seen: &Seen<Storm>) -> Option<Report> {
        Some(postmortem::of(seen))
    }

    fn glimpse(knobs: &Storm, events: u64, lang: Lang) -> Option<(Storm, String)> {
        let part = knobs.begun(events)?;
        let template =
            text("Watched to {time} so far; the rest follows", "Mới theo dõi tới {time}; phần còn lại sẽ hiện sau");
        let said = told(template, lang, &[("time", &scene::clock(part.watch.as_s()))]);
        Some((part, said))
    }

    fn cost(knobs: &Storm) -> u64 {
        knobs.cost() + beside::cost(knobs)
    }

    fn start(knobs: &Storm, seed: u64) -> Box<dyn Run> {
        Box::new(Outage {
            chain: Chain::new(knobs.chain(), seed),
            done: false,
            beside: Runs::new(knobs, seed),
            knobs: knobs.clone(),
        })
    }
}

/// The run, and those beside it.
struct Outage {
    knobs: Storm,
    chain: Chain,
    /// Whether the run itself has ended.
    done: bool,
    beside: Runs,
}

impl Run for Outage {
    fn advance(&mut self, events: u64) -> Progress {
        let before = self.chain.book().events;
        let mut all = false;
        self.done = self.chain.advance(events);
        if self.done {
            all = self.beside.advance(events - (self.chain.book().events - before).min(events));
        }
        let own = self.chain.now().as_us() as f64 / self.knobs.watch.as_us().max(1) as f64;
        let (ended, runs) = self.beside.progress();
        let share = (if self.done { 1.0 } else { own.min(1.0) } + ended as f64) / (1 + runs) as f64;
        Progress { done: all, share }
    }

    fn outcome(&self) -> Outcome {
        let knobs = &self.knobs;
        let plan = Card::plan(knobs);
        let mut out = Outcome::new(&plan);
        let book = self.chain.book();
        let layers = knobs.layers as usize;
        let seconds = &book.seconds[..book.ended_seconds()];
        let sum = |f: &dyn Fn(&Second) -> u32| seconds.iter().map(|s| f64::from(f(s))).sum::<f64>();
        let mut set = |key: &str, value: f64| out.set(&plan, key, value);

        let own = Figures::of(knobs, book);
        if let Some(after) = own.recovery.filter(|_| self.done) {
            set("recovery", after);
            set("outlives", (after - knobs.fault_for.as_s()).max(0.0));
            let since = |at: Span| Some(after - at.as_s()).filter(|since| *since >= 0.0);
            if let Some(since) = since(knobs.cut_at).filter(|_| knobs.cut_at > Span::ZERO) {
                set("after_cut", since);
            }
            if let Some(since) = since(knobs.door_at).filter(|_| knobs.ending == Ending::Door) {
                set("after_door", since);
            }
        }
        set("users", own.users);
        set("good", own.good);
        set("failed", own.users - own.good);
        set("failed_share", share(own.users - own.good, own.users));
        let caller = book.hops[0].caller;
        set("turned_away", caller.rejected as f64);

        let server = book.hops[layers].server;
        set("most_per_user", own.most_per_user);
        set("peak", own.peak);
        set("peak_times", own.peak / knobs.load as f64);
        set("calls", server.arrivals as f64);
        set("refused", server.refused as f64);
        set("served", own.served);
        set("wasted", own.wasted);
        set("wasted_share", share(own.wasted, own.served));
        set("dropped", server.dropped_expired as f64);
        set("peak_inside", f64::from(book.peak_inside));

        let attempts: u64 = book.hops[1..].iter().map(|h| h.caller.attempts - h.caller.rejected).sum();
        let retries = |s: &Second| s.retries[1..=layers].iter().sum::<u32>();
        let sent = |s: &Second| s.attempts[1..=layers].iter().sum::<u32>();
        set("attempts", attempts as f64);
        set("retry_share", share(sum(&retries), sum(&sent)));
        set("denied", book.denied as f64);
        let rejected: u64 = book.hops[1..].iter().map(|h| h.caller.rejected).sum();
        set("rejected", rejected as f64);
        set("most_pods", seconds.iter().map(|s| f64::from(s.pods)).fold(knobs.pods as f64, f64::max));

        set("capacity", knobs.capacity());
        set("push", knobs.push());
        set("full_wait", knobs.full_wait());
        set("patience", knobs.patience());
        set("backlog", knobs.backlog().round());
        set("tips", (knobs.capacity() * knobs.patience()).round());
        set("worst", knobs.worst() as f64);
        set("safe_load", knobs.capacity() / knobs.worst() as f64);

        let ended = &self.beside.ended;
        if let Some(bare) = ended.first().filter(|_| knobs.bare()).map(|run| &run.figures) {
            if let Some(after) = bare.recovery {
                set("bare_recovery", after);
            }
            set("bare_failed", bare.users - bare.good);
            set("bare_failed_share", share(bare.users - bare.good, bare.users));
            set("bare_peak", bare.peak);
            set("bare_most_per_user", bare.most_per_user);
            set("bare_wasted_share", share(bare.wasted, bare.served));
        }
        if plan.find("beside_runs").is_some() {
            let down = knobs.fault_for.as_s();
            let count = |holds: &dyn Fn(&Ended) -> bool| ended.iter().filter(|run| holds(run)).count() as f64;
            set("beside_runs", ended.len() as f64);
            set("beside_soon", count(&|run| run.figures.recovery.is_some_and(|after| after <= down + 30.0)));
            set("beside_never", count(&|run| run.figures.recovery.is_none()));
            if plan.find("beside_rule").is_some() {
                set("beside_rule", count(&|run| run.knobs.sustains() == run.figures.recovery.is_none()));
            }
        }
        if knobs.beside != Beside::Nothing {
            let row = |run: &Ended| {
                let Figures { recovery, failed_after, peak, wasted, served, .. } = run.figures;
                let rest = run.knobs.watch.saturating_sub(Span::us(run.knobs.fault_from().as_us())).as_s();
                let back = f64::from(u8::from(recovery.is_some()));
                [back, recovery.unwrap_or(rest), failed_after, share(wasted, served), peak]
            };
            out.fill(&plan, "runs", ended.iter().flat_map(row).collect());
            // A map shows no single run.
            let drawn = ended.iter().enumerate().filter(|_| !matches!(knobs.beside, Beside::Load | Beside::Room));
            let bins =
                drawn.flat_map(|(i, run)| run.bins.iter().map(move |&[at, users, good]| [i as f64, at, users, good]));
            out.fill(&plan, "run_bins", bins.flatten().collect());
        }
        let from = (knobs.fault_from().as_us() / 1_000_000) as usize;
        let full = |s: &Second| u64::from(s.inside) >= knobs.inside().min(u64::from(s.pods) * knobs.room);
        let mut when = |key: &str, holds: &dyn Fn(&Second) -> bool| {
            let after = seconds.iter().skip(from).position(holds).filter(|_| knobs.fails());
            after.into_iter().for_each(|after| out.set(&plan, key, after as f64));
        };
        when("retries_after", &|s| retries(s) > 0 && retries(s) * 2 >= sent(s));
        when("full_after", &full);
        when("scaled_after", &|s| u64::from(s.pods) > knobs.pods);
        when("opened_after", &|s| (0..layers).any(|k| s.breaker(k) == 1));
        let row = |(i, s): (usize, &Second)| {
            let mut row = vec![i as f64, s.users.into(), s.good.into()];
            row.extend(s.attempts[1..=layers].iter().map(|&n| f64::from(n)));
            row.extend([retries(s), s.refused, s.useful, s.wasted, s.inside, s.pods].map(f64::from));
            row.extend((0..layers).map(|k| f64::from(s.breaker(k))));
            row
        };
        out.fill(&plan, "seconds", seconds.iter().enumerate().flat_map(row).collect());
        let of_users = Book { offered: caller.attempts, good: caller.ok, ..Book::default() };
        out.books = book.hops.iter().map(|h| Book { caller: h.caller, server: h.server, ..of_users }).collect();
        out
    }
}
