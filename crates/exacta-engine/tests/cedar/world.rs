//! Plans on a small tree, judged under policies for Cedar.

use std::sync::Arc;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::policy::{Arbiter, Arbiters, LayerName, Policy, Profile};
use exacta_core::read::parse::{self, Limits};
use exacta_engine::policy::read_cedar;
use exacta_testkit::{Harmless, MemoryTree};

/// Runs alone under the built-in policy.
pub(crate) const ADDS: &str = r#"{"steps": [{"step_id": "step_1", "title": "Add src/New.rs", "type": "file_create", "target": "src/New.rs", "content": "x\n"}]}"#;
/// Waits under the built-in policy.
pub(crate) const DELETES: &str = r#"{"steps": [{"step_id": "step_1", "title": "Drop db/old/1.sql", "type": "file_delete", "target": "db/old/1.sql"}]}"#;
/// Reads a page and tells.
pub(crate) const READS: &str = r#"{"skill_id": "web", "steps": [
    {"step_id": "step_1", "title": "Read a.x", "tool": {"name": "ReadWeb", "args": {"url": "https://a.x/"}}},
    {"step_id": "step_2", "title": "Tell", "tool": {"name": "NotifyUser", "args": {"text": "done"}}}]}"#;
/// Refused under the built-in policy.
pub(crate) const UNSOUND: &str =
    r#"{"steps": [{"step_id": "step_1", "type": "file_delete", "target": "none"}]}"#;

/// Layers with policies for Cedar.
pub(crate) type Files<'a> = &'a [(LayerName, &'a str)];

/// The built-in policy with these files.
pub(crate) fn policy(files: Files<'_>) -> Policy {
    let read = |(layer, text): &(LayerName, &str)| {
        let file = read_cedar(*layer, text.as_bytes());
        file.unwrap_or_else(|issues| panic!("{text}: {issues:#?}")) as Arc<dyn Arbiter>
    };
    let arbiters = Arbiters::new(files.iter().map(read).collect());
    let allowed_domains = ["a.x".into()].into();
    Policy { arbiters, allowed_domains, profile: Profile::Conservative, ..Policy::default() }
}

pub(crate) fn tree() -> MemoryTree {
    MemoryTree::of(["docs/x", "src/z", "db/old/1.sql"].map(|path| (path, "x\n")))
}

/// Judges a draft of that proposer.
pub(crate) fn judged(policy: &Policy, draft: &str, proposer: Option<&str>) -> Examined {
    let draft = parse::draft(draft.as_bytes(), Limits::default()).unwrap();
    let context = Context { proposer: proposer.map(Into::into), ..Context::default() };
    examine(draft, &tree(), &Harmless, policy, &context).unwrap()
}

/// What becomes of an examined plan.
pub(crate) fn kind(examined: &Examined) -> Kind {
    let kind = examined.decision.as_ref().map_or(Kind::Reject, |decision| decision.kind);
    assert_eq!(examined.is_sound(), kind != Kind::Reject || examined.issues.is_empty());
    kind
}

/// Every reason and finding, a line each.
pub(crate) fn said(examined: &Examined) -> String {
    let reasons = examined.decision.iter().flat_map(|decision| &decision.reasons);
    let mut said: Vec<String> = reasons.map(|reason| reason.message.clone()).collect();
    said.extend(examined.issues.iter().map(|i| format!("{}: {}", i.code.as_str(), i.message)));
    said.join("\n")
}

/// The built-in policy in its loosest profile with these files.
pub(crate) fn balanced(files: Files<'_>) -> Policy {
    let balanced = Profile::Balanced;
    Policy { profile: balanced, autonomy_ceiling: balanced, ..policy(files) }
}
