//! The pages before the room: signing in, and what somebody sees who may not come in.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use maud::{Markup, html};

use super::forms;
use super::frame::{Frame, Here, frame};
use crate::problem::Said;

fn page(title: &str, body: &Markup) -> Markup {
    let about = Frame { title, here: Here::Door, project: None, notice: None, kind: "door" };
    frame(&about, &html! { div.door { h1 { (title) } (body) } })
}

/// The page where a person signs in, with a link or the credential.
#[must_use]
pub fn sign_in(link: Option<&str>, credential: bool, passkeys: bool) -> Markup {
    page(
        "Sign in",
        &html! {
            @if let Some(link) = link {
                p { "This link opens the review room on this machine, once." }
                form method="post" action="/sign-in" {
                    input type="hidden" name="link" value=(link);
                    button.primary autofocus { "Sign in" }
                }
            } @else if credential {
                form method="post" action="/sign-in" {
                    label { "Credential" input type="password" name="credential" autocomplete="current-password" required autofocus; }
                    button.primary { "Sign in" }
                }
            } @else if !passkeys {
                p { "Run " code { "exacta review --web" } " at a terminal: it shows a link that opens this room." }
            }
            @if passkeys {
                p { button.primary #passkey type="button" hidden { "Sign in with a passkey" } }
                p #passkey-said role="status" {}
            }
            p.quiet { "Nothing is shown before somebody has signed in." }
        },
    )
}

/// What somebody sees whose link or credential was refused.
#[must_use]
pub fn not_signed_in() -> Markup {
    page(
        "Not signed in",
        &html! {
            p { "The link was used, is older than two minutes, or the credential is another one. Nothing was done." }
            p { a.button href="/sign-in" { "Try again" } }
        },
    )
}

/// The same answer, in words for a person; what it asks of programs stays.
pub(crate) fn said(problem: Response, said: &Said) -> Response {
    let hints: Vec<String> = said.hints.iter().filter_map(forms::hint).collect();
    let (mut head, _) = problem.into_parts();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    head.headers.insert(header::CONTENT_TYPE, html);
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, fault(said.title, &said.detail, &hints).into_string().into())
}

/// Something that cannot be shown.
pub(super) fn fault(title: &str, detail: &str, hints: &[String]) -> Markup {
    page(
        title,
        &html! {
            p.pre { (detail) }
            @for hint in hints { p { (hint) } }
            p { a.button href="/" { "To the inbox" } }
        },
    )
}
