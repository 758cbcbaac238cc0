//! gobreaker, cockatiel, Polly, Hystrix and Envoy's outlier detection against their vectors, and what their sources say
//! beyond them.

use std::collections::VecDeque;

use overload_sim::breaker::cockatiel::{self, Cockatiel};
use overload_sim::breaker::envoy::{self, Envoy};
use overload_sim::breaker::gobreaker::{Gobreaker, Settings, Trip};
use overload_sim::breaker::hystrix::{Hystrix, Properties};
use overload_sim::breaker::polly::{self, Polly};
use overload_sim::breaker::{Admission, Breaker, Percent, Permit, State, Verdict};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};
use serde_json::{Value, json};

use crate::circuit_breaker::{java_span, same_log, span, vectors_of};

const MISC: &str = "libraries/breaker_misc.json";

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::ms(ms)
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}"))
}

/// One call that ends at once; whether it was let through.
fn call(breaker: &mut dyn Breaker, now: Time, verdict: Verdict) -> bool {
    let admission = breaker.acquire(now);
    if let Admission::Go(permit) = admission {
        breaker.report(now, permit, verdict, Span::ZERO);
    }
    matches!(admission, Admission::Go(_))
}

fn calls(breaker: &mut dyn Breaker, now: Time, n: u64, verdict: Verdict) {
    (0..n).for_each(|_| assert!(call(breaker, now, verdict), "let through"));
}

#[track_caller]
fn go(breaker: &mut dyn Breaker, now: Time) -> Permit {
    match breaker.acquire(now) {
        Admission::Go(permit) => permit,
        other => panic!("{other:?}"),
    }
}

// ---- gobreaker: a line of tokens

fn settings(given: &Value) -> Settings {
    let mut settings = Settings::DEFAULT;
    for (name, value) in given.as_object().expect("settings") {
        match name.as_str() {
            "MaxRequests" => settings.probes = count(value) as u32,
            "Interval" => settings.interval = java_span(value),
            "BucketPeriod" => settings.bucket = java_span(value),
            "Timeout" => settings.open = java_span(value),
            _ => panic!("unknown setting {name}"),
        }
    }
    settings
}

const fn go_name(state: State) -> &'static str {
    match state {
        State::Closed => "closed",
        State::Open => "open",
        State::HalfOpen => "half-open",
    }
}

#[test]
fn gobreaker_as_the_library() {
    let vectors = vectors_of("libraries/breaker_gobreaker.json", "circuit_breaker.gobreaker");
    assert!(vectors.len() >= 4, "{} vectors", vectors.len());
    for v in &vectors {
        let id = v["id"].as_str().expect("an id");
        let mut breaker = Gobreaker::new(settings(&v["given"]["config"]));
        let (mut now, mut begun) = (0, VecDeque::new());
        let (mut transitions, mut log) = (Vec::new(), Vec::new());
        for token in v["given"]["script"].as_str().expect("a script").split_whitespace() {
            let (token, times) = token.split_once('*').map_or((token, 1), |(t, n)| (t, n.parse().expect("times")));
            for _ in 0..times {
                let mut states = vec![breaker.state()];
                match token {
                    "s" | "e" | "begin" => {
                        let before = breaker.state();
                        let admission = breaker.acquire(ms(now));
                        states.push(breaker.state());
                        let refusal = if breaker.state() == State::Open {
                            "circuit breaker is open"
                        } else {
                            "too many requests"
                        };
                        let (key, said) = match (admission, token) {
                            (Admission::Go(permit), "begin") => {
                                begun.push_back(permit);
                                ("begin", "admitted")
                            }
                            (Admission::Go(permit), _) => {
                                let verdict = if token == "s" { Verdict::Ok } else { Verdict::Failed };
                                breaker.report(ms(now), permit, verdict, Span::ZERO);
                                ("r", if token == "s" { "ok" } else { "x" })
                            }
                            (_, "begin") => ("begin", refusal),
                            _ => ("r", refusal),
                        };
                        assert!(before != State::Closed || said != "too many requests", "{id}");
                        log.push(json!({ "t": now, key: said }));
                    }
                    "endok" | "enderr" => {
                        let permit = begun.pop_front().expect("a call that has begun");
                        let verdict = if token == "endok" { Verdict::Ok } else { Verdict::Failed };
                        breaker.report(ms(now), permit, verdict, Span::ZERO);
                    }
                    "?" => {
                        // The counts as they lie, then the state, which looks at the clock.
                        let counts = breaker.counts();
                        let state = go_name(breaker.look(ms(now)));
                        log.push(json!({
                            "t": now, "state": state, "requests": counts.requests, "fail": counts.failures,
                            "ok": counts.successes, "consecutive_failures": counts.failures_in_a_row,
                            "consecutive_successes": counts.successes_in_a_row,
                        }));
                    }
                    _ => now += token.strip_prefix('+').and_then(|n| n.parse::<u64>().ok()).expect("a token"),
                }
                states.push(breaker.state());
                for pair in states.windows(2).filter(|pair| pair[0] != pair[1]) {
                    transitions.push(json!({ "t": now, "from": go_name(pair[0]), "to": go_name(pair[1]) }));
                }
            }
        }
        same_log(id, "transitions", &transitions, &v["expect"]["transitions"]);
        same_log(id, "log", &log, &v["expect"]["log"]);
    }
}

