//! What a command did besides what it was asked for, so that no door keeps it to itself.

use std::fmt;

use exacta_core::record::RunKind;

use super::handle::Gate;
use crate::log::LogError;

/// Something that whoever gave the command should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An interrupted run was brought to one side first.
    Settled(Settled),
    /// A run went back, and that could not be said on the record.
    Unlisted(String),
    /// Files that are derived from the record are missing and cannot be written.
    Missing(String),
    /// The command has happened, and something that is derived from the record is behind it.
    Behind(String),
}

/// How an interrupted run was brought to one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The run.
    pub run_id: String,
    /// The plan it belongs to.
    pub plan_id: String,
    /// What it was doing.
    pub kind: RunKind,
    /// Whether it was brought to its end; else it was taken back.
    pub finished: bool,
    /// How many files it is about.
    pub files: usize,
    /// Files that keep somebody's edit.
    pub conflicts: Vec<String>,
}

impl fmt::Display for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run_id, plan_id, files, .. } = self;
        let what = match self.kind {
            RunKind::Plan => format!("run {run_id} of plan {plan_id}"),
            RunKind::Undo { .. } => format!("the undo {run_id} of plan {plan_id}"),
            RunKind::Redo { .. } => format!("the redo {run_id} of plan {plan_id}"),
        };
        let (way, end) = if self.finished {
            ("brought to its end", "as it leaves them")
        } else {
            ("taken back", "as they were before it")
        };
        let files = match files {
            1 => "1 file is".into(),
            count => format!("{count} files are"),
        };
        write!(f, "{what} was interrupted and is now {way}: {files} {end}")?;
        match self.conflicts.as_slice() {
            [] => Ok(()),
            kept => write!(f, ", but for somebody's later edits: {}", kept.join("; ")),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settled(settled) => settled.fmt(f),
            Self::Unlisted(why) => write!(
                f,
                "how the run ended could not be put on the record: {why}; the next command that \
                 writes does it if the run had begun, and else the plan can be run again"
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
    /// Everything worth knowing beside the outcomes since this was last asked.
    pub fn take_notices(&self) -> Vec<Notice> {
        let behind = self.log.take_behind().into_iter();
        let behind = behind.map(|error: LogError| Notice::Behind(error.to_string()));
        let mut notices = self.notices.borrow_mut();
        notices.extend(behind);
        let told = self.told.replace(notices.len());
        notices.get(told..).unwrap_or_default().to_vec()
    }

    /// Every interrupted run that this gate brought to one side.
    pub fn settled(&self) -> Vec<Settled> {
        let settled = |notice: &Notice| match notice {
            Notice::Settled(settled) => Some(settled.clone()),
            _ => None,
        };
        self.notices.borrow().iter().filter_map(settled).collect()
    }

    pub(super) fn notice(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }
}
