//! Charts as SVG: in pages (colours follow the theme) and as files (colours fixed).

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use crate::measure::text_width;
use crate::paint::{Hatch, Look, Token};
use crate::pen::{FINE, Type};
use crate::{Chart, Lang, draw, height};

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// `chart` as an SVG element for a page.
///
/// Colours are `var(--…)` in presentation attributes, text takes its look from the classes `t2`, `t3`, `b`, `mono`,
/// `big` and `halo`, hatches come from [`pattern_defs`], which the page has to contain once. No `style` attribute: a
/// strict content security policy forbids it.
pub fn svg(chart: &Chart, lang: Lang, width: f64, class: &str) -> String {
    let height = height(chart, width);
    let mut out = String::from("<svg class=\"");
    escape(&mut out, class);
    out.push_str("\" viewBox=\"0 0 ");
    size(&mut out, width, height, "\" width=\"", "\" height=\"");
    out.push_str("\" role=\"img\" aria-label=\"");
    escape(&mut out, &chart.spoken(lang));
    out.push_str("\">");
    out.push_str(&body(chart, lang, width, height, false));
    out.push_str("</svg>");
    out
}

/// `chart` as a file of its own: light colours on white, title, note and legend above, `link` to its run below, fonts
/// named, hatches inside.
pub fn svg_file(chart: &Chart, lang: Lang, width: f64, link: &str) -> String {
    const MARGIN: f64 = 16.0;
    let plot_h = height(chart, width);
    let titles = wrap(&chart.title, width, 16.0, true);
    let notes = wrap(&chart.note, width, 12.0, false);
    let mut head = String::new();
    let mut y = 18.0;
    for (lines, font, ink, pitch) in
        [(&titles, "font-size=\"16\" font-weight=\"600\"", Token::Ink, 21.0), (&notes, "", Token::Ink3, 16.0)]
    {
        for line in lines {
            text_line(&mut head, line, y, ink, font);
            y += pitch;
        }
    }
    let mut x = 0.0;
    for (paint, name) in &chart.legend {
        let w = 17.0 + text_width(name, 12.0, false, false) + 14.0;
        if x > 0.0 && x + w > width {
            x = 0.0;
            y += 18.0;
        }
        head.push_str("<rect width=\"12\" height=\"10\" x=\"");
        number(&mut head, x, 10.0);
        head.push_str("\" y=\"");
        number(&mut head, y - 9.0, 10.0);
        head.push('"');
        color(&mut head, "fill", paint.fill(), true);
        head.push_str("/><text x=\"");
        number(&mut head, x + 17.0, 10.0);
        head.push_str("\" y=\"");
        number(&mut head, y, 10.0);
        head.push_str("\" fill=\"");
        head.push_str(Token::Ink2.light());
        head.push_str("\">");
        escape(&mut head, name);
        head.push_str("</text>");
        x += w;
    }
    y += if chart.legend.is_empty() { 0.0 } else { 18.0 };
    let mut end = y + plot_h;
    for line in broken(link, width) {
        end += 15.0;
        text_line(&mut head, line, end, Token::Ink3, "font-size=\"11\"");
    }

    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
    );
    size(&mut out, width + 2.0 * MARGIN, end + 2.0 * MARGIN, "\" width=\"", "\" height=\"");
    out.push_str("\" role=\"img\" xml:lang=\"");
    out.push_str(lang.tag());
    out.push_str("\"><title>");
    escape(&mut out, &chart.title);
    out.push_str("</title><desc>");
    escape(&mut out, &chart.spoken(lang));
    out.push_str("</desc>");
    patterns(&mut out, true);
    out.push_str("<rect width=\"100%\" height=\"100%\" fill=\"");
    out.push_str(Token::Paper.light());
    out.push_str("\"/><g font-family=\"'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\" transform=\"translate(16 16)\">");
    out.push_str(&head);
    out.push_str("<g transform=\"translate(0 ");
    number(&mut out, y, 10.0);
    out.push_str(")\">");
    out.push_str(&body(chart, lang, width, plot_h, true));
    out.push_str("</g></g></svg>\n");
    out
}

/// A line of text of a file, its baseline at `y`; `font`: attributes.
fn text_line(out: &mut String, line: &str, y: f64, ink: Token, font: &str) {
    out.push_str("<text y=\"");
    number(out, y, 10.0);
    out.push_str("\" fill=\"");
    out.push_str(ink.light());
    out.push_str("\" ");
    out.push_str(font);
    out.push('>');
    escape(out, line);
    out.push_str("</text>");
}

/// `link` in lines of at most `width` at 11 px, broken anywhere: it has no spaces.
fn broken(link: &str, width: f64) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut from, mut used) = (0, 0.0);
    for (at, letter) in link.char_indices() {
        let w = text_width(letter.encode_utf8(&mut [0; 4]), 11.0, false, false);
        if used + w > width {
            lines.push(&link[from..at]);
            (from, used) = (at, 0.0);
        }
        used += w;
    }
    if from < link.len() {
        lines.push(&link[from..]);
    }
    lines
}

