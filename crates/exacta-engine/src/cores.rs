//! Work beside ours begins on another core.
//!
//! Some kernels leave a new thread or process on the core of whoever started it, where it
//! waits until that one pauses, however idle the other cores are. So it is put on another
//! core by hand; from there it may go anywhere it might have gone before. This is a hint
//! and no more: what fails is left as it is.

use std::fs;
use std::process::Child;

use rustix::process::Pid;
use rustix::thread::{self, CpuSet};

/// Where the system lists the threads of this process.
const THREADS: &str = "/proc/self/task";

/// Lets a child begin on another core than ours.
pub fn child_elsewhere(child: &Child) {
    if let Some(cores) = Cores::of_ours() {
        cores.put_elsewhere(i32::try_from(child.id()).ok().and_then(Pid::from_raw));
    }
}

/// The same for the other threads of this process, as far as they may use the cores that
/// we may use.
pub(crate) fn threads_elsewhere() {
    let Some(cores) = Cores::of_ours() else { return };
    let ours = thread::gettid();
    for entry in fs::read_dir(THREADS).into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let other = number.and_then(Pid::from_raw).filter(|other| *other != ours);
        cores.put_elsewhere(other);
    }
}

/// The cores that this thread may use.
struct Cores {
    all: CpuSet,
    /// All but the one it is on.
    others: CpuSet,
}

impl Cores {
    /// `None` where there is no other.
    fn of_ours() -> Option<Self> {
        let all = thread::sched_getaffinity(None).ok()?;
        let mut others = all;
        others.unset(thread::sched_getcpu());
        (others.count() > 0).then_some(Self { all, others })
    }

    fn put_elsewhere(&self, other: Option<Pid>) {
        // Without a name it would be about ourselves, and whoever may use other cores than
        // ours was not started here.
        let Some(other) = other else { return };
        let ours = thread::sched_getaffinity(Some(other)).is_ok_and(|cores| cores == self.all);
        if ours && thread::sched_setaffinity(Some(other), &self.others).is_ok() {
            let _ = thread::sched_setaffinity(Some(other), &self.all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// The hint leaves nothing behind: who was moved may go everywhere again.
    #[test]
    fn whoever_is_moved_is_free_afterwards() {
        let all = thread::sched_getaffinity(None).unwrap();
        let (tell, told) = mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || {
            let _ = told.recv();
            thread::sched_getaffinity(None).unwrap()
        });
        threads_elsewhere();
        drop(tell);
        assert!(waiting.join().unwrap() == all);
        assert!(thread::sched_getaffinity(None).unwrap() == all);
        // Somebody's thread that keeps to one core stays with it.
        if all.count() > 1 {
            let (tell, told) = mpsc::channel::<()>();
            let (ready, is_ready) = mpsc::channel::<()>();
            let pinned = std::thread::spawn(move || {
                let mut one = CpuSet::new();
                one.set(thread::sched_getcpu());
                thread::sched_setaffinity(None, &one).unwrap();
                ready.send(()).unwrap();
                let _ = told.recv();
                thread::sched_getaffinity(None).unwrap() == one
            });
            is_ready.recv().unwrap();
            threads_elsewhere();
            drop(tell);
            assert!(pinned.join().unwrap());
        }
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        child_elsewhere(&child);
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        assert!(thread::sched_getaffinity(pid).unwrap() == all);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
