//! A step as JSON spells it: one flat object.

use alloc::borrow::Cow;
use alloc::string::String;

use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Serialize;

use super::action::{Action, Content, DraftMode, Edit, Payload, ToolCall};
use super::draft::{RiskTier, Step};
use crate::model::path::RelPath;
use crate::read::parse::json::Json;

/// The normalised JSON form of a step, and the source of its schema.
///
/// A step is a file step (`type`, `target` and one of the payloads) or a tool step
/// (`tool`), never both. The fields stand in canonical order, as in every hashed type.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "Step",
    deny_unknown_fields,
    extend("oneOf" = [{"required": ["type", "target"]}, {"required": ["tool"]}])
)]
pub struct StepForm<'a> {
    /// The arguments, when `tool` is only a name. Normalised into `tool.args`.
    #[serde(skip_serializing)]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[expect(dead_code, reason = "describes the format; written as `tool.args`")]
    args: (),
    /// The whole file after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
    /// The whole file after the step, as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
    /// Ids of the steps that come first. When no step of the plan has this field, each
    /// step needs the one before it; when any has it, a step without it needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependencies: Option<&'a [String]>,
    /// What the step does, for the reviewer; untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// A strict unified diff of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Cow<'a, str>>,
    /// Exact replacements; each `old` occurs exactly once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    edits: Option<&'a [Edit]>,
    /// Permission bits after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<DraftMode>,
    /// Position from 1; when given, on every step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    order: Option<u64>,
    /// The file a patch renames.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    renamed_from: Option<&'a str>,
    /// Claim: ask a person. `false` changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_approval: Option<bool>,
    /// Claim: how risky; counts only where it is stricter.
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_tier: Option<RiskTier>,
    /// Unique id, without white space, commas, quotes or backticks. Ids of the form
    /// `step_<k>` must be exactly `step_1` to `step_M`.
    #[schemars(length(min = 1, max = 128))]
    step_id: &'a str,
    /// The file, relative to the project root.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    /// A few words for the reviewer; untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    /// The tool to call: its name, or name and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ToolSpelling<'a>>")]
    tool: Option<ToolForm<'a>>,
    /// What a file step does.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<FileStepType>,
}

/// The two spellings of a tool call, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes the format; values are built as `ToolForm`")]
enum ToolSpelling<'a> {
    Name(&'a str),
    Call(ToolForm<'a>),
}

/// The three file steps.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the names are those of the format")]
enum FileStepType {
    FileCreate,
    FileModify,
    FileDelete,
}

/// A tool call with its arguments.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tool", deny_unknown_fields)]
struct ToolForm<'a> {
    /// Its arguments.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    args: Option<&'a Json>,
    /// The tool's name.
    #[schemars(length(min = 1))]
    name: &'a str,
}

impl<'a> StepForm<'a> {
    /// The form of a step.
    #[must_use]
    pub fn of(step: &'a Step) -> Self {
        let mut form = Self {
            step_id: &step.step_id,
            title: step.title.as_deref(),
            description: step.description.as_deref(),
            order: step.order,
            dependencies: step.dependencies.as_deref(),
            requires_approval: step.requires_approval,
            risk_tier: step.risk_tier,
            kind: None,
            target: None,
            diff: None,
            content: None,
            content_base64: None,
            edits: None,
            mode: None,
            renamed_from: None,
            tool: None,
            args: (),
        };
        match &step.action {
            Action::Tool(ToolCall { name, args }) => {
                form.tool = Some(ToolForm { name, args: Some(args) });
            }
            Action::File(file) => {
                form.kind = Some(match file.kind() {
                    "file_create" => FileStepType::FileCreate,
                    "file_delete" => FileStepType::FileDelete,
                    _ => FileStepType::FileModify,
                });
                form.target = Some(&file.target);
                form.mode = file.mode;
                form.payload(&file.payload);
            }
        }
        form
    }

    fn payload(&mut self, payload: &'a Payload) {
        match payload {
            Payload::Create(content) | Payload::Replace(content) => match content {
                Content::Text(blob) => self.content = Some(String::from_utf8_lossy(blob.bytes())),
                Content::Binary(blob) => self.content_base64 = Some(BASE64.encode(blob.bytes())),
            },
            Payload::CreateDiff(diff) | Payload::ModifyDiff(diff) => {
                self.diff = Some(Cow::Borrowed(diff));
            }
            Payload::Edit(edits) => self.edits = Some(edits),
            Payload::Delete => {}
            Payload::Patch(patch) => {
                self.renamed_from = patch.renamed_from().map(RelPath::as_str);
            }
        }
    }
}
