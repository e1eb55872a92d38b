//! The same once more without any right, when the tests run as root.

use std::fs;

use exacta_testkit::again_as_an_ordinary_user;

use crate::project::{PROGRAM, program};

#[test]
fn everything_holds_for_an_ordinary_user() {
    again_as_an_ordinary_user(|command, folder| {
        let gate = folder.join("exacta");
        fs::copy(program(), &gate).unwrap();
        command
            .args(["--test-threads=2", "--skip", "everything_holds_for_an_ordinary_user"])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env(PROGRAM, gate);
    });
}
