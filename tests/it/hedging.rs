//! Card `hedging` and the parts below it: gRPC's policy against its vectors, the fleet against queueing theory and by its claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::budget::{Ratio, Rule};
use overload_sim::hedge::fleet::{self, Cancel, Delay, Fleet, NO_HEDGE, Scene, Setup, Tally};
use overload_sim::hedge::policy::{Answer, Hedge, Kind, Policy, Pushback, Verdict};
use overload_sim::law::Law;
use overload_sim::time::{Span, Time};

use crate::circuit_breaker::vectors_of;
use crate::support::{Ran, changed, pairs};

fn card() -> &'static dyn Card {
    find("hedging").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

/// When the attempts of the card's one call go out, in milliseconds. Few requests: only the call is looked at.
fn sends(changes: &str) -> Vec<f64> {
    let ran = ran("grpc", &format!("requests=100&{changes}"));
    ran.outcome.rows(&ran.plan, "call").map(|row| row[1]).collect()
}

#[test]
fn vectors_of_grpc() {
    let vectors = vectors_of("libraries/articles_queues_caching_hedging.json", "hedging.grpc");
    assert!(vectors.len() >= 4);
    for v in &vectors {
        let (id, given, expect) = (&v["id"], &v["given"], &v["expect"]);
        let mut changes = Vec::new();
        for (key, value) in given.as_object().expect("parameters") {
            match key.as_str() {
                "maxAttempts" => changes.push(format!("attempts={value}")),
                "hedgingDelay_ms" => changes.push(format!("delay={value}")),
                "no_response" => assert_eq!(value, true, "{id}"),
                "first_fails_UNAVAILABLE_at_ms" => changes.push(format!("first=non_fatal&first_at={value}")),
                "token_count_le_half" => changes.push("drained=on".into()),
                other => panic!("{id}: unknown parameter {other}"),
            }
        }
        let sends = sends(&changes.join("&"));
        for (key, value) in expect.as_object().expect("expectations") {
            match key.as_str() {
                "sends_at_ms" => {
                    assert_eq!(*value, serde_json::json!(sends.iter().map(|s| *s as u64).collect::<Vec<_>>()))
                }
                "sends" => assert_eq!(value.as_u64(), Some(sends.len() as u64), "{id}"),
                "outstanding_at_ms" => {
                    for (at, open) in value.as_object().expect("moments") {
                        let at: f64 = at.parse().expect("a moment");
                        let out = sends.iter().filter(|s| **s <= at).count() as u64;
                        assert_eq!(open.as_u64(), Some(out), "{id} at {at}");
                    }
                }
                other => panic!("{id}: unknown expectation {other}"),
            }
        }
    }
}

/// What the vectors leave open: clipping, fatal statuses, pushback, answers.
#[test]
fn grpc_policy() {
    assert_eq!(sends("attempts=10&delay=100"), [0.0, 100.0, 200.0, 300.0, 400.0]);
    assert_eq!(sends("attempts=2&delay=0"), [0.0, 0.0]);
    // A fatal status ends the call, an answer too.
    assert_eq!(sends("first=fatal&first_at=600"), [0.0, 500.0]);
    assert_eq!(sends("first=ok&first_at=1200"), [0.0, 500.0, 1_000.0]);
    // Pushed back: later than the schedule, or sooner, or never.
    let failed = "first=non_fatal&first_at=100&push=after";
    assert_eq!(sends(&format!("{failed}&push_for=700")), [0.0, 800.0, 1_300.0, 1_800.0]);
    assert_eq!(sends(&format!("{failed}&push_for=50")), [0.0, 150.0, 650.0, 1_150.0]);
    assert_eq!(sends("first=non_fatal&first_at=100&push=stop"), [0.0]);
    // Those that are out stay out.
    assert_eq!(sends("first=non_fatal&first_at=600&push=stop"), [0.0, 500.0]);
    // Each failure brings the next; when none is left the call has failed.
    let all = "first=non_fatal&first_at=100&others=non_fatal&others_at=50";
    assert_eq!(sends(all), [0.0, 100.0, 150.0, 200.0]);
    assert_eq!(ran("grpc", &format!("requests=100&{all}")).get("ended"), 250.0);
    // The throttle stops hedges, not the call.
    assert_eq!(sends("drained=on&first=non_fatal&first_at=100"), [0.0]);
    // A plain hedge takes any first answer.
    assert_eq!(ran("grpc", "requests=100&when=fixed&first=non_fatal&first_at=600").get("ended"), 600.0);
    assert_eq!(sends("when=never"), [0.0]);
}

