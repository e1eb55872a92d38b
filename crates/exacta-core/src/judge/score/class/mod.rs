//! What a change does, in one of four classes, and the risk that each has at least.
//!
//! Input: the changes, what paths prove and what the inspector found. Output: an
//! [`Classed`]: the worst class among all changes, one sentence why, one line of evidence,
//! and how much of the change was understood. Errors: none; what nobody proved changes
//! behaviour. Next: the class is to be the floor of the risk, so that the decision table
//! decides; the scores do not look at it yet.

mod altered;
mod judged;
mod model;
mod proofs;
mod table;
#[cfg(test)]
mod tests;

pub use judged::classify;
pub use model::{Class, Classed};
pub use table::{Raise, class_of};
