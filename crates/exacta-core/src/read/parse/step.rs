//! One step of a draft.

use alloc::string::String;
use alloc::vec::Vec;

use data_encoding::BASE64;

use super::json::Json;
use super::object::{Field, Object, field, schema};
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, MAX_FINDINGS};
use crate::model::digest::Blob;
use crate::model::plan::{
    Action, Content, DraftMode, Edit, FileAction, Payload, RiskTier, Step, ToolCall,
};
use crate::text::pointer::Pointer;

/// The fields of a step and their other spellings.
pub const STEP_FIELDS: &[Field] = &[
    field("step_id", &["id"]),
    field("title", &["label"]),
    field("description", &[]),
    field("order", &[]),
    field("dependencies", &[]),
    field("requires_approval", &["requiresApproval"]),
    field("risk_tier", &["riskTier"]),
    field("type", &[]),
    field("target", &[]),
    field("diff", &[]),
    field("content", &[]),
    field("content_base64", &[]),
    field("edits", &[]),
    field("mode", &[]),
    field("tool", &["primitive"]),
    field("args", &[]),
];

/// The longest id, in bytes.
pub(crate) const MAX_ID: usize = 128;
/// The characters of a longer id that its finding shows.
const SHOWN_ID: usize = 32;

const FILE_ONLY: [&str; 6] = ["target", "diff", "content", "content_base64", "edits", "mode"];
const TOOL_FIELDS: &[Field] = &[field("name", &[]), field("args", &[])];
const EDIT_FIELDS: &[Field] = &[field("old", &[]), field("new", &[])];
const TIERS: &[(&str, RiskTier)] = &[
    ("LOW", RiskTier::Low),
    ("Low", RiskTier::Low),
    ("low", RiskTier::Low),
    ("MEDIUM", RiskTier::Medium),
    ("Medium", RiskTier::Medium),
    ("medium", RiskTier::Medium),
    ("HIGH", RiskTier::High),
    ("High", RiskTier::High),
    ("high", RiskTier::High),
];

/// Reads a step; `None` when a finding was made that leaves no usable step.
pub(super) fn read(value: Json, pointer: Pointer, issues: &mut Vec<Issue>) -> Option<Step> {
    let before = issues.len();
    let mut object = Object::read(value, pointer, STEP_FIELDS, "the step", issues)?;
    let step_id = object.text("step_id", issues);
    if let Some(id) = step_id.as_ref().filter(|id| id.len() > MAX_ID) {
        // Every finding repeats the id, so a long one goes no further.
        let start: String = id.chars().take(SHOWN_ID).collect();
        let message = format!("the step id has {} bytes; {MAX_ID} is the most", id.len());
        issues.push(
            Issue::error(Code::PlanStepIdInvalid, "step_id", message)
                .step(start)
                .at(object.pointer().key("step_id"))
                .help("give each step a short id of its own, such as `step_1`"),
        );
        return None;
    }
    match &step_id {
        Some(id) => {
            object.in_step(id);
            // Findings about unknown members came before the id was known.
            issues.iter_mut().skip(before).for_each(|issue| issue.step_id = Some(id.clone()));
        }
        None if issues.len() == before => issues.push(
            object
                .finding("missing_field", "the step has no `step_id`")
                .help("give each step an id of its own, such as `step_1`"),
        ),
        None => {}
    }
    let title = object.text("title", issues);
    let description = object.text("description", issues);
    let order = object.count("order", 1, issues);
    let dependencies = object.strings("dependencies", issues);
    let requires_approval = object.boolean("requires_approval", issues);
    let risk_tier = object.word("risk_tier", TIERS, issues);
    let action = action(&mut object, issues);
    Some(Step {
        step_id: step_id?,
        title,
        description,
        order,
        dependencies,
        requires_approval,
        risk_tier,
        action: action?,
    })
}

