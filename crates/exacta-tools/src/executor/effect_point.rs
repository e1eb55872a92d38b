//! The moment right before an outside effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use exacta_engine::tools::StepEntry;
use tokio::time::Instant;

use super::writer::Writer;
use crate::context::ToolContext;
use crate::error::ToolError;

/// The gate in front of an outside effect. Passing it a second time changes nothing.
#[derive(Clone)]
pub struct EffectPoint {
    /// What has to be on the record first, and the way there.
    intent: Option<Arc<(Writer, StepEntry)>>,
    passed: Arc<AtomicBool>,
}

impl EffectPoint {
    /// For a step whose start is on the record already.
    pub fn open() -> Self {
        Self { intent: None, passed: Arc::default() }
    }

    /// For a step that is on the record only from here on.
    pub(super) fn recording(writer: Writer, intent: StepEntry) -> Self {
        Self { intent: Some(Arc::new((writer, intent))), passed: Arc::default() }
    }

    /// Whether the effect may have left.
    pub fn is_passed(&self) -> bool {
        self.passed.load(Ordering::SeqCst)
    }

    pub(crate) async fn pass(&self, ctx: &ToolContext) -> Result<(), ToolError> {
        if self.is_passed() {
            return Ok(());
        }
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        if let Some(intent) = &self.intent {
            let (writer, entry) = &**intent;
            let written = writer.append(vec![entry.clone()]).await;
            written.map_err(|fault| ToolError::new("RECORD_FAILED", fault.to_string()))?;
        }
        if Instant::now() >= ctx.deadline {
            return Err(ToolError::new("TIMEOUT", "the time of the step was up before its effect"));
        }
        self.passed.store(true, Ordering::SeqCst);
        Ok(())
    }
}
