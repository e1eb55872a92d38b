//! `exacta hook`: what a coding agent calls before it uses a tool.

use std::io::{Read as _, Write as _};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{panic, thread};

use crate::exit::Exit;
use crate::hook::{self, Host, Reply};

/// Answer a coding agent that is about to use a tool.
///
/// Reads the agent's payload on standard input. An edit becomes a plan of exactly that change:
/// where the decision lets it run alone, Exacta makes the change and tells the agent so;
/// otherwise the plan waits for you. Commands that only read pass. Everything else, and every
/// failure, is refused. `exacta connect` writes the entry that calls this.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta hook claude-code < payload.json
  exacta hook codex --as codex < payload.json

Exit codes: 0 nothing to object to, 2 refused, with the reason on standard error. Cline reads the
refusal from standard output instead, with exit code 0.")]
pub(crate) struct Args {
    /// The agent that is wired to this; what the payload shows counts more.
    #[arg(value_name = "AGENT", value_enum)]
    agent: Host,

    /// Who proposes, as registered under `[proposers]` in policy.
    #[arg(long = "as", value_name = "NAME")]
    proposer: Option<String>,
}

/// The longest that an answer takes. Most hosts let the tool run when a hook takes longer than
/// they wait, and `exacta connect` has them wait 20 s.
const LONGEST: Duration = Duration::from_secs(15);
/// What reads a change may be nested deeply.
const STACK: usize = 16 << 20;

pub(super) fn run(args: &Args) -> Exit {
    // A bug of ours must not let anything through.
    panic::set_hook(Box::new(|_| {}));
    let (agent, proposer) = (args.agent, args.proposer.clone());
    // Who asks, and at which event, as soon as that was read: a refusal has their form.
    let asked: Arc<OnceLock<(Host, String)>> = Arc::default();
    let read = Arc::clone(&asked);
    let answer = move || answer(agent, proposer.as_deref(), &read);
    let reply = within(LONGEST, answer).unwrap_or_else(|why| {
        let (host, event) = asked.get().cloned().unwrap_or((agent, "PreToolUse".into()));
        host.refuse(&event, why)
    });
    give(&reply)
}

fn answer(agent: Host, proposer: Option<&str>, asked: &OnceLock<(Host, String)>) -> Reply {
    let mut payload = Vec::new();
    let most = u64::try_from(hook::MOST).unwrap_or(u64::MAX);
    match std::io::stdin().take(most + 1).read_to_end(&mut payload) {
        Ok(length) if length <= hook::MOST => hook::answer(agent, &payload, proposer, asked),
        Ok(_) => agent.refuse("PreToolUse", "the payload is too large"),
        Err(error) => agent.refuse("PreToolUse", &format!("the payload cannot be read: {error}")),
    }
}

/// Has something done that must not take longer; else says why it is not done. What was begun
/// ends with this process, as if it had been killed: the next command recovers it.
fn within<T: Send + 'static>(
    longest: Duration,
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<T, &'static str> {
    const FAILED: &str = "Exacta failed, so nothing passes; `exacta doctor` looks";
    let (sender, receiver) = channel();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        let done = panic::catch_unwind(panic::AssertUnwindSafe(act));
        let _ = sender.send(done.map_err(|_| FAILED));
    });
    if worker.is_err() {
        return Err(FAILED);
    }
    receiver.recv_timeout(longest).unwrap_or(Err(
        "Exacta is not done in the time that a host waits, so nothing passes; plan_status or \
         `exacta list` says what became of the change",
    ))
}

/// Says it; what cannot be said is refused by the exit code alone.
fn give(reply: &Reply) -> Exit {
    let said = std::io::stderr().write_all(reply.stderr.as_bytes());
    let mut stdout = std::io::stdout();
    let told = stdout.write_all(reply.stdout.as_bytes()).and_then(|()| stdout.flush());
    if reply.exit == 0 && said.is_ok() && told.is_ok() { Exit::Done } else { Exit::Usage }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_or_fails_is_answered_all_the_same() {
        assert_eq!(within(Duration::from_secs(5), || 1), Ok(1));
        let late = within(Duration::from_millis(20), || thread::sleep(Duration::from_secs(5)));
        assert!(late.is_err_and(|why| why.contains("in the time that a host waits")));
        let failed = within(Duration::from_secs(5), || -> () { panic!("a bug") });
        assert!(failed.is_err_and(|why| why.contains("nothing passes")));
    }
}
