//! Values, types, patterns, conditions and places that are other ones than before.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::{HashMap, HashSet};

use super::gather::{Deed, Effects};
use super::key::words;
use super::losses::{Tell, kind};
use super::reach::checks;
use super::upkeep::keeping;
use super::values::{Value, Width, far, is_plain, leaps, number, opens};
use super::weigh::{beyond, stays};

pub(super) fn values(before: &Effects, after: &Effects, tell: Tell<'_>) {
    fn grouped(values: &[Value]) -> HashMap<(&str, &str), Vec<&Value>> {
        let mut out: HashMap<(&str, &str), Vec<&Value>> = HashMap::new();
        for one in values {
            out.entry((&one.deed.function, &one.deed.key)).or_default().push(one);
        }
        out
    }
    let (was, is) = (grouped(&before.values), grouped(&after.values));
    for one in &after.values {
        let place = (&*one.deed.function, one.deed.key.as_str());
        let (Some(old), Some(new)) = (was.get(&place), is.get(&place)) else { continue };
        if old.len() != new.len() {
            continue;
        }
        let changed = old.iter().zip(new).find(|(old, new)| old.text != new.text);
        let Some((old, new)) = changed else { continue };
        if let Some(how) = worse(old, new, after) {
            let key = format!("{}={}", new.deed.key, new.text);
            tell(how, &Deed { key, ..new.deed.clone() }, false);
        }
    }
}

/// Whether another value behind a name is one that a person should see.
fn worse(old: &Value, new: &Value, after: &Effects) -> Option<GuardLoss> {
    let name = old.deed.key.as_str();
    let plain = |value: &str| is_plain(value) || number(value).is_some();
    if old.default && plain(&old.text) && plain(&new.text) {
        return Some(GuardLoss::Default);
    }
    if old.listed {
        return Some(GuardLoss::Limit);
    }
    if name.ends_with("[]") {
        let more =
            matches!((number(&old.text), number(&new.text)), (Some(old), Some(new)) if new >= old);
        return (!more).then_some(GuardLoss::Limit);
    }
    // What is handed on: numbers in the same places.
    if name.contains('(') {
        if name.to_ascii_lowercase().contains("capacity") || name.starts_with("reserve") {
            return None;
        }
        let split = |text: &str| -> Vec<String> {
            text.split(['(', ',', ')']).map(str::to_owned).collect()
        };
        let (old, new) = (split(&old.text), split(&new.text));
        let moved = old.iter().zip(&new).any(|(old, new)| {
            old != new && number(old).is_some() && (far(old, new) || opens(old, new))
        });
        return moved.then_some(GuardLoss::Limit);
    }
    let last = name.rsplit(['.', '>', ':']).next().unwrap_or(name);
    let says = !keeping(last).is_empty()
        || checks(last)
        || after.guarding.contains(last)
        || words(last).iter().any(|word| says_what_may(word));
    let other = says && far(&old.text, &new.text);
    (other || leaps(&old.text, &new.text) || opens(&old.text, &new.text))
        .then_some(GuardLoss::Limit)
}

/// Whether a word of a name says who somebody is, or what they may do.
fn says_what_may(word: &str) -> bool {
    matches!(
        word,
        "role"
            | "roles"
            | "scope"
            | "scopes"
            | "access"
            | "visibility"
            | "acl"
            | "policy"
            | "algorithm"
            | "algorithms"
            | "alg"
            | "audience"
            | "issuer"
            | "origin"
            | "sandbox"
            | "redirect"
            | "privilege"
            | "privileges"
            | "permission"
            | "permissions"
    )
}

