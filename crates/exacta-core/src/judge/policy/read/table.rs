//! One TOML table while it is read: typed access, and a finding for each key that is not
//! allowed there.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{At, Findings};
use super::values::{integer, money};
use crate::read::parse::json::MAX_INTEGER;
use crate::read::parse::nearest;
use crate::text::shown::shown;

/// The largest number that a policy may hold; beyond it hashes would not be exact.
pub(super) const MOST: u64 = MAX_INTEGER.unsigned_abs();

/// A table, where it stands, and what may stand in it.
pub(super) struct Table<'a, 'i> {
    entries: &'a DeTable<'i>,
    pub(super) at: At,
    pub(super) span: Range<usize>,
}

/// Turns one string of a list into an entry, or says what is wrong with it.
pub(super) type CheckEntry = fn(&str) -> Result<String, (String, String)>;

impl<'a, 'i> Table<'a, 'i> {
    /// A table whose keys are all in `allowed`; every other is a finding.
    pub(super) fn open(
        entries: &'a DeTable<'i>,
        at: At,
        span: Range<usize>,
        allowed: &[&str],
        out: &mut Findings<'_>,
    ) -> Self {
        for (name, _) in entries {
            let key: &str = name.get_ref();
            if !allowed.contains(&key) {
                let at = at.key(key);
                let message = format!("there is no key `{}`", at.as_str());
                let help = nearest(key, allowed.iter().copied());
                out.add("unknown_key", &at, &name.span(), message, help);
            }
        }
        Self { entries, at, span }
    }

    fn get(&self, name: &str) -> Option<(&'a Spanned<DeValue<'i>>, At)> {
        self.entries.get(name).map(|value| (value, self.at.key(name)))
    }

    /// Where the value of a key stands.
    pub(super) fn span_of(&self, name: &str) -> Range<usize> {
        self.entries.get(name).map_or(self.span.clone(), Spanned::span)
    }

    /// Notes that a key must be there.
    pub(super) fn missing(&self, name: &str, out: &mut Findings<'_>) {
        if self.entries.get(name).is_none() {
            let at = self.at.key(name);
            let message = format!("`{}` is missing", at.as_str());
            out.add("missing_key", &at, &self.span, message, format!("add `{name}`"));
        }
    }

    pub(super) fn count(
        &self,
        name: &str,
        range: RangeInclusive<u64>,
        out: &mut Findings<'_>,
    ) -> Option<u64> {
        let (value, at) = self.get(name)?;
        let number = integer(value.get_ref());
        if let Some(number) = number.filter(|number| range.contains(number)) {
            return Some(number);
        }
        let expected = if *range.end() == MOST {
            format!("an integer of at least {}", range.start())
        } else {
            format!("an integer from {} to {}", range.start(), range.end())
        };
        if value.get_ref().is_integer() {
            let message = format!("`{}` must be {expected}", at.as_str());
            out.add("range", &at, &value.span(), message, format!("write {expected}"));
        } else {
            out.wrong(&at, &value.span(), &expected, value.get_ref());
        }
        None
    }

    /// US dollars in millionths.
    pub(super) fn usd(&self, name: &str, out: &mut Findings<'_>) -> Option<u64> {
        let (value, at) = self.get(name)?;
        let expected = "an amount in US dollars, such as 5 or 0.25, with at most six decimals";
        let micro = money(value.get_ref()).filter(|micro| *micro <= MOST);
        if micro.is_none() {
            if value.get_ref().is_integer() || value.get_ref().is_float() {
                let message = format!("`{}` must be {expected}", at.as_str());
                out.add("range", &at, &value.span(), message, format!("write {expected}"));
            } else {
                out.wrong(&at, &value.span(), expected, value.get_ref());
            }
        }
        micro
    }

