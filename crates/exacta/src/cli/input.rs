//! Reads what the command line names: a file or standard input, never more than the cap.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use exacta_core::text::shown::visible;

use super::CliError;

/// Where a plan or patch comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.into()) }
    }
}

impl Source {
    /// The name as findings show it: nothing hidden in it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".into(),
            Self::File(path) => visible(path.as_os_str().as_encoded_bytes()),
        }
    }

    /// Reads at most one byte more than `cap`, so that the caller can tell too large from
    /// just fitting without holding more.
    pub(crate) fn read(&self, cap: usize) -> Result<Vec<u8>, CliError> {
        match self {
            Self::Stdin => {
                if io::stdin().is_terminal() {
                    anstream::eprintln!("reading from the terminal; Ctrl-D on a new line ends it");
                }
                read_capped(io::stdin().lock(), cap).map_err(CliError::Stdin)
            }
            Self::File(path) => File::open(path)
                .and_then(|file| read_capped(file, cap))
                .map_err(|source| CliError::ReadPlan { path: path.clone(), source }),
        }
    }
}

pub(super) fn read_capped(source: impl Read, cap: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(cap as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes `-C DIR` the current folder, so that every later path is relative to it.
pub(crate) fn enter(directory: &Path) -> Result<(), CliError> {
    std::env::set_current_dir(directory)
        .map_err(|source| CliError::Enter { path: directory.into(), source })
}
