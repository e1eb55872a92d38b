//! The same once more without any right, when the tests run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::project::{PROGRAM, program};

/// A user that no machine has.
const NOBODY: &str = "54321";

#[test]
fn everything_holds_for_an_ordinary_user() {
    if !rustix::process::geteuid().is_root() {
        println!("these tests run as an ordinary user already");
        return;
    }
    // Copies, because the folders above the originals may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let tests = folder.path().join("tests");
    let gate = folder.path().join("exacta");
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    fs::copy(program(), &gate).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs"])
        .arg(&tests)
        .args(["--test-threads=2", "--skip", "everything_holds_for_an_ordinary_user"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env(PROGRAM, gate)
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find(|line| line.starts_with("test result")).unwrap();
    println!("as an ordinary user: {line}");
    assert!(line.contains("ok.") && !line.contains(" 0 passed"), "{line}");
}
