//! Fetches a page politely: robots.txt is kept, what did not change is not sent again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::fmt::rfc2822;
use robotxt::{AccessResult, Robots};
use serde_json::{Value, json};
use url::Url;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::http::{HttpRequest, HttpResponse};
use crate::memory::Memory;

/// The most bytes of a page, after decompression.
const PAGE: u64 = 5 * 1024 * 1024;
/// The most bytes of robots.txt that count.
const ROBOTS: u64 = 512 * 1024;
/// The most redirects.
const REDIRECTS: u32 = 3;
/// The longest that one page may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long what robots.txt says is kept.
const KEPT: Duration = Duration::from_hours(1);
/// What we are called in robots.txt.
const AGENT: &str = "exacta";

/// A page as it is now.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    /// Where it came from, after redirects.
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) kind: Option<String>,
    pub(super) body: Vec<u8>,
    /// The server said that it is as it was.
    pub(super) not_modified: bool,
}

/// Fetches pages; knows what sites allow.
#[derive(Default)]
pub(super) struct Fetcher {
    robots: Mutex<BTreeMap<String, (Instant, Robots)>>,
}

impl Fetcher {
    /// Fetches one page. An answer with an error status is an error here.
    pub(super) async fn page(&self, ctx: &ToolContext, url: &str) -> Result<Fetched, ToolError> {
        self.allowed(ctx, url).await?;
        ctx.meter.pages(1)?;
        let end = Instant::now() + PATIENCE;
        let memory = Memory::at(&ctx.world.memory);
        let name = Memory::name("cache", &[url]);
        let kept = memory.settled(&name)?.unwrap_or(Value::Null);
        let text = |key: &str| kept.get(key).and_then(Value::as_str);
        let mut request = get(url, PAGE);
        let accept = "text/html,application/xhtml+xml,application/atom+xml,application/rss+xml,application/feed+json,text/plain;q=0.8,*/*;q=0.1";
        request.headers.push(("accept".into(), accept.into()));
        for (header, key) in [("if-none-match", "etag"), ("if-modified-since", "modified")] {
            if let Some(value) = text(key) {
                request.headers.push((header.into(), value.to_owned()));
            }
        }
        let answer = self.follow(ctx, request, end).await?;
        if answer.status == 304
            && let Some(body) = text("body")
        {
            return Ok(Fetched {
                url: text("url").unwrap_or(url).to_owned(),
                status: 200,
                kind: text("kind").map(ToOwned::to_owned),
                body: body.as_bytes().to_vec(),
                not_modified: true,
            });
        }
        if !(200..300).contains(&answer.status) {
            return Err(status(&answer));
        }
        remember(&memory, &name, &answer)?;
        Ok(Fetched {
            kind: header(&answer, "content-type").map(ToOwned::to_owned),
            status: answer.status,
            url: answer.url,
            body: answer.body,
            not_modified: false,
        })
    }

    /// Goes where redirects lead, asking each site on the way whether it lets programs read.
    async fn follow(
        &self,
        ctx: &ToolContext,
        mut request: HttpRequest,
        end: Instant,
    ) -> Result<HttpResponse, ToolError> {
        request.max_redirects = 0;
        for _ in 0..=REDIRECTS {
            request.timeout = end.saturating_duration_since(Instant::now());
            let answer = ctx.world.http.send(ctx, request.clone()).await?;
            let next = header(&answer, "location")
                .filter(|_| matches!(answer.status, 301 | 302 | 303 | 307 | 308));
            let Some(next) = next else { return Ok(answer) };
            let next = Url::parse(&request.url)
                .and_then(|at| at.join(next))
                .map_err(|_| ToolError::new("HTTP_REDIRECTS", "the redirect leads nowhere"))?;
            next.as_str().clone_into(&mut request.url);
            self.allowed(ctx, &request.url).await?;
        }
        Err(ToolError::new("HTTP_REDIRECTS", format!("more than {REDIRECTS} redirects")))
    }

    /// Whether the site lets programs read the page.
    async fn allowed(&self, ctx: &ToolContext, url: &str) -> Result<(), ToolError> {
        let page = Url::parse(url)
            .map_err(|fault| ToolError::new("ADDRESS_REFUSED", fault.to_string()))?;
        let place = robotxt::robots_url(&page)
            .map_err(|fault| ToolError::new("ADDRESS_REFUSED", fault.to_string()))?;
        let known = {
            let robots = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
            let found = robots.get(place.as_str()).filter(|(at, _)| at.elapsed() < KEPT);
            found.map(|(_, robots)| robots.is_url_allowed(&page))
        };
        let allowed = if let Some(allowed) = known {
            allowed
        } else {
            let answer = ctx.world.http.send(ctx, get(place.as_str(), ROBOTS)).await;
            let robots = match &answer {
                Ok(answer) if (200..300).contains(&answer.status) => {
                    Robots::from_access(AccessResult::Successful(&answer.body), AGENT)
                }
                Ok(answer) if (400..500).contains(&answer.status) => {
                    Robots::from_access(AccessResult::Unavailable, AGENT)
                }
                // Too long to be a list of rules: nothing was said that can be kept.
                Err(fault) if fault.code == "HTTP_TOO_LONG" => Robots::disallow_all(),
                // Not to be reached is not a yes.
                Ok(_) => Robots::disallow_all(),
                Err(fault) => return Err(fault.clone()),
            };
            let allowed = robots.is_url_allowed(&page);
            let mut kept = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() > 1000 {
                kept.clear();
            }
            kept.insert(place.as_str().to_owned(), (Instant::now(), robots));
            allowed
        };
        if allowed {
            return Ok(());
        }
        let host = page.host_str().unwrap_or_default();
        Err(ToolError::new(
            "ROBOTS_DISALLOWED",
            format!("the robots.txt of `{host}` does not allow programs to read this page"),
        ))
    }
}

fn get(url: &str, max_bytes: u64) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        max_bytes,
        max_redirects: REDIRECTS,
        timeout: PATIENCE,
        outside_effect: false,
    }
}

/// The value of a header of an answer.
pub(super) fn header<'a>(answer: &'a HttpResponse, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn status(answer: &HttpResponse) -> ToolError {
    let fault = ToolError::new("HTTP_STATUS", format!("the server answered {}", answer.status));
    if matches!(answer.status, 408 | 425 | 429 | 500..=599) { fault.retryable() } else { fault }
}

/// Keeps what a server needs to say that nothing changed, and what it was.
fn remember(memory: &Memory, name: &str, answer: &HttpResponse) -> Result<(), ToolError> {
    let (etag, modified) = (header(answer, "etag"), settled_date(answer));
    let Ok(body) = std::str::from_utf8(&answer.body) else { return Ok(()) };
    if etag.is_none() && modified.is_none() {
        return Ok(());
    }
    let kept = json!({
        "etag": etag, "modified": modified, "body": body, "url": answer.url,
        "kind": header(answer, "content-type"),
    });
    memory.set(name, &kept)
}

/// When the page was last changed, if that was long enough ago to tell it from a change in the
/// same second: a date of the answer's own minute may stand for two versions.
fn settled_date(answer: &HttpResponse) -> Option<&str> {
    let modified = header(answer, "last-modified")?;
    let at = |text: &str| rfc2822::parse(text).ok().map(|at| at.timestamp().as_second());
    let age = at(header(answer, "date")?)?.checked_sub(at(modified)?)?;
    (age >= 60).then_some(modified)
}
