//! Schedules: recipes that are handed in again and again.
//!
//! Input: the arguments of a `ScheduleRun` step that a person approved. Output: when the recipe
//! is due ([`When`]), and what is kept of it ([`Schedules`]). A schedule runs nothing: whoever
//! fires it makes a fresh plan, which goes the way of every other plan.

mod store;
mod when;

pub use store::{Progress, Schedule, Schedules};
pub use when::{When, WhenFault, local, now_ms};
