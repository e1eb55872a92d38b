//! The files that configure a project: a change of one expires every plan.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::text::glob;

use super::error::GateError;
use crate::workspace::{GateFile, Sight, Spot, Workspace};

/// The project's own policy.
const POLICIES: [GateFile; 2] = [GateFile::Policy, GateFile::Cedar];
/// Folders below the root that a glob can reach at most.
const MOST_FOLDERS: usize = 100_000;
/// Characters that make a glob more than a name.
const WILD: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Every configuration file and its bytes' name; null where nothing is.
pub(super) fn survey(
    port: &dyn Workspace,
    globs: &BTreeSet<String>,
) -> Result<BTreeMap<String, Option<Digest>>, GateError> {
    let mut found = BTreeMap::new();
    for policy in POLICIES {
        let policy = Spot::state().within(policy.name());
        found.insert(policy.to_string(), digest(port, &policy)?);
    }
    let (wild, plain): (Vec<&String>, Vec<&String>) =
        globs.iter().partition(|glob| glob.contains(WILD));
    let top = port.list(&Spot::root())?;
    // Where case does not count, a name leads to a file that is listed under another.
    let listed: BTreeSet<String> = top.iter().map(|name| name.to_lowercase()).collect();
    for name in plain {
        let Ok(path) = RelPath::parse(name) else { continue };
        let first = path.as_str().split('/').next().unwrap_or_default();
        // Beyond ASCII file systems fold names each in its own way: such a name is opened.
        let is_there = !first.is_ascii()
            || top.iter().any(|name| !name.is_ascii())
            || listed.contains(&first.to_lowercase());
        let bytes = if is_there { digest(port, &Spot::target(&path))? } else { None };
        found.insert(name.clone(), bytes);
    }
    let (starred, wild): (Vec<&String>, Vec<&String>) =
        wild.into_iter().partition(|glob| glob::is_starred_name(glob));
    if !starred.is_empty() {
        for name in top {
            if starred.iter().any(|glob| glob::matches_starred_name(glob, &name))
                && let Ok(path) = RelPath::parse(&name)
                && let Some(bytes) = digest(port, &Spot::target(&path))?
            {
                found.insert(name, Some(bytes));
            }
        }
    }
    if wild.is_empty() {
        return Ok(found);
    }
    let deep = wild.iter().any(|glob| glob.contains('/') || glob.contains("**"));
    let patterns: Vec<String> = wild.into_iter().cloned().collect();
    // A glob that policy let in compiles; one that does not matches everything.
    let matcher = glob::compile_all(&patterns).ok();
    let mut folders = vec![Spot::root()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        seen += 1;
        if seen > MOST_FOLDERS {
            return Err(GateError::TooManyFolders { most: MOST_FOLDERS });
        }
        for name in port.list(&folder)? {
            let path = match folder.as_str() {
                "." => name,
                above => format!("{above}/{name}"),
            };
            let Ok(path) = RelPath::parse(&path) else { continue };
            let spot = Spot::target(&path);
            if matcher.as_ref().is_none_or(|matcher| matcher.is_match(path.as_str()))
                && let Some(bytes) = digest(port, &spot)?
            {
                found.insert(path.as_str().into(), Some(bytes));
            }
            if deep && port.look_folder(&spot)?.is_some() {
                folders.push(spot);
            }
        }
    }
    Ok(found)
}

/// What changed, vanished or appeared.
pub(super) fn compare(
    then: &BTreeMap<String, Option<Digest>>,
    now: &BTreeMap<String, Option<Digest>>,
) -> Vec<String> {
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let bytes =
        |map: &BTreeMap<String, Option<Digest>>, name: &String| map.get(name).copied().flatten();
    names
        .into_iter()
        .filter_map(|name| match (bytes(then, name), bytes(now, name)) {
            (Some(_), None) => Some(format!("`{name}` has vanished")),
            (None, Some(_)) => Some(format!("`{name}` has appeared")),
            (then, now) if then != now => Some(format!("`{name}` has changed")),
            _ => None,
        })
        .collect()
}

fn digest(port: &dyn Workspace, at: &Spot) -> Result<Option<Digest>, GateError> {
    Ok(match port.see(at)? {
        Sight::File(seen) => Some(seen.image.digest),
        // A link or a folder in its place is another configuration than the file.
        Sight::Unfit(fault) => Some(Digest::of(fault.to_string().as_bytes())),
        Sight::Absent => None,
    })
}
