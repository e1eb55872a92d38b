//! `--commit` in a repository that may be hostile: only this one is written to, and nothing
//! that it names is run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use crate::gated::{Gated, HASH, MAIN, SMALL};
use crate::project::Said;

/// A project whose folder is handed over as a repository.
fn project() -> Gated {
    let gated = Gated::of(&[MAIN, ("other.txt", "x\n")], HASH);
    repository(&gated, gated.project.path(), &[]);
    gated
}

fn repository(gated: &Gated, folder: &Path, how: &[&str]) {
    git(gated, folder, &[&["init", "-q", "-b", "main"], how].concat());
    for args in [
        &["config", "user.name", "Ada"][..],
        &["config", "user.email", "ada@example.com"],
        &["add", "-A", "--", ".", ":(exclude,glob)**/.exacta/**"],
        &["commit", "-qm", "start"],
    ] {
        git(gated, folder, args);
    }
}

fn git(gated: &Gated, folder: &Path, args: &[&str]) -> String {
    let folder = folder.to_str().unwrap();
    String::from_utf8(gated.project.git(&[&["-C", folder], args].concat())).unwrap()
}

/// Hands in the small plan, which runs alone, with a commit.
fn commit(gated: &Gated, folder: &Path) -> Said {
    let plan = gated.home().join("plan.json");
    fs::write(&plan, SMALL).unwrap();
    let (folder, plan) = (folder.to_str().unwrap(), plan.to_str().unwrap());
    let said = gated.exacta(&["-C", folder, "propose", plan, "--commit", "--no-review"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    said
}

fn committed(gated: &Gated, folder: &Path) {
    let said = commit(gated, folder);
    assert!(said.err.contains("; nothing was pushed"), "{}", said.err);
    let after = "a = 1\nb = 2\n# we say hello to all\n";
    assert_eq!(git(gated, folder, &["show", "HEAD:./src/main.py"]), after);
    assert_eq!(git(gated, folder, &["log", "-1", "--format=%an %ae"]), "Ada ada@example.com\n");
    let status = git(gated, folder, &["status", "--short", "-uno"]);
    assert_eq!(status, "");
    assert!(git(gated, folder, &["reflog", "-1"]).contains("exacta: commit of a run"));
}

fn refused(gated: &Gated, folder: &Path, why: &str) {
    let said = commit(gated, folder);
    assert!(said.err.contains("not committed: ") && said.err.contains(why), "{}", said.err);
}

/// A repository that is somebody else's, with what its HEAD is.
fn victim(gated: &Gated) -> (TempDir, String) {
    let victim = TempDir::new().unwrap();
    fs::create_dir(victim.path().join("src")).unwrap();
    fs::write(victim.path().join(MAIN.0), MAIN.1).unwrap();
    repository(gated, victim.path(), &[]);
    let head = git(gated, victim.path(), &["rev-parse", "HEAD"]);
    (victim, head)
}

#[test]
fn no_program_that_the_repository_names_is_run() {
    let gated = Gated::of(&[MAIN, ("b.txt", "hello\n")], HASH);
    let folder = gated.project.path();
    // In one second, so that git has to look at the files again when it writes its index.
    repository(&gated, folder, &[]);
    let marker = gated.home().join("marker");
    let trap = format!("touch {}; cat", marker.display());
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "core.alternateRefsCommand",
        "gpg.program",
        "gpg.ssh.program",
        "diff.external",
        "uploadpack.packObjectsHook",
        "credential.helper",
        "remote.origin.uploadpack",
        "alias.update-index",
        "pager.var",
    ] {
        git(&gated, folder, &["config", key, &trap]);
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("remote.origin.url", "ext::sh -c touch% marker"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("protocol.ext.allow", "always"),
        ("core.hooksPath", "hooks"),
        ("trace2.eventTarget", marker.to_str().unwrap()),
        ("include.path", "../more"),
    ] {
        git(&gated, folder, &["config", key, value]);
    }
    fs::write(folder.join("more"), format!("[filter \"x\"]\n\tclean = {trap}\n")).unwrap();
    for at in [".gitattributes", ".git/info/attributes"] {
        fs::create_dir_all(folder.join(".git/info")).unwrap();
        fs::write(folder.join(at), "* filter=x\n").unwrap();
    }
    fs::create_dir(folder.join("hooks")).unwrap();
    for name in ["pre-commit", "post-commit", "reference-transaction", "post-index-change"] {
        for at in ["hooks", ".git/hooks"] {
            let at = folder.join(at).join(name);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(&at, format!("#!/bin/sh\n{trap}\n")).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&at, mode).unwrap();
        }
    }
    let said = commit(&gated, folder);
    assert!(said.err.contains("; nothing was pushed"), "{}", said.err);
    assert!(!marker.exists() && !folder.join("marker").exists());
}

#[test]
fn what_was_changed_in_the_same_second_is_still_seen() {
    let gated = Gated::of(&[MAIN, ("b.txt", "hello\n")], HASH);
    let folder = gated.project.path();
    repository(&gated, folder, &[]);
    // Of the same size; only the times of the file and the index tell that it may have changed.
    let (file, index) = (folder.join("b.txt"), folder.join(".git/index"));
    let second = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let open = |at: &Path| fs::File::options().write(true).open(at).unwrap();
    open(&file).set_modified(second).unwrap();
    git(&gated, folder, &["update-index", "--refresh"]);
    fs::write(&file, "hallo\n").unwrap();
    open(&file).set_modified(second).unwrap();
    open(&index).set_modified(second).unwrap();
    committed_with(&gated, folder, " M b.txt\n");
}

fn committed_with(gated: &Gated, folder: &Path, status: &str) {
    let said = commit(gated, folder);
    assert!(said.err.contains("; nothing was pushed"), "{}", said.err);
    assert_eq!(git(gated, folder, &["status", "--short", "-uno"]), status);
}

#[test]
fn another_repository_is_never_written_to() {
    let nobody = "a repository that does not know this folder";
    for kind in ["file", "worktree setting", "link", "own folder", "included"] {
        let gated = project();
        let folder = gated.project.path();
        let (victim, head) = victim(&gated);
        let at = victim.path().display();
        let git_folder = folder.join(".git");
        let why = match kind {
            "file" => {
                fs::remove_dir_all(&git_folder).unwrap();
                fs::write(&git_folder, format!("gitdir: {at}/.git\n")).unwrap();
                nobody
            }
            "worktree setting" => {
                git(&gated, folder, &["config", "core.worktree", &at.to_string()]);
                "`core.worktree` in its configuration leads to another folder"
            }
            "included" => {
                fs::write(folder.join("more"), format!("[core]\n\tworktree = {at}\n")).unwrap();
                git(&gated, folder, &["config", "include.path", "../more"]);
                "nothing was pushed"
            }
            "link" => {
                fs::remove_dir_all(&git_folder).unwrap();
                symlink(victim.path().join(".git"), &git_folder).unwrap();
                "`.git` is a link"
            }
            _ => {
                // A folder of the project's own that says what only a repository may say.
                fs::remove_dir_all(&git_folder).unwrap();
                let own = folder.join("own");
                fs::create_dir(&own).unwrap();
                fs::write(&git_folder, "gitdir: own\n").unwrap();
                fs::write(own.join("gitdir"), format!("{}\n", git_folder.display())).unwrap();
                fs::write(own.join("commondir"), format!("{at}/.git\n")).unwrap();
                fs::write(own.join("HEAD"), "ref: refs/heads/main\n").unwrap();
                nobody
            }
        };
        if kind == "included" {
            let said = commit(&gated, folder);
            assert!(said.err.contains(why), "{kind}: {}", said.err);
        } else {
            refused(&gated, folder, why);
        }
        assert_eq!(git(&gated, victim.path(), &["rev-parse", "HEAD"]), head, "{kind}");
    }
}

#[test]
fn no_link_in_the_repository_leads_out_of_it() {
    for name in ["logs/HEAD", "logs", "index", "HEAD", "objects", "refs/heads", "config", "info"] {
        let gated = project();
        let folder = gated.project.path();
        let outside = gated.home().join("outside");
        let at = folder.join(".git").join(name);
        if at.exists() {
            fs::rename(&at, &outside).unwrap();
        } else {
            fs::write(&outside, "mine\n").unwrap();
        }
        symlink(&outside, &at).unwrap();
        let before = everything(&outside);
        let said = commit(&gated, folder);
        assert!(said.err.contains("not committed: "), "{name}: {}", said.err);
        assert_eq!(everything(&outside), before, "{name}");
    }
    // A second name of a file outside.
    let gated = project();
    let outside = gated.home().join("outside");
    let log = gated.project.path().join(".git/logs/HEAD");
    fs::rename(&log, &outside).unwrap();
    fs::hard_link(&outside, &log).unwrap();
    let before = everything(&outside);
    refused(&gated, gated.project.path(), "its log of changes is not a file of its own");
    assert_eq!(everything(&outside), before);
}

/// Names and bytes of a file, or of all below a folder.
fn everything(at: &Path) -> Vec<(String, Vec<u8>)> {
    if at.is_file() {
        return vec![(String::new(), fs::read(at).unwrap())];
    }
    let mut all = Vec::new();
    for entry in fs::read_dir(at).unwrap() {
        let at = entry.unwrap().path();
        let name = at.display().to_string();
        all.extend(
            everything(&at).into_iter().map(|(below, bytes)| (name.clone() + &below, bytes)),
        );
    }
    all.sort();
    all
}

#[test]
fn objects_of_another_repository_are_not_borrowed() {
    let gated = project();
    let (victim, _) = victim(&gated);
    let list = gated.project.path().join(".git/objects/info/alternates");
    fs::write(list, format!("{}/.git/objects\n", victim.path().display())).unwrap();
    refused(&gated, gated.project.path(), "it borrows objects of another one");
}

#[test]
fn linked_working_trees_and_submodules_are_committed_to() {
    let gated = project();
    let place = TempDir::new().unwrap();
    let tree = place.path().join("tree");
    git(&gated, gated.project.path(), &["worktree", "add", "-q", tree.to_str().unwrap()]);
    committed(&gated, &tree);
    assert_eq!(git(&gated, &tree, &["symbolic-ref", "HEAD"]), "refs/heads/tree\n");
    assert!(git(&gated, gated.project.path(), &["show", "main:src/main.py"]).contains("hi"));

    let above = place.path().join("above");
    fs::create_dir(&above).unwrap();
    fs::write(above.join("a"), "a\n").unwrap();
    repository(&gated, &above, &[]);
    let from = gated.project.path().to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "-b", "main", from];
    git(&gated, &above, &[&add[..], &["below"]].concat());
    let below = above.join("below");
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.com")] {
        git(&gated, &below, &["config", key, value]);
    }
    committed(&gated, &below);
}