/// Numbers that are kept in fewer bits, or with another sign.
pub(super) fn widths(before: &Effects, after: &Effects, tell: Tell<'_>) {
    type Place<'e> = (&'e str, &'e str, bool);
    fn group(widths: &[Width]) -> HashMap<Place<'_>, Vec<(u32, bool)>> {
        let mut out: HashMap<Place<'_>, Vec<(u32, bool)>> = HashMap::new();
        for one in widths {
            let place = (&*one.deed.function, one.deed.key.as_str(), one.cast);
            out.entry(place).or_default().push(one.bits);
        }
        out
    }
    let (was, is) = (group(&before.widths), group(&after.widths));
    for one in &after.widths {
        let place = (&*one.deed.function, one.deed.key.as_str(), one.cast);
        let known = before.functions.contains(&*one.deed.function) || one.deed.function.is_empty();
        let smaller = match (was.get(&place).map(Vec::as_slice), is.get(&place).map(Vec::as_slice))
        {
            // Where a name stands for several values, nobody can tell which is which.
            (Some([old]), Some([new])) => new.0 < old.0 || new.0 == old.0 && new.1 != old.1,
            // A new cast to sixteen bits, which no character and no byte has.
            (None, _) => one.cast && one.bits.0 == 16 && !was.is_empty(),
            _ => false,
        };
        if smaller && known {
            tell(GuardLoss::Narrowed, &one.deed, false);
        }
    }
}

/// A pattern that another one took the place of.
pub(super) fn patterns(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let gone: HashSet<&str> = beyond(before.patterns.iter(), after.patterns.iter())
        .into_iter()
        .map(|deed| &*deed.function)
        .collect();
    for deed in beyond(after.patterns.iter(), before.patterns.iter()) {
        if gone.contains(&*deed.function) {
            tell(GuardLoss::Pattern, deed, false);
        }
    }
}

/// A yes or no with a name that guards use, worked out in another way.
pub(super) fn settled(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let gone: HashSet<&str> = beyond(before.settled.iter(), after.settled.iter())
        .into_iter()
        .map(|deed| &*deed.function)
        .collect();
    for deed in beyond(after.settled.iter(), before.settled.iter()) {
        let name = deed.function.rsplit(' ').next().unwrap_or_default();
        if gone.contains(&*deed.function)
            && (after.guarding.contains(name) || before.guarding.contains(name))
        {
            tell(GuardLoss::Verdict, deed, false);
        }
    }
}

/// What is done otherwise than before by a function that still does it.
pub(super) fn replaced(
    before: &[Deed],
    after: &[Deed],
    now: &Effects,
    how: GuardLoss,
    tell: Tell<'_>,
) {
    let fresh: HashSet<(&str, &str)> = beyond(after.iter(), before.iter())
        .into_iter()
        .map(|deed| (&*deed.function, kind(deed)))
        .collect();
    for deed in beyond(before.iter(), after.iter()) {
        if stays(now, deed) && fresh.contains(&(&*deed.function, kind(deed))) {
            tell(how, deed, true);
        }
    }
}

/// A place that only this machine reached, and that others reach now.
pub(super) fn listens(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let own = |effects: &Effects| effects.listens.iter().filter(|(_, any)| !any).count();
    let (was, is) = (own(before), own(after));
    let any = |effects: &'_ Effects| -> Vec<Deed> {
        effects.listens.iter().filter(|(_, any)| *any).map(|(deed, _)| deed.clone()).collect()
    };
    let (any_before, any_after) = (any(before), any(after));
    if is < was {
        for deed in beyond(any_after.iter(), any_before.iter()) {
            tell(GuardLoss::Limit, deed, false);
        }
    }
}

/// A condition that holds for something more, or asks for something more.
pub(super) fn wider(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let mut gone: HashMap<&str, Vec<&Deed>> = HashMap::new();
    for deed in beyond(before.conditions.iter(), after.conditions.iter()) {
        gone.entry(&*deed.function).or_default().push(deed);
    }
    for deed in beyond(after.conditions.iter(), before.conditions.iter()) {
        let Some(old) = gone.get(&*deed.function) else { continue };
        // Functions have few conditions that changed; more are not looked at.
        let grown = old.iter().take(16).any(|old| {
            let old = old.key.trim_start_matches('(').trim_end_matches(')');
            old.len() > 2 && deed.key.contains(old) && deed.key.contains("||")
                || old.len() > 2 && deed.key.contains(old) && deed.key.contains(")or")
        });
        if grown && (deed.key.contains(['"', '\'']) || deed.key.contains("==")) {
            tell(GuardLoss::Condition, deed, false);
        }
    }
}
