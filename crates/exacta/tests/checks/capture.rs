//! A captured command on both kinds of view: what it did to its copy, and refusals.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use exacta_core::model::digest::Digest;
use exacta_engine::capture::{CaptureError, Captured, Effect, Errand, Follow, capture};
use exacta_engine::checks::{NetworkReach, NotRun, PROXY_PORT, Proxy, Verdict, ViewKind};
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

/// Acts in the project when the command says `go`.
struct User<'u>(&'u dyn Fn());

impl Watch for User<'_> {}

impl Follow for User<'_> {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        if bytes.starts_with(b"go") {
            (self.0)();
        }
        ControlFlow::Continue(())
    }
}

/// What the command does, what the user does, and what is in conflict on each view.
type Meanwhile = (&'static str, fn(&Path), [&'static [&'static str]; 2]);

#[test]
fn whatever_the_user_does_to_a_name_meanwhile_is_seen_and_nothing_else() {
    let deleted: fn(&Path) = |at| fs::remove_file(at.join("keep")).unwrap();
    let swapped: fn(&Path) = |at| {
        fs::rename(at.join("src"), at.join("put-away")).unwrap();
        fs::rename(at.join("other"), at.join("src")).unwrap();
    };
    let moved_in: fn(&Path) = |at| fs::rename(at.join("other"), at.join("src/other")).unwrap();
    let folder_gone: fn(&Path) = |at| fs::remove_dir_all(at.join("src")).unwrap();
    let closed: fn(&Path) =
        |at| fs::set_permissions(at.join("keep"), fs::Permissions::from_mode(0o600)).unwrap();
    let taken: fn(&Path) = |at| fs::rename(at.join("run"), at.join("new")).unwrap();
    let elsewhere: fn(&Path) = |at| {
        fs::write(at.join("src/unrelated"), "x").unwrap();
        fs::write(at.join("unrelated"), "x").unwrap();
        fs::remove_file(at.join("run")).unwrap();
        fs::rename(at.join("other"), at.join("src/other")).unwrap();
    };
    let cases: [Meanwhile; 9] = [
        ("echo mine > keep", deleted, [&["keep"]; 2]),
        ("rm keep; echo mine > k; mv k keep", deleted, [&["keep"]; 2]),
        ("echo mine > src/a", swapped, [&["src/a"]; 2]),
        ("rm src/a", swapped, [&["src/a"]; 2]),
        ("echo mine > src/c", swapped, [&["src/c"]; 2]),
        // A copy does not hold what came later, so nothing is proposed for it.
        ("rm -r src", moved_in, [&["src/other/a", "src/other/b"], &[]]),
        ("echo mine > src/a", folder_gone, [&["src/a"]; 2]),
        ("echo mine > keep; echo mine > new", closed, [&["keep"]; 2]),
        ("echo mine > keep; echo mine > new", taken, [&["new"]; 2]),
    ];
    let quiet: Meanwhile = ("echo mine > keep; echo x > src/c; rm src/a", elsewhere, [&[]; 2]);
    for (view, which) in VIEWS.into_iter().zip(0..) {
        for (script, act, expected) in cases.iter().chain([&quiet]) {
            let project = Project::new();
            let at = project.folder.path();
            fs::create_dir(at.join("other")).unwrap();
            fs::write(at.join("other/a"), "old").unwrap();
            fs::write(at.join("other/b"), "bye").unwrap();
            // The times of files tell nothing of what is just being made.
            thread::sleep(Duration::from_millis(20));
            let opened = Root::open(at).unwrap();
            let script = format!("{script}; echo go; sleep 0.5");
            let follow = User(&|| act(at));
            let got = capture(&opened, &errand(&script), &project.room(view), &follow).unwrap();
            assert_eq!(got.conflicts, expected[which], "{view:?}: {script}");
        }
    }
}

#[test]
fn what_each_file_held_is_told() {
    for view in VIEWS {
        let project = Project::new();
        let got = captured(&project, "echo x > keep; rm src/a; echo x > new", view).unwrap();
        let told: Vec<_> = got.seen.iter().map(|(path, held)| (path.as_str(), *held)).collect();
        let held = |text: &str| Some(Digest::of(text.as_bytes()));
        assert_eq!(told, [("keep", held("mine")), ("new", None), ("src/a", held("old"))]);
    }
}

/// A folder that says it is a cache is left out; one of the project must have said so before.
#[test]
fn folders_that_say_they_are_caches_are_left_out_unless_the_command_says_it_of_sources() {
    let mark = "Signature: 8a477f597d28d172789f06886806bc55";
    for view in VIEWS {
        let project = Project::new();
        let at = project.folder.path();
        fs::create_dir(at.join("old-cache")).unwrap();
        fs::write(at.join("old-cache/CACHEDIR.TAG"), mark).unwrap();
        let script = format!(
            "mkdir -p made/deep; echo '{mark}' > made/CACHEDIR.TAG; echo x > made/deep/x; \
             echo x > old-cache/x; echo '{mark}' > src/CACHEDIR.TAG; echo x > src/a"
        );
        let got = captured(&project, &script, view).unwrap();
        let left_out: Vec<_> = got.left_out.iter().map(|left| left.path.as_str()).collect();
        assert_eq!(left_out, ["made", "old-cache"], "{view:?}");
        assert_eq!(made(&got), ["create false src/CACHEDIR.TAG", "modify None src/a"], "{view:?}");
        let opened = Root::open(at).unwrap();
        let all = Errand { builds: true, ..errand(&script) };
        let got = capture(&opened, &all, &project.room(view), &Nobody).unwrap();
        assert_eq!((got.made.len(), got.left_out.len()), (5, 0), "{view:?}");
    }
}

/// With the right to the network there is the machine's, and nothing else is given away.
#[test]
fn with_the_network_services_of_the_machine_are_reached_and_the_walls_stand() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    for view in VIEWS {
        let project = Project::new();
        let outside = project.outside.path();
        let unix = UnixListener::bind(outside.join("socket")).unwrap();
        unix.set_nonblocking(true).unwrap();
        let opened = Root::open(project.folder.path()).unwrap();
        let mut room = project.room(view);
        room.reads.push(outside.into());
        room.hidden.push(outside.join("state"));
        let script = format!(
            "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && echo reached > tcp\n\
             perl -e 'use Socket; socket(my $s, 1, 1, 0) or exit 1; \
             connect($s, pack_sockaddr_un(\"{at}/socket\")) or exit 1' && echo reached > unix\n\
             perl -e 'exit(syscall({keyctl}, 0, -3, 0) < 0)' && echo reached > keys\n\
             cat {at}/state/key .exacta/journal 2>/dev/null > secret || rm secret\n\
             (echo x > {at}/made) 2>/dev/null && echo reached > outside\n\
             mount -t tmpfs none /tmp 2>/dev/null && echo reached > mounts; true",
            port = tcp.local_addr().unwrap().port(),
            at = outside.display(),
            keyctl = libc::SYS_keyctl,
        );
        let with = Errand { network: NetworkReach::Everything, ..errand(&script) };
        let got = capture(&opened, &with, &room, &Nobody).unwrap();
        assert_eq!(made(&got), ["create false tcp", "create false unix"], "{view:?}");
        assert!(tcp.accept().is_ok() && unix.accept().is_ok());
        let without = capture(&opened, &errand(&script), &room, &Nobody).unwrap();
        assert_eq!(made(&without), [""; 0], "{view:?}");
        assert!(tcp.accept().is_err() && unix.accept().is_err());
    }
}

/// Wants to stop after a while.
#[derive(Default)]
struct Impatient(AtomicU32);

impl Watch for Impatient {
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 100
    }
}

