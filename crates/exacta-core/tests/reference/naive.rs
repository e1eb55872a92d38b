//! The rules once more, written down as plainly as possible: recursion, all pairs, no
//! cleverness. Knows only the paths, ids, tools and texts that the generator uses.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Action, File, Kind, Plan, Step};

type Finding = (&'static str, String, Option<String>);

#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// Findings that can only be these.
    pub(crate) exact: BTreeSet<Finding>,
    /// Ids of the steps that lie on a cycle.
    pub(crate) on_cycle: BTreeSet<String>,
    /// Pairs of steps that get in each other's way.
    pub(crate) conflicts: Vec<Conflict>,
    /// Files with such a pair: the ids of all steps on it.
    pub(crate) groups: Vec<BTreeSet<String>>,
    /// Whether the number of changed lines can be told without a diff algorithm.
    pub(crate) lines_known: bool,
    /// The files after all steps.
    pub(crate) files: BTreeMap<String, Option<File>>,
}

#[derive(Debug)]
pub(crate) struct Conflict {
    pub(crate) rule: &'static str,
    pub(crate) steps: BTreeSet<String>,
}

impl Judgement {
    pub(crate) fn is_sound(&self) -> bool {
        self.exact.is_empty() && self.on_cycle.is_empty() && self.groups.is_empty()
    }

    fn find(&mut self, code: &'static str, rule: &str, step: &Step) {
        self.exact.insert((code, rule.into(), Some(step.id.clone())));
    }

    fn find_in_plan(&mut self, code: &'static str, rule: &str) {
        self.exact.insert((code, rule.into(), None));
    }
}

pub(crate) fn judge(plan: &Plan) -> Judgement {
    let mut judgement = Judgement { lines_known: true, ..Judgement::default() };
    ids(plan, &mut judgement);
    let needs = needs(plan, &mut judgement);
    for start in 0..plan.steps.len() {
        if needs[start].iter().any(|&need| reaches(&needs, need, start, &mut BTreeSet::new())) {
            judgement.on_cycle.insert(plan.steps[start].id.clone());
        }
    }
    order(plan, &needs, &mut judgement);
    targets(plan, &needs, &mut judgement);
    tools(plan, &needs, &mut judgement);
    apply(plan, &needs, &mut judgement);
    judgement
}

/// Whether `from` is `to` or needs it, directly or through others.
fn reaches(needs: &[BTreeSet<usize>], from: usize, to: usize, seen: &mut BTreeSet<usize>) -> bool {
    from == to
        || (seen.insert(from)
            && needs[from].clone().into_iter().any(|need| reaches(needs, need, to, seen)))
}

fn malformed(id: &str) -> bool {
    id.is_empty()
        || id == "__meta__"
        || id.starts_with('-')
        || id.contains([' ', ',', '`', '\'', '"', '\u{200b}'])
}

/// `step_<k>` in plain digits; an odd spelling is `Err`.
fn number(id: &str) -> Option<Result<usize, ()>> {
    let digits = id.strip_prefix("step_")?;
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == '\u{661}') {
        return None;
    }
    if digits.starts_with('0') {
        return Some(Err(()));
    }
    Some(digits.parse().map_err(|_| ()))
}

fn looks(id: &str) -> String {
    id.to_lowercase().replace('1', "l").replace('0', "o")
}

fn ids(plan: &Plan, judgement: &mut Judgement) {
    let steps = &plan.steps;
    let unsound = |at: usize| {
        malformed(&steps[at].id)
            || number(&steps[at].id) == Some(Err(()))
            || steps[..at].iter().any(|earlier| earlier.id == steps[at].id)
    };
    for (at, step) in steps.iter().enumerate() {
        if malformed(&step.id) {
            judgement.find("PLAN_STEP_ID_INVALID", "step_id", step);
        } else if steps[..at].iter().any(|earlier| earlier.id == step.id) {
            judgement.find("PLAN_STEP_ID_INVALID", "step_id_unique", step);
        } else if number(&step.id) == Some(Err(())) {
            judgement.find("PLAN_STEP_ID_INVALID", "step_id_sequence", step);
        } else if (0..at).any(|i| !unsound(i) && looks(&steps[i].id) == looks(&step.id)) {
            judgement.find("PLAN_STEP_ID_INVALID", "step_id_look_alike", step);
        }
    }
    let numbers: BTreeSet<usize> =
        steps.iter().filter_map(|step| number(&step.id)).filter_map(Result::ok).collect();
    let missing = (1..=numbers.len() + 1).find(|k| !numbers.contains(k)).unwrap();
    let beyond = steps.iter().find(|s| matches!(number(&s.id), Some(Ok(k)) if k > missing));
    if let Some(step) = beyond {
        judgement.find("PLAN_STEP_ID_INVALID", "step_id_sequence", step);
    }
}

