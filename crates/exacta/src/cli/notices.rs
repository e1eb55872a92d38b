//! Telling the operator what the server noticed: a plan waits, a schedule fails.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use exacta_core::life::lifecycle::State;
use exacta_core::model::id::PlanId;
use exacta_server::{AppState, Served};
use exacta_tools::notice::{Courier, Notice};
use exacta_tools::schedule::Schedule;
use serde_json::json;

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(500);

/// Tells of plans that begin to wait, until the server stops.
pub(super) fn watch(state: &AppState) {
    let mut known: Vec<Option<BTreeSet<PlanId>>> = vec![None; state.projects.len()];
    let mut seen: Vec<u64> = vec![0; state.projects.len()];
    while !state.stopping.is_cancelled() {
        for ((served, known), seen) in state.projects.iter().zip(&mut known).zip(&mut seen) {
            let news = *served.news().borrow();
            if known.is_some() && news == *seen {
                continue;
            }
            *seen = news;
            look(served, known);
        }
        std::thread::sleep(LOOK);
    }
}

fn look(served: &Arc<Served>, known: &mut Option<BTreeSet<PlanId>>) {
    let listed = served.ask_here(|gate| {
        gate.refresh()?;
        gate.list()
    });
    let Ok(list) = listed else { return };
    let waiting: BTreeSet<PlanId> = list
        .0
        .iter()
        .filter(|plan| plan.state == State::Pending)
        .map(|plan| plan.plan_id.clone())
        .collect();
    // What waited when the server began was told by whoever renewed it.
    if let Some(known) = known.as_ref() {
        for plan_id in waiting.difference(known) {
            plan_waits(served, plan_id);
        }
    }
    *known = Some(waiting);
}

fn plan_waits(served: &Arc<Served>, plan_id: &PlanId) {
    let plan = plan_id.clone();
    let Ok(status) = served.ask_here(move |gate| gate.status(&plan)) else { return };
    let left = status.expires_in_sec;
    let risk = status.risk.map_or_else(|| "unknown".into(), |risk| risk.to_string());
    let minutes = left.map(|left| left.div_ceil(60));
    let until = minutes.map(|left| format!(", {left} min left")).unwrap_or_default();
    tell(
        served,
        &Notice {
            key: format!("waits-{plan_id}"),
            text: format!(
                "A plan waits for you in {}: risk {risk}{until}. Plan {plan_id}",
                served.name
            ),
            fields: json!({
                "event": "plan_waiting", "plan_id": plan_id, "project": served.name,
                "risk": status.risk, "expires_in_sec": left, "created_at": status.created_at,
            }),
        },
    );
}

/// Tells that a schedule fails again and again.
pub(super) fn schedule_fails(served: &Arc<Served>, schedule: &Schedule, why: &str) {
    let id: String = schedule.key.chars().take(6).collect();
    tell(
        served,
        &Notice {
            key: format!("schedule-{}-{}", schedule.key, exacta_tools::schedule::now_ms()),
            text: format!(
                "A schedule of {} failed three times in a row: {id}. `exacta recipe schedule list` \
                 says why.",
                served.name
            ),
            fields: json!({
                "event": "schedule_failing", "schedule": schedule.key, "project": served.name,
                "failures": 3,
            }),
        },
    );
    desktop(&format!("A schedule of {} failed three times in a row: {why}", served.name));
}

/// Shows a notification where there is a desktop.
fn desktop(text: &str) {
    let shown = ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if shown {
        let text: String = text.chars().filter(|c| !c.is_control()).take(300).collect();
        // A desktop without a notifier is no reason to fail.
        let _ = std::process::Command::new("notify-send")
            .args(["--app-name=Exacta", "--", "Exacta", &text])
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn();
    }
}

fn tell(served: &Served, notice: &Notice) {
    let Ok(policy) = (served.policy)() else { return };
    let Ok(courier) = Courier::new(policy, crate::tools::memory(Path::new(&served.path))) else {
        return;
    };
    if !courier.has_ways() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Whoever cannot be reached finds the plan in the inbox.
    if let Ok(runtime) = runtime {
        let _ = runtime.block_on(courier.tell(notice));
    }
}
