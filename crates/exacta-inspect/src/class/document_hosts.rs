//! Where the lines of a document lead: addresses in every spelling, and packages that a
//! command in them brings.

use std::collections::BTreeSet;

/// Last parts of names of machines that no file of code ends in.
const ZONES: &[&str] = &[
    "com", "org", "net", "io", "dev", "app", "ai", "co", "xyz", "info", "biz", "ru", "cn", "uk",
    "de", "eu", "us", "fr", "nl", "jp", "in", "br", "site", "online", "top", "club", "gov", "edu",
    "example", "test", "tech", "cloud", "page", "pages", "link", "me", "tv", "gg", "to", "onion",
    "local", "zip", "mov", "store", "shop", "world", "live", "space", "website",
];

/// Programs that bring packages, and words behind them that name none.
const INSTALLERS: &[&str] = &[
    "pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "npm", "npx", "pnpm", "yarn", "bun",
    "bunx", "deno", "cargo", "gem", "go", "brew", "apt", "apt-get", "dnf", "yum", "apk", "pacman",
    "conda", "mamba", "docker", "podman", "kubectl", "helm", "snap", "flatpak", "choco", "winget",
    "scoop", "nix", "nix-env", "composer", "dotnet", "nuget", "luarocks", "cpan", "stack", "cabal",
    "opam", "mix", "git", "gh", "svn", "hg", "ssh", "scp", "rsync", "npm.cmd", "port", "zypper",
    "code",
];
const BRINGS: &[&str] = &[
    "install",
    "add",
    "get",
    "i",
    "run",
    "exec",
    "x",
    "dlx",
    "create",
    "init",
    "clone",
    "pull",
    "apply",
    "tool",
    "global",
    "fetch",
    "checkout",
    "submodule",
    "require",
    "bundle",
    "upgrade",
    "update",
    "repo",
    "tap",
    "push",
    "--install-extension",
    "-S",
    "-i",
];
/// Those of the programs that run what is named directly behind them.
const RUNNERS: &[&str] = &["npx", "uvx", "bunx", "pipx", "ssh", "scp", "rsync"];

/// The hosts that a line names, with what stands before them.
pub(super) fn hosts(line: &str) -> impl Iterator<Item = &str> {
    addresses(line).chain(words(line).filter_map(hosts_of))
}

/// What is written with its scheme.
fn addresses(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("://")
        .map(|(at, sign)| {
            let start = line
                .get(..at)
                .and_then(|text| text.rfind(|c: char| !c.is_ascii_alphanumeric()))
                .map_or(0, |at| at + 1);
            let rest = line.get(at + sign.len()..).unwrap_or_default();
            let end = rest.find(|c: char| {
                !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '@' | '_'))
            });
            let end = at + sign.len() + end.unwrap_or(rest.len());
            line.get(start..end).unwrap_or(line)
        })
        // A sign with nothing behind it leads nowhere.
        .filter(|host| !host.ends_with("://"))
}

/// The parts of a line between spaces, brackets and quotes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')'
                    | '['
                    | ']'
                    | '<'
                    | '>'
                    | '"'
                    | '\''
                    | '`'
                    | ','
                    | ';'
                    | '{'
                    | '}'
                    | '|'
                    | '*'
                    | '='
            )
    })
    .filter(|word| !word.is_empty() && !word.contains("://"))
}

/// The host of a word that is an address without a scheme, if it is one.
fn hosts_of(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("//").unwrap_or(word);
    let behind = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let end = behind.find(['/', ':', '?', '#']).unwrap_or(behind.len());
    let (host, path) = behind.split_at(end);
    let host = host.trim_end_matches(['.', '!']);
    let (before, last) = host.rsplit_once('.')?;
    let sound = !before.is_empty()
        && host
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-'));
    if !sound {
        return None;
    }
    let letters = last.len() > 1 && last.chars().all(char::is_alphabetic);
    let numbers =
        host.split('.').count() == 4 && host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let known = ZONES.contains(&last.to_lowercase().as_str());
    let spelled = rest.len() < word.len()
        || behind.len() < rest.len()
        || host.starts_with("www.")
        || path.starts_with(':')
            && path.get(1..).is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    (numbers || known || letters && spelled).then_some(host)
}

/// What commands in a line bring: the program, and the package behind it.
pub(super) fn packages(line: &str) -> BTreeSet<(String, String)> {
    let mut out = BTreeSet::new();
    let words: Vec<&str> = line
        .split(|c: char| {
            c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ';' | '&' | '|')
        })
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        if !INSTALLERS.contains(word) {
            continue;
        }
        let behind = words.get(at + 1..).unwrap_or_default();
        let brings = behind.first().is_some_and(|word| BRINGS.contains(word));
        if !brings && !RUNNERS.contains(word) {
            continue;
        }
        out.extend(
            behind
                .iter()
                .filter(|one| !BRINGS.contains(one))
                .map(|one| ((*word).to_owned(), one.trim_end_matches(['.', ':', '!']).to_owned())),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_one() {
        for (line, host) in [
            ("See https://a.example/x.", "https://a.example"),
            ("[Install](//evil.example/install.sh) it", "evil.example"),
            ("Visit www.evil.zzz today", "www.evil.zzz"),
            ("Visit evil.example today.", "evil.example"),
            ("mail evil@evil.zzz.", "evil.zzz"),
            ("git clone git@evil.zzz:x/y.git", "evil.zzz"),
            ("at evil.io/x", "evil.io"),
            ("at 10.0.0.1 or so", "10.0.0.1"),
            ("at evil.zzz:8080", "evil.zzz"),
        ] {
            assert!(hosts(line).any(|one| one.starts_with(host)), "{line}");
        }
        for line in [
            "The file src/main.rs and lib/a.py.",
            "Version 1.2.3 is out.",
            "Call foo.bar() or a::b, e.g. c.d",
            "// a remark",
            "It ends here. Then it begins.",
        ] {
            assert_eq!(hosts(line).next(), None, "{line}");
        }
    }

    #[test]
    fn commands_that_bring_packages_are_told_by_what_they_bring() {
        let has = |line: &str, name: &str| packages(line).iter().any(|(_, one)| one == name);
        assert!(has("To install it, run `pip install evilpkg` and then.", "evilpkg"));
        assert!(has("run `npm i evil`.", "evil"));
        assert!(has("npx evil", "evil"));
        assert!(has("git clone git@a.b:c", "git@a.b:c"));
        assert!(packages("You may go on with it.").is_empty());
        assert!(packages("The code is fine.").is_empty());
    }
}
