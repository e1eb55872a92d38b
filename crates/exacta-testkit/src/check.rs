//! From planner text to findings in one call, as every door does it.

use std::collections::BTreeSet;

use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::facts::Unread;
use exacta_core::judge::policy::{Policy, Profile};
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::plan::Draft;
use exacta_core::read::parse::{Limits, draft, patch};

use crate::memory_tree::MemoryTree;

/// What a test compares of a finding: code, rule, step.
pub type Finding = (&'static str, String, Option<String>);

/// What the plan meets: files, policy, and what a person said.
#[derive(Clone, Debug)]
pub struct Check {
    /// The files.
    pub tree: MemoryTree,
    /// The policy.
    pub policy: Policy,
    /// Intent, constraints of a person, origin.
    pub context: Context,
}

impl Default for Check {
    /// An empty project of somebody who lets harmless plans run alone.
    fn default() -> Self {
        let policy = Policy { profile: Profile::Conservative, ..Policy::default() };
        Self { tree: MemoryTree::default(), policy, context: Context::default() }
    }
}

impl Check {
    /// A project with these files, under the built-in policy with `conservative`, so that
    /// harmless plans may run alone.
    #[must_use]
    pub fn on<P: Into<String>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        Self { tree: MemoryTree::of(files), ..Self::default() }
    }

    /// Examines a draft that was read already.
    #[must_use]
    pub fn draft(&self, draft: Draft) -> Examined {
        examine(draft, &self.tree, &Unread, &self.policy, &self.context)
            .expect("a draft has a JSON form")
    }

    /// Parses and examines planner text.
    ///
    /// # Errors
    /// The findings of the parser.
    pub fn text(&self, text: impl AsRef<[u8]>) -> Result<Examined, Vec<Issue>> {
        Ok(self.draft(draft(text.as_ref(), Limits::default())?))
    }

    /// Imports and examines a git patch.
    ///
    /// # Errors
    /// The findings of the importer.
    pub fn patch(&self, bytes: impl AsRef<[u8]>) -> Result<Examined, Vec<Issue>> {
        Ok(self.draft(patch(bytes.as_ref(), Limits::default())?))
    }

    /// Every finding on planner text, whichever stage makes it.
    #[must_use]
    pub fn findings(&self, text: impl AsRef<[u8]>) -> BTreeSet<Finding> {
        match self.text(text) {
            Ok(examined) => findings(&examined.issues),
            Err(issues) => findings(&issues),
        }
    }

    /// The codes of all findings on planner text.
    #[must_use]
    pub fn codes(&self, text: impl AsRef<[u8]>) -> BTreeSet<&'static str> {
        self.findings(text).into_iter().map(|(code, ..)| code).collect()
    }

    /// The examination of planner text that must be sound.
    pub fn sound(&self, text: impl AsRef<[u8]>) -> Examined {
        let text = text.as_ref();
        let shown = String::from_utf8_lossy(text.get(..text.len().min(2000)).unwrap_or_default());
        let examined = self.text(text).unwrap_or_else(|issues| panic!("{shown}\n{issues:#?}"));
        assert!(examined.is_sound(), "{shown}\n{:#?}", examined.issues);
        examined
    }
}

/// What tests compare of findings.
#[must_use]
pub fn findings(issues: &[Issue]) -> BTreeSet<Finding> {
    issues
        .iter()
        .map(|issue| (issue.code.as_str(), issue.rule.to_string(), issue.step_id.clone()))
        .collect()
}
