//! What a plan hash covers: every leaf, and nothing that is only spelling.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code reports by panicking")]

use std::collections::BTreeMap;

use exacta_core::judge::policy::Profile;
use exacta_core::model::digest::Digest;
use exacta_core::model::plan::Constraint;
use exacta_core::read::parse::constraint_from_words;
use exacta_testkit::budget::is_full;
use exacta_testkit::spelling::respell;
use exacta_testkit::{Check, Rng};
use serde_json::{Value, json};

/// The project and policy that the drafts below are sound on.
fn project() -> Check {
    let mut check = Check::on([
        ("src/a.rs", "one\ntwo\nthree\n"),
        ("src/b.rs", "fn main() {}\n"),
        ("src/c.rs", "alpha beta gamma\n"),
        ("old.txt", "gone\n"),
    ]);
    check.policy.allowed_domains = ["ok.example".to_owned(), "two.example".to_owned()].into();
    check.policy.allowed_recipients = ["ok@corp.com".to_owned(), "two@corp.com".to_owned()].into();
    check
}

/// Drafts that together use every field of the format.
fn drafts() -> Vec<Value> {
    vec![
        json!({
            "plan_version": 1, "goal": "tidy \u{e9}\u{1F600}", "assumptions": ["tests pass", "a/b"],
            "inputs": {"n": 1, "r": 1.5, "t": true, "z": null, "list": ["x", {"deep": "y"}]},
            "skill_id": "code.edit", "execution": "atomic",
            "intent": "tidy up", "provider": {"id": "p", "tier": "free"},
            "estimated_tokens": 9000, "estimated_duration": 10,
            "target_files": ["src/a.rs", "src/b.rs", "src/c.rs", "new.bin", "new.sh", "old.txt"],
            "constraints": [
                {"kind": "paths_within", "globs": ["src/**", "new.*", "old.txt"]},
                {"kind": "paths_except", "globs": ["secret/**"]},
                {"kind": "no_new_dependencies"}, {"kind": "max_files", "max": 9},
                {"kind": "max_changed_lines", "max": 99}, {"kind": "must_touch", "globs": ["src/*.rs"]},
                {"kind": "no_tool", "tools": ["CallApi"]}
            ],
            "steps": [
                {"step_id": "step_1", "title": "change a", "description": "two becomes 2",
                 "order": 1, "dependencies": [], "requires_approval": true, "risk_tier": "MEDIUM",
                 "type": "file_modify", "target": "src/a.rs",
                 "diff": "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
                {"step_id": "step_2", "order": 2, "dependencies": ["step_1"], "type": "file_modify",
                 "target": "src/b.rs", "content": "fn main() { a(); }\n", "mode": "0755"},
                {"step_id": "step_3", "order": 3, "dependencies": ["step_1", "step_2"],
                 "type": "file_modify", "target": "src/c.rs",
                 "edits": [{"old": "alpha", "new": "1"}, {"old": "gamma", "new": "3"}]},
                {"step_id": "step_4", "order": 4, "dependencies": [], "type": "file_create",
                 "target": "new.bin", "content_base64": "AAEC"},
                {"step_id": "step_5", "order": 5, "dependencies": [], "type": "file_create",
                 "target": "new.sh", "mode": "0644",
                 "diff": "--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+echo\n"},
                {"step_id": "step_6", "order": 6, "dependencies": [], "type": "file_delete",
                 "target": "old.txt"}
            ]
        }),
        json!({
            "plan_version": 1, "recipe": "InboxTriage", "goal": "mail", "execution": "contract",
            "inputs": {"web_source_url": "https://ok.example/a", "inbox_source_text": "hello",
                       "daily_sources": ["https://two.example/"]},
            "allowed_primitives": ["ReadWeb", "SendEmail", "NotifyUser"],
            "web_allowed_domains": ["ok.example", "two.example"],
            "recipient_hints": ["ok@corp.com", "two@corp.com"],
            "constraints": [{"kind": "domains", "domains": ["ok.example"]},
                            {"kind": "recipients", "recipients": ["ok@corp.com"]},
                            {"kind": "tests_required"}, {"kind": "no_delete"}],
            "steps": [
                {"step_id": "read", "tool": {"name": "ReadWeb", "args": {"url": "https://ok.example/a", "pages": 2}}},
                {"step_id": "tell", "dependencies": ["read"],
                 "tool": {"name": "NotifyUser", "args": {"message": {"$ref": "read.output"}, "n": [1, 2.5, null, false]}}},
                {"step_id": "send", "dependencies": ["read"], "requires_approval": false, "risk_tier": "LOW",
                 "tool": {"name": "SendEmail", "args": {"to": ["ok@corp.com"], "subject": "s", "body": "b"}}}
            ]
        }),
    ]
}

/// Another value of the same type at a leaf, as valid there as the format allows.
fn other(pointer: &str, value: &Value) -> Option<Value> {
    let key = pointer.rsplit('/').next().unwrap();
    Some(match value {
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) if key == "plan_version" => {
            // There is one version; a draft of any other is refused before it has a hash.
            assert_eq!(number.as_u64(), Some(1));
            return None;
        }
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!(whole + 1),
            None => json!(number.as_f64().unwrap() + 0.25),
        },
        Value::String(text) => json!(match (key, text.as_str()) {
            ("execution", "atomic") => "contract",
            ("execution", _) => "atomic",
            ("recipe", _) => "Custom",
            (_, "CallApi") if pointer.starts_with("/constraints/") => "SendEmail",
            ("risk_tier", "MEDIUM") => "HIGH",
            ("risk_tier", _) => "MEDIUM",
            ("mode", "0755") => "0644",
            ("mode", _) => "0755",
            ("content_base64", _) => "AAED",
            ("kind", "paths_within") => "paths_except",
            ("kind", "paths_except" | "must_touch") => "paths_within",
            ("kind", "max_files") => "max_changed_lines",
            ("kind", "max_changed_lines") => "max_files",
            ("kind", "no_new_dependencies" | "tests_required") => "no_delete",
            ("kind", "no_delete") => "tests_required",
            ("type", "file_create") => "file_modify",
            ("type", "file_modify") if !pointer.starts_with("/steps/2/") => "file_create",
            // What else stands beside these fits no other kind or type.
            ("kind" | "type", _) => return None,
            (_, text) => return Some(json!(format!("{text}x"))),
        }),
        Value::Null => json!("no longer null"),
        Value::Array(_) | Value::Object(_) => panic!("not a leaf"),
    })
}

