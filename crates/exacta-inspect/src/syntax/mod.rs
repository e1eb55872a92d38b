//! Syntax trees of eight languages, as far as scores need them.
//!
//! Input: the text of an image. Output: a [`Reading`]: whether it parses, which lines
//! hold code, what each function's complexity is, which items are public. Errors:
//! [`Unread`] when the parser takes more than it may. Next: [`compare`] makes facts of two
//! readings.

mod c;
mod compare;
mod conditions;
mod declarators;
mod effects;
mod field;
mod go;
mod grammar;
mod item;
mod java;
mod javascript;
mod javascript_members;
mod javascript_names;
mod meter;
mod names;
mod python;
mod read;
mod requests;
mod rust;
mod share;
mod successor;
mod surface;
mod tokens;
mod walk;

pub(crate) use compare::compare;
pub(crate) use conditions::Turn;
pub(crate) use effects::{reaches_out, unknown, weigh};
pub(crate) use grammar::language_of;
pub(crate) use meter::Allowance;
pub(crate) use read::{Lines, Reading, Unread, read};
pub(crate) use requests::may_end_the_process;
pub(crate) use surface::{Surface, meet, surface};
pub use tokens::tokens;
