//! `exacta agent`: an agent at your terminal, on a private copy of the project.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use exacta_core::read::parse::Limits;
use exacta_core::text::shown::visible;
use exacta_engine::capture::{Errand, Session, draft};
use exacta_engine::gate::{RecoverIfInterrupted, SourceKind};
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::run::Quiet;
use exacta_engine::trust::FolderTrust;
use rustix::termios::{QueueSelector, tcflush};

use super::CliError;
use super::door::{self, Door};
use super::propose::{self, Handing};
use crate::agent::profile::{Profile, profile};
use crate::agent::screen::{self, Screen};
use crate::exit::Exit;
use crate::render::{Printer, Subject};

/// Start an agent on a private copy of the project.
///
/// The agent has a terminal, a home that shows what it needs to sign in, and a copy of the
/// project that it may do anything with. The project itself, other files of yours and, unless
/// you say so, the network are out of its reach. When it ends, what it changed becomes one plan:
/// shown to you, and applied if you say so. Then it can go on, on the same copy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta agent claude --network
  exacta agent aider --network -- --model sonnet
  exacta agent vim -- src/main.rs

Exit codes: those of `propose` for the last plan; 0 also when nothing changed.")]
pub(crate) struct Args {
    /// The agent: claude, codex, cursor, gemini, opencode, goose, aider, or any program.
    #[arg(value_name = "NAME")]
    name: String,

    /// Let it use the network and sockets; without this no connection leaves.
    #[arg(long)]
    network: bool,

    /// Let it read this file or folder as well.
    #[arg(long = "read", value_name = "PATH")]
    reads: Vec<PathBuf>,

    /// Hand on an environment variable.
    #[arg(long = "env", value_name = "NAME")]
    environment: Vec<String>,

    #[command(flatten)]
    handing: Handing,

    /// Its arguments.
    #[arg(value_name = "ARGS", last = true)]
    arguments: Vec<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let mut known = profile(&args.name);
    if !args.network && !known.hosts.is_empty() {
        printer.note(&format!("without `--network` it cannot reach {}", known.hosts.join(", ")));
    }
    known.env.extend(args.environment.iter().cloned());
    let at_work = AtWork {
        profile: &known,
        reads: &args.reads,
        network: args.network,
        arguments: &args.arguments,
    };
    interactive(&at_work, &args.handing, printer)
}

/// What runs at the terminal.
pub(super) struct AtWork<'a> {
    pub(super) profile: &'a Profile,
    pub(super) reads: &'a [PathBuf],
    pub(super) network: bool,
    pub(super) arguments: &'a [String],
}

/// Runs a program at the terminal on a copy, and makes a plan of what it changed, as often as
/// the person likes.
pub(super) fn interactive(
    work: &AtWork<'_>,
    handing: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    if ControllingTerminal::open().is_none() {
        return Err(CliError::Usage {
            message: "this needs a terminal".into(),
            help: "`exacta capture -- CMD` runs a command without one".into(),
        });
    }
    let started_in = env::current_dir()?;
    let door = Door::open(printer)?;
    let project = PathBuf::from(door.root.id().path);
    let room = room(work)?;
    if matches!(door.identity.standing, FolderTrust::Known(_)) {
        door.look(|gate| {
            if gate.interrupted()?.is_empty() {
                return Ok(());
            }
            Ok(door::handle(gate, &door::caller(None), RecoverIfInterrupted, printer)?)
        })?;
    }
    let session = Session::begin(door.root.as_ref(), &room, false)?;
    let mut exit = Exit::Done;
    let mut first = true;
    loop {
        let again = work.profile.again.iter().filter(|_| !first);
        let command = std::iter::once(&work.profile.program).chain(again).chain(work.arguments);
        let errand = Errand {
            command: command.cloned().collect(),
            folder: started_in.strip_prefix(&project).unwrap_or(Path::new("")).into(),
            input: None,
            network: work.network,
            home: env::var_os("HOME").map(PathBuf::from),
            builds: false,
            byte_limit: Limits::default().raw_bytes,
        };
        first = false;
        let verdict = {
            let (screen, pty) = Screen::take()?;
            screen::note_shared();
            session.run(&errand, &room, Some(pty), &screen)?
        };
        let captured = session.changes(verdict, &errand, &Quiet)?;
        for left_out in &captured.left_out {
            printer.note(&format!("left out: `{}`: {}", left_out.path, left_out.why));
        }
        for unfit in &captured.unfit {
            printer.note(&format!("cannot be proposed: `{}`: {}", unfit.path, unfit.why));
        }
        for path in &captured.conflicts {
            printer.note(&format!(
                "changed in the project meanwhile, so yours is kept and the copy takes it over: \
                 `{path}`"
            ));
        }
        let made: Vec<_> = captured
            .made
            .iter()
            .filter(|made| !captured.conflicts.iter().any(|path| path == made.path.as_str()))
            .cloned()
            .collect();
        if made.is_empty() {
            printer.line(&format!(
                "`{}` {}; nothing changed that can be proposed",
                visible(work.profile.program.as_bytes()),
                captured.verdict
            ))?;
        } else {
            let text = draft(None, &made);
            let name = format!("<captured from {}>", visible(work.profile.program.as_bytes()));
            let subject = Subject { name, text: &text, is_patch: false };
            let (kind, seen) = (SourceKind::Draft, Some(&captured.seen));
            // What goes wrong with one plan ends neither the session nor the copy.
            exit = match propose::hand_in(&door, kind, &subject, seen, handing, None, printer) {
                Ok(exit) => exit,
                Err(error) => {
                    error.print(printer);
                    error.exit()
                }
            };
        }
        session.go_on(&captured.conflicts)?;
        if !goes_on(&work.profile.program)? {
            return Ok(exit);
        }
    }
}

/// Asks whether the agent is to go on.
fn goes_on(program: &str) -> Result<bool, CliError> {
    let Some(terminal) = ControllingTerminal::open() else { return Ok(false) };
    let mut file = terminal.file()?;
    let _ = tcflush(&file, QueueSelector::IFlush);
    let program = visible(program.as_bytes());
    write!(file, "Start {program} again on the same copy? Type again, or Enter to end: ")?;
    file.flush()?;
    let mut answer = String::new();
    BufReader::new(&file).read_line(&mut answer)?;
    Ok(answer.trim() == "again")
}

fn room(work: &AtWork<'_>) -> Result<exacta_engine::checks::Room, CliError> {
    let mut room = door::room()?;
    let home = env::var_os("HOME").map(PathBuf::from);
    let of_home = work.profile.reads.iter().filter_map(|name| Some(home.as_ref()?.join(name)));
    room.reads.extend(of_home.filter(|path| path.exists()));
    for path in work.reads {
        let found =
            path.canonicalize().map_err(|source| CliError::Read { path: path.clone(), source })?;
        room.reads.extend([std::path::absolute(path)?, found]);
    }
    let mut set = |name: &str, value: String| {
        room.environment.retain(|(other, _)| other != name);
        room.environment.push((name.into(), value));
    };
    set("GIT_OPTIONAL_LOCKS", "0".into());
    set("TERM", "xterm-256color".into());
    for name in &work.profile.env {
        if let Ok(value) = env::var(name) {
            set(name, value);
        }
    }
    Ok(room)
}
