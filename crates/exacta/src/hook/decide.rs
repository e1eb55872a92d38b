//! The question to the gate, and what its reply means for the agent.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, thread};

use exacta_core::judge::decide::Kind;
use exacta_core::life::lifecycle::State;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::model::path::RelPath;
use exacta_core::results::TaskStatus;
use exacta_engine::capture::draft;
use exacta_engine::gate::{Caller, Check, Gate, GateError, Propose, Proposed, Run, SourceKind};
use exacta_engine::trust::FolderTrust;

use super::allowed;
use super::call::{Act, Call, Edit};
use super::edits::{self, Effects};
use super::gather::{self, Gathered};
use super::private::Private;
use super::shell;
use crate::cli::{CliError, Door, as_agent, start_apart};
use crate::render::Printer;
use crate::wire::CheckReport;

/// What the host is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Silent,
    /// No, and why.
    Refused(String),
}

/// Decides on a call. Whatever goes wrong is a no.
pub(super) fn decide(call: &Call, proposer: Option<&str>) -> Verdict {
    match &call.act {
        Act::Nothing => Verdict::Silent,
        Act::Look { paths, deep } => {
            let folder = call.folder.clone().unwrap_or_else(|| ".".into());
            let private = Private::of_this_user();
            let leads = |path: &String| {
                private.holds(path.strip_prefix("file://").unwrap_or(path), &folder, *deep)
            };
            if paths.iter().any(leads) { Verdict::Refused(OWN.into()) } else { Verdict::Silent }
        }
        Act::Unknown => named_tool(&call.tool, || {
            format!(
                "`{}` is not a tool that Exacta knows, so it does not run here; change files with \
                 the edit tool, or propose a plan with plan_propose. The user can let it through \
                 under `[hooks]` in agents.toml",
                call.tool
            )
        }),
        Act::Shell { line, folder } => shell_call(call, line, folder),
        Act::Unclear(why) => Verdict::Refused(format!(
            "{why}, so this command does not run here; give a plain command alone, in the folder \
             of the project"
        )),
        Act::Mcp(tool) => named_tool(tool, || {
            format!(
                "what `{tool}` does is not known here, so it does not run; the user can let it \
                 through under `[hooks]` in agents.toml"
            )
        }),
        Act::Edit(_) if call.event.eq_ignore_ascii_case("PermissionRequest") => {
            Verdict::Refused("an edit becomes a plan before permission is asked for".into())
        }
        Act::Edit(edits) => match edit_call(call, edits, proposer) {
            Ok(said) => Verdict::Refused(said),
            Err(error) => {
                let report = error.report(None);
                let help = if report.help.is_empty() { "" } else { "; " };
                Verdict::Refused(format!(
                    "{}: {}{help}{}; no file was changed",
                    report.code.as_str(),
                    report.error,
                    report.help
                ))
            }
        },
    }
}

/// Why the gate's own folders are not read.
const OWN: &str = "that leads to folders of Exacta's own, which agents do not read: whoever has \
                   the key there could write what the gate believes";

fn shell_call(call: &Call, line: &str, folder: &Path) -> Verdict {
    let operator = match allowed::read() {
        Ok(agents) => agents.hooks.commands,
        Err(why) => return Verdict::Refused(why),
    };
    let private = Private::of_this_user();
    let own = |program: &str, word: &str| private.is_named(program, word, folder);
    match shell::passes(line, &operator, &own) {
        shell::Reads::Yes => return Verdict::Silent,
        shell::Reads::Own => return Verdict::Refused(OWN.into()),
        shell::Reads::No => {}
    }
    Verdict::Refused(format!(
        "a shell command can change anything, so this one does not run here. Commands that only \
         read pass (ls, cat, rg, git status …). Change files with the edit tool: each edit becomes \
         a plan. The user can let a command through under `[hooks]` in agents.toml, or start you \
         with `exacta agent {}`, where every command runs on a private copy",
        call.host.name()
    ))
}

/// A tool runs where the operator names it.
fn named_tool(tool: &str, why: impl FnOnce() -> String) -> Verdict {
    match allowed::read() {
        Ok(agents) if agents.hooks.tools.iter().any(|allowed| allowed == tool) => Verdict::Silent,
        Ok(_) => Verdict::Refused(why()),
        Err(why) => Verdict::Refused(why),
    }
}

