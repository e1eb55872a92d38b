//! An undo by somebody who may propose but not decide: the inverse of a run as a plan.
//!
//! It is an ordinary plan that goes through the decision table, waits or runs, and has a
//! way back of its own. The chain of undos, which only people walk, is not touched.

use std::collections::BTreeMap;

use exacta_core::change::{Change, FileMode};
use exacta_core::digest::Blob;

use super::command::SourceKind;
use super::create::Origin;
use super::error::GateError;
use super::handle::{From, Gate};
use super::outcome::{Outcome, UndoOutcome, UndoState};
use super::stored;
use crate::capture::{Effect, Made, draft};
use crate::log::RunJournal;
use crate::run::{Engine, RunId, UndoError};

/// The permissions that a plan can say.
const SAYABLE: [FileMode; 2] = [FileMode::from_raw(0o644), FileMode::from_raw(0o755)];

impl Gate<'_> {
    pub(super) fn propose_undo(
        &self,
        from: &From,
        name: &str,
        again: bool,
        proposer: Option<String>,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        self.recover_if_needed()?;
        let run = self.to_invert(name, again)?;
        let plan = self.plan(&run.plan_id)?;
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let id = RunId::parse(&run.run_id).map_err(|_| GateError::NoSuchRun(name.into()))?;
        let inverse = match engine.inverse(&id) {
            Ok(inverse) => inverse,
            Err(UndoError::Conflicts(drifts)) => {
                return Ok(Outcome::Undone(UndoOutcome {
                    run_id: None,
                    of: run.run_id,
                    state: UndoState::Conflict,
                    conflicts: drifts.iter().map(ToString::to_string).collect(),
                    receipt: None,
                }));
            }
            Err(error) => return Err(error.into()),
        };
        let before: BTreeMap<_, _> = inverse
            .iter()
            .map(|(change, _)| (change.path.clone(), (change.before, change.mode_before)))
            .collect();
        let made = inverse.into_iter().map(effect).collect::<Result<Vec<_>, _>>()?;
        let goal = format!("{} run {}", if again { "Redo" } else { "Undo" }, run.run_id);
        let text = draft(Some(&goal), &made);
        let draft = stored::read(SourceKind::Draft, &text).map_err(GateError::Invalid)?;
        let origin = Origin {
            kind: SourceKind::Draft,
            text,
            steps: None,
            correlation_id: plan.created.correlation_id,
            derived_from: None,
            parent: Some(plan.created.plan_id),
            intent: None,
            constraints: Vec::new(),
            proposer,
        };
        // Between our look and the examination somebody may have saved a file.
        let fits = |changes: &[Change]| {
            let same = |change: &Change| {
                before.get(&change.path) == Some(&(change.before, change.mode_before))
            };
            if changes.iter().all(same) {
                return Ok(());
            }
            let why = "files were changed while it was looked at; nothing was done";
            Err(GateError::NotUndoable(why.into()))
        };
        self.hand_in(from, &draft, origin, &policy, &fits)
    }
}

/// What a step of a plan has to do for one change, if a plan can say it.
fn effect((change, image): (Change, Option<Blob>)) -> Result<Made, GateError> {
    let unsayable = |mode: FileMode| {
        GateError::NotUndoable(format!(
            "`{}` had mode {mode}, which no plan can say; a person's undo restores it",
            change.path
        ))
    };
    let effect = match (change.before, image, change.mode_after) {
        (_, None, _) => Effect::Delete,
        (before, Some(image), mode) => {
            let changed = mode.filter(|_| before.is_none() || mode != change.mode_before);
            if let Some(mode) = changed.filter(|mode| !SAYABLE.contains(mode)) {
                return Err(unsayable(mode));
            }
            let executable = changed.map(FileMode::is_executable);
            let bytes = image.bytes().to_vec();
            match before {
                None => Effect::Create { bytes, executable: executable.unwrap_or(false) },
                Some(_) => Effect::Modify { bytes, executable },
            }
        }
    };
    Ok(Made { path: change.path, effect })
}
