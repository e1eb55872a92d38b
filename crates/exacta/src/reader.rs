//! A child of this program that is told one thing and answers one thing.
//!
//! Telling and hearing go on at once, so that neither side waits for a full pipe. A child
//! that takes too long or says too much is given up. It never outlives its [`Reader`].

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use exacta_inspect::confine::with_room;
use exacta_inspect::wire::{Arrived, arrived};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How much is read at a time.
const PIECE: usize = 64 << 10;

/// A child that was started and waits to be told something.
pub(crate) struct Reader {
    /// There until the reader ends.
    child: Option<Child>,
}

/// Children that were told to end and have not been waited for.
static ENDED: Mutex<Vec<Child>> = Mutex::new(Vec::new());

impl Reader {
    /// Starts a child with nothing of our environment and none of our open files.
    pub(crate) fn start(mut command: Command) -> Option<Self> {
        if let Ok(mut ended) = ENDED.lock() {
            ended.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        }
        // What our own caller left open is none of its business. All of our own is closed
        // for children anyway, so this takes nothing from anybody.
        close_fds::set_fds_cloexec(3, &[]);
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = with_room(|| command.spawn()).ok()?;
        Some(Self { child: Some(child) })
    }

    /// Hands the child the bytes and returns the frame that it answers with; `None` when
    /// none comes in time.
    pub(crate) fn ask(&mut self, mut bytes: &[u8], patience: Duration) -> Option<Vec<u8>> {
        let child = self.child.as_mut()?;
        let mut stdin = Some(child.stdin.take()?);
        let mut stdout = child.stdout.take()?;
        rustix::io::ioctl_fionbio(stdin.as_ref()?, true).ok()?;
        rustix::io::ioctl_fionbio(&stdout, true).ok()?;
        let deadline = Instant::now() + patience;
        let mut answer = Vec::new();
        loop {
            if bytes.is_empty() {
                // The child may wait for the end of what it is told.
                stdin = None;
            }
            let (writable, readable) = ready(stdin.as_ref(), &stdout, deadline)?;
            if writable && let Some(pipe) = stdin.as_mut() {
                match tell(pipe, bytes) {
                    Some(told) => bytes = bytes.get(told..)?,
                    // It reads no more; it may answer all the same.
                    None => bytes = &[],
                }
            }
            if readable && !hear(&mut stdout, &mut answer)? {
                return None;
            }
            match arrived(&answer) {
                Arrived::Whole => return Some(answer),
                Arrived::Part => {}
                Arrived::TooLong => return None,
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let _ = child.kill();
        // Its memory goes while we go on; it is waited for when the next one starts.
        match ENDED.lock() {
            Ok(mut ended) => ended.push(child),
            Err(_) => drop(child.wait()),
        }
    }
}

/// Waits until one of the pipes can be used; `None` at the deadline.
fn ready(
    stdin: Option<&ChildStdin>,
    stdout: &ChildStdout,
    deadline: Instant,
) -> Option<(bool, bool)> {
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        let mut pipes = vec![PollFd::new(stdout, PollFlags::IN)];
        pipes.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        match poll(&mut pipes, Some(&Timespec::try_from(left).ok()?)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => {
                let used =
                    |pipe: Option<&PollFd<'_>>| pipe.is_some_and(|p| !p.revents().is_empty());
                return Some((used(pipes.get(1)), used(pipes.first())));
            }
            Err(_) => return None,
        }
    }
}

/// Writes what fits; `None` when nobody reads any more.
fn tell(pipe: &mut ChildStdin, bytes: &[u8]) -> Option<usize> {
    match pipe.write(bytes) {
        Ok(told) => Some(told),
        Err(error) if waits(error.kind()) => Some(0),
        Err(_) => None,
    }
}

/// Reads what is there; `Some(false)` at the end, `None` when the pipe fails.
fn hear(pipe: &mut ChildStdout, answer: &mut Vec<u8>) -> Option<bool> {
    let known = answer.len();
    answer.resize(known + PIECE, 0);
    let heard = match pipe.read(answer.get_mut(known..)?) {
        Ok(heard) => Ok(heard),
        Err(error) if waits(error.kind()) => Err(()),
        Err(_) => return None,
    };
    answer.truncate(known + heard.unwrap_or(0));
    Some(heard != Ok(0))
}

fn waits(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
