//! Card `backoff` against its vectors, small models of its own, and the findings.

use overload_cards::card::Card;
use overload_cards::find;
use overload_cards::many::{Many, Spread, run_many};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::record::busiest;
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::support::{Ran, Shuffle, changed, pairs, shuffled_within, told, vector};

fn card() -> &'static dyn Card {
    find("backoff").expect("the card")
}

fn ran(setup: &str, changes: &str, seed: u64) -> Ran {
    let knobs = changed(card(), setup, pairs(changes));
    Ran::of(card(), &*knobs, seed)
}

#[track_caller]
fn figures<const N: usize>(setup: &str, changes: &str, keys: [&str; N]) -> [f64; N] {
    let ran = ran(setup, changes, 1);
    keys.map(|key| ran.get(key))
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Attempts and waiting without jitter to the digit; the means with jitter by formula to the digit, and by many clients' runs
/// within four standard errors.
#[test]
fn every_point_of_the_operation() {
    let file = vector("articles/backoff.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 38, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        for key in params.as_object().expect("parameters").keys() {
            assert!(["base", "fails", "cap"].contains(&key.as_str()), "unknown parameter {key}");
        }
        let (base, fails, cap) = (number(&params["base"]), number(&params["fails"]), params["cap"].as_f64());
        let knobs = format!("base={base}&failures={fails}&cap={}&attempts=50", cap.unwrap_or(0.0));
        let [attempts, wait, mean] = figures("article", &knobs, ["plain_attempts", "plain_wait", "plain_mean"]);
        assert_eq!((attempts, wait, mean), (number(&expect["attempts"]), number(&expect["waitMs"]), wait), "{params}");
        for (jitter, key, width) in [
            ("full", "fullJitterMeanMs", 1.0),
            ("equal", "equalJitterMeanMs", 0.5),
            ("additive", "additive100MeanMs", 0.0),
        ] {
            const CLIENTS: f64 = 2_000.0;
            let knobs = format!("{knobs}&jitter={jitter}&clients={CLIENTS}&herd=rule");
            let [expected, mean] = figures("article", &knobs, ["jitter_expected", "jitter_mean"]);
            let formula = number(&expect[key]);
            assert_eq!(expected, formula, "{params}: {jitter}");
            // Each wait is even over its width: variance width²/12.
            let waits = (0..fails as i32).map(|i| (base * 2f64.powi(i)).min(cap.unwrap_or(f64::INFINITY)));
            let widths = waits.map(|t| if jitter == "additive" { 100.0 } else { t * width });
            let sd = (widths.map(|w| w * w / 12.0).sum::<f64>() / CLIENTS).sqrt();
            assert!((mean - formula).abs() <= 4.0 * sd + 1e-3, "{params}: {jitter}: {mean} against {formula} ± {sd}");
        }
    }
}

fn over_seeds(changes: &str, seeds: u64) -> (overload_cards::outcome::Plan, Many) {
    let knobs = changed(card(), "article", pairs(changes));
    (card().plan(&*knobs), run_many(1, seeds, |seed| card().run(&*knobs, seed)))
}

