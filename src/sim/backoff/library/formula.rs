//! The formulas, in microseconds to the outside, inside in whatever the library counts in.
//!
//! The order of operations is the libraries': a product taken the other way round can differ in the last digit.

use core::time::Duration;

use super::{LibraryCurve, Memory, Source};
use crate::time::Span;

/// `base·multiplier^retry`, finite: 0 stays 0 however often it is multiplied.
pub(super) fn grown(base: f64, multiplier: f64, retry: u32) -> f64 {
    if base == 0.0 {
        0.0
    } else if multiplier == 2.0 {
        // Exact, where a power need not be.
        libm::scalbn(base, retry.min(4096) as i32).min(f64::MAX)
    } else {
        (base * libm::pow(multiplier, f64::from(retry))).min(f64::MAX)
    }
}

/// `min(cap, base·2^retry)` in microseconds.
pub(super) fn doubled(curve: &LibraryCurve, retry: u32) -> f64 {
    grown(curve.base.as_us() as f64, 2.0, retry).min(curve.cap.as_us() as f64)
}

/// Whole milliseconds, rounded down, but at least 1: for libraries that count in them and take no 0.
pub(super) fn whole_ms(span: Span) -> i64 {
    ((span.as_us() / 1000) as i64).max(1)
}

/// Nanoseconds in a number, microseconds out.
fn micros(duration: Duration) -> f64 {
    duration.as_secs() as f64 * 1e6 + f64::from(duration.subsec_nanos()) / 1e3
}

/// The last of `retry` steps from `x`, or the value at which they stand still.
fn stepped<T: Copy + PartialEq>(mut x: T, retry: u32, step: impl Fn(T) -> T) -> T {
    for _ in 0..retry {
        let next = step(x);
        if next == x {
            break;
        }
        x = next;
    }
    x
}

/// JavaScript's `Math.round`: halves upwards.
fn js_round(x: f64) -> f64 {
    let down = x.floor();
    if x - down >= 0.5 { down + 1.0 } else { down }
}

/// A random value as a generator of single-precision numbers gives it: 24 bits.
fn single(r: f64) -> f32 {
    const STEPS: f64 = (1u32 << 24) as f64;
    ((r * STEPS).floor() / STEPS) as f32
}

// ---- .NET: ticks of 100 ns in 64 bits

/// `TimeSpan.MaxValue`, in ticks.
const LONGEST: f64 = i64::MAX as f64;

/// Ticks to microseconds, after Polly's `MaxDelay`.
fn polly_clamped(curve: &LibraryCurve, ticks: f64) -> f64 {
    (ticks / 10.0).min(curve.cap.as_us() as f64)
}

/// `times·base`, or that `·(1 − factor/2 + factor·r)`, which .NET takes from milliseconds and truncates to ticks.
pub(super) fn polly(curve: &LibraryCurve, times: f64, r: Option<f64>) -> f64 {
    let ticks = times * (curve.base.as_us() as f64 * 10.0);
    let ticks = match r {
        None => libm::rint(ticks),
        Some(r) => {
            let ms = ticks / 1e4;
            let offset = ms * curve.factor / 2.0;
            ((ms + (ms * curve.factor * r - offset)) * 1e4).trunc()
        }
    };
    polly_clamped(curve, ticks.min(LONGEST))
}

/// `f(t) = multiplier^t·tanh √(4t)`, at `t = retry + r`, and what it was before: the two of "decorrelated jitter V2".
fn v2(curve: &LibraryCurve, retry: u32, memory: &mut Memory, r: f64) -> (f64, f64) {
    let t = f64::from(retry) + r;
    let next = libm::pow(curve.multiplier, t) * libm::tanh(libm::sqrt(4.0 * t));
    let previous = if retry == 0 { 0.0 } else { f64::from_bits(memory.state) };
    memory.state = next.to_bits();
    (next, previous)
}

/// What V2's differences are scaled by.
const V2_SCALE: f64 = 1.0 / 1.4;

pub(super) fn polly_v2(curve: &LibraryCurve, retry: u32, memory: &mut Memory, r: f64) -> f64 {
    if curve.base == Span::ZERO {
        return 0.0;
    }
    let (next, previous) = v2(curve, retry, memory, r);
    if !next.is_finite() {
        return polly_clamped(curve, LONGEST);
    }
    let ticks = (next - previous) * V2_SCALE * (curve.base.as_us() as f64 * 10.0);
    polly_clamped(curve, ticks.min(LONGEST - 1000.0).trunc())
}

