//! Charts as tables: for readers, for spreadsheets, for the crosshair.

use crate::geometry::panel_axis;
use crate::{Axis, Bar, Chart, HeatCell, Lang, Mark, Panel, Text, Unit, YAxis, sort_by_number, sort_by_numbers, text};

/// A chart as a table. The first cell of each row is the row's heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The chart's finding and what it shows.
    pub caption: String,
    /// One heading a column.
    pub head: Vec<String>,
    /// As many cells as there are headings; empty where there is no value.
    pub rows: Vec<Vec<String>>,
}

/// One column of values.
struct Column {
    /// The panel it belongs to; `None` where panels are rows.
    panel: Option<usize>,
    name: String,
    unit: Unit,
    /// A level: the same value in each row.
    level: bool,
}

/// One value: the panel (0 where panels are columns), x or row, which of several at the same place, column, value.
struct Value {
    panel: usize,
    x: f64,
    nth: u32,
    column: usize,
    value: f64,
}

/// What a chart shows, in rows and columns, before anything is written.
struct Grid {
    columns: Vec<Column>,
    /// Panel, x or row, one value or none a column.
    rows: Vec<(usize, f64, Vec<Option<f64>>)>,
    /// Panels are rows, in a first column of their own: their horizontal axes differ.
    long: bool,
}

impl Chart {
    /// The chart as a table: every value it shows.
    ///
    /// Rows ascend in x; panels that share the axis are columns, panels with axes of their own are rows. Named rows
    /// stay rows. What has no x (levels, spans, notes, numbers beside panels) follows at the end. Where
    /// rounded rows would read the same, the first and the last stand for them: nobody reads 800 rows. The CSV has all.
    pub fn table(&self, lang: Lang) -> Table {
        let grid = self.grid(lang);
        let offset = if grid.long { 2 } else { 1 };
        let mut head = Vec::with_capacity(offset + grid.columns.len());
        if grid.long {
            head.push(self.name_of_panels(lang));
        }
        head.push(self.name_of_rows(lang));
        // Levels get a row of their own: a column would repeat them.
        let shown: Vec<usize> = (0..grid.columns.len()).filter(|&i| !grid.columns[i].level).collect();
        head.extend(shown.iter().map(|&i| self.heading(&grid.columns[i])));
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(grid.rows.len());
        for (panel, x, values) in &grid.rows {
            let mut row = Vec::with_capacity(head.len());
            if grid.long {
                row.push(self.panels[*panel].name.clone());
            }
            row.push(match &self.y {
                YAxis::Names(names) => names.get(*x as usize).cloned().unwrap_or_default(),
                YAxis::Number(_) => self.axis_of(*panel, grid.long).unit.number(*x, lang),
            });
            row.extend(shown.iter().map(|&i| {
                let column = &grid.columns[i];
                let said = self.said(*x, column).map(str::to_owned);
                said.or_else(|| Some(column.unit.number(values[i]?, lang))).unwrap_or_default()
            }));
            rows.push(row);
        }
        // Named rows are things of their own, however alike.
        let all = rows.len();
        if matches!(self.y, YAxis::Number(_)) {
            rows = shorter(rows, offset, grid.long);
        }
        let mut caption = self.title.clone();
        if !self.note.is_empty() {
            caption = format!("{caption}. {}", self.note);
        }
        if rows.len() < all {
            caption = format!("{}. {}", caption.trim_end_matches('.'), SHORTER.get(lang));
        }
        let start = rows.len();
        self.extras(lang, &grid, start, &shown, &mut head, &mut rows);
        Table { caption, head, rows }
    }

    /// The word in a heat map's cell.
    fn said(&self, row: f64, column: &Column) -> Option<&str> {
        let panels = self.panels.iter().enumerate().filter(|(i, _)| column.panel.is_none_or(|own| own == *i));
        let mut cells = panels.flat_map(|(_, panel)| &panel.marks).filter_map(|mark| match mark {
            Mark::Cells { row: own, cells, .. } if *own as f64 == row => cells.iter().find(|c| c.name == column.name),
            _ => None,
        });
        cells.next().map(HeatCell::reading).filter(|said| !said.is_empty())
    }

