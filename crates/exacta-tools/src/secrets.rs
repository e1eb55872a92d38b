//! Where secrets come from. They are never in a plan, a record, an error or a log.

use async_trait::async_trait;
use secrecy::SecretString;

use crate::error::ToolError;

/// Finds secrets by the names that operator policy gives them.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The secret of this name.
    ///
    /// # Errors
    /// When policy names no such secret or its source does not give it; the message names
    /// the source, never the value.
    async fn get(&self, name: &str) -> Result<SecretString, ToolError>;
}
