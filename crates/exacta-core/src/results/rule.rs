//! The closed list of rules that a result list is held against.
//!
//! Names are stable: a CI job may match on them. The page `docs/concepts/results.md`
//! has the same list and a test keeps both in step; every rule has cases in
//! `corpus/results/` that break it.

use crate::model::code::Code;

macro_rules! rules {
    ($($variant:ident = $name:literal, $code:ident, $promise:literal, $help:literal;)*) => {
        /// A rule of the result contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $promise] $variant,)*
        }

        impl Rule {
            /// Every rule, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The code that findings of this rule carry.
            pub const fn code(self) -> Code {
                match self { $(Self::$variant => Code::$code,)* }
            }

            /// What a list that keeps the rule promises.
            pub const fn promise(self) -> &'static str {
                match self { $(Self::$variant => $promise,)* }
            }

            /// What the author of an executor can do about it.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

rules! {
    Json = "json", ResultsMalformed,
        "the text is one JSON document",
        "write the result list as one JSON array and nothing else";
    DuplicateKey = "duplicate_key", ResultsMalformed,
        "no object has a key twice, at any depth",
        "write each key once; readers disagree about which of two counts";
    NumberRange = "number_range", ResultsMalformed,
        "no number is beyond ±(2^53−1) or has more digits than a double keeps",
        "write large values as strings; readers round such numbers";
    TooLarge = "too_large", ResultsMalformed,
        "the list has at most 64 MiB and 500,000 values, at most 64 levels deep",
        "keep large outputs elsewhere and refer to them in `output`";
    List = "list", ResultsMalformed,
        "the document is an array",
        "put the rows and then the `__meta__` entry into one array";
    Entry = "entry", ResultsMalformed,
        "every entry is an object",
        "write one object a step, then the `__meta__` object";
    MissingField = "missing_field", ResultsMalformed,
        "every field but `output` is there",
        "write the field in every entry; use null where it has no value";
    UnknownField = "unknown_field", ResultsMalformed,
        "there is no other field",
        "leave it out, or put what it says into `output`";
    Type = "type", ResultsMalformed,
        "every field has its type",
        "use the type that the contract gives the field";

    MetaMissing = "meta_missing", ResultsMeta,
        "there is a `__meta__` entry",
        "append the summary after the last row, also when the run failed";
    MetaRepeated = "meta_repeated", ResultsMeta,
        "there is only one",
        "write one summary a run";
    MetaLast = "meta_last", ResultsMeta,
        "it is the last entry",
        "append the summary after the last row";

    StepIdEmpty = "step_id_empty", ResultsRow,
        "a row names its step",
        "use the `step_id` of the plan";
    StepIdRepeated = "step_id_repeated", ResultsRow,
        "a step has one row",
        "report the final outcome of a step once";
    ToolEmpty = "tool_empty", ResultsRow,
        "`tool` is a name or null",
        "write the name of the tool, or null for a step without one";
    SkippedOk = "skipped_ok", ResultsRow,
        "`skipped: true` means `ok: false`",
        "a step that was left out has done nothing: set `ok` to false";
    OkError = "ok_error", ResultsRow,
        "`ok: true` means `error: null`",
        "set `ok` to false, or move a remark into `output`";
    FailedUnexplained = "failed_unexplained", ResultsRow,
        "a failed row has an `error` or a `reason`",
        "say in `error` what went wrong";
    ReasonFlags = "reason_flags", ResultsRow,
        "the words of the contract fix the flags of their row",
        "`blocked` and `file_group_not_committed` are skipped rows, `outcome_unknown` and `rolled_back` failed ones; use another word for anything else";

    MetaSkipped = "meta_skipped", ResultsSummary,
        "`__meta__` is never skipped",
        "set `skipped` to false in `__meta__`";
    TaskStatus = "task_status", ResultsSummary,
        "`task_status` is one of the four words",
        "use COMPLETED, PARTIAL, FAILED or BLOCKED";
    StatsCount = "stats_count", ResultsSummary,
        "each count in `stats` equals that of the rows",
        "count the rows again after the last one is written";
    StatsTotal = "stats_total", ResultsSummary,
        "`total_steps` = `ok` + `skipped` + `failed`",
        "every row is exactly one of ok, skipped and failed";
    FailedSteps = "failed_steps", ResultsSummary,
        "`failed_steps` names exactly the rows with `ok: false` and `skipped: false`",
        "list each failed row once and no other";
    FailedStepsOrder = "failed_steps_order", ResultsSummary,
        "`failed_steps` has the order of the rows",
        "list the failed steps in the order of their rows";
    BlockedSkipped = "blocked_skipped", ResultsSummary,
        "every step in `blocked_steps` has a skipped row",
        "list only skipped steps in `blocked_steps`";
    BlockedRepeated = "blocked_repeated", ResultsSummary,
        "`blocked_steps` names no step twice",
        "list each blocked step once";
    BlockedListed = "blocked_listed", ResultsSummary,
        "a row with the reason `blocked` is in `blocked_steps`",
        "list the step in `blocked_steps`, or give its row another reason";
    StatusCompleted = "status_completed", ResultsSummary,
        "COMPLETED: every row is ok and no step is blocked",
        "use FAILED when a row failed, PARTIAL when one was skipped";
    StatusPartial = "status_partial", ResultsSummary,
        "PARTIAL: some rows are skipped, none failed, none is blocked",
        "use FAILED when a row failed, BLOCKED when nothing could start, COMPLETED when all is done";
    StatusFailed = "status_failed", ResultsSummary,
        "FAILED: at least one row failed",
        "a run without a failed row is COMPLETED, PARTIAL or BLOCKED";
    StatusBlocked = "status_blocked", ResultsSummary,
        "BLOCKED: nothing started, every row is skipped with the reason `blocked` and listed",
        "BLOCKED is for dependencies that cannot be resolved; a run that started is something else";
    MetaOk = "meta_ok", ResultsSummary,
        "`__meta__.ok` is true exactly for COMPLETED",
        "set `ok` of `__meta__` from `task_status`";
    MetaReason = "meta_reason", ResultsSummary,
        "a `__meta__` that is not ok has a `reason`",
        "say in `reason` why the run is not complete";

    PlanStepMissing = "plan_step_missing", ResultsPlan,
        "every step of the plan has a row",
        "report every step, also those that never started";
    PlanStepUnknown = "plan_step_unknown", ResultsPlan,
        "every row is a step of the plan",
        "report only steps of the plan; check that this is the plan that ran";
    PlanTool = "plan_tool", ResultsPlan,
        "a row names the tool of its step, null for a file step",
        "copy the tool's name from the plan";
    PlanDependency = "plan_dependency", ResultsPlan,
        "a step whose dependency failed or was skipped is skipped",
        "skip the step; a step starts only when all it depends on is done";
    PlanBlocked = "plan_blocked", ResultsPlan,
        "`blocked_steps` names exactly the skipped steps with a failed step among those they depend on, directly or through skipped ones",
        "a step that waits only for declined or suppressed steps is skipped, not blocked";
    PlanUnrunnable = "plan_unrunnable", ResultsPlan,
        "a plan with an unknown dependency or a cycle is BLOCKED",
        "resolve the dependencies before the first step, and start nothing when that fails";
    PlanRunnable = "plan_runnable", ResultsPlan,
        "a plan with sound dependencies is not BLOCKED",
        "run the steps, or report why each was skipped";
    PlanFiles = "plan_files", ResultsPlan,
        "the file steps of a plan are all ok or none is",
        "commit file steps together; take all of them back when one fails";
    PlanFileGroup = "plan_file_group", ResultsPlan,
        "`file_group_not_committed` is a file step of a run that is not atomic, beside a file step that failed or was skipped for another reason",
        "use the word only for file steps held back by another file step";
    AtomicPartial = "atomic_partial", ResultsPlan,
        "an atomic run is never PARTIAL",
        "a step that was declined in an atomic run has failed: take the others back";
    AtomicKept = "atomic_kept", ResultsPlan,
        "an atomic run that failed keeps no file step, unless an outcome is unknown",
        "take the file steps back and report them as `rolled_back`";
}
