//! What git answers in its plumbing formats: changed files, conflicts, contents.

use std::collections::BTreeMap;

use exacta_core::text::shown::visible;

use super::error::{Conflict, IntakeError};

/// A file that differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) old_mode: String,
    pub(super) new_mode: String,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) path: Vec<u8>,
}

impl Entry {
    /// Whether there is a file before.
    pub(super) fn was_there(&self) -> bool {
        self.old_mode != "000000"
    }

    /// Whether there is a file after.
    pub(super) fn stays(&self) -> bool {
        self.new_mode != "000000"
    }

    /// The names of its contents, where there are any.
    pub(super) fn objects(&self) -> impl Iterator<Item = &str> {
        let old = self.was_there().then_some(self.old.as_str());
        let new = self.stays().then_some(self.new.as_str());
        old.into_iter().chain(new)
    }
}

fn unreadable() -> IntakeError {
    IntakeError::Git("its answer cannot be read".into())
}

fn word(bytes: &[u8]) -> Result<&str, IntakeError> {
    std::str::from_utf8(bytes).map_err(|_| unreadable())
}

/// Pieces that each end with a zero byte.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\0").map(|text| text.split(|byte| *byte == 0)).into_iter().flatten()
}

/// The output of `diff-tree -r -z --no-renames --no-abbrev`.
pub(super) fn entries(text: &[u8]) -> Result<Vec<Entry>, IntakeError> {
    let mut pieces = pieces(text);
    let mut entries = Vec::new();
    while let Some(head) = pieces.next() {
        let path = pieces.next().ok_or_else(unreadable)?;
        let head = word(head.strip_prefix(b":").ok_or_else(unreadable)?)?;
        let mut words = head.split(' ').map(str::to_owned);
        let mut next = || words.next().ok_or_else(unreadable);
        let (old_mode, new_mode, old, new) = (next()?, next()?, next()?, next()?);
        entries.push(Entry { old_mode, new_mode, old, new, path: path.to_vec() });
    }
    Ok(entries)
}

/// What `merge-tree --write-tree -z` says: the tree, and the conflicts.
pub(super) fn merged(text: &[u8]) -> Result<(String, Vec<Conflict>), IntakeError> {
    let mut pieces = pieces(text);
    let tree = word(pieces.next().ok_or_else(unreadable)?)?.to_owned();
    // Files in several stages, up to an empty piece; the messages say more.
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for stage in pieces.by_ref().take_while(|piece| !piece.is_empty()) {
        if let Some(at) = stage.iter().position(|byte| *byte == b'\t') {
            let path = visible(stage.get(at + 1..).unwrap_or_default());
            found.entry(path).or_insert_with(|| "CONFLICT".into());
        }
    }
    while let Some(count) = pieces.next().filter(|piece| !piece.is_empty()) {
        let count: usize = word(count)?.parse().map_err(|_| unreadable())?;
        let paths: Vec<String> = pieces.by_ref().take(count).map(visible).collect();
        let kind = visible(pieces.next().ok_or_else(unreadable)?);
        pieces.next();
        if kind.starts_with("CONFLICT") {
            found.extend(paths.into_iter().take(1).map(|path| (path, kind.clone())));
        }
    }
    let conflicts = found.into_iter().map(|(path, kind)| Conflict { path, kind }).collect();
    Ok((tree, conflicts))
}

/// What `cat-file --batch` says: each content by its name.
pub(super) fn contents(text: &[u8]) -> Result<BTreeMap<String, &[u8]>, IntakeError> {
    let mut rest = text;
    let mut contents = BTreeMap::new();
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).ok_or_else(unreadable)?;
        let (head, tail) = rest.split_at_checked(end).ok_or_else(unreadable)?;
        let mut words = word(head)?.split(' ');
        let (name, kind, size) = (words.next(), words.next(), words.next());
        let size = size.and_then(|size| size.parse::<usize>().ok());
        let (Some(name), Some("blob"), Some(size)) = (name, kind, size) else {
            let head = visible(head);
            return Err(IntakeError::Git(format!("`{head}`: an object is not there")));
        };
        let (bytes, tail) =
            tail.get(1..).and_then(|t| t.split_at_checked(size)).ok_or_else(unreadable)?;
        contents.insert(name.to_owned(), bytes);
        rest = tail.strip_prefix(b"\n").ok_or_else(unreadable)?;
    }
    Ok(contents)
}

/// A path, one of its attributes, and the value.
pub(super) type Attribute<'t> = (&'t [u8], &'t [u8], &'t [u8]);

/// What `check-attr -z` says.
pub(super) fn attributes(text: &[u8]) -> Result<Vec<Attribute<'_>>, IntakeError> {
    let mut pieces = pieces(text);
    let mut rows = Vec::new();
    while let Some(path) = pieces.next() {
        let (Some(name), Some(value)) = (pieces.next(), pieces.next()) else {
            return Err(unreadable());
        };
        rows.push((path, name, value));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_with_conflicts_names_each_file_once() {
        let text = b"1234\x00100644 aa 1\tx\x00100644 bb 2\tx\x00100644 cc 1\ty\x00\x00\
            1\x00x\x00Auto-merging\x00Auto-merging x\n\x001\x00x\x00CONFLICT (contents)\x00both\n\x00\
            2\x00y\x00z\x00CONFLICT (rename/delete)\x00moved\n\x00";
        let (tree, conflicts) = merged(text).unwrap();
        let rows: Vec<_> = conflicts.iter().map(|c| (c.path.as_str(), c.kind.as_str())).collect();
        assert_eq!(tree, "1234");
        assert_eq!(rows, [("x", "CONFLICT (contents)"), ("y", "CONFLICT (rename/delete)")]);
        assert_eq!(merged(b"1234\0").unwrap(), ("1234".into(), Vec::new()));
        assert!(merged(b"").is_err());
    }

    #[test]
    fn contents_are_read_by_their_size() {
        let found = contents(b"aa blob 3\na\nb\nbb blob 0\n\n").unwrap();
        assert_eq!(found.get("aa"), Some(&&b"a\nb"[..]));
        assert_eq!(found.get("bb"), Some(&&b""[..]));
        assert!(contents(b"aa missing\n").is_err());
        assert!(contents(b"aa blob 9\na\n").is_err());
    }
}
