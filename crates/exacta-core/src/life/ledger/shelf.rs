//! Things by name. Most of them stay as they were written down and are read only when
//! somebody asks for them, so that a long record costs nothing until then. Many threads may
//! ask at once.

extern crate std;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Things by name, in the order of their names.
#[derive(Clone, Debug)]
pub(super) struct Shelf<T> {
    /// What was added or changed since.
    fresh: BTreeMap<String, T>,
    /// What was written down, in the order of the written names.
    lines: Vec<Line<T>>,
    text: Arc<Vec<u8>>,
}

/// One line: the name as a JSON string, then the thing.
#[derive(Clone, Debug)]
struct Line<T> {
    start: u32,
    /// Where the name ends.
    middle: u32,
    end: u32,
    read: OnceLock<Option<Box<T>>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { fresh: BTreeMap::new(), lines: Vec::new(), text: Arc::default() }
    }
}

impl<T> Shelf<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.lines.is_empty()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let unwritten = self.fresh.keys().filter(|name| self.written(name).is_none()).count();
        self.lines.len() + unwritten
    }

    fn bytes(&self, from: u32, to: u32) -> &[u8] {
        self.text.get(from as usize..to as usize).unwrap_or_default()
    }

    fn name(&self, line: &Line<T>) -> &[u8] {
        self.bytes(line.start, line.middle)
    }

    /// Where a name stands among what was written down.
    fn written(&self, name: &str) -> Option<usize> {
        if self.lines.is_empty() {
            return None;
        }
        let quoted = quoted(name);
        self.lines.binary_search_by(|line| self.name(line).cmp(quoted.as_bytes())).ok()
    }

    /// Every line that nothing fresh replaces, and everything fresh, in order.
    fn merged(&self) -> Vec<Merged<'_, T>> {
        let mut fresh: Vec<(String, &String, &T)> =
            self.fresh.iter().map(|(name, thing)| (quoted(name), name, thing)).collect();
        fresh.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut fresh = fresh.into_iter().peekable();
        let mut merged = Vec::with_capacity(self.lines.len() + self.fresh.len());
        for line in &self.lines {
            let written = self.name(line);
            while let Some((_, name, thing)) =
                fresh.next_if(|(quoted, ..)| quoted.as_bytes().cmp(written) == Ordering::Less)
            {
                merged.push(Merged::Fresh(name, thing));
            }
            if fresh.peek().is_none_or(|(quoted, ..)| quoted.as_bytes() != written) {
                merged.push(Merged::Written(line));
            }
        }
        merged.extend(fresh.map(|(_, name, thing)| Merged::Fresh(name, thing)));
        merged
    }

    /// Every name, without reading what it stands for.
    pub(super) fn names(&self) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
        self.merged().into_iter().map(|place| match place {
            Merged::Fresh(name, _) => Cow::Borrowed(name.as_str()),
            Merged::Written(line) => {
                let quoted = self.name(line);
                match serde_json::from_slice::<&str>(quoted) {
                    Ok(plain) => Cow::Borrowed(plain),
                    Err(_) => Cow::Owned(serde_json::from_slice(quoted).unwrap_or_default()),
                }
            }
        })
    }
}

enum Merged<'s, T> {
    Fresh(&'s String, &'s T),
    Written(&'s Line<T>),
}

impl<T: DeserializeOwned> Shelf<T> {
    fn read<'s>(&'s self, line: &'s Line<T>) -> Option<&'s T> {
        let read = || serde_json::from_slice(self.bytes(line.middle, line.end)).ok();
        line.read.get_or_init(|| read().map(Box::new)).as_deref()
    }

    pub(super) fn get(&self, name: &str) -> Option<&T> {
        if let Some(fresh) = self.fresh.get(name) {
            return Some(fresh);
        }
        self.read(self.lines.get(self.written(name)?)?)
    }

    /// Whether every line says something.
    pub(super) fn is_readable(&self) -> bool {
        self.lines.iter().all(|line| self.read(line).is_some())
    }

    /// Every thing, in the order of names.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.merged().into_iter().filter_map(|place| match place {
            Merged::Fresh(_, thing) => Some(thing),
            Merged::Written(line) => self.read(line),
        })
    }
}

impl<T: Clone + DeserializeOwned> Shelf<T> {
    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        if !self.fresh.contains_key(name) {
            let thing = self.get(name)?.clone();
            self.fresh.insert(name.into(), thing);
        }
        self.fresh.get_mut(name)
    }

    /// The thing of that name, made when there is none.
    pub(super) fn get_or_add(&mut self, name: &str, make: impl FnOnce() -> T) -> &mut T {
        let known = if self.fresh.contains_key(name) { None } else { self.get(name).cloned() };
        self.fresh.entry(name.into()).or_insert_with(|| known.unwrap_or_else(make))
    }
}