/// The herd's peak: without jitter to the digit, with it as a distribution, in fixed windows and in any.
#[test]
fn every_point_of_the_herd() {
    const SEEDS: u64 = 1_000;
    let file = vector("articles/backoff_herd.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 8, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        for key in params.as_object().expect("parameters").keys() {
            assert!(["clients", "rangeMs", "windowMs"].contains(&key.as_str()), "unknown parameter {key}");
        }
        let changes =
            format!("clients={}&width={}&window={}", params["clients"], params["rangeMs"], params["windowMs"]);
        let (plan, many) = over_seeds(&changes, SEEDS);
        let spread = |key: &str| many.spread(&plan, key).expect("runs");
        let plain = spread("plain_peak");
        assert_eq!((plain.min, plain.max), (number(&expect["noJitterPeak"]), plain.min), "{params}");
        for (key, expected) in [("jitter_peak", &expect["fixedBins"]), ("jitter_any", &expect["sliding"])] {
            let Spread { mean, p5, median, p95, .. } = spread(key);
            let sd = number(&expected["sd"]);
            let error = sd * (1.0 / SEEDS as f64 + 1.0 / number(&expected["n"])).sqrt();
            let what = format!("{params}: {key}");
            assert!((mean - number(&expected["mean"])).abs() <= 4.0 * error, "{what}: mean {mean}");
            for (ours, name) in [(p5, "p5"), (median, "median"), (p95, "p95")] {
                let theirs = number(&expected[name]);
                assert!((ours - theirs).abs() <= 1.0 + 0.35 * sd, "{what}: {name} {ours} against {theirs}");
            }
        }
        // The law of the greatest count, exactly: each probability within four standard errors.
        for (count, p) in expect["fixedBinsPmf"].as_object().expect("probabilities") {
            let (count, p) = (count.parse::<f64>().expect("a count"), number(p));
            let n = many.count(&plan, |get| get("jitter_peak") == Some(count)) as f64;
            let sd = (SEEDS as f64 * p * (1.0 - p)).sqrt();
            assert!((n - SEEDS as f64 * p).abs() <= 4.0 * sd + 1.0, "{params}: P({count}) = {}", n / SEEDS as f64);
        }
    }
}

#[test]
fn the_articles_figures() {
    let [attempts, wait] = figures("article", "", ["plain_attempts", "plain_wait"]);
    assert_eq!((attempts, wait), (4.0, 700.0));
    assert_eq!(figures("as_measured", "", ["plain_total", "plain_wait"]), [722.0, 700.0]);
    let (plan, many) = over_seeds("", 1_000);
    let five = many.count(&plan, |get| get("jitter_peak") == Some(5.0));
    assert!((300..430).contains(&five), "five in {five} of 1,000 seeds");
    let spread = many.spread(&plan, "jitter_peak").expect("runs");
    assert!((4.0..=5.0).contains(&spread.p1) && (8.0..=10.0).contains(&spread.p99), "{spread:?}");
}

/// What the page says the article leaves out.
#[test]
fn findings() {
    // The 20th wait is 0.1 s × 2¹⁹, all twenty 0.1 s × (2²⁰ − 1).
    let [longest, wait, hours, all] = figures("no_cap", "", ["plain_longest", "plain_wait", "longest_h", "wait_h"]);
    assert_eq!((longest, wait), (52_428_800.0, 104_857_500.0));
    assert_eq!((format!("{hours:.1}"), format!("{all:.1}")), ("14.6".into(), "29.1".into()));
    // With a cap of 10 s: 100 ms to 6.4 s are seven waits, thirteen more of 10 s.
    assert_eq!(figures("cap", "", ["plain_wait"]), [142_700.0]);
    // Full jitter by the article's own code at a first backoff of 200 ms: half the width.
    let knobs = changed(card(), "own_code", []);
    let plan = card().plan(&*knobs);
    let many = run_many(1, 1_000, |seed| card().run(&*knobs, seed));
    let own = many.spread(&plan, "jitter_peak").expect("runs");
    assert!((own.median, (own.mean * 10.0).round()) == (9.0, 87.0), "{own:?}");
    let (plan, many) = over_seeds("", 1_000);
    let [fixed, any] = ["jitter_peak", "jitter_any"].map(|key| many.spread(&plan, key).expect("runs").median);
    assert_eq!((fixed, any), (6.0, 7.0));
}

