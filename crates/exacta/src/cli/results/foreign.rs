//! Runs an executor that is not ours: a plan in, a result list out, and an end in time.

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// What came of a call.
pub(super) enum Answer {
    /// What it wrote, and how it ended.
    Wrote {
        /// Its standard output.
        text: Vec<u8>,
        /// Its exit status, in words.
        status: String,
    },
    /// It wrote more than is read.
    TooLong,
    /// It did not end in time and was ended.
    TimedOut,
}

/// Hands `plan` to the command and waits for its answer. Its standard error is ours.
///
/// # Errors
/// When it cannot be started.
pub(super) fn call(
    command: &[String],
    plan: &[u8],
    limit: Duration,
    most: usize,
) -> io::Result<Answer> {
    let Some((program, args)) = command.split_first() else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let plan = plan.to_vec();
    thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // An executor that does not read to the end has its reasons.
            let _ = stdin.write_all(&plan);
        }
    });
    let (done, answer) = channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.map_or(Ok(0), |stdout| {
            stdout
                .take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1))
                .read_to_end(&mut text)
        });
        // Nobody listens any more when time was up.
        let _ = done.send(read.map(|_| text));
    });
    let received = answer.recv_timeout(limit);
    let answer = match received {
        Ok(Ok(text)) if text.len() > most => Answer::TooLong,
        Ok(text) => {
            let status = wait(&mut child, limit);
            Answer::Wrote { text: text.unwrap_or_default(), status }
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Answer::TimedOut,
    };
    end(&mut child);
    Ok(answer)
}

/// Waits for a child that has closed its output.
fn wait(child: &mut Child, limit: Duration) -> String {
    const STEP: Duration = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while waited < limit {
        match child.try_wait() {
            Ok(Some(status)) => return status.to_string(),
            Ok(None) => {}
            Err(error) => return error.to_string(),
        }
        thread::sleep(STEP);
        waited = waited.saturating_add(STEP);
    }
    "still running".to_owned()
}

/// Ends the child and what it started.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // All of them may be gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    // It is dead or will be at once.
    let _ = child.wait();
}
