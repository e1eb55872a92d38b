//! Graphs in few words.

use std::sync::Arc;

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{
    Cancel, Known, NoProgress, Spent, StepAction, StepApprover, StepEntry, StepJournal, ToolCaps,
    ToolGraph, ToolPorts, ToolStep,
};
use serde_json::{Value, json};

use super::journal::known;

/// A step that calls a tool, judged by the given effect, with empty arguments.
pub fn step(step_id: &str, tool: &str, effect: Effect, dependencies: &[&str]) -> ToolStep {
    ToolStep {
        step_id: step_id.into(),
        dependencies: dependencies.iter().map(|id| (*id).into()).collect(),
        action: StepAction::Tool {
            name: tool.to_owned(),
            args: json!({}),
            effect,
            timeout_ms: 10_000,
            asks: false,
        },
        held: false,
        known: Known::default(),
    }
}

/// The step with these arguments.
#[must_use]
pub fn with(mut step: ToolStep, arguments: Value) -> ToolStep {
    if let StepAction::Tool { args, .. } = &mut step.action {
        *args = arguments;
    }
    step
}

/// A graph of these steps in which every tool they name is usable and nothing is capped.
pub fn graph(execution: Execution, steps: Vec<ToolStep>) -> ToolGraph {
    let names = steps.iter().filter_map(|step| match &step.action {
        StepAction::Tool { name, .. } => Some(name.clone()),
        StepAction::File => None,
    });
    let most = Spent { calls: u64::MAX, pages: u64::MAX, micro_usd: u64::MAX };
    ToolGraph {
        run_id: "run-1".into(),
        plan_id: "plan-1".into(),
        execution,
        usable: names.collect(),
        steps,
        inputs: json!({}),
        intent: None,
        parallel: 4,
        caps: ToolCaps { run: most, day: None },
        spent: Spent::default(),
        spent_today: Spent::default(),
    }
}

/// The ports of a run that nobody watches.
pub fn ports(journal: Arc<dyn StepJournal>, approver: Arc<dyn StepApprover>) -> ToolPorts {
    ToolPorts { journal, approver, progress: Arc::new(NoProgress), cancel: Cancel::default() }
}

/// The graph as it is taken up again from a record.
#[must_use]
pub fn taken_up(mut graph: ToolGraph, entries: &[StepEntry]) -> ToolGraph {
    for step in &mut graph.steps {
        step.known = known(entries, &step.step_id);
    }
    graph
}
