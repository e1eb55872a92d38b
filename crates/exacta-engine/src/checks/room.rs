//! The room a check runs in: what it may see, and who builds the walls.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The most that a check may write to its standard output and error.
const OUTPUT_LIMIT: usize = 16 << 20;
/// Where a Rust toolchain lies: the variable that says it, the usual place below the home, and
/// the parts that are shown, which hold no settings and no credentials.
const TOOLCHAIN: [(&str, &str, &[&str]); 8] = [
    ("CARGO_HOME", ".cargo", &["bin", "registry", "git"]),
    ("RUSTUP_HOME", ".rustup", &["toolchains", "settings.toml", "update-hashes"]),
    ("PYENV_ROOT", ".pyenv", VERSIONS),
    ("RBENV_ROOT", ".rbenv", VERSIONS),
    ("NVM_DIR", ".nvm", &["alias", "nvm-exec", "nvm.sh", "versions"]),
    ("VOLTA_HOME", ".volta", &["bin", "tools"]),
    ("ASDF_DATA_DIR", ".asdf", &["bin", "installs", "lib", "libexec", "plugins", "shims"]),
    ("GOPATH", "go", &["bin", "pkg/mod"]),
];
/// What managers of versions keep of the versions.
const VERSIONS: &[&str] = &["bin", "libexec", "plugins", "shims", "version", "versions"];
/// What programs in a folder `bin` read beside it.
const BESIDE_BIN: [&str; 8] =
    ["bin", "conda-meta", "include", "lib", "lib64", "libexec", "pyvenv.cfg", "share"];
/// What programs in `~/.local/bin` read; settings and credentials lie beside it.
const BESIDE_LOCAL: [&str; 5] =
    ["lib", "pipx/venvs", "share/pipx/venvs", "share/uv/python", "share/uv/tools"];
