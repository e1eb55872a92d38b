//! Factor "Dependency changes": what the project is made of besides its own code.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::judge::facts::{Ecosystem, Fact, FactKind, VersionStep};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;
use crate::model::path::RelPath;

/// One entry for each finding, then the lock files.
///
/// A lock file is expected to move with its manifest, so it adds only what the manifests
/// of its family have not cost already. A manifest that changes beside it can therefore
/// never make a plan cheaper.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    let mut explained: BTreeMap<Ecosystem, u32> = BTreeMap::new();
    let mut vendored: BTreeSet<&RelPath> = BTreeSet::new();
    for fact in basis.facts() {
        let Some(row) = row(fact) else { continue };
        if row == RiskRow::VendoredCode && !vendored.insert(&fact.path) {
            continue;
        }
        if let Some(family) = family(&fact.kind) {
            let paid = explained.entry(family).or_default();
            *paid = paid.saturating_add(row.points());
        }
        out.push(Evidence::of_fact(fact, row.points()));
    }
    let locks = basis.first_per_file(|kind| matches!(kind, FactKind::LockFileChanged { .. }));
    for lock in locks {
        let FactKind::LockFileChanged { ecosystem } = lock.kind else { continue };
        let paid = explained.entry(ecosystem).or_default();
        let covered = RiskRow::LockFile.points().min(*paid);
        *paid -= covered;
        let points = RiskRow::LockFile.points() - covered;
        if points > 0 {
            out.push(Evidence::of_fact(lock, points));
        }
    }
    out
}

fn row(fact: &Fact) -> Option<RiskRow> {
    Some(match &fact.kind {
        FactKind::DependencyAdded { .. } => RiskRow::DependencyAdded,
        FactKind::DependencyRemoved { .. } => RiskRow::DependencyRemoved,
        FactKind::DependencyVersion { step: VersionStep::Major, .. } => RiskRow::DependencyMajor,
        FactKind::DependencyVersion { step: VersionStep::Other, .. } => RiskRow::DependencyOther,
        FactKind::DependencySource { .. } => RiskRow::DependencySource,
        FactKind::BuildScript { .. } => RiskRow::BuildScript,
        FactKind::ManifestUnreadable { .. } => RiskRow::ManifestUnreadable,
        FactKind::VendoredCode { .. } => RiskRow::VendoredCode,
        FactKind::UrlImport { .. } => RiskRow::UrlImport,
        FactKind::Submodule { .. } => RiskRow::Submodule,
        _ => return None,
    })
}

fn family(kind: &FactKind) -> Option<Ecosystem> {
    match kind {
        FactKind::DependencyAdded { ecosystem, .. }
        | FactKind::DependencyRemoved { ecosystem, .. }
        | FactKind::DependencyVersion { ecosystem, .. }
        | FactKind::DependencySource { ecosystem, .. }
        | FactKind::BuildScript { ecosystem, .. }
        | FactKind::ManifestUnreadable { ecosystem, .. } => Some(*ecosystem),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::score::sample::{Sample, kinds};

    const FACTOR: &str = "Dependency changes";

    #[test]
    fn each_kind_has_its_points() {
        let cargo = Ecosystem::Cargo;
        for (kind, points) in [
            (kinds::dependency_added(cargo), 5),
            (kinds::dependency_removed(cargo), 5),
            (kinds::dependency_version(cargo, VersionStep::Major), 5),
            (kinds::dependency_version(cargo, VersionStep::Other), 2),
            (kinds::dependency_source(cargo), 10),
            (kinds::build_script(cargo), 10),
            (kinds::manifest_unreadable(cargo), 25),
            (kinds::url_import(), 10),
            (kinds::submodule(), 10),
        ] {
            let mut sample = Sample::new();
            sample.modify("Cargo.toml");
            sample.fact(kind.clone());
            assert_eq!(sample.factor(FACTOR), points, "{kind:?}");
        }
    }

    #[test]
    fn the_factor_is_capped() {
        let mut sample = Sample::new();
        sample.modify("Cargo.toml");
        for points in [5, 10, 15, 20, 25, 25, 25] {
            sample.fact(kinds::dependency_added(Ecosystem::Cargo));
            assert_eq!(sample.factor(FACTOR), points);
        }
    }

    #[test]
    fn a_lock_file_costs_what_its_manifests_do_not() {
        let cargo = Ecosystem::Cargo;
        let other = kinds::dependency_version(cargo, VersionStep::Other);
        for (facts, family_of_facts, points) in
            [(0, cargo, 5), (1, cargo, 5), (2, cargo, 5), (3, cargo, 6), (1, Ecosystem::Npm, 7)]
        {
            let mut sample = Sample::new();
            sample.modify("Cargo.lock");
            sample.modify("Cargo.toml");
            for _ in 0..facts {
                let mut kind = other.clone();
                if let FactKind::DependencyVersion { ecosystem, .. } = &mut kind {
                    *ecosystem = family_of_facts;
                }
                sample.fact(kind);
            }
            assert_eq!(sample.factor(FACTOR), points, "{facts} {family_of_facts}");
        }
    }

    #[test]
    fn dependencies_by_the_back_door_count() {
        for path in ["vendor/x/y.go", "lib/tool.jar", "go.sum"] {
            let mut sample = Sample::new();
            sample.create(path, "bytes\n");
            assert_eq!(sample.factor(FACTOR), 5, "{path}");
        }
    }
}
