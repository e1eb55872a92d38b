//! `exacta schema`: the JSON Schemas, generated from the types.

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire;

/// Print the JSON Schema of a format.
///
/// Give the schema of `draft` to a planner so that it writes plans that parse.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta schema draft > draft.schema.json")]
pub(crate) struct Args {
    /// The format.
    #[arg(value_enum)]
    format: wire::Format,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    printer.json(&args.format.schema())?;
    Ok(Exit::Done)
}