fn needs(plan: &Plan, judgement: &mut Judgement) -> Vec<BTreeSet<usize>> {
    let steps = &plan.steps;
    let chain = steps.iter().all(|step| step.dependencies.is_none());
    let mut all = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let mut own = BTreeSet::new();
        if chain && at > 0 {
            own.insert(at - 1);
        }
        for id in step.dependencies.iter().flatten() {
            match steps.iter().position(|other| other.id == *id) {
                None => judgement.find("PLAN_DEPENDENCY_UNKNOWN", "PV-2", step),
                Some(need) => {
                    if !own.insert(need) {
                        judgement.find("PLAN_SCHEMA_INVALID", "dependency_twice", step);
                    }
                }
            }
        }
        all.push(own);
    }
    all
}

fn order(plan: &Plan, needs: &[BTreeSet<usize>], judgement: &mut Judgement) {
    let steps = &plan.steps;
    if steps.iter().all(|step| step.order.is_none()) {
        return;
    }
    let mut fine = true;
    for (at, step) in steps.iter().enumerate() {
        let good = step.order.is_some_and(|order| {
            // The first to take a number has it.
            order <= steps.len() && !steps[..at].iter().any(|earlier| earlier.order == Some(order))
        });
        if !good {
            judgement.find("PLAN_ORDER_INVALID", "order", step);
            fine = false;
        }
    }
    if fine {
        for (step, own) in steps.iter().zip(needs) {
            if own.iter().any(|need| steps[*need].order >= step.order) {
                judgement.find("PLAN_ORDER_INVALID", "order", step);
            }
        }
    }
}

/// The target of a file step, unless it is refused.
fn target(step: &Step) -> Result<Option<&str>, &'static str> {
    let Action::File { path, .. } = &step.action else { return Ok(None) };
    let reserved = path.split('/').any(|part| part.to_lowercase() == ".git");
    let refused = path.starts_with('/')
        || path.ends_with('.')
        || path == "con"
        || path.split('/').any(|part| part.is_empty() || part == "..");
    match (reserved, refused) {
        (true, _) => Err("PLAN_PATH_RESERVED"),
        (_, true) => Err("PLAN_PATH_INVALID"),
        _ => Ok(Some(path)),
    }
}

/// One name on systems that ignore case or normalise.
fn folded(path: &str) -> String {
    path.replace("e\u{301}", "\u{e9}").to_lowercase()
}

fn targets(plan: &Plan, needs: &[BTreeSet<usize>], judgement: &mut Judgement) {
    let steps = &plan.steps;
    let mut on: Vec<(usize, String)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match target(step) {
            Err(code) => judgement.find(code, "PV-4", step),
            Ok(Some(path)) => on.push((at, folded(path))),
            Ok(None) => {}
        }
    }
    // A file and a folder of one name: told at the first step below the file.
    for (at, key) in &on {
        let first = on.iter().find(|(_, other)| other == key).unwrap().0 == *at;
        let clash = on.iter().any(|(_, other)| key.starts_with(&format!("{other}/")));
        if first && clash {
            judgement.find("PLAN_CONFLICT", "PS-2", &steps[*at]);
        }
    }
    if !judgement.on_cycle.is_empty() {
        return;
    }
    let kind = |at: usize| match &steps[at].action {
        Action::File { kind: Kind::Delete, .. } => "delete",
        Action::File { kind: Kind::Create(_) | Kind::CreateByDiff(_), .. } => "create",
        _ => "modify",
    };
    let mut unsound: BTreeMap<String, bool> = BTreeMap::new();
    for (i, key) in &on {
        for (j, other) in &on {
            if i >= j || key != other {
                continue;
            }
            let before = |a: usize, b: usize| reaches(needs, b, a, &mut BTreeSet::new());
            let (first, second) = if before(*j, *i) { (*j, *i) } else { (*i, *j) };
            let ordered = before(first, second);
            // A name may change its spelling where one is deleted and then the other created.
            let spelled = |a: usize, b: usize| target(&steps[a]) == target(&steps[b]);
            let on_key = || on.iter().filter(|(_, third)| third == key).map(|(at, _)| *at);
            let respelled = || {
                let gone = on_key().filter(|k| kind(*k) == "delete" && spelled(*k, first));
                gone.filter(|k| *k == first || before(first, *k)).any(|gone| {
                    on_key()
                        .filter(|k| kind(*k) == "create" && spelled(*k, second))
                        .any(|k| (k == second || before(k, second)) && before(gone, k))
                })
            };
            let rule = if !spelled(*i, *j) {
                if ordered && respelled() {
                    continue;
                }
                "PS-2"
            } else if ordered && kind(first) == "delete" && kind(second) == "modify" {
                // Only a creation in between makes this pair possible.
                let between = on.iter().any(|(k, third)| {
                    third == key && kind(*k) == "create" && before(first, *k) && before(*k, second)
                });
                if between {
                    continue;
                }
                "PS-3"
            } else if ordered {
                continue;
            } else if kind(*i) == "delete" || kind(*j) == "delete" {
                "PS-3"
            } else {
                "PS-2"
            };
            unsound.insert(key.clone(), true);
            let pair = [*i, *j].map(|at| steps[at].id.clone());
            judgement.conflicts.push(Conflict { rule, steps: pair.into_iter().collect() });
        }
    }
    for key in unsound.keys() {
        let ids = on.iter().filter(|(_, k)| k == key).map(|(at, _)| steps[*at].id.clone());
        judgement.groups.push(ids.collect());
    }
}