    /// What has no place along x, as rows at the end.
    /// `start`: where they begin, so that a label is never taken for a place along x.
    fn extras(
        &self,
        lang: Lang,
        grid: &Grid,
        start: usize,
        shown: &[usize],
        head: &mut Vec<String>,
        rows: &mut Vec<Vec<String>>,
    ) {
        // Label, panel, text.
        let mut extras: Vec<(String, usize, String)> = Vec::new();
        for (i, panel) in self.panels.iter().enumerate() {
            let axis = panel_axis(self, panel);
            for mark in &panel.marks {
                let (label, text) = match mark {
                    Mark::Threshold { y, label } => (self.level_name(*y, label), self.y_unit().write(*y, lang)),
                    Mark::Span { x0, x1, label, .. } => (self.span_name(*x0, label), range(&axis.unit, *x0, *x1, lang)),
                    Mark::Note { x, y, label, .. } => {
                        (label.clone(), [axis.unit.write(*x, lang), self.y_unit().write(*y, lang)].join(": "))
                    }
                    _ => continue,
                };
                // What has no name anywhere is decoration.
                if !label.is_empty() {
                    extras.push((label, i, text));
                }
            }
        }
        for (k, heading) in self.columns.iter().enumerate() {
            for (i, panel) in self.panels.iter().enumerate() {
                let Some(cell) = panel.cells.get(k).filter(|c| !c.value.is_empty()) else { continue };
                let note = if cell.note.is_empty() { String::new() } else { format!(" ({})", cell.note) };
                extras.push((heading.clone(), i, cell.value.clone() + &note));
            }
        }
        if extras.is_empty() {
            return;
        }
        let offset = if grid.long { 2 } else { 1 };
        if head.len() == offset {
            head.push(self.heading_of_y());
        }
        for (label, panel, text) in extras {
            // The first column of the panel.
            let at = shown.iter().position(|&i| grid.columns[i].panel.is_none_or(|p| p == panel)).unwrap_or(0) + offset;
            // The same label in another panel goes into the same row.
            let same = |row: &Vec<String>| row[0] == label && row[at].is_empty();
            if !grid.long
                && let Some(row) = rows[start..].iter_mut().find(|row| same(row))
            {
                row[at] = text;
                continue;
            }
            let mut row = vec![String::new(); head.len()];
            if grid.long {
                row[0] = self.panels[panel].name.clone();
                row[1] = label;
            } else {
                row[0] = label;
            }
            row[at] = text;
            rows.push(row);
        }
    }

    /// The chart as comma-separated values (RFC 4180): numbers with a point and as they are, not rounded; levels are
    /// columns; units in the headings.
    pub fn csv(&self) -> String {
        let grid = self.grid(Lang::En);
        let mut out = String::new();
        let mut head = Vec::new();
        if grid.long {
            head.push(String::from("panel"));
        }
        head.push(match &self.y {
            YAxis::Names(_) => String::from("row"),
            YAxis::Number(_) => with_unit(&self.x.title, &self.x.unit),
        });
        head.extend(grid.columns.iter().map(|c| with_unit(&self.heading(c), &c.unit)));
        record(&mut out, head);
        for (panel, x, values) in &grid.rows {
            let mut row = Vec::with_capacity(values.len() + 2);
            if grid.long {
                row.push(self.panels[*panel].name.clone());
            }
            row.push(match &self.y {
                YAxis::Names(names) => names.get(*x as usize).cloned().unwrap_or_default(),
                YAxis::Number(_) => plain(*x),
            });
            row.extend(values.iter().zip(&grid.columns).map(|(value, column)| {
                let said = self.said(*x, column).map(str::to_owned);
                said.or_else(|| value.map(plain)).unwrap_or_default()
            }));
            record(&mut out, row);
        }
        out
    }

