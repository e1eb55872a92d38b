//! Every finding leads to the row that shows its line, and the model has a form for others.

use exacta_core::judge::score::Evidence;
use exacta_core::model::path::RelPath;
use exacta_core::review::{Block, Line, PartKind, Review, Row, RowKind, Side, Syntax, compose};

use super::sample::Sample;

fn evidence(step: &str, line: u32, excerpt: &str) -> Evidence {
    Evidence {
        excerpt: Some(excerpt.into()),
        finding: "found".into(),
        line: Some(line),
        path: RelPath::parse("text").ok(),
        points: 5,
        step_id: Some(step.into()),
    }
}

fn reviewed(evidence: &[Evidence]) -> Review {
    let file = |text: &str| Some((text.as_bytes().to_vec(), 0o644));
    let mut sample = Sample::of_changes([
        ("text", file("same\nold value\nend\n"), file("same\nnew value\nend\n")),
        ("text", file("same\nnew value\nend\n"), file("same\nnew value\nkey = SECRET\n")),
    ]);
    let risk = &mut sample.examined.assessment.as_mut().unwrap().risk;
    risk.factors[0].score = 5;
    risk.factors[0].evidence = evidence.to_vec();
    sample.with(|subject| compose(subject, &Syntax::default()))
}

/// Where each finding leads: image, and the row.
fn led(review: &Review) -> Vec<(Side, Option<&Row>)> {
    let part = review.parts.iter().find(|part| part.kind == PartKind::Risk).unwrap();
    let rows = part.blocks.iter().flat_map(|block| match block {
        Block::Rows(rows) => rows.as_slice(),
        _ => &[],
    });
    let anchors = rows.filter_map(|row| row.anchor.as_ref()).filter(|a| a.path.as_str() == "text");
    let row = |anchor: &exacta_core::review::Anchor| {
        let place = anchor.place?;
        match &review.parts[place.part].blocks[place.block] {
            Block::Difference(difference) => difference.rows.get(place.row),
            _ => None,
        }
    };
    anchors.map(|anchor| (anchor.side, row(anchor))).collect()
}

#[test]
fn a_finding_leads_to_its_line() {
    let review = reviewed(&[
        evidence("step_1", 2, "new value"),
        evidence("step_1", 2, "old value"),
        evidence("step_2", 3, "key = ***"),
        evidence("step_2", 99, "nowhere"),
    ]);
    let led = led(&review);
    let expected = [
        (Side::After, Some(("new value", None, Some(2)))),
        (Side::Before, Some(("old value", Some(2), None))),
        (Side::After, Some(("key = SECRET", None, Some(3)))),
        (Side::After, None),
    ];
    assert_eq!(led.len(), expected.len());
    for ((side, row), (wanted, line)) in led.into_iter().zip(expected) {
        let shown = row.map(|row| {
            let RowKind::Line(Line { before, after, .. }) = row.kind else { panic!("{row:?}") };
            (row.text(), before, after)
        });
        let line = line.map(|(text, before, after)| (text.to_owned(), before, after));
        assert_eq!((side, shown), (wanted, line));
    }
}

#[test]
fn the_model_has_a_json_form_and_a_schema() {
    let review = reviewed(&[evidence("step_1", 2, "new value")]);
    let value = serde_json::to_value(&review).unwrap();
    assert_eq!(value["files"][0]["state"], "modified");
    assert_eq!(value["files"][0]["added"], 2);
    assert_eq!(value["parts"].as_array().unwrap().len(), review.parts.len());
    let schema = serde_json::to_value(schemars::schema_for!(Review)).unwrap();
    assert!(schema["properties"]["parts"].is_object(), "{schema}");
}
