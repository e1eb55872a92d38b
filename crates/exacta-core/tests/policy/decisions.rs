//! A project layer never loosens what is decided about a plan.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::policy::{Layer, LayerName, Policy, merge};
use exacta_core::model::plan::Draft;
use exacta_core::read::parse::{self, Limits};
use exacta_testkit::{Budget, Harmless, MemoryTree, Rng};

use crate::never_looser::layer;

const DRAFTS: [&str; 7] = [
    r#"{"steps": [
        {"step_id": "step_1", "title": "Drop db/1.sql", "type": "file_delete", "target": "db/1.sql"},
        {"step_id": "step_2", "title": "Drop db/2.sql", "type": "file_delete", "target": "db/2.sql"},
        {"step_id": "step_3", "title": "Change docs/x", "type": "file_modify", "target": "docs/x", "content": "y\n"},
        {"step_id": "step_4", "title": "Change docs/y", "type": "file_modify", "target": "docs/y", "content": "y\n"},
        {"step_id": "step_5", "title": "Change src/z", "type": "file_modify", "target": "src/z", "content": "y\n"}]}"#,
    r#"{"steps": [{"step_id": "step_1", "title": "Add src/new.rs", "type": "file_create", "target": "src/new.rs", "content": "x\n"}]}"#,
    r#"{"steps": [{"step_id": "step_1", "title": "Change docs/x", "type": "file_modify", "target": "docs/x", "content": "y\n"}]}"#,
    r#"{"steps": [{"step_id": "step_1", "title": "Drop db/1.sql", "type": "file_delete", "target": "db/1.sql"}]}"#,
    r#"{"skill_id": "p", "steps": [{"step_id": "step_1", "title": "Read a.x", "tool": {"name": "ReadWeb", "args": {"url": "https://a.x/"}}}]}"#,
    r#"{"recipe": "Custom", "inputs": {"u": "https://d.y/"}, "steps": [{"step_id": "step_1", "title": "Call d.y", "tool": {"name": "CallApi", "args": {"url": "https://d.y/"}}}]}"#,
    r#"{"skill_id": "q", "steps": [{"step_id": "step_1", "title": "Tell", "tool": {"name": "NotifyUser", "args": {"text": "done"}}}]}"#,
];

fn decided(draft: &Draft, tree: &MemoryTree, policy: &Policy, proposer: Option<&str>) -> Kind {
    let context = Context { proposer: proposer.map(Into::into), ..Context::default() };
    let examined = examine(draft.clone(), tree, &Harmless, policy, &context).unwrap();
    let kind = examined.decision.map_or(Kind::Reject, |decision| decision.kind);
    assert!(examined.issues.is_empty() || kind == Kind::Reject);
    kind
}

#[test]
fn a_project_layer_never_loosens_a_decision() {
    let tree = MemoryTree::of(
        ["docs/x", "docs/y", "src/z", "db/1.sql", "db/2.sql"].map(|path| (path, "x\n")),
    );
    let drafts =
        DRAFTS.map(|text| parse::draft(text.as_bytes(), Limits::default()).expect("a draft"));
    let budget = Budget::new("decisions under layers", 100_000, 60, 1_000_000);
    let mut kinds = [0_u64; 4];
    let mut seed = 0;
    while budget.allows(seed) {
        let mut rng = Rng::new(seed ^ 0xdec1);
        let mut layers: Vec<Layer> = Vec::new();
        for name in [LayerName::System, LayerName::Operator] {
            if rng.percent(60) {
                layers.push(layer(&mut rng, name));
            }
        }
        let before = merge(&layers).policy;
        layers.push(layer(&mut rng, LayerName::Project));
        let now = merge(&layers).policy;
        let draft = rng.pick(&drafts);
        let proposer = *rng.pick(&[None, Some("p"), Some("q"), Some("unknown")]);
        let (was, is) =
            (decided(draft, &tree, &before, proposer), decided(draft, &tree, &now, proposer));
        assert!(is <= was, "seed {seed}: {was:?} became {is:?}");
        kinds[was as usize] += 1;
        seed += 1;
    }
    budget.report(seed);
    assert!(kinds.iter().all(|count| *count > 0), "every decision must occur: {kinds:?}");
}