    /// The positions in panel `panel` that a crosshair steps through, ascending: the middle of each bar, each point;
    /// the rows of a named axis. Panels that share the horizontal axis share the stops.
    pub fn stops(&self, panel: usize) -> Vec<f64> {
        if let YAxis::Names(names) = &self.y {
            return (0..names.len()).map(|row| row as f64).collect();
        }
        let Some(own) = self.panels.get(panel) else { return Vec::new() };
        let axis = panel_axis(self, own);
        let mut out = Vec::new();
        for other in self.together(own) {
            for mark in &other.marks {
                match mark {
                    Mark::Bars { bars, .. } => out.extend(bars.iter().map(|b| (b.x0 + b.x1) / 2.0)),
                    Mark::Line { points, .. } | Mark::Dots { points, .. } => out.extend(points.iter().map(|p| p.0)),
                    Mark::Area { points, .. } => out.extend(points.iter().map(|p| p.0)),
                    Mark::Lane { at, .. } => out.extend(at.iter().map(|a| a.0)),
                    _ => {}
                }
            }
        }
        out.retain(|x| *x >= axis.min && *x <= axis.max);
        sort_by_number(&mut out, |&x| x);
        // The middles of equal bars differ by rounding.
        let near = (axis.max - axis.min) * 1e-9;
        out.dedup_by(|a, b| (*a - *b).abs() <= near);
        out
    }

    /// The stop of panel `panel` nearest to `position`.
    pub fn nearest(&self, panel: usize, position: f64) -> Option<f64> {
        let stops = self.stops(panel);
        let log = self.panels.get(panel).is_some_and(|p| panel_axis(self, p).log);
        let away = |x: f64| if log { (x / position).ln().abs() } else { (x - position).abs() };
        stops.into_iter().min_by(|a, b| away(*a).total_cmp(&away(*b)))
    }

    /// What the chart says at the stop nearest to `position` in panel `panel`: the place itself, then every series of
    /// every panel that shares the axis. Of stacked bars the height, not the top.
    pub fn readout(&self, panel: usize, position: f64, lang: Lang) -> Vec<(String, String)> {
        let mut out = Vec::new();
        let Some(at) = self.nearest(panel, position) else { return out };
        if let YAxis::Names(names) = &self.y {
            let row = at as usize;
            out.push((String::new(), names.get(row).cloned().unwrap_or_default()));
            for (i, p) in self.panels.iter().enumerate() {
                let unit = &panel_axis(self, p).unit;
                for mark in &p.marks {
                    let (name, value) = match mark {
                        Mark::Spread { row: r, name, at } if *r == row => (
                            name,
                            [unit.number(at[0], lang), unit.number(at[2], lang), unit.write(at[4], lang)].join(" – "),
                        ),
                        Mark::Dot { row: r, name, x, .. } if *r == row => (name, unit.write(*x, lang)),
                        Mark::Bars { name, bars, .. } => {
                            let mine = bars.iter().filter(|b| row_of(b) == row);
                            let all: Vec<_> = mine.map(|b| range(unit, b.x0, b.x1, lang)).collect();
                            if all.is_empty() {
                                continue;
                            }
                            (name, all.join(", "))
                        }
                        Mark::Cells { row: r, unit, cells, .. } if *r == row => {
                            let said = |c: &HeatCell| {
                                if c.said.is_empty() { unit.write(c.value, lang) } else { c.reading().into() }
                            };
                            out.extend(cells.iter().map(|c| (c.name.clone(), said(c))));
                            continue;
                        }
                        _ => continue,
                    };
                    out.push((self.full_name(Some(i), name), value));
                }
            }
            return out;
        }
        let Some(own) = self.panels.get(panel) else { return out };
        let axis = panel_axis(self, own);
        let unit = self.y_unit();
        let bar = self.together(own).flat_map(|p| &p.marks).find_map(|mark| match mark {
            Mark::Bars { bars, .. } => bars.iter().find(|b| b.x0 <= at && at < b.x1),
            _ => None,
        });
        let place = bar.map_or_else(|| axis.unit.write(at, lang), |b| range(&axis.unit, b.x0, b.x1, lang));
        out.push((axis.title.clone(), place));
        for (i, p) in self.panels.iter().enumerate() {
            if p.x != own.x {
                continue;
            }
            for mark in &p.marks {
                let (name, value) = match mark {
                    Mark::Bars { name, bars, .. } => {
                        let here = bars.iter().filter(|b| b.x0 <= at && at < b.x1);
                        (name, unit.write(here.map(|b| b.y1 - b.y0).sum::<f64>() + 0.0, lang))
                    }
                    Mark::Line { name, points, step, .. } => {
                        let Some(y) = line_at(points, *step, at) else { continue };
                        (name, unit.write(y, lang))
                    }
                    Mark::Dots { name, points, .. } => {
                        // The top of the stack that stands here.
                        let here = points.iter().filter(|p| p.0 == at).map(|p| p.1).reduce(f64::max);
                        let Some(top) = here else { continue };
                        (name, unit.write(top, lang))
                    }
                    Mark::Area { name, points, .. } => {
                        let edge = |of: fn(&(f64, f64, f64)) -> f64| {
                            let edge: Vec<_> = points.iter().map(|p| (p.0, of(p))).collect();
                            line_at(&edge, false, at)
                        };
                        let (Some(low), Some(high)) = (edge(|p| p.1), edge(|p| p.2)) else { continue };
                        (name, range(unit, low, high, lang))
                    }
                    Mark::Lane { at: all, name, label, lane, .. } => {
                        // To the end, unless the next one begins there.
                        let here = all.iter().rev().find(|a| a.0 <= at && (at < a.1 || a.0 == at));
                        let Some(&(from, to)) = here else { continue };
                        let said =
                            if from == to { axis.unit.write(from, lang) } else { range(&axis.unit, from, to, lang) };
                        out.push((self.full_name(Some(i), lane_name(p, *lane, label, name)), said));
                        continue;
                    }
                    _ => continue,
                };
                out.push((self.series_name(Some(i), name), value));
            }
        }
        out
    }

