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
    Sweep,
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
