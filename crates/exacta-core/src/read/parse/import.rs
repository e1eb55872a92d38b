//! A patch as a draft: each file of the patch becomes a step.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::draft::Limits;
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, Place};
use crate::model::digest::Blob;
use crate::model::path::{RelPath, fold_key};
use crate::model::plan::{Action, Draft, FileAction, Payload, Step};
use crate::read::diff::{FileOp, FilePatch, GitPatch, leads_to_a_patch};

/// Whether a text is meant as a patch, by its first line that is not empty. A plan is an
/// object or stands in a fence, so nothing is both.
#[must_use]
pub fn is_patch(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 8] =
        [b"diff -", b"--- ", b"Only in ", b"Index: ", b"@@ -", b"\x1b[", b"\xff\xfe", b"\xfe\xff"];
    let mut text = bytes;
    while let Some(rest) = text.strip_prefix(b"\n").or_else(|| text.strip_prefix(b"\r\n")) {
        text = rest;
    }
    // The name of a commit, long enough that it is not a word.
    let named = |word: &[u8]| {
        let hex = text.strip_prefix(word).unwrap_or_default();
        hex.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count() >= 7
    };
    STARTS.iter().any(|start| text.starts_with(start))
        || named(b"commit ")
        || named(b"From ")
        || leads_to_a_patch(text)
        || is_coloured(text)
}

/// Several patches as the text of one series, in the order given: each applies to what those
/// before it left. Also the line at which each of them begins in that text.
///
/// Every patch but the last has to end with a newline; a line that was cut off would run into
/// the next patch.
#[must_use]
pub fn series<'p>(patches: impl IntoIterator<Item = &'p [u8]>) -> (Vec<u8>, Vec<usize>) {
    /// What `format-patch` writes before a patch, for one that came without.
    const ENVELOPE: &str =
        "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n\n";
    let (mut text, mut starts, mut lines) = (Vec::new(), Vec::new(), 1);
    let mut add = |part: &[u8]| {
        text.extend_from_slice(part);
        lines += memchr::memchr_iter(b'\n', part).count();
        lines
    };
    for patch in patches {
        let blank = patch.iter().take_while(|byte| **byte == b'\n').count();
        let body = patch.get(blank..).unwrap_or_default();
        let bare = body.starts_with(b"diff --git ") || leads_to_a_patch(body);
        starts.push(add(if bare { ENVELOPE.as_bytes() } else { &[] }));
        add(patch);
    }
    (text, starts)
}

/// Whether sections of a patch stand in colours, and none stands without.
fn is_coloured(text: &[u8]) -> bool {
    const SECTION: &[u8] = b"diff --git ";
    let mut found = false;
    for line in text.split(|byte| *byte == b'\n') {
        if line.starts_with(SECTION) {
            return false;
        }
        let mut rest = line;
        while let Some(coded) = rest.strip_prefix(b"\x1b[") {
            let length = coded.iter().take_while(|b| b.is_ascii_digit() || **b == b';').count();
            let Some(behind) = coded.get(length..).and_then(|rest| rest.strip_prefix(b"m")) else {
                break;
            };
            rest = behind;
        }
        found |= rest.len() < line.len() && rest.starts_with(SECTION);
    }
    found
}

/// Reads a patch into a draft: the output of `git diff`, `git show`, `git format-patch` or
/// `diff -u`. A series becomes one draft.
///
/// The steps are independent of each other, except that a file made under a name that a
/// rename or a deletion frees waits for that. Names that some systems take for one count as
/// one, so that a patch may change the case of a name.
///
/// # Errors
/// Everything in the patch that cannot be imported, with line and column of the patch.
pub fn patch(bytes: &[u8], limits: Limits) -> Result<Draft, Vec<Issue>> {
    if bytes.len() > limits.raw_bytes {
        let message = format!("the patch is larger than {} bytes", limits.raw_bytes);
        return Err(vec![
            Issue::error(Code::PlanTooLarge, "raw_size", message).help("split the patch"),
        ]);
    }
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "this is JSON, not a patch")
                .place(1, 1)
                .help("hand in a plan without `--patch`"),
        ]);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "the patch is UTF-16, not UTF-8")
                .place(1, 1)
                .help("let git write the file itself: `git diff --output=FILE`"),
        ]);
    }
    if bytes.trim_ascii_start().starts_with(b"\x1b[") || is_coloured(bytes) {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "the patch has colours in it")
                .place(1, 1)
                .help(
                    "make it with `--no-color`, as in `git diff --no-color`; `color.ui = always` in \
                     git's settings does this, `auto` would not",
                ),
        ]);
    }
    let mut patch = GitPatch::parse(bytes).map_err(|faults| {
        faults
            .iter()
            .map(|fault| {
                Issue::error(fault.code(), "patch", format!("{fault}"))
                    .place(fault.line(), fault.column())
                    .help(fault.help())
            })
            .collect::<Vec<_>>()
    })?;
    // However the patch was made, its files come in one order.
    patch.files.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
    let mut draft = Draft::empty();
    draft.goal = goal(&patch.subjects);
    let waits: Vec<Vec<String>> = Waits::of(&patch.files).all();
    for (index, (file, waits_for)) in patch.files.into_iter().zip(waits).enumerate() {
        draft.steps.push(Step {
            step_id: step_id(index),
            title: Some(title(&file)),
            description: None,
            order: None,
            dependencies: Some(waits_for),
            requires_approval: None,
            risk_tier: None,
            action: Action::File(FileAction {
                target: file.path.as_str().into(),
                payload: Payload::Patch(file),
                mode: None,
            }),
        });
    }
    draft.patch = Some(Blob::new(bytes.to_vec()));
    Ok(draft)
}

