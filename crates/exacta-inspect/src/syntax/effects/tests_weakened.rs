//! Tests that are still there and say less: other code under test, ways out before the
//! assertions, assertions that always hold.

use exacta_core::judge::facts::{FactKind, GuardLoss, TestLoss};
use hashbrown::HashSet;

use super::gather::{Deed, Effects};
use super::losses::{Tell, Turned, around_of, signs};
use super::weigh::{beyond, found};
use crate::excerpt::excerpt;
use crate::syntax::compare::Difference;

/// Functions that runners of tests call by themselves around the tests.
const AROUND: &[&str] = &[
    "TestMain",
    "setUpModule",
    "setup_module",
    "load_tests",
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "pytest_sessionfinish",
    "pytest_configure",
    "excepthook",
];

/// Everything of this file.
pub(super) fn weakened(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    fn assertions(effects: &Effects) -> impl Iterator<Item = &Deed> {
        effects.assertions.iter().map(|(deed, _)| deed)
    }
    let mut told: HashSet<usize> = HashSet::new();
    let mut tell = |_: GuardLoss, deed: &Deed, in_before: bool| {
        if told.insert(deed.line) {
            let kind = FactKind::TestsLost {
                loss: TestLoss::AssertionsFewer,
                name: excerpt(&deed.key),
                count: 1,
            };
            out.push(found(deed, in_before, kind));
        }
    };
    let tell: Tell<'_> = &mut tell;
    let stays = |deed: &Deed| before.functions.contains(&*deed.function);
    // A test that gets another way out.
    let guards = |effects: &'_ Effects| -> Vec<Deed> {
        effects.guards.iter().map(|guard| guard.deed.clone()).collect()
    };
    let (was, is) = (guards(before), guards(after));
    for deed in beyond(is.iter(), was.iter()) {
        if stays(deed) && !deed.key.starts_with("assert") {
            tell(GuardLoss::PassedBy, deed, false);
        }
    }
    for deed in beyond(after.swallowed.iter(), before.swallowed.iter()) {
        if stays(deed) {
            tell(GuardLoss::Swallowed, deed, false);
        }
    }
    // The same two values, compared by another sign.
    signs(after, &Turned::of(before, after), tell);
    // The same assertion under a condition.
    around_of(assertions(before), assertions(after), tell);
    // An assertion that always holds came where one was that did not.
    let weak = |effects: &'_ Effects| -> Vec<Deed> {
        effects.assertions.iter().filter(|(_, weak)| *weak).map(|(deed, _)| deed.clone()).collect()
    };
    let (weak_before, weak_after) = (weak(before), weak(after));
    for deed in beyond(weak_after.iter(), weak_before.iter()) {
        if stays(deed) {
            tell(GuardLoss::Constant, deed, false);
        }
    }
    let known: HashSet<&str> = before.defines.iter().map(String::as_str).collect();
    for deed in &after.declares {
        if AROUND.contains(&deed.key.as_str()) && !known.contains(deed.key.as_str()) {
            tell(GuardLoss::Shadowed, deed, false);
        }
    }
    for deed in beyond(after.stubbed.iter(), before.stubbed.iter()) {
        tell(GuardLoss::Shadowed, deed, false);
    }
}
