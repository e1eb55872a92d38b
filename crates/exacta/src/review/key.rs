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
const CTRL_C: u8 = 0x03;
/// No more of a paste is kept.
const LONGEST_PASTE: usize = 64 << 10;

/// Bytes that have arrived and are not yet a key.
#[derive(Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    /// What was pasted so far, while a paste is under way.
    paste: Option<Vec<u8>>,
    /// Whether an escape byte was just taken for the Escape key.
    escaped: bool,
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
    /// byte by itself is the Escape key. Silence never ends a paste: what comes after it is
    /// still no key.
    pub(super) fn next(&mut self, silent: bool) -> Option<Key> {
        if self.paste.is_some() {
            return self.pasted(silent);
        }
        let rest_of_paste = PASTE.get(1..).unwrap_or_default();
        let begins = |mark: &[u8], fewest: usize| {
            let length = self.bytes.len().min(mark.len());
            length >= fewest && self.bytes.get(..length) == mark.get(..length)
        };
        let mark = match self.escaped {
            _ if begins(PASTE, 2) => Some(PASTE),
            true if begins(rest_of_paste, 1) => Some(rest_of_paste),
            _ => None,
        };
        if let Some(mark) = mark {
            if self.bytes.len() < mark.len() {
                return None;
            }
            self.bytes.drain(..mark.len());
            (self.paste, self.escaped) = (Some(Vec::new()), false);
            return self.pasted(silent);
        }
        let (key, length) = read(&self.bytes, silent)?;
        self.escaped = key == Key::Escape;
        self.bytes.drain(..length.min(self.bytes.len()));
        Some(key)
    }

    /// Throws away what arrived. The rest of a paste that is under way is still no key.
    pub(super) fn forget(&mut self) {
        while self.next(true).is_some() {}
    }

    /// The paste that is under way, when all of it has arrived. A terminal that never ends
    /// it is left with Ctrl-C.
    fn pasted(&mut self, silent: bool) -> Option<Key> {
        let end = self.bytes.windows(PASTE_END.len()).position(|window| window == PASTE_END);
        let stopped = silent && self.bytes.last() == Some(&CTRL_C);
        // The end may have arrived in part.
        let most = self.bytes.len().saturating_sub(PASTE_END.len() - 1);
        let fresh: Vec<u8> = self.bytes.drain(..end.unwrap_or(most)).collect();
        let text = self.paste.as_mut()?;
        let room = LONGEST_PASTE.saturating_sub(text.len()).min(fresh.len());
        text.extend_from_slice(fresh.get(..room).unwrap_or_default());
        if end.is_some() {
            self.bytes.drain(..PASTE_END.len());
            let text = self.paste.take()?;
            return Some(Key::Paste(String::from_utf8_lossy(&text).into_owned()));
        }
        if stopped {
            *self = Self::default();
            return Some(Key::Interrupt);
        }
        None
    }
}

/// The first key and how many bytes it has; `None` when more bytes are needed.
fn read(bytes: &[u8], silent: bool) -> Option<(Key, usize)> {
    match bytes {
        [] => None,
        [0x1b, ..] => escape(bytes).or_else(|| silent.then_some((Key::Escape, bytes.len()))),
        [b'\r' | b'\n', ..] => Some((Key::Enter, 1)),
        [0x7f | 0x08, ..] => Some((Key::Backspace, 1)),
        [CTRL_C, ..] => Some((Key::Interrupt, 1)),
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
        assert_eq!(all(b"\xff\xc3"), [Other, Other]);
    }

    /// Wherever the line pauses in it, a paste is one key.
    #[test]
    fn silence_does_not_end_a_paste() {
        let paste = b"\x1b[200~ay\ra\x1b[Ay\r\x1b[201~q";
        for at in 1..paste.len() {
            let mut keys = Keys::default();
            let mut found = Vec::new();
            for part in [&paste[..at], &paste[at..]] {
                keys.push(part);
                found.extend(std::iter::from_fn(|| keys.next(false)));
                found.extend(std::iter::from_fn(|| keys.next(true)));
            }
            found.retain(|key| *key != Key::Escape);
            let pasted = Key::Paste("ay\ra\u{1b}[Ay\r".into());
            assert_eq!(found, [pasted, Key::Char('q')], "a pause before byte {at}");
        }
    }

    #[test]
    fn a_paste_that_never_ends_holds_no_keys_and_can_be_left() {
        let mut keys = Keys::default();
        keys.push(b"\x1b[200~ay\r");
        assert_eq!(keys.next(true), None);
        keys.forget();
        keys.push(b"ay\r");
        assert_eq!(keys.next(true), None);
        keys.push(&vec![b'y'; 2 * LONGEST_PASTE]);
        assert_eq!(keys.next(true), None);
        assert!(keys.paste.as_ref().is_some_and(|text| text.len() == LONGEST_PASTE));
        keys.push(&[CTRL_C]);
        assert_eq!(keys.next(true), Some(Key::Interrupt));
        keys.push(b"a");
        assert_eq!(keys.next(false), Some(Key::Char('a')));
    }
}
