//! What always asks for a person, whatever the score.
//!
//! Input: the input of the decision and the effective profile. Output: one reason for
//! each kind of question, with every place it arises. Errors: none. Next stage: the
//! decision.

mod collect;
mod content;
mod limits;
mod steps;

pub(super) use collect::of;
