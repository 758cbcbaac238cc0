//! Where everything lies: one plan for the drawing and for the crosshair.

use crate::measure::text_width;
use crate::{Chart, Lang, Layout, MOST_LANES, Mark, Panel, Scale, YAxis};

/// From this width on, numbers stand beside the panels and columns side by side.
const WIDE: f64 = 560.0;
/// Height of a lane under a plot.
pub(crate) const LANE: f64 = 16.0;
/// Lines for the names of a heat map's columns, and the height of one.
pub(crate) const HEADS: usize = 3;
pub(crate) const HEAD: f64 = 13.0;
/// The distance between the plots of columns.
const COLUMN_GAP: f64 = 32.0;

/// A rectangle in CSS pixels, y downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Whether a point lies in it, its edges included.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x <= self.right() && y >= self.y && y <= self.bottom()
    }

    /// The area shared with `other`.
    pub(crate) fn overlap(&self, other: &Rect) -> f64 {
        let w = self.right().min(other.right()) - self.x.max(other.x);
        let h = self.bottom().min(other.bottom()) - self.y.max(other.y);
        w.max(0.0) * h.max(0.0)
    }
}

/// One panel's place and mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The plot: what the axes span.
    pub plot: Rect,
    /// Values along x.
    pub x: Scale,
    /// Values along y, or rows of a named axis (row `i` at `i`).
    pub y: Scale,
    /// Height of the lanes between the plot and the labels of its horizontal axis.
    pub(crate) strip: f64,
    /// Baseline of the line of text above the plot, where there is one.
    pub(crate) head: Option<f64>,
    /// Whether its horizontal axis has labels.
    pub(crate) shows_x: bool,
    /// Whether its vertical axis has labels.
    pub(crate) shows_y: bool,
}

impl Frame {
    /// Whether a point leaves the axis at the top.
    pub(crate) fn above(&self, point: &(f64, f64)) -> bool {
        point.1 > self.y.max && point.1.is_finite() && (self.x.min..=self.x.max).contains(&point.0)
    }

    /// The plot with its lanes.
    fn reach(&self) -> Rect {
        Rect { h: self.plot.h + self.strip, ..self.plot }
    }
}

/// The plan of a chart at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Width of the whole in CSS pixels.
    pub width: f64,
    /// Height of the whole.
    pub height: f64,
    /// Numbers stand beside the panels, columns side by side.
    pub wide: bool,
    /// The panels, in the chart's order.
    pub frames: Vec<Frame>,
    /// Right edges of the numbers beside the panels and how wide each may be; empty where they are not beside.
    pub(crate) columns: Vec<(f64, f64)>,
}

/// What depends on structure alone: heights of everything but the plots.
struct Plan {
    /// Above the first panel: the axis title, the headings.
    top: f64,
    /// The line of text above each plot.
    head: f64,
    /// Under a plot with a labelled axis.
    foot: f64,
    /// Under a plot without.
    gap: f64,
    wide: bool,
    side_by_side: bool,
}

impl Plan {
    fn of(chart: &Chart, width: f64) -> Plan {
        let wide = width >= WIDE;
        let side_by_side = wide && chart.layout == Layout::Columns;
        let named = matches!(chart.y, YAxis::Names(_));
        let title = match &chart.y {
            YAxis::Number(axis) => !axis.title.is_empty(),
            YAxis::Names(_) => false,
        };
        let cells_beside = wide && !side_by_side && !chart.columns.is_empty();
        let cells_above = !chart.columns.is_empty() && !cells_beside;
        let names_above = named && chart.panels.iter().any(|p| !p.name.is_empty());
        let top = if title || cells_beside { 32.0 } else { 10.0 };
        let x_title = !chart.x.title.is_empty()
            || chart.panels.iter().any(|p| p.x.as_ref().is_some_and(|axis| !axis.title.is_empty()));
        let heads =
            if chart.panels.iter().any(|p| !Chart::heads(p).is_empty()) { HEAD * (HEADS as f64 - 1.0) } else { 0.0 };
        Plan {
            top: if title && cells_above { 24.0 } else { top },
            head: if cells_above || names_above { 24.0 } else { 0.0 },
            foot: heads + if x_title { 38.0 } else { 24.0 },
            gap: if cells_above || names_above { 12.0 } else { 18.0 },
            wide,
            side_by_side,
        }
    }

    /// Whether the axis of panel `i` has labels of its own.
    fn shows_x(&self, chart: &Chart, i: usize) -> bool {
        self.side_by_side || i + 1 == chart.panels.len() || chart.panels[i].x.is_some()
    }

