//! The web gate: judges each address and contacts exactly the one it judged.
//!
//! Each hop of a request gets a client of its own, so no connection is ever shared between
//! hosts. Redirects are not followed by the client but judged here again, one by one.

use std::error::Error as _;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, redirect};
use tokio::time::{Instant, timeout_at};

use super::address::{Reach, Target, target};
use super::body::Body;
use super::network::Network;
use crate::context::ToolContext;
use crate::error::{AfterEffect, ToolError};
use crate::http::{HttpGate, HttpRequest, HttpResponse};

/// What servers are told about who asks.
const AGENT: &str = concat!("exacta/", env!("CARGO_PKG_VERSION"));

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(10);

/// Headers that may follow a redirect to another host: none of them holds a secret.
const HARMLESS: [&str; 4] = ["accept", "if-none-match", "if-modified-since", "accept-language"];

/// The only way to the web.
pub struct WebGate {
    network: Network,
    reach: Reach,
}

impl WebGate {
    /// A gate to these hosts.
    pub const fn new(network: Network, reach: Reach) -> Self {
        Self { network, reach }
    }

    /// One hop: from an address to the head of its answer.
    async fn hop(
        &self,
        ctx: &ToolContext,
        request: &HttpRequest,
        target: &Target,
        headers: HeaderMap,
    ) -> Result<Response, ToolError> {
        let addresses = self.network.public(&target.host, target.port).await?;
        let client = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT)
            .user_agent(AGENT)
            .resolve_to_addrs(&target.host, &addresses)
            .tls_backend_preconfigured((**self.network.tls()).clone())
            .build()
            .map_err(|fault| ToolError::new("HTTP_FAILED", told(&fault)))?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| ToolError::new("HTTP_FAILED", "the method is not one"))?;
        let mut built = client.request(method, target.url.clone()).headers(headers);
        if !request.body.is_empty() {
            built = built.body(request.body.clone());
        }
        let built = built.build().map_err(|fault| ToolError::new("HTTP_FAILED", told(&fault)))?;
        if request.outside_effect {
            ctx.effect_point().await?;
        }
        let response = client.execute(built).await.map_err(|fault| {
            let after = if request.outside_effect && !fault.is_connect() {
                AfterEffect::Unknown
            } else {
                AfterEffect::NotSent
            };
            ToolError::new("HTTP_FAILED", format!("`{}`: {}", target.host, told(&fault)))
                .retryable()
                .after(after)
        })?;
        // The client was told these addresses and no others; it must have used one.
        if response.remote_addr().is_some_and(|used| !addresses.contains(&used)) {
            let after =
                if request.outside_effect { AfterEffect::Unknown } else { AfterEffect::NotSent };
            return Err(ToolError::new(
                "ADDRESS_CHANGED",
                "the connection went to another address than the one that was checked",
            )
            .after(after));
        }
        Ok(response)
    }

    async fn follow(
        &self,
        ctx: &ToolContext,
        request: &HttpRequest,
    ) -> Result<HttpResponse, ToolError> {
        let mut at = target(&request.url, &self.reach)?;
        let mut headers = headers(&request.headers)?;
        let mut left = request.max_redirects;
        loop {
            let response = self.hop(ctx, request, &at, headers.clone()).await?;
            let next = response
                .headers()
                .get(LOCATION)
                .filter(|_| matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308));
            let follows = !request.outside_effect && request.max_redirects > 0;
            let Some(next) = next.filter(|_| follows) else {
                return read(request, &at, response).await;
            };
            if left == 0 {
                return Err(ToolError::new(
                    "HTTP_REDIRECTS",
                    format!("more than {} redirects", request.max_redirects),
                ));
            }
            left = left.saturating_sub(1);
            let next =
                next.to_str().ok().and_then(|text| at.url.join(text).ok()).ok_or_else(|| {
                    ToolError::new("HTTP_REDIRECTS", "the redirect leads nowhere")
                })?;
            let next = target(next.as_str(), &self.reach)?;
            if next.host != at.host {
                let secret: Vec<HeaderName> = headers
                    .keys()
                    .filter(|name| !HARMLESS.contains(&name.as_str()))
                    .cloned()
                    .collect();
                for name in secret {
                    headers.remove(name);
                }
            }
            at = next;
        }
    }
}

#[async_trait]
impl HttpGate for WebGate {
    async fn send(
        &self,
        ctx: &ToolContext,
        request: HttpRequest,
    ) -> Result<HttpResponse, ToolError> {
        let end = (Instant::now() + request.timeout).min(ctx.deadline);
        if let Ok(answer) = timeout_at(end, self.follow(ctx, &request)).await {
            return answer;
        }
        let left = request.outside_effect && ctx.effect.is_passed();
        let after = if left { AfterEffect::Unknown } else { AfterEffect::NotSent };
        Err(ToolError::new("HTTP_TIMEOUT", "the answer took too long").retryable().after(after))
    }
}

/// The headers of a request: no line ends, nothing that the gate sets itself.
fn headers(list: &[(String, String)]) -> Result<HeaderMap, ToolError> {
    let wrong = || ToolError::new("HTTP_FAILED", "a header of the request is not one");
    let mut headers = HeaderMap::new();
    for (name, value) in list {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers.insert("accept-encoding", HeaderValue::from_static("gzip"));
    Ok(headers)
}

/// Reads an answer in bounds.
async fn read(
    request: &HttpRequest,
    at: &Target,
    mut response: Response,
) -> Result<HttpResponse, ToolError> {
    let after = if request.outside_effect { AfterEffect::Sent } else { AfterEffect::NotSent };
    let status = response.status().as_u16();
    let encoding = response.headers().get(CONTENT_ENCODING).and_then(|name| name.to_str().ok());
    let mut body = Body::new(encoding, request.max_bytes).map_err(|fault| fault.after(after))?;
    let headers = response
        .headers()
        .iter()
        .filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        })
        .collect();
    loop {
        let part = response.chunk().await.map_err(|fault| {
            ToolError::new("HTTP_FAILED", format!("`{}`: {}", at.host, told(&fault)))
                .retryable()
                .after(after)
        })?;
        let Some(part) = part else { break };
        body.take(&part).map_err(|fault| fault.after(after))?;
    }
    let body = body.finish().map_err(|fault| fault.after(after))?;
    Ok(HttpResponse { status, url: at.url.as_str().to_owned(), headers, body })
}

/// What a client says went wrong, down to its cause and without the address.
fn told(fault: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = fault;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    if fault.source().is_none() && fault.is_timeout() {
        return "no answer in time".into();
    }
    if fault.source().is_none() {
        return "the request failed".into();
    }
    cause.to_string()
}
