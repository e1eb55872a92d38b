//! `exacta completions` and `exacta man`: for shells and for `man`.

use std::path::{Path, PathBuf};

use clap_complete::Shell;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mkdir -p ~/.local/share/bash-completion/completions\n  exacta completions bash > ~/.local/share/bash-completion/completions/exacta"
)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

/// Write the man pages, one for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder to write to.
    folder: PathBuf,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "exacta", &mut text);
    printer.line(String::from_utf8_lossy(&text).trim_end())?;
    Ok(Exit::Done)
}

pub(super) fn man(args: &ManArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(super::command(), &args.folder))
        .and_then(|()| name_examples(&args.folder))
        .map_err(|source| CliError::WriteFile { path: args.folder.clone(), source })?;
    printer.line(&format!("man pages written to {}", args.folder.display()))?;
    Ok(Exit::Done)
}

/// What stands after the options is examples; the generator calls it something else.
fn name_examples(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("exacta") && name.ends_with(".1") {
            let text = std::fs::read_to_string(&path)?;
            std::fs::write(&path, text.replace("\n.SH EXTRA\n", "\n.SH EXAMPLES\n"))?;
        }
    }
    Ok(())
}
