//! What a person decides about when a step's turn has come.

use exacta_core::life::ledger::RunEntry;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::StepId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::tools::StepRequest;

/// A step that waits for a person, with its arguments as they would be used.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepQuestion {
    /// The step.
    pub step_id: StepId,
    /// The tool it calls.
    pub tool: String,
    /// The arguments with every reference filled in.
    pub args: Value,
    /// Hash of the arguments; deciding on a step names it.
    pub arguments: Digest,
    /// Where the arguments were filled in from earlier outputs, as JSON pointers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filled: Vec<String>,
    /// Why it is asked.
    pub why: String,
}

impl Gate<'_> {
    /// What a person has to decide on before a run goes on.
    ///
    /// # Errors
    /// When the questions cannot be read.
    pub fn questions(&self, run: &RunEntry) -> Result<Vec<StepQuestion>, GateError> {
        let mut questions = Vec::new();
        for step_id in run.waiting_steps() {
            let asked = run.steps.get(step_id).and_then(|step| step.asked);
            let Some((arguments, request)) = asked else { continue };
            let blob = self.objects.get(&request)?;
            let request: StepRequest = serde_json::from_slice(blob.bytes())?;
            let StepRequest { step_id, tool, args, filled, why } = request;
            questions.push(StepQuestion { step_id, tool, args, arguments, filled, why });
        }
        Ok(questions)
    }
}
