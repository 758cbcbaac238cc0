//! Card `consumer-lag` and the consumer group below it against the vectors' formulas and its claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::partitions::{Group, Setup, Signal};
use overload_sim::time::{Span, Time};

use crate::support::{Ran, Shuffle, changed, pairs, shuffled_within, vector};

fn card() -> &'static dyn Card {
    find("consumer-lag").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

/// replicas = lag ÷ (per pod × time to drain).
#[test]
fn replicas() {
    let file = vector("articles/backlog_and_autoscaling.json");
    for point in file["replicas"].as_array().expect("points") {
        let number = |key: &str| point["params"][key].as_f64().expect(key);
        // One message of so many milliseconds, without CPU.
        let io = (1_000_000.0 / number("perPodPerSec")).round() / 1_000.0;
        let changes = format!("backlog={}&io={io}&cpu=0&age={}&watch=300", number("lag"), number("drainSec"));
        assert_eq!(
            Some(ran("article", &changes).get("pods_to_drain")),
            point["expect"]["replicas"].as_f64(),
            "{point}"
        );
    }
}

/// The CPU never moves the number of pods; lag and age do. What lag per pod leaves is within its threshold for each pod.
#[test]
fn signals() {
    let run = ran("article", "");
    assert_eq!([run.get("hpa_most_pods"), run.get("hpa_left")], [2.0, 2_000_000.0]);
    assert!(run.get("hpa_most_cpu") < 30.0 && run.find("hpa_caught_up").is_none());
    assert_eq!(run.get("most_pods"), 7.0);
    assert!((10.0..30.0).contains(&run.get("caught_up")) && run.get("left") <= 3.0 * 300_000.0);
    let less = ran("article", "threshold=100000");
    assert!(less.get("left") < 0.5 * run.get("left") && less.get("caught_up") < run.get("caught_up"));
    let age = ran("age", "");
    assert!(age.get("caught_up") < run.get("caught_up"));
    assert!(ran("article", "target=10").get("hpa_most_pods") > 2.0, "the wrong fix adds pods");
    // CPU-bound consumers, and the same HPA scales.
    assert!(ran("article", "io=0.1&cpu=1.9").get("hpa_most_pods") > 2.0);
}

/// More pods than partitions idle; KEDA does not ask for them unless it is told to.
#[test]
fn partitions_end_it() {
    let idle = ran("idle", "");
    assert_eq!([idle.get("most_pods"), idle.get("most_idle")], [24.0, 12.0]);
    assert_eq!(ran("idle", "allow_idle=off").get("most_idle"), 0.0);
    let rates: Vec<(f64, f64)> = idle.outcome.rows(&idle.plan, "by_pods").map(|row| (row[0], row[1])).collect();
    for (pods, rate) in rates {
        // Some pods have one partition more than others, and all of a pod's partitions share its lane.
        assert!((rate - 500.0 * pods.min(12.0)).abs() < 1.0, "{pods} pods: {rate}");
    }
    let more = ran("idle", "partitions=24").get("caught_up");
    assert!(more < idle.get("caught_up"), "{more}");
}

/// The downstream's limit holds, whatever the pods.
#[test]
fn downstream() {
    let run = ran("downstream", "");
    assert!(run.get("at_limit_share") > 20.0);
    for row in run.outcome.rows(&run.plan, "moments") {
        assert!(row[7] <= 2_500.0, "{row:?}");
    }
    // More pods than that are no faster, but for a rebalance more or less.
    let more = ran("downstream", "most=24&allow_idle=on").get("caught_up");
    assert!(more > run.get("caught_up") - 1.0, "{more}");
}

/// A hot key is one lane: its partition is behind when all others are done, and pods change nothing.
#[test]
fn hot_key() {
    let run = ran("hot", "");
    let lanes: Vec<&[f64]> = run.outcome.rows(&run.plan, "lanes").collect();
    assert!(run.find("caught_up").is_none() && lanes[0][2] == run.get("left"));
    assert!(lanes[1..].iter().all(|lane| lane[1] < 10.0 && lane[2] == 0.0), "{lanes:?}");
    assert_eq!(ran("hot", "most=24").get("left"), run.get("left"));
    // A lane of its own at best: 500 a second against 300 that come, of the 600,000 that wait 420,000 too many.
    let levers = ["lever_keys", "lever_batch", "lever_work"].map(|key| run.get(key));
    assert!(levers[0] > 30.0 && levers[1] < 5.0 && levers[2] < 15.0, "{levers:?}");
}

/// Messages are neither lost nor made up, under any knobs; nobody works faster than the pods can.
#[test]
fn books() {
    for n in 0..60 {
        let knobs = shuffled_within(card(), 81, n, 20_000);
        let run = Ran::of(card(), &*knobs, n);
        for book in &run.outcome.books {
            assert_eq!(book.caller.ok + book.caller.late + book.caller.cancelled, book.offered, "{n}");
        }
        for prefix in ["", "hpa_"] {
            let get = |key: &str| run.get(&[prefix, key].concat());
            assert!(get("most_idle") <= get("most_pods"), "{n}");
            let moments = [prefix, "moments"].concat();
            for row in run.outcome.rows(&run.plan, &moments) {
                assert!(row[7] <= row[3].max(1.0) * run.get("pod_rate") * 1.01 + 1.0, "{n}: {row:?}");
            }
        }
    }
}

/// The group itself: what came is served or waits, to the thousandth.
#[test]
fn conservation() {
    for n in 0..40 {
        let mut draw = Shuffle::new(82, n).0;
        let mut up_to = |most: u64| draw.below(most + 1);
        let setup = Setup {
            partitions: 1 + up_to(30) as u32,
            inflow: up_to(3_000),
            backlog: up_to(300_000),
            hot: up_to(100),
            keys: up_to(40) as u32,
            io: Span::us(100 + up_to(10_000)),
            cpu: Span::us(up_to(3_000)),
            batch: 1 + up_to(20),
            parallel: 1 + up_to(5),
            request: 10 + up_to(500),
            cores: 1_000,
            behind: up_to(1) * up_to(4_000),
            pods: 1 + up_to(5),
            least: 1 + up_to(3),
            most: 4 + up_to(30),
            start: Span::s(up_to(90)),
            rebalance: Span::s(up_to(30)),
            signal: [
                Signal::Fixed,
                Signal::Cpu(1 + up_to(90)),
                Signal::Lag(1 + up_to(9_999), up_to(1) == 1),
                Signal::Age(1 + up_to(300)),
            ][n as usize % 4],
            in_time: Span::s(60),
            watch: Span::s(600),
        };
        let mut group = Group::new(setup, n);
        while group.step() {}
        let end = group.moments.last().expect("a moment").at;
        assert_eq!(end, Time::ZERO + setup.watch);
        let came = (setup.backlog + setup.inflow * 600) * 1_000;
        let here = group.waiting() + group.served.iter().sum::<u64>();
        // What came is rounded down in each partition.
        assert!(here <= came && came - here <= u64::from(setup.partitions) + 1, "{n}: {here} of {came}");
        for m in &group.moments {
            assert!(m.ready + m.starting <= setup.most.max(setup.pods).max(setup.least), "{n}: {m:?}");
        }
    }
}
