//! The station against queueing theory.
//!
//! Each point of theory is met by independent replications, one seed each. Their mean must lie within 4 standard errors
//! of the theory, plus the allowance that the check names; and the standard error itself must be small, so that a wrong
//! station fails. The seeds are fixed, so a test that passes passes for ever; with [`SEEDS`] replications one right
//! check in about 3000 (Student's t) would have failed when the seeds were chosen. An earlier choice had one such
//! (M/M/20 at ρ = 0.8, time in system); ten times as many seeds put that point 0.6 standard errors from the theory.
//!
//! `QUEUEING_SHOW=1 cargo test -p overload-tests queueing -- --nocapture` prints every estimate beside its theory.

use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::pool::{Offer, Pool};
use overload_sim::record::{Bins, Level, Samples, percentile};
use overload_sim::station::{Measures, Outcome, Setup, Station};
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::support::vector;

/// Replications a point.
const SEEDS: u64 = 32;

/// The service time that stands for 1/µ = 1: long enough that a microsecond is nothing, and 1/s is 0.1 a service time.
const UNIT: Span = Span::ms(100);

/// A station with λ per service time `UNIT`, c workers, room for `room`; lengths for one replication.
fn setup(lambda: f64, service: Law, workers: u32, room: u32, warm_up: u32, measured: u32) -> Setup {
    let rate = Rate::milli_per_s((lambda * 1e4).round() as u64);
    Setup {
        arrivals: Arrivals::Poisson { rate },
        service,
        workers,
        room,
        timeout: Span::MAX,
        requests: warm_up + measured,
        warm_up,
        record: true,
    }
}

/// Runs to the end and requires both books to sum up.
#[track_caller]
fn finish(setup: Setup, seed: u64) -> (Station, Outcome) {
    let mut station = Station::new(setup, seed);
    assert!(station.advance(u64::MAX));
    let outcome = station.outcome();
    let (caller, server) = (outcome.caller, outcome.server);
    assert_eq!((caller.open(), server.open(), station.pool().in_flight()), (0, 0, 0), "{setup:?}: {outcome:?}");
    assert_eq!((caller.attempts, server.arrivals), (u64::from(setup.requests), u64::from(setup.requests)));
    assert_eq!((caller.ok, caller.timeout, caller.shed), (server.useful, server.wasted, server.refused));
    (station, outcome)
}

#[track_caller]
fn run(setup: Setup, seed: u64) -> Outcome {
    finish(setup, seed).1
}

/// The seeds of a setup's replications: others for each station, so that one point's luck is not every point's luck.
fn seeds(setup: &Setup) -> impl Iterator<Item = u64> + use<> {
    let load = (setup.arrivals.mean_per_s() * 1e3) as u64;
    let first = load << 32 | u64::from(setup.room.min(0xffff)) << 16 | u64::from(setup.workers);
    (0..SEEDS).map(move |seed| first.wrapping_mul(SEEDS).wrapping_add(seed))
}

/// The measures of all replications of a setup.
#[track_caller]
fn replicate(setup: Setup) -> Vec<Measures> {
    seeds(&setup).filter_map(|seed| run(setup, seed).measures).collect()
}

/// What is required of an estimate besides 4 standard errors.
#[derive(Clone, Copy, Default)]
struct Bounds {
    /// The standard error is at least this, whatever the replications say: where an event is so rare that most
    /// replications have none, their spread says too little.
    floor: f64,
    /// Allowed on top: rounding to microseconds, or a known error of the theory.
    allowance: f64,
    /// The standard error must not be more than this.
    most: f64,
}

/// Mean within 4 standard errors of the theory.
#[track_caller]
fn check<T>(what: &str, runs: &[T], value: impl Fn(&T) -> f64, theory: f64, bounds: Bounds) {
    let values: Vec<f64> = runs.iter().map(value).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (spread / n).sqrt().max(bounds.floor);
    if std::env::var_os("QUEUEING_SHOW").is_some() {
        println!(
            "{what}: {mean:.6} against {theory:.6}, {:.2} SE, SE {:.3} %",
            (mean - theory) / error,
            100.0 * error / theory
        );
    }
    assert!(error <= bounds.most, "{what}: standard error {error} of {mean} is too big to tell anything");
    let apart = (mean - theory).abs();
    assert!(
        apart <= 4.0 * error + bounds.allowance,
        "{what}: {mean} against {theory}, apart {apart}, standard error {error}"
    );
}

/// A number in an object of a vector file.
#[track_caller]
fn number(object: &Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {object}"))
}

