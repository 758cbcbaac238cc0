//! Retry budgets against their vectors (`libraries/budgets.json`, `articles/retry_budget.json`) and their closed form; card
//! `retry-budget` against the article and its findings.

use overload_cards::card::Card;
use overload_cards::find;
use overload_cards::knobs::{AnyKnobs, Strictness, set};
use overload_sim::budget::bucket::{Bucket, Doubles, saturated, saturated_over_pods};
use overload_sim::budget::concurrent::{Limit, failsafe_go_permits};
use overload_sim::budget::quota::{CAPACITY, Quota, Sdk};
use overload_sim::budget::throttle::{Adaptive, envoy_admission, failsafe_go, google_sre};
use overload_sim::budget::window::{Library, Window};
use overload_sim::budget::{Budget, Fault, Hold, Ratio, Rule, TOKEN};
use overload_sim::draw::Draws;
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::support::vector;

/// The card's knobs with these values.
fn knobs_of(values: &[(&str, String)]) -> (&'static dyn Card, Box<dyn AnyKnobs>) {
    let card = find("retry-budget").expect("the card");
    let mut knobs = card.knobs();
    for (key, value) in values {
        set(&mut *knobs, key, value, Strictness::Refuse).unwrap_or_else(|r| panic!("{r:?}"));
    }
    (card, knobs)
}

/// A figure of a run with these knobs.
fn figure(values: &[(&str, String)], key: &str) -> f64 {
    let (card, knobs) = knobs_of(values);
    let plan = card.plan(&*knobs);
    card.run(&*knobs, 1).get(&plan, key).unwrap_or_else(|| panic!("{values:?}: no {key}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no {key} in {value}"))
}

fn whole(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("no whole {key} in {value}"))
}

/// A share of the vectors, exactly: they have up to six decimals.
fn share(value: f64) -> Ratio {
    Ratio::ppm((value * 1e6).round() as u64)
}

/// All 45 vectors of the libraries; none is skipped.
#[test]
fn every_vector_of_the_libraries() {
    let vectors = vector("libraries/budgets.json");
    let vectors = vectors["vectors"].as_array().expect("vectors").clone();
    assert_eq!(vectors.len(), 45);
    for v in &vectors {
        let (id, given, expect) = (v["id"].as_str().expect("an id"), &v["given"], &v["expect"]);
        match v["mechanism"].as_str().expect("a mechanism") {
            "retry_budget.tower" => tower(id, given, expect),
            "retry_budget.finagle" => finagle(id, given, expect),
            "retry_quota.aws" => aws(id, given, expect),
            "retry_budget.article_token_bucket" => article(id, given, expect),
            "retry_budget.envoy" => envoy(id, given, expect),
            "retry_budget.failsafe_go" => {
                let permitted = failsafe_go_permits(
                    whole(given, "inflight_retries"),
                    whole(given, "inflight_executions"),
                    share(number(given, "maxRate")),
                    whole(given, "minConcurrency"),
                );
                assert_eq!(permitted, expect["permitted"].as_bool().expect("permitted"), "{id}");
            }
            "client_throttle.google_sre" => {
                let k_milli = (1e3 * number(given, "K")).round() as u64;
                let chance = google_sre(whole(given, "requests"), whole(given, "accepts"), k_milli);
                close(id, chance.value(), number(expect, "reject_probability"));
            }
            "client_throttle.failsafe_go" => {
                let p = failsafe_go(
                    whole(given, "executions"),
                    whole(given, "successes"),
                    share(number(given, "successRateThreshold")),
                    share(number(given, "maxRejectionRate")),
                );
                close(id, p, number(expect, "reject_probability"));
            }
            "client_throttle.envoy_admission" => {
                let p = envoy_admission(
                    whole(given, "rq"),
                    whole(given, "success"),
                    share(number(given, "sr_threshold")),
                    number(given, "aggression"),
                    share(number(given, "max_rejection")),
                );
                close(id, p, number(expect, "reject_probability"));
            }
            other => panic!("{id}: no test for {other}"),
        }
    }
}

