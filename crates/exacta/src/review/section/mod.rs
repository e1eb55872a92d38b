//! The parts of a review, one file each, in the order a person needs them.

mod changes;
mod compose;
mod constraints;
mod estimate;
mod files;
mod scores;
mod step;
mod steps;
mod why;
mod words;

pub(super) use changes::changes;
pub(super) use compose::compose;
pub(crate) use estimate::time;
pub(super) use step::step;
pub(super) use steps::effects;
