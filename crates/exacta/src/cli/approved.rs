//! `exacta verify --approved`: is what merging a revision would do what somebody approved.
//!
//! A status for a pull request: git is asked again what the merge would do, so that a further
//! push, or another base, is no longer what was approved.

use exacta_core::judge::examine::{Context, examine};
use exacta_core::life::lifecycle::State;
use exacta_core::model::change::net;
use exacta_core::read::parse::{self, Limits};
use exacta_core::text::shown::visible;
use exacta_engine::intake::{self, Ask};
use serde_json::json;

use super::door::{self, Door};
use super::{CliError, in_force};
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::render::Printer;

/// Looks for an approved plan that does exactly what merging `revision` would do.
pub(super) fn verify(
    revision: &str,
    as_json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let proposal = intake::merge(&door.root, &Ask::Branch(revision.into()), &door::room()?);
    let proposal = proposal.map_err(|error| CliError::NotProposed {
        exit: Exit::Refused,
        message: error.to_string(),
        help: error.help(),
    })?;
    let unreadable = |_| CliError::Usage {
        message: "git's patch of the merge cannot be read".into(),
        help: "`exacta propose --branch` shows what is wrong with it".into(),
    };
    let draft = parse::patch(&proposal.text, Limits::default()).map_err(unreadable)?;
    let policy = in_force::policy(&door.root)?.merged.policy;
    let root = door.root.as_ref();
    let examined = examine(draft, root, &Confined, &policy, &Context::default())?;
    let wanted = net(examined.changes());
    let found = door.look(|gate| {
        for plan in gate.plans().into_iter().rev() {
            let open = matches!(plan.state(), State::UserApproved | State::AutoApproved);
            if !open || plan.run_id().is_some() {
                continue;
            }
            let shown = gate.show(plan.id())?;
            // What shows to be out of date is not what was approved any more.
            let current = gate.out_of_date(plan.id())?.is_none() && shown.is_live();
            if current && net(shown.examined.changes()) == wanted {
                return Ok(Some((plan.id().clone(), plan.created.plan_hash)));
            }
        }
        Ok(None)
    })?;
    let name = visible(revision.as_bytes());
    if as_json {
        let (plan_id, plan_hash) = found.clone().unzip();
        printer.json(&json!({ "ok": found.is_some(), "revision": revision, "plan_id": plan_id,
            "plan_hash": plan_hash }))?;
    } else if let Some((plan_id, plan_hash)) = &found {
        printer.line(&format!("merging `{name}` does what plan {plan_id} was approved for"))?;
        printer.line(&format!("  hash {plan_hash}"))?;
    } else {
        printer.line(&format!(
            "nobody approved what merging `{name}` would do; `exacta propose --branch {name} \
             --no-run` hands it in"
        ))?;
    }
    Ok(if found.is_some() { Exit::Done } else { Exit::Unverified })
}
