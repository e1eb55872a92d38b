//! The inspector as a confined child of this program.
//!
//! The gate starts itself once more, writes one request and reads one report. Whatever
//! goes wrong on the way (the child cannot be confined, dies, hangs, answers nonsense)
//! is the fact that nothing could be analysed, which asks a person.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::digest::Blob;
use exacta_core::facts::{Fact, Inspected, Inspector, Reason, not_analysed};
use exacta_inspect::wire::{read_report, write_request};
use exacta_inspect::{Limits, Request, StepInput, child};

/// The hidden argument that makes this program the child.
pub(crate) const CHILD: &str = "__inspect";

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

/// The inspector that the gate uses.
pub(crate) struct Confined;

impl Inspector for Confined {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let answer = std::env::current_exe().ok().and_then(|program| {
            let mut command = Command::new(program);
            command.arg(CHILD);
            ask(command, PATIENCE, changes, manifests)
        });
        answer.unwrap_or_else(|| not_analysed(changes, Reason::ChildDied))
    }
}

/// What the child says, or nothing when it says nothing sensible in time.
fn ask(
    mut command: Command,
    patience: Duration,
    changes: &[Inspected<'_>],
    manifests: &[Blob],
) -> Option<Vec<Fact>> {
    let mut child = command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let mut stdout = child.stdout.take()?;
    let steps = changes.iter().map(|inspected| StepInput {
        step: &inspected.change.step,
        path: inspected.change.path.clone(),
        before: inspected.before.map(Blob::bytes),
        after: inspected.after.map(Blob::bytes),
        siblings: inspected.siblings.iter().map(String::as_str).collect(),
    });
    let request = Request {
        steps: steps.collect(),
        known_paths: None,
        manifests: manifests.iter().map(Blob::bytes).collect(),
        limits: Limits::default(),
    };
    let mut bytes = Vec::new();
    write_request(&request, &mut bytes).ok()?;
    // Writing and reading at once, so that neither side waits for a full pipe; the child
    // is killed when it takes too long, which ends both.
    let answer = thread::scope(|scope| {
        scope.spawn(move || {
            let _ = stdin.write_all(&bytes);
        });
        let reader = scope.spawn(move || read_report(&mut stdout).ok());
        let deadline = Instant::now() + patience;
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(200));
        }
        end(&mut child);
        reader.join().ok().flatten()
    });
    let facts = answer?.facts;
    // Facts about anything else are nonsense.
    let asked = |fact: &Fact| {
        changes.iter().any(|c| c.change.step == fact.step && c.change.path == fact.path)
    };
    facts.iter().all(asked).then_some(facts)
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
            let answer = ask(command, Duration::from_millis(300), &[inspected.clone()], &[]);
            assert_eq!(answer, None, "{script}");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}");
        }
    }
}
