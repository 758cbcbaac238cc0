//! Card `amplification` against its vectors (`articles/amplification.json`, 40 points; `articles/retry_budget.json`;
//! `theory/queueing_exact.json`), its closed forms, and what timeouts make of it.

use overload_cards::card::Card;
use overload_cards::find;
use overload_cards::knobs::AnyKnobs;
use overload_cards::many::run_many;
use overload_sim::layers::{independent, worst};
use serde_json::Value;

use crate::support::{Ran, changed, pairs, vector};

fn card() -> &'static dyn Card {
    find("amplification").expect("the card")
}

/// The default knobs with these changes: `layers=2&who=client`.
#[track_caller]
fn knobs(changes: &str) -> Box<dyn AnyKnobs> {
    changed(card(), "article", pairs(changes))
}

#[track_caller]
fn run(changes: &str) -> Ran {
    Ran::of(card(), &*knobs(changes), 1)
}

/// A vector's parameters as changes of the knobs.
fn changes(params: &Value) -> String {
    let mut out = String::new();
    if let Some(each) = params["perLayerRetries"].as_array() {
        out += &format!("who=each&layers={}", each.len());
        for (i, r) in each.iter().enumerate() {
            out += &format!("&retries_of_{}={r}", i + 1);
        }
    } else {
        out += &format!("layers={}&retries={}", params["layers"], params["retries"]);
    }
    out + &format!("&fault={}", 100.0 * params["failProb"].as_f64().expect("a probability"))
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/amplification.json");
    let points = file["points"].as_array().expect("points");
    assert_eq!(points.len(), 40);
    for point in points {
        let changes = changes(&point["params"]);
        let expect = |key: &str| point["expect"][key].as_f64();
        if let Some(calls) = expect("calls") {
            let ran = run(&changes);
            assert_eq!(ran.get("db_calls"), calls, "{changes}");
            assert_eq!(ran.get("calculated_per_user"), calls, "{changes}");
            assert_eq!(run(&(changes.clone() + "&users=100")).get("db_calls"), 100.0 * calls, "{changes}");
            continue;
        }
        let (mean, failed) = (expect("meanCalls").expect("a mean"), expect("userFailProb").expect("a share"));
        let knobs = knobs(&(changes.clone() + "&users=10000"));
        let plan = card().plan(&*knobs);
        // Six decimals are what the vectors have.
        let ran = run(&changes);
        assert!((ran.get("calculated_per_user") - mean).abs() < 6e-7, "{changes}");
        let share = ran.get("calculated_failed_share") / 100.0;
        assert!((share - failed).abs() <= 1e-12 * failed, "{changes}: {share} against {failed}");
        // Followed call by call: the mean of twelve runs of 10,000 users within five standard errors.
        let many = run_many(1, 12, |seed| card().run(&*knobs, seed));
        let spread = many.spread(&plan, "per_user").expect("a spread");
        let error = spread.sd / f64::from(12u8).sqrt();
        assert!((spread.mean - mean).abs() <= 5.0 * error, "{changes}: {} against {mean} ± {error}", spread.mean);
        let spread = many.spread(&plan, "failed_share").expect("a spread");
        let error = (100.0 * (100.0 * failed - (10.0 * failed) * (10.0 * failed)) / 120_000.0).max(1e-12).sqrt();
        assert!((spread.mean - 100.0 * failed).abs() <= 5.0 * error + 0.01, "{changes}: {} failed", spread.mean);
    }
}

/// The theory's own tables: products of attempts, and the expectation of one layer up to nine retries.
#[test]
fn theory() {
    let file = vector("theory/queueing_exact.json");
    for row in file["layers"].as_array().expect("layers") {
        let (layers, attempts) = (row["layers"].as_u64().expect("n"), row["attempts_per_layer"].as_u64().expect("n"));
        let product = worst(&vec![attempts as u32 - 1; layers as usize]);
        assert_eq!(Some(product), row["amplification"].as_u64());
        let ran = run(&format!("layers={layers}&retries={}", attempts - 1));
        assert_eq!(ran.get("db_calls"), product as f64);
    }
    for row in file["retry_expectation"].as_array().expect("rows") {
        let number = |key: &str| row[key].as_f64().expect("a number");
        let one = independent(number("p_fail"), &[number("max_retries") as u32]);
        assert!((one.calls() - number("attempts")).abs() < 1e-9 * number("attempts"), "{row}");
        assert!((1.0 - one.failed - number("success")).abs() < 1e-9, "{row}");
    }
}

