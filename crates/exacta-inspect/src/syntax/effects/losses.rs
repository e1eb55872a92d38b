//! What functions that stay no longer do, compared over two images.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::{HashMap, HashSet};

use super::altered::{listens, patterns, replaced, settled, values, wider, widths};
use super::exchanged::{Changed, exchanged};
use super::gather::{Deed, Effects};
use super::operations::Operation;
use super::opposites::opposite;
use super::order::order;
use super::passed_by::{
    dropped, emptied, exempt, fewer, granted, money, refuses_more, shadowed, unawaited,
};
use super::undone::undone;
use super::upkeep::keeping;
use super::weigh::{loss, stays};
use crate::syntax::compare::Difference;

/// Everything of this file.
pub(super) fn losses(
    before: &Effects,
    after: &Effects,
    before_text: &str,
    out: &mut Vec<Difference>,
) {
    let mut told: HashSet<usize> = out.iter().map(|one| one.line).collect();
    let mut tell = |how: GuardLoss, deed: &Deed, in_before: bool| {
        if told.insert(deed.line) {
            out.push(loss(how, deed, in_before));
        }
    };
    let turned = Turned::of(before, after);
    operations(after, &turned, &mut tell);
    upkeep(before, after, &mut tell);
    fewer(&before.errors, &after.errors, after, GuardLoss::Error, &mut tell);
    unawaited(before, after, &mut tell);
    around(before, after, &mut tell);
    values(before, after, &mut tell);
    widths(before, after, &mut tell);
    patterns(before, after, &mut tell);
    settled(before, after, &mut tell);
    replaced(&before.room, &after.room, after, GuardLoss::Bound, &mut tell);
    replaced(&before.queries, &after.queries, after, GuardLoss::Condition, &mut tell);
    wider(before, after, &mut tell);
    listens(before, after, &mut tell);
    emptied(after, &turned, &mut tell);
    granted(before, &turned, &mut tell);
    dropped(before, after, &mut tell);
    exempt(before, after, &mut tell);
    refuses_more(before, after, &mut tell);
    money(before, after, &turned, &mut tell);
    shadowed(before, after, &mut tell);
    undone(before, after, &turned, &mut tell);
    order(before, after, &mut tell);
    let changed = Changed::of(before, after);
    opposite(&changed, &mut tell);
    exchanged(before, after, before_text, &changed, &turned, &mut tell);
}

pub(super) type Tell<'t> = &'t mut dyn FnMut(GuardLoss, &Deed, bool);

fn by_place<'e>(operations: &[&'e Operation]) -> HashMap<(&'e str, &'e str), Vec<&'e Operation>> {
    let mut out: HashMap<(&str, &str), Vec<&Operation>> = HashMap::new();
    for one in operations {
        out.entry((&*one.deed.function, one.deed.key.as_str())).or_default().push(one);
    }
    out
}

/// Operations that one image has and the other lacks.
pub(super) struct Turned<'e> {
    pub(super) gone: Vec<&'e Operation>,
    pub(super) come: Vec<&'e Operation>,
}

impl<'e> Turned<'e> {
    pub(super) fn of(before: &'e Effects, after: &'e Effects) -> Self {
        let (was, is) = (&before.operations, &after.operations);
        Self { gone: missing(was, is), come: missing(is, was) }
    }
}

/// Operations of the first list that the second lacks.
fn missing<'e>(some: &'e [Operation], others: &[Operation]) -> Vec<&'e Operation> {
    let mut counts: HashMap<(&str, &str, &str), i64> = HashMap::with_capacity(others.len());
    for one in others {
        let place = (&*one.deed.function, one.deed.key.as_str(), one.sign);
        *counts.entry(place).or_insert(0) += 1;
    }
    some.iter()
        .filter(|one| {
            let place = (&*one.deed.function, one.deed.key.as_str(), one.sign);
            match counts.get_mut(&place) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            }
        })
        .collect()
}

pub(super) fn shown(one: &Operation) -> Deed {
    Deed { key: one.shown(), ..one.deed.clone() }
}

