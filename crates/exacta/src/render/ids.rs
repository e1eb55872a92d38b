//! Ids as people see them: the shortest end that no other id of the project has.
//!
//! JSON has them whole. Whatever is printed for people goes through here, so that no command
//! has to think of it; the text of files never does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Fewer characters than this name nothing.
const FEWEST: usize = 6;
/// How long an id is.
const WHOLE: usize = 36;

/// The ids of a project's plans and runs, each with the end that people see. Whoever prints
/// and whoever opens the project hold the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids(Arc<Mutex<BTreeMap<String, usize>>>);

impl Ids {
    /// Learns every id of the project, unless there are as many as before: an id on the record
    /// stays there.
    pub(crate) fn learn(&self, ids: &[String]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() == known.len() {
            return;
        }
        let mut backwards: Vec<Vec<u8>> = ids.iter().map(|id| id.bytes().rev().collect()).collect();
        backwards.sort_unstable();
        backwards.dedup();
        let alike = |one: &[u8], other: &[u8]| {
            one.iter().zip(other).take_while(|(one, other)| one == other).count()
        };
        let mut ends = BTreeMap::new();
        for (at, id) in backwards.iter().enumerate() {
            // What has the longest end in common with an id stands beside it.
            let before = at.checked_sub(1).and_then(|at| backwards.get(at));
            let most = before.into_iter().chain(backwards.get(at + 1));
            let most = most.map(|other| alike(id, other)).max().unwrap_or_default();
            let length = (most + 1).max(FEWEST).min(id.len());
            ends.insert(id.iter().rev().map(|byte| char::from(*byte)).collect(), length);
        }
        *known = ends;
    }

    /// The end of an id that people see; the whole of one that is not known.
    pub(crate) fn short<'i>(&self, id: &'i str) -> &'i str {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let length = known.get(id).copied().unwrap_or(id.len());
        id.len().checked_sub(length).and_then(|from| id.get(from..)).unwrap_or(id)
    }

    /// A text with every known id in it as people see it.
    pub(crate) fn shortened(&self, text: &str) -> String {
        let mut done = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = ' ';
        while let Some(next) = rest.chars().next() {
            let starts = next.is_ascii_hexdigit() && !is_part(before);
            let word = rest.get(..WHOLE).filter(|word| starts && word.is_ascii());
            let ends = rest.get(WHOLE..).is_some_and(|rest| !rest.starts_with(is_part));
            let (taken, shown) = match word.filter(|_| ends) {
                Some(word) => (WHOLE, self.short(word)),
                None => (next.len_utf8(), rest.get(..next.len_utf8()).unwrap_or_default()),
            };
            done.push_str(shown);
            before = rest.get(..taken).and_then(|taken| taken.chars().last()).unwrap_or(' ');
            rest = rest.get(taken..).unwrap_or_default();
        }
        done
    }
}

/// Whether a character belongs to the word of an id, or makes it a part of the name of a file.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01a1e340-0001-7d7c-8df5-f9b2c0a1703f";
    const TWO: &str = "01a1e340-0002-7d7c-8df5-f9b2c0b1703f";
    const FAR: &str = "01a1e340-0003-7d7c-8df5-f9b2c0a17fff";

    #[test]
    fn an_id_is_as_short_as_it_can_be_and_names_one_thing() {
        let ids = Ids::default();
        ids.learn(&[ONE, TWO, FAR].map(String::from));
        for id in [ONE, TWO, FAR] {
            let short = ids.short(id);
            assert!(id.ends_with(short) && short.len() >= FEWEST, "{short}");
            let named = [ONE, TWO, FAR].iter().filter(|other| other.ends_with(short)).count();
            assert_eq!(named, 1, "{short}");
        }
        assert_eq!(ids.short(FAR), "a17fff");
        assert_eq!(ids.short(ONE), "a1703f");
        assert_eq!(ids.short("01a1e340-0009-7d7c-8df5-f9b2c0a17fff").len(), WHOLE);
    }

    #[test]
    fn ids_are_short_in_sentences_and_nothing_else_changes() {
        let ids = Ids::default();
        ids.learn(&[FAR.to_owned()]);
        let said = ids.shortened(&format!("plan {FAR}: ü `exacta run {FAR}` x{FAR} {FAR}- {ONE}"));
        assert_eq!(said, format!("plan a17fff: ü `exacta run a17fff` x{FAR} {FAR}- {ONE}"));
        assert_eq!(ids.shortened(FAR), "a17fff");
        let file = format!("`.exacta/plans/{FAR}.json` is missing");
        assert_eq!(ids.shortened(&file), file);
        assert_eq!(ids.shortened(""), "");
    }
}
