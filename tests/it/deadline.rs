//! Card `deadline` and the parts below it against their vectors, an independent model, and the mechanisms one by one.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::deadline::tree::{self, Call, Carry, End, Host, Step, Stop, Trace};
use overload_sim::deadline::wire;
use overload_sim::draw::Draws;
use overload_sim::page_cache::PageCache;
use overload_sim::time::{Span, Time};
use serde_json::{Value, json};

use crate::support::{Ran, Shuffle, changed, pairs, vector};

fn card() -> &'static dyn Card {
    find("deadline").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

#[track_caller]
fn check(setup: &str, changes: &str, expected: &[(&str, f64)]) {
    let ran = ran(setup, changes);
    for (key, value) in expected {
        assert_eq!(ran.find(key), Some(*value), "{setup}&{changes}: {key}");
    }
}

/// How the request as set ended, in the words of the vectors; and A, B and C.
fn ended(ran: &Ran) -> (String, [Option<&'static str>; 3]) {
    let status = ran.outcome.rows(&ran.plan, "end").next().expect("an end")[1] as usize;
    let mut parts = [None; 3];
    for call in ran.outcome.rows(&ran.plan, "calls").filter(|c| c[0] == 0.0) {
        // Rows: client, API, A, B, C.
        let ends = [Some("done"), Some("error"), Some("timeout"), Some("skip"), Some("client")];
        parts[call[1] as usize - 2] = ends[call[7] as usize];
    }
    let words = match status {
        0 => "full".into(),
        1 => "partial".into(),
        2 if parts[0] == Some("done") => "failed:B".into(),
        2 => "failed:A".into(),
        _ => "client closed".into(),
    };
    (words, parts)
}

/// The knob of each parameter of the vectors, all in milliseconds.
fn knob(param: &str) -> &str {
    match param {
        "A" => "a_takes",
        "B" => "b_takes",
        "C" => "c_takes",
        "capA" => "limit_a",
        "capB" => "limit_b",
        "capC" => "limit_c",
        "total" => "total",
        "minLeft" | "skip" | "least" => "least",
        "clientAbort" => "leaves=on&leave_at",
        other => panic!("unknown parameter {other}"),
    }
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/deadline.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 27, "{} points", points.len());
    for point in points {
        let params = point["params"].as_object().expect("parameters");
        let changes: Vec<String> = params.iter().map(|(key, value)| format!("{}={value}", knob(key))).collect();
        let ran = ran("article", &changes.join("&"));
        let expect = &point["expect"];
        assert_eq!(Some(ran.get("took")), expect["tookMs"].as_f64(), "{params:?}");
        let (status, parts) = ended(&ran);
        let same = expect["status"].as_str().expect("a status");
        assert!(status == same || status == format!("{same} closed"), "{params:?}: {status}, not {same}");
        if let Some(expected) = expect["parts"].as_object() {
            for (part, key) in parts.iter().zip(["A", "B", "C"]) {
                assert_eq!(json!(part), expected[key], "{params:?}: {key}");
            }
        }
    }
    for figure in file["figures"].as_array().expect("figures") {
        let (setup, key) = match figure["name"].as_str().expect("a name") {
            "took ms" => ("article", "took"),
            "A done" => ("article", "a_took"),
            "B done" => ("article", "b_took"),
            "handler stopped after disconnect" => ("disconnect", "took"),
            other => panic!("unknown figure {other}"),
        };
        assert_eq!(Some(ran(setup, "").get(key)), figure["oracle"].as_f64(), "{key}");
    }
}

#[test]
fn vectors_of_the_libraries() {
    let file = vector("libraries/deadlines.json");
    let all = file["vectors"].as_array().expect("vectors");
    assert!(all.len() >= 15);
    for v in all {
        let (id, given, expect) = (v["id"].as_str().expect("an id"), &v["given"], &v["expect"]);
        match v["mechanism"].as_str().expect("a mechanism") {
            "deadline.grpc" => match (&given["timeout_ns"], &given["header"]) {
                (Value::Number(ns), _) => {
                    assert_eq!(expect["header"], wire::encode(ns.as_i64().expect("nanoseconds")), "{id}");
                }
                (_, Value::String(header)) => match wire::decode(header) {
                    Ok(ns) => assert_eq!(expect["timeout_ns"].as_u64(), Some(ns), "{id}"),
                    Err(malformed) => assert_eq!(expect["error"], malformed.to_string(), "{id}"),
                },
                _ => panic!("{id}: {given}"),
            },
            "deadline.article" => {
                let ms = |name: &str, key: &str| given[name][key].as_u64().expect("a number");
                let mut changes = format!("total={}", given["deadline_ms"]);
                for (name, takes, limit) in
                    [("A", "a_takes", "limit_a"), ("B", "b_takes", "limit_b"), ("C", "c_takes", "limit_c")]
                {
                    changes += &format!("&{takes}={}&{limit}={}", ms(name, "takes"), ms(name, "perCall"));
                }
                let ran = ran("article", &changes);
                assert_eq!(ended(&ran), ("partial".into(), [Some("done"), Some("done"), Some("timeout")]), "{id}");
                assert_eq!((ran.get("took"), ran.get("missing")), (1_600.0, 1.0), "{id}");
            }
            "deadline.envoy" => envoy(id, given, expect),
            other => panic!("{id}: {other}"),
        }
    }
}

