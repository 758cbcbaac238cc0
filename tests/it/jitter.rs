//! Card `jitter` against its vectors (`articles/jitter.json`): 131 parameter points, and the base case over 3,000 seeds.

use overload_cards::card::{Card, Seen};
use overload_cards::knobs::{Strictness, set};
use overload_cards::many::{Many, Spread, run_many};
use overload_cards::{find, knobs::AnyKnobs};
use overload_chart::Lang;
use serde_json::Value;

use crate::support::{Ran, vector};

/// The card, and its knobs set as a vector's parameters say.
fn of_vector(params: &Value) -> (&'static dyn Card, Box<dyn AnyKnobs>, String) {
    let card = find("jitter").expect("the card");
    let mut knobs = card.knobs();
    let mut strategy = String::new();
    for (name, value) in params.as_object().expect("parameters") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let (key, text) = match (name.as_str(), text.as_str()) {
            ("variant", "article") => ("server", "rounds".to_string()),
            ("variant", "strict") => ("server", "strict".to_string()),
            ("strategy", "card") => ("strategy", "additive".to_string()),
            ("strategy", _) => ("strategy", text),
            ("clients", _) => ("clients", text),
            ("perSlot", _) => ("capacity", text),
            ("slotMs", _) => ("slot", text),
            ("baseMs", _) => ("base", text),
            ("capMs", _) => ("cap", text),
            ("maxAttempts", _) => ("attempts", text),
            ("additiveMs", _) => ("spread", text),
            _ => panic!("unknown parameter {name}"),
        };
        if key == "strategy" {
            // Four rows of one strategy are one run.
            for row in ["strategy_2", "strategy_3", "strategy_4"] {
                set(&mut *knobs, row, &text, Strictness::Refuse).expect("a strategy");
            }
            strategy.clone_from(&text);
        }
        set(&mut *knobs, key, &text, Strictness::Refuse).unwrap_or_else(|r| panic!("{r:?}"));
    }
    (card, knobs, strategy)
}

const FIGURES: [(&str, &str); 4] =
    [("calls", "total_calls"), ("retryPeak", "retry_peak"), ("gaveUp", "gave_up"), ("doneAtS", "all_done")];

/// Runs `seeds` seeds of the point; one where nothing is random.
fn many_of(card: &'static dyn Card, knobs: &dyn AnyKnobs, seeds: u64) -> Many {
    run_many(1, seeds, |seed| card.run(knobs, seed))
}

/// Two independent samples of one law: their means differ by at most 5 standard errors of the difference, and the spread
/// is alike. A law of one value must be met to the digit.
#[track_caller]
fn same_law(what: &str, ours: &Spread, expected: &Value, n: f64) {
    let number = |key: &str| expected[key].as_f64().unwrap_or_else(|| panic!("{what}: no {key}"));
    let (mean, sd) = (number("mean"), number("sd"));
    if sd == 0.0 {
        // The same in 200 of their seeds: it may still have a rare second value (0.1 s of rounding), but a rare one.
        assert_eq!((ours.p5, ours.p95), (mean, mean), "{what}: a fixed figure");
        return;
    }
    // Of three seeds the spread itself is a guess, so the greater one counts.
    let error = sd.max(ours.sd) * (1.0 / n + 1.0 / ours.n as f64).sqrt();
    assert!((ours.mean - mean).abs() <= 5.0 * error + 1e-9, "{what}: mean {} against {mean} ± {error}", ours.mean);
    // One straggler in a thousand runs, or three runs in all: the sample's spread says little.
    if what.ends_with("all_done") || n < 10.0 {
        return;
    }
    let slack = 0.05 + 0.002 * mean;
    assert!(ours.sd < 3.0 * sd + slack && sd < 3.0 * ours.sd + slack, "{what}: sd {} against {sd}", ours.sd);
}

#[test]
fn every_point_of_the_vectors() {
    let points = vector("articles/jitter.json");
    let points = points["points"].as_array().expect("points").clone();
    assert_eq!(points.len(), 131);
    for point in points {
        let (card, knobs, _) = of_vector(&point["params"]);
        let plan = card.plan(&*knobs);
        let what = point["params"].to_string();
        if point["kind"] == "exact" {
            let outcome = card.run(&*knobs, 1);
            for (theirs, ours) in FIGURES {
                let Some(expected) = point["expect"].get(theirs).and_then(Value::as_f64) else { continue };
                // Where nobody is answered the vectors say 0; here the figure is missing.
                let value = outcome.get(&plan, ours).unwrap_or(0.0);
                assert_eq!(value, expected, "{what}: {ours}");
            }
        } else {
            // About as much work for every point; the big ones are all but free of chance.
            let seeds = (2_000_000 / card.cost(&*knobs)).clamp(2, 24);
            let many = many_of(card, &*knobs, seeds);
            for (theirs, ours) in FIGURES {
                let spread = many.spread(&plan, ours).unwrap_or_else(|| panic!("{what}: no {ours}"));
                let seeds = point["seeds"].as_f64().expect("seeds");
                same_law(&format!("{what}: {ours}"), &spread, &point["expect"][theirs], seeds);
            }
        }
    }
}

