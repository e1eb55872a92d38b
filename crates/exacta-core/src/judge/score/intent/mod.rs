//! What a person's words name: paths, identifiers, quoted names. Plain words never count.
//!
//! Input: the intent. Output: [`Name`]s, each once, in the order of the text. Errors:
//! none; what is not surely a name is left out, because a name that no step touches
//! costs quality. Next stage: completeness.

mod name;
mod scan;

pub(super) use name::{Name, NameKind};
pub(super) use scan::names;
