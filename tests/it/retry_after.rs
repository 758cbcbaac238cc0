//! What clients make of `Retry-After`, quotas and penalty boxes; card `retry-after` by small models of its own.

use overload_cards::card::Card;
use overload_cards::find;
use overload_cards::many::run_many;
use overload_sim::backoff::Memory;
use overload_sim::backoff::library::Library;
use overload_sim::draw::{Draw, Draws};
use overload_sim::penalty::{PenaltyBox, Quota};
use overload_sim::retry_after::{Header, Heed};
use overload_sim::time::{Span, Time};

use crate::support::{Ran, Shuffle, changed, pairs, vector};

fn card() -> &'static dyn Card {
    find("retry-after").expect("the card")
}

fn ran(setup: &str, changes: &str, seed: u64) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), seed)
}

#[track_caller]
fn figures<const N: usize>(setup: &str, changes: &str, keys: [&str; N]) -> [f64; N] {
    let ran = ran(setup, changes, 1);
    keys.map(|key| ran.get(key))
}

fn draw(n: u64) -> Draw {
    Draws::new(23, 0).at(n, 0, 0)
}

/// The libraries' own numbers: what they wait, told so much, at a random value of one half.
#[test]
fn libraries() {
    let file = vector("libraries/backoff.json");
    let mut seen = 0;
    for v in file["vectors"].as_array().expect("vectors") {
        let (id, given, expect) = (v["id"].as_str().expect("an id"), &v["given"], &v["expect"]);
        let mut half = || 0.5;
        let (own, told, expected) = if id.contains("retry_after_hint") {
            assert_eq!(given["errorType"], "THROTTLING");
            // Throttled, its base is 1 s.
            let curve = Library::AwsJs.defaults().with(Span::s(1), Span::s(20));
            let own = curve.micros(0, &mut Memory::default(), &mut half);
            let told = given["retry_after_s"].as_u64().map(Span::s);
            (own, told, expect["delay_ms"].as_f64().map(|ms| ms * 1e3))
        } else if id.contains("x-amz-retry-after") {
            let own = Library::Botocore.defaults().micros(0, &mut Memory::default(), &mut half);
            // A header that cannot be read is none.
            let told = given["header_ms"].as_str().and_then(|ms| ms.parse().ok()).map(Span::ms);
            (own, told, expect["delay_s"].as_f64().map(|s| s * 1e6))
        } else {
            continue;
        };
        seen += 1;
        let wait = Heed::Aws.wait(told, Span::from_us_f64(own), &mut draw(0));
        assert_eq!(Some(wait.as_us() as f64), expected, "{id}");
    }
    assert!(seen >= 7, "{seen} vectors");
}

#[test]
fn ways_of_heeding() {
    let [own, told] = [Span::ms(300), Span::s(4)];
    let wait = |heed: Heed, told| heed.wait(told, own, &mut draw(1));
    for heed in [Heed::Obeys, Heed::Ignores, Heed::Aws, Heed::AwsClassic, Heed::Envoy] {
        assert_eq!(wait(heed, None), own, "{heed:?} is told nothing");
    }
    assert_eq!(wait(Heed::Obeys, Some(told)), told);
    assert_eq!(wait(Heed::Obeys, Some(Span::ZERO)), Span::ZERO);
    assert_eq!(wait(Heed::Ignores, Some(told)), own);
    assert_eq!(wait(Heed::Aws, Some(Span::s(60))), Span::ms(5_300));
    assert_eq!(wait(Heed::Aws, Some(Span::ZERO)), own);
    assert_eq!(wait(Heed::AwsClassic, Some(Span::s(60))), Span::s(60));
    assert_eq!(wait(Heed::AwsClassic, Some(Span::ZERO)), own);
    // Envoy: from as told to half as long again; beyond 300 s, or up to 1 ms, the header is not used.
    let waits: Vec<Span> = (0..2_000).map(|n| Heed::Envoy.wait(Some(told), own, &mut draw(n))).collect();
    let [low, high] = [waits.iter().min(), waits.iter().max()].map(|w| w.expect("waits").as_ms());
    assert!((4_000.0..4_010.0).contains(&low) && (5_990.0..6_000.0).contains(&high), "{low} to {high}");
    assert_eq!(wait(Heed::Envoy, Some(Span::s(301))), own);
    assert_eq!(wait(Heed::Envoy, Some(Span::ms(1))), own);
    assert!(wait(Heed::Envoy, Some(Span::s(300))) >= Span::s(300));
    // The article's header: 1, 2 or 3 s, each about as often.
    let header = Header { shortest: 1, values: 3 };
    let mut counts = [0; 3];
    (0..9_000).for_each(|n| counts[(header.told(&mut draw(n)).as_us() / 1_000_000 - 1) as usize] += 1);
    assert!(counts.iter().all(|n| (2_820..3_180).contains(n)), "{counts:?}");
    assert_eq!(Header { shortest: 2, values: 0 }.told(&mut draw(0)), Span::s(2));
}

