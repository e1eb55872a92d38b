//! The inspector as a confined child of this program.
//!
//! The gate starts itself once more, writes one request and reads one report. Whatever
//! goes wrong on the way (the child cannot be confined, dies, hangs, answers nonsense)
//! is the fact that nothing could be analysed, which asks a person.

use std::io;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use exacta_core::judge::facts::{Fact, Inspected, Inspector, Reason, not_analysed};
use exacta_core::model::digest::Blob;
use exacta_core::model::path::RelPath;
use exacta_core::review::Token;
use exacta_inspect::wire::{read_report, write_request};
use exacta_inspect::{Limits, Request, StepInput, child, colours};

use crate::reader::Reader;

/// The hidden argument that makes this program the child.
pub(crate) const CHILD: &str = "__inspect";

/// The same for the child that tells words apart.
pub(crate) const COLOURS: &str = "__colours";

/// How long a reader waits for colours; without them the review is the same.
const COLOUR_PATIENCE: Duration = Duration::from_secs(3);

/// A last stop for a child that waits for something that never comes. Real bounds are in
/// bytes and parser steps, so that every machine finds the same.
const PATIENCE: Duration = Duration::from_mins(2);

/// What the child does: confine itself, answer one request, end.
pub(crate) fn serve() -> u8 {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    match child::serve(&mut stdin.lock(), &mut stdout.lock()) {
        Ok(_) => 0,
        Err(_) => 1,
    }
}

/// What the other child does.
pub(crate) fn serve_colours() -> u8 {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    u8::from(colours::serve(&mut stdin.lock(), &mut stdout.lock()).is_err())
}

/// A child that was started before there was a question for it.
static WAITING: Mutex<Option<Reader>> = Mutex::new(None);

/// Starts the child that the next question goes to, beside our own work. Without a
/// question it ends when we do.
pub(crate) fn start_ahead() {
    if let Ok(mut waiting) = WAITING.lock() {
        *waiting = this_as(CHILD).and_then(Reader::start);
    }
}

/// The inspector that the gate uses.
pub(crate) struct Confined;

impl Inspector for Confined {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let waiting = WAITING.lock().ok().and_then(|mut waiting| waiting.take());
        let ready = waiting.or_else(|| this_as(CHILD).and_then(Reader::start));
        let answer = ready.and_then(|child| ask(child, PATIENCE, changes, manifests));
        answer.unwrap_or_else(|| not_analysed(changes, Reason::ChildDied))
    }
}

/// Whether a confined child can be had here at all.
pub(crate) fn works() -> bool {
    this_as(CHILD)
        .and_then(Reader::start)
        .is_some_and(|child| ask(child, PATIENCE, &[], &[]).is_some())
}

/// This program, to be started as a child.
fn this_as(child: &str) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg(child);
    Some(command)
}

/// What the child says, or nothing when it says nothing sensible in time.
fn ask(
    mut child: Reader,
    patience: Duration,
    changes: &[Inspected<'_>],
    manifests: &[Blob],
) -> Option<Vec<Fact>> {
    let steps = changes.iter().map(StepInput::of);
    let request = Request {
        steps: steps.collect(),
        manifests: manifests.iter().map(Blob::bytes).collect(),
        limits: Limits::default(),
    };
    let mut bytes = Vec::new();
    write_request(&request, &mut bytes).ok()?;
    let answer = child.ask(&bytes, patience)?;
    let facts = read_report(&mut answer.as_slice()).ok()?.facts;
    // Facts about anything else are nonsense.
    let asked = |fact: &Fact| {
        changes.iter().any(|c| c.change.step == fact.step && c.change.path == fact.path)
    };
    facts.iter().all(asked).then_some(facts)
}

/// The words of each image, for colours; `None` when the child could not tell in time.
pub(crate) fn words(images: &[(&RelPath, &[u8])]) -> Option<Vec<Option<Vec<Token>>>> {
    let mut bytes = Vec::new();
    colours::write_question(images, &mut bytes).ok()?;
    let answer = Reader::start(this_as(COLOURS)?)?.ask(&bytes, COLOUR_PATIENCE)?;
    colours::read_answer(&mut answer.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::change::{Change, FileMode};
    use exacta_core::model::digest::Digest;
    use exacta_core::model::path::RelPath;
    use std::time::Instant;

    /// A file that our caller left open must not reach a parser that is taken over.
    #[test]
    fn open_files_of_the_caller_are_not_handed_on() {
        let (flags, mode) = (rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty());
        let leaked = rustix::fs::open("/etc/passwd", flags, mode).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&leaked);
        assert!(number > 2);
        let script = format!(
            "test -e /proc/$$/fd/{number} || printf '\\000\\000\\000\\000\\000\\000\\000\\002{{}}'"
        );
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]);
        let answer = Reader::start(command).unwrap().ask(b"", Duration::from_secs(10));
        assert!(answer.is_some(), "the child has the file");
    }

    /// Programs that do what a broken or taken-over inspector might do.
    #[test]
    fn a_child_that_dies_hangs_or_lies_says_nothing() {
        let before = Blob::new(b"one\n".to_vec());
        // More than a pipe holds, so that writing waits for a child that does not read.
        let after = Blob::new(vec![b'x'; 1 << 20]);
        let change = Change {
            path: RelPath::parse("src/a.rs").unwrap(),
            before: Some(before.digest()),
            after: Some(after.digest()),
            mode_before: Some(FileMode::REGULAR),
            mode_after: Some(FileMode::REGULAR),
            step: "step_1".into(),
            renamed_from: None,
        };
        let inspected = Inspected { change: &change, before: Some(&before), after: Some(&after) };
        let other = format!(
            "{{\"version\":1,\"facts\":[{{\"step\":\"step_9\",\"path\":\"b.rs\",\"line\":null,\"excerpt\":\"{}\"}}]}}",
            Digest::of(b"")
        );
        for script in [
            "exit 0",
            "exit 1",
            "kill -SEGV $$",
            "cat > /dev/null; kill -KILL $$",
            "cat",
            "exec sleep 1000",
            "cat > /dev/null; exec sleep 1000",
            "exec yes",
            "exec head -c 100000000 /dev/zero",
            "printf '\\000\\000\\000\\000\\000\\000\\000\\002{}'",
            &format!("cat > /dev/null; printf '%s' '{other}'"),
        ] {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            let start = Instant::now();
            let child = Reader::start(command).unwrap();
            let answer =
                ask(child, Duration::from_millis(300), std::slice::from_ref(&inspected), &[]);
            assert_eq!(answer, None, "{script}");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}");
        }
    }
}