/// The list `key` of a vector file; never empty.
#[track_caller]
fn list<'a>(file: &'a Value, key: &str) -> &'a Vec<Value> {
    file[key].as_array().filter(|list| !list.is_empty()).unwrap_or_else(|| panic!("no list {key}"))
}

const UNBOUNDED: u32 = u32::MAX;
const THEORY: &str = "theory/queueing_exact.json";
const ARTICLE: &str = "articles/queueing_theory.json";

/// Warm-up and measured requests of one replication, so that the mean time comes out to about `relative`.
///
/// From the M/M/1 queue near saturation: it forgets its past in ρ/(1−√ρ)² arrivals, and the mean number in system over
/// n arrivals has the relative variance 2(1+ρ)/((1−ρ)²n) (Whitt 1989, "Planning queueing simulations").
fn lengths(rho: f64, workers: u32, relative: f64) -> (u32, u32) {
    let rho = rho.min(0.99);
    let forget = rho / (1.0 - rho.sqrt()).powi(2);
    let warm_up = 4.0 * forget + 10.0 * f64::from(workers);
    let all = 2.0 * (1.0 + rho) / ((1.0 - rho).powi(2) * relative * relative);
    let measured = (all / SEEDS as f64).clamp(1.2e4_f64.max(400.0 * f64::from(workers)), 2.5e5);
    (warm_up as u32, measured as u32)
}

/// Mean time, wait, numbers and the percentiles of M/M/1.
#[test]
fn mm1() {
    let us = UNIT.as_us() as f64;
    for point in list(&vector(THEORY), "MM1") {
        let (rho, get) = (number(point, "rho"), |key| number(point, key));
        let (warm_up, measured) = lengths(rho, 1, 0.015);
        let setup = setup(rho, Law::Exponential(UNIT), 1, UNBOUNDED, warm_up, measured.max(60_000));
        let mut runs: Vec<_> = seeds(&setup).map(|seed| finish(setup, seed)).collect();
        let measures: Vec<_> = runs.iter().filter_map(|(_, outcome)| outcome.measures).collect();
        // At ρ = 0.99 one per cent would take 400 million requests.
        let most = if rho < 0.98 { 0.03 } else { 0.12 };
        let near = |key| Bounds { most: most * get(key), allowance: 1.0 / us, ..Default::default() };
        let name = |key: &str| format!("M/M/1, rho {rho}, {key}");
        check(&name("W"), &measures, |m| m.mean_time_us / us, get("W"), near("W"));
        check(&name("Wq"), &measures, |m| m.mean_wait_us / us, get("Wq"), near("Wq"));
        check(&name("L"), &measures, |m| m.mean_in_flight, get("L"), near("L"));
        // A sample's percentile far out, where few and correlated samples lie, is off on average. So two checks: the
        // percentile itself where that does not matter …
        for (key, q) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)] {
            let percentile = |m: &Measures| match key {
                "p50" => m.p50,
                "p90" => m.p90,
                "p99" => m.p99,
                _ => m.p999,
            };
            if rho <= 0.5 || q < 0.95 && rho <= 0.9 {
                let bounds = Bounds { allowance: 0.002 * get(key), ..near(key) };
                check(&name(key), &measures, |m| percentile(m).as_us() as f64 / us, get(key), bounds);
            }
            // … and everywhere the share of requests that took longer than theory's percentile, which is not off.
            let limit = Span::us((get(key) * us).round() as u64);
            let longer = |(station, outcome): &mut (Station, Outcome)| {
                let served = outcome.measures.map_or(0, |m| m.served) as f64;
                1.0 - station.times().within(limit) as f64 / served
            };
            let longer: Vec<f64> = runs.iter_mut().map(longer).collect();
            // Near saturation the far tail is made by a handful of busy periods: too noisy to bound the noise.
            let bounded = rho < 0.9 || rho < 0.98 && q < 0.995;
            let most = if bounded { 0.4 * (1.0 - q) } else { f64::INFINITY };
            let bounds = Bounds { most, allowance: 1.0 / us, ..Default::default() };
            check(&name(&format!("beyond {key}")), &longer, |x| *x, 1.0 - q, bounds);
        }
    }
}

