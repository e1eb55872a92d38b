//! `check`: everything that is said of a text before anything happens; nothing is recorded.
//!
//! The report is what every door hands on, so that one text has one verdict.

use exacta_core::judge::decide::{Kind, Reason};
use exacta_core::judge::examine::{Context, Examined, Verdict, examine};
use exacta_core::judge::score::{Quality, Risk};
use exacta_core::model::change::{NetChange, net};
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;
use exacta_core::model::plan::{Constraint, Estimates};
use exacta_core::read::parse;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::GateError;
use super::handle::Gate;
use super::propose::SourceKind;
use super::stored;

/// The outcome of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// Whether no finding refuses the plan.
    pub ok: bool,
    /// What may happen to the plan; `reject` also for what a rule refuses before it is scored.
    pub decision: Kind,
    /// The exit code of the command.
    pub exit_code: u8,
    /// Names the plan; null when the text is not a draft.
    pub plan_hash: Option<Digest>,
    /// Names what the plan does; null when that is not fully known.
    pub effect_hash: Option<Digest>,
    /// Every finding.
    pub issues: Vec<Issue>,
    /// Estimates; null when the text is not a draft.
    pub estimates: Option<Estimates>,
    /// How much can go wrong; absent when a rule refuses the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// How good the plan is; absent when a rule refuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// Why the decision is what it is.
    pub reasons: Vec<Reason>,
    /// What becomes of each file.
    pub files: Vec<NetChange>,
}

impl CheckReport {
    /// The report of a text that is no draft.
    #[must_use]
    pub fn refused(issues: Vec<Issue>) -> Self {
        Self {
            ok: false,
            decision: Kind::Reject,
            exit_code: exit_code(Kind::Reject),
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
    #[must_use]
    pub fn examined(examined: &Examined) -> Self {
        let changes = match &examined.verdict {
            Verdict::Sound(plan) => plan.changes(),
            Verdict::Rejected { dry_run, .. } => &dry_run.changes,
        };
        let plan = !examined.makes_no_plan();
        let assessment = examined.assessment.as_ref();
        let decision = examined.decision.as_ref().map_or(Kind::Reject, |decision| decision.kind);
        Self {
            ok: examined.is_sound(),
            decision,
            exit_code: exit_code(decision),
            plan_hash: plan.then_some(examined.plan_hash),
            effect_hash: examined.effect_hash.filter(|_| plan),
            issues: examined.issues.clone(),
            estimates: Some(examined.estimates.clone()),
            risk: assessment.map(|assessment| assessment.risk.clone()),
            quality: assessment.map(|assessment| assessment.quality.clone()),
            reasons: examined.decision.iter().flat_map(|d| d.reasons.clone()).collect(),
            files: net(changes),
        }
    }
}

/// How `exacta check` ends, which its JSON says too.
const fn exit_code(decision: Kind) -> u8 {
    match decision {
        Kind::AutoSilent | Kind::AutoNotify => 0,
        Kind::Wait => 11,
        Kind::Reject => 10,
    }
}

/// A text to look at.
#[derive(Clone, Debug)]
pub struct Check {
    /// How it is to be read.
    pub kind: SourceKind,
    /// The text.
    pub text: Vec<u8>,
    /// What the user asked for.
    pub intent: Option<String>,
    /// Constraints that a person gave, as words or JSON.
    pub constraints: Vec<String>,
    /// Who made it, as policy registers them.
    pub proposer: Option<String>,
}

impl Gate<'_> {
    /// Examines a text on the files as they are now. Nothing is recorded.
    ///
    /// # Errors
    /// When it cannot be examined; what is wrong with the text is in the report.
    pub fn check(&self, check: &Check) -> Result<CheckReport, GateError> {
        let policy = self.policy()?;
        let constraints: Vec<Constraint> = check
            .constraints
            .iter()
            .map(|words| parse::constraint_from_words(words))
            .collect::<Result<_, _>>()
            .map_err(|issue| GateError::Constraint(Box::new(issue)))?;
        let draft = match stored::read(check.kind, &check.text) {
            Ok(draft) => draft,
            Err(issues) => return Ok(CheckReport::refused(issues)),
        };
        let proposer = check.proposer.as_deref();
        if let Some(name) = proposer.filter(|name| !policy.proposers.contains_key(*name)) {
            return Err(GateError::NoSuchProposer(name.into()));
        }
        let mut context = Context {
            intent: check.intent.as_deref().map(|intent| (self.ports.mask)(intent)),
            constraints,
            proposer: check.proposer.clone(),
            ..Context::default()
        };
        self.recall(&mut context, &policy)?;
        let mut examined =
            examine(draft, self.ports.tree, self.ports.inspector, &policy, &context)?;
        self.guard_findings(&mut examined, &policy)?;
        examined.locate(&check.text);
        Ok(CheckReport::examined(&examined))
    }
}
