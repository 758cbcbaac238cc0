//! The program overload: run cards, list them, write the site.
fn main() {}
