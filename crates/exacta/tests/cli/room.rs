//! `exacta serve` in a project, for tests that speak to it over a socket.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::gated::Gated;

/// A server that is stopped when nobody needs it any more.
pub(crate) struct Room {
    child: Child,
    pub(crate) said: Value,
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Room {
    pub(crate) fn open(gated: &Gated) -> Self {
        let mut child = gated
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(["serve", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, said: serde_json::from_str(&line).unwrap() }
    }

    pub(crate) fn port(&self) -> u16 {
        let url = self.said["api_url"].as_str().unwrap();
        url.rsplit(':').next().unwrap().parse().unwrap()
    }

    /// The token of a proposer, or of agents that policy does not register.
    pub(crate) fn token(&self, proposer: Option<&str>) -> String {
        let files = self.said["projects"][0]["agent_token_files"].as_array().unwrap();
        let file = files.iter().find(|file| file["proposer"].as_str() == proposer).unwrap();
        fs::read_to_string(file["file"].as_str().unwrap()).unwrap().trim().to_owned()
    }

    /// One request; gives the status, the head and the body.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            write!(text, "Host: 127.0.0.1:{}\r\n", self.port()).unwrap();
        }
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        write!(text, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        (status, head.to_owned(), if chunked { joined(body) } else { body.to_owned() })
    }
}

fn joined(mut chunks: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        let (chunk, after) = rest.split_at(size);
        whole.push_str(chunk);
        chunks = after.trim_start_matches("\r\n");
    }
    whole
}
