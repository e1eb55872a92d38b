//! One commit of text changes has one effect, in whatever form its patch comes.

use std::path::Path;
use std::process::Command;

use exacta_core::model::digest::Digest;
use exacta_core::read::parse::constraint_from_words;
use exacta_testkit::Check;

use crate::git::Git;
use crate::random::{Random, seed};
use crate::trees::{Tree, lay_out, pair};

/// Who commits.
const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x@x"];
/// How many commits are tried.
const CASES: usize = 40;

fn effect(patch: &[u8], old: &Tree) -> Digest {
    let told = || String::from_utf8_lossy(patch).into_owned();
    let files = old.iter().map(|(name, (bytes, _))| (name.clone(), bytes.clone()));
    let examined =
        Check::on(files).patch(patch).unwrap_or_else(|found| panic!("{found:?}\n{}", told()));
    assert!(
        !examined.issues.iter().any(exacta_core::model::diagnostic::Issue::is_error),
        "{:?}\n{}",
        examined.issues,
        told()
    );
    examined.effect_hash.unwrap_or_else(|| panic!("no effect\n{}", told()))
}

/// No modes; and no empty files, which `diff -u` does not tell from none.
fn plain(tree: &Tree) -> Tree {
    tree.iter()
        .filter(|(_, (bytes, _))| !bytes.is_empty())
        .map(|(name, (bytes, _))| (name.clone(), (bytes.clone(), false)))
        .collect()
}

fn commit(git: &Git, at: &Path, tree: &Tree, message: &str) {
    for entry in std::fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".git") {
            continue;
        }
        std::fs::remove_dir_all(&path).unwrap();
    }
    lay_out(tree, at);
    git.ok(at, &["add", "-A"], b"");
    let args = [&WHO[..], &["commit", "-q", "--allow-empty", "-m", message]].concat();
    git.ok(at, &args, b"");
}

