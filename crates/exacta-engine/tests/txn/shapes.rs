//! The plan shapes every suite runs over: a tree before, a tree after.

use std::collections::{BTreeMap, HashMap};

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;

use crate::tree::Spec;

/// One plan: files before and after; what is in neither list stays as it is.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) before: Vec<Spec>,
    pub(crate) after: Vec<Spec>,
}

pub(crate) fn file(path: &str, text: &str) -> Spec {
    with(path, text, 0o644, None)
}

fn with(path: &str, text: &str, mode: u32, attribute: Option<&'static str>) -> Spec {
    Spec { path: path.into(), bytes: text.into(), mode, attribute }
}

pub(crate) fn many(count: usize, text: &str) -> Vec<Spec> {
    (0..count)
        .map(|n| file(&format!("src/part{}/f{n}.rs", n % 4), &format!("{text} {n}\n")))
        .collect()
}

/// All shapes; each has a bystander that no plan may touch.
pub(crate) fn shapes() -> Vec<Shape> {
    let shape = |name, mut before: Vec<Spec>, mut after: Vec<Spec>| {
        before.push(with("keep/bystander", "mine", 0o600, Some("mine")));
        after.push(with("keep/bystander", "mine", 0o600, Some("mine")));
        Shape { name, before, after }
    };
    let mut mixed_before = many(12, "old");
    let mut mixed_after = many(12, "new");
    mixed_before.extend((0..4).map(|n| file(&format!("gone/{n}"), "bye")));
    mixed_after.extend((0..4).map(|n| file(&format!("fresh/{n}/x"), "hi")));
    vec![
        shape("create one", vec![], vec![file("a", "new")]),
        shape("create empty", vec![], vec![file("a", "")]),
        shape("modify one", vec![file("a", "old")], vec![file("a", "new")]),
        shape("modify to empty", vec![file("a", "old")], vec![file("a", "")]),
        shape("delete one", vec![file("a", "old")], vec![]),
        shape(
            "nested new folders",
            vec![],
            vec![file("n/e/s/t/ed", "deep"), file("n/e/other", "less deep")],
        ),
        shape(
            "mixed three",
            vec![file("m", "old"), file("d", "gone")],
            vec![file("m", "new"), file("c", "here")],
        ),
        shape(
            "modes only",
            vec![with("run.sh", "#!", 0o644, None), with("priv", "s", 0o640, None)],
            vec![with("run.sh", "#!", 0o755, None), with("priv", "s", 0o600, None)],
        ),
        shape(
            "attributes and odd modes",
            vec![with("t", "old", 0o4751, Some("tag")), with("r", "old", 0o400, Some("other"))],
            vec![with("t", "new", 0o4751, Some("tag")), with("r", "new", 0o400, Some("other"))],
        ),
        shape(
            "rename",
            vec![file("old/name", "same"), file("old/stays", "s")],
            vec![file("new/name", "same"), file("old/stays", "s")],
        ),
        shape(
            "swap two contents",
            vec![file("one", "1"), file("two", "2")],
            vec![file("one", "2"), file("two", "1")],
        ),
        shape("file becomes folder", vec![file("x", "file")], vec![file("x/y", "in folder")]),
        shape("ten files", many(10, "old"), many(10, "new")),
        shape("mixed twenty", mixed_before, mixed_after),
        shape("fifty files", many(50, "old"), many(50, "new")),
        shape("forty new files", vec![], many(40, "new")),
    ]
}

impl Shape {
    /// The changes from before to after, and the images they need.
    pub(crate) fn changes(&self) -> (Vec<Change>, HashMap<Digest, Blob>) {
        let before: BTreeMap<_, _> = self.before.iter().map(|f| (f.path.as_str(), f)).collect();
        let after: BTreeMap<_, _> = self.after.iter().map(|f| (f.path.as_str(), f)).collect();
        let mut changes = Vec::new();
        let mut images = HashMap::new();
        let mut paths: Vec<_> = before.keys().chain(after.keys()).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let (old, new) = (before.get(path), after.get(path));
            if old == new {
                continue;
            }
            let digest = |file: Option<&&Spec>| file.map(|f| Digest::of(&f.bytes));
            let mode = |file: Option<&&Spec>| file.map(|f| FileMode::from_raw(f.mode));
            if let Some(new) = new {
                let blob = Blob::new(new.bytes.clone());
                images.insert(blob.digest(), blob);
            }
            changes.push(Change {
                path: RelPath::parse(path).unwrap(),
                before: digest(old),
                after: digest(new),
                mode_before: mode(old),
                mode_after: mode(new),
                step: format!("step_{}", changes.len() + 1),
                renamed_from: None,
            });
        }
        (changes, images)
    }
}
