//! Names that a person or a file system could take for one another.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::look_alikes;
use super::skeleton::skeleton;

include!(concat!(env!("OUT_DIR"), "/unassigned.rs"));

/// Equal keys mean: one name on a file system that ignores case or normalises.
#[must_use]
pub fn fold_key(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfd().default_case_fold().nfc().collect())
}

/// Equal keys mean: one name to the eye. Coarser than [`fold_key`] within one script.
///
/// Ignorable characters and combining marks are dropped, case is folded, and each
/// character becomes what it looks like ([`looks_like`]).
#[must_use]
pub fn look_alike_key(text: &str) -> String {
    drawn(text, |c| c)
}

/// The same as [`look_alike_key`] to an eye that takes a capital `I` for an `l`.
#[must_use]
pub fn look_alike_key_of_capitals(text: &str) -> String {
    drawn(text, |c| if c == 'I' { 'l' } else { c })
}

/// `capital` says what a letter counts as before its case is folded.
fn drawn(text: &str, capital: impl Fn(char) -> char) -> String {
    let mut key = String::with_capacity(text.len() + 8);
    if text.is_ascii() {
        for c in text.chars().filter(|c| !is_hidden(*c)) {
            push_ascii(capital(c), &mut key);
        }
        return key;
    }
    for c in bare(text).map(capital) {
        if c.is_ascii() {
            push_ascii(c, &mut key);
        } else {
            // What is taken for an ASCII letter counts as that letter does.
            for part in likeness(c).chars() {
                push_ascii(part, &mut key);
            }
        }
    }
    key
}

/// The outline of an ASCII character, without a look into the tables.
fn push_ascii(c: char, key: &mut String) {
    // Folded first: the outline of `I` is `l`, that of `i` is not.
    match c.to_ascii_lowercase() {
        '0' => key.push('o'),
        '1' | '|' => key.push('l'),
        'm' => key.push_str("rn"),
        '"' => key.push_str("''"),
        '`' => key.push('\''),
        '\\' => key.push('/'),
        '%' => key.push_str("\u{b0}/0"),
        other => key.push(other),
    }
}

/// Whether a sign is one of `signs`, or could be taken for one. A letter is none.
#[must_use]
pub fn reads_as(c: char, signs: &[char]) -> bool {
    if signs.contains(&c) {
        return true;
    }
    let modifier = ('\u{2b0}'..='\u{2ff}').contains(&c);
    if c.is_ascii() || c.is_alphabetic() && !modifier {
        return false;
    }
    let mut buffer = [0; 4];
    let text = &*c.encode_utf8(&mut buffer);
    signs.contains(&look_alikes::sign(c).unwrap_or(c))
        || text.nfkd().chain(skeleton(text)).any(|part| signs.contains(&part))
}

/// The characters without what nobody sees: compatibility forms resolved, ignorable
/// characters and combining marks dropped.
pub(super) fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .map(|c| if is_tilde(c) { '~' } else { c })
        // Falls apart into a sigma otherwise, and looks like no sigma.
        .map(|c| if matches!(c, '\u{3f2}' | '\u{3f9}') { 'c' } else { c })
        .map(|c| if is_dot(c) { '.' } else { c })
        .nfkd()
        .map(|c| if is_dot(c) { '.' } else { c })
        .filter(|c| !is_hidden(*c) && !is_combining_mark(*c))
}

/// Every ASCII spelling that a bare character could be taken for, in lower case.
pub(super) fn looks_like(c: char) -> Vec<String> {
    let upper = c.to_uppercase().collect::<String>();
    let lower = c.to_lowercase().collect::<String>();
    let mut all: Vec<String> = Vec::new();
    for form in [String::from(c), upper, lower] {
        for spelling in [outline(&form), plain(&form)] {
            if !spelling.is_empty() && spelling.is_ascii() && !all.contains(&spelling) {
                all.push(spelling);
            }
        }
    }
    all
}

/// What one bare character that is not ASCII counts as in a key.
fn likeness(c: char) -> String {
    let own = outline(&String::from(c));
    if own.is_ascii() {
        return if own == "l" && c.is_uppercase() { "i".into() } else { own };
    }
    let raised = outline(&c.to_uppercase().collect::<String>());
    if raised.is_ascii() { raised } else { own }
}

/// The prototype of the Unicode confusables (UTS 39), without marks, in lower case.
fn outline(text: &str) -> String {
    let skeleton: String = skeleton(text).collect();
    plain(&skeleton)
}

fn plain(text: &str) -> String {
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| look_alikes::letter(c).unwrap_or(c))
        .map(|c| if c == '\\' { '/' } else { c })
        .default_case_fold()
        .collect()
}

