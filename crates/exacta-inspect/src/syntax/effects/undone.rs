//! Calls that functions which stay no longer make, parts that stand for the whole, defaults
//! that nobody asked for, and more being shown than before.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::{HashMap, HashSet};

use super::exits::Exit;
use super::gather::{Deed, Effects};
use super::key::without_numbers;
use super::losses::{Tell, Turned, counts, shown};
use super::made::{Made, parts as parts_of};
use super::operations::{BETWEEN, Operation};
use super::reach::checks;
use super::values::{leaps, number};
use super::weigh::{beyond, stays};

/// Everything of this file.
pub(super) fn undone(before: &Effects, after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    calls(before, after, tell);
    parts(before, after, tell);
    exposed(before, after, tell);
    lookups(before, after, tell);
    exchanged(before, after, tell);
    turned_around(before, after, tell);
    kept_apart(before, after, tell);
    caught(before, after, tell);
    bounds(after, turned, tell);
    set(after, turned, tell);
    unset(after, turned, tell);
}

fn deeds(made: &[Made]) -> impl Iterator<Item = &Deed> {
    made.iter().map(|one| &one.deed)
}

/// A call that is gone from a function, where no other came.
fn calls(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let gone: HashSet<*const Deed> = beyond(deeds(&before.calls), deeds(&after.calls))
        .into_iter()
        .map(std::ptr::from_ref)
        .collect();
    if gone.is_empty() {
        return;
    }
    let replaced: HashSet<&str> = beyond(deeds(&after.calls), deeds(&before.calls))
        .into_iter()
        .map(|deed| &*deed.function)
        .collect();
    let often = counts(deeds(&before.calls).map(|deed| deed.key.as_str()));
    let often_now = counts(deeds(&after.calls).map(|deed| deed.key.as_str()));
    let defined: HashSet<&str> = before.defines.iter().map(String::as_str).collect();
    let defined_now: HashSet<&str> = after.defines.iter().map(String::as_str).collect();
    for one in before.calls.iter().filter(|one| gone.contains(&std::ptr::from_ref(&one.deed))) {
        let name = one.deed.key.as_str();
        // A plain function, unless the file has one of its own of that name.
        if one.light || one.plain && !defined.contains(name) {
            continue;
        }
        // What was called went into its caller.
        let inlined = defined.contains(name) && !defined_now.contains(name);
        if stays(after, &one.deed)
            && !replaced.contains(&*one.deed.function)
            && often_now.get(name) < often.get(name)
            && !inlined
        {
            tell(GuardLoss::Dropped, &one.shown(), true);
        }
    }
}

/// A part of a value, up to a fixed place, in functions that decide or refuse.
fn parts(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let fresh = beyond(after.parts.iter(), before.parts.iter());
    if fresh.is_empty() {
        return;
    }
    // The same part that only grew is no smaller part.
    let known: HashMap<(&str, String), &str> = beyond(before.parts.iter(), after.parts.iter())
        .into_iter()
        .map(|deed| ((&*deed.function, without_numbers(&deed.key)), deed.key.as_str()))
        .collect();
    let grown = |deed: &Deed| {
        let old = known.get(&(&*deed.function, without_numbers(&deed.key)));
        old.is_some_and(|old| last_number(old) <= last_number(&deed.key))
    };
    let verdicts = before.returns.iter().filter(|one| one.verdict).map(|one| &one.deed);
    let refusing = before.guards.iter().filter(|guard| guard.exit == Exit::Refuses);
    let deciding: HashSet<&str> =
        verdicts.chain(refusing.map(|guard| &guard.deed)).map(|deed| &*deed.function).collect();
    for deed in fresh {
        let function = &*deed.function;
        if before.functions.contains(function)
            && (deciding.contains(function) || checks(function))
            && !grown(deed)
        {
            tell(GuardLoss::Part, deed, false);
        }
    }
}

/// The last number of a key.
fn last_number(key: &str) -> Option<u64> {
    let digits = |c: char| c.is_ascii_digit();
    key.split(|c| !digits(c)).rfind(|part| !part.is_empty())?.parse().ok()
}

/// Whole values where parts were picked, or nothing was shown.
fn exposed(before: &Effects, after: &Effects, tell: Tell<'_>) {
    fn replies(effects: &Effects, picked: bool) -> impl Iterator<Item = &Deed> {
        effects.replies.iter().filter(move |(_, one)| *one == picked).map(|(deed, _)| deed)
    }
    let stayed =
        |deed: &Deed| deed.function.is_empty() || before.functions.contains(&*deed.function);
    for deed in beyond(after.shown.iter(), before.shown.iter()) {
        if stayed(deed) {
            tell(GuardLoss::Exposed, deed, false);
        }
    }
    let picked: HashSet<&str> = beyond(replies(before, true), replies(after, true))
        .into_iter()
        .map(|deed| &*deed.function)
        .collect();
    for deed in beyond(replies(after, false), replies(before, false)) {
        if picked.contains(&*deed.function) {
            tell(GuardLoss::Exposed, deed, false);
        }
    }
}

