//! Card `priority-shedding` and the doors below it (`sim::shedding`): the rules one by one, a small model of its own, and what the
//! page claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::line::{Order, Wait};
use overload_sim::shedding::{CLASSES, Gate, Run, Setup, along_a_cube};
use overload_sim::time::Span;

use crate::support::{Ran, changed, pairs, shuffled_within};

const NAMES: [&str; CLASSES] = ["checkout", "cart", "browse", "reco", "bots"];

fn card() -> &'static dyn Card {
    find("priority-shedding").expect("the card")
}

#[track_caller]
fn ran(setup: &str, changes: &str, seed: u64) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), seed)
}

/// Classes get what their rates say, each request the same class whatever the rule.
#[test]
fn the_mix() {
    let setup = Setup {
        arrivals: Arrivals::Poisson { rate: Rate::per_s(1_000) },
        requests: 40_000,
        mix: [20, 40, 160, 200, 180],
        says: [0, 1, 2, 3, 4],
        service: Law::Fixed(Span::ms(1)),
        slots: 2,
        timeout: None,
        gate: Gate::Open,
        order: Order::Fifo,
        wait: Wait::Any,
        drop_left: false,
    };
    let offered = |gate: Gate| {
        let mut run = Run::new(Setup { gate, ..setup }, 1, None);
        run.advance(u64::MAX);
        run.tally.ends.map(|ends| ends.offered)
    };
    let open = offered(Gate::Open);
    assert_eq!(open, offered(Gate::Thresholds([5, 4, 3, 2, 1])));
    for (n, part) in open.iter().zip([20.0, 40.0, 160.0, 200.0, 180.0]) {
        let expected = 40_000.0 * part / 600.0;
        assert!((*n as f64 - expected).abs() < 4.0 * f64::sqrt(expected), "{open:?}");
    }
    // Without a mix all are of the first class.
    let mut run = Run::new(Setup { mix: [0; CLASSES], ..setup }, 1, None);
    run.advance(u64::MAX);
    assert_eq!(run.tally.ends[0].offered, 40_000);
}

/// A model of its own in steps of a millisecond: who is inside, class by class. The class of a request is taken from a run that
/// lets nobody in.
#[test]
fn as_the_stepped_model() {
    let mut over = 0;
    for n in 0..200 {
        let mut draw = Draws::new(0x5eed, 61).at(n, 0, 0);
        let mut below = |n: u64| draw.below(n);
        let (every, service, requests) = (1 + below(3), 5 + below(60), 1 + below(300));
        let slots = 1 + below(6);
        let limit = 1 + below(20) as u32;
        let each = [0; CLASSES].map(|_| below(u64::from(limit) + 1) as u32);
        let gate = if n % 2 == 0 { Gate::Thresholds(each) } else { Gate::Shares { total: limit, own: each } };
        let says = [0, 1, 2, 3, 4].map(|class: u8| if below(4) == 0 { 0 } else { class });
        let setup = Setup {
            arrivals: Arrivals::Bursts { size: 1, every: Span::ms(every) },
            requests: requests as u32,
            mix: [0; CLASSES].map(|_| 1 + below(9) as u32),
            says,
            service: Law::Fixed(Span::ms(service)),
            slots: slots as u32,
            timeout: None,
            gate,
            order: Order::Fifo,
            wait: Wait::Any,
            drop_left: false,
        };
        // One request more each time: the class of the last.
        let class = |upto: u64| {
            let mut run = Run::new(Setup { requests: upto as u32, gate: Gate::Queue(0), ..setup }, n, None);
            run.advance(u64::MAX);
            run.tally.ends.map(|ends| ends.offered)
        };
        let mut seen = [0; CLASSES];
        let mut inside: Vec<(u64, usize)> = Vec::new();
        let (mut ok, mut refused) = ([0; CLASSES], [0; CLASSES]);
        let mut free = vec![0; slots as usize];
        for request in 0..requests {
            let now = request * every;
            let upto = class(request + 1);
            let class = (0..CLASSES).find(|&c| upto[c] > seen[c]).expect("a class");
            seen = upto;
            // Who ends now is still inside when a request comes.
            inside.retain(|call| call.0 >= now);
            let label = usize::from(says[class]);
            let own = inside.iter().filter(|call| call.1 == label).count() as u32;
            let all = inside.len() as u32;
            let enters = match gate {
                Gate::Thresholds(limits) => all < limits[label],
                Gate::Shares { total, own: shares } => all < total || own < shares[label],
                _ => unreachable!(),
            };
            if !enters {
                refused[class] += 1;
                continue;
            }
            over += u64::from(all >= limit);
            ok[class] += 1;
            let slot = (0..free.len()).min_by_key(|&slot| free[slot]).expect("a slot");
            free[slot] = free[slot].max(now) + service;
            inside.push((free[slot], label));
        }
        let mut run = Run::new(setup, n, None);
        run.advance(u64::MAX);
        assert_eq!(run.tally.ends.map(|ends| ends.ok), ok, "{n}: {setup:?}");
        assert_eq!(run.tally.ends.map(|ends| ends.refused), refused, "{n}: {setup:?}");
    }
    // Shares let in more than the limit, as in the library.
    assert!(over > 50, "{over}");
}

