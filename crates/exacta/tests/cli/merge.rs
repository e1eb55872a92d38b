//! `propose --branch` and `--git`: what a merge would do, asked of a repository that may be
//! hostile.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::gated::{Gated, HASH, text};
use crate::project::Said;

/// A repository with a branch `topic` that does everything a plan can have.
fn repository() -> Gated {
    let lines = (0..30).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let gated = Gated::of(&[("keep.txt", "one\ntwo\nthree\n"), ("gone.txt", "bye\n")], HASH);
    let project = &gated.project;
    project.write("moved.txt", &lines);
    project.write("tool", "#!/bin/sh\n");
    project.write("image", [0_u8, 1, 2, 255]);
    project.write(".gitattributes", "*.txt text=auto\n");
    git(&gated, &["init", "-q", "-b", "main"]);
    commit(&gated, "first");
    git(&gated, &["checkout", "-q", "-b", "topic"]);
    project.write("keep.txt", "one\nTWO\nthree\n");
    fs::remove_file(project.path().join("gone.txt")).unwrap();
    fs::create_dir(project.path().join("there")).unwrap();
    git(&gated, &["mv", "moved.txt", "there/moved.txt"]);
    project.write("there/moved.txt", lines.replace("line 7\n", "line seven\n"));
    project.write("new dir/ünew.txt", "new\n");
    project.write("image", [0_u8, 1, 3, 255, 0]);
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(project.path().join("tool"), mode).unwrap();
    commit(&gated, "everything");
    git(&gated, &["checkout", "-q", "main"]);
    project.write("other.txt", "meanwhile\n");
    commit(&gated, "meanwhile");
    gated
}

fn git(gated: &Gated, args: &[&str]) -> String {
    String::from_utf8(gated.project.git(args)).unwrap().trim().to_owned()
}

fn commit(gated: &Gated, message: &str) {
    git(gated, &["add", "-A"]);
    let who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgSign=false"];
    git(gated, &[&who[..], &["commit", "-q", "-m", message]].concat());
}

/// The files as a tree of git's, without the gate's own.
fn tree(gated: &Gated) -> String {
    git(gated, &["add", "-A", "--", ".", ":(exclude).exacta"]);
    git(gated, &["write-tree"])
}

fn refused(gated: &Gated, args: &[&str]) -> Said {
    let before = gated.project.snapshot();
    let said = gated.exacta(&[&["propose", "--no-review"], args].concat());
    assert_eq!(said.code, 10, "{args:?}\n{}\n{}", said.out, said.err);
    assert_eq!(gated.project.snapshot(), before, "{args:?}");
    said
}

#[test]
fn what_a_merge_does_is_run_and_undone_and_equals_gits_tree() {
    let gated = repository();
    let before = tree(&gated);
    let wanted = git(&gated, &["merge-tree", "--write-tree", "main", "topic"]);
    let objects = fs::read_dir(gated.project.path().join(".git/objects")).unwrap().count();
    for args in [
        ["--branch", "topic"],
        ["--git", "main...topic"],
        ["--git", "main..topic"],
        ["--git", "topic"],
    ] {
        let told = gated.json(&["propose", args[0], args[1], "--no-review", "--json"], 11);
        let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
        let reasons = told["reasons"].to_string();
        assert!(reasons.contains("binary_content"), "{reasons}");
        let count = told["files"].as_array().unwrap().iter();
        let renamed = count.filter(|file| !file["renamed_from"].is_null()).count();
        assert_eq!(renamed, 1, "{}", told["files"]);
        gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
        let ran = gated.json(&["run", &plan, "--json"], 0);
        assert_eq!(tree(&gated), wanted, "{args:?}");
        gated.json(&["undo", &text(&ran["run_id"]), "--hash", &hash, "--json"], 0);
        assert_eq!(tree(&gated), before, "{args:?}");
    }
    let after = fs::read_dir(gated.project.path().join(".git/objects")).unwrap().count();
    assert!(after >= objects, "git itself wrote these");
}

