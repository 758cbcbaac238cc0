//! Two books that must both sum up: how the caller's attempts ended, and what became of the server's arrivals.

/// How one attempt ended for its caller. Every attempt ends exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// Answered, and within the caller's deadline.
    Ok,
    /// Answered, but after the deadline that counted.
    Late,
    /// Failed: refused connection, reset, an error answer.
    Error,
    /// The caller stopped waiting.
    Timeout,
    /// The server said no (503 or 429) to protect itself.
    Shed,
    /// Never sent: a breaker or a budget said no.
    Rejected,
    /// Given up by the caller for another reason than its own timeout (the user left, a hedge won).
    Cancelled,
}

/// The caller's book: attempts started, and how each ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallerLedger {
    /// Attempts started.
    pub attempts: u64,
    /// Ended as [`Ending::Ok`].
    pub ok: u64,
    /// Ended as [`Ending::Late`].
    pub late: u64,
    /// Ended as [`Ending::Error`].
    pub error: u64,
    /// Ended as [`Ending::Timeout`].
    pub timeout: u64,
    /// Ended as [`Ending::Shed`].
    pub shed: u64,
    /// Ended as [`Ending::Rejected`].
    pub rejected: u64,
    /// Ended as [`Ending::Cancelled`].
    pub cancelled: u64,
}

impl CallerLedger {
    /// An attempt starts.
    #[inline]
    pub fn start(&mut self) {
        self.attempts += 1;
    }

    /// An attempt ends.
    #[inline]
    pub fn end(&mut self, ending: Ending) {
        *match ending {
            Ending::Ok => &mut self.ok,
            Ending::Late => &mut self.late,
            Ending::Error => &mut self.error,
            Ending::Timeout => &mut self.timeout,
            Ending::Shed => &mut self.shed,
            Ending::Rejected => &mut self.rejected,
            Ending::Cancelled => &mut self.cancelled,
        } += 1;
    }

    /// Attempts that have ended.
    pub const fn ended(&self) -> u64 {
        self.ok + self.late + self.error + self.timeout + self.shed + self.rejected + self.cancelled
    }

    /// Attempts still under way; 0 at the end of a finished run. The book is wrong where this is negative.
    pub const fn open(&self) -> i64 {
        self.attempts as i64 - self.ended() as i64
    }
}

/// What became of one arrival at the server. Every arrival has exactly one fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// Served, and its caller was still there.
    Useful,
    /// Served, but its caller had gone: zombie work.
    Wasted,
    /// Dropped from the queue without being served, since its deadline had passed.
    DroppedExpired,
    /// Refused at the door.
    Refused,
    /// Lost with the server (a crash, a failover) while waiting or being served.
    Lost,
}

/// The server's book: arrivals, and what became of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerLedger {
    /// Arrivals.
    pub arrivals: u64,
    /// Met [`Fate::Useful`].
    pub useful: u64,
    /// Met [`Fate::Wasted`].
    pub wasted: u64,
    /// Met [`Fate::DroppedExpired`].
    pub dropped_expired: u64,
    /// Met [`Fate::Refused`].
    pub refused: u64,
    /// Met [`Fate::Lost`].
    pub lost: u64,
}

impl ServerLedger {
    /// A call arrives.
    #[inline]
    pub fn arrive(&mut self) {
        self.arrivals += 1;
    }

    /// An arrival meets its fate.
    #[inline]
    pub fn settle(&mut self, fate: Fate) {
        *match fate {
            Fate::Useful => &mut self.useful,
            Fate::Wasted => &mut self.wasted,
            Fate::DroppedExpired => &mut self.dropped_expired,
            Fate::Refused => &mut self.refused,
            Fate::Lost => &mut self.lost,
        } += 1;
    }

    /// Arrivals whose fate is known.
    pub const fn settled(&self) -> u64 {
        self.useful + self.wasted + self.dropped_expired + self.refused + self.lost
    }

    /// Arrivals still inside; 0 at the end of a finished run. The book is wrong where this is negative.
    pub const fn open(&self) -> i64 {
        self.arrivals as i64 - self.settled() as i64
    }
}
