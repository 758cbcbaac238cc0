//! Kubernetes' autoscaler and KEDA's scalers against their vectors and sources.

use overload_sim::hpa::{
    self, Behavior, Change, Controller, Hpa, Pod, Policy, Readiness, Rules, Select, Spec, limit, utilization,
};
use overload_sim::keda::{Executor, Kafka, sqs};
use overload_sim::time::{Span, Time};
use serde_json::Value;

use crate::support::vector;

fn pods(given: &Value) -> Vec<Pod> {
    let pod = |pod: &Value| Pod {
        usage: pod["usage_m"].as_u64(),
        request: pod["request_m"].as_u64().expect("a request"),
        ready: pod["ready"] == true,
        pending: pod["pending"] == true,
    };
    given.as_array().expect("pods").iter().map(pod).collect()
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::s(seconds)
}

#[test]
fn every_vector() {
    let file = vector("libraries/autoscaling.json");
    let all = file["vectors"].as_array().expect("vectors");
    assert!(all.len() >= 22, "{} vectors", all.len());
    let controller = Controller::default();
    for v in all {
        let id = v["id"].as_str().expect("an id");
        let (given, expect) = (&v["given"], &v["expect"]);
        let number = |key: &str| given[key].as_u64().unwrap_or_else(|| panic!("{id}: no {key}"));
        let events = |key: &str| given[key].as_u64().map_or(vec![], |n| vec![(at(100), n)]);
        if given["pods"].is_array() {
            let got = utilization(&controller, number("current"), number("cpu_target_percent"), &pods(&given["pods"]));
            assert_eq!(got, expect["desired"].as_u64(), "{id}");
        } else if id == "hpa.TestMissingReports" {
            let levels = given["reportedLevels_m"].as_array().expect("levels");
            let pod = |usage: &Value| Pod { usage: usage.as_u64(), request: 200, ready: true, pending: false };
            let pods: Vec<Pod> = levels.iter().map(pod).collect();
            let got = utilization(&controller, number("specReplicas"), number("cpu_target"), &pods);
            assert_eq!(got, expect["desired"].as_u64(), "{id}");
        } else if id.starts_with("hpa.scaleup_limit_default_behavior") {
            let (added, removed) = (events("added_last_15s"), events("deleted_last_15s"));
            let rules = Behavior::default().up;
            let got = limit(&rules, true, at(110), number("current"), &added, &removed);
            assert_eq!(Some(got), expect["max_replicas_allowed"].as_u64(), "{id}");
        } else if id.starts_with("hpa.scaleup_limit_no_behavior") {
            let got = hpa::scale_up_limit(number("current"));
            assert_eq!(Some(got), expect["max_replicas_allowed"].as_u64(), "{id}");
        } else if id.starts_with("hpa.limit") {
            let policy = Policy { change: Change::Pods(4), period: Span::s(60) };
            assert_eq!(given["policy"], "Pods 4 / 60s", "{id}");
            let rules = Rules { stabilization: Span::ZERO, policies: vec![policy], select: Select::Max };
            let got = limit(&rules, true, at(110), number("current"), &events("added_in_period"), &[]);
            assert_eq!(Some(got), expect["limit"].as_u64(), "{id}");
        } else if id == "hpa.stabilization_down_300s" {
            let mut hpa = Hpa::new(Spec { least: 1, most: 100, behavior: None });
            let steps = given["recommendations"].as_array().expect("steps");
            for (step, applied) in steps.iter().zip(expect["applied"].as_array().expect("applied")) {
                let [s, proposed] = [0, 1].map(|i| step[i].as_u64().expect("a number"));
                let wanted = applied.as_u64().or_else(|| applied.as_str()?.split(' ').next()?.parse().ok());
                assert_eq!(Some(hpa.sync(at(s), number("current"), proposed)), wanted, "{id} at {s} s");
            }
        } else if id.starts_with("keda.kafka") {
            let lags = vec![number("total_lag"); 1].into_iter().chain(vec![0; number("partitions") as usize - 1]);
            let kafka = Kafka {
                threshold: number("lagThreshold"),
                allow_idle: given["allowIdleConsumers"] == true,
                limit_to_lagging: given["limitToPartitionsWithLag"] == true,
                even: given["ensureEvenDistributionOfPartitions"] == true,
            };
            let total = kafka.reported(&lags.collect::<Vec<_>>());
            assert_eq!(Some(total.div_ceil(kafka.threshold)), expect["desired_before_min_max"].as_u64(), "{id}");
        } else if id == "keda.cooldown" {
            let mut keda = Executor::new(number("minReplicaCount"), Span::s(number("cooldownPeriod_s")), at(0));
            assert_eq!([299, 300, 301].map(|s| keda.poll(at(s), false, 1)), [1, 1, 0], "{id}");
            assert_eq!([keda.poll(at(330), false, 0), keda.poll(at(360), true, 0)], [0, 1], "{id}");
        } else {
            panic!("{id}: nobody looks at it");
        }
    }
}

