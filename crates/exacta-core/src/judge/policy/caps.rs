//! Size caps on a plan.

use schemars::JsonSchema;
use serde::Serialize;

/// Size caps on a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Caps {
    /// Lines added and removed by a plan.
    pub max_changed_lines: u64,
    /// Cost of a plan in millionths of a US dollar.
    pub max_cost_micro_usd: u64,
    /// Files touched by a plan.
    pub max_files: u64,
    /// Bytes of all file images that a plan makes.
    pub max_image_bytes: u64,
    /// Pages read by a plan.
    pub max_pages: u64,
    /// Tool steps in a plan.
    pub max_steps: u64,
    /// Tool calls in a plan.
    pub max_tool_calls: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            max_steps: 12,
            max_tool_calls: 40,
            max_pages: 200,
            max_cost_micro_usd: 5_000_000,
            max_files: 500,
            max_changed_lines: 50_000,
            max_image_bytes: 256 * 1024 * 1024,
        }
    }
}

/// One of the caps, so that code can go through all of them; ordered by written name, as
/// the canonical form wants its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Cap {
    /// `max_changed_lines`
    #[serde(rename = "max_changed_lines")]
    ChangedLines,
    /// `max_cost_usd`
    #[serde(rename = "max_cost_usd")]
    Cost,
    /// `max_files`
    #[serde(rename = "max_files")]
    Files,
    /// `max_image_bytes`
    #[serde(rename = "max_image_bytes")]
    ImageBytes,
    /// `max_pages`
    #[serde(rename = "max_pages")]
    Pages,
    /// `max_steps`
    #[serde(rename = "max_steps")]
    Steps,
    /// `max_tool_calls`
    #[serde(rename = "max_tool_calls")]
    ToolCalls,
}

impl Cap {
    /// Every cap as written in a policy.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("max_steps", Self::Steps),
        ("max_tool_calls", Self::ToolCalls),
        ("max_pages", Self::Pages),
        ("max_cost_usd", Self::Cost),
        ("max_files", Self::Files),
        ("max_changed_lines", Self::ChangedLines),
        ("max_image_bytes", Self::ImageBytes),
    ];

    /// The value of this cap; money in millionths of a US dollar.
    #[must_use]
    pub fn of(self, caps: &Caps) -> u64 {
        match self {
            Self::Steps => caps.max_steps,
            Self::ToolCalls => caps.max_tool_calls,
            Self::Pages => caps.max_pages,
            Self::Cost => caps.max_cost_micro_usd,
            Self::Files => caps.max_files,
            Self::ChangedLines => caps.max_changed_lines,
            Self::ImageBytes => caps.max_image_bytes,
        }
    }

    /// The place of this cap.
    pub(super) fn slot(self, caps: &mut Caps) -> &mut u64 {
        match self {
            Self::Steps => &mut caps.max_steps,
            Self::ToolCalls => &mut caps.max_tool_calls,
            Self::Pages => &mut caps.max_pages,
            Self::Cost => &mut caps.max_cost_micro_usd,
            Self::Files => &mut caps.max_files,
            Self::ChangedLines => &mut caps.max_changed_lines,
            Self::ImageBytes => &mut caps.max_image_bytes,
        }
    }
}
