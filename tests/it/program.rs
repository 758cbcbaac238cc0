//! The program `overload`, called in-process: what it prints, and what it says to bad arguments.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

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
            assert_eq!(keys(listed), ["name", "label", "seed", "events", "knobs", "article"]);
            assert_eq!((&listed["name"], listed["seed"].as_u64()), (&setup.key.into(), Some(setup.seed)));
            assert_eq!(listed["events"].as_u64(), Some(card.cost(&*setup.knobs)));
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
        let printed = json(&["run", slug, "setup=article", "--seeds", "9", "--json", "seed=5"]);
        assert_eq!(keys(&printed), ["card", "setup", "seed", "knobs", "seeds", "figures"]);
        assert_eq!((printed["seeds"].as_u64(), printed["seed"].as_u64()), (Some(9), Some(5)));
        let knobs = card.knobs();
        let plan = card.plan(&*knobs);
        let many = run_many(5, 9, |seed| card.run(&*knobs, seed));
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

/// The order of arguments says nothing: a setup first and options anywhere, in both forms.
#[test]
fn order_of_arguments() {
    let hash = |arguments: &[&str]| json(arguments)["hash"].clone();
    let strict = hash(&["run", "jitter", "--json", "setup=strict", "base=1s"]);
    assert_eq!(hash(&["run", "jitter", "base=1s", "setup=strict", "--json"]), strict);
    assert_eq!(hash(&["run", "--json", "jitter", "base=1000", "setup=strict"]), strict);
    assert_eq!(hash(&["run", "--json", "base=1000", "jitter", "--", "setup=strict"]), strict);
    assert_ne!(hash(&["run", "jitter", "--json"]), strict);
    let many = good(&["run", "jitter", "--seeds", "3"]);
    for same in
        [["run", "--seeds", "3", "jitter"].as_slice(), &["run", "--seeds=3", "jitter"], &["run", "jitter", "--seeds=3"]]
    {
        assert_eq!(good(same), many, "{same:?}");
    }
}

/// What stands twice is refused: one of the two would be lost without a word.
#[test]
fn given_twice() {
    for (words, named) in [
        (&["base=2", "base=1000"][..], "base"),
        (&["base=2", "setup=strict", "base=2"], "base"),
        (&["seed=1", "seed=2"], "seed"),
        (&["setup=strict", "setup=article"], "setup"),
        (&["--json", "--json"], "--json"),
        (&["--seeds", "3", "--seeds=4"], "--seeds"),
    ] {
        let said = refused(&[&["run", "jitter"][..], words].concat());
        assert!(said.contains(named) && said.contains("given twice"), "{words:?}: {said}");
    }
}

/// `--help` and `-h` answer wherever they stand, whatever else is wrong.
#[test]
fn help() {
    let usage = good(&["help"]);
    assert!(["cards", "run <card>", "sweep <card>", "site", "single-file"].iter().all(|c| usage.contains(c)));
    for help in ["--help", "-h"] {
        for words in [&[help][..], &["run", help], &["cards", "--json", help], &["nonsense", help], &[help, "run"]] {
            assert_eq!(good(words), usage, "{words:?}");
        }
        assert_eq!(good(&["run", "nonsense", "--seeds", "x", help]), usage);
        for &card in overload_cards::all() {
            let slug = card.about().slug;
            let of_card = good(&["run", slug, help]);
            for field in fields(&mut *card.knobs()) {
                let pair = format!("  {}={} ", field.key, field.value());
                let line = of_card.lines().find(|line| line.starts_with(&pair));
                let line = line.unwrap_or_else(|| panic!("{slug}: no line of {}", field.key));
                let range = field.range(Lang::En);
                assert!(line.ends_with(&range) && line.contains(&field.name(Lang::En)), "{line} does not say {range}");
            }
            assert!(card.setups().iter().all(|s| of_card.contains(&format!("setup={} ", s.key))), "{slug}");
            assert_eq!(good(&["run", help, slug]), of_card);
            assert_eq!(good(&["run", slug, "clients", "clients=x", "--nonsense", help]), of_card);
            let of_sweep = good(&["sweep", slug, help]);
            assert!(card.plan(&*card.knobs()).figures.iter().all(|f| of_sweep.contains(&f.key)), "{slug}");
        }
    }
}