/// Every leaf of a value, by pointer.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let below = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                leaves(element, &below(&index.to_string()), found);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                leaves(member, &below(key), found);
            }
        }
        _ => found.push(pointer.to_owned()),
    }
}

fn hash(check: &Check, draft: &Value) -> Digest {
    let examined = check.text(draft.to_string());
    examined.unwrap_or_else(|issues| panic!("{draft:#}\n{issues:#?}")).plan_hash
}

#[test]
fn the_drafts_of_this_file_are_sound_or_refused_for_one_reason() {
    project().sound(drafts()[0].to_string());
    let issues = project().text(drafts()[1].to_string()).unwrap().issues;
    assert!(issues.is_empty(), "{issues:#?}");
}

#[test]
fn any_one_leaf_changes_the_hash() {
    let check = project();
    let mut changed = 0;
    for draft in drafts() {
        let mut seen = BTreeMap::from([(hash(&check, &draft), String::from("nothing"))]);
        let mut pointers = Vec::new();
        leaves(&draft, "", &mut pointers);
        for pointer in pointers {
            let Some(value) = other(&pointer, draft.pointer(&pointer).unwrap()) else { continue };
            let mut mutated = draft.clone();
            *mutated.pointer_mut(&pointer).unwrap() = value;
            changed += 1;
            if let Some(twin) = seen.insert(hash(&check, &mutated), pointer.clone()) {
                panic!("changing {pointer} and changing {twin} give one hash");
            }
        }
    }
    eprintln!("leaves changed: {changed}");
    assert!(changed >= 110, "{changed}");
}

