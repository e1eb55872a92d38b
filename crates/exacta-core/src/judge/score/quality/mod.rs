//! How good a plan is: five dimensions, the overall, and its caps.
//!
//! Input: the basis of a subject. Output: [`Quality`]. One file per dimension; each
//! returns what it found with the points lost, and nothing else. In every dimension the
//! worst step counts, so good steps beside it gain nothing. Errors: none. Next stage:
//! the decision.

mod clarity;
mod completeness;
mod coverage;
mod feasibility;
mod model;
mod safety;
mod specificity;
mod weigh;

pub use model::{Dimensions, Quality, Scored};
pub(super) use weigh::of;