#[test]
fn hedge() {
    let policy = Policy { kind: Kind::Grpc, attempts: 3, delay: Span::ms(10) };
    let at = |ms: u64| Time::us(ms * 1_000);
    let mut hedge = Hedge::new(policy, at(5));
    assert_eq!(hedge.due(), Some(at(5)));
    hedge.send(at(5));
    assert_eq!((hedge.sent(), hedge.open(), hedge.due()), (1, 1, Some(at(15))));
    hedge.send(at(15));
    hedge.send(at(25));
    assert_eq!((hedge.open(), hedge.due()), (3, None));
    // Without another attempt to send, the call goes on while one is open.
    assert_eq!(hedge.answer(at(26), Answer::NonFatal(Pushback::After(Span::ms(1)))), Verdict::GoesOn);
    assert_eq!(hedge.due(), None);
    assert_eq!(hedge.answer(at(27), Answer::NonFatal(Pushback::None)), Verdict::GoesOn);
    assert_eq!(hedge.answer(at(28), Answer::NonFatal(Pushback::None)), Verdict::Failed);
    // Frozen with nothing open is for the caller to see.
    let mut hedge = Hedge::new(Policy { attempts: 2, ..policy }, at(0));
    hedge.send(at(0));
    assert_eq!(hedge.answer(at(1), Answer::NonFatal(Pushback::None)), Verdict::GoesOn);
    assert_eq!((hedge.due(), hedge.open()), (Some(at(1)), 0));
    let scene = Scene { policy, first: None, others: Some((Span::ms(3), Answer::Ok)), allowed: true, until: at(100) };
    let (attempts, end) = fleet::alone(scene);
    assert_eq!((attempts.len(), end), (2, Some((at(13), Verdict::Answered))));
}

// The fleet.

fn setup() -> Setup {
    Setup {
        arrivals: Arrivals::Poisson { rate: Rate::per_s(500) },
        requests: 20_000,
        warm_up: 2_000,
        replicas: 1,
        slots: 1,
        service: Law::Exponential(Span::ms(1)),
        own: false,
        policy: NO_HEDGE,
        delay: Delay::Fixed,
        cancel: Cancel::Nothing,
        budget: Rule::Unlimited,
        fails: 0,
        failure: Answer::Fatal,
        slo: Span::s(1),
    }
}

fn run(setup: Setup, seed: u64) -> Tally {
    let mut fleet = Fleet::new(setup, seed);
    while !fleet.advance(u64::MAX) {}
    fleet.tally().clone()
}

const TWICE: Policy = Policy { kind: Kind::Race, attempts: 2, delay: Span::ms(5) };

/// Without hedging one replica with one slot is M/M/1: T = 1/(µ − λ), and P(T > t) = e^(−(µ − λ)t). Several replicas
/// chosen at random are so many of these.
#[test]
fn queueing_theory() {
    for (replicas, rate) in [(1, 500), (10, 5_000)] {
        let arrivals = Arrivals::Poisson { rate: Rate::per_s(rate) };
        let setup = Setup { replicas, arrivals, requests: 200_000, warm_up: 20_000, ..setup() };
        let mut tally = run(setup, 1);
        let mean = tally.times.mean_us().expect("answers");
        assert!((mean / 2_000.0 - 1.0).abs() < 0.03, "{replicas}: {mean}");
        let p99 = tally.times.percentile(0.99).expect("answers").as_ms();
        assert!((p99 / (100f64.ln() * 2.0) - 1.0).abs() < 0.05, "{replicas}: {p99}");
    }
}

