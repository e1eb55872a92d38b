//! Before a plan is approved or run: everything is read again and computed again.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::{Examined, Verdict};
use exacta_core::judge::facts::Answers;
use exacta_core::judge::policy::Policy;
use exacta_core::life::binding::{Preflight, Row, Source, preflight};
use exacta_core::life::ledger::{PlanEntry, Stream};
use exacta_core::life::lifecycle::{Cause, Moment, State};
use exacta_core::model::change::FileMode;
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::differing_part;
use exacta_core::read::parse::json;
use exacta_core::record::{Actor, Event, PolicySeen};
use serde::Deserialize;

use super::error::GateError;
use super::handle::Gate;
use super::stored::PlanRecord;
use super::{binding, configuration};
use crate::log::Wanted;
use crate::workspace::{Sight, Spot};

const MS_A_MINUTE: u64 = 60_000;

/// The one part of a plan's form that is read back.
#[derive(Deserialize)]
struct Answered {
    answers: Option<Answers>,
}

/// What the preflight found.
pub(super) enum Preflown {
    /// Nothing stands in the way.
    Clear(Box<Checked>),
    /// The plan was made for another state of things.
    Expired(Cause),
}

/// A plan that was computed again and is what it was.
pub(super) struct Checked {
    pub(super) record: PlanRecord,
    pub(super) examined: Examined,
}

