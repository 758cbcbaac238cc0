//! Card `bulkhead` and the part below it against their vectors, closed forms and findings.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::bulkhead::{Bulkhead, Entry};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::circuit_breaker::vectors_of;
use crate::support::{changed, vector};

fn card() -> &'static dyn Card {
    find("bulkhead").expect("the card")
}

fn figures<const N: usize>(setup: &str, changes: &[(&str, &str)], keys: [&str; N]) -> [Option<f64>; N] {
    let knobs = changed(card(), setup, changes.iter().copied());
    let plan = card().plan(&*knobs);
    let outcome = card().run(&*knobs, 1);
    keys.map(|key| {
        assert!(plan.find(key).is_some(), "no figure {key}");
        outcome.get(&plan, key)
    })
}

/// The shortest /stock call of a side.
fn shortest(changes: &[(&str, &str)], series: &str) -> Option<f64> {
    let knobs = changed(card(), "article", changes.iter().copied());
    let (plan, outcome) = (card().plan(&*knobs), card().run(&*knobs, 1));
    outcome.rows(&plan, series).map(|row| row[1]).reduce(f64::min)
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/bulkhead.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 17, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let apart = params["mode"] == "bulkhead";
        let number = |key: &str, default: u64| params[key].as_u64().unwrap_or(default);
        for key in params.as_object().expect("parameters").keys() {
            let known = ["mode", "pool", "reco", "recoMs", "recoPool", "recoLimit", "stockN", "stockFirst"];
            assert!(known.contains(&key.as_str()), "unknown parameter {key}");
        }
        let own = number("recoPool", 3);
        let values = [
            ("pool", number("pool", 10)),
            ("calls", number("reco", 40)),
            ("slow", number("recoMs", 2_000)),
            ("own", own),
            // The article's limit counts those that run, too.
            ("queue", number("recoLimit", 6) - own),
            ("stock_calls", number("stockN", 20)),
            ("stock_first", number("stockFirst", 50)),
        ]
        .map(|(key, value)| (key, value.to_string()));
        let changes = values.each_ref().map(|(key, value)| (*key, &**value));
        let keys = if apart {
            ["own_p50", "own_max", "own_ok", "own_shed", "own_longest", "stock_n"]
        } else {
            ["shared_p50", "shared_max", "shared_ok", "shared_shed", "shared_longest", "stock_n"]
        };
        let expected = ["p50", "max", "ok", "shed", "recoMax", "stockN"].map(|key| expect[key].as_f64());
        assert_eq!(figures("article", &changes, keys), expected, "{params}");
        let series = if apart { "own_stock" } else { "shared_stock" };
        assert_eq!(shortest(&changes, series), expect["min"].as_f64(), "{params}");
    }
}

/// The article's two lines, with the tolerances of the vectors.
#[test]
fn the_articles_figures() {
    let file = vector("articles/bulkhead.json");
    for figure in file["figures"].as_array().expect("figures") {
        let key = match figure["name"].as_str().expect("a name") {
            "shared p50" => "shared_p50",
            "shared max" => "shared_max",
            "shared reco ok" => "shared_ok",
            "bulkhead reco ok" => "own_ok",
            "bulkhead shed" => "own_shed",
            "bulkhead p50" => "own_p50",
            "bulkhead max" => "own_max",
            other => panic!("unknown figure {other}"),
        };
        assert_eq!(figures("article", &[], [key]), [figure["oracle"].as_f64()], "{key}");
    }
}

/// The first /stock call waits floor(n ÷ pool) rounds. With a last round that is not full, ceil would be a round too many.
#[test]
fn closed_form() {
    for (calls, pool, rounds) in
        [(40, 10, 4), (41, 10, 4), (49, 10, 4), (50, 10, 5), (11, 10, 1), (9, 10, 0), (7, 1, 7)]
    {
        let (calls, pool) = (calls.to_string(), pool.to_string());
        let changes = [("calls", &*calls), ("pool", &*pool), ("stock_calls", "1")];
        let expected = f64::from(rounds * 2_000 - 50).max(0.0) + 1.0;
        assert_eq!(
            figures("article", &changes, ["shared_max", "formula_max"]),
            [Some(expected); 2],
            "{calls} / {pool}"
        );
    }
}

/// cockatiel's bulkhead, as it ran.
#[test]
fn cockatiel() {
    let file = vector("libraries/cockatiel.json");
    let all = file["vectors"].as_array().expect("vectors");
    let v = all.iter().find(|v| v["id"] == "cockatiel.bulkhead_2_queue1").expect("the vector");
    let mut part = Bulkhead::new(2, 1);
    let (mut ends, mut holds) = (EventQueue::default(), [0; 4]);
    let mut log: Vec<(u64, u64, &str)> = Vec::new();
    let takes = Span::ms(100);
    for call in 0..4 {
        match part.enter(call) {
            Entry::Holds(connection) => {
                holds[call as usize] = connection;
                ends.push(Time::ZERO + takes, call);
            }
            Entry::Waits => {}
            Entry::Refused => log.push((u64::from(call), 0, "BulkheadRejectedError")),
        }
    }
    assert_eq!((part.held(), part.waiting()), (2, 1));
    while let Some(event) = ends.pop() {
        log.push((u64::from(event.what), event.at.as_us() / 1_000, "ok"));
        let connection = holds[event.what as usize];
        if let Some(next) = part.leave(connection) {
            holds[next as usize] = connection;
            ends.push(event.at + takes, next);
        }
    }
    let expected = v["expect"]["log"].as_array().expect("a log").iter();
    let of = |line: &Value, key: &str| line[key].as_u64().expect("a number");
    let expected: Vec<(u64, u64, String)> =
        expected.map(|l| (of(l, "i"), of(l, "t"), l["r"].as_str().expect("an end").to_string())).collect();
    let log: Vec<(u64, u64, String)> = log.into_iter().map(|(i, t, r)| (i, t, r.to_string())).collect();
    assert_eq!(log, expected);
    assert_eq!((part.held(), part.waiting()), (0, 0));
}

