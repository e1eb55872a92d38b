//! Folders that no plan may touch, under any spelling that could reach them.

use alloc::string::String;
use alloc::vec::Vec;

use super::fold::{bare, looks_like};
use super::slashes::parts;

/// The gate's own state, and the repositories' own state.
const RESERVED: [&str; 5] = [".exacta", ".git", ".jj", ".hg", ".svn"];

/// The reserved name that this component is, or could be taken for. A component that reads
/// as several is judged as each of them too.
pub(super) fn reserved(component: &str) -> Option<&'static str> {
    alike(component).or_else(|| {
        let several = !component.is_ascii() && parts(component).nth(1).is_some();
        several.then(|| parts(component).find_map(alike)).flatten()
    })
}

fn alike(component: &str) -> Option<&'static str> {
    // Some systems drop trailing dots and spaces when they open a file.
    let trimmed = component.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if trimmed.is_ascii() {
        let is_short = trimmed.contains('~');
        return RESERVED.into_iter().find(|name| {
            trimmed.eq_ignore_ascii_case(name) || is_short && is_short_alias(trimmed, name)
        });
    }
    // Longer than any spelling of a reserved name, whatever its letters fall apart into.
    let letters: Vec<char> = bare(trimmed).take(MAX_LETTERS + 1).collect();
    if letters.len() > MAX_LETTERS {
        return None;
    }
    let seen: Vec<Vec<String>> = letters.iter().copied().map(looks_like).collect();
    RESERVED
        .into_iter()
        .find(|name| could_be(&seen, name) || like_short_alias(&letters, &seen, name))
}

/// The part of a path up to the first reserved name in it, spelled exactly so.
#[must_use]
pub fn reserved_in(path: &str) -> Option<&str> {
    let mut end = 0;
    for component in path.split('/') {
        end += component.len();
        if RESERVED.contains(&component) {
            return path.get(..end);
        }
        end += 1;
    }
    None
}

/// The most letters in a spelling that is compared.
const MAX_LETTERS: usize = 8;

/// Whether a reader could take what is seen for `name`. Each letter of the name may
/// itself be drawn in more than one way (`I` is drawn like `l`).
fn could_be(seen: &[Vec<String>], name: &str) -> bool {
    let wanted: Vec<Vec<String>> = name.chars().map(looks_like).collect();
    // How many letters of the name the characters so far may stand for.
    let mut reached = vec![0];
    for spellings in seen {
        let mut next: Vec<usize> = Vec::new();
        for from in &reached {
            let rest = wanted.get(*from..).unwrap_or_default();
            for spelling in spellings {
                let length = spelling.len();
                if rest.len() >= length && starts_like(rest, spelling) {
                    next.push(from + length);
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        reached = next;
    }
    reached.contains(&wanted.len())
}

fn starts_like(wanted: &[Vec<String>], spelling: &str) -> bool {
    wanted
        .iter()
        .zip(spelling.chars())
        .all(|(letter, c)| letter.iter().any(|drawn| drawn.chars().eq(core::iter::once(c))))
}

/// The same as [`is_short_alias`] for letters that only look like an alias.
fn like_short_alias(letters: &[char], seen: &[Vec<String>], name: &str) -> bool {
    let tilde = |spellings: &Vec<String>| spellings.iter().any(|spelling| spelling == "~");
    let Some(at) = seen.iter().position(tilde) else { return false };
    let number = letters.get(at + 1..).unwrap_or_default();
    if number.is_empty() || !number.iter().all(char::is_ascii_digit) {
        return false;
    }
    let stem = name.trim_start_matches('.');
    let kept = stem.len().min(7_usize.saturating_sub(number.len()));
    let (Some(start), Some(two)) = (stem.get(..kept), stem.get(..2)) else { return false };
    let base = seen.get(..at).unwrap_or_default();
    if could_be(base, start) {
        return true;
    }
    let hash = letters.get(2..at).unwrap_or_default();
    hash.len() == 4
        && hash.iter().all(char::is_ascii_hexdigit)
        && could_be(base.get(..2).unwrap_or_default(), two)
}

/// Whether `component` is an 8.3 alias that a DOS-like file system may give to `name`:
/// the start of the name and `~1`, or two letters, four hexadecimal digits and `~1`.
fn is_short_alias(component: &str, name: &str) -> bool {
    let Some((base, number)) = component.split_once('~') else { return false };
    if number.is_empty()
        || component.len() > 8
        || !component.is_ascii()
        || !number.bytes().all(|b| b.is_ascii_digit())
    {
        return false;
    }
    let stem = name.trim_start_matches('.');
    let kept = stem.len().min(7 - number.len());
    let (Some(start), Some(two)) = (stem.get(..kept), stem.get(..2)) else { return false };
    if base.eq_ignore_ascii_case(start) {
        return true;
    }
    let (Some(lead), Some(hash)) = (base.get(..2), base.get(2..)) else { return false };
    lead.eq_ignore_ascii_case(two) && hash.len() == 4 && hash.bytes().all(|b| b.is_ascii_hexdigit())
}
