//! Who commits in a copy: the user's own name for git, or the program's where they have none.
//!
//! Their settings of git do not come along, because those name programs. The commits stay in the
//! copy; only their messages are read.

use std::process::{Command, Stdio};

use exacta_engine::checks::Room;

/// Has git in the room know who commits.
pub(crate) fn lend(room: &mut Room, program: &str) {
    let name = own("user.name").unwrap_or_else(|| program.to_owned());
    let email = own("user.email").unwrap_or_else(|| "agent@exacta.invalid".into());
    for (variable, value) in [
        ("GIT_AUTHOR_NAME", &name),
        ("GIT_COMMITTER_NAME", &name),
        ("GIT_AUTHOR_EMAIL", &email),
        ("GIT_COMMITTER_EMAIL", &email),
    ] {
        room.environment.retain(|(other, _)| other != variable);
        room.environment.push((variable.into(), value.clone()));
    }
}

/// What the user's own settings say, whatever the project says.
fn own(key: &str) -> Option<String> {
    let asked = Command::new("git")
        .args(["config", "--global", "--get", key])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let value = String::from_utf8(asked.stdout).ok()?.trim().to_owned();
    let plain = !value.is_empty() && !value.contains(char::is_control);
    (asked.status.success() && plain).then_some(value)
}