/// resilience4j's thread pool: as many running, queued and rejected. That Java fills the queue before the last thread
/// changes the order, which this part does not copy.
#[test]
fn resilience4j_thread_pool() {
    let vectors = vectors_of("libraries/concurrency.json", "bulkhead.resilience4j");
    assert_eq!(vectors.len(), 1);
    let (given, expect) = (&vectors[0]["given"], &vectors[0]["expect"]);
    let of = |key: &str| given[key].as_u64().expect("a number") as u32;
    let mut part = Bulkhead::new(of("max"), of("queue"));
    let refused = (0..of("simultaneous")).filter(|&call| part.enter(call) == Entry::Refused).count();
    let got = [part.held() as usize, part.waiting(), refused].map(|n| Some(n as u64));
    assert_eq!(got, ["running", "queued", "rejected"].map(|key| expect[key].as_u64()));
}

/// The lowest free connection is taken, and who leaves hands it to the first that waits.
#[test]
fn connections() {
    let mut part = Bulkhead::new(3, u32::MAX);
    assert_eq!(
        [0, 1, 2, 3, 4].map(|call| part.enter(call)),
        [Entry::Holds(0), Entry::Holds(1), Entry::Holds(2), Entry::Waits, Entry::Waits]
    );
    assert_eq!((part.leave(1), part.leave(1), part.leave(1), part.leave(0)), (Some(3), Some(4), None, None));
    assert_eq!((part.enter(5), part.enter(6)), (Entry::Holds(0), Entry::Holds(1)));
    assert_eq!((part.held(), part.waiting()), (3, 0));
}

#[test]
fn findings() {
    // A median depends on how long one looks.
    let keys = ["shared_p50", "shared_max", "stock_n"];
    assert_eq!(figures("ten_seconds", &[], keys), [Some(3_010.0), Some(7_951.0), Some(200.0)]);
    // The bulkhead does not need more connections than there were.
    let keys = ["own_connections", "own_p50", "own_max", "own_ok", "own_shed"];
    assert_eq!(figures("same_total", &[], keys), [10.0, 1.0, 1.0, 6.0, 34.0].map(Some));
    // A bigger pool only moves the edge.
    let keys = ["shared_max", "own_max"];
    assert_eq!(figures("big_pool", &[], keys), [Some(1.0); 2]);
    assert_eq!(figures("big_pool_later", &[], keys), [Some(3_951.0), Some(1.0)]);
    // Dead is better than slow.
    let keys = ["shared_max", "shared_failed", "shared_ok"];
    assert_eq!(figures("dead", &[], keys), [Some(1.0), Some(40.0), Some(0.0)]);
}

/// Steady traffic: by Little's law 20/s × 2 s want 40 of 10 connections, so half a second into the fault the pool is dry.
#[test]
fn alarms() {
    let keys = ["wanted_well", "wanted_ill", "shared_held", "own_max", "own_shed_well"];
    assert_eq!(figures("incident", &[], keys), [1.0, 40.0, 10.0, 1.0, 0.0].map(Some));
    // In flight: the eleventh slow call. Pool wait: that call 100 ms later. Users: the first /stock call behind it, which came
    // at the same moment, a second later. p99: the first slow answer, 2 s after its start. CPU: 20 /stock and 20 others a second.
    let keys = ["alarm_flight", "alarm_wait", "alarm_users", "alarm_tail", "cpu_peak"];
    assert_eq!(figures("incident", &[], keys), [2_500.0, 2_600.0, 3_500.0, 4_000.0, 4.0].map(Some));
    assert_eq!(figures("healthy", &[], keys), [None, None, None, None, Some(4.0)]);
    // Slow calls of 400 ms want 8 of the 10: nobody notices.
    assert_eq!(figures("incident", &[("slow", "400")], ["alarm_users"]), [None]);
}

/// A bulkhead as big as Little's law wants, and a queue for bursts, refuse nothing; one too small refuses what is healthy.
#[test]
fn sized_by_littles_law() {
    let [refused] = figures("too_small", &[], ["own_shed_well"]);
    assert!(refused > Some(100.0), "{refused:?}");
    assert_eq!(figures("too_small", &[("own", "10"), ("queue", "10")], ["own_shed_well"]), [Some(0.0)]);
    // Without a queue and with even arrivals exactly what Little's law wants is enough.
    let even = [("arrivals", "even"), ("own", "4"), ("queue", "0")];
    assert_eq!(figures("too_small", &even, ["own_shed_well", "wanted_well"]), [Some(0.0), Some(4.0)]);
    let [refused] = figures("too_small", &[("arrivals", "even"), ("own", "3"), ("queue", "0")], ["own_shed_well"]);
    assert!(refused > Some(0.0));
}

/// Any run cut into pieces is the same run; where calls come at once nothing is random.
#[test]
fn pieces() {
    for setup in card().setups() {
        let whole = card().run(&*setup.knobs, 3);
        let other = if setup.key == "too_small" { 3 } else { 4 };
        let mut run = card().start(&*setup.knobs, other);
        while !run.advance(7).done {}
        assert_eq!(run.outcome().hash(), whole.hash(), "{}", setup.key);
    }
}