#[test]
fn any_member_or_element_that_goes_away_changes_the_hash() {
    let check = project();
    let mut removed = 0;
    for draft in drafts() {
        let before = hash(&check, &draft);
        let mut places = Vec::new();
        removable(&draft, "", &mut places);
        for (outer, name) in places {
            let mut mutated = draft.clone();
            match mutated.pointer_mut(&outer).unwrap() {
                Value::Object(members) => drop(members.remove(&name)),
                Value::Array(elements) => drop(elements.remove(name.parse().unwrap())),
                _ => panic!("a container"),
            }
            // What the format requires cannot go away; what is the default may.
            let Ok(examined) = check.text(mutated.to_string()) else { continue };
            let default = outer.is_empty()
                && (name == "plan_version" || (name == "execution" && draft[&name] == "atomic"));
            assert_eq!(examined.plan_hash == before, default, "{outer}/{name}");
            removed += 1;
        }
    }
    assert!(removed >= 90, "{removed}");
}

fn removable(value: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(elements) => {
            elements.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        _ => return,
    };
    for (name, child) in children {
        found.push((pointer.to_owned(), name.clone()));
        removable(child, &format!("{pointer}/{}", name.replace('/', "~1")), found);
    }
}

#[test]
fn key_order_white_space_and_escapes_do_not_change_the_hash() {
    let check = project();
    let rounds = if is_full() { 20_000 } else { 400 };
    for draft in drafts() {
        let (plan, effect) = {
            let examined = check.text(draft.to_string()).unwrap();
            (examined.plan_hash, examined.effect_hash)
        };
        for seed in 0..rounds {
            let text = respell(&draft, &mut Rng::new(seed));
            let examined =
                check.text(&text).unwrap_or_else(|i| panic!("seed {seed}: {text}\n{i:#?}"));
            assert_eq!(
                (examined.plan_hash, examined.effect_hash),
                (plan, effect),
                "seed {seed}: {text}"
            );
        }
    }
}

/// The other spellings of a step's fields and of a plan's.
const STEP_ALIASES: [(&str, &str); 5] = [
    ("step_id", "id"),
    ("title", "label"),
    ("tool", "primitive"),
    ("requires_approval", "requiresApproval"),
    ("risk_tier", "riskTier"),
];
const PLAN_ALIASES: [(&str, &str); 4] = [
    ("plan_version", "version"),
    ("estimated_tokens", "estimatedTokens"),
    ("estimated_duration", "estimatedDuration"),
    ("target_files", "targetFiles"),
];

fn rename(value: &mut Value, from: &str, to: &str) -> bool {
    let members = value.as_object_mut().unwrap();
    match members.remove(from) {
        Some(member) => members.insert(to.into(), member).is_none(),
        None => false,
    }
}

#[test]
fn every_alias_is_the_field_it_stands_for() {
    let check = project();
    let mut used = std::collections::BTreeSet::new();
    for draft in drafts() {
        let before = hash(&check, &draft);
        let mut all = draft.clone();
        for (name, alias) in PLAN_ALIASES {
            let mut one = draft.clone();
            if rename(&mut one, name, alias) {
                assert_eq!(hash(&check, &one), before, "{alias}");
                used.insert(alias);
            }
            rename(&mut all, name, alias);
        }
        for (name, alias) in STEP_ALIASES {
            for index in 0..draft["steps"].as_array().unwrap().len() {
                let mut one = draft.clone();
                if rename(&mut one["steps"][index], name, alias) {
                    assert_eq!(hash(&check, &one), before, "{alias}");
                    used.insert(alias);
                }
                rename(&mut all["steps"][index], name, alias);
            }
        }
        assert_eq!(hash(&check, &all), before);
        for tier in ["Low", "low", "LOW", "Medium", "medium", "High", "high"] {
            let mut one = draft.clone();
            let mut upper = draft.clone();
            one["steps"][0]["risk_tier"] = json!(tier);
            upper["steps"][0]["risk_tier"] = json!(tier.to_uppercase());
            assert_eq!(hash(&check, &one), hash(&check, &upper), "{tier}");
        }
        let mut textual = draft.clone();
        textual.as_object_mut().unwrap().remove("plan_version");
        textual["schema_version"] = json!("1.0");
        assert_eq!(hash(&check, &textual), before, "schema_version");
    }
    assert_eq!(used.len(), PLAN_ALIASES.len() + STEP_ALIASES.len(), "{used:?}");
}

