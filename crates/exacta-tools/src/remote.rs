//! A server of the user's own: one request with a token, to the address that the user named.
//!
//! No proxy and no redirect, HTTPS unless the server is on this machine, and the answer in
//! bounds. The token is in a header and in no error.

use std::time::Duration;

use reqwest::{Client, Method, redirect};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::{Host, Url};

use crate::planner::is_loopback;

/// The most bytes of an answer.
const MOST: usize = 32 << 20;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where, and with which right.
#[derive(Clone, Debug)]
pub struct Remote {
    url: Url,
    token: SecretString,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The address is not one that is asked.
    #[error("the server is not asked: {0}")]
    Address(&'static str),
    /// It cannot be reached, or broke off.
    #[error("the server cannot be reached: {0}")]
    Unreachable(&'static str),
    /// It said something that it does not say.
    #[error("what answered is not a server of Exacta's")]
    Form,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body; null when there is none.
    pub body: Value,
}

impl Remote {
    /// A server and the token of an agent there.
    ///
    /// # Errors
    /// When the address is not one that a token is sent to.
    pub fn new(url: &str, token: SecretString) -> Result<Self, RemoteError> {
        let url = Url::parse(url).map_err(|_| RemoteError::Address("it is not an address"))?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(RemoteError::Address("plain HTTP is for this machine alone")),
            _ => return Err(RemoteError::Address("it is not an address of the web")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RemoteError::Address("it holds a name or a password"));
        }
        Ok(Self { url, token })
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Asks once.
    ///
    /// # Errors
    /// When there is no answer; an answer with an error status is one.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Reply, RemoteError> {
        let bad = |_| RemoteError::Address("it cannot be asked");
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| RemoteError::Address("it cannot be asked"))?;
        let url = self.url.join(path).map_err(bad)?;
        let client = self.client().map_err(|_| RemoteError::Unreachable("no connection"))?;
        let mut request =
            client.request(method, url).bearer_auth(self.token.expose_secret()).timeout(PATIENCE);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let told = |error: reqwest::Error| {
            RemoteError::Unreachable(if error.is_timeout() {
                "it did not answer in time"
            } else if error.is_connect() {
                "no connection"
            } else {
                "the connection broke"
            })
        };
        let mut response = request.send().await.map_err(told)?;
        let (status, mut bytes) = (response.status().as_u16(), Vec::new());
        while let Some(part) = response.chunk().await.map_err(told)? {
            if bytes.len() + part.len() > MOST {
                return Err(RemoteError::Form);
            }
            bytes.extend_from_slice(&part);
        }
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).map_err(|_| RemoteError::Form)?
        };
        Ok(Reply { status, body })
    }

    fn client(&self) -> Result<Client, reqwest::Error> {
        // Whoever comes first installs it; it is the same for all.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().no_proxy().redirect(redirect::Policy::none());
        let builder = builder.connect_timeout(Duration::from_secs(10));
        match self.url.host() {
            // The name of this machine is not looked up.
            Some(Host::Domain("localhost")) => {
                let port = self.url.port_or_known_default().unwrap_or_default();
                builder.resolve("localhost", ([127, 0, 0, 1], port).into()).build()
            }
            _ => builder.build(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_https_or_to_this_machine_alone() {
        let remote = |url: &str| Remote::new(url, SecretString::from("t")).is_ok();
        for good in ["https://gate.example", "http://127.0.0.1:4100", "http://localhost:1"] {
            assert!(remote(good), "{good}");
        }
        for bad in
            ["http://gate.example", "http://10.0.0.1", "https://u:p@gate.example", "file:///x", ""]
        {
            assert!(!remote(bad), "{bad}");
        }
    }
}
