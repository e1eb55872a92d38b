//! What `exacta results check --json` prints.

use exacta_core::model::diagnostic::Issue;
use exacta_core::results::CONTRACT_VERSION;
use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::Exit;

/// The outcome of a check of results.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResultsReport {
    /// Whether the contract holds.
    pub(crate) ok: bool,
    /// The exit code of the command.
    pub(crate) exit_code: u8,
    /// The version of the contract.
    pub(crate) contract_version: &'static str,
    /// Whether the results were held against a plan.
    pub(crate) against_plan: bool,
    /// Every finding.
    pub(crate) issues: Vec<Issue>,
}

impl ResultsReport {
    /// The report of a list that was checked.
    pub(crate) fn checked(issues: Vec<Issue>, against_plan: bool) -> Self {
        let ok = issues.is_empty();
        let exit = if ok { Exit::Done } else { Exit::Unverified };
        Self::new(exit, against_plan, issues)
    }

    /// The report when the plan is no draft, so that nothing was checked.
    pub(crate) fn no_plan(issues: Vec<Issue>) -> Self {
        Self::new(Exit::Refused, false, issues)
    }

    fn new(exit: Exit, against_plan: bool, issues: Vec<Issue>) -> Self {
        Self {
            ok: exit == Exit::Done,
            exit_code: exit.code(),
            contract_version: CONTRACT_VERSION,
            against_plan,
            issues,
        }
    }
}

/// What `exacta results verify --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyExecutorReport {
    /// Whether every case keeps the contract.
    pub(crate) ok: bool,
    /// The exit code of the command.
    pub(crate) exit_code: u8,
    /// The version of the contract.
    pub(crate) contract_version: &'static str,
    /// The cases that were tried.
    pub(crate) cases: Vec<VerifiedCase>,
    /// How many were left out because no tool that works was named.
    pub(crate) left_out: usize,
}

/// One case that an executor was put through.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifiedCase {
    /// Its name.
    pub(crate) name: String,
    /// What it is about.
    pub(crate) promise: String,
    /// Whether the contract was kept.
    pub(crate) ok: bool,
    /// What is wrong beside the list itself: no answer, or not what must come of the plan.
    pub(crate) problems: Vec<String>,
    /// Every rule that the list breaks.
    pub(crate) issues: Vec<Issue>,
    /// The plan that was handed in.
    pub(crate) plan: serde_json::Value,
}
