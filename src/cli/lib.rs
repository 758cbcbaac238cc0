//! What the program `overload` does: the same cards without a browser. `main.rs` only prints what comes out of here, so
//! that tests call the program in-process.
//!
//! ```text
//! overload cards [--json]
//! overload run <card> [setup=<name>] [knob=value …] [seed=N] [--seeds N] [--series] [--json]
//! overload sweep <card> <knob>=<from>..<to>[:<step>] [figure …] [knob=value …] [--seeds N] [--json|--csv]
//! overload site <dir>
//! overload single-file <dist> <glue.js> <wasm> <unxz.js> <out.html>
//! ```
//!
//! Exit status: 0 done; 2 for what cannot be done as asked (an unknown card, knob, setup or option, a value out of range, a
//! key given twice), with a message that names what is allowed; 1 where something went wrong (a file that cannot be
//! written). What it prints is UTF-8 without colours.

mod arguments;
mod asked;
mod cards;
mod run;
mod suggest;
mod sweep;

use std::io::{ErrorKind, Write};

use overload_cards::knobs::shortened;

use crate::arguments::{Arguments, asks_for_help};
use crate::suggest::suggestion;

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

impl Ending {
    /// Prints it; gives the exit status. A reader that has gone (`| head`) is no error, a full disk is one.
    pub fn print(&self, out: &mut impl Write, complaints: &mut impl Write) -> u8 {
        let printed = out.write_all(self.out.as_bytes()).and_then(|()| out.flush());
        // Where complaints cannot be printed, there is nowhere to say so.
        let _ = complaints.write_all(self.complaint.as_bytes());
        match printed {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                let _ = writeln!(complaints, "overload: cannot print: {e}");
                1
            }
            _ => self.status,
        }
    }
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
    --series: the series too (JSON only). overload run <card> --help: the card's knobs and setups.
overload sweep <card> <knob>=<from>..<to>[:<step>] [figure …] [knob=value …] [--seeds N] [--json|--csv]
    Runs a card once for each value of one knob; <knob>=a,b,c for a list. Without a step: the slider's stops.
    Without figures: all of them. With --seeds N the medians, in JSON and CSV the distributions.
overload site <dir>
    Writes the pages into <dir>, around the shell <dir>/index.html.
overload single-file <dist> <glue.js> <wasm> <unxz.js> <out.html>
    Packs the built site <dist> into one file, with the WASM and its glue for \"no-modules\".
";

const COMMANDS: [&str; 6] = ["cards", "run", "sweep", "site", "single-file", "help"];

/// Does what the arguments (without the program's name) ask for.
pub fn run(arguments: &[&str]) -> Ending {
    let result = match arguments.split_first() {
        _ if asks_for_help(arguments) => Ok(help(arguments)),
        Some((&"help", _)) => Ok(USAGE.into()),
        Some((&"cards", words)) => cards::main(words),
        Some((&"run", words)) => run::main(words),
        Some((&"sweep", words)) => sweep::main(words),
        Some((&"site", words)) => site(words),
        Some((&"single-file", words)) => single_file(words),
        Some((other, _)) => {
            let meant = suggestion(other, COMMANDS);
            Err(Failure::Usage(format!("“{}” is no command.{meant}\n{USAGE}", shortened(other))))
        }
        None => Err(Failure::Usage(USAGE.into())),
    };
    let (status, out, message) = match result {
        Ok(out) => return Ending { status: 0, out, complaint: String::new() },
        Err(Failure::Usage(message)) => (2, String::new(), message),
        Err(Failure::Broken(message)) => (1, String::new(), message),
    };
    Ending { status, out, complaint: format!("overload: {}\n", message.trim_end()) }
}

/// What to say to `--help`: about the card, where one is named.
fn help(arguments: &[&str]) -> String {
    let card = arguments.iter().skip(1).find_map(|word| overload_cards::find(word));
    match (arguments.first(), card) {
        (Some(&"run"), Some(card)) => asked::describe(card),
        (Some(&"sweep"), Some(card)) => {
            let figures: Vec<String> = card.plan(&*card.knobs()).figures.into_iter().map(|f| f.key).collect();
            format!("{}\nFigures: {}\n", asked::describe(card), figures.join(", "))
        }
        _ => USAGE.into(),
    }
}

/// The card named, or a message that lists them.
fn card(slug: &str) -> Result<&'static dyn overload_cards::card::Card, Failure> {
    let all: Vec<&str> = overload_cards::all().iter().map(|c| c.about().slug).collect();
    let meant = || suggestion(slug, all.iter().copied());
    let unknown = || Failure::Usage(format!("“{}” is no card.{} Cards: {}.", shortened(slug), meant(), all.join(", ")));
    overload_cards::find(slug).ok_or_else(unknown)
}

/// The paths that a command wants, none of them empty: an empty one would mean the folder that the program happens to
/// stand in, and nobody means that.
fn paths<const N: usize>(words: &[&str], wanted: &str) -> Result<[std::path::PathBuf; N], Failure> {
    let free = Arguments::parse(words, &[])?.free;
    let given: Option<[String; N]> = free.try_into().ok().filter(|all: &[String; N]| all.iter().all(|p| !p.is_empty()));
    Ok(given.ok_or_else(|| Failure::Usage(wanted.into()))?.map(Into::into))
}

fn site(words: &[&str]) -> Result<String, Failure> {
    let [folder] = paths(words, "site wants one folder, which holds the built index.html.")?;
    let pages = overload_site::write(&folder).map_err(Failure::Broken)?;
    let line = |page: &String| format!("{}\n", if page.is_empty() { "/" } else { page });
    Ok(pages.iter().map(line).collect())
}

fn single_file(words: &[&str]) -> Result<String, Failure> {
    let [dist, glue, wasm, unxz, out] =
        paths(words, "single-file wants five paths: <dist> <glue.js> <wasm> <unxz.js> <out.html>.")?;
    let size = overload_site::single::write(&dist, &glue, &wasm, &unxz, &out).map_err(Failure::Broken)?;
    Ok(format!("{}: {size} of at most {} bytes\n", out.display(), overload_site::single::LIMIT))
}
