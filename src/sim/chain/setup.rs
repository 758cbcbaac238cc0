//! What a chain is made of.

use crate::admission::Admission;
use crate::arrivals::{Arrivals, Profile};
use crate::backoff::Backoff;
use crate::breaker::textbook;
use crate::budget;
use crate::law::Law;
use crate::scaler;
use crate::time::{Span, Time};

/// One calling layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Retries for each request, after the first call; at most 14.
    pub retries: u32,
    /// The wait before each.
    pub backoff: Backoff,
    /// How long it waits for each call; [`Span::MAX`]: for ever.
    pub timeout: Span,
    /// Its retry budget: one for the whole layer.
    pub budget: budget::Rule,
    /// Its breaker around each call, within the retries; one for the whole layer.
    pub breaker: Option<textbook::Rule>,
    /// Whether a call that its own breaker rejected is retried.
    pub retries_rejected: bool,
    /// Requests that it handles at once; [`u32::MAX`]: as many as come.
    pub slots: u32,
    /// Requests that may wait for such a place; more are refused.
    pub room: u32,
}

/// The server at the chain's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Calls it works on at once.
    pub slots: u32,
    /// How long it works on one.
    pub service: Law,
    /// What callers with a deadline reckon with for one call: its mean.
    pub typical: Span,
    /// Pods above it, at the start.
    pub pods: u32,
    /// Calls that each of them can have inside the server, waiting or worked on: its connection pool. With more the call
    /// is refused.
    pub room: u32,
    /// The server's own rule at its door.
    pub admission: Admission,
    /// What refusing one call by that rule costs a slot.
    pub refusal: Span,
}

/// A time in which the server refuses every call. What is inside when it begins is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// When it begins.
    pub from: Time,
    /// How long it lasts.
    pub length: Span,
}

/// A time in which nobody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// When it closes.
    pub from: Time,
    /// For how long.
    pub length: Span,
    /// Closed by somebody who looks first: it stays open where 95 % of those who came in the last seconds that can be
    /// judged (see [`Door::LOOK_BACK`]) were answered in time.
    pub if_needed: bool,
}

impl Door {
    /// How far back somebody looks who closes the door: at those who came from so many to so many seconds before.
    pub const LOOK_BACK: (u64, u64) = (15, 5);
}

/// A chain, its load, and for how long to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// From the users down: 1 to 7 of them, since an attempt's path has room for so many.
    pub layers: Vec<Layer>,
    /// What the last one calls.
    pub server: Server,
    /// When users come, at the full rate.
    pub arrivals: Arrivals,
    /// How the rate changes.
    pub profile: Profile,
    /// Most users.
    pub users: u32,
    /// A time in which the door is closed, and whoever comes is turned away.
    pub door: Option<Door>,
    /// How long a user waits for the answer; an answer within it is a good one.
    pub slo: Span,
    /// The fault, if any.
    pub fault: Option<Fault>,
    /// A deadline, counted from the user's arrival and carried down. No attempt starts and no retry is made that could not
    /// be done by then, the server drops what it cannot do by half, and every timeout is the smaller of its own and what
    /// is left.
    pub deadline: Option<Span>,
    /// Whether a caller that stops waiting stops everything below it.
    pub cancel: bool,
    /// How long an error takes from hop to hop. Answers take no time beyond the work.
    pub network: Span,
    /// What adds pods; `None`: nothing.
    pub scaler: Option<scaler::Rule>,
    /// When the run ends.
    pub horizon: Span,
}
