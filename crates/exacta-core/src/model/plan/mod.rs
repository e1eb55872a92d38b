//! What a plan is: the draft a planner wrote, the plan made of it, and their hashes.
//!
//! Only [`parse`](crate::read::parse) makes a [`Draft`] from planner text, and only
//! [`examine`](crate::judge::examine) makes a [`Plan`].

mod action;
mod constraint;
mod contract;
mod draft;
mod effect;
mod estimates;
mod form;
mod select;

pub use action::{Action, Content, DraftMode, Edit, FileAction, Payload, ToolCall};
pub use constraint::{Constraint, Effective, Origin};
pub use contract::{ASSESSOR_VERSION, Plan, PlanForm, differing_part};
pub use draft::{Draft, Execution, Recipe, RiskTier, Step};
pub use estimates::{Bucket, Confidence, CostBand, Estimates};
pub use form::StepForm;
pub use select::{SelectFault, replace, select};
