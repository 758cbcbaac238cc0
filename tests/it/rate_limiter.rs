//! Rate limiters against the libraries' vectors, card `rate-limiter` against the article's, and its claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::rate_limit::{Answer, Limiter, Reading, Rule, ttl_ms};
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::support::{Ran, Shuffle, changed, pairs, shuffled_within, told, vector};

fn card() -> &'static dyn Card {
    find("rate-limiter").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

#[track_caller]
fn figures<const N: usize>(setup: &str, changes: &str, keys: [&str; N]) -> [Option<f64>; N] {
    let ran = ran(setup, changes);
    keys.map(|key| {
        assert!(ran.plan.find(key).is_some(), "no figure {key}");
        ran.find(key)
    })
}

fn at(ms: f64) -> Reading {
    Reading { ms, at: Time::us((ms * 1e3) as u64) }
}

/// The script's decisions, tokens and expiry as Redis ran it; governor; the window's edge.
#[test]
fn libraries() {
    let file = vector("libraries/ratelimit.json");
    let mut seen = 0;
    for v in file["vectors"].as_array().expect("vectors") {
        let (id, given, expect) = (v["id"].as_str().expect("an id"), &v["given"], &v["expect"]);
        let number = |key: &str| given[key].as_f64().unwrap_or_else(|| panic!("{id}: {key}"));
        let flags: Vec<Value> = expect["allowed"].as_array().cloned().unwrap_or_default();
        seen += 1;
        match v["mechanism"].as_str().expect("a mechanism") {
            "rate_limit.token_bucket_lua" => {
                let (cap, per_s) = (number("cap"), number("rate_per_s"));
                let mut bucket = Limiter::new(Rule::Bucket { cap, per_s });
                for (n, call) in given["calls"].as_array().expect("calls").iter().enumerate() {
                    let (now, cost) = (call[0].as_f64().expect("ms"), call[1].as_u64().expect("a cost"));
                    // Redis' own clock stood still meanwhile.
                    let passes = bucket.check(at(now), Time::ZERO, cost).passes();
                    assert_eq!(Some(passes), flags[n].as_bool(), "{id}: call {n}");
                    let tokens = expect["tokens_after"][n].as_f64().expect("tokens");
                    assert_eq!(bucket.left(at(now), Time::ZERO), tokens, "{id}: call {n}");
                }
                assert_eq!(Some(ttl_ms(cap, per_s)), expect["pttl_ms"].as_u64(), "{id}");
            }
            "rate_limit.gcra" => {
                assert_eq!(given["quota"], "10/s burst 3", "{id}");
                let mut cells = Limiter::new(Rule::Gcra { burst: 3, cell: 100_000_000 });
                let results = expect["results"].as_array().expect("results");
                assert_eq!(given["checks"].as_u64(), Some(results.len() as u64));
                for result in results {
                    let said = match cells.check(at(0.0), Time::ZERO, 1) {
                        Answer::Pass(_) => "ok".to_string(),
                        Answer::Deny { again, .. } => {
                            format!("wait {}ms", again.expect("a time").as_us() / 1_000)
                        }
                    };
                    assert_eq!(Some(said.as_str()), result.as_str(), "{id}");
                }
                assert_eq!(expect["check_n_4"], "InsufficientCapacity error");
                let never = Answer::Deny { after: Span::ZERO, again: None };
                assert_eq!(cells.check(at(9_000.0), Time::ZERO, 4), never, "{id}");
            }
            "rate_limit.fixed_window" => {
                let window = Span::ms(number("window_ms") as u64);
                let mut count = Limiter::new(Rule::Fixed { limit: number("limit") as u64, window });
                for (n, call) in given["calls_ms"].as_array().expect("calls").iter().enumerate() {
                    let passes = count.check(at(call.as_f64().expect("ms")), Time::ZERO, 1).passes();
                    assert_eq!(Some(passes), flags[n].as_bool(), "{id}: call {n}");
                }
            }
            "rate_limit.article" => {
                let knobs = ["instances", "cap", "rate", "requests"].map(|key| format!("{key}={}", number(key)));
                let keys = ["healthy_ok", "healthy_no", "away_ok", "away_no"];
                let pair = |key: &str| [0, 1].map(|n| expect[key][n].as_f64());
                let [[a, b], [c, d]] = [pair("redis_ok"), pair("redis_paused_local")];
                assert_eq!(figures("article", &knobs.join("&"), keys), [a, b, c, d], "{id}");
                let [local] = figures("article", &knobs.join("&"), ["local_cap"]);
                assert_eq!(local, expect["local_cap"].as_f64(), "{id}");
            }
            other => panic!("{id}: {other}"),
        }
    }
    assert!(seen >= 5, "{seen} vectors");
}