#[test]
fn odd_repositories_are_committed_to() {
    for how in [&["--object-format=sha256"][..], &["--ref-format=reftable"], &[]] {
        let gated = Gated::of(&[MAIN], HASH);
        repository(&gated, gated.project.path(), how);
        if how.is_empty() {
            git(&gated, gated.project.path(), &["switch", "-q", "--detach"]);
            git(&gated, gated.project.path(), &["config", "core.splitIndex", "true"]);
            git(&gated, gated.project.path(), &["update-index", "--split-index"]);
        }
        committed(&gated, gated.project.path());
    }
    // A project that is a part of a repository.
    let gated = Gated::of(&[("a b/src/main.py", MAIN.1), ("top.txt", "x\n")], HASH);
    assert_eq!(gated.exacta(&["-C", "a b", "init"]).code, 0);
    repository(&gated, gated.project.path(), &[]);
    committed(&gated, &gated.project.path().join("a b"));
    // With a sparse index.
    let gated = Gated::of(&[MAIN, ("far/away/x", "x\n")], HASH);
    repository(&gated, gated.project.path(), &[]);
    git(&gated, gated.project.path(), &["sparse-checkout", "set", "--sparse-index", "src"]);
    committed(&gated, gated.project.path());
    assert!(git(&gated, gated.project.path(), &["show", "HEAD:far/away/x"]).contains('x'));
    // Before the first commit.
    let gated = Gated::of(&[MAIN], HASH);
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Ada"],
        &["config", "user.email", "ada@example.com"],
    ] {
        git(&gated, gated.project.path(), args);
    }
    refused(&gated, gated.project.path(), "no commit yet");
}
