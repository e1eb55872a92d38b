//! Material that looks like a secret.

use std::sync::LazyLock;

use exacta_core::judge::facts::{FactKind, Secret};

use super::book::{Book, Rule, anywhere};
use super::line::Line;
use super::scan::Found;
use super::subject::Subject;
use crate::fold::fold;

/// What a secret rule stands for.
pub(super) struct Shape {
    secret: Secret,
    label: &'static str,
}

macro_rules! shape {
    ($secret:ident, $label:literal, [$($trigger:literal),*], $pattern:literal) => {
        Rule {
            triggers: &[$($trigger),*],
            pattern: $pattern,
            cased: true,
            applies: anywhere,
            kind: Shape { secret: Secret::$secret, label: $label },
        }
    };
}

static RULES: &[Rule<Shape>] = &[
    shape!(ServiceKey, "AWS", ["akia", "asia"], r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    shape!(
        ServiceKey,
        "GitHub",
        ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\bgh[pousr]_[A-Za-z0-9]{36,}"
    ),
    shape!(ServiceKey, "GitHub", ["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    shape!(ServiceKey, "GitLab", ["glpat-"], r"\bglpat-[A-Za-z0-9_-]{20,}"),
    shape!(ServiceKey, "Slack", ["xox"], r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    shape!(
        ServiceKey,
        "Slack",
        ["hooks.slack.com"],
        r"hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]+"
    ),
    shape!(ServiceKey, "language model", ["sk-"], r"\bsk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    shape!(ServiceKey, "Stripe", ["k_live_", "k_test_"], r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    shape!(ServiceKey, "Google", ["aiza"], r"\bAIza[0-9A-Za-z_-]{35}"),
    shape!(ServiceKey, "Google", ["ya29."], r"\bya29\.[0-9A-Za-z_-]{20,}"),
    shape!(ServiceKey, "npm", ["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    shape!(ServiceKey, "PyPI", ["pypi-age"], r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    shape!(ServiceKey, "Hugging Face", ["hf_"], r"\bhf_[A-Za-z0-9]{30,}"),
    shape!(ServiceKey, "SendGrid", ["sg."], r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    shape!(ServiceKey, "DigitalOcean", ["dop_v1_"], r"\bdop_v1_[a-f0-9]{64}"),
    shape!(ServiceKey, "Azure", ["accountkey="], r"AccountKey=[A-Za-z0-9+/=]{40,}"),
    shape!(ServiceKey, "Telegram", [":aa"], r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    shape!(PrivateKey, "age", ["age-secret-key-1"], r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    shape!(
        PrivateKey,
        "PEM",
        ["private key"],
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    ),
    shape!(
        Token,
        "JWT",
        ["eyj"],
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    ),
    shape!(
        UrlPassword,
        "address",
        ["://"],
        r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'\x22]+:([^\s/@'\x22]{3,})@[^\s/'\x22]"
    ),
    shape!(
        Assignment,
        "assignment",
        ["passw", "pwd", "secret", "token", "key", "credential", "passphrase"],
        r"(?i)(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|credentials?|passphrase)[A-Za-z0-9_]*['\x22\]]{0,2}\s*(?::[ ]*&?'?[A-Za-z]+\s*=|:=|=>|[:=])\s*[bru]?['\x22`]([^'\x22`\s]{8,})['\x22`]"
    ),
    shape!(
        Assignment,
        "setting",
        ["passw", "pwd", "secret", "token", "key", "credential", "passphrase"],
        r"(?i)^\s*(?:export\s+|-\s+)?[A-Za-z0-9_.-]*(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key|credentials?|passphrase)[A-Za-z0-9_]*\s*[:=]\s*([^'\x22`\s#]{12,})\s*$"
    ),
];

static BOOK: LazyLock<Book<Shape>> = LazyLock::new(|| Book::new(RULES));

/// Reports what looks like a secret; the fact never holds it.
pub(super) fn detect(subject: &Subject<'_>, line: &Line<'_>, found: &mut Vec<Found>) {
    found.extend(key_body(line));
    for hit in BOOK.search(subject, &line.plain, &line.lower) {
        let value = line.plain.get(hit.group.0..hit.group.1).unwrap_or_default();
        if !hit.and_more && !believable(hit.kind, value, Some(subject)) {
            continue;
        }
        let (secret, label) = (hit.kind.secret, hit.kind.label.to_owned());
        found.push(Found {
            index: line.index,
            kind: FactKind::SecretAdded { secret, label },
            key: value.to_owned(),
            dormant: false,
        });
    }
}

/// A new key below an old header: the first line of its body.
fn key_body(line: &Line<'_>) -> Option<Found> {
    let text = line.raw.trim();
    let base64 = text.len() >= 32
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let above = line.above();
    (base64 && above.contains("-----BEGIN ") && above.contains("PRIVATE KEY")).then(|| Found {
        index: line.index,
        kind: FactKind::SecretAdded { secret: Secret::PrivateKey, label: "PEM".to_owned() },
        key: text.to_owned(),
        dormant: false,
    })
}

/// The text with everything that looks like a secret replaced by `***`.
pub fn mask_secrets(text: &str) -> String {
    let plain = fold(text);
    let lower = plain.to_ascii_lowercase();
    let mut spans: Vec<(usize, usize)> = BOOK
        .all(&plain, &lower)
        .iter()
        .filter(|hit| {
            let value = plain.get(hit.group.0..hit.group.1).unwrap_or_default();
            hit.kind.secret != Secret::PrivateKey && believable(hit.kind, value, None)
        })
        .map(|hit| hit.group)
        .collect();
    if spans.is_empty() {
        return text.to_owned();
    }
    spans.sort_unstable();
    // Offsets are those of the plain form, so that form is what is shown.
    let mut masked = String::with_capacity(plain.len());
    let mut from = 0;
    for (start, end) in spans {
        if start >= from {
            masked.push_str(plain.get(from..start).unwrap_or_default());
            masked.push_str("***");
        }
        from = from.max(end);
    }
    masked.push_str(plain.get(from..).unwrap_or_default());
    masked
}

fn believable(shape: &Shape, value: &str, subject: Option<&Subject<'_>>) -> bool {
    let lower = value.to_ascii_lowercase();
    let sample = [
        "example",
        "changeme",
        "change-me",
        "your",
        "xxxx",
        "dummy",
        "fake",
        "placeholder",
        "sample",
        "redacted",
        "...",
        "****",
        "0000000",
        "notreal",
        "abcdef123",
    ]
    .iter()
    .any(|word| lower.contains(word));
    match shape.secret {
        Secret::PrivateKey | Secret::Token => true,
        Secret::ServiceKey if shape.label == "language model" => !sample && mixed(value, 20),
        Secret::ServiceKey => !sample,
        Secret::UrlPassword => {
            !sample
                && !value.contains(['$', '{', '<', '%', '*', '('])
                && ![
                    "pass", "password", "passwd", "pwd", "secret", "pw", "user", "test", "root",
                    "postgres", "guest",
                ]
                .contains(&lower.as_str())
        }
        Secret::Assignment => {
            let unquoted = shape.label == "setting";
            if unquoted && subject.is_some_and(|subject| !subject.settings()) {
                return false;
            }
            let least =
                if subject.is_some_and(|s| s.test || s.prose || s.sample) { 20 } else { 10 };
            !sample
                && !lower.contains("test")
                && !value.contains(['$', '{', '<', '(', '[', ',', ';', ' '])
                && !value.starts_with(['/', '.', '#'])
                && !value.contains("://")
                && mixed(value, least)
        }
    }
}

/// Whether a value has the look of chance: long, many different characters, letters and
/// digits mixed rather than a word with a number behind it.
fn mixed(value: &str, least: usize) -> bool {
    let mut distinct: Vec<u8> = value.bytes().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    let lower = value.bytes().any(|b| b.is_ascii_lowercase());
    let marks = value
        .bytes()
        .filter(|b| matches!(b, b'!' | b'@' | b'%' | b'^' | b'&' | b'*' | b'+' | b'?'))
        .count();
    let turns = value
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
        .count();
    value.len() >= least
        && distinct.len() >= 7
        && (digits >= 2 && turns >= 2 && (upper || lower)
            || marks > 0 && digits > 0 && upper && lower)
}

#[cfg(test)]
mod tests {
    use super::super::on_one_line::found;
    use super::*;

    fn labels(path: &str, raw: &str) -> Vec<String> {
        found(detect, path, raw)
            .into_iter()
            .map(|kind| match kind {
                FactKind::SecretAdded { label, .. } => label,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    // Assembled at run time, so that this file holds nothing that looks like a key.
    fn key(prefix: &str, length: usize) -> String {
        let body: String = "aZ3kQ9xW7mB2".chars().cycle().take(length).collect();
        format!("{prefix}{body}")
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(BOOK.sound());
    }

    #[test]
    fn keys_are_found_in_their_formats_and_masked() {
        for (raw, label) in [
            (format!("k = {}{}", "AKIA", "Q3EGRZB2YH7LKXW5"), "AWS"),
            (format!("t: {}", key("ghp_", 36)), "GitHub"),
            (format!("t: {}", key("sk-proj-", 40)), "language model"),
            (format!("t: {}", key("sk_live_", 24)), "Stripe"),
            (format!("x {}", "-----BEGIN RSA PRIVATE KEY-----"), "PEM"),
            (format!("a={}.{}.{}", key("eyJ", 20), key("eyJ", 20), key("", 20)), "JWT"),
            (format!("postgres://app:{}@db/x", key("", 12)), "address"),
            (format!("password = \"{}\"", key("", 16)), "assignment"),
            (format!("const API_KEY: &str = \"{}\";", key("", 24)), "assignment"),
            (format!("\"client_secret\": \"{}\"", key("", 24)), "assignment"),
        ] {
            assert_eq!(labels("src/a.py", &raw), [label], "{raw}");
            if label != "PEM" {
                assert!(mask_secrets(&raw).contains("***"), "{raw}");
                assert!(!mask_secrets(&raw).contains("aZ3kQ9xW7mB2"), "{raw}");
            }
        }
        assert_eq!(labels(".env", &format!("DB_PASSWORD={}", key("", 16))), ["setting"]);
    }

    #[test]
    fn ordinary_code_is_left_alone() {
        for raw in [
            "token = next_token(stream)",
            "password = os.environ[\"DB_PASSWORD\"]",
            "let token = Token::new(kind);",
            "secret_name: \"projects/app/secrets/db\"",
            "API_KEY = \"your-api-key\"",
            "AKIAIOSFODNN7EXAMPLE",
            "postgres://user:password@localhost/db",
            "postgres://user:${PASSWORD}@localhost/db",
            "key = \"configuration\"",
            "token_type = \"authorization_code\"",
            "class=\"sk-folding-cube-animation\"",
            "tokens: Vec<Token>",
            "key: \"Ctrl+Shift+P1\"",
            "cache_key = \"user_profile_v2\"",
        ] {
            assert!(labels("src/a.py", raw).is_empty(), "{raw}");
        }
    }
}