/// Each point of the article's vectors: with the store, without it, and by the formula.
#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/rate_limiter.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 16, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let names = [("n", "requests"), ("k", "instances"), ("cap", "cap"), ("rate", "rate"), ("spreadMs", "spread")];
        assert_eq!(params.as_object().map(|all| all.len()), Some(names.len()), "unknown parameters in {params}");
        let knobs = names.map(|(theirs, ours)| format!("{ours}={}", params[theirs].as_f64().expect("a number")));
        let knobs = format!("{}&bursts=1", knobs.join("&"));
        let keys = ["healthy_ok", "bound"];
        let expected = ["redis", "bound"].map(|key| expect[key].as_f64());
        assert_eq!(figures("article", &format!("{knobs}&away_for=0"), keys), expected, "{params}");
        let away = format!("{knobs}&away_at=0&away_for=60000");
        assert_eq!(figures("article", &away, ["away_ok"]), [expect["local"].as_f64()], "{params}");
        // All three runs in one, where a second fills the bucket. Where the last bit of a sum decides, the time of day matters.
        if params["spreadMs"] == 0 && params["cap"].as_f64() <= params["rate"].as_f64() {
            let keys = ["healthy_ok", "away_ok", "back_ok"];
            let [redis, local] = ["redis", "local"].map(|key| expect[key].as_f64());
            assert_eq!(
                figures("article", &knobs.replace("bursts=1", "bursts=3"), keys),
                [redis, local, redis],
                "{params}"
            );
        }
    }
}

#[test]
fn the_articles_figures() {
    let file = vector("articles/rate_limiter.json");
    for figure in file["figures"].as_array().expect("figures") {
        let key = match figure["name"].as_str().expect("a name") {
            "redis" => "healthy_ok",
            "local" => "away_ok",
            "redis back" => "back_ok",
            other => panic!("unknown figure {other}"),
        };
        assert_eq!(figures("article", "", [key]), [figure["oracle"].as_f64()], "{key}");
    }
}

/// resilience4j: nothing is saved up, later cycles' permissions are given away to who can wait, and who cannot waits in vain.
#[test]
fn resilience4j() {
    let rule = |patience| Rule::Cycles { limit: 2, period: 1_000_000_000, patience };
    let mut one = Limiter::new(rule(Span::ms(1_500)));
    let mut ask = |ms: f64| one.check(at(ms), Time::ZERO, 1);
    assert_eq!([ask(0.0), ask(0.0)], [Answer::Pass(Span::ZERO); 2]);
    // Two of the next cycle; the one after would be 2 s away.
    assert_eq!([ask(100.0), ask(100.0)], [Answer::Pass(Span::ms(900)); 2]);
    let again = Some(Span::ms(400));
    assert_eq!(ask(100.0), Answer::Deny { after: Span::ms(1_500), again });
    // The next cycle has none left for who comes in it.
    assert_eq!(ask(1_000.0), Answer::Pass(Span::s(1)));
    // After a long time there are two, not more.
    let left = one.left(at(60_000.0), Time::ZERO);
    assert_eq!(left, 2.0);
    // Permits that need more than one cycle.
    let mut one = Limiter::new(rule(Span::s(5)));
    assert_eq!(one.check(at(0.0), Time::ZERO, 5), Answer::Pass(Span::s(2)));
    assert_eq!(one.left(at(0.0), Time::ZERO), -3.0);
    // By default: 50 in 500 ns, so nobody ever waits to be seen.
    let mut one = Limiter::new(Rule::Cycles { limit: 50, period: 500, patience: Span::s(5) });
    assert!((0..1_000).all(|_| one.check(at(1.0), Time::ZERO, 1).passes()));
}

