//! `exacta capture`: run any command on a private copy and propose what it changed.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exacta_core::read::parse::Limits;
use exacta_core::text::shown::visible;
use exacta_engine::capture::{Captured, Errand, Follow, capture, draft};
use exacta_engine::checks::{NetworkReach, Room, Verdict};
use exacta_engine::gate::{RecoverIfInterrupted, SourceKind};
use exacta_engine::run::{CheckProgress, Watch};
use exacta_engine::trust::FolderTrust;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::CliError;
use super::door::{self, Door};
use super::propose::{self, Handing};
use crate::agent::identity;
use crate::agent::way::Way;
use crate::exit::Exit;
use crate::interrupt;
use crate::render::{Printer, Subject};
use crate::wire::{CheckReport, ProposeReport};

/// Run a command on a private copy of the project and propose what it changed.
///
/// The command cannot reach the project itself, other files of yours or, unless you say
/// so, the network. What it changed in its copy is handed in like any plan: checked,
/// scored, decided on and recorded. The copy is deleted when the command has ended.
///
/// The command finds the system's programs, those on PATH with what belongs to them (pyenv,
/// nvm, rbenv, rustup, conda, virtual environments, read-only), an empty home, and no terminal.
/// What it prints is shown on standard error. It may read the repository with git; what it
/// changes below `.git` is left out, and said.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta capture [OPTIONS] -- <CMD>...\n       exacta capture [OPTIONS] --shell -- <LINE>",
    after_help = "Examples:
  exacta capture -- sed -i 's/Hello/Good day/' src/greet.py
  exacta capture --intent 'format the sources' -- cargo fmt
  exacta capture --shell -- 'sed -i s/Hello/Hi/ src/*.py && make docs'
  exacta capture --network --env API_KEY --read ~/.config/my-agent -- my-agent 'fix the tests'
  exacta capture --host api.example.com --env API_KEY -- my-agent 'fix the tests'
  exacta capture --stdin -- my-agent - < task.md
  exacta capture --shell -- 'make docs && rm -r build'

Exit codes: those of `propose`; 0 also when nothing changed, 10 also when something changed that
no plan can say or no confinement can be had, 13 the command failed or was stopped, 14 what it
changed was changed, moved or deleted in the project meanwhile."
)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub(crate) struct Args {
    /// Let the command use the network and sockets; without this no connection leaves.
    #[arg(long)]
    network: bool,

    /// Let the command reach this host over HTTPS, through a proxy; nothing else is reached.
    #[arg(long = "host", value_name = "NAME", conflicts_with = "network")]
    hosts: Vec<String>,

    /// Hand on an environment variable: its name, or `NAME=VALUE`.
    #[arg(long = "env", value_name = "NAME")]
    environment: Vec<String>,

    /// Let the command read this file or folder as well.
    #[arg(long = "read", value_name = "PATH")]
    reads: Vec<PathBuf>,

    /// Hand standard input to the command; it is read to its end first.
    #[arg(long)]
    stdin: bool,

    /// Propose what it changed even if the command failed.
    #[arg(long)]
    even_if_failed: bool,

    /// Propose the rest even if something changed that no plan can say.
    #[arg(long)]
    partial: bool,

    /// Include what builds and caches write, such as `target/`, `node_modules/` and folders
    /// with a `CACHEDIR.TAG`, and new files that `.gitignore` names.
    #[arg(long)]
    builds: bool,

    /// Let `sh -c` read the one argument: pipes, `>` and `&&` work.
    #[arg(long)]
    shell: bool,

    #[command(flatten)]
    handing: Handing,

    /// The command and its arguments; no shell reads them without `--shell`.
    #[arg(value_name = "CMD", required = true, last = true)]
    command: Vec<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let started_in = env::current_dir()?;
    let door = Door::open(printer)?;
    let project = PathBuf::from(door.root.id().path);
    let command = command(args)?;
    // Of a shell's line the first word says best which program is meant.
    let first = args.command.first().map(String::as_str).unwrap_or_default();
    let program =
        if args.shell { first.split_whitespace().next().unwrap_or_default() } else { first };
    let mut room = room(args)?.for_project(&project).for_program(program, &project);
    let way = Way::of(args.network, &args.hosts)?;
    way.tell(&mut room);
    for folder in &room.not_shown {
        printer.note(&format!(
            "not shown to the command: `{}`, which is on PATH and holds your home",
            visible(folder.as_os_str().as_encoded_bytes())
        ));
    }
    let errand = Errand {
        command: command.clone(),
        folder: started_in.strip_prefix(&project).unwrap_or(Path::new("")).into(),
        input: if args.stdin { Some(input()?) } else { None },
        network: way.reach(),
        home: env::var_os("HOME").map(PathBuf::from),
        builds: args.builds,
        byte_limit: Limits::default().raw_bytes,
    };
    // What the command is shown must not be half of something.
    if matches!(door.identity.standing, FolderTrust::Known(_)) {
        door.look(|gate| {
            if gate.interrupted()?.is_empty() {
                return Ok(());
            }
            Ok(door::handle(gate, &door::caller(None), RecoverIfInterrupted, printer)?)
        })?;
    }
    let captured = {
        let alone = matches!(errand.network, NetworkReach::Nothing);
        let follow = Shown::new(printer, alone);
        let captured = capture(door.root.as_ref(), &errand, &room, &follow);
        follow.rest();
        captured?
    };
    way.report(printer);
    obstacle(args, &captured, printer)?;
    if captured.made.is_empty() {
        if args.handing.json {
            let check = CheckReport { ok: true, exit_code: 0, ..CheckReport::refused(Vec::new()) };
            let (plan_id, correlation_id, state, run, run_id) = (None, None, None, None, None);
            printer.json(&ProposeReport {
                check,
                plan_id,
                correlation_id,
                state,
                run,
                run_id,
                recovered: Vec::new(),
            })?;
        } else {
            printer.line("the command changed nothing that can be proposed")?;
        }
        return Ok(Exit::Done);
    }
    let text = draft(None, &captured.made);
    let name = format!("<captured from {}>", visible(program.as_bytes()));
    let subject = Subject { name, text: &text, is_patch: false, parts: &[] };
    let seen = Some(&captured.seen);
    propose::hand_in(&door, SourceKind::Computed, &subject, seen, &args.handing, None, printer)
}

