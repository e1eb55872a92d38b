//! Pages and what they load, packed for browsers that take it.
//!
//! Only text that is whole: an event stream goes out as it comes. Nobody else's page can make a
//! browser fetch ours with a session, so the length of an answer tells a stranger nothing.

use std::io::Write as _;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::BodyExt as _;

/// What is packed.
const KINDS: [&str; 4] = ["text/html", "text/css", "text/javascript", "image/svg+xml"];
/// Shorter answers are not worth it.
const LEAST: usize = 1024;
/// Longer ones are packed on a thread of their own.
const LONG: usize = 64 << 10;

/// Whether a browser says that it unpacks.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    lines.any(|line| {
        let words = line.to_str().unwrap_or_default().split(',');
        words.map(str::trim).any(|word| {
            let (name, rest) = word.split_once(';').unwrap_or((word, ""));
            name.trim().eq_ignore_ascii_case("gzip") && !matches!(rest.trim(), "q=0" | "q=0.0")
        })
    })
}

/// The same answer, packed where that is worth it.
pub(crate) async fn gzip(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let text = kind.is_some_and(|kind| KINDS.iter().any(|one| kind.starts_with(one)));
    if !text || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // What we make is in memory as a whole; it cannot break off.
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    head.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if bytes.len() < LEAST {
        return Response::from_parts(head, Body::from(bytes));
    }
    let whole = bytes.clone();
    let packed = if bytes.len() < LONG {
        packed(&whole)
    } else {
        tokio::task::spawn_blocking(move || packed(&whole)).await.ok().flatten()
    };
    let Some(packed) = packed else { return Response::from_parts(head, Body::from(bytes)) };
    head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(packed))
}

fn packed(bytes: &Bytes) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_says_so_gets_packed_answers() {
        for (said, takes) in [
            ("gzip", true),
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.8", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("xgzip", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(said));
            assert_eq!(takes_gzip(&headers), takes, "{said}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
