//! The event loop and card `shed-event-loop` against the article's vectors, an independent model and its claims.

use std::collections::VecDeque;

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::event_loop::{Call, Door, EventLoop, Probe, Setup, What};
use overload_sim::time::{Span, Time};

use crate::support::{Ran, Shuffle, changed, pairs, shuffled_within, vector};

fn card() -> &'static dyn Card {
    find("shed-event-loop").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/event_loop_shedding.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 51, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let known = ["rate", "cpu", "shed", "model", "overheadMs", "rejMs"];
        let names = params.as_object().expect("parameters");
        assert!(names.keys().all(|key| known.contains(&key.as_str())), "{params}");
        let number = |key: &str, default: f64| params[key].as_f64().unwrap_or(default);
        let mut changes = vec![
            ("rate", number("rate", 400.0).to_string()),
            ("cpu", number("cpu", 4.0).to_string()),
            ("overhead", number("overheadMs", 0.0).to_string()),
            ("refusal", number("rejMs", 0.0).to_string()),
            ("server", if params["model"] == "ideal" { "ideal" } else { "loop" }.to_string()),
        ];
        match params["shed"].as_u64() {
            Some(limit) => changes.push(("limit", limit.to_string())),
            None => changes.push(("signal", "off".into())),
        }
        let run = Ran::of(card(), &*changed(card(), "article", changes.iter().map(|(k, v)| (*k, v.as_str()))), 1);
        for (key, figure, within) in [
            ("good", "good", 0.0),
            ("late", "late", 0.0),
            ("s503", "shed", 0.0),
            ("perSec", "goodput", 1e-9),
            ("p50", "p50", 0.0501),
            ("p99", "p99", 0.0501),
        ] {
            let (ours, wanted) = (run.get(figure), expect[key].as_f64().expect("a number"));
            assert!((ours - wanted).abs() <= within, "{params}: {key} {ours}, expected {wanted}");
        }
    }
}

/// The article's two lines within the vectors' tolerances, in the fitted loop and in the ideal server.
#[test]
fn the_articles_figures() {
    let [fitted, ideal] = ["article", "ideal"].map(|setup| ran(setup, ""));
    assert_eq!([fitted.get("good"), fitted.get("none_good"), fitted.get("none_late")], [4_483.0, 553.0, 7_447.0]);
    assert_eq!([ideal.get("good"), ideal.get("none_good"), ideal.get("none_late")], [5_018.0, 661.0, 7_339.0]);
    for run in [fitted, ideal] {
        assert!((15.0..=34.0).contains(&run.get("none_goodput")));
        assert!((140.0..=251.0).contains(&run.get("goodput")));
        assert!((6.0..=10.0).contains(&run.get("gain")));
        assert!(run.get("p99") <= 450.0);
    }
}

/// The short run without shedding, which ends early, counts what the whole one does.
#[test]
fn ends_early() {
    for changes in
        ["duration=5s", "duration=3s&rate=700", "duration=4s&rate=240&deadline=20", "duration=2s&server=ideal"]
    {
        let run = ran("article", changes);
        assert_eq!(run.get("by_off"), run.get("none_good"), "{changes}");
        let row = run.outcome.rows(&run.plan, "by_signal").next().expect("a row");
        assert_eq!([row[1], row[2]], [run.get("none_late"), 0.0], "{changes}");
    }
}

/// What became of each request: when it was sent, when it ended, whether it was answered.
type Ended = (Time, Time, bool);

fn by_the_part(setup: Setup) -> Vec<Ended> {
    let mut thread = EventLoop::new(setup, 1);
    let mut out = vec![None; setup.requests as usize];
    let mut until = Time::ZERO;
    let mut end = |call: Call, at, good| {
        assert!(out[call.request as usize].replace((call.sent, at, good)).is_none(), "{call:?} ended twice");
    };
    while let Some(step) = thread.step() {
        assert!(step.from == until && step.from <= step.to, "{step:?} after {until:?}");
        until = step.to;
        match step.what {
            What::Answered(call) => end(call, step.to, true),
            What::Refused(call) => end(call, step.to, false),
            _ => {}
        }
    }
    out.into_iter().map(|ended| ended.expect("every request ends")).collect()
}

