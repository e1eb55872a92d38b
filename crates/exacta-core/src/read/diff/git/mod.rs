//! The importer of patches: what git and `diff -u` write.
//!
//! Input: bytes. Output: [`GitPatch`], one [`FilePatch`] for each file. Errors: every
//! [`PatchFault`] that was found, at most one for each section. Next stage: the import of
//! patches, which applies each file on the current tree.
//!
//! Only what these programs write is read, in the order in which they write it: a section of
//! git is `diff --git`, mode lines, similarity and rename lines, `index`, then `---`, `+++`
//! and hunks or a binary patch; one of `diff` has names, times and hunks. Mail headers and
//! messages may stand before a diff of git, and several of them are a series; so may the summary
//! of `--stat` and its kin. Whatever is
//! missing, contradictory or in between refuses the patch.

mod binary;
mod envelope;
mod fault;
mod header;
mod name;
mod parse;
mod patch;
mod plain;
mod section;
mod squash;
mod summary;

#[cfg(test)]
mod forms;
#[cfg(test)]
mod tests;

pub use fault::{PatchFault, PatchProblem, Section};
pub use patch::{FileOp, FilePatch, GitMode, GitPatch};
pub use summary::leads_to_a_patch;