/// What ends an operation: an answer, the attempts, the deadline, whichever is first.
#[test]
fn limits() {
    let ended = |changes: &str| {
        let ran = ran("article", changes, 1);
        let ended = ran.outcome.rows(&ran.plan, "ended").next().expect("a row")[0];
        (ran.get("plain_attempts"), ran.get("plain_total"), ended)
    };
    assert_eq!(ended(""), (4.0, 700.0, 0.0));
    assert_eq!(ended("attempts=4"), (4.0, 700.0, 0.0));
    assert_eq!(ended("attempts=3"), (3.0, 300.0, 1.0));
    assert_eq!(ended("attempts=1"), (1.0, 0.0, 1.0));
    // An attempt may start at the deadline, not after it.
    assert_eq!(ended("deadline=700"), (4.0, 700.0, 0.0));
    assert_eq!(ended("deadline=699.999"), (3.0, 300.0, 2.0));
    // Calls take time too.
    assert_eq!(ended("deadline=700&call=10"), (3.0, 330.0, 2.0));
    assert_eq!(ended("call=10"), (4.0, 740.0, 0.0));
    assert_eq!(ended("multiplier=1"), (4.0, 300.0, 0.0));
    assert_eq!(ended("multiplier=1.5"), (4.0, 475.0, 0.0));
    assert_eq!(ended("multiplier=3"), (4.0, 1_300.0, 0.0));
    // A library's own defaults: cockatiel retries for ever, Polly stops at four calls of 2, 4, 8 s.
    let polly = "jitter=polly_exponential&own=on&failures=9";
    let ran = ran("article", polly, 1);
    assert_eq!((ran.get("jitter_attempts"), ran.get("jitter_wait")), (4.0, 14_000.0));
    assert_eq!((ran.get("plain_attempts"), ran.get("plain_wait")), (4.0, 14_000.0));
}

/// Every setup of every run against a model that only knows the rule: when each client retries.
#[test]
fn a_small_model() {
    for n in 0..150 {
        let knobs = shuffled_within(card(), 700, n, 60_000);
        let fields: std::collections::BTreeMap<String, String> = {
            let text = told(&*knobs);
            pairs(&text).map(|(k, v)| (k.to_string(), v.to_string())).collect()
        };
        let number = |key: &str| fields[key].parse::<f64>().expect("a number");
        let jitter = Strategy::from_key(&fields["jitter"]).expect("a strategy");
        let ran = Ran::of(card(), &*knobs, n);
        let what = told(&*knobs);
        let own = fields["own"] == "on" && matches!(jitter, Strategy::Library(_));
        let window = number("window") * 1e3;
        let (clients, capacity) = (number("clients"), number("capacity"));
        if own {
            continue;
        }
        // Without jitter all clients do the same.
        let cap = if number("cap") == 0.0 { f64::INFINITY } else { number("cap") * 1e3 };
        let deadline = if number("deadline") == 0.0 { f64::INFINITY } else { number("deadline") * 1e3 };
        let (mut at, mut retries, mut waited) = (number("call") * 1e3, Vec::new(), 0.0);
        let mut attempts = 1.0;
        while attempts <= number("failures") && attempts < number("attempts") {
            let t = number("base") * 1e3 * number("multiplier").powf(attempts - 1.0);
            let wait = t.min(cap).min(1.9e19).floor();
            if at + wait > deadline {
                break;
            }
            waited += wait;
            retries.push(at + wait);
            at += wait + number("call") * 1e3;
            attempts += 1.0;
        }
        assert_eq!(ran.get("plain_attempts"), attempts, "{what}");
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs() + 0.05;
        if at < 1e18 {
            assert!(near(ran.get("plain_total"), at / 1e3), "{what}: {} against {at}", ran.get("plain_total"));
            assert!(near(ran.get("plain_wait"), waited / 1e3), "{what}");
        }
        if fields["herd"] == "once" {
            assert_eq!(ran.get("plain_peak"), clients, "{what}");
            assert_eq!(ran.get("plain_beyond"), (clients - capacity).max(0.0), "{what}");
            let least = clients / (number("width") * 1e3 / window).ceil().max(1.0);
            assert!(ran.get("jitter_peak") >= least.floor(), "{what}");
        } else {
            let fullest = retries
                .iter()
                .map(|r| retries.iter().filter(|o| (*o / window).floor() == (r / window).floor()).count());
            if at < 1e15 {
                assert_eq!(ran.get("plain_peak"), clients * fullest.max().unwrap_or(0) as f64, "{what}");
            }
        }
        // Any window sees at least what a fixed one does, and at most two of them.
        let (fixed, any) = (ran.get("jitter_peak"), ran.get("jitter_any"));
        assert!(fixed <= any && any <= 2.0 * fixed, "{what}: {fixed}, {any}");
    }
}

