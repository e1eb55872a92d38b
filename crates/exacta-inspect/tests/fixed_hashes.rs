//! Plans that were judged once have the scores and hashes they had: the same plan, the same
//! files and the same policy give the same hash also in another version of the program, unless
//! that version says that it judges otherwise.
//!
//! `EXACTA_BLESS=1` writes the fixture anew; that is right only together with another assessor
//! version.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

use std::fmt::Write as _;
use std::path::Path;

use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::facts::{Fact, Inspected, Inspector};
use exacta_core::judge::policy::{Policy, Profile};
use exacta_core::model::digest::Blob;
use exacta_core::model::plan::{ASSESSOR_VERSION, Draft};
use exacta_core::read::parse::{Limits, draft, patch};
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::Rng;
use exacta_testkit::memory_tree::MemoryTree;
use serde_json::{Value, json};

const PLANS: u64 = 150;
const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/hashes/plans.txt");

const FILES: &[(&str, &str)] = &[
    ("src/lib.rs", "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n"),
    ("src/login.py", "def login(user, password):\n    return check(user, password)\n"),
    ("web/app.js", "export function start(at) {\n  return at + 1\n}\n"),
    ("native/scan.c", "int scan(const char *text) {\n  return text[0] == 'I';\n}\n"),
    ("Cargo.toml", "[package]\nname = \"sample\"\n\n[dependencies]\nserde = \"1.0.1\"\n"),
    ("README.md", "# Sample\n\nA title.\n"),
    ("tests/total.rs", "#[test]\nfn total() {\n    assert_eq!(1, 1);\n}\n"),
    ("crlf.txt", "one\r\ntwo\r\nthree"),
];

const CONTENTS: &[&str] = &[
    "pub fn total(items: &[u64]) -> u64 {\n    if items.is_empty() { return 0 }\n    items.iter().sum()\n}\n",
    "def login(user, password, second=None):\n    # TODO: implement\n    pass\n",
    "export function begin(at) {\n  return eval(at)\n}\n",
    "[package]\nname = \"sample\"\n\n[dependencies]\nserde = \"2.0.0\"\nlibc = \"0.2\"\n",
    "# Sample\n\nAnother text with a \u{202e} in it.\n",
    "int scan(const char *text, int from) {\n  return text[from] == 'i';\n}\n",
    "one\r\n2\r\nthree\r\nfour",
    "",
];

const PATCH: &str = "\
diff --git a/src/lib.rs b/src/lib.rs
--- a/src/lib.rs
+++ b/src/lib.rs
@@ -1,3 +1,4 @@
 pub fn total(items: &[u32]) -> u32 {
+    let _ = 1;
     items.iter().sum()
 }
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
";

/// The plan of a seed, as a planner would write it.
fn plan(seed: u64) -> Value {
    let mut rng = Rng::new(seed);
    let mut targets: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
    targets.extend(["src/new.rs", "docs/Note.md"]);
    rng.shuffle(&mut targets);
    let count = 1 + rng.below(4);
    let mut steps = Vec::new();
    for (number, target) in (1..=count).zip(targets) {
        let mut step =
            json!({"step_id": format!("step_{number}"), "title": "Change it", "target": target});
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
    json!({"goal": format!("plan {seed}"), "inputs": {"b": 1, "a": [2, 3]}, "steps": steps})
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

fn judged(name: &str, draft: Draft) -> String {
    let tree = MemoryTree::of(FILES.iter().copied());
    let policy = Policy { profile: Profile::Conservative, ..Policy::default() };
    let context = Context::default();
    let examined = examine(draft, &tree, &Inside, &policy, &context).unwrap();
    let effect = examined.effect_hash.map_or_else(|| "-".into(), |hash| hash.to_string());
    let scores = examined.assessment.as_ref().map(|assessment| {
        let quality = serde_json::to_value(assessment.quality.overall).unwrap();
        format!("risk {} quality {quality}", assessment.risk.score)
    });
    let scores = scores.unwrap_or_else(|| "not scored".into());
    format!("{name} plan {} effect {effect} {scores}\n", examined.plan_hash)
}

#[test]
fn what_was_judged_once_is_judged_the_same() {
    let mut now = format!("assessor {ASSESSOR_VERSION}\n");
    for seed in 0..PLANS {
        let text = plan(seed).to_string();
        let draft = draft(text.as_bytes(), Limits::default()).unwrap();
        write!(now, "{}", judged(&format!("draft-{seed}"), draft)).unwrap();
    }
    write!(now, "{}", judged("patch", patch(PATCH.as_bytes(), Limits::default()).unwrap()))
        .unwrap();
    if std::env::var_os("EXACTA_BLESS").is_some() {
        std::fs::create_dir_all(Path::new(FIXTURE).parent().unwrap()).unwrap();
        std::fs::write(FIXTURE, &now).unwrap();
    }
    let then = std::fs::read_to_string(FIXTURE).unwrap();
    for (then, now) in then.lines().zip(now.lines()) {
        assert_eq!(then, now);
    }
    assert_eq!(then.lines().count(), now.lines().count());
}