/// A route of Envoy's, through the card. Envoy writes a missing timeout as 0, this card too.
fn envoy(id: &str, given: &Value, expect: &Value) {
    let ms = |key: &str| given[key].as_f64().map_or(0, |s| (s * 1e3) as u64);
    assert_eq!(given["upstream"], "hangs", "{id}");
    let changes = format!(
        "route={}&per_try={}&retries={}&base={}&answer=120000",
        ms("timeout_s"),
        ms("per_try_timeout_s"),
        given["num_retries"],
        given["backoff_ms"].as_u64().unwrap_or(25),
    );
    let ran = ran("gateway", &changes);
    assert_eq!(Some(ran.get("tries")), expect["attempts"].as_f64(), "{id}");
    assert_eq!(Some(ran.get("took") / 1e3), expect["at_s"].as_f64(), "{id}");
    assert_eq!(ran.outcome.rows(&ran.plan, "end").next().map(|r| r[1]), Some(2.0), "{id}: a 504");
}

/// What grpc-go does beyond the vectors: rounding up, the eight digits, hours that overflow, strictness.
#[test]
fn grpc_timeout() {
    for (ns, header) in [
        (-1, "0n"),
        (1, "1n"),
        (99_999_999, "99999999n"),
        (100_000_000, "100000u"),
        (100_000_001, "100001u"),
        (99_999_999_001, "100000m"),
        (99_999_999_000_000, "99999999m"),
        (99_999_999_000_001, "100000S"),
        (99_999_999_000_000_000, "99999999S"),
        (99_999_999_000_000_001, "1666667M"),
        (i64::MAX, "153722868M"),
    ] {
        let expected = if ns == i64::MAX { "2562048H" } else { header };
        // 2⁶³ ns are 153,722,867.3 minutes: more than eight digits.
        assert_eq!(wire::encode(ns), expected, "{ns}");
        let back = wire::decode(expected).expect("its own header");
        assert!(back >= ns.max(0).cast_unsigned(), "{ns}: rounded down to {back}");
    }
    for (text, message) in [
        ("", "transport: timeout string is too short: \"\""),
        ("1", "transport: timeout string is too short: \"1\""),
        ("123456789n", "transport: timeout string is too long: \"123456789n\""),
        ("1h", "transport: timeout unit is not recognized: \"1h\""),
        ("-1S", "strconv.ParseUint: parsing \"-1\": invalid syntax"),
        ("+1S", "strconv.ParseUint: parsing \"+1\": invalid syntax"),
        ("1 S", "strconv.ParseUint: parsing \"1 \": invalid syntax"),
    ] {
        assert_eq!(wire::decode(text).map_err(|e| e.to_string()), Err(message.into()), "{text}");
    }
    assert_eq!(wire::decode("99999999H"), Ok(i64::MAX as u64));
    assert_eq!(wire::decode("1H"), Ok(3_600_000_000_000));
    assert_eq!(wire::received(Span::ms(900)), Span::ms(900));
}

#[test]
fn a_moment_by_two_clocks() {
    let at = Time::us(1_900_700);
    // Whole milliseconds, rounded down.
    assert_eq!(wire::epoch_ms(at, 0), 1_900);
    assert_eq!(wire::by_clock(wire::epoch_ms(at, 0), 0), Time::us(1_900_000));
    assert_eq!(wire::by_clock(1_900, 1_200_000), Time::us(700_000));
    assert_eq!(wire::by_clock(1_900, -1_000_000), Time::us(2_900_000));
    assert_eq!(wire::by_clock(1_900, 5_000_000), Time::ZERO);
    assert_eq!(wire::epoch_ms(Time::ZERO, -500), -1);
}

