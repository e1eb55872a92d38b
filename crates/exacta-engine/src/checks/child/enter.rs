//! The innermost act: gives up every right, then becomes the command.
//!
//! A second wall stands behind the name spaces: Landlock lets the command write only
//! into its view and its scratch folders. An older kernel enforces the part it knows; one
//! that enforces nothing runs no command. A third one is a filter of system calls.
//! Landlock says nothing of TCP: it knows ports, not addresses, and the network around the
//! command is its own.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    PathFdError, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
    Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::UnshareFlags;

use super::{calls, identity};
use crate::checks::wire::Terms;

/// What a shell says when a program cannot be started.
const NOT_STARTED: u8 = 127;
/// What we say when a wall fell; the engine only knows that the check failed.
const NO_WALL: u8 = 126;
/// The newest rules we know.
const RULES: ABI = ABI::V6;

pub(super) fn enter(terms: &OsStr, command: &[OsString]) -> u8 {
    let terms: Option<Terms> = terms.to_str().and_then(|text| serde_json::from_str(text).ok());
    let Some(terms) = terms else { return NO_WALL };
    let Some((program, arguments)) = command.split_first() else { return NOT_STARTED };
    if terms.terminal
        && let Err(reason) = own_terminal()
    {
        complain(&reason);
        return NO_WALL;
    }
    if let Err(reason) = give_up(&terms) {
        complain(&reason);
        return NO_WALL;
    }
    // Not root in here, so the exec takes every capability away.
    let error = Command::new(program).args(arguments).exec();
    complain(&format!("`{}` cannot be started: {error}", program.to_string_lossy()));
    NOT_STARTED
}

/// Makes the terminal on our input ours, so that its keys reach the command as signals.
fn own_terminal() -> Result<(), String> {
    rustix::process::setsid().map_err(|error| error.to_string())?;
    rustix::process::ioctl_tiocsctty(std::io::stdin()).map_err(|error| error.to_string())
}

/// Standard error is the check's own output here.
#[expect(clippy::print_stderr, reason = "it becomes part of the output that is shown")]
fn complain(reason: &str) {
    eprintln!("{reason}");
}

fn give_up(terms: &Terms) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(|error| error.to_string())?;
    identity::leave(UnshareFlags::NEWUSER).map_err(say)?;
    identity::become_user((terms.user, terms.group), (0, 0)).map_err(say)?;
    rustix::thread::set_no_new_privs(true).map_err(|error| error.to_string())?;
    second_wall(&terms.writes)?;
    calls::restrict(terms.network)
}

fn second_wall(writes: &[PathBuf]) -> Result<(), String> {
    let refused = |error: RulesetError| error.to_string();
    let rule = |path: &Path, access: BitFlags<AccessFs>| {
        let handle = PathFd::new(path).map_err(|error: PathFdError| error.to_string())?;
        Ok::<_, String>(PathBeneath::new(handle, access))
    };
    let everything = AccessFs::from_all(RULES);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)
        .and_then(|rules| rules.scope(Scope::from_all(RULES)))
        .and_then(Ruleset::create)
        .map_err(refused)?
        .add_rule(rule("/".as_ref(), AccessFs::from_read(RULES))?)
        .map_err(refused)?;
    for path in writes {
        rules = rules.add_rule(rule(path, everything)?).map_err(refused)?;
    }
    match rules.restrict_self().map_err(refused)?.ruleset {
        RulesetStatus::NotEnforced => Err("this kernel does not enforce Landlock".to_owned()),
        _ => Ok(()),
    }
}
