//! What the kernel sees: every change to files is an operation of the port, and a kill
//! at any such system call leaves before or after.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kill::{check, child_command, ready_for, shape_index};
use crate::project::{Act, expected};
use crate::shapes::shapes;
use crate::tree::scratch;

/// Every way to change a file or folder by name or handle, except through a map.
const MUTATING: &str = "creat,open,openat,openat2,mkdir,mkdirat,mknod,mknodat,rename,renameat,\
     renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,truncate,ftruncate,fallocate,\
     chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,setxattr,lsetxattr,fsetxattr,removexattr,\
     lremovexattr,fremovexattr,utimensat,write,pwrite64,writev,copy_file_range";

/// System calls of a trace by name, opens only where they make a file.
fn calls(trace: &str, dir: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in trace.lines() {
        let line = line.split_once(' ').map_or(line, |(pid, rest)| {
            if pid.bytes().all(|b| b.is_ascii_digit()) { rest.trim_start() } else { line }
        });
        let Some((name, _)) = line.split_once('(') else { continue };
        let makes = !name.starts_with("open") || line.contains("O_CREAT");
        // The harness writes to its own pipes and reads the system's files.
        let ours = name != "write" || line.contains(&*dir.to_string_lossy());
        if makes && ours && !line.contains("= -1 ") {
            found.entry(name.into()).or_default().push(line.into());
        }
    }
    found
}

/// A run of many changes under `strace`, where the trace of `calls` goes, and the project.
fn traced(dir: &Path, calls: &str) -> (Command, PathBuf, PathBuf) {
    let shape = shape_index("mixed twenty");
    let (log, work) = (dir.join("trace.log"), dir.join("project"));
    std::fs::create_dir(&work).unwrap();
    ready_for(Act::Apply, &work, &shapes()[shape]);
    let child = child_command(&work, Act::Apply, shape, u64::MAX, false);
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "8", "-o"]).arg(&log);
    strace.arg("-e").arg(format!("trace={calls}")).arg(child.get_program());
    strace.args(child.get_args());
    strace.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    (strace, log, work)
}

#[test]
fn every_change_the_kernel_sees_is_an_operation_of_the_port() {
    let dir = scratch();
    let (mut strace, log, work) = traced(dir.path(), MUTATING);
    let output = strace.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let operations: BTreeMap<&str, usize> = text
        .lines()
        .find_map(|line| line.split_once("names=").map(|(_, names)| names))
        .unwrap()
        .split(',')
        .fold(BTreeMap::new(), |mut counts, name| {
            *counts.entry(name).or_default() += 1;
            counts
        });
    let count = |name: &str| operations.get(name).copied().unwrap_or(0);
    let seen = calls(&std::fs::read_to_string(&log).unwrap(), &work);
    let kernel = |name: &str| seen.get(name).map_or(0, Vec::len);
    assert_eq!(kernel("renameat2"), count("swap") + count("place"));
    // One file is made by each staging, one by the first append, one by the lock.
    assert!(kernel("openat") <= count("stage") + count("append") + count("lock"));
    assert!(kernel("mkdirat") <= count("make_private") + count("stage_folder") + count("lock"));
    assert_eq!(kernel("unlinkat"), count("remove") + count("remove_folder"));
    assert!(kernel("fchmod") <= count("stage") + count("make_private") + 1);
    let known = [
        "renameat2",
        "openat",
        "mkdirat",
        "unlinkat",
        "fchmod",
        "write",
        "fchown",
        "fsetxattr",
        "fremovexattr",
    ];
    for (name, lines) in &seen {
        assert!(known.contains(&name.as_str()), "{name}: {lines:?}");
        for line in lines {
            assert!(line.contains(&*work.to_string_lossy()), "outside the project: {line}");
        }
    }
    let total: usize = seen.values().map(Vec::len).sum();
    println!("strace: {total} changing system calls, all inside the project and by the port");
}

/// Unwritten bytes beside a run, so that a barrier syncs file by file.
const UNWRITTEN: usize = 32 << 20;

#[test]
fn before_the_first_swap_the_kernel_is_asked_to_keep_every_image() {
    let mut ways = Vec::new();
    for beside in [0, UNWRITTEN] {
        let dir = scratch();
        let (mut strace, log, _) = traced(dir.path(), "fsync,syncfs,renameat2");
        // On a disk, where the project may not be.
        let disk = tempfile::tempdir().unwrap();
        std::fs::write(disk.path().join("unwritten"), vec![7; beside]).unwrap();
        assert!(strace.output().unwrap().status.success());
        let trace = std::fs::read_to_string(&log).unwrap();
        let swap = trace.lines().position(|line| line.contains("RENAME_EXCHANGE")).unwrap();
        let (before, after): (Vec<_>, Vec<_>) =
            trace.lines().enumerate().partition(|(at, _)| *at < swap);
        let synced = |lines: &[(usize, &str)], name: &str| {
            let whole = lines.iter().any(|(_, line)| line.contains("syncfs("));
            whole || lines.iter().any(|(_, l)| l.contains("fsync(") && l.contains(name))
        };
        let swaps = after.iter().filter(|(_, line)| line.contains("RENAME_EXCHANGE")).count();
        for slot in after.iter().filter_map(|(_, line)| slot_in(line)) {
            assert!(synced(&before, &format!("/{slot}>")), "slot {slot}: {trace}");
        }
        for name in ["/manifest>", "/journal>", "/runs>", "/.exacta>"] {
            assert!(synced(&before, name), "{name}: {trace}");
        }
        let last = after.iter().rposition(|(_, line)| line.contains("RENAME_EXCHANGE")).unwrap();
        assert!(synced(&after[last..], "/journal>"), "{trace}");
        ways.push(if trace.contains("syncfs(") { "at once" } else { "one by one" });
        println!("strace: {swaps} swaps after a barrier, synced {}", ways.last().unwrap());
    }
}

/// The slot that an exchange takes its image from.
fn slot_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("renameat2(").filter(|_| line.contains("RENAME_EXCHANGE"))?;
    rest.split('"').nth(1)
}

#[test]
fn killed_by_the_kernel_at_a_system_call() {
    let mut killed = 0;
    let most = if crate::full() { 400 } else { 14 };
    for name in ["mixed three", "nested new folders"] {
        let shape = shape_index(name);
        let sides = expected(&shapes()[shape]);
        for call in ["renameat2", "mkdirat", "openat2", "fchmod", "close", "fsync,syncfs"] {
            for number in 1..=most {
                let dir = scratch();
                ready_for(Act::Apply, dir.path(), &shapes()[shape]);
                let child = child_command(dir.path(), Act::Apply, shape, u64::MAX, false);
                // Close happens all the time; sample it.
                let when = if call == "close" { number * 9 + 40 } else { number };
                let mut command = Command::new("strace");
                command.args(["-f", "-qq", "-o", "/dev/null", "-e"]);
                command.arg(format!("inject={call}:signal=KILL:when={when}"));
                command.arg("-e").arg(format!("trace={call}")).arg(child.get_program());
                command.args(child.get_args());
                command.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
                let done = command.output().unwrap().status.success();
                check(dir.path(), &sides, &format!("{name} at {call} {when}"));
                if done {
                    break;
                }
                killed += 1;
            }
        }
    }
    println!("killed by the kernel at {killed} system calls");
    assert!(killed > 40, "{killed}");
}
