//! The review: what a person sees before deciding, and how the decision is taken.
//!
//! Input: a [`ReviewPlan`], read from the store by the caller. Output: text
//! ([`show`], [`diff`]) or a [`Choice`] ([`ask`]). Everything that claims to be an effect
//! is derived from the changes that will run; the planner's words stand apart, at the
//! end, marked. Nothing is cut off and nothing is obeyed: untrusted text passes
//! [`text`] before it becomes a line, and [`Look::finish`] once more before it leaves.

mod ask;
mod breaks;
mod diff;
mod document;
mod foot;
mod help;
mod key;
mod look;
mod outcome;
mod pager;
mod plan;
mod prompt;
mod search;
mod section;
mod select;
mod terminal;
#[cfg(test)]
mod tests;
mod text;
mod wrap;

pub(crate) use ask::ask;
pub(crate) use look::{Look, becomes};
pub(crate) use outcome::{diff, show};
pub(crate) use plan::{Choice, ReviewPlan};
pub(crate) use section::time;
pub(crate) use terminal::{Terminal, hand_over_signals};
pub(crate) use text::{columns, columns_of};
