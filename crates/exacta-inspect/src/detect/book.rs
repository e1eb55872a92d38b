//! Many patterns over one line in linear time.
//!
//! A rule has triggers, plain words that must occur, and a pattern. One Aho-Corasick
//! pass finds the triggers of all rules; only rules that were triggered run their
//! pattern, on an engine that never backtracks, compiled when first needed. The automaton
//! costs more than searching a few lines for every word, so the first lines are searched
//! without it: most plans have no more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::subject::Subject;

/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// So many bytes are searched word by word before the automaton is built.
const WORD_BY_WORD: usize = 512;

/// The longest part of a match in which its groups are looked for.
const WINDOW: usize = 2048;

/// So many matches of one rule in one text are told apart. What has more of them is
/// judged by the rule alone.
const MATCHES: usize = 1000;

/// One pattern.
pub(crate) struct Rule<K: 'static> {
    /// Lower-case words of which one must occur.
    pub(crate) triggers: &'static [&'static str],
    /// The pattern; ASCII classes, on bytes.
    pub(crate) pattern: &'static str,
    /// Whether the pattern sees the line as written instead of in lower case.
    pub(crate) cased: bool,
    /// Which files it is about.
    pub(crate) applies: fn(&Subject<'_>) -> bool,
    /// What a match means.
    pub(crate) kind: K,
}

/// Every file.
pub(crate) fn anywhere(_: &Subject<'_>) -> bool {
    true
}

/// A set of rules, ready to run.
pub(crate) struct Book<K: 'static> {
    rules: &'static [Rule<K>],
    compiled: Vec<OnceLock<Option<Regex>>>,
    /// Finds every trigger, and whose they are.
    triggers: OnceLock<(Option<AhoCorasick>, Vec<usize>)>,
    /// Bytes that were searched word by word.
    searched: AtomicUsize,
}

/// Where a rule matched: byte range in the plain form of the line.
pub(crate) struct Hit<'r, K> {
    pub(crate) kind: &'r K,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The first group of the pattern, or the whole match.
    pub(crate) group: (usize, usize),
    /// Whether it stands for this match and all that follow, which were not looked at.
    pub(crate) and_more: bool,
}

impl<K> Book<K> {
    pub(crate) fn new(rules: &'static [Rule<K>]) -> Self {
        Self {
            rules,
            compiled: rules.iter().map(|_| OnceLock::new()).collect(),
            triggers: OnceLock::new(),
            searched: AtomicUsize::new(0),
        }
    }

    /// Every trigger and the index of its rule.
    fn words(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let rules = self.rules.iter().enumerate();
        rules.flat_map(|(index, rule)| rule.triggers.iter().map(move |word| (index, *word)))
    }

    /// Indices of rules whose trigger occurs, ascending.
    fn triggered(&self, lower: &str) -> Vec<usize> {
        if self.searched.fetch_add(lower.len(), Ordering::Relaxed) + lower.len() <= WORD_BY_WORD {
            let occurs = |word: &str| memmem::find(lower.as_bytes(), word.as_bytes()).is_some();
            let mut found: Vec<usize> =
                self.words().filter(|(_, word)| occurs(word)).map(|(index, _)| index).collect();
            found.dedup();
            return found;
        }
        let (automaton, owners) = self.triggers.get_or_init(|| {
            let (owners, words): (_, Vec<_>) = self.words().unzip();
            // The form that is built fastest: a child lives for one plan only.
            let mut automaton = AhoCorasick::builder();
            automaton.kind(Some(AhoCorasickKind::ContiguousNFA));
            (automaton.build(words).ok(), owners)
        });
        let Some(automaton) = automaton else { return (0..self.rules.len()).collect() };
        let mut found: Vec<usize> = Vec::new();
        for hit in automaton.find_overlapping_iter(lower) {
            if let Some(owner) = owners.get(hit.pattern().as_usize())
                && !found.contains(owner)
            {
                found.push(*owner);
            }
        }
        found.sort_unstable();
        found
    }

    /// Every match of every rule that is about the file.
    pub(crate) fn search(
        &self,
        subject: &Subject<'_>,
        plain: &str,
        lower: &str,
    ) -> Vec<Hit<'_, K>> {
        self.matches(plain, lower, MATCHES, |rule| (rule.applies)(subject))
    }

    /// Every match of every rule in `plain`, whatever the file.
    pub(crate) fn all(&self, plain: &str, lower: &str) -> Vec<Hit<'_, K>> {
        self.matches(plain, lower, usize::MAX, |_| true)
    }

    fn matches(
        &self,
        plain: &str,
        lower: &str,
        most: usize,
        applies: impl Fn(&Rule<K>) -> bool,
    ) -> Vec<Hit<'_, K>> {
        let mut hits = Vec::new();
        for index in self.triggered(lower) {
            let Some(rule) = self.rules.get(index).filter(|rule| applies(rule)) else { continue };
            let text = if rule.cased { plain.as_bytes() } else { lower.as_bytes() };
            let (mut from, mut left) = (0, most);
            while let Some(mut hit) = self.first(index, text, from) {
                from = hit.end.max(from + 1);
                left -= 1;
                hit.and_more = left == 0;
                hits.push(hit);
                if left == 0 {
                    break;
                }
            }
        }
        hits
    }

    fn first(&self, index: usize, text: &[u8], from: usize) -> Option<Hit<'_, K>> {
        let rule = self.rules.get(index)?;
        let regex = self.compiled.get(index)?.get_or_init(|| compile(rule.pattern)).as_ref()?;
        if from > text.len() {
            return None;
        }
        // Where a match is comes from an automaton; its groups need a slower engine, which
        // therefore sees no more than a window.
        let whole = regex.find_at(text, from)?;
        let window = text.get(..whole.end().min(whole.start() + WINDOW))?;
        let group = regex
            .captures_at(window, whole.start())
            .and_then(|captures| captures.get(1))
            .unwrap_or(whole);
        Some(Hit {
            kind: &rule.kind,
            start: whole.start(),
            end: whole.end(),
            group: (group.start(), group.end()),
            and_more: false,
        })
    }

    /// Whether every pattern compiles.
    #[cfg(test)]
    pub(crate) fn sound(&self) -> bool {
        self.rules.iter().all(|rule| compile(rule.pattern).is_some())
    }
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).size_limit(PATTERN_SIZE).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    static RULES: &[Rule<u8>] = &[
        Rule {
            triggers: &["one", "two three"],
            pattern: "one|two",
            cased: false,
            applies: anywhere,
            kind: 1,
        },
        Rule { triggers: &["three"], pattern: "three", cased: false, applies: anywhere, kind: 2 },
    ];

    #[test]
    fn few_lines_and_many_find_the_same() {
        let few = Book::new(RULES);
        let many = Book::new(RULES);
        many.searched.store(WORD_BY_WORD, Ordering::Relaxed);
        for (line, expected) in [
            ("", vec![]),
            ("nothing here", vec![]),
            ("one and one", vec![0]),
            ("two three", vec![0, 1]),
            ("three, then one", vec![0, 1]),
            ("tthreee", vec![1]),
        ] {
            assert_eq!(few.triggered(line), expected, "{line}");
            assert_eq!(many.triggered(line), expected, "{line}");
        }
        assert!(few.triggers.get().is_none() && many.triggers.get().is_some());
    }
}
