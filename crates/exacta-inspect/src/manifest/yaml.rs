//! Manifests in YAML: `environment.yml`, `pubspec.yaml`, `pnpm-workspace.yaml`.
//!
//! Only block form and one-line flow form are read. What is written otherwise (tabs,
//! anchors, flow over several lines) does not parse, which is a fact itself.

use std::rc::Rc;

use super::model::{Dependency, Manifest};

/// A value and the keys that lead to it; `-` stands for an item of a list.
struct Leaf {
    keys: Vec<Rc<str>>,
    value: String,
    line: usize,
}

/// Leaves beyond this many levels are not read.
const DEEP: usize = 16;

/// More leaves than any list of dependencies has.
const MOST: usize = 20_000;

fn leaves(text: &str) -> Result<Vec<Leaf>, String> {
    let mut out = Vec::new();
    // Keys above the line with their indentation.
    let mut above: Vec<(usize, Rc<str>)> = Vec::new();
    // The indentation of a key whose text stands below it (`|`, `>`).
    let mut block: Option<usize> = None;
    for (line, raw) in text.lines().enumerate() {
        let body = raw.trim_start_matches(' ');
        let mut indent = raw.len() - body.len();
        if block.is_some_and(|key| body.trim().is_empty() || indent > key) {
            continue;
        }
        block = None;
        let mut rest = uncommented(body).trim_end();
        if rest.is_empty() || (indent == 0 && (rest == "---" || rest.starts_with('%'))) {
            continue;
        }
        if rest.starts_with('\t') {
            return Err(format!("line {}: a tab", line + 1));
        }
        loop {
            // An item of a list may stand as far left as its key.
            let item = rest == "-" || rest.starts_with("- ");
            above.retain(|(at, key)| *at < indent || (*at == indent && item && &**key != "-"));
            if !item {
                break;
            }
            above.push((indent, "-".into()));
            if above.len() > DEEP {
                return Err(format!("line {}: too deep", line + 1));
            }
            let next = rest.get(1..).unwrap_or_default();
            indent += 1 + (next.len() - next.trim_start().len());
            rest = next.trim_start();
        }
        let (key, value) = pair(rest);
        if let Some(key) = key {
            above.push((indent, key.into()));
        }
        if above.len() > DEEP || out.len() > MOST {
            return Err(format!("line {}: too deep or too long", line + 1));
        }
        if value.starts_with(['|', '>']) {
            block = Some(indent);
            continue;
        }
        if value.starts_with(['&', '*', '!', '?']) {
            return Err(format!("line {}: an anchor, an alias or a tag", line + 1));
        }
        let keys: Vec<Rc<str>> = above.iter().map(|(_, key)| Rc::clone(key)).collect();
        if !value.is_empty() || key.is_some() {
            flow(keys, value, line, &mut out)?;
        }
    }
    Ok(out)
}

/// The text without its comment.
fn uncommented(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') && !before.is_alphanumeric() => quote = Some(c),
            None if c == '#' && before.is_whitespace() => return text.get(..at).unwrap_or(text),
            _ => {}
        }
        before = c;
    }
    text
}

