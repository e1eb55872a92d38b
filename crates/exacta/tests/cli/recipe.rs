//! The recipes from intent to outcome, against servers on loopback.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::gated::Gated;

/// Serves the files of a folder over TLS; what is not there is a 404.
const SITE: &str = r#"
import http.server, json, ssl, sys
folder, port, cert, key = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def __init__(self, *args): super().__init__(*args, directory=folder)
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with open(folder + ".posts", "a") as posts:
            posts.write(json.dumps({"path": self.path, "body": body.decode(), "signature": self.headers["x-exacta-signature"]}) + "\n")
        self.send_response(204)
        self.end_headers()
    def log_message(self, *args): open(folder + ".log", "a").write(self.path + "\n")
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"#;

/// A world of a site, a mail server, and a project that may use them.
pub(crate) struct World {
    pub(crate) gated: Gated,
    pub(crate) folder: TempDir,
    servers: Vec<Child>,
}

impl Drop for World {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(port: u16) {
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("no server at {port}");
}

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl World {
    pub(crate) fn new(policy: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let hosts = ["site.example".to_owned(), "mail.example".to_owned()];
        let made = rcgen::generate_simple_self_signed(hosts).unwrap();
        let (cert, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        fs::write(&cert, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let (site, mail) = (free_port(), free_port());
        fs::create_dir(folder.path().join("site")).unwrap();
        let servers = vec![
            quiet(
                Command::new("/usr/bin/python3")
                    .args(["-c", SITE])
                    .arg(folder.path().join("site"))
                    .arg(site.to_string())
                    .args([&cert, &key]),
            ),
            quiet(
                Command::new("/usr/bin/aiosmtpd")
                    .args(["-n", "-l", &format!("127.0.0.1:{mail}"), "--tlscert"])
                    .arg(&cert)
                    .arg("--tlskey")
                    .arg(&key)
                    .args(["-c", "aiosmtpd.handlers.Mailbox"])
                    .arg(folder.path().join("box")),
            ),
        ];
        let loopback = json!({
            "hosts": {"site.example": format!("127.0.0.1:{site}"), "mail.example": format!("127.0.0.1:{mail}")},
            "roots": made.cert.pem(),
        });
        fs::write(folder.path().join("loopback.json"), loopback.to_string()).unwrap();
        let gated = Gated::of(&[("README.md", "# x\n")], policy);
        let world = Self { gated, folder, servers };
        wait_for(site);
        wait_for(mail);
        world
    }

    pub(crate) fn page(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("site").join(name), text).unwrap();
    }

    /// The program, with the servers of this world.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.gated.command(env!("CARGO_BIN_EXE_exacta"));
        command
            .env("EXACTA_TEST_LOOPBACK", self.folder.path().join("loopback.json"))
            .env("HOOK_SECRET", "what both know")
            // Nothing listens there: whoever asked a proxy would fail.
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("ALL_PROXY", "http://127.0.0.1:9")
            .args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str], code: i32) -> Value {
        let output = self.command(args).output().unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
        serde_json::from_str(&out).unwrap_or(Value::Null)
    }

    pub(crate) fn mails(&self) -> Vec<String> {
        fs::read_dir(self.folder.path().join("box/new"))
            .map(|list| {
                list.map(|one| mail_text(&fs::read(one.unwrap().path()).unwrap())).collect()
            })
            .unwrap_or_default()
    }

    fn outbox(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.gated.project.path().join(".exacta/outbox"))
            .map(|list| list.map(|one| one.unwrap().file_name().into_string().unwrap()).collect())
            .unwrap_or_default();
        names.sort();
        names
    }
}

/// What a reader of the mail sees.
fn mail_text(mail: &[u8]) -> String {
    let mail = mail_parser::MessageParser::default().parse(mail).unwrap();
    mail.body_text(0).unwrap().into_owned()
}

