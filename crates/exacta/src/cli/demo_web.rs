//! `exacta demo --web`: the review room on the sample project, with a plan in every state.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use exacta_core::judge::policy::Decide;
use exacta_core::record::Beginning;
use exacta_engine::gate::{
    Approve, Decided, Gate, GateError, Pause, PlanStatus, Propose, Proposed, Renew, RequestChanges,
    Selection, SourceKind,
};
use exacta_engine::machine::ThisMachine;
use exacta_engine::proof::{ControllingTerminal, Proof};
use exacta_server::{Listening, Served, Serving};

use super::demo::{Demo, Sampled, caller, sampled};
use super::{confirm, serve};
use crate::cli::CliError;
use crate::render::Printer;

/// Handed in and not run: the table approved it.
const UNUSED: &str = include_str!("../../../../examples/demo/unused.json");
/// A person said yes, and it has not run yet.
const APPROVED: &str = include_str!("../../../../examples/demo/approved.json");
/// Put off until later.
const POSTPONED: &str = include_str!("../../../../examples/demo/postponed.json");
/// Sent back with a wish.
const SENT_BACK: &str = include_str!("../../../../examples/demo/sent-back.json");

/// Serves the sample project until Ctrl-C.
pub(super) fn open(folder: &Path, state: &Path, printer: &mut Printer) -> Result<(), CliError> {
    let proof = confirm::typed_yes(
        "Open the review room on a throw-away project\n  whoever has the link decides there, \
         and nowhere else",
    )?;
    let Some(terminal) = ControllingTerminal::open() else {
        return Err(CliError::Usage {
            message: "`demo --web` shows its sign-in link on a terminal, and there is none".into(),
            help: "run it at a terminal, or `exacta demo` without the room".into(),
        });
    };
    let Sampled { project, secrets, policy, outer } = sampled(folder, state, Decide::Terminal)?;
    let session = project.own_session()?;
    {
        let gate = project.gate()?;
        gate.begin(Beginning::Started)?;
        let mut mute = Printer::mute();
        Demo { gate: &gate, project: folder, proof: proof.clone() }.play(&mut mute)?;
        more(&gate, &proof)?;
    }
    let tokens = vec![outer.agent_token(&secrets.project, None)?];
    let (name, path) = ("sample".to_owned(), folder.display().to_string());
    let looks = exacta_server::page::Looks {
        words: Some(Arc::new(crate::inspector::words)),
        ..exacta_server::page::Looks::default()
    };
    let served = Served::new(secrets.project.clone(), (name, path), project, policy, tokens)
        .with_looks(looks);
    let listening = Listening::on(0, None).map_err(|error| serve::not_served(&error))?;
    let serving = Serving {
        projects: vec![served],
        outer,
        signer: secrets.signer,
        machine: Arc::new(ThisMachine),
        person: super::door::actor(None).name,
        patch: serve::patch,
        agents: None,
        planner: None,
    };
    let mut screen = terminal.file()?;
    let mut said = Ok(());
    exacta_server::serve(listening, serving, |room| {
        let url = room.address.origin();
        // Nowhere else: not on standard output, in no file, in no argument of a program.
        said = match room.sign_ins.mint(&proof, Instant::now()) {
            Some(link) => writeln!(
                screen,
                "open this link within two minutes; it is good once:\n  {url}/sign-in/{link}"
            ),
            None => writeln!(screen, "nothing was confirmed, so there is no link"),
        };
    })
    .map_err(|error| serve::not_served(&error))?;
    drop(session);
    said?;
    printer.note("the room is closed, and the sample project is gone");
    Ok(())
}

/// The states that the demo at the terminal does not end in.
fn more(gate: &Gate<'_>, proof: &Proof) -> Result<(), CliError> {
    // What was undone took away what the plan that waits was judged by.
    let waiting = gate.list()?.0.into_iter().filter(|plan| plan.status == PlanStatus::Pending);
    for plan_id in waiting.map(|plan| plan.plan_id) {
        gate.handle(&caller(), Renew { plan_id, plan_hash: None, proof: proof.clone() })?;
    }
    propose(gate, UNUSED)?;
    let Decided { plan_id, plan_hash, .. } = propose(gate, APPROVED)?;
    let (plan_hash, selection) = (Some(plan_hash), Selection::Whole);
    gate.handle(&caller(), Approve { plan_id, plan_hash, selection, proof: proof.clone() })?;
    let plan_id = propose(gate, POSTPONED)?.plan_id;
    gate.handle(&caller(), Pause { plan_id })?;
    let Decided { plan_id, plan_hash, .. } = propose(gate, SENT_BACK)?;
    let request = "greet in the reader's language, and say so in the help".to_owned();
    let (plan_hash, proof) = (Some(plan_hash), proof.clone());
    gate.handle(&caller(), RequestChanges { plan_id, plan_hash, request, proof })?;
    Ok(())
}

fn propose(gate: &Gate<'_>, text: &str) -> Result<Decided, CliError> {
    let command = Propose::new(SourceKind::Draft, text.as_bytes().to_vec());
    match gate.handle(&caller(), command)? {
        Proposed::Plan { plan, .. } | Proposed::Again(plan) => Ok(plan),
        Proposed::Refused { issues, .. } => Err(GateError::Invalid(issues).into()),
    }
}