/// What runs: the words as they are, or a shell that reads the one there is.
fn command(args: &Args) -> Result<Vec<String>, CliError> {
    match args.command.as_slice() {
        words if !args.shell => Ok(words.to_vec()),
        [line] => Ok(["sh", "-c", line].map(str::to_owned).to_vec()),
        _ => Err(CliError::Usage {
            message: "`--shell` takes one argument, which a shell reads".into(),
            help: "put it in quotes: `exacta capture --shell -- 'make docs && rm -r build'`".into(),
        }),
    }
}

/// Says what the command did; an error says why nothing may be proposed.
fn obstacle(args: &Args, captured: &Captured, printer: &mut Printer) -> Result<(), CliError> {
    let not_proposed = |exit: Exit, message: String, help: &'static str| {
        Err(CliError::NotProposed { exit, message, help: help.into() })
    };
    for left_out in &captured.left_out {
        let times = if left_out.count > 1 {
            format!(" ({} changes)", left_out.count)
        } else {
            String::new()
        };
        printer.note(&format!("left out: `{}`{times}: {}", left_out.path, left_out.why));
    }
    if captured.verdict != Verdict::Passed {
        let command = args.command.first().map(String::as_str).unwrap_or_default();
        // The code of a program that could not be started.
        let started = captured.verdict != Verdict::Failed(127) || !captured.made.is_empty();
        if !args.even_if_failed || !started {
            let for_shell = args.command.len() == 1
                && !args.shell
                && command.contains([' ', '|', '>', '<', '&', ';', '$', '*']);
            let help = if started {
                "the project is as it was; `--even-if-failed` proposes what was changed"
            } else if for_shell {
                "the project is as it was; `--shell` lets a shell read the line"
            } else {
                "the project is as it was; is the program in the project, on PATH, or below a \
                 folder given with `--read`?"
            };
            let message = format!("`{command}` {}; nothing is proposed", captured.verdict);
            return not_proposed(Exit::RunFailed, message, help);
        }
        printer.note(&format!("`{command}` {}", captured.verdict));
    }
    if !captured.conflicts.is_empty() {
        for path in &captured.conflicts {
            printer.note(&format!("changed meanwhile: `{path}`"));
        }
        let message = "the command changed files that were changed in the project while it ran; \
                       nothing is proposed";
        let help = "the project is as you left it; run the command again";
        return not_proposed(Exit::Unsettled, message.into(), help);
    }
    for unfit in &captured.unfit {
        printer.note(&format!("cannot be proposed: `{}`: {}", unfit.path, unfit.why));
    }
    if !captured.unfit.is_empty() && !args.partial {
        let message = "the command changed something that no plan can say; nothing is proposed";
        let help = "the project is as it was; `--partial` proposes the rest";
        return not_proposed(Exit::Refused, message.into(), help);
    }
    Ok(())
}

