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

/// What stands in an answer where the secret stood.
const MASKED: &str = "[secret]";

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
        let secret = match &endpoint.secret {
            Some(name) => Some(ctx.world.secrets.get(name).await?),
            None => None,
        };
        if let Some(secret) = &secret {
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
            400..=407 | 409..=499 => return refused(AfterEffect::NotSent),
            // It may have got far enough before it broke or timed out, and many services
            // answer a call that they carried out with the address of what came of it.
            _ => return refused(AfterEffect::Unknown),
        }
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let mut body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if let Some(secret) = &secret {
            mask(&mut body, secret.expose_secret());
        }
        Ok(Output::new(json!({"status": answer.status, "answer": body})))
    }
}

/// Takes a secret out of an answer: some services repeat what they were sent, and answers are
/// kept.
fn mask(answer: &mut Value, secret: &str) {
    match answer {
        Value::String(text) if text.contains(secret) => *text = text.replace(secret, MASKED),
        Value::Array(elements) => elements.iter_mut().for_each(|one| mask(one, secret)),
        Value::Object(members) => {
            members.values_mut().for_each(|one| mask(one, secret));
            if members.keys().any(|key| key.contains(secret)) {
                let all = std::mem::take(members).into_iter();
                members.extend(all.map(|(key, value)| (key.replace(secret, MASKED), value)));
            }
        }
        _ => {}
    }
}
