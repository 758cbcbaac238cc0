//! The palette: which colour, dash and hatch a meaning has, and how that travels through plotters.
//!
//! # Colours are roles
//!
//! plotters hands a backend an RGB colour and nothing else: no dash, no hatch, no halo, no CSS token. A chart of ours
//! has no RGB at all: the theme decides that in the browser, after the SVG was written or while a canvas is drawn.
//! So the three bytes are not a colour but a [`Look`], packed:
//!
//! | byte | holds |
//! |---|---|
//! | red | the [`Token`], by its position in [`Token::ALL`] |
//! | green | for strokes a dash ([`DASHES`], 0 is solid), for fills a [`Hatch`] (0 is flat) |
//! | blue | bit 0: text with a halo |
//!
//! and alpha is the opacity. Every backend calls [`Look::of`] on the colour it is given and resolves the token in its
//! own way: `var(--goodput)` in a page, a computed style on a canvas, [`Token::light`] in a file.

use plotters::style::RGBAColor;
use plotters_backend::BackendColor;

use crate::Paint;

/// A colour by its name in `style/tokens.css`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation; see `name`")]
pub enum Token {
    Paper,
    Ink,
    Ink2,
    Ink3,
    Rule,
    Edge,
    Grid,
    Offered,
    Attempts,
    Retries,
    Goodput,
    Late,
    Timeout,
    Shed,
    Breaker,
    Zombie,
    Baseline,
    GoodputTint,
    ShedTint,
    AttemptsTint,
    TimeoutTint,
    ZombieTint,
    Fault,
}

/// Names and light values, in the order of [`Token::ALL`]. The light values serve files that leave the page.
const TOKENS: [(&str, &str); 23] = [
    ("--paper", "#ffffff"),
    ("--ink", "#1c1e21"),
    ("--ink-2", "#44484e"),
    ("--ink-3", "#5f6369"),
    ("--rule", "#d8d5cb"),
    ("--edge", "#7d7c75"),
    ("--grid", "#e7e4db"),
    ("--offered", "#15171a"),
    ("--attempts", "#0f4399"),
    ("--retries", "#a9360f"),
    ("--goodput", "#15946a"),
    ("--late", "#6e1551"),
    ("--timeout", "#df3059"),
    ("--shed", "#b87906"),
    ("--breaker", "#9a62dd"),
    ("--zombie", "#523e2d"),
    ("--baseline", "#7d838b"),
    ("--goodput-t", "#d5e8df"),
    ("--shed-t", "#f0e2c4"),
    ("--attempts-t", "#d7e3f2"),
    ("--timeout-t", "#f3dde4"),
    ("--zombie-t", "#e6dfd6"),
    ("--fault", "#f3dde4"),
];

impl Token {
    /// All of them; the position is what travels in a colour's red byte.
    pub const ALL: [Token; 23] = [
        Token::Paper,
        Token::Ink,
        Token::Ink2,
        Token::Ink3,
        Token::Rule,
        Token::Edge,
        Token::Grid,
        Token::Offered,
        Token::Attempts,
        Token::Retries,
        Token::Goodput,
        Token::Late,
        Token::Timeout,
        Token::Shed,
        Token::Breaker,
        Token::Zombie,
        Token::Baseline,
        Token::GoodputTint,
        Token::ShedTint,
        Token::AttemptsTint,
        Token::TimeoutTint,
        Token::ZombieTint,
        Token::Fault,
    ];

    /// The custom property: `--goodput`.
    pub const fn name(self) -> &'static str {
        TOKENS[self as usize].0
    }

    /// Its value in the light theme, on white paper: for files that leave the page.
    pub const fn light(self) -> &'static str {
        TOKENS[self as usize].1
    }
}

/// Dash patterns in CSS pixels; the position is what travels in a stroke's green byte.
///
/// The last one is drawn with round caps: its short dashes are dots.
pub const DASHES: [&[f64]; 10] = [
    &[],
    &[7.0, 4.0],
    &[2.0, 2.5],
    &[9.0, 3.0, 2.0, 3.0],
    &[4.0, 2.0],
    &[11.0, 6.0],
    &[3.0, 3.0],
    &[2.0, 4.0],
    &[1.0, 3.0],
    &[0.1, 4.0],
];

/// The dash of thresholds: fine dots.
pub(crate) const DOTTED: u8 = 8;
/// The dash with round caps.
const ROUND: u8 = 9;

/// A fill that is told apart by its lines as well as by its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hatch {
    /// Lines at 45°.
    Shed = 1,
    /// Lines at −45°.
    Zombie = 2,
    /// Level lines.
    Timeout = 3,
    /// Fine upright gaps.
    Retries = 4,
    /// Fine gaps at 45°.
    Late = 5,
    /// Fine level gaps.
    Breaker = 6,
    /// Fine gaps at −45°.
    Baseline = 7,
    /// Fine gaps at 30°.
    Offered = 8,
}

impl Hatch {
    /// All of them; one stands at its number less one.
    pub const ALL: [Hatch; 8] = [
        Hatch::Shed,
        Hatch::Zombie,
        Hatch::Timeout,
        Hatch::Retries,
        Hatch::Late,
        Hatch::Breaker,
        Hatch::Baseline,
        Hatch::Offered,
    ];

