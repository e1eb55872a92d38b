//! Which items that are gone have another name now.
//!
//! That one went and another of the same shape came is no rename: a class may lose one
//! field and gain another. A rename is said only where the two are the same text apart from
//! the name, or have the same shape and names that are near each other.

use std::collections::BTreeMap;

use super::item::Item;

/// Of items of one shape in one place so many are compared with each other.
const MOST: usize = 64;
/// A text of so many characters beside the name is hardly the same by chance. A shorter one
/// tells only where nothing else of its shape went or came.
const TELLING: usize = 40;
/// Longer texts are not compared.
const LONGEST: usize = 64 << 10;
/// Longer names are not near each other.
const LONGEST_NAME: usize = 64;

/// An item with its text apart from its name.
type Told<'i> = (&'i Item, Option<String>);

/// The new names of those of `gone` that are among what came, by their old ones.
pub(super) fn successors<'i>(
    gone: &[&'i Item],
    come: &[&'i Item],
    before: &str,
    after: &str,
) -> BTreeMap<&'i str, &'i str> {
    let mut groups: BTreeMap<String, [Vec<&'i Item>; 2]> = BTreeMap::new();
    for item in gone.iter().filter(|item| item.has_name()) {
        let [old, _] = groups.entry(shape_and_place(item)).or_default();
        old.push(item);
    }
    for item in come {
        if let Some([_, new]) = groups.get_mut(&shape_and_place(item)) {
            new.push(item);
        }
    }
    let told = |items: Vec<&'i Item>, text: &str| -> Vec<Told<'i>> {
        items.into_iter().map(|item| (item, apart(item, text))).collect()
    };
    let mut names = BTreeMap::new();
    for [old, new] in groups.into_values() {
        if new.is_empty() || old.len() > MOST || new.len() > MOST {
            continue;
        }
        let only = old.len() == 1 && new.len() == 1;
        let (old, mut new) = (told(old, before), told(new, after));
        // The stronger proof goes first, so that a near name takes no other's successor.
        for proof in [Proof::Text { only }, Proof::Name] {
            for one in &old {
                if names.contains_key(one.0.name.as_str()) {
                    continue;
                }
                if let Some(at) = new.iter().position(|other| proof.holds(one, other)) {
                    names.insert(one.0.name.as_str(), new.remove(at).0.name.as_str());
                }
            }
        }
    }
    names
}

impl Item {
    /// Whether the name alone is what users know it by.
    fn has_name(&self) -> bool {
        !matches!(self.sort, "implementation" | "listed name")
    }
}

/// Equal for two items of which only the name differs.
fn shape_and_place(item: &Item) -> String {
    let own = own_name(&item.name).len();
    let place = item.name.get(..item.name.len() - own).unwrap_or_default();
    format!("{} {place} {}", item.sort, item.signature())
}

/// The name without those of what it is in.
fn own_name(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Why two items are taken for one.
#[derive(Clone, Copy)]
enum Proof {
    /// The same text apart from the name.
    Text {
        /// Whether nothing else of the shape went or came.
        only: bool,
    },
    /// Names that are near each other.
    Name,
}

impl Proof {
    fn holds(self, (old, was): &Told<'_>, (new, is): &Told<'_>) -> bool {
        match self {
            // What is handed on under another name may be another thing.
            Self::Text { .. } if old.handed_on() => false,
            Self::Text { only } => {
                was.as_ref().is_some_and(|was| only || was.len() >= TELLING) && was == is
            }
            Self::Name => near(own_name(&old.name), own_name(&new.name)),
        }
    }
}

/// The words of the item without its own name, whatever the layout.
fn apart(item: &Item, text: &str) -> Option<String> {
    let whole = text.get(item.bytes.0..item.bytes.1).filter(|text| text.len() <= LONGEST)?;
    let name = own_name(&item.name);
    let mut left = String::with_capacity(whole.len());
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    for part in whole.split_inclusive(|c: char| !in_word(c)) {
        let word = part.trim_end_matches(|c: char| !in_word(c));
        let sign = part.get(word.len()..).unwrap_or_default().trim();
        if word != name {
            left.push_str(word);
        }
        left.push_str(sign);
        if sign.is_empty() {
            left.push(' ');
        }
    }
    (!whole.is_empty()).then(|| left.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether one name may have been made of the other: most of its words are the same, one
/// was put to it or left out, or few letters differ.
fn near(old: &str, new: &str) -> bool {
    if old.len().max(new.len()) > LONGEST_NAME {
        return false;
    }
    let (old_words, new_words) = (words(old), words(new));
    let (fewer, more) =
        (old_words.len().min(new_words.len()), old_words.len().max(new_words.len()));
    let mut left = new_words.clone();
    let shared = old_words
        .iter()
        .filter(|word| {
            left.iter().position(|other| other == *word).map(|at| left.remove(at)).is_some()
        })
        .count();
    let lengthened = fewer > 0 && shared == fewer && more - fewer <= 1;
    let (old, new) = (old_words.concat(), new_words.concat());
    shared * 2 > more
        || lengthened
        || distance(&old, &new) * 3 <= old.len().max(new.len()) && !old.is_empty()
}

/// The words of a name in lower case: `parseHeader` and `parse_header` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut lower = false;
    let mut open = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            open = false;
            continue;
        }
        if !open || c.is_uppercase() && lower {
            words.push(String::new());
        }
        (open, lower) = (true, !c.is_uppercase());
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// How many letters have to be put in, left out or exchanged.
fn distance(old: &str, new: &str) -> usize {
    let new: Vec<char> = new.chars().collect();
    let mut row: Vec<usize> = (0..=new.len()).collect();
    for (at, letter) in old.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(&new) {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = *cell;
            *cell = exchanged.min(diagonal + 1).min(left + 1);
            left = *cell;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_when_one_was_made_of_the_other() {
        for (old, new) in [
            ("parse_header", "parseHeader"),
            ("parse", "parse_header"),
            ("colour", "color"),
            ("send_mail_now", "send_mail_later"),
            ("Timeout", "Timeouts"),
        ] {
            assert!(near(old, new) && near(new, old), "{old} {new}");
        }
        for (old, new) in [
            ("debug", "request_class"),
            ("select_jinja_autoescape", "get_send_file_max_age"),
            ("got_first_request", "response_class"),
            ("get_user", "get_session"),
            ("a", "b"),
            ("run", "stop"),
            ("", "x"),
        ] {
            assert!(!near(old, new) && !near(new, old), "{old} {new}");
        }
    }

    #[test]
    fn letters_are_counted() {
        for (old, new, count) in
            [("", "", 0), ("ab", "", 2), ("abc", "abd", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(old, new), count, "{old} {new}");
        }
    }
}
