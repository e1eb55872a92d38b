//! As much of a plan as its results can be held against.
//!
//! An outline may have dependencies that cannot be resolved: that is the very case in
//! which the contract wants `BLOCKED`. It may not have ids that make rows ambiguous.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::contract::META_ID;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Action, Draft, Execution};
use crate::read::parse::{self, Limits, json};

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineStep {
    /// Its id.
    pub step_id: String,
    /// The tool it calls; none for a file step.
    pub tool: Option<String>,
    /// The steps that must be done first.
    pub dependencies: Vec<String>,
}

/// Why a list of steps is no outline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutlineFault {
    /// A step without an id.
    #[error("step {0} has an empty id")]
    EmptyId(usize),
    /// The id of the summary entry.
    #[error("`__meta__` is the id of the summary and of no step")]
    ReservedId,
    /// Two steps of one id.
    #[error("two steps have the id `{0}`")]
    RepeatedId(String),
}

/// Why no step of the plan can start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrunnable {
    /// A step depends on one that is not there.
    #[error("`{step_id}` depends on `{dependency}`, which the plan does not have")]
    UnknownDependency {
        /// The step.
        step_id: String,
        /// What it names.
        dependency: String,
    },
    /// Some steps wait for each other.
    #[error("`{step_id}` waits for itself, directly or through other steps")]
    Cycle {
        /// The first step, in the order of the plan, that can never start.
        step_id: String,
    },
}

/// The steps of a plan with their dependencies resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOutline {
    steps: Vec<OutlineStep>,
    execution: Option<Execution>,
    places: BTreeMap<String, usize>,
    links: Vec<Vec<usize>>,
    order: Result<Vec<usize>, Unrunnable>,
}

impl PlanOutline {
    /// Takes the steps in the order of the plan.
    ///
    /// # Errors
    /// When an id is empty, repeated or that of the summary.
    pub fn new(steps: Vec<OutlineStep>) -> Result<Self, OutlineFault> {
        let mut places = BTreeMap::new();
        for (at, step) in steps.iter().enumerate() {
            if step.step_id.is_empty() {
                return Err(OutlineFault::EmptyId(at.saturating_add(1)));
            }
            if step.step_id == META_ID {
                return Err(OutlineFault::ReservedId);
            }
            if places.insert(step.step_id.clone(), at).is_some() {
                return Err(OutlineFault::RepeatedId(step.step_id.clone()));
            }
        }
        let (links, unknown) = resolve(&steps, &places);
        let order = match unknown {
            Some(fault) => Err(fault),
            None => sort(&steps, &links),
        };
        Ok(Self { steps, execution: None, places, links, order })
    }

    /// The outline of a draft. How it wants to be run is left unsaid: a draft no longer
    /// shows whether it says `atomic` or says nothing.
    ///
    /// # Errors
    /// When an id is empty, repeated or that of the summary.
    pub fn of(draft: &Draft) -> Result<Self, OutlineFault> {
        // The rule of drafts: steps that name no dependency at all follow each other.
        let chain = draft.steps.iter().all(|step| step.dependencies.is_none());
        let mut before: Option<&str> = None;
        let mut steps = Vec::with_capacity(draft.steps.len());
        for step in &draft.steps {
            let dependencies = match &step.dependencies {
                Some(named) => named.clone(),
                None if chain => before.into_iter().map(String::from).collect(),
                None => Vec::new(),
            };
            let tool = match &step.action {
                Action::Tool(call) => Some(call.name.clone()),
                Action::File(_) => None,
            };
            before = Some(&step.step_id);
            steps.push(OutlineStep { step_id: step.step_id.clone(), tool, dependencies });
        }
        Self::new(steps)
    }

    /// The outline of a draft in writing. Only a draft that says how it wants to be run
    /// is held to it: a foreign executor need not know the default.
    ///
    /// # Errors
    /// What the strict parser refuses, or ids that make rows ambiguous.
    pub fn read(text: &[u8], limits: Limits) -> Result<Self, Vec<Issue>> {
        let draft = parse::draft(text, limits)?;
        let outline = Self::of(&draft).map_err(|fault| {
            let message = format!("{fault}");
            vec![
                Issue::error(Code::PlanStepIdInvalid, "outline", message)
                    .help("give every step an id of its own"),
            ]
        })?;
        let said = core::str::from_utf8(text)
            .ok()
            .and_then(|text| parse::document(text).ok())
            .and_then(|(_, document)| json::read(document).ok())
            .is_some_and(|document| document.get("execution").is_some());
        Ok(if said { outline.with_execution(draft.execution) } else { outline })
    }

