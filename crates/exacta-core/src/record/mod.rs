//! What goes on the record, and how an entry is sealed into the chain.
//!
//! Input: events with their actor and moment. Output: lines, each linked to the raw
//! bytes of the one before it. Pure: whoever stores lines asks [`seal`] for the next one
//! and [`read`] for what a stored one says. Errors: [`LineFault`]. Next stage: the
//! [`ledger`](crate::life::ledger), which folds entries into the state of every plan.

mod approval;
mod chain;
mod entry;
mod event;
mod part;

pub use approval::{Approval, Assurance, PasskeyAssertion, PickedHunks};
pub use chain::{
    Head, LineFault, NOTHING_BEFORE, Sealed, Stamp, link, previous, read, read_vouched, seal,
    signed_part, to_sign, with_signature, written,
};
pub use entry::{Actor, ActorKind, CommandKey, Entry};
pub use event::{Event, VERSION};
pub use part::{Beginning, PlanCreated, PolicySeen, Provider, RunKind, StepEnd, StepSpend};
