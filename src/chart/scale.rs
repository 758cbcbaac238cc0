//! From values to pixels and back; which values an axis names.

use crate::{Axis, Lang};

/// One direction of a plot: values from `min` to `max` lie from pixel `p0` to pixel `p1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The lower end.
    pub min: f64,
    /// The upper end.
    pub max: f64,
    /// Logarithmic.
    pub log: bool,
    /// What is counted in whole numbers has no fractions named.
    whole: bool,
    /// Where `min` lies, in CSS pixels.
    pub p0: f64,
    /// Where `max` lies.
    pub p1: f64,
}

impl Scale {
    /// `axis` from pixel `p0` to `p1`. Ends that make no axis (equal, reversed, not finite) are replaced.
    pub fn new(axis: &Axis, p0: f64, p1: f64) -> Scale {
        let sane = |v: f64, or: f64| if v.is_finite() { v.clamp(-1e300, 1e300) } else { or };
        let (mut min, mut max) = (sane(axis.min, 0.0), sane(axis.max, 1.0));
        if axis.log {
            max = if max > 0.0 { max } else { 1.0 };
            min = if min > 0.0 { min } else { max / 1000.0 };
        }
        if min >= max {
            max = if axis.log { min * 10.0 } else { min + min.abs().max(1.0) };
        }
        let whole = axis.unit.decimals == 0 && max - min >= 1.0;
        Scale { min, max, log: axis.log, whole, p0, p1 }
    }

    /// Rows of a named axis, the first at the top: row `i` at `i`.
    pub(crate) fn rows(count: usize, top: f64, bottom: f64) -> Scale {
        Scale { min: -0.5, max: count.max(1) as f64 - 0.5, log: false, whole: true, p0: top, p1: bottom }
    }

    /// Where `value` lies; beyond the ends for values beyond them; NaN for NaN.
    pub fn px(&self, value: f64) -> f64 {
        let part = if self.log {
            if value <= 0.0 {
                return self.p0;
            }
            (value / self.min).ln() / (self.max / self.min).ln()
        } else {
            (value - self.min) / (self.max - self.min)
        };
        self.p0 + part * (self.p1 - self.p0)
    }

    /// Where `value` lies, at most at an end.
    pub fn inside(&self, value: f64) -> f64 {
        self.px(value.clamp(self.min, self.max))
    }

    /// The value at a pixel, at most an end.
    pub fn value(&self, px: f64) -> f64 {
        let part = ((px - self.p0) / (self.p1 - self.p0)).clamp(0.0, 1.0);
        if self.log { self.min * (self.max / self.min).powf(part) } else { self.min + part * (self.max - self.min) }
    }

    /// About `want` round values between the ends (never many more), with their labels.
    pub fn ticks(&self, want: usize, lang: Lang) -> Vec<(f64, String)> {
        let want = want.max(1);
        if self.log {
            let values = self.log_ticks(want);
            if values.len() > 1 {
                return values.into_iter().map(|v| (v, tick_text(v, decimals_of(v), lang))).collect();
            }
        }
        let step = nice((self.max - self.min) / want as f64).max(if self.whole { 1.0 } else { 0.0 });
        let first = (self.min / step - 1e-9).ceil();
        let last = (self.max / step + 1e-9).floor();
        let decimals = decimals_of(step);
        let count = (last - first).clamp(0.0, 20.0) as usize;
        (0..=count)
            .map(|i| {
                // + 0.0 turns −0 into 0.
                let value = (first + i as f64) * step + 0.0;
                (value, tick_text(value, decimals, lang))
            })
            .collect()
    }

    fn log_ticks(&self, want: usize) -> Vec<f64> {
        let low = self.min.log10().floor() as i32;
        let high = self.max.log10().ceil() as i32;
        let inside = |v: &f64| *v >= self.min * (1.0 - 1e-9) && *v <= self.max * (1.0 + 1e-9);
        let of = |factors: &'static [f64], every: usize| -> Vec<f64> {
            (low..=high)
                .step_by(every)
                .flat_map(|k| factors.iter().map(move |f| f * 10f64.powi(k)))
                .filter(inside)
                .collect()
        };
        let full = of(&[1.0, 2.0, 5.0], 1);
        if full.len() <= want + 1 {
            return full;
        }
        let every = ((high - low) as usize).div_ceil(want).max(1);
        of(&[1.0], every)
    }
}

/// The least of 1, 2, 5 (and 25, 250 …) times a power of ten that is not below `raw`.
fn nice(raw: f64) -> f64 {
    if !(raw.is_finite() && raw > 0.0) {
        return 1.0;
    }
    let unit = 10f64.powf(raw.log10().floor());
    let factor = raw / unit;
    let fits = |f: f64| factor <= f + 1e-9;
    let factor = if fits(1.0) {
        1.0
    } else if fits(2.0) {
        2.0
    } else if fits(2.5) && unit >= 10.0 {
        2.5
    } else if fits(5.0) {
        5.0
    } else {
        10.0
    };
    factor * unit
}

/// Digits after the point that `step` needs.
fn decimals_of(step: f64) -> usize {
    if step >= 1.0 || step <= 0.0 { 0 } else { (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize }
}

/// A number in a plot: plain, or `2·10⁷` where plain would be too long.
pub(crate) fn tick_text(value: f64, decimals: usize, lang: Lang) -> String {
    let size = value.abs();
    if size == 0.0 {
        return String::from("0");
    }
    if size < 1e7 && decimals <= 4 {
        return lang.number(value, decimals);
    }
    let mut exponent = size.log10().floor();
    let mut factor = value / 10f64.powf(exponent);
    if factor.abs() >= 9.9995 {
        factor /= 10.0;
        exponent += 1.0;
    }
    let mut out = if (factor - 1.0).abs() < 0.0005 { String::new() } else { lang.trimmed(factor, 2) + "·" };
    out.push_str("10");
    for c in (exponent as i32).to_string().chars() {
        out.push(match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
        });
    }
    out
}
