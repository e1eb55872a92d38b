//! What a coding agent calls before it uses a tool.
//!
//! In: the host's payload. Out: its refusal in the host's own form, or silence. `host` knows
//! who asks and how to refuse, `call` what is wanted, `own` our own tools, `edits` and `patch` what becomes of files,
//! `shell` which commands only read, `private` what nobody may read, `allowed` what the operator lets through, `decide` puts the
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
mod private;
mod shell;

use std::sync::OnceLock;

use exacta_core::read::parse::json::{self, JsonRule};
use serde_json::Value;

pub(crate) use decide::Verdict;
pub(crate) use host::{Host, Reply};

/// The largest payload that is read.
pub(crate) const MOST: usize = 32 << 20;

/// Answers a payload. `named` is the host that the wiring names; what the payload shows counts
/// more. `asked` is told who asks, and at which event.
pub(crate) fn answer(
    named: Host,
    payload: &[u8],
    proposer: Option<&str>,
    asked: &OnceLock<(Host, String)>,
) -> Reply {
    let payload = match strict(payload) {
        Ok(payload) if payload.is_object() => payload,
        Ok(_) => return named.refuse("PreToolUse", "the payload is not a JSON object"),
        Err(why) => {
            return named.refuse("PreToolUse", &format!("the payload is not JSON: {why}"));
        }
    };
    let host = Host::of(&payload).unwrap_or(named);
    let _ = asked.set((host, host.event(&payload).to_owned()));
    let call = match call::read(host, &payload) {
        Ok(call) => call,
        Err(why) => return host.refuse(host.event(&payload), &why),
    };
    match decide::decide(&call, proposer) {
        Verdict::Silent => Reply::silent(),
        Verdict::Refused(why) => host.refuse(&call.event, &why),
    }
}

/// Reads JSON that means one thing: which of two equal keys a host goes by is not known here.
fn strict(text: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    json::read(text).map_err(|fault| {
        let why = match fault.rule {
            JsonRule::DuplicateKey(key) => format!("the key `{}` stands twice", key.escape_debug()),
            JsonRule::Syntax(why) => why,
            JsonRule::NumberRange | JsonRule::NumberRounded => {
                "a number is not the same to every reader".into()
            }
            JsonRule::KeySize(_) => "a key is too long".into(),
            JsonRule::Depth => "it is nested too deeply".into(),
            JsonRule::Values => "it holds too many values".into(),
        };
        format!("line {}, column {}: {why}", fault.place.line, fault.place.column)
    })?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
