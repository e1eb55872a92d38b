//! What a check sees: the tree as it would be after the run, and its own writes.

use exacta_core::model::path::RelPath;
use exacta_engine::checks::{Verdict, Why};
use exacta_engine::run::Quiet;

use crate::project::{AFTER, Project, VIEWS, check, shell, words};

#[test]
fn a_check_sees_exactly_the_tree_after_the_run() {
    for view in VIEWS {
        let project = Project::new();
        let outcomes = project.script("find . -type f | sort; cat src/a x/y; ls -a", view).unwrap();
        let [outcome] = &outcomes[..] else { panic!("{outcomes:?}") };
        assert_eq!((&outcome.verdict, outcome.view), (&Verdict::Passed, view));
        let text = words(outcome);
        let mut wanted: Vec<_> = AFTER.iter().map(|(path, _)| format!("./{path}")).collect();
        wanted.sort();
        assert!(text.starts_with(&wanted.join("\n")), "{text}");
        assert!(text.contains("newinside"), "{text}");
        assert!(!text.contains(".exacta") && !text.contains("src/b"), "{text}");
    }
}

#[test]
fn it_sees_its_view_where_the_project_lies() {
    for view in VIEWS {
        let project = Project::new();
        let outcomes = project.script("pwd", view).unwrap();
        assert_eq!(words(&outcomes[0]).trim(), project.folder.path().to_str().unwrap());
    }
}

#[test]
fn what_it_writes_is_seen_by_nobody_else() {
    for view in VIEWS {
        let project = Project::new();
        let checks = [
            shell("echo trampled > keep; rm run; mkdir made; test $(cat keep) = trampled"),
            shell("test $(cat keep) = mine && test -e run && test ! -e made"),
        ];
        let outcomes = project.judge(&checks, &project.room(view), &Quiet).unwrap();
        assert_eq!(outcomes.len(), 2);
    }
}

/// A check that repairs what it should judge has judged something else.
#[test]
fn a_check_that_changes_a_target_is_refused() {
    let scripts = [
        ("echo better > src/a", "src/a"),
        ("rm src/deep/c", "src/deep/c"),
        ("echo back > src/b", "src/b"),
        ("rm -r x; echo file > x", "x, x/y"),
        ("rm src/a; ln -s ../keep src/a", "src/a"),
    ];
    for view in VIEWS {
        for (script, expected) in scripts {
            let project = Project::new();
            let refused = project.script(script, view).unwrap_err();
            let Why::NotPassed { verdict: Verdict::ChangedTargets(paths), .. } = &refused.why
            else {
                panic!("{script}: {refused}")
            };
            let names: Vec<_> = paths.iter().map(RelPath::as_str).collect();
            assert_eq!(names.join(", "), expected, "{script}");
        }
    }
}

#[test]
fn the_first_that_does_not_pass_is_the_last_that_runs() {
    let project = Project::new();
    let checks = [check(&["true"]), check(&["false"]), check(&["true"])];
    let refused = project.judge(&checks, &project.room(VIEWS[0]), &Quiet).unwrap_err();
    let verdicts: Vec<_> = refused.outcomes.iter().map(|outcome| &outcome.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Passed, &Verdict::Failed(1)]);
    assert_eq!(refused.to_string(), "the check `judge` ended with code 1");
}
