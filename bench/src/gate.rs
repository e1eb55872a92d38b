//! The gate: the record's chain, one append, and a plan from proposal to run.

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use exacta_core::life::ledger::Ledger;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::record::{Actor, Beginning, Entry, Event, VERSION};
use exacta_engine::log::{Depth, Log, Projector, Vouchers, Wanted};
use exacta_engine::machine::ThisMachine;
use exacta_engine::run::Key;
use exacta_engine::store::FileStore;
use exacta_engine::trust::{Checkpoint, Checkpoints, Signer, TrustError};
use exacta_engine::workspace::{PortError, Root};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::measure::{Row, best, interleaved};

/// The bounds that the record promises.
const CHAIN_BOUND: f64 = 3.0;
const APPEND_BOUND: f64 = 2.0;
const PLAN_BOUND: f64 = 3.0;
/// Entries of the record whose chain is checked, and how many an append adds.
const ENTRIES: u64 = 100_000;
const BATCH: u64 = 1000;

pub(crate) fn rows(exacta: &Path) -> Result<Vec<Row>, String> {
    let mut rows = record()?;
    rows.push(one_plan(exacta)?);
    Ok(rows)
}

/// Nothing is derived here; the chain alone is measured.
struct NoProjections;

impl Projector for NoProjections {
    fn project(&self, _: &Ledger, _: &[Entry]) -> Result<(), PortError> {
        Ok(())
    }

    fn restore(&self, _: &Ledger, _: &[Entry], _: &str) -> Result<(), PortError> {
        Ok(())
    }
}

/// Heads in a file, written in place as the product does.
struct Heads(File);

impl Checkpoints for Heads {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        use std::os::unix::fs::FileExt as _;
        let io = |source| TrustError::Io { path: "checkpoint".into(), source };
        let mut bytes = [0; 128];
        let length = self.0.read_at(&mut bytes, 0).map_err(io)?;
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
        let line = text.lines().next().unwrap_or_default().split_once(' ');
        Ok(line.and_then(|(entries, head)| {
            let (entries, head) = (entries.parse().ok()?, Digest::parse(head).ok()?);
            Some(Checkpoint::settled(entries, head))
        }))
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        use std::os::unix::fs::FileExt as _;
        let line = format!("{} {}\n", checkpoint.entries, checkpoint.head);
        let io = |source| TrustError::Io { path: "checkpoint".into(), source };
        self.0.write_all_at(line.as_bytes(), 0).map_err(io)
    }
}

fn text<E: std::fmt::Display>(error: E) -> String {
    error.to_string()
}

fn record() -> Result<Vec<Row>, String> {
    let folder = TempDir::new().map_err(text)?;
    let root = Root::open(folder.path()).map_err(text)?;
    let outside = TempDir::new().map_err(text)?;
    let checkpoint = outside.path().join("checkpoint");
    let heads = OpenOptions::new().create_new(true).read(true).write(true).open(checkpoint);
    let heads = Heads(heads.map_err(text)?);
    let (signer, key) = (Signer::new(&[7; 32]), Key::new([7; 32]));
    let (project, checkpoints) = ("bench".into(), Arc::new(heads));
    let vouchers = Vouchers { project, signer: signer.clone(), key, checkpoints };
    let projector = Arc::new(NoProjections);
    let store = FileStore::new(Arc::new(root), vouchers, Arc::new(ThisMachine), projector);
    let log = Log::open(Arc::new(store)).map_err(text)?;
    let begun = Event::RecordBegun {
        beginning: Beginning::Started,
        key: signer.public(),
        project: "bench".parse().map_err(|_| "a project's id")?,
        version: VERSION,
    };
    log.append(&wanted(vec![begun])).map_err(text)?;
    let mut rows = vec![append(&log, folder.path())?];
    while log.ledger().entries() < ENTRIES {
        let entries = log.ledger().entries();
        let events = (0..BATCH).map(|number| paused(entries + number)).collect::<Result<_, _>>()?;
        log.append(&wanted(events)).map_err(text)?;
    }
    let mut bytes = Vec::new();
    let mut names: Vec<_> = fs::read_dir(folder.path().join(".exacta/log"))
        .map_err(text)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.sort();
    for name in names {
        bytes.extend(fs::read(name).map_err(text)?);
    }
    for (name, depth, bound) in [
        ("chain of 100,000 entries / SHA-256 of its bytes", (false, false), CHAIN_BOUND),
        ("  every entry read as well", (false, true), f64::INFINITY),
        ("  every signature as well", (true, true), f64::INFINITY),
    ] {
        let depth = Depth { signatures: depth.0, entries: depth.1 };
        let (ours, peer) = best(
            7,
            || {
                let report = log.check(&[], depth);
                assert!(report.is_ok_and(|report| report.problems.is_empty()), "a broken chain");
            },
            || {
                black_box(Sha256::digest(&bytes));
            },
        );
        rows.push(Row {
            name: name.into(),
            ours: ours.as_secs_f64() * 1e3,
            peer: peer.as_secs_f64() * 1e3,
            unit: "ms",
            paired: None,
            bound,
        });
    }
    Ok(rows)
}

