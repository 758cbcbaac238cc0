//! Browser entry.
fn main() {}
