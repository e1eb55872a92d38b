//! The importer of `git diff` output.
//!
//! Input: bytes. Output: [`GitPatch`], one [`FilePatch`] for each file. Errors: every
//! [`PatchFault`] that was found, at most one for each section. Next stage: the front
//! end of `--patch`, which applies each file on the current tree.
//!
//! Only what git itself writes is read, in the order in which git writes it: a section
//! is `diff --git`, mode lines, similarity and rename lines, `index`, `---`, `+++` and
//! hunks. Whatever is missing, contradictory or in between refuses the patch.

mod fault;
mod header;
mod name;
mod parse;
mod patch;
mod section;

#[cfg(test)]
mod tests;

pub use fault::{PatchFault, PatchProblem, Section};
pub use patch::{FileOp, FilePatch, GitMode, GitPatch};
