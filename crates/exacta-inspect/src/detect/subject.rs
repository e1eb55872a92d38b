//! What detectors may ask about the file they look at.

use exacta_core::judge::facts::{Language, is_built_on, is_documentation, is_sample, is_test};
use exacta_core::model::path::RelPath;

use crate::manifest::is_manifest;
use crate::syntax::language_of;

/// A changed file.
pub(crate) struct Subject<'a> {
    /// Where it is.
    pub(crate) path: &'a RelPath,
    /// The ending of its name in lower case.
    pub(crate) ending: String,
    /// Its language, when its syntax is read.
    pub(crate) language: Option<Language>,
    /// Whether only tests use it.
    pub(crate) test: bool,
    /// Whether it is prose.
    pub(crate) prose: bool,
    /// Whether it is a sample that people copy and fill in.
    pub(crate) sample: bool,
}

impl<'a> Subject<'a> {
    /// A file that is known by its name alone.
    #[cfg(test)]
    pub(crate) fn new(path: &'a RelPath) -> Self {
        Self::with(path, "")
    }

    /// A file whose name may say less than its first line.
    pub(crate) fn with(path: &'a RelPath, first_line: &str) -> Self {
        let name = path.name().to_lowercase();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let (ending, language) = match ending {
            Some(ending) => (ending, language_of(path)),
            None => interpreted(first_line),
        };
        Self {
            path,
            ending,
            language,
            test: is_test(path),
            prose: is_documentation(path),
            sample: is_sample(path),
        }
    }

    /// Whether code in the file can guard anything: tests, prose, samples and manifests
    /// only talk about it.
    pub(crate) fn guards(&self) -> bool {
        !(self.test || self.prose || self.sample || is_manifest(self.path))
    }

    /// Whether people outside the project may build on what the file declares.
    pub(crate) fn public(&self) -> bool {
        is_built_on(self.path)
    }

    /// Whether the name ends in one of `endings`.
    pub(crate) fn ends_in(&self, endings: &[&str]) -> bool {
        endings.contains(&self.ending.as_str())
    }

    /// Whether the file is a page, a script or a component that a browser loads.
    pub(crate) fn web(&self) -> bool {
        self.ends_in(&[
            "html", "htm", "xhtml", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "vue", "svelte",
            "astro", "php", "erb", "ejs", "hbs", "jinja", "j2", "twig",
        ])
    }

    /// Whether the file is a script of a shell or holds commands for one.
    pub(crate) fn shell_like(&self) -> bool {
        self.ends_in(&["sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "mk", "yml", "yaml"])
            || self.ending.is_empty()
    }

    /// Whether values stand in the file without quotes.
    pub(crate) fn settings(&self) -> bool {
        self.ends_in(&[
            "env",
            "ini",
            "cfg",
            "conf",
            "properties",
            "yml",
            "yaml",
            "toml",
            "sh",
            "bash",
        ]) || self.path.name().to_lowercase().starts_with(".env")
            || self.ending.is_empty()
    }
}

/// The ending and the language that a script would have if its name said what runs it.
fn interpreted(first_line: &str) -> (String, Option<Language>) {
    let command = first_line.strip_prefix("#!").unwrap_or_default();
    let program = command
        .split_ascii_whitespace()
        .map(|part| part.rsplit('/').next().unwrap_or(part))
        .find(|part| !(*part == "env" || part.starts_with('-') || part.contains('=')))
        .unwrap_or_default();
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (ending, language) = match program {
        "python" | "pypy" => ("py", Some(Language::Python)),
        "node" | "nodejs" | "bun" => ("js", Some(Language::JavaScript)),
        "deno" | "tsx" | "ts-node" => ("ts", Some(Language::TypeScript)),
        "ruby" => ("rb", None),
        "perl" => ("pl", None),
        "php" => ("php", None),
        "sh" | "bash" | "dash" | "ksh" | "zsh" => ("sh", None),
        _ => ("", None),
    };
    (ending.to_owned(), language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_known_by_what_runs_it() {
        for (first_line, ending, language) in [
            ("#!/usr/bin/env python3", "py", Some(Language::Python)),
            ("#!/usr/bin/env -S python3.12 -u", "py", Some(Language::Python)),
            ("#! /usr/bin/python", "py", Some(Language::Python)),
            ("#!/usr/bin/env node", "js", Some(Language::JavaScript)),
            ("#!/usr/bin/env ruby", "rb", None),
            ("#!/bin/bash -e", "sh", None),
            ("#!/usr/bin/env", "", None),
            ("# python", "", None),
            ("", "", None),
        ] {
            assert_eq!(interpreted(first_line), (ending.to_owned(), language), "{first_line}");
        }
        let path = RelPath::parse("bin/deploy.sh").unwrap();
        assert_eq!(Subject::with(&path, "#!/usr/bin/env python3").ending, "sh");
    }
}
