//! `PlanContractV1`: a plan as the HTTP contract shows it.

use std::collections::BTreeMap;

use exacta_core::judge::decide::{Kind, Reason};
use exacta_core::judge::score::{Quality, Risk};
use exacta_core::life::binding::{PlanBinding, Source};
use exacta_core::life::lifecycle::{Phase, State};
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId, ProjectId, RunId};
use exacta_core::model::plan::{Bucket, Confidence, CostBand, Effective, Estimates};
use exacta_core::record::Approval;
use exacta_engine::gate::Shown;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

const MICRO: f64 = 1_000_000.0;

/// A plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanContractV1 {
    /// Always 1.
    plan_version: u32,
    /// Its id.
    plan_id: PlanId,
    /// SHA-256 of its canonical form; what an approval is about.
    plan_hash: Digest,
    /// The skill that the planner worked under; empty when it named none.
    skill_id: String,
    /// What it is for, in the planner's words.
    goal: String,
    /// What the planner took for granted.
    assumptions: Vec<String>,
    /// Values that the steps use; `pages` is what page tools work on.
    inputs: Value,
    /// The steps, normalised.
    steps: Vec<Value>,
    /// Computed here.
    estimates: EstimatesV1,
    /// How much can go wrong; null when a rule refuses the plan before it is scored.
    risk: Option<Risk>,
    /// Every finding.
    validation_issues: Vec<Issue>,
    /// The policy that was in force.
    policy_context: PolicyContext,
    /// Whose words it is.
    llm: Llm,
    /// `validated` or `rejected`, then `approved` or `expired`.
    status: Status,
    /// Its state in the words of the gate.
    state: State,
    /// What the decision table says, and why.
    decision: Option<Kind>,
    /// Why.
    reasons: Vec<Reason>,
    /// How good it is; null like `risk`.
    quality: Option<Quality>,
    /// The approval that it has or had.
    approval: Option<Approval>,
    /// What an approval binds besides the plan.
    binding: PlanBinding,
    /// The plan whose steps it selects.
    derived_from: Option<PlanId>,
    /// The plan that it renews, or answers a request for changes of.
    parent: Option<PlanId>,
    /// The intent that it serves.
    correlation_id: CorrelationId,
    /// The project.
    project_id: ProjectId,
    /// Names what the plan does.
    effect_hash: Option<Digest>,
    /// What the user asked for.
    intent: Option<String>,
    /// The constraints in force.
    constraints: Vec<Effective>,
    /// When it came in.
    created_at: String,
    /// Seconds until it expires; null when it is decided for good.
    expires_in_sec: Option<u64>,
    /// Its run.
    run_id: Option<RunId>,
    /// Whether policy and program still find what they found then.
    same: bool,
}

/// The status of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// It waits for a person.
    Validated,
    /// It will never run.
    Rejected,
    /// It may run once.
    Approved,
    /// It was made for another state of things.
    Expired,
}

impl Status {
    pub(crate) const fn of(state: State) -> Self {
        match state {
            State::Pending => Self::Validated,
            State::AutoApproved | State::UserApproved => Self::Approved,
            State::Rejected => Self::Rejected,
            State::Expired => Self::Expired,
        }
    }
}

/// Computed by the gate alone.
#[derive(Debug, Serialize, JsonSchema)]
struct EstimatesV1 {
    /// Pages read.
    estimated_pages: u64,
    /// Calls per tool.
    estimated_tool_calls: BTreeMap<String, u64>,
    /// Tokens in three sizes.
    estimated_tokens_bucket: Bucket,
    /// Cost in three sizes.
    estimated_cost_usd_band: CostBand,
    /// Runtime in seconds.
    estimated_runtime_sec: u64,
    /// How much of the estimate rests on explicit numbers.
    confidence_band: Confidence,
    /// The number that the cap is compared with.
    estimated_cost_usd: f64,
    /// Tokens; the larger of ours and the planner's claim.
    estimated_tokens: u64,
}

impl EstimatesV1 {
    fn of(estimates: &Estimates) -> Self {
        Self {
            estimated_pages: estimates.estimated_pages,
            estimated_tool_calls: estimates.estimated_tool_calls.clone(),
            estimated_tokens_bucket: estimates.estimated_tokens_bucket,
            estimated_cost_usd_band: estimates.estimated_cost_usd_band,
            estimated_runtime_sec: estimates.estimated_runtime_sec,
            confidence_band: estimates.confidence_band,
            estimated_cost_usd: dollars(estimates.estimated_cost_micro_usd),
            estimated_tokens: estimates.estimated_tokens,
        }
    }
}

/// Money for people; the gate itself counts in whole micro-dollars.
#[expect(clippy::cast_precision_loss, reason = "shown only; exact below nine billion dollars")]
fn dollars(micro: u64) -> f64 {
    micro as f64 / MICRO
}