/// Something looked up that now has a value also where there is none.
fn lookups(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let mut known: HashMap<(&str, &str), i64> = HashMap::new();
    for one in &after.lookups {
        *known.entry((&*one.deed.function, one.given.as_str())).or_insert(0) += 1;
    }
    // What was looked up without a default and is no longer.
    let mut gone: HashSet<(&str, &str)> = HashSet::new();
    for one in &before.lookups {
        match known.get_mut(&(&*one.deed.function, one.given.as_str())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                let asked = one.given.strip_suffix(')').unwrap_or(&one.given);
                gone.insert((&*one.deed.function, asked));
            }
        }
    }
    if gone.is_empty() {
        return;
    }
    for one in &after.lookups {
        let asked = one.given.rsplit_once(',').map(|(asked, _)| asked);
        if asked.is_some_and(|asked| gone.contains(&(&*one.deed.function, asked))) {
            tell(GuardLoss::Default, &one.shown(), false);
        }
    }
}

/// Where an operation puts its result, with its sign.
fn place(one: &Operation) -> Option<(&str, &str, &str)> {
    let (left, _) = one.deed.key.split_once(BETWEEN)?;
    Some((&one.deed.function, one.sign, left))
}

/// The two sides of an operation.
fn sides(one: &Operation) -> Option<(&str, &str)> {
    one.deed.key.split_once(BETWEEN)
}

/// Another call in the place of one, with the same values.
fn exchanged(before: &Effects, after: &Effects, tell: Tell<'_>) {
    type Call<'e> = (&'e str, &'e str, &'e str);
    fn all(effects: &Effects) -> HashSet<Call<'_>> {
        let calls = effects.calls.iter().filter(|one| !one.plain && one.given.len() > 2);
        calls.map(|one| (&*one.deed.function, &*one.deed.key, one.given.as_str())).collect()
    }
    let (was, is) = (all(before), all(after));
    let gone: HashMap<(&str, &str), &str> =
        was.difference(&is).map(|(function, name, given)| ((*function, *given), *name)).collect();
    if gone.is_empty() {
        return;
    }
    let often = counts(deeds(&before.calls).map(|deed| deed.key.as_str()));
    let often_now = counts(deeds(&after.calls).map(|deed| deed.key.as_str()));
    // One name for another wherever it is called, more than once.
    let renamed = |old: &str, new: &str| {
        let count = often.get(old);
        count > Some(&1)
            && count == often_now.get(new)
            && !often.contains_key(new)
            && !often_now.contains_key(old)
    };
    for one in &after.calls {
        let (function, given) = (&*one.deed.function, one.given.as_str());
        let name = one.deed.key.as_str();
        let Some(old) = gone.get(&(function, given)).filter(|_| !one.light) else { continue };
        if !was.contains(&(function, name, given)) && !renamed(old, name) {
            tell(GuardLoss::Check, &one.shown(), false);
        }
    }
}

/// A call that is handed the same values in another order.
fn turned_around(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let sorted = |deed: &Deed| {
        let (name, list) = deed.key.split_once('(')?;
        let mut parts: Vec<String> = parts_of(list.strip_suffix(')')?).map(str::to_owned).collect();
        parts.sort_unstable();
        Some(format!("{name}({}", parts.join(",")))
    };
    let mut gone: HashSet<(&str, String)> = HashSet::new();
    for deed in beyond(before.handed.iter(), after.handed.iter()) {
        gone.extend(sorted(deed).map(|list| (&*deed.function, list)));
    }
    if gone.is_empty() {
        return;
    }
    for deed in beyond(after.handed.iter(), before.handed.iter()) {
        if sorted(deed).is_some_and(|list| gone.contains(&(&*deed.function, list))) {
            tell(GuardLoss::Bound, deed, false);
        }
    }
}

/// A text made of fewer of the values that told it from others.
fn kept_apart(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let mut gone: HashMap<&str, Vec<HashSet<&str>>> = HashMap::new();
    for deed in beyond(before.holes.iter(), after.holes.iter()) {
        gone.entry(&*deed.function).or_default().push(deed.key.split(BETWEEN).collect());
    }
    for deed in beyond(after.holes.iter(), before.holes.iter()) {
        let Some(old) = gone.get(&*deed.function) else { continue };
        let new: HashSet<&str> = deed.key.split(BETWEEN).collect();
        // Functions have few texts that changed; more are not looked at.
        if old.iter().take(8).any(|old| new.len() < old.len() && new.is_subset(old)) {
            tell(GuardLoss::Part, deed, false);
        }
    }
}

