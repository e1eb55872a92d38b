//! What a plan does → how risky it is and how good it is, every point with its evidence.
//!
//! Input: a [`Subject`]: the draft, its changes and images, the facts about them, what
//! the person asked. Output: an [`Assessment`]. Errors: none; what could not be found
//! out costs points. Pure: no clock, no randomness, integers only, and the planner's
//! own words weigh nothing in the risk. Every number stands in [`table`]. Next stage:
//! [`decide`](crate::judge::decide).

mod assess;
mod basis;
mod class;
mod evidence;
mod intent;
mod quality;
mod risk;
mod subject;
pub mod table;
mod thousandths;
mod wording;

#[cfg(test)]
pub(crate) mod properties;
#[cfg(test)]
pub(crate) mod sample;

pub use assess::{Assessment, assess};
pub(crate) use basis::Basis;
pub(crate) use class::{Altered, Proofs, altered, worst_of};
pub use class::{Class, Classed, Raise, class_of};
pub use evidence::Evidence;
pub use quality::{Dimensions, Quality, Scored};
pub use risk::{FactorScore, Floor, Level, Risk};
pub use subject::Subject;
pub use thousandths::Thousandths;
