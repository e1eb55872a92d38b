//! The third wall: system calls that reach past name spaces and Landlock.
//!
//! A socket that lies in a folder which is shown, or that of a virtual machine's host, is
//! reached without any network; so without the right to it there are only sockets of the
//! empty network around the command, and pairs whose ends are bound to each other. Keys of whoever called us are reached by
//! number, also from a session of its own. Work that is handed to the kernel in a ring is
//! not seen by any filter.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// The keyrings of the kernel.
const KEYS: [i64; 3] = [libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key];
/// Work that the kernel does for a process, sockets included.
const RINGS: [i64; 3] =
    [libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];
/// Kinds of sockets that end in the network name space: it has no device but a loopback of its own.
const ENCLOSED: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// Kinds of pairs whose ends stay with each other. An end of the others, which send single
/// messages without a connection, may send one to any address.
const BOUND_ENDS: [i32; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
/// The bits that say which kind a socket is; others are flags.
const KIND: i32 = 0xf;
/// A second name of each call on this processor, for programs with short pointers.
#[cfg(target_arch = "x86_64")]
const SECOND: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SECOND: Option<i64> = None;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses these calls from now on; a program for another kind of processor is ended by
/// its first call.
pub(super) fn restrict(network: bool) -> Result<(), String> {
    let mut absent: Rules = BTreeMap::new();
    for call in KEYS.iter().chain(RINGS.iter().filter(|_| !network)) {
        add(&mut absent, *call, &[])?;
    }
    // As on a kernel that was built without them: programs know what to do then.
    apply(absent, libc::ENOSYS)?;
    if network {
        return Ok(());
    }
    let mut sockets: Rules = BTreeMap::new();
    add(&mut sockets, libc::SYS_socket, &ENCLOSED)?;
    add(&mut sockets, libc::SYS_socketpair, &[libc::AF_UNIX])?;
    apply(sockets, libc::EAFNOSUPPORT)?;
    let mut ends: Rules = BTreeMap::new();
    let other = (0..=KIND).filter(|kind| !BOUND_ENDS.contains(kind));
    let rules = other.map(of_kind).collect::<Result<Vec<_>, _>>()?;
    insert(&mut ends, libc::SYS_socketpair, &rules);
    apply(ends, libc::ESOCKTNOSUPPORT)
}

/// The second argument names this kind, whatever flags stand beside it.
fn of_kind(kind: i32) -> Result<SeccompRule, String> {
    let mask = SeccompCmpOp::MaskedEq(u64::from(KIND.cast_unsigned()));
    let value = u64::from(kind.cast_unsigned());
    let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, mask, value);
    SeccompRule::new(vec![condition.map_err(text)?]).map_err(text)
}

/// The call is refused unless its first argument is one of these.
fn add(rules: &mut Rules, call: i64, unless: &[i32]) -> Result<(), String> {
    let other = |value: &i32| {
        let value = u64::from(value.cast_unsigned());
        // The kernel looks at these bits only.
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
    };
    let conditions = unless.iter().map(other).collect::<Result<Vec<_>, _>>().map_err(text)?;
    let rule = if conditions.is_empty() {
        Vec::new()
    } else {
        vec![SeccompRule::new(conditions).map_err(text)?]
    };
    insert(rules, call, &rule);
    Ok(())
}

/// Under each number that the call has.
fn insert(rules: &mut Rules, call: i64, of: &[SeccompRule]) {
    for name in [Some(call), SECOND.map(|bit| call | bit)].into_iter().flatten() {
        rules.insert(name, of.to_vec());
    }
}

fn apply(rules: Rules, errno: i32) -> Result<(), String> {
    let here = TargetArch::try_from(std::env::consts::ARCH).map_err(text)?;
    let refused = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, here).map_err(text)?;
    let program = BpfProgram::try_from(filter).map_err(text)?;
    apply_filter(&program).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    format!("system calls cannot be filtered: {error}")
}
