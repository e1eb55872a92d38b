//! TOML with the places of its keys.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::Lines;

/// A parsed document.
pub(super) struct Document<'t> {
    lines: Lines,
    root: Spanned<DeTable<'t>>,
}

/// A table, or nothing where there is none.
#[derive(Clone, Copy)]
pub(super) struct Table<'d, 't> {
    lines: &'d Lines,
    table: Option<&'d DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Reads a document.
    pub(super) fn parse(text: &'t str) -> Result<Self, String> {
        let root = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
        Ok(Self { lines: Lines::new(text), root })
    }

    pub(super) fn root(&self) -> Table<'_, 't> {
        Table { lines: &self.lines, table: Some(self.root.get_ref()) }
    }
}

/// One entry: key, line and value.
pub(super) struct Entry<'d, 't> {
    pub(super) key: &'d str,
    pub(super) line: Option<usize>,
    pub(super) value: &'d DeValue<'t>,
}

impl<'d, 't> Table<'d, 't> {
    /// The table below a key.
    pub(super) fn at(self, key: &str) -> Self {
        let table = self.table.and_then(|table| match table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Table(inner)) => Some(inner),
            _ => None,
        });
        Self { lines: self.lines, table }
    }

    /// Whether there is no table, or nothing in it.
    pub(super) fn is_empty(self) -> bool {
        self.table.is_none_or(DeTable::is_empty)
    }

    /// The value of a key.
    pub(super) fn value(self, key: &str) -> Option<&'d DeValue<'t>> {
        self.table?.get(key).map(Spanned::get_ref)
    }

    /// The string below a key.
    pub(super) fn string(self, key: &str) -> Option<&'d str> {
        self.value(key).and_then(string)
    }

    /// The line of a key.
    pub(super) fn line(self, key: &str) -> Option<usize> {
        let (key, _) = self.table?.get_key_value(key)?;
        Some(self.lines.at(key.span().start))
    }

    /// All entries in the order of their keys.
    pub(super) fn entries(self) -> impl Iterator<Item = Entry<'d, 't>> {
        let lines = self.lines;
        self.table.into_iter().flat_map(DeTable::iter).map(move |(key, value)| Entry {
            key: key.get_ref(),
            line: Some(lines.at(key.span().start)),
            value: value.get_ref(),
        })
    }

    /// The same view of another value of this document.
    pub(super) fn of(self, value: &'d DeValue<'t>) -> Self {
        let table = match value {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
        Self { lines: self.lines, table }
    }

    /// Strings of an array with their lines.
    pub(super) fn strings(self, key: &str) -> Vec<(&'d str, Option<usize>)> {
        match self.value(key) {
            Some(DeValue::Array(array)) => array
                .iter()
                .filter_map(|one| {
                    Some((string(one.get_ref())?, Some(self.lines.at(one.span().start))))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Tables of an array.
    pub(super) fn tables(self, key: &str) -> Vec<Self> {
        match self.value(key) {
            Some(DeValue::Array(array)) => array.iter().map(|one| self.of(one.get_ref())).collect(),
            Some(value @ DeValue::Table(_)) => vec![self.of(value)],
            _ => Vec::new(),
        }
    }
}

/// A value in a line, so that two of them can be compared and shown.
pub(super) fn words(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.clone().into_owned(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(on) => on.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(list) => {
            let list: Vec<String> = list.iter().map(|one| words(one.get_ref())).collect();
            list.join(", ")
        }
        DeValue::Table(table) => {
            let entry = |(key, value): (&Spanned<_>, &Spanned<_>)| {
                format!("{}={}", key.get_ref(), words(value.get_ref()))
            };
            table.iter().map(entry).collect::<Vec<String>>().join(" ")
        }
    }
}

/// The text of a string value.
pub(super) fn string<'d>(value: &'d DeValue<'_>) -> Option<&'d str> {
    match value {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}
