//! Single values of a JSON file put in and taken out; every other byte stays.
//!
//! Settings are written by people: with comments, trailing commas and an order of their own. So
//! a file is never written anew. `read` finds where each value lies, `edit` exchanges only
//! the bytes of one value and its comma, and `layout` writes them as the file is laid out.

mod edit;
mod layout;
mod read;

pub(super) use edit::{with_entry, with_value, without};
pub(super) use read::{Step, value};
