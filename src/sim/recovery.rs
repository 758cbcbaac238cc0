//! When a system has come back: as its users see it.

/// What counts as having come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Seconds of each window.
    pub window: usize,
    /// Seconds that it must stay well.
    pub hold: usize,
    /// The share answered in time, in percent, that every window needs.
    pub percent: u64,
}

impl Rule {
    /// The flagship's: for a minute, 95 % in every window of five seconds.
    pub const MINUTE: Rule = Rule { window: 5, hold: 60, percent: 95 };
}

/// The first second from `from` on from which all is well: every window that lies within the next [`Rule::hold`] seconds
/// has its share answered in time. `seconds` holds, second by second, how many asked and how many of these were answered
/// in time. A window in which nobody asked is well. `None`: not within what was seen.
pub fn second(rule: Rule, seconds: &[(u32, u32)], from: usize) -> Option<usize> {
    let window = rule.window.max(1);
    let hold = rule.hold.max(window);
    // How many windows in a row, up to the one that begins at `start`, were well.
    let mut well = 0;
    for start in from..(seconds.len() + 1).saturating_sub(window) {
        let (asked, good) = seconds[start..start + window]
            .iter()
            .fold((0u64, 0u64), |(a, g), s| (a + u64::from(s.0), g + u64::from(s.1)));
        well = if good * 100 >= asked * rule.percent { well + 1 } else { 0 };
        if well == hold - window + 1 {
            return Some(start + 1 - well);
        }
    }
    None
}