/// Whether a tool exists, and whether what it did can be taken back.
fn reversible(step: &Step) -> Option<bool> {
    match &step.action {
        Action::Tool(name) => match name.as_str() {
            "NotifyUser" | "WriteEmailDraft" => Some(true),
            "SendEmail" | "CallApi" => Some(false),
            _ => None,
        },
        Action::File { .. } => None,
    }
}

fn tools(plan: &Plan, needs: &[BTreeSet<usize>], judgement: &mut Judgement) {
    let steps = &plan.steps;
    let is_file = |step: &Step| matches!(step.action, Action::File { .. });
    for step in steps {
        if !is_file(step) && reversible(step).is_none() {
            judgement.find("PLAN_INVALID_TOOL", "tool_exists", step);
        }
        // Generated calls have no arguments, so nobody says whom or what they reach.
        match &step.action {
            Action::Tool(name) if name == "SendEmail" => {
                judgement.find("PLAN_TOOL_NOT_ALLOWED", "recipient_missing", step);
            }
            Action::Tool(name) if name == "CallApi" => {
                judgement.find("PLAN_TOOL_NOT_ALLOWED", "url_missing", step);
            }
            _ => {}
        }
    }
    let count = steps.iter().filter(|step| !is_file(step)).count();
    if u64::try_from(count).unwrap() > plan.max_steps {
        judgement.find_in_plan("PLAN_STEP_CAP_EXCEEDED", "max_steps");
    }
    if plan.contract {
        return;
    }
    for (at, step) in steps.iter().enumerate() {
        let second = reversible(step) == Some(false)
            && steps[..at].iter().any(|earlier| reversible(earlier) == Some(false));
        let waits = needs[at].iter().map(|need| &steps[*need]).any(|need| {
            reversible(need) == Some(false) || (reversible(step) == Some(true) && is_file(need))
        });
        if second || waits {
            judgement.find("PLAN_NOT_ATOMIC", "atomic", step);
        }
    }
}

/// Every step after all it needs; of those that could come, the first. In the order of
/// the draft when there is a cycle.
fn execution_order(needs: &[BTreeSet<usize>], cyclic: bool) -> Vec<usize> {
    if cyclic {
        return (0..needs.len()).collect();
    }
    let mut done: Vec<usize> = Vec::new();
    while done.len() < needs.len() {
        let next = (0..needs.len())
            .find(|at| !done.contains(at) && needs[*at].iter().all(|need| done.contains(need)));
        done.push(next.unwrap());
    }
    done
}

