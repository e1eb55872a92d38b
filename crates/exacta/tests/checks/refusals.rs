//! Where a view or walls cannot be had, nothing runs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use exacta_engine::checks::{Launcher, NotRun, ViewKind, Why};
use exacta_engine::run::{CheckProgress, Quiet, Watch};
use tempfile::TempDir;

use crate::project::{Project, VIEWS, program, shell};

/// A program that does something before it becomes the real one.
fn wrapper(folder: &Path, first: &str) -> PathBuf {
    let path = folder.join("wrapper");
    let text = format!(
        "#!/bin/sh\nexec unshare -rm sh -c '{first} && exec \"{}\" \"$@\"' sh \"$@\"\n",
        program().display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn without_walls_nothing_runs() {
    let project = Project::new();
    let folder = TempDir::new().unwrap();
    let no_name_spaces = wrapper(folder.path(), "echo 0 > /proc/sys/user/max_user_namespaces");
    for program in [no_name_spaces, "/bin/false".into(), "/nowhere/at/all".into()] {
        let mut room = project.room(ViewKind::Overlay);
        room.views = VIEWS.into();
        room.launcher = Launcher { program: program.clone(), argument: "__check".into() };
        let ran = project.outside.path().join("ran");
        let script = shell(&format!("touch '{}'", ran.display()));
        let refused = project.judge(&[script], &room, &Quiet).unwrap_err();
        let Why::NotRun(NotRun::NoConfinement(reason)) = &refused.why else { panic!("{refused}") };
        assert!(!reason.is_empty());
        assert!(refused.outcomes.is_empty() && !ran.exists(), "{}", program.display());
    }
}

#[test]
fn a_machine_without_a_folder_of_processes_is_told_so() {
    let project = Project::new();
    let folder = TempDir::new().unwrap();
    let mut room = project.room(ViewKind::Overlay);
    room.launcher.program = wrapper(folder.path(), "mount -t tmpfs none /proc");
    let refused = project.judge(&[shell("true")], &room, &Quiet).unwrap_err();
    assert_eq!(refused.to_string(), "commands cannot be confined here: `/proc` is not mounted");
}

#[test]
fn without_a_view_nothing_runs() {
    let project = Project::new();
    let mut room = project.room(ViewKind::Overlay);
    room.views = Vec::new();
    let refused = project.judge(&[shell("true")], &room, &Quiet).unwrap_err();
    assert!(matches!(refused.why, Why::NoView(_)), "{refused}");
    let mut room = project.room(ViewKind::Overlay);
    room.views = VIEWS.into();
    room.scratch = project.folder.path().join("src");
    let refused = project.judge(&[shell("true")], &room, &Quiet).unwrap_err();
    assert!(refused.to_string().contains("inside the project"), "{refused}");
}

/// An overlay cannot lie on an overlay; then the tree is copied.
#[test]
fn where_the_first_kind_of_view_fails_the_next_is_tried() {
    let project = Project::new();
    let folder = TempDir::new().unwrap();
    for name in ["upper", "work"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let mut room = project.room(ViewKind::Overlay);
    room.launcher.program = wrapper(
        folder.path(),
        &format!(
            "mount -t overlay overlay -o lowerdir={1},upperdir={0}/upper,workdir={0}/work,userxattr {1}",
            folder.path().display(),
            room.scratch.display()
        ),
    );
    let refused = project.judge(&[shell("true")], &room, &Quiet).unwrap_err();
    assert!(matches!(refused.why, Why::NoView(_)), "{refused}");
    room.views = VIEWS.into();
    let outcomes = project.judge(&[shell("test $(cat src/a) = new")], &room, &Quiet).unwrap();
    assert_eq!(outcomes[0].view, ViewKind::Copy);
}

/// Somebody who changes a staged image while a check runs.
struct Tamper<'a>(&'a Path);

impl Watch for Tamper<'_> {
    fn check(&self, _: CheckProgress<'_>) {
        let runs = self.0.join(".exacta/runs");
        for run in fs::read_dir(runs).unwrap() {
            for slot in fs::read_dir(run.unwrap().path()).unwrap() {
                let slot = slot.unwrap().path();
                if fs::read(&slot).is_ok_and(|bytes| bytes == b"new") {
                    fs::write(slot, "not what was approved").unwrap();
                }
            }
        }
    }
}

#[test]
fn staged_images_are_verified_again_afterwards() {
    for view in VIEWS {
        let project = Project::new();
        let tamper = Tamper(project.folder.path());
        let refused =
            project.judge(&[shell("sleep 0.2")], &project.room(view), &tamper).unwrap_err();
        let Why::Tampered(drifts) = &refused.why else { panic!("{refused}") };
        let paths: Vec<_> = drifts.iter().map(|drift| drift.path.as_str()).collect();
        assert_eq!(paths, ["src/a"]);
    }
}