/// The policy that was in force.
#[derive(Debug, Serialize, JsonSchema)]
struct PolicyContext {
    /// The profile.
    policy_preset: String,
    /// The model.
    model: String,
    /// Steps that call tools.
    max_steps: u64,
    /// Calls of tools.
    max_tool_calls: u64,
    /// Pages.
    max_pages: u64,
    /// Cost.
    max_cost_usd: f64,
}

/// Whose words the plan is.
#[derive(Debug, Serialize, JsonSchema)]
struct Llm {
    /// The model, as the binding names it.
    selected_model: String,
    /// What kind of task it is: of our own planner's plans the skill, else as claimed.
    task_class: String,
    /// How the model was chosen: `configured` where our own planner asked, else as claimed.
    preference: String,
    /// The request that the plan answers: our own planner's by its hash, else as claimed.
    request_id: String,
    /// The provider's own name for it: as it told our own planner, else as claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_request_id: Option<String>,
    /// How the model is known; where it is not `measured`, the other fields are claims.
    source: Source,
}

impl Llm {
    /// What our own planner measured; else what the draft claims under `provider`. What a text
    /// claims about a request that was measured says nothing, and plans without a claim are
    /// mapped.
    fn of(shown: &Shown) -> Self {
        let measured = shown.binding.measured();
        let claim = |name: &str| -> Option<String> {
            if measured.is_some() {
                return None;
            }
            let draft = serde_json::to_value(shown.examined.draft()).ok()?;
            Some(draft.get("provider")?.get(name)?.as_str()?.to_owned())
        };
        let skill = shown.examined.draft().skill_id.clone();
        let preference = if measured.is_some() { "configured" } else { "unspecified" };
        Self {
            selected_model: shown.binding.model_id.clone(),
            task_class: claim("task_class").or(skill).unwrap_or_else(|| "plan".into()),
            preference: claim("preference").unwrap_or_else(|| preference.into()),
            request_id: measured
                .as_ref()
                .map(|asked| asked.hash.to_string())
                .or_else(|| claim("request_id"))
                .unwrap_or_else(|| shown.entry.created.correlation_id.to_string()),
            provider_request_id: match &measured {
                Some(asked) => asked.provider_id.clone(),
                None => claim("provider_request_id"),
            },
            source: shown.binding.source,
        }
    }
}

impl PlanContractV1 {
    /// The contract of a plan that was computed again.
    pub(crate) fn of(shown: &Shown, approval: Option<Approval>, project: &ProjectId) -> Self {
        let (entry, examined) = (&shown.entry, &shown.examined);
        let draft = examined.draft();
        let mut form = serde_json::to_value(draft).unwrap_or(Value::Null);
        let mut take = |name: &str| form.get_mut(name).map(Value::take);
        let steps = match take("steps") {
            Some(Value::Array(steps)) => steps,
            _ => Vec::new(),
        };
        let caps = shown.caps;
        Self {
            plan_version: draft.plan_version,
            plan_id: entry.created.plan_id.clone(),
            plan_hash: entry.created.plan_hash,
            skill_id: draft.skill_id.clone().unwrap_or_default(),
            goal: draft.goal.clone().unwrap_or_else(|| entry.created.goal.clone()),
            assumptions: draft.assumptions.clone(),
            inputs: take("inputs").unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            steps,
            estimates: EstimatesV1::of(&examined.estimates),
            risk: examined.assessment.as_ref().map(|assessment| assessment.risk.clone()),
            validation_issues: examined.issues.clone(),
            policy_context: PolicyContext {
                policy_preset: shown.binding.active_profile.clone(),
                model: shown.binding.model_id.clone(),
                max_steps: caps.max_steps,
                max_tool_calls: caps.max_tool_calls,
                max_pages: caps.max_pages,
                max_cost_usd: dollars(caps.max_cost_micro_usd),
            },
            llm: Llm::of(shown),
            status: Status::of(shown.state),
            state: shown.state,
            decision: entry.decision,
            reasons: examined.decision.iter().flat_map(|d| d.reasons.clone()).collect(),
            quality: examined.assessment.as_ref().map(|assessment| assessment.quality.clone()),
            approval,
            binding: shown.binding.clone(),
            derived_from: entry.created.derived_from.clone(),
            parent: entry.created.parent.clone(),
            correlation_id: entry.created.correlation_id.clone(),
            project_id: project.clone(),
            effect_hash: examined.effect_hash,
            intent: shown.intent.clone(),
            constraints: examined.constraints.clone(),
            created_at: entry.created_time.clone(),
            expires_in_sec: shown.is_live().then_some(shown.left_ms / 1000),
            run_id: entry.run_id().cloned(),
            same: shown.same,
        }
    }
}

/// The approval of a plan, spent or not, without what a passkey signed.
pub(crate) fn approval(shown: &Shown) -> Option<Approval> {
    let grant = match &shown.entry.phase {
        Phase::Approved { grant, .. } => Some(grant),
        Phase::Expired { grant, .. } => grant.as_ref(),
        Phase::Pending { .. } | Phase::Rejected { .. } => None,
    };
    // What a passkey signed names the room, which agents must not learn.
    grant.map(|grant| Approval { passkey: None, ..grant.approval.clone() })
}
