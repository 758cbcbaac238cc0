//! What is drawn, as data, and its four forms; and how numbers are written.
//!
//! Knows no card, no browser. A card returns [`Chart`]s; the page draws them on a canvas, the site generator as SVG,
//! readers get the table, spreadsheets the CSV.

mod chart;
mod text;

pub use chart::*;
pub use text::*;
