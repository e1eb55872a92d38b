//! What a draft says about itself must be true, and no wider than policy.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::judge::policy::Policy;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::path::RelPath;
use crate::model::plan::{Action, Draft, FileAction, Payload};
use crate::model::registry::{self, PRIMITIVES};
use crate::model::web::{host_listed, mail_key};
use crate::read::parse::nearest;
use crate::text::pointer::Pointer;

/// Checks `target_files`, `allowed_primitives`, `web_allowed_domains`, `recipient_hints`.
pub fn claims(draft: &Draft, policy: &Policy, issues: &mut Vec<Issue>) {
    target_files(draft, issues);
    for (index, name) in draft.allowed_primitives.iter().flatten().enumerate() {
        let at = Pointer::root().key("allowed_primitives").index(index);
        if registry::find(name).is_none() {
            issues.push(
                Issue::error(
                    Code::PlanInvalidTool,
                    "tool_exists",
                    format!("the tool `{name}` does not exist"),
                )
                .at(at)
                .help(nearest(name, PRIMITIVES.iter().map(|primitive| primitive.name))),
            );
        } else if !policy.allows_primitive(name, draft.skill_id.as_deref()) {
            issues.push(wider(
                at,
                format!("`allowed_primitives` lists `{name}`, which policy does not allow"),
            ));
        }
    }
    for (index, host) in draft.web_allowed_domains.iter().flatten().enumerate() {
        let at = Pointer::root().key("web_allowed_domains").index(index);
        // A wildcard in a claim would be wider than any list of exact names.
        if !host_listed(host, &policy.allowed_domains) {
            issues.push(wider(
                at,
                format!("`web_allowed_domains` lists `{host}`, which policy does not allow"),
            ));
        }
    }
    let recipients: BTreeSet<String> =
        policy.allowed_recipients.iter().filter_map(|address| mail_key(address)).collect();
    for (index, address) in draft.recipient_hints.iter().flatten().enumerate() {
        let at = Pointer::root().key("recipient_hints").index(index);
        if !mail_key(address).is_some_and(|key| recipients.contains(&key)) {
            issues.push(wider(
                at,
                format!("`recipient_hints` lists `{address}`, which policy does not allow"),
            ));
        }
    }
}

fn wider(at: Pointer, message: String) -> Issue {
    Issue::error(Code::PlanToolNotAllowed, "claim_wider", message)
        .at(at)
        .help("a draft can narrow what policy allows, never widen it")
}

fn target_files(draft: &Draft, issues: &mut Vec<Issue>) {
    let Some(claimed) = &draft.target_files else { return };
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    for step in &draft.steps {
        if let Action::File(FileAction { target, payload, .. }) = &step.action {
            touched.insert(target);
            if let Payload::Patch(patch) = payload {
                touched.extend(patch.renamed_from().map(RelPath::as_str));
            }
        }
    }
    let claimed: BTreeSet<&str> = claimed.iter().map(String::as_str).collect();
    let at = Pointer::root().key("target_files");
    let list = |names: Vec<&&str>| {
        names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let unlisted: Vec<_> = touched.difference(&claimed).collect();
    let untouched: Vec<_> = claimed.difference(&touched).collect();
    for (names, what) in [
        (unlisted, "the steps touch files that `target_files` does not list"),
        (untouched, "`target_files` lists files that no step touches"),
    ] {
        if !names.is_empty() {
            issues.push(
                Issue::error(
                    Code::PlanClaimContradicted,
                    "target_files",
                    format!("{what}: {}", list(names)),
                )
                .at(at.clone())
                .help("list exactly the files the steps touch, or leave `target_files` out"),
            );
        }
    }
}
