//! The program `overload`, called in-process: what it prints, and what it says to bad arguments.

use std::fs;
use std::path::{Path, PathBuf};

use overload_cards::knobs::{What, fields};
use overload_cards::many::run_many;
use overload_chart::Lang;
use overload_cli::{Ending, run};
use serde_json::Value;

use crate::support::{is_snake_case, sane, shuffled_within};

/// Runs the program, which must succeed and say nothing on the side.
#[track_caller]
fn good(arguments: &[&str]) -> String {
    let Ending { status, out, complaint } = run(arguments);
    assert_eq!((status, complaint.as_str()), (0, ""), "{arguments:?}");
    assert!(out.ends_with('\n') && !out.ends_with("\n\n"), "{arguments:?}: {out:?}");
    out
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let out = good(arguments);
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{arguments:?}: {e}"))
}

/// Runs the program, which must refuse: exit 2, nothing printed, a message of moderate length. Gives the message.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let Ending { status, out, complaint } = run(arguments);
    assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {complaint}");
    assert!(complaint.starts_with("overload: ") && complaint.ends_with('\n'), "{arguments:?}: {complaint:?}");
    assert!(complaint.len() < 3_000, "{arguments:?}: a message of {} bytes", complaint.len());
    assert!(!complaint.contains(|c: char| c.is_control() && c != '\n'), "{arguments:?}: {complaint:?}");
    complaint
}

#[track_caller]
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}

#[test]
fn cards_as_json() {
    let list = json(&["cards", "--json"]);
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), overload_cards::all().len());
    for (entry, card) in list.iter().zip(overload_cards::all()) {
        let slug = card.about().slug;
        assert_eq!(entry["card"], slug);
        assert_eq!(keys(entry), ["card", "number", "title", "sources", "knobs", "setups", "figures"]);
        for source in entry["sources"].as_array().expect("sources") {
            assert!(source["article"].is_u64() && source["part"].is_string(), "{slug}: {source}");
        }
        let knobs = entry["knobs"].as_array().expect("knobs");
        let fields = fields(&mut *card.knobs());
        assert_eq!(knobs.len(), fields.len(), "{slug}");
        for (knob, field) in knobs.iter().zip(&fields) {
            assert_eq!(knob["key"], field.key);
            assert!(!knob["default"].is_null() && knob["label"].is_string(), "{slug}: {knob}");
            match &field.what {
                What::Number(spec, value) => {
                    let kinds = ["whole", "ratio", "duration", "rate"];
                    assert!(kinds.contains(&knob["kind"].as_str().expect("a kind")), "{slug}: {knob}");
                    let expected = [spec.min, spec.max, spec.step, *value].map(|v| Some(spec.value(v)));
                    assert_eq!(["min", "max", "step", "default"].map(|k| knob[k].as_f64()), expected, "{slug}: {knob}");
                    assert_eq!(knob["unit"], spec.unit.key);
                }
                What::Choice(options, index) => {
                    let listed = knob["choices"].as_array().expect("choices");
                    assert!(listed.iter().map(|o| &o["key"]).eq(options.iter().map(|o| o.key)), "{slug}: {knob}");
                    assert_eq!((&knob["kind"], &knob["default"]), (&"choice".into(), &options[*index].key.into()));
                }
                What::Switch(on) => assert_eq!((&knob["kind"], &knob["default"]), (&"switch".into(), &(*on).into())),
            }
        }
        let figures = entry["figures"].as_array().expect("figures");
        assert!(figures.iter().all(|f| keys(f) == ["key", "unit", "group", "label"]), "{slug}");
        for (listed, setup) in entry["setups"].as_array().expect("setups").iter().zip(card.setups()) {
            assert_eq!(keys(listed), ["name", "label", "seed", "knobs", "article"]);
            assert_eq!((&listed["name"], listed["seed"].as_u64()), (&setup.key.into(), Some(setup.seed)));
            assert!(keys(&listed["knobs"]).into_iter().eq(fields.iter().map(|f| f.key.as_str())), "{slug}");
            assert_eq!(keys(&listed["article"]).len(), setup.printed.len(), "{slug}: {}", setup.key);
            for printed in &setup.printed {
                let entry = &listed["article"][printed.figure];
                assert_eq!(keys(entry), ["value", "unit", "kind", "note", "tolerance"]);
                assert_eq!(entry["value"].as_f64(), Some(printed.value), "{slug}: {}", printed.figure);
            }
        }
    }
    let text = good(&["cards"]);
    for card in overload_cards::all() {
        assert!(text.contains(card.about().slug));
        for field in fields(&mut *card.knobs()) {
            assert!(text.contains(&format!("{}={}  ({})", field.key, field.value(), field.range(Lang::En))));
        }
    }
}

