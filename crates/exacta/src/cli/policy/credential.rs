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
  exacta policy credential ~/.new-credential --credential ~/.exacta-credential
  exacta approve ID --credential ~/.exacta-credential")]
pub(crate) struct Args {
    /// The file that holds it.
    file: PathBuf,

    /// The file that holds the credential that is set now, when there is one.
    #[arg(long, value_name = "FILE")]
    credential: Option<PathBuf>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    // Nobody should confirm what cannot be set.
    let secret = credential::fit(&args.file)?;
    // Else whoever can type at a terminal could take the right to decide for themselves.
    let is_set = credential::is_set()?;
    if is_set {
        let Some(old) = &args.credential else {
            return Err(CliError::Undecided {
                message: "a credential is set already; nothing was done".into(),
                help: "show that you have it: `exacta policy credential NEW --credential OLD`; if \
                       it is lost, delete the file `credential` in Exacta's state folder"
                    .into(),
            });
        };
        credential::proof(old)?;
    }
    let question = if is_set {
        "Whoever has the new file will be able to decide on plans, and who has the old one no more."
    } else {
        "Whoever has this file will be able to decide on plans."
    };
    if confirm::typed_yes(question)?.is_none() {
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