#[test]
fn what_cannot_be_proposed_is_listed_with_what_to_do() {
    let gated = repository();
    let said = refused(&gated, &["--branch", "nowhere"]);
    assert!(said.err.contains("`nowhere` is not a branch or commit"), "{}", said.err);
    let said = refused(&gated, &["--branch=--upload-pack=touch x"]);
    assert!(said.err.contains("is not a branch or commit"), "{}", said.err);
    let said = refused(&gated, &["--branch", "main"]);
    assert!(said.err.contains("`main` is what is checked out here"), "{}", said.err);
    assert!(said.err.contains("git switch"), "{}", said.err);
    let said = refused(&gated, &["--branch", "main~1"]);
    assert!(said.err.contains("nothing to merge"), "{}", said.err);
    // Files of the working tree that are not HEAD's.
    gated.project.write("keep.txt", "one\ntwo\nTHREE\n");
    gated.project.write("new dir/ünew.txt", "in the way\n");
    let said = refused(&gated, &["--branch", "topic"]);
    assert!(said.err.contains("`keep.txt`: its content is not that of HEAD"), "{}", said.err);
    assert!(said.err.contains("it is in the way"), "{}", said.err);
    assert!(!said.err.contains("other.txt"), "{}", said.err);
    git(&gated, &["checkout", "-q", "."]);
    fs::remove_dir_all(gated.project.path().join("new dir")).unwrap();
    // A conflict.
    gated.project.write("keep.txt", "one\nzwei\nthree\n");
    commit(&gated, "mine");
    let said = refused(&gated, &["--branch", "topic"]);
    assert!(said.err.contains("`keep.txt`: CONFLICT (contents)"), "{}", said.err);
    let told = gated.json(&["propose", "--branch", "topic", "--no-review", "--json"], 10);
    assert_eq!(told["code"], "MERGE_NOT_PROPOSED", "{told}");
    assert_eq!(told["files"][0]["path"], "keep.txt", "{told}");
    // What was committed here since the branch left is never taken back.
    let told = gated.json(&["propose", "--git", "HEAD..topic", "--no-review", "--json"], 10);
    assert_eq!(told["code"], "MERGE_NOT_PROPOSED", "{told}");
    // Links, submodules, and files that git would write otherwise.
    git(&gated, &["reset", "-q", "--hard", "HEAD~1"]);
    git(&gated, &["checkout", "-q", "-b", "odd"]);
    symlink("keep.txt", gated.project.path().join("link")).unwrap();
    commit(&gated, "link");
    let module = "160000,0123456789012345678901234567890123456789,module";
    git(&gated, &["update-index", "--add", "--cacheinfo", module]);
    let who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    git(&gated, &[&who[..], &["commit", "-q", "-m", "module"]].concat());
    git(&gated, &["checkout", "-q", "main"]);
    let said = refused(&gated, &["--branch", "odd"]);
    assert!(said.err.contains("`link`: it is a symbolic link"), "{}", said.err);
    assert!(said.err.contains("`module`: it is a submodule"), "{}", said.err);
    git(&gated, &["checkout", "-q", "-b", "filtered"]);
    gated.project.write(".gitattributes", "*.bin filter=lfs\n*.id ident\n*.win eol=crlf\n");
    for name in ["a.bin", "b.id", "c.win", "d.txt"] {
        gated.project.write(name, "text\n");
    }
    commit(&gated, "attributes");
    git(&gated, &["checkout", "-q", "main"]);
    let said = refused(&gated, &["--branch", "filtered"]);
    for name in ["`a.bin`: the filter `lfs`", "`b.id`: `ident`", "`c.win`: `eol=crlf`"] {
        assert!(said.err.contains(name), "{name}\n{}", said.err);
    }
    assert!(!said.err.contains("d.txt"), "{}", said.err);
}

