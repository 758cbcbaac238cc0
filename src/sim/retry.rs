//! Whether there is a next attempt, and when.

use crate::backoff::{Backoff, Memory};
use crate::draw::Draw;
use crate::time::{Span, Time};

/// A caller's retry policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts for one request, the first included. At least 1.
    pub max_attempts: u32,
    /// The wait between them.
    pub backoff: Backoff,
    /// No attempt starts later than this after the first one; [`Span::MAX`] for no such limit.
    pub deadline: Span,
}

impl RetryPolicy {
    /// When the next attempt starts, after attempt number `attempt` (counted from 1) of a request that began at
    /// `began` failed at `now`. `None`: give up.
    #[inline]
    pub fn next_attempt(
        &self,
        attempt: u32,
        began: Time,
        now: Time,
        memory: &mut Memory,
        draw: &mut Draw,
    ) -> Option<Time> {
        if attempt >= self.max_attempts {
            return None;
        }
        let at = now + self.backoff.wait(attempt - 1, memory, draw);
        (at - began <= self.deadline).then_some(at)
    }
}
