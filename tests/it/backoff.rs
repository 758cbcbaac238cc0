//! Waits before retries: the textbook's formulas exactly, the libraries' curves against what the libraries gave.

use overload_sim::backoff::library::{Evidence, Library, LibraryCurve};
use overload_sim::backoff::{Backoff, Memory, Strategy};
use overload_sim::draw::{Draw, Draws};
use overload_sim::time::Span;
use serde_json::Value;

use crate::support::vector;

// ---- vectors

/// What became of a vector.
#[derive(Debug, PartialEq)]
enum Fate {
    Ran,
    /// Not about a wait's curve; the reason.
    Skipped(&'static str),
}

/// Random values as a vector gives them: one for ever, or one after the other. Panics where it gives none.
fn given(random: &Value) -> impl FnMut() -> f64 + '_ {
    let mut n = 0;
    move || {
        n += 1;
        match random {
            Value::Array(list) => number(&list[n - 1]),
            one => number(one),
        }
    }
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[track_caller]
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}")).iter().map(number).collect()
}

fn ms(value: f64) -> Span {
    Span::us((value * 1e3).round() as u64)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The curve's first `n` waits in milliseconds, in the library's own precision.
fn waits(curve: LibraryCurve, random: &Value, n: usize) -> Vec<f64> {
    let (mut memory, mut source) = (Memory::default(), given(random));
    (0..n as u32)
        .map(|retry| {
            if curve.library == Library::NpmRetryRandomize {
                curve.micros(retry, &mut memory, &mut given(random)) / 1e3
            } else {
                curve.micros(retry, &mut memory, &mut source) / 1e3
            }
        })
        .collect()
}

/// Same numbers up to the last digits of a float, and to `digit` at most.
#[track_caller]
fn assert_same(id: &str, got: &[f64], expected: &[f64], digit: f64) {
    assert_eq!(got.len(), expected.len(), "{id}: {got:?} instead of {expected:?}");
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= digit.max(e.abs() * 1e-14), "{id}: {got:?} instead of {expected:?}");
    }
}

