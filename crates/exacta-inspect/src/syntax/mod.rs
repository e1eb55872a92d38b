//! Syntax trees of eight languages, as far as scores need them.
//!
//! Input: the text of an image. Output: a [`Reading`]: whether it parses, which lines
//! hold code, what each function's complexity is, which items are public. Errors:
//! [`Unread`] when the parser ran out of steps. Next: [`compare`] makes facts of two
//! readings.

mod c;
mod compare;
mod declarators;
mod go;
mod grammar;
mod item;
mod java;
mod javascript;
mod javascript_names;
mod names;
mod python;
mod read;
mod rust;
mod tokens;
mod walk;

pub(crate) use compare::compare;
pub(crate) use grammar::language_of;
pub(crate) use read::{Reading, Unread, read};
pub use tokens::{Token, TokenKind, tokens};