/// The article's run as the article prints it.
#[test]
fn the_article_of_jitter() {
    let run = json(&["run", "jitter", "setup=article", "--json"]);
    assert_eq!(keys(&run), ["card", "setup", "seed", "knobs", "figures", "ledgers", "hash"]);
    assert_eq!((&run["card"], &run["setup"], &run["seed"]), (&"jitter".into(), &"article".into(), &1.into()));
    assert_eq!((&run["knobs"]["clients"], &run["knobs"]["base"]), (&1000.into(), &100.into()));
    assert_eq!(run["knobs"]["server"], "rounds");
    for (figure, value, unit) in [
        ("none_total_calls", 5500.0, "calls"),
        ("none_retry_peak", 900.0, "calls"),
        ("none_gave_up", 0.0, "clients"),
        ("none_all_done", 32.7, "s"),
        ("additive_retry_peak", 900.0, "calls"),
    ] {
        assert_eq!(keys(&run["figures"][figure]), ["value", "unit"]);
        assert_eq!(run["figures"][figure]["value"].as_f64(), Some(value), "{figure}");
        assert_eq!(run["figures"][figure]["unit"], unit, "{figure}");
    }
    // Whole numbers are written as such.
    assert_eq!(run["figures"]["none_total_calls"]["value"].to_string(), "5500");
    assert!(good(&["run", "jitter"]).contains("none_all_done"));
}

#[test]
fn one_run_of_every_card() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        // Random knobs as flags, so that every knob is one.
        let knobs = shuffled_within(card, 100, 1, 100_000);
        let pairs: Vec<String> =
            fields(&mut *knobs.boxed()).iter().map(|f| format!("{}={}", f.key, f.value())).collect();
        let mut arguments = vec!["run", slug, "--json", "--series", "seed=18446744073709551615"];
        arguments.extend(pairs.iter().map(String::as_str));
        let printed = json(&arguments);
        let (plan, outcome) = (card.plan(&*knobs), card.run(&*knobs, u64::MAX));
        assert_eq!(printed["hash"], format!("{:016x}", outcome.hash()), "{slug}");
        assert_eq!((&printed["setup"], printed["seed"].as_u64()), (&Value::Null, Some(u64::MAX)));
        assert_eq!(keys(&printed["figures"]).len(), plan.figures.len());
        for figure in &plan.figures {
            assert!(is_snake_case(&figure.key));
            let entry = &printed["figures"][&figure.key];
            assert_eq!(
                (entry["value"].as_f64(), &entry["unit"]),
                (outcome.get(&plan, &figure.key), &figure.unit.key.into())
            );
        }
        for (entry, book) in printed["ledgers"].as_array().expect("ledgers").iter().zip(&outcome.books) {
            assert_eq!(keys(entry), ["of", "offered", "good", "caller", "server"]);
            let sum = |side: &str, total: &str| {
                let book = entry[side].as_object().expect("a book");
                let parts: u64 = book.iter().filter(|(k, _)| *k != total).filter_map(|(_, v)| v.as_u64()).sum();
                (parts, book[total].as_u64().expect("a total"))
            };
            assert_eq!(sum("caller", "attempts"), (book.caller.attempts, book.caller.attempts), "{slug}");
            assert_eq!(sum("server", "arrivals"), (book.server.arrivals, book.server.arrivals), "{slug}");
        }
        for series in &plan.series {
            let entry = &printed["series"][&series.key];
            assert_eq!(keys(entry), ["columns", "rows"]);
            assert_eq!(entry["columns"].as_array().map(Vec::len), Some(series.columns.len()));
            let rows = entry["rows"].as_array().expect("rows");
            let ours: Vec<&[f64]> = outcome.rows(&plan, &series.key).collect();
            assert_eq!(rows.len(), ours.len(), "{slug}: {}", series.key);
            for (row, ours) in rows.iter().zip(ours) {
                let row: Vec<Option<f64>> = row.as_array().expect("a row").iter().map(Value::as_f64).collect();
                assert!(row.iter().copied().eq(ours.iter().map(|&v| Some(v))), "{slug}: {}", series.key);
            }
        }
        let words: Vec<&str> = arguments.iter().copied().filter(|a| !a.starts_with("--")).collect();
        let text = good(&words);
        sane(slug, &text);
        assert_eq!(text.lines().count(), plan.figures.len());
    }
}

