//! What policies decide, alone and in layers, and whom the reasons name.

use exacta_core::judge::decide::Kind::{self, AutoSilent, Reject, Wait};
use exacta_core::judge::policy::LayerName::{self, Operator, Project, System};
use exacta_core::judge::policy::{Policy, Profile, Proposer};
use exacta_core::model::code::Code;

use crate::world::{ADDS, DELETES, Files, READS, UNSOUND, judged, kind, policy, said};

const ALL: &str = "permit (principal, action, resource);";
const MAY_RUN: &str = r#"permit (principal, action == Action::"may_run", resource);"#;
const UNASKED: &str = r#"permit (principal, action == Action::"may_run_unasked", resource);"#;
/// Fails when it is evaluated: no plan has so many steps, every plan has one.
const FAILS: &str = "resource.steps + 9223372036854775807 > 0";

fn expect(files: Files<'_>, draft: &str, expected: Kind, words: &[&str]) {
    let examined = judged(&policy(files), draft, None);
    let said = said(&examined);
    assert_eq!(kind(&examined), expected, "{files:?} {draft}\n{said}");
    for word in words {
        assert!(said.contains(word), "{files:?}: `{word}` is not in\n{said}");
    }
}

#[test]
fn a_layer_that_has_a_file_must_allow() {
    expect(&[], ADDS, AutoSilent, &[]);
    for layer in [System, Operator] {
        let of = layer.as_str();
        let expect = |text: &str, draft, kind, words: &[&str]| {
            expect(&[(layer, text)], draft, kind, words);
        };
        expect(ALL, ADDS, AutoSilent, &[]);
        let asks = format!(
            "the {of} `policy.cedar` asks for a person: none of its policies permits `may_run_unasked`"
        );
        expect(MAY_RUN, ADDS, Wait, &[&asks]);
        let denies = format!(
            "PLAN_RULE_DENIED: the {of} `policy.cedar` refuses the plan: none of its policies permits `may_run`"
        );
        expect(UNASKED, ADDS, Reject, &[&denies]);
        expect("", ADDS, Reject, &[&denies]);
        expect("// nothing yet\n", ADDS, Reject, &[&denies]);
        expect(
            r#"forbid (principal == Proposer::"x", action, resource);"#,
            ADDS,
            Reject,
            &[&denies],
        );
        expect(&format!("{MAY_RUN}{UNASKED}"), ADDS, AutoSilent, &[]);
    }
}

#[test]
fn what_the_table_asks_about_is_asked_whatever_is_permitted() {
    for files in [&[][..], &[(System, ALL)], &[(System, ALL), (Operator, ALL)]] {
        expect(files, DELETES, Wait, &["a file is deleted"]);
        expect(files, UNSOUND, Reject, &["FILE_MISSING"]);
    }
}

#[test]
fn every_layer_has_a_say_and_a_project_only_against() {
    let no_src = "@id(\"no-src\")\n@reason(\"src is ours\")\nforbid (principal, action, resource)\nwhen { resource.touched.folders.contains(\"src\") };";
    let no_docs = no_src.replace("src", "docs");
    let ask_src = no_src.replace("action,", "action == Action::\"may_run_unasked\",");
    let denied = |layer: LayerName, line: u32| {
        format!(
            "policy `no-src` (line {line}) of the {} `policy.cedar` refuses the plan: src is ours",
            layer.as_str()
        )
    };
    expect(&[(Project, "")], ADDS, AutoSilent, &[]);
    expect(&[(Project, &no_docs)], ADDS, AutoSilent, &[]);
    expect(&[(Project, no_src)], ADDS, Reject, &[&denied(Project, 1)]);
    expect(&[(Project, no_src)], READS, AutoSilent, &[]);
    expect(&[(Operator, ALL), (Project, no_src)], ADDS, Reject, &[&denied(Project, 1)]);
    let both = format!("{ALL}\n\n{no_src}");
    expect(&[(Operator, &both), (Project, &no_docs)], ADDS, Reject, &[&denied(Operator, 3)]);
    expect(&[(System, &both), (Operator, ALL)], ADDS, Reject, &[&denied(System, 3)]);
    expect(&[(System, ALL), (Operator, "")], ADDS, Reject, &["the operator `policy.cedar`"]);
    let asked =
        "policy `no-src` (line 1) of the project `policy.cedar` asks for a person: src is ours";
    expect(&[(Project, &ask_src)], ADDS, Wait, &[asked]);
    // Both rules stand, the stricter counts, and each is named.
    let again = ask_src.replace("no-src", "ask");
    expect(
        &[(Operator, &both), (Project, &again)],
        ADDS,
        Reject,
        &[&denied(Operator, 3), "policy `ask`"],
    );
}

