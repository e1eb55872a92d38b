//! A small model of the gate that knows nothing of records, hashes or signatures: plans
//! are a list, files are a map, and every rule is written out once more.

use std::collections::BTreeMap;

use exacta_core::judge::policy::Profile;
use exacta_core::life::lifecycle::{Moment, State};

/// How a command ends, as far as the model tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Pending,
    AutoApproved,
    UserApproved,
    Rejected,
    Expired,
    NotApproved,
    AlreadyApproved,
    Used,
    Blocked,
    CeilingDenies,
    BadSelection,
    NotUndoable,
    Conflict,
    NoEffect,
}

pub(crate) type Files = BTreeMap<String, String>;

/// A step: a file gets this content; whether it has to be there decides the kind.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its place in the draft that was handed in, which it keeps when it is selected.
    pub(crate) number: usize,
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) creates: bool,
}

/// What somebody proposes.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) steps: Vec<Step>,
    /// Whether the second step needs the first.
    pub(crate) chained: bool,
    pub(crate) asks: bool,
}

/// What a plan was made under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) tokens: u64,
    pub(crate) profile: Profile,
    pub(crate) ceiling: Profile,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) draft: Draft,
    pub(crate) state: State,
    pub(crate) cause: Option<&'static str>,
    born: Moment,
    rules: Rules,
    seen: BTreeMap<String, Option<String>>,
    configuration: Option<String>,
    used: bool,
    /// The plan that it was made in place of.
    renews: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    before: BTreeMap<String, Option<String>>,
    after: BTreeMap<String, Option<String>>,
    is_undo: bool,
    undone_by: Option<usize>,
}

/// The project.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) files: Files,
    pub(crate) configuration: Option<String>,
    pub(crate) rules: Rules,
    pub(crate) now: Moment,
    newest: Option<Moment>,
    /// The rules that were noted last.
    noted: Option<Rules>,
    /// When plans ran that nobody was asked about, and at what risk.
    unasked: Vec<(Moment, u64)>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) runs: Vec<Run>,
}

const TTL: u64 = 30 * 60_000;
/// So much risk may go unasked within so long a time.
const BUDGET: u64 = 65;
const WINDOW: u64 = 10 * 60_000;

impl Reference {
    pub(crate) fn new(files: Files, configuration: String, rules: Rules, now: Moment) -> Self {
        let configuration = Some(configuration);
        let (newest, noted, unasked) = (None, None, Vec::new());
        let (plans, runs) = (Vec::new(), Vec::new());
        Self { files, configuration, rules, now, newest, noted, unasked, plans, runs }
    }

    /// A command begins: once a change of rules was noted, every further one is.
    pub(crate) fn begin(&mut self) {
        if self.noted.is_some() {
            self.note_rules();
        }
    }

    fn note_rules(&mut self) {
        if self.noted.as_ref() != Some(&self.rules) {
            self.noted = Some(self.rules.clone());
            self.note();
        }
    }

    /// Something was recorded now.
    pub(crate) fn note(&mut self) {
        let now = self.now.clone();
        self.newest = Some(match self.newest.take() {
            Some(newest) if newest.boot == now.boot => Moment {
                boottime_ms: newest.boottime_ms.max(now.boottime_ms),
                wall_ms: newest.wall_ms.max(now.wall_ms),
                boot: now.boot,
            },
            _ => now,
        });
    }

    fn effective(&self) -> Profile {
        self.rules.profile.min(self.rules.ceiling)
    }

    fn make(&mut self, draft: &Draft) -> usize {
        // A step must be right about what is there, and change it.
        let sound = draft.steps.iter().all(|step| match self.files.get(&step.path) {
            Some(there) => !step.creates && *there != step.content,
            None => step.creates,
        });
        let seen = draft
            .steps
            .iter()
            .map(|step| (step.path.clone(), self.files.get(&step.path).cloned()))
            .collect();
        self.plans.push(Plan {
            draft: draft.clone(),
            state: if sound { State::Pending } else { State::Rejected },
            cause: None,
            born: self.now.clone(),
            rules: self.rules.clone(),
            seen,
            configuration: self.configuration.clone(),
            used: false,
            renews: None,
        });
        self.note();
        self.plans.len() - 1
    }

