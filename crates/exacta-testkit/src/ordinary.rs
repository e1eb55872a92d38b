//! A test program once more without any right, when the tests run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// A user that no machine has.
pub const NOBODY: u32 = 54321;

/// Runs this test program again as [`NOBODY`]; nothing when the tests have no rights
/// anyway. `set_up` says which tests, and gets a folder that this user may look into.
///
/// # Panics
/// When a test fails there, or none runs.
#[expect(clippy::print_stdout, reason = "counts are told where the tests are told")]
pub fn again_as_an_ordinary_user(set_up: impl FnOnce(&mut Command, &Path)) {
    if !rustix::process::geteuid().is_root() {
        println!("these tests run as an ordinary user already");
        return;
    }
    // A copy, because the folders above the original may be closed to others.
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("an open folder");
    let tests = folder.path().join("tests");
    let here = std::env::current_exe().expect("the test program");
    fs::copy(here, &tests).expect("a copy of the test program");
    let id = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--no-new-privs"]);
    command.arg(&tests).current_dir("/");
    set_up(&mut command, folder.path());
    let output = command.output().expect("setpriv");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let result = text.lines().find(|line| line.starts_with("test result")).unwrap_or_default();
    println!("as an ordinary user: {result}");
    assert!(result.contains("ok.") && !result.contains(" 0 passed"), "{result}");
}
