//! The life of a plan as a pure machine: `(life, verb, now) → events | refusal`.
//!
//! Input: a [`Life`] folded from the record, a [`Verb`] somebody wants, the [`Moment`].
//! Output: a [`Verdict`]: what happened to the plan, and why the verb was refused if it
//! was. Errors: none; every state knows every verb. Next stage: the record, which seals
//! the events that follow from the verdict.

mod clock;
mod machine;
mod refusal;
mod state;

pub use clock::{Deadline, Moment, Overdue};
pub use machine::{Life, Step, Use, Verb, Verdict, judge};
pub use refusal::Refusal;
pub use state::{Cause, State};
