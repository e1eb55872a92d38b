//! The whole table: every phase, every verb, in time and too late.

use alloc::vec::Vec;

use super::super::clock::Overdue;
use super::super::state::Grant;
use super::*;
use crate::model::digest::Digest;
use crate::model::id::RunId;
use crate::record::{Actor, Assurance};

fn now() -> Moment {
    Moment { boot: "b".into(), boottime_ms: 100, wall_ms: 1000 }
}

fn id(text: &str) -> PlanId {
    PlanId::parse(text).unwrap()
}

fn approval() -> Approval {
    Approval {
        passkey: None,
        act: "approve:1".into(),
        approver: Actor::system(),
        assurance: Assurance::Terminal,
        binding: Digest::of(b""),
        deadline: Deadline::after(&now(), 10),
        hunks: Vec::new(),
        plan_id: id("p"),
        plan_hash: Digest::of(b""),
        steps: None,
        signature: String::new(),
    }
}

fn approved(unasked: bool, run: Option<&str>) -> Phase {
    let grant = Grant { approval: approval(), time: String::new(), unasked };
    Phase::Approved { grant, run_id: run.map(|run| RunId::parse(run).unwrap()) }
}

fn acts() -> Vec<Act> {
    let started =
        Event::RunBegun { plan_id: id("p"), provider: None, run_id: RunId::parse("run").unwrap() };
    vec![
        Act::AutoApprove { approval: Box::new(approval()), spend: Spend::default() },
        Act::Approve { approval: Box::new(approval()) },
        Act::Select { derived: id("d"), request: None },
        Act::Reject { reason: "r".into() },
        Act::RequestChanges { request: "q".into() },
        Act::Pause,
        Act::Expire { cause: Cause::SessionEnded },
        Act::Renew { renewed: id("n") },
        Act::Start { started: Box::new(started) },
    ]
}

fn word_of(event: &Event) -> &'static str {
    match event {
        Event::PlanApproved { spend: Some(_), .. } => "auto_approved",
        Event::PlanApproved { spend: None, .. } => "user_approved",
        Event::PlanExpired { cause, .. } => cause.as_str(),
        other => other.name(),
    }
}

fn word(step: &Step) -> String {
    match step {
        Step::Append(events) => match events.as_slice() {
            [] => "-".into(),
            [one] => word_of(one).into(),
            more => format!("{} events", more.len()),
        },
        Step::Expired { cause, event } => {
            assert_eq!(word_of(event), cause.as_str());
            format!("{}!expired", cause.as_str())
        }
        Step::Refused(refusal) => match refusal {
            Refusal::NotApproved => "!not_approved".into(),
            Refusal::Rejected { .. } => "!rejected".into(),
            Refusal::Expired { .. } => "!over".into(),
            Refusal::AlreadyApproved => "!already_approved".into(),
            Refusal::Used { .. } => "!used".into(),
        },
    }
}

/// Every phase × every act × in time, too late, session over.
#[test]
fn the_whole_table() {
    const APPROVED: [&str; 9] = [
        "!already_approved",
        "!already_approved",
        "!already_approved",
        "!already_approved",
        "changes_requested",
        "!already_approved",
        "session_ended!expired",
        "renewed",
        "run_begun",
    ];
    const SPENT: [&str; 9] =
        ["!used", "!used", "!used", "!used", "!used", "!used", "!used", "-", "!used"];
    let pending = [
        "auto_approved",
        "user_approved",
        "steps_selected",
        "plan_rejected",
        "changes_requested",
        "plan_paused",
        "session_ended!expired",
        "renewed",
        "!not_approved",
    ];
    let rejected =
        Phase::Rejected { actor: Actor::system(), reason: "no".into(), time: String::new() };
    let expired = Phase::Expired { cause: Cause::SessionEnded, grant: None, time: String::new() };
    let over = ["!over", "!over", "!over", "!over", "!over", "!over", "!over", "-", "!over"];
    let rows = [
        (Phase::Pending { paused: false }, pending),
        (Phase::Pending { paused: true }, pending),
        (approved(true, None), APPROVED),
        (approved(false, None), APPROVED),
        (approved(true, Some("run")), SPENT),
        (approved(false, Some("run")), SPENT),
        (rejected, ["!rejected"; 9]),
        (expired, over),
    ];
    let deadline = Deadline::after(&now(), 10);
    let plan_id = id("p");
    let late = Moment { wall_ms: 1010, ..now() };
    let mut cells = 0;
    for (phase, expected) in &rows {
        let alive = live(phase).is_ok();
        for (act, expected) in acts().into_iter().zip(expected) {
            let held = Life { plan_id: &plan_id, phase, deadline: &deadline, session_held: true };
            let ended = Life { session_held: false, ..held };
            let (now, newest) = (&now(), None);
            assert_eq!(word(&advance(held, act.clone(), Clocks { now, newest })), *expected);
            cells += 1;
            let overdue = [(held, &late, "deadline"), (ended, now, "session_ended")];
            for (life, now, cause) in overdue {
                let clocks = Clocks { now, newest };
                let step = advance(life, act.clone(), clocks);
                let expected = match (alive, &act) {
                    (false, _) => (*expected).into(),
                    (true, Act::Renew { .. }) => cause.into(),
                    (true, _) => format!("{cause}!expired"),
                };
                assert_eq!(word(&step), expected, "{phase:?} {act:?} {cause}");
                // Whoever asks first is told the same.
                if let Some(verb) = act.verb() {
                    let permitted = permits(life, verb, clocks);
                    match step {
                        Step::Append(_) => assert_eq!(permitted, Permission::Granted),
                        Step::Expired { cause, .. } => {
                            assert_eq!(permitted, Permission::Over(cause));
                        }
                        Step::Refused(refusal) => {
                            assert_eq!(permitted, Permission::Refused(refusal));
                        }
                    }
                }
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 8 * 9 * 3);
}

#[test]
fn a_clock_that_was_turned_back_expires_the_plan() {
    let newest = Moment { boottime_ms: 101, ..now() };
    let (phase, deadline) = (approved(false, None), Deadline::after(&now(), 10));
    let life = Life { plan_id: &id("p"), phase: &phase, deadline: &deadline, session_held: true };
    let clocks = Clocks { now: &now(), newest: Some(&newest) };
    let cause = Cause::Deadline { overdue: Overdue::ClockTurnedBack };
    assert_eq!(permits(life, Verb::Start, clocks), Permission::Over(cause));
}