/// The article's API without events: A, then B and C, each cut, skipped or done; nobody told, or all.
fn model(k: &[u64; 8]) -> (u64, &'static str, u64) {
    let [total, a, b, c, cap_a, cap_b, cap_c, least] = *k;
    let one = |at: u64, takes: u64, cap: u64| {
        let timeout = cap.min(total.saturating_sub(at));
        if timeout <= least {
            (at, false)
        } else if takes <= timeout {
            (at + takes, true)
        } else {
            (at + timeout, false)
        }
    };
    let (after_a, ok) = one(0, a, cap_a);
    if !ok {
        return (after_a, "failed:A", 0);
    }
    let (after_b, b_ok) = one(after_a, b, cap_b);
    let (after_c, c_ok) = one(after_a, c, cap_c);
    let status = match (b_ok, c_ok) {
        (false, _) => "failed:B",
        (true, false) => "partial",
        (true, true) => "full",
    };
    // With the header alone, who was cut works on until it is done, or the deadline.
    let orphan = |takes: u64, cut: u64, ok: bool| {
        if ok || cut == after_a { 0 } else { (after_a + takes).min(total).saturating_sub(cut) }
    };
    (after_b.max(after_c), status, orphan(b, after_b, b_ok) + orphan(c, after_c, c_ok))
}

