//! What is known about a plan's changes: plain data that scoring reads.
//!
//! Input: nothing but a path (see [`of_path`]); everything that needs file contents is
//! found by `exacta-inspect`, which reads hostile bytes in a confined child. Output:
//! [`Fact`]s, integers and strings only. Errors: none; what could not be found out is
//! the fact `not_analysed`. Next stage: scoring.

mod answers;
mod beside;
mod defined;
mod describe;
mod effects;
mod fact;
mod found;
mod inspector;
mod kind;
mod named;
mod of_path;
mod packages;
mod readers;
mod references;
mod rename;
mod role;
mod runner;
mod standing;
mod taken_for;
mod vocabulary;

pub use answers::Answers;
pub use defined::defined_in;
pub use effects::{DataChange, GuardLoss, Reach, Sink};
pub use fact::{Fact, Report};
pub use found::{is_found_as_test, is_test_data};
pub use inspector::{Inspected, Inspector, Unread, not_analysed, question};
pub use kind::FactKind;
pub(crate) use named::named;
pub use of_path::{of_path, project_has_tests};
pub use packages::{Format, lock_file, manifest};
pub(crate) use readers::readers;
pub use readers::{readers_in, reads_document};
pub use references::settle;
pub(crate) use rename::{asked, moved_modules};
pub use role::{is_built_or_cached, is_documentation, is_test};
pub use runner::Runner;
pub use standing::{is_built_on, is_sample};
pub(crate) use taken_for::with_names;
pub use vocabulary::{
    Area, Danger, Ecosystem, FileRole, HiddenClass, Language, Placeholder, Proof, Reason, Secret,
    TestLoss, VersionStep, Whence,
};
