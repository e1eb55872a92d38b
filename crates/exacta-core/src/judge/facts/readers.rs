//! Who reads a document: files of the project that name it, unless it is known that nothing
//! comes of that.
//!
//! A document is harmless because nothing runs or obeys it. A file that names one may do
//! either, so that whoever names a document is taken to read it, but for a short list: a
//! remark, the key of a manifest that only says where the words are, a link.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::answers::Answers;
use super::fact::Fact;
use super::kind::FactKind;
use super::vocabulary::Proof;
use crate::model::change::Change;
use crate::model::path::{AutoRun, RelPath, auto_run};
use crate::model::tree::Tree;

/// Endings of documents; what they say of each other is words.
const DOCUMENTS: &[&str] = &[
    "md", "markdown", "txt", "rst", "adoc", "asciidoc", "text", "html", "htm", "svg", "po", "pot",
];

/// Files that name others only to say whose they are, or what is packed or left out.
const LISTS: &[&str] = &[
    "MANIFEST.in",
    ".gitattributes",
    ".gitignore",
    ".dockerignore",
    ".npmignore",
    ".eslintignore",
    ".prettierignore",
    ".vscodeignore",
    ".helmignore",
    "CODEOWNERS",
    "mkdocs.yml",
    "_config.yml",
    ".mailmap",
    ".markdownlintignore",
    ".editorconfig",
];

/// Endings of settings, in which keys say what becomes of a name.
const SETTINGS: &[&str] = &["toml", "json", "yml", "yaml", "cfg"];

/// Keys behind which a name is that of words for readers, or of a file that is packed.
const KEYS: &[&str] = &[
    "readme",
    "license",
    "licence",
    "license-file",
    "license-files",
    "license_file",
    "license_files",
    "long_description",
    "long-description",
    "files",
    "include",
    "exclude",
    "paths",
    "paths-ignore",
    "ignore",
    "body_path",
    "changelog",
    "doc",
];

/// Files of code, in which a pattern for all documents of a kind reads them.
const CODE: &[&str] = &[
    "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "c",
    "h", "cc", "cpp", "kt", "swift", "rb", "php", "cs", "scala", "sh", "bash", "zsh", "ps1", "pl",
    "lua", "mk", "el", "ex", "exs", "nix",
];

/// Of documents that a plan changes and of which nothing else is known, those that something in
/// the project reads, or that can be started; what the project answers is noted.
pub(crate) fn readers(
    changes: &[Change],
    facts: &[Fact],
    tree: &dyn Tree,
    answers: &mut Answers,
) -> Vec<Fact> {
    let documents: Vec<&Fact> = facts
        .iter()
        .filter(|fact| matches!(fact.kind, FactKind::Proven { proof: Proof::Document, .. }))
        .collect();
    if documents.is_empty() {
        return Vec::new();
    }
    let mut paths: Vec<String> = documents.iter().map(|fact| fact.path.to_string()).collect();
    paths.sort_unstable();
    paths.dedup();
    let read = tree.readers(&paths);
    let mut out = Vec::new();
    for fact in documents {
        let started = changes.iter().any(|change| {
            change.path == fact.path
                && [change.mode_before, change.mode_after]
                    .iter()
                    .flatten()
                    .any(|mode| mode.is_executable())
        });
        let by = read.get(fact.path.as_str());
        if let Some(by) = by {
            answers.named_by.insert(fact.path.to_string(), Some(alloc::format!("`{by}`")));
        }
        if started || by.is_some() {
            let excerpt = by.map(|by| alloc::format!("`{by}` names it")).unwrap_or_default();
            let kind = FactKind::Proven { proof: Proof::Read, lines: 0 };
            out.push(Fact { kind, excerpt, line: None, ..fact.clone() });
        }
    }
    out
}

/// Whether the file at `path` with this text reads the document at `document`.
#[must_use]
pub fn reads_document(path: &str, text: &str, document: &str) -> bool {
    let base = document.rsplit('/').next().unwrap_or(document);
    let own = path.rsplit('/').next().unwrap_or(path);
    let ending = own.rsplit_once('.').map_or("", |(_, ending)| ending);
    if path == document || LISTS.contains(&own) {
        return false;
    }
    let obeyed = RelPath::parse(path)
        .is_ok_and(|path| matches!(auto_run(&path), Some(AutoRun::AgentSettings)));
    let lower = own.to_lowercase();
    let packages = lower.contains("requirements") || lower == "cmakelists.txt";
    if DOCUMENTS.contains(&ending) && !obeyed && !packages {
        return false;
    }
    let code = CODE.contains(&ending) || matches!(own, "Makefile" | "Dockerfile" | "justfile");
    let kind = base.rsplit_once('.').map(|(_, kind)| kind).filter(|_| code);
    let sweeping: Vec<String> = kind.map_or_else(Vec::new, |kind| {
        ["*.", "}.", "%s.", "\".", "'."].iter().map(|sign| alloc::format!("{sign}{kind}")).collect()
    });
    if !text.contains(base) && !sweeping.iter().any(|all| text.contains(all.as_str())) {
        return false;
    }
    if ending == "json" && !obeyed && is_plan(text) {
        return false;
    }
    let settings = SETTINGS.contains(&ending);
    let mut above = "";
    text.lines().any(|line| {
        let key = key_of(line);
        if let Some(key) = key.filter(|_| settings) {
            above = key;
        }
        let named = holds(line, base);
        let swept = || sweeping.iter().any(|all| line.contains(all.as_str()));
        if !(named || swept()) || !obeyed && is_remark(line) {
            return false;
        }
        let listed = settings && KEYS.contains(&above.to_lowercase().as_str());
        let described = lower == "setup.py" && only_described(text, line);
        obeyed || !(listed || described)
    })
}

