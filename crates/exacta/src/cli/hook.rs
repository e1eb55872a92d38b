//! `exacta hook`: what a coding agent calls before it uses a tool.

use std::io::{Read as _, Write as _};
use std::panic;

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

pub(super) fn run(args: &Args) -> Exit {
    // A bug of ours must not let anything through.
    panic::set_hook(Box::new(|_| {}));
    let answered = panic::catch_unwind(|| {
        let mut payload = Vec::new();
        let most = u64::try_from(hook::MOST).unwrap_or(u64::MAX);
        match std::io::stdin().take(most + 1).read_to_end(&mut payload) {
            Ok(length) if length <= hook::MOST => {
                hook::answer(args.agent, &payload, args.proposer.as_deref())
            }
            Ok(_) => args.agent.refuse("PreToolUse", "the payload is too large"),
            Err(error) => {
                args.agent.refuse("PreToolUse", &format!("the payload cannot be read: {error}"))
            }
        }
    });
    let reply = answered.unwrap_or_else(|_| {
        args.agent.refuse("PreToolUse", "Exacta failed, so nothing passes; `exacta doctor` looks")
    });
    give(&reply)
}

/// Says it; what cannot be said is refused by the exit code alone.
fn give(reply: &Reply) -> Exit {
    let said = std::io::stderr().write_all(reply.stderr.as_bytes());
    let mut stdout = std::io::stdout();
    let told = stdout.write_all(reply.stdout.as_bytes()).and_then(|()| stdout.flush());
    if reply.exit == 0 && said.is_ok() && told.is_ok() { Exit::Done } else { Exit::Usage }
}
