//! The inspector as a confined child of this program.
//!
//! The gate starts itself once more, writes one request and reads one report. Whatever
//! goes wrong on the way (the child cannot be confined, dies, hangs, answers nonsense)
//! is the fact that nothing could be analysed, which asks a person.

use std::io::{self, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::digest::Blob;
use exacta_core::facts::{Fact, Inspected, Inspector, Reason, not_analysed};
use exacta_core::path::RelPath;
use exacta_inspect::confine::with_room;
use exacta_inspect::wire::{read_report, write_request};
use exacta_inspect::{Limits, Request, StepInput, Token, child, colours};

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

/// The inspector that the gate uses.
pub(crate) struct Confined;

impl Inspector for Confined {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let answer = this_as(CHILD).and_then(|child| ask(child, PATIENCE, changes, manifests));
        answer.unwrap_or_else(|| not_analysed(changes, Reason::ChildDied))
    }
}

/// Whether a confined child can be had here at all.
pub(crate) fn works() -> bool {
    this_as(CHILD).is_some_and(|child| ask(child, PATIENCE, &[], &[]).is_some())
}

/// This program, to be started as a child.
fn this_as(child: &str) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg(child);
    Some(command)
}

/// What the child says, or nothing when it says nothing sensible in time.
fn ask(
    child: Command,
    patience: Duration,
    changes: &[Inspected<'_>],
    manifests: &[Blob],
) -> Option<Vec<Fact>> {
    let steps = changes.iter().map(|inspected| StepInput {
        step: &inspected.change.step,
        path: inspected.change.path.clone(),
        before: inspected.before.map(Blob::bytes),
        after: inspected.after.map(Blob::bytes),
        siblings: inspected.siblings.iter().map(String::as_str).collect(),
    });
    let request = Request {
        steps: steps.collect(),
        manifests: manifests.iter().map(Blob::bytes).collect(),
        limits: Limits::default(),
    };
    let mut bytes = Vec::new();
    write_request(&request, &mut bytes).ok()?;
    let facts = converse(child, bytes, patience, |answer| read_report(answer).ok())?.facts;
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
    let read = |answer: &mut ChildStdout| colours::read_answer(answer).ok();
    converse(this_as(COLOURS)?, bytes, COLOUR_PATIENCE, read)
}

/// Starts the child, hands it the bytes and reads its answer.
fn converse<T: Send>(
    mut child: Command,
    bytes: Vec<u8>,
    patience: Duration,
    read: impl FnOnce(&mut ChildStdout) -> Option<T> + Send,
) -> Option<T> {
    child.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = with_room(|| child.spawn()).ok()?;
    let mut stdin = child.stdin.take()?;
    let mut stdout = child.stdout.take()?;
    // Writing and reading at once, so that neither side waits for a full pipe; the child
    // is killed when it takes too long, which ends both.
    thread::scope(|scope| {
        scope.spawn(move || {
            let _ = stdin.write_all(&bytes);
        });
        let reader = scope.spawn(move || read(&mut stdout));
        let deadline = Instant::now() + patience;
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(200));
        }
        end(&mut child);
        reader.join().ok().flatten()
    })
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::change::{Change, FileMode};
    use exacta_core::digest::Digest;
    use exacta_core::path::RelPath;

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
        let inspected = Inspected {
            change: &change,
            before: Some(&before),
            after: Some(&after),
            siblings: Vec::new(),
        };
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
            let answer =
                ask(command, Duration::from_millis(300), std::slice::from_ref(&inspected), &[]);
            assert_eq!(answer, None, "{script}");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}");
        }
    }
}
