//! Whether content shows anything at all.
//!
//! A file that is left with nothing to see is as good as deleted, so every rule about
//! deletions asks this one question. White space of every script and characters that do
//! not show count as nothing, because a mark that nobody sees keeps no content.

use crate::model::path::is_hidden;

/// Whether nobody would see anything in the bytes.
#[must_use]
pub fn is_blank(bytes: &[u8]) -> bool {
    let text = [&b"\xff\xfe"[..], b"\xfe\xff"].iter().find_map(|mark| bytes.strip_prefix(*mark));
    let text = text.unwrap_or(bytes);
    // Nearly every file starts with something to see; the rest of it need not be decoded.
    if text.trim_ascii_start().first().is_some_and(u8::is_ascii_graphic) {
        return false;
    }
    text.utf8_chunks().all(|chunk| {
        // A byte that is no text is content of another kind.
        chunk.invalid().is_empty()
            && chunk.valid().chars().all(|c| c.is_whitespace() || is_hidden(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_blank() {
        for blank in [
            "",
            " \t\r\n",
            "\u{feff}",
            "\u{feff}\n",
            "\u{a0}",
            "\u{3000}\u{2003}\n",
            "\u{200b}",
            "\u{2028}",
            "\u{3164}",
            "\u{2800}",
            "\u{85}",
            "\0\0",
        ] {
            assert!(is_blank(blank.as_bytes()), "{blank:?}");
        }
        for utf16 in [&b"\xff\xfe"[..], b"\xff\xfe\x20\x00", b"\xfe\xff\x00\x0a"] {
            assert!(is_blank(utf16), "{utf16:?}");
        }
        for seen in ["x", ".", "\u{feff}x", "\u{fffd}", "\n#\n"] {
            assert!(!is_blank(seen.as_bytes()), "{seen:?}");
        }
        for other in [&b"\xff"[..], b"\x00\xc3", b"\xff\xfea\x00"] {
            assert!(!is_blank(other), "{other:?}");
        }
    }
}
