//! Compares what two images do: what guards no longer guard, and what is newly reached.

use std::cell::LazyCell;

use exacta_core::judge::facts::{FactKind, GuardLoss, Sink, TestLoss};
use hashbrown::{HashMap, HashSet};

use super::exits::{Exit, refuses};
use super::gather::{Deed, Effects};
use super::key::{without_numbers, words};
use super::losses::losses;
use super::passed_by::{is_money, shadowed};
use super::tests_weakened::weakened;
use super::upkeep::keeping;
use super::values::{differs, far, leaps, number};
use crate::excerpt::excerpt;
use crate::syntax::compare::Difference;

/// Of what sort a comparison is: counts before and after for each key.
struct Counts<'e>(HashMap<(&'e str, &'e str), i64>);

impl<'e> Counts<'e> {
    fn of(deeds: impl Iterator<Item = &'e Deed>) -> Self {
        let mut counts = HashMap::with_capacity(deeds.size_hint().1.unwrap_or(0).min(4096));
        for deed in deeds {
            *counts.entry((&*deed.function, deed.key.as_str())).or_insert(0) += 1;
        }
        Self(counts)
    }

    /// Whether one of this key is still there; it is used up.
    fn take(&mut self, deed: &'e Deed) -> bool {
        match self.0.get_mut(&(&*deed.function, deed.key.as_str())) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// What there is in the first list beyond what is in the second.
pub(super) fn beyond<'e>(
    some: impl Iterator<Item = &'e Deed>,
    others: impl Iterator<Item = &'e Deed>,
) -> Vec<&'e Deed> {
    let mut counts = Counts::of(others);
    some.filter(|deed| !counts.take(deed)).collect()
}

pub(super) fn found(deed: &Deed, in_before: bool, kind: FactKind) -> Difference {
    Difference { line: deed.line, in_before, kind }
}

pub(super) fn loss(loss: GuardLoss, deed: &Deed, in_before: bool) -> Difference {
    let kind = FactKind::GuardLoosened {
        loss,
        function: excerpt(&deed.function),
        text: excerpt(&deed.key),
    };
    found(deed, in_before, kind)
}

/// Everything that a person should look at, of an image that became another one. `test`
/// says that only tests use the file.
pub(crate) fn weigh(
    before: Option<&Effects>,
    after: Option<&Effects>,
    before_text: &str,
    test: bool,
) -> Vec<Difference> {
    let none = Effects::default();
    let mut out = Vec::new();
    let Some(after) = after else { return out };
    let existed = before.is_some();
    let before = before.unwrap_or(&none);
    if existed && !test {
        guards(before, after, &mut out);
        checks(before, after, &mut out);
        verdicts(before, after, &mut out);
        limits(before, after, &mut out);
        truths(before, after, &mut out);
        losses(before, after, before_text, &mut out);
    }
    if existed && test {
        assertions(before, after, &mut out);
        uncalled(before, after, &mut out);
        weakened(before, after, &mut out);
        shadowed(before, after, &mut |how, deed, in_before| out.push(loss(how, deed, in_before)));
    }
    for deed in beyond(after.swallowed.iter(), before.swallowed.iter()) {
        if existed && !test {
            out.push(loss(GuardLoss::Swallowed, deed, false));
        }
    }
    reaches(before, after, &mut out);
    if !test {
        built(before, after, &mut out);
    }
    out
}

/// Whether the function is still there; what went with its function is not a guard lost.
pub(super) fn stays(effects: &Effects, deed: &Deed) -> bool {
    deed.function.is_empty() || effects.functions.contains(&*deed.function)
}

