//! The life of a plan: every state, every act, and the events that follow.
//!
//! [`permits`] says whether an act may happen now, before anything is computed or asked for
//! it; [`advance`] gives the events that record it. Both are one table, so what was
//! permitted and what is appended cannot differ.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::clock::{Deadline, Moment};
use super::refusal::Refusal;
use super::state::{Cause, Phase};
use crate::judge::decide::Spend;
use crate::model::id::PlanId;
use crate::record::{Approval, Event};

/// Everything about a plan that its life depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life<'p> {
    /// The plan.
    pub plan_id: &'p PlanId,
    /// Where it is on the record.
    pub phase: &'p Phase,
    /// When it expires.
    pub deadline: &'p Deadline,
    /// Whether its session is still held.
    pub session_held: bool,
}

/// The clocks that a life is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Clocks<'c> {
    /// Now.
    pub now: &'c Moment,
    /// The newest moment on the record.
    pub newest: Option<&'c Moment>,
}

/// What somebody wants of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Let it run without asking, as the decision table says.
    AutoApprove,
    /// Approve it.
    Approve,
    /// Approve some of its steps, as a plan of their own.
    Select,
    /// Reject it.
    Reject,
    /// Ask for another plan.
    RequestChanges,
    /// Postpone it.
    Pause,
    /// Put a fresh plan of the same draft in its place.
    Renew,
    /// Start its run.
    Start,
}

/// An act, with what the record says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The decision table approved it.
    AutoApprove {
        /// The approval.
        approval: Box<Approval>,
        /// What it takes out of the session budget.
        spend: Spend,
    },
    /// A person approved it.
    Approve {
        /// The approval.
        approval: Box<Approval>,
    },
    /// A person approved some of its steps.
    Select {
        /// The plan that holds them.
        derived: PlanId,
        /// What they asked for in place of the rest.
        request: Option<String>,
    },
    /// A person or the decision table rejected it.
    Reject {
        /// Why.
        reason: String,
    },
    /// A person asked for another plan.
    RequestChanges {
        /// What they asked for.
        request: String,
    },
    /// A person postponed it.
    Pause,
    /// A fresh plan took its place.
    Renew {
        /// The fresh plan.
        renewed: PlanId,
    },
    /// What it was made for is gone.
    Expire {
        /// Why.
        cause: Cause,
    },
    /// A run starts.
    Start {
        /// The entry that says so.
        started: Box<Event>,
    },
}

impl Act {
    /// What it does; an expiry is nobody's wish.
    const fn verb(&self) -> Option<Verb> {
        Some(match self {
            Self::AutoApprove { .. } => Verb::AutoApprove,
            Self::Approve { .. } => Verb::Approve,
            Self::Select { .. } => Verb::Select,
            Self::Reject { .. } => Verb::Reject,
            Self::RequestChanges { .. } => Verb::RequestChanges,
            Self::Pause => Verb::Pause,
            Self::Renew { .. } => Verb::Renew,
            Self::Start { .. } => Verb::Start,
            Self::Expire { .. } => return None,
        })
    }

    /// The entry that records it.
    fn event(self, plan_id: &PlanId) -> Event {
        let plan_id = plan_id.clone();
        let expired = |cause| Event::PlanExpired { cause, plan_id: plan_id.clone() };
        match self {
            Self::AutoApprove { approval, spend } => {
                Event::PlanApproved { approval, spend: Some(spend) }
            }
            Self::Approve { approval } => Event::PlanApproved { approval, spend: None },
            Self::Reject { reason } => Event::PlanRejected { plan_id, reason },
            Self::Pause => Event::PlanPaused { plan_id },
            Self::Start { started } => *started,
            Self::Select { derived, request } => expired(Cause::StepsSelected { derived, request }),
            Self::RequestChanges { request } => expired(Cause::ChangesRequested { request }),
            Self::Renew { renewed } => expired(Cause::Renewed { renewed }),
            Self::Expire { cause } => expired(cause),
        }
    }
}

