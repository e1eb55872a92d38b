//! Every mistake is found with its place, and blocks.

use exacta_core::judge::policy::LayerName::{self, Operator, Project, System};
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use exacta_engine::policy::read_cedar;

/// `line:column rule: message | help`, a line each.
fn told(issues: &[Issue]) -> String {
    let each = issues.iter().map(|issue| {
        assert_eq!(issue.code, Code::PolicyInvalid);
        assert!(!issue.help.is_empty(), "{issue:?} says what to do");
        let place = issue.place.map_or("-".into(), |at| format!("{}:{}", at.line, at.column));
        format!("{place} {}: {} | {}", issue.rule, issue.message, issue.help)
    });
    each.collect::<Vec<_>>().join("\n")
}

fn mistakes(layer: LayerName, text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    match read_cedar(layer, text) {
        Ok(file) => panic!("{}: passed: {file:?}", String::from_utf8_lossy(text)),
        Err(issues) => told(&issues),
    }
}

#[test]
fn each_mistake_has_its_place_and_what_to_do() {
    let when = |condition: &str| {
        format!(
            "// first\n@id(\"x\")\nforbid (principal, action, resource)\nwhen {{ {condition} }};"
        )
    };
    for (text, parts) in [
        ("forbid (principal, action, resource)".into(), &["cedar: unexpected end of input"][..]),
        ("forbid (principal, action, resource) when { true }};".into(), &["1:51 cedar: unexpected token `}`"]),
        ("forbids (principal, action, resource);".into(), &["1:1 cedar: invalid policy effect: forbids"]),
        (when("resource.riks > 3"), &["4:8 schema: policy `x`: attribute `riks`", "did you mean `risk`"]),
        (when("resource.risk > \"3\""), &["4:24 schema: policy `x`: unexpected type", "Long"]),
        (when("resource.dimensions.safety < 500"), &["4:8 schema: policy `x`: unable to guarantee safety of access to optional attribute", "has"]),
        (when("resource.touched like \"src/*\""), &["4:8 schema: policy `x`: unexpected type"]),
        (when("resource.findings == [1]"), &["schema: policy `x`:"]),
        (when("resource.risk > 3 && false"), &["2:1 schema: policy `x`: policy is impossible", "correct its condition, or remove it"]),
        (
            "forbid (principal == User::\"x\", action, resource);".into(),
            &["1:22 schema: policy `1`: unrecognized entity type `User`"],
        ),
        (
            "forbid (principal, action == Action::\"may_fly\", resource);".into(),
            &["1:30 schema: policy `1`: unrecognized action `Action::\"may_fly\"`", "may_run"],
        ),
        (
            "forbid (principal == Plan::\"x\", action, resource);".into(),
            &["schema: policy `1`: unable to find an applicable action"],
        ),
        (
            "forbid (principal == ?principal, action, resource);".into(),
            &["1:1 template: a template stands for policies"],
        ),
        (
            format!("{0}\n{0}", "@id(\"a\") forbid (principal, action, resource);"),
            &["2:1 name: policy `a` has the name of the one at line 1 | give each its own `@id`"],
        ),
        (
            "@id(\"2\") forbid (principal, action, resource); forbid (principal, action, resource);".into(),
            &["1:48 name: policy `2` has the name"],
        ),
    ] {
        for layer in [System, Operator, Project] {
            let told = mistakes(layer, &text);
            for part in parts {
                assert!(told.contains(part), "{text}\n`{part}` is not in\n{told}");
            }
            assert_eq!(told, mistakes(layer, &text), "in the same order every time");
        }
    }
    let told = mistakes(Operator, b"// fine\n\n  \xff");
    assert_eq!(told, "3:3 utf8: the bytes are not UTF-8 text | save it as UTF-8");
}

#[test]
fn several_mistakes_are_told_at_once() {
    let text = "forbid (principal, action, resource) when { resource.a };\n\
                forbid (principal, action, resource) when { resource.b };";
    let told = mistakes(Operator, text);
    assert!(
        told.contains("1:45 schema: policy `1`") && told.contains("\n2:45 schema: policy `2`"),
        "{told}"
    );
}

#[test]
fn more_mistakes_than_anybody_reads_are_only_said_to_be_there() {
    let schema = "forbid (principal, action, resource) when { resource.a };\n".repeat(500);
    for text in [";".repeat(200_000), schema] {
        let told = mistakes(Operator, text);
        assert_eq!(told.lines().count(), 101);
        let last = "\n- cedar: there are more mistakes | correct the ones that are listed";
        assert!(told.ends_with(last), "{told}");
    }
}

#[test]
fn a_project_may_not_permit() {
    for text in [
        "permit (principal, action, resource);",
        "permit (principal, action, resource) when { resource.risk < 10 };",
        "forbid (principal, action, resource) when { resource.risk > 10 };\n  permit (principal, action, resource);",
        "permit (principal == ?principal, action, resource);",
    ] {
        let told = mistakes(Project, text);
        let refused =
            told.contains("permit: policy `") && told.contains("a project's file may only forbid");
        assert!(refused || told.contains("template:"), "{told}");
    }
    let told = mistakes(
        Project,
        "forbid (principal, action, resource) when { resource.risk > 10 };\n  permit (principal, action, resource);",
    );
    assert!(told.starts_with("2:3 permit: policy `2`"), "{told}");
    // What only looks like one is none.
    let text = "// permit (principal, action, resource);\n@reason(\"permit nothing\") forbid (principal, action, resource) when { resource.skill == \"permit\" };";
    assert_eq!(read_cedar(Project, text.as_bytes()).unwrap().policies().len(), 1);
}

#[test]
fn what_can_be_used_but_looks_wrong_is_told_as_a_warning() {
    let warnings = |layer, text: &str| told(read_cedar(layer, text.as_bytes()).unwrap().warnings());
    let nothing = "1:1 doubt: the file permits nothing, so every plan is refused | to forbid only some plans, begin it with `permit (principal, action, resource);`";
    assert_eq!(warnings(Operator, ""), nothing);
    assert_eq!(warnings(System, "forbid (principal, action, resource);"), nothing);
    assert_eq!(warnings(Project, ""), "");
    assert_eq!(warnings(Operator, "permit (principal, action, resource);"), "");
    let disguised =
        "forbid (principal, action, resource) when { resource.skill == \"say_һello\" };";
    let told = warnings(Project, disguised);
    assert!(
        told.starts_with("1:")
            && told.contains("doubt: policy `1`: string `\"say_һello\"` contains mixed scripts"),
        "{told}"
    );
}

#[test]
fn policies_are_listed_with_name_effect_and_place() {
    let text = "// ours\npermit (principal, action, resource);\n\n@reason(\"why; (not)\") @id(\"no \\\"x\\\"\")\nforbid (principal, action, resource) when { resource.skill == \"; } //\" }; /* */"
        .replace(" /* */", " // forbid (");
    let file = read_cedar(Operator, text.as_bytes()).unwrap();
    let listed: Vec<_> = file
        .policies()
        .iter()
        .map(|policy| {
            (policy.name.as_str(), policy.permits, policy.place.line, policy.reason.as_deref())
        })
        .collect();
    assert_eq!(listed, [("1", true, 2, None), ("no \"x\"", false, 4, Some("why; (not)"))]);
}
