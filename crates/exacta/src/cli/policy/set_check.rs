//! `exacta policy set check`: a command of the operator's that judges staged files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use exacta_core::judge::policy::{Check, Edit, Runs};
use exacta_core::text::shown::visible;
use exacta_engine::checks::{self, Verdict};
use exacta_engine::gate::{ChangePolicy, Gate, GateError};
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::workspace::Workspace as _;
use serde_json::json;

use crate::cli::confirm::{self, DecideArgs};
use crate::cli::door::{self, Door};
use crate::cli::{CliError, decision, no_tests, run as running};
use crate::exit::Exit;
use crate::render::Printer;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What it is called.
    name: String,

    /// Only in this project: its own policy names the check, other projects do not run it.
    #[arg(long)]
    here: bool,

    /// Seconds after which it counts as failed.
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT)]
    timeout: u64,

    /// The hash of the policy in force, as `exacta policy show` prints it.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,

    /// The command: a program and its arguments; no shell reads them.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

/// How long a check may take when nobody says otherwise.
const TIMEOUT: u64 = 600;

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let wanted = Wanted {
        name: args.name.clone(),
        command: args.command.clone(),
        timeout_seconds: args.timeout,
        here: args.here,
    };
    let door = Door::open(printer)?;
    door.act(|gate| {
        let asks = !args.json && hash.is_none() && ControllingTerminal::open().is_some();
        let trial = if asks { Trial::Shown } else { Trial::None };
        add(&door, gate, &wanted, hash, &args.decide, trial, printer)?;
        if args.json {
            printer.json(&json!({"ok": true, "check": args.name, "command": args.command}))?;
        } else {
            printer.line(&wanted.done())?;
        }
        Ok(Exit::Done)
    })
}

/// A check that somebody wants.
pub(in crate::cli) struct Wanted {
    pub(in crate::cli) name: String,
    pub(in crate::cli) command: Vec<String>,
    pub(in crate::cli) timeout_seconds: u64,
    pub(in crate::cli) here: bool,
}

impl Wanted {
    /// The tests of this project, as one of its files names them.
    pub(in crate::cli) fn tests_of(
        folder: &Path,
        command: Vec<String>,
        taken: &BTreeMap<String, Check>,
    ) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = name.chars().map(plain).take(40).collect();
        let name = format!("tests-{}", name.trim_matches('-'));
        // Another project of yours may lie in a folder of the same name.
        let others = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(others);
        let name = names.find(|name| !taken.contains_key(name)).unwrap_or(name);
        Self { name, command, timeout_seconds: TIMEOUT, here: true }
    }

    /// Its command as one would type it.
    pub(in crate::cli) fn line(&self) -> String {
        shell_line(&self.command)
    }

    /// What holds once it is there.
    pub(in crate::cli) fn done(&self) -> String {
        let whose = if self.here { "of this project" } else { "of every project" };
        let (line, name) = (self.line(), visible(self.name.as_bytes()));
        format!("`{line}` now checks every change {whose} before it takes effect (check `{name}`)")
    }
}

/// A command as one would type it: words that a shell would read are quoted.
pub(in crate::cli) fn shell_line(command: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    let quoted = |word: &String| match word.as_str() {
        word if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    };
    visible(command.iter().map(quoted).collect::<Vec<_>>().join(" ").as_bytes())
}

/// Whether a check is tried on the files as they are before it is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Trial {
    /// Nobody would see what it says.
    None,
    /// Before the question, which says how it ended.
    Shown,
    /// After the yes, and it must pass.
    First,
}

