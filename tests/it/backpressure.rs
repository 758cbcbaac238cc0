//! Card `backpressure` and the part below it: Node's stream, the article's server, an independent model.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::stream::{Flow, HighWater, Setup, Stream};
use overload_sim::time::{Span, Time};

use crate::circuit_breaker::vectors_of;
use crate::support::{Ran, changed, pairs, vector};

fn card() -> &'static dyn Card {
    find("backpressure").expect("the card")
}

fn run(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

/// Node's Writable, driven by hand: what write() returned, when drain came, what was inside.
#[test]
fn node_streams() {
    let vectors = vectors_of("libraries/node_writable.json", "backpressure.node_writable");
    assert!(vectors.len() >= 6);
    for vector in vectors {
        let (given, log) = (&vector["given"], vector["expect"]["log"].as_array().expect("a log"));
        let mut mark = HighWater::new(given["high_water_mark"].as_u64().expect("a mark") as u32, 0);
        let script = given["script"].as_str().expect("a script");
        assert_eq!(script.len(), log.len());
        for (n, (step, line)) in script.chars().zip(log).enumerate() {
            let (returned, drain) = if step == 'w' { (Some(mark.write()), false) } else { (None, mark.done()) };
            let got = (returned, u64::from(drain), u64::from(mark.held()));
            let expected = (
                line["returned"].as_bool(),
                line["drain"].as_u64().expect("a count"),
                line["length"].as_u64().expect("a length"),
            );
            assert_eq!(got, expected, "{}: step {n}", vector["id"]);
        }
    }
    let defaults = &vectors_of("libraries/node_writable.json", "backpressure.node_defaults")[0]["expect"];
    assert_eq!(defaults["object_mode"], 16);
    let node = run("node", "");
    assert_eq!((node.get("press_peak"), node.get("press_dropped")), (16.0, 0.0));
}

/// The article's server at every point of its vectors: without a bound, and with a bound that drops.
#[test]
fn the_articles_server() {
    let file = vector("articles/shedding.json");
    let mut tried = 0;
    for point in file["points"].as_array().expect("points") {
        let (params, expect) = (&point["params"], &point["expect"]);
        let other = ["disc", "tick", "overhead", "zombie"].iter().any(|key| !params[key].is_null());
        let shed = &params["shed"];
        if params["arrivals"] != "even" || other || !shed["maxWait"].is_null() {
            continue;
        }
        let number = |key: &str, default: u64| params[key].as_u64().unwrap_or(default);
        let flow = match shed["inflight"].as_u64() {
            Some(limit) => Flow::Drop { limit: limit as u32, oldest: false },
            None => Flow::Unbounded,
        };
        let setup = Setup {
            length: Span::us(number("n", 0) * 1_000_000 / number("rate", 1)),
            arrivals: Arrivals::Even { rate: Rate::per_s(number("rate", 1)) },
            workers: number("c", 10) as u32,
            work: Law::Fixed(Span::ms(number("S", 50))),
            deadline: Span::ms(number("timeout", 1_000)),
            ..plain(flow)
        };
        let stream = ended(setup, 1);
        let what = format!("{params}");
        let of = |key: &str| expect[key].as_u64().expect("a count");
        if params["rate"] == 300 && shed.is_null() {
            // Ten items are exactly a second old here. Whole microseconds count them all, the vectors' floats six of them.
            assert_eq!((stream.in_time, of("ok")), (580, 576));
            continue;
        }
        assert_eq!((stream.wanted, stream.in_time), (number("n", 0), of("ok")), "{what}");
        assert_eq!((stream.dropped, stream.late), (of("s503"), of("timeouts")), "{what}");
        if stream.in_time > 0 {
            let p50 = stream.fresh.clone().percentile(0.5).expect("an age").as_ms();
            assert!((p50 - expect["p50"].as_f64().expect("p50")).abs() <= 0.06, "{what}: p50 {p50}");
        }
        tried += 1;
    }
    assert!(tried >= 25, "{tried}");
}

fn plain(flow: Flow) -> Setup {
    Setup {
        arrivals: Arrivals::Even { rate: Rate::per_s(400) },
        profile: None,
        length: Span::s(3),
        workers: 10,
        work: Law::Fixed(Span::ms(50)),
        flow,
        can_wait: true,
        deadline: Span::s(1),
        memory: u32::MAX,
        restart: Span::s(1),
    }
}

fn ended(setup: Setup, seed: u64) -> Stream {
    let mut stream = Stream::new(setup, Draws::new(seed, 1));
    while stream.step() {}
    stream
}

/// The same, item by item and without events: each is taken up by the worker that is free first; how many are inside is counted
/// from the ends that are known; a producer that was stopped goes on when enough of them have passed.
fn counted(gap: u64, n: u64, workers: usize, work: u64, flow: Flow, can_wait: bool) -> (Vec<(u64, u64)>, u64) {
    let mut free = vec![0u64; workers];
    // Ends of those inside, ascending; who comes meets those that end at that very moment.
    let mut inside: Vec<u64> = Vec::new();
    let (mut done, mut lost, mut shift) = (Vec::new(), 0, 0);
    // How many have to end before the producer may go on.
    let mut leave = 0;
    for k in 0..n {
        let mut at = k * gap + shift;
        let go_on = (leave > 0).then(|| inside[leave - 1]);
        match go_on {
            Some(go_on) if at <= go_on => {
                if !can_wait {
                    lost += 1;
                    continue;
                }
                shift += go_on - at;
                at = go_on;
                inside.drain(..leave);
            }
            _ => inside.retain(|&end| end >= at),
        }
        leave = 0;
        if let Flow::Drop { limit, .. } = flow
            && inside.len() >= limit as usize
        {
            lost += 1;
            continue;
        }
        let worker = (0..workers).min_by_key(|&w| free[w]).expect("a worker");
        free[worker] = free[worker].max(at) + work;
        inside.push(free[worker]);
        inside.sort_unstable();
        done.push((at, free[worker]));
        if let Flow::Signal { mark, low } = flow
            && inside.len() >= mark as usize
        {
            // At the next end at least, since only an end can say so.
            leave = inside.len().saturating_sub(low as usize).max(1);
        }
    }
    (done, lost)
}

#[test]
fn the_independent_model() {
    for n in 0..1_200 {
        let mut draw = Draws::new(3, 0xbac).at(n, 0, 0);
        let mut of = |least: u64, most: u64| least + draw.below(most - least + 1);
        let (gap, work, workers) = (of(1, 400) * 100, of(1, 900) * 100, of(1, 12));
        let (mark, low, items, can_wait) = (of(1, 40) as u32, of(0, 45) as u32, of(1, 150), of(0, 1) == 0);
        let flow = match of(0, 2) {
            0 => Flow::Unbounded,
            1 => Flow::Drop { limit: mark, oldest: false },
            _ => Flow::Signal { mark, low },
        };
        // Even arrivals whose gap is a whole number of microseconds: at rates that allow it.
        let milli = 1_000_000_000 / gap;
        if 1_000_000_000 % gap != 0 {
            continue;
        }
        let setup = Setup {
            arrivals: Arrivals::Even { rate: Rate::milli_per_s(milli) },
            length: Span::us(gap * items),
            workers: workers as u32,
            work: Law::Fixed(Span::us(work)),
            can_wait,
            ..plain(flow)
        };
        let what = format!("{n}: {setup:?}");
        let stream = ended(setup, n);
        let (done, lost) = counted(gap, items, workers as usize, work, flow, can_wait);
        assert_eq!(stream.dropped + stream.turned_away, lost, "{what}");
        let mut expected: Vec<(u64, u64)> = done.iter().map(|&(at, end)| (end, end - at)).collect();
        expected.sort_unstable();
        let mut got: Vec<(u64, u64)> = stream.log.iter().map(|l| (l.0.as_us(), l.1.as_us())).collect();
        got.sort_unstable();
        assert_eq!(got, expected, "{what}");
    }
}

/// Whatever flows: books that sum up, bounds that hold, and what can wait is never lost.
#[test]
fn whatever_flows() {
    for n in 0..1_500 {
        let mut draw = Draws::new(5, 0xf10).at(n, 0, 0);
        let mut of = |least: u64, most: u64| least + draw.below(most - least + 1);
        let (mark, low, batch) = (of(1, 60) as u32, of(0, 70) as u32, of(1, 50) as u32);
        let flow = match of(0, 3) {
            0 => Flow::Unbounded,
            1 => Flow::Drop { limit: mark, oldest: of(0, 1) == 0 },
            2 => Flow::Signal { mark, low },
            _ => Flow::Pull { batch, low, trip: Span::ms(of(0, 300)) },
        };
        let setup = Setup {
            arrivals: Arrivals::Poisson { rate: Rate::per_s(of(1, 300)) },
            length: Span::s(2),
            workers: of(1, 12) as u32,
            work: Law::Exponential(Span::ms(of(1, 200))),
            can_wait: of(0, 1) == 0,
            memory: if of(0, 2) == 0 { of(1, 80) as u32 } else { u32::MAX },
            ..plain(flow)
        };
        let what = format!("{n}: {setup:?}");
        let s = ended(setup.clone(), n);
        assert_eq!((s.caller.open(), s.server.open()), (0, 0), "{what}");
        assert_eq!(s.in_time + s.late + s.dropped + s.turned_away + s.crashed, s.wanted, "{what}");
        assert!(s.log.iter().all(|l| l.0 <= s.finished), "{what}");
        let peak = s.level.peak();
        assert!(peak <= u64::from(setup.memory).saturating_add(1), "{what}: {peak}");
        match flow {
            Flow::Unbounded => assert_eq!(s.turned_away, 0, "{what}"),
            Flow::Drop { limit, .. } => assert!(peak <= u64::from(limit), "{what}: {peak}"),
            Flow::Signal { mark, .. } => assert!(peak <= u64::from(mark), "{what}: {peak}"),
            Flow::Pull { batch, low, .. } => assert!(peak <= u64::from(low + batch), "{what}: {peak}"),
        }
        let asks = matches!(flow, Flow::Signal { .. } | Flow::Pull { .. });
        if asks && setup.can_wait {
            assert_eq!(s.dropped + s.turned_away, 0, "{what}");
            assert!(s.crashes == 0 || peak > u64::from(setup.memory), "{what}");
        }
        assert!(s.stops.iter().all(|stop| stop.0 <= stop.1 && stop.1 < Time::MAX), "{what}: {:?}", s.stops);
    }
}

/// Closed forms: a buffer without bound grows by the difference of the rates, and the last item is done when all the work is.
#[test]
fn closed_forms() {
    for (rate, length) in [(250u64, 2_000u64), (400, 3_000), (600, 4_000), (1_000, 1_000)] {
        let ran = run("article", &format!("rate={rate}&length={length}"));
        let items = (rate * length / 1_000) as f64;
        let capacity = 200.0;
        assert_eq!(ran.get("items"), items);
        // One batch of ten stays in work; at the end of it the next ten have come.
        let peak = (rate as f64 - capacity) * length as f64 / 1e3;
        assert!((ran.get("plain_peak") - peak).abs() <= 12.0, "{rate}: {} against {peak}", ran.get("plain_peak"));
        let finished = items / capacity * 1e3;
        for key in ["plain_finished", "press_finished", "pull_finished"] {
            assert!((ran.get(key) - finished).abs() <= 60.0, "{rate}: {key} {}", ran.get(key));
        }
        assert_eq!((ran.get("press_in_time"), ran.get("press_dropped")), (items, 0.0));
        assert!(ran.get("press_oldest") <= 30.0 / capacity * 1e3 + 50.0);
    }
}

#[test]
fn findings() {
    // Drain at zero: ten workers run dry each time.
    let late = run("drain_late", "");
    assert!(late.get("press_idle") > 10.0 && late.get("press_finished") > 6_500.0);
    let soon = run("article", "");
    assert!(soon.get("press_idle") < 1.0 && soon.get("press_finished") < 6_100.0);
    // A producer that cannot wait: shedding by another name.
    let live = run("live", "");
    let (press, drop) = (live.get("press_dropped"), live.get("drop_dropped"));
    assert!((press - drop).abs() < 0.05 * drop, "{press} against {drop}");
    assert_eq!(live.get("press_stopped"), 0.0);
    // Memory: 512 items of 1 MB at 200 more a second.
    let full = run("full", "");
    assert_eq!(full.get("plain_peak"), 513.0);
    assert!((full.get("full_at") - 2_560.0).abs() < 1e-6);
    assert_eq!((full.get("press_crashed"), full.get("press_memory")), (0.0, 30.0));
    // A burst is what a buffer is for.
    let burst = run("burst", "");
    assert_eq!((burst.get("plain_late"), burst.get("plain_crashed")), (0.0, 0.0));
    assert!(burst.get("plain_peak") > 140.0);
}

/// Where it turns: nobody misses anything below the capacity; above it those do that tell nobody.
#[test]
fn turning_points() {
    let ran = run("article", "");
    let rows = |way: f64| -> Vec<(f64, f64)> {
        ran.outcome.rows(&ran.plan, "turn").filter(|r| r[0] == way).map(|r| (r[1], r[2])).collect()
    };
    for way in 0..4 {
        assert!(rows(f64::from(way)).iter().filter(|r| r.0 <= 100.0).all(|r| r.1 == 0.0), "{way}");
    }
    let worst = |way: f64| rows(way).last().expect("a load").1;
    assert!(worst(0.0) > 40.0 && worst(1.0) > 25.0);
    assert_eq!((worst(2.0), worst(3.0)), (0.0, 0.0));
    let live = run("live", "");
    let rows: Vec<f64> = live.outcome.rows(&live.plan, "turn").filter(|r| r[0] == 2.0).map(|r| r[2]).collect();
    assert!(rows.last() > Some(&25.0));
}
