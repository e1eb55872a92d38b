//! Values that stand in the place of others: an argument, an operand, an entry, an answer
//! that is another one of the values which the function had already; one that no longer goes
//! through what it went through; one that is now always the same.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::{HashMap, HashSet};

use super::gather::{Deed, Effects};
use super::key::without_texts;
use super::losses::{Tell, Turned};
use super::operations::{BETWEEN, Operation};
use super::passed_by::is_money;
use super::units::{LONG, Unit};
use super::unlike::{
    begins, is_atom, is_fixed, is_made, is_text, is_word, may_be_another, more_than, of_one_type,
    off_by_few, off_by_little, same_in_form, went_through, words_of,
};
use super::values::number;

/// How many of what is gone is held against one that came.
const LOOKED_AT: usize = 8;

/// What the image before says, asked only where something may be exchanged.
pub(super) struct Known<'e> {
    /// Words by function.
    words: HashMap<&'e str, HashSet<&'e str>>,
    /// Words of the whole file.
    all: HashSet<&'e str>,
    /// Values of units, by function.
    values: HashSet<(&'e str, &'e str)>,
}

impl<'e> Known<'e> {
    fn of(before: &'e Effects, text: &'e str, asked: &HashSet<&str>) -> Self {
        let mut words: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (function, start, end) in &before.spans {
            if asked.contains(&**function) {
                let body = text.get(*start..*end).unwrap_or_default();
                words.entry(function).or_default().extend(words_of(body));
            }
        }
        let values = before.units.iter().filter(|unit| asked.contains(&*unit.function));
        let values = values
            .flat_map(|unit| unit.key.split(BETWEEN).skip(1).map(|value| (&*unit.function, value)));
        Self { words, all: words_of(text).collect(), values: values.collect() }
    }

    /// Whether the function had a value before: each of its words, or one that the file sets
    /// for all of its code.
    fn has(&self, function: &str, value: &str) -> bool {
        let own = self.words.get(function);
        let had = |word: &str| own.is_some_and(|own| own.contains(word));
        let Some(first) = words_of(value).next() else { return false };
        // A constant or a type may be another one of the file.
        let shared = first.starts_with(char::is_uppercase);
        (shared || had(first)) && words_of(value).all(|word| self.all.contains(word))
    }
}

/// How a place that is looked up, or where something begins, or a yes or no that is kept,
/// differs from what it was.
fn of_slot(head: &str, at: usize, old: &str, new: &str) -> Option<GuardLoss> {
    let place = head == "[]" && at == 1 || head == "[:]";
    if number(old).is_some()
        && number(new).is_some()
        && (place || begins(head) && off_by_few(old, new))
    {
        return Some(GuardLoss::Bound);
    }
    if head == "?" && at == 0 || head == "jump" {
        return Some(GuardLoss::Condition);
    }
    let yes_or_no = matches!(old, "true" | "false" | "True" | "False");
    let kept = head.starts_with('=') && head.contains(['.', '>']);
    if kept && (more_than(old, new) || more_than(new, old)) {
        return Some(GuardLoss::Sum);
    }
    (kept && yes_or_no && !is_fixed(new)).then_some(GuardLoss::Switch)
}

/// How one value differs from the one that stood there.
fn how(function: &str, old: &str, new: &str, known: &Known<'_>) -> Option<GuardLoss> {
    if is_text(old) && is_text(new) || old.is_empty() || new.is_empty() || new == LONG {
        return None;
    }
    if same_in_form(old, new) {
        return None;
    }
    if went_through(old, new) {
        return Some(GuardLoss::Check);
    }
    if off_by_little(old, new) {
        return Some(GuardLoss::Bound);
    }
    if is_fixed(new) && !is_fixed(old) && words_of(old).next().is_some() && !is_text(old) {
        return Some(GuardLoss::Constant);
    }
    if is_atom(old) && may_be_another(old, new) {
        return Some(GuardLoss::Default);
    }
    if is_atom(old) && is_atom(new) && of_one_type(old, new) {
        return Some(GuardLoss::Exchanged);
    }
    let worked_out = words_of(old).next().is_some() && !is_text(old) && !is_made(old);
    let atoms = is_atom(new) && worked_out && known.has(function, new);
    let reused = !is_fixed(new)
        && !is_text(new)
        && words_of(new).next().is_some()
        && known.values.contains(&(function, new))
        && (is_atom(new) || new.contains('('))
        && old != LONG;
    (atoms || reused).then_some(GuardLoss::Exchanged)
}