/// Key and value of `key: value`, or a bare value.
fn pair(text: &str) -> (Option<&str>, &str) {
    if text.starts_with(['{', '[']) {
        return (None, text);
    }
    let after_quote = text.strip_prefix(['"', '\'']).and_then(|inner| {
        let end = inner.find(text.get(..1)?)?;
        Some(end + 2)
    });
    let from = after_quote.unwrap_or(0);
    let tail = text.get(from..).unwrap_or_default();
    let colon = tail.find(": ").or_else(|| tail.ends_with(':').then(|| tail.len() - 1));
    match colon {
        Some(at) if after_quote.is_none() || at == 0 => {
            let key = text.get(..from + at).unwrap_or_default();
            (Some(unquoted(key)), tail.get(at + 1..).unwrap_or_default().trim())
        }
        _ => (None, text),
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// Adds a value, or what is in `{…}` or `[…]` one level down.
fn flow(keys: Vec<Rc<str>>, value: &str, line: usize, out: &mut Vec<Leaf>) -> Result<(), String> {
    let closing = match value.chars().next() {
        Some('{') => '}',
        Some('[') => ']',
        _ => {
            out.push(Leaf { keys, value: unquoted(value).to_owned(), line });
            return Ok(());
        }
    };
    let inner = value.get(1..).and_then(|inner| inner.strip_suffix(closing));
    let Some(inner) = inner else { return Err(format!("line {}: not closed", line + 1)) };
    if inner.contains(['{', '[']) {
        // Deeper flow is kept as it is written.
        out.push(Leaf { keys, value: value.to_owned(), line });
        return Ok(());
    }
    for one in inner.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        let mut keys = keys.clone();
        let (key, value) = pair(one);
        keys.push(key.unwrap_or("-").into());
        out.push(Leaf { keys, value: unquoted(value).to_owned(), line });
    }
    Ok(())
}

/// The keys of a leaf as patterns take them.
fn names(leaf: &Leaf) -> Vec<&str> {
    leaf.keys.iter().map(|key| &**key).collect()
}

/// `environment.yml`: packages of conda and of pip, and channels.
pub(super) fn conda(text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest::default();
    for leaf in leaves(text)? {
        let line = Some(leaf.line);
        match names(&leaf).as_slice() {
            ["dependencies", "-"] => {
                let (place, spec) = leaf.value.split_once("::").unwrap_or(("", &leaf.value));
                let end = spec.find(['=', '<', '>', '!', ' ', '[']).unwrap_or(spec.len());
                let (name, version) = spec.split_at_checked(end).unwrap_or((spec, ""));
                if name != "python" {
                    manifest.require(
                        &name.to_lowercase(),
                        Dependency {
                            version: version.to_owned(),
                            source: place.to_owned(),
                            line,
                            ..Dependency::default()
                        },
                    );
                }
            }
            ["dependencies", "-", "pip", "-"] => {
                let known = super::requirements::entry(&leaf.value, leaf.line, &mut manifest);
                if !known {
                    return Err(format!("line {} is no requirement", leaf.line + 1));
                }
            }
            ["channels", "-"] => {
                manifest.fetch_from(&format!("channel {}", leaf.value), &leaf.value, line);
            }
            _ => {}
        }
    }
    Ok(manifest)
}

/// `pubspec.yaml`: a version, or where the package comes from.
pub(super) fn pubspec(text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest::default();
    let mut leaves = leaves(text)?.into_iter().peekable();
    while let Some(leaf) = leaves.next() {
        let parent = leaves.peek().is_some_and(|next| next.keys.len() > leaf.keys.len());
        let (group, name, rest) = match names(&leaf).as_slice() {
            [group, name, rest @ ..] => ((*group).to_owned(), (*name).to_owned(), rest.join(" ")),
            _ => continue,
        };
        let prefix = match group.as_str() {
            "dependencies" | "dev_dependencies" => "",
            "dependency_overrides" => "override ",
            _ => continue,
        };
        if parent && leaf.value.is_empty() {
            continue;
        }
        let (version, source) = match rest.as_str() {
            "" | "version" => (leaf.value, String::new()),
            "sdk" => continue,
            place => (String::new(), format!("{place} {}", leaf.value)),
        };
        manifest.require(
            &format!("{prefix}{name}"),
            Dependency { version, source, line: Some(leaf.line), ..Dependency::default() },
        );
    }
    Ok(manifest)
}

/// `pnpm-workspace.yaml`: versions that packages refer to, and what may run.
pub(super) fn pnpm_workspace(text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest::default();
    for leaf in leaves(text)? {
        let line = Some(leaf.line);
        let (name, value) = match names(&leaf).as_slice() {
            ["catalog", name] | ["catalogs", _, name] => ((*name).to_owned(), leaf.value),
            ["overrides" | "patchedDependencies" | "packageExtensions", name, ..] => {
                (format!("override {name}"), leaf.value)
            }
            [key @ ("onlyBuiltDependencies" | "allowBuilds"), name] => {
                let (name, value) = (format!("{key} {name} {}", leaf.value), leaf.value);
                manifest.run(&name, value, line);
                continue;
            }
            [key] if key.to_lowercase().contains("registry") => {
                manifest.fetch_from(key, leaf.value.as_str(), line);
                continue;
            }
            _ => continue,
        };
        let source = if value.contains(':') { value.clone() } else { String::new() };
        manifest
            .require(&name, Dependency { version: value, source, line, ..Dependency::default() });
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_and_flow_lead_to_the_same_leaves() {
        let told = |text: &str| -> Vec<String> {
            let leaves = leaves(text).unwrap();
            leaves.iter().map(|leaf| format!("{}={}", leaf.keys.join("/"), leaf.value)).collect()
        };
        for (text, expected) in [
            ("a: 1 # x\nb:\n  c: '2'\n", vec!["a=1", "b=", "b/c=2"]),
            ("a:\n- x\n- \"y\"\nb: z\n", vec!["a=", "a/-=x", "a/-=y", "b=z"]),
            ("a:\n  - p:\n    - q==1\n  - r\n", vec!["a=", "a/-/p=", "a/-/p/-=q==1", "a/-=r"]),
            ("a: {b: 1, c: 2}\nd: [e, f]\n", vec!["a/b=1", "a/c=2", "d/-=e", "d/-=f"]),
            ("\"@a/b\": ^1\na: |\n  no: key\nc: 2\n", vec!["@a/b=^1", "c=2"]),
            ("u: https://h/x\n", vec!["u=https://h/x"]),
            ("- name: x\n  v: 1\n", vec!["-/name=x", "-/v=1"]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        for text in ["a: [b,\n  c]\n", "a: &x 1\n", "a:\n\tb: 1\n"] {
            assert!(leaves(text).is_err(), "{text}");
        }
    }
}