    pub(super) fn text(&self, name: &str, out: &mut Findings<'_>) -> Option<String> {
        let (value, at) = self.get(name)?;
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => return Some(text.into()),
            Some(_) => {
                let message = format!("`{}` is empty", at.as_str());
                out.add("empty", &at, &value.span(), message, "write a few words");
            }
            None => out.wrong(&at, &value.span(), "a string", value.get_ref()),
        }
        None
    }

    /// One of a closed list of words.
    pub(super) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        out: &mut Findings<'_>,
    ) -> Option<T> {
        let (value, at) = self.get(name)?;
        one_of(value, &at, words, out)
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str, out: &mut Findings<'_>) -> Option<bool> {
        let (value, at) = self.get(name)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            out.wrong(&at, &value.span(), "`true` or `false`", value.get_ref());
        }
        flag
    }

    /// One string that is checked.
    pub(super) fn entry(
        &self,
        name: &str,
        check: CheckEntry,
        out: &mut Findings<'_>,
    ) -> Option<String> {
        let (value, at) = self.get(name)?;
        let Some(text) = value.get_ref().as_str() else {
            out.wrong(&at, &value.span(), "a string", value.get_ref());
            return None;
        };
        match check(text) {
            Ok(entry) => Some(entry),
            Err((fault, help)) => {
                let message = format!("`{}` {fault}", shown(text.as_bytes()));
                out.add("entry", &at, &value.span(), message, help);
                None
            }
        }
    }

    /// A list of words from a closed list.
    pub(super) fn words<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        out: &mut Findings<'_>,
    ) -> Option<Vec<T>> {
        let list = self.array(name, "an array of strings", out)?;
        self.not_empty(name, &list, out);
        Some(list.iter().filter_map(|(value, at)| one_of(value, at, words, out)).collect())
    }

    /// A list of strings, each checked.
    pub(super) fn strings(
        &self,
        name: &str,
        check: CheckEntry,
        out: &mut Findings<'_>,
    ) -> Option<Vec<String>> {
        let mut strings = Vec::new();
        for (value, at) in self.array(name, "an array of strings", out)? {
            let Some(text) = value.get_ref().as_str() else {
                out.wrong(&at, &value.span(), "a string", value.get_ref());
                continue;
            };
            match check(text) {
                Ok(entry) => strings.push(entry),
                Err((fault, help)) => {
                    let message = format!("`{}` {fault}", shown(text.as_bytes()));
                    out.add("entry", &at, &value.span(), message, help);
                }
            }
        }
        Some(strings)
    }

    /// The same where order and repetition do not matter.
    pub(super) fn set(
        &self,
        name: &str,
        check: CheckEntry,
        out: &mut Findings<'_>,
    ) -> Option<BTreeSet<String>> {
        self.strings(name, check, out).map(|list| list.into_iter().collect())
    }

    /// The same where an empty list would be a condition that never holds.
    pub(super) fn some_strings(
        &self,
        name: &str,
        check: CheckEntry,
        out: &mut Findings<'_>,
    ) -> Option<Vec<String>> {
        let elements = self.array(name, "an array of strings", out)?;
        self.not_empty(name, &elements, out);
        self.strings(name, check, out)
    }

    fn not_empty<T>(&self, name: &str, list: &[T], out: &mut Findings<'_>) {
        if list.is_empty() {
            let at = self.at.key(name);
            let message = format!("`{}` is empty, so it could never hold", at.as_str());
            out.add("empty", &at, &self.span_of(name), message, "name at least one, or remove it");
        }
    }

    /// The elements of an array, each with its place.
    pub(super) fn array(
        &self,
        name: &str,
        expected: &str,
        out: &mut Findings<'_>,
    ) -> Option<Vec<(&'a Spanned<DeValue<'i>>, At)>> {
        let (value, at) = self.get(name)?;
        let Some(array) = value.get_ref().as_array() else {
            out.wrong(&at, &value.span(), expected, value.get_ref());
            return None;
        };
        Some(array.iter().enumerate().map(|(index, value)| (value, at.index(index))).collect())
    }

    /// A table below this one, with its own list of allowed keys.
    pub(super) fn table(
        &self,
        name: &str,
        allowed: &[&str],
        out: &mut Findings<'_>,
    ) -> Option<Table<'a, 'i>> {
        let (value, at) = self.get(name)?;
        as_table(value, at, out)
            .map(|(entries, at)| Table::open(entries, at, value.span(), allowed, out))
    }

    /// The tables below a table of names that the operator chose.
    pub(super) fn named(
        &self,
        name: &str,
        allowed: &[&str],
        out: &mut Findings<'_>,
    ) -> Vec<(String, Table<'a, 'i>)> {
        let Some((value, at)) = self.get(name) else { return Vec::new() };
        let Some((entries, at)) = as_table(value, at, out) else { return Vec::new() };
        let mut tables = Vec::new();
        for (id, value) in entries {
            let at = at.key(id.get_ref());
            check_name(id, &at, out);
            if let Some((entries, at)) = as_table(value, at, out) {
                let table = Table::open(entries, at, value.span(), allowed, out);
                tables.push((String::from(id.get_ref().as_ref()), table));
            }
        }
        tables
    }

    /// This table with the keys it has, whatever they are called.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        self.entries.keys().map(|name| (name.get_ref().as_ref(), name.span()))
    }

    /// A table below this one whose keys the operator chose.
    pub(super) fn open_table(&self, name: &str, out: &mut Findings<'_>) -> Option<Table<'a, 'i>> {
        let (value, at) = self.get(name)?;
        let (entries, at) = as_table(value, at, out)?;
        for (id, _) in entries {
            check_name(id, &at.key(id.get_ref()), out);
        }
        Some(Table { entries, at, span: value.span() })
    }
}

/// The table that a value is, or a finding.
pub(super) fn as_table<'a, 'i>(
    value: &'a Spanned<DeValue<'i>>,
    at: At,
    out: &mut Findings<'_>,
) -> Option<(&'a DeTable<'i>, At)> {
    let Some(table) = value.get_ref().as_table() else {
        out.wrong(&at, &value.span(), "a table", value.get_ref());
        return None;
    };
    Some((table, at))
}

fn one_of<T: Copy>(
    value: &Spanned<DeValue<'_>>,
    at: &At,
    words: &[(&str, T)],
    out: &mut Findings<'_>,
) -> Option<T> {
    let Some(text) = value.get_ref().as_str() else {
        out.wrong(at, &value.span(), "a string", value.get_ref());
        return None;
    };
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if found.is_none() {
        let message =
            format!("`{}` has the unknown value `{}`", at.as_str(), shown(text.as_bytes()));
        let help = nearest(text, words.iter().map(|(word, _)| *word));
        out.add("value", at, &value.span(), message, help);
    }
    found
}

/// Names that operators choose end up in messages, logs and keys with dots.
fn check_name(name: &Spanned<alloc::borrow::Cow<'_, str>>, at: &At, out: &mut Findings<'_>) {
    let text = name.get_ref();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.:/@+".contains(&b);
    if text.is_empty() || text.len() > 128 || !text.bytes().all(plain) {
        let message = format!("`{}` is not a name", shown(text.as_bytes()));
        let help = "use letters, digits and `-_.:/@+`, at most 128 of them";
        out.add("name", at, &name.span(), message, help);
    }
}
