//! `exacta serve` as a process: one truth with the command line, sessions, stops and starts.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const EXACTA: &str = env!("CARGO_BIN_EXE_exacta");

struct Place {
    project: TempDir,
    home: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { project: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        fs::write(place.project.path().join("a.txt"), "one\n").unwrap();
        place
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .stdin(Stdio::null());
        command
    }

    fn exacta(&self, args: &[&str]) -> Output {
        self.command(EXACTA).args(args).output().unwrap()
    }

    fn serve(&self) -> Server {
        let mut child = self
            .command(EXACTA)
            .args(["serve", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let token = fs::read_to_string(said["agent_token_file"].as_str().unwrap()).unwrap();
        Server { child, said, token: token.trim().to_owned() }
    }

    fn state_of(&self, plan: &str) -> String {
        let listed = self.exacta(&["list", "--json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let found = listed.as_array().unwrap().iter().find(|row| row["plan_id"] == plan);
        found.map_or_else(String::new, |row| row["state"].as_str().unwrap().to_owned())
    }

    fn pending(&self) -> Vec<String> {
        let listed = self.exacta(&["list", "--json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let pending = listed.as_array().unwrap().iter().filter(|row| row["state"] == "pending");
        pending.map(|row| row["plan_id"].as_str().unwrap().to_owned()).collect()
    }
}

struct Server {
    child: Child,
    said: Value,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn port(&self) -> u16 {
        let url = self.said["api_url"].as_str().unwrap();
        url.rsplit(':').next().unwrap().parse().unwrap()
    }

    /// One request over a socket; gives the status, the head and the body.
    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let host = format!("127.0.0.1:{}", self.port());
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            write!(text, "Host: {host}\r\n").unwrap();
        }
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        write!(text, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_owned(), body.to_owned())
    }

    fn agent(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let token = format!("Bearer {}", self.token);
        let headers = [("Authorization", token.as_str()), ("Content-Type", "application/json")];
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let (status, _, body) = self.send(method, path, &headers, &text);
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    fn propose(&self, target: &str) -> Value {
        let draft = json!({
            "goal": "Change the text",
            "steps": [{"step_id": "step_1", "title": format!("Change {target}"),
                "type": "file_modify", "target": target, "content": "two\n"}],
        });
        let (status, plan) = self.agent("POST", "/api/v1/plans/draft", &json!({"draft": draft}));
        assert_eq!(status, 201, "{plan}");
        plan
    }

    fn stop(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let began = Instant::now();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

fn within(longest: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < longest {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn one_server_a_project_and_one_truth_with_the_command_line() {
    let place = Place::new();
    let server = place.serve();
    let url = server.said["url"].as_str().unwrap();
    assert!(url.starts_with("http://") && url.contains(".localhost:"), "{url}");
    let token_file = server.said["agent_token_file"].as_str().unwrap();
    assert!(Path::new(token_file).starts_with(place.home.path()));
    assert!(!server.said.to_string().contains("sign-in"));
    let second = place.exacta(&["serve"]);
    assert_eq!(second.status.code(), Some(10));

    let plan = server.propose("a.txt");
    let id = plan["plan_id"].as_str().unwrap();
    assert_eq!(place.state_of(id), "pending");
    // What the command line decides, the server shows.
    fs::write(place.project.path().join("b.txt"), "one\n").unwrap();
    let other = server.propose("b.txt");
    fs::write(place.project.path().join("b.txt"), "edited\n").unwrap();
    let other_id = other["plan_id"].as_str().unwrap();
    let expired = within(Duration::from_secs(10), || {
        let (_, plan) =
            server.agent("GET", &format!("/api/v1/plans/{other_id}/events"), &Value::Null);
        plan.as_array().unwrap().iter().any(|event| event["event"] == "plan_expired")
    });
    assert!(expired, "an edited target is recorded as an expiry while the server watches");
    assert_eq!(place.state_of(id), "pending");
    server.stop();
}

#[test]
fn plans_that_waited_wait_again_after_a_stop_and_after_a_kill() {
    let place = Place::new();
    let server = place.serve();
    let plan = server.propose("a.txt");
    let first = plan["plan_id"].as_str().unwrap().to_owned();
    server.stop();
    let server = place.serve();
    let fresh = place.pending();
    assert_eq!(fresh.len(), 1);
    assert_ne!(fresh[0], first);
    assert_eq!(place.state_of(&first), "expired");
    // The fresh one is still its proposer's.
    let (status, seen) = server.agent("GET", &format!("/api/v1/plans/{}", fresh[0]), &Value::Null);
    assert_eq!((status, &seen["plan_hash"]), (200, &plan["plan_hash"]));
    drop(server); // as `kill -9` does
    let server = place.serve();
    assert_eq!(place.pending().len(), 1);
    // What changed meanwhile is not made anew.
    server.stop();
    fs::write(place.project.path().join("a.txt"), "edited\n").unwrap();
    let server = place.serve();
    assert_eq!(place.pending(), Vec::<String>::new());
    server.stop();
    assert_eq!(place.exacta(&["verify"]).status.code(), Some(0));
}

#[test]
fn a_person_signs_in_with_a_link_from_the_terminal_decides_and_it_runs() {
    let place = Place::new();
    let server = place.serve();
    let plan = server.propose("a.txt");
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    // Without a terminal there is no link.
    let blind = place.command("setsid").args(["-w", EXACTA, "review", "--web"]).output().unwrap();
    assert_eq!(blind.status.code(), Some(11), "{blind:?}");
    let mut screen = place
        .command("script")
        .args(["-qec", &format!("{EXACTA} review --web"), "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = screen.stdin.take().unwrap();
    let typing = std::thread::spawn(move || {
        for _ in 0..60 {
            std::thread::sleep(Duration::from_millis(500));
            if keys.write_all(b"yes\n").is_err() {
                return;
            }
        }
    });
    let mut shown = String::new();
    screen.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    screen.wait().unwrap();
    typing.join().unwrap();
    let url = server.said["url"].as_str().unwrap();
    let start = shown.find(&format!("{url}/sign-in/")).unwrap_or_else(|| panic!("{shown}"));
    let link: String = shown
        .chars()
        .skip(shown.get(..start).unwrap().chars().count())
        .take_while(|c| !c.is_whitespace())
        .collect();
    let secret = link.rsplit('/').next().unwrap();
    let host = url.strip_prefix("http://").unwrap();
    let form = "application/x-www-form-urlencoded";
    let headers = [("Host", host), ("Origin", url), ("Content-Type", form)];
    let (status, head, _) = server.send("POST", "/sign-in", &headers, &format!("link={secret}"));
    assert_eq!(status, 303, "{head}");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let (status, _, _) = server.send("POST", "/sign-in", &headers, &format!("link={secret}"));
    assert_eq!(status, 401, "a link is good once");
    let headers =
        [("Host", host), ("Origin", url), ("Cookie", cookie), ("Content-Type", "application/json")];
    let body = json!({"plan_hash": hash}).to_string();
    let (status, _, body) =
        server.send("POST", &format!("/api/v1/plans/{id}/approve"), &headers, &body);
    assert_eq!(status, 200, "{body}");
    assert_eq!(place.state_of(id), "user_approved");
    assert_eq!(fs::read_to_string(place.project.path().join("a.txt")).unwrap(), "one\n");
    let (status, run) =
        server.agent("POST", "/api/v1/runs", &json!({"plan_id": id, "plan_hash": hash}));
    assert_eq!(status, 202, "{run}");
    let done = || fs::read_to_string(place.project.path().join("a.txt")).unwrap() == "two\n";
    assert!(within(Duration::from_secs(20), done));
    let log = place.exacta(&["log", "--json"]);
    assert!(String::from_utf8_lossy(&log.stdout).contains("\"assurance\":\"signed_in\""));
    server.stop();
    assert_eq!(place.exacta(&["verify"]).status.code(), Some(0));
}

/// Sends bytes as they are; gives every status that comes back, and whether the server closed.
fn raw(server: &Server, bytes: &[u8]) -> (Vec<u16>, bool) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // Whoever is refused early may not read all of it.
    let _ = stream.write_all(bytes);
    let (mut answer, mut chunk) = (Vec::new(), [0_u8; 4096]);
    let closed = loop {
        match stream.read(&mut chunk) {
            Ok(0) => break true,
            Ok(count) => answer.extend_from_slice(&chunk[..count]),
            Err(error) => break error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    };
    let text = String::from_utf8_lossy(&answer).into_owned();
    let statuses =
        text.split("HTTP/1.1 ").skip(1).map(|rest| rest.get(..3).unwrap().parse().unwrap());
    (statuses.collect(), closed)
}

#[test]
fn what_two_readers_could_read_differently_is_refused_and_slow_clients_are_let_go() {
    let place = Place::new();
    let server = place.serve();
    let host = server.said["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let token = &server.token;
    let inside = format!("GET /api/v1/plans HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let post = |headers: &str, body: &str| {
        format!(
            "POST /api/v1/plans/check HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\n{headers}\r\n\r\n{body}"
        )
    };
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
    };
    let refused = [
        post("Content-Length: 6\r\nTransfer-Encoding: chunked", &format!("0\r\n\r\n{inside}")),
        post("Transfer-Encoding: xchunked\r\nContent-Length: 2", "{}"),
        post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"),
        post("Transfer-Encoding : chunked\r\nContent-Length: 2", "{}"),
        post("Content-Length: 2\r\nContent-Length: 40", &format!("{{}}{inside}")),
        post("Content-Length: +2", "{}"),
        post("Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFFF\r\n"),
        get("/healthz", "X: a\r\n folded\r\n"),
        get("/healthz", "X: a\rb\r\n"),
        get("/healthz", "X: a\0b\r\n"),
        get("/healthz", &format!("X: {}\r\n", "a".repeat(65_536))),
        get("/healthz", &"X: a\r\n".repeat(10_000)),
        get(&format!("/{}", "a".repeat(70_000)), ""),
        get("/api//v1/plans", ""),
        get("/api/v1/plans/%2e%2e/", ""),
        get("/api/v1/../v1/plans", ""),
        get("/api/v1/plans/%00", ""),
        get("/assets/x/%2e%2e%2f%2e%2e%2fetc%2fpasswd", ""),
        get(&format!("/api/v1/plans?token={token}"), ""),
        get(&format!("/api/v1/events?access_token={token}"), ""),
        get(
            "/api/v1/plans",
            &format!("Authorization: Bearer {token}\r\nCF-Connecting-IP: ::1\r\n"),
        ),
        get("/api/v1/plans", &format!("Authorization: Bearer {token}\r\nX-Original-URL: /\r\n")),
        get("/api/v1/plans/x/approve", "X-HTTP-Method-Override: POST\r\n"),
        "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n"
            .into(),
        format!("GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".into(),
        "GET / HTTP/1.0\r\n\r\n".into(),
    ];
    for request in &refused {
        let (statuses, _) = raw(&server, request.as_bytes());
        let shown: String = request.chars().take(200).collect();
        assert!(statuses.len() <= 1, "one request is one request: {statuses:?} {shown}");
        assert!(statuses.iter().all(|status| (400..500).contains(status)), "{statuses:?} {shown}");
    }
    // Heads that never end hold nobody up, and are let go.
    let slow: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    let (status, _) = server.agent("GET", "/api/v1/plans", &Value::Null);
    assert_eq!(status, 200);
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(25))).unwrap();
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        assert!(
            ended.is_ok()
                || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset),
            "a slow client is let go"
        );
    }
    server.stop();
    assert_eq!(place.exacta(&["verify"]).status.code(), Some(0));
}

/// Checks take their time; whoever started the run knows it, sees it and stops it meanwhile.
#[test]
fn a_run_has_its_id_at_once_shows_its_checks_and_can_be_stopped_there() {
    let place = Place::new();
    let config = place.home.path().join(".config/exacta");
    fs::create_dir_all(&config).unwrap();
    let policy = "version = 1\nprofile = \"manual\"\n\
        decide = \"hash\"\n[checks.slow]\ncommand = [\"sleep\", \"60\"]\ntimeout_seconds = 120\n";
    fs::write(config.join("policy.toml"), policy).unwrap();
    let server = place.serve();
    let plan = server.propose("a.txt");
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    let approved = place.exacta(&["approve", id, "--hash", hash]);
    assert!(approved.status.success(), "{}", String::from_utf8_lossy(&approved.stderr));
    let asked = Instant::now();
    let body = json!({"plan_id": id, "plan_hash": hash});
    let (status, started) = server.agent("POST", "/api/v1/runs", &body);
    assert_eq!(status, 202, "{started}");
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    let run = started["run_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/runs/{run}");
    let shown = || server.agent("GET", &path, &Value::Null);
    let mut seen = Value::Null;
    let checking = within(Duration::from_secs(30), || {
        seen = shown().1;
        assert!(["starting", "checking"].contains(&seen["state"].as_str().unwrap()), "{seen}");
        seen["state"] == "checking"
    });
    assert!(checking, "{seen}");
    let listed = server.agent("GET", "/api/v1/runs", &Value::Null).1;
    assert_eq!(listed["items"][0]["run_id"], run.as_str(), "{listed}");
    // Asking again, with the same key or none, starts no other.
    let (status, again) = server.agent("POST", "/api/v1/runs", &body);
    assert_eq!((status, &again["run_id"]), (202, &started["run_id"]), "{again}");
    let wrong = json!({"plan_id": id, "plan_hash": "0".repeat(64)});
    assert_eq!(server.agent("POST", "/api/v1/runs", &wrong).0, 409);
    let (status, stopped) = server.agent("POST", &format!("{path}/cancel"), &Value::Null);
    assert_eq!(status, 202, "{stopped}");
    let over = within(Duration::from_secs(30), || {
        seen = shown().1;
        ["rolled_back", "not_started"].contains(&seen["state"].as_str().unwrap())
    });
    assert!(over && !seen["reason"].is_null(), "{seen}");
    assert_eq!(seen["run_id"], run.as_str());
    assert_eq!(fs::read_to_string(place.project.path().join("a.txt")).unwrap(), "one\n");
    let unknown = "/api/v1/runs/01a1f1df-0b22-7af3-8397-434b7fb8418c";
    assert_eq!(server.agent("GET", unknown, &Value::Null).0, 404);
}