/// Time, wait, share that waits (Erlang C) and the article's loss (Erlang B) of one M/M/c point.
#[track_caller]
fn mmc(c: u32, rho: f64, erlang_c: f64, wait: f64, in_flight: f64, relative: f64, name: &str) {
    let lambda = rho * f64::from(c);
    let (warm_up, measured) = lengths(rho, c, relative);
    let runs = replicate(setup(lambda, Law::Exponential(UNIT), c, UNBOUNDED, warm_up, measured));
    let us = UNIT.as_us() as f64;
    let n = f64::from(measured) * SEEDS as f64;
    // Waits are rare in an ample station: if the n requests were independent, the mean wait would have the standard
    // error √(2C/n)·(wait of those that wait), since that wait is exponential. They are not, so it has more.
    let floor = (2.0 * erlang_c / n).sqrt() * wait / erlang_c;
    let time = 1.0 + wait;
    let rounding = 1.0 / us;
    check(
        &format!("{name}, W"),
        &runs,
        |m| m.mean_time_us / us,
        time,
        Bounds { most: 1.5 * relative * time, allowance: rounding, floor: 0.0 },
    );
    check(
        &format!("{name}, L"),
        &runs,
        |m| m.mean_in_flight,
        in_flight,
        Bounds { most: 1.5 * relative * in_flight, allowance: rounding, floor: 0.0 },
    );
    // Where fewer than one in twenty waits, the mean wait is too noisy to bound the noise.
    let most = |theory: f64| if erlang_c >= 0.05 { 0.15 * theory } else { f64::INFINITY };
    check(
        &format!("{name}, Wq"),
        &runs,
        |m| m.mean_wait_us / us,
        wait,
        Bounds { most: most(wait), allowance: rounding, floor },
    );
    check(
        &format!("{name}, Lq"),
        &runs,
        |m| m.mean_waiting,
        lambda * wait,
        Bounds { most: most(lambda * wait), allowance: rounding * lambda, floor: floor * lambda },
    );
    check(
        &format!("{name}, Erlang C"),
        &runs,
        |m| m.waited as f64 / m.offered as f64,
        erlang_c,
        Bounds { most: most(erlang_c), allowance: 1.0 / n, floor: (erlang_c / n).sqrt() },
    );
}

/// The textbook's M/M/c table.
#[test]
fn mmc_theory() {
    for point in list(&vector(THEORY), "MMc") {
        let get = |key| number(point, key);
        let (c, rho) = (get("c") as u32, get("rho"));
        mmc(c, rho, get("erlangC"), get("Wq"), get("L"), 0.03, &format!("M/M/{c}, rho {rho}"));
    }
}

/// Share refused, and with it the throughput, of one station without or with room.
///
/// K counts the calls in service: c = K = 10, λ = 8, µ = 1 gives Erlang's B(10, 8) = 0.1217. So the room is K − c.
#[track_caller]
fn mmck(c: u32, k: u32, offered: f64, blocked: f64, rest: Option<(f64, f64)>, name: &str) {
    let (warm_up, measured) = (10 * k + 10 * offered as u32 + 500, 10_000 + 20 * k);
    // A long queue that is almost never full behaves like one without bound.
    let rho = offered / f64::from(c);
    let (warm_up, measured) = if k > 2 * c && (0.85..1.15).contains(&rho) {
        let (w, m) = lengths(0.95, c, 0.03);
        (warm_up.max(w), measured.max(m))
    } else {
        (warm_up, measured)
    };
    let runs = replicate(setup(offered, Law::Exponential(UNIT), c, k - c, warm_up, measured));
    let us = UNIT.as_us() as f64;
    let n = f64::from(measured) * SEEDS as f64;
    // Refusals come in clusters, so independent ones are the least there can be; one in all of the runs is resolution.
    let floor = (blocked * (1.0 - blocked) / n).sqrt();
    let most = if blocked >= 0.005 { 0.1 * blocked } else { f64::INFINITY };
    let refused = Bounds { floor, allowance: 1.0 / n, most };
    check(&format!("{name}, refused"), &runs, |m| m.refused as f64 / m.offered as f64, blocked, refused);
    let through = offered * (1.0 - blocked);
    let near = |theory: f64| Bounds { most: 0.03 * theory, allowance: 2.0 / us + 1e-6 * theory, floor: 0.0 };
    check(&format!("{name}, goodput"), &runs, |m| m.goodput_per_s() * UNIT.as_s(), through, near(through));
    if let Some((time, in_flight)) = rest {
        check(&format!("{name}, W"), &runs, |m| m.mean_time_us / us, time, near(time));
        check(&format!("{name}, L"), &runs, |m| m.mean_in_flight, in_flight, near(in_flight));
    }
}

