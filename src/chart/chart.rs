//! What is drawn, as data. One description has four forms: canvas on the screen, SVG in pages and files,
//! a table for readers, CSV for spreadsheets.

use crate::text::Unit;

/// A chart: one panel, or several that share axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Stable name within the card, also the element's id: `calls`.
    pub id: &'static str,
    /// The finding, computed from the run. One sentence without a full stop.
    pub title: String,
    /// Quantity, unit, what a mark means. One line under the title.
    pub note: String,
    /// What a reader who cannot see the chart needs to hear.
    pub summary: String,
    /// How the panels lie.
    pub layout: Layout,
    /// The horizontal axis, shared by all panels unless one brings its own.
    pub x: Axis,
    /// The vertical axis, shared by all panels.
    pub y: YAxis,
    /// Panels from top to bottom, or left to right.
    pub panels: Vec<Panel>,
    /// Headings of the numbers beside each panel ([`Panel::cells`]); empty where there are none.
    pub columns: Vec<String>,
    /// Fills that need a legend. Lines carry their name at their end.
    pub legend: Vec<(Paint, String)>,
    /// Height of one panel's plot in CSS pixels.
    pub panel_height: u16,
}

/// How panels lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One under the other, sharing the horizontal axis. One panel is this too.
    Rows,
    /// Side by side where it is wide enough, else one under the other. Each brings its own horizontal axis.
    Columns,
}

/// A numeric axis. `min < max`, both finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity and unit: "time since the common failure, s".
    pub title: String,
    /// Unit of the values, for read-outs, table and CSV.
    pub unit: Unit,
    /// The lower end.
    pub min: f64,
    /// The upper end. Marks beyond it are cut, visibly.
    pub max: f64,
    /// Logarithmic (both ends above zero).
    pub log: bool,
}

/// The vertical axis.
#[derive(Clone, Debug, PartialEq)]
pub enum YAxis {
    /// Numbers.
    Number(Axis),
    /// Named rows, from top to bottom: row `i` lies at y = i.
    Names(Vec<String>),
}

/// One set of axes with marks on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its name: "Full jitter". Empty where the chart has one panel.
    pub name: String,
    /// A formula under the name, in the mono face; may be empty.
    pub formula: String,
    /// Its own horizontal axis; `None`: the chart's.
    pub x: Option<Axis>,
    /// What is drawn, the first at the bottom.
    pub marks: Vec<Mark>,
    /// Numbers printed beside it, one a column of the chart.
    pub cells: Vec<Cell>,
}

/// A number beside a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The number with its unit.
    pub value: String,
    /// A word about it: "−38 %"; may be empty.
    pub note: String,
}

