//! `requirements.txt` and single Python requirements.

use super::model::{Dependency, Manifest};

/// What an option of a line does.
#[derive(Clone, Copy)]
enum Does {
    /// Names a place that packages come from, or how they are trusted.
    Fetch,
    /// Names another list.
    Include,
    /// Requires what lies at a place.
    Editable,
}

/// Options by their long and short names. Long ones may be cut short.
const OPTIONS: &[(&str, &str, Does)] = &[
    ("--index-url", "-i", Does::Fetch),
    ("--pypi-url", "", Does::Fetch),
    ("--extra-index-url", "", Does::Fetch),
    ("--find-links", "-f", Does::Fetch),
    ("--trusted-host", "", Does::Fetch),
    ("--no-index", "", Does::Fetch),
    ("--require-hashes", "", Does::Fetch),
    ("--requirement", "-r", Does::Include),
    ("--constraint", "-c", Does::Include),
    ("--editable", "-e", Does::Editable),
];

/// Reads a list of requirements.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest::default();
    let mut lines = text.lines().enumerate();
    while let Some((number, first)) = lines.next() {
        let mut whole = first.trim_end().to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            let Some((_, next)) = lines.next() else { break };
            whole.push(' ');
            whole.push_str(next.trim());
        }
        if !entry(&whole, number, &mut manifest) {
            return Err(format!("line {} is no requirement", number + 1));
        }
    }
    Ok(manifest)
}

/// One line of a list; `false` when it is not understood.
pub(super) fn entry(line: &str, number: usize, manifest: &mut Manifest) -> bool {
    let line = line.replace('\t', " ");
    let line = uncommented(&line).trim();
    if line.starts_with('-') {
        option(line, number, manifest);
        return true;
    }
    line.is_empty() || require(line, Some(number), manifest)
}

/// A comment begins with the line or after white space.
fn uncommented(line: &str) -> &str {
    let start = line.match_indices('#').find(|(at, _)| {
        line.get(..*at).is_none_or(|before| before.is_empty() || before.ends_with(' '))
    });
    start.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

fn option(line: &str, number: usize, manifest: &mut Manifest) {
    let (name, value) = if line.starts_with("--") {
        line.split_once([' ', '=']).unwrap_or((line, ""))
    } else {
        line.split_at_checked(2).unwrap_or((line, ""))
    };
    let value = value.trim_start_matches(['=', ' ']).trim_end();
    let known = OPTIONS.iter().find(|(long, short, _)| {
        *long == name || *short == name || (name.len() > 3 && long.starts_with(name))
    });
    let long = known.map_or(name, |(long, ..)| long);
    let line = Some(number);
    match known.map(|(.., does)| does) {
        Some(Does::Editable) => {
            let name = value.rsplit("#egg=").next().unwrap_or(value);
            let source = value.to_owned();
            manifest.require(&normal(name), Dependency { source, line, ..Dependency::default() });
        }
        Some(Does::Include) => {
            manifest
                .require(&format!("{long} {value}"), Dependency { line, ..Dependency::default() });
        }
        // An option that is not known may mean anything.
        Some(Does::Fetch) | None => {
            let value = if value.is_empty() { "on" } else { value };
            manifest.fetch_from(&format!("{long} {value}"), value, line);
        }
    }
}

/// One requirement in a file that is well formed otherwise: what is not understood may ask
/// for anything.
pub(super) fn require_any(text: &str, line: Option<usize>, manifest: &mut Manifest) {
    if !require(text, line, manifest) {
        manifest.require(text, Dependency { line, ..Dependency::default() });
    }
}

/// One requirement: `name[extra] >= 1; marker` or `name @ address`, with options behind it;
/// `false` when it is neither that nor a place.
pub(super) fn require(text: &str, line: Option<usize>, manifest: &mut Manifest) -> bool {
    let (text, options) = match text.trim().split_once(" --") {
        Some((text, options)) => (text.trim(), options),
        None => (text.trim(), ""),
    };
    let mut hashes: Vec<&str> = Vec::new();
    for option in options.split(" --").map(str::trim).filter(|option| !option.is_empty()) {
        match option.strip_prefix("hash").map(|hash| hash.trim_start_matches(['=', ' '])) {
            Some(hash) => hashes.push(hash),
            // Options of the build of one package are commands to it.
            None => manifest.run(&format!("{text} --{option}"), format!("--{option}"), line),
        }
    }
    hashes.sort_unstable();
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let rest = rest.trim_start();
    let (extras, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((extras, rest)) => (extras, rest.trim_start()),
        None => ("", rest),
    };
    let mut detail: Vec<String> = extras.split(',').map(normal).filter(|e| !e.is_empty()).collect();
    detail.sort_unstable();
    detail.extend(hashes.iter().map(|hash| format!("{HASH}{hash}")));
    let detail = detail.join(" ");
    let is_name = name.starts_with(char::is_alphanumeric)
        && (rest.is_empty() || rest.starts_with(['@', '<', '>', '=', '!', '~', '(', ';', ',']));
    let file = [".whl", ".zip", ".tar.gz", ".egg"].iter().any(|ending| text.ends_with(ending));
    if !is_name || file && rest.is_empty() {
        // Variables of the environment become part of the requirement.
        if text.contains("${") {
            manifest.require(text, Dependency { detail, line, ..Dependency::default() });
            return true;
        }
        let is_place = text.contains("://") || text.contains('/') || text.starts_with('.') || file;
        if is_place {
            let name = match text.rsplit_once("#egg=") {
                Some((_, name)) => normal(name),
                None => text.to_owned(),
            };
            let source = text.to_owned();
            manifest.require(&name, Dependency { source, detail, line, ..Dependency::default() });
        }
        return is_place;
    }
    let rest = rest.split(';').next().unwrap_or_default().trim();
    let (version, source) = match rest.strip_prefix('@') {
        Some(address) => (String::new(), address.trim().to_owned()),
        None => (rest.split_whitespace().collect(), String::new()),
    };
    manifest.require(&normal(name), Dependency { version, source, detail, line });
    true
}

/// How a hash begins among the details of a requirement.
pub(super) const HASH: &str = "hash ";

/// Python takes `A_b.c` and `a-b-c` for one name.
pub(super) fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
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