/// The textbook's Erlang B table, and the offered loads that a published table gives for a loss of 1 %.
#[test]
fn erlang_b() {
    let file = vector(THEORY);
    for (key, load, loss) in [("ErlangB", "A", "B"), ("ErlangB_inverse_1pct", "A_published", "B_at_A")] {
        for point in list(&file, key) {
            let (c, a) = (number(point, "c") as u32, number(point, load));
            mmck(c, c, a, number(point, loss), None, &format!("Erlang B, c {c}, A {a}"));
        }
    }
}

/// The textbook's M/M/c/K table.
#[test]
fn mmck_theory() {
    for point in list(&vector(THEORY), "MMcK") {
        let get = |key| number(point, key);
        let (c, k, offered) = (get("c") as u32, get("K") as u32, get("lam") / get("mu"));
        let rest = Some((get("W") * get("mu"), get("L")));
        mmck(c, k, offered, get("p_block"), rest, &format!("M/M/{c}/{k}, load {offered}"));
    }
}

/// Pollaczek and Khinchine: the mean wait by the service time's squared coefficient of variation alone, whatever the law.
#[test]
fn mg1() {
    for point in list(&vector(THEORY), "MG1_PK") {
        let (rho, cs2) = (number(point, "rho"), number(point, "cs2"));
        let scv_milli = (cs2 * 1e3).round() as u32;
        let laws = [
            (cs2 == 0.0).then_some(Law::Fixed(UNIT)),
            (cs2 == 1.0).then_some(Law::Exponential(UNIT)),
            (cs2 >= 1.0).then_some(Law::Hyperexponential { mean: UNIT, scv_milli }),
            Some(Law::LogNormal { mean: UNIT, scv_milli }),
        ];
        for law in laws.into_iter().flatten() {
            // The variance grows with that of the service time.
            let (warm_up, measured) = lengths(rho, 1, 0.02 / (1.0 + cs2 / 2.0).sqrt());
            let runs = replicate(setup(rho, law, 1, UNBOUNDED, warm_up, measured));
            let us = UNIT.as_us() as f64;
            for (key, value) in [("Wq", (|m| m.mean_wait_us) as fn(&Measures) -> f64), ("W", |m| m.mean_time_us)] {
                let theory = number(point, key);
                let bounds = Bounds { most: 0.05 * theory, allowance: 1.0 / us, floor: 0.0 };
                check(&format!("M/G/1, rho {rho}, {law:?}, {key}"), &runs, |m| value(m) / us, theory, bounds);
            }
        }
    }
}

/// U(0, 2): squared coefficient of variation 1/3, so at ρ = 0.8 the wait is 4·(1 + 1/3)/2 service times.
#[test]
fn uniform_service() {
    let law = Law::Uniform { from: Span::ZERO, to: UNIT * 2 };
    let (warm_up, measured) = lengths(0.8, 1, 0.02);
    let runs = replicate(setup(0.8, law, 1, UNBOUNDED, warm_up, measured));
    let theory = 4.0 * (4.0 / 3.0) / 2.0;
    let bounds = Bounds { most: 0.02 * theory, ..Default::default() };
    check("M/U/1", &runs, |m| m.mean_wait_us / UNIT.as_us() as f64, theory, bounds);
}

/// Every M/M/c point of the articles, with the loss that the same workers have without room (Erlang B).
#[test]
fn article_mmc() {
    for point in list(&vector(ARTICLE), "points") {
        let (params, expect) = (&point["params"], &point["expect"]);
        if params["model"] != "M/M/c" {
            continue;
        }
        let (c, rho) = (number(params, "c") as u32, number(params, "rho"));
        let service_ms = number(params, "serviceMs");
        let load = number(params, "lambda") * service_ms / 1e3;
        assert!((load - rho * f64::from(c)).abs() < 1e-9);
        let get = |key| number(expect, key);
        let name = format!("article's M/M/{c}, rho {rho}");
        mmc(c, rho, get("erlangC"), get("meanWaitMs") / service_ms, get("L"), 0.04, &name);
        assert!((get("meanTimeMs") - get("meanWaitMs") - service_ms).abs() < 1e-9);
        mmck(c, c, load, get("erlangB"), None, &format!("{name}, Erlang B"));
    }
}