#[test]
fn inputs_at_plan_level_are_inputs() {
    let check = project();
    let draft = &drafts()[1];
    let mut moved = draft.clone();
    let Value::Object(inputs) = moved.as_object_mut().unwrap().remove("inputs").unwrap() else {
        panic!("an object")
    };
    moved.as_object_mut().unwrap().extend(inputs);
    assert_eq!(hash(&check, &moved), hash(&check, draft));
    // Both spellings at once are one key twice.
    let mut both = draft.clone();
    both["web_source_url"] = json!("https://ok.example/a");
    let issues = check.text(both.to_string()).unwrap_err();
    assert_eq!(&*issues[0].rule, "duplicate_key");
}

#[test]
fn two_spellings_of_one_field_are_a_duplicate_key() {
    for (name, alias) in STEP_ALIASES {
        let mut draft = drafts()[1].clone();
        let value = draft["steps"][2].get(name).cloned().unwrap_or(json!("x"));
        draft["steps"][2][name] = value.clone();
        draft["steps"][2][alias] = value;
        let issues = project().text(draft.to_string()).unwrap_err();
        assert!(issues.iter().all(|issue| issue.rule == "duplicate_key"), "{name}: {issues:#?}");
    }
}

#[test]
fn words_change_the_plan_and_not_the_effect() {
    let check = project();
    let draft = &drafts()[0];
    let before = check.sound(draft.to_string());
    for pointer in [
        "/goal",
        "/assumptions/0",
        "/intent",
        "/steps/0/title",
        "/steps/0/description",
        "/skill_id",
    ] {
        let mut words = draft.clone();
        *words.pointer_mut(pointer).unwrap() = json!("other words");
        let after = check.sound(words.to_string());
        assert_ne!(after.plan_hash, before.plan_hash, "{pointer}");
        assert_eq!(after.effect_hash, before.effect_hash, "{pointer}");
    }
    for (pointer, value) in [
        ("/steps/1/content", json!("fn main() { b(); }\n")),
        ("/steps/1/mode", json!("0644")),
        ("/steps/2/edits/0/new", json!("one")),
        ("/steps/3/content_base64", json!("AAEDBA==")),
        ("/constraints/3/max", json!(8)),
    ] {
        let mut effect = draft.clone();
        *effect.pointer_mut(pointer).unwrap() = value;
        let after = check.sound(effect.to_string());
        assert_ne!(after.effect_hash, before.effect_hash, "{pointer}");
        assert_ne!(after.plan_hash, before.plan_hash, "{pointer}");
    }
    let draft = &drafts()[1];
    let before = check.sound(draft.to_string());
    for pointer in
        ["/steps/0/tool/args/pages", "/steps/2/tool/args/subject", "/steps/2/tool/args/body"]
    {
        let mut effect = draft.clone();
        let value = effect.pointer_mut(pointer).unwrap();
        *value = if value.is_string() { json!("other") } else { json!(3) };
        assert_ne!(check.sound(effect.to_string()).effect_hash, before.effect_hash, "{pointer}");
    }
}

#[test]
fn two_ways_to_the_same_images_are_one_effect() {
    let check = Check::on([("a", "1\n2\n")]);
    let step = |payload: (&str, Value)| {
        let mut step = json!({"step_id": "step_1", "type": "file_modify", "target": "a"});
        step[payload.0] = payload.1;
        check.sound(json!({ "steps": [step] }).to_string())
    };
    let ways = [
        step(("content", json!("1\nII\n"))),
        step(("diff", json!("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+II\n"))),
        step(("edits", json!([{"old": "2", "new": "II"}]))),
    ];
    assert!(ways.iter().all(|way| way.effect_hash == ways[0].effect_hash));
    assert_ne!(ways[0].plan_hash, ways[1].plan_hash);
}