    /// Everything but the plots, and how many plots lie one under the other.
    fn fixed(&self, chart: &Chart) -> (f64, f64) {
        let count = chart.panels.len();
        let strips = chart.panels.iter().map(|p| strip(chart, p));
        if self.side_by_side || count < 2 {
            return (self.top + self.head + strips.fold(0.0, f64::max) + self.foot, 1.0);
        }
        let under = |i| if self.shows_x(chart, i) { self.foot } else { self.gap };
        let between: f64 = (0..count).map(under).sum();
        // After an axis with a title, some air before the next panel.
        let airs = (0..count - 1).filter(|&i| self.shows_x(chart, i)).count() as f64;
        (self.top + self.head * count as f64 + strips.sum::<f64>() + between + 10.0 * airs, count as f64)
    }
}

/// The height of the lanes under a panel's plot.
fn strip(chart: &Chart, panel: &Panel) -> f64 {
    let lanes = panel.marks.iter().filter_map(|mark| match mark {
        Mark::Lane { lane, .. } => Some(lane.saturating_add(1).min(MOST_LANES)),
        _ => None,
    });
    match (&chart.y, lanes.max()) {
        (YAxis::Number(_), Some(lanes)) => LANE * lanes as f64 + 4.0,
        _ => 0.0,
    }
}

/// The height of one plot.
fn plot_height(chart: &Chart) -> f64 {
    let least = match &chart.y {
        YAxis::Number(_) => 24.0,
        YAxis::Names(names) => 24.0 * names.len().max(1) as f64,
    };
    f64::from(chart.panel_height).max(least)
}

/// The height `chart` wants at `width`. It depends on the chart's structure (how many panels, rows, columns; which
/// titles are there), never on its values: the box must not move while a knob does.
pub fn height(chart: &Chart, width: f64) -> f64 {
    let (fixed, plots) = Plan::of(chart, width).fixed(chart);
    fixed + plots * plot_height(chart)
}

impl Geometry {
    /// The plan of `chart` in a box of this size. A box that is not [`height`] high stretches the plots.
    pub fn of(chart: &Chart, width: f64, height: f64) -> Geometry {
        let width = if width.is_finite() { width.clamp(120.0, 8000.0) } else { 690.0 };
        let plan = Plan::of(chart, width);
        let (fixed, plots) = plan.fixed(chart);
        let height = if height.is_finite() { height.clamp(60.0, 20_000.0) } else { fixed + plots * plot_height(chart) };
        let plot_h = ((height - fixed) / plots).max(20.0);
        let columns = if plan.wide && !plan.side_by_side { columns(chart, width) } else { Vec::new() };
        let right = columns.first().map_or(width - if plan.wide { 16.0 } else { 10.0 }, |(edge, w)| edge - w - 12.0);
        let left = left_margin(chart, width, plot_h, plan.wide);

        let count = chart.panels.len();
        let mut frames = Vec::with_capacity(count);
        let across = if plan.side_by_side { count.max(1) as f64 } else { 1.0 };
        let plot_w = ((right - left - COLUMN_GAP * (across - 1.0)) / across).max(40.0);
        let mut y = plan.top;
        for (i, panel) in chart.panels.iter().enumerate() {
            let x = if plan.side_by_side { left + (plot_w + COLUMN_GAP) * i as f64 } else { left };
            let plot = Rect { x, y: y + plan.head, w: plot_w, h: plot_h };
            let shows_x = plan.shows_x(chart, i);
            let strip = strip(chart, panel);
            frames.push(Frame {
                plot,
                x: Scale::new(panel_axis(chart, panel), plot.x, plot.right()),
                y: match &chart.y {
                    YAxis::Number(axis) => Scale::new(axis, plot.bottom(), plot.y),
                    YAxis::Names(names) => Scale::rows(names.len(), plot.y, plot.bottom()),
                },
                strip,
                head: (plan.head > 0.0).then_some(y + 14.0),
                shows_x,
                shows_y: !plan.side_by_side || i == 0,
            });
            if !plan.side_by_side {
                y = plot.bottom() + strip + if shows_x { plan.foot + 10.0 } else { plan.gap };
            }
        }
        Geometry { width, height, wide: plan.wide, frames, columns }
    }

