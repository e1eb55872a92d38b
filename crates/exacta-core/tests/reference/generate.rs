//! Plans of every kind: made sound, then, in about half of the cases, spoilt.

use std::collections::BTreeMap;

use exacta_testkit::Rng;

use super::model::{Action, File, Kind, Plan, Step};

/// Targets that do not get in each other's way.
const PATHS: [&str; 9] =
    ["a", "b", "c", "src/x", "src/y", "src/lib/z", "docs/\u{e9}", "n/e/w", "t.txt"];
/// Targets that are refused, or that clash with the ones above.
const BAD_PATHS: [&str; 14] = [
    "../x",
    "/x",
    "a//b",
    ".git/x",
    "sub/.GIT",
    "A",
    "src",
    "src/x/deep",
    "docs/e\u{301}",
    "a/b",
    "con",
    "x.",
    "SRC/X",
    "SRC/lib",
];
const NAMES: [&str; 7] = ["build", "check", "docs", "ship", "x-ray", "step_one", "zz"];
const BAD_IDS: [&str; 16] = [
    "",
    "__meta__",
    "step_9",
    "step_0",
    "step_01",
    "Step_1",
    "step_l",
    "a\u{200b}",
    " x",
    "x,y",
    "x y",
    "-x",
    "x's",
    "Build",
    "bui1d",
    "step_\u{661}",
];
const CONTENTS: [&str; 8] = [
    "",
    "one\n",
    "one",
    "one\ntwo\n",
    "two\none\ntwo\n",
    "alpha beta\ngamma\n",
    "x\r\ny\n",
    "tail\n\n",
];
const TOOLS: [&str; 2] = ["NotifyUser", "WriteEmailDraft"];

pub(crate) fn plan(rng: &mut Rng) -> Plan {
    let mut plan = sound(rng);
    if rng.percent(55) {
        for _ in 0..=rng.below(3) {
            spoil(&mut plan, rng);
        }
    }
    plan
}

type Files = BTreeMap<String, Option<(String, bool)>>;

fn sound(rng: &mut Rng) -> Plan {
    let mut files: Files = PATHS.iter().map(|path| ((*path).to_owned(), None)).collect();
    let mut tree = Vec::new();
    for path in PATHS {
        if rng.percent(50) {
            let (content, executable) = ((*rng.pick(&CONTENTS)).to_owned(), rng.percent(20));
            files.insert(path.into(), Some((content.clone(), executable)));
            tree.push(File { path: path.into(), content, executable });
        }
    }
    let count = 1 + if rng.percent(90) { rng.below(6) } else { rng.below(14) };
    let named = rng.percent(25);
    // Without lists each step waits for the one before, so a tool would wait for files.
    let implicit = rng.percent(25);
    let mut steps: Vec<Step> = Vec::new();
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for index in 0..count {
        let id = match NAMES.get(index).filter(|_| named) {
            Some(name) => (*name).to_owned(),
            None => format!("step_{}", index + 1 - if named { NAMES.len() } else { 0 }),
        };
        let mut needs: Vec<usize> = Vec::new();
        let is_tool = |step: &Step| matches!(step.action, Action::Tool(_));
        let action = if !implicit && rng.percent(15) {
            needs.extend((0..index).filter(|step| is_tool(&steps[*step]) && rng.percent(30)));
            Action::Tool((*rng.pick(&TOOLS)).into())
        } else {
            let path = *rng.pick(&PATHS);
            needs.extend(last.insert(path.into(), index));
            let more: Vec<usize> =
                (0..index).filter(|step| !needs.contains(step) && rng.percent(15)).collect();
            needs.extend(more);
            change(path, &mut files, rng)
        };
        let ids: Vec<String> = needs.iter().map(|need| steps[*need].id.clone()).collect();
        let dependencies =
            if implicit || (ids.is_empty() && rng.percent(30)) { None } else { Some(ids) };
        steps.push(Step { id, dependencies, order: None, action });
    }
    // Lists that are all missing would mean a chain.
    if !implicit && steps.iter().all(|step| step.dependencies.is_none()) {
        steps[0].dependencies = Some(Vec::new());
    }
    // At most one step that cannot be taken back, and nothing waits for it.
    if !implicit && rng.percent(15) {
        let id = if named { "send".into() } else { format!("step_{}", count + 1) };
        let needs: Vec<String> =
            steps.iter().filter(|_| rng.percent(30)).map(|step| step.id.clone()).collect();
        let action = Action::Tool("SendEmail".into());
        steps.push(Step { id, dependencies: Some(needs), order: None, action });
    }
    if rng.percent(25) {
        for (index, step) in steps.iter_mut().enumerate() {
            step.order = Some(index + 1);
        }
    }
    if !implicit && rng.percent(40) {
        rng.shuffle(&mut steps);
    }
    Plan {
        tree,
        steps,
        contract: rng.percent(10),
        max_files: 500,
        max_steps: 12,
        max_changed_lines: 50_000,
    }
}

