//! Refuses what a step may not do: at validation, at preflight and right before each
//! effect, by one function.

mod check;
mod meter;

pub use check::{Question, check};
pub use meter::Meter;
