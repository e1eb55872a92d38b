//! How a branch leaves: by refusing, by handing something back, or not at all.

use tree_sitter::Node;

use super::gather::Pass;
use super::key::{key, words};
use super::role::Role;

/// How a branch leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// With a value that may say yes.
    Passes,
    /// With an error, a no, or nothing.
    Refuses,
}

/// Calls that do not come back.
const QUITS: &[&str] = &[
    "exit",
    "_exit",
    "quit",
    "abort",
    "panic",
    "Exit",
    "Fatal",
    "Fatalf",
    "Fatalln",
    "bail",
    "die",
    "unreachable",
    "todo",
    "unimplemented",
    "fail",
    "abort_if",
    "terminate",
    "Goexit",
];

/// How the branch leaves, if it does: its last statement tells.
pub(super) fn exit(pass: &Pass<'_>, branch: Node<'_>) -> Option<Exit> {
    let mut node = branch;
    // Blocks in blocks are as deep as somebody writes them; deeper ones are not guards.
    for _ in 0..6 {
        match pass.role(node) {
            Role::Throw | Role::Jump => return Some(Exit::Refuses),
            Role::Return => return Some(of_value(pass, node)),
            Role::Call | Role::Macro => {
                let name = pass.called(node);
                return QUITS.contains(&name.as_str()).then_some(Exit::Refuses);
            }
            Role::If | Role::Function | Role::Catch => return None,
            _ => {}
        }
        node = last(pass, node)?;
    }
    None
}

/// What a `return` hands back.
fn of_value(pass: &Pass<'_>, node: Node<'_>) -> Exit {
    let Some(value) = node.named_child(0) else { return Exit::Refuses };
    if refuses(&key(value, pass.text)) { Exit::Refuses } else { Exit::Passes }
}

/// Whether a value says no.
pub(super) fn refuses(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let start = ["false", "none", "nil", "null", "undefined", "err(", "-", "errors.", "reject"];
    let inside = [
        "error",
        "err)",
        ",err",
        "403",
        "401",
        "400",
        "404",
        "forbidden",
        "denied",
        "invalid",
        "promise.reject",
    ];
    lower.is_empty()
        || lower == "err"
        || lower == "''"
        || lower == "\"\""
        || lower == "{}"
        || lower == "[]"
        || lower == "'\\0'"
        || start.iter().any(|word| lower.starts_with(word))
        || inside.iter().any(|word| lower.contains(word))
        || value.len() <= 60 && is_failure(value)
}

/// Whether a name stands for something that failed, such as `QUEUE_ERR`.
fn is_failure(value: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    value.chars().all(name)
        && words(value).iter().any(|word| {
            matches!(
                word.as_str(),
                "err" | "fail" | "failed" | "failure" | "refused" | "rejected" | "unauthorized"
            )
        })
}

/// The last part that is not a comment.
fn last<'t>(pass: &Pass<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let count = u32::try_from(node.named_child_count()).ok()?;
    (0..count)
        .rev()
        .take(8)
        .find_map(|at| node.named_child(at).filter(|child| pass.role(*child) != Role::Comment))
}