#[track_caller]
fn close(id: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() < 1e-12, "{id}: {ours} against {theirs}");
}

/// `(10s,0,0.1)` or `default(ttl10s,min10,pct0.2)`: time to live, retries a second, share.
fn window_of(name: &str) -> (Span, u64, Ratio) {
    let inside = name.trim_start_matches("default").trim_matches(['(', ')']);
    let numbers: Vec<f64> = inside
        .split(',')
        .map(|part| {
            let digits = part.trim().trim_matches(|c: char| !c.is_ascii_digit());
            digits.parse().unwrap_or_else(|e| panic!("{name}: {part}: {e}"))
        })
        .collect();
    (Span::s(numbers[0] as u64), numbers[1] as u64, share(numbers[2]))
}

fn tps(ttl: Span, min_per_s: u64, ratio: Ratio) -> Window {
    Window::new(Library::Tower, ttl, min_per_s, ratio)
}

/// How many withdrawals in a row are granted.
fn drain(window: &mut Window, now: Time) -> u64 {
    (0..100_000).take_while(|_| window.withdraw(now)).count() as u64
}

fn tower(id: &str, given: &Value, expect: &Value) {
    let ms = |ms: u64| Time::us(1_000 * ms);
    let one = Ratio::percent(100);
    if let Some(fact) = expect["fact"].as_str() {
        match id {
            "tower.test.tps_empty" => assert!(!tps(Span::s(1), 0, one).withdraw(Time::ZERO), "{fact}"),
            "tower.test.tps_leaky" => {
                let mut window = tps(Span::s(1), 0, one);
                window.deposit(Time::ZERO);
                assert!(!window.withdraw(ms(3_000)), "{fact}");
            }
            "tower.test.tps_slots" => {
                let mut window = tps(Span::s(1), 0, Ratio::percent(50));
                window.deposit(Time::ZERO);
                window.deposit(Time::ZERO);
                assert!(window.withdraw(ms(901)), "{fact}");
                for at in [2_902, 3_203, 4_004] {
                    window.deposit(ms(at));
                }
                assert!(window.withdraw(ms(4_004)), "{fact}");
            }
            "tower.test.tps_reserve" => assert_eq!(drain(&mut tps(Span::s(1), 5, one), Time::ZERO), 5, "{fact}"),
            _ => panic!("{id}: {fact}"),
        }
        return;
    }
    let (ttl, min_per_s, ratio) = window_of(given["budget"].as_str().expect("a budget"));
    let mut window = tps(ttl, min_per_s, ratio);
    if let Some(per_second) = expect["retries_allowed_per_second"].as_array() {
        let theirs: Vec<u64> = per_second.iter().map(|n| n.as_u64().expect("a count")).collect();
        assert_eq!(outage(&mut window, whole(given, "originals_per_s"), theirs.len() as u64), theirs, "{id}");
        return;
    }
    assert_eq!(drain(&mut window, Time::ZERO), whole(expect, "withdrawals_at_start"), "{id}");
    for _ in 0..100 {
        window.deposit(Time::ZERO);
    }
    assert_eq!(drain(&mut window, Time::ZERO), whole(expect, "then_after_100_deposits"), "{id}");
    assert_eq!(drain(&mut window, ms(60_000)), whole(expect, "then_after_60s_idle"), "{id}");
}

/// Retries granted in each second of an outage: `per_s` requests a second, evenly, each asking for one retry.
fn outage(window: &mut Window, per_s: u64, seconds: u64) -> Vec<u64> {
    (0..seconds)
        .map(|second| {
            let granted = |i| {
                let now = Time::us(1_000_000 * second + 1_000_000 * i / per_s);
                window.deposit(now);
                u64::from(window.withdraw(now))
            };
            (0..per_s).map(granted).sum()
        })
        .collect()
}

