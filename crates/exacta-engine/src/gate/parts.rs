//! `approve --hunks`, `--rest-changes`: a person decides each part of a plan in one act.
//!
//! The chosen steps and hunks become a plan of their own, approved; the original is over,
//! and where something is wanted in place of the rest, the same entry says what.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::examine::Examined;
use exacta_core::life::ledger::Done;
use exacta_core::life::lifecycle::Verb;
use exacta_core::model::change::Change;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::PlanId;
use exacta_core::model::plan::{SelectFault, replace, select};
use exacta_core::record::PickedHunks;
use exacta_core::review::{apply_hunks, hunks};
use serde::Serialize;

use super::command::{Caller, Command};
use super::comment::{Comment, joined};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::outcome::Decided;
use super::preflight::Checked;
use super::select::Chosen;
use super::show::Shown;
use crate::proof::Proof;

/// Parts of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Whole steps.
    pub steps: BTreeSet<String>,
    /// Hunks of further steps, as the review numbers them.
    pub hunks: BTreeMap<String, BTreeSet<u32>>,
}

/// Approve parts of a plan, and ask for something else in place of the rest.
#[derive(Clone, Debug, Serialize)]
pub struct DecideParts {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, as the approver saw it.
    pub plan_hash: Option<Digest>,
    /// What is approved.
    pub parts: Parts,
    /// What is wanted in place of the rest, if anything.
    pub rest: Option<String>,
    /// What is said about single places.
    pub comments: Vec<Comment>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

impl Command for DecideParts {
    type Reply = Decided;
    const NAME: &'static str = "decide_parts";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        let policy = gate.policy()?;
        let request = joined(self.rest.as_deref(), &self.comments);
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            gate.may(&plan, Verb::Select)?;
            Gate::same_hash(&plan, self.plan_hash)?;
            let entitled = gate.entitled_to_act(&policy, &self.proof, self.plan_hash)?;
            let Some(checked) = gate.checked_to_decide(&plan, &policy)? else { continue };
            let mut chosen = choose(&checked.examined, &self.parts)
                .map_err(|fault| GateError::Select { plan_id: self.plan_id.clone(), fault })?;
            chosen.request = gate.wanted(&request, &checked, &chosen);
            let made = gate.select(caller, &plan, &checked, &chosen, &entitled, &policy)?;
            if let Some(derived) = made {
                return gate.decided(&derived, Some(self.plan_id));
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        let mut decided = gate.decided_before(&done.made)?;
        decided.original_plan_id = gate.plan(&decided.plan_id)?.created.derived_from;
        Ok(decided)
    }
}

impl Gate<'_> {
    /// Whether these parts of a plan that is shown can be chosen, before anybody is asked.
    ///
    /// # Errors
    /// When there is no such step or hunk, or something that is needed is missing.
    pub fn can_choose(shown: &Shown, parts: &Parts) -> Result<(), GateError> {
        let plan_id = shown.entry.created.plan_id.clone();
        let chosen = choose(&shown.examined, parts);
        chosen.map(drop).map_err(|fault| GateError::Select { plan_id, fault })
    }

    /// What the proposer is told: the person's words, and what was left out.
    fn wanted(&self, request: &str, shown: &Checked, chosen: &Chosen) -> Option<String> {
        if request.is_empty() {
            return None;
        }
        let mut left: Vec<String> = Vec::new();
        let taken = chosen.steps();
        for step in &shown.examined.draft().steps {
            let id = &step.step_id;
            if !taken.contains(id) {
                left.push(format!("`{id}`"));
            } else if let Some(picked) = chosen.hunks.iter().find(|picked| picked.step == *id) {
                let all =
                    images(&shown.examined, id).map_or(0, |(old, new)| hunks(&old, &new).len());
                let all = 1..=u32::try_from(all).unwrap_or(u32::MAX);
                let rest = all.filter(|number| !picked.hunks.contains(number));
                let rest: Vec<String> = rest.map(|number| number.to_string()).collect();
                left.push(format!("`{id}` hunk {}", rest.join(", ")));
            }
        }
        let left = if left.is_empty() { "nothing".into() } else { left.join("; ") };
        Some(format!("{}\nnot taken: {left}", (self.ports.mask)(request)))
    }
}

/// The two images of the one file that a step modifies.
fn images(examined: &Examined, step: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let of_step: Vec<&Change> =
        examined.changes().iter().filter(|change| change.step == step).collect();
    let [change] = of_step.as_slice() else { return None };
    let image = |digest: Digest| Some(examined.image(&digest)?.bytes().to_vec());
    Some((image(change.before?)?, image(change.after?)?))
}

/// The draft of the chosen parts.
fn choose(examined: &Examined, parts: &Parts) -> Result<Chosen, SelectFault> {
    let mut whole = parts.steps.clone();
    let mut picked: Vec<(PickedHunks, Blob)> = Vec::new();
    for (step, numbers) in &parts.hunks {
        // Who takes a whole step takes all of its hunks.
        if numbers.is_empty() || parts.steps.contains(step) {
            continue;
        }
        let known = examined.draft().steps.iter().any(|known| known.step_id == *step);
        if !known {
            // Selecting it says which steps there are.
            whole.insert(step.clone());
            continue;
        }
        let why = "it does not modify a file of which both images are text";
        let no_hunks = || SelectFault::NoHunks { step: step.clone(), why };
        let (before, after) = images(examined, step).ok_or_else(no_hunks)?;
        if before.contains(&0) || after.contains(&0) {
            return Err(no_hunks());
        }
        let image = apply_hunks(&before, &after, numbers).map_err(|fault| {
            let (number, count) = (fault.number, fault.count);
            SelectFault::NoSuchHunk { step: step.clone(), number, count }
        })?;
        if image == after {
            whole.insert(step.clone());
            continue;
        }
        let image = Blob::new(image);
        let hunks = numbers.iter().copied().collect();
        picked.push((PickedHunks { hunks, image: image.digest(), step: step.clone() }, image));
    }
    let steps = whole.into_iter().chain(picked.iter().map(|(one, _)| one.step.clone()));
    let steps: Vec<String> = steps.collect();
    let mut draft = select(examined.draft(), &steps)?;
    for (one, image) in &picked {
        replace(&mut draft, &one.step, image.clone())?;
    }
    let hunks = picked.into_iter().map(|(one, _)| one).collect();
    Ok(Chosen { draft, hunks, request: None })
}