/// The mean wait of M/D/c in service times, exact up to 1e-7.
///
/// Crommelin's argument (1932): whoever is in service now has left one service time D later, so the number in system is
/// then max(0, n − c) plus the arrivals in D. Iterated until it stays as it is.
fn mdc_wait(c: usize, lambda: f64) -> f64 {
    let size = c + 300;
    let mut arrivals = vec![(-lambda).exp()];
    while arrivals.len() < size && (arrivals.len() < 10 + lambda as usize || arrivals[arrivals.len() - 1] > 1e-18) {
        arrivals.push(arrivals[arrivals.len() - 1] * lambda / arrivals.len() as f64);
    }
    let mut now = vec![0.0; size];
    now[0] = 1.0;
    let mut before = 0.0;
    for step in 1.. {
        let mut then = vec![0.0; size];
        for (n, p) in now.iter().enumerate().filter(|(_, p)| **p > 1e-25) {
            for (to, a) in then[n.saturating_sub(c)..].iter_mut().zip(&arrivals) {
                *to += p * a;
            }
        }
        now = then;
        if step % 32 == 0 {
            let waiting: f64 = now.iter().enumerate().map(|(n, p)| n.saturating_sub(c) as f64 * p).sum();
            if (waiting - before).abs() < 1e-8 * waiting {
                return waiting / lambda;
            }
            before = waiting;
        }
    }
    unreachable!()
}

/// M/D/c, against Crommelin's exact wait.
///
/// The article's number is an approximation. Where waits matter (a hundredth of a service time or more) it is within
/// 1 % of the exact one; where they hardly occur it is up to 23 % too big.
#[test]
fn article_mdc() {
    for point in list(&vector(ARTICLE), "points") {
        let (params, expect) = (&point["params"], &point["expect"]);
        if params["model"] != "M/M/c" {
            continue;
        }
        let (c, rho) = (number(params, "c") as u32, number(params, "rho"));
        let article = number(expect, "mdcMeanWaitMsApprox") / number(params, "serviceMs");
        let lambda = rho * f64::from(c);
        let exact = mdc_wait(c as usize, lambda);
        let off = article / exact - 1.0;
        let allowed = match c {
            1 => 1e-6,
            _ if exact > 0.01 => 0.01,
            _ => 0.25,
        };
        assert!(off.abs() < allowed, "M/D/{c}, rho {rho}: the article's {article} is off {exact} by {off}");

        let (warm_up, measured) = lengths(rho, c, 0.03);
        let runs = replicate(setup(lambda, Law::Fixed(UNIT), c, UNBOUNDED, warm_up, measured));
        let us = UNIT.as_us() as f64;
        // Rarer waits than that are too noisy to bound the noise.
        let most = if exact > 1e-3 { 0.06 * exact } else { f64::INFINITY };
        let bounds = Bounds { most, allowance: 1.0 / us, floor: 0.0 };
        check(&format!("M/D/{c}, rho {rho}"), &runs, |m| m.mean_wait_us / us, exact, bounds);
    }
}

/// Every M/M/c/K point of the articles.
#[test]
fn article_mmck() {
    for point in list(&vector(ARTICLE), "points") {
        let (params, expect) = (&point["params"], &point["expect"]);
        if params["model"] != "M/M/c/K" {
            continue;
        }
        let (c, k) = (number(params, "c") as u32, number(params, "K") as u32);
        let service_ms = number(params, "serviceMs");
        let load = number(params, "lambda") * service_ms / 1e3;
        let blocked = number(expect, "pBlock");
        let goodput = number(expect, "goodput") * service_ms / 1e3;
        assert!((goodput - load * (1.0 - blocked)).abs() < 1e-9 * load);
        let rest = Some((number(expect, "meanTimeMs") / service_ms, number(expect, "L")));
        mmck(c, k, load, blocked, rest, &format!("article's M/M/{c}/{k}, load {load}"));
    }
}

/// How many of M/M/1's callers get their answer within a timeout: 1 − exp(−(µ−λ)·timeout), since nobody's leaving
/// relieves the station. The rest of the work is wasted.
#[test]
fn zombie_work() {
    for (rho, timeout) in [(0.5, UNIT), (0.8, UNIT * 5), (0.9, UNIT * 10)] {
        let (warm_up, measured) = lengths(rho, 1, 0.01);
        let station = Setup { timeout, ..setup(rho, Law::Exponential(UNIT), 1, UNBOUNDED, warm_up, measured) };
        let units = timeout.as_us() as f64 / UNIT.as_us() as f64;
        let theory = 1.0 - (-(1.0 - rho) * units).exp();
        let runs = replicate(station);
        let bounds = Bounds { most: 0.01, allowance: 2.0 / UNIT.as_us() as f64, ..Default::default() };
        check(&format!("in time, rho {rho}"), &runs, |m| m.useful as f64 / m.served as f64, theory, bounds);

        let outcome = run(station, 1);
        let server = outcome.server;
        assert!(server.wasted > 0 && outcome.caller.timeout == server.wasted);
        assert_eq!(server.useful + server.wasted, u64::from(station.requests));
        // The station does the same work, whether or not anybody waits for it.
        let patient = run(Setup { timeout: Span::MAX, ..station }, 1);
        assert_eq!(patient.server.useful, server.useful + server.wasted);
        assert_eq!(patient.measures.map(|m| m.mean_time_us), outcome.measures.map(|m| m.mean_time_us));
    }
}