fn finagle(id: &str, given: &Value, expect: &Value) {
    let ttl = Span::s(whole(given, "ttl_s"));
    let ratio = share(number(given, "percentCanRetry"));
    let mut window = Window::new(Library::Finagle, ttl, whole(given, "minRetriesPerSec"), ratio);
    let mut retries = 0;
    for _ in 0..whole(given, "requests") {
        window.deposit(Time::ZERO);
        retries += u64::from(window.withdraw(Time::ZERO));
    }
    assert_eq!(retries, whole(expect, "retries"), "{id}");
}

fn aws(id: &str, given: &Value, expect: &Value) {
    let sdk = if id.contains("1.35.0") { Sdk::Classic } else { Sdk::Current };
    let fault = match id {
        id if id.contains("throttling") => Fault::Throttled,
        id if id.contains("timeout") => Fault::Timeout,
        _ => Fault::Transient,
    };
    let mut quota = Quota::new(sdk, whole(given, "capacity"));
    let retries = (0..1_000).take_while(|_| quota.take(fault).is_some()).count() as u64;
    assert_eq!((retries, quota.capacity()), (whole(expect, "retries_until_refused"), whole(expect, "left")), "{id}");
}

/// The article's program, request after request: exactly, and in doubles to the last bit.
fn article(id: &str, given: &Value, expect: &Value) {
    let (ratio, max) = (share(number(given, "ratio")), whole(given, "max"));
    let (mut exact, mut doubles) = (Bucket::new(ratio, max), Doubles::new(ratio, max));
    // From the eleventh request on they differ in which request gets its retry, not in how many do.
    let (mut calls, mut in_doubles_calls, mut retries) = (0, 0, Vec::new());
    for _ in 0..whole(given, "requests") {
        exact.deposit();
        doubles.deposit();
        let wanted = whole(given, "retries_per_request");
        let granted = (0..wanted).take_while(|_| exact.withdraw()).count();
        let in_doubles = (0..wanted).take_while(|_| doubles.withdraw()).count();
        calls += 1 + granted;
        in_doubles_calls += 1 + in_doubles;
        retries.push(in_doubles as u64);
    }
    let expected = whole(expect, "db_calls");
    assert_eq!((calls as u64, in_doubles_calls as u64), (expected, expected), "{id}");
    let first = expect["first_retries_per_request"].as_array().expect("retries");
    assert!(first.iter().zip(&retries).all(|(theirs, ours)| theirs.as_u64() == Some(*ours)), "{id}: {retries:?}");
    assert_eq!(doubles.tokens(), number(expect, "tokens_end"), "{id}");
    close(id, exact.micro_tokens() as f64 / TOKEN as f64, (1e6 * number(expect, "tokens_end")).round() / 1e6);
}

fn envoy(id: &str, given: &Value, expect: &Value) {
    let limit = match given["budget_percent"].as_u64() {
        Some(percent) => {
            Limit::Share { percent: Ratio::percent(percent), at_least: whole(given, "min_retry_concurrency") }
        }
        // Unset: what the card's knob and the documentation say.
        None => Limit::Fixed(figure_of_default("max_retries")),
    };
    let active = given["active_requests"].as_u64().unwrap_or(0) + given["pending_requests"].as_u64().unwrap_or(0);
    let most = whole(expect, "max_concurrent_retries");
    assert_eq!(limit.at(active), most, "{id}");
    // A retry is admitted while fewer are under way.
    let mut budget = Budget::new(Rule::Concurrent(limit));
    for _ in 0..active {
        budget.sent();
    }
    let mut admitted = 0;
    while budget.take(Time::ZERO, Fault::Transient, &mut Hold::default()) {
        admitted += 1;
    }
    assert_eq!(admitted, most, "{id}");
}

/// The default of a whole number among the card's knobs.
fn figure_of_default(key: &str) -> u64 {
    let (_, mut knobs) = knobs_of(&[]);
    let fields = overload_cards::knobs::fields(&mut *knobs);
    let field = fields.into_iter().find(|field| field.key == key).expect("a knob");
    field.value().parse().expect("a whole number")
}

