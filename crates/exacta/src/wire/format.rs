//! The formats that have a schema.

use exacta_core::model::plan::{Draft, PlanForm};
use exacta_core::results;
use exacta_engine::gate::{
    Collected, Decided, Forgotten, List, Ran, Recovered, StatusReport, Undone,
};
use exacta_engine::policy::CEDAR_SCHEMA;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::check::CheckReport;
use super::draft_schema;
use super::gate::{CheckpointReport, DiffReport, ProposeReport, VerifyReport};
use super::policy::{PolicyCheckReport, PolicyReport, PolicyTestReport};
use super::recipe::{OverlayReport, RecipesReport, SchedulesReport};
use super::results::{ResultsReport, VerifyExecutorReport};
use super::upkeep::{
    CodeReport, CredentialReport, DoctorReport, ErrorReport, PolicyConfirmReport, PolicySetReport,
    ProjectReport,
};

/// A format with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// What a planner hands in.
    Draft,
    /// What the plan hash covers.
    Plan,
    /// What `check --json` prints.
    Check,
    /// What an executor hands back after a run.
    Results,
    /// What `results check --json` prints.
    ResultsCheck,
    /// What `results verify --json` prints.
    ResultsVerify,
    /// What `policy show --json` prints.
    PolicyShow,
    /// What `policy check --json` prints.
    PolicyCheck,
    /// What `policy test --json` prints.
    PolicyTest,
    /// What `policy credential --json` prints.
    PolicyCredential,
    /// What `policy set --json` prints.
    PolicySet,
    /// What `policy confirm --json` prints.
    PolicyConfirm,
    /// What `propose --json` prints.
    Propose,
    /// What `approve`, `renew`, `reject`, `changes` and `pause` print as JSON.
    Decision,
    /// What `run --json` prints.
    Run,
    /// What `undo --json` and `redo --json` print.
    Undo,
    /// What `list --json` and `demo --json` print.
    List,
    /// What `status --json` prints.
    Status,
    /// What `diff --json` prints.
    Diff,
    /// What `verify --json` prints.
    Verify,
    /// What `checkpoint` prints.
    Checkpoint,
    /// What `recover --json` prints.
    Recover,
    /// What `stats --json` prints.
    Stats,
    /// What `init --json` and `adopt --json` print.
    Project,
    /// What `gc --json` prints.
    Gc,
    /// What `forget --json` prints.
    Forget,
    /// What `doctor --json` prints.
    Doctor,
    /// What `explain CODE --json` prints.
    Explain,
    /// What `recipe list --json` prints.
    RecipeList,
    /// What `recipe schedule list` prints as JSON.
    RecipeSchedules,
    /// What `recipe overlay` prints as JSON.
    RecipeOverlay,
    /// A line of the record, as `log --json` prints it.
    Log,
    /// What every command prints with `--json` when it cannot do what it was asked for.
    Error,
    /// What a `policy.cedar` can be about, in Cedar's own notation.
    Cedar,
}

