//! Where a run keeps its things in the state folder.
//!
//! `runs/` holds unsettled runs, `kept/` settled ones with the way back, `trash/` what
//! may be deleted without another look. Moving a run between them is one rename.

use crate::run::key::Key;
use crate::run::run_id::RunId;
use crate::workspace::Spot;

/// How many hexadecimal digits of the tag are part of a folder's name.
const TAG: usize = 32;

/// The state of a run, as the folder it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    Runs,
    Kept,
    Trash,
}

impl Shelf {
    pub(crate) const ALL: [Self; 3] = [Self::Runs, Self::Kept, Self::Trash];

    pub(crate) fn spot(self) -> Spot {
        Spot::state().within(match self {
            Self::Runs => "runs",
            Self::Kept => "kept",
            Self::Trash => "trash",
        })
    }

    /// The folder of a run on this shelf.
    pub(crate) fn of(self, run: &RunId, key: &Key) -> Spot {
        self.spot().within(&folder_name(run, key))
    }
}

/// A run's folder is named by the run and a tag only our key can make, so a folder that
/// came from elsewhere is never taken for ours.
fn folder_name(run: &RunId, key: &Key) -> String {
    let tag = key.sign("exacta/run-folder/v1", &[run.as_str().as_bytes()]);
    format!("{run}.{}", tag.get(..TAG).unwrap_or(&tag))
}

/// The run a folder belongs to; `None` when the name is not one of ours.
pub(crate) fn owner_of(name: &str, key: &Key) -> Option<RunId> {
    let run = RunId::parse(name.split_once('.')?.0).ok()?;
    (folder_name(&run, key) == name).then_some(run)
}

/// The manifest in a run's folder.
pub(crate) fn manifest_in(folder: &Spot) -> Spot {
    folder.within("manifest")
}
