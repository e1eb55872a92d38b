//! The command line: one file per command.

mod acp;
mod adopt;
mod agent;
mod approve;
mod approved;
mod args;
mod capture;
mod changes;
mod check;
mod commit;
mod completions;
mod confirm;
mod connect;
mod credential;
mod decision;
mod deeds;
mod demo;
mod demo_recipe;
mod demo_web;
mod diff;
mod doctor;
mod door;
mod draft;
mod error;
mod explain;
mod firing;
mod found_tests;
mod gc;
mod glossary;
mod go_on;
mod hints;
mod hook;
pub(crate) mod in_force;
mod init;
mod input;
mod list;
mod log;
mod mcp;
mod no_tests;
mod notices;
mod notify;
mod offer;
mod pause;
mod policy;
mod project;
mod propose;
mod receipt;
mod recipe;
mod recover;
mod reject;
mod remote;
mod renew;
mod resolve;
mod results;
mod review;
mod room;
mod run;
mod schema;
mod serve;
mod show;
mod stats;
mod status;
mod step;
mod steps;
mod tips;
mod turns;
mod undo;
mod verify;
mod wait;
mod wired;

use std::ffi::OsString;

use exacta_core::model::path::is_hidden;
use exacta_core::text::shown::visible;

use crate::exit::Exit;
use crate::inspector;
use crate::paint::style;
use crate::render::Printer;
pub(crate) use args::command;
use args::{Cli, Command};
pub(crate) use door::{Door, as_agent};
pub(crate) use error::CliError;
pub(crate) use room::open_place;
pub(crate) use run::start_apart;
pub(crate) use show::review as review_of;
pub(crate) use stats::StatsReport;

/// The hidden argument that makes this program the child which confines a check.
const CHECK_CHILD: &str = "__check";

/// What is said to who types the name of the program alone; it fits on any screen.
const START: &str = "\
The gate between what an AI plans and what really happens.

  exacta demo                     see it work, on a throw-away project
  exacta init                     begin in your project
  exacta propose --branch NAME    hand in a branch; or a patch or plan: `exacta propose FILE`
  exacta review                   look at what waits for you, and decide
  exacta list                     every plan, and what to do next
  exacta undo                     take the newest run back

`exacta --help` lists every command, `exacta COMMAND --help` explains one.
";

/// Runs the command line and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    if args.get(1).is_some_and(|arg| arg == inspector::CHILD) {
        return inspector::serve();
    }
    if args.get(1).is_some_and(|arg| arg == CHECK_CHILD) {
        return exacta_engine::checks::child::serve(args.get(2..).unwrap_or_default());
    }
    if args.get(1).is_some_and(|arg| arg == inspector::COLOURS) {
        return inspector::serve_colours();
    }
    if args.get(1).is_some_and(|arg| arg == "check" || arg == "propose" || arg == "hook") {
        inspector::start_ahead();
    }
    if args.len() == 1 {
        anstream::eprint!("{START}");
        return Exit::Usage.code();
    }
    let cli = match args::read(&args) {
        Ok(cli) => cli,
        Err(mut error) => {
            tips::improve(&mut error);
            let command = args.iter().skip(1).filter_map(|word| word.to_str());
            let code = usage(&error, command.take(3).find(|word| is_command(word)));
            if error.use_stderr() && wants_json(&args) {
                let text = error.render().to_string();
                let error = CliError::Usage {
                    message: in_one_line(&text),
                    help: "`--help` after the command says what it takes".into(),
                };
                let _ = Printer::new().json(&error.report(None));
            }
            return code;
        }
    };
    let mut printer = if wants_json(&args) { Printer::for_programs() } else { Printer::new() };
    let outcome = cli
        .place
        .directory
        .as_deref()
        .map_or(Ok(()), input::enter)
        .and_then(|()| dispatch(&cli, &mut printer));
    match outcome {
        Ok(exit) => exit.code(),
        Err(error) => {
            error.print(&mut printer);
            // Who asked for JSON reads standard output, whatever becomes of the command.
            if wants_json(&args) {
                let _ = printer.json(&error.report(cli.command.plan()));
            }
            error.exit().code()
        }
    }
}