    /// The chart in words, for those who cannot see it: its summary where it has one of its own, else its title and what
    /// stands out, the greatest value of each series and where it is, or the first rows of named ones.
    pub fn spoken(&self, lang: Lang) -> String {
        /// More would be a table, and that is there too.
        const MOST: usize = 6;
        if self.summary != self.title {
            return self.summary.clone();
        }
        let mut parts = Vec::new();
        if matches!(self.y, YAxis::Names(_)) {
            for row in self.stops(0).into_iter().take(MOST) {
                let mut said = self.readout(0, row, lang).into_iter();
                let name = said.next().map_or(String::new(), |(_, name)| name);
                let values: Vec<_> = said.map(|(name, value)| [name, value].join(" ").trim().to_owned()).collect();
                parts.push([name, values.join(", ")].join(": "));
            }
        }
        for (i, panel) in self.panels.iter().enumerate() {
            let axis = panel_axis(self, panel);
            for mark in &panel.marks {
                let (name, top) = match mark {
                    Mark::Line { name, points, .. } | Mark::Dots { name, points, .. } => {
                        (name, greatest(points.iter().copied()))
                    }
                    Mark::Bars { name, bars, .. } if matches!(self.y, YAxis::Number(_)) => {
                        let stacks = bars.chunk_by(|a, b| a.x0 == b.x0);
                        (name, greatest(stacks.map(|s| (s[0].x0, s.iter().map(|b| b.y1 - b.y0).sum()))))
                    }
                    _ => continue,
                };
                let (Some((x, y)), true) = (top, parts.len() < MOST) else { continue };
                let (name, x) = (self.series_name(Some(i), name), axis.unit.write(x, lang));
                let y = self.y_unit().write(y, lang);
                parts.push(match lang {
                    Lang::En => format!("{name}: at most {y}, at {x}"),
                    Lang::Vi => format!("{name}: cao nhất {y}, tại {x}"),
                });
            }
        }
        let mut out = self.title.clone();
        for part in parts {
            out.push_str("; ");
            out.push_str(&part);
        }
        out
    }

    /// The panels that share the horizontal axis with `own`, itself included.
    fn together<'a>(&'a self, own: &'a Panel) -> impl Iterator<Item = &'a Panel> {
        self.panels.iter().filter(|p| p.x == own.x)
    }

    fn axis_of(&self, panel: usize, long: bool) -> &Axis {
        if long { self.panels.get(panel).map_or(&self.x, |p| panel_axis(self, p)) } else { &self.x }
    }

    fn y_unit(&self) -> &Unit {
        match &self.y {
            YAxis::Number(axis) => &axis.unit,
            YAxis::Names(_) => &self.x.unit,
        }
    }

    /// The name of a level. One without a label has that of the same level in another panel.
    fn level_name(&self, level: f64, label: &str) -> String {
        let same = self.panels.iter().flat_map(|p| &p.marks).find_map(|mark| match mark {
            Mark::Threshold { y, label } if *y == level && !label.is_empty() => Some(label.clone()),
            _ => None,
        });
        if label.is_empty() { same.unwrap_or_else(|| self.heading_of_y()) } else { label.to_owned() }
    }

