//! `capture`: a command on a private copy; what it changed becomes a plan, or is named.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Project, Said};

/// A project, and a home outside it with the gate's state in it.
struct Captured {
    project: Project,
    home: TempDir,
}

impl Captured {
    fn of(files: &[(&str, &str)]) -> Self {
        let captured = Self { project: Project::of(files), home: TempDir::new().unwrap() };
        captured.policy("profile = \"conservative\"\n");
        captured
    }

    fn policy(&self, text: &str) {
        let folder = self.home.path().join(".config/exacta");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.toml"), text).unwrap();
        crate::gated::met_anew(self.home.path());
    }

    fn command(&self) -> Command {
        let mut command = self.project.command(env!("CARGO_BIN_EXE_exacta"));
        command.env("HOME", self.home.path()).env_remove("XDG_CONFIG_HOME");
        command
    }

    fn exacta(&self, args: &[&str]) -> Said {
        self.command().args(args).output().unwrap().into()
    }

    /// Captures a shell script.
    fn script(&self, options: &[&str], script: &str) -> Said {
        let args = [&["capture"], options, &["--", "sh", "-c", script]].concat();
        let said = self.exacta(&args);
        self.nothing_left();
        said
    }

    /// The same, with the outcome as JSON.
    fn json(&self, options: &[&str], script: &str, code: i32) -> Value {
        let said = self.script(&[options, &["--json"]].concat(), script);
        assert_eq!(said.code, code, "{}\n{}", said.out, said.err);
        said.json()
    }

    fn nothing_left(&self) {
        let cache = self.home.path().join(".cache/exacta");
        let left = fs::read_dir(&cache).map_or(0, Iterator::count);
        assert_eq!(left, 0, "a copy is left in {}", cache.display());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project.path().join(name)).unwrap()
    }
}

fn operations(told: &Value) -> Vec<String> {
    let files = told["files"].as_array().unwrap();
    let word = |file: &Value, key: &str| file[key].as_str().unwrap().to_owned();
    files.iter().map(|file| format!("{} {}", word(file, "op"), word(file, "path"))).collect()
}

const FILES: [(&str, &str); 4] = [
    ("src/a.txt", "one\ntwo\n"),
    ("src/b.txt", "bye\n"),
    ("tool", "#!/bin/sh\n"),
    ("keep.txt", "kept\n"),
];