/// The timeout itself is still in time: one worker, a fixed service time, two requests at once.
#[test]
fn timeout_boundary() {
    let base = Setup {
        arrivals: Arrivals::AtOnce,
        service: Law::Fixed(UNIT),
        requests: 2,
        ..setup(1.0, Law::Fixed(UNIT), 1, UNBOUNDED, 0, 0)
    };
    let useful = |timeout| run(Setup { timeout, ..base }, 0).server.useful;
    let us = Span::us(1);
    assert_eq!([UNIT.saturating_sub(us), UNIT, (UNIT * 2).saturating_sub(us), UNIT * 2].map(useful), [0, 1, 1, 2]);
}

/// A hundred stations of all kinds, small ones included.
fn stations() -> Vec<Setup> {
    let mut draw = Draws::new(99, 0).at(0, 0, 0);
    let mut pick = |n: u64| draw.below(n);
    let mut all = Vec::new();
    for i in 0..100 {
        let rate = Rate::milli_per_s(pick(200_000));
        let service = [
            Law::Fixed(Span::us(pick(20_000))),
            Law::Exponential(Span::us(pick(20_000))),
            Law::Uniform { from: Span::ms(1), to: Span::us(pick(40_000)) },
            Law::Hyperexponential { mean: Span::us(pick(20_000)), scv_milli: pick(9_000) as u32 },
            Law::LogNormal { mean: Span::us(pick(20_000)), scv_milli: pick(9_000) as u32 },
        ][pick(5) as usize];
        let arrivals = [
            Arrivals::AtOnce,
            Arrivals::Even { rate },
            Arrivals::Poisson { rate },
            Arrivals::Bursts { size: pick(20) as u32, every: Span::ms(pick(100)) },
        ][i % 4];
        let room = [0, pick(3) as u32, pick(50) as u32, UNBOUNDED][pick(4) as usize];
        let timeout = [Span::ZERO, Span::us(pick(100_000)), Span::MAX][pick(3) as usize];
        let workers = pick(6) as u32;
        all.push(Setup { arrivals, service, workers, room, timeout, requests: 2_000, warm_up: 100, record: true });
    }
    all
}

/// Does the setup's arrival process bring any request at all?
fn comes(setup: &Setup) -> bool {
    setup.arrivals.at(0, Time::ZERO, Draws::new(0, 0)).is_some()
}

/// Both books sum up, goodput is not more than what is offered, and the measures agree with the books.
#[test]
fn books_sum_up() {
    for setup in stations().into_iter().filter(comes) {
        let outcome = run(setup, 5);
        let m = outcome.measures.expect("recording is on");
        assert!(outcome.caller.ok <= outcome.caller.attempts);
        assert!(m.useful <= m.served && m.waited + m.refused <= m.offered, "{m:?}");
        assert_eq!((m.offered, m.served + m.refused), (1_900, 1_900), "{setup:?}");
        assert!(m.mean_wait_us <= m.mean_time_us && m.p50 <= m.p90 && m.p90 <= m.p99 && m.p99 <= m.p999);
        if setup.room != UNBOUNDED {
            assert!(m.peak_in_flight <= u64::from(setup.workers.max(1) + setup.room));
        }
    }
}

/// The same seed gives the same bytes, in slices or in one go, with or without recording; another seed others.
#[test]
fn same_seed_same_bytes() {
    for setup in stations() {
        let mut sliced = Station::new(setup, 7);
        while !sliced.advance(13) {}
        let whole = {
            let mut station = Station::new(setup, 7);
            station.advance(u64::MAX);
            station.outcome()
        };
        assert_eq!(format!("{:?}", sliced.outcome()), format!("{whole:?}"));
        let mut quiet = Station::new(Setup { record: false, ..setup }, 7);
        quiet.advance(u64::MAX);
        let quiet = quiet.outcome();
        assert_eq!((quiet.caller, quiet.server, quiet.end), (whole.caller, whole.server, whole.end));
        assert_eq!(quiet.measures, None);
    }
    let poisson = setup(0.8, Law::Exponential(UNIT), 1, UNBOUNDED, 0, 1000);
    assert_ne!(run(poisson, 1), run(poisson, 2));
}