impl<T: Serialize> Shelf<T> {
    /// Writes one line for each thing.
    pub(super) fn write(&self, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        for place in self.merged() {
            match place {
                Merged::Written(line) => text.extend_from_slice(self.bytes(line.start, line.end)),
                Merged::Fresh(name, thing) => {
                    serde_json::to_writer(&mut *text, name)?;
                    serde_json::to_writer(&mut *text, thing)?;
                }
            }
            text.push(b'\n');
        }
        Ok(())
    }
}

/// Reads shelves one after the other from the lines of a text.
pub(super) struct Lines {
    text: Arc<Vec<u8>>,
    at: usize,
    end: usize,
}

impl Lines {
    pub(super) fn of(text: Vec<u8>, part: Range<usize>) -> Self {
        Self { text: Arc::new(text), at: part.start, end: part.end }
    }

    /// The next line, without its end.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let start = self.at;
        let length = memchr::memchr(b'\n', self.text.get(start..self.end)?)?;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    /// The next `count` lines.
    pub(super) fn shelf<T>(&mut self, count: usize) -> Option<Shelf<T>> {
        let mut lines = Vec::with_capacity(count.min(self.text.len()));
        for _ in 0..count {
            let start = self.at;
            let line = self.next()?;
            let (middle, end) = (start + name_end(line)?, start + line.len());
            let place = |at: usize| u32::try_from(at).ok();
            lines.push(Line {
                start: place(start)?,
                middle: place(middle)?,
                end: place(end)?,
                read: OnceLock::new(),
            });
        }
        Some(Shelf { fresh: BTreeMap::new(), lines, text: Arc::clone(&self.text) })
    }

    /// Whether nothing is left.
    pub(super) fn ended(&self) -> bool {
        self.at == self.end
    }
}

/// The end of the JSON string that a line begins with.
fn name_end(line: &[u8]) -> Option<usize> {
    let mut at = 1;
    line.strip_prefix(b"\"")?;
    loop {
        match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn quoted(name: &str) -> String {
    // Writing a string cannot fail.
    serde_json::to_string(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;
    use proptest::prelude::*;

    fn again(shelf: &Shelf<u32>) -> Shelf<u32> {
        let mut text = Vec::new();
        shelf.write(&mut text).unwrap();
        let end = text.len();
        let mut lines = Lines::of(text, 0..end);
        let shelf = lines.shelf(shelf.len()).unwrap();
        assert!(lines.ended());
        shelf
    }

    proptest! {
        /// Whatever is done, written down and read again in between: a shelf is a map.
        #[test]
        fn a_shelf_is_a_map(
            steps in prop::collection::vec((0..3_u8, "[a-c\"\\\\é\n]{0,3}", 0..100_u32), 0..60)
        ) {
            let mut shelf = Shelf::default();
            let mut map: BTreeMap<String, u32> = BTreeMap::new();
            for (what, name, value) in steps {
                match what {
                    0 => {
                        *shelf.get_or_add(&name, || value) += 1;
                        *map.entry(name.clone()).or_insert(value) += 1;
                    }
                    1 => {
                        prop_assert_eq!(shelf.get_mut(&name).is_some(), map.contains_key(&name));
                        if let (Some(a), Some(b)) = (shelf.get_mut(&name), map.get_mut(&name)) {
                            (*a, *b) = (value, value);
                        }
                    }
                    _ => shelf = again(&shelf),
                }
                prop_assert_eq!(shelf.get(&name), map.get(&name));
                prop_assert_eq!(shelf.len(), map.len());
            }
            let mut names: Vec<String> = shelf.names().map(|name| name.to_string()).collect();
            let mut values: Vec<u32> = shelf.values().copied().collect();
            names.sort();
            values.sort_unstable();
            let mut expected: Vec<u32> = map.values().copied().collect();
            expected.sort_unstable();
            prop_assert_eq!(names, map.keys().cloned().collect::<Vec<_>>());
            prop_assert_eq!(values, expected);
        }
    }

    #[test]
    fn names_without_escapes_are_in_their_own_order() {
        let mut shelf = Shelf::default();
        for name in ["0192-b", "0192-a", "0193", "0191"] {
            shelf.get_or_add(name, || 0);
        }
        let mut shelf = again(&shelf);
        shelf.get_or_add("0192-aa", || 1);
        let names: Vec<Cow<'_, str>> = shelf.names().collect();
        assert_eq!(names, ["0191", "0192-a", "0192-aa", "0192-b", "0193"]);
        assert_eq!(shelf.values().copied().collect::<Vec<_>>(), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn what_is_not_lines_is_no_shelf() {
        for text in ["", "\"a\"1", "a 1\n", "\"a\n", "\"a\\"] {
            assert!(Lines::of(text.into(), 0..text.len()).shelf::<u32>(1).is_none(), "{text}");
        }
    }
}