/// Where the system's own programs lie, which are always there.
const SYSTEM: [&str; 5] = ["/usr", "/bin", "/sbin", "/lib", "/opt"];
/// Programs that bring a library of their own.
const INTERPRETERS: [&str; 4] = ["node", "python", "python3", "ruby"];
/// Which version or environment is chosen, in variables that hold no secret.
const CHOSEN: [&str; 8] = [
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "GOROOT",
    "JAVA_HOME",
    "PYENV_VERSION",
    "RBENV_VERSION",
    "RUSTUP_TOOLCHAIN",
    "VIRTUAL_ENV",
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
    /// Folders that a command keeps from one time to the next, each with its place below its
    /// home. Checks have none.
    pub kept: Vec<(PathBuf, PathBuf)>,
    /// Folders on `PATH` that it is not shown, because the user's home lies in them.
    pub not_shown: Vec<PathBuf>,
    /// Whose home it is.
    home: Option<PathBuf>,
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
    /// A room for the given environment: the programs on `PATH`, what they need beside them
    /// and what managers of versions keep are readable, everything else of the user's home is
    /// not there.
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
        let on_path = std::env::split_paths(&path).filter(|p| p.is_absolute());
        let (not_shown, mut reads): (Vec<_>, Vec<_>) = on_path.partition(&holds_home);
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
        // Shims lead to the versions beside them, wherever their manager lies.
        let shims = reads.iter().filter(|at| at.ends_with("shims")).filter_map(|at| at.parent());
        let managers = shims.filter(|at| at.join("versions").is_dir());
        let versions = managers.flat_map(|at| VERSIONS.iter().map(|part| at.join(part)));
        let versions: Vec<PathBuf> = versions.filter(|at| !holds_home(at)).collect();
        reads.extend(versions);
        for name in CHOSEN {
            let value = variable(name).as_deref().and_then(text);
            environment.extend(value.map(|value| (name.into(), value)));
        }
        let hidden = [
            below_home("XDG_STATE_HOME", ".local/state"),
            below_home("XDG_CONFIG_HOME", ".config"),
            Some(Path::new("/etc/exacta").into()),
        ];
        let folders = reads.clone();
        let mut room = Self {
            launcher,
            kept: Vec::new(),
            scratch: below_home("XDG_CACHE_HOME", ".cache").unwrap_or_else(std::env::temp_dir),
            reads,
            not_shown,
            home: home.clone(),
            hidden: hidden.into_iter().flatten().flat_map(by_every_name).collect(),
            environment,
            output_limit: OUTPUT_LIMIT,
            views: vec![ViewKind::Overlay, ViewKind::Copy],
        };
        for folder in &folders {
            room.show_beside(folder);
            for name in INTERPRETERS {
                room.show_interpreter(&folder.join(name));
            }
        }
        room
    }

    /// Shows what the programs of a project's own environments need: an interpreter in
    /// `.venv` is a link to one elsewhere.
    #[must_use]
    pub fn for_project(mut self, project: &Path) -> Self {
        for folder in [".venv/bin", "venv/bin", "env/bin", "node_modules/.bin"] {
            for name in INTERPRETERS {
                self.show_interpreter(&project.join(folder).join(name));
            }
        }
        self
    }

    /// Shows a program where it really lies, with what it was installed with: installers put a
    /// link on `PATH` that leads to a folder of versions or packages. What lies in the project is
    /// there anyway, as the copy has it.
    #[must_use]
    pub fn for_program(mut self, program: &str, project: &Path) -> Self {
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, path)| path.clone()).unwrap_or_default();
        let mut on_path = std::env::split_paths(&path).map(|folder| folder.join(program));
        let found = match Path::new(program) {
            whole if whole.is_absolute() => Some(whole.to_path_buf()),
            name if name.components().count() == 1 => on_path.find(|file| file.is_file()),
            _ => None,
        };
        let Some(real) = found.and_then(|found| found.canonicalize().ok()) else { return self };
        let shown = self.reads.iter().any(|folder| real.starts_with(folder));
        if shown || real.starts_with(project) || SYSTEM.iter().any(|at| real.starts_with(at)) {
            return self;
        }
        // Packages find each other in the outermost folder of packages.
        let packages = real.ancestors().filter(|at| at.ends_with("node_modules")).last();
        let homes: Vec<PathBuf> = self.home.iter().cloned().flat_map(by_every_name).collect();
        let is_open = |folder: &&Path| {
            folder.parent().is_some()
                && !homes.iter().any(|home| home.starts_with(folder))
                && !self.hidden.iter().any(|hidden| hidden.starts_with(folder))
                && !project.starts_with(folder)
        };
        let folder = packages.or_else(|| real.parent()).filter(is_open);
        self.reads.push(folder.unwrap_or(&real).to_path_buf());
        self
    }

    /// Shows what lies beside a folder of programs in the user's home.
    fn show_beside(&mut self, folder: &Path) {
        let Some(home) = &self.home else { return };
        let ends = folder.file_name().is_some_and(|name| name == "bin");
        let Some(prefix) = folder.parent().filter(|prefix| ends && prefix.starts_with(home)) else {
            return;
        };
        // The home itself is nobody's installation.
        if prefix == home {
            return;
        }
        let local = prefix == home.join(".local");
        let parts: &[&str] = if local { &BESIDE_LOCAL } else { &BESIDE_BIN };
        let parts: Vec<PathBuf> = parts.iter().map(|part| prefix.join(part)).collect();
        self.reads.extend(parts.into_iter().filter(|at| at.exists()));
    }

    /// Shows an interpreter where it really lies, with its library.
    fn show_interpreter(&mut self, program: &Path) {
        if let Ok(real) = program.canonicalize()
            && let Some(folder) = real.parent()
        {
            self.show_beside(folder);
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
    fn a_program_is_shown_where_its_link_leads_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let home = base.join("ada");
        let project = home.join("shop");
        let at = |name: &str| home.join(name);
        for (file, link) in [
            (".local/share/claude/versions/2.1.0", ".local/bin/claude"),
            (".npm/node_modules/@x/cli/bin/cli.js", ".local/bin/cli"),
            ("own-script", ".local/bin/own"),
            ("shop/tool", ".local/bin/tool"),
        ] {
            for path in [at(file), at(link)] {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            std::fs::write(at(file), "").unwrap();
            std::os::unix::fs::symlink(at(file), at(link)).unwrap();
        }
        let launcher = Launcher { program: "/bin/true".into(), argument: String::new() };
        let room = Room::new(launcher, |name| match name {
            "HOME" => Some(home.clone().into()),
            "PATH" => Some(at(".local/bin").into()),
            _ => None,
        });
        for (program, wanted) in [
            ("claude", Some(".local/share/claude/versions")),
            ("cli", Some(".npm/node_modules")),
            ("own", Some("own-script")),
            ("tool", None),
            ("missing", None),
            ("../own-script", None),
        ] {
            let with = room.clone().for_program(program, &project).reads;
            let more: Vec<_> = with.iter().filter(|path| !room.reads.contains(path)).collect();
            let wanted: Vec<_> = wanted.map(at).into_iter().collect();
            assert_eq!(more, wanted.iter().collect::<Vec<_>>(), "{program}");
        }
    }

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
