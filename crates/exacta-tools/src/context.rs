//! What a tool is given to work with.

use std::path::PathBuf;
use std::sync::Arc;

use exacta_core::model::id::StepId;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;
use crate::executor::EffectPoint;
use crate::guard::Meter;
use crate::http::HttpGate;
use crate::secrets::Secrets;

/// What all steps of all runs share: made once by whoever sets the tools up.
#[derive(Clone)]
pub struct World {
    /// Where secrets come from.
    pub secrets: Arc<dyn Secrets>,
    /// The only way to the web.
    pub http: Arc<dyn HttpGate>,
    /// The folder for drafts; made when first needed.
    pub outbox: PathBuf,
    /// The folder in which tools remember what they saw: page snapshots, message marks.
    pub memory: PathBuf,
    /// The folder that `ReadVaultFile` may read, if policy names one.
    pub vault: Option<PathBuf>,
    /// Tool settings of the operator's policy: mail servers, endpoints, notifications.
    pub settings: Arc<Value>,
}

/// One call of one tool.
pub struct ToolContext {
    /// The run.
    pub run_id: String,
    /// The plan it runs.
    pub plan_id: String,
    /// The step.
    pub step_id: StepId,
    /// The same for every attempt of this step in this run, and for its compensation.
    pub idempotency_key: String,
    /// Which attempt this is; from 1.
    pub attempt: u32,
    /// When the step has failed by taking too long.
    pub deadline: Instant,
    /// The stop signal.
    pub cancel: CancellationToken,
    /// Counts calls, pages and money; ask it before spending.
    pub meter: Meter,
    /// The inputs of the plan.
    pub inputs: Arc<Value>,
    /// What the user asked for.
    pub intent: Option<Arc<str>>,
    /// What all steps share.
    pub world: Arc<World>,
    pub(crate) effect: EffectPoint,
}

impl ToolContext {
    /// To be awaited right before the first byte of an outside effect leaves. When it
    /// returns `Ok` the intent is on the record; from then on the step is never repeated.
    ///
    /// # Errors
    /// When the effect must not happen: the run was stopped, time is up, or the record
    /// cannot be written. The tool gives the error back as it is.
    pub async fn effect_point(&self) -> Result<(), ToolError> {
        self.effect.pass(self).await
    }
}
