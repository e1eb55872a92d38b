//! `exacta agent`: an agent at your terminal, on a private copy of the project.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use exacta_core::model::digest::Digest;
use exacta_core::read::parse::Limits;
use exacta_core::text::shown::visible;
use exacta_engine::capture::{Errand, Session};
use exacta_engine::gate::RecoverIfInterrupted;
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::trust::FolderTrust;
use rustix::termios::{QueueSelector, tcflush};

use super::CliError;
use super::door::{self, Door};
use super::found_tests;
use super::propose::Handing;
use super::turns::{AtTable, Turns};
use crate::agent::home::AgentHome;
use crate::agent::identity;
use crate::agent::profile::{Profile, profile};
use crate::agent::screen::{self, Screen};
use crate::agent::way::Way;
use crate::exit::Exit;
use crate::render::Printer;

/// Start an agent on a private copy of the project.
///
/// The agent has a terminal, a home that shows what it needs to sign in, and a copy of the
/// project that it may do anything with. The project itself and other files of yours are out of
/// its reach; of the network it reaches the hosts that it needs, through a proxy of ours, or what
/// you say.
///
/// Each turn becomes one plan: shown to you, and applied if you say so. A turn ends when the
/// agent waits for you again (its profile knows how that looks, or say it with `--prompt`), when
/// you press Ctrl-] (twice for the key itself), or when the agent ends. What you send back
/// reaches the agent as text; what it committed in its copy gives the plan its words.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta agent claude
  exacta agent aider -- --model sonnet
  exacta agent codex --host registry.example.com
  exacta agent vim -- src/main.rs
  exacta agent python3 --prompt '>>>' -- -i

Exit codes: those of `propose` for the last plan; 0 also when nothing changed.")]
pub(crate) struct Args {
    /// The agent: claude, codex, cursor, gemini, opencode, goose, aider, or any program.
    #[arg(value_name = "NAME")]
    name: String,

    /// Let it use the whole network and sockets of this machine.
    #[arg(long)]
    network: bool,

    /// Let it reach this host as well, over HTTPS.
    #[arg(long = "host", value_name = "NAME", conflicts_with = "network")]
    hosts: Vec<String>,

    /// Let it reach nothing.
    #[arg(long, conflicts_with_all = ["network", "hosts"])]
    offline: bool,

    /// Let it read this file or folder as well.
    #[arg(long = "read", value_name = "PATH")]
    reads: Vec<PathBuf>,

    /// Hand on an environment variable.
    #[arg(long = "env", value_name = "NAME")]
    environment: Vec<String>,

    /// A turn is over when the last line on its screen begins with this and nothing more comes.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,

    #[command(flatten)]
    handing: Handing,

    /// Its arguments.
    #[arg(value_name = "ARGS", last = true)]
    arguments: Vec<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let mut known = profile(&args.name);
    let hosts: Vec<String> = known.hosts.iter().chain(&args.hosts).cloned().collect();
    let way = if args.offline { Way::of(false, &[])? } else { Way::of(args.network, &hosts)? };
    printer.note(&way.to_string());
    known.env.extend(args.environment.iter().cloned());
    if args.prompt.is_some() {
        (known.prompt, known.busy) = (args.prompt.clone(), None);
    }
    let at_work =
        AtWork { profile: &known, reads: &args.reads, way: &way, arguments: &args.arguments };
    interactive(&at_work, &args.handing, printer)
}

