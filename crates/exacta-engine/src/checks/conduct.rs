//! Watching one command from outside: its output, its time, and the wish to stop.
//!
//! The child holds on to our end of a pipe. When we let go of it, or die, the child ends
//! everything the command started.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::path::RelPath;

use crate::checks::check::{Verdict, Why};
use crate::checks::room::Room;
use crate::checks::wire::{Report, Request};
use crate::run::{CheckProgress, Watch};

/// How often time, output and the watcher are looked at.
const TICK: Duration = Duration::from_millis(5);
/// How often the watcher hears of it.
const TICKS_A_REPORT: u32 = 20;
/// How long the child has to clean up before it is killed itself.
const GRACE: Duration = Duration::from_secs(10);
/// More than any list of reports needs.
const REPORT_LIMIT: u64 = 16 << 20;

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) verdict: Verdict,
    pub(crate) output: Vec<u8>,
    pub(crate) took: Duration,
}

/// Why we let go of the child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    TimedOut,
    TooMuchOutput,
    Cancelled,
}

/// What becomes of a command's output.
pub(crate) enum Output<'o> {
    /// It is kept up to the room's limit; beyond, the command is ended.
    Keep,
    /// It is handed on as it comes; whoever writes faster than we read waits.
    Follow(&'o mut dyn FnMut(&[u8])),
}

/// Runs one command to its end.
pub(crate) fn conduct(
    room: &Room,
    request: &Request,
    timeout: Option<Duration>,
    watch: &dyn Watch,
    progress: CheckProgress<'_>,
    mut output_to: Output<'_>,
) -> Result<Ended, Why> {
    let unconfined = |what: &str| Why::NoConfinement(what.into());
    let line = serde_json::to_string(request).map_err(|e| Why::NoView(e.to_string()))?;
    let start = Instant::now();
    let mut child = Command::new(&room.launcher.program)
        .arg(&room.launcher.argument)
        .arg("hold")
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Why::NoConfinement(error.to_string()))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut leash), Some(output), Some(reports)) = pipes else {
        return Err(unconfined("the child has no pipes"));
    };
    let kept = Mutex::new(Vec::new());
    let waits = matches!(output_to, Output::Follow(_));
    let (stop, reports) = thread::scope(|scope| {
        let draining = scope.spawn(|| drain(output, &kept, room.output_limit, waits));
        let listening = scope.spawn(move || listen(reports));
        // A child that does not read dies; its report says why.
        let _ = leash.write_all(line.as_bytes()).and_then(|()| leash.write_all(b"\n"));
        let mut ticks = 0;
        let stop = loop {
            let over = listening.is_finished() && draining.is_finished();
            hand_on(&mut output_to, &kept);
            if over {
                break None;
            }
            if watch.cancelled() {
                break Some(Stop::Cancelled);
            }
            if timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
                break Some(Stop::TimedOut);
            }
            let written = kept.lock().map_or(0, |kept| kept.len());
            if written > room.output_limit && !waits {
                break Some(Stop::TooMuchOutput);
            }
            if ticks % TICKS_A_REPORT == 0 {
                watch.check(progress.after(start.elapsed(), written));
            }
            ticks += 1;
            thread::sleep(TICK);
        };
        // What waits for room goes on, and nobody is left waiting for us.
        hand_on(&mut output_to, &kept);
        drop(leash);
        end(&mut child);
        let reports = listening.join().unwrap_or_default();
        (stop, reports)
    });
    hand_on(&mut output_to, &kept);
    let took = start.elapsed();
    let mut output = kept.into_inner().unwrap_or_default();
    let stop = match stop {
        // It may have ended between two looks.
        None if output.len() > room.output_limit => Some(Stop::TooMuchOutput),
        other => other,
    };
    output.truncate(room.output_limit);
    watch.check(progress.after(took, output.len()));
    Ok(Ended { verdict: verdict(stop, reports)?, output, took })
}

/// Keeps what is written up to the limit and a little more, so that going beyond shows;
/// the rest is read and dropped, so that nobody waits for us.
fn drain(mut from: impl Read, kept: &Mutex<Vec<u8>>, limit: usize, waits: bool) {
    let mut buffer = vec![0_u8; 64 << 10];
    while let Ok(got) = from.read(&mut buffer) {
        let Some(new) = buffer.get(..got).filter(|new| !new.is_empty()) else { return };
        while waits && kept.lock().is_ok_and(|kept| kept.len() > limit) {
            thread::sleep(TICK);
        }
        let Ok(mut kept) = kept.lock() else { return };
        if kept.len() <= limit {
            kept.extend_from_slice(new);
        }
    }
}

/// Hands on what has come in since the last time, if somebody follows it.
fn hand_on(output: &mut Output<'_>, kept: &Mutex<Vec<u8>>) {
    let Output::Follow(follow) = output else { return };
    let new = kept.lock().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default();
    if !new.is_empty() {
        follow(&new);
    }
}

fn listen(from: impl Read) -> Vec<Report> {
    BufReader::new(from.take(REPORT_LIMIT))
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect()
}

/// Waits for the child, which by now has been told to end; kills it when it does not.
fn end(child: &mut Child) {
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(None) => thread::sleep(TICK),
            _ => return,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn verdict(stop: Option<Stop>, reports: Vec<Report>) -> Result<Verdict, Why> {
    let mut verdict = None;
    let mut differ = None;
    for report in reports {
        match report {
            Report::NoView(reason) => return Err(Why::NoView(reason)),
            Report::NoConfinement(reason) => return Err(Why::NoConfinement(reason)),
            Report::Started => {}
            Report::Ended(0) => verdict = Some(Verdict::Passed),
            Report::Ended(code) => verdict = Some(Verdict::Failed(code)),
            Report::Died(signal) => verdict = Some(Verdict::Died(signal)),
            Report::Differ(paths) => differ = Some(paths),
        }
    }
    match stop {
        Some(Stop::Cancelled) => return Err(Why::Cancelled),
        Some(Stop::TimedOut) => return Ok(Verdict::TimedOut),
        Some(Stop::TooMuchOutput) => return Ok(Verdict::TooMuchOutput),
        None => {}
    }
    match (verdict, differ) {
        (Some(Verdict::Passed), Some(paths)) if !paths.is_empty() => {
            let paths = paths.iter().filter_map(|path| RelPath::parse(path).ok()).collect();
            Ok(Verdict::ChangedTargets(paths))
        }
        // Without the last look at the targets nothing has passed.
        (Some(verdict), Some(_)) => Ok(verdict),
        _ => Err(Why::NoConfinement("the child that builds the walls died".into())),
    }
}
