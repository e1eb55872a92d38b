//! The inverse of a run that renamed files, as a patch: only a patch can say that a file goes
//! back to its old name. Then it is one step, one row, and judged as a rename.

use std::collections::BTreeMap;

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::Blob;
use exacta_core::model::path::RelPath;
use exacta_core::text::lines::lines;

/// What happens to one file.
pub(super) struct Part<'a> {
    pub(super) change: &'a Change,
    pub(super) before: Option<&'a Blob>,
    pub(super) after: Option<&'a Blob>,
}

/// The patch, with the goal as its subject; `None` where no file goes on under another name.
/// `renames` has pairs of names, in whichever direction.
pub(super) fn patch(
    goal: &str,
    parts: &[Part<'_>],
    renames: &[(RelPath, RelPath)],
) -> Option<Vec<u8>> {
    let by_path: BTreeMap<&RelPath, &Part<'_>> =
        parts.iter().map(|part| (&part.change.path, part)).collect();
    let both = renames.iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    // The new name, the part that goes and the part that comes.
    let mut moved: BTreeMap<&RelPath, &Part<'_>> = BTreeMap::new();
    for (from, to) in both {
        let (Some(old), Some(new)) = (by_path.get(from), by_path.get(to)) else { continue };
        let goes = old.after.is_none() && old.before.is_some();
        let comes = new.before.is_none() && new.after.is_some();
        if goes && comes && !moved.values().any(|taken| taken.change.path == *from) {
            moved.insert(to, old);
        }
    }
    if moved.is_empty() {
        return None;
    }
    let mut text =
        format!("From {} Mon Sep 17 00:00:00 2001\nSubject: {goal}\n\n---\n\n", "0".repeat(40))
            .into_bytes();
    for part in parts {
        let path = &part.change.path;
        match moved.get(path) {
            Some(old) => section(old, part, &mut text),
            None if moved.values().any(|old| old.change.path == *path) => {}
            None => section(part, part, &mut text),
        }
    }
    text.extend_from_slice(b"-- \n");
    Some(text)
}

/// One file: `old` says what it was, `new` what it becomes.
fn section(old: &Part<'_>, new: &Part<'_>, text: &mut Vec<u8>) {
    let (from, to) = (&old.change.path, &new.change.path);
    let (a, b) = (name("a/", from), name("b/", to));
    let mut line = |line: String| {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    };
    line(format!("diff --git {a} {b}"));
    let (mode_old, mode_new) = (mode(old.change.mode_before), mode(new.change.mode_after));
    match (old.before, new.after) {
        (None, _) => line(format!("new file mode {mode_new}")),
        (_, None) => line(format!("deleted file mode {mode_old}")),
        _ if mode_old != mode_new => {
            line(format!("old mode {mode_old}"));
            line(format!("new mode {mode_new}"));
        }
        _ => {}
    }
    let same = old.before == new.after;
    if from != to {
        line(format!("similarity index {}%", if same { 100 } else { 50 }));
        line(format!("rename from {}", name("", from)));
        line(format!("rename to {}", name("", to)));
    }
    if same {
        return;
    }
    let bytes = |image: Option<&Blob>| image.map_or(&[][..], Blob::bytes).to_vec();
    let (before, after) = (bytes(old.before), bytes(new.after));
    if before.is_empty() && after.is_empty() {
        // Only this line tells an empty file from one that was cut off.
        const EMPTY: [&str; 2] = ["0000000", "e69de29"];
        let [nothing, empty] = EMPTY;
        return line(match old.before {
            None => format!("index {nothing}..{empty}"),
            Some(_) => format!("index {empty}..{nothing}"),
        });
    }
    let side = |image: Option<&Blob>, name: &str| match image {
        // A tab ends a name with spaces.
        Some(_) => format!("{name}{}", if name.contains(' ') { "\t" } else { "" }),
        None => "/dev/null".into(),
    };
    line(format!("--- {}", side(old.before, &a)));
    line(format!("+++ {}", side(new.after, &b)));
    let (before, after) = (lines(&before), lines(&after));
    line(format!("@@ -{} +{} @@", range(before.len()), range(after.len())));
    let signed =
        before.iter().map(|line| (b'-', line)).chain(after.iter().map(|line| (b'+', line)));
    for (sign, line) in signed {
        text.push(sign);
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// All lines of a file.
fn range(count: usize) -> String {
    if count == 0 { "0,0".into() } else { format!("1,{count}") }
}

/// The mode as git knows it: executable or not.
fn mode(mode: Option<FileMode>) -> &'static str {
    if mode.is_some_and(FileMode::is_executable) { "100755" } else { "100644" }
}

/// A name as git writes it; a target has no other character that needs quotes.
fn name(prefix: &str, path: &RelPath) -> String {
    let path = path.as_str();
    if path.contains('"') {
        format!("\"{prefix}{}\"", path.replace('"', "\\\""))
    } else {
        format!("{prefix}{path}")
    }
}

#[cfg(test)]
mod tests {
    use exacta_core::read::parse::{Limits, patch as read};

    use super::*;

    #[test]
    fn a_file_goes_back_to_its_old_name_in_one_step() {
        let blob = |text: &str| Blob::new(text.as_bytes().to_vec());
        let path = |name: &str| RelPath::parse(name).unwrap();
        let change = |name: &str, before: bool, after: bool| Change {
            path: path(name),
            before: None,
            after: None,
            mode_before: before.then_some(FileMode::REGULAR),
            mode_after: after.then_some(FileMode::REGULAR),
            renamed_from: None,
            step: "step_1".into(),
        };
        let (old, new, cut) = (blob("1\n2\n"), blob("1\nzwei"), blob(""));
        let changes = [
            change("new name", true, false),
            change("old", false, true),
            change("other", true, true),
            change("empty", false, true),
            change("gone", true, false),
        ];
        let [goes, comes, other, empty, gone] = &changes;
        let parts = [
            Part { change: goes, before: Some(&new), after: None },
            Part { change: comes, before: None, after: Some(&old) },
            Part { change: other, before: Some(&old), after: Some(&new) },
            Part { change: empty, before: None, after: Some(&cut) },
            Part { change: gone, before: Some(&old), after: None },
        ];
        let renames = [(path("old"), path("new name"))];
        let text = patch("Undo run x", &parts, &renames).unwrap();
        let draft = read(&text, Limits::default())
            .unwrap_or_else(|found| panic!("{found:?}\n{}", String::from_utf8_lossy(&text)));
        let titles: Vec<_> = draft.steps.iter().filter_map(|step| step.title.clone()).collect();
        assert_eq!(
            titles,
            ["Create empty", "Delete gone", "Rename new name to old and modify it", "Modify other"]
        );
        assert_eq!(draft.goal.as_deref(), Some("Undo run x"));
        assert!(patch("Undo run x", &parts, &[]).is_none());
    }
}