    /// The name of a span. One without a label has that of the span that begins with it in another panel.
    fn span_name(&self, from: f64, label: &str) -> String {
        let same = self.panels.iter().flat_map(|p| &p.marks).find_map(|mark| match mark {
            Mark::Span { x0, label, .. } if *x0 == from && !label.is_empty() => Some(label.clone()),
            _ => None,
        });
        if label.is_empty() { same.unwrap_or_default() } else { label.to_owned() }
    }

    fn heading_of_y(&self) -> String {
        match &self.y {
            YAxis::Number(axis) => axis.title.clone(),
            YAxis::Names(_) => self.x.title.clone(),
        }
    }

    fn name_of_rows(&self, lang: Lang) -> String {
        match &self.y {
            YAxis::Names(_) => String::from(if lang == Lang::En { "Row" } else { "Hàng" }),
            YAxis::Number(_) => self.x.title.clone(),
        }
    }

    fn name_of_panels(&self, lang: Lang) -> String {
        String::from(if lang == Lang::En { "Panel" } else { "Phần" })
    }

    /// "Full jitter: answered".
    fn full_name(&self, panel: Option<usize>, name: &str) -> String {
        let own = panel.filter(|_| self.panels.len() > 1).and_then(|i| self.panels.get(i));
        let of = match own {
            // Panels without a name are told apart by their axes.
            Some(panel) if panel.name.is_empty() => panel.x.as_ref().map_or("", |axis| axis.title.as_str()),
            Some(panel) => panel.name.as_str(),
            None => "",
        };
        if of.is_empty() || name.is_empty() { [of, name].concat() } else { [of, name].join(": ") }
    }

    fn heading(&self, column: &Column) -> String {
        self.series_name(column.panel, &column.name)
    }

    /// As [`full_name`](Self::full_name); a series without a name is what the vertical axis counts.
    fn series_name(&self, panel: Option<usize>, name: &str) -> String {
        let full = self.full_name(panel, name);
        if full.is_empty() { self.heading_of_y() } else { full }
    }

