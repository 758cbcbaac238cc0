//! When one call sends its next attempt.
//!
//! gRPC's `hedgingPolicy` (gRFC A6, documented; in Java, .NET and Node, not in Go and C++): attempts go out at 0, d, 2d …
//! until there is an answer. A non-fatal status sends the next attempt at once, and the schedule goes on from there. A
//! fatal status ends the call. A server may push back: a delay sets when the next attempt goes, a negative one stops
//! further attempts. Whether the throttle lets an attempt out is asked at each; the first always goes.
//!
//! The plain hedge differs in one thing: its first answer ends the call, good or bad (`Promise.race`).

use crate::time::{Span, Time};

/// Most attempts that gRPC makes, whatever is configured.
pub const MOST: u32 = 5;

/// What a call does about errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first answer ends the call, also an error.
    Race,
    /// gRPC's rules.
    Grpc,
}

/// A policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whose rules.
    pub kind: Kind,
    /// Attempts in all, the first one included (`maxAttempts`); at most [`MOST`] are made, and at least one.
    pub attempts: u32,
    /// From one attempt to the next (`hedgingDelay`); zero: all at once.
    pub delay: Span,
}

/// What a server says beside its error (`grpc-retry-pushback-ms`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushback {
    /// Nothing.
    None,
    /// The next attempt goes so much later.
    After(Span),
    /// No more attempts.
    Stop,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Well.
    Ok,
    /// With a status of `nonFatalStatusCodes`.
    NonFatal(Pushback),
    /// With any other.
    Fatal,
}

/// What becomes of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is answered; the other attempts are not needed.
    Answered,
    /// It has failed; nor are they then.
    Failed,
    /// It goes on. Whether and when another attempt goes, [`Hedge::due`] says.
    GoesOn,
}

/// One call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hedge {
    policy: Policy,
    sent: u32,
    open: u32,
    due: Option<Time>,
}

impl Hedge {
    /// A call that begins at `now`: its first attempt is due then.
    pub const fn new(policy: Policy, now: Time) -> Hedge {
        Hedge { policy, sent: 0, open: 0, due: Some(now) }
    }

    /// When its next attempt goes; `None`: there is none.
    pub const fn due(&self) -> Option<Time> {
        self.due
    }

    /// Attempts that went out.
    pub const fn sent(&self) -> u32 {
        self.sent
    }

    /// Attempts that have no answer yet.
    pub const fn open(&self) -> u32 {
        self.open
    }

    /// The attempt that was due goes out at `now`.
    pub fn send(&mut self, now: Time) {
        self.sent += 1;
        self.open += 1;
        let more = self.sent < self.policy.attempts.min(MOST);
        self.due = more.then(|| now + self.policy.delay);
    }

    /// The throttle does not let it out: no more attempts (grpc-java freezes the call's hedging).
    pub fn freeze(&mut self) {
        self.due = None;
    }

    /// An attempt is answered at `now`.
    pub fn answer(&mut self, now: Time, answer: Answer) -> Verdict {
        self.open = self.open.saturating_sub(1);
        let pushback = match (answer, self.policy.kind) {
            (Answer::Ok, _) => return Verdict::Answered,
            (Answer::Fatal, _) | (_, Kind::Race) => return Verdict::Failed,
            (Answer::NonFatal(pushback), Kind::Grpc) => pushback,
        };
        if self.due.is_some() {
            self.due = match pushback {
                Pushback::None => Some(now),
                Pushback::After(wait) => Some(now + wait),
                Pushback::Stop => None,
            };
        }
        if self.open == 0 && self.due.is_none() { Verdict::Failed } else { Verdict::GoesOn }
    }
}
