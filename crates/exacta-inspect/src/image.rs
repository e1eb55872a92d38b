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
        let mut lines = Vec::with_capacity(self.text.len() / 24 + 1);
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
        for end in ends.chain([self.text.len()]) {
            let line = self.text.get(start..end).unwrap_or_default();
            lines.push(line.strip_suffix('\r').unwrap_or(line));
            start = end + 1;
        }
        if lines.last() == Some(&"") {
            lines.pop();
        }
        lines
    }
}
