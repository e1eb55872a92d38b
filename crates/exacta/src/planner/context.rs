//! What of the project a model is shown: names, and as much content as fits a budget.
//!
//! Git says which files belong to the project, so ignored ones are left out, also where there is no
//! repository; without git every name is looked at that does not begin with a dot, unless there is
//! a `.gitignore`. What looks like a secret is left out by
//! name and masked in content. The list of what is sent is shown before it is.

use std::path::Path;
use std::process::{Command, Stdio};

use exacta_core::model::path::RelPath;
use exacta_core::model::tree::Tree as _;
use exacta_engine::workspace::Root;

/// What is sent.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// The text.
    pub(crate) text: String,
    /// Files whose content is in it, with how many bytes.
    pub(crate) files: Vec<(String, usize)>,
    /// How many more are only named.
    pub(crate) named: usize,
}

const MOST_NAMES: usize = 2_000;
const LARGEST_FILE: usize = 64_000;
/// Names that tell of secrets.
const SECRET: &[&str] = &[
    ".env",
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".kdbx",
    "id_rsa",
    "id_ed25519",
    "credentials",
    "secret",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "token",
];

/// Gathers what fits; files that the intent names come first.
pub(crate) fn gather(root: &Root, intent: &str, budget: usize) -> Context {
    let folder = root.id().path;
    let names = names(Path::new(&folder));
    let mut context = Context::default();
    let mut wanted: Vec<&String> =
        names.iter().filter(|name| !is_secret(name)).take(MOST_NAMES).collect();
    let is_meant = |name: &str| {
        let last = name.rsplit('/').next().unwrap_or(name);
        intent.contains(name) || (last.len() > 3 && intent.contains(last))
    };
    // Named ones first, then the rest as git lists them; nothing else is guessed.
    wanted.sort_by_key(|name| !is_meant(name));
    context.text.push_str("Files of the project:\n");
    for name in &wanted {
        if context.text.len() + name.len() + 1 > budget {
            break;
        }
        context.text.push_str(name);
        context.text.push('\n');
    }
    for name in wanted {
        let Ok(path) = RelPath::parse(name) else { continue };
        let Ok(Some(file)) = root.look(&path) else { continue };
        let Ok(text) = std::str::from_utf8(file.blob.bytes()) else { continue };
        let free = budget.saturating_sub(context.text.len());
        if text.len() > LARGEST_FILE || text.len() + name.len() + 40 > free {
            context.named += 1;
            continue;
        }
        let text = exacta_inspect::mask_secrets(text);
        context.files.push((name.clone(), text.len()));
        context.text.extend(["\n<file path=\"", name, "\">\n", &text, "\n</file>\n"]);
    }
    context
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.iter().any(|word| name.contains(word))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names = listed(folder, &[])
        .or_else(|| {
            // A folder that is not a repository has its `.gitignore` read all the same.
            let empty = tempfile::tempdir().ok()?;
            let place = empty.path().to_str()?;
            let made = git(folder, &["init", "--quiet", "--bare", place]).output().ok()?;
            let (git, work) =
                (format!("--git-dir={place}"), format!("--work-tree={}", folder.display()));
            made.status.success().then(|| listed(folder, &[&git, &work]))?
        })
        // Without git nobody here knows what is ignored; then nothing of it is sent.
        .unwrap_or_else(
            || if folder.join(".gitignore").exists() { Vec::new() } else { walk(folder) },
        );
    names.retain(|name| !name.starts_with(".exacta/"));
    names.sort_unstable();
    names.dedup();
    names
}

/// What git lists of a folder.
fn listed(folder: &Path, place: &[&str]) -> Option<Vec<String>> {
    let words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = git(folder, place).args(words).output().ok()?;
    let names = output.stdout.split(|byte| *byte == 0);
    let names = names.filter_map(|name| std::str::from_utf8(name).ok());
    let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
    output.status.success().then(|| names.collect())
}

fn git(folder: &Path, words: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.fsmonitor=false"])
        .args(words)
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    git
}

fn walk(folder: &Path) -> Vec<String> {
    let (mut names, mut waiting) = (Vec::new(), vec![String::new()]);
    while let Some(below) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(folder.join(&below)) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || names.len() >= MOST_NAMES {
                continue;
            }
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(kind) if kind.is_file() => names.push(path),
                _ => {}
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_and_secrets_are_left_out_with_and_without_a_repository() {
        for repository in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in [
                (".gitignore", "/build\n*.local\n"),
                ("a.py", "x = 1\n"),
                ("b.local", "mine\n"),
                ("build/c.py", "y = 2\n"),
                (".env", "TOKEN=1\n"),
                ("deploy.pem", "key\n"),
            ] {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            if repository {
                assert!(git(folder.path(), &["init", "-q"]).status().unwrap().success());
            }
            let sent = gather(&Root::open(folder.path()).unwrap(), "change a.py", 100_000);
            let files: Vec<&str> = sent.files.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(files, ["a.py", ".gitignore"], "{repository}");
            for word in ["b.local", "build/c.py", ".env", "deploy.pem"] {
                assert!(!sent.text.contains(&format!("\n{word}\n")), "{word}: {}", sent.text);
            }
        }
    }
}
