//! The breakers against what the libraries gave, and card `circuit-breaker` against its vectors and findings.

use overload_sim::breaker::opossum::{Opossum, Options};
use overload_sim::breaker::resilience4j::{Config, Resilience4j, Window};
use overload_sim::breaker::textbook::{self, Rule, Textbook};
use overload_sim::breaker::{Admission, Breaker, Percent, Permit, State, Verdict};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};
use serde_json::{Value, json};

use crate::support::vector;

fn vectors_of(file: &str, mechanism: &str) -> Vec<Value> {
    let all = vector(file)["vectors"].as_array().expect("vectors").clone();
    all.into_iter().filter(|v| v["mechanism"] == mechanism).collect()
}

fn span(ms: &Value) -> Span {
    Span::us((ms.as_f64().expect("milliseconds") * 1e3) as u64)
}

fn percent(value: &Value) -> Percent {
    Percent::hundredths((value.as_f64().expect("a percentage") * 100.0).round() as u32)
}

// ---- opossum: a script of fires on a fake clock

/// A call under way in a script.
struct Fired {
    permit: Permit,
    began: Time,
    verdict: Verdict,
    done: bool,
}

struct Script {
    breaker: Opossum,
    timeout: Option<Span>,
    filter: bool,
    now: Time,
    events: EventQueue,
    fired: Vec<Fired>,
    rung: Option<Time>,
    transitions: Vec<Value>,
    log: Vec<Value>,
}

/// Kinds of event, in the top bits; the rest is a call's number.
const END: u32 = 0;
const TIMEOUT: u32 = 1 << 30;
const RING: u32 = 2 << 30;

impl Script {
    fn new(options: &Value) -> Script {
        let mut of = Options::DEFAULT;
        let mut filter = false;
        for (name, value) in options.as_object().expect("options") {
            match name.as_str() {
                "timeout" => of.timeout = value.as_f64().filter(|ms| *ms > 0.0).map(|_| span(value)),
                "resetTimeout" => of.reset = span(value),
                "errorThresholdPercentage" => of.threshold = percent(value),
                "rollingCountTimeout" => of.window = span(value),
                "rollingCountBuckets" => of.buckets = value.as_u64().expect("buckets") as u32,
                "volumeThreshold" => of.volume = value.as_u64().expect("a volume"),
                "capacity" => of.capacity = value.as_u64().expect("a capacity"),
                "allowWarmUp" => of.warm_up = value == true,
                "errorFilter" => filter = true,
                _ => panic!("unknown option {name}"),
            }
        }
        Script {
            breaker: Opossum::new(of),
            timeout: of.timeout,
            filter,
            now: Time::ZERO,
            events: EventQueue::default(),
            fired: Vec::new(),
            rung: None,
            transitions: Vec::new(),
            log: Vec::new(),
        }
    }

    fn ms(&self) -> u64 {
        self.now.as_us() / 1_000
    }

    /// Does something to the breaker and notes what changed.
    fn with<T>(&mut self, f: impl FnOnce(&mut Opossum, Time) -> T) -> T {
        let before = self.breaker.state();
        let out = f(&mut self.breaker, self.now);
        let after = self.breaker.state();
        if before != after {
            let ev = match after {
                State::Open => "open",
                State::HalfOpen => "halfOpen",
                State::Closed => "close",
            };
            let t = self.ms();
            self.transitions.push(json!({ "t": t, "ev": ev }));
        }
        if self.breaker.timer() != self.rung {
            self.rung = self.breaker.timer();
            if let Some(at) = self.rung {
                self.events.push(at, RING);
            }
        }
        out
    }

    fn say(&mut self, r: &str) {
        let t = self.ms();
        self.log.push(json!({ "t": t, "r": r }));
    }

    /// Starts a call; its number if it is under way.
    fn fire(&mut self, call: &Value) -> Option<u32> {
        match self.with(|b, now| b.acquire(now)) {
            Admission::Rejected => self.say("EOPENBREAKER"),
            Admission::Full => self.say("ESEMLOCKED"),
            Admission::Go(permit) => {
                let number = self.fired.len() as u32;
                let status = call["status"].as_u64();
                let verdict = match status {
                    Some(400..=499) if self.filter => Verdict::Ignored,
                    Some(200..=299) => Verdict::Ok,
                    Some(_) => Verdict::Failed,
                    None if call["ok"] == true => Verdict::Ok,
                    None => Verdict::Failed,
                };
                self.fired.push(Fired { permit, began: self.now, verdict, done: false });
                let takes = call.get("dur").filter(|d| d.as_f64() != Some(0.0)).map(span);
                if let Some(takes) = takes {
                    // The library's timer is set before the call is made.
                    if let Some(timeout) = self.timeout {
                        self.events.push(self.now + timeout, TIMEOUT | number);
                    }
                    self.events.push(self.now + takes, END | number);
                } else {
                    return Some(number);
                }
            }
        }
        None
    }

