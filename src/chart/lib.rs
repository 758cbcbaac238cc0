//! What is drawn, as data, and its forms: canvas, SVG, table, CSV; and how numbers are written.