/// The budget's vectors, as far as this card's knobs reach: whole buckets, ratios to a hundredth of a percent.
#[test]
fn budgets() {
    let file = vector("articles/retry_budget.json");
    let mut met = 0;
    for point in file["points"].as_array().expect("points") {
        let number = |key: &str| point["params"][key].as_f64().unwrap_or(-1.0);
        let (users, retries, ratio, max) = (number("users"), number("retries"), number("ratio"), number("max"));
        let inside = (1.0..=10_000.0).contains(&users)
            && (0.0..=5.0).contains(&retries)
            && (0.0..=1.0).contains(&ratio)
            && (1.0..=1_000.0).contains(&max)
            && max.fract() == 0.0;
        let Some(calls) = point["expect"]["dbCallsInt"].as_f64().filter(|_| inside) else { continue };
        met += 1;
        let ran = run(&format!(
            "who=dependency&budget=on&users={users}&retries={retries}&ratio={}&bucket={max}",
            (ratio * 1e4).round() / 1e2
        ));
        assert_eq!(ran.get("db_calls"), calls, "{}", point["params"]);
        assert_eq!((ran.get("calculated_per_user") * users).round(), calls, "{}", point["params"]);
    }
    assert_eq!(met, 22, "two more have ratios above one");
    // A budget in every layer multiplies too, but by a tenth each; the closed form follows it layer by layer.
    for (users, retries, ratio, bucket) in [(1u64, 3, 10, 10), (1_000, 3, 10, 10), (50, 5, 0, 1), (777, 1, 100, 3)] {
        let ran = run(&format!("budget=on&users={users}&retries={retries}&ratio={ratio}&bucket={bucket}"));
        let calculated = ran.get("calculated_per_user") * users as f64;
        assert_eq!(ran.get("db_calls"), calculated.round(), "{users} {retries} {ratio} {bucket}");
    }
    // What lies under the budget is not counted by it.
    let hidden = run("who=dependency&budget=on&users=1000&sdk=2");
    assert_eq!((hidden.get("hop_3"), hidden.get("db_calls")), (1_109.0, 3_327.0));
}

/// The articles disagree which layer should retry: the DB gets the same, the other hops do not.
#[test]
fn who_retries() {
    let hops = |changes: &str| {
        let ran = run(changes);
        ["hop_1", "hop_2", "hop_3"].map(|key| ran.get(key))
    };
    assert_eq!(hops("who=dependency"), [1.0, 1.0, 4.0]);
    assert_eq!(hops("who=client"), [4.0, 4.0, 4.0]);
    assert_eq!(hops("who=all"), [4.0, 16.0, 64.0]);
    assert_eq!(run("sdk=2").get("db_calls"), 192.0);
}

/// An outage of a tenth of the users costs what (1 − p) + p·64 says, not the geometric series.
#[test]
fn faults_together() {
    let knobs = knobs("fault=10&together=100&users=10000");
    let plan = card().plan(&*knobs);
    let many = run_many(1, 20, |seed| card().run(&*knobs, seed));
    let spread = many.spread(&plan, "per_user").expect("a spread");
    let error = spread.sd / f64::from(20u8).sqrt();
    assert!((spread.mean - 7.3).abs() < 5.0 * error, "{}", spread.mean);
    let ran = run("fault=10&together=100");
    assert!((ran.get("calculated_per_user") - 7.3).abs() < 1e-9);
    assert!((ran.get("apart_per_user") - 1.111111).abs() < 1e-6);
}

