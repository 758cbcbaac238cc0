//! A deadline on the wire.
//!
//! `grpc-timeout` says how long is left, so clocks do not matter, but the time on the way is not taken off.
//! `x-request-deadline: <epoch ms>` (article 1, card 037) says when, by the sender's clock, so clocks must agree.

use core::fmt;

use crate::time::{Span, Time};

/// Most that eight digits hold.
const MOST: u64 = 99_999_999;
/// Nanoseconds of each unit, from the smallest: n u m S M H.
const UNITS: [(char, u64); 6] =
    [('n', 1), ('u', 1_000), ('m', 1_000_000), ('S', 1_000_000_000), ('M', 60_000_000_000), ('H', 3_600_000_000_000)];
/// The longest duration that Go knows, in nanoseconds.
const LONGEST: u64 = i64::MAX as u64;

/// `ns` nanoseconds as a `grpc-timeout`: the smallest unit in which it fits into eight digits, rounded up. What has passed
/// (zero or less) is `0n`.
///
/// As `EncodeDuration` of grpc-go.
pub fn encode(ns: i64) -> String {
    let Ok(ns) = u64::try_from(ns) else { return "0n".into() };
    for (unit, size) in UNITS {
        let count = ns.div_ceil(size);
        if count <= MOST || unit == 'H' {
            return format!("{count}{unit}");
        }
    }
    unreachable!("hours take whatever is left")
}

/// Why a text is no `grpc-timeout`. Its message is grpc-go's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No digit, or no unit.
    TooShort(String),
    /// More than eight digits and a unit.
    TooLong(String),
    /// Another letter at its end; units are case-sensitive.
    Unit(String),
    /// Not digits alone: a sign, a fraction.
    Number(String),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::TooShort(text) => write!(f, "transport: timeout string is too short: {text:?}"),
            Malformed::TooLong(text) => write!(f, "transport: timeout string is too long: {text:?}"),
            Malformed::Unit(text) => write!(f, "transport: timeout unit is not recognized: {text:?}"),
            Malformed::Number(text) => write!(f, "strconv.ParseUint: parsing {text:?}: invalid syntax"),
        }
    }
}

/// Reads a `grpc-timeout` in nanoseconds, at most [`i64::MAX`].
///
/// As `decodeTimeout` of grpc-go.
///
/// # Errors
/// Where it is malformed.
pub fn decode(text: &str) -> Result<u64, Malformed> {
    match text.len() {
        0 | 1 => return Err(Malformed::TooShort(text.into())),
        2..=9 => {}
        _ => return Err(Malformed::TooLong(text.into())),
    }
    let Some((unit, digits)) = text.chars().last().map(|unit| (unit, &text[..text.len() - unit.len_utf8()])) else {
        return Err(Malformed::TooShort(text.into()));
    };
    let Some((_, size)) = UNITS.into_iter().find(|(name, _)| *name == unit) else {
        return Err(Malformed::Unit(text.into()));
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Malformed::Number(digits.into()));
    }
    let count: u64 = digits.parse().map_err(|_| Malformed::Number(digits.into()))?;
    Ok(count.saturating_mul(size).min(LONGEST))
}

/// What a receiver makes of `timeout` sent as a `grpc-timeout`: at least as long, rounded to a microsecond.
pub fn received(timeout: Span) -> Span {
    let ns = timeout.as_us().saturating_mul(1_000).min(LONGEST);
    decode(&encode(ns as i64)).map_or(Span::MAX, |ns| Span::us(ns / 1_000))
}

/// The absolute header for the moment `at`: milliseconds by a clock that is `ahead` microseconds ahead of the true time,
/// rounded down as `Date.now()` is.
pub fn epoch_ms(at: Time, ahead: i64) -> i64 {
    at.as_us().cast_signed().saturating_add(ahead).div_euclid(1_000)
}

/// The true time at which a clock that is `ahead` microseconds ahead shows this absolute header; the run's start where
/// that is before it.
pub fn by_clock(header_ms: i64, ahead: i64) -> Time {
    Time::us(header_ms.saturating_mul(1_000).saturating_sub(ahead).max(0).cast_unsigned())
}
