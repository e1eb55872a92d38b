//! The addresses that a user named: what a `Custom` plan may read.
//!
//! An address counts as named when it stands there as a whole. A shorter one that is
//! merely its beginning is another page.

use alloc::collections::BTreeSet;
use alloc::string::String;

use crate::model::plan::Draft;
use crate::read::parse::json::Json;

/// How many characters of punctuation after an address are taken for prose.
const TRAILING: usize = 8;

/// Everything a `Custom` plan may take its addresses from: the intent and the inputs.
/// What the planner says the user asked counts only where nobody else says it.
pub(super) fn named_text(draft: &Draft, intent: Option<&str>) -> String {
    let claimed = draft.intent.iter().filter(|_| intent.is_none()).flat_map(Json::strings);
    let mut text = String::new();
    for part in intent.into_iter().chain(claimed).chain(draft.inputs.strings()) {
        text.push_str(part);
        text.push('\n');
    }
    text
}

/// Every address in a text, also without the punctuation that prose puts behind it.
pub(super) fn addresses(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    // None of these can stand in an address that is ever allowed.
    let apart = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`' | '^' | '\\');
    for word in text.split(apart) {
        // A comma may be part of an address or stand between two.
        for piece in word.split(',').chain([word]) {
            let starts = [piece.find("http://"), piece.find("https://")];
            let Some(start) = starts.into_iter().flatten().min() else { continue };
            let mut address = piece.get(start..).unwrap_or_default();
            found.insert(address);
            for _ in 0..TRAILING {
                let punctuation = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '_'];
                let Some(shorter) = address.strip_suffix(punctuation) else { break };
                address = shorter;
                found.insert(address);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn addresses_are_found_as_a_whole() {
        let text =
            "(https://a.example/x_(y)), url=https://b.example/?u=http://x/,2 <http://c.example>.";
        let found: Vec<&str> = addresses(text).into_iter().collect();
        assert!(found.contains(&"https://a.example/x_(y)"), "{found:?}");
        assert!(found.contains(&"https://b.example/?u=http://x/,2"), "{found:?}");
        assert!(found.contains(&"http://c.example"), "{found:?}");
        assert!(!found.contains(&"https://a.example/x"), "{found:?}");
        assert!(!found.contains(&"https://a.example/"), "{found:?}");
    }
}
