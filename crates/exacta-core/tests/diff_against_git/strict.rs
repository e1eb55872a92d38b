//! Strict diffs of one file.

use std::collections::BTreeMap;
use std::path::Path;

use exacta_core::model::path::RelPath;
use exacta_core::read::diff::{DiffFault, DiffKind, StrictDiff};

use crate::classes::{Classes, diff_class};
use crate::damage::damage;
use crate::git::Git;
use crate::random::{Budget, Random, edit, seed, text};
use crate::unified::hunks;

const BATCH: usize = 250;

struct Case {
    name: String,
    kind: DiffKind,
    before: Vec<u8>,
    diff: String,
    whole: bool,
    after: Vec<u8>,
}

impl Case {
    /// A file, a change, its diff, and perhaps damage to the diff or the file.
    fn generate(number: usize) -> Option<Self> {
        let random = &mut Random::of_case(seed(), number);
        let create = random.percent(10);
        let old = if create { Vec::new() } else { text(random, true) };
        let mut new = old.clone();
        edit(random, &mut new, true);
        let name = random.pick(&["src/f", "my file ", "ünï/x.", "b/a"]).to_string();
        let name = format!("{name}{number}");
        let context = random.pick(&[0, 1, 1, 3, 3, 3, 10]);
        let hunks = hunks(&old, &new, context);
        if hunks.is_empty() {
            return None;
        }
        let from = if create { "/dev/null".into() } else { format!("a/{name}") };
        let mut diff = format!("--- {from}\n+++ b/{name}\n").into_bytes();
        diff.extend(hunks);
        let mut before = old.clone();
        let hurt = random.percent(60);
        if hurt {
            (0..=random.below(2)).for_each(|_| damage(random, &mut diff));
        }
        let drifted = !create && random.percent(15);
        if drifted {
            edit(random, &mut before, true);
        }
        Some(Self {
            name,
            kind: if create { DiffKind::Create } else { DiffKind::Modify },
            before: before.concat(),
            diff: String::from_utf8(diff).ok()?,
            whole: !hurt && !drifted && context > 0,
            after: new.concat(),
        })
    }

    fn ours(&self) -> Result<Vec<u8>, DiffFault> {
        let target = RelPath::parse(&self.name).unwrap();
        StrictDiff::parse(&self.diff, &target, self.kind)?.apply(&self.before)
    }

    fn lay_out(&self, folder: &Path) {
        let path = folder.join(&self.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if self.kind == DiffKind::Modify {
            std::fs::write(path, &self.before).unwrap();
        }
    }

    fn show(&self) -> String {
        format!("file {:?}\ndiff\n{}", String::from_utf8_lossy(&self.before), self.diff)
    }
}

#[test]
fn strict_diffs_agree_with_git_apply() {
    let git = Git::new();
    let budget = Budget::new(6_000);
    let mut classes = Classes::default();
    let mut accepted: BTreeMap<usize, (Case, Vec<u8>)> = BTreeMap::new();
    let (mut count, mut agreed, mut both_refused) = (0, 0, 0);
    let lonely = git.folder();
    for number in 0.. {
        if !budget.goes_on(count) {
            break;
        }
        let Some(case) = Case::generate(number) else { continue };
        count += 1;
        match case.ours() {
            Ok(after) => {
                if case.whole {
                    assert_eq!(
                        after,
                        case.after,
                        "case {number}, seed {}\n{}",
                        seed(),
                        case.show()
                    );
                }
                agreed += 1;
                accepted.insert(number, (case, after));
            }
            Err(fault) => {
                assert!(!case.whole, "case {number}, seed {}: {fault}\n{}", seed(), case.show());
                case.lay_out(lonely.path());
                match git.apply(lonely.path(), case.diff.as_bytes(), false) {
                    Err(_) => both_refused += 1,
                    Ok(report) => {
                        let class = diff_class(fault.problem(), case.diff.as_bytes(), &report);
                        let about = || {
                            format!(
                                "case {number}, seed {}: {fault:?}\n{report}\n{}",
                                seed(),
                                case.show()
                            )
                        };
                        classes.count(class, about);
                    }
                }
                let _ = std::fs::remove_file(lonely.path().join(&case.name));
            }
        }
        if accepted.len() == BATCH {
            check(&git, &accepted);
            accepted.clear();
        }
    }
    check(&git, &accepted);
    println!(
        "{count} strict diffs ({}): {agreed} accepted by both with equal bytes, {both_refused} refused by both; {classes}",
        budget.spent()
    );
}

/// Applies accepted diffs with one git, and looks closer only where git disagrees.
fn check(git: &Git, accepted: &BTreeMap<usize, (Case, Vec<u8>)>) {
    let folder = git.folder();
    let mut patch = Vec::new();
    for (case, _) in accepted.values() {
        case.lay_out(folder.path());
        patch.extend(case.diff.bytes());
    }
    if accepted.is_empty() || git.apply(folder.path(), &patch, false).is_ok() {
        for (number, (case, after)) in accepted {
            let theirs = std::fs::read(folder.path().join(&case.name)).unwrap();
            assert_eq!(&theirs, after, "case {number}, seed {}\n{}", seed(), case.show());
        }
        return;
    }
    for (number, (case, _)) in accepted {
        let folder = git.folder();
        case.lay_out(folder.path());
        let report = git.apply(folder.path(), case.diff.as_bytes(), false);
        assert!(report.is_ok(), "case {number}, seed {}: {report:?}\n{}", seed(), case.show());
    }
    panic!("git refuses together what it accepts one by one, seed {}", seed());
}
