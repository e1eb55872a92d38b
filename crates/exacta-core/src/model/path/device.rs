//! Names that Windows keeps for devices.

use alloc::string::String;
use alloc::vec::Vec;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::fold::{bare, looks_like};

/// Devices without a number.
const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"];
/// Devices with one digit behind the name.
const PORTS: [&str; 2] = ["com", "lpt"];
/// The most letters in a name of a device.
const MAX_LETTERS: usize = 7;

/// Whether Windows would open a device for this name, or a reader take it for such a one:
/// the part before the first dot decides, and trailing spaces in it do not count.
pub(super) fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or(component).trim_end();
    if stem.is_ascii() {
        return is_name(stem);
    }
    // An accent shows, and is part of words: `côn`.
    if stem.nfd().any(is_combining_mark) {
        return false;
    }
    let letters: Vec<char> = bare(stem).take(MAX_LETTERS + 1).collect();
    if letters.len() > MAX_LETTERS {
        return false;
    }
    let seen: Vec<Vec<String>> = letters.into_iter().map(looks_like).collect();
    let ports = || PORTS.iter().flat_map(|port| (0..=9).map(move |n| format!("{port}{n}")));
    seen.iter().all(|spellings| !spellings.is_empty())
        && (DEVICES.iter().any(|name| is_spelled(&seen, name))
            || ports().any(|name| is_spelled(&seen, &name)))
}

fn is_name(stem: &str) -> bool {
    let is_port = || {
        let name = stem.strip_suffix(|c: char| c.is_ascii_digit());
        name.is_some_and(|name| PORTS.iter().any(|port| name.eq_ignore_ascii_case(port)))
    };
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device)) || is_port()
}

/// Whether each letter of `name` is one that could be seen in its place.
fn is_spelled(seen: &[Vec<String>], name: &str) -> bool {
    seen.len() == name.len()
        && seen.iter().zip(name.chars()).all(|(spellings, c)| {
            spellings.iter().any(|spelling| spelling.chars().eq(core::iter::once(c)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_by_every_spelling() {
        for name in [
            "CON",
            "nul.txt",
            "com0",
            "COM9.log",
            "lpt\u{b2}",
            "COM\u{b9}",
            "clock$",
            "CLOCK$.x",
            "conin$",
            "nu\u{217c}",
            "\u{ff23}\u{ff2f}\u{ff2e}",
            "\u{441}\u{43e}n",
            "\u{421}\u{41e}\u{41c}1",
            "au\u{445}.txt",
        ] {
            assert!(is_device(name), "{name}");
        }
    }

    #[test]
    fn words_are_not_devices() {
        for name in [
            "console",
            "clock",
            "com",
            "com10",
            "lpt",
            "coml",
            "c\u{f4}n",
            "\u{441}\u{43e}\u{43d}",
            "日本",
            "com¹⁰",
        ] {
            assert!(!is_device(name), "{name}");
        }
    }
}