/// The meaning of a mark, and with it its colour, dash, marker and hatch (`style/tokens.css`): one meaning, one look,
/// on every page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Paint {
    /// What users ask for.
    Offered,
    /// Calls that reach a server.
    Attempts,
    /// Attempts after the first.
    Retries,
    /// Answered in time.
    Goodput,
    /// Answered, but too late.
    Late,
    /// The caller stopped waiting.
    Timeout,
    /// Refused by the server.
    Shed,
    /// Refused by a breaker or a budget at the caller.
    Breaker,
    /// Work for a caller who has gone.
    Zombie,
    /// The run that others are compared with.
    Baseline,
    /// A line of ink, told apart by dash: variants that have no meaning of their own (strategies). 0..=3.
    Ink(u8),
    /// The time of a fault.
    Fault,
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Bars standing side by side along x, stacked by their own `y0..y1`.
    Bars {
        /// What they count: "answered".
        name: String,
        /// Their meaning.
        paint: Paint,
        /// The bars, ascending in `x0`.
        bars: Vec<Bar>,
    },
    /// A line through points.
    Line {
        /// What it shows; printed at its end.
        name: String,
        /// Its meaning.
        paint: Paint,
        /// Points, ascending in x.
        points: Vec<(f64, f64)>,
        /// Stays level until the next point, instead of sloping.
        step: bool,
    },
    /// Moments as dots, those close together stacked: each at its own x, as high as it is among its neighbours.
    Dots {
        /// What a dot is: "a retry".
        name: String,
        /// Their meaning.
        paint: Paint,
        /// How many one dot stands for: dots of one stack are so far apart along y, and as big as that allows.
        each: f64,
        /// The dots, ascending in x.
        points: Vec<(f64, f64)>,
    },
    /// The area between two values along x.
    Area {
        /// What it shows.
        name: String,
        /// Its meaning.
        paint: Paint,
        /// x, lower, upper; ascending in x.
        points: Vec<(f64, f64, f64)>,
    },
    /// A level that matters: a capacity, a limit.
    Threshold {
        /// Where.
        y: f64,
        /// "capacity: 100 per slot".
        label: String,
    },
    /// A time that matters: a fault.
    Span {
        /// From.
        x0: f64,
        /// To.
        x1: f64,
        /// Its name.
        label: String,
        /// Its meaning.
        paint: Paint,
    },
    /// A word at a place, with a small arrow from the left.
    Note {
        /// Where.
        x: f64,
        /// Where.
        y: f64,
        /// "peak 900".
        label: String,
        /// Colour of the arrow.
        paint: Paint,
    },
    /// What happens when, in a lane under the plot: states as stretches, calls as ticks. Lanes share the horizontal axis
    /// and have no value along y; several marks may share one. Only where the vertical axis is one of numbers.
    Lane {
        /// Which lane, from the top; at most [`MOST_LANES`] are drawn.
        lane: usize,
        /// The lane's name, left of it: "breaker". Empty where another mark of the lane has it.
        label: String,
        /// What happens: "open"; for table and read-out. Empty: what the lane is named.
        name: String,
        /// Its meaning.
        paint: Paint,
        /// From when to when, ascending; an instant where both are the same.
        at: Vec<(f64, f64)>,
    },
    /// A distribution lying along x in row `row`: light from the 1st to the 99th percentile, dark from the 10th to the 90th, a stroke at the median.
    Spread {
        /// The row of a named vertical axis.
        row: usize,
        /// What it distributes.
        name: String,
        /// Percentiles 1, 10, 50, 90, 99.
        at: [f64; 5],
    },
    /// A point in row `row`.
    Dot {
        /// The row of a named vertical axis.
        row: usize,
        /// Where.
        x: f64,
        /// What it is.
        kind: Dot,
        /// "the article": for table and read-out.
        name: String,
    },
    /// A row of a heat map: cells side by side in row `row`, each with its number, the darker the greater.
    Cells {
        /// The row of a named vertical axis.
        row: usize,
        /// The colour that is thinned.
        paint: Paint,
        /// Unit of the cells' numbers; the axis has that of their places.
        unit: Unit,
        /// From left to right.
        cells: Vec<HeatCell>,
    },
}

/// One cell of [`Mark::Cells`].
#[derive(Clone, Debug, PartialEq)]
pub struct HeatCell {
    /// Its column's name: for table and read-out.
    pub name: String,
    /// Left edge.
    pub x0: f64,
    /// Right edge.
    pub x1: f64,
    /// Its number.
    pub value: f64,
    /// What stands in it in the number's place: a word, a sign. Empty: the number. Where the cells of a panel have words,
    /// their columns are named under the plot.
    pub said: String,
    /// The same in words, for table and read-out, where a sign says too little. Empty: as it is drawn.
    pub read: String,
    /// How dark it is, 0 to 1.
    pub shade: f64,
    /// Framed: where the reader is.
    pub here: bool,
    /// The knobs that lead there, as in a link: `layers=3&retries=3`. Empty where none do.
    pub link: String,
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Left edge.
    pub x0: f64,
    /// Right edge.
    pub x1: f64,
    /// Lower edge.
    pub y0: f64,
    /// Upper edge.
    pub y1: f64,
}

/// The kinds of [`Mark::Dot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dot {
    /// ◇ the article's figure.
    Article,
    /// ▲ this run.
    ThisRun,
    /// A guess made before looking.
    Guess,
}

