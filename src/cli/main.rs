//! The program `overload`; what it does is in `lib.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // What is no UTF-8 can be no key and no value; the replacement character has it refused with a message.
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ending = overload_cli::run(&words);
    ExitCode::from(ending.print(&mut std::io::stdout(), &mut std::io::stderr()))
}
