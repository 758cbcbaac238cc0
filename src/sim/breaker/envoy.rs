//! Envoy's outlier detection: no circuit, but hosts that are taken out of rotation for a while.
//!
//! Ported from the source (`outlier_detection_impl.cc`, 2024 and later: the one with `always_eject_one_host`), not run;
//! that all hosts are used again below the panic threshold is documented. What surprises:
//!
//! - It asks how many hosts are out already, not how bad the rest is: of fewer than ten hosts the default of 10 % ejects
//!   none, and where all are bad it ejects one in ten.
//! - Hosts come back only at the ticks of the interval, and with no trial: the next call simply goes there again.
//! - Each ejection is longer than the one before; it gets shorter again by one step for every interval in good health.
//!
//! Of Envoy's detectors these are here: consecutive 5xx, and the success rate against the other hosts' (both enforced by
//! default). Gateway failures and failure percentage are off by default and are left out.

use crate::time::{Span, Time};

use super::{Admission, Breaker, Gauge, Permit, State, Verdict};

/// A cluster and its `outlier_detection`, under Envoy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Hosts of the cluster, at least 1; calls go to them in turn.
    pub hosts: u32,
    /// `consecutive_5xx`: failures in a row that eject a host.
    pub consecutive_5xx: u32,
    /// `interval`: time between two ticks.
    pub interval: Span,
    /// `base_ejection_time`: how long a host's first ejection lasts; the k-th lasts k times as long.
    pub base_ejection_time: Span,
    /// `max_ejection_time`: the longest.
    pub max_ejection_time: Span,
    /// `max_ejection_percent`: of the hosts, 0 to 100.
    pub max_ejection_percent: u32,
    /// `always_eject_one_host`: the first one, whatever the percentage says.
    pub always_eject_one_host: bool,
    /// `healthy_panic_threshold`: with a smaller percentage of hosts in rotation calls go to all of them.
    pub panic_threshold: u32,
    /// `success_rate_minimum_hosts`: with fewer hosts that had enough calls nobody is compared.
    pub success_rate_minimum_hosts: u32,
    /// `success_rate_request_volume`: calls a host must have had in an interval to be compared.
    pub success_rate_request_volume: u64,
    /// `success_rate_stdev_factor`, in thousandths: how many standard deviations below the mean eject.
    pub success_rate_stdev_factor: u32,
}

impl Config {
    /// Envoy's defaults, for ten hosts.
    pub const DEFAULT: Config = Config {
        hosts: 10,
        consecutive_5xx: 5,
        interval: Span::s(10),
        base_ejection_time: Span::s(30),
        max_ejection_time: Span::s(300),
        max_ejection_percent: 10,
        always_eject_one_host: false,
        panic_threshold: 50,
        success_rate_minimum_hosts: 5,
        success_rate_request_volume: 100,
        success_rate_stdev_factor: 1_900,
    };

    /// Whether one more host may be ejected when `ejected` are out already.
    pub const fn allows(&self, ejected: u32) -> bool {
        let cap = if self.max_ejection_percent < 100 { self.max_ejection_percent } else { 100 };
        (ejected as u64 + 1) * 100 <= cap as u64 * self.hosts as u64 || self.always_eject_one_host && ejected == 0
    }

