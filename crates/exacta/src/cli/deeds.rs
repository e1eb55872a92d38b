//! What a yes does to files, in the question before it and in the answer after it.

use exacta_core::model::change::{Change, NetChange, Op, net};
use exacta_core::model::path::RelPath;
use exacta_core::text::shown::visible;
use exacta_engine::run::ReceiptFile;

use crate::render::{self, Deed};

/// What happens to files that go, that stay and that come: before it is done, and after.
pub(super) struct Words {
    pub(super) before: [&'static str; 3],
    pub(super) after: [&'static str; 3],
}

/// Of an undo.
pub(super) const BACK: Words = Words {
    before: ["remove", "restore", "bring back"],
    after: ["removed", "restored", "brought back"],
};
/// Of everything else.
pub(super) const FORTH: Words =
    Words { before: ["delete", "change", "create"], after: ["deleted", "changed", "created"] };

/// The three things, in the order of the words.
const KINDS: [Op; 3] = [Op::Delete, Op::Modify, Op::Create];

/// A line for each thing that happens, with the name of every file; the words are for files
/// that go, that stay and that come.
pub(super) fn deeds(changes: &[Change], words: [&str; 3]) -> String {
    let net = net(changes);
    let (mut renamed, mut others) = (Vec::new(), Vec::new());
    for deed in render::deeds(&net) {
        match deed {
            Deed::Rename(old, new) => renamed.push(becomes(old, new)),
            Deed::Other(file) => others.push(file),
        }
    }
    let line = |word: &str, names: Vec<String>| {
        let files = if names.len() == 1 { "file" } else { "files" };
        let counted = format!("  {word} {} {files}: {}", names.len(), summed(&names).join(", "));
        (!names.is_empty()).then_some(counted)
    };
    let others = KINDS.into_iter().zip(words).map(|(op, word)| {
        let files = others.iter().filter(|file| file.op == op);
        line(
            word,
            files.map(|file| format!("{}{}", named(&file.path), mode(file, changes))).collect(),
        )
    });
    let renamed = line("rename", renamed);
    let lines: Vec<String> = std::iter::once(renamed).chain(others).flatten().collect();
    if lines.is_empty() { "  no file changes".into() } else { lines.join("\n") }
}

/// Past this many items a report sums up.
pub(super) const MOST_NAMED: usize = 10;

/// The first items, and how many more there are.
pub(super) fn summed(items: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = items.iter().take(MOST_NAMED).cloned().collect();
    if let Some(more) = items.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown
}

/// A line for each file that something happened to; the words are those of the question.
pub(super) fn done(changes: &[Change], words: [&str; 3]) -> Vec<String> {
    let net = net(changes);
    let lines = render::deeds(&net).into_iter().map(|deed| match deed {
        Deed::Rename(old, new) => format!("  renamed {}", becomes(old, new)),
        Deed::Other(file) => {
            let word = KINDS.into_iter().zip(words).find(|(op, _)| *op == file.op);
            let word = word.map_or("changed", |(_, word)| word);
            format!("  {word} {}", named(&file.path))
        }
    });
    let lines: Vec<String> = lines.collect();
    match lines.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        None => lines,
        Some(more) => {
            let first = lines.into_iter().take(MOST_NAMED);
            first.chain([format!("  and {more} more files")]).collect()
        }
    }
}

/// A name among others: in backticks where it could be taken for more than one.
fn named(path: &RelPath) -> String {
    let name = visible(path.as_str().as_bytes());
    if name.contains([' ', ',', '(', '`']) { format!("`{name}`") } else { name }
}

/// The permission bits of a file, where they change or let it be executed from now on.
fn mode(file: &NetChange, changes: &[Change]) -> String {
    let before = changes.iter().find(|change| change.path == file.path);
    match (file.op, before.and_then(|change| change.mode_before), file.mode) {
        (Op::Modify, Some(before), Some(after)) if before != after => {
            format!(" (mode {before} becomes {after})")
        }
        (Op::Create, _, Some(mode)) if mode.is_executable() => format!(" (mode {mode})"),
        _ => String::new(),
    }
}

fn becomes(old: &NetChange, new: &NetChange) -> String {
    render::becomes(&old.path, &new.path, crate::paint::becomes())
}

/// Whether there can be a rename among these changes: one file goes, another comes.
pub(super) fn may_rename(changes: &[Change]) -> bool {
    changes.iter().any(|change| change.before.is_none())
        && changes.iter().any(|change| change.after.is_none())
}

/// What happened to a file.
pub(super) fn change(file: &ReceiptFile) -> Change {
    Change {
        path: file.path.clone(),
        before: file.before,
        after: file.after,
        mode_before: file.mode_before,
        mode_after: file.mode_after,
        renamed_from: None,
        step: file.step.clone(),
    }
}

/// Tells changes that go back or forth again which of them are renames: those of the plan,
/// in the direction that these changes have.
pub(super) fn name_renames(changes: &mut [Change], plan: &[Change]) {
    let renames = plan.iter().filter_map(|new| Some((new.renamed_from.as_ref()?, &new.path)));
    for (from, to) in renames.flat_map(|(old, new)| [(old, new), (new, old)]) {
        let gone = |change: &Change| change.path == *from && change.after.is_none();
        let come = |change: &&mut Change| change.path == *to && change.before.is_none();
        if changes.iter().any(gone)
            && let Some(change) = changes.iter_mut().find(come)
        {
            change.renamed_from = Some(RelPath::clone(from));
        }
    }
}

#[cfg(test)]
mod tests {
    use exacta_core::model::digest::Digest;

