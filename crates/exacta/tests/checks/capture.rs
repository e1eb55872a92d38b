//! A captured command on both kinds of view: what it did to its copy, and refusals.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;
use std::time::Duration;

use exacta_engine::capture::{CaptureError, Captured, Effect, Errand, Follow, capture};
use exacta_engine::checks::{Verdict, ViewKind};
use exacta_engine::run::Watch;
use exacta_engine::workspace::Root;

use crate::project::{Project, VIEWS};

struct Nobody;

impl Watch for Nobody {}
impl Follow for Nobody {}

fn errand(script: &str) -> Errand {
    Errand {
        command: ["sh", "-c", script].map(str::to_owned).into(),
        byte_limit: 1 << 20,
        ..Errand::default()
    }
}

fn captured(project: &Project, script: &str, view: ViewKind) -> Result<Captured, CaptureError> {
    let before = project.tree();
    let opened = Root::open(project.folder.path()).unwrap();
    let room = project.room(view);
    let captured = capture(&opened, &errand(script), &room, &Nobody);
    assert_eq!(fs::read_dir(&room.scratch).unwrap().count(), 0, "a copy is left over");
    if !script.contains("sleep") {
        assert_eq!(project.tree(), before, "the command reached the project");
    }
    captured
}

fn made(captured: &Captured) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Create { executable, .. } => format!("create {executable}"),
        Effect::Modify { executable, .. } => format!("modify {executable:?}"),
        Effect::Delete => "delete".into(),
    };
    captured.made.iter().map(|made| format!("{} {}", word(&made.effect), made.path)).collect()
}

#[test]
fn both_views_tell_the_same() {
    let cases: [(&str, &[&str]); 9] = [
        ("echo x >> keep", &["modify None keep"]),
        // Neither size nor times give it away.
        (
            "touch -r keep t && echo mani | head -c 4 > keep && touch -r t keep && rm t",
            &["modify None keep"],
        ),
        ("chmod +x run; touch keep; cat keep > k && mv k keep", &["modify Some(true) run"]),
        ("rm -r src", &["delete src/a", "delete src/b"]),
        (
            "rm -r src; mkdir src; echo new > src/c",
            &["delete src/a", "delete src/b", "create false src/c"],
        ),
        ("mv src/a src/z", &["delete src/a", "create false src/z"]),
        (
            "mv src there",
            &["delete src/a", "delete src/b", "create false there/a", "create false there/b"],
        ),
        ("mkdir d && echo x > d/x && chmod +x d/x && chmod 000 d", &["create true d/x"]),
        ("true", &[]),
    ];
    for view in VIEWS {
        for (script, expected) in &cases {
            let project = Project::new();
            let got = captured(&project, script, view).unwrap();
            assert_eq!(got.verdict, Verdict::Passed, "{script}");
            assert_eq!(made(&got), *expected, "{view:?}: {script}");
            assert_eq!((got.unfit.len(), got.conflicts.len(), got.view), (0, 0, view), "{script}");
        }
    }
}

#[test]
fn both_views_name_what_cannot_be_proposed() {
    for view in VIEWS {
        let project = Project::new();
        fs::create_dir(project.folder.path().join(".git")).unwrap();
        let script = "ln -s keep link; mkfifo pipe; ln keep again; mkdir empty .git/x .exacta; \
                      echo x > .git/x/y; echo x > .exacta/y; mkdir -p target/d; echo x > target/d/o; \
                      rm x; mkdir x; echo y > x/y; umask 077; echo s > secret";
        let got = captured(&project, script, view).unwrap();
        let mut unfit: Vec<_> = got.unfit.iter().map(|unfit| unfit.path.as_str()).collect();
        unfit.sort_unstable();
        assert_eq!(unfit, ["again", "link", "pipe", "x/y"], "{view:?}");
        let left_out: Vec<_> = got.left_out.iter().map(|left| left.path.as_str()).collect();
        assert_eq!(left_out, [".exacta", ".git", "empty", "secret", "target"], "{view:?}");
        assert_eq!(made(&got), ["create false secret"], "{view:?}");
    }
}