    fn end(&mut self, number: u32, timed_out: bool) {
        let Fired { permit, began, verdict, done } = self.fired[number as usize];
        if done {
            return;
        }
        self.fired[number as usize].done = true;
        let verdict = if timed_out { Verdict::TimedOut } else { verdict };
        self.with(|b, now| b.report(now, permit, verdict, now - began));
        self.say(match verdict {
            Verdict::Ok => "ok",
            Verdict::TimedOut => "ETIMEDOUT",
            Verdict::Failed | Verdict::Ignored => "x",
        });
    }

    fn advance(&mut self, to: Time) {
        while let Some(event) = self.events.peek().copied().filter(|e| e.at <= to) {
            self.events.pop();
            self.now = event.at;
            match event.what & (3 << 30) {
                RING => self.with(|b, now| b.ring(now)),
                kind => self.end(event.what & !(3 << 30), kind == TIMEOUT),
            }
        }
        self.now = to;
    }

    fn step(&mut self, step: &Value) {
        for key in step.as_object().expect("a step").keys() {
            assert!(
                ["at", "fire", "n", "concurrent", "probe", "open", "close"].contains(&key.as_str()),
                "unknown step {key}"
            );
        }
        if let Some(at) = step.get("at") {
            self.advance(Time::ZERO + span(at));
        }
        if let Some(call) = step.get("fire") {
            let n = step["n"].as_u64().unwrap_or(1);
            let together = step["concurrent"] == true || step["concurrent"].as_u64().is_some_and(|c| c > 0);
            let mut at_once = Vec::new();
            for _ in 0..n {
                if let Some(number) = self.fire(call) {
                    if together { at_once.push(number) } else { self.end(number, false) }
                }
            }
            at_once.into_iter().for_each(|number| self.end(number, false));
        }
        if step.get("probe").is_some() {
            let stats = self.breaker.stats(self.now);
            let (t, state, pending) = (self.ms(), self.breaker.state().name(), self.breaker.pending_close());
            self.log.push(json!({ "t": t, "state": state, "pendingClose": pending, "stats": {
                "fires": stats.fires, "failures": stats.failures, "successes": stats.successes,
                "rejects": stats.rejects, "timeouts": stats.timeouts,
                "semaphoreRejections": stats.semaphore_rejections,
            }}));
        }
    }
}

/// Whether `got` has everything that `expected` says; numbers in single precision.
fn says(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Object(got), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| got.get(key).is_some_and(|g| says(g, value)))
        }
        (Value::Number(got), Value::Number(expected)) => {
            got.as_f64().map(|n| n as f32) == expected.as_f64().map(|n| n as f32)
        }
        _ => got == expected,
    }
}

#[track_caller]
fn same_log(id: &str, what: &str, got: &[Value], expected: &Value) {
    let expected = expected.as_array().unwrap_or_else(|| panic!("{id}: no {what}"));
    let same = got.len() == expected.len() && got.iter().zip(expected).all(|(g, e)| says(g, e));
    assert!(same, "{id}: {what}\n got      {}\n expected {}", Value::from(got.to_vec()), Value::from(expected.clone()));
}

#[test]
fn opossum_as_the_library() {
    let vectors = vectors_of("libraries/breaker_opossum.json", "circuit_breaker.opossum");
    assert!(vectors.len() >= 13, "{} vectors", vectors.len());
    for v in &vectors {
        let id = v["id"].as_str().expect("an id");
        let mut script = Script::new(&v["given"]["options"]);
        v["given"]["script"].as_array().expect("a script").iter().for_each(|step| script.step(step));
        let expected = v["expect"]["log"].as_array().expect("a log");
        // One vector logs its end only, without the calls before and without a step that asks for it.
        if expected.iter().all(|entry| entry.get("r").is_none()) && !script.log.iter().any(|e| e.get("state").is_some())
        {
            script.step(&json!({ "probe": 1 }));
            script.log.retain(|entry| entry.get("r").is_none());
        }
        same_log(id, "transitions", &script.transitions, &v["expect"]["transitions"]);
        same_log(id, "log", &script.log, &v["expect"]["log"]);
    }
}

// ---- resilience4j: a line of tokens

