//! Names that a person or a file system could take for one another.

use alloc::borrow::Cow;
use alloc::string::String;

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Equal keys mean: one name on a file system that ignores case or normalises.
#[must_use]
pub fn fold_key(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfd().default_case_fold().nfc().collect())
}

/// Equal keys mean: one name to the eye. Coarser than [`fold_key`].
///
/// Ignorable characters and combining marks are dropped, case is folded, and the
/// Unicode confusables (UTS 39) are mapped to their prototype.
#[must_use]
pub fn look_alike_key(text: &str) -> String {
    let plain: String = text
        .nfkd()
        .default_case_fold()
        .nfkd()
        .filter(|c| !is_hidden(*c) && !is_combining_mark(*c))
        .collect();
    unicode_security::skeleton(&plain).default_case_fold().collect()
}

/// Whether a character shows nothing, or changes the order in which others show.
///
/// Control characters, the bidirectional controls, line separators and the code
/// points that Unicode calls default-ignorable.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
