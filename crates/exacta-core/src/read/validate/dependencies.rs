//! `no_new_dependencies`: nothing that the project did not depend on before comes in.
//!
//! Manifests are read by the inspector, so this constraint is checked on facts, after the
//! others. What could not be read counts as new.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::constraints::finding;
use crate::judge::facts::{Ecosystem, Fact, FactKind, of_path};
use crate::model::change::Change;
use crate::model::diagnostic::Issue;
use crate::model::path::RelPath;
use crate::model::plan::{Constraint, Effective};
use crate::text::shown::shown;

/// Checks the constraint, where it is in force, against what the changes bring in.
pub fn dependencies(
    effective: &[Effective],
    changes: &[Change],
    facts: &[Fact],
    issues: &mut Vec<Issue>,
) {
    if !effective.iter().any(|effective| effective.constraint == Constraint::NoNewDependencies) {
        return;
    }
    let mut broken: Vec<(&str, String)> =
        facts.iter().filter_map(|fact| Some((fact.step.as_str(), brings(fact)?))).collect();
    let manifests: BTreeSet<Ecosystem> = changes
        .iter()
        .flat_map(|change| families(&change.path))
        .filter_map(|kind| match kind {
            FactKind::ManifestChanged { ecosystem } => Some(ecosystem),
            _ => None,
        })
        .collect();
    for change in changes {
        for kind in families(&change.path) {
            if let FactKind::LockFileChanged { ecosystem } = kind
                && !manifests.contains(&ecosystem)
            {
                let message = format!("`{}` changes without its manifest", change.path);
                broken.push((&change.step, message));
            }
        }
    }
    for (index, Effective { origin, constraint }) in effective.iter().enumerate() {
        if *constraint != Constraint::NoNewDependencies {
            continue;
        }
        for (step, message) in &broken {
            issues.push(finding(effective, index, *origin, Some((*step).into()), message));
        }
    }
}

/// What a fact says comes in, or could.
fn brings(fact: &Fact) -> Option<String> {
    let path = &fact.path;
    Some(match &fact.kind {
        FactKind::DependencyAdded { name, .. } => {
            format!("`{path}` adds the dependency `{}`", shown(name.as_bytes()))
        }
        FactKind::DependencySource { name, .. } => {
            format!("`{path}` takes `{}` from another source", shown(name.as_bytes()))
        }
        FactKind::UrlImport { url } => {
            format!("`{path}` loads code from `{}`", shown(url.as_bytes()))
        }
        FactKind::Submodule { name, url } if !url.is_empty() => {
            format!("`{path}` adds or moves the submodule `{}`", shown(name.as_bytes()))
        }
        FactKind::VendoredCode { created: true, .. } => format!("`{path}` is code of others"),
        FactKind::ManifestUnreadable { .. } => {
            format!("`{path}` cannot be read, so its dependencies are not known")
        }
        FactKind::NotAnalysed { .. } if !families(path).is_empty() => {
            format!("`{path}` was not analysed, so its dependencies are not known")
        }
        _ => return None,
    })
}

/// The facts that the name of a manifest or lock file tells.
fn families(path: &RelPath) -> Vec<FactKind> {
    of_path("", path, false, false)
        .into_iter()
        .map(|fact| fact.kind)
        .filter(|kind| {
            matches!(kind, FactKind::ManifestChanged { .. } | FactKind::LockFileChanged { .. })
        })
        .collect()
}
