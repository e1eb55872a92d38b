//! The record: what happened for an intent, whether it is whole, where it stands.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::CorrelationId;
use exacta_engine::log::Problem as RecordProblem;
use exacta_engine::machine::time_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Asked;
use super::doc::{self, Api, Who};
use super::find;
use super::shapes::{AuditV1, EventV1};
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Visitor;

pub(super) fn add(api: &mut Api) {
    let operation = doc::get(
        "/api/v1/audit/verify",
        "verifyRecord",
        "Whether the record is whole.",
        Who::Either,
    )
    .query::<Where>(api)
    .reply::<VerifyV1>(api, 200, "what was found");
    api.add(operation, verify);
    let operation =
        doc::get("/api/v1/audit/checkpoint", "checkpoint", "Where the record stands.", Who::Either)
            .query::<Where>(api)
            .reply::<CheckpointV1>(api, 200, "what `exacta verify --against` takes");
    api.add(operation, checkpoint);
    let operation = doc::get(
        "/api/v1/audit/{correlation_id}",
        "audit",
        "Everything about an intent.",
        Who::Either,
    )
    .reply::<AuditV1>(api, 200, "what happened, oldest first");
    api.add(operation, about);
}

/// Which project.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Where {
    /// The project, where the server serves several.
    project: Option<String>,
}

/// Whether a record is whole.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifyV1 {
    /// Whether nothing is wrong.
    ok: bool,
    /// How many entries were read.
    entries: u64,
    /// The link of the newest one.
    head: Digest,
    /// What is wrong.
    problems: Vec<RecordProblem>,
    /// Whether a run was interrupted; that is not tampering.
    recovery_needed: bool,
}

async fn verify(
    State(state): State<AppState>,
    visitor: Visitor,
    Asked(which): Asked<Where>,
) -> Result<Json<VerifyV1>, Problem> {
    let served = find::project(&state, &visitor, which.project.as_deref())?;
    let report = state.ask(&served, |gate| {
        let recovery_needed = !gate.interrupted()?.is_empty();
        let report = gate.verify(&[])?;
        Ok(VerifyV1 {
            ok: report.problems.is_empty(),
            entries: report.entries,
            head: report.head,
            problems: report.problems,
            recovery_needed,
        })
    });
    Ok(Json(report.await?))
}

/// Where a record stands.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckpointV1 {
    /// Always `exacta/checkpoint/v1`.
    format: &'static str,
    /// The project.
    project: String,
    /// How many entries its record has.
    entries: u64,
    /// The link of the newest one.
    head: Digest,
    /// When.
    time: String,
}

async fn checkpoint(
    State(state): State<AppState>,
    visitor: Visitor,
    Asked(which): Asked<Where>,
) -> Result<Response, Problem> {
    let served = find::project(&state, &visitor, which.project.as_deref())?;
    let now = state.machine.now().map_err(|error| Problem::internal(error.to_string()))?;
    let head = state.ask(&served, |gate| Ok(gate.head())).await?;
    let checkpoint = CheckpointV1 {
        format: "exacta/checkpoint/v1",
        project: head.project.to_string(),
        entries: head.entries,
        head: head.head,
        time: time_text(now.wall_ms),
    };
    let name = "attachment; filename=\"exacta-checkpoint.json\"";
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(checkpoint)).into_response())
}

async fn about(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<AuditV1>, Problem> {
    let id = CorrelationId::parse(&id).map_err(|_| Problem::no_such("intent"))?;
    for served in visitor.projects(&state) {
        let (id, visitor, project) = (id.clone(), visitor.clone(), served.id.clone());
        let found = state.ask(&served, move |gate| {
            let of =
                |plan: &PlanEntry| plan.created.correlation_id == id && visitor.sees(gate, plan);
            let plans: Vec<PlanEntry> = gate.plans().into_iter().filter(of).collect();
            if plans.is_empty() {
                return Ok(None);
            }
            let mine = |plan: &_| plans.iter().any(|of| of.id() == plan);
            let runs = gate.runs().into_iter().filter(|run| mine(&run.plan_id));
            let runs: Vec<_> = runs.map(|run| run.run_id).collect();
            let entries = gate.entries()?;
            let wanted = entries.iter().filter(|entry| {
                entry.event.plan_id().is_some_and(mine)
                    || entry.event.run_id().is_some_and(|run| runs.contains(run))
            });
            let events = wanted.map(|entry| EventV1::of(entry, &project)).collect();
            Ok(Some(AuditV1 { correlation_id: id.clone(), events }))
        });
        if let Some(audit) = found.await? {
            return Ok(Json(audit));
        }
    }
    Err(Problem::no_such("intent"))
}
