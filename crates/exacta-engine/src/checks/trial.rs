//! A check on the files as they are: whether it passes here at all, before it judges any run.

use std::path::Path;

use crate::checks::check::{Check, Outcome, Why};
use crate::checks::conduct;
use crate::checks::line::NetworkReach;
use crate::checks::room::Room;
use crate::checks::view::{Errand, ViewFolder};
use crate::run::{CheckProgress, Watch};
use crate::workspace::Workspace;

/// Runs a command as a check would, on a private view of the project as it is now. Nothing is
/// changed.
///
/// # Errors
/// [`Why`] it was not run to its end.
pub fn try_out(
    project: &dyn Workspace,
    check: &Check,
    room: &Room,
    watch: &dyn Watch,
) -> Result<Outcome, Why> {
    let errand = Errand {
        command: &check.command,
        folder: Path::new(""),
        input: None,
        network: &NetworkReach::Nothing,
        home: None,
    };
    let mut refusals = Vec::new();
    for kind in &room.views {
        let folder = match ViewFolder::plain(project, &room.scratch, *kind) {
            Err(Why::NoView(refusal)) => {
                refusals.push(refusal);
                continue;
            }
            other => other?,
        };
        let request = folder.errand(room, &errand)?;
        let progress = CheckProgress::new(&check.name, 0, 1);
        let timeout = Some(check.timeout);
        let ended =
            conduct::conduct(room, &request, timeout, watch, progress, conduct::Output::Keep);
        match ended {
            Err(Why::NoView(refusal)) => refusals.push(refusal),
            Err(why) => return Err(why),
            Ok(ended) => {
                return Ok(Outcome {
                    name: check.name.clone(),
                    verdict: ended.verdict,
                    output: ended.output,
                    took: ended.took,
                    view: *kind,
                });
            }
        }
    }
    Err(Why::NoView(refusals.join("; ")))
}