/// A bucket in whole parts against one in fractions.
#[test]
fn quotas() {
    for n in 0..300 {
        let mut luck = Shuffle::new(231, n).0;
        let (rate, burst) = (1 + luck.below(50), 1 + luck.below(20));
        let mut quota = Quota::new(rate, burst);
        let (mut tokens, mut at, mut now) = (burst as f64, 0.0, Time::ZERO);
        for _ in 0..200 {
            now += Span::us(luck.below(300_000));
            tokens = (tokens + (now.as_s() - at) * rate as f64).min(burst as f64);
            at = now.as_s();
            let near = (tokens - 1.0).abs() < 1e-6;
            match quota.take(now) {
                Ok(()) => {
                    assert!(tokens >= 1.0 || near);
                    tokens -= 1.0;
                }
                Err(wait) => {
                    assert!(tokens < 1.0 || near);
                    assert!((wait.as_s() - (1.0 - tokens) / rate as f64).abs() <= 2e-6, "{wait:?} at {tokens}");
                }
            }
        }
    }
    // Told to wait so long, one is served after exactly that.
    let mut quota = Quota::new(3, 1);
    assert_eq!(quota.take(Time::ZERO), Ok(()));
    let wait = quota.take(Time::ZERO).expect_err("empty");
    assert_eq!(wait, Span::us(333_334));
    assert!(quota.take(Time::us(333_333)).is_err());
    assert_eq!(quota.take(Time::us(333_334)), Ok(()));
    let mut none = Quota::new(0, 0);
    assert_eq!((none.take(Time::ZERO), none.take(Time::us(1 << 60))), (Ok(()), Err(Span::MAX)));
}

#[test]
fn penalty_boxes() {
    let at = |ms: u64| Time::ZERO + Span::ms(ms);
    let mut guard = PenaltyBox::new(3, Span::s(1), Span::s(1), Span::s(3));
    // Two in a second are not three.
    assert!(!guard.strike(at(0)) && !guard.strike(at(999)) && !guard.strike(at(1_000)) && !guard.strike(at(1_500)));
    assert_eq!(guard.shut(at(1_500)), None);
    assert!(guard.strike(at(1_999)));
    assert_eq!(guard.shut(at(1_999)), Some(Span::s(1)));
    assert_eq!((guard.shut(at(2_998)), guard.shut(at(2_999))), (Some(Span::ms(1)), None));
    // At once again: twice as long, then the longest.
    let relapse = |guard: &mut PenaltyBox, from: u64| {
        assert!(!guard.strike(at(from)) && !guard.strike(at(from)) && guard.strike(at(from)));
        guard.shut(at(from))
    };
    assert_eq!(relapse(&mut guard, 3_000), Some(Span::s(2)));
    assert_eq!(relapse(&mut guard, 5_000), Some(Span::s(3)));
    assert_eq!(relapse(&mut guard, 10_999), Some(Span::s(3)));
    // Quiet for as long as it was shut out: forgiven.
    assert_eq!(relapse(&mut guard, 17_000), Some(Span::s(1)));
}

