//! A confirmation typed at the controlling terminal, never read from standard input.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};

use exacta_core::ledger::PlanEntry;
use exacta_core::lifecycle::Verb;
use exacta_core::policy::Decide;
use exacta_core::shown::visible;
use exacta_engine::gate::{Gate, Proof};

use super::CliError;
use super::door::Door;
use crate::review::Look;

/// The words that decide, shared by every deciding command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DecideArgs {
    /// The file that holds the credential, where policy says `decide = "credential"`.
    #[arg(long, value_name = "FILE")]
    pub(crate) credential: Option<std::path::PathBuf>,

    /// Two commands with the same key are carried out once.
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

impl DecideArgs {
    /// Nobody should confirm what is refused anyway. A command that is given again is not
    /// refused, so one with a key is left to the gate.
    pub(crate) fn in_time(
        &self,
        gate: &Gate<'_>,
        plan: &PlanEntry,
        verb: Verb,
    ) -> Result<(), CliError> {
        match self.idempotency_key {
            Some(_) => Ok(()),
            None => Ok(gate.comes_in_time(plan, verb)?),
        }
    }
}

/// What shows the right to decide, as policy wants it. `question` says what `yes` means
/// and is made only when it is asked;
/// `hash` tells whether the full hash was given.
pub(crate) fn proof(
    door: &Door,
    args: &DecideArgs,
    question: impl FnOnce() -> Result<String, CliError>,
    hash: bool,
) -> Result<Proof, CliError> {
    let policy = door.policy().map_err(CliError::Policy)?;
    Ok(match policy.decide {
        Decide::Credential => match &args.credential {
            Some(file) => super::credential::proof(file)?,
            None => Proof::None,
        },
        Decide::Hash if hash => Proof::None,
        Decide::Terminal | Decide::Hash => {
            if typed_yes(&question()?)? {
                Proof::Terminal
            } else {
                Proof::None
            }
        }
    })
}

/// Somebody's words on one line: a line of theirs could be taken for one of ours.
pub(crate) fn one_line(words: &str) -> String {
    words.split(['\n', '\r']).collect::<Vec<_>>().join(" / ")
}

/// The controlling terminal, if there is one.
pub(crate) fn terminal() -> Option<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty").ok()
}

/// Asks at the controlling terminal; without one the answer is no.
pub(crate) fn typed_yes(question: &str) -> Result<bool, CliError> {
    let Some(mut terminal) = terminal() else { return Ok(false) };
    let look = Look::of(&terminal);
    for line in question.lines() {
        for row in look.folded(&visible(line.as_bytes())) {
            writeln!(terminal, "{row}")?;
        }
    }
    // What was typed before the question was asked is no answer to it.
    let _ = rustix::termios::tcflush(&terminal, rustix::termios::QueueSelector::IFlush);
    write!(terminal, "Type yes to confirm: ")?;
    terminal.flush()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer)?;
    if answer.trim() == "yes" {
        return Ok(true);
    }
    Err(CliError::Undecided {
        message: "not confirmed; nothing was done".into(),
        help: "type the whole word `yes`".into(),
    })
}