#[test]
fn policies_without_a_name_go_by_their_number_and_without_a_reason_by_what_they_do() {
    let text = format!("{ALL}\n  forbid (principal, action == Action::\"may_run\", resource);");
    let name =
        "policy `2` (line 2) of the operator `policy.cedar` refuses the plan: it forbids `may_run`";
    expect(&[(Operator, &text)], ADDS, Reject, &[name]);
}

#[test]
fn a_policy_that_fails_denies_whatever_the_others_say() {
    for (effect, action) in [
        ("forbid", "action"),
        ("permit", "action"),
        ("forbid", "action == Action::\"may_run_unasked\""),
        ("permit", "action == Action::\"may_run_unasked\""),
    ] {
        let failing =
            format!("@id(\"sum\") {effect} (principal, {action}, resource) when {{ {FAILS} }};");
        let with_permit = format!("{ALL}\n{failing}");
        let words = [
            "policy `sum` (line 2) of the operator `policy.cedar` refuses the plan: it cannot be evaluated",
            "overflow",
        ];
        expect(&[(Operator, &with_permit)], ADDS, Reject, &words);
        if effect == "forbid" {
            expect(&[(Project, &failing)], ADDS, Reject, &["policy `sum` (line 1) of the project"]);
        }
        // Beside a policy that forbids anyway it is named too.
        let forbidden = format!("forbid (principal, action, resource);\n{failing}");
        expect(&[(Operator, &forbidden)], ADDS, Reject, &["policy `1`", "policy `sum`"]);
    }
}

