//! How one value differs from another: a name, the same in another form, one that went through
//! something, one more or less.

use super::values::number;

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c))
        .filter(|word| word.starts_with(|c: char| is_word(c) && !c.is_ascii_digit()))
}

/// Whether a value is a name, or what belongs to one.
pub(super) fn is_atom(value: &str) -> bool {
    let bare = value.replace("()", "").replace("->", ".").replace("::", ".");
    let bare = bare.trim_start_matches(['&', '*', '!', '-']);
    bare.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
        && bare.chars().all(|c| is_word(c) || matches!(c, '.' | '[' | ']' | '?'))
        && !is_fixed(value)
}

/// Whether a value is nothing, yes, no, or an empty one, whoever asks.
pub(super) fn is_fixed(value: &str) -> bool {
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
            | "{}"
            | "[]"
    )
}

pub(super) fn is_text(value: &str) -> bool {
    value.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with(['"', '\'', '`'])
}

/// Where a part stands in a value by itself, not within a longer word.
pub(super) fn part_of<'v>(value: &'v str, part: &str) -> Option<(&'v str, &'v str)> {
    if part.is_empty() || value.len() <= part.len() {
        return None;
    }
    let mut from = 0;
    while let Some(at) = value.get(from..)?.find(part).map(|at| at + from) {
        let (before, rest) = (value.get(..at)?, value.get(at + part.len()..)?);
        let apart = |c: Option<char>| !c.is_some_and(is_word);
        if apart(before.chars().next_back()) && apart(rest.chars().next()) {
            return Some((before, rest));
        }
        from = at + part.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Functions that hand a value on as it is, in another form or without white space around it.
const FORMS: &[&str] = &[
    "str",
    "String",
    "string",
    "valueOf",
    "toString",
    "to_string",
    "to_owned",
    "clone",
    "into",
    "as_str",
    "as_ref",
    "as_mut",
    "to_vec",
    "Some",
    "Ok",
    "Box",
    "new",
    "list",
    "tuple",
    "iter",
    "into_iter",
    "iter_mut",
    "get",
    "data",
    "c_str",
    "move",
    "std",
    "as_bytes",
    "as_slice",
    "borrow",
    "deref",
    "copied",
    "cloned",
    "Arc",
    "Rc",
    "Array",
    "from",
    "dict",
    "await",
    "forward",
    "static_cast",
    "const_cast",
    "reinterpret_cast",
    "of",
    "asList",
    "Promise",
    "resolve",
    "bool",
    "Boolean",
    "stream",
    "memo",
    "useMemo",
    "computed",
    "ref",
    "unref",
    "Number",
    "toArray",
    "collect",
    "as_deref",
    "unwrap",
    "expect",
    "Path",
    "PathBuf",
    "bind",
    "items",
    "keys",
    "values",
    "trim",
    "trimStart",
    "trimEnd",
    "strip",
    "lstrip",
    "rstrip",
    "TrimSpace",
    "trim_start",
    "trim_end",
];

/// Whether one value is the other in another form.
pub(super) fn same_in_form(old: &str, new: &str) -> bool {
    let formed = |long: &str, short: &str| {
        let Some((before, behind)) = part_of(long, short) else { return false };
        let calls = before.ends_with('(') || behind.starts_with('.') || behind.starts_with("::");
        let plain = |c: char| is_word(c) || matches!(c, '(' | ')' | '.' | ':' | '&' | '?' | '!');
        let names = words_of(before).chain(words_of(behind)).all(|name| FORMS.contains(&name));
        calls && names && before.chars().chain(behind.chars()).all(plain)
    };
    let bare =
        |text: &str| text.trim_start_matches(['&', '*']).trim_start_matches("mut").to_owned();
    // What is left of it where every form and sign of a reference is taken away.
    let core = |text: &str| -> (Vec<String>, String) {
        let names = words_of(text).filter(|name| !FORMS.contains(name));
        let signs = text.chars().filter(|c| "!+-/%<>=|^~[]".contains(*c)).collect();
        (names.map(str::to_owned).collect(), signs)
    };
    bare(old) == bare(new) || formed(old, new) || formed(new, old) || core(old) == core(new)
}

/// Whether `old` is `new` gone through a function that may change or refuse it.
pub(super) fn went_through(old: &str, new: &str) -> bool {
    let Some((before, behind)) = part_of(old, new) else { return false };
    let calls = |text: &str| {
        text.split('(').any(|piece| {
            let name = piece.rsplit(|c| !is_word(c)).next().unwrap_or_default();
            !name.is_empty() && !FORMS.contains(&name)
        })
    };
    // `f(new)` or `new.f()`; what only stands beside it is another value.
    let around = before.ends_with('(') && behind.starts_with([')', ',']);
    let chained = before.is_empty() && behind.starts_with('.') && behind.ends_with(')');
    let name = |text: &str| text.trim_end_matches('(').to_owned() + "(";
    around && calls(&name(before)) && !before.contains(['+', '"', '`']) || chained && calls(behind)
}

/// Whether `new` is `old` or something else that is no plain value.
pub(super) fn may_be_another(old: &str, new: &str) -> bool {
    let Some((before, behind)) = part_of(new, old) else {
        // `a or b` and `a if b else c` without their spaces.
        let behind = new.strip_prefix(old).filter(|rest| rest.starts_with("or"));
        let before = new.strip_suffix(old).filter(|rest| rest.ends_with("or"));
        return behind
            .and_then(|rest| rest.strip_prefix("or"))
            .or_else(|| before.and_then(|rest| rest.strip_suffix("or")))
            .is_some_and(is_atom);
    };
    let other = |rest: &str, signs: &[&str]| {
        signs.iter().find_map(|sign| rest.split_once(sign)).is_some_and(|(left, right)| {
            let value = if left.is_empty() { right } else { left };
            let value = value.trim_matches([':', '(', ')']);
            words_of(value).next().is_some() && !is_text(value) && !is_fixed(value)
        })
    };
    let chosen = || {
        let whole = new.replace("?.", ".");
        let (Some(asked), Some(or)) = (whole.find('?'), whole.rfind(':')) else { return false };
        let sides = [whole.get(asked + 1..or), whole.get(or + 1..)];
        asked < or
            && sides.iter().flatten().any(|side| *side == old)
            && sides.iter().flatten().all(|side| !is_text(side) && !is_fixed(side))
            && sides.iter().flatten().all(|side| number(side).is_none())
    };
    before.is_empty() && other(behind, &["||", "??"])
        || behind.is_empty() && other(before, &["||", "??"])
        || chosen()
}

/// Whether one value is the other and a small number more or less.
pub(super) fn off_by_little(old: &str, new: &str) -> bool {
    let more = |short: &str, long: &str| {
        let rest = long.strip_prefix(short).and_then(|rest| rest.strip_prefix(['+', '-']));
        rest.is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    words_of(old).next().is_some() && (more(old, new) || more(new, old))
}

/// Whether a value is made on the spot, such as a function, a list or a text with values.
pub(super) fn is_made(value: &str) -> bool {
    value.contains(['{', '|', '"', '\'', '`']) || value.contains("=>") || value.starts_with('[')
}

/// Whether `long` is `short` with something added, taken or multiplied.
pub(super) fn more_than(short: &str, long: &str) -> bool {
    let rest = long.strip_prefix(short).unwrap_or_default();
    !is_text(short)
        && !short.is_empty()
        && rest.starts_with(['+', '-', '*', '/', '%'])
        && !rest.contains(['"', '\'', '`'])
}

/// Whether two values are constants of one type.
pub(super) fn of_one_type(old: &str, new: &str) -> bool {
    let split = |value: &str| {
        let at = value.rfind(['.', ':'])? + 1;
        let last = value.get(at..)?;
        (last.starts_with(char::is_uppercase) && last.chars().all(is_word)).then_some(at)
    };
    match (split(old), split(new)) {
        (Some(at), Some(to)) => at == to && old.get(..at) == new.get(..to),
        _ => false,
    }
}

/// Whether a name stands for where something begins.
pub(super) fn begins(head: &str) -> bool {
    let Some(name) = head.strip_prefix('=') else { return false };
    matches!(name, "i" | "j" | "k" | "at" | "pos" | "index" | "idx" | "start" | "offset" | "from")
}

/// Whether two numbers lie close to each other.
pub(super) fn off_by_few(old: &str, new: &str) -> bool {
    matches!((number(old), number(new)), (Some(old), Some(new)) if (old - new).abs() <= 8.0)
}