/// Five failures in a row are not enough, six are; a success between starts anew.
#[test]
fn gobreaker_wants_more_than_five() {
    let mut breaker = Gobreaker::new(Settings::DEFAULT);
    calls(&mut breaker, ms(0), 5, Verdict::Failed);
    calls(&mut breaker, ms(0), 1, Verdict::Ok);
    calls(&mut breaker, ms(0), 5, Verdict::Failed);
    // What is excluded does not end the row.
    calls(&mut breaker, ms(0), 1, Verdict::Ignored);
    assert_eq!(breaker.state(), State::Closed);
    calls(&mut breaker, ms(0), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Open);
    assert!(!call(&mut breaker, ms(60_000), Verdict::Ok), "strictly after the timeout");
    assert!(call(&mut breaker, ms(60_001), Verdict::Ok));
    assert_eq!(breaker.state(), State::Closed);
}

/// A fixed interval begins when somebody comes after the one before, and drops the results of calls from before it.
#[test]
fn gobreaker_intervals() {
    let mut breaker = Gobreaker::new(Settings { interval: Span::s(1), ..Settings::DEFAULT });
    let early = go(&mut breaker, ms(0));
    calls(&mut breaker, ms(1_000), 5, Verdict::Failed);
    assert_eq!(breaker.counts().failures, 5, "not yet over at its very end");
    let late = go(&mut breaker, ms(1_700));
    breaker.report(ms(1_700), early, Verdict::Failed, Span::ZERO);
    assert_eq!((breaker.counts().failures, breaker.counts().requests), (0, 1));
    // It began at 1.7 s, not at 1 s.
    breaker.report(ms(2_700), late, Verdict::Failed, Span::ZERO);
    assert_eq!(breaker.counts().failures, 1);
}

