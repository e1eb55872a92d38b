//! The page of a person's passkeys, and of the way for their phone.

use axum::Extension;
use axum::extract::State;
use maud::{Markup, PreEscaped, html};
use qrcode::QrCode;
use qrcode::render::{svg, unicode};

use super::frame::{Frame, Here, frame};
use super::routes::{Fault, signed_in};
use crate::address::Came;
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Person;

pub(super) async fn page(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
) -> Result<Markup, Fault> {
    let person = signed_in(person)?;
    let token = state.form_token(&person.signed_in, "passkeys");
    let keys = state.outer.passkeys().map_err(|error| Problem::internal(error.to_string()))?;
    let about = Frame {
        title: "Passkeys",
        here: Here::Passkeys,
        project: None,
        notice: None,
        kind: "passkeys",
    };
    let outside = state.outside.as_ref().map(|address| address.origin());
    Ok(frame(
        &about,
        &html! {
            h1 { "Passkeys and phone" }
            section aria-labelledby="keys" {
                h2 #keys { "Your passkeys" }
                p.quiet { "A passkey signs you in here, and signs every plan that you approve with it; what it signed is kept with the approval." }
                @if keys.is_empty() { p { "None yet." } }
                ul.keys {
                    @for key in &keys {
                        li {
                            strong { (key.name) } " for " code { (key.rp_id) }
                            @if key.rp_id != came.address.keys { span.quiet { " (another address)" } }
                            form method="post" action="/passkeys/remove" {
                                input type="hidden" name="token" value=(token);
                                input type="hidden" name="id" value=(key.id);
                                button.plain { "Remove" }
                            }
                        }
                    }
                }
                form #new-passkey hidden {
                    label { "What to call it" input name="name" maxlength="60" value="passkey"; }
                    button.primary { "Add a passkey" }
                }
                p #passkey-said role="status" {}
                noscript { p { "Passkeys need a script of this page." } }
            }
            @if let (Some(door), false) = (came.address.door(), keys.is_empty()) {
                section aria-labelledby="door" {
                    h2 #door { "A bookmark" }
                    p { "The room's own address is another one each time the server starts. This one stays, and lets your passkey in:" }
                    p { a href=(door) { code { (door) } } }
                    p.quiet { "The port stays with " code { "exacta serve --port N" } "." }
                }
            }
            section aria-labelledby="phone" {
                h2 #phone { "Your phone" }
                @if let Some(address) = &outside {
                    p { "Open this address on your phone; it goes the way that you set up." }
                    div.qr { (PreEscaped(qr(address)?)) }
                    p { code { (address) } }
                    p.quiet { "Sign in there with a passkey, or with the link that " code { "exacta review --web --phone" } " shows on your terminal." }
                } @else {
                    p { "This server is reached from this machine alone. To reach it from a phone, over your own network or tunnel, start it with a certificate:" }
                    p { code { "exacta serve --address ADDRESS --host NAME --cert FILE --key FILE" } }
                }
            }
        },
    ))
}

/// An address as a picture made of characters, for terminals; dark on light.
#[must_use]
pub fn qr_text(address: &str) -> Option<String> {
    let code = QrCode::new(address.as_bytes()).ok()?;
    let mut picture = code.render::<unicode::Dense1x2>();
    Some(picture.dark_color(unicode::Dense1x2::Light).light_color(unicode::Dense1x2::Dark).build())
}

/// An address as a picture that phones read.
fn qr(address: &str) -> Result<String, Problem> {
    let code =
        QrCode::new(address.as_bytes()).map_err(|error| Problem::internal(error.to_string()))?;
    let picture = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    // The picture is part of the page, so it needs no head of its own.
    let at = picture.find("<svg").unwrap_or_default();
    Ok(picture.get(at..).unwrap_or_default().to_owned())
}