/// All 43 points of the article's experiment: one after the other, over time, over pods. In doubles too, where the
/// vectors have them: with a bucket of one token they differ.
#[test]
fn every_point_of_the_article() {
    let file = vector("articles/retry_budget.json");
    let points = |key: &str| file[key].as_array().expect("points").clone();
    let kind = |kind: &str| ["kind", "kind_2", "kind_3", "kind_4"].map(|row| (row, kind.to_string())).to_vec();
    let (plain, timed, pods) = (points("points"), points("timed"), points("pods"));
    assert_eq!((plain.len(), timed.len(), pods.len()), (24, 7, 12));
    for point in plain {
        let (params, expect) = (&point["params"], &point["expect"]);
        let (users, retries, max) = (whole(params, "users"), whole(params, "retries"), whole(params, "max"));
        let ratio = number(params, "ratio");
        let values = [
            ("users", users.to_string()),
            ("retries", retries.to_string()),
            ("bucket", max.to_string()),
            ("ratio", format!("{}", (1e3 * ratio).round() / 10.0)),
        ];
        // A loop that awaits each user; all at once; over two seconds. The latter two only while a deposit is no more than
        // the one retry that is decided on when it is made: with more the bucket fills up before the others are.
        let ways = [("arrivals", "in_turn"), ("over", "0"), ("over", "2000")];
        for (key, value) in ways.into_iter().take(if ratio <= 1.0 { 3 } else { 1 }) {
            let with = |name: &str| [&values[..], &kind(name), &[(key, value.to_string())]].concat();
            assert_eq!(figure(&with("bucket"), "total_calls"), number(expect, "dbCallsInt"), "{params}");
            assert_eq!(figure(&with("doubles"), "total_calls"), number(expect, "dbCallsFloat"), "{params}");
        }
        let formula = saturated(users, retries, share(ratio), max);
        assert_eq!(formula, whole(expect, "upperBoundFormula"), "{params}");
        let differ = expect["dbCallsInt"] != expect["dbCallsFloat"];
        assert_eq!(differ, point["floatDrift"].as_bool().expect("a truth"), "{params}");
    }
    for point in timed {
        let params = &point["params"];
        let values = [
            ("users", whole(params, "users").to_string()),
            ("over", whole(params, "windowMs").to_string()),
            ("spend", params["spend"].as_str().expect("when").to_string()),
        ];
        assert_eq!(figure(&values, "total_calls"), number(&point["expect"], "dbCalls"), "{params}");
    }
    for point in pods {
        let params = &point["params"];
        let (users, pods, max) = (whole(params, "users"), whole(params, "pods"), whole(params, "maxPerPod"));
        let values = [("users", users.to_string()), ("pods", pods.to_string()), ("bucket", max.to_string())];
        let values = [&values[..], &kind("bucket")].concat();
        assert_eq!(figure(&values, "total_calls"), number(&point["expect"], "dbCalls"), "{params}");
        close(&params.to_string(), figure(&values, "amplification"), number(&point["expect"], "perUser"));
        let formula = saturated_over_pods(users, pods, 3, share(number(params, "ratio")), max);
        assert_eq!(formula as f64, number(&point["expect"], "dbCalls"), "{params}");
    }
}

/// The readings that do not give the article's figure, as the vectors name them.
#[test]
fn rejected_readings() {
    let after = |over: &str| [("spend", "after".to_string()), ("over", over.to_string())];
    assert_eq!(figure(&after("2000"), "total_calls"), 1104.0);
    assert_eq!(figure(&after("100"), "total_calls"), 1010.0);
    // All first calls at once, each failure a moment later: every deposit but none finds room.
    let at_once = [("over", "0".to_string()), ("failure_takes", "1".to_string())];
    assert_eq!(figure(&at_once, "total_calls"), 1010.0);
}

