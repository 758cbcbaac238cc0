//! Card `breaker-granularity` against its vectors, the article's log and its findings.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::breaker::State;
use serde_json::Value;

use crate::circuit_breaker::vectors_of;
use crate::support::{changed, vector};

fn card() -> &'static dyn Card {
    find("breaker-granularity").expect("the card")
}

fn figures<const N: usize>(setup: &str, changes: &[(String, String)], keys: [&str; N]) -> [Option<f64>; N] {
    let knobs = changed(card(), setup, changes.iter().map(|(key, value)| (&**key, &**value)));
    let plan = card().plan(&*knobs);
    let outcome = card().run(&*knobs, 1);
    keys.map(|key| {
        assert!(plan.find(key).is_some(), "no figure {key}");
        outcome.get(&plan, key)
    })
}

/// A breaker's changes, as the article's program prints them.
fn log(setup: &str, changes: &[(String, String)], series: &str) -> Vec<String> {
    let knobs = changed(card(), setup, changes.iter().map(|(key, value)| (&**key, &**value)));
    let plan = card().plan(&*knobs);
    let outcome = card().run(&*knobs, 1);
    let name = |state: f64| {
        let all = [State::Closed, State::Open, State::HalfOpen];
        all.into_iter().find(|&s| f64::from(s as u8) == state).expect("a state").name()
    };
    let mut before = State::Closed.name();
    let rows = outcome.rows(&plan, series).map(|row| {
        let line = format!("{} {before}->{}", row[0], name(row[1]));
        before = name(row[1]);
        line
    });
    rows.collect()
}

fn words(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

/// Every point: counts and every line of the log.
#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/breaker_granularity.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 27, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let side = params["mode"].as_str().expect("a side");
        let shared = side == "shared";
        let mut changes = Vec::new();
        let mut set = |key: &str, value: &str| changes.push((key.to_string(), value.to_string()));
        let rule = &params[side];
        let in_a_row = rule["type"] == "consec";
        set(if shared { "shared_rule" } else { "own_rule" }, if in_a_row { "row" } else { "rate" });
        for (key, value) in rule.as_object().expect("a rule") {
            match (key.as_str(), value) {
                ("type", _) => {}
                ("n", n) => set(if in_a_row { "row" } else { "window" }, &n.to_string()),
                ("minCalls", n) => set("minimum", &n.to_string()),
                ("threshold", t) => set("threshold", &(t.as_f64().expect("a share") * 100.0).to_string()),
                ("openMs", ms) => set("open", &ms.to_string()),
                ("probes", n) => set("probes", &n.to_string()),
                _ => panic!("unknown parameter {key}"),
            }
        }
        if let Some(down) = params["down"].as_array() {
            let [from, to] = [0, 1].map(|i| down[i].as_u64().expect("milliseconds"));
            set("down_at", &from.to_string());
            set("down_for", &(to - from).to_string());
        }
        let mut blocked = if shared { "shared_blocked" } else { "own_blocked" };
        if let Some(grace) = params["healthyGrace"].as_array() {
            assert_eq!(grace[0], 0, "{params}");
            set("margin", &grace[1].to_string());
            blocked = if shared { "shared_blocked_margin" } else { "own_blocked_margin" };
        }
        let keys = if shared { ["shared_reached", "shared_rejected"] } else { ["own_reached", "own_rejected"] };
        let [reach, failed] = figures("article", &changes, keys);
        let [blocked] = figures("article", &changes, [blocked]);
        let expected = ["reach", "failedFast", "blockedHealthyStrict"].map(|key| expect[key].as_f64());
        assert_eq!([reach, failed, blocked], expected, "{params}");
        for (breaker, lines) in expect["logs"].as_object().expect("logs") {
            let series = match breaker.as_str() {
                "all" => "shared_states",
                "charge" => "charge_states",
                "dispute-export" => "export_states",
                _ => panic!("unknown breaker {breaker}"),
            };
            let lines: Vec<&str> = lines.as_array().expect("lines").iter().filter_map(Value::as_str).collect();
            assert_eq!(log("article", &changes, series), lines, "{params}: {breaker}");
        }
    }
}