fn guards(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    fn refusing(effects: &Effects) -> impl Iterator<Item = &Deed> {
        let guards = effects.guards.iter().filter(|guard| guard.exit == Exit::Refuses);
        guards.map(|guard| &guard.deed)
    }
    fn all(effects: &Effects) -> impl Iterator<Item = &Deed> {
        effects.guards.iter().map(|guard| &guard.deed)
    }
    let fresh = beyond(all(after), all(before));
    let fresh_functions: HashSet<&str> = fresh.iter().map(|deed| &*deed.function).collect();
    let mut told: HashSet<usize> = HashSet::new();
    // A branch that no longer leaves, or leaves on another condition.
    for deed in beyond(all(before), all(after)) {
        if stays(after, deed) && told.insert(deed.line) {
            let how = if fresh_functions.contains(&*deed.function) {
                GuardLoss::Condition
            } else {
                GuardLoss::Removed
            };
            out.push(loss(how, deed, true));
        }
    }
    // A branch that refused and now hands something back.
    for deed in beyond(refusing(before), refusing(after)) {
        if stays(after, deed) && told.insert(deed.line) {
            out.push(loss(GuardLoss::Removed, deed, true));
        }
    }
    // A new way out before guards that were there, or for somebody in particular.
    let known: HashSet<(&str, &str)> =
        all(before).map(|deed| (&*deed.function, deed.key.as_str())).collect();
    let mut last_guard: HashMap<&str, usize> = HashMap::new();
    for guard in &after.guards {
        if guard.exit == Exit::Refuses
            && known.contains(&(&*guard.deed.function, guard.deed.key.as_str()))
        {
            let line = last_guard.entry(&*guard.deed.function).or_default();
            *line = (*line).max(guard.deed.line);
        }
    }
    for guard in &after.guards {
        let deed = &guard.deed;
        let is_new = !known.contains(&(&*deed.function, deed.key.as_str()));
        let before_another = last_guard.get(&*deed.function).is_some_and(|line| *line > deed.line);
        if is_new
            && guard.exit == Exit::Passes
            && before.functions.contains(&*deed.function)
            && (before_another || guard.singles_out)
        {
            out.push(loss(GuardLoss::PassedBy, deed, false));
        }
    }
}

fn checks(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    for deed in beyond(before.checks.iter(), after.checks.iter()) {
        if stays(after, deed) {
            out.push(loss(GuardLoss::Check, deed, true));
        }
    }
    for deed in beyond(before.marks.iter(), after.marks.iter()) {
        if !harmless_mark(&deed.key) {
            out.push(loss(GuardLoss::Mark, deed, true));
        }
    }
}

/// Marks that only readers and compilers look at.
fn harmless_mark(key: &str) -> bool {
    const PLAIN: &[&str] = &[
        "@Override",
        "@Deprecated",
        "@SuppressWarnings",
        "@Nullable",
        "@NonNull",
        "@NotNull",
        "@Nonnull",
        "@FunctionalInterface",
        "@SafeVarargs",
        "@Test",
        "#[inline",
        "#[must_use",
        "#[doc",
        "#[allow",
        "#[expect",
        "#[derive",
        "#[cfg(test",
        "#[test",
        "@staticmethod",
        "@classmethod",
        "@property",
        "@functools.wraps",
        "@wraps",
        "@typing.",
        "@overload",
        "@dataclass",
    ];
    PLAIN.iter().any(|plain| key.starts_with(plain))
}

