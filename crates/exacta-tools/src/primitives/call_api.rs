//! `CallApi`: calls an address that the operator configured, exactly so.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::judge::policy::Endpoint;
use exacta_core::model::registry::Effect;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::args::{self, object, str_of};
use crate::context::ToolContext;
use crate::error::{AfterEffect, ToolError};
use crate::http::{HttpGate, HttpRequest};
use crate::primitive::{Output, Primitive};

/// The most bytes of an answer.
const ANSWER: u64 = 1024 * 1024;
/// The longest a call may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls configured addresses.
pub(super) struct CallApi {
    pub(super) endpoints: BTreeMap<String, Endpoint>,
    /// The gate to the hosts that the operator named.
    pub(super) gate: Arc<dyn HttpGate>,
}

#[async_trait]
impl Primitive for CallApi {
    fn name(&self) -> &'static str {
        "CallApi"
    }

    fn effect(&self) -> Effect {
        Effect::Publish
    }

    fn idempotent(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        object(&[("url", args::url()), ("body", json!({"type": "object"}))], &["url"])
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let url = str_of(args, "url").unwrap_or_default();
        let Some(endpoint) = self.endpoints.values().find(|endpoint| endpoint.url == url) else {
            return Err(ToolError::new(
                "ENDPOINT_UNKNOWN",
                "the address is not one of `tools.endpoints` in policy",
            ));
        };
        ctx.meter.money(endpoint.micro_usd)?;
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("idempotency-key".to_owned(), ctx.idempotency_key.clone()),
        ];
        if let Some(name) = &endpoint.secret {
            let secret = ctx.world.secrets.get(name).await?;
            let secret = secret.expose_secret();
            let bearer = endpoint.header == "authorization" && !secret.contains(' ');
            let value = if bearer { format!("Bearer {secret}") } else { secret.to_owned() };
            headers.push((endpoint.header.clone(), value));
        }
        let body = args.get("body").cloned().unwrap_or_else(|| json!({}));
        let request = HttpRequest {
            method: endpoint.method.clone(),
            url: url.to_owned(),
            headers,
            body: body.to_string().into_bytes(),
            max_bytes: ANSWER,
            max_redirects: 0,
            timeout: PATIENCE,
            outside_effect: true,
        };
        let answer = self.gate.send(ctx, request).await?;
        let refused = |after| {
            let message = format!("the service answered {}", answer.status);
            Err(ToolError::new("HTTP_STATUS", message).after(after))
        };
        match answer.status {
            200..=299 => {}
            // Read and refused.
            300..=499 => return refused(AfterEffect::NotSent),
            // It may have got far enough before it broke.
            _ => return refused(AfterEffect::Unknown),
        }
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(Output::new(json!({"status": answer.status, "answer": body})))
    }
}
