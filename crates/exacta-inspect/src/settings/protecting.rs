//! Settings that protect, or say whom to let in.

use std::sync::LazyLock;

use exacta_core::judge::facts::FactKind;
use hashbrown::{HashMap, HashSet};

use super::look::{Look, Told};
use crate::excerpt::excerpt;

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let list = include_str!("../../data/protecting.txt");
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    let settings = look.subject.ends_in(&[
        "yaml",
        "yml",
        "json",
        "jsonc",
        "json5",
        "toml",
        "ini",
        "cfg",
        "conf",
        "properties",
        "env",
        "xml",
        "plist",
        "cnf",
    ]);
    if !settings || look.subject.language.is_some() {
        return;
    }
    // A line that only moved sets nothing anew.
    let mut moved: HashMap<&str, i64> = HashMap::new();
    for (_, line) in look.gone() {
        *moved.entry(line.trim().trim_end_matches(',')).or_insert(0) += 1;
    }
    let known = Known::of(look);
    let mut told = false;
    for (index, line) in look.come() {
        let bare = line.trim().trim_end_matches(',');
        if let Some(count) = moved.get_mut(bare)
            && *count > 0
        {
            *count -= 1;
            continue;
        }
        told |= tell(look, &known, (index, line), false, out);
    }
    if !told && look.existed && !look.deleted {
        for (index, line) in look.gone() {
            let bare = line.trim().trim_end_matches(',');
            if moved.get(bare).is_some_and(|count| *count > 0)
                && tell(look, &known, (index, line), true, out)
            {
                break;
            }
        }
    }
}

/// What the image before says, read once.
struct Known<'a> {
    /// The first line that went with each name.
    settings: HashMap<String, &'a str>,
    hosts: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(look: &Look<'a>) -> Self {
        let mut settings = HashMap::new();
        for (_, line) in look.gone() {
            if let Some(name) = setting(line) {
                settings.entry(name).or_insert(line);
            }
        }
        let hosts = look.before.lines.iter().filter_map(|line| host(line)).collect();
        Self { settings, hosts }
    }
}

fn tell(
    look: &Look<'_>,
    known: &Known<'_>,
    (index, line): (usize, &str),
    in_before: bool,
    out: &mut Vec<Told>,
) -> bool {
    // In a new file nothing was protected yet.
    if !look.existed {
        return false;
    }
    let lines = if in_before { look.before.lines } else { look.after.lines };
    let named = setting(line);
    let protecting = |setting: &String| {
        setting.split(|c: char| !c.is_alphanumeric()).any(protects)
            || limits(setting) && moved_far(known, line, setting)
    };
    let found = named
        .filter(protecting)
        .or_else(|| above(lines, index).filter(|name| around(name)))
        .or_else(|| wide(line).then(|| line.trim().to_owned()))
        .or_else(|| turned(known, line, in_before))
        .or_else(|| new_host(known, line, in_before));
    let Some(setting) = found else { return false };
    let kind = FactKind::TrustWeakened { setting: excerpt(&setting) };
    out.push(Told::at(index, in_before, kind));
    true
}

fn protects(word: &str) -> bool {
    WORDS.contains(word)
}

/// Whether a setting says how much or how long.
fn limits(setting: &str) -> bool {
    setting.split(|c: char| !c.is_alphanumeric()).any(|word| {
        matches!(
            word,
            "max"
                | "min"
                | "limit"
                | "limits"
                | "timeout"
                | "ttl"
                | "age"
                | "expiry"
                | "expires"
                | "attempts"
                | "retries"
                | "rate"
                | "quota"
                | "throttle"
                | "keep"
                | "retention"
                | "minutes"
                | "seconds"
                | "days"
                | "hours"
                | "size"
                | "memory"
                | "burst"
                | "cost"
                | "rounds"
                | "iterations"
                | "lifetime"
                | "window"
        )
    })
}

/// Whether the number behind a setting is another one by far: four times as large or small, or
/// no number.
fn moved_far(known: &Known<'_>, line: &str, setting: &str) -> bool {
    let Some(old) = known.settings.get(setting).copied() else { return false };
    let number = |line: &str| -> Option<f64> {
        let value = line.trim_start().split_once([':', '=', ' '])?.1;
        let value = value.trim_matches([' ', '=', ':', '"', '\'', ',', ';']);
        let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(value.len());
        value.get(..end)?.parse().ok()
    };
    match (number(old), number(line)) {
        (Some(was), Some(is)) => was.max(is) >= 4.0 * was.min(is),
        (Some(_), None) => true,
        _ => false,
    }
}