/// The base case over 600 seeds: every percentile where the vectors have it, and the article's figure inside.
#[test]
fn base_case_bands() {
    const SEEDS: u64 = 600;
    let base = vector("articles/jitter.json")["base2000"].clone();
    for (name, expected) in base.as_object().expect("cases") {
        let (variant, strategy) = name.split_once('/').expect("variant/strategy");
        let params = serde_json::json!({ "variant": variant, "strategy": strategy });
        let (card, knobs, _) = of_vector(&params);
        let plan = card.plan(&*knobs);
        let many = many_of(card, &*knobs, SEEDS);
        for (theirs, ours) in FIGURES {
            let spread = many.spread(&plan, ours).expect("a figure");
            let law = &expected[theirs];
            same_law(&format!("{name}: {ours}"), &spread, law, 3_000.0);
            for (quantile, q) in [("p5", 0.05), ("median", 0.5), ("p95", 0.95)] {
                let theirs = law[quantile].as_f64().expect("a quantile");
                // By the share of runs below it, since a figure of few values may jump from one to the next.
                let share = |holds: fn(f64, f64) -> bool| {
                    let count = many.count(&plan, |get| get(ours).is_some_and(|v| holds(v, theirs)));
                    count as f64 / SEEDS as f64
                };
                let (below, up_to) = (share(|v, theirs| v < theirs), share(|v, theirs| v <= theirs));
                let slack = 4.0 * (q * (1.0 - q) * (1.0 / SEEDS as f64 + 1.0 / 3_000.0)).sqrt();
                assert!(
                    below <= q + slack && up_to >= q - slack,
                    "{name}: {ours} {quantile}: {theirs} lies between {below} and {up_to} of ours"
                );
            }
            if variant == "article" {
                let printed = law["article"].as_f64().expect("the article's figure");
                let rank = many.rank(&plan, ours, printed).expect("a rank");
                assert!((0.01..=0.99).contains(&rank), "{name}: the article's {printed} falls at {rank}");
            }
        }
    }
}

/// In rounds full jitter makes the fewest calls in every seed; under a strict slot the order turns over in every seed.
#[test]
fn ranking_turns_over_under_a_strict_slot() {
    let card = find("jitter").expect("the card");
    let mut knobs = card.knobs();
    let calls = ["full", "equal", "additive"].map(|s| format!("{s}_total_calls"));
    for (server, ascending) in [("rounds", true), ("strict", false)] {
        set(&mut *knobs, "server", server, Strictness::Refuse).expect("a server");
        let plan = card.plan(&*knobs);
        let many = many_of(card, &*knobs, 300);
        let in_order = many.count(&plan, |get| {
            let order: Vec<f64> = calls.iter().filter_map(|key| get(key)).collect();
            if ascending { order.is_sorted() } else { order.is_sorted_by(|a, b| a >= b) }
        });
        assert_eq!(in_order, 300, "{server}");
    }
}

/// The closed form of the run without jitter: waves of N, N−P, N−2P, …
#[test]
fn without_jitter_as_calculated() {
    let card = find("jitter").expect("the card");
    for (clients, capacity, attempts) in
        [(1000u64, 100u64, 10u64), (995, 100, 10), (250, 100, 2), (5000, 70, 50), (10, 100, 1)]
    {
        let mut knobs = card.knobs();
        for (key, value) in [("clients", clients), ("capacity", capacity), ("attempts", attempts)] {
            set(&mut *knobs, key, &value.to_string(), Strictness::Refuse).expect("a value");
        }
        let plan = card.plan(&*knobs);
        for server in ["rounds", "strict"] {
            set(&mut *knobs, "server", server, Strictness::Refuse).expect("a server");
            let outcome = card.run(&*knobs, 1);
            let waves = clients.div_ceil(capacity).min(attempts);
            let calls: u64 = (0..waves).map(|k| clients - k * capacity).sum();
            let gave_up = clients.saturating_sub(capacity * attempts);
            assert_eq!(outcome.get(&plan, "total_calls"), Some(calls as f64));
            assert_eq!(outcome.get(&plan, "gave_up"), Some(gave_up as f64));
        }
    }
}