/// A second, slower model of the loop with a limit in flight: whole phases at a time, plain microseconds.
fn by_phases(setup: Setup, limit: usize) -> Vec<(Time, bool)> {
    let at = |n: usize| match setup.arrivals {
        Arrivals::Even { rate } => rate.nth(n as u64).expect("it comes").as_us(),
        _ => unreachable!("only even arrivals"),
    };
    let n = setup.requests as usize;
    let [wait, cpu, overhead, refusal] = [setup.wait, setup.cpu, setup.overhead, setup.refusal].map(Span::as_us);
    let mut out = vec![(Time::ZERO, false); n];
    let (mut now, mut next, mut ended) = (0, 0, 0);
    let (mut line, mut sockets, mut timers) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
    let mut busy = 0;
    // Puts those who came by `now` on a connection, as long as there is one.
    macro_rules! deliver {
        () => {
            while next < n && at(next) <= now {
                line.push_back(next);
                next += 1;
            }
            while busy < setup.connections
                && let Some(request) = line.pop_front()
            {
                busy += 1;
                sockets.push_back(request);
            }
        };
    }
    macro_rules! end {
        ($request:expr, $good:expr) => {{
            deliver!();
            ended += 1;
            busy -= 1;
            deliver!();
            out[$request] = (Time::us(now), $good);
        }};
    }
    while ended < n {
        deliver!();
        let mut ran = false;
        while let Some(&(due, request)) = timers.front()
            && due <= now
        {
            timers.pop_front();
            now += cpu + overhead - overhead / 2;
            end!(request, true);
            ran = true;
        }
        if !ran && sockets.is_empty() {
            let due = timers.front().map_or(u64::MAX, |t: &(u64, usize)| t.0);
            let comes = if next < n { at(next) } else { u64::MAX };
            if due.min(comes) == u64::MAX {
                break;
            }
            now = due.min(comes);
            deliver!();
            if due <= now {
                continue;
            }
        }
        for _ in 0..sockets.len() {
            let request = sockets.pop_front().expect("a request");
            if timers.len() >= limit {
                now += refusal;
                end!(request, false);
            } else {
                now += overhead / 2;
                timers.push_back((now + wait, request));
            }
        }
    }
    out
}

fn random_setup(n: u64, door: Door) -> Setup {
    let mut draw = Shuffle::new(71, n).0;
    let mut up_to = |most: u64| draw.below(most + 1);
    Setup {
        arrivals: Arrivals::Even { rate: Rate::milli_per_s(1_000 + up_to(900_000)) },
        requests: 1 + up_to(600) as u32,
        connections: 1 + up_to(60) as u32,
        wait: Span::us(up_to(20_000)),
        cpu: Span::us(100 + up_to(8_000)),
        overhead: Span::us(up_to(1_500)),
        refusal: Span::us(up_to(3_000)),
        phases: true,
        door,
        probe: Probe { every: Span::ms(20), forget: Span::s(5) },
        window: Span::s(1),
        cores: 1,
    }
}

#[test]
fn against_a_second_model() {
    for n in 0..150 {
        let limit = Shuffle::new(72, n).0.below(40) as usize + 1;
        let setup = random_setup(n, Door::InFlight(limit as u32));
        let (ours, theirs) = (by_the_part(setup), by_phases(setup, limit));
        let ours: Vec<_> = ours.into_iter().map(|(_, at, good)| (at, good)).collect();
        assert_eq!(ours, theirs, "{n}: {setup:?}");
    }
}

/// Whatever the door looks at: nobody is answered before wait and work are over, the thread does one thing at a time, and
/// no more are on their way than there are connections.
#[test]
fn any_door() {
    for n in 0..120 {
        let span = Span::ms(n % 7 * 10);
        let door = [Door::Open, Door::Lag(span), Door::LagP99(span), Door::Cpu(100 * (n % 11) as u32)][n as usize % 4];
        let setup = Setup { phases: n % 3 > 0, window: Span::ms(50), ..random_setup(n, door) };
        let ended = by_the_part(setup);
        let mut answered: Vec<Time> = ended.iter().filter(|e| e.2).map(|e| e.1).collect();
        for (sent, end, good) in &ended {
            assert!(!good || *end >= *sent + setup.wait + setup.cpu + setup.overhead, "{n}: {setup:?}");
        }
        answered.sort_unstable();
        assert!(answered.windows(2).all(|pair| pair[1] - pair[0] >= setup.cpu), "{n}: two pieces of work at once");
        let mut changes: Vec<(Time, i32)> = ended.iter().flat_map(|e| [(e.0, 1), (e.1, -1)]).collect();
        changes.sort_unstable();
        let peak = changes.iter().scan(0, |level, change| {
            *level += change.1;
            Some(*level)
        });
        assert!(peak.max().unwrap_or_default() <= setup.connections as i32, "{n}: {setup:?}");
        if door == Door::Open {
            assert!(ended.iter().all(|e| e.2), "{n}: an open door refuses");
        }
    }
}

