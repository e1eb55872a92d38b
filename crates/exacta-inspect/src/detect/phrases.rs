//! Phrases over the words of a line, found in one pass.
//!
//! A phrase starts where a word starts, so looking its first word up is enough. That
//! needs no automaton, which would cost a short-lived process more than its whole plan.

use hashbrown::HashMap;

/// A list of phrases, each with what it means.
pub(super) struct Phrases<T: 'static> {
    /// By first word, the longest first.
    by_first: HashMap<String, Vec<Phrase<T>>>,
}

struct Phrase<T: 'static> {
    /// As it stands among words, with a space on either side.
    spelled: String,
    text: &'static str,
    meaning: &'static T,
}

impl<T> Phrases<T> {
    /// `spell` is applied to each phrase as it will be to the words.
    pub(super) fn new(
        table: &'static [(T, &'static [&'static str])],
        spell: fn(&str) -> String,
    ) -> Self {
        let mut by_first: HashMap<String, Vec<Phrase<T>>> = HashMap::new();
        for (meaning, phrases) in table {
            for text in *phrases {
                let spelled = format!(" {} ", spell(text));
                let first = spelled.split_ascii_whitespace().next().unwrap_or_default().to_owned();
                by_first.entry(first).or_default().push(Phrase { spelled, text, meaning });
            }
        }
        for phrases in by_first.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.spelled.len()));
        }
        Self { by_first }
    }

    /// The first phrase of `words` and its meaning; of several that start together, the
    /// longest.
    pub(super) fn first(&self, words: &str) -> Option<(&'static str, &'static T)> {
        words.match_indices(' ').find_map(|(at, _)| {
            let here = words.get(at..)?;
            let first = here.get(1..)?.split(' ').next()?;
            let phrase = self.by_first.get(first)?.iter().find(|p| here.starts_with(&p.spelled))?;
            Some((phrase.text, phrase.meaning))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: &[(u8, &[&str])] =
        &[(1, &["two", "two words"]), (2, &["words", "three of them"])];

    #[test]
    fn the_first_phrase_counts_and_of_those_the_longest() {
        let phrases = Phrases::new(TABLE, str::to_owned);
        for (words, expected) in [
            (" two ", Some(("two", &1))),
            (" two words ", Some(("two words", &1))),
            (" two wordsmiths ", Some(("two", &1))),
            (" of two words two ", Some(("two words", &1))),
            (" words two ", Some(("words", &2))),
            (" three of them ", Some(("three of them", &2))),
            (" three of us and two ", Some(("two", &1))),
            (" twofold swords ", None),
            (" three of them", None),
            ("two ", None),
            ("", None),
        ] {
            assert_eq!(phrases.first(words), expected, "{words:?}");
        }
    }
}
