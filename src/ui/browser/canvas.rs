//! Charts on a canvas, through plotters' own canvas backend.
//!
//! `Fine` stands between the drawing and that backend: it reports a canvas eight times finer than CSS pixels and
//! scales back by the canvas's own transform, so lines are smooth at any device pixel ratio; it turns the looks of
//! [`overload_chart`] into the theme's colours, dashes and hatches; and it measures text with the canvas.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

use js_sys::Array;
use overload_chart::plotters::drawing::DrawingArea;
use overload_chart::plotters_backend::text_anchor::HPos;
use overload_chart::plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use overload_chart::{Chart, FINE, Hatch, Lang, Look, Token, Type, draw};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement};

use super::{document, window};

thread_local! {
    /// The theme as the canvas needs it. Cleared when the theme changes.
    static THEME: RefCell<Option<Theme>> = const { RefCell::new(None) };
    /// Widths of texts already measured. Cleared with the theme, since fonts may differ too.
    static WIDTHS: RefCell<BTreeMap<(u16, String), f64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Forgets colours and fonts: the theme has changed.
pub fn forget_theme() {
    THEME.set(None);
    WIDTHS.with_borrow_mut(BTreeMap::clear);
}

/// The tokens' values in this theme.
struct Theme {
    colors: Vec<(u8, u8, u8)>,
    sans: String,
    mono: String,
}

impl Theme {
    fn read() -> Option<Theme> {
        let root = document().document_element()?;
        let style = window().get_computed_style(&root).ok()??;
        let value = |name: &str| style.get_property_value(name).unwrap_or_default();
        // The canvas itself knows every way to write a colour, system colours included.
        let probe: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
        let context: CanvasRenderingContext2d = probe.get_context("2d").ok()??.unchecked_into();
        let color = |token: &Token| {
            context.set_fill_style_str("#000");
            context.set_fill_style_str(value(token.name()).trim());
            let written = context.fill_style().as_string().unwrap_or_default();
            let hex = |at: usize| written.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0);
            (hex(1), hex(3), hex(5))
        };
        Some(Theme { colors: Token::ALL.iter().map(color).collect(), sans: value("--sans"), mono: value("--mono") })
    }
}

/// Draws `chart` so that it fills the canvas's box of `size`, sharp at the device's pixel ratio. Nothing is drawn while
/// the box has no size.
pub fn paint(canvas: &HtmlCanvasElement, chart: &Chart, lang: Lang, size: (f64, f64)) {
    let (width, height) = size;
    if width < 1.0 || height < 1.0 {
        return;
    }
    let ratio = window().device_pixel_ratio().clamp(0.5, 8.0);
    let (device_w, device_h) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    // Setting a size clears the canvas and reallocates it, so only where it differs.
    if canvas.width() != device_w || canvas.height() != device_h {
        canvas.set_width(device_w);
        canvas.set_height(device_h);
    }
    THEME.with_borrow_mut(|theme| {
        if theme.is_none() {
            *theme = Theme::read();
        }
        let Some(theme) = theme.as_ref() else { return };
        let Ok(Some(context)) = canvas.get_context("2d") else { return };
        let context: CanvasRenderingContext2d = context.unchecked_into();
        let _ = context.reset_transform();
        context.clear_rect(0.0, 0.0, f64::from(device_w), f64::from(device_h));
        let scale = ratio / f64::from(FINE);
        let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
        let Some(inner) = CanvasBackend::with_canvas_object(canvas.clone()) else { return };
        let backend = Fine {
            inner,
            context,
            theme,
            size,
            ratio,
            hatches: [const { None }; Hatch::ALL.len()],
            face: Cell::new(None),
            fill: Cell::new(None),
        };
        // A canvas that refuses to draw has nowhere to report it either.
        let _ = draw(chart, lang, size, &DrawingArea::from(backend));
    });
}

fn css(theme: &Theme, look: Look) -> String {
    let (r, g, b) = theme.colors[look.token as usize];
    format!("rgba({r},{g},{b},{})", look.opacity)
}

type Done = Result<(), DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

/// See the head of this module.
struct Fine<'a> {
    inner: CanvasBackend,
    context: CanvasRenderingContext2d,
    theme: &'a Theme,
    size: (f64, f64),
    ratio: f64,
    hatches: [Option<CanvasPattern>; Hatch::ALL.len()],
    /// The face that the context has.
    face: Cell<Option<u16>>,
    /// The plain colour that the context fills with; `None`: something else, or not known.
    fill: Cell<Option<Look>>,
}

