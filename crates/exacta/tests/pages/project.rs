//! The small project on which the examples run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// The files of the project. Beside them `latest.md` is a symbolic link to `README.md`.
const FILES: [(&str, &str); 3] = [
    ("README.md", "# Greeter\n\nSays hello.\n"),
    (
        "src/greet.py",
        "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave(name):\n    return \"Bye \" + name\n",
    ),
    ("docs/old.md", "Old notes.\n"),
];

/// A throw-away project.
pub(crate) struct Project(TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (name, text) in FILES {
            project.write(name, text);
        }
        symlink("README.md", project.path().join("latest.md")).unwrap();
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, to: &str, name: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(self.path().join(to), path).unwrap();
    }

    /// Runs the program here; gives its exit code and what it prints on stdout.
    pub(crate) fn exacta(&self, args: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_exacta"))
            .args(args)
            .current_dir(self.path())
            .env("HOME", self.path().join("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap(), plain(&text))
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The text without white space at the end of lines, which no page should have.
fn plain(text: &str) -> String {
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}
