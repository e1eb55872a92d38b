//! A git that knows nothing but what a test tells it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs git without any configuration of the machine or the user.
pub(crate) struct Git {
    home: TempDir,
}

impl Git {
    pub(crate) fn new() -> Self {
        // Thousands of small folders come and go: in memory that takes a tenth of the time.
        let memory = Path::new("/dev/shm");
        let home = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Self { home: home.unwrap() }
    }

    /// An empty folder that is in no repository.
    pub(crate) fn folder(&self) -> TempDir {
        TempDir::new_in(self.home.path()).unwrap()
    }

    /// Runs git in a folder.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S], input: &[u8]) -> Output {
        let mut child = Command::new("git")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.home.path())
            .args(["-c", "core.autocrlf=false", "-c", "core.fileMode=true"])
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // git may stop reading early; that is an outcome, not an error of the test.
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().unwrap()
        })
    }

    /// Runs git and insists that it succeeds.
    pub(crate) fn ok<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S], input: &[u8]) -> Vec<u8> {
        let output = self.run(folder, args, input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// `git apply`; its report when it succeeds.
    pub(crate) fn apply(&self, folder: &Path, patch: &[u8], zero: bool) -> Result<String, String> {
        let mut args = vec!["apply", "--whitespace=nowarn", "-v"];
        if zero {
            args.push("--unidiff-zero");
        }
        let output = self.run(folder, &args, patch);
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(report) } else { Err(report) }
    }
}
