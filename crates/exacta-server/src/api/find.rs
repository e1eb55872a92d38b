//! From an id in an address to the project that has it, as far as whoever asks may know.

use std::sync::Arc;

use exacta_core::life::ledger::{PlanEntry, RunEntry};
use exacta_core::model::id::{PlanId, RunId};
use exacta_engine::gate::{Gate, GateError};

use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::underway::Early;
use crate::who::Visitor;

/// The plan, and its project.
///
/// # Errors
/// 404 when there is none that the visitor may see.
pub(crate) async fn find_plan(
    state: &AppState,
    visitor: &Visitor,
    id: &str,
) -> Result<(Arc<Served>, PlanEntry), Problem> {
    let plan_id = PlanId::parse(id).map_err(|_| Problem::no_such("plan"))?;
    for served in visitor.projects(state) {
        let (plan_id, visitor) = (plan_id.clone(), visitor.clone());
        let look = move |gate: &Gate<'_>| Ok(seen(gate, &visitor, &plan_id));
        if let Some(plan) = state.ask(&served, look).await? {
            return Ok((served, plan));
        }
    }
    Err(Problem::no_such("plan"))
}

/// The run with its plan, and their project.
///
/// # Errors
/// 404 when there is none that the visitor may see.
pub(crate) async fn find_run(
    state: &AppState,
    visitor: &Visitor,
    id: &str,
) -> Result<(Arc<Served>, RunEntry, PlanEntry), Problem> {
    let run_id = RunId::parse(id).map_err(|_| Problem::no_such("run"))?;
    for served in visitor.projects(state) {
        let (run_id, visitor) = (run_id.clone(), visitor.clone());
        let look = move |gate: &Gate<'_>| {
            let run = gate.run_named(&run_id).ok().filter(|run| run.run_id == run_id);
            Ok::<_, GateError>(run.and_then(|run| {
                let plan = seen(gate, &visitor, &run.plan_id)?;
                Some((run, plan))
            }))
        };
        if let Some((run, plan)) = state.ask(&served, look).await? {
            return Ok((served, run, plan));
        }
    }
    Err(Problem::no_such("run"))
}

/// A run, as far as it came.
pub(crate) enum Found {
    /// It is on the record.
    Recorded(Box<RunEntry>, PlanEntry),
    /// It is not, and this server knows of it.
    Early(RunId, Early, PlanEntry),
}

/// The same for one that may not be on the record yet.
///
/// # Errors
/// 404 when there is none that the visitor may see.
pub(crate) async fn look_for_run(
    state: &AppState,
    visitor: &Visitor,
    id: &str,
) -> Result<(Arc<Served>, Found), Problem> {
    // Looked for here first: what is over here is on the record by then.
    let run_id = RunId::parse(id).map_err(|_| Problem::no_such("run"))?;
    let early = state.running.early(&run_id);
    let missing = match find_run(state, visitor, id).await {
        Ok((served, run, plan)) => return Ok((served, Found::Recorded(Box::new(run), plan))),
        Err(problem) => problem,
    };
    let Some(early) = early.or_else(|| state.running.early(&run_id)) else { return Err(missing) };
    let (served, plan) =
        find_plan(state, visitor, early.plan_id().as_str()).await.map_err(|_| missing)?;
    Ok((served, Found::Early(run_id, early, plan)))
}

/// The plan with exactly this id, if the visitor may see it.
fn seen(gate: &Gate<'_>, visitor: &Visitor, plan_id: &PlanId) -> Option<PlanEntry> {
    let plan = gate.plan_named(plan_id).ok().filter(|plan| plan.id() == plan_id)?;
    visitor.sees(gate, &plan).then_some(plan)
}

/// The project that a request is about: the one it names, or the only one.
///
/// # Errors
/// 404 when it names another; 400 when there are several and it names none.
pub(crate) fn project(
    state: &AppState,
    visitor: &Visitor,
    named: Option<&str>,
) -> Result<Arc<Served>, Problem> {
    let projects = visitor.projects(state);
    match named {
        Some(id) => projects
            .into_iter()
            .find(|served| served.id.as_str() == id)
            .ok_or_else(|| Problem::no_such("project")),
        None => match projects.as_slice() {
            [only] => Ok(Arc::clone(only)),
            _ => Err(Problem::invalid(
                "this server serves several projects; say which with `project`",
            )),
        },
    }
}