#[test]
fn what_a_clone_lacks_is_said_with_the_way_out() {
    let origin = repository();
    let clone = |options: &[&str]| {
        let gated = Gated::of(&[], HASH);
        let place = format!("file://{}", origin.project.path().display());
        git(&gated, &["init", "-q", "-b", "main"]);
        git(&gated, &["remote", "add", "origin", &place]);
        let fetch =
            [&["fetch", "-q"][..], options, &["origin", "main", "topic:refs/remotes/origin/topic"]];
        git(&gated, &fetch.concat());
        git(&gated, &["reset", "-q", "--hard", "FETCH_HEAD"]);
        gated
    };
    // The branch is there under the name of its remote.
    let said = refused(&clone(&[]), &["--branch", "topic"]);
    assert!(said.err.contains("`topic` is not a branch or commit"), "{}", said.err);
    assert!(said.err.contains("`exacta propose --branch origin/topic`"), "{}", said.err);
    // History that was cut off before the point where the branches parted.
    let said = refused(&clone(&["--depth=1"]), &["--branch", "origin/topic"]);
    assert!(said.err.contains("no commit in common in this shallow clone"), "{}", said.err);
    assert!(said.err.contains("git fetch --unshallow"), "{}", said.err);
    // No commit at all, and no files at all.
    let empty = Gated::of(&[], HASH);
    git(&empty, &["init", "-q", "-b", "main"]);
    let said = refused(&empty, &["--branch", "main"]);
    assert!(said.err.contains("no commit yet"), "{}", said.err);
    let bare = Gated::of(&[], HASH);
    git(&bare, &["init", "-q", "--bare", "."]);
    let said = bare.exacta(&["propose", "--branch", "main", "--no-review"]);
    assert!(said.code == 10 && said.err.contains("bare git repository"), "{}", said.err);
    let said = bare.exacta(&["init"]);
    assert!(said.code == 10 && said.err.contains("git worktree add"), "{}", said.err);
    assert!(!bare.project.path().join(".exacta").exists());
    // A name of a branch in the place of a file.
    let said = origin.exacta(&["propose", "topic"]);
    assert!(said.code == 1 && said.err.contains("--branch NAME"), "{}", said.err);
}

#[test]
fn a_repository_that_leads_elsewhere_is_refused() {
    let gated = repository();
    let objects = gated.project.path().join(".git/objects/info");
    fs::create_dir_all(&objects).unwrap();
    fs::write(objects.join("alternates"), "/somewhere/else\n").unwrap();
    let said = refused(&gated, &["--branch", "topic"]);
    assert!(said.err.contains("borrows objects"), "{}", said.err);
    let thief = Gated::of(&[("x", "x\n")], HASH);
    let victim = gated.project.path().join(".git");
    fs::write(thief.project.path().join(".git"), format!("gitdir: {}\n", victim.display()))
        .unwrap();
    let said = thief.exacta(&["propose", "--branch", "topic", "--no-review"]);
    assert_eq!(said.code, 10, "{}", said.err);
    assert!(said.err.contains("does not know this folder"), "{}", said.err);
}

/// Settings of git whose value is a command, or a file that leads to more of them.
const COMMANDS: [&str; 47] = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.gitProxy",
    "core.editor",
    "core.pager",
    "core.askPass",
    "core.alternateRefsCommand",
    "sequence.editor",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "merge.evil.driver",
    "merge.default.driver",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "credential.helper",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "gpg.ssh.defaultKeyCommand",
    "alias.merge-tree",
    "alias.diff-tree",
    "alias.rev-parse",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "remote.origin.vcs",
    "remote.origin.proxy",
    "interactive.diffFilter",
    "trailer.evil.command",
    "trailer.evil.cmd",
    "browser.evil.cmd",
    "man.evil.cmd",
    "mergetool.evil.cmd",
    "difftool.evil.cmd",
    "guitool.evil.cmd",
    "help.browser",
    "web.browser",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sendemail.ccCmd",
    "imap.tunnel",
    "instaweb.httpd",
    "submodule.evil.update",
    "tar.evil.command",
    "pager.diff-tree",
];