    use super::*;

    fn change(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Change {
        Change {
            path: RelPath::parse(path).unwrap(),
            before: before.map(Digest::of),
            after: after.map(Digest::of),
            mode_before: None,
            mode_after: None,
            renamed_from: None,
            step: "step_1".into(),
        }
    }

    #[test]
    fn a_rename_is_one_in_every_direction_and_in_question_and_answer() {
        let new = change("new", None, Some(b"2"));
        let plan = [
            change("old", Some(b"1"), None),
            Change { renamed_from: Some(RelPath::parse("old").unwrap()), ..new },
            change("other", Some(b"1"), Some(b"2")),
        ];
        let asked = deeds(&plan, FORTH.before);
        assert_eq!(asked.replace("->", "→"), "  rename 1 file: old → new\n  change 1 file: other");
        let mut back = [
            change("new", Some(b"2"), None),
            change("old", None, Some(b"1")),
            change("other", Some(b"2"), Some(b"1")),
        ];
        let before = deeds(&back, BACK.before);
        assert!(before.starts_with("  remove 1 file: new\n"), "{before}");
        name_renames(&mut back, &plan);
        let asked = deeds(&back, BACK.before);
        assert_eq!(asked.replace("->", "→"), "  rename 1 file: new → old\n  restore 1 file: other");
        let told = done(&back, BACK.after).join("\n");
        assert_eq!(told.replace("->", "→"), "  renamed new → old\n  restored other");
        assert_eq!(deeds(&[], BACK.before), "  no file changes");
    }

    #[test]
    fn modes_are_told_and_names_cannot_run_together() {
        use exacta_core::model::change::FileMode;
        let mut run = change("run", Some(b"1"), Some(b"1"));
        (run.mode_before, run.mode_after) = (Some(FileMode::REGULAR), Some(FileMode::EXECUTABLE));
        let mut tool = change("tool", None, Some(b"1"));
        tool.mode_after = Some(FileMode::EXECUTABLE);
        let plan = [run, tool, change("a.md, b.md", None, Some(b"1"))];
        assert_eq!(
            deeds(&plan, FORTH.before),
            "  change 1 file: run (mode 0644 becomes 0755)\n  create 2 files: `a.md, b.md`, tool (mode 0755)"
        );
    }
}