/// The counts add up for any knobs, and no rate is above what can be.
#[test]
fn books() {
    for n in 0..40 {
        let knobs = shuffled_within(card(), 73, n, 20_000);
        let run = Ran::of(card(), &*knobs, n);
        for prefix in ["", "none_"] {
            let get = |key: &str| run.get(&[prefix, key].concat());
            assert_eq!(get("good") + get("late") + get("shed"), run.get("offered"), "{n}");
            assert!(get("refusing_share") <= 100.0 && run.find("wasted_share").is_none_or(|s| s <= 100.0), "{n}");
        }
        for row in run.outcome.rows(&run.plan, "by_signal") {
            assert!(row.iter().sum::<f64>() <= run.get("offered"), "{n}: {row:?}");
        }
    }
}

/// A 503 is paid by the thread: the dearer, the less is left, down to nothing. The ideal server does not pay.
#[test]
fn refusing_costs() {
    let goodputs = ["0", "0.3", "1", "2", "2.5"].map(|cost| ran("article", &format!("refusal={cost}")).get("goodput"));
    assert!(goodputs.windows(2).all(|pair| pair[1] < pair[0]), "{goodputs:?}");
    assert!(goodputs[4] < 0.35 * goodputs[0], "{goodputs:?}");
    let drowned = ran("article", "rate=4000&duration=5s");
    assert!(drowned.get("good") < 1.5 * drowned.get("none_good"));
    // Those let in have stood in line for too long by then.
    assert!(drowned.get("late") > drowned.get("good") && drowned.get("none_most_in_line") > 0.0);
    let ideal = ["0.3", "5"].map(|cost| ran("ideal", &format!("refusal={cost}")).get("goodput"));
    assert_eq!(ideal[0], ideal[1]);
    // The curve's point at the knobs' own cost is the page's run, where that is not cut short.
    let run = ran("article", "duration=5s");
    let row = run.outcome.rows(&run.plan, "by_cost").find(|row| row[0] == 0.3).expect("the own cost")[1];
    assert_eq!(row, run.get("good"));
}

/// CPU of a machine with more cores never says no; of one core it swings between all and nothing. The percentile of the
/// lag remembers, its latest value does not.
#[test]
fn signals() {
    let cpu = ran("article", "signal=cpu");
    assert_eq!([cpu.get("shed"), cpu.get("good")], [0.0, cpu.get("none_good")]);
    let one = ran("article", "signal=cpu&cores=1");
    assert!(one.get("shed") > 0.0 && one.get("goodput") < 0.7 * ran("article", "").get("goodput"));
    let [lag, p99] = ["lag", "lag_p99"].map(|signal| ran("article", &format!("signal={signal}")).get("goodput"));
    assert!(lag > 200.0 && p99 < 0.4 * lag, "{lag} {p99}");
    let short = ran("article", "signal=lag_p99&forget=100ms").get("goodput");
    assert!(short > 2.0 * p99, "{short} {p99}");
    for off in ["signal=off", "limit=250"] {
        let run = ran("article", off);
        assert_eq!([run.get("shed"), run.get("good")], [0.0, 553.0], "{off}");
    }
}

/// The clock changes what is counted, and nothing that happens. From the actual send nobody can wait much longer than the
/// connections allow.
#[test]
fn two_clocks() {
    let [intended, actual] = ["intended", "actual"].map(|clock| ran("article", &format!("clock={clock}")));
    for key in ["none_drained", "none_most_in_line", "none_peak_in_flight", "none_most_lag", "shed"] {
        assert_eq!(intended.get(key), actual.get(key), "{key}");
    }
    assert_eq!([actual.get("none_good"), actual.get("none_late")], [8_000.0, 0.0]);
    assert!(actual.get("none_p99") < 900.0 && actual.get("none_goodput") < 245.0);
    let rows = |run: &Ran| run.outcome.rows(&run.plan, "none_time").map(<[f64]>::to_vec).collect::<Vec<_>>();
    assert_eq!(rows(&intended), rows(&actual));
    assert!(rows(&intended).iter().all(|row| row[1] >= row[2]));
    // With a connection for everybody the clocks agree.
    let [a, b] = ["intended", "actual"].map(|clock| ran("article", &format!("clock={clock}&connections=10000")));
    assert_eq!(a.outcome.hash(), b.outcome.hash());
}