/// The nearest name is suggested, and none where nothing is near.
#[test]
fn suggestions() {
    let said = |words: &[&str]| refused(words);
    for (words, meant) in [
        (&["rnu", "jitter"][..], "“run”"),
        (&["run", "jiter"], "“jitter”"),
        (&["run", "Retry_Budget"], "“retry-budget”"),
        (&["run", "jitter", "client=50"], "“clients”"),
        (&["run", "jitter", "CLIENTS=50"], "“clients”"),
        (&["run", "jitter", "sede=5"], "“seed”"),
        (&["run", "jitter", "clients"], "“clients=…”"),
        (&["run", "jitter", "setup=strcit"], "“strict”"),
        (&["run", "jitter", "strategy=ful"], "“full”"),
        (&["run", "jitter", "--jsno"], "“--json”"),
        (&["run", "jitter", "--seed"], "“--seeds”"),
        (&["sweep", "jitter", "clients=10,20", "full_total_cals"], "“full_total_calls”"),
    ] {
        assert!(said(words).contains(&format!("Did you mean {meant}?")), "{words:?}: {}", said(words));
    }
    for words in [
        &["xyz"][..],
        &["run", "nothing-like-it"],
        &["run", "jitter", "colour=red"],
        &["run", "jitter", "setup=x"],
        &["run", "jitter", "strategy="],
        &["run", "jitter", "clients=x"],
    ] {
        assert!(!said(words).contains("Did you mean"), "{words:?}: {}", said(words));
    }
}

