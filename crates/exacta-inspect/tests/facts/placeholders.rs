//! Content that stands for content to come.

use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

use crate::{has, lines, one};

/// The texts of placeholders that a plan of several files adds.
fn placeholders(files: &[(&str, Option<&str>, Option<&str>)]) -> Vec<String> {
    let steps = files.iter().map(|(path, before, after)| StepInput {
        step: "step",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        moved: false,
    });
    let facts = inspect(&Request { steps: steps.collect(), ..Request::default() }).facts;
    let texts = facts.into_iter().filter_map(|fact| match fact.kind {
        FactKind::PlaceholderAdded { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_placeholder_that_only_moved_to_another_file_is_not_new() {
    let todo = "def f():\n    # TODO: implement the cache\n    return 1\n";
    let rest = "x = 1\n";
    let both = format!("{todo}{}", todo.replace("f()", "g()"));
    let text = "# TODO: implement the cache";
    for (files, expected) in [
        (vec![("a.py", Some(todo), Some(rest)), ("b.py", None, Some(todo))], vec![]),
        (vec![("b.py", None, Some(todo)), ("a.py", Some(todo), None)], vec![]),
        // One went and two came.
        (vec![("a.py", Some(todo), Some(rest)), ("b.py", None, Some(both.as_str()))], vec![text]),
        // Nothing went.
        (vec![("a.py", Some(todo), Some(todo)), ("b.py", None, Some(todo))], vec![text]),
        // A file that is renamed keeps what is in it.
        (
            vec![
                ("a.py", Some(todo), None),
                ("b.py", Some(todo), Some(todo)),
                ("c.py", None, Some(todo)),
            ],
            vec![text],
        ),
    ] {
        assert_eq!(placeholders(&files), expected, "{files:?}");
    }
}

#[test]
fn an_interface_is_finished_when_the_plan_has_an_heir_that_does_the_work() {
    let base = "class App:\n    def make(self):\n        raise NotImplementedError()\n";
    let heir = "class Flask(App):\n    def make(self):\n        return Environment(self)\n";
    let other = "class Flask(Other):\n    def make(self):\n        return Environment(self)\n";
    let idle = "class Flask(App):\n    def make(self):\n        raise NotImplementedError()\n";
    let raised = "raise NotImplementedError()";
    for (files, expected) in [
        (vec![("base.py", None, Some(base)), ("app.py", Some("x = 1\n"), Some(heir))], vec![]),
        (vec![("base.py", None, Some(base)), ("app.py", None, Some(other))], vec![raised]),
        (vec![("base.py", None, Some(base)), ("app.py", None, Some(idle))], vec![raised; 2]),
        (vec![("base.py", None, Some(base))], vec![raised]),
    ] {
        assert_eq!(placeholders(&files), expected, "{files:?}");
    }
}

#[test]
fn what_a_model_leaves_out_is_a_placeholder() {
    let body = "    charge(order)\n    order.paid = True\n    order.save()\n";
    let before = format!("def _pay(order):\n{body}");
    let after = "def _pay(order):\n    pass\n";
    assert!(has(&one("a.py", Some(&before), Some(after)), "placeholder_added"));
    assert!(!has(&one("a.py", None, Some(after)), "placeholder_added"), "a new one");
    let calls = lines("  call();", 30);
    let before = format!("function App() {{\n{calls}}}\n");
    let after = "function App() {\n  useNew();\n  // ...\n}\n";
    assert!(has(&one("a.js", Some(&before), Some(after)), "placeholder_added"));
}
