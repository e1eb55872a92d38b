//! Questions that a profile asks: deletes and dependencies.

use alloc::vec::Vec;

use super::collect::Asks;
use crate::judge::decide::reason::ReasonKind;
use crate::judge::facts::FactKind;
use crate::judge::policy::Profile;
use crate::judge::score::table::MANY_DELETES;
use crate::judge::score::{Basis, Evidence, Proofs};

/// Looks at what the profile in force does not leave to a plan alone.
pub(super) fn ask(
    basis: &Basis<'_>,
    proofs: &Proofs<'_>,
    profile: Option<Profile>,
    asks: &mut Asks,
) {
    let gone = basis.subject.changes.iter().filter(|change| basis.subject.deletes(change));
    let deletes: Vec<Evidence> =
        gone.map(|change| Evidence::of_change(change, "deleted or left empty", 0)).collect();
    match profile {
        Some(Profile::Conservative) => {
            let mut dependencies = basis.first_per_file(|kind| {
                matches!(kind, FactKind::ManifestChanged { .. } | FactKind::LockFileChanged { .. })
            });
            // A comment in a manifest is a comment.
            dependencies.retain(|fact| proofs.raised(fact).is_some());
            if !deletes.is_empty() {
                asks.insert(ReasonKind::DeleteInConservative, deletes);
            }
            if !dependencies.is_empty() {
                let evidence = dependencies.into_iter().map(|fact| Evidence::of_fact(fact, 0));
                asks.insert(ReasonKind::DependenciesInConservative, evidence.collect());
            }
        }
        Some(Profile::Balanced) if deletes.len() > MANY_DELETES as usize => {
            asks.insert(ReasonKind::ManyDeletes, deletes);
        }
        // In `manual`, and under a value that nobody knows, everything waits already.
        Some(Profile::Balanced | Profile::Manual) | None => {}
    }
}