/// At next to no load a hedge after d on an exponential law is slower than t with e^(−t/m)·e^(−(t − d)/m).
#[test]
fn hedged_law() {
    let arrivals = Arrivals::Poisson { rate: Rate::per_s(1) };
    let base = Setup { arrivals, replicas: 20, requests: 100_000, warm_up: 0, ..setup() };
    let mut tally = run(Setup { policy: Policy { delay: Span::ms(2), ..TWICE }, ..base }, 1);
    // e^(−2): the share that is still open at the delay.
    let extra = tally.hedges as f64 / tally.requests as f64;
    assert!((extra - (-2f64).exp()).abs() < 0.004, "{extra}");
    // P(T > t) = 1 % where t + (t − 2) = ln 100.
    let p99 = tally.times.percentile(0.99).expect("answers").as_ms();
    assert!((p99 - (100f64.ln() + 2.0) / 2.0).abs() < 0.06, "{p99}");
    // Both at once: the least of two, twice as fast, at twice the work.
    let tally = run(Setup { policy: Policy { delay: Span::ZERO, ..TWICE }, ..base }, 1);
    let mean = tally.times.mean_us().expect("answers");
    assert!((mean / 500.0 - 1.0).abs() < 0.02, "{mean}");
    assert_eq!(tally.hedges, tally.requests);
    // Where the request is what is slow, a second copy is of no use.
    let own = run(Setup { policy: TWICE, own: true, ..base }, 1);
    let plain = run(Setup { own: true, ..base }, 1);
    assert_eq!((own.times, own.won), (plain.times, 0));
}

/// The same requests and the same luck with hedging and without: a request that was never hedged, and never queued
/// behind a hedge, takes as long.
#[test]
fn same_luck() {
    let arrivals = Arrivals::Poisson { rate: Rate::per_s(1) };
    let base = Setup { arrivals, replicas: 20, requests: 2_000, warm_up: 0, ..setup() };
    let mut plain = run(base, 4);
    let mut hedged = run(Setup { policy: TWICE, ..base }, 4);
    assert_eq!(plain.times.within(Span::ms(5)), hedged.times.within(Span::ms(5)));
    assert_eq!(hedged.hedges as usize, 2_000 - plain.times.within(Span::ms(5)));
}

/// What becomes of the copy that lost.
#[test]
fn cancelling() {
    let arrivals = Arrivals::Poisson { rate: Rate::per_s(8_000) };
    let base = Setup { arrivals, replicas: 10, policy: Policy { delay: Span::ms(1), ..TWICE }, ..setup() };
    let [nothing, waiting, served] =
        [Cancel::Nothing, Cancel::Waiting, Cancel::Served].map(|cancel| run(Setup { cancel, ..base }, 1));
    assert_eq!((nothing.server.dropped_expired, nothing.server.wasted), (0, nothing.hedges));
    assert!(waiting.server.dropped_expired > 0);
    assert!(served.wasted < waiting.wasted && waiting.wasted < nothing.wasted);
    let p99 = [nothing, waiting, served].map(|mut t| t.times.percentile(0.99).expect("answers"));
    assert!(p99[0] > p99[1] && p99[1] > p99[2], "{p99:?}");
}

/// Budgets bound the hedges.
#[test]
fn budgets() {
    let arrivals = Arrivals::Poisson { rate: Rate::per_s(8_000) };
    let base = Setup { arrivals, replicas: 10, policy: Policy { delay: Span::ZERO, ..TWICE }, ..setup() };
    let bucket = run(Setup { budget: Rule::Bucket { ratio: Ratio::percent(5), max_tokens: 10 }, ..base }, 1);
    // Ten to begin with, then one for every twenty requests; the first deposit finds the bucket full.
    assert_eq!((bucket.hedges, bucket.denied), (10 + 19_999 / 20, 20_000 - 10 - 19_999 / 20));
    // gRPC's throttle counts failures: with every attempt failing it stops after half of its tokens.
    let grpc = Policy { kind: Kind::Grpc, attempts: 4, delay: Span::s(1) };
    let failing = Setup {
        policy: grpc,
        fails: 1_000_000,
        failure: Answer::NonFatal(Pushback::None),
        budget: Rule::Grpc { ratio: Ratio::percent(10), max_tokens: 10 },
        arrivals: Arrivals::Even { rate: Rate::per_s(1) },
        requests: 100,
        ..base
    };
    let tally = run(failing, 1);
    // As in the vector of its retries: 100 failing calls with 4 attempts send 103. The first call leaves 6 tokens, the
    // second one's failure 5: no more hedges from then on.
    assert_eq!((tally.requests, tally.failed, tally.caller.attempts), (100, 100, 103));
    assert_eq!((tally.hedges, tally.denied), (3, 99));
    // A fatal status costs no token: with two attempts at once every call is hedged, although none succeeds.
    let at_once = Policy { attempts: 2, delay: Span::ZERO, ..grpc };
    let fatal = run(Setup { failure: Answer::Fatal, policy: at_once, ..failing }, 1);
    assert_eq!((fatal.hedges, fatal.denied, fatal.failed), (100, 0, 100));
    let non_fatal = run(Setup { policy: at_once, ..failing }, 1);
    assert_eq!((non_fatal.hedges, non_fatal.denied), (3, 97));
}

