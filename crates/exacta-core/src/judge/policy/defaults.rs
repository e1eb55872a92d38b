//! The built-in values: what holds when no layer says anything.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::arbiter::Arbiters;
use super::caps::Caps;
use super::model::{Policy, SessionBudget};
use super::tools::Tools;
use super::words::{Decide, Profile};
use crate::judge::score::table::{SESSION_FILES, SESSION_LINES, SESSION_RISK};
use crate::model::registry;

/// Manifests and lock files in the project's root: a plan made before one of them
/// changed may no longer fit the project.
const PROJECT_CONFIG: [&str; 32] = [
    "*.csproj",
    "*.fsproj",
    "*.vbproj",
    "Cargo.lock",
    "Cargo.toml",
    "Directory.Packages.props",
    "Gemfile",
    "Gemfile.lock",
    "Pipfile",
    "Pipfile.lock",
    "build.gradle",
    "build.gradle.kts",
    "bun.lock",
    "bun.lockb",
    "composer.json",
    "composer.lock",
    "deno.json",
    "deno.lock",
    "go.mod",
    "go.sum",
    "go.work",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.json",
    "packages.lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pyproject.toml",
    "requirements*.txt",
    "uv.lock",
    "yarn.lock",
];

impl Default for Policy {
    fn default() -> Self {
        Self {
            arbiters: Arbiters::default(),
            version: 1,
            // Nothing runs alone until somebody chose so.
            profile: Profile::Manual,
            autonomy_ceiling: Profile::Balanced,
            decide: Decide::Terminal,
            commit: false,
            editor_decides: false,
            ttl_minutes: 30,
            token_budget: 200_000,
            retention_days: 36_500,
            allowed_domains: BTreeSet::new(),
            allowed_recipients: BTreeSet::new(),
            primitives: registry::default_names().collect(),
            known_urls: BTreeSet::new(),
            unasked_primitives: BTreeSet::new(),
            tools: Tools::default(),
            caps: Caps::default(),
            micro_usd_per_million_tokens: 2_000_000,
            prices: BTreeMap::new(),
            proposers: BTreeMap::new(),
            skills: BTreeMap::new(),
            checks: BTreeMap::new(),
            project_config: PROJECT_CONFIG.into_iter().map(Into::into).collect(),
            session_budget: SessionBudget {
                files: SESSION_FILES.into(),
                lines: SESSION_LINES.into(),
                minutes: 10,
                risk: SESSION_RISK.into(),
            },
            constraints: Vec::new(),
            rules: Vec::new(),
            sources: Vec::new(),
        }
    }
}
