//! The outermost act: enters the name spaces, starts `init`, and ends it when told to.

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use super::leash::{self, Pull};
use super::{Obstacle, identity, report, targets};
use crate::checks::line;
use crate::checks::wire::{Report, Request};

pub(super) fn hold() -> u8 {
    match prepared() {
        Ok((request, line)) => match started(&line) {
            Ok((init, leash)) => watch(init, leash, &request),
            Err(obstacle) => obstacle.report(),
        },
        Err(obstacle) => obstacle.report(),
    }
}

fn prepared() -> Result<(Request, String), Obstacle> {
    // Every wall is built through it.
    if std::fs::symlink_metadata("/proc/self/exe").is_err() {
        return Err(Obstacle::Walls("`/proc` is not mounted".into()));
    }
    // What our own caller left open must not reach the check.
    close_fds::set_fds_cloexec(3, &[]);
    // Nor may the check reach our caller's process group or terminal. Refused only to a
    // process that leads a group of its own already.
    let _ = rustix::process::setsid();
    let text = leash::request().map_err(Obstacle::wall("no request"))?;
    let request: Request = serde_json::from_str(&text).map_err(Obstacle::wall("no request"))?;
    let outside = (getuid().as_raw(), getgid().as_raw());
    // The user first: only then has an ordinary one the right to the others.
    identity::leave(UnshareFlags::NEWUSER).map_err(Obstacle::wall("user name space"))?;
    identity::become_user((0, 0), outside).map_err(Obstacle::wall("user name space"))?;
    let network = if request.network { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
    let rest = network
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    identity::leave(rest).map_err(Obstacle::wall("name spaces"))?;
    if !request.network {
        // Tests that open a port find one. Where a kernel gives none they fail, and say so.
        let _ = line::raise_loopback();
    }
    if request.proxied {
        line::open(std::io::stdin().as_fd()).map_err(Obstacle::wall("proxy"))?;
    }
    Ok((request, text))
}

fn started(line: &str) -> Result<(Child, Option<ChildStdin>), Obstacle> {
    let mut init = Command::new("/proc/self/exe")
        .args(launched_as())
        .arg("init")
        .stdin(Stdio::piped())
        .spawn()
        .map_err(Obstacle::wall("process name space"))?;
    let mut leash = init.stdin.take();
    if let Some(leash) = &mut leash {
        // An `init` that does not read dies, which is seen.
        let _ = leash.write_all(line.as_bytes());
    }
    Ok((init, leash))
}

/// The argument that makes this program the child, as it was given to us.
pub(super) fn launched_as() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::args_os().nth(1).into_iter()
}

/// No thread: a process whose children live in another name space can have none.
fn watch(mut init: Child, leash: Option<ChildStdin>, request: &Request) -> u8 {
    let ended = loop {
        match init.try_wait() {
            Ok(None) if leash::look() == Pull::LetGo => {
                let _ = init.kill();
                let _ = init.wait();
                return 1;
            }
            Ok(None) => {}
            ended => break ended.ok().flatten(),
        }
    };
    drop(leash);
    if let Some(signal) = ended.and_then(|status| status.signal()) {
        report(&Report::Killed(signal));
    }
    // Everything inside is dead, so nothing changes under our eyes.
    report(&Report::Differ(targets::differing(request)));
    0
}
