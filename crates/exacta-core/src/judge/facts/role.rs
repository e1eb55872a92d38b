//! What a file is for, as far as its path tells.

use alloc::string::String;

use super::vocabulary::FileRole;
use crate::model::path::{RelPath, fold_key};

/// Endings of program text.
const SOURCE: &[&str] = &[
    "rs", "py", "pyi", "pyx", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "java",
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "cs", "kt", "kts", "scala", "swift",
    "rb", "php", "pl", "pm", "lua", "ex", "exs", "erl", "hs", "ml", "mli", "fs", "clj", "dart",
    "zig", "nim", "jl", "r", "m", "mm", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "sql",
    "vue", "svelte", "html", "htm", "css", "scss", "proto", "graphql", "tf", "sol", "wat", "asm",
    "s", "groovy", "gradle", "vb", "f90", "cu", "ipynb",
];

/// Endings of prose.
const PROSE: &[&str] = &["md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt", "org", "tex"];

/// Names of prose without an ending.
const PROSE_NAMES: &[&str] =
    &["readme", "license", "licence", "copying", "changelog", "changes", "authors", "notice"];
/// What a licence in a file of its own is called there.
const LICENCES: &[&str] = &[
    "mit",
    "apache",
    "apache-2.0",
    "apache2",
    "bsd",
    "bsd-2-clause",
    "bsd-3-clause",
    "gpl",
    "gpl-2.0",
    "gpl-3.0",
    "lgpl",
    "lgpl-2.1",
    "lgpl-3.0",
    "agpl",
    "agpl-3.0",
    "mpl",
    "mpl-2.0",
    "isc",
    "zlib",
    "boost",
    "bsl-1.0",
    "cc0",
    "cc0-1.0",
    "unlicense",
    "ofl",
    "unicode",
];

/// Folders of code that others wrote.
const VENDORED: &[&str] = &[
    "vendor",
    "vendored",
    "_vendor",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "node_modules",
    "bower_components",
    "site-packages",
    "extern",
    "external",
    "jspm_packages",
];

/// Endings of code that others built.
const BUILT: &[&str] = &[
    "jar", "war", "whl", "egg", "gem", "crate", "nupkg", "dll", "so", "dylib", "a", "lib", "exe",
    "wasm", "pyd", "pyc", "class", "o", "node", "phar",
];

/// Folders that builds and caches write.
const IGNORED: &[&str] = &[
    "target",
    "dist",
    "out",
    "__pycache__",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".next",
    ".nuxt",
    ".gradle",
    "coverage",
    ".cache",
    ".turbo",
    ".parcel-cache",
    ".eggs",
    "htmlcov",
    "cmake-build-debug",
    "cmake-build-release",
];

/// Folders of tests.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "__test__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "__fixtures__",
    "__mocks__",
    "mocks",
    "e2e",
    "cypress",
    "integration-tests",
    "integration_tests",
    "unittests",
    "testsuite",
    "__snapshots__",
];

/// The path's parts in a form in which case does not matter.
pub(super) struct Parts {
    folded: String,
    /// Where the name begins.
    name: usize,
    /// Where the last dot of the name is, or the end.
    dot: usize,
}

impl Parts {
    pub(super) fn of(path: &str) -> Self {
        // Most paths are ASCII, for which folding is changing case.
        let folded =
            if path.is_ascii() { path.to_ascii_lowercase() } else { fold_key(path).into_owned() };
        let after = |sign, from: usize| {
            let bytes = folded.as_bytes().get(from..).unwrap_or_default();
            memchr::memrchr(sign, bytes).map(|at| from + at)
        };
        let name = after(b'/', 0).map_or(0, |slash| slash + 1);
        let dot = after(b'.', name).unwrap_or(folded.len());
        Self { folded, name, dot }
    }

    pub(super) fn name(&self) -> &str {
        self.folded.get(self.name..).unwrap_or_default()
    }

    /// Stem and ending of the name; the ending is empty when there is none.
    fn split_name(&self) -> (&str, &str) {
        let stem = self.folded.get(self.name..self.dot).unwrap_or_default();
        (stem, self.folded.get(self.dot + 1..).unwrap_or_default())
    }

