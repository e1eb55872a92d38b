//! The stable JSON shapes, each with a schema.

mod check;
mod draft_schema;
mod format;
mod policy;
mod results;

pub(crate) use check::CheckReport;
pub(crate) use format::Format;
pub(crate) use policy::{
    CheckedFile, PolicyCheckReport, PolicyFile, PolicyReport, PolicyTestReport, TestedCase,
};
pub(crate) use results::ResultsReport;
