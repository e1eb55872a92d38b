//! 515 awkward strings in every text field: what goes in comes out, byte for byte.

use exacta_core::judge::examine::Verdict;
use exacta_core::model::plan::{Action, Content, Draft, Payload};
use exacta_core::read::parse::json::Json;
use exacta_core::read::parse::{Limits, draft};
use exacta_testkit::{Check, corpus};
use serde_json::{Value, json};

fn strings() -> Vec<String> {
    let strings: Vec<String> = serde_json::from_slice(&corpus::bytes("blns/blns.json")).unwrap();
    assert_eq!(strings.len(), 515);
    strings
}

fn parse(text: &str) -> Draft {
    draft(text.as_bytes(), Limits::default()).unwrap_or_else(|issues| panic!("{text}: {issues:#?}"))
}

/// A draft with the string in every field that takes any text.
fn everywhere(text: &str) -> Value {
    // An edit replaces something, so its old text is never empty.
    let old = format!("<{text}>");
    let added = text.replace('\n', "\n+");
    let count = text.split('\n').count();
    let diff = format!("--- /dev/null\n+++ b/diffed\n@@ -0,0 +1,{count} @@\n+{added}\n");
    json!({
        "goal": text, "assumptions": [text, "x", text], "skill_id": text,
        "inputs": {"k": text, format!("key {text}"): [text, {"deep": text}]},
        "intent": text, "provider": {"name": text},
        "steps": [
            {"step_id": "a", "title": text, "description": text, "dependencies": [],
             "type": "file_create", "target": "created", "content": text},
            {"step_id": "b", "dependencies": [],
             "type": "file_modify", "target": "replaced", "content": text},
            {"step_id": "c", "dependencies": [], "type": "file_modify", "target": "edited",
             "edits": [{"old": old, "new": text}]},
            {"step_id": "d", "dependencies": [],
             "type": "file_create", "target": "diffed", "diff": diff},
            {"step_id": "e", "dependencies": [],
             "tool": {"name": "NotifyUser", "args": {"message": text, "list": [text]}}},
            {"step_id": "f", "dependencies": [], "tool": {"name": text.to_owned() + "!"}}
        ]
    })
}

#[test]
fn every_text_field_keeps_every_string() {
    for text in strings() {
        let given = everywhere(&text);
        let read = parse(&given.to_string());
        assert_eq!(read.goal.as_deref(), Some(text.as_str()));
        assert_eq!(read.assumptions, [text.as_str(), "x", text.as_str()]);
        assert_eq!(read.skill_id.as_deref(), Some(text.as_str()));
        assert_eq!(read.inputs.get("k"), Some(&Json::Str(text.clone())));
        let Some(Json::Arr(under)) = read.inputs.get(&format!("key {text}")) else {
            panic!("{text:?} is no key")
        };
        assert_eq!(under[0], Json::Str(text.clone()));
        assert_eq!(under[1].get("deep"), Some(&Json::Str(text.clone())));
        assert_eq!(read.intent, Some(Json::Str(text.clone())));
        assert_eq!(
            read.provider.as_ref().and_then(|p| p.get("name")),
            Some(&Json::Str(text.clone()))
        );
        assert_eq!(read.steps[0].title.as_deref(), Some(text.as_str()));
        assert_eq!(read.steps[0].description.as_deref(), Some(text.as_str()));
        let payload = |step: usize| match &read.steps[step].action {
            Action::File(file) => &file.payload,
            Action::Tool(_) => panic!("a file step"),
        };
        let (Payload::Create(Content::Text(made)), Payload::Replace(Content::Text(written))) =
            (payload(0), payload(1))
        else {
            panic!("text contents")
        };
        assert_eq!((made.bytes(), written.bytes()), (text.as_bytes(), text.as_bytes()));
        let Payload::Edit(edits) = payload(2) else { panic!("edits") };
        assert_eq!((edits[0].old.as_str(), &edits[0].new), (format!("<{text}>").as_str(), &text));
        let Payload::CreateDiff(diff) = payload(3) else { panic!("a diff") };
        assert_eq!(Value::String(diff.clone()), given["steps"][3]["diff"]);
        let tool = |step: usize| match &read.steps[step].action {
            Action::Tool(call) => call,
            Action::File(_) => panic!("a tool step"),
        };
        assert_eq!(tool(4).args.get("message"), Some(&Json::Str(text.clone())));
        assert_eq!(tool(5).name, format!("{text}!"));

        // The normalised form is itself a draft, and the same one.
        let normalised = serde_json::to_string(&read).unwrap();
        let again = parse(&normalised);
        assert_eq!(serde_json::to_string(&again).unwrap(), normalised, "{text:?}");
        assert_eq!(parse(&serde_json::to_string(&again).unwrap()), again, "{text:?}");
    }
}

#[test]
fn every_string_arrives_in_the_file() {
    for text in strings() {
        let mut given = everywhere(&text);
        let steps = given["steps"].as_array_mut().unwrap();
        steps.truncate(4);
        let check = Check::on([
            ("replaced", "something that stands nowhere else: \u{1F5FF}\u{1F5FF}".to_owned()),
            ("edited", format!("before\r\n<{text}>\nafter")),
        ]);
        let examined = check.text(given.to_string()).unwrap();
        let Verdict::Sound(plan) = &examined.verdict else {
            panic!("{text:?}: {:#?}", examined.issues)
        };
        let expected = [
            ("created", text.clone()),
            ("replaced", text.clone()),
            ("edited", format!("before\r\n{text}\nafter")),
            ("diffed", format!("{text}\n")),
        ];
        assert_eq!(plan.changes().len(), expected.len());
        for (path, content) in expected {
            let change = plan.changes().iter().find(|change| change.path.as_str() == path).unwrap();
            let image = plan.image(&change.after.unwrap()).unwrap();
            assert_eq!(image.bytes(), content.as_bytes(), "{path}: {text:?}");
        }
    }
}