/// Characters that show one dot, at whatever height; one falls apart into a space and a mark
/// otherwise.
fn is_dot(c: char) -> bool {
    c == '\u{2d9}' || !c.is_ascii() && look_alikes::sign(c) == Some('.')
}

/// Characters that show a tilde; some fall apart into a space and a mark otherwise.
fn is_tilde(c: char) -> bool {
    matches!(
        c,
        '\u{2dc}'
            | '\u{2f7}'
            | '\u{1fc0}'
            | '\u{2053}'
            | '\u{223c}'
            | '\u{223d}'
            | '\u{223e}'
            | '\u{301c}'
            | '\u{3030}'
            | '\u{ff5e}'
    )
}

/// Whether a character shows nothing, or changes the order in which others show.
///
/// Control characters, the bidirectional controls, line separators, the code points
/// that Unicode calls default-ignorable, every other format character, signs that are drawn
/// blank, and code points that mean nothing to others: private use, noncharacters, and those
/// that have no meaning yet, which some terminals leave out.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}'
            | '\u{8e2}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{2800}'
            | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..='\u{10ffff}'
            | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{1cbb}' | '\u{2d7f}' | '\u{fffc}' | '\u{10a3f}' | '\u{1107f}' | '\u{16fe4}'
            | '\u{1d159}')
        // The last two code points of every plane.
        || u32::from(c) & 0xfffe == 0xfffe
        || !c.is_alphanumeric() && is_unassigned(c)
}

fn is_unassigned(c: char) -> bool {
    let before = UNASSIGNED.partition_point(|(first, _)| *first <= c);
    UNASSIGNED.get(..before).and_then(<[_]>::last).is_some_and(|(_, last)| c <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_share_a_key_and_others_do_not() {
        for (one, other) in [
            ("STEP_T", "STEP_\u{3a4}"),
            ("STEP_T", "step_\u{3c4}"),
            ("HELP", "\u{41d}ELP"),
            ("help", "\u{43d}elp"),
            ("Item", "item"),
            ("Item", "\u{406}tem"),
            ("step_l", "step_1"),
            ("git", "\u{262}\u{26a}\u{1d1b}"),
            ("main", "\u{43c}ain"),
            ("lib", "l\u{131}b"),
            ("LIB", "L\u{130}B"),
            ("n", "\u{ff4e}"),
        ] {
            assert_eq!(look_alike_key(one), look_alike_key(other), "{one} {other}");
        }
        for (one, other) in [("step_i", "step_l"), ("a", "b"), ("日", "本"), ("файл", "файлы")]
        {
            assert_ne!(look_alike_key(one), look_alike_key(other), "{one} {other}");
        }
    }

    #[test]
    fn the_short_way_through_ascii_is_the_long_one() {
        for c in '\0'..'\u{80}' {
            let mut short = String::new();
            push_ascii(c, &mut short);
            assert_eq!(short, outline(&String::from(c.to_ascii_lowercase())), "{c:?}");
        }
    }

    #[test]
    fn slashes_and_dots_of_any_kind_are_slashes_and_dots() {
        for slash in
            "\u{2044}\u{2215}\u{ff0f}\u{29f8}\u{3033}\u{2216}\u{ff3c}\u{fe68}\u{29f9}\u{1735}"
                .chars()
        {
            assert_eq!(look_alike_key(&format!("a{slash}b")), "a/b", "{slash:?}");
        }
        for dot in
            "\u{b7}\u{387}\u{2024}\u{2022}\u{2219}\u{22c5}\u{30fb}\u{ff65}\u{3002}\u{2d9}\u{ff0e}"
                .chars()
        {
            assert_eq!(look_alike_key(&format!("{dot}git")), ".git", "{dot:?}");
        }
    }

    #[test]
    fn a_capital_may_be_another_letter() {
        let alike =
            |one, other| look_alike_key_of_capitals(one) == look_alike_key_of_capitals(other);
        assert!(alike("fiIe.rs", "file.rs") && alike("\u{130}ib", "lib"));
        assert!(!alike("file.rs", "fiie.rs"));
    }

    #[test]
    fn what_shows_nothing_is_hidden() {
        for c in "\u{2800}\u{600}\u{605}\u{6dd}\u{70f}\u{8e2}\u{110bd}\u{fffe}\u{ffff}\u{1ffff}\u{e000}\u{fdd0}\u{10fffd}\u{378}\u{1cbb}\u{fffc}\u{3fff0}\u{e1000}\u{1d159}\u{2fe0}".chars() {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in
            "aé日ф\u{fffd}\u{1f600}\u{2801}\u{9be}\u{301}\u{377}\u{1faf0}\u{20c0}\u{31ef}".chars()
        {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
