//! Kubernetes' horizontal pod autoscaler: how many replicas it proposes, and how many of these it applies.
//!
//! Ported from `replica_calculator.go` and `horizontal.go` (autoscaling/v2), with the same floats in the same order where the
//! original uses floats: a ratio of exactly 55/50 is outside of a tolerance of 0.1 there, and so it is here.
//!
//! The proposal comes from a [`utilization`] or an external metric ([`external_average`], [`external_value`]); several of
//! them are [combined](combine). [`Hpa::sync`] then steadies it and limits how fast the number changes.

use crate::time::{Span, Time};

/// How the controller is set up. The default is Kubernetes' own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controller {
    /// From one look to the next.
    pub sync: Span,
    /// How far the ratio may be from 1 without anything being done; 0 or more.
    pub tolerance: f64,
    /// For so long after its start a pod's CPU counts only once it is ready, and measured over a whole window since.
    pub cpu_initialization: Span,
    /// A pod that has not become ready for longer than this after its start was ready before.
    pub initial_readiness: Span,
}

impl Default for Controller {
    fn default() -> Self {
        Controller {
            sync: Span::s(15),
            tolerance: 0.1,
            cpu_initialization: Span::s(300),
            initial_readiness: Span::s(30),
        }
    }
}

impl Controller {
    fn within(&self, ratio: f64) -> bool {
        libm::fabs(1.0 - ratio) <= self.tolerance
    }
}

/// A pod, as the autoscaler sees it. Pods that are being deleted or have failed are not seen at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pod {
    /// What it uses, in thousandths of a core; `None`: its metric is missing.
    pub usage: Option<u64>,
    /// What it asks for, in the same unit.
    pub request: u64,
    /// Its CPU counts. See [`Readiness::counts`].
    pub ready: bool,
    /// It has no node yet, or its image is being pulled.
    pub pending: bool,
}

/// What decides whether the CPU of a pod counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// When it started.
    pub started: Time,
    /// Whether it is ready.
    pub ready: bool,
    /// When that last changed.
    pub changed: Time,
    /// When its metric was taken.
    pub measured: Time,
    /// What the metric is measured over.
    pub window: Span,
}

impl Readiness {
    /// Whether its CPU counts at `now`: while it may still be initializing, if it is ready and was for a whole window; later,
    /// unless it has never been ready.
    pub fn counts(&self, now: Time, controller: &Controller) -> bool {
        if self.started + controller.cpu_initialization > now {
            self.ready && self.measured >= self.changed + self.window
        } else {
            self.ready || self.started + controller.initial_readiness <= self.changed
        }
    }
}

/// Sums of usage and request, and of how many pods.
#[derive(Clone, Copy, Default)]
struct Sums {
    usage: u64,
    request: u64,
    pods: u64,
}

impl Sums {
    fn add(&mut self, usage: u64, request: u64) {
        self.usage += usage;
        self.request += request;
        self.pods += 1;
    }

    /// The utilization in whole percent, cut off, against the target; `None` where nothing is asked for.
    fn ratio(&self, target: u64) -> Option<f64> {
        let percent = (self.usage * 100).checked_div(self.request)?;
        Some(percent as f64 / target as f64)
    }
}

/// ⌈`ratio` · `pods`⌉.
fn times(ratio: f64, pods: u64) -> u64 {
    libm::ceil(ratio * pods as f64) as u64
}

