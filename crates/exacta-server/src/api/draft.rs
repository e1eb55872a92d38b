//! Handing in a plan, and looking what would become of it.

use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use axum::handler::Handler as _;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_core::read::parse;
use exacta_engine::gate::{Check, CheckReport, Gate, GateError, Propose, Proposed, SourceKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::body::{Body, Key};
use super::contract::{PlanContractV1, approval};
use super::doc::{self, Api, Who};
use super::{etag, find};
use crate::problem::Problem;
use crate::state::{AppState, PlannedText, Served};
use crate::who::{Asking, Visitor};

/// The largest body that carries a draft: the cap of drafts, and what surrounds it.
const LARGEST: usize = (16 << 20) + (64 << 10);

pub(super) fn add(api: &mut Api) {
    let operation =
        doc::post("/api/v1/plans/draft", "draftPlan", "Hand in a plan. Nothing runs.", Who::Either)
            .body::<Handed>(api)
            .header("Idempotency-Key", "Two commands with the same key are one.")
            .reply::<PlanContractV1>(api, 201, "the plan, validated or rejected")
            .reply::<PlanContractV1>(api, 200, "the plan that the same command made before")
            .or(&[409, 410]);
    api.add(operation, draft.layer(DefaultBodyLimit::max(LARGEST)));
    let operation = doc::post(
        "/api/v1/plans/check",
        "checkPlan",
        "Validate, score and decide; record nothing.",
        Who::Either,
    )
    .body::<Handed>(api)
    .reply::<CheckReport>(api, 200, "the report")
    .or(&[409]);
    api.add(operation, check.layer(DefaultBodyLimit::max(LARGEST)));
}

/// A plan that is handed in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Handed {
    /// The draft: the object itself, or the planner's text or a patch as a string. Anything else
    /// is judged as a draft too, and refused with its findings. Without one the operator's model
    /// drafts a plan for the intent, if a person asks; agents' tokens may not.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    draft: Option<Box<RawValue>>,
    /// What the user asked for.
    intent: Option<String>,
    /// The intent that it belongs to, when that exists already.
    correlation_id: Option<String>,
    /// Constraints, as words or JSON; they can only tighten.
    #[serde(default)]
    constraints: Vec<String>,
    /// The plan that it answers a request for changes of.
    parent: Option<String>,
    /// The project, where the server serves several.
    project: Option<String>,
}

/// The bytes that the strict reader gets, and how they are to be read.
fn text(draft: &RawValue) -> Result<(SourceKind, Vec<u8>), Problem> {
    let raw = draft.get().trim();
    if !raw.starts_with('"') {
        return Ok((SourceKind::Draft, raw.as_bytes().to_vec()));
    }
    let text: String = serde_json::from_str(raw)
        .map_err(|error| Problem::invalid(format!("`draft` cannot be read: {error}")))?;
    let kind = if parse::is_patch(text.as_bytes()) { SourceKind::Patch } else { SourceKind::Draft };
    Ok((kind, text.into_bytes()))
}

fn proposer(visitor: &Visitor) -> Option<String> {
    match visitor {
        Visitor::Person(_) => None,
        Visitor::Agent(agent) => agent.proposer.clone(),
    }
}

