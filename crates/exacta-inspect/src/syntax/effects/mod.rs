//! What code does, read from its syntax tree: which branches refuse, what is called with
//! what, which values are put into texts that others obey.
//!
//! Input: a tree. Output: [`Effects`], one entry for each thing done, with a key that says
//! what it is whatever its layout. Errors: none. Next: [`weigh`] compares the effects of two
//! images; what an image no longer does, or newly does, becomes a fact.

mod altered;
mod branches;
mod calls;
mod exchanged;
#[cfg(test)]
mod exchanged_tests;
mod exits;
mod gather;
mod imports;
mod key;
mod literals;
mod losses;
#[cfg(test)]
mod losses_tests;
mod made;
mod operations;
mod opposites;
mod order;
mod passed_by;
mod reach;
mod role;
#[cfg(test)]
mod tests;
mod tests_weakened;
mod texts;
mod undone;
#[cfg(test)]
mod undone_tests;
mod units;
mod unknown;
mod unlike;
mod upkeep;
mod values;
mod weigh;
mod words;

pub(crate) use gather::{Effects, Pass};
pub(super) use role::{Role, role_of};
pub(crate) use unknown::unknown;
pub(crate) use weigh::weigh;