fn verdicts(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let mut was: HashMap<&str, (usize, usize, usize)> = HashMap::new();
    for one in &before.returns {
        let entry = was.entry(&*one.deed.function).or_default();
        entry.0 += usize::from(one.verdict);
        entry.1 += usize::from(one.constant);
        entry.2 += usize::from(!one.constant && !refuses(&one.deed.key));
    }
    let mut is: HashMap<&str, (usize, usize)> = HashMap::new();
    for one in &after.returns {
        let entry = is.entry(&*one.deed.function).or_default();
        entry.0 += usize::from(one.constant);
        entry.1 += usize::from(!one.constant && !refuses(&one.deed.key));
    }
    let fresh = beyond(
        after.returns.iter().map(|one| &one.deed),
        before.returns.iter().map(|one| &one.deed),
    );
    let gone = beyond(
        before.returns.iter().map(|one| &one.deed),
        after.returns.iter().map(|one| &one.deed),
    );
    let places: HashSet<*const Deed> = gone.iter().map(|deed| std::ptr::from_ref(*deed)).collect();
    let verdict_gone: HashSet<&str> = before
        .returns
        .iter()
        .filter(|one| one.verdict && places.contains(&std::ptr::from_ref(&one.deed)))
        .map(|one| &*one.deed.function)
        .collect();
    let numbers: HashMap<(&str, String), &str> = gone
        .iter()
        .map(|deed| ((&*deed.function, without_numbers(&deed.key)), deed.key.as_str()))
        .collect();
    let fixed = |key: &str| number(key).is_some() || matches!(key, "true" | "false");
    let mut fixed_gone: HashSet<&str> = HashSet::new();
    let mut failures_gone: HashSet<(&str, usize)> = HashSet::new();
    for deed in &gone {
        if fixed(&deed.key) {
            fixed_gone.insert(&deed.function);
        }
        if last_of(&deed.key) != "nil" {
            failures_gone.insert((&deed.function, deed.key.split(',').count()));
        }
    }
    // An answer that the function gave before, or one that says yes, no or none.
    let given: HashSet<(&str, &str)> =
        before.returns.iter().map(|one| (&*one.deed.function, &*one.deed.key)).collect();
    let telling = |deed: &Deed| {
        matches!(&*deed.key, "true" | "false" | "0" | "1" | "-1")
            || given.contains(&(&*deed.function, &*deed.key))
    };
    let mut told: HashSet<&str> = HashSet::new();
    for deed in fresh {
        let function = &*deed.function;
        let Some((_, constants, others)) = was.get(function).copied() else { continue };
        // One plain answer stands for another, or an error is none any more.
        let answers = constants + others > 1
            && fixed(&deed.key)
            && telling(deed)
            && fixed_gone.contains(function);
        let quiet = last_of(&deed.key) == "nil"
            && failures_gone.contains(&(function, deed.key.split(',').count()));
        if (answers || quiet) && told.insert(function) {
            out.push(loss(GuardLoss::Verdict, deed, false));
            continue;
        }
        let Some((constants_now, others_now)) = is.get(function).copied() else { continue };
        let settled = constants_now > constants && others_now < others;
        let same = numbers.get(&(function, without_numbers(&deed.key)));
        let only_numbers = same.is_some_and(|old| !leaps(old, &deed.key));
        if settled && told.insert(function) {
            out.push(loss(GuardLoss::Constant, deed, false));
        } else if verdict_gone.contains(function) && !only_numbers && told.insert(function) {
            out.push(loss(GuardLoss::Verdict, deed, false));
        }
    }
}

/// The last of several values that are handed back.
fn last_of(returned: &str) -> &str {
    returned.rsplit(',').next().unwrap_or(returned)
}

/// The name that a value is bound to: without its type, its size and its stars.
fn bound_name(declared: &str) -> &str {
    let name = declared.split([':', '=', '[']).next().unwrap_or_default();
    name.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(name)
}

/// A value that guards compare with is another one.
fn limits(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let was: HashMap<&str, &str> =
        before.constants.iter().map(|deed| (&*deed.function, deed.key.as_str())).collect();
    let held_against = LazyCell::new(|| after.compared());
    for deed in &after.constants {
        let changed = was.get(&*deed.function).is_some_and(|value| *value != deed.key);
        let name = bound_name(&deed.function);
        let far_off = || {
            let old = was.get(&*deed.function).copied().unwrap_or_default();
            let says = !keeping(name).is_empty();
            says && number(old).is_some() && far(old, &deed.key)
                || leaps(old, &deed.key)
                || is_money(name)
        };
        // Other files count memory by it.
        let sized = || {
            let sizes = |word: &String| matches!(word.as_str(), "len" | "length" | "size");
            after.by_hand && words(name).iter().any(sizes)
        };
        let guarding = before.guarding.contains(name) || after.guarding.contains(name);
        let old = || was.get(&*deed.function).copied().unwrap_or_default();
        let compared = || differs(old(), &deed.key) && held_against.contains(name);
        if changed && (guarding || far_off() || sized() || compared()) {
            out.push(loss(GuardLoss::Limit, deed, false));
        }
    }
}

