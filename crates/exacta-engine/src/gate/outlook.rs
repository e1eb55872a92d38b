//! What would have run alone under a looser profile: the evidence that somebody gets before
//! they choose one.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::{Policy, Profile};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::State;
use exacta_core::record::ActorKind;

use super::error::GateError;
use super::frozen::Replayed;
use super::handle::Gate;
use super::stored::PlanRecord;

/// The newest plans, judged once more under another profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// So many plans were looked at.
    pub plans: usize,
    /// So many of them would have run without asking.
    pub alone: usize,
    /// So many of those were rejected by a person, or sent back.
    pub turned_down: usize,
}

impl Gate<'_> {
    /// How the newest plans would have fared under a profile, each taken by itself on the
    /// files that it was made for.
    ///
    /// # Errors
    /// When policy cannot be read. A plan that cannot be judged any more would have asked.
    pub fn outlook(&self, profile: Profile, most: usize) -> Result<Outlook, GateError> {
        let policy = Policy { profile, autonomy_ceiling: profile, ..self.policy()? };
        let plans: Vec<PlanEntry> = {
            let ledger = self.log.ledger();
            let handed_in = ledger.plans().rev().filter(|plan| {
                plan.created.derived_from.is_none() && !plan.forgotten && plan.risk.is_some()
            });
            handed_in.take(most).cloned().collect()
        };
        let mut outlook = Outlook { plans: plans.len(), ..Outlook::default() };
        for plan in &plans {
            if self.runs_alone(plan, &policy) {
                outlook.alone += 1;
                outlook.turned_down += usize::from(was_turned_down(plan));
            }
        }
        Ok(outlook)
    }

    /// How many plans a person has decided on.
    #[must_use]
    pub fn decided_by_people(&self) -> usize {
        let ledger = self.log.ledger();
        ledger
            .plans()
            .filter(|plan| plan.state() == State::UserApproved || was_turned_down(plan))
            .count()
    }

    fn runs_alone(&self, plan: &PlanEntry, policy: &Policy) -> bool {
        let judged = PlanRecord::load(self.objects.as_ref(), plan).and_then(|record| {
            let tree = Replayed { tree: &record.tree, objects: &self.objects };
            self.examine_again(&record, &tree, policy)
        });
        let decision = judged.ok().and_then(|examined| examined.decision);
        decision.is_some_and(|decision| decision.kind >= Kind::AutoNotify)
    }
}

/// Whether a person said no to it, or wanted it changed.
fn was_turned_down(plan: &PlanEntry) -> bool {
    use exacta_core::life::lifecycle::{Cause, Phase};
    match &plan.phase {
        Phase::Rejected { actor, .. } => actor.kind == ActorKind::Person,
        Phase::Expired { cause, .. } => matches!(cause, Cause::ChangesRequested { .. }),
        _ => false,
    }
}
