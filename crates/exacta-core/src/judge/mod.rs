//! Judging a plan: facts, estimates, scores, policy, the decision.
//!
//! Input: what `read` gave, facts from the inspector, the policy in force. Output:
//! `Examined`, with the `Plan` and its hash. Next stage: `life`.

pub mod decide;
pub mod estimate;
pub mod examine;
pub mod facts;
mod ground;
pub mod policy;
pub mod score;
