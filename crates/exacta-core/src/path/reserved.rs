//! Folders that no plan may touch, under any spelling that could reach them.

use alloc::string::String;

use super::fold::{fold_key, look_alike_key};

/// The gate's own state, and the repositories' own state.
const RESERVED: [&str; 5] = [".exacta", ".git", ".jj", ".hg", ".svn"];

/// The reserved name that this component is, or could be taken for.
pub(super) fn reserved(component: &str) -> Option<&'static str> {
    // Some systems drop trailing dots and spaces when they open a file.
    let trimmed = component.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    RESERVED
        .into_iter()
        .find(|name| trimmed.eq_ignore_ascii_case(name) || is_short_alias(trimmed, name))
        .or_else(|| {
            if component.is_ascii() {
                return None;
            }
            let seen = eye_keys(trimmed);
            RESERVED.into_iter().find(|name| eye_keys(name).iter().any(|key| seen.contains(key)))
        })
}

/// What a name looks like as written, in small letters and in capitals: a letter of
/// another script may be taken for a Latin one in only one of them.
fn eye_keys(text: &str) -> [String; 4] {
    let as_written =
        |text: &str| fold_key(&unicode_security::skeleton(text).collect::<String>()).into_owned();
    [
        look_alike_key(text),
        as_written(text),
        as_written(&text.to_lowercase()),
        as_written(&text.to_uppercase()),
    ]
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