/// `name=number` in a text such as `wait_exponential(multiplier=1,min=4)`.
fn argument(text: &str, name: &str) -> Option<f64> {
    let at = text.find(&format!("{name}="))? + name.len() + 1;
    let end = text[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(text.len(), |n| at + n);
    text[at..end].parse().ok()
}

/// Runs a vector of the three files, or says why it is none of ours.
fn run(v: &Value) -> Fate {
    let (id, given, expect) = (text(&v["id"]), &v["given"], &v["expect"]);
    let mechanism = text(&v["mechanism"]);
    // Overrides what `given` names, in milliseconds.
    let over = |curve: LibraryCurve, base: &str, cap: &str| {
        let mut curve = curve;
        if let Some(base) = given[base].as_f64() {
            curve.base = ms(base);
        }
        if let Some(cap) = given[cap].as_f64() {
            curve.cap = ms(cap);
        }
        curve
    };
    let random = &given["random"];
    match mechanism {
        "backoff.p-retry" => {
            let options = &given["options"];
            let library = if options["randomize"] == true { Library::PRetryRandomize } else { Library::PRetry };
            let mut curve = library.defaults();
            let set = |name: &str, to: &mut Span| *to = options[name].as_f64().map_or(*to, ms);
            set("minTimeout", &mut curve.base);
            set("maxTimeout", &mut curve.cap);
            curve.multiplier = options["factor"].as_f64().unwrap_or(curve.multiplier);
            let expected = numbers(&expect["delays"]);
            let mut got = waits(curve, random, expected.len());
            // The caller cuts a wait to the time left.
            let left = options["maxRetryTime"].as_f64().unwrap_or(f64::INFINITY);
            let mut at = 0.0;
            let mut times = vec![0.0];
            for wait in &mut got {
                *wait = wait.min(left - at);
                at += *wait;
                times.push(at);
            }
            assert_same(id, &got, &expected, 0.0);
            assert_same(id, &times, &numbers(&expect["attempt_times_ms"]), 0.0);
            if left == f64::INFINITY {
                let calls = options["retries"].as_u64().map_or(curve.calls, |n| n as u32 + 1);
                assert_eq!(times.len(), calls as usize, "{id}");
            }
        }
        "backoff.retry" => {
            let options = &given["options"];
            let library = if options["randomize"] == true { Library::NpmRetryRandomize } else { Library::NpmRetry };
            let mut curve = library.defaults();
            let set = |name: &str, to: &mut Span| *to = options[name].as_f64().map_or(*to, ms);
            set("minTimeout", &mut curve.base);
            set("maxTimeout", &mut curve.cap);
            curve.multiplier = options["factor"].as_f64().unwrap_or(curve.multiplier);
            curve.calls = options["retries"].as_u64().map_or(curve.calls, |n| n as u32 + 1);
            let got = waits(curve, random, curve.calls as usize - 1);
            assert_same(id, &got, &numbers(&expect["timeouts"]), 0.0);
        }
        "backoff+quota.aws_sdk_js" => {
            if id.contains("retry_after") {
                return Fate::Skipped("a Retry-After header");
            }
            if id.contains("budget") {
                return Fate::Skipped("a budget");
            }
            let throttling = match text(&given["errorType"]) {
                "TRANSIENT" => false,
                "THROTTLING" => true,
                _ => return Fate::Skipped("what is retried"),
            };
            let (library, throttled) =
                if id.contains("util-retry") { (Library::AwsJsClassic, 500) } else { (Library::AwsJs, 1000) };
            let mut curve = library.defaults();
            if throttling {
                curve.base = Span::ms(throttled);
            }
            let expected = numbers(&expect["delays_ms"]);
            assert_same(id, &waits(curve, random, expected.len()), &expected, 0.0);
        }
        "backoff.botocore" => {
            if id.contains("retry-after") {
                return Fate::Skipped("a Retry-After header");
            }
            if id.contains("quota") {
                return Fate::Skipped("a budget");
            }
            if id.contains("adaptive") {
                return Fate::Skipped("a rate limit");
            }
            let library = match () {
                () if id.contains("legacy") => Library::BotocoreLegacy,
                () if id.contains("@1.35") => Library::BotocoreClassic,
                () => Library::Botocore,
            };
            let mut curve = library.defaults();
            if id.contains("throttling") && library == Library::Botocore {
                curve.base = Span::s(1);
            } else if id.contains("dynamodb") && library == Library::Botocore {
                curve.base = Span::ms(25);
            }
            let expected: Vec<f64> = numbers(&expect["delays_s"]).iter().map(|s| s * 1e3).collect();
            assert_same(id, &waits(curve, random, expected.len()), &expected, 0.0);
        }
        "backoff.urllib3" => {
            let mut curve = Library::Urllib3.defaults();
            let factor = id.rsplit_once("factor_").and_then(|(_, factor)| factor.parse().ok());
            curve.base = ms(factor.unwrap_or(0.0) * 1e3);
            assert_eq!(curve.cap.as_s(), number(&expect["backoff_max"]), "{id}");
            // The list begins with n = 0, before anything failed; our retry 0 is n = 1.
            let expected: Vec<f64> = numbers(&expect["backoff_before_retry_n"]).iter().map(|s| s * 1e3).collect();
            assert_eq!(expected[0], 0.0, "{id}");
            assert_same(id, &waits(curve, random, expected.len() - 1), &expected[1..], 0.0);
        }
        "backoff.tenacity" => {
            let (library, first) = match () {
                () if id.contains("wait_random_exponential") => (Library::TenacityRandom, "multiplier"),
                () if id.contains("wait_exponential_jitter") => (Library::TenacityExponentialJitter, "initial"),
                () => (Library::Tenacity, "multiplier"),
            };
            let mut curve = library.defaults();
            let set = |name: &str, to: &mut Span| *to = argument(id, name).map_or(*to, |s| ms(s * 1e3));
            set(first, &mut curve.base);
            set("max", &mut curve.cap);
            set("min", &mut curve.floor);
            curve.multiplier = argument(id, "exp_base").unwrap_or(curve.multiplier);
            if let Some(jitter) = argument(id, "jitter") {
                curve.factor = jitter / curve.base.as_s();
            }
            let random = argument(id, "random").map_or(Value::Null, Value::from);
            let expected: Vec<f64> = numbers(&expect["delays_s"]).iter().map(|s| s * 1e3).collect();
            assert_same(id, &waits(curve, &random, expected.len()), &expected, 0.0);
        }
        "backoff.tower" => {
            let mut curve = over(Library::Tower.defaults(), "min_ms", "max_ms");
            curve.factor = number(&given["jitter"]);
            let expected = numbers(&expect["delays_ns"]);
            let got: Vec<f64> = waits(curve, random, expected.len()).iter().map(|ms| (ms * 1e6).round()).collect();
            assert_same(id, &got, &expected, 0.0);
        }
        "backoff.backon" => {
            assert_eq!(given["jitter"], true, "{id}");
            let curve = over(Library::BackonJitter.defaults(), "min_delay_ms", "max_delay_ms");
            let draws = number(&given["draws"]) as u64;
            for (name, retry, cap) in
                [("first_delay_ms_range", 0, curve.cap), ("second_delay_with_max_1000_ms_range", 1, Span::ms(1000))]
            {
                let (low, high, _) = spread(curve.with(curve.base, cap), retry, draws);
                let seen = numbers(&expect[name]);
                assert!(low >= 1000.0 && high < 2000.0, "{id}: {low}..{high}");
                // Ends of as many draws differ by about 1/draws of the range.
                assert!((low - seen[0]).abs() < 0.5 && (high - seen[1]).abs() < 0.5, "{id}: {low}..{high}");
            }
        }
        "backoff.cenkalti" => {
            let mut curve = Library::Cenkalti.defaults();
            if let Some(cap) = given["MaxInterval_s"].as_f64() {
                curve.cap = ms(cap * 1e3);
            }
            curve.factor = given["RandomizationFactor"].as_f64().unwrap_or(curve.factor);
            if let Some(range) = expect["theoretical_range_ms"].as_array() {
                let (low, high, _) = spread(curve, number(&given["call"]) as u32 - 1, 20_000);
                let (least, most) = (number(&range[0]), number(&range[1]));
                assert!(low >= least && low < least + 0.5, "{id}: {low}");
                assert!(high <= most && high > most - 0.5, "{id}: {high}");
                assert!((high - number(&expect["observed_max_ms"])).abs() < 0.5, "{id}: {high}");
                return Fate::Ran;
            }
            let random = &Value::from(0.0);
            if let Some(expected) = expect["delays_us"].as_array() {
                let got = waits(curve, random, expected.len());
                let got: Vec<f64> = got.iter().map(|&ms| Span::from_us_f64(ms * 1e3).as_us() as f64).collect();
                assert_same(id, &got, &numbers(&expect["delays_us"]), 0.0);
            } else {
                let most = number(&given["MaxElapsedTime_s"]) * 1e3;
                let mut elapsed = 0.0;
                let expected = expect["delays_ms"].as_array().expect("delays");
                for (wait, e) in waits(curve, random, expected.len()).iter().zip(expected) {
                    match e.as_f64() {
                        Some(e) => assert_same(id, &[*wait], &[e], 0.0),
                        None => assert!(elapsed + wait > most, "{id}: {elapsed} + {wait}"),
                    }
                    elapsed += wait;
                }
            }
        }
        "backoff.envoy" => {
            let curve = over(Library::Envoy.defaults(), "base_interval_ms", "max_interval_ms");
            if let Some(most) = expect["max_delay_ms_inclusive"].as_array() {
                let got: Vec<f64> = waits(curve, &Value::from(1.0 - f64::EPSILON / 2.0), most.len());
                assert_same(id, &got, &numbers(&expect["max_delay_ms_inclusive"]), 0.0);
            } else {
                let (bits, expected) = (number(&given["random_u64"]) as u64, numbers(&expect["delays_ms"]));
                let got: Vec<f64> = (0..expected.len() as u32)
                    .map(|retry| {
                        let range = curve.envoy_range(retry).as_us() / 1000;
                        let r = ((bits % range) as f64 + 0.5) / range as f64;
                        curve.micros(retry, &mut Memory::default(), &mut || r) / 1e3
                    })
                    .collect();
                assert_same(id, &got, &expected, 0.0);
            }
        }
        "backoff.grpc" | "backoff.grpc_legacy" => {
            let library = if mechanism == "backoff.grpc" { Library::Grpc } else { Library::GrpcLegacy };
            let mut curve = over(library.defaults(), "initialBackoff_ms", "maxBackoff_ms");
            curve.multiplier = number(&given["backoffMultiplier"]);
            let expected = numbers(&expect["delays_ms"]);
            // Go counts in nanoseconds.
            assert_same(id, &waits(curve, random, expected.len()), &expected, 1e-6);
        }
        "backoff.polly_v8" => {
            // The file rounds to a ten-thousandth of a millisecond, which is the tick that .NET truncates to.
            let tick = 1e-4 + 1e-9;
            if let Some(attempts) = given["attempts"].as_array() {
                for (kind, library) in [
                    ("Constant", Library::PollyConstant),
                    ("Linear", Library::PollyLinear),
                    ("Exponential", Library::PollyExponential),
                ] {
                    let curve = over(library.defaults(), "base_ms", "max_ms");
                    assert_same(id, &waits(curve, random, attempts.len()), &numbers(&expect[kind]), 0.0);
                }
                return Fate::Ran;
            }
            let library = match (text(&given["type"]), &given["useJitter"]) {
                ("Constant", Value::Bool(true)) => Library::PollyConstantJitter,
                ("Linear", Value::Bool(true)) => Library::PollyLinearJitter,
                ("Constant", _) => Library::PollyConstant,
                ("Linear", _) => Library::PollyLinear,
                ("Exponential", Value::Bool(false)) => Library::PollyExponential,
                _ => Library::PollyExponentialJitter,
            };
            let curve = over(library.defaults(), "base_ms", "max_ms");
            let expected = numbers(&expect["delays_ms"]);
            assert_same(id, &waits(curve, random, expected.len()), &expected, tick);
        }
        "backoff.decorrelated_aws" => {
            let backoff = Backoff {
                strategy: Strategy::Decorrelated,
                base: ms(number(&given["base_ms"])),
                cap: ms(number(&given["cap_ms"])),
                spread: Span::ZERO,
                growth: Backoff::DOUBLES,
            };
            let expected = numbers(&expect["delays_ms"]);
            let (mut memory, mut source) = (Memory::default(), self::given(random));
            let got: Vec<f64> = (0..expected.len() as u32)
                .map(|retry| backoff.wait_from(retry, &mut memory, &mut source).as_ms())
                .collect();
            assert_same(id, &got, &expected, 1e-3);
        }
        "backoff.spring_retry" => {
            let first = expect["first_delay_ms"].as_array();
            let library = if first.is_some() { Library::SpringRetryRandom } else { Library::SpringRetryExponential };
            let mut curve = over(library.defaults(), "initial_ms", "max_ms");
            curve.multiplier = number(&given["multiplier"]);
            if first.is_some() {
                // Each random value gives another first wait.
                let got: Vec<f64> = numbers(random).iter().map(|&r| waits(curve, &Value::from(r), 1)[0]).collect();
                assert_same(id, &got, &numbers(&expect["first_delay_ms"]), 0.0);
            } else {
                let expected = numbers(&expect["delays_ms"]);
                assert_same(id, &waits(curve, random, expected.len()), &expected, 0.0);
            }
        }
        "backoff.cockatiel" => {
            let library = match text(&given["generator"]) {
                "noJitter" => Library::CockatielNoJitter,
                "fullJitter" => Library::CockatielFullJitter,
                "halfJitter" => Library::CockatielHalfJitter,
                other => {
                    assert!(other.starts_with("decorrelatedJitter"), "{id}");
                    Library::Cockatiel
                }
            };
            let mut curve = over(library.defaults(), "initialDelay", "maxDelay");
            curve.multiplier = number(&given["exponent"]);
            let expected = numbers(&expect["delays_ms"]);
            assert_same(id, &waits(curve, random, expected.len()), &expected, 0.0);
        }
        "backoff.resilience4j" => {
            let function = text(&given["fn"]);
            let (name, arguments) = function.split_once('(').unwrap_or((function, ")"));
            let arguments: Vec<f64> = arguments
                .split_once(')')
                .map(|(inside, _)| inside.split(',').filter_map(|a| a.trim().parse().ok()).collect())
                .unwrap_or_default();
            let random = name.ends_with("RandomBackoff") || name == "ofRandomized";
            let mut curve = match name {
                "ofDefaults" | "of" => Library::Resilience4jFixed,
                "ofExponentialBackoff" => Library::Resilience4jExponential,
                "ofExponentialRandomBackoff" | "ofRandomized" => Library::Resilience4jRandom,
                _ => panic!("{id}"),
            }
            .defaults();
            let argument = |n: usize| arguments.get(n).copied();
            curve.base = argument(0).map_or(curve.base, ms);
            if name == "ofRandomized" {
                curve.multiplier = 1.0;
                curve.factor = argument(1).unwrap_or(curve.factor);
            } else {
                curve.multiplier = argument(1).unwrap_or(curve.multiplier);
                if random {
                    curve.factor = argument(2).unwrap_or(curve.factor);
                }
                curve.cap = argument(if random { 3 } else { 2 }).map_or(curve.cap, ms);
            }
            if let Some(observed) = expect["observed_min_max_mean_ms"].as_array() {
                let draws = 200_000;
                for (retry, expected) in (0..).zip(observed) {
                    let (low, high, mean) = spread(curve, retry, draws);
                    let expected = numbers(expected);
                    // The outermost values: floor(x/2) and the like are seen half as often as others, which still
                    // is dozens of times.
                    let last = expected[1] - expected[0] > 4000.0;
                    let near = if last { 1.0 } else { 0.0 };
                    assert!((low - expected[0]).abs() <= near, "{id}: {low}");
                    assert!((high - expected[1]).abs() <= near, "{id}: {high}");
                    // Both means are random, and the file's is rounded.
                    let deviation = (expected[1] - expected[0]) / 12f64.sqrt();
                    let error = 4.0 * (2.0 / draws as f64).sqrt() * deviation + 1.0;
                    assert!((mean - expected[2]).abs() < error, "{id}: {mean} ± {error}");
                }
            } else {
                let expected = numbers(&expect["values_ms"]);
                assert_same(id, &waits(curve, &Value::Null, expected.len()), &expected, 0.0);
            }
        }
        "cockatiel" => return Fate::Skipped("a breaker or bulkhead"),
        "circuit_breaker.resilience4j" => return Fate::Skipped("a breaker or bulkhead"),
        _ => panic!("{id}: nothing here runs {mechanism}"),
    }
    Fate::Ran
}

/// Least, greatest and mean wait before `retry` in milliseconds, over so many keys.
fn spread(curve: LibraryCurve, retry: u32, draws: u64) -> (f64, f64, f64) {
    let stream = Draws::new(11, 3);
    let waits = (0..draws).map(|request| {
        let mut memory = Memory::default();
        (0..=retry).map(|i| curve.wait(i, &mut memory, &mut stream.at(request, 0, i)).as_ms()).last().expect("a wait")
    });
    let (mut low, mut high, mut sum) = (f64::MAX, 0f64, 0.0);
    for wait in waits {
        (low, high, sum) = (low.min(wait), high.max(wait), sum + wait);
    }
    (low, high, sum / draws as f64)
}

/// Runs a file; gives how many ran, and how many were left out for each reason.
fn run_file(name: &str) -> (usize, Vec<(&'static str, usize)>) {
    let file = vector(name);
    let mut ran = 0;
    let mut skipped: Vec<(&'static str, usize)> = Vec::new();
    for v in file["vectors"].as_array().expect("vectors") {
        match run(v) {
            Fate::Ran => ran += 1,
            Fate::Skipped(reason) => match skipped.iter_mut().find(|(r, _)| *r == reason) {
                Some((_, n)) => *n += 1,
                None => skipped.push((reason, 1)),
            },
        }
    }
    skipped.sort_unstable();
    (ran, skipped)
}

/// Every vector that is about a wait agrees, and the others are left out for a reason that is counted.
#[test]
fn vectors() {
    let left_out = vec![("a Retry-After header", 7), ("a budget", 4), ("a rate limit", 1), ("what is retried", 2)];
    assert_eq!(run_file("libraries/backoff.json"), (46, left_out));
    assert_eq!(run_file("libraries/cockatiel.json"), (3, vec![("a breaker or bulkhead", 3)]));
    assert_eq!(run_file("libraries/resilience4j.json"), (7, vec![("a breaker or bulkhead", 9)]));
}

// ---- more of what libraries gave

/// Numbers that the libraries themselves gave (p-retry 9.0.0, retry 0.13.1, cockatiel 4.0.0, tenacity 9.2.1,
/// google-api-core 2.44.0, urllib3 2.7.0, backon 1.6.0, backoff 0.4.0; their generators made to give
/// [`RANDOM`]), for parameters that the vectors do not have: a multiplier that is not 2, caps and floors that cut.
#[test]
fn other_parameters() {
    use Library::*;
    let same = |curve: LibraryCurve, expected: &[f64]| {
        assert_same(curve.library.key(), &waits(curve, &Value::from(RANDOM.to_vec()), expected.len()), expected, 1e-9);
    };
    let with = |library: Library, multiplier: f64, base_ms: f64, cap_ms: f64| LibraryCurve {
        multiplier,
        ..library.defaults().with(ms(base_ms), ms(cap_ms))
    };
    same(
        with(Cockatiel, 1.5, 333.0, 2000.0),
        &[
            138.6475590976144,
            371.13839366316887,
            79.55756290632998,
            497.789709626723,
            387.0365841383374,
            338.92735533199055,
            2000.0,
            1135.8115637912842,
        ],
    );
    let doubling = |library| with(library, 1.5, 333.0, 2000.0);
    same(doubling(CockatielNoJitter), &[333.0, 666.0, 1332.0, 2000.0, 2000.0, 2000.0, 2000.0, 2000.0]);
    same(doubling(CockatielFullJitter), &[33.0, 599.0, 333.0, 1500.0, 1000.0, 20.0, 1980.0, 1200.0]);
    same(doubling(CockatielHalfJitter), &[183.0, 632.0, 832.0, 1750.0, 1500.0, 1010.0, 1990.0, 1600.0]);
    let list = LibraryCurve { calls: 9, ..with(NpmRetryRandomize, 1.1, 333.0, 600.0) };
    same(list, &[366.0, 504.0, 542.0, 600.0, 600.0, 600.0, 600.0, 600.0]);
    same(with(NpmRetry, 1.5, 0.0, 6.0), &[1.0, 2.0, 2.0, 3.0, 5.0, 6.0, 6.0, 6.0]);
    same(with(PRetryRandomize, 1.5, 333.0, 2000.5), &[366.0, 949.0, 937.0, 1967.0, 2001.0, 2001.0, 2001.0, 2001.0]);
    let floor = |library| LibraryCurve { floor: Span::ms(400), ..with(library, 1.5, 333.0, 2000.0) };
    same(floor(Tenacity), &[400.0, 499.5, 749.25, 1123.875, 1685.8125, 2000.0, 2000.0, 2000.0]);
    same(floor(TenacityRandom), &[400.0, 489.55, 487.3125, 942.90625, 1042.90625, 416.0, 1984.0, 1360.0]);
    same(
        LibraryCurve { factor: 500.0 / 333.0, ..floor(TenacityExponentialJitter) },
        &[400.0, 949.5, 874.25, 1498.875, 1935.8125, 2000.0, 2000.0, 2000.0],
    );
    same(
        with(GoogleApiCore, 1.5, 333.0, 2000.0),
        &[33.3, 449.55, 187.3125, 842.90625, 842.90625, 20.0, 1980.0, 1200.0],
    );
    same(
        LibraryCurve { factor: 500.0 / 333.0, ..with(Urllib3, 2.0, 333.0, 2000.0) },
        &[0.0, 716.0, 1782.0, 2000.0, 2000.0, 2000.0, 2000.0, 2000.0],
    );
    same(
        with(Backon, 1.3, 333.0, 2000.0),
        &[333.0, 432.899982, 562.769949, 731.600881, 951.081097, 1236.405373, 1607.326984, 2000.0, 2000.0],
    );
    same(with(Backon, 2.0, 3000.0, 2000.0), &[3000.0, 2000.0, 2000.0]);
    same(with(BackonFibonacci, 2.0, 333.0, 2000.0), &[333.0, 333.0, 666.0, 999.0, 1665.0, 2664.0, 2664.0, 2664.0]);
    let waits = waits(LibraryCurve { factor: 0.0, ..with(Cenkalti, 1.3, 333.0, 2000.0) }, &Value::from(0.0), 9);
    assert_same(
        "cenkalti",
        &waits,
        &[333.0, 432.9, 562.77, 731.601, 951.0813, 1236.40569, 1607.327397, 2000.0, 2000.0],
        1e-9,
    );
}
const RANDOM: [f64; 8] = [0.1, 0.9, 0.25, 0.75, 0.5, 0.01, 0.99, 0.6];

/// What is counted in whole milliseconds, from 1, and Envoy's rule at exactly half of an odd cap.
#[test]
fn whole_milliseconds() {
    use Library::*;
    for library in Library::ALL {
        let curve = library.defaults().with(Span::us(3_300), Span::us(90_700));
        let whole = |curve: &LibraryCurve| {
            let mut memory = Memory::default();
            (0..20).all(|i| curve.wait(i, &mut memory, &mut Draws::new(1, 1).at(5, 5, i)).as_us().is_multiple_of(1000))
        };
        let expected = matches!(
            library,
            PRetry
                | PRetryRandomize
                | CockatielFullJitter
                | CockatielHalfJitter
                | AwsJs
                | AwsJsClassic
                | Resilience4jFixed
                | Resilience4jExponential
                | Resilience4jRandom
                | SpringRetryFixed
                | SpringRetryExponential
                | SpringRetryRandom
                | Envoy
        );
        assert_eq!(whole(&curve), expected, "{}", library.key());
    }
    for library in [Resilience4jFixed, Resilience4jExponential, SpringRetryFixed, SpringRetryExponential] {
        let curve = library.defaults().with(Span::ZERO, Span::ZERO);
        assert_eq!(curve.wait(3, &mut Memory::default(), &mut Draws::new(1, 1).at(1, 1, 1)), Span::ms(1));
    }
    let widths = |base, cap| {
        let curve = Envoy.defaults().with(base, cap);
        [0, 1, 2, 3, 4, 5].map(|retry| curve.envoy_range(retry).as_us())
    };
    assert_eq!(widths(Span::ms(25), Span::ms(250)), [25, 50, 100, 200, 250, 250].map(|ms| ms * 1000));
    assert_eq!(widths(Span::ms(5), Span::ms(11)), [5, 11, 11, 11, 11, 11].map(|ms| ms * 1000));
    assert_eq!(widths(Span::us(300), Span::us(4_900)), [1, 2, 4, 4, 4, 4].map(|ms| ms * 1000));
    assert_eq!(widths(Span::ms(300), Span::ms(100)), [100; 6].map(|ms| ms * 1000));
}

// ---- names

/// Links carry keys: none may change, and new ones go to the end of their library.
#[test]
fn keys_are_the_same_for_ever() {
    let keys: Vec<&str> = Strategy::ALL.into_iter().map(Strategy::key).collect();
    assert_eq!(keys.join(" "), KEYS.split_whitespace().collect::<Vec<_>>().join(" "));
    for strategy in Strategy::ALL {
        assert_eq!(Strategy::from_key(strategy.key()), Some(strategy));
    }
    for (i, library) in Library::ALL.into_iter().enumerate() {
        assert_eq!(library as usize, i);
        assert_eq!(Library::from_key(library.key()), Some(library));
        assert_eq!(library.defaults().library, library);
        assert!(library.defaults().calls >= 2);
        assert_ne!(library.evidence(), Evidence::Documented);
    }
    assert_eq!(Strategy::from_key("nonsense"), None);
    let mut names: Vec<&str> = Strategy::ALL.into_iter().map(Strategy::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Strategy::ALL.len(), "two strategies of one name");
}
const KEYS: &str = "none additive equal full decorrelated
    polly_constant polly_constant_jitter polly_linear polly_linear_jitter polly_exponential polly_exponential_jitter
    cockatiel cockatiel_no_jitter cockatiel_full_jitter cockatiel_half_jitter
    p_retry p_retry_randomize npm_retry npm_retry_randomize
    aws_js aws_js_classic botocore botocore_classic botocore_legacy
    resilience4j_fixed resilience4j_exponential resilience4j_random
    spring_retry_fixed spring_retry_exponential spring_retry_random
    grpc grpc_legacy envoy linkerd tower backon backon_jitter backon_fibonacci cenkalti again again_jitter
    failsafe_go failsafe_go_jitter google_api_core urllib3
    tenacity tenacity_random tenacity_exponential_jitter";

// ---- bounds

/// A span of any order of magnitude, extremes included.
fn any_span(draw: &mut Draw) -> Span {
    const EXTREMES: [u64; 8] = [0, 1, 999, 1000, 1001, 1 << 53, u64::MAX / 2, u64::MAX];
    match draw.below(4) {
        0 => Span::us(EXTREMES[draw.below(EXTREMES.len() as u64) as usize]),
        1 => Span::ms(draw.below(100_000)),
        _ => Span::us(draw.bits() >> draw.below(64)),
    }
}

/// What the library promises at most before retry `i`, in microseconds: worked out from its documented formula, without
/// its steps and roundings.
fn longest(curve: &LibraryCurve, i: u32) -> f64 {
    use Library::*;
    let us = |span: Span| span.as_us() as f64;
    let (base, cap) = (us(curve.base), us(curve.cap));
    // For those that count whole milliseconds, from 1.
    let (base_ms, cap_ms) = (base.max(1e3), cap.max(1e3));
    let twice = 2f64.powi(i as i32);
    let power = curve.multiplier.powi(i as i32);
    let times = |base: f64, by: f64| if base == 0.0 { 0.0 } else { base * by };
    match curve.library {
        PollyConstant => cap.min(base),
        PollyConstantJitter => cap.min(1.25 * base),
        PollyLinear => cap.min(base * f64::from(i + 1)),
        PollyLinearJitter => cap.min(1.25 * base * f64::from(i + 1)),
        PollyExponentialJitter | Cockatiel => cap.min(times(base, 2.0 * twice / 1.4)),
        PollyExponential | CockatielNoJitter | CockatielFullJitter | CockatielHalfJitter | AwsJs | AwsJsClassic
        | Botocore | BotocoreClassic | BotocoreLegacy | Again | AgainJitter => cap.min(times(base, twice)),
        PRetry => (cap + 1e3).min(times(base, power) + 500.0),
        PRetryRandomize => (cap + 1e3).min(2.0 * times(base, power) + 500.0),
        NpmRetry => cap.min(base_ms * power + 500.0),
        // The sorted list's i-th is at most what is drawn for i.
        NpmRetryRandomize => cap.min(2.0 * base_ms * power + 500.0),
        Resilience4jFixed | SpringRetryFixed => base_ms,
        Resilience4jExponential | SpringRetryExponential => cap_ms.min(base_ms * power),
        Resilience4jRandom => cap_ms.min(1.5 * base_ms * power + 1e3),
        SpringRetryRandom => cap_ms.min(2.0 * base_ms * power),
        Grpc => 1.2 * cap.min(times(base, power)),
        GrpcLegacy | GoogleApiCore | Tenacity | TenacityRandom | FailsafeGo => cap.min(times(base, power)),
        FailsafeGoJitter => 1.1 * cap.min(times(base, power)),
        Envoy => cap_ms.min((base_ms + 1e3) * twice),
        Linkerd | Tower => cap.min(times(base, 2.0 * twice)),
        // These wait a base above the cap.
        Backon => cap.max(base).min(times(base, power)),
        BackonJitter => 2.0 * cap.max(base).min(times(base, power)),
        BackonFibonacci => (2.0 * cap).max(base).min(times(base, twice)),
        Cenkalti => 1.5 * cap.max(base).min(times(base, power)),
        Urllib3 => cap.min(if i == 0 { 0.0 } else { times(base, twice) }),
        TenacityExponentialJitter => cap.min(times(base, power) + base),
    }
}

/// No wait is longer than the library's promise, whatever the base and the cap; and none panics.
#[test]
fn never_above_the_bound() {
    for library in Library::ALL {
        for case in 0..200 {
            let mut draw = Draws::new(5, library as u64).at(case, 0, 0);
            let curve = library.defaults().with(any_span(&mut draw), any_span(&mut draw));
            let mut memory = Memory::default();
            for retry in 0..=200 {
                let wait = curve.wait(retry, &mut memory, &mut Draws::new(6, 1).at(case, 0, retry));
                assert_eq!(memory.previous, wait);
                let bound = longest(&curve, retry);
                // Single precision, and numbers beyond 2⁵³, are good to seven digits at least.
                assert!(
                    wait.as_us() as f64 <= bound * (1.0 + 1e-6) + 1.0,
                    "{}: {wait:?} > {bound} at {retry} of {curve:?}",
                    library.key()
                );
            }
            let _ = curve.wait(u32::MAX, &mut memory, &mut draw);
        }
    }
}

/// Multipliers nobody would set, and jitter of any width: no panic.
#[test]
fn strange_parameters() {
    for library in Library::ALL {
        for multiplier in [0.0, 0.5, 1.0, 1.001, 1e300, f64::INFINITY, -2.0, f64::NAN] {
            for factor in [0.0, 1.0, 3.0, 1e30, -1.0, f64::NAN] {
                for calls in [0, 1, 2, 70, u32::MAX] {
                    let curve = LibraryCurve { multiplier, factor, calls, ..library.defaults() };
                    let curve = curve.with(Span::ms(100), Span::s(10));
                    let mut memory = Memory::default();
                    for retry in [0, 1, 2, 10, 63, 64, 65, 200] {
                        curve.wait(retry, &mut memory, &mut Draws::new(6, 1).at(1, 0, retry));
                    }
                }
            }
        }
    }
}

/// Curves without jitter: what they wait, without regard to luck, and never less than before.
#[test]
fn without_jitter() {
    use Library::*;
    let none = || -> f64 { panic!("drew a random value") };
    let expected: [(Library, [u64; 8]); 16] = [
        (PollyConstant, [100; 8]),
        (PollyLinear, [100, 200, 300, 400, 500, 600, 700, 800]),
        (PollyExponential, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (CockatielNoJitter, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (PRetry, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (NpmRetry, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (Resilience4jFixed, [100; 8]),
        (Resilience4jExponential, [100, 150, 225, 337, 505, 757, 1000, 1000]),
        (SpringRetryFixed, [100; 8]),
        (SpringRetryExponential, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (Backon, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (BackonFibonacci, [100, 100, 200, 300, 500, 800, 1300, 1300]),
        (Again, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (FailsafeGo, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (Urllib3, [0, 200, 400, 800, 1000, 1000, 1000, 1000]),
        (Tenacity, [100, 200, 400, 800, 1000, 1000, 1000, 1000]),
    ];
    for (library, expected) in expected {
        let curve = library.defaults().with(Span::ms(100), Span::s(1));
        let waits: Vec<Span> = (0..8)
            .map(|retry| Span::from_us_f64(curve.micros(retry, &mut Memory::default(), &mut none.clone())))
            .collect();
        assert_eq!(waits, expected.map(Span::ms), "{}", library.key());
        for base in [Span::us(12_345), Span::us(u64::MAX / 2)] {
            let curve = curve.with(base, Span::MAX);
            let all = (0..=200)
                .map(|retry| Span::from_us_f64(curve.micros(retry, &mut Memory::default(), &mut none.clone())));
            assert!(all.is_sorted(), "{} from {base:?}", library.key());
        }
    }
}

/// Every other curve's range before retries 0 to 3, in milliseconds for a base of 100 ms and a cap of 500 ms: reached
/// nearly at both ends, left at none, and even (but for what the cap cuts off).
#[test]
fn jitter_covers_its_range() {
    use Library::*;
    let ranges: [(Library, [[f64; 2]; 4]); 24] = [
        (PollyConstantJitter, [[75.0, 125.0]; 4]),
        (PollyLinearJitter, [[75.0, 125.0], [150.0, 250.0], [225.0, 375.0], [300.0, 500.0]]),
        (CockatielFullJitter, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (CockatielHalfJitter, [[50.0, 100.0], [100.0, 200.0], [200.0, 400.0], [250.0, 500.0]]),
        (PRetryRandomize, [[100.0, 200.0], [200.0, 400.0], [400.0, 800.0], [800.0, 1600.0]]),
        (NpmRetryRandomize, [[100.0, 200.0], [200.0, 400.0], [400.0, 800.0], [800.0, 1600.0]]),
        (AwsJs, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (AwsJsClassic, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 800.0]]),
        (Botocore, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (BotocoreClassic, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (BotocoreLegacy, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (Resilience4jRandom, [[50.0, 151.0], [75.0, 226.0], [112.5, 338.5], [168.5, 506.5]]),
        (SpringRetryRandom, [[100.0, 200.0], [200.0, 400.0], [400.0, 800.0], [500.0, 1000.0]]),
        (Grpc, [[80.0, 120.0], [160.0, 240.0], [320.0, 480.0], [400.0, 600.0]]),
        (GrpcLegacy, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (Envoy, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (Linkerd, [[100.0, 200.0], [200.0, 400.0], [400.0, 800.0], [500.0, 500.0]]),
        (Tower, [[100.0, 199.0], [200.0, 398.0], [400.0, 796.0], [500.0, 500.0]]),
        (BackonJitter, [[100.0, 200.0], [200.0, 400.0], [400.0, 800.0], [500.0, 1000.0]]),
        (Cenkalti, [[50.0, 150.0], [75.0, 225.0], [112.5, 337.5], [168.75, 506.25]]),
        (AgainJitter, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 800.0]]),
        (FailsafeGoJitter, [[90.0, 110.0], [180.0, 220.0], [360.0, 440.0], [450.0, 550.0]]),
        (GoogleApiCore, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
        (TenacityRandom, [[0.0, 100.0], [0.0, 200.0], [0.0, 400.0], [0.0, 500.0]]),
    ];
    let cap_last = [
        PollyLinearJitter,
        PRetryRandomize,
        NpmRetryRandomize,
        AwsJsClassic,
        Resilience4jRandom,
        SpringRetryRandom,
        Linkerd,
        Tower,
        AgainJitter,
    ];
    let whole_ms = [CockatielFullJitter, CockatielHalfJitter, AwsJs, AwsJsClassic, Envoy, AgainJitter];
    for (library, ranges) in ranges {
        let curve = library.defaults().with(Span::ms(100), Span::ms(500));
        for (retry, [low, high]) in (0..).zip(ranges) {
            covers(&curve, retry, low, high, if cap_last.contains(&library) { 500.0 } else { 1e9 }, {
                // Rounded down, the mean lies half a millisecond lower.
                if whole_ms.contains(&library) { 0.5 } else { 0.0 }
            });
        }
    }
    // Where doubling leaves the scale it is the cap, without jitter.
    for library in [Tower, Linkerd] {
        let curve = library.defaults().with(Span::us(u64::MAX / 2), Span::MAX);
        assert_eq!(curve.wait(100, &mut Memory::default(), &mut Draws::new(1, 1).at(1, 1, 1)), Span::MAX);
    }
    let curve = TenacityExponentialJitter.defaults().with(Span::ms(100), Span::ms(850));
    for (retry, low) in (0..).zip([100.0, 200.0, 400.0, 800.0]) {
        covers(&curve, retry, low, low + 100.0, 850.0, 0.0);
    }
    let curve = LibraryCurve { factor: 0.5, ..Urllib3.defaults() }.with(Span::ms(100), Span::ms(850));
    for (retry, low) in (1..).zip([200.0, 400.0, 800.0]) {
        covers(&curve, retry, low, low + 50.0, 850.0, 0.0);
    }
    let curve = LibraryCurve { floor: Span::ms(30), ..TenacityRandom.defaults() }.with(Span::ms(100), Span::ms(850));
    covers(&curve, 0, 30.0, 100.0, 850.0, 0.0);
}

/// 10 000 keys: within [low, min(cap, high)), within a hundredth of the range of both ends, and with the mean of
/// min(cap, U(low, high)) less `lower`, within four standard errors and a microsecond.
fn covers(curve: &LibraryCurve, retry: u32, low: f64, high: f64, cap: f64, lower: f64) {
    let keys = 10_000;
    let (least, most, mean) = spread(*curve, retry, keys);
    let what = format!("{} at {retry}: {least}..{most} around {mean}", curve.library.key());
    let near = (high - low) / 100.0 + 1.0;
    assert!(least >= low.min(cap).floor() && least <= low.min(cap) + near, "{what}");
    assert!(most <= high.min(cap) && most >= high.min(cap) - near, "{what}");
    let width = high - low;
    let expected = if high <= cap || width == 0.0 {
        (low + high).min(2.0 * cap) / 2.0
    } else if low >= cap {
        cap
    } else {
        let below = (cap - low) / width;
        below * (low + cap) / 2.0 + (1.0 - below) * cap
    };
    // A half of a millisecond where whole ones are counted from a range that is not whole.
    let rounding =
        if matches!(curve.library, Library::Resilience4jRandom | Library::SpringRetryRandom) { 0.6 } else { 1e-3 };
    let error = 4.0 * width / 12f64.sqrt() / (keys as f64).sqrt() + rounding;
    assert!((mean - (expected - lower)).abs() <= error, "{what}, expected {expected} − {lower} ± {error}");
}

/// Decorrelated jitter V2: its range, and its mean by numerical integration.
#[test]
fn decorrelated_v2() {
    let f = |t: f64| 2f64.powf(t) * (4.0 * t).sqrt().tanh();
    // The mean of f over [i, i + 1), by the midpoint rule.
    let mean = |i: u32| (0..100_000).map(|k| f(f64::from(i) + (f64::from(k) + 0.5) / 1e5)).sum::<f64>() / 1e5;
    for library in [Library::PollyExponentialJitter, Library::Cockatiel] {
        let curve = library.defaults().with(Span::ms(100), Span::MAX);
        for retry in 0..4 {
            let (least, most, got) = spread(curve, retry, 10_000);
            let scale = 100.0 / 1.4;
            let before = if retry == 0 { 0.0 } else { f(f64::from(retry - 1)) };
            let top = scale * (f(f64::from(retry) + 1.0) - before);
            // From the second retry on an end takes two draws at opposite ends.
            assert!(least >= 0.0 && least < 0.1 * top, "{retry}: {least}");
            assert!(most < top && most > 0.9 * top, "{retry}: {most} < {top}");
            let expected = scale * (mean(retry) - if retry == 0 { 0.0 } else { mean(retry - 1) });
            let error = 4.0 * top / 12f64.sqrt() / 100.0;
            assert!((got - expected).abs() < error, "{retry}: {got} instead of {expected} ± {error}");
        }
    }
}

/// npm's retry: one list a client, ascending, whichever draw the later retries bring; its i-th value is an order
/// statistic.
#[test]
fn npm_retry_sorts_its_list() {
    let curve = LibraryCurve { multiplier: 1.0, ..Library::NpmRetryRandomize.defaults() };
    let curve = curve.with(Span::ms(1000), Span::MAX);
    let clients = 10_000;
    let mut sums = [0.0; 10];
    for client in 0..clients {
        let wait = |salt| {
            let mut memory = Memory::default();
            let stream = Draws::new(3, 3);
            let draw = |i| stream.at(client, if i == 0 { 0 } else { salt }, i);
            (0..10).map(|i| curve.wait(i, &mut memory, &mut draw(i))).collect::<Vec<Span>>()
        };
        let waits = wait(0);
        assert_eq!(waits, wait(1), "the list is drawn before the first wait");
        assert!(waits.is_sorted());
        assert!(waits[0] >= Span::ms(1000) && waits[9] <= Span::ms(2000));
        waits.iter().zip(&mut sums).for_each(|(wait, sum)| *sum += wait.as_ms());
    }
    for (i, sum) in sums.iter().enumerate() {
        let expected = 1000.0 * (1.0 + (i + 1) as f64 / 11.0);
        let mean = sum / clients as f64;
        // An order statistic of ten deviates by at most 144 ms.
        assert!((mean - expected).abs() < 4.0 * 144.0 / 100.0, "{i}: {mean} instead of {expected}");
    }
}

// ---- the textbook's

const BASE: Span = Span::ms(100);
const CAP: Span = Span::s(10);
const SPREAD: Span = Span::ms(100);

fn textbook(strategy: Strategy) -> Backoff {
    Backoff { strategy, base: BASE, cap: CAP, spread: SPREAD, growth: Backoff::DOUBLES }
}

/// Without jitter: 100, 200, … 6400 ms, then 10 s; nine retries last 32.7 s.
#[test]
fn doubling() {
    let backoff = textbook(Strategy::NoJitter);
    let wait = |retry| backoff.wait(retry, &mut Memory::default(), &mut Draws::new(1, 1).at(0, 0, retry));
    let waits: Vec<Span> = (0..9).map(wait).collect();
    assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map(Span::ms));
    assert_eq!(waits.into_iter().fold(Span::ZERO, |sum, wait| sum + wait), Span::ms(32_700));
    assert_eq!([9, 63, 64, 65, 200, u32::MAX].map(wait), [CAP; 6]);
}

/// Each formula exactly, from the same draw.
#[test]
fn textbook_formulas() {
    for key in 0..1000 {
        for retry in 0..12 {
            let t = Span::ms(100u64 << retry).min(CAP);
            let draw = || Draws::new(2, 2).at(key, 0, retry);
            let wait = |strategy| textbook(strategy).wait(retry, &mut Memory::default(), &mut draw());
            assert_eq!(wait(Strategy::NoJitter), t);
            assert_eq!(wait(Strategy::Additive), t + draw().span(SPREAD));
            assert_eq!(wait(Strategy::Equal), t / 2 + draw().span(t / 2));
            assert_eq!(wait(Strategy::Full), draw().span(t));
            assert!((t..t + SPREAD).contains(&wait(Strategy::Additive)));
            assert!((t / 2..t).contains(&wait(Strategy::Equal)));
            assert!((Span::ZERO..t).contains(&wait(Strategy::Full)));
        }
    }
}

/// Decorrelated: between base and three times the previous wait, at most the cap; the first at most three times base.
#[test]
fn decorrelated() {
    let backoff = textbook(Strategy::Decorrelated);
    let mut capped = 0;
    for key in 0..1000 {
        let mut memory = Memory { previous: Span::s(9), ..Memory::default() };
        let mut previous = BASE;
        for retry in 0..20 {
            let draw = || Draws::new(2, 3).at(key, 0, retry);
            let wait = backoff.wait(retry, &mut memory, &mut draw());
            assert_eq!(wait, (BASE + draw().span((previous * 3).saturating_sub(BASE))).min(CAP));
            assert!(wait >= BASE && wait <= CAP.min(previous * 3), "{wait:?} after {previous:?}");
            assert_eq!(memory.previous, wait);
            capped += u32::from(wait == CAP);
            previous = wait;
        }
    }
    assert!(capped > 1000, "{capped}");
}

/// Over many keys the random ones cover their range, evenly.
#[test]
fn textbook_ranges() {
    let keys = 10_000;
    for (strategy, low, high) in
        [(Strategy::Additive, 400.0, 500.0), (Strategy::Equal, 200.0, 400.0), (Strategy::Full, 0.0, 400.0)]
    {
        let wait =
            |key| textbook(strategy).wait(2, &mut Memory::default(), &mut Draws::new(4, 4).at(key, 0, 2)).as_ms();
        let (mut least, mut most, mut sum) = (f64::MAX, 0f64, 0.0);
        (0..keys).map(wait).for_each(|w| (least, most, sum) = (least.min(w), most.max(w), sum + w));
        let range = high - low;
        assert!(least >= low && least < low + range / 100.0, "{strategy:?}: {least}");
        assert!(most < high && most > high - range / 100.0, "{strategy:?}: {most}");
        let error = 4.0 * range / 12f64.sqrt() / (keys as f64).sqrt();
        assert!((sum / keys as f64 - (low + high) / 2.0).abs() < error, "{strategy:?}: {}", sum / keys as f64);
    }
}

/// No panic at the ends of the scale, and nothing above what the formula allows.
#[test]
fn textbook_extremes() {
    for case in 0..2000 {
        let mut draw = Draws::new(8, 8).at(case, 0, 0);
        let (base, cap, spread) = (any_span(&mut draw), any_span(&mut draw), any_span(&mut draw));
        for strategy in Strategy::TEXTBOOK {
            let backoff = Backoff { strategy, base, cap, spread, growth: Backoff::DOUBLES };
            let mut memory = Memory::default();
            for retry in 0..=200 {
                let wait = backoff.wait(retry, &mut memory, &mut Draws::new(8, 9).at(case, 0, retry));
                let most = if strategy == Strategy::Additive { cap + spread } else { cap };
                assert!(wait <= most, "{backoff:?} at {retry}: {wait:?}");
            }
        }
    }
}

/// A library's curve as a strategy is its curve over the strategy's base and cap.
#[test]
fn libraries_as_strategies() {
    for library in Library::ALL {
        let backoff = Backoff {
            strategy: Strategy::Library(library),
            base: BASE,
            cap: CAP,
            spread: SPREAD,
            growth: Backoff::DOUBLES,
        };
        let curve = library.defaults().with(BASE, CAP);
        let (mut memories, mut given) = ([Memory::default(); 2], Memory::default());
        for retry in 0..20 {
            let draw = || Draws::new(9, 9).at(1, 2, retry);
            let wait = backoff.wait(retry, &mut memories[0], &mut draw());
            assert_eq!(wait, curve.wait(retry, &mut memories[1], &mut draw()));
            assert_eq!(memories[0], memories[1]);
            if ![Library::NpmRetryRandomize, Library::AgainJitter].contains(&library) {
                let mut draw = draw();
                assert_eq!(wait, backoff.wait_from(retry, &mut given, &mut || draw.unit()), "{}", library.key());
            }
        }
    }
}
