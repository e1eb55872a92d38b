//! The stable JSON shapes, each with a schema.

mod check;
mod format;

pub(crate) use check::CheckReport;
pub(crate) use format::Format;
