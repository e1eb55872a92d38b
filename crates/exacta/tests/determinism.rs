//! One plan has one score and one hash: however it is spelled, in whatever process, place
//! and time zone it is judged, and however often.
//!
//! Starting the program a thousand times would take longer than it proves. So this test
//! starts itself: each child judges all plans with the program's own parts, and a sample
//! goes through the program as users start it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::facts::{Fact, Inspected, Inspector};
use exacta_core::judge::policy::Policy;
use exacta_core::model::digest::Blob;
use exacta_core::read::parse::{Limits, draft};
use exacta_engine::workspace::Root;
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::Rng;
use exacta_testkit::spelling::respell;
use serde_json::{Value, json};
use tempfile::TempDir;

const PLANS: u64 = 1_000;
const FOLDER: &str = "EXACTA_DETERMINISM_FOLDER";
const SPELLING: &str = "EXACTA_DETERMINISM_SPELLING";
const JUDGED: &str = "judged ";
/// Where dots and commas change places, `i` has no dot, and days begin at other times.
const PLACES: [(&str, &str); 3] =
    [("C", "UTC"), ("tr_TR.UTF-8", "Asia/Kathmandu"), ("de_DE.UTF-8", "America/St_Johns")];

const FILES: &[(&str, &str)] = &[
    ("src/lib.rs", "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n"),
    ("src/login.py", "def login(user, password):\n    return check(user, password)\n"),
    ("web/app.js", "export function start(at) {\n  return at + 1\n}\n"),
    ("native/scan.c", "int scan(const char *text) {\n  return text[0] == 'I';\n}\n"),
    ("Cargo.toml", "[package]\nname = \"sample\"\n\n[dependencies]\nserde = \"1.0.1\"\n"),
    ("README.md", "# Sample\n\nA title, an İ and an ß.\n"),
    ("tests/total.rs", "#[test]\nfn total() {\n    assert_eq!(1, 1);\n}\n"),
    ("Makefile", "all:\n\ttrue\n"),
];

const CONTENTS: &[&str] = &[
    "pub fn total(items: &[u64]) -> u64 {\n    if items.is_empty() { return 0 }\n    items.iter().sum()\n}\n",
    "def login(user, password, second=None):\n    # TODO: implement\n    pass\n",
    "export function begin(at) {\n  return eval(at)\n}\n",
    "[package]\nname = \"sample\"\n\n[dependencies]\nserde = \"2.0.0\"\nlibc = \"0.2\"\n",
    "# Sample\n\nAnother text with a \u{202e} in it.\n",
    "int scan(const char *text, int from) {\n  return text[from] == 'i';\n}\n",
    "#[test]\n#[ignore]\nfn total() {}\n",
    "",
];

const TITLES: &[&str] = &["Fix it", "Raise the limit in src/lib.rs", "İstanbul ısı", "1,5 ≠ 1.5"];

/// The plan of a seed, as a planner would write it.
fn plan(seed: u64) -> Value {
    let mut rng = Rng::new(seed);
    let mut targets: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
    targets.extend(["src/new.rs", "docs/Note.md"]);
    rng.shuffle(&mut targets);
    let count = 1 + rng.below(4);
    let mut steps = Vec::new();
    for (number, target) in (1..=count).zip(targets) {
        let mut step = json!({
            "step_id": format!("step_{number}"),
            "title": rng.pick(TITLES),
            "target": target,
        });
        let exists = FILES.iter().any(|(path, _)| *path == target);
        let kind = match (exists, rng.below(4)) {
            (true, 0) => "file_delete",
            (true, _) => "file_modify",
            (false, _) => "file_create",
        };
        step["type"] = kind.into();
        if kind != "file_delete" {
            step["content"] = format!("{}{seed}\n", rng.pick(CONTENTS)).into();
        }
        steps.push(step);
    }
    json!({ "goal": format!("{} {seed}", rng.pick(TITLES)), "inputs": {"b": 1, "a": [2, 3]}, "steps": steps })
}

/// The inspector's own work, in this process.
struct Inside;

impl Inspector for Inside {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let steps = changes.iter().map(StepInput::of);
        let manifests = manifests.iter().map(Blob::bytes).collect();
        inspect(&Request { steps: steps.collect(), manifests, ..Request::default() }).facts
    }
}

/// Everything that must be the same.
fn judged(root: &Root, text: &str) -> String {
    let draft = draft(text.as_bytes(), Limits::default()).unwrap();
    let policy = Policy::default();
    let examined = examine(draft, root, &Inside, &policy, &Context::default()).unwrap();
    let assessment = examined.assessment.unwrap();
    let quality = serde_json::to_value(assessment.quality.overall).unwrap();
    format!("{} {} {quality}", examined.plan_hash, assessment.risk.score)
}

/// What a child does: judges every plan twice, each time in another spelling.
#[test]
fn child() {
    let (Ok(folder), Ok(spelling)) = (std::env::var(FOLDER), std::env::var(SPELLING)) else {
        return;
    };
    let root = Root::open(Path::new(&folder)).unwrap();
    let mut rng = Rng::new(spelling.parse().unwrap());
    for seed in 0..PLANS {
        let plan = plan(seed);
        let [once, again] = [(); 2].map(|()| judged(&root, &respell(&plan, &mut rng)));
        assert_eq!(once, again, "seed {seed}");
        println!("{JUDGED}{once}");
    }
}

fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in FILES {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn in_place(program: &Path, (locale, zone): (&str, &str), folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear().env("HOME", folder);
    command.env("LC_ALL", locale).env("LANG", locale).env("TZ", zone);
    command
}

#[test]
fn one_score_and_one_hash_in_every_process_and_place() {
    let folder = project();
    let program = std::env::current_exe().unwrap();
    let mut first: Option<Vec<String>> = None;
    for (number, place) in PLACES.into_iter().enumerate() {
        let children = [0, 1].map(|process| {
            in_place(&program, place, folder.path())
                .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
                .env(FOLDER, folder.path())
                .env(SPELLING, (100 * number + process).to_string())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        });
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{place:?}");
            let text = String::from_utf8(output.stdout).unwrap();
            let lines: Vec<String> =
                text.lines().filter_map(|line| Some(line.split_once(JUDGED)?.1.into())).collect();
            assert_eq!(lines.len() as u64, PLANS, "{place:?}");
            let known = first.get_or_insert_with(|| lines.clone());
            for (seed, (known, now)) in known.iter().zip(&lines).enumerate() {
                assert_eq!(known, now, "seed {seed} in {place:?}");
            }
        }
    }
    let lines = first.unwrap();
    let hashes: BTreeSet<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(hashes.len() as u64, PLANS, "every plan is another");
}

#[test]
fn the_program_says_what_its_parts_say() {
    let folder = project();
    let root = Root::open(folder.path()).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_exacta"));
    let mut rng = Rng::new(7);
    for seed in 0..10 {
        let plan = plan(seed);
        let expected = judged(&root, &plan.to_string());
        for place in PLACES {
            let mut child = in_place(program, place, folder.path())
                .args(["check", "-", "--json"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let text = respell(&plan, &mut rng);
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let output = child.wait_with_output().unwrap();
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let said = format!(
                "{} {} {}",
                report["plan_hash"].as_str().unwrap(),
                report["risk"]["score"],
                report["quality"]["overall"]
            );
            assert_eq!(said, expected, "seed {seed} in {place:?}");
        }
    }
}
