//! Rows of the review as markup: one class a role, nothing inline.
//!
//! Whatever stands in a span was made visible by the review model; here it becomes text of a
//! page and never markup.

use exacta_core::review::{Role, Row, RowKind, Span};
use maud::{Markup, html};

/// The class of a role; none for plain words.
pub(super) const fn class(role: Role) -> &'static str {
    match role {
        Role::Plain | Role::Context | Role::Added | Role::Removed => "",
        Role::Strong => "strong",
        Role::Quiet => "quiet",
        Role::Mark => "mark",
        Role::Good => "good",
        Role::Warning => "warn",
        Role::Error => "bad",
        Role::Becomes => "becomes",
        Role::Untrusted => "words",
        Role::AddedWord => "aw",
        Role::RemovedWord => "rw",
        Role::Hidden => "hid",
        Role::Tab => "tab",
        Role::LastSpace => "sp",
        Role::Keyword => "k",
        Role::Quoted => "q",
        Role::Literal => "l",
        Role::Comment => "cm",
        Role::Type => "ty",
        Role::Function => "fn",
    }
}

/// The spans of a row.
pub(super) fn spans(list: &[Span]) -> Markup {
    html! {
        @for span in list {
            @let class = class(span.role);
            @if class.is_empty() { (span.text) } @else if span.role == Role::Hidden {
                span class=(class) title="a character that does not show, spelled out" { (span.text) }
            } @else { span class=(class) { (span.text) } }
        }
    }
}

/// The fragment that names the row of a position.
pub(super) fn fragment(place: exacta_core::review::Position) -> String {
    format!("e{}-{}-{}", place.part, place.block, place.row)
}

/// A row of words; one that is about a line leads there.
pub(super) fn words(row: &Row) -> Markup {
    let body = spans(&row.spans);
    let place = row.anchor.as_ref().and_then(|anchor| anchor.place);
    let body = match place {
        Some(place) => html! { a.jump href={ "#" (fragment(place)) } { (body) } },
        None => body,
    };
    match row.kind {
        RowKind::Heading => html! { h2 { (body) } },
        RowKind::File => html! { h3 { (body) } },
        RowKind::Excerpt => html! { p.row.excerpt { code { (body) } } },
        RowKind::Quote => html! { p.row.quote { (body) } },
        RowKind::QuotedContent => html! { p.row.quote.content { (body) } },
        RowKind::Content => html! { p class=(indented("row content", row.indent)) { (body) } },
        RowKind::Prose | RowKind::Hunk(_) | RowKind::Line(_) => {
            html! { p class=(indented("row", row.indent)) { (body) } }
        }
    }
}

/// How far a row is set in, as a class: the page has no inline styles.
fn indented(class: &str, indent: u8) -> String {
    format!("{class} i{}", indent.min(12))
}
