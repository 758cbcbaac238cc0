//! Writes the static pages, natively.
