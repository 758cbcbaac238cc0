//! Card `backlog-drain` against its vectors (`articles/backlog_and_autoscaling.json`: 11 points and the replicas'
//! formula), counted and calculated; what never drains, what retention drops, what scaling does.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::backlog::{Backlog, Scaling, Setup, Shape};

use crate::support::{Ran, changed, pairs, vector};

fn card() -> &'static dyn Card {
    find("backlog-drain").expect("the card")
}

/// The default knobs with these changes, run: `after=10000&slo=1`.
#[track_caller]
fn run(changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), "article", pairs(changes)), 1)
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/backlog_and_autoscaling.json");
    let points = file["points"].as_array().expect("points");
    assert_eq!(points.len(), 11);
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let changes = format!(
            "inflow={}&capacity={}&peak={}&after={}&slo={}&retention=0",
            params["inflow"], params["capacity"], params["minutes"], params["inflowAfter"], params["slo"]
        );
        let ran = run(&changes);
        assert_eq!(Some(ran.get("calculated_backlog")), expect["backlog"].as_f64(), "{changes}");
        assert_eq!(ran.find("calculated_drain_min"), expect["drainMin"].as_f64(), "{changes}");
        assert_eq!(Some(ran.get("calculated_last_wait_min")), expect["lastWaitMin"].as_f64(), "{changes}");
        let need = expect["minCapacityForSlo"].as_f64().expect("a capacity");
        assert!((ran.get("capacity_for_slo") - need).abs() < 1e-9 * need, "{changes}");
        // Counted second by second: the same, to the second and to the message.
        assert_eq!(Some(ran.get("backlog")), expect["backlog"].as_f64(), "{changes}");
        for (counted, calculated) in [("drain_min", "drainMin"), ("last_wait_min", "lastWaitMin")] {
            match (ran.find(counted), expect[calculated].as_f64()) {
                (Some(ours), Some(theirs)) => {
                    assert!((ours - theirs).abs() <= 1.01 / 60.0, "{changes}: {ours} {theirs}")
                }
                (ours, theirs) => assert_eq!(ours, theirs, "{changes}: {counted}"),
            }
        }
    }
}

/// The formula of article 4 for replicas, as the figure has it (where pods and times are the card's).
#[test]
fn replicas() {
    let file = vector("articles/backlog_and_autoscaling.json");
    for row in file["replicas"].as_array().expect("rows") {
        let number = |key: &str| row["params"][key].as_f64().expect("a number");
        let pods = (number("lag") / (number("perPodPerSec") * number("drainSec"))).ceil();
        assert_eq!(Some(pods), row["expect"]["replicas"].as_f64());
    }
    // 4.8 M at 20,000 a minute and pod within ten minutes: the vectors' third row.
    assert_eq!(run("pod=20000").get("pods_to_drain"), 24.0);
}

#[test]
fn the_articles_sum() {
    let ran = run("");
    assert_eq!(ran.get("oldest_at_end_min"), 48.0);
    assert_eq!(ran.get("longest_wait_min"), 240.0);
    assert_eq!((100.0 * ran.get("capacity_for_slo_times")).round(), 429.0);
    // One message a minute less than needed, and the last one is late.
    assert_eq!(run("capacity=85715").get("late_share"), 0.0);
    assert!(run("capacity=85000").get("late_share") > 0.0);
}

#[test]
fn never_drains_and_says_so() {
    let ran = run("after=20000");
    assert_eq!((ran.find("drain_min"), ran.find("calculated_drain_min")), (None, None));
    assert_eq!(ran.get("left"), 4_800_000.0);
    // Growing on, messages get as old as the queue keeps them, and are dropped then.
    let ran = run("after=30000&retention=1&peak=480");
    assert!(ran.get("expired") > 0.0 && ran.get("longest_wait_min") <= 1_440.0);
}

/// The same messages, rising and falling: the calculated overhang of the triangle, and the sum that came.
#[test]
fn a_triangle() {
    let ran = run("shape=triangle");
    assert_eq!(ran.outcome.books[0].offered, 6_000_000);
    // T·(2m − c)²/4m − c²·T/8m.
    let expected = 60.0 * 180e3 * 180e3 / 400e3 - 20e3 * 20e3 * 60.0 / 800e3;
    assert!((ran.get("backlog") - expected).abs() < 700.0, "{}", ran.get("backlog"));
    // With enough capacity for its top there is none.
    assert!(run("shape=triangle&capacity=200000").get("deepest") < 60.0);
}

/// Pods come after their start time, no more of them than allowed, and never make it worse; the limit behind holds.
#[test]
fn scaling() {
    for by in ["age", "depth"] {
        let ran = run(&format!("scaling={by}"));
        assert!(ran.get("drain_min") < 20.0 && ran.get("pods_added") > 0.0, "{by}");
        let limited = run(&format!("scaling={by}&limit=40000"));
        // (100 − 40) k · 60 less what was missed before the pods came.
        assert!(limited.get("backlog") >= 3_600_000.0 && limited.get("backlog") < 3_900_000.0, "{by}");
        let few = run(&format!("scaling={by}&most=30"));
        assert_eq!(few.get("pods_added"), 10.0, "{by}");
    }
}

/// Every message has one end.
#[test]
fn books() {
    for changes in
        ["", "after=20000", "after=50000&retention=1&peak=300", "scaling=depth&start=30", "shape=triangle", "work=10"]
    {
        let ran = run(changes);
        let book = &ran.outcome.books[0];
        assert_eq!((book.caller.open(), book.server.open()), (0, 0), "{changes}: {book:?}");
        assert_eq!(book.offered, book.caller.attempts);
    }
}

/// Wherever it is cut, the run is the same; counted and calculated agree over a grid.
#[test]
fn a_grid() {
    for inflow in [1_000u64, 60_001, 250_000] {
        for capacity in [700u64, 20_000, 100_003] {
            for after in [0u64, 350, 19_999] {
                let setup = Setup {
                    inflow,
                    shape: Shape::Block,
                    peak: 35,
                    after,
                    capacity,
                    limit: 0,
                    slo: 10,
                    retention: 0,
                    scaling: Scaling::Off,
                    pod: 1,
                    most: 1,
                    start: 1,
                    target: 1,
                };
                let mut backlog = Backlog::new(setup);
                while !backlog.advance(7) {}
                let seen = backlog.outcome();
                assert!(seen.backlog.abs_diff(setup.backlog()) <= 1, "{setup:?}: {}", seen.backlog);
                let Some(drain) = setup.drain().filter(|d| *d < 20_000.0) else { continue };
                let counted = seen.drained_s.unwrap_or(u64::MAX) as f64;
                // A message more or less at a slow spare capacity is a while.
                let slack = 2.0 + 120.0 / (capacity.saturating_sub(after).max(1) as f64);
                assert!((counted - 60.0 * drain).abs() <= slack, "{setup:?}: {counted} against {}", 60.0 * drain);
            }
        }
    }
}
