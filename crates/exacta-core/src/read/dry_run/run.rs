//! The walk over all file steps.

use alloc::vec::Vec;

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use super::compare::Comparisons;
use super::edit;
use super::step::{self, At};
use super::totals::Totals;
use crate::judge::policy::Caps;
use crate::model::change::Change;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::plan::{Action, Draft, FileAction, Payload};
use crate::model::tree::{Tree, TreeFault, TreeFile};
use crate::text::pointer::Pointer;

/// How many bytes all edits of a plan may search through. Every edit reads its whole
/// file, so many edits of large files would take for ever.
const MAX_EDIT_WORK: u64 = 4 << 30;

/// Everything a dry run finds out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRun {
    /// One change per step and file, in execution order.
    pub changes: Vec<Change>,
    /// Every image that a change names.
    pub images: HashMap<Digest, Blob>,
    /// Sums.
    pub totals: Totals,
    /// How many lines differ between the images of each change.
    pub comparisons: Comparisons,
}

/// A file while steps are applied to it.
enum State {
    /// As far as known now; `None` when absent.
    Known(Option<TreeFile>),
    /// A step on it failed; later steps on it are not judged.
    Failed,
}

/// Applies the file steps of `draft` in `order`; `paths` are their parsed targets.
///
/// Every step that fails gets a finding; steps on other files go on.
pub fn dry_run(
    draft: &Draft,
    order: &[usize],
    paths: &[Option<RelPath>],
    tree: &dyn Tree,
    caps: &Caps,
    issues: &mut Vec<Issue>,
) -> DryRun {
    let mut run = Run {
        tree,
        files: HashMap::with_capacity(order.len()),
        edit_work: 0,
        held_bytes: 0,
        out: DryRun::default(),
    };
    // Counted before any file is read.
    let distinct = paths.iter().flatten().collect::<HashSet<_>>().len() as u64;
    if distinct > caps.max_files {
        let cap = caps.max_files;
        issues.push(
            Issue::error(
                Code::PlanFileCapExceeded,
                "max_files",
                format!("the plan needs {distinct} files; {cap} is the cap"),
            )
            .at(Pointer::root().key("steps"))
            .help("split the plan, or let the operator raise `caps.max_files`"),
        );
        return run.out;
    }
    for &index in order {
        let (Some(step), Some(Some(path))) = (draft.steps.get(index), paths.get(index)) else {
            continue;
        };
        let Action::File(action) = &step.action else { continue };
        if let Err(found) = run.step(index, &step.step_id, action, path) {
            issues.extend(found.into_iter().map(|issue| issue.step(step.step_id.clone())));
        }
        if run.out.totals.image_bytes.max(run.held_bytes) > caps.max_image_bytes {
            issues.push(
                Issue::error(
                    Code::PlanTooLarge,
                    "image_bytes",
                    format!(
                        "the files before and after the plan have more than {} bytes",
                        caps.max_image_bytes
                    ),
                )
                .step(step.step_id.clone())
                .at(Draft::step_pointer(index))
                .help("split the plan"),
            );
            break;
        }
    }
    let Run { mut out, .. } = run;
    out.totals.count_files(&out.changes);
    out
}

struct Run<'a> {
    tree: &'a dyn Tree,
    files: HashMap<RelPath, State>,
    edit_work: u64,
    /// Bytes of all images kept, before and after.
    held_bytes: u64,
    out: DryRun,
}

