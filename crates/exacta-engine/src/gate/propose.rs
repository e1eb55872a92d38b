//! `propose`: a text comes in and becomes a plan, or is refused; both on the record.

use std::collections::BTreeMap;

use exacta_core::change::Change;
use exacta_core::decide::Kind;
use exacta_core::diagnostic::Issue;
use exacta_core::digest::Digest;
use exacta_core::examine::Examined;
use exacta_core::ledger::Stream;
use exacta_core::parse;
use exacta_core::path::RelPath;
use exacta_core::plan::{Constraint, Draft};
use exacta_core::policy::Policy;
use exacta_core::record::{Assurance, Event};

use super::command::{Command, What};
use super::create::Origin;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::{Outcome, Proposed};
use super::stored;
use crate::log::Wanted;

/// Whether the files that changes begin with are those they were made for.
pub(super) type Fits<'f> = dyn Fn(&[Change]) -> Result<(), GateError> + 'f;

impl Gate<'_> {
    /// Hands in what a captured command did. Nothing is recorded unless the files still
    /// hold what they held when it started.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn propose_captured(
        &self,
        command: Command,
        seen: &BTreeMap<RelPath, Option<Digest>>,
    ) -> Result<Outcome, GateError> {
        let fits = |changes: &[Change]| {
            let moved = changes.iter().filter(|c| seen.get(&c.path) != Some(&c.before));
            let moved: Vec<RelPath> = moved.map(|change| change.path.clone()).collect();
            if moved.is_empty() { Ok(()) } else { Err(GateError::ChangedMeanwhile(moved)) }
        };
        self.once(command, |from, what| self.propose(from, what, &fits))
    }

    pub(super) fn propose(
        &self,
        from: &From,
        what: What,
        fits: &Fits<'_>,
    ) -> Result<Outcome, GateError> {
        let What::Propose { kind, text, intent, constraints, proposer, parent, correlation_id } =
            what
        else {
            return Err(GateError::Unexpected);
        };
        let policy = self.policy()?;
        let constraints: Vec<Constraint> = constraints
            .iter()
            .map(|words| parse::constraint_from_words(words))
            .collect::<Result<_, _>>()
            .map_err(|issue| GateError::Constraint(Box::new(issue)))?;
        let parent = parent.map(|name| self.plan(&name)).transpose()?;
        let correlation_id = match (&parent, correlation_id) {
            (_, Some(id)) => id,
            (Some(parent), None) => parent.created.correlation_id.clone(),
            (None, None) => self.ports.machine.new_id()?,
        };
        let draft = match stored::read(kind, &text) {
            Ok(draft) => draft,
            Err(issues) => return self.refuse(from, &text, correlation_id, issues, None),
        };
        let origin = Origin {
            kind,
            text,
            steps: None,
            correlation_id,
            derived_from: None,
            parent: parent.map(|parent| parent.created.plan_id),
            intent,
            constraints,
            proposer,
        };
        self.hand_in(from, &draft, origin, &policy, fits)
    }

    /// Makes a plan of a draft and records what the table decides. Nothing is recorded
    /// when `fits` refuses, because the files are not those the draft was written for.
    pub(super) fn hand_in(
        &self,
        from: &From,
        draft: &Draft,
        origin: Origin,
        policy: &Policy,
        fits: &Fits<'_>,
    ) -> Result<Outcome, GateError> {
        for _ in 0..TRIES {
            let now = self.now()?;
            let unasked = Stream::Unasked(origin.proposer.clone());
            let version = self.log.ledger().version(&unasked);
            let mut plan = self.create(draft.clone(), &origin, policy, &now)?;
            plan.examined.locate(&origin.text);
            if plan.examined.makes_no_plan() {
                let issues = plan.examined.issues.clone();
                let examined = Some(Box::new(plan.examined));
                let id = origin.correlation_id;
                return self.refuse(from, &origin.text, id, issues, examined);
            }
            fits(plan.examined.changes())?;
            let mut events = plan.events();
            let plan_id = plan.created.plan_id.clone();
            match plan.decision() {
                Kind::Reject => {
                    events.push(Event::PlanRejected {
                        plan_id: plan_id.clone(),
                        reason: plan.rejection(),
                    });
                }
                Kind::Wait => {}
                Kind::AutoNotify | Kind::AutoSilent => {
                    let act = format!("table:{}", plan.decision().as_str());
                    let actor = exacta_core::record::Actor::system();
                    let approval =
                        self.signed(&plan.created, &actor, Assurance::Table, act, None)?;
                    let spend = Some(plan.examined.spend.clone());
                    events.push(Event::PlanApproved { approval: Box::new(approval), spend });
                }
            }
            let wanted = Wanted {
                actor: from.actor.clone(),
                key: from.key.clone(),
                expects: vec![(unasked, version)],
                events,
            };
            if self.commit_new(&wanted, &plan)? {
                return Ok(Outcome::Proposed(Box::new(Proposed::Plan {
                    plan: self.outcome_of(&plan_id, None)?,
                    correlation_id: origin.correlation_id,
                    examined: Box::new(plan.examined),
                })));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }

    /// A text that makes no plan leaves its codes on the record, never its content.
    fn refuse(
        &self,
        from: &From,
        text: &[u8],
        correlation_id: String,
        issues: Vec<Issue>,
        examined: Option<Box<Examined>>,
    ) -> Result<Outcome, GateError> {
        let mut codes: Vec<String> =
            issues.iter().filter(|i| i.is_error()).map(|i| i.code.as_str().into()).collect();
        codes.sort_unstable();
        codes.dedup();
        let event = Event::Refused {
            codes,
            correlation_id: correlation_id.clone(),
            text: Digest::of(text),
        };
        let (actor, key) = (from.actor.clone(), from.key.clone());
        self.commit(&Wanted { actor, key, expects: Vec::new(), events: vec![event] })?;
        Ok(Outcome::Proposed(Box::new(Proposed::Refused { issues, correlation_id, examined })))
    }
}
