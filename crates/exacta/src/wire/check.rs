//! What `exacta check --json` prints.

use exacta_core::judge::decide::{Kind, Reason};
use exacta_core::judge::examine::{Examined, Verdict};
use exacta_core::judge::score::{Quality, Risk};
use exacta_core::model::change::{NetChange, net};
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;
use exacta_core::model::plan::Estimates;
use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::Exit;

/// The outcome of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReport {
    /// Whether no finding refuses the plan.
    pub(crate) ok: bool,
    /// What may happen to the plan; `reject` also for what a rule refuses before it is scored.
    pub(crate) decision: Kind,
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
    /// How much can go wrong; absent when a rule refuses the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) risk: Option<Risk>,
    /// How good the plan is; absent when a rule refuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quality: Option<Quality>,
    /// Why the decision is what it is.
    pub(crate) reasons: Vec<Reason>,
    /// What becomes of each file.
    pub(crate) files: Vec<NetChange>,
}

impl CheckReport {
    /// The report of a text that is no draft.
    pub(crate) fn refused(issues: Vec<Issue>) -> Self {
        Self {
            ok: false,
            decision: Kind::Reject,
            exit_code: Exit::Refused.code(),
            plan_hash: None,
            effect_hash: None,
            issues,
            estimates: None,
            risk: None,
            quality: None,
            reasons: Vec::new(),
            files: Vec::new(),
        }
    }

    /// The report of an examined draft.
    pub(crate) fn examined(examined: &Examined) -> Self {
        let changes = match &examined.verdict {
            Verdict::Sound(plan) => plan.changes(),
            Verdict::Rejected { dry_run, .. } => &dry_run.changes,
        };
        let plan = !examined.makes_no_plan();
        let assessment = examined.assessment.as_ref();
        let mut report = Self {
            ok: examined.is_sound(),
            decision: examined.decision.as_ref().map_or(Kind::Reject, |decision| decision.kind),
            exit_code: 0,
            plan_hash: plan.then_some(examined.plan_hash),
            effect_hash: examined.effect_hash.filter(|_| plan),
            issues: examined.issues.clone(),
            estimates: Some(examined.estimates.clone()),
            risk: assessment.map(|assessment| assessment.risk.clone()),
            quality: assessment.map(|assessment| assessment.quality.clone()),
            reasons: examined.decision.iter().flat_map(|d| d.reasons.clone()).collect(),
            files: net(changes),
        };
        report.exit_code = report.exit().code();
        report
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        match self.decision {
            Kind::AutoSilent | Kind::AutoNotify => Exit::Done,
            Kind::Wait => Exit::Waits,
            Kind::Reject => Exit::Refused,
        }
    }
}
