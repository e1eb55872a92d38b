//! What the `exacta recipe` commands print as JSON.

use schemars::JsonSchema;
use serde::Serialize;

/// What `recipe list --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecipesReport {
    /// The recipes.
    pub(crate) recipes: Vec<RecipeRow>,
}

/// One recipe.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecipeRow {
    /// Its name, as plans write it.
    pub(crate) name: String,
    /// What it does.
    pub(crate) about: String,
    /// The primitives of its steps, in order; empty where a planner chooses them.
    pub(crate) steps: Vec<String>,
}

/// What `recipe overlay … --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OverlayReport {
    /// Every setting.
    pub(crate) settings: Vec<OverlayRow>,
}

/// One setting.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OverlayRow {
    /// Its name.
    pub(crate) name: String,
    /// Its value, as `set` takes it.
    pub(crate) value: String,
    /// What it takes.
    pub(crate) takes: String,
}

/// What `recipe schedule list --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SchedulesReport {
    /// Every schedule.
    pub(crate) schedules: Vec<ScheduleRow>,
}

/// A schedule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScheduleRow {
    /// Names it.
    pub(crate) schedule: String,
    /// The recipe.
    pub(crate) recipe: String,
    /// What it is for, in the words of whoever set it up.
    pub(crate) intent: String,
    /// When it is due, in words.
    pub(crate) when: String,
    /// The next time, in milliseconds since 1970.
    pub(crate) next_ms: Option<i64>,
    /// The last time.
    pub(crate) fired_ms: Option<i64>,
    /// The plan of the last firing.
    pub(crate) plan_id: Option<String>,
    /// How the last firing ended.
    pub(crate) outcome: Option<String>,
    /// How many firings in a row failed.
    pub(crate) failures: u32,
    /// The plan that a person approved it with.
    pub(crate) made_by: String,
}
