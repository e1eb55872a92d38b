//! Whether some step touches what the intent names.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memmem;

use crate::judge::score::basis::Basis;
use crate::judge::score::intent::{Name, NameKind};
use crate::model::path::fold_key;
use crate::model::plan::{Action, ToolCall};

/// Everything that the steps touch.
pub(super) struct Coverage<'a> {
    paths: Vec<Cow<'a, str>>,
    images: Vec<&'a [u8]>,
    calls: Vec<&'a ToolCall>,
}

impl<'a> Coverage<'a> {
    /// Paths, images before and after, tool calls.
    pub(super) fn of(basis: &Basis<'a>) -> Self {
        let subject = basis.subject;
        let paths = subject.changes.iter().flat_map(|change| {
            [Some(&change.path), change.renamed_from.as_ref()].into_iter().flatten()
        });
        let digests = subject.changes.iter().flat_map(|change| [change.before, change.after]);
        let calls = subject.draft.steps.iter().filter_map(|step| match &step.action {
            Action::Tool(call) => Some(call),
            Action::File(_) => None,
        });
        Self {
            paths: paths.map(|path| fold_key(path.as_str())).collect(),
            images: digests.flatten().filter_map(|image| basis.subject.bytes(image)).collect(),
            calls: calls.collect(),
        }
    }

    /// A path is touched when a changed file is it, lies below it, or ends in it. Another
    /// name is touched when a changed file holds it before or after: whoever works inside
    /// a function need not write its name.
    pub(super) fn touches(&self, name: &Name) -> bool {
        let text = name.text.as_str();
        let whole = name.kind == NameKind::Identifier;
        let holds = |bytes: &[u8]| contains(bytes, text.as_bytes(), whole);
        let in_calls = || {
            self.calls.iter().any(|call| {
                holds(call.name.as_bytes())
                    || call.args.strings().any(|value| holds(value.as_bytes()))
            })
        };
        let folded = fold_key(text);
        if self.paths.iter().any(|path| on_path(path, &folded)) || in_calls() {
            return true;
        }
        match name.kind {
            NameKind::Path => false,
            NameKind::Identifier | NameKind::Quoted => {
                let in_path =
                    |path: &Cow<'_, str>| contains(path.as_bytes(), folded.as_bytes(), whole);
                self.paths.iter().any(in_path) || self.images.iter().any(|image| holds(image))
            }
        }
    }
}

/// Whether `name` is the path, a run of its components, or an absolute spelling of it.
fn on_path(path: &str, name: &str) -> bool {
    let part = |whole: &str, part: &str| {
        whole.match_indices(part).any(|(at, _)| {
            let before = whole.get(..at).unwrap_or_default();
            let after = whole.get(at + part.len()..).unwrap_or_default();
            (before.is_empty() || before.ends_with('/'))
                && (after.is_empty() || after.starts_with('/'))
        })
    };
    part(path, name) || (name.starts_with('/') && name.ends_with(&format!("/{path}")))
}

/// Whether the bytes hold `needle`; where `whole`, not as part of a longer name.
fn contains(bytes: &[u8], needle: &[u8], whole: bool) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    memmem::find_iter(bytes, needle).any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !whole || !(word(before) || word(bytes.get(at + needle.len())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_components() {
        for (path, name, found) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "a.rs", true),
            ("src/a.rs", "src", true),
            ("crates/x/src/a.rs", "x/src", true),
            ("src/aa.rs", "a.rs", false),
            ("src/a.rs.bak", "a.rs", false),
            ("src/a.rs", "/srv/project/src/a.rs", true),
            ("src/a.rs", "lib/src/a.rs", false),
        ] {
            assert_eq!(on_path(path, name), found, "{path} {name}");
        }
    }

    #[test]
    fn identifiers_are_whole_words() {
        for (text, name, whole, found) in [
            ("let foo_bar = 1", "foo_bar", true, true),
            ("let foo_bars = 1", "foo_bar", true, false),
            ("let foo_bars = foo_bar", "foo_bar", true, true),
            ("Self::run()", "run", true, true),
            ("prerun", "run", true, false),
            ("prerun", "run", false, true),
            ("", "run", false, false),
        ] {
            assert_eq!(contains(text.as_bytes(), name.as_bytes(), whole), found, "{text} {name}");
        }
    }
}
