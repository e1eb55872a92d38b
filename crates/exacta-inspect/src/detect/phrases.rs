//! Phrases over the words of a line, found in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// A list of phrases, each with what it means.
pub(super) struct Phrases<T: 'static> {
    automaton: Option<AhoCorasick>,
    meanings: Vec<&'static T>,
    texts: Vec<&'static str>,
}

impl<T> Phrases<T> {
    /// `spell` is applied to each phrase as it will be to the words.
    pub(super) fn new(
        table: &'static [(T, &'static [&'static str])],
        spell: fn(&str) -> String,
    ) -> Self {
        let mut patterns = Vec::new();
        let mut meanings = Vec::new();
        let mut texts = Vec::new();
        for (meaning, phrases) in table {
            for phrase in *phrases {
                patterns.push(format!(" {} ", spell(phrase)));
                meanings.push(meaning);
                texts.push(*phrase);
            }
        }
        let mut automaton = AhoCorasick::builder();
        automaton.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA));
        Self { automaton: automaton.build(patterns).ok(), meanings, texts }
    }

    /// The first phrase of `words` and its meaning.
    pub(super) fn first(&self, words: &str) -> Option<(&'static str, &'static T)> {
        let hit = self.automaton.as_ref()?.find(words)?;
        let index = hit.pattern().as_usize();
        Some((*self.texts.get(index)?, *self.meanings.get(index)?))
    }
}
