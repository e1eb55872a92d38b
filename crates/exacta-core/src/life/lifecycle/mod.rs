//! The life of a plan as a pure machine: `(life, act, clocks) → events | refusal`.
//!
//! Input: a [`Life`] folded from the record, an [`Act`], the [`Clocks`]. Output: a [`Step`]:
//! the events that go on the record, an expiry instead, or a [`Refusal`]. Errors: none; every
//! phase knows every act. Next stage: the record, which seals the events;
//! [`ledger`](crate::life::ledger) folds exactly these.

mod clock;
mod machine;
mod refusal;
mod state;

pub use clock::{Deadline, Moment, Overdue};
pub use machine::{Act, Clocks, Life, Permission, Step, Verb, advance, over, permits};
pub use refusal::Refusal;
pub use state::{Cause, Grant, Phase, State};
