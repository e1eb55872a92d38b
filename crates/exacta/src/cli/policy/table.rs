//! The file of `exacta policy test`: plans, and what must become of them.

use std::collections::BTreeMap;

use exacta_core::judge::decide::Kind;
use serde::Deserialize;
use serde_json::Value;

/// The whole file, TOML or JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Version of the format.
    #[serde(default = "one")]
    pub(super) version: u32,
    /// The cases.
    pub(super) case: Vec<Case>,
}

/// One plan and what must become of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What the case shows.
    pub(super) name: String,
    /// A file with the draft, relative to the folder of the table.
    pub(super) plan: Option<String>,
    /// The draft itself.
    pub(super) draft: Option<Value>,
    /// The project's files while the case runs; without it, the project as it is.
    pub(super) files: Option<BTreeMap<String, String>>,
    /// What the user asked for.
    pub(super) intent: Option<String>,
    /// The authenticated proposer.
    pub(super) proposer: Option<String>,
    /// Constraints given by a person, as words.
    #[serde(default)]
    pub(super) constraints: Vec<String>,
    /// What must become of the plan.
    pub(super) expect: Expect,
    /// Codes that must be among the findings.
    #[serde(default)]
    pub(super) codes: Vec<String>,
    /// Reasons of rules that must apply.
    #[serde(default)]
    pub(super) reasons: Vec<String>,
}

/// What can become of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expect {
    /// It is refused.
    Reject,
    /// It waits for a person.
    Wait,
    /// It runs, and the user is told.
    AutoNotify,
    /// It runs.
    AutoSilent,
    /// It runs, told or not.
    Runs,
    /// It is not refused: it waits or runs.
    Sound,
}

impl Expect {
    /// The written form.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Reject => Kind::Reject.as_str(),
            Self::Wait => Kind::Wait.as_str(),
            Self::AutoNotify => Kind::AutoNotify.as_str(),
            Self::AutoSilent => Kind::AutoSilent.as_str(),
            Self::Runs => "runs",
            Self::Sound => "sound",
        }
    }

    /// Whether a decision is what was expected.
    pub(super) fn holds(self, kind: Kind) -> bool {
        match self {
            Self::Reject => kind == Kind::Reject,
            Self::Wait => kind == Kind::Wait,
            Self::AutoNotify => kind == Kind::AutoNotify,
            Self::AutoSilent => kind == Kind::AutoSilent,
            Self::Runs => matches!(kind, Kind::AutoNotify | Kind::AutoSilent),
            Self::Sound => kind != Kind::Reject,
        }
    }
}

fn one() -> u32 {
    1
}
