//! What the operator is told outside of a run: that a plan waits, that a schedule fails.
//!
//! It goes to the webhook and the ntfy topic that operator policy names, signed with the secret
//! that it names; without a secret nothing is posted. It says which plan, how risky and until
//! when: no hash, nothing of what the plan does. No redirect is followed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use exacta_core::judge::policy::Policy;
use exacta_engine::tools::{Spent, ToolCaps};
use jiff::Timestamp;
use ring::hmac;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::context::{ToolContext, World};
use crate::error::ToolError;
use crate::executor::EffectPoint;
use crate::guard::Meter;
use crate::http::{HttpGate, HttpRequest};
use crate::memory::{Memory, Taken};
use crate::net::{Network, WebGate};
use crate::primitives::settings_reach;
use crate::secrets::{PolicySecrets, Secrets as _};

/// How long one way may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// The header that carries time and signature.
pub const SIGNATURE: &str = "x-exacta-signature";

/// Something to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Told once a key.
    pub key: String,
    /// One line for people.
    pub text: String,
    /// The same for programs.
    pub fields: Value,
}

/// Tells the operator by the ways that policy names.
pub struct Courier {
    policy: Policy,
    memory: PathBuf,
    network: Network,
}

/// What a receiver computes over the body to know that it is genuine.
#[must_use]
pub fn signature(secret: &[u8], seconds: i64, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let signed = [format!("{seconds}.").as_bytes(), body].concat();
    let tag = hmac::sign(&key, &signed);
    format!("t={seconds},v1={}", data_encoding::HEXLOWER.encode(tag.as_ref()))
}

impl Courier {
    /// A courier for this policy, which remembers in `memory` what it told.
    ///
    /// # Errors
    /// When the network cannot be set up.
    pub fn new(policy: Policy, memory: PathBuf) -> Result<Self, ToolError> {
        Ok(Self { policy, memory, network: Network::of_this_machine()? })
    }

    /// Whether there is anybody to tell.
    #[must_use]
    pub fn has_ways(&self) -> bool {
        let notify = &self.policy.tools.notify;
        notify.secret.is_some() && (notify.webhook.is_some() || notify.ntfy.is_some())
    }

    /// Tells; gives the ways that it went.
    ///
    /// # Errors
    /// When nobody could be told.
    pub async fn tell(&self, notice: &Notice) -> Result<Vec<&'static str>, ToolError> {
        let notify = &self.policy.tools.notify;
        let Some(name) = notify.secret.as_ref().filter(|_| self.has_ways()) else {
            return Ok(Vec::new());
        };
        let memory = Memory::at(&self.memory);
        let taken = memory.take_one("notices", &notice.key, &clock::today(), notify.daily_limit)?;
        if taken != Taken::Now {
            return Ok(Vec::new());
        }
        let secrets = PolicySecrets::new(self.policy.tools.secrets.clone());
        let secret = secrets.get(name).await?;
        let gate = WebGate::new(self.network.clone(), settings_reach(&self.policy));
        let (json, text) = (notice.fields.to_string(), notice.text.clone());
        let ways = [
            ("webhook", &notify.webhook, "application/json", json),
            ("ntfy", &notify.ntfy, "text/plain; charset=utf-8", text),
        ];
        let (mut gone, mut failed) = (Vec::new(), None);
        for (way, url, kind, body) in ways {
            let Some(url) = url else { continue };
            let seconds = Timestamp::now().as_second();
            let signed = signature(secret.expose_secret().as_bytes(), seconds, body.as_bytes());
            let request = HttpRequest {
                method: "POST".into(),
                url: url.clone(),
                headers: vec![
                    ("content-type".into(), kind.into()),
                    ("idempotency-key".into(), notice.key.clone()),
                    (SIGNATURE.into(), signed),
                ],
                body: body.into_bytes(),
                max_bytes: 64 * 1024,
                max_redirects: 0,
                timeout: PATIENCE,
                outside_effect: true,
            };
            match gate.send(&self.context(notice), request).await {
                Ok(answer) if (200..300).contains(&answer.status) => gone.push(way),
                Ok(answer) => {
                    let why = format!("`{way}` answered {}", answer.status);
                    failed = Some(ToolError::new("NOTIFY_FAILED", why));
                }
                Err(fault) => failed = Some(fault),
            }
        }
        match failed {
            Some(fault) if gone.is_empty() => Err(fault),
            _ => Ok(gone),
        }
    }

    /// What the gate to the web wants to know of a step; there is none here.
    fn context(&self, notice: &Notice) -> ToolContext {
        let none = Spent::default();
        let gate = WebGate::new(self.network.clone(), settings_reach(&self.policy));
        let world = World {
            secrets: Arc::new(PolicySecrets::new(std::collections::BTreeMap::new())),
            http: Arc::new(gate),
            outbox: self.memory.clone(),
            memory: self.memory.clone(),
            vault: None,
            settings: Arc::default(),
        };
        ToolContext {
            run_id: String::new(),
            plan_id: String::new(),
            step_id: "".into(),
            idempotency_key: notice.key.clone(),
            attempt: 1,
            deadline: Instant::now() + PATIENCE,
            cancel: CancellationToken::new(),
            meter: Meter::new(ToolCaps { run: none, day: None }, none, none),
            inputs: Arc::default(),
            intent: None,
            world: Arc::new(world),
            effect: EffectPoint::open(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_covers_time_and_body() {
        let one = signature(b"secret", 1_700_000_000, b"{}");
        // As any other program computes it.
        let by_others = "b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
        assert_eq!(one, format!("t=1700000000,v1={by_others}"));
        assert_ne!(one, signature(b"secret", 1_700_000_001, b"{}"));
        assert_ne!(one, signature(b"secret", 1_700_000_000, b"{} "));
        assert_ne!(one, signature(b"Secret", 1_700_000_000, b"{}"));
    }
}
