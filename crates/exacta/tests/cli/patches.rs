//! Patches as people have them: several at once, behind a summary, in colours.

use std::fs;

use crate::gated::{Gated, end, text};
use crate::project::Project;

const WHO: [&str; 6] = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgSign=false"];

/// Everything waits for the hash.
const ASKS: &str = "version = 1\ndecide = \"hash\"\n";

/// A repository with three commits, back at the first: the second changes a file and adds
/// another, the third changes both.
fn repository() -> (Gated, Vec<String>) {
    let long = (0..40).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let gated = Gated::of(&[("a.txt", &long), ("c.txt", "c\n")], ASKS);
    let git = |args: &[&str]| gated.project.git(&[&WHO[..], args].concat());
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "start"]);
    gated.project.write("a.txt", long.replace("line 3\n", "LINE 3\n"));
    gated.project.write("new.txt", "one\n");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "Say it louder"]);
    gated.project.write("a.txt", long.replace("line 3\n", "LINE THREE\n"));
    gated.project.write("new.txt", "two\n");
    git(&["commit", "-qam", "And louder still"]);
    let folder = gated.home().join("series");
    fs::create_dir(&folder).unwrap();
    let out = folder.to_str().unwrap();
    git(&["format-patch", "-q", "--cover-letter", "-o", out, "HEAD~2"]);
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 3);
    (gated, names)
}

fn with<'a>(first: &[&'a str], names: &'a [String], last: &[&'a str]) -> Vec<&'a str> {
    first
        .iter()
        .copied()
        .chain(names.iter().map(String::as_str))
        .chain(last.iter().copied())
        .collect()
}

#[test]
fn a_series_of_patches_is_one_plan_in_the_order_given() {
    let (gated, names) = repository();
    // With the cover letter, as `series/*.patch` has it.
    let checked = gated.json(&with(&["check"], &names, &["--json"]), 11);
    assert_eq!(checked["files"].as_array().unwrap().len(), 2, "{checked}");
    let told = gated.json(&with(&["propose"], &names, &["--json"]), 11);
    assert_eq!(told["effect_hash"], checked["effect_hash"]);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    gated.json(&["approve", &plan, "--hash", &hash, "--run", "--json"], 0);
    assert!(gated.read("a.txt").contains("LINE THREE\n"));
    assert_eq!(gated.read("new.txt"), "two\n");
    // The words of the first patch; an empty cover letter has none.
    let listed = gated.exacta(&["list"]).out;
    assert!(listed.contains(end(&plan)) && listed.contains("2 files"), "{listed}");
    assert!(listed.contains("Say it louder (and 1 more patch)"), "{listed}");
    gated.json(&["undo", "--hash", &hash, "--json"], 0);
    assert!(!gated.project.path().join("new.txt").exists());
    // The same from one text, and with `--patch`.
    let joined: Vec<u8> = names.iter().flat_map(|name| fs::read(name).unwrap()).collect();
    let one = gated.home().join("one.mbox");
    fs::write(&one, joined).unwrap();
    let whole = gated.json(&["check", one.to_str().unwrap(), "--json"], 11);
    assert_eq!(whole["effect_hash"], checked["effect_hash"]);
    let patches = gated.json(&with(&["check", "--json", "--patch"], &names, &[]), 11);
    assert_eq!(patches["effect_hash"], checked["effect_hash"]);
}

#[test]
fn a_fault_in_a_series_is_placed_in_its_own_file() {
    let (gated, names) = repository();
    // In the other order the second patch meets what the first has not done yet.
    let swapped = [names[2].clone(), names[1].clone()];
    let said = gated.exacta(&with(&["check"], &swapped, &[]));
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    let place = said.out.lines().find(|line| line.contains("-->")).unwrap_or_default();
    let found = names.iter().any(|name| place.contains(&format!("{name}:")));
    assert!(found, "{}", said.out);
    // A line that no patch can have, in the last file.
    let broken = fs::read_to_string(&names[2]).unwrap().replace("@@ -1 +1 @@", "@@ -1 +1,7 @@");
    fs::write(&names[2], &broken).unwrap();
    let at = broken.lines().position(|line| line.starts_with("@@ -1 +1,7 @@")).unwrap() + 1;
    let said = gated.exacta(&with(&["propose"], &names, &[]));
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    let line: usize = said
        .out
        .lines()
        .find_map(|line| {
            line.split_once(&format!("{}:", names[2]))?.1.split(':').next()?.parse().ok()
        })
        .unwrap_or_else(|| panic!("{}", said.out));
    assert!((at..at + 8).contains(&line), "{line} {at}: {}", said.out);
    let shown = said.out.lines().find(|row| row.trim_start().starts_with(&format!("{line} |")));
    assert!(shown.is_some(), "{}", said.out);
}

