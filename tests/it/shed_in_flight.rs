//! Card `shed-in-flight` against its vectors (`articles/shedding.json`), its closed forms and its findings.
//!
//! Of the vectors' 47 points 40 are of this model: a queue of Q behind c slots, whose "drop after 300 ms" never fires,
//! is a limit of c + Q. The others are a last-in-first-out queue, a
//! queue without room, and queues so long that the drop does fire.

use overload_cards::card::{Card, Evidence};
use overload_cards::find;
use overload_cards::knobs::{AnyKnobs, Strictness, set};
use overload_cards::many::{Many, Spread, run_many};
use overload_cards::outcome::Plan;
use serde_json::Value;

use crate::support::{Ran, Shuffle, changed, shuffled, vector};

fn card() -> &'static dyn Card {
    find("shed-in-flight").expect("the card")
}

/// The knobs of a setup, with some of them set.
#[track_caller]
fn knobs(setup: &str, pairs: &[(&str, &str)]) -> Box<dyn AnyKnobs> {
    changed(card(), setup, pairs.iter().copied())
}

fn run_of(knobs: &dyn AnyKnobs, seed: u64) -> Ran {
    Ran::of(card(), knobs, seed)
}

/// The article's setup with some knobs set, run.
#[track_caller]
fn run_with(pairs: &[(&str, &str)]) -> Ran {
    run_of(&*knobs("article", pairs), 1)
}

/// How a point's arrivals and service times are distributed.
#[derive(Clone, Copy, PartialEq)]
enum Chance {
    None,
    Arrivals,
    Both,
}

/// The knobs of a point; `None` where it is of another model.
fn of_point(params: &Value, chance: Chance) -> Option<Box<dyn AnyKnobs>> {
    let number = |key: &str| params.get(key).and_then(Value::as_f64);
    let slots = number("c").unwrap_or(10.0);
    let service = number("S").unwrap_or(50.0) + number("overhead").unwrap_or(0.0);
    let n = number("n").expect("n");
    let mut pairs: Vec<(&str, String)> = vec![
        ("slots", slots.to_string()),
        ("service", service.to_string()),
        ("timeout", number("timeout").unwrap_or(1000.0).to_string()),
    ];
    let shed = &params["shed"];
    let limit = match (shed.get("inflight"), shed.get("queue")) {
        (Some(limit), _) => limit.as_f64()?,
        (_, Some(queue)) => {
            let (queue, wait) = (queue.as_f64()?, shed["maxWait"].as_f64()?);
            if queue == 0.0 || queue * service / slots > wait {
                return None;
            }
            slots + queue
        }
        _ => 0.0,
    };
    pairs.push(("limit", limit.to_string()));
    match params["arrivals"].as_str()? {
        "even" => {
            let rate = number("rate").expect("rate");
            pairs.push(("rate", rate.to_string()));
            pairs.push(("duration", format!("{}us", (n * 1e6 / rate).round())));
            pairs.push(("arrivals", if chance == Chance::None { "even" } else { "poisson" }.into()));
        }
        "tick" => {
            let (k, ms) = (params["tick"]["k"].as_f64()?, params["tick"]["ms"].as_f64()?);
            pairs.push(("arrivals", "bursts".into()));
            pairs.push(("burst", k.to_string()));
            pairs.push(("tick", ms.to_string()));
            pairs.push(("duration", (n / k * ms).to_string()));
        }
        other => panic!("unknown arrivals {other}"),
    }
    if chance == Chance::Both {
        pairs.push(("law", "exponential".into()));
    }
    for (key, value) in params.as_object().expect("parameters") {
        match key.as_str() {
            "n" | "rate" | "arrivals" | "shed" | "c" | "S" | "timeout" | "tick" | "overhead" | "exp" => {}
            // Work for those who left goes on, unless it is dropped at its turn.
            "zombie" => pairs.push(("drop_left", if value == true { "off" } else { "on" }.into())),
            "disc" if value == "fifo" => {}
            "disc" => return None,
            _ => panic!("unknown parameter {key}"),
        }
    }
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(key, text)| (*key, text.as_str())).collect();
    Some(knobs("article", &pairs))
}

const FIGURES: [(&str, &str); 5] =
    [("ok", "ok"), ("s503", "shed"), ("timeouts", "timeout"), ("p50", "p50_ok"), ("p99", "p99_ok")];

