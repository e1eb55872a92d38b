//! `exacta connect`: wire an agent to the gate.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use exacta_core::text::shown::visible;
use serde::Serialize;

use super::CliError;
use super::door::{self, Door};
use super::init;
use crate::agent::before::Before;
use crate::agent::files::{Done, take_out};
use crate::agent::probe;
use crate::agent::wiring::{Agent, Wiring};
use crate::exit::Exit;
use crate::render::Printer;

/// Wire an agent to the gate: its hooks and its MCP server.
///
/// What the agent's host reads in this project is written, and everything that was there stays,
/// comments and layout too; `--undo` gives each file back as it was. The record is made where
/// there is none, and the project's tests are offered as a check. For Copilot, goose, Cline and Zed it is printed instead. Hooks are
/// a rail: they stop what the host sends through them. The wall is `exacta agent`, where the
/// agent works on a private copy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta connect claude-code
  exacta connect codex --print
  exacta connect cursor --undo

Exit codes: 0 done, 10 a file cannot be changed without losing something, and none was.")]
pub(crate) struct Args {
    /// The agent.
    #[arg(value_name = "AGENT", value_enum)]
    agent: Agent,

    /// Take out what `connect` put in.
    #[arg(long, conflicts_with = "print")]
    undo: bool,

    /// Only print what would be written.
    #[arg(long)]
    print: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

/// What `connect --json` prints.
#[derive(Debug, Serialize)]
struct Connected {
    ok: bool,
    agent: &'static str,
    version: Option<String>,
    written: Vec<&'static str>,
    removed: Vec<&'static str>,
    refuses_probe: Option<bool>,
    printed: Option<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let project = PathBuf::from(door.root.id().path);
    let exacta = program()?;
    let wiring = args.agent.wiring(&exacta);
    let version = version(wiring.program);
    let mut before = Before::of(door::outer()?.folder(), &door.root.id().path);
    let mut report = Connected {
        ok: true,
        agent: wiring.name,
        version: version.clone(),
        written: Vec::new(),
        removed: Vec::new(),
        refuses_probe: None,
        printed: wiring.printed.clone(),
    };
    if args.print {
        report.printed.get_or_insert_with(|| described(&wiring));
    } else if args.undo {
        let done = take_out(&wiring.pieces, &project, &mut before);
        for (file, done) in done.map_err(|(file, why)| refused(file, &why))? {
            match done {
                Done::Written => report.written.push(file),
                Done::Removed => report.removed.push(file),
                Done::AsItWas => {}
            }
        }
    } else {
        // Without a record every edit would be refused.
        door.act(|gate| Ok(gate.begin(exacta_core::record::Beginning::Started)?))?;
        // What cannot be read is noticed before anything is written.
        for piece in &wiring.pieces {
            piece.is_set(&project).map_err(|why| refused(piece.file(), &why))?;
        }
        for piece in &wiring.pieces {
            let done = piece.set(&project, &mut before);
            if done.map_err(|why| refused(piece.file(), &why))? == Done::Written {
                report.written.push(piece.file());
            }
        }
        if !wiring.pieces.is_empty() {
            report.refuses_probe =
                Some(probe::refuses(args.agent, &exacta, &project).unwrap_or(false));
        }
    }
    report.written.dedup();
    report.ok = report.refuses_probe != Some(false);
    let ok = report.ok;
    if args.json {
        printer.json(&report)?;
    } else {
        say(args, &wiring, &report, printer)?;
    }
    if ok && !args.json && !args.print && !args.undo {
        init::offer_tests(&door, printer)?;
    }
    Ok(if ok { Exit::Done } else { Exit::Failure })
}

fn say(
    args: &Args,
    wiring: &Wiring,
    report: &Connected,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let version = report.version.as_deref().unwrap_or("not found on PATH");
    printer.line(&format!("{}: {}", wiring.name, visible(version.as_bytes())))?;
    for file in &report.written {
        printer.line(&format!("  wrote {file}"))?;
    }
    for file in &report.removed {
        printer.line(&format!("  removed {file}"))?;
    }
    if args.undo {
        if report.written.is_empty() && report.removed.is_empty() {
            printer.line("  nothing of ours was there")?;
        }
        return Ok(());
    }
    if let Some(text) = &report.printed {
        for line in text.lines() {
            printer.line(line)?;
        }
    } else if report.written.is_empty() {
        printer.line("  everything was in place")?;
    }
    printer.line(&format!("  covered: {}", wiring.covers))?;
    printer.line(&format!("  not covered: {}", wiring.gaps))?;
    match report.refuses_probe {
        Some(true) => printer.line("  a command that must not run was refused, as it should be")?,
        Some(false) => printer.line("  the hook did not refuse a command that must not run")?,
        None => {}
    }
    Ok(())
}

fn described(wiring: &Wiring) -> String {
    use crate::agent::wiring::Piece;
    let mut text = String::new();
    for piece in &wiring.pieces {
        let body = match piece {
            Piece::Entry { at, value, .. } => {
                format!("in the list {}:\n{value:#}", at.join("."))
            }
            Piece::Value { at, value, .. } => format!("at {}:\n{value:#}", at.join(".")),
            Piece::Part { text, .. } | Piece::File { text, .. } => text.clone(),
        };
        text.extend([piece.file(), ", ", body.trim_end(), "\n"]);
    }
    text
}

fn refused(file: &str, why: &str) -> CliError {
    CliError::Refused {
        message: format!("`{file}` cannot be changed: {why}"),
        help: "nothing of it was changed; `--print` shows what to put there by hand".into(),
    }
}

/// How hosts start this program: by its name where that finds it, else by its path.
pub(super) fn program() -> Result<String, CliError> {
    let own = env::current_exe().map_err(CliError::Itself)?;
    let path = env::var_os("PATH").unwrap_or_default();
    let first = env::split_paths(&path).map(|at| at.join("exacta")).find(|file| file.is_file());
    let same = |found: &Path| found.canonicalize().is_ok_and(|found| found == own);
    if first.is_some_and(|found| same(&found)) {
        return Ok("exacta".into());
    }
    own.into_os_string().into_string().map_err(|_| CliError::Usage {
        message: "the path of this program is not UTF-8".into(),
        help: "put it on PATH under the name `exacta`".into(),
    })
}

/// What a program says of its version, in a line.
pub(super) fn version(program: &str) -> Option<String> {
    let output = Process::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.chars().take(80).collect())
}
