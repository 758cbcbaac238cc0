//! The breakers against what the libraries gave, and card `circuit-breaker` against its vectors and findings.

use overload_cards::card::{Card, Evidence, Seen};
use overload_cards::find;
use overload_cards::knobs::{AnyKnobs, fields};
use overload_cards::say::Piece;
use overload_chart::Lang;
use overload_sim::breaker::opossum::{Opossum, Options};
use overload_sim::breaker::resilience4j::{Config, Resilience4j, Window};
use overload_sim::breaker::textbook::{self, Rule, Textbook};
use overload_sim::breaker::{Admission, Breaker, Percent, Permit, State, Verdict};
use overload_sim::queue::EventQueue;
use overload_sim::time::{Span, Time};
use serde_json::{Value, json};

use crate::support::{changed, vector};

pub(crate) fn vectors_of(file: &str, mechanism: &str) -> Vec<Value> {
    let all = vector(file)["vectors"].as_array().expect("vectors").clone();
    all.into_iter().filter(|v| v["mechanism"] == mechanism).collect()
}

pub(crate) fn span(ms: &Value) -> Span {
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
            Admission::Rejected | Admission::Wait => self.say("EOPENBREAKER"),
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
pub(crate) fn same_log(id: &str, what: &str, got: &[Value], expected: &Value) {
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

pub(crate) fn java_span(value: &Value) -> Span {
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

// ---- the card

fn card() -> &'static dyn Card {
    find("circuit-breaker").expect("the card")
}

/// Knobs from `key=value` words, on top of a setup.
#[track_caller]
fn knobs(setup: &str, changes: &[(&str, &str)]) -> Box<dyn AnyKnobs> {
    changed(card(), setup, changes.iter().copied())
}

/// Figures of a run.
fn figures<const N: usize>(setup: &str, changes: &[(&str, &str)], keys: [&str; N]) -> [Option<f64>; N] {
    let knobs = knobs(setup, changes);
    let plan = card().plan(&*knobs);
    let outcome = card().run(&*knobs, 1);
    keys.map(|key| {
        assert!(plan.find(key).is_some(), "no figure {key}");
        outcome.get(&plan, key)
    })
}

#[test]
fn every_point_of_the_vectors() {
    let file = vector("articles/circuit_breaker.json");
    let points = file["points"].as_array().expect("points");
    assert!(points.len() >= 14, "{} points", points.len());
    for point in points {
        let (params, expect) = (&point["params"], &point["expect"]);
        let text = |key: &str| params[key].to_string();
        let (before, volume) = (text("successesBefore"), text("volumeThreshold"));
        let (threshold, calls) = (text("errorThresholdPercentage"), text("requests"));
        let changes = [
            ("before", &*before),
            ("volume", &*volume),
            ("threshold", &*threshold),
            ("calls", &*calls),
            ("after", "0"),
        ];
        let got = figures("article", &changes, ["reached_in_fault", "stale", "opened"]);
        let opened = f64::from(u8::from(expect["opened"] == true));
        assert_eq!(got, [expect["reaching"].as_f64(), expect["stale"].as_f64(), Some(opened)], "{params}");
    }
}

/// What the article printed, as the vectors judge it: exact, or within their tolerance of real timers.
#[test]
fn the_articles_figures() {
    let file = vector("articles/circuit_breaker.json");
    let mut seen = 0;
    for figure in file["figures"].as_array().expect("figures") {
        let name = figure["name"].as_str().expect("a name");
        let (setup, key, slack) = match name {
            "defaults" => {
                let given = &figure["article"];
                assert_eq!(Some(span(&given["timeout"])), Options::DEFAULT.timeout);
                assert_eq!(span(&given["resetTimeout"]), Options::DEFAULT.reset);
                assert_eq!(percent(&given["errorThresholdPercentage"]), Options::DEFAULT.threshold);
                assert_eq!(span(&given["rollingCountTimeout"]), Options::DEFAULT.window);
                assert_eq!(Options::DEFAULT.volume, 0);
                seen += 1;
                continue;
            }
            "low traffic V=0 opened" => ("low_traffic", "opened", 0.0),
            "low traffic V=20 opened" => ("low_traffic_20", "opened", 0.0),
            "30x404 failures" => ("not_found", "failures_counted", 0.0),
            "stale" => ("article", "stale", 0.0),
            "calls reaching pricing" => ("article", "reached_in_fault", 0.0),
            "open at (low traffic)" => ("low_traffic", "first_open", 10.0),
            "open at (outage)" => ("article", "first_open", 15.0),
            "halfOpen" => ("article", "first_half_open", 15.0),
            "close" => ("article", "first_close", 15.0),
            "slow pricing" => ("slow", "longest_latency", 0.0),
            _ => panic!("unknown figure {name}"),
        };
        let article = match &figure["article"] {
            Value::Bool(yes) => f64::from(u8::from(*yes)),
            number => number.as_f64().expect("a number"),
        };
        let [ours] = figures(setup, &[], [key]);
        let ours = ours.unwrap_or_else(|| panic!("{name}: missing"));
        assert!((ours - article).abs() <= slack, "{name}: {ours} against {article}");
        seen += 1;
    }
    assert_eq!(seen, 11);
    // The article's own half-open lies one reset after its opening, ours exactly.
    let [open, half, close] = figures("article", &[], ["first_open", "first_half_open", "first_close"]);
    assert_eq!([open, half, close], [Some(100.0), Some(1100.0), Some(1220.0)]);
    // As printed: 19 with a success before, 20 without, never 4.
    for (before, reached) in [("0", 20.0), ("1", 19.0), ("3", 17.0), ("10", 11.0), ("19", 20.0)] {
        assert_eq!(figures("as_printed", &[("before", before)], ["reached_in_fault"]), [Some(reached)], "{before}");
    }
}

/// Every setup: what is printed agrees as its kind says, and both books sum up; a rejected call never reaches the server.
#[test]
fn setups_keep_their_word() {
    for setup in card().setups() {
        let plan = card().plan(&*setup.knobs);
        let outcome = card().run(&*setup.knobs, setup.seed);
        for printed in &setup.printed {
            let ours =
                outcome.get(&plan, printed.figure).unwrap_or_else(|| panic!("{}: {}", setup.key, printed.figure));
            let slack = match printed.kind {
                Evidence::Machine(_, share) | Evidence::Fitted(share) => share * printed.value,
                Evidence::Exact | Evidence::ExactUnder(_) | Evidence::Random => 0.0,
            };
            assert!((ours - printed.value).abs() <= slack, "{}: {}: {ours}", setup.key, printed.figure);
        }
        assert_eq!(outcome.books.len(), plan.books.len());
        for book in &outcome.books {
            assert_eq!((book.caller.open(), book.server.open()), (0, 0), "{}", setup.key);
            assert_eq!(book.caller.attempts, book.caller.rejected + book.server.arrivals, "{}", setup.key);
        }
        let get = |key: &str| outcome.get(&plan, key).unwrap_or(0.0);
        let answered: f64 =
            ["fresh", "stale", "remote", "hidden", "errors_shown", "passed_on"].into_iter().map(get).sum();
        assert_eq!(answered, get("requests"), "{}", setup.key);
    }
}

/// The findings that the page tells.
#[test]
fn findings() {
    // Exactly at the threshold: one library opens, the other does not.
    assert_eq!(figures("edge", &[], ["opened"]), [Some(0.0)]);
    assert_eq!(figures("edge", &[("library", "resilience4j")], ["opened"]), [Some(1.0)]);
    // Slow calls are no failures, until they are counted or cut off.
    assert_eq!(figures("not_failing", &[], ["opened", "p99_latency"]), [Some(0.0), Some(5_000.0)]);
    assert_eq!(figures("slow_calls", &[], ["opened", "failures_counted"]), [Some(1.0), Some(0.0)]);
    assert!(figures("not_failing", &[("timeout", "1200")], ["opened"])[0] > Some(0.0));
    // 429 is a matter of the filter.
    for (filter, opened) in [("all_4xx", 0.0), ("all_4xx_but_429", 1.0), ("none", 1.0)] {
        let got = figures("article", &[("fault", "too_many"), ("filter", filter)], ["opened"]);
        assert_eq!(got, [Some(opened)], "{filter}");
    }
    // Open too short: many transitions, quick recovery; too long: the reverse.
    let [many, quick] = figures("too_short", &[], ["opened", "recovery_delay"]);
    let [few, late] = figures("too_long", &[], ["opened", "recovery_delay"]);
    assert!(many > Some(20.0) && few == Some(1.0) && quick < Some(500.0) && late > Some(10_000.0));
    // An unlimited half-open lets in several times what one probe does.
    let reached = |probes| figures("slow_probes", &[("probes", probes)], ["reached_in_fault"])[0].expect("calls");
    assert!(reached("1000") > 2.0 * reached("1"));
    // Inside the breaker three attempts count as one.
    let [reached, failures] = figures("retry_inside", &[], ["reached_in_fault", "failures_counted"]);
    assert!(reached.expect("calls") > 2.9 * failures.expect("failures"));
    // An old price is not for ever, and without a price there is none.
    let [stale, errors] = figures("article", &[("warm_cache", "off"), ("before", "0")], ["stale", "errors_shown"]);
    assert_eq!([stale, errors], [Some(0.0), Some(30.0)]);
    // All at once: nothing is known before the first has failed.
    let at_once = [("traffic", "even"), ("rate", "1000"), ("length", "1"), ("fault_at", "0"), ("call", "100")];
    assert!(figures("as_printed", &at_once, ["reached_in_fault"])[0] >= Some(100.0));
}

/// The libraries through the same outage.
#[test]
fn libraries_differ() {
    let [polly, hystrix] = ["polly", "hystrix"].map(|setup| figures(setup, &[], ["time_to_open"])[0]);
    assert!(polly < Some(1_000.0) && hystrix == Some(5_000.0), "a tenth, and a half at a snapshot");
    // Six failures 50 ms apart, of 20 ms each.
    assert_eq!(figures("gobreaker", &[], ["time_to_open"]), [Some(270.0)]);
    // Exactly half of twenty; Hystrix at its next snapshot.
    for (library, opened) in [("polly", 1.0), ("hystrix", 1.0), ("textbook", 0.0)] {
        let got = figures("edge", &[("library", library)], ["opened"]);
        assert_eq!(got, [Some(opened)], "{library}");
    }
    let rate = [("library", "gobreaker"), ("ready", "ratio")];
    assert_eq!(figures("edge", &rate, ["opened"]), [Some(1.0)]);
    let count = [("library", "cockatiel"), ("rule", "count"), ("window_calls", "20")];
    assert_eq!(figures("edge", &count, ["opened"]), [Some(0.0)]);
    // Who comes during cockatiel's trial waits: at most as long as the trial takes, and as long again.
    let [waited, longest] = figures("cockatiel", &[], ["waited", "longest_latency"]);
    assert!(waited > Some(10.0) && longest <= Some(2_400.0), "{waited:?} {longest:?}");
    // Envoy: a bad host goes, bad hosts do not.
    let [reached, ejections, rejected] =
        figures("envoy", &[], ["reached_in_fault", "ejections", "rejected"]).map(Option::unwrap_or_default);
    assert_eq!([reached, ejections, rejected], [5.0, 1.0, 0.0]);
    assert_eq!(figures("envoy_all", &[], ["reached_in_fault", "most_ejected"]), [Some(200.0), Some(1.0)]);
    assert_eq!(figures("envoy_panic", &[], ["reached_in_fault", "most_ejected"]), [Some(200.0), Some(10.0)]);
    let no_panic = figures("envoy_panic", &[("panic", "0")], ["reached_in_fault", "rejected"]);
    assert_eq!(no_panic[0], Some(50.0), "five at each of ten hosts");
    assert!(no_panic[1] > Some(500.0));
    assert_eq!(figures("envoy", &[("hosts", "9")], ["ejections"]), [Some(0.0)]);
}

/// Any run cut into pieces is the same run, and the seed matters only where something is random.
#[test]
fn pieces_and_seeds() {
    for (setup, changes, random) in [
        ("article", &[][..], false),
        ("slow_probes", &[("share", "60")][..], true),
        ("remote_fallback", &[("traffic", "poisson"), ("attempts", "3"), ("retry_rejected", "on")][..], true),
        ("article", &[("traffic", "even"), ("capacity", "2"), ("call", "300"), ("warm_up", "on")][..], false),
        ("article", &[("library", "textbook"), ("traffic", "even")][..], false),
        ("slow_calls", &[("window_kind", "time"), ("half_open_wait", "300")][..], false),
        ("polly", &[("traffic", "poisson")][..], true),
        ("hystrix", &[("pool", "2"), ("fault", "slow")][..], false),
        ("gobreaker", &[("clear_every", "1000"), ("pieces", "10")][..], false),
        ("cockatiel", &[("rule", "sampling"), ("trials", "3"), ("trial_threshold", "40")][..], false),
        ("envoy_panic", &[("panic", "0"), ("share", "70"), ("attempts", "2")][..], true),
    ] {
        let knobs = knobs(setup, changes);
        let whole = card().run(&*knobs, 3);
        let mut run = card().start(&*knobs, 3);
        while !run.advance(7).done {}
        assert_eq!(run.outcome().hash(), whole.hash(), "{setup}");
        assert_eq!(card().run(&*knobs, 4).hash() != whole.hash(), random, "{setup}");
        for book in &whole.books {
            assert_eq!((book.caller.open(), book.server.open()), (0, 0), "{setup}");
        }
    }
}

/// Every text of every setup is there in both languages, its placeholders filled and its numbers from the run.
#[test]
fn texts_are_filled() {
    for setup in card().setups() {
        let plan = card().plan(&*setup.knobs);
        let outcome = card().run(&*setup.knobs, setup.seed);
        let known = fields(&mut *setup.knobs.boxed());
        for lang in Lang::ALL {
            let seen = Seen {
                knobs: &*setup.knobs,
                plan: &plan,
                outcome: &outcome,
                many: None,
                printed: &setup.printed,
                guess: Some(("reached_in_fault", 12.0)),
                lang,
            };
            let sentences = card().insights(&seen);
            assert!(sentences.len() >= 2, "{}", setup.key);
            for sentence in sentences {
                assert!(!sentence.plain().contains(['{', '}']), "{}: {}", setup.key, sentence.plain());
                for piece in &sentence.pieces {
                    if let Piece::Number { key, text, .. } = piece {
                        let figure = plan.find(key).is_some() && outcome.get(&plan, key).is_some();
                        assert!(figure || known.iter().any(|f| f.key == *key), "{}: {key}: {text}", setup.key);
                    }
                }
            }
            for chart in card().charts(&seen) {
                assert!(!chart.title.is_empty() && !chart.summary.is_empty());
                assert!(!format!("{:?}", chart.table(lang)).contains("NaN"));
            }
            assert!(!card().banner(&seen).therefore.is_empty());
        }
    }
    for step in card().walkthrough() {
        let guess = step.guess.expect("a guess");
        let knobs = step.reveal.expect("a reveal");
        let (plan, outcome) = (card().plan(&*knobs), card().run(&*knobs, 1));
        let value = outcome.get(&plan, guess.figure).unwrap_or_else(|| panic!("no {}", guess.figure));
        assert!(guess.range.0 <= value && value <= guess.range.1, "{}: {value}", guess.figure);
        for lang in Lang::ALL {
            for key in step.answer.get(lang).split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                assert!(outcome.get(&plan, key).is_some(), "{key}");
            }
        }
    }
}