/// Makes a plan of edits and runs it where it may; the answer is for the agent.
fn edit_call(call: &Call, edits: &[Edit], proposer: Option<&str>) -> Result<String, CliError> {
    if let Some(folder) = &call.folder {
        env::set_current_dir(folder)
            .map_err(|source| CliError::Enter { path: folder.clone(), source })?;
    }
    let folder = env::current_dir()?;
    let door = Door::open(&mut Printer::mute())?;
    if matches!(door.identity.standing, FolderTrust::New) {
        return Ok(format!(
            "the project `{}` has no record, so nothing can be changed through Exacta; the user \
             makes one with `exacta init`",
            door.root.id().path
        ));
    }
    door.look(|gate| {
        // A call that comes a second time is answered by what became of the first.
        // One that wants something else under the same name is another call.
        let wants: String = Digest::of(format!("{edits:?}").as_bytes()).to_string();
        let wants = wants.get(..16).unwrap_or_default();
        let key = call.id.as_ref().map(|id| format!("hook:{}:{id}:{wants}", call.session));
        if let Some(said) = key.as_deref().and_then(|key| before(gate, key)) {
            return said;
        }
        let name = proposer.unwrap_or_else(|| call.host.name());
        let actor = as_agent(name);
        let intent = gather::intent(call);
        let gathered = match &intent {
            Some(intent) => gather::waiting(gate, &actor, proposer, intent)?,
            None => None,
        };
        let alone = edits::effects(&door.root, &folder, edits, &BTreeMap::new());
        let (effects, replaces) = match gathered {
            Some(Gathered { plan_id, files }) if !runs_alone(gate, &alone, &files, proposer)? => {
                match edits::effects(&door.root, &folder, edits, &files) {
                    Ok(effects) => (effects, Some(plan_id)),
                    Err(why) => {
                        return Ok(format!(
                            "{why}. Earlier edits of yours wait as plan {plan_id}, and this one \
                             must fit them; call plan_wait first. No file was changed"
                        ));
                    }
                }
            }
            _ => match alone {
                Ok(effects) => (effects, None),
                Err(why) => return Ok(format!("{why}; no file was changed")),
            },
        };
        if effects.made.is_empty() {
            return Ok("the file already is as you want it; nothing is left to do".into());
        }
        let key = key.map_or_else(|| made_key(call, &effects), Ok)?;
        let goal = match &replaces {
            None => format!("{} of {}", call.tool, call.host.name()),
            Some(_) => format!("Edits of {} in one session", call.host.name()),
        };
        let command = Propose {
            proposer: proposer.map(Into::into),
            made_on: Some(effects.seen),
            correlation_id: intent,
            replaces,
            ..Propose::new(SourceKind::Draft, draft(Some(&goal), &effects.made))
        };
        let files = effects.made.len();
        let caller = Caller::new(actor).with_key(Some(key.clone()));
        match gate.handle(&caller, command) {
            Ok(reply) => became(&door, gate, reply, &caller, files),
            // The same call came twice at the same time, and the other was faster.
            Err(GateError::KeyTaken { .. } | GateError::Busy) => {
                gate.refresh()?;
                before(gate, &key).unwrap_or(Err(CliError::Gate(GateError::Busy)))
            }
            Err(error) => Err(error.into()),
        }
    })
}

/// Whether an edit need not wait with what waits already: it touches none of those files, and
/// the decision would let it run.
fn runs_alone(
    gate: &Gate<'_>,
    alone: &Result<Effects, String>,
    waiting: &BTreeMap<RelPath, Option<Vec<u8>>>,
    proposer: Option<&str>,
) -> Result<bool, CliError> {
    let Ok(effects) = alone else { return Ok(false) };
    if effects.made.is_empty() || effects.made.iter().any(|made| waiting.contains_key(&made.path)) {
        return Ok(false);
    }
    let check = Check {
        kind: SourceKind::Draft,
        text: draft(None, &effects.made),
        intent: None,
        constraints: Vec::new(),
        proposer: proposer.map(Into::into),
    };
    // What is refused is refused alone, too.
    Ok(gate.check(&check)?.decision != Kind::Wait)
}

/// What became of the call that had this key first.
fn before(gate: &Gate<'_>, key: &str) -> Option<Result<String, CliError>> {
    let plan_id = PlanId::parse(&gate.made_under(key)?).ok()?;
    Some(gate.status(&plan_id).map_err(Into::into).map(|status| {
        match (status.state, &status.run_id) {
            (_, Some(run)) => applied(run.as_str()),
            (State::Pending, None) => waits(&plan_id, 1),
            (State::AutoApproved | State::UserApproved, None) => {
                format!("plan {plan_id} may run; call plan_run")
            }
            (State::Rejected | State::Expired, None) => format!(
                "plan {plan_id} will not run: {}",
                status.ended_because.as_deref().unwrap_or("it was refused")
            ),
        }
    }))
}

