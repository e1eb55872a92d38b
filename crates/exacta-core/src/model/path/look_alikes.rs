//! What looks like an ASCII character where the Unicode confusables do not say so.
//!
//! Small capitals, phonetic letters, and letters with a stroke, hook or tail; dots at other
//! heights, and signs of other scripts.

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

/// Each ASCII sign and what could be taken for it.
const SIGNS: &[(char, &str)] = &[
    ('.', "·•‧∙⋅⸱⸳・･᛫ꞏᐧ𐄁𐤟ˑ࠰੶𑅴𑇇𑗄𑚹。｡︒۔●⚫⬤∘◦▪■"),
    (',', "、､،﹑︑︐՝⸲⸴⹁⹉߸᠂᠈"),
    ('"', "«»„‟〝〞〟❝❞⹂「」『』｢｣"),
    ('\'', "‹›❛❜❟"),
    ('-', "—―⸺⸻─━﹣－⁓"),
    // Overlays draw a stroke through what stands before them, a space for instance.
    ('/', "\u{337}\u{338}\u{20e5}🙼🙽⹊⧷⌿⍀"),
];

/// The ASCII sign that this one looks like.
pub(super) fn sign(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    SIGNS.iter().find(|(_, others)| others.contains(c)).map(|(sign, _)| *sign)
}

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
    fn nothing_stands_twice_and_none_is_ascii() {
        let mut seen = alloc::collections::BTreeSet::new();
        for c in LETTERS.iter().chain(SIGNS).flat_map(|(_, others)| others.chars()) {
            assert!(!c.is_ascii() && seen.insert(c), "{c:?}");
        }
    }
}