#[test]
fn the_principal_is_who_was_authenticated_and_nobody_else() {
    let text = r#"
        permit (principal == Proposer::"ada", action, resource);
        permit (principal, action, resource) when { principal.class == "LOCAL_ONLY" };
        permit (principal == Proposer::"a\"b\\", action, resource);"#;
    let mut policy = policy(&[(Operator, text)]);
    let class = exacta_core::judge::policy::Locality::LocalOnly;
    let known = Proposer { class, model: "m".into(), provider: "p".into(), skills: None };
    policy.proposers.insert("local".into(), known);
    let decided = |draft: &str, proposer| kind(&judged(&policy, draft, proposer));
    assert_eq!(decided(ADDS, Some("ada")), AutoSilent);
    assert_eq!(decided(ADDS, Some("local")), AutoSilent);
    assert_eq!(decided(ADDS, Some("a\"b\\")), AutoSilent);
    for other in [None, Some("Ada"), Some("ada "), Some("anonymous"), Some("")] {
        assert_eq!(decided(ADDS, other), Reject, "{other:?}");
    }
    let claims = ADDS.replacen('{', r#"{"provider": "ada", "intent": "ada", "#, 1);
    assert_eq!(decided(&claims, None), Reject);
    let anonymous = r#"permit (principal == Proposer::"anonymous", action, resource);"#;
    expect(&[(Operator, anonymous)], ADDS, AutoSilent, &[]);
}

/// Conditions that must hold for a plan, each as the only thing that permits.
#[test]
fn everything_in_the_schema_is_there_to_be_asked_about() {
    let holds = |draft: &str, condition: &str| {
        let text = format!("permit (principal, action, resource) when {{ {condition} }};");
        let examined = judged(&policy(&[(Operator, &text)]), draft, None);
        assert_ne!(kind(&examined), Reject, "{condition}\n{}", said(&examined));
    };
    for condition in [
        r#"resource.touched.count == 1 && resource.touched.paths == ["src/New.rs"]"#,
        "resource.created == resource.touched && resource.modified.count == 0",
        r#"resource.touched.folders == ["src"] && resource.touched.names == ["New.rs"]"#,
        r#"resource.touched.extensions == ["rs"] && resource.touched.folded.paths == ["src/new.rs"]"#,
        "resource.mode_changed.count == 0 && resource.made_executable.count == 0",
        "resource.changed_lines == 1 && resource.steps == 1",
        r#"resource.risk == 0 && resource.risk_level == "low" && resource.quality == 970"#,
        "resource.factors.file_operations == 0 && resource.factors.code_complexity == 0",
        "resource.factors.dependency_changes + resource.factors.refactoring_scope == 0",
        "resource.factors.breaking_changes + resource.factors.security_impact == 0",
        "if resource.dimensions has completeness then resource.dimensions.completeness > 0 else true",
        "resource.dimensions has safety && resource.dimensions.safety == 1000",
        r#"resource.roles == ["source"] && resource.findings.isEmpty()"#,
        "resource.dependencies.added.isEmpty() && resource.dependencies.removed.isEmpty()",
        "resource.dependencies.changed.isEmpty() && resource.tools.isEmpty()",
        "resource.tokens > 1200 && resource.cost_micro_usd > 0 && resource.runtime_seconds > 0",
        r#"resource.recipe == "" && resource.skill == "" && resource.execution == "atomic""#,
        r#"resource.profile == "conservative""#,
        "context.session.risk == 0 && context.session.files == 1",
        r#"principal.provider == "" && principal.model == "" && principal.class == """#,
    ] {
        holds(ADDS, condition);
    }
    for condition in [
        r#"resource.deleted.count == 1 && resource.deleted.folders == ["db", "db/old"]"#,
        "resource.factors.file_operations == 10 && resource.risk == 31",
    ] {
        holds(DELETES, condition);
    }
    for condition in [
        r#"resource.tools == ["ReadWeb", "NotifyUser"] && resource.effects == ["read"]"#,
        r#"resource.domains == ["a.x"] && resource.recipients.isEmpty()"#,
        r#"resource.tool_calls == 2 && resource.pages == 0 && resource.skill == "web""#,
    ] {
        holds(READS, condition);
    }
}

#[test]
fn names_are_compared_exactly_or_folded_as_the_author_wants() {
    let forbid = |folder: &str| {
        format!("forbid (principal, action, resource) when {{ resource.touched.{folder} }};")
    };
    let upper = ADDS.replace("src/New.rs", "SRC/New.rs");
    expect(&[(Project, &forbid(r#"folders.contains("src")"#))], &upper, AutoSilent, &[]);
    expect(&[(Project, &forbid(r#"folded.folders.contains("src")"#))], &upper, Reject, &[]);
}

#[test]
fn the_policy_hash_covers_every_byte_and_the_layer() {
    let hash = |files: Files<'_>| policy(files).hash().unwrap();
    let hashes = [
        hash(&[]),
        hash(&[(Operator, ALL)]),
        hash(&[(System, ALL)]),
        hash(&[(Operator, &format!("{ALL} // now"))]),
        hash(&[(Operator, ALL), (Project, "")]),
        hash(&[(Project, "")]),
    ];
    for (at, one) in hashes.iter().enumerate() {
        assert!(hashes.iter().skip(at + 1).all(|other| one != other), "{at}");
    }
    assert_eq!(hash(&[(System, ALL), (Project, "")]), hash(&[(Project, ""), (System, ALL)]));
    let allowed_domains = ["a.x".into()].into();
    let default = Policy { allowed_domains, profile: Profile::Conservative, ..Policy::default() };
    assert_eq!(hash(&[]), default.hash().unwrap());
}

#[test]
fn the_same_plan_is_judged_the_same_every_time() {
    let one = |n| {
        format!("@id(\"p{n}\") forbid (principal, action, resource) when {{ resource.steps > 0 }};")
    };
    let text = (0..40).map(one).collect::<Vec<_>>().join("\n");
    let judge = || {
        let examined = judged(&policy(&[(Operator, &text), (Project, &text)]), ADDS, None);
        (said(&examined), examined.plan_hash)
    };
    let first = judge();
    assert_eq!(first.0.matches("PLAN_RULE_DENIED").count(), 80);
    for _ in 0..20 {
        assert_eq!(judge(), first);
    }
    let examined = judged(&policy(&[(Project, &text)]), ADDS, None);
    assert!(examined.issues.iter().all(|issue| issue.code == Code::PlanRuleDenied));
}
