//! The few strokes a chart is made of, on any plotters backend.
//!
//! The drawing routine speaks to a `dyn Pen`, so that it is compiled once, not once a backend: it ships as WASM.

use plotters::coord::{CoordTranslate, Shift};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, BackendTextStyle, DrawingBackend};

use crate::paint::{Look, Token};

/// Backends report a canvas this many times finer than CSS pixels, and divide by it: plotters' coordinates are whole
/// numbers, and whole pixels would make stairs of curves. Stroke widths, radii and font sizes are finer too.
pub const FINE: i32 = 8;

/// How a text looks. Travels in plotters' text style: the face and weight as themselves, colour and halo as a [`Look`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    /// Its colour: ink, second or third ink.
    pub token: Token,
    /// In CSS pixels.
    pub size: f64,
    /// Heavy.
    pub bold: bool,
    /// In the face of formulas.
    pub mono: bool,
    /// Surrounded by the colour of the paper.
    pub halo: bool,
}

impl Type {
    /// Chart text in second ink.
    pub(crate) const PLAIN: Type = Type { token: Token::Ink2, size: 12.0, bold: false, mono: false, halo: false };
    /// Axes, headings.
    pub(crate) const QUIET: Type = Type { token: Token::Ink3, ..Type::PLAIN };
    /// Names.
    pub(crate) const BOLD: Type = Type { token: Token::Ink, bold: true, ..Type::PLAIN };
    /// Formulas.
    pub(crate) const MONO: Type = Type { token: Token::Ink3, size: 11.5, mono: true, ..Type::PLAIN };
    /// Numbers beside a panel.
    pub(crate) const BIG: Type = Type { size: 16.0, ..Type::BOLD };

    /// With a halo.
    pub(crate) const fn halo(self) -> Type {
        Type { halo: true, ..self }
    }

    /// What a backend needs to know about a text style it is given, in CSS pixels.
    pub fn of<S: BackendTextStyle>(style: &S) -> Type {
        let look = Look::of(style.color());
        Type {
            token: look.token,
            size: style.size() / f64::from(FINE),
            bold: matches!(style.style(), FontStyle::Bold),
            mono: matches!(style.family(), FontFamily::Monospace),
            halo: look.halo,
        }
    }

    fn style(self, anchor: HPos) -> TextStyle<'static> {
        let family = if self.mono { FontFamily::Monospace } else { FontFamily::SansSerif };
        let weight = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(family, self.size * f64::from(FINE), weight);
        let look = Look { halo: self.halo, ..Look::flat(self.token) };
        let mut style = TextStyle::from(font).pos(Pos::new(anchor, VPos::Bottom));
        style.color = look.pack().to_backend_color();
        style
    }
}

/// CSS pixels to fine backend pixels.
pub(crate) struct Fine;

impl CoordTranslate for Fine {
    type From = (f64, f64);

    fn translate(&self, &(x, y): &(f64, f64)) -> BackendCoord {
        // `as` saturates and turns NaN into 0.
        ((x * f64::from(FINE)).round() as i32, (y * f64::from(FINE)).round() as i32)
    }
}

/// What a chart is made of. All in CSS pixels; the y of a text is its baseline.
pub(crate) trait Pen {
    fn rect(&mut self, x0: f64, y0: f64, x1: f64, y1: f64, fill: Look);
    fn path(&mut self, points: Vec<(f64, f64)>, stroke: Look, width: f64);
    fn polygon(&mut self, points: Vec<(f64, f64)>, fill: Look);
    fn circle(&mut self, at: (f64, f64), radius: f64, fill: Look);
    fn text(&mut self, text: &str, at: (f64, f64), anchor: HPos, ty: Type);
    fn measure(&mut self, text: &str, ty: Type) -> f64;
}

/// A plotters area as a pen. Keeps the first error; later strokes are skipped.
pub(crate) struct AreaPen<DB: DrawingBackend> {
    area: DrawingArea<DB, Fine>,
    error: Option<DrawingAreaErrorKind<DB::ErrorType>>,
}

impl<DB: DrawingBackend> AreaPen<DB> {
    pub(crate) fn new(root: &DrawingArea<DB, Shift>) -> Self {
        AreaPen { area: root.apply_coord_spec(Fine), error: None }
    }

    pub(crate) fn finish(self) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        self.error.map_or(Ok(()), Err)
    }

    fn keep(&mut self, result: Result<(), DrawingAreaErrorKind<DB::ErrorType>>) {
        if self.error.is_none() {
            self.error = result.err();
        }
    }
}

fn shape(look: Look, filled: bool, width: f64) -> ShapeStyle {
    ShapeStyle { color: look.pack(), filled, stroke_width: (width * f64::from(FINE)).round() as u32 }
}

impl<DB: DrawingBackend> Pen for AreaPen<DB> {
    fn rect(&mut self, x0: f64, y0: f64, x1: f64, y1: f64, fill: Look) {
        let result = self.area.draw(&Rectangle::new([(x0, y0), (x1, y1)], shape(fill, true, 0.0)));
        self.keep(result);
    }

    fn path(&mut self, points: Vec<(f64, f64)>, stroke: Look, width: f64) {
        let result = self.area.draw(&PathElement::new(points, shape(stroke, false, width)));
        self.keep(result);
    }

    fn polygon(&mut self, points: Vec<(f64, f64)>, fill: Look) {
        let result = self.area.draw(&Polygon::new(points, shape(fill, true, 0.0)));
        self.keep(result);
    }

    fn circle(&mut self, at: (f64, f64), radius: f64, fill: Look) {
        let size = (radius * f64::from(FINE)).round() as u32;
        let result = self.area.draw(&Circle::new(at, size, shape(fill, true, 0.0)));
        self.keep(result);
    }

    fn text(&mut self, text: &str, at: (f64, f64), anchor: HPos, ty: Type) {
        let result = self.area.draw(&Text::new(text, at, ty.style(anchor)));
        self.keep(result);
    }

    fn measure(&mut self, text: &str, ty: Type) -> f64 {
        match self.area.estimate_text_size(text, &ty.style(HPos::Left)) {
            Ok((width, _)) => f64::from(width) / f64::from(FINE),
            Err(_) => crate::measure::text_width(text, ty.size, ty.bold, ty.mono),
        }
    }
}