    pub(crate) fn propose(&mut self, draft: &Draft) -> End {
        // More than one file is all that is risky here.
        let risk = if draft.steps.len() > 1 { 5 } else { 0 };
        let within = self.lately_unasked() + risk <= BUDGET;
        let alone = !draft.asks && self.effective() != Profile::Manual && within;
        let at = self.make(draft);
        let plan = &mut self.plans[at];
        if plan.state == State::Pending && alone {
            plan.state = State::AutoApproved;
            self.unasked.push((self.now.clone(), risk));
        }
        match plan.state {
            State::Pending => End::Pending,
            State::AutoApproved => End::AutoApproved,
            _ => End::Rejected,
        }
    }

    /// The risk of what ran unasked within the window, by the clock that says less.
    fn lately_unasked(&self) -> u64 {
        let now = &self.now;
        let ago = |then: &Moment| {
            let wall = now.wall_ms.saturating_sub(then.wall_ms);
            let up = now.boottime_ms.saturating_sub(then.boottime_ms);
            if now.boot == then.boot { wall.min(up) } else { wall }
        };
        let late = self.unasked.iter().filter(|(then, _)| ago(then) < WINDOW);
        late.map(|(_, risk)| risk).sum()
    }

    /// Whether the plan's time is over.
    fn is_over(&self, plan: &Plan) -> bool {
        let now = &self.now;
        let late = now.boottime_ms >= plan.born.boottime_ms + TTL
            || now.wall_ms >= plan.born.wall_ms + TTL;
        let back = self.newest.as_ref().is_some_and(|newest| {
            newest.boot == now.boot
                && (now.boottime_ms < newest.boottime_ms || now.wall_ms < newest.wall_ms)
        });
        now.boot != plan.born.boot || late || back
    }

    fn expire(&mut self, at: usize, cause: &'static str) -> End {
        let over = self.is_over(&self.plans[at]);
        let plan = &mut self.plans[at];
        (plan.state, plan.cause) = (State::Expired, Some(if over { "deadline" } else { cause }));
        self.note();
        End::Expired
    }

    /// What stands in the way of a verb on a plan that must be pending or approved.
    fn stands(&mut self, at: usize, wants: &[State]) -> Option<End> {
        let plan = &self.plans[at];
        match plan.state {
            State::Rejected => return Some(End::Rejected),
            State::Expired => return Some(End::Expired),
            _ if plan.used => return Some(End::Used),
            _ => {}
        }
        if self.is_over(plan) {
            return Some(self.expire(at, "deadline"));
        }
        match plan.state {
            state if wants.contains(&state) => None,
            State::Pending => Some(End::NotApproved),
            _ => Some(End::AlreadyApproved),
        }
    }

