//! What detectors may ask about the file they look at.

use exacta_core::facts::{Language, is_built_on, is_documentation, is_sample, is_test};
use exacta_core::path::RelPath;

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
    pub(crate) fn new(path: &'a RelPath) -> Self {
        let name = path.name().to_lowercase();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_owned()).unwrap_or_default();
        Self {
            path,
            ending,
            language: language_of(path),
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

/// Whether a line is a comment, judged by how it starts; for languages without a parser.
pub(crate) fn starts_as_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "//", "/*", "*", "--", "<!--", ";", "\"\"\"", "'''", "%"]
        .iter()
        .any(|mark| line.starts_with(mark))
        && !line.starts_with("#!")
        && !line.starts_with("#include")
        && !line.starts_with("#[")
}
