//! File names as git writes them: plain, or quoted like a string of C.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::fault::PatchProblem;
use crate::path::RelPath;
use crate::shown::shown;

/// A written name, decoded. Unquoted names are taken as they are, to the end.
pub(super) fn decode(written: &[u8]) -> Result<Cow<'_, [u8]>, PatchProblem> {
    if !written.starts_with(b"\"") {
        return Ok(Cow::Borrowed(written));
    }
    match unquote(written) {
        Some((name, [])) => Ok(Cow::Owned(name)),
        _ => Err(PatchProblem::Quote(shown(written))),
    }
}

/// The name behind its prefix `a/` or `b/`, as a target.
pub(super) fn target(name: &[u8], prefix: &'static str) -> Result<RelPath, PatchProblem> {
    let Some(bare) = name.strip_prefix(prefix.as_bytes()) else {
        return Err(PatchProblem::Prefix { name: shown(name), prefix });
    };
    let text = core::str::from_utf8(bare).map_err(|_| PatchProblem::NotUtf8(shown(bare)))?;
    RelPath::parse(text).map_err(|fault| PatchProblem::Path { name: shown(bare), fault })
}

/// The one name of `a/<name> b/<name>`, when both are the same.
///
/// Spaces in unquoted names make the text ambiguous, but two equal names of unknown
/// length can only meet in the middle.
pub(super) fn same_name(pair: &[u8]) -> Result<RelPath, PatchProblem> {
    let fault = || PatchProblem::Names(shown(pair));
    let (old, new) = if pair.starts_with(b"\"") {
        let (old, rest) = unquote(pair).ok_or_else(fault)?;
        let (new, rest) = rest.strip_prefix(b" ").and_then(unquote).ok_or_else(fault)?;
        if !rest.is_empty() {
            return Err(fault());
        }
        (Cow::Owned(old), Cow::Owned(new))
    } else {
        let (old, rest) = pair.split_at_checked(pair.len() / 2).ok_or_else(fault)?;
        let new = rest.strip_prefix(b" ").ok_or_else(fault)?;
        (Cow::Borrowed(old), Cow::Borrowed(new))
    };
    let old = target(&old, "a/")?;
    let new = target(&new, "b/")?;
    if old == new { Ok(new) } else { Err(fault()) }
}

/// Whether the text is the names `a/<from>` and `b/<to>`, each quoted or not.
pub(super) fn names_pair(pair: &[u8], from: &RelPath, to: &RelPath) -> bool {
    let rest = if pair.starts_with(b"\"") {
        unquote(pair).and_then(|(name, rest)| is_name(&name, b"a/", from).then_some(rest))
    } else {
        pair.strip_prefix(b"a/").and_then(|rest| rest.strip_prefix(from.as_str().as_bytes()))
    };
    rest.and_then(|rest| rest.strip_prefix(b" "))
        .and_then(|written| decode(written).ok())
        .is_some_and(|name| is_name(&name, b"b/", to))
}

fn is_name(name: &[u8], prefix: &[u8], path: &RelPath) -> bool {
    name.strip_prefix(prefix) == Some(path.as_str().as_bytes())
}

/// Decodes a quoted name; returns it and what follows the closing quote.
fn unquote(written: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = written.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (first, tail) = rest.split_first()?;
        rest = tail;
        match first {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (byte, tail) = escape(rest)?;
                name.push(byte);
                rest = tail;
            }
            byte => name.push(*byte),
        }
    }
}

/// One escape, behind its backslash.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (first, rest) = text.split_first()?;
    let byte = match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => *first,
        b'0'..=b'3' => {
            let (octal, rest) = text.split_at_checked(3)?;
            let value = octal.iter().try_fold(0u32, |value, digit| {
                matches!(digit, b'0'..=b'7').then(|| value * 8 + u32::from(digit - b'0'))
            })?;
            return Some((u8::try_from(value).ok()?, rest));
        }
        _ => return None,
    };
    Some((byte, rest))
}