/// A measured delay follows the load; a fixed one does not.
#[test]
fn measured() {
    let (fixed, measured) = (ran("busy", ""), ran("measured", ""));
    assert!(fixed.get("extra") > 60.0 && measured.get("extra") < 25.0);
    assert!(fixed.get("hedged_p99") > 3.0 * measured.get("hedged_p99"));
    // At light load both hedge about one request in twenty.
    let light = ran("article", "when=measured");
    assert!((3.5..6.5).contains(&light.get("extra")), "{}", light.get("extra"));
}

/// One slider from harmless to harm.
#[test]
fn turning_point() {
    let turning = |setup: &str| ran(setup, "").find("turning");
    let light = ran("article", "");
    assert!(light.get("hedged_p999") < 0.4 * light.get("plain_p999"));
    assert!(light.get("extra") < 6.0);
    let at = light.get("turning");
    assert!((50.0..80.0).contains(&at), "{at}");
    // The load set does not move it; an earlier hedge brings it down, a measured delay and a budget up.
    assert_eq!(turning("busy"), Some(at));
    assert!(turning("early") < Some(at) && turning("measured") > Some(at) && turning("budgeted") > Some(at));
    assert_eq!(turning("cancelled"), None);
    let [below, above] = ["50", "85"].map(|load| ran("article", &format!("load={load}")));
    assert!(below.get("hedged_p99") < below.get("plain_p99") && above.get("hedged_p99") > 2.0 * above.get("plain_p99"));
    // Never hedged is never different.
    let never = ran("article", "when=never");
    assert_eq!((never.get("hedged_p999"), never.get("extra")), (never.get("plain_p999"), 0.0));
    assert_eq!(never.outcome.books[0], never.outcome.books[1]);
}

/// Bad luck against heavy requests; a light tail.
#[test]
fn which_slowness() {
    let heavy = ran("heavy_requests", "");
    assert!((heavy.get("hedged_p999") / heavy.get("plain_p999") - 1.0).abs() < 0.05);
    let light = ran("light_tail", "");
    assert!(light.get("hedged_p99") > 0.85 * light.get("plain_p99"));
}

/// The load with hedges is the work that is done: what is cancelled counts as far as it got.
#[test]
fn work_done() {
    let sent = |run: &Ran, load: f64| load * (1.0 + run.get("extra") / 100.0);
    for (setup, load) in [("article", 30.0), ("busy", 85.0)] {
        let nothing = ran(setup, "cancel=off");
        let all = nothing.get("total_load") / sent(&nothing, load);
        assert!((0.97..1.03).contains(&all), "{setup}: nothing is cancelled, yet {all} of it is done");
        let stopped = ran(setup, "cancel=served");
        assert!(stopped.get("total_load") < 0.99 * sent(&stopped, load), "{setup}: what is stopped is not done");
        // As the books of waste have it: without what was for nothing there is at most the load itself.
        let used = stopped.get("total_load") * (1.0 - stopped.get("wasted") / 100.0);
        assert!(used <= load * 1.001, "{setup}: {used}");
    }
    assert_eq!(ran("article", "when=never").get("total_load"), 30.0);
}

/// Any run cut into pieces is the same run.
#[test]
fn pieces() {
    for setup in ["article", "throttled", "extreme", "measured"] {
        let knobs = changed(card(), setup, [("requests", "300")]);
        let whole = card().run(&*knobs, 3);
        let mut run = card().start(&*knobs, 3);
        while !run.advance(7).done {}
        assert_eq!(run.outcome().hash(), whole.hash(), "{setup}");
    }
}
