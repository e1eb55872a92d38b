//! The command line: one file per command.

mod args;
mod check;
mod demo;
mod error;
mod explain;
mod in_force;
mod input;
mod policy;
mod project;
mod results;
mod schema;

use std::ffi::OsString;

use clap::Parser as _;
use exacta_core::path::is_hidden;
use exacta_core::shown::visible;

use crate::exit::Exit;
use crate::inspector;
use crate::render::Printer;
pub(crate) use args::command;
use args::{Cli, Command};
pub(crate) use error::CliError;

/// Runs the command line and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    if args.get(1).is_some_and(|arg| arg == inspector::CHILD) {
        return inspector::serve();
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            return usage(&error);
        }
    };
    let mut printer = Printer::new();
    let outcome = cli
        .directory
        .as_deref()
        .map_or(Ok(()), input::enter)
        .and_then(|()| dispatch(&cli, &mut printer));
    match outcome {
        Ok(exit) => exit.code(),
        Err(error) => {
            error.print(&mut printer);
            error.exit().code()
        }
    }
}

/// Help and version are not errors; they go to stdout and end with 0.
fn usage(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    // The message repeats what was typed, which may have come from a file name.
    if text.chars().any(|c| is_hidden(c) && c != '\n') {
        for line in text.lines() {
            anstream::eprintln!("{}", visible(line.as_bytes()));
        }
    } else {
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.code() } else { Exit::Done.code() }
}

fn dispatch(cli: &Cli, printer: &mut Printer) -> Result<Exit, CliError> {
    match &cli.command {
        Command::Check(args) => check::run(args, printer),
        Command::Explain(args) => explain::run(args, printer),
        Command::Policy(args) => policy::run(args, printer),
        Command::Results(args) => results::run(args, printer),
        Command::Schema(args) => schema::run(args, printer),
        Command::Demo(args) => demo::run(args, printer),
    }
}
