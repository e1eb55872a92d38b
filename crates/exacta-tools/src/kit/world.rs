//! A world without a network or secrets, and people who answer from a list.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use exacta_engine::tools::{Spent, StepApprover, StepDecision, StepRequest, ToolCaps};
use secrecy::SecretString;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::context::{ToolContext, World};
use crate::error::ToolError;
use crate::executor::EffectPoint;
use crate::guard::Meter;
use crate::http::{HttpGate, HttpRequest, HttpResponse};
use crate::secrets::Secrets;

/// Refuses every address.
pub struct NoNetwork;

#[async_trait]
impl HttpGate for NoNetwork {
    async fn send(
        &self,
        _ctx: &ToolContext,
        _request: HttpRequest,
    ) -> Result<HttpResponse, ToolError> {
        Err(ToolError::new("NO_NETWORK", "there is no network here"))
    }
}

/// Has no secret.
pub struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn get(&self, name: &str) -> Result<SecretString, ToolError> {
        Err(ToolError::new("NO_SECRET", format!("there is no secret `{name}`")))
    }
}

/// A world below this folder.
pub fn world(folder: &Path) -> World {
    World {
        secrets: Arc::new(NoSecrets),
        http: Arc::new(NoNetwork),
        outbox: folder.join("outbox"),
        memory: folder.join("memory"),
        vault: None,
        settings: Arc::default(),
    }
}

/// Answers for each step in turn; a step without an answer is approved.
#[derive(Default)]
pub struct Answers {
    answers: Mutex<BTreeMap<String, VecDeque<StepDecision>>>,
    asked: Mutex<Vec<StepRequest>>,
}

impl Answers {
    /// Says yes to everything.
    pub fn yes() -> Self {
        Self::default()
    }

    /// Answers a step with this when it is asked next.
    #[must_use]
    pub fn and(self, step_id: &str, decision: StepDecision) -> Self {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(step_id.to_owned())
            .or_default()
            .push_back(decision);
        self
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<StepRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl StepApprover for Answers {
    fn ask(&self, request: &StepRequest) -> StepDecision {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = answers.get_mut(request.step_id.as_str()).and_then(VecDeque::pop_front);
        next.unwrap_or(StepDecision::Approved)
    }
}

/// The context of a call of one tool, for tests of that tool alone: no cap, ten seconds, an
/// effect point that is open.
pub fn context(world: World) -> ToolContext {
    let most = Spent { calls: u64::MAX, pages: u64::MAX, micro_usd: u64::MAX };
    let none = Spent::default();
    ToolContext {
        run_id: "run-1".into(),
        plan_id: "plan-1".into(),
        step_id: "step_1".into(),
        idempotency_key: "0123456789abcdef0123456789abcdef".into(),
        attempt: 1,
        deadline: Instant::now() + Duration::from_secs(10),
        cancel: CancellationToken::new(),
        meter: Meter::new(ToolCaps { run: most, day: None }, none, none),
        inputs: Arc::default(),
        intent: None,
        world: Arc::new(world),
        effect: EffectPoint::open(),
    }
}
