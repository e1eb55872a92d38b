//! The one place that writes: data to stdout, talk to stderr, colour only where wanted.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use anstream::AutoStream;
use exacta_core::model::path::is_hidden;
use exacta_core::review::Row;
use exacta_core::text::shown::visible;
use serde::Serialize;

use super::Ids;
use crate::paint::wrap::Breaks;
use crate::paint::{Look, breaks_of, lines_of, style};

/// Both output streams. Colours are dropped when the stream is no terminal or when
/// `NO_COLOR` is set.
pub(crate) struct Printer {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    /// What the reader of stdout can show.
    look: Look,
    /// The same for stderr.
    look_of_err: Look,
    /// The reader of stdout went away, which is its right; nothing more is written.
    closed: bool,
    /// The ids that people see short; a program sees them whole.
    ids: Option<Ids>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Self {
            out: AutoStream::auto(io::stdout()),
            err: AutoStream::auto(io::stderr()),
            look: Look::of_stdout(),
            look_of_err: Look::of(&io::stderr()),
            closed: false,
            ids: Some(Ids::default()),
        }
    }

    /// One whose reader is a program: ids stay whole.
    pub(crate) fn for_programs() -> Self {
        Self { ids: None, ..Self::new() }
    }

    /// What is to be learned about ids.
    pub(crate) fn ids(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    /// An id as the reader sees it.
    pub(crate) fn short<'i>(&self, id: &'i str) -> &'i str {
        self.ids.as_ref().map_or(id, |ids| ids.short(id))
    }

    /// A text with its ids as the reader sees them.
    pub(crate) fn shortened<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.ids {
            Some(ids) => Cow::Owned(ids.shortened(text)),
            None => Cow::Borrowed(text),
        }
    }

    /// One that writes no data.
    pub(crate) fn mute() -> Self {
        Self { closed: true, ..Self::new() }
    }

    /// Stands between a value and what it becomes, as the reader of stdout can show it.
    pub(crate) fn becomes(&self) -> &'static str {
        self.look.becomes()
    }

    /// Lines of data; at a terminal a long one breaks between words.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let text = self.shortened(text);
        let mut rows = self.look.folded(&text).into_iter();
        let written = rows.try_for_each(|row| writeln!(self.out, "{row}"));
        self.settle(written)
    }

    /// A line that is not prose: where it is too long it breaks wherever the row ends.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let mut rows = self.look.cut(text).into_iter();
        let written = rows.try_for_each(|row| writeln!(self.out, "{row}"));
        self.settle(written)
    }

    /// Rows of the review model.
    pub(crate) fn rows(&mut self, rows: &[Row]) -> io::Result<()> {
        for row in rows {
            for line in lines_of(row, self.look, 0) {
                match breaks_of(row.kind) {
                    Breaks::Words => self.line(&line)?,
                    Breaks::Anywhere => self.verbatim(&line)?,
                }
            }
        }
        Ok(())
    }

    /// A value as JSON on one line.
    pub(crate) fn json_line<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        self.machine(&escaped(&text))
    }

    /// A closed pipe is remembered and is no error, so that a command ends with the exit
    /// code of what it found.
    fn settle(&mut self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }

    /// Lets something write data by itself.
    pub(crate) fn data(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let written = write(&mut out).and_then(|()| out.flush());
        drop(out);
        self.settle(written)
    }

    /// A value as JSON.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        self.machine(&escaped(&text))
    }

    /// JSON that is text already; a terminal does not break its lines.
    pub(crate) fn json_text(&mut self, text: &str) -> io::Result<()> {
        self.machine(&escaped(text.trim_end()))
    }

    /// Lines for a program, byte for byte: no colours are looked for in them.
    pub(crate) fn machine(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let written = writeln!(io::stdout(), "{text}");
        self.settle(written)
    }

    /// Talk; at a terminal it breaks between words.
    fn talk(&mut self, text: &str) -> io::Result<()> {
        let rows = self.look_of_err.folded(&self.shortened(text));
        rows.iter().try_for_each(|row| writeln!(self.err, "{row}"))
    }

    /// Something worth knowing that is not data.
    pub(crate) fn note(&mut self, text: &str) {
        let quiet = style::QUIET;
        // When stderr is gone there is nobody left to tell; so below.
        let _ = self.talk(&format!("{quiet}{}{quiet:#}", visible(text.as_bytes())));
    }

    /// Something that happened besides what was asked for.
    pub(crate) fn warn(&mut self, text: &str) {
        let tone = style::WARNING;
        let _ = self.talk(&format!("{tone}note{tone:#}: {}", visible(text.as_bytes())));
    }

    /// A line of what some other program says; nothing in it is obeyed.
    pub(crate) fn relay(&mut self, text: &[u8]) -> io::Result<()> {
        self.talk(&format!("  | {}", visible(&super::without_colours(text))))
    }

    /// An error of ours and what to do about it.
    pub(crate) fn complain(&mut self, message: &str, help: &str) {
        let (error, mark) = (style::ERROR, style::MARK);
        let _ = self.talk(&format!("{error}error{error:#}: {}", visible(message.as_bytes())));
        if !help.is_empty() {
            let _ = self.talk(&format!("  {mark}help{mark:#}: {}", visible(help.as_bytes())));
        }
    }
}

/// JSON in which every character that does not show is written as an escape: somebody may look
/// at it on a terminal. Outside of strings there are none but line ends.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(|c| c != '\n' && is_hidden(c)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_without_what_does_not_show() {
        for text in
            ["plain ü", "\u{9b}31m", "a\u{202e}b", "\u{200b}", "\u{e0001}", "line\nend", "\u{7f}"]
        {
            let json = serde_json::to_string_pretty(&[text]).unwrap();
            let out = escaped(&json);
            assert!(out.chars().all(|c| c == '\n' || !is_hidden(c)), "{out:?}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&out).unwrap(), [text]);
        }
    }
}
