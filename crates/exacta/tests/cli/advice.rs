//! Findings that help: what was meant, where it stands now, everything at once.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::project::{Project, Said};

fn helps(said: &Said) -> Vec<String> {
    let issues = said.json()["issues"].as_array().unwrap().clone();
    issues.iter().map(|issue| issue["help"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_bad_edit_of_a_step_is_named_with_what_was_meant() {
    let step = json!({"step_id": "s", "type": "file_modify", "target": "a", "edits": [
        {"old": "one\ntwo", "new": "x"}, {"old": "three", "new": "y"}, {"old": "nowhere", "new": "z"},
        {"old": "a  b", "new": "w"}]});
    let project = Project::of(&[("a", "one\r\ntwo\r\nthree three\r\na b\r\n")]);
    project.write("plan.json", json!({ "steps": [step] }).to_string());
    let said = project.exacta(&["check", "plan.json", "--json"]);
    assert_eq!(said.codes(), ["EDIT_MISMATCH"; 4]);
    let messages = said.out;
    for word in ["with other line ends", "more than once", "other white space"] {
        assert!(messages.contains(word), "{word}: {messages}");
    }
}

#[test]
fn a_shifted_or_applied_diff_is_told_apart() {
    let lines =
        |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let body = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    let plan = json!({"steps": [{"step_id": "s", "type": "file_modify", "target": "f",
        "diff": format!("--- a/f\n+++ b/f\n{body}")}]});
    let patch =
        format!("diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n{body}");
    for (file, word) in [
        (lines(&["x", "a", "b", "c"]), "stand at line 2 of the file now"),
        (lines(&["a", "B", "c"]), "the change is already there"),
    ] {
        let project = Project::of(&[("f", &file), ("p.patch", &patch)]);
        project.write("plan.json", plan.to_string());
        for args in
            [&["check", "plan.json", "--json"][..], &["check", "--patch", "p.patch", "--json"]]
        {
            let said = project.exacta(args);
            assert_eq!(said.codes(), ["DIFF_MISMATCH"]);
            assert!(helps(&said)[0].contains(word), "{:?}", helps(&said));
        }
    }
    let plan = json!({"steps": [{"step_id": "s", "type": "file_create", "target": "f",
        "content": "x\n"}]});
    let project = Project::of(&[("f", "x\n"), ("plan.json", &plan.to_string())]);
    let said = project.exacta(&["check", "plan.json"]);
    assert!(said.out.contains("already exists with exactly this content"), "{}", said.out);
}

#[test]
fn findings_about_a_patch_name_the_line_of_their_section() {
    let section = |name: &str| {
        format!(
            "diff --git a/{name} b/{name}\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        )
    };
    let project = Project::of(&[("a", "x\n"), ("b", "x\n")]);
    let patch = format!("{}{}", section("a"), section("b"));
    project.write("p.patch", &patch);
    let args = ["check", "--patch", "p.patch", "--constraint", "paths_within=a", "--json"];
    let report = project.exacta(&args).json();
    assert_eq!(report["issues"][0]["place"], json!({"line": 8, "column": 1}), "{report:#}");
}

#[test]
fn a_mode_that_is_already_there_is_no_change() {
    let project = Project::of(&[("f", "x\n")]);
    project.write("p.patch", "diff --git a/f b/f\nold mode 100755\nnew mode 100644\n");
    let said = project.exacta(&["check", "--patch", "p.patch", "--json"]);
    assert_eq!((said.code, said.codes()), (10, vec!["STEP_NO_EFFECT".to_owned()]));
}

#[test]
fn a_name_may_change_its_case() {
    let old = Project::of(&[("readme.md", "text\n")]);
    let rename = "diff --git a/readme.md b/README.md\nsimilarity index 100%\nrename from readme.md\nrename to README.md\n";
    let create = "diff --git a/README.md b/README.md\nnew file mode 100644\nindex 0000000..8e27be7\n--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+text\n";
    let delete = "diff --git a/readme.md b/readme.md\ndeleted file mode 100644\nindex 8e27be7..0000000\n--- a/readme.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n";
    for patch in [rename.to_owned(), format!("{create}{delete}"), format!("{delete}{create}")] {
        let said = old.exacta_with(&["check", "--patch", "-", "--json"], &patch);
        assert_eq!(said.json()["ok"], json!(true), "{patch}{}", said.out);
        assert_eq!(said.json()["files"].as_array().unwrap().len(), 2);
    }
    let step = |id: &str, needs: &[&str], kind: &str, target: &str| {
        let mut step =
            json!({"step_id": id, "dependencies": needs, "type": kind, "target": target});
        if kind == "file_create" {
            step["content"] = json!("text\n");
        }
        step
    };
    for (needs, codes) in [(&["d"][..], &[][..]), (&[], &["PLAN_CONFLICT"])] {
        let plan = json!({"steps": [step("d", &[], "file_delete", "readme.md"),
            step("c", needs, "file_create", "README.md")]});
        let said = old.exacta_with(&["check", "-", "--json"], plan.to_string());
        assert_eq!(said.codes(), codes, "{}", said.out);
    }
}

#[test]
fn only_dependencies_that_come_in_are_new() {
    let manifest = |dependencies: &str| {
        format!("[package]\nname = \"x\"\nversion = \"1.0.0\"\n\n[dependencies]\n{dependencies}")
    };
    let before = manifest("serde = \"1\"\nlog = \"0.4\"\n");
    let project = Project::of(&[("Cargo.toml", &before), ("Cargo.lock", "version = 4\n")]);
    for (dependencies, lock, broken) in [
        ("serde = \"1\"\n", false, 0),
        ("serde = \"1.1\"\nlog = \"0.4\"\n", false, 0),
        ("serde = \"1.1\"\nlog = \"0.4\"\n", true, 0),
        ("serde = \"1\"\nlog = \"0.4\"\nrand = \"0.9\"\n", false, 1),
        ("serde = { git = \"https://example.com/serde\" }\nlog = \"0.4\"\n", false, 1),
        ("serde = = 1\n", false, 1),
        ("", true, 0),
    ] {
        let mut steps = vec![json!({"step_id": "m", "type": "file_modify", "target": "Cargo.toml",
            "content": manifest(dependencies)})];
        if lock {
            steps.push(json!({"step_id": "l", "type": "file_modify", "target": "Cargo.lock",
                "content": "version = 4\n\n"}));
        }
        let plan = json!({ "steps": steps }).to_string();
        let args = ["check", "-", "--json", "--constraint", "no_new_dependencies"];
        let said = project.exacta_with(&args, plan);
        let found = said.codes().iter().filter(|c| *c == "PLAN_CONSTRAINT_VIOLATED").count();
        assert_eq!(found.min(1), broken, "{dependencies}{}", said.out);
    }
    let alone = json!({"steps": [{"step_id": "l", "type": "file_modify", "target": "Cargo.lock",
        "content": "version = 4\n\n"}]});
    let args = ["check", "-", "--json", "--constraint", "no_new_dependencies"];
    assert_eq!(project.exacta_with(&args, alone.to_string()).codes(), ["PLAN_CONSTRAINT_VIOLATED"]);
}

#[test]
fn what_a_person_forbids_is_refused_however_it_is_written() {
    for (constraint, path, before, after) in [
        ("no_delete", "a.txt", "important\n", "\u{feff}"),
        ("no_delete", "a.txt", "important\n", "\u{a0}\u{3000}\n"),
        ("no_delete", "a.txt", "important\n", "\u{200b}\u{2800}"),
        ("no_new_dependencies", "requirements/prod.txt", "a==1\n", "a==1\nevil==1\n"),
        (
            "no_new_dependencies",
            "setup.cfg",
            "[options]\ninstall_requires =\n  a\n",
            "[options]\ninstall_requires =\n  a\n  evil\n",
        ),
        (
            "no_new_dependencies",
            "Gemfile",
            "gem \"a\"\n",
            "gem \"a\"\ngroup(:x) { gem \"evil\" }\n",
        ),
        // Nobody can say what a manifest asks for that never could be read.
        ("no_new_dependencies", "package.json", "{,}", "{,,}"),
    ] {
        let project = Project::of(&[(path, before)]);
        let plan = json!({"steps": [{"step_id": "s", "type": "file_modify", "target": path,
            "content": after}]});
        let args = ["check", "-", "--json", "--constraint", constraint];
        let said = project.exacta_with(&args, plan.to_string());
        assert_eq!(said.codes(), ["PLAN_CONSTRAINT_VIOLATED"], "{path}: {after:?} {}", said.out);
    }
}

#[test]
fn a_large_file_can_be_deleted_or_renamed_within_the_budget() {
    let large = "some text of a large file\n".repeat(40_000);
    let project = Project::of(&[("old.txt", &large)]);
    let plan = json!({"steps": [{"step_id": "s", "type": "file_delete", "target": "old.txt"}]});
    let said = project.exacta_with(&["check", "-", "--json"], plan.to_string());
    assert_eq!(said.json()["ok"], json!(true), "{}", said.out);
    let rename = "diff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt\n";
    let args = ["check", "--patch", "-", "--json"];
    let codes = project.exacta_with(&args, rename).codes();
    assert!(!codes.contains(&"PLAN_TOKEN_BUDGET_EXCEEDED".to_owned()), "{codes:?}");
}

#[test]
fn words_of_a_constraint_are_checked_where_they_are_typed() {
    let project = Project::of(&[]);
    for (constraint, word) in [
        ("no_tool=ReadWeb", None),
        ("no_tool=ReadWebb", Some("did you mean `ReadWeb`?")),
        ("no_tool=x", Some("the tool `x` is unknown")),
        ("paths_within=a[/]b", Some("cannot hold `/`")),
        ("max_files=-1", Some("not -1")),
        ("no_delete=3", Some("`no_delete` takes no value")),
        ("no_new_dependencies=a", Some("`no_new_dependencies` takes no value")),
    ] {
        let plan = r#"{"steps":[{"step_id":"s","type":"file_create","target":"a","content":"x"}]}"#;
        let said = project.exacta_with(&["check", "-", "--constraint", constraint], plan);
        assert_eq!(said.code == 2, word.is_some(), "{constraint}: {}{}", said.out, said.err);
        assert!(said.err.contains(word.unwrap_or_default()), "{constraint}: {}", said.err);
    }
}

#[test]
fn a_mistyped_code_and_a_cut_id_are_answered_with_what_was_meant() {
    let project = Project::of(&[]);
    for (typed, meant) in [
        ("PLAN_DEPENDENCY_CYCEL", Some("`PLAN_DEPENDENCY_CYCLE`")),
        ("edit_mismatch_", Some("`EDIT_MISMATCH`")),
        ("no_effect", Some("`STEP_NO_EFFECT`")),
        ("zzz", None),
    ] {
        let said = project.exacta(&["explain", typed]);
        assert_eq!(said.code, 2, "{typed}");
        assert_eq!(said.err.contains("did you mean"), meant.is_some(), "{typed}: {}", said.err);
        assert!(said.err.contains(meant.unwrap_or("--list")), "{typed}: {}", said.err);
    }
    let folder = project.path().canonicalize().unwrap();
    let none = project.exacta(&["status", "01a"]);
    assert!(none.err.contains(folder.to_str().unwrap()), "the folder is named: {}", none.err);
    assert!(none.err.contains("no record yet"), "{}", none.err);
}

#[test]
fn a_patch_with_colours_or_binary_files_is_told_what_to_do() {
    let project = Project::of(&[("a", "x\n")]);
    let coloured = "\u{1b}[1mdiff --git a/a b/a\u{1b}[m\n";
    let said = project.exacta_with(&["check", "--patch", "-", "--json"], coloured);
    assert_eq!(said.codes(), ["PATCH_MALFORMED"]);
    assert!(helps(&said)[0].contains("git diff --no-color"), "{:?}", helps(&said));
    let binary = "diff --git a/b b/b\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/b differ\n";
    let said = project.exacta_with(&["check", "--patch", "-", "--json"], binary);
    assert_eq!(said.codes(), ["PATCH_UNSUPPORTED"]);
    assert!(helps(&said)[0].contains("git diff --binary"), "{:?}", helps(&said));
    let gone = "diff --git a/b b/b\ndeleted file mode 100644\nindex 1111111..0000000\nBinary files a/b and /dev/null differ\n";
    let said = project.exacta_with(&["check", "--patch", "-", "--json"], gone);
    assert!(helps(&said)[0].contains("git diff --binary"), "{:?}", helps(&said));
}

#[test]
fn a_file_that_is_not_there_is_told_what_fits_the_step() {
    let project = Project::of(&[("web/a.txt", "x\n")]);
    let steps = |kind: &str| {
        let mut step = json!({"step_id": "s", "type": kind, "target": "a.txt"});
        if kind == "file_modify" {
            step["content"] = json!("y\n");
        }
        json!({ "steps": [step] }).to_string()
    };
    for (kind, help) in [
        ("file_delete", "check the path, or leave the step out"),
        ("file_modify", "check the path, or use `file_create`"),
    ] {
        let said = project.exacta_with(&["check", "-", "--json"], steps(kind));
        assert_eq!((said.codes(), helps(&said)), (vec!["FILE_MISSING".into()], vec![help.into()]));
    }
    // What `git diff --relative` makes in `web`.
    let changed = "diff --git a/a.txt b/a.txt\nindex 587be6b..975fbec 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n";
    let deleted = "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\nindex 587be6b..0000000\n--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let renamed =
        "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    for patch in [changed, deleted, renamed] {
        let said = project.exacta_with(&["check", "--patch", "-", "--json"], patch);
        let helps = helps(&said);
        assert_eq!(helps.len(), 1, "{}", said.out);
        for word in ["project's root", "--no-relative"] {
            assert!(helps[0].contains(word), "{patch}{helps:?}");
        }
    }
}

#[test]
fn points_are_shown_in_the_unit_of_what_they_change() {
    let text = |n: usize| format!("text {n}\n");
    let files: Vec<(String, String)> = (0..5).map(|n| (format!("d{n}.txt"), text(n))).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let project = Project::of(&files);
    let steps: Vec<_> = (0..5)
        .map(|n| json!({"step_id": format!("s{n}"), "type": "file_delete", "target": format!("d{n}.txt")}))
        .collect();
    let plan = json!({ "steps": steps }).to_string();
    for args in [&["check", "-"][..], &["check", "-", "--explain"]] {
        let said = project.exacta_with(args, &plan);
        assert!(said.out.contains("35 of 35"), "{}", said.out);
        assert!(said.out.contains(", 50 points found"), "{}", said.out);
        assert!(said.out.contains("    -0.400 "), "{}", said.out);
        assert!(said.out.contains("+5    5 files touched\n"), "{}", said.out);
    }
}

#[test]
fn mistakes_on_the_command_line_get_a_tip() {
    let project = Project::of(&[]);
    for (args, word) in [
        (["approve", "01a1e340", "--yes"].as_slice(), "typing `yes` at the terminal"),
        (&["capture", "ls", "-la"], "`exacta capture -- CMD…`"),
    ] {
        let said = project.exacta(args);
        assert_eq!(said.code, 2, "{args:?}");
        assert!(said.err.contains(word), "{args:?}: {}", said.err);
    }
}

#[test]
fn the_doctor_finds_a_folder_that_cannot_be_written_to() {
    let project = Project::of(&[("a.txt", "x\n")]);
    let place = tempfile::tempdir().unwrap();
    let (program, home) = (place.path().join("exacta"), place.path().join("home"));
    // A copy, because the folders above the original may be closed to others.
    fs::copy(env!("CARGO_BIN_EXE_exacta"), &program).unwrap();
    fs::create_dir(&home).unwrap();
    for (folder, mode) in [(place.path(), 0o755), (home.as_path(), 0o700)] {
        fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
    }
    // Root may write everywhere.
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(&home, Some(54321), Some(54321)).unwrap();
    }
    let doctor = |mode: u32| {
        fs::set_permissions(project.path(), Permissions::from_mode(mode)).unwrap();
        let mut command = project.command(if root { "setpriv" } else { "env" });
        if root {
            command.args(["--reuid", "54321", "--regid", "54321", "--clear-groups"]);
        }
        let said = command.arg(&program).args(["doctor", "--json"]).env("HOME", &home).output();
        Said::from(said.unwrap())
    };
    let said = doctor(0o555);
    assert_eq!((said.code, &said.json()["ok"]), (1, &json!(false)), "{}", said.err);
    let findings = said.json()["findings"].to_string();
    assert!(findings.contains("cannot be written to: Permission denied"), "{findings}");
    let said = doctor(0o777);
    assert_eq!(said.code, 0, "{}", said.out);
}
