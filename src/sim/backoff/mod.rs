//! The wait before a retry.
//!
//! The strategies of the textbook are here, the libraries' own curves in [`library`]. Retries are counted from 0:
//! retry 0 follows the first, failed attempt.

pub mod library;

use crate::draw::Draw;
use crate::time::Span;
use library::{Library, LibraryCurve};

/// How the wait before retry `i` comes from t = min(cap, base·gⁱ), g being [`Backoff::growth`] and mostly 2, or a library's
/// way from base and cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// t itself.
    NoJitter,
    /// t + U(0, spread): the helper of article 1, card 018, with the cap of its simulation.
    Additive,
    /// t/2 + U(0, t/2).
    Equal,
    /// U(0, t): "full jitter" of the AWS Architecture Blog.
    Full,
    /// min(cap, U(base, 3·previous)), previous starting at base: the AWS blog's "decorrelated jitter".
    Decorrelated,
    /// A library's curve over our base and cap, with its own jitter, and its own multiplier unless it
    /// [takes ours](Library::takes_factor).
    Library(Library),
}

impl Strategy {
    /// The textbook's strategies, in order.
    pub const TEXTBOOK: [Strategy; 5] =
        [Strategy::NoJitter, Strategy::Additive, Strategy::Equal, Strategy::Full, Strategy::Decorrelated];

    /// Every strategy: the textbook's, then the libraries'.
    pub const ALL: [Strategy; Strategy::TEXTBOOK.len() + Library::COUNT] = {
        let mut all = [Strategy::NoJitter; Strategy::TEXTBOOK.len() + Library::COUNT];
        let mut i = 0;
        while i < all.len() {
            all[i] = match i.checked_sub(Strategy::TEXTBOOK.len()) {
                None => Strategy::TEXTBOOK[i],
                Some(library) => Strategy::Library(Library::ALL[library]),
            };
            i += 1;
        }
        all
    };

    /// The stable name in links and files.
    pub const fn key(self) -> &'static str {
        match self {
            Strategy::NoJitter => "none",
            Strategy::Additive => "additive",
            Strategy::Equal => "equal",
            Strategy::Full => "full",
            Strategy::Decorrelated => "decorrelated",
            Strategy::Library(library) => library.key(),
        }
    }

    /// The strategy of this key.
    pub fn from_key(key: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.key() == key)
    }

    /// What to call it.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::NoJitter => "no jitter",
            Strategy::Additive => "additive jitter",
            Strategy::Equal => "equal jitter",
            Strategy::Full => "full jitter",
            Strategy::Decorrelated => "decorrelated jitter",
            Strategy::Library(library) => library.name(),
        }
    }

    /// The wait before retry i, as plain text for a monospaced line.
    pub const fn formula(self) -> &'static str {
        match self {
            Strategy::NoJitter => "min(cap, base·2ⁱ)",
            Strategy::Additive => "min(cap, base·2ⁱ) + U(0, spread)",
            Strategy::Equal => "t/2 + U(0, t/2), t = min(cap, base·2ⁱ)",
            Strategy::Full => "U(0, min(cap, base·2ⁱ))",
            Strategy::Decorrelated => "min(cap, U(base, 3·previous)), previous = base if i = 0",
            Strategy::Library(library) => library.formula(),
        }
    }
}

/// A backoff strategy with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Which formula.
    pub strategy: Strategy,
    /// The wait before retry 0, before jitter.
    pub base: Span,
    /// The longest wait, before jitter.
    pub cap: Span,
    /// Width of the random part of [`Strategy::Additive`]; other strategies ignore it.
    pub spread: Span,
    /// What the wait grows by from one retry to the next, in hundredths: [`Backoff::DOUBLES`], or 100 for a wait that stays.
    /// Decorrelated jitter grows by itself and ignores it; so do libraries' curves, which have their own.
    pub growth: u32,
}

/// What a strategy remembers from one retry of an operation to the next. One a client, fresh for each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The wait drawn last; zero before the first.
    pub previous: Span,
    /// What else a library's curve keeps, for itself only: the bits of a number, or of a key.
    pub state: u64,
}