    fn changed(&self, plan: &Plan) -> Option<&'static str> {
        if plan.configuration != self.configuration {
            return Some("configuration_changed");
        }
        let same = plan.seen.iter().all(|(path, then)| self.files.get(path) == then.as_ref());
        (!same).then_some("targets_changed")
    }

    /// What the preflight says.
    fn preflight(&mut self, at: usize) -> Option<End> {
        let plan = self.plans[at].clone();
        if let Some(cause) = self.changed(&plan) {
            return Some(self.expire(at, cause));
        }
        if self.rules.ceiling > plan.rules.ceiling
            || self.rules.profile != plan.rules.profile
            || self.rules.tokens != plan.rules.tokens
        {
            self.note_rules();
            return Some(End::Blocked);
        }
        let stricter = self.rules.ceiling < plan.rules.ceiling;
        if stricter && plan.state == State::AutoApproved && self.effective() == Profile::Manual {
            return Some(End::CeilingDenies);
        }
        None
    }

    pub(crate) fn approve(&mut self, at: usize) -> End {
        if let Some(end) = self.stands(at, &[State::Pending]) {
            return end;
        }
        if let Some(end) = self.preflight(at) {
            return end;
        }
        self.plans[at].state = State::UserApproved;
        self.note();
        End::UserApproved
    }

    pub(crate) fn select(&mut self, at: usize, steps: &[usize]) -> End {
        if let Some(end) = self.stands(at, &[State::Pending]) {
            return end;
        }
        if let Some(end) = self.preflight(at) {
            return end;
        }
        let draft = self.plans[at].draft.clone();
        let broken = draft.chained && steps.contains(&1) && !steps.contains(&0);
        let is_there = |wanted: &usize| draft.steps.iter().any(|step| step.number == *wanted);
        if steps.is_empty() || broken || !steps.iter().all(is_there) {
            return End::BadSelection;
        }
        let mut chosen = draft.clone();
        chosen.steps.retain(|step| steps.contains(&step.number));
        chosen.chained &= chosen.steps.len() == 2;
        let derived = self.make(&chosen);
        self.plans[derived].state = State::UserApproved;
        let original = &mut self.plans[at];
        (original.state, original.cause) = (State::Expired, Some("steps_selected"));
        End::UserApproved
    }

    pub(crate) fn reject(&mut self, at: usize) -> End {
        if let Some(end) = self.stands(at, &[State::Pending]) {
            return end;
        }
        self.plans[at].state = State::Rejected;
        self.note();
        End::Rejected
    }

    pub(crate) fn pause(&mut self, at: usize) -> End {
        if let Some(end) = self.stands(at, &[State::Pending]) {
            return end;
        }
        self.note();
        End::Pending
    }

    pub(crate) fn changes(&mut self, at: usize) -> End {
        let live = [State::Pending, State::AutoApproved, State::UserApproved];
        if let Some(end) = self.stands(at, &live) {
            return end;
        }
        let plan = &mut self.plans[at];
        (plan.state, plan.cause) = (State::Expired, Some("changes_requested"));
        self.note();
        End::Expired
    }

    pub(crate) fn renew(&mut self, at: usize) -> End {
        let plan = self.plans[at].clone();
        if plan.state == State::Rejected {
            return End::Rejected;
        }
        if let Some(fresh) = self.renewed_already(at) {
            return match fresh.state {
                State::Pending => End::Pending,
                _ => End::UserApproved,
            };
        }
        if plan.state != State::Expired && !plan.used {
            let over = self.is_over(&plan);
            let old = &mut self.plans[at];
            old.state = State::Expired;
            old.cause = Some(if over { "deadline" } else { "renewed" });
        }
        let fresh = self.make(&plan.draft);
        self.plans[fresh].renews = Some(at);
        if self.plans[fresh].state == State::Rejected { End::Rejected } else { End::Pending }
    }

    /// What took the place of a plan, and of what did, as long as it can be decided on or run.
    fn renewed_already(&self, at: usize) -> Option<&Plan> {
        let mut newest = at;
        while let Some(fresh) = self.plans.iter().rposition(|plan| plan.renews == Some(newest)) {
            newest = fresh;
        }
        let plan = self.plans.get(newest).filter(|_| newest != at)?;
        let open = matches!(plan.state, State::Pending | State::UserApproved) && !plan.used;
        (open && !self.is_over(plan) && self.changed(plan).is_none()).then_some(plan)
    }

    pub(crate) fn run(&mut self, at: usize) -> End {
        let approved = [State::AutoApproved, State::UserApproved];
        if let Some(end) = self.stands(at, &approved) {
            return end;
        }
        if let Some(end) = self.preflight(at) {
            return end;
        }
        let plan = &self.plans[at];
        let before = plan.seen.clone();
        let after: BTreeMap<_, _> = plan
            .draft
            .steps
            .iter()
            .map(|step| (step.path.clone(), Some(step.content.clone())))
            .collect();
        if before == after {
            return End::NoEffect;
        }
        self.put(&after);
        self.plans[at].used = true;
        self.runs.push(Run { before, after, is_undo: false, undone_by: None });
        self.note();
        End::Done
    }

    fn put(&mut self, images: &BTreeMap<String, Option<String>>) {
        for (path, content) in images {
            match content {
                Some(content) => drop(self.files.insert(path.clone(), content.clone())),
                None => drop(self.files.remove(path)),
            }
        }
    }

    pub(crate) fn undo(&mut self, at: usize, again: bool) -> End {
        // A run, its undo, the undo's redo and so on: the newest of them counts.
        let mut at = at;
        while let Some(by) = self.runs[at].undone_by {
            at = by;
        }
        let run = self.runs[at].clone();
        if run.is_undo != again {
            return End::NotUndoable;
        }
        if run.after.iter().any(|(path, after)| self.files.get(path) != after.as_ref()) {
            return End::Conflict;
        }
        self.put(&run.before);
        self.runs[at].undone_by = Some(self.runs.len());
        let (before, after) = (run.after, run.before);
        self.runs.push(Run { before, after, is_undo: !again, undone_by: None });
        self.note();
        End::Done
    }

    /// Looks at every live plan; how many expired.
    pub(crate) fn sweep(&mut self) -> usize {
        let mut expired = 0;
        for at in 0..self.plans.len() {
            let plan = self.plans[at].clone();
            let dead = matches!(plan.state, State::Rejected | State::Expired) || plan.used;
            if dead {
                continue;
            }
            let cause = self.changed(&plan);
            if cause.is_some() || self.is_over(&plan) {
                self.expire(at, cause.unwrap_or("deadline"));
                expired += 1;
            }
        }
        expired
    }
}
