//! The one drawing routine, for every backend.
//!
//! plotters brings areas, elements and their way to a backend. Its meshes, tick labels and legends are not used: ours
//! are placed so that no text is cut, covered or scaled.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::style::text_anchor::HPos;
use plotters_backend::DrawingBackend;

use crate::geometry::{HEAD, HEADS, LANE, panel_axis, y_lines};
use crate::paint::{DOTTED, Look, Token};
use crate::pen::{AreaPen, Pen, Type};
use crate::scale::tick_text;
use crate::{
    Bar, Chart, Dot, Frame, Geometry, HeatCell, Lang, Layout, MOST_LANES, Mark, Paint, Panel, Rect, Unit, YAxis,
    sort_by_number,
};

/// Height of a line of chart text, from a little above its capitals to a little below its descenders.
const LINE: f64 = 14.0;
/// How far a line's box reaches above its baseline.
const ASCENT: f64 = 10.5;

/// Draws `chart` on `root`, whose backend is [`crate::FINE`] times finer than `size` (width and height in CSS pixels)
/// and understands [`Look`]s. Draws no background.
pub fn draw<DB: DrawingBackend>(
    chart: &Chart,
    lang: Lang,
    size: (f64, f64),
    root: &DrawingArea<DB, Shift>,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let mut pen = AreaPen::new(root);
    let geometry = Geometry::of(chart, size.0, size.1);
    Painter { pen: &mut pen, chart, lang, geo: &geometry }.chart();
    pen.finish()
}

struct Painter<'a> {
    pen: &'a mut dyn Pen,
    chart: &'a Chart,
    lang: Lang,
    geo: &'a Geometry,
}

/// What is taken in one plot: text by boxes, marks by their extent in narrow columns.
struct Ground {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    boxes: Vec<Rect>,
    /// One list a mark: upper and lower edge of what is drawn in each column; empty where upper > lower.
    marks: Vec<Vec<(f64, f64)>>,
    /// Which of the marks are lines.
    lines: Vec<bool>,
    /// x of the first column.
    first: f64,
    texts: Vec<(String, f64, f64, HPos, Type)>,
    /// Places where bars are too dense for a halo to be enough.
    veils: Vec<Rect>,
}

/// Width of [`Ground`]'s columns.
const COLUMN: f64 = 2.0;

/// A place for a text: left end, baseline, how little it is wanted.
type Place = (f64, f64, f64);

impl Ground {
    fn new(plot: &Rect, right: f64) -> Ground {
        Ground {
            left: plot.x,
            right,
            top: plot.y - 6.0,
            bottom: plot.bottom(),
            boxes: Vec::new(),
            marks: Vec::new(),
            lines: Vec::new(),
            first: plot.x,
            texts: Vec::new(),
            veils: Vec::new(),
        }
    }

    fn mark(&mut self, plot: &Rect, line: bool) -> usize {
        self.lines.push(line);
        self.marks.push(vec![(f64::MAX, f64::MIN); (plot.w / COLUMN) as usize + 1]);
        self.marks.len() - 1
    }

    fn ink(&mut self, mark: usize, x0: f64, x1: f64, y0: f64, y1: f64) {
        let (x0, x1) = (x0.min(x1), x0.max(x1));
        let (from, to) = (((x0 - self.first) / COLUMN) as usize, ((x1 - self.first) / COLUMN) as usize);
        let columns = &mut self.marks[mark];
        let last = columns.len() - 1;
        for (i, column) in columns.iter_mut().enumerate().take(to.min(last) + 1).skip(from) {
            // A sloping line is only as tall in a column as its part there.
            let (a, b) = if x1 - x0 < COLUMN {
                (y0, y1)
            } else {
                let at = |k: usize| {
                    let x = (self.first + k as f64 * COLUMN).clamp(x0, x1);
                    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
                };
                (at(i), at(i + 1))
            };
            column.0 = column.0.min(a.min(b));
            column.1 = column.1.max(a.max(b));
        }
    }

    /// The part of a box that mark `mark` runs through, 0 to 1.
    fn covered(&self, mark: usize, area: &Rect) -> f64 {
        let columns = &self.marks[mark];
        let from = ((area.x - self.first) / COLUMN).max(0.0) as usize;
        let to = (((area.right() - self.first) / COLUMN).max(0.0) as usize).min(columns.len() - 1);
        if from > to {
            return 0.0;
        }
        let hit = columns[from..=to].iter().filter(|(a, b)| a <= b && *a < area.bottom() && *b > area.y).count();
        hit as f64 / (to - from + 1) as f64
    }

    /// The best of `places` for a text of width `w`, moved inside the plot, with its cost. `own`: the mark it names.
    fn best(&self, w: f64, places: &[Place], own: Option<usize>) -> Option<Place> {
        let mut best: Option<Place> = None;
        for &(x, y, cost) in places {
            let inside = (x.min(self.right - w).max(self.left), y.clamp(self.top + ASCENT, self.bottom - 3.0));
            let moved = (inside.0 - x).abs() + (inside.1 - y).abs();
            let area = Rect { x: inside.0 - 2.0, y: inside.1 - ASCENT, w: w + 4.0, h: LINE };
            let taken: f64 = self.boxes.iter().map(|b| b.overlap(&area)).sum();
            // To touch a mark is bad, to cover much of it worse.
            // Another line than the one it names would claim the name.
            let touch = |i: usize| {
                let part = self.covered(i, &area);
                let weight = if own.is_some_and(|own| own != i) && self.lines[i] { 2.0 } else { 1.0 };
                if part > 0.0 { weight * (4.0 + 10.0 * part) } else { 0.0 }
            };
            let marks: f64 = (0..self.marks.len()).map(touch).sum();
            let cost = cost + moved * 0.2 + taken + marks;
            if best.is_none_or(|b| cost < b.2) {
                best = Some((inside.0, inside.1, cost));
            }
        }
        best
    }