/// The same requests with one more worker: without a bound on the queue nobody starts later (Kiefer and Wolfowitz 1955:
/// the workers' sorted workloads only shrink), so no answer that was in time becomes late, and the mean wait falls.
///
/// With a bounded queue that need not hold: a long call that was refused may now get in, and be in others' way.
#[test]
fn more_workers_never_fewer_useful() {
    for setup in stations().into_iter().filter(comes) {
        let mut before = (0, f64::INFINITY);
        for workers in 1..8 {
            let outcome = run(Setup { workers, room: UNBOUNDED, ..setup }, 3);
            let wait = outcome.measures.expect("recording is on").mean_wait_us;
            assert!(outcome.server.useful >= before.0 && wait <= before.1, "{workers} workers, {setup:?}");
            before = (outcome.server.useful, wait);
        }
    }
}

/// The pool against the plainest pool there is, through 100,000 random offers and ends: same answers, FIFO order.
#[test]
fn pool_is_first_come_first_served() {
    let mut draw = Draws::new(4, 0).at(0, 0, 0);
    for (workers, room) in [(1, 0), (1, 3), (3, 0), (3, 10), (8, 2), (2, UNBOUNDED)] {
        let mut pool = Pool::new(workers, room);
        let (mut busy, mut queue, mut started) = (0, Vec::new(), Vec::new());
        for call in 0..20_000 {
            if draw.below(2) == 0 {
                let expected = if busy < workers {
                    busy += 1;
                    started.push(call);
                    Offer::Start
                } else if (queue.len() as u64) < u64::from(room) {
                    queue.push(call);
                    Offer::Wait
                } else {
                    Offer::Refuse
                };
                assert_eq!(pool.offer(call), expected);
            } else if busy > 0 {
                let next = (!queue.is_empty()).then(|| queue.remove(0));
                busy -= u32::from(next.is_none());
                started.extend(next);
                assert_eq!(pool.finish(), next);
            } else {
                assert_eq!(pool.finish(), None);
            }
            assert_eq!((pool.in_service(), pool.waiting()), (busy, queue.len()));
            assert_eq!(pool.in_flight(), busy as usize + queue.len());
        }
        assert!(started.len() > 4_000 && started.is_sorted());
    }
    assert_eq!(Pool::new(0, 0).offer(1), Offer::Start, "a pool has at least one worker");
}

/// Even arrivals never drift, and the other patterns are what they say.
#[test]
fn arrivals() {
    let draws = Draws::new(1, 1);
    let at = |arrivals: Arrivals, n| arrivals.at(n, Time::ZERO, draws).map(Time::as_us);
    let third = Arrivals::Even { rate: Rate::per_s(3) };
    assert_eq!([0, 1, 2, 3, 4].map(|n| at(third, n)), [0, 333_333, 666_666, 1_000_000, 1_333_333].map(Some));
    assert_eq!(at(third, 3_000_000_000), Some(1_000_000_000_000_000));
    assert_eq!(at(Arrivals::Even { rate: Rate::milli_per_s(500) }, 7), Some(14_000_000));
    let bursts = Arrivals::Bursts { size: 3, every: Span::ms(2) };
    assert_eq!([0, 2, 3, 5, 6].map(|n| at(bursts, n)), [0, 0, 2_000, 2_000, 4_000].map(Some));
    assert_eq!(at(Arrivals::AtOnce, 1_000_000), Some(0));
    for never in [Arrivals::Even { rate: Rate::ZERO }, Arrivals::Poisson { rate: Rate::ZERO }] {
        assert_eq!(at(never, 0), None);
    }
    assert_eq!(at(Arrivals::Bursts { size: 0, every: Span::ms(1) }, 0), None);

    // 600/s, whose gap is not a whole number of microseconds: 4 standard errors of a Poisson count.
    let poisson = Arrivals::Poisson { rate: Rate::per_s(600) };
    let n = 1_000_000;
    let last = (0..n).fold(Time::ZERO, |previous, n| poisson.at(n, previous, draws).expect("it comes"));
    let rate = n as f64 / last.as_s();
    assert!((rate - 600.0).abs() < 4.0 * 600.0 / (n as f64).sqrt(), "{rate}");
}