/// Replicas proposed for a target utilization in percent, at least 1. `None`: no pod's metric counts, which is an error.
pub fn utilization(controller: &Controller, current: u64, target: u64, pods: &[Pod]) -> Option<u64> {
    let target = target.max(1);
    let unready = |pod: &Pod| pod.pending || (pod.usage.is_some() && !pod.ready);
    let mut sums = Sums::default();
    for pod in pods.iter().filter(|pod| !unready(pod)) {
        if let Some(usage) = pod.usage {
            sums.add(usage, pod.request);
        }
    }
    if sums.pods == 0 {
        return None;
    }
    let ratio = sums.ratio(target)?;
    let missing = || pods.iter().filter(|pod| !pod.pending && pod.usage.is_none());
    let up_with_unready = ratio > 1.0 && pods.iter().any(unready);
    if !up_with_unready && missing().next().is_none() {
        return Some(if controller.within(ratio) { current } else { times(ratio, sums.pods) });
    }
    // Where it would scale down, who is not heard of may be using all it asks for; where up, nothing.
    for pod in missing() {
        if ratio < 1.0 {
            sums.add(pod.request * target.max(100) / 100, pod.request);
        } else if ratio > 1.0 {
            sums.add(0, pod.request);
        }
    }
    if up_with_unready {
        pods.iter().filter(|pod| unready(pod)).for_each(|pod| sums.add(0, pod.request));
    }
    let again = sums.ratio(target)?;
    let turned = (ratio < 1.0 && again > 1.0) || (ratio > 1.0 && again < 1.0);
    if controller.within(again) || turned {
        return Some(current);
    }
    let replicas = times(again, sums.pods);
    let against = (again < 1.0 && replicas > current) || (again > 1.0 && replicas < current);
    Some(if against { current } else { replicas })
}

/// Replicas proposed for an external metric with a target per pod (`AverageValue`), at least 1: ⌈total / target⌉.
pub fn external_average(controller: &Controller, current: u64, total: u64, target: u64) -> u64 {
    let target = target.max(1);
    let ratio = total as f64 / (target as f64 * current as f64);
    if current > 0 && controller.within(ratio) { current } else { libm::ceil(total as f64 / target as f64) as u64 }
}

/// Replicas proposed for an external metric with one target (`Value`), at least 1: as many times more as the metric is greater.
pub fn external_value(controller: &Controller, current: u64, ready: u64, value: u64, target: u64) -> u64 {
    let ratio = value as f64 / target.max(1) as f64;
    if controller.within(ratio) { current } else { times(ratio, ready) }
}

/// The proposals of several metrics, `None` where one failed: the greatest; a failed one only keeps it from scaling down.
pub fn combine(current: u64, proposals: &[Option<u64>]) -> u64 {
    let most = proposals.iter().flatten().copied().max().unwrap_or(current);
    if proposals.contains(&None) { most.max(current) } else { most }
}

/// By how much the number of replicas may change in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// By so many.
    Pods(u64),
    /// By so many percent of what there were when the time began.
    Percent(u64),
}

/// A limit on change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much.
    pub change: Change,
    /// In what time.
    pub period: Span,
}

/// Which of several policies holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// The one that allows most.
    Max,
    /// The one that allows least.
    Min,
    /// No change at all.
    Disabled,
}

/// How it may change in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Looks back so far for a proposal that asks for less change.
    pub stabilization: Span,
    /// Limits on change.
    pub policies: Vec<Policy>,
    /// Which of them holds.
    pub select: Select,
}

/// `spec.behavior`. The default is that of a `behavior` in which nothing is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behavior {
    /// More replicas.
    pub up: Rules,
    /// Fewer.
    pub down: Rules,
}

impl Default for Behavior {
    fn default() -> Self {
        let period = Span::s(15);
        let all = Policy { change: Change::Percent(100), period };
        let four = Policy { change: Change::Pods(4), period };
        Behavior {
            up: Rules { stabilization: Span::ZERO, policies: vec![four, all], select: Select::Max },
            down: Rules { stabilization: Span::s(300), policies: vec![all], select: Select::Max },
        }
    }
}

/// How proposals become replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Fewest replicas, at least 1.
    pub least: u64,
    /// Most.
    pub most: u64,
    /// `None`: the field is absent. Then more is limited to twice as many, or four, a sync, and fewer waits for
    /// [`DOWNSCALE`].
    pub behavior: Option<Behavior>,
}

/// How long proposals to scale down are held back without a [`Behavior`].
pub const DOWNSCALE: Span = Span::s(300);

/// The most replicas a sync may lead to without a [`Behavior`].
pub const fn scale_up_limit(current: u64) -> u64 {
    if current > 2 { 2 * current } else { 4 }
}

