//! One moment of a run, as a picture of the system: what a page with a time cursor shows beside the charts.

/// A system at a moment: places in a row, what goes between them, and the loop that feeds itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// First and last moment that there is, in the unit of the charts' time axis.
    pub range: (f64, f64),
    /// Where the cursor stands at first.
    pub start: f64,
    /// The charts whose horizontal axis is this time.
    pub charts: &'static [&'static str],
    /// The moment, in words.
    pub time: String,
    /// What happens then, in a sentence.
    pub said: String,
    /// The places, from the users to the last dependency.
    pub places: Vec<Place>,
    /// What goes from each place to the next: one fewer than places.
    pub ways: Vec<Way>,
    /// How many calls a second a dot stands for.
    pub dot: f64,
    /// The edges of the feedback loop, in the order in which it turns.
    pub turns: Vec<Turn>,
    /// What guards without cutting an edge.
    pub aside: String,
    /// What can be asked of this moment: words, and the link pairs of the run that answers; `None`: not at this moment.
    pub asks: Vec<(String, Option<String>)>,
}

/// A place that calls go to.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Its state in a word or two; empty where there is nothing to say.
    pub state: String,
    /// How it stands.
    pub health: Health,
    /// How full it is, 0 to 1, and the same in words.
    pub full: Option<(f64, String)>,
}

/// How a place stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It works.
    Well,
    /// It guards itself: a breaker is open.
    Guarded,
    /// It is down, or nearly everything that it does fails.
    Failing,
}

/// What goes from a place to the next, in calls a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Calls.
    pub calls: f64,
    /// The same, in words.
    pub said: String,
    /// Answers that somebody waits for.
    pub answers: f64,
    /// Answers that nobody waits for.
    pub wasted: f64,
    /// Refusals.
    pub refused: f64,
}

/// An edge of the feedback loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What it says: "calls fail".
    pub name: String,
    /// Whether it holds at this moment.
    pub lit: bool,
    /// Guardrails of the run that cut it.
    pub cuts: Vec<String>,
}