#[test]
fn other_bytes_or_modes_in_the_project_are_another_plan() {
    let draft = json!({"steps": [
        {"step_id": "step_1", "type": "file_modify", "target": "a", "content": "new"}
    ]})
    .to_string();
    let on = |bytes: &str| Check::on([("a", bytes), ("b", "unrelated")]).sound(&draft);
    assert_ne!(on("1").plan_hash, on("2").plan_hash);
    assert_ne!(on("1").effect_hash, on("2").effect_hash);
    let mut executable = Check::on([("b", "unrelated")]);
    executable.tree.put("a", "1", exacta_core::model::change::FileMode::EXECUTABLE);
    assert_ne!(executable.sound(&draft).plan_hash, on("1").plan_hash);
    // Files that the plan does not touch do not matter.
    assert_eq!(Check::on([("a", "1")]).sound(&draft).plan_hash, on("1").plan_hash);
}

#[test]
fn policy_profile_constraints_of_a_person_and_origin_are_part_of_the_plan() {
    type Alter = fn(&mut Check);
    let alterations: [Alter; 16] = [
        |_| {},
        |check| check.policy.profile = Profile::Balanced,
        |check| check.policy.token_budget += 1,
        |check| check.policy.allowed_domains.extend(["three.example".to_owned()]),
        |check| check.policy.allowed_recipients.extend(["three@corp.com".to_owned()]),
        |check| check.policy.primitives.extend(["ScheduleRun".to_owned()]),
        |check| check.policy.caps.max_steps += 1,
        |check| check.policy.caps.max_tool_calls += 1,
        |check| check.policy.caps.max_pages += 1,
        |check| check.policy.caps.max_cost_micro_usd += 1,
        |check| check.policy.caps.max_files += 1,
        |check| check.policy.caps.max_changed_lines += 1,
        |check| check.policy.caps.max_image_bytes += 1,
        |check| check.policy.micro_usd_per_million_tokens += 1,
        |check| check.policy.constraints.push(Constraint::MaxFiles { max: 400 }),
        |check| check.context.constraints.push(constraint_from_words("max_files=400").unwrap()),
    ];
    let draft = drafts()[0].to_string();
    let mut hashes = std::collections::BTreeSet::new();
    for alter in alterations {
        let mut check = project();
        alter(&mut check);
        hashes.insert(check.text(&draft).unwrap().plan_hash);
    }
    assert_eq!(hashes.len(), alterations.len());
    let mut derived = project();
    derived.context.derived_from = Some(Digest::of(b"x"));
    assert!(hashes.insert(derived.text(&draft).unwrap().plan_hash));
    derived.context.derived_from = Some(Digest::of(b"y"));
    assert!(hashes.insert(derived.text(&draft).unwrap().plan_hash));
    // What a person asked is on the log; the plan is what it does.
    let mut asked = project();
    asked.context.intent = Some("please".into());
    assert!(!hashes.insert(asked.text(&draft).unwrap().plan_hash));
}

const PATCH: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1234567..89abcde 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn x()\n one\n-two\n+2\n three\ndiff --git a/src/b.rs b/src/renamed.rs\nsimilarity index 100%\nrename from src/b.rs\nrename to src/renamed.rs\ndiff --git a/old.txt b/old.txt\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/run b/run\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+go\n";

#[test]
fn any_byte_of_an_imported_patch_changes_the_hash() {
    let check = project();
    let sound = check.patch(PATCH).unwrap();
    assert!(sound.is_sound(), "{:#?}", sound.issues);
    let mut changed = 0;
    for at in 0..PATCH.len() {
        let mut bytes = PATCH.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
        if let Ok(examined) = check.patch(&bytes) {
            assert_ne!(examined.plan_hash, sound.plan_hash, "byte {at}");
            changed += 1;
        }
    }
    assert!(changed >= 20, "{changed}");
}

#[test]
fn a_plan_is_the_same_every_time() {
    let check = project();
    for draft in drafts() {
        let text = draft.to_string();
        let first = check.text(&text).unwrap();
        for _ in 0..20 {
            let again = check.clone().text(&text).unwrap();
            assert_eq!(again.plan_hash, first.plan_hash);
            assert_eq!(again.effect_hash, first.effect_hash);
        }
    }
}
