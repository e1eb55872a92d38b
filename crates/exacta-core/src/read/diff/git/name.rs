//! File names as git writes them: plain, or quoted like a string of C.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::fault::PatchProblem;
use crate::model::path::RelPath;
use crate::text::shown::shown;

/// What stands before the two names of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefixes {
    pub(super) old: &'static str,
    pub(super) new: &'static str,
}

impl Prefixes {
    /// What git writes unless it is told otherwise.
    const USUAL: Self = Self { old: "a/", new: "b/" };
    /// `--no-prefix`.
    const NONE: Self = Self { old: "", new: "" };
    /// The usual ones, those of `diff.mnemonicPrefix` and of `--no-index`.
    const PAIRS: [(&'static str, &'static str); 7] = [
        ("a/", "b/"),
        ("i/", "w/"),
        ("c/", "i/"),
        ("c/", "w/"),
        ("o/", "w/"),
        ("o/", "i/"),
        ("1/", "2/"),
    ];

    /// Every pair that is known; `-R` turns them round.
    fn all() -> impl Iterator<Item = Self> {
        let ways = |(old, new)| [Self { old, new }, Self { old: new, new: old }];
        Self::PAIRS.into_iter().flat_map(ways).chain([Self::NONE])
    }
}

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

/// The name behind its prefix, as a target.
pub(super) fn target(name: &[u8], prefix: &'static str) -> Result<RelPath, PatchProblem> {
    let Some(bare) = name.strip_prefix(prefix.as_bytes()) else {
        return Err(PatchProblem::Prefix { name: shown(name), prefix });
    };
    let text = core::str::from_utf8(bare).map_err(|_| PatchProblem::NotUtf8(shown(bare)))?;
    RelPath::parse(text).map_err(|fault| PatchProblem::Path { name: shown(bare), fault })
}

/// The one name of `a/<name> b/<name>`, when both are the same, and what stands before it.
///
/// Spaces in unquoted names make the text ambiguous, but two equal names of unknown
/// length can only meet in the middle. With prefixes the two differ, without they do not,
/// so that a folder called `a` is not taken for a prefix.
pub(super) fn same_name(pair: &[u8]) -> Result<(RelPath, Prefixes), PatchProblem> {
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
    if old == new {
        return Ok((target(&new, "")?, Prefixes::NONE));
    }
    let stripped = |prefixes: &Prefixes| {
        let old = old.strip_prefix(prefixes.old.as_bytes())?;
        let new = new.strip_prefix(prefixes.new.as_bytes())?;
        (old == new).then_some(())
    };
    let prefixes =
        Prefixes::all().find(|prefixes| stripped(prefixes).is_some()).unwrap_or(Prefixes::USUAL);
    let old = target(&old, prefixes.old)?;
    let new = target(&new, prefixes.new)?;
    if old == new { Ok((new, prefixes)) } else { Err(fault()) }
}

/// The prefixes with which the text names `from` and `to`, each quoted or not.
pub(super) fn names_pair(pair: &[u8], from: &RelPath, to: &RelPath) -> Option<Prefixes> {
    Prefixes::all().find(|prefixes| {
        let rest = if pair.starts_with(b"\"") {
            unquote(pair).and_then(|(name, rest)| {
                is_name(&name, prefixes.old.as_bytes(), from).then_some(rest)
            })
        } else {
            pair.strip_prefix(prefixes.old.as_bytes())
                .and_then(|rest| rest.strip_prefix(from.as_str().as_bytes()))
        };
        rest.and_then(|rest| rest.strip_prefix(b" "))
            .and_then(|written| decode(written).ok())
            .is_some_and(|name| is_name(&name, prefixes.new.as_bytes(), to))
    })
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
