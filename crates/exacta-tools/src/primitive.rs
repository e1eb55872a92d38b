//! What every tool is.

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::Value;

use crate::context::ToolContext;
use crate::error::ToolError;

/// What a tool gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// What later steps can refer to and the result list shows.
    pub value: Value,
}

impl Output {
    /// An output of this value.
    pub const fn new(value: Value) -> Self {
        Self { value }
    }
}

/// One tool.
#[async_trait]
pub trait Primitive: Send + Sync {
    /// Its name, as plans write it.
    fn name(&self) -> &'static str;

    /// What calling it does to the world outside.
    fn effect(&self) -> Effect;

    /// Whether a second call with the same idempotency key changes nothing. Only such
    /// tools are tried again, and only before an effect can have left.
    fn idempotent(&self) -> bool;

    /// Whether a call that is forgotten may simply be made again: it did nothing but read.
    fn only_reads(&self) -> bool {
        self.effect() == Effect::Read && self.idempotent()
    }

    /// Whether [`Primitive::compensate`] takes back what it did.
    fn reversible(&self) -> bool {
        false
    }

    /// JSON Schema of its arguments: an object, without members that are not named.
    fn args_schema(&self) -> Value;

    /// Does it. An outside effect awaits [`ToolContext::effect_point`] right before its
    /// first byte leaves; what fails afterwards says what became of the effect.
    ///
    /// # Errors
    /// When the tool failed.
    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError>;

    /// Takes back what a run with these arguments and this idempotency key did. Called
    /// again after a crash, so a second time changes nothing; nothing to take back is fine.
    ///
    /// # Errors
    /// When something is left behind.
    async fn compensate(
        &self,
        ctx: &ToolContext,
        args: &Value,
        output: &Value,
    ) -> Result<(), ToolError> {
        let _ = (ctx, args, output);
        Err(ToolError::new("NOT_REVERSIBLE", format!("`{}` cannot be taken back", self.name())))
    }
}