    /// Says how the plan wants to be run. Unsaid, only the rules of both modes apply.
    #[must_use]
    pub fn with_execution(mut self, execution: Execution) -> Self {
        self.execution = Some(execution);
        self
    }

    /// The steps, in the order of the plan.
    pub fn steps(&self) -> &[OutlineStep] {
        &self.steps
    }

    /// How the plan wants to be run, if it says so.
    pub fn execution(&self) -> Option<Execution> {
        self.execution
    }

    /// The places of the steps in an order in which each follows what it depends on.
    ///
    /// # Errors
    /// When there is no such order.
    pub fn order(&self) -> Result<&[usize], &Unrunnable> {
        self.order.as_deref()
    }

    /// Where the step stands in the plan.
    pub(super) fn place(&self, step_id: &str) -> Option<usize> {
        self.places.get(step_id).copied()
    }

    /// The places of what the step at this place depends on.
    pub(super) fn links(&self, place: usize) -> &[usize] {
        self.links.get(place).map_or(&[], Vec::as_slice)
    }
}

/// Turns names into places; also the first name that is none.
fn resolve(
    steps: &[OutlineStep],
    places: &BTreeMap<String, usize>,
) -> (Vec<Vec<usize>>, Option<Unrunnable>) {
    let mut unknown = None;
    let mut links = Vec::with_capacity(steps.len());
    for step in steps {
        let mut found = Vec::with_capacity(step.dependencies.len());
        for dependency in &step.dependencies {
            match places.get(dependency) {
                Some(place) => found.push(*place),
                None if unknown.is_none() => {
                    unknown = Some(Unrunnable::UnknownDependency {
                        step_id: step.step_id.clone(),
                        dependency: dependency.clone(),
                    });
                }
                None => {}
            }
        }
        links.push(found);
    }
    (links, unknown)
}

/// Takes away, again and again, the steps that wait for nothing.
fn sort(steps: &[OutlineStep], links: &[Vec<usize>]) -> Result<Vec<usize>, Unrunnable> {
    let mut waiting: Vec<usize> = links.iter().map(Vec::len).collect();
    let mut dependents = vec![Vec::new(); links.len()];
    for (place, dependencies) in links.iter().enumerate() {
        for dependency in dependencies {
            if let Some(list) = dependents.get_mut(*dependency) {
                list.push(place);
            }
        }
    }
    let mut order: Vec<usize> =
        waiting.iter().enumerate().filter(|(_, n)| **n == 0).map(|(place, _)| place).collect();
    let mut done = 0;
    while let Some(place) = order.get(done).copied() {
        done = done.saturating_add(1);
        for dependent in dependents.get(place).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(*dependent) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    order.push(*dependent);
                }
            }
        }
    }
    match steps.iter().zip(&waiting).find(|(_, count)| **count > 0) {
        Some((step, _)) => Err(Unrunnable::Cycle { step_id: step.step_id.clone() }),
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(steps: &[(&str, &[&str])]) -> Result<PlanOutline, OutlineFault> {
        let step = |(id, needs): &(&str, &[&str])| OutlineStep {
            step_id: (*id).into(),
            tool: None,
            dependencies: needs.iter().map(|id| String::from(*id)).collect(),
        };
        PlanOutline::new(steps.iter().map(step).collect())
    }

    #[test]
    fn ids_that_make_rows_ambiguous_are_refused() {
        assert_eq!(outline(&[("a", &[]), ("", &[])]), Err(OutlineFault::EmptyId(2)));
        assert_eq!(outline(&[("__meta__", &[])]), Err(OutlineFault::ReservedId));
        assert_eq!(outline(&[("a", &[]), ("a", &[])]), Err(OutlineFault::RepeatedId("a".into())));
    }

    #[test]
    fn each_step_follows_what_it_depends_on() {
        let plan = outline(&[("c", &["b", "a", "b"]), ("b", &["a"]), ("a", &[])]).unwrap();
        assert_eq!(plan.order(), Ok([2, 1, 0].as_slice()));
    }

    #[test]
    fn unknown_dependencies_and_cycles_are_named() {
        let unknown = outline(&[("a", &["a"]), ("b", &["z"])]).unwrap();
        let fault = Unrunnable::UnknownDependency { step_id: "b".into(), dependency: "z".into() };
        assert_eq!(unknown.order(), Err(&fault));
        for cycle in [
            outline(&[("x", &[]), ("a", &["b", "x"]), ("b", &["a"])]),
            outline(&[("a", &["a"]), ("b", &[])]),
        ] {
            let fault = Unrunnable::Cycle { step_id: "a".into() };
            assert_eq!(cycle.unwrap().order(), Err(&fault));
        }
    }
}