/// Where a formula's random values come from: a [`Draw`], or a function that gives them.
pub trait Source {
    /// A number in [0, 1).
    fn unit(&mut self) -> f64;
    /// A span in [0, `span`), evenly; zero where `span` is zero.
    fn span(&mut self, span: Span) -> Span;
}

impl Source for Draw {
    #[inline]
    fn unit(&mut self) -> f64 {
        Draw::unit(self)
    }
    #[inline]
    fn span(&mut self, span: Span) -> Span {
        Draw::span(self, span)
    }
}

impl<F: FnMut() -> f64> Source for F {
    fn unit(&mut self) -> f64 {
        self()
    }
    fn span(&mut self, span: Span) -> Span {
        Span::from_us_f64(self() * span.as_us() as f64)
    }
}

impl Backoff {
    /// A [`Backoff::growth`] of 2.
    pub const DOUBLES: u32 = 200;

    /// t = min(cap, base·growth^`retry`), the wait before jitter, rounded down to a microsecond.
    #[inline]
    pub fn before_jitter(&self, retry: u32) -> Span {
        if self.growth == Backoff::DOUBLES {
            let factor = 1u64.checked_shl(retry).unwrap_or(u64::MAX);
            return (self.base * factor).min(self.cap);
        }
        self.grown(retry)
    }

    /// The same for any growth: in fractions of a microsecond, so that rounding does not add up.
    fn grown(&self, retry: u32) -> Span {
        const FRACTION: u32 = 32;
        const END: u128 = (u64::MAX as u128) << FRACTION;
        let mut t = u128::from(self.base.as_us()) << FRACTION;
        for _ in 0..retry {
            if t >= END || t == 0 || self.growth == 100 {
                break;
            }
            t = t * u128::from(self.growth) / 100;
        }
        Span::us((t.min(END) >> FRACTION) as u64).min(self.cap)
    }

    /// The mean of the wait before retry number `retry` over its draws, in microseconds. `None` for decorrelated jitter, whose
    /// wait depends on the one before, and for libraries' curves.
    pub fn mean_us(&self, retry: u32) -> Option<f64> {
        let t = self.before_jitter(retry).as_us() as f64;
        match self.strategy {
            Strategy::NoJitter => Some(t),
            Strategy::Additive => Some(t + self.spread.as_us() as f64 / 2.0),
            Strategy::Equal => Some(t * 0.75),
            Strategy::Full => Some(t / 2.0),
            Strategy::Decorrelated | Strategy::Library(_) => None,
        }
    }

    /// The library's curve over our base and cap, and with our growth where the library has a parameter for it.
    #[inline]
    fn curve(&self, library: Library) -> LibraryCurve {
        let curve = library.defaults().with(self.base, self.cap);
        let multiplier = if library.takes_factor() { f64::from(self.growth) / 100.0 } else { curve.multiplier };
        LibraryCurve { multiplier, ..curve }
    }

    /// The wait before retry number `retry`, counted from 0. Retries of one operation come in order, each with the same
    /// `memory`.
    #[inline]
    pub fn wait(&self, retry: u32, memory: &mut Memory, draw: &mut Draw) -> Span {
        match self.strategy {
            Strategy::Library(library) => self.curve(library).wait(retry, memory, draw),
            _ => self.wait_from(retry, memory, draw),
        }
    }

    /// The same from any source of random values.
    #[inline]
    pub fn wait_from(&self, retry: u32, memory: &mut Memory, source: &mut impl Source) -> Span {
        let t = self.before_jitter(retry);
        let wait = match self.strategy {
            Strategy::NoJitter => t,
            Strategy::Additive => t + source.span(self.spread),
            Strategy::Equal => {
                let half = t / 2;
                half + source.span(t.saturating_sub(half))
            }
            Strategy::Full => source.span(t),
            Strategy::Decorrelated => {
                let previous = if retry == 0 { self.base } else { memory.previous };
                let width = (previous * 3).saturating_sub(self.base);
                (self.base + source.span(width)).min(self.cap)
            }
            Strategy::Library(library) => Span::from_us_f64(self.curve(library).micros(retry, memory, source)),
        };
        memory.previous = wait;
        wait
    }
}
