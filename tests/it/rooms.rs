//! The house's walls: what a room may know (`src/lib.rs`).

use std::fs;
use std::path::{Path, PathBuf};

fn room(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src").join(name)
}

/// The names under `[dependencies]`, `[target.….dependencies]` and `[build-dependencies]` of a room.
fn dependencies(name: &str) -> Vec<String> {
    let path = room(name).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut inside = false;
    let mut all = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            // `[dependencies.name]` is one too.
            if let Some(name) = section.strip_prefix("dependencies.") {
                all.push(name.to_string());
            }
            inside = section.ends_with("dependencies") && !section.starts_with("dev-");
        } else if inside {
            all.push(line.split(['.', ' ', '=']).next().unwrap_or_default().to_string());
        }
    }
    all.sort_unstable();
    all
}

/// All Rust files of a room, with their text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            all.push((path, text));
        }
    }
    all
}

#[test]
fn dependencies_point_inwards() {
    assert_eq!(dependencies("sim"), ["libm", "rand"]);
    assert_eq!(dependencies("chart"), ["plotters", "plotters-backend"]);
    assert_eq!(dependencies("cards"), ["overload-chart", "overload-sim"]);
    for outer in ["ui", "site", "cli"] {
        assert!(!dependencies(outer).contains(&"overload-sim".to_string()), "{outer} goes around the cards");
    }
    for (native, browser) in [("cli", "leptos"), ("cli", "overload-ui"), ("site", "web-sys")] {
        assert!(!dependencies(native).contains(&browser.to_string()), "{native} knows {browser}");
    }
}

/// What would make a run differ from one machine, or one moment, to the next.
#[test]
fn the_physics_knows_no_clock_and_no_chance() {
    let forbidden =
        ["std::time::", "HashMap", "HashSet", "Instant::", "SystemTime", "thread_rng", "rand::rng", "std::env"];
    let all = sources(&room("sim"));
    assert!(all.len() > 10, "only {} files", all.len());
    for (path, text) in all {
        // A method of the platform's library rounds otherwise in WASM; clippy refuses these where they are called.
        for word in forbidden {
            assert!(!text.contains(word), "{} mentions {word}", path.display());
        }
    }
    for room_name in ["cards", "chart"] {
        for (path, text) in sources(&room(room_name)) {
            for word in ["std::time::", "Instant::", "SystemTime", "HashMap<", "web_sys", "leptos"] {
                assert!(!text.contains(word), "{} mentions {word}", path.display());
            }
        }
    }
}

/// The list of the tests at the top of `main.rs` is complete.
#[test]
fn every_test_module_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it");
    let main = fs::read_to_string(folder.join("main.rs")).expect("main.rs");
    for (path, _) in sources(&folder) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.parent() == Some(&*folder) && name != "main" {
            assert!(main.contains(&format!("mod {name};")), "{name} is not compiled");
            assert!(name == "support" || main.contains(&format!("//! | `{name}` |")), "{name} is not in the table");
        }
    }
}