/// A yes that became a no in the same place, or the other way round.
fn truths(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let mut was: HashMap<(&str, &str), (i64, i64)> = HashMap::new();
    let mut is = was.clone();
    for (into, effects) in [(&mut was, before), (&mut is, after)] {
        for (deed, value) in &effects.truths {
            let entry = into.entry((&*deed.function, deed.key.as_str())).or_insert((0, 0));
            if *value { entry.0 += 1 } else { entry.1 += 1 }
        }
    }
    let mut told: HashSet<(&str, &str)> = HashSet::new();
    for (deed, _) in &after.truths {
        let place = (&*deed.function, deed.key.as_str());
        let (Some(old), Some(new)) = (was.get(&place), is.get(&place)) else { continue };
        let turned = (new.0 > old.0 && new.1 < old.1) || (new.0 < old.0 && new.1 > old.1);
        if turned && told.insert(place) {
            out.push(loss(GuardLoss::Switch, deed, false));
        }
    }
}

/// Assertions that are gone, or say less.
fn assertions(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let strong = |effects: &Effects| effects.assertions.iter().filter(|(_, weak)| !weak).count();
    let (was, is) = (strong(before), strong(after));
    if is >= was {
        return;
    }
    let gone = beyond(
        before.assertions.iter().map(|(deed, _)| deed),
        after.assertions.iter().map(|(deed, _)| deed),
    );
    if let Some(first) = gone.first() {
        out.push(found(
            first,
            true,
            FactKind::TestsLost {
                loss: TestLoss::AssertionsFewer,
                name: excerpt(&first.function),
                count: u32::try_from(was - is).unwrap_or(u32::MAX),
            },
        ));
    }
}

/// Tests that are still there, and that the program of tests calls no more.
fn uncalled(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let defines = |effects: &Effects| effects.defines.iter().cloned().collect::<HashSet<_>>();
    let (was, is) = (defines(before), defines(after));
    let called: HashSet<&str> = after.names.iter().map(|(name, _)| name.as_str()).collect();
    let mut gone = before.names.iter().filter(|(name, _)| {
        name.to_ascii_lowercase().starts_with("test")
            && was.contains(name)
            && is.contains(name)
            && !called.contains(name.as_str())
    });
    if let Some((name, line)) = gone.next() {
        let deed =
            Deed { function: name.as_str().into(), key: name.clone(), line: *line, under: 0 };
        let count = u32::try_from(gone.count() + 1).unwrap_or(u32::MAX);
        let (loss, name) = (TestLoss::CasesRemoved, excerpt(name));
        out.push(found(&deed, true, FactKind::TestsLost { loss, name, count }));
    }
}

fn reaches(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    // In which function something is reached does not count: what counts is whether it is.
    let mut known: HashMap<(&str, &str), i64> = HashMap::new();
    for (deed, _, name) in &before.reaches {
        *known.entry((name.as_str(), deed.key.as_str())).or_insert(0) += 1;
    }
    for (deed, reach, name) in &after.reaches {
        match known.get_mut(&(name.as_str(), deed.key.as_str())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                let kind = FactKind::Reaches { reach: *reach, name: excerpt(name) };
                out.push(found(deed, false, kind));
            }
        }
    }
}

fn built(before: &Effects, after: &Effects, out: &mut Vec<Difference>) {
    let mut known: HashMap<(Sink, &str), i64> = HashMap::new();
    for (deed, sink) in &before.built {
        *known.entry((*sink, deed.key.as_str())).or_insert(0) += 1;
    }
    for (deed, sink) in &after.built {
        match known.get_mut(&(*sink, deed.key.as_str())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                let kind = FactKind::TextBuilt { sink: *sink, text: excerpt(&deed.key) };
                out.push(found(deed, false, kind));
            }
        }
    }
}
