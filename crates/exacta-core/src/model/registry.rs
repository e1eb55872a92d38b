//! The twelve primitives a plan may name, compiled in. Nobody can lower what stands here.

use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

/// What calling a primitive does to the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Only reads.
    Read,
    /// Writes something that can be taken back.
    DraftWrite,
    /// Writes many things.
    BulkWrite,
    /// Publishes.
    Publish,
    /// Sends.
    Send,
}

/// One primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table below")]
pub struct Primitive {
    /// Its name, case-exact.
    pub name: &'static str,
    /// Its effect.
    pub effect: Effect,
    /// Whether what it did can be taken back; reads need no taking back.
    pub reversible: bool,
    /// Whether plans of the `Custom` recipe may use it.
    pub in_custom: bool,
    /// Whether it is usable without the operator naming it.
    pub by_default: bool,
    /// How much one call weighs in the token estimate.
    pub weight: u64,
    /// Whether it can contact a page or a person, or take a file along.
    pub reaches: bool,
    /// The plan inputs it reads, in alphabetical order.
    pub inputs: &'static [&'static str],
    /// The plan input that gives its URLs when its arguments do not.
    pub url_input: Option<&'static str>,
    /// The only arguments it takes; `None` when its schema is open.
    pub arguments: Option<&'static [&'static str]>,
}

const fn read(name: &'static str, weight: u64) -> Primitive {
    Primitive {
        name,
        effect: Effect::Read,
        reversible: true,
        in_custom: true,
        by_default: true,
        weight,
        reaches: true,
        inputs: &[],
        url_input: None,
        arguments: None,
    }
}

const fn draft(name: &'static str) -> Primitive {
    Primitive { effect: Effect::DraftWrite, ..read(name, 4) }
}

/// Every primitive.
pub const PRIMITIVES: [Primitive; 12] = [
    Primitive {
        inputs: &["pages", "web_source_url"],
        url_input: Some("web_source_url"),
        ..read("ReadWeb", 1)
    },
    Primitive {
        inputs: &["daily_sources", "pages"],
        url_input: Some("daily_sources"),
        ..read("ReadSources", 2)
    },
    Primitive { inputs: &["inbox_source_text"], ..read("ReadForwardedEmail", 1) },
    Primitive { in_custom: false, by_default: false, ..read("ReadVaultFile", 1) },
    Primitive {
        reaches: false,
        inputs: &["daily_sources", "pages"],
        ..read("AggregateDailySummary", 2)
    },
    Primitive { reaches: false, ..read("NotifyUser", 1) },
    Primitive { inputs: &["inbox_source_text"], ..draft("TriageEmail") },
    draft("WriteOutcomeDraft"),
    draft("WriteEmailDraft"),
    Primitive { in_custom: false, by_default: false, ..draft("ScheduleRun") },
    Primitive {
        effect: Effect::Send,
        reversible: false,
        weight: 6,
        arguments: Some(&["to", "cc", "bcc", "subject", "body", "draft", "attachments"]),
        ..read("SendEmail", 6)
    },
    Primitive { effect: Effect::Publish, reversible: false, ..read("CallApi", 6) },
];

/// The primitive of exactly this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|primitive| primitive.name == name)
}

/// Names usable when the operator says nothing.
pub fn default_names() -> impl Iterator<Item = String> {
    PRIMITIVES
        .iter()
        .filter(|primitive| primitive.by_default)
        .map(|primitive| primitive.name.into())
}