/// Every error is caught where one kind was.
fn caught(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let any = |deed: &Deed| {
        let caught = deed.key.as_str();
        matches!(caught, "except:" | "catch(...)")
            || ["exceptException", "exceptBaseException", "catch(Exception", "catch(Throwable"]
                .iter()
                .any(|start| caught.starts_with(start))
    };
    let gone: HashSet<&str> = beyond(before.catches.iter(), after.catches.iter())
        .into_iter()
        .filter(|deed| !any(deed))
        .map(|deed| &*deed.function)
        .collect();
    for deed in beyond(after.catches.iter(), before.catches.iter()) {
        if any(deed) && gone.contains(&*deed.function) {
            tell(GuardLoss::Swallowed, deed, false);
        }
    }
}

/// A bound or a default of which one side stays and the other is another one.
fn bounds(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    let kept: HashSet<(&str, &str, &str)> =
        turned.come.iter().filter_map(|one| place(one)).collect();
    for one in turned.gone.iter().filter(|one| stays(after, &one.deed)) {
        let gathers = matches!(one.sign, "|=" | "^=" | "&=");
        let counts = matches!(one.sign, "+=" | "-=") && one.keeps().is_some();
        let dropped = || place(one).is_some_and(|place| !kept.contains(&place));
        if gathers && dropped() {
            tell(GuardLoss::Bound, &shown(one), true);
        } else if counts && dropped() {
            tell(GuardLoss::Sum, &shown(one), true);
        }
    }
    let otherwise = |one: &Operation| matches!(one.sign, "??" | "||" | "or");
    let compares =
        |one: &Operation| one.is_bound() || matches!(one.sign, "==" | "!=" | "===" | "!==");
    let mut left: HashMap<(&str, &str, &str), &str> = HashMap::new();
    let mut right: HashSet<(&str, &str, &str)> = HashSet::new();
    for one in turned.gone.iter().filter(|one| compares(one) || otherwise(one)) {
        let Some((before, behind)) = sides(one) else { continue };
        left.insert((&one.deed.function, one.sign, before), behind);
        // What is held against a plain number may be any measure.
        if compares(one) && number(behind).is_none() {
            right.insert((&one.deed.function, one.sign, behind));
        }
    }
    if left.is_empty() {
        return;
    }
    for one in turned.come.iter().filter(|one| stays(after, &one.deed)) {
        let Some((before, behind)) = sides(one) else { continue };
        let function = &*one.deed.function;
        let old = left.get(&(function, one.sign, before)).copied();
        if otherwise(one) && old.is_some() {
            tell(GuardLoss::Default, &shown(one), false);
        }
        if compares(one) {
            let numbers = |old: &str| number(old).is_some() && number(behind).is_some();
            if old.is_some_and(|old| !numbers(old) || leaps(old, behind))
                || right.contains(&(function, one.sign, behind))
            {
                tell(GuardLoss::Bound, &shown(one), false);
            }
        }
    }
}

/// A kept value that is no longer set at all.
fn unset(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    let left = |one: &Operation| one.deed.key.split(BETWEEN).next().map(str::to_owned);
    let now: HashSet<(&str, String)> = after
        .operations
        .iter()
        .filter(|one| one.sets())
        .filter_map(|one| Some((&*one.deed.function, left(one)?)))
        .collect();
    let set: HashSet<&str> =
        turned.come.iter().filter(|one| one.sets()).map(|one| &*one.deed.function).collect();
    for one in turned.gone.iter().filter(|one| one.sign == "=" && stays(after, &one.deed)) {
        let function = &*one.deed.function;
        let Some(place) = left(one).filter(|left| left.contains(['.', '[', '>'])) else { continue };
        if !function.is_empty() && !set.contains(function) && !now.contains(&(function, place)) {
            tell(GuardLoss::Dropped, &shown(one), true);
        }
    }
}

/// A kept value that was worked out and is now always the same.
fn set(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    let fixed = |value: &str| {
        matches!(
            value,
            "None"
                | "null"
                | "nil"
                | "undefined"
                | "NULL"
                | "nullptr"
                | "true"
                | "false"
                | "True"
                | "False"
                | "0"
                | "\"\""
                | "''"
        )
    };
    let mut gone: HashSet<(&str, &str)> = HashSet::new();
    for one in turned.gone.iter().filter(|one| one.sign == "=") {
        if let Some((left, right)) = sides(one)
            && !fixed(right)
            && left.contains(['.', '[', '>'])
        {
            gone.insert((&one.deed.function, left));
        }
    }
    for one in turned.come.iter().filter(|one| one.sign == "=" && stays(after, &one.deed)) {
        if let Some((left, right)) = sides(one)
            && fixed(right)
            && gone.contains(&(&*one.deed.function, left))
        {
            tell(GuardLoss::Constant, &shown(one), false);
        }
    }
}
