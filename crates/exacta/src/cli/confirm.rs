//! A confirmation typed at the controlling terminal, never read from standard input.

use exacta_core::judge::policy::Decide;
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::Verb;
use exacta_core::text::shown::visible;
use exacta_engine::gate::Gate;
use exacta_engine::proof::{ControllingTerminal, Proof};

use super::CliError;
use super::door::Door;
use crate::agent::screen;
use crate::paint::Look;

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
            None => Proof::none(),
        },
        Decide::Hash if hash => Proof::none(),
        Decide::Terminal | Decide::Hash => typed_yes(&door.shortened(&question()?))?,
    })
}

/// Somebody's words on one line: a line of theirs could be taken for one of ours.
pub(crate) fn one_line(words: &str) -> String {
    words.split(['\n', '\r']).collect::<Vec<_>>().join(" / ")
}

/// Asks at the controlling terminal; without one nothing is proven.
pub(crate) fn typed_yes(question: &str) -> Result<Proof, CliError> {
    let Some(mut terminal) = ControllingTerminal::open() else { return Ok(Proof::none()) };
    let look = Look::of(&terminal.file()?);
    let rows = question.lines().flat_map(|line| look.folded(&visible(line.as_bytes())));
    let rows: Vec<String> = rows.collect();
    let word = screen::word()?;
    let mut rows = rows;
    if word.is_some() {
        // An agent had this terminal and may have typed ahead.
        rows.push("The word is a new one each time, so that nothing typed ahead confirms.".into());
    }
    terminal.confirm(&rows, word.as_deref())?.ok_or_else(|| CliError::Undecided {
        message: "not confirmed; nothing was done".into(),
        help: match &word {
            Some(word) => format!("an agent had this terminal, so only the word `{word}` confirms"),
            None => "`yes` or `y` confirms".into(),
        },
    })
}
