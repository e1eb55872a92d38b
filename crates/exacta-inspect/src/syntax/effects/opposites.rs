//! Functions in the place of their opposites: `every` became `some`, what was added is taken
//! away.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::HashMap;

use super::exchanged::{Changed, shown};
use super::losses::Tell;
use super::operations::BETWEEN;
use super::units::Unit;

/// Functions of which one does the opposite of the other, or takes more or less than it.
const OPPOSITES: &[&[&str]] = &[
    &["some", "every"],
    &["any", "all", "anyMatch", "allMatch", "noneMatch", "none"],
    &["any_of", "all_of", "none_of"],
    &["min", "max", "Min", "Max"],
    &["startsWith", "endsWith", "includes", "contains", "matches", "equals"],
    &["startswith", "endswith"],
    &["starts_with", "ends_with", "contains", "eq", "eq_ignore_ascii_case"],
    &["HasPrefix", "HasSuffix", "Contains", "EqualFold"],
    &["search", "match", "fullmatch"],
    &["matches", "find", "lookingAt"],
    &["isBefore", "isAfter", "isEqual"],
    &["Before", "After", "Equal"],
    &["first", "last"],
    &["shift", "pop"],
    &["floor", "ceil", "round"],
    &["Floor", "Ceil", "Round"],
    &["strcmp", "strncmp", "strcasecmp", "strstr"],
    &["add", "remove", "sub", "subtract"],
    &["allow", "deny"],
    &["encode", "decode"],
    &["lock", "unlock", "Lock", "Unlock", "RLock", "RUnlock", "tryLock", "TryLock"],
    &["is_some", "is_none"],
    &["is_ok", "is_err"],
    &["find", "filter"],
    &["sort", "reverse"],
    &["union", "intersection", "difference"],
    &["insert", "remove"],
    &["append", "extend", "insert"],
    &["debit", "credit"],
    &["grant", "revoke"],
    &["enable", "disable"],
];

/// On what a function is called, and with how many values.
fn place(one: &Unit) -> (&str, &str, usize) {
    let mut parts = one.key.split(BETWEEN).skip(1);
    (&one.function, parts.next().unwrap_or_default(), parts.count())
}

/// A function in the place of its opposite, on the same value.
pub(super) fn opposite(changed: &Changed<'_>, tell: Tell<'_>) {
    let mut gone: HashMap<(&str, &str, usize), Vec<&str>> = HashMap::new();
    for one in changed.gone.iter().copied() {
        if OPPOSITES.iter().any(|all| all.contains(&one.head())) {
            gone.entry(place(one)).or_default().push(one.head());
        }
    }
    if gone.is_empty() {
        return;
    }
    for one in changed.come.iter().copied() {
        let Some(olds) = gone.get(&place(one)) else { continue };
        let all = OPPOSITES.iter().filter(|all| all.contains(&one.head()));
        if all.flat_map(|all| all.iter()).any(|other| *other != one.head() && olds.contains(other))
        {
            tell(GuardLoss::Check, &shown(one), false);
        }
    }
}
