//! Card `shed-queue` and the parts below it (`sim::limit`, `sim::line`, `sim::shedding`) against their vectors, an independent
//! small model and the findings.

use std::collections::VecDeque;

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::limit::{Limiter, Rule, Sample, envoy, netflix};
use overload_sim::line::{Line, Order, Wait};
use overload_sim::shedding::{CLASSES, Gate, Run, Setup};
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::circuit_breaker::vectors_of;
use crate::support::{Ran, changed, pairs, shuffled_within, vector};

fn card() -> &'static dyn Card {
    find("shed-queue").expect("the card")
}

#[track_caller]
fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

/// The knobs of a point of the vectors, and whether it is of the system without a bound.
fn of_point(params: &Value) -> (Vec<(&'static str, String)>, bool) {
    let number = |key: &str| params.get(key).and_then(Value::as_f64);
    let service = number("S").unwrap_or(50.0) + number("overhead").unwrap_or(0.0);
    let slots = number("c").unwrap_or(10.0);
    let n = number("n").expect("n");
    let mut out = vec![
        ("slots", slots.to_string()),
        ("service", service.to_string()),
        ("timeout", number("timeout").unwrap_or(1000.0).to_string()),
    ];
    let shed = &params["shed"];
    let (queue, wait) = match (shed.get("inflight").and_then(Value::as_f64), shed.get("queue").and_then(Value::as_f64))
    {
        // A limit in flight is a bound of what is above the slots; below them there is no such bound.
        (Some(limit), _) => (Some(limit - slots), None),
        (_, Some(queue)) => (Some(queue), shed["maxWait"].as_f64()),
        // Of the points with timers, both the article's systems.
        _ if params.get("exp").is_some() => (Some(20.0), Some(300.0)),
        _ => (None, None),
    };
    out.push(("wait", if wait.is_some() { "fixed" } else { "any" }.into()));
    out.extend(wait.map(|wait| ("max_wait", wait.to_string())));
    match queue {
        Some(queue) if queue <= 10_000.0 => out.push(("queue", queue.to_string())),
        _ => out.push(("door", "open".into())),
    }
    if params["arrivals"] == "tick" {
        let (k, ms) = (params["tick"]["k"].as_f64().expect("k"), params["tick"]["ms"].as_f64().expect("ms"));
        out.push(("arrivals", "bursts".into()));
        out.push(("burst", k.to_string()));
        out.push(("tick", ms.to_string()));
        out.push(("duration", (n / k * ms).to_string()));
    } else {
        let rate = number("rate").expect("rate");
        out.push(("rate", rate.to_string()));
        out.push(("duration", format!("{}us", (n * 1e6 / rate).round())));
    }
    for (key, value) in params.as_object().expect("parameters") {
        match key.as_str() {
            "n" | "rate" | "arrivals" | "shed" | "c" | "S" | "timeout" | "tick" | "overhead" | "exp" => {}
            "zombie" => out.push(("drop_left", if value == true { "off" } else { "on" }.into())),
            "disc" => out.push(("order", value.as_str().expect("an order").into())),
            _ => panic!("unknown parameter {key}"),
        }
    }
    (out, queue.is_none())
}

#[test]
fn every_point_of_the_vectors() {
    const FIGURES: [(&str, &str); 5] =
        [("ok", "ok"), ("s503", "shed"), ("timeouts", "timeout"), ("p50", "p50_ok"), ("p99", "p99_ok")];
    let file = vector("articles/shedding.json");
    let (mut met, mut below) = (0, 0);
    for point in file["points"].as_array().expect("points") {
        let (params, expect) = (&point["params"], &point["expect"]);
        if params["shed"]["inflight"].as_f64().is_some_and(|limit| limit <= params["c"].as_f64().unwrap_or(10.0)) {
            // Fewer in flight than slots: the other card's.
            below += 1;
            continue;
        }
        let (knobs, _) = of_point(params);
        let knobs = knobs.iter().map(|(key, value)| (*key, value.as_str()));
        let ran = Ran::of(card(), &*changed(card(), "article", knobs), 1);
        let sides = match expect.get("none") {
            Some(none) => vec![("none_", none), ("", &expect["shed"])],
            None => vec![("", expect)],
        };
        for (prefix, expect) in sides {
            for (theirs, ours) in FIGURES {
                let expected = expect[theirs].as_f64().expect("a figure");
                // Nobody answered: no times.
                let value = ran.find(&format!("{prefix}{ours}")).unwrap_or(0.0);
                // Ten answers come at the very microsecond of the timeout; the vectors' floats lost four of them.
                let tie = params["rate"] == 300 && params["shed"].is_null();
                let slack = match (theirs.starts_with('p'), tie) {
                    (true, true) => continue,
                    (true, false) => 0.051,
                    (false, true) => 4.0,
                    _ => 0.0,
                };
                assert!((value - expected).abs() <= slack, "{params}: {prefix}{ours} is {value}, expected {expected}");
            }
        }
        met += 1;
    }
    assert_eq!((met, below), (44, 3));
}

/// The article's run, the fitted one, and where the rule on the wait begins to matter.
#[test]
fn the_articles_figures() {
    let article = ran("article", "");
    for (key, value) in [
        ("ok", 620.0),
        ("shed", 580.0),
        ("dropped", 0.0),
        ("timeout", 0.0),
        ("none_ok", 390.0),
        ("none_timeout", 810.0),
        ("p50_ok", 147.5),
        ("none_p50_ok", 525.0),
        ("longest_wait", 97.5),
        ("full_wait", 100.0),
        ("fires_from", 60.0),
        ("lifo_ok", 700.0),
    ] {
        assert_eq!(article.get(key), value, "{key}");
    }
    let timers = ran("timers", "");
    assert_eq!(["none_ok", "none_timeout", "ok", "shed"].map(|key| timers.get(key)), [420.0, 780.0, 680.0, 520.0]);
    // Whoever waits just 300 ms is still served.
    for (queue, fires) in [(40, false), (60, false), (61, true), (80, true)] {
        assert_eq!(ran("article", &format!("queue={queue}")).get("dropped") > 0.0, fires, "{queue}");
    }
    // An order is nothing to a queue of one.
    let order = |order: &str| ran("article", &format!("queue=1&order={order}")).get("ok");
    assert_eq!(order("fifo"), order("lifo"));
}

/// The article's run once more, from the libraries' vectors: a machine's figures, near the ideal ones and nearer the fitted.
#[test]
fn the_articles_vector() {
    let vectors = vectors_of("libraries/concurrency.json", "load_shed.article");
    assert_eq!(vectors.len(), 1);
    let (given, expect) = (&vectors[0]["given"], &vectors[0]["expect"]);
    let pairs = [
        ("slots", "slots"),
        ("service", "service_ms"),
        ("rate", "offered_rps"),
        ("timeout", "client_timeout_ms"),
        ("queue", "queue_max"),
        ("max_wait", "max_wait_ms"),
    ]
    .map(|(ours, theirs)| (ours, given[theirs].to_string()));
    let ideal = Ran::of(card(), &*changed(card(), "article", pairs.iter().map(|(key, v)| (*key, v.as_str()))), 1);
    assert_eq!(Some(ideal.get("offered")), given["requests"].as_f64());
    let fitted = ran("timers", "");
    let printed = [
        ("none_ok", &expect["unbounded_ok"]),
        ("none_timeout", &expect["unbounded_timeouts"]),
        ("ok", &expect["shed_ok"]),
        ("shed", &expect["shed_503"]),
    ];
    for (key, value) in printed {
        let value = value.as_f64().expect("a number");
        assert!((ideal.get(key) / value - 1.0).abs() < 0.12, "{key}");
        assert!((fitted.get(key) / value - 1.0).abs() < 0.015, "{key}");
    }
}

/// Netflix's limits as they ran, and as its tests say.
#[test]
fn netflix_limits() {
    let feed = |limiter: &mut Limiter, samples: &[(f64, f64, bool)]| -> Vec<u64> {
        let mut now = Time::ZERO;
        let limit = |&(ms, in_flight, dropped): &(f64, f64, bool)| {
            let began = now;
            now += Span::us((ms * 1e3) as u64);
            limiter.sample(Sample { began, ended: now, in_flight: in_flight as u32, dropped });
            u64::from(limiter.limit(now))
        };
        samples.iter().map(limit).collect()
    };
    let of = |v: &Value, key: &str| -> Vec<u64> {
        v["expect"][key].as_array().expect("limits").iter().map(|n| n.as_u64().expect("a limit")).collect()
    };
    let standard = netflix::Bounds { initial: 20, min: 20, max: 200 };
    let vegas = |initial, max| Rule::Vegas(netflix::Bounds { initial, min: 1, max });
    let mut met = 0;
    for v in vectors_of("libraries/concurrency.json", "concurrency_limit.netflix") {
        let id = v["id"].as_str().expect("an id").to_string();
        let new = |rule| Limiter::new(rule, Span::ZERO, 1);
        let samples = |v: &Value| -> Vec<(f64, f64, bool)> {
            let rows = v["given"]["samples_rttms_inflight_drop"].as_array().expect("samples").iter();
            rows.map(|row| (row[0].as_f64().unwrap(), row[1].as_f64().unwrap(), row[2] == 1.0)).collect()
        };
        let (mut limiter, samples, key) = if id.contains("gradient2") {
            (new(Rule::Gradient2(standard)), samples(&v), "limit_after_each")
        } else if id.contains("aimd_default") {
            (new(Rule::Aimd(standard, Span::s(5))), samples(&v), "limit_after_each")
        } else if id.contains("largeLimitIncrease") {
            (new(vegas(10_000, 20_000)), vec![(1e4, 5e3, false), (1e4, 6e3, false)], "limits")
        } else if id.contains("decreaseLimit") {
            (new(vegas(10, 20)), vec![(10.0, 10.0, false), (50.0, 11.0, false)], "limits")
        } else if id.contains("noChange") {
            (new(vegas(10, 20)), vec![(10.0, 10.0, false), (14.0, 14.0, false)], "limits")
        } else if id.contains("decreaseOnDrops") {
            let bounds = netflix::Bounds { initial: 30, ..standard };
            (new(Rule::Aimd(bounds, Span::s(5))), vec![(1.0, 0.0, true)], "limits")
        } else {
            panic!("unknown vector {id}");
        };
        assert_eq!(feed(&mut limiter, &samples), of(&v, key), "{id}");
        met += 1;
    }
    assert_eq!(met, 7);
}

/// What VegasLimit's source says of drops, of a server that is not busy, and of its queue estimate.
#[test]
fn vegas_by_its_source() {
    let limit_after = |samples: &[(u64, u32, bool)]| {
        let mut limiter = Limiter::new(Rule::Vegas(netflix::Bounds { initial: 10, min: 1, max: 20 }), Span::ZERO, 1);
        let mut now = Time::ZERO;
        for &(ms, in_flight, dropped) in samples {
            let began = now;
            now += Span::ms(ms);
            limiter.sample(Sample { began, ended: now, in_flight, dropped });
        }
        limiter.limit(now)
    };
    // Its own tests: increase by six where nothing queues, decrease on a drop, no change where half is unused, smaller RTT.
    assert_eq!(limit_after(&[(10, 10, false), (10, 11, false)]), 16);
    assert_eq!(limit_after(&[(10, 10, false), (10, 11, true)]), 9);
    assert_eq!(limit_after(&[(10, 10, false), (10, 4, false)]), 10);
    assert_eq!(limit_after(&[(10, 10, false), (5, 10, false)]), 10);
    assert_eq!(limit_after(&[(10, 10, false), (10, 11, false), (10, 20, false)]), 20);
}

/// Gradient2's long average comes down fast once calls are quick again: then a slower one cuts the limit.
#[test]
fn gradient2_forgets() {
    let bounds = netflix::Bounds { initial: 50, min: 20, max: 200 };
    let mut limiter = Limiter::new(Rule::Gradient2(bounds), Span::ZERO, 1);
    let mut now = Time::ZERO;
    let mut feed = |ms: u64, times: u32, in_flight: u32| {
        for _ in 0..times {
            let began = now;
            now += Span::ms(ms);
            limiter.sample(Sample { began, ended: now, in_flight, dropped: false });
        }
        limiter.limit(now)
    };
    assert_eq!(feed(100, 12, 1), 50);
    // With few in flight the limit stays, and still the average is taken.
    assert_eq!(feed(10, 40, 1), 50);
    assert_eq!(feed(40, 1, 50), 48);
}

/// A window of samples: nothing moves before it is over, nor with fewer than ten; the average counts, and any drop.
#[test]
fn windowed() {
    let bounds = netflix::Bounds { initial: 50, min: 20, max: 200 };
    let mut limiter = Limiter::new(Rule::Aimd(bounds, Span::s(5)), Span::s(1), 1);
    let mut at = |us: u64, dropped: bool| {
        let ended = Time::us(us);
        limiter.sample(Sample { began: Time::us(us - 10_000), ended, in_flight: 50, dropped });
        limiter.limit(ended)
    };
    // The first sample ends the first window, which has too few.
    assert_eq!(at(10_000, false), 50);
    for i in 1..10 {
        assert_eq!(at(10_000 + i * 50_000, false), 50);
    }
    assert_eq!(at(1_010_001, false), 51);
    for i in 1..15 {
        assert_eq!(at(1_010_001 + i * 50_000, i == 3), 51);
    }
    assert_eq!(at(2_010_002, false), 45);
}

/// Envoy's formula, and its life: at the least limit until fifty samples, then an update each interval.
#[test]
fn envoy_gradient() {
    let config =
        envoy::Config { min: 3, max: 1_000, update: Span::ms(100), measure: Span::s(60), samples: 50, buffer: 25 };
    let vectors = vectors_of("libraries/concurrency.json", "concurrency_limit.envoy");
    assert_eq!(vectors.len(), 3);
    for v in &vectors {
        let of = |key: &str| v["given"][key].as_u64().expect("a number");
        let next = envoy::Controller::follows(
            &config,
            of("limit") as u32,
            of("min_rtt_ms") * 1_000,
            of("sample_rtt_ms") * 1_000,
        );
        assert_eq!(Some(u64::from(next)), v["expect"]["new_limit"].as_u64(), "{}", v["id"]);
    }
    assert_eq!(envoy::Controller::follows(&config, 3, 10, 1_000_000), 3);
    assert_eq!(envoy::Controller::follows(&config, 1_000, 10, 10), 1_000);

    let mut limiter = Limiter::new(Rule::Envoy(config), Span::ZERO, 1);
    let sample = |limiter: &mut Limiter, end: u64, took: u64| {
        let ended = Time::us(end);
        limiter.sample(Sample { began: Time::us(end - took), ended, in_flight: 3, dropped: false });
        limiter.limit(ended)
    };
    for i in 1..=50 {
        assert_eq!(sample(&mut limiter, i * 10_000, 10_000), 3, "{i}");
    }
    // At 500 ms the least time is known; at 600 ms the first update.
    assert_eq!(sample(&mut limiter, 599_999, 10_000), 3);
    assert_eq!(limiter.limit(Time::us(600_000)), 5);
    // Nothing came: nothing changes. Then calls twice as slow as the buffer allows.
    assert_eq!(limiter.limit(Time::us(900_000)), 5);
    sample(&mut limiter, 950_000, 25_000);
    assert_eq!(limiter.limit(Time::us(1_000_000)), 4);
    // From 3 it stays at 3, and five updates there bring a new measurement, at the present time.
    for i in 1..=8 {
        sample(&mut limiter, 1_000_000 + i * 100_000 - 1, 200_000);
        limiter.limit(Time::us(1_000_000 + i * 100_000));
    }
    let Limiter::Envoy(controller) = &limiter else { panic!("not Envoy") };
    assert!(controller.measuring());
    for i in 0..50 {
        sample(&mut limiter, 3_000_000 + i * 1_000, 200_000);
    }
    let Limiter::Envoy(controller) = &limiter else { panic!("not Envoy") };
    assert!(!controller.measuring());
    sample(&mut limiter, 3_100_000, 200_000);
    assert_eq!(limiter.limit(Time::us(3_149_000)), 5);
}

/// While Envoy measures, calls from before do not count: they met another limit.
#[test]
fn envoy_measures_afresh() {
    let config =
        envoy::Config { min: 3, max: 1_000, update: Span::ms(100), measure: Span::s(1), samples: 5, buffer: 25 };
    let mut limiter = Limiter::new(Rule::Envoy(config), Span::ZERO, 1);
    let measuring = |limiter: &Limiter| matches!(limiter, Limiter::Envoy(c) if c.measuring());
    let sample = |limiter: &mut Limiter, began: u64, ended: u64, dropped: bool| {
        let [began, ended] = [began, ended].map(|ms| Time::ZERO + Span::ms(ms));
        limiter.sample(Sample { began, ended, in_flight: 3, dropped });
    };
    (0..4).for_each(|i| sample(&mut limiter, i, i + 10, false));
    // A call that was dropped gives no time.
    sample(&mut limiter, 4, 14, true);
    assert!(measuring(&limiter));
    sample(&mut limiter, 5, 15, false);
    assert!(!measuring(&limiter));
    // After a second and up to 15 % it measures again.
    limiter.limit(Time::ZERO + Span::ms(1_014));
    assert!(!measuring(&limiter));
    limiter.limit(Time::ZERO + Span::ms(1_170));
    assert!(measuring(&limiter));
    (0..9).for_each(|i| sample(&mut limiter, 900, 1_171 + i, false));
    assert!(measuring(&limiter));
    (0..5).for_each(|i| sample(&mut limiter, 1_180, 1_190 + i, false));
    assert!(!measuring(&limiter));
}

/// The line's orders, and CoDel: who joins a line that has stood for the interval may wait the target.
#[test]
fn orders_and_codel() {
    let at = |ms: u64| Time::ZERO + Span::ms(ms);
    let taken = |order, n: u32| -> Vec<u32> {
        let mut line = Line::new(order, Wait::Any);
        (0..n).for_each(|call| line.join(call, at(u64::from(call))));
        core::iter::from_fn(|| line.take(at(100)).map(|w| w.call)).collect()
    };
    assert_eq!(taken(Order::Fifo, 5), [0, 1, 2, 3, 4]);
    assert_eq!(taken(Order::Lifo, 5), [4, 3, 2, 1, 0]);
    assert_eq!(taken(Order::Adaptive(0), 5), [4, 3, 2, 1, 0]);
    assert_eq!(taken(Order::Adaptive(3), 5), [4, 3, 0, 1, 2]);
    let codel = Wait::CoDel { interval: Span::ms(100), target: Span::ms(5) };
    let mut line = Line::new(Order::Fifo, codel);
    [0, 100, 101].into_iter().enumerate().for_each(|(call, ms)| line.join(call as u32, at(ms)));
    let mut next = |ms| line.take(at(ms)).map(|w| (w.call, w.may.as_ms(), w.expired(at(ms))));
    assert_eq!(next(100), Some((0, 100.0, false)));
    assert_eq!(next(106), Some((1, 100.0, false)));
    assert_eq!(next(107), Some((2, 5.0, true)));
    assert_eq!(next(108), None);
    // Empty once, it begins anew.
    line.join(3, at(150));
    assert_eq!(line.take(at(250)).map(|w| (w.call, w.expired(at(250)))), Some((3, false)));
}

/// A model of its own: time in steps of a millisecond, a list, no events.
fn by_steps(setup: &Setup, every_ms: u64, service_ms: u64, timeout_ms: u64) -> [u64; 4] {
    let mut line: VecDeque<(u64, u64)> = VecDeque::new();
    let (mut busy, mut empty): (Vec<(u64, u64)>, u64) = (Vec::new(), 0);
    let (mut ok, mut refused, mut dropped, mut timeout, mut come) = (0, 0, 0, 0, 0);
    let slots = setup.slots as usize;
    for now in 0.. {
        if now % every_ms == 0 && come < u64::from(setup.requests) {
            come += 1;
            let inside = busy.len() + line.len();
            let admitted = match setup.gate {
                Gate::Queue(bound) => line.len() < bound as usize,
                Gate::InFlight(limit) => inside < limit as usize,
                _ => true,
            };
            if !admitted {
                refused += 1;
            } else if busy.len() < slots {
                busy.push((now, now + service_ms));
            } else {
                if line.is_empty() {
                    empty = now;
                }
                let may = match setup.wait {
                    Wait::Any => u64::MAX,
                    Wait::Within(limit) => limit.as_us() / 1_000,
                    Wait::CoDel { interval, target } => {
                        let interval = interval.as_us() / 1_000;
                        if now > empty + interval { target.as_us() / 1_000 } else { interval }
                    }
                };
                line.push_back((now, may));
            }
        }
        // One end after the other, in the order in which they began.
        while let Some(at) = busy.iter().position(|call| call.1 == now) {
            let (came, _) = busy.remove(at);
            if now - came <= timeout_ms {
                ok += 1
            } else {
                timeout += 1
            }
            while !line.is_empty() {
                let last = match setup.order {
                    Order::Fifo => false,
                    Order::Lifo => true,
                    Order::Adaptive(above) => line.len() > above as usize,
                };
                let (came, may) = if last { line.pop_back() } else { line.pop_front() }.expect("one waits");
                if line.is_empty() {
                    empty = now;
                }
                let left = now - came > timeout_ms;
                if now - came > may || setup.drop_left && left {
                    if left { timeout += 1 } else { dropped += 1 }
                } else {
                    busy.push((came, now + service_ms));
                    break;
                }
            }
        }
        if come == u64::from(setup.requests) && busy.is_empty() {
            return [ok, refused, dropped, timeout];
        }
    }
    unreachable!()
}

#[test]
fn as_the_stepped_model() {
    let mut seen = [0; 4];
    for n in 0..400 {
        let mut draw = Draws::new(0x5eed, 60).at(n, 0, 0);
        let mut below = |n: u64| draw.below(n);
        let (every, service, timeout) = (1 + below(6), 1 + below(60), 1 + below(200));
        let ms = |n: u64| Span::ms(n);
        let setup = Setup {
            arrivals: Arrivals::Bursts { size: 1, every: ms(every) },
            requests: 1 + below(200) as u32,
            mix: [0; CLASSES],
            says: [0; CLASSES],
            service: Law::Fixed(ms(service)),
            slots: 1 + below(8) as u32,
            timeout: Some(ms(timeout)),
            gate: [Gate::Open, Gate::Queue(below(30) as u32), Gate::InFlight(1 + below(30) as u32)][below(3) as usize],
            order: [Order::Fifo, Order::Lifo, Order::Adaptive(below(8) as u32)][below(3) as usize],
            wait: [
                Wait::Any,
                Wait::Within(ms(below(80))),
                Wait::CoDel { interval: ms(below(60)), target: ms(below(20)) },
            ][below(3) as usize],
            drop_left: below(2) == 0,
        };
        let mut run = Run::new(setup, n, None);
        assert!(run.advance(u64::MAX) > 0);
        let all = run.tally.all();
        let ours = [all.ok, all.refused, all.dropped, all.timeout];
        assert_eq!(ours, by_steps(&setup, every, service, timeout), "{setup:?}");
        seen.iter_mut().zip(ours).for_each(|(sum, n)| *sum += n);
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

/// A queue without room is Erlang's loss system plus room, and a limit in flight is M/M/c/K.
#[test]
fn as_queueing_theory() {
    let file = vector("theory/queueing_exact.json");
    let mut met = 0;
    for row in file["MMcK"].as_array().expect("rows") {
        let of = |key: &str| row[key].as_f64().expect("a number");
        let (c, k, rate) = (of("c") as u32, of("K") as u32, of("lam"));
        if k <= c {
            continue;
        }
        let setup = Setup {
            arrivals: Arrivals::Poisson { rate: Rate::milli_per_s((rate * 1e5).round() as u64) },
            requests: 60_000,
            mix: [0; CLASSES],
            says: [0; CLASSES],
            service: Law::Exponential(Span::us((10_000.0 / of("mu")) as u64)),
            slots: c,
            timeout: None,
            gate: Gate::Queue(k - c),
            order: Order::Lifo,
            wait: Wait::Any,
            drop_left: false,
        };
        let blocked = |setup: Setup| {
            let mut run = Run::new(setup, 3, None);
            run.advance(u64::MAX);
            run.tally.all().refused as f64 / 60_000.0
        };
        let expected = of("p_block");
        let found = blocked(setup);
        assert!((found - expected).abs() < 0.004 + 0.08 * expected, "{row}: {found}");
        assert_eq!(found, blocked(Setup { gate: Gate::InFlight(k), ..setup }));
        met += 1;
    }
    assert!(met >= 3, "{met}");
}

/// What each limit is for: found without being told the capacity, and where it fails.
#[test]
fn limits_at_work() {
    for (setup, least, most) in [("vegas", 10.0, 30.0), ("gradient2", 20.0, 120.0), ("envoy", 12.0, 20.0)] {
        let ran = ran(setup, "");
        let mean = ran.get("limit_mean");
        assert!((least..most).contains(&mean), "{setup}: {mean}");
        assert!(ran.get("ok") > 1_800.0 && ran.get("none_ok") < 500.0, "{setup}");
        assert!(ran.get("p99_ok") < 600.0);
    }
    // Measuring costs Envoy goodput; without drops AIMD climbs to its maximum.
    assert!(ran("envoy", "measure=5s").get("ok") < 0.97 * ran("envoy", "").get("ok"));
    assert_eq!(ran("vegas", "door=aimd").get("limit_last"), 200.0);
    assert_eq!(ran("vegas", "door=aimd&most=50").get("limit_most"), 50.0);
    // A call dropped at its turn is a drop.
    let dropping = ran("vegas", "door=aimd&wait=fixed&max_wait=300");
    assert!(dropping.get("limit_most") < 150.0, "{}", dropping.get("limit_most"));
    assert!(dropping.get("dropped") > 0.0);
}

/// Goodput over the load, which is never above the capacity: a plateau with the bound, with LIFO and with CoDel; FIFO collapses.
#[test]
fn plateau_and_collapse() {
    let ran = ran("article", "");
    let rows: Vec<_> = ran.outcome.rows(&ran.plan, "by_load").collect();
    assert!(rows.len() == 5 && rows.iter().all(|row| row[1..].iter().all(|&ok| ok <= 600.0)), "{rows:?}");
    for row in rows.iter().filter(|row| row[0] > 200.0) {
        assert!([1, 3, 4].iter().all(|&way| row[way] >= 570.0), "{row:?}");
    }
    let fifo: Vec<f64> = rows.iter().filter(|row| row[0] >= 300.0).map(|row| row[2]).collect();
    assert!(fifo.is_sorted_by(|a, b| a > b) && fifo[2] < 300.0, "{fifo:?}");
}

/// Every request ends once, and no more are answered in time than were offered or could be served.
#[test]
fn requests_add_up() {
    for n in 0..60 {
        let knobs = shuffled_within(card(), 93, n, 30_000);
        let ran = Ran::of(card(), &*knobs, n);
        for (prefix, book) in ["", "none_", "lifo_", "codel_"].iter().zip(&ran.outcome.books) {
            let get = |figure: &str| ran.get(&format!("{prefix}{figure}"));
            assert_eq!(get("ok") + get("shed") + get("timeout"), ran.get("offered"));
            assert_eq!(get("shed"), get("refused") + get("dropped"));
            assert_eq!(book.good as f64, get("ok"));
            assert_eq!(book.server.wasted as f64, get("wasted"));
            let most = ran.get("capacity") * (get("drained") + 0.001) + 1.0;
            // Service times at random may all be short.
            let random = overload_cards::knobs::fields(&mut *knobs.boxed())
                .iter()
                .any(|f| f.key == "law" && f.value() != "fixed");
            assert!(random || get("ok") <= most, "{} of {most}", get("ok"));
        }
    }
}

/// Dragging a knob of the article's run redraws within the frame.
#[test]
fn fits_into_a_frame() {
    let knobs = changed(card(), "article", []);
    let mut run = card().start(&*knobs, 1);
    let mut events = 0;
    while !run.advance(100).done {
        events += 100;
    }
    let cost = card().cost(&*knobs);
    assert!(cost < 60_000 && events < 60_000, "{events} events, estimated {cost}");
    assert!(events < 2 * cost && cost < 2 * events, "{events} events, estimated {cost}");
}