/// The busiest window against every window that begins at a moment.
#[test]
fn any_window() {
    for n in 0..200 {
        let mut draw = Shuffle::new(701, n).0;
        let (count, end, width) = (draw.below(40), 1 + draw.below(400), Span::us(draw.below(60)));
        let mut at: Vec<Time> = (0..count).map(|_| Time::us(draw.below(end))).collect();
        at.sort_unstable();
        let wide = width.max(Span::us(1));
        let all = at.iter().map(|from| at.iter().filter(|t| *t >= from && **t < *from + wide).count());
        assert_eq!(busiest(&at, width).map(|b| b.1), all.max(), "{at:?} {width:?}");
    }
}

/// Growth in hundredths: 200 is a shift, others lose no more than a microsecond however often they multiply.
#[test]
fn growth() {
    let rule = |growth, base, cap| Backoff { strategy: Strategy::NoJitter, base, cap, spread: Span::ZERO, growth };
    for retry in 0..70 {
        for growth in [100, 110, 150, 199, 201, 300, 1_000] {
            let t = rule(growth, Span::ms(100), Span::MAX).before_jitter(retry).as_us() as f64;
            let exact = 1e5 * (f64::from(growth) / 100.0).powi(retry as i32);
            assert!(t == u64::MAX as f64 || (t - exact).abs() <= 1.0 + exact * 1e-9, "{growth}, {retry}: {t}, {exact}");
        }
        let doubles = rule(200, Span::us(3), Span::MAX).before_jitter(retry);
        let twice = rule(200, Span::us(3), Span::MAX).before_jitter(retry + 1);
        assert!(twice == doubles * 2 || twice == Span::MAX);
    }
    assert_eq!(rule(150, Span::ms(100), Span::ms(200)).before_jitter(9), Span::ms(200));
    assert_eq!(rule(1_000, Span::ZERO, Span::MAX).before_jitter(60), Span::ZERO);
    assert_eq!(rule(1_000, Span::us(1), Span::MAX).before_jitter(60), Span::MAX);
}

/// The multiplier is the factor of the libraries that have one, as `retry` did when it was run; others keep their own growth.
#[test]
fn factors() {
    let file = vector("libraries/backoff.json");
    let vectors = file["vectors"].as_array().expect("vectors");
    let options = |v: &&Value| v["mechanism"] == "backoff.retry" && v["given"]["options"]["factor"] == 3;
    let timeouts = vectors.iter().find(options).expect("factor 3")["expect"]["timeouts"].as_array().expect("waits");
    let sum: f64 = timeouts.iter().map(number).sum();
    let n = timeouts.len();
    let wait = |library: &str, multiplier: u64| {
        let knobs = format!("jitter={library}&base=10&multiplier={multiplier}&failures={n}&attempts=50");
        figures("article", &knobs, ["jitter_wait"])[0]
    };
    assert_eq!((wait("npm_retry", 3), wait("p_retry", 3)), (sum, sum));
    for library in ["npm_retry_randomize", "p_retry_randomize"] {
        assert!(wait(library, 3) >= sum && wait(library, 3) <= 2.0 * sum, "{library}");
    }
    for library in ["cockatiel_no_jitter", "backon", "resilience4j_exponential", "aws_js"] {
        assert_eq!(wait(library, 3), wait(library, 2), "{library}");
    }
}
