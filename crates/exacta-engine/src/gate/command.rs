//! What doors ask of the gate, as data.

use exacta_core::digest::Digest;
use exacta_core::record::Actor;
use serde::{Deserialize, Serialize};

/// A command with the one who gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Who.
    pub actor: Actor,
    /// Two commands with the same key are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What.
    pub what: What,
}

impl What {
    /// The same command with plans and runs as `plan` and `run` call them, steps in order, a
    /// text by its name, and without what shows the right to decide.
    pub(super) fn said(&self, plan: impl Fn(&str) -> String, run: impl Fn(&str) -> String) -> Self {
        let mut said = self.clone();
        match &mut said {
            Self::Propose { text, parent, .. } => {
                *text = Digest::of(text).to_string().into_bytes();
                *parent = parent.as_deref().map(plan);
            }
            Self::Approve { plan_id, steps, proof, .. } => {
                *plan_id = plan(plan_id);
                if let Some(steps) = steps {
                    steps.sort_unstable();
                }
                *proof = Proof::None;
            }
            Self::Reject { plan_id, proof, .. }
            | Self::Changes { plan_id, proof, .. }
            | Self::Renew { plan_id, proof } => {
                (*plan_id, *proof) = (plan(plan_id), Proof::None);
            }
            Self::Pause { plan_id } | Self::Run { plan_id, .. } => *plan_id = plan(plan_id),
            Self::Undo { run_id, proof, .. }
            | Self::Redo { run_id, proof, .. }
            | Self::Forget { run_id, proof, .. } => {
                (*run_id, *proof) = (run(run_id), Proof::None);
            }
            Self::ProposeUndo { run_id, .. } => *run_id = run(run_id),
            Self::Sweep { plan_id } => *plan_id = plan_id.as_deref().map(plan),
            Self::Recover | Self::Gc => {}
        }
        said
    }
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// As planner output.
    Draft,
    /// As the output of `git diff`.
    Patch,
}

/// What shows that whoever decides may decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Nothing does.
    None,
    /// The door read a confirmation from the controlling terminal.
    Terminal,
    /// The door verified the credential.
    Credential,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum What {
    /// Hand in a text.
    Propose {
        /// How it is to be read.
        kind: SourceKind,
        /// The text.
        text: Vec<u8>,
        /// What the user asked for.
        intent: Option<String>,
        /// Constraints that a person gave, as words or JSON.
        constraints: Vec<String>,
        /// Who made it, as policy registers them.
        proposer: Option<String>,
        /// The plan that it answers a request for changes of.
        parent: Option<String>,
        /// The intent that it belongs to, when that exists already.
        correlation_id: Option<String>,
    },
    /// Approve a plan, or some of its steps.
    Approve {
        /// The plan.
        plan_id: String,
        /// Its hash, as the approver saw it.
        hash: Option<Digest>,
        /// The steps; all when absent.
        steps: Option<Vec<String>>,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Reject a plan.
    Reject {
        /// The plan.
        plan_id: String,
        /// Why.
        reason: String,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Ask for another plan.
    Changes {
        /// The plan.
        plan_id: String,
        /// What is wanted.
        request: String,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Put a plan off.
    Pause {
        /// The plan.
        plan_id: String,
    },
    /// Make a fresh plan of the same draft.
    Renew {
        /// The plan.
        plan_id: String,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Run an approved plan.
    Run {
        /// The plan.
        plan_id: String,
        /// Its hash, when the caller wants to be sure.
        hash: Option<Digest>,
    },
    /// Take a run back.
    Undo {
        /// The run.
        run_id: String,
        /// The hash of its plan.
        hash: Option<Digest>,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Take an undo back.
    Redo {
        /// The run that was undone.
        run_id: String,
        /// The hash of its plan.
        hash: Option<Digest>,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Hand in the inverse of a run as a plan, for whoever may propose but not decide.
    ProposeUndo {
        /// The run.
        run_id: String,
        /// Whether an undo is to be taken back.
        again: bool,
        /// Who asks, as policy registers them.
        proposer: Option<String>,
    },
    /// Finish or abort what a dead process left.
    Recover,
    /// Look at every live plan and expire those whose time is over.
    Sweep {
        /// Look at this one only.
        plan_id: Option<String>,
    },
    /// Give up the way back of a run.
    Forget {
        /// The run.
        run_id: String,
        /// The hash of its plan.
        #[serde(default)]
        hash: Option<Digest>,
        /// What shows the right to decide.
        proof: Proof,
    },
    /// Delete objects that nothing on the record needs.
    Gc,
}
