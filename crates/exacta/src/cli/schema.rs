//! `exacta schema`: the JSON Schemas, generated from the types, and that of Cedar policies.

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire;

/// Print the schema of a format: JSON Schema, or Cedar's own notation for `cedar`.
///
/// Give the schema of `draft` to a planner so that it writes plans that parse, that of
/// `cedar` to an editor that checks policies.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta schema draft > draft.schema.json\n  exacta schema cedar > policy.cedarschema"
)]
pub(crate) struct Args {
    /// The format.
    #[arg(value_enum)]
    format: wire::Format,

    /// Accepted like everywhere; a schema is JSON, but for that of `cedar`.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let Args { format, json: _ } = args;
    printer.machine(format.text()?.trim_end())?;
    Ok(Exit::Done)
}