/// The hatches as a hidden element, to stand once in a page that shows charts (class `hatches`; it takes no room where
/// that is positioned absolutely).
pub fn pattern_defs() -> &'static str {
    static DEFS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    DEFS.get_or_init(|| {
        let mut out =
            String::from("<svg class=\"hatches\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\">");
        patterns(&mut out, false);
        out.push_str("</svg>");
        out
    })
}

fn patterns(out: &mut String, fixed: bool) {
    out.push_str("<defs>");
    for hatch in Hatch::ALL {
        let (side, line, turn, ink, ground) = hatch.tile();
        let rect = |out: &mut String, w: f64, h: f64, token: Token| {
            out.push_str("<rect width=\"");
            number(out, w, 10.0);
            out.push_str("\" height=\"");
            number(out, h, 10.0);
            out.push('"');
            color(out, "fill", Look::flat(token), fixed);
            out.push_str("/>");
        };
        out.push_str("<pattern id=\"");
        out.push_str(hatch.id());
        out.push_str("\" width=\"");
        number(out, side, 10.0);
        out.push_str("\" height=\"");
        number(out, side, 10.0);
        out.push_str("\" patternUnits=\"userSpaceOnUse\"");
        if turn != 0.0 {
            out.push_str(" patternTransform=\"rotate(");
            number(out, turn, 10.0);
            out.push_str(")\"");
        }
        out.push('>');
        rect(out, side, side, ground);
        if turn == 0.0 {
            rect(out, side, line, ink);
        } else {
            rect(out, line, side, ink);
        }
        out.push_str("</pattern>");
    }
    out.push_str("</defs>");
}

fn body(chart: &Chart, lang: Lang, width: f64, height: f64, fixed: bool) -> String {
    let backend = Svg { out: String::new(), open: None, width, height, fixed };
    let shared = Rc::new(RefCell::new(backend));
    // Infallible: there is nothing to report.
    let _ = draw(chart, lang, (width, height), &DrawingArea::from(&shared));
    let mut backend = shared.borrow_mut();
    backend.close();
    std::mem::take(&mut backend.out)
}

/// The backend. Fills of one look that follow one another become one path: hundreds of bars stay small.
struct Svg {
    out: String,
    open: Option<Look>,
    width: f64,
    height: f64,
    /// Colours and fonts resolved, for files.
    fixed: bool,
}

impl Svg {
    /// Ends the path of fills that is being written.
    fn close(&mut self) {
        if let Some(look) = self.open.take() {
            self.out.push('"');
            color(&mut self.out, "fill", look, self.fixed);
            self.out.push_str("/>");
        }
    }

    /// Begins or continues a path of fills.
    fn fill(&mut self, look: Look) {
        // A path with opacity must not be joined: where parts overlap they would not add up.
        if self.open != Some(look) || look.opacity < 1.0 {
            self.close();
            self.out.push_str("<path d=\"");
            self.open = Some(look);
        }
    }

    fn points(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        let mut last: Option<BackendCoord> = None;
        for p in points {
            match last {
                Some(l) if l == p => {}
                Some(l) if l.1 == p.1 => self.fine('H', p.0),
                Some(l) if l.0 == p.0 => self.fine('V', p.1),
                _ => {
                    self.fine(if last.is_none() { 'M' } else { 'L' }, p.0);
                    self.fine(' ', p.1);
                }
            }
            last = Some(p);
        }
    }

    /// A letter and a fine coordinate, to a tenth of a pixel.
    fn fine(&mut self, letter: char, n: i32) {
        self.out.push(letter);
        number(&mut self.out, f64::from(n) / f64::from(FINE), 10.0);
    }

    fn attribute(&mut self, name: &str, n: i32) {
        self.out.push_str(name);
        number(&mut self.out, f64::from(n) / f64::from(FINE), 10.0);
        self.out.push('"');
    }
}