#[test]
fn nothing_that_a_hostile_repository_names_is_run() {
    let gated = repository();
    let project = gated.project.path();
    let markers = gated.home().join("markers");
    fs::create_dir(&markers).unwrap();
    fs::set_permissions(&markers, fs::Permissions::from_mode(0o777)).unwrap();
    // A program that leaves a mark wherever it can, and one that is found by its name.
    let evil = project.join(".git/evil");
    let marks = |name: &str| {
        format!(
            "touch {m}/{name} {p}/marked /tmp/exacta-marked-{name} 2>/dev/null",
            m = markers.display(),
            p = project.display()
        )
    };
    script(&evil, &format!("{}\necho evil; exit 0\n", marks("program")));
    let mut config = fs::read_to_string(project.join(".git/config")).unwrap();
    for key in COMMANDS {
        let (section, name) = key.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, part)) => format!("{section} \"{part}\""),
            None => section.to_owned(),
        };
        let prefix =
            if key.starts_with("alias.") || key == "submodule.evil.update" { "!" } else { "" };
        write!(config, "[{section}]\n\t{name} = {prefix}{}\n", evil.display()).unwrap();
    }
    config += "[diff \"evil\"]\n\tbinary = false\n\tcachetextconv = true\n[filter \"evil\"]\n\trequired = true\n";
    config += "[merge]\n\tdefault = evil\n\trenormalize = true\n[protocol]\n\tallow = always\n";
    config += "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\turl = ext::sh -c evil\n";
    write!(
        config,
        "[core]\n\thooksPath = {0}\n\tattributesFile = {0}/attributes\n\tworktree = {0}\n",
        project.join(".git/hooks").display()
    )
    .unwrap();
    write!(config, "[include]\n\tpath = {}\n", project.join(".git/more").display()).unwrap();
    write!(config, "[includeIf \"gitdir:**\"]\n\tpath = {}\n", project.join(".git/more").display())
        .unwrap();
    fs::write(project.join(".git/more"), format!("[core]\n\tfsmonitor = {}\n", evil.display()))
        .unwrap();
    fs::create_dir_all(project.join(".git/hooks")).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "post-merge",
        "pre-merge-commit",
        "fsmonitor-watchman",
        "pre-auto-gc",
    ] {
        script(&project.join(".git/hooks").join(hook), &marks(hook));
    }
    let attributes = "* filter=evil diff=evil merge=evil\n";
    fs::write(project.join(".git/hooks/attributes"), attributes).unwrap();
    fs::write(project.join(".git/config"), config).unwrap();
    // Without the attributes, so that the merge goes all the way.
    let told = gated.exacta(&["propose", "--branch", "topic", "--no-review", "--json"]);
    assert_eq!(told.code, 11, "{}\n{}", told.out, told.err);
    for args in [["--git", "main...topic"], ["--git", "topic"], ["--branch", "ext::evil"]] {
        gated.exacta(&["propose", args[0], args[1], "--no-review"]);
    }
    // With them, in the repository's own file: listed, and still nothing is run.
    fs::create_dir_all(project.join(".git/info")).unwrap();
    fs::write(project.join(".git/info/attributes"), attributes).unwrap();
    let said = gated.exacta(&["propose", "--branch", "topic", "--no-review"]);
    assert_eq!(said.code, 10, "{}", said.err);
    assert!(said.err.contains("the filter `evil` would change it"), "{}", said.err);
    let left: Vec<_> = fs::read_dir(&markers).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!project.join("marked").exists());
    assert!(!Path::new("/tmp/exacta-marked-program").exists());
}

/// The same settings do run something when git itself is used as it is.
#[test]
fn the_planted_settings_are_live() {
    let gated = repository();
    let project = gated.project.path();
    let mark = gated.home().join("mark");
    let evil = project.join(".git/evil");
    script(&evil, &format!("touch {}\n", mark.display()));
    git(&gated, &["config", "core.fsmonitor", evil.to_str().unwrap()]);
    git(&gated, &["status"]);
    assert!(mark.exists());
}

fn script(at: &Path, body: &str) {
    fs::write(at, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_text_is_known_by_its_first_line() {
    let gated = Gated::of(&[("x.txt", "a\n")], HASH);
    let body = "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n";
    let plan = r#"{"steps":[{"step_id":"step_1","title":"Change x.txt","type":"file_modify","target":"x.txt","content":"b\n"}]}"#;
    let commit = format!(
        "commit 0123456789\nAuthor: A\n\n    Say b\n\ndiff --git a/x.txt b/x.txt\nindex 7898192..6178079 100644\n{body}"
    );
    for (name, text) in [("p.json", plan), ("p.diff", body), ("p.show", commit.as_str())] {
        let at = gated.home().join(name);
        fs::write(&at, text).unwrap();
        let told = gated.exacta(&["check", at.to_str().unwrap(), "--json"]).json();
        assert_eq!(told["files"][0]["path"], "x.txt", "{name}: {told}");
        assert_eq!(told["ok"], true, "{name}: {told}");
    }
}
