//! `propose`: a text comes in and becomes a plan, or is refused; both on the record.

use std::collections::BTreeMap;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::Examined;
use exacta_core::judge::policy::Policy;
use exacta_core::life::binding::PlannerRequest;
use exacta_core::life::ledger::{Done, PlanEntry, Stream};
use exacta_core::life::lifecycle::{Act, Refusal, State, Verb};
use exacta_core::model::change::Change;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::{Constraint, Draft};
use exacta_core::read::parse;
use exacta_core::record::{Actor, Assurance, Event};
use serde::{Deserialize, Serialize, Serializer};

use super::command::{Caller, Command};
use super::create::Origin;
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::outcome::Decided;
use super::stored;
use crate::log::Wanted;

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// As planner output.
    Draft,
    /// As the output of `git diff`.
    Patch,
    /// As a draft that was computed and not planned: what a captured command changed, the way
    /// back of a run.
    Computed,
}

impl SourceKind {
    /// Whether a model may have made it. Where none has, there are no tokens and no cost.
    #[must_use]
    pub const fn may_be_a_models(self) -> bool {
        matches!(self, Self::Draft)
    }
}

/// Hand in a text.
#[derive(Clone, Debug, Serialize)]
pub struct Propose {
    /// How it is to be read.
    pub kind: SourceKind,
    /// The text.
    #[serde(serialize_with = "by_hash")]
    pub text: Vec<u8>,
    /// What the user asked for.
    pub intent: Option<String>,
    /// Constraints that a person gave, as words or JSON.
    pub constraints: Vec<String>,
    /// Who made it, as policy registers them.
    pub proposer: Option<String>,
    /// The plan that it answers a request for changes of.
    pub parent: Option<PlanId>,
    /// A plan of the same proposer that still waits, and that this one takes the place of
    /// because it holds all of it. Nothing is recorded when somebody has decided meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<PlanId>,
    /// The intent that it belongs to, when that exists already.
    pub correlation_id: Option<CorrelationId>,
    /// The files that it was made on, where that is known: nothing is recorded unless those
    /// that it changes still hold this.
    pub made_on: Option<BTreeMap<RelPath, Option<Digest>>>,
    /// Names the request of our own planner that it answers; then what is known of the model
    /// was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<PlannerRequest>,
}

impl Propose {
    /// A text of this kind, and nothing said beside it.
    #[must_use]
    pub fn new(kind: SourceKind, text: Vec<u8>) -> Self {
        Self {
            kind,
            text,
            intent: None,
            constraints: Vec::new(),
            proposer: None,
            parent: None,
            replaces: None,
            correlation_id: None,
            made_on: None,
            measured: None,
        }
    }
}

fn by_hash<S: Serializer>(text: &[u8], to: S) -> Result<S::Ok, S::Error> {
    Digest::of(text).serialize(to)
}

/// What became of a text.
#[derive(Debug)]
pub enum Proposed {
    /// It made no plan.
    Refused {
        /// What is wrong with it.
        issues: Vec<Issue>,
        /// The intent that it belongs to.
        correlation_id: CorrelationId,
        /// The examination, when the text was at least a draft.
        examined: Option<Box<Examined>>,
    },
    /// It is a plan.
    Plan {
        /// The plan.
        plan: Decided,
        /// The intent that it belongs to.
        correlation_id: CorrelationId,
        /// Everything found out about it.
        examined: Box<Examined>,
    },
    /// The same command was carried out before and made this plan.
    Again(Decided),
}

impl Command for Propose {
    type Reply = Proposed;
    const NAME: &'static str = "propose";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Proposed, GateError> {
        let policy = gate.policy()?;
        let constraints: Vec<Constraint> = self
            .constraints
            .iter()
            .map(|words| parse::constraint_from_words(words))
            .collect::<Result<_, _>>()
            .map_err(|issue| GateError::Constraint(Box::new(issue)))?;
        let parent = self.parent.map(|plan_id| gate.plan(&plan_id)).transpose()?;
        let correlation_id = match (&parent, self.correlation_id) {
            (_, Some(id)) => id,
            (Some(parent), None) => parent.created.correlation_id.clone(),
            (None, None) => gate.new_id()?,
        };
        let draft = match stored::read(self.kind, &self.text) {
            Ok(draft) => draft,
            Err(issues) => return gate.refuse(caller, &self.text, correlation_id, issues, None),
        };
        let origin = Origin {
            kind: self.kind,
            text: self.text,
            steps: None,
            hunks: Vec::new(),
            correlation_id,
            derived_from: None,
            parent: parent.map(|parent| parent.created.plan_id),
            undoes: None,
            intent: self.intent,
            constraints,
            proposer: self.proposer,
            measured: self.measured,
        };
        let fits = |changes: &[Change]| match &self.made_on {
            None => Ok(()),
            Some(seen) => {
                let moved = changes.iter().filter(|c| seen.get(&c.path) != Some(&c.before));
                let moved: Vec<RelPath> = moved.map(|change| change.path.clone()).collect();
                if moved.is_empty() { Ok(()) } else { Err(GateError::ChangedMeanwhile(moved)) }
            }
        };
        gate.hand_in(caller, &draft, origin, &policy, &fits, self.replaces.as_ref())
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Proposed, GateError> {
        gate.decided_before(&done.made).map(Proposed::Again)
    }
}