/// Adds a check to the operator's policy, with the proof of an approval.
pub(in crate::cli) fn add(
    door: &Door,
    gate: &Gate<'_>,
    wanted: &Wanted,
    policy_hash: Option<exacta_core::model::digest::Digest>,
    decide: &DecideArgs,
    trial: Trial,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let operator = door.operator();
    let known = door.policy().map_err(CliError::Policy)?;
    if let Some(check) = known.checks.get(&wanted.name) {
        let (name, line) = (visible(wanted.name.as_bytes()), shell_line(&check.command));
        return Err(CliError::Refused {
            message: format!("there is a check `{name}` already: `{line}`"),
            help: format!(
                "change it in {} and let it count with `exacta policy confirm`, or choose another \
                 name",
                operator.path().display()
            ),
        });
    }
    let runs = if wanted.here { Runs::Named } else { Runs::Always };
    let (command, timeout_seconds) = (wanted.command.clone(), wanted.timeout_seconds);
    let edit = Edit::Check(wanted.name.clone(), Check { command, runs, timeout_seconds });
    operator.foresee(&edit).map_err(GateError::Policy)?;
    let folder = door.root.location().map_err(GateError::from)?;
    let own = Path::new(&folder).join(".exacta/policy.toml");
    let named = if wanted.here { named_in(&own)? } else { Some(Vec::new()) };
    let Some(mut named) = named else {
        return Err(CliError::Refused {
            message: "this project has a policy of its own, which is not changed".into(),
            help: format!(
                "add `tests_required={}` to its `constraints`, and the check to {} by hand",
                visible(wanted.name.as_bytes()),
                operator.path().display()
            ),
        });
    };
    let tried = match trial {
        Trial::Shown => Some(tried(door, wanted, printer)?),
        Trial::None | Trial::First => None,
    };
    let question = || {
        let place = operator.path().display().to_string();
        let whose = if wanted.here { "in this project only" } else { "in every project of yours" };
        let first = match trial {
            Trial::First => "\n  it is tried on the files as they are now, and added if it passes",
            Trial::None => "",
            Trial::Shown if tried == Some(Tried::Passes) => {
                "\n  it passes on the files as they are now"
            }
            Trial::Shown if tried == Some(Tried::TestsNothing) => {
                "\n  it passes on the files as they are now, but it ran no test"
            }
            Trial::Shown => {
                "\n  it does NOT pass on the files as they are now: until it does, nothing is let \
                 through"
            }
        };
        Ok(format!(
            "Let a command check every change before it takes effect\n  {} (check {})\n  it runs \
             {whose}, on a private copy, without network\n  if it fails, nothing \
             changes{first}\n  written to {place}",
            wanted.line(),
            visible(wanted.name.as_bytes()),
        ))
    };
    let proof = confirm::proof(door, decide, question, policy_hash.is_some())?;
    if trial == Trial::First && !proof.is_none() {
        try_out(door, wanted, printer)?;
    }
    let command = ChangePolicy { edit, policy_hash, proof, operator: operator.clone() };
    let caller = door::caller(decide.idempotency_key.as_ref());
    door::handle(gate, &caller, command, printer)?;
    if wanted.here {
        named.push(wanted.name.clone());
        name_only(&own, &named)?;
    }
    Ok(())
}

/// Writes the policy of a project that names these checks and says nothing else.
pub(super) fn name_only(own: &Path, checks: &[String]) -> io::Result<()> {
    let folder = own.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(naming(checks).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(own).map(drop).map_err(|error| error.error)
}

/// Runs a check on the files as they are; one that fails now would let nothing through.
fn try_out(door: &Door, wanted: &Wanted, printer: &mut Printer) -> Result<(), CliError> {
    let message = match tried(door, wanted, printer)? {
        Tried::Passes => return Ok(()),
        Tried::TestsNothing => "it passes, but it runs no test, so it would check nothing",
        Tried::Fails => {
            "it does not pass on the files as they are now, so it would let nothing through"
        }
    };
    Err(CliError::Refused { message: message.into(), help: "nothing was added".into() })
}

/// What a check says of the files as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tried {
    Passes,
    /// It passes, and says itself that no test ran.
    TestsNothing,
    Fails,
}

/// Runs a check on the files as they are, and shows what it says.
fn tried(door: &Door, wanted: &Wanted, printer: &mut Printer) -> Result<Tried, CliError> {
    let check = checks::Check {
        name: wanted.name.clone(),
        command: wanted.command.clone(),
        timeout: Duration::from_secs(wanted.timeout_seconds),
    };
    let room = door::room()?;
    let tried =
        running::with_watch(printer, |watch| checks::try_out(&*door.root, &check, &room, watch));
    let outcome = tried.map_err(|why| CliError::Refused {
        message: format!("`{}` could not be tried: {why}", wanted.line()),
        help: "nothing was added".into(),
    })?;
    running::print_check(&outcome, printer)?;
    if outcome.verdict == Verdict::Passed {
        let nothing = no_tests::nothing_ran(&outcome.output).is_some();
        return Ok(if nothing { Tried::TestsNothing } else { Tried::Passes });
    }
    if running::missed_something(&outcome) {
        printer.note(running::WHAT_CHECKS_SEE);
    }
    Ok(Tried::Fails)
}

/// The policy of a project that only names checks.
fn naming(checks: &[String]) -> String {
    let names = checks.iter().map(|name| json!(format!("tests_required={name}")).to_string());
    format!("version = 1\nconstraints = [{}]\n", names.collect::<Vec<_>>().join(", "))
}

/// The checks that a project's own policy names, if that is all it does and as it is written
/// here; `None` for any other file, which is left to whoever wrote it.
pub(super) fn named_in(file: &Path) -> io::Result<Option<Vec<String>>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Vec::new())),
        Err(error) => return Err(error),
    };
    let list = text.strip_prefix("version = 1\nconstraints = ");
    let items: Option<Vec<String>> = list.and_then(|list| serde_json::from_str(list).ok());
    let name = |item: &String| item.strip_prefix("tests_required=").map(str::to_owned);
    let names = items.and_then(|items| items.iter().map(name).collect::<Option<Vec<_>>>());
    Ok(names.filter(|names| naming(names) == text))
}

#[cfg(test)]
mod tests {
    use super::shell_line;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let line = |words: &[&str]| {
            shell_line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(line(&["cargo", "test", "--quiet"]), "cargo test --quiet");
        assert_eq!(line(&["sh", "-c", "exit 1"]), "sh -c 'exit 1'");
        assert_eq!(line(&["say", "it's", ""]), r"say 'it'\''s' ''");
    }
}
