//! What an agent asks, as commands of the gate.
//!
//! Nothing here runs by itself: a plan that the table lets through is stored as approved, and
//! [`Desk::run`] starts it. The project is opened anew for every call, so that a call sees what
//! other processes did, and a server that lives for weeks holds nothing.

use std::path::PathBuf;

use exacta_core::judge::examine::{Context, examine};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::State;
use exacta_core::model::code::Code;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::read::parse::{self, Limits, is_patch};
use exacta_engine::gate::{
    Caller, Direction, Gate, GateError, Propose, ProposeUndo, Proposed, Run, Shown, SourceKind,
    UndoPart, UndoProposed,
};
use exacta_engine::trust::FolderTrust;
use exacta_engine::workspace::Root;
use exacta_server::Guest;
use exacta_server::who::owner;
use serde_json::Value;

use super::shapes::{
    Explanation, Handed, Next, PlanAnswer, Question, RunAnswer, StatusAnswer, ToRun, UndoAnswer,
};
use crate::cli::{CliError, Door, as_agent, in_force, open_place};
use crate::inspector::Confined;
use crate::pages;
use crate::paint::Look;
use crate::review;
use crate::tools;
use crate::wire::{CheckReport, ErrorReport, ProposeReport, VerifyReport};

/// Why a call came to nothing.
pub(crate) type Refusal = Box<ErrorReport>;

/// The desk of one project, for one agent.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    folder: PathBuf,
    /// Who asks, as policy registers them.
    proposer: Option<String>,
    /// Who asks, as the record names them.
    name: String,
    /// Where it came from, if it came over HTTP with a token: then it sees its own plans alone.
    guest: Option<Guest>,
    /// What tells callers apart.
    principal: String,
}

impl Desk {
    /// A desk for the agent called `name` on the project in `folder`.
    pub(crate) fn new(folder: PathBuf, proposer: Option<String>, name: &str) -> Self {
        let name = proposer.clone().unwrap_or_else(|| name.into());
        let principal = format!("here {name}");
        Self { folder, proposer, name, guest: None, principal }
    }

    /// A desk for whoever came with a token.
    pub(crate) fn of_guest(guest: &Guest) -> Self {
        let (folder, proposer) = (guest.folder.clone(), guest.proposer.clone());
        let (name, principal) = (guest.name.clone(), guest.principal.clone());
        Self { folder, proposer, name, guest: Some(guest.clone()), principal }
    }

    pub(crate) fn principal(&self) -> &str {
        &self.principal
    }

    pub(super) fn is_guest(&self) -> bool {
        self.guest.is_some()
    }

    /// The plan of this name, if it is one that whoever asks may see.
    pub(super) fn seen(&self, gate: &Gate<'_>, plan: PlanEntry) -> Result<PlanEntry, CliError> {
        if self.sees(gate, &plan) {
            return Ok(plan);
        }
        Err(GateError::NoSuchPlan(plan.id().to_string()).into())
    }

    /// An agent with a token sees what it handed in, and what came of that.
    pub(super) fn sees(&self, gate: &Gate<'_>, plan: &PlanEntry) -> bool {
        self.guest.is_none()
            || owner(gate, plan).is_some_and(|(actor, proposer)| {
                actor == as_agent(&self.name) && proposer == self.proposer
            })
    }

    /// Where a person reviews a plan; nothing where no room is open.
    fn review_url(&self, door: &Door, plan_id: &PlanId) -> Option<String> {
        let plans = match &self.guest {
            Some(guest) => guest.reviews.clone(),
            None => open_room(door)?,
        };
        Some(format!("{plans}/{plan_id}"))
    }

    /// An answer with the page where it can be decided on, as long as it waits.
    fn with_page(&self, door: &Door, mut answer: PlanAnswer) -> PlanAnswer {
        if let (Next::PlanWait, Some(plan_id)) = (answer.next, &answer.plan.plan_id) {
            answer.review_url = self.review_url(door, plan_id);
            if let Some(url) = &answer.review_url {
                answer.say = format!("{}; the page for the user is {url}", answer.say);
            }
        }
        answer
    }

    pub(crate) fn door(&self) -> Result<Door, CliError> {
        Door::at(Root::open(&self.folder)?)
    }