fn step_id(index: usize) -> String {
    format!("step_{}", index + 1)
}

/// What the messages around a patch say it is for.
fn goal(subjects: &[String]) -> Option<String> {
    /// What `format-patch --cover-letter` writes until somebody puts a subject there.
    const BLANK: &str = "*** SUBJECT HERE ***";
    let said: Vec<&String> = subjects.iter().filter(|subject| *subject != BLANK).collect();
    match said.as_slice() {
        [] => None,
        [only] => Some((*only).clone()),
        [first, _] => Some(format!("{first} (and 1 more patch)")),
        [first, more @ ..] => Some(format!("{first} (and {} more patches)", more.len())),
    }
}

/// Which files of a patch must come before which.
struct Waits<'p> {
    files: &'p [FilePatch],
    /// Names that become free, with the place of the file that frees them.
    freed: BTreeMap<String, usize>,
    /// Files that others are made from, with the places of those.
    copied: BTreeMap<&'p RelPath, Vec<usize>>,
}

impl<'p> Waits<'p> {
    fn of(files: &'p [FilePatch]) -> Self {
        let mut waits = Self { files, freed: BTreeMap::new(), copied: BTreeMap::new() };
        for (index, file) in files.iter().enumerate() {
            if let Some(gone) = gone(file) {
                waits.freed.insert(fold_key(gone.as_str()).into_owned(), index);
            }
            if let Some(from) = file.copied_from() {
                waits.copied.entry(from).or_default().push(index);
            }
        }
        waits
    }

    fn all(&self) -> Vec<Vec<String>> {
        self.files.iter().enumerate().map(|(index, file)| self.of_file(index, file)).collect()
    }

    /// A name must be free before it is taken, and a file copied before it changes.
    fn of_file(&self, index: usize, file: &FilePatch) -> Vec<String> {
        let free = self
            .freed
            .get(&*fold_key(file.path.as_str()))
            .filter(|step| **step != index && file.op != FileOp::Delete);
        let touched = [Some(&file.path), file.renamed_from()].into_iter().flatten();
        let copies = touched.filter_map(|path| self.copied.get(path)).flatten();
        let mut before: Vec<usize> = free.into_iter().chain(copies).copied().collect();
        before.sort_unstable();
        before.dedup();
        before.into_iter().filter(|step| *step != index).map(step_id).collect()
    }
}

/// The name that nothing has after the patch.
fn gone(file: &FilePatch) -> Option<&RelPath> {
    match &file.op {
        FileOp::Rename { from } => Some(from),
        FileOp::Delete => Some(&file.path),
        FileOp::Create | FileOp::Modify | FileOp::Copy { .. } => None,
    }
}

/// What a section does: a patch has no words of its own.
fn title(file: &FilePatch) -> String {
    let path = &file.path;
    match &file.op {
        FileOp::Create => format!("Create {path}"),
        FileOp::Modify if !file.changes_content() => format!("Change the mode of {path}"),
        FileOp::Modify => format!("Modify {path}"),
        FileOp::Delete => format!("Delete {path}"),
        FileOp::Rename { from } if file.changes_content() => {
            format!("Rename {from} to {path} and modify it")
        }
        FileOp::Rename { from } => format!("Rename {from} to {path}"),
        FileOp::Copy { from } if file.changes_content() => {
            format!("Copy {from} to {path} and modify it")
        }
        FileOp::Copy { from } => format!("Copy {from} to {path}"),
    }
}