/// Whether a text is a plan: it names what it would change, and nothing runs it but the gate.
fn is_plan(text: &str) -> bool {
    text.contains("\"steps\"")
        && ["file_create", "file_modify", "file_delete"].iter().any(|step| text.contains(step))
}

/// Whether a line is one of words.
fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*", "--", ";", "<!--"].iter().any(|mark| line.starts_with(mark))
        || line.starts_with('#')
            && !["#!", "#[", "#include", "#define", "#embed", "#import"]
                .iter()
                .any(|mark| line.starts_with(mark))
}

/// The key of a line of settings.
fn key_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let (key, _) = line.split_once(['=', ':'])?;
    let key = key.trim().trim_matches(['"', '\'']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}

/// Whether a setup only hands on the words of a document: into the long description, at once or
/// by one name that nothing else has.
fn only_described(text: &str, line: &str) -> bool {
    const WHAT: &str = "long_description";
    let picks = |line: &str| {
        ["search", "match", "find", "split", "exec", "eval", "["]
            .iter()
            .any(|word| line.contains(word))
    };
    if picks(line) {
        return false;
    }
    if line.contains(WHAT) {
        return true;
    }
    let opened = line.trim_start().strip_prefix("with open(").and_then(|rest| {
        let (_, name) = rest.rsplit_once(" as ")?;
        name.trim_end().strip_suffix(':')
    });
    let assigned = line.split_once(" = ").map(|(name, _)| name.trim());
    let Some(name) = opened.or(assigned).filter(|name| !name.is_empty()) else { return false };
    let mut uses = text.lines().filter(|other| *other != line && holds(other, name)).peekable();
    uses.peek().is_some() && uses.all(|other| other.trim_start().starts_with(WHAT) && !picks(other))
}

/// Whether a line holds a name as a whole word, not as a part of an address.
fn holds(line: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let word =
            before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(')).next();
        let address = word.is_some_and(|word| word.contains("://"));
        let after = line.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part) && !address
    })
}

/// What each of these documents is read by, as far as this file goes.
pub fn readers_in(
    path: &str,
    text: &str,
    documents: &[String],
    found: &mut BTreeMap<String, String>,
) {
    for document in documents {
        if !found.contains_key(document) && reads_document(path, text, document) {
            found.insert(document.clone(), path.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_a_document_reads_it() {
        for (path, text, document) in [
            ("src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n", "README.md"),
            ("main.py", "x = open(\"limits.txt\").read()\n", "docs/limits.txt"),
            ("Dockerfile", "FROM x\nRUN pip install -r notes.txt\n", "notes.txt"),
            ("CLAUDE.md", "Follow @docs/style.md\n", "docs/style.md"),
            ("AGENTS.md", "Read docs/style.md before you begin.\n", "docs/style.md"),
            ("opencode.json", "{\"instructions\":[\"docs/style.md\"]}", "docs/style.md"),
            (".aider.conf.yml", "read: NOTES.md\n", "NOTES.md"),
            ("build.json", "{\"target\": \"docs/a.md\"}\n", "docs/a.md"),
            ("pytest.ini", "[pytest]\ntestpaths = README.md\n", "README.md"),
            ("tests/test_a.py", "for p in glob('**/*.md'):\n", "docs/a.md"),
            ("main.py", "x = open(\"%s.txt\" % y)\n", "docs/a.txt"),
            ("main.py", "x = p.with_suffix(\".txt\")\n", "docs/a.txt"),
            (
                "setup.py",
                "v = re.search(r\"Version (\\S+)\", open(\"README.md\").read()).group(1)\n",
                "README.md",
            ),
            ("setup.py", "t = open('README.md').read()\nversion = t.split()[0]\n", "README.md"),
            ("pyproject.toml", "[tool.a]\nmarkdown = [\n  \"README.md\",\n]\n", "README.md"),
        ] {
            assert!(reads_document(path, text, document), "{path}: {text}");
        }
        for (path, text, document) in [
            ("Cargo.toml", "readme = \"README.md\"\n", "README.md"),
            ("package.json", "{\n  \"files\": [\n    \"README.md\"\n  ]\n}\n", "README.md"),
            ("pyproject.toml", "readme = {file = \"README.md\"}\n", "README.md"),
            (
                "plan.json",
                "{\"steps\": [{\"type\": \"file_modify\", \"target\": \"docs/a.md\"}]}\n",
                "docs/a.md",
            ),
            ("docs/b.md", "See [a](a.md).\n", "docs/a.md"),
            ("src/lib.rs", "// See README.md for more.\nfn a() {}\n", "README.md"),
            ("MANIFEST.in", "include README.md\n", "README.md"),
            ("a.py", "URL = 'https://a.example/README.md'\n", "README.md"),
            ("a.py", "x = 'my-README.md'\n", "README.md"),
            ("setup.py", "setup(long_description=open('README.md').read())\n", "README.md"),
            (
                "setup.py",
                "with open('README.md') as f:\n    long_description = f.read()\n",
                "README.md",
            ),
            (
                ".github/workflows/a.yml",
                "on:\n  push:\n    paths-ignore:\n      - README.md\n",
                "README.md",
            ),
        ] {
            assert!(!reads_document(path, text, document), "{path}: {text}");
        }
    }
}
