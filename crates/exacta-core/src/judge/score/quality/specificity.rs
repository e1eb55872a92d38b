//! Dimension "specificity": is everything said, or is something left for later?

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::judge::facts::FactKind;
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::QualityRow;
use crate::judge::score::wording;

/// Placeholders, example values, and steps whose text says nothing.
pub(super) fn findings(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    let mut steps = BTreeSet::new();
    let mut values = BTreeSet::new();
    for fact in basis.facts() {
        match &fact.kind {
            FactKind::PlaceholderAdded { .. } => {
                let first = steps.insert(&fact.step);
                let row =
                    if first { QualityRow::Placeholder } else { QualityRow::PlaceholderFurther };
                out.push(Evidence::of_fact(fact, row.points()));
            }
            FactKind::ExampleValue { text } if values.insert((&fact.step, text)) => {
                out.push(Evidence::of_fact(fact, QualityRow::ExampleValue.points()));
            }
            _ => {}
        }
    }
    let vague = basis.subject.draft.steps.iter().filter(|step| wording::of(step).is_vague());
    out.extend(vague.map(|step| {
        let points = QualityRow::VagueText.points();
        Evidence::of_step(&step.step_id, "the text is vague and names nothing", points)
    }));
    out
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::{Sample, kinds};

    fn specificity(sample: &Sample) -> u32 {
        sample.assess().quality.dimensions.specificity.score.get()
    }

    #[test]
    fn placeholders_cost_by_step() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        for score in [450, 200, 0, 0] {
            sample.fact(kinds::placeholder());
            assert_eq!(specificity(&sample), score);
        }
        let mut sample = Sample::new();
        for i in 0..3 {
            sample.modify(&format!("src/{i}.rs"));
            sample.fact(kinds::placeholder());
            assert_eq!(specificity(&sample), 450);
        }
        assert!(sample.assess().quality.overall.get() <= 749);
    }

    #[test]
    fn distinct_example_values_cost() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        for (text, score) in [("changeme", 800), ("changeme", 800), ("your-api-key", 600)] {
            sample.fact(kinds::example_value(text));
            assert_eq!(specificity(&sample), score);
        }
    }

    #[test]
    fn vague_text_costs_and_a_note_does_not() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.fact(kinds::todo_note());
        assert_eq!(specificity(&sample), 1000);
        sample.last_step().title = Some("Update the code".into());
        assert_eq!(specificity(&sample), 900);
        sample.last_step().title = None;
        assert_eq!(specificity(&sample), 1000);
    }
}
