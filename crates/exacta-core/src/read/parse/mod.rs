//! Planner text → [`Draft`](crate::model::plan::Draft).
//!
//! Input: any bytes a planner produced. Output: a `Draft` whose shape is sound, in its
//! one normalised form. Errors: findings with the codes of the parse stage; nothing is
//! repaired. Next stage: [`validate`](crate::read::validate).

mod claim;
mod constraint;
mod draft;
mod fence;
mod foreign;
mod import;
pub mod json;
mod json_words;
mod locate;
mod object;
mod refused;
mod rounded;
mod spelling;
mod step;

pub use constraint::{constraint_from_json, constraint_from_words};
pub use draft::{Limits, PLAN_FIELDS, draft};
pub(crate) use fence::document;
pub use import::{is_patch, locate_patch, patch, series};
pub(crate) use json_words::in_words;
pub use locate::locate;
pub use object::Field;
pub(crate) use object::nearest;
pub use step::STEP_FIELDS;
