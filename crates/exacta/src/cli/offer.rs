//! Nothing runs alone until somebody chose so. After a few decisions the program says that
//! there is a choice, with what it would have meant.

use exacta_core::judge::policy::{Origin, Profile};
use exacta_engine::gate::{Gate, Outlook};

use super::door::Door;
use super::{CliError, in_force};
use crate::render::Printer;

/// The first offer comes after so many decisions; the next ones after twice as many each.
const FIRST: usize = 5;
/// So many plans are the evidence.
const PLANS: usize = 12;

/// Offers a looser profile, if nobody has chosen one yet and the time has come.
pub(super) fn after_decision(door: &Door, gate: &Gate<'_>, printer: &mut Printer) {
    let decided = gate.decided_by_people();
    if !is_due(decided) {
        return;
    }
    // What cannot be told is not offered; the decision itself is done.
    let Ok(loaded) = in_force::policy(&door.root) else { return };
    if loaded.merged.origins("profile") != [Origin::BuiltIn] {
        return;
    }
    if let Ok(Some(evidence)) = evidence(gate, Profile::Conservative) {
        printer.note(&format!(
            "{evidence}; `exacta policy set profile conservative` lets such plans run"
        ));
    }
}

/// What the newest plans would have done under a profile; nothing where none would have run.
pub(super) fn evidence(gate: &Gate<'_>, profile: Profile) -> Result<Option<String>, CliError> {
    let Outlook { plans, alone, turned_down } = gate.outlook(profile, PLANS)?;
    if alone == 0 {
        return Ok(None);
    }
    let profile = profile.as_str();
    let said_no = match turned_down {
        0 => String::new(),
        count => format!(" ({count} of them you turned down)"),
    };
    Ok(Some(format!(
        "of your last {plans} plans {alone} would have run alone under `{profile}`{said_no}"
    )))
}

/// Five decisions, ten, twenty and so on.
fn is_due(decided: usize) -> bool {
    decided.is_multiple_of(FIRST) && (decided / FIRST).is_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::is_due;

    #[test]
    fn the_offer_comes_seldom() {
        let due: Vec<usize> = (0..200).filter(|count| is_due(*count)).collect();
        assert_eq!(due, [5, 10, 20, 40, 80, 160]);
    }
}
