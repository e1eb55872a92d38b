//! What a terminal sends when keys are pressed, as keys.

/// One key, or one paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A character that shows.
    Char(char),
    Enter,
    Backspace,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-U: what was typed goes.
    ClearLine,
    /// Ctrl-W: its last word goes.
    ClearWord,
    /// Text that was pasted; it never counts as keys.
    Paste(String),
    /// Anything else.
    Other,
}

const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Bytes that have arrived and are not yet a key.
#[derive(Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// Takes bytes in.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether something has arrived that is no whole key yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// The next key. `silent` says that nothing followed for a moment, so that an escape
    /// byte by itself is the Escape key.
    pub(super) fn next(&mut self, silent: bool) -> Option<Key> {
        let (key, length) = read(&self.bytes, silent)?;
        self.bytes.drain(..length.min(self.bytes.len()));
        Some(key)
    }
}

/// The first key and how many bytes it has; `None` when more bytes are needed.
fn read(bytes: &[u8], silent: bool) -> Option<(Key, usize)> {
    match bytes {
        [] => None,
        [0x1b, ..] => escape(bytes).or_else(|| silent.then_some((Key::Escape, bytes.len()))),
        [b'\r' | b'\n', ..] => Some((Key::Enter, 1)),
        [0x7f | 0x08, ..] => Some((Key::Backspace, 1)),
        [0x03, ..] => Some((Key::Interrupt, 1)),
        [0x04, ..] => Some((Key::EndOfInput, 1)),
        [0x15, ..] => Some((Key::ClearLine, 1)),
        [0x17, ..] => Some((Key::ClearWord, 1)),
        [first, ..] if *first < 0x20 => Some((Key::Other, 1)),
        [first, ..] => {
            let length = match first {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            let Some(whole) = bytes.get(..length) else {
                return silent.then_some((Key::Other, bytes.len()));
            };
            let c = std::str::from_utf8(whole).ok().and_then(|text| text.chars().next());
            match c {
                Some(c) if !c.is_control() => Some((Key::Char(c), length)),
                Some(_) => Some((Key::Other, length)),
                None => Some((Key::Other, 1)),
            }
        }
    }
}

/// An escape sequence; `None` when it is not whole.
fn escape(bytes: &[u8]) -> Option<(Key, usize)> {
    if let Some(pasted) = bytes.strip_prefix(PASTE) {
        let end = pasted.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
        let text = String::from_utf8_lossy(pasted.get(..end).unwrap_or_default());
        return Some((Key::Paste(text.into_owned()), PASTE.len() + end + PASTE_END.len()));
    }
    let rest = bytes.get(2..)?;
    match bytes.get(1)? {
        b'O' => {
            let key = match rest.first()? {
                b'A' => Key::Up,
                b'B' => Key::Down,
                b'H' => Key::Home,
                b'F' => Key::End,
                _ => Key::Other,
            };
            Some((key, 3))
        }
        b'[' => {
            let length = rest.iter().position(|byte| matches!(byte, 0x40..=0x7e))?;
            let key = match (rest.get(..length)?, rest.get(length)?) {
                ([], b'A') => Key::Up,
                ([], b'B') => Key::Down,
                ([], b'H') | (b"1" | b"7", b'~') => Key::Home,
                ([], b'F') | (b"4" | b"8", b'~') => Key::End,
                (b"5", b'~') => Key::PageUp,
                (b"6", b'~') => Key::PageDown,
                _ => Key::Other,
            };
            Some((key, length + 3))
        }
        // Alt and a key: not ours.
        _ => Some((Key::Other, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut found = Vec::new();
        // Byte by byte, as slow lines deliver them.
        for byte in bytes {
            keys.push(&[*byte]);
            found.extend(std::iter::from_fn(|| keys.next(false)));
        }
        found.extend(std::iter::from_fn(|| keys.next(true)));
        found
    }

    #[test]
    fn bytes_become_keys() {
        use Key::{Backspace, Char, Down, End, EndOfInput, Enter, Escape, Interrupt, Other, Paste};
        assert_eq!(
            all("aé\r\u{7f}\u{3}\u{4}".as_bytes()),
            [Char('a'), Char('é'), Enter, Backspace, Interrupt, EndOfInput]
        );
        assert_eq!(all(b"\x1b[B\x1bOF\x1b[6~\x1b[1;5C"), [Down, End, Key::PageDown, Other]);
        assert_eq!(all(b"\x1b"), [Escape]);
        assert_eq!(all(b"\x1b[200~ay\ry\x1b[201~q"), [Paste("ay\ry".into()), Char('q')]);
        // A paste that is not over holds no keys.
        assert_eq!(all(b"\x1b[200~ay\r"), [Escape]);
        assert_eq!(all(b"\xff\xc3"), [Other, Other]);
    }
}
