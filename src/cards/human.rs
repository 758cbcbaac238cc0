//! Numbers as people say them: 240 minutes are four hours, 4,800,000 messages 4.8 million.
//!
//! For sentences, titles and axes. Figures and knobs stay in the unit that they are counted in.

use overload_chart::{Axis, Lang, Text, Unit, same, text};

/// A unit in which a number is small enough to be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Human {
    /// How many of the counted unit it is.
    pub by: f64,
    /// Its name.
    pub unit: Unit,
}

const S: Human = Human { by: 1.0 / 60.0, unit: Unit::new("s", same("s"), 0) };
const MIN: Human = Human { by: 1.0, unit: Unit::new("min", text("min", "phút"), 0) };
const H: Human = Human { by: 60.0, unit: Unit::new("h", text("h", "giờ"), 1) };
const DAYS: Human = Human { by: 1_440.0, unit: Unit::counted("days", text("days", "ngày"), "day", 1) };
const MESSAGES: Human = Human { by: 1.0, unit: Unit::counted("messages", text("messages", "message"), "message", 0) };
const MILLIONS: Human =
    Human { by: 1e6, unit: Unit::new("million_messages", text("million messages", "triệu message"), 2) };

/// All of them.
pub const ALL: [Human; 6] = [S, MIN, H, DAYS, MESSAGES, MILLIONS];

/// For so many minutes.
pub fn minutes(value: f64) -> Human {
    match value.abs() {
        v if v > 0.0 && v < 1.0 => S,
        v if v < 120.0 => MIN,
        v if v < 2_880.0 => H,
        _ => DAYS,
    }
}

/// For so many messages.
pub fn messages(value: f64) -> Human {
    if value.abs() < 1e6 { MESSAGES } else { MILLIONS }
}

impl Human {
    /// `value`, given as it is counted, in this unit: `4.8 million messages`.
    pub fn write(&self, value: f64, lang: Lang) -> String {
        self.unit.trimmed(value / self.by, lang)
    }

    /// An axis in this unit from zero to `end`, which is given as it is counted. `{unit}` in the title is its name.
    pub fn axis(&self, title: Text, end: f64, lang: Lang) -> Axis {
        let title = title.get(lang).replace("{unit}", self.unit.text.get(lang));
        Axis::from_zero(title, self.unit, end / self.by)
    }
}