    /// Takes the place.
    ///
    /// The text hangs on the side that matters: fonts are never quite as wide as they were thought to be.
    fn put(&mut self, text: String, w: f64, (x, y, _): Place, side: HPos, ty: Type) {
        let area = Rect { x: x - 2.0, y: y - ASCENT, w: w + 4.0, h: LINE };
        let bars = (0..self.marks.len()).filter(|&i| !self.lines[i]);
        if bars.map(|i| self.covered(i, &area)).sum::<f64>() > 0.3 {
            self.veils.push(area);
        }
        self.boxes.push(area);
        let x = if matches!(side, HPos::Right) { x + w } else { x };
        self.texts.push((text, x, y, side, ty));
    }

    /// The side for a text that may hang on either: the nearer border's.
    fn side(&self, x: f64, w: f64) -> HPos {
        if x + w / 2.0 > (self.left + self.right) / 2.0 { HPos::Right } else { HPos::Left }
    }

    /// Whether another line than `own` passes close by a point: a name there could be either's.
    fn shared(&self, own: usize, x: f64, y: f64) -> bool {
        let area = Rect { x: x - 1.0, y: y - 5.0, w: 2.0, h: 10.0 };
        (0..self.marks.len()).any(|i| i != own && self.lines[i] && self.covered(i, &area) > 0.0)
    }
}

/// Bars that leave the axis at the top, side by side: left and right edge, the highest value.
type Cut = (f64, f64, f64);

