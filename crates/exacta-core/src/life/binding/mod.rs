//! What a plan was made by and under: model, policy, profile, ceiling.
//!
//! Input: the record of a plan and the state of the system before a run. Output:
//! [`Preflight`]. Errors: none; a value that nobody knows blocks. Next stage: the run.

mod preflight;
mod record;

pub use preflight::{Current, Difference, Preflight, Row, preflight};
pub use record::{PlanBinding, PlannerRequest, ProviderClass, Source};