/// Names a call that its host does not name: by what it wants and what is there.
fn made_key(call: &Call, effects: &Effects) -> Result<String, CliError> {
    let seen: Vec<_> = effects.seen.iter().map(|(path, digest)| (path.as_str(), digest)).collect();
    let text = draft(None, &effects.made);
    let all = (call.host.name(), &call.session, &seen, Digest::of(&text));
    Ok(format!("hook:{}", Digest::of(&serde_json::to_vec(&all)?)))
}

fn became(
    door: &Door,
    gate: &Gate<'_>,
    proposed: Proposed,
    caller: &Caller<'_>,
    files: usize,
) -> Result<String, CliError> {
    let (plan, why) = match proposed {
        Proposed::Refused { issues, examined, .. } => {
            let check = match &examined {
                Some(examined) => CheckReport::examined(examined),
                None => CheckReport::refused(issues),
            };
            return Ok(format!("the edit is refused: {}; no file was changed", errors(&check)));
        }
        Proposed::Again(plan) => (plan, String::new()),
        Proposed::Plan { plan, examined, .. } => (plan, errors(&CheckReport::examined(&examined))),
    };
    match plan.state {
        State::Pending => Ok(waits(&plan.plan_id, files)),
        State::AutoApproved | State::UserApproved
            if !door.policy().map_err(CliError::Policy)?.checks.is_empty() =>
        {
            by_itself(door, gate, &plan.plan_id)
        }
        State::AutoApproved | State::UserApproved => {
            let command = Run { plan_id: plan.plan_id.clone(), plan_hash: None };
            let ran = gate.handle(&caller.clone().with_key(None), command)?;
            if ran.state == exacta_core::life::ledger::RunState::Completed {
                return Ok(applied(ran.run_id.as_str()));
            }
            Ok(format!("plan {} did not run to its end; call plan_status", plan.plan_id))
        }
        State::Rejected | State::Expired => {
            Ok(format!("plan {} is refused: {why}; no file was changed", plan.plan_id))
        }
    }
}

/// Has a plan run in a process of its own: checks may take longer than a host waits. What is done
/// within a few seconds is told at once.
fn by_itself(door: &Door, gate: &Gate<'_>, plan: &PlanId) -> Result<String, CliError> {
    if !start_apart(door, plan, None)? {
        return Ok(format!("plan {plan} may run, but could not be started; call plan_run"));
    }
    let end = Instant::now() + SHORTLY;
    while Instant::now() < end {
        thread::sleep(BETWEEN_LOOKS);
        gate.refresh()?;
        let status = gate.status(plan)?;
        if status.run_status == Some(TaskStatus::Completed)
            && let Some(run) = &status.run_id
        {
            return Ok(applied(run.as_str()));
        }
        if status.run_status.is_some() || status.run_reason.is_some() {
            let why = status.run_reason.unwrap_or_default();
            return Ok(format!(
                "plan {plan} did not pass, and every file is as it was: {why}. Change the edit"
            ));
        }
    }
    Ok(format!(
        "plan {plan} is being checked before it takes effect; call plan_wait. This is not an \
         error. Do not repeat it"
    ))
}

/// How long a run in a process of its own is waited for.
const SHORTLY: Duration = Duration::from_secs(8);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

fn applied(run: &str) -> String {
    format!(
        "applied as run {run}; read the file again. This is not an error: Exacta made the change, \
         so your own call was not needed. Do not repeat it"
    )
}

fn waits(plan: &PlanId, files: usize) -> String {
    let gathered = if files > 1 {
        format!(". Your edits of {files} files are in it, so that the user is asked once")
    } else {
        String::new()
    };
    format!(
        "plan {plan} waits for a person; call plan_wait, or ask the user to run `exacta review \
         {plan}`{gathered}. Do not try another way; no file was changed"
    )
}

fn errors(check: &CheckReport) -> String {
    let errors = check.issues.iter().filter(|issue| issue.is_error()).take(5);
    let errors: Vec<String> = errors
        .map(|issue| format!("{}: {} {}", issue.code.as_str(), issue.message, issue.help))
        .collect();
    if errors.is_empty() { "the decision table rejects it".into() } else { errors.join("; ") }
}
