//! Text of a diff as it may stand in a message.

use alloc::string::String;
use core::fmt::Write as _;

use crate::path::is_hidden;

/// The most characters of a line that a message repeats.
const MAX_SHOWN: usize = 80;

/// The text with every hidden character and every stray byte written out, and cut
/// where it gets long.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut room = MAX_SHOWN;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if room == 0 {
                out.push('…');
                return out;
            }
            room -= 1;
            if is_hidden(c) {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            } else {
                out.push(c);
            }
        }
        for byte in chunk.invalid() {
            if room == 0 {
                out.push('…');
                return out;
            }
            room -= 1;
            let _ = write!(out, "<0x{byte:02X}>");
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
        assert_eq!(shown(b"x\xff\xfey"), "x<0xFF><0xFE>y");
        assert_eq!(shown("é".repeat(81).as_bytes()), "é".repeat(80) + "…");
        assert_eq!(shown(&[0xff; 80]).matches("0xFF").count(), 80);
    }
}