    fn grid(&self, lang: Lang) -> Grid {
        let words = match lang {
            Lang::En => ["from", "to", "low", "high"],
            Lang::Vi => ["từ", "đến", "dưới", "trên"],
        };
        let named = matches!(self.y, YAxis::Names(_));
        let long = !named && self.panels.len() > 1 && self.panels.iter().any(|p| p.x.is_some());
        let mut columns: Vec<Column> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for (i, panel) in self.panels.iter().enumerate() {
            let x_unit = panel_axis(self, panel).unit;
            let unit = if named { x_unit } else { *self.y_unit() };
            let in_unit = |columns: &mut Vec<Column>, name: String, unit: Unit, fresh: bool, level: bool| {
                let home = (!long).then_some(i);
                let known =
                    columns.iter().position(|c| !fresh && c.panel == home && c.name == name && c.level == level);
                known.unwrap_or_else(|| {
                    columns.push(Column { panel: home, name, unit, level });
                    columns.len() - 1
                })
            };
            let of = |columns: &mut Vec<Column>, name: String, fresh: bool, level: bool| {
                in_unit(columns, name, unit, fresh, level)
            };
            let row = if long { i } else { 0 };
            for mark in &panel.marks {
                // Two lines of one name are two columns; marks in named rows share theirs.
                let fresh = !named && !long;
                let mut add = |x: f64, column: usize, value: f64| {
                    if !(x.is_finite() && value.is_finite()) {
                        return;
                    }
                    let before = values.iter().rev().take_while(|v| v.panel == row && v.x == x);
                    let nth = before.filter(|v| v.column == column).count() as u32;
                    values.push(Value { panel: row, x, nth, column, value });
                };
                match mark {
                    Mark::Bars { name, bars, .. } if named => {
                        let from = of(&mut columns, [name, words[0]].join(" "), fresh, false);
                        let to = of(&mut columns, [name, words[1]].join(" "), fresh, false);
                        for bar in bars {
                            add(row_of(bar) as f64, from, bar.x0);
                            add(row_of(bar) as f64, to, bar.x1);
                        }
                    }
                    Mark::Bars { name, bars, .. } => {
                        let column = of(&mut columns, name.clone(), fresh, false);
                        for stack in bars.chunk_by(|a, b| a.x0 == b.x0) {
                            // Rounds of one stretch count together.
                            add(stack[0].x0, column, stack.iter().map(|b| b.y1 - b.y0).sum());
                        }
                    }
                    Mark::Line { name, points, .. } | Mark::Dots { name, points, .. } => {
                        let column = of(&mut columns, name.clone(), fresh, false);
                        points.iter().for_each(|p| add(p.0, column, p.1));
                    }
                    Mark::Area { name, points, .. } => {
                        let low = of(&mut columns, [name, words[2]].join(" "), fresh, false);
                        let high = of(&mut columns, [name, words[3]].join(" "), fresh, false);
                        for p in points {
                            add(p.0, low, p.1);
                            add(p.0, high, p.2);
                        }
                    }
                    Mark::Lane { lane, label, name, at, .. } if !named => {
                        let name = [lane_name(panel, *lane, label, name), words[1]].join(" ");
                        let column = of(&mut columns, name, fresh, false);
                        // Its values are times, not what the vertical axis counts.
                        columns[column].unit = x_unit;
                        at.iter().for_each(|a| add(a.0, column, a.1));
                    }
                    Mark::Lane { .. } => {}
                    Mark::Spread { row, name, at } => {
                        for (k, part) in ["p1", "p10", "p50", "p90", "p99"].into_iter().enumerate() {
                            let full = if name.is_empty() { part.to_owned() } else { [name, part].join(" ") };
                            let column = of(&mut columns, full, fresh, false);
                            add(*row as f64, column, at[k]);
                        }
                    }
                    Mark::Dot { row, name, x, .. } => {
                        let column = of(&mut columns, name.clone(), fresh, false);
                        add(*row as f64, column, *x);
                    }
                    Mark::Cells { row, unit, cells, .. } => {
                        for cell in cells {
                            let column = in_unit(&mut columns, cell.name.clone(), *unit, fresh, false);
                            add(*row as f64, column, cell.value);
                        }
                    }
                    Mark::Threshold { y, label } => {
                        of(&mut columns, self.level_name(*y, label), fresh, true);
                    }
                    Mark::Span { .. } | Mark::Note { .. } => {}
                }
            }
        }
        sort_by_number(&mut values, |value| f64::from(value.nth));
        sort_by_numbers(&mut values, |value| [value.panel as f64, value.x]);
        let mut rows: Vec<(usize, f64, Vec<Option<f64>>)> = Vec::new();
        for group in values.chunk_by(|a, b| a.panel == b.panel && a.x == b.x && a.nth == b.nth) {
            let mut cells = vec![None; columns.len()];
            for value in group {
                cells[value.column] = Some(value.value);
            }
            rows.push((group[0].panel, group[0].x, cells));
        }
        self.levels(&columns, &mut rows, long);
        Grid { columns, rows, long }
    }

    /// Fills the columns of levels.
    fn levels(&self, columns: &[Column], rows: &mut [(usize, f64, Vec<Option<f64>>)], long: bool) {
        for (i, panel) in self.panels.iter().enumerate() {
            for mark in &panel.marks {
                let Mark::Threshold { y, label } = mark else { continue };
                let home = (!long).then_some(i);
                let label = self.level_name(*y, label);
                for (k, _) in columns.iter().enumerate().filter(|(_, c)| c.level && c.panel == home && c.name == label)
                {
                    let mine = rows.iter_mut().filter(|row| !long || row.0 == i);
                    mine.for_each(|row| row.2[k] = y.is_finite().then_some(*y));
                }
            }
        }
    }
}

/// The first of the points with the greatest y.
fn greatest(points: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    points.reduce(|best, p| if p.1 > best.1 { p } else { best })
}

/// From how many equal values on a stretch keeps only its first and its last.
const MANY_EQUAL: usize = 3;
/// From how many values on those at what reads as one place are only the first and the last. More than for equal ones, since
/// what lies between them is not to be guessed from these two.
const MANY_AT_ONE_PLACE: usize = 8;

/// What the caption says where rows were left out.
const SHORTER: Text = text("Rows that would read the same are left out.", "Các dòng đọc như nhau được lược bớt.");