/// Told the same, waves lose one slot's worth each: n, n − c, n − 2c, … refused again, one each time the header says.
#[test]
fn the_same_for_all() {
    for (clients, capacity, after) in
        [(1_000u64, 100u64, 1u64), (1_000, 300, 2), (950, 100, 1), (100, 100, 5), (7, 1, 3)]
    {
        let changes = format!("clients={clients}&capacity={capacity}&after={after}&attempts=50");
        let keys = ["same_herd", "same_moments", "same_refused", "same_calls", "same_done", "same_gave_up"];
        let waves = clients.div_ceil(capacity);
        let refused: u64 = (1..waves).map(|wave| clients - wave * capacity).sum();
        let expected = [clients, 1, refused, 2 * clients + refused, waves * after, 0].map(|n| n as f64);
        assert_eq!(figures("article", &changes, keys), expected, "{changes}");
    }
    // With fewer attempts than waves the rest gives up: the one at t = 0 counts.
    let keys = ["same_answered", "same_gave_up", "same_calls"];
    assert_eq!(figures("article", "attempts=4", keys), [300.0, 700.0, 1_000.0 + 1_000.0 + 900.0 + 800.0]);
    assert_eq!(figures("article", "attempts=1", keys), [0.0, 1_000.0, 1_000.0]);
}

/// The largest herds against throws of a model that knows only the law: 3 seconds, and 30 slots.
#[test]
fn herds() {
    const SEEDS: u64 = 300;
    let mut luck = Shuffle::new(232, 0).0;
    let mut model = |bins: u64, n: u64| {
        let throws = (0..2_000).map(|_| {
            let mut counts = vec![0u32; bins as usize];
            (0..n).for_each(|_| counts[luck.below(bins) as usize] += 1);
            f64::from(counts.into_iter().max().unwrap_or(0))
        });
        let all: Vec<f64> = throws.collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let var = all.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / all.len() as f64;
        (mean, var)
    };
    for (setup, changes, row, bins, n) in [
        ("article", "", "spread", 3, 1_000),
        ("article", "", "both", 30, 1_000),
        ("one_second", "", "both", 10, 1_000),
        ("article", "values=1&jitter=2000", "both", 20, 1_000),
        ("article", "values=5&jitter=1s&slot=50&clients=400", "both", 100, 400),
        ("ten_values", "", "both", 10, 1_000),
    ] {
        let knobs = changed(card(), setup, pairs(changes));
        let plan = card().plan(&*knobs);
        let many = run_many(1, SEEDS, |seed| card().run(&*knobs, seed));
        let ours = many.spread(&plan, &format!("{row}_herd")).expect("runs");
        let (mean, var) = model(bins, n);
        let error = (var / SEEDS as f64 + var / 2_000.0).sqrt();
        assert!((ours.mean - mean).abs() <= 4.0 * error, "{setup} {changes}: {} against {mean} ± {error}", ours.mean);
    }
}

/// The figures that the page is about.
#[test]
fn three_herds_and_none() {
    let knobs = changed(card(), "article", []);
    let plan = card().plan(&*knobs);
    let many = run_many(1, 200, |seed| card().run(&*knobs, seed));
    let median = |key: &str| many.spread(&plan, key).expect("runs").median;
    assert_eq!((median("same_herd"), median("spread_moments")), (1_000.0, 3.0));
    let (spread, both) = (median("spread_herd"), median("both_herd"));
    assert!((343.0..352.0).contains(&spread), "{spread}");
    assert!((44.0..49.0).contains(&both), "{both}");
    // Nobody is shed again, and the last is answered within 1 + 2 + 1 s.
    assert_eq!(many.spread(&plan, "both_refused").expect("runs").max, 0.0);
    assert!(many.spread(&plan, "both_done").expect("runs").max <= 4.0);
}

/// Who does not heed uses up the attempts before the first appointment, and leaves the others' return as it is.
#[test]
fn those_who_do_not_wait() {
    let keys = ["both_gave_up", "both_answered", "both_herd", "both_done"];
    let [gave_up, answered, herd, done] = figures("half", "", keys);
    assert_eq!(gave_up + answered, 1_000.0);
    assert!((240.0..330.0).contains(&gave_up) && herd > 400.0 && done > 3.0, "{gave_up}, {herd}, {done}");
    // Nobody heeds: what the header says changes nothing.
    let without = figures("half", "obey=0", ["none_calls", "none_gave_up"]);
    assert_eq!(figures("half", "obey=0&after=9&values=7", ["spread_calls", "spread_gave_up"]), without);
    // Libraries that ignore it: the same as no header.
    let keys = |row: &str| ["herd", "calls", "done", "gave_up"].map(|figure| format!("{row}_{figure}"));
    let ignored = ran("ignored", "", 5);
    for row in ["same", "spread", "both"] {
        assert_eq!(keys(row).map(|key| ignored.get(&key)), keys("none").map(|key| ignored.get(&key)), "{row}");
    }
    // AWS SDKs: told 10 s, they come within 5 s of their own backoff of up to 1 s.
    let [first, last] = figures("aws", "", ["same_first", "same_last"]);
    assert!((5.0..5.1).contains(&first) && (5.9..=6.0).contains(&last), "{first} to {last}");
    let [first, last] = figures("envoy", "", ["same_first", "same_last"]);
    assert!((1.0..1.02).contains(&first) && (1.48..=1.5).contains(&last), "{first} to {last}");
}