/// U + min(rU, ⌊max + ratio·(U−1)⌋) over a grid of parameters, against the bucket itself and, for some, the card.
#[test]
fn closed_form() {
    let mut checked = 0;
    for users in [1, 2, 3, 7, 10, 11, 99, 100, 1_000, 4_321] {
        for retries in [0, 1, 2, 3, 5, 10] {
            for ppm in [0, 1, 999, 10_000, 50_000, 100_000, 125_000, 333_333, 500_000, 900_000, 1_000_000, 2_500_000] {
                for max in [1, 2, 3, 5, 10, 37, 1_000] {
                    let ratio = Ratio::ppm(ppm);
                    let mut bucket = Bucket::new(ratio, max);
                    let mut calls = 0;
                    for _ in 0..users {
                        bucket.deposit();
                        calls += 1 + (0..retries).take_while(|_| bucket.withdraw()).count() as u64;
                    }
                    let formula = saturated(users, retries, ratio, max);
                    let exact = max * TOKEN >= TOKEN + ppm || (ppm > retries * TOKEN && max >= retries);
                    if exact {
                        assert_eq!(calls, formula, "U {users}, r {retries}, {ppm} ppm, max {max}");
                    }
                    assert!(calls <= formula, "U {users}, r {retries}, {ppm} ppm, max {max}: {calls} > {formula}");
                    checked += u64::from(exact);
                }
            }
        }
    }
    assert!(checked > 3_500, "only {checked} points are in the formula's range");
    for (users, retries, ratio, bucket, pods) in [
        (1_000, 3, "12.5", 10, 1),
        (1_000, 2, "33.3", 4, 7),
        (5_000, 10, "0.1", 25, 11),
        (50, 3, "0", 2, 3),
        (9, 1, "100", 2, 20),
    ] {
        let values = [
            ("users", users.to_string()),
            ("retries", retries.to_string()),
            ("ratio", ratio.to_string()),
            ("bucket", bucket.to_string()),
            ("pods", pods.to_string()),
        ];
        assert_eq!(figure(&values, "total_calls"), figure(&values, "closed_form"), "{values:?}");
    }
}

/// Facts of the libraries that no vector has, from SEMANTICS and the libraries' sources.
mod facts {
    use super::*;

    /// One request after the other, all failing: retries granted to each.
    fn all_fail(rule: Rule, fault: Fault, requests: u64, retries: u64) -> (u64, Budget) {
        let mut budget = Budget::new(rule);
        let mut calls = 0;
        for _ in 0..requests {
            let mut hold = Hold::default();
            budget.request(Time::ZERO);
            for attempt in 0..=retries {
                calls += 1;
                budget.sent();
                budget.failed(&mut hold);
                if attempt == retries || !budget.take(Time::ZERO, fault, &mut hold) {
                    break;
                }
            }
        }
        (calls, budget)
    }

    /// maxTokens 10: four failed attempts, then none is retried any more.
    #[test]
    fn grpc_is_tight() {
        let rule = Rule::Grpc { ratio: Ratio::percent(10), max_tokens: 10 };
        assert_eq!(Budget::new(rule).in_hand(Time::ZERO, Fault::Transient), Some(4));
        let (calls, mut budget) = all_fail(rule, Fault::Transient, 100, 3);
        assert_eq!(calls, 103);
        let Budget::Grpc(throttle) = &budget else { panic!("another kind") };
        assert_eq!(throttle.micro_tokens(), 0, "failures that are not retried cost too");
        // Exactly half is not enough: fifty successes bring 5 tokens, the fifty-first opens.
        for successes in 1..=60 {
            budget.answered(Time::ZERO, &mut Hold::default());
            let open = budget.take(Time::ZERO, Fault::Transient, &mut Hold::default());
            assert_eq!(open, successes > 50, "{successes} successes");
        }
        // Never more than full.
        for _ in 0..100 {
            budget.answered(Time::ZERO, &mut Hold::default());
        }
        let Budget::Grpc(throttle) = &budget else { panic!("another kind") };
        assert_eq!(throttle.micro_tokens(), 10 * TOKEN);
    }