/// A figure of the vectors: counts to the digit, times to the tenth of a millisecond that they are given with.
#[track_caller]
fn exactly(what: &str, ran: &Ran, prefix: &str, expected: &Value) {
    for (theirs, ours) in FIGURES {
        let expected = expected[theirs].as_f64().unwrap_or_else(|| panic!("{what}: no {theirs}"));
        let value = ran.get(&format!("{prefix}{ours}"));
        let slack = if theirs.starts_with('p') { 0.051 } else { 0.0 };
        assert!((value - expected).abs() <= slack, "{what}: {prefix}{ours} is {value}, expected {expected}");
    }
}

/// Two samples of one law: means within 5 standard errors of their difference, spreads alike.
#[track_caller]
fn same_law(what: &str, ours: &Spread, expected: &Value, n: f64) {
    let number = |key: &str| expected[key].as_f64().unwrap_or_else(|| panic!("{what}: no {key}"));
    let (mean, sd) = (number("mean"), number("sd"));
    let error = sd.max(ours.sd) * (1.0 / n + 1.0 / ours.n as f64).sqrt();
    // Theirs are rounded to four digits after the point.
    assert!((ours.mean - mean).abs() <= 5.0 * error + 1e-3, "{what}: mean {} against {mean} ± {error}", ours.mean);
    // Where a figure is nearly always the same, a few odd seeds make all of its spread.
    let rare = number("p1") == number("median") || number("p99") == number("median");
    if !rare {
        assert!(ours.sd < 1.8 * sd + 1e-3 && sd < 1.8 * ours.sd + 1e-3, "{what}: sd {} against {sd}", ours.sd);
    }
}

#[track_caller]
fn same_laws(what: &str, many: &Many, plan: &Plan, expected: &Value, n: f64) {
    for (theirs, ours) in FIGURES {
        if let Some(law) = expected.get(theirs) {
            let spread = many.spread(plan, ours).unwrap_or_else(|| panic!("{what}: no {ours}"));
            same_law(&format!("{what}: {ours}"), &spread, law, n);
        }
    }
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/shedding.json");
    let points = file["points"].as_array().expect("points");
    let (mut exact, mut both, mut foreign) = (0, 0, Vec::new());
    for point in points {
        let params = &point["params"];
        let what = params.to_string();
        let Some(knobs) = of_point(params, Chance::None) else {
            foreign.push(what);
            continue;
        };
        let expect = &point["expect"];
        if expect.get("none").is_some() {
            // One sender, one server without a limit and one that sheds at 30 in flight, or with 20 waiting.
            let mut knobs = knobs;
            set(&mut *knobs, "limit", "30", Strictness::Refuse).expect("a limit");
            let ran = run_of(&*knobs, 1);
            exactly(&what, &ran, "none_", &expect["none"]);
            exactly(&what, &ran, "", &expect["shed"]);
            both += 1;
        } else if params["rate"] == 300 && params["shed"].is_null() {
            at_the_timeout_itself(&run_of(&*knobs, 1), expect);
        } else {
            exactly(&what, &run_of(&*knobs, 1), "", expect);
            exact += 1;
        }
    }
    assert_eq!((exact, both, foreign.len()), (32, 7, 7), "{foreign:#?}");
}

/// Here ten answers come at the very microsecond of their callers' timeout. Whole microseconds count them all as in
/// time; the vectors' model, in floating point, lost four of them to the last bit.
fn at_the_timeout_itself(ran: &Ran, expect: &Value) {
    assert_eq!((ran.get("ok"), ran.get("timeout"), ran.get("p99_ok")), (580.0, 320.0, 1000.0));
    let theirs = expect["ok"].as_f64().expect("ok");
    let stricter = run_with(&[("rate", "300"), ("limit", "0"), ("timeout", "999.999")]).get("ok");
    assert_eq!(stricter, 570.0);
    assert!((stricter..=580.0).contains(&theirs));
}

/// Requests at random, then service times at random too. The vectors have them for the 15 points with even arrivals.
#[test]
fn points_at_random() {
    let file = vector("articles/shedding.json");
    let mut laws = 0;
    for point in file["points"].as_array().expect("points") {
        for (name, chance) in [("poissonDet", Chance::Arrivals), ("poissonExp", Chance::Both)] {
            let Some(expected) = point.get(name) else { continue };
            let knobs = of_point(&point["params"], chance).expect("of this model");
            let many = run_many(1, 60, |seed| card().run(&*knobs, seed));
            let plan = card().plan(&*knobs);
            same_laws(&format!("{} {name}", point["params"]), &many, &plan, expected, 40.0);
            laws += 1;
        }
    }
    assert_eq!(laws, 30);
}

