//! What changed since the plan that this one answers: file by file, and line by line.

use std::collections::BTreeMap;

use exacta_core::review::{HunkLine, Role, Row, hunks};
use maud::{Markup, html};

use super::frame::{short, spelled};
use super::row::spans;

/// How a file stands to the earlier plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It ends as it would have.
    Same,
    /// It ends otherwise.
    Differs,
    /// The earlier plan did not touch it.
    New,
    /// This plan no longer touches it.
    Dropped,
}

/// What changed since an earlier plan.
pub(super) struct Since {
    /// The earlier plan's id.
    pub(super) plan_id: String,
    /// Where its page is.
    pub(super) href: String,
    /// What was asked for then.
    pub(super) request: Option<String>,
    /// Each file and how it stands.
    pub(super) files: BTreeMap<String, Standing>,
    /// For files that end otherwise: what they would have become, and what they become now.
    pub(super) images: BTreeMap<String, (Vec<u8>, Vec<u8>)>,
}

const fn words(standing: &Standing) -> &'static str {
    match standing {
        Standing::Same => "as in the plan before",
        Standing::Differs => "differs from the plan before",
        Standing::New => "was not in the plan before",
        Standing::Dropped => "is no longer touched",
    }
}

/// What a file's header says about it.
pub(super) fn of_file(since: &Since, path: &str) -> Markup {
    html! {
        @if let Some(standing) = since.files.get(path) { span.tag { (words(standing)) } }
    }
}

/// The part that says what changed.
pub(super) fn since(since: &Since) -> Markup {
    let differs = since.files.values().filter(|one| **one != Standing::Same).count();
    html! {
        section.since aria-labelledby="since" {
            h2 #since { "Since you last looked" }
            p { "It takes the place of " a href=(since.href) { "plan " (short(&since.plan_id)) } ". "
                @if differs == 0 { "Every file ends as that plan would have left it." }
                @else { (differs) @if differs == 1 { " file differs" } @else { " files differ" } " from what that plan would have done." }
            }
            @if let Some(request) = &since.request {
                p.quiet { "What was asked for:" }
                blockquote.pre { (spelled(request)) }
            }
            ul {
                @for (path, standing) in &since.files {
                    @if *standing != Standing::Same {
                        li { code { (path) } " " (words(standing))
                            @if let Some((old, new)) = since.images.get(path) {
                                details { summary { "compare both results" } (between(old, new)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Both results of a file, compared.
fn between(old: &[u8], new: &[u8]) -> Markup {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let show = |list: &[&[u8]], at: usize, role: Role| {
        let line = list.get(at).copied().unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Row::content(0).show(role, line)
    };
    html! {
        table.diff {
            @for hunk in hunks(old, new) {
                tbody {
                    tr.head { td colspan="4" { (hunk.header()) } }
                    @for line in hunk.lines() {
                        @let (class, was, is, sign, row) = match line {
                            HunkLine::Same(was, is) => (None, Some(was), Some(is), " ", show(&new_lines, is, Role::Context)),
                            HunkLine::Removed(was) => (Some("del"), Some(was), None, "-", show(&old_lines, was, Role::Removed)),
                            HunkLine::Added(is) => (Some("add"), None, Some(is), "+", show(&new_lines, is, Role::Added)),
                        };
                        tr class=[class] {
                            td.n { @if let Some(was) = was { (was + 1) } }
                            td.n { @if let Some(is) = is { (is + 1) } }
                            td.s { (sign) }
                            td.c { (spans(&row.spans)) }
                        }
                    }
                }
            }
        }
    }
}

fn lines(image: &[u8]) -> Vec<&[u8]> {
    image.split_inclusive(|byte| *byte == b'\n').collect()
}
