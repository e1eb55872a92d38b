//! Real changes of repositories that are on this machine: references, never their content.

use std::path::Path;
use std::process::Command;

use crate::reference::Reference;
use crate::{Pair, is_neutral};

/// So many commits of each repository are looked at.
const COMMITS: &str = "2500";

/// Looks at the modified files of the newest commits of every clone, named `owner+name`.
pub(crate) fn measure(clones: &Path) {
    let mut counts = [(0_usize, Vec::new()), (0, Vec::new()), (0, Vec::new())];
    let mut folders: Vec<_> =
        std::fs::read_dir(clones).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let inner = folder.join("repo");
        let repo = if inner.is_dir() { inner } else { folder.clone() };
        let raw = git(
            &repo,
            &[
                "log",
                "--no-merges",
                "--raw",
                "--no-abbrev",
                "--no-renames",
                "--diff-filter=M",
                "--format=%H",
                "-n",
                COMMITS,
            ],
        );
        let mut commit = String::new();
        for line in String::from_utf8_lossy(&raw).lines() {
            let Some(entry) = line.strip_prefix(':') else {
                if !line.is_empty() {
                    line.clone_into(&mut commit);
                }
                continue;
            };
            let Some((entry, path)) = entry.split_once('\t') else { continue };
            let parts: Vec<&str> = entry.split(' ').collect();
            let which = match path.rsplit('.').next().unwrap_or_default() {
                "py" => 0,
                "c" | "h" => 1,
                "js" | "mjs" | "cjs" => 2,
                _ => continue,
            };
            if parts[0] != parts[1] {
                continue;
            }
            let text = |id: &str| String::from_utf8(git(&repo, &["cat-file", "blob", id])).ok();
            let (Some(before), Some(after)) = (text(parts[2]), text(parts[3])) else { continue };
            counts[which].0 += 1;
            let name = format!("src/sample.{}", path.rsplit('.').next().unwrap());
            if is_neutral(&name, &before, &after) {
                let origin =
                    format!("{} {commit} {path}", folder.file_name().unwrap().to_string_lossy());
                counts[which].1.push(Pair { origin, before, after });
            }
        }
    }
    let references = [
        ("python", Some(Reference::Python)),
        ("c", Some(Reference::C)),
        ("javascript", Reference::acorn()),
    ];
    let mut wrong = Vec::new();
    for ((name, reference), (seen, neutral)) in references.into_iter().zip(&counts) {
        let differ = reference.as_ref().map(|reference| reference.differ(neutral));
        let told = differ.as_ref().map_or_else(
            || "not compared: EXACTA_ACORN is not set".into(),
            |d| format!("{} differ", d.len()),
        );
        println!("{name}: {seen} real changes, {} called neutral, {told}", neutral.len());
        wrong.extend(differ.unwrap_or_default());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn git(repo: &Path, args: &[&str]) -> Vec<u8> {
    let output = Command::new("git").arg("-C").arg(repo).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?} failed");
    output.stdout
}