/// The name under which an entry of a list stands.
fn above(lines: &[&str], index: usize) -> Option<String> {
    let line = lines.get(index)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let entry = line.trim_start().starts_with('-')
        || line.trim_start().starts_with(['"', '\'']) && !line.contains(": ");
    if !entry {
        return None;
    }
    let depth = indent(line);
    // Lists are short; a longer one is looked at as far as this.
    let heading = lines.iter().take(index).rev().take(200).find(|line| {
        let bare = line.trim_start();
        let open = bare.trim_end().ends_with([':', '[']);
        open && (indent(line) < depth || indent(line) == depth && !bare.starts_with('-'))
    })?;
    setting(heading)
}

/// Names above a list that say whom to let in, whatever stands in it.
fn around(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric())
        .any(|word| protects(word) && !matches!(word, "user" | "users" | "key" | "keys" | "public"))
        || name.contains("extensions")
        || name.contains("types")
}

/// Whether a value lets in everybody.
fn wide(line: &str) -> bool {
    let value = line.trim().trim_end_matches([',', ';']);
    let value = value.rsplit([':', '=', ' ', '-']).next().unwrap_or(value);
    matches!(value.trim_matches(['"', '\'', ' ', '[', ']']), "*" | "0.0.0.0" | "0.0.0.0/0" | "::/0")
}

/// A setting that says the opposite of what it said, or lets in more than it did.
fn turned(known: &Known<'_>, line: &str, in_before: bool) -> Option<String> {
    let name = setting(line).filter(|_| !in_before)?;
    let (was, is) = (value(known.settings.get(&name)?)?, value(line)?);
    let flips = |one: &str, other: &str| {
        [("true", "false"), ("yes", "no"), ("on", "off"), ("enabled", "disabled")]
            .iter()
            .any(|(yes, no)| (one, other) == (*yes, *no) || (one, other) == (*no, *yes))
    };
    let refused = ["deny", "reject", "refuse", "block", "drop", "forbid", "required", "never"];
    let bits = |text: &str| {
        let digits = text.strip_prefix("0o").or_else(|| text.strip_prefix('0'))?;
        u32::from_str_radix(digits, 8).ok().filter(|_| digits.len() == 3)
    };
    let opens = matches!((bits(was), bits(is)), (Some(was), Some(is)) if is & !was & 0o077 != 0);
    let bare = was.starts_with("https://") && is.starts_with("http://");
    let wild = is.contains(['*']) && !was.contains(['*']);
    let worse = flips(was, is) || was != is && refused.contains(&was) || opens || bare || wild;
    (worse || emptied(was, is)).then_some(name)
}

/// Whether a number became nothing, or another one by far.
fn emptied(was: &str, is: &str) -> bool {
    match (was.parse::<f64>(), is.parse::<f64>()) {
        (Ok(was), Ok(is)) if was > 1.0 => is <= 0.0 || is >= 10.0 * was || was >= 10.0 * is,
        _ => false,
    }
}

/// What a line gives its setting, without quotes.
fn value(line: &str) -> Option<&str> {
    let (_, value) = line.trim().split_once([':', '='])?;
    Some(value.trim_matches([' ', '"', '\'', ',', ';', '=']))
}

/// A host that an address newly leads to.
fn new_host(known: &Known<'_>, line: &str, in_before: bool) -> Option<String> {
    let host = host(line).filter(|_| !in_before)?;
    (!known.hosts.is_empty() && !known.hosts.contains(host)).then(|| host.to_owned())
}

fn host(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("://")?;
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '@')))
        .unwrap_or(rest.len());
    rest.get(..end).filter(|host| host.contains('.'))
}

/// The name that a line gives a value to, as words in lower case.
fn setting(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches(['-', ' ', '"', '\'', '<']);
    let line = line.get(..line.len().min(200)).unwrap_or(line);
    let end = line.find([':', '=', '>', ' ', '"', '\'']).unwrap_or(line.len());
    let name = line.get(..end)?;
    let mut words = String::new();
    let mut small = false;
    for c in name.chars() {
        if c.is_uppercase() && small {
            words.push(' ');
        }
        small = c.is_lowercase();
        words.extend(c.to_lowercase());
    }
    let words = words.replace('_', " ");
    (!words.trim().is_empty()).then_some(words)
}
