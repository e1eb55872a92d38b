//! What a command did to its copy, sorted by what can become of it.

use std::collections::BTreeMap;
use std::time::Duration;

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;

use crate::checks::{Verdict, ViewKind};

/// What a step of a plan can do to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is new.
    Create {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it may be executed.
        executable: bool,
    },
    /// It has other bytes or another permission.
    Modify {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it may be executed, when that changed.
        executable: Option<bool>,
    },
    /// It is gone.
    Delete,
}

/// One file that a command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The file.
    pub path: RelPath,
    /// What became of it.
    pub effect: Effect,
}

/// Something that no plan can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Where, as the system spells it.
    pub path: String,
    /// What it is.
    pub why: String,
}

/// Something that is left out on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Where, or the folder that it lies in.
    pub path: String,
    /// Why.
    pub why: &'static str,
    /// How many changes.
    pub count: usize,
}

/// A command that ran on a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// How it ended.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
    /// What it ran on.
    pub view: ViewKind,
    /// What it did that can be proposed, by path.
    pub made: Vec<Made>,
    /// What each of these files held when the command started; nothing where none was.
    pub seen: BTreeMap<RelPath, Option<Digest>>,
    /// What it did that cannot.
    pub unfit: Vec<Unfit>,
    /// What it did that is not meant to be.
    pub left_out: Vec<LeftOut>,
    /// What it changed and that was changed, moved or deleted in the project meanwhile.
    pub conflicts: Vec<String>,
}
