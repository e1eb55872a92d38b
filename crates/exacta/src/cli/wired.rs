//! Which agents are wired to the gate here, and whether their hooks refuse what they must.

use std::env;
use std::path::{Path, PathBuf};

use super::door::Door;
use super::{CliError, connect};
use crate::agent::switches::{self, Found};
use crate::agent::wiring::{Agent, Piece, Wiring};
use crate::agent::{probe, trusted};
use crate::wire::Mood;

type Said = Vec<(Mood, String)>;

/// What there is to say about every agent that is wired.
pub(super) fn look(door: &Door) -> Result<Said, CliError> {
    let project = PathBuf::from(door.root.id().path);
    let exacta = connect::program()?;
    let mut said = Said::new();
    for agent in Agent::ALL {
        let wiring = agent.wiring(&exacta);
        let name = wiring.name;
        match pieces(&wiring, &project) {
            Wired::Not => {}
            Wired::InPart(why) => said.push((
                Mood::Bad,
                format!("{name} is wired in part{why}; run `exacta connect` for it again"),
            )),
            Wired::Whole => asked(agent, &wiring, &exacta, &project, &mut said),
        }
    }
    Ok(said)
}

/// How much of a wiring is there.
enum Wired {
    Not,
    InPart(&'static str),
    Whole,
}

fn pieces(wiring: &Wiring, project: &Path) -> Wired {
    let texts = wiring.found_by_hand(project);
    if !texts.is_empty() {
        let switched = texts.iter().all(|text| text.contains("on_failure"));
        let lacks = wiring.printed.as_ref().is_some_and(|text| text.contains("on_failure"));
        return if lacks && !switched {
            Wired::InPart(", without `on_failure`")
        } else {
            Wired::Whole
        };
    }
    let set = |piece: &&&Piece| piece.is_set(project).unwrap_or(false);
    let hooks: Vec<_> = wiring.pieces.iter().filter(|piece| piece.is_hook()).collect();
    match hooks.iter().filter(set).count() {
        0 if hooks.iter().any(|piece| piece.is_alike(project)) => {
            Wired::InPart(", or otherwise than this version does it")
        }
        0 => Wired::Not,
        count if count < hooks.len() => Wired::InPart(""),
        _ => Wired::Whole,
    }
}

/// Asks the hook for something that it must refuse, and looks what keeps the host from asking.
fn asked(agent: Agent, wiring: &Wiring, exacta: &str, project: &Path, said: &mut Said) {
    let name = wiring.name;
    match probe::refuses(agent, exacta, project) {
        Ok(true) => {}
        Ok(false) => {
            let text = format!("the hook of {name} lets a command through that must not run");
            return said.push((Mood::Bad, text));
        }
        Err(why) => {
            return said.push((Mood::Bad, format!("the hook of {name} cannot be asked: {why}")));
        }
    }
    let version = connect::version(wiring.program);
    let shown = version.as_deref().unwrap_or("not found on PATH");
    let measured = wiring.measured.map_or_else(
        || "nothing is measured with the real program".to_owned(),
        |seen| format!("measured: {seen}"),
    );
    said.push((
        Mood::Good,
        format!(
            "{name} ({shown}) is wired, and its hook refuses what it must; {measured}; documented, \
             not measured: {}",
            wiring.gaps
        ),
    ));
    let Some(home) = env::var_os("HOME").map(PathBuf::from) else { return };
    if trusted::calls_hooks(agent, &home, project) == Some(false) {
        said.push((
            Mood::Bad,
            format!(
                "{name} has not written down that it trusts this folder; until then it calls no \
                 hook here, and its tools run"
            ),
        ));
    }
    for found in switches::found(agent, &home, project, version.as_deref()) {
        said.push(match found {
            Found::Off(what) => {
                (Mood::Bad, format!("{name} calls no hook here, and its tools run: {what}"))
            }
            Found::Know(what) => (Mood::Know, format!("{name} {what}")),
        });
    }
}