/// A look with the theme's colour: what plotters' backend understands.
struct Resolved {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Resolved {
    fn color(&self) -> BackendColor {
        self.color
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

impl Fine<'_> {
    fn resolve<S: BackendStyle>(&self, style: &S) -> (Look, Resolved) {
        let look = Look::of(style.color());
        let rgb = self.theme.colors[look.token as usize];
        (look, Resolved { color: BackendColor { alpha: look.opacity, rgb }, width: style.stroke_width() })
    }

    /// Sets dash and caps for a stroke.
    fn dash(&self, look: Look) {
        let pattern = Array::new();
        for length in look.dash() {
            pattern.push(&(length * f64::from(FINE)).into());
        }
        let _ = self.context.set_line_dash(&pattern);
        self.context.set_line_cap(if look.round() { "round" } else { "butt" });
        self.context.set_line_join("round");
    }

    /// Whether the fill is a hatch; then it is set.
    fn hatch(&mut self, look: Look) -> bool {
        let Some(hatch) = look.hatch() else { return false };
        let slot = hatch as usize - 1;
        if self.hatches[slot].is_none() {
            self.hatches[slot] = self.pattern(hatch);
        }
        let Some(pattern) = &self.hatches[slot] else { return false };
        self.context.set_fill_style_canvas_pattern(pattern);
        self.fill.set(None);
        true
    }

    /// A hatch's tile. Drawn upright at twice the device's resolution; the pattern's own transform turns and shrinks it.
    fn pattern(&self, hatch: Hatch) -> Option<CanvasPattern> {
        let (side, line, turn, ink, ground) = hatch.tile();
        // Whole device pixels a tile, or its seams show.
        let pixels = (side * self.ratio * 2.0).round().max(4.0);
        let tile: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
        tile.set_width(pixels as u32);
        tile.set_height(pixels as u32);
        let context: CanvasRenderingContext2d = tile.get_context("2d").ok()??.unchecked_into();
        context.set_fill_style_str(&css(self.theme, Look::flat(ground)));
        context.fill_rect(0.0, 0.0, pixels, pixels);
        context.set_fill_style_str(&css(self.theme, Look::flat(ink)));
        let thick = line / side * pixels;
        if turn == 0.0 {
            context.fill_rect(0.0, 0.0, pixels, thick);
        } else {
            context.fill_rect(0.0, 0.0, thick, pixels);
        }
        let pattern = self.context.create_pattern_with_html_canvas_element(&tile, "repeat").ok()??;
        // From tile pixels to the fine grid, turned.
        let shrink = side * f64::from(FINE) / pixels;
        let (sin, cos) = turn.to_radians().sin_cos();
        let matrix = js_sys::Object::new();
        for (key, value) in [("a", shrink * cos), ("b", shrink * sin), ("c", -shrink * sin), ("d", shrink * cos)] {
            let _ = js_sys::Reflect::set(&matrix, &key.into(), &value.into());
        }
        // web-sys offers only SVG matrices here, which are leaving the platform; browsers take any such object.
        let set: js_sys::Function = js_sys::Reflect::get(&pattern, &"setTransform".into()).ok()?.dyn_into().ok()?;
        let _ = set.call1(&pattern, &matrix);
        Some(pattern)
    }

    /// Fills with a plain colour from now on. A context reads a colour anew each time, which for a herd of dots is half the work.
    fn set_fill(&self, look: Look) {
        if self.fill.replace(Some(look)) != Some(look) {
            self.context.set_fill_style_str(&css(self.theme, look));
        }
    }

    fn font(&self, ty: Type) -> String {
        let weight = if ty.bold { "600 " } else { "" };
        let family = if ty.mono { &self.theme.mono } else { &self.theme.sans };
        format!("{weight}{}px {family}", ty.size * f64::from(FINE))
    }

    /// Sets the font where it is not the last one: a context reads it anew each time, the dearest call of a redraw.
    fn set_font(&self, ty: Type) {
        if self.face.replace(Some(face(ty))) != Some(face(ty)) {
            self.context.set_font(&self.font(ty));
        }
    }
}

/// A face as a number.
fn face(ty: Type) -> u16 {
    (ty.size * 10.0) as u16 * 4 + u16::from(ty.bold) * 2 + u16::from(ty.mono)
}

impl DrawingBackend for Fine<'_> {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        let fine = |px: f64| (px * f64::from(FINE)) as u32;
        (fine(self.size.0), fine(self.size.1))
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Done {
        self.draw_rect(point, (point.0 + FINE, point.1 + FINE), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Done {
        let (look, resolved) = self.resolve(style);
        if fill && self.hatch(look) {
            let [x, y, w, h] = [a.0, a.1, b.0 - a.0, b.1 - a.1].map(f64::from);
            self.context.fill_rect(x, y, w, h);
            return Ok(());
        }
        if !fill {
            self.dash(look);
        }
        self.fill.set(None);
        self.inner.draw_rect(a, b, &resolved, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let (look, resolved) = self.resolve(style);
        self.dash(look);
        self.inner.draw_path(path, &resolved)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let (look, resolved) = self.resolve(style);
        if self.hatch(look) {
            self.context.begin_path();
            for (x, y) in path {
                self.context.line_to(f64::from(x), f64::from(y));
            }
            self.context.fill();
            return Ok(());
        }
        self.fill.set(None);
        self.inner.fill_polygon(path, &resolved)
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        let (look, resolved) = self.resolve(style);
        if fill {
            self.set_fill(look);
            self.context.begin_path();
            let _ = self.context.arc(center.0.into(), center.1.into(), radius.into(), 0.0, TAU);
            self.context.fill();
            return Ok(());
        }
        self.dash(look);
        self.inner.draw_circle(center, radius, &resolved, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        let ty = Type::of(style);
        let (x, y) = (f64::from(at.0), f64::from(at.1));
        self.set_font(ty);
        self.context.set_text_baseline("alphabetic");
        self.context.set_text_align(match style.anchor().h_pos {
            HPos::Left => "left",
            HPos::Center => "center",
            HPos::Right => "right",
        });
        if ty.halo {
            self.dash(Look::flat(Token::Paper));
            self.context.set_stroke_style_str(&css(self.theme, Look::flat(Token::Paper)));
            self.context.set_line_width(4.0 * f64::from(FINE));
            let _ = self.context.stroke_text(text, x, y);
        }
        self.set_fill(Look::flat(ty.token));
        let _ = self.context.fill_text(text, x, y);
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let ty = Type::of(style);
        let width = WIDTHS.with_borrow_mut(|widths| {
            // Labels are few; what changes with each run are numbers, which would pile up.
            if widths.len() > 4_000 {
                widths.clear();
            }
            *widths.entry((face(ty), text.to_string())).or_insert_with(|| {
                self.set_font(ty);
                self.context.measure_text(text).map_or(0.0, |m| m.width())
            })
        });
        Ok((width.ceil() as u32, (ty.size * f64::from(FINE)) as u32))
    }
}
