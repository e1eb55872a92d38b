//! The ledger as lines, and what cannot be read.

use super::*;
use alloc::string::ToString as _;

/// Lines of the version that [`Ledger::to_lines`] writes, with every member that an
/// entry can have. When they cannot be read or written like this any more, snapshots
/// of the record need another version: old ones must not be taken for new ones.
const LINES: &str = concat!(
    r#"{"head":{"project":"p","key":"k","entries":9,"newest":{"boot":"b","boottime_ms":5,"wall_ms":6},"#,
    r#""spent":[],"unfinished":["r2"]},"plans":1,"runs":2,"keys":1}"#,
    "\n",
    r#""p1"{"created":{"binding":"DIGEST","correlation_id":"c","deadline":{"boot":"b","boottime_ms":1,"wall_ms":2},"#,
    r#""derived_from":"p0","goal":"g","parent":"p0","plan_hash":"DIGEST","plan_id":"p1","proposer":"a","#,
    r#""record":"DIGEST","session":"s","undoes":"r0"},"by":{"kind":"person","name":"n"},"created_time":"t","created_at":{"boot":"b","boottime_ms":1,"wall_ms":2},"#,
    r#""phase":{"approved":{"grant":{"approval":{"act":"a","approver":{"kind":"person","name":"n"},"assurance":"hash","#,
    r#""binding":"DIGEST","deadline":{"boot":"b","boottime_ms":1,"wall_ms":2},"plan_id":"p1","plan_hash":"DIGEST","#,
    r#""steps":["step_1"],"signature":"x"},"time":"t","unasked":false},"run_id":"r1"}},"version":4,"risk":3,"quality":900,"#,
    r#""decision":"wait","reasons":["why"]}"#,
    "\n",
    r#""r1"{"run_id":"r1","plan_id":"p1","kind":{"kind":"plan"},"version":2,"stage":"completed","manifest":"DIGEST","#,
    r#""status":"COMPLETED","results":"DIGEST","undone_by":"r2","forgotten":true,"time":"t","provider":{"id":"i","model":"m","source":"claimed"},"#,
    r#""steps":{"step_1":{"attempts":1,"idempotency_key":"k","decided":["DIGEST",true],"end":"ok","output":"DIGEST","unknown":true}}}"#,
    "\n",
    r#""r2"{"run_id":"r2","plan_id":"p1","kind":{"kind":"undo","of":"r1"},"version":1,"stage":"decided","forgotten":false,"time":"t"}"#,
    "\n",
    r#""key \"1\""{"event":"plan_created","made":"p1"}"#,
    "\n",
);

fn lines() -> String {
    LINES.replace("DIGEST", &Digest::of(b"").to_string())
}

fn read(text: &str) -> Option<Ledger> {
    Ledger::from_lines(text.into(), 0..text.len())
}

#[test]
fn lines_of_this_version_are_read_and_written() {
    let mut ledger = read(&lines()).unwrap();
    // Changing something to what it is makes it written anew, from what was read.
    assert!(ledger.plans.get_mut("p1").is_some());
    assert!(ledger.runs.get_mut("r1").is_some() && ledger.runs.get_mut("r2").is_some());
    assert!(ledger.keys.get_mut("key \"1\"").is_some());
    assert_eq!(String::from_utf8(ledger.to_lines().unwrap()).unwrap(), lines());
    assert_eq!(ledger.unfinished().count(), 1);
    assert_eq!(ledger.done_under("key \"1\"").unwrap().made, "p1");
    assert_eq!(ledger.version(&Stream::Plan(PlanId::parse("p1").unwrap())), 4);
}

#[test]
fn what_cannot_be_read_lets_nothing_happen() {
    let bad_key = lines().replace("\"event\"", "\"evemt\"");
    assert!(read(&bad_key).is_none(), "a command could be carried out twice");
    let bad_plan = read(&lines().replace("\"created_time\"", "\"created_tine\"")).unwrap();
    assert!(bad_plan.plan("p1").is_none());
    assert_eq!(bad_plan.records(), None, "its objects could be thrown away");
    assert_eq!(read(&lines()).unwrap().records().unwrap().len(), 3);
}

#[test]
fn lines_that_are_cut_or_too_many_are_no_ledger() {
    let text = lines();
    for end in 0..text.len() {
        assert!(text.get(..end).is_none_or(|cut| read(cut).is_none()), "{end}");
    }
    assert!(read(&(text + "\n")).is_none());
}
