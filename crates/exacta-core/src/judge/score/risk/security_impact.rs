//! Factor "Security impact": code that guards, and files that act.

use alloc::vec::Vec;

use crate::judge::facts::FactKind;
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;

/// One entry for each security-relevant file, each file that runs by itself, each secret
/// and each check switched off.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    let guards = basis.first_per_file(|kind| matches!(kind, FactKind::SecurityCode { .. }));
    for (i, fact) in guards.into_iter().enumerate() {
        let row = if i == 0 { RiskRow::SecurityCode } else { RiskRow::SecurityCodeFurther };
        out.push(Evidence::of_fact(fact, row.points()));
    }
    let acts = basis.first_per_file(|kind| matches!(kind, FactKind::RunsByItself { .. }));
    let points = RiskRow::RunsByItself.points();
    out.extend(acts.into_iter().map(|fact| Evidence::of_fact(fact, points)));
    for row in [
        RiskRow::GuardLoosened,
        RiskRow::DangerousReach,
        RiskRow::NewReach,
        RiskRow::TextBuilt,
        RiskRow::DataChanged,
        RiskRow::TrustWeakened,
    ] {
        let told = basis.first_per_file(|kind| effect(kind) == Some(row));
        out.extend(told.into_iter().map(|fact| Evidence::of_fact(fact, row.points())));
    }
    out.extend(basis.facts().filter_map(|fact| {
        let row = match &fact.kind {
            FactKind::SecretAdded { .. } => RiskRow::SecretAdded,
            FactKind::CertificateChecksOff { .. } => RiskRow::CertificateChecksOff,
            _ => return None,
        };
        Some(Evidence::of_fact(fact, row.points()))
    }));
    out
}

/// The row of a fact about what the change does.
fn effect(kind: &FactKind) -> Option<RiskRow> {
    match kind {
        FactKind::GuardLoosened { .. } => Some(RiskRow::GuardLoosened),
        FactKind::Reaches { .. } => Some(RiskRow::DangerousReach),
        FactKind::NewReach { .. } => Some(RiskRow::NewReach),
        FactKind::TextBuilt { .. } => Some(RiskRow::TextBuilt),
        FactKind::StoredData { .. } => Some(RiskRow::DataChanged),
        FactKind::TrustWeakened { .. } => Some(RiskRow::TrustWeakened),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::{Sample, kinds};

    const FACTOR: &str = "Security impact";

    #[test]
    fn each_kind_has_its_points_and_the_factor_a_cap() {
        for (kind, path, points) in [
            (kinds::secret_added(), "src/a.rs", 15),
            (kinds::certificate_checks_off(), "src/a.rs", 15),
            (kinds::security_code(), "src/a.rs", 8),
            (kinds::todo_note(), "Makefile", 10),
            (kinds::security_code(), "Makefile", 15),
        ] {
            let mut sample = Sample::new();
            sample.modify(path);
            sample.fact(kind.clone());
            assert_eq!(sample.factor(FACTOR), points, "{kind:?} {path}");
        }
    }

    #[test]
    fn further_files_with_security_code_add_less() {
        let mut sample = Sample::new();
        for (i, points) in [8, 10, 12, 14, 15, 15].into_iter().enumerate() {
            sample.modify(&format!("src/{i}.rs"));
            sample.fact(kinds::security_code());
            sample.fact(kinds::security_code());
            assert_eq!(sample.factor(FACTOR), points);
        }
    }
}
