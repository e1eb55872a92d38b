//! Looking at plans.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use exacta_core::life::lifecycle::State as PlanState;
use exacta_core::model::change::{NetChange, net};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, ProjectId};
use exacta_engine::gate::{Gate, Listed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Asked;
use super::contract::{PlanContractV1, Status};
use super::doc::{self, Api, Who};
use super::draft::shown;
use super::find;
use super::find::find_plan;
use super::shapes::{EventV1, Page};
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Visitor;

/// So many are listed unless the request says how many.
const USUAL: usize = 50;
/// So many at most.
const MOST: usize = 200;

pub(super) fn add(api: &mut Api) {
    let operation = doc::get("/api/v1/plans", "listPlans", "Plans, newest first.", Who::Either)
        .query::<Which>(api)
        .reply::<Page<PlanRow>>(api, 200, "the plans");
    api.add(operation, list);
    let operation =
        doc::get("/api/v1/plans/{plan_id}", "getPlan", "A plan, computed again.", Who::Either)
            .reply::<PlanContractV1>(api, 200, "the plan; `ETag` names its version")
            .or(&[409, 410]);
    api.add(operation, get);
    let operation =
        doc::get("/api/v1/plans/{plan_id}/diff", "diffPlan", "What it does to files.", Who::Either)
            .reply::<DiffV1>(api, 200, "the files and the patch")
            .or(&[409, 410]);
    api.add(operation, diff);
    let operation = doc::get(
        "/api/v1/plans/{plan_id}/events",
        "planEvents",
        "What happened to it.",
        Who::Either,
    )
    .reply::<Vec<EventV1>>(api, 200, "the events, oldest first");
    api.add(operation, events);
}

/// Which plans are listed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// How many.
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: Option<u16>,
    /// Where to go on: the `next_cursor` of the answer before.
    #[schemars(regex(pattern = r"^[0-9a-z-]{1,64}$"))]
    pub(super) cursor: Option<String>,
    /// Only plans with this status.
    status: Option<StatusAsked>,
    /// Only this project.
    pub(super) project: Option<String>,
}

/// A status to list.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StatusAsked {
    Validated,
    Rejected,
    Approved,
    Expired,
}

impl StatusAsked {
    fn is(self, state: PlanState) -> bool {
        matches!(
            (self, Status::of(state)),
            (Self::Validated, Status::Validated)
                | (Self::Rejected, Status::Rejected)
                | (Self::Approved, Status::Approved)
                | (Self::Expired, Status::Expired)
        )
    }
}

/// How many a page has.
pub(super) fn length(limit: Option<u16>) -> Result<usize, Problem> {
    match limit.map(usize::from) {
        None => Ok(USUAL),
        Some(limit @ 1..=MOST) => Ok(limit),
        Some(_) => Err(Problem::invalid(format!("`limit` is between 1 and {MOST}"))),
    }
}

/// Where a page begins: after this id.
pub(super) fn after(cursor: Option<String>) -> Result<Option<String>, Problem> {
    match cursor {
        Some(cursor) if PlanId::parse(&cursor).is_err() => {
            Err(Problem::invalid("`cursor` is not the `next_cursor` of an answer"))
        }
        cursor => Ok(cursor),
    }
}

/// A plan of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlanRow {
    /// The project.
    project_id: ProjectId,
    /// `validated`, `rejected`, `approved` or `expired`.
    status: Status,
    /// The rest.
    #[serde(flatten)]
    listed: Listed,
}

async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    Asked(which): Asked<Which>,
) -> Result<Json<Page<PlanRow>>, Problem> {
    let (length, cursor) = (length(which.limit)?, after(which.cursor)?);
    let projects = match &which.project {
        Some(id) => vec![find::project(&state, &visitor, Some(id))?],
        None => visitor.projects(&state),
    };
    let mut rows: Vec<PlanRow> = Vec::new();
    for served in projects {
        let (visitor, cursor, project) = (visitor.clone(), cursor.clone(), served.id.clone());
        let status = which.status;
        let found = state.ask(&served, move |gate| {
            let wanted = |listed: &Listed| {
                cursor.as_deref().is_none_or(|cursor| listed.plan_id.as_str() < cursor)
                    && status.is_none_or(|status| status.is(listed.state))
                    && may_see(gate, &visitor, &listed.plan_id)
            };
            let listed = gate.list()?.0.into_iter().filter(wanted).take(length + 1);
            let row = |listed: Listed| PlanRow {
                project_id: project.clone(),
                status: Status::of(listed.state),
                listed,
            };
            Ok(listed.map(row).collect::<Vec<_>>())
        });
        rows.extend(found.await?);
    }
    rows.sort_by(|a, b| b.listed.plan_id.cmp(&a.listed.plan_id));
    Ok(Json(page(rows, length, |row| row.listed.plan_id.to_string())))
}

/// Cuts a list to its length and says where it goes on.
pub(super) fn page<T>(mut rows: Vec<T>, length: usize, id: impl Fn(&T) -> String) -> Page<T> {
    let more = rows.len() > length;
    rows.truncate(length);
    let next_cursor = if more { rows.last().map(id) } else { None };
    Page { items: rows, next_cursor }
}

fn may_see(gate: &Gate<'_>, visitor: &Visitor, plan_id: &PlanId) -> bool {
    match visitor {
        Visitor::Person(_) => true,
        Visitor::Agent(_) => gate.plan_named(plan_id).is_ok_and(|plan| visitor.sees(gate, &plan)),
    }
}

async fn get(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (served, plan) = find_plan(&state, &visitor, &id).await?;
    let project = served.id.clone();
    let (contract, version) =
        state.ask(&served, move |gate| shown(gate, plan.id(), &project)).await?;
    Ok(([(header::ETAG, version)], Json(contract)).into_response())
}

/// What a plan does to files.
#[derive(Debug, Serialize, JsonSchema)]
struct DiffV1 {
    /// The plan.
    plan_id: PlanId,
    /// Its hash.
    plan_hash: Digest,
    /// What becomes of each file.
    files: Vec<NetChange>,
    /// The patch that `git apply` takes; null when it holds bytes that are not text.
    patch: Option<String>,
}

async fn diff(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<DiffV1>, Problem> {
    let (served, plan) = find_plan(&state, &visitor, &id).await?;
    let patch = state.patch;
    let diff = state.ask(&served, move |gate| {
        let shown = gate.show(plan.id())?;
        Ok(DiffV1 {
            plan_id: shown.entry.created.plan_id.clone(),
            plan_hash: shown.entry.created.plan_hash,
            files: net(shown.examined.changes()),
            patch: patch(&shown).and_then(|patch| String::from_utf8(patch).ok()),
        })
    });
    Ok(Json(diff.await?))
}

async fn events(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Vec<EventV1>>, Problem> {
    let (served, plan) = find_plan(&state, &visitor, &id).await?;
    let project = served.id.clone();
    let events = state.ask(&served, move |gate| {
        let runs: Vec<_> =
            gate.runs().into_iter().filter(|run| run.plan_id == *plan.id()).collect();
        let about = |entry: &&exacta_core::record::Entry| {
            let run = entry.event.run_id();
            entry.event.plan_id() == Some(plan.id())
                || run.is_some_and(|run| runs.iter().any(|of| of.run_id == *run))
        };
        let entries = gate.entries()?;
        Ok(entries.iter().filter(about).map(|entry| EventV1::of(entry, &project)).collect())
    });
    Ok(Json(events.await?))
}