/// What is wrong with the words of a command, with the list that may follow it; without how
/// the command is used.
fn in_one_line(text: &str) -> String {
    let said = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<&str> = said.filter(|line| !line.is_empty()).collect();
    said.join(" ").trim_start_matches("error: ").into()
}

/// Whether the words before those of another program ask for JSON.
fn wants_json(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

fn is_command(word: &str) -> bool {
    command().get_subcommands().any(|command| command.get_name() == word)
}

/// Help and version are not errors; they go to stdout and end with 0.
fn usage(error: &clap::Error, command: Option<&str>) -> u8 {
    let text = error.render().to_string();
    // The message repeats what was typed, which may have come from a file name.
    if text.chars().any(|c| is_hidden(c) && c != '\n') {
        for line in text.lines() {
            anstream::eprintln!("{}", visible(line.as_bytes()));
        }
    } else {
        let _ = error.print();
    }
    if let Some(tip) = tips::tip(error, command) {
        anstream::eprintln!("\n  {}tip:{:#} {tip}", style::GOOD, style::GOOD);
    }
    if error.use_stderr() { Exit::Usage.code() } else { Exit::Done.code() }
}

fn dispatch(cli: &Cli, printer: &mut Printer) -> Result<Exit, CliError> {
    match &cli.command {
        Command::Init(args) => init::run(args, printer),
        Command::Adopt(args) => adopt::run(args, printer),
        Command::Check(args) => check::run(args, printer),
        Command::Propose(args) => propose::run(args, printer),
        Command::Capture(args) => capture::run(args, printer),
        Command::List(args) => list::run(args, printer),
        Command::Status(args) => status::run(args, printer),
        Command::Show(args) => show::run(args, printer),
        Command::Diff(args) => diff::run(args, printer),
        Command::Explain(args) => explain::run(args, printer),
        Command::Wait(args) => wait::run(args, printer),
        Command::Review(args) => review::run(args, printer),
        Command::Approve(args) => approve::run(args, printer),
        Command::Reject(args) => reject::run(args, printer),
        Command::Changes(args) => changes::run(args, printer),
        Command::Pause(args) => pause::run(args, printer),
        Command::Renew(args) => renew::run(args, printer),
        Command::Run(args) => run::run(args, printer),
        Command::Undo(args) => undo::run(args, printer),
        Command::Redo(args) => undo::redo(args, printer),
        Command::Recover(args) => recover::run(args, printer),
        Command::Resolve(args) => resolve::run(args, printer),
        Command::Step(args) => step::run(args, printer),
        Command::Cancel(args) => resolve::cancel(args, printer),
        Command::Log(args) => log::run(args, printer),
        Command::Verify(args) => verify::run(args, printer),
        Command::Checkpoint(args) => verify::checkpoint(args, printer),
        Command::Results(args) => results::run(args, printer),
        Command::Draft(args) => draft::run(args, printer),
        Command::Agent(args) => agent::run(args, printer),
        Command::Acp(args) => acp::run(args, printer),
        Command::Receipt(args) => receipt::run(args, printer),
        Command::Connect(args) => connect::run(args, printer),
        Command::Hook(args) => Ok(hook::run(args)),
        Command::Mcp(args) => mcp::run(args, printer),
        Command::Policy(args) => policy::run(args, printer),
        Command::Serve(args) => serve::run(args, printer),
        Command::Schema(args) => schema::run(args, printer),
        Command::Recipe(args) => recipe::run(args, printer),
        Command::Demo(args) => demo::run(args, printer),
        Command::Doctor(args) => doctor::run(args, printer),
        Command::Stats(args) => stats::run(args, printer),
        Command::Gc(args) => gc::run(args, printer),
        Command::Forget(args) => gc::forget(args, printer),
        Command::Completions(args) => completions::run(args, printer),
        Command::Man(args) => completions::man(args, printer),
    }
}
