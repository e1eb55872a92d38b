//! All questions of a plan, each kind once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{content, limits, steps};
use crate::judge::decide::input::DecideInput;
use crate::judge::decide::reason::{Reason, ReasonKind};
use crate::judge::policy::Profile;
use crate::judge::score::{Basis, Evidence, Proofs};

/// What asks, by kind.
pub(super) type Asks = BTreeMap<ReasonKind, Vec<Evidence>>;

/// Every question that the plan raises, in the order of the reference.
pub(in crate::judge::decide) fn of(
    input: &DecideInput<'_>,
    profile: Option<Profile>,
) -> Vec<Reason> {
    let basis = Basis::of(input.subject);
    let mut asks = Asks::new();
    let proofs = Proofs::of(basis.facts());
    content::ask(&basis, &proofs, &mut asks);
    steps::ask(input, &mut asks);
    limits::ask(&basis, &proofs, profile, &mut asks);
    asks.into_iter().map(|(kind, evidence)| Reason::against(kind, evidence)).collect()
}
