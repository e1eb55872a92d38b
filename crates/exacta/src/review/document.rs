//! A review as lines, some of them made only when they are looked at.

use std::borrow::Cow;
use std::fmt::Write as _;

use exacta_core::digest::Blob;

use super::wrap::Breaks;
use crate::render::style;

/// How many bytes one row of a dump shows.
const BYTES_A_ROW: usize = 16;

/// Lines with our colours in them; untrusted text in them was made visible before.
#[derive(Default)]
pub(super) struct Document {
    blocks: Vec<Block>,
    headings: Vec<usize>,
}

/// Lines that belong together.
pub(super) enum Block {
    /// Ready lines, each with the places where it may break.
    Lines(Vec<(String, Breaks)>),
    /// A dump of an image; its rows are made on demand, because they take five times the
    /// room of the image.
    Dump {
        /// What stands before each row.
        mark: &'static str,
        /// The image.
        blob: Blob,
    },
}

impl Block {
    /// How many lines it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.len(),
            Self::Dump { blob, .. } => blob.bytes().len().div_ceil(BYTES_A_ROW),
        }
    }

    /// One of its lines, and where it may break.
    pub(super) fn line(&self, index: usize) -> (Cow<'_, str>, Breaks) {
        match self {
            Self::Lines(lines) => {
                let line = lines.get(index).map(|(line, breaks)| (line.as_str(), *breaks));
                let (line, breaks) = line.unwrap_or(("", Breaks::Words));
                (Cow::Borrowed(line), breaks)
            }
            Self::Dump { mark, blob } => {
                let row = blob.bytes().chunks(BYTES_A_ROW).nth(index).unwrap_or_default();
                (Cow::Owned(dump_row(mark, index * BYTES_A_ROW, row)), Breaks::Anywhere)
            }
        }
    }
}

impl Document {
    /// Adds a line of prose.
    pub(super) fn line(&mut self, line: impl Into<String>) {
        self.push(line.into(), Breaks::Words);
    }

    /// Adds a line of what is written or sent, of which every character counts.
    pub(super) fn content(&mut self, line: impl Into<String>) {
        self.push(line.into(), Breaks::Anywhere);
    }

    fn push(&mut self, line: String, breaks: Breaks) {
        if let Some(Block::Lines(lines)) = self.blocks.last_mut() {
            lines.push((line, breaks));
        } else {
            self.blocks.push(Block::Lines(vec![(line, breaks)]));
        }
    }

    /// Adds lines.
    pub(super) fn extend(&mut self, lines: Vec<String>) {
        for line in lines {
            self.line(line);
        }
    }

    /// Adds an empty line and a heading.
    pub(super) fn heading(&mut self, title: &str) {
        if self.len() > 0 {
            self.line("");
        }
        self.headings.push(self.len());
        let strong = style::STRONG;
        self.line(format!("{strong}{title}{strong:#}"));
    }

    /// Lets readers jump to the next line.
    pub(super) fn stop(&mut self) {
        self.headings.push(self.len());
    }

    /// Adds every byte of an image as hexadecimal digits.
    pub(super) fn dump(&mut self, mark: &'static str, blob: Blob) {
        self.blocks.push(Block::Dump { mark, blob });
    }

    /// The blocks in their order.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The line numbers of the headings and of other places to jump to.
    pub(super) fn headings(&self) -> &[usize] {
        &self.headings
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Every line in its order, and where it may break.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Cow<'_, str>, Breaks)> {
        self.blocks.iter().flat_map(|block| (0..block.len()).map(|index| block.line(index)))
    }
}

fn dump_row(mark: &str, offset: usize, row: &[u8]) -> String {
    let mut out = format!("  {mark} {offset:08x} ");
    for byte in row {
        // Writing to a string cannot fail.
        let _ = write!(out, " {byte:02x}");
    }
    out.extend(std::iter::repeat_n(' ', (BYTES_A_ROW - row.len()) * 3 + 2));
    out.push('|');
    let readable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    out.extend(row.iter().map(|byte| if readable(byte) { char::from(*byte) } else { '.' }));
    out.push('|');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_holds_every_byte() {
        let mut document = Document::default();
        document.line("first");
        document.dump("+", Blob::new(b"GIF89a\x00\x01 and more bytes".to_vec()));
        let lines: Vec<_> = document.lines().map(|(line, _)| line).collect();
        assert_eq!(
            lines,
            [
                "first",
                "  + 00000000  47 49 46 38 39 61 00 01 20 61 6e 64 20 6d 6f 72  |GIF89a.. and mor|",
                "  + 00000010  65 20 62 79 74 65 73                             |e bytes|",
            ]
        );
    }
}