#[test]
fn many_seeds_of_every_card() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let printed = json(&["run", slug, "setup=article", "--seeds", "30", "--json", "seed=5"]);
        assert_eq!(keys(&printed), ["card", "setup", "seed", "knobs", "seeds", "figures"]);
        assert_eq!((printed["seeds"].as_u64(), printed["seed"].as_u64()), (Some(30), Some(5)));
        let knobs = card.knobs();
        let plan = card.plan(&*knobs);
        let many = run_many(5, 30, |seed| card.run(&*knobs, seed));
        for figure in &plan.figures {
            let entry = &printed["figures"][&figure.key];
            let names = ["unit", "mean", "sd", "min", "p1", "p5", "median", "p95", "p99", "max", "n"];
            assert_eq!(keys(entry), names, "{slug}: {}", figure.key);
            let Some(s) = many.spread(&plan, &figure.key) else {
                assert_eq!((entry["n"].as_u64(), entry["mean"].as_f64()), (Some(0), None));
                continue;
            };
            let ours = [s.mean, s.sd, s.min, s.p1, s.p5, s.median, s.p95, s.p99, s.max];
            for (name, ours) in names[1..].iter().zip(ours) {
                // JSON's reader may be off by the last bit.
                let theirs = entry[name].as_f64().unwrap_or_else(|| panic!("{slug}: {}: {entry}", figure.key));
                assert!((theirs - ours).abs() <= 1e-12 * ours.abs(), "{slug}: {} {name}: {theirs}, {ours}", figure.key);
            }
            assert!(s.min <= s.p5 && s.p5 <= s.median && s.median <= s.p95 && s.p95 <= s.max && s.sd >= 0.0);
        }
        let text = good(&["run", slug, "--seeds", "3"]);
        assert_eq!(text.lines().count(), 1 + plan.figures.len());
        sane(slug, &text);
    }
}

/// The order of arguments says nothing: a setup first, wherever it stands, and of a knob given twice the last.
#[test]
fn order_of_arguments() {
    let hash = |arguments: &[&str]| json(arguments)["hash"].clone();
    let strict = hash(&["run", "jitter", "--json", "setup=strict", "base=1s"]);
    assert_eq!(hash(&["run", "jitter", "base=1s", "setup=strict", "--json"]), strict);
    assert_eq!(hash(&["run", "jitter", "base=2", "base=1000", "setup=strict", "--json"]), strict);
    assert_ne!(hash(&["run", "jitter", "--json"]), strict);
}

