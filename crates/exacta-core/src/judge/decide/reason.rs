//! Why a decision is what it is.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::judge::score::Evidence;

macro_rules! reasons {
    ($($variant:ident = $name:literal, $summary:literal, $to_pass:literal;)*) => {
        /// What kind of reason it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
        pub enum ReasonKind {
            $(#[doc = $summary] #[serde(rename = $name)] $variant,)*
        }

        impl ReasonKind {
            /// Every kind, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What has to be so.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }

            /// What would have to change; for rows of the table the row says it.
            #[must_use]
            pub const fn to_pass(self) -> &'static str {
                match self { $(Self::$variant => $to_pass,)* }
            }
        }
    };
}

reasons! {
    Row = "row", "a row of the table matched", "";
    UnknownProfile = "unknown_profile", "the profile is not one of the three", "the operator writes `manual`, `conservative` or `balanced` as `profile`";
    UnknownCeiling = "unknown_ceiling", "the autonomy ceiling is not one of the three", "the operator writes `manual`, `conservative` or `balanced` as `autonomy_ceiling`";
    RuleDenies = "rule_denies", "a policy rule denies the plan", "propose a plan that the rule does not match";
    RuleAsks = "rule_asks", "a policy rule asks for a person", "propose a plan that the rule does not match, or let a person approve";
    RunsByItself = "runs_by_itself", "a file runs by itself or steers an agent", "leave such files to a plan that a person approves";
    ModeChange = "mode_change", "the permission bits of a file change", "keep the permission bits";
    NewExecutable = "new_executable", "a new file may be executed", "create the file without the right to be executed";
    LendsRights = "lends_rights", "a file changes that runs with the rights of its owner or group, whoever starts it", "leave such files to a plan that a person approves";
    BinaryContent = "binary_content", "content that a person cannot read as text", "leave binary files to a plan that a person approves";
    HiddenCharacters = "hidden_characters", "an added line or an argument holds characters that do not show or reorder others", "write the text without them, or as escapes";
    LookAlikeName = "look_alike_name", "a name looks like another", "use letters of one script, and names that cannot be taken for others";
    NonReadTool = "non_read_tool", "a tool does more than read", "leave such steps to a plan that a person approves";
    ContractExecution = "contract_execution", "branches go on after a failure, and not every step only reads", "use `execution: \"atomic\"`";
    NotAnalysed = "not_analysed", "something could not be analysed", "propose smaller text files, so that all of them can be read";
    StepAsks = "step_asks", "a step asks for a person", "a person approves";
    DeleteInConservative = "delete_in_conservative", "a file is deleted or left without content, in `conservative`", "leave deletes to a plan that a person approves";
    DependenciesInConservative = "dependencies_in_conservative", "a manifest or lock file changes, in `conservative`", "leave dependencies to a plan that a person approves";
    ManyDeletes = "many_deletes", "more than two files are deleted or left without content, in `balanced`", "delete at most two files in a plan";
    SessionRisk = "session_risk", "the proposer's recent plans add up to more risk than may run unasked", "wait until earlier plans no longer count (`session_budget.minutes`, ten unless policy says otherwise), or let a person approve";
    SessionFiles = "session_files", "the proposer's recent plans touch more files than may be touched unasked", "wait until earlier plans no longer count (`session_budget.minutes`, ten unless policy says otherwise), or let a person approve";
    SessionClass = "session_class", "together with the proposer's recent plans the change is of a worse class than alone", "propose the whole change as one plan, or let a person approve";
    SessionLines = "session_lines", "the proposer's recent plans change more lines than may be changed unasked", "wait until earlier plans no longer count (`session_budget.minutes`, ten unless policy says otherwise), or let a person approve";
    LongUrl = "long_url", "an address with more than 256 bytes of path and query that neither the intent nor policy gives", "shorten the address, or have the user give it in the intent";
    PlainHttp = "plain_http", "an address without encryption", "use `https://`";
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Reason {
    /// What it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What kind of reason it is.
    pub kind: ReasonKind,
    /// What is so.
    pub message: String,
    /// What would have to change for the plan to pass; absent when it passes, and in a
    /// rejected plan for whatever does not reject it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_pass: Option<String>,
}

impl Reason {
    /// A reason against running alone, in the words of its kind.
    pub(super) fn against(kind: ReasonKind, evidence: Vec<Evidence>) -> Self {
        Self::saying(kind, kind.summary(), evidence)
    }

    /// A reason against running alone, in words of its own.
    pub(super) fn saying(
        kind: ReasonKind,
        message: impl Into<String>,
        evidence: Vec<Evidence>,
    ) -> Self {
        let to_pass = Some(kind.to_pass().into());
        Self { kind, message: message.into(), to_pass, evidence }
    }
}
