//! Reads what the command line names: a file or standard input, never more than the cap.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use exacta_core::read::parse::{self, Limits};
use exacta_core::text::shown::visible;

use super::CliError;
use crate::render::Subject;

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

/// What was handed in: one text, or several patches as one series.
pub(crate) struct Input {
    /// Its name as findings show it.
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    pub(crate) is_patch: bool,
    /// The patches that it was joined from, where there are several.
    parts: Vec<(String, usize)>,
}

impl Input {
    /// Reads what the command line names; all of it together never more than the cap.
    pub(crate) fn read(files: &Files) -> Result<Self, CliError> {
        let cap = Limits::default().raw_bytes;
        let paths = if files.patch.is_empty() { &files.plan } else { &files.patch };
        let sources: Vec<Source> = paths.iter().map(|path| Source::from(path.as_path())).collect();
        let [source] = sources.as_slice() else { return Self::series(&sources, cap) };
        let text = source.read(cap)?;
        let is_patch = !files.patch.is_empty() || parse::is_patch(&text);
        Ok(Self { name: source.name(), text, is_patch, parts: Vec::new() })
    }

    fn series(sources: &[Source], cap: usize) -> Result<Self, CliError> {
        let usage = |message: String, help: &str| CliError::Usage { message, help: help.into() };
        let stdin = sources.iter().filter(|source| **source == Source::Stdin).count();
        let (Some(first), 0..=1) = (sources.first(), stdin) else {
            return Err(usage("`-` stands there twice".into(), "standard input is read once"));
        };
        let mut texts = Vec::new();
        let mut room = cap;
        for (at, source) in sources.iter().enumerate() {
            let (name, text) = (source.name(), source.read(room)?);
            let Some(rest) = room.checked_sub(text.len()) else {
                // All of it together is too large, which is said of the whole.
                texts.push(text);
                break;
            };
            room = rest;
            if !parse::is_patch(&text) {
                return Err(usage(
                    format!("`{name}` is not a patch"),
                    "several files are handed in together where each is a patch; a plan is handed \
                     in alone",
                ));
            }
            if at + 1 < sources.len() && !text.ends_with(b"\n") {
                return Err(usage(
                    format!("`{name}` does not end with a newline, so it may have been cut off"),
                    "hand in the whole patch as it was written",
                ));
            }
            texts.push(text);
        }
        let (text, starts) = parse::series(texts.iter().map(Vec::as_slice));
        let names = sources.iter().map(Source::name);
        let name = match sources.len() - 1 {
            1 => format!("{} and 1 more patch", first.name()),
            more => format!("{} and {more} more patches", first.name()),
        };
        Ok(Self { name, text, is_patch: true, parts: names.zip(starts).collect() })
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject {
            name: self.name.clone(),
            text: &self.text,
            is_patch: self.is_patch,
            parts: &self.parts,
        }
    }
}

/// The files that a command takes in.
#[derive(Debug, clap::Args)]
pub(crate) struct Files {
    /// The plan or patch: a file, or `-` for standard input. Several patches are taken in the
    /// order given, each on top of those before it, as one plan.
    #[arg(value_name = "FILE")]
    pub(crate) plan: Vec<PathBuf>,

    /// The same, for texts that must be patches.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "plan")]
    pub(crate) patch: Vec<PathBuf>,
}

impl Files {
    /// Whether no file is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.patch.is_empty()
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