impl Follow for Impatient {}

/// Says hello to whoever comes.
struct Hello;

impl Proxy for Hello {
    fn serve(&self, listener: TcpListener) {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(b"hello\n");
        }
    }
}

#[test]
fn a_proxy_is_all_that_is_reached_and_its_door_closes_with_the_command() {
    for view in VIEWS {
        let project = Project::new();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let opened = Root::open(project.folder.path()).unwrap();
        let script = format!(
            "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{PROXY_PORT}; head -n 1 <&3 > said'\n\
             bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached > tcp\n\
             perl -e 'use Socket; socket(my $s, 1, 1, 0) or exit 1' && echo made > unix; true",
            port = tcp.local_addr().unwrap().port(),
        );
        let network = NetworkReach::Through(Arc::new(Hello));
        let proxied = Errand { network, ..errand(&script) };
        let got = capture(&opened, &proxied, &project.room(view), &Nobody).unwrap();
        assert_eq!(made(&got), ["create false said"], "{view:?}");
        assert!(tcp.accept().is_err());
        // A command that does not end is ended, with the proxy.
        let network = NetworkReach::Through(Arc::new(Hello));
        let endless = Errand { network, ..errand("sleep 100") };
        let refused = capture(&opened, &endless, &project.room(view), &Impatient::default());
        assert!(matches!(refused, Err(CaptureError::Cancelled)), "{refused:?}");
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
    assert!(matches!(refused, Err(CaptureError::NotRun(NotRun::NoConfinement(_)))), "{refused:?}");
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
