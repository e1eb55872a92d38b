//! What a change does, in one of four classes, and the risk that each has at least.
//!
//! Input: the changes, what paths prove and what the inspector found. Output: an
//! [`Classed`]: the worst class among all changes, one sentence why, one line of evidence,
//! and how much of the change was understood. Errors: none; what nobody proved changes
//! behaviour. Next: the class is the floor of the risk, so that the decision table decides.

mod altered;
mod judged;
mod model;
mod proofs;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use altered::{Altered, altered};
pub(crate) use judged::{of, worst_of};
pub use model::{Class, Classed};
pub(crate) use proofs::Proofs;
pub use table::{Raise, class_of};