    pub(crate) fn caller(&self, key: Option<String>) -> Caller<'static> {
        Caller::new(as_agent(&self.name)).with_key(key)
    }

    pub(crate) fn proposer(&self) -> Option<&str> {
        self.proposer.as_deref()
    }

    /// Judges a text; nothing is stored.
    pub(crate) fn check(&self, handed: &Handed) -> Result<CheckReport, Refusal> {
        self.checked(handed).map_err(refusal)
    }

    fn checked(&self, handed: &Handed) -> Result<CheckReport, CliError> {
        let (kind, text) = text(handed)?;
        let root = Root::open(&self.folder)?;
        let policy = in_force::policy(&root)?.merged.policy;
        let constraints = handed.constraints.iter().map(|words| {
            parse::constraint_from_words(words)
                .map_err(|issue| CliError::Usage { message: issue.message, help: issue.help })
        });
        let mut context = Context {
            intent: handed.intent.as_deref().map(exacta_inspect::mask_secrets),
            constraints: constraints.collect::<Result<_, _>>()?,
            no_model: !kind.may_be_a_models(),
            proposer: self.proposer().map(Into::into),
            ..Context::default()
        };
        let limits = Limits::default();
        let parsed = match kind {
            SourceKind::Patch => parse::patch(&text, limits),
            SourceKind::Draft | SourceKind::Computed => parse::draft(&text, limits),
        };
        let draft = match parsed {
            Ok(draft) => draft,
            Err(issues) => return Ok(CheckReport::refused(issues)),
        };
        let door = self.door()?;
        if !matches!(door.identity.standing, FolderTrust::New) {
            door.look(|gate| Ok(gate.recall(&mut context, &policy)?))?;
        }
        let mut examined = examine(draft, &root, &Confined, &policy, &context)?;
        tools::guard(&mut examined, &root, &policy)?;
        examined.locate(&text);
        Ok(CheckReport::examined(&examined))
    }

    /// Hands in a text.
    pub(crate) fn propose(&self, handed: Handed) -> Result<PlanAnswer, Refusal> {
        self.proposed(handed).map_err(refusal)
    }

    fn proposed(&self, handed: Handed) -> Result<PlanAnswer, CliError> {
        let (kind, text) = text(&handed)?;
        let door = self.door()?;
        let answer = door.act(|gate| {
            let parent = match handed.parent.as_deref() {
                Some(name) => Some(self.seen(gate, gate.plan_named(name)?)?),
                None => None,
            };
            let command = Propose {
                intent: handed.intent,
                constraints: handed.constraints,
                proposer: self.proposer.clone(),
                parent: parent.map(|parent| parent.created.plan_id),
                ..Propose::new(kind, text)
            };
            let proposed = gate.handle(&self.caller(handed.idempotency_key), command)?;
            answer(gate, proposed)
        })?;
        Ok(self.with_page(&door, answer))
    }

    /// A plan, with what it does as a patch.
    pub(crate) fn show(&self, plan: &str) -> Result<PlanAnswer, Refusal> {
        self.shown(plan, true).map_err(refusal)
    }

    /// The same without the patch, as `propose` answered.
    pub(crate) fn proposed_before(&self, plan: &str) -> Result<PlanAnswer, Refusal> {
        self.shown(plan, false).map_err(refusal)
    }

    fn shown(&self, plan: &str, with_patch: bool) -> Result<PlanAnswer, CliError> {
        let door = self.door()?;
        let answer = door.look(|gate| {
            let plan = self.seen(gate, gate.plan_or_run_named(plan)?)?;
            let shown = gate.show(plan.id())?;
            let mut answer = of_shown(&shown);
            if with_patch {
                let mut patch = Vec::new();
                crate::cli::review_of(&shown, None, |plan| {
                    review::diff(plan, Look::PLAIN, &mut patch)
                })?;
                answer.patch = String::from_utf8(patch).ok();
            }
            Ok(answer)
        })?;
        Ok(self.with_page(&door, answer))
    }

    /// Where a plan stands; where another took its place, where that one does.
    pub(crate) fn status(&self, plan: &str) -> Result<StatusAnswer, Refusal> {
        self.stands(plan).map_err(refusal)
    }

    fn stands(&self, plan: &str) -> Result<StatusAnswer, CliError> {
        const LONGEST_CHAIN: usize = 64;
        self.door()?.look(|gate| {
            let plan = self.seen(gate, gate.plan_or_run_named(plan)?)?;
            let mut status = gate.status(plan.id())?;
            for _ in 0..LONGEST_CHAIN {
                let Some(successor) = status.replaced_by.clone() else { break };
                status = gate.status(&successor)?;
            }
            let state = match &status.out_of_date {
                Some(_) => State::Expired,
                None => status.state,
            };
            let next = Next::after(Some(state), status.run_id.is_some());
            let why = status.ended_because.as_deref().or(status.out_of_date.as_deref());
            let say = words(next, Some(status.plan_id.as_str()), why);
            Ok(StatusAnswer { status, next, say })
        })
    }

    /// Why a plan was judged so, or what a code means.
    pub(crate) fn explain(&self, question: &Question) -> Result<Explanation, Refusal> {
        let none = Explanation { check: None, code: None, page: None };
        match (&question.plan_id, &question.code) {
            (Some(plan), None) => {
                let check = self.shown(plan, false).map_err(refusal)?.plan.check;
                Ok(Explanation { check: Some(check), ..none })
            }
            (None, Some(code)) => match Code::find(&code.to_uppercase()) {
                Some(code) => {
                    let (code, page) = (Some(code.as_str()), Some(pages::page(code)));
                    Ok(Explanation { code, page, ..none })
                }
                None => Err(refusal(CliError::Usage {
                    message: format!("`{code}` is not the code of a finding"),
                    help: "give a code as an issue shows it".into(),
                })),
            },
            _ => Err(refusal(CliError::Usage {
                message: "give either `plan_id` or `code`".into(),
                help: "one of them, not both".into(),
            })),
        }
    }

    /// Whether the record is whole.
    pub(crate) fn verify(&self) -> Result<VerifyReport, Refusal> {
        let verified = || {
            self.door()?.look(|gate| {
                let recovery_needed = !gate.interrupted()?.is_empty();
                let report = VerifyReport::from(gate.verify(&[])?);
                Ok(VerifyReport { recovery_needed, ..report })
            })
        };
        verified().map_err(refusal)
    }

    /// Runs a plan that was approved.
    pub(crate) fn run(&self, wanted: &ToRun) -> Result<RunAnswer, Refusal> {
        self.ran(wanted).map_err(refusal)
    }

    fn ran(&self, wanted: &ToRun) -> Result<RunAnswer, CliError> {
        let plan_hash = wanted.plan_hash.as_deref().map(hash).transpose()?;
        self.door()?.look(|gate| {
            let plan = self.seen(gate, gate.plan_named(&wanted.plan_id)?)?;
            let plan_id = plan.created.plan_id;
            Ok(gate.handle(&self.caller(None), Run { plan_id, plan_hash })?)
        })
    }

    /// Hands in the inverse of a run.
    pub(crate) fn undo(&self, run: &str) -> Result<UndoAnswer, Refusal> {
        self.undone(run).map_err(refusal)
    }

    fn undone(&self, run: &str) -> Result<UndoAnswer, CliError> {
        let door = self.door()?;
        door.look(|gate| {
            let run = gate.run_named(run)?;
            self.seen(gate, gate.plan_or_run_named(run.plan_id.as_str())?)?;
            let run_id = run.run_id;
            let (direction, proposer) = (Direction::Undo, self.proposer.clone());
            let command = ProposeUndo { run_id, direction, part: UndoPart::Whole, proposer };
            Ok(match gate.handle(&self.caller(None), command)? {
                UndoProposed::Proposed(reply) => {
                    let back = self.with_page(&door, answer(gate, *reply)?);
                    UndoAnswer { proposed: Some(back), conflict: None }
                }
                UndoProposed::Conflict(undone) => {
                    UndoAnswer { proposed: None, conflict: Some(*undone) }
                }
            })
        })
    }
}