// ---- JavaScript: milliseconds as a floating-point number

pub(super) fn cockatiel_v2(curve: &LibraryCurve, retry: u32, memory: &mut Memory, r: f64) -> f64 {
    if curve.base == Span::ZERO {
        return 0.0;
    }
    let (next, previous) = v2(curve, retry, memory, r);
    let difference = if next.is_finite() { (next - previous).max(0.0) } else { f64::INFINITY };
    (difference * V2_SCALE * curve.base.as_ms()).min(curve.cap.as_ms()) * 1e3
}

/// `min(cap, base·2^retry)` in milliseconds.
pub(super) fn cockatiel(curve: &LibraryCurve, retry: u32) -> f64 {
    grown(curve.base.as_ms(), 2.0, retry).min(curve.cap.as_ms())
}

pub(super) fn p_retry(curve: &LibraryCurve, retry: u32, random: f64) -> f64 {
    const LONGEST_TIMER: f64 = i32::MAX as f64;
    let ms = js_round(grown(random * curve.base.as_ms(), curve.multiplier, retry));
    ms.min(curve.cap.as_ms().ceil()).min(LONGEST_TIMER) * 1e3
}

pub(super) fn npm_retry(curve: &LibraryCurve, retry: u32, random: f64) -> f64 {
    let ms = js_round(grown(random * curve.base.as_ms().max(1.0), curve.multiplier, retry));
    ms.min(curve.cap.as_ms()) * 1e3
}

/// How much of [`npm_retry_sorted`]'s list is kept.
pub(super) const SORTED: u32 = 64;

/// The wait number `retry` of the sorted list of all. Waits from [`SORTED`] on are drawn one by one.
pub(super) fn npm_retry_sorted(curve: &LibraryCurve, retry: u32, source: &mut impl Source) -> f64 {
    if retry >= SORTED {
        return npm_retry(curve, retry, 1.0 + source.unit());
    }
    // Beyond the library's last retry the list goes on.
    let length = curve.calls.saturating_sub(1).max(retry + 1).min(SORTED);
    let mut list = [0.0; SORTED as usize];
    let list = &mut list[..length as usize];
    for (j, wait) in (0..).zip(list.iter_mut()) {
        *wait = npm_retry(curve, j, 1.0 + source.unit());
    }
    list.sort_unstable_by(f64::total_cmp);
    list[retry as usize]
}

// ---- JVM: whole milliseconds in 64 bits

pub(super) fn resilience4j(curve: &LibraryCurve, retry: u32, r: Option<f64>) -> f64 {
    let x = stepped(whole_ms(curve.base), retry, |x| (x as f64 * curve.multiplier) as i64);
    let ms = match r {
        None => x,
        Some(r) => {
            let x = x as f64;
            let delta = curve.factor * x;
            let (low, high) = (x - delta, x + delta);
            (low + r * (high - low + 1.0)).max(1.0) as i64
        }
    };
    ms.min(whole_ms(curve.cap)) as f64 * 1e3
}

pub(super) fn spring_retry(curve: &LibraryCurve, retry: u32, r: Option<f64>) -> f64 {
    let (cap, multiplier) = (whole_ms(curve.cap), curve.multiplier.max(1.0));
    // It stops multiplying once it is above the cap.
    let step = |x| if x > cap { x } else { (x as f64 * multiplier) as i64 };
    let ms = stepped(whole_ms(curve.base), retry, step).min(cap);
    let ms = match r {
        None => ms,
        Some(r) => ((ms as f64 * (1.0 + r * (multiplier - 1.0))) as i64).min(cap),
    };
    ms as f64 * 1e3
}

// ---- Envoy: whole milliseconds

/// The width of the range, in whole milliseconds.
pub(super) fn envoy(curve: &LibraryCurve, retry: u32) -> u64 {
    let cap = whole_ms(curve.cap) as u64;
    let step = |b| if b < cap / 2 { b * 2 } else { cap };
    stepped((whole_ms(curve.base) as u64).min(cap), retry, step)
}

// ---- Go: nanoseconds in 64 bits

/// A span in nanoseconds.
fn nanos(span: Span) -> f64 {
    span.as_us() as f64 * 1e3
}

/// `min(cap, base·multiplier^retry)` in nanoseconds.
pub(super) fn capped_nanos(curve: &LibraryCurve, retry: u32) -> f64 {
    grown(nanos(curve.base), curve.multiplier, retry).min(nanos(curve.cap))
}

