//! The draft as a whole: caps, JSON, plan-level fields.

use alloc::string::String;
use alloc::vec::Vec;

use super::claim;
use super::constraint::{MAX_CONSTRAINTS, MAX_ENTRIES, constraint_from_json, too_many};
use super::json::{self, Json};
use super::locate::locate;
use super::object::{Field, Object, field, schema};
use super::refused::refused;
use super::step;
use super::{fence, foreign};
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, MAX_FINDINGS, keep_first};
use crate::model::plan::{Draft, Execution, Recipe};
use crate::text::pointer::Pointer;
use crate::text::walk::Walk;

/// Size caps, applied before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of planner text.
    pub raw_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { raw_bytes: 16 * 1024 * 1024 }
    }
}

/// The fields of a draft and their other spellings.
pub const PLAN_FIELDS: &[Field] = &[
    field("plan_version", &["version", "schema_version"]),
    field("goal", &[]),
    field("assumptions", &[]),
    field("inputs", &[]),
    field("skill_id", &[]),
    field("constraints", &[]),
    field("execution", &[]),
    field("recipe", &[]),
    field("intent", &[]),
    field("provider", &[]),
    field("estimated_tokens", &["estimatedTokens"]),
    field("estimated_duration", &["estimatedDuration"]),
    field("target_files", &["targetFiles"]),
    field("allowed_primitives", &[]),
    field("web_allowed_domains", &[]),
    field("recipient_hints", &[]),
    field("web_source_url", &[]),
    field("inbox_source_text", &[]),
    field("daily_sources", &[]),
    field("steps", &[]),
];

/// Reads planner text into a draft.
///
/// # Errors
/// Everything that is wrong with the text, as far as it could be read, with places.
pub fn draft(bytes: &[u8], limits: Limits) -> Result<Draft, Vec<Issue>> {
    if bytes.len() > limits.raw_bytes {
        let message = format!("the text is larger than {} bytes", limits.raw_bytes);
        return Err(vec![
            Issue::error(Code::PlanTooLarge, "raw_size", message).help("split the plan"),
        ]);
    }
    let text = core::str::from_utf8(bytes).map_err(|error| vec![not_utf8(bytes, &error)])?;
    let (start, document) =
        fence::document(text).map_err(|issue| vec![foreign::named(issue, text)])?;
    let value = json::read(document)
        .map_err(|fault| vec![foreign::named(refused(fault, text, start), text)])?;
    let mut issues = Vec::new();
    if memchr::memmem::find(document.as_bytes(), b"\\u0000").is_some() {
        find_nul(&value, &mut issues);
    }
    let draft = read_plan(value, &mut issues);
    match draft {
        Some(draft) if issues.is_empty() => Ok(draft),
        _ => {
            keep_first(&mut issues);
            locate(text, &mut issues);
            Err(issues)
        }
    }
}

fn not_utf8(bytes: &[u8], error: &core::str::Utf8Error) -> Issue {
    if bytes.iter().take(FIRST_BYTES).any(|byte| *byte == 0) {
        let message = "this is a binary file, neither a plan nor a patch";
        return Issue::error(Code::PlanParseNonjson, "utf8", message).help(
            "hand in text: a plan, or what `git diff --binary` prints; unpack it if it is packed",
        );
    }
    let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', good).count() + 1;
    let since = memchr::memrchr(b'\n', good).map_or(0, |at| at + 1);
    let column = good.get(since..).and_then(|part| core::str::from_utf8(part).ok());
    Issue::error(Code::PlanParseNonjson, "utf8", "the text is not UTF-8")
        .place(
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column.map_or(0, |part| part.chars().count()) + 1).unwrap_or(u32::MAX),
        )
        .help("hand in UTF-8; put binary file content into `content_base64`")
}

/// A text has no NUL among its first bytes.
const FIRST_BYTES: usize = 8_000;

/// The most strings and keys with NUL that are named.
const MOST_NUL: usize = 100;

/// Names the strings and keys that hold NUL. Runs only when the text has the escape.
fn find_nul(value: &Json, issues: &mut Vec<Issue>) {
    let mut walk = Walk::new(value, (), |(), _| ());
    let mut found = 0usize;
    while let Some(met) = walk.next() {
        let in_key = met.key.is_some_and(|key| key.contains('\0'));
        let in_text = met.value.as_str().is_some_and(|text| text.contains('\0'));
        for (holds, message) in
            [(in_key, "the key holds a NUL character"), (in_text, "the text holds a NUL character")]
        {
            if !holds {
                continue;
            }
            found += 1;
            if found <= MOST_NUL {
                issues.push(
                    schema("nul", message)
                        .at(walk.spots.pointer(met.spot, Pointer::root()))
                        .help("leave it out; binary file content goes into `content_base64`"),
                );
            }
        }
    }
    if let Some(more) = found.checked_sub(MOST_NUL).filter(|more| *more > 0) {
        issues.push(
            schema("nul", format!("{more} more keys and texts hold a NUL character"))
                .help("leave it out; binary file content goes into `content_base64`"),
        );
    }
}

