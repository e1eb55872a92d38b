//! A recipe in the demo: forwarded mail is sorted, without a network.

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::RunState;
use exacta_core::model::plan::Recipe;
use exacta_core::read::recipe::{self, Extras, Overlay};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Approve, Gate, GateError, Propose, Proposed, Run, Selection, SourceKind, StepDecide,
};
use exacta_engine::proof::Proof;

use super::demo::caller;
use crate::cli::CliError;
use crate::paint::style;
use crate::render::Printer;

/// What lies in the inbox.
const MAIL: &str = "From: Ada <ada@shop.example>\r\nTo: you@corp.example\r\n\
    Subject: Invoice 1207 is overdue\r\nDate: Mon, 16 Nov 2026 09:00:00 +0000\r\n\
    Message-ID: <1@shop.example>\r\n\r\nPlease pay invoice 1207 by Friday.\r\n";
/// What the user wants.
const INTENT: &str = "sort my mail";
/// A run asks no more often than this.
const MOST_ASKED: usize = 8;

/// The policy of the demo: nobody's terminal is written to.
pub(super) fn quiet(mut policy: Policy) -> Policy {
    policy.tools.notify.terminal = false;
    policy
}

/// Plays it: a plan from an intent, a person's yes, a step that asks when its turn comes.
pub(super) fn play(gate: &Gate<'_>, proof: &Proof, printer: &mut Printer) -> Result<(), CliError> {
    let (strong, quiet) = (style::STRONG, style::QUIET);
    printer.line(&format!(
        "{strong}A recipe{strong:#}: InboxTriage sorts a forwarded mail; its second step writes a \
         draft, so you are asked"
    ))?;
    let extras = Extras { inbox: Some(MAIL.into()), ..Extras::default() };
    let draft = recipe::draft(Recipe::InboxTriage, INTENT, &extras, &Overlay::default());
    let draft = draft.map_err(|fault| CliError::Usage {
        message: fault.to_string(),
        help: "this is a fault of the demo".into(),
    })?;
    let propose = Propose {
        intent: Some(INTENT.into()),
        ..Propose::new(SourceKind::Draft, draft.into_bytes())
    };
    let plan = match gate.handle(&caller(), propose)? {
        Proposed::Plan { plan, .. } | Proposed::Again(plan) => plan,
        Proposed::Refused { issues, .. } => return Err(GateError::Invalid(issues).into()),
    };
    let (plan_id, plan_hash) = (plan.plan_id.clone(), Some(plan.plan_hash));
    let (selection, shown) = (Selection::Whole, proof.clone());
    gate.handle(&caller(), Approve { plan_id, plan_hash, selection, proof: shown })?;
    let run = Run { plan_id: plan.plan_id, plan_hash };
    let mut ran = gate.handle(&caller(), run.clone())?;
    for _ in 0..MOST_ASKED {
        let Some(ask) = ran.asks.first().filter(|_| ran.state == RunState::Waiting) else { break };
        printer.line(&format!(
            "  {quiet}asks{quiet:#} {} {}: {}",
            visible(ask.step_id.as_bytes()),
            visible(ask.tool.as_bytes()),
            visible(ask.why.as_bytes())
        ))?;
        let yes = StepDecide {
            run_id: ran.run_id.clone(),
            step_id: ask.step_id.clone(),
            arguments: ask.arguments,
            approve: true,
            reason: None,
            plan_hash,
            proof: proof.clone(),
        };
        gate.handle(&caller(), yes)?;
        ran = gate.handle(&caller(), run.clone())?;
    }
    let rows = serde_json::to_value(&ran.results)?;
    for row in rows.as_array().into_iter().flatten() {
        let (Some(step), Some(tool)) = (
            row.get("step_id").and_then(|id| id.as_str()),
            row.get("tool").and_then(|t| t.as_str()),
        ) else {
            continue;
        };
        let done = if row.get("ok") == Some(&true.into()) { "done" } else { "not done" };
        printer.line(&format!(
            "  {} {}: {done}",
            visible(step.as_bytes()),
            visible(tool.as_bytes())
        ))?;
        let said = row.get("output").and_then(|output| output.get("message")?.as_str());
        for line in said.into_iter().flat_map(str::lines) {
            printer.line(&format!("    {}", visible(line.as_bytes())))?;
        }
    }
    printer.line(&format!("  the run is {}\n", ran.state.as_str()))?;
    Ok(())
}