#[test]
fn against_the_model() {
    let mut seen = std::collections::BTreeSet::new();
    for n in 0..400 {
        let mut draw = Shuffle::new(900, n).0;
        let k = [
            100 + draw.below(4_000),
            draw.below(1_500),
            draw.below(2_500),
            draw.below(4_000),
            10 + draw.below(2_000),
            10 + draw.below(2_000),
            10 + draw.below(2_000),
            draw.below(200),
        ];
        let keys = ["total", "a_takes", "b_takes", "c_takes", "limit_a", "limit_b", "limit_c", "least"];
        let changes: Vec<String> = keys.iter().zip(k).map(|(key, value)| format!("{key}={value}")).collect();
        let changes = changes.join("&") + "&load_rate=1&load_for=1000&readers=1";
        let (took, status, orphan) = model(&k);
        let told = ran("article", &changes);
        assert_eq!((told.get("took"), ended(&told).0), (took as f64, status.to_string()), "{changes}");
        // Who notices the closed connection stops at once.
        assert_eq!(told.get("orphan"), 0.0, "{changes}");
        // A cut at its timeout is orphaned too, until it is done or the deadline.
        let header = ran("header_only", &changes);
        let a = if status == "failed:A" && took > 0 { k[1].min(k[0]).saturating_sub(took) } else { 0 };
        assert_eq!(header.get("orphan"), (orphan + a) as f64, "{changes}");
        seen.insert(status);
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

/// Who is told, and by what.
#[test]
fn who_stops() {
    // Nobody: C to its end.
    check("article", "", &[("untold_orphan", 2_100.0), ("orphan", 0.0)]);
    // A moment: the request's deadline. The time left: the call's own.
    check("header_only", "", &[("orphan", 300.0)]);
    check("relative_only", "", &[("orphan", 0.0)]);
    // On the way both take as long, but only what is counted from arrival comes later.
    check("header_only", "away=40", &[("took", 1_680.0), ("orphan", 220.0)]);
    check("relative_only", "away=40", &[("took", 1_680.0), ("orphan", 40.0)]);
    // A hang-up takes its way too.
    check("article", "away=40", &[("took", 1_680.0), ("orphan", 40.0)]);
    // The client leaves: with a header alone, A goes on, and then the handler calls B and C.
    check("disconnect", "", &[("took", 300.0), ("orphan", 0.0)]);
    check("disconnect", "hears=off&carry=none", &[("took", 300.0), ("orphan", 400.0 + 1_300.0 + 600.0 + 3_000.0)]);
}

/// The last hop: a database that must be told too.
#[test]
fn database() {
    check("database", "", &[("orphan", 2_100.0)]);
    check("database", "db_stop=fixed&statement=1500", &[("orphan", 600.0)]);
    check("database", "db_stop=fixed&statement=30000", &[("orphan", 2_100.0)]);
    check("database", "db_stop=cancel", &[("orphan", 0.0)]);
    // statement_timeout by a moment: what is left of the request, not of the call.
    check("database", "db_stop=left", &[("orphan", 300.0)]);
    check("database_told", "", &[("orphan", 0.0)]);
    // A service that knows no deadline has none to hand on.
    check("database", "db_stop=left&carry=none", &[("orphan", 2_100.0)]);
}

/// 2 s, 5 s, 30 s: the service 3 s, the database 18 s, and 28 s where only statement_timeout ends the query.
#[test]
fn inverted_chain() {
    check("inverted", "", &[("took", 2_000.0), ("slack", -100.0), ("orphan", 21_000.0)]);
    check("inverted", "query=60000", &[("orphan", 31_000.0)]);
    check("inverted", "statement=1000", &[("took", 1_000.0), ("orphan", 0.0)]);
    check("inverted_told", "", &[("took", 1_900.0), ("orphan", 0.0)]);
    // The other way round nobody is left behind, header or not.
    check("inverted", "bff=2000&service=1900&statement=1800&query=20000", &[("took", 1_800.0), ("orphan", 0.0)]);
}

/// Clocks ahead see the deadline pass early, clocks behind late; the time left needs none.
#[test]
fn skew() {
    check("ahead", "", &[("took", 700.0), ("slack", 1_200.0), ("b_took", 0.0)]);
    check("ahead", "skew=1199", &[("took", 701.0)]);
    check("ahead", "carry=relative", &[("took", 1_600.0), ("missing", 1.0)]);
    // Cut before its own work is done, by its own clock: an error, and B's error fails the request.
    check("ahead", "skew=700", &[("took", 1_200.0), ("b_took", 500.0)]);
    check("behind", "", &[("took", 1_600.0), ("orphan", 1_300.0)]);
    check("behind", "skew=10000", &[("orphan", 2_100.0)]);
    check("behind", "carry=relative", &[("orphan", 0.0)]);
}

/// Promise.allSettled waits for C although B has failed; Promise.all does not, and leaves C behind.
#[test]
fn fail_fast() {
    check("b_fails", "", &[("took", 1_600.0), ("b_took", 500.0)]);
    check("b_fails", "fail_fast=on", &[("took", 1_200.0), ("c_took", 500.0), ("orphan", 0.0)]);
    check("b_fails", "fail_fast=on&hears=off", &[("took", 1_200.0), ("orphan", 1_400.0)]);
    check("b_fails", "optional_b=on", &[("took", 1_600.0), ("missing", 2.0)]);
}

/// A fixed timeout does not know what is left; min() does.
#[test]
fn within() {
    check("article", "a_takes=1200&limit_a=1500", &[("took", 1_900.0), ("slack", 0.0)]);
    // C reads the header, and says at the deadline that it gives up; told by nothing, it is waited for past it.
    check("article", "a_takes=1200&limit_a=1500&within=off", &[("took", 1_900.0), ("missing", 1.0)]);
    check("article", "a_takes=1200&limit_a=1500&within=off&carry=none", &[("took", 2_100.0), ("slack", -200.0)]);
    // And calls with nothing left.
    check("article", "a_takes=1895&limit_a=2000", &[("took", 1_895.0), ("b_took", 0.0)]);
    check("article", "a_takes=1895&limit_a=2000&within=off&carry=none", &[("took", 2_795.0), ("b_took", 600.0)]);
    // A service that reads the header does not even begin.
    check("article", "a_takes=1900&limit_a=2000&within=off", &[("took", 1_900.0), ("b_took", 0.0)]);
}

#[test]
fn first_connection() {
    check("cold", "", &[("took", 1_664.0), ("a_took", 764.0)]);
    // Longer than A's timeout: A never hears of it.
    let ran = ran("article", "connect=500&limit_a=400");
    assert_eq!((ran.get("took"), ended(&ran).0), (400.0, "failed:A".into()));
    assert_eq!(ran.outcome.books[0].server.arrivals, 1, "the API alone");
}

/// The gateway's tries share one timeout.
#[test]
fn gateway() {
    check("gateway", "", &[("took", 15_000.0), ("tries", 1.0)]);
    check("per_try", "", &[("took", 3_000.0), ("tries", 3.0)]);
    check("per_try", "retries=1", &[("took", 2_000.0), ("tries", 2.0)]);
    check("per_try", "retried=off", &[("took", 1_000.0), ("tries", 1.0)]);
    check("per_try", "route=0&retries=6", &[("took", 7_000.0), ("tries", 7.0)]);
    // An error is retried as a timeout is, until there are no more tries.
    check("per_try", "answer=100&broken=on", &[("took", 600.0), ("tries", 6.0)]);
    check("per_try", "answer=400", &[("took", 400.0), ("tries", 1.0)]);
    // Each try that nobody tells works on.
    check("per_try", "answer=10000&hears=off", &[("orphan", 9_000.0 + 8_000.0 + 7_000.0 + 0.0 + 3.0 * 1_000.0)]);
}

/// Under load, with the same arrivals on both sides.
#[test]
fn under_load() {
    let run = ran("article", "");
    let [told, untold] = ["load_good", "load_untold_good"].map(|key| run.get(key));
    assert!(told > 1.2 * untold, "{told} against {untold}");
    assert!(run.get("load_untold_wasted") > 50.0 && run.get("load_wasted") < 35.0);
    let [told, untold] = [2, 3].map(|i| run.outcome.books[i]);
    assert_eq!((told.offered, untold.offered, untold.server.dropped_expired), (untold.offered, told.offered, 0));
    // With room for all of them nobody need be told.
    let run = ran("healthy", "");
    // But for those who are not answered yet when the last one comes.
    let under_way = run.get("load_offered") - run.get("load_good");
    assert!((0.0..1.0).contains(&under_way) && run.get("load_wasted") == 0.0, "{under_way}");
    assert_eq!([2, 3].map(|i| run.outcome.books[i].good), [2, 3].map(|i| run.outcome.books[i].offered));
    assert_eq!(run.get("load_untold_good"), run.get("load_good"));
    // Nobody told is nobody told.
    let run = ran("article", "carry=none&hears=off");
    assert_eq!(run.get("load_good"), run.get("load_untold_good"));
}

/// No more is answered than can be, however long the callers wait: both are counted while requests come.
#[test]
fn goodput_within_capacity() {
    for total in [200, 500, 1_900, 10_000, 60_000] {
        for (rate, seconds) in [(50, 3), (150, 12), (400, 6)] {
            let run = ran("article", &format!("total={total}&load_rate={rate}&load_for={}", seconds * 1_000));
            let capacity = run.get("load_capacity");
            // Work is drawn: five standard deviations.
            let chance = 5.0 * (capacity / f64::from(seconds)).sqrt();
            for key in ["load_good", "load_untold_good"] {
                let good = run.get(key);
                assert!(good <= capacity + chance && good <= run.get("load_offered"), "{total} {rate} {key}: {good}");
            }
        }
    }
    let run = ran("article", "total=60000");
    assert!(run.get("load_good") < 110.0, "{}", run.get("load_good"));
}

/// Many requests have no network and one clock, as the hints say.
#[test]
fn load_alone() {
    let load = |changes: &str| {
        let run = ran("article", &format!("shape=route&per_try=300&load_retries=2&load_rate=300&{changes}"));
        ["load_good", "load_untold_good", "load_wasted", "load_dropped"].map(|key| run.get(key))
    };
    assert_eq!(load("away=100&connect=200&skew=900"), load("away=0"));
    // A try that may last as long as the request leaves no time for another; a shorter one does.
    for (shape, shown) in [("fan", false), ("chain&bff=5000", false), ("chain&bff=500", true), ("route", false)] {
        let hashes = [0, 3].map(|n| {
            let changes = format!("shape={shape}&load_rate=300&load_retries={n}");
            ran("article", &changes).outcome.hash()
        });
        assert_eq!(hashes[0] != hashes[1], shown, "{shape}");
    }
}

/// A failed request is told from an answered one.
#[test]
fn answered() {
    check("article", "", &[("answered", 1.0), ("missing", 1.0), ("untold_answered", 1.0)]);
    check("article", "c_takes=100", &[("answered", 1.0), ("missing", 0.0)]);
    for (setup, changes) in [("b_fails", ""), ("ahead", ""), ("disconnect", ""), ("inverted", "")] {
        let run = ran(setup, changes);
        assert_eq!((run.find("answered"), run.find("missing")), (Some(0.0), None), "{setup}");
    }
}

/// An unmarked partial answer lives as long as a full one.
#[test]
fn cached() {
    let run = ran("article", "");
    assert!((58.0..=61.0).contains(&run.get("unmarked_lasting")), "{}", run.get("unmarked_lasting"));
    assert!(run.get("marked_lasting") <= 3.0, "{}", run.get("marked_lasting"));
    let lasting = |changes: &str| ran("article", changes).get("unmarked_lasting");
    assert!((28.0..=31.0).contains(&lasting("ttl=30000")));
    check("article", "partial_ttl=60000", &[("marked_incomplete", run.get("unmarked_incomplete"))]);
    // No cache: incomplete while C is slow, and not a moment longer than a request takes.
    check("article", "ttl=0&partial_ttl=0", &[("unmarked_lasting", 0.0), ("marked_lasting", 0.0)]);
    check("article", "ttl=0&partial_ttl=0", &[("unmarked_incomplete", 900.0), ("marked_origin", 1_500.0)]);
    // A required C makes errors of them, which are not kept.
    check("article", "optional_c=off", &[("unmarked_incomplete", 0.0)]);
    let mut cache = PageCache::new();
    cache.put(Time::us(5), 'a', Span::us(10));
    assert_eq!([14, 15].map(|us| cache.get(Time::us(us))), [Some('a'), None]);
    cache.put(Time::us(20), 'b', Span::ZERO);
    assert_eq!(cache.get(Time::us(20)), None);
}

// The tree alone.

fn leaf(work: u64) -> Host {
    Host {
        budget: None,
        steps: vec![],
        work: Span::ms(work),
        fails: false,
        reads: true,
        hears: true,
        limit: Span::MAX,
        clock: 0,
    }
}

fn caller(calls: Vec<Call>) -> Host {
    Host { steps: vec![Step { calls, fail_fast: false }], reads: false, ..leaf(0) }
}

fn run(hosts: &[Host]) -> Trace {
    tree::run(hosts, Span::MAX, Draws::new(1, 1))
}

/// An answer at the limit counts; one a microsecond later does not, and its host is told.
#[test]
fn at_the_limit() {
    let hosts = |limit: u64| {
        let call = Call { limit: Span::us(limit), ..Call::plain(1) };
        [caller(vec![call]), leaf(10)]
    };
    let trace = run(&hosts(10_000));
    assert_eq!(trace.answered(), (Time::us(10_000), End::Done));
    let trace = run(&hosts(9_999));
    assert_eq!(trace.answered(), (Time::us(9_999), End::Error));
    assert_eq!(trace.visits[1].stopped, Some((Time::us(9_999), Stop::Told)));
    assert_eq!(trace.orphaned_work(), Span::ZERO);
}

/// What nobody waits for is counted from the moment when the first of those above has gone.
#[test]
fn orphaned_below() {
    let deaf = Host { hears: false, ..caller(vec![Call::plain(2)]) };
    let work = Host { hears: false, ..leaf(1_000) };
    let call = Call { limit: Span::ms(400), ..Call::plain(1) };
    let trace = run(&[caller(vec![call]), deaf, work]);
    assert_eq!(trace.orphaned(1), Some((Time::us(400_000), Time::us(1_000_000))));
    assert_eq!(trace.orphaned(2), trace.orphaned(1));
    assert_eq!(trace.orphaned_work(), Span::ms(1_200));
}

/// A relative header is that of the call, an absolute one that of the request.
#[test]
fn carried() {
    for (carry, deadline) in [(Carry::Relative, 300), (Carry::Absolute, 1_000)] {
        let call = Call { limit: Span::ms(300), within: true, carry, ..Call::plain(1) };
        let api = Host { budget: Some(Span::ms(1_000)), ..caller(vec![call]) };
        let trace = run(&[api, Host { hears: false, ..leaf(5_000) }]);
        assert_eq!(trace.visits[1].deadline, Time::ZERO + Span::ms(deadline));
        assert_eq!(trace.visits[1].stopped, Some((Time::ZERO + Span::ms(deadline), Stop::Expired)));
    }
}

/// Retries wait for their backoff, and all of them live inside the call's limit.
#[test]
fn tries() {
    let backoff = Backoff {
        strategy: Strategy::NoJitter,
        base: Span::ms(100),
        cap: Span::s(10),
        spread: Span::ZERO,
        growth: Backoff::DOUBLES,
    };
    let call = Call { limit: Span::ms(1_000), retries: 9, retried: true, backoff, ..Call::plain(1) };
    let trace = run(&[caller(vec![call]), Host { fails: true, ..leaf(50) }]);
    let sent: Vec<u64> = trace.visits[1..].iter().map(|v| v.sent.as_us() / 1_000).collect();
    assert_eq!(sent, [0, 150, 400, 850]);
    assert_eq!(trace.answered(), (Time::us(1_000_000), End::Error));
}

/// Any run cut into pieces is the same run; the request itself has no luck.
#[test]
fn pieces() {
    for setup in card().setups() {
        let whole = card().run(&*setup.knobs, 3);
        let mut run = card().start(&*setup.knobs, 3);
        while !run.advance(7).done {}
        assert_eq!(run.outcome().hash(), whole.hash(), "{}", setup.key);
    }
}
