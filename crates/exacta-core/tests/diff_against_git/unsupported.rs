//! What git really writes for everything that the importer refuses by name.

use std::os::unix::fs::symlink;
use std::path::Path;

use exacta_core::code::Code;
use exacta_core::diff::{GitPatch, PatchProblem, Section};

use crate::git::Git;

/// Who commits.
const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x@x"];

fn problems(patch: &[u8]) -> Vec<(Code, PatchProblem)> {
    assert!(!patch.is_empty());
    let faults = GitPatch::parse(patch).expect_err(&String::from_utf8_lossy(patch));
    faults.iter().map(|fault| (fault.code(), fault.problem().clone())).collect()
}

fn unsupported(section: Section) -> (Code, PatchProblem) {
    (Code::PatchUnsupported, PatchProblem::Unsupported(section))
}

/// A repository with one commit on the branch `base`.
fn repository(git: &Git, folder: &Path) {
    git.ok(folder, &["init", "-q", "-b", "base"], b"");
    std::fs::write(folder.join("text"), "one\ntwo\nthree\nfour\nfive\nsix\n").unwrap();
    std::fs::write(folder.join("binary"), b"\0\x01\x02").unwrap();
    commit(git, folder);
}

fn commit(git: &Git, folder: &Path) {
    git.ok(folder, &["add", "-A"], b"");
    git.ok(folder, &[&WHO[..], &["commit", "-q", "-m", "x"]].concat(), b"");
}

#[test]
fn sections_that_are_not_imported_are_refused_by_name() {
    let git = Git::new();
    let diff = |folder: &Path, args: &[&str]| {
        let args = [&["diff", "--cached"], args].concat();
        git.ok(folder, &["add", "-A"], b"");
        git.ok(folder, &args, b"")
    };

    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    std::fs::write(at.join("binary"), b"\0\x01\x03").unwrap();
    for option in ["--no-color", "--binary"] {
        assert_eq!(problems(&diff(at, &[option])), [unsupported(Section::Binary)], "{option}");
    }
    std::fs::write(at.join("second"), b"\0").unwrap();
    std::fs::write(at.join("text"), "one\n").unwrap();
    assert_eq!(problems(&diff(at, &["--binary"])), vec![unsupported(Section::Binary); 2]);
    commit(&git, at);
    std::fs::remove_file(at.join("second")).unwrap();
    for option in ["--no-color", "--binary"] {
        let gone = problems(&diff(at, &[option]));
        assert_eq!(gone, [unsupported(Section::BinaryDeleted)], "{option}");
    }

    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    symlink("text", at.join("link")).unwrap();
    assert_eq!(problems(&diff(at, &[])), [unsupported(Section::Symlink)]);
    commit(&git, at);
    std::fs::remove_file(at.join("link")).unwrap();
    symlink("binary", at.join("link")).unwrap();
    assert_eq!(problems(&diff(at, &[])), [unsupported(Section::Symlink)]);
    std::fs::remove_file(at.join("link")).unwrap();
    std::fs::write(at.join("link"), "now a file\n").unwrap();
    assert_eq!(problems(&diff(at, &[]))[0], unsupported(Section::Symlink));

    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    std::fs::copy(at.join("text"), at.join("copy")).unwrap();
    let copies = ["--find-copies-harder"];
    assert_eq!(problems(&diff(at, &copies)), [unsupported(Section::Copy)]);

    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    let link = "160000,0123456789012345678901234567890123456789,module";
    git.ok(at, &["update-index", "--add", "--cacheinfo", link], b"");
    let patch = git.ok(at, &["diff", "--cached"], b"");
    assert_eq!(problems(&patch), [unsupported(Section::Gitlink)]);

    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    for (branch, text) in [("left", "ONE\n"), ("right", "EINS\n")] {
        git.ok(at, &["checkout", "-q", "-b", branch, "base"], b"");
        std::fs::write(at.join("text"), text).unwrap();
        commit(&git, at);
    }
    let merge = git.run(at, &[&WHO[..], &["merge", "-q", "left"]].concat(), b"");
    assert!(!merge.status.success(), "the merge must conflict");
    for option in ["--cc", "-c"] {
        let patch = git.ok(at, &["diff", option], b"");
        assert_eq!(problems(&patch), [unsupported(Section::Combined)], "{option}");
    }
}

#[test]
fn output_of_other_commands_is_refused_and_their_bare_form_is_not() {
    let git = Git::new();
    let folder = git.folder();
    let at = folder.path();
    repository(&git, at);
    std::fs::write(at.join("text"), "one\n2\nthree\nfour\nfive\n6\n").unwrap();
    commit(&git, at);
    let mail = git.ok(at, &["format-patch", "--stdout", "HEAD~1"], b"");
    let found = problems(&mail);
    assert!(matches!(found[0].1, PatchProblem::Prose(_)), "{found:?}");
    assert!(matches!(found[1].1, PatchProblem::Garbage(_)), "{found:?}");
    assert_eq!(found.len(), 2);
    let shown = git.ok(at, &["show"], b"");
    assert!(matches!(problems(&shown)[..], [(_, PatchProblem::Prose(_))]));
    let prefixed = git.ok(at, &["-c", "diff.mnemonicPrefix=true", "diff", "HEAD~1"], b"");
    assert!(matches!(problems(&prefixed)[..], [(_, PatchProblem::Prefix { .. })]));
    let bare = git.ok(at, &["diff", "--no-prefix", "HEAD~1"], b"");
    assert!(matches!(problems(&bare)[..], [(_, PatchProblem::Prefix { .. })]));
    let coloured = git.ok(at, &["diff", "--color=always", "HEAD~1"], b"");
    assert!(matches!(problems(&coloured)[..], [(_, PatchProblem::Prose(_))]));

    for command in
        [&["show", "--format="][..], &["diff", "HEAD~1"], &["diff", "--full-index", "HEAD~1"]]
    {
        let patch = git.ok(at, command, b"");
        let patch = GitPatch::parse(&patch).unwrap();
        let before = git.ok(at, &["show", "HEAD~1:text"], b"");
        let after = patch.files[0].apply(Some(&before)).unwrap();
        assert_eq!(after, Some(std::fs::read(at.join("text")).unwrap()));
    }
}
