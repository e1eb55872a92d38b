//! What a coding agent calls before it uses a tool.
//!
//! In: the host's payload. Out: its refusal in the host's own form, or silence. `host` knows
//! who asks and how to refuse, `call` what is wanted, `own` our own tools, `edits` and `patch` what becomes of files,
//! `shell` which commands only read, `allowed` what the operator lets through, `decide` puts the
//! question to the gate. An edit never reaches the host's own tool: Exacta makes it or nobody
//! does. Every failure of ours refuses. Hooks are a rail, not a wall: see
//! `docs/guides/agents.md`.

pub(crate) mod allowed;
mod call;
mod decide;
mod edits;
mod gather;
mod host;
mod own;
mod patch;
mod shell;

use serde_json::Value;

pub(crate) use decide::Verdict;
pub(crate) use host::{Host, Reply};

/// The largest payload that is read.
pub(crate) const MOST: usize = 32 << 20;

/// Answers a payload. `named` is the host that the wiring names; what the payload shows counts
/// more.
pub(crate) fn answer(named: Host, payload: &[u8], proposer: Option<&str>) -> Reply {
    let payload: Value = match serde_json::from_slice(payload) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        Ok(_) => return named.refuse("PreToolUse", "the payload is not a JSON object"),
        Err(error) => {
            return named.refuse("PreToolUse", &format!("the payload is not JSON: {error}"));
        }
    };
    let host = Host::of(&payload).unwrap_or(named);
    let call = match call::read(host, &payload) {
        Ok(call) => call,
        Err(why) => return host.refuse(host.event(&payload), &why),
    };
    match decide::decide(&call, proposer) {
        Verdict::Silent => Reply::silent(),
        Verdict::Refused(why) => host.refuse(&call.event, &why),
    }
}
