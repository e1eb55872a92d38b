//! Reads over HTTP: the server's answers beside a bare axum route with the same payload.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::measure::Row;

/// At least half of what the bare route answers.
const BOUND: f64 = 2.0;
/// So many callers, each with a token of its own: the server limits each of them.
const CALLERS: usize = 16;
/// So many requests of each caller in a round; all rounds fit into what a caller may ask at once.
const REQUESTS: usize = 150;
const ROUNDS: usize = 5;
/// What is read.
const PATH: &str = "/api/v1/plans?limit=20";

/// A server that ends with the bench.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where to ask, and as whom.
struct Place {
    at: SocketAddr,
    tokens: Vec<String>,
}

pub(crate) fn rows(exacta: &Path) -> Result<Vec<Row>, String> {
    let folder = TempDir::new().map_err(text)?;
    let (_server, ours) = serve(exacta, folder.path())?;
    let first = ours.tokens.first().ok_or("no token")?;
    for number in 0..20 {
        propose(&ours, first, number)?;
    }
    let payload = Client::open(&ours, 0)?.ask(PATH)?;
    let (runtime, bare) = bare(payload)?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        a.push(round(&ours)?);
        b.push(round(&bare)?);
    }
    drop(runtime);
    // The best round of each: everything else is somebody else's noise.
    let per_second = |times: &[Duration]| {
        let best = times.iter().min().copied().unwrap_or(Duration::MAX);
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let count = (CALLERS * REQUESTS) as f64;
        count / best.as_secs_f64()
    };
    let (ours, peer) = (per_second(&a), per_second(&b));
    Ok(vec![Row {
        name: "reads alone, beside a bare axum route with the same payload".into(),
        ours,
        peer,
        unit: "1/s",
        paired: Some(peer / ours),
        bound: BOUND,
    }])
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn serve(exacta: &Path, folder: &Path) -> Result<(Serving, Place), String> {
    let (project, home) = (folder.join("project"), folder.join("home"));
    fs::create_dir_all(&project).map_err(text)?;
    let config = home.join(".config/exacta");
    fs::create_dir_all(&config).map_err(text)?;
    let mut proposers = String::new();
    for number in 0..CALLERS {
        let named = "provider = \"x\"\nmodel = \"m\"\nclass = \"LOCAL_ONLY\"";
        // Writing to a string cannot fail.
        let _ = writeln!(proposers, "[proposers.p{number}]\n{named}");
    }
    fs::write(config.join("policy.toml"), format!("version = 1\n{proposers}")).map_err(text)?;
    let exacta = fs::canonicalize(exacta).map_err(text)?;
    let mut child = Command::new(exacta)
        .args(["serve", "--json"])
        .current_dir(&project)
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(text)?;
    let mut line = String::new();
    let stdout = child.stdout.take().ok_or("no output")?;
    let serving = Serving(child);
    BufReader::new(stdout).read_line(&mut line).map_err(text)?;
    let said: Value = serde_json::from_str(&line).map_err(text)?;
    let port = said.get("api_url").and_then(Value::as_str).and_then(|url| url.rsplit(':').next());
    let port: u16 = port.and_then(|port| port.parse().ok()).ok_or("no port")?;
    let files = said.pointer("/projects/0/agent_token_files").and_then(Value::as_array);
    let tokens = files
        .into_iter()
        .flatten()
        .filter(|file| file.get("proposer").is_some_and(Value::is_string))
        .filter_map(|file| fs::read_to_string(file.get("file")?.as_str()?).ok())
        .map(|token| token.trim().to_owned())
        .collect();
    Ok((serving, Place { at: SocketAddr::from((Ipv4Addr::LOCALHOST, port)), tokens }))
}

/// A route that gives the same bytes and does nothing else.
fn bare(payload: Vec<u8>) -> Result<(tokio::runtime::Runtime, Place), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = runtime.block_on(tokio::net::TcpListener::bind(here)).map_err(text)?;
    let at = listener.local_addr().map_err(text)?;
    let app = axum::Router::new().route(
        "/api/v1/plans",
        axum::routing::get(move || {
            let payload = payload.clone();
            async move { ([("content-type", "application/json")], payload) }
        }),
    );
    runtime.spawn(async move { axum::serve(listener, app).await });
    Ok((runtime, Place { at, tokens: vec!["none".into(); CALLERS] }))
}

fn propose(place: &Place, token: &str, number: usize) -> Result<(), String> {
    let name = format!("f{number}.txt");
    let draft = json!({"draft": {"goal": name, "steps": [{
        "step_id": "step_1", "title": name, "type": "file_create", "target": name,
        "content": "x\n", "requires_approval": true}]}});
    let body = draft.to_string();
    let mut stream = TcpStream::connect(place.at).map_err(text)?;
    write!(
        stream,
        "POST /api/v1/plans/draft HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        place.at,
        body.len()
    )
    .map_err(text)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(text)?;
    if answer.starts_with("HTTP/1.1 201") { Ok(()) } else { Err(answer) }
}

/// One connection that asks again and again.
struct Client {
    reader: BufReader<TcpStream>,
    head: String,
}

impl Client {
    fn open(place: &Place, caller: usize) -> Result<Self, String> {
        let stream = TcpStream::connect(place.at).map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        let token = place.tokens.get(caller).ok_or("too few tokens")?;
        let head = format!("Host: {}\r\nAuthorization: Bearer {token}\r\n\r\n", place.at);
        Ok(Self { reader: BufReader::new(stream), head })
    }

    fn ask(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let request = format!("GET {path} HTTP/1.1\r\n{}", self.head);
        self.reader.get_mut().write_all(request.as_bytes()).map_err(text)?;
        let (mut line, mut length) = (String::new(), 0);
        self.reader.read_line(&mut line).map_err(text)?;
        if !line.starts_with("HTTP/1.1 200") {
            return Err(format!("answered {line}"));
        }
        loop {
            line.clear();
            self.reader.read_line(&mut line).map_err(text)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(text)?;
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).map_err(text)?;
        Ok(body)
    }
}

/// Every caller asks its share, side by side.
fn round(place: &Place) -> Result<Duration, String> {
    let clients = (0..CALLERS).map(|caller| Client::open(place, caller));
    let clients = clients.collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    std::thread::scope(|scope| {
        let asking: Vec<_> = clients
            .into_iter()
            .map(|mut client| {
                scope.spawn(move || (0..REQUESTS).try_for_each(|_| client.ask(PATH).map(drop)))
            })
            .collect();
        asking.into_iter().try_for_each(|one| one.join().map_err(|_| "a client broke off")?)
    })?;
    Ok(began.elapsed())
}