fn java_span(value: &Value) -> Span {
    let text = value.as_str().expect("a duration");
    let of = |digits: &str, ms: u64| Span::ms(digits.parse::<u64>().expect("digits") * ms);
    match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(digits), _) => of(digits, 1),
        (None, Some(digits)) => of(digits, 1_000),
        _ => panic!("no duration: {text}"),
    }
}

fn config_of(given: &Value) -> Config {
    let mut config = Config::DEFAULT;
    let (mut size, mut by_time) = (100, false);
    for (name, value) in given.as_object().expect("a configuration") {
        let number = || value.as_u64().expect("a number");
        match name.as_str() {
            "slidingWindowSize" => size = number() as u32,
            "slidingWindowType" => by_time = value == "TIME_BASED",
            "minimumNumberOfCalls" => config.minimum = number(),
            "failureRateThreshold" => config.threshold = percent(value),
            "slowCallRateThreshold" => config.slow_threshold = percent(value),
            "slowCallDurationThreshold" => config.slow_over = java_span(value),
            "waitDurationInOpenState" => config.wait = java_span(value),
            "permittedNumberOfCallsInHalfOpenState" => config.permitted = number() as u32,
            "maxWaitDurationInHalfOpenState" => config.half_open_wait = java_span(value),
            "automaticTransitionFromOpenToHalfOpenEnabled" => config.automatic = value == true,
            // What is ignored is what the script's `ign` reports.
            "ignoreExceptions" => {}
            "waitIntervalFunctionInOpenState" => {
                let inside =
                    value.as_str().and_then(|f| f.strip_prefix("exponential(")).and_then(|f| f.strip_suffix(')'));
                let (base, growth) = inside.and_then(|i| i.split_once(",x")).expect("exponential(1s,x2)");
                config.wait = java_span(&Value::from(base));
                config.growth = (growth.parse::<f64>().expect("a factor") * 100.0) as u32;
            }
            _ => panic!("unknown setting {name}"),
        }
    }
    config.window = if by_time { Window::Seconds(size) } else { Window::Calls(size) };
    config
}

#[test]
fn resilience4j_as_the_library() {
    let vectors = vectors_of("libraries/resilience4j.json", "circuit_breaker.resilience4j");
    // The file's other vectors are waits before retries (`backoff`).
    assert!(vectors.len() >= 9, "{} vectors", vectors.len());
    for v in &vectors {
        let id = v["id"].as_str().expect("an id");
        let mut breaker = Resilience4j::new(config_of(&v["given"]["config"]));
        let (mut now, mut transitions, mut log) = (Time::ZERO, Vec::new(), Vec::new());
        for token in v["given"]["script"].as_str().expect("a script").split_whitespace() {
            let (token, times) = token.split_once('*').map_or((token, 1), |(t, n)| (t, n.parse().expect("times")));
            for _ in 0..times {
                let before = breaker.state();
                // A result without a permit of its own: the library does not look at it either.
                let loose = Permit { generation: 0, probe: false };
                let mut moves = vec![before];
                match token {
                    "acq" => {
                        let permitted = matches!(breaker.acquire(now), Admission::Go(_));
                        log.push(json!({ "t": now.as_us() / 1_000, "permitted": permitted }));
                    }
                    "ok" => breaker.report(now, loose, Verdict::Ok, Span::ms(1)),
                    "err" => breaker.report(now, loose, Verdict::Failed, Span::ms(1)),
                    "ign" => breaker.report(now, loose, Verdict::Ignored, Span::ms(1)),
                    "?" => {
                        let rate = |r: Option<f32>| r.unwrap_or(-1.0);
                        let (failed, slow) = (rate(breaker.failure_rate(now)), rate(breaker.slow_rate(now)));
                        log.push(json!({
                            "t": now.as_us() / 1_000, "state": breaker.state().name(), "failure_rate": failed,
                            "slow_rate": slow, "buffered": breaker.gauge(now).calls,
                            "not_permitted": breaker.not_permitted(),
                        }));
                    }
                    _ if token.starts_with('+') => {
                        let to = now + Span::ms(token[1..].parse().expect("milliseconds"));
                        while let Some(at) = breaker.timer().filter(|at| *at <= to) {
                            now = at.max(now);
                            breaker.ring(now);
                            moves.push(breaker.state());
                        }
                        now = to;
                    }
                    _ => {
                        let verdict = match token.as_bytes()[0] {
                            b's' => Verdict::Ok,
                            b'e' => Verdict::Failed,
                            b'i' => Verdict::Ignored,
                            _ => panic!("{id}: unknown token {token}"),
                        };
                        let took = token[1..].parse().unwrap_or(1);
                        let admission = breaker.acquire(now);
                        moves.push(breaker.state());
                        if let Admission::Go(permit) = admission {
                            breaker.report(now, permit, verdict, Span::ms(took));
                        }
                    }
                }
                moves.push(breaker.state());
                for pair in moves.windows(2).filter(|pair| pair[0] != pair[1]) {
                    transitions.push(json!({ "t": now.as_us() / 1_000, "from": pair[0].name(), "to": pair[1].name() }));
                }
            }
        }
        same_log(id, "transitions", &transitions, &v["expect"]["transitions"]);
        same_log(id, "log", &log, &v["expect"]["log"]);
    }
}

