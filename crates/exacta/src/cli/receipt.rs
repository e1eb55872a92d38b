//! `exacta receipt`: a run as a signed statement that others can check.

use std::path::Path;

use exacta_core::text::shown::visible;
use exacta_engine::gate::RECEIPT_TYPE;
use exacta_engine::trust::{Envelope, FolderTrust};
use serde_json::{Value, json};

use super::CliError;
use super::door::{self, Door};
use super::input::Source;
use crate::exit::Exit;
use crate::render::Printer;

/// Export a run as a signed statement: plan, approval, effect and result.
///
/// The form is an in-toto statement in a DSSE envelope, signed with this machine's key.
/// `exacta verify --receipt FILE` checks one, also without the project.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta receipt RUN > receipt.json
  exacta verify --receipt receipt.json
  exacta verify --receipt receipt.json --key HEX

Exit codes: 0 done, 10 there is no such run.")]
pub(crate) struct Args {
    /// The run: its id, or the beginning or end of it.
    run: String,

    /// A receipt is JSON in any case.
    #[arg(long, hide = true)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let Args { run, json: _ } = args;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run_id = door::run_named(gate, run)?.run_id;
        printer.json(&gate.receipt(&run_id)?)?;
        Ok(Exit::Done)
    })
}

/// Checks a receipt against a key: the one given, or that of this machine.
pub(super) fn verify(
    file: &Path,
    key: Option<&str>,
    as_json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    const LIMIT: usize = 64 << 20;
    let text = Source::from(file).read(LIMIT)?;
    let key = match key {
        Some(key) => key.to_owned(),
        None => door::outer()?.signer()?.public(),
    };
    let checked = Envelope::open(&text, &key).map_err(|error| error.to_string());
    let checked = checked.and_then(|statement| {
        let kind = statement.get("predicateType").and_then(Value::as_str).unwrap_or_default();
        if kind != RECEIPT_TYPE {
            return Err(format!("it is a statement of `{kind}`, not a receipt"));
        }
        Ok(statement)
    });
    match checked {
        Ok(statement) => {
            let said = statement.get("predicate").cloned().unwrap_or_default();
            if as_json {
                printer.json(&json!({ "ok": true, "key": key, "receipt": said }))?;
                return Ok(Exit::Done);
            }
            let word = |name: &str| match said.get(name) {
                Some(Value::String(text)) => visible(text.as_bytes()),
                _ => "none".into(),
            };
            printer.line(&format!("the receipt was signed with the key {key}"))?;
            printer.line(&format!("  run {}: {}", word("run_id"), word("status")))?;
            printer.line(&format!("  plan {}, hash {}", word("plan_id"), word("plan_hash")))?;
            let approver = said.pointer("/approved/approval/approver/name");
            let approver = approver.and_then(Value::as_str).unwrap_or("nobody");
            printer.line(&format!("  approved by {}", visible(approver.as_bytes())))?;
            let files = said.get("files").and_then(Value::as_array).map_or(0, Vec::len);
            printer.line(&format!("  {files} files"))?;
            in_record(&said, printer)?;
            Ok(Exit::Done)
        }
        Err(why) => {
            if as_json {
                printer.json(&json!({ "ok": false, "key": key, "problem": why }))?;
            } else {
                printer.line(&format!("the receipt does not hold: {}", visible(why.as_bytes())))?;
            }
            Ok(Exit::Unverified)
        }
    }
}

/// Says whether the record here has that run, where there is one.
fn in_record(said: &Value, printer: &mut Printer) -> Result<(), CliError> {
    let Ok(door) = Door::open(&mut Printer::mute()) else { return Ok(()) };
    if !matches!(door.identity.standing, FolderTrust::Known(_)) {
        return Ok(());
    }
    let Some(run) = said.get("run_id").and_then(Value::as_str) else { return Ok(()) };
    let found = door.look(|gate| Ok(gate.run_named(run).is_ok())).unwrap_or(false);
    let words = if found { "  the record here has this run" } else { "  it is of another project" };
    Ok(printer.line(words)?)
}
