//! What is asked, and what came of it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use exacta_core::judge::policy;
use exacta_core::model::path::RelPath;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::checks::room::ViewKind;
use crate::run::Drift;
use crate::workspace::PortError;

/// A command that judges staged files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name that policy gives it.
    pub name: String,
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// When it counts as failed.
    pub timeout: Duration,
}

impl Check {
    /// A check as operator policy defines it.
    #[must_use]
    pub fn of_policy(name: &str, check: &policy::Check) -> Self {
        Self {
            name: name.into(),
            command: check.command.clone(),
            timeout: Duration::from_secs(check.timeout_seconds),
        }
    }
}

/// What a check says of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It ended with 0 and left the files it judged alone.
    Passed,
    /// It ended with this code.
    Failed(i32),
    /// It was ended by this signal.
    Died(i32),
    /// It took too long and was ended.
    TimedOut,
    /// It wrote more than it may and was ended.
    TooMuchOutput,
    /// It changed these targets in its view, so what it judged is not what is staged.
    ChangedTargets(Vec<RelPath>),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(code) => write!(f, "ended with code {code}"),
            Self::Died(signal) => write!(f, "was ended by signal {signal}"),
            Self::TimedOut => f.write_str("took too long and was ended"),
            Self::TooMuchOutput => f.write_str("wrote too much and was ended"),
            Self::ChangedTargets(paths) => {
                let names: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
                write!(f, "changed what it should judge: {}", names.join(", "))
            }
        }
    }
}

/// One check that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The check.
    pub name: String,
    /// What it says.
    pub verdict: Verdict,
    /// What it wrote to standard output and standard error, in order, up to the limit.
    pub output: Vec<u8>,
    /// How long it took.
    pub took: Duration,
    /// What it ran on.
    pub view: ViewKind,
}

/// The wire shape of a check that ran.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CheckOutcome")]
struct OutcomeForm<'o> {
    /// The name that policy gives it.
    name: &'o str,
    /// Whether it passed.
    passed: bool,
    /// What it said, in words.
    verdict: String,
    /// What it wrote; bytes that are not text are replaced.
    output: Cow<'o, str>,
    /// How long it took, in milliseconds.
    took_ms: u64,
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = OutcomeForm {
            name: &self.name,
            passed: self.verdict == Verdict::Passed,
            verdict: self.verdict.to_string(),
            output: String::from_utf8_lossy(&self.output),
            took_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        };
        form.serialize(serializer)
    }
}

impl JsonSchema for Outcome {
    fn schema_name() -> Cow<'static, str> {
        OutcomeForm::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        OutcomeForm::json_schema(generator)
    }
}

/// Why a command was not run to its end, whether it checks or is captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    /// This machine does not let a command be confined.
    #[error("commands cannot be confined here: {0}")]
    NoConfinement(String),
    /// A process of ours that holds the walls was ended from outside, and so was the
    /// command.
    #[error(
        "a helper process that confines the command was ended by signal {0}, from outside or for \
         lack of memory"
    )]
    Killed(i32),
    /// Nobody reads what the command writes.
    #[error("stopped, because nobody reads what the command writes any more")]
    Unheard,
}

/// Why a run may not be committed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// A check did not pass; it is the last of the outcomes.
    #[error("the check `{name}` {verdict}")]
    NotPassed {
        /// The check.
        name: String,
        /// What it says.
        verdict: Verdict,
    },
    /// No private view of the staged tree can be made here.
    #[error("no private view of the staged files can be made: {0}")]
    NoView(String),
    /// The command was not run, or not to its end.
    #[error(transparent)]
    NotRun(#[from] NotRun),
    /// Staged images changed while the checks ran.
    #[error("staged images have changed: {}", crate::run::joined(.0))]
    Tampered(Vec<Drift>),
    /// The watcher asked to stop.
    #[error("stopped on request; nothing was changed")]
    Cancelled,
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// A run that was thrown away because of its checks. No target was touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unchecked {
    /// Why.
    pub why: Why,
    /// The checks that ran, in order.
    pub outcomes: Vec<Outcome>,
}
