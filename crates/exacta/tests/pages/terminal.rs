//! A terminal with somebody at it who answers what a page says they answer.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a script at a terminal of its own. Each time `prompt` appears the next answer is
/// typed; gives everything that was on the screen.
pub(crate) fn run(
    script: &Path,
    folder: &Path,
    environment: &[(&str, String)],
    prompt: &str,
    answers: Vec<&str>,
) -> String {
    let line = format!("stty cols 0; exec timeout --foreground 60 sh '{}'", script.display());
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"])
        .current_dir(folder)
        .env_clear()
        .env("SHELL", "/bin/sh")
        .envs(environment.iter().map(|(name, value)| (*name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();
    let mut answers = answers.into_iter();
    let mut seen = Vec::new();
    let mut answered = 0;
    let mut buffer = [0_u8; 4096];
    loop {
        let count = screen.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        seen.extend_from_slice(&buffer[..count]);
        if seen.ends_with(prompt.as_bytes()) && seen.len() > answered {
            answered = seen.len();
            let answer = answers.next().unwrap_or("no");
            writeln!(keyboard, "{answer}").unwrap();
        }
    }
    drop(keyboard);
    child.wait().unwrap();
    let text = String::from_utf8(seen).unwrap().replace('\r', "");
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}
