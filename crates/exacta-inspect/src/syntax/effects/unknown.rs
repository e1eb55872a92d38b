//! Names that code newly uses and that neither the file nor the language is known for.
//!
//! What the plan's other files define, and what the project does, is asked later.

use std::sync::LazyLock;

use exacta_core::judge::facts::Language;
use hashbrown::{HashMap, HashSet};

use super::gather::Effects;
use super::reach::letter;

/// Plain functions by the letter of their language.
static PLAIN: LazyLock<HashMap<char, HashSet<&'static str>>> = LazyLock::new(|| {
    let mut plain: HashMap<char, HashSet<&'static str>> = HashMap::new();
    for line in include_str!("../../../data/plain.txt").lines() {
        let mut parts = line.split('\t');
        let (Some(languages), Some(_), Some(names)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        for language in languages.chars() {
            plain.entry(language).or_default().extend(names.split(' '));
        }
    }
    plain
});

/// Whether a name is one of the language's plain functions.
pub(super) fn is_plain_call(language: Language, name: &str) -> bool {
    PLAIN.get(&letter(language)).is_some_and(|plain| plain.contains(name))
}

/// The most names that are told of one file.
const MOST: usize = 50;

/// Names that were not used before, each with its first line.
pub(crate) fn unknown(
    language: Language,
    before: Option<&Effects>,
    before_text: &str,
    after: &Effects,
) -> Vec<(String, usize)> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let listed: HashSet<&str> = before
        .into_iter()
        .flat_map(|before| &before.names)
        .map(|(name, _)| name.as_str())
        .collect();
    let own: HashSet<&str> = after.defines.iter().map(String::as_str).collect();
    let plain = PLAIN.get(&letter(language));
    let mut told: HashSet<&str> = HashSet::new();
    let fresh = after.names.iter().filter(|(name, _)| {
        let name = name.as_str();
        !(listed.contains(name)
            || own.contains(name)
            || own.contains(name.rsplit('.').next().unwrap_or(name))
            || plain.is_some_and(|plain| plain.contains(name))
            || leads_nowhere(name))
            && told.insert(name)
    });
    let fresh: Vec<&(String, usize)> = fresh.collect();
    if fresh.is_empty() {
        return Vec::new();
    }
    let used: HashSet<&str> = before_text.split(|c| !word(c)).collect();
    let unused = fresh.into_iter().filter(|(name, _)| !used.contains(name.as_str()));
    unused.take(MOST).cloned().collect()
}

/// Whether an address is one of those that are kept free for examples and tests (RFC 2606).
fn leads_nowhere(name: &str) -> bool {
    let Some((_, rest)) = name.split_once("://") else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    // A port may stand behind it, and nothing before it.
    let (host, port) = host.split_once(':').unwrap_or((host, ""));
    let plain =
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let within = |domain: &str| {
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    plain
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && (["example.com", "example.net", "example.org"].into_iter().any(within)
            || ["example", "test", "invalid"].into_iter().any(|top| within(top) && host != top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_for_examples_lead_nowhere_and_all_others_lead_somewhere() {
        for name in ["https://example.com", "http://a.example.org:80/x?y", "ftp://a.test/"] {
            assert!(leads_nowhere(name), "{name}");
        }
        for name in [
            "https://example.com.evil.io",
            "https://notexample.com",
            "https://example.com@evil.io/",
            "https://evil.io/example.com",
            "https://evil.io?example.com",
            "https://example.com:80@evil.io",
            "https://example.com\\.evil.io",
            "http://169.254.169.254/",
            "http://localhost:1",
            "https://test",
            "example.com",
        ] {
            assert!(!leads_nowhere(name), "{name}");
        }
    }

    #[test]
    fn every_line_of_the_list_has_languages_a_reason_and_names() {
        for line in include_str!("../../../data/plain.txt").lines() {
            if line.starts_with('#') {
                continue;
            }
            let parts: Vec<&str> = line.split('\t').collect();
            assert_eq!(parts.len(), 3, "{line}");
            assert!(parts[0].chars().all(|c| "psgrjc".contains(c)) && parts[1].len() > 8, "{line}");
        }
    }
}
