//! What the parser of the command line cannot know about a mistake.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Puts the likeliest command first.
pub(super) fn improve(error: &mut clap::Error) {
    // No value of ours begins with a dash, so to write it behind `--` does not help.
    if error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::SuggestedArg).is_none()
    {
        error.remove(ContextKind::Suggested);
    }
    if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
        let typed = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(typed)) => typed.clone(),
            _ => return,
        };
        let mut names = names.clone();
        names.sort_by_key(|name| strsim::osa_distance(&typed, name));
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
    }
}

/// What to do instead, where we know what was meant.
pub(super) fn tip(error: &clap::Error, command: Option<&str>) -> Option<&'static str> {
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.as_str(),
        _ => "",
    };
    match (command?, error.kind()) {
        ("capture", ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument) => {
            Some("put `--` before the command: `exacta capture -- CMD…`")
        }
        (
            "approve" | "reject" | "changes" | "renew" | "undo" | "redo" | "forget",
            ErrorKind::UnknownArgument,
        ) if matches!(argument, "--yes" | "-y" | "--force" | "-f") => Some(
            "a decision is confirmed by typing `yes` at the terminal; `decide` in policy chooses \
             another way (`exacta policy show`)",
        ),
        (_, ErrorKind::MissingRequiredArgument) if lacks(error, "<PLAN>") => Some(
            "`exacta list` shows every plan with its id; any end of an id that is unique will do",
        ),
        ("reject", ErrorKind::MissingRequiredArgument) => {
            Some("say why in a sentence: `exacta reject ID --reason 'the old name must stay'`")
        }
        _ => None,
    }
}

/// Whether an argument is one of those that were left out.
fn lacks(error: &clap::Error, argument: &str) -> bool {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.iter().any(|name| name == argument),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    fn mistake(line: &str) -> clap::Error {
        let words = ["exacta"].into_iter().chain(line.split(' '));
        command().try_get_matches_from(words).unwrap_err()
    }

    #[test]
    fn the_likeliest_command_comes_first() {
        for (typed, first) in [("stat", "stats"), ("chek", "check"), ("rewiev", "review")] {
            let mut error = mistake(typed);
            improve(&mut error);
            let suggested = match error.get(ContextKind::SuggestedSubcommand) {
                Some(ContextValue::Strings(names)) => names.first().cloned(),
                _ => None,
            };
            assert_eq!(suggested.as_deref(), Some(first), "{typed}");
        }
    }

    #[test]
    fn what_was_meant_is_told() {
        for (line, word) in [
            ("capture ls -la", Some("`--`")),
            ("capture", Some("`--`")),
            ("approve 01a1e340 --yes", Some("typing `yes`")),
            ("undo 01a1e340 -y", Some("typing `yes`")),
            ("approve 01a1e340 --nonsense", None),
            ("list --yes", None),
            ("approve", Some("`exacta list`")),
            ("run", Some("`exacta list`")),
            ("reject 01a1e340", Some("--reason")),
        ] {
            let told = tip(&mistake(line), line.split(' ').next());
            assert_eq!(told.is_some(), word.is_some(), "{line}");
            assert!(told.unwrap_or_default().contains(word.unwrap_or_default()), "{line}");
        }
    }
}
