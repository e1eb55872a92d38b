//! What can come of a review.

use exacta_core::review::Obstacle;
use exacta_engine::gate::Parts;

use super::Kept;

/// What a person chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All of it.
    Approve,
    /// These steps, with everything they need, in execution order.
    Select(Vec<String>),
    /// These steps and hunks; the text says what should change in the rest, if anything.
    Parts(Parts, Option<String>),
    /// Not like this; the text says what should change.
    RequestChanges(String),
    /// No; the text says why.
    Reject(String),
    /// A fresh plan of the same draft, with what was left out kept.
    Renew(Kept),
    /// Nothing was decided.
    Later,
}

/// Why nothing can be approved, in words.
pub(super) fn why_not(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Refused => "this plan was refused and cannot be approved",
        Obstacle::Stale => "the project changed since the plan was made, so it cannot be approved",
        Obstacle::MissingImage => {
            "an image is missing, so what would be written cannot be shown or approved"
        }
    }
}
