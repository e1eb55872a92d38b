//! The page of each finding code, embedded so that `exacta explain` works anywhere.
//!
//! The match is exhaustive: a code without a page does not compile.

use exacta_core::code::Code;

macro_rules! pages {
    ($($variant:ident $name:literal)*) => {
        /// The page of a code, as Markdown.
        pub(crate) const fn page(code: Code) -> &'static str {
            match code {
                $(Code::$variant => include_str!(concat!("../../../docs/errors/", $name, ".md")),)*
            }
        }
    };
}

pages! {
    PlanParseNonjson "PLAN_PARSE_NONJSON"
    PlanParseMultiblock "PLAN_PARSE_MULTIBLOCK"
    PlanSchemaInvalid "PLAN_SCHEMA_INVALID"
    PlanTooLarge "PLAN_TOO_LARGE"
    PlanNoSteps "PLAN_NO_STEPS"
    PlanStepIdInvalid "PLAN_STEP_ID_INVALID"
    PlanOrderInvalid "PLAN_ORDER_INVALID"
    PlanDependencyUnknown "PLAN_DEPENDENCY_UNKNOWN"
    PlanDependencyCycle "PLAN_DEPENDENCY_CYCLE"
    PlanPathInvalid "PLAN_PATH_INVALID"
    PlanPathReserved "PLAN_PATH_RESERVED"
    PlanTokenBudgetExceeded "PLAN_TOKEN_BUDGET_EXCEEDED"
    PlanConstraintViolated "PLAN_CONSTRAINT_VIOLATED"
    PlanConflict "PLAN_CONFLICT"
    PlanDeletePending "PLAN_DELETE_PENDING"
    PlanInvalidTool "PLAN_INVALID_TOOL"
    PlanToolNotAllowed "PLAN_TOOL_NOT_ALLOWED"
    PlanStepCapExceeded "PLAN_STEP_CAP_EXCEEDED"
    PlanToolCallCapExceeded "PLAN_TOOL_CALL_CAP_EXCEEDED"
    PlanPageCapExceeded "PLAN_PAGE_CAP_EXCEEDED"
    PlanCostCapExceeded "PLAN_COST_CAP_EXCEEDED"
    PlanFileCapExceeded "PLAN_FILE_CAP_EXCEEDED"
    PlanLineCapExceeded "PLAN_LINE_CAP_EXCEEDED"
    PlanNotAtomic "PLAN_NOT_ATOMIC"
    PlanClaimContradicted "PLAN_CLAIM_CONTRADICTED"
    PlanRuleDenied "PLAN_RULE_DENIED"
    PolicyInvalid "POLICY_INVALID"
    PolicyRefused "POLICY_REFUSED"
    PolicyLoosened "POLICY_LOOSENED"
    DiffMalformed "DIFF_MALFORMED"
    DiffMismatch "DIFF_MISMATCH"
    EditMismatch "EDIT_MISMATCH"
    StepNoEffect "STEP_NO_EFFECT"
    FileMissing "FILE_MISSING"
    FileExists "FILE_EXISTS"
    FileRefused "FILE_REFUSED"
    PatchMalformed "PATCH_MALFORMED"
    PatchUnsupported "PATCH_UNSUPPORTED"
    ResultsMalformed "RESULTS_MALFORMED"
    ResultsMeta "RESULTS_META"
    ResultsRow "RESULTS_ROW"
    ResultsSummary "RESULTS_SUMMARY"
    ResultsPlan "RESULTS_PLAN"
}
