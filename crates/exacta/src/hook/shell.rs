//! Which shell commands only read.
//!
//! A list of programs is data (`read_only.toml`). A line passes when every command of it is on
//! the list and nothing in it is more than plain words: no redirection, no substitution, no
//! variable, no group, no background. What is not understood does not pass.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What is known of a program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Arguments that make it do more than read.
    #[serde(default)]
    never: Vec<String>,
    /// What its first argument may be; anything where this is empty.
    #[serde(default)]
    first: Vec<String>,
    /// How many arguments without a dash it may have.
    #[serde(default)]
    most: Option<usize>,
}

const LIST: &str = include_str!("read_only.toml");

/// Whether a line only reads, or is a command that the operator lets through.
pub(super) fn passes(line: &str, operator: &[Vec<String>]) -> bool {
    let Some(commands) = commands(line) else { return false };
    let Ok(known) = toml::from_str::<BTreeMap<String, Known>>(LIST) else { return false };
    commands.iter().all(|words| reads(words, &known) || operator.iter().any(|o| starts(words, o)))
}

fn starts(words: &[String], allowed: &[String]) -> bool {
    !allowed.is_empty() && words.get(..allowed.len()) == Some(allowed)
}

fn reads(words: &[String], known: &BTreeMap<String, Known>) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let Some(known) = known.get(program) else { return false };
    let refused = |argument: &String| {
        known.never.iter().any(|never| {
            let short = never.len() == 2 && argument.starts_with(never.as_str());
            // Letters of one dash may stand together.
            let letter = never.strip_prefix('-').filter(|rest| rest.len() == 1);
            let among = !argument.starts_with("--")
                && argument.starts_with('-')
                && letter.is_some_and(|letter| argument.contains(letter));
            argument == never || argument.starts_with(&format!("{never}=")) || short || among
        })
    };
    let plain = arguments.iter().filter(|argument| !argument.starts_with('-')).count();
    let first = known.first.is_empty()
        || arguments.first().is_some_and(|first| known.first.contains(first));
    first && known.most.is_none_or(|most| plain <= most) && !arguments.iter().any(refused)
}

/// The commands of a line that is nothing but commands, joined by `|`, `&&`, `||` or `;`.
fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let mut word: Option<String> = None;
    let mut letters = line.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '$' | '`' | '\\' | '!' => return None,
                        inner => word.push(inner),
                    }
                }
            }
            ' ' | '\t' => words.extend(word.take()),
            '|' | ';' => {
                if letter == '|' {
                    letters.next_if_eq(&'|');
                }
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            '&' => {
                letters.next_if_eq(&'&')?;
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            '<' | '>' | '$' | '`' | '\\' | '(' | ')' | '{' | '}' | '!' | '#' | '~' | '\n'
            | '\r' | '='
                if is_sign(letter, word.as_ref()) =>
            {
                return None;
            }
            other if other.is_control() => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.iter().all(|words| !words.is_empty()).then_some(commands)
}

/// Whether a letter means something to a shell where it stands.
fn is_sign(letter: char, word: Option<&String>) -> bool {
    match letter {
        // In the middle of an argument with a dash it only names a value.
        '=' => !word.is_some_and(|word| word.starts_with('-')),
        '#' | '~' => word.is_none(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        assert!(toml::from_str::<BTreeMap<String, Known>>(LIST).is_ok());
    }

    #[test]
    fn commands_that_read_pass() {
        for line in [
            "ls -la",
            "cat src/main.rs | head -20",
            "git status && git diff --stat",
            "rg 'fn main' --glob '*.rs'",
            "find . -name '*.py' -type f",
            "grep -rn \"a b\" src",
            "git log --format=oneline -5",
        ] {
            assert!(passes(line, &[]), "{line}");
        }
    }

    #[test]
    fn whatever_may_write_does_not_pass() {
        for line in [
            "",
            "rm -rf /",
            "cat a > b",
            "cat <<EOF",
            "echo $(rm a)",
            "echo `rm a`",
            "ls; rm a",
            "ls & rm a",
            "find . -delete",
            "find . -exec rm {} +",
            "sort -o a b",
            "sort -uo a b",
            "git push",
            "git -c core.pager=x log",
            "git diff --output=a",
            "FOO=1 ls",
            "/tmp/ls",
            "./ls",
            "echo \"$HOME\"",
            "cat 'a",
            "ls\nrm a",
            "uniq a b",
            "rg --pre ./x y",
            "date -s 2020",
            "exacta approve x",
            "exacta run x",
            "sudo ls",
            "env ls",
            "xargs rm",
        ] {
            assert!(!passes(line, &[]), "{line}");
        }
    }

    #[test]
    fn the_operator_lets_through_whole_words_only() {
        let allowed = [vec!["cargo".to_owned(), "test".to_owned()]];
        assert!(passes("cargo test --workspace", &allowed));
        assert!(passes("cargo test | head", &allowed));
        for line in ["cargo", "cargo testx", "cargo test > a", "cargo test; rm a"] {
            assert!(!passes(line, &allowed), "{line}");
        }
    }
}
