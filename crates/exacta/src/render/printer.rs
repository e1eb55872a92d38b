//! The one place that writes: data to stdout, talk to stderr, colour only where wanted.

use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::cli::CliError;

/// Styles by meaning.
pub(crate) mod style {
    use super::{AnsiColor, Style};

    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
    pub(crate) const MARK: Style = AnsiColor::Cyan.on_default().bold();
    pub(crate) const QUIET: Style = Style::new().dimmed();
    pub(crate) const STRONG: Style = Style::new().bold();
}

/// Both output streams. Colours are dropped when the stream is no terminal or when
/// `NO_COLOR` is set.
pub(crate) struct Printer {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Self { out: AutoStream::auto(io::stdout()), err: AutoStream::auto(io::stderr()) }
    }

    /// A line of data.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), CliError> {
        Ok(writeln!(self.out, "{text}")?)
    }

    /// A value as JSON.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value)?;
        self.line(&text)
    }

    /// Something worth knowing that is not data.
    pub(crate) fn note(&mut self, text: &str) {
        let quiet = style::QUIET;
        let _ = writeln!(self.err, "{quiet}{text}{quiet:#}");
    }

    /// An error of ours and what to do about it.
    pub(crate) fn complain(&mut self, message: &str, help: &str) {
        let (error, mark) = (style::ERROR, style::MARK);
        // When stderr is gone there is nobody left to tell.
        let _ = writeln!(self.err, "{error}error{error:#}: {message}");
        if !help.is_empty() {
            let _ = writeln!(self.err, "  {mark}help{mark:#}: {help}");
        }
    }
}
