//! Letters that look like an ASCII letter where the Unicode confusables do not say so.
//!
//! Small capitals, phonetic letters, and letters with a stroke, hook or tail.

/// Each ASCII letter and what could be taken for it.
const LETTERS: &[(char, &str)] = &[
    ('a', "ᴀɐɑᶏⱥȺ"),
    ('b', "ʙɓƀᵬ"),
    ('c', "ᴄƈȼȻɕϲϹ"),
    ('d', "ᴅɖɗđ"),
    ('e', "ᴇɇɛᶒⱸεєԑ"),
    ('f', "ꜰƒ"),
    ('g', "ɢɡɠǥᶃᵹꞡԍԌցʛɣ"),
    ('h', "ʜħɦɧⱨһհнҥңӈ"),
    ('i', "ɪɨıɩᶖᵻι"),
    ('j', "ᴊʝɉȷɟјϳ"),
    ('k', "ᴋƙⱪк"),
    ('l', "ʟɫɬɭƚ"),
    ('m', "ᴍɱм"),
    ('n', "ɴɲɳƞŋᶇηп"),
    ('o', "ᴏɵø"),
    ('p', "ᴘƥᵽ"),
    ('q', "ꞯɋ"),
    ('r', "ʀɼɽɾ"),
    ('s', "ꜱʂȿᶊѕ"),
    ('t', "ᴛŧƭʈƫⱦтτҭ"),
    ('u', "ᴜʉ"),
    ('v', "ᴠʋᶌⱱⱴνѵ"),
    ('w', "ᴡɯ"),
    ('x', "ᶍхχҳӽ"),
    ('y', "ʏƴɏ"),
    ('z', "ᴢʐƶȥɀ"),
];

/// The ASCII letter that this one looks like.
pub(super) fn letter(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    LETTERS.iter().find(|(_, others)| others.contains(c)).map(|(letter, _)| *letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_stands_twice_and_none_is_ascii() {
        let mut seen = alloc::collections::BTreeSet::new();
        for c in LETTERS.iter().flat_map(|(_, others)| others.chars()) {
            assert!(!c.is_ascii() && seen.insert(c), "{c:?}");
        }
    }
}
