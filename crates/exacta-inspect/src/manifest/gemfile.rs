//! `Gemfile`.

use super::model::{Dependency, Manifest};

/// Reads `gem` and `source` lines; other lines that run commands are scripts, because a
/// Gemfile is a program.
pub(super) fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim();
        let line_number = Some(number);
        if line.starts_with('#') {
            continue;
        }
        let runs = line.contains('`')
            || ["system", "exec", "eval", "%x", "IO.popen", "spawn", "require_relative", "load "]
                .iter()
                .any(|word| line.contains(word));
        let quoted = strings(line);
        if (line.starts_with("gem ") || line.starts_with("gem("))
            && let Some(name) = quoted.first()
        {
            let version: Vec<&str> = quoted
                .iter()
                .skip(1)
                .copied()
                .filter(|text| {
                    text.starts_with(|c: char| c.is_ascii_digit() || "~><=!".contains(c))
                })
                .collect();
            let source =
                ["git:", "github:", "path:", "source:", ":git", ":github", ":path", "gitlab:"]
                    .iter()
                    .find_map(|key| {
                        line.split_once(key).map(|(_, rest)| {
                            format!(
                                "{} {}",
                                key.trim_matches(':'),
                                strings(rest).first().copied().unwrap_or_default()
                            )
                        })
                    })
                    .unwrap_or_default();
            manifest.require(
                name,
                Dependency { version: version.join(", "), source, line: line_number },
            );
        } else if line.starts_with("source")
            && let Some(address) = quoted.first()
        {
            manifest.fetch_from(&format!("source {address}"), *address, line_number);
        }
        if runs {
            manifest.run(line, line, line_number);
        }
    }
    manifest
}

/// The quoted parts of a line.
fn strings(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = rest.get(at..=at).unwrap_or("\"");
        let tail = rest.get(at + 1..).unwrap_or_default();
        let Some((inside, after)) = tail.split_once(quote) else { break };
        out.push(inside);
        rest = after;
    }
    out
}
