//! A throw-away project and the program run in it, cut off from the user's own settings.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A project of an operator who lets harmless plans run alone.
pub(crate) struct Project {
    folder: TempDir,
    config: TempDir,
}

/// What the program said and how it ended.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }

    /// The codes of all findings in `check --json`.
    pub(crate) fn codes(&self) -> Vec<String> {
        let issues = self.json()["issues"].as_array().unwrap().clone();
        issues.iter().map(|issue| issue["code"].as_str().unwrap().to_owned()).collect()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Project {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: TempDir::new().unwrap(), config: TempDir::new().unwrap() };
        let policy = project.config.path().join("exacta");
        fs::create_dir(&policy).unwrap();
        fs::write(policy.join("policy.toml"), "profile = \"conservative\"\n").unwrap();
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.config.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn exacta(&self, args: &[&str]) -> Said {
        self.command(env!("CARGO_BIN_EXE_exacta")).args(args).output().unwrap().into()
    }

    pub(crate) fn exacta_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Said {
        let mut child = self
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may stop reading once it has seen too much.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap().into()
    }

    pub(crate) fn git(&self, args: &[&str]) -> Vec<u8> {
        let output = self.command("git").args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        output.stdout
    }

    /// Every file with its bytes and mode, to show that nothing changed.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let meta = fs::symlink_metadata(&path).unwrap();
                if meta.is_dir() {
                    folders.push(path.clone());
                }
                let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                files.insert(path, (meta.permissions().mode(), bytes));
            }
        }
        files
    }
}