/// Whether an act may happen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Permission {
    /// It may.
    Granted,
    /// The plan is out of time or out of session, which the record does not say yet.
    Over(Cause),
    /// Its life does not allow it.
    Refused(Refusal),
}

/// What follows from an act.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// These go on the record; renewing a plan that is over adds nothing about it.
    Append(Vec<Event>),
    /// The act came too late: instead the expiry goes on the record.
    Expired {
        /// Why.
        cause: Cause,
        /// The entry that says so.
        event: Event,
    },
    /// Nothing happens.
    Refused(Refusal),
}

/// Whether `verb` may happen to a plan now.
pub fn permits(life: Life<'_>, verb: Verb, clocks: Clocks<'_>) -> Permission {
    match live(life.phase) {
        // A fresh plan of an expired or used one changes nothing about that one.
        Err(Refusal::Expired { .. } | Refusal::Used { .. }) if verb == Verb::Renew => {
            return Permission::Granted;
        }
        Err(refusal) => return Permission::Refused(refusal),
        Ok(()) => {}
    }
    match over(life, clocks) {
        // Renewing is what one does with a plan whose time is over.
        Some(cause) if verb != Verb::Renew => Permission::Over(cause),
        _ => allowed(life.phase, verb).map_or_else(Permission::Refused, |()| Permission::Granted),
    }
}

/// What the record says once `act` has happened to a plan now.
pub fn advance(life: Life<'_>, act: Act, clocks: Clocks<'_>) -> Step {
    let gone = over(life, clocks);
    let granted = match act.verb() {
        Some(verb) => permits(life, verb, clocks),
        None => live(life.phase).map_or_else(Permission::Refused, |()| Permission::Granted),
    };
    match (granted, act, gone) {
        (Permission::Refused(refusal), ..) => Step::Refused(refusal),
        (Permission::Over(cause), ..)
        | (_, Act::Expire { .. }, Some(cause))
        | (_, Act::Expire { cause }, None) => {
            Step::Expired { event: Act::Expire { cause: cause.clone() }.event(life.plan_id), cause }
        }
        // A plan that is over already stays as it is; one whose time just ended says so.
        (_, Act::Renew { .. }, Some(cause)) => {
            Step::Append(vec![Act::Expire { cause }.event(life.plan_id)])
        }
        (_, Act::Renew { .. }, None) if live(life.phase).is_err() => Step::Append(Vec::new()),
        (_, act, _) => Step::Append(vec![act.event(life.plan_id)]),
    }
}

/// Why a plan is over by the clocks or its session, where the record does not say it yet.
#[must_use]
pub fn over(life: Life<'_>, clocks: Clocks<'_>) -> Option<Cause> {
    live(life.phase).ok()?;
    if let Some(overdue) = life.deadline.overdue(clocks.now, clocks.newest) {
        return Some(Cause::Deadline { overdue });
    }
    (!life.session_held).then_some(Cause::SessionEnded)
}

/// Whether the record leaves anything to decide or to run.
fn live(phase: &Phase) -> Result<(), Refusal> {
    match phase {
        Phase::Pending { .. } | Phase::Approved { run_id: None, .. } => Ok(()),
        Phase::Approved { run_id: Some(run_id), .. } => {
            Err(Refusal::Used { run_id: run_id.clone() })
        }
        Phase::Rejected { reason, .. } => Err(Refusal::Rejected { reason: reason.clone() }),
        Phase::Expired { cause, .. } => Err(Refusal::Expired { cause: cause.clone() }),
    }
}

/// The table: what a plan lets happen that is neither over nor used.
fn allowed(phase: &Phase, verb: Verb) -> Result<(), Refusal> {
    match (phase, verb) {
        (Phase::Pending { .. }, Verb::Start) => Err(Refusal::NotApproved),
        (Phase::Pending { .. }, _) | (_, Verb::Start | Verb::RequestChanges | Verb::Renew) => {
            Ok(())
        }
        (_, Verb::AutoApprove | Verb::Approve | Verb::Select | Verb::Reject | Verb::Pause) => {
            Err(Refusal::AlreadyApproved)
        }
    }
}

#[cfg(test)]
mod tests;
