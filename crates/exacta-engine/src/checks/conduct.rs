//! Watching one command from outside: its output, its time, and the wish to stop.
//!
//! The child holds on to our end of a pair of sockets. When we let go of it, or die, the child ends
//! everything the command started.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::model::path::RelPath;

use crate::capture::Pty;
use crate::checks::check::{NotRun, Verdict, Why};
use crate::checks::line::{self, NetworkReach, Served};
use crate::checks::room::Room;
use crate::checks::wire::{Report, Request};
use crate::run::{CheckProgress, Watch};

/// How often time, output and the watcher are looked at.
const TICK: Duration = Duration::from_millis(5);
/// How often the watcher hears of it.
const REPORT: Duration = Duration::from_millis(100);
/// How long the child has to clean up before it is killed itself.
const GRACE: Duration = Duration::from_secs(10);
/// How much of what is followed may wait to be handed on.
const AHEAD: usize = 64 << 10;
/// How much is read, and handed on, at a time.
const PIECE: usize = 16 << 10;
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
    Unheard,
}

/// What becomes of a command's output.
pub(crate) enum Output<'o> {
    /// It is kept up to the room's limit; beyond, the command is ended.
    Keep,
    /// It is handed on as it comes, until nobody listens; then the command is ended.
    /// Whoever writes faster than we read waits.
    Follow(&'o mut dyn FnMut(&[u8]) -> ControlFlow<()>),
}

/// What a command wrote and nobody has taken yet.
struct Written {
    bytes: Mutex<Vec<u8>>,
    limit: usize,
    /// Whether whoever writes beyond the limit waits; else it is dropped.
    waits: bool,
    /// Nobody takes anything any more.
    ignored: AtomicBool,
}

/// Runs one command to its end.
pub(crate) fn conduct(
    room: &Room,
    request: &Request,
    timeout: Option<Duration>,
    watch: &dyn Watch,
    progress: CheckProgress<'_>,
    output_to: Output<'_>,
) -> Result<Ended, Why> {
    let ways = Ways { output: output_to, pty: None, network: &NetworkReach::Nothing };
    conduct_at(room, request, timeout, watch, progress, ways)
}

/// How a command is connected to the world.
pub(crate) struct Ways<'w> {
    pub(crate) output: Output<'w>,
    /// A terminal of its own, if it has one.
    pub(crate) pty: Option<Pty>,
    /// What of the network it reaches, as the request says.
    pub(crate) network: &'w NetworkReach,
}

/// The same, connected as `ways` says.
pub(crate) fn conduct_at(
    room: &Room,
    request: &Request,
    timeout: Option<Duration>,
    watch: &dyn Watch,
    progress: CheckProgress<'_>,
    ways: Ways<'_>,
) -> Result<Ended, Why> {
    let Ways { output: mut output_to, pty, network } = ways;
    let line = serde_json::to_string(request).map_err(|e| Why::NoView(e.to_string()))?;
    let start = Instant::now();
    let Held { mut child, mut leash, output, reports } = hold(room, pty)?;
    let waits = matches!(output_to, Output::Follow(_));
    let limit = if waits { AHEAD } else { room.output_limit };
    let (bytes, ignored) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let written = Written { bytes, limit, waits, ignored };
    let (stop, status, reports) = thread::scope(|scope| {
        let draining = scope.spawn(|| written.drain(output));
        let listening = scope.spawn(move || listen(reports));
        let served = Served::default();
        if let (NetworkReach::Through(proxy), Ok(leash)) = (network, leash.try_clone()) {
            let served = served.clone();
            scope.spawn(move || served.serve(&leash, proxy.as_ref()));
        }
        // A child that does not read dies; its report says why.
        let _ = leash.write_all(line.as_bytes()).and_then(|()| leash.write_all(b"\n"));
        let mut told: Option<Instant> = None;
        let stop = loop {
            let over = listening.is_finished() && draining.is_finished();
            let heard = written.hand_on(&mut output_to, watch);
            if over {
                break None;
            }
            if watch.cancelled() {
                break Some(Stop::Cancelled);
            }
            if heard.is_break() {
                break Some(Stop::Unheard);
            }
            if timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
                break Some(Stop::TimedOut);
            }
            let waiting = written.len();
            if waiting > limit && !waits {
                break Some(Stop::TooMuchOutput);
            }
            if told.is_none_or(|told| told.elapsed() >= REPORT) {
                told = Some(Instant::now());
                watch.check(progress.after(start.elapsed(), waiting));
            }
            thread::sleep(TICK);
        };
        // Nobody is left waiting for us to take what was written.
        written.ignored.store(true, Ordering::Relaxed);
        // Closing is not enough: whoever waits for a socket has a hold on it too.
        line::let_go(leash);
        let status = end(&mut child);
        served.stop();
        let reports = listening.join().unwrap_or_default();
        (stop, status, reports)
    });
    let took = start.elapsed();
    let mut output = written.bytes.into_inner().unwrap_or_default();
    let stop = match stop {
        // It may have ended between two looks.
        None if output.len() > room.output_limit => Some(Stop::TooMuchOutput),
        other => other,
    };
    output.truncate(room.output_limit);
    watch.check(progress.after(took, output.len()));
    let killed = status.and_then(|status| status.signal());
    Ok(Ended { verdict: verdict(stop, killed, reports)?, output, took })
}