/// Each value of a sweep is the run that `run` gives.
#[test]
fn sweeps() {
    let swept = json(&["sweep", "jitter", "clients=100..300:100", "setup=strict", "seed=7", "--json"]);
    assert_eq!(keys(&swept), ["card", "setup", "seed", "knobs", "sweep", "seeds", "figures", "rows"]);
    assert_eq!((&swept["sweep"]["knob"], &swept["sweep"]["unit"]), (&"clients".into(), &"clients".into()));
    assert!(swept["knobs"].get("clients").is_none() && swept["knobs"]["base"].is_number());
    let rows = swept["rows"].as_array().expect("rows");
    assert_eq!(rows.iter().map(|row| row["value"].as_u64()).collect::<Vec<_>>(), [Some(100), Some(200), Some(300)]);
    for row in rows {
        let run = json(&["run", "jitter", &format!("clients={}", row["value"]), "setup=strict", "seed=7", "--json"]);
        for (key, figure) in run["figures"].as_object().expect("figures") {
            assert_eq!(row["figures"][key], figure["value"], "{key}");
            assert_eq!(swept["figures"][key]["unit"], figure["unit"], "{key}");
        }
    }
    // Of many seeds the distributions, and figures as asked for.
    let many =
        json(&["sweep", "--seeds=9", "jitter", "full_all_done", "clients=100,300", "full_total_calls", "--json"]);
    for row in many["rows"].as_array().expect("rows") {
        let run = json(&["run", "jitter", &format!("clients={}", row["value"]), "--seeds", "9", "--json"]);
        assert_eq!(keys(&row["figures"]), ["full_all_done", "full_total_calls"]);
        for key in ["full_all_done", "full_total_calls"] {
            for name in ["mean", "sd", "min", "p1", "p5", "median", "p95", "p99", "max", "n"] {
                assert_eq!(row["figures"][key][name], run["figures"][key][name], "{key} {name}");
            }
        }
    }

    let csv = good(&["sweep", "jitter", "clients=100,300", "full_total_calls", "--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines.len()), ("clients,full_total_calls", 3));
    let number = &rows[0]["figures"]["none_total_calls"];
    let strict = good(&["sweep", "jitter", "clients=100,300", "none_total_calls", "setup=strict", "seed=7", "--csv"]);
    assert_eq!(strict.lines().nth(1), Some(format!("100,{number}").as_str()));
    let csv = good(&["sweep", "jitter", "clients=100,300", "full_total_calls", "--csv", "--seeds", "3"]);
    assert!(csv.starts_with("clients,full_total_calls_mean,full_total_calls_sd,"), "{csv}");
    assert!(csv.lines().all(|line| line.split(',').count() == 10), "{csv}");

    // For people: a line each, aligned, of numbers with units.
    let text = good(&["sweep", "jitter", "clients=10,1000", "none_total_calls"]);
    assert_eq!(text, "clients  none_total_calls\n     10          10\u{a0}calls\n   1000       5,500\u{a0}calls\n");
    assert!(good(&["sweep", "jitter", "clients=10,20", "--seeds", "3"]).starts_with("Medians over --seeds 3.\n"));

    let values = |range: &str| {
        let swept = json(&["sweep", "jitter", range, "full_total_calls", "--json"]);
        swept["rows"].as_array().expect("rows").iter().map(|row| row["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(values("base=10ms..30ms:10ms"), [10, 20, 30]);
    assert_eq!(values("clients=10..35:10"), [10, 20, 30]);
    assert_eq!(values("clients=50..50"), [50]);
    assert_eq!(values("strategy=full,equal"), ["full", "equal"]);
    // Without a step both ends and the slider's stops between.
    let clients = fields(&mut *overload_cards::find("jitter").expect("a card").knobs());
    let What::Number(spec, _) = &clients.iter().find(|f| f.key == "clients").expect("a knob").what else {
        panic!("no number")
    };
    let stops: Vec<u64> = spec.stops().into_iter().filter(|s| (101..200).contains(s)).collect();
    assert!(stops.len() > 2);
    assert_eq!(
        values("clients=101..200"),
        [&stops[..], &[200]].concat().into_iter().fold(vec![101], |mut all, s| {
            if all.last() != Some(&s) {
                all.push(s);
            }
            all
        })
    );
}

/// Every card can be swept, over any of its knobs.
#[test]
fn sweeps_of_every_card() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        for field in fields(&mut *card.knobs()) {
            let range = match &field.what {
                What::Number(spec, value) => format!("{}..{}", spec.write(*value), spec.write(*value)),
                What::Choice(options, _) => format!("{},{}", options[0].key, options[1].key),
                What::Switch(_) => "on,off".into(),
            };
            let pair = format!("{}={range}", field.key);
            let text = good(&["sweep", slug, &pair]);
            sane(slug, &text);
            assert!(text.starts_with(&field.key) || text.trim_start().starts_with(&field.key), "{text}");
        }
    }
}

/// What is no sweep, or too much of one, is refused before the first run.
#[test]
fn absurd_sweeps() {
    for (words, named) in [
        (&["clients=10..100000:1"][..], "99,991 runs"),
        (&["clients=10..100:10", "--seeds", "1001"], "10,010 runs"),
        (&["clients=10..100000", "--seeds", "1000000"], "at most 10,000"),
        (&["clients=100000,99999,99998,99997", "--seeds", "2500", "attempts=50"], "events"),
        (&["clients=10..1000000:10"], "10 to 100000 clients"),
        (&["clients=9..100"], "10 to 100000 clients"),
        (&["clients=10,x"], "10 to 100000 clients"),
        (&["clients=10,"], "10 to 100000 clients"),
        (&["clients=.."], "10 to 100000 clients"),
        (&["clients=100..10"], "goes down"),
        (&["clients=10..100:0"], "no step"),
        (&["clients=10..100:x"], "no step"),
        (&["clients=10..100:-1"], "no step"),
        (&["clients=10..100:0.5"], "no step"),
        (&["clients=10.5..100"], "whole number"),
        (&["strategy=full..equal"], "a list"),
        (&["strategy=full,nonsense"], "strategy"),
        (&["clients=10,20", "base=1,2"], "“clients” and “base”"),
        (&["clients=100"], "sweep wants"),
        (&[], "sweep wants"),
        (&["seed=1..5"], "--seeds"),
        (&["setup=article,strict"], "no knob"),
        (&["colour=1..5"], "not a knob"),
        (&["clients=10,20", "nonsense"], "Figures: "),
        (&["clients=10,20", "full_total_calls", "full_total_calls"], "given twice"),
        (&["clients=10,20", "clients=30,40"], "given twice"),
        (&["clients=10,20", "--json", "--csv"], "not both"),
        (&["clients=10,20", "--series"], "no option"),
        (&["clients=10,20", "--seeds", "0"], "1 to 1000000"),
    ] {
        let said = refused(&[&["sweep", "jitter"][..], words].concat());
        assert!(said.contains(named), "{words:?}: {said}");
    }
    let list = format!("clients={}10", "10,".repeat(1_000_000));
    assert!(refused(&["sweep", "jitter", &list]).contains("1,000,001 runs"));
    refused(&["sweep"]);
    assert!(refused(&["sweep", "jiter", "clients=10,20"]).contains("“jitter”"));
}

/// A reader that has gone is no error, a full disk is one.
#[test]
fn printing() {
    struct Refuses(ErrorKind);
    impl Write for Refuses {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }
    let ending = run(&["cards"]);
    let print = |kind: ErrorKind| {
        let mut complaints = Vec::new();
        let status = ending.print(&mut Refuses(kind), &mut complaints);
        (status, String::from_utf8(complaints).expect("text"))
    };
    assert_eq!(print(ErrorKind::BrokenPipe), (0, String::new()));
    let (status, said) = print(ErrorKind::StorageFull);
    assert_eq!(status, 1);
    assert!(said.starts_with("overload: cannot print: "), "{said}");
    let mut out = Vec::new();
    assert_eq!(ending.print(&mut out, &mut Refuses(ErrorKind::BrokenPipe)), 0);
    assert_eq!(String::from_utf8(out).as_deref(), Ok(ending.out.as_str()));
    let mut complaints = Vec::new();
    assert_eq!(run(&["run"]).print(&mut Vec::new(), &mut complaints), 2);
    assert!(complaints.starts_with(b"overload: run wants a card"));
    // Nothing printed holds a control character, so no colour either.
    for words in [&["cards"][..], &["help"], &["run", "jitter"], &["run", "jitter", "--help"]] {
        assert!(!good(words).contains(|c: char| c.is_control() && c != '\n'), "{words:?}");
    }
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
                let name = field.name(Lang::En).to_lowercase();
                assert!(said.to_lowercase().contains(&name), "{}={value:.20}: {said}", field.key);
                // The key as it was typed, first of all.
                let start = format!("overload: {}", field.key);
                assert!(said.starts_with(&start), "{}={value:.20}: {said}", field.key);
            }
        }
        for field in fields(&mut *card.knobs()) {
            let What::Number(spec, _) = &field.what else { continue };
            if spec.whole() && spec.min < spec.max {
                let said = refused(&["run", slug, &format!("{}={}.4", field.key, spec.min)]);
                assert!(said.contains("not a whole number") && said.contains(&spec.range(Lang::En)), "{said}");
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
        for word in ["--nonsense", "", "-", "-x", "clients", "--seeds=", "--seeds=x", "--json=1", "---", "--\u{7}"] {
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
    for words in [&["run"][..], &["run", "a=b"], &["cards", "x"], &["cards", "--json", "--json"]] {
        refused(words);
    }
    // An empty path would be the folder that the program stands in, whatever that is.
    for words in [
        &["site"][..],
        &["site", "a", "b"],
        &["site", ""],
        &["single-file", "a"],
        &["single-file", "", "b", "c", "d", "e"],
    ] {
        assert!(refused(words).contains(" wants "), "{words:?}");
    }
    assert!(good(&["help"]).contains(usage));
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

/// The site as the program writes it, once for all tests.
pub struct Written {
    /// What the program printed.
    pub listed: String,
    /// Each page's HTML by its folder: empty for the home page.
    pub pages: BTreeMap<String, String>,
}

/// Written from the shell that [`crate::pages`] describes.
pub static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    // Nothing is written but into the folder named: tests run in any folder, even the one of the shell itself.
    let here = || {
        let entry = |e: io::Result<fs::DirEntry>| {
            let e = e.expect("an entry");
            (e.file_name(), e.metadata().and_then(|m| m.modified()).ok())
        };
        fs::read_dir(".").expect("a folder").map(entry).collect::<BTreeMap<_, _>>()
    };
    let before = here();
    let folder = Folder::new("site");
    fs::write(folder.0.join("index.html"), crate::pages::shell()).expect("the shell");
    let listed = good(&["site", folder.word()]);
    assert_eq!(here(), before, "written into the folder at hand");
    // The shell is used up: a second time would write pages into a page.
    let Ending { status, complaint, .. } = run(&["site", folder.word()]);
    assert_eq!(status, 1, "{complaint}");
    let page = |line: &str| {
        let at = line.trim_matches('/');
        let file = folder.0.join(at).join("index.html");
        (at.to_string(), fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
    };
    let pages = listed.lines().map(page).collect();
    Written { listed, pages }
});

#[test]
fn site() {
    let Written { listed, pages } = &*WRITTEN;
    assert_eq!(listed.lines().count(), 4 + 4 * overload_cards::all().len(), "{listed}");
    assert_eq!(pages.len(), listed.lines().count());
    for (page, html) in pages {
        assert!(html.contains("<h1"), "{page}");
    }
    let empty = Folder::new("empty");
    for folder in [empty.word(), "/nonexistent/folder", "\0"] {
        let Ending { status, out, complaint } = run(&["site", folder]);
        assert_eq!((status, out.as_str()), (1, ""), "{folder}");
        assert!(complaint.starts_with("overload: ") && complaint.contains("index.html"), "{folder}: {complaint}");
    }
    fs::write(empty.0.join("index.html"), "<html lang=\"en\">no marks</html>").expect("a file");
    let Ending { status, complaint, .. } = run(&["site", empty.word()]);
    assert_eq!(status, 1);
    assert!(complaint.contains("the shell has no"), "{complaint}");
}
