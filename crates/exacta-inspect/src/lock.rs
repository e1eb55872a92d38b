//! Lock files: what hides in them, and whom they fetch from.
//!
//! Nobody reads a lock file and package managers obey it, so its new lines are searched for
//! secrets and for characters that do not show; and an entry that is fetched from a host
//! from which no other entry came is told. All of it in one pass over the lines.

use std::collections::{BTreeMap, HashSet};

use exacta_core::judge::facts::{Ecosystem, FactKind};

use crate::detect::{Found, Line, Subject, mask_secrets, scan_list};
use crate::excerpt::{shorten, visible};
use crate::image::Image;
use crate::lock_content::contents;

/// Lock files are long and searched in one pass: this many times larger ones than other
/// files are read.
pub(crate) const TIMES_LARGER: usize = 8;

/// What an address stands behind, one row a family; families that are not here lock
/// without addresses.
const KEYS: &[(Ecosystem, &[&str])] = &[
    (Ecosystem::Cargo, &["source = \""]),
    (Ecosystem::Npm, &["\"resolved\": \"", "resolved \"", "tarball: ", "resolution: \"", "\", \""]),
    (Ecosystem::Python, &["url = \"", "registry = \"", "git = \"", "\"url\": \""]),
    (Ecosystem::Ruby, &["remote: "]),
    (Ecosystem::Composer, &["\"url\": \""]),
    (
        Ecosystem::Swift,
        &["\"location\" : \"", "\"location\": \"", "\"repositoryURL\": \"", ":git: "],
    ),
    (Ecosystem::Dart, &["url: \""]),
    (Ecosystem::Elixir, &["{:git, \""]),
];

/// In a new lock file a host stands out that serves at most one entry of this many.
const FEW: usize = 8;

/// Hosts told of one file.
const MOST_HOSTS: usize = 20;

/// What is found in the lines that are new, each with its line.
pub(crate) fn lock(
    subject: &Subject<'_>,
    ecosystem: Ecosystem,
    before: Option<&Image<'_>>,
    after: &Image<'_>,
) -> Vec<Found> {
    let old = before.map(Image::lines).unwrap_or_default();
    let new = after.lines();
    let known: HashSet<&str> = old.iter().copied().collect();
    let mut found = Vec::new();
    for index in 0..new.len() {
        // A line that was there before is not worth taking apart.
        if !new.get(index).is_some_and(|line| known.contains(line))
            && let Some(line) = Line::new(&new, index, false)
        {
            scan_list(subject, &line, &mut found);
        }
    }
    hosts(ecosystem, &old, &new, &mut found);
    contents(ecosystem, &old, &new, &mut found);
    found
}

/// An address in a lock file.
struct Locked<'t> {
    line: usize,
    /// The host; with its scheme where that is not a safe one.
    host: &'t str,
    /// The last part of the path, which names the package.
    package: &'t str,
}

fn hosts(ecosystem: Ecosystem, old: &[&str], new: &[&str], found: &mut Vec<Found>) {
    // Where a family has no keys of its own, every address counts.
    let keys =
        KEYS.iter().find(|(family, _)| *family == ecosystem).map_or(&["\""][..], |(_, keys)| *keys);
    let count = |places: &[Locked<'_>]| {
        let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
        for place in places {
            *hosts.entry(place.host.to_lowercase()).or_default() += 1;
        }
        hosts
    };
    let typed = ecosystem == Ecosystem::Composer;
    let now = places(new, keys, typed);
    let (was, is) = (count(&places(old, keys, typed)), count(&now));
    let neighbours = if was.is_empty() { &is } else { &was };
    let usual = neighbours.iter().max_by_key(|(host, times)| (**times, std::cmp::Reverse(*host)));
    let usual = usual.map(|(host, _)| host.as_str()).unwrap_or_default();
    let mut told: HashSet<String> = HashSet::new();
    for place in &now {
        let host = place.host.to_lowercase();
        let times = is.get(&host).copied().unwrap_or_default();
        let alone =
            if old.is_empty() { times * FEW <= now.len() } else { !was.contains_key(&host) };
        if !alone || told.len() >= MOST_HOSTS || !told.insert(host) {
            continue;
        }
        let shown = |text: &str| shorten(&visible(&mask_secrets(text)));
        let kind = FactKind::DependencySource {
            ecosystem,
            name: shown(place.package),
            from: shown(usual),
            to: shown(place.host),
        };
        found.push(Found::at(place.line, kind));
    }
}

/// Every address behind one of `keys`; with `typed` only below a line that says how it is
/// fetched, because other addresses stand behind the same key.
fn places<'t>(lines: &[&'t str], keys: &[&str], typed: bool) -> Vec<Locked<'t>> {
    let mut out = Vec::new();
    let mut above = "";
    for (number, line) in lines.iter().enumerate() {
        let wanted = !typed || above.trim_start().starts_with("\"type\":");
        if wanted && let Some(place) = keys.iter().find_map(|key| place(line, key, number)) {
            out.push(place);
        }
        above = line;
    }
    out
}

fn place<'t>(line: &'t str, key: &str, number: usize) -> Option<Locked<'t>> {
    let (_, rest) = line.split_once(key)?;
    let rest = rest.split(['"', ' ', '\t', '}']).next()?;
    let (before, behind) = rest.split_once("://")?;
    let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
    let (authority, path) = behind.split_at_checked(end)?;
    let name = authority.rsplit('@').next().unwrap_or(authority);
    let safe = !before.ends_with("http");
    let from = rest.len() - behind.len() + (authority.len() - name.len());
    let host = if safe || authority.len() != name.len() {
        rest.get(from..from + name.len())?
    } else {
        rest.get(before.len() - 4..from + name.len())?
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let package = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    Some(Locked { line: number, host, package: if package.is_empty() { host } else { package } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_behind_their_keys() {
        for (line, key, host, package) in [
            (
                "\"resolved\": \"https://r.example/a/-/a-1.tgz\",",
                "\"resolved\": \"",
                "r.example",
                "a-1.tgz",
            ),
            ("source = \"registry+https://r.example/index\"", "source = \"", "r.example", "index"),
            ("  remote: http://r.example/", "remote: ", "http://r.example", "http://r.example"),
            (
                "resolution: \"a@https://u:p@r.example:8/x.tgz#1\"",
                "resolution: \"",
                "r.example:8",
                "x.tgz",
            ),
        ] {
            let place = place(line, key, 0).unwrap();
            assert_eq!((place.host, place.package), (host, package), "{line}");
        }
        assert!(place("\"resolved\": \"a\"", "\"resolved\": \"", 0).is_none());
    }
}