/// Where the plans of a project are reviewed, if its server answers.
fn open_room(door: &Door) -> Option<String> {
    let project = door.identity.secrets().ok()?.project;
    open_place(&project)
}

/// The text that was handed in, and how it is to be read.
fn text(handed: &Handed) -> Result<(SourceKind, Vec<u8>), CliError> {
    match (&handed.draft, &handed.patch) {
        (Some(Value::String(text)), None) => {
            let kind =
                if is_patch(text.as_bytes()) { SourceKind::Patch } else { SourceKind::Draft };
            Ok((kind, text.as_bytes().to_vec()))
        }
        (Some(draft), None) => Ok((SourceKind::Draft, serde_json::to_vec(draft)?)),
        (None, Some(patch)) => Ok((SourceKind::Patch, patch.as_bytes().to_vec())),
        _ => Err(CliError::Usage {
            message: "give either `draft` or `patch`".into(),
            help: "one of them, not both; `exacta schema draft` describes a draft".into(),
        }),
    }
}

fn hash(text: &str) -> Result<Digest, CliError> {
    Digest::parse(text)
        .map_err(|_| CliError::WrongHash { message: format!("`{text}` is not a hash") })
}

/// What became of a text, as an answer.
pub(crate) fn answer(gate: &Gate<'_>, proposed: Proposed) -> Result<PlanAnswer, CliError> {
    let (check, plan_id, correlation_id, state) = match proposed {
        Proposed::Refused { issues, correlation_id, examined } => {
            let check = match &examined {
                Some(examined) => CheckReport::examined(examined),
                None => CheckReport::refused(issues),
            };
            (check, None, correlation_id, None)
        }
        Proposed::Plan { plan, correlation_id, examined } => {
            let check = CheckReport::examined(&examined);
            (check, Some(plan.plan_id), correlation_id, Some(plan.state))
        }
        Proposed::Again(plan) => return Ok(of_shown(&gate.show(&plan.plan_id)?)),
    };
    let next = Next::after(state, false);
    let say = words(next, plan_id.as_ref().map(PlanId::as_str), why(&check).as_deref());
    let correlation_id = Some(correlation_id);
    let recovered = gate.recovered();
    let plan =
        ProposeReport { check, plan_id, correlation_id, state, run: None, run_id: None, recovered };
    Ok(PlanAnswer { plan, next, say, review_url: None, patch: None })
}

