//! Colours of other programs' output: left out, because ours are our own and spelled out they
//! only get in the way. Everything else that does not show stays to be spelled out.

/// The bytes without the sequences that set colours and other attributes of text.
pub(crate) fn without_colours(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let coloured = if *first == 0x1b { sequence(after) } else { None };
        if coloured.is_none() {
            kept.push(*first);
        }
        rest = coloured.unwrap_or(after);
    }
    kept
}

/// What comes after `[`, numbers and `m`.
fn sequence(after: &[u8]) -> Option<&[u8]> {
    let inside = after.strip_prefix(b"[")?;
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
    let end = inside.iter().position(|byte| !is_part(byte))?;
    inside.get(end..)?.strip_prefix(b"m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_everything_else_stays() {
        for (text, expected) in [
            ("\x1b[0;31mred\x1b[m plain", "red plain"),
            ("\x1b[38:5:9mx", "x"),
            ("\x1b[2J\x1b]0;title\x07", "\x1b[2J\x1b]0;title\x07"),
            ("\x1b[31", "\x1b[31"),
            ("\x1b[?25l", "\x1b[?25l"),
            ("[31m", "[31m"),
        ] {
            assert_eq!(without_colours(text.as_bytes()), expected.as_bytes(), "{text:?}");
        }
    }
}
