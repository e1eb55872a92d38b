//! The stable JSON shapes, each with a schema.

mod check;
mod format;
mod results;

pub(crate) use check::CheckReport;
pub(crate) use format::Format;
pub(crate) use results::ResultsReport;