pub(crate) const POLICY: &str = r#"version = 1
decide = "hash"
profile = "balanced"
allowed_domains = ["site.example"]
allowed_recipients = ["you@corp.example"]
unasked_primitives = ["TriageEmail", "WriteOutcomeDraft"]
[tools.mail]
send = true
server = "mail.example"
from = "me@corp.example"
[tools.notify]
terminal = false
mail = "me@corp.example"
"#;

/// The output of a step of a run.
fn output<'a>(told: &'a Value, step: &str) -> &'a Value {
    let rows = told["run"]["results"].as_array().unwrap();
    &rows.iter().find(|row| row["step_id"] == step).unwrap_or_else(|| panic!("{told}"))["output"]
}

#[test]
fn website_monitor_mails_its_owner_when_the_page_changes_and_only_then() {
    let world = World::new(POLICY);
    let watch = || {
        world.run(
            &[
                "recipe",
                "run",
                "WebsiteMonitor",
                "--intent",
                "watch https://site.example/p.html",
                "--selector",
                ".price",
                "--json",
            ],
            0,
        )
    };
    world.page("p.html", "<p>1 visitor</p><p class=price>Price 5</p>");
    let first = watch();
    assert_eq!(
        (&first["state"], &first["run"]["state"]),
        (&json!("auto_approved"), &json!("completed"))
    );
    assert_eq!(output(&first, "step_1")["first"], true);
    world.page("p.html", "<p>2 visitors</p><p class=price>Price 5</p>");
    assert_eq!(output(&watch(), "step_1")["changed"], false);
    assert!(world.mails().is_empty());
    world.page("p.html", "<p>3 visitors</p><p class=price>Sold out today</p>");
    let changed = watch();
    assert_eq!(output(&changed, "step_2")["ways"], json!(["mail"]));
    let mails = world.mails();
    assert_eq!(mails.len(), 1);
    assert!(
        mails[0].contains("+ Sold out today") && mails[0].contains("- Price 5"),
        "{}",
        mails[0]
    );
    assert_eq!(output(&watch(), "step_1")["changed"], false);
    assert_eq!(world.mails().len(), 1);
    let verified = world.gated.json(&["verify", "--json"], 0);
    assert_eq!(verified["ok"], true);
}