/// What runs at the terminal.
pub(super) struct AtWork<'a> {
    pub(super) profile: &'a Profile,
    pub(super) reads: &'a [PathBuf],
    pub(super) way: &'a Way,
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
    let command = [work.profile.program.clone()];
    if !found_tests::is_there(&started_in, &command, env::var_os("PATH").as_deref()) {
        let program = visible(work.profile.program.as_bytes());
        return Err(CliError::Usage {
            message: format!("`{program}` is not on PATH"),
            help: "install it, or give the program's path; nothing was started".into(),
        });
    }
    let mut room = room(work)?.for_program(&work.profile.program, &project);
    work.way.tell(&mut room);
    let home = env::var_os("HOME").map(PathBuf::from);
    let store = door::outer()?;
    let key: String =
        Digest::of(door.root.id().path.as_bytes()).to_string().chars().take(16).collect();
    let kept = AgentHome::ready(work.profile, home, store.folder(), &key)?;
    if let Some(kept) = &kept {
        kept.show(&mut room);
    }
    if matches!(door.identity.standing, FolderTrust::Known(_)) {
        door.look(|gate| {
            if gate.interrupted()?.is_empty() {
                return Ok(());
            }
            Ok(door::handle(gate, &door::caller(None), RecoverIfInterrupted, printer)?)
        })?;
    }
    printer.note("copying the project; it starts when that is done");
    printer
        .note("Ctrl-] ends a turn: what was changed until then becomes a plan for you to decide");
    let session = Session::begin(door.root.as_ref(), &room, false)?;
    let turns = Turns::new(&door, &session, &room, handing, &work.profile.program);
    let (mut first, mut says) = (true, None::<String>);
    loop {
        let again = work.profile.again.iter().filter(|_| !first);
        let said = says.take().filter(|_| work.profile.says);
        let command = std::iter::once(&work.profile.program)
            .chain(again)
            .chain(work.arguments)
            .chain(said.as_ref());
        let errand = Errand {
            command: command.cloned().collect(),
            folder: started_in.strip_prefix(&project).unwrap_or(Path::new("")).into(),
            input: None,
            network: work.way.reach(),
            home: env::var_os("HOME").map(PathBuf::from),
            builds: false,
            byte_limit: Limits::default().raw_bytes,
        };
        first = false;
        let (ran, (exit, over)) = {
            let (screen, pty) = Screen::take(work.profile.ends())?;
            screen::note_shared();
            let table = AtTable::new(&screen, &turns, &errand, printer);
            let ran = session.run(&errand, &room, Some(pty), &table);
            (ran, table.end())
        };
        work.way.report(printer);
        if let Some(kept) = &kept
            && kept.take_back()?
        {
            printer.note("its login was renewed; the new one is in your home");
        }
        if over {
            return Ok(exit);
        }
        let captured = turns.changes(ran?, &errand)?;
        let turn = turns.decide(&captured, printer)?;
        if let Some(text) = &turn.text {
            printer.note(text);
        }
        says = turn.text;
        if !goes_on(&work.profile.program)? {
            return Ok(turn.exit);
        }
    }
}

/// Asks whether to go back to an agent that waits.
pub(super) fn goes_back(program: &str) -> Result<bool, CliError> {
    let program = visible(program.as_bytes());
    let answer = ask(&format!("Enter goes back to {program}; type end to stop it: "))?;
    Ok(answer.is_some_and(|answer| answer != "end"))
}

/// Asks whether the agent is to go on.
fn goes_on(program: &str) -> Result<bool, CliError> {
    let program = visible(program.as_bytes());
    let question = format!("Start {program} again on the same copy? Type again, or Enter to end: ");
    Ok(ask(&question)?.is_some_and(|answer| answer == "again"))
}

/// What somebody types at the terminal; nothing where it is gone.
fn ask(question: &str) -> Result<Option<String>, CliError> {
    let Some(terminal) = ControllingTerminal::open() else { return Ok(None) };
    let mut file = terminal.file()?;
    let _ = tcflush(&file, QueueSelector::IFlush);
    write!(file, "{question}")?;
    file.flush()?;
    let mut answer = String::new();
    let read = BufReader::new(&file).read_line(&mut answer)?;
    Ok((read > 0).then(|| answer.trim().to_owned()))
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
    identity::lend(&mut room, &work.profile.program);
    let mut set = |name: &str, value: String| {
        room.environment.retain(|(other, _)| other != name);
        room.environment.push((name.into(), value));
    };
    set("GIT_OPTIONAL_LOCKS", "0".into());
    set("TERM", "xterm-256color".into());
    for (name, value) in &work.profile.set {
        let home = home.as_ref().and_then(|home| home.to_str()).unwrap_or("/tmp/home");
        set(name, value.replacen('~', home, 1));
    }
    for name in &work.profile.env {
        if let Ok(value) = env::var(name) {
            set(name, value);
        }
    }
    Ok(room)
}