/// With a bucket period counts leave bucket by bucket, and late results go where their calls began.
#[test]
fn gobreaker_buckets() {
    let rolling = Settings { interval: Span::ms(950), bucket: Span::ms(100), ..Settings::DEFAULT };
    let mut breaker = Gobreaker::new(rolling);
    let late = go(&mut breaker, ms(0));
    calls(&mut breaker, ms(0), 2, Verdict::Failed);
    calls(&mut breaker, ms(100), 2, Verdict::Failed);
    breaker.report(ms(999), late, Verdict::Failed, Span::ZERO);
    // 950 ms make ten buckets.
    assert_eq!(breaker.counts().failures_in_a_row, 5);
    breaker.look(ms(1_000));
    assert_eq!((breaker.counts().failures, breaker.counts().failures_in_a_row), (2, 2));
    breaker.look(ms(5_000));
    assert_eq!(breaker.counts(), Default::default());
    let ratio = Settings { trip: Trip::Ratio(Percent::whole(60), 3), ..Settings::DEFAULT };
    let mut breaker = Gobreaker::new(ratio);
    calls(&mut breaker, ms(0), 2, Verdict::Ok);
    calls(&mut breaker, ms(0), 2, Verdict::Failed);
    assert_eq!(breaker.state(), State::Closed);
    calls(&mut breaker, ms(0), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Open, "three of five are enough");
}

// ---- cockatiel: a script of calls on a fake clock

/// A call of a script: how it ends, and after how long.
#[derive(Clone, Copy)]
struct Fire {
    verdict: Verdict,
    takes: Span,
}

struct Script {
    breaker: Cockatiel,
    now: Time,
    events: EventQueue,
    under_way: Vec<(Permit, Fire)>,
    waiting: VecDeque<Fire>,
    transitions: Vec<Value>,
    log: Vec<Value>,
}

/// The scripts open at the first failure, unless they say how.
fn cockatiel_options(given: &Value) -> cockatiel::Options {
    let mut options = cockatiel::Options { rule: cockatiel::Rule::Consecutive(1), ..cockatiel::Options::README };
    let share = |value: &Value| Percent::hundredths((value.as_f64().expect("a share") * 10_000.0).round() as u32);
    for (name, value) in given.as_object().expect("options") {
        match name.as_str() {
            "halfOpenAfter" => options.open = span(value),
            "halfOpenSampling" => {
                options.probes = count(&value["calls"]) as u32;
                options.probe_threshold = share(&value["threshold"]);
            }
            "breaker" => {
                options.rule = if let Some(n) = value["consecutive"].as_u64() {
                    cockatiel::Rule::Consecutive(n as u32)
                } else if let Some(size) = value["size"].as_u64() {
                    let minimum = value["minimumNumberOfCalls"].as_u64().unwrap_or(size);
                    cockatiel::Rule::Count { threshold: share(&value["threshold"]), size: size as u32, minimum }
                } else {
                    cockatiel::Rule::Sampling {
                        threshold: share(&value["threshold"]),
                        duration: span(&value["duration"]),
                        minimum_rate: value["minimumRps"].as_f64().map(|rate| (rate * 1e3).round() as u64),
                    }
                }
            }
            _ => panic!("unknown option {name}"),
        }
    }
    options
}

impl Script {
    fn with<T>(&mut self, f: impl FnOnce(&mut Cockatiel, Time) -> T) -> T {
        let before = self.breaker.state();
        let out = f(&mut self.breaker, self.now);
        let after = self.breaker.state();
        if before != after {
            self.transitions.push(json!({ "t": self.ms(), "to": camel(after) }));
        }
        out
    }

    fn ms(&self) -> u64 {
        self.now.as_us() / 1_000
    }

    /// Starts a call; its number if it ends at once.
    fn fire(&mut self, fire: Fire) -> Option<u32> {
        match self.with(|b, now| b.acquire(now)) {
            Admission::Go(permit) => {
                let number = self.under_way.len() as u32;
                self.under_way.push((permit, fire));
                if fire.takes == Span::ZERO {
                    return Some(number);
                }
                self.events.push(self.now + fire.takes, number);
            }
            Admission::Wait => self.waiting.push_back(fire),
            Admission::Rejected | Admission::Full => self.log.push(json!({ "t": self.ms(), "r": "BROKEN" })),
        }
        None
    }