impl Format {
    /// The name, as typed.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Plan => "plan",
            Self::Check => "check",
            Self::Results => "results",
            Self::ResultsCheck => "results-check",
            Self::ResultsVerify => "results-verify",
            Self::PolicyShow => "policy-show",
            Self::PolicyCheck => "policy-check",
            Self::PolicyTest => "policy-test",
            Self::PolicyCredential => "policy-credential",
            Self::PolicySet => "policy-set",
            Self::PolicyConfirm => "policy-confirm",
            Self::Propose => "propose",
            Self::Decision => "decision",
            Self::Run => "run",
            Self::Undo => "undo",
            Self::List => "list",
            Self::Status => "status",
            Self::Diff => "diff",
            Self::Verify => "verify",
            Self::Checkpoint => "checkpoint",
            Self::Recover => "recover",
            Self::Stats => "stats",
            Self::Project => "project",
            Self::Gc => "gc",
            Self::Forget => "forget",
            Self::Doctor => "doctor",
            Self::Explain => "explain",
            Self::RecipeList => "recipe-list",
            Self::RecipeOverlay => "recipe-overlay",
            Self::RecipeSchedules => "recipe-schedules",
            Self::Log => "log",
            Self::Error => "error",
            Self::Cedar => "cedar",
        }
    }

    /// The name of the schema's file.
    pub(crate) fn file(self) -> String {
        match self {
            Self::Cedar => "policy.cedarschema".into(),
            _ => format!("{}.schema.json", self.name()),
        }
    }

    /// The schema as text, with a line end.
    ///
    /// # Errors
    /// Never for schemas of ours; the writer's error is passed on.
    pub(crate) fn text(self) -> Result<String, serde_json::Error> {
        match self.schema() {
            Some(schema) => {
                let mut value = schema.to_value();
                value.sort_all_objects();
                // As a schema again: it writes the keywords in the order that people expect.
                let schema = Schema::try_from(value)?;
                Ok(serde_json::to_string_pretty(&schema)? + "\n")
            }
            None => Ok(CEDAR_SCHEMA.into()),
        }
    }

    /// The schema, JSON Schema 2020-12; `None` for a format that is not JSON.
    fn schema(self) -> Option<Schema> {
        let settings = SchemaSettings::draft2020_12();
        Some(match self {
            Self::Cedar => return None,
            // What is read: several spellings, absent fields.
            Self::Draft => {
                let settings =
                    settings.for_deserialize().with_transform(RecursiveTransform(absent_not_null));
                let mut schema = settings.into_generator().into_root_schema_for::<Draft>();
                draft_schema::tighten(&mut schema);
                schema
            }
            // What is written: one spelling.
            Self::Plan => {
                settings.for_serialize().into_generator().into_root_schema_for::<PlanForm<'_>>()
            }
            Self::Check => {
                settings.for_serialize().into_generator().into_root_schema_for::<CheckReport>()
            }
            Self::Results => results::schema(),
            Self::ResultsCheck => {
                settings.for_serialize().into_generator().into_root_schema_for::<ResultsReport>()
            }
            Self::ResultsVerify => settings
                .for_serialize()
                .into_generator()
                .into_root_schema_for::<VerifyExecutorReport>(),
            Self::PolicyShow => {
                settings.for_serialize().into_generator().into_root_schema_for::<PolicyReport>()
            }
            Self::PolicyCheck => settings
                .for_serialize()
                .into_generator()
                .into_root_schema_for::<PolicyCheckReport>(),
            Self::PolicyTest => {
                settings.for_serialize().into_generator().into_root_schema_for::<PolicyTestReport>()
            }
            Self::PolicyCredential => {
                settings.for_serialize().into_generator().into_root_schema_for::<CredentialReport>()
            }
            Self::PolicySet => {
                settings.for_serialize().into_generator().into_root_schema_for::<PolicySetReport>()
            }
            Self::PolicyConfirm => settings
                .for_serialize()
                .into_generator()
                .into_root_schema_for::<PolicyConfirmReport>(),
            Self::Propose => {
                settings.for_serialize().into_generator().into_root_schema_for::<ProposeReport>()
            }
            Self::Decision => {
                settings.for_serialize().into_generator().into_root_schema_for::<Decided>()
            }
            Self::Run => settings.for_serialize().into_generator().into_root_schema_for::<Ran>(),
            Self::Undo => {
                settings.for_serialize().into_generator().into_root_schema_for::<Undone>()
            }
            Self::RecipeList => {
                settings.for_serialize().into_generator().into_root_schema_for::<RecipesReport>()
            }
            Self::RecipeSchedules => {
                settings.for_serialize().into_generator().into_root_schema_for::<SchedulesReport>()
            }
            Self::RecipeOverlay => {
                settings.for_serialize().into_generator().into_root_schema_for::<OverlayReport>()
            }
            Self::List => settings.for_serialize().into_generator().into_root_schema_for::<List>(),
            Self::Status => {
                settings.for_serialize().into_generator().into_root_schema_for::<StatusReport>()
            }
            Self::Diff => {
                settings.for_serialize().into_generator().into_root_schema_for::<DiffReport>()
            }
            Self::Verify => {
                settings.for_serialize().into_generator().into_root_schema_for::<VerifyReport>()
            }
            Self::Checkpoint => {
                settings.for_serialize().into_generator().into_root_schema_for::<CheckpointReport>()
            }
            Self::Stats => settings
                .for_serialize()
                .into_generator()
                .into_root_schema_for::<crate::cli::StatsReport>(),
            Self::Recover => {
                settings.for_serialize().into_generator().into_root_schema_for::<Recovered>()
            }
            Self::Project => {
                settings.for_serialize().into_generator().into_root_schema_for::<ProjectReport>()
            }
            Self::Gc => {
                settings.for_serialize().into_generator().into_root_schema_for::<Collected>()
            }
            Self::Forget => {
                settings.for_serialize().into_generator().into_root_schema_for::<Forgotten>()
            }
            Self::Doctor => {
                settings.for_serialize().into_generator().into_root_schema_for::<DoctorReport>()
            }
            Self::Explain => {
                settings.for_serialize().into_generator().into_root_schema_for::<CodeReport>()
            }
            Self::Error => {
                settings.for_serialize().into_generator().into_root_schema_for::<ErrorReport>()
            }
            Self::Log => settings
                .for_serialize()
                .into_generator()
                .into_root_schema_for::<exacta_core::record::Entry>(),
        })
    }
}

/// An optional field of a draft is left out, never null.
fn absent_not_null(schema: &mut Schema) {
    let is_null = |value: &Value| value == "null" || value.get("type").is_some_and(|t| t == "null");
    for key in ["type", "anyOf"] {
        let Some(Value::Array(choices)) = schema.get_mut(key) else { continue };
        choices.retain(|choice| !is_null(choice));
        if let [only] = choices.as_slice() {
            let only = only.clone();
            schema.remove(key);
            match only {
                Value::Object(inner) => {
                    for (name, value) in inner {
                        schema.insert(name, value);
                    }
                }
                other => {
                    schema.insert(key.into(), other);
                }
            }
        }
    }
}
