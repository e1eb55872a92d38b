//! The skill a draft names is one that its proposer may name.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use crate::judge::policy::Policy;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::Draft;
use crate::text::pointer::Pointer;

/// Checks `skill_id` against what policy registers for the authenticated proposer.
pub fn skill(draft: &Draft, policy: &Policy, proposer: Option<&str>, issues: &mut Vec<Issue>) {
    if let Err(fault) = policy.check_skill(proposer, draft.skill_id.as_deref()) {
        issues.push(
            Issue::error(Code::PlanToolNotAllowed, "skill", fault.to_string())
                .at(Pointer::root().key("skill_id"))
                .help("name a skill that the operator registered for this proposer"),
        );
    }
}