/// A queue with room for all and patient callers: one call a client, done after as many slots as waves; with a timeout
/// the server works for callers who have gone, and says so in its ledger.
#[test]
fn queue_waits_instead_of_refusing() {
    let card = find("jitter").expect("the card");
    let mut knobs = card.knobs();
    set(&mut *knobs, "server", "queue", Strictness::Refuse).expect("a server");
    let plan = card.plan(&*knobs);
    let outcome = card.run(&*knobs, 1);
    for strategy in ["none", "additive", "equal", "full"] {
        assert_eq!(outcome.get(&plan, &format!("{strategy}_total_calls")), Some(1000.0));
        assert_eq!(outcome.get(&plan, &format!("{strategy}_all_done")), Some(1.0));
    }
    set(&mut *knobs, "timeout", "350", Strictness::Refuse).expect("a timeout");
    let outcome = card.run(&*knobs, 1);
    // The first 300 are answered at 100, 200 and 300 ms; the other 700 leave at 350 ms, their calls go on.
    assert!(outcome.get(&plan, "none_wasted").expect("wasted") >= 700.0);
    assert!(outcome.books.iter().all(|b| b.server.wasted > 0 && b.caller.timeout >= 700));
    // Where nothing may wait, the queue refuses like a loss system.
    set(&mut *knobs, "timeout", "0", Strictness::Refuse).expect("a timeout");
    set(&mut *knobs, "room", "0", Strictness::Refuse).expect("a room");
    assert!(card.run(&*knobs, 1).books.iter().all(|b| b.server.refused >= 900 && b.server.wasted == 0));
}

/// What the page says of the state `pairs`, in English: banner, titles, sentences.
fn said(pairs: &str) -> String {
    let card = find("jitter").expect("the card");
    let (state, refusals) = overload_cards::link::read(card, pairs);
    assert!(refusals.is_empty(), "{pairs}");
    let ran = Ran::of(card, &*state.knobs, state.seed);
    let many = run_many(state.seed, 4, |seed| card.run(&*state.knobs, seed));
    let seen = Seen { many: Some(&many), ..ran.seen(&*state.knobs, Lang::En) };
    let mut all = vec![card.banner(&seen).therefore];
    all.extend(card.charts(&seen).into_iter().map(|c| c.title));
    all.extend(card.insights(&seen).iter().map(|s| s.plain()));
    all.join("\n")
}

/// Sentences that once contradicted the run: ties taken for winners, rounded times compared, a banner that did not know
/// the attempts or the queue's room.
#[test]
fn sentences_hold_at_the_edges() {
    let cases: [(&str, &str, &str); 10] = [
        // Pairs, what must be said, what must not.
        ("clients=10&capacity=9", "Full jitter drains the herd soonest", "No jitter drains"),
        ("slot=1", "Nothing makes fewer calls than", "Fewest calls is not soonest done"),
        ("server=queue&timeout=200&room=50&attempts=2", "50 may wait; 850 are refused", "everybody waits"),
        ("server=queue&room=0", "0 may wait; 900 are refused", "everybody waits"),
        ("server=queue&timeout=99&clients=101", "Nobody waits long enough", "1 must wait"),
        ("server=queue", "everybody waits", "refused"),
        ("attempts=1", "900 give up: one attempt", "must come back"),
        ("clients=100000", "not all of them will get through", "The only question left"),
        ("server=queue&timeout=50", "Every strategy made", "does not matter which"),
        ("capacity=2000", "No ranking", "The ranking by total calls is the same"),
    ];
    for (pairs, wanted, unwanted) in cases {
        let said = said(pairs);
        assert!(said.contains(wanted), "{pairs}: no {wanted:?} in\n{said}");
        assert!(!said.contains(unwanted), "{pairs}: {unwanted:?} in\n{said}");
    }
}

/// The tables of the article's run are for reading: of the hundreds of rows that read alike only the ends are in them.
#[test]
fn tables_are_readable() {
    let card = find("jitter").expect("a card");
    let knobs = card.knobs();
    let ran = Ran::of(card, &*knobs, 1);
    let seen = ran.seen(&*knobs, Lang::En);
    for chart in card.charts(&seen) {
        let (rows, all) = (chart.table(Lang::En).rows.len(), chart.csv().lines().count());
        assert!(rows < 450, "{}: {rows} rows of {all}", chart.id);
    }
}