// ---- properties

/// Whole seconds leave a time window together, and a success can complete the minimum.
#[test]
fn seconds_are_forgotten_one_by_one() {
    let config = Config { window: Window::Seconds(3), minimum: 4, ..Config::DEFAULT };
    let mut breaker = Resilience4j::new(config);
    let mut fail = |at_ms: u64, verdict| {
        let now = Time::ZERO + Span::ms(at_ms);
        if let Admission::Go(permit) = breaker.acquire(now) {
            breaker.report(now, permit, verdict, Span::ms(1));
        }
        (breaker.gauge(now).calls, breaker.state())
    };
    assert_eq!(fail(900, Verdict::Failed), (1, State::Closed));
    assert_eq!(fail(1_100, Verdict::Failed), (2, State::Closed));
    assert_eq!(fail(2_999, Verdict::Failed), (3, State::Closed));
    // Second 0 has left the window, though its call is only 2.1 s old.
    assert_eq!(fail(3_000, Verdict::Failed), (3, State::Closed));
    assert_eq!(fail(3_001, Verdict::Ok), (4, State::Open));
}

/// What the libraries' thresholds mean at the very number.
#[test]
fn at_the_threshold() {
    let half = |breaker: &mut dyn Breaker| {
        for verdict in [Verdict::Ok, Verdict::Failed] {
            if let Admission::Go(permit) = breaker.acquire(Time::ZERO) {
                breaker.report(Time::ZERO, permit, verdict, Span::ms(1));
            }
        }
        breaker.state()
    };
    assert_eq!(half(&mut Opossum::new(Options::DEFAULT)), State::Closed, "strictly more");
    let minimum = Config { minimum: 2, ..Config::DEFAULT };
    assert_eq!(half(&mut Resilience4j::new(minimum)), State::Open, "at least");
    // 7 / 25 * 100 is a little more than 28 in doubles, and so it is in the library.
    let mut breaker = Opossum::new(Options { threshold: Percent::whole(28), volume: 25, ..Options::DEFAULT });
    for n in 0..25 {
        if let Admission::Go(permit) = breaker.acquire(Time::ZERO) {
            let verdict = if n < 18 { Verdict::Ok } else { Verdict::Failed };
            breaker.report(Time::ZERO, permit, verdict, Span::ZERO);
        }
    }
    assert_eq!(breaker.state(), State::Open);
}

/// Article 3's breaker is the textbook's: the counts and times of its log (vectors of card 7).
#[test]
fn textbook_as_in_article_3() {
    let rule = Rule {
        threshold: Percent::whole(100),
        strict: false,
        minimum: 5,
        window: textbook::Window::Calls(5),
        open: Span::s(1),
        probes: 3,
        successes: 3,
    };
    let per_endpoint = Rule { threshold: Percent::whole(50), window: textbook::Window::Calls(20), ..rule };
    for (rules, shared, reached) in [([rule; 2], true, 203), ([per_endpoint; 2], false, 301)] {
        let mut breakers = rules.map(Textbook::new);
        let (mut count, mut opened) = (0, Vec::new());
        for ms in (0..5_000).step_by(10) {
            let now = Time::ZERO + Span::ms(ms);
            let dispute = (500..=550).contains(&ms);
            let breaker = &mut breakers[usize::from(dispute && !shared)];
            if let Admission::Go(permit) = breaker.acquire(now) {
                count += 1;
                let bad = dispute || (1_000..3_000).contains(&ms);
                let verdict = if bad { Verdict::Failed } else { Verdict::Ok };
                breaker.report(now, permit, verdict, Span::ZERO);
                if breaker.state() == State::Open && bad {
                    opened.push(ms);
                }
            }
        }
        assert_eq!(count, reached);
        assert_eq!(opened, if shared { vec![540, 1540, 2540] } else { vec![540, 1090, 2090] });
    }
}