/// A step on `path` that fits the file as the steps so far have left it.
fn change(path: &str, files: &mut Files, rng: &mut Rng) -> Action {
    let now = files[path].clone();
    let asked = if rng.percent(15) { Some(rng.percent(50)) } else { None };
    let (kind, after) = match &now {
        None => {
            let new = (*rng.pick(&CONTENTS)).to_owned();
            let kind = if new.is_empty() || rng.percent(60) {
                Kind::Create(new.clone())
            } else {
                Kind::CreateByDiff(new.clone())
            };
            (kind, Some((new, asked.unwrap_or(false))))
        }
        Some((old, executable)) => {
            let executable = asked.unwrap_or(*executable);
            let new = loop {
                let new =
                    (*rng.pick(&CONTENTS)).to_owned() + rng.pick::<&str>(&["", "more\n", "end"]);
                if new != *old {
                    break new;
                }
            };
            match rng.below(10) {
                0..=1 => (Kind::Delete, None),
                2..=4 => (Kind::Replace(new.clone()), Some((new, executable))),
                5..=7 => {
                    (Kind::Diff { old: old.clone(), new: new.clone() }, Some((new, executable)))
                }
                _ => {
                    // One or two lines that stand there once.
                    let mut lines: Vec<&str> = old.lines().collect();
                    lines.retain(|line| !line.is_empty() && old.matches(*line).count() == 1);
                    rng.shuffle(&mut lines);
                    lines.truncate(1 + rng.below(2));
                    if lines.is_empty() {
                        (Kind::Replace(new.clone()), Some((new, executable)))
                    } else {
                        let written = ["EDITED", "2"];
                        let edits: Vec<(String, String)> = lines
                            .iter()
                            .zip(written)
                            .map(|(line, new)| ((*line).to_owned(), new.to_owned()))
                            .collect();
                        let new = edits
                            .iter()
                            .fold(old.clone(), |text, (old, new)| text.replacen(old, new, 1));
                        (Kind::Edit(edits), Some((new, executable)))
                    }
                }
            }
        }
    };
    files.insert(path.into(), after);
    Action::File { path: path.into(), executable: asked, kind }
}

/// One thing that is wrong, or at least different.
fn spoil(plan: &mut Plan, rng: &mut Rng) {
    let count = plan.steps.len();
    let other = plan.steps[rng.below(count)].id.clone();
    let at = rng.below(count);
    let step = &mut plan.steps[at];
    match rng.below(17) {
        0 => step.dependencies.get_or_insert_default().push("nobody".into()),
        1 | 2 => step.dependencies.get_or_insert_default().push(other),
        3 => step.dependencies = Some(Vec::new()),
        4 => {
            let list = step.dependencies.get_or_insert_default();
            if let Some(first) = list.first().cloned() {
                list.push(first);
            }
        }
        5 => step.id = other,
        6 => step.id = (*rng.pick(&BAD_IDS)).into(),
        7 | 8 => {
            if let Action::File { path, .. } = &mut step.action {
                *path = (*rng.pick(&BAD_PATHS)).into();
            }
        }
        9 => {
            if let Action::File { path, .. } = &mut step.action {
                *path = (*rng.pick(&PATHS)).into();
            }
        }
        10 => step.order = if rng.percent(30) { None } else { Some(1 + rng.below(count + 1)) },
        11 => {
            if let Action::File { kind, .. } = &mut step.action {
                *kind = another_kind(rng);
            }
        }
        12 if count > 1 => drop(plan.steps.remove(at)),
        13 => plan.max_files = 1 + u64::try_from(rng.below(3)).unwrap(),
        14 => plan.max_steps = u64::try_from(rng.below(3)).unwrap(),
        15 => plan.max_changed_lines = u64::try_from(rng.below(6)).unwrap(),
        16 => {
            let name = *rng.pick(&["Frobnicate", "SendEmail", "NotifyUser", "CallApi"]);
            step.action = Action::Tool(name.into());
        }
        _ => plan.contract = !plan.contract,
    }
}

fn another_kind(rng: &mut Rng) -> Kind {
    let text = |rng: &mut Rng| (*rng.pick(&CONTENTS)).to_owned();
    match rng.below(7) {
        0 => Kind::Delete,
        1 => Kind::Create(text(rng)),
        2 => Kind::CreateByDiff(text(rng)),
        3 => Kind::Replace(text(rng)),
        4 => Kind::Diff { old: text(rng), new: text(rng) },
        _ => {
            let words = ["one", "two", "ne", "o", "alpha", "a beta", "gamma", "\n", "EDITED"];
            let count = 1 + rng.below(3);
            Kind::Edit(
                (0..count)
                    .map(|_| ((*rng.pick(&words)).to_owned(), (*rng.pick(&words)).to_owned()))
                    .collect(),
            )
        }
    }
}