/// The room of checks, with what the user adds.
fn room(args: &Args) -> Result<Room, CliError> {
    let mut room = door::room()?;
    for path in &args.reads {
        let found =
            path.canonicalize().map_err(|source| CliError::Read { path: path.clone(), source })?;
        // Both names, so that a command that knows the link finds it too.
        room.reads.extend([std::path::absolute(path)?, found]);
    }
    // Looking at a repository shall not change it.
    room.environment.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
    identity::lend(&mut room, "exacta");
    for word in &args.environment {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (word.as_str(), env::var_os(word)),
        };
        let value = value.map(OsString::into_string);
        let Some(Ok(value)) = value.filter(|_| !name.is_empty()) else {
            return Err(CliError::Usage {
                message: format!("there is no environment variable `{name}` to hand on"),
                help: "name one that is set and is UTF-8, or write `NAME=VALUE`".into(),
            });
        };
        room.environment.retain(|(other, _)| other != name);
        room.environment.push((name.into(), value));
    }
    Ok(room)
}

fn input() -> Result<Vec<u8>, CliError> {
    let bytes =
        super::input::read_capped(std::io::stdin().lock(), MOST_INPUT).map_err(CliError::Stdin)?;
    if bytes.len() > MOST_INPUT {
        return Err(CliError::Usage {
            message: format!("standard input has more than {} MiB", MOST_INPUT >> 20),
            help: "put it in a file of the project, or of a folder named with `--read`".into(),
        });
    }
    Ok(bytes)
}

/// Shows what the command prints, a line at a time and nothing hidden in it.
struct Shown<'p> {
    stop: &'static AtomicBool,
    state: RefCell<State<'p>>,
}

struct State<'p> {
    printer: &'p mut Printer,
    line: Vec<u8>,
    told: Duration,
    /// Nothing of the network is reached, and nobody was reminded of that.
    alone: bool,
}

/// No more than this is handed on to the command.
const MOST_INPUT: usize = 64 << 20;
/// A line that does not end is shown in parts of this size.
const LONGEST: usize = 4 << 10;
/// How long we wait for a reader before we look whether to stop.
const LOOK: Duration = Duration::from_millis(20);
/// When somebody who waits is reminded that nothing of the network is reached.
const REMINDER: Duration = Duration::from_secs(5);
/// How often somebody who waits is told that the command still runs.
const STILL: Duration = Duration::from_secs(30);
/// How many changed files are looked at between two words about it.
const EVERY: usize = 10_000;

impl<'p> Shown<'p> {
    fn new(printer: &'p mut Printer, alone: bool) -> Self {
        let state = State { printer, line: Vec::new(), told: Duration::ZERO, alone };
        Self { stop: interrupt::flag(), state: RefCell::new(state) }
    }

    /// Shows a last line that has no end.
    fn rest(&self) {
        let mut state = self.state.borrow_mut();
        if !state.line.is_empty() && self.reader_waits() {
            // It is the last there is to say.
            let _ = state.show();
        }
    }

    /// Waits until standard error takes something; `false` when that is no longer wanted.
    fn reader_waits(&self) -> bool {
        let stderr = std::io::stderr();
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        while !self.cancelled() {
            let mut pipes = [PollFd::new(&stderr, PollFlags::OUT)];
            match poll(&mut pipes, Some(&wait)) {
                Ok(0) | Err(Errno::INTR) => {}
                // Writing says what is wrong with it.
                Ok(_) | Err(_) => return true,
            }
        }
        false
    }
}

impl State<'_> {
    fn show(&mut self) -> ControlFlow<()> {
        let line = std::mem::take(&mut self.line);
        match self.printer.relay(&line) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Watch for Shown<'_> {
    fn check(&self, progress: CheckProgress<'_>) {
        let mut state = self.state.borrow_mut();
        if state.alone && progress.elapsed >= REMINDER && self.reader_waits() {
            state.alone = false;
            state.printer.note(
                "still running; if it waits for the network: there is none here. `--host NAME` \
                 lets a host through; Ctrl-C stops it",
            );
        }
        if progress.elapsed >= state.told + STILL && self.reader_waits() {
            state.told = progress.elapsed;
            let seconds = progress.elapsed.as_secs();
            state.printer.note(&format!("still running after {seconds} s; Ctrl-C stops it"));
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Follow for Shown<'_> {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        let mut state = self.state.borrow_mut();
        for byte in bytes {
            if matches!(byte, b'\n' | b'\r') || state.line.len() >= LONGEST {
                // A line that a program writes again and again is not shown empty.
                if *byte == b'\n' || !state.line.is_empty() {
                    if !self.reader_waits() {
                        return ControlFlow::Continue(());
                    }
                    state.show()?;
                }
            }
            if !matches!(byte, b'\n' | b'\r') {
                state.line.push(*byte);
            }
        }
        ControlFlow::Continue(())
    }

    fn compared(&self, count: usize) {
        if count.is_multiple_of(EVERY) && self.reader_waits() {
            self.state.borrow_mut().printer.note(&format!("{count} changed files looked at"));
        }
    }
}