impl HeatCell {
    /// What stands in it: its word, else its number.
    pub(crate) fn text(&self, unit: &Unit, lang: crate::Lang) -> String {
        if self.said.is_empty() { unit.number(self.value, lang) } else { self.said.clone() }
    }

    /// What a reader is told of it.
    pub(crate) fn reading(&self) -> &str {
        if self.read.is_empty() { &self.said } else { &self.read }
    }

    /// The knobs that lead there; `None` where none do.
    pub fn leads(&self) -> Option<&str> {
        (!self.link.is_empty()).then_some(self.link.as_str())
    }
}

impl Chart {
    /// Where a cell of a heat map leads: the cell in the row and the column of these names. `None` where it leads nowhere.
    pub fn link(&self, row: &str, column: &str) -> Option<&str> {
        let YAxis::Names(names) = &self.y else { return None };
        let wanted = names.iter().position(|name| name == row)?;
        self.cells().find(|(row, cell)| *row == wanted && cell.name == column).and_then(|(_, cell)| cell.leads())
    }

    /// The cells whose names stand under the plot: the first row of those that have words. Empty where there is none.
    pub(crate) fn heads(panel: &Panel) -> &[HeatCell] {
        let worded = panel.marks.iter().find_map(|mark| match mark {
            Mark::Cells { cells, .. } if cells.iter().any(|cell| !cell.said.is_empty()) => Some(&cells[..]),
            _ => None,
        });
        worded.unwrap_or_default()
    }

    /// Whether a cell of a heat map leads somewhere.
    pub fn has_links(&self) -> bool {
        self.cells().any(|(_, cell)| cell.leads().is_some())
    }

    /// All cells of heat maps with their rows.
    fn cells(&self) -> impl Iterator<Item = (usize, &HeatCell)> {
        let marks = self.panels.iter().flat_map(|panel| &panel.marks);
        let cells = marks.filter_map(|mark| match mark {
            Mark::Cells { row, cells, .. } => Some(cells.iter().map(|cell| (*row, cell))),
            _ => None,
        });
        cells.flatten()
    }
}

/// Most lanes under one plot ([`Mark::Lane`]).
pub const MOST_LANES: usize = 12;

impl Chart {
    /// A chart of one panel, whose title is all that there is to hear.
    pub fn single(
        id: &'static str,
        (title, note): (String, &str),
        (x, y): (Axis, YAxis),
        marks: Vec<Mark>,
        panel_height: u16,
    ) -> Chart {
        Chart {
            id,
            summary: title.clone(),
            title,
            note: note.into(),
            layout: Layout::Rows,
            x,
            y,
            panels: vec![Panel::plain(marks)],
            columns: vec![],
            legend: vec![],
            panel_height,
        }
    }
}

impl Panel {
    /// A panel on the chart's axes, without formula and numbers beside it.
    pub fn new(name: impl Into<String>, marks: Vec<Mark>) -> Panel {
        Panel { name: name.into(), formula: String::new(), x: None, marks, cells: vec![] }
    }

    /// The same without a name.
    pub fn plain(marks: Vec<Mark>) -> Panel {
        Panel::new("", marks)
    }
}

impl Axis {
    /// A linear axis from 0 to at least `max`.
    pub fn from_zero(title: impl Into<String>, unit: Unit, max: f64) -> Axis {
        let max = if max.is_finite() && max > 0.0 { max } else { 1.0 };
        Axis { title: title.into(), unit, min: 0.0, max, log: false }
    }
}

/// The smallest of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `value`: where an axis can end.
///
/// 1 for what is not a positive number.
pub fn nice_ceil(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let mut decade = 1.0;
    while decade * 10.0 <= value {
        decade *= 10.0;
    }
    while decade > value {
        decade /= 10.0;
    }
    // A hair of slack, so that 0.3 does not become 0.4 by the float's last bit.
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * decade).find(|&end| end >= value * (1.0 - 1e-9)).unwrap_or(value)
}
