//! How a check ends: by itself, or by us, and then with everything it started.

use std::cell::Cell;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use exacta_engine::checks::{Unchecked, Verdict, Why};
use exacta_engine::run::{CheckProgress, Quiet, Watch};

use crate::project::{Project, VIEWS, check, shell};

fn verdict(refused: &Unchecked) -> &Verdict {
    match &refused.why {
        Why::NotPassed { verdict, .. } => verdict,
        other => panic!("{other}"),
    }
}

/// A number that no other process on this machine has in its arguments.
fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("3{:07}{count:03}", std::process::id())
}

/// Whether any process has this marker among its arguments.
fn lives(marker: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(marker)
    })
}

#[test]
fn a_failing_check_throws_the_run_away() {
    for view in VIEWS {
        let project = Project::new();
        for (script, expected) in [
            ("exit 7", Verdict::Failed(7)),
            ("kill -9 $$", Verdict::Died(9)),
            ("echo words; echo more >&2; exit 1", Verdict::Failed(1)),
        ] {
            let refused = project.script(script, view).unwrap_err();
            assert_eq!(verdict(&refused), &expected, "{script}");
            if script.contains("words") {
                assert_eq!(refused.outcomes[0].output, b"words\nmore\n");
            }
        }
        let missing = project.judge(&[check(&["no-such-program"])], &project.room(view), &Quiet);
        let missing = missing.unwrap_err();
        assert_eq!(verdict(&missing), &Verdict::Failed(127));
        assert!(String::from_utf8_lossy(&missing.outcomes[0].output).contains("no-such-program"));
    }
}

#[test]
fn a_hanging_check_is_ended_with_all_its_children() {
    for view in VIEWS {
        let project = Project::new();
        let marker = marker();
        let scripts = [
            format!("sleep {marker}"),
            format!("trap '' TERM INT HUP PIPE; sleep {marker} & while :; do sleep 1; done"),
            format!("setsid sleep {marker} & setsid sh -c 'sleep {marker} & sleep {marker}'"),
        ];
        for script in scripts {
            let mut hanging = shell(&script);
            hanging.timeout = Duration::from_millis(900);
            let start = Instant::now();
            let refused = project.judge(&[hanging], &project.room(view), &Quiet).unwrap_err();
            assert_eq!(verdict(&refused), &Verdict::TimedOut, "{script}");
            assert!(start.elapsed() < Duration::from_secs(20), "{script}");
            assert!(!lives(&marker), "{script}: something lives on");
        }
    }
}

#[test]
fn what_a_check_leaves_running_dies_with_it() {
    for view in VIEWS {
        let project = Project::new();
        let marker = marker();
        let canary = project.outside.path().join("touched");
        let daemon = format!(
            "for n in 1 2 3 4 5 6 7 8; do setsid sh -c \
             '(sleep 0.3; echo x > \"{0}\"; sleep {marker}) &' </dev/null >/dev/null 2>&1 & done; \
             exec >/dev/null 2>&1; exit 0",
            canary.display()
        );
        project.script(&daemon, view).unwrap();
        assert!(!lives(&marker), "a daemon lives on");
        std::thread::sleep(Duration::from_millis(400));
        assert!(!canary.exists());
    }
}

#[test]
fn a_flood_of_output_ends_a_check() {
    let project = Project::new();
    for view in VIEWS {
        let mut room = project.room(view);
        room.output_limit = 1 << 20;
        let start = Instant::now();
        let refused = project.judge(&[check(&["yes"])], &room, &Quiet).unwrap_err();
        assert_eq!(verdict(&refused), &Verdict::TooMuchOutput);
        assert_eq!(refused.outcomes[0].output.len(), 1 << 20);
        assert!(start.elapsed() < Duration::from_secs(20));
        // A flood that ends by itself is one too.
        let burst = shell("head -c 1100000 /dev/zero");
        let refused = project.judge(&[burst], &room, &Quiet).unwrap_err();
        assert_eq!(verdict(&refused), &Verdict::TooMuchOutput);
        let full = shell("head -c 1048576 /dev/zero");
        assert_eq!(project.judge(&[full], &room, &Quiet).unwrap()[0].output.len(), 1 << 20);
    }
}

/// Counts what it hears and asks to stop at the third report.
#[derive(Default)]
struct Impatient {
    heard: Cell<u32>,
    stop_at: u32,
}

impl Watch for Impatient {
    fn check(&self, progress: CheckProgress<'_>) {
        assert_eq!((progress.name, progress.done, progress.total), ("judge", 0, 1));
        self.heard.set(self.heard.get() + 1);
    }

    fn cancelled(&self) -> bool {
        self.heard.get() >= self.stop_at
    }
}

#[test]
fn progress_is_told_and_a_request_to_stop_is_heard() {
    let project = Project::new();
    let marker = marker();
    let patient = Impatient { stop_at: u32::MAX, ..Impatient::default() };
    project.judge(&[shell("sleep 0.5")], &project.room(VIEWS[0]), &patient).unwrap();
    assert!(patient.heard.get() >= 3, "{}", patient.heard.get());
    let hurried = Impatient { stop_at: 3, ..Impatient::default() };
    let sleeping = [shell(&format!("sleep {marker}"))];
    let refused = project.judge(&sleeping, &project.room(VIEWS[0]), &hurried).unwrap_err();
    assert_eq!(refused.why, Why::Cancelled);
    assert!(!lives(&marker));
}
