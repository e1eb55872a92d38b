//! What a run leaves in the hands of its caller.

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::run::manifest::{Item, Manifest, Work};
use crate::run::roll::Conflict;
use crate::run::run_id::RunId;
use crate::workspace::Image;

/// Proof that a run completed and will survive a power loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a receipt is what the caller shows for the run"]
pub struct Receipt {
    /// The run.
    pub run: RunId,
    /// The hash of its manifest, which the journal names.
    pub manifest: Digest,
    /// What happened to each file, in path order of the plan.
    pub files: Vec<ReceiptFile>,
    /// Folders the run made, outermost first.
    pub folders: Vec<RelPath>,
    /// Files that some program had open and wrote to after they were swapped out. What
    /// it wrote is not in the project; it is kept with the run.
    pub late_edits: Vec<RelPath>,
}

/// One file of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReceiptFile {
    /// The file.
    pub path: RelPath,
    /// The steps that changed it.
    pub step: String,
    /// Its bytes before.
    pub before: Option<Digest>,
    /// Its bytes after.
    pub after: Option<Digest>,
    /// Its permission bits before.
    pub mode_before: Option<FileMode>,
    /// Its permission bits after.
    pub mode_after: Option<FileMode>,
}

impl Receipt {
    pub(crate) fn of(manifest: &Manifest, digest: Digest, late_edits: Vec<RelPath>) -> Self {
        let made = |item: &&Item| matches!(item.work, Work::PlaceFolder { .. });
        Self {
            run: manifest.run.clone(),
            manifest: digest,
            files: manifest.items.iter().filter(|i| !i.is_folder()).map(ReceiptFile::of).collect(),
            folders: manifest.items.iter().filter(made).map(|i| i.path.clone()).collect(),
            late_edits,
        }
    }
}

impl ReceiptFile {
    fn of(item: &Item) -> Self {
        let digest = |image: Option<Image>| image.map(|image| image.digest);
        let mode = |image: Option<Image>| image.map(|image| image.mode);
        let (before, after) = (item.before(), item.after());
        Self {
            path: item.path.clone(),
            step: item.step.clone(),
            before: digest(before),
            after: digest(after),
            mode_before: mode(before),
            mode_after: mode(after),
        }
    }
}

/// Proof that a run was rolled back and will stay so through a power loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "conflicts must be reported"]
pub struct RolledBack {
    /// The run.
    pub run: RunId,
    /// Targets that keep a user's edit; both images are kept.
    pub conflicts: Vec<Conflict>,
}

/// What recovery found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "conflicts and foreign runs must be reported"]
pub struct Recovered {
    /// Runs that were finished, as the journal said.
    pub finished: Vec<RunId>,
    /// Runs that were rolled back.
    pub aborted: Vec<RunId>,
    /// Runs of ours whose manifest is torn: nothing of theirs was acted on, and their
    /// folder is kept.
    pub torn: Vec<RunId>,
    /// Names in the runs folder that are not ours; left alone.
    pub foreign: Vec<String>,
    /// Targets that keep a user's edit, with the run they belong to.
    pub conflicts: Vec<(RunId, Conflict)>,
    /// Files derived from the record that were missing and are there again.
    pub rebuilt: Vec<String>,
}

impl Recovered {
    /// Whether there was nothing to do.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}