    /// An odd number of tokens has its threshold at a half, and three decimals of the ratio count.
    #[test]
    fn grpc_threshold_and_decimals() {
        let rule = |permille: u64, max_tokens: u64| Rule::Grpc { ratio: Ratio::ppm(1_000 * permille), max_tokens };
        for (max, in_hand) in [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (7, 3), (10, 4), (1_000, 499)] {
            let budget = Budget::new(rule(100, max));
            assert_eq!(budget.in_hand(Time::ZERO, Fault::Transient), Some(in_hand), "{max}");
            let mut budget = budget;
            let mut granted = 0;
            loop {
                budget.failed(&mut Hold::default());
                if !budget.take(Time::ZERO, Fault::Transient, &mut Hold::default()) {
                    break;
                }
                granted += 1;
            }
            assert_eq!(granted, in_hand, "{max}");
        }
        let (_, mut budget) = all_fail(rule(1, 2), Fault::Transient, 10, 0);
        for _ in 0..1_000 {
            budget.answered(Time::ZERO, &mut Hold::default());
        }
        assert!(
            !budget.take(Time::ZERO, Fault::Transient, &mut Hold::default()),
            "a thousand thousandths are just half"
        );
        budget.answered(Time::ZERO, &mut Hold::default());
        assert!(budget.take(Time::ZERO, Fault::Transient, &mut Hold::default()));
    }

    /// The default window at 100 failing requests a second: 100, 40, 20, 20 … and the same again when the burst expires.
    #[test]
    fn windows_burst_again() {
        for library in [Library::Finagle, Library::Tower] {
            let mut window = Window::new(library, Span::s(10), 10, Ratio::percent(20));
            let granted = outage(&mut window, 100, 40);
            assert_eq!(granted[..9], [100, 40, 20, 20, 20, 20, 20, 20, 20], "{library:?}");
            let again = (9..40).find(|&second| granted[second] > 60).expect("a second burst");
            assert!((10..=12).contains(&again), "{library:?}: again after {again} s");
            assert!((13..40).any(|second| granted[second] > 60), "{library:?}: only twice: {granted:?}");
        }
    }

    /// tower rounds a share up to one in a whole number: 30 % is one in three. Finagle keeps three more digits.
    #[test]
    fn shares_of_windows() {
        for (library, retries) in [(Library::Tower, 33), (Library::Finagle, 30)] {
            let mut window = Window::new(library, Span::s(10), 0, Ratio::percent(30));
            (0..100).for_each(|_| window.deposit(Time::ZERO));
            assert_eq!(drain(&mut window, Time::ZERO), retries, "{library:?}");
        }
        // The libraries divide in floats; ours in integers. They agree for every share in thousandths.
        for permille in 1..=3_000u64 {
            let mut window = Window::new(Library::Finagle, Span::s(10), 0, Ratio::ppm(1_000 * permille));
            (0..1_000).for_each(|_| window.deposit(Time::ZERO));
            let withdrawal = (1000.0 / (permille as f64 / 1e3)) as u64;
            assert_eq!(drain(&mut window, Time::ZERO), 1_000_000 / withdrawal, "finagle, {permille} ‰");
            let (deposit, withdrawal) = match permille as f32 / 1e3 {
                share if share <= 1.0 => (1, (1.0 / share) as u64),
                share => (1_000, (1000.0 / share) as u64),
            };
            let mut window = tps(Span::s(10), 0, Ratio::ppm(1_000 * permille));
            (0..1_000).for_each(|_| window.deposit(Time::ZERO));
            assert_eq!(drain(&mut window, Time::ZERO), 1_000 * deposit / withdrawal, "tower, {permille} ‰");
        }
    }

    /// Looking at a window does not move it on.
    #[test]
    fn looking_changes_nothing() {
        let mut window = Window::new(Library::Tower, Span::s(10), 1, Ratio::percent(50));
        (0..10).for_each(|i| window.deposit(Time::us(300_000 * i)));
        let before = window;
        assert_eq!(window.balance(Time::us(3_000_000)), 15);
        assert_eq!(window.balance(Time::us(60_000_000)), 10);
        assert_eq!(window, before);
        assert_eq!(drain(&mut window, Time::us(3_000_000)), 15);
    }