fn wanted(events: Vec<Event>) -> Wanted {
    Wanted { actor: Actor::system(), key: None, expects: Vec::new(), events }
}

fn paused(number: u64) -> Result<Event, String> {
    let plan_id = PlanId::parse(&format!("01a1e329-0efb-7d20-81fd-{number:012}"));
    Ok(Event::PlanPaused { plan_id: plan_id.map_err(text)? })
}

/// One entry on the record against one synced write of as many bytes.
fn append(log: &Log, folder: &Path) -> Result<Row, String> {
    let path = folder.join("peer");
    let mut peer = OpenOptions::new().create(true).append(true).open(path).map_err(text)?;
    let line = [b'x'; 600];
    let mut number = 0;
    let (ours, peer) = interleaved(
        301,
        || {
            number += 1;
            let added = paused(number).map(|event| log.append(&wanted(vec![event])).is_ok());
            assert!(added.is_ok_and(|added| added), "an append failed");
        },
        || assert!(peer.write_all(&line).and_then(|()| peer.sync_data()).is_ok(), "no write"),
    );
    Ok(Row {
        name: "one append to the record / one synced write".into(),
        ours: ours.as_secs_f64() * 1e3,
        peer: peer.as_secs_f64() * 1e3,
        unit: "ms",
        paired: None,
        bound: APPEND_BOUND,
    })
}

/// Propose, approve and run a one-file plan as three processes, against a commit of the
/// same change.
fn one_plan(exacta: &Path) -> Result<Row, String> {
    let exacta = exacta.canonicalize().map_err(text)?;
    let (home, project, peer) = (
        TempDir::new().map_err(text)?,
        TempDir::new().map_err(text)?,
        TempDir::new().map_err(text)?,
    );
    let config = home.path().join(".config/exacta");
    fs::create_dir_all(&config).map_err(text)?;
    fs::write(config.join("policy.toml"), "version = 1\ndecide = \"hash\"\n").map_err(text)?;
    let body = "a line of notes like any other\n".repeat(200);
    for folder in [project.path(), peer.path()] {
        fs::write(folder.join("notes.txt"), format!("round 0\n{body}")).map_err(text)?;
    }
    let git = |args: &[&str]| {
        Command::new("git")
            .args(["-c", "user.name=b", "-c", "user.email=b@b"])
            .args(args)
            .current_dir(peer.path())
            .env("HOME", home.path())
            .stdout(Stdio::null())
            .status()
    };
    for args in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-qm", "start"]] {
        git(&args).map_err(text)?;
    }
    let gate = |args: &[&str]| -> Output {
        let output = Command::new(&exacta)
            .args(args)
            .current_dir(project.path())
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .output();
        let output = output.unwrap_or_else(|error| refuse(&error.to_string()));
        if !matches!(output.status.code(), Some(0 | 11)) {
            refuse(&String::from_utf8_lossy(&output.stderr));
        }
        output
    };
    let plan = home.path().join("plan.json");
    let (mut ours_round, mut peer_round) = (0, 0);
    let (ours, theirs) = interleaved(
        41,
        || {
            let draft = format!(
                r#"{{"steps":[{{"step_id":"step_1","title":"Count in notes.txt","requires_approval":true,
                "type":"file_modify","target":"notes.txt",
                "edits":[{{"old":"round {ours_round}\n","new":"round {}\n"}}]}}]}}"#,
                ours_round + 1
            );
            ours_round += 1;
            let _ = fs::write(&plan, draft);
            let told = gate(&["propose", &plan.to_string_lossy(), "--json"]);
            let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap_or_default();
            let word =
                |name: &str| told.get(name).and_then(|v| v.as_str()).unwrap_or("").to_owned();
            let (id, hash) = (word("plan_id"), word("plan_hash"));
            gate(&["approve", &id, "--hash", &hash, "--json"]);
            gate(&["run", &id, "--json"]);
        },
        || {
            peer_round += 1;
            let _ = fs::write(peer.path().join("notes.txt"), format!("round {peer_round}\n{body}"));
            let _ = git(&["commit", "-qam", "round"]);
        },
    );
    let expected = format!("round {ours_round}\n{body}");
    if fs::read_to_string(project.path().join("notes.txt")).map_err(text)? != expected {
        return Err("the plans did not do what they promised".into());
    }
    Ok(Row {
        name: "propose + approve + run of one file / git commit -am".into(),
        ours: ours.as_secs_f64() * 1e3,
        peer: theirs.as_secs_f64() * 1e3,
        unit: "ms",
        paired: None,
        bound: PLAN_BOUND,
    })
}

/// A bench of something that failed measures nothing.
#[expect(clippy::panic, reason = "a bench of something that failed measures nothing")]
fn refuse(why: &str) -> ! {
    panic!("the gate refused: {why}")
}
