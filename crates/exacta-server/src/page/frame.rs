//! What every page has around it: head, way through the room, notices.

use exacta_core::text::shown::visible;
use maud::{DOCTYPE, Markup, html};

use super::assets;

/// A page of the room.
pub(super) struct Frame<'a> {
    /// What the tab says.
    pub(super) title: &'a str,
    /// Which entry of the way is here.
    pub(super) here: Here,
    /// The project that the page is about: its id and its name.
    pub(super) project: Option<(&'a str, &'a str)>,
    /// What just happened, said once.
    pub(super) notice: Option<&'a Notice>,
    /// Attributes of the body that scripts read.
    pub(super) kind: &'static str,
}

/// Where a page is in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    Inbox,
    Plan,
    Run,
    Record,
    Policy,
    Passkeys,
    Door,
}

/// Something that was done or refused, to be said on top of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    /// Whether it was refused.
    pub(super) bad: bool,
    /// What.
    pub(super) text: String,
    /// What to do about it.
    pub(super) hints: Vec<String>,
}

impl Notice {
    /// Something that was done.
    #[must_use]
    pub(super) fn good(text: impl Into<String>) -> Self {
        Self { bad: false, text: text.into(), hints: Vec::new() }
    }

    /// Something that was refused.
    #[must_use]
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self { bad: true, text: text.into(), hints: Vec::new() }
    }
}

/// The scripts that a kind of page needs besides the one that all have.
fn more(kind: &str) -> Vec<&'static assets::Asset> {
    match kind {
        "plan" => vec![&assets::PLAN, &assets::CHOOSE, &assets::PASSKEY],
        "passkeys" | "door" | "run" => vec![&assets::PASSKEY],
        _ => Vec::new(),
    }
}

/// The whole page.
pub(super) fn frame(about: &Frame<'_>, body: &Markup) -> Markup {
    let current = |here: Here| (about.here == here).then_some("page");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (about.title) " · Exacta" }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.href());
                link rel="stylesheet" href=(assets::STYLE.href());
                script src=(assets::SCRIPT.href()) defer {}
                @for script in more(about.kind) { script src=(script.href()) defer {} }
            }
            body data-kind=(about.kind) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href="/" { "Exacta" }
                    @if about.here != Here::Door {
                        nav aria-label="room" {
                            a href="/" aria-current=[current(Here::Inbox)] title="inbox (i)" { "Inbox" }
                            @if let Some((id, name)) = about.project {
                                span.project { (name) }
                                a href={ "/projects/" (id) "/record" } aria-current=[current(Here::Record)] { "Record" }
                                a href={ "/projects/" (id) "/policy" } aria-current=[current(Here::Policy)] { "Policy" }
                            }
                        }
                        div.tools {
                            a href="/passkeys" aria-current=[current(Here::Passkeys)] { "Passkeys" }
                            button.plain type="button" data-help hidden title="keys (?)" { "Keys " kbd { "?" } }
                            form method="post" action="/sign-out" { button.plain { "Sign out" } }
                        }
                    }
                }
                @if let Some(notice) = about.notice { (said(notice)) }
                main #main tabindex="-1" { (body) }
                div #live.hide role="status" aria-live="polite" {}
            }
        }
    }
}

/// A notice.
pub(super) fn said(notice: &Notice) -> Markup {
    let (class, role) =
        if notice.bad { ("notice bad", "alert") } else { ("notice good", "status") };
    html! {
        div class=(class) role=(role) {
            p { strong { (notice.text) } }
            @for hint in &notice.hints { p { (hint) } }
        }
    }
}

/// A badge for a risk.
pub(super) fn risk(score: Option<u32>) -> Markup {
    match score {
        None => html! { span.badge { "risk unknown" } },
        Some(score) => {
            let (class, word) = match score {
                0..=30 => ("low", "low"),
                31..=65 => ("medium", "medium"),
                _ => ("high", "high"),
            };
            html! { span class={ "badge " (class) } { "risk " (score) " " (word) } }
        }
    }
}

/// A bar that fills with a value.
pub(super) fn meter(value: u32, full: u32, class: &str) -> Markup {
    let label = format!("{value} of {full}");
    html! {
        svg class={ "meter " (class) } viewBox="0 0 100 6" preserveAspectRatio="none"
            role="img" aria-label=(label) {
            rect.all x="0" y="0" width="100" height="6" rx="3" {}
            rect.part x="0" y="0" width=(u64::from(value.min(full)) * 100 / u64::from(full.max(1))) height="6" rx="3" {}
        }
    }
}

/// A time of the record: to the minute, in UTC; a script of ours puts it in the reader's own
/// time, and whoever points at it sees all of it.
pub(super) fn time(text: &str) -> Markup {
    let short = text.get(..16).map(|minute| format!("{} UTC", minute.replace('T', " ")));
    html! {
        time data-time datetime=(text) title=(text) { (short.as_deref().unwrap_or(text)) }
    }
}

/// Somebody's words of several lines: what does not show is spelled out.
pub(super) fn spelled(text: &str) -> String {
    text.split('\n').map(|line| visible(line.as_bytes())).collect::<Vec<_>>().join("\n")
}

/// A plan's or a run's id as people see it: its tail.
pub(super) fn short(id: &str) -> &str {
    id.char_indices().rev().nth(5).and_then(|(at, _)| id.get(at..)).unwrap_or(id)
}

/// What a status is called, and its class.
pub(super) fn status(word: &str) -> Markup {
    let (class, said) = match word {
        "pending" => ("wait", "waits for you"),
        "paused" => ("wait", "postponed"),
        "auto_approved" => ("go", "approved by the table"),
        "user_approved" => ("go", "approved"),
        "running" => ("go", "running"),
        "executed" => ("done", "done"),
        "rolled_back" => ("no", "rolled back"),
        "rejected" => ("no", "rejected"),
        "expired" => ("over", "expired"),
        "changes_requested" => ("over", "sent back"),
        "waiting" => ("wait", "a step waits for you"),
        "failed" => ("no", "failed"),
        "unknown" => ("wait", "outcome unknown"),
        other => ("", other),
    };
    html! { span class={ "state " (class) } { (said) } }
}
