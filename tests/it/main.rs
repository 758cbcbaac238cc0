//! Every native test, in one binary (matklad, "Delete Cargo Integration Tests").
//!
//! | module | asserts |
//! |---|---|
//! | `chart` | forms of a chart: SVG, table, CSV, read-out: complete, well-formed, inside the picture, for hostile values too |
//! | `draws` | keyed draws: values for all time, uniformity, independence of neighbouring keys |

mod chart;
mod draws;
mod support;
