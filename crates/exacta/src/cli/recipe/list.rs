//! `exacta recipe list`: the recipes and what each of them does.

use exacta_core::read::recipe::PRESETS;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::{RecipeRow, RecipesReport};

/// List the recipes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let mut recipes: Vec<RecipeRow> = PRESETS
        .iter()
        .map(|preset| RecipeRow {
            name: preset.name.into(),
            about: preset.about.into(),
            steps: preset.steps.iter().map(|step| (*step).into()).collect(),
        })
        .collect();
    recipes.push(RecipeRow {
        name: "Custom".into(),
        about: "what a planner wrote: `exacta recipe run --plan FILE`".into(),
        steps: Vec::new(),
    });
    if args.json {
        printer.json(&RecipesReport { recipes })?;
        return Ok(Exit::Done);
    }
    for recipe in &recipes {
        printer.line(&format!("{}: {}", recipe.name, recipe.about))?;
        if !recipe.steps.is_empty() {
            printer.line(&format!("  {}", recipe.steps.join(" → ")))?;
        }
    }
    Ok(Exit::Done)
}