#[test]
fn the_curve() {
    // ∛(3/4), ∛(1/2), ∛(1/4) of the upper half.
    assert_eq!(along_a_cube(100, 50), [100, 95, 90, 81, 50]);
    assert_eq!(along_a_cube(100, 0), [100, 91, 79, 63, 0]);
    assert_eq!(along_a_cube(30, 100), [30; CLASSES]);
}

/// The lowest go first, checkout is spared, and the value with it; over seeds, not in one run.
#[test]
fn the_lowest_go_first() {
    for seed in 1..=10 {
        let ran = ran("article", "", seed);
        let share = |name: &str| ran.get(&format!("{name}_share"));
        let shares = NAMES.map(share);
        assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
        assert!(shares[0] > 99.0 && shares[4] < 5.0, "{shares:?}");
        assert!(ran.get("value_share") > 85.0 && ran.get("blind_value_share") < 50.0);
        assert!((ran.get("ok") - ran.get("blind_ok")).abs() < 0.03 * ran.get("blind_ok"));
        assert!(ran.get("none_ok") < 0.5 * ran.get("blind_ok"));
    }
    // Blind is blind: no class fares better than another, but for chance.
    let ran = ran("article", "duration=60s", 1);
    let blind = NAMES.map(|name| ran.get(&format!("blind_{name}_share")));
    assert!(blind.iter().all(|share| (share - 33.3).abs() < 3.5), "{blind:?}");
}

/// Equal thresholds, and thresholds under one label, are one limit for all. An exemption for all is no limit.
#[test]
fn labels() {
    let equal = ran("article", "upto_cart=100&upto_browse=100&upto_reco=100&upto_bots=100", 3);
    let all = ran("article", "labels=all", 3);
    for ran in [&equal, &all] {
        for key in ["ok", "shed", "value", "p99_ok", "checkout_share"] {
            assert_eq!(ran.get(key), ran.get(&format!("blind_{key}")), "{key}");
        }
    }
    let none = ran("exempt_all", "", 3);
    for key in ["ok", "timeout", "value", "peak_in_flight"] {
        assert_eq!(none.get(key), none.get(&format!("none_{key}")), "{key}");
    }
    // Article 4's condition lets one more in than the limit.
    assert_eq!(ran("exempt", "rate_checkout=0&limit=20", 3).get("peak_in_flight"), 21.0);
    let bots = ran("bots", "", 3);
    assert!(bots.get("bots_share") > 70.0 && bots.get("checkout_share") < 95.0 && bots.get("cart_share") < 60.0);
    // What labels do is the same whichever is chosen.
    let honest = ran("article", "", 3);
    for key in ["honest_value", "bots_value", "all_value", "bots_checkout"] {
        assert_eq!(honest.get(key), bots.get(key), "{key}");
    }
    assert_eq!(
        (honest.get("value_share"), bots.get("value_share")),
        (honest.get("honest_value"), bots.get("bots_value"))
    );
}

/// Shares protect each class from every other.
#[test]
fn shares() {
    let ran = ran("share", "duration=20s", 1);
    assert!(ran.get("checkout_share") > 97.0 && ran.get("bots_share") > 10.0);
    assert!(ran.get("peak_in_flight") > 30.0 && ran.get("peak_in_flight") <= 60.0);
    // A share of everything for checkout alone, and next to nothing for the others.
    let alone = "own_checkout=100&own_cart=0&own_browse=0&own_reco=0&own_bots=0&rate_checkout=300";
    assert!(
        self::ran("share", alone, 1).get("checkout_share")
            > self::ran("share", "rate_checkout=300", 1).get("checkout_share")
    );
}

/// Every request ends once, the classes make up the whole, no share is above all of it.
#[test]
fn requests_add_up() {
    for n in 0..60 {
        let knobs = shuffled_within(card(), 94, n, 30_000);
        let ran = Ran::of(card(), &*knobs, n);
        for (prefix, book) in ["", "blind_", "none_"].iter().zip(&ran.outcome.books) {
            let get = |figure: &str| ran.get(&format!("{prefix}{figure}"));
            assert_eq!(get("ok") + get("shed") + get("timeout"), ran.get("offered"));
            assert_eq!(book.good as f64, get("ok"));
            assert!(get("value") <= ran.get("value_offered"));
            for name in NAMES {
                let share = ran.find(&format!("{prefix}{name}_share"));
                assert!(share.is_none_or(|share| (0.0..=100.0).contains(&share)));
            }
        }
        for row in ran.outcome.rows(&ran.plan, "value_by_load") {
            assert!(row[2..].iter().all(|&kept| kept <= row[1]), "{row:?}");
        }
        for row in ran.outcome.rows(&ran.plan, "by_load") {
            assert!(row[1..].iter().all(|share| (0.0..=100.0).contains(share)), "{row:?}");
        }
    }
}

/// Dragging a knob of the default run redraws within the frame.
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
