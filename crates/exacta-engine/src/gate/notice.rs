//! What a command did besides what it was asked for, so that no door keeps it to itself.

use std::fmt;

use exacta_core::model::id::{PlanId, RunId};
use exacta_core::record::RunKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::handle::Gate;
use crate::log::LogError;

/// Something that whoever gave the command should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An interrupted run was finished or rolled back first.
    Recovered(Recovery),
    /// A run was rolled back, and that could not be put on the record.
    Unlisted(String),
    /// The operator's policy waits for a person's word.
    PolicyUnconfirmed {
        /// The folder where it lay before, if that is another one.
        noted_place: Option<String>,
    },
    /// Files that are derived from the record are missing and cannot be written.
    Missing(String),
    /// The command has happened, and something that is derived from the record is behind it.
    Behind(String),
}

/// An interrupted run that was finished or rolled back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recovery {
    /// The run.
    pub run_id: RunId,
    /// Its plan.
    pub plan_id: PlanId,
    /// What it was doing.
    #[serde(skip)]
    pub kind: RunKind,
    /// Whether it was finished; else it was rolled back.
    pub finished: bool,
    /// How many files it is about.
    pub files: usize,
    /// Files that keep somebody's edit.
    pub conflicts: Vec<String>,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run_id, plan_id, files, .. } = self;
        let what = match self.kind {
            RunKind::Plan => format!("run {run_id} of plan {plan_id}"),
            RunKind::Undo { .. } => format!("the undo {run_id} of plan {plan_id}"),
            RunKind::Redo { .. } => format!("the redo {run_id} of plan {plan_id}"),
        };
        let (way, end) = if self.finished {
            ("finished", "as it leaves them")
        } else {
            ("rolled back", "as they were before it")
        };
        let files = match files {
            1 => "1 file is".into(),
            count => format!("{count} files are"),
        };
        write!(f, "{what} was interrupted and is now {way}: {files} {end}")?;
        match self.conflicts.as_slice() {
            [] => Ok(()),
            kept => write!(f, ", except for later edits: {}", kept.join("; ")),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recovered(recovery) => recovery.fmt(f),
            Self::Unlisted(why) => write!(
                f,
                "how the run ended could not be put on the record: {why}; the next command that \
                 writes does it if the run had begun, and else the plan can be run again"
            ),
            Self::PolicyUnconfirmed { noted_place: None } => f.write_str(
                "the operator's policy file is looser than what was last confirmed; the stricter \
                 of both is in force",
            ),
            Self::PolicyUnconfirmed { noted_place: Some(_) } => f.write_str(
                "the operator's policy lies elsewhere than before; until it is confirmed the \
                 stricter of both is in force",
            ),
            Self::Missing(why) => write!(
                f,
                "files that are derived from the record are missing and cannot be written: {why}"
            ),
            Self::Behind(why) => write!(
                f,
                "this is on the record and counts, but {why}; the next command that writes \
                 brings what is derived from the record up to date"
            ),
        }
    }
}

impl Gate<'_> {
    /// Everything worth knowing beside the replies since this was last asked.
    pub fn take_notices(&self) -> Vec<Notice> {
        let behind = self.log.take_behind().into_iter();
        let behind = behind.map(|error: LogError| Notice::Behind(error.to_string()));
        let mut notices = self.notices.borrow_mut();
        notices.extend(behind);
        let told = self.told.replace(notices.len());
        notices.get(told..).unwrap_or_default().to_vec()
    }

    /// Every interrupted run that was finished or rolled back on the way.
    pub fn recovered(&self) -> Vec<Recovery> {
        let recovery = |notice: &Notice| match notice {
            Notice::Recovered(recovery) => Some(recovery.clone()),
            _ => None,
        };
        self.notices.borrow().iter().filter_map(recovery).collect()
    }

    /// Takes back what is not so any more and nobody was told yet.
    pub(super) fn retract(&self, is_over: impl Fn(&Notice) -> bool) {
        let mut notices = self.notices.borrow_mut();
        let told = self.told.get().min(notices.len());
        let open = notices.split_off(told);
        notices.extend(open.into_iter().filter(|notice| !is_over(notice)));
    }

    /// Keeps something that whoever gave the command should know.
    pub fn notice(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }
}
