//! The child has nothing left that it could do harm with.
//!
//! The test starts itself again: a confined process cannot go back.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, child, confine, inspect, wire};

const ROLE: &str = "EXACTA_INSPECT_TEST_ROLE";

/// Runs this binary again in a role; that run sees only the one test below.
fn again(role: &str, input: &[u8]) -> std::process::Output {
    let mut run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "roles", "--nocapture", "--test-threads", "1"])
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    run.stdin.take().unwrap().write_all(input).unwrap();
    run.wait_with_output().unwrap()
}

/// What the second run does.
#[test]
fn roles() {
    let Ok(role) = std::env::var(ROLE) else { return };
    if role == "serve" {
        let mut out = Vec::new();
        child::serve(&mut std::io::stdin(), &mut out).unwrap();
        let report = wire::read_report(&mut out.as_slice()).unwrap();
        println!("facts:{}", serde_json::to_string(&report).unwrap());
        return;
    }
    let confined = confine::confine().unwrap();
    if role == "processes" {
        let thread = std::thread::Builder::new().spawn(|| ()).map(std::thread::JoinHandle::join);
        println!("alone:{}", thread.is_err());
        return;
    }
    let read = std::fs::read("/etc/passwd").is_err();
    let write = std::fs::write("/tmp/exacta-confined", b"x").is_err();
    let connect = std::net::TcpStream::connect("127.0.0.1:9").map_err(|error| error.kind());
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").is_err();
    let run = Command::new("/bin/true").status().is_err();
    let refused = connect.is_err_and(|kind| kind != std::io::ErrorKind::ConnectionRefused);
    println!("walls:{}", confined.complete && read && write && refused && udp && run);
}

#[test]
fn a_confined_child_can_neither_read_write_connect_nor_run() {
    let output = again("walls", b"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("walls:true"), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The kernel does not hold root to the limit, so this is looked at as somebody else.
#[test]
fn a_confined_child_of_an_ordinary_user_starts_neither_process_nor_thread() {
    if !rustix::process::geteuid().is_root() {
        let output = again("processes", b"");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("alone:true"), "{text}");
        return;
    }
    // A copy, because the folders above the original may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let tests = folder.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "54321", "--regid", "54321", "--clear-groups"])
        .arg(&tests)
        .args(["--exact", "roles", "--nocapture", "--test-threads", "1"])
        .env(ROLE, "processes")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("alone:true"), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_confined_child_answers() {
    let (before, after): (&[u8], &[u8]) = (b"pub fn a() {}\n", b"// TODO\n");
    let path = RelPath::parse("src/a.rs").unwrap();
    let step =
        StepInput { step: "s", path, before: Some(before), after: Some(after), moved: false };
    let request = Request { steps: vec![step], ..Request::default() };
    let mut asked = Vec::new();
    wire::write_request(&request, &mut asked).unwrap();
    let output = again("serve", &asked);
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = format!("facts:{}", serde_json::to_string(&inspect(&request)).unwrap());
    assert!(text.contains(&expected), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