/// The articles' setups with requests at random, over 2,000 of the vectors' seeds and 400 of ours.
#[test]
fn poisson_bands() {
    let file = vector("articles/shedding.json");
    let bands = &file["poisson2000seeds"];
    for (setup, none, shed) in [("article", "E05none", "E05shed"), ("article_3", "E11none", "E11shed")] {
        let knobs = knobs(setup, &[("arrivals", "poisson")]);
        let plan = card().plan(&*knobs);
        let many = run_many(1, 400, |seed| card().run(&*knobs, seed));
        for (prefix, name) in [("", shed), ("none_", none)] {
            for (theirs, ours) in FIGURES {
                let law = &bands[name][theirs];
                let spread = many.spread(&plan, &format!("{prefix}{ours}")).expect("a figure");
                same_law(&format!("{name}: {ours}"), &spread, law, 2_000.0);
                let sd = law["sd"].as_f64().expect("sd");
                for (quantile, value) in [("p1", spread.p1), ("median", spread.median), ("p99", spread.p99)] {
                    let expected = law[quantile].as_f64().expect("a quantile");
                    let slack = if quantile == "median" { 0.35 } else { 0.9 };
                    assert!(
                        (value - expected).abs() <= slack * sd + 1e-3,
                        "{name}: {ours} {quantile}: {value} against {expected}"
                    );
                }
            }
        }
    }
}

/// Ideal, fitted and printed figures side by side.
#[test]
fn the_articles_figures() {
    let ran = run_with(&[]);
    let ideal = [
        ("ok", 620.0),
        ("shed", 1180.0),
        ("timeout", 0.0),
        ("none_ok", 290.0),
        ("none_shed", 0.0),
        ("none_timeout", 1510.0),
        ("fluid_ok", 630.0),
        ("exact_ok", 620.0),
        ("fluid_wait", 150.0),
        ("none_fluid_ok", 285.0),
        ("none_fluid_p50", 525.0),
        ("edge_limit", 200.0),
        ("best_limit", 200.0),
        ("best_ok", 790.0),
    ];
    for (key, value) in ideal {
        assert_eq!(ran.get(key), value, "{key}");
    }
    for (key, value) in [("none_p50_ok", 517.0), ("none_p99_ok", 983.0), ("p50_ok", 148.0), ("p99_ok", 148.0)] {
        assert_eq!(ran.get(key).round(), value, "{key}");
    }
    let three = run_of(&*knobs("article_3", &[]), 1);
    for (key, value) in [("none_ok", 390.0), ("none_timeout", 810.0), ("ok", 620.0), ("shed", 580.0)] {
        assert_eq!(three.get(key), value, "article 3: {key}");
    }
    for (setup, none, ok) in [("timers", 300.0, 690.0), ("timers_3", 420.0, 680.0)] {
        let ran = run_of(&*knobs(setup, &[]), 1);
        assert_eq!((ran.get("none_ok"), ran.get("ok")), (none, ok), "{setup}");
    }
    // Whoever reads the page sees the article's own figures, and that they were measured.
    let setups = card().setups();
    let printed = |setup: &str, figure: &str| {
        let setup = setups.iter().find(|s| s.key == setup).expect("a setup");
        setup.printed.iter().find(|p| p.figure == figure).copied().unwrap_or_else(|| panic!("{figure} is not there"))
    };
    for (figure, value) in [
        ("none_ok", 301.0),
        ("none_timeout", 1499.0),
        ("none_p50_ok", 567.0),
        ("none_p99_ok", 993.0),
        ("ok", 691.0),
        ("shed", 1109.0),
        ("p50_ok", 150.0),
        ("p99_ok", 188.0),
    ] {
        let printed = printed("article", figure);
        assert_eq!(printed.value, value, "{figure}");
        assert!(matches!(printed.kind, Evidence::Machine(..)), "{figure}");
    }
    for (setup, figure, value) in [("timers", "ok", 691.0), ("timers_3", "none_ok", 416.0), ("timers_3", "ok", 680.0)] {
        assert_eq!(printed(setup, figure).value, value);
        assert!(matches!(printed(setup, figure).kind, Evidence::Fitted(_)), "{figure}");
    }
}