/// As a reader needs them. The columns of values begin at `offset`, the one before it says where along x; where panels are
/// rows, the first cell names the panel.
///
/// A value is left out that reads like the ones before and after it in its column, or stands between many at what
/// reads as the same place. Each column is judged for itself, since lines that are drawn at times of their own fill a row each;
/// a row goes once all its values do. Of what is left, rows at one place become one where no cell stands against another.
fn shorter(rows: Vec<Vec<String>>, offset: usize, long: bool) -> Vec<Vec<String>> {
    let panel = |row: usize| if long { rows[row][0].as_str() } else { "" };
    let mut kept = vec![false; rows.len()];
    for column in offset..rows.first().map_or(0, Vec::len) {
        let filled: Vec<usize> = (0..rows.len()).filter(|&row| !rows[row][column].is_empty()).collect();
        let mut inner = vec![false; rows.len()];
        for (reads_same, many) in [(column, MANY_EQUAL), (offset - 1, MANY_AT_ONE_PLACE)] {
            let same = |&a: &usize, &b: &usize| rows[a][reads_same] == rows[b][reads_same] && panel(a) == panel(b);
            for stretch in filled.chunk_by(same).filter(|stretch| stretch.len() >= many) {
                stretch[1..stretch.len() - 1].iter().for_each(|&row| inner[row] = true);
            }
        }
        filled.iter().filter(|&&row| !inner[row]).for_each(|&row| kept[row] = true);
    }
    let mut out: Vec<Vec<String>> = Vec::with_capacity(rows.len());
    for (row, _) in rows.into_iter().zip(kept).filter(|(_, kept)| *kept) {
        match out.last_mut() {
            Some(last)
                if last[..offset] == row[..offset]
                    && last[offset..].iter().zip(&row[offset..]).all(|(a, b)| a.is_empty() || b.is_empty()) =>
            {
                last.iter_mut().zip(row).filter(|(a, _)| a.is_empty()).for_each(|(a, b)| *a = b);
            }
            _ => out.push(row),
        }
    }
    out
}

/// What a mark of a lane shows: its own name, else the lane's.
fn lane_name<'a>(panel: &'a Panel, lane: usize, label: &'a str, name: &'a str) -> &'a str {
    let of_lane = || {
        panel.marks.iter().find_map(|mark| match mark {
            Mark::Lane { lane: other, label, .. } if *other == lane && !label.is_empty() => Some(label.as_str()),
            _ => None,
        })
    };
    if name.is_empty() { of_lane().unwrap_or(label) } else { name }
}

/// The named row a bar lies in.
fn row_of(bar: &Bar) -> usize {
    ((bar.y0 + bar.y1) / 2.0).round().max(0.0) as usize
}

/// "0.1–0.2 s".
fn range(unit: &Unit, from: f64, to: f64, lang: Lang) -> String {
    [unit.number(from, lang), unit.write(to, lang)].join("–")
}

/// The value of a line at `x`: that of the last point not after it, or between two; nothing outside.
fn line_at(points: &[(f64, f64)], step: bool, x: f64) -> Option<f64> {
    let after = points.partition_point(|p| p.0 <= x);
    let last = points.get(after.checked_sub(1)?)?;
    let next = points.get(after);
    let value = match next {
        _ if last.0 == x => last.1,
        None => return None,
        Some(_) if step => last.1,
        Some(next) => last.1 + (next.1 - last.1) * (x - last.0) / (next.0 - last.0),
    };
    value.is_finite().then_some(value)
}

/// A number as programs read it.
fn plain(value: f64) -> String {
    // Beyond this, digits are noise; the exponent form is short and exact.
    if value != 0.0 && !(1e-6..1e15).contains(&value.abs()) { format!("{value:e}") } else { value.to_string() }
}

/// "calls per slot (calls)", unless the title has the unit already.
fn with_unit(title: &str, unit: &Unit) -> String {
    let text = unit.text.get(Lang::En);
    if text.is_empty() || title.split([' ', ',', '(', ')', ':']).any(|word| word == text) {
        title.to_owned()
    } else {
        [title, " (", text, ")"].concat()
    }
}

/// One line, quoted where needed.
fn record(out: &mut String, fields: Vec<String>) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        if field.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push_str("\r\n");
}