/// The article's own log, line by line, as the library vectors hold it; the shared breaker's last line it does not print.
#[test]
fn the_articles_log() {
    let vectors = vectors_of("libraries/breaker_misc.json", "circuit_breaker.article");
    assert_eq!(vectors.len(), 2);
    for v in &vectors {
        let expect = &v["expect"];
        let shared = expect["reach"] == 203;
        let keys = if shared {
            ["shared_reached", "shared_rejected", "shared_blocked_margin", "shared_blocked"]
        } else {
            ["own_reached", "own_rejected", "own_blocked_margin", "own_blocked"]
        };
        let expected = ["reach", "failed_fast", "blocked_healthy_charge", "blocked_healthy_charge_without_grace"];
        assert_eq!(figures("article", &[], keys), expected.map(|key| expect[key].as_f64()));
        let breakers =
            [("payments(all)", "shared_states"), ("charge", "charge_states"), ("dispute-export", "export_states")];
        for line in expect["transitions"].as_array().expect("a log") {
            let line = line.as_str().expect("a line");
            let (at, rest) = line.split_once("ms ").expect("a time");
            let (breaker, change) = rest.split_once(": ").expect("a breaker");
            let series = breakers.iter().find(|b| b.0 == breaker).expect("a breaker").1;
            let wanted = format!("{at} {}", change.replace(' ', ""));
            assert!(log("article", &[], series).contains(&wanted), "{line}");
        }
    }
    // Nothing beyond it.
    let lines = ["shared_states", "charge_states", "export_states"].map(|series| log("article", &[], series).len());
    assert_eq!(lines, [7, 5, 1]);
}

#[test]
fn findings() {
    // The rule alone makes the difference, and so does granularity alone.
    assert_eq!(figures("same_rule", &[], ["shared_blocked", "own_blocked"]), [Some(9.0); 2]);
    let [one, each] = figures("in_a_row", &[], ["shared_blocked", "own_blocked"]);
    assert_eq!((one, each), (Some(98.0), Some(4.0)));
    // Without an outage the export alone locks /charge out for the open time.
    assert_eq!(figures("no_outage", &[], ["shared_blocked", "own_blocked"]), [Some(98.0), Some(0.0)]);
    // Fifty instances: each of them fails ten times before it opens, and probes twice in the outage, as a single one does.
    let keys = ["until_all_open", "fleet_probes_down", "one_probes_down", "never_open"];
    let [until, probes, one, never] = figures("article", &[], keys);
    assert_eq!((until, never), (Some(500.0), Some(0.0)));
    assert_eq!(probes, one.map(|one| 50.0 * one));
    // They share the calls out: three failures each, 500 ms apart, among five results; the minimum decides.
    let [until, at] = figures("split", &[], ["until_all_open", "all_open"]);
    assert_eq!((until, at), (Some(150.0), Some(2_490.0)));
    let [met, never] = figures("split", &words(&[("minimum", "20")]), ["fleet_reached_down", "never_open"]);
    assert_eq!((met, never), (Some(200.0), Some(50.0)));
    // One instance that shares with nobody is the breaker of /charge, but for the calls that the export took.
    let alone = words(&[("instances", "1"), ("export_for", "0")]);
    let [fleet, own] = figures("article", &alone, ["fleet_probes_down", "one_probes_down"]);
    assert_eq!(fleet, own);
}

/// Any run cut into pieces is the same run, and nothing is random.
#[test]
fn pieces() {
    for setup in card().setups() {
        let whole = card().run(&*setup.knobs, 3);
        let mut run = card().start(&*setup.knobs, 4);
        while !run.advance(7).done {}
        assert_eq!(run.outcome().hash(), whole.hash(), "{}", setup.key);
    }
}