fn of_shown(shown: &Shown) -> PlanAnswer {
    let check = CheckReport::examined(&shown.examined);
    let (created, run_id) = (&shown.entry.created, shown.entry.run_id().cloned());
    let next = Next::after(Some(shown.state), run_id.is_some());
    let say = words(next, Some(created.plan_id.as_str()), why(&check).as_deref());
    let plan = ProposeReport {
        check,
        plan_id: Some(created.plan_id.clone()),
        correlation_id: Some(created.correlation_id.clone()),
        state: Some(shown.state),
        run: None,
        run_id,
        recovered: Vec::new(),
    };
    PlanAnswer { plan, next, say, review_url: None, patch: None }
}

/// What refuses a plan, in a line.
fn why(check: &CheckReport) -> Option<String> {
    let errors = check.issues.iter().filter(|issue| issue.is_error());
    let lines: Vec<String> = errors
        .take(5)
        .map(|issue| {
            let help = if issue.help.is_empty() { "" } else { "; " };
            format!("{}: {}{help}{}", issue.code.as_str(), issue.message, issue.help)
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What to do next, in words that an agent follows.
fn words(next: Next, plan: Option<&str>, why: Option<&str>) -> String {
    let plan = plan.unwrap_or_default();
    match next {
        Next::PlanWait => format!(
            "plan {plan} waits for a person; call plan_wait, or ask the user to run `exacta review \
             {plan}`; nothing has changed yet"
        ),
        Next::PlanRun => format!("plan {plan} may run; call plan_run to start it"),
        Next::Done => format!("plan {plan} has run; plan_status has the outcome"),
        Next::Propose => match why {
            Some(why) => format!("nothing will run; change this and propose again:\n{why}"),
            None => "nothing will run; plan_explain says why; propose again".into(),
        },
    }
}

/// An error as an agent reads it.
#[expect(clippy::needless_pass_by_value, reason = "it is the end of the error")]
#[expect(clippy::unnecessary_box_returns, reason = "results carry it, and it is large")]
pub(crate) fn refusal(error: CliError) -> Refusal {
    Box::new(error.report(None))
}