/// Fills in `place` for every finding about a step of an imported patch: the line at which
/// the section of its file starts.
pub fn locate_patch(draft: &Draft, issues: &mut [Issue]) {
    for issue in issues.iter_mut().filter(|issue| issue.place.is_none()) {
        let mut tokens = issue.pointer.tokens();
        let index = match (tokens.next().as_deref(), tokens.next()) {
            (Some("steps"), Some(index)) => index.parse::<usize>().ok(),
            _ => None,
        };
        let named = issue.step_id.as_deref();
        let step = match index {
            Some(index) => draft.steps.get(index),
            None => named.and_then(|id| draft.steps.iter().find(|step| step.step_id == id)),
        };
        if let Some(Action::File(FileAction { payload: Payload::Patch(section), .. })) =
            step.map(|step| &step.action)
        {
            issue.place = Some(Place { line: section.line(), column: 1 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_patch_or_a_plan_by_its_first_line() {
        for text in [
            "diff --git a/x b/x\n",
            "\n\ndiff -ru a/x b/x\n",
            "--- a/x\n",
            "commit 0123456789abcdef\n",
            "From 0123456789abcdef Mon Sep 17\n",
            "Only in b: x\n",
            " x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/x b/x\n",
            " x | 2 \x1b[32m+\x1b[m\n\n\x1b[1mdiff --git a/x b/x\x1b[m\n",
            "\x1b[1;33mcommit 0123456789abcdef\x1b[m\n",
        ] {
            assert!(is_patch(text.as_bytes()), "{text}");
        }
        for text in [
            "{\"steps\": []}",
            "```json\n{}\n```\n",
            "---\ntitle: x\n",
            "From the plan:\n",
            "commit to this\n",
            "Here it is:\n\ndiff --git a/x b/x\n",
            " x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
            " x | 2 +-\n\nand\n\ndiff --git a/x b/x\n",
            "",
        ] {
            assert!(!is_patch(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn patches_become_one_series_and_each_knows_where_it_begins() {
        let section = |file: &str, from: &str, to: &str| {
            format!(
                "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-{from}\n+{to}\n"
            )
        };
        let mail = format!(
            "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n\
             Subject: [PATCH] say it\n\n---\n{}-- \n2.47.3\n\n",
            section("y", "1", "2")
        );
        let counted = format!(" x | 2 +-\n\n{}", section("x", "b", "c"));
        let parts = [section("x", "a", "b"), mail, counted];
        let (text, starts) = series(parts.iter().map(String::as_bytes));
        let lines: Vec<&str> = core::str::from_utf8(&text).unwrap().lines().collect();
        for (start, part) in starts.iter().zip(&parts) {
            assert_eq!(lines[start - 1], part.lines().next().unwrap());
        }
        let draft = patch(&text, Limits::default()).unwrap();
        let titles: Vec<_> = draft.steps.iter().filter_map(|step| step.title.as_deref()).collect();
        assert_eq!(titles, ["Modify x", "Modify y"]);
        assert_eq!(draft.goal.as_deref(), Some("say it"));
    }

    #[test]
    fn colours_are_named_wherever_they_begin() {
        for text in [
            "\x1b[1mdiff --git a/x b/x\x1b[m\n",
            "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n\n\
             \x1b[1mdiff --git a/x b/x\x1b[m\n",
            " x | 2 \x1b[32m+\x1b[m\n\n\x1b[1;31m\x1b[4mdiff --git a/x b/x\x1b[m\n",
        ] {
            let issues = patch(text.as_bytes(), Limits::default()).unwrap_err();
            assert!(issues[0].message.contains("colours"), "{text:?}: {issues:?}");
        }
        // A section of its own is read, whatever its content looks like.
        let text =
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\x1b[1mdiff --git a/x b/x\n";
        assert!(patch(text.as_bytes(), Limits::default()).is_ok());
    }

    #[test]
    fn files_come_in_the_order_of_their_names_and_are_copied_before_they_change() {
        let body = "index 1111111..2222222 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
        let text = format!(
            "diff --git a/a b/z\nsimilarity index 100%\ncopy from a\ncopy to z\n\
             diff --git a/m b/k\nsimilarity index 100%\nrename from m\nrename to k\n\
             diff --git a/a b/a\n{body}"
        );
        let draft = patch(text.as_bytes(), Limits::default()).unwrap();
        let steps: Vec<_> = draft
            .steps
            .iter()
            .map(|step| (step.title.clone().unwrap(), step.dependencies.clone().unwrap()))
            .collect();
        assert_eq!(
            steps,
            [
                ("Modify a".into(), vec!["step_3".into()]),
                ("Rename m to k".into(), vec![]),
                ("Copy a to z".into(), Vec::<String>::new()),
            ]
        );
    }

    #[test]
    fn the_messages_of_a_series_are_the_goal() {
        let names = |count: usize| -> Vec<String> { (0..count).map(|n| format!("p{n}")).collect() };
        assert_eq!(goal(&names(0)), None);
        assert_eq!(goal(&names(1)).as_deref(), Some("p0"));
        assert_eq!(goal(&names(3)).as_deref(), Some("p0 (and 2 more patches)"));
        let cover = [vec!["*** SUBJECT HERE ***".into()], names(2)].concat();
        assert_eq!(goal(&cover).as_deref(), Some("p0 (and 1 more patch)"));
    }
}
