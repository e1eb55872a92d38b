//! Who names a file: scripts that a build, a manifest, a workflow or a check of the
//! operator's runs, and deleted files that others still name.
//!
//! The files that name others are looked at through the same tree as everything else, so
//! that a stored plan answers the same later.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::str;

use super::answers::Answers;
use super::fact::Fact;
use super::kind::FactKind;
use super::role::is_test;
use crate::model::change::Change;
use crate::model::path::{AutoRun, RelPath, auto_run};
use crate::model::tree::Tree;

/// Files at the root that run others, and which of their lines do.
const NAMING: &[(&str, Lines, &str)] = &[
    ("Makefile", Lines::Recipes, "make"),
    ("makefile", Lines::Recipes, "make"),
    ("GNUmakefile", Lines::Recipes, "make"),
    ("justfile", Lines::All, "just"),
    ("Justfile", Lines::All, "just"),
    ("Taskfile.yml", Lines::All, "task"),
    ("package.json", Lines::Scripts, "npm"),
    ("composer.json", Lines::Scripts, "composer"),
    ("Dockerfile", Lines::Commands, "docker"),
    ("tox.ini", Lines::All, "tox"),
    ("noxfile.py", Lines::All, "nox"),
    (".pre-commit-config.yaml", Lines::All, "pre-commit"),
    ("lefthook.yml", Lines::All, "lefthook"),
    (".gitlab-ci.yml", Lines::All, "GitLab"),
    (".travis.yml", Lines::All, "Travis CI"),
    ("Procfile", Lines::All, "foreman"),
];

/// Where workflows lie, and who runs them.
const WORKFLOWS: (&str, &str) = (".github/workflows", "GitHub");
/// The most workflows, and neighbours of a deleted file, that are looked at.
const MOST: usize = 48;
/// Endings of files that are run as they are; compiled ones are not.
const SCRIPTS: &[&str] =
    &["", "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "ps1", "lua"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    All,
    /// Lines that begin with a tab.
    Recipes,
    /// Lines of the object `scripts`.
    Scripts,
    /// Lines of instructions that run something.
    Commands,
}

/// What the project's own files say about the files that a plan changes. `checks` are the
/// words of the operator's commands; what the project answers is noted.
pub(crate) fn named(
    changes: &[Change],
    tree: &dyn Tree,
    checks: &[String],
    answers: &mut Answers,
) -> Vec<Fact> {
    let scripts: Vec<&Change> = changes
        .iter()
        .filter(|change| runs_as_it_is(&change.path) || change.after.is_none())
        .collect();
    if scripts.is_empty() {
        return Vec::new();
    }
    let naming = naming(tree);
    let mut facts = Vec::new();
    for change in scripts {
        let path = change.path.as_str();
        let found = naming.iter().find(|one| {
            one.path != path && lines(&one.text, one.lines).any(|line| holds(line, path))
        });
        let asked = checks.iter().any(|word| holds(word, path));
        let fact = |kind| Fact {
            step: change.step.clone(),
            path: change.path.clone(),
            line: None,
            excerpt: String::new(),
            kind,
        };
        if change.after.is_none() {
            let by = found.map(|one| one.path.clone());
            let by = by.or_else(|| beside(change, changes, tree));
            answers.named_by.insert(path.to_string(), by.clone());
            facts.extend(by.map(|by| fact(FactKind::StillNamed { by })));
        } else {
            let named =
                found.map(|one| alloc::format!("{} (`{}` names it)", one.program, one.path));
            answers.named_by.insert(path.to_string(), named.clone());
            // What the operator's checks name is policy, and no answer of the project.
            let program = named.or_else(|| asked.then(|| "a check of the operator".to_string()));
            let why = AutoRun::BuildScript;
            facts.extend(program.map(|program| fact(FactKind::RunsByItself { why, program })));
        }
    }
    facts
}

fn runs_as_it_is(path: &RelPath) -> bool {
    let ending = path.name().rsplit_once('.').map_or("", |(_, ending)| ending);
    SCRIPTS.contains(&ending) && !is_test(path) && auto_run(path).is_none()
}

/// A file that names others.
struct Naming {
    path: String,
    text: String,
    lines: Lines,
    program: &'static str,
}

