//! Patches of small trees, as git makes them and damaged.

use exacta_core::read::diff::{DiffFault, FileOp, GitMode, GitPatch, PatchFault};

use crate::classes::{Classes, diff_class, patch_class};
use crate::damage::damage;
use crate::git::Git;
use crate::random::{Budget, Random, seed};
use crate::trees::{Tree, lay_out, pair, patches, read_back};

const BATCH: usize = 200;

/// Why a patch is refused, at parsing or on the tree.
#[derive(Debug)]
enum Refusal {
    Patch(Vec<PatchFault>),
    Fit(DiffFault),
}

#[derive(Clone)]
struct Case {
    number: usize,
    old: Tree,
    new: Tree,
    patch: Vec<u8>,
}

impl Case {
    /// Without any context git needs to be told so.
    fn zero(&self) -> bool {
        !self.patch.split(|byte| *byte == b'\n').any(|line| line.starts_with(b" "))
    }

    /// Whether git may misread its own patch: without context it looks for a removal one
    /// line too early, and a last line without newline matches that line's start.
    fn may_be_misread(&self) -> bool {
        let marked = self.patch.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"\\ "));
        self.zero() && marked && self.patch.windows(5).any(|bytes| bytes == b",0 @@")
    }

    fn show(&self) -> String {
        let files: Vec<_> = self
            .old
            .iter()
            .map(|(name, (bytes, x))| format!("{name} {x} {:?}", String::from_utf8_lossy(bytes)))
            .collect();
        format!(
            "case {}, seed {}\n{}\n{}",
            self.number,
            seed(),
            files.join("\n"),
            String::from_utf8_lossy(&self.patch)
        )
    }
}

/// The tree after a patch, and the number of its sections.
fn ours(patch: &[u8], old: &Tree) -> Result<(Tree, usize), Refusal> {
    let patch = GitPatch::parse(patch).map_err(Refusal::Patch)?;
    let mut tree = old.clone();
    for file in &patch.files {
        let target = file.path.as_str();
        let source = match &file.op {
            FileOp::Rename { from } => from.as_str(),
            _ => target,
        };
        let before = old.get(source);
        let after = file.apply(before.map(|(bytes, _)| &bytes[..])).map_err(Refusal::Fit)?;
        tree.remove(source);
        if let Some(bytes) = after {
            let kept = before.is_some_and(|(_, executable)| *executable);
            let executable = file.new_mode.map_or(kept, |mode| mode == GitMode::Executable);
            tree.insert(target.into(), (bytes, executable));
        }
    }
    Ok((tree, patch.files.len()))
}

#[derive(Default)]
struct Tally {
    patches: usize,
    sections: usize,
    both_refused: usize,
    classes: Classes,
}

#[test]
fn imported_patches_agree_with_git_apply() {
    let git = Git::new();
    let budget = Budget::new(6_000);
    let mut tally = Tally::default();
    let mut damaged = Tally::default();
    let mut number = 0;
    while budget.goes_on(tally.sections) {
        let mut pairs = Vec::new();
        for case in number..number + BATCH {
            let random = &mut Random::of_case(seed(), case);
            let (old, new) = pair(random, &format!("c{case}"));
            pairs.push((old, new, random.pick(&[0, 1, 3, 3, 10])));
        }
        let quoting = if (number / BATCH).is_multiple_of(2) { "true" } else { "false" };
        let quoting = format!("core.quotePath={quoting}");
        let options = ["-c", &quoting, "--find-renames=40%"];
        let made = patches(&git, &pairs, &options);
        let whole: Vec<Case> = pairs
            .into_iter()
            .zip(made)
            .enumerate()
            .filter(|(_, (_, patch))| !patch.is_empty())
            .map(|(at, ((old, new, _), patch))| Case { number: number + at, old, new, patch })
            .collect();
        check_whole(&git, &whole, &mut tally);
        for round in 1..=2 {
            check_damaged(&git, &whole, round, &mut damaged);
        }
        number += BATCH;
    }
    println!(
        "{} patches with {} sections equal to git's trees; {} damaged patches: {} accepted by both with equal trees, {} refused by both; {} ({})",
        tally.patches,
        tally.sections,
        damaged.patches,
        damaged.sections,
        damaged.both_refused,
        damaged.classes,
        budget.spent()
    );
}

/// What git made we accept, with the tree it was made from as the result.
fn check_whole(git: &Git, cases: &[Case], tally: &mut Tally) {
    let mut accepted = Vec::new();
    for case in cases {
        let (tree, sections) = match ours(&case.patch, &case.old) {
            Ok(after) => after,
            Err(refusal) => panic!("{refusal:?}\n{}", case.show()),
        };
        assert!(tree == case.new, "{}", case.show());
        tally.patches += 1;
        tally.sections += sections;
        accepted.push((case, tree));
    }
    check_accepted(git, &accepted);
}

/// git must make the same trees. One process for all, a closer look where it objects.
fn check_accepted(git: &Git, accepted: &[(&Case, Tree)]) {
    for zero in [false, true] {
        let group: Vec<_> = accepted.iter().filter(|(case, _)| case.zero() == zero).collect();
        let folder = git.folder();
        let mut patch = Vec::new();
        let mut expected = Tree::new();
        for (case, tree) in &group {
            lay_out(&case.old, folder.path());
            patch.extend(&case.patch);
            expected.extend(tree.clone());
        }
        if group.is_empty() {
            continue;
        }
        let together = git.apply(folder.path(), &patch, zero);
        if together.is_ok() && read_back(folder.path()) == expected {
            continue;
        }
        let mut misread = false;
        for (case, tree) in &group {
            let folder = git.folder();
            lay_out(&case.old, folder.path());
            let report = git.apply(folder.path(), &case.patch, zero);
            let theirs = read_back(folder.path());
            if report.is_ok() && &theirs == tree {
                continue;
            }
            assert!(
                case.may_be_misread(),
                "{report:?}\nours {tree:?}\ntheirs {theirs:?}\n{}",
                case.show()
            );
            misread = true;
        }
        assert!(misread, "git disagrees only on all together, seed {}: {together:?}", seed());
    }
}

fn check_damaged(git: &Git, cases: &[Case], round: u64, tally: &mut Tally) {
    let mut hurt = cases.to_vec();
    for case in &mut hurt {
        let random = &mut Random::of_case(seed() ^ round, case.number);
        (0..=random.below(2)).for_each(|_| damage(random, &mut case.patch));
        tally.patches += 1;
    }
    let mut accepted = Vec::new();
    for case in &hurt {
        match ours(&case.patch, &case.old) {
            Ok((tree, _)) => accepted.push((case, tree)),
            Err(refusal) => check_refused(git, case, &refusal, tally),
        }
    }
    tally.sections += accepted.len();
    check_accepted(git, &accepted);
}

fn check_refused(git: &Git, case: &Case, refusal: &Refusal, tally: &mut Tally) {
    let folder = git.folder();
    lay_out(&case.old, folder.path());
    let Ok(report) = git.apply(folder.path(), &case.patch, case.zero()) else {
        tally.both_refused += 1;
        return;
    };
    let class = match refusal {
        Refusal::Fit(fault) => diff_class(fault.problem(), &case.patch, &report),
        Refusal::Patch(faults) => patch_class(faults[0].problem(), &case.patch, &report),
    };
    tally.classes.count(class, || format!("{refusal:?}\n{report}\n{}", case.show()));
}