#[test]
fn bad_arguments() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        for field in fields(&mut *card.knobs()) {
            let range = field.range(Lang::En);
            let long = "9".repeat(100_000);
            let mut bad = vec!["", "NaN", "inf", "1e400", "1,5", "none of these", "\u{1b}[31m", &long];
            if matches!(field.what, What::Number(..)) {
                bad.extend(["-1", "99999999999999999999"]);
            }
            for value in bad {
                let said = refused(&["run", slug, &format!("{}={value}", field.key)]);
                assert!(said.contains(&range), "{}={value:.20}: {said} does not name {range}", field.key);
                assert!(said.contains(&field.name(Lang::En)), "{}={value:.20}: {said}", field.key);
            }
        }
        for seed in ["18446744073709551616", "-1", "", "x", "1.5"] {
            assert!(refused(&["run", slug, &format!("seed={seed}")]).contains("0 to 18446744073709551615"), "{seed}");
        }
        for unknown in ["colour=red", "=", "==", "=5", "CLIENTS=5", "🙂=🙂"] {
            let said = refused(&["run", slug, unknown]);
            assert!(fields(&mut *card.knobs()).iter().all(|f| said.contains(&f.key)), "{unknown}: {said}");
        }
        let said = refused(&["run", slug, "setup=nonsense"]);
        assert!(card.setups().iter().all(|s| said.contains(s.key)), "{said}");
        for seeds in [&["0"][..], &["-1"], &["1.5"], &["x"], &[""], &["1000001"], &["18446744073709551616"], &[]] {
            let said = refused(&[&["run", slug, "--seeds"], seeds].concat());
            assert!(said.contains("1 to 1000000"), "{seeds:?}: {said}");
        }
        refused(&["run", slug, "--series", "--seeds", "3", "--json"]);
        refused(&["run", slug, "--series"]);
        for word in ["--nonsense", "", "-", "--", "clients", "--seeds=3"] {
            refused(&["run", slug, word]);
        }
    }
    let long = "x".repeat(1_000_000);
    for slug in ["nonsense", "", "Jitter", "../jitter", "jitter ", "🙂", "\u{7}", &long] {
        let said = refused(&["run", slug]);
        assert!(overload_cards::all().iter().all(|c| said.contains(c.about().slug)), "{said}");
    }
    let usage = "overload run <card>";
    for words in [&[][..], &["nonsense"], &[""], &["\u{7}"], &[&long], &["RUN"], &["--json"]] {
        assert!(refused(words).contains(usage), "{words:.20?}");
    }
    for words in [&["run"][..], &["cards", "x"], &["cards", "--json", "--json"], &["site"], &["site", "a", "b"]] {
        refused(words);
    }
    assert!(["help", "--help", "-h"].iter().all(|h| good(&[h]).contains(usage)));
}

/// A folder of its own under the system's temporary one, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("overload-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Folder(path)
    }
    fn word(&self) -> &str {
        self.0.to_str().expect("a path that is text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn shell() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../index.html")
}

#[test]
fn site() {
    let folder = Folder::new("site");
    fs::copy(shell(), folder.0.join("index.html")).expect("the shell");
    let listed = good(&["site", folder.word()]);
    assert_eq!(listed.lines().count(), 2 + 4 * overload_cards::all().len(), "{listed}");
    for page in listed.lines() {
        let file = folder.0.join(page.trim_matches('/')).join("index.html");
        let html = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(html.contains("<h1"), "{page}");
    }
    // The shell is used up: a second time would write pages into a page.
    let Ending { status, complaint, .. } = run(&["site", folder.word()]);
    assert_eq!(status, 1, "{complaint}");

    let empty = Folder::new("empty");
    for folder in [empty.word(), "/nonexistent/folder", "", "\0"] {
        let Ending { status, out, complaint } = run(&["site", folder]);
        assert_eq!((status, out.as_str()), (1, ""), "{folder}");
        assert!(complaint.starts_with("overload: ") && complaint.contains("index.html"), "{folder}: {complaint}");
    }
    fs::write(empty.0.join("index.html"), "<html lang=\"en\">no marks</html>").expect("a file");
    let Ending { status, complaint, .. } = run(&["site", empty.word()]);
    assert_eq!(status, 1);
    assert!(complaint.contains("the shell has no"), "{complaint}");
}