impl Painter<'_> {
    fn chart(&mut self) {
        let geo = self.geo;
        let chart = self.chart;
        let first = geo.frames.first();
        // The axis title stands left, headings of numbers right of it.
        let mut edge = geo.width - 2.0;
        for (&(right, w), heading) in geo.columns.iter().zip(&chart.columns) {
            self.right(heading, right, 14.0, w - 8.0, Type::QUIET);
        }
        if let Some((right, w)) = geo.columns.first() {
            edge = right - w;
        }
        if let (YAxis::Number(axis), Some(frame)) = (&chart.y, first) {
            let w = self.pen.measure(&axis.title, Type::QUIET);
            let x = frame.plot.x.min(edge - w).max(0.0);
            self.left(&axis.title, x, 14.0, edge - x, Type::QUIET);
        }
        for i in 0..geo.frames.len() {
            self.panel(i);
        }
    }

    fn panel(&mut self, i: usize) {
        let (chart, geo) = (self.chart, self.geo);
        let (panel, frame) = (&chart.panels[i], &geo.frames[i]);
        let plot = frame.plot;
        let beside = !geo.columns.is_empty();
        // Text may use the margin on the right, but not what belongs to the numbers or to the next column.
        let alone = chart.layout == Layout::Rows || !geo.wide;
        let right = if beside || !alone { plot.right() } else { geo.width - 2.0 };
        let mut ground = Ground::new(&plot, right);

        for mark in &panel.marks {
            if let Mark::Span { x0, x1, paint, .. } = mark
                && let Some((a, b)) = extent(frame, *x0, *x1)
            {
                let bottom = plot.bottom() + frame.strip;
                let line = |painter: &mut Self, x: f64, width: f64| {
                    let x = crisp(x);
                    painter.pen.path(vec![(x, plot.y), (x, bottom)], Look::flat(Token::Ink3), width);
                };
                if x0 == x1 {
                    // A moment, not a span: a line.
                    line(self, a, 2.0);
                    continue;
                }
                let b = b.max(a + 1.0);
                self.pen.rect(a, plot.y, b, bottom, paint.tint());
                // Its ends: the tint alone is too faint for many eyes.
                line(self, a, 1.0);
                line(self, b, 1.0);
            }
        }
        self.axes(panel, frame, i);
        let cuts = self.marks(panel, frame, &mut ground);
        if matches!(chart.y, YAxis::Number(_)) {
            let y = crisp(plot.bottom());
            self.pen.path(vec![(plot.x, y), (plot.right(), y)], Look::flat(Token::Edge), 1.0);
        }
        for mark in &panel.marks {
            if let Mark::Threshold { y, .. } = mark
                && let Some(at) = inside_y(frame, *y)
            {
                let line = vec![(plot.x, crisp(at)), (plot.right(), crisp(at))];
                self.pen.path(line, Look::dashed(Token::Ink, DOTTED), 1.0);
            }
        }

        // Text last, and the surest first: who comes later has to make room.
        self.name(panel, frame, &mut ground);
        self.notes(panel, frame, &mut ground);
        self.cut_values(frame, &cuts, &mut ground);
        self.labels(panel, frame, &mut ground);
        for area in &ground.veils {
            let paper = Look { opacity: 0.8, ..Look::flat(Token::Paper) };
            self.pen.rect(area.x, area.y, area.right(), area.bottom(), paper);
        }
        for (text, x, y, side, ty) in std::mem::take(&mut ground.texts) {
            self.pen.text(&text, (x, y), side, ty.halo());
        }
        self.cells(panel, frame, i);
    }

    /// Grid, tick labels, axis titles.
    fn axes(&mut self, panel: &Panel, frame: &Frame, i: usize) {
        let plot = frame.plot;
        let grid = Look::flat(Token::Grid);
        let heads = Chart::heads(panel);
        let x_ticks = if heads.is_empty() { self.x_ticks(frame) } else { Vec::new() };
        match &self.chart.y {
            YAxis::Number(_) => {
                for (value, text) in frame.y.ticks(y_lines(plot.h), self.lang) {
                    let y = crisp(frame.y.px(value));
                    if y < plot.bottom() - 1.0 {
                        self.pen.path(vec![(plot.x, y), (plot.right(), y)], grid, 1.0);
                    }
                    if frame.shows_y {
                        self.right(&text, plot.x - 6.0, y + 4.0, plot.x - 6.0, Type::QUIET);
                    }
                }
            }
            YAxis::Names(names) => {
                // Here values lie along x, and so does the grid.
                for (value, _) in &x_ticks {
                    let x = crisp(frame.x.px(*value));
                    self.pen.path(vec![(x, plot.y), (x, plot.bottom())], grid, 1.0);
                }
                if frame.shows_y {
                    for (row, name) in names.iter().enumerate() {
                        let y = frame.y.px(row as f64);
                        let lines = self.wrap(name, plot.x - 12.0, Type::BOLD);
                        let up = (lines.len() as f64 - 1.0) * 0.5 * 13.0;
                        for (k, line) in lines.iter().enumerate() {
                            let at = (plot.x - 10.0, y + 4.0 - up + 13.0 * k as f64);
                            self.pen.text(line, at, HPos::Right, Type::BOLD);
                        }
                    }
                }
            }
        }
        if !frame.shows_x {
            return;
        }
        let (low, high) = self.span(i);
        let down = self.heads(frame, heads, (low, high));
        for (value, text) in x_ticks {
            let w = self.pen.measure(&text, Type::QUIET);
            let x = (frame.x.px(value) - w / 2.0).min(high - w).max(low);
            self.pen.text(&text, (x, plot.bottom() + frame.strip + 16.0), HPos::Left, Type::QUIET);
        }
        let axis = panel_axis(self.chart, panel);
        let title = self.fit(&axis.title, high - low, Type::QUIET);
        let w = self.pen.measure(&title, Type::QUIET);
        let x = (plot.x + (plot.w - w) / 2.0).min(high - w).max(low);
        self.pen.text(&title, (x, plot.bottom() + frame.strip + 31.0 + down), HPos::Left, Type::QUIET);
    }

    /// The names of a heat map's columns, under it, each on the first line where it fits; how many lines more than one.
    fn heads(&mut self, frame: &Frame, heads: &[HeatCell], (low, high): (f64, f64)) -> f64 {
        let mut free = [f64::MIN; HEADS];
        let mut most = 0;
        for cell in heads {
            let w = self.pen.measure(&cell.name, Type::QUIET);
            let x = (frame.x.px(cell.x0) + frame.x.px(cell.x1) - w) / 2.0;
            let x = x.min(high - w).max(low);
            let line = free.iter().position(|&from| from <= x).unwrap_or(HEADS - 1);
            free[line] = x + w + 4.0;
            most = most.max(line);
            let y = frame.plot.bottom() + frame.strip + 16.0 + HEAD * line as f64;
            self.pen.text(&cell.name, (x, y), HPos::Left, Type::QUIET);
        }
        HEAD * most as f64
    }

    /// From where to where text under panel `i` may reach.
    fn span(&self, i: usize) -> (f64, f64) {
        let frames = &self.geo.frames;
        if self.chart.layout == Layout::Columns && self.geo.wide {
            let half = 14.0;
            let low = if i == 0 { 0.0 } else { frames[i].plot.x - half };
            let high = frames.get(i + 1).map_or(self.geo.width - 1.0, |_| frames[i].plot.right() + half);
            (low, high)
        } else {
            let edge = self.geo.columns.first().map_or(self.geo.width - 1.0, |(right, w)| right - w);
            (0.0, edge)
        }
    }

    /// As many ticks along x as have room for their labels.
    fn x_ticks(&mut self, frame: &Frame) -> Vec<(f64, String)> {
        let mut want = ((frame.plot.w / 48.0) as usize).clamp(2, 10);
        loop {
            let ticks = frame.x.ticks(want, self.lang);
            let mut free = f64::MIN;
            let fits = ticks.iter().all(|(value, text)| {
                let (x, w) = (frame.x.px(*value), self.pen.measure(text, Type::QUIET));
                let before = std::mem::replace(&mut free, x + w / 2.0 + 12.0);
                x - w / 2.0 >= before
            });
            if fits || want <= 1 {
                return ticks;
            }
            want -= 1;
        }
    }

    fn marks(&mut self, panel: &Panel, frame: &Frame, ground: &mut Ground) -> Vec<Cut> {
        let plot = frame.plot;
        let mut cuts: Vec<Cut> = Vec::new();
        let mut first_bars = true;
        for mark in &panel.marks {
            match mark {
                Mark::Bars { bars, paint, .. } => {
                    let index = ground.mark(&plot, false);
                    self.bars(frame, bars, *paint, first_bars, ground, index, &mut cuts);
                    first_bars = false;
                }
                Mark::Area { points, paint, .. } => self.area(frame, points, *paint),
                Mark::Line { points, paint, step, .. } => {
                    let index = ground.mark(&plot, true);
                    for part in line_parts(frame, points, *step) {
                        for pair in part.windows(2) {
                            ground.ink(index, pair[0].0, pair[1].0, pair[0].1, pair[1].1);
                        }
                        if let [only] = part[..] {
                            ground.ink(index, only.0 - 3.0, only.0 + 3.0, only.1, only.1);
                            self.pen.circle(only, 3.0, Look::flat(paint.token()));
                        } else {
                            self.pen.path(part, paint.stroke(), paint.width());
                        }
                    }
                    let over = points.iter().filter(|p| frame.above(p)).max_by(|a, b| a.1.total_cmp(&b.1));
                    if let Some((x, y)) = over {
                        let x = frame.x.px(*x);
                        cuts.push((x, x, *y));
                    }
                }
                Mark::Dots { points, paint, each, .. } => {
                    let index = ground.mark(&plot, false);
                    self.dots(frame, points, *each, *paint, ground, index);
                    let over = points.iter().filter(|p| frame.above(p)).max_by(|a, b| a.1.total_cmp(&b.1));
                    if let Some((x, y)) = over {
                        let x = frame.x.px(*x);
                        cuts.push((x, x, *y));
                    }
                }
                Mark::Lane { lane, label, paint, at, .. } => self.lane(frame, *lane, label, *paint, at),
                Mark::Spread { row, at, .. } => self.spread(frame, *row, at),
                Mark::Dot { row, x, kind, .. } => self.dot(frame, *row, *x, *kind),
                Mark::Cells { row, paint, unit, cells } => self.cells_of(frame, *row, *paint, unit, cells),
                Mark::Threshold { .. } | Mark::Span { .. } | Mark::Note { .. } => {}
            }
        }
        // One value a run of neighbours: the highest.
        sort_by_number(&mut cuts, |cut| cut.0);
        let mut runs: Vec<Cut> = Vec::new();
        for cut in cuts {
            match runs.last_mut() {
                Some(run) if cut.0 <= run.1 + 2.5 => {
                    run.1 = run.1.max(cut.1);
                    run.2 = run.2.max(cut.2);
                }
                _ => runs.push(cut),
            }
        }
        for &(a, b, _) in runs.iter().filter(|run| run.1 > run.0) {
            // The break: a slanting strip of paper near the top.
            let y = plot.y + 8.0;
            let (a, b) = (a - 1.0, b + 1.0);
            let strip = vec![(a, y + 2.0), (b, y - 2.0), (b, y + 0.5), (a, y + 4.5)];
            self.pen.polygon(strip, Look::flat(Token::Paper));
        }
        runs
    }

    #[allow(clippy::too_many_arguments, reason = "one call, and everything is needed")]
    fn bars(
        &mut self,
        frame: &Frame,
        bars: &[Bar],
        paint: Paint,
        lowest: bool,
        ground: &mut Ground,
        index: usize,
        cuts: &mut Vec<Cut>,
    ) {
        let plot = frame.plot;
        let named = matches!(self.chart.y, YAxis::Names(_));
        let fill = paint.fill();
        // Narrow bars stand on whole pixels and share columns: hundreds of them must not shimmer.
        let mut columns: Vec<(f64, f64)> = Vec::new();
        let mut before: Option<Bar> = None;
        for bar in bars {
            let Some((a, b)) = extent(frame, bar.x0, bar.x1) else { continue };
            let (mut low, mut high) = (bar.y0.min(bar.y1), bar.y0.max(bar.y1));
            if !(low.is_finite() && high.is_finite() && high > low) || high < frame.y.min {
                continue;
            }
            // Two bars of one meaning on the same stretch are two rounds: a light cut keeps them apart.
            let again = before.is_some_and(|p| p.x0 == bar.x0 && (lowest || p.y1 == bar.y0)) && bar.y0 > frame.y.min;
            before = Some(*bar);
            if high > frame.y.max && !named {
                cuts.push((a, b, high));
            }
            if low > frame.y.max {
                continue;
            }
            (low, high) = (frame.y.inside(low), frame.y.inside(high));
            let (top, mut bottom) = (low.min(high), low.max(high));
            if again && bottom - top > 3.0 && !named {
                bottom -= 1.0;
            }
            // What is there is seen, however little.
            let top = top.min(bottom - 0.75);
            let inner = if named { 1.0 } else { 0.0 };
            ground.ink(index, a, b - 0.01, top, top);
            ground.ink(index, a, b - 0.01, bottom - inner, bottom - inner);
            if b - a < 3.0 && !named {
                if columns.is_empty() {
                    columns = vec![(f64::MAX, f64::MIN); plot.w as usize + 2];
                }
                let from = (a - plot.x).round().max(0.0) as usize;
                let to = ((b - plot.x).round() as usize).max(from + 1).min(columns.len());
                for column in columns.iter_mut().take(to).skip(from) {
                    *column = (column.0.min(top), column.1.max(bottom));
                }
            } else {
                let air = if b - a >= 5.0 && !named { 0.8 } else { 0.4 };
                self.pen.rect(a + air, top, (b - air).max(a + air + 1.0), bottom, fill);
            }
        }
        let left = plot.x.round();
        let mut from = 0;
        while from < columns.len() {
            let (top, bottom) = columns[from];
            let run = columns[from..].iter().take_while(|c| **c == (top, bottom)).count();
            if top < bottom {
                let right = (left + (from + run) as f64).min(plot.right());
                self.pen.rect(left + from as f64, top, right, bottom, fill);
            }
            from += run;
        }
    }

    /// Dots as big as their stacks allow, so that a stack of many is a column and one alone can still be seen.
    fn dots(
        &mut self,
        frame: &Frame,
        points: &[(f64, f64)],
        each: f64,
        paint: Paint,
        ground: &mut Ground,
        index: usize,
    ) {
        let apart = (frame.y.px(frame.y.min) - frame.y.px(frame.y.min + each)).abs();
        let radius = if apart.is_finite() { (0.46 * apart).clamp(1.9, 3.5) } else { 1.9 };
        for &(x, y) in points {
            let inside = x >= frame.x.min && x <= frame.x.max && y >= frame.y.min && y <= frame.y.max;
            if !inside {
                continue;
            }
            let at = (frame.x.px(x), frame.y.px(y));
            ground.ink(index, at.0 - radius, at.0 + radius, at.1, at.1);
            // What stands on the baseline stands above it, and on the border within the plot.
            let low = (frame.plot.bottom() - radius - 0.5).max(frame.plot.y);
            self.pen.circle((at.0, at.1.min(low)), radius, Look::flat(paint.token()));
        }
    }

    fn area(&mut self, frame: &Frame, points: &[(f64, f64, f64)], paint: Paint) {
        let ok = |p: &&(f64, f64, f64)| p.0.is_finite() && p.1.is_finite() && p.2.is_finite();
        for part in points.split(|p| !ok(&p)) {
            let lower: Vec<_> = part.iter().map(|p| (p.0, p.1)).collect();
            let upper: Vec<_> = part.iter().map(|p| (p.0, p.2)).collect();
            let mut outline = clamped(frame, &upper);
            if outline.len() < 2 {
                continue;
            }
            let mut back = clamped(frame, &lower);
            back.reverse();
            outline.extend(back);
            self.pen.polygon(outline, paint.tint());
        }
    }

    /// What happens in one lane under the plot.
    fn lane(&mut self, frame: &Frame, lane: usize, label: &str, paint: Paint, at: &[(f64, f64)]) {
        let plot = frame.plot;
        if lane >= MOST_LANES || frame.strip <= 0.0 {
            return;
        }
        let top = plot.bottom() + 4.0 + LANE * lane as f64;
        if !label.is_empty() {
            let y = crisp(top + LANE / 2.0);
            self.pen.path(vec![(plot.x, y), (plot.right(), y)], Look::flat(Token::Grid), 1.0);
            if frame.shows_y {
                self.right(label, plot.x - 6.0, top + LANE / 2.0 + 4.0, plot.x - 6.0, Type::QUIET);
            }
        }
        // What leaves the axis on either side is cut; what is there is seen, however short.
        let mut free = f64::MIN;
        for &(from, to) in at {
            if !(from.is_finite() && to.is_finite()) || to < frame.x.min || from > frame.x.max {
                continue;
            }
            let (a, b) = (frame.x.inside(from), frame.x.inside(to));
            let air = if b - a >= 4.0 { 0.5 } else { 0.0 };
            let (a, b) = if b - a < 2.0 { (a - 1.0, a + 1.0) } else { (a + air, b - air) };
            if b > free + 0.25 {
                self.pen.rect(a.max(free), top + 2.5, b, top + LANE - 2.5, paint.fill());
                free = b;
            }
        }
    }

    fn spread(&mut self, frame: &Frame, row: usize, at: &[f64; 5]) {
        let y = frame.y.px(row as f64);
        if at.iter().any(|v| !v.is_finite()) || !inside_rows(frame, y) {
            return;
        }
        let band = Look { opacity: 0.35, ..Look::flat(Token::Baseline) };
        let [p1, p10, p50, p90, p99] = at.map(|v| frame.x.inside(v));
        self.pen.rect(p1.min(p99), y - 5.0, p99.max(p1 + 0.5), y + 5.0, band);
        self.pen.rect(p10.min(p90), y - 5.0, p90.max(p10 + 0.5), y + 5.0, Look::flat(Token::Baseline));
        if (frame.x.min..=frame.x.max).contains(&at[2]) {
            self.pen.path(vec![(p50, y - 8.0), (p50, y + 8.0)], Look::flat(Token::Ink), 2.0);
        }
        // What reaches beyond the axis says so.
        if at[4] > frame.x.max {
            self.pen.text("→", (frame.plot.right() - 12.0, y - 7.0), HPos::Left, Type::QUIET.halo());
        }
        if at[0] < frame.x.min {
            self.pen.text("←", (frame.plot.x, y - 7.0), HPos::Left, Type::QUIET.halo());
        }
    }

    fn dot(&mut self, frame: &Frame, row: usize, x: f64, kind: Dot) {
        let y = frame.y.px(row as f64);
        if !x.is_finite() || !inside_rows(frame, y) {
            return;
        }
        let beyond = !(frame.x.min..=frame.x.max).contains(&x);
        let x = frame.x.inside(x);
        let ink = Look::flat(Token::Ink);
        match kind {
            Dot::Article => {
                let diamond = |r: f64| vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y), (x, y - r)];
                let inner = Look { opacity: if beyond { 0.0 } else { 1.0 }, ..Look::flat(Token::Paper) };
                self.pen.polygon(diamond(6.0), inner);
                self.pen.path(diamond(6.0), ink, 1.6);
            }
            Dot::ThisRun => {
                let (a, b) = (y + 6.5, y + 13.5);
                let triangle = vec![(x, a), (x + 5.0, b), (x - 5.0, b)];
                let edge = vec![(x, a), (x + 5.0, b), (x - 5.0, b), (x, a)];
                self.pen.path(edge, Look::flat(Token::Paper), 2.0);
                self.pen.polygon(triangle, Look::flat(Token::Retries));
            }
            Dot::Guess => {
                self.pen.path(vec![(x, y - 11.0), (x, y + 6.0)], ink, 2.0);
                self.pen.polygon(vec![(x, y - 6.0), (x - 5.5, y - 13.5), (x + 5.5, y - 13.5)], ink);
            }
        }
    }

    /// A row of a heat map. The colour is thin enough for ink to be read on it, in both themes.
    fn cells_of(&mut self, frame: &Frame, row: usize, paint: Paint, unit: &Unit, cells: &[HeatCell]) {
        let (top, bottom) = (frame.y.px(row as f64 - 0.5) + 1.0, frame.y.px(row as f64 + 0.5) - 1.0);
        if !inside_rows(frame, top) || !inside_rows(frame, bottom) {
            return;
        }
        for cell in cells {
            let Some((a, b)) = extent(frame, cell.x0, cell.x1) else { continue };
            let (a, b) = (a + 1.0, (b - 1.0).max(a + 2.0));
            let opacity = if cell.shade.is_finite() { 0.05 + 0.45 * cell.shade.clamp(0.0, 1.0) } else { 0.0 };
            // Paper first: the grid must not run through numbers.
            self.pen.rect(a, top, b, bottom, Look::flat(Token::Paper));
            self.pen.rect(a, top, b, bottom, Look { opacity, ..Look::flat(paint.token()) });
            if cell.here {
                let frame = vec![(a, top), (b, top), (b, bottom), (a, bottom), (a, top)];
                self.pen.path(frame, Look::flat(Token::Ink), 2.0);
            }
            let ty = if cell.here { Type::BOLD } else { Type { token: Token::Ink, ..Type::PLAIN } };
            let text = self.fit(&cell.text(unit, self.lang), b - a, ty);
            if !text.is_empty() {
                self.pen.text(&text, ((a + b) / 2.0, (top + bottom) / 2.0 + 4.0), HPos::Center, ty);
            }
        }
    }

    /// The panel's name and formula at its upper right.
    fn name(&mut self, panel: &Panel, frame: &Frame, ground: &mut Ground) {
        let plot = frame.plot;
        if let (YAxis::Names(_), Some(y)) = (&self.chart.y, frame.head) {
            let end = self.left(&panel.name, plot.x, y, plot.w, Type::BOLD);
            self.left(&panel.formula, plot.x + end + 10.0, y, plot.w - end - 10.0, Type::MONO);
            return;
        }
        let mut y = plot.y + 11.0;
        for (text, ty, line) in [(&panel.name, Type::BOLD, 15.0), (&panel.formula, Type::MONO, 15.0)] {
            if !text.is_empty() {
                let text = self.fit(text, plot.w, ty);
                let w = self.pen.measure(&text, ty);
                ground.put(text, w, (plot.right() - w, y, 0.0), HPos::Right, ty);
                y += line;
            }
        }
    }

    fn notes(&mut self, panel: &Panel, frame: &Frame, ground: &mut Ground) {
        for mark in &panel.marks {
            let Mark::Note { x, y, label, paint } = mark else { continue };
            if !(x.is_finite() && y.is_finite()) {
                continue;
            }
            let plot = frame.plot;
            let (x, y) = (frame.x.inside(*x), frame.y.inside(*y).clamp(plot.y, plot.bottom() - 4.0));
            let label = self.fit(label, plot.w - 16.0, Type::BOLD);
            let w = self.pen.measure(&label, Type::BOLD);
            // Right of the mark; where that would be cut or covered, left of it, or a little lower.
            let mut places = Vec::with_capacity(8);
            for (k, dy) in [0.0, 14.0, 28.0, -14.0].into_iter().enumerate() {
                let cost = 4.0 * k as f64;
                if x + 13.0 + w <= ground.right {
                    places.push((x + 13.0, y + dy + 4.0, cost));
                }
                if x - 13.0 - w >= plot.x {
                    places.push((x - 13.0 - w, y + dy + 4.0, cost + 3.0));
                }
            }
            if places.is_empty() {
                // Too long for either side: above or below, and without an arrow.
                places.extend([(x - w / 2.0, y - 6.0, 0.0), (x - w / 2.0, y + 16.0, 1.0)]);
            }
            let Some(place) = ground.best(w, &places, None) else { continue };
            if place.0 <= x && x <= place.0 + w {
                let side = ground.side(place.0, w);
                ground.put(label, w, place, side, Type::BOLD);
                continue;
            }
            let left = place.0 > x;
            let (tip, base) = if left { (x + 3.0, x + 10.0) } else { (x - 3.0, x - 10.0) };
            // The tip stays at the point, wherever the words had to go.
            let beside = place.1 - 4.0;
            self.pen.polygon(vec![(tip, y), (base, beside - 4.0), (base, beside + 4.0)], Look::flat(paint.token()));
            let arrow = Rect { x: tip.min(base), y: y.min(beside) - 5.0, w: 7.0, h: (beside - y).abs() + 10.0 };
            ground.boxes.push(arrow);
            ground.put(label, w, place, if left { HPos::Left } else { HPos::Right }, Type::BOLD);
        }
    }

    /// Values of what was cut at the top.
    fn cut_values(&mut self, frame: &Frame, cuts: &[Cut], ground: &mut Ground) {
        let YAxis::Number(axis) = &self.chart.y else { return };
        let highest = cuts.iter().map(|c| c.2).fold(f64::MIN, f64::max);
        let mut order: Vec<&Cut> = cuts.iter().collect();
        sort_by_number(&mut order, |cut| -cut.2);
        for &&(a, b, value) in &order {
            let text = String::from("↑ ") + &tick_text(value, usize::from(axis.unit.decimals), self.lang);
            let w = self.pen.measure(&text, Type::PLAIN);
            let y = frame.plot.y + 8.0;
            let mut places = Vec::new();
            for (k, y) in [y, y + 14.0, y + 28.0].into_iter().enumerate() {
                places.push((b + 4.0, y, 4.0 * k as f64));
                places.push((a - 4.0 - w, y, 4.0 * k as f64 + 3.0));
            }
            let Some(place) = ground.best(w, &places, None) else { continue };
            // The highest is always named, the others where there is room.
            if value == highest || place.2 < 14.0 {
                let side = if place.0 > a { HPos::Left } else { HPos::Right };
                ground.put(text, w, place, side, Type::PLAIN);
            }
        }
    }

    /// Names of thresholds, spans and lines.
    fn labels(&mut self, panel: &Panel, frame: &Frame, ground: &mut Ground) {
        let plot = frame.plot;
        for mark in &panel.marks {
            if let Mark::Span { x0, x1, label, .. } = mark
                && let Some((a, b)) = extent(frame, *x0, *x1)
                && !label.is_empty()
            {
                let label = self.fit(label, plot.w, Type::PLAIN);
                let w = self.pen.measure(&label, Type::PLAIN);
                let mut places = Vec::new();
                for (k, y) in [11.0, 25.0, 39.0].into_iter().enumerate() {
                    // Beside a span that is narrower: within, it would hide the span's own edges.
                    let narrow = b - a < w + 8.0;
                    let cost = 3.0 * k as f64 + if narrow { 4.0 } else { 0.0 };
                    places.push((a + 4.0, plot.y + y, cost));
                    if narrow && b + 4.0 + w <= plot.right() {
                        places.push((b + 4.0, plot.y + y, cost - 4.0));
                    }
                    if a - 4.0 - w >= plot.x {
                        places.push((a - 4.0 - w, plot.y + y, cost + 6.0));
                    }
                }
                if let Some(place) = ground.best(w, &places, None) {
                    ground.put(label, w, place, HPos::Left, Type::PLAIN);
                }
            }
        }
        for mark in &panel.marks {
            let Mark::Threshold { y, label } = mark else { continue };
            if label.is_empty() || !y.is_finite() {
                continue;
            }
            let beyond = *y > frame.y.max;
            let text = if beyond { String::from("↑ ") + label } else { label.clone() };
            let label = self.fit(&text, plot.w, Type::PLAIN);
            let w = self.pen.measure(&label, Type::PLAIN);
            let y = frame.y.inside(*y);
            let mut places = Vec::new();
            for k in 0..=24 {
                let x = plot.right() - w - 4.0 - (plot.w - w - 8.0).max(0.0) * f64::from(k) / 24.0;
                places.push((x, if beyond { plot.y + 8.0 } else { y - 5.0 }, 0.35 * f64::from(k)));
                places.push((x, if beyond { plot.y + 24.0 } else { y + 13.0 }, 3.0 + 0.35 * f64::from(k)));
            }
            if let Some(place) = ground.best(w, &places, None) {
                let side = ground.side(place.0, w);
                ground.put(label, w, place, side, Type::PLAIN);
            }
        }
        // Bars, lines and dots were entered in this order.
        let entered =
            panel.marks.iter().filter(|m| matches!(m, Mark::Bars { .. } | Mark::Line { .. } | Mark::Dots { .. }));
        for (own, mark) in entered.enumerate() {
            let Mark::Line { points, name, step, .. } = mark else { continue };
            if name.is_empty() {
                continue;
            }
            let name = self.fit(name, plot.w, Type::BOLD);
            let w = self.pen.measure(&name, Type::BOLD);
            let parts = line_parts(frame, points, *step);
            let places = line_places(&parts, w, ground, own, &plot);
            if let Some(place) = ground.best(w, &places, Some(own)) {
                self.leader(&parts, w, place);
                let side = ground.side(place.0, w);
                ground.put(name, w, place, side, Type::BOLD);
            }
        }
    }

    /// A thin line from a name to the line that it names, where it stands so far off that it could be any other's.
    fn leader(&mut self, parts: &[Vec<(f64, f64)>], w: f64, (x, y, _): Place) {
        const FAR: f64 = 26.0;
        let middle = y - ASCENT / 2.0;
        let from = |p: (f64, f64)| (p.0.clamp(x, x + w), middle + (p.1 - middle).clamp(-0.6 * ASCENT, 0.6 * ASCENT));
        let off = |p: &(f64, f64)| distance(*p, from(*p));
        let near = parts.iter().flatten().copied().min_by(|a, b| off(a).total_cmp(&off(b)));
        if let Some(to) = near.filter(|to| off(to) > FAR) {
            self.pen.path(vec![from(to), to], Look::flat(Token::Ink3), 0.75);
        }
    }

    /// The numbers beside or above the panel.
    fn cells(&mut self, panel: &Panel, frame: &Frame, i: usize) {
        let geo = self.geo;
        let plot = frame.plot;
        if !geo.columns.is_empty() {
            for (&(right, w), cell) in geo.columns.iter().zip(&panel.cells) {
                let notes = self.wrap(&cell.note, w - 8.0, Type::QUIET);
                // Value and note together stand in the middle of the plot.
                let y = plot.y + plot.h / 2.0 + if notes.is_empty() { 5.0 } else { -1.0 };
                self.right(&cell.value, right, y, w - 4.0, Type::BIG);
                for (k, line) in notes.iter().enumerate() {
                    self.pen.text(line, (right, y + 16.0 + 14.0 * k as f64), HPos::Right, Type::QUIET);
                }
            }
            if let (Some(next), Some((right, w))) = (geo.frames.get(i + 1), geo.columns.first()) {
                let y = crisp((plot.bottom() + next.plot.y) / 2.0);
                self.pen.path(vec![(right - w + 4.0, y), (geo.width, y)], Look::flat(Token::Rule), 1.0);
            }
        } else if let Some(y) = frame.head {
            let named = matches!(self.chart.y, YAxis::Names(_));
            let used =
                if named && !panel.name.is_empty() { self.pen.measure(&panel.name, Type::BOLD) + 12.0 } else { 0.0 };
            let room = plot.w - used;
            // With notes where they fit, else without, else without headings.
            let mut line = String::new();
            for (headings, notes) in [(true, true), (true, false), (false, false)] {
                line = cells_line(&self.chart.columns, panel, headings, notes);
                if self.pen.measure(&line, Type::PLAIN) <= room {
                    break;
                }
            }
            self.left(&line, plot.x + used, y, room, Type::PLAIN);
        }
    }

    /// A text from `x` on, at most `room` wide. Returns its width.
    fn left(&mut self, text: &str, x: f64, y: f64, room: f64, ty: Type) -> f64 {
        let text = self.fit(text, room, ty);
        if text.is_empty() {
            return 0.0;
        }
        self.pen.text(&text, (x, y), HPos::Left, ty);
        self.pen.measure(&text, ty)
    }

    /// A text that ends at `x`, at most `room` wide.
    fn right(&mut self, text: &str, x: f64, y: f64, room: f64, ty: Type) {
        let text = self.fit(text, room, ty);
        if !text.is_empty() {
            self.pen.text(&text, (x, y), HPos::Right, ty);
        }
    }

    /// `text`, shortened to `room`.
    fn fit(&mut self, text: &str, room: f64, ty: Type) -> String {
        if self.pen.measure(text, ty) <= room {
            return text.to_owned();
        }
        let mut out: String = text.to_owned();
        while out.pop().is_some() {
            let short = String::from(out.trim_end()) + "…";
            if self.pen.measure(&short, ty) <= room {
                return short;
            }
        }
        String::new()
    }

    /// `text` in one line, or in two.
    fn wrap(&mut self, text: &str, room: f64, ty: Type) -> Vec<String> {
        if text.is_empty() {
            return Vec::new();
        }
        if self.pen.measure(text, ty) <= room {
            return vec![text.to_owned()];
        }
        let mut split = None;
        for (at, _) in text.match_indices(' ') {
            if self.pen.measure(&text[..at], ty) <= room {
                split = Some(at);
            }
        }
        match split {
            Some(at) => vec![text[..at].to_owned(), self.fit(&text[at + 1..], room, ty)],
            None => vec![self.fit(text, room, ty)],
        }
    }
}