fn apply(plan: &Plan, needs: &[BTreeSet<usize>], judgement: &mut Judgement) {
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let mut lines = 0;
    // More files than the cap are not looked at.
    let targets: BTreeSet<&str> =
        plan.steps.iter().filter_map(|step| target(step).ok().flatten()).collect();
    if u64::try_from(targets.len()).unwrap() > plan.max_files {
        judgement.find_in_plan("PLAN_FILE_CAP_EXCEEDED", "max_files");
        return;
    }
    for at in execution_order(needs, !judgement.on_cycle.is_empty()) {
        let step = &plan.steps[at];
        let (Ok(Some(path)), Action::File { kind, executable, .. }) = (target(step), &step.action)
        else {
            continue;
        };
        if failed.contains(path) {
            continue;
        }
        let known = judgement.files.get(path).cloned();
        let Ok(now) = known.map_or_else(|| look(plan, path), Ok) else {
            judgement.find("FILE_REFUSED", "PV-4", step);
            failed.insert(path.into());
            continue;
        };
        match after(path, now.as_ref(), kind, *executable) {
            Err((code, rule)) => {
                judgement.find(code, rule, step);
                failed.insert(path.into());
            }
            Ok(file) => {
                let size = |file: &Option<File>| {
                    file.as_ref().map_or(0, |file| file.content.split_inclusive('\n').count())
                };
                let (before, behind) = (size(&now), size(&file));
                if before > 0 && behind > 0 {
                    judgement.lines_known = false;
                }
                lines += before + behind;
                judgement.files.insert(path.into(), file);
            }
        }
    }
    // Modified files count as replaced here, which is an upper bound.
    let over = u64::try_from(lines).unwrap() > plan.max_changed_lines;
    if over && judgement.lines_known {
        judgement.find_in_plan("PLAN_LINE_CAP_EXCEEDED", "max_changed_lines");
    }
    judgement.lines_known |= !over;
    let complete = failed.is_empty()
        && judgement.on_cycle.is_empty()
        && plan.steps.iter().all(|step| target(step).is_ok());
    let tools = plan.steps.iter().any(|step| !matches!(step.action, Action::File { .. }));
    let as_before = |(path, file): (&String, &Option<File>)| look(plan, path).as_ref() == Ok(file);
    let files = &judgement.files;
    if complete && !tools && !files.is_empty() && files.iter().all(as_before) {
        judgement.find_in_plan("STEP_NO_EFFECT", "plan_effect");
    }
}

/// The file in the project; an error when something else is in the way.
fn look(plan: &Plan, path: &str) -> Result<Option<File>, ()> {
    if let Some(file) = plan.tree.iter().find(|file| file.path == path) {
        return Ok(Some(file.clone()));
    }
    let in_the_way = plan.tree.iter().any(|file| {
        path.starts_with(&format!("{}/", file.path)) || file.path.starts_with(&format!("{path}/"))
    });
    if in_the_way { Err(()) } else { Ok(None) }
}

fn after(
    path: &str,
    now: Option<&File>,
    kind: &Kind,
    asked: Option<bool>,
) -> Result<Option<File>, (&'static str, &'static str)> {
    let make =
        |content: String, executable: bool| Some(File { path: path.into(), content, executable });
    let there = now.ok_or(("FILE_MISSING", "exists"));
    let content = match kind {
        Kind::Create(content) | Kind::CreateByDiff(content) => {
            if now.is_some() {
                return Err(("FILE_EXISTS", "create"));
            }
            if matches!(kind, Kind::CreateByDiff(_)) && content.is_empty() {
                return Err(("DIFF_MALFORMED", "diff"));
            }
            return Ok(make(content.clone(), asked.unwrap_or(false)));
        }
        Kind::Delete => return there.map(|_| None),
        Kind::Replace(content) => {
            there?;
            content.clone()
        }
        Kind::Diff { old, new } => {
            let file = there?;
            if old == new {
                return Err(("DIFF_MALFORMED", "diff"));
            }
            if file.content != *old {
                return Err(("DIFF_MISMATCH", "diff"));
            }
            new.clone()
        }
        Kind::Edit(edits) => edited(&there?.content, edits).ok_or(("EDIT_MISMATCH", "edit"))?,
    };
    let file = there?;
    let executable = asked.unwrap_or(file.executable);
    if content == file.content && executable == file.executable {
        return Err(("STEP_NO_EFFECT", "effect"));
    }
    Ok(make(content, executable))
}

/// All edits are about the text as it is: each old text stands there once, no two
/// overlap, none writes what another looks for.
fn edited(text: &str, edits: &[(String, String)]) -> Option<String> {
    let mut spots: Vec<(usize, &str, &str)> = Vec::new();
    for (i, (old, new)) in edits.iter().enumerate() {
        let places: Vec<usize> = (0..text.len())
            .filter(|at| text.as_bytes()[*at..].starts_with(old.as_bytes()))
            .collect();
        let [only] = places[..] else { return None };
        let written_elsewhere =
            edits.iter().enumerate().any(|(j, (_, other))| i != j && other.contains(old.as_str()));
        if written_elsewhere {
            return None;
        }
        spots.push((only, old, new));
    }
    for (i, (a, old_a, _)) in spots.iter().enumerate() {
        for (b, old_b, _) in &spots[i + 1..] {
            if a < &(b + old_b.len()) && b < &(a + old_a.len()) {
                return None;
            }
        }
    }
    // From the back, so that the places before stay where they are.
    spots.sort_unstable_by_key(|spot| std::cmp::Reverse(spot.0));
    let mut text = text.to_owned();
    for (at, old, new) in spots {
        text.replace_range(at..at + old.len(), new);
    }
    Some(text)
}
