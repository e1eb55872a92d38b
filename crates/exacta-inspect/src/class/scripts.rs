//! Comments and blank lines of files that no grammar reads: shell scripts, makefiles,
//! Dockerfiles, lists of ignored files.
//!
//! A reader of lines is not a parser, so it proves something only where every line stands by
//! itself: no text over several lines, no here-document, no line that goes on in the next. In
//! such a file whole lines that are prose, and blank ones, may differ, and nothing else.

use exacta_core::model::path::RelPath;

use super::comments::{is_prose, orders_on_top};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Shell,
    Make,
    Docker,
    Ignored,
}

/// The kind of a file, by its name or its first line.
pub(super) fn script(path: &RelPath, text: &str) -> Option<Script> {
    let name = path.name();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let shell = |line: &str| {
        ["#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh"].contains(&line)
    };
    match (name, ending) {
        ("Makefile" | "makefile" | "GNUmakefile", _) | (_, Some("mk")) => Some(Script::Make),
        ("Dockerfile" | "Containerfile", _) | (_, Some("dockerfile")) => Some(Script::Docker),
        (
            ".gitignore" | ".dockerignore" | ".npmignore" | ".prettierignore" | ".eslintignore",
            _,
        ) => Some(Script::Ignored),
        (_, Some("sh" | "bash")) => Some(Script::Shell),
        (_, None) if text.lines().next().is_some_and(shell) => Some(Script::Shell),
        _ => None,
    }
}

/// Whether both texts are the same but for prose and blank lines.
pub(super) fn same_but_prose(script: Script, before: &str, after: &str) -> bool {
    // The first lines may be for whoever starts the file.
    if orders_on_top(before) != orders_on_top(after) {
        return false;
    }
    match (kept(script, before), kept(script, after)) {
        (Some(old), Some(new)) => old == new && before.ends_with('\n') == after.ends_with('\n'),
        _ => false,
    }
}

/// The lines that count; `None` where lines do not stand by themselves.
fn kept(script: Script, text: &str) -> Option<Vec<&str>> {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let doubtful = match script {
        Script::Shell => {
            has(&["<<", "$0", "${0", "BASH_SOURCE", "LINENO", "$'", "`", "set -v", "sh -v"])
        }
        Script::Make => {
            has(&["define", "MAKEFILE_LIST", "akefile", ".ONESHELL", ".RECIPEPREFIX", "<<"])
        }
        Script::Docker => has(&["<<", "escape="]),
        Script::Ignored => false,
    };
    if doubtful {
        return None;
    }
    let mut goes_on = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let comment = match script {
            Script::Shell | Script::Docker => words.starts_with('#'),
            Script::Make | Script::Ignored => line.starts_with('#'),
        };
        let passes = comment && is_prose(line) || words.is_empty();
        let joined = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        match script {
            // A comment among the lines of one command ends it, or does not.
            Script::Shell | Script::Make if goes_on || joined => lines.push(line),
            Script::Docker if joined && (comment || words.is_empty()) => {
                goes_on = true;
                lines.push(line);
            }
            Script::Shell if !comment && !stands_alone(line) => return None,
            _ if passes => {}
            _ => lines.push(line),
        }
    }
    Some(lines)
}

/// Whether every quote of a shell line is closed in it.
fn stands_alone(line: &str) -> bool {
    let quoted = line.contains('\'') && line.contains('"');
    if quoted && line.contains("$(") || line.contains("${") && !line.contains('}') {
        return false;
    }
    let (mut open, mut escaped, mut before) = (None, false, ' ');
    for c in line.chars() {
        match open {
            _ if escaped => escaped = false,
            Some('\'') if c != '\'' => {}
            _ if c == '\\' => escaped = true,
            Some(quote) if c == quote => open = None,
            None if matches!(c, '\'' | '"') => open = Some(c),
            None if c == '#' && before.is_whitespace() => return true,
            _ => {}
        }
        before = c;
    }
    open.is_none() && !escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_blank_lines_may_differ_and_nothing_else() {
        let sh = "#!/bin/sh\nset -e\n\n# Copies go first.\ncp \"$a\" 'b c'\n";
        for (after, same) in [
            ("#!/bin/sh\nset -e\n\n# Old copies are removed here.\ncp \"$a\" 'b c'\n", true),
            ("#!/bin/sh\nset -e\ncp \"$a\" 'b c'\n", true),
            ("#!/bin/sh\nset -e\n\n\n# Copies go first.\n\ncp \"$a\" 'b c'\n", true),
            ("#!/bin/sh\nset -e\n\n# Copies go first.\ncp \"$a\" 'b  c'\n", false),
            (
                "# Copies what is asked for.\n#!/bin/sh\nset -e\n\n# Copies go first.\ncp \"$a\" 'b c'\n",
                false,
            ),
            ("#!/bin/bash\nset -e\n\n# Copies go first.\ncp \"$a\" 'b c'\n", false),
            ("#!/bin/sh\nset -e\n\n# shellcheck disable=SC2086\ncp \"$a\" 'b c'\n", false),
            ("#!/bin/sh\nset -e\n\n# Copies go first.\n# cp \"$a\" 'b c'\n", false),
        ] {
            assert_eq!(same_but_prose(Script::Shell, sh, after), same, "{after}");
        }
    }

    #[test]
    fn where_lines_do_not_stand_by_themselves_nothing_is_proven() {
        for text in [
            "cat <<EOF\n# A line of text.\nEOF\n",
            "echo 'one\n# A line of text.\n'\n",
            "echo \"one\n# A line of text.\n\"\n",
            "echo one \\\n# A line of text.\n two\n",
            "sed -n '/^#/p' \"$0\"\n# A line of text.\n",
            "echo $'it\\'s\n# A line of text.\n'\n",
            "x=${y:-\n# A line of text.\n}\n",
        ] {
            let after = text.replace("A line of text", "Another line of text");
            assert!(!same_but_prose(Script::Shell, text, &after), "{text}");
        }
        assert!(same_but_prose(
            Script::Make,
            "\n\nall:\n\techo a\n",
            "\n\n# Builds all of it.\nall:\n\techo a\n"
        ));
        assert!(!same_but_prose(
            Script::Make,
            "\n\nall:\n\techo a\n",
            "\n\nall:\n\t# Builds all of it.\n\techo a\n"
        ));
        assert!(!same_but_prose(
            Script::Make,
            "\n\nall: # one two\n\ta\n",
            "\n\nall: # one\n\ta\n"
        ));
        let docker = "FROM a\nRUN b \\\n  c\n";
        assert!(same_but_prose(
            Script::Docker,
            docker,
            "FROM a\n\n# The rest follows here.\nRUN b \\\n  c\n"
        ));
        assert!(!same_but_prose(
            Script::Docker,
            docker,
            "FROM a\nRUN b \\\n# The rest follows here.\n  c\n"
        ));
        assert!(same_but_prose(
            Script::Make,
            "# builds the shop\nrun:\n\t./run\n",
            "# how to run the shop\nrun:\n\t./run\n"
        ));
        assert!(!same_but_prose(
            Script::Docker,
            "# syntax=x\nFROM a\n",
            "# How it is built.\n# syntax=x\nFROM a\n"
        ));
        assert!(!same_but_prose(Script::Docker, docker, "# syntax=x\nFROM a\nRUN b \\\n  c\n"));
    }
}
