//! What can be calculated without a run. With λ offered a second for T, c slots of service time s, μ = c/s, timeout d
//! and limit K.
//!
//! *Fluid* takes requests as a flow: right but for a few requests at the start and the end. *Exact* counts them one by
//! one, for even arrivals and one service time. Neither knows retries, deadlines or dropped calls.

use core::cmp::Ordering;

use super::knobs::{Pattern, ServiceLaw, Shed};

/// Key and value of each formula; `None` where it does not apply.
pub fn all(knobs: &Shed) -> [(&'static str, Option<f64>); 5] {
    let plain = !knobs.retries && knobs.deadline.as_us() == 0 && !knobs.drop_left;
    let of = |value: Option<f64>| value.filter(|v| plain && v.is_finite());
    [
        ("fluid_ok", of(fluid_ok(knobs))),
        ("exact_ok", of(exact_ok(knobs).map(|n| n as f64))),
        ("fluid_wait", of(fluid_wait(knobs))),
        ("none_fluid_ok", of(Some(none_fluid_ok(knobs)))),
        ("none_fluid_p50", of(none_fluid_p50(knobs))),
    ]
}

/// λ, T, s, μ and d in seconds; d is infinite where callers wait for ever.
fn symbols(knobs: &Shed) -> (f64, f64, f64, f64, f64) {
    let d = knobs.patience().map_or(f64::INFINITY, |d| d.as_s());
    let (lambda, mu) = (knobs.offered().as_per_s(), knobs.capacity().as_per_s());
    (lambda, knobs.duration.as_s(), knobs.service.as_s(), mu, d)
}

/// μT + K; all where the capacity is enough. With fewer calls in flight than slots, only they count: μ = K/s.
fn fluid_ok(knobs: &Shed) -> Option<f64> {
    let (lambda, t, s, _, d) = symbols(knobs);
    let limit = knobs.limit as f64;
    let mu = (knobs.slots as f64).min(limit) / s;
    // Beyond the edge the last ones let in come too late.
    let useful = knobs.limit > 0 && s <= d && limit / mu <= d;
    useful.then(|| if lambda <= mu { lambda * t } else { (mu * t + limit).min(lambda * t) })
}

/// K/μ, the time of one who finds the limit just not reached; s where nobody has to wait.
fn fluid_wait(knobs: &Shed) -> Option<f64> {
    let (lambda, _, s, mu, d) = symbols(knobs);
    let limit = knobs.limit as f64;
    let wait = if lambda <= mu || knobs.limit <= knobs.slots { s } else { limit / mu };
    (knobs.limit > 0 && wait <= d).then_some(wait * 1e3)
}

/// λ(d − s)/(λ/μ − 1): all who come before the line is as long as patience. The line grows by λ/μ − 1 a second.
fn none_fluid_ok(knobs: &Shed) -> f64 {
    let (lambda, t, s, mu, d) = symbols(knobs);
    if s > d {
        return 0.0;
    }
    if lambda <= mu {
        return lambda * t;
    }
    lambda * t.min((d - s) / (lambda / mu - 1.0))
}

/// s + (d − s)/2: waits rise evenly from nothing up to what patience allows, or up to what the load's end allows.
fn none_fluid_p50(knobs: &Shed) -> Option<f64> {
    let (lambda, t, s, mu, d) = symbols(knobs);
    let longest = if lambda <= mu { 0.0 } else { (d - s).min(t * (lambda / mu - 1.0)) };
    (s <= d).then_some((s + longest / 2.0) * 1e3)
}

/// K + c·⌊(T − 1/λ)/s⌋: when the last request comes, at T − 1/λ, every slot has served so many in full, and K are inside.
///
/// `None` where that is not so: another pattern or law, a limit that the load does not fill or that the timeout makes
/// useless, or slots that have not all served the same number by then.
fn exact_ok(knobs: &Shed) -> Option<u64> {
    let rate = knobs.offered();
    let (c, k, s) = (knobs.slots, knobs.limit, knobs.service.as_us());
    let load = knobs.load(k);
    let n = u64::from(load.requests);
    if knobs.pattern != Pattern::Even || knobs.law != ServiceLaw::Fixed || k <= c || n <= k {
        return None;
    }
    // While the limit is filling up, the queue must not run dry.
    if knobs.against_capacity() != Ordering::Greater {
        return None;
    }
    // The longest way: K calls, c at a time.
    if knobs.patience().is_some_and(|d| k.div_ceil(c).saturating_mul(s) > d.as_us()) {
        return None;
    }
    let at = |i: u64| rate.nth(i).map(|t| t.as_us());
    // An end at the very moment of the last arrival comes too late for it.
    let last = at(n - 1)?.checked_sub(1)?;
    let rounds = last / s;
    // Slot c − 1 began c − 1 gaps after the first.
    let all_alike = at(c - 1)?.saturating_add(rounds.saturating_mul(s)) <= last;
    let total = k.checked_add(c.checked_mul(rounds)?)?;
    (all_alike && total < n).then_some(total)
}
