//! Netflix concurrency-limits 0.5.4: `VegasLimit`, `Gradient2Limit`, `AIMDLimit`, and `WindowedLimit` around any of them.
//!
//! Run against the library: what each does with samples is its vectors. What is drawn at random in Vegas (after how many
//! samples the time without load is measured anew) is a keyed draw here.

use super::{Rule, Sample};
use crate::draw::Draws;
use crate::time::{Span, Time};

/// Where a limit starts, and how far it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At the start: 20 in all three.
    pub initial: u32,
    /// Not below: 20 in Gradient2 and AIMD. Vegas knows no such bound and stops at 1.
    pub min: u32,
    /// Not above: 1,000 in Vegas, 200 in the others.
    pub max: u32,
}

/// Gradient2: room for a queue, tolerance, smoothing, and over how many samples the long time is averaged.
const QUEUE: f64 = 4.0;
const TOLERANCE: f64 = 1.5;
const SMOOTHING: f64 = 0.2;
const LONG: f64 = 600.0;
const WARM_UP: u32 = 10;
/// AIMD's factor.
const BACKOFF: f64 = 0.9;
/// Vegas measures anew after so many times the limit in samples, or as few as half of that.
const PROBE: f64 = 30.0;
/// WindowedLimit: fewer samples are no window, shorter times no sample.
const WINDOW_SAMPLES: u64 = 10;
const WINDOW_SHORTEST: Span = Span::us(100);

/// One of the three.
#[derive(Clone, Debug)]
pub struct Limit {
    rule: Rule,
    limit: f64,
    /// Vegas: the time without load in nanoseconds, samples since it was measured, and when it is again.
    no_load: u64,
    probed: u64,
    jitter: f64,
    probes: u64,
    draws: Draws,
    /// Gradient2: the long average, and how it came about.
    long: f64,
    sum: f64,
    seen: u32,
    window: Span,
    gathered: Gathered,
    next: Time,
}

/// What a window gathered.
#[derive(Clone, Copy, Debug, Default)]
struct Gathered {
    least_ns: u64,
    sum_ns: u64,
    samples: u64,
    in_flight: u32,
    dropped: bool,
}

/// ⌊log₁₀ n⌋, and below 1,000 at least 1.
fn log10(n: f64) -> f64 {
    let n = n as u32;
    let log = n.checked_ilog10().unwrap_or(0);
    f64::from(if n < 1_000 { log.max(1) } else { log })
}

impl Limit {
    /// At its start.
    pub(super) fn new(rule: Rule, window: Span, draws: Draws) -> Limit {
        let mut limit = Limit {
            rule,
            limit: 0.0,
            no_load: 0,
            probed: 0,
            jitter: 0.0,
            probes: 0,
            draws,
            long: 0.0,
            sum: 0.0,
            seen: 0,
            window,
            gathered: Gathered::default(),
            next: Time::ZERO,
        };
        limit.limit = f64::from(limit.bounds().initial);
        limit.aim();
        limit
    }

    fn bounds(&self) -> Bounds {
        match self.rule {
            Rule::Vegas(bounds) | Rule::Gradient2(bounds) | Rule::Aimd(bounds, _) => bounds,
            Rule::Envoy(_) => Bounds { initial: 1, min: 1, max: 1 },
        }
    }

    /// The limit, rounded down as the library does.
    #[inline]
    pub fn limit(&self) -> u32 {
        self.limit as u32
    }

    /// A call ended.
    pub fn sample(&mut self, sample: Sample) {
        let rtt = sample.ended - sample.began;
        // The library measures in nanoseconds; no time at all it would refuse.
        let ns = rtt.as_us().max(1) * 1_000;
        if self.window == Span::ZERO {
            self.update(ns, sample.in_flight, sample.dropped);
        } else if rtt >= WINDOW_SHORTEST {
            self.gather(ns, sample);
        }
    }

