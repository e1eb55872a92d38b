//! One image of a file: its text and its lines.

use std::borrow::Cow;

/// Bytes as text. Stray bytes that are not UTF-8 become U+FFFD, so that a source in an
/// old encoding is still read.
pub(crate) struct Image<'a> {
    text: Cow<'a, str>,
}

impl<'a> Image<'a> {
    /// `None` for binary content: anything with a NUL byte.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        if bytes.contains(&0) {
            return None;
        }
        Some(Self { text: String::from_utf8_lossy(bytes) })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The lines without their ends. A last line end does not open a line of its own.
    pub(crate) fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> =
            self.text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        lines
    }
}
