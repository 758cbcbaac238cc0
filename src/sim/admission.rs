//! Whether an arrival is let in. Asked before the arrival counts as inside.

/// The rule at a server's door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Everybody comes in.
    #[default]
    Open,
    /// Nobody comes in while so many calls, at least 1, are inside: waiting or being served.
    ///
    /// `if (inflight >= limit) return 503; inflight++`, as in article 1, card 053: a limit of 30 lets the 30th in.
    InFlight(u32),
}

impl Admission {
    /// A limit on the calls in flight; 0 is none.
    pub const fn in_flight(limit: u32) -> Admission {
        if limit == 0 { Admission::Open } else { Admission::InFlight(limit) }
    }

    /// Whether an arrival is let in that finds so many calls inside.
    #[inline]
    pub const fn admits(self, inside: usize) -> bool {
        match self {
            Admission::Open => true,
            Admission::InFlight(limit) => inside < limit as usize,
        }
    }
}
