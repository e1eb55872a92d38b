//! The states of a plan and why it expired.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::Overdue;
use crate::model::id::{PlanId, RunId};
use crate::record::{Actor, Approval};

/// Where a plan is in its life.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Pending,
    /// The decision table let it pass.
    AutoApproved,
    /// A person approved it.
    UserApproved,
    /// It will never run.
    Rejected,
    /// It was made for another state of things.
    Expired,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::AutoApproved, Self::UserApproved, Self::Rejected, Self::Expired];

    /// Whether a plan in this state can be decided on or run, unless it has run already.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::AutoApproved | Self::UserApproved)
    }

    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::AutoApproved => "auto_approved",
            Self::UserApproved => "user_approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    /// Whether an approval is on the record.
    #[must_use]
    pub const fn is_approved(self) -> bool {
        matches!(self, Self::AutoApproved | Self::UserApproved)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An approval on the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The approval.
    pub approval: Approval,
    /// When, for people.
    pub time: String,
    /// Whether the decision table gave it and nobody was asked.
    pub unasked: bool,
}

/// Where a plan is in its life, with what the record says about that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Phase {
    /// It waits for a person.
    Pending {
        /// Whether a person postponed it.
        paused: bool,
    },
    /// It may run, once.
    Approved {
        /// The approval.
        grant: Grant,
        /// The run that the approval was spent on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_id: Option<RunId>,
    },
    /// It will never run.
    Rejected {
        /// Who rejected it.
        actor: Actor,
        /// Why.
        reason: String,
        /// When, for people.
        time: String,
    },
    /// It was made for another state of things.
    Expired {
        /// Why.
        cause: Cause,
        /// The approval it had, unused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Grant>,
        /// When, for people.
        time: String,
    },
}

impl Phase {
    /// The state that everybody sees.
    #[must_use]
    pub const fn state(&self) -> State {
        match self {
            Self::Pending { .. } => State::Pending,
            Self::Approved { grant, .. } if grant.unasked => State::AutoApproved,
            Self::Approved { .. } => State::UserApproved,
            Self::Rejected { .. } => State::Rejected,
            Self::Expired { .. } => State::Expired,
        }
    }

    /// The approval, also of a plan that expired unused.
    #[must_use]
    pub const fn grant(&self) -> Option<&Grant> {
        match self {
            Self::Approved { grant, .. } | Self::Expired { grant: Some(grant), .. } => Some(grant),
            _ => None,
        }
    }

    /// Why it expired, if it did.
    #[must_use]
    pub const fn expiry(&self) -> Option<&Cause> {
        match self {
            Self::Expired { cause, .. } => Some(cause),
            _ => None,
        }
    }

    /// The run that its approval was spent on.
    #[must_use]
    pub const fn run_id(&self) -> Option<&RunId> {
        match self {
            Self::Approved { run_id, .. } => run_id.as_ref(),
            _ => None,
        }
    }
}

/// Why a plan expired. Never called a denial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cause", rename_all = "snake_case", deny_unknown_fields)]
pub enum Cause {
    /// Its time was over.
    Deadline {
        /// How that was noticed.
        overdue: Overdue,
    },
    /// Files that the plan changes are not what it was made for.
    TargetsChanged {
        /// What changed, vanished or appeared.
        changes: Vec<String>,
    },
    /// The project configuration is not what the plan was made under.
    ConfigurationChanged {
        /// What changed, vanished or appeared.
        changes: Vec<String>,
    },
    /// The project answers otherwise than when the plan was judged.
    ContextChanged {
        /// What is no longer true.
        changes: Vec<String>,
    },
    /// The session that the plan belongs to is over.
    SessionEnded,
    /// The project lies elsewhere now.
    ProjectMoved,
    /// A person asked for another plan.
    ChangesRequested {
        /// What they asked for.
        request: String,
    },
    /// Some of its steps live on in a derived plan.
    StepsSelected {
        /// The derived plan.
        derived: PlanId,
        /// What was asked for in place of the rest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A fresh plan took its place.
    Renewed {
        /// The fresh plan.
        renewed: PlanId,
    },
}

impl Cause {
    /// The plan that took the place of the one that expired.
    #[must_use]
    pub fn successor(&self) -> Option<&PlanId> {
        match self {
            Self::StepsSelected { derived, .. } => Some(derived),
            Self::Renewed { renewed } => Some(renewed),
            _ => None,
        }
    }

    /// The written form of the kind.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Deadline { .. } => "deadline",
            Self::TargetsChanged { .. } => "targets_changed",
            Self::ConfigurationChanged { .. } => "configuration_changed",
            Self::ContextChanged { .. } => "context_changed",
            Self::SessionEnded => "session_ended",
            Self::ProjectMoved => "project_moved",
            Self::ChangesRequested { .. } => "changes_requested",
            Self::StepsSelected { .. } => "steps_selected",
            Self::Renewed { .. } => "renewed",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline { overdue: Overdue::Reached } => f.write_str("its time was over"),
            Self::Deadline { overdue: Overdue::OtherBoot } => {
                f.write_str("the machine was restarted since")
            }
            Self::Deadline { overdue: Overdue::ClockTurnedBack } => {
                f.write_str("a clock was turned back, so its age cannot be told")
            }
            Self::TargetsChanged { changes } => {
                write!(f, "files changed since: {}", changes.join("; "))
            }
            Self::ConfigurationChanged { changes } => {
                write!(f, "the project configuration changed since: {}", changes.join("; "))
            }
            Self::ContextChanged { changes } => {
                write!(f, "what it was judged by changed since: {}", changes.join("; "))
            }
            Self::SessionEnded => f.write_str("its session is over"),
            Self::ProjectMoved => f.write_str("the project was moved since"),
            Self::ChangesRequested { request } => write!(f, "changes were requested: {request}"),
            Self::StepsSelected { derived, request: None } => {
                write!(f, "some of its steps were approved as the plan {derived}")
            }
            Self::StepsSelected { derived, request: Some(request) } => write!(
                f,
                "parts of it were approved as the plan {derived}, and changes of the rest were \
                 requested: {request}"
            ),
            Self::Renewed { renewed } => write!(f, "the plan {renewed} took its place"),
        }
    }
}
