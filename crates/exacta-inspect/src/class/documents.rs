//! Documents that nothing runs and nothing includes.

use exacta_core::model::path::RelPath;

/// Endings of documents. A closed list: what is not on it is not a document.
const ENDINGS: &[&str] = &["md", "markdown", "txt", "rst", "adoc", "asciidoc", "text"];

/// Names without an ending that are documents by custom, in lower case.
const NAMES: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "authors",
    "contributors",
    "changelog",
    "changes",
    "news",
    "history",
    "notice",
    "todo",
    "thanks",
    "contributing",
    "install",
    "maintainers",
];

/// Words in names of plain text that people read, whatever else the name says.
const PROSE: &[&str] = &[
    "about",
    "acknowledgements",
    "authors",
    "building",
    "bugs",
    "changelog",
    "changes",
    "contributing",
    "contributors",
    "copying",
    "copyright",
    "credits",
    "disclaimer",
    "faq",
    "help",
    "hacking",
    "history",
    "howto",
    "install",
    "installation",
    "intro",
    "introduction",
    "licence",
    "license",
    "licenses",
    "maintainers",
    "news",
    "note",
    "notes",
    "notice",
    "overview",
    "readme",
    "release",
    "thanks",
    "todo",
    "tutorial",
    "upgrade",
    "upgrading",
    "usage",
];

/// Names that programs or agents read whatever the ending says.
const READ: &[&str] = &[
    "agents",
    "claude",
    "gemini",
    "copilot-instructions",
    "skill",
    "memory",
    "system",
    "llms",
    "rules",
    "instructions",
    "soul",
];

/// Names that programs read where the ending promises plain text.
const READ_AS_TEXT: &[&str] = &[
    "requirements",
    "constraints",
    "cmakelists",
    "robots",
    "humans",
    "security",
    "version",
    "ads",
    "manifest",
    "sources",
    "files",
    "top_level",
    "entry_points",
    "dependency",
    "pins",
    "allowlist",
    "denylist",
    "blocklist",
    "whitelist",
    "blacklist",
    "allowed",
    "config",
    "words",
    "conanfile",
    "packages",
    "apt",
    "runtime",
    "codeowners",
    "index",
    "_index",
];

/// Words in names of lists of things that programs are given.
const LISTED: &[&str] = &[
    "admins",
    "crontab",
    "cron",
    "dependencies",
    "deps",
    "dictionary",
    "domains",
    "emails",
    "env",
    "extensions",
    "filters",
    "hosts",
    "ids",
    "ignore",
    "ips",
    "keys",
    "libs",
    "limits",
    "list",
    "lock",
    "modules",
    "names",
    "params",
    "passwords",
    "patterns",
    "permissions",
    "pip",
    "pkgs",
    "plugins",
    "proxies",
    "repos",
    "roles",
    "schedule",
    "secrets",
    "seeds",
    "servers",
    "settings",
    "spelling",
    "stopwords",
    "targets",
    "tokens",
    "urls",
    "users",
    "values",
    "vars",
    "wordlist",
];

/// Documents of a repository that its host shows, in its folder `.github`.
const SHOWN: &[&str] = &[
    "contributing",
    "code_of_conduct",
    "security",
    "support",
    "governance",
    "readme",
    "pull_request_template",
];

/// Folders whose documents programs read or render, in lower case.
const FOLDERS: &[&str] = &[
    "prompts",
    "prompt",
    "templates",
    "template",
    "fixtures",
    "testdata",
    "test_data",
    "data",
    "snapshots",
    "__snapshots__",
    "golden",
    "goldens",
    "requirements",
    "content",
    "_posts",
    "posts",
    "pages",
    "agents",
    "skills",
    "commands",
    "rules",
    "instructions",
    "wordlists",
    "tests",
    "test",
    "expected",
    "locale",
    "locales",
    "i18n",
    "src",
    "static",
    "public",
    "assets",
    "resources",
    "blog",
    "_includes",
    "_layouts",
    "partials",
    "layouts",
    "email",
    "emails",
    "mail",
    "config",
    "conf",
    "etc",
    "schemas",
    "specs",
    "features",
    "changesets",
    ".changeset",
    "migrations",
    "deploy",
    "input",
    "inputs",
    "corpus",
    "examples",
];

/// Those of them that are chapters where they stand among documents.
const CHAPTERS: &[&str] = &[
    "commands",
    "conf",
    "config",
    "content",
    "deploy",
    "email",
    "emails",
    "examples",
    "features",
    "input",
    "inputs",
    "mail",
    "migrations",
    "pages",
    "resources",
    "rules",
    "schemas",
    "specs",
    "src",
    "test",
    "tests",
];

