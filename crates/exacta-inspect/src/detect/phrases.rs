//! Phrases over the words of a line, found in one pass.
//!
//! A phrase starts where a word starts, so looking its first word up is enough. That
//! needs no automaton, which would cost a short-lived process more than its whole plan.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::fold::unleet;

/// A list of phrases, each with what it means.
pub(super) struct Phrases<T: 'static> {
    phrases: Vec<Phrase<T>>,
    /// By first word, the last phrase of the list that starts with it.
    by_first: HashMap<Cow<'static, str>, usize>,
}

struct Phrase<T: 'static> {
    /// As it stands among words.
    spelled: Cow<'static, str>,
    text: &'static str,
    meaning: &'static T,
    /// The phrase before it that starts with the same word.
    previous: Option<usize>,
}

impl<T> Phrases<T> {
    /// `spell` is applied to each phrase as it will be to the words.
    pub(super) fn new(
        table: &'static [(T, &'static [&'static str])],
        spell: fn(&'static str) -> Cow<'static, str>,
    ) -> Self {
        let count = table.iter().map(|(_, phrases)| phrases.len()).sum();
        let mut phrases: Vec<Phrase<T>> = Vec::with_capacity(count);
        let mut by_first = HashMap::with_capacity(count);
        for (meaning, texts) in table {
            for text in *texts {
                let spelled = spell(text);
                let first = match &spelled {
                    Cow::Borrowed(spelled) => Cow::Borrowed(first_word(spelled)),
                    Cow::Owned(spelled) => Cow::Owned(first_word(spelled).to_owned()),
                };
                let previous = by_first.insert(first, phrases.len());
                phrases.push(Phrase { spelled, text, meaning, previous });
            }
        }
        Self { phrases, by_first }
    }

    /// The first phrase of `words` and its meaning; of several that start together, the
    /// longest.
    pub(super) fn first(&self, words: &str) -> Option<(&'static str, &'static T)> {
        let spaces = words.bytes().enumerate().filter(|(_, byte)| *byte == b' ');
        let mut spaces = spaces.map(|(at, _)| at).peekable();
        while let Some(at) = spaces.next() {
            let end = spaces.peek().copied().unwrap_or(words.len());
            let first = words.get(at + 1..end).and_then(|first| self.by_first.get(first));
            if let Some(last) = first
                && let Some(found) = self.longest(*last, words.get(at + 1..).unwrap_or_default())
            {
                return Some(found);
            }
        }
        None
    }

    /// The longest phrase that `words` begin with; `last` is the last one of the list that
    /// starts with their first word.
    fn longest(&self, last: usize, words: &str) -> Option<(&'static str, &'static T)> {
        let same_start =
            std::iter::successors(Some(last), |index| self.phrases.get(*index)?.previous);
        let here = same_start.filter_map(|index| self.phrases.get(index)).filter(|phrase| {
            words.strip_prefix(phrase.spelled.as_ref()).is_some_and(|rest| rest.starts_with(' '))
        });
        let longest = here.max_by_key(|phrase| phrase.spelled.len())?;
        Some((longest.text, longest.meaning))
    }
}

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

/// The way to spell phrases that are compared as they are.
pub(super) fn as_written(phrase: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(phrase)
}

/// The way to spell phrases that are found under disguises.
pub(super) fn undisguised(phrase: &'static str) -> Cow<'static, str> {
    Cow::Owned(unleet(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: &[(u8, &[&str])] =
        &[(1, &["two", "two words"]), (2, &["words", "three of them"])];

    #[test]
    fn the_first_phrase_counts_and_of_those_the_longest() {
        let phrases = Phrases::new(TABLE, as_written);
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
