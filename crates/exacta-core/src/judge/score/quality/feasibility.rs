//! Dimension "feasibility": can it be done with what there is?

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::judge::facts::{FactKind, FileRole};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::QualityRow;
use crate::model::plan::{Action, Draft, ToolCall};
use crate::model::registry;
use crate::read::parse::json::Json;
use crate::read::validate::reach;
use crate::text::shown::shown;

/// Missing inputs, files that are not ours to edit, references to nothing.
pub(super) fn findings(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = missing_inputs(basis);
    let mut steps = BTreeSet::new();
    let mut references = BTreeSet::new();
    for fact in basis.facts() {
        let row = match &fact.kind {
            FactKind::HasRole {
                role: FileRole::Generated | FileRole::Vendored | FileRole::Ignored,
            } if steps.insert(&fact.step) => QualityRow::NotOurs,
            FactKind::MissingReference { reference, .. }
                if references.insert((&fact.step, reference)) =>
            {
                QualityRow::MissingReference
            }
            _ => continue,
        };
        out.push(Evidence::of_fact(fact, row.points()));
    }
    out
}

/// Tool steps that lack what they work on, and file steps that do not fit the files.
fn missing_inputs(basis: &Basis<'_>) -> Vec<Evidence> {
    let points = QualityRow::MissingInput.points();
    let draft = basis.subject.draft;
    let applied: BTreeSet<&str> = basis.subject.changes.iter().map(|c| c.step.as_str()).collect();
    let lacking = draft.steps.iter().enumerate().filter_map(|(index, step)| {
        let finding = match &step.action {
            Action::Tool(call) => {
                let what = lacks(draft, index, call)?;
                format!("`{}` is given no {what}", shown(call.name.as_bytes()))
            }
            Action::File(_) if applied.contains(step.step_id.as_str()) => return None,
            Action::File(_) => "the step does not fit the files as they are".into(),
        };
        Some(Evidence::of_step(&step.step_id, finding, points))
    });
    lacking.collect()
}

/// What a call needs and does not have. A reference to an earlier output is something.
fn lacks(draft: &Draft, index: usize, call: &ToolCall) -> Option<&'static str> {
    let primitive = registry::find(&call.name)?;
    let reach = reach(draft, index, call, primitive);
    let given = |names: &[&str]| {
        names.iter().any(|name| !matches!(call.args.get(name), None | Some(Json::Null)))
    };
    match primitive.name {
        "ReadWeb" | "ReadSources" | "CallApi" => (reach.urls.is_empty()
            && !given(&["url", "urls", "sources", "endpoint"]))
        .then_some("address"),
        "SendEmail" => (reach.recipients.is_empty() && !given(&["draft"])).then_some("recipient"),
        "ReadVaultFile" => (!given(&["path", "paths", "file"])).then_some("file"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::{Sample, kinds};

    fn feasibility(sample: &Sample) -> u32 {
        sample.assess().quality.dimensions.feasibility.score.get()
    }

    #[test]
    fn files_of_others_cost() {
        for (path, score) in [
            ("src/a.rs", 1000),
            ("api/x_pb2.py", 800),
            ("vendor/x/y.go", 800),
            ("target/debug/x.rs", 800),
        ] {
            let mut sample = Sample::new();
            sample.modify(path);
            assert_eq!(feasibility(&sample), score, "{path}");
        }
    }

    #[test]
    fn distinct_references_to_nothing_cost() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        for (reference, score) in
            [("./a", 700), ("./a", 700), ("./b", 400), ("./c", 100), ("./d", 0)]
        {
            sample.fact(kinds::missing_reference(reference));
            assert_eq!(feasibility(&sample), score);
        }
    }

    #[test]
    fn missing_inputs_cost() {
        for (tool, args, score) in [
            ("ReadWeb", "{}", 600),
            ("ReadWeb", r#"{"url": "https://ok.example/"}"#, 1000),
            ("ReadSources", r#"{"sources": {"$ref": "step_1.output"}}"#, 1000),
            ("SendEmail", r#"{"subject": "x"}"#, 600),
            ("SendEmail", r#"{"to": "a@ok.example"}"#, 1000),
            ("CallApi", "{}", 600),
            ("ReadVaultFile", "{}", 600),
            ("ReadVaultFile", r#"{"path": "notes.txt"}"#, 1000),
            ("NotifyUser", "{}", 1000),
        ] {
            let mut sample = Sample::new();
            sample.tool(tool, args);
            assert_eq!(feasibility(&sample), score, "{tool} {args}");
        }
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.forget_changes();
        assert_eq!(feasibility(&sample), 600);
    }
}