/// The child that builds the walls, and the ends of its pipes.
struct Held {
    child: Child,
    leash: UnixStream,
    output: Box<dyn Read + Send>,
    reports: ChildStderr,
}

fn hold(room: &Room, pty: Option<Pty>) -> Result<Held, Why> {
    let unconfined = |what: String| Why::NotRun(NotRun::NoConfinement(what));
    let (ours, stdout) = match pty {
        Some(Pty { ours, theirs }) => (Some(File::from(ours)), Stdio::from(theirs)),
        None => (None, Stdio::piped()),
    };
    let (leash, theirs) = UnixStream::pair().map_err(|error| unconfined(error.to_string()))?;
    let mut child = Command::new(&room.launcher.program)
        .arg(&room.launcher.argument)
        .arg("hold")
        .env_clear()
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| unconfined(error.to_string()))?;
    let piped = child.stdout.take().map(|output| Box::new(output) as Box<dyn Read + Send>);
    let output = ours.map(|ours| Box::new(ours) as Box<dyn Read + Send>).or(piped);
    match (output, child.stderr.take()) {
        (Some(output), Some(reports)) => Ok(Held { child, leash, output, reports }),
        _ => Err(unconfined("the child has no pipes".into())),
    }
}

impl Written {
    fn len(&self) -> usize {
        self.bytes.lock().map_or(0, |bytes| bytes.len())
    }

    /// Takes what is written up to the limit and a little more, so that going beyond
    /// shows; the rest waits, or is read and dropped.
    fn drain(&self, mut from: impl Read) {
        let mut buffer = vec![0_u8; PIECE];
        while let Ok(got) = from.read(&mut buffer) {
            let Some(new) = buffer.get(..got).filter(|new| !new.is_empty()) else { return };
            let ignored = || self.waits && self.ignored.load(Ordering::Relaxed);
            while self.waits && !ignored() && self.len() > self.limit {
                thread::sleep(TICK);
            }
            let Ok(mut bytes) = self.bytes.lock() else { return };
            if bytes.len() <= self.limit && !ignored() {
                bytes.extend_from_slice(new);
            }
        }
    }

    /// Hands on what has come in since the last time, if somebody follows it; stops in the
    /// middle when they want to stop.
    fn hand_on(&self, output: &mut Output<'_>, watch: &dyn Watch) -> ControlFlow<()> {
        let Output::Follow(follow) = output else { return ControlFlow::Continue(()) };
        let new = self.bytes.lock().map(|mut bytes| std::mem::take(&mut *bytes));
        for piece in new.unwrap_or_default().chunks(PIECE) {
            if watch.cancelled() {
                break;
            }
            follow(piece)?;
        }
        ControlFlow::Continue(())
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
fn end(child: &mut Child) -> Option<ExitStatus> {
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(None) => thread::sleep(TICK),
            ended => return ended.ok().flatten(),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn verdict(
    stop: Option<Stop>,
    mut killed: Option<i32>,
    reports: Vec<Report>,
) -> Result<Verdict, Why> {
    let mut verdict = None;
    let mut differ = None;
    for report in reports {
        match report {
            Report::NoView(reason) => return Err(Why::NoView(reason)),
            Report::NoConfinement(reason) => return Err(NotRun::NoConfinement(reason).into()),
            Report::Started => {}
            Report::Killed(signal) => killed = Some(signal),
            Report::Ended(0) => verdict = Some(Verdict::Passed),
            Report::Ended(code) => verdict = Some(Verdict::Failed(code)),
            Report::Died(signal) => verdict = Some(Verdict::Died(signal)),
            Report::Differ(paths) => differ = Some(paths),
        }
    }
    match stop {
        Some(Stop::Cancelled) => return Err(Why::Cancelled),
        Some(Stop::Unheard) => return Err(NotRun::Unheard.into()),
        Some(Stop::TimedOut) => return Ok(Verdict::TimedOut),
        Some(Stop::TooMuchOutput) => return Ok(Verdict::TooMuchOutput),
        None => {}
    }
    let unbuilt = || NotRun::NoConfinement("the child that builds the walls died".into());
    match (verdict, differ) {
        (Some(Verdict::Passed), Some(paths)) if !paths.is_empty() => {
            let paths = paths.iter().filter_map(|path| RelPath::parse(path).ok()).collect();
            Ok(Verdict::ChangedTargets(paths))
        }
        // Without the last look at the targets nothing has passed.
        (Some(verdict), Some(_)) => Ok(verdict),
        _ => Err(killed.map_or_else(unbuilt, NotRun::Killed).into()),
    }
}
