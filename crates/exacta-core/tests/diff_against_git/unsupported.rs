//! What git really writes for everything that the importer refuses by name.

use std::os::unix::fs::symlink;
use std::path::Path;

use exacta_core::model::code::Code;
use exacta_core::read::diff::{GitPatch, PatchProblem, Section};

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

/// The section of `name` makes `after` of `before`, and of nothing else.
fn applies(patch: &[u8], name: &str, before: Option<&[u8]>, after: Option<&[u8]>) {
    let read = GitPatch::parse(patch).unwrap_or_else(|faults| panic!("{faults:?}"));
    let file = read.files.iter().find(|file| file.path.as_str() == name).unwrap();
    assert_eq!(file.apply(before).unwrap().as_deref(), after, "{name}");
    if before.is_some() && file.is_binary() {
        assert!(file.apply(Some(b"other")).is_err(), "{name}");
    }
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
    assert_eq!(problems(&diff(at, &[])), [unsupported(Section::Binary)]);
    applies(&diff(at, &["--binary"]), "binary", Some(b"\0\x01\x02"), Some(b"\0\x01\x03"));
    std::fs::write(at.join("second"), b"\0").unwrap();
    std::fs::write(at.join("text"), "one\n").unwrap();
    assert_eq!(problems(&diff(at, &[])), vec![unsupported(Section::Binary); 2]);
    applies(&diff(at, &["--binary"]), "second", None, Some(b"\0"));
    commit(&git, at);
    std::fs::remove_file(at.join("second")).unwrap();
    assert_eq!(problems(&diff(at, &[])), [unsupported(Section::Binary)]);
    applies(&diff(at, &["--binary"]), "second", Some(b"\0"), None);
    // Large enough that git writes what differs, not the whole.
    let large: Vec<u8> =
        (0..40_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    std::fs::write(at.join("large"), &large).unwrap();
    commit(&git, at);
    let mut edited = large.clone();
    edited[70_000..70_010].fill(0);
    edited.splice(90_000..90_100, *b"moved");
    std::fs::write(at.join("large"), &edited).unwrap();
    let patch = diff(at, &["--binary"]);
    assert!(String::from_utf8_lossy(&patch).contains("\ndelta "));
    applies(&patch, "large", Some(&large), Some(&edited));

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
    let text = std::fs::read(at.join("text")).unwrap();
    applies(&diff(at, &copies), "copy", Some(&text), Some(&text));

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
    let mixed = [b"Look at this:\n\n".to_vec(), git.ok(at, &["diff", "HEAD~1"], b"")].concat();
    assert!(matches!(problems(&mixed)[..], [(_, PatchProblem::Prose(_))]));
    let custom = ["diff", "--src-prefix=old/", "--dst-prefix=new/", "HEAD~1"];
    assert!(matches!(problems(&git.ok(at, &custom, b""))[..], [(_, PatchProblem::Prefix { .. })]));
    let attached = git.ok(at, &["format-patch", "--attach", "--stdout", "HEAD~1"], b"");
    assert!(matches!(problems(&attached)[0].1, PatchProblem::Encoded(_)));
    let coloured = git.ok(at, &["diff", "--color=always", "HEAD~1"], b"");
    assert!(matches!(problems(&coloured)[..], [(_, PatchProblem::Prose(_))]));

    for command in [
        &["show", "--format="][..],
        &["show"],
        &["format-patch", "--stdout", "HEAD~1"],
        &["diff", "HEAD~1"],
        &["diff", "--full-index", "HEAD~1"],
        &["diff", "--no-prefix", "HEAD~1"],
        &["-c", "diff.mnemonicPrefix=true", "diff", "HEAD~1"],
    ] {
        let patch = git.ok(at, command, b"");
        let patch = GitPatch::parse(&patch).unwrap();
        let before = git.ok(at, &["show", "HEAD~1:text"], b"");
        let after = patch.files[0].apply(Some(&before)).unwrap();
        assert_eq!(after, Some(std::fs::read(at.join("text")).unwrap()));
    }
}