fn action(object: &mut Object, issues: &mut Vec<Issue>) -> Option<Action> {
    match (object.has("type"), object.has("tool")) {
        (true, true) => {
            issues.push(
                object
                    .finding("one_action", "the step has both `type` and `tool`")
                    .help("make it a file step or a tool step; use two steps for both"),
            );
            None
        }
        (false, false) => {
            issues.push(
                object
                    .finding("one_action", "the step has neither `type` nor `tool`")
                    .help("add `type` and `target` for a file, or `tool` for a call"),
            );
            None
        }
        (true, false) => file(object, issues).map(Action::File),
        (false, true) => tool(object, issues).map(Action::Tool),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Create,
    Modify,
    Delete,
}

fn file(object: &mut Object, issues: &mut Vec<Issue>) -> Option<FileAction> {
    if object.has("args") {
        issues.push(
            object
                .finding("one_action", "a file step has no `args`")
                .help("remove `args`, or make it a tool step"),
        );
    }
    let kind = object.word(
        "type",
        &[
            ("file_create", Kind::Create),
            ("file_modify", Kind::Modify),
            ("file_delete", Kind::Delete),
        ],
        issues,
    )?;
    if !object.has("target") {
        issues.push(
            object
                .finding("missing_field", "the file step has no `target`")
                .help("name the file relative to the project root"),
        );
    }
    let target = object.text("target", issues);
    let mode = object.word(
        "mode",
        &[("0644", DraftMode::Regular), ("0755", DraftMode::Executable)],
        issues,
    );
    if mode.is_some() && kind == Kind::Delete {
        issues.push(
            object.finding("payload", "a `file_delete` step has no `mode`").help("remove `mode`"),
        );
    }
    let payload = payload(object, kind, issues)?;
    Some(FileAction { target: target?, payload, mode })
}

fn payload(object: &mut Object, kind: Kind, issues: &mut Vec<Issue>) -> Option<Payload> {
    let (name, allowed): (_, &[&str]) = match kind {
        Kind::Create => ("file_create", &["content", "content_base64", "diff"]),
        Kind::Modify => ("file_modify", &["diff", "content", "content_base64", "edits"]),
        Kind::Delete => ("file_delete", &[]),
    };
    let given: Vec<&str> = ["diff", "content", "content_base64", "edits"]
        .into_iter()
        .filter(|field| object.has(field))
        .collect();
    let fits = if kind == Kind::Delete {
        given.is_empty()
    } else {
        given.len() == 1 && given.iter().all(|field| allowed.contains(field))
    };
    if !fits {
        let found = if given.is_empty() { "none".into() } else { quoted(&given) };
        let message = if kind == Kind::Delete {
            format!("a `{name}` step takes no content; found {found}")
        } else {
            format!("a `{name}` step takes exactly one of {}; found {found}", quoted(allowed))
        };
        let help = if given.is_empty() { "add one of them" } else { "keep one, remove the others" };
        issues.push(object.finding("payload", message).help(help));
        return None;
    }
    match given.first().copied() {
        None => Some(Payload::Delete),
        Some("diff") => object.body("diff", issues).map(|diff| match kind {
            Kind::Create => Payload::CreateDiff(diff),
            _ => Payload::ModifyDiff(diff),
        }),
        Some("edits") => edits(object, issues).map(Payload::Edit),
        Some(field) => content(object, field, issues).map(|content| match kind {
            Kind::Create => Payload::Create(content),
            _ => Payload::Replace(content),
        }),
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn content(object: &mut Object, field: &str, issues: &mut Vec<Issue>) -> Option<Content> {
    let text = object.body(field, issues)?;
    if field == "content" {
        return Some(Content::Text(Blob::new(text.into_bytes())));
    }
    match BASE64.decode(text.as_bytes()) {
        Ok(bytes) => Some(Content::Binary(Blob::new(bytes))),
        Err(error) => {
            issues.push(
                object
                    .finding("base64", format!("`content_base64` is not base64: {error}"))
                    .at(object.pointer().key(field))
                    .help("use the standard alphabet with padding, without line breaks"),
            );
            None
        }
    }
}

fn edits(object: &mut Object, issues: &mut Vec<Issue>) -> Option<Vec<Edit>> {
    let taken = object.take("edits")?;
    let Json::Arr(elements) = taken.value else {
        issues.push(
            object
                .finding("type", format!("`edits` must be an array, not {}", taken.value.kind()))
                .at(object.pointer().key(&taken.key))
                .help("write an array of objects with `old` and `new`"),
        );
        return None;
    };
    if elements.is_empty() {
        issues.push(
            object
                .finding("payload", "`edits` is empty")
                .at(object.pointer().key(&taken.key))
                .help("give at least one edit, or remove the step"),
        );
        return None;
    }
    let count = elements.len();
    let mut edits: Vec<Edit> = Vec::with_capacity(count);
    for (index, element) in elements.into_iter().enumerate() {
        if issues.len() > MAX_FINDINGS {
            break;
        }
        let at = object.pointer().key(&taken.key).index(index);
        edits.extend(edit(object, element, at, issues));
    }
    (edits.len() == count).then_some(edits)
}

fn edit(step: &Object, value: Json, pointer: Pointer, issues: &mut Vec<Issue>) -> Option<Edit> {
    let mut object = Object::read(value, pointer, EDIT_FIELDS, "the edit", issues)?;
    for name in ["old", "new"] {
        if !object.has(name) {
            issues.push(
                step.finding("missing_field", format!("the edit has no `{name}`"))
                    .at(object.pointer().clone())
                    .help("give the text to replace as `old` and the new text as `new`"),
            );
        }
    }
    let old = object.body("old", issues);
    let new = object.body("new", issues);
    let (old, new) = (old?, new?);
    if old.is_empty() {
        issues.push(
            step.finding("payload", "`old` is empty")
                .at(object.pointer().key("old"))
                .help("quote the text that stands there now; to write a whole file use `content`"),
        );
        return None;
    }
    Some(Edit { new, old })
}

fn tool(object: &mut Object, issues: &mut Vec<Issue>) -> Option<ToolCall> {
    for name in FILE_ONLY {
        if object.has(name) {
            issues.push(
                object
                    .finding("one_action", format!("a tool step has no `{name}`"))
                    .help("remove it, or make it a file step with a `type`"),
            );
        }
    }
    let taken = object.take("tool")?;
    let step_args = object.take("args");
    match taken.value {
        Json::Str(name) if !name.is_empty() => {
            let args = match step_args {
                None => Json::Obj(Vec::new()),
                Some(args) => {
                    let at = object.pointer().key(&args.key);
                    arguments(object, args.value, at, issues)?
                }
            };
            Some(ToolCall { args, name })
        }
        value @ Json::Obj(_) => {
            if let Some(args) = step_args {
                issues.push(
                    object
                        .finding(
                            "one_args",
                            "arguments stand beside `tool` and may stand in it too",
                        )
                        .at(object.pointer().key(&args.key))
                        .help("put them into `tool.args` only"),
                );
                return None;
            }
            tool_object(object, value, object.pointer().key(&taken.key), issues)
        }
        other => {
            let message = match other {
                Json::Str(_) => "`tool` is empty".into(),
                other => format!("`tool` must be a name or an object, not {}", other.kind()),
            };
            issues.push(
                object.finding("tool", message).at(object.pointer().key(&taken.key)).help(
                    "write `\"tool\": \"ReadWeb\"` or `\"tool\": {\"name\": …, \"args\": {…}}`",
                ),
            );
            None
        }
    }
}

fn tool_object(
    step: &Object,
    value: Json,
    pointer: Pointer,
    issues: &mut Vec<Issue>,
) -> Option<ToolCall> {
    let mut tool = Object::read(value, pointer.clone(), TOOL_FIELDS, "the tool", issues)?;
    let args = match tool.take("args") {
        None => Some(Json::Obj(Vec::new())),
        Some(args) => arguments(step, args.value, pointer.key(&args.key), issues),
    };
    match tool.text("name", issues) {
        Some(name) if !name.is_empty() => Some(ToolCall { args: args?, name }),
        Some(_) | None => {
            issues.push(
                step.finding("tool", "the tool has no name")
                    .at(pointer)
                    .help("give `name` as a non-empty string"),
            );
            None
        }
    }
}

fn arguments(
    step: &Object,
    value: Json,
    pointer: Pointer,
    issues: &mut Vec<Issue>,
) -> Option<Json> {
    if matches!(value, Json::Obj(_)) {
        return Some(value);
    }
    let issue = schema("type", format!("`args` must be an object, not {}", value.kind()))
        .at(pointer)
        .help("write an object, or leave `args` out");
    let mut placed = step.finding("type", "");
    placed.message = issue.message;
    placed.pointer = issue.pointer;
    placed.help = issue.help;
    issues.push(placed);
    None
}