/// The values that differ, each with its place; nothing where too many do.
fn differing<'v>(old: &[&'v str], new: &[&'v str]) -> Option<Vec<(usize, &'v str, &'v str)>> {
    if old.len() != new.len() {
        return None;
    }
    let pairs = old.iter().zip(new).enumerate();
    let differ: Vec<_> = pairs
        .filter(|(_, (old, new))| old != new && **old != LONG)
        .map(|(at, (old, new))| (at, *old, *new))
        .collect();
    // Locals may have other names as well.
    let few = differ.len() == 1 || differ.len() <= 3 && differ.len() < old.len();
    few.then_some(differ)
}

/// Units that one image has and the other lacks.
pub(super) struct Changed<'e> {
    pub(super) gone: Vec<&'e Unit>,
    pub(super) come: Vec<&'e Unit>,
}

impl<'e> Changed<'e> {
    pub(super) fn of(before: &'e Effects, after: &'e Effects) -> Self {
        // What both begin and end with needs no counting.
        let same = |(was, is): &(&Unit, &Unit)| was.key == is.key && was.function == is.function;
        let (was, is) = (before.units.as_slice(), after.units.as_slice());
        let begun = was.iter().zip(is).take_while(same).count();
        let (was, is) = (was.get(begun..).unwrap_or_default(), is.get(begun..).unwrap_or_default());
        let ended = was.iter().rev().zip(is.iter().rev()).take_while(same).count();
        let was = was.get(..was.len() - ended).unwrap_or_default();
        let is = is.get(..is.len() - ended).unwrap_or_default();
        Self { gone: missing(was, is), come: missing(is, was) }
    }
}

/// Units of the first list that the second lacks.
fn missing<'e>(some: &'e [Unit], others: &'e [Unit]) -> Vec<&'e Unit> {
    let mut counts: HashMap<(&str, &str), i64> = HashMap::with_capacity(others.len());
    for one in others {
        *counts.entry((&*one.function, one.key.as_str())).or_insert(0) += 1;
    }
    some.iter()
        .filter(|one| match counts.get_mut(&(&*one.function, one.key.as_str())) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

/// Whether a call is made with the same values but fewer of them.
fn fewer(olds: &[&Unit], slots: &[&str]) -> bool {
    slots.len() > 1
        && olds.iter().take(LOOKED_AT).any(|old| {
            let old = old.slots();
            old.len() > slots.len()
                && old.first() == slots.first()
                && slots.iter().all(|slot| *slot != LONG && old.contains(slot))
        })
}

/// What each name stands for that a function gives to one value and to no other.
fn named<'e>(
    effects: &'e Effects,
    asked: &HashSet<&str>,
) -> HashMap<(&'e str, &'e str), Option<&'e str>> {
    let mut out: HashMap<(&str, &str), Option<&str>> = HashMap::new();
    for unit in effects.units.iter().filter(|unit| asked.contains(&*unit.function)) {
        let Some((name, value)) =
            unit.key.strip_prefix('=').and_then(|rest| rest.split_once(BETWEEN))
        else {
            continue;
        };
        if name.chars().all(is_word) && value != LONG {
            out.entry((&*unit.function, name)).and_modify(|one| *one = None).or_insert(Some(value));
        }
    }
    out
}