/// The most, or the fewest, replicas that rules allow, given what was added and removed: moments and numbers.
pub fn limit(rules: &Rules, up: bool, now: Time, current: u64, added: &[(Time, u64)], removed: &[(Time, u64)]) -> u64 {
    if rules.select == Select::Disabled {
        return current;
    }
    let within = |events: &[(Time, u64)], period: Span| {
        // After the moment that long ago, not at it.
        events.iter().filter(|e| e.0 + period > now).map(|e| e.1).sum::<u64>()
    };
    let proposals = rules.policies.iter().map(|policy| {
        let began = (current + within(removed, policy.period)).saturating_sub(within(added, policy.period));
        match (policy.change, up) {
            (Change::Pods(n), true) => began + n,
            (Change::Pods(n), false) => began.saturating_sub(n),
            (Change::Percent(n), true) => libm::ceil(began as f64 * (1.0 + n as f64 / 100.0)) as u64,
            (Change::Percent(n), false) => (began as f64 * (1.0 - n as f64 / 100.0)) as u64,
        }
    });
    // The policy that allows most is the highest number on the way up, the lowest on the way down.
    let highest = (rules.select == Select::Max) == up;
    let allowed = if highest { proposals.max() } else { proposals.min() };
    let allowed = allowed.unwrap_or(current);
    if up { allowed.max(current) } else { allowed.min(current) }
}

/// An autoscaler at work.
#[derive(Clone, Debug)]
pub struct Hpa {
    spec: Spec,
    /// Proposals as they were made.
    proposals: Vec<(Time, u64)>,
    added: Vec<(Time, u64)>,
    removed: Vec<(Time, u64)>,
}

impl Hpa {
    /// One without a past.
    pub fn new(spec: Spec) -> Hpa {
        Hpa { spec, proposals: Vec::new(), added: Vec::new(), removed: Vec::new() }
    }

    /// One look: there are `current` replicas, and `proposed` come from the metrics. How many there are to be.
    pub fn sync(&mut self, now: Time, current: u64, proposed: u64) -> u64 {
        let (least, most) = (self.spec.least.max(1), self.spec.most.max(self.spec.least.max(1)));
        // It does not bring back what somebody has scaled to nothing.
        if current == 0 {
            return 0;
        }
        let wanted = if !(least..=most).contains(&current) {
            current.clamp(least, most)
        } else {
            match &self.spec.behavior {
                None => {
                    let held = self.proposals.iter().filter(|p| p.0 + DOWNSCALE >= now).map(|p| p.1).max();
                    self.proposals.push((now, proposed));
                    let steady = held.unwrap_or(proposed).max(proposed);
                    steady.clamp(least, most.min(scale_up_limit(current)).max(least))
                }
                Some(behavior) => {
                    let since = |rules: &Rules| {
                        let from = rules.stabilization;
                        self.proposals.iter().filter(move |p| p.0 + from > now).map(|p| p.1)
                    };
                    let up = since(&behavior.up).min().unwrap_or(proposed).min(proposed);
                    let down = since(&behavior.down).max().unwrap_or(proposed).max(proposed);
                    let steady = current.max(up).min(down);
                    self.proposals.push((now, proposed));
                    if steady > current {
                        let allowed = limit(&behavior.up, true, now, current, &self.added, &self.removed);
                        steady.min(allowed.min(most))
                    } else if steady < current {
                        let allowed = limit(&behavior.down, false, now, current, &self.added, &self.removed);
                        steady.max(allowed.max(least))
                    } else {
                        steady
                    }
                }
            }
        };
        self.changed(now, current, wanted);
        wanted
    }

    fn changed(&mut self, now: Time, from: u64, to: u64) {
        if to > from {
            self.added.push((now, to - from));
        } else if to < from {
            self.removed.push((now, from - to));
        }
        // Nothing looks further back than the longest period that Kubernetes allows for windows, an hour.
        let hour = Span::s(3_600);
        for list in [&mut self.proposals, &mut self.added, &mut self.removed] {
            list.retain(|e| e.0 + hour >= now);
        }
    }
}