pub(super) fn cenkalti(curve: &LibraryCurve, retry: u32, r: f64) -> f64 {
    let cap = nanos(curve.cap);
    let step = |x: f64| if x >= cap / curve.multiplier { cap } else { (x * curve.multiplier).trunc() };
    let x = stepped(nanos(curve.base), retry, step);
    let delta = curve.factor * x;
    let (low, high) = (x - delta, x + delta);
    (low + r * (high - low + 1.0)).trunc() / 1e3
}

/// The wait before jitter, in nanoseconds.
pub(super) fn failsafe_go(curve: &LibraryCurve, retry: u32) -> i64 {
    let cap = nanos(curve.cap) as i64;
    let step = |x: i64| ((x as f32 * curve.multiplier as f32) as i64).min(cap);
    stepped((nanos(curve.base) as i64).min(cap), retry, step)
}

// ---- Rust: seconds and nanoseconds

pub(super) fn tower(curve: &LibraryCurve, retry: u32, source: &mut impl Source) -> f64 {
    let (min, max) = (Duration::from_micros(curve.base.as_us()), Duration::from_micros(curve.cap.as_us()));
    let base = min.checked_mul(2u32.saturating_pow(retry)).unwrap_or(max).min(max);
    if curve.factor == 0.0 {
        return micros(base);
    }
    let jitter = source.unit() * curve.factor;
    let secs = (base.as_secs() as f64 * jitter) as u64;
    let nanos = (f64::from(base.subsec_nanos()) * jitter) as u32;
    let jitter = Duration::from_secs(secs).saturating_add(Duration::from_nanos(nanos.into()));
    micros(base.saturating_add(jitter.min(max.saturating_sub(base))))
}

/// A duration times a number, both in single precision.
fn times(duration: Duration, by: f32) -> Duration {
    Duration::try_from_secs_f32(by * duration.as_secs_f32()).unwrap_or(Duration::MAX)
}

pub(super) fn backon(curve: &LibraryCurve, retry: u32, r: Option<f64>) -> f64 {
    let (min, max) = (Duration::from_micros(curve.base.as_us()), Duration::from_micros(curve.cap.as_us()));
    let step = |x| if x < max { times(x, curve.multiplier as f32).min(max) } else { max };
    let x = stepped(min, retry, step);
    micros(r.map_or(x, |r| x.saturating_add(times(x, single(r)))))
}

pub(super) fn backon_fibonacci(curve: &LibraryCurve, retry: u32) -> f64 {
    let (base, cap) = (curve.base, curve.cap);
    // The first wait comes twice, and the rule that stops it holds from the second on.
    let (mut previous, mut x) = (Span::ZERO, base);
    for _ in 0..retry {
        if x >= cap || x == Span::ZERO {
            break;
        }
        (previous, x) = (x, x + previous);
    }
    x.as_us() as f64
}

pub(super) fn again(curve: &LibraryCurve, retry: u32, r: Option<f64>) -> f64 {
    let (base, cap) = (Duration::from_micros(curve.base.as_us()), Duration::from_micros(curve.cap.as_us()));
    let Some(wait) = base.checked_mul(2u32.saturating_pow(retry)) else {
        return micros(cap);
    };
    let wait = match r {
        None => wait,
        Some(r) => {
            let (secs, nanos) = (wait.as_secs() as f64 * r, f64::from(wait.subsec_nanos()) * r);
            Duration::from_millis((secs * 1e3 + nanos / 1e6) as u64)
        }
    };
    micros(wait.min(cap))
}

// ---- Python: seconds as a floating-point number, of which microseconds differ in scale only

/// The width of the range: as the library has it, capped at every step.
pub(super) fn google_api_core(curve: &LibraryCurve, retry: u32) -> f64 {
    let cap = curve.cap.as_us() as f64;
    grown((curve.base.as_us() as f64).min(cap), curve.multiplier, retry).min(cap)
}

pub(super) fn urllib3(curve: &LibraryCurve, retry: u32, source: &mut impl Source) -> f64 {
    if retry == 0 {
        return 0.0;
    }
    let base = curve.base.as_us() as f64;
    let jitter = if curve.factor == 0.0 { 0.0 } else { source.unit() * (curve.factor * base) };
    (grown(base, 2.0, retry) + jitter).min(curve.cap.as_us() as f64)
}

pub(super) fn tenacity(curve: &LibraryCurve, retry: u32, jitter: f64) -> f64 {
    let wait = grown(curve.base.as_us() as f64, curve.multiplier, retry) + jitter;
    wait.min(curve.cap.as_us() as f64).max(curve.floor.as_us() as f64)
}
