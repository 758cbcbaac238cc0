//! What several test modules need.

use std::path::PathBuf;

use serde_json::Value;

/// Reads a file of expected values: `vector("articles/jitter.json")`.
///
/// The vectors are kept in `tests/vectors`, byte for byte as they were handed over.
#[track_caller]
pub fn vector(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
