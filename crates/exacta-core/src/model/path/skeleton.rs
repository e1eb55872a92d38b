//! The prototypes of the Unicode confusables (UTS 39, `skeleton`): what texts that look
//! alike have in common. The table is packed by the build script.

use unicode_normalization::UnicodeNormalization as _;

include!(concat!(env!("OUT_DIR"), "/skeleton.rs"));

/// The skeleton of a text.
pub fn skeleton(text: &str) -> impl Iterator<Item = char> + '_ {
    text.nfd()
        .flat_map(|c| {
            let look = look(c);
            look.unwrap_or_default().chars().chain(look.is_none().then_some(c))
        })
        .nfd()
}

/// What a character looks like that is not its own prototype.
fn look(c: char) -> Option<&'static str> {
    let at = CHARACTERS.binary_search(&c).ok()?;
    let end = |at: usize| ENDS.get(at).copied().unwrap_or_default();
    let start = at.checked_sub(1).map_or(0, end);
    LOOKS.get(usize::from(start)..usize::from(end(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    fn same(text: &str) -> bool {
        skeleton(text).eq(unicode_security::skeleton(text))
    }

    #[test]
    fn every_character_has_the_prototype_that_unicode_gives_it() {
        for c in '\0'..=char::MAX {
            assert!(same(&String::from(c)), "{c:?}");
        }
        assert!(CHARACTERS.len() > 6_000, "{}", CHARACTERS.len());
    }

    proptest! {
        #[test]
        fn so_has_every_text(text in "\\PC{0,20}", marks in "[a-e\u{300}-\u{36f}\u{1100}-\u{11ff}]{0,12}") {
            prop_assert!(same(&text));
            prop_assert!(same(&marks));
        }
    }
}