    /// A success gives back what its last retry cost; without a retry 1; never more than full. The classic JavaScript SDK
    /// takes the greater where it should take the smaller.
    #[test]
    fn quotas_come_back() {
        for (sdk, prices) in [(Sdk::Current, [14, 5, 14]), (Sdk::Classic, [5, 5, 10]), (Sdk::ClassicJs, [10, 5, 10])] {
            let faults = [Fault::Transient, Fault::Throttled, Fault::Timeout];
            assert_eq!(faults.map(|fault| sdk.cost(fault)), prices, "{sdk:?}");
        }
        let mut quota = Quota::new(Sdk::Current, CAPACITY);
        assert_eq!((quota.take(Fault::Transient), quota.take(Fault::Throttled)), (Some(14), Some(5)));
        quota.success(5);
        assert_eq!(quota.capacity(), 486);
        quota.success(0);
        assert_eq!(quota.capacity(), 487);
        quota.success(14);
        assert_eq!(quota.capacity(), 500);
        // 100 failing requests with two retries each: 150 calls, then one success fills it up.
        let rule = Rule::Quota { sdk: Sdk::ClassicJs, capacity: CAPACITY };
        let (calls, mut budget) = all_fail(rule, Fault::Transient, 100, 2);
        assert_eq!((calls, budget.in_hand(Time::ZERO, Fault::Transient)), (150, Some(0)));
        budget.answered(Time::ZERO, &mut Hold::default());
        let Budget::Quota(quota) = &budget else { panic!("another kind") };
        assert_eq!(quota.capacity(), 500);
    }

    /// Envoy: a retry's place is free again when its call has ended, well or badly.
    #[test]
    fn envoy_counts_retries_under_way() {
        let mut budget = Budget::new(Rule::Concurrent(Limit::Fixed(1)));
        let mut holds = [Hold::default(); 2];
        let fail = |budget: &mut Budget, hold: &mut Hold| {
            budget.sent();
            budget.failed(hold);
        };
        fail(&mut budget, &mut holds[0]);
        fail(&mut budget, &mut holds[1]);
        assert!(budget.take(Time::ZERO, Fault::Transient, &mut holds[0]));
        assert!(!budget.take(Time::ZERO, Fault::Transient, &mut holds[1]), "the other one waits for its turn");
        fail(&mut budget, &mut holds[0]);
        assert!(budget.take(Time::ZERO, Fault::Transient, &mut holds[0]), "its own place is free again");
        budget.sent();
        budget.answered(Time::ZERO, &mut holds[0]);
        assert_eq!(budget.in_hand(Time::ZERO, Fault::Transient), Some(1));
    }

    /// The book's law of adaptive throttling: a server that takes `C` of `G` a second is sent K·C, and refuses (K − 1)·C.
    #[test]
    fn adaptive_throttling_settles() {
        let table = vector("theory/sre_book.json")["client_throttle"]["table"].as_array().expect("rows").clone();
        assert_eq!(table.len(), 16);
        for row in table {
            let [generated, capacity] = ["G", "C"].map(|key| number(&row, key));
            let mut throttle = Adaptive::new((1e3 * number(&row, "K")).round() as u64, Span::s(120));
            let draws = Draws::new(7, 1);
            // The server takes an even share of what it is sent, by exact turns. After a window it has settled.
            let (mut sent_all, mut second_sent) = (0u64, 0u64);
            let (mut at, mut room) = (0, 0.0f64);
            for i in 0..(generated as u64 * 400) {
                let now = Time::us((i as f64 * 1e6 / generated) as u64);
                // A small bucket of the capacity: what does not fit is refused.
                room = (room + capacity / generated).min(200.0);
                let settled = now >= Time::us(250_000_000);
                if throttle.admits(now, &mut draws.at(i, 0, 0)) {
                    sent_all += u64::from(settled);
                    if room >= 1.0 {
                        room -= 1.0;
                        throttle.accepted(now);
                    } else {
                        second_sent += u64::from(settled);
                    }
                }
                at = now.as_us();
            }
            let seconds = (at - 250_000_000) as f64 / 1e6;
            let [sent, refused] = [sent_all, second_sent].map(|n| n as f64 / seconds);
            let what = row.to_string();
            assert!((sent - number(&row, "sent")).abs() <= 0.05 * number(&row, "sent"), "{what}: sent {sent}");
            let expected = number(&row, "backend_rejected");
            assert!((refused - expected).abs() <= 0.05 * expected + 0.03 * capacity, "{what}: refused {refused}");
        }
    }