/// The same two values with another sign between them.
pub(super) fn signs(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    let came = by_place(&turned.come);
    for one in &turned.gone {
        let place = (&*one.deed.function, one.deed.key.as_str());
        let other = |other: &&Operation| other.sign != one.sign && other.sets() == one.sets();
        if stays(after, &one.deed) && came.get(&place).is_some_and(|same| same.iter().any(other)) {
            tell(GuardLoss::Bound, &shown(one), true);
        }
    }
}

fn operations(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    signs(after, turned, tell);
    let (gone, fresh) = (&turned.gone, &turned.come);
    let bounds_now: HashSet<&str> =
        fresh.iter().filter(|one| one.is_bound()).map(|one| &*one.deed.function).collect();
    for one in gone {
        if !stays(after, &one.deed) {
            continue;
        }
        if one.is_bound() && !bounds_now.contains(&*one.deed.function) {
            tell(GuardLoss::Bound, &shown(one), true);
            continue;
        }
        let Some(kept) = one.keeps() else { continue };
        let other = fresh.iter().find(|other| {
            other.sign == one.sign
                && other.deed.function == one.deed.function
                && other.keeps() == Some(kept)
        });
        if let Some(other) = other {
            tell(GuardLoss::Sum, &shown(other), false);
        }
    }
}

/// How often something of each name is there.
pub(super) fn counts<'e>(names: impl Iterator<Item = &'e str>) -> HashMap<&'e str, usize> {
    let mut out = HashMap::new();
    for name in names {
        *out.entry(name).or_insert(0) += 1;
    }
    out
}

/// Names that keep order and that a function which stays no longer uses at all.
fn upkeep(before: &Effects, after: &Effects, tell: Tell<'_>) {
    fn place(deed: &Deed) -> (&str, &str) {
        (&deed.function, &deed.key)
    }
    let was: HashSet<(&str, &str)> = before.upkeep.iter().map(place).collect();
    let is: HashSet<(&str, &str)> = after.upkeep.iter().map(place).collect();
    let often = counts(before.upkeep.iter().map(|deed| deed.key.as_str()));
    let often_now = counts(after.upkeep.iter().map(|deed| deed.key.as_str()));
    // Words of names that came into a function.
    let mut fresh: HashSet<(&str, String)> = HashSet::new();
    for deed in after.upkeep.iter().filter(|deed| !was.contains(&place(deed))) {
        fresh.extend(keeping(&deed.key).into_iter().map(|word| (&*deed.function, word)));
    }
    let mut told: HashSet<(&str, &str)> = HashSet::new();
    for deed in &before.upkeep {
        let name = deed.key.as_str();
        if is.contains(&place(deed))
            || !stays(after, deed)
            || !told.insert((&*deed.function, name))
            || often_now.get(name) >= often.get(name)
        {
            continue;
        }
        // Another name with one of its words came in its place.
        let renamed =
            keeping(name).into_iter().any(|word| fresh.contains(&(&*deed.function, word)));
        if !renamed {
            tell(GuardLoss::Upkeep, deed, true);
        }
    }
}

/// Guards and checks that are as they were, under a condition more.
fn around(before: &Effects, after: &Effects, tell: Tell<'_>) {
    fn all(effects: &Effects) -> impl Iterator<Item = &Deed> {
        let guards = effects.guards.iter().map(|guard| &guard.deed);
        guards.chain(&effects.checks)
    }
    around_of(all(before), all(after), tell);
}

/// Deeds that are as they were, under a condition more.
pub(super) fn around_of<'e>(
    was: impl Iterator<Item = &'e Deed>,
    is: impl Iterator<Item = &'e Deed>,
    tell: Tell<'_>,
) {
    let mut known: HashMap<(&str, &str), Vec<u64>> = HashMap::new();
    for deed in was {
        known.entry((&*deed.function, deed.key.as_str())).or_default().push(deed.under);
    }
    for deed in is {
        let Some(places) = known.get(&(&*deed.function, deed.key.as_str())) else {
            continue;
        };
        if deed.under != 0 && !places.contains(&deed.under) {
            tell(GuardLoss::Around, deed, false);
        }
    }
}

/// What stands before the first bracket.
pub(super) fn kind(deed: &Deed) -> &str {
    deed.key.split('(').next().unwrap_or_default()
}