    fn end(&mut self, number: u32) {
        let (permit, Fire { verdict, takes }) = self.under_way[number as usize];
        self.with(|b, now| b.report(now, permit, verdict, takes));
        let r = if verdict == Verdict::Ok { "ok" } else { "x" };
        self.log.push(json!({ "t": self.ms(), "r": r }));
        if self.breaker.state() != State::HalfOpen {
            // All go on before the first of them can end.
            let waiting = core::mem::take(&mut self.waiting);
            let at_once: Vec<u32> = waiting.into_iter().filter_map(|fire| self.fire(fire)).collect();
            at_once.into_iter().for_each(|number| self.end(number));
        }
    }

    fn step(&mut self, step: &Value) {
        if let Some(at) = step.get("at") {
            let to = Time::ZERO + span(at);
            while let Some(event) = self.events.peek().copied().filter(|event| event.at <= to) {
                self.events.pop();
                self.now = event.at;
                self.end(event.what);
            }
            self.now = to;
        }
        if let Some(call) = step.get("fire") {
            let fire = Fire {
                verdict: match (call["ok"] == true, call["ignored"] == true) {
                    (true, _) => Verdict::Ok,
                    (_, true) => Verdict::Ignored,
                    _ => Verdict::Failed,
                },
                takes: call.get("dur").map_or(Span::ZERO, span),
            };
            (0..step["n"].as_u64().unwrap_or(1)).for_each(|_| {
                if let Some(number) = self.fire(fire) {
                    self.end(number);
                }
            });
        }
        if step.get("probe").is_some() {
            self.log.push(json!({ "t": self.ms(), "state": camel(self.breaker.state()) }));
        }
    }
}

const fn camel(state: State) -> &'static str {
    match state {
        State::Closed => "Closed",
        State::Open => "Open",
        State::HalfOpen => "HalfOpen",
    }
}

#[test]
fn cockatiel_as_the_library() {
    let mut seen = 0;
    let mut vectors = vectors_of("libraries/cockatiel.json", "cockatiel");
    vectors.extend(vectors_of("libraries/cockatiel_scripts.json", "cockatiel"));
    // Its bulkhead has no script; its waits before retries are in `backoff`.
    for v in vectors.iter().filter(|v| v["given"]["script"].is_array()) {
        let id = v["id"].as_str().expect("an id");
        let mut script = Script {
            breaker: Cockatiel::new(cockatiel_options(&v["given"]["options"])),
            now: Time::ZERO,
            events: EventQueue::default(),
            under_way: Vec::new(),
            waiting: VecDeque::new(),
            transitions: Vec::new(),
            log: Vec::new(),
        };
        v["given"]["script"].as_array().expect("a script").iter().for_each(|step| script.step(step));
        same_log(id, "transitions", &script.transitions, &v["expect"]["transitions"]);
        same_log(id, "log", &script.log, &v["expect"]["log"]);
        seen += 1;
    }
    assert!(seen >= 34, "{seen} vectors");
}

fn cockatiel(rule: cockatiel::Rule) -> Cockatiel {
    Cockatiel::new(cockatiel::Options { rule, ..cockatiel::Options::README })
}

/// Exactly at the threshold it stays closed; the window of calls has to be full, unless told otherwise.
#[test]
fn cockatiel_rules() {
    let threshold = Percent::whole(50);
    let mut breaker = cockatiel(cockatiel::Rule::Count { threshold, size: 4, minimum: 4 });
    calls(&mut breaker, ms(0), 3, Verdict::Failed);
    assert_eq!(breaker.state(), State::Closed, "not four yet");
    calls(&mut breaker, ms(0), 3, Verdict::Ok);
    calls(&mut breaker, ms(0), 1, Verdict::Failed);
    assert_eq!((breaker.gauge(ms(0)).failures, breaker.state()), (1, State::Closed), "the last four");
    calls(&mut breaker, ms(0), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Closed, "half is not more than half");
    calls(&mut breaker, ms(0), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Open);

    // Two seconds: five pieces of 400 ms, and five failures a second at a half: twenty results.
    let sampling = cockatiel::Rule::Sampling { threshold, duration: Span::s(2), minimum_rate: None };
    let mut breaker = cockatiel(sampling);
    calls(&mut breaker, ms(0), 19, Verdict::Failed);
    assert_eq!((breaker.state(), breaker.gauge(ms(0)).minimum), (State::Closed, 20));
    // However long nobody comes, one piece is forgotten at a time: the old failures are still there.
    calls(&mut breaker, ms(60_000), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Open);
}