impl DrawingBackend for Svg {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        ((self.width * f64::from(FINE)) as u32, (self.height * f64::from(FINE)) as u32)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Done {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Done {
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        if fill {
            self.fill_polygon(corners, &style.color())
        } else {
            self.draw_path(corners.into_iter().chain([a]), style)
        }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.close();
        let look = Look::of(style.color());
        self.out.push_str("<path d=\"");
        self.points(path);
        self.out.push_str("\" fill=\"none\"");
        color(&mut self.out, "stroke", look, self.fixed);
        let width = f64::from(style.stroke_width()) / f64::from(FINE);
        if width != 1.0 {
            self.out.push_str(" stroke-width=\"");
            number(&mut self.out, width, 100.0);
            self.out.push('"');
        }
        for (i, &dash) in look.dash().iter().enumerate() {
            self.out.push_str(if i == 0 { " stroke-dasharray=\"" } else { " " });
            number(&mut self.out, dash, 10.0);
        }
        if !look.dash().is_empty() {
            self.out.push('"');
        }
        if look.round() {
            self.out.push_str(" stroke-linecap=\"round\"");
        }
        if width > 1.5 {
            self.out.push_str(" stroke-linejoin=\"round\"");
        }
        self.out.push_str("/>");
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        self.close();
        self.attribute("<circle cx=\"", at.0);
        self.attribute(" cy=\"", at.1);
        self.attribute(" r=\"", radius as i32);
        if !fill {
            self.out.push_str(" fill=\"none\"");
        }
        color(&mut self.out, if fill { "fill" } else { "stroke" }, Look::of(style.color()), self.fixed);
        self.out.push_str("/>");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, vert: I, style: &S) -> Done {
        let look = Look::of(style.color());
        if look.opacity > 0.0 {
            self.fill(look);
            self.points(vert);
            self.out.push('Z');
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        self.close();
        let ty = Type::of(style);
        self.attribute("<text x=\"", at.0);
        self.attribute(" y=\"", at.1);
        match style.anchor().h_pos {
            HPos::Left => {}
            HPos::Right => self.out.push_str(" text-anchor=\"end\""),
            HPos::Center => self.out.push_str(" text-anchor=\"middle\""),
        }
        let big = ty.size > 14.0;
        if self.fixed {
            color(&mut self.out, "fill", Look::flat(ty.token), true);
            if ty.bold {
                self.out.push_str(" font-weight=\"600\"");
            }
            if big || ty.mono {
                self.out.push_str(if big {
                    " font-size=\"16\""
                } else {
                    " font-size=\"11.5\" font-family=\"monospace\""
                });
            }
            if ty.halo {
                color(&mut self.out, "stroke", Look::flat(Token::Paper), true);
                self.out.push_str(" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
            }
        } else {
            let mut before = " class=\"";
            for (is, class) in [
                (ty.mono, "mono"),
                (ty.token == Token::Ink2, "t2"),
                (ty.token == Token::Ink3, "t3"),
                (big, "big"),
                (ty.bold && !big, "b"),
                (ty.halo, "halo"),
            ] {
                if is {
                    self.out.push_str(before);
                    self.out.push_str(class);
                    before = " ";
                }
            }
            if before == " " {
                self.out.push('"');
            }
        }
        self.out.push('>');
        escape(&mut self.out, text);
        self.out.push_str("</text>");
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let ty = Type::of(style);
        let width = text_width(text, style.size(), ty.bold, ty.mono);
        Ok((width.ceil() as u32, style.size() as u32))
    }
}

/// ` fill="var(--goodput)"`, or the hatch, or the light colour.
fn color(out: &mut String, attribute: &str, look: Look, fixed: bool) {
    out.push(' ');
    out.push_str(attribute);
    out.push_str("=\"");
    if let Some(hatch) = look.hatch().filter(|_| attribute == "fill") {
        out.push_str("url(#");
        out.push_str(hatch.id());
        out.push(')');
    } else if fixed {
        out.push_str(look.token.light());
    } else {
        out.push_str("var(");
        out.push_str(look.token.name());
        out.push(')');
    }
    out.push('"');
    if look.opacity < 1.0 {
        out.push(' ');
        out.push_str(attribute);
        out.push_str("-opacity=\"");
        number(out, look.opacity, 100.0);
        out.push('"');
    }
}

/// `width height`, then both again with words before them.
fn size(out: &mut String, width: f64, height: f64, w: &str, h: &str) {
    number(out, width, 10.0);
    out.push(' ');
    number(out, height, 10.0);
    out.push_str(w);
    number(out, width, 10.0);
    out.push_str(h);
    number(out, height, 10.0);
}

/// A number, rounded to `1 / parts`, as short as can be. Without the machinery that prints floats.
fn number(out: &mut String, value: f64, parts: f64) {
    let scaled = (value * parts).round() as i64;
    if scaled < 0 {
        out.push('-');
    }
    let (scaled, parts) = (scaled.unsigned_abs(), parts as u64);
    out.push_str(&(scaled / parts).to_string());
    let (mut rest, mut unit) = (scaled % parts, parts / 10);
    if rest > 0 {
        out.push('.');
    }
    while rest > 0 {
        out.push(char::from(b'0' + (rest / unit) as u8));
        rest %= unit;
        unit /= 10;
    }
}

/// Text for content and for attributes in double quotes. What XML cannot hold is left out.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
}

/// Lines of at most `room`.
fn wrap(text: &str, room: f64, size: f64, bold: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size, bold, false) + text_width(word, size, bold, false) + 5.0 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