/// Whether the files that changes begin with are those they were made for.
pub(super) type Fits<'f> = dyn Fn(&[Change]) -> Result<(), GateError> + 'f;

impl Gate<'_> {
    /// Makes a plan of a draft and records what the table decides. Nothing is recorded
    /// when `fits` refuses, because the files are not those the draft was written for.
    pub(super) fn hand_in(
        &self,
        caller: &Caller<'_>,
        draft: &Draft,
        origin: Origin,
        policy: &Policy,
        fits: &Fits<'_>,
        replaces: Option<&PlanId>,
    ) -> Result<Proposed, GateError> {
        for _ in 0..TRIES {
            let older = replaces.map(|old| self.own_waiting(caller, &origin, old)).transpose()?;
            let now = self.now()?;
            let unasked = Stream::Unasked(origin.proposer.clone());
            let version = self.log.ledger().version(&unasked);
            let mut plan = self.create(draft.clone(), &origin, policy, &now)?;
            plan.examined.locate(&origin.text);
            if plan.examined.makes_no_plan() {
                let issues = plan.examined.issues.clone();
                let examined = Some(Box::new(plan.examined));
                let id = origin.correlation_id;
                return self.refuse(caller, &origin.text, id, issues, examined);
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
                    let actor = Actor::system();
                    let approval =
                        self.signed(&plan.created, &actor, Assurance::Table.into(), act, None)?;
                    let spend = Some(plan.examined.spend.clone());
                    events.push(Event::PlanApproved { approval: Box::new(approval), spend });
                }
            }
            let mut expects = vec![(unasked, version)];
            // A plan that comes to nothing takes nobody's place.
            if let Some(old) = older.filter(|_| plan.decision() != Kind::Reject) {
                events.extend(self.events_of(&old, Act::Renew { renewed: plan_id.clone() })?);
                expects.push((Stream::Plan(old.id().clone()), old.version));
            }
            let (actor, key) = (caller.actor.clone(), caller.command.clone());
            let wanted = Wanted { actor, key, expects, events };
            if self.commit_new(&wanted, &plan)? {
                return Ok(Proposed::Plan {
                    plan: self.decided(&plan_id, None)?,
                    correlation_id: origin.correlation_id,
                    examined: Box::new(plan.examined),
                });
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }

    /// A plan that still waits and was handed in by the same caller.
    fn own_waiting(
        &self,
        caller: &Caller<'_>,
        origin: &Origin,
        plan_id: &PlanId,
    ) -> Result<PlanEntry, GateError> {
        let plan = self.plan(plan_id)?;
        let own = plan.by == caller.actor && plan.created.proposer == origin.proposer;
        if !own {
            return Err(GateError::NoSuchPlan(plan_id.to_string()));
        }
        // Whoever proposes may take back what nobody has decided on, and nothing else.
        self.may(&plan, Verb::RequestChanges)?;
        if plan.state() != State::Pending {
            return Err(GateError::refused(plan_id, Refusal::AlreadyApproved));
        }
        Ok(plan)
    }

    /// A text that makes no plan leaves its codes on the record, never its content.
    fn refuse(
        &self,
        caller: &Caller<'_>,
        text: &[u8],
        correlation_id: CorrelationId,
        issues: Vec<Issue>,
        examined: Option<Box<Examined>>,
    ) -> Result<Proposed, GateError> {
        let mut codes: Vec<String> =
            issues.iter().filter(|i| i.is_error()).map(|i| i.code.as_str().into()).collect();
        codes.sort_unstable();
        codes.dedup();
        let event = Event::Refused {
            codes,
            correlation_id: correlation_id.clone(),
            text: Digest::of(text),
        };
        let (actor, key) = (caller.actor.clone(), caller.command.clone());
        self.commit(&Wanted { actor, key, expects: Vec::new(), events: vec![event] })?;
        Ok(Proposed::Refused { issues, correlation_id, examined })
    }
}
