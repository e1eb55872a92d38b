//! What a policy language can see of an assessed plan: integers, words and sets of words.
//!
//! Nothing here is the planner's prose. Names of files are there as the plan spells them,
//! and once more folded, for policies that must hold where letter case does not count.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::model::Policy;
use super::registered::Proposer;
use super::rule::ANONYMOUS;
use crate::judge::decide::SessionTotals;
use crate::judge::facts::FactKind;
use crate::judge::score::{Assessment, Basis, Subject};
use crate::model::change::{Change, FileMode};
use crate::model::path::{RelPath, fold_key};
use crate::model::plan::{Action, Estimates};
use crate::model::registry;
use crate::model::web::{host_of, mail_key};
use crate::read::validate::reach;

/// A set of words.
pub type Words = BTreeSet<String>;

/// One plan, as policies see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyInput {
    /// Who handed it in.
    pub proposer: Party,
    /// Every file.
    pub touched: Files,
    /// Files that come into being.
    pub created: Files,
    /// Files that change; an emptied one is also among the deleted.
    pub modified: Files,
    /// Files that go away or are left without content.
    pub deleted: Files,
    /// Files whose permission bits change.
    pub mode_changed: Files,
    /// Files that may be executed and could not be before.
    pub made_executable: Files,
    /// Lines added and removed.
    pub changed_lines: u64,
    /// Number of steps.
    pub steps: u64,
    /// 0 to 100.
    pub risk: u64,
    /// `low`, `medium`, `high`.
    pub risk_level: String,
    /// Points of each factor, by its name in lower case with underscores.
    pub factors: Vec<(String, u64)>,
    /// Thousandths, 0 to 1000.
    pub quality: u64,
    /// Thousandths of each dimension that applies, by its name.
    pub dimensions: Vec<(String, u64)>,
    /// The kinds of facts that hold about it.
    pub findings: Words,
    /// What its files are for.
    pub roles: Words,
    /// Dependencies that a manifest newly names.
    pub dependencies_added: Words,
    /// Dependencies that a manifest no longer names.
    pub dependencies_removed: Words,
    /// Dependencies with another version or source.
    pub dependencies_changed: Words,
    /// Names of primitives.
    pub tools: Words,
    /// What they do outside.
    pub effects: Words,
    /// Hosts they contact.
    pub domains: Words,
    /// Addresses they write to.
    pub recipients: Words,
    /// Number of calls.
    pub tool_calls: u64,
    /// Pages they read.
    pub pages: u64,
    /// Estimated tokens.
    pub tokens: u64,
    /// Estimated cost in millionths of a US dollar.
    pub cost_micro_usd: u64,
    /// Estimated seconds.
    pub runtime_seconds: u64,
    /// The recipe, or nothing.
    pub recipe: String,
    /// The skill, or nothing.
    pub skill: String,
    /// `atomic` or `contract`.
    pub execution: String,
    /// The profile that decides.
    pub profile: String,
    /// Risk of the proposer's plans of the last minutes, with this one.
    pub session_risk: u64,
    /// Files of the same.
    pub session_files: u64,
}

/// The authenticated proposer. What the operator did not register is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// Its name; [`ANONYMOUS`] when nobody was authenticated.
    pub name: String,
    /// The provider of its model.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Where the model runs.
    pub class: String,
}

/// Some of a plan's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// How many.
    pub count: u64,
    /// Their names as the plan spells them.
    pub exact: Names,
    /// The same, folded: one spelling for all that a file system could take for one.
    pub folded: Names,
}

/// What can be said about the names of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Whole paths.
    pub paths: Words,
    /// Every folder above them.
    pub folders: Words,
    /// Last components.
    pub names: Words,
    /// What follows the last dot of the last component.
    pub extensions: Words,
}

/// What an assessed plan is put together from.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The plan and the facts about it.
    pub subject: &'a Subject<'a>,
    /// Its scores.
    pub assessment: &'a Assessment,
    /// Its estimates.
    pub estimates: &'a Estimates,
    /// Lines added and removed.
    pub changed_lines: u64,
    /// The authenticated proposer.
    pub proposer: Option<&'a str>,
    /// What the proposer's plans add up to with this one.
    pub session: SessionTotals,
}

