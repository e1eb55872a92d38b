//! A mail that is being sent when the process dies: never twice, and honestly unknown.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::gated::Gated;

/// A real SMTP server that stops at one point of the conversation, once.
const SERVER: &str = r#"
import asyncio, os, ssl, sys, time
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP
folder, port, cert, key, phase = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]
async def stop(here):
    if here == phase and not os.path.exists(folder + "/stopped"):
        open(folder + "/stopped", "w").close()
        while not os.path.exists(folder + "/go"):
            await asyncio.sleep(0.02)
class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        await stop("rcpt")
        envelope.rcpt_tos.append(address)
        return "250 OK"
    async def handle_DATA(self, server, session, envelope):
        with open(f"{folder}/mail-{time.time_ns()}", "wb") as kept:
            kept.write(envelope.content)
        await stop("data_end")
        return "250 kept"
class Server(SMTP):
    async def smtp_DATA(self, arg):
        await stop("data")
        await super().smtp_DATA(arg)
    async def smtp_QUIT(self, arg):
        await stop("quit")
        await super().smtp_QUIT(arg)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
class Here(Controller):
    def factory(self):
        return Server(self.handler, tls_context=context, require_starttls=True)
here = Here(Handler(), hostname="127.0.0.1", port=port)
here.start()
time.sleep(600)
"#;

const POLICY: &str = r#"version = 1
decide = "hash"
profile = "balanced"
allowed_recipients = ["you@corp.example"]
[tools.mail]
send = true
server = "mail.example"
from = "me@corp.example"
"#;

struct Post {
    gated: Gated,
    folder: TempDir,
    server: Child,
    plan: String,
}

impl Drop for Post {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn within(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        sleep(Duration::from_millis(20));
    }
}

impl Post {
    /// A plan that sends one mail, approved, and a server that stops at `phase`.
    fn new(phase: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let made = rcgen::generate_simple_self_signed(["mail.example".to_owned()]).unwrap();
        let (cert, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        fs::write(&cert, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Command::new("/usr/bin/python3")
            .args(["-c", SERVER])
            .arg(folder.path())
            .arg(port.to_string())
            .args([&cert, &key])
            .arg(phase)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let loopback = json!({
            "hosts": {"mail.example": format!("127.0.0.1:{port}")}, "roots": made.cert.pem(),
        });
        fs::write(folder.path().join("loopback.json"), loopback.to_string()).unwrap();
        let gated = Gated::of(&[("README.md", "# x\n")], POLICY);
        let mut own = Self { gated, folder, server, plan: String::new() };
        within("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        let draft = json!({"goal": "tell you", "steps": [{"step_id": "step_1", "title": "Tell you",
            "tool": {"name": "SendEmail", "args": {
                "to": "you@corp.example", "subject": "news", "body": "all is well\n"}}}]});
        let made = own.gated.propose(&draft.to_string(), 11);
        made["plan_id"].as_str().unwrap().clone_into(&mut own.plan);
        let hash = made["plan_hash"].as_str().unwrap();
        own.gated.json(&["approve", &own.plan, "--hash", hash, "--json"], 0);
        own
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.gated.command(program);
        command.env("EXACTA_TEST_LOOPBACK", self.folder.path().join("loopback.json"));
        command
    }

    /// Runs the plan at a terminal where somebody types `yes` when the step asks.
    fn at_terminal(&self) -> Child {
        let line = format!("{} run {}", env!("CARGO_BIN_EXE_exacta"), self.plan);
        let mut child = self
            .command("script")
            .args(["-qfec", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut shown, mut typed) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        std::thread::spawn(move || {
            let (mut said, mut bytes) = (String::new(), [0; 4096]);
            while let Ok(read) = shown.read(&mut bytes) {
                if read == 0 {
                    break;
                }
                said.push_str(&String::from_utf8_lossy(&bytes[..read]));
                if said.contains("Type yes") {
                    let _ = typed.write_all(b"yes\n");
                    said.clear();
                }
            }
        });
        child
    }

    /// The process of the program itself, which is not the terminal's.
    fn process(&self) -> Option<Pid> {
        fs::read_dir("/proc").unwrap().find_map(|entry| {
            let entry = entry.ok()?;
            let id: i32 = entry.file_name().to_str()?.parse().ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            let own = words.first()? == &env!("CARGO_BIN_EXE_exacta").as_bytes()
                && words.get(1)? == b"run"
                && words.get(2)? == &self.plan.as_bytes();
            own.then(|| Pid::from_raw(id)).flatten()
        })
    }

    fn mails(&self) -> usize {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names
            .filter(|one| one.as_ref().unwrap().file_name().to_str().unwrap().starts_with("mail-"))
            .count()
    }

    fn stopped(&self) -> bool {
        self.folder.path().join("stopped").exists()
    }

    /// Kills the program where the server has stopped, and lets the server go on.
    fn kill(&self) {
        let mut child = self.at_terminal();
        within("the server stops", || self.stopped());
        // What the program does at this point has been done.
        sleep(Duration::from_millis(200));
        // After the last answer it may be done already.
        if let Some(process) = self.process() {
            kill_process(process, Signal::KILL).unwrap();
        }
        fs::write(self.folder.path().join("go"), "").unwrap();
        let _ = child.wait();
        within("it is gone", || self.process().is_none());
        sleep(Duration::from_millis(300));
    }

    fn run(&self) -> (i32, Value) {
        let output = self
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(["run", &self.plan, "--json"])
            .output()
            .unwrap();
        let said = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output.status.code().unwrap_or(-1), said)
    }
}

#[test]
fn killed_before_the_mail_left_it_is_sent_once_afterwards() {
    let post = Post::new("rcpt");
    post.kill();
    assert_eq!(post.mails(), 0);
    let (code, said) = post.run();
    assert_eq!((code, &said["state"]), (0, &json!("completed")), "{said}");
    assert_eq!(post.mails(), 1);
}

#[test]
fn killed_while_or_after_the_mail_left_it_is_unknown_and_never_sent_again() {
    for (phase, received) in [("data", 0), ("data_end", 1)] {
        let post = Post::new(phase);
        post.kill();
        assert_eq!(post.mails(), received, "{phase}");
        // First it is settled as unknown; then its approval is spent.
        for expected in [14, 12] {
            let (code, said) = post.run();
            assert_eq!(code, expected, "{phase}: {said}");
            assert_eq!(post.mails(), received, "{phase}: sent again");
        }
        let status = post.gated.json(&["status", &post.plan, "--json"], 0);
        assert!(status.to_string().contains("unknown"), "{phase}: {status}");
        // Whoever looked into the mailbox says what they saw; nothing is sent for it.
        let run = status["run_id"].as_str().unwrap();
        let (word, code) = if received == 1 { ("--happened", 0) } else { ("--not", 13) };
        let hash = post.gated.hash(&post.plan);
        let args = ["resolve", run, word, "--hash", &hash, "--json"];
        let output = post.command(env!("CARGO_BIN_EXE_exacta")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{phase}: {output:?}");
        assert_eq!(post.mails(), received, "{phase}");
    }
}

#[test]
fn killed_after_the_server_took_it_it_is_not_sent_again() {
    let post = Post::new("quit");
    post.kill();
    assert_eq!(post.mails(), 1);
    let (code, said) = post.run();
    assert!([0, 12, 14].contains(&code), "{code} {said}");
    assert_eq!(post.mails(), 1);
}