/// The article's numbers: raw and within the tolerance.
#[test]
fn proposals() {
    let file = vector("articles/backlog_and_autoscaling.json");
    for point in file["hpa"].as_array().expect("points") {
        let [current, metric, target] = ["current", "metric", "target"].map(|k| point["params"][k].as_u64().expect(k));
        let pod = Pod { usage: Some(metric * 10), request: 1_000, ready: true, pending: false };
        let of = |tolerance: f64| {
            let controller = Controller { tolerance, ..Controller::default() };
            utilization(&controller, current, target, &vec![pod; current as usize])
        };
        assert_eq!(of(0.0), point["expect"]["desiredRaw"].as_u64(), "{point}");
        assert_eq!(of(0.1), point["expect"]["desiredWith10pctTolerance"].as_u64(), "{point}");
    }
    let controller = Controller::default();
    assert_eq!(hpa::external_average(&controller, 2, 2_000_000, 300_000), 7);
    assert_eq!(hpa::external_average(&controller, 7, 2_000_000, 300_000), 7);
    assert_eq!(hpa::external_value(&controller, 4, 2, 1_800, 600), 6);
    assert_eq!([sqs(7, 5, true), sqs(7, 5, false)], [12, 7]);
    assert_eq!(hpa::combine(5, &[Some(3), Some(4)]), 4);
    assert_eq!(hpa::combine(5, &[Some(3), None]), 5);
    assert_eq!(hpa::combine(5, &[Some(8), None]), 8);
    assert_eq!(hpa::combine(5, &[None]), 5);
}

/// When the CPU of a pod counts.
#[test]
fn readiness() {
    let controller = Controller::default();
    let pod = |ready, changed, measured| Readiness {
        started: at(1_000),
        ready,
        changed: at(changed),
        measured: at(measured),
        window: Span::s(30),
    };
    let counts = |pod: Readiness, now| pod.counts(at(now), &controller);
    assert!(!counts(pod(true, 1_100, 1_129), 1_140) && counts(pod(true, 1_100, 1_130), 1_140));
    assert!(!counts(pod(false, 1_000, 1_130), 1_140));
    // Five minutes later: not ready counts, unless it never was ready.
    assert!(!counts(pod(false, 1_000, 1_300), 1_300) && counts(pod(false, 1_031, 1_300), 1_300));
    assert!(counts(pod(true, 1_299, 1_299), 1_300));
}

/// A behavior's windows and policies over several looks.
#[test]
fn behaviors() {
    let mut hpa = Hpa::new(Spec { least: 1, most: 100, behavior: Some(Behavior::default()) });
    // Up: at once, by four or as many again, a period of 15 s.
    assert_eq!(hpa.sync(at(15), 2, 50), 6);
    assert_eq!(hpa.sync(at(16), 6, 50), 6);
    assert_eq!(hpa.sync(at(30), 6, 50), 12);
    // Down: only once nothing within five minutes asked for more; then by any number.
    assert_eq!(hpa.sync(at(45), 12, 3), 12);
    assert_eq!(hpa.sync(at(329), 12, 3), 12);
    assert_eq!(hpa.sync(at(330), 12, 3), 3);
    let slow = |select| {
        let policies = vec![
            Policy { change: Change::Pods(1), period: Span::s(60) },
            Policy { change: Change::Percent(50), period: Span::s(60) },
        ];
        Rules { stabilization: Span::ZERO, policies, select }
    };
    let down = |select| limit(&slow(select), false, at(100), 9, &[], &[]);
    assert_eq!([Select::Max, Select::Min, Select::Disabled].map(down), [4, 8, 9]);
    let up = |select| limit(&slow(select), true, at(100), 9, &[], &[]);
    assert_eq!([Select::Max, Select::Min, Select::Disabled].map(up), [14, 10, 9]);
    // What was removed within the period counts as there at its start.
    assert_eq!(limit(&slow(Select::Max), true, at(100), 9, &[], &[(at(41), 3), (at(40), 9)]), 18);
    let mut bounded = Hpa::new(Spec { least: 3, most: 5, behavior: Some(Behavior::default()) });
    assert_eq!([bounded.sync(at(15), 1, 9), bounded.sync(at(30), 3, 9), bounded.sync(at(45), 0, 9)], [3, 5, 0]);
}

/// KEDA's bounds on the lag that it reports.
#[test]
fn kafka() {
    let of = |kafka: Kafka, lags: &[u64]| kafka.reported(lags).div_ceil(kafka.threshold);
    let lags = [500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20];
    let kafka = Kafka::default();
    assert_eq!(of(kafka, &lags), 12);
    assert_eq!(of(Kafka { allow_idle: true, ..kafka }, &lags), 52);
    assert_eq!(of(Kafka { limit_to_lagging: true, ..kafka }, &lags), 2);
    assert_eq!(of(Kafka { even: true, ..kafka }, &[25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]), 6);
    assert_eq!(of(Kafka { even: true, ..kafka }, &lags), 12);
}