/// One value in the place of another.
pub(super) fn exchanged(
    before: &Effects,
    after: &Effects,
    before_text: &str,
    changed: &Changed<'_>,
    turned: &Turned<'_>,
    tell: Tell<'_>,
) {
    let mut places: HashMap<(&str, &str), Vec<&Unit>> = HashMap::new();
    for one in changed.gone.iter().copied() {
        places.entry((&*one.function, one.head())).or_default().push(one);
    }
    let known_place = |one: &&Unit| places.contains_key(&(&*one.function, one.head()));
    let come: Vec<&Unit> = changed.come.iter().copied().filter(known_place).collect();
    let mut asked: HashSet<&str> = come.iter().map(|one| &*one.function).collect();
    let operands_gone: HashSet<(&str, &str)> = turned
        .gone
        .iter()
        .filter(|one| works_out(one))
        .map(|one| (&*one.deed.function, one.sign))
        .collect();
    let other = turned.come.iter().map(|one| (&*one.deed.function, one.sign));
    asked.extend(other.filter(|place| operands_gone.contains(place)).map(|(function, _)| function));
    if asked.is_empty() {
        return;
    }
    let known = Known::of(before, before_text, &asked);
    let (named, named_now) = (named(before, &asked), named(after, &asked));
    for one in come {
        let Some(olds) = places.get(&(&*one.function, one.head())) else { continue };
        let slots = one.slots();
        if fewer(olds, &slots) && one.head() != "return" && one.head() != "{}" {
            tell(GuardLoss::Check, &shown(one), false);
            continue;
        }
        let closest = olds
            .iter()
            .take(LOOKED_AT)
            .filter_map(|old| differing(&old.slots(), &slots))
            .min_by_key(Vec::len);
        let call = !matches!(one.head(), "if" | "return" | "jump")
            && one.head().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let pays = closest.is_some() && call && is_money(&without_texts(&one.key));
        let found = closest.into_iter().flatten().find_map(|(at, old, new)| {
            let function = &*one.function;
            // What a name stands for counts, whichever name.
            let stood_for = named.get(&(function, old)).copied().flatten().unwrap_or(old);
            let stands_for = named_now.get(&(function, new)).copied().flatten().unwrap_or(new);
            if stood_for == stands_for || stood_for == new {
                return None;
            }
            let made = !known.has(function, new) && stands_for != old;
            let new = if made { stands_for } else { new };
            of_slot(one.head(), at, old, new).or_else(|| how(function, old, new, &known))
        });
        if let Some(loss) = found.or_else(|| pays.then_some(GuardLoss::Sum)) {
            tell(loss, &shown(one), false);
        }
    }
    operands(turned, &known, tell);
}

/// Whether an operation makes a value of two.
fn works_out(one: &Operation) -> bool {
    matches!(one.sign, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" | ">>>" | "//")
}

/// One side of an operation stays and the other is another value.
fn operands(turned: &Turned<'_>, known: &Known<'_>, tell: Tell<'_>) {
    let mut places: HashMap<(&str, &str), Vec<&Operation>> = HashMap::new();
    for one in turned.gone.iter().copied().filter(|one| works_out(one)) {
        places.entry((&*one.deed.function, one.sign)).or_default().push(one);
    }
    for one in turned.come.iter().copied().filter(|one| works_out(one)) {
        let Some(olds) = places.get(&(&*one.deed.function, one.sign)) else { continue };
        let new: Vec<&str> = one.deed.key.split(BETWEEN).collect();
        let bits = matches!(one.sign, "&" | "|" | "^" | "%");
        let found = olds.iter().take(LOOKED_AT).find_map(|old| {
            let old: Vec<&str> = old.deed.key.split(BETWEEN).collect();
            if old.iter().any(|side| is_text(side)) {
                return None;
            }
            let differ = differing(&old, &new)?;
            let (_, was, is) = differ.first().filter(|_| differ.len() == 1)?;
            let numbers = number(was).is_some() && number(is).is_some();
            let other = how(&one.deed.function, was, is, known);
            if numbers { bits.then_some(GuardLoss::Bound) } else { other }
        });
        if let Some(loss) = found {
            tell(loss, &super::losses::shown(one), false);
        }
    }
}

/// How a unit is shown.
pub(super) fn shown(one: &Unit) -> Deed {
    let slots = one.slots();
    let head = one.head();
    let key = match (head, slots.as_slice()) {
        ("[]", [whole, place]) => format!("{whole}[{place}]"),
        ("?", [asked, yes, no]) => format!("{asked} ? {yes} : {no}"),
        ("if", [asked]) => format!("if {asked}"),
        ("{}", _) => slots.join(", "),
        ("jump", [word]) => (*word).to_owned(),
        ("[:]", _) => slots.join(".."),
        ("return", _) => format!("return {}", slots.join(", ")),
        (_, [value]) if head.starts_with(['=', ':']) => {
            format!("{} = {value}", head.get(1..).unwrap_or_default())
        }
        (_, [value]) if head.starts_with("case ") => format!("{head}: {value}"),
        (_, [held, given @ ..]) if !held.is_empty() => {
            format!("{held}.{head}({})", given.join(", "))
        }
        (_, given) => format!("{head}({})", given.get(1..).unwrap_or_default().join(", ")),
    };
    Deed { function: one.function.clone(), key, line: one.line, under: 0 }
}
