//! What can be proven of a change: that nothing that runs changes, or that something is
//! only added.
//!
//! Input: both images of a file and, where its syntax is read, both trees. Output: a
//! [`Proof`](exacta_core::judge::facts::Proof). Errors: none; whatever is in doubt is
//! [`Proof::Read`](exacta_core::judge::facts::Proof::Read), which proves nothing. Next:
//! the core takes the class of a change from its proof.
//!
//! A parser is not a compiler, so that equal trees alone prove nothing: [`doubts`] lists
//! where both are known to differ, [`comments`] which comments are more than prose.

mod added_tests;
mod additive;
mod assertions;
mod beyond;
mod blocks;
mod brought;
mod comments;
mod data;
mod discovered;
mod document_hosts;
mod document_lines;
mod document_samples;
mod document_words;
mod documents;
mod doubts;
mod inserted;
mod kinds;
mod layout;
mod literal;
mod locals;
mod members;
mod methods;
mod names;
mod orders;
mod proof;
mod prose;
mod rust_docs;
mod rust_macros;
mod scripts;
mod shell_lines;
mod steps;
mod tables;
mod tokens;
mod trees;
mod unreached;

pub(crate) use members::Tests;
pub(crate) use proof::{Looked, proof};
pub(crate) use trees::{Compared, compare_trees, new_tests};
