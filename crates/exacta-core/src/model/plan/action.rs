//! What one step does: a file effect or a tool call, never both.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::change::FileMode;
use crate::model::digest::Blob;
use crate::read::diff::FilePatch;
use crate::read::parse::json::Json;

/// The effect of a step as the draft words it.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `file_create`, `file_modify`, `file_delete`.
    File(FileAction),
    /// A call of a registered tool.
    Tool(ToolCall),
}

/// A file step. The target is still the planner's spelling; validation turns it into a
/// [`RelPath`](crate::model::path::RelPath).
#[derive(Clone, Debug, PartialEq)]
pub struct FileAction {
    /// The file, as spelled.
    pub target: String,
    /// What the file becomes.
    pub payload: Payload,
    /// Permission bits asked for.
    pub mode: Option<DraftMode>,
}

/// How the draft says what a file becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// `file_create` with `content` or `content_base64`.
    Create(Content),
    /// `file_create` with `diff`.
    CreateDiff(String),
    /// `file_modify` with `content` or `content_base64`: the whole new file.
    Replace(Content),
    /// `file_modify` with `diff`.
    ModifyDiff(String),
    /// `file_modify` with `edits`.
    Edit(Vec<Edit>),
    /// `file_delete`.
    Delete,
    /// A section of an imported git patch.
    Patch(FilePatch),
}

/// Whole file content.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Given as text.
    Text(Blob),
    /// Given as base64.
    Binary(Blob),
}

impl Content {
    /// The bytes, named.
    #[must_use]
    pub fn blob(&self) -> &Blob {
        match self {
            Self::Text(blob) | Self::Binary(blob) => blob,
        }
    }
}

/// One exact replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Edit {
    /// What stands there afterwards.
    pub new: String,
    /// Text that occurs exactly once in the file.
    #[schemars(length(min = 1))]
    pub old: String,
}

/// The two modes a draft may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum DraftMode {
    /// A plain file.
    #[serde(rename = "0644")]
    Regular,
    /// A file that may be executed.
    #[serde(rename = "0755")]
    Executable,
}

impl From<DraftMode> for FileMode {
    fn from(mode: DraftMode) -> Self {
        match mode {
            DraftMode::Regular => Self::REGULAR,
            DraftMode::Executable => Self::EXECUTABLE,
        }
    }
}

/// A tool and its arguments, normalised to one spelling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// Its arguments; always an object.
    pub args: Json,
    /// The tool's name, as spelled.
    pub name: String,
}

impl FileAction {
    /// The step type as the draft spells it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.payload {
            Payload::Create(_) | Payload::CreateDiff(_) => "file_create",
            Payload::Replace(_) | Payload::ModifyDiff(_) | Payload::Edit(_) => "file_modify",
            Payload::Delete => "file_delete",
            Payload::Patch(patch) => patch.step_type(),
        }
    }
}
