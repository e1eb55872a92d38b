//! Before a plan is approved or run: everything is read again and computed again.

use exacta_core::binding::{Preflight, preflight};
use exacta_core::change::FileMode;
use exacta_core::decide::Kind;
use exacta_core::examine::{Examined, Verdict};
use exacta_core::ledger::{PlanEntry, Stream};
use exacta_core::lifecycle::{Cause, Moment, State};
use exacta_core::parse::json;
use exacta_core::path::RelPath;
use exacta_core::plan::differing_part;
use exacta_core::policy::Policy;

use super::error::GateError;
use super::handle::Gate;
use super::stored::PlanRecord;
use super::{binding, configuration};
use crate::run::Images as _;
use crate::workspace::{Sight, Spot};

const MS_A_MINUTE: u64 = 60_000;

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
        let record = PlanRecord::load(&self.objects, plan)?;
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
                let record = PlanRecord::load(&self.objects, plan)?;
                let drift = self.drift(&record, policy)?;
                drift.map_or(Err(error), |cause| Ok(Preflown::Expired(cause)))
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
        let now = configuration::survey(self.ports.port, &policy.project_config)?;
        let changes = configuration::compare(&record.configuration, &now);
        if !changes.is_empty() {
            return Ok(Some(Cause::ConfigurationChanged { changes }));
        }
        let changes = self.targets_changed(record)?;
        Ok((!changes.is_empty()).then_some(Cause::TargetsChanged { changes }))
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
        let age = now.since(&plan.created_at).unwrap_or(u64::MAX);
        let ttl = policy.ttl_minutes.saturating_mul(MS_A_MINUTE);
        let current = binding::current(record.proposer.as_deref(), policy, age, ttl)?;
        let stricter = match preflight(&record.binding, &current) {
            Preflight::Allow => false,
            Preflight::Reevaluate { .. } => true,
            Preflight::Block { difference } => {
                return Err(GateError::Blocked(Box::new(difference)));
            }
        };
        // What a reviewer is shown comes from these; they must still be what was shown.
        for digest in &record.blobs {
            self.objects.image(digest)?;
        }
        let examined = self.examine_again(&record, self.ports.tree, policy)?;
        if !stricter {
            Self::same_plan(plan, &record, &examined, policy)?;
        } else if plan.state == State::AutoApproved && !runs_alone(&examined) {
            return Err(GateError::CeilingDenies);
        }
        if !matches!(examined.verdict, Verdict::Sound(_)) {
            return Err(GateError::Invalid(examined.issues));
        }
        Ok(Preflown::Clear(Box::new(Checked { record, examined })))
    }

    /// What is not as the plan saw it.
    pub(super) fn targets_changed(&self, record: &PlanRecord) -> Result<Vec<String>, GateError> {
        let mut changes = Vec::new();
        for (name, then) in &record.tree.files {
            let path = RelPath::parse(name).map_err(|_| GateError::Differs {
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
        Err(GateError::Differs { what: format!("the plan {}", plan.created.plan_id), how })
    }
}

fn runs_alone(examined: &Examined) -> bool {
    let kind = examined.decision.as_ref().map(|decision| decision.kind);
    matches!(kind, Some(Kind::AutoNotify | Kind::AutoSilent))
}
