//! What the reader's side can show: colours, characters, width.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::io;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use exacta_core::review::{Marks, does_not_show};
use rustix::fd::AsFd;
use rustix::termios::tcgetwinsize;

use super::wrap::{self, Breaks};

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether colours are wanted.
    pub(crate) colour: bool,
    /// Whether the reader's side understands UTF-8.
    pub(crate) utf8: bool,
    /// The columns of a terminal; `None` for a file or a pipe, where nothing wraps.
    pub(crate) width: Option<usize>,
}

/// The signs that stand for what does not show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs {
    /// Begins the columns of a tab; `None` where tabs are spelled out.
    pub(crate) tab: Option<char>,
    /// Stands for a space at the end of a line; `None` where it is spelled out.
    pub(crate) space: Option<char>,
    /// Stands before every line of untrusted prose.
    pub(crate) bar: &'static str,
    /// Stands before every row that goes on with the line above; two columns.
    pub(crate) goes_on: &'static str,
    /// Stands between a value and what it becomes.
    pub(crate) becomes: &'static str,
}

impl Look {
    /// Text for a file or a pipe.
    pub(crate) const PLAIN: Self = Self { colour: false, utf8: true, width: None };

    /// What stdout can show.
    pub(crate) fn of_stdout() -> Self {
        Self::of(&io::stdout())
    }

    /// What this stream can show.
    pub(crate) fn of(stream: &(impl RawStream + AsFd)) -> Self {
        let colour = colour(stream);
        if !stream.is_terminal() {
            return Self { colour, ..Self::PLAIN };
        }
        Self { colour, utf8: locale_is_utf8(), width: Some(width_of(stream)) }
    }

    /// Whether the lines go to a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        self.width.is_some()
    }

    /// Prose on as many rows as the terminal needs, each of its lines by itself; the lines
    /// themselves where nothing wraps.
    pub(crate) fn folded(self, text: &str) -> Vec<String> {
        let fold = |line: &str, width| wrap::lines(line, width, self.signs());
        self.rows(text, fold)
    }

    /// The same for what is not prose, which breaks wherever a row ends.
    pub(crate) fn cut(self, text: &str) -> Vec<String> {
        let cut = |line: &str, width| {
            let rows = wrap::rows(line, width, self.signs(), Breaks::Anywhere);
            rows.map(|row| row.text).collect()
        };
        self.rows(text, cut)
    }

    fn rows(self, text: &str, rows: impl Fn(&str, usize) -> Vec<String>) -> Vec<String> {
        let mut out = Vec::new();
        for line in text.split('\n') {
            let line = self.finish(line);
            match self.width {
                Some(width) if line.len() > width => out.extend(rows(&line, width)),
                _ => out.push(line.into_owned()),
            }
        }
        out
    }

    /// Stands between a value and what it becomes.
    pub(crate) fn becomes(self) -> &'static str {
        self.signs().becomes
    }

    /// The signs that this side can show.
    pub(crate) fn signs(self) -> Signs {
        if self.utf8 {
            Signs {
                tab: Some('→'), space: Some('·'), bar: "│", goes_on: "↪ ", becomes: "→"
            }
        } else {
            Signs { tab: None, space: None, bar: "|", goes_on: "\\ ", becomes: "->" }
        }
    }

    /// The last wall: the line as it may leave. Our own colours are kept where wanted;
    /// whatever else does not show, piles up, or would be misread by the reader's side is
    /// spelled out, whatever was forgotten before.
    pub(crate) fn finish(self, line: &str) -> Cow<'_, str> {
        if line.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Cow::Borrowed(line);
        }
        let mut out = String::with_capacity(line.len());
        let mut marks = Marks::default();
        let mut rest = line;
        loop {
            let plain = rest.bytes().take_while(|byte| matches!(byte, b' '..=b'~')).count();
            if let Some((run, left)) = rest.split_at_checked(plain).filter(|_| plain > 0) {
                out.push_str(run);
                marks = Marks::default();
                rest = left;
            }
            let Some(c) = rest.chars().next() else { break };
            if let Some(sequence) = colour_at(rest) {
                if self.colour {
                    out.push_str(sequence);
                }
                rest = rest.get(sequence.len()..).unwrap_or_default();
                continue;
            }
            let piled = marks.piled(c);
            if piled || does_not_show(c) || !(self.utf8 || c.is_ascii()) {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            } else {
                out.push(c);
            }
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
        Cow::Owned(out)
    }
}

/// Stands between a value and what it becomes, as the locale can show it.
pub(crate) fn becomes() -> &'static str {
    Look { utf8: locale_is_utf8(), ..Look::PLAIN }.becomes()
}

/// The colour sequence that the text begins with, if it does.
pub(crate) fn colour_at(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let length = inner.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    (inner.as_bytes().get(length) == Some(&b'm')).then(|| text.get(..length + 3)).flatten()
}

/// Whether colours are wanted on this stream: a terminal that knows them, no `NO_COLOR`.
pub(crate) fn colour(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// The columns of a terminal; 80 where it does not say.
pub(crate) fn width_of(stream: &impl AsFd) -> usize {
    let told = tcgetwinsize(stream).map_or(0, |size| size.ws_col);
    if told == 0 { 80 } else { usize::from(told) }
}

/// Whether the locale's characters are UTF-8.
pub(crate) fn locale_is_utf8() -> bool {
    let locale = locale();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Whether terminals of this locale tend to draw ambiguous characters wide.
pub(super) fn locale_is_east_asian() -> bool {
    ["ja", "ko", "zh"].iter().any(|language| locale().starts_with(language))
}

/// The locale of characters; the first variable that is set decides.
fn locale() -> String {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    locale.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_folded_by_itself() {
        let look = Look { width: Some(20), ..Look::PLAIN };
        assert_eq!(
            look.folded("# A page\n\none two three four five\nsix"),
            ["# A page", "", "one two three four", "↪ five", "six"]
        );
        assert_eq!(Look::PLAIN.folded("one\ntwo"), ["one", "two"]);
    }

    #[test]
    fn only_our_colours_pass_the_last_wall() {
        let coloured = Look { colour: true, ..Look::PLAIN };
        let line = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J \u{1b}]8;;x\u{7} \u{9b}1m";
        assert_eq!(
            coloured.finish(line),
            "\u{1b}[1;31mred\u{1b}[0m <U+001B>[2J <U+001B>]8;;x<U+0007> <U+009B>1m"
        );
        assert_eq!(Look::PLAIN.finish("\u{1b}[1;31mred\u{1b}[0m é"), "red é");
        let ascii = Look { utf8: false, ..Look::PLAIN };
        assert_eq!(ascii.finish("é"), "<U+00E9>");
        assert_eq!(Look::PLAIN.finish("\u{a0}\u{202e}"), "<U+00A0><U+202E>");
        assert_eq!(Look::PLAIN.finish("e\u{301}\u{301}\u{301}"), "e\u{301}\u{301}<U+0301>");
    }
}
