//! Untrusted text as a person may see it: nothing hidden, nothing obeyed.
//!
//! Terminal escapes, bidirectional controls, zero-width characters and stray bytes are
//! written out as `<U+202E>` or `<0xFF>`. Every message and every door uses this.

use alloc::string::String;
use core::fmt::Write as _;

use crate::model::path::is_hidden;

/// The most characters of a text that a message repeats.
const MAX_SHOWN: usize = 80;

/// All of the text, with every hidden character and every stray byte written out.
#[must_use]
pub fn visible(bytes: &[u8]) -> String {
    write_out(bytes, usize::MAX)
}

/// The same, cut where it gets long; for messages that only name the text.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    write_out(bytes, MAX_SHOWN)
}

fn write_out(bytes: &[u8], mut room: usize) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid().chars().map(Ok);
        let stray = chunk.invalid().iter().copied().map(Err);
        for part in text.chain(stray) {
            if room == 0 {
                out.push('…');
                return out;
            }
            room -= 1;
            // Writing to a string cannot fail.
            let _ = match part {
                Ok(c) if is_hidden(c) => write!(out, "<U+{:04X}>", u32::from(c)),
                Ok(c) => out.write_char(c),
                Err(byte) => write!(out, "<0x{byte:02X}>"),
            };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_and_stray_bytes_are_written_out() {
        assert_eq!(shown("a\u{202e}b\r\tc".as_bytes()), "a<U+202E>b<U+000D><U+0009>c");
        assert_eq!(visible(b"x\xff\xfey\x1b[2J"), "x<0xFF><0xFE>y<U+001B>[2J");
        assert_eq!(shown("é".repeat(81).as_bytes()), "é".repeat(80) + "…");
        assert_eq!(shown(&[0xff; 80]).matches("0xFF").count(), 80);
        assert_eq!(visible("é".repeat(81).as_bytes()), "é".repeat(81));
    }
}
