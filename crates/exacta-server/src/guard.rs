//! What every request passes first, whatever it asks for: is it meant for us, and does it come
//! from a page of ours or from no page at all?
//!
//! And what every response carries: nothing runs that is not a file of ours, nobody frames us,
//! nothing is kept by caches.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::code::Code;

use crate::address::{Address, Came};
use crate::compress;
use crate::crowd::Guest;
use crate::load;
use crate::page;
use crate::problem::{Problem, Said};
use crate::rate::Asker;
use crate::state::AppState;

/// How long a request may take, its body included.
const REQUEST_LASTS: Duration = Duration::from_mins(1);
/// How long the body may take of somebody who shows no right.
const UNKNOWN_BODY_LASTS: Duration = Duration::from_secs(5);
/// No body is larger that makes sense without a right: a link, a credential, an order, what a
/// passkey signed.
const UNKNOWN_BODY: usize = 64 << 10;

/// What a page of ours may load, and that is all.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'";

/// Lets through what is meant for us, and dresses the response.
pub(crate) async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let tls = request.extensions().get::<Arc<Address>>().is_some_and(|address| address.tls);
    let gzip = compress::takes_gzip(request.headers());
    let by_person = is_navigation(request.headers()) && !request.uri().path().starts_with("/api/");
    let mut sends = None;
    let mut response = match admitted(&state, request) {
        Ok((request, asker)) => {
            let is_agent = request.headers().contains_key(header::AUTHORIZATION);
            sends = Some((asker, is_agent, request.extensions().get::<Arc<Guest>>().cloned()));
            let answered = answered(&state, asker, request, next);
            let answered = tokio::time::timeout(REQUEST_LASTS, answered).await;
            answered.unwrap_or_else(|_| too_long().into_response())
        }
        Err(problem) => problem.into_response(),
    };
    // Somebody whose browser goes to an address reads a page, not JSON.
    if let Some(said) = response.extensions_mut().remove::<Said>().filter(|_| by_person) {
        response = page::said(response, &said);
    }
    dress(response.headers_mut(), tls);
    let response = if gzip { compress::gzip(response).await } else { response };
    let Some((asker, is_agent, guest)) = sends else { return response };
    state.loads.send_out(asker, is_agent, guest, response).unwrap_or_else(|problem| {
        let mut response = problem.into_response();
        dress(response.headers_mut(), tls);
        response
    })
}

/// The answer to a request, once there is room for its body.
async fn answered(state: &AppState, asker: Asker, request: Request, next: Next) -> Response {
    let known = matches!(asker, Asker::Known(_));
    let most = if known { u64::MAX } else { UNKNOWN_BODY as u64 };
    let weight = match state.loads.take_in(asker, request.headers(), most).await {
        Ok(weight) => weight,
        Err(problem) => {
            if known {
                load::drain(request.into_body()).await;
            }
            return problem.into_response();
        }
    };
    load::with(weight, async {
        let whole = if known { Ok(request) } else { received(request).await };
        match whole {
            Ok(request) => next.run(request).await,
            Err(problem) => problem.into_response(),
        }
    })
    .await
}

/// The same request with its whole body. Whoever shows no right has little time for it; what is
/// too large for them is left out, and refused by what asks for their right.
async fn received(request: Request) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let whole = axum::body::to_bytes(body, UNKNOWN_BODY);
    let Ok(whole) = tokio::time::timeout(UNKNOWN_BODY_LASTS, whole).await else {
        return Err(too_long());
    };
    Ok(Request::from_parts(parts, whole.map_or_else(|_| Body::empty(), Body::from)))
}

