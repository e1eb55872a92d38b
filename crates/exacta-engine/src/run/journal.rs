//! What the record must say about a run: that it started, and how it ended.
//!
//! The engine needs no more of the log than this, so the log can change without the
//! transaction knowing.

use exacta_core::model::digest::Digest;

use crate::run::run_id::RunId;
use crate::workspace::{PortError, Spot};

/// A turning point of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Milestone {
    /// Everything is staged; targets may move from now on.
    Started,
    /// Every target has its after image: from now on recovery goes forward.
    Completed,
    /// Every target has its before image again.
    Aborted,
}

/// The newest thing the record says about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// What happened.
    pub event: Milestone,
    /// The manifest it happened to.
    pub manifest: Digest,
}

/// The record of runs.
pub trait Journal {
    /// Adds an event. It is durable at the latest after a barrier over
    /// [`files`](Journal::files) and [`folders`](Journal::folders).
    ///
    /// # Errors
    /// When it may not have been added.
    fn record(&self, run: &RunId, fate: Fate) -> Result<(), PortError>;

    /// The newest event of a run that verifies.
    ///
    /// # Errors
    /// When the record cannot be read. A torn or forged entry does not count.
    fn fate(&self, run: &RunId) -> Result<Option<Fate>, PortError>;

    /// What the next barrier must include; none when `record` syncs by itself.
    fn files(&self) -> Vec<Spot>;

    /// Folders the next barrier must include.
    fn folders(&self) -> Vec<Spot>;
}