#[test]
fn edits_new_files_deletions_modes_and_bytes_are_proposed_and_nothing_else_happens() {
    let captured = Captured::of(&FILES);
    let before = captured.project.snapshot();
    let script = "sed -i s/two/three/ src/a.txt; rm src/b.txt; mkdir -p new/deep; \
                  echo made > new/deep/c.txt; chmod 755 tool; printf '\\377\\000' > raw.bin; \
                  touch keep.txt; cat keep.txt > again && mv again keep.txt; echo to the reader";
    let said = captured.script(&["--json", "--intent", "all kinds"], script);
    assert_eq!(said.code, 11, "{}", said.err);
    let told = said.json();
    assert_eq!(
        operations(&told),
        [
            "create new/deep/c.txt",
            "create raw.bin",
            "modify src/a.txt",
            "delete src/b.txt",
            "modify tool",
        ]
    );
    assert!(said.err.contains("  | to the reader\n"), "{}", said.err);
    // No model is involved in what a command does.
    assert_eq!(told["estimates"]["estimated_tokens"], 0);
    // The project has a record now, and no other change.
    let mut after = captured.project.snapshot();
    after.retain(|path, _| !path.components().any(|part| part.as_os_str() == ".exacta"));
    assert_eq!(after, before);

    // What was captured is what runs.
    captured.policy("version = 1\ndecide = \"hash\"\n");
    let told = captured.json(&["--no-review"], script, 11);
    let (plan, hash) = (told["plan_id"].as_str().unwrap(), told["plan_hash"].as_str().unwrap());
    assert_eq!(captured.exacta(&["approve", plan, "--hash", hash]).code, 0);
    let ran = captured.exacta(&["run", plan]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(captured.read("src/a.txt"), "one\nthree\n");
    assert_eq!(captured.read("new/deep/c.txt"), "made\n");
    assert_eq!(fs::read(captured.project.path().join("raw.bin")).unwrap(), [255, 0]);
    assert!(!captured.project.path().join("src/b.txt").exists());
    let mode = fs::metadata(captured.project.path().join("tool")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_harmless_change_runs_at_once_and_no_change_is_no_plan() {
    let captured = Captured::of(&FILES);
    let told = captured.json(&["--intent", "say three in keep.txt"], "echo 3 >> keep.txt", 0);
    assert_eq!(told["run"]["state"], "completed");
    assert_eq!(captured.read("keep.txt"), "kept\n3\n");
    let told = captured.json(&["--no-run"], "echo x > x.txt", 0);
    assert_eq!((&told["state"], &told["run"]), (&"auto_approved".into(), &Value::Null));
    assert!(!captured.project.path().join("x.txt").exists());
    let told = captured.json(&[], "touch src/a.txt; mkdir empty", 0);
    assert_eq!((&told["ok"], &told["plan_id"]), (&true.into(), &Value::Null));
    // Constraints and proposers count as they do for any plan.
    let told = captured.json(&["--constraint", "no_delete"], "rm keep.txt", 10);
    assert_eq!(told["issues"][0]["code"], "PLAN_CONSTRAINT_VIOLATED");
}

#[test]
fn a_folder_that_was_made_anew_hides_what_was_in_it() {
    let captured = Captured::of(&FILES);
    let told = captured.json(&["--no-run"], "rm -r src && mkdir src && echo n > src/new", 11);
    assert_eq!(operations(&told), ["delete src/a.txt", "delete src/b.txt", "create src/new"]);
    let told = captured.json(&["--no-run"], "rm keep.txt && mkdir keep.txt", 11);
    assert_eq!(operations(&told), ["delete keep.txt"]);
    // Another spelling of a name is a deletion and then a creation.
    let told = captured.json(&["--no-run"], "mv keep.txt KEEP.txt", 11);
    assert_eq!(operations(&told), ["create KEEP.txt", "delete keep.txt"]);
}

#[test]
fn a_shell_reads_the_line_where_it_is_asked_to() {
    let captured = Captured::of(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let line = "for f in *.md; do echo two >> $f; done && rm -f none";
    let said = captured.exacta(&["capture", "--no-run", "--json", "--shell", "--", line]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(operations(&said.json()), ["modify a.md", "modify b.md"]);
    // Without it the same words are one program's name.
    let said = captured.exacta(&["capture", "--no-run", "--json", "--", line]);
    assert_eq!(said.code, 13, "{}{}", said.out, said.err);
    assert!(said.err.contains("`--shell` lets a shell read the line"), "{}", said.err);
}

#[test]
fn a_command_that_fails_proposes_nothing_unless_asked_to() {
    let captured = Captured::of(&FILES);
    let said = captured.script(&[], "echo x > x.txt; exit 3");
    assert_eq!(said.code, 13);
    assert!(said.err.contains("ended with code 3; nothing is proposed"), "{}", said.err);
    assert!(!captured.project.path().join(".exacta/log").exists());
    let told = captured.json(&["--even-if-failed", "--no-run"], "echo x > x.txt; exit 3", 0);
    assert_eq!(operations(&told), ["create x.txt"]);
    assert_eq!(captured.script(&[], "kill -9 $$").code, 13);
    let said = captured.exacta(&["capture", "--", "no-such-program"]);
    assert_eq!(said.code, 13);
    assert!(said.err.contains("cannot be started"), "{}", said.err);
}

#[test]
fn what_no_plan_can_say_is_named_and_refused() {
    let captured = Captured::of(&FILES);
    symlink("keep.txt", captured.project.path().join("link")).unwrap();
    for (script, named) in [
        ("ln -s keep.txt other", "`other`: a symbolic link"),
        ("ln -sf src link", "`link`: a symbolic link"),
        ("rm link", "`link`: a link or special file was removed"),
        ("mkfifo pipe", "`pipe`: a pipe"),
        (
            "rm keep.txt && mkdir keep.txt && echo x > keep.txt/x",
            "`keep.txt/x`: it lies in a folder",
        ),
        ("rm -r src && echo flat > src", "`src`: a file in the place of a folder"),
        ("echo x > one; ln one two", "`two`: a hard link"),
        ("echo x > 'a:b'", "`a:b`: "),
        ("printf x > $(printf 'n\\377')", "its name is not UTF-8"),
    ] {
        let script = format!("echo fine > fine.txt; {script}");
        let said = captured.script(&[], &script);
        assert_eq!(said.code, 10, "{script}\n{}", said.err);
        assert!(said.err.contains(named), "{script}\n{}", said.err);
        let told = captured.json(&["--partial", "--no-run"], &script, 0);
        assert_eq!(operations(&told), ["create fine.txt"], "{script}");
    }
    // A link that was only looked at is no change.
    assert_eq!(captured.script(&[], "touch -h link; cat link").code, 0);
}

#[test]
fn the_repository_may_be_read_and_what_changes_in_it_is_left_out() {
    let captured = Captured::of(&FILES);
    let git = |args: &[&str]| captured.project.git(args);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start"]);
    let head = captured.project.path().join(".git/HEAD");
    let before = fs::read(&head).unwrap();
    let said =
        captured.script(&["--json", "--no-run"], "git log --format=%s && git status --short");
    assert!(said.err.contains("  | start\n") && !said.err.contains("left out"), "{}", said.err);
    let script =
        "git checkout -qb other && echo x >> keep.txt && mkdir target && echo o > target/o";
    let said = captured.script(&["--json", "--no-run"], script);
    assert_eq!(operations(&said.json()), ["modify keep.txt"]);
    assert!(said.err.contains("left out: `.git`"), "{}", said.err);
    assert!(said.err.contains("left out: `target`"), "{}", said.err);
    assert_eq!(fs::read(&head).unwrap(), before);
    let told = captured.json(&["--builds", "--no-run"], "mkdir target; echo o > target/o", 11);
    assert_eq!(operations(&told), ["create target/o"]);
}

#[test]
fn it_reaches_neither_the_project_nor_the_gate_nor_the_home() {
    let captured = Captured::of(&FILES);
    assert_eq!(captured.exacta(&["init"]).code, 0);
    let secret = captured.home.path().join("secret");
    fs::write(&secret, "mine").unwrap();
    let state = captured.home.path().join(".local/state/exacta");
    assert!(state.join("key").exists());
    let attempts = [
        format!("cat {}", secret.display()),
        format!("cat {}/key", state.display()),
        format!("echo x > {}/made", captured.home.path().display()),
        "ls .exacta/log".into(),
        "cat /etc/shadow".into(),
        "(exec 3<>/dev/tcp/127.0.0.1/22) || (exec 3<>/dev/tcp/1.1.1.1/80)".into(),
        "test -c /dev/tty".into(),
        "test -n \"$SECRET\"".into(),
    ];
    for attempt in attempts {
        let script = format!("bash -c '{attempt}' >/dev/null 2>&1 && echo reached || true");
        let mut command = captured.command();
        let said: Said = command
            .env("SECRET", "s")
            .args(["capture", "--", "sh", "-c", &script])
            .output()
            .unwrap()
            .into();
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(!said.err.contains("reached"), "{attempt}");
    }
    // A folder of that name in the copy is left out, and said.
    let said = captured.script(&[], "mkdir -p .exacta/log && echo '{}' > .exacta/log/0000.jsonl");
    assert_eq!(said.code, 0);
    assert!(said.err.contains("left out: `.exacta`"), "{}", said.err);
    assert_eq!(captured.exacta(&["verify"]).code, 0);
    // What the user hands on is there: a variable, a file to read, standard input.
    let said: Said = captured
        .command()
        .env("SECRET", "handed on")
        .args(["capture", "--env", "SECRET", "--env", "OTHER=two", "--stdin", "--read"])
        .arg(&secret)
        .args(["--", "sh", "-c", "echo $SECRET $OTHER; cat \"$0\" -; ! echo x > \"$0\""])
        .arg(&secret)
        .stdin(Stdio::from(fs::File::open(captured.project.path().join("keep.txt")).unwrap()))
        .output()
        .unwrap()
        .into();
    assert!(said.err.contains("  | handed on two\n  | minekept\n"), "{}", said.err);
    assert_eq!(fs::read_to_string(&secret).unwrap(), "mine");
}

#[test]
fn escapes_in_its_output_are_shown_but_colours_and_the_home_is_empty_and_writable() {
    let captured = Captured::of(&FILES);
    let script = "printf 'a\\033[31mb\\033[2Jd\\rc'; echo x > $HOME/x && ls $HOME";
    let said = captured.script(&[], script);
    assert!(!said.err.contains('\u{1b}'), "{:?}", said.err);
    assert!(said.err.contains("  | ab<U+001B>[2Jd\n"), "{}", said.err);
    assert!(said.err.ends_with("x\n"), "{}", said.err);
}

#[test]
fn an_edit_of_the_user_meanwhile_is_never_overwritten() {
    let captured = Captured::of(&FILES);
    let child = captured
        .command()
        .args(["capture", "--", "sh", "-c", "echo theirs > keep.txt; echo go; sleep 3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(1500));
    captured.project.write("keep.txt", "the user's\n");
    let said: Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, 14, "{}", said.err);
    assert!(said.err.contains("changed meanwhile: `keep.txt`"), "{}", said.err);
    assert_eq!(captured.read("keep.txt"), "the user's\n");
    captured.nothing_left();
}

#[test]
fn ctrl_c_leaves_nothing_behind_and_what_a_killed_process_left_is_cleared() {
    for signal in ["INT", "TERM"] {
        let captured = Captured::of(&FILES);
        let mut child = captured
            .command()
            .args(["capture", "--", "sh", "-c", "echo x > x.txt; exec sleep 1000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let cache = captured.home.path().join(".cache/exacta");
        let start = Instant::now();
        while fs::read_dir(&cache).map_or(0, Iterator::count) == 0 {
            assert!(
                start.elapsed() < Duration::from_mins(1) && child.try_wait().unwrap().is_none()
            );
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(500));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let said: Said = child.wait_with_output().unwrap().into();
        assert_eq!(said.code, 13, "{}", said.err);
        assert!(said.err.contains("stopped on request"), "{}", said.err);
        captured.nothing_left();
        assert!(!captured.project.path().join("x.txt").exists());
        // As if a process had died in the middle of it.
        fs::create_dir_all(cache.join("view-left/layer/tree/a")).unwrap();
        assert_eq!(captured.script(&[], "true").code, 0);
    }
}

/// Ends within this time, or was forgotten.
fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it still ran after {:?}", start.elapsed());
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn flooding(captured: &Captured) -> Child {
    captured
        .command()
        .args(["capture", "--", "yes", "a line that comes again and again"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_flood_of_output_that_nobody_reads_does_not_keep_it_from_stopping() {
    let captured = Captured::of(&FILES);
    let mut child = flooding(&captured);
    // The pipe is full by now, and whoever writes into it waits.
    thread::sleep(Duration::from_secs(2));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    assert_eq!(ended(&mut child).code(), Some(13));
    captured.nothing_left();
}

#[test]
fn a_reader_who_goes_away_ends_the_command() {
    let captured = Captured::of(&FILES);
    let mut child = flooding(&captured);
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "  | a line that comes again and again\n");
    assert_eq!(ended(&mut child).code(), Some(13));
    captured.nothing_left();
}

/// The helper process with this role, below the program.
fn helper(parent: u32, role: &str) -> Option<u32> {
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let above: u32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line);
        (above == parent && line.trim_end_matches('\0').ends_with(role)).then_some(id)
    })
}

#[test]
fn a_helper_that_is_killed_is_called_that() {
    for roles in [&["hold"][..], &["hold", "init"]] {
        let captured = Captured::of(&FILES);
        let mut child = captured
            .command()
            .args(["capture", "--", "sh", "-c", "echo x > x.txt; echo go; exec sleep 1000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        stderr.read_line(&mut text).unwrap();
        let id = roles.iter().fold(child.id(), |above, role| helper(above, role).unwrap());
        assert!(Command::new("kill").args(["-9", &id.to_string()]).status().unwrap().success());
        assert_eq!(ended(&mut child).code(), Some(13));
        stderr.read_to_string(&mut text).unwrap();
        assert!(text.contains("a helper process") && text.contains("signal 9"), "{text}");
        assert!(!text.contains("cannot be confined"), "{text}");
        captured.nothing_left();
        assert!(!captured.project.path().join("x.txt").exists());
    }
}

#[test]
fn a_machine_without_a_folder_of_processes_is_told_so() {
    let captured = Captured::of(&FILES);
    let mut command = captured.project.command("unshare");
    let script = "mount -t tmpfs none /proc && exec \"$0\" capture -- true";
    let said: Said = command
        .env("HOME", captured.home.path())
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_exacta")])
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("cannot find itself"), "{}", said.err);
    assert!(said.err.contains("`/proc` must be mounted"), "{}", said.err);
}

#[test]
fn words_that_make_no_sense_are_refused_before_anything_runs() {
    let captured = Captured::of(&FILES);
    for args in [
        &["capture"][..],
        &["capture", "--"],
        &["capture", "true"],
        &["capture", "--env", "NOT_SET_ANYWHERE", "--", "true"],
    ] {
        assert_eq!(captured.exacta(args).code, 2, "{args:?}");
    }
    assert_eq!(captured.exacta(&["capture", "--read", "/no/such", "--", "true"]).code, 1);
}

/// A plan can say two modes. A private file that the command makes executable must not become
/// readable for all.
#[test]
fn a_private_file_is_not_opened_to_all() {
    let captured = Captured::of(&[("secret", "key\n"), ("plain", "text\n")]);
    let at = captured.project.path().join("secret");
    fs::set_permissions(&at, fs::Permissions::from_mode(0o600)).unwrap();
    let said = captured.script(&["--no-run"], "chmod u+x secret; echo more >> plain");
    assert_eq!(said.code, 10, "{}", said.out);
    assert!(said.err.contains("permissions that a plan cannot say"), "{}", said.err);
    assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o600);
}

/// The room has its own `/var/tmp`; nothing is made in the one of the machine.
#[test]
fn what_lies_below_var_tmp_is_shown_and_nothing_is_made_elsewhere() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let name = folder.path().file_name().unwrap().to_owned();
    fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let captured = Captured::of(&[]);
    let mut command = captured.command();
    command.current_dir(folder.path());
    let args = ["capture", "--no-run", "--json", "--", "sh", "-c", "echo two >> a.txt"];
    let said: Said = command.args(args).output().unwrap().into();
    assert_eq!(operations(&said.json()), ["modify a.txt"], "{}", said.err);
    assert!(!std::path::Path::new("/tmp").join(name).exists());
}
