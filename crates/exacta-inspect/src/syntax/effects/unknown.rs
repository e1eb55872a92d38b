//! Names that code newly uses and that neither the file nor the language is known for.
//!
//! What the plan's other files define, and what the project does, is asked later.

use std::sync::LazyLock;

use exacta_core::judge::facts::Language;
use hashbrown::{HashMap, HashSet};

use super::gather::Effects;
use super::reach::letter;

/// Plain functions by the letter of their language.
static PLAIN: LazyLock<HashMap<char, HashSet<&'static str>>> = LazyLock::new(|| {
    let mut plain: HashMap<char, HashSet<&'static str>> = HashMap::new();
    for line in include_str!("../../../data/plain.txt").lines() {
        let mut parts = line.split('\t');
        let (Some(languages), Some(_), Some(names)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        for language in languages.chars() {
            plain.entry(language).or_default().extend(names.split(' '));
        }
    }
    plain
});

/// Whether a name is one of the language's plain functions.
pub(super) fn is_plain_call(language: Language, name: &str) -> bool {
    PLAIN.get(&letter(language)).is_some_and(|plain| plain.contains(name))
}

/// The most names that are told of one file.
const MOST: usize = 50;

/// Names that were not used before, each with its first line.
pub(crate) fn unknown(
    language: Language,
    before: Option<&Effects>,
    before_text: &str,
    after: &Effects,
) -> Vec<(String, usize)> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let listed: HashSet<&str> = before
        .into_iter()
        .flat_map(|before| &before.names)
        .map(|(name, _)| name.as_str())
        .collect();
    let own: HashSet<&str> = after.defines.iter().map(String::as_str).collect();
    let plain = PLAIN.get(&letter(language));
    let mut told: HashSet<&str> = HashSet::new();
    let fresh = after.names.iter().filter(|(name, _)| {
        let name = name.as_str();
        !(listed.contains(name)
            || own.contains(name)
            || own.contains(name.rsplit('.').next().unwrap_or(name))
            || plain.is_some_and(|plain| plain.contains(name)))
            && told.insert(name)
    });
    let fresh: Vec<&(String, usize)> = fresh.collect();
    if fresh.is_empty() {
        return Vec::new();
    }
    let used: HashSet<&str> = before_text.split(|c| !word(c)).collect();
    let unused = fresh.into_iter().filter(|(name, _)| !used.contains(name.as_str()));
    unused.take(MOST).cloned().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_of_the_list_has_languages_a_reason_and_names() {
        for line in include_str!("../../../data/plain.txt").lines() {
            if line.starts_with('#') {
                continue;
            }
            let parts: Vec<&str> = line.split('\t').collect();
            assert_eq!(parts.len(), 3, "{line}");
            assert!(parts[0].chars().all(|c| "psgrjc".contains(c)) && parts[1].len() > 8, "{line}");
        }
    }
}