/// What `diff -ruN` says; it ends with 1 where there are differences.
fn diff(at: &Path, options: &[&str], zone: &str) -> Vec<u8> {
    let mut command = Command::new("diff");
    command.args(["-a", "-N"]).args(options).args(["old", "new"]).current_dir(at);
    let output = command.env("LC_ALL", "C.UTF-8").env("TZ", zone).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn every_form_of_one_commit_has_the_same_effect() {
    let git = Git::new();
    let (mut forms, mut moved, mut copied) = (0, 0, 0);
    for case in 0..CASES {
        let random = &mut Random::of_case(seed(), case);
        let (old, new) = pair(random, "c");
        let (old, mut new) = (plain(&old), plain(&new));
        // Now and then one file is there twice afterwards.
        let stays = old.iter().find(|(name, _)| new.contains_key(*name));
        if let Some((_, file)) = stays.filter(|_| random.percent(40)) {
            new.insert("c/the same again".into(), file.clone());
        }
        if old == new {
            continue;
        }
        let folder = git.folder();
        let at = folder.path();
        git.ok(at, &["init", "-q"], b"");
        commit(&git, at, &old, "before");
        // In two commits: half of the files first.
        let half: Tree = old
            .iter()
            .filter(|(name, _)| new.contains_key(*name))
            .chain(new.iter().filter(|(name, _)| !old.contains_key(*name)))
            .map(|(name, file)| (name.clone(), file.clone()))
            .collect();
        commit(&git, at, &half, "Half of it\n\nwith words");
        commit(&git, at, &new, "The rest");
        let whole = ["diff", "--no-renames", "--binary", "HEAD~2", "HEAD"];
        let wanted = effect(&git.ok(at, &whole, b""), &old);
        git.ok(at, &["tag", "tip"], b"");
        let mut check = |patch: Vec<u8>| {
            let told = String::from_utf8_lossy(&patch);
            assert_eq!(effect(&patch, &old), wanted, "{told}");
            forms += 1;
            moved += usize::from(told.contains("\nrename from "));
            copied += usize::from(told.contains("\ncopy from "));
        };
        for options in [
            &["--no-prefix"][..],
            &["--src-prefix=i/", "--dst-prefix=w/"],
            &["-U0"],
            &["-U1"],
            &["-U20"],
            &["-U10"],
            &["--full-index"],
            &["--patience"],
            &["--histogram"],
            &["--minimal"],
            &["--diff-algorithm=myers", "--inter-hunk-context=3"],
            &["-M"],
            &["-M20%", "-U0", "--no-prefix"],
            &["-C", "--find-copies-harder"],
            &["-M", "--src-prefix=i/", "--dst-prefix=w/", "--full-index"],
            &["-M", "--stat", "--summary", "-p"],
            &["--numstat", "-p"],
            &["--raw", "-p"],
        ] {
            check(git.ok(at, &[&whole[..3], options, &whole[3..]].concat(), b""));
        }
        let quoted = ["-c", "core.quotePath=false"];
        check(git.ok(at, &[&quoted[..], &whole[..]].concat(), b""));
        let series = ["format-patch", "--stdout", "--no-renames", "--binary", "HEAD~2"];
        check(git.ok(at, &series, b""));
        let series = ["format-patch", "--stdout", "-M", "-C", "--binary", "HEAD~2"];
        check(git.ok(at, &series, b""));
        let log = ["log", "-p", "--reverse", "--no-renames", "--binary", "HEAD~2..HEAD"];
        check(git.ok(at, &log, b""));
        // The same as one commit.
        git.ok(at, &["reset", "-q", "--soft", "HEAD~2"], b"");
        check(git.ok(
            at,
            &["-c", "diff.mnemonicPrefix=true", "diff", "--cached", "--no-renames", "--binary"],
            b"",
        ));
        check(git.ok(
            at,
            &["-c", "diff.mnemonicPrefix=true", "diff", "--cached", "-M", "--binary"],
            b"",
        ));
        let args = [&WHO[..], &["commit", "-q", "-m", "All of it"]].concat();
        git.ok(at, &args, b"");
        check(git.ok(at, &["show", "--no-renames", "--binary"], b""));
        check(git.ok(at, &["show", "-M", "--binary"], b""));
        check(git.ok(at, &["show", "--no-renames", "--binary", "--format="], b""));
        check(git.ok(
            at,
            &["show", "--no-renames", "--binary", "--abbrev-commit", "--stat", "-p"],
            b"",
        ));
        check(git.ok(
            at,
            &["format-patch", "--stdout", "--no-renames", "--binary", "--base=HEAD~1", "-1"],
            b"",
        ));
        let trees = git.folder();
        for (name, tree) in [("old", &old), ("new", &new)] {
            std::fs::create_dir(trees.path().join(name)).unwrap();
            lay_out(tree, &trees.path().join(name));
        }
        check(diff(trees.path(), &["-ru"], "UTC"));
        check(diff(trees.path(), &["-r", "-U1"], "Asia/Kolkata"));
        check(diff(trees.path(), &["-r", "-U8"], "America/New_York"));
    }
    println!("{forms} forms of {CASES} commits, {moved} with renames, {copied} with copies");
    assert!(forms > CASES * 20 && moved > CASES / 2 && copied > 0);
}

#[test]
fn a_renamed_file_is_one_file_with_the_lines_that_differ() {
    let lines = (0..20).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let patch = "diff --git a/old.txt b/new.txt\nsimilarity index 90%\nrename from old.txt\n\
        rename to new.txt\nindex 1111111..2222222 100644\n--- a/old.txt\n+++ b/new.txt\n\
        @@ -1,2 +1,2 @@\n-line 0\n+line zero\n line 1\n";
    let mut check = Check::on([("old.txt", lines)]);
    for (limit, kept) in [
        ("max_files=1", true),
        ("max_changed_lines=2", true),
        ("max_changed_lines=1", false),
        ("no_delete", false),
    ] {
        check.context.constraints = vec![constraint_from_words(limit).unwrap()];
        let examined = check.patch(patch).unwrap();
        let broken = examined.issues.iter().any(exacta_core::model::diagnostic::Issue::is_error);
        assert_eq!(!broken, kept, "{limit}: {:?}", examined.issues);
        let marked = |from: &str| {
            examined
                .changes()
                .iter()
                .filter(|c| c.renamed_from.as_ref().is_some_and(|f| f.as_str() == from))
                .count()
        };
        assert_eq!((examined.changes().len(), marked("old.txt")), (2, 1));
    }
}