/// What a limiter promises for later it keeps, and a microsecond sooner nobody passes.
#[test]
fn again() {
    for n in 0..400 {
        let mut draw = Shuffle::new(0x11, n).0;
        let (limit, window) = (1 + draw.below(6), Span::ms(1 + draw.below(50)));
        let rule = match n % 4 {
            0 => Rule::Fixed { limit, window },
            1 => Rule::Sliding { limit, window },
            2 => Rule::Gcra { burst: limit, cell: window.as_us() * 1_000 / limit },
            _ => Rule::Cycles { limit, period: window.as_us() * 1_000, patience: Span::ZERO },
        };
        let mut limiter = Limiter::new(rule);
        let mut now = Time::ZERO;
        for _ in 0..60 {
            now += draw.span(window / 2);
            let cost = 1 + draw.below(3);
            if let Answer::Deny { again, .. } = limiter.check(Reading::of(now), now, cost) {
                let Some(wait) = again else {
                    assert!(cost > limit, "{rule:?}");
                    continue;
                };
                let then = |at: Time| limiter.clone().check(Reading::of(at), at, cost).passes();
                assert!(then(now + wait), "{rule:?} at {now:?}: not after {wait:?}");
                assert!(!then(Time::us((now + wait).as_us() - 1)), "{rule:?} at {now:?}: before {wait:?}");
            }
        }
    }
}

/// By definition, with every request remembered: no rule lets more pass than it says.
#[test]
fn rules_by_definition() {
    for n in 0..60 {
        let mut draw = Shuffle::new(0x12, n).0;
        let (limit, window) = (1 + draw.below(8), 1_000 * (1 + draw.below(40)));
        let rule = Rule::Sliding { limit, window: Span::us(window) };
        let (mut sliding, mut fixed) =
            (Limiter::new(rule), Limiter::new(Rule::Fixed { limit, window: Span::us(window) }));
        let (mut slid, mut counted): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut now = 0u64;
        for _ in 0..200 {
            now += draw.below(window / limit);
            let index = now / window;
            let within = |all: &[u64], index: u64| all.iter().filter(|at| **at / window == index).count() as u64;
            let before = if index > 0 { within(&slid, index - 1) } else { 0 };
            let estimate = before * (window - now % window) + (within(&slid, index) + 1) * window;
            let expected = [estimate <= limit * window, within(&counted, index) < limit];
            let now = Time::us(now);
            let got = [&mut sliding, &mut fixed].map(|one| one.check(Reading::of(now), now, 1).passes());
            assert_eq!(got, expected, "{rule:?} at {now:?}");
            for (all, passes) in [&mut slid, &mut counted].into_iter().zip(got) {
                all.extend(passes.then_some(now.as_us()));
            }
        }
    }
}

/// Read, then write: three in step spend each token three times; one at a time in one instance is right; all at once it is none.
#[test]
fn read_then_write() {
    assert_eq!(figures("race", "", ["healthy_ok"]), [Some(30.0)]);
    assert_eq!(figures("race", "instances=1", ["healthy_ok"]), [Some(10.0)]);
    assert_eq!(figures("race", "lanes=20", ["healthy_ok"]), [Some(60.0)]);
    assert_eq!(figures("race", "atomic=on", ["healthy_ok"]), [Some(10.0)]);
}

/// The store's failure: what each choice does, and what commands that nobody waits for take.
#[test]
fn without_the_store() {
    let keys = ["away_ok", "away_no", "decide_max"];
    assert_eq!(figures("article", "on_error=open", keys), [60.0, 0.0, 50.0].map(Some));
    assert_eq!(figures("article", "on_error=closed", keys), [0.0, 60.0, 50.0].map(Some));
    assert_eq!(figures("article", "", keys), [9.0, 51.0, 50.0].map(Some));
    // Soon after a pause the queued commands have taken what came back; lost commands take nothing.
    let keys = ["back_ok", "wasted", "worst", "promised"];
    assert_eq!(figures("soon_back", "", keys), [5.0, 5.0, 19.0, 15.0].map(Some));
    assert_eq!(figures("soon_back", "away=dead", ["back_ok", "wasted"]), [10.0, 0.0].map(Some));
    // By the store's own time they are done, and counted, when it is back: 8.995 tokens are there, and one more comes in 100 ms.
    let [back, wasted] = figures("soon_back", "clock=store", ["back_ok", "wasted"]).map(Option::unwrap);
    assert!(back <= 2.0 && wasted == 8.0, "{back} {wasted}");
    // A store slower than the timeout is one that is away.
    assert_eq!(figures("article", "rtt=60", ["healthy_ok", "wasted"]), [9.0, 30.0].map(Some));
}

