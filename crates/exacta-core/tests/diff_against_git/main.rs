//! The diff readers against `git apply`, on generated files, diffs and damage.
//!
//! The promise: whatever we accept, git accepts too, with the same bytes and modes;
//! whatever git accepts and we refuse is one of the classes that
//! `docs/design/diffs.md` lists.
//!
//! `EXACTA_TEST_SEED` sets another seed; `EXACTA_TEST_FULL` runs ten times as many cases.

#[cfg(test)]
mod classes;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod git;
#[cfg(test)]
mod import;
#[cfg(test)]
mod property;
#[cfg(test)]
mod random;
#[cfg(test)]
mod strict;
#[cfg(test)]
mod trees;
#[cfg(test)]
mod unified;
#[cfg(test)]
mod unsupported;