fn naming(tree: &dyn Tree) -> Vec<Naming> {
    let read = |path: &str, lines, program| {
        let file = tree.look(&RelPath::parse(path).ok()?).ok()??;
        let text = str::from_utf8(file.blob.bytes()).ok()?.to_string();
        Some(Naming { path: path.to_string(), text, lines, program })
    };
    let at_root = beside_names(tree, "");
    let known = |name: &str| at_root.is_empty() || at_root.iter().any(|other| other == name);
    let mut out: Vec<Naming> = NAMING
        .iter()
        .filter(|(path, ..)| known(path))
        .filter_map(|(path, lines, program)| read(path, *lines, program))
        .collect();
    let (folder, program) = WORKFLOWS;
    if known(".github") {
        let names = beside_names(tree, folder);
        out.extend(
            names
                .iter()
                .take(MOST)
                .filter_map(|name| read(&alloc::format!("{folder}/{name}"), Lines::All, program)),
        );
    }
    out
}

/// What lies in a folder, in the order of its names.
fn beside_names(tree: &dyn Tree, folder: &str) -> Vec<String> {
    let inside = if folder.is_empty() { "_".to_string() } else { alloc::format!("{folder}/_") };
    let mut names = RelPath::parse(&inside).map(|path| tree.siblings(&path)).unwrap_or_default();
    names.sort_unstable();
    names
}

fn lines(text: &str, which: Lines) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| match which {
        Lines::All => true,
        Lines::Recipes => line.starts_with('\t'),
        Lines::Commands => ["RUN ", "CMD ", "ENTRYPOINT ", "HEALTHCHECK "]
            .iter()
            .any(|word| line.starts_with(word)),
        Lines::Scripts => {
            let opens = line.trim_start().starts_with("\"scripts\"");
            let counts = inside || opens;
            inside =
                counts && !line.trim_start().starts_with('}') && !(opens && line.contains('}'));
            counts
        }
    })
}

/// Whether a line names the path as a whole word.
fn holds(line: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let after = line.get(at + path.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
    })
}

/// A neighbour that still brings a deleted file in.
fn beside(change: &Change, changes: &[Change], tree: &dyn Tree) -> Option<String> {
    let name = change.path.name();
    let stem = name.split('.').next().filter(|stem| stem.len() > 2)?;
    let folder = change.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
    let brings = ["import", "require", "include", "from ", "use ", "mod ", "source ", "load"];
    for other in beside_names(tree, folder).iter().take(MOST) {
        let path =
            if folder.is_empty() { other.clone() } else { alloc::format!("{folder}/{other}") };
        // What the plan itself changes is judged by what it becomes.
        if path == change.path.as_str() || changes.iter().any(|one| one.path.as_str() == path) {
            continue;
        }
        let Some(file) = RelPath::parse(&path).ok().and_then(|path| tree.look(&path).ok()?) else {
            continue;
        };
        let Ok(text) = str::from_utf8(file.blob.bytes()) else { continue };
        let names = text
            .lines()
            .any(|line| brings.iter().any(|word| line.contains(word)) && word_in(line, stem));
        if names {
            return Some(path);
        }
    }
    None
}

/// Whether a line holds a name as a whole word.
fn word_in(line: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        !line.get(..at).unwrap_or_default().ends_with(part)
            && !line.get(at + name.len()..).unwrap_or_default().starts_with(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_as_a_whole_word_in_lines_that_run_something() {
        assert!(holds("\t./tools/test.sh --all", "tools/test.sh"));
        assert!(!holds("\tother-tools/test.sh", "tools/test.sh"));
        assert!(!holds("\ttools/test.sh.bak", "tools/test.sh"));
        let manifest = "{\n  \"main\": \"lib/a.js\",\n  \"scripts\": {\n    \"x\": \"node lib/b.js\"\n  },\n  \"bin\": \"lib/c.js\"\n}\n";
        let named = |path| lines(manifest, Lines::Scripts).any(|line| holds(line, path));
        assert!(named("lib/b.js") && !named("lib/a.js") && !named("lib/c.js"));
        let recipes = "SRC = a.py\nall:\n\tpython b.py\n";
        let named = |path| lines(recipes, Lines::Recipes).any(|line| holds(line, path));
        assert!(named("b.py") && !named("a.py"));
    }
}