    /// How long a host's ejection lasts whose counter of ejections stands at `k`, counted from 1.
    pub fn ejection_time(&self, k: u32) -> Span {
        (self.base_ejection_time * u64::from(k)).min(self.max_ejection_time)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Host {
    /// Since when it is out of rotation.
    ejected: Option<Time>,
    /// When it last came back.
    back: Option<Time>,
    /// What the next ejection time is a multiple of, less one.
    backoff: u32,
    in_a_row: u32,
    /// Calls and successes in this interval.
    calls: u64,
    successes: u64,
}

/// The cluster. Its clock starts at time 0.
#[derive(Clone, Debug)]
pub struct Envoy {
    config: Config,
    hosts: Vec<Host>,
    ejected: u32,
    /// The host whose turn it is.
    turn: usize,
    /// Ticks so far.
    ticks: u64,
    /// The longest row of failures at a host in rotation, or the one that has just ejected a host.
    row: u64,
}

impl Envoy {
    /// All hosts in rotation.
    pub fn new(config: Config) -> Envoy {
        let config = Config { hosts: config.hosts.max(1), ..config };
        let hosts = vec![Host::default(); config.hosts as usize];
        Envoy { config, hosts, ejected: 0, turn: 0, ticks: 0, row: 0 }
    }

    /// Whether this host is out of rotation.
    pub fn is_ejected(&self, host: u32) -> bool {
        self.hosts.get(host as usize).is_some_and(|host| host.ejected.is_some())
    }

    /// Its failures in a row.
    pub fn failures_in_a_row(&self, host: u32) -> u32 {
        self.hosts.get(host as usize).map_or(0, |host| host.in_a_row)
    }

    /// Whether so few are in rotation that calls go to all.
    pub fn in_panic(&self) -> bool {
        let healthy = u64::from(self.config.hosts - self.ejected);
        healthy * 100 < u64::from(self.config.panic_threshold) * u64::from(self.config.hosts)
    }

    fn tick_at(&self, tick: u64) -> Time {
        Time::ZERO + self.config.interval * tick
    }

    /// When it is back in rotation, if it is out: at the first tick after its time.
    fn back_at(&self, host: &Host) -> Option<Time> {
        let due = host.ejected? + self.config.ejection_time(host.backoff);
        let tick = due.as_us().div_ceil(self.config.interval.as_us().max(1));
        Some(self.tick_at(tick.max(self.ticks + 1)))
    }

    fn eject(&mut self, now: Time, host: usize) {
        if self.config.allows(self.ejected) {
            self.ejected += 1;
            let host = &mut self.hosts[host];
            host.ejected = Some(now);
            // Goes one step beyond the longest time, then stays.
            let longest = self.config.max_ejection_time + self.config.base_ejection_time;
            if self.config.base_ejection_time * u64::from(host.backoff) < longest {
                host.backoff += 1;
            }
        }
    }

    /// The hosts that the last interval's success rates single out.
    fn outliers(&self) -> Vec<usize> {
        let Config { success_rate_minimum_hosts, success_rate_request_volume, .. } = self.config;
        let judged =
            self.hosts.iter().enumerate().filter(|(_, host)| {
                host.ejected.is_none() && host.calls > 0 && host.calls >= success_rate_request_volume
            });
        let rates: Vec<(usize, f64)> =
            judged.map(|(i, host)| (i, host.successes as f64 * 100.0 / host.calls as f64)).collect();
        if rates.is_empty() || rates.len() < success_rate_minimum_hosts as usize {
            return Vec::new();
        }
        let count = rates.len() as f64;
        let mean = rates.iter().map(|rate| rate.1).sum::<f64>() / count;
        let variance = rates.iter().map(|rate| (rate.1 - mean) * (rate.1 - mean)).sum::<f64>() / count;
        let least = mean - f64::from(self.config.success_rate_stdev_factor) / 1_000.0 * variance.sqrt();
        rates.iter().filter(|rate| rate.1 < least).map(|rate| rate.0).collect()
    }

    /// Whether the next tick may single out a host: the hosts did not do equally well.
    fn to_compare(&self) -> bool {
        let enough = |host: &&Host| host.calls > 0 && host.calls >= self.config.success_rate_request_volume;
        self.hosts.len() >= self.config.success_rate_minimum_hosts as usize
            && self.hosts.iter().filter(enough).any(|host| host.successes < host.calls)
    }

    fn tick(&mut self) {
        self.ticks += 1;
        let now = self.tick_at(self.ticks);
        for host in &mut self.hosts {
            let due = host.ejected.map(|at| at + self.config.ejection_time(host.backoff));
            if due.is_some_and(|due| due <= now) {
                host.ejected = None;
                host.back = Some(now);
                host.in_a_row = 0;
                self.ejected -= 1;
            }
        }
        for outlier in self.outliers() {
            self.eject(now, outlier);
        }
        for host in &mut self.hosts {
            host.calls = 0;
            host.successes = 0;
            if host.ejected.is_none() && host.back.is_some_and(|back| now - back >= self.config.interval) {
                host.backoff = host.backoff.saturating_sub(1);
            }
        }
    }

    /// The ticks up to `until`. Those that put a host back or out have come by the timer; most of the others do nothing.
    fn ticks_until(&mut self, until: Time) {
        let due = until.slot(self.config.interval);
        while self.ticks < due {
            self.tick();
            let idle = due - self.ticks;
            // From the second tick without a call on all are alike, until a host comes back.
            if idle > 2 && self.ejected == 0 {
                self.tick();
                self.ticks = due;
                for host in self.hosts.iter_mut().filter(|host| host.back.is_some()) {
                    host.backoff = host.backoff.saturating_sub((idle - 1).min(u64::from(u32::MAX)) as u32);
                }
            }
        }
    }

    /// The ticks before `now`: one that is due this very moment comes by the timer.
    fn catch_up(&mut self, now: Time) {
        self.ticks_until(Time::us(now.as_us().saturating_sub(1)));
    }
}

impl Breaker for Envoy {
    fn acquire(&mut self, now: Time) -> Admission {
        self.catch_up(now);
        let count = self.hosts.len();
        let all = self.in_panic();
        let next = (0..count).map(|i| (self.turn + i) % count).find(|&i| all || self.hosts[i].ejected.is_none());
        let Some(host) = next else { return Admission::Rejected };
        self.turn = (host + 1) % count;
        Admission::Go(Permit { generation: host as u32, probe: false })
    }

    /// 4xx are no errors to Envoy; a timeout is a 504.
    fn report(&mut self, now: Time, permit: Permit, verdict: Verdict, _took: Span) {
        self.catch_up(now);
        let at = permit.generation as usize % self.hosts.len();
        let failed = matches!(verdict, Verdict::Failed | Verdict::TimedOut);
        let host = &mut self.hosts[at];
        host.calls += 1;
        host.successes += u64::from(!failed);
        host.in_a_row = if failed { host.in_a_row + 1 } else { 0 };
        // Looked at when it is reached, not above; a host that is out counts on.
        let reached = host.in_a_row == self.config.consecutive_5xx && host.ejected.is_none();
        if reached {
            self.eject(now, at);
            // Also where the cap forbids it: so it fires again after as many more.
            self.hosts[at].in_a_row = 0;
        }
        let rows = self.hosts.iter().filter(|host| host.ejected.is_none()).map(|host| host.in_a_row);
        self.row = if reached { self.config.consecutive_5xx } else { rows.max().unwrap_or(0) }.into();
    }

    /// The next tick that puts a host back, or compares hosts that did not do equally well.
    fn timer(&self) -> Option<Time> {
        let back = self.hosts.iter().filter_map(|host| self.back_at(host)).min();
        let next = self.to_compare().then(|| self.tick_at(self.ticks + 1));
        back.into_iter().chain(next).min()
    }

    fn ring(&mut self, now: Time) {
        self.ticks_until(now);
    }

    /// Open while a host is out of rotation; half-open never.
    fn state(&self) -> State {
        if self.ejected == 0 { State::Closed } else { State::Open }
    }

    fn gauge(&mut self, _now: Time) -> Gauge {
        Gauge::in_a_row(self.row, self.config.consecutive_5xx.into())
    }

    fn host(&self, permit: Permit) -> u32 {
        permit.generation
    }

    fn ejected(&self) -> u32 {
        self.ejected
    }
}
