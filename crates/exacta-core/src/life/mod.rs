//! The life of a plan: which states there are, what may follow what, what it is bound to.
//!
//! Input: the events of the record and the clocks. Output: the events to append, and every
//! plan and run as the record has them. Next stage: `record`.

pub mod binding;
pub mod ledger;
pub mod lifecycle;
