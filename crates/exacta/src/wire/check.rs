//! What `exacta check --json` prints.

use exacta_core::change::{NetChange, net};
use exacta_core::diagnostic::Issue;
use exacta_core::digest::Digest;
use exacta_core::examine::{Examined, Verdict};
use exacta_core::plan::Estimates;
use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::Exit;

/// The outcome of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReport {
    /// Whether no finding refuses the plan.
    pub(crate) ok: bool,
    /// The exit code of the command.
    pub(crate) exit_code: u8,
    /// Names the plan; null when the text is not a draft.
    pub(crate) plan_hash: Option<Digest>,
    /// Names what the plan does; null when that is not fully known.
    pub(crate) effect_hash: Option<Digest>,
    /// Every finding.
    pub(crate) issues: Vec<Issue>,
    /// Estimates; null when the text is not a draft.
    pub(crate) estimates: Option<Estimates>,
    /// Why the decision is what it is.
    pub(crate) reasons: Vec<String>,
    /// What becomes of each file.
    pub(crate) files: Vec<NetChange>,
}

impl CheckReport {
    /// The report of a text that is no draft.
    pub(crate) fn refused(issues: Vec<Issue>) -> Self {
        Self {
            ok: false,
            exit_code: Exit::Refused.code(),
            plan_hash: None,
            effect_hash: None,
            issues,
            estimates: None,
            reasons: vec!["the text is not a draft".into()],
            files: Vec::new(),
        }
    }

    /// The report of an examined draft.
    pub(crate) fn examined(examined: &Examined) -> Self {
        let sound = examined.is_sound();
        let changes = match &examined.verdict {
            Verdict::Sound(plan) => plan.changes(),
            Verdict::Rejected { dry_run, .. } => &dry_run.changes,
        };
        let errors = examined.issues.iter().filter(|issue| issue.is_error()).count();
        Self {
            ok: sound,
            exit_code: if sound { Exit::Done.code() } else { Exit::Refused.code() },
            plan_hash: (!examined.makes_no_plan()).then_some(examined.plan_hash),
            effect_hash: examined.effect_hash.filter(|_| !examined.makes_no_plan()),
            issues: examined.issues.clone(),
            estimates: Some(examined.estimates.clone()),
            reasons: vec![if sound {
                "every rule holds".into()
            } else {
                match errors {
                    1 => "one finding refuses the plan".into(),
                    _ => format!("{errors} findings refuse the plan"),
                }
            }],
            files: net(changes),
        }
    }
}