/// A late failure of a call from before the opening opens a half-open circuit; a late trial does nothing.
#[test]
fn cockatiel_late_results() {
    let mut breaker = cockatiel(cockatiel::Rule::Consecutive(2));
    let late = go(&mut breaker, ms(0));
    calls(&mut breaker, ms(0), 2, Verdict::Failed);
    let trial = go(&mut breaker, ms(10_000));
    assert_eq!((trial.probe, breaker.acquire(ms(10_000))), (true, Admission::Wait));
    breaker.report(ms(10_001), late, Verdict::Failed, Span::ZERO);
    assert_eq!(breaker.state(), State::Open);
    breaker.report(ms(10_002), trial, Verdict::Ok, Span::ZERO);
    assert_eq!(breaker.state(), State::Open);
    assert_eq!(breaker.acquire(ms(20_000)), Admission::Rejected);
    assert!(go(&mut breaker, ms(20_001)).probe);
}

// ---- Polly

fn polly() -> Polly {
    Polly::new(polly::Options::DEFAULT)
}

const fn polly_state(state: State) -> &'static str {
    match state {
        State::Closed => "Closed",
        State::Open => "Open",
        State::HalfOpen => "HalfOpen",
    }
}

#[test]
fn polly_as_its_source() {
    let vectors = vectors_of(MISC, "circuit_breaker.polly_v8");
    assert!(vectors.len() >= 3, "{} vectors", vectors.len());
    for v in &vectors {
        let (given, mut breaker) = (&v["given"], polly());
        if let Some(sequence) = given["sequence"].as_str() {
            for part in sequence.split(" then ") {
                let (n, what) = part.split_once(' ').expect("a number and a word");
                let verdict = if what.starts_with("success") { Verdict::Ok } else { Verdict::Failed };
                calls(&mut breaker, ms(0), n.parse().expect("a number"), verdict);
            }
        } else {
            let failures = count(&given["failures"]);
            calls(&mut breaker, ms(0), given["successes"].as_u64().unwrap_or(0), Verdict::Ok);
            calls(&mut breaker, ms(0), failures, Verdict::Failed);
        }
        assert_eq!(polly_state(breaker.state()), v["expect"]["state"], "{}", v["id"]);
        if let Some(then) = v["expect"]["then_one_more_failure"].as_str() {
            calls(&mut breaker, ms(0), 1, Verdict::Failed);
            assert_eq!(polly_state(breaker.state()), then, "{}", v["id"]);
        }
    }
}

/// One trial, at the very end of the break; nobody else while it hangs; any result counts in half-open.
#[test]
fn polly_half_open() {
    let mut breaker = polly();
    let late = go(&mut breaker, ms(0));
    calls(&mut breaker, ms(0), 100, Verdict::Failed);
    assert!(!call(&mut breaker, ms(4_999), Verdict::Ok));
    let trial = go(&mut breaker, ms(5_000));
    assert!(trial.probe);
    assert!(!call(&mut breaker, ms(600_000), Verdict::Ok), "however long the trial takes");
    breaker.report(ms(600_000), late, Verdict::Failed, Span::ZERO);
    assert_eq!(breaker.state(), State::Open, "a late failure is a failed trial");
    assert!(!call(&mut breaker, ms(604_999), Verdict::Ok));
    let again = go(&mut breaker, ms(605_000));
    breaker.report(ms(605_001), again, Verdict::Ignored, Span::ZERO);
    assert_eq!((breaker.state(), breaker.gauge(ms(605_001)).calls), (State::Closed, 0), "and forgets all");
}