/// A slow DB, all timeouts alike: the same product, most of it for nobody; cancelled with the caller only the client's
/// own attempts are left; nested, nobody is missing and the user waits for the product.
#[test]
fn slow() {
    let alike = run("trouble=slow");
    let figures = ["db_calls", "zombie_calls", "longest_wait", "after_user"].map(|key| alike.get(key));
    // Attempts at 0, 1, 2, 3 s in each layer: the last of the last begins at 9 s and ends at 11 s.
    assert_eq!(figures, [64.0, 60.0, 4.0, 7.0]);
    // At second k the first k + 1 starts lie within, in (1 + x + x² + x³)³ ways; each lasts two seconds.
    assert_eq!(alike.get("at_once"), 24.0);
    let cancelled = run("trouble=slow&cancel=on");
    assert_eq!(["db_calls", "zombie_calls", "after_user"].map(|key| cancelled.get(key)), [4.0, 0.0, 0.0]);
    assert!(cancelled.outcome.books.iter().all(|b| b.server.wasted == 4));
    let nested = run("trouble=slow&patience=nested");
    assert_eq!(["db_calls", "zombie_calls"].map(|key| nested.get(key)), [64.0, 0.0]);
    assert!((64.0..64.1).contains(&nested.get("longest_wait")));
    // In time, however slow: nothing happens.
    assert_eq!(run("trouble=slow&slow=999").get("db_calls"), 1.0);
    // At the very moment of the timeout it is too late.
    assert_eq!(run("trouble=slow&slow=1000").get("db_calls"), 64.0);
}

/// With chance the closed forms for timeouts hold too.
#[test]
fn slow_by_chance() {
    for changes in [
        "fault=40",
        "fault=40&cancel=on",
        "fault=40&patience=nested",
        "fault=70&layers=4&retries=1&together=30",
        "fault=20&sdk=1&who=client&retries=5",
        "fault=60&who=each&retries_of_1=0&retries_of_2=2&retries_of_3=4",
    ] {
        let knobs = knobs(&format!("trouble=slow&users=2000&{changes}"));
        let plan = card().plan(&*knobs);
        let outcome = card().run(&*knobs, 1);
        let get = |key: &str| outcome.get(&plan, key).unwrap_or_else(|| panic!("{changes}: no {key}"));
        let many = run_many(1, 16, |seed| card().run(&*knobs, seed));
        for (ours, calculated) in [("per_user", "calculated_per_user"), ("failed_share", "calculated_failed_share")] {
            let spread = many.spread(&plan, ours).expect("a spread");
            let error = spread.sd / 4.0;
            let expected = get(calculated);
            assert!(
                (spread.mean - expected).abs() <= 5.0 * error + 0.02,
                "{changes}: {ours} {} against {expected} ± {error}",
                spread.mean
            );
        }
    }
}

/// Whoever is followed for all, and whoever is followed each: the same sums, and books that balance.
#[test]
fn books() {
    for changes in [
        "users=37",
        "users=37&fault=99.9",
        "users=300&fault=50&budget=on",
        "trouble=slow&users=37&fault=50",
        "trouble=slow&users=200&budget=on&who=dependency",
        "trouble=slow&users=37&fault=50&cancel=on&sdk=2",
        "trouble=slow&users=37&patience=nested&fault=80&layers=5&retries=1",
        "users=5&layers=6&retries=0",
        "fault=0&users=10",
    ] {
        let ran = run(changes);
        let plan = &ran.plan;
        assert_eq!(ran.outcome.books.len(), plan.books.len());
        let mut above = None;
        for book in &ran.outcome.books {
            assert_eq!((book.caller.open(), book.server.open()), (0, 0), "{changes}: {book:?}");
            assert_eq!(book.server.arrivals, book.caller.attempts - book.caller.rejected, "{changes}");
            // Each request of a layer is one arrival on the hop above.
            assert!(above.unwrap_or(book.offered) <= book.server.arrivals, "{changes}");
            above = Some(book.server.arrivals);
        }
        assert_eq!(above, Some(ran.get("db_calls") as u64));
    }
}
