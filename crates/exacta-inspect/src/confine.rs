//! Giving up the rights that reading bytes does not need.
//!
//! Three walls: Landlock denies every file and every TCP port; no file descriptor can be
//! opened any more, which denies sockets of every kind; limits on memory, processes,
//! file sizes and core dumps bound what a parser gone wrong can take. Call it before the
//! first hostile byte is read, in a process with one thread.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most memory that the child may map.
const MEMORY: u64 = 2 << 30;
/// Processor seconds for any request: a very last stop, many times what anything takes
/// that is bounded by counts, so that no machine's speed decides what is found.
const SECONDS: u64 = 60;
/// One more for so many bytes, ten times what ordinary sources need.
const BYTES_A_SECOND: u64 = 256 << 10;

/// The most bytes that a request may have.
const MOST: u64 = 1 << 30;

/// The room for a parser that goes down one call for each word of a broken text: about a
/// hundred bytes for each byte of the largest file that is read.
const STACK: u64 = 256 << 20;

/// How far the walls stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confined {
    /// Whether the kernel enforces everything that was asked of Landlock, and not only
    /// the part that an older one knows.
    pub complete: bool,
}

/// The process could not be confined.
#[derive(Debug, thiserror::Error)]
pub enum NotConfined {
    /// The kernel has no Landlock, or refused it.
    #[error("this kernel cannot confine the inspector: {0}")]
    Landlock(String),
    /// A limit was refused.
    #[error("the limit on {0} was refused: {1}")]
    Limit(&'static str, rustix::io::Errno),
}

/// Confines this process for good.
///
/// # Errors
/// When the kernel refuses; then nothing hostile may be read.
pub fn confine() -> Result<Confined, NotConfined> {
    let status = landlock()?;
    let limits = [
        ("memory", Resource::As, MEMORY),
        ("processor time", Resource::Cpu, SECONDS + MOST / BYTES_A_SECOND),
        ("file size", Resource::Fsize, 0),
        ("core dumps", Resource::Core, 0),
        ("processes", Resource::Nproc, 0),
        ("open files", Resource::Nofile, 0),
    ];
    stack(STACK)?;
    for (name, resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|errno| NotConfined::Limit(name, errno))?;
    }
    Ok(Confined { complete: status == RulesetStatus::FullyEnforced })
}

/// No rule is added, so everything that is handled is denied.
fn landlock() -> Result<RulesetStatus, NotConfined> {
    let abi = ABI::V6;
    let refused = |error: landlock::RulesetError| NotConfined::Landlock(error.to_string());
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .map_err(refused)?
        .handle_access(AccessNet::from_all(abi))
        .map_err(refused)?
        .scope(Scope::from_all(abi))
        .map_err(refused)?
        .create()
        .map_err(refused)?
        .restrict_self()
        .map_err(refused)?
        .ruleset;
    if status == RulesetStatus::NotEnforced {
        return Err(NotConfined::Landlock("Landlock is not enabled".to_owned()));
    }
    Ok(status)
}

/// Starts a child with the room on its stack that a parser may need: where the stack ends
/// is settled when a process starts, by what its parent has.
pub fn with_room<T>(start: impl FnOnce() -> T) -> T {
    let own = getrlimit(Resource::Stack);
    let raised = own.current.is_some_and(|own| own < STACK) && stack(STACK).is_ok();
    let started = start();
    if raised {
        // Only what may be had without rights is changed, so this cannot be refused.
        let _ = setrlimit(Resource::Stack, own);
    }
    started
}

/// Sets the room on the stack, or what may be had of it.
fn stack(room: u64) -> Result<(), NotConfined> {
    let maximum = getrlimit(Resource::Stack).maximum;
    let current = Some(maximum.map_or(room, |most| most.min(room)));
    setrlimit(Resource::Stack, Rlimit { current, maximum })
        .map_err(|errno| NotConfined::Limit("stack", errno))
}

/// Lowers the limit on processor time to what a request of so many bytes can need. A
/// child that passes it dies, which is the fact `not_analysed`.
///
/// # Errors
/// When the limit is refused.
pub fn allow_time_for(bytes: u64) -> Result<(), NotConfined> {
    let most = SECONDS + bytes.min(MOST) / BYTES_A_SECOND;
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Cpu, limit).map_err(|errno| NotConfined::Limit("processor time", errno))
}
