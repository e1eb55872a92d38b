//! `go.mod` and `go.work`.

use super::model::{Dependency, Manifest};

/// Reads the requirements and replacements.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest::default();
    let mut block: Option<String> = None;
    for (number, raw) in text.lines().enumerate() {
        let line = raw.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if line == ")" {
            if block.take().is_none() {
                return Err(format!("line {}: a bracket closes what was not opened", number + 1));
            }
            continue;
        }
        let (directive, rest) = if let Some(directive) = &block {
            (directive.clone(), line)
        } else {
            let (word, rest) = line.split_once([' ', '\t', '(']).unwrap_or((line, ""));
            if line.ends_with('(') {
                known(word.trim(), number)?;
                block = Some(word.trim().to_owned());
                continue;
            }
            (word.to_owned(), rest.trim())
        };
        known(&directive, number)?;
        entry(&directive, rest, number, &mut manifest);
    }
    match block {
        Some(directive) => Err(format!("the block `{directive}` is not closed")),
        None => Ok(manifest),
    }
}

fn known(directive: &str, number: usize) -> Result<(), String> {
    let words = [
        "module",
        "go",
        "toolchain",
        "require",
        "replace",
        "exclude",
        "retract",
        "use",
        "godebug",
        "tool",
        "ignore",
    ];
    if words.contains(&directive) {
        Ok(())
    } else {
        Err(format!("line {}: unknown directive", number + 1))
    }
}

fn entry(directive: &str, rest: &str, number: usize, manifest: &mut Manifest) {
    let mut words = rest.split_whitespace();
    match directive {
        "require" => {
            if let (Some(path), Some(version)) = (words.next(), words.next()) {
                let dependency = Dependency {
                    version: version.to_owned(),
                    line: Some(number),
                    ..Dependency::default()
                };
                manifest.require(bare(path), dependency);
            }
        }
        "replace" => {
            if let Some((from, to)) = rest.split_once("=>") {
                manifest.fetch_from(from.trim(), to.trim(), Some(number));
            }
        }
        "module" => manifest.offer("module", rest.trim_matches('"'), Some(number)),
        "tool" | "use" | "toolchain" => {
            let (name, version) = match directive {
                "toolchain" => ("toolchain".to_owned(), rest.to_owned()),
                _ => (format!("{directive} {rest}"), String::new()),
            };
            let line = Some(number);
            manifest.require(&name, Dependency { version, line, ..Dependency::default() });
        }
        _ => {}
    }
}

/// The module without the `/v2` that tells its major version.
fn bare(path: &str) -> &str {
    match path.rsplit_once("/v") {
        Some((module, major)) if major.bytes().all(|byte| byte.is_ascii_digit()) => module,
        _ => path,
    }
}
