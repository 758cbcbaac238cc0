<<<<<<< HEAD
//! The program `overload`; what it does is in `lib.rs`.
=======
//! The program `overload`: the same cards without a browser.
//!
//! ```text
//! overload cards [--json]
//! overload run <card> [setup=<name>] [knob=value …] [seed=N] [--seeds N] [--series] [--json]
//! overload site <dir>
//! overload single-file <dist> <glue.js> <wasm> <out.html>
//! ```
//!
//! Exit status: 0 done; 2 for an unknown card, knob or setup, or a value out of range, with a message that names the
//! range; 1 where something else went wrong (a file that cannot be written).

mod cards;
mod run;
>>>>>>> single

use std::io::Write as _;
use std::process::ExitCode;

<<<<<<< HEAD
fn main() -> ExitCode {
    // What is no UTF-8 can be no key and no value; the replacement character has it refused with a message.
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ending = overload_cli::run(&words);
    // A reader that has gone (`| head`) is no error.
    let _ = std::io::stdout().write_all(ending.out.as_bytes());
    let _ = std::io::stderr().write_all(ending.complaint.as_bytes());
    ExitCode::from(ending.status)
=======
/// Why the program ends early.
pub enum Failure {
    /// What was asked cannot be done as it stands: exit 2.
    Usage(String),
    /// It could be, but went wrong: exit 1.
    Broken(String),
}

const USAGE: &str = "\
overload cards [--json]
    The cards with their knobs (key, kind, unit, range, default) and setups with the article's figures.
overload run <card> [setup=<name>] [knob=value …] [seed=N] [--seeds N] [--series] [--json]
    Runs a card. --seeds N: mean, sd, min, p1, p5, median, p95, p99, max over N seeds from the given one on.
    --series: the series too (JSON only).
overload site <dir>
    Writes the pages into <dir>, around the shell <dir>/index.html.
overload single-file <dist> <glue.js> <wasm> <out.html>
    Packs the built site <dist> into one file, with the WASM and its glue for \"no-modules\".";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    let result = match words.next() {
        Some("cards") => cards::main(&words.collect::<Vec<_>>()),
        Some("run") => run::main(&words.collect::<Vec<_>>()),
        Some("site") => site(&words.collect::<Vec<_>>()),
        Some("single-file") => single_file(&words.collect::<Vec<_>>()),
        Some("help" | "--help" | "-h") => {
            print(USAGE);
            Ok(())
        }
        Some(other) => Err(Failure::Usage(format!("“{other}” is no command.\n{USAGE}"))),
        None => Err(Failure::Usage(USAGE.into())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            eprintln!("overload: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Broken(message)) => {
            eprintln!("overload: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line; a reader that has gone (`| head`) is no error.
pub fn print(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The card named, or a message that lists them.
pub fn card(slug: &str) -> Result<&'static dyn overload_cards::card::Card, Failure> {
    let all = || overload_cards::all().iter().map(|c| c.about().slug).collect::<Vec<_>>().join(", ");
    overload_cards::find(slug).ok_or_else(|| Failure::Usage(format!("“{slug}” is no card. Cards: {}.", all())))
}

fn site(words: &[&str]) -> Result<(), Failure> {
    let &[folder] = words else {
        return Err(Failure::Usage("site wants one folder, which holds the built index.html.".into()));
    };
    let pages = overload_site::write(std::path::Path::new(folder)).map_err(Failure::Broken)?;
    for page in pages {
        print(if page.is_empty() { "/" } else { &page });
    }
    Ok(())
>>>>>>> single
}

fn single_file(words: &[&str]) -> Result<(), Failure> {
    let &[dist, glue, wasm, out] = words else {
        return Err(Failure::Usage("single-file wants four paths: <dist> <glue.js> <wasm> <out.html>.".into()));
    };
    let [dist, glue, wasm, out] = [dist, glue, wasm, out].map(std::path::Path::new);
    let size = overload_site::single::write(dist, glue, wasm, out).map_err(Failure::Broken)?;
    print(&format!("{}: {size} of at most {} bytes", out.display(), overload_site::single::LIMIT));
    Ok(())
}
