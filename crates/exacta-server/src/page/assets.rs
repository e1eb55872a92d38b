//! The files that pages load, part of the program: a style, scripts, a picture.
//!
//! Their addresses carry a hash of what they hold, so that a browser may keep them for good.

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::digest::Digest;

/// One file.
pub(super) struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static str,
}

pub(super) static STYLE: Asset = Asset {
    name: "room.css",
    kind: "text/css; charset=utf-8",
    bytes: include_str!("../../assets/room.css"),
};
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) static SCRIPT: Asset =
    Asset { name: "room.js", kind: JAVASCRIPT, bytes: include_str!("../../assets/room.js") };
/// What the page of a plan needs besides.
pub(super) static PLAN: Asset =
    Asset { name: "plan.js", kind: JAVASCRIPT, bytes: include_str!("../../assets/plan.js") };
pub(super) static CHOOSE: Asset =
    Asset { name: "choose.js", kind: JAVASCRIPT, bytes: include_str!("../../assets/choose.js") };
/// Wherever passkeys are used.
pub(super) static PASSKEY: Asset =
    Asset { name: "passkey.js", kind: JAVASCRIPT, bytes: include_str!("../../assets/passkey.js") };
/// Between the plain address and the room.
pub(super) static WAY: Asset =
    Asset { name: "way.js", kind: JAVASCRIPT, bytes: include_str!("../../assets/way.js") };
pub(super) static ICON: Asset =
    Asset { name: "icon.svg", kind: "image/svg+xml", bytes: include_str!("../../assets/icon.svg") };

/// How much of the hash an address carries.
const HASH: usize = 16;

impl Asset {
    fn hash(&self) -> String {
        Digest::of(self.bytes.as_bytes()).to_string().chars().take(HASH).collect()
    }

    /// Where it is.
    pub(super) fn href(&self) -> String {
        format!("/assets/{}/{}", self.hash(), self.name)
    }
}

/// A file by its address. Nobody has to be signed in for it: it says nothing about anybody.
pub(super) async fn serve(Path((hash, name)): Path<(String, String)>) -> Response {
    let wanted = |asset: &&&Asset| asset.name == name && asset.hash() == hash;
    let Some(asset) =
        [&STYLE, &SCRIPT, &PLAN, &CHOOSE, &PASSKEY, &WAY, &ICON].iter().find(wanted).copied()
    else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = asset.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, kept);
    response
}
