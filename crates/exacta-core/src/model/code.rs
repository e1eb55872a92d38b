//! The closed list of finding codes.
//!
//! Codes are stable: scripts and planners match on them. Each has a page in
//! `docs/errors/`, which `exacta explain CODE` prints; a test keeps list and pages
//! in step.

use schemars::JsonSchema;
use serde::Serialize;

macro_rules! codes {
    ($($variant:ident = $text:literal, $summary:literal;)*) => {
        /// A stable finding code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        pub enum Code {
            $(#[doc = $summary] #[serde(rename = $text)] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The written form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// One line that says what the code means.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }
        }
    };
}

codes! {
    PlanParseNonjson = "PLAN_PARSE_NONJSON", "the planner's text is not exactly one JSON object";
    PlanParseMultiblock = "PLAN_PARSE_MULTIBLOCK", "the planner's text holds more than one fenced block";
    PlanSchemaInvalid = "PLAN_SCHEMA_INVALID", "the JSON is not a draft: a field is missing, unknown, repeated or of the wrong type";
    PlanTooLarge = "PLAN_TOO_LARGE", "the draft or one of the file images it makes is larger than the cap";
    PlanNoSteps = "PLAN_NO_STEPS", "a plan has at least one step";
    PlanStepIdInvalid = "PLAN_STEP_ID_INVALID", "a step id is empty, repeated, look-alike or out of sequence";
    PlanOrderInvalid = "PLAN_ORDER_INVALID", "`order` is incomplete, repeated or contradicts the dependencies";
    PlanDependencyUnknown = "PLAN_DEPENDENCY_UNKNOWN", "a step depends on a step that does not exist";
    PlanDependencyCycle = "PLAN_DEPENDENCY_CYCLE", "the dependencies form a cycle";
    PlanPathInvalid = "PLAN_PATH_INVALID", "a target is not a canonical path inside the project";
    PlanPathReserved = "PLAN_PATH_RESERVED", "a target lies in a folder that no plan may touch";
    PlanTokenBudgetExceeded = "PLAN_TOKEN_BUDGET_EXCEEDED", "the token estimate is over the budget";
    PlanConstraintViolated = "PLAN_CONSTRAINT_VIOLATED", "the plan breaks a constraint that is in force";
    PlanConflict = "PLAN_CONFLICT", "two steps change the same file without an order between them";
    PlanDeletePending = "PLAN_DELETE_PENDING", "a step deletes a file that another step still modifies";
    PlanInvalidTool = "PLAN_INVALID_TOOL", "a step names a tool that does not exist";
    PlanToolNotAllowed = "PLAN_TOOL_NOT_ALLOWED", "a tool, domain or recipient is not allowed here";
    PlanStepCapExceeded = "PLAN_STEP_CAP_EXCEEDED", "the plan has more steps than the cap";
    PlanToolCallCapExceeded = "PLAN_TOOL_CALL_CAP_EXCEEDED", "the plan makes more tool calls than the cap";
    PlanPageCapExceeded = "PLAN_PAGE_CAP_EXCEEDED", "the plan reads more pages than the cap";
    PlanCostCapExceeded = "PLAN_COST_CAP_EXCEEDED", "the estimated cost is over the cap";
    PlanFileCapExceeded = "PLAN_FILE_CAP_EXCEEDED", "the plan touches more files than the cap";
    PlanLineCapExceeded = "PLAN_LINE_CAP_EXCEEDED", "the plan changes more lines than the cap";
    PlanNotAtomic = "PLAN_NOT_ATOMIC", "the plan could not be rolled back as a whole";
    PlanClaimContradicted = "PLAN_CLAIM_CONTRADICTED", "the draft says one thing about itself and does another";
    PlanRuleDenied = "PLAN_RULE_DENIED", "a policy rule refuses the plan";
    PolicyInvalid = "POLICY_INVALID", "a policy file has a mistake; nothing runs until it is corrected";
    PolicyRefused = "POLICY_REFUSED", "a policy file or its folder cannot be trusted; nothing runs until that is settled";
    PolicyLoosened = "POLICY_LOOSENED", "a policy layer asks for more than the layers before it allow; that is ignored";
    DiffMalformed = "DIFF_MALFORMED", "a diff is not a strict unified diff of its one target";
    DiffMismatch = "DIFF_MISMATCH", "a diff does not fit the file as it is now";
    EditMismatch = "EDIT_MISMATCH", "the text to replace does not occur exactly once";
    StepNoEffect = "STEP_NO_EFFECT", "a step would leave its file as it is";
    FileMissing = "FILE_MISSING", "the file to modify or delete does not exist";
    FileExists = "FILE_EXISTS", "the file to create already exists";
    FileRefused = "FILE_REFUSED", "the target is not a plain file that can be changed safely";
    PatchMalformed = "PATCH_MALFORMED", "the patch is not complete output of git or of `diff -u`";
    PatchUnsupported = "PATCH_UNSUPPORTED", "the patch holds a section that cannot be imported";
    ResultsMalformed = "RESULTS_MALFORMED", "the result list does not have the shape of the contract";
    ResultsMeta = "RESULTS_META", "the `__meta__` entry is missing, repeated or not last";
    ResultsRow = "RESULTS_ROW", "a result row contradicts itself";
    ResultsSummary = "RESULTS_SUMMARY", "the summary does not agree with the rows";
    ResultsPlan = "RESULTS_PLAN", "the results do not fit the plan";
    IdUnknown = "ID_UNKNOWN", "no plan or run has this id";
    IdAmbiguous = "ID_AMBIGUOUS", "several plans or runs have ids that begin or end like this";
    IdOfOtherKind = "ID_OF_OTHER_KIND", "the id names a run where a plan is wanted, or a plan where a run is";
    KeyTaken = "KEY_TAKEN", "another command was carried out with this idempotency key";
    PlanNotApproved = "PLAN_NOT_APPROVED", "the plan waits for a person";
    PlanAlreadyApproved = "PLAN_ALREADY_APPROVED", "the plan is approved already";
    PlanRejected = "PLAN_REJECTED", "the plan was rejected and stays so";
    PlanExpired = "PLAN_EXPIRED", "the plan was made for another state of things";
    PlanForgotten = "PLAN_FORGOTTEN", "what the plan was made of was deleted";
    PlanDiffers = "PLAN_DIFFERS", "what is stored or computed now is not what was approved";
    ApprovalUsed = "APPROVAL_USED", "the approval was spent on a run; each is good for one";
    HashMismatch = "HASH_MISMATCH", "the hash that was given is not that of the plan";
    ProofRequired = "PROOF_REQUIRED", "whoever decides has not shown that they may";
    BindingChanged = "BINDING_CHANGED", "policy, provider or model are not what the plan was made under";
    SelectionInvalid = "SELECTION_INVALID", "these steps cannot be approved by themselves";
    ProposerUnknown = "PROPOSER_UNKNOWN", "policy does not know the proposer";
    StepNotOpen = "STEP_NOT_OPEN", "the step does not wait for what was said about it";
    ToolsUnavailable = "TOOLS_UNAVAILABLE", "the plan calls tools, and nothing here can run them";
    ChecksUnavailable = "CHECKS_UNAVAILABLE", "policy names checks, and nothing here can run them";
    ConfigurationTooWide = "CONFIGURATION_TOO_WIDE", "`project_config` reaches more folders than are looked at";
    FilesChanged = "FILES_CHANGED", "files are not what they were when the work began";
    RunNotUndoable = "RUN_NOT_UNDOABLE", "the run cannot be undone or redone";
    RunCancelled = "RUN_CANCELLED", "the run was stopped; every file is as it was";
    RecoveryNeeded = "RECOVERY_NEEDED", "a run was interrupted and is neither finished nor rolled back";
    NoSpace = "NO_SPACE", "there is not enough room on the file system";
    MetadataNotKept = "METADATA_NOT_KEPT", "owner, access list or attributes of a file cannot be kept";
    WorkspaceFailed = "WORKSPACE_FAILED", "an operation on the project's files failed";
    ProjectBusy = "PROJECT_BUSY", "another process is changing the project";
    ProjectUntrusted = "PROJECT_UNTRUSTED", "the record in this folder is not one that this user's gate made here";
    RecordBroken = "RECORD_BROKEN", "the record was changed, cut or replaced";
    RecordUnwritable = "RECORD_UNWRITABLE", "the record cannot be read or written";
    ObjectMissing = "OBJECT_MISSING", "a stored object is missing or has other bytes";
    StateUnusable = "STATE_UNUSABLE", "the folder outside the project that vouches for it cannot be used";
    MergeNotProposed = "MERGE_NOT_PROPOSED", "what merging a branch would do cannot be proposed";
    CaptureFailed = "CAPTURE_FAILED", "a command could not be captured; nothing is proposed";
    Usage = "USAGE", "the command line makes no sense";
    InputUnreadable = "INPUT_UNREADABLE", "a file or standard input cannot be read";
    OutputFailed = "OUTPUT_FAILED", "output cannot be written";
    RequestInvalid = "REQUEST_INVALID", "the request is not one that the server understands";
    NotSignedIn = "NOT_SIGNED_IN", "the request does not show who sends it";
    NotAllowed = "NOT_ALLOWED", "whoever sends the request may not do this here";
    RouteUnknown = "ROUTE_UNKNOWN", "the server has nothing at this address";
    PreconditionFailed = "PRECONDITION_FAILED", "the plan is not the version that `If-Match` names";
    TooManyRequests = "TOO_MANY_REQUESTS", "more requests at once than the server takes";
    Internal = "INTERNAL", "a fault of this program or machine";
}

impl Code {
    /// Whether it is about a text that was handed in; else a command was not carried out.
    #[must_use]
    pub fn is_finding(self) -> bool {
        self < Self::IdUnknown
    }

    /// The code that a text was probably meant to be.
    #[must_use]
    pub fn resembling(text: &str) -> Option<Self> {
        /// A shorter part of a name fits too many.
        const TELLING: usize = 5;
        let part = |code: &&Self| text.len() >= TELLING && code.as_str().contains(text);
        Self::ALL.iter().find(part).copied().or_else(|| {
            let distance = |code: &Self| strsim::osa_distance(text, code.as_str());
            let near = |code: &Self| distance(code) * 4 <= code.as_str().len();
            Self::ALL.iter().copied().min_by_key(distance).filter(near)
        })
    }

    /// Finds a code by its written form.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}
