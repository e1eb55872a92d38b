//! Tests of the executor: one file a promise.

mod approval;
mod atomic;
mod attempts;
mod graphs;
mod resume;
mod speed;

use std::sync::Arc;

use exacta_engine::tools::{StepEnd, StepOutcome, ToolGraph, ToolPorts, ToolRun, ToolRunner as _};

use super::Executor;
use crate::kit::{Scripted, world};
use crate::registry::Registry;

/// An executor of these tools, in a world of its own.
fn executor(tools: &[&Scripted]) -> (Executor, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut registry = Registry::new();
    for tool in tools {
        registry.add(Arc::new((*tool).clone())).unwrap();
    }
    (Executor::new(registry, world(folder.path())).unwrap(), folder)
}

fn run(tools: &[&Scripted], graph: &ToolGraph, ports: &ToolPorts) -> ToolRun {
    executor(tools).0.run(graph, ports).unwrap()
}

fn end<'r>(run: &'r ToolRun, step_id: &str) -> &'r StepEnd {
    run.steps.iter().find(|end| end.step_id == step_id).unwrap()
}

fn outcome<'r>(run: &'r ToolRun, step_id: &str) -> &'r StepOutcome {
    &end(run, step_id).outcome
}

/// The code of a failure.
fn code<'r>(run: &'r ToolRun, step_id: &str) -> &'r str {
    match outcome(run, step_id) {
        StepOutcome::Failed { code, .. } => code,
        other => panic!("{step_id} is {other:?}"),
    }
}
