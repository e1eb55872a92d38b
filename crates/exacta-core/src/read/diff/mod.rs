//! Unified diffs: from text to the exact bytes of a file.
//!
//! Input: the diff of a draft step ([`StrictDiff`]) or the output of `git diff`
//! ([`GitPatch`]). Output: the image after, computed from the image before. Errors:
//! [`DiffFault`] and [`PatchFault`], each with its line, column and advice. Next stage:
//! the dry run, which turns images into changes.
//!
//! Two front ends share one hunk reader and one way to apply hunks: at the exact line,
//! on the exact bytes, without offset and without fuzz. `docs/design/diffs.md` says why.

mod advice;
mod apply;
mod fault;
mod git;
mod hunk;
mod lines;
mod misfit;
mod problem;
mod range;
mod strict;

pub use fault::DiffFault;
pub use git::{
    FileOp, FilePatch, GitMode, GitPatch, PatchFault, PatchProblem, Section, leads_to_a_patch,
};
pub use hunk::MAX_HUNKS;
pub use misfit::Misfit;
pub use problem::{DiffProblem, Difference, FileSide};
pub use strict::{DiffKind, StrictDiff};