impl Gate<'_> {
    /// Reads the stored plan, compares the project with what it was made for, compares
    /// the binding, and examines it again; the result must have the same hash.
    pub(super) fn preflight(
        &self,
        plan: &PlanEntry,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Preflown, GateError> {
        let record = if let Ok(record) = self.as_projected(plan) {
            record
        } else {
            // Whoever was writing the plan's file is done once it is our turn.
            self.has_moved(plan)?;
            self.as_projected(plan)?
        };
        self.preflight_of(plan, record, policy, now)
    }

    /// The same for a stored plan that was just read.
    pub(super) fn preflight_of(
        &self,
        plan: &PlanEntry,
        record: PlanRecord,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Preflown, GateError> {
        if let Some(cause) = self.drift(&record, policy)? {
            return Ok(Preflown::Expired(cause));
        }
        match self.computed_again(plan, record, policy, now) {
            // The files may have changed between the look and the computation.
            Err(error @ (GateError::Differs { .. } | GateError::Invalid(_))) => {
                let record = PlanRecord::load(self.objects.as_ref(), plan)?;
                let drift = self.drift(&record, policy)?;
                drift.map_or(Err(error), |cause| Ok(Preflown::Expired(cause)))
            }
            Err(error @ GateError::Blocked { .. }) => {
                self.note_if_policy(&error, policy)?;
                Err(error)
            }
            // Where a target changed as well, that says more.
            Ok(Preflown::Expired(cause)) => {
                let record = PlanRecord::load(self.objects.as_ref(), plan)?;
                Ok(Preflown::Expired(self.drift(&record, policy)?.unwrap_or(cause)))
            }
            other => other,
        }
    }

    /// Why the project is not what the plan was made for, if it is not.
    pub(super) fn drift(
        &self,
        record: &PlanRecord,
        policy: &Policy,
    ) -> Result<Option<Cause>, GateError> {
        if let Some(cause) = self.configuration_changed(record, policy)? {
            return Ok(Some(cause));
        }
        let changes = self.targets_changed(record)?;
        Ok((!changes.is_empty()).then_some(Cause::TargetsChanged { changes }))
    }

    fn configuration_changed(
        &self,
        record: &PlanRecord,
        policy: &Policy,
    ) -> Result<Option<Cause>, GateError> {
        let now = configuration::survey(self.ports.port, &policy.project_config)?;
        let changes = configuration::compare(&record.configuration, &now);
        Ok((!changes.is_empty()).then_some(Cause::ConfigurationChanged { changes }))
    }

    /// Whether policy, model and configuration are still those that the plan was cleared
    /// with: checks may have taken their time. The files themselves are compared when they
    /// are swapped.
    pub(super) fn is_still_clear(&self, plan: &PlanEntry) -> Result<(), GateError> {
        let (policy, now) = (self.policy()?, self.now()?);
        let record = PlanRecord::load(self.objects.as_ref(), plan)?;
        if let Some(cause) = self.configuration_changed(&record, &policy)? {
            return Err(self.expired(plan, &cause)?);
        }
        let stricter = Self::is_bound(plan, &record, &policy, &now)
            .or_else(|error| self.note_if_policy(&error, &policy).and(Err(error)))?;
        // Nobody was asked, and under the stricter ceiling somebody might have been.
        if stricter && plan.state() == State::AutoApproved {
            return Err(GateError::CeilingDenies { plan_id: plan.id().clone() });
        }
        Ok(())
    }

    /// Notes the policy of the moment, when that is what blocks.
    fn note_if_policy(&self, error: &GateError, policy: &Policy) -> Result<(), GateError> {
        let by_policy = matches!(error, GateError::Blocked { difference, .. } if matches!(
            difference.row,
            Row::CeilingMorePermissive | Row::CeilingMoreRestrictive | Row::Profile | Row::PolicyHash
        ));
        if by_policy { self.note_policy(policy) } else { Ok(()) }
    }

    /// Puts the policy of the moment on the record, unless it was the last that was noted.
    pub(super) fn note_policy(&self, policy: &Policy) -> Result<(), GateError> {
        let seen = Self::seen(policy)?;
        let noted = self.log.ledger().policy().cloned();
        if noted.is_some_and(|noted| PolicySeen { assurance: None, ..noted } == seen) {
            return Ok(());
        }
        let events = vec![Event::PolicyChanged(seen)];
        let (actor, expects) = (Actor::system(), Vec::new());
        self.commit(&Wanted { actor, key: None, expects, events }).map(drop)
    }

    /// Puts the policy in force on the record when the operator's is another than was noted.
    ///
    /// # Errors
    /// When it cannot be read or recorded.
    pub fn met_another_policy(&self) -> Result<(), GateError> {
        let policy = self.policy()?;
        self.note_policy(&policy)
    }

    /// What the record says of a policy.
    pub(super) fn seen(policy: &Policy) -> Result<PolicySeen, GateError> {
        let record = policy.record()?;
        Ok(PolicySeen {
            assurance: None,
            autonomy_ceiling: record.autonomy_ceiling,
            policy_hash: record.safety_policy_hash,
            profile: record.active_profile,
        })
    }

    /// Once a change was noted, every further one is: also the one that takes it back.
    pub(super) fn follow_policy(&self) -> Result<(), GateError> {
        if self.log.ledger().policy().is_none() {
            return Ok(());
        }
        // A policy that cannot be read blocks whatever needs it.
        self.policy().map_or(Ok(()), |policy| self.note_policy(&policy))
    }

    /// Whether a run that has begun may go on: under another policy or model nothing more
    /// starts. How old its plan is does not matter any more.
    pub(super) fn still_bound(
        &self,
        plan: &PlanEntry,
        record: &PlanRecord,
        policy: &Policy,
    ) -> Result<(), GateError> {
        let bound = Self::is_bound(plan, record, policy, &plan.created_at);
        bound.map(drop).or_else(|error| self.note_if_policy(&error, policy).and(Err(error)))
    }

    /// Compares the binding; whether the ceiling is stricter than it was.
    fn is_bound(
        plan: &PlanEntry,
        record: &PlanRecord,
        policy: &Policy,
        now: &Moment,
    ) -> Result<bool, GateError> {
        let age = now.since(&plan.created_at).unwrap_or(u64::MAX);
        let ttl = policy.ttl_minutes.saturating_mul(MS_A_MINUTE);
        let mut current = binding::current(record.proposer.as_deref(), policy, age, ttl)?;
        // What was measured then is held against the model that is registered now.
        if record.binding.source == Source::Measured && current.source == Source::Claimed {
            current.source = Source::Measured;
        }
        match preflight(&record.binding, &current) {
            Preflight::Allow => Ok(false),
            Preflight::Reevaluate { .. } => Ok(true),
            Preflight::Block { difference } => {
                let (plan_id, difference) = (plan.id().clone(), Box::new(difference));
                Err(GateError::Blocked { plan_id, difference })
            }
        }
    }

    /// Whether something else happened to the plan. Waits for whoever is writing, so that
    /// the record and what is derived from it are seen together.
    pub(super) fn has_moved(&self, plan: &PlanEntry) -> Result<bool, GateError> {
        let turn = self.ports.port.turn()?;
        self.look_again()?;
        drop(turn);
        let stream = Stream::Plan(plan.created.plan_id.clone());
        Ok(self.log.ledger().version(&stream) != plan.version)
    }

    fn computed_again(
        &self,
        plan: &PlanEntry,
        record: PlanRecord,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Preflown, GateError> {
        let stricter = Self::is_bound(plan, &record, policy, now)?;
        // What a reviewer is shown comes from these; they must still be what was shown.
        for digest in &record.blobs {
            self.objects.get(digest)?;
        }
        let examined = self.examine_again(&record, self.ports.tree, policy)?;
        let then = Self::answers(&record)?;
        let changes = then.map(|then| then.changes(&examined.answers)).unwrap_or_default();
        if !changes.is_empty() {
            return Ok(Preflown::Expired(Cause::ContextChanged { changes }));
        }
        if !stricter {
            Self::same_plan(plan, &record, &examined, policy)?;
        } else if plan.state() == State::AutoApproved && !runs_alone(&examined) {
            return Err(GateError::CeilingDenies { plan_id: plan.id().clone() });
        }
        if !matches!(examined.verdict, Verdict::Sound(_)) {
            return Err(GateError::Invalid(examined.issues));
        }
        Ok(Preflown::Clear(Box::new(Checked { record, examined })))
    }

    /// Which targets are not as the plan saw them.
    pub(super) fn targets_changed(&self, record: &PlanRecord) -> Result<Vec<String>, GateError> {
        let mut changes = Vec::new();
        for (name, then) in record.tree.targets() {
            let path = RelPath::parse(name).map_err(|_| GateError::Differs {
                plan_id: record.plan_id.clone(),
                what: format!("the stored plan {}", record.plan_id),
                how: format!("`{name}` cannot be a target"),
            })?;
            let change = match (then, self.ports.port.see(&Spot::target(&path))?) {
                (None, Sight::Absent) => continue,
                (None, Sight::File(_)) => format!("`{path}` has appeared"),
                (Some(_), Sight::Absent) => format!("`{path}` has vanished"),
                (_, Sight::Unfit(fault)) => format!("`{path}`: {fault}"),
                (Some(then), Sight::File(now)) => {
                    if then.blob != now.image.digest {
                        format!("`{path}` has changed")
                    } else if FileMode::from_raw(then.mode) != now.image.mode {
                        format!("`{path}` now has mode {}", now.image.mode)
                    } else {
                        continue;
                    }
                }
            };
            changes.push(change);
        }
        Ok(changes)
    }

    /// What the project answered when the plan was made, as its hash names it; an older
    /// program noted nothing, and is another assessor.
    fn answers(record: &PlanRecord) -> Result<Option<Answers>, GateError> {
        let form: Answered = serde_json::from_str(record.form.get())?;
        Ok(form.answers)
    }

    /// The plan computed now must be the plan on the record, part for part.
    fn same_plan(
        plan: &PlanEntry,
        record: &PlanRecord,
        examined: &Examined,
        policy: &Policy,
    ) -> Result<(), GateError> {
        if examined.plan_hash == plan.created.plan_hash {
            return Ok(());
        }
        let form = examined.canonical_form(policy, &record.context()?)?;
        let part = std::str::from_utf8(&form)
            .ok()
            .and_then(|now| Some((json::read(record.form.get()).ok()?, json::read(now).ok()?)))
            .and_then(|(then, now)| differing_part(&then, &now));
        let how = match part {
            Some((pointer, _)) if pointer.to_string() == "/assessor_version" => {
                "it was assessed by another version of this program".into()
            }
            Some((pointer, _)) => format!("`{pointer}` is not what it was"),
            None => "computed now, it has another hash".into(),
        };
        let what = format!("the plan {}", plan.id());
        Err(GateError::Differs { plan_id: plan.id().clone(), what, how })
    }
}

fn runs_alone(examined: &Examined) -> bool {
    let kind = examined.decision.as_ref().map(|decision| decision.kind);
    matches!(kind, Some(Kind::AutoNotify | Kind::AutoSilent))
}
