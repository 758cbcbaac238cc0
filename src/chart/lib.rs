//! What is drawn, as data, and its four forms; and how numbers are written.
//!
//! Knows no card, no browser. A card returns [`Chart`]s; the page draws them on a canvas, the site generator as SVG,
//! readers get the table, spreadsheets the CSV.

mod chart;
mod draw;
mod geometry;
mod hash;
mod measure;
mod paint;
mod pen;
mod scale;
mod sort;
mod svg;
mod table;
mod text;

pub use chart::*;
pub use draw::draw;
pub use geometry::{Frame, Geometry, Rect, height};
pub use measure::text_width;
pub use paint::{DASHES, Hatch, Look, Token};
pub use pen::{FINE, Type};
pub use scale::Scale;
pub use sort::{sort_by_number, sort_by_numbers};
pub use svg::{pattern_defs, svg, svg_file};
pub use table::Table;
pub use text::*;

// A canvas backend has to implement the very traits that `draw` is generic over.
pub use {plotters, plotters_backend};
