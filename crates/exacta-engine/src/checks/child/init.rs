//! The first process inside: builds the room, starts the command, gathers the dead.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Signal, WaitOptions, set_parent_process_death_signal, wait};

use super::hold::launched_as;
use super::leash::{self, Pull};
use super::{Obstacle, identity, report, room, targets};
use crate::checks::wire::{Report, Request, Terms};

pub(super) fn init() -> u8 {
    match built() {
        Ok((request, input)) => run(&request, input),
        Err(obstacle) => obstacle.report(),
    }
}

fn built() -> Result<(Request, Stdio), Obstacle> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Obstacle::wall("death signal"))?;
    let line = leash::request().map_err(Obstacle::wall("no request"))?;
    // Whoever died before the signal was set has let go by now.
    if leash::look() == Pull::LetGo {
        return Err(Obstacle::Walls("nobody waits for this command".into()));
    }
    let request: Request = serde_json::from_str(&line).map_err(Obstacle::wall("no request"))?;
    // It lies outside the room, so it is opened before we move in.
    let input = match &request.input {
        Some(input) => File::open(input).map_err(Obstacle::wall("input"))?.into(),
        None => Stdio::null(),
    };
    room::build(&request)?;
    // One more user name space is for giving up our rights; the command makes none.
    fs::write("/proc/sys/user/max_user_namespaces", "1").map_err(Obstacle::wall("limits"))?;
    room::limit_processes().map_err(Obstacle::wall("processes"))?;
    let differing = targets::differing(&request);
    if !differing.is_empty() {
        return Err(Obstacle::View(format!("it does not show {}", differing.join(", "))));
    }
    Ok((request, input))
}

fn run(request: &Request, input: Stdio) -> u8 {
    let ids = [rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()];
    let outside = outer_ids().unwrap_or((ids[0], ids[1]));
    let output = std::io::stdout();
    let Ok(errors) = rustix::io::fcntl_dupfd_cloexec(&output, 3) else {
        return Obstacle::Walls("no output".into()).report();
    };
    let terms = Terms {
        user: identity::ordinary(outside.0),
        group: identity::ordinary(outside.1),
        network: request.network,
        terminal: request.terminal && rustix::termios::isatty(&output),
        writes: writes(request),
    };
    let Ok(terms) = serde_json::to_string(&terms) else {
        return Obstacle::Walls("the rights cannot be written down".into()).report();
    };
    // A terminal is read where it is written.
    let input = match rustix::io::fcntl_dupfd_cloexec(&output, 3) {
        Ok(terminal) if request.terminal => terminal.into(),
        _ => input,
    };
    let spawned = Command::new("/proc/self/exe")
        .args(launched_as())
        .arg("enter")
        .arg(terms)
        .args(&request.command)
        .env_clear()
        .envs(request.environment.iter().cloned())
        .current_dir(&request.folder)
        .stdin(input)
        .stderr(errors)
        .spawn();
    let child = match spawned {
        Ok(child) => child.id(),
        Err(error) => return Obstacle::Walls(format!("no process: {error}")).report(),
    };
    report(&Report::Started);
    // Whoever loses their parent in here becomes ours; the command is the one we wait for.
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status)))
                if u32::try_from(pid.as_raw_pid()).is_ok_and(|p| p == child) =>
            {
                report(&match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Report::Ended(code),
                    (None, signal) => Report::Died(signal.unwrap_or_default()),
                });
                return 0;
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Obstacle::Walls(format!("waiting: {error}")).report(),
        }
    }
}

/// The view and the scratch folders.
fn writes(request: &Request) -> Vec<PathBuf> {
    let scratch = ["/tmp", "/dev"].map(PathBuf::from);
    let kept = request.kept.iter().map(|(_, at)| at.clone());
    let own = [request.project.clone()].into_iter().chain(request.home.clone());
    scratch.into_iter().chain(own).chain(kept).collect()
}

/// Who our root is outside, as the kernel maps it.
fn outer_ids() -> Option<(u32, u32)> {
    let outer = |file: &str| {
        let text = fs::read_to_string(file).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    };
    Some((outer("/proc/self/uid_map")?, outer("/proc/self/gid_map")?))
}
