//! Renames as people think of them: one thing that happens, not a deletion and a creation.
//!
//! On the disk they are two changes, and so they stand in every report for programs.

use exacta_core::model::change::{NetChange, Op};
use exacta_core::model::path::RelPath;
use exacta_core::text::shown::visible;

/// One thing that happens to files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Deed<'a> {
    /// The first goes and comes again as the second.
    Rename(&'a NetChange, &'a NetChange),
    /// Anything else.
    Other(&'a NetChange),
}

/// What happens, with the two halves of each rename put together. A new name that had a file
/// before, or an old one that has a file afterwards, is more than a rename and stays apart.
pub(crate) fn deeds(files: &[NetChange]) -> Vec<Deed<'_>> {
    let new = |old: &NetChange| {
        let is_new =
            |new: &&NetChange| new.op == Op::Create && new.renamed_from.as_ref() == Some(&old.path);
        files.iter().find(is_new).filter(|_| old.op == Op::Delete)
    };
    let old = |file: &NetChange| {
        let from = file.renamed_from.as_ref()?;
        // Of several new names one is the rename.
        files.iter().find(|old| old.path == *from && new(old).is_some_and(|new| new == file))
    };
    let deed = |file| match old(file) {
        Some(old) => Some(Deed::Rename(old, file)),
        None => new(file).is_none().then_some(Deed::Other(file)),
    };
    files.iter().filter_map(deed).collect()
}

/// Both names with the sign between them, which no name can bring along.
pub(crate) fn becomes(from: &RelPath, to: &RelPath, sign: &str) -> String {
    let name = |path: &RelPath| {
        let last = sign.chars().last().unwrap_or(' ');
        let start = sign.strip_suffix(last).unwrap_or_default();
        let spelled = format!("{start}<U+{:04X}>", u32::from(last));
        visible(path.as_str().as_bytes()).replace(sign, &spelled)
    };
    format!("{} {sign} {}", name(from), name(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, op: Op, from: Option<&str>) -> NetChange {
        let parse = |path| RelPath::parse(path).unwrap();
        let renamed_from = from.map(parse);
        NetChange { path: parse(path), op, before: None, after: None, mode: None, renamed_from }
    }

    #[test]
    fn the_halves_of_a_rename_are_one_deed_and_everything_else_stays_apart() {
        let files = [
            file("a", Op::Delete, None),
            file("b", Op::Create, Some("a")),
            file("copy", Op::Create, Some("a")),
            file("over", Op::Modify, Some("was")),
            file("was", Op::Delete, None),
            file("kept", Op::Modify, None),
            file("new", Op::Create, Some("kept")),
        ];
        let [a, b, copy, over, was, kept, new] = &files;
        assert_eq!(
            deeds(&files),
            [
                Deed::Rename(a, b),
                Deed::Other(copy),
                Deed::Other(over),
                Deed::Other(was),
                Deed::Other(kept),
                Deed::Other(new),
            ]
        );
    }

    #[test]
    fn a_name_cannot_bring_the_sign_along() {
        let name = |path| RelPath::parse(path).unwrap();
        assert_eq!(becomes(&name("a → b"), &name("c"), "→"), "a <U+2192> b → c");
        assert_eq!(becomes(&name("a -> b"), &name("c"), "->"), "a -<U+003E> b -> c");
    }
}