#[test]
fn several_files_are_taken_only_where_each_is_a_whole_patch() {
    let (gated, names) = repository();
    let plan = gated.home().join("plan.json");
    fs::write(&plan, r#"{"steps": []}"#).unwrap();
    let plan = plan.to_str().unwrap();
    let said = gated.exacta(&["propose", &names[1], plan]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("plan.json` is not a patch"), "{}", said.err);
    let said = gated.exacta(&["check", "-", "-"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("read once"), "{}", said.err);
    let cut = fs::read_to_string(&names[1]).unwrap();
    let cut = cut.split_at(cut.find("+LINE 3").unwrap() + 4).0.to_owned();
    let short = gated.home().join("short.patch");
    fs::write(&short, cut).unwrap();
    let said = gated.exacta(&["check", short.to_str().unwrap(), &names[2]]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("cut off"), "{}", said.err);
    let folder = gated.home().join("series");
    let said = gated.exacta(&["propose", folder.to_str().unwrap()]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("FOLDER/*.patch"), "{}", said.err);
    let none = gated.exacta(&["propose"]);
    assert_eq!(none.code, 2, "{}", none.err);
}

/// Two patches of `git diff`, without messages, of which the second changes what the first made.
#[test]
fn patches_without_messages_follow_each_other_too() {
    let (gated, names) = repository();
    let git = |args: &[&str]| gated.project.git(&[&WHO[..], args].concat());
    for name in &names[1..] {
        git(&["am", "-q", name]);
    }
    let (first, second) = (gated.home().join("1.patch"), gated.home().join("2.patch"));
    fs::write(&first, git(&["diff", "HEAD~2", "HEAD~1"])).unwrap();
    fs::write(&second, git(&["diff", "--stat", "-p", "HEAD~1", "HEAD"])).unwrap();
    let whole = git(&["diff", "HEAD~2", "HEAD"]);
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    let both = ["check", first.to_str().unwrap(), second.to_str().unwrap(), "--json"];
    let checked = gated.json(&both, 11);
    let one = gated.home().join("whole.patch");
    fs::write(&one, whole).unwrap();
    let whole = gated.json(&["check", one.to_str().unwrap(), "--json"], 11);
    assert_eq!(whole["effect_hash"], checked["effect_hash"]);
}

#[test]
fn a_summary_that_git_writes_before_a_patch_is_skipped() {
    let (gated, names) = repository();
    let project = &gated.project;
    let git = |args: &[&str]| project.git(&[&WHO[..], args].concat());
    git(&["am", "-q", &names[1]]);
    let forms = [
        &["diff", "--stat", "-p"][..],
        &["diff", "--patch-with-stat"],
        &["diff", "--summary", "-p"],
        &["diff", "--numstat", "-p"],
        &["diff", "--raw", "-p"],
        &["diff", "--shortstat", "-p"],
        &["diff", "--dirstat", "-p"],
        &["diff", "--compact-summary", "-p"],
        &["diff", "--stat", "--stat-count=1", "-p"],
        &["diff", "--raw", "--numstat", "--stat", "--summary", "-p"],
        &["show", "--stat", "-p", "--format="],
    ];
    let patches: Vec<Vec<u8>> = forms
        .iter()
        .map(|form| {
            let range = if form[0] == "show" { &["HEAD"][..] } else { &["HEAD~1", "HEAD"] };
            git(&[form, range].concat())
        })
        .collect();
    let plain = git(&["diff", "HEAD~1", "HEAD"]);
    let coloured = git(&["diff", "--stat", "-p", "--color=always", "HEAD~1", "HEAD"]);
    let mail = git(&["format-patch", "--stdout", "--color=always", "-1"]);
    git(&["reset", "-q", "--hard", "HEAD~1"]);
    let effect = |patch: &[u8]| {
        let said = project.exacta_with(&["check", "-", "--json"], patch);
        assert_eq!(said.code, 0, "{}\n{}", String::from_utf8_lossy(patch), said.out);
        said.json()["effect_hash"].clone()
    };
    let wanted = effect(&plain);
    for (form, patch) in forms.iter().zip(&patches) {
        assert_eq!(effect(patch), wanted, "{form:?}");
    }
    for patch in [coloured, mail].iter().filter(|patch| patch.contains(&0x1b)) {
        let said = project.exacta_with(&["check", "-"], patch);
        assert_eq!(said.code, 10, "{}", said.out);
        assert!(said.out.contains("has colours in it"), "{}", said.out);
        assert!(said.out.contains("--no-color"), "{}", said.out);
    }
}

/// A rename, written down as one or as a deletion and a creation, is one effect.
#[test]
fn a_rename_has_the_effect_of_its_deletion_and_creation() {
    let long = (0..40).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let project = Project::of(&[("old.txt", &long), ("z.txt", "z\n")]);
    let git = |args: &[&str]| project.git(&[&WHO[..], args].concat());
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "start"]);
    git(&["mv", "old.txt", "new.txt"]);
    project.write("new.txt", long.replace("line 3\n", "LINE 3\n"));
    project.write("z.txt", "Z\n");
    git(&["commit", "-qam", "move"]);
    let forms =
        ["-M", "--no-renames", "-B", "-C"].map(|form| git(&["diff", form, "HEAD~1", "HEAD"]));
    git(&["reset", "-q", "--hard", "HEAD~1"]);
    let told = forms.map(|patch| project.exacta_with(&["check", "-", "--json"], patch).json());
    assert_eq!(told[0]["files"].as_array().unwrap().len(), 3, "{}", told[0]);
    for other in &told[1..] {
        assert_eq!(other["effect_hash"], told[0]["effect_hash"]);
    }
    assert_ne!(told[0]["plan_hash"], told[1]["plan_hash"]);
}

#[test]
fn whoever_names_no_plan_is_told_how() {
    let (gated, _) = repository();
    for (command, word) in [("propose", "--branch topic"), ("check", "`-` for standard input")] {
        let said = gated.exacta(&[command]);
        assert_eq!(said.code, 2, "{}{}", said.out, said.err);
        assert!(said.err.contains("there is no plan to "), "{}", said.err);
        assert!(said.err.contains(word), "{}", said.err);
    }
}