/// Pieces of a tenth of the window begin with results; below 200 ms there is one piece, which begins with the clock.
#[test]
fn polly_windows() {
    let ten =
        polly::Options { minimum: 4, threshold: Percent::whole(100), window: Span::s(1), ..polly::Options::DEFAULT };
    let mut breaker = Polly::new(ten);
    calls(&mut breaker, ms(50), 1, Verdict::Failed);
    calls(&mut breaker, ms(149), 1, Verdict::Failed);
    calls(&mut breaker, ms(150), 1, Verdict::Failed);
    assert_eq!(breaker.gauge(ms(1_049)).calls, 3);
    assert_eq!(breaker.gauge(ms(1_050)).calls, 1, "the first piece began at 50 ms");
    calls(&mut breaker, ms(1_150), 3, Verdict::Failed);
    assert_eq!(breaker.state(), State::Closed);
    calls(&mut breaker, ms(1_150), 1, Verdict::Failed);
    assert_eq!(breaker.state(), State::Open);

    let mut breaker = Polly::new(polly::Options { window: Span::ms(199), ..ten });
    calls(&mut breaker, ms(198), 3, Verdict::Failed);
    calls(&mut breaker, ms(199), 1, Verdict::Failed);
    assert_eq!((breaker.state(), breaker.gauge(ms(199)).calls), (State::Closed, 1));
}

// ---- Hystrix

/// Rings whatever is due up to `to`.
fn ring(breaker: &mut dyn Breaker, to: Time) {
    while let Some(at) = breaker.timer().filter(|at| *at <= to) {
        breaker.ring(at);
    }
}

#[test]
fn hystrix_as_its_source() {
    let vectors = vectors_of(MISC, "circuit_breaker.hystrix");
    assert!(vectors.len() >= 3, "{} vectors", vectors.len());
    for v in &vectors {
        let (id, given, expect) = (&v["id"], &v["given"], &v["expect"]);
        let mut breaker = Hystrix::new(Properties::DEFAULT);
        if let Some(requests) = given["requests_in_10s"].as_u64() {
            let errors = count(&given["errors"]);
            calls(&mut breaker, ms(1), requests - errors, Verdict::Ok);
            calls(&mut breaker, ms(1), errors, Verdict::Failed);
            assert_eq!(breaker.state(), State::Closed, "{id}: before the snapshot");
            ring(&mut breaker, ms(500));
            assert_eq!(breaker.state().name(), expect["state"], "{id}");
            if let Some(percentage) = expect["errorPercentage"].as_u64() {
                breaker.ring(ms(500));
                assert_eq!(breaker.error_percentage(), percentage, "{id}");
            }
        } else {
            calls(&mut breaker, ms(1), 20, Verdict::Failed);
            ring(&mut breaker, ms(500));
            let allowed = expect["allowed"].as_array().expect("answers");
            for (now, allowed) in given["now_ms"].as_array().expect("times").iter().zip(allowed) {
                let now = ms(500) + span(now);
                let got = matches!(breaker.acquire(now), Admission::Go(_));
                assert_eq!(Value::from(got), *allowed, "{id}: {now:?}");
            }
            assert_eq!(breaker.acquire(ms(60_000)), Admission::Rejected, "{id}: a single trial");
        }
    }
}

/// The timer says the snapshot that opens it, also when that is because successes leave the window.
#[test]
fn hystrix_snapshots() {
    let mut breaker = Hystrix::new(Properties::DEFAULT);
    calls(&mut breaker, ms(100), 40, Verdict::Ok);
    calls(&mut breaker, ms(9_900), 30, Verdict::Failed);
    assert_eq!(breaker.timer(), Some(ms(10_500)), "the forty leave with the first piece");
    ring(&mut breaker, ms(10_500));
    assert_eq!(breaker.state(), State::Open);
    // 57 % of 7 calls is cut, and half of nothing is nothing.
    let few = Properties { volume: 7, threshold: Percent::whole(58), ..Properties::DEFAULT };
    let mut breaker = Hystrix::new(few);
    calls(&mut breaker, ms(1), 4, Verdict::Failed);
    calls(&mut breaker, ms(1), 3, Verdict::Ok);
    assert_eq!(breaker.timer(), None);
}