    /// The window of adaptive throttling forgets.
    #[test]
    fn adaptive_throttling_forgets() {
        let mut throttle = Adaptive::new(2_000, Span::s(120));
        let draws = Draws::new(1, 1);
        for i in 0..1_000 {
            throttle.admits(Time::us(1_000 * i), &mut draws.at(i, 0, 0));
        }
        assert!(throttle.refusal().value() > 0.99);
        throttle.accepted(Time::us(130_000_000));
        assert_eq!(throttle.refusal().value(), 0.0);
    }
}

/// What every budget has to do: let a healthy client alone, and hold back in an outage. Books sum up for each.
#[test]
fn every_kind_in_an_outage() {
    let kinds = [
        "bucket",
        "doubles",
        "none",
        "grpc",
        "finagle",
        "tower",
        "envoy",
        "envoy_max",
        "aws",
        "aws_classic",
        "aws_classic_js",
        "sre",
    ];
    for kind in kinds {
        let rows = ["kind", "kind_2", "kind_3", "kind_4"].map(|row| (row, kind.to_string()));
        let outage = [
            ("users", "6000"),
            ("over", "60s"),
            ("outage_from", "10s"),
            ("outage_for", "30s"),
            ("failure_takes", "20"),
        ];
        let values = [&rows[..], &outage.map(|(key, value)| (key, value.to_string()))].concat();
        let (card, knobs) = knobs_of(&values);
        let plan = card.plan(&*knobs);
        let outcome = card.run(&*knobs, 1);
        let get = |key: &str| outcome.get(&plan, key).expect("a figure");
        let book = &outcome.books[0];
        assert_eq!((outcome.books.len(), book.caller.open(), book.server.open()), (1, 0, 0), "{kind}");
        assert_eq!(book.server.arrivals as f64, get("total_calls"), "{kind}");
        assert_eq!(book.caller.attempts - book.caller.rejected, book.server.arrivals, "{kind}");
        assert_eq!(book.caller.rejected as f64, get("refused_retries") + get("throttled"), "{kind}");
        assert_eq!(get("answered") + get("unanswered"), 6_000.0, "{kind}");
        let first_calls = get("total_calls") - get("retries");
        match kind {
            // Not quite three for each of 3,000: the last ones are answered after the outage.
            "none" => assert!((8_800.0..9_000.0).contains(&get("retries")), "{kind}: {}", get("retries")),
            "sre" => assert!(first_calls < 6_000.0 && get("throttled") > 1_000.0, "{kind}"),
            _ => {
                assert_eq!(first_calls, 6_000.0, "{kind}");
                assert!(get("retries") < 900.0 && get("refused_retries") > 2_000.0, "{kind}: {}", get("retries"));
            }
        }
        let healthy = [&values[..], &[("failure", "0".to_string())]].concat();
        assert_eq!(figure(&healthy, "total_calls"), 6_000.0, "{kind}: healthy");
        assert_eq!(figure(&healthy, "answered"), 6_000.0, "{kind}: healthy");
    }
}

/// The pods' finding: local budgets bring their own starting tokens.
#[test]
fn pods_bring_their_own_tokens() {
    let with = |users: u64, pods: u64| {
        figure(&[("users", users.to_string()), ("pods", pods.to_string())], "bucket_retry_ratio")
    };
    assert_eq!([with(1_000, 1), with(1_000, 30), with(1_000, 100)], [10.9, 39.0, 100.0]);
    assert!((with(100_000, 30) - 10.29).abs() < 1e-9);
    // A user per pod: no budget at all.
    assert_eq!(with(1_000, 1_000), 300.0);
}