    /// Adds a sample to the window, and ends the window when its time has come: between the set length and a second.
    fn gather(&mut self, ns: u64, sample: Sample) {
        let g = &mut self.gathered;
        // A dropped call gives no time.
        if !sample.dropped {
            g.least_ns = if g.samples == 0 { ns } else { g.least_ns.min(ns) };
            g.sum_ns += ns;
            g.samples += 1;
        }
        g.in_flight = g.in_flight.max(sample.in_flight);
        g.dropped |= sample.dropped;
        if sample.ended <= self.next {
            return;
        }
        let whole = core::mem::take(&mut self.gathered);
        // Twice the shortest time, within the library's bounds: both are one length here, a second by default.
        self.next = sample.ended + self.window;
        if whole.samples >= WINDOW_SAMPLES {
            self.update(whole.sum_ns / whole.samples, whole.in_flight, whole.dropped);
        }
    }

    fn update(&mut self, rtt: u64, in_flight: u32, dropped: bool) {
        let in_flight = f64::from(in_flight);
        match self.rule {
            Rule::Vegas(bounds) => self.vegas(bounds, rtt, in_flight, dropped),
            Rule::Gradient2(bounds) => self.gradient2(bounds, rtt, in_flight),
            Rule::Aimd(bounds, timeout) => {
                let now = self.limit;
                if dropped || rtt > timeout.as_us().saturating_mul(1_000) {
                    // Cut to a whole number.
                    self.limit = f64::from((now * BACKOFF) as u32);
                } else if in_flight * 2.0 >= now {
                    self.limit = now + 1.0;
                }
                self.limit = self.limit.max(f64::from(bounds.min)).min(f64::from(bounds.max));
            }
            Rule::Envoy(_) => {}
        }
    }

    /// Draws how many samples it will be until the next probe.
    fn aim(&mut self) {
        self.jitter = 0.5 + 0.5 * self.draws.at(self.probes, 0, 0).unit();
        self.probes += 1;
    }

    fn vegas(&mut self, bounds: Bounds, rtt: u64, in_flight: f64, dropped: bool) {
        self.probed += 1;
        if self.jitter * PROBE * self.limit <= self.probed as f64 {
            // Whatever it takes now counts as the time without load, however loaded the server is.
            self.aim();
            self.probed = 0;
            self.no_load = rtt;
            return;
        }
        if self.no_load == 0 || rtt < self.no_load {
            self.no_load = rtt;
            return;
        }
        let (limit, log) = (self.limit, log10(self.limit));
        let queue = libm::ceil(limit * (1.0 - self.no_load as f64 / rtt as f64));
        let next = if dropped {
            limit - log
        } else if in_flight * 2.0 < limit {
            return;
        } else if queue <= log {
            limit + 6.0 * log
        } else if queue < 3.0 * log {
            limit + log
        } else if queue > 6.0 * log {
            limit - log
        } else {
            return;
        };
        self.limit = next.min(f64::from(bounds.max)).max(1.0);
    }

    fn gradient2(&mut self, bounds: Bounds, rtt: u64, in_flight: f64) {
        let short = rtt as f64;
        if self.seen < WARM_UP {
            self.seen += 1;
            self.sum += short;
            self.long = self.sum / f64::from(self.seen);
        } else {
            let factor = 2.0 / (LONG + 1.0);
            self.long = self.long * (1.0 - factor) + short * factor;
        }
        let long = self.long;
        // After a spell of load the long time comes down faster.
        if long / short > 2.0 {
            self.long = long * 0.95;
        }
        if in_flight < self.limit / 2.0 {
            return;
        }
        let gradient = (TOLERANCE * long / short).clamp(0.5, 1.0);
        let next = self.limit * gradient + QUEUE;
        let next = self.limit * (1.0 - SMOOTHING) + next * SMOOTHING;
        self.limit = next.min(f64::from(bounds.max)).max(f64::from(bounds.min));
    }
}