impl PolicyInput {
    /// What policies see of a plan.
    #[must_use]
    pub fn of(known: &Known<'_>, policy: &Policy) -> Self {
        let Known { subject, assessment, estimates, .. } = known;
        let basis = Basis::of(subject);
        let draft = subject.draft;
        let files = |test: &dyn Fn(&Change) -> bool| {
            Files::of(subject.changes.iter().filter(|change| test(change)).map(|c| &c.path))
        };
        let dimensions = assessment.quality.dimensions.each().into_iter();
        let mut matter = Self {
            proposer: Party::of(known.proposer, policy),
            touched: files(&|_| true),
            created: files(&|change| change.before.is_none()),
            modified: files(&|change| change.before.is_some() && change.after.is_some()),
            deleted: files(&|change| basis.subject.deletes(change)),
            mode_changed: files(&changes_mode),
            made_executable: files(&makes_executable),
            changed_lines: known.changed_lines,
            steps: draft.steps.len().try_into().unwrap_or(u64::MAX),
            risk: assessment.risk.score.into(),
            risk_level: word(&assessment.risk.level),
            factors: assessment
                .risk
                .factors
                .iter()
                .map(|factor| (identifier(factor.name), factor.score.into()))
                .collect(),
            quality: assessment.quality.overall.get().into(),
            dimensions: dimensions
                .filter(|(_, scored)| scored.applicable)
                .map(|(dimension, scored)| {
                    (identifier(dimension.name()), scored.score.get().into())
                })
                .collect(),
            tool_calls: estimates.estimated_tool_calls.values().sum(),
            pages: estimates.estimated_pages,
            tokens: estimates.estimated_tokens,
            cost_micro_usd: estimates.estimated_cost_micro_usd,
            runtime_seconds: estimates.estimated_runtime_sec,
            recipe: draft.recipe.as_ref().map(word).unwrap_or_default(),
            skill: draft.skill_id.clone().unwrap_or_default(),
            execution: word(&draft.execution),
            profile: word(&policy.effective_profile()),
            session_risk: known.session.risk.into(),
            session_files: known.session.files.into(),
            ..Self::default()
        };
        matter.add_facts(&basis);
        matter.add_calls(subject);
        matter
    }

    fn add_facts(&mut self, basis: &Basis<'_>) {
        for fact in basis.facts() {
            match &fact.kind {
                FactKind::HasRole { role } => {
                    self.roles.insert(role.as_str().into());
                    continue;
                }
                FactKind::DependencyAdded { name, .. } => {
                    self.dependencies_added.insert(name.clone());
                }
                FactKind::DependencyRemoved { name, .. } => {
                    self.dependencies_removed.insert(name.clone());
                }
                FactKind::DependencyVersion { name, .. }
                | FactKind::DependencySource { name, .. } => {
                    self.dependencies_changed.insert(name.clone());
                }
                // What was proven speaks for a change, not against it.
                FactKind::Proven { .. } => continue,
                _ => {}
            }
            self.findings.insert(fact.kind.name().into());
        }
    }

    fn add_calls(&mut self, subject: &Subject<'_>) {
        for (index, step) in subject.draft.steps.iter().enumerate() {
            let Action::Tool(call) = &step.action else { continue };
            self.tools.insert(call.name.clone());
            // A primitive that does not exist makes no plan, so nothing is lost here.
            let Some(primitive) = registry::find(&call.name) else { continue };
            self.effects.insert(word(&primitive.effect));
            let reach = reach(subject.draft, index, call, primitive);
            // What is no address as it stands is shown as it stands.
            let host = |text: &str| host_of(text).map_or_else(|_| text.into(), String::from);
            self.domains.extend(reach.urls.iter().map(|(text, _)| host(text)));
            let mail = |text: &str| mail_key(text).unwrap_or_else(|| text.into());
            self.recipients.extend(reach.recipients.iter().map(|(text, _)| mail(text)));
        }
    }
}

impl Party {
    fn of(name: Option<&str>, policy: &Policy) -> Self {
        let Some(name) = name else { return Self { name: ANONYMOUS.into(), ..Self::default() } };
        let known = policy.proposers.get(name);
        let of = |pick: &dyn Fn(&Proposer) -> String| known.map(pick).unwrap_or_default();
        Self {
            name: name.into(),
            provider: of(&|known| known.provider.clone()),
            model: of(&|known| known.model.clone()),
            class: of(&|known| word(&known.class)),
        }
    }
}

impl Files {
    fn of<'a>(paths: impl Iterator<Item = &'a RelPath>) -> Self {
        let distinct: BTreeSet<&str> = paths.map(RelPath::as_str).collect();
        let mut files = Self::default();
        for path in &distinct {
            files.exact.add(path);
            files.folded.add(&fold_key(path));
        }
        files.count = distinct.len().try_into().unwrap_or(u64::MAX);
        files
    }
}

impl Names {
    fn add(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        self.folders.extend(above.map(String::from));
        self.paths.insert(path.into());
        self.names.insert(name.into());
        // The dot of `.gitignore` begins a name, not an ending.
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        self.extensions.extend(ending.map(|(_, ending)| ending.into()));
    }
}

fn changes_mode(change: &Change) -> bool {
    change.before.is_some() && change.after.is_some() && change.mode_before != change.mode_after
}

fn makes_executable(change: &Change) -> bool {
    let may = |mode: Option<FileMode>| mode.is_some_and(FileMode::is_executable);
    may(change.mode_after) && !may(change.mode_before)
}

/// The written form of a word.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// A name as an attribute.
fn identifier(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}
