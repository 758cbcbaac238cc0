//! One number for a chart: tests ask whether it changed.

use crate::{Axis, Chart, HeatCell, Mark, Paint, YAxis};

/// FNV-1a, 64 bits.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        // Keeps "a", "b" apart from "ab".
        self.bytes(&[0xff]);
    }

    fn number(&mut self, value: f64) {
        self.bytes(&value.to_bits().to_le_bytes());
    }

    fn count(&mut self, n: usize) {
        self.bytes(&(n as u64).to_le_bytes());
    }

    fn paint(&mut self, paint: Paint) {
        let kind = match paint {
            Paint::Offered => 0,
            Paint::Attempts => 1,
            Paint::Retries => 2,
            Paint::Goodput => 3,
            Paint::Late => 4,
            Paint::Timeout => 5,
            Paint::Shed => 6,
            Paint::Breaker => 7,
            Paint::Zombie => 8,
            Paint::Baseline => 9,
            Paint::Fault => 10,
            Paint::Ink(n) => 16 + (n % 4),
        };
        self.bytes(&[kind]);
    }

    fn axis(&mut self, axis: &Axis) {
        self.text(&axis.title);
        self.text(axis.unit.key);
        self.number(axis.min);
        self.number(axis.max);
        self.bytes(&[u8::from(axis.log)]);
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Bars { name, paint, bars } => {
                self.bytes(&[0]);
                self.text(name);
                self.paint(*paint);
                self.count(bars.len());
                for bar in bars {
                    [bar.x0, bar.x1, bar.y0, bar.y1].into_iter().for_each(|v| self.number(v));
                }
            }
            Mark::Line { name, paint, points, step } => {
                self.bytes(&[1, u8::from(*step)]);
                self.text(name);
                self.paint(*paint);
                self.count(points.len());
                for (x, y) in points {
                    [*x, *y].into_iter().for_each(|v| self.number(v));
                }
            }
            Mark::Dots { name, paint, each, points } => {
                self.bytes(&[10]);
                self.text(name);
                self.paint(*paint);
                self.number(*each);
                self.count(points.len());
                for (x, y) in points {
                    [*x, *y].into_iter().for_each(|v| self.number(v));
                }
            }
            Mark::Area { name, paint, points } => {
                self.bytes(&[2]);
                self.text(name);
                self.paint(*paint);
                self.count(points.len());
                for (x, low, high) in points {
                    [*x, *low, *high].into_iter().for_each(|v| self.number(v));
                }
            }
            Mark::Threshold { y, label } => {
                self.bytes(&[3]);
                self.number(*y);
                self.text(label);
            }
            Mark::Span { x0, x1, label, paint } => {
                self.bytes(&[4]);
                [*x0, *x1].into_iter().for_each(|v| self.number(v));
                self.text(label);
                self.paint(*paint);
            }
            Mark::Note { x, y, label, paint } => {
                self.bytes(&[5]);
                [*x, *y].into_iter().for_each(|v| self.number(v));
                self.text(label);
                self.paint(*paint);
            }
            Mark::Lane { lane, label, name, paint, at } => {
                self.bytes(&[8]);
                self.count(*lane);
                self.text(label);
                self.text(name);
                self.paint(*paint);
                self.count(at.len());
                for (from, to) in at {
                    [*from, *to].into_iter().for_each(|v| self.number(v));
                }
            }
            Mark::Spread { row, name, at } => {
                self.bytes(&[6]);
                self.count(*row);
                self.text(name);
                at.iter().for_each(|v| self.number(*v));
            }
            Mark::Dot { row, x, kind, name } => {
                self.bytes(&[7, *kind as u8]);
                self.count(*row);
                self.number(*x);
                self.text(name);
            }
            Mark::Cells { row, paint, unit, cells } => {
                self.bytes(&[9]);
                self.count(*row);
                self.paint(*paint);
                self.text(unit.key);
                self.count(cells.len());
                for HeatCell { name, x0, x1, value, said, read, shade, here, link } in cells {
                    self.text(name);
                    self.text(said);
                    self.text(read);
                    [*x0, *x1, *value, *shade].into_iter().for_each(|v| self.number(v));
                    self.bytes(&[u8::from(*here)]);
                    self.text(link);
                }
            }
        }
    }
}

impl Chart {
    /// A hash of everything that is shown: equal charts have equal hashes, on every machine.
    pub fn hash(&self) -> u64 {
        let mut fnv = Fnv(0xcbf2_9ce4_8422_2325);
        for text in [self.id, &self.title, &self.note, &self.summary] {
            fnv.text(text);
        }
        fnv.bytes(&[self.layout as u8]);
        fnv.count(usize::from(self.panel_height));
        fnv.axis(&self.x);
        match &self.y {
            YAxis::Number(axis) => fnv.axis(axis),
            YAxis::Names(names) => names.iter().for_each(|name| fnv.text(name)),
        }
        fnv.count(self.panels.len());
        for panel in &self.panels {
            fnv.text(&panel.name);
            fnv.text(&panel.formula);
            if let Some(axis) = &panel.x {
                fnv.axis(axis);
            }
            fnv.count(panel.marks.len());
            panel.marks.iter().for_each(|mark| fnv.mark(mark));
            for cell in &panel.cells {
                fnv.text(&cell.value);
                fnv.text(&cell.note);
            }
        }
        self.columns.iter().for_each(|heading| fnv.text(heading));
        for (paint, name) in &self.legend {
            fnv.paint(*paint);
            fnv.text(name);
        }
        fnv.0
    }
}
