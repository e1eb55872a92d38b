//! The room a check runs in: what it may see, and who builds the walls.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The most that a check may write to its standard output and error.
const OUTPUT_LIMIT: usize = 16 << 20;
/// Where a Rust toolchain lies: the variable that says it, the usual place below the home, and
/// the parts that are shown, which hold no settings and no credentials.
const TOOLCHAIN: [(&str, &str, &[&str]); 2] = [
    ("CARGO_HOME", ".cargo", &["bin", "registry", "git"]),
    ("RUSTUP_HOME", ".rustup", &["toolchains", "settings.toml", "update-hashes"]),
];

/// How the program is started whose `main` hands over to
/// [`child::serve`](crate::checks::child::serve).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The program, usually this one.
    pub program: PathBuf,
    /// The argument that makes it the child.
    pub argument: String,
}

/// How the view was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// The project shows through, writes go elsewhere.
    Overlay,
    /// A copy that shares blocks with the project where the file system can.
    Copy,
}

/// Where and how checks run.
#[derive(Clone, Debug)]
pub struct Room {
    /// Who builds the walls.
    pub launcher: Launcher,
    /// A folder outside the project for views; made when absent.
    pub scratch: PathBuf,
    /// Folders that a check may read besides those of the system.
    pub reads: Vec<PathBuf>,
    /// Folders that it may not see wherever they lie: the gate's state and configuration.
    pub hidden: Vec<PathBuf>,
    /// The environment of a check; nothing else is handed on.
    pub environment: Vec<(String, String)>,
    /// The most bytes of output; a check that writes more is ended.
    pub output_limit: usize,
    /// The ways to make a view, tried in this order.
    pub views: Vec<ViewKind>,
}

impl Room {
    /// A room for the given environment: the programs on `PATH` and a Rust toolchain of
    /// the user are readable, everything else of the user's home is not there.
    #[must_use]
    pub fn new(launcher: Launcher, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let home = folder("HOME");
        let below_home = |name: &str, usual: &str| {
            folder(name).or_else(|| Some(home.as_ref()?.join(usual))).map(|at| at.join("exacta"))
        };
        let path = variable("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        // A home, or a folder above it, that somebody put on PATH is not shown for that.
        let homes: Vec<PathBuf> = home.iter().cloned().flat_map(by_every_name).collect();
        let holds_home = |folder: &PathBuf| {
            by_every_name(folder.clone())
                .any(|folder| homes.iter().any(|home| home.starts_with(&folder)))
        };
        let mut reads: Vec<_> = std::env::split_paths(&path).filter(|p| p.is_absolute()).collect();
        reads.retain(|folder| !holds_home(folder));
        let mut environment = vec![
            ("HOME".into(), HOME.into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("TMPDIR".into(), "/tmp".into()),
        ];
        environment.extend(text(&path).map(|path| ("PATH".into(), path)));
        for (name, usual, parts) in TOOLCHAIN {
            let at = folder(name).or_else(|| Some(home.as_ref()?.join(usual)));
            if let Some(at) = at.filter(|at| at.is_dir()) {
                reads.extend(parts.iter().map(|part| at.join(part)).filter(|at| !holds_home(at)));
                environment.extend(text(at.as_os_str()).map(|at| (name.into(), at)));
            }
        }
        let hidden = [
            below_home("XDG_STATE_HOME", ".local/state"),
            below_home("XDG_CONFIG_HOME", ".config"),
            Some(Path::new("/etc/exacta").into()),
        ];
        Self {
            launcher,
            scratch: below_home("XDG_CACHE_HOME", ".cache").unwrap_or_else(std::env::temp_dir),
            reads,
            hidden: hidden.into_iter().flatten().flat_map(by_every_name).collect(),
            environment,
            output_limit: OUTPUT_LIMIT,
            views: vec![ViewKind::Overlay, ViewKind::Copy],
        }
    }
}

/// A path, and what it is once links are followed: either way may be shown.
fn by_every_name(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let real = path.canonicalize().ok().filter(|real| *real != path);
    std::iter::once(path).chain(real)
}

/// The home of a check: empty, writable, gone afterwards.
const HOME: &str = "/tmp/home";

fn text(value: &OsStr) -> Option<String> {
    value.to_str().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_toolchain_only_its_programs_and_sources_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("ada");
        std::fs::create_dir_all(home.join("tools")).unwrap();
        let launcher = Launcher { program: "/bin/true".into(), argument: String::new() };
        for place in [home.join("tools"), home.clone(), folder.path().into()] {
            let room = Room::new(launcher.clone(), |name| match name {
                "HOME" => Some(home.clone().into()),
                "CARGO_HOME" | "RUSTUP_HOME" => Some(place.clone().into()),
                _ => None,
            });
            assert!(room.reads.contains(&place.join("bin")));
            assert!(!room.reads.iter().any(|shown| home.starts_with(shown) || *shown == place));
        }
    }

    #[test]
    fn a_home_on_the_path_is_not_shown_for_that() {
        let launcher = Launcher { program: "/bin/true".into(), argument: String::new() };
        let room = Room::new(launcher, |name| match name {
            "HOME" => Some("/people/ada".into()),
            "PATH" => Some("/people/ada:/people:/:/usr/bin:/people/ada/bin:/people/ada2".into()),
            _ => None,
        });
        let shown = |folder: &str| room.reads.contains(&folder.into());
        assert!(["/usr/bin", "/people/ada/bin", "/people/ada2"].iter().all(|folder| shown(folder)));
        assert!(!["/people/ada", "/people", "/"].iter().any(|folder| shown(folder)));
    }
}
