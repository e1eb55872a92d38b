//! The same once more without any right, when the tests run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use exacta_engine::run::StageError;
use exacta_engine::workspace::{PortError, Root};

use crate::project::{change, stage_error};
use crate::tree::snapshot;

/// A user that no machine has.
const NOBODY: u32 = 54321;
/// A folder of the ordinary user with a file of root's in it.
const FOREIGN: &str = "EXACTA_TEST_FOREIGN";

#[test]
fn everything_holds_for_an_ordinary_user() {
    if !rustix::process::geteuid().is_root() {
        println!("these tests run as an ordinary user already");
        return;
    }
    // A copy, because the folders above the original may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let tests = folder.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    let foreign = tempfile::tempdir().unwrap();
    chown(foreign.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    fs::write(foreign.path().join("theirs"), "old").unwrap();
    let id = NOBODY.to_string();
    let output = Command::new("setpriv")
        .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
        .arg(&tests)
        .args(["--test-threads=1", "apply::", "corpus::", "hostile::", "objects::", "undo::"])
        .args(["watch::", "foreign_owner"])
        .env(FOREIGN, foreign.path())
        .env_remove("EXACTA_TEST_FULL")
        .env("EXACTA_TEST_CORPUS", exacta_testkit::corpus::text("hostile-cases.jsonl"))
        .env("HOME", "/")
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find(|line| line.starts_with("test result")).unwrap();
    println!("as an ordinary user: {line}");
    assert!(line.contains("ok.") && !line.contains(" 0 passed"), "{line}");
}

/// Told to by the test above; nobody but root can make such a folder.
#[test]
fn a_foreign_owner_cannot_be_carried_over_and_refuses_the_plan() {
    let Some(folder) = std::env::var_os(FOREIGN) else { return };
    let before = snapshot(folder.as_ref());
    let root = Root::open(&folder).unwrap();
    match stage_error(&root, &[change("theirs", Some("old"), Some("new"))]) {
        StageError::Metadata(list) => {
            assert!(matches!(&list[..], [PortError::CannotCarry { .. }]), "{list:?}");
            assert!(list[0].to_string().contains("the owner"), "{}", list[0]);
        }
        other => panic!("{other}"),
    }
    assert_eq!(snapshot(folder.as_ref()), before);
}
