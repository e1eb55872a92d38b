//! `exacta recipe overlay`: what you prefer, inside fixed bounds.
//!
//! Kept in the state folder of its user, outside every project. A plan takes the values when
//! it is made; they are part of it from then on.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use exacta_core::read::recipe::{Overlay, SETTINGS};

use crate::cli::{CliError, door};
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::{OverlayReport, OverlayRow};

/// The file, in the state folder.
const FILE: &str = "overlay.json";

/// Show, change or reset what recipes take from you: numbers inside fixed bounds.
///
/// An overlay cannot add a tool, relax an approval or widen a list, and no decision looks at it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show every setting with its bounds.
    Show {
        /// Print the settings as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Change one setting.
    Set {
        /// The setting.
        #[arg(value_name = "SETTING")]
        name: String,
        /// Its value.
        #[arg(value_name = "VALUE")]
        value: String,
        /// Print the settings as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Go back to the built-in values.
    Reset {
        /// Print the settings as JSON.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let (overlay, json) = match &args.command {
        Command::Show { json } => (load()?, *json),
        Command::Set { name, value, json } => {
            let mut overlay = load()?;
            overlay.set(name, value).map_err(|fault| {
                let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
                CliError::Usage {
                    message: fault.to_string(),
                    help: format!("the settings are {}", names.join(", ")),
                }
            })?;
            keep(&overlay)?;
            (overlay, *json)
        }
        Command::Reset { json } => {
            match fs::remove_file(path()?) {
                Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault.into()),
                _ => {}
            }
            (Overlay::default(), *json)
        }
    };
    show(&overlay, json, printer)?;
    Ok(Exit::Done)
}

fn show(overlay: &Overlay, json: bool, printer: &mut Printer) -> Result<(), CliError> {
    let rows = overlay.rows();
    if json {
        let settings = rows
            .into_iter()
            .zip(SETTINGS)
            .map(|((name, value), setting)| OverlayRow {
                name: name.into(),
                value,
                takes: setting.takes.into(),
            })
            .collect();
        printer.json(&OverlayReport { settings })?;
        return Ok(());
    }
    for ((name, value), setting) in rows.into_iter().zip(SETTINGS) {
        printer.line(&format!("{name} = {value}   ({}: {})", setting.takes, setting.about))?;
    }
    Ok(())
}

fn path() -> Result<PathBuf, CliError> {
    Ok(door::outer()?.folder().join(FILE))
}

/// The overlay of this user.
pub(super) fn load() -> Result<Overlay, CliError> {
    let path = path()?;
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(Overlay::default()),
        Err(fault) => return Err(fault.into()),
    };
    Overlay::read(&text).map_err(|fault| CliError::Usage {
        message: format!("{fault} (`{}`)", path.display()),
        help: "`exacta recipe overlay reset` goes back to the built-in values".into(),
    })
}

fn keep(overlay: &Overlay) -> Result<(), CliError> {
    let path = path()?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("json.new");
    let _ = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(overlay.written().as_bytes())?;
    file.sync_all()?;
    Ok(fs::rename(beside, path)?)
}
