//! Whether a plan may run alone: reject, wait, run and tell, run.
//!
//! Input: [`DecideInput`]: an assessed subject, the profile and the ceiling in force,
//! the verdicts of policy rules, what the proposer's other plans have already done.
//! Output: a [`Decision`], never without its reasons. Errors: none; what is not known
//! makes the plan wait. Rules and questions can only tighten. Next stage: the lifecycle.

mod asks;
mod decision;
mod input;
mod judge;
mod reason;
mod session;
mod setting;
pub mod table;

#[cfg(test)]
mod tests;

pub use decision::{Decision, Kind};
pub use input::DecideInput;
pub use judge::decide;
pub use reason::{Reason, ReasonKind};
pub use session::{Budget, SessionTotals, Spend};
pub use setting::Setting;
