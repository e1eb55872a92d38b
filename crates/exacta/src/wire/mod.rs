//! The stable JSON shapes, each with a schema.

mod check;
mod draft_schema;
mod format;
mod gate;
mod policy;
mod recipe;
mod results;
mod upkeep;

pub(crate) use check::{CheckReport, exit_of_check};
pub(crate) use format::Format;
pub(crate) use gate::{CheckpointReport, DiffReport, ProposeReport, VerifyReport, exit_of_run};
pub(crate) use policy::{
    CedarEffect, CedarPolicyRow, CheckedFile, PolicyCheckReport, PolicyFile, PolicyReport,
    PolicyTestReport, TestedCase,
};
pub(crate) use recipe::{
    OverlayReport, OverlayRow, RecipeRow, RecipesReport, ScheduleRow, SchedulesReport,
};
pub(crate) use results::{ResultsReport, VerifiedCase, VerifyExecutorReport};
pub(crate) use upkeep::{
    CodeReport, CredentialReport, DoctorFinding, DoctorReport, ErrorReport, Mood,
    PolicyConfirmReport, PolicySetReport, ProjectReport, RefusedFile,
};