    /// The id of its pattern: `h-shed`.
    pub const fn id(self) -> &'static str {
        match self {
            Hatch::Shed => "h-shed",
            Hatch::Zombie => "h-zombie",
            Hatch::Timeout => "h-timeout",
            Hatch::Retries => "h-retries",
            Hatch::Late => "h-late",
            Hatch::Breaker => "h-breaker",
            Hatch::Baseline => "h-baseline",
            Hatch::Offered => "h-offered",
        }
    }

    /// How a tile is painted: side, thickness of the line along the tile's left edge (level hatch: its upper edge),
    /// rotation in degrees, line, ground.
    pub const fn tile(self) -> (f64, f64, f64, Token, Token) {
        match self {
            Hatch::Shed => (5.0, 2.0, 45.0, Token::Shed, Token::ShedTint),
            Hatch::Zombie => (5.0, 1.5, -45.0, Token::Zombie, Token::ZombieTint),
            Hatch::Timeout => (4.0, 1.4, 0.0, Token::Timeout, Token::TimeoutTint),
            Hatch::Retries => (5.0, 0.9, 90.0, Token::Paper, Token::Retries),
            Hatch::Late => (5.0, 0.9, 45.0, Token::Paper, Token::Late),
            Hatch::Breaker => (4.0, 0.9, 0.0, Token::Paper, Token::Breaker),
            Hatch::Baseline => (5.0, 0.9, -45.0, Token::Paper, Token::Baseline),
            Hatch::Offered => (6.0, 0.8, 30.0, Token::Paper, Token::Offered),
        }
    }
}

/// What a backend needs to know about a colour: see the head of this module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The colour.
    pub token: Token,
    /// The dash or the hatch, as it travels.
    pub(crate) pattern: u8,
    /// Text: surrounded by the colour of the paper.
    pub halo: bool,
    /// 0 to 1.
    pub opacity: f64,
}

impl Look {
    /// Flat and solid.
    pub const fn flat(token: Token) -> Look {
        Look { token, pattern: 0, halo: false, opacity: 1.0 }
    }

    pub(crate) const fn dashed(token: Token, dash: u8) -> Look {
        Look { token, pattern: dash, halo: false, opacity: 1.0 }
    }

    /// Unpacks what [`Look::pack`] packed. Foreign colours become ink.
    pub fn of(color: BackendColor) -> Look {
        let (token, pattern, flags) = color.rgb;
        Look {
            token: Token::ALL.get(usize::from(token)).copied().unwrap_or(Token::Ink),
            pattern,
            halo: flags & 1 != 0,
            opacity: color.alpha,
        }
    }

    /// As a colour for plotters.
    pub fn pack(self) -> RGBAColor {
        RGBAColor(self.token as u8, self.pattern, u8::from(self.halo), self.opacity)
    }

    /// A stroke's dash in CSS pixels; empty: solid.
    pub fn dash(self) -> &'static [f64] {
        DASHES.get(usize::from(self.pattern)).copied().unwrap_or(&[])
    }

    /// Whether a stroke has round caps.
    pub fn round(self) -> bool {
        self.pattern == ROUND
    }

    /// A fill's hatch.
    pub fn hatch(self) -> Option<Hatch> {
        Hatch::ALL.get(usize::from(self.pattern).checked_sub(1)?).copied()
    }
}

impl Paint {
    /// The colour of its lines and solid bars.
    pub const fn token(self) -> Token {
        match self {
            Paint::Offered => Token::Offered,
            Paint::Attempts => Token::Attempts,
            Paint::Retries => Token::Retries,
            Paint::Goodput => Token::Goodput,
            Paint::Late => Token::Late,
            Paint::Timeout => Token::Timeout,
            Paint::Shed => Token::Shed,
            Paint::Breaker => Token::Breaker,
            Paint::Zombie => Token::Zombie,
            Paint::Baseline => Token::Baseline,
            Paint::Ink(_) => Token::Ink,
            Paint::Fault => Token::Ink2,
        }
    }

    /// How its lines look.
    pub const fn stroke(self) -> Look {
        let dash = match self {
            Paint::Attempts | Paint::Goodput | Paint::Fault => 0,
            Paint::Offered => 1,
            Paint::Retries => 2,
            Paint::Late => 3,
            Paint::Timeout => 4,
            Paint::Breaker => 5,
            Paint::Zombie => 6,
            Paint::Baseline => 7,
            Paint::Shed => ROUND,
            // Solid, 7 4, 2 2.5, 9 3 2 3: the first four.
            Paint::Ink(n) => n % 4,
        };
        Look::dashed(self.token(), dash)
    }

    /// The width of its lines in CSS pixels.
    pub const fn width(self) -> f64 {
        match self {
            Paint::Goodput | Paint::Ink(0) => 2.25,
            Paint::Ink(_) => 1.75,
            _ => 2.0,
        }
    }

    /// How its bars look: hatched where colour alone would not do.
    pub const fn fill(self) -> Look {
        let hatch = match self {
            Paint::Shed => Hatch::Shed as u8,
            Paint::Zombie => Hatch::Zombie as u8,
            Paint::Timeout => Hatch::Timeout as u8,
            Paint::Retries => Hatch::Retries as u8,
            Paint::Late => Hatch::Late as u8,
            Paint::Breaker => Hatch::Breaker as u8,
            Paint::Baseline => Hatch::Baseline as u8,
            Paint::Offered => Hatch::Offered as u8,
            Paint::Fault => return Look::flat(Token::Fault),
            _ => 0,
        };
        Look::dashed(self.token(), hatch)
    }

    /// How its areas look: its tint, or itself thinned where it has none.
    pub const fn tint(self) -> Look {
        match self {
            Paint::Goodput => Look::flat(Token::GoodputTint),
            Paint::Shed => Look::flat(Token::ShedTint),
            Paint::Attempts => Look::flat(Token::AttemptsTint),
            Paint::Timeout => Look::flat(Token::TimeoutTint),
            Paint::Zombie => Look::flat(Token::ZombieTint),
            Paint::Fault => Look::flat(Token::Fault),
            _ => Look { token: self.token(), pattern: 0, halo: false, opacity: 0.18 },
        }
    }
}