fn read_plan(value: Json, issues: &mut Vec<Issue>) -> Option<Draft> {
    if !matches!(value, Json::Obj(_)) {
        issues.push(
            schema("not_an_object", format!("a draft is an object, not {}", value.kind()))
                .help("hand in one JSON object with a `steps` array"),
        );
        return None;
    }
    let (value, owned) = claim::without_server_owned(value);
    issues.extend(owned);
    let mut object = Object::read(value, Pointer::root(), PLAN_FIELDS, "the draft", issues)?;
    let mut draft = Draft::empty();
    read_version(&mut object, issues);
    draft.goal = object.text("goal", issues);
    draft.assumptions = object.strings("assumptions", issues).unwrap_or_default();
    draft.skill_id = object.text("skill_id", issues);
    draft.execution = object
        .word(
            "execution",
            &[("atomic", Execution::Atomic), ("contract", Execution::Contract)],
            issues,
        )
        .unwrap_or_default();
    draft.recipe = object.word(
        "recipe",
        &[
            ("WebsiteMonitor", Recipe::WebsiteMonitor),
            ("InboxTriage", Recipe::InboxTriage),
            ("DailyBrief", Recipe::DailyBrief),
            ("Custom", Recipe::Custom),
        ],
        issues,
    );
    claim::read(&mut object, &mut draft, issues);
    read_constraints(&mut object, &mut draft, issues);
    read_steps(&mut object, &mut draft, issues);
    Some(draft)
}

/// `plan_version: 1`, or seed 004's spelling `schema_version: "1.0"`.
fn read_version(object: &mut Object, issues: &mut Vec<Issue>) {
    let Some(taken) = object.take("plan_version") else { return };
    let textual = taken.key == "schema_version";
    let current = match &taken.value {
        Json::Int(1) => !textual,
        Json::Str(text) => textual && text == "1.0",
        _ => false,
    };
    if !current {
        let expected = if textual { "\"1.0\"" } else { "1" };
        issues.push(
            schema("plan_version", "the draft has a version that this gate does not know")
                .at(object.pointer().key(&taken.key))
                .help(format!("write {expected}, or leave the field out")),
        );
    }
}

fn read_constraints(object: &mut Object, draft: &mut Draft, issues: &mut Vec<Issue>) {
    let Some(taken) = object.take("constraints") else { return };
    let Json::Arr(elements) = taken.value else {
        issues.push(
            schema("type", format!("`constraints` must be an array, not {}", taken.value.kind()))
                .at(object.pointer().key(&taken.key))
                .help("write an array of objects with a `kind`"),
        );
        return;
    };
    if elements.len() > MAX_CONSTRAINTS {
        let message =
            format!("the draft has {} constraints; {MAX_CONSTRAINTS} is the most", elements.len());
        issues.push(too_many(object.pointer().key(&taken.key), message));
        return;
    }
    let entries: usize = elements.iter().map(list_entries).sum();
    if entries > MAX_ENTRIES {
        let message =
            format!("the constraints have {entries} entries together; {MAX_ENTRIES} is the most");
        issues.push(too_many(object.pointer().key(&taken.key), message));
        return;
    }
    for (index, element) in elements.into_iter().enumerate() {
        draft.constraints.extend(constraint_from_json(
            element,
            &object.pointer().key(&taken.key).index(index),
            issues,
        ));
    }
}

/// How many globs, hosts, addresses or tools a constraint lists.
fn list_entries(constraint: &Json) -> usize {
    let Json::Obj(members) = constraint else { return 0 };
    let lists = members.iter().filter_map(|(_, value)| match value {
        Json::Arr(elements) => Some(elements.len()),
        _ => None,
    });
    lists.sum()
}

fn read_steps(object: &mut Object, draft: &mut Draft, issues: &mut Vec<Issue>) {
    let Some(taken) = object.take("steps") else {
        issues.push(
            schema("missing_field", "the draft has no `steps`")
                .help("add a `steps` array with at least one step"),
        );
        return;
    };
    let Json::Arr(elements) = taken.value else {
        issues.push(
            schema("type", format!("`steps` must be an array, not {}", taken.value.kind()))
                .at(object.pointer().key(&taken.key))
                .help("write an array of steps"),
        );
        return;
    };
    draft.steps.reserve(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        if issues.len() > MAX_FINDINGS {
            break;
        }
        draft.steps.extend(step::read(
            element,
            object.pointer().key(&taken.key).index(index),
            issues,
        ));
    }
}

/// A draft's `inputs` with one more member.
pub(super) fn add_input(draft: &mut Draft, name: &str, value: Json) -> Result<(), String> {
    let Json::Obj(members) = &mut draft.inputs else { return Err("inputs".into()) };
    if members.iter().any(|(key, _)| key == name) {
        return Err(name.into());
    }
    members.push((name.into(), value));
    Ok(())
}