/// Endings of what tests compare with or are fed, beside documents.
const FIXTURES: &[&str] = &[
    "stderr", "stdout", "out", "err", "expected", "golden", "csv", "tsv", "jsonl", "ndjson",
    "diff", "patch", "log",
];

/// Whether a file among tests is data that nothing but tests reads.
pub(super) fn is_fixture(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let known = ENDINGS.contains(&ending) || FIXTURES.contains(&ending);
    known && !stem.is_empty() && !stem.starts_with('.') && !is_read(stem, Some(ending))
}

/// Whether programs or agents read a file of this name.
fn is_read(stem: &str, ending: Option<&str>) -> bool {
    let text = matches!(ending, None | Some("txt" | "text"));
    READ.contains(&stem)
        || text && READ_AS_TEXT.contains(&stem)
        || stem.contains("requirements")
        || stem.contains("prompt")
}

/// Whether the file is one that people read and programs do not.
pub(super) fn is_document(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, Some(ending)),
        _ => (name.as_str(), None),
    };
    // A program may read any plain text: a name that says so is that of no document.
    let text = matches!(ending, Some("txt" | "text"));
    let words = || stem.split(['-', '_', '.', ' ']);
    let told = words().any(|word| PROSE.contains(&word));
    let listed = words().any(|word| READ_AS_TEXT.contains(&word) || LISTED.contains(&word));
    let known = match ending {
        Some(ending) => ENDINGS.contains(&ending) && (!text || told || !listed),
        // Programs are written in lower case.
        None => NAMES.contains(&stem) && path.name().starts_with(char::is_uppercase),
    };
    let read = is_read(stem, ending);
    let folders = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    let shown = match folders {
        ".github" => SHOWN.contains(&stem),
        ".github/ISSUE_TEMPLATE" | ".github/PULL_REQUEST_TEMPLATE" => true,
        _ => false,
    };
    let mut among = false;
    let inside = folders.split('/').filter(|part| !part.is_empty()).any(|part| {
        let part = part.to_lowercase();
        let chapter = among && CHAPTERS.contains(&part.as_str());
        among |= matches!(part.as_str(), "doc" | "docs" | "documentation");
        part.starts_with('.') && !shown || FOLDERS.contains(&part.as_str()) && !chapter
    });
    // The first page of a site is found by its name, except among documents.
    let home = matches!(stem, "index" | "_index")
        && !folders.split('/').any(|part| matches!(part, "doc" | "docs" | "documentation"));
    known && !read && !home && !inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures_are_a_closed_list() {
        let is = |path: &str| is_fixture(&RelPath::parse(path).unwrap());
        for path in ["tests/ui/a.stderr", "testdata/a.golden", "tests/data/a.csv", "tests/a.txt"] {
            assert!(is(path), "{path}");
        }
        for path in [
            "tests/CMakeLists.txt",
            "tests/requirements.txt",
            "tests/requirements-dev.txt",
            "tests/CLAUDE.md",
            "tests/run",
            "tests/a.sh",
            "tests/a.sql",
            "tests/a.xml",
            "tests/.hidden.txt",
        ] {
            assert!(!is(path), "{path}");
        }
    }

    #[test]
    fn documents_are_a_closed_list() {
        let is = |path: &str| is_document(&RelPath::parse(path).unwrap());
        for path in [
            "README.md",
            "docs/guide.md",
            "LICENSE",
            "notes.txt",
            "LICENSE-MIT.txt",
            "doc/guide.txt",
            "CHANGELOG.md",
            "doc/x.rst",
            "docs/index.rst",
            "docs/patterns/packages.rst",
            "doc/site/docs/features/access.md",
            ".github/CONTRIBUTING.md",
            ".github/ISSUE_TEMPLATE/bug.md",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "requirements.txt",
            "CMakeLists.txt",
            "robots.txt",
            "a.mdx",
            "setup.org",
            "limits.txt",
            "deps.txt",
            "pip.txt",
            "allowed_hosts.txt",
            "crontab.txt",
            "docs/deps.txt",
            "allowed-users.txt",
            "bin/news",
            "install",
            "history",
            "nb.ipynb",
            "x.html",
            "prompts/system.md",
            "AGENTS.md",
            "CLAUDE.md",
            ".claude/x.md",
            "tests/data.txt",
            "src/notes.md",
            "src/docs/prompts/notes.md",
            "features/docs.md",
            "requirements/dev.txt",
            "content/post.md",
            "Makefile",
            "index.md",
            "packages.txt",
            ".github/copilot-instructions.md",
            ".github/instructions/x.md",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
