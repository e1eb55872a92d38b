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