/// Mean and squared coefficient of variation of every law, within 4 standard errors (by 100 batches of 4000).
#[test]
fn laws() {
    let mean = Span::ms(10);
    let laws = [
        (Law::Fixed(mean), 0.0),
        (Law::Exponential(mean), 1.0),
        (Law::Uniform { from: Span::ms(5), to: Span::ms(15) }, 1.0 / 12.0),
        (Law::Hyperexponential { mean, scv_milli: 4_000 }, 4.0),
        (Law::Hyperexponential { mean, scv_milli: 500 }, 1.0),
        (Law::LogNormal { mean, scv_milli: 250 }, 0.25),
        (Law::LogNormal { mean, scv_milli: 2_000 }, 2.0),
        (Law::LogNormal { mean, scv_milli: 0 }, 0.0),
    ];
    for (law, scv) in laws {
        assert_eq!(law.mean(), mean);
        let moment = |power: i32, theory: f64| {
            let batch = |b: u64| {
                let draws = Draws::new(b, 3);
                let one = |i| (law.draw(&mut draws.at(i, 0, 0)).as_us() as f64 / 1e4).powi(power);
                (0..4000).map(one).sum::<f64>() / 4000.0
            };
            let batches: Vec<f64> = (0..100).map(batch).collect();
            let of = batches.iter().sum::<f64>() / 100.0;
            let error = (batches.iter().map(|x| (x - of).powi(2)).sum::<f64>() / 99.0 / 100.0).sqrt();
            assert!((of - theory).abs() <= 4.0 * error + 1e-6, "{law:?}: moment {power} is {of}, not {theory}");
        };
        moment(1, 1.0);
        moment(2, 1.0 + scv);
    }
    let mut draw = Draws::new(1, 1).at(0, 0, 0);
    let three = Law::Uniform { from: Span::us(2), to: Span::us(4) };
    let seen: Vec<u64> = (0..100).map(|_| three.draw(&mut draw).as_us()).collect();
    assert_eq!((seen.iter().min(), seen.iter().max()), (Some(&2), Some(&4)), "both ends included");
    assert_eq!(Law::Uniform { from: Span::us(5), to: Span::us(1) }.draw(&mut draw), Span::us(5));
}

/// The house's percentile: `sorted[floor(n·q)]`, the last one at most.
#[test]
fn percentiles() {
    let ten: Vec<u32> = (0..10).collect();
    assert_eq!([0.0, 0.05, 0.1, 0.5, 0.99, 1.0, 7.0].map(|q| percentile(&ten, q)), [0, 0, 1, 5, 9, 9, 9].map(Some));
    assert_eq!([f64::NAN, -1.0].map(|q| percentile(&ten, q)), [Some(0); 2]);
    assert_eq!(percentile::<u32>(&[], 0.5), None);
    let mut samples = Samples::default();
    assert_eq!((samples.percentile(0.5), samples.mean_us(), samples.is_empty()), (None, None, true));
    [30, 10, 20].into_iter().for_each(|us| samples.add(Span::us(us)));
    assert_eq!(samples.percentile(0.5), Some(Span::us(20)));
    samples.add(Span::us(5));
    let of = [0.0, 0.25, 0.5, 0.75].map(|q| samples.percentile(q).map(Span::as_us));
    assert_eq!(of, [5, 10, 20, 30].map(Some), "sorted again after another sample");
    assert_eq!((samples.mean_us(), samples.len()), (Some(16.25), 4));
    assert_eq!([4, 5, 19, 20, 31].map(|us| samples.within(Span::us(us))), [0, 1, 2, 3, 4]);
}

/// A level is weighted by how long it lasts.
#[test]
fn levels() {
    let mut level = Level::default();
    assert_eq!(level.mean(Time::ZERO), 0.0);
    level.set(Time::us(10), 4);
    level.set(Time::us(20), 1);
    assert_eq!((level.mean(Time::us(20)), level.mean(Time::us(40)), level.peak()), (2.0, 1.5, 4));
    level.restart(Time::us(30));
    assert_eq!((level.mean(Time::us(30)), level.mean(Time::us(40)), level.peak()), (0.0, 1.0, 1));
    level.set(Time::us(35), 3);
    assert_eq!((level.mean(Time::us(40)), level.value(), level.peak()), (2.0, 3, 3));
}

/// Bins begin with their first microsecond; what lies behind the last is counted, not kept.
#[test]
fn bins() {
    let mut bins = Bins::new(Span::us(10), 3);
    [0, 9, 10, 25, 29, 30, 1_000_000].into_iter().for_each(|us| bins.add(Time::us(us)));
    assert_eq!((bins.counts(), bins.beyond(), bins.total()), ([2, 1, 2].as_slice(), 2, 7));
    assert_eq!(Bins::new(Span::ZERO, 1).width(), Span::us(1));
}
