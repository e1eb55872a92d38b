//! Floors: effects outside the project, and what a step says against itself.

use alloc::vec::Vec;

use super::model::Floor;
use crate::judge::score::basis::Basis;
use crate::judge::score::class::Classed;
use crate::judge::score::table::FloorRow;
use crate::model::plan::{Action, RiskTier, Step};
use crate::model::registry::{self, Effect};
use crate::text::shown::shown;

/// The floor of the class, then every floor of every step, in the order of the steps.
pub(super) fn of(basis: &Basis<'_>, classed: Option<&Classed>) -> Vec<Floor> {
    let steps = basis.subject.draft.steps.iter();
    let of_steps = steps.flat_map(|step| by_effect(step).into_iter().chain(by_claim(step)));
    classed.and_then(by_class).into_iter().chain(of_steps).collect()
}

/// What the plan does to files.
fn by_class(classed: &Classed) -> Option<Floor> {
    let at_least = Some(classed.class.floor()).filter(|floor| *floor > 0)?;
    let step_id = classed.evidence.step_id.clone().unwrap_or_default();
    let reason = format!("{} ({})", classed.class, classed.reason);
    Some(Floor { at_least, reason, step_id })
}

fn by_effect(step: &Step) -> Option<Floor> {
    let Action::Tool(call) = &step.action else { return None };
    // What is not in the registry could do anything.
    let effect = registry::find(&call.name).map_or(Effect::Send, |primitive| primitive.effect);
    let (row, does) = match effect {
        Effect::Read => return None,
        Effect::DraftWrite => (FloorRow::DraftWrite, "writes a draft"),
        Effect::BulkWrite => (FloorRow::Outward, "writes many things"),
        Effect::Publish => (FloorRow::Outward, "publishes"),
        Effect::Send => (FloorRow::Outward, "sends"),
    };
    let reason = format!("`{}` {does}", shown(call.name.as_bytes()));
    Some(Floor { step_id: step.step_id.clone(), at_least: row.at_least(), reason })
}

/// A claim counts only upwards.
fn by_claim(step: &Step) -> Option<Floor> {
    let (row, word) = match step.risk_tier? {
        RiskTier::Low => return None,
        RiskTier::Medium => (FloorRow::ClaimsMedium, "MEDIUM"),
        RiskTier::High => (FloorRow::ClaimsHigh, "HIGH"),
    };
    let reason = format!("the step claims `risk_tier` {word}");
    Some(Floor { step_id: step.step_id.clone(), at_least: row.at_least(), reason })
}

#[cfg(test)]
mod tests {
    use crate::judge::score::Level;
    use crate::judge::score::sample::{Sample, kinds};
    use crate::model::plan::RiskTier;
    use crate::model::registry::{Effect, PRIMITIVES};

    #[test]
    fn tools_raise_the_risk_to_the_floor_of_their_effect() {
        for primitive in PRIMITIVES {
            let mut sample = Sample::new();
            sample.tool(primitive.name, "{}");
            let risk = sample.assess().risk;
            let floor = match primitive.effect {
                Effect::Read => 0,
                Effect::DraftWrite => 31,
                Effect::BulkWrite | Effect::Publish | Effect::Send => 66,
            };
            assert_eq!(risk.score, floor, "{}", primitive.name);
            assert_eq!(risk.floors.len(), usize::from(floor > 0));
        }
        let mut sample = Sample::new();
        sample.tool("Unheard", "{}");
        assert_eq!(sample.assess().risk.score, 66);
    }

    #[test]
    fn claims_only_tighten() {
        for (claim, score) in [
            (None, 0),
            (Some(RiskTier::Low), 0),
            (Some(RiskTier::Medium), 31),
            (Some(RiskTier::High), 66),
        ] {
            let mut sample = Sample::new();
            sample.modify("a.txt");
            sample.last_step().risk_tier = claim;
            assert_eq!(sample.assess().risk.score, score, "{claim:?}");
        }
        let mut sample = Sample::new();
        (0..9).for_each(|i| sample.delete(&format!("d{i}/f")));
        sample.last_step().risk_tier = Some(RiskTier::Low);
        assert!(sample.assess().risk.score > 31);
    }

    #[test]
    fn all_factors_at_their_caps_make_a_hundred() {
        let mut sample = Sample::new();
        for i in 0..20 {
            sample.delete(&format!("d{i}/f"));
            sample.fact(kinds::public_removed());
            sample.fact(kinds::secret_added());
            sample.fact(kinds::complexity(None, 50));
            sample.fact(kinds::submodule());
        }
        let risk = sample.assess().risk;
        assert_eq!(risk.factors.iter().map(|f| f.score).sum::<u32>(), 120);
        assert!(risk.factors.iter().all(|factor| factor.score == factor.max));
        assert_eq!((risk.score, risk.level, risk.tier), (100, Level::High, RiskTier::High));
    }

    #[test]
    fn levels_change_where_the_table_says() {
        for (score, level) in [
            (0, Level::Low),
            (30, Level::Low),
            (31, Level::Medium),
            (65, Level::Medium),
            (66, Level::High),
            (100, Level::High),
        ] {
            assert_eq!(Level::of(score), level);
        }
    }
}