#[test]
fn an_edit_of_the_user_meanwhile_conflicts_on_both_views() {
    for view in VIEWS {
        let project = Project::new();
        let keep = project.folder.path().join("keep");
        let (theirs, other) = (keep.clone(), project.folder.path().join("src/a"));
        let user = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1500));
            fs::write(theirs, "the user's").unwrap();
            fs::write(other, "also the user's").unwrap();
        });
        let got = captured(&project, "echo mine > keep; rm src/b; sleep 3", view).unwrap();
        user.join().unwrap();
        assert_eq!(got.conflicts, ["keep"], "{view:?}");
        // What the command did not touch is none of its changes.
        assert_eq!(made(&got), ["modify None keep", "delete src/b"], "{view:?}");
        assert_eq!(fs::read_to_string(keep).unwrap(), "the user's");
    }
}

#[test]
fn more_than_a_plan_can_hold_is_refused_and_a_folder_without_end_is_no_trap() {
    for view in VIEWS {
        let project = Project::new();
        let refused = captured(&project, "head -c 2000000 /dev/zero > big", view);
        assert!(matches!(refused, Err(CaptureError::TooMuch(_))), "{view:?}: {refused:?}");
        let deep = "i=0; while [ $i -lt 600 ]; do mkdir dddddddddd && cd dddddddddd; i=$((i+1)); done; \
                    echo x > x; true";
        match captured(&project, deep, view) {
            Ok(got) => assert!(got.unfit.len() == 1 && got.made.is_empty(), "{view:?}: {got:?}"),
            Err(error) => assert!(matches!(error, CaptureError::Read { .. }), "{view:?}: {error}"),
        }
    }
}

#[test]
fn without_walls_or_a_view_nothing_runs() {
    let project = Project::new();
    let opened = Root::open(project.folder.path()).unwrap();
    let mut room = project.room(ViewKind::Overlay);
    room.launcher.program = "/bin/false".into();
    let refused = capture(&opened, &errand("true"), &room, &Nobody);
    assert!(matches!(refused, Err(CaptureError::NoConfinement(_))), "{refused:?}");
    let mut room = project.room(ViewKind::Overlay);
    room.views.clear();
    let refused = capture(&opened, &errand("true"), &room, &Nobody);
    assert!(matches!(refused, Err(CaptureError::NoView(_))), "{refused:?}");
    let mut room = project.room(ViewKind::Copy);
    room.scratch = project.folder.path().join("inside");
    let refused = capture(&opened, &errand("true"), &room, &Nobody);
    assert!(matches!(refused, Err(CaptureError::NoView(_))), "{refused:?}");
    // A copy that cannot be made whole is none.
    if !rustix::process::geteuid().is_root() {
        let closed = project.folder.path().join("closed");
        fs::write(&closed, "x").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let refused = capture(&opened, &errand("true"), &project.room(ViewKind::Copy), &Nobody);
        assert!(refused.is_err(), "{refused:?}");
    }
}

#[test]
fn what_lies_behind_a_link_of_the_project_is_not_looked_at() {
    for view in VIEWS {
        let project = Project::new();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "outside\n").unwrap();
        fs::write(outside.path().join("other"), "outside\n").unwrap();
        std::os::unix::fs::symlink(outside.path(), project.folder.path().join("link")).unwrap();
        // The same bytes: were the file behind the link compared, nothing would be told.
        let script = "rm link; mkdir link; echo outside > link/secret";
        let captured = captured(&project, script, view).unwrap();
        assert_eq!(captured.made, [], "{view:?}");
        let unfit: Vec<&str> = captured.unfit.iter().map(|unfit| unfit.path.as_str()).collect();
        assert!(unfit.contains(&"link/secret"), "{view:?} {unfit:?}");
    }
}
