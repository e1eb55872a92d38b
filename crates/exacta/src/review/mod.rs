//! The review at a terminal: one model painted, a person's choice taken.
//!
//! Input: a [`Subject`] of the core. Output: text ([`show`], [`diff`]) or a [`Choice`]
//! ([`ask`]). What is shown is the core's one review model; here are the state of a session
//! (position, selection, search), the painting of its rows at a width, and the keys.

mod ask;
mod choice;
mod document;
mod foot;
mod graph;
mod help;
mod kept;
mod key;
mod outcome;
mod pager;
mod patch;
mod prompt;
mod search;
mod select;
mod selection;
mod terminal;
#[cfg(test)]
mod tests;

use exacta_core::review::Subject;

pub(crate) use ask::ask;
pub(crate) use choice::Choice;
pub(crate) use kept::{Kept, Start};
pub(crate) use outcome::{diff, show};
pub(crate) use terminal::Terminal;