impl Run<'_> {
    /// No finding in the error when an earlier failure on the same file has its own.
    fn step(
        &mut self,
        index: usize,
        step_id: &str,
        action: &FileAction,
        path: &RelPath,
    ) -> Result<(), Vec<Issue>> {
        let at = At(index);
        let (renamed_from, copied_from) = match &action.payload {
            Payload::Patch(section) => (section.renamed_from(), section.copied_from()),
            _ => (None, None),
        };
        let target = self
            .look(path)
            .map_err(|fault| fault.map(|f| refused(path, &f).at(at.pointer().key("target"))))
            .map_err(Vec::from_iter)?;
        let mut source = None;
        let outcome = match renamed_from.or(copied_from) {
            None if self.too_many_edits(action, target.as_ref()) => Err(vec![
                Issue::error(
                    Code::PlanTooLarge,
                    "edits",
                    format!("the plan's edits of large files add up to too much, here on `{path}`"),
                )
                .at(at.pointer().key("edits"))
                .help("give the whole new file as `content`, or a `diff`"),
            ]),
            None => step::apply(action, path, target.as_ref(), at),
            Some(_) if target.is_some() => Err(vec![
                Issue::error(Code::FileExists, "create", format!("`{path}` already exists"))
                    .at(at.pointer().key("target"))
                    .help("rename or copy to a free name"),
            ]),
            Some(from) => {
                source = self
                    .look(from)
                    .map_err(|fault| {
                        fault.map(|f| refused(from, &f).at(at.pointer().key("target")))
                    })
                    .map_err(Vec::from_iter)?;
                let made = step::apply(action, path, source.as_ref(), at);
                if made.is_ok() && renamed_from.is_some() {
                    self.leave(from, source.clone(), step_id);
                }
                made
            }
        };
        match outcome {
            Ok(after) => {
                let renamed = renamed_from.cloned().zip(source);
                self.record(path, target, after, step_id, renamed);
                Ok(())
            }
            Err(found) => {
                self.files.insert(path.clone(), State::Failed);
                Err(found)
            }
        }
    }

    /// Counts what the edits of a step have to read; true when it is too much.
    fn too_many_edits(&mut self, action: &FileAction, target: Option<&TreeFile>) -> bool {
        if let (Payload::Edit(edits), Some(file)) = (&action.payload, target) {
            let work = edit::work(file.blob.bytes().len(), edits);
            self.edit_work = self.edit_work.saturating_add(work);
        }
        self.edit_work > MAX_EDIT_WORK && matches!(action.payload, Payload::Edit(_))
    }

    /// The file as the steps so far have left it.
    fn look(&mut self, path: &RelPath) -> Result<Option<TreeFile>, Option<TreeFault>> {
        match self.files.get(path) {
            Some(State::Known(file)) => return Ok(file.clone()),
            Some(State::Failed) => return Err(None),
            None => {}
        }
        self.tree.look(path).map_err(|fault| {
            self.files.insert(path.clone(), State::Failed);
            Some(fault)
        })
    }

    /// Records that a file is not under its old name any more. What that means for lines and
    /// bytes is counted under the new one.
    fn leave(&mut self, from: &RelPath, before: Option<TreeFile>, step_id: &str) {
        let Some(before) = before else { return };
        self.out.changes.push(Change {
            path: from.clone(),
            before: Some(before.blob.digest()),
            after: None,
            mode_before: Some(before.mode),
            mode_after: None,
            step: step_id.into(),
            renamed_from: None,
        });
        self.out.totals.see(Some(&before.blob));
        self.hold(before);
        self.files.insert(from.clone(), State::Known(None));
    }

    /// Keeps an image, once.
    fn hold(&mut self, file: TreeFile) {
        if let Entry::Vacant(free) = self.out.images.entry(file.blob.digest()) {
            self.held_bytes += file.blob.bytes().len() as u64;
            free.insert(file.blob);
        }
    }

    fn record(
        &mut self,
        path: &RelPath,
        before: Option<TreeFile>,
        after: Option<TreeFile>,
        step_id: &str,
        renamed: Option<(RelPath, TreeFile)>,
    ) {
        let (renamed_from, source) = renamed.unzip();
        let image = |file: &Option<TreeFile>| file.as_ref().map(|file| file.blob.digest());
        let mode = |file: &Option<TreeFile>| file.as_ref().map(|file| file.mode);
        self.out.changes.push(Change {
            path: path.clone(),
            before: image(&before),
            after: image(&after),
            mode_before: mode(&before),
            mode_after: mode(&after),
            step: step_id.into(),
            renamed_from,
        });
        let blob = |file: &'_ Option<TreeFile>| file.as_ref().map(|file| file.blob.clone());
        let DryRun { totals, comparisons, .. } = &mut self.out;
        let (old, new, source) = (blob(&before), blob(&after), blob(&source));
        totals.add(old.as_ref(), new.as_ref(), source.as_ref(), comparisons);
        for file in before.into_iter().chain(after.clone()) {
            self.hold(file);
        }
        self.files.insert(path.clone(), State::Known(after));
    }
}

fn refused(path: &RelPath, fault: &TreeFault) -> Issue {
    let help = match fault {
        TreeFault::Symlink(_) => "name the file itself; links are never followed",
        TreeFault::NotAFolder(_) | TreeFault::Folder => {
            "choose a path that is free or a regular file"
        }
        TreeFault::Special(_) => "only regular files can be changed",
        TreeFault::HardLinked(_) => {
            "break the link first (copy the file over itself); a change would show under another name"
        }
        TreeFault::OtherDevice => "run the gate in the project that the file belongs to",
        TreeFault::TooLarge { .. } => "change the file by other means",
        TreeFault::Unreadable(_) => "make the file readable for the user of the gate",
    };
    Issue::error(Code::FileRefused, "PV-4", format!("`{path}` cannot be a target: {fault}"))
        .help(help)
}
