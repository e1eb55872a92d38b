//! Plans to review.

use std::collections::BTreeMap;
use std::time::Duration;

use exacta_core::judge::examine::{Examined, Verdict};
use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::Draft;
use exacta_core::review::Subject;
use exacta_testkit::Check;

use crate::paint::Look;
use crate::review::show;

/// Everything that a review borrows.
pub(super) struct Sample {
    pub(super) draft: Draft,
    pub(super) changes: Vec<Change>,
    pub(super) images: BTreeMap<Digest, Blob>,
    pub(super) examined: Examined,
    pub(super) intent: Option<String>,
    pub(super) stale: Option<String>,
}

impl Sample {
    /// A draft examined on files in memory; it must be sound.
    pub(super) fn of(check: &Check, text: &str) -> Self {
        let examined = check.sound(text);
        let Verdict::Sound(plan) = &examined.verdict else { panic!("not sound") };
        let digests = plan.changes().iter().flat_map(|change| [change.before, change.after]);
        let images = digests.flatten().filter_map(|d| Some((d, plan.image(&d)?.clone())));
        Self {
            draft: plan.draft().clone(),
            changes: plan.changes().to_vec(),
            images: images.collect(),
            intent: check.context.intent.clone(),
            stale: None,
            examined,
        }
    }

    /// Changes that no draft made: `(path, before, after)`, each with a mode.
    pub(super) fn of_changes<'a>(
        changes: impl IntoIterator<Item = (&'a str, Option<(Vec<u8>, u32)>, Option<(Vec<u8>, u32)>)>,
    ) -> Self {
        let check = Check::on([("a.txt", "one\n")]);
        let mut sample = Self::of(&check, ONE_LINE);
        sample.changes.clear();
        for (index, (path, before, after)) in changes.into_iter().enumerate() {
            let mut keep = |image: Option<(Vec<u8>, u32)>| {
                let (bytes, mode) = image?;
                let blob = Blob::new(bytes);
                let digest = blob.digest();
                sample.images.insert(digest, blob);
                Some((digest, FileMode::from_raw(mode)))
            };
            let (before, after) = (keep(before), keep(after));
            sample.changes.push(Change {
                path: RelPath::parse(path).expect("a path"),
                before: before.map(|(digest, _)| digest),
                after: after.map(|(digest, _)| digest),
                mode_before: before.map(|(_, mode)| mode),
                mode_after: after.map(|(_, mode)| mode),
                renamed_from: None,
                step: format!("step_{}", index + 1),
            });
        }
        sample
    }

    /// Lends the plan out.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(&Subject<'_>) -> T) -> T {
        use_it(&Subject {
            plan_id: "0193-plan",
            plan_hash: Digest::of(b"plan"),
            intent: self.intent.as_deref(),
            proposer: Some("agent-7"),
            draft: &self.draft,
            changes: &self.changes,
            image: &|digest| self.images.get(digest).cloned(),
            examined: &self.examined,
            expires_in: Some(Duration::from_secs(29 * 60 + 5)),
            stale: self.stale.as_deref(),
        })
    }

    /// The whole review.
    pub(super) fn shown(&self, look: Look) -> String {
        self.with(|plan| {
            let mut out = Vec::new();
            show(plan, look, &mut out).expect("a vector takes everything");
            String::from_utf8(out).expect("UTF-8")
        })
    }
}

/// A change of one line.
pub(super) const ONE_LINE: &str = r#"{"steps": [
    {"step_id": "step_1", "title": "Say two", "type": "file_modify", "target": "a.txt",
     "requires_approval": true, "edits": [{"old": "one", "new": "two"}]}]}"#;

/// Four steps: the third needs the first, the fourth needs the third.
pub(super) const FOUR_STEPS: &str = r#"{"steps": [
    {"step_id": "step_1", "title": "a", "dependencies": [], "type": "file_create", "target": "src/a.txt", "content": "a\n", "requires_approval": true},
    {"step_id": "step_2", "title": "b", "dependencies": [], "type": "file_create", "target": "src/b.txt", "content": "b\n"},
    {"step_id": "step_3", "title": "c", "dependencies": ["step_1"], "type": "file_create", "target": "src/c.txt", "content": "c\n"},
    {"step_id": "step_4", "title": "d", "dependencies": ["step_3"], "type": "file_create", "target": "src/d.txt", "content": "d\n"}]}"#;