/// Asks for a page through the proxy that the environment names.
const FETCH: &str = r#"
import os, socket, ssl, sys
from urllib.parse import urlsplit
proxy = urlsplit(os.environ["HTTPS_PROXY"])
for host in sys.argv[1:]:
    s = socket.create_connection((proxy.hostname, proxy.port))
    s.sendall(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
    answer = s.recv(400).decode()
    if " 200 " not in answer:
        print("refused", host)
        continue
    context = ssl._create_unverified_context()
    s = context.wrap_socket(s, server_hostname=host)
    s.sendall(f"GET /p.html HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
    page = b"".join(iter(lambda: s.recv(4096), b""))
    print("page of", host, page.split(b"\r\n\r\n", 1)[1].decode())
try:
    socket.create_connection(("127.0.0.1", int(os.environ["ROOM"])), 2)
    print("reached this machine")
except OSError:
    print("this machine is out of reach")
"#;

#[test]
fn a_captured_command_reaches_the_hosts_that_were_named() {
    let world = World::new(POLICY);
    world.page("p.html", "the page");
    let room = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = room.local_addr().unwrap().port();
    let mut command = world.gated.command(env!("CARGO_BIN_EXE_exacta"));
    let output = command
        .env("EXACTA_TEST_LOOPBACK", world.folder.path().join("loopback.json"))
        .args(["capture", "--host", "site.example", "--env", &format!("ROOM={port}"), "--"])
        .args(["/usr/bin/python3", "-c", FETCH, "site.example", "other.example"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for line in [
        "page of site.example the page",
        "refused other.example",
        "this machine is out of reach",
        "not reached: `other.example:443`",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn inbox_triage_reads_the_mail_and_asks_with_it_in_view() {
    let world = World::new(POLICY);
    let mail = world.gated.home().join("in.eml");
    fs::write(
        &mail,
        "From: Ann <ann@corp.example>\nSubject: Urgent: budget\nMessage-ID: <1@x>\n\nWhen?\n",
    )
    .unwrap();
    let told = world.run(
        &[
            "recipe",
            "run",
            "InboxTriage",
            "--intent",
            "sort my mail",
            "--inbox",
            mail.to_str().unwrap(),
            "--json",
        ],
        11,
    );
    let question = question(&told, "TriageEmail");
    assert_eq!(question["args"]["letters"][0]["sender"], "ann@corp.example");
    assert!(world.outbox().is_empty());

    // Decided without a terminal: by the hash of the plan and of the arguments that were seen.
    let text = |name: &str| told["run"][name].as_str().unwrap().to_owned();
    let (run, plan) = (text("run_id"), text("plan_id"));
    let (hash, arguments) = (world.gated.hash(&plan), question["arguments"].as_str().unwrap());
    let other = "0".repeat(64);
    world.run(&["step", &run, "--yes", "--json"], 11);
    world.run(&["step", &run, "--yes", "--hash", &hash, "--json"], 2);
    world.run(&["step", &run, "--yes", "--hash", &other, "--arguments", arguments, "--json"], 12);
    world.run(&["step", &run, "--yes", "--hash", &hash, "--arguments", &other, "--json"], 12);
    world.run(&["step", &run, "step_9", "--yes", "--hash", &hash, "--json"], 12);
    let yes = ["step", &run, "--yes", "--hash", &hash, "--arguments", arguments, "--json"];
    let said = world.run(&yes, 0);
    assert_eq!((&said["approved"], &said["waiting"]), (&json!(true), &json!([])));
    assert!(world.outbox().is_empty(), "a decision runs nothing");
    world.run(&yes, 12);
    let ran = world.run(&["run", &plan, "--json"], 0);
    assert_eq!(ran["state"], "completed", "{ran}");
    assert_eq!(world.outbox().len(), 1);
}

#[test]
fn a_step_that_is_refused_does_not_act() {
    let world = World::new(POLICY);
    world.page("feed.xml", "<rss version='2.0'><channel><title>News</title></channel></rss>");
    let told = world.run(
        &["recipe", "run", "DailyBrief", "--intent", "https://site.example/feed.xml", "--json"],
        11,
    );
    let asked = question(&told, "WriteOutcomeDraft");
    let text = |name: &str| told["run"][name].as_str().unwrap().to_owned();
    let (run, plan) = (text("run_id"), text("plan_id"));
    let (hash, arguments) = (world.gated.hash(&plan), asked["arguments"].as_str().unwrap());
    let said = world.run(
        &[
            "step",
            &run,
            "--no",
            "--reason",
            "not today",
            "--hash",
            &hash,
            "--arguments",
            arguments,
            "--json",
        ],
        0,
    );
    assert_eq!(said["approved"], false);
    let output = world.command(&["run", &plan, "--json"]).output().unwrap();
    assert_ne!(output.status.code(), Some(11), "{output:?}");
    assert!(world.outbox().is_empty());
}

#[test]
fn daily_brief_sums_up_its_sources_and_asks_with_the_text_in_view() {
    let world = World::new(POLICY);
    world.page("feed.xml", "<rss version='2.0'><channel><title>News</title><item><title>One thing</title><link>https://site.example/1</link><guid>1</guid></item></channel></rss>");
    let told = world.run(
        &[
            "recipe",
            "run",
            "DailyBrief",
            "--intent",
            "https://site.example/feed.xml and https://site.example/gone",
            "--json",
        ],
        11,
    );
    let asked = question(&told, "WriteOutcomeDraft");
    let brief = asked["args"].to_string();
    assert!(
        brief.contains("- One thing (https://site.example/1; from https://site.example/feed.xml)"),
        "{brief}"
    );
    assert!(brief.contains("Could not be read: https://site.example/gone"), "{brief}");
    assert!(world.outbox().is_empty());
}

/// A draft that earlier steps fill in asks when its turn comes, with what it would write.
fn question(told: &Value, tool: &str) -> Value {
    assert_eq!(told["run"]["state"], "waiting", "{told}");
    let asks = told["run"]["asks"].as_array().unwrap();
    assert_eq!(asks.len(), 1, "{told}");
    assert_eq!(asks[0]["tool"], tool);
    asks[0].clone()
}

#[test]
fn recipes_are_listed_planned_and_bounded() {
    let gated = Gated::of(&[("README.md", "# x\n")], "version = 1\n");
    let list = gated.json(&["recipe", "list", "--json"], 0);
    let names: Vec<&str> = list["recipes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["WebsiteMonitor", "InboxTriage", "DailyBrief", "Custom"]);
    let plan = gated
        .json(&["recipe", "plan", "WebsiteMonitor", "--intent", "watch https://a.example/"], 0);
    assert_eq!(plan["recipe"], "WebsiteMonitor");
    for args in [
        &["recipe", "plan", "WebsiteMonitor", "--intent", "watch the news"][..],
        &["recipe", "plan", "Nothing", "--intent", "x"],
        &["recipe", "plan", "Custom", "--intent", "x"],
        &["recipe", "overlay", "set", "sources", "11"],
        &["recipe", "overlay", "set", "allowed_primitives", "SendEmail"],
    ] {
        assert_eq!(gated.exacta(args).code, 2, "{args:?}");
    }
    gated.json(&["recipe", "overlay", "set", "sensitivity", "0.9", "--json"], 0);
    let plan = gated
        .json(&["recipe", "plan", "WebsiteMonitor", "--intent", "watch https://a.example/"], 0);
    assert_eq!(plan["steps"][0]["tool"]["args"]["sensitivity_percent"], 90);
    let reset = gated.json(&["recipe", "overlay", "reset", "--json"], 0);
    assert_eq!(reset["settings"][0]["value"], "0.5");
}

#[test]
fn a_custom_plan_keeps_the_rules_whatever_it_says() {
    let gated = Gated::of(
        &[("README.md", "# x\n")],
        "version = 1\nprofile = \"conservative\"\nallowed_domains = [\"a.example\"]\nprimitives = [\"ReadWeb\", \"ReadVaultFile\", \"NotifyUser\"]\n",
    );
    let hand_in = |plan: &Value| {
        let path = gated.home().join("plan.json");
        fs::write(&path, plan.to_string()).unwrap();
        gated.exacta(&[
            "recipe",
            "run",
            "--plan",
            path.to_str().unwrap(),
            "--intent",
            "read https://a.example/",
            "--no-run",
            "--json",
        ])
    };
    let read = |url: &str| json!({"step_id": "step_1", "title": "Read", "tool": {"name": "ReadWeb", "args": {"url": url}}});
    let fine = hand_in(&json!({"steps": [read("https://a.example/")]}));
    assert_eq!(fine.code, 0, "{}{}", fine.out, fine.err);
    // Not named by the user: only a `Custom` plan minds.
    let other = hand_in(&json!({"steps": [read("https://a.example/other")]}));
    assert_eq!((other.code, other.codes()), (10, vec!["PLAN_TOOL_NOT_ALLOWED".to_owned()]));
    let vault = hand_in(
        &json!({"steps": [{"step_id": "step_1", "title": "Vault", "tool": {"name": "ReadVaultFile", "args": {"path": "a"}}}]}),
    );
    assert_eq!(vault.code, 10, "{}", vault.out);
    let claims = hand_in(&json!({"recipe": "DailyBrief", "steps": [read("https://a.example/")]}));
    assert_eq!(claims.code, 2, "{}", claims.out);
}

#[test]
fn only_builds_for_tests_know_servers_on_loopback() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            "exacta",
            "-e",
            "features,no-dev",
            "--prefix",
            "none",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(tree.contains("exacta-tools"), "{tree}");
    assert!(!tree.contains("loopback"), "{tree}");
}
