//! What of the project a model is shown: names, and as much content as fits a budget.
//!
//! Git says which files belong to the project, so ignored ones are left out; without git every
//! name is looked at that does not begin with a dot. What looks like a secret is left out by
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
    let listed = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let names = match listed {
        Ok(output) if output.status.success() => output
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => walk(folder),
    };
    let mut names: Vec<String> = names;
    names.retain(|name| !name.starts_with(".exacta/"));
    names.sort_unstable();
    names.dedup();
    names
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
