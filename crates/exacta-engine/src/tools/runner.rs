//! What the gate calls.

use std::sync::Arc;

use exacta_core::model::id::StepId;
use exacta_core::model::registry::Effect;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approver::StepApprover;
use super::cancel::Cancel;
use super::graph::ToolGraph;
use super::journal::{JournalFault, StepJournal};
use super::outcome::StepOutcome;
use super::progress::StepProgress;
use super::spent::Spent;

/// What a run needs beside its graph.
#[derive(Clone)]
pub struct ToolPorts {
    /// The record.
    pub journal: Arc<dyn StepJournal>,
    /// Who is asked.
    pub approver: Arc<dyn StepApprover>,
    /// Who watches.
    pub progress: Arc<dyn StepProgress>,
    /// The stop signal.
    pub cancel: Cancel,
}

/// What is known of a tool before it runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolFacts {
    /// Its name.
    pub name: String,
    /// Its effect.
    pub effect: Effect,
    /// Whether a second call with the same key changes nothing.
    pub idempotent: bool,
    /// Whether what it did can be taken back.
    pub reversible: bool,
    /// JSON Schema of its arguments.
    pub args_schema: Value,
}

/// Why a step may not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFinding {
    /// The step.
    pub step_id: StepId,
    /// A stable code.
    pub code: String,
    /// Where in its arguments, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// How one step ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepEnd {
    /// The step.
    pub step_id: StepId,
    /// How.
    pub outcome: StepOutcome,
    /// When what it did should have been taken back and could not be: why.
    pub left_behind: Option<String>,
}

/// How a run ended: one entry a step, in the order of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRun {
    /// The steps.
    pub steps: Vec<StepEnd>,
    /// What the run has spent, with what it had spent before.
    pub spent: Spent,
}

/// Why there is no [`ToolRun`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolRunFault {
    /// The record could not be written. What is on it tells where the run stands.
    #[error(transparent)]
    Journal(#[from] JournalFault),
    /// The runner itself could not start.
    #[error("the tools cannot be run: {0}")]
    Unavailable(String),
}

/// Runs tool steps. Synchronous for its caller, who waits.
pub trait ToolRunner: Send + Sync {
    /// Every tool it has, by name.
    fn tools(&self) -> Vec<ToolFacts>;

    /// Holds every step against the guard, without running anything. For validation and
    /// preflight; the same rules are applied again right before each effect.
    fn check(&self, graph: &ToolGraph) -> Vec<GuardFinding>;

    /// Runs what is not over. In an atomic run in which a step failed, takes back what
    /// reversible steps did, in reverse order.
    ///
    /// # Errors
    /// When the record cannot be written or the runner cannot start.
    fn run(&self, graph: &ToolGraph, ports: &ToolPorts) -> Result<ToolRun, ToolRunFault>;

    /// Takes back what reversible steps did, in reverse order, and starts nothing: for an
    /// atomic run that failed outside its tools.
    ///
    /// # Errors
    /// As [`ToolRunner::run`].
    fn roll_back(&self, graph: &ToolGraph, ports: &ToolPorts) -> Result<ToolRun, ToolRunFault>;
}