/// The partner: no more answered than its quota, whatever it does; each refusal of the app is CPU; the box takes them away.
#[test]
fn the_partner() {
    for (setup, changes) in
        [("article", ""), ("dear", ""), ("polite", ""), ("article", "quota=40&burst=5&loops=30&rtt=3")]
    {
        let ran = ran(setup, changes, 1);
        let knobs = changed(card(), setup, pairs(changes));
        let get = |key: &str| {
            let fields = overload_cards::knobs::fields(&mut *knobs.boxed());
            fields.iter().find(|f| f.key == key).expect("a knob").value().parse::<f64>().expect("a number")
        };
        for side in ["open", "boxed"] {
            let figure = |name: &str| ran.get(&format!("{side}_{name}"));
            let most = get("burst") + get("quota") * 10.0;
            assert!(figure("served") <= most + 2.0, "{setup} {changes}: {side}");
            // But for what the loops still had in the queue at the end of the time.
            let cpu = 100.0 * figure("told_off") * get("refuse_cost") / 10_000.0;
            let after = 100.0 * get("loops") * get("refuse_cost") / 10_000.0;
            let short = cpu - figure("cpu");
            assert!((-1e-6..=after + 1e-6).contains(&short) && figure("cpu") <= 100.0, "{setup} {changes}: {side}");
        }
        assert_eq!(ran.get("open_blocked"), 0.0);
        // A loop takes the whole quota, with the box or by waiting less.
        assert!(ran.get("open_served") >= 0.9 * get("quota") * 10.0, "{setup} {changes}");
        if setup == "polite" {
            assert_eq!((ran.get("boxed_blocked"), ran.get("boxed_served")), (0.0, ran.get("open_served")));
        } else {
            assert!(ran.get("boxed_told_off") * 5.0 < ran.get("open_told_off"), "{setup} {changes}");
            assert!(ran.get("boxed_served") < ran.get("open_served"));
        }
    }
    // Where refusing is dear, everybody else waits for it.
    let [open, boxed] = figures("dear", "", ["open_median", "boxed_median"]);
    assert!(open > 20.0 * boxed && boxed == 4.0, "{open}, {boxed}");
    // Refusing that goes on after the time is over is no share of it.
    let [cpu, told_off] = figures("article", "refuse_cost=100&length=1000&loops=200", ["open_cpu", "open_told_off"]);
    assert!(told_off * 100.0 > 1_000.0 && (50.0..=100.0).contains(&cpu), "{cpu} %, {told_off}");
    // Where it costs nothing, the loop costs nothing.
    assert_eq!(figures("article", "refuse_cost=0", ["open_cpu", "open_median"]), [0.0, 4.0]);
}

/// Turning the partner's knobs leaves the herd as it is, and the other way round.
#[test]
fn two_worlds() {
    let all = |changes: &str, prefix: [&str; 4]| {
        let ran = ran("article", changes, 9);
        let mine = ran.plan.figures.iter().filter(|f| prefix.iter().any(|p| f.key.starts_with(p)));
        mine.map(|f| ran.find(&f.key)).collect::<Vec<_>>()
    };
    let herd = ["same_", "spread_", "both_", "none_"];
    assert_eq!(all("loops=3&quota=50&rate=10&strikes=2", herd), all("", herd));
    let partner = ["open_", "boxed_", "open_", "boxed_"];
    assert_eq!(all("clients=50&after=7&client=aws&obey=20&others=at_once", partner), all("", partner));
}
