//! The formats that have a schema.

use exacta_core::plan::{Draft, PlanForm};
use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::check::CheckReport;

/// A format with a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// What a planner hands in.
    Draft,
    /// What the plan hash covers.
    Plan,
    /// What `check --json` prints.
    Check,
}

impl Format {
    /// The name, as typed.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Plan => "plan",
            Self::Check => "check",
        }
    }

    /// The schema, JSON Schema 2020-12.
    pub(crate) fn schema(self) -> Schema {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        match self {
            Self::Draft => generator.into_root_schema_for::<Draft>(),
            Self::Plan => generator.into_root_schema_for::<PlanForm<'_>>(),
            Self::Check => generator.into_root_schema_for::<CheckReport>(),
        }
    }
}
