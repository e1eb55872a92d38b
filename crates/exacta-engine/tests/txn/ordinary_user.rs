//! The same once more without any right, when the tests run as root.

use std::fs;
use std::os::unix::fs::chown;

use exacta_engine::run::StageError;
use exacta_engine::workspace::{PortError, Root};
use exacta_testkit::{NOBODY, again_as_an_ordinary_user};

use crate::project::{change, stage_error};
use crate::tree::snapshot;

/// A folder of the ordinary user with a file of root's in it.
const FOREIGN: &str = "EXACTA_TEST_FOREIGN";

#[test]
fn everything_holds_for_an_ordinary_user() {
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("theirs"), "old").unwrap();
    again_as_an_ordinary_user(|command, _| {
        chown(foreign.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command
            .args(["--test-threads=1", "apply::", "corpus::", "hostile::", "objects::", "undo::"])
            .args(["watch::", "foreign_owner"])
            .env(FOREIGN, foreign.path())
            .env_remove("EXACTA_TEST_FULL")
            .env("EXACTA_TEST_CORPUS", exacta_testkit::corpus::text("hostile-cases.jsonl"))
            .env("HOME", "/");
    });
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