/// A limit up to μ·d serves more the higher it is; a little beyond, it is as if there were none.
#[test]
fn the_edge_is_sharp() {
    for (limit, ok, timeout) in
        [(190, 780.0, 0.0), (199, 789.0, 0.0), (200, 790.0, 0.0), (202, 290.0, 502.0), (250, 290.0, 550.0)]
    {
        let ran = run_with(&[("limit", &limit.to_string())]);
        assert_eq!((ran.get("ok"), ran.get("timeout")), (ok, timeout), "limit {limit}");
    }
    // The same elsewhere: limits at ⌊μ·d⌋ and a tenth above, whatever c, s, d and λ.
    for (slots, service, timeout, rate) in [(4, 20, 300, 900), (32, 100, 2000, 1000), (1, 5, 400, 700)] {
        let edge = u64::from(1_000 * slots * timeout / service / 1_000u32);
        let run = |limit: u64| {
            run_with(&[
                ("slots", &slots.to_string()),
                ("service", &service.to_string()),
                ("timeout", &timeout.to_string()),
                ("rate", &rate.to_string()),
                ("duration", "10s"),
                ("limit", &limit.to_string()),
            ])
        };
        let (at, beyond) = (run(edge), run(edge + edge / 10 + 2));
        assert_eq!(at.get("edge_limit"), edge as f64);
        assert_eq!(at.get("timeout"), 0.0);
        assert!(beyond.get("ok") < 0.75 * at.get("ok"), "{} after {}", beyond.get("ok"), at.get("ok"));
        assert_eq!(beyond.get("ok"), beyond.get("none_ok"));
    }
}

/// Where the exact formula claims to hold, it holds; the fluid ones are near under overload.
#[test]
fn formulas_hold_where_they_say() {
    let (mut exact, mut fluid) = (0, 0);
    for n in 0..3_000 {
        let mut draw = Shuffle::new(91, n).0;
        let rate = 50 + draw.below(1_500);
        let slots = 1 + draw.below(30);
        let service = 1_000 + draw.below(90) * 1_000 + if n % 2 == 0 { 0 } else { draw.below(1_000) };
        let (limit, timeout) = (1 + draw.below(120), [0, 300_000, 1_000_000, 2_000_000][draw.below(4) as usize]);
        let pairs = [
            ("rate", rate.to_string()),
            ("slots", slots.to_string()),
            ("service", format!("{service}us")),
            ("limit", limit.to_string()),
            ("duration", format!("{}ms", 500 + draw.below(2_500))),
            ("timeout", format!("{timeout}us")),
        ];
        let pairs = pairs.each_ref().map(|(key, text)| (*key, text.as_str()));
        let ran = run_with(&pairs);
        if let Some(expected) = ran.find("exact_ok") {
            assert_eq!(ran.get("ok"), expected, "{pairs:?}");
            exact += 1;
        }
        // The slots work in rounds, whatever the fluid says of the last of them.
        let rounds = limit.div_ceil(slots) * service;
        if (timeout == 0 || rounds <= timeout)
            && ran.get("load") > 150.0
            && ran.get("shed") + ran.get("none_timeout") > 0.0
        {
            // Fluids do not know that slots begin together: one round of them more or less.
            let round = slots as f64 + rate as f64 * service as f64 / 1e6;
            if let Some(expected) = ran.find("fluid_ok") {
                let found = ran.get("ok");
                assert!((found - expected).abs() <= 2.0 * round + 4.0, "{pairs:?}: {found} against {expected}");
            }
            let (found, expected) = (ran.get("none_ok"), ran.get("none_fluid_ok"));
            assert!((found - expected).abs() <= 2.0 * round + 4.0, "{pairs:?}: {found} against {expected}");
            fluid += 1;
        }
    }
    assert!(exact > 300 && fluid > 300, "{exact} exact, {fluid} fluid");
}

/// What a request became, added up in every way it is counted.
#[test]
fn requests_add_up() {
    let mut with_retries = 0;
    for n in 0..300 {
        let knobs = shuffled(card(), 92, n);
        if card().cost(&*knobs) > 60_000 {
            continue;
        }
        let ran = run_of(&*knobs, n);
        let sides: &[&str] = if ran.outcome.books.len() == 2 { &["", "none_"] } else { &["none_"] };
        for (prefix, book) in sides.iter().zip(&ran.outcome.books) {
            let get = |figure: &str| ran.get(&format!("{prefix}{figure}"));
            let ends = get("ok") + get("shed") + get("timeout") + get("late");
            assert_eq!(ends, ran.get("offered"), "{prefix}");
            assert_eq!(book.good as f64, get("ok"));
            assert_eq!(book.caller.attempts as f64, get("attempts"));
            assert_eq!(get("attempts"), ran.get("offered") + get("retries"));
            assert_eq!(book.caller.timeout, book.server.wasted + book.server.dropped_expired);
            assert_eq!(book.caller.ok + book.caller.late, book.server.useful);
            with_retries += u64::from(get("retries") > 0.0);
            // Over time they are the same requests.
            let name = if prefix.is_empty() { "limit_requests" } else { "none_requests" };
            for (column, figure) in [(1, "ok"), (2, "late"), (3, "shed"), (4, "timeout")] {
                let sum: f64 = ran.outcome.rows(&ran.plan, name).map(|row| row[column]).sum();
                // A stray request long after the others is only counted.
                let all = ran.get("offered") >= 20.0;
                assert!(sum == get(figure) || (!all && sum < get(figure)), "{prefix}{figure} over time: {sum}");
            }
        }
    }
    assert!(with_retries > 20, "{with_retries}");
}