/// Lines on the middle of a pixel are one pixel wide, not two half ones.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// The visible part of a stretch along x, in pixels.
fn extent(frame: &Frame, x0: f64, x1: f64) -> Option<(f64, f64)> {
    let (low, high) = (x0.min(x1), x0.max(x1));
    let seen = low.is_finite() && high.is_finite() && high >= frame.x.min && low <= frame.x.max;
    seen.then(|| (frame.x.inside(low), frame.x.inside(high)))
}

/// Where a level lies, unless it is outside.
fn inside_y(frame: &Frame, y: f64) -> Option<f64> {
    (y >= frame.y.min && y <= frame.y.max).then(|| frame.y.px(y))
}

fn inside_rows(frame: &Frame, y: f64) -> bool {
    y >= frame.plot.y && y <= frame.plot.bottom()
}

/// Points of an area's edge in pixels: what leaves the plot at the top or bottom runs along its border.
fn clamped(frame: &Frame, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let plot = frame.plot;
    // Left and right, the edge is cut where it crosses the border.
    let tall = Rect { y: -1e9, h: 2e9, ..plot };
    let px: Vec<_> = points.iter().map(|p| near(frame.x.px(p.0), frame.y.px(p.1))).collect();
    let mut out: Vec<(f64, f64)> = Vec::new();
    for pair in px.windows(2) {
        if let Some((a, b)) = clip(&tall, pair[0], pair[1]) {
            // A crossing of the upper or lower border is a corner of the outline.
            let flat = |y: f64| y.clamp(plot.y, plot.bottom());
            push(&mut out, (a.0, flat(a.1)));
            for border in [plot.y, plot.bottom()] {
                let t = (border - a.1) / (b.1 - a.1);
                if t > 0.0 && t < 1.0 {
                    push(&mut out, (a.0 + (b.0 - a.0) * t, border));
                }
            }
            push(&mut out, (b.0, flat(b.1)));
        }
    }
    out
}

