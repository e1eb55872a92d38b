//! Target paths: rule PV-4 as a type.
//!
//! Input: a planner's string. Output: [`RelPath`], the proof that the string is a
//! canonical, relative path that means the same file on every system. Errors:
//! [`PathFault`]. Next stage: the dry run, which resolves the path below the root.

mod autorun;
mod autorun_alike;
mod autorun_names;
mod autorun_program;
mod autorun_shapes;
mod device;
mod fold;
mod look_alikes;
mod reserved;
mod rules;
mod shapes;
mod skeleton;
mod slashes;

pub use autorun::{AutoRun, auto_run};
pub use autorun_alike::auto_run_alike;
pub use autorun_program::auto_run_program;
pub use fold::{fold_key, is_hidden, look_alike_key, look_alike_key_of_capitals, reads_as};
pub use reserved::reserved_in;
pub use rules::{PathFault, RelPath};
pub use skeleton::skeleton;
pub use slashes::read_as_path;
