//! The wait before a retry.
//!
//! The strategies of the textbook are here, the libraries' own curves in [`library`]. Retries are counted from 0:
//! retry 0 follows the first, failed attempt.

use crate::draw::Draw;
use crate::time::Span;

/// How the wait before retry `i` comes from t = min(cap, base·2ⁱ).
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
}

/// What a strategy remembers from one retry of an operation to the next. One a client, fresh for each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The wait drawn last; zero before the first.
    pub previous: Span,
}

impl Backoff {
    /// t = min(cap, base·2^`retry`), the wait before jitter.
    #[inline]
    pub fn doubled(&self, retry: u32) -> Span {
        let factor = 1u64.checked_shl(retry).unwrap_or(u64::MAX);
        (self.base * factor).min(self.cap)
    }

    /// The wait before retry number `retry`, counted from 0.
    #[inline]
    pub fn wait(&self, retry: u32, memory: &mut Memory, draw: &mut Draw) -> Span {
        let t = self.doubled(retry);
        let wait = match self.strategy {
            Strategy::NoJitter => t,
            Strategy::Additive => t + draw.span(self.spread),
            Strategy::Equal => {
                let half = t / 2;
                half + draw.span(t.saturating_sub(half))
            }
            Strategy::Full => draw.span(t),
            Strategy::Decorrelated => {
                let previous = if retry == 0 { self.base } else { memory.previous };
                let width = (previous * 3).saturating_sub(self.base);
                (self.base + draw.span(width)).min(self.cap)
            }
        };
        memory.previous = wait;
        wait
    }
}