/// Keeps what overflows within reach of arithmetic.
fn near(x: f64, y: f64) -> (f64, f64) {
    (x.clamp(-1e7, 1e7), y.clamp(-1e7, 1e7))
}

fn push(out: &mut Vec<(f64, f64)>, p: (f64, f64)) {
    // Points closer than what can be seen only cost.
    if out.last().is_none_or(|l| (l.0 - p.0).abs() >= 0.2 || (l.1 - p.1).abs() >= 0.2) {
        out.push(p);
    }
}

/// The visible parts of a line, in pixels. A part of one point is a lone point.
fn line_parts(frame: &Frame, points: &[(f64, f64)], step: bool) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    for run in points.split(|p| !(p.0.is_finite() && p.1.is_finite())) {
        let mut px: Vec<(f64, f64)> = Vec::with_capacity(run.len());
        for p in run {
            let at = near(frame.x.px(p.0), frame.y.px(p.1));
            if step && let Some(&(_, y)) = px.last() {
                push(&mut px, (at.0, y));
            }
            push(&mut px, at);
        }
        if let [only] = px[..] {
            if frame.plot.contains(only.0, only.1) {
                parts.push(px);
            }
            continue;
        }
        let mut part: Vec<(f64, f64)> = Vec::new();
        for pair in px.windows(2) {
            let Some((a, b)) = clip(&frame.plot, pair[0], pair[1]) else { continue };
            if part.last().is_some_and(|l| (l.0 - a.0).abs() + (l.1 - a.1).abs() > 0.3) {
                parts.push(std::mem::take(&mut part));
            }
            push(&mut part, a);
            push(&mut part, b);
        }
        if part.len() > 1 {
            parts.push(part);
        }
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// The part of a segment inside `area` (Liang and Barsky).
fn clip(area: &Rect, a: (f64, f64), b: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (p, q) in [(-dx, a.0 - area.x), (dx, area.right() - a.0), (-dy, a.1 - area.y), (dy, area.bottom() - a.1)] {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            from = from.max(q / p);
        } else {
            to = to.min(q / p);
        }
    }
    (from <= to).then_some(((a.0 + dx * from, a.1 + dy * from), (a.0 + dx * to, a.1 + dy * to)))
}

