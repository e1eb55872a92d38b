//! The page of each finding code, embedded so that `exacta explain` works anywhere.
//!
//! The match is exhaustive: a code without a page does not compile.

use exacta_core::model::code::Code;

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
    IdUnknown "ID_UNKNOWN"
    IdAmbiguous "ID_AMBIGUOUS"
    IdOfOtherKind "ID_OF_OTHER_KIND"
    KeyTaken "KEY_TAKEN"
    PlanNotApproved "PLAN_NOT_APPROVED"
    PlanAlreadyApproved "PLAN_ALREADY_APPROVED"
    PlanRejected "PLAN_REJECTED"
    PlanExpired "PLAN_EXPIRED"
    PlanForgotten "PLAN_FORGOTTEN"
    PlanDiffers "PLAN_DIFFERS"
    ApprovalUsed "APPROVAL_USED"
    HashMismatch "HASH_MISMATCH"
    ProofRequired "PROOF_REQUIRED"
    BindingChanged "BINDING_CHANGED"
    SelectionInvalid "SELECTION_INVALID"
    ProposerUnknown "PROPOSER_UNKNOWN"
    ToolsUnavailable "TOOLS_UNAVAILABLE"
    ChecksUnavailable "CHECKS_UNAVAILABLE"
    ConfigurationTooWide "CONFIGURATION_TOO_WIDE"
    FilesChanged "FILES_CHANGED"
    RunNotUndoable "RUN_NOT_UNDOABLE"
    RunCancelled "RUN_CANCELLED"
    RecoveryNeeded "RECOVERY_NEEDED"
    NoSpace "NO_SPACE"
    MetadataNotKept "METADATA_NOT_KEPT"
    WorkspaceFailed "WORKSPACE_FAILED"
    ProjectBusy "PROJECT_BUSY"
    ProjectUntrusted "PROJECT_UNTRUSTED"
    RecordBroken "RECORD_BROKEN"
    RecordUnwritable "RECORD_UNWRITABLE"
    ObjectMissing "OBJECT_MISSING"
    StateUnusable "STATE_UNUSABLE"
    CaptureFailed "CAPTURE_FAILED"
    Usage "USAGE"
    InputUnreadable "INPUT_UNREADABLE"
    OutputFailed "OUTPUT_FAILED"
    Internal "INTERNAL"
}
