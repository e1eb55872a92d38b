//! The only way to the web, as a port: tools name what they want, the gate decides.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::context::ToolContext;
use crate::error::ToolError;

/// A request.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Header names and values. A value may hold a secret: it is never shown.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Vec<u8>,
    /// The most bytes taken, after decompression.
    pub max_bytes: u64,
    /// The most redirects followed; each goes through the gate again. With none a redirect is
    /// an answer like any other.
    pub max_redirects: u32,
    /// How long it may take in all; never past the deadline of the step.
    pub timeout: Duration,
    /// Whether sending it is an outside effect: the gate then awaits
    /// [`ToolContext::effect_point`] right before its first byte and follows no redirect.
    pub outside_effect: bool,
}

impl fmt::Debug for HttpRequest {
    /// Without header values and body: they may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The address it came from, after redirects.
    pub url: String,
    /// Header names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The decompressed body.
    pub body: Vec<u8>,
}

/// Decides about each address and contacts exactly the one it decided about.
#[async_trait]
pub trait HttpGate: Send + Sync {
    /// Does the request.
    ///
    /// # Errors
    /// When it is refused or fails. An answer with an error status is an answer.
    async fn send(
        &self,
        ctx: &ToolContext,
        request: HttpRequest,
    ) -> Result<HttpResponse, ToolError>;
}
