//! One request to a provider: the operator's address alone, no proxy, no redirect, bounded.

use std::net::IpAddr;
use std::time::Duration;

use exacta_core::life::binding::PlannerRequest;
use exacta_core::model::digest::Digest;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response, redirect};
use secrecy::ExposeSecret as _;
use url::{Host, Url};

use super::wire::{Stream, body, is_same_model};
use super::{Answer, Endpoint, Format, PlannerError, Question};

/// The most bytes of an answer.
const MOST: usize = 8 << 20;
/// The longest that a provider is waited for when it asks to be.
const LONGEST_PAUSE: u64 = 20;

/// Asks once; where the provider asks to wait a little, once more after that.
///
/// # Errors
/// [`PlannerError`]; the key is in none of them.
pub async fn ask(
    endpoint: &Endpoint,
    question: &Question,
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<Answer, PlannerError> {
    check(endpoint)?;
    let answer = match send(endpoint, question, progress).await {
        Err(PlannerError::Status { status: 429, retry_after: Some(seconds) })
            if seconds <= LONGEST_PAUSE =>
        {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            send(endpoint, question, progress).await
        }
        other => other,
    };
    keep_key(endpoint, answer)
}

/// A provider may say the key back. Then neither its answer nor its error goes any further.
fn keep_key(
    endpoint: &Endpoint,
    answer: Result<Answer, PlannerError>,
) -> Result<Answer, PlannerError> {
    let Some(key) = &endpoint.key else { return answer };
    let says = |text: &str| text.contains(key.expose_secret());
    let told = match &answer {
        Ok(answer) => {
            let name = answer.request.provider_id.as_deref();
            says(&answer.text) || says(&answer.model) || name.is_some_and(says)
        }
        Err(error) => says(&error.to_string()),
    };
    if told { Err(PlannerError::Form("it says the key back".into())) } else { answer }
}

/// Whether an endpoint may be asked at all.
fn check(endpoint: &Endpoint) -> Result<(), PlannerError> {
    let refuse = |why| Err(PlannerError::Address { address: shown(&endpoint.url), why });
    let local = is_loopback(&endpoint.url);
    match endpoint.url.scheme() {
        "https" => {}
        "http" if local => {}
        "http" => return refuse("plain HTTP is for this machine alone"),
        _ => return refuse("it is not an address of the web"),
    }
    if !endpoint.url.username().is_empty() || endpoint.url.password().is_some() {
        return refuse("it holds a name or a password");
    }
    if endpoint.local_only {
        if !local {
            return refuse("only this machine may be asked");
        }
        let name = endpoint.model.to_lowercase();
        if name.ends_with("-cloud") || name.ends_with(":cloud") {
            return Err(PlannerError::CloudModel(endpoint.model.clone()));
        }
    }
    Ok(())
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// An address without anything that may be a secret.
fn shown(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

async fn send(
    endpoint: &Endpoint,
    question: &Question,
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<Answer, PlannerError> {
    let bytes = body(endpoint, question).to_string();
    let limit = endpoint.timeout.as_secs();
    let told = |error: &reqwest::Error| {
        if error.is_timeout() {
            return PlannerError::TooSlow(limit);
        }
        // The words of an error may hold the address, but never a header.
        PlannerError::Unreachable(if error.is_connect() {
            "no connection".into()
        } else {
            "the connection broke".into()
        })
    };
    let client = client(endpoint).map_err(|error| told(&error))?;
    let mut request = client
        .post(endpoint.url.clone())
        .header("content-type", "application/json")
        .timeout(endpoint.timeout)
        .body(bytes.clone());
    if let Some(key) = &endpoint.key {
        request = match endpoint.format {
            Format::Anthropic => request.header("x-api-key", key.expose_secret()),
            Format::OpenAi | Format::Ollama => request.bearer_auth(key.expose_secret()),
        };
    }
    if endpoint.format == Format::Anthropic {
        request = request.header("anthropic-version", "2023-06-01");
    }
    let response = request.send().await.map_err(|error| told(&error))?;
    // A name that was given to this machine may still lead elsewhere.
    if endpoint.local_only && !response.remote_addr().is_some_and(|at| loopback(at.ip())) {
        let why = "it leads away from this machine";
        return Err(PlannerError::Address { address: shown(&endpoint.url), why });
    }
    let status = response.status();
    if !status.is_success() {
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        return Err(PlannerError::Status { status: status.as_u16(), retry_after });
    }
    let provider_id = provider_id(response.headers());
    let stream = read(endpoint, response, progress, &told).await?;
    if stream.cut {
        return Err(PlannerError::OutOfTokens(question.max_tokens));
    }
    if !stream.ended {
        return Err(PlannerError::CutOff);
    }
    let Stream { text, model, input_tokens, output_tokens, remote, .. } = stream;
    let model = model.ok_or_else(|| PlannerError::Form("it names no model".into()))?;
    if endpoint.local_only && remote {
        return Err(PlannerError::CloudModel(endpoint.model.clone()));
    }
    if !is_same_model(&endpoint.model, &model) {
        let (asked, answered) = (endpoint.model.clone(), model.chars().take(80).collect());
        return Err(PlannerError::OtherModel { asked, answered });
    }
    let request = PlannerRequest { hash: Digest::of(bytes.as_bytes()), provider_id };
    Ok(Answer { text, model, input_tokens, output_tokens, request })
}

/// What a provider calls a request; it is asked for when something has to be found there.
fn provider_id(headers: &HeaderMap) -> Option<String> {
    /// No provider's is longer.
    const MOST: usize = 128;
    let mut named = ["request-id", "x-request-id"].into_iter().filter_map(|name| headers.get(name));
    let id = named.next()?.to_str().ok()?.trim();
    let plain = id.bytes().all(|byte| byte.is_ascii_graphic());
    (plain && !id.is_empty() && id.len() <= MOST).then(|| id.to_owned())
}

fn loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

async fn read(
    endpoint: &Endpoint,
    mut response: Response,
    progress: &(dyn Fn(usize) + Send + Sync),
    told: &dyn Fn(&reqwest::Error) -> PlannerError,
) -> Result<Stream, PlannerError> {
    let (mut stream, mut length) = (Stream::default(), 0_usize);
    loop {
        let part = match response.chunk().await {
            Ok(part) => part,
            Err(error) if error.is_timeout() => return Err(told(&error)),
            Err(_) => return Err(PlannerError::CutOff),
        };
        let Some(part) = part else { break };
        length = length.saturating_add(part.len());
        if length > MOST {
            return Err(PlannerError::TooLong(MOST));
        }
        stream.take(endpoint.format, &part)?;
        progress(stream.text.len());
    }
    stream.end(endpoint.format)?;
    Ok(stream)
}

fn client(endpoint: &Endpoint) -> Result<Client, reqwest::Error> {
    // Whoever comes first installs it; it is the same for all.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().no_proxy().redirect(redirect::Policy::none());
    let builder = builder.connect_timeout(Duration::from_secs(10));
    match endpoint.url.host() {
        // The name of this machine is not looked up.
        Some(Host::Domain("localhost")) => {
            let port = endpoint.url.port_or_known_default().unwrap_or_default();
            builder.resolve("localhost", ([127, 0, 0, 1], port).into()).build()
        }
        _ => builder.build(),
    }
}
