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
    let mut told = false;
    for (index, line) in look.come() {
        let bare = line.trim().trim_end_matches(',');
        if let Some(count) = moved.get_mut(bare)
            && *count > 0
        {
            *count -= 1;
            continue;
        }
        told |= tell(look, index, line, false, out);
    }
    if !told && look.existed && !look.deleted {
        for (index, line) in look.gone() {
            let bare = line.trim().trim_end_matches(',');
            if moved.get(bare).is_some_and(|count| *count > 0) && tell(look, index, line, true, out)
            {
                break;
            }
        }
    }
}

fn tell(look: &Look<'_>, index: usize, line: &str, in_before: bool, out: &mut Vec<Told>) -> bool {
    let Some(setting) = setting(line) else { return false };
    // In a new file nothing was protected yet.
    if !look.existed || !setting.split(|c: char| !c.is_alphanumeric()).any(protects) {
        return false;
    }
    let kind = FactKind::TrustWeakened { setting: excerpt(&setting) };
    out.push(Told::at(index, in_before, kind));
    true
}

fn protects(word: &str) -> bool {
    WORDS.contains(word)
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
