//! Target paths: rule PV-4 as a type.
//!
//! Input: a planner's string. Output: [`RelPath`], the proof that the string is a
//! canonical, relative path that means the same file on every system. Errors:
//! [`PathFault`]. Next stage: the dry run, which resolves the path below the root.

mod autorun;
mod autorun_names;
mod fold;
mod look_alikes;
mod reserved;
mod rules;
mod skeleton;

pub use autorun::{AutoRun, auto_run};
pub use fold::{fold_key, is_hidden, look_alike_key};
pub use reserved::reserved_in;
pub use rules::{PathFault, RelPath};
pub use skeleton::skeleton;
