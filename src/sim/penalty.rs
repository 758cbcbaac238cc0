//! A quota for each key, and a penalty box for keys that do not take no for an answer.
//!
//! The quota is a token bucket in exact integer arithmetic. The box stands before it, at the gateway: a key that has been
//! refused too often is shut out for a while, and for twice as long each time after. That is article 4's advice for a partner that
//! retries 429 in a tight loop; the rule for how long, and for when a key is forgiven, is ours.

use crate::time::{Span, Time};

/// A token is so many of the smallest parts: one a microsecond at a rate of one a second.
const TOKEN: u128 = 1_000_000;

/// A token bucket: `burst` tokens, filled at a rate, one taken by each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    per_s: u64,
    burst: u64,
    parts: u128,
    at: Time,
}

impl Quota {
    /// A full bucket of `burst` tokens (at least one) that gets `per_s` a second.
    pub fn new(per_s: u64, burst: u64) -> Quota {
        let burst = burst.max(1);
        Quota { per_s, burst, parts: u128::from(burst) * TOKEN, at: Time::ZERO }
    }

    /// Takes a token at `now`, which must not go back.
    ///
    /// # Errors
    /// Where there is none: the time until there is one; [`Span::MAX`] where there never is.
    pub fn take(&mut self, now: Time) -> Result<(), Span> {
        let gained = u128::from((now - self.at).as_us()) * u128::from(self.per_s);
        self.parts = (self.parts + gained).min(u128::from(self.burst) * TOKEN);
        self.at = now;
        if self.parts >= TOKEN {
            self.parts -= TOKEN;
            return Ok(());
        }
        let missing = TOKEN - self.parts;
        let wait = missing.div_ceil(u128::from(self.per_s).max(1));
        Err(if self.per_s == 0 { Span::MAX } else { Span::us(wait as u64) })
    }
}

/// A penalty box for one key, as fail2ban has it: so many refusals within a while shut it out, and each time for twice as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PenaltyBox {
    strikes: u64,
    within: Span,
    first: Span,
    most: Span,
    /// Refusals since this moment.
    counted: u64,
    since: Time,
    /// How long the key was shut out last, and until when.
    length: Span,
    until: Time,
}

impl PenaltyBox {
    /// Shuts a key out at `strikes` refusals (0 counts as 1) within `within`: for `first`, then for twice as long each time,
    /// `most` at most.
    pub fn new(strikes: u64, within: Span, first: Span, most: Span) -> PenaltyBox {
        let strikes = strikes.max(1);
        let (since, until) = (Time::ZERO, Time::ZERO);
        PenaltyBox { strikes, within, first, most, counted: 0, since, length: Span::ZERO, until }
    }

    /// How much longer the key is shut out at `now`; `None`: it is let through.
    pub fn shut(&self, now: Time) -> Option<Span> {
        (now < self.until).then(|| self.until - now)
    }

    /// The key was refused by its quota at `now`; whether that shuts it out. A key that has been let in again and is not shut
    /// out anew for as long as it was is forgiven: it begins with the shortest time.
    pub fn strike(&mut self, now: Time) -> bool {
        if now.since(self.since) >= self.within {
            (self.since, self.counted) = (now, 0);
        }
        self.counted += 1;
        if self.counted < self.strikes {
            return false;
        }
        let forgiven = self.length == Span::ZERO || now.since(self.until) >= self.length;
        self.length = if forgiven { self.first } else { self.length * 2 }.min(self.most);
        self.until = now + self.length;
        (self.since, self.counted) = (self.until, 0);
        true
    }
}