async fn draft(
    State(state): State<AppState>,
    visitor: Visitor,
    key: Key,
    Body(handed): Body<Handed>,
) -> Result<Response, Problem> {
    let served = find::project(&state, &visitor, handed.project.as_deref())?;
    let (kind, text, planned) = if let Some(draft) = &handed.draft {
        let (kind, text) = text(draft)?;
        (kind, text, None)
    } else {
        let planned = by_intent(&state, &visitor, &served, handed.intent.as_deref()).await?;
        let by = Some((planned.proposer, planned.request));
        (SourceKind::Draft, planned.text, by)
    };
    let (by, measured) = planned.unzip();
    let parent = match &handed.parent {
        None => None,
        Some(id) => Some(find::find_plan(&state, &visitor, id).await?.1.created.plan_id),
    };
    let correlation_id = match &handed.correlation_id {
        None => None,
        Some(id) => Some(CorrelationId::parse(id).map_err(|_| unknown_intent())?),
    };
    let command = Propose {
        intent: handed.intent,
        constraints: handed.constraints,
        proposer: by.or_else(|| proposer(&visitor)),
        parent,
        correlation_id: correlation_id.clone(),
        measured,
        ..Propose::new(kind, text)
    };
    let asking = Asking { actor: visitor.actor().clone(), key: key.of(visitor.actor()) };
    let project = served.id.clone();
    let made = state
        .ask(&served, move |gate| {
            if let Some(id) = &correlation_id
                && !has_intent(gate, &visitor, id)
            {
                return Ok(Err(unknown_intent()));
            }
            let (plan_id, status) = match gate.handle(&asking.caller(), command)? {
                Proposed::Refused { issues, .. } => return Ok(Err(refused(issues))),
                Proposed::Plan { plan, .. } => (plan.plan_id, StatusCode::CREATED),
                Proposed::Again(plan) => (plan.plan_id, StatusCode::OK),
            };
            Ok(Ok((shown(gate, &plan_id, &project)?, status)))
        })
        .await??;
    let ((contract, version), status) = made;
    Ok((status, [(header::ETAG, version)], Json(contract)).into_response())
}

/// A draft of the operator's model. Asking it is a right of people alone.
async fn by_intent(
    state: &AppState,
    visitor: &Visitor,
    served: &Served,
    intent: Option<&str>,
) -> Result<PlannedText, Problem> {
    let Visitor::Person(_) = visitor else {
        return Err(Problem::not_allowed(
            "drafting by intent is not a right of agents; hand in a `draft`",
        ));
    };
    let intent = intent.filter(|intent| !intent.trim().is_empty());
    let intent = intent.ok_or_else(|| Problem::invalid("give a `draft`, or an `intent`"))?;
    let Some(planner) = state.planner.clone() else {
        return Err(Problem::invalid("this server has no model to ask; hand in a `draft`"));
    };
    let (folder, intent) = (std::path::PathBuf::from(&served.path), intent.to_owned());
    let asked = tokio::task::spawn_blocking(move || planner(&folder, &intent)).await;
    let broke_off = |_| Problem::internal("asking the model broke off; nothing was handed in");
    asked.map_err(broke_off)?.map_err(|why| {
        Problem::invalid(format!("no plan came of it: {why}; nothing was handed in"))
    })
}

/// A plan as the contract shows it, and its version.
pub(super) fn shown(
    gate: &Gate<'_>,
    plan_id: &PlanId,
    project: &exacta_core::model::id::ProjectId,
) -> Result<(PlanContractV1, axum::http::HeaderValue), GateError> {
    let shown = gate.show(plan_id)?;
    let contract = PlanContractV1::of(&shown, approval(&shown), project);
    Ok((contract, etag::header(&shown.entry)))
}

/// Whether the visitor knows a plan of this intent.
fn has_intent(gate: &Gate<'_>, visitor: &Visitor, id: &CorrelationId) -> bool {
    gate.plans().iter().any(|plan| plan.created.correlation_id == *id && visitor.sees(gate, plan))
}

fn unknown_intent() -> Problem {
    use exacta_core::model::code::Code;
    let detail = "`correlation_id` names no intent that you have handed in a plan for";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, Code::IdUnknown, detail)
}

/// A text that makes no plan.
fn refused(issues: Vec<exacta_core::model::diagnostic::Issue>) -> Problem {
    GateError::Invalid(issues).into()
}

async fn check(
    State(state): State<AppState>,
    visitor: Visitor,
    Body(handed): Body<Handed>,
) -> Result<Json<CheckReport>, Problem> {
    let served = find::project(&state, &visitor, handed.project.as_deref())?;
    // None is judged like anything else that is not a draft.
    let (kind, text) = match handed.draft.as_deref() {
        Some(draft) => text(draft)?,
        None => (SourceKind::Draft, b"null".to_vec()),
    };
    let check = Check {
        kind,
        text,
        intent: handed.intent,
        constraints: handed.constraints,
        proposer: proposer(&visitor),
    };
    let report = state.ask(&served, move |gate| gate.check(&check)).await?;
    Ok(Json(report))
}
