//! The review room: pages for people, painted from the review model that the terminal uses.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};

use crate::state::AppState;
use crate::who::Person;

/// The routes of the pages.
pub fn router() -> Router<AppState> {
    Router::new().route("/", get(inbox))
}

/// What waits, over all projects.
async fn inbox(State(state): State<AppState>, person: Option<Person>) -> Response {
    let Some(_person) = person else { return Redirect::to("/sign-in").into_response() };
    let projects = state.projects.iter().map(|served| served.name.clone());
    let projects: Vec<String> = projects.collect();
    whole(
        "Exacta",
        &html! {
            h1 { "Projects" }
            ul { @for name in &projects { li { (name) } } }
            form method="post" action="/sign-out" { button { "Sign out" } }
        },
    )
    .into_response()
}

/// The page where a person signs in, with a link or the credential.
#[must_use]
pub fn sign_in(link: Option<&str>, credential: bool) -> Markup {
    whole(
        "Sign in",
        &html! {
            h1 { "Sign in" }
            @if let Some(link) = link {
                form method="post" action="/sign-in" {
                    input type="hidden" name="link" value=(link);
                    button autofocus { "Sign in" }
                }
            } @else if credential {
                form method="post" action="/sign-in" {
                    label { "Credential " input type="password" name="credential" autofocus; }
                    button { "Sign in" }
                }
            } @else {
                p { "Run " code { "exacta review --web" } " at a terminal: it shows a link that opens this room." }
            }
        },
    )
}

/// What somebody sees whose link or credential was refused.
#[must_use]
pub fn not_signed_in() -> Markup {
    whole(
        "Not signed in",
        &html! {
            h1 { "Not signed in" }
            p { "The link was used, is older than two minutes, or the credential is another one. Nothing was done." }
            p { a href="/sign-in" { "Try again" } }
        },
    )
}

fn whole(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
            }
            body { main { (body) } }
        }
    }
}
