//! The words after a command: options anywhere, in both forms (`--seeds 3`, `--seeds=3`), and what is left.

use lexopt::{Arg, Parser};

use crate::suggest::suggestion;
use crate::{Failure, shortened};

/// An option that a command takes.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Its name without dashes.
    pub name: &'static str,
    /// What its value must be, for messages; `None` where it takes none.
    pub value: Option<&'static str>,
}

/// The words of a command, sorted.
pub struct Arguments {
    options: Vec<(&'static str, String)>,
    /// What is no option, in order.
    pub free: Vec<String>,
}

impl Arguments {
    /// Sorts `words`.
    ///
    /// # Errors
    /// Where an option is unknown, stands twice, lacks its value or has one that it does not take.
    pub fn parse(words: &[&str], known: &[Opt]) -> Result<Arguments, Failure> {
        let mut out = Arguments { options: Vec::new(), free: Vec::new() };
        let mut parser = Parser::from_args(words);
        // An error of the parser's own quotes what was typed whole, control characters and all; ours never do.
        loop {
            let typed = match parser.next() {
                Ok(None) => return Ok(out),
                Ok(Some(Arg::Value(word))) => {
                    out.free.push(word.to_string_lossy().into_owned());
                    continue;
                }
                Ok(Some(Arg::Long(name))) => format!("--{name}"),
                Ok(Some(Arg::Short(letter))) => format!("-{letter}"),
                Err(lexopt::Error::UnexpectedValue { option, .. }) => {
                    return Err(Failure::Usage(format!("{} takes no value.", shortened(&option))));
                }
                Err(_) => return Err(Failure::Usage("the arguments cannot be read.".into())),
            };
            let Some(option) = known.iter().find(|o| typed.strip_prefix("--") == Some(o.name)) else {
                let all: Vec<String> = known.iter().map(|o| format!("--{}", o.name)).collect();
                let list = if all.is_empty() { String::new() } else { format!(" Options: {}.", all.join(", ")) };
                let meant = suggestion(&typed, all.iter().map(String::as_str));
                return Err(Failure::Usage(format!("“{}” is no option here.{meant}{list}", shortened(&typed))));
            };
            let value = match option.value {
                None => String::new(),
                Some(wanted) => match parser.value() {
                    Ok(value) => value.to_string_lossy().into_owned(),
                    Err(_) => return Err(Failure::Usage(format!("{typed} wants {wanted}."))),
                },
            };
            if out.has(option.name) {
                return Err(Failure::Usage(format!("{typed} is given twice.")));
            }
            out.options.push((option.name, value));
        }
    }

    /// Whether the option stands there.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The option's value; empty where it takes none.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }
}

/// Whether help is asked for, anywhere among the words.
pub fn asks_for_help(words: &[&str]) -> bool {
    words.iter().take_while(|w| **w != "--").any(|w| matches!(*w, "--help" | "-h"))
}