/// Success closes and starts the window anew, with itself in it; an error that does not count opens again; a full pool is
/// an error.
#[test]
fn hystrix_half_open() {
    let mut breaker = Hystrix::new(Properties { pool: 2, ..Properties::DEFAULT });
    calls(&mut breaker, ms(1), 18, Verdict::Failed);
    let held = [go(&mut breaker, ms(2)), go(&mut breaker, ms(2))];
    assert_eq!([breaker.acquire(ms(3)), breaker.acquire(ms(3))], [Admission::Full; 2]);
    held.into_iter().for_each(|permit| breaker.report(ms(4), permit, Verdict::Ignored, Span::ZERO));
    assert_eq!(breaker.gauge(ms(4)).calls, 20, "the two that were ignored are not there");
    ring(&mut breaker, ms(500));
    let trial = go(&mut breaker, ms(5_501));
    breaker.report(ms(5_600), trial, Verdict::Ignored, Span::ZERO);
    assert_eq!(breaker.state(), State::Open);
    assert!(!call(&mut breaker, ms(10_600), Verdict::Ok));
    assert!(call(&mut breaker, ms(10_601), Verdict::Ok));
    assert_eq!((breaker.state(), breaker.gauge(ms(10_601)).calls), (State::Closed, 1));
    // The snapshots are counted from the closing on.
    calls(&mut breaker, ms(10_700), 30, Verdict::Failed);
    assert_eq!(breaker.timer(), Some(ms(11_101)));
}

// ---- Envoy

#[test]
fn envoy_as_its_source() {
    let vectors = vectors_of(MISC, "outlier.envoy");
    assert!(vectors.len() >= 6, "{} vectors", vectors.len());
    for v in &vectors {
        let (id, given, expect) = (&v["id"], &v["given"], &v["expect"]);
        if let Some(hosts) = given["cluster_size"].as_u64() {
            let config = envoy::Config {
                hosts: hosts as u32,
                max_ejection_percent: count(&given["max_ejection_percent"]) as u32,
                always_eject_one_host: given["always_eject_one_host"] == true,
                ..envoy::Config::DEFAULT
            };
            let ejected = count(&given["already_ejected"]) as u32;
            assert_eq!(Value::from(config.allows(ejected)), expect["ejected"], "{id}");
        } else if let Some(responses) = given["responses"].as_str() {
            let consecutive_5xx = count(&given["consecutive_5xx"]) as u32;
            let mut cluster = Envoy::new(envoy::Config {
                hosts: 1,
                max_ejection_percent: 100,
                consecutive_5xx,
                ..envoy::Config::DEFAULT
            });
            for part in responses.split(',') {
                let (code, times) = part.split_once('*').map_or((part, 1), |(c, n)| (c, n.parse().expect("times")));
                let verdict = if code.starts_with('5') { Verdict::Failed } else { Verdict::Ok };
                calls(&mut cluster, ms(0), times, verdict);
            }
            assert_eq!(Value::from(cluster.is_ejected(0)), expect["ejected"], "{id}");
            if let Some(counter) = expect["counter"].as_u64() {
                assert_eq!(u64::from(cluster.failures_in_a_row(0)), counter, "{id}");
            }
        } else {
            let config = envoy::Config {
                base_ejection_time: Span::s(count(&given["base_s"])),
                max_ejection_time: Span::s(count(&given["max_s"])),
                ..envoy::Config::DEFAULT
            };
            let times = expect["ejection_time_s"].as_array().expect("times");
            for (k, time) in given["ejections"].as_array().expect("ejections").iter().zip(times) {
                assert_eq!(config.ejection_time(count(k) as u32), Span::s(count(time)), "{id}: {k}");
            }
        }
    }
}