/// Whether a request is meant for us; and who asks, as far as that matters for how much they may.
fn admitted(state: &AppState, mut request: Request) -> Result<(Request, Asker), Problem> {
    let address = request.extensions().get::<Arc<Address>>();
    let address = Arc::clone(address.unwrap_or(&state.address));
    let headers = request.headers();
    let mut hosts = headers.get_all(header::HOST).iter();
    let (host, second) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
    let host = host.filter(|_| second.is_none());
    let entrance = host
        .and_then(|host| address.entrance(host))
        .ok_or_else(|| misdirected("the request is not meant for this server"))?;
    if let Some(named) = request.uri().authority()
        && address.entrance(named.as_str()) != Some(entrance)
    {
        return Err(misdirected("the address and `Host` name different servers"));
    }
    if let Some(name) = forwarded(headers) {
        return Err(Problem::not_allowed(format!(
            "`{name}` says that the request was forwarded; such a one does not come from this \
             machine"
        )));
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let local = peer.is_none_or(|ConnectInfo(peer)| is_loopback(peer.ip()));
    if !local && !address.tls {
        return Err(Problem::not_allowed("only this machine is served"));
    }
    same_origin(&address.origin_at(entrance), &request)?;
    let now = std::time::Instant::now();
    let asker = crate::who::asker(state, entrance, request.headers(), now);
    let known = matches!(asker, Asker::Known(_));
    if let Some(guest) = request.extensions().get::<Arc<Guest>>().filter(|_| known) {
        guest.is_known();
    }
    if !state.rates.allow(asker, now) {
        return Err(Problem::too_many("this caller sends more than its share; nothing was done"));
    }
    let local = local && !address.tls;
    request.extensions_mut().insert(entrance);
    request.extensions_mut().insert(Came { address, entrance, local });
    Ok((request, asker))
}

fn too_long() -> Problem {
    let detail = "the request took too long; what it asked for may still happen";
    Problem::new(StatusCode::REQUEST_TIMEOUT, Code::RequestInvalid, detail)
}

fn misdirected(detail: &str) -> Problem {
    Problem::new(StatusCode::MISDIRECTED_REQUEST, Code::NotAllowed, detail)
}

/// The header by which somebody in between says so.
fn forwarded(headers: &HeaderMap) -> Option<&str> {
    const BEGIN: [&str; 4] = ["x-forwarded", "x-original-", "x-envoy-", "cf-"];
    const NAMES: [&str; 9] = [
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "true-client-ip",
        "x-cluster-client-ip",
        "fastly-client-ip",
        "x-host",
        "x-rewrite-url",
    ];
    let mut names = headers.keys().map(axum::http::HeaderName::as_str);
    names.find(|name| NAMES.contains(name) || BEGIN.iter().any(|begin| name.starts_with(begin)))
}

fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback()
                || address.to_ipv4_mapped().is_some_and(|mapped| mapped.is_loopback())
        }
    }
}

/// Whether no foreign page had a hand in it. Another port of this machine is foreign, too.
fn same_origin(ours: &str, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let origin = origins.next();
    let foreign = origin.is_some_and(|origin| origin.as_bytes() != ours.as_bytes());
    if foreign || origins.next().is_some() {
        return Err(Problem::not_allowed("a page of another origin sent the request"));
    }
    let safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let fetched = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    match fetched {
        None | Some(b"same-origin" | b"none") => {}
        // A link from elsewhere may open a page; the session does not come with it.
        Some(_) if safe && is_navigation(headers) && !request.uri().path().starts_with("/api/") => {
        }
        Some(_) => return Err(Problem::not_allowed("a page of another site sent the request")),
    }
    // Where a session speaks, browsers say which page it was.
    let by_session =
        !headers.contains_key(header::AUTHORIZATION) && headers.contains_key(header::COOKIE);
    if !safe && by_session && origin.is_none() {
        return Err(Problem::not_allowed("the request does not say which page sent it"));
    }
    Ok(())
}

fn is_navigation(headers: &HeaderMap) -> bool {
    let says = |name: &str, value: &[u8]| headers.get(name).is_some_and(|v| v.as_bytes() == value);
    says("sec-fetch-mode", b"navigate") && says("sec-fetch-dest", b"document")
}

fn dress(headers: &mut HeaderMap, tls: bool) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // `no-referrer` would make browsers send `Origin: null` with our own forms.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), geolocation=(), microphone=(), publickey-credentials-get=(self)",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if tls {
        let always = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, always);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