    fn folder_in(&self, list: &[&'static str]) -> Option<&'static str> {
        let folders = self.folded.get(..self.name.checked_sub(1)?)?;
        folders.split('/').find_map(|folder| list.iter().copied().find(|entry| *entry == folder))
    }

    /// The folder or ending that says the code is someone else's.
    pub(super) fn vendored(&self) -> Option<&'static str> {
        let (stem, ending) = self.split_name();
        let minified = stem.strip_suffix(".min").is_some();
        self.folder_in(VENDORED)
            // Elsewhere `deps` is as often one's own, as in `app/api/deps`.
            .or_else(|| self.folded.starts_with("deps/").then_some("deps"))
            .or_else(|| BUILT.iter().copied().find(|e| *e == ending))
            .or_else(|| (minified && matches!(ending, "js" | "mjs" | "css")).then_some("min"))
    }

    fn generated(&self) -> bool {
        let (stem, ending) = self.split_name();
        let name = self.name();
        [".generated", ".gen", "_generated", ".g", "_pb2", "_pb2_grpc", ".pb", ".designer"]
            .iter()
            .any(|mark| stem.ends_with(mark))
            || name.starts_with("zz_generated")
            || matches!(ending, "snap" | "map")
            || self.folder_in(&["generated", "__generated__", "autogen"]).is_some()
    }

    fn ignored(&self) -> bool {
        self.folder_in(IGNORED).is_some()
    }

    pub(super) fn test(&self) -> bool {
        let (stem, ending) = self.split_name();
        if self.folder_in(TEST_FOLDERS).is_some() {
            return true;
        }
        if !SOURCE.contains(&ending) && ending != "snap" {
            return false;
        }
        stem.starts_with("test_")
            || stem.starts_with("test-")
            || matches!(stem, "test" | "tests" | "conftest" | "spec")
            || [
                "_test",
                "_tests",
                ".test",
                ".tests",
                ".spec",
                ".e2e",
                "-test",
                "-tests",
                "-spec",
                "_spec",
                "_unittest",
                ".stories",
            ]
            .iter()
            .any(|mark| stem.ends_with(mark))
            || self.java_style_test(ending)
    }

    /// `FooTest.java`: case is gone here, so only endings that no ordinary word has
    /// before `test` count.
    fn java_style_test(&self, ending: &str) -> bool {
        let (stem, _) = self.split_name();
        matches!(ending, "java" | "kt" | "cs" | "scala" | "groovy")
            && (stem.ends_with("test") || stem.ends_with("tests") || stem.ends_with("testcase"))
            && !["latest", "contest", "greatest", "attest", "protest", "fastest"]
                .iter()
                .any(|word| stem.ends_with(word))
    }

    /// Whether the file lists requirements of Python: by its name, or by its folder.
    pub(super) fn lists_requirements(&self) -> bool {
        let (stem, ending) = self.split_name();
        let folder = self.folded.get(..self.name.saturating_sub(1)).unwrap_or_default();
        let word = |word| matches!(word, "requirements" | "constraints");
        matches!(ending, "txt" | "in")
            && (stem.starts_with("requirements")
                || stem.starts_with("constraints")
                || stem.split(['-', '_', '.']).any(word)
                || folder.rsplit('/').next() == Some("requirements"))
    }

    fn documentation(&self) -> bool {
        let (_, ending) = self.split_name();
        let program = matches!(self.name(), "cmakelists.txt" | "conanfile.txt");
        (PROSE.contains(&ending) && !program && !self.lists_requirements())
            || PROSE_NAMES.contains(&self.name())
            || self.licence()
    }

    /// `LICENSE-MIT` and its kin: which licence it is stands behind a dash.
    fn licence(&self) -> bool {
        let which = ["license-", "licence-", "copying-"]
            .iter()
            .find_map(|start| self.name().strip_prefix(start));
        which.is_some_and(|which| LICENCES.contains(&which))
    }

    pub(super) fn source(&self) -> bool {
        SOURCE.contains(&self.split_name().1)
    }

    /// The one role that says most.
    pub(super) fn role(&self) -> Option<FileRole> {
        if self.vendored().is_some() {
            Some(FileRole::Vendored)
        } else if self.ignored() {
            Some(FileRole::Ignored)
        } else if self.generated() {
            Some(FileRole::Generated)
        } else if self.test() {
            Some(FileRole::Test)
        } else if self.documentation() {
            Some(FileRole::Documentation)
        } else if self.source() {
            Some(FileRole::Source)
        } else {
            None
        }
    }
}

/// Whether the path is a test or something that only tests use.
#[must_use]
pub fn is_test(path: &RelPath) -> bool {
    Parts::of(path.as_str()).test()
}

/// Whether the path lies in a folder that builds, caches or package managers write.
#[must_use]
pub fn is_built_or_cached(path: &str) -> bool {
    let parts = Parts::of(path);
    parts.ignored() || parts.folder_in(&["node_modules"]).is_some()
}

/// Whether the path is prose.
#[must_use]
pub fn is_documentation(path: &RelPath) -> bool {
    Parts::of(path.as_str()).documentation()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_files_are_for() {
        for (path, role) in [
            ("src/main.rs", Some(FileRole::Source)),
            ("src/latest.java", Some(FileRole::Source)),
            ("src/FooTest.java", Some(FileRole::Test)),
            ("pkg/a_test.go", Some(FileRole::Test)),
            ("tests/it.rs", Some(FileRole::Test)),
            ("src/app.spec.ts", Some(FileRole::Test)),
            ("lib/test_app.py", Some(FileRole::Test)),
            ("src/contest.py", Some(FileRole::Source)),
            ("README.md", Some(FileRole::Documentation)),
            ("LICENSE", Some(FileRole::Documentation)),
            ("crates/x/LICENSE-MIT", Some(FileRole::Documentation)),
            ("LICENSE-APACHE-2.0", Some(FileRole::Documentation)),
            ("tools/license-check", None),
            ("tools/license-mit-report", None),
            ("tools/license-mit.py", Some(FileRole::Source)),
            ("requirements-dev.txt", None),
            ("vendor/github.com/x/y.go", Some(FileRole::Vendored)),
            ("static/jquery.min.js", Some(FileRole::Vendored)),
            ("lib/tool.jar", Some(FileRole::Vendored)),
            ("target/debug/x.rs", Some(FileRole::Ignored)),
            ("api/x_pb2.py", Some(FileRole::Generated)),
            ("Cargo.toml", None),
        ] {
            assert_eq!(Parts::of(path).role(), role, "{path}");
        }
    }
}