/// Where the name of a line may stand: at its end, else somewhere along it.
fn line_places(parts: &[Vec<(f64, f64)>], w: f64, ground: &Ground, own: usize, plot: &Rect) -> Vec<Place> {
    let mut places = Vec::new();
    let Some(end) = parts.last().and_then(|p| p.last()) else { return places };
    const SHARED: f64 = 10.0;
    let cost = if ground.shared(own, end.0 - 1.0, end.1) { SHARED } else { 0.0 };
    if end.0 + 6.0 + w <= ground.right {
        places.push((end.0 + 6.0, end.1 + 4.0, cost));
    }
    places.push((end.0 - w - 4.0, end.1 - 7.0, cost + 1.0));
    places.push((end.0 - w - 4.0, end.1 + 15.0, cost + 1.5));
    let length: f64 = parts.iter().flat_map(|p| p.windows(2)).map(|s| distance(s[0], s[1])).sum();
    const STOPS: usize = 28;
    let mut passed = 0.0;
    let mut next = 1;
    for s in parts.iter().flat_map(|p| p.windows(2)) {
        let l = distance(s[0], s[1]);
        while next < STOPS && l > 0.0 && passed + l >= length * next as f64 / STOPS as f64 {
            let t = (length * next as f64 / STOPS as f64 - passed) / l;
            let (x, y) = (s[0].0 + (s[1].0 - s[0].0) * t, s[0].1 + (s[1].1 - s[0].1) * t);
            // The end is best, the very beginning worst.
            let cost =
                3.0 + 2.0 * (1.0 - next as f64 / STOPS as f64) + if ground.shared(own, x, y) { SHARED } else { 0.0 };
            places.push((x - w / 2.0, y - 7.0, cost));
            places.push((x + 7.0, y + 15.0, cost + 0.2));
            places.push((x - w - 7.0, y - 6.0, cost + 0.2));
            places.push((x + 8.0, y + 4.0, cost + 0.4));
            places.push((x - w / 2.0, y + 16.0, cost + 0.6));
            next += 1;
        }
        passed += l;
    }
    // Where all is taken: under one another at the right edge.
    for k in 0..(plot.h / LINE) as usize {
        places.push((plot.right() - w, plot.y + 11.0 + LINE * k as f64, 20.0 + k as f64));
    }
    places
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// "5,500 calls · retry peak 900 · all done 32.7 s": headings only where the value does not say it itself.
fn cells_line(columns: &[String], panel: &Panel, headings: bool, notes: bool) -> String {
    let mut out = String::new();
    for (i, cell) in panel.cells.iter().enumerate().filter(|(_, c)| !c.value.is_empty()) {
        if !out.is_empty() {
            out.push_str(" · ");
        }
        let heading = columns.get(i).map_or("", String::as_str);
        if headings && !cell.value.contains(heading) {
            out.push_str(heading);
            out.push(' ');
        }
        out.push_str(&cell.value);
        if notes && !cell.note.is_empty() {
            out.push_str(" (");
            out.push_str(&cell.note);
            out.push(')');
        }
    }
    out
}
