//! `requirements.txt` and single Python requirements.

use super::model::{Dependency, Manifest};

/// Reads a list of requirements; every text is one.
pub(super) fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut lines = text.lines().enumerate();
    while let Some((number, first)) = lines.next() {
        let mut whole = first.trim_end().to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            let Some((_, next)) = lines.next() else { break };
            whole.push_str(next.trim());
        }
        let whole = whole.split(" #").next().unwrap_or_default().trim().to_owned();
        if whole.is_empty() || whole.starts_with('#') {
            continue;
        }
        if whole.starts_with('-') {
            option(&whole, number, &mut manifest);
        } else {
            require(whole.split(" --").next().unwrap_or(&whole), Some(number), &mut manifest);
        }
    }
    manifest
}

fn option(line: &str, number: usize, manifest: &mut Manifest) {
    let (name, value) = line.split_once([' ', '=']).unwrap_or((line, ""));
    let value = value.trim();
    match name {
        "-e" | "--editable" => {
            let dependency = Dependency {
                source: value.to_owned(),
                line: Some(number),
                ..Dependency::default()
            };
            let name = value.rsplit("#egg=").next().unwrap_or(value);
            manifest.require(&normal(name), dependency);
        }
        "-i" | "--index-url" | "--extra-index-url" | "-f" | "--find-links" | "--trusted-host"
        | "--no-index" => {
            manifest.fetch_from(&format!("{name} {value}"), value, Some(number));
        }
        "-r" | "--requirement" | "-c" | "--constraint" => {
            let dependency =
                Dependency { source: String::new(), line: Some(number), ..Dependency::default() };
            manifest.require(&format!("{name} {value}"), dependency);
        }
        _ => {}
    }
}

/// One requirement: `name[extra] >= 1; marker` or `name @ address`.
pub(super) fn require(text: &str, line: Option<usize>, manifest: &mut Manifest) {
    let text = text.trim();
    if text.contains("://") && !text.contains('@')
        || text.starts_with("git+")
        || text.starts_with("./")
    {
        let name = text.rsplit("#egg=").next().unwrap_or(text);
        manifest.require(
            &normal(name),
            Dependency { source: text.to_owned(), line, ..Dependency::default() },
        );
        return;
    }
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    if name.is_empty() {
        return;
    }
    let rest = rest.split(';').next().unwrap_or_default().trim();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest).trim(),
        None => rest,
    };
    let dependency = match rest.strip_prefix('@') {
        Some(address) => {
            Dependency { source: address.trim().to_owned(), line, ..Dependency::default() }
        }
        None => Dependency { version: rest.to_owned(), line, ..Dependency::default() },
    };
    manifest.require(&normal(name), dependency);
}

/// Python takes `A_b.c` and `a-b-c` for one name.
pub(super) fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '-' | '_' | '.') {
            if !out.ends_with('-') {
                out.push('-');
            }
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}
