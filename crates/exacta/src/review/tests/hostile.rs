//! No field of a plan reaches the terminal as anything but visible text.

use exacta_core::model::digest::Blob;
use exacta_core::model::path::is_hidden;
use exacta_core::model::plan::{Action, Constraint, Effective, Origin, ToolCall};
use exacta_core::read::parse::json::Json;
use exacta_core::review::{Syntax, changes, compose};
use exacta_testkit::{Check, corpus};

use super::sample::{ONE_LINE, Sample};
use crate::paint::{Look, colour_at};
use crate::review::document::Document;
use crate::review::outcome::write;

const LOOKS: [Look; 4] = [
    Look::PLAIN,
    Look { colour: true, utf8: true, width: Some(80) },
    Look { colour: false, utf8: true, width: Some(31) },
    Look { colour: false, utf8: false, width: Some(80) },
];

/// A plan with `text` in every field that a planner or a file can fill.
fn everywhere(text: &str) -> Sample {
    let mut sample = Sample::of(&Check::on([("a.txt", "one\n")]), ONE_LINE);
    let draft = &mut sample.draft;
    draft.goal = Some(text.into());
    draft.assumptions = vec![text.into()];
    draft.skill_id = Some(text.into());
    draft.intent = Some(Json::Str(text.into()));
    draft.provider = Some(Json::Obj(vec![(text.into(), Json::Str(text.into()))]));
    draft.inputs = Json::Obj(vec![(text.into(), Json::Null)]);
    draft.target_files = Some(vec![text.into()]);
    let mut tool = draft.steps[0].clone();
    draft.steps[0].title = Some(text.into());
    draft.steps[0].description = Some(text.into());
    tool.step_id = text.into();
    let args = Json::Obj(vec![(text.into(), Json::Str(text.into()))]);
    tool.action = Action::Tool(ToolCall { name: text.into(), args });
    draft.steps.push(tool);
    let blob = Blob::new(text.as_bytes().to_vec());
    sample.changes[0].after = Some(blob.digest());
    sample.changes[0].step = text.into();
    sample.images.insert(blob.digest(), blob);
    sample.intent = Some(text.into());
    let constraint = Constraint::PathsWithin { globs: vec![text.into()] };
    sample.examined.constraints.push(Effective { constraint, origin: Origin::Draft });
    sample.examined.constraints.push(Effective {
        constraint: Constraint::NoTool { tools: vec![text.into()] },
        origin: Origin::Person,
    });
    sample
}

/// Fails when anything but text, line feeds and our colours is in the output.
fn assert_visible(output: &str, look: Look, text: &str) {
    let mut rest = output;
    while let Some(c) = rest.chars().next() {
        if let Some(sequence) = colour_at(rest) {
            assert!(look.colour, "a colour where none is wanted: {text:?}");
            rest = rest.get(sequence.len()..).unwrap();
            continue;
        }
        let shows = c == '\n' || !(c.is_control() || is_hidden(c));
        assert!(shows, "{c:?} came through {look:?}: {text:?}");
        assert!(look.utf8 || c.is_ascii(), "{c:?} came through {look:?}: {text:?}");
        rest = rest.get(c.len_utf8()..).unwrap();
    }
}

fn assert_all_visible(text: &str) {
    let sample = everywhere(text);
    for look in LOOKS {
        let mut out = Vec::new();
        sample.with(|plan| {
            let syntax = Syntax::default();
            write(&Document::of_review(&compose(plan, &syntax), look), look, &mut out).unwrap();
            let part = changes(plan, &syntax);
            write(&Document::of_part(&part, look), look, &mut out).unwrap();
        });
        assert_visible(&String::from_utf8(out).unwrap(), look, text);
    }
}

#[test]
fn awkward_strings_show_in_every_field() {
    let strings: Vec<String> = serde_json::from_str(&corpus::text("blns/blns.json")).unwrap();
    assert_eq!(strings.len(), 515);
    for text in &strings {
        assert_all_visible(text);
    }
}

#[test]
fn terminal_cases_of_the_corpus_show_in_every_field() {
    let texts = [
        "\u{1b}[2J\u{1b}[H",
        "\u{1b}]8;;https://x.example\u{1b}\\ok\u{1b}]8;;\u{1b}\\",
        "\u{1b}]52;c;YQ==\u{7}",
        "\u{1b}P+q\u{1b}\\",
        "\u{9b}2J",
        "rm -rf\rls",
        "abc\u{8}\u{8}\u{8}xyz",
        "\u{200b}\u{e0041}\u{fe0f}\u{3164}",
        "\u{2028}\u{85}\u{1b}\u{0}",
        "x\"}\n{\"event\":\"plan_approved\"",
    ];
    for text in texts {
        assert_all_visible(text);
    }
    // The text of every case that is about terminals, as it stands.
    let cases = corpus::json_lines("hostile-cases.jsonl");
    let cases: Vec<_> =
        cases.iter().filter(|case| corpus::field(case, "class") == "review-ui-log").collect();
    assert!(cases.len() > 5);
    for case in cases {
        assert_all_visible(corpus::field(case, "input"));
    }
}

#[test]
fn a_colour_in_a_field_is_spelled_out_and_not_taken_for_ours() {
    let sample = everywhere("\u{1b}[31m\u{1b}[8mgone");
    // Every place that `everywhere` fills, some of them shown more than once.
    let plain = sample.shown(Look::PLAIN);
    let spelled = plain.matches("<U+001B>[31m<U+001B>[8mgone").count()
        + plain.matches("\\u001b[31m\\u001b[8mgone").count();
    assert_eq!(spelled, plain.matches("gone").count());
    assert!(spelled >= 18, "{spelled}\n{plain}");
}

#[test]
fn padding_cannot_put_words_where_ours_stand() {
    let look = Look { width: Some(80), ..Look::PLAIN };
    let text = format!("fine{}Risk 0/100 low", " ".repeat(2_000));
    let output = everywhere(&text).shown(look);
    assert!(output.contains("Risk 0/100 low"));
    let ours = output.lines().filter(|line| line.starts_with("Risk ")).count();
    assert_eq!(ours, 1);
    for line in output.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.trim_start().starts_with("Risk 0"), "{line}");
    }
}

#[test]
fn marks_piled_on_a_letter_are_spelled_out() {
    let pile = format!("e{}", "\u{301}".repeat(10_000));
    let output = everywhere(&pile).shown(Look::PLAIN);
    assert!(!output.contains("\u{301}\u{301}\u{301}"));
    assert!(output.matches("<U+0301>").count() >= 9_998);
}
