//! Policy text → [`Layer`](super::Layer).
//!
//! Input: the bytes of one policy file. Output: what it says, typed. Errors: every
//! mistake in one pass, each with line, column, key and what is allowed there; a file
//! with a mistake gives no layer at all. Next stage: [`merge`](super::merge()).

mod entries;
mod file;
mod findings;
mod rule;
mod table;
mod tools;
mod values;

pub use file::read;
