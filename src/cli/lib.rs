//! What the program `overload` does: the same cards without a browser. `main.rs` only prints what comes out of here, so
//! that tests call the program in-process.
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

use overload_cards::knobs::shortened;

/// What a call of the program gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The exit status.
    pub status: u8,
    /// What it prints.
    pub out: String,
    /// What it complains about.
    pub complaint: String,
}

/// Why the program ends early.
enum Failure {
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
    Packs the built site <dist> into one file, with the WASM and its glue for \"no-modules\".
";

/// Does what the arguments (without the program's name) ask for.
pub fn run(arguments: &[&str]) -> Ending {
    let result = match arguments.split_first() {
        Some((&"cards", words)) => cards::main(words),
        Some((&"run", words)) => run::main(words),
        Some((&"site", words)) => site(words),
        Some((&"single-file", words)) => single_file(words),
        Some((&("help" | "--help" | "-h"), _)) => Ok(USAGE.into()),
        Some((other, _)) => Err(Failure::Usage(format!("“{}” is no command.\n{USAGE}", shortened(other)))),
        None => Err(Failure::Usage(USAGE.into())),
    };
    let (status, out, message) = match result {
        Ok(out) => return Ending { status: 0, out, complaint: String::new() },
        Err(Failure::Usage(message)) => (2, String::new(), message),
        Err(Failure::Broken(message)) => (1, String::new(), message),
    };
    Ending { status, out, complaint: format!("overload: {}\n", message.trim_end()) }
}

/// The card named, or a message that lists them.
fn card(slug: &str) -> Result<&'static dyn overload_cards::card::Card, Failure> {
    let all = || overload_cards::all().iter().map(|c| c.about().slug).collect::<Vec<_>>().join(", ");
    let unknown = || Failure::Usage(format!("“{}” is no card. Cards: {}.", shortened(slug), all()));
    overload_cards::find(slug).ok_or_else(unknown)
}

fn site(words: &[&str]) -> Result<String, Failure> {
    let &[folder] = words else {
        return Err(Failure::Usage("site wants one folder, which holds the built index.html.".into()));
    };
    let pages = overload_site::write(std::path::Path::new(folder)).map_err(Failure::Broken)?;
    let line = |page: &String| format!("{}\n", if page.is_empty() { "/" } else { page });
    Ok(pages.iter().map(line).collect())
}

fn single_file(words: &[&str]) -> Result<String, Failure> {
    let &[dist, glue, wasm, out] = words else {
        return Err(Failure::Usage("single-file wants four paths: <dist> <glue.js> <wasm> <out.html>.".into()));
    };
    let [dist, glue, wasm, out] = [dist, glue, wasm, out].map(std::path::Path::new);
    let size = overload_site::single::write(dist, glue, wasm, out).map_err(Failure::Broken)?;
    Ok(format!("{}: {size} of at most {} bytes\n", out.display(), overload_site::single::LIMIT))
}
