//! What somebody marked, left out and wrote on a plan's page before deciding. It is kept
//! outside the project until they decide, so that a reload, another window, a restart of the
//! server or a renewal loses nothing. Nothing is decided by it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_engine::gate::{Gate, GateError};
use serde::{Deserialize, Serialize};

use super::decisions::genuine_token;
use super::routes::{Fault, plan_id, served, signed_in};
use crate::api::body::Body;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::Person;

/// The most that is kept of one intent, in bytes.
const MOST: usize = 256 << 10;
/// The form in which it is kept.
const VERSION: u32 = 1;

/// What is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Notes {
    /// The plan that somebody was looking at.
    plan_id: String,
    /// The hunks and files that they marked as reviewed.
    reviewed: Vec<String>,
    /// The steps that they left out, each with what it did then.
    left: BTreeMap<String, String>,
    /// The hunks that they left out, by step.
    hunks: BTreeMap<String, Vec<String>>,
    /// What they wrote beside lines and steps.
    comments: Vec<Written>,
    /// What they want to be different.
    request: String,
}

/// A comment that was not sent yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Where, as the form has it.
    place: String,
    /// The line that it is about, so that it is found again.
    line: String,
    /// What.
    text: String,
}

/// As they lie in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    notes: Notes,
}

/// What the page sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    /// The word that was made for this session and this plan.
    token: String,
    plan_hash: String,
    notes: Notes,
}

/// So many plans in a row may have taken each other's place.
const MOST_BEFORE: usize = 100;

/// What a plan stands for.
struct LookedAt {
    intent: CorrelationId,
    plan_hash: String,
    /// The plan itself and those in whose place it stands.
    line: Vec<String>,
}

async fn looked_at(
    state: &AppState,
    served: &Arc<Served>,
    plan_id: PlanId,
) -> Result<LookedAt, Problem> {
    let found = state.ask(served, move |gate: &Gate<'_>| {
        let created = gate.plan_named(&plan_id)?.created;
        let (intent, plan_hash) = (created.correlation_id, created.plan_hash.to_string());
        let (mut line, mut before) = (vec![plan_id.to_string()], created.parent);
        while let Some(older) = before.take().filter(|_| line.len() < MOST_BEFORE) {
            line.push(older.to_string());
            before = gate.plan_named(&older).ok().and_then(|plan| plan.created.parent);
        }
        Ok::<_, GateError>(LookedAt { intent, plan_hash, line })
    });
    found.await
}

fn read(state: &AppState, served: &Served, intent: &CorrelationId) -> Notes {
    // What cannot be read is a blank page.
    let text = state.outer.notes(&served.id, intent).ok().flatten().unwrap_or_default();
    let kept: Option<Kept> = serde_json::from_str(&text).ok();
    kept.filter(|kept| kept.version == VERSION).map(|kept| kept.notes).unwrap_or_default()
}

fn write(
    state: &AppState,
    served: &Served,
    intent: &CorrelationId,
    notes: Notes,
) -> Result<(), Problem> {
    let kept = Kept { version: VERSION, notes };
    let text =
        serde_json::to_string(&kept).map_err(|error| Problem::internal(error.to_string()))?;
    let _alone = state.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    state
        .outer
        .keep_notes(&served.id, intent, &text)
        .map_err(|error| Problem::internal(error.to_string()))
}

/// What was kept of this plan, or of one in whose place it stands.
pub(super) async fn get(
    State(state): State<AppState>,
    person: Option<Person>,
    Path((project, plan)): Path<(String, String)>,
) -> Result<Json<Notes>, Fault> {
    signed_in(person)?;
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    let LookedAt { intent, line, .. } = looked_at(&state, &served, plan_id).await?;
    let mut notes = read(&state, &served, &intent);
    if !line.contains(&notes.plan_id) {
        // A choice among other steps says nothing here; what was reviewed is told by itself.
        notes = Notes { reviewed: notes.reviewed, ..Notes::default() };
    }
    Ok(Json(notes))
}

/// Keeps what somebody marked and wrote.
pub(super) async fn keep(
    State(state): State<AppState>,
    person: Person,
    Path((project, plan)): Path<(String, String)>,
    Body(sent): Body<Sent>,
) -> Result<StatusCode, Fault> {
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    genuine_token(&state, &person, &sent.token, &sent.plan_hash)?;
    let this = plan_id.to_string();
    let LookedAt { intent, plan_hash, .. } = looked_at(&state, &served, plan_id).await?;
    if sent.notes.plan_id != this || sent.plan_hash != plan_hash {
        return Err(Problem::invalid("the notes are about another plan").into());
    }
    let size = serde_json::to_string(&sent.notes).map_or(MOST + 1, |text| text.len());
    if size > MOST {
        let detail = "so much is not kept beside a plan";
        return Err(Problem::invalid(detail).into());
    }
    write(&state, &served, &intent, sent.notes)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Somebody decided: what they wrote was sent. What they had reviewed helps with the next plan
/// of the same intent, where there is to be one.
pub(super) async fn decided(
    state: &AppState,
    served: &Arc<Served>,
    plan_id: PlanId,
    goes_on: bool,
) {
    // It is only a help; the decision stands whatever becomes of it.
    let Ok(LookedAt { intent, .. }) = looked_at(state, served, plan_id).await else { return };
    if goes_on {
        let reviewed = read(state, served, &intent).reviewed;
        let _ = write(state, served, &intent, Notes { reviewed, ..Notes::default() });
    } else {
        let _ = state.outer.drop_notes(&served.id, &intent);
    }
}
