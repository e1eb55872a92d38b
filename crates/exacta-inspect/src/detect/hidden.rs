//! Characters that do not show, or that change the order in which others show.

use std::collections::BTreeSet;

use exacta_core::judge::facts::{FactKind, HiddenClass};
use exacta_core::model::path::is_hidden;

use super::line::Line;
use super::scan::Found;

/// Reports each hidden character once a line.
pub(super) fn detect(line: &Line<'_>, found: &mut Vec<Found>) {
    if line.raw.bytes().all(|byte| matches!(byte, b'\t' | 0x0c | b' '..=b'~')) {
        return;
    }
    let mut seen: BTreeSet<char> = BTreeSet::new();
    let mut previous = None;
    let mut chars = line.raw.chars().enumerate().peekable();
    while let Some((position, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if is_hidden(c) && !harmless(c, position + line.index, previous, next) && seen.insert(c) {
            let code_point = format!("U+{:04X}", u32::from(c));
            let kind = FactKind::HiddenCharacter { code_point, class: class(c) };
            found.push(Found::new(line, kind));
        }
        if !matches!(c, '\u{fe0e}' | '\u{fe0f}') {
            previous = Some(c);
        }
    }
}

/// Tabs, page breaks, the mark at the very start of a file, and the joiners that emoji
/// and some scripts cannot be written without.
fn harmless(c: char, offset: usize, previous: Option<char>, next: Option<char>) -> bool {
    match c {
        '\t' | '\u{c}' => true,
        '\u{feff}' => offset == 0,
        // Digits and two signs become pictographs only under a keycap.
        '\u{fe0e}' | '\u{fe0f}' => {
            previous.is_some_and(is_pictograph)
                || previous.is_some_and(takes_keycap) && next == Some('\u{20e3}')
        }
        '\u{200d}' => {
            previous.is_some_and(is_pictograph) && next.is_some_and(is_pictograph)
                || previous.is_some_and(joins) && next.is_some_and(joins)
        }
        '\u{200c}' => previous.is_some_and(joins) && next.is_some_and(joins),
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}'
        | '\u{2100}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn takes_keycap(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9')
}

/// Scripts whose spelling uses joiners: Arabic, Syriac and the scripts of India.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{7bf}' | '\u{8a0}'..='\u{dff}' | '\u{1000}'..='\u{109f}')
}

fn class(c: char) -> HiddenClass {
    match c {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            HiddenClass::Bidi
        }
        _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => HiddenClass::Control,
        _ => HiddenClass::Invisible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(raw: &str) -> Vec<String> {
        let image = ["", raw];
        let mut found = Vec::new();
        detect(&Line::new(&image, 1, false).unwrap(), &mut found);
        found
            .into_iter()
            .map(|found| match found.kind {
                FactKind::HiddenCharacter { code_point, .. } => code_point,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn hidden_characters_show_and_ordinary_text_does_not() {
        assert_eq!(points("access\u{202e} }\u{2066}if\u{2069}"), ["U+202E", "U+2066", "U+2069"]);
        assert_eq!(points("a\u{200b}b\u{200b}"), ["U+200B"]);
        assert_eq!(points("\u{1b}[31mred"), ["U+001B"]);
        assert_eq!(points("x\u{feff}y"), ["U+FEFF"]);
        assert_eq!(points("user1\u{fe0f} = 2"), ["U+FE0F"]);
        assert_eq!(points("user1\u{200d}2 = 2"), ["U+200D"]);
        for harmless in [
            "a\tb",
            "caf\u{e9}",
            "❤\u{fe0f} ok",
            "👩\u{200d}💻",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "日本",
        ] {
            assert!(points(harmless).is_empty(), "{harmless:?}");
        }
    }
}