#[test]
fn rules_beside_each_other() {
    let keys = ["worst", "promised", "rule_bucket", "rule_gcra", "rule_sliding", "rule_fixed"];
    assert_eq!(figures("edge", "", keys), [20.0, 10.0, 10.0, 10.0, 10.0, 20.0].map(Some));
    assert_eq!(figures("edge", "rule=sliding", ["worst"]), [Some(10.0)]);
    // The whole limit in each instance is three limits; a share is one.
    assert_eq!(figures("article", "place=instances", ["healthy_ok"]), [Some(90.0)]);
    assert_eq!(figures("article", "place=instances&share=on&bursts=1", ["healthy_ok"]), [Some(9.0)]);
    // GCRA takes no limit of 0: eleven instances are one cell each.
    assert_eq!(figures("article", "instances=11&rule=gcra", ["away_ok"]), [Some(11.0)]);
}

/// Clocks: by the store's, skew means nothing; whole milliseconds lose no token either.
#[test]
fn clocks() {
    assert_eq!(figures("skewed", "", ["healthy_ok"]), [Some(12.0)]);
    assert_eq!(figures("skewed", "clock=store", ["healthy_ok"]), [Some(10.0)]);
    let spread = "bursts=1&away_for=0&spread=1000";
    assert_eq!(figures("article", spread, ["healthy_ok", "bound"]), [Some(19.0), Some(20.0)]);
    assert_eq!(figures("article", &format!("{spread}&clock=own_ms"), ["healthy_ok"]), [Some(20.0)]);
}

/// Per tenant: a greedy one takes nothing of the others' limits; with one limit for all it takes most.
#[test]
fn tenants() {
    let [first, others, refused] = figures("tenants", "", ["first_ok", "others_ok", "others_no"]).map(Option::unwrap);
    assert_eq!((first, refused), (109.0, 0.0));
    let [shared, left, lost] =
        figures("tenants", "keyed=off", ["first_ok", "others_ok", "others_no"]).map(Option::unwrap);
    assert!(shared + left <= 110.0 && lost > 20.0 && left < others, "{shared} {left} {lost}");
    let [more] = figures("tenants", "times=3", ["first_ok"]).map(Option::unwrap);
    assert!((325.0..=330.0).contains(&more), "{more}");
}

/// Refused clients: told whole seconds they come back when there is room, and all together; in a loop they only ask.
#[test]
fn coming_back() {
    let one = "bursts=1&away_for=0&again=told";
    let keys = ["passed", "attempts", "told"];
    assert_eq!(figures("article", one, keys), [40.0, 60.0 + 50.0 + 40.0 + 30.0, 1.0].map(Some));
    let [passed, attempts] =
        figures("article", "bursts=1&away_for=0&again=loops&loops=10", ["passed", "attempts"]).map(Option::unwrap);
    assert_eq!((passed, attempts), (10.0, 60.0 + 3.0 * 50.0));
}

/// Under any knobs, with the store well and one step: no more passes than a plain count of the same arrivals allows, and each
/// attempt has one end.
#[test]
fn conservation() {
    for n in 0..150 {
        let knobs = shuffled_within(card(), 0x1313, n, 4_000);
        let ran = Ran::of(card(), &*knobs, n);
        let what = told(&*knobs);
        let offered = ran.outcome.books[0].offered as f64;
        assert_eq!(ran.get("passed") + ran.get("refused"), offered, "{what}");
        let phases = ["healthy_ok", "healthy_no", "away_ok", "away_no", "back_ok", "back_no"];
        assert_eq!(phases.iter().filter_map(|key| ran.find(key)).sum::<f64>(), offered, "{what}");
        let ends: f64 = ran.outcome.rows(&ran.plan, "ends").take(3).flat_map(|row| &row[1..]).sum();
        assert_eq!(ends, offered, "{what}");
        assert!(ran.get("attempts") >= offered, "{what}");
        let widths: Vec<&[f64]> = ran.outcome.rows(&ran.plan, "widths").collect();
        assert!(widths.windows(2).all(|w| w[0][1] <= w[1][1] && w[0][2] <= w[1][2]), "{what}");
    }
}