/// The curves are runs of the page: where they meet its knobs, they give its figures.
#[test]
fn curves_meet_the_run() {
    for pairs in [&[][..], &[("arrivals", "poisson")], &[("law", "exponential"), ("limit", "50")]] {
        let ran = run_with(pairs);
        let limit = if pairs.len() == 2 { 50.0 } else { 30.0 };
        let at_limit = ran.outcome.rows(&ran.plan, "by_limit").find(|row| row[0] == limit).expect("the limit")[1];
        assert_eq!(at_limit, ran.get("ok"), "{pairs:?}");
        let at_load = ran.outcome.rows(&ran.plan, "by_load").find(|row| row[0] == 600.0).expect("the load").to_vec();
        assert_eq!(at_load[1..], [ran.get("ok"), ran.get("none_ok")], "{pairs:?}");
    }
}

/// Goodput over the load: with the limit a plateau, without it a collapse.
#[test]
fn plateau_and_collapse() {
    let ran = run_with(&[]);
    let rows: Vec<_> = ran.outcome.rows(&ran.plan, "by_load").collect();
    let beyond: Vec<_> = rows.iter().filter(|row| row[0] >= 300.0).collect();
    assert!(beyond.len() >= 4, "{rows:?}");
    assert!(beyond.iter().all(|row| row[1] == 620.0), "{beyond:?}");
    assert!(beyond.is_sorted_by(|a, b| a[2] > b[2]), "{beyond:?}");
    // Up to the capacity the limit is not felt.
    assert!(
        rows.iter().filter(|row| row[0] <= 200.0).all(|row| row[1] == row[2] && row[1] == 3.0 * row[0]),
        "{rows:?}"
    );
}

/// Callers who retry at once undo the limit's work; a Retry-After that they honour gives it back.
#[test]
fn retries_against_the_limit() {
    let spread = |setup: &str, figure: &str| {
        let knobs = knobs(setup, &[]);
        let many = run_many(1, 20, |seed| card().run(&*knobs, seed));
        many.spread(&card().plan(&*knobs), figure).expect("a figure").mean
    };
    let (at_once, honoured) = (spread("retries", "refused"), spread("retry_after", "refused"));
    assert!(at_once > 1.0 && honoured > 1.0);
    assert!(spread("retry_after", "ok") > 1.1 * spread("retries", "ok"));
    // Without a limit retries only add to the work for nobody.
    assert!(spread("retries", "none_wasted") > 2.0 * spread("article", "none_wasted"));
}

/// A budget makes retries few: the bucket's own tokens and a tenth of the requests. Whoever finds none gives up.
#[test]
fn retries_with_a_budget() {
    let [budget, free] = ["budget", "retries"].map(|setup| run_of(&*knobs(setup, &[]), 1));
    let (bucket, ratio, offered) = (10.0, 0.1, 1_800.0);
    for prefix in ["", "none_"] {
        let get = |ran: &Ran, name: &str| ran.get(&format!("{prefix}{name}"));
        assert!(get(&budget, "retries") <= bucket + ratio * offered);
        // Every failed attempt but the last allowed asks the budget once.
        assert!(get(&budget, "retries_refused") + get(&budget, "retries") > 1_000.0);
        assert!(get(&budget, "attempts") < 0.5 * get(&free, "attempts"));
    }
    assert!(budget.get("refused") < 0.5 * free.get("refused"));
    // With a token for every request they are back.
    let rich = run_with(&[
        ("retries", "on"),
        ("retry_after", "0"),
        ("budget", "on"),
        ("budget_ratio", "100"),
        ("budget_tokens", "1000"),
    ]);
    assert!(rich.get("retries") > 0.5 * free.get("retries"));
    assert!(free.find("retries_refused").is_none());
}

/// Dragging a knob of the article's run redraws within the frame: some 60,000 events.
#[test]
fn fits_into_a_frame() {
    let knobs = knobs("article", &[]);
    let mut run = card().start(&*knobs, 1);
    let mut events = 0;
    while !run.advance(100).done {
        events += 100;
    }
    let cost = card().cost(&*knobs);
    assert!(cost < 60_000 && events < 60_000, "{events} events, estimated {cost}");
    assert!(events < 2 * cost && cost < 2 * events, "{events} events, estimated {cost}");
}