    /// The panel at a point and the position there: the value along x, or the row of a named axis.
    ///
    /// Panels reach to half the gap between them, so that a pointer always finds one.
    pub fn at(&self, chart: &Chart, x: f64, y: f64) -> Option<(usize, f64)> {
        let away = |r: &Rect| {
            let dx = (r.x - x).max(x - r.right()).max(0.0);
            let dy = (r.y - y).max(y - r.bottom()).max(0.0);
            dx.max(dy)
        };
        let (i, frame) = self
            .frames
            .iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| away(&a.reach()).total_cmp(&away(&b.reach())))
            .filter(|(_, f)| away(&f.reach()) <= 24.0)?;
        let position = match &chart.y {
            YAxis::Number(_) => frame.x.value(x),
            YAxis::Names(names) => frame.y.value(y).round().clamp(0.0, names.len().max(1) as f64 - 1.0),
        };
        Some((i, position))
    }

    /// Where the heat map's cell at a point leads. `None` where there is none, or it leads nowhere.
    pub fn link<'a>(&self, chart: &'a Chart, x: f64, y: f64) -> Option<&'a str> {
        let (i, row) = self.at(chart, x, y)?;
        let frame = self.frames.get(i).filter(|frame| frame.plot.contains(x, y))?;
        let along = frame.x.value(x);
        let cells = chart.panels.get(i)?.marks.iter().find_map(|mark| match mark {
            Mark::Cells { row: own, cells, .. } if *own as f64 == row => Some(cells),
            _ => None,
        })?;
        cells.iter().find(|cell| cell.x0 <= along && along < cell.x1)?.leads()
    }

    /// The crosshair in panel `i` at a position: a line from one point to another, in CSS pixels.
    pub fn cross(&self, chart: &Chart, i: usize, position: f64) -> Option<[(f64, f64); 2]> {
        let Frame { plot, x, y, strip, .. } = self.frames.get(i)?;
        Some(match chart.y {
            YAxis::Number(_) => [(x.inside(position), plot.y), (x.inside(position), plot.bottom() + strip)],
            YAxis::Names(_) => [(plot.x, y.inside(position)), (plot.right(), y.inside(position))],
        })
    }
}

/// The horizontal axis of `panel`: its own, or the chart's.
pub(crate) fn panel_axis<'a>(chart: &'a Chart, panel: &'a Panel) -> &'a crate::Axis {
    panel.x.as_ref().unwrap_or(&chart.x)
}

/// How many lines a vertical axis of this height may have above its baseline.
pub(crate) fn y_lines(height: f64) -> usize {
    (height / 30.0).clamp(2.0, 4.0) as usize
}

/// Room for the labels of the vertical axis. It grows in steps, so that it seldom moves.
fn left_margin(chart: &Chart, width: f64, plot_h: f64, wide: bool) -> f64 {
    let least: f64 = if wide { 46.0 } else { 36.0 };
    let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
    match &chart.y {
        YAxis::Number(axis) => {
            let ticks = Scale::new(axis, plot_h, 0.0).ticks(y_lines(plot_h), Lang::En);
            let lanes = chart.panels.iter().flat_map(|p| &p.marks).filter_map(|mark| match mark {
                Mark::Lane { label, .. } => Some(text_width(label, 12.0, false, false)),
                _ => None,
            });
            let label = widest(&mut ticks.iter().map(|(_, text)| text_width(text, 12.0, false, false)).chain(lanes));
            least.max(((label + 8.0) / 6.0).ceil() * 6.0).min(width * 0.4)
        }
        YAxis::Names(names) => {
            let label = widest(&mut names.iter().map(|n| text_width(n, 12.0, true, false)));
            (label + 14.0).max(least).min(width * 0.38)
        }
    }
}

/// Where the numbers beside the panels end on the right, and how wide each column is.
fn columns(chart: &Chart, width: f64) -> Vec<(f64, f64)> {
    let mut widths: Vec<f64> = chart
        .columns
        .iter()
        .enumerate()
        .map(|(i, heading)| {
            let cells = chart.panels.iter().filter_map(|p| p.cells.get(i)).map(|cell| {
                // Notes wrap into two lines; half of one is what they need at least.
                text_width(&cell.value, 16.0, true, false).max(text_width(&cell.note, 12.0, false, false) * 0.55)
            });
            let need = cells.fold(text_width(heading, 12.0, false, false), f64::max);
            // In steps, so that a digit more does not move the plots.
            ((need + 14.0) / 8.0).ceil() * 8.0
        })
        .map(|w| w.clamp(48.0, 136.0))
        .collect();
    let all: f64 = widths.iter().sum();
    let room = width * 0.42;
    if all > room {
        widths.iter_mut().for_each(|w| *w *= room / all);
    }
    let mut edge = width - 2.0;
    let mut out: Vec<(f64, f64)> = widths
        .iter()
        .rev()
        .map(|&w| {
            let right = edge;
            edge -= w;
            (right, w)
        })
        .collect();
    out.reverse();
    out
}
