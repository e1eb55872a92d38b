//! What judging a plan costs beside the parse that it cannot do without.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::facts::{Fact, Inspected, Inspector, Reason, not_analysed};
use exacta_core::judge::policy::Policy;
use exacta_core::model::digest::Blob;
use exacta_core::model::plan::Draft;
use exacta_core::read::parse::{Limits, draft};
use exacta_inspect::wire::{read_report, write_request};
use exacta_inspect::{Request, StepInput};
use exacta_testkit::MemoryTree;
use tree_sitter::{Language, Parser};

use crate::measure::{Row, best};

/// The hidden argument that makes the program the inspector's child.
const CHILD: &str = "__inspect";
const JUDGE_BOUND: f64 = 2.5;
const SCALE_BOUND: f64 = 1.3;

pub(crate) fn rows(exacta: &Path, policy: &Policy) -> Result<Vec<Row>, String> {
    let work = [100, 1000].map(|files| Work::new(files, exacta, policy));
    let [hundred, thousand] = &work;
    for work in &work {
        work.check()?;
    }
    let parsers = parsers();
    let (ours, peer) = best(
        15,
        || hundred.judge(),
        || {
            for (file, before, after) in &hundred.images {
                parse(&parsers, *file, before);
                parse(&parsers, *file, after);
            }
        },
    );
    let judging = Row {
        name: "judge 100 files of 200 lines / parse them before and after".into(),
        ours: ours.as_secs_f64() * 1e3,
        peer: peer.as_secs_f64() * 1e3,
        unit: "ms",
        paired: None,
        bound: JUDGE_BOUND,
    };
    let (large, small) = best(7, || thousand.judge(), || hundred.judge());
    let scale = Row {
        name: "cost of a judged file in a plan of 1,000 / of 100".into(),
        ours: large.as_secs_f64() * 1e6 / 1000.0,
        peer: small.as_secs_f64() * 1e6 / 100.0,
        unit: "µs",
        paired: None,
        bound: SCALE_BOUND,
    };
    Ok(vec![judging, scale])
}

fn parsers() -> [Language; 3] {
    [
        tree_sitter_rust::LANGUAGE.into(),
        tree_sitter_python::LANGUAGE.into(),
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    ]
}

fn parse(parsers: &[Language; 3], file: usize, text: &str) {
    let mut parser = Parser::new();
    if let Some(language) = parsers.get(file % parsers.len()) {
        let _ = parser.set_language(language);
    }
    black_box(parser.parse(text, None));
}

/// A plan with everything around it.
struct Work<'a> {
    images: Vec<(usize, String, String)>,
    draft: Draft,
    tree: MemoryTree,
    exacta: &'a Path,
    policy: &'a Policy,
}

impl<'a> Work<'a> {
    #[expect(clippy::expect_used, reason = "a bench on a bad draft measures nothing")]
    fn new(files: usize, exacta: &'a Path, policy: &'a Policy) -> Self {
        let images: Vec<(usize, String, String)> =
            (0..files).map(|file| (file, source(file, 0), source(file, 4))).collect();
        let steps: Vec<serde_json::Value> = images
            .iter()
            .map(|(file, _, after)| {
                serde_json::json!({
                    "step_id": format!("step_{}", file + 1),
                    "title": format!("Change {}", path(*file)),
                    "type": "file_modify",
                    "target": path(*file),
                    "content": after,
                })
            })
            .collect();
        let text = serde_json::json!({ "steps": steps }).to_string();
        let draft = draft(text.as_bytes(), Limits::default()).expect("the draft is sound");
        let tree = MemoryTree::of(
            images.iter().map(|(file, before, _)| (path(*file), before.as_bytes().to_vec())),
        );
        Self { images, draft, tree, exacta, policy }
    }

    /// From draft to decision, with the inspector in its child.
    fn judge(&self) {
        let inspector = Child { exacta: self.exacta };
        let draft = self.draft.clone();
        drop(black_box(examine(draft, &self.tree, &inspector, self.policy, &Context::default())));
    }

    fn check(&self) -> Result<(), String> {
        let inspector = Child { exacta: self.exacta };
        let examined =
            examine(self.draft.clone(), &self.tree, &inspector, self.policy, &Context::default())
                .map_err(|error| error.to_string())?;
        let Some(decision) = examined.decision else {
            return Err(format!("the plan to judge is refused: {:?}", examined.issues));
        };
        let unread = decision.reasons.iter().any(|reason| reason.kind.as_str() == "not_analysed");
        if unread { Err("the inspector's child did not answer".into()) } else { Ok(()) }
    }
}

fn path(file: usize) -> String {
    let ending = ["rs", "py", "ts"].get(file % 3).copied().unwrap_or_default();
    format!("src/part_{}/file_{file}.{ending}", file % 7)
}

/// About 200 lines; the first `changed` functions of it are other ones.
fn source(file: usize, changed: usize) -> String {
    (0..20)
        .map(|n| {
            let value = if n < changed { n + 1000 } else { n };
            match file % 3 {
                0 => format!("/// Adds up list {n}.\npub fn total_{file}_{n}(items: &[u32], limit: u32) -> Option<u32> {{\n    let mut sum = 0_u32;\n    for item in items {{\n        if *item > limit && limit != {value} {{\n            return None;\n        }}\n        sum = sum.checked_add(*item)?;\n    }}\n    Some(sum)\n}}\n"),
                1 => format!("def total_{file}_{n}(items, limit={value}):\n    \"\"\"Adds up list {n}.\"\"\"\n    total = 0\n    for item in items:\n        if item > limit and limit != {n}:\n            return None\n        total += item\n    log.debug(\"total of %s is %s\", items, total)\n    return total\n\n"),
                _ => format!("// Adds up list {n}.\nexport function total{file}x{n}(items: number[], limit: number): number | null {{\n  let sum = 0;\n  for (const item of items) {{\n    if (item > limit && limit !== {value}) {{\n      return null;\n    }}\n    sum += item;\n  }}\n  return sum;\n}}\n"),
            }
        })
        .collect()
}

/// The inspector as the gate runs it.
struct Child<'a> {
    exacta: &'a Path,
}

impl Inspector for Child<'_> {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        self.ask(changes, manifests).unwrap_or_else(|| not_analysed(changes, Reason::ChildDied))
    }
}

impl Child<'_> {
    fn ask(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Option<Vec<Fact>> {
        let mut child = Command::new(self.exacta)
            .arg(CHILD)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let steps = changes.iter().map(StepInput::of);
        let request = Request {
            steps: steps.collect(),
            manifests: manifests.iter().map(Blob::bytes).collect(),
            ..Request::default()
        };
        // The child reads everything before it answers.
        write_request(&request, &mut child.stdin.take()?).ok()?;
        let report = read_report(&mut child.stdout.take()?).ok();
        child.wait().ok()?;
        report.map(|report| report.facts)
    }
}
