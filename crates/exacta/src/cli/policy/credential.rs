//! `exacta policy credential`: set what shows the right to decide.

use std::path::PathBuf;

use crate::cli::{CliError, confirm, credential};
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::CredentialReport;

/// Set the credential that `decide = "credential"` asks for.
///
/// The file holds a passphrase or random bytes. Only a salted, slow hash is kept, outside
/// every project. Setting it needs a terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  head -c 32 /dev/urandom | base64 > ~/.exacta-credential && chmod 600 ~/.exacta-credential
  exacta policy credential ~/.exacta-credential
  exacta approve ID --credential ~/.exacta-credential")]
pub(crate) struct Args {
    /// The file that holds it.
    file: PathBuf,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    // Nobody should confirm what cannot be set.
    let secret = credential::fit(&args.file)?;
    let question = "Whoever has this file will be able to decide on plans.";
    if !confirm::typed_yes(question)? {
        return Err(CliError::Usage {
            message: "setting the credential needs a terminal".into(),
            help: "run the command yourself, at a terminal".into(),
        });
    }
    credential::set(&secret)?;
    if args.json {
        printer.json(&CredentialReport { set: true })?;
    } else {
        printer.line("the credential is set")?;
    }
    Ok(Exit::Done)
}
