//! What an agent may not read through its host: the gate's own key, tokens and settings.
//!
//! Whoever has the key can write what the gate would believe. Where the agent may read as the
//! user does this is a rail, not a wall; on a copy (`exacta agent`) these folders are not there.

use std::env;
use std::path::{Component, Path, PathBuf};

/// Programs that read everything below a folder.
const DEEP: [&str; 6] = ["diff", "egrep", "fgrep", "git", "grep", "rg"];

/// The folders that are the gate's own.
pub(super) struct Private {
    folders: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Private {
    /// Those of this user, under every name that they have.
    pub(super) fn of_this_user() -> Self {
        let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|at| at.is_absolute());
        let home = set("HOME");
        let mut folders = Vec::new();
        for (name, usual) in [("XDG_STATE_HOME", ".local/state"), ("XDG_CONFIG_HOME", ".config")] {
            let below_home = home.as_ref().map(|home| home.join(usual));
            folders.extend(set(name).into_iter().chain(below_home).map(|at| at.join("exacta")));
        }
        let real: Vec<_> = folders.iter().filter_map(|at| at.canonicalize().ok()).collect();
        folders.extend(real);
        Self { folders, home }
    }

    /// Whether a word of a command leads there. `program` is what gets it, `folder` where it runs.
    pub(super) fn is_named(&self, program: &str, word: &str, folder: &Path) -> bool {
        let deep = DEEP.contains(&program);
        // The value of an option is a word as well, also where nothing stands between them.
        let value = word.split_once('=').map(|(_, value)| value);
        let glued = word.find(['/', '~']).and_then(|at| word.get(at..));
        let glued = glued.filter(|_| word.starts_with('-'));
        let here = reads_here(program, word).then_some(".");
        here.into_iter()
            .chain([word])
            .chain(value)
            .chain(glued)
            .any(|word| self.holds(word, folder, deep))
    }

    /// Whether a path lies there; with `deep` also whether it is a folder above.
    pub(super) fn holds(&self, path: &str, folder: &Path, deep: bool) -> bool {
        let path = match path.strip_prefix('~').map(|rest| rest.trim_start_matches('/')) {
            Some(rest) => self.home.clone().unwrap_or_default().join(rest),
            None => folder.join(path),
        };
        let mut plain = PathBuf::new();
        let mut spreads = false;
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                // From here on the shell looks for names.
                Component::Normal(name) if is_pattern(&name.to_string_lossy()) => {
                    spreads = true;
                    break;
                }
                part => plain.push(part),
            }
        }
        if is_of_the_reader(&plain) {
            return true;
        }
        let real = existing(&plain);
        [plain, real].iter().any(|at| {
            self.folders.iter().any(|private| {
                at.starts_with(private) || (deep || spreads) && private.starts_with(at)
            })
        })
    }
}

/// Whether a path goes through what the process that reads it has open, which only that one can
/// tell.
fn is_of_the_reader(path: &Path) -> bool {
    let open = |part: &Component<'_>| part.as_os_str() == "cwd" || part.as_os_str() == "fd";
    path.starts_with("/proc") && path.components().any(|part| open(&part))
}

/// Whether a word makes a program read the folder that it runs in, with all below.
fn reads_here(program: &str, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let long = |options: &[&str]| {
        name.len() > 3 && name.starts_with("--") && options.iter().any(|all| all.starts_with(name))
    };
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    match program {
        "grep" | "egrep" | "fgrep" => {
            letters.contains(['r', 'R', 'd'])
                || long(&["--recursive", "--dereference-recursive", "--directories"])
        }
        "rg" => letters.contains(['.', 'u']) || long(&["--hidden", "--unrestricted"]),
        "git" => long(&["--no-index"]),
        _ => false,
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// The path without links, as far as it is there.
fn existing(path: &Path) -> PathBuf {
    for at in path.ancestors() {
        if let Ok(real) = at.canonicalize() {
            return real.join(path.strip_prefix(at).unwrap_or(Path::new("")));
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_the_folder_is_known_and_the_project_is_free() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let project = home.join("work/project");
        let own = home.join(".local/state/exacta");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        std::os::unix::fs::symlink(&own, project.join("notes")).unwrap();
        let private = Private { folders: vec![own.clone()], home: Some(home.clone()) };
        let named = |program: &str, word: &str| private.is_named(program, word, &project);
        let key = own.join("key");
        let key = key.to_str().unwrap();
        for word in [
            key,
            "../../.local/state/exacta/key",
            "~/.local/state/exacta/rooms/x",
            "../../.local/st*/exacta/key",
            "../../.*/*/*/key",
            "notes/key",
            "./notes",
        ] {
            assert!(named("cat", word), "{word}");
        }
        assert!(named("cat", &format!("--file={key}")));
        assert!(named("grep", &format!("-f{key}")));
        assert!(named("grep", home.to_str().unwrap()) && named("rg", "../.."));
        for (program, word) in [
            ("grep", "-rn"),
            ("egrep", "--recurs"),
            ("fgrep", "--directories=recurse"),
            ("rg", "--hidden"),
            ("rg", "-uu"),
            ("git", "--no-index"),
        ] {
            assert!(private.is_named(program, word, &home), "{program} {word}");
            assert!(!named(program, word), "{program} {word}");
        }
        for word in ["/proc/self/cwd/key", "/proc/thread-self/fd/3", "/proc/1/task/1/cwd/key"] {
            assert!(named("cat", word), "{word}");
        }
        assert!(!private.is_named("grep", "-n", &home) && !private.is_named("rg", "x", &home));
        assert!(!named("ls", home.to_str().unwrap()));
        for word in ["src", "*.py", "-la", "../other/x", "/etc/hosts", "a=b", "exacta", "/"] {
            assert!(!named("cat", word), "{word}");
        }
    }
}