/// One bad host of ten goes at its fifth failure, comes back at the first tick after its time, and stays away longer the
/// next time; in good health its next absence gets shorter by one step an interval.
#[test]
fn envoy_ejects_for_longer_and_longer() {
    let mut cluster = Envoy::new(envoy::Config::DEFAULT);
    let fail = |cluster: &mut Envoy, from: u64| {
        for round in 0..5 {
            for _ in 0..10 {
                let now = ms(from + round);
                let permit = go(cluster, now);
                let verdict = if permit.generation == 3 { Verdict::Failed } else { Verdict::Ok };
                cluster.report(now, permit, verdict, Span::ZERO);
            }
        }
    };
    fail(&mut cluster, 2_000);
    assert!(cluster.is_ejected(3) && cluster.ejected() == 1);
    assert_eq!(cluster.timer(), Some(ms(40_000)), "32 s are over at the tick of 40 s");
    ring(&mut cluster, ms(40_000));
    assert_eq!(cluster.ejected(), 0);
    fail(&mut cluster, 41_000);
    assert_eq!(cluster.timer(), Some(ms(110_000)), "now for 60 s");
    ring(&mut cluster, ms(110_000));
    // Healthy for an interval: the ticks of 120 s to 140 s take the counter to nothing.
    fail(&mut cluster, 141_000);
    assert_eq!(cluster.timer(), Some(ms(180_000)), "30 s again");
}

/// All fail: one in ten may go. All may go: below half, calls go to all again; without that, to none.
#[test]
fn envoy_caps_and_panics() {
    let all_fail = |config: envoy::Config| {
        let mut cluster = Envoy::new(config);
        let passed = (0..1_000).filter(|_| call(&mut cluster, ms(1), Verdict::Failed)).count();
        (cluster.ejected(), passed, cluster.in_panic())
    };
    let all = envoy::Config { max_ejection_percent: 100, ..envoy::Config::DEFAULT };
    assert_eq!(all_fail(envoy::Config::DEFAULT), (1, 1_000, false));
    assert_eq!(all_fail(all), (10, 1_000, true));
    assert_eq!(all_fail(envoy::Config { panic_threshold: 0, ..all }), (10, 50, false));
    assert_eq!(all_fail(envoy::Config { hosts: 9, ..envoy::Config::DEFAULT }), (0, 1_000, false));
    assert_eq!(all_fail(envoy::Config { hosts: 9, always_eject_one_host: true, ..envoy::Config::DEFAULT }).0, 1);
}

/// A host that fails now and then is told apart by its success rate, at the tick.
#[test]
fn envoy_compares_hosts() {
    let mut cluster = Envoy::new(envoy::Config::DEFAULT);
    for n in 0..1_000 {
        let permit = go(&mut cluster, ms(n));
        let bad = permit.generation == 7 && n % 20 < 10;
        cluster.report(ms(n), permit, if bad { Verdict::Failed } else { Verdict::Ok }, Span::ZERO);
    }
    assert_eq!((cluster.ejected(), cluster.timer()), (0, Some(ms(10_000))));
    ring(&mut cluster, ms(10_000));
    assert!(cluster.is_ejected(7));
    // Fewer than a hundred calls a host are not compared.
    let mut cluster = Envoy::new(envoy::Config::DEFAULT);
    for n in 0..990 {
        let permit = go(&mut cluster, ms(n));
        let bad = permit.generation == 7 && n % 20 < 10;
        cluster.report(ms(n), permit, if bad { Verdict::Failed } else { Verdict::Ok }, Span::ZERO);
    }
    assert_eq!(cluster.timer(), None);
}
