//! Comments and blank lines of files that no grammar reads: shell scripts, makefiles,
//! Dockerfiles, lists of ignored files.
//!
//! A reader of lines is not a parser, so it proves something only where every line stands by
//! itself: no text over several lines, no here-document, no line that goes on in the next. In
//! such a file whole lines that are prose, and blank ones, may differ, and nothing else.

use exacta_core::model::path::RelPath;

use super::comments::{is_prose, orders_on_top};
use super::shell_lines;

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

/// Whether both texts of a file of this name are the same but for prose and blank lines.
pub(super) fn same_but_prose(script: Script, name: &str, before: &str, after: &str) -> bool {
    // The first lines may be for whoever starts the file.
    if orders_on_top(before) != orders_on_top(after)
        || script == Script::Docker && directives(before) != directives(after)
        || matches!(script, Script::Shell | Script::Make) && names_itself(name, before)
    {
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
            has(&["$0", "${0", "BASH_", "LINENO", "ZSH_", "(%)", "/proc/", "SHELLOPTS", "alias"])
                || has(&["*.sh", "*.bash", "caller"])
                || text.lines().any(shows_itself)
                || text.starts_with("#!") && !is_shell(text)
        }
        Script::Make => {
            has(&["define", "MAKEFILE_LIST", "akefile", ".ONESHELL", ".RECIPEPREFIX", "<<", "*.mk"])
        }
        Script::Docker => has(&["<<", "escape="]),
        Script::Ignored => false,
    };
    if doubtful {
        return None;
    }
    let outside = if script == Script::Shell { shell_lines::outside(text)? } else { Vec::new() };
    let mut goes_on = false;
    let mut lines = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let words = line.trim_start();
        let comment = match script {
            Script::Shell | Script::Docker => words.starts_with('#'),
            Script::Make | Script::Ignored => line.starts_with('#'),
        };
        // A tab alone is a line of a recipe.
        let blank = words.is_empty() && (script != Script::Make || !line.starts_with('\t'));
        let passes = comment && is_prose(line) || blank;
        let joined = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        match script {
            // A comment among the lines of one command ends it, or does not.
            Script::Shell | Script::Make if goes_on || joined => lines.push(line),
            Script::Docker if joined && (comment || blank) => {
                goes_on = true;
                lines.push(line);
            }
            Script::Shell if !outside.get(row).is_some_and(|outside| *outside) => lines.push(line),
            _ if passes => {}
            _ => lines.push(line),
        }
    }
    Some(lines)
}

/// Whether a line has a shell print what it reads, with its comments.
fn shows_itself(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '/'));
    words.any(|word| word == "set" || word.ends_with("sh"))
        && words.any(|word| {
            let letters = word.strip_prefix(['-', '+']).unwrap_or_default();
            let cluster = letters.chars().all(|c| c.is_ascii_alphabetic());
            word == "verbose" || word == "--verbose" || cluster && letters.contains('v')
        })
}

/// Whether the first line says that a shell reads the rest.
fn is_shell(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let mut words = line.trim_start_matches("#!").split_whitespace();
    let program = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let program = if program == "env" { words.next().unwrap_or_default() } else { program };
    ["sh", "bash", "dash", "ksh", "zsh", "ash"].contains(&program)
}

/// The comments on top of a file for Docker, if one of them may be an order: they are orders as
/// long as nothing else stands among them.
fn directives(text: &str) -> Vec<&str> {
    let top: Vec<&str> =
        text.lines().map(str::trim).take_while(|line| line.starts_with('#')).collect();
    if top.iter().any(|line| line.contains('=')) { top } else { Vec::new() }
}

/// Whether a line that is no comment has the name of the file, or names files by its ending.
fn names_itself(name: &str, text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        line.match_indices(name).any(|(at, _)| {
            !line.get(..at).unwrap_or_default().ends_with(part)
                && !line.get(at + name.len()..).unwrap_or_default().starts_with(part)
        })
    })
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
            assert_eq!(same_but_prose(Script::Shell, "a.sh", sh, after), same, "{after}");
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
            "x=${y:-${z}\n# A line of text.\n}\n",
            "echo \\ #'\n# A line of text.\n' \\'\n",
            "set -v\n# A line of text.\nls\n",
            "set -ev\n# A line of text.\nls\n",
            "set -o verbose\n# A line of text.\nls\n",
            "#!/bin/sh -v\n\n# A line of text.\nls\n",
            "#!/usr/bin/env node\n\n# A line of text.\nls\n",
            "grep '^# ' ./a.sh\n# A line of text.\nls\n",
            "grep '^# ' *.sh\n# A line of text.\nls\n",
            "x=$(cat b\n# A line of text.\n)\n",
            "x=(\n# A line of text.\n)\n",
        ] {
            let after = text.replace("A line of text", "Another line of text");
            assert!(!same_but_prose(Script::Shell, "a.sh", text, &after), "{text}");
        }
        assert!(same_but_prose(
            Script::Make,
            "Makefile",
            "\n\nall:\n\techo a\n",
            "\n\n# Builds all of it.\nall:\n\techo a\n"
        ));
        assert!(!same_but_prose(
            Script::Make,
            "Makefile",
            "\n\nall:\n\techo a\n",
            "\n\nall:\n\t# Builds all of it.\n\techo a\n"
        ));
        assert!(!same_but_prose(
            Script::Make,
            "Makefile",
            "\n\nall: # one two\n\ta\n",
            "\n\nall: # one\n\ta\n"
        ));
        let make = "\n\nprog: prog.o\n\nprog.o: prog.c\n";
        let recipe = make.replace("prog.o\n\n", "prog.o\n\t\n\n");
        assert!(!same_but_prose(Script::Make, "Makefile", make, &recipe));
        assert!(!same_but_prose(Script::Make, "Makefile", &recipe, make));
        let marked = "# syntax=a\n# check=b\n# escape = `\nFROM a\n";
        let words = marked.replace("# escape", "# Words that say something.\n# escape");
        assert!(!same_but_prose(Script::Docker, "Dockerfile", marked, &words));
        let docker = "FROM a\nRUN b \\\n  c\n";
        assert!(same_but_prose(
            Script::Docker,
            "Dockerfile",
            docker,
            "FROM a\n\n# The rest follows here.\nRUN b \\\n  c\n"
        ));
        assert!(!same_but_prose(
            Script::Docker,
            "Dockerfile",
            docker,
            "FROM a\nRUN b \\\n# The rest follows here.\n  c\n"
        ));
        assert!(same_but_prose(
            Script::Make,
            "Makefile",
            "# builds the shop\nrun:\n\t./run\n",
            "# how to run the shop\nrun:\n\t./run\n"
        ));
        assert!(!same_but_prose(
            Script::Docker,
            "Dockerfile",
            "# syntax=x\nFROM a\n",
            "# How it is built.\n# syntax=x\nFROM a\n"
        ));
        assert!(!same_but_prose(
            Script::Docker,
            "Dockerfile",
            docker,
            "# syntax=x\nFROM a\nRUN b \\\n  c\n"
        ));
    }
}
