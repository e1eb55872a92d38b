//! The steps of a run as data.

use std::collections::BTreeSet;

use exacta_core::model::id::StepId;
use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use serde_json::Value;

use super::approver::StepDecision;
use super::outcome::StepOutcome;
use super::spent::{Spent, ToolCaps};

/// Everything a runner needs to know of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolGraph {
    /// The run; idempotency keys are derived from it.
    pub run_id: String,
    /// The plan it runs.
    pub plan_id: String,
    /// All or nothing, or branch by branch.
    pub execution: Execution,
    /// The steps, in the order of the plan. File steps are among them.
    pub steps: Vec<ToolStep>,
    /// The tools that may be used: those of the installation, of the proposer's skills and
    /// of policy. A tool that is not named is refused.
    pub usable: BTreeSet<String>,
    /// The inputs of the plan.
    pub inputs: Value,
    /// What the user asked for.
    pub intent: Option<String>,
    /// The most steps that run side by side; at least one does.
    pub parallel: usize,
    /// What may be spent: the least of policy, skill and environment.
    pub caps: ToolCaps,
    /// What this run has spent, from its record.
    pub spent: Spent,
    /// What all runs of this day have spent, this one left out.
    pub spent_today: Spent,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolStep {
    /// Its id.
    pub step_id: StepId,
    /// The steps that must be done first.
    pub dependencies: Vec<StepId>,
    /// What it does.
    pub action: StepAction,
    /// Not to be started in this call: the one irreversible step while files are not
    /// committed. Whatever depends on it is held too.
    pub held: bool,
    /// What the record says of it.
    pub known: Known,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepAction {
    /// Changes files. Satisfied as soon as what it depends on is: the files are staged.
    File,
    /// Calls a tool.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments, with references not filled in.
        args: Value,
        /// What the plan was judged by. A runner refuses a tool that does more.
        effect: Effect,
        /// After this many milliseconds the step has failed.
        timeout_ms: u64,
        /// Whether a person is asked when its turn comes.
        asks: bool,
    },
}

/// What the record says of a step when the run is taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// What was decided about it, and the hash of the arguments it was decided for.
    pub decided: Option<(StepDecision, String)>,
    /// The idempotency key it was started with.
    pub started: Option<String>,
    /// How it ended.
    pub ended: Option<StepOutcome>,
    /// Whether what it did has been taken back.
    pub rolled_back: bool,
}
